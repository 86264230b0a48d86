"""Replicates of an estimate, and its spread from inner draws or from leaving units out."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ...exceptions import UndefinedIntervalError
from ...metrics import BoundKernel
from ...metrics._class_members import class_members
from ...predictions import OOFPredictions
from ...resampling import IID, Stratified
from ...resampling._draws import Draws
from ...resampling._units import Units
from ._bootstrap_forms import Replicates

Score = Callable[[np.ndarray], np.ndarray]
"""Takes counts per sample (n_draws, n_samples), gives scores (n_draws,)."""

N_INNER = 50
"""Inner draws for one standard error, which is then known to about a tenth."""

COUNTS_AT_ONCE = 2**19
"""Counts of inner draws that are scored in one call: half a megabyte, which stays in the cache."""


def replicate(
    score: Score,
    estimate: float,
    units: Units,
    draws: Draws,
    form: str,
    needed: np.ndarray | None = None,
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
    needed : ndarray of shape (n_strata, n_samples), bool, or None, default=None
        Samples of which an inner draw needs one to have a score, see `needed_strata`.

    Returns
    -------
    replicates : Replicates
        Of the draws with a defined score.
    scores : ndarray of shape (n_draws,)
        Of all draws, NaN where undefined.
    """
    patterns = inner_patterns(units.n_units, draws.entropy) if form == "studentised" else None

    def inner_score(counts: np.ndarray) -> np.ndarray:
        scores = score(counts)
        for members in () if needed is None else needed:
            scores[~counts[:, members].any(axis=1)] = np.nan
        return scores

    def score_and_spread(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        spread = np.zeros(len(counts))
        if patterns is not None:
            spread = inner_standard_errors(counts, units, patterns, inner_score)
        return score(counts), spread

    scores, spread = draws.map(score_and_spread)
    defined = ~np.isnan(scores)
    everything = units.expand(np.ones((1, units.n_units), dtype=np.uint8))
    replicates = Replicates(
        estimate,
        scores[defined],
        cache(lambda: (float(score_and_spread(everything)[1][0]), spread[defined])),
        cache(lambda: influence_of_units(units, score)),
    )
    return replicates, scores


def within_classes(oof: OOFPredictions) -> Stratified:
    """Draws of the tested samples within classes; raise where that cannot be done.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions.
    """
    if oof.groups is not None or oof.classes_ is None:
        what = "groups" if oof.groups is not None else "no classes"
        raise ValueError(
            f"stratify=True draws samples within classes, but there are {what}. Use "
            "stratify=False."
        )
    return Stratified(oof.y_true[oof.tested])


def note_on_strata(kernel: BoundKernel, details: dict[str, Any]) -> None:
    """Say in `details` where draws within classes hide a part of the spread."""
    if not kernel.conditions_on_class:
        details["notes"].append(
            f"Draws within classes keep the class sizes fixed, but {kernel.metric.name} depends "
            "on how often each class occurs: the interval does not know that part of the spread. "
            "stratify=False does."
        )


def n_scores(form: str, n_bootstraps: int, n_units: int) -> int:
    """How many scores of one configuration `replicate` and the form of the interval take."""
    inner = N_INNER * (n_bootstraps + 1) if form == "studentised" else 0
    return n_bootstraps + inner + (n_units if form == "bca" else 0)


def needed_strata(oof: OOFPredictions, kernel: BoundKernel) -> tuple[np.ndarray | None, list[str]]:
    """Samples of which every draw needs one, and the names of these strata.

    They are those without which the metric is undefined. Where there are none, they are the
    classes, unless the metric is a mean over samples: what scikit-learn scores 0 / 0 as, or a
    class that drops out of a mean, is not a score of the classifier. Of more than two classes
    those with fewer than 3 samples are not asked for.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions.
    kernel : BoundKernel
        The metric bound to them.

    Returns
    -------
    strata : ndarray of shape (n_strata, n_samples), bool, or None
        None where any draw can be scored.
    names : list of str
        What messages call them.
    """
    classes = class_members(kernel.metric, oof)
    if kernel.strata is not None or classes is None:
        return kernel.strata, kernel.strata_names
    members, names = classes
    kept = members.sum(axis=1) >= (1 if len(members) == 2 else 3)
    if not kept.any():
        return None, []
    return members[kept], [name for name, keep in zip(names, kept, strict=True) if keep]


def check_can_vary(oof: OOFPredictions, kernel: BoundKernel, units: Units, method: str) -> None:
    """Raise when a class that every draw needs is in one unit: no resample can vary it.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions.
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
    strata, names = needed_strata(oof, kernel)
    if strata is None:
        return
    sizes = units.indicator(strata).sum(axis=0)
    for name, size in zip(names, sizes, strict=True):
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
    defined = np.isfinite(without)
    influence = np.zeros(units.n_units)
    if defined.any():
        influence[defined] = (units.n_units - 1) * (without[defined].mean() - without[defined])
    return influence


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
        Standard deviation of the inner estimates; 0 where fewer than 2 are finite.
    """
    first = np.unique(units.of_sample, return_index=True)[1][-units.n_units :]
    of_units = counts[:, first]
    largest = int(patterns.max()) * int(of_units.max(initial=0))
    running = running_totals(patterns, np.min_scalar_type(largest))
    result = np.empty(len(counts))
    size = max(1, COUNTS_AT_ONCE // (len(patterns) * counts.shape[1]))
    for start in range(0, len(counts), size):
        batch = of_units[start : start + size]
        inner = inner_counts(batch, running)[:, : len(patterns)]
        inner = np.ascontiguousarray(inner).reshape(-1, units.n_units)
        values = score(units.expand(inner)).reshape(len(batch), len(patterns))
        result[start : start + size] = standard_deviations(values)
    return result


def running_totals(patterns: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Counts of the picks before each, shape (n_units + 1, N_INNER and up to 7 zeros more).

    They may overflow `dtype`: only differences are used, which come out right where they fit.
    """
    n_patterns, n_picks = patterns.shape
    totals = np.zeros((n_picks + 1, -(-n_patterns // 8) * 8), dtype=dtype)
    np.cumsum(patterns.T, axis=0, dtype=dtype, out=totals[1:, :n_patterns])
    return totals


def inner_counts(of_units: np.ndarray, running: np.ndarray) -> np.ndarray:
    """Counts of the units in all inner draws, shape (n_draws, N_INNER and more, n_units).

    The picks of a draw are in the order of its units, so a unit holds a run of them.
    """
    after = np.zeros((len(of_units), of_units.shape[1] + 1), dtype=np.intp)
    np.cumsum(of_units, axis=1, dtype=np.intp, out=after[:, 1:])
    # Words of eight bytes are gathered faster than bytes.
    at = running.view(np.uint64).take(after, axis=0).view(running.dtype)
    return (at[:, 1:] - at[:, :-1]).transpose(0, 2, 1)


def standard_deviations(values: np.ndarray) -> np.ndarray:
    """Standard deviation of the finite values of each row; 0 where fewer than 2 are."""
    finite = np.isfinite(values)
    result = np.where(finite, values, 0.0).std(axis=1, ddof=1)
    for k in np.flatnonzero(~finite.all(axis=1)):
        defined = values[k][finite[k]]
        result[k] = defined.std(ddof=1) if len(defined) > 1 else 0.0
    return result
