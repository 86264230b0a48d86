"""Times of intervals as ratios to one product of matrices, and their memory."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from sklearn import config_context
from sklearn.metrics import cohen_kappa_score, make_scorer

from benchmarks.timing.footprint import forget_peak, fresh, resident
from benchmarks.timing.interpreter import Interpreter
from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC, BBCF

Size = tuple[int, int, int]
VALUES = ("neg_mean_squared_error", "neg_mean_absolute_error", "neg_root_mean_squared_error", "r2")
SCORES = ("roc_auc", "average_precision")
PROBABILITIES = ("neg_log_loss", "neg_brier_score")
LABELS = ("accuracy", "f1", "balanced_accuracy", "cohen_kappa", "matthews_corrcoef")
SCORERS = {"cohen_kappa": make_scorer(cohen_kappa_score)}
MEMORY = 64
"""Working memory of `peaks`, in MiB."""
PEAKS = ("accuracy", "neg_log_loss", "roc_auc")


class Task(NamedTuple):
    """One number to measure: an interval, beside what it is, and how many of it are the limit.

    `beside` is ``"product"``, the name of a metric, ``"quiet"``, or empty for a limit in seconds.
    """

    part: str
    metric: str
    size: Size
    beside: str
    limit: float | None
    n_jobs: int = 1
    method: str = "BBC"


MIDDLE, MANY, LARGE = (10_000, 500, 1000), (50, 100_000, 200), (1_000_000, 100, 1000)
PRODUCTS = {
    **dict.fromkeys(["accuracy", *PROBABILITIES, *VALUES], 1.5),
    **dict.fromkeys(["f1", "balanced_accuracy", "cohen_kappa", "matthews_corrcoef"], 3.0),
    "roc_auc": None,
}
TASKS = (
    *(Task("one thread", name, MIDDLE, "product", limit) for name, limit in PRODUCTS.items()),
    Task("one thread", "average_precision", MIDDLE, "roc_auc", 2.5),
    *(
        Task("two threads", name, MIDDLE, "product", 0.8, n_jobs=2)
        for name in ("accuracy", *PROBABILITIES, *VALUES)
    ),
    *(Task("many configurations", name, MANY, "roc_auc", 2.0) for name in
      ("accuracy", "neg_log_loss", "f1")),
    *(Task("busy", name, MIDDLE, "quiet", 2.2, n_jobs=2) for name in
      ("accuracy", "neg_log_loss", "r2")),
    *(Task("million", name, LARGE, "", limit, n_jobs=2) for name, limit in
      (("accuracy", 10.0), ("neg_log_loss", 20.0), ("roc_auc", None))),
    Task("folds", "roc_auc", (500, 500, 0), "", None, method="BBCF"),
    *(Task("small", name, (500, 5, 200), "", 0.002) for name in ("roc_auc", "accuracy")),
)  # fmt: skip
PARTS = tuple(dict.fromkeys(task.part for task in TASKS))
SINGLE_RUN = 5.0
"""Seconds from which a number is measured once."""


@lru_cache(maxsize=1)
def predictions(metric: str, n_samples: int, n_configs: int) -> OOFPredictions:
    """Predictions of configurations that are about equally good, five or ten folds."""
    rng = np.random.default_rng(0)
    n_folds = 10 if n_samples == 500 else 5
    fold = np.arange(n_samples) % n_folds
    if metric in VALUES:
        y = rng.standard_normal(n_samples)
        noise = rng.standard_normal((n_samples, n_configs))
        noise *= rng.uniform(0.3, 1.0, n_configs)
        noise += y[:, None]
        return OOFPredictions(y_true=y, y_pred=noise, fold=fold)
    y = rng.integers(2, size=n_samples)
    pred = rng.random((n_samples, n_configs))
    pred *= 0.7
    pred += 0.001 + 0.298 * y[:, None]
    if metric in LABELS:
        pred = (pred > 0.5).astype(np.int8)
    return OOFPredictions(y_true=y, y_pred=pred, fold=fold)


def time_interval(task: Task) -> tuple[float, float]:
    """Processor time and time of one interval in seconds, once the predictions are there."""
    n_samples, n_configs, n_draws = task.size
    oof = predictions(task.metric, n_samples, n_configs)
    method: Any = BBCF()
    if task.method == "BBC":
        method = BBC(n_bootstraps=n_draws, random_state=0, draws="samples", n_jobs=task.n_jobs)
    started = time.process_time(), time.perf_counter()
    method.estimate(oof, SCORERS.get(task.metric, task.metric))
    return time.process_time() - started[0], time.perf_counter() - started[1]


def time_product(size: Size) -> tuple[float, float]:
    """Processor time and time of ``counts (B x N) @ losses (N x C)`` in double precision."""
    counts, losses = factors(size)
    started = time.process_time(), time.perf_counter()
    table = counts @ losses
    spent = time.process_time() - started[0], time.perf_counter() - started[1]
    assert table.shape == size[:0:-1]
    return spent


@lru_cache(maxsize=1)
def factors(size: Size) -> tuple[np.ndarray, np.ndarray]:
    """Counts of draws and losses."""
    n_samples, n_configs, n_draws = size
    rng = np.random.default_rng(0)
    counts = rng.poisson(1, (n_draws, n_samples)).astype(float)
    return counts, rng.random((n_samples, n_configs))


@contextmanager
def full_load(n_processes: int) -> Iterator[None]:
    """Keep so many other processes busy."""
    others = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(n_processes)
    ]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def time_beside(task: Task) -> tuple[float, float]:
    """Time what a number is divided by."""
    if task.beside == "product":
        return time_product(task.size)
    if task.beside == "quiet":
        return time_interval(task)
    return time_interval(task._replace(metric=task.beside, n_jobs=1))


def row(task: Task, interpreter: Callable[..., Any], runs: int, n_cores: int) -> dict[str, Any]:
    """Measure one number, in turn with what it is divided by.

    Parameters
    ----------
    task : Task
        The number.
    interpreter : callable
        Runs a function in a process of its own.
    runs : int
        Number of runs; the first one, which does not count, comes on top.
    n_cores : int
        Number of busy processes beside ``"busy"``.
    """
    # Processor time is steady beside other work; of threads, and of the rest, the time counts.
    clock = int(task.n_jobs > 1)
    times, ratios = [], []
    for run in range(runs + 1):
        unit = interpreter(time_beside, task)[clock] if task.beside else None
        if task.beside == "quiet":
            with full_load(n_cores):
                seconds = interpreter(time_interval, task)[clock]
        else:
            seconds = interpreter(time_interval, task)[clock]
        if run or seconds > SINGLE_RUN:
            times.append(seconds)
            ratios.append(np.nan if unit is None else seconds / unit)
        if seconds > SINGLE_RUN:
            break
    value = median(ratios) if task.beside else median(times)
    spread = ratios if task.beside else times
    return {
        "part": task.part,
        "metric": task.metric,
        "method": task.method,
        **dict(zip(("N", "C", "B"), task.size, strict=True)),
        "threads": task.n_jobs,
        "s": median(times),
        "beside": task.beside or "seconds",
        "ratio": value,
        "from": min(spread),
        "to": max(spread),
        "runs": len(times),
        "limit": task.limit,
    }


def measured(parts: list[str], runs: int, n_cores: int) -> list[dict[str, Any]]:
    """Measure all numbers of some parts, each part in a process of its own."""
    rows = []
    for part in parts:
        interpreter = Interpreter(native=True)
        rows += [row(task, interpreter, runs, n_cores) for task in TASKS if task.part == part]
        interpreter.close()
    return rows


IMPORT = (
    "import sklearn.model_selection, sklearn.metrics, time; started = time.process_time(); "
    "import sklearn_bbc; print(time.process_time() - started)"
)


def import_row(runs: int) -> dict[str, Any]:
    """Measure the import of the package after that of scikit-learn."""
    times = [fresh(IMPORT)[0] for _ in range(runs + 1)][1:]
    return {
        "part": "import", "s": median(times), "beside": "seconds", "ratio": median(times),
        "from": min(times), "to": max(times), "runs": len(times), "limit": 0.04,
    }  # fmt: skip


def peak(metric: str, size: Size) -> float:
    """Megabytes by which this process grows beyond its predictions during one interval."""
    n_samples, n_configs, n_draws = size
    task = Task("", metric, (200, 5, 100), "", None)
    time_interval(task)  # what libraries allocate once
    oof = predictions(metric, n_samples, n_configs)
    before = resident("VmRSS")
    forget_peak()
    with config_context(working_memory=MEMORY):
        BBC(n_bootstraps=n_draws, random_state=0, draws="samples").estimate(oof, metric)
    return resident("VmHWM") - before


def peaks(size: Size) -> list[dict[str, Any]]:
    """Measure the memory of one interval for some metrics, each in a process of its own."""
    rows = []
    for metric in PEAKS:
        interpreter = Interpreter(native=True)
        grown = interpreter(peak, metric, size)
        interpreter.close()
        limit = MEMORY + 16 * size[1] * size[2] / 2**20
        rows.append(
            {
                "metric": metric,
                **dict(zip(("N", "C", "B"), size, strict=True)),
                "working memory, MB": MEMORY,
                "MB": grown,
                "limit, MB": limit,
            }
        )
    return rows
