"""Select by one metric what is scored by another."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..metrics import as_metric
from ..predictions import OOFPredictions
from ._base import BoundSelection, Selection, as_selection
from ._folds import bound_alike
from ._outcome import Outcome


class SelectedBy(Selection):
    """Select by one metric, and report the score by another.

    A search with ``scoring=["roc_auc", "f1"], refit="roc_auc"`` returns the model with the best
    area under the ROC curve. Its F1 is that of the configuration that the area selects, in
    every draw, and not that of the configuration that F1 would select.

    Parameters
    ----------
    scoring : str, scorer or Metric
        The metric that selects.
    selection : Selection, default=None
        Rule that is applied to the scores by `scoring`; None is `BestScore`. It must select one
        configuration: no threshold and no ensemble.

    See Also
    --------
    sklearn_bbc.intervals.BaseInterval.estimate : Has this as its parameter `selected_by`.

    Notes
    -----
    In every draw the configuration is selected in-bag by `scoring`, and scored out-of-bag by
    the metric that the method is given. Draws hold what both metrics need.

    `details` of a result has ``selected_by``, the name of the metric that selects, and what
    `selection` adds: ``rule``, ``mean_folds``, ``n_without_error`` (see `OneStandardError`).

    Examples
    --------
    >>> from sklearn_bbc.intervals import BBC
    >>> from sklearn_bbc.selection import SelectedBy
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> method = BBC(selection=SelectedBy("roc_auc"), random_state=0)
    >>> result = method.estimate(oof, "neg_brier_score")
    >>> result.metric, result.details["selected_by"]
    ('neg_brier_score', 'roc_auc')
    """

    name = "selected_by"

    _oof: OOFPredictions | None = None

    def __init__(self, scoring: Any, selection: Selection | None = None) -> None:
        self.scoring = scoring
        self.selection = selection

    def _on(self, oof: OOFPredictions) -> SelectedBy:
        """Select on these predictions, whose weights may differ from those that are scored."""
        self._oof = oof
        return self

    def _validate(self) -> None:
        as_metric(self.scoring)
        rule = as_selection(self.selection)
        rule._validate()
        if not can_be_selected_by(rule):
            raise ValueError(
                f"{rule!r} cannot be combined with another metric that selects: a threshold, an "
                "ensemble and a refit function have their own. Leave out selected_by."
            )

    def _bind(self, oof: OOFPredictions, kernel: Any) -> BoundSelection:
        metric, rule = as_metric(self.scoring), as_selection(self.selection)
        if metric.scorer is kernel.metric.scorer:
            return rule.bind(oof, kernel)
        of_selection = oof if self._oof is None else self._oof
        try:
            selecting = bound_alike(kernel, of_selection, metric)
        except ValueError as error:
            raise ValueError(
                f"Every draw selects by {metric.name}, as tuning did, but {error} "
                "BBCF selects by recorded scores per fold."
            ) from error
        return BoundSelectedBy(rule.bind(of_selection, selecting), kernel)


def can_be_selected_by(rule: Selection) -> bool:
    """Whether a rule selects one configuration by the metric that it is given."""
    own = "predictions" in rule.needs or rule.takes_cv_results
    return not own and not isinstance(rule, SelectedBy)


class BoundSelectedBy(BoundSelection):
    """A rule bound to one metric whose choice is scored by another."""

    def __init__(self, rule: BoundSelection, kernel: Any) -> None:
        super().__init__(kernel)
        self._rule = rule
        self.by, self.draw_by_draw = rule.by, rule.draw_by_draw
        self.seconds_per_draw = rule.seconds_per_draw

    @property
    def selecting(self) -> Any:
        """See `BoundSelection.selecting`."""
        return self._rule.selecting

    def choose(self, weights: np.ndarray) -> Outcome:
        """See `BoundSelection.choose`."""
        return self._rule.choose(weights)

    def same(self, outcome: Outcome, one: Outcome) -> np.ndarray:
        """See `BoundSelection.same`."""
        return self._rule.same(outcome, one)

    def on_all(self) -> Outcome:
        """See `BoundSelection.on_all`."""
        return self._rule.on_all()

    def describe(self, outcome: Outcome) -> dict[str, Any]:
        """See `BoundSelection.describe`."""
        return self._rule.describe(outcome)
