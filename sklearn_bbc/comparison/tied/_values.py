"""The value of each unit for each configuration: what a score is the mean of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...exceptions import UndefinedIntervalError
from ...metrics import BoundKernel
from ...predictions import OOFPredictions
from ...resampling._units import Units

AT_ONCE = 256
"""Units that are left out in one call of the kernel."""

BY_SAMPLE = "value of each sample"
LEAVING_OUT = "leaving out one unit at a time"


@dataclass(frozen=True, eq=False)
class UnitValues:
    """Values whose mean over the units is the score.

    Attributes
    ----------
    values : ndarray of shape (n_units, n_valid)
        Greater is better. Each column has the score of its configuration as mean.
    configs : ndarray of shape (n_valid,)
        Configurations with a defined score.
    fold : ndarray of shape (n_units,) or None
        Fold of each unit; None where a unit is held out in several, or there are no folds.
    units : Units
        What a unit is, and where its samples are.
    how : str
        How the values came about.
    """

    values: np.ndarray
    configs: np.ndarray
    fold: np.ndarray | None
    units: Units
    how: str


def unit_values(oof: OOFPredictions, kernel: BoundKernel, method: str) -> UnitValues:
    """Take the scores of all configurations apart into the contributions of units.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions.
    kernel : BoundKernel
        Metric bound to them.
    method : str
        Who asks, for messages.

    Returns
    -------
    UnitValues
        Of the configurations with a defined score.

    Raises
    ------
    UndefinedIntervalError
        If there are fewer than 3 units, or the metric is undefined without one of them.

    Notes
    -----
    A metric that is a mean over samples has the value of each sample; of repeated
    cross-validation they are averaged. With groups or sample weights the values are linear
    approximations, ``v_u = s + (n / W) sum(w_i (x_i - s))`` over the rows i of unit u, where
    s is the score, n the number of units and W the sum of all weights.

    Any other metric has pseudo-values from leaving out one unit at a time,
    ``v_u = s + (n - 1) (s - s_without_u)``, moved so that their mean is s. For the area under
    the ROC curve these are DeLong's placements, times a factor next to 1: ``(n - 1) / (n_c - 1)``
    in place of ``n / n_c`` for a sample of a class of n_c.
    """
    units = Units.of(oof)
    if units.n_units < 3:
        raise UndefinedIntervalError(
            f"{method} compares configurations by their spread over {units.kind}s, and needs at "
            f"least 3 of them, got {units.n_units}."
        )
    scores = kernel.on_data()
    configs = np.flatnonzero(np.isfinite(scores))
    if kernel.is_pointwise:
        values, how = _of_means(oof, kernel, units, configs), BY_SAMPLE
    else:
        values, how = _left_out(kernel, units, scores, configs), LEAVING_OUT
    return UnitValues(values, configs, _fold_of(oof, units), units, how)


def _of_means(
    oof: OOFPredictions, kernel: BoundKernel, units: Units, configs: np.ndarray
) -> np.ndarray:
    rows = kernel.pointwise(configs)  # (n_configs, n_rows)
    assert rows is not None
    total = np.zeros((units.n_units, len(configs)))
    for repeat in range(oof.n_repeats):
        here = np.flatnonzero(oof.repeat == repeat)
        sample = oof.sample[here]
        of_repeat = rows[:, here].T
        once = len(here) == units.n_units and units.kind == "sample"
        if once and oof.sample_weight is None:  # exactly the values, not nearly
            values = np.empty_like(total)
            values[units.of_sample[sample]] = of_repeat
        else:
            weight = np.ones(len(here)) if oof.sample_weight is None else oof.sample_weight[sample]
            score = weight @ of_repeat / weight.sum()
            deviation = (of_repeat - score) * (weight * units.n_units / weight.sum())[:, None]
            values = np.zeros_like(total)
            np.add.at(values, units.of_sample[sample], deviation)
            values += score
        total += values
    return total / oof.n_repeats


def _left_out(
    kernel: BoundKernel, units: Units, scores: np.ndarray, configs: np.ndarray
) -> np.ndarray:
    _check_classes(kernel, units)
    n = units.n_units
    kernel.warn_if_slow((n + 1) * kernel.n_distinct)
    values = np.empty((n, len(configs)))
    for start in range(0, n, AT_ONCE):
        out = np.arange(start, min(start + AT_ONCE, n))
        kept = np.ones((len(out), n), dtype=np.uint8)
        kept[np.arange(len(out)), out] = 0
        values[out] = kernel.scores(units.expand(kept))[:, configs]
    of_all = scores[configs]
    undefined = ~np.isfinite(values).all(axis=1)
    if undefined.any():
        unit = int(np.flatnonzero(undefined)[0])
        raise UndefinedIntervalError(
            f"{kernel.metric.name} is undefined without {units.kind} {unit}, so its spread over "
            f"{units.kind}s cannot be seen."
        )
    values = (n - 1) * (of_all - values)
    return of_all + (values - values.mean(axis=0))


def _check_classes(kernel: BoundKernel, units: Units) -> None:
    """Raise where a class that the metric cannot do without is in one unit."""
    if kernel.strata is None:
        return
    sizes = units.indicator(kernel.strata).sum(axis=0).astype(int)
    for name, size in zip(kernel.strata_names, sizes, strict=True):
        if size < 2:
            raise UndefinedIntervalError(
                f"{kernel.metric.name} is undefined without {name}, which has {size} "
                f"{units.kind}: its spread over {units.kind}s cannot be seen. At least 2 "
                f"{units.kind}s are needed."
            )


def _fold_of(oof: OOFPredictions, units: Units) -> np.ndarray | None:
    """Fold of each unit, where each is held out in one fold and there are two folds at least."""
    if oof.n_repeats > 1 or oof.n_splits < 2:
        return None
    unit = units.of_sample[oof.sample]
    fold = np.full(units.n_units, -1)
    fold[unit] = oof.fold
    return fold if np.array_equal(fold[unit], oof.fold) else None
