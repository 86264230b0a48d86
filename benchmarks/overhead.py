"""What BBCSearchCV costs over GridSearchCV: time, traffic to the workers, memory.

    python benchmarks/overhead.py                     # about 25 minutes on two cores
    python benchmarks/overhead.py --pairs 5 --cases naive_bayes --n-jobs 1    # a first look
    python benchmarks/overhead.py --cases many_tasks --n-jobs 2    # about twenty minutes
    python benchmarks/overhead.py store               # what a store adds to fits of 10 ms

Each row is written as soon as it is measured, and takes the place of the row of the same case
and number of processes; so an interrupted run loses nothing, and cases can be measured apart.

Both searches run the same grid on the same splits, in pairs of alternating order; the ratio of
each pair is taken and the median reported. The interval stage is switched off there (``ci=[]``)
and timed apart. With one process it is processor time that is measured, so other work on the
machine matters less; with more it is time on the clock. Bytes are those of one pickled task and
of one result; memory is the peak that Python allocates in the main process during ``fit``. Neither
is measured for ``many_tasks``, whose searches take minutes. The committed tables are of
``OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1``: threads of a model would count twice as processor
time.

``store`` compares `BBCSearchCV` with and without a store in the same way, on fits that take 10 ms
of processor time each: the ratio of the first run, which stores all fits, the time of a run that
takes all of them, and bytes on disk. What one stored fit takes more than one that is not is
measured within one search, too, where chance decides which fits are stored.
"""

from __future__ import annotations

import argparse
import gc
import pickle
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import parallel_config, register_parallel_backend
from joblib._parallel_backends import ThreadingBackend
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, ParameterGrid
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.harness import record
from benchmarks.timing import store_costs
from benchmarks.timing.store_costs import timed
from sklearn_bbc import BBCSearchCV

N_SPLITS = 10
MANY_TASKS = "many_tasks"

CASES: dict[str, Callable[[], tuple[Any, dict[str, Any], dict[str, Any]]]] = {
    # name -> estimator, grid, arguments of make_classification
    "naive_bayes": lambda: (
        GaussianNB(),
        {"var_smoothing": np.logspace(-12, -1, 30)},
        {"n_samples": 200, "n_features": 20},
    ),
    "neighbors": lambda: (
        KNeighborsClassifier(),
        {"n_neighbors": list(range(1, 31))},
        {"n_samples": 1000, "n_features": 20},
    ),
    "logistic_pipeline": lambda: (
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
        {"logisticregression__C": np.logspace(-4, 4, 30)},
        {"n_samples": 500, "n_features": 30},
    ),
    "forest": lambda: (
        RandomForestClassifier(n_estimators=50, random_state=0),
        {"max_features": [0.2, 0.5], "min_samples_leaf": [1, 5]},
        {"n_samples": 1000, "n_features": 20},
    ),
    # Not measured by default. scikit-learn 1.9 sends what it has to tell to callbacks with
    # every task, even when there are none: that grows with the square of their number.
    MANY_TASKS: lambda: (
        GaussianNB(),
        {"var_smoothing": np.logspace(-12, -1, 1000)},
        {"n_samples": 200, "n_features": 20},
    ),
}

DEFAULT_CASES = [case for case in CASES if case != MANY_TASKS]
PAIRS = dict.fromkeys(DEFAULT_CASES, 21) | {MANY_TASKS: 3}


