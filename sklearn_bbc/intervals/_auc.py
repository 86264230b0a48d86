"""Intervals for the area under the ROC curve: influence curve, DeLong, Hanley and McNeil."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.stats import norm

from .._notes import warned
from .._rounding import without_rounding
from .._utils import with_parameters
from ..contest._contest import Contest
from ..contest._notes import unit_of
from ..exceptions import UndefinedIntervalError
from ..metrics._metric import BoundMetric
from ..metrics._placements import AUCParts, auc_parts
from ..predictions._predictions import OOFPredictions
from ..resampling import Units
from ..results._results import ConfidenceInterval
from ._learn_evaluate import LearnEvaluate
from ._notes import note_degenerate
from ._single_base import OF_TWO, OneConfigInterval, OneConfigTask

AUC_OF_FOLD_MODELS = (
    "mean score on new samples of the models of the folds, of one configuration fixed in advance"
)


@with_parameters
class CVAUC(OneConfigInterval):
    """Influence-curve interval for the cross-validated area under the ROC curve.

    The estimate is the mean of the areas of the folds, so scores of different models are
    never compared with each other.

    Parameters
    ----------
    half_credit : bool, default=True
        Count tied scores one half in the influence curve, as in the area itself. False
        counts them not at all, as the published code does; the two agree without ties.
    {config}
    {sides}

    Raises
    ------
    UndefinedIntervalError
        If a fold lacks a class; the message names the fold.

    See Also
    --------
    DeLong : For predictions of all folds on one scale.

    Notes
    -----
    In fold v with area a_v the influence of a positive sample is
    ``(n / n_pos) * (share of the fold's negatives with a smaller score - a_v)``, that of
    a negative sample ``(n / n_neg) * (share of the fold's positives with a larger score -
    a_v)``. The variance is the mean over the folds of their mean squared influence,
    divided by n. With groups, which no two folds may share, influences are added up
    within a group first. Bounds are cut at 0 and 1, the uncut ones are in
    ``details["unclipped"]``. Of repeated cross-validation, areas and influences are
    averaged over the repeats. Time O(n log n).

    `details` of the result: ``standard_error``, ``fold_scores``, ``degenerate``,
    {details of one}.

    References
    ----------
    .. [1] E. LeDell, M. Petersen, M. van der Laan, "Computationally efficient confidence
       intervals for cross-validated area under the ROC curve estimates", Electronic
       Journal of Statistics 9, 1583-1607 (2015). :doi:`10.1214/15-EJS1035`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import CVAUC
    >>> y = np.array([0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0])
    >>> scores = np.array([0.2, 0.7, 0.4, 0.3, 0.9, 0.1, 0.5, 0.6, 0.8, 0.35, 0.45, 0.55])
    >>> oof = OOFPredictions(y_true=y, y_pred=scores, fold=np.repeat([0, 1], 6))
    >>> result = CVAUC().estimate(oof, "roc_auc")
    >>> print(f"{result.estimate:.4f}, {result.details['standard_error']:.4f}, {result.low:.4f}")
    0.8333, 0.1200, 0.5981
    """

    name = "cvauc"
    label = ("the influence curve of the cross-validated AUC", "influence curve (cvAUC)")
    abbreviation = "cvAUC"
    requires = frozenset({"predictions", "folds", "binary", "auc", "unweighted"})
    estimand = AUC_OF_FOLD_MODELS
    meant_for = (
        "the area under the ROC curve of the models of the folds, compared within folds only"
    )
    cost = "O(N log N)"
    limits = "folds without a class are refused, with fewer than about 5 of each it is unstable"
    half_credit: bool = True
    config: int | None = None
    confidence_level: float = 0.95
    alternative: str = "two-sided"

    def _estimate(self, contest: Contest) -> ConfidenceInterval:
        oof, kernel = contest.oof, contest.scored
        target = self._target(contest)
        parts = kernel.held_out(np.array([target.config]))
        n_rows = sum(len(part.sample) for part in parts) / len(parts)
        influence = np.zeros(oof.n_samples)
        variance_of_fold, areas = [], []
        for part in parts:
            positive = part.rows.y_codes() == 1
            # Only their order counts, and ranks can be negated where booleans cannot.
            scores = np.unique(part.rows.pred[0], return_inverse=True)[1]
            for fold in np.unique(part.fold):
                here = np.flatnonzero(part.fold == fold)
                self._check_classes(positive[here], int(fold))
                above, below = scores[here][positive[here]], scores[here][~positive[here]]
                wins = placements(above, below, self.half_credit)
                losses = placements(-below, -above, self.half_credit)
                area = placements(above, below, True).mean()
                areas.append(float(area))
                curve = np.empty(len(here))
                curve[positive[here]] = len(positive) / positive.sum() * (wins - area)
                curve[~positive[here]] = len(positive) / (~positive).sum() * (losses - area)
                influence[part.sample[here]] += curve / len(parts)
        clusters = np.arange(oof.n_samples) if oof.clusters is None else oof.clusters
        groups = np.unique(clusters, return_inverse=True)[1]
        for fold in np.unique(parts[0].fold):
            samples = parts[0].sample[parts[0].fold == fold]
            unit = np.unique(groups[samples], return_inverse=True)[1]
            variance_of_fold.append(np.mean(np.bincount(unit, influence[samples]) ** 2))
        n_units = len(np.unique(groups[oof.tested]))
        size = n_rows / n_units  # mean number of samples per unit
        variance = float(np.mean(variance_of_fold)) / size**2 / n_units
        target.details.update(fold_scores=areas)
        around = f"an area of {np.mean(areas):g}"
        note_degenerate(target.details, "CVAUC", not variance > 0, around=around)
        return self._normal(target, float(np.mean(areas)), float(np.sqrt(variance)))

    @staticmethod
    def _check_classes(positive: np.ndarray, fold: int) -> None:
        if positive.all() or not positive.any():
            raise UndefinedIntervalError(
                f"CVAUC needs both classes in every fold, but fold {fold} has only class "
                f"{int(positive[0])} in {len(positive)} samples. Use fewer, stratified folds."
            )


def placements(scores: np.ndarray, others: np.ndarray, half_credit: bool) -> np.ndarray:
    """Compute the share of `others` below each score; ties count one half or nothing."""
    ordered = np.sort(others)
    below = np.searchsorted(ordered, scores, side="left")
    if not half_credit:
        return below / len(others)
    up_to = np.searchsorted(ordered, scores, side="right")
    return (below + up_to) / (2 * len(others))


@with_parameters
class DeLong(OneConfigInterval):
    """DeLong's interval for the area under the ROC curve of one configuration.

    Parameters
    ----------
    {config}
    selection : LearnEvaluate, default=None
        Select on one part of the samples and compute the interval on the other, at
        Šidák's level for the number of candidates. The method is then called ``"DL"``
        (one candidate) or ``"DL10p"`` (the top tenth).
    logit : bool, default=False
        Compute the bounds for the log odds of the area: they stay between 0 and 1 and
        are asymmetric, which is closer to the truth for areas near 1.
    {sides}

    See Also
    --------
    HanleyMcNeil : From the area and the class sizes alone.
    BBC : Accounts for the selection of the winner, for any metric.

    Notes
    -----
    The variance comes from the placements of the positive samples among the negative ones
    and the reverse [1]_. It takes the scores as fixed before these samples were seen, and
    the samples as independent. With groups the units are groups [2]_; with repeated
    cross-validation the area is the mean over the repeats, and its variance that of the
    mean. Ties count one half; the direction is fixed: larger scores speak for the second
    class. Bounds are cut at 0 and 1, the uncut ones are in ``details["unclipped"]``.

    A perfect ranking has variance 0 and bounds at 1, which is certainly wrong: it is
    marked by ``details["degenerate"]`` and a warning; with `logit` the bounds are NaN. So is
    a `difference` without variance; its p-value is 1 where the areas are equal, else 0.

    `details` of the result: ``form`` (``"plain"`` or ``"logit scale"``), ``standard_error``,
    ``degenerate``, ``config``, ``winner``, ``winner_by``, ``selection_accounted_for``,
    ``unit``, ``n_positive``, ``n_negative`` (units), ``n_untested``, ``n_configs``,
    ``n_valid``, ``kernel``, ``response``, ``notes``; with `selection` also
    ``candidates``, ``n_learn``, ``n_evaluate``, ``adjusted_level``, ``learn_score``,
    ``selection_seed``. Time O(n_samples log n_samples).

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, "Comparing the areas under
       two or more correlated receiver operating characteristic curves: a nonparametric
       approach", Biometrics 44, 837-845 (1988). :doi:`10.2307/2531595`
    .. [2] N. A. Obuchowski, "Nonparametric analysis of clustered ROC curve data",
       Biometrics 53, 567-578 (1997). :doi:`10.2307/2533958`
    .. [3] P. Rink, W. Brannath, "Post-selection confidence bounds for prediction
       performance", Machine Learning 114, 82 (2025). :doi:`10.1007/s10994-024-06632-w`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import DeLong
    >>> y = np.array([0, 0, 0, 1, 1, 1])
    >>> scores = np.array([0.1, 0.4, 0.35, 0.8, 0.4, 0.9])
    >>> oof = OOFPredictions(y_true=y, y_pred=scores)
    >>> result = DeLong(confidence_level=0.9).estimate(oof, "roc_auc")
    >>> print(f"{result.estimate:.4f} from {result.low:.4f} to {result.high:.4f}")
    0.9444 from 0.8152 to 1.0000
    """

    name = "delong"
    label = ("DeLong's method", "DeLong")
    form_labels = {
        "logit scale": ("DeLong's method on the logit scale", "DeLong, logit scale"),
    }
    meant_for = "the area under the ROC curve of one model on samples that it has not seen"
    cost = "O(N log N)"
    limits = (
        "the winner of several; perfect rankings (width 0, marked); predictions of different "
        "folds on different scales"
    )
    abbreviation = "DL"
    pairs = True
    not_for_pairs = ("logit", "config", "selection")
    requires = frozenset({"predictions", "binary", "auc"})
    config: int | None = None
    selection: LearnEvaluate | None = None
    logit: bool = False
    confidence_level: float = 0.95
    alternative: str = "two-sided"

    def _estimate(self, contest: Contest) -> ConfidenceInterval:
        target = self._target(contest)
        check_repeats(target.oof, "DeLong")
        parts = auc_parts_of(target.kernel, np.array([target.config]))
        check_both_classes(parts, target.kernel, target.details["unit"], "DeLong")
        variance = float(parts.covariance()[0, 0])
        target.details.update(n_positive=parts.n_positive, n_negative=parts.n_negative)
        target.details["form"] = "logit scale" if self.logit else "plain"
        around = f"an area of {target.estimate:g}"
        note_degenerate(target.details, "DeLong", variance <= 0, around=around)
        return self._normal(
            target, target.estimate, float(np.sqrt(max(variance, 0.0))), on_logit_scale=self.logit
        )

    def _difference(self, contest: Contest) -> ConfidenceInterval:
        oof, kernel = contest.oof, contest.scored
        unit = unit_of(oof)
        parts, difference, standard_error = paired_areas(kernel, "DeLong")
        statistic = difference / standard_error if standard_error > 0 else 0.0
        if not standard_error > 0 and difference != 0:
            statistic = float(np.copysign(np.inf, difference))
        half = float(norm.ppf(1 - self._tail())) * standard_error
        lowest, highest = kernel.metric.bounds
        bounds = (lowest - highest, highest - lowest)
        low, high = self._sided(difference - half, difference + half, bounds)
        details = {
            "scores": parts.auc.tolist(),
            "standard_error": standard_error,
            "statistic": statistic,
            "p_value": float(2 * norm.sf(abs(statistic))),
            "unit": unit,
            "notes": [],
        }
        note_degenerate(
            details, "DeLong", not standard_error > 0, around=f"a difference of {difference:g}",
            is_same=difference == 0,
        )  # fmt: skip
        return self._result(
            kernel.metric, difference, low, high, bounds=bounds, estimand=OF_TWO, details=details
        )


def paired_areas(kernel: BoundMetric, method: str) -> tuple[AUCParts, float, float]:
    """Compute the areas of two configurations, their difference and its standard error by DeLong.

    Differences that are only rounding of areas are 0.
    """
    oof = kernel.oof
    check_repeats(oof, method)
    parts = auc_parts_of(kernel, np.array([0, 1]))
    check_both_classes(parts, kernel, unit_of(oof), method)
    # The covariances of both areas would cancel to rounding where these are nearly the same.
    apart = replace(
        parts,
        auc=kernel.difference(parts.auc[:1], parts.auc[1:]),
        positive=parts.positive[:1] - parts.positive[1:],
        negative=parts.negative[:1] - parts.negative[1:],
    )
    variance = max(float(apart.covariance()[0, 0]), 0.0)
    error = without_rounding(np.sqrt(variance), kernel.unit, kernel.rounding)
    return parts, float(apart.auc[0]), float(error)


def check_both_classes(parts: AUCParts, kernel: BoundMetric, unit: str, method: str) -> None:
    """Raise when a class is too small to show how its placements vary."""
    sizes = (parts.n_negative, parts.n_positive)
    if min(sizes) < 2:
        found = ", ".join(
            f"{name} has {size}" for name, size in zip(kernel.strata_names, sizes, strict=True)
        )
        raise UndefinedIntervalError(
            f"{method} needs at least 2 {unit}s with each class, but {found}."
        )


def check_repeats(oof: OOFPredictions, method: str) -> None:
    """Raise when some repeat has samples of one class only, and so no area."""
    for repeat in range(oof.n_repeats):
        found = np.unique(oof.y_true[oof.sample[oof.repeat == repeat]])
        if len(found) < 2:
            raise UndefinedIntervalError(
                f"{method} needs both classes in every repeat, but repeat {repeat} has only "
                f"samples of class {', '.join(map(str, found))}. Leave that repeat out."
            )


def auc_parts_of(kernel: BoundMetric, configs: np.ndarray) -> AUCParts:
    """Split the areas of `configs` (n_chosen,) by resampled unit, as means over repeats."""
    oof = kernel.oof
    units = Units.of(oof)
    return AUCParts.mean(
        [
            auc_parts(
                part.rows.pred,
                part.rows.y_codes() == 1,
                unit=units.of_sample[part.sample],
                n_units=units.n_units,
                weight=part.weight,
            )
            for part in kernel.held_out(configs)
        ]
    )


def hanley_mcneil_variance(area: float, n_positive: int, n_negative: int) -> float:
    """Compute the variance of an area under the ROC curve by Hanley and McNeil's formula."""
    return formula_with_counts(area, n_positive - 1, n_negative - 1, n_positive * n_negative)


def formula_with_counts(
    area: float, positive_pairs: float, negative_pairs: float, product: float
) -> float:
    """Compute Hanley and McNeil's formula with other counts than the sizes of the classes."""
    # Probabilities that two random positives both beat one negative, and that one positive
    # beats two random negatives, for exponential scores.
    two_positives = area / (2 - area)
    two_negatives = 2 * area**2 / (1 + area)
    return (
        area * (1 - area)
        + positive_pairs * (two_positives - area**2)
        + negative_pairs * (two_negatives - area**2)
    ) / product


@with_parameters
class HanleyMcNeil(OneConfigInterval):
    """Hanley and McNeil's interval for the area under the ROC curve of one configuration.

    The standard error follows from the area and the sizes of the two classes alone.

    Parameters
    ----------
    {config}
    selection : LearnEvaluate, default=None
        Select on one part of the samples and compute the interval on the other, at
        Šidák's level for the number of candidates. The method is then called ``"HM"``
        (one candidate) or ``"HM10p"`` (the top tenth).
    {sides}

    See Also
    --------
    DeLong : Uses the scores themselves, and can deal with groups.

    Notes
    -----
    The formula [1]_ holds for scores with negative exponential distributions and is a few
    per cent off for others. The samples must be independent and equally weighted. With
    repeated cross-validation the area is the mean over the repeats, whose variance is
    somewhat smaller than the formula's. Bounds are cut at 0 and 1, the uncut ones are in
    ``details["unclipped"]``. A perfect ranking has variance 0, which is certainly wrong;
    it is marked by ``details["degenerate"]`` and a warning.

    `details` of the result: ``standard_error``, ``degenerate``, ``config``, ``winner``,
    ``winner_by``, ``selection_accounted_for``, ``n_positive``, ``n_negative``, ``unit``,
    ``n_untested``, ``n_configs``, ``n_valid``, ``kernel``, ``response``, ``notes``; with
    `selection` also ``candidates``, ``n_learn``, ``n_evaluate``, ``adjusted_level``,
    ``learn_score``, ``selection_seed``.

    References
    ----------
    .. [1] J. A. Hanley, B. J. McNeil, "The meaning and use of the area under a receiver
       operating characteristic (ROC) curve", Radiology 143, 29-36 (1982).
       :doi:`10.1148/radiology.143.1.7063747`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import HanleyMcNeil
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 50)
    >>> oof = OOFPredictions(y_true=y, y_pred=rng.normal(size=100) + 1.2 * y)
    >>> result = HanleyMcNeil().estimate(oof, "roc_auc")
    >>> print(f"{result.estimate:.3f} +- {result.details['standard_error']:.3f}")
    0.786 +- 0.046
    """

    name = "hanley_mcneil"
    label = ("the method of Hanley and McNeil", "Hanley-McNeil")
    meant_for = (
        "comparison with published intervals that come from the area and the class sizes alone"
    )
    cost = "O(N log N) for the area, then O(1)"
    limits = "areas near 1; small classes; scores far from exponential"
    abbreviation = "HM"
    requires = frozenset({"predictions", "binary", "auc", "ungrouped", "unweighted"})
    config: int | None = None
    selection: LearnEvaluate | None = None
    confidence_level: float = 0.95
    alternative: str = "two-sided"

    def _estimate(self, contest: Contest) -> ConfidenceInterval:
        oof = contest.oof
        target = self._target(contest)
        tested = target.oof.tested
        is_positive = np.asarray(target.oof.y_true)[tested] == np.asarray(target.oof.classes_)[1]
        n_positive = int(np.count_nonzero(is_positive))
        n_negative = len(is_positive) - n_positive
        check_repeats(target.oof, "HanleyMcNeil")
        area = target.estimate
        target.details.update(n_positive=n_positive, n_negative=n_negative)
        variance, level = self._variance(target, int(np.count_nonzero(oof.tested)))
        target.details["degenerate"] = not variance > 0
        if not variance > 0:
            note = f"The formula gives no spread around an area of {area:g}."
            target.details["notes"].append(warned(note, "HanleyMcNeil"))
        return self._normal(target, area, float(np.sqrt(max(variance, 0.0))), level=level)

    def _variance(self, target: OneConfigTask, n_samples: int) -> tuple[float, float | None]:
        """Compute the variance of the area; also give the level of bounds if not the target's."""
        sizes = target.details["n_positive"], target.details["n_negative"]
        return hanley_mcneil_variance(target.estimate, *sizes), None
