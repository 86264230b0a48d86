"""Regression metrics: mean, median and largest errors, and shares of them explained."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy.special import xlogy
from sklearn.metrics import (
    d2_absolute_error_score,
    d2_pinball_score,
    d2_tweedie_score,
    explained_variance_score,
    max_error,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_gamma_deviance,
    mean_pinball_loss,
    mean_poisson_deviance,
    mean_squared_error,
    mean_squared_log_error,
    mean_tweedie_deviance,
    median_absolute_error,
    r2_score,
    root_mean_squared_error,
    root_mean_squared_log_error,
)

from .._rounding import rounding, without_rounding
from ._arithmetic import DrawWeights, RowSums, Where, sums_of
from ._base import (
    MetricKernel,
    Numbers,
    RowData,
    known_arguments,
    numbers,
    output_weights,
    required_numbers,
    required_output_weights,
)
from ._classification import (
    MeanKernel,
    SumKernel,
    blank_undefined,
    divisor,
    only_defined,
    per_draw,
)

_WINDOW = 5  # standard deviations of a bootstrap median's rank
_FIRST = 32  # largest errors that are looked at before more are


def absolute_errors(kernel: MetricKernel) -> np.ndarray:
    """Compute the absolute error of each prediction, shape (n_outputs, n_configs, n_rows)."""
    target = required_numbers(kernel.rows, kernel.name)
    pred = target.of(slice(None), slice(None))
    return np.ascontiguousarray(np.moveaxis(np.abs(pred - target.y), 2, 0))


class MedianAbsoluteError(MetricKernel):
    """Median of the absolute errors; of an even number, the mean of the middle two.

    With weights it is the value at which the cumulated weight passes one half, and the
    mean of the two neighbours where it is exactly one half: for counts the median of the
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
        self._before = rank < self._start

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for numbers, and one score for all outputs."""
        target = numbers(rows)
        if target is None or not known_arguments(score_func, rows.kwargs, "multioutput"):
            return False
        return output_weights(rows.kwargs.get("multioutput"), target.n_outputs) is not None

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that scoring one draw needs."""
        return 48 * self.rows.n_rows + 32 * self.rows.n_configs

    def scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        drawn = DrawWeights(weights)
        # Row by row: the counts of a row in all draws stand side by side.
        whole = drawn.are_counts & (drawn.total < 2**30)
        counts = np.ascontiguousarray(weights[whole].T)
        scores = np.zeros((len(weights), len(configs)))
        for output, part in enumerate(self._weights):
            before = sums_of(self._before[output, configs], drawn)
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
        """Find the medians that are near the middle of all errors, and mark their draws."""
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

    def score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        drawn, which = DrawWeights(weights), np.maximum(configs, 0)
        scores = np.zeros(len(weights))
        for output, part in enumerate(self._weights):
            ranked = np.take_along_axis(
                drawn.matrix(np.float64), self._order[output, which], axis=1
            )
            scores += part * _median(ranked, self._ranked[output, which])
        return blank_undefined(self, scores, configs)


