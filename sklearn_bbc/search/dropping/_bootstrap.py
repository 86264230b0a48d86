"""Whether a lead is clear, by a paired bootstrap, for metrics without a formula."""

from __future__ import annotations

import numpy as np

from ...intervals._draw_strata import DrawStrata
from ...metrics import Metric, within_folds
from ...predictions import OOFPredictions
from ...resampling import IID
from ...resampling._draws import Draws
from ...resampling._units import Units


def shares_not_ahead(
    oof: OOFPredictions,
    metric: Metric,
    leader: int,
    *,
    n_bootstraps: int,
    seed: int,
    key: int,
    n_jobs: int | None,
) -> np.ndarray:
    """P values of the hypotheses that the leader is not better.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions of the splits that are done.
    metric : Metric
        Its mean over the splits is what is compared.
    leader : int
        Configuration that all others are compared with.
    n_bootstraps : int
        Number of draws.
    seed, key : int
        Seed of the run, and what keeps the draws of one test apart from those of the next.
    n_jobs : int or None
        Number of workers; the result does not depend on it.

    Returns
    -------
    ndarray of shape (n_configs,)
        ``(1 + k) / (n_bootstraps + 1)``, where k counts the draws in which the leader is not
        ahead, ties and undefined scores among them. NaN without a complete prediction.

    Notes
    -----
    Samples (or groups) are drawn with replacement, all configurations see the same draws, and
    scores are compared within splits: a model is held against models of the same split.
    """
    kernel = within_folds(metric).bind(oof)
    units = Units.of(oof)
    strata = DrawStrata.of(oof, kernel, units, out_of_bag=False)
    kernel.warn_if_slow(n_bootstraps * kernel.n_distinct, n_jobs)
    draws = Draws(
        IID(units.n_units),
        n_bootstraps,
        seed,
        expand=units.expand,
        bytes_per_draw=kernel.bytes_per_draw,
        n_jobs=n_jobs,
        out_of_bag=False,
        prefer=kernel.prefers,
        key=key,
        **strata.for_draws(),
    )

    def ahead(counts: np.ndarray) -> np.ndarray:
        scores = kernel.scores(counts)
        with np.errstate(invalid="ignore"):
            leads: np.ndarray = scores[:, [leader]] - scores
            size = np.maximum(np.abs(scores), np.abs(scores[:, [leader]]))
            return leads > 16 * np.finfo(float).eps * size

    n_ahead = draws.map(ahead).sum(axis=0)
    p_values = (1 + n_bootstraps - n_ahead) / (n_bootstraps + 1)
    p_values[~kernel.valid] = np.nan
    return np.asarray(p_values)
