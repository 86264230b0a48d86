"""Base of results; one interval, one comparison."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from .._notes import as_note
from .._text import (
    MetricWords,
    PrintedScore,
    below_median_sentences,
    capital,
    card,
    count,
    digits,
    drawn_units,
    is_usual_positive,
    method_with_draws,
    metric_words,
    p_value_text,
    printed_score,
    result_words,
    shown,
    threshold_sentences,
)
from .._utils import same


def frozen_array(values: Any, dtype: Any = None) -> np.ndarray:
    """Return a read-only view of `values`; the caller's own array keeps its flags."""
    array = np.asarray(values, dtype=dtype).view()
    array.flags.writeable = False
    return array


def read_only(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Make a read-only copy of a mapping."""
    return MappingProxyType(dict(values))


floats = partial(frozen_array, dtype=float)
indices = partial(frozen_array, dtype=np.intp)


def texts(values: Sequence[Any]) -> tuple[str, ...]:
    """Make a tuple of texts, which keep their kinds."""
    return tuple(map(as_note, values))


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """Base of results: fields in their type, read-only; equality by content, hash, pickling."""

    _types: ClassVar[Mapping[str, Callable[[Any], Any]]]
    """Field -> conversion to its type; None stays None where it is the default."""
    _drawn_by: ClassVar[str] = ""
    """Display that draws it, with a place for the name of the result."""

    def __getattr__(self, name: str) -> Any:
        text = f"{type(self).__name__} has no attribute {name!r}."
        if name in ("plot", "draw", "show") and self._drawn_by:
            text += f" sklearn_bbc.display.{self._drawn_by.format('result')}.plot() draws it."
        raise AttributeError(text, name=name, obj=self)

    def __post_init__(self) -> None:
        optional = {f.name for f in fields(self) if f.default is None}
        for name, of_type in self._types.items():
            value = getattr(self, name)
            if value is not None or name not in optional:
                object.__setattr__(self, name, of_type(value))

    def to_dict(self) -> dict[str, Any]:
        """Return all fields but the draws as a plain dictionary.

        Returns
        -------
        dict
            One entry per field, `details` included, `draws` left out for its size.
        """
        result = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "draws"}
        return {**result, **self._plain_mappings()}

    def _plain_mappings(self) -> dict[str, Any]:
        return {k: dict(v) for k, v in vars(self).items() if isinstance(v, MappingProxyType)}

    def __str__(self) -> str:
        return str(getattr(self, "summary", self.__repr__)())

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    # Of what cannot be NaN: NaN equals NaN here, but not every NaN has the same hash.
    def __hash__(self) -> int:
        return hash(tuple(value for value in vars(self).values() if isinstance(value, str)))

    # A mapping proxy cannot be pickled, and unpickled arrays come back writeable.
    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), **self._plain_mappings()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.__post_init__()


class Bounded(Result):
    """Base of results with one interval: they iterate as ``(low, high)``."""

    low: float
    high: float

    @property
    def width(self) -> float:
        """Distance between the bounds, in the scorer's unit."""
        return self.high - self.low

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        return bool(self.low <= value <= self.high)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ComparisonResult(Bounded):
    """The difference of two scores, with its interval and its p-value.

    Iterates as ``(low, high)``, and ``value in result`` is True when the interval holds
    a difference. The difference is the first side's score minus the second's, in scorer
    orientation: positive where the first is better, for losses too. ``print(result)`` gives a
    sentence.

    Parameters
    ----------
    difference : float
        Estimated difference, in the scorer's unit.
    low, high : float
        Bounds of its interval; with ``alternative="greater"`` `high` is the largest
        difference that the metric allows, with ``"less"`` `low` the smallest. NaN when the
        method gives no interval.
    statistic : float
        Test statistic; NaN for methods without one.
    p_value : float
        Of the hypothesis that there is no difference, against `alternative`; NaN for methods
        that give no p-value, such as Bayesian ones.
    confidence_level : float
        Promised share of data sets for which the interval holds the true difference.
    alternative : {"two-sided", "greater", "less"}
        What speaks against the hypothesis, in scipy's words: ``"greater"`` is that the first
        side is better, and keeps only the lower bound.
    method : str
        Name of the method, for example ``"paired_t"``.
    metric : str
        Name of the metric, for example ``"roc_auc"``.
    estimand : str
        What is being compared, in words.
    names : tuple of (str, str)
        The two sides, first and second.
    assumptions : tuple of str, default=()
        What the result rests on, a sentence each.
    label : str, default=""
        The method in a sentence, for example ``"paired t test"``; empty takes `method`.
    n_bootstraps : int or None, default=None
        Number of draws; None for methods without draws.
    draws : ndarray of shape (n_draws,) or None, default=None
        Distribution of the difference over the draws.
    details : mapping, default={}
        By-products: ``scores`` (of both sides), ``unit``, ``seed``, ``notes``, ... Where a
        number is NaN, ``reason`` says why; ``sentence`` ends the summary. Where `compare` chose
        the method, ``why`` says why.

    Examples
    --------
    >>> from sklearn_bbc.results import ComparisonResult
    >>> result = ComparisonResult(
    ...     difference=0.031, low=0.01, high=0.052, statistic=2.9, p_value=0.004,
    ...     confidence_level=0.95, alternative="two-sided", method="paired_t", metric="accuracy",
    ...     estimand="difference of two models", names=("forest", "tree"), label="paired t test",
    ... )
    >>> print(result)
    forest is better than tree by 0.031 in accuracy (95% confidence interval 0.010 to 0.052, \
p = 0.004, paired t test).
    >>> low, high = result
    >>> 0.0 in result
    False
    """

    difference: float
    low: float
    high: float
    statistic: float
    p_value: float
    confidence_level: float
    alternative: str
    method: str
    metric: str
    estimand: str
    names: tuple[str, str]
    assumptions: tuple[str, ...] = ()
    label: str = ""
    n_bootstraps: int | None = None
    draws: np.ndarray | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    _types = {
        **dict.fromkeys(
            ("difference", "low", "high", "statistic", "p_value", "confidence_level"), float
        ),
        "names": texts,
        "assumptions": texts,
        "draws": floats,
        "details": read_only,
    }

    @property
    def is_shown(self) -> bool:
        """Whether the data show a difference of the kind that `alternative` names.

        By the p-value, at one minus the confidence level; without a p-value by whether the
        interval excludes zero.
        """
        if not math.isnan(self.p_value):
            return self.p_value <= 1 - self.confidence_level
        return self.low > 0 or self.high < 0

    @property
    def effect(self) -> str:
        """Effect in words."""
        first, second = self.names
        name, printed = self._metric_words.name, self._printed()
        if math.isnan(self.difference):
            return f"{first} and {second} cannot be compared by {name}"
        if self.is_shown:
            word = "better" if self.difference > 0 else "worse"
            return f"{first} is {word} than {second} by {printed.estimate} in {name}"
        what = {"greater": f"{first} is not shown to be better than {second}",
                "less": f"{first} is not shown to be worse than {second}"}  # fmt: skip
        none = f"no difference between {first} and {second} is shown"
        sign = "" if printed.estimate.startswith("-") or not self.difference else "+"
        return (
            f"{what.get(self.alternative, none)}: {first} minus {second} is "
            f"{sign}{printed.estimate} in {name}"
        )

    @property
    def _metric_words(self) -> MetricWords:
        scores = self.details.get("scores", ())
        return metric_words(self.metric, scores if np.ndim(scores) == 1 else ())

    def _printed(self) -> PrintedScore:
        """Write the difference: an advantage where one is shown, else with its sign.

        Where the first side is shown to be worse, the amount and its bounds are turned; where
        nothing is shown, they are the first side's score minus the second's as people print
        scores, so for a loss they are turned, too.
        """
        turned = self.difference < 0 if self.is_shown else self._metric_words.is_loss
        return printed_score(
            MetricWords(self.metric, -1 if turned else 1),
            self.difference,
            self.low,
            self.high,
            confidence_level=self.confidence_level,
            alternative=self.alternative,
            kind=self.details.get("interval", "confidence interval"),
        )

    def summary(self) -> str:
        """Describe in one sentence what was found, and how.

        Returns
        -------
        str
            The effect, the interval, the p-value and the method. Where a difference is shown,
            its size and the interval count how much better (or worse) the first side is.
        """
        how = self.label or f"method {self.method!r}"
        if self.n_bootstraps is not None:
            units, way = drawn_units(self.details), self.details.get("draws")
            # Of another way than draws of samples its name is said.
            n = f"{self.n_bootstraps:,}"
            how += f", {f'{n} draws' if way is None else f'{way}: {n}'} of {units}"
        parts = [self._printed().interval()]
        if not math.isnan(self.p_value):
            parts.append(p_value_text(self.p_value))
        effect = capital(self.effect)
        more = self.details.get("sentence", "")
        return f"{effect} ({', '.join([*parts, how])})." + (f" {more}" if more else "")

    def frame(self) -> pd.DataFrame:
        """Tabulate the result.

        Returns
        -------
        DataFrame
            One row: the names of both sides (``first``, ``second``), the metric, the scores of
            both where they are known (``score_first``, ``score_second``; of `BBCDifference`
            corrected for the selection, as in ``details["scores"]``), the difference with
            its bounds, ``p_value``, ``confidence_level``, ``alternative`` and ``method``, in
            scorer orientation. Several results are put below each other by `pandas.concat`.

        Examples
        --------
        >>> from sklearn_bbc import compare
        >>> from sklearn_bbc.testing import example_predictions
        >>> oof = example_predictions()
        >>> y, scores = oof.y_true, oof.matrix("roc_auc")
        >>> result = compare(scores[:, 3], scores[:, 0], "roc_auc", y_true=y)
        >>> result.frame()[["first", "second", "difference", "p_value"]].round(3)
           first  second  difference  p_value
        0  first  second        0.15    0.028
        """
        scores = self.details.get("scores", ())
        one, other = scores if np.shape(scores) == (2,) else (math.nan, math.nan)
        row = {
            "first": self.names[0], "second": self.names[1], "metric": self.metric,
            "score_first": float(one), "score_second": float(other),
        }  # fmt: skip
        names = ("difference", "low", "high", "p_value", "confidence_level", "alternative",
                 "method")  # fmt: skip
        return pd.DataFrame([{**row, **{name: getattr(self, name) for name in names}}])

    def _repr_html_(self) -> str:
        """Write a card for notebooks."""
        words, printed = self._metric_words, self._printed()
        rows = [("interval", printed.interval())]
        if not math.isnan(self.p_value):
            rows.append(
                ("p-value", p_value_text(self.p_value).removeprefix("p ").removeprefix("= "))
            )
        rows.append(("method", self.label or self.method))
        scores = self.details.get("scores", ())
        if np.shape(scores) == (2,):
            rows += [
                (f"{words.name}, {name}", text)
                for name, text in zip(self.names, shown(*map(words.natural, scores)))
            ]
        return card(
            f"Comparison of {self.names[0]} and {self.names[1]}",
            capital(self.effect),
            rows,
            self.details.get("notes", ()),
        )

    def __repr__(self) -> str:
        level = f"{100 * self.confidence_level:g}%"
        return (
            f"ComparisonResult({self.names[0]!r} - {self.names[1]!r}, "
            f"difference={digits(self.difference, 4)}, low={digits(self.low, 4)}, "
            f"high={digits(self.high, 4)}, p_value={digits(self.p_value, 4)}, "
            f"{level} {self.alternative}, method={self.method!r}, metric={self.metric!r})"
        )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ConfidenceInterval(Bounded):
    """An estimate of a score with the interval around it.

    Iterates as ``(low, high)``, so ``low, high = result`` works, and ``value in result``
    is True when the interval holds the value. All scores are in scorer orientation:
    greater is better, losses are negative, exactly as in ``cv_results_``.

    Parameters
    ----------
    estimate : float
        Point estimate of the score, in the scorer's unit; NaN where it would be infinite.
    low, high : float
        Bounds of the interval. With ``alternative="greater"``, `high` is the largest
        value the metric can take; with ``"less"``, `low` is the smallest. NaN when the
        method gives no interval.
    confidence_level : float
        Promised share of data sets for which the interval holds the true score.
    alternative : {"two-sided", "greater", "less"}
        Sidedness, in scipy's words: ``"greater"`` keeps only the lower bound.
    method : str
        Name of the method, for example ``"bbc"``.
    metric : str
        Name of the metric, for example ``"roc_auc"``.
    estimand : str
        What is being estimated, in words.
    n_bootstraps : int or None, default=None
        Number of draws behind the interval; None for methods without draws.
    draws : ndarray of shape (n_draws,) or None, default=None
        Distribution of the score over the draws.
    details : mapping, default={}
        By-products: winner and ``winner_name``, n_redrawn, n_undefined, unit, seed, ... No result
        lies beyond the metric's range: where a formula went there, ``unclipped`` has both
        bounds as they were before they were cut, and ``unclipped_estimate`` the estimate.
        Where the estimate or a bound is NaN, or a bound of two infinite, ``reason`` says why.
        Where the interval has no width, ``no_width`` says what the data can exclude, and
        ``exact_bounds`` are binomial bounds if the score is a share of samples. Metrics that
        treat two classes apart have the ``positive_class``, losses a ``sign`` of -1.

    Notes
    -----
    Two results are equal when all their fields hold the same, `draws` and `details` included,
    with NaN equal to NaN; so a result equals its unpickled copy. It can be hashed.

    Examples
    --------
    >>> from sklearn_bbc import ConfidenceInterval
    >>> result = ConfidenceInterval(
    ...     estimate=0.9, low=0.84, high=0.95, confidence_level=0.95,
    ...     alternative="two-sided", method="bbc", metric="roc_auc", estimand="winner",
    ... )
    >>> low, high = result
    >>> low, high
    (0.84, 0.95)
    >>> 0.9 in result, 0.99 in result
    (True, False)
    """

    estimate: float
    low: float
    high: float
    confidence_level: float
    alternative: str
    method: str
    metric: str
    estimand: str
    n_bootstraps: int | None = None
    draws: np.ndarray | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    _types = {
        **dict.fromkeys(("estimate", "low", "high", "confidence_level"), float),
        "draws": floats,
        "details": read_only,
    }

    def _repr_html_(self) -> str:
        """Write a card for notebooks."""
        words, printed = printed_with_words(self)
        method = result_words(self).short
        if "error" in self.details:
            rows = [("method", method), ("why", str(self.details["error"]))]
            return card(words.name, "no interval could be computed", rows)
        rows = [("interval", printed.interval()), ("method", method)]
        rows.append(("about", self.estimand))
        if "winner_name" in self.details:
            rows.append(("selected", self.details["winner_name"]))
        if "tuned_by" in self.details:
            rows.append(("as if tuned by", metric_words(self.details["tuned_by"]).name))
        if self.n_bootstraps is not None:
            drawn = f"{count(self.n_bootstraps, 'draw')} of {drawn_units(self.details)}"
            rows.append(("draws", drawn))
        positive = self.details.get("positive_class")
        if positive is not None and not is_usual_positive(positive):
            rows.append(("positive class", repr(positive)))
        if not math.isnan(self.estimate) and words.is_loss:
            rows.append(("scale", "smaller is better"))
        notes = [str(note) for note in self.details.get("notes", ())]
        return card(words.name, printed.cell(), rows, notes)

    def summary(self) -> str:
        """Write the result in a few sentences.

        Returns
        -------
        str
            Estimate and interval, the method with its draws, what is estimated, the selected
            configuration, and what a reader of the interval must know.

        Examples
        --------
        >>> from sklearn_bbc import BBC
        >>> from sklearn_bbc.testing import example_predictions
        >>> BBC(random_state=0).estimate(example_predictions(), "roc_auc").summary()[:81]
        'Corrected for the selection among 4 configurations by bootstrap bias correction ('
        """
        words, printed = printed_with_words(self)
        if "error" in self.details:
            return f"No interval of the {words.name} could be computed: {self.details['error']}"
        begin = "Estimated"
        if "won" in self.details and self.details.get("n_valid") != 1:
            noun = self.details.get("noun", "configuration")
            tried = count(self.details["n_configs"], noun)
            begin = f"Corrected for the selection among {tried}"
        how = method_with_draws(self, self.details.get("seed"))
        if self.details.get("selection_accounted_for") is False:
            how += ", which does not account for the selection"
        sentences = [
            f"{begin} by {how}, the {words.name} is {printed.estimate} ({printed.interval()})."
        ]
        sentences.append(f"It estimates the {self.estimand}.")
        if "winner_name" in self.details and self.details.get("n_configs", 1) > 1:
            sentences.append(f"The selected one is {self.details['winner_name']}.")
        for name in ("no_width", "why_better"):
            sentences += [self.details[name]] if name in self.details else []
        sentences += below_median_sentences(self.details)
        return " ".join([*sentences, *threshold_sentences(self.details)])

    def __repr__(self) -> str:
        level = f"{100 * self.confidence_level:g}%"
        winner, notes = self.details.get("winner_name"), self.details.get("notes", ())
        more = [] if winner is None else [f"winner={winner!r}"]
        more += [f"{count(len(notes), 'note')} in details['notes']"] if len(notes) else []
        parts = [
            f"low={digits(self.low, 4)}", f"high={digits(self.high, 4)}",
            f"estimate={digits(self.estimate, 4)}",
            f"{level} {self.alternative}", f"method={self.method!r}", f"metric={self.metric!r}",
        ]  # fmt: skip
        if "tuned_by" in self.details:
            parts.append(f"tuned_by={self.details['tuned_by']!r}")
        return f"ConfidenceInterval({', '.join([*parts, *more])})"


def printed_with_words(
    result: ConfidenceInterval, others: Sequence[float] = ()
) -> tuple[MetricWords, PrintedScore]:
    """Return the name of the metric and the texts of the scores, `others` too."""
    scores = (result.estimate, result.low, result.high, *others)
    words = metric_words(result.metric, scores, result.details.get("sign"))
    return words, printed_score(
        words, result.estimate, result.low, result.high,
        confidence_level=result.confidence_level, alternative=result.alternative, others=others,
    )  # fmt: skip
