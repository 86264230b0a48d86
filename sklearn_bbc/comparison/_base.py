"""Sides of a comparison, what makes them comparable, and the base of all comparisons."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

import numpy as np
from scipy.stats import norm, t
from sklearn.base import BaseEstimator

from .._lazy import whole
from .._notes import warned, without_kind
from .._parameters import Number, Text, check_parameters
from .._rounding import TERMS, rounding, without_rounding
from .._text import config_words, count, of_systems
from .._utils import (
    did_you_mean,
    explain_init,
    got,
    is_integer,
    register,
    same,
    suppress_fp_warnings,
)
from ..contest._blocks import block_details, contributions, with_block_length_by
from ..contest._contest import Contest
from ..contest._notes import caveats, noun_of, unit_of
from ..contest._question import (
    Question,
    check_known,
    check_metric_fits,
    check_needs,
    check_oof,
    check_pointwise,
    instead_of,
    metric_for,
)
from ..exceptions import UndefinedIntervalError
from ..intervals._base import (
    IntervalRules,
    OrderStatistic,
    QuantileRule,
    halve_ties,
    smallest_level,
)
from ..intervals._normal_draws import MetricOfMoments
from ..intervals._notes import SAME_SCORES, no_spread
from ..intervals._single_base import NOT_ACCOUNTED
from ..metrics._alike import as_one, rows_alike
from ..metrics._consumed import Unbound
from ..metrics._metric import Metric
from ..predictions._parts import arguments_of_fields, fields_of_part
from ..predictions._predictions import OOFPredictions, predictions_of_rows, taken
from ..predictions._validation import in_other_order, same_metadata
from ..results._results import ComparisonResult, ConfidenceInterval
from ..selection._base import Selection, as_selection

ROPE = Number(
    least=0,
    hint="It is in the unit of the metric: 0.01 calls accuracies equivalent that differ by at "
    "most one per cent.",
)
"""Differences that count as none."""


def with_settings(method: Any, **settings: Any) -> Any:
    """Set the parameters that a method has, and return it."""
    known = method.get_params(deep=False)
    return method.set_params(**{name: v for name, v in settings.items() if name in known})


LONGEST_NAME = 60
"""Characters of the parameters of a configuration in a name."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Side:
    """One side of a comparison: one configuration, or what tuning selects among several.

    Parameters
    ----------
    oof : OOFPredictions
        Its predictions, or scores per fold alone.
    config : int or None, default=None
        One configuration, fixed beforehand. None is what tuning selects: the only
        configuration where there is one.
    name : str, default=""
        Name in results and sentences; empty makes one.
    selection : Selection or None, default=None
        Rule by which tuning selects, where that is not the best score.

    Examples
    --------
    >>> from sklearn_bbc.comparison import Side
    >>> from sklearn_bbc.testing import example_predictions
    >>> Side(oof=example_predictions(), config=2, name="forest").is_tuned
    False
    """

    oof: OOFPredictions
    config: int | None = None
    name: str = ""
    selection: Selection | None = None

    def __post_init__(self) -> None:
        check_oof(self.oof)
        Text().check("name", self.name)
        as_selection(self.selection)
        last = self.oof.n_configs - 1
        if self.config is not None and not (is_integer(self.config, 0) and self.config <= last):
            raise ValueError(
                f"config must be the index of a configuration, 0 to {last}, or None for what "
                f"tuning selects, got {self.config!r}."
            )

    @property
    def is_tuned(self) -> bool:
        """Whether the side is what tuning selects among several configurations."""
        return self.config is None and self.oof.n_configs > 1

    @property
    def described(self) -> str:
        """Name of the side: its own, or the configuration."""
        if self.name:
            return self.name
        if self.is_tuned and self.oof.score_sign is not None:
            return f"the best of {self.oof.n_configs} systems"
        if self.is_tuned:
            return f"the winner of {count(self.oof.n_configs, 'configuration')}"
        config = 0 if self.config is None else self.config
        return config_words(config, self.oof.params, LONGEST_NAME)

    def open(self, metric: Metric) -> Contest:
        """Bind a metric, and the rule that selects; a fixed side has one configuration only.

        Parameters
        ----------
        metric : Metric
            The metric.

        Returns
        -------
        Contest
            The length of blocks of samples is not chosen: it is that of the difference.
        """
        oof, rule = self.oof, self.selection
        if self.config is not None:
            everything = np.ones(oof.n_samples, dtype=bool)
            oof, rule = taken(oof, configs=np.array([self.config]), samples=everything), None
        return Question(oof=oof, metric=metric, rule=rule).open(settle=False)


