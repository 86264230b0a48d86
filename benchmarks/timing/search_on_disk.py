"""Memory of a search whose predictions are larger than what it may take, with a store."""

from __future__ import annotations

import gc
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.timing import footprint
from benchmarks.timing.search_memory import RESPONSES, Column
from sklearn_bbc import BBCSearchCV
from sklearn_bbc.intervals import BBC

CODE = """
from benchmarks.timing.search_on_disk import measured
print(*measured({stored}, {response!r}, {n_jobs}, {n_samples}, {n_configs}, {n_bootstraps}))
"""

KEY = ["predictions are", "answers", "processes", "N", "C", "B"]
CASES = [("store", "float64", 1), ("in memory", "float64", 1), ("store", "float64", 2)]
"""Where the predictions are, what they are, and the number of processes."""


class OwnMemory:
    """Watches the memory that only this process can give back, without pages of files."""

    def __init__(self) -> None:
        self.highest, self._ends = 0.0, threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> OwnMemory:
        self._watch.start()
        return self

    def __exit__(self, *error: Any) -> None:
        self._ends.set()
        self._watch.join()

    def _look(self) -> None:
        while not self._ends.wait(0.02):
            self.highest = max(self.highest, footprint.resident("RssAnon"))


def measured(
    stored: bool, response: str, n_jobs: int, n_samples: int, n_configs: int, n_bootstraps: int
) -> list[float]:
    """Peak of the process and of its own memory in MB, seconds, and the interval."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, 2))
    y = (X[:, 0] + rng.normal(size=n_samples) > 0).astype(int)

    def search(n: int, folder: str | None) -> BBCSearchCV:
        method = BBC(n_bootstraps=n_bootstraps)
        return BBCSearchCV(
            Column(dtype=response), {"tilt": np.linspace(0, 5, n)}, scoring=RESPONSES[response][0],
            ci=method, cv=5, n_jobs=n_jobs, random_state=0, store=folder,
        ).fit(X, y)  # fmt: skip

    search(2, None)  # starts workers, loads what is loaded late
    gc.collect()
    footprint.forget_peak()
    with tempfile.TemporaryDirectory() as folder, OwnMemory() as own:
        started = time.perf_counter()
        found = search(n_configs, folder if stored else None)
        seconds = time.perf_counter() - started
        peak = footprint.resident("VmHWM")
        on_disk = sum(path.stat().st_size for path in Path(folder).iterdir()) / 2**20
        low, high = found.ci_
        times = [seconds, found.interval_time_]
        del found
    return [peak, own.highest, on_disk, *times, low, high]


def peaks(
    n_samples: int, n_configs: int, n_bootstraps: int, cases: Sequence[int] | None = None
) -> pd.DataFrame:
    """One fresh process for each case, all or some by their number from 0."""
    rows = []
    for where, response, n_jobs in CASES if cases is None else [CASES[k] for k in cases]:
        code = CODE.format(
            stored=where == "store", response=response, n_jobs=n_jobs, n_samples=n_samples,
            n_configs=n_configs, n_bootstraps=n_bootstraps,
        )  # fmt: skip
        peak, own, on_disk, seconds, interval, low, high = footprint.fresh(code)
        rows.append({
            "predictions are": where, "answers": response, "processes": n_jobs, "N": n_samples,
            "C": n_configs, "B": n_bootstraps,
            "predictions, MB": n_samples * n_configs * RESPONSES[response][1] / 2**20,
            "peak, MB": peak, "without pages of files, MB": own, "on disk, MB": on_disk,
            "s": seconds, "interval stage, s": interval, "low": low, "high": high,
        })  # fmt: skip
    return pd.DataFrame(rows)
