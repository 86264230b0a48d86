"""What a store costs a search: the fits of a first run, those that are taken, bytes on disk."""

from __future__ import annotations

import gc
import itertools
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.recording import _resume as _resuming

N_SPLITS, N_CONFIGS = 10, 100
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
        extra, error = extra_times(
            lambda: search(Path(folder) / "extra", n_jobs=1).fit(X, y), seed
        )
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
        "extra_us_per_fit": round(1e6 * extra, 1),
        "extra_us_error": round(1e6 * error, 1),
        "taken_us_per_fit": round(1e6 * float(np.median(taken)) / n_fits, 1),
        "bytes_per_fit": round(size / n_fits),
    }


def extra_times(fit: Callable[[], Any], seed: int) -> tuple[float, float]:
    """Seconds of processor that a stored fit takes more than one that is not, and their error.

    In one search each fit is stored or not by chance, and the time until the next fit begins
    is measured. So this has what a write costs the fit after it, whose code and data are
    in the processor's cache no more, and nothing that a search does once. Other programs and a
    processor that changes its pace disturb both kinds alike. Of each kind the middle four fifths
    are taken.
    """
    stored, rng = _resuming.fit_and_store, random.Random(seed)
    begun: list[tuple[float, bool]] = []

    def by_chance(fit_and_score: Callable[..., Any], *more: Any, **options: Any) -> Any:
        is_stored = rng.random() < 0.5
        begun.append((time.process_time(), is_stored))
        if is_stored:
            return stored(fit_and_score, *more, **options)
        return fit_and_score(*more[2:], **options)  # without target and key

    _resuming.fit_and_store = by_chance  # type: ignore[assignment]
    try:
        fit()
    finally:
        _resuming.fit_and_store = stored  # type: ignore[assignment]
    kinds: dict[bool, list[float]] = {False: [], True: []}
    for (start, is_stored), (end, _) in itertools.pairwise(begun):
        kinds[is_stored].append(end - start)
    middle = [np.sort(kinds[kind])[len(kinds[kind]) // 10 : -len(kinds[kind]) // 10]
              for kind in (False, True)]  # fmt: skip
    error = np.sqrt(sum(np.var(times) / len(times) for times in middle))
    return float(middle[1].mean() - middle[0].mean()), float(error)


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
