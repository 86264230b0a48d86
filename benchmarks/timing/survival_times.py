"""How long metrics of censored times take, beside a loop over scikit-survival's functions."""

from __future__ import annotations

import time
from functools import lru_cache
from statistics import median
from typing import Any

import numpy as np

from benchmarks.studies.survival import STEPS, surviving, times_and_risks
from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import (
    dynamic_auc,
    neg_integrated_brier_score,
    neg_survival_brier_score,
    uno_concordance,
)

SIZE = (500, 60, 2000)
"""N, C, B."""
N_TIMES = 20
"""Times of the integrated score."""
LIMITS = {
    "Brier score at a time": 0.1, "Brier score integrated over 20 times": None,
    "AUC at a time": 1.0, "AUC, mean of 4 times": None, "Uno's concordance": 1.0,
}  # fmt: skip
"""Metric -> limit in seconds, where there is one."""
WEIGHTS = ("each draw", "all samples")
"""Samples from which the censoring is estimated."""


@lru_cache(maxsize=1)
def data(n_samples: int, n_configs: int) -> tuple[float, np.ndarray, np.ndarray]:
    """Time that a quarter is followed beyond, structured target, risks (n_configs, n_samples)."""
    rng = np.random.Generator(np.random.PCG64(0))
    when, risk = times_and_risks(rng, n_samples, n_configs)
    end = rng.exponential(1 / 0.6, n_samples)
    y = np.empty(n_samples, dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = when <= end, np.minimum(when, end)
    return float(np.quantile(y["time"], 0.75)), y, risk


def at_times(what: str, last: float) -> np.ndarray:
    """Times of a metric, the last one last."""
    if "20" in what:
        return np.linspace(last / N_TIMES, last, N_TIMES)
    return last * STEPS if "4" in what else np.array([last])


def case(what: str, n_samples: int, n_configs: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, target and predictions (n_configs, n_samples[, n_times]) of one of `LIMITS`."""
    last, y, risk = data(n_samples, n_configs)
    times = at_times(what, last)
    if what.startswith("Brier"):
        return times, y, surviving(risk, times)
    return times, y, risk


def scorer(what: str, times: np.ndarray, censoring: Any) -> Any:
    """Make the scorer of one of `LIMITS`."""
    if what.startswith("AUC"):
        return dynamic_auc(times, censoring=censoring)
    if what.startswith("Uno"):
        return uno_concordance(times[-1], censoring=censoring)
    if len(times) > 1:
        return neg_integrated_brier_score(times, censoring=censoring)
    return neg_survival_brier_score(times[0], censoring=censoring)


def time_metric(what: str, weights: str, n_samples: int, n_configs: int, n_draws: int) -> float:
    """Processor time in seconds of BBC with one of `LIMITS`, by one of `WEIGHTS`."""
    times, y, pred = case(what, n_samples, n_configs)
    pred = pred[..., 0] if pred.ndim == 3 and len(times) == 1 else pred
    oof = OOFPredictions(y_true=y, y_pred=np.moveaxis(pred, 0, 1))
    scoring = scorer(what, times, y if weights == "all samples" else None)
    started = time.process_time()
    BBC(n_bootstraps=n_draws, random_state=0, n_jobs=1).estimate(oof, scoring)
    return time.process_time() - started


def time_loop(
    what: str, n_samples: int, n_configs: int, n_draws: int, seconds: float = 1.0
) -> float:
    """Processor time in seconds of BBC as a loop over scikit-survival; NaN where it is missing.

    Each draw scores every configuration on the drawn rows and one on those left out, with the
    censoring of all samples. As much of it is run as fits into `seconds`; the mean cost of a
    score on drawn rows and of one on the others gives the whole.
    """
    try:
        from sksurv import metrics as theirs
    except ImportError:
        return float("nan")
    times, y, pred = case(what, n_samples, n_configs)
    rng = np.random.Generator(np.random.PCG64(1))

    def score(rows: np.ndarray, config: int) -> float:
        """Score one configuration on some rows."""
        started = time.process_time()
        given = pred[config, rows]
        if what.startswith("AUC"):
            theirs.cumulative_dynamic_auc(y, y[rows], given, times)
        elif what.startswith("Uno"):
            theirs.concordance_index_ipcw(y, y[rows], given, tau=times[-1])
        elif len(times) > 1:
            theirs.integrated_brier_score(y, y[rows], given, times)
        else:
            theirs.brier_score(y, y[rows], given, times)
        return time.process_time() - started

    inside: list[float] = []
    outside: list[float] = []
    while sum(inside) + sum(outside) < seconds:
        drawn = rng.integers(0, n_samples, n_samples)
        inside += [score(drawn, config) for config in range(min(n_configs, 5))]
        outside.append(score(np.setdiff1d(np.arange(n_samples), drawn), 0))
    return n_draws * float(n_configs * np.mean(inside) + np.mean(outside))


def row(
    what: str,
    weights: str,
    size: tuple[int, int, int],
    loop: list[float],
    times: dict[str, list[float]],
) -> dict[str, object]:
    """One row of the table; `times` has the seconds of each state of the kernels."""
    middle = {state: median(seconds) for state, seconds in times.items()}
    limit = LIMITS[what]
    within = "" if limit is None else "yes" if max(middle.values()) <= limit else "no"
    return {
        "metric": what,
        "censoring of": weights,
        **dict(zip(("N", "C", "B"), size, strict=True)),
        "loop, s": median(loop),
        **{f"{state}, s": seconds for state, seconds in middle.items()},
        **{f"loop / {state}": median(loop) / seconds for state, seconds in middle.items()},
        "limit, s": limit,
        "within": within,
    }
