"""The curves of survival times: calibration and net benefit at a time, scores over time.

What happened by a time is known of who had the event by then, and of who was followed beyond. The
others were censored before. Who is known stands for them, each weighted by one over the
probability of being known: then a curve is that of two classes on weighted samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._parameters import Whole
from .._scorers import is_survival_response, survival_response, times_of_response
from .._text import count
from .._utils import got
from .._warnings import warn_user
from ..contest._notes import FEW_EVENTS
from ..exceptions import IntervalWarning, UndefinedIntervalError
from ..metrics._calibration import times as products
from ..metrics._concordance import survival_target
from ..metrics._kaplan_meier import KaplanMeier
from ..metrics._survival import (
    CensoringDistribution,
    check_probabilities,
    checked_time,
    checked_times,
)
from ..predictions._predictions import OOFPredictions
from ..predictions._validation import lacks_response
from ._base import FEW_PER_CLASS, TINY_WIDTH, Curve, Times, check_predictions, of_survival
from ._binary import Calibration, NetBenefit, counts_above, net_benefit

USUAL_EVENTS = (0.1, 0.9)
"""Quantiles of the times of events between which scores over time are read."""


def response_with(oof: OOFPredictions, times: np.ndarray) -> str:
    """Name the response that holds the probabilities of surviving some times.

    The one with the fewest times besides, or, where none was recorded, the one to record.
    """
    known = {name: times_of_response(name) for name in oof.responses if is_survival_response(name)}
    holding = [name for name, each in known.items() if np.isin(times, each).all()]
    return min(holding, key=lambda name: len(known[name]), default=survival_response(times))


def time_named(
    time: Any, oof: OOFPredictions, what: str, call: str, plain_at: Times = None
) -> float:
    """Return the time that was named, or the only one that was recorded.

    `what` needs it, and `call` shows how to name one, for messages; `plain_at` as of
    `risks_of_survival`.
    """
    if time is not None:
        return float(checked_time(time)[0])
    known = [times_of_response(name) for name in oof.responses if is_survival_response(name)]
    if "plain" in oof.responses and plain_at is not None:
        known = [plain_at]
    recorded = np.unique(np.concatenate([*known, []]))
    if len(recorded) == 1:
        return float(recorded[0])
    there = ", ".join(f"{each:g}" for each in recorded[:20]) + ", ..." * (len(recorded) > 20)
    example = f"{recorded[len(recorded) // 2]:g}" if len(recorded) else "365"
    known_at = f", and survival was recorded at several: {there}" if len(recorded) else ""
    raise ValueError(f"{what} is about a time{known_at}. Name it: {call.format(example)}.")


def risks_of_survival(
    oof: OOFPredictions, times: np.ndarray, what: str, plain_at: Times = None
) -> np.ndarray:
    """Read the probabilities of the event by some times, (n_configs, n_rows, n_times).

    A configuration whose probabilities of surviving are none has NaN. `plain_at` are the
    times that a `y_pred` is about; `what` is the name for errors.
    """
    name = response_with(oof, times)
    if "plain" in oof.responses:
        own = plain_at
        if own is None or not np.isin(times, own).all():
            raise ValueError(
                f"{what} needs probabilities of surviving {_times_in_words(times)}, and y_pred "
                "holds "
                f"{'other predictions' if own is None else 'those of ' + _times_in_words(own)}. "
                "Give "
                "each kind by its name: OOFPredictions.from_rows(y_true=..., responses="
                f"{{'predict': risks, 'predict_survival_function({times[0]:g})': surviving}})."
            )
        values, known = oof.responses["plain"], own
    elif name not in oof.responses:
        raise lacks_response(what, (name,), oof.responses)
    else:
        values, known = oof.responses[name], times_of_response(name)
    if values[0].size != oof.n_rows * len(known):
        raise ValueError(
            f"{what} needs {len(known)} probabilities of surviving per sample, got predictions of "
            f"shape {values.shape}."
        )
    columns = np.searchsorted(known, times)
    risks = np.empty((oof.n_configs, oof.n_rows, len(times)))
    for config in range(oof.n_configs):
        surviving = np.reshape(values[config], (oof.n_rows, len(known)))[:, columns]
        surviving = np.asarray(surviving, dtype=np.float64)
        risks[config] = 1 - np.clip(surviving, 0, 1)
        missing = np.isnan(surviving).any(axis=1)
        try:
            check_probabilities(surviving[~missing])
        except ValueError:
            risks[config] = np.nan
    return risks


def _times_in_words(times: np.ndarray) -> str:
    if len(times) < 4:
        return " and ".join(f"{time:g}" for time in times)
    return f"{len(times)} times from {times[0]:g} to {times[-1]:g}"


def event_and_time(oof: OOFPredictions, what: str) -> np.ndarray:
    """Read the target of each row, (n_rows, 2); raise where it is another."""
    if not of_survival(oof) and oof.y_true.ndim != 2:
        n_classes = None if oof.classes_ is None else len(oof.classes_)
        found = "continuous values" if n_classes is None else f"{n_classes} classes"
        raise ValueError(
            f"{what} needs a survival target, event and time, got {found}. 'calibration' is for "
            "classes and continuous targets, 'roc' and 'net_benefit' are for classes."
        )
    check_predictions(oof, what)
    event, time = survival_target(oof.y_true)
    return np.column_stack([event, time])[oof.sample].astype(np.float64)


def _default_times(y: np.ndarray, n_points: int, what: str) -> np.ndarray:
    """Choose times (n_points,) between usual events of `y` (n_rows, 2).

    Where there are as many, `FEW_EVENTS` lie before, and samples were followed beyond.
    """
    of_events = y[y[:, 0] == 1, 1]
    if not len(of_events):
        raise UndefinedIntervalError(
            f"{what} needs events, but none of {len(y):,} samples has one: all are censored."
        )
    first, last = np.quantile(of_events, USUAL_EVENTS).tolist()
    if len(of_events) >= FEW_EVENTS < len(y):
        enough = np.sort(of_events)[FEW_EVENTS - 1], np.sort(y[:, 1])[-FEW_EVENTS - 1]
        if enough[0] < enough[1]:
            first, last = np.clip([first, last], *enough).tolist()
    return np.unique(np.linspace(first, last, n_points))


class Seen(NamedTuple):
    """What is known at a time: who had the event by then, and who was followed beyond (n_rows,).

    `weights` (n_draws, n_rows) are those of the draws, over the probability of being known: 0 for
    who is not. `defined` (n_draws,) is whether that is a number.
    """

    case: np.ndarray
    beyond: np.ndarray
    weights: np.ndarray
    defined: np.ndarray


class _OfTimes(Curve):
    """Base of the curves of survival times; `censoring` is as in their docstrings."""

    needs = "survival"
    fewest_events: ClassVar[int] = FEW_PER_CLASS
    _lacking = "nobody left out was followed beyond the time, or nobody had the event by then"
    censoring: Any

    def _times(self) -> np.ndarray:
        """Return the times that the curve is about, (n_times,)."""
        raise NotImplementedError

    def _responses(self, oof: OOFPredictions) -> tuple[str, ...]:
        if self.needs == "hazards":
            return super()._responses(oof)
        return (response_with(oof, self._times()),)

    def _read(
        self, oof: OOFPredictions, pos_label: Any = None, plain_at: Times = None
    ) -> tuple[np.ndarray, np.ndarray, Any]:
        what, times = type(self).__name__, self._times()
        y = event_and_time(oof, what)
        if pos_label is not None:
            raise ValueError(f"{what} has no positive class, got pos_label={got(pos_label)}.")
        if self.needs == "hazards":
            return y, self._hazards(oof), None
        return y, self._predicted(risks_of_survival(oof, times, what, plain_at)), None

    def _predicted(self, risks: np.ndarray) -> np.ndarray:
        return risks

    def _hazards(self, oof: OOFPredictions) -> np.ndarray:
        raise NotImplementedError

    def _check_followed(self, y: np.ndarray, times: np.ndarray) -> None:
        """Raise for times with too few events before, or too few samples followed beyond."""
        if self.censoring is not None:
            CensoringDistribution(self.censoring).check(times[-1])
        what = type(self).__name__
        for time in times.tolist():
            n_events = int((y[:, 0] * (y[:, 1] <= time)).sum())
            n_beyond = int((y[:, 1] > time).sum())
            if n_events < self.fewest_events:
                raise UndefinedIntervalError(
                    f"{what} needs at least {self.fewest_events} samples with an event by the "
                    f"time, got {n_events} by {time:g}. Take later times."
                )
            if n_beyond < FEW_PER_CLASS:
                raise UndefinedIntervalError(
                    f"{what} needs at least {FEW_PER_CLASS} samples that were followed beyond the "
                    f"time, got {n_beyond} beyond {time:g}. The longest follow-up is "
                    f"{y[:, 1].max():g}: take earlier times."
                )

    def _kinds(self, y: np.ndarray, grid: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        times = self._times()[:, None]
        return (y[:, 0] == 1) & (y[:, 1] <= times), y[:, 1] > times

    def _notes(self, oof: OOFPredictions, y: np.ndarray, grid: np.ndarray) -> list[str]:
        times, notes = self._times(), []
        by_sample = np.zeros((oof.n_samples, 2))
        by_sample[oof.sample] = y
        cases, beyond = (
            kind[:, oof.tested].sum(axis=1) for kind in _OfTimes._kinds(self, by_sample, grid)
        )
        few = [np.flatnonzero(kind < FEW_EVENTS) for kind in (cases, beyond)]
        if len(few[0]):
            last = few[0][-1]
            notes.append(f"{count(int(cases[last]), 'sample')} had an event by {times[last]:g}")
        if len(few[1]):
            first, n_beyond = few[1][0], int(beyond[few[1][0]])
            was = "was" if n_beyond == 1 else "were"
            notes.append(f"{count(n_beyond, 'sample')} {was} followed beyond {times[first]:g}")
        notes = [
            f"Only {note}. What did not happen among so few is in no draw, so limits there can be "
            "much too narrow."
            for note in notes
        ]
        for note in notes:
            warn_user(note, IntervalWarning)
        return notes

    def _seen(self, y: np.ndarray, weights: np.ndarray, times: np.ndarray) -> Iterator[Seen]:
        """Find what is known at each of some times; `weights` (n_draws, n_rows)."""
        event, time = y[:, 0] == 1, y[:, 1]
        weights = np.asarray(weights, dtype=np.float64)
        given, curve = self.censoring is not None, KaplanMeier(event, time, of_censoring=True)
        if given:
            distribution = CensoringDistribution(self.censoring)
            # The others have no part, and their times may lie beyond all that is known.
            before = distribution.before(np.where(event, time, 0.0))[None]
        else:
            kept = curve.of(weights)
            before = kept[:, curve.before(time)]
        for now in times:
            case, beyond = event & (time <= now), time > now
            at = distribution.at(np.array([now])) if given else kept[:, curve.at(now), None]
            chance = np.where(beyond, at, before)
            known = weights / np.where((case | beyond) & (chance > 0), chance, np.inf)
            # Without anybody followed beyond, nothing is known of censoring up to then.
            defined = np.any((weights > 0) & (beyond | given), axis=1)
            yield Seen(case, beyond, known, defined)


class _AtTime(_OfTimes):
    """Base of the curves at one time: those of two classes, the event by then or none."""

    time: Any

    def _times(self) -> np.ndarray:
        return checked_time(self.time)

    def _settled(self, oof: OOFPredictions, grid: Any = None, plain_at: Times = None) -> Curve:
        what = type(self).__name__
        call = f"curve={what}(time={{}}), from sklearn_bbc.curves"
        y = event_and_time(oof, what)
        time = time_named(self.time, oof, what, call, plain_at)
        self._check_followed(y, np.array([time]))
        return type(self)(**{**self.get_params(deep=False), "time": time})

    @property
    def _at(self) -> float | None:
        return float(self.time)

    def _predicted(self, risks: np.ndarray) -> np.ndarray:
        return risks[..., 0]


class SurvivalCalibration(_AtTime, Calibration):
    """Observed risk of the event by a time, by the predicted risk.

    Parameters
    ----------
    time : float, default=None
        The time, in the unit of the target. None takes the one at which survival was recorded,
        where there is only one.
    censoring : survival target, default=None
        Samples from which the distribution of censoring is estimated, once and for all. None
        estimates it from the samples that are scored, in every draw anew.
    bins : int or None, default=None
        As of `Calibration`: None fits a smooth curve.
    n_points : int, default=51
        Points of the smooth curve, evenly between the 1% and 99% quantile of the risks.

    See Also
    --------
    Calibration : The curve of two classes.
    sklearn_bbc.metrics.neg_survival_brier_score : Which models predict survival.

    Notes
    -----
    The predicted risk is 1 minus the predicted probability of surviving `time`. The curve is that
    of `Calibration` for the event by `time`, with the weights of inverse probability of censoring
    that the Brier score has [1]_: 1 / G(T-) after an event, 1 / G(time) for who was followed
    beyond, 0 for who was censored before. Without censoring it is `Calibration`.

    References
    ----------
    .. [1] T. A. Gerds, P. K. Andersen, M. W. Kattan, "Calibration plots for risk prediction models
       in the presence of competing risks", Statistics in Medicine 33, 3191-3203 (2014).
       :doi:`10.1002/sim.6152`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.curves import SurvivalCalibration
    >>> y = np.array([[1, 1.0], [0, 2.0], [1, 3.0], [0, 9.0], [1, 4.0], [0, 9.0]])
    >>> risks = np.array([0.9, 0.8, 0.7, 0.3, 0.2, 0.1])
    >>> halves = SurvivalCalibration(time=5.0, bins=2)
    >>> halves.values(y, risks, np.ones((1, 6)), np.array([0.2, 0.8])).round(3)
    array([[0.333, 1.   ]])
    """

    name = "survival_calibration"
    x_label = "predicted risk"
    y_label = "observed risk"

    def __init__(
        self,
        time: Any = None,
        *,
        censoring: Any = None,
        bins: int | None = None,
        n_points: int = 51,
    ) -> None:
        self.time = time
        self.censoring = censoring
        super().__init__(bins=bins, n_points=n_points)

    def values(
        self, y: np.ndarray, scores: np.ndarray, weights: np.ndarray, grid: np.ndarray
    ) -> np.ndarray:
        (seen,) = self._seen(y, weights, self._times())
        found, there = np.full((len(weights), len(grid)), np.nan), seen.defined
        found[there] = Calibration.values(self, seen.case, scores, seen.weights[there], grid)
        return found


class SurvivalNetBenefit(_AtTime, NetBenefit):
    r"""Net benefit at a time, by the threshold of risk above which somebody is treated.

    Parameters
    ----------
    time : float, default=None
        As of `SurvivalCalibration`.
    censoring : survival target, default=None
        As of `SurvivalCalibration`.
    low, high : float, default=0.01 and 0.99
        First and last threshold of the grid, inside (0, 1).
    n_points : int, default=99
        Points of the grid, evenly between them.

    See Also
    --------
    NetBenefit : The curve of two classes, and what the differences mean.

    Notes
    -----
    Of all samples, treated ones with the event by `time` are benefits, treated ones without it are
    harms, with :math:`t / (1 - t)` at the threshold :math:`t` [1]_. Their shares are sums of
    weights of inverse probability of censoring, see `SurvivalCalibration`, over the number of
    samples, as in the Brier score. Without censoring this is `NetBenefit`.

    With ``censoring=None`` the weights sum to the number of samples, and treating all has the
    share of events that Kaplan and Meier estimate. A distribution of censoring that is given knows
    nothing of these samples: then the sum differs by chance, and so does the share of events.

    The original takes an estimate of Kaplan and Meier among the treated alone, which has no value
    where they are few: differences between the two are those of estimates from the same data.

    References
    ----------
    .. [1] A. J. Vickers, A. M. Cronin, E. B. Elkin, M. Gonen, "Extensions to decision curve
       analysis, a novel method for evaluating diagnostic tests, prediction models and molecular
       markers", BMC Medical Informatics and Decision Making 8, 53 (2008).
       :doi:`10.1186/1472-6947-8-53`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.curves import SurvivalNetBenefit
    >>> y = np.array([[1, 1.0], [0, 2.0], [1, 3.0], [0, 9.0], [1, 4.0], [0, 9.0]])
    >>> risks = np.array([0.9, 0.8, 0.7, 0.3, 0.2, 0.1])
    >>> SurvivalNetBenefit(5.0).values(y, risks, np.ones((1, 6)), np.array([0.25, 0.5])).round(3)
    array([[0.306, 0.375]])
    """

    name = "survival_net_benefit"

    def __init__(
        self,
        time: Any = None,
        *,
        censoring: Any = None,
        low: float = 0.01,
        high: float = 0.99,
        n_points: int = 99,
    ) -> None:
        self.time = time
        self.censoring = censoring
        super().__init__(low=low, high=high, n_points=n_points)

    def values(
        self, y: np.ndarray, scores: np.ndarray, weights: np.ndarray, grid: np.ndarray
    ) -> np.ndarray:
        (seen,) = self._seen(y, weights, self._times())
        found, there = np.full((len(weights), len(grid)), np.nan), seen.defined
        total = np.asarray(weights, dtype=np.float64)[there].sum(axis=1, keepdims=True)
        found[there] = net_benefit(seen.case, scores, seen.weights[there], grid, total)
        return found

    def references(
        self, y: np.ndarray, weights: np.ndarray, grid: np.ndarray
    ) -> Mapping[str, np.ndarray]:
        (seen,) = self._seen(y, weights[None], self._times())
        cases, others = (seen.weights[0, rows].sum() for rows in (seen.case, seen.beyond))
        benefit = (cases - others * grid / (1 - grid)) / weights.sum()
        return {"treat all": benefit, "treat none": np.zeros(len(grid))}


class _OverTime(_OfTimes):
    """Base of the curves whose points are times."""

    x_label = "time"
    times: Any
    n_points: int
    _constraints = {"n_points": Whole(1)}

    def _times(self) -> np.ndarray:
        return checked_times(self.times)

    def _settled(self, oof: OOFPredictions, grid: Any = None, plain_at: Times = None) -> Curve:
        y = event_and_time(oof, type(self).__name__)
        times = self.times if grid is None else checked_times(grid, "grid")
        if times is None:
            times = self._recorded(oof, plain_at)
        if times is None:
            times = _default_times(y, self.n_points, type(self).__name__)
        self._check_followed(y, checked_times(times))
        return type(self)(**{**self.get_params(deep=False), "times": times})

    def _recorded(self, oof: OOFPredictions, plain_at: Times) -> np.ndarray | None:
        """Find several times at which survival was recorded."""
        return None

    def grid_of(self, y: np.ndarray, scores: np.ndarray) -> np.ndarray:
        if self.times is None:
            return _default_times(y, self.n_points, type(self).__name__)
        return self._times()


class BrierOverTime(_OverTime):
    """Brier score of predicted survival, by the time.

    Parameters
    ----------
    times : array-like of shape (n_times,), default=None
        Where to read it, ascending, in the unit of the target; so does the argument `grid` of
        `search.curve`. None takes the times at which survival was recorded, where there are
        several, otherwise `n_points` between the 10% and 90% quantile of the times of events.
    censoring : survival target, default=None
        As of `SurvivalCalibration`.
    n_points : int, default=20
        Number of times where none are given and none were recorded.

    See Also
    --------
    sklearn_bbc.metrics.survival_brier_score : At one time, with formulas and references.

    Notes
    -----
    Here smaller is better. No skill is the score of who predicts the estimate of Kaplan and
    Meier for everybody. With ``censoring=None`` this is S(t) (1 - S(t)).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.curves import BrierOverTime
    >>> y = np.array([[1, 2.0], [0, 3.0], [1, 5.0], [1, 9.0]])
    >>> risks = np.array([[0.5, 0.8], [0.0, 0.1], [0.2, 0.6], [0.1, 0.2]])  # by 2.5 and by 6
    >>> curve = BrierOverTime([2.5, 6.0])
    >>> curve.values(y, risks, np.ones((1, 4)), np.array([2.5, 6.0])).round(4)
    array([[0.075, 0.085]])
    """

    name = "brier_over_time"
    y_label = "Brier score"
    fewest_events = 0

    def __init__(self, times: Any = None, *, censoring: Any = None, n_points: int = 20) -> None:
        self.times = times
        self.censoring = censoring
        self.n_points = n_points

    def _recorded(self, oof: OOFPredictions, plain_at: Times) -> np.ndarray | None:
        known = [times_of_response(name) for name in oof.responses if is_survival_response(name)]
        if "plain" in oof.responses and plain_at is not None:
            known = [plain_at]
        longest = max(known, key=len, default=None)
        return longest if longest is not None and len(longest) > 1 else None

    def values(
        self, y: np.ndarray, scores: np.ndarray, weights: np.ndarray, grid: np.ndarray
    ) -> np.ndarray:
        found = np.full((len(weights), len(grid)), np.nan)
        total = np.asarray(weights, dtype=np.float64).sum(axis=1)
        for k, seen in enumerate(self._seen(y, weights, grid)):
            errors = np.square(scores[:, k] - seen.case)
            there = seen.defined
            found[there, k] = products(seen.weights[there], errors[:, None])[:, 0] / total[there]
        return found

    def references(
        self, y: np.ndarray, weights: np.ndarray, grid: np.ndarray
    ) -> Mapping[str, np.ndarray]:
        curve = KaplanMeier(y[:, 0] == 1, y[:, 1])
        risks = 1 - curve.of(np.asarray(weights, dtype=np.float64)[None])[0, curve.at(grid)]
        scores = [
            seen.weights[0] @ np.square(risk - seen.case) / weights.sum()
            for risk, seen in zip(risks, self._seen(y, weights[None], grid))
        ]
        return {"no skill": np.array(scores)}

    def _unseen(
        self,
        grid: np.ndarray,
        estimate: np.ndarray,
        shares: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> tuple[np.ndarray, np.ndarray]:
        # Where nobody was wrong, who was not seen may be as wrong as can be.
        return estimate, np.where(estimate < TINY_WIDTH, shares[2], estimate)


class AUCOverTime(_OverTime):
    """Area under the ROC curve of who had the event by a time, by the time.

    Parameters
    ----------
    times : array-like of shape (n_times,), default=None
        Where to read it, ascending, in the unit of the target; so does the argument `grid` of
        `search.curve`. None takes `n_points` between the 10% and 90% quantile of the times of
        events.
    censoring : survival target, default=None
        As of `SurvivalCalibration`.
    n_points : int, default=20
        Number of times where none are given.

    See Also
    --------
    sklearn_bbc.metrics.dynamic_auc_score : At one time, with formulas and references.

    Notes
    -----
    Models are asked for ``predict``, a risk that does not depend on the time: greater means an
    earlier event.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.curves import AUCOverTime
    >>> y = np.array([[1, 2.0], [0, 3.0], [1, 5.0], [1, 9.0], [0, 9.5]])
    >>> risks = np.array([0.9, 0.5, 0.2, 0.4, 0.1])
    >>> curve = AUCOverTime([2.5, 6.0])
    >>> curve.values(y, risks, np.ones((1, 5)), np.array([2.5, 6.0])).round(3)
    array([[1. , 0.7]])
    """

    name = "auc_over_time"
    y_label = "AUC"
    needs = "hazards"

    def __init__(self, times: Any = None, *, censoring: Any = None, n_points: int = 20) -> None:
        self.times = times
        self.censoring = censoring
        self.n_points = n_points

    def _hazards(self, oof: OOFPredictions) -> np.ndarray:
        what = type(self).__name__
        if oof.responses.keys().isdisjoint(("plain", "predict")):
            raise lacks_response(what, ("predict",), oof.responses)
        risks = oof.response("predict")[0]
        if risks.ndim > 2:
            raise ValueError(
                f"{what} needs one risk per sample, got predictions of shape {risks.shape[1:]} "
                "per configuration."
            )
        return np.asarray(risks, dtype=np.float64)

    def values(
        self, y: np.ndarray, scores: np.ndarray, weights: np.ndarray, grid: np.ndarray
    ) -> np.ndarray:
        found = np.full((len(weights), len(grid)), np.nan)
        for k, seen in enumerate(self._seen(y, weights, grid)):
            known = seen.case | seen.beyond
            true, false, _ = counts_above(seen.case[known], scores[known], seen.weights[:, known])
            area = np.einsum("bn,bn->b", true[:, 1:] + true[:, :-1], np.diff(false)) / 2
            pairs = true[:, -1] * false[:, -1]
            there = seen.defined & (pairs > 0)
            found[there, k] = area[there] / pairs[there]
        return found

    def references(
        self, y: np.ndarray, weights: np.ndarray, grid: np.ndarray
    ) -> Mapping[str, np.ndarray]:
        return {"no skill": np.full(len(grid), 0.5)}

    def _unseen(
        self,
        grid: np.ndarray,
        estimate: np.ndarray,
        shares: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> tuple[np.ndarray, np.ndarray]:
        # Where all pairs are in one order, those with who was not seen may be in the other.
        least = (1 - shares[0]) * (1 - shares[1])
        low = np.where(estimate > 1 - TINY_WIDTH, least, estimate)
        return low, np.where(estimate < TINY_WIDTH, 1 - least, estimate)