explain_init(Side)


def as_side(value: Any, what: str) -> Side:
    """Make a side of what a comparison was given."""
    if isinstance(value, OOFPredictions):
        return Side(oof=value)
    if not isinstance(value, Side):
        raise ValueError(
            f"{what} must be an OOFPredictions or a Side of one, got {got(value)}. For "
            f"arrays, searches and estimators use sklearn_bbc.compare. {instead_of(value)}"
        )
    return value


def names_apart(first: str, second: str) -> tuple[str, str]:
    """Return both names, with "(first)" and "(second)" added where they are the same."""
    return (first, second) if first != second else (f"{first} (first)", f"{second} (second)")


def check_names(names: Any) -> None:
    """Raise unless there are names of two sides."""
    if isinstance(names, str) or not hasattr(names, "__len__") or len(names) != 2:
        raise ValueError(
            f"names must be two names, such as ('tuned', 'default'), got {got(names)}."
        )


def check_same_data(first: Side, second: Side, asked: Collection[str] = ()) -> list[str]:
    """Raise unless both sides are about the same samples and the same folds."""
    one, other = first.oof, second.oof
    if share_predictions(one, other):
        alike = one.selected == other.selected and first.selection is second.selection
        if alike and first.config == second.config:
            more = "predictions of another model" if one.score_sign is None else "another table"
            raise ValueError(
                f"Both sides are {first.described}: there is nothing to compare. Give another "
                f"{noun_of(one)}, or {more}."
            )
        return []
    only_folds = not (one.n_rows and other.n_rows)
    if not only_folds:
        _check_sides(one, other, asked)
    _check_same_folds(one, other, only_folds)
    if not only_folds:
        return []
    return [
        "There are scores per fold only, so it cannot be checked that both sides were scored on "
        "the same samples in the same folds."
    ]


def share_predictions(one: OOFPredictions, other: OOFPredictions) -> bool:
    """Check whether two objects view the same predictions, perhaps with another winner."""

    def places(oof: OOFPredictions) -> dict[str, Any]:
        rows = {name: getattr(oof, name) for name in ("y_true", "sample", "fold", "split_repeat")}
        scores = {f"scores {name}": array for name, array in oof.fold_scores.items()}
        arrays = {**rows, **oof.responses, **scores}
        return {k: (each.shape, each.__array_interface__["data"]) for k, each in arrays.items()}

    return one is other or places(one) == places(other)


def _check_sides(one: OOFPredictions, other: OOFPredictions, asked: Collection[str]) -> None:
    if one.n_samples != other.n_samples:
        raise ValueError(
            f"The first side has {one.n_samples} samples, the second {other.n_samples}: a "
            "comparison needs predictions of the same samples in the same order."
        )
    if one.score_sign != other.score_sign:
        raise ValueError(
            "The two sides cannot be compared: they must both hold scores per item, or losses per "
            "item, or predictions."
        )
    if not same(one.y_true, other.y_true):
        where = ""
        if one.y_true.shape == other.y_true.shape and one.y_true.dtype.names is None:
            differ = (one.y_true != other.y_true).reshape(one.n_samples, -1).any(axis=1)
            n = int(differ.sum())
            where = f" in {n} of {one.n_samples} samples, first in sample {int(differ.argmax())}"
        raise ValueError(
            f"The two sides have different target values{where}: a comparison needs predictions "
            "of the same samples in the same order."
        )
    if in_other_order(one.indexes, other.indexes):
        raise ValueError(
            "The two sides have the same index in another order: a comparison needs predictions "
            "of the same samples in the same order. Bring the data of one into the order of the "
            "other, such as X.loc[other.index], before it is fitted."
        )
    if not same(one.classes_, other.classes_):
        raise ValueError(
            f"The two sides have different classes, {one.classes_} and {other.classes_}: the "
            "codes of their labels do not mean the same."
        )
    for name in ("groups", "sample_weight", "order", "block_length", "block_kind"):
        mine, theirs = getattr(one, name), getattr(other, name)
        if not same(mine, theirs):
            how = "only one has" if mine is None or theirs is None else "they have different"
            values = f", {mine} and {theirs}" if name.startswith("block") else ""
            raise ValueError(
                f"The two sides cannot be compared: {how} {name}{values}. Both need the same for "
                "every sample, or none."
            )
    if not same_metadata(one.metadata, other.metadata, asked):
        raise ValueError(
            "The two sides cannot be compared: the metadata of their scorers differs, "
            f"{sorted(one.metadata)} and {sorted(other.metadata)}. Both need the same values for "
            "every sample."
        )


