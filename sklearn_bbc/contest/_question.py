"""What is asked, the score of one configuration or of what a rule selects, and what it needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sklearn.metrics import roc_auc_score

from .._utils import got
from ..metrics._by_fold import FoldTable
from ..metrics._classification import MEAN_LOSS, MEAN_SCORE
from ..metrics._consumed import OfMetric, check_labels, check_two_classes
from ..metrics._metric import Metric, as_metric
from ..metrics._scored import Scored
from ..metrics._survival import SURVIVAL_SCORES, check_events
from ..predictions._predictions import OOFPredictions
from ..selection._base import Selection
from ..selection._rules import SelectedBy, can_be_selected_by
from ._contest import Contest
from ._folds import FoldContest


@dataclass(frozen=True, kw_only=True, eq=False)
class Question:
    """What is asked of predictions: the score of what is selected how.

    Parameters
    ----------
    oof : OOFPredictions
        The predictions as `metric` sees them, with the winner of this question.
    metric : str, scorer or Metric
        The metric that scores; methods make a `Metric` of it.
    rule : Selection or None, default=None
        Rule that draws repeat; None is the best score by `metric`.
    config : int or None, default=None
        One configuration, looked at as if it were the only one.
    selects : Metric or None, default=None
        The metric that selects, None where a single configuration is looked at, or a rule selects
        that has metrics of its own.
    tuned_by : Metric or None, default=None
        The same where it is not what selected in a search, but was asked for.
    why_not : str, default=""
        Why draws cannot repeat what selected; empty where they can.
    why_unrecorded : str, default=""
        Why there are only scores per fold, where that is so.

    Examples
    --------
    >>> from sklearn_bbc.contest import Question
    >>> from sklearn_bbc.metrics import as_metric
    >>> from sklearn_bbc.testing import example_predictions
    >>> Question(oof=example_predictions(), metric=as_metric("roc_auc")).open().winner
    3
    """

    oof: OOFPredictions
    metric: Any
    rule: Selection | None = None
    config: int | None = None
    selects: Metric | None = None
    tuned_by: Metric | None = None
    why_not: str = ""
    why_unrecorded: str = ""

    @property
    def selection(self) -> Selection | None:
        """Rule that draws repeat, None for the best score; raise where none can be repeated."""
        if self.why_not:
            raise ValueError(self.why_not)
        return self.rule

    @property
    def other_metric(self) -> Metric | None:
        """The metric that selects, where it is not the one that scores."""
        return None if self.selects is self.metric else self.selects

    def by(self, rule: Selection) -> Selection:
        """Apply another rule to the scores by the metric that selects.

        Parameters
        ----------
        rule : Selection
            The rule.

        Returns
        -------
        Selection
            The rule itself where it has a metric of its own, or the one that scores selects.
        """
        if self.other_metric is None or not can_be_selected_by(rule):
            return rule
        weights = self.rule.sample_weight if isinstance(self.rule, SelectedBy) else "same"
        return SelectedBy(self.other_metric, rule, sample_weight=weights)

    def predictions(self, needed_by: str) -> OOFPredictions:
        """Return the predictions as the metric sees them; raise where there are none.

        Parameters
        ----------
        needed_by : str
            What needs them.

        Returns
        -------
        OOFPredictions
            Not scores per fold alone.
        """
        if not self.oof.responses and self.why_unrecorded:
            raise ValueError(
                f"{needed_by} needs out-of-fold predictions, but there are only fold scores: "
                f"{self.why_unrecorded}."
            )
        return self.oof

    def open(self, *, on_folds: bool = False, settle: bool = True) -> Contest:
        """Bind metric and rule to the predictions.

        Parameters
        ----------
        on_folds : bool, default=False
            Whether scores per fold are enough, and draws are of folds.
        settle : bool, default=True
            Whether to choose the length of blocks of samples where it is "auto".

        Returns
        -------
        Contest
            A `FoldContest` on folds.
        """
        if on_folds:
            table = FoldTable(self.metric.with_classes(self.oof.classes_), self.oof)
            return FoldContest(table, self.selection)
        return Contest(self.metric.bind(self.oof), self.selection, settle=settle)


def metric_for(oof: OOFPredictions, scoring: Any) -> Metric:
    """Return the metric that is asked for; for scores per item, which need none, their mean."""
    if oof.score_sign is None:
        return as_metric(scoring)
    metric = MEAN_SCORE if oof.score_sign > 0 else MEAN_LOSS
    if scoring is None or scoring is metric:
        return metric
    raise ValueError(
        f"scoring={scoring!r} cannot be computed from scores per item, whose mean is compared: "
        "leave scoring out. For a metric of predictions give these and the target, as "
        "OOFPredictions(y_true=..., y_pred=...)."
    )


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


def check_metric_fits(scored: OfMetric) -> None:
    """Raise where the metric cannot take the labels, classes or events of the predictions."""
    metric, oof = scored.metric, scored.oof
    check_labels(oof, metric.name, metric.score_func, metric.response_method)
    if metric.score_func is roc_auc_score:
        check_two_classes(scored)
    elif metric.score_func in SURVIVAL_SCORES:
        check_events(scored)


def check_pointwise(method: Any, scored: Scored) -> None:
    """Raise a ValueError where the metric of a method is not a mean over samples."""
    if not scored.is_pointwise:
        raise ValueError(
            f"{type(method).__name__} needs a metric that is a mean over samples, such as "
            f"accuracy, log loss or squared error, got {scored.metric.name}."
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
