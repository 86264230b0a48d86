"""Regression metrics of the order of the errors: their median and their maximum."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.metrics import max_error, median_absolute_error

from ._base import MetricKernel
from ._exact_sums import DrawWeights, FixedSums
from ._inputs import (
    known_arguments,
    numbers,
    output_weights,
    required_numbers,
    required_output_weights,
)
from ._rows import RowData
from .means._classification import blank_undefined

_WINDOW = 5  # standard deviations of a bootstrap median's rank
_FIRST = 32  # largest errors that are looked at before more are


def absolute_errors(kernel: MetricKernel) -> np.ndarray:
    """Absolute error of each prediction, shape (n_outputs, n_configs, n_rows)."""
    target = required_numbers(kernel.rows, kernel.name)
    pred = target.of(slice(None), slice(None))
    return np.ascontiguousarray(np.moveaxis(np.abs(pred - target.y), 2, 0))


class MedianAbsoluteError(MetricKernel):
    """Median of the absolute errors; of an even number the mean of the middle two.

    With weights it is the value at which the cumulated weight passes one half, and the
    mean of the two neighbours where it meets it exactly: for counts the median of the
    repeated rows.
    """

    name = "median_absolute_error"
    example = ("neg_median_absolute_error", "values")
    score_funcs = {median_absolute_error: (0.0, np.inf)}

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        error = absolute_errors(self)
        self._order = np.argsort(error, axis=2, kind="stable")
        self._ranked = np.take_along_axis(error, self._order, axis=2)
        self._weights = required_output_weights(rows.kwargs.get("multioutput"), len(error))
        # The median of a draw of n rows is hardly ever more than 2.5 sqrt(n) ranks off.
        half = int(_WINDOW * np.sqrt(rows.n_rows) / 2) + 1
        self._start = max(0, rows.n_rows // 2 - half)
        self._stop = min(rows.n_rows, rows.n_rows // 2 + half)
        rank = np.empty_like(self._order)
        np.put_along_axis(rank, self._order, np.arange(rows.n_rows)[None, None], axis=2)
        self._before = [FixedSums(each < self._start) for each in rank]

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Numbers, and one score for all outputs."""
        target = numbers(rows)
        if target is None or not known_arguments(score_func, rows.kwargs, "multioutput"):
            return False
        return output_weights(rows.kwargs.get("multioutput"), target.n_outputs) is not None

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that scoring one draw needs."""
        return 48 * self.rows.n_rows + 32 * self.rows.n_configs

    def _scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        drawn = DrawWeights(weights)
        # Row by row: the counts of a row in all draws stand side by side.
        whole = drawn.whole & (drawn.total < 2**30)
        counts = np.ascontiguousarray(weights[whole].T)
        scores = np.zeros((len(weights), len(configs)))
        for output, part in enumerate(self._weights):
            before = self._before[output](drawn, configs)
            for k, config in enumerate(configs):
                median = np.empty(len(weights))
                found = np.zeros(len(weights), dtype=bool)
                median[whole], found[whole] = self._in_window(
                    output, config, counts, before[whole, k], drawn.total[whole]
                )
                rest = np.flatnonzero(~found)
                if len(rest):
                    ranked = drawn.matrix(np.float64)[np.ix_(rest, self._order[output, config])]
                    median[rest] = _median(ranked, self._ranked[output, config][None])
                scores[:, k] += part * median
        return scores

    def _in_window(
        self,
        output: int,
        config: int,
        counts: np.ndarray,
        before: np.ndarray,
        total: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Medians of the draws in which it is near the middle, and which draws these are."""
        window = self._order[output, config, self._start : self._stop]
        cumulated = counts[window].astype(np.int32)  # (n_window, n_draws)
        before, total = before.astype(np.int32), total.astype(np.int32)
        cumulated[0] += before
        # Faster than numpy.cumsum along this axis, whose steps go through memory.
        for row in range(1, len(cumulated)):
            cumulated[row] += cumulated[row - 1]
        half, above = (total + 1) // 2, total // 2 + 1
        found = (before < half) & (cumulated[-1] >= above)
        low = np.count_nonzero(cumulated < half, axis=0)
        high = np.count_nonzero(cumulated < above, axis=0)
        values = self._ranked[output, config, self._start : self._stop]
        low, high = np.where(found, low, 0), np.where(found, high, 0)
        return (values[low] + values[high]) / 2, found

    def _score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        drawn, which = DrawWeights(weights), np.maximum(configs, 0)
        scores = np.zeros(len(weights))
        for output, part in enumerate(self._weights):
            ranked = np.take_along_axis(
                drawn.matrix(np.float64), self._order[output, which], axis=1
            )
            scores += part * _median(ranked, self._ranked[output, which])
        return blank_undefined(self, scores, configs)


def _median(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Weighted median of ascending values, shape (n_draws,).

    Parameters
    ----------
    weights : ndarray of shape (n_draws, n_rows), float64
        Weight of each value.
    values : ndarray of shape (n_draws, n_rows) or (1, n_rows)
        Values in ascending order.
    """
    cumulated = np.cumsum(weights, axis=1)
    total = cumulated[:, -1]
    low = np.count_nonzero(2 * cumulated < total[:, None], axis=1)
    high = np.count_nonzero(2 * cumulated <= total[:, None], axis=1)
    values = np.broadcast_to(values, weights.shape)
    last = values.shape[1] - 1
    ends = [np.take_along_axis(values, np.minimum(k, last)[:, None], axis=1) for k in (low, high)]
    return np.where(total > 0, (ends[0] + ends[1])[:, 0] / 2, np.nan)


class MaxError(MetricKernel):
    """Largest absolute error among the rows of a draw."""

    name = "max_error"
    example = ((max_error, {"greater_is_better": False}), "values")
    score_funcs = {max_error: (0.0, np.inf)}

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        error = absolute_errors(self)[0]
        self._order = np.argsort(-error, axis=1, kind="stable")
        self._ranked = np.take_along_axis(error, self._order, axis=1)

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Numbers, one output."""
        target = numbers(rows)
        return not rows.kwargs and target is not None and target.n_outputs == 1

    def _scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        there = weights > 0
        scores = np.empty((len(weights), len(configs)))
        for k, config in enumerate(configs):
            scores[:, k] = self._largest(there, np.full(len(weights), config))
        return scores

    def _score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        scores = self._largest(weights > 0, np.maximum(configs, 0))
        return blank_undefined(self, scores, configs)

    def _largest(self, there: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Largest error of one configuration per draw: the first of its ranked rows drawn."""
        result = np.full(len(there), np.nan)
        left, start, size = np.arange(len(there)), 0, _FIRST
        while len(left) and start < there.shape[1]:
            rows = self._order[configs[left], start : start + size]
            drawn = there[left[:, None], rows]
            first = drawn.argmax(axis=1)
            found = np.take_along_axis(drawn, first[:, None], axis=1)[:, 0]
            hit = left[found]
            result[hit] = self._ranked[configs[hit], start + first[found]]
            left, start, size = left[~found], start + size, 4 * size
        return result
