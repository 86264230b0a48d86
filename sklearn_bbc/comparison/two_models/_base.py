"""What tests of two models share: they take both as fixed."""

from __future__ import annotations

from typing import Any

from ...metrics import Metric
from .._base import BaseComparison
from .._pairs import Pair
from .._sides import Side

OF_CROSS_VALIDATION = (
    "The predictions come from cross-validation. Both models are taken as fixed, so nothing is "
    "said about models trained on other data; CorrectedResampledT allows for overlapping training "
    "sets."
)


class ModelComparison(BaseComparison):
    """Base of tests of two models on the same samples: a test set, or out-of-fold predictions.

    It is not about learners: that predictions of cross-validation come from several models is
    told in a note.
    """

    def _bind(self, first: Side, second: Side, metric: Metric, notes: list[str]) -> Any:
        pair: Pair = super()._bind(first, second, metric, notes)
        if pair.oof.n_splits > 1:
            pair.details["notes"].append(OF_CROSS_VALIDATION)
        return pair
