"""What a method cannot do without, and how a lack of it is told."""

from __future__ import annotations

from collections.abc import Iterable

from sklearn.metrics import roc_auc_score

from ..metrics import Metric
from ..predictions import OOFPredictions

NEEDS = frozenset(
    {"predictions", "folds", "binary", "pointwise", "auc", "ungrouped", "unweighted"}
)


def check_known(cls: type, requires: Iterable[str]) -> None:
    """Raise where a class names a need that nobody would check.

    Parameters
    ----------
    cls : type
        The class, for the message.
    requires : iterable of str
        Its needs.
    """
    unknown = sorted(set(requires) - NEEDS)
    if unknown:
        raise ValueError(
            f"{cls.__name__}.requires holds {unknown}, which is not checked. Known needs are "
            f"{sorted(NEEDS)}."
        )


def check_needs(
    method: str,
    requires: Iterable[str],
    oof: OOFPredictions,
    metric: Metric,
    *,
    on_folds: str = "BBCF",
    for_any: str = "BBC",
) -> None:
    """Raise a ValueError where predictions or metric lack what a method needs.

    Parameters
    ----------
    method : str
        Its name in messages.
    requires : iterable of str
        Its needs, but ``"pointwise"``, which a metric shows when it is bound.
    oof : OOFPredictions
        Predictions, or fold scores alone.
    metric : Metric
        The metric.
    on_folds, for_any : str
        Methods to name instead: one that works on fold scores, one for any metric.
    """
    requires = frozenset(requires)
    if "predictions" in requires and not oof.responses:
        raise ValueError(
            f"{method} needs out-of-fold predictions, but there are only fold scores. Use "
            "BBCSearchCV, which keeps predictions, OOFPredictions.from_search(search, X, y), "
            f"which fits again, or {on_folds}, which works on fold scores."
        )
    if "folds" in requires and oof.n_splits < 2:
        raise ValueError(
            f"{method} needs at least 2 folds, got {oof.n_splits}. Pass the fold of each "
            "sample as `fold`."
        )
    if "binary" in requires and (oof.classes_ is None or len(oof.classes_) != 2):
        found = (
            "a target without classes" if oof.classes_ is None else f"{len(oof.classes_)} classes"
        )
        raise ValueError(f"{method} needs a target with 2 classes, got {found}.")
    if "auc" in requires and (
        metric.score_func is not roc_auc_score or metric.kwargs.get("max_fpr") is not None
    ):
        raise ValueError(
            f"{method} is a method for the area under the whole ROC curve, got the metric "
            f"{metric.name}. Use scoring='roc_auc', or a method for any metric such as {for_any}."
        )
    for need, what in (("ungrouped", "groups"), ("unweighted", "sample_weight")):
        if need in requires and getattr(oof, what) is not None:
            raise ValueError(
                f"{method} takes every sample as independent and of equal weight, but the "
                f"predictions have {what}. Use a method that knows them, such as {for_any}."
            )


def check_pointwise(
    method: str, requires: Iterable[str], is_pointwise: bool, metric: Metric
) -> None:
    """Raise a ValueError where a method needs a mean over samples and the metric is none.

    Parameters
    ----------
    method : str
        Its name in messages.
    requires : iterable of str
        Its needs.
    is_pointwise : bool
        Whether the bound metric is a mean over samples.
    metric : Metric
        The metric.
    """
    if "pointwise" in frozenset(requires) and not is_pointwise:
        raise ValueError(
            f"{method} needs a metric that is a mean over samples, such as "
            f"accuracy, log loss or squared error, got {metric.name}."
        )
