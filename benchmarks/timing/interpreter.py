"""Measure in an interpreter of its own, one thread, compiled kernels on or off."""

from __future__ import annotations

import contextlib
import io
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from multiprocessing import get_context
from typing import Any

import numpy as np

import sklearn_bbc
from benchmarks.timing.cases import SEED, Case, make_case
from sklearn_bbc.intervals import as_interval
from sklearn_bbc.metrics import as_metric

SINGLE = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM")}
SWITCH = "SKLEARN_BBC_NATIVE"


class Interpreter:
    """A fresh Python process that runs functions, one after the other.

    Parameters
    ----------
    native : bool
        Whether the compiled kernels may be used. They are chosen when the package is
        imported, hence a process for each state.
    single : bool, default=True
        Whether products of matrices and the sorting of predictions take one thread.
    """

    def __init__(self, native: bool, single: bool = True) -> None:
        before = dict(os.environ)
        # A spawned process takes over the environment of the moment in which it starts.
        for name in SINGLE:
            os.environ.pop(name, None)
        os.environ.update(SINGLE if single else {})
        os.environ.pop(SWITCH, None)
        if not native:
            os.environ[SWITCH] = "0"
        try:
            self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
            self._pool.submit(os.getpid).result()
        finally:
            os.environ.clear()
            os.environ.update(before)

    def __call__(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Result of the function, computed over there."""
        return self._pool.submit(function, *arguments).result()

    def close(self) -> None:
        """End the process."""
        self._pool.shutdown()


@lru_cache(maxsize=1)
def case_of(
    name: str, n_samples: int, n_configs: int, n_folds: int = 10, seed: int = SEED
) -> Case:
    """Data of one measurement, made once per process."""
    return make_case(name, n_samples, n_configs, n_folds, seed)


def time_interval(
    name: str,
    n_samples: int,
    n_configs: int,
    n_bootstraps: int,
    n_folds: int = 10,
    method: str = "bbc",
    seed: int = SEED,
) -> float:
    """Processor time in seconds of one interval, all of it, once the predictions are there.

    Validation, sorting, draws, selection, out-of-bag scores and the result are in;
    the `OOFPredictions` exist already, as after a search.
    """
    case = case_of(name, n_samples, n_configs, n_folds, seed)
    interval = as_interval(method)
    wanted = {"n_bootstraps": n_bootstraps, "random_state": 0, "n_jobs": 1}
    known = interval.get_params()
    interval.set_params(**{key: value for key, value in wanted.items() if key in known})
    started = time.process_time()
    interval.estimate(case.oof, case.scoring)
    return time.process_time() - started


def time_loop(
    name: str, n_samples: int, n_configs: int, n_bootstraps: int, seconds: float = 1.0
) -> float:
    """Processor time in seconds of BBC as a plain loop over scikit-learn's function.

    Each draw scores every configuration on the drawn rows and the best one on the rows left
    out. Only as much of it is run as fits into `seconds`; the mean costs of a draw, an
    in-bag score and an out-of-bag score give the whole.
    """
    case = case_of(name, n_samples, n_configs)
    metric = as_metric(case.scoring)
    rng = np.random.default_rng(0)
    spent, times = dict.fromkeys(STEPS, 0.0), dict.fromkeys(STEPS, 0)

    def timed(step: str, function: Callable[..., Any], *arguments: Any) -> Any:
        started = time.process_time()
        result = function(*arguments)
        spent[step] += time.process_time() - started
        times[step] += 1
        return result

    def draw() -> tuple[np.ndarray, np.ndarray]:
        while True:
            drawn = rng.integers(0, n_samples, n_samples)
            left_out = np.setdiff1d(np.arange(n_samples), drawn)
            if len(case.strata(drawn)) == len(case.strata(left_out)) == case.n_strata:
                return drawn, left_out

    def score(rows: np.ndarray, config: int) -> float:
        return metric.sign * metric.score_func(
            case.y[rows], case.pred[config][rows], **metric.kwargs
        )

    while not times["draw"] or (sum(spent.values()) < seconds and times["draw"] < n_bootstraps):
        drawn, left_out = timed("draw", draw)
        scores = []
        for config in range(n_configs):
            scores.append(timed("in-bag", score, drawn, config))
            if sum(spent.values()) > seconds:
                break
        timed("out-of-bag", score, left_out, int(np.argmax(scores)))
    each = {step: spent[step] / times[step] for step in STEPS}
    return n_bootstraps * (each["draw"] + n_configs * each["in-bag"] + each["out-of-bag"])


STEPS = ("draw", "in-bag", "out-of-bag")


def native_in_use() -> bool:
    """Whether this process uses the compiled kernels, as `show_versions` tells."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        sklearn_bbc.show_versions()
    return "kernels: native" in text.getvalue()


def has_metric(scoring: str) -> bool:
    """Whether the installed version knows the metric."""
    try:
        as_metric(scoring)
    except ValueError:
        return False
    return True
