"""Replicates of an estimate, and its spread from inner draws or from leaving units out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..exceptions import UndefinedIntervalError
from ..metrics import BoundKernel
from ..resampling import IID, Draws, Units
from ._bootstrap_forms import Replicates

Score = Callable[[np.ndarray], np.ndarray]
"""Takes counts per sample (n_draws, n_samples), gives scores (n_draws,)."""

N_INNER = 50
"""Inner draws for one standard error, which is then known to about a tenth."""


def replicate(
    score: Score, estimate: float, units: Units, draws: Draws, form: str
) -> tuple[Replicates, np.ndarray]:
    """Replicates of an estimate, with what the form of the interval needs besides.

    Parameters
    ----------
    score : callable
        The estimate on weighted samples.
    estimate : float
        The estimate on the data.
    units : Units
        What is drawn.
    draws : Draws
        The draws, unused so far.
    form : str
        One of `FORMS`; only the studentised one costs inner draws.

    Returns
    -------
    replicates : Replicates
        Of the draws with a defined score.
    scores : ndarray of shape (n_draws,)
        Of all draws, NaN where undefined.
    """
    patterns = inner_patterns(units.n_units, draws.entropy) if form == "studentised" else None

    def score_and_spread(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        spread = np.zeros(len(counts))
        if patterns is not None:
            spread = inner_standard_errors(counts, units, patterns, score)
        return score(counts), spread

    scores, spread = draws.map(score_and_spread)
    defined = ~np.isnan(scores)
    everything = units.expand(np.ones((1, units.n_units), dtype=np.uint8))
    replicates = Replicates(
        estimate,
        scores[defined],
        lambda: (float(score_and_spread(everything)[1][0]), spread[defined]),
        lambda: influence_of_units(units, score),
    )
    return replicates, scores


def check_can_vary(kernel: BoundKernel, units: Units, method: str) -> None:
    """Raise when a class that the metric needs is in one unit: no resample can vary it.

    Parameters
    ----------
    kernel : BoundKernel
        The metric bound to predictions.
    units : Units
        What is drawn.
    method : str
        Name for the message.

    Raises
    ------
    UndefinedIntervalError
        If there is such a class; the message names it.
    """
    if kernel.strata is None:
        return
    sizes = units.indicator(kernel.strata).sum(axis=0)
    for name, size in zip(kernel.strata_names, sizes, strict=True):
        if size == 1:
            raise UndefinedIntervalError(
                f"{method} cannot bootstrap {kernel.metric.name}: {name} has 1 {units.kind}, so "
                "all resamples agree on it and the interval would be far too narrow. At least 2 "
                f"{units.kind}s are needed."
            )


def influence_of_units(units: Units, score: Score, batch: int = 256) -> np.ndarray:
    """Empirical influence of each unit, from leaving out one at a time.

    Parameters
    ----------
    units : Units
        What is left out.
    score : callable
        The estimate on weighted samples.
    batch : int, default=256
        How many leave-outs to score at once.

    Returns
    -------
    ndarray of shape (n_units,)
        ``(n - 1) * (mean - value without the unit)``; 0 where that is undefined.
    """
    values = []
    for start in range(0, units.n_units, batch):
        left_out = np.arange(start, min(start + batch, units.n_units))
        counts = np.ones((len(left_out), units.n_units), dtype=np.uint8)
        counts[np.arange(len(left_out)), left_out] = 0
        values.append(score(units.expand(counts)))
    without = np.concatenate(values)
    influence = (units.n_units - 1) * (np.nanmean(without) - without)
    return np.nan_to_num(influence)


def inner_patterns(n_units: int, entropy: int) -> np.ndarray:
    """Counts of inner draws over the picks of an outer draw, shape (N_INNER, n_units).

    One set of patterns serves all outer draws: the picks of a draw are exchangeable, and
    so no result depends on the order or the batches in which draws are scored.
    """
    rng = np.random.default_rng([entropy, 1])
    return IID(n_units).draw(rng, N_INNER)


def inner_standard_errors(
    counts: np.ndarray, units: Units, patterns: np.ndarray, score: Score
) -> np.ndarray:
    """Standard error of the estimate on each resample, from inner draws out of it.

    Parameters
    ----------
    counts : ndarray of shape (n_draws, n_samples)
        Outer draws.
    units : Units
        What was drawn.
    patterns : ndarray of shape (N_INNER, n_units)
        From `inner_patterns`.
    score : callable
        The estimate on weighted samples.

    Returns
    -------
    ndarray of shape (n_draws,)
        Standard deviation of the inner estimates; 0 where fewer than 2 are defined.
    """
    first = np.unique(units.of_sample, return_index=True)[1][-units.n_units :]
    result = np.zeros(len(counts))
    for k, of_units in enumerate(counts[:, first]):
        drawn = np.flatnonzero(of_units)
        starts = np.cumsum(of_units[drawn], dtype=np.intp) - of_units[drawn]
        inner = np.zeros((len(patterns), units.n_units), dtype=np.int64)
        inner[:, drawn] = np.add.reduceat(patterns, starts, axis=1, dtype=np.int64)
        values = score(units.expand(inner))
        values = values[~np.isnan(values)]
        result[k] = values.std(ddof=1) if len(values) > 1 else 0.0
    return result