def _check_same_folds(one: OOFPredictions, other: OOFPredictions, only_folds: bool) -> None:
    alike = np.array_equal(one.split_repeat, other.split_repeat)
    if alike and not only_folds:
        mine, theirs = rows_in_order(one), rows_in_order(other)
        alike = all(
            np.array_equal(getattr(one, name)[mine], getattr(other, name)[theirs])
            for name in ("sample", "fold", "repeat")
        )
    if alike:
        return
    how = "different splits"
    if one.n_splits != other.n_splits:
        how = f"{one.n_splits} and {other.n_splits} splits"
    raise ValueError(
        f"The two sides were scored on different folds ({how}), so the luck of the splits would "
        "count as a difference. Give both the same splits: pass one splitter with a seed as `cv`, "
        "such as StratifiedKFold(5, shuffle=True, random_state=0), or list(cv.split(X, y))."
    )


def rows_in_order(oof: OOFPredictions) -> np.ndarray:
    """Sort rows in the order of repeat, fold and sample."""
    return np.lexsort((oof.sample, oof.fold, oof.repeat))


@dataclass(frozen=True, kw_only=True, eq=False)
class Pair:
    """Data that a test is computed on.

    Parameters
    ----------
    metric : Metric
        The metric.
    names : tuple of (str, str)
        The two sides.
    details : dict, default={}
        By-products to report; `notes` is a list that the test may extend.
    oof : OOFPredictions or None, default=None
        Predictions of two configurations: 0 is the first side, 1 the second. They share
        samples, folds, groups and weights. For tests on folds: one of the sides, for its splits.
    scored : BoundMetric or None, default=None
        The metric bound to them.
    fold_scores : ndarray of shape (n_splits, 2) or None, default=None
        For tests on folds the scores per fold.
    sides : tuple of (Contest, Contest) or None, default=None
        For tests that repeat the selection what each side selects among, and how.

    Examples
    --------
    >>> from sklearn_bbc.comparison import Pair
    >>> from sklearn_bbc.metrics import as_metric
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof, metric = example_predictions(n_configs=2), as_metric("roc_auc")
    >>> pair = Pair(oof=oof, scored=metric.bind(oof), metric=metric, names=("one", "other"))
    >>> pair.scored.on_data().shape
    (2,)
    """

    metric: Metric
    names: tuple[str, str]
    details: dict[str, Any] = field(default_factory=dict)
    oof: Any = None
    scored: Any = None
    fold_scores: Any = None
    sides: Any = None


class _Difference(Metric):
    """A metric whose range is that of its differences."""

    @property
    def bounds(self) -> tuple[float, float]:
        low, high = super().bounds
        return low - high, high - low


def difference_of(metric: Metric) -> Metric:
    """Return the same metric with the range that differences of its scores have."""
    if isinstance(metric, MetricOfMoments):
        low, high = metric.bounds
        return replace(metric, range=(low - high, high - low))
    return _Difference(**{each.name: getattr(metric, each.name) for each in fields(Metric)})


