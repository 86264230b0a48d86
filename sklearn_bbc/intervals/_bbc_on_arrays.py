"""The corrected score in one call, from arrays."""

from __future__ import annotations

from typing import Any

from .._nearest import explain_arguments
from ..predictions import OOFPredictions
from ..results import ConfidenceInterval
from ._level import says_level
from .winner._bbc import BBC


@explain_arguments()
@says_level("score")
def bbc(
    y_true: Any,
    y_pred: Any,
    scoring: Any,
    *,
    fold: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    selection: Any = None,
    n_bootstraps: int = 2000,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> ConfidenceInterval:
    """Bias-corrected score of the best of several configurations, from their predictions.

    The short form of ``BBC(...).estimate(OOFPredictions(...), scoring)``, for predictions
    that any tool made by cross-validation.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Labels, target values, or a structured survival target.
    y_pred : array-like of shape (n_samples, n_configs), (n_samples, n_configs, n_classes) or \
            (n_repeats, n_samples, n_configs[, n_classes])
        Out-of-fold predictions of every configuration that was tried, as the metric consumes
        them: scores, labels, probabilities or values. Not only the best ones, since the
        correction repeats the choice among all.
    scoring : str, scorer or Metric
        The metric, for example ``"roc_auc"``.
    fold : array-like of shape (n_samples,) or (n_repeats, n_samples), or list of (train, test), \
            default=None
        Fold in which each sample was held out; -1 marks samples that never were. None when
        the folds are not known: BBC pools predictions of all folds and needs them only for
        metrics within folds and for repeats.
    groups : array-like of shape (n_samples,), default=None
        Samples of one group depend on each other; groups are then the resampled units.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample in the metric.
    pos_label : label, default=None
        Which of two classes the scores are higher for, and which is positive for metrics such as
        F1 that name none. None takes the second in sorted order.
    selection : Selection, default=None
        Rule by which the configuration was chosen, repeated in every draw. None is the best
        score.
    n_bootstraps : int, default=2000
        Number of draws, at least 20.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, ``"less"`` only the upper one.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.

    Returns
    -------
    ConfidenceInterval
        In scorer orientation, greater is better: a loss is negative.

    Raises
    ------
    ValueError
        If shapes do not match, `pos_label` is not one of two classes, or the metric cannot take
        the predictions.
    UndefinedIntervalError
        If the data cannot support the interval, as when a class has a single sample.

    See Also
    --------
    BBC : The method, with all its parameters and attributes.
    sklearn_bbc.OOFPredictions : The same predictions as an object, for any method.
    sklearn_bbc.BBCSearchCV : Records the predictions during a search.

    References
    ----------
    .. [1] I. Tsamardinos, E. Greasidou, G. Borboudakis, "Bootstrapping the
       out-of-sample predictions for efficient and accurate cross-validation",
       Machine Learning 107, 1895-1922 (2018). :doi:`10.1007/s10994-018-5714-4`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import bbc
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 50)
    >>> noise = rng.normal(size=(100, 200))  # 200 configurations that know nothing
    >>> result = bbc(y, noise, "roc_auc", random_state=0)
    >>> 0.5 in result
    True
    """
    oof = OOFPredictions(
        y_true=y_true, y_pred=y_pred, fold=fold, groups=groups, sample_weight=sample_weight,
        pos_label=pos_label,
    )  # fmt: skip
    method = BBC(
        selection=selection,
        n_bootstraps=n_bootstraps,
        confidence_level=confidence_level,
        alternative=alternative,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    return method.estimate(oof, scoring)
