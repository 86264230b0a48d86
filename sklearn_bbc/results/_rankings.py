"""Rankings of learners, and sets of configurations that may be the best."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from .._rounding import levelled
from .._text import (
    capital,
    card,
    config_words,
    count,
    digits,
    fixed,
    method_words,
    metric_words,
    number,
    p_value_text,
    param_name,
    param_value,
    percent,
)
from .._utils import nan_loses
from ._results import Result, floats, indices, read_only, texts

MOST_LEARNERS = 8
"""Learners, and pairs of them, that a card for notebooks lists."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RankingResult(Result):
    """Mean ranks of learners over data sets, and which of them differ.

    Parameters
    ----------
    names : tuple of str
        The learners.
    mean_ranks : ndarray of shape (n_learners,)
        Mean rank of each learner; 1 is the best.
    n_data_sets : int
        Number of data sets.
    statistic, p_value : float
        Of the test that all learners are alike; NaN for methods that only compare pairs.
    method : str
        Name of the method, for example ``"nemenyi"``.
    pair_p_values : ndarray of shape (n_learners, n_learners) or None, default=None
        p-value of each pair, adjusted for their number; NaN for pairs that were not compared.
    critical_difference : float, default=nan
        Difference of mean ranks from which on two learners differ.
    confidence_level : float, default=0.95
        One minus the level of all tests together.
    label : str, default=""
        The method in a sentence.
    control : int or None, default=None
        Learner with which the others are compared; None for all pairs.
    assumptions : tuple of str, default=()
        What the result rests on, a sentence each.
    details : mapping, default={}
        By-products.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.comparison import Nemenyi
    >>> scores = np.array([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.5],
    ...                    [0.7, 0.6, 0.5], [0.8, 0.7, 0.5], [0.9, 0.8, 0.6]])
    >>> result = Nemenyi().compare(scores, names=["A", "B", "C"])
    >>> result.groups()
    [('A', 'B'), ('B', 'C')]
    >>> print(f"{result.critical_difference:.2f}")
    1.35
    """

    names: tuple[str, ...]
    mean_ranks: np.ndarray
    n_data_sets: int
    statistic: float
    p_value: float
    method: str
    pair_p_values: np.ndarray | None = None
    critical_difference: float = math.nan
    confidence_level: float = 0.95
    label: str = ""
    control: int | None = None
    assumptions: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    _types = {
        **dict.fromkeys(
            ("statistic", "p_value", "critical_difference", "confidence_level"), float
        ),
        **dict.fromkeys(("names", "assumptions"), texts),
        **dict.fromkeys(("mean_ranks", "pair_p_values"), floats),
        "details": read_only,
    }

    @property
    def alpha(self) -> float:
        """Level of all tests together."""
        return 1 - self.confidence_level

    def frame(self) -> pd.DataFrame:
        """Return one row per learner.

        Returns
        -------
        DataFrame
            One row per learner, the best mean rank first.
        """
        table = pd.DataFrame({"learner": self.names, "mean_rank": self.mean_ranks})
        if self.control is not None and self.pair_p_values is not None:
            table["p_value"] = self.pair_p_values[self.control]
        return table.sort_values("mean_rank", kind="stable", ignore_index=True)

    def pairs(self) -> pd.DataFrame:
        """Return one row per pair that was compared.

        Returns
        -------
        DataFrame
            One row per pair, the smallest p-value first, with the difference of the mean ranks
            (negative where the first is better) and whether it is shown.
        """
        columns = ["first", "second", "rank_difference", "p_value", "is_shown"]
        names, ranks = self.names, self.mean_ranks
        rows = [
            (names[i], names[j], ranks[i] - ranks[j], p, bool(p <= self.alpha))
            for i, j, p in self._compared()
        ]
        table = pd.DataFrame(rows, columns=columns)
        order = np.argsort(-levelled(-table["p_value"].to_numpy(dtype=float)), kind="stable")
        return table.iloc[order].reset_index(drop=True)

    def groups(self) -> list[tuple[str, ...]]:
        """Find groups of neighbouring mean ranks of which no two learners differ.

        Returns
        -------
        list of tuple of str
            The bars of a critical difference diagram: largest groups only, best first.
            Learners that differ from all others are in none.
        """
        if self.pair_p_values is None or self.control is not None:
            return []
        order = np.argsort(self.mean_ranks, kind="stable")
        differ = self.pair_p_values[np.ix_(order, order)] <= self.alpha
        groups, last = [], 1
        for start in range(len(order)):
            stop = start + 1
            while stop < len(order) and not differ[start : stop + 1, start : stop + 1].any():
                stop += 1
            if stop > max(last, start + 1):
                groups.append(tuple(self.names[k] for k in order[start:stop]))
                last = stop
        return groups

    def summary(self) -> str:
        """Describe in a few sentences what was found.

        Returns
        -------
        str
            The order of the learners, the test of all, and the pairs that differ.
        """
        order = self.frame()
        ranks = ", ".join(
            f"{name} {fixed(rank, 2)}" for name, rank in zip(order["learner"], order["mean_rank"])
        )
        parts = [f"Mean ranks over {self.n_data_sets} data sets: {ranks}."]
        how = self.label or f"method {self.method!r}"
        if not math.isnan(self.p_value):
            parts.append(f"{self._test_of_all} ({how}, {p_value_text(self.p_value)}).")
        if self.pair_p_values is not None:
            pairs = "; ".join(self._pairs_shown()) or "none"
            level = f"{how}, {percent(self.confidence_level)} confidence"
            parts.append(f"Pairs that differ ({level}): {pairs}.")
        return " ".join(parts)

    @property
    def _test_of_all(self) -> str:
        differ = self.p_value <= self.alpha
        return f"The learners {'differ' if differ else 'are not shown to differ'}"

    def _pairs_shown(self) -> list[str]:
        """List pairs that differ, the smallest p-value first."""
        table = self.pairs()
        return [
            f"{row.first} and {row.second} ({p_value_text(row.p_value)})"
            for row in table[table["is_shown"]].itertuples()
        ]

    def _repr_html_(self) -> str:
        """Write a card for notebooks."""
        order = self.frame()
        rows = [
            (str(name), f"mean rank {fixed(rank, 2)}")
            for name, rank in zip(
                order["learner"][:MOST_LEARNERS], order["mean_rank"][:MOST_LEARNERS]
            )
        ]
        if len(order) > MOST_LEARNERS:
            rows.append(("", f"and {count(len(order) - MOST_LEARNERS, 'more learner')}"))
        if self.pair_p_values is None:
            main = f"{self._test_of_all} ({p_value_text(self.p_value)})"
        else:
            pairs = self._pairs_shown()
            verb = "differs" if len(pairs) == 1 else "differ"
            main = f"{len(pairs):,} of {count(len(self._compared()), 'pair')} {verb}"
            if pairs:
                n_more = len(pairs) - MOST_LEARNERS
                more = [f"and {n_more:,} more"] if n_more > 0 else []
                rows.append(("pairs that differ", "; ".join([*pairs[:MOST_LEARNERS], *more])))
        if not math.isnan(self.critical_difference):
            rows.append(("critical difference", number(self.critical_difference)))
        rows += [
            ("method", self.label or self.method),
            ("confidence", percent(self.confidence_level)),
        ]
        about = f"{count(len(order), 'learner')} on {count(self.n_data_sets, 'data set')}"
        return card(about, main, rows, map(str, self.details.get("notes", ())))

    def _compared(self) -> list[tuple[int, int, float]]:
        p, c, k = self.pair_p_values, self.control, range(len(self.names))
        if p is None:
            return []
        pairs = [(i, j) for i in k for j in k if (i < j if c is None else i == c != j)]
        return [(i, j, float(p[i, j])) for i, j in pairs]

    def __repr__(self) -> str:
        return (
            f"RankingResult(n_learners={len(self.names)}, n_data_sets={self.n_data_sets}, "
            f"p_value={digits(self.p_value, 4)}, "
            f"critical_difference={digits(self.critical_difference, 4)}, method={self.method!r})"
        )