def _median(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Compute the median (n_draws,) of ascending `values` by `weights`, both (n_draws, n_rows)."""
    cumulated = np.cumsum(weights, axis=1)
    total = cumulated[:, -1]
    # Half of the weight is often what rounding makes of it: of weights of 0.1, say, of which
    # scikit-learn 1.9 takes the lower or the upper of the two middle values (its issue 32289).
    above_half = without_rounding(
        2 * cumulated - total[:, None], total[:, None], rounding(weights.shape[1])
    )
    low = np.count_nonzero(above_half < 0, axis=1)
    high = np.count_nonzero(above_half <= 0, axis=1)
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
        """Check for numbers and one output."""
        target = numbers(rows)
        return not rows.kwargs and target is not None and target.n_outputs == 1

    def scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        there = weights > 0
        scores = np.empty((len(weights), len(configs)))
        for k, config in enumerate(configs):
            scores[:, k] = self._largest(there, np.full(len(weights), config))
        return scores

    def score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        scores = self._largest(weights > 0, np.maximum(configs, 0))
        return blank_undefined(self, scores, configs)

    def _largest(self, there: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Find the largest error of one configuration per draw: its first ranked row drawn."""
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


_LOG_ERRORS = (mean_squared_log_error, root_mean_squared_log_error)
_POWER = {mean_poisson_deviance: 1, mean_gamma_deviance: 2}
_DEVIANCES = (mean_tweedie_deviance, *_POWER)


def deviance(y: np.ndarray, pred: np.ndarray, power: float) -> np.ndarray:
    """Compute the Tweedie deviance of each prediction."""
    if power == 0:
        return np.square(y - pred)
    if power == 1:
        return 2 * (xlogy(y, y / pred) - y + pred)
    if power == 2:
        return 2 * (np.log(pred / y) + y / pred - 1)
    base = np.where(y > 0, y, 0.0) if power < 0 else y
    return 2 * (
        np.power(base, 2 - power) / ((1 - power) * (2 - power))
        - y * np.power(pred, 1 - power) / (1 - power)
        + np.power(pred, 2 - power) / (2 - power)
    )


def valid_power(power: object) -> bool:
    """Check whether there is a Tweedie distribution with this power."""
    return isinstance(power, Real) and not 0 < float(power) < 1


class Domain:
    """Values for which a metric is defined: ``y > y_above`` (or ``>=``), ``pred > pred_above``."""

    def __init__(self, y_above: float, y_closed: bool, pred_above: float) -> None:
        self._y_above, self._y_closed, self._pred_above = y_above, y_closed, pred_above

    @classmethod
    def of_deviance(cls, power: float) -> Domain:
        """Make the domain of the Tweedie deviance."""
        if power == 0:
            return cls(-np.inf, True, -np.inf)
        y_above = -np.inf if power < 0 else 0.0
        return cls(y_above, power < 2, 0.0)

    def check(self, metric: str, target: Numbers) -> np.ndarray | None:
        """Raise if the target is outside; return a mask of the configurations inside, or None."""
        y = target.y
        outside = y < self._y_above if self._y_closed else y <= self._y_above
        if outside.any():
            sign = ">=" if self._y_closed else ">"
            raise ValueError(
                f"{metric} needs target values {sign} {self._y_above:g}, but y_true has "
                f"{np.count_nonzero(outside)} others, down to {y.min():g}. Use a metric without "
                "such a limit, for example neg_mean_squared_error."
            )
        lowest = [target.of(slice(k, k + 1), slice(None)).min() for k in range(target.shape[0])]
        inside = np.array(lowest) > self._pred_above
        return only_defined(metric, inside, f"they predict values <= {self._pred_above:g}")


class Errors:
    """Error of each prediction, computed on demand; sets `defined` of the given `kernel`."""

    def __init__(self, kernel: MetricKernel) -> None:
        self._score_func, self._kwargs = kernel.score_func, kernel.rows.kwargs
        name = getattr(self._score_func, "__name__", kernel.name)
        self.target = required_numbers(kernel.rows, name)
        self._power = _POWER.get(self._score_func, self._kwargs.get("power", 0))
        if self._score_func in _LOG_ERRORS:
            kernel.defined = Domain(-1.0, False, -1.0).check(name, self.target)
        elif self._score_func in _DEVIANCES:
            kernel.defined = Domain.of_deviance(self._power).check(name, self.target)
        self._defined = kernel.defined

    def of(self, configs: Where, rows: Where) -> np.ndarray:
        """Compute errors of some configurations and rows, with a last axis of outputs."""
        score_func, y = self._score_func, self.target.y[rows]
        pred = self.target.of(configs, rows)
        with np.errstate(over="ignore"):  # an infinite error is one that cannot win
            if score_func in (mean_absolute_error, mean_absolute_percentage_error):
                error = pred - y
                np.abs(error, out=error)
                if score_func is mean_absolute_percentage_error:
                    error /= np.maximum(np.abs(y), np.finfo(np.float64).eps)
                return error
            if score_func is mean_pinball_loss:
                alpha, missed = self._kwargs.get("alpha", 0.5), y - pred
                return np.where(missed >= 0, alpha * missed, (alpha - 1) * missed)
            if score_func in _LOG_ERRORS:
                return np.square(np.log1p(y) - np.log1p(self._inside(pred, configs, 0.0)))
            if score_func in _DEVIANCES:
                return deviance(y, self._inside(pred, configs, 1.0), self._power)
            error = y - pred
            return np.square(error, out=error)

    def of_output(self, output: int, configs: Where, rows: Where) -> np.ndarray:
        """Compute errors of one output, shape (n_chosen_configs, n_chosen_rows)."""
        return self.of(configs, rows)[:, :, output]

    def _inside(self, pred: np.ndarray, configs: Where, harmless: float) -> np.ndarray:
        """Replace the predictions of undefined configurations."""
        if self._defined is None:
            return pred
        return np.where(self._defined[configs][:, None, None], pred, harmless)


class MeanError(MeanKernel):
    """Mean of an error over rows and outputs."""

    name = "mean_error"
    example = ("neg_mean_squared_error", "values")
    score_funcs = {
        function: (0.0, np.inf)
        for function in (
            mean_absolute_error,
            mean_absolute_percentage_error,
            mean_gamma_deviance,
            mean_pinball_loss,
            mean_poisson_deviance,
            mean_squared_error,
            mean_squared_log_error,
            mean_tweedie_deviance,
        )
    }

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for numbers; several outputs only where scikit-learn gives them one score."""
        target = numbers(rows)
        kwargs = rows.kwargs
        if target is None or not known_arguments(
            score_func, kwargs, "multioutput", "alpha", "power"
        ):
            return False
        n_outputs = target.n_outputs
        if score_func in _DEVIANCES:
            return n_outputs == 1 and valid_power(kwargs.get("power", 0))
        alpha = kwargs.get("alpha", 0.5)
        if not isinstance(alpha, Real) or not 0 <= float(alpha) <= 1:
            return False
        return output_weights(kwargs.get("multioutput"), n_outputs) is not None

    def _prepare(self) -> None:
        self._errors = Errors(self)

    def _values(self, configs: Where, rows: Where) -> np.ndarray:
        error = self._errors.of(configs, rows)
        if error.shape[2] == 1:
            return error[:, :, 0]
        weights = required_output_weights(self.rows.kwargs.get("multioutput"), error.shape[2])
        return np.add.reduce(error * weights, axis=2)


def sum_of(
    sums: RowSums,
    values: Callable[[int, Where, Where], np.ndarray],
    output: int,
    drawn: DrawWeights,
    configs: np.ndarray,
    paired: bool,
) -> np.ndarray:
    """Sum values of one output in each draw, (n_draws, n_chosen), or (n_draws,) when paired."""
    return (sums.paired if paired else sums)(partial(values, output), drawn, configs)


class RootMeanError(SumKernel):
    """Root of the mean of a squared error, averaged over outputs."""

    name = "root_mean_error"
    example = ("neg_root_mean_squared_error", "values")
    score_funcs = {
        root_mean_squared_error: (0.0, np.inf),
        root_mean_squared_log_error: (0.0, np.inf),
    }

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        self._errors = Errors(self)
        n_outputs = self._errors.target.n_outputs
        self._sums = [RowSums(rows.n_configs, rows.n_rows) for _ in range(n_outputs)]
        self._weights = required_output_weights(rows.kwargs.get("multioutput"), n_outputs)

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for numbers, and one score for all outputs."""
        target = numbers(rows)
        if target is None or not known_arguments(score_func, rows.kwargs, "multioutput"):
            return False
        return output_weights(rows.kwargs.get("multioutput"), target.n_outputs) is not None

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that scoring one draw needs."""
        return super().bytes_per_draw + 8 * (len(self._sums) - 1) * self.rows.n_configs

    def _summed(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> list[np.ndarray]:
        return [
            sum_of(sums, self._errors.of_output, output, drawn, configs, paired)
            for output, sums in enumerate(self._sums)
        ]

    def _bounds(self, drawn: DrawWeights) -> tuple[np.ndarray, np.ndarray] | None:
        if len(self._sums) > 1:
            return None
        return self._sums[0].between(partial(self._errors.of_output, 0), drawn)

    def _from_sums(
        self, sums: list[np.ndarray], drawn: DrawWeights, configs: np.ndarray
    ) -> np.ndarray:
        total, scores = per_draw(divisor(drawn, None), sums[0]), np.zeros(sums[0].shape)
        for weight, summed in zip(self._weights, sums):
            scores += weight * np.sqrt(summed / total)
        return blank_undefined(self, scores, configs)


_PAIRS = 2**20  # values of draws times rows that are held to compute a variance directly


def about_mean(weights: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute the weighted mean and the sum of squares about it, row by row.

    `weights` (n_draws, n_rows), `values` (n_rows,) -> `mean, squares` (n_draws,).
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

    A subclass defines the errors.
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
        """Check for numbers, and one score for all outputs."""
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
        """Prepare what does not depend on the draw."""

    def _new_sums(self) -> list[RowSums]:
        """Make an object for the sums of values of each output."""
        return [RowSums(*self._target.shape) for _ in range(self._n_outputs)]

    @abstractmethod
    def _error(
        self, drawn: DrawWeights, output: int, configs: np.ndarray, paired: bool
    ) -> np.ndarray:
        """Sum the error of the predictions, (n_draws, n_chosen), or (n_draws,) when paired."""

    @abstractmethod
    def _of_constant(self, drawn: DrawWeights, output: int) -> np.ndarray:
        """Sum the error of the best constant, (n_draws,)."""

    def _in_parts(
        self, drawn: DrawWeights, function: Callable[[DrawWeights], np.ndarray]
    ) -> np.ndarray:
        """Compute a number of each draw, from some draws at a time."""
        parts = self._parts(drawn, self.rows.n_rows)
        return np.concatenate([np.empty(0), *(function(part) for _, part in parts)])

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that scoring one draw needs."""
        return super().bytes_per_draw + 8 * (self._n_outputs - 1) * self.rows.n_configs

    def _summed(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> list[np.ndarray]:
        return [self._error(drawn, output, configs, paired) for output in range(self._n_outputs)]

    def _beside(self, drawn: DrawWeights) -> list[np.ndarray]:
        return [self._of_constant(drawn, output) for output in range(self._n_outputs)]

    def _from_sums(
        self, sums: list[np.ndarray], drawn: DrawWeights, configs: np.ndarray
    ) -> np.ndarray:
        scores, plain = np.zeros(sums[0].shape), np.zeros(sums[0].shape)
        spread = np.zeros(scores.ndim * [1])
        for output, (error, constant) in enumerate(zip(sums, sums[self._n_outputs :])):
            constant = per_draw(constant, scores)
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
        scores[drawn.few() if self.needs_two_rows else drawn.total == 0] = np.nan
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
        about = self._y - self._y.mean(axis=0)  # the mean of a draw is close to zero
        with np.errstate(over="ignore"):
            self._moments = [np.stack([each, np.square(each)]) for each in about.T]
        self._sums_of_moments = [RowSums(2, self.rows.n_rows) for _ in self._moments]

    def _residuals(self, output: int, configs: Where, rows: Where) -> np.ndarray:
        one = slice(output, output + 1)
        residual: np.ndarray = self._y[rows, one] - self._target.of(configs, rows)[:, :, one]
        return residual[:, :, 0]

    def _errors(self, output: int, configs: Where, rows: Where) -> np.ndarray:
        """Compute the error of each prediction, shape (n_chosen_configs, n_chosen_rows)."""
        residual = self._residuals(output, configs, rows)
        with np.errstate(over="ignore"):
            return np.square(residual, out=residual)

    def _error(
        self, drawn: DrawWeights, output: int, configs: np.ndarray, paired: bool
    ) -> np.ndarray:
        return sum_of(self._sums[output], self._errors, output, drawn, configs, paired)

    def _bounds(self, drawn: DrawWeights) -> tuple[np.ndarray, np.ndarray] | None:
        if self._n_outputs > 1:
            return None
        return self._sums[0].between(partial(self._errors, 0), drawn)

    def _of_constant(self, drawn: DrawWeights, output: int) -> np.ndarray:
        moments = self._moments[output]
        sums = self._sums_of_moments[output](
            lambda sets, rows: moments[sets, rows], drawn, np.arange(2)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            squares = sums[:, 1] - np.square(sums[:, 0]) / drawn.total
        # A mean as large as the spread about it: digits are lost, so these few are redone.
        redo = np.flatnonzero(~(squares > sums[:, 1] / 2))
        for draws in np.array_split(redo, -(-len(redo) * self.rows.n_rows // _PAIRS) or 1):
            weights = drawn.part(draws).matrix(np.float64)
            squares[draws] = about_mean(weights, self._y[:, output])[1]
        return squares


class ExplainedVariance(R2):
    """R2 after the mean of the residuals is subtracted from them."""

    name = "explained_variance"
    example = ("explained_variance", "values")
    score_funcs = {explained_variance_score: (-np.inf, 1.0)}
    n_tables = 5
    # scikit-learn gives a single row the score 1, where R2 and D2 are undefined.
    needs_two_rows = False

    def _prepare(self) -> None:
        super()._prepare()
        n_configs = self._target.shape[0]
        self._means = np.empty((n_configs, self._n_outputs))
        for config in range(n_configs):
            for output in range(self._n_outputs):
                residual = self._residuals(output, slice(config, config + 1), slice(None))
                self._means[config, output] = residual[0].mean()
        self._squares = self._new_sums()

    def _bounds(self, drawn: DrawWeights) -> tuple[np.ndarray, np.ndarray] | None:
        return None  # of two sums

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
        raw = sum_of(self._squares[output], self._errors, output, drawn, configs, paired)
        sums = sum_of(self._sums[output], self._centred, output, drawn, configs, paired)
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
        """Sum squares about the mean of the draw, for pairs of draw and configuration."""
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
        """Check for the median: scikit-learn's releases define other quantiles differently."""
        return rows.kwargs.get("alpha", 0.5) == 0.5 and super().handles(score_func, rows)

    def _prepare(self) -> None:
        super()._prepare()
        self._order = np.argsort(self._y, axis=0, kind="stable")

    def _errors(self, output: int, configs: Where, rows: Where) -> np.ndarray:
        residual = self._residuals(output, configs, rows)
        return np.abs(residual, out=residual)

    def _of_constant(self, drawn: DrawWeights, output: int) -> np.ndarray:
        return self._in_parts(drawn, partial(self._about_median, output))

    def _about_median(self, output: int, drawn: DrawWeights) -> np.ndarray:
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
        """Check for one output and a power for which there is a distribution."""
        return valid_power(rows.kwargs.get("power", 0)) and super().handles(score_func, rows)

    def _prepare(self) -> None:
        self._finite = False
        self._power = self.rows.kwargs.get("power", 0)
        domain = Domain.of_deviance(self._power)
        self.defined = domain.check("d2_tweedie_score", self._target)
        super()._prepare()

    def _errors(self, output: int, configs: Where, rows: Where) -> np.ndarray:
        pred = self._target.of(configs, rows)[:, :, output]
        if self.defined is not None:
            pred = np.where(self.defined[configs][:, None], pred, 1.0)
        with np.errstate(over="ignore"):
            return deviance(self._y[rows, output], pred, self._power)

    def _of_constant(self, drawn: DrawWeights, output: int) -> np.ndarray:
        return self._in_parts(drawn, self._about_mean)

    def _about_mean(self, drawn: DrawWeights) -> np.ndarray:
        weights, y = drawn.matrix(np.float64), self._y[:, 0]
        mean, squares = about_mean(weights, y)
        # A constant target has no deviance: undefined, where scikit-learn divides by zero.
        safe = np.where(squares > 0, mean, 1.0)[:, None]
        total = np.add.reduce(weights * deviance(y, safe, self._power), axis=1)
        return np.where(squares > 0, total, np.nan)
