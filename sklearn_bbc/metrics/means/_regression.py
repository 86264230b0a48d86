"""Regression metrics that are means, or roots of means, of one error per row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Real

import numpy as np
from scipy.special import xlogy
from sklearn.metrics import (
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_gamma_deviance,
    mean_pinball_loss,
    mean_poisson_deviance,
    mean_squared_error,
    mean_squared_log_error,
    mean_tweedie_deviance,
    root_mean_squared_error,
    root_mean_squared_log_error,
)

from .._base import MetricKernel
from .._exact_sums import DrawWeights
from .._inputs import (
    Numbers,
    known_arguments,
    numbers,
    output_weights,
    required_numbers,
    required_output_weights,
)
from .._rows import RowData
from .._sums_in_blocks import SumsInBlocks, Where
from ._classification import MeanKernel, blank_undefined, divisor, only_defined, per_draw
from ._from_sums import SumKernel

_LOG_ERRORS = (mean_squared_log_error, root_mean_squared_log_error)
_POWER = {mean_poisson_deviance: 1, mean_gamma_deviance: 2}
_DEVIANCES = (mean_tweedie_deviance, *_POWER)


def deviance(y: np.ndarray, pred: np.ndarray, power: float) -> np.ndarray:
    """Tweedie deviance of each prediction.

    Parameters
    ----------
    y : ndarray
        Target values.
    pred : ndarray
        Predictions, of a shape that broadcasts with `y`.
    power : float
        0 is the squared error, 1 Poisson, 2 gamma, 3 inverse Gaussian.

    Returns
    -------
    ndarray
        Twice the loss in log-likelihood against a perfect prediction.
    """
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
    """Whether there is a Tweedie distribution with this power."""
    return isinstance(power, Real) and not 0 < float(power) < 1


class Domain:
    """Values of which a metric is defined: ``y > y_above`` (or ``>=``), ``pred > pred_above``."""

    def __init__(self, y_above: float, y_closed: bool, pred_above: float) -> None:
        self._y_above, self._y_closed, self._pred_above = y_above, y_closed, pred_above

    @classmethod
    def of_deviance(cls, power: float) -> Domain:
        """Domain of the Tweedie deviance."""
        if power == 0:
            return cls(-np.inf, True, -np.inf)
        y_above = -np.inf if power < 0 else 0.0
        return cls(y_above, power < 2, 0.0)

    def check(self, metric: str, target: Numbers) -> np.ndarray | None:
        """Raise when the target is outside; mask of configurations that are inside or None."""
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
    """Error of each prediction, computed when it is asked for.

    Parameters
    ----------
    kernel : MetricKernel
        Kernel of one of the metrics of this module; its `defined` is set.
    """

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
        """Errors of some configurations and rows, with a last axis of outputs."""
        score_func, y = self._score_func, self.target.y[rows]
        pred = np.ascontiguousarray(self.target.of(configs, rows))
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
        """Errors of one output, shape (n_chosen_configs, n_chosen_rows)."""
        return self.of(configs, rows)[:, :, output]

    def _inside(self, pred: np.ndarray, configs: Where, harmless: float) -> np.ndarray:
        """Predictions, with those of undefined configurations replaced."""
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
        """Numbers; several outputs where scikit-learn takes them and gives one score."""
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
        self._sums = [SumsInBlocks(rows.n_configs, rows.n_rows) for _ in range(n_outputs)]
        self._weights = required_output_weights(rows.kwargs.get("multioutput"), n_outputs)

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
        return super().bytes_per_draw + 8 * (len(self._sums) - 1) * self.rows.n_configs

    def _summed(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> list[np.ndarray]:
        return [
            (sums.paired if paired else sums)(
                partial(self._errors.of_output, output), drawn, configs
            )
            for output, sums in enumerate(self._sums)
        ]

    def _from_sums(
        self, sums: list[np.ndarray], drawn: DrawWeights, configs: np.ndarray
    ) -> np.ndarray:
        total, scores = per_draw(divisor(drawn, None), sums[0]), np.zeros(sums[0].shape)
        for weight, summed in zip(self._weights, sums):
            scores += weight * np.sqrt(summed / total)
        return blank_undefined(self, scores, configs)
