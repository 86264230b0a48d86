"""Scores of right-censored times, weighted by the inverse probability of censoring.

A sample that was censored before the time of interest has no known outcome there. The others
speak for it: each counts by one over the probability G that a sample is still uncensored when its
own outcome is known. G is a Kaplan-Meier estimate with events and censoring in exchanged roles.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import sklearn
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import make_scorer
from sklearn.metrics._scorer import _BaseScorer
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from .._scorers import ENDINGS, SURVIVAL, parameters_of, survival_response, tell_answer
from .._utils import check_arrays, got
from .._warnings import warn_user
from ..exceptions import UndefinedIntervalError
from ._arithmetic import DrawWeights, Where, product
from ._base import MetricKernel, RowData, family_for
from ._classification import MeanKernel, only_defined
from ._concordance import CensoredPairs, blocks_of_draws, concordance_index_score, survival_target
from ._consumed import OfMetric
from ._kaplan_meier import KaplanMeier
from ._ranking import MisplacedPairs, Part

_DRAWS_AT_ONCE = 256
"""Draws whose weights are prepared together: affects speed and memory only."""
_MOST_PAIRS = 2**21
"""Pairs up to which a table of all of them is multiplied: affects speed and memory only."""
_TIME_ROUNDING = 1e-8
"""How far rounding may carry a probability out of its range, or up with time."""


class CensoringDistribution:
    """Probability of being uncensored, estimated once from a survival target.

    Two are equal when they were made of the same events and times.
    """

    def __init__(self, y: Any) -> None:
        self.event, self.time = survival_target(y, "censoring")
        if not len(self.time):
            raise ValueError("censoring must be a survival target with samples, got none.")

    @cached_property
    def _curve(self) -> tuple[KaplanMeier, np.ndarray]:
        curve = KaplanMeier(self.event, self.time, of_censoring=True)
        return curve, curve.of(np.ones((1, len(self.time))))[0]

    def before(self, time: np.ndarray) -> np.ndarray:
        """Compute the probability of being uncensored just before some times, of their shape."""
        curve, values = self._curve
        return values[curve.before(time)]

    def at(self, time: np.ndarray) -> np.ndarray:
        """Compute the probability of being uncensored at some times, of their shape."""
        curve, values = self._curve
        return values[curve.at(time)]

    def check(self, last: float) -> None:
        """Raise where nothing is known of censoring up to a time."""
        end = float(self.time.max())
        if last > end:
            raise ValueError(
                f"censoring is followed until {end:g}, so weights at {last:g} are not known. Give "
                "the target of more samples, or an earlier time."
            )

    def check_events(self, last: float) -> None:
        """Raise where the event of a sample could not have been seen, since all are censored."""
        if not self.before(np.array([last]))[0] > 0:
            raise ValueError(
                f"By censoring all samples are censored before {last:g}, when a sample has its "
                "event. Give the target of more samples, or an earlier tau."
            )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CensoringDistribution) and (
            np.array_equal(self.event, other.event) and np.array_equal(self.time, other.time)
        )

    def __hash__(self) -> int:
        return hash((self.event.tobytes(), self.time.tobytes()))

    def __repr__(self) -> str:
        return f"CensoringDistribution(n_samples={len(self.time)})"

    def __getstate__(self) -> dict[str, Any]:
        return {"event": self.event, "time": self.time}


def _censoring_distribution(censoring: Any) -> CensoringDistribution | None:
    if censoring is None or isinstance(censoring, CensoringDistribution):
        return censoring
    return CensoringDistribution(censoring)


def checked_times(times: Any, name: str = "times", fewest: int = 1) -> np.ndarray:
    """Check times at which a metric is computed, (n_times,), ascending."""
    try:
        array = np.atleast_1d(np.asarray(None if times is True else times, dtype=np.float64))
    except (TypeError, ValueError):
        array = np.empty((0, 0))
    if array.ndim != 1 or len(array) < fewest or not np.isfinite(array).all():
        what = "a number" if fewest == 1 else f"at least {fewest} numbers"
        what = "a number or several" if name == "times" and fewest == 1 else what
        raise ValueError(f"{name} must be {what}, got {got(times)}.")
    if (array < 0).any():
        raise ValueError(f"{name} must not be negative, got {array.min():g}.")
    if (np.diff(array) <= 0).any():
        raise ValueError(f"{name} must ascend without repetition, got {array.tolist()}.")
    return array


def checked_time(time: Any, name: str = "time") -> np.ndarray:
    """Check the one time at which a metric is computed, (1,)."""
    if np.ndim(time):
        raise ValueError(f"{name} must be one number, got {got(time)}.")
    return checked_times(time, name)


def _checked_tau(tau: Any) -> float:
    return np.inf if tau is None else float(checked_time(tau, "tau")[0])


# --- predictions -------------------------------------------------------------------------------


def survival_probabilities(estimator: Any, X: Any, times: np.ndarray) -> np.ndarray:
    """Ask a fitted model for the probabilities of surviving some times.

    `times` (n_times,) -> (n_samples, n_times).
    """
    while not hasattr(estimator, SURVIVAL):
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif isinstance(estimator, sklearn.pipeline.Pipeline) and len(estimator) > 1:
            estimator, X = estimator[-1], estimator[:-1].transform(X)
        else:
            raise AttributeError(
                f"{type(estimator).__name__} has no {SURVIVAL}, which the Brier score needs. For "
                "models that predict a risk only take dynamic_auc, uno_concordance or "
                "'concordance_index'."
            )
    ask = getattr(estimator, SURVIVAL)
    given = {"times": times} if "times" in parameters_of(ask) else {}
    return probabilities_in(ask(X, **given), times, are_values=bool(given))


def probabilities_in(answer: Any, times: np.ndarray, *, are_values: bool = False) -> np.ndarray:
    """Read the probabilities of surviving some times from what a model answered.

    `times` (n_times,) -> (n_samples, n_times). `are_values` is whether the model was told the
    times, and so may answer with numbers.
    """
    if isinstance(answer, pd.DataFrame):
        found = _frame_at_times(answer, times)
    elif len(answer) and callable(answer[0]):
        found = np.array([np.ravel(_value(function, times)) for function in answer])
    elif are_values:
        found = np.asarray(answer, dtype=np.float64)
    else:
        raise TypeError(
            f"{SURVIVAL} must return a function of time per sample (as in scikit-survival), a "
            "DataFrame with times as index and a column per sample (as in lifelines), or take "
            f"times= and return an array (n_samples, n_times), got {got(answer)}."
        )
    n_samples = answer.shape[1] if isinstance(answer, pd.DataFrame) else len(answer)
    if found.shape != (n_samples, len(times)):
        raise ValueError(
            f"{SURVIVAL} must return {len(times)} probabilities per sample, got {found.shape}."
        )
    check_probabilities(found)
    return np.clip(found, 0.0, 1.0)


def _frame_at_times(frame: pd.DataFrame, times: np.ndarray) -> np.ndarray:
    """Evaluate step functions in the columns of a frame, whose index are times."""
    known = frame.index.to_numpy(dtype=np.float64)
    if not len(known) or times[-1] > known[-1]:
        _refuse_time(times[-1], known[-1] if len(known) else 0.0)
    values = np.concatenate([np.ones((1, frame.shape[1])), frame.to_numpy(dtype=np.float64)])
    return values[np.searchsorted(known, times, "right")].T


def _value(function: Any, times: np.ndarray) -> Any:
    """Evaluate a step function; say in words where it ends."""
    domain = getattr(function, "domain", None)
    if domain is not None and times[-1] > domain[1]:
        _refuse_time(times[-1], float(domain[1]))
    return function(times)


def _refuse_time(time: float, end: float) -> None:
    raise ValueError(
        f"The survival function of a model ends at {end:g}, the last time of its training data, "
        f"so nothing is predicted for {time:g}. Take an earlier time, or larger training folds."
    )


def check_probabilities(values: np.ndarray) -> None:
    """Raise unless `values` (..., n_times) are probabilities that do not rise with time."""
    if np.isnan(values).any():
        raise ValueError("Predicted survival probabilities must not be NaN.")
    low, high = values.min(initial=0.0), values.max(initial=1.0)
    if low < -_TIME_ROUNDING or high > 1 + _TIME_ROUNDING:
        raise ValueError(
            "Predicted survival probabilities must lie between 0 and 1, got "
            f"{low if low < -_TIME_ROUNDING else high:g}. Risks and times are no probabilities."
        )
    if values.ndim > 1 and (np.diff(values, axis=-1) > _TIME_ROUNDING).any():
        raise ValueError(
            "Predicted survival probabilities must not rise with time. Are they in the order of "
            "times, and probabilities of surviving (not of the event)?"
        )


class SurvivalScorer(_BaseScorer):
    """Scorer of probabilities of surviving some times; made by the functions below.

    To the search it is a scorer as from `make_scorer`; what it computes from survival functions
    is recorded as `recorded_as`.
    """

    def __init__(self, score_func: Callable[..., float], kwargs: Mapping[str, Any]) -> None:
        # scikit-learn checks that a model has one of these, also where a pipeline hides it.
        super().__init__(score_func, -1, dict(kwargs), [SURVIVAL, "predict"])

    @property
    def recorded_as(self) -> str:
        return survival_response(times_in(self._kwargs))

    def _score(
        self, method_caller: Any, estimator: Any, X: Any, y_true: Any, **kwargs: Any
    ) -> float:
        found = survival_probabilities(estimator, X, times_in(self._kwargs))
        found = found[:, 0] if "time" in self._kwargs else found
        tell_answer(self.recorded_as, X, found)
        return self._sign * self._score_func(y_true, found, **{**self._kwargs, **kwargs})

    def __repr__(self) -> str:
        given = ", ".join(f"{k}={v}" for k, v in self._kwargs.items() if v is not None)
        return f"SurvivalScorer({self._score_func.__name__}, {given})"


# --- kernels -----------------------------------------------------------------------------------


class _Censored(MetricKernel):
    """Base of kernels that weigh by the inverse probability of censoring.

    Where `censoring` is given its curve is used in every draw, otherwise that of the draw.
    """

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        self._event, self._time = survival_target(rows.y)
        self._fixed = _censoring_distribution(rows.kwargs.get("censoring"))
        self._curve = KaplanMeier(self._event, self._time, of_censoring=True)

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for numbers, and for no unknown arguments."""
        return (
            rows.pred.dtype.kind in "biuf"
            and not rows.codes_given
            and set(rows.kwargs) <= {"time", "times", "weights", "tau", "censoring"}
        )

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that scoring one draw needs."""
        return 96 * self.rows.n_rows + 32 * self.rows.n_configs + 4096

    def _event_weights(self, weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Compute one over the probability of being uncensored before the events of some rows.

        `weights` (n_draws, n_rows), `rows` (n_chosen,) -> (n_draws or 1, n_chosen).
        """
        if self._fixed is not None:
            return 1.0 / self._fixed.before(self._time[rows])[None]
        kept = self._curve.of(weights)[:, self._curve.before(self._time[rows])]
        # Where all are censored before, the row is not in the draw: its weight of 0 stays.
        return 1.0 / np.where(kept > 0, kept, np.inf)

    def _in_parts(self, weights: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        for start in range(0, len(weights), _DRAWS_AT_ONCE):
            draws = slice(start, start + _DRAWS_AT_ONCE)
            yield draws, np.asarray(weights[draws], dtype=np.float64)


class _Survivors:
    """Who is known to have survived some times, as controls.

    Who was followed beyond. Where nobody was, as in a study that ends for all on the same day, it
    is who was censored at the very time: events come before censoring, as everywhere here.

    `event, time` (n_rows,), `times` (n_times,). `known` is (n_rows, n_times), `until` marks the
    times (n_times,) beyond which nobody was followed, of `fixed` where that is given.
    """

    def __init__(
        self,
        event: np.ndarray,
        time: np.ndarray,
        times: np.ndarray,
        fixed: CensoringDistribution | None = None,
    ) -> None:
        self.times = times
        self.known = time[:, None] > times
        self.until = times >= (time if fixed is None else fixed.time).max(initial=0.0)
        self.known |= self.until & (time[:, None] == times) & ~event[:, None]

    def uncensored(self, curve: KaplanMeier | CensoringDistribution) -> np.ndarray:
        """Ask a curve for the times: just before those at which controls were censored."""
        return np.where(self.until, curve.before(self.times), curve.at(self.times))

    @property
    def name(self) -> str:
        """Name of those who survived the last time."""
        how = "until" if self.until[-1] and self.known[:, -1].any() else "beyond"
        return f"the set of samples that were followed {how} {self.times[-1]:g}"


def survivors_of(event: np.ndarray, time: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Mark who is known to have survived each time, (n_rows, n_times)."""
    return _Survivors(event, time, times).known


def _longest(time: np.ndarray, last: float) -> str:
    """Say which times have survivors, where the last one asked for has none."""
    end = float(time.max(initial=0.0))
    return f" Give a time below {end:g}, the longest follow-up." if last >= end else ""


class _Outcomes:
    """What is known at some times, and how the squared errors at them are averaged.

    `event, time` (n_rows,), `times` (n_times,). `share` (n_times,) is the part of each time in
    the integral, by the trapezoidal rule. `cases` (n_cases,) are rows with an event up to the
    last time.
    """

    def __init__(
        self,
        event: np.ndarray,
        time: np.ndarray,
        times: np.ndarray,
        fixed: CensoringDistribution | None = None,
    ) -> None:
        self.event, self.time, self.times = event, time, times
        self.share = np.ones(1)
        if len(times) > 1:
            gaps = np.diff(times, prepend=times[0], append=times[-1])
            self.share = (gaps[1:] + gaps[:-1]) / 2 / (times[-1] - times[0])
        self.cases = np.flatnonzero(event & (time <= times[-1]))
        self.survivors = _Survivors(event, time, times, fixed)
        self.beyond = self.survivors.known[:, -1]

    def errors_of_cases(self, survival: np.ndarray) -> np.ndarray:
        """Average the errors of the cases at the times from their events on.

        `survival` (n_configs, n_cases, n_times) -> (n_configs, n_cases).
        """
        after = self.time[self.cases, None] <= self.times
        return (np.square(survival) * (after * self.share)).sum(axis=2)


def times_in(kwargs: Mapping[str, Any]) -> np.ndarray:
    """Read the times of a metric from its arguments, (n_times,)."""
    return checked_times(kwargs["time"] if "time" in kwargs else kwargs.get("times"))


def _survival_of(rows: RowData, configs: Where) -> np.ndarray:
    """Select the probabilities of some configurations, (n_chosen, n_rows, n_times), float64."""
    pred = rows.pred[configs]
    return np.asarray(pred, dtype=np.float64).reshape(*pred.shape[:2], -1)


def _can_be_scored(rows: RowData, n_times: int) -> np.ndarray | None:
    """Mark configurations with probabilities that do not rise with time, see `only_defined`."""
    if _survival_of(rows, slice(0, 1)).shape[2] != n_times:
        raise ValueError(
            f"The Brier score at {n_times} times needs as many probabilities of surviving per "
            f"sample, got predictions of shape {rows.pred.shape[1:]} per configuration."
        )
    defined = np.ones(rows.n_configs, dtype=bool)
    for config in range(rows.n_configs):
        try:
            check_probabilities(_survival_of(rows, slice(config, config + 1)))
        except ValueError:
            defined[config] = False
    reason = "survival probabilities must lie between 0 and 1 and not rise with time"
    return only_defined("the Brier score", defined, reason)


def survival_brier_score(
    y_true: Any, y_pred: Any, *, time: float, censoring: Any = None, sample_weight: Any = None
) -> float:
    """Compute the Brier score of predicted survival at a time.

    The squared difference between the predicted probability of surviving `time` and what
    happened, 1 for who survived and 0 for who did not. Samples that were censored before count
    through the others, by the inverse of the probability of not being censored [1]_.

    Parameters
    ----------
    y_true : structured array of shape (n_samples,) or array-like of shape (n_samples, 2)
        Whether the event was seen, and the time of the event or of censoring, as in
        `concordance_index_score`.
    y_pred : array-like of shape (n_samples,)
        Predicted probabilities of surviving `time`.
    time : float
        The time, in the unit of `y_true`.
    censoring : survival target, default=None
        Samples from which the distribution of censoring is estimated, once and for all. None
        estimates it from `y_true`: in each fold, and in each draw of a bootstrap.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, of the samples and in the estimate of censoring from them. None weighs all by 1.

    Returns
    -------
    float
        At least 0, and smaller is better: about 0.25 for who always predicts one half. NaN, with
        a warning, when `censoring` is None and no sample was followed beyond `time`, nor
        censored at it.

    Raises
    ------
    ValueError
        If `y_true` is not a survival target, lengths differ, `time` is negative, probabilities
        lie outside of 0 to 1 or are missing, or `censoring` ends before `time`.

    See Also
    --------
    neg_survival_brier_score : The scorer.
    integrated_brier_score : Its integral over times.

    Notes
    -----
    With G(t) the Kaplan-Meier estimate of being uncensored at t, and T the time and S the
    prediction of a sample, its score at t is S^2 / G(T-) after an event (T <= t), (1 - S)^2 / G(t)
    if it was followed beyond (T > t), and 0 if it was censored before; the mean is over all
    samples. G(T-) is G just before T: the probability that an event at T is seen. Where nobody
    was followed beyond t, as in a study that ends for all at t, who was censored at t itself
    survived it and scores (1 - S)^2 / G(t-).

    scikit-survival takes G(T) instead, which differs where some sample is censored at exactly
    the time of another's event. Censoring is taken as independent of event and features; events
    of other kinds (competing risks) and late entry are not handled.

    References
    ----------
    .. [1] E. Graf, C. Schmoor, W. Sauerbrei, M. Schumacher, "Assessment and comparison of
       prognostic classification schemes for survival data", Statistics in Medicine 18, 2529-2545
       (1999). :doi:`10.1002/(SICI)1097-0258(19990915/30)18:17/18<2529::AID-SIM274>3.0.CO;2-5`

    Examples
    --------
    >>> from sklearn_bbc.metrics import survival_brier_score
    >>> event_and_time = [[1, 2.0], [0, 3.0], [1, 5.0], [1, 9.0]]
    >>> round(survival_brier_score(event_and_time, [0.2, 0.9, 0.4, 0.8], time=6.0), 3)
    0.085
    """
    at = checked_time(time)
    return _brier(
        survival_brier_score, y_true, y_pred, at, sample_weight,
        {"time": time, "censoring": _censoring_distribution(censoring)},
    )  # fmt: skip


def integrated_brier_score(
    y_true: Any, y_pred: Any, *, times: Any, censoring: Any = None, sample_weight: Any = None
) -> float:
    """Compute the Brier score of predicted survival, integrated over times.

    Parameters
    ----------
    y_true : structured array of shape (n_samples,) or array-like of shape (n_samples, 2)
        Whether the event was seen, and the time of the event or of censoring, as in
        `concordance_index_score`.
    y_pred : array-like of shape (n_samples, n_times)
        Predicted probabilities of surviving each of `times`.
    times : array-like of shape (n_times,)
        At least two times, ascending, in the unit of `y_true`. The score is integrated by the
        trapezoidal rule and divided by their range.
    censoring : survival target, default=None
        As in `survival_brier_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        As in `survival_brier_score`.

    Returns
    -------
    float
        At least 0, and smaller is better. NaN, with a warning, when `censoring` is None and no
        sample was followed beyond the last of `times`.

    Raises
    ------
    ValueError
        As `survival_brier_score`, and if times do not ascend, or probabilities rise with time.

    See Also
    --------
    neg_integrated_brier_score : The scorer.
    survival_brier_score : At one time, with formulas and references.

    Examples
    --------
    >>> from sklearn_bbc.metrics import integrated_brier_score
    >>> event_and_time = [[1, 2.0], [0, 3.0], [1, 5.0], [1, 9.0]]
    >>> survival = [[0.5, 0.2], [1.0, 0.9], [0.8, 0.4], [0.9, 0.8]]
    >>> round(integrated_brier_score(event_and_time, survival, times=[2.5, 6.0]), 3)
    0.08
    """
    at = checked_times(times, "times", 2)
    return _brier(
        integrated_brier_score, y_true, y_pred, at, sample_weight,
        {"times": times, "censoring": _censoring_distribution(censoring)},
    )  # fmt: skip


def _brier(
    function: Callable[..., float],
    y_true: Any,
    y_pred: Any,
    at: np.ndarray,
    sample_weight: Any,
    kwargs: dict[str, Any],
) -> float:
    event, time = survival_target(y_true)
    check_arrays(y_pred=y_pred, sample_weight=sample_weight)
    pred = check_array(y_pred, ensure_2d=False, input_name="y_pred", dtype=np.float64)
    if pred.size != len(pred) * len(at):
        raise ValueError(
            "y_pred must have one probability per sample and time, "
            f"{len(at)} times here, got shape {pred.shape}."
        )
    pred = pred.reshape(len(pred), len(at))
    check_consistent_length(time, pred, sample_weight)
    check_probabilities(pred)
    why = f"no sample was followed beyond {at[-1]:g}, so the Brier score"
    return _survival_score(
        function, event, time, pred, sample_weight, kwargs, why, _longest(time, at[-1])
    )


def _survival_score(
    function: Callable[..., float],
    event: np.ndarray,
    time: np.ndarray,
    pred: np.ndarray,
    sample_weight: Any,
    kwargs: dict[str, Any],
    why: str,
    advice: str = "",
) -> float:
    """Compute one score by the kernel of a metric; NaN with a warning that says why."""
    weight = np.ones(len(time))
    if sample_weight is not None:
        weight = column_or_1d(sample_weight, dtype=np.float64)
        if not (weight >= 0).all():
            raise ValueError("sample_weight must not be negative or NaN.")
    y = np.column_stack([event, time])
    rows = RowData(y, pred[None], None, False, kwargs, weighted=True)
    family = family_for(function, rows)
    assert family is not None
    score = family(function, rows).scores(weight[None], np.array([0]))[0, 0]
    if np.isnan(score):
        warn_user(f"{why[0].upper()}{why[1:]} is not defined.{advice}", UndefinedMetricWarning)
    return float(score)


class BrierPerDraw(_Censored):
    """Brier score of survival, with the censoring of each draw."""

    name = "survival_brier_per_draw"
    example: ClassVar = (
        SurvivalScorer(survival_brier_score, {"time": 0.5}), "survival at a time"
    )  # fmt: skip
    score_funcs: ClassVar = {
        survival_brier_score: (0.0, np.inf), integrated_brier_score: (0.0, np.inf)
    }  # fmt: skip

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        self._at = _Outcomes(self._event, self._time, times_in(rows.kwargs))
        self.defined = _can_be_scored(rows, len(self._at.times))
        self.strata = self._at.beyond[None]
        self.strata_names = [self._at.survivors.name]

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check that censoring is not given, besides what all need."""
        return super().handles(score_func, rows) and rows.kwargs.get("censoring") is None

    def scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        at, survival = self._at, _survival_of(self.rows, configs)
        cases = at.errors_of_cases(survival[:, at.cases])
        later = [np.flatnonzero(known) for known in at.survivors.known.T]
        columns = at.survivors.uncensored(self._curve)
        survivors = [np.square(1 - survival[:, rows, k]) for k, rows in enumerate(later)]
        scores = np.empty((len(weights), len(configs)))
        for draws, weight in self._in_parts(weights):
            kept = self._curve.of(weight)
            kept[kept == 0] = np.inf  # there is no row after the last one, which was censored
            seen = kept[:, self._curve.before(self._time[at.cases])]
            lost = product(weight[:, at.cases] / seen, cases, weight.shape[1])
            for k, share in enumerate(at.share):
                each = product(weight[:, later[k]], survivors[k], weight.shape[1])
                lost += share * each / kept[:, columns[k], None]
            total = weight.sum(axis=1)
            lacking = DrawWeights(weight).lacks(at.beyond)
            lost /= np.where(lacking | (total == 0), np.nan, total)[:, None]
            scores[draws] = lost
        if self.defined is not None:
            scores[:, ~self.defined[configs]] = np.nan
        return scores


class BrierMean(MeanKernel):
    """Brier score of survival, with censoring that is given: a mean over the samples."""

    name = "survival_brier_mean"
    example: ClassVar = (
        SurvivalScorer(
            integrated_brier_score,
            {"times": (0.2, 0.5), "censoring": [[0, 0.3], [1, 0.4], [0, 1], [1, 2], [0, 3]]},
        ),
        "survival at times",
    )
    score_funcs: ClassVar = {
        survival_brier_score: (0.0, np.inf), integrated_brier_score: (0.0, np.inf)
    }  # fmt: skip

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check that censoring is given, besides what all need."""
        return _Censored.handles(score_func, rows) and rows.kwargs.get("censoring") is not None

    def _prepare(self) -> None:
        event, time = survival_target(self.rows.y)
        censoring = _censoring_distribution(self.rows.kwargs["censoring"])
        assert censoring is not None
        self._at = _Outcomes(event, time, times_in(self.rows.kwargs), censoring)
        survivors = self._at.survivors
        censoring.check(self._at.times[-1])
        self.defined = _can_be_scored(self.rows, len(self._at.times))
        after = event[:, None] & (time[:, None] <= self._at.times)
        case = after / censoring.before(np.where(event & ~self._at.beyond, time, 0.0))[:, None]
        control = survivors.known / survivors.uncensored(censoring)
        self._case, self._control = case * self._at.share, control * self._at.share

    def _values(self, configs: Where, rows: Where) -> np.ndarray:
        survival = _survival_of(self.rows, configs)[:, rows]
        values = np.square(survival) * self._case[rows]
        values += np.square(1 - survival) * self._control[rows]
        return values.sum(axis=2)


def _pred_of_risks(y_pred: Any, times: np.ndarray, sample_weight: Any) -> np.ndarray:
    check_arrays(y_pred=y_pred, sample_weight=sample_weight)
    pred = column_or_1d(check_array(y_pred, ensure_2d=False, input_name="y_pred"))
    check_consistent_length(times, pred, sample_weight)
    return pred


def dynamic_auc_score(
    y_true: Any,
    y_pred: Any,
    *,
    times: Any,
    weights: Any = None,
    censoring: Any = None,
    sample_weight: Any = None,
) -> float:
    """Compute the area under the ROC curve of who had an event by a time, averaged over times.

    At a time, cases are the samples with an event up to then, controls those that were followed
    beyond, or, where nobody was, censored at that very time (cumulative cases, dynamic controls).
    The area is the weighted share of the pairs of a
    case and a control in which the case has the greater risk; equal risks count one half. Cases
    that were censored before their event count through the others [1]_.

    Parameters
    ----------
    y_true : structured array of shape (n_samples,) or array-like of shape (n_samples, 2)
        Whether the event was seen, and the time of the event or of censoring, as in
        `concordance_index_score`.
    y_pred : array-like of shape (n_samples,)
        Predicted risks: greater means an earlier event.
    times : float or array-like of shape (n_times,)
        Times, ascending, in the unit of `y_true`.
    weights : array-like of shape (n_times,), default=None
        Weights of the times in the mean over them. None is the plain mean.
    censoring : survival target, default=None
        Samples from which the distribution of censoring is estimated, as in
        `survival_brier_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples. None weighs all by 1.

    Returns
    -------
    float
        Between 0 and 1, the mean over `times`; NaN, with a warning, when at some time there
        is no case or no control.

    Raises
    ------
    ValueError
        If `y_true` is not a survival target, lengths differ, values are missing, times are
        negative or do not ascend, `weights` do not fit them, or `censoring` ends before the last
        of `times`.

    See Also
    --------
    dynamic_auc : The scorer.

    Notes
    -----
    A case counts by 1 / G(T-), with G as in `survival_brier_score`; the weight 1 / G(t) of all
    controls cancels. At one time this is scikit-survival's ``cumulative_dynamic_auc``, except
    that it takes G(T) and risks as equal that differ by less than 1e-8. Its mean over several
    times weighs each by how much survival, by Kaplan and Meier, falls between the time before
    and it; `weights` can do the same.

    References
    ----------
    .. [1] H. Hung, C.-T. Chiang, "Estimation methods for time-dependent AUC models with survival
       data", Canadian Journal of Statistics 38, 8-26 (2010). :doi:`10.1002/cjs.10046`

    Examples
    --------
    >>> from sklearn_bbc.metrics import dynamic_auc_score
    >>> event_and_time = [[1, 2.0], [0, 3.0], [1, 5.0], [1, 9.0], [0, 9.5]]
    >>> dynamic_auc_score(event_and_time, [0.9, 0.5, 0.2, 0.4, 0.1], times=6.0)
    0.7
    """
    at = checked_times(times)
    event, time = survival_target(y_true)
    pred = _pred_of_risks(y_pred, time, sample_weight)
    return _survival_score(
        dynamic_auc_score, event, time, pred, sample_weight,
        {
            "times": times, "weights": _checked_weights(weights, at),
            "censoring": _censoring_distribution(censoring),
        },
        f"there is no event up to {at[0]:g}, or no sample was followed beyond {at[-1]:g}, so the "
        "area under the ROC curve there", _longest(time, at[-1]),
    )  # fmt: skip


def _checked_weights(weights: Any, times: np.ndarray) -> tuple[float, ...] | None:
    """Check the weights of some times (n_times,)."""
    if weights is None:
        return None
    check_arrays(weights=weights)
    array = np.atleast_1d(np.asarray(weights, dtype=np.float64))
    if array.shape != times.shape or not (array >= 0).all() or not 0 < array.sum() < np.inf:
        raise ValueError(
            f"weights must be a number of at least 0 for each of {len(times)} times, not all of "
            f"them 0, got {got(weights)}."
        )
    return tuple(array.tolist())


class DynamicAUC(_Censored):
    """Area under the ROC curve of events up to a time, averaged over times."""

    name = "dynamic_auc"
    example: ClassVar = ((dynamic_auc_score, {"times": [0.3, 0.6]}), "censored times")
    is_rank = True
    score_funcs: ClassVar = {dynamic_auc_score: (0.0, 1.0)}

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        times = times_in(rows.kwargs)
        if self._fixed is not None:
            self._fixed.check(times[-1])
        survivors = _Survivors(self._event, self._time, times, self._fixed)
        self._parts = [
            Part(rows.pred, self._event & (self._time <= t), known, MisplacedPairs)
            for t, known in zip(times, survivors.known.T)
        ]
        share = np.array(_checked_weights(rows.kwargs.get("weights"), times) or [1.0] * len(times))
        self._share = share / share.sum()
        first = times[0]
        self.strata = np.stack([self._event & (self._time <= first), survivors.known[:, -1]])
        self.strata_names = [f"the set of events up to {first:g}", survivors.name]

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for one risk per sample, besides what all need."""
        return super().handles(score_func, rows) and rows.pred.ndim == 2

    def scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        scores = np.empty((len(weights), len(configs)))
        cases = self._parts[-1].positive
        for draws, weight in self._in_parts(weights):
            scaled = weight.copy()
            scaled[:, cases] *= self._event_weights(weight, cases)
            total = np.zeros((len(weight), len(configs)))
            for part, share in zip(self._parts, self._share):
                size = 2 * scaled[:, part.positive].sum(axis=1)
                # Cases at one time may be none at another, and controls are never scaled there.
                here = scaled
                late = np.intersect1d(part.negative, cases)
                if len(late):
                    here = scaled.copy()
                    here[:, late] = weight[:, late]
                size *= here[:, part.negative].sum(axis=1)
                size[size == 0] = np.nan
                lost = part.losses(here, configs).T
                total += share * np.maximum(size[:, None] - lost, 0.0) / size[:, None]
            scores[draws] = total
        return scores


def uno_concordance_score(
    y_true: Any, y_pred: Any, *, tau: Any = None, censoring: Any = None, sample_weight: Any = None
) -> float:
    """Compute Uno's concordance index: comparable pairs, weighted by the censoring.

    Harrell's index counts the pairs that happen to be comparable, so that it depends on the
    censoring. Here a pair counts by the inverse of the probability that both samples are
    uncensored when the first has its event, up to a time `tau` [1]_.

    Parameters
    ----------
    y_true : structured array of shape (n_samples,) or array-like of shape (n_samples, 2)
        Whether the event was seen, and the time of the event or of censoring, as in
        `concordance_index_score`.
    y_pred : array-like of shape (n_samples,)
        Predicted risks: greater means an earlier event.
    tau : float, default=None
        Only events before this time are compared with who outlived them. Late events have large
        weights where few samples are left, so a time that a good share of them reach is better
        than None, which takes all.
    censoring : survival target, default=None
        Samples from which the distribution of censoring is estimated, as in
        `survival_brier_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights; a pair weighs the product of both. None weighs all by 1.

    Returns
    -------
    float
        Between 0 and 1; NaN, with a warning, when no pair can be compared.

    Raises
    ------
    ValueError
        If `y_true` is not a survival target, lengths differ, values are missing, or `censoring`
        ends before the events do.

    See Also
    --------
    uno_concordance : The scorer.
    concordance_index_score : Harrell's index.

    Notes
    -----
    A pair weighs G(T-)^-2 with T the time of its event and G as in `survival_brier_score`;
    which pairs are comparable is as in `concordance_index_score`. scikit-survival's
    ``concordance_index_ipcw`` takes G(T), and risks as equal that differ by less than 1e-8.

    References
    ----------
    .. [1] H. Uno, T. Cai, M. J. Pencina, R. B. D'Agostino, L. J. Wei, "On the C-statistics for
       evaluating overall adequacy of risk prediction procedures with censored survival data",
       Statistics in Medicine 30, 1105-1117 (2011). :doi:`10.1002/sim.4154`

    Examples
    --------
    >>> from sklearn_bbc.metrics import uno_concordance_score
    >>> event_and_time = [[1, 2.0], [0, 3.0], [1, 5.0], [1, 9.0], [0, 9.5]]
    >>> round(uno_concordance_score(event_and_time, [0.9, 0.5, 0.2, 0.4, 0.1], tau=9.0), 3)
    0.765
    """
    last = _checked_tau(tau)
    event, time = survival_target(y_true)
    pred = _pred_of_risks(y_pred, time, sample_weight)
    before = "" if tau is None else f" before {last:g}"
    return _survival_score(
        uno_concordance_score, event, time, pred, sample_weight,
        {"tau": tau, "censoring": _censoring_distribution(censoring)},
        f"there is no event{before} that another sample outlived, so Uno's concordance index",
    )  # fmt: skip


class UnoConcordance(_Censored):
    """Uno's concordance index of right-censored times."""

    name = "uno_concordance"
    example: ClassVar = ((uno_concordance_score, {"tau": 0.8}), "censored times")
    is_rank = True
    score_funcs: ClassVar = {uno_concordance_score: (0.0, 1.0)}

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        self._pairs = CensoredPairs(
            self._event & (self._time < _checked_tau(rows.kwargs.get("tau"))), self._time
        )
        self._events = np.flatnonzero(self._pairs.compared)
        if self._fixed is not None and len(self._events):
            self._fixed.check_events(self._time[self._events].max())
        self.strata = self._pairs.compared[None]
        self.strata_names = ["the set of events that others outlived"]

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for one risk per sample, besides what all need."""
        return super().handles(score_func, rows) and rows.pred.ndim == 2

    def scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        scores = np.empty((len(weights), len(configs)))
        for draws, by_row in blocks_of_draws(weights):
            events = np.zeros_like(by_row)
            inverse = self._event_weights(weights[draws], self._events)
            events[self._events] = by_row[self._events] * np.square(inverse).T
            size = self._pairs.size(by_row, events)
            size[size == 0] = np.nan
            for k, config in enumerate(configs):
                risk = self.rows.pred[config]
                if self._few_pairs and weights.dtype.kind in "biu":
                    lost = self._lost_on_pairs(risk, weights[draws], events)
                else:
                    lost = self._pairs.discordance(risk, by_row, events)
                scores[draws, k] = np.maximum(size - lost, 0.0) / size
        return scores

    @property
    def _few_pairs(self) -> bool:
        """Whether all pairs in one table are faster than sorting, and sums of them exact."""
        return len(self._events) * self.rows.n_rows <= _MOST_PAIRS

    @cached_property
    def _comparable(self) -> np.ndarray:
        """Mark who outlived each event, (n_events, n_rows)."""
        time, event_time = self._time, self._time[self._events, None]
        return (time > event_time) | ((time == event_time) & ~self._event)

    def _lost_on_pairs(
        self, risk: np.ndarray, counts: np.ndarray, events: np.ndarray
    ) -> np.ndarray:
        """Do as `CensoredPairs.discordance`, for whole `counts` (n_draws, n_rows)."""
        own = risk[self._events, None]
        wrong = (risk > own) & self._comparable
        doubled = wrong.astype(np.float32) * 2
        doubled[(risk == own) & self._comparable] = 1
        outranked = counts.astype(np.float32) @ doubled.T  # whole numbers, so exact
        return np.einsum("de,ed->d", outranked, events[self._events])


# --- events ------------------------------------------------------------------------------------


def events_that_count(scored: OfMetric) -> tuple[np.ndarray, str] | None:
    """Mark the samples whose event a survival metric can use, (n_samples,), and name the time.

    None for any other metric.
    """
    metric, oof = scored.metric, scored.oof
    if metric.score_func not in SURVIVAL_SCORES or not oof.n_rows:
        return None
    event, time = survival_target(oof.y_true)
    event, until = event & oof.tested, ""
    if metric.kwargs.keys() & {"time", "times"}:
        last = times_in(metric.kwargs)[-1]
        event, until = event & (time <= last), f" up to {last:g}"
    elif metric.kwargs.get("tau") is not None:
        last = _checked_tau(metric.kwargs["tau"])
        event, until = event & (time < last), f" before {last:g}"
    return event, until


def survival_times_of(metric: Any) -> np.ndarray | None:
    """Read the times (n_times,) at which a `Metric` takes survival probabilities, else None."""
    takes_them = metric.score_func in (survival_brier_score, integrated_brier_score)
    return times_in(metric.kwargs) if takes_them else None


def check_events(scored: OfMetric) -> None:
    """Raise where no sample has an event that the metric can use."""
    found = events_that_count(scored)
    if found is not None and not found[0].any():
        n_tested = int(scored.oof.tested.sum())
        raise UndefinedIntervalError(
            f"{scored.metric.name} needs events, but none of {n_tested:,} samples has one"
            f"{found[1]}: all are censored or followed longer."
        )


def check_can_be_scored(metric: Any, y: Any) -> None:
    """Raise where a survival metric cannot take a target, or has no value on all of it.

    Then it has none in any fold. `metric` is a `Metric` of right-censored times.
    """
    event, time = survival_target(y)
    answer = np.full(len(time), 0.5)
    if metric.score_func is integrated_brier_score:
        answer = np.full((len(time), len(times_in(metric.kwargs))), 0.5)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UndefinedMetricWarning)
        score = metric.score_func(np.column_stack([event, time]), answer, **metric.kwargs)
    if np.isnan(score):
        raise ValueError(
            f"{metric.name} has no value on all samples together, and so in no fold: "
            f"{caught[-1].message}"
        )


WEIGHTED = (
    dynamic_auc_score, integrated_brier_score, survival_brier_score, uno_concordance_score,
)  # fmt: skip
"""Functions of right-censored times that weigh by the inverse probability of censoring."""
SURVIVAL_SCORES = (concordance_index_score, *WEIGHTED)
"""Functions of right-censored times."""


def followed_to_tau(scored: OfMetric) -> tuple[np.ndarray, float] | None:
    """Mark the samples that were followed until tau, (n_samples,); None without a tau."""
    metric, oof = scored.metric, scored.oof
    tau = metric.kwargs.get("tau")
    if metric.score_func is not uno_concordance_score or tau is None or not oof.n_rows:
        return None
    return oof.tested & (survival_target(oof.y_true)[1] >= tau), float(tau)


def follow_up(y: Any) -> tuple[int, int, float]:
    """Count events and censored samples, and find the median follow-up; NaN if not reached.

    The median is that of the reverse Kaplan-Meier estimate [1]_: the first time at which at most
    half of the samples would still be followed, had nobody an event.

    References
    ----------
    .. [1] M. Schemper, T. L. Smith, "A note on quantifying follow-up in studies of failure time",
       Controlled Clinical Trials 17, 343-346 (1996). :doi:`10.1016/0197-2456(96)00075-X`
    """
    event, time = survival_target(y)
    left = CensoringDistribution(y).at(np.sort(time))
    reached = np.flatnonzero(left <= 0.5 + 1e-12)
    median = np.sort(time)[reached[0]] if len(reached) else np.nan
    return int(event.sum()), int((~event).sum()), float(median)


def _times_in_name(kwargs: Mapping[str, Any]) -> str:
    """Write the times of a metric for its name in results."""
    if not kwargs.keys() & {"time", "times"}:  # Uno's concordance
        return "" if kwargs.get("tau") is None else f"_until_{kwargs['tau']:g}"
    times = times_in(kwargs)
    first, last = f"{times[0]:g}", f"{times[-1]:g}"
    return f"_at_{last}" if len(times) == 1 else f"_from_{first}_to_{last}"


ENDINGS.update({function: _times_in_name for function in WEIGHTED})


# --- scorers -----------------------------------------------------------------------------------


def neg_survival_brier_score(time: float, *, censoring: Any = None) -> SurvivalScorer:
    """Make a scorer of the Brier score of predicted survival at a time, with a minus.

    It asks models for ``predict_survival_function``, as scikit-survival's have it, and looks
    for it in the last step of a pipeline.

    Parameters
    ----------
    time : float
        The time, in the unit of the target; some samples must be followed longer.
    censoring : survival target, default=None
        See `survival_brier_score`. With the target of the whole study, as ``censoring=y``, each
        sample has one number in every fold and draw, and small folds are no problem.

    Returns
    -------
    SurvivalScorer
        A scorer ``(estimator, X, y)`` for `BBCSearchCV` and for scikit-learn's own tools.

    Raises
    ------
    ValueError
        If `time` is not a number of at least 0, or `censoring` is no survival target or ends
        before it.

    See Also
    --------
    survival_brier_score : The function, with formulas and references.

    Notes
    -----
    A model may return functions of time, one for each sample (scikit-survival); a DataFrame with
    times as index and a column for each sample (lifelines); or, if the method has a parameter
    ``times``, an array (n_samples, n_times). Where the functions end, at the last time in the
    training folds, nothing is extrapolated: later times are an error.

    Examples
    --------
    >>> from sklearn_bbc.metrics import neg_survival_brier_score
    >>> neg_survival_brier_score(365)
    SurvivalScorer(survival_brier_score, time=365)
    """
    at = checked_time(time)
    return SurvivalScorer(
        survival_brier_score, {"time": time, "censoring": _for_scorer(censoring, at[-1])}
    )


def neg_integrated_brier_score(times: Any, *, censoring: Any = None) -> SurvivalScorer:
    """Make a scorer of the Brier score of predicted survival, integrated over times, with a minus.

    Parameters
    ----------
    times : array-like of shape (n_times,)
        At least two times, ascending, over which it is integrated by the trapezoidal rule. Ten
        to fifty are enough: a search keeps 8 bytes for each of them, sample and configuration.
    censoring : survival target, default=None
        As in `neg_survival_brier_score`.

    Returns
    -------
    SurvivalScorer
        A scorer ``(estimator, X, y)`` for `BBCSearchCV` and for scikit-learn's own tools.

    Raises
    ------
    ValueError
        If `times` are not at least two ascending numbers, or `censoring` is no survival target
        or ends before the last of them.

    See Also
    --------
    neg_survival_brier_score : At one time; which models can be scored.
    integrated_brier_score : The function.

    Examples
    --------
    >>> from sklearn_bbc.metrics import neg_integrated_brier_score
    >>> neg_integrated_brier_score([100, 200, 300])
    SurvivalScorer(integrated_brier_score, times=(100.0, 200.0, 300.0))
    """
    at = checked_times(times, "times", 2)
    return SurvivalScorer(
        integrated_brier_score,
        {"times": tuple(at.tolist()), "censoring": _for_scorer(censoring, at[-1])},
    )


def dynamic_auc(times: Any, *, weights: Any = None, censoring: Any = None) -> Any:
    """Make a scorer of the area under the ROC curve at a time, or averaged over several.

    It asks models for ``predict`` and takes it as a risk: greater means an earlier event.

    Parameters
    ----------
    times : float or array-like of shape (n_times,)
        A time, in the unit of the target, or several, ascending.
    weights : array-like of shape (n_times,), default=None
        Weights of the times in the mean over them. None is the plain mean.
    censoring : survival target, default=None
        As in `neg_survival_brier_score`.

    Returns
    -------
    scorer
        As from `sklearn.metrics.make_scorer`.

    Raises
    ------
    ValueError
        If `times` are not ascending numbers of at least 0, `weights` do not fit them, or
        `censoring` is no survival target or ends before the last of them.

    See Also
    --------
    dynamic_auc_score : The function, with formulas and references.

    Examples
    --------
    >>> from sklearn_bbc.metrics import as_metric, dynamic_auc
    >>> as_metric(dynamic_auc([365, 730])).name
    'dynamic_auc_score_from_365_to_730'
    """
    at = checked_times(times)
    given = {
        "times": times if np.ndim(times) == 0 else tuple(at.tolist()),
        "weights": _checked_weights(weights, at),
    }
    return _risk_scorer(dynamic_auc_score, given, _for_scorer(censoring, at[-1]))


def uno_concordance(tau: float | None = None, *, censoring: Any = None) -> Any:
    """Make a scorer of Uno's concordance index.

    It asks models for ``predict`` and takes it as a risk: greater means an earlier event.

    Parameters
    ----------
    tau : float, default=None
        Only events before this time count, see `uno_concordance_score`. None takes all.
    censoring : survival target, default=None
        As in `neg_survival_brier_score`.

    Returns
    -------
    scorer
        As from `sklearn.metrics.make_scorer`.

    Raises
    ------
    ValueError
        If `tau` is negative or no number, or `censoring` is no survival target.

    See Also
    --------
    uno_concordance_score : The function, with formulas and references.

    Examples
    --------
    >>> from sklearn_bbc.metrics import as_metric, uno_concordance
    >>> as_metric(uno_concordance(tau=1000)).kwargs["tau"]
    1000
    """
    _checked_tau(tau)
    return _risk_scorer(uno_concordance_score, {"tau": tau}, _censoring_distribution(censoring))


def _for_scorer(censoring: Any, last: float) -> CensoringDistribution | None:
    distribution = _censoring_distribution(censoring)
    if distribution is not None:
        distribution.check(last)
    return distribution


def _risk_scorer(
    function: Callable[..., float], given: dict[str, Any], censoring: CensoringDistribution | None
) -> Any:
    kwargs = {name: value for name, value in given.items() if value is not None}
    if censoring is not None:
        kwargs["censoring"] = censoring
    return make_scorer(function, response_method="predict", **kwargs)