def joined_sides(first: Side, second: Side, configs: tuple[int, int]) -> OOFPredictions:
    """Join predictions of one configuration of each side as those of two configurations.

    What one of them lacks is missing, as in a mixed search.
    """
    one, other = first.oof, second.oof
    i, j = configs
    names = dict.fromkeys([*one.responses, *other.responses])
    if "plain" in names and not ("plain" in one.responses and "plain" in other.responses):
        recorded = sorted(name for name in names if name != "plain")
        raise ValueError(
            "One side has predictions given as y_pred, the other has recorded "
            f"{' and '.join(recorded)}. Give the arrays under the name of what they are: "
            f"OOFPredictions.from_rows(responses={{{recorded[0]!r}: array}}, ...), of shape "
            "(1, n_samples)."
        )
    rows = np.empty(one.n_rows, dtype=np.intp)  # of the other side, in the order of the first
    rows[rows_in_order(one)] = rows_in_order(other)
    responses = {}
    for name in names:
        mine = one.responses[name][i] if name in one.responses else None
        theirs = other.responses[name][j][rows] if name in other.responses else None
        known: Any = theirs if mine is None else mine
        missing = np.full_like(known, -1 if known.dtype.kind in "iu" else np.nan)
        both = [missing if values is None else values for values in (mine, theirs)]
        if both[0].shape != both[1].shape:
            raise ValueError(
                f"The predictions of the two sides have different shapes, {both[0].shape} and "
                f"{both[1].shape}: both need as many outputs."
            )
        responses[name] = np.stack(both)
    fold_scores = {
        name: np.stack([scores[:, i], other.fold_scores[name][:, j]], axis=1)
        for name, scores in one.fold_scores.items()
        if name in other.fold_scores
    }
    of_both = {
        "responses": responses,
        "metadata": {**other.metadata, **one.metadata},
        "params": [one.params[i], other.params[j]] if one.params and other.params else None,
        "failed": [one.failed[i], other.failed[j]],
        "fold_scores": fold_scores,
        "notes": [*one.notes, *other.notes],
    }
    return predictions_of_rows(**arguments_of_fields(fields_of_part(one) | of_both))


def sides_alike(first: Side, second: Side, configs: tuple[int, int], metric: Metric) -> np.ndarray:
    """Find the rows of the first side in which both predict the same up to rounding, (n_rows,).

    None where one of them has scores per fold only, or another kind of predictions.
    """
    kinds = set(first.oof.responses) & set(second.oof.responses)
    if kinds and first.oof.n_rows == second.oof.n_rows:
        try:
            return rows_alike(Unbound(metric, joined_sides(first, second, configs)), 0, 1)
        except ValueError:  # the metric takes neither, or the numbers of outputs differ
            pass
    return np.zeros(first.oof.n_rows, dtype=bool)


OF_MODELS = "of models"
"""Kind of an assumption that holds for trained models only, not for systems that are fixed."""
NO_SPREAD = (
    "The difference is the same everywhere, so no spread can be seen: the interval is a point and "
    "certainly wrong, and so is the p-value."
)


