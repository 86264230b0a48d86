"""Compare each sample's prediction with those by the winners of the draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._text import count, percent
from .._utils import explain_arguments, got
from ..contest._question import Question, check_oof
from ..exceptions import UndefinedIntervalError
from ..intervals._base import MAX_UNDEFINED, check_given, contest_for, too_often_undefined
from ..intervals._bbc import BBC, INTERVAL_PARAMETERS, draws_by
from ..predictions._predictions import OOFPredictions
from ..results._curves import StabilityResult
from ..results._results import ConfidenceInterval
from ._base import check_selects_one, of_survival, positive_details, target_of, wanted_by
from ._survival import response_with, risks_of_survival, time_named

EDGE = 0.025
"""Share of the draws beyond each of the limits of a prediction."""
ROUNDING = 1e-9


def time_compared(oof: OOFPredictions, time: Any) -> float | None:
    """Return the time by which risks are compared, of survival times; else None."""
    if of_survival(oof):
        return time_named(time, oof, "prediction_stability", "prediction_stability(time={})")
    if time is not None:
        raise ValueError(
            f"time is for survival times, event and time as the target, got time={got(time)}."
        )
    return None


def responses_compared(oof: OOFPredictions, time: float | None) -> tuple[str, ...]:
    """List the response methods whose predictions are compared, preferred first."""
    if time is not None:
        return (response_with(oof, np.array([time])),)
    return wanted_by("values" if oof.classes_ is None else "risks", oof)


def _compared(
    oof: OOFPredictions, pos_label: Any, time: float | None
) -> tuple[np.ndarray, str, Any]:
    """Read the predictions (n_configs, n_rows), what they are, and the positive class."""
    what = "prediction_stability"
    if time is None:
        needs, label = ("values", "value") if oof.classes_ is None else ("risks", "risk")
        _, predictions, positive = target_of(oof, needs, what, pos_label)
        return predictions, label, positive
    if pos_label is not None:
        raise ValueError(f"Survival times have no positive class, got pos_label={pos_label!r}.")
    risks = risks_of_survival(oof, np.array([time]), what)[..., 0]
    return risks, f"risk at {time:g}", None


@explain_arguments(of_method="prediction_stability(..., method=BBC({}=...))")
def prediction_stability(
    oof: OOFPredictions,
    scoring: Any,
    *,
    time: float | None = None,
    pos_label: Any = None,
    method: BBC | None = None,
) -> StabilityResult:
    """Compare each sample's predictions by the configurations that draws select.

    Several configurations often have nearly the same score, and another sample of the same size
    would have selected another one. That may change a person's predicted risk.

    Parameters
    ----------
    oof : OOFPredictions
        Out-of-fold predictions of every configuration.
    scoring : str, scorer or Metric
        The metric that selects. It must be given.
    time : float, default=None
        For survival times, the time by which the risks of the event are compared. None takes the
        one at which survival was predicted, where there is only one.
    pos_label : label, default=None
        The class whose probabilities are compared; needed with more than two classes.
    method : BBC, default=None
        For another number of draws, seed or threads, or a rule (`selection`) that selects one
        configuration in every draw. None is ``BBC()``, which selects the best score.

    Returns
    -------
    StabilityResult
        ``print`` it, look at its `frame()`, or draw it with
        `sklearn_bbc.display.StabilityDisplay`.

    Raises
    ------
    ValueError
        If there are no probabilities of classes, no predictions of a regression and no
        probabilities of surviving `time`, or a parameter is out of range.
    UndefinedIntervalError
        If what is selected, on all samples or in more than a tenth of the draws, predicts none.

    See Also
    --------
    sklearn_bbc.BBCSearchCV : Has it as a method, with the rule of the search.

    Notes
    -----
    The difference of a sample is the mean over the draws of the absolute difference between its
    out-of-fold prediction by the configuration that the draw selects and by the one that is
    selected on all samples. It is the mean absolute prediction error of [1]_ with a change: there
    models are fitted again to each draw, here only the selection is repeated. What fitting to
    other samples changes comes on top, so the numbers are lower limits of the instability. With
    repeated cross-validation predictions are means over the repeats.

    References
    ----------
    .. [1] R. D. Riley, G. S. Collins, "Stability of clinical prediction models developed
       using statistical or machine learning methods", Biometrical Journal 65, 2200302
       (2023). :doi:`10.1002/bimj.202200302`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import BBC, OOFPredictions
    >>> from sklearn_bbc.curves import prediction_stability
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 50)
    >>> risks = 1 / (1 + np.exp(-rng.normal(y[:, None] - 0.5, size=(100, 20))))
    >>> oof = OOFPredictions(y_true=y, y_pred=risks, fold=np.arange(100) // 10)
    >>> result = prediction_stability(oof, "roc_auc", method=BBC(random_state=0))
    >>> round(result.mean_difference, 2)
    0.1
    """
    unused = ("confidence_level", *INTERVAL_PARAMETERS)
    method = draws_by(BBC() if method is None else method, "prediction_stability", unused)
    check_oof(oof)
    time = time_compared(oof, time)

    def estimated() -> ConfidenceInterval:
        check_given(method, oof, scoring)
        contest = contest_for(method, Question(oof=oof, metric=scoring, rule=method.selection))
        check_selects_one(contest, "prediction_stability is about the predictions")
        return method.estimate(oof, scoring)

    return stability_in(oof, estimated, pos_label, time)


def stability_in(
    oof: OOFPredictions,
    estimated: Callable[[], ConfidenceInterval],
    pos_label: Any = None,
    time: float | None = None,
) -> StabilityResult:
    """Compare predictions by the winner with those by the winners of the draws of an interval."""
    predictions, label, positive = _compared(oof, pos_label, time)
    result = estimated()
    assert result.n_bootstraps is not None  # it has draws
    details, n_bootstraps = dict(result.details), result.n_bootstraps
    configs, shares = np.array(list(details["won"])), np.array(list(details["won"].values()))
    shares = shares / shares.sum()
    tested = np.flatnonzero(oof.tested)
    times = np.bincount(oof.sample, minlength=oof.n_samples)[tested]

    def of_samples(config: int) -> np.ndarray:
        """Average predictions over the times that a sample was held out, (n_tested,)."""
        total = np.bincount(oof.sample, predictions[config], minlength=oof.n_samples)
        return total[tested] / times

    own = of_samples(details["winner"])
    if np.isnan(own).all():
        raise UndefinedIntervalError(
            f"prediction_stability needs a {label} of each sample, which configuration "
            f"{details['winner']}, which is selected, did not predict."
            + " A CalibratedClassifierCV around it has predict_proba."
            * (time is None)
        )
    others = np.stack([of_samples(config) for config in configs])  # (n_won, n_tested)
    missing = np.isnan(others) | np.isnan(own)
    undefined = shares @ missing  # (n_tested,)
    there = ~too_often_undefined(undefined)
    n_undefined = round(n_bootstraps * float(shares[missing.any(axis=1)].sum()))
    if not there.any():
        raise UndefinedIntervalError(
            f"prediction_stability is undefined in {n_undefined} of {n_bootstraps} draws, "
            f"in which configurations win that predict no {label}."
        )
    # Each sample has the shares of the configurations that predict it.
    of_each = np.where(missing, 0.0, shares[:, None]) / np.where(there, 1 - undefined, np.nan)
    difference = np.where(missing, 0.0, of_each * np.abs(others - own)).sum(axis=0)
    order = np.argsort(others, axis=0)
    below = np.cumsum(np.take_along_axis(of_each, order, axis=0), axis=0)
    ranked = np.take_along_axis(others, order, axis=0)
    low, high = (
        np.take_along_axis(ranked, (below < share - ROUNDING).sum(axis=0)[None], axis=0)[0]
        for share in (EDGE, 1 - EDGE)
    )
    difference[~there] = low[~there] = high[~there] = np.nan
    if n_undefined:
        details["n_undefined"] = n_undefined
        note = _note_on_stability(n_undefined, n_bootstraps, there)
        details["notes"] = [*details["notes"], note]
    weights = np.ones(oof.n_samples) if oof.sample_weight is None else oof.sample_weight
    kept = (
        "winner", "winner_share", "won", "n_undefined", "seed", "notes", "unit", "block_length",
        "n_blocks", "block_kind",
    )  # fmt: skip
    return StabilityResult(
        sample=tested,
        predicted=own,
        difference=difference,
        low=low,
        high=high,
        mean_difference=float(np.average(difference[there], weights=weights[tested][there])),
        label=label,
        metric=details.get("selected_by", result.metric),
        n_bootstraps=n_bootstraps,
        details={name: details[name] for name in kept if name in details}
        | positive_details(oof, positive),
    )


def _note_on_stability(n_undefined: int, n_bootstraps: int, there: np.ndarray) -> str:
    """Compose the note on draws whose winner lacks predictions; `there` (n_tested,)."""
    left = int((~there).sum())
    return (
        f"In {n_undefined} of {n_bootstraps} draws a configuration is selected that did "
        "not predict every sample; there the other draws count."
        + f" {count(left, 'sample')} without a prediction in more than {percent(MAX_UNDEFINED)} "
        "of the draws have no limits." * bool(left)
    )
