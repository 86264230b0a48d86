"""How long each interval method takes on the predictions of one search."""

from __future__ import annotations

import time
from statistics import median

import pandas as pd

from benchmarks._methods import estimator, methods_for
from benchmarks._timing import case_of
from sklearn_bbc.intervals import (
    BaseInterval,
    BootstrapTilting,
    DeLong,
    HanleyMcNeil,
    LearnEvaluate,
    TibshiraniTibshirani,
    TopShare,
)

SIZE = (500, 100, 2000)
"""N, C, B."""

USUAL = 0.1
SLOWER = {"GLMM": None, "tilting": 2.0, "MABT": 2.0}
"""Beginnings of names -> limit in seconds; None is no limit. All others have `USUAL`."""


def timed_methods(scoring: str) -> dict[str, BaseInterval]:
    """The methods of the coverage studies, and those that select on one part of the samples."""
    top = LearnEvaluate(TopShare(), random_state=0)
    methods = {**methods_for(scoring), "Tibshirani (no interval)": TibshiraniTibshirani()}
    methods["tilting, top tenth"] = BootstrapTilting(selection=top)
    if scoring == "roc_auc":
        methods["DeLong, top tenth"] = DeLong(selection=top)
        methods["Hanley-McNeil, top tenth"] = HanleyMcNeil(selection=top)
    return methods


def limit_of(method: str) -> float | None:
    """Seconds that a method may take."""
    for start, limit in SLOWER.items():
        if method.startswith(start):
            return limit
    return USUAL


def time_method(method: str, scoring: str, n_samples: int, n_configs: int, n_draws: int) -> float:
    """Processor time in seconds of one interval, once the predictions are there.

    Parameters
    ----------
    method : str
        Name in `timed_methods`.
    scoring : str
        Name of the metric.
    n_samples, n_configs, n_draws : int
        Size.
    """
    case = case_of(scoring, n_samples, n_configs)
    estimate = estimator(timed_methods(scoring)[method], case.oof, case.scoring)
    started = time.process_time()
    estimate(n_draws, 0)
    return time.process_time() - started


def row(method: str, scoring: str, times: dict[str, list[float]]) -> dict[str, object]:
    """One row of the table.

    Parameters
    ----------
    method, scoring : str
        Method and metric.
    times : dict of str to list of float
        State of the kernels -> seconds.
    """
    middle = {state: median(seconds) for state, seconds in times.items()}
    limit = limit_of(method)
    return {
        "metric": scoring,
        "method": method,
        **{f"{state}, s": seconds for state, seconds in middle.items()},
        "limit, s": limit,
        "within": "" if limit is None else "yes" if max(middle.values()) <= limit else "no",
    }


def table(rows: list[dict[str, object]]) -> pd.DataFrame:
    """All rows, the slowest first within a metric."""
    frame = pd.DataFrame(rows)
    slowest = frame.filter(like=", s").drop(columns="limit, s").max(axis=1)
    order = frame.assign(slowest=-slowest).sort_values(["metric", "slowest"], kind="stable")
    return order.drop(columns="slowest").reset_index(drop=True)