class ComparisonRules(IntervalRules):
    """Rules by which comparisons make results: those of intervals, for differences."""

    label: ClassVar[str]
    assumptions: ClassVar[tuple[str, ...]]
    interval_of = "difference"

    def _from_standard_error(
        self,
        pair: Pair,
        difference: float,
        standard_error: float,
        *,
        degrees: float | None = None,
        size: float = 0.0,
        details: Mapping[str, Any] | None = None,
    ) -> ComparisonResult:
        """Make the result from a difference and its standard error, Student's or normal.

        What is only rounding of scores of `size` is zero. Where the standard error is zero, the
        p-value is 1 for a difference of zero, with a note, and 0 else, with a warning.
        """
        difference = float(without_rounding(difference, size, rounding(TERMS)))
        standard_error = float(without_rounding(standard_error, size, rounding(0)))
        known = {**pair.details, **(details or {}), "degenerate": False}
        known["standard_error"] = standard_error
        if degrees is not None:
            known["degrees"] = float(degrees)
        if no_spread(standard_error, difference) and not np.isnan(standard_error):
            return self._without_spread(pair, difference, known)
        statistic = difference / standard_error
        law = norm if degrees is None else t(degrees)
        half = float(law.ppf(1 - self._tail())) * standard_error
        return self._of_bounds(
            pair, difference, difference - half, difference + half, known,
            statistic=statistic, p_value=p_of_statistic(statistic, self.alternative, law),
        )  # fmt: skip

    def _without_spread(
        self, pair: Pair, difference: float, details: dict[str, Any]
    ) -> ComparisonResult:
        """Make the result where every sample or fold shows the same difference."""
        self._note_no_spread(difference, details)
        statistic = 0.0 if difference == 0 else float(np.copysign(np.inf, difference))
        p_value = p_of_statistic(statistic, self.alternative, norm) if statistic else 1.0
        return self._of_bounds(
            pair, difference, difference, difference, details, statistic=statistic, p_value=p_value
        )

    def _note_no_spread(self, difference: float, details: dict[str, Any]) -> None:
        """Mark a result without spread; add a note, and warn unless both are the same."""
        details["degenerate"] = True
        note = warned(NO_SPREAD, type(self).__name__) if difference else SAME_SCORES
        details["notes"] = [*details.get("notes", []), note]

    def _from_difference_draws(
        self, pair: Pair, draws: np.ndarray, *, details: Mapping[str, Any] | None = None
    ) -> ComparisonResult:
        """Make the result from draws of the difference, (n_draws,): mean and percentiles."""
        interval = self._from_draws(
            draws, difference_of(pair.metric), n_bootstraps=len(draws), halved=True
        )
        defined = draws[~np.isnan(draws)]
        error = float(np.std(defined, ddof=1)) if len(defined) > 1 else np.nan
        known = {**pair.details, **(details or {}), "degenerate": False, "standard_error": error}
        known |= interval.details
        if not np.ptp(defined) > 0:
            self._note_no_spread(interval.estimate, known)
        elif interval.low <= 0 <= interval.high and interval.estimate not in interval:
            # Limits that hold zero still do when they reach further.
            interval = replace(
                interval,
                low=min(interval.low, interval.estimate),
                high=max(interval.high, interval.estimate),
            )
            note = (
                f"{np.mean(defined == 0):.1%} of the draws have no difference at all, so the mean "
                "is outside of their percentiles; the interval reaches to it."
            )
            known["notes"] = [*known.get("notes", []), note]
        p_value = p_of_draws(defined, self.alternative, self.quantile)
        return self._of_interval(pair, interval, known, p_value=p_value)

    def _of_bounds(
        self,
        pair: Pair,
        difference: float,
        low: float,
        high: float,
        details: Mapping[str, Any],
        **fields: Any,
    ) -> ComparisonResult:
        """Make the result from bounds; the open side is replaced by the end of the range."""
        metric = difference_of(pair.metric)
        low, high = self._sided(low, high, metric.bounds)
        interval = self._result(metric, difference, low, high, details=details)
        return self._of_interval(pair, interval, interval.details, **fields)

    def _of_interval(
        self, pair: Pair, interval: ConfidenceInterval, details: Mapping[str, Any], **fields: Any
    ) -> ComparisonResult:
        """Make the result from the difference's interval; `fields` are statistic and p-value."""
        return ComparisonResult(
            **{
                "difference": interval.estimate,
                "low": interval.low,
                "high": interval.high,
                "statistic": np.nan,
                "p_value": np.nan,
                "confidence_level": self.confidence_level,
                "alternative": self.alternative,
                "method": self.name,
                "metric": pair.metric.name,
                "estimand": self.estimand,
                "names": pair.names,
                "assumptions": self.assumptions,
                "label": self.label,
                "n_bootstraps": interval.n_bootstraps,
                "draws": interval.draws,
                "details": details,
                **fields,
            }
        )


def p_of_statistic(statistic: float, alternative: str, law: Any) -> float:
    """Compute the probability of a statistic at least as extreme, of a symmetric `law`."""
    if alternative == "two-sided":
        return float(min(1.0, 2 * law.sf(abs(statistic))))
    return float(law.sf(statistic if alternative == "greater" else -statistic))


