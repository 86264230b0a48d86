"""How long normal draws take beside draws of samples, and sums beside a product of matrices."""

from __future__ import annotations

import time

import numpy as np

from sklearn_bbc import OOFPredictions, ScoreMoments, best_of
from sklearn_bbc.intervals import BBC

SIZE = (1_000_000, 100, 2000)
"""N, C, B"""
METRICS = ("accuracy", "neg_log_loss")
LIMITS = {"samples": 30.0, "product": 2.0}
"""At least so many times faster than draws of samples; at most so many products."""


def predictions(metric: str, n_samples: int, n_configs: int) -> OOFPredictions:
    """Labels or probabilities of two classes.

    Parameters
    ----------
    metric : str
        One of `METRICS`.
    n_samples, n_configs : int
        Size.
    """
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n_samples, dtype=np.int8)
    pred = np.empty((n_configs, n_samples), dtype=np.int8 if metric == "accuracy" else np.float32)
    for row in pred:
        right = rng.random(n_samples, dtype=np.float32)
        if metric == "accuracy":
            row[:] = y ^ (right < 0.25)
        else:
            row[:] = np.where(y, 0.3 + 0.6 * right, 0.7 - 0.6 * right)
    return OOFPredictions(y_true=y, y_pred=pred.T)


def time_draws(metric: str, n_samples: int, n_configs: int, n_draws: int) -> dict[str, float]:
    """Processor times of one interval by both kinds of draws.

    Parameters
    ----------
    metric : str
        One of `METRICS`.
    n_samples, n_configs, n_draws : int
        Size.
    """
    oof, seconds, limits = predictions(metric, n_samples, n_configs), [], []
    for draws in ("normal", "samples"):
        started = time.process_time()
        result = BBC(n_bootstraps=n_draws, random_state=0, draws=draws).estimate(oof, metric)
        seconds.append(time.process_time() - started)
        limits.append(np.array([*result]))
    apart = np.abs(limits[0] - limits[1]).max() / np.ptp(limits[1])
    return {
        "normal, s": seconds[0], "samples, s": seconds[1], "ratio": seconds[1] / seconds[0],
        "apart": apart,
    }  # fmt: skip


CHUNK = 50_000
"""Rows of a chunk of scores, in place of 8 GB at once."""


def time_sums(n_samples: int, n_configs: int) -> dict[str, float]:
    """Processor times of adding up scores chunk by chunk, and of products of these matrices.

    Parameters
    ----------
    n_samples, n_configs : int
        Size.
    """
    n_rows = min(CHUNK, n_samples)
    scores = np.random.default_rng(0).random((n_rows, n_configs))
    turned, moments, seconds = np.ascontiguousarray(scores.T), ScoreMoments(n_configs), [0.0, 0.0]
    total = np.zeros((n_configs, n_configs))
    for _ in range(-(-n_samples // n_rows)):
        started = time.process_time()
        moments.update(scores)
        between = time.process_time()
        total += turned @ scores
        seconds[0] += between - started
        seconds[1] += time.process_time() - between
    return {"sums, s": seconds[0], "product, s": seconds[1], "ratio": seconds[0] / seconds[1]}


SYSTEMS = ("spread", "all equal", "all equal, normal scores")
"""Shares of right answers of 0.4 to 0.6, or 0.5 each: then every system may be the best."""


def time_systems(kind: str, n_items: int, n_systems: int) -> dict[str, float]:
    """Processor time of `best_of` on so many systems, and the time that passed.

    Parameters
    ----------
    kind : str
        One of `SYSTEMS`.
    n_items, n_systems : int
        Size.
    """
    rng = np.random.default_rng(0)
    shape = (n_items, n_systems)
    if kind == SYSTEMS[2]:
        scores = rng.standard_normal((n_items, 1)) + rng.standard_normal(shape)
    else:
        shares = (
            rng.uniform(0.4, 0.6, n_systems) if kind == SYSTEMS[0] else np.full(n_systems, 0.5)
        )
        noise = 0.3 * rng.random((n_items, 1), dtype=np.float32)
        scores = noise + 0.7 * rng.random(shape, dtype=np.float32) < shares
    started, began = time.process_time(), time.perf_counter()
    best_of(scores.astype(float), random_state=0)
    passed = time.perf_counter() - began
    return {"systems, s": time.process_time() - started, "systems, s passed": passed}
