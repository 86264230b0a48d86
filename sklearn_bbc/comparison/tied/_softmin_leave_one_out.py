"""Softmin comparison with leave-one-out means."""

from __future__ import annotations

from numbers import Real

import numpy as np
from scipy.stats import norm

from ._base import TiedMethod


class SoftminLeaveOneOut(TiedMethod):
    """Configurations that a weighted average of the others, chosen without the sample, beats not.

    Parameters
    ----------
    confidence_level : float in (0, 1), default=0.95
        Share of data sets for which the set should hold the best configuration.
    scale : float, default=2.5
        How evenly the others are averaged: larger is more even, more stable, and less able to
        tell configurations apart. The paper's value.

    See Also
    --------
    CrossValidationWithConfidence : The largest lead of any other instead of an average.

    Notes
    -----
    In terms of losses, where the smallest is the best [1]_: for unit i the other
    configurations are weighted by the softmin of their mean losses over all units but i,

    .. math:: w_{is} \\propto \\exp(-\\lambda \\bar\\ell_s^{(-i)}), \\quad s \\ne c, \\qquad
              d_i = \\ell_{ic} - \\sum_s w_{is} \\ell_{is},

    and c stays when :math:`\\sqrt n \\, \\bar d / s_d` is below the normal quantile. As weights
    do not know the unit that they are applied to, the statistic is nearly normal even where
    many configurations are equally good. :math:`\\lambda = \\sqrt n / (2.5 \\, s)` is the
    paper's first choice from the data, where s is the standard deviation of the losses of the
    configuration with the smallest leave-one-out mean among the others; the paper's search for
    a larger one is not done. Nothing is drawn. Time O(n C), times the number of
    configurations that lead when some unit is left out.

    References
    ----------
    .. [1] T. Zhang, H. Lee, J. Lei, "Winners with confidence: Discrete argmin inference with
       an application to model selection" (2024). :arxiv:`2408.02060`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.comparison.tied import SoftminLeaveOneOut
    >>> losses = np.random.default_rng(0).exponential([1.0, 1.1, 2.0], size=(100, 3))
    >>> SoftminLeaveOneOut().p_values(-losses) > 0.05
    array([ True,  True, False])
    """

    name = "softmin"
    meant_for = "any number of configurations and any metric, without random numbers"
    cost = "O(n C)"
    limits = "asymptotic; slightly too small sets with few samples and many equal configurations"

    def __init__(self, *, confidence_level: float = 0.95, scale: float = 2.5) -> None:
        self.confidence_level = confidence_level
        self.scale = scale

    def _validate(self) -> None:
        super()._validate()
        number = isinstance(self.scale, Real) and not isinstance(self.scale, bool)
        if not number or not 0 < self.scale < np.inf:
            raise ValueError(
                f"scale must be a positive number, got {self.scale!r}. The paper's value is 2.5."
            )

    def _p_values(self, values: np.ndarray, fold: np.ndarray | None) -> np.ndarray:
        n_units, n_configs = values.shape
        left_out = (values.sum(axis=0) - values) / (n_units - 1)  # means without each unit
        leader = left_out.argmax(axis=1)
        opponents = np.empty_like(values)
        ever = np.zeros(n_configs, dtype=bool)
        ever[leader] = True
        never = np.flatnonzero(~ever)
        # Those that never lead share the weights of the others, but for their own part.
        if len(never):
            weights = self._weights(values, left_out)
            all_weights, average = weights.sum(axis=1), (weights * values).sum(axis=1)
            own = weights[:, never]
            opponents[:, never] = (average[:, None] - own * values[:, never]) / (
                all_weights[:, None] - own
            )
        for config in np.flatnonzero(ever):
            others = np.arange(n_configs) != config
            weights = self._weights(values[:, others], left_out[:, others])
            opponents[:, config] = (weights * values[:, others]).sum(axis=1) / weights.sum(axis=1)
        return _normal_tails(opponents - values, np.abs(values).max())

    def _weights(self, values: np.ndarray, left_out: np.ndarray) -> np.ndarray:
        """Softmax weights of leave-one-out means, the largest being 1."""
        n_units = len(values)
        leader = left_out.argmax(axis=1)
        behind = left_out - left_out.max(axis=1, keepdims=True)  # <= 0
        deviation = values[np.arange(n_units), leader].std(ddof=1)
        rounding = 16 * np.finfo(float).eps * np.abs(values).max()
        if deviation <= rounding:  # infinitely sharp
            return (behind >= -rounding).astype(float)
        return np.asarray(np.exp(np.sqrt(n_units) / (self.scale * deviation) * behind))


def _normal_tails(differences: np.ndarray, size: float) -> np.ndarray:
    """One-sided p values of the means of columns; 1/2 for a mean of 0 without spread."""
    rounding = 16 * np.finfo(float).eps * size
    mean, deviation = differences.mean(axis=0), differences.std(axis=0, ddof=1)
    deviation[deviation <= rounding] = 0.0
    mean[(deviation == 0) & (np.abs(mean) <= rounding)] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.sqrt(len(differences)) * mean / deviation
    statistic[np.isnan(statistic)] = 0.0
    return np.asarray(norm.sf(statistic))
