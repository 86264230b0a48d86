"""Bases of the interval methods: parameters, quantiles, requirements, draws, results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

import numpy as np
from scipy.special import ndtri
from scipy.stats import norm, t
from sklearn.base import BaseEstimator

from .._blas import one_blas_thread
from .._lazy import whole
from .._parameters import (
    CONFIDENCE,
    JOBS,
    By,
    Constraints,
    Kind,
    OneOf,
    Whole,
    check_parameters,
    constraint_of,
)
from .._text import is_are, metric_words, name_method, of_systems
from .._utils import explain_init, meant_by, register, suppress_fp_warnings
from .._warnings import warn_user
from ..contest._blocks import block_details, note_on_change, plan_of
from ..contest._contest import Contest, with_winner_by
from ..contest._question import (
    Question,
    check_known,
    check_metric_fits,
    check_needs,
    check_oof,
    check_pointwise,
    metric_for,
)
from ..contest._strata import DrawStrata
from ..exceptions import IntervalWarning, UndefinedIntervalError
from ..metrics._calibration import WHY_UNDEFINED
from ..metrics._consumed import Unbound
from ..metrics._metric import BoundMetric, Metric, as_metric
from ..predictions._predictions import OOFPredictions
from ..resampling import (
    IID,
    Draws,
    Redraw,
    Resampling,
    Units,
    check_random_state,
    entropy_of,
)
from ..results._results import ConfidenceInterval
from ..selection._base import Selection, as_selection, only_fold_scores
from ..selection._rules import SelectedBy
from ._notes import explained

Documented = TypeVar("Documented", bound=Callable[..., Any])

LEVEL_DOC = "Share of data sets for which the interval should hold the true {what}."


SHARED_DOCS = {
    "{config}": """config : int, default=None
        Configuration of interest. None takes the winner; the interval does not account
        for its selection, and `details` says so.""",
    "{sides}": """confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, ``"less"`` only the upper one.""",
    "{seed of draws}": """random_state : int, RandomState instance or None, default=None
        Seed of the draws. Inside a search, None takes the search's own seed.""",
    "{threads}": """n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.""",
    "{details of one}": """``config``, ``winner``, ``winner_by``,
    ``selection_accounted_for``, ``unit``, ``n_untested``, ``n_configs``, ``n_valid``,
    ``kernel``, ``response``, ``notes``""",
}
"""What the docstrings of several methods have in common."""


def fill_confidence_level_doc(what: str) -> Callable[[Documented], Documented]:
    """Make a decorator that replaces ``{level}`` by the sentence on the level."""

    def fill(documented: Documented) -> Documented:
        if documented.__doc__:
            documented.__doc__ = documented.__doc__.replace("{level}", LEVEL_DOC.format(what=what))
        return documented

    return fill


class QuantileRule(BaseEstimator, ABC):
    """Base of the rules by which a bound is read off sorted draws.

    A subclass defines `place`, for lower bounds; upper bounds are its mirror image.

    See Also
    --------
    OrderStatistic : The default.

    Examples
    --------
    >>> from sklearn_bbc.intervals import BBC, QuantileRule
    >>> class Inward(QuantileRule):
    ...     def place(self, n_draws, level):
    ...         return min(int(level * n_draws) + 1, n_draws - 1), 0.0
    >>> BBC(quantile=Inward())
    BBC(quantile=Inward())
    """

    def between(self, ordered: np.ndarray, level: float) -> float:
        """Read the quantile off sorted draws; upper quantiles are mirror images of lower ones.

        Parameters
        ----------
        ordered : ndarray of shape (n_draws,)
            Sorted draws, all defined.
        level : float
            Level of the quantile, between 0 and 1.

        Returns
        -------
        float
            A draw, or a value between two neighbours.
        """
        if level > 0.5:
            ordered, level = ordered[::-1], 1 - level
        index, share = self._checked_place(len(ordered), level)
        return interpolated(ordered[index], ordered[index + bool(share)], share)

    def _checked_place(self, n_draws: int, level: float) -> tuple[int, float]:
        """Find the place of the quantile; raise where it is not among the draws."""
        index, share = self.place(n_draws, level)
        last = index == n_draws - 1
        if not (0 <= index < n_draws and 0 <= share <= 1) or (last and share):
            raise ValueError(
                f"{self!r} places the quantile of level {level:g} of {n_draws} draws at "
                f"({index}, {share}). place must return a draw from 0 to {n_draws - 1} and a "
                "share from 0 to 1 of the way to the next one, 0 after the last."
            )
        return index, share

    @abstractmethod
    def place(self, n_draws: int, level: float) -> tuple[int, float]:
        """Find the place of the quantile among the sorted draws.

        Parameters
        ----------
        n_draws : int
            Number of draws, at least 1.
        level : float
            Level of the quantile, between 0 and 1.

        Returns
        -------
        index : int
            Draw below it, counted from 0.
        share : float
            Share of the way to the next draw, between 0 and 1; 0 for the last draw.
        """


