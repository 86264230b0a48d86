"""The best of several systems that are fixed, from a table of their scores per item."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm
from scipy.stats import t as student

from .._parameters import SHARE_RANGE, Number
from .._rounding import levelled
from .._text import (
    MetricWords,
    card,
    count,
    digits,
    fixed,
    method_with_draws,
    method_words,
    metric_words,
    number,
    percent,
    printed_result,
    shown,
    was_were,
)
from ._results import ComparisonResult, ConfidenceInterval, Result, floats, read_only, texts

ROWS = 12
"""Systems that are printed."""
MOST_SYSTEMS_NAMED = 3
"""Systems with missing scores that a sentence names."""
MOST_UNITS = 10**12
"""Items beyond which no number is given."""
WHAT_OF_MISSING = {
    "raise": "",
    "drop_items": "Items of which some system lacks a score or a run were left out",
    "drop_runs": "Items were scored by the runs that there are",
    "zero": "Scores and runs that are missing count as 0",
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BestOfResult(Result):
    """The system with the best mean score, corrected for its selection, and all others.

    ``print(result)`` shows a table and the sentences of `summary`. Arrays are in the order of
    `names` and in scorer orientation, greater is better: losses are negative. `frame` and what is
    printed have them as they were given.

    Parameters
    ----------
    names : tuple of str
        The systems.
    selected : str
        The system with the best mean score.
    interval : ConfidenceInterval
        Its mean score on new items, corrected for the selection.
    tied : tuple of str
        Systems that may be the best, the one with the best score first.
    scores, low, high : ndarray of shape (n_systems,)
        Mean score of each system with an interval for it alone, as if nothing had been selected.
    p_values : ndarray of shape (n_systems,)
        Of the hypothesis that the system is the best one.
    won : ndarray of shape (n_systems,)
        Share of the draws of items in which the system has the best mean score.
    smallest_difference : float
        Difference of two systems that these items would show with a probability of 80%.
    versus_runner_up : ComparisonResult or None, default=None
        The selected system against the best of the others, with both selections repeated; None
        where there is only one.
    baseline : str or None, default=None
        System that all others are compared with.
    versus_baseline : ComparisonResult or None, default=None
        The best of the other systems against the baseline, with the selection repeated.
    difference, difference_low, difference_high, difference_p : ndarray of shape (n_systems,) or \
            None, default=None
        By how much each system is better than the baseline, with joint intervals: all of them
        hold at once in the promised share of data sets. NaN for the baseline itself.
    details : mapping, default={}
        By-products: ``n_items``, ``unit``, ``n_units``, ``tied_method``, ``power``, ``notes``;
        ``n_dropped``, how many systems a `SequentialBestOf` dropped before; ``n_missing``, how
        many scores or runs each system lacked, and ``missing``, what was done about them;
        ``tool`` and ``tool_scores``, the means that a tool shows itself.
        With ``human=`` also ``judge``: ``is_used`` (whether it clearly tells more than chance
        would), ``n_items`` (of the judge), ``n_labelled`` (items that people scored), and by
        system ``n_labels``, ``lam``, ``variance`` (of scores of people) and ``explained`` (the
        part of it that the judge tells); ``n_labelled_units`` (items or groups, of the system
        with the fewest).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import best_of
    >>> rng = np.random.default_rng(0)
    >>> right = rng.random((200, 3)) < [0.4, 0.6, 0.7]
    >>> result = best_of(right, names=["a", "b", "c"], random_state=0)
    >>> result.selected, result.tied
    ('c', ('c', 'b'))
    >>> result.frame()[["score", "low", "high", "tied"]].round(2)
            score   low  high   tied
    system
    c        0.68  0.62  0.75   True
    b        0.60  0.53  0.66   True
    a        0.35  0.29  0.42  False
    """

    _drawn_by = "SystemsDisplay.from_results({})"

    names: tuple[str, ...]
    selected: str
    interval: ConfidenceInterval
    tied: tuple[str, ...]
    scores: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_values: np.ndarray
    won: np.ndarray
    smallest_difference: float
    versus_runner_up: ComparisonResult | None = None
    baseline: str | None = None
    versus_baseline: ComparisonResult | None = None
    difference: np.ndarray | None = None
    difference_low: np.ndarray | None = None
    difference_high: np.ndarray | None = None
    difference_p: np.ndarray | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    _types = {
        **dict.fromkeys(("names", "tied"), texts),
        **dict.fromkeys(
            ("scores", "low", "high", "p_values", "won", "difference", "difference_low",
             "difference_high", "difference_p"),
            floats,
        ),
        "smallest_difference": float,
        "details": read_only,
    }  # fmt: skip

    @property
    def words(self) -> MetricWords:
        """Printed name and sign of the mean score."""
        return metric_words(self.interval.metric, sign=self.interval.details.get("sign"))

    def frame(self) -> pd.DataFrame:
        """Return all systems as a table, the best one first.

        Returns
        -------
        DataFrame
            Indexed by system: ``score``, ``low`` and ``high`` (the interval for this system
            alone) as they were given, ``won``, ``p_value`` (of being the best) and ``tied``; with
            a baseline also ``difference``, ``difference_low``, ``difference_high`` and
            ``difference_p``, positive where the system is better. Where scores or runs were
            missing, ``missing`` is how many the system lacked. Where a tool has a mean of its
            own, that is ``tool_score``.
        """
        ends = self.low, self.high
        low, high = ends if not self.words.is_loss else (-ends[1], -ends[0])
        columns: dict[str, Any] = {
            "score": 0.0 - self.scores if self.words.is_loss else self.scores,
            "low": low,
            "high": high,
            "won": self.won,
            "p_value": self.p_values,
            "tied": [name in set(self.tied) for name in self.names],
        }
        if self.baseline is not None:
            for name in ("difference", "difference_low", "difference_high", "difference_p"):
                columns[name] = getattr(self, name)
        if n_missing := self.details.get("n_missing"):
            columns["missing"] = [n_missing.get(name, 0) for name in self.names]
        if tool_scores := self.details.get("tool_scores"):
            columns["tool_score"] = [tool_scores.get(name, np.nan) for name in self.names]
        frame = pd.DataFrame(columns, index=pd.Index(self.names, name="system"))
        order = np.argsort(-levelled(self.scores), kind="stable")
        return frame.iloc[order]

    def summary(self) -> str:
        """Write the result in a few sentences, as a paper would.

        Returns
        -------
        str
            The best score and the corrected one with its interval, how many systems may be the
            best, the comparison with the baseline or the next system, and how large a difference
            these items can show.
        """
        words, n, level = self.words, len(self.names), percent(self.interval.confidence_level)
        best = float(self.scores[self.names.index(self.selected)])
        printed = printed_result(words, self.interval, [best])
        items = count(self.details["n_items"], "item")
        if self.details["unit"] == "group":
            items += f" in {count(self.details['n_units'], 'group')}"
        how = method_with_draws(self.interval)
        if n == 1:
            judged = f", {self._judged()}," if self._is_judged else ""
            return (
                f"On {items} {self.selected} has a {words.name}{judged} of {printed.others[0]} "
                f"({printed.interval()}; {how}).{self._by_tool()}{self._missing()} {self._alone()}"
            )
        n_dropped = self.details.get("n_dropped", 0)
        left = f" that are left of {n + n_dropped:,}" if n_dropped else ""
        sentences = [
            f"Of {n:,} systems{left}, {self.selected} has the best {words.name} on {items}, "
            f"{printed.others[0]}{' once the judge is corrected' * self._is_judged}. "
            f"{self._corrected()} it is {printed.estimate} "
            f"({printed.interval()}; {how}).{self._by_tool()}{self._missing()}"
        ]
        by = method_words(self.details["tied_method"]).sentence
        if len(self.tied) == 1:
            sentences.append(
                f"It is the only one of them that may be the best ({level} confidence, {by})."
            )
        else:
            sentences.append(
                f"{len(self.tied):,} of {n:,} systems may be the best ({level} confidence, {by})."
            )
        for result in (self.versus_baseline, self.versus_runner_up):
            if result is not None:
                sentences.append(result.summary())
                break
        if self.smallest_difference > 0:  # not without any spread, and not NaN
            (small,) = shown(self.smallest_difference)
            sentences.append(
                f"With these items a difference of {small} between two systems would be found "
                f"with a probability of {percent(self.details['power'])}."
            )
        return " ".join(sentences)

    def _alone(self) -> str:
        """Write why only one system is there."""
        if n_dropped := self.details.get("n_dropped"):
            others = count(n_dropped, "other system")
            return f"It is the one that is left: {others} {was_were(n_dropped)} dropped before."
        return "No other system was compared with it."

    @property
    def _is_judged(self) -> bool:
        """Whether scores of a judge count."""
        return "judge" in self.details and bool(self.details["judge"]["is_used"])

    def _judged(self) -> str:
        """Write by whom the items were scored, where there was a judge."""
        labels = count(self.details["judge"]["n_labelled"], "human label")
        if not self._is_judged:
            reason = "since the judge does not clearly tell more than chance"
            return f"by {labels} alone, {reason}, corrected"
        return f"judged by a model, corrected by {labels}"

    def _corrected(self) -> str:
        """Write what the score is corrected for."""
        if "judge" not in self.details:
            return "Corrected for the selection among them"
        judged = self._judged()
        both = " and" * self._is_judged
        return f"{judged[0].upper()}{judged[1:]}{both} for the selection,"

    def labels_for(self, width: float) -> int:
        """Compute how many items people must score for an interval of some width.

        Only after a call with ``human=``, for as many items as the judge scored here.

        Parameters
        ----------
        width : float
            Width of the interval of the corrected score.

        Returns
        -------
        int
            Number of items, with those that people scored already. From few labels it is rough.

        Raises
        ------
        ValueError
            If no judge was corrected, or that width takes more items than there are.

        See Also
        --------
        sklearn_bbc.planning.samples_for_width : How many items, where people score all of them.

        Notes
        -----
        With v, the variance of the scores of people of the selected system, and the part r of it
        that the judge tells, the variance of a mean with n labels on N items is
        ``v (1 - r) / n + v r / N``. Widths are as its root, with Student's quantile of as many
        labels.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_bbc import best_of
        >>> rng = np.random.default_rng(0)
        >>> right = rng.random((1000, 3)) < [0.5, 0.6, 0.7]
        >>> judge = np.where(rng.random((1000, 3)) < 0.9, right, ~right)
        >>> human = np.where(np.arange(1000)[:, None] < 100, right, np.nan)
        >>> result = best_of(judge, human=human, random_state=0)
        >>> n_labels = result.labels_for(result.interval.width / 1.2)
        >>> 144 < n_labels < 400  # more than 100 * 1.2 ** 2: the noise of all items stays
        True
        """
        judge = self.details.get("judge")
        if judge is None:
            raise ValueError(
                "labels_for needs a judge that people corrected: best_of(judge, human=...). For "
                "the number of items see sklearn_bbc.planning.samples_for_width."
            )
        if not (isinstance(width, Real) and 0 < width < np.inf):
            raise ValueError(f"width must be a positive number, got {width!r}.")
        n_items, now = judge["n_items"], judge["n_labels"][self.selected]
        total, told = judge["variance"][self.selected], judge["explained"][self.selected]
        units_of_label = judge["n_labelled_units"] / min(judge["n_labels"].values())
        tail = (1 - self.interval.confidence_level) / 2

        def size(n: int | np.ndarray) -> Any:
            variance = (total - told) / n + told / n_items
            return np.sqrt(variance) * student.isf(tail, np.maximum(units_of_label * n - 1, 1))

        if not self.interval.width > 0 or not total > 0:
            raise ValueError("The interval has no width: every score of a person is the same.")
        n_labels = np.arange(min(2, n_items), n_items + 1)
        widths = self.interval.width * size(n_labels) / size(now)
        enough = np.flatnonzero(widths <= width * (1 + 1e-12))
        if not len(enough):
            raise ValueError(
                f"width={width:g} takes more items: with scores of people on all {n_items:,} the "
                f"interval is still some {shown(float(widths[-1]))[0]} wide."
            )
        return int(n_labels[enough[0]])

    def _missing(self) -> str:
        """Write which systems lack most scores or runs, where items were left out for that."""
        n_missing = Counter(self.details.get("n_missing", {}))
        what = WHAT_OF_MISSING[self.details.get("missing", "drop_items")]
        named = [f"{name} {n:,}" for name, n in n_missing.most_common(MOST_SYSTEMS_NAMED) if n]
        if not named:
            return ""
        more = ", ..." * (sum(map(bool, n_missing.values())) > MOST_SYSTEMS_NAMED)
        return f" {what}; most are lacked by {', '.join(named)}{more}."

    def _by_tool(self) -> str:
        """Write the score that a tool shows for the selected system."""
        own = self.details.get("tool_scores", {}).get(self.selected)
        if own is None:
            return ""
        return f" The mean that {self.details['tool']} has for it is {fixed(own)}."

    def items_for(self, difference: float, *, power: float = 0.8) -> int:
        """Compute how many items would show a difference of two systems.

        Parameters
        ----------
        difference : float
            Difference of the mean scores of two systems that shall be found, such as 0.03.
        power : float in (0, 1), default=0.8
            Probability of finding it.

        Returns
        -------
        int
            Number of items of this kind, each run as often as here. With groups, items in groups
            of the size they have here; of a judge, people score the same part of them as here.

        Raises
        ------
        ValueError
            If `difference` is not positive, `power` is not between 0 and 1, or the scores of
            these systems say nothing about the spread of their differences.

        See Also
        --------
        sklearn_bbc.samples_for_power : By studies of another size, drawn from the scores.

        Notes
        -----
        The same formula as that of ``smallest_difference``: a two-sided paired t test of n items
        finds ``(t + z) s / sqrt(n)``, where s is the median standard deviation of the differences
        here, t the quantile with n - 1 degrees of freedom and z that of the power. The test is of
        one pair that was named beforehand, at the level of ``interval``.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_bbc import best_of
        >>> right = np.random.default_rng(0).random((200, 3)) < [0.4, 0.6, 0.7]
        >>> result = best_of(right, random_state=0)
        >>> round(result.smallest_difference, 2), result.items_for(0.03)
        (0.13, 4001)
        """
        Number(above=0).check("difference", difference)
        SHARE_RANGE.check("power", power)
        units, items = self.details["n_units"], self.details["n_items"]
        tail = (1 - self.interval.confidence_level) / 2
        n_labelled = self.details.get("judge", {}).get("n_labelled_units", units)

        def quantiles(n: int, power: float) -> float:
            degrees = max(n * n_labelled / units - 1, 1)
            return float(student.isf(tail, degrees) + norm.ppf(power))

        if not self.smallest_difference > 0:
            raise ValueError(
                "The scores show no spread of differences between systems, so nothing can be said "
                "about the number of items."
            )
        one = self.smallest_difference / quantiles(units, self.details["power"]) * units**0.5

        def is_found(n: int) -> bool:
            return quantiles(n, power) * one <= difference * n**0.5 * (1 + 1e-9)  # rounding

        low, high = 2, 4  # groups, else items
        while not is_found(high):
            low, high = high, 2 * high
            if high > MOST_UNITS:
                raise ValueError(
                    f"difference={difference!r} would take more than {MOST_UNITS:,} items: ask "
                    "for a difference that matters."
                )
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_found(middle) else (middle, high)
        return math.ceil(high * items / units - 1e-9)

    def table(self) -> str:
        """Write the systems with the best scores as text.

        Returns
        -------
        str
            A row for each, and how many more there are.
        """
        frame = self.frame()
        shortened = frame.head(ROWS).rename(columns={"tied": "may be best"})
        shortened = shortened.drop(columns=["p_value"])
        text = shortened.to_string(float_format=fixed)
        n_more = len(frame) - len(shortened)
        return text + (
            f"\n... and {count(n_more, 'more system', 'more systems')}" if n_more else ""
        )

    def __str__(self) -> str:
        notes = "".join(f"\n\nNote: {note}" for note in self.details.get("notes", ()))
        return f"{self.table()}\n\n{self.summary()}{notes}"

    def _repr_html_(self) -> str:
        """Write a card for notebooks."""
        words, printed = self.words, printed_result(self.words, self.interval)
        best = words.natural(float(self.scores[self.names.index(self.selected)]))
        rows = [
            ("best score", number(best)),
            ("corrected", printed.cell()),
            ("may be the best", f"{len(self.tied):,} of {count(len(self.names), 'system')}"),
        ]
        if self.versus_baseline is not None:
            rows.append(("baseline", self.versus_baseline.effect))
        return card("Best of several systems", self.selected, rows, self.details.get("notes", ()))

    def __repr__(self) -> str:
        return (
            f"BestOfResult({len(self.names)} systems, selected={self.selected!r}, "
            f"estimate={digits(self.interval.estimate, 4)}, low={digits(self.interval.low, 4)}, "
            f"high={digits(self.interval.high, 4)}, {len(self.tied)} tied)"
        )
