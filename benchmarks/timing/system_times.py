"""How long the best of many fixed systems takes, and how much memory."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.timing.footprint import forget_peak, resident
from sklearn_bbc import best_of

SIZES = ((1000, 367), (100000, 1000))
"""Items and systems: a leaderboard, and a large one."""
DATA = ("right or wrong", "ratings")
LIMIT = {(1000, 367): 1.0, (100000, 1000): 60.0}
"""Seconds."""
MOST = 2048.0
"""Megabytes of the process, scores included."""


def time_best_of(data: str, n_items: int, n_systems: int) -> dict[str, float]:
    """Processor time, and the largest size of the process with the scores.

    Parameters
    ----------
    data : str
        One of `DATA`.
    n_items, n_systems : int
        Size.
    """
    rng = np.random.default_rng(0)
    scores = np.empty((n_items, n_systems), np.int8 if data == "right or wrong" else float)
    for start in range(0, n_items, 1000):  # random numbers of everything would be larger still
        rows = slice(start, min(start + 1000, n_items))
        drawn = rng.random((rows.stop - rows.start, n_systems))
        scores[rows] = drawn < 0.6 if data == "right or wrong" else drawn
    forget_peak()
    started = time.process_time()
    best_of(scores, random_state=0)
    return {"s": time.process_time() - started, "MB of the process": resident("VmHWM")}