def main(argv: list[str] | None = None) -> pd.DataFrame:
    """Measure every case and write it to the table.

    Returns
    -------
    DataFrame
        One row per case and number of processes that were measured now.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=["search", "store"], default="search")
    parser.add_argument("--cases", nargs="+", choices=list(CASES), default=DEFAULT_CASES)
    parser.add_argument("--n-jobs", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--pairs", type=int, help="pairs of runs (default 21, of many_tasks 3)")
    parser.add_argument("--scoring", default="roc_auc", help="a scorer's name (default roc_auc)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=record.RESULTS, help="folder for the table")
    arguments = parser.parse_args(argv)

    register_parallel_backend("counting", CountingBackend)
    if arguments.what == "store":
        return measure_store(arguments)
    rows = []
    for case in arguments.cases:
        for n_jobs in arguments.n_jobs:
            started = time.process_time()
            rows.append(measure(case, n_jobs, arguments))
            seconds = time.process_time() - started
            made = record.provenance(seed=arguments.seed, seconds=seconds)
            keep(rows[-1] | made, arguments.output / "overhead.csv")
            print("  ".join(f"{key}={value}" for key, value in rows[-1].items()), flush=True)
    return pd.DataFrame(rows)


def measure_store(arguments: argparse.Namespace) -> pd.DataFrame:
    """Measure what a store costs and write it to a table of its own."""
    rows = []
    for n_samples in store_costs.SIZES:
        for n_jobs in arguments.n_jobs:
            started = time.process_time()
            pairs = 11 if arguments.pairs is None else arguments.pairs
            rows.append(store_costs.measure(n_samples, n_jobs, pairs, arguments.seed))
            seconds = time.process_time() - started
            made = record.provenance(seed=arguments.seed, seconds=seconds)
            keep(rows[-1] | made, arguments.output / "overhead_store.csv", ("n_samples", "n_jobs"))
            print("  ".join(f"{key}={value}" for key, value in rows[-1].items()), flush=True)
    return pd.DataFrame(rows)


def keep(row: dict[str, Any], path: Path, by: tuple[str, str] = ("case", "n_jobs")) -> None:
    """Put one row into the table at its place, over an older one of the same kind."""
    rows = pd.read_csv(path).to_dict("records") if path.is_file() else []
    kept = {(old[by[0]], old[by[1]]): old for old in [*rows, row]}
    places = list(CASES) if by[0] == "case" else list(store_costs.SIZES)
    order = sorted(kept, key=lambda key: (places.index(key[0]), key[1]))
    text = pd.DataFrame([kept[key] for key in order]).to_csv(index=False)
    record.replace(path, text)


def measure(case: str, n_jobs: int, arguments: argparse.Namespace) -> dict[str, Any]:
    """One row of the table."""
    estimator, grid, shape = CASES[case]()
    X, y = make_classification(**shape, random_state=arguments.seed)
    common = {"scoring": arguments.scoring, "cv": N_SPLITS}
    few = {name: values[:5] for name, values in grid.items()}

    def plain(n_jobs: int = n_jobs, grid: Any = grid) -> Any:
        return GridSearchCV(estimator, grid, n_jobs=n_jobs, **common).fit(X, y)

    def ours(n_jobs: int = n_jobs, ci: Any = (), grid: Any = grid) -> Any:
        ci = list(ci) if ci is not None else None  # the empty list: no interval stage
        search = BBCSearchCV(
            estimator, grid, ci=ci, n_jobs=n_jobs, random_state=arguments.seed, **common
        )
        return search.fit(X, y)

    # Once before the clock runs: this starts the workers and fills caches.
    first = few if case == MANY_TASKS else grid
    expected, got = plain(grid=first).cv_results_, ours(grid=first).cv_results_
    np.testing.assert_array_equal(expected["mean_test_score"], got["mean_test_score"])
    ratios, seconds = [], []
    clock = time.process_time if n_jobs == 1 else time.perf_counter
    n_pairs = PAIRS[case] if arguments.pairs is None else arguments.pairs
    for pair in range(n_pairs):
        if pair % 2:
            grid_time, our_time = timed(plain, clock), timed(ours, clock)
        else:
            our_time, grid_time = timed(ours, clock), timed(plain, clock)
        ratios.append(our_time / grid_time)
        seconds.append(grid_time)
    low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
    n_configs = len(ParameterGrid(grid))
    row = {
        "case": case,
        "n_jobs": n_jobs,
        "n_samples": len(X),
        "n_configs": n_configs,
        "n_fits": N_SPLITS * n_configs,
        "pairs": n_pairs,
        "clock": "processor" if n_jobs == 1 else "wall",
        "grid_seconds": round(statistics.median(seconds), 4),
        "ratio_median": round(float(middle), 4),
        "ratio_quartile_1": round(float(low), 4),
        "ratio_quartile_3": round(float(high), 4),
        "interval_seconds": round(ours(ci=None).interval_time_, 4),
    }
    if case == MANY_TASKS:
        return row
    task_bytes, result_bytes = zip(traffic(plain), traffic(ours))
    return row | {
        "task_bytes_grid": task_bytes[0],
        "task_bytes_bbc": task_bytes[1],
        "result_bytes_grid": result_bytes[0],
        "result_bytes_bbc": result_bytes[1],
        "peak_mb_grid": peak_megabytes(plain),
        "peak_mb_bbc": peak_megabytes(ours),
    }


class CountingBackend(ThreadingBackend):
    """Threads that pickle every task and every result to count their bytes."""

    tasks: list[float]
    results: list[float]

    def apply_async(self, func: Any, callback: Any = None) -> Any:
        return super().apply_async(self._counted(func), callback)

    def submit(self, func: Any, callback: Any = None) -> Any:  # joblib 1.5 and later
        return super().submit(self._counted(func), callback)

    def _counted(self, batch: Any) -> Callable[[], Any]:
        CountingBackend.tasks.append(len(pickle.dumps(batch)) / len(batch))

        def run() -> Any:
            results = batch()
            CountingBackend.results.append(len(pickle.dumps(results)) / len(results))
            return results

        return run


def traffic(fit: Callable[..., Any]) -> tuple[int, int]:
    """Mean bytes of a task and of a result."""
    CountingBackend.tasks, CountingBackend.results = [], []
    with parallel_config(backend="counting"):
        fit(n_jobs=2)
    return tuple(
        round(statistics.mean(sizes)) for sizes in (CountingBackend.tasks, CountingBackend.results)
    )


def peak_megabytes(fit: Callable[[], Any]) -> float:
    """Peak of what Python allocates during a fit, in MB."""
    gc.collect()
    tracemalloc.start()
    try:
        fit()
        return round(tracemalloc.get_traced_memory()[1] / 1e6, 2)
    finally:
        tracemalloc.stop()


if __name__ == "__main__":
    main()