def p_of_draws(draws: np.ndarray, alternative: str, rule: QuantileRule | None = None) -> float:
    """Compute the p-value of no difference from bootstrap draws of the difference, (n_draws,).

    It is the smallest level at which the percentile interval of the same draws excludes zero;
    half of the draws that equal zero count for either side.
    """
    rule = rule or OrderStatistic()
    for_low, for_high = halve_ties(np.sort(draws))
    greater, less = smallest_level(for_low, rule), smallest_level(-for_high[::-1], rule)
    both = min(1.0, 2 * min(greater, less))
    return {"greater": greater, "less": less}.get(alternative, both)


_COMPARISONS: dict[str, type[BaseComparison]] = {}

COMPARISON_ALIASES = {
    "bbc": "bbc_difference", "bootstrap": "paired_bootstrap",
    "correctedt": "corrected_resampled_t", "delong": "paired_delong",
    "nadeaubengio": "corrected_resampled_t", "ttest": "paired_t",
}  # fmt: skip
"""What people call some comparisons, in small letters and digits only."""


class BaseComparison(ComparisonRules, BaseEstimator, ABC):
    """Base of all comparisons of two sides: public `compare` validates, `_compare` computes.

    A subclass has a `name`, what a reader must know of it (`label`, `estimand`, `assumptions`,
    `meant_for`, `cost`, `limits`), an ``__init__`` that stores its parameters, and `_compare`,
    which gets a `Pair`. It registers itself by `name`.

    Attributes
    ----------
    name, label, estimand : str
        Registered name, the method in a sentence, what is compared.
    requires : frozenset of str
        What it needs, in the words of `sklearn_bbc.intervals.BaseInterval`.
    assumptions : tuple of str
        What the result rests on, a sentence each.
    meant_for, cost, limits : str
        For whom it is, what it costs (of N samples, C configurations, F folds and B draws), and
        where it fails or misleads.
    selection_aware : bool
        Whether it accounts for the choice among configurations on each side.
    """

    name: ClassVar[str]
    requires: ClassVar[frozenset[str]] = frozenset({"predictions"})
    selection_aware: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        check_known(cls, cls.requires)
        if "name" in cls.__dict__:
            register(_COMPARISONS, cls, "comparison")

    def compare(
        self, first: OOFPredictions | Side, second: OOFPredictions | Side, scoring: Any = None
    ) -> ComparisonResult:
        """Compare two sides on the same samples.

        Parameters
        ----------
        first, second : OOFPredictions or Side
            ``Side(oof=oof, config=3)`` is one configuration; predictions themselves are their
            only configuration, or what tuning selects among several.
        scoring : str, scorer or Metric
            The metric. It must be given.

        Returns
        -------
        ComparisonResult
            The first side's score minus the second's, greater is better.

        Raises
        ------
        ValueError
            If a parameter is out of range, the two sides are not about the same samples and
            folds or are the same configuration, or the method needs what is not there.
        UndefinedIntervalError
            If the data cannot support the comparison, for example with a class missing.
        """
        check_parameters(self)
        one, other = as_side(first, "first"), as_side(second, "second")
        if scoring is None and one.oof.score_sign is None:
            raise ValueError(
                f"scoring must be given, for example {type(self).__name__}().compare(first, "
                "second, 'accuracy'): predictions do not say by which metric they are to be "
                "scored."
            )
        metric = self._metric(one, other, scoring).with_classes(one.oof.classes_)
        notes = check_same_data(one, other, metric.requests.values())
        for side in (one, other):
            check_needs(
                type(self).__name__, self.requires, Unbound(metric, side.oof),
                on_folds="CorrectedResampledT", for_any="PairedBootstrap",
            )  # fmt: skip
        with suppress_fp_warnings():
            result = self._compare(self._bind(one, other, metric, notes))
        if one.oof.score_sign is None:
            return result
        assumptions = without_kind(result.assumptions, OF_MODELS)
        return replace(
            result, estimand=of_systems(result.estimand),
            assumptions=tuple(map(of_systems, assumptions)),
            details={**result.details, "unit": unit_of(one.oof)},
        )  # fmt: skip

    @abstractmethod
    def _compare(self, pair: Pair) -> ComparisonResult:
        """Compute the result from two configurations side by side that meet `requires`."""

    def _metric(self, first: Side, second: Side, scoring: Any) -> Metric:
        return metric_for(first.oof, scoring)

    def _bind(self, first: Side, second: Side, metric: Metric, notes: list[str]) -> Pair:
        """Bind the metric to one configuration of each side."""
        for side in (first, second):
            check_metric_fits(Unbound(metric, side.oof))
        configs = self._configs(first, second, metric)
        oof = as_one(Unbound(metric, joined_sides(first, second, configs)))
        kernel = metric.bind(oof)
        names = names_apart(first.described, second.described)
        for valid, name in zip(kernel.valid, names, strict=True):
            if not valid:
                raise UndefinedIntervalError(
                    f"{name} failed in some fold or lacks a prediction (NaN), so it has no score."
                )
        if "pointwise" in self.requires:
            check_pointwise(self, kernel)
        scores = kernel.on_data()
        for score, name in zip(scores, names, strict=True):
            if not np.isfinite(score):
                raise UndefinedIntervalError(
                    f"{metric.name} of {name} is {score} on these data, so there is no "
                    "difference to test."
                )
        oof = with_block_length_by(
            oof, lambda: contributions(kernel, 0) - contributions(kernel, 1)
        )
        every = [*notes, *caveats(kernel), *not_accounted(first, second)]
        details = {
            "scores": scores.tolist(),
            "configs": list(configs),
            "unit": unit_of(oof),
            "n_samples": oof.n_samples - oof.n_untested,
            "notes": every,
            **block_details(oof, type(self).__name__, every),
        }
        scored = kernel.with_predictions(oof)
        return Pair(oof=oof, scored=scored, metric=metric, names=names, details=details)

    def _configs(self, first: Side, second: Side, metric: Metric) -> tuple[int, int]:
        """Return the configuration of each side; raise where both are the same one."""
        one, other = (
            int(side.config) if side.config is not None
            else 0 if side.oof.n_configs == 1
            else self._selected(side, metric)
            for side in (first, second)
        )  # fmt: skip
        check_not_the_same(first, second, (one, other))
        return one, other

    def _selected(self, side: Side, metric: Metric) -> int:
        """Return what tuning selects among several configurations."""
        return side.open(metric).winner


