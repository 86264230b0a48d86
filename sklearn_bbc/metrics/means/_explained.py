"""R2, explained variance and D2: one minus an error over that of the best constant.

The error of the predictions is a matrix product of weights and errors. That of the best
constant is a function of the target alone, computed draw by draw.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import (
    d2_absolute_error_score,
    d2_pinball_score,
    d2_tweedie_score,
    explained_variance_score,
    r2_score,
)

from .._exact_sums import DrawWeights
from .._inputs import (
    known_arguments,
    numbers,
    output_weights,
    required_numbers,
    required_output_weights,
)
from .._rows import RowData
from .._sums_in_blocks import SumsInBlocks, Where
from ._classification import blank_undefined, per_draw
from ._from_sums import SumKernel
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


class ExplainedKernel(SumKernel):
    """Base of the metrics ``1 - error / error of the best constant``, averaged over outputs.

    A subclass says what the errors are.
    """

    needs_spread = True
    takes_outputs = True
    needs_two_rows = True

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        self._target = required_numbers(rows, self.name)
        self._y = self._target.y
        multioutput = rows.kwargs.get("multioutput")
        self._by_variance = isinstance(multioutput, str) and multioutput == "variance_weighted"
        self._weights = required_output_weights(
            None if self._by_variance else multioutput, self._n_outputs
        )
        self._finite = bool(rows.kwargs.get("force_finite", True))
        self._prepare()

    @property
    def _n_outputs(self) -> int:
        return self._target.n_outputs

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Numbers, and one score for all outputs."""
        target, kwargs = numbers(rows), rows.kwargs
        names = ("multioutput", "force_finite", "alpha", "power")
        if target is None or not known_arguments(score_func, kwargs, *names):
            return False
        if not isinstance(kwargs.get("force_finite", True), (bool, np.bool_)):
            return False
        multioutput, n_outputs = kwargs.get("multioutput"), target.n_outputs
        if isinstance(multioutput, str) and multioutput == "variance_weighted":
            return score_func in (r2_score, explained_variance_score)
        if not cls.takes_outputs and n_outputs > 1:
            return False
        return output_weights(multioutput, n_outputs) is not None

    @abstractmethod
    def _prepare(self) -> None:
        """Do what does not depend on the draw."""

    def _new_sums(self) -> list[SumsInBlocks]:
        """Sums of values of each output."""
        return [SumsInBlocks(*self._target.shape) for _ in range(self._n_outputs)]

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
        return super().bytes_per_draw + 8 * (self._n_outputs - 1) * self.rows.n_configs

    def _summed(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> list[np.ndarray]:
        return [self._error(drawn, output, configs, paired) for output in range(self._n_outputs)]

    def _from_sums(
        self, sums: list[np.ndarray], drawn: DrawWeights, configs: np.ndarray
    ) -> np.ndarray:
        scores, plain = np.zeros(sums[0].shape), np.zeros(sums[0].shape)
        spread = np.zeros(scores.ndim * [1])
        for output, error in enumerate(sums):
            constant = per_draw(self._of_constant(drawn, output), scores)
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
            few = drawn.total < 2
            few[few] = drawn.part(few).positive().sum(axis=1) < 2
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

    def _prepare(self) -> None:
        self._sums = self._new_sums()

    def _residuals(self, output: int, configs: Where, rows: Where) -> np.ndarray:
        pred = np.ascontiguousarray(self._target.of(configs, rows)[:, :, output])
        return self._y[rows, output] - pred

    def _errors(self, output: int, configs: Where, rows: Where) -> np.ndarray:
        """Error of each prediction, shape (n_chosen_configs, n_chosen_rows)."""
        residual = self._residuals(output, configs, rows)
        with np.errstate(over="ignore"):
            return np.square(residual, out=residual)

    def _error(
        self, drawn: DrawWeights, output: int, configs: np.ndarray, paired: bool
    ) -> np.ndarray:
        return self._sum(self._sums[output], self._errors, drawn, output, configs, paired)

    @staticmethod
    def _sum(
        sums: SumsInBlocks,
        values: Callable[[int, Where, Where], np.ndarray],
        drawn: DrawWeights,
        output: int,
        configs: np.ndarray,
        paired: bool,
    ) -> np.ndarray:
        """Sums of values of one output, as `_error` is asked for them."""
        of_output = partial(values, output)
        if paired:
            return sums.paired(of_output, drawn, configs)
        return sums(of_output, drawn, configs)

    def _of_constant(self, drawn: DrawWeights, output: int) -> np.ndarray:
        return about_mean(drawn.matrix(np.float64), self._y[:, output])[1]


class ExplainedVariance(R2):
    """As R2, with the mean of the residuals taken off."""

    name = "explained_variance"
    example = ("explained_variance", "values")
    score_funcs = {explained_variance_score: (-np.inf, 1.0)}
    n_tables = 5
    # scikit-learn gives a single row the score 1, where R2 and D2 are undefined.
    needs_two_rows = False

    def _prepare(self) -> None:
        n_configs = self._target.shape[0]
        self._means = np.empty((n_configs, self._n_outputs))
        for config in range(n_configs):
            for output in range(self._n_outputs):
                residual = self._residuals(output, slice(config, config + 1), slice(None))
                self._means[config, output] = residual[0].mean()
        self._sums, self._squares = self._new_sums(), self._new_sums()

    def _centred(self, output: int, configs: Where, rows: Where) -> np.ndarray:
        residual = self._residuals(output, configs, rows)
        # About the mean of all rows, that of a draw is close to zero.
        residual -= self._means[configs, output][:, None]
        return residual

    def _errors(self, output: int, configs: Where, rows: Where) -> np.ndarray:
        residual = self._centred(output, configs, rows)
        with np.errstate(over="ignore"):
            return np.square(residual, out=residual)

    def _error(
        self, drawn: DrawWeights, output: int, configs: np.ndarray, paired: bool
    ) -> np.ndarray:
        raw = self._sum(self._squares[output], self._errors, drawn, output, configs, paired)
        sums = self._sum(self._sums[output], self._centred, drawn, output, configs, paired)
        total = np.where(drawn.total > 0, drawn.total, np.nan)
        total = total if paired else total[:, None]
        error = raw - total * np.square(sums / total)
        # A mean as large as the spread about it: digits are lost, so these few are redone.
        redo = np.nonzero(error < raw / 2)
        chosen = configs[redo[0] if paired else redo[1]]
        error[redo] = self._directly(drawn, output, redo[0], chosen)
        return error

    def _directly(
        self, drawn: DrawWeights, output: int, draws: np.ndarray, configs: np.ndarray
    ) -> np.ndarray:
        """Sum of squares about the mean of the draw for pairs of draw and configuration."""
        result = np.empty(len(draws))
        size = max(1, _PAIRS // max(1, self.rows.n_rows))
        for start in range(0, len(draws), size):
            part = slice(start, start + size)
            residual = self._residuals(output, configs[part], slice(None))
            result[part] = about_mean(drawn.part(draws[part]).matrix(np.float64), residual)[1]
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

    def _prepare(self) -> None:
        super()._prepare()
        self._order = np.argsort(self._y, axis=0, kind="stable")

    def _errors(self, output: int, configs: Where, rows: Where) -> np.ndarray:
        residual = self._residuals(output, configs, rows)
        return np.abs(residual, out=residual)

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

    def _prepare(self) -> None:
        self._finite = False
        self._power = self.rows.kwargs.get("power", 0)
        domain = Domain.of_deviance(self._power)
        self.defined = domain.check("d2_tweedie_score", self._target)
        super()._prepare()

    def _errors(self, output: int, configs: Where, rows: Where) -> np.ndarray:
        pred = np.ascontiguousarray(self._target.of(configs, rows)[:, :, output])
        if self.defined is not None:
            pred = np.where(self.defined[configs][:, None], pred, 1.0)
        with np.errstate(over="ignore"):
            return deviance(self._y[rows, output], pred, self._power)

    def _of_constant(self, drawn: DrawWeights, output: int) -> np.ndarray:
        weights, y = drawn.matrix(np.float64), self._y[:, 0]
        mean, squares = about_mean(weights, y)
        # A constant target has no deviance: undefined, where scikit-learn divides by zero.
        safe = np.where(squares > 0, mean, 1.0)[:, None]
        total = np.add.reduce(weights * deviance(y, safe, self._power), axis=1)
        return np.where(squares > 0, total, np.nan)
