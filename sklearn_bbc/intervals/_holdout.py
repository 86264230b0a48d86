"""Intervals for a frozen model on a test set."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .._nearest import did_you_mean, explain_arguments, got
from ..metrics import as_metric
from ..metrics._columns import check_labels
from ..metrics.means._given_values import MEAN
from ..predictions import OOFPredictions
from ..predictions._checks import check_alignment, check_order
from ..results import ConfidenceInterval
from ._caveats import explained
from ._holdout_columns import choose, systems_of
from .test_set._bootstrap import HoldoutBootstrap
from .test_set._group_draws import GROUP_BOOTSTRAPS


@explain_arguments()
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
    pos_label: Any = None,
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
    pos_label : label, default=None
        Which of two classes the scores are higher for, and which is positive for metrics such as
        F1 that name none. None takes the second in sorted order.
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
    of the difference. The p-value of a bootstrap is one minus the highest level at which the
    interval of this form excludes zero on the same draws. With fewer than 5 seeds the spread
    between training runs is poorly covered; their standard deviation is in
    ``details["spread_of_seeds"]``.

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
    if hasattr(y_true, "predict") or callable(y_true):
        raise ValueError(
            f"y_true must be an array, got {got(y_true)}. holdout_interval takes the target and "
            "what a fitted model predicts: holdout_interval(y_test, "
            "model.predict_proba(X_test)[:, 1], 'roc_auc')."
        )
    if group_bootstrap not in GROUP_BOOTSTRAPS:
        raise ValueError(
            f"group_bootstrap must be one of {list(GROUP_BOOTSTRAPS)}, got {group_bootstrap!r}."
            f"{did_you_mean(group_bootstrap, GROUP_BOOTSTRAPS)}"
        )
    if group_bootstrap != "cluster" and groups is None:
        raise ValueError(
            f"group_bootstrap={group_bootstrap!r} draws groups, but there are none. Pass groups, "
            "or leave group_bootstrap out."
        )
    bootstrap = HoldoutBootstrap(
        GROUP_BOOTSTRAPS[group_bootstrap](), n_bootstraps=n_bootstraps,
        confidence_level=confidence_level, alternative=alternative, random_state=random_state,
        n_jobs=n_jobs,
    )  # fmt: skip
    bootstrap._validate()
    if y_true is None:
        if scoring is not None:
            raise ValueError(
                f"Without y_true the mean of y_pred is estimated, so scoring={scoring!r} cannot "
                "be used. Pass y_true, or leave scoring out."
            )
        if pos_label is not None:
            raise ValueError(
                f"pos_label={pos_label!r} names a class, but without y_true there are none. Pass "
                "y_true, or leave pos_label out."
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
    check_order(y_true, y_pred)
    systems, roles = systems_of(y_pred, y_pred_other, pool_seeds, len(np.asarray(y_true)))
    oof = OOFPredictions(
        y_true=y_true, y_pred=systems, groups=groups, sample_weight=sample_weight,
        pos_label=pos_label,
    )  # fmt: skip
    n_classes = 0 if oof.classes_ is None else len(oof.classes_)
    if n_classes and systems.ndim == 3 and systems.shape[2] not in (1, n_classes):
        raise ValueError(
            f"y_pred has {systems.shape[2]} columns, but there are {n_classes} classes. This is "
            "for one model: pass its column. For the best of several use bbc, for models of "
            "several training runs pool_seeds=True."
        )
    check_labels(oof, metric.name, metric.score_func, metric.response_method)
    chosen = choose(method, metric, oof, roles, group_bootstrap)
    if isinstance(chosen, str):
        result = bootstrap.estimate(oof, metric, roles, form=chosen)
        return explained(result, oof, metric, is_difference=roles.paired)
    if isinstance(method, str):
        chosen.set_params(confidence_level=confidence_level, alternative=alternative)
    judge = chosen.difference if roles.paired else chosen.estimate
    return replace(judge(oof, metric), estimand=roles.estimand)
