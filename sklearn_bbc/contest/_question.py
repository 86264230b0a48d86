"""What is asked: the score of one configuration, or of what a rule selects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..metrics._by_fold import FoldTable
from ..metrics._metric import Metric
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
