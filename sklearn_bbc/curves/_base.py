"""Base of the curves, and the correction of a curve for the selection."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from .._lazy import whole
from .._parameters import Constraints, Whole, check_parameters
from .._scorers import response_words
from .._text import percent
from .._utils import (
    did_you_mean,
    explain_arguments,
    explain_init,
    got,
    is_integer,
    other_class,
    register,
    suppress_fp_warnings,
)
from ..contest._contest import Contest
from ..contest._question import Question, check_oof
from ..exceptions import UndefinedIntervalError
from ..intervals._base import (
    MAX_UNDEFINED,
    contest_for,
    too_often_undefined,
)
from ..intervals._bbc import BBC, INTERVAL_PARAMETERS, draws_by
from ..metrics._concordance import survival_target
from ..metrics._metric import as_metric
from ..metrics._survival import survival_times_of
from ..predictions._predictions import OOFPredictions
from ..predictions._validation import lacks_response
from ..results._curves import LIMITS, CurveResult
from ..selection._base import Outcome

_CURVES: dict[str, type[Curve]] = {}
FEW_PER_CLASS = 3
"""Fewer samples of a class give no curve."""
Times = np.ndarray | None
"""Times (n_times,) that predictions are about, None where they are about none."""
TINY_WIDTH = 1e-9
"""Spread of the draws at a point below which they are all the same."""


class Curve(BaseEstimator, ABC):
    """Base of the curves of one model: values on a grid, from predictions and weights.

    A curve is a subclass with a `name`, an ``__init__`` that stores its parameters, `grid_of` and
    `values`. It registers itself by `name`.

    Attributes
    ----------
    name : str
        Registered name.
    x_label, y_label : str
        Labels of the axes.
    needs : {"scores", "risks", "values", "survival", "hazards"}
        What is read from the predictions: any scores that rank two classes, probabilities of the
        positive class, or the predictions of a regression. Of survival times, which only the
        curves of this package read: probabilities of the event by some times, or risks.
    bounds : (float, float)
        Ends of the values of the curve.
    compared : tuple of str
        Names of `references` to which the difference is computed in every draw, with limits.

    Examples
    --------
    >>> from sklearn_bbc.curves import Curve
    >>> class ShareAbove(Curve):
    ...     name = "share_above"
    ...     x_label, y_label, needs, bounds = "threshold", "share above", "risks", (0, 1)
    ...
    ...     def grid_of(self, y, scores):
    ...         return np.array([0.25, 0.5, 0.75])
    ...
    ...     def values(self, y, scores, weights, grid):
    ...         above = scores[:, None] >= grid
    ...         return weights @ above / weights.sum(axis=1, keepdims=True)
    """

    name: ClassVar[str]
    x_label: ClassVar[str]
    y_label: ClassVar[str]
    needs: ClassVar[str] = "scores"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    compared: ClassVar[tuple[str, ...]] = ()
    # Why draws have no curve, for messages.
    _lacking: ClassVar[str] = (
        "a class, or every sample with a weight, is missing among those left out"
    )

    _constraints: ClassVar[Constraints] = {"n_points": Whole(2)}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        explain_init(cls)
        if "name" in cls.__dict__:
            register(_CURVES, cls, "curve")

    @abstractmethod
    def grid_of(self, y: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Return the points at which the curve is read.

        Parameters
        ----------
        y : ndarray of shape (n_rows,)
            Whether a sample is positive; target values for ``needs = "values"``.
        scores : ndarray of shape (n_rows,)
            Predictions of the selected configuration.

        Returns
        -------
        ndarray of shape (n_points,)
            Ascending.
        """

    @abstractmethod
    def values(
        self, y: np.ndarray, scores: np.ndarray, weights: np.ndarray, grid: np.ndarray
    ) -> np.ndarray:
        """Compute the curve of one model on weighted samples.

        Parameters
        ----------
        y, scores : ndarray of shape (n_rows,)
            As for `grid_of`.
        weights : ndarray of shape (n_draws, n_rows)
            Weight of each sample in each draw; 0 leaves it out.
        grid : ndarray of shape (n_points,)
            Where to read the curve.

        Returns
        -------
        ndarray of shape (n_draws, n_points)
            NaN where the curve is undefined.
        """

    def references(
        self, y: np.ndarray, weights: np.ndarray, grid: np.ndarray
    ) -> Mapping[str, np.ndarray]:
        """Return the curves of no skill, by name.

        Parameters
        ----------
        y : ndarray of shape (n_rows,)
            As for `grid_of`.
        weights : ndarray of shape (n_rows,)
            Weight of each sample.
        grid : ndarray of shape (n_points,)
            Where to read them.

        Returns
        -------
        mapping of str to ndarray of shape (n_points,)
            Name -> values.
        """
        return {}

    def _settled(self, oof: OOFPredictions, grid: Any = None, plain_at: Times = None) -> Curve:
        """Return the curve with the times that it is about, where it is about times.

        `grid` is that of `corrected_curve`, `plain_at` the times that a `y_pred` is about.
        """
        return self

    def _responses(self, oof: OOFPredictions) -> tuple[str, ...]:
        """List the response methods, see `responses_read`."""
        return wanted_by(self.needs, oof)

    def _read(
        self, oof: OOFPredictions, pos_label: Any = None, plain_at: Times = None
    ) -> tuple[np.ndarray, np.ndarray, Any]:
        """Return target (n_rows, ...), predictions (n_configs, n_rows, ...), positive class."""
        return target_of(oof, self.needs, type(self).__name__, pos_label)

    def _kinds(self, y: np.ndarray, grid: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mark positives and negatives, (n_rows,) or (n_points, n_rows)."""
        return y == 1, y != 1

    def _check_grid(self, grid: np.ndarray) -> None:
        """Raise where the curve cannot be read at some points."""

    def _notes(self, oof: OOFPredictions, y: np.ndarray, grid: np.ndarray) -> list[str]:
        """Note, and warn, where the curve rests on a handful of samples."""
        return []

    @property
    def _at(self) -> float | None:
        """Time that the curve is about, if it is about one."""
        return None

    def _grid_of_weighted(
        self, y: np.ndarray, scores: np.ndarray, weights: np.ndarray
    ) -> np.ndarray:
        """Do as `grid_of` for rows with weights (n_rows,), above 0."""
        return self.grid_of(y, scores)

    def _unseen(
        self,
        grid: np.ndarray,
        estimate: np.ndarray,
        shares: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> tuple[np.ndarray, np.ndarray]:
        """Find the lowest and highest curve (n_points,) with samples that no draw can hold.

        `shares` are the largest shares of positives, negatives and all samples that may have
        gone unseen, (1,) or (n_points,) each.
        """
        return estimate, estimate

    def _unseen_difference(
        self,
        name: str,
        grid: np.ndarray,
        estimate: np.ndarray,
        shares: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> tuple[np.ndarray, np.ndarray]:
        """Do as `_unseen` for the difference to one of `compared`."""
        return estimate, estimate


CURVE_ALIASES = {
    "auc": "auc_over_time",
    "brier": "brier_over_time",
    "brierscore": "brier_over_time",
    "calibrationplot": "calibration",
    "calibrationcurve": "calibration",
    "dca": "net_benefit",
    "decision": "net_benefit",
    "decisioncurve": "net_benefit",
    "decisioncurveanalysis": "net_benefit",
    "netbenefit": "net_benefit",
    "pr": "precision_recall",
    "prc": "precision_recall",
    "prcurve": "precision_recall",
    "precisionrecallcurve": "precision_recall",
    "reliability": "calibration",
    "reliabilitydiagram": "calibration",
    "roccurve": "roc",
    "rocauc": "roc",
    "timedependentauc": "auc_over_time",
}
"""What people call some curves, in small letters and digits only."""
OF_REGRESSION = {"calibration": "regression_calibration"}
"""Curve by name -> what it is for a target without classes."""
SURVIVAL_CURVES = {"calibration": "survival_calibration", "net_benefit": "survival_net_benefit"}
"""Curve by name -> what it is for survival times."""


def of_survival(oof: OOFPredictions) -> bool:
    """Check whether the target are events and times."""
    if oof.y_true.dtype.names is not None:
        return True
    if oof.classes_ is not None or oof.y_true.ndim != 2 or oof.y_true.dtype.kind not in "biuf":
        return False
    try:
        _, time = survival_target(oof.y_true)
    except ValueError:  # columns of something else
        return False
    return len(np.unique(time)) > 2  # else a pair of labels


def responses_read(curve: Curve, oof: OOFPredictions) -> tuple[str, ...]:
    """List the response methods that a curve reads, preferred first."""
    return curve._responses(oof)


def registered_curves() -> dict[str, type[Curve]]:
    """Map names to curves."""
    return whole(__package__, _CURVES)


def as_curve(
    curve: Any, oof: OOFPredictions | None = None, grid: Any = None, plain_at: Times = None
) -> Curve:
    """Return a curve from its name, or check one that was given.

    A name that classes, regressions and survival times share is that of the target of `oof`, and
    the times of a curve that names none are those of `oof`, see `Curve._settled`.
    """
    known = registered_curves()
    if isinstance(curve, str) and curve in known:
        if oof is not None and of_survival(oof):
            curve = SURVIVAL_CURVES.get(curve, curve)
        elif oof is not None and oof.classes_ is None:
            curve = OF_REGRESSION.get(curve, curve)
        curve = known[curve]()
    if isinstance(curve, Curve):
        check_parameters(curve)
        return curve if oof is None else curve._settled(oof, grid, plain_at)
    meant = did_you_mean(curve, known, CURVE_ALIASES)
    if isinstance(curve, type) and issubclass(curve, Curve):
        meant = f" Pass an object: {curve.__name__}()."
    raise ValueError(f"curve must be one of {sorted(known)} or a Curve, got {got(curve)}.{meant}")


def wanted_by(needs: str, oof: OOFPredictions) -> tuple[str, ...]:
    """List the response methods that a curve reads, preferred first; `needs` as in `Curve`.

    Decision values of several classes are not read: they may be those of pairs of classes.
    """
    if needs in ("values", "hazards"):
        return ("predict",)
    n_classes = 2 if oof.classes_ is None else len(oof.classes_)
    return ("decision_function",) * (needs == "scores" and n_classes < 3) + ("predict_proba",)


def check_predictions(oof: OOFPredictions, what: str) -> None:
    """Raise where there are only fold scores; `what` is the name for errors."""
    if not oof.responses:
        raise ValueError(
            f"{what} needs out-of-fold predictions, but there are only fold scores. "
            "OOFPredictions.from_search(search, X, y) fits a search again and keeps them."
        )


INSTEAD = {
    "NetBenefit": "SurvivalNetBenefit(time)",
    **dict.fromkeys(("Calibration", "RegressionCalibration"), "SurvivalCalibration(time)"),
    **dict.fromkeys(("ROC", "PrecisionRecall"), "'auc_over_time', or AUCOverTime(times)"),
}
"""Curve of classes -> what to take of survival times."""


def _check_not_survival(oof: OOFPredictions, what: str, needed: str) -> None:
    """Raise for survival times in place of classes or a continuous target."""
    if of_survival(oof):
        instead = f" Take {INSTEAD[what]}, from sklearn_bbc.curves." if what in INSTEAD else ""
        raise ValueError(f"{what} needs {needed}, got times of survival.{instead}")


def _curve_classes(oof: OOFPredictions, pos_label: Any, what: str) -> tuple[list[Any], int]:
    """Return the classes, and the position of the positive one among them."""
    _check_not_survival(oof, what, "a target with 2 classes")
    if oof.classes_ is None:
        raise ValueError(
            f"{what} needs a target with 2 classes, got a target without classes. For a "
            "regression take 'regression_calibration'."
        )
    labels = oof.classes_.tolist()
    if pos_label is None and len(labels) != 2:
        raise ValueError(
            f"{what} needs a target with 2 classes, got {len(labels)} classes. Take one against "
            f"the rest: pos_label={labels[-1]!r}, for example."
        )
    if pos_label is None:
        return labels, 1 if oof.pos_label is None else labels.index(oof.pos_label)
    if pos_label not in labels:
        raise ValueError(f"pos_label must be one of the classes {labels}, got {got(pos_label)}.")
    return labels, labels.index(pos_label)


def positive_details(oof: OOFPredictions, positive: Any) -> dict[str, Any]:
    """Make the entries of `details` that name the positive class and all classes."""
    classes = [] if oof.classes_ is None else oof.classes_.tolist()
    return {"positive_class": positive, "classes": classes}


def target_of(
    oof: OOFPredictions, needs: str, what: str, pos_label: Any = None
) -> tuple[np.ndarray, np.ndarray, Any]:
    """Return target (n_rows,), predictions (n_configs, n_rows) and positive class of a curve.

    `needs` is that of `Curve`, `what` the name for errors.
    """
    check_predictions(oof, what)
    if needs == "values":
        _check_not_survival(oof, what, "one continuous target")
        if oof.classes_ is not None or oof.y_true.dtype.kind not in "biuf" or oof.y_true.ndim > 1:
            raise ValueError(f"{what} needs one continuous target; 'calibration' is for classes.")
        if pos_label is not None:
            raise ValueError(f"{what} has no positive class, got pos_label={pos_label!r}.")
        return oof.y_true[oof.sample].astype(float), oof.response("predict")[0], None
    labels, column = _curve_classes(oof, pos_label, what)
    y = oof.y_true == labels[column]
    fewest = min(int(y.sum()), int((~y).sum()))
    if fewest < FEW_PER_CLASS:
        raise UndefinedIntervalError(
            f"{what} needs at least {FEW_PER_CLASS} samples of each class, got {fewest}."
        )
    wanted = wanted_by(needs, oof)
    if oof.responses.keys().isdisjoint(["plain", *wanted]):
        raise lacks_response(what, wanted, oof.responses)
    scores, used = oof.response(wanted)
    given = labels[1]  # what one number for a sample is of
    if len(labels) > 2:
        if scores.ndim < 3:
            raise ValueError(f"{what} needs a probability of each class as y_pred, got labels.")
        scores, given = scores[..., column], labels[column]
    elif scores.ndim == 3:
        scores = scores[..., 1]
    if used == "plain" and scores.dtype.kind not in "fiub":
        raise ValueError(f"{what} needs scores of class {given!r} as y_pred, got labels.")
    risks = used == "predict_proba" or needs == "risks"
    if risks and used == "plain" and ((scores < 0) | (scores > 1)).any():
        raise ValueError(
            f"{what} needs probabilities of class {given!r}, between 0 and 1, got values from "
            f"{np.nanmin(scores):.3g} to {np.nanmax(scores):.3g}. Decision values are not risks: "
            "take predict_proba, or a CalibratedClassifierCV."
        )
    if risks and used == "plain" and np.isin(scores[~np.isnan(scores)], (0, 1)).all():
        raise ValueError(
            f"{what} needs probabilities of class {given!r} as y_pred, got only 0 and 1, as "
            "labels have: take predict_proba, not predict."
        )
    if given != labels[column]:
        scores = other_class(scores) if risks else -scores
    return y[oof.sample], scores, labels[column]


def check_selects_one(contest: Contest, what: str) -> None:
    """Raise where the rule of a contest reports something else than one configuration."""
    if not contest.rule.of_configurations:
        raise ValueError(
            f"{what} of one configuration, and {type(contest.selection).__name__} reports "
            "something else. Take a rule that selects one configuration, such as BestScore()."
        )


@explain_arguments(of_method="corrected_curve(..., method=BBC({}=...))")
def corrected_curve(
    oof: OOFPredictions,
    scoring: Any = None,
    curve: Any = "roc",
    *,
    grid: Any = None,
    pos_label: Any = None,
    method: BBC | None = None,
) -> CurveResult:
    """Correct a curve of the selected configuration for the selection.

    Every draw repeats the selection on the drawn samples, as `BBC` does, and takes the curve of
    its winner on the samples left out. Nothing is refitted.

    Parameters
    ----------
    oof : OOFPredictions
        Out-of-fold predictions of every configuration.
    scoring : str, scorer or Metric
        The metric that selects. It must be given.
    curve : {"roc", "precision_recall", "calibration", "net_benefit", "brier_over_time", \
            "auc_over_time"} or Curve, default="roc"
        What to draw of the selected configuration; objects have options. Of a regression there
        is ``"calibration"``, which is then `RegressionCalibration`. Of survival times there are
        the last two, and ``"calibration"`` and ``"net_benefit"``, which are then
        `SurvivalCalibration` and `SurvivalNetBenefit` at the time of the predictions.
    grid : array-like of shape (n_points,), default=None
        Where to read the curve, ascending; None takes the curve's own points. Of scores over
        time these are the times.
    pos_label : label, default=None
        The positive class. None takes that of `oof`, or the second of two classes; with more
        classes it is needed, and is taken against the rest by its column of `predict_proba`.
    method : BBC, default=None
        For another confidence level, of the curve at a point or as a whole, number of draws, seed
        or threads, or a rule (`selection`) that selects one configuration in every draw. None is
        ``BBC()``, which selects the best score.

    Returns
    -------
    CurveResult
        Apparent and corrected curve with pointwise and joint limits. Decision curves also have
        their differences to treating all and to treating none.

    Raises
    ------
    ValueError
        If the curve cannot be drawn from these predictions, or a parameter is out of range.
    UndefinedIntervalError
        If a class has fewer than 3 samples, or fewer have an event by a time or are followed
        beyond it; if the selected configuration has no score, or configurations without the
        predictions that the curve needs win in many draws.

    Warns
    -----
    IntervalWarning
        If fewer than 10 samples have an event by a time, or are followed beyond it.

    See Also
    --------
    sklearn_bbc.display.CurveDisplay : Draws it.

    Notes
    -----
    The estimate is the mean over the draws at each point. Pointwise limits are quantiles of the
    draws. Joint limits are for all points at once: the estimate plus and minus the standard
    deviation of the draws times the quantile of the largest standardised deviation over the grid
    [1]_, and nowhere narrower than the pointwise ones. With repeated cross-validation a curve is
    the mean over the repeats.

    Draws hold only what was seen: where no sample is beyond a threshold, they all agree. So joint
    limits of "roc", "precision_recall" and "net_benefit" reach at least as far as the exact
    binomial limit of what none of n samples showed, a share of ``1 - ((1 - level) / 2) ** (1 /
    n)``; where all draws agree, pointwise limits reach as far.

    Time O(n_bootstraps * n_samples * n_configs) for the selection.

    References
    ----------
    .. [1] J. L. Montiel Olea, M. Plagborg-Moller, "Simultaneous confidence bands: Theory,
       implementation, and an application to SVARs", Journal of Applied Econometrics 34, 1-17
       (2019). :doi:`10.1002/jae.2656`

    Examples
    --------
    >>> from sklearn_bbc import BBC
    >>> from sklearn_bbc.curves import corrected_curve
    >>> from sklearn_bbc.testing import example_predictions
    >>> method = BBC(random_state=0)
    >>> result = corrected_curve(example_predictions(), "roc_auc", "roc", method=method)
    >>> result.frame().columns.tolist()
    ['apparent', 'estimate', 'low', 'high', 'low_joint', 'high_joint', 'no skill']
    """
    method = draws_by(BBC() if method is None else method, "corrected_curve", INTERVAL_PARAMETERS)
    check_oof(oof)
    if scoring is None:
        raise ValueError(
            "scoring must be given, the metric by which the configuration is selected in every "
            "draw, for example corrected_curve(oof, 'roc_auc', 'roc')."
        )
    question = Question(oof=oof, metric=as_metric(scoring), rule=method.selection)
    return curve_of(question, curve, grid, pos_label, method)


def curve_of(
    question: Question, curve: Any, grid: Any, pos_label: Any, method: BBC
) -> CurveResult:
    """Compute the curve of what a question is about, see `corrected_curve`."""
    check_parameters(method)
    oof, plain_at = question.predictions("curve"), survival_times_of(question.metric)
    shape, confidence_level = as_curve(curve, oof, grid, plain_at), method.confidence_level
    y, scores, positive = shape._read(oof, pos_label, plain_at)
    absent = np.isnan(scores).any(axis=tuple(range(2, scores.ndim)))  # (n_configs, n_rows)
    contest = contest_for(method, question)
    oof, rule = contest.oof, contest.rule
    check_selects_one(contest, f"{type(shape).__name__} is the curve")
    contest.check_scored()
    if (winner := contest.winner) < 0:
        winner = int(rule.on_all()["config"][0])
    if absent[winner].all():
        raise UndefinedIntervalError(
            f"{type(shape).__name__} needs predictions that configuration {winner}, which is "
            f"selected, did not give. {_how_to_have(shape)}"
        )
    own = np.ones(oof.n_samples) if oof.sample_weight is None else oof.sample_weight
    counts = ~absent[winner] & (own[oof.sample] > 0)
    points = _checked_grid(grid, shape, y[counts], scores[winner, counts], own[oof.sample][counts])

    n_values = len(points) * (1 + len(shape.compared))

    def mean_over_repeats(config: int, weights: np.ndarray) -> np.ndarray:
        """Compute mean curves, then differences, of weights (n_draws, n_samples).

        Returns shape (n_draws, n_values).
        """
        parts = []
        for repeat in range(oof.n_repeats):
            rows = np.flatnonzero((oof.repeat == repeat) & ~absent[config])
            if not len(rows):  # it gave no such predictions
                return np.full((len(weights), n_values), np.nan)
            of_rows = weights[:, oof.sample[rows]]
            found = shape.values(y[rows], scores[config, rows], of_rows, points)
            parts.append(np.hstack([found, *_differences(shape, found, y[rows], of_rows, points)]))
        return np.mean(parts, axis=0)

    def of_winners(outcome: Outcome, left_out: np.ndarray) -> np.ndarray:
        chosen = outcome["config"]
        values = np.full((len(left_out), n_values), np.nan)
        for config in np.unique(chosen[chosen >= 0]).tolist():
            drawn = chosen == config
            values[drawn] = mean_over_repeats(config, left_out[drawn] * own)
        return values

    with suppress_fp_warnings():
        apparent = mean_over_repeats(winner, own[None])[0]
        repeated = contest.repeated(method, of_winners)
    # The curve itself, then its differences, in draws and on all samples.
    values, *differences = np.split(repeated.values, 1 + len(shape.compared), axis=1)
    apparent, *apparent_differences = np.split(apparent, 1 + len(shape.compared))
    shares = _unseen_shares(oof, shape._kinds(y, points), own, confidence_level)
    details = repeated.details() | {"winner": winner} | positive_details(oof, positive)
    details |= {} if shape._at is None else {"time": shape._at}
    without = np.isnan(values).all(axis=1)
    if too_often_undefined(without.mean()):
        lacks = np.isin(repeated.chosen["config"], np.flatnonzero(absent.all(axis=1)))
        wanted = " or ".join(map(response_words, shape._responses(oof)))
        why = f"configurations win that did not give {wanted}"
        if lacks.sum() < without.sum() / 2:
            why = shape._lacking
        raise UndefinedIntervalError(
            f"{type(shape).__name__} is undefined in {without.sum()} of {len(values)} draws, in "
            f"which {why}."
        )
    details["notes"] += shape._notes(oof, y, points)
    undefined = int(np.isnan(values).any(axis=1).sum())
    if undefined:
        details["n_undefined"] = undefined
        details["undefined"] = np.isnan(values).mean(axis=0)
        details["notes"].append(
            f"In {undefined} of {len(values)} draws the curve is undefined at some points; limits "
            "there are those of the other draws."
            + f" Where more than {percent(MAX_UNDEFINED)} lack a value there are none."
            * bool(too_often_undefined(np.isnan(values).mean(axis=0)).any())
        )
    return CurveResult(
        curve=shape.name,
        x_label=shape.x_label + ("" if shape._at is None else f" at {shape._at:g}"),
        y_label=shape.y_label,
        grid=points,
        apparent=apparent,
        **limits_of(
            values, confidence_level, shape.bounds, partial(shape._unseen, points, shares=shares)
        ),
        references=shape.references(y, own[oof.sample], points),
        differences={
            name: _table_of(
                before,
                limits_of(
                    of_draws,
                    confidence_level,
                    (-np.inf, np.inf),
                    partial(shape._unseen_difference, name, points, shares=shares),
                ),
            )
            for name, before, of_draws in zip(shape.compared, apparent_differences, differences)
        },
        predicted=scores[winner],
        metric=details.get("selected_by", rule.selecting.metric.name),
        confidence_level=confidence_level,
        n_bootstraps=method.n_bootstraps,
        details=details,
    )


def _table_of(apparent: np.ndarray, limits: Mapping[str, np.ndarray]) -> np.ndarray:
    """Put the columns `LIMITS` of a curve side by side, (n_points, 6)."""
    return np.column_stack([apparent, *(limits[name] for name in LIMITS[1:])])


def _differences(
    shape: Curve, values: np.ndarray, y: np.ndarray, weights: np.ndarray, grid: np.ndarray
) -> list[np.ndarray]:
    """Subtract in every draw what a curve is compared with, (n_draws, n_points) each."""
    if not shape.compared:
        return []
    found = np.full((len(shape.compared), *values.shape), np.nan)
    for draw in np.flatnonzero(weights.any(axis=1)):
        references = shape.references(y, weights[draw], grid)
        found[:, draw] = values[draw] - np.stack([references[name] for name in shape.compared])
    found[np.abs(found) < TINY_WIDTH] = 0.0  # of two sums that are equal rounding is left
    return list(found)


def _how_to_have(shape: Curve) -> str:
    """Advise where the selected configuration has no predictions for a curve."""
    if shape.needs == "survival":
        return (
            "Probabilities of surviving must lie between 0 and 1, not rise with time, and not be "
            "NaN."
        )
    return "A CalibratedClassifierCV around it has predict_proba."


def _checked_grid(
    grid: Any, curve: Curve, y: np.ndarray, scores: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Return the points that were given, or the curve's own for the rows that count."""
    if grid is None:
        return curve._grid_of_weighted(y, scores, weights)
    name = type(curve).__name__
    try:
        points = np.asarray(grid, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"grid must be numbers, got {got(grid)}.") from error
    if not points.ndim:
        n_points = f" For so many points: curve={name}(n_points={grid})." * is_integer(grid, 2)
        raise ValueError(
            f"grid must be the points at which {name} is read, one after the other, such as "
            f"[0.1, 0.2, 0.3], got {got(grid)}.{n_points}"
        )
    if points.ndim != 1 or not len(points) or not np.isfinite(points).all():
        raise ValueError(f"grid must be finite numbers, one after the other, got {got(grid)}.")
    if (np.diff(points) <= 0).any():
        raise ValueError(f"grid must be ascending, without repetitions, got {got(grid)}.")
    curve._check_grid(points)
    return points


def _unseen_shares(
    oof: OOFPredictions, kinds: tuple[np.ndarray, np.ndarray], weights: np.ndarray, level: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute exact upper limits of shares never seen among positives, negatives, all.

    `kinds` are masks of positives and negatives, (n_rows,) or (n_points, n_rows), `weights`
    (n_samples,). Limits are (1,) or (n_points,).
    """
    clusters = oof.clusters
    units = oof.sample if clusters is None else clusters[oof.sample]
    counted = weights[oof.sample] > 0
    positives, negatives = (np.atleast_2d(kind) & counted for kind in kinds)
    found = [
        np.array([unseen_share(len(np.unique(units[held])), level) for held in masks])
        for masks in (positives, negatives, positives | negatives)
    ]
    return found[0], found[1], found[2]


def unseen_share(n_units: int, level: float) -> float:
    """Compute the exact upper limit of a share that none of some units showed."""
    return float(1 - ((1 - level) / 2) ** (1 / max(n_units, 1)))


def limits_of(
    values: np.ndarray,
    level: float,
    bounds: tuple[float, float],
    unseen: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]] = lambda curve: (curve, curve),
) -> dict[str, np.ndarray]:
    """Compute estimate and limits (n_points,) of draws (n_draws, n_points).

    Those that too few draws define are NaN, see `too_often_undefined`.
    `unseen` gives the ends that joint limits reach at least, and others where all draws agree.
    """
    there = ~too_often_undefined(np.isnan(values).mean(axis=0))
    result = {name: np.full(values.shape[1], np.nan) for name in LIMITS[1:]}
    if not there.any():
        return result
    values, tail = values[:, there], (1 - level) / 2
    estimate, spread = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
    low, high = np.nanquantile(values, [tail, 1 - tail], axis=0)
    varies = spread > TINY_WIDTH
    largest = np.zeros(1)
    if varies.any():
        standardised = np.abs(values[:, varies] - estimate[varies]) / spread[varies]
        largest = np.fmax.reduce(standardised, axis=1)
    reach = np.nanquantile(largest, level) * np.where(varies, spread, 0.0)
    result["estimate"][there] = estimate
    lowest, highest = (np.clip(end, *bounds)[there] for end in unseen(result["estimate"]))
    low = np.where(varies, low, np.minimum(low, lowest))
    high = np.where(varies, high, np.maximum(high, highest))
    # Draws may be skewed: a band for all points is nowhere narrower than that of one point.
    low_joint = np.minimum(np.minimum(low, lowest), np.clip(estimate - reach, *bounds))
    high_joint = np.maximum(np.maximum(high, highest), np.clip(estimate + reach, *bounds))
    for name, found in zip(LIMITS[2:], (low, high, low_joint, high_joint)):
        result[name][there] = found
    return result