def interpolated(here: float, there: float, share: float) -> float:
    """Interpolate between a draw and its neighbour; an infinite draw stays infinite."""
    if not share or np.isinf(here):
        return float(here)
    return float(here + share * (there - here))


def halve_ties(ordered: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the draws (n_draws,) for the lower and upper bound of a difference, zeros halved.

    Half of the draws that equal zero count as above it, half as below it. For the lower bound,
    those above are moved towards the next draw; so the bound excludes zero as soon as it has
    passed the middle of the ties. The upper bound is the mirror image.
    """
    return _upper_half_moved(ordered), -_upper_half_moved(-ordered[::-1])[::-1]


def _upper_half_moved(ordered: np.ndarray) -> np.ndarray:
    """Move the upper half of the zeros towards the next draw above, without reaching it."""
    first, end = np.searchsorted(ordered, 0, "left"), np.searchsorted(ordered, 0, "right")
    if end - first < 2 or end == len(ordered):
        return ordered
    result, ranks = ordered.copy(), np.arange(first, end)
    share = np.maximum(ranks - (first + end - 1) / 2, 0) / ((end - first + 1) / 2)
    # Any part of the way to an infinite draw would be infinite.
    way = ordered[end] if np.isfinite(ordered[end]) else np.finfo(float).tiny * len(ordered)
    result[first:end] = share * way
    return result


def smallest_level(ordered: np.ndarray, rule: QuantileRule) -> float:
    """Find the smallest level at which the quantile of sorted draws (n_draws,) lies above zero."""
    low, high = 1 / (len(ordered) + 1), 1.0
    if not ordered[-1] > 0:
        return high
    if rule.between(ordered, low) > 0:
        return low
    # Halved until no number is between: the same level then decides for interval and test.
    while low < (middle := (low + high) / 2) < high:
        if rule.between(ordered, middle) > 0:
            high = middle
        else:
            low = middle
    return high


def evenly(ordered: np.ndarray, n_draws: int) -> np.ndarray:
    """Take `n_draws` of the sorted draws, evenly over the distribution; they may repeat."""
    return ordered[(2 * np.arange(n_draws) + 1) * len(ordered) // (2 * n_draws)]


class OrderStatistic(QuantileRule):
    """Draw number ``floor(level * n_draws)``, counted from 0.

    The rule of bootstrap bias correction. No draw is interpolated, so a bound is a score that a
    draw has.
    """

    def place(self, n_draws: int, level: float) -> tuple[int, float]:
        """Find the place of the quantile, see `QuantileRule`."""
        # 0.05 * 20 must count as 1 whatever its last bit is, and 0.1 * 10**10 as 10**9.
        rank = int(np.floor(level * n_draws * (1 + 1e-12) + 1e-9))
        return min(rank, n_draws - 1), 0.0


class NormalScoreQuantile(QuantileRule):
    """Interpolation between draws on the scale of normal quantiles.

    The k-th smallest of B draws has the level ``k / (B + 1)``; between two of them one
    interpolates in the normal quantiles of the levels [1]_, as R's package boot does. Levels
    beyond those of the extreme draws give these draws. `PooledBootstrap` and
    `HierarchicalBootstrap` use it by default.

    References
    ----------
    .. [1] A. C. Davison, D. V. Hinkley, "Bootstrap methods and their application",
       Cambridge University Press (1997), equation 5.8. :doi:`10.1017/CBO9780511802843`

    Examples
    --------
    >>> from sklearn_bbc.intervals import NormalScoreQuantile
    >>> NormalScoreQuantile().place(39, 0.025)
    (0, 0.0)
    """

    def place(self, n_draws: int, level: float) -> tuple[int, float]:
        """Find the place of the quantile, see `QuantileRule`."""
        k = int(np.floor((n_draws + 1) * level + 1e-9))
        if k < 1:
            return 0, 0.0
        if k >= n_draws:
            return n_draws - 1, 0.0
        below, at, above = ndtri([k / (n_draws + 1), level, (k + 1) / (n_draws + 1)])
        return k - 1, max(float((at - below) / (above - below)), 0.0)


ALTERNATIVES = ("two-sided", "greater", "less")
MAX_UNDEFINED = 0.1
"""Share of draws without a defined score above which an interval would mislead."""


def too_often_undefined(share: Any) -> Any:
    """Check whether the share of draws without a value, a number or an array, is too large."""
    return share > MAX_UNDEFINED + 1e-9  # sums of shares are rounded


OF_TUNING = "expected score, on new samples, of the model that this tuning procedure selects"
"""What methods estimate that repeat the selection; the others say what differs."""
TARGET_OF_SYSTEMS = "mean on new items of the system that is selected"
"""The same, where systems are fixed and nothing is trained."""
MAX_KEPT = 10_000
"""Draws of an enumeration that a result keeps, evenly over the distribution."""


N_DRAWS_RANGE = Whole(
    20, hint=": with fewer draws the bound is the extreme draw. 1000 or more are recommended."
)


def check_n_bootstraps(n: Any) -> None:
    """Raise when there are too few draws for a bound; warn when there are few."""
    N_DRAWS_RANGE.check("n_bootstraps", n)
    if n < FEW_DRAWS:
        warn_user(
            f"n_bootstraps={n}: the bounds of so few draws change a lot with the seed. 1000 or "
            "more are recommended.",
            IntervalWarning,
        )


class IntervalRules:
    """Parameters of every method, and the steps from numbers to a result."""

    name: ClassVar[str]
    label: ClassVar[Any] = ""
    """How the method is called in print: in a sentence, and in a table."""
    form_labels: ClassVar[Mapping[str, tuple[str, str]]] = {}
    """The same for what ``details["form"]`` says, where a form has names of its own."""
    estimand: ClassVar[str]
    meant_for: ClassVar[str]
    cost: ClassVar[str]
    limits: ClassVar[str]

    confidence_level: float
    alternative: str
    quantile: QuantileRule | None = None
    """How bounds are read off draws; None is `OrderStatistic`."""
    halves: ClassVar[bool] = True
    """Whether a two-sided interval is two one-sided ones with half its error rate each."""
    interval_of: ClassVar[str] = "score"
    """What the interval is about, for the docstring."""

    _constraints: ClassVar[Constraints] = {
        "confidence_level": CONFIDENCE,
        "alternative": OneOf(
            ALTERNATIVES,
            hint='"greater" keeps only the lower bound, "less" only the upper one.',
        ),
        "random_state": By(check_random_state),
        "n_bootstraps": By(check_n_bootstraps),
        "n_jobs": JOBS,
        "quantile": Kind(QuantileRule, "OrderStatistic()", or_none=True),
        "verbose": Whole(),
        "selection": By(as_selection),
    }

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        explain_init(cls)
        for placeholder, text in SHARED_DOCS.items() if cls.__doc__ else ():
            cls.__doc__ = str(cls.__doc__).replace(placeholder, text)
        fill_confidence_level_doc(cls.interval_of)(cls)

    @property
    def _label(self) -> str:
        """Name of the method in messages."""
        return type(self).__name__

    def _validate(self) -> None:
        if (level := self.confidence_level) < 0.5:
            warn_user(
                f"{self._label}: confidence_level={level:g} asks for an interval that "
                f"holds the true score for {100 * float(level):g}% of data sets only. Did you "
                f"mean {1 - float(level):g}?",
                IntervalWarning,
            )

    def _tail(self, confidence_level: float | None = None) -> float:
        """Compute the error rate of one tail; at the method's own level unless one is given."""
        alpha = 1 - (self.confidence_level if confidence_level is None else confidence_level)
        return alpha / 2 if self.alternative == "two-sided" else alpha

    def _multiple(self, degrees: int | None = None) -> float:
        """Compute the quantile of one tail: Student's, or normal without degrees of freedom."""
        level = 1 - self._tail()
        return float(norm.ppf(level) if degrees is None else t.ppf(level, degrees))

    def _sided(self, low: float, high: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Replace the open side by the end of the metric's range."""
        if self.alternative == "greater":
            return low, bounds[1]
        if self.alternative == "less":
            return bounds[0], high
        return low, high

    def _from_draws(
        self,
        scores: np.ndarray,
        metric: Metric,
        *,
        multiplicity: np.ndarray | None = None,
        estimate: float | None = None,
        details: Mapping[str, Any] | None = None,
        n_bootstraps: int | None = None,
        halved: bool = False,
    ) -> ConfidenceInterval:
        """Compute the percentile interval of `scores`, with their `multiplicity`, (n_draws,) each.

        `quantile` gives the place of the lower bound among the sorted draws; the upper bound is
        its mirror image.
        """
        defined = ~np.isnan(scores)
        n_undefined = count_undefined(self, scores, metric)
        details = dict(details or {})
        why = WHY_UNDEFINED.get(metric.score_func)
        if n_undefined and why:
            note = (
                f"{n_undefined} of {len(scores)} draws {'has' if n_undefined == 1 else 'have'} no "
                f"{metric_words(metric.name).name} and {is_are(n_undefined)} left out, so "
                f"estimate and limits are rather too near to 0. {why}"
            )
            details["notes"] = [*details.get("notes", []), note]
        enumerated = multiplicity is not None
        if multiplicity is None:
            multiplicity = np.ones(len(scores), dtype=np.int64)
        scores, multiplicity = scores[defined], multiplicity[defined]
        order = np.argsort(scores, kind="stable")
        ranked, cumulated = scores[order], np.cumsum(multiplicity[order])
        total = int(cumulated[-1])
        rank, share = (self.quantile or OrderStatistic())._checked_place(total, self._tail())
        # Both bounds and, for a rule that interpolates, their neighbours towards the middle.
        places = np.array([rank, rank + 1, total - 1 - rank, total - 2 - rank])
        at = np.searchsorted(cumulated, places.clip(0, total - 1), side="right")
        for_low, for_high = halve_ties(ranked) if halved else (ranked, ranked)
        low, high = for_low[at[0]], for_high[at[2]]
        if share:
            low = interpolated(low, for_low[at[1]], share)
            high = interpolated(high, for_high[at[3]], share)
        if estimate is None:
            # Relative to one draw, so that a constant distribution has exactly its mean.
            origin = ranked[0] if np.isfinite(ranked[0]) else 0.0
            estimate = origin + ((ranked - origin) * multiplicity[order]).sum() / total
        if enumerated:  # as many values as there are draws, or a fair share of them
            n_kept = min(total, MAX_KEPT)
            places = (2 * np.arange(n_kept) + 1) * (total / (2 * n_kept))
            scores = ranked[np.searchsorted(cumulated, places, side="right")]
        low, high = self._sided(float(low), float(high), metric.bounds)
        return self._result(
            metric,
            float(estimate),
            low,
            high,
            details={"n_undefined": n_undefined, **details},
            n_bootstraps=n_bootstraps,
            draws=scores,
        )

    def _from_se(
        self,
        estimate: float,
        standard_error: float,
        metric: Metric,
        *,
        degrees: int | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> ConfidenceInterval:
        """Compute the interval of an estimate plus and minus a multiple of its standard error."""
        half = self._multiple(degrees) * standard_error
        details = {"standard_error": float(standard_error), **(details or {})}
        if not np.isfinite(half):
            half = np.nan
            details.setdefault("reason", "The standard error is undefined, so bounds are too.")
        low, high = self._sided(estimate - half, estimate + half, metric.bounds)
        return self._result(metric, estimate, low, high, details=details)

    def _result(
        self,
        metric: Metric,
        estimate: float,
        low: float,
        high: float,
        *,
        bounds: tuple[float, float] | None = None,
        details: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> ConfidenceInterval:
        """Build the result of a method, cut at the ends of the metric's range.

        No true score lies beyond them, so none is lost. Values before the cut are in `details`:
        ``unclipped`` has both bounds, ``unclipped_estimate`` the estimate.
        """
        details = dict(details or {})
        if np.isnan(estimate):
            why = f"The estimate is undefined: {metric.name} is NaN on these data."
            details["reason"] = details.get("reason") or why
        elif np.isinf(estimate):
            why = (
                f"The estimate would be {estimate:g}: some score of {metric.name} is infinite, or "
                "their sum is too large for a floating point number."
            )
            details["reason"] = " ".join(filter(None, [details.get("reason"), why]))
            estimate = np.nan
        elif np.isnan([low, high]).any():
            details.setdefault(
                "reason", "The bounds are undefined: the spread of the scores is not a number."
            )
        if metric.sign < 0:  # how a scorer's own name is printed
            details["sign"] = -1
        ends = metric.bounds if bounds is None else bounds
        given = np.array([estimate, low, high], dtype=float)
        within = np.clip(given, *ends) + 0.0  # -0.0 becomes 0.0
        cut = (within != given) & ~np.isnan(given)
        if cut[0]:
            details["unclipped_estimate"] = float(estimate)
        if self.alternative == "two-sided" and np.isinf(within[1:]).any():
            details.setdefault(
                "reason",
                f"A bound is infinite: scores of {metric.name} in the tail of the distribution "
                "are infinite, or too large for a floating point number.",
            )
        if cut[1:].any():
            details["unclipped"] = (float(low), float(high))
        return ConfidenceInterval(
            estimate=float(within[0]),
            low=float(within[1]),
            high=float(within[2]),
            confidence_level=self.confidence_level,
            alternative=self.alternative,
            metric=metric.name,
            details=details,
            method=fields.pop("method", None) or self.name,
            **{"estimand": self.estimand, **fields},
        )


def count_undefined(method: IntervalRules, scores: np.ndarray, metric: Metric) -> int:
    """Count the draws without a score; raise where there are too many for an interval."""
    n_undefined = int(np.count_nonzero(np.isnan(scores)))
    if n_undefined and too_often_undefined(n_undefined / len(scores)):
        why = WHY_UNDEFINED.get(metric.score_func)
        raise UndefinedIntervalError(
            f"{method._label} cannot bootstrap {metric.name}: it is undefined in "
            f"{n_undefined} of {len(scores)} draws." + f" {why}" * bool(why)
        )
    return n_undefined


_INTERVALS: dict[str, type[BaseInterval]] = {}


def enter_labels(cls: Any) -> None:
    """Enter the printed names of a registered method; raise where a form would have none."""
    forms = constraint_of(cls, "form")
    named = {*cls.form_labels, getattr(cls, "form", None)}  # the default has those of the method
    if isinstance(forms, OneOf) and (unnamed := set(forms.options) - named):
        raise ValueError(
            f"{cls.__name__} has no printed names for form={sorted(unnamed)[0]!r}: give them in "
            "form_labels, for a sentence and for a table, or results call it by those of the "
            "method."
        )
    if "label" in vars(cls):
        abbreviation = getattr(cls, "abbreviation", None)
        name_method(cls.name, cls.label, cls.form_labels, abbreviation)


FEW_DRAWS = 200
"""With fewer, bounds change so much with the seed that a warning is given."""


class BaseInterval(IntervalRules, BaseEstimator, ABC):
    """Base of all interval methods: public `estimate` validates, `_estimate` computes.

    A method is one subclass: a `name`, by which it registers itself, what a reader must know of it
    (`estimand`, `meant_for`, `cost`, `limits`), its parameters, and `_estimate`.

    Attributes
    ----------
    name : str
        Registered name.
    label : tuple of str
        How it is called in print: in a sentence ("the Wald interval"), and in a table ("Wald").
        Without it, it is called by its registered name.
    form_labels : dict of str to tuple of str
        The same for what ``details["form"]`` says. A parameter `form` needs them for each form
        but the default one.
    requires : frozenset of str
        What the method needs: ``"predictions"``, ``"folds"`` (two at least), ``"binary"``
        (two classes), ``"pointwise"`` (a metric that is a mean over samples), ``"auc"`` (the
        metric is the area under the ROC curve), ``"ungrouped"`` (no groups and no blocks),
        ``"one_series"`` (no groups) and ``"unweighted"`` (no sample weights). Other needs are
        refused when the class is defined.
    estimand : str
        What is estimated, in words.
    meant_for : str
        For which data, models and questions the method is the one to take.
    cost : str
        What it costs, of N samples, C configurations, F folds and B draws.
    limits : str
        Where it fails or misleads.
    selection_aware : bool
        Whether the method accounts for the choice among configurations.
    """

    requires: ClassVar[frozenset[str]] = frozenset({"predictions"})
    selection_aware: ClassVar[bool] = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        check_known(cls, cls.requires)
        if "name" in cls.__dict__:
            enter_labels(cls)
            register(_INTERVALS, cls, "interval method")

    def estimate(
        self, oof: OOFPredictions, scoring: Any = None, *, selected_by: Any = None
    ) -> ConfidenceInterval:
        """Estimate the score of the selected configuration, with an interval.

        Parameters
        ----------
        oof : OOFPredictions
            Out-of-fold predictions of every configuration.
        scoring : str, scorer or Metric
            The metric: a scorer's name, a scorer, or any callable
            ``scorer(estimator, X, y)``. It must be given.
        selected_by : str, scorer or Metric, default=None
            The metric by which the configuration was selected, where that is another one: a
            method that repeats the selection selects by it in every draw. None is `scoring`.

        Returns
        -------
        ConfidenceInterval
            In scorer orientation: greater is better.

        Raises
        ------
        ValueError
            If a parameter is out of range or the method needs what is not there.
        UndefinedIntervalError
            If the data cannot support the interval, for example with one sample in a
            class.
        """
        rule = getattr(self, "selection", None)
        rule = rule if isinstance(rule, Selection) else None
        if selected_by is None:
            return self.answer(Question(oof=oof, metric=scoring, rule=rule))
        check_given(self, oof, scoring)
        with meant_by("selected_by", "scoring"):
            metric = as_metric(selected_by)
        oof = with_winner_by(Unbound(metric, oof))
        rule = SelectedBy(metric, rule) if self._selects else None
        result = self.answer(Question(oof=oof, metric=scoring, rule=rule))
        return replace(result, details={"selected_by": metric.name, **result.details})

    def answer(self, question: Question) -> ConfidenceInterval:
        """Estimate the score that a question is about, with an interval.

        Parameters
        ----------
        question : Question
            Predictions, metric, and the rule that selects, in place of one that the method has.

        Returns
        -------
        ConfidenceInterval
            In scorer orientation: greater is better.
        """
        check_given(self, question.oof, question.metric)
        contest = contest_for(self, question)
        with suppress_fp_warnings(), one_blas_thread:
            result = self._estimate(contest)
        return finished(result, contest, self)

    @property
    def _selects(self) -> bool:
        """Whether the method chooses a configuration, and does not take the winner as given."""
        return hasattr(self, "selection")

    @abstractmethod
    def _estimate(self, contest: Contest) -> ConfidenceInterval:
        """Compute the result from validated input."""


def finished(
    result: ConfidenceInterval, contest: Contest, method: BaseInterval
) -> ConfidenceInterval:
    """Add to a result what is said of every method: blocks, fixed systems, no width, classes."""
    oof, scored = contest.oof, contest.scored
    if "predictions" in method.requires and oof.block_length is not None:
        notes, blocks = [*result.details.get("notes", [])], {}
        if "n_blocks" not in result.details:
            blocks = block_details(oof, method._label, notes)
        notes += note_on_change(scored, result.details.get("winner", 0))
        result = replace(result, details={**result.details, **blocks, "notes": notes})
    if oof.score_sign is not None:
        about = result.estimand
        about = TARGET_OF_SYSTEMS if about == OF_TUNING else of_systems(about)
        result = replace(result, estimand=about)
    return explained(result, scored)


def check_given(method: BaseInterval, oof: Any, scoring: Any) -> None:
    """Raise where parameters are out of range, or predictions or the metric are missing."""
    check_parameters(method)
    check_oof(oof)
    if scoring is None and oof.score_sign is None:
        raise ValueError(
            f"scoring must be given, for example {type(method).__name__}().estimate(oof, "
            "'roc_auc'): predictions do not say by which metric they are to be scored."
        )


def metric_on(method: BaseInterval, oof: OOFPredictions, scoring: Any) -> Metric:
    """Return the metric of a method; raise where predictions lack what it requires."""
    try:
        metric = metric_for(oof, scoring)
    except ValueError:  # methods on fold scores accept any recorded name
        named = isinstance(scoring, str) and scoring in oof.fold_scores
        if "predictions" in method.requires or not named:
            raise
        metric = Metric(name=scoring, scorer=only_fold_scores)
    check_needs(type(method).__name__, method.requires, Unbound(metric, oof))
    check_metric_fits(Unbound(metric, oof))
    return metric


def contest_for(method: BaseInterval, question: Question) -> Contest:
    """Open a question for a method: on scores per fold where it requires no predictions.

    Raises where predictions or metric lack what the method requires.
    """
    metric = metric_on(method, question.oof, question.metric)
    contest = replace(question, metric=metric).open(on_folds="predictions" not in method.requires)
    if "pointwise" in method.requires:
        check_pointwise(method, contest.scored)
    return contest


class BootstrapInterval(BaseInterval):
    """Base of methods that resample samples or groups.

    `_estimate` of a subclass asks for its draws by ``self.draws_for(contest)``, once: a second
    call takes further numbers from a generator that was given as `random_state`.

    Attributes
    ----------
    scores_out_of_bag : bool
        Whether what is left out of a draw is scored, so that each class must be there.
    """

    scores_out_of_bag: ClassVar[bool] = True

    n_bootstraps: int
    random_state: Any
    n_jobs: int | None
    degenerate: Redraw | None = None
    """How draws that leave a class out are drawn again."""

    _constraints = {"degenerate": Kind(Redraw, "Redraw()", or_none=True)}

    def draws_for(self, contest: Contest, *also: BoundMetric) -> Draws:
        """Prepare the draws of one run, with the seed of the method.

        Parameters
        ----------
        contest : Contest
            What is scored, and what chooses.
        *also : BoundMetric
            Metrics that are scored besides.

        Returns
        -------
        Draws
            Its ``map(function)`` hands over counts (n_draws, n_samples), batch by batch.

        Raises
        ------
        UndefinedIntervalError
            If no draw can contain what the metric needs.
        """
        scored, selecting = contest.scored, contest.selecting
        units = self._units(contest)
        strata = DrawStrata.of(
            scored, units, out_of_bag=self.scores_out_of_bag,
            degenerate=self.degenerate, also=(selecting, *also),
        )  # fmt: skip
        if self.scores_out_of_bag:
            strata.check_possible(self._label, scored.metric.name, self.degenerate)
        else:
            strata.check_varies(self._label, scored.metric.name)
        every = dict.fromkeys((selecting, scored, *also))
        for each in every:
            if each.seconds_per_score:
                chooses = each is selecting
                n_scores = self._n_scores(each, units) if chooses else self.n_bootstraps
                each.warn_if_slow(n_scores, self.n_jobs)
        return Draws(
            self._resampling(contest.oof, units),
            self.n_bootstraps,
            entropy_of(self.random_state),
            expand=units.expand,
            bytes_per_draw=max(each.bytes_per_draw for each in every),
            n_jobs=self.n_jobs,
            out_of_bag=self.scores_out_of_bag,
            prefer=scored.prefers,
            degenerate=self.degenerate,
            strata=strata,
        )

    def _n_scores(self, kernel: BoundMetric, units: Units) -> int:
        """Count the scores per repeat that the draws need, to warn of slow ones."""
        # In-bag every configuration is scored, out-of-bag the winner.
        return self.n_bootstraps * (kernel.n_distinct + 1)

    def _units(self, contest: Contest) -> Units:
        """Return the units that draws count."""
        return contest.units if contest.oof.block_length is None else Units.drawn(contest.oof)

    def _resampling(self, oof: OOFPredictions, units: Units) -> Resampling:
        """Choose how units are drawn."""
        return IID(units.n_units) if oof.block_length is None else plan_of(oof, units)


def registered() -> dict[str, type[BaseInterval]]:
    """Return the registered methods that work on predictions or fold scores, by name."""
    return whole(__package__, _INTERVALS)
