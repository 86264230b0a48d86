"""Softmin comparison with leave-one-out means."""

from __future__ import annotations

from numbers import Real

import numpy as np
from scipy.stats import norm

from ._base import TiedMethod
from ._pairs import Pairs


class SoftminLeaveOneOut(TiedMethod):
    """Configurations that are not worse than a weighted average of the others.

    For each sample the weights favour the configurations that are best on the other samples.

    Parameters
    ----------
    confidence_level : float in (0, 1), default=0.95
        Share of data sets for which the set should hold the best configuration.
    scale : float, default=2.5
        How evenly the others are averaged: larger is more even, more stable, and less able to
        tell configurations apart. The paper's value.
    standardized : bool, default=True
        Whether each difference of two configurations is divided by its standard deviation
        before it is averaged, as the authors' software does. False is faster, and lets the
        configurations with the most variable losses decide.

    See Also
    --------
    CrossValidationWithConfidence : The largest lead of any other instead of an average.

    Notes
    -----
    For configuration c let :math:`x_{ij}` be by how much configuration j is better in unit i,
    divided by the standard deviation over the units. Another configuration is weighted by the
    softmax of its mean lead over all units but i [1]_,

    .. math:: w_{ij} \\propto \\exp(\\lambda \\bar x_j^{(-i)}), \\quad j \\ne c, \\qquad
              d_i = \\sum_j w_{ij} x_{ij},

    and the p value of c is :math:`1 - \\Phi(\\sqrt n \\, \\bar d / s_d)`. As the weights do not
    know the unit that they are applied to, the statistic is nearly normal even where many
    configurations are equally good. :math:`\\lambda = \\sqrt n / (2.5 \\, s)` is the paper's
    first choice from the data, where s is the standard deviation over the units of
    :math:`x_{ij}` for the j with the largest mean lead without unit i; its further search for a
    larger one is not done. (The paper is about losses, so it has the softmin.) Nothing is
    drawn. Time O(n C^2); O(n C) without standardising where few configurations ever lead.

    References
    ----------
    .. [1] T. Zhang, H. Lee, J. Lei, "Winners with confidence: Discrete argmin inference with
       an application to model selection" (2024). arXiv:2408.02060

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.comparison import SoftminLeaveOneOut
    >>> losses = np.random.default_rng(0).exponential([1.0, 1.1, 2.0], size=(100, 3))
    >>> SoftminLeaveOneOut().p_values(-losses) > 0.05
    array([ True,  True, False])
    """

    name = "softmin"
    meant_for = "any number of configurations and any metric, without random numbers"
    cost = "O(n C^2)"
    limits = "asymptotic: with few samples the set is slightly too small"

    def __init__(
        self, *, confidence_level: float = 0.95, scale: float = 2.5, standardized: bool = True
    ) -> None:
        self.confidence_level = confidence_level
        self.scale = scale
        self.standardized = standardized

    def _validate(self) -> None:
        super()._validate()
        number = isinstance(self.scale, Real) and not isinstance(self.scale, bool)
        if not number or not 0 < self.scale < np.inf:
            raise ValueError(
                f"scale must be a positive number, got {self.scale!r}. The paper's value is 2.5."
            )
        if not isinstance(self.standardized, (bool, np.bool_)):
            raise ValueError(f"standardized must be True or False, got {self.standardized!r}.")

    def _p_values(self, values: np.ndarray, fold: np.ndarray | None) -> np.ndarray:
        return self._standardized(values) if self.standardized else self._plain(values)

    def _standardized(self, values: np.ndarray) -> np.ndarray:
        pairs = Pairs.of(values)
        average = np.empty_like(values)
        certain, alone = np.zeros((2, values.shape[1]), dtype=bool)
        for config, deviation in enumerate(pairs.deviation):
            vary = deviation > 0
            # Another one that is better by the same in every unit; or no other one at all.
            certain[config] = (pairs.lead[config][~vary] > 0).any()
            alone[config] = not vary.any()
            leads = values - values[:, [config]]
            leads *= np.divide(1.0, deviation, out=np.zeros_like(deviation), where=vary)
            sums = leads.sum(axis=0) - leads
            sums[:, ~vary] = -np.inf
            average[:, config] = leads[:, 0] if alone[config] else self._average(leads, sums)
        p_values = _normal_tails(average, 1.0)
        p_values[alone], p_values[certain] = 1.0, 0.0
        return p_values

    def _plain(self, values: np.ndarray) -> np.ndarray:
        n_configs = values.shape[1]
        sums = values.sum(axis=0) - values  # without each unit
        leads = np.zeros(n_configs, dtype=bool)
        leads[sums.argmax(axis=1)] = True
        average = np.empty_like(values)
        never = np.flatnonzero(~leads)
        # Those that never lead share the weights of the others, but for their own part.
        if len(never):
            weights = self._weights(values, sums)
            total, weighted = weights.sum(axis=1), (weights * values).sum(axis=1)
            own = weights[:, never]
            average[:, never] = weighted[:, None] - own * values[:, never]
            average[:, never] /= total[:, None] - own
        for config in np.flatnonzero(leads):
            others = np.arange(n_configs) != config
            average[:, config] = self._average(values[:, others], sums[:, others])
        return _normal_tails(average - values, float(np.abs(values).max()))

    def _average(self, values: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """Softmax average of each unit, with weights that do not know it, (n_units,)."""
        weights = self._weights(values, sums)
        return np.asarray(np.einsum("ij,ij->i", weights, values) / weights.sum(axis=1))

    def _weights(self, values: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """Softmax weights by the sums without each unit, the largest weight being 1."""
        n_units = len(values)
        units, leader = np.arange(n_units), sums.argmax(axis=1)
        largest = values[units, leader]
        deviation = largest.std(ddof=1)
        behind = sums - sums[units, leader][:, None]  # <= 0
        rounding = 16 * np.finfo(float).eps * np.abs(largest).max()
        if deviation <= rounding:  # infinitely sharp
            return (behind >= -rounding * n_units).astype(float)
        behind *= np.sqrt(n_units) / (self.scale * deviation * (n_units - 1))
        return np.asarray(np.exp(behind, out=behind))


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