ON_TEST_SET = (
    "Neither side was tuned or cross-validated, so nothing needs out-of-bag scores: a test on all "
    "samples such as PairedBootstrap is narrower."
)


def not_accounted(first: Side, second: Side) -> list[str]:
    """Note that a side was tuned on these samples, for tests that do not account for it."""
    if not (first.is_tuned or second.is_tuned):
        return []
    return [NOT_ACCOUNTED if first.oof.score_sign is None else of_systems(NOT_ACCOUNTED)]


def check_not_the_same(first: Side, second: Side, configs: tuple[int, int]) -> None:
    """Raise where both sides turn out to be one configuration of the same predictions."""
    if share_predictions(first.oof, second.oof) and configs[0] == configs[1]:
        name = (first if first.config is not None else second).described
        raise ValueError(
            f"Both sides are {name}: the baseline is the winner itself, so there is nothing to "
            f"compare. Give another {noun_of(first.oof)}."
        )


def registered() -> dict[str, type[BaseComparison]]:
    """Return the registered comparisons of two sides, name -> class."""
    return whole(__package__, _COMPARISONS)


def as_comparison(method: Any) -> BaseComparison:
    """Turn a registered name into a comparison with its defaults; an object stays as it is."""
    if isinstance(method, BaseComparison):
        return method
    known = registered()
    if isinstance(method, str) and method in known:
        return known[method]()
    if isinstance(method, type) and issubclass(method, BaseComparison):
        raise ValueError(f"Pass an instance, {method.__name__}(), instead of the class.")
    meant = did_you_mean(method, known, COMPARISON_ALIASES)
    raise ValueError(
        f"Unknown method of comparison {got(method)}.{meant} Known names: {sorted(known)}."
    )
