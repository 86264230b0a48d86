"""Rank metrics of each class against the rest, or of each label, and their averages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

import numpy as np

from .._base import MetricKernel
from .._inputs import class_columns, is_indicator
from .._rows import RowData
from ._base import RankKernel


def indicator(rows: RowData) -> tuple[np.ndarray, list[str], list[str]] | None:
    """Which classes or labels each row has.

    Parameters
    ----------
    rows : RowData
        Rows with a column of scores for each class or label.

    Returns
    -------
    has : ndarray of shape (n_rows, n_columns), bool
        Whether the row has the class or label.
    with_names, without_names : list of str
        Names of the rows that have it, and of those that do not.
        None in place of all when target and scores do not match.
    """
    if rows.pred.ndim != 3 or rows.pred.dtype.kind not in "biuf":
        return None
    if rows.y.ndim == 2:
        n_labels = rows.y.shape[1]
        if n_labels < 2 or n_labels != rows.pred.shape[2] or not is_indicator(rows.y):
            return None
        columns = range(n_labels)
        return (
            rows.y == 1,
            [f"label {k} = 1" for k in columns],
            [f"label {k} = 0" for k in columns],
        )
    given = rows.kwargs.get("labels")
    classes = class_columns(rows, given)
    if classes is None or len(classes) < 3:
        return None
    if given is not None and not np.array_equal(np.asarray(given), classes):
        return None  # scikit-learn wants them sorted
    has = rows.y[:, None] == classes
    return has, [f"class {c}" for c in classes], [f"not class {c}" for c in classes]


class OneVsRest(RankKernel):
    """Mean over the columns of a two-class rank metric.

    ``average="macro"`` is the plain mean and ``"weighted"`` counts each column by the
    weight of its rows. Without `labels` a draw needs every class, as in scikit-learn;
    with them, and for several labels per row, a weighted mean leaves out columns
    without rows.
    """

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        found = indicator(rows)
        assert found is not None  # `handles` says so
        has, with_names, without_names = found
        for k in range(has.shape[1]):
            self._add_part(rows.pred[:, :, k], has[:, k], ~has[:, k])
        self._weighted = rows.kwargs.get("average", "macro") == "weighted"
        one_label, labels_given = rows.y.ndim == 1, rows.kwargs.get("labels") is not None
        self.needs_every_part = not self._weighted or (one_label and not labels_given)
        if self.needs_every_part:
            self.strata, self.strata_names = has.T, with_names
            if not one_label and self.needs_negatives:
                self.strata = np.concatenate([has.T, ~has.T])
                self.strata_names = with_names + without_names

    needs_negatives: ClassVar[bool] = True

    def _shares(self, positive: np.ndarray, negative: np.ndarray) -> np.ndarray | None:
        return positive if self._weighted else None


class MicroAverage(MetricKernel):
    """A two-class rank metric on all pairs of a row and a column together.

    Attributes
    ----------
    two_classes : type of RankKernel
        Kernel of the metric.
    """

    is_rank = by_class = True
    two_classes: ClassVar[type[RankKernel]]
    needs_negatives: ClassVar[bool] = True

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        found = indicator(rows)
        assert found is not None  # `handles` says so
        has, names, _ = found
        flat = replace(
            rows,
            y=has.ravel().astype(np.int64),
            pred=rows.pred.reshape(rows.n_configs, -1),
            classes=np.array([0, 1]),
            kwargs={},
        )
        self._inner = self.two_classes(score_func, flat)
        self._n_columns = has.shape[1]
        if rows.y.ndim == 2:
            some = np.stack([has.any(axis=1), ~has.all(axis=1)])
            n_needed = 2 if self.needs_negatives else 1
            self.strata = some[:n_needed]
            self.strata_names = ["some label = 1", "some label = 0"][:n_needed]
        elif rows.kwargs.get("labels") is None:
            self.strata, self.strata_names = has.T, names

    def stay_within(self, fold: np.ndarray) -> None:
        """Compare only pairs of rows of the same fold, from now on.

        Parameters
        ----------
        fold : ndarray of shape (n_rows,)
            Fold of each row.
        """
        self._inner.stay_within(np.repeat(fold, self._n_columns))

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that scoring one draw needs."""
        return self._inner.bytes_per_draw + 8 * self.rows.n_rows * self._n_columns

    def _of_pairs(self, weights: np.ndarray) -> np.ndarray:
        """Weights of the pairs of a row and a column; none in draws that lack a stratum."""
        if self.strata is not None:
            there = [(weights[:, members] > 0).any(axis=1) for members in self.strata]
            weights = weights * np.all(there, axis=0)[:, None]
        return np.repeat(weights, self._n_columns, axis=1)

    def _scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        return self._inner._scores(self._of_pairs(weights), configs)

    def _winners(self, weights: np.ndarray, sign: int) -> np.ndarray:
        return self._inner._winners(self._of_pairs(weights), sign)

    def _score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        return self._inner._score_of(self._of_pairs(weights), configs)
