"""Intervals for a frozen model on a test set."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.stats import norm

from .._floats import quiet
from .._published import published
from ..exceptions import UndefinedIntervalError
from ..metrics import BoundKernel, Metric, as_metric
from ..metrics.means._given_values import MEAN
from ..predictions import OOFPredictions
from ..predictions._checks import check_alignment
from ..resampling import IID, Resampling, TwoStage
from ..resampling._draws import Draws
from ..resampling._streams import entropy_of
from ..resampling._units import Units
from ..results import ConfidenceInterval
from ._base import check_n_bootstraps
from ._bounds import IntervalRules
from ._caveats import unit_word
from ._draw_strata import DrawStrata
from ._holdout_columns import OF_POPULATION, Roles, choose, systems_of
from .single._base import OneConfigInterval, check_not_infinite
from .single._bootstrap_forms import Replicates, bias_and_error, bounds_of, tell_outside
from .single._delong import check_both_classes, parts_of
from .single._replicate import check_can_vary, n_scores, needed_strata, replicate

GROUP_BOOTSTRAPS = ("cluster", "two-stage", "ferrer-riera")
FEW_GROUPS = 20


def holdout_interval(
    y_true: Any,
    y_pred: Any,
    scoring: Any = None,
    *,
    method: Any = "auto",
    y_pred_other: Any = None,
    pool_seeds: bool = False,
    groups: Any = None,
    group_bootstrap: str = "cluster",
    sample_weight: Any = None,
    n_bootstraps: int = 2000,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> ConfidenceInterval:
    """Interval for the score of a frozen model on a test set.

    The model must have been trained, and chosen, without these samples.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs), or None
        Labels or values. None takes `y_pred` as the loss or score of each sample; the
        interval is then for its mean.
    y_pred : array-like of shape (n_samples,) or (n_samples, n_classes)
        What the metric consumes: scores, labels, probabilities or values; with
        `pool_seeds` ``(n_samples, n_seeds)`` or ``(n_samples, n_seeds, n_classes)``.
    scoring : str, scorer or Metric, default=None
        The metric; not needed without `y_true`.
    method : str or interval object, default="auto"
        ``"percentile"``, ``"basic"``, ``"normal"``, ``"studentised"`` or ``"bca"``: a
        bootstrap of samples or groups, for one model or a pair; the last two take neither
        `pool_seeds` nor a group bootstrap other than ``"cluster"``. ``"delong"``,
        ``"hanley-mcneil"``, ``"takahashi"``, ``"wald"``, ``"wilson"``,
        ``"clopper-pearson"``, ``"agresti-coull"``, ``"jeffreys"``: formulas, of which only
        DeLong's takes a pair. An object such as ``DeLong(logit=True)`` is taken with its
        own parameters, those of the interval included; for a pair only a `DeLong` is.
        ``"auto"`` takes a formula where a good one is known (DeLong for roc_auc, Wilson for
        accuracy and the recall of one class, Takahashi for other precision, recall and F1),
        provided that samples are independent and equally weighted, else ``"percentile"``.
    y_pred_other : array-like, default=None
        Predictions of a second model for the same samples; the interval is then for the
        first score minus the second, on the same draws.
    pool_seeds : bool, default=False
        The columns of `y_pred` are models from several training runs; their draws are
        pooled, and the estimate is the mean of their scores.
    groups : array-like of shape (n_samples,), default=None
        Samples of one group (patient, speaker) depend on each other: groups are drawn.
    group_bootstrap : {"cluster", "two-stage", "ferrer-riera"}, default="cluster"
        ``"cluster"`` takes all samples of a drawn group; ``"two-stage"`` draws samples
        within each drawn occurrence of a group; ``"ferrer-riera"`` repeats a published
        package, which reuses seeds and interpolates percentiles linearly. The latter two
        need `groups` and a bootstrap.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample in the metric.
    n_bootstraps : int, default=2000
        Number of draws, at least 20.
    confidence_level : float in (0, 1), default=0.95
        Share of test sets for which the interval should hold the true score.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, ``"less"`` only the upper one.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.

    Returns
    -------
    ConfidenceInterval
        In scorer orientation, greater is better; without `y_true` in the unit of the
        given values. For a difference, ``details`` has ``scores`` (both) and ``p_value``
        (two-sided, for no difference). Draws that all score the same give a point in every
        bootstrap, which a warning, a note and ``details["degenerate"]`` mark.

    Raises
    ------
    ValueError
        If arguments do not fit together or the method cannot take the metric.
    UndefinedIntervalError
        If the data cannot support the interval, as when a class that the metric needs is
        missing.

    See Also
    --------
    BBC : For scores of cross-validation with tuning.

    Notes
    -----
    Groups change the number of samples from draw to draw. With fewer than about 20
    groups intervals are too narrow; a note in the result says so. A pair is drawn together,
    and the standard errors of ``"studentised"`` and the acceleration of ``"bca"`` are those
    of the difference. The p-value of a bootstrap is ``2 min((1 + #{d <= 0}) / (B + 1),
    (1 + #{d >= 0}) / (B + 1))``; it belongs to ``"percentile"`` and may contradict the
    interval of another form. With fewer than 5 seeds the spread between training runs is
    poorly covered; their standard deviation is in ``details["spread_of_seeds"]``.

    References
    ----------
    .. [1] B. Efron, R. J. Tibshirani, "An introduction to the bootstrap", Chapman and
       Hall (1993).
    .. [2] L. Ferrer, P. Riera, "Confidence intervals for evaluation in machine learning",
       software, https://github.com/luferrer/ConfidenceIntervals

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.intervals import holdout_interval
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 100)
    >>> scores = rng.normal(size=200) + y
    >>> result = holdout_interval(y, scores, "roc_auc")
    >>> result.method, 0.76 in result
    ('delong', True)
    >>> worse = scores + rng.normal(size=200)
    >>> result = holdout_interval(y, scores, "roc_auc", y_pred_other=worse)
    >>> bool(result.low > 0)
    True
    """
    rules = _Rules(confidence_level, alternative)
    rules._validate()
    if group_bootstrap not in GROUP_BOOTSTRAPS:
        raise ValueError(
            f"group_bootstrap must be one of {list(GROUP_BOOTSTRAPS)}, got {group_bootstrap!r}."
        )
    if group_bootstrap != "cluster" and groups is None:
        raise ValueError(
            f"group_bootstrap={group_bootstrap!r} draws groups, but there are none. Pass groups, "
            "or leave group_bootstrap out."
        )
    check_n_bootstraps(n_bootstraps)
    if y_true is None:
        if scoring is not None:
            raise ValueError(
                f"Without y_true the mean of y_pred is estimated, so scoring={scoring!r} cannot "
                "be used. Pass y_true, or leave scoring out."
            )
        y_true, scoring = np.zeros(len(np.asarray(y_pred))), MEAN
    elif scoring is None:
        raise ValueError("scoring must be given, for example 'roc_auc' or 'accuracy'.")
    metric = as_metric(scoring)
    check_alignment(
        {"y_true": y_true, "y_pred": y_pred, "y_pred_other": y_pred_other, "groups": groups,
         "sample_weight": sample_weight},
        len(np.asarray(y_true)),
    )  # fmt: skip
    systems, roles = systems_of(y_pred, y_pred_other, pool_seeds, len(np.asarray(y_true)))
    oof = OOFPredictions(y_true=y_true, y_pred=systems, groups=groups, sample_weight=sample_weight)
    chosen = choose(method, metric, oof, roles, group_bootstrap)
    if isinstance(chosen, OneConfigInterval):
        if isinstance(method, str):
            chosen.set_params(confidence_level=confidence_level, alternative=alternative)
        if roles.paired:
            return _difference_of_areas(chosen, oof, metric, roles)
        return replace(chosen.estimate(oof, metric), estimand=roles.estimand)
    kernel = metric.bind(oof)
    units = Units.of(oof)
    _check_defined(kernel, oof, units)
    check_can_vary(oof, kernel, units, "holdout_interval")
    n_models = roles.n_first * (1 + roles.paired)
    kernel.warn_if_slow(n_models * n_scores(chosen, n_bootstraps, units.n_units), n_jobs)
    entropy = entropy_of(random_state)
    draws: Any
    if group_bootstrap == "ferrer-riera":
        draws = published("FerrerRieraDraws")(np.asarray(oof.groups), n_bootstraps)
    else:
        resampling: Resampling = IID(units.n_units)
        if group_bootstrap == "two-stage":
            resampling = TwoStage(np.asarray(oof.groups))
            # Its counts are per sample already.
            units = replace(units, of_sample=np.arange(oof.n_samples), n_units=oof.n_samples)
        strata = DrawStrata.of(oof, kernel, units, out_of_bag=False)
        strata.check_varies("holdout_interval", kernel.metric.name)
        draws = Draws(
            resampling,
            n_bootstraps,
            entropy,
            **strata.for_draws(),
            expand=units.expand,
            bytes_per_draw=kernel.bytes_per_draw,
            n_jobs=n_jobs,
            out_of_bag=False,
            prefer=kernel.prefers,
        )
    return _by_bootstrap(chosen, oof, kernel, units, draws, rules, roles)


class _Rules(IntervalRules):
    """Sidedness and bounds without a method object."""

    name = "holdout"
    estimand = OF_POPULATION

    def __init__(self, confidence_level: float, alternative: str) -> None:
        self.confidence_level = confidence_level
        self.alternative = alternative


_Rules.__name__ = "holdout_interval"  # what messages call it


def _check_defined(kernel: BoundKernel, oof: OOFPredictions, units: Units) -> None:
    """Raise before the draws when the data have no score; name the class that is missing."""
    if not np.isnan(kernel.on_data()).any():
        return
    missing = None
    if kernel.strata is not None:
        sizes = units.indicator(kernel.strata).sum(axis=0)
        empty = [name for name, n in zip(kernel.strata_names, sizes, strict=True) if n == 0]
        missing = empty[0] if empty else None
    elif oof.classes_ is not None and len(oof.classes_) == 1:
        missing = _other_class(oof.classes_.tolist()[0])
    why = "it is undefined on these data."
    if missing is not None:
        why = (
            f"{missing} has 0 {units.kind}s, so no resample can be scored. At least 2 "
            f"{units.kind}s are needed."
        )
    raise UndefinedIntervalError(f"holdout_interval cannot bootstrap {kernel.metric.name}: {why}")


def _other_class(label: Any) -> str:
    """Name of the class that a binary target lacks, as far as the other one tells it."""
    if isinstance(label, bool):
        return f"class {not label}"
    usual = {0: "class 1", 1: "class 0 (or -1)", -1: "class 1"}
    return usual.get(label, f"every class but {label}")


@quiet()
def _difference_of_areas(
    method: OneConfigInterval, oof: OOFPredictions, metric: Metric, roles: Roles
) -> ConfidenceInterval:
    """DeLong's interval and test for two scores of the same samples."""
    method._validate()
    method._check_requirements(oof, metric)
    kernel = metric.bind(oof)
    parts = parts_of(oof, kernel, np.array([0, 1]))
    check_both_classes(parts, kernel, unit_word(oof.groups), "DeLong")
    covariance = parts.covariance()
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    standard_error = float(np.sqrt(max(variance, 0.0)))
    difference = float(parts.auc[0] - parts.auc[1])
    statistic = difference / standard_error if standard_error > 0 else 0.0
    half = float(norm.ppf(1 - method._tail())) * standard_error
    bounds = (-1.0, 1.0)
    low, high = method._sided(difference - half, difference + half, bounds)
    return method._result(
        metric, difference, low, high, bounds=bounds, estimand=roles.estimand,
        details={
            "scores": parts.auc.tolist(), "standard_error": standard_error,
            "statistic": statistic, "p_value": float(2 * norm.sf(abs(statistic))),
            "unit": unit_word(oof.groups), "notes": [],
        },
    )  # fmt: skip


@quiet()
def _by_bootstrap(
    form: str,
    oof: OOFPredictions,
    kernel: BoundKernel,
    units: Units,
    draws: Any,
    rules: _Rules,
    roles: Roles,
) -> ConfidenceInterval:
    def score(counts: np.ndarray) -> np.ndarray:
        """Scores (n_draws,) of one model or a difference, (n_draws, n_seeds) of several."""
        return of_interest(kernel.scores(counts))

    def of_interest(scores: np.ndarray) -> np.ndarray:
        first = scores[:, : roles.n_first]
        if roles.paired:
            with np.errstate(invalid="ignore"):  # of two infinite scores: NaN
                first = first - scores[:, roles.n_first :]
        return first[:, 0] if roles.n_first == 1 else first

    on_data = kernel.on_data()
    of_data = of_interest(on_data[None])[0]
    estimate = float(np.mean(of_data))
    check_not_infinite(estimate, kernel.metric.name)
    if roles.n_first == 1:
        replicates, scores = replicate(
            score, estimate, units, draws, form, needed_strata(oof, kernel)[0]
        )
    else:
        scores = draws.map(score).ravel()  # the seeds of a draw share its samples
        replicates = Replicates(estimate, scores[~np.isnan(scores)])
    n_undefined = rules._count_undefined(scores, kernel.metric)
    tail = rules._tail()
    details: dict[str, Any] = {"form": form, "notes": []}
    if form == "percentile" and hasattr(draws, "percentile_rule"):
        replicates = replace(replicates, rule=draws.percentile_rule)
    low, high = bounds_of(form, replicates, tail, details, "holdout_interval")
    lowest, highest = kernel.metric.bounds
    bounds = (lowest - highest, highest - lowest) if roles.paired else (lowest, highest)
    low, high = rules._sided(low, high, bounds)
    notes = details["notes"]
    tell_outside(estimate, low, high, notes)
    strata = DrawStrata.of(oof, kernel, units, out_of_bag=False)
    strata.tell(draws.n_lacking, draws.n_draws, details)
    if oof.groups is not None and len(np.unique(oof.groups)) < FEW_GROUPS:
        notes.append(
            f"Only {len(np.unique(oof.groups))} groups: with fewer than about {FEW_GROUPS} the "
            "interval is too narrow."
        )
    details.update(
        standard_error=bias_and_error(replicates)["standard_error"],
        unit=unit_word(oof.groups),
        n_redrawn=draws.n_redrawn,
        n_undefined=n_undefined,
        seed=draws.entropy,
    )
    if roles.paired:
        n = len(replicates.draws)
        below = (1 + np.count_nonzero(replicates.draws <= 0)) / (n + 1)
        above = (1 + np.count_nonzero(replicates.draws >= 0)) / (n + 1)
        details["p_value"] = float(min(1.0, 2 * min(below, above)))
        details["scores"] = on_data.tolist()
    if roles.n_first > 1:
        details["spread_of_seeds"] = float(np.std(of_data, ddof=1))
        if roles.n_first < 5:
            notes.append("Fewer than 5 seeds: the spread between training runs is not covered.")
    return rules._result(
        kernel.metric,
        estimate,
        low,
        high,
        bounds=bounds,
        method=f"{form}_bootstrap",
        estimand=roles.estimand,
        n_bootstraps=draws.n_draws,
        draws=replicates.draws,
        details=details,
    )
