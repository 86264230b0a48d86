"""D2 of log loss and Brier score: one minus the loss over that of the class shares."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from sklearn import metrics
from sklearn.metrics import d2_log_loss_score

from .._exact_sums import DrawWeights, FixedSums
from .._inputs import class_columns
from .._rows import RowData
from ._classification import Brier, LogLoss, MeanKernel, blank_undefined, per_draw


class _ExplainedProbability(MeanKernel):
    """Base: the loss of the kernel it is mixed with over that of the class shares."""

    is_pointwise: ClassVar[bool] = False
    by_class: ClassVar[bool] = True

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        self._members = FixedSums(np.stack([rows.y == label for label in np.unique(rows.y)]))

    def pointwise(self, configs: slice | np.ndarray = slice(None)) -> None:
        """None: the metric is not a mean over rows."""
        return None

    @abstractmethod
    def _of_shares(self, counts: np.ndarray, total: np.ndarray) -> np.ndarray:
        """Loss per draw of predicting the share of each class."""

    def _null(self, drawn: DrawWeights) -> np.ndarray:
        counts = self._members(drawn)  # (n_draws, n_classes)
        total = np.zeros(len(counts))
        for column in counts.T:  # the sum of one class alone must be exactly that class
            total += column
        undefined = drawn.total < 2
        for members in () if self.strata is None else self.strata:
            undefined |= drawn.lacks(members)
        null = self._of_shares(counts, np.where(total > 0, total, 1.0))
        return np.where(undefined | (null <= 0), np.nan, null)

    def _from_sums(
        self, sums: list[np.ndarray], drawn: DrawWeights, configs: np.ndarray
    ) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = 1 - sums[0] / per_draw(self._null(drawn), sums[0])
        return blank_undefined(self, scores, configs)


class D2LogLoss(_ExplainedProbability, LogLoss):
    """Share of the log loss of the class shares that is explained."""

    name = "d2_log_loss"
    example = ("d2_log_loss_score", "two classes")
    score_funcs = {d2_log_loss_score: (-np.inf, 1.0)}

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Classes from the target: with `labels` scikit-learn's releases differ."""
        return not rows.kwargs and class_columns(rows, None) is not None

    def _of_shares(self, counts: np.ndarray, total: np.ndarray) -> np.ndarray:
        eps, loss = np.finfo(np.float64).eps, np.zeros(len(counts))
        for column in counts.T:
            loss -= column * np.log(np.clip(column / total, eps, 1 - eps))
        return loss


if hasattr(metrics, "d2_brier_score"):  # not in the oldest releases

    class D2Brier(_ExplainedProbability, Brier):
        """Share of the Brier score of the class shares that is explained."""

        name = "d2_brier"
        example = ("d2_brier_score", "two classes")
        score_funcs = {metrics.d2_brier_score: (-np.inf, 1.0)}

        def _prepare(self) -> None:
            super()._prepare()
            if self.strata is None and self.rows.pred.ndim == 2:
                # The shares of a single class are predicted without any loss: 0 / 0.
                found = np.unique(self.rows.y)
                self.strata = np.stack([self.rows.y == label for label in found])
                self.strata_names = [f"class {label}" for label in found]

        def _of_shares(self, counts: np.ndarray, total: np.ndarray) -> np.ndarray:
            loss = np.zeros(len(counts))
            for column in counts.T:
                loss += column * (total - column) / total
            # Of two classes the values are those of one column, half of both.
            return loss / 2 if self.rows.pred.ndim == 2 else loss
