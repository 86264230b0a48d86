"""Intervals for a frozen model on a test set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import norm
from sklearn.metrics import make_scorer, roc_auc_score

from ..metrics import BoundKernel, Metric, as_metric
from ..predictions import OOFPredictions
from ..resampling import (
    IID,
    Draws,
    FerrerRieraDraws,
    Resampling,
    TwoStage,
    Units,
    entropy_of,
)
from ..results import ConfidenceInterval
from ._base import check_n_bootstraps
from ._bootstrap_forms import FORMS, Replicates
from ._delong import DeLong, parts_of
from ._hanley_mcneil import HanleyMcNeil
from ._proportions import PROPORTION_FORMS
from ._replicate import replicate
from ._rules import IntervalRules
from ._takahashi import SCORES, Takahashi, score_and_average
from ._target import OneConfigInterval
from ._wald import Wald

OF_POPULATION = "performance of a frozen model on the population of the test set"
OF_DIFFERENCE = "difference of two frozen models on the population of the test set"
OF_SEEDS = "performance of models trained with the given seeds on the population"
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
        bootstrap of samples or groups. ``"delong"``, ``"hanley-mcneil"``,
        ``"takahashi"``, ``"wald"``, ``"wilson"``, ``"clopper-pearson"``,
        ``"agresti-coull"``, ``"jeffreys"``: formulas. An object such as
        ``DeLong(logit=True)`` is taken with its own parameters. ``"auto"`` takes a
        formula where a good one is known (DeLong for roc_auc, Wilson for accuracy and
        the recall of one class, Takahashi for other precision, recall and F1), provided
        that samples are independent and equally weighted, else ``"percentile"``.
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
        package, which reuses seeds and interpolates percentiles linearly.
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
        (two-sided, for no difference).

    Raises
    ------
    ValueError
        If arguments do not fit together or the method cannot take the metric.
    UndefinedIntervalError
        If the data cannot support the interval.

    See Also
    --------
    BBC : For scores of cross-validation with tuning.

    Notes
    -----
    Groups change the number of samples from draw to draw. With fewer than about 20
    groups intervals are too narrow; a note in the result says so. The p-value of a
    bootstrap is ``2 min((1 + #{d <= 0}) / (B + 1), (1 + #{d >= 0}) / (B + 1))``. With
    fewer than 5 seeds the spread between training runs is poorly covered; their standard
    deviation is in ``details["spread_of_seeds"]``.

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
    systems, roles = _systems(y_pred, y_pred_other, pool_seeds, len(np.asarray(y_true)))
    oof = OOFPredictions(y_true=y_true, y_pred=systems, groups=groups, sample_weight=sample_weight)
    chosen = _choose(method, metric, oof, roles, group_bootstrap)
    if isinstance(chosen, OneConfigInterval):
        if isinstance(method, str):
            chosen.set_params(confidence_level=confidence_level, alternative=alternative)
        return _by_formula(chosen, oof, metric, rules, roles)
    kernel = metric.bind(oof)
    units = Units.of(oof)
    entropy = entropy_of(random_state)
    draws: Any
    if group_bootstrap == "ferrer-riera" and oof.groups is not None:
        draws = FerrerRieraDraws(oof.groups, n_bootstraps)
    else:
        resampling: Resampling = IID(units.n_units)
        if group_bootstrap == "two-stage" and oof.groups is not None:
            resampling = TwoStage(oof.groups)
            # Its counts are per sample already.
            units = replace(units, of_sample=np.arange(oof.n_samples), n_units=oof.n_samples)
        draws = Draws(
            resampling,
            n_bootstraps,
            entropy,
            indicator=units.indicator(kernel.strata),
            expand=units.expand,
            bytes_per_draw=kernel.bytes_per_draw,
            n_jobs=n_jobs,
            out_of_bag=False,
            prefer=kernel.prefers,
        )
    return _by_bootstrap(chosen, oof, kernel, units, draws, rules, roles)


def _mean_of_values(
    y_true: np.ndarray, y_pred: np.ndarray, sample_weight: np.ndarray | None = None
) -> float:
    return float(np.average(y_pred, weights=sample_weight))


MEAN = Metric(
    name="mean",
    scorer=make_scorer(_mean_of_values),
    score_func=_mean_of_values,
    response_method=("predict",),
)
"""Mean of the given values, for losses without labels."""


@dataclass(frozen=True)
class _Roles:
    """What the columns of predictions are: one model, two to compare, or several seeds."""

    n_first: int
    paired: bool

    @property
    def plain(self) -> bool:
        return self.n_first == 1 and not self.paired

    @property
    def estimand(self) -> str:
        if self.paired:
            return OF_DIFFERENCE
        return OF_SEEDS if self.n_first > 1 else OF_POPULATION


class _Rules(IntervalRules):
    """Sidedness and bounds without a method object."""

    name = "holdout"
    estimand = OF_POPULATION

    def __init__(self, confidence_level: float, alternative: str) -> None:
        self.confidence_level = confidence_level
        self.alternative = alternative


def _systems(
    y_pred: Any, other: Any, pool_seeds: bool, n_samples: int
) -> tuple[np.ndarray, _Roles]:
    """Columns of all models, shape (n_samples, n_models[, n_classes])."""

    def columns(values: Any, name: str) -> np.ndarray:
        array = np.asarray(values)
        if array.shape[:1] != (n_samples,):
            raise ValueError(
                f"{name} has shape {array.shape}, but there are {n_samples} samples: expected "
                "one prediction per sample."
            )
        if pool_seeds:
            if array.ndim < 2:
                raise ValueError(
                    f"pool_seeds=True needs {name} of shape (n_samples, n_seeds), "
                    f"got {array.shape}."
                )
            return array
        return array[:, None]

    first = columns(y_pred, "y_pred")
    if other is None:
        return first, _Roles(first.shape[1], False)
    second = columns(other, "y_pred_other")
    if second.shape != first.shape:
        raise ValueError(
            f"y_pred has shape {np.shape(y_pred)}, but y_pred_other {np.shape(other)}: they must "
            "be predictions of the same samples."
        )
    return np.concatenate([first, second], axis=1), _Roles(first.shape[1], True)


def _choose(
    method: Any, metric: Metric, oof: OOFPredictions, roles: _Roles, group_bootstrap: str
) -> str | OneConfigInterval:
    """Form of the bootstrap, or the method object of a formula."""
    if isinstance(method, OneConfigInterval):
        return method
    plain_sampling = oof.groups is None and oof.sample_weight is None
    if method == "auto":
        method = "percentile"
        if plain_sampling and roles.n_first == 1:
            method = _formula_for(metric, oof, roles) or method
    formulas: dict[str, Callable[[], OneConfigInterval]] = {
        "delong": DeLong,
        "hanley-mcneil": HanleyMcNeil,
        "takahashi": Takahashi,
        "wald": Wald,
        **{form: partial(Wald, form=form) for form in PROPORTION_FORMS if form != "normal"},
    }
    if method in FORMS:
        if method in ("studentised", "bca") and (
            not roles.plain or (oof.groups is not None and group_bootstrap != "cluster")
        ):
            raise ValueError(
                f"method={method!r} is for one model and independent samples or clusters. Use "
                "'percentile' for differences, pooled seeds and the other group bootstraps."
            )
        return method
    if method not in formulas:
        raise ValueError(
            f"method must be 'auto', an interval object for one configuration, or one of "
            f"{sorted([*FORMS, *formulas])}, got {method!r}."
        )
    if roles.n_first > 1 or (roles.paired and method != "delong"):
        raise ValueError(
            f"method={method!r} is for one model{' or a pair' if method == 'delong' else ''}. Use "
            "'percentile' for differences and pooled seeds."
        )
    return formulas[method]()


def _formula_for(metric: Metric, oof: OOFPredictions, roles: _Roles) -> str | None:
    binary = oof.classes_ is not None and len(oof.classes_) == 2
    if metric.score_func is roc_auc_score and binary and not metric.kwargs.get("max_fpr"):
        return "delong"
    if roles.paired:
        return None
    kernel = metric.bind(oof)
    values = kernel.pointwise(0)
    if values is not None and metric.sign > 0 and np.isin(values, (0.0, 1.0)).all():
        return "wilson"
    if metric.score_func not in SCORES:
        return None
    try:
        score, average, _ = score_and_average(kernel)
    except ValueError:
        return None
    return "wilson" if (score, average) == ("recall", "binary") else "takahashi"


def _by_formula(
    method: OneConfigInterval, oof: OOFPredictions, metric: Metric, rules: _Rules, roles: _Roles
) -> ConfidenceInterval:
    if not roles.paired:
        return replace(method.estimate(oof, metric), estimand=roles.estimand)
    method._check_requirements(oof, metric)
    kernel = metric.bind(oof)
    parts = parts_of(oof, kernel, np.array([0, 1]))
    covariance = parts.covariance()
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    standard_error = float(np.sqrt(max(variance, 0.0)))
    difference = float(parts.auc[0] - parts.auc[1])
    statistic = difference / standard_error if standard_error > 0 else 0.0
    half = float(norm.ppf(1 - rules._tail())) * standard_error
    low, high = rules._sided(difference - half, difference + half, (-1.0, 1.0))
    return rules._result(
        metric, difference, low, high,
        method="delong", estimand=roles.estimand,
        details={
            "scores": parts.auc.tolist(), "standard_error": standard_error,
            "statistic": statistic, "p_value": float(2 * norm.sf(abs(statistic))),
            "unit": "sample" if oof.groups is None else "group", "notes": [],
        },
    )  # fmt: skip


def _by_bootstrap(
    form: str,
    oof: OOFPredictions,
    kernel: BoundKernel,
    units: Units,
    draws: Any,
    rules: _Rules,
    roles: _Roles,
) -> ConfidenceInterval:
    published = isinstance(draws, FerrerRieraDraws)

    def score(counts: np.ndarray) -> np.ndarray:
        """Scores (n_draws,) of one model or a difference, (n_draws, n_seeds) of several."""
        scores = kernel.scores(counts)
        first = scores[:, : roles.n_first]
        if roles.paired:
            first = first - scores[:, roles.n_first :]
        return first[:, 0] if roles.n_first == 1 else first

    of_data = score(np.ones((1, oof.n_samples), dtype=np.uint8))[0]
    estimate = float(np.mean(of_data))
    if roles.n_first == 1:
        replicates, scores = replicate(score, estimate, units, draws, form)
    else:
        scores = draws.map(score).ravel()  # the seeds of a draw share its samples
        replicates = Replicates(estimate, scores[~np.isnan(scores)])
    n_undefined = rules._count_undefined(scores, kernel.metric)
    tail = rules._tail()
    if published and form == "percentile":
        low, high = (float(q) for q in np.quantile(replicates.draws, [tail, 1 - tail]))
    else:
        low, high = FORMS[form](replicates, tail)
    lowest, highest = kernel.metric.bounds
    bounds = (lowest - highest, highest - lowest) if roles.paired else (lowest, highest)
    low, high = rules._sided(low, high, bounds)
    notes = []
    if oof.groups is not None and len(np.unique(oof.groups)) < FEW_GROUPS:
        notes.append(
            f"Only {len(np.unique(oof.groups))} groups: with fewer than about {FEW_GROUPS} the "
            "interval is too narrow."
        )
    details: dict[str, Any] = {
        "form": form,
        "standard_error": float(replicates.draws.std(ddof=1)),
        "unit": "sample" if oof.groups is None else "group",
        "n_redrawn": draws.n_redrawn,
        "n_undefined": n_undefined,
        "seed": draws.entropy,
        "notes": notes,
    }
    if roles.paired:
        n = len(replicates.draws)
        below = (1 + np.count_nonzero(replicates.draws <= 0)) / (n + 1)
        above = (1 + np.count_nonzero(replicates.draws >= 0)) / (n + 1)
        details["p_value"] = float(min(1.0, 2 * min(below, above)))
        details["scores"] = kernel.scores(np.ones((1, oof.n_samples), dtype=np.uint8))[0].tolist()
    if roles.n_first > 1:
        details["spread_of_seeds"] = float(np.std(of_data, ddof=1))
        if roles.n_first < 5:
            notes.append("Fewer than 5 seeds: the spread between training runs is not covered.")
    return rules._result(
        kernel.metric,
        estimate,
        low,
        high,
        method=f"{form}_bootstrap",
        estimand=roles.estimand,
        n_bootstraps=draws.n_draws,
        draws=replicates.draws,
        details=details,
    )
