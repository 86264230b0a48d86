"""R2, explained variance and D2: one minus an error over that of the best constant.

The error of the predictions is a matrix product of weights and errors. That of the best
constant is a function of the target alone, computed draw by draw.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import (
    d2_absolute_error_score,
    d2_pinball_score,
    d2_tweedie_score,
    explained_variance_score,
    r2_score,
)

from .._base import MetricKernel
from .._exact_sums import DrawWeights, FixedSums
from .._inputs import (
    known_arguments,
    numbers,
    output_weights,
    required_numbers,
    required_output_weights,
)
from .._rows import RowData
from ._classification import blank_undefined
from ._regression import Domain, deviance, valid_power

_PAIRS = 2**20  # values of draws times rows that are held to compute a variance directly


def about_mean(weights: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weighted mean and sum of squares about it, row by row.

    Parameters
    ----------
    weights : ndarray of shape (n_draws, n_rows), float64
        Weights.
    values : ndarray of shape (n_rows,) or (n_draws, n_rows)
        Values.

    Returns
    -------
    mean, squares : ndarray of shape (n_draws,)
        `squares` is exactly zero where all values of positive weight are equal.
    """
    # Relative to a value that is in the draw: equal values become exact zeros, and numbers
    # far from zero keep their digits.
    first = (weights > 0).argmax(axis=1)
    values = np.broadcast_to(values, weights.shape)
    reference = np.take_along_axis(values, first[:, None], axis=1)
    from_reference = values - reference
    total = np.add.reduce(weights, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        shift = np.add.reduce(weights * from_reference, axis=1) / total
        squares = np.add.reduce(weights * np.square(from_reference - shift[:, None]), axis=1)
    return reference[:, 0] + shift, squares


class ExplainedKernel(MetricKernel):
    """Base of the metrics ``1 - error / error of the best constant``, averaged over outputs.

    A subclass says what the errors are.
    """

    needs_spread = True
    takes_outputs = True
    needs_two_rows = True

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        self._y, pred = required_numbers(rows, self.name)
        multioutput = rows.kwargs.get("multioutput")
        self._by_variance = isinstance(multioutput, str) and multioutput == "variance_weighted"
        self._weights = required_output_weights(
            None if self._by_variance else multioutput, self._n_outputs
        )
        self._finite = bool(rows.kwargs.get("force_finite", True))
        self._prepare(pred)

    @property
    def _n_outputs(self) -> int:
        return self._y.shape[1]

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Numbers, and one score for all outputs."""
        target, kwargs = numbers(rows), rows.kwargs
        names = ("multioutput", "force_finite", "alpha", "power")
        if target is None or not known_arguments(score_func, kwargs, *names):
            return False
        if not isinstance(kwargs.get("force_finite", True), (bool, np.bool_)):
            return False
        multioutput, n_outputs = kwargs.get("multioutput"), target[0].shape[1]
        if isinstance(multioutput, str) and multioutput == "variance_weighted":
            return score_func in (r2_score, explained_variance_score)
        if not cls.takes_outputs and n_outputs > 1:
            return False
        return output_weights(multioutput, n_outputs) is not None

    @abstractmethod
    def _prepare(self, pred: np.ndarray) -> None:
        """Do what does not depend on the draw, for pred (n_configs, n_rows, n_outputs)."""

    @abstractmethod
    def _error(
        self, drawn: DrawWeights, output: int, configs: np.ndarray, paired: bool
    ) -> np.ndarray:
        """Summed error of the predictions, (n_draws, n_chosen), or (n_draws,) when paired."""

    @abstractmethod
    def _of_constant(self, drawn: DrawWeights, output: int) -> np.ndarray:
        """Summed error of the best constant, (n_draws,)."""

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that scoring one draw needs."""
        return 48 * self.rows.n_rows + (32 + 16 * self._n_outputs) * self.rows.n_configs

    def _scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        return self._explained(DrawWeights(weights), configs, False)

    def _score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        return self._explained(DrawWeights(weights), configs, True)

    def _explained(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> np.ndarray:
        which = np.maximum(configs, 0)
        shape = (len(drawn),) if paired else (len(drawn), len(configs))
        scores, plain = np.zeros(shape), np.zeros(shape)
        spread = np.zeros(len(shape) * [1])
        for output in range(self._n_outputs):
            error = self._error(drawn, output, which, paired)
            constant = self._of_constant(drawn, output)
            constant = constant if paired else constant[:, None]
            score = self._quotient(error, constant)
            if self._by_variance:
                # The same sum with and without the weights, which may all be zero.
                plain += score / self._n_outputs
                with np.errstate(invalid="ignore"):
                    scores += score * constant
                spread = spread + constant
            else:
                scores += self._weights[output] * score
        if self._by_variance:
            scores = np.where(spread > 0, scores / np.where(spread > 0, spread, 1.0), plain)
        few = drawn.total == 0
        if self.needs_two_rows:
            few = (drawn.total < 2) & (drawn.positive().sum(axis=1) < 2)
        scores[few] = np.nan
        return blank_undefined(self, scores, configs)

    def _quotient(self, error: np.ndarray, constant: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            score = 1 - error / constant
        if self._finite:
            score = np.where(constant == 0, np.where(error == 0, 1.0, 0.0), score)
        return score


class R2(ExplainedKernel):
    """Share of the squared deviations from the mean that is explained."""

    name = "r2"
    example: ClassVar[tuple[Any, str] | None] = ("r2", "values")
    score_funcs = {r2_score: (-np.inf, 1.0)}

    def _prepare(self, pred: np.ndarray) -> None:
        with np.errstate(over="ignore"):
            self._sums = [
                FixedSums(np.square(self._y[:, k] - pred[:, :, k])) for k in range(self._n_outputs)
            ]

    def _error(
        self, drawn: DrawWeights, output: int, configs: np.ndarray, paired: bool
    ) -> np.ndarray:
        sums = self._sums[output]
        return sums.paired(drawn, configs) if paired else sums(drawn, configs)

    def _of_constant(self, drawn: DrawWeights, output: int) -> np.ndarray:
        return about_mean(drawn.matrix(np.float64), self._y[:, output])[1]


class ExplainedVariance(R2):
    """As R2, with the mean of the residuals taken off."""

    name = "explained_variance"
    example = ("explained_variance", "values")
    score_funcs = {explained_variance_score: (-np.inf, 1.0)}
    # scikit-learn gives a single row the score 1, where R2 and D2 are undefined.
    needs_two_rows = False

    def _prepare(self, pred: np.ndarray) -> None:
        self._pred = pred
        self._sums, self._squares = [], []
        for k in range(self._n_outputs):
            residual = np.ascontiguousarray(self._y[:, k] - pred[:, :, k])
            # About the mean of all rows, that of a draw is close to zero.
            residual -= residual.mean(axis=1, keepdims=True)
            self._sums.append(FixedSums(residual))
            with np.errstate(over="ignore"):
                self._squares.append(FixedSums(np.square(residual)))

    def _error(
        self, drawn: DrawWeights, output: int, configs: np.ndarray, paired: bool
    ) -> np.ndarray:
        squares, sums = self._squares[output], self._sums[output]
        total = np.where(drawn.total > 0, drawn.total, np.nan)
        if paired:
            raw, mean = squares.paired(drawn, configs), sums.paired(drawn, configs) / total
        else:
            total = total[:, None]
            raw, mean = squares(drawn, configs), sums(drawn, configs) / total
        error = raw - total * np.square(mean)
        # A mean as large as the spread about it: digits are lost, so these few are redone.
        redo = np.nonzero(error < raw / 2)
        chosen = configs[redo[0] if paired else redo[1]]
        error[redo] = self._directly(drawn, output, redo[0], chosen)
        return error

    def _directly(
        self, drawn: DrawWeights, output: int, draws: np.ndarray, configs: np.ndarray
    ) -> np.ndarray:
        """Sum of squares about the mean of the draw for pairs of draw and configuration."""
        weights, result = drawn.matrix(np.float64), np.empty(len(draws))
        size = max(1, _PAIRS // max(1, weights.shape[1]))
        for start in range(0, len(draws), size):
            part = slice(start, start + size)
            residual = self._y[:, output] - self._pred[configs[part], :, output]
            result[part] = about_mean(weights[draws[part]], residual)[1]
        return result


class D2AbsoluteError(R2):
    """Share of the absolute deviations from the median that is explained."""

    name = "d2_absolute_error"
    example = ("d2_absolute_error_score", "values")
    score_funcs = {d2_absolute_error_score: (-np.inf, 1.0), d2_pinball_score: (-np.inf, 1.0)}

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """The median: of other quantiles scikit-learn's releases have different definitions."""
        return rows.kwargs.get("alpha", 0.5) == 0.5 and super().handles(score_func, rows)

    def _prepare(self, pred: np.ndarray) -> None:
        self._sums = [
            FixedSums(np.abs(self._y[:, k] - pred[:, :, k])) for k in range(self._n_outputs)
        ]
        self._order = np.argsort(self._y, axis=0, kind="stable")

    def _of_constant(self, drawn: DrawWeights, output: int) -> np.ndarray:
        weights, order = drawn.matrix(np.float64), self._order[:, output]
        y = self._y[order, output]
        ranked = np.ascontiguousarray(weights[:, order])
        up_to = np.cumsum(ranked, axis=1)
        # Between the two middle values the sum is the same, so the lower one will do.
        middle = (2 * up_to < up_to[:, -1:]).sum(axis=1)
        return np.add.reduce(ranked * np.abs(y - y[middle][:, None]), axis=1)


class D2Tweedie(R2):
    """Share of the Tweedie deviance from the mean that is explained."""

    name = "d2_tweedie"
    example = ((d2_tweedie_score, {"power": 1}), "values")
    score_funcs = {d2_tweedie_score: (-np.inf, 1.0)}
    takes_outputs = False

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """One output and a power for which there is a distribution."""
        return valid_power(rows.kwargs.get("power", 0)) and super().handles(score_func, rows)

    def _prepare(self, pred: np.ndarray) -> None:
        self._finite = False
        self._power = self.rows.kwargs.get("power", 0)
        y, pred = self._y[:, 0], pred[:, :, 0]
        self.defined = Domain.of_deviance(self._power).check("d2_tweedie_score", y, pred)
        if self.defined is not None:
            pred = np.where(self.defined[:, None], pred, 1.0)
        with np.errstate(over="ignore"):
            self._sums = [FixedSums(deviance(y, pred, self._power))]

    def _of_constant(self, drawn: DrawWeights, output: int) -> np.ndarray:
        weights, y = drawn.matrix(np.float64), self._y[:, 0]
        mean, squares = about_mean(weights, y)
        # A constant target has no deviance: undefined, where scikit-learn divides by zero.
        safe = np.where(squares > 0, mean, 1.0)[:, None]
        total = np.add.reduce(weights * deviance(y, safe, self._power), axis=1)
        return np.where(squares > 0, total, np.nan)