LONGEST_MEMBER = 60
"""Characters of the parameters of a configuration in a sentence."""
MOST_FAMILIES = 8
"""Families that a card for notebooks lists."""
WHAT_TO_DO = (
    "These data do not show which of them is best: take the one that is simplest or cheapest to "
    "run, or collect more {}."
)
"""Advice where several configurations may be the best."""


def _copies(params: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
    return tuple(map(dict, params))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TiedSet(Result):
    """Configurations that the data cannot distinguish from the best one.

    ``print(tied)`` gives a sentence, ``config in tied`` is True for a member, ``len(tied)``
    is the number of members, and iterating gives their indices. All scores are
    in scorer orientation: greater is better.

    Parameters
    ----------
    members : ndarray of shape (n_members,)
        Indices of the configurations in the set, ascending. `best` is one of them.
    best : int
        Configuration with the best score on all held-out predictions together.
    scores : ndarray of shape (n_configs,)
        Score of each configuration on these predictions; NaN where undefined.
    p_values : ndarray of shape (n_configs,)
        Of the hypothesis that the configuration is the best one; NaN where it has no score.
    difference, low, high : ndarray of shape (n_configs,)
        By how much a configuration is better (if negative, worse) than what selection finds,
        selection accounted for: in every draw the best configuration in-bag is taken, and
        both are scored out-of-bag. `difference` is the mean over the draws, `low` and `high`
        are bounds of its two-sided interval, for each configuration by itself.
    won : ndarray of shape (n_configs,)
        Share of draws in which the configuration, or one that predicts the same, is the best
        in-bag.
    confidence_level : float
        Promised share of data sets for which the set holds the best configuration.
    method : str
        Name of the method, for example ``"softmin"``.
    metric : str
        Name of the metric, for example ``"roc_auc"``.
    params : sequence of dict, default=()
        Parameters of each configuration; empty when they are not known.
    families : sequence of str, default=()
        Family of each configuration, by the values of some parameters; empty without `params`.
    simplest : int or None, default=None
        Simplest member; None where it was not said what is simple.
    details : mapping, default={}
        By-products: ``best_p_value`` (small where the best is shown to be better than every
        other one), ``shared`` (parameters that have one value in all members, but not in all
        configurations), ``unit``, ``n_units``, ``n_bootstraps``, ``seed``, ``notes``, ...

    Examples
    --------
    >>> from sklearn_bbc.comparison import tied_with_best
    >>> from sklearn_bbc.intervals import BBC
    >>> from sklearn_bbc.testing import example_predictions
    >>> draws = BBC(n_bootstraps=1000, random_state=0)
    >>> tied = tied_with_best(example_predictions(), "roc_auc", draws=draws)
    >>> tied.members, tied.best, 0 in tied
    (array([1, 2, 3]), 3, False)
    """

    members: np.ndarray
    best: int
    scores: np.ndarray
    p_values: np.ndarray
    difference: np.ndarray
    low: np.ndarray
    high: np.ndarray
    won: np.ndarray
    confidence_level: float
    method: str
    metric: str
    params: Sequence[Mapping[str, Any]] = ()
    families: Sequence[str] = ()
    simplest: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    _types = {
        "members": indices,
        **dict.fromkeys(("scores", "p_values", "difference", "low", "high", "won"), floats),
        "confidence_level": float,
        "best": int,
        "params": _copies,
        "families": texts,
        "details": read_only,
    }

    @property
    def n_configs(self) -> int:
        """Number of configurations that were compared, with and without a score."""
        return len(self.scores)

    @property
    def noun(self) -> str:
        """What one of them is called: a configuration, or a system that is fixed."""
        return str(self.details.get("noun", "configuration"))

    def frame(self) -> pd.DataFrame:
        """Return all configurations as a table, best score first.

        Returns
        -------
        DataFrame
            Indexed by configuration: ``param_...`` for each parameter, ``score``,
            ``difference``, ``low``, ``high``, ``p_value``, ``won``, ``family`` and ``member``.
            Of fixed systems indexed by their names, without parameters.
        """
        columns: dict[str, Any] = {}
        are_systems = self.noun == "system"
        params = () if are_systems else self.params
        for name in dict.fromkeys(name for each in params for name in each):
            values = pd.Series([each.get(name) for each in self.params], dtype=object)
            columns[f"param_{name}"] = values.infer_objects()
        columns["score"] = self.scores
        for name in ("difference", "low", "high"):
            columns[name] = getattr(self, name)
        columns |= {"p_value": self.p_values, "won": self.won}
        if self.families:
            columns["family"] = list(self.families)
        columns["member"] = np.isin(np.arange(self.n_configs), self.members)
        frame = pd.DataFrame(columns).rename_axis("config")
        if are_systems:
            names = [config_words(k, self.params) for k in range(self.n_configs)]
            frame.index = pd.Index(names, name="system")
        return frame.iloc[np.argsort(-levelled(frame["score"].to_numpy()), kind="stable")]

    def by_family(self) -> pd.DataFrame:
        """Return one row per family, the one with the best score first.

        Returns
        -------
        DataFrame
            Indexed by family: ``n_configs``, ``n_members``, ``best_config``, ``best_score``
            and, of the members, the values of the parameters that vary within the family.

        Raises
        ------
        ValueError
            If the parameters of the configurations are not known.
        """
        if not self.families:
            raise ValueError(
                "There are no families, since the parameters of the configurations are not "
                "known. Pass them as OOFPredictions(..., params=[...])."
            )
        family, member = np.array(self.families), set(self.members.tolist())
        filled = levelled(nan_loses(self.scores))
        rows = []
        for name in dict.fromkeys(self.families):
            configs = np.flatnonzero(family == name)
            best = int(configs[filled[configs].argmax()])
            chosen = [int(config) for config in configs if config in member]
            rows.append(
                {
                    "family": name,
                    "n_configs": len(configs),
                    "n_members": len(chosen),
                    "best_config": best,
                    "best_score": self.scores[best],
                    "members": _ranges(self.params, configs, chosen),
                }
            )
        frame = pd.DataFrame(rows).set_index("family")
        best_scores = frame["best_score"].to_numpy(dtype=float)
        return frame.iloc[np.argsort(-levelled(best_scores), kind="stable")]

    def summary(self) -> str:
        """Describe in one or two sentences what was found.

        Returns
        -------
        str
            How many configurations are tied with the best, by what, and the simplest.
        """
        n_scored, noun = int(np.isfinite(self.scores).sum()), self.noun
        metric = metric_words(self.metric, self.scores).name
        by = method_words(self.method).sentence
        how = f"by {metric} ({percent(self.confidence_level)} confidence, {by})"
        best = capital(self._named(self.best))
        if n_scored == 1:
            return f"{best} is the only {noun} with a score."
        if len(self) == 1:
            of_all = f"is the only one of {n_scored:,} {noun}s that may be the best"
            return f"{best} {of_all} {how}."
        those = f"{len(self):,} of {n_scored:,} {noun}s"
        text = f"{those} cannot be distinguished from the best {how}."
        if self.simplest is not None:
            text += f" The simplest of them is {self._named(self.simplest)}."
        return f"{text} {WHAT_TO_DO.format('items' if noun == 'system' else 'samples')}"

    def _repr_html_(self) -> str:
        """Write a card for notebooks."""
        words = metric_words(self.metric, self.scores)
        best = words.natural(self.scores[self.best])
        rows = [("best", f"{self._named(self.best)}: {words.name} {number(best)}")]
        if self.simplest is not None:
            rows.append(("simplest", self._named(self.simplest)))
        if self.families:
            table = self.by_family()
            members = table[table["n_members"] > 0]
            rows += [
                (str(family), f"{row['n_members']:,} of {count(row['n_configs'], self.noun)}"
                 + (f": {row['members']}" if row["members"] else ""))
                for family, row in members.head(MOST_FAMILIES).iterrows()
            ]  # fmt: skip
            if len(members) > MOST_FAMILIES:
                rest = count(len(members) - MOST_FAMILIES, "more family", "more families")
                rows.append(("", f"and {rest}"))
        n_scored = int(np.isfinite(self.scores).sum())
        return card(
            f"{self.noun.capitalize()}s that cannot be distinguished from the best",
            f"{len(self):,} of {count(n_scored, self.noun)} "
            f"({words.name}, {percent(self.confidence_level)} confidence)",
            rows,
            self.details.get("notes", ()),
        )

    def _named(self, config: int) -> str:
        return config_words(config, self.params, LONGEST_MEMBER)

    def __len__(self) -> int:
        return len(self.members)

    def __iter__(self) -> Iterator[int]:
        return iter(self.members.tolist())

    def __contains__(self, config: object) -> bool:
        return config in self.members.tolist()

    def __repr__(self) -> str:
        return (
            f"TiedSet({len(self)} of {count(self.n_configs, self.noun)}, best={self.best}, "
            f"simplest={self.simplest}, {100 * self.confidence_level:g}%, "
            f"method={self.method!r}, metric={self.metric!r})"
        )


def _ranges(params: Sequence[Mapping[str, Any]], configs: np.ndarray, members: list[int]) -> str:
    """Write the values that members have, of the parameters that vary in their family."""
    if not members:
        return ""
    names = dict.fromkeys(name for config in configs for name in params[config])
    texts = []
    for name in names:
        every = {param_value(params[config].get(name)) for config in configs}
        if len(every) < 2:
            continue
        values: list[Any] = [params[config].get(name) for config in members]
        distinct = list(dict.fromkeys(map(param_value, values)))
        name = param_name(name, names)
        numbers = all(_is_number(value) for value in values)
        if numbers and len(distinct) > 1:
            texts.append(f"{name} {param_value(min(values))} to {param_value(max(values))}")
        elif len(distinct) <= 3:
            texts.append(f"{name} {', '.join(distinct)}")
        else:
            texts.append(f"{name} {len(distinct)} values")
    return "; ".join(texts)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
