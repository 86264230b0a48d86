"""Systems that are scored item by item: which of them can be left out, and when to stop."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd

from .._notes import with_notes
from .._parameters import SHARE_RANGE, OneOf, check_constrained, constrained
from .._text import count, digits, fixed, is_are, number, percent, was_were
from .._utils import (
    check_arrays,
    check_flag,
    did_you_mean,
    explain_init,
    got,
    is_integer,
    is_number,
    path_of,
    replacing,
)
from ..display._sequential import SequentialDisplay
from ..predictions._scores import as_frame
from ..predictions._validation import check_no_mask
from ..resampling import entropy_of
from ..results._systems import BestOfResult
from ._systems import best_of

FORMAT = "sklearn_bbc.SequentialBestOf"
VERSION = 1
"""Of the file, and of the bets: what a run has dropped depends on both."""
LARGEST_BET = 0.5
PRIOR = 0.25
"""Added to the sum of squares that a bet is divided by, so that the first bets are small."""
SAME_LOG = 1e-9
"""Logarithms that are nearer than this are equal: their last bits differ among machines."""
OUTSIDE = 1e-9
"""Part of the range by which rounding may put a score outside of it."""
ORDERS = ("random", "shuffle")
MOST_NAMED = 5
AFTER_GROUPS = "An item is the mean of a group here: each group counts once, whatever its size."
AFTER_DROPPING = (
    "{} of {} systems {} dropped on the way and not compared here. In simulations in which the "
    "others were scored on a number of items that was fixed beforehand, the dropping did not "
    "change the corrected score or its interval."
)
AFTER_LOOKING = (
    "If the scores decided when to stop, the score is too high: in simulations that stopped with "
    "one system left by 0.02 of the range of scores where that took 35 or 180 items, and by 0.01 "
    "where it took 360. Score those that are left on a fixed number of items to be free of it."
)


class Dropped(NamedTuple):
    """A system that was dropped.

    Parameters
    ----------
    system : str
        Its name.
    item : str
        The item (or group) after which it was dropped; its number, from 1, where it has no name.
    n_items : int
        How many items it was scored on.
    evidence : float
        How strongly they say that it is not the best one, at least ``1 / alpha``.
    """

    system: str
    item: str
    n_items: int
    evidence: float


class Bets:
    """Wealth of bets on differences, of any shape: each bet is made before its difference is seen.

    A bet is the mean of the differences so far, divided by the mean of their squares, which is
    what lets wealth grow fastest if they go on like this, but at least 0 and at most 1/2.
    """

    def __init__(self, *shape: int) -> None:
        self.total, self.squares, self.log = np.zeros((3, *shape))

    def add(self, differences: np.ndarray, where: Any = ...) -> None:
        """Look at the next differences, of the pairs `where`; the wealth of others stays."""
        total, squares = self.total[where], self.squares[where]
        bet = np.clip(total / (PRIOR + squares), 0.0, LARGEST_BET)
        self.log[where] += np.log1p(bet * differences)
        self.total[where] = total + differences
        self.squares[where] = squares + differences**2


def _log_mean(logs: np.ndarray) -> np.ndarray:
    """Compute logarithms of means over the last axis, whatever its order is."""
    logs = np.sort(logs, axis=-1)
    top = logs[..., -1]
    return np.asarray(top + np.log(np.exp(logs - top[..., None]).mean(axis=-1)))


def _check_range(score_range: Any) -> tuple[float, float]:
    """Return the ends of the range of scores."""
    ends = tuple(score_range) if isinstance(score_range, Iterable) else ()
    if (
        len(ends) != 2
        or not all(is_number(end) and np.isfinite(end) for end in ends)
        or not ends[0] < ends[1]
        or not np.isfinite(float(ends[1]) - float(ends[0]))
    ):
        raise ValueError(
            "score_range must be two finite numbers, the least and the largest score that is "
            f"possible, got {got(score_range)}. For ratings from 1 to 5 use (1, 5)."
        )
    return float(ends[0]), float(ends[1])


def _scaled(
    scores: np.ndarray, score_range: tuple[float, float], greater_is_better: bool
) -> np.ndarray:
    """Bring scores to [0, 1], greater is better; raise for those outside of the range."""
    low, high = score_range
    scaled = (scores - low if greater_is_better else high - scores) / (high - low)
    outside = (scaled < -OUTSIDE) | (scaled > 1 + OUTSIDE)
    if outside.any():
        raise ValueError(
            f"A score is {number(float(scores[outside][0]))}, outside of score_range="
            f"({number(low)}, {number(high)}). The promise rests on this range: give the least "
            "and the largest score that are possible, before the first item."
        )
    return np.clip(scaled, 0.0, 1.0)


def _name_of(label: Any) -> str:
    """Name an item; a whole number has one name, also where pandas holds it as a float."""
    is_whole = is_number(label) and float(label).is_integer()
    return str(int(label)) if is_whole else str(label)


def evidence_not_best(
    scores: Any,
    others: Any,
    *,
    score_range: Sequence[float] = (0.0, 1.0),
    greater_is_better: bool = True,
) -> np.ndarray:
    """Compute how strongly scores say, item by item, that a system is not the best of several.

    For tools that run one system after the other, such as pruners. `SequentialBestOf` does it for
    all systems side by side.

    Parameters
    ----------
    scores : array-like of shape (n_items,)
        Of the system, items in random order.
    others : array-like of shape (n_items, n_others)
        Scores of the other systems on the same items; NaN from where one was stopped.
    score_range : (float, float), default=(0, 1)
        Least and largest score that is possible.
    greater_is_better : bool, default=True
        False for losses.

    Returns
    -------
    ndarray of shape (n_items,)
        Evidence after each item. If the system is the best one, it ever reaches ``1 / alpha`` with
        a probability of at most `alpha`.

    Raises
    ------
    ValueError
        If shapes differ, or scores are missing, infinite or outside of the range.

    See Also
    --------
    sklearn_bbc.SequentialBestOf : For systems that are run side by side.

    Examples
    --------
    >>> from sklearn_bbc.comparison import evidence_not_best
    >>> evidence_not_best([0, 0, 0, 0], [[1], [1], [1], [1]])
    array([1.   , 1.5  , 2.25 , 3.375])
    """
    ends = _check_range(score_range)
    check_flag("greater_is_better", greater_is_better)
    check_arrays(scores=scores, others=others)
    check_no_mask(scores, "scores")
    check_no_mask(others, "others")
    try:
        own, rest = np.asarray(scores, dtype=float), np.asarray(others, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "scores and others must hold numbers, others the same number of them in each row, "
            f"got {got(scores)} and {got(others)}."
        ) from error
    if own.ndim != 1 or rest.ndim != 2 or len(own) != len(rest) or not rest.shape[1]:
        raise ValueError(
            "scores must be of shape (n_items,) and others of shape (n_items, n_others), with at "
            f"least one, got {own.shape} and {rest.shape}."
        )
    stopped = np.isnan(rest)
    if not np.isfinite(own).all() or (stopped[:-1] & ~stopped[1:]).any():
        raise ValueError(
            "Every item needs a score that is finite; only those of the others may end early, "
            "with NaN from there on."
        )
    own = _scaled(own, ends, greater_is_better)
    rest = _scaled(np.where(stopped, ends[0], rest), ends, greater_is_better)
    rest[stopped] = np.nan
    bets, found = Bets(rest.shape[1]), np.empty(len(own))
    for item, (one, row) in enumerate(zip(own, rest)):
        there = np.isfinite(row)
        bets.add(row[there] - one, there)
        found[item] = np.exp(_log_mean(bets.log))
    return found


class SequentialBestOf:
    """Score systems item by item, drop those that are not the best, stop when it is clear.

    Systems are prompts, language models or agents that are run on one item after the other. After
    every item one may look, and leave out what is dropped: the best system is ever dropped with a
    probability of at most `alpha`, however many systems there are and whenever one stops. A test
    that is repeated after each item has no such limit.

    Parameters
    ----------
    systems : sequence of str
        Names, at least two.
    alpha : float in (0, 1), default=0.05
        Largest probability with which the best system is ever dropped.
    score_range : (float, float), default=(0, 1)
        Least and largest score that is possible, known before the first item.
    greater_is_better : bool, default=True
        False for losses, whose smallest mean is the best.

    Attributes
    ----------
    systems : tuple of str
        All names.
    alive : tuple of str
        Those that may still be the best.
    dropped : tuple of Dropped
        The others, in the order in which they were dropped, each with the item and the evidence.
    n_items : int
        Items (or groups) so far.
    items : tuple of str or None
        Their names; None for those without one.
    n_scores : int
        Scores that were looked at.

    See Also
    --------
    sklearn_bbc.best_of : When every system has a score for every item.
    sklearn_bbc.display.SequentialDisplay : Draws the evidence.
    sklearn_bbc.comparison.evidence_not_best : For tools that run one system after the other.

    Notes
    -----
    For every pair there is a wealth, which is 1 at first. After item i with scores S from 0 to 1
    it is multiplied: ``E_jk *= 1 + b (S_ik - S_ij)``. The bet b lies in [0, 1/2] and depends on
    earlier items only: ``b = sum(d) / (1/4 + sum(d^2))`` of their differences d [1]_. The evidence
    that j is not the best one is the mean of its wealths over all k, with equal weights that never
    change; a dropped system's part stays as it is. If j is the best one, no bet has a positive
    expectation, so its evidence ever reaches ``1 / alpha`` with a probability of at most `alpha`
    (Ville's inequality) [2]_. Of systems that are equally good this holds for each by itself.

    Items must be in random order, and must not depend on each other: one group of items, such as
    the questions on one passage, is one update. The best system is the one with the best mean over
    the items that these are a random sample of, each group counting once.

    References
    ----------
    .. [1] I. Waudby-Smith, A. Ramdas, "Estimating means of bounded random variables by betting",
       Journal of the Royal Statistical Society B 86, 1-27 (2024).
       :doi:`10.1093/jrsssb/qkad009`
    .. [2] S. Arnold, G. Gavrilopoulos, B. Schulz, J. Ziegel, "Sequential model confidence sets",
       arXiv:2404.18678 (2024).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import SequentialBestOf
    >>> rng = np.random.default_rng(0)
    >>> right = {"a": 0.5, "b": 0.8, "c": 0.6}  # shares that nobody knows
    >>> run = SequentialBestOf(right)
    >>> while len(run.alive) > 1 and run.n_items < 500:
    ...     _ = run.update({name: rng.random() < right[name] for name in run.alive})
    >>> run.alive, [each.system for each in run.dropped], run.n_items < 200
    (('b',), ['a', 'c'], True)
    """

    _constraints = {"alpha": SHARE_RANGE}

    def __init__(
        self,
        systems: Iterable[str],
        alpha: float = 0.05,
        *,
        score_range: Sequence[float] = (0.0, 1.0),
        greater_is_better: bool = True,
    ) -> None:
        if isinstance(systems, (str, bytes)) or not isinstance(systems, Iterable):
            raise ValueError(f"systems must be a list of names, got {got(systems)}.")
        self.systems = tuple(map(str, systems))
        if len(set(self.systems)) != len(self.systems) or len(self.systems) < 2:
            raise ValueError(
                f"systems must be at least two different names, got {list(self.systems)[:8]}."
            )
        self.alpha = alpha
        self.score_range = _check_range(score_range)
        self.greater_is_better = greater_is_better
        check_constrained(self)
        check_flag("greater_is_better", greater_is_better)
        self.alpha, self.greater_is_better = float(alpha), bool(greater_is_better)
        n = len(self.systems)
        self._place = {name: place for place, name in enumerate(self.systems)}
        self._alive = np.ones(n, dtype=bool)
        self._bets = Bets(n, n)  # of each system, against each one that may be better
        self._dropped: list[Dropped] = []
        self._items: list[str | None] = []
        self._known: set[str] = set()
        self._sizes: list[int] = []  # of the groups
        self._scores: list[np.ndarray] = []  # (n_systems,) each, as given, NaN for dropped ones
        self._log_evidence: list[np.ndarray] = []

    @property
    def alive(self) -> tuple[str, ...]:
        """Systems that may still be the best."""
        return tuple(np.array(self.systems, dtype=object)[self._alive])

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """Systems that were dropped."""
        return tuple(self._dropped)

    @property
    def items(self) -> tuple[str | None, ...]:
        """Names of the items so far."""
        return tuple(self._items)

    @property
    def n_items(self) -> int:
        """Number of items so far."""
        return len(self._items)

    @property
    def n_scores(self) -> int:
        """Number of scores that were looked at."""
        kept = (np.isfinite(each).sum() * size for each, size in zip(self._scores, self._sizes))
        return int(sum(kept))

    # --- scores ----------------------------------------------------------------------------------

    @constrained(order=OneOf(ORDERS, or_none=True))
    def update(
        self,
        scores: Any,
        *,
        item: Any = None,
        groups: Any = None,
        order: str | None = None,
        random_state: Any = None,
    ) -> SequentialBestOf:
        """Look at the scores of one more item, or of all rows of a table.

        Nothing is changed where an error is raised.

        Parameters
        ----------
        scores : mapping, Series or DataFrame
            System -> its score for one item, of all that are alive; a list of scores for each is a
            group of items that depend on each other, whose mean counts. Or a DataFrame with a row
            for each item and a column for each system. Scores of dropped systems are left out.
        item : str, default=None
            Name of the item, or the group, that no other one may have. Rows of a DataFrame
            have the names of its index, unless that is only numbered.
        groups : array-like of shape (n_rows,) or str, default=None
            Of a DataFrame: rows of one group are one item with their mean. A text names a column.
        order : {"random", "shuffle"}, default=None
            Of a DataFrame, which needs it: "random" says that rows are in random order already,
            "shuffle" shuffles them (or the groups).
        random_state : int, RandomState instance or None, default=None
            Seed of "shuffle".

        Returns
        -------
        self : SequentialBestOf
            With what was dropped, if anything was.

        Raises
        ------
        ValueError
            If a system that is alive has no score, scores are no numbers, missing or outside of
            `score_range`, systems are not known, or an item was there before.
        """
        given = scores
        if not isinstance(scores, (Mapping, pd.Series)):
            scores = as_frame(scores)
        if isinstance(scores, pd.DataFrame):
            if item is not None:
                raise ValueError(
                    f"item={got(item)} names one item, but scores is a table. Give the names of "
                    "its items as its index."
                )
            rows = self._rows(scores, groups, order, random_state)
        elif isinstance(scores, (Mapping, pd.Series)):
            if groups is not None or order is not None:
                raise ValueError(
                    "groups and order belong to a table of several items. Give a group as a list "
                    "of scores for each system, and call update for items in random order."
                )
            if not (item is None or isinstance(item, str) or is_integer(item)):
                raise ValueError(f"item must be a text, a whole number or None, got {got(item)}.")
            if isinstance(scores, pd.Series) and not scores.index.is_unique:
                raise ValueError(
                    "The index of scores names a system twice. A Series has one score for each; "
                    "give a group as a dict with a list of scores for each system."
                )
            rows = [(None if item is None else str(item), *self._one(dict(scores)))]
        else:
            raise ValueError(
                "scores must be a dict of the system's name and its score for one item, or a "
                f"DataFrame with a column for each system, got {got(given)}. An array becomes "
                "one by pandas.DataFrame(array, columns=run.systems)."
            )
        before = self._copy_of_state() if len(rows) > 1 else ()
        try:
            for name, values, size in rows:
                self._add(name, values, size)
        except ValueError:
            if before:
                self._set_state(before)
            raise
        return self

    def _one(self, scores: Mapping[Any, Any]) -> tuple[np.ndarray, int]:
        """Read the scores of one item: means, NaN where there are none, and size of the group."""
        values, sizes = np.full(len(self.systems), np.nan), {}
        seen: set[str] = set()
        for key, score in scores.items():
            name = str(key)
            if name in seen:
                raise ValueError(f"{name!r} is there twice, as a text and as a number.")
            seen.add(name)
            if name not in self._place:
                raise ValueError(
                    f"{name!r} is none of the {len(self.systems):,} systems."
                    f"{did_you_mean(name, self.systems)}"
                )
            if not self._alive[self._place[name]]:
                continue
            check_no_mask(score, f"The score of {name}")
            of_group = np.asarray(score)
            if of_group.dtype.kind not in "biuf" or of_group.ndim > 1 or not of_group.size:
                raise ValueError(
                    f"The score of {name} must be a number, or a list of them for a group of "
                    f"items, got {got(score)}. Write 1 for right and 0 for wrong."
                )
            sizes[name] = of_group.size
            values[self._place[name]] = of_group.astype(float).mean()
        if len(set(sizes.values())) > 1:
            raise ValueError(
                f"Systems have different numbers of scores: {sizes}. Every system that is alive "
                "needs a score for each item of a group."
            )
        return values, next(iter(sizes.values()), 1)

    def _rows(
        self, frame: pd.DataFrame, groups: Any, order: str | None, random_state: Any
    ) -> list[tuple[str | None, np.ndarray, int]]:
        """Read a table: name, means of the systems and size of each item or group, in order."""
        if order is None:
            raise ValueError(
                "order is needed for a table: order='random' says that its rows are in random "
                "order, order='shuffle' shuffles them with random_state. In another order, such "
                "as easy items first, the best system may be dropped."
            )
        if order == "random" and random_state is not None:
            raise ValueError("random_state is the seed of order='shuffle', not of order='random'.")
        if isinstance(groups, str):
            if groups not in frame.columns:
                raise ValueError(f"groups={groups!r} is no column of the table.")
            labels = frame[groups].to_numpy()
            frame = frame.drop(columns=groups)
        else:
            labels = None if groups is None else np.asarray(groups)
        if labels is not None and (labels.shape != (len(frame),) or pd.isna(labels).any()):
            raise ValueError(
                f"groups must have a label for each of the {len(frame):,} rows, none of them "
                f"missing, got {got(groups)}."
            )
        columns = [str(column) for column in frame.columns]
        unknown = [name for name in columns if name not in self._place]
        if unknown or len(set(columns)) < len(columns):
            raise ValueError(
                f"The columns must be the systems, each once: {list(self.systems)[:8]}. "
                f"{'Others: ' + str(unknown[:8]) if unknown else 'Some are there twice'}."
            )
        frame = frame.infer_objects()
        if any(frame[column].dtype.kind not in "biuf" for column in frame.columns):
            raise ValueError("Scores in the table must be numbers: 1 for right and 0 for wrong.")
        table = np.full((len(frame), len(self.systems)), np.nan)
        table[:, [self._place[name] for name in columns]] = frame.to_numpy(dtype=float)
        names: list[str | None]
        if labels is not None:
            codes, found = pd.factorize(labels)
            parts = [np.flatnonzero(codes == code) for code in range(len(found))]
            names = [_name_of(each) for each in found]
        else:
            parts = list(np.arange(len(table))[:, None])
            numbered = isinstance(frame.index, pd.RangeIndex)
            parts_of = (each if isinstance(each, tuple) else (each,) for each in frame.index)
            if n_lacking := sum(any(map(pd.isna, each)) for each in parts_of):
                raise ValueError(
                    f"The index of the table, which names its items, lacks "
                    f"{count(n_lacking, 'name')}. Fill them in, or leave all items without a name "
                    "by reset_index(drop=True)."
                )
            names = [None if numbered else _name_of(each) for each in frame.index]
        places = np.arange(len(parts))
        if order == "shuffle":
            places = np.random.default_rng(entropy_of(random_state)).permutation(len(parts))
        return [(names[k], table[parts[k]].mean(axis=0), len(parts[k])) for k in places]

    def _add(self, name: str | None, scores: np.ndarray, size: int) -> None:
        """Look at one item, `scores` (n_systems,); those of dropped systems are not used."""
        if name is not None and name in self._known:
            raise ValueError(
                f"Item {name!r} was there before. An item counts once: leave out those in "
                "run.items, and give several scores of a group together, as one list."
            )
        alive = np.flatnonzero(self._alive)
        without = alive[~np.isfinite(scores[alive])]
        if without.size:
            lacking = [self.systems[place] for place in without]
            of = "" if name is None else f" for item {name!r}"
            raise ValueError(
                f"{', '.join(lacking[:MOST_NAMED])} {is_are(len(lacking))} alive, but without a "
                f"score{of}. Score a failed answer as the worst one, or leave the item out for "
                "all systems if it failed for a reason that has nothing to do with its difficulty."
            )
        scaled = _scaled(scores[alive], self.score_range, self.greater_is_better)
        self._bets.add(scaled - scaled[:, None], np.ix_(alive, alive))
        wealth = self._bets.log[alive]
        others = np.arange(len(self.systems)) != alive[:, None]
        log = _log_mean(wealth[others].reshape(len(alive), -1))
        out = log >= -np.log(self.alpha) - SAME_LOG
        if out.all():  # nothing would be left
            out = log > log.min() + SAME_LOG
        kept, evidence = np.full((2, len(self.systems)), np.nan)
        kept[alive], evidence[alive] = scores[alive], log
        self._scores.append(kept)
        self._log_evidence.append(evidence)
        self._items.append(name)
        if name is not None:
            self._known.add(name)
        self._sizes.append(size)
        label = str(self.n_items) if name is None else name
        self._dropped += [
            Dropped(self.systems[place], label, self.n_items, float(np.exp(evidence[place])))
            for place in alive[out]
        ]
        self._alive[alive[out]] = False

    def _copy_of_state(self) -> tuple[Any, ...]:
        bets = self._bets
        arrays = [each.copy() for each in (self._alive, bets.total, bets.squares, bets.log)]
        return *arrays, self.n_items, len(self._dropped)

    def _set_state(self, state: tuple[Any, ...]) -> None:
        self._alive, self._bets.total, self._bets.squares, self._bets.log, n, n_dropped = state
        for each in (self._items, self._sizes, self._scores, self._log_evidence):
            del cast(list, each)[n:]
        del self._dropped[n_dropped:]
        self._known = {name for name in self._items if name is not None}

    # --- files -----------------------------------------------------------------------------------

    def save(self, path: Any) -> None:
        """Write the run to a file, which `load` goes on from.

        The old file is replaced only when the new one is complete, so a kill leaves either.

        Parameters
        ----------
        path : str or path-like
            A JSON file, with every score so far.
        """
        scores = [
            [None if np.isnan(each) else float(each) for each in row] for row in self._scores
        ]
        rows = [
            {"item": item, "size": size, "scores": row}
            for item, size, row in zip(self._items, self._sizes, scores)
        ]
        content = {
            "format": FORMAT, "version": VERSION, "systems": self.systems, "alpha": self.alpha,
            "score_range": self.score_range, "greater_is_better": self.greater_is_better,
            "rows": rows, "dropped": [each._asdict() for each in self._dropped],
        }  # fmt: skip
        with replacing(path_of(path)) as file:
            file.write(json.dumps(content, ensure_ascii=False).encode())

    @classmethod
    def load(cls, path: Any) -> SequentialBestOf:
        """Go on with a run that was saved, as if it had never been interrupted.

        Parameters
        ----------
        path : str or path-like
            What `save` wrote.

        Returns
        -------
        SequentialBestOf
            The run; its items are in `items`.

        Raises
        ------
        ValueError
            If the file is something else, of another version, or was changed.
        """
        file = path_of(path)
        try:
            content = json.loads(file.read_bytes())
            is_run = content["format"] == FORMAT
        except (ValueError, KeyError, TypeError):
            is_run = False
        if not is_run:
            raise ValueError(f"{file} is no file of SequentialBestOf.save.")
        if content["version"] != VERSION:
            raise ValueError(
                f"{file} has version {content['version']!r} of the format, this release reads "
                f"version {VERSION}. Finish the run with the release that began it."
            )
        try:
            run = cls(
                content["systems"], content["alpha"], score_range=content["score_range"],
                greater_is_better=content["greater_is_better"],
            )  # fmt: skip
            for row in content["rows"]:
                name, size = row["item"], row["size"]
                if not (name is None or isinstance(name, str)) or not (
                    is_integer(size) and size > 0
                ):
                    raise ValueError(f"an item has the name {name!r} and the size {size!r}.")
                run._add(name, np.array(row["scores"], dtype=float), size)
            decided = [(each["system"], each["n_items"]) for each in content["dropped"]]
        except (ValueError, KeyError, TypeError, IndexError, OverflowError) as error:
            raise ValueError(f"{file} is damaged or was changed: {error}") from error
        if decided != [(each.system, each.n_items) for each in run.dropped]:
            raise ValueError(f"{file} was changed: its scores drop other systems than it says.")
        return run

    # --- what was found --------------------------------------------------------------------------

    @property
    def evidence(self) -> pd.DataFrame:
        """Evidence that a system is not the best, after each item; NaN once it is dropped."""
        values = np.exp(np.array(self._log_evidence).reshape(-1, len(self.systems)))
        index = pd.RangeIndex(1, self.n_items + 1, name="item")
        return pd.DataFrame(values, index=index, columns=pd.Index(self.systems, name="system"))

    def frame(self) -> pd.DataFrame:
        """Return all systems as a table, those that are alive first.

        Returns
        -------
        DataFrame
            Indexed by system: ``score``, its mean over the items that it was scored on, which is
            not corrected for anything, ``n_items``, how many these are, ``evidence`` that it is
            not the best, and ``alive``.
        """
        scores = np.array(self._scores).reshape(-1, len(self.systems))
        n_items = np.isfinite(scores).sum(axis=0)
        with np.errstate(invalid="ignore"):
            mean = np.nansum(scores, axis=0) / n_items
        last = np.vstack([np.ones(len(self.systems)), self.evidence.to_numpy()])
        frame = pd.DataFrame(
            {
                "score": mean, "n_items": n_items,
                "evidence": last[n_items, np.arange(len(self.systems))], "alive": self._alive,
            },
            index=pd.Index(self.systems, name="system"),
        )  # fmt: skip
        order = [*self.alive, *(each.system for each in reversed(self._dropped))]
        return frame.loc[order]

    def summary(self) -> str:
        """Write in a few sentences what is alive and what was dropped.

        Returns
        -------
        str
            With the probability that the best system was dropped.
        """
        n, n_dropped, alive = len(self.systems), len(self._dropped), self.alive
        listed = ", ".join(alive[:MOST_NAMED]) + ", ..." * (len(alive) > MOST_NAMED)
        units = count(self.n_items, "group" if max(self._sizes, default=1) > 1 else "item")
        sentences = [
            f"After {units} {len(alive):,} of {n:,} systems may be the best: {listed}.",
            f"{n_dropped:,} {was_were(n_dropped)} dropped"
            + (
                f"{', the last one' * (n_dropped > 1)}, {self._dropped[-1].system}, after "
                f"{self._dropped[-1].n_items:,}."
                if n_dropped
                else "."
            ),
            "The probability that the best system is ever dropped is at most "
            f"{percent(self.alpha)}, whenever one stops.",
        ]
        return " ".join(sentences)

    def __str__(self) -> str:
        shown = self.frame().assign(evidence=lambda frame: frame["evidence"].map(digits))
        return f"{shown.to_string(float_format=fixed)}\n\n{self.summary()}"

    def __repr__(self) -> str:
        return (
            f"SequentialBestOf({len(self.systems)} systems, {len(self.alive)} alive after "
            f"{count(self.n_items, 'item')}, alpha={self.alpha:g})"
        )

    def best_of(
        self,
        *,
        baseline: Any = None,
        confidence_level: float = 0.95,
        n_bootstraps: int = 2000,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> BestOfResult:
        """Correct the mean score of the best of those that are alive, and compare them.

        Parameters
        ----------
        baseline : str, default=None
            System that all others are compared with; it must be alive.
        confidence_level : float in (0, 1), default=0.95
            Of intervals, see `sklearn_bbc.best_of`.
        n_bootstraps : int, default=2000
            Number of draws of items, at least 20.
        random_state : int, RandomState instance or None, default=None
            Seed of the draws.
        n_jobs : int or None, default=None
            Number of threads; the result does not depend on it.

        Returns
        -------
        BestOfResult
            Of all items so far; a note says what the dropping and the stopping do to it.

        Raises
        ------
        ValueError
            If there are fewer than three items, or the baseline is not alive.
        """
        table = pd.DataFrame(np.reshape(self._scores, (-1, len(self.systems))))
        table.columns = pd.Index(self.systems)
        result = best_of(
            table[list(self.alive)], baseline=baseline, greater_is_better=self.greater_is_better,
            confidence_level=confidence_level, n_bootstraps=n_bootstraps,
            random_state=random_state, n_jobs=n_jobs,
        )  # fmt: skip
        notes = [AFTER_GROUPS] if max(self._sizes) > 1 else []
        if n := len(self._dropped):
            notes.append(AFTER_DROPPING.format(n, len(self.systems), was_were(n)))
        return cast(BestOfResult, with_notes(result, [*notes, AFTER_LOOKING], n_dropped=n))

    def plot(self, ax: Any = None) -> SequentialDisplay:
        """Draw the evidence after each item, see `SequentialDisplay`.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        SequentialDisplay
            The plot, with its axes in `ax_`.
        """
        return SequentialDisplay(evidence=self.evidence, alpha=self.alpha).plot(ax)


explain_init(SequentialBestOf)
