"""What a method needs of predictions and metric, and the error where it is missing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sklearn.metrics import roc_auc_score

from .._utils import got
from ..metrics._consumed import OfMetric
from ..metrics._metric import Metric
from ..predictions._predictions import OOFPredictions

METHOD_NEEDS = frozenset(
    {
        "predictions", "folds", "binary", "pointwise", "auc", "ungrouped", "unweighted",
        "one_series",
    }
)  # fmt: skip


def check_known(cls: type, requires: Iterable[str]) -> None:
    """Raise where a class names an unknown need, which would not be checked."""
    if unknown := sorted(set(requires) - METHOD_NEEDS):
        raise ValueError(
            f"{cls.__name__}.requires holds {unknown}, which is not checked. Known needs are "
            f"{sorted(METHOD_NEEDS)}."
        )


def check_needs(
    method: str,
    requires: Iterable[str],
    scored: OfMetric,
    *,
    on_folds: str = "",
    for_any: str = "BBC",
) -> None:
    """Raise a ValueError where predictions or metric lack what a method needs."""
    requires, metric, oof = frozenset(requires), scored.metric, scored.oof
    if "predictions" in requires and not oof.responses:
        known = metric.name if metric.name in oof.fold_scores else next(iter(oof.fold_scores))
        on_folds = on_folds or f"BBC-F: BBCF().estimate(oof, {known!r})"
        raise ValueError(
            f"{method} needs out-of-fold predictions, but there are only fold scores, which are "
            f"enough for {on_folds}. OOFPredictions.from_search(search, X, y) fits a search again "
            "and keeps its predictions; BBCSearchCV keeps them at once."
        )
    if "folds" in requires and oof.score_sign is not None:
        raise ValueError(
            f"{method} needs the folds of a cross-validation, which a table of scores does not "
            "have. best_of(scores), BBC and ShrunkenBBC need none."
        )
    if "folds" in requires and oof.n_splits < 2:
        raise ValueError(
            f"{method} needs at least 2 folds, got {oof.n_splits}. Pass the fold of each "
            "sample as `fold`."
        )
    n_classes = 0 if oof.classes_ is None else len(oof.classes_)
    if "binary" in requires and n_classes != 2:
        found = f"{n_classes} classes" if n_classes else "a target without classes"
        raise ValueError(f"{method} needs a target with 2 classes, got {found}.")
    if "auc" in requires and (
        metric.score_func is not roc_auc_score or metric.kwargs.get("max_fpr") is not None
    ):
        raise ValueError(
            f"{method} is a method for the area under the whole ROC curve, got the metric "
            f"{metric.name}. Use scoring='roc_auc', or a method for any metric such as {for_any}."
        )
    for need, name, what in (
        ("ungrouped", "groups", "groups"),
        ("one_series", "groups", "groups"),
        ("unweighted", "sample_weight", "sample_weight"),
        ("ungrouped", "block_length", "blocks of samples that follow each other"),
    ):
        if need in requires and getattr(oof, name) is not None:
            unit, table = (
                ("sample", "predictions") if oof.score_sign is None else ("item", "scores")
            )
            raise ValueError(
                f"{method} takes every {unit} as independent and of equal weight, but the "
                f"{table} have {what}. Use a method that accounts for them, such as {for_any}."
            )


def check_pointwise(
    method: str, requires: Iterable[str], is_pointwise: bool, metric: Metric
) -> None:
    """Raise a ValueError where a method needs a mean over samples and the metric is not one."""
    if "pointwise" in frozenset(requires) and not is_pointwise:
        raise ValueError(
            f"{method} needs a metric that is a mean over samples, such as "
            f"accuracy, log loss or squared error, got {metric.name}."
        )


def check_oof(oof: Any) -> None:
    """Raise unless `oof` is an OOFPredictions, and explain how to get one."""
    if not isinstance(oof, OOFPredictions):
        raise ValueError(f"oof must be an OOFPredictions, got {got(oof)}. {instead_of(oof)}")


def instead_of(predictor: Any) -> str:
    """Explain what to pass instead of something that is not an OOFPredictions."""
    if hasattr(predictor, "oof_"):
        return "A fitted BBCSearchCV has its predictions in `.oof_`: pass search.oof_."
    if hasattr(predictor, "cv_results_"):
        of_search = "OOFPredictions.from_search(search)"
        scoring = next(iter(OOFPredictions.from_search(predictor).fold_scores))
        return (
            "The scores per fold of a fitted search are enough for BBC-F: "
            f"BBCF().estimate({of_search}, {scoring!r}). For all other methods "
            "OOFPredictions.from_search(search, X, y) fits it again and keeps its predictions; "
            "BBCSearchCV keeps them at once."
        )
    if hasattr(predictor, "_run_search"):
        return "Fit the search first, then pass search.oof_ of a BBCSearchCV."
    return "Make one with OOFPredictions(y_true=..., y_pred=..., fold=...)."
