"""Names of metrics as people print them, and whether smaller values are better."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["MetricWords", "metric_words"]

WITHIN_FOLDS = " within folds"
NAMELESS = "<lambda>"
"""What Python calls a function without a name."""

GAINS = {
    "accuracy": "accuracy",
    "adjusted_mutual_info": "adjusted mutual information",
    "adjusted_rand": "adjusted Rand index",
    "average_precision": "average precision",
    "balanced_accuracy": "balanced accuracy",
    "cohen_kappa": "Cohen's kappa",
    "completeness": "completeness",
    "concordance_index": "concordance index",
    "d2_absolute_error": "D² for the absolute error",
    "d2_brier": "D² for the Brier score",
    "d2_log_loss": "D² for the log loss",
    "d2_pinball": "D² for the pinball loss",
    "d2_tweedie": "D² for the Tweedie deviance",
    "dcg": "discounted cumulative gain",
    "explained_variance": "explained variance",
    "f1": "F1 score",
    "fbeta": "F-beta score",
    "fowlkes_mallows": "Fowlkes-Mallows index",
    "homogeneity": "homogeneity",
    "jaccard": "Jaccard index",
    "matthews_corrcoef": "Matthews correlation coefficient",
    "mutual_info": "mutual information",
    "ndcg": "normalized discounted cumulative gain",
    "normalized_mutual_info": "normalized mutual information",
    "positive_likelihood_ratio": "positive likelihood ratio",
    "precision": "precision",
    "r2": "R²",
    "rand": "Rand index",
    "recall": "recall",
    "roc_auc": "ROC AUC",
    "roc_auc_ovo": "one-vs-one ROC AUC",
    "roc_auc_ovo_weighted": "prevalence-weighted one-vs-one ROC AUC",
    "roc_auc_ovr": "one-vs-rest ROC AUC",
    "roc_auc_ovr_weighted": "prevalence-weighted one-vs-rest ROC AUC",
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "top_k_accuracy": "top-k accuracy",
    "v_measure": "V-measure",
}
"""Greater is better. Scorers, and functions whose names end in "_score"."""

LOSSES = {
    "brier_score": "Brier score",
    "hamming_loss": "Hamming loss",
    "hinge_loss": "hinge loss",
    "log_loss": "log loss",
    "max_error": "maximum error",
    "mean_absolute_error": "mean absolute error",
    "mean_absolute_percentage_error": "mean absolute percentage error",
    "mean_cost": "mean cost",
    "mean_gamma_deviance": "mean gamma deviance",
    "mean_pinball_loss": "mean pinball loss",
    "mean_poisson_deviance": "mean Poisson deviance",
    "mean_squared_error": "mean squared error",
    "mean_squared_log_error": "mean squared logarithmic error",
    "mean_tweedie_deviance": "mean Tweedie deviance",
    "median_absolute_error": "median absolute error",
    "negative_likelihood_ratio": "negative likelihood ratio",
    "root_mean_squared_error": "root mean squared error",
    "root_mean_squared_log_error": "root mean squared logarithmic error",
    "zero_one_loss": "misclassification rate",
}
"""Smaller is better; their scorers are called "neg_..." and turn the sign."""

AVERAGES = {
    "_macro": "macro-averaged",
    "_micro": "micro-averaged",
    "_samples": "sample-averaged",
    "_weighted": "prevalence-weighted",
}

AT = re.compile(
    r"(?P<rate>\w+)_at_(?P<kept>precision|recall|sensitivity|specificity)_(?P<level>[-+.\de]+)"
)
"""A rate of the threshold that keeps another one, such as "sensitivity_at_specificity_0.9"."""


@dataclass(frozen=True)
class MetricWords:
    """A metric in print.

    Parameters
    ----------
    name : str
        As people print it; names that are not known stay as they are.
    sign : {1, -1}
        What scores in scorer orientation are multiplied by for print: -1 for losses.
    """

    name: str
    sign: int = 1

    @property
    def is_loss(self) -> bool:
        """Whether smaller values are better in print."""
        return self.sign < 0

    def natural(self, value: float) -> float:
        """A score in scorer orientation with the sign that people print."""
        return 0.0 - value if self.is_loss else float(value)

    def natural_bounds(self, low: float, high: float) -> tuple[float, float]:
        """Bounds with the sign that people print, the smaller one first."""
        return (0.0 - high, 0.0 - low) if self.is_loss else (float(low), float(high))


def metric_words(
    metric: str, values: Iterable[float] = (), sign: int | None = None
) -> MetricWords:
    """Find out how a metric is printed.

    Parameters
    ----------
    metric : str
        Name of a scorer or a score function, or any other name.
    values : iterable of float, default=()
        Scores in scorer orientation. Most losses cannot be above zero there: where one is, and
        neither `sign` nor "neg_" in the name tells, the scores are printed as they are.
    sign : {1, -1} or None, default=None
        The scorer's sign, where it is known.

    Returns
    -------
    MetricWords
        Name and sign.

    Examples
    --------
    >>> from sklearn_bbc._wording import metric_words
    >>> metric_words("neg_mean_absolute_error")
    MetricWords(name='mean absolute error', sign=-1)
    >>> metric_words("roc_auc within folds").name
    'ROC AUC within folds'
    >>> metric_words("sensitivity_at_specificity_0.9").name
    'sensitivity at a specificity of 0.9'
    """
    if metric == NAMELESS:
        metric = "score"
    base = metric.removesuffix(WITHIN_FOLDS)
    ending = metric[len(base) :]
    gain = _gain(base) or (_gain(base.removesuffix("_score")) if "_score" in base else None)
    if gain is not None and sign != -1:
        return MetricWords(gain + ending)
    inner = base.removeprefix("neg_")
    loss = LOSSES.get(inner) or LOSSES.get(inner.removesuffix("_loss"))
    if (loss is None and sign != -1) or sign == 1:
        return MetricWords(metric)
    told = sign is not None or base.startswith("neg_")
    if not told and any(value > 0 for value in values):
        return MetricWords(metric)
    return MetricWords((loss or gain or inner) + ending, -1)


def is_usual_positive(label: Any, classes: Iterable[Any] = ()) -> bool:
    """Whether a positive class goes without saying: 1 or True beside 0, -1 or False.

    Parameters
    ----------
    label : object
        The positive class.
    classes : iterable, default=()
        All classes, where they are known.
    """
    if any(isinstance(each, str) for each in (label, *classes)):
        return False
    return bool(label == 1) and all(each in (-1, 0, 1) for each in classes)


def positive_classes(labels: Mapping[str, Any]) -> str:
    """Write which class each metric takes as positive.

    Parameters
    ----------
    labels : mapping of str to label
        Printed name of a metric -> class.

    Returns
    -------
    str
        For example ``"'case' (F1 score, precision)"``; empty without metrics.
    """
    names: dict[str, list[str]] = {}
    for name, label in labels.items():
        names.setdefault(repr(label), []).append(name)
    return "; ".join(f"{label} ({', '.join(each)})" for label, each in names.items())


def _gain(name: str) -> str | None:
    if name in GAINS:
        return GAINS[name]
    for ending, words in AVERAGES.items():
        if name.endswith(ending) and name.removesuffix(ending) in GAINS:
            return f"{words} {GAINS[name.removesuffix(ending)]}"
    parts = AT.fullmatch(name)
    if parts is None or parts["rate"] not in GAINS:
        return None
    if parts["rate"] == parts["kept"]:
        return GAINS[parts["rate"]]  # what became of the level
    return f"{GAINS[parts['rate']]} at a {GAINS[parts['kept']]} of {parts['level']}"
