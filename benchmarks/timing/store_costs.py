"""What a store costs a search: the fits of a first run, those that are taken, bytes on disk."""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.search.store import _resuming

N_SPLITS, N_CONFIGS = 10, 30
SIZES = (200, 5000)
"""Samples; a tenth of them is predicted in each fit."""
FIT_SECONDS = 0.01
LIMIT = 0.01


class TenMilliseconds(GaussianNB):
    """A fit that takes 10 ms of a processor, whatever else the machine does."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit, and go on until the time is over."""
        until = time.thread_time() + FIT_SECONDS
        super().fit(X, y, sample_weight)
        while time.thread_time() < until:
            pass
        return self


def measure(n_samples: int, n_jobs: int, pairs: int, seed: int) -> dict[str, Any]:
    """One row of the table.

    Parameters
    ----------
    n_samples : int
        Size of the data.
    n_jobs : int
        Number of processes. Processor time is measured for one, time on the clock for more.
    pairs : int
        Number of pairs of searches, one with and one without a store.
    seed : int
        Seed of the data.
    """
    X, y = make_classification(n_samples=n_samples, n_features=20, random_state=seed)
    grid = {"var_smoothing": np.logspace(-12, -1, N_CONFIGS)}
    clock = time.process_time if n_jobs == 1 else time.perf_counter
    n_fits = N_CONFIGS * N_SPLITS

    def search(store: Path | None, n_jobs: int = n_jobs) -> BBCSearchCV:
        return BBCSearchCV(
            TenMilliseconds(), grid, scoring="roc_auc", cv=N_SPLITS, ci=[], refit=False,
            n_jobs=n_jobs, store=store,
        )  # fmt: skip

    def seconds(store: Path | None) -> float:
        return timed(lambda: search(store).fit(X, y), clock)

    without, ratios, taken = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for pair in range(pairs + 1):
            store = Path(folder) / str(pair)
            if pair % 2:
                plain, first = seconds(None), seconds(store)
            else:
                first, plain = seconds(store), seconds(None)
            if pair:  # the one before starts workers and fills caches
                without.append(plain)
                ratios.append(first / plain)
                taken.append(seconds(store))
        writes = write_times(lambda: search(Path(folder) / "writes", n_jobs=1).fit(X, y))
        size = sum(path.stat().st_size for path in store.iterdir())
    low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
    return {
        "n_samples": n_samples,
        "n_jobs": n_jobs,
        "n_fits": n_fits,
        "fit_ms": 1000 * FIT_SECONDS,
        "pairs": pairs,
        "clock": "processor" if n_jobs == 1 else "wall",
        "plain_seconds": round(float(np.median(without)), 4),
        "ratio_median": round(float(middle), 4),
        "ratio_quartile_1": round(float(low), 4),
        "ratio_quartile_3": round(float(high), 4),
        "limit": 1 + LIMIT,
        "write_us_per_fit": round(1e6 * float(np.median(writes)), 1),
        "taken_us_per_fit": round(1e6 * float(np.median(taken)) / n_fits, 1),
        "bytes_per_fit": round(size / n_fits),
    }


def write_times(fit: Callable[[], Any]) -> list[float]:
    """Seconds of this thread that each write takes, right after its fit and in this process.

    Other programs on the machine disturb this less than the ratio of two searches.
    """
    times: list[float] = []
    stored = _resuming.fit_and_store

    def measured(fit_and_score: Callable[..., Any], *more: Any, **options: Any) -> Any:
        within = [0.0]

        def fitted(*args: Any, **kwargs: Any) -> Any:
            started = time.thread_time()
            result = fit_and_score(*args, **kwargs)
            within[0] = time.thread_time() - started
            return result

        started = time.thread_time()
        result = stored(fitted, *more, **options)
        times.append(time.thread_time() - started - within[0])
        return result

    _resuming.fit_and_store = measured  # type: ignore[assignment]
    try:
        fit()
    finally:
        _resuming.fit_and_store = stored  # type: ignore[assignment]
    return times


def timed(function: Callable[[], Any], clock: Callable[[], float]) -> float:
    """Seconds of one call, with the garbage collector out of the way."""
    gc.collect()
    gc.disable()
    try:
        start = clock()
        function()
        return clock() - start
    finally:
        gc.enable()
