"""Whether a lead is clear, by a paired bootstrap, for metrics without a formula."""

from __future__ import annotations

import numpy as np

from ...intervals._draw_strata import DrawStrata
from ...metrics import Metric, within_folds
from ...predictions import OOFPredictions
from ...resampling import IID
from ...resampling._draws import Draws
from ...resampling._units import Units
from ._splits import of_configs

SCREENED = 64
"""Draws after which nobody is looked at any longer of whom the test cannot be sure any more."""


def clearly_behind(
    oof: OOFPredictions,
    metric: Metric,
    leader: int,
    *,
    level: float,
    n_bootstraps: int,
    seed: int,
    key: int,
    n_jobs: int | None,
) -> np.ndarray:
    """Configurations that the leader is ahead of in nearly all draws.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions of the splits that are done.
    metric : Metric
        Its mean over the splits is what is compared.
    leader : int
        Configuration that all others are compared with.
    level : float
        Confidence level.
    n_bootstraps : int
        Number of draws.
    seed, key : int
        Seed of the run, and what keeps the draws of one test apart from those of the next.
    n_jobs : int or None
        Number of workers; the result does not depend on it.

    Returns
    -------
    ndarray of shape (n_configs,), bool
        Where the p value ``(1 + k) / (n_bootstraps + 1)`` is at most ``1 - level``; k counts the
        draws in which the leader is not ahead, ties and undefined scores among them.

    Notes
    -----
    Samples (or groups) are drawn with replacement, all configurations see the same draws, and
    scores are compared within splits: a model is held against models of the same split.
    """
    most = int(np.floor((1 - level) * (n_bootstraps + 1) * (1 + 1e-9))) - 1
    behind = np.zeros(oof.n_configs, dtype=bool)
    left = np.arange(oof.n_configs)
    missed = np.zeros(oof.n_configs, dtype=int)
    first = min(SCREENED, n_bootstraps)
    for part, n_draws in enumerate((first, n_bootstraps - first)):
        if n_draws and len(left) > 1:
            ahead = _times_ahead(
                of_configs(oof, left),
                metric,
                int(np.flatnonzero(left == leader)[0]),
                n_draws,
                (seed, 2 * key + part),
                n_jobs,
            )
            missed[left] += n_draws - ahead
            left = left[(missed[left] <= most) | (left == leader)]
    behind[left] = True
    behind[leader] = False
    return behind


def _times_ahead(
    oof: OOFPredictions,
    metric: Metric,
    leader: int,
    n_draws: int,
    stream: tuple[int, int],
    n_jobs: int | None,
) -> np.ndarray:
    """Draws in which the leader is ahead, for each configuration."""
    kernel = within_folds(metric).bind(oof)
    units = Units.of(oof)
    strata = DrawStrata.of(oof, kernel, units, out_of_bag=False)
    kernel.warn_if_slow(n_draws * oof.n_splits * kernel.n_distinct, n_jobs)
    draws = Draws(
        IID(units.n_units),
        n_draws,
        stream[0],
        expand=units.expand,
        bytes_per_draw=kernel.bytes_per_draw,
        n_jobs=n_jobs,
        out_of_bag=False,
        prefer=kernel.prefers,
        key=stream[1],
        **strata.for_draws(),
    )

    def ahead(counts: np.ndarray) -> np.ndarray:
        scores = kernel.scores(counts)
        with np.errstate(invalid="ignore"):
            leads: np.ndarray = scores[:, [leader]] - scores
            size = np.maximum(np.abs(scores), np.abs(scores[:, [leader]]))
            return leads > 16 * np.finfo(float).eps * size

    return np.asarray(draws.map(ahead).sum(axis=0))
