"""Times of intervals as ratios to one product of matrices, and their memory."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
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
    `limit` is a pair in `SPLITS`.
    """

    part: str
    metric: str
    size: Size
    beside: str
    limit: Any
    n_jobs: int = 1
    method: str = "BBC"


MIDDLE, MANY, LARGE = (10_000, 500, 1000), (50, 100_000, 200), (1_000_000, 100, 1000)
NARROW = (1_000_000, 50, 1000)
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
    *(Task("million", name, size, "", limit, n_jobs=2) for name, size, limit in
      (("accuracy", LARGE, 10.0), ("neg_log_loss", LARGE, 20.0), ("roc_auc", NARROW, None))),
    Task("folds", "roc_auc", (500, 500, 0), "", 0.167, method="BBCF"),
    *(Task("small", name, (500, 5, 200), "", 0.002) for name in ("roc_auc", "accuracy")),
)  # fmt: skip
SPLITS = tuple(
    Task("million", name, size, "", limit) for name, size, limit in
    (("accuracy", LARGE, (0.6, None)), ("neg_log_loss", LARGE, (0.6, 0.0078)),
     ("roc_auc", NARROW, (2.4, 0.0176)))
)  # fmt: skip
"""Intervals of which the time before the first draw and that of a draw are told apart, with limits
of both."""
FEW_DRAWS, MORE_DRAWS = 32, 128
"""Draws of the shorter interval, and so many more of the longer one."""
PARTS = tuple(dict.fromkeys(task.part for task in TASKS))
SINGLE_RUN = 5.0
"""Seconds from which a number is measured once."""
SECONDS_OF_RUN, MOST_OF_RUN = 1.0, 50
"""A run repeats what takes less than so many seconds, so many times at most."""


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


def time_intervals(task: Task, n: int) -> list[tuple[float, float]]:
    """Do as `time_interval`, n times in a row."""
    return [time_interval(task) for _ in range(n)]


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


def lowest(times: list[float]) -> float:
    """Lower quartile: what other work on the machine adds to some of the times is left out."""
    return float(np.quantile(times, 0.25))


def row(task: Task, interpreter: Callable[..., Any], runs: int, n_cores: int) -> dict[str, Any]:
    """Measure one number, in turn with what it is divided by.

    Parameters
    ----------
    task : Task
        The number.
    interpreter : callable
        Runs a function in a process of its own.
    runs : int
        Number of runs. Each repeats the interval, and what it is divided by, in turn, and takes
        the lower quartile of both; what is done first does not count.
    n_cores : int
        Number of busy processes beside ``"busy"``.
    """
    # Processor time is steady beside other work; of threads, and of the rest, the time counts.
    clock = int(task.n_jobs > 1)

    def pair() -> tuple[float, float]:
        unit = interpreter(time_beside, task)[clock] if task.beside else 1.0
        with full_load(n_cores) if task.beside == "quiet" else nullcontext():
            return interpreter(time_interval, task)[clock], unit

    first = pair()
    if first[0] > SINGLE_RUN:
        of_runs = [[first]]
    else:
        n = min(MOST_OF_RUN, max(1, math.ceil(SECONDS_OF_RUN / max(first[0], 1e-9))))
        if task.beside:
            of_runs = [[pair() for _ in range(n)] for _ in range(runs)]
        else:  # without the way to the other process, which cools its caches down
            of_runs = [
                [(times[clock], 1.0) for times in interpreter(time_intervals, task, n)]
                for _ in range(runs)
            ]
    times, units = ([lowest([each[k] for each in run]) for run in of_runs] for k in (0, 1))
    return described(task, times, [time / unit for time, unit in zip(times, units, strict=True)])


def described(
    task: Task, times: list[float], ratios: list[float], **changed: Any
) -> dict[str, Any]:
    """Make a row of the table from the times and ratios of each run."""
    return {
        "part": task.part,
        "metric": task.metric,
        "method": task.method,
        **dict(zip(("N", "C", "B"), task.size, strict=True)),
        "threads": task.n_jobs,
        "s": median(times),
        "beside": task.beside or "seconds",
        "ratio": median(ratios),
        "from": min(ratios),
        "to": max(ratios),
        "runs": len(times),
        "limit": task.limit,
        **changed,
    }


def split_rows(task: Task, interpreter: Callable[..., Any], runs: int) -> list[dict[str, Any]]:
    """Tell the time before the first draw from that of a draw, by two numbers of draws.

    Preparation is time, since some of it is done by all cores; draws are processor time.
    """
    few, more = (
        task._replace(size=(*task.size[:2], n)) for n in (FEW_DRAWS, FEW_DRAWS + MORE_DRAWS)
    )
    interpreter(time_interval, few)
    before, of_draw = [], []
    for _ in range(min(runs, 3)):
        short, long = interpreter(time_interval, few), interpreter(time_interval, more)
        of_draw.append((long[0] - short[0]) / MORE_DRAWS)
        before.append(short[1] - FEW_DRAWS * of_draw[-1])
    return [
        described(task, times, times, part=part, limit=limit, B=n_draws)
        for part, times, limit, n_draws in (
            ("million: preparation", before, task.limit[0], 0),
            ("million: a draw", of_draw, task.limit[1], 1),
        )
    ]


def measured(parts: list[str], runs: int, n_cores: int) -> list[dict[str, Any]]:
    """Measure all numbers of some parts, each part in a process of its own."""
    rows = []
    for part in parts:
        # A million rows are sorted, and their values computed, by all cores.
        interpreter = Interpreter(native=True, single=part != "million")
        rows += [row(task, interpreter, runs, n_cores) for task in TASKS if task.part == part]
        for task in SPLITS if part == "million" else ():
            rows += split_rows(task, interpreter, runs)
        interpreter.close()
    return rows


IMPORT = (
    "import sklearn.model_selection, sklearn.metrics, time; started = time.process_time(); "
    "{}; print(time.process_time() - started)"
)
IMPORTS = ("import sklearn_bbc", "from sklearn_bbc import bbc",
           "from sklearn_bbc import BBCSearchCV, bbc")  # fmt: skip
"""What is loaded after scikit-learn. The package alone loads its parts when they are used."""


def import_rows(runs: int) -> list[dict[str, Any]]:
    """Measure what loading the package takes, in processor time, after scikit-learn."""
    rows = []
    for statement in IMPORTS:
        times = [fresh(IMPORT.format(statement))[0] for _ in range(2 * runs + 1)][1:]
        rows.append(
            {
                "part": "import", "metric": statement, "s": lowest(times), "beside": "seconds",
                "ratio": lowest(times), "from": min(times), "to": max(times), "runs": len(times),
                "limit": 0.04,
            }
        )  # fmt: skip
    return rows


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
