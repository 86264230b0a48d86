"""Values of independent units whose mean is a score, for metrics that are means over samples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..metrics._metric import BoundMetric
from ..predictions._predictions import OOFPredictions
from ..resampling import Units

_AT_ONCE = 2**22
"""Values that are computed together."""

Score = Callable[[np.ndarray], np.ndarray]
"""Takes counts per sample (n_draws, n_samples), gives scores (n_draws,)."""


def unit_values(
    oof: OOFPredictions, units: Units, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute the means of row values, unit values with the same means, and shares of weight.

    `rows` (n_means, n_rows) -> (n_means,), (n_means, n_units), (n_units,). A unit has the value
    that makes the weighted mean, with all repeats alike, a plain one: a linear approximation.
    """
    sample, repeat, unit = oof.sample, oof.repeat, units.of_sample[oof.sample]
    weight = np.ones(len(sample)) if oof.sample_weight is None else oof.sample_weight[sample]
    total = np.bincount(repeat, weight)
    of_repeat = (rows * weight) @ np.equal.outer(repeat, np.arange(oof.n_repeats)) / total
    share = weight * units.n_units / total[repeat] / oof.n_repeats
    values = np.zeros((units.n_units, len(rows)))
    np.add.at(values, unit, ((rows - of_repeat[:, repeat]) * share).T)
    means = of_repeat.mean(axis=1)
    return means, (values + means).T, np.bincount(unit, share, units.n_units)


def influence_of_units(units: Units, score: Score) -> np.ndarray:
    """Compute the empirical influence of each unit, (n_units,), leaving out one at a time."""
    values = []
    for start in range(0, units.n_units, 256):
        left_out = np.arange(start, min(start + 256, units.n_units))
        counts = np.ones((len(left_out), units.n_units), dtype=np.uint8)
        counts[np.arange(len(left_out)), left_out] = 0
        values.append(score(units.expand(counts)))
    without = np.concatenate(values)
    defined = np.isfinite(without)
    influence = np.zeros(units.n_units)
    if defined.any():
        influence[defined] = (units.n_units - 1) * (without[defined].mean() - without[defined])
    return influence


class ValuesOfUnits:
    """Values of the units (n_units, n_configs), some configurations at a time.

    With groups or weights they are linear approximations, see `unit_values`.
    """

    def __init__(self, oof: OOFPredictions, kernel: BoundMetric) -> None:
        self._oof, self._kernel, self._units = oof, kernel, Units.of(oof)
        self.n_units = self._units.n_units
        self._plain = oof.has_single_samples and oof.is_partition and oof.n_repeats == 1

    def of(self, configs: np.ndarray) -> np.ndarray:
        """Compute the values of some configurations, shape (n_units, n_chosen)."""
        rows = self._kernel.pointwise(np.asarray(configs))
        assert rows is not None
        return rows.T if self._plain else unit_values(self._oof, self._units, rows)[1].T

    def parts(self, n_configs: int) -> list[slice]:
        """Split configurations into parts whose values fit into little memory."""
        size = max(1, _AT_ONCE // self.n_units)
        return [slice(start, start + size) for start in range(0, n_configs, size)]
