"""How long each interval method takes on the predictions of one search."""

from __future__ import annotations

import time
from statistics import median

import pandas as pd
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from benchmarks.studies.methods import estimator, methods_for
from benchmarks.timing.interpreter import case_of
from sklearn_bbc import ConfidenceInterval
from sklearn_bbc.intervals import (
    BaseInterval,
    BatesNestedCV,
    BootstrapTilting,
    ConservativeZ,
    DeLong,
    DirectBootstrap,
    HanleyMcNeil,
    LearnEvaluate,
    NestedCV,
    TibshiraniTibshirani,
    TopShare,
)

SIZE = (500, 100, 2000)
"""N, C, B."""

USUAL = 0.1
SLOWER = {"GLMM": None, "tilting": 2.0, "MABT": 2.0}
"""Beginnings of names -> limit in seconds; None is no limit. All others have `USUAL`."""

REFITTING = {
    "nested cross-validation": NestedCV(verbose=0),
    "direct bootstrap": DirectBootstrap(random_state=0, verbose=0),
    "Bates, nested cross-validation": BatesNestedCV(random_state=0, verbose=0),
    "conservative Z": ConservativeZ(random_state=0, verbose=0),
}
"""Methods that train: their time is that of the fits, so there is no limit."""

TRAINED = "accuracy, Gaussian naive Bayes on 200 samples"
"""What these are timed on stands in the column of the metric."""


def timed_pairs() -> list[tuple[str, str]]:
    """Method and metric of each row about predictions."""
    pairs = [(method, s) for s in ("roc_auc", "accuracy") for method in timed_methods(s)]
    return [*pairs, ("Takahashi", "f1")]


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
    case = case_of({"f1": "F1"}.get(scoring, scoring), n_samples, n_configs)
    estimate = estimator(timed_methods(scoring)[method], case.oof, case.scoring)
    started = time.process_time()
    estimate(n_draws, 0)
    return time.process_time() - started


def refit(method: str) -> ConfidenceInterval:
    """Result of one of `REFITTING` on a cheap estimator."""
    X, y = make_classification(200, random_state=0)
    return REFITTING[method].estimate(GaussianNB(), X, y, scoring="accuracy")


def time_refitting(method: str) -> float:
    """Processor time in seconds of one of `REFITTING`, fits and all."""
    started = time.process_time()
    refit(method)
    return time.process_time() - started


def row(
    method: str, scoring: str, times: dict[str, list[float]], n_fits: int | None = None
) -> dict[str, object]:
    """One row of the table.

    Parameters
    ----------
    method, scoring : str
        Method and metric.
    times : dict of str to list of float
        State of the kernels -> seconds.
    n_fits : int or None, default=None
        Models that were trained; then there is no limit.
    """
    middle = {state: median(seconds) for state, seconds in times.items()}
    limit = limit_of(method) if n_fits is None else None
    return {
        "metric": scoring,
        "method": method,
        "fits": "" if n_fits is None else n_fits,
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
