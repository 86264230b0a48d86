"""How long corrected curves and numbers of calibration take on the predictions of one search."""

from __future__ import annotations

import time
from statistics import median

from benchmarks.timing.interpreter import case_of
from sklearn_bbc.curves import corrected_curve
from sklearn_bbc.intervals import BBC

SIZE = (500, 60, 2000)
"""N, C, B."""
LIMITS = {
    "roc": 0.5, "precision_recall": 3.0, "calibration": 3.0, "net_benefit": 3.0,
    "calibration_slope": 3.0, "calibration_intercept": 3.0, "neg_expected_calibration_error": 3.0,
}  # fmt: skip
"""Curve, or metric of calibration with a kernel -> limit in seconds."""


def time_curve(what: str, n_samples: int, n_configs: int, n_draws: int) -> float:
    """Processor time in seconds of one of `LIMITS`, of what log loss selects."""
    case = case_of("log loss", n_samples, n_configs)
    options = {"n_bootstraps": n_draws, "random_state": 0}
    started = time.process_time()
    if what.endswith(("slope", "intercept", "error")):
        BBC(**options).estimate(case.oof, what, selected_by=case.scoring)
    else:
        corrected_curve(case.oof, case.scoring, what, **options)
    return time.process_time() - started


def row(what: str, size: tuple[int, int, int], times: dict[str, list[float]]) -> dict[str, object]:
    """One row of the table; `times` has the seconds of each state of the kernels."""
    middle = {state: median(seconds) for state, seconds in times.items()}
    return {
        "curve or number": what,
        **dict(zip(("N", "C", "B"), size, strict=True)),
        **{f"{state}, s": seconds for state, seconds in middle.items()},
        "limit, s": LIMITS[what],
        "within": "yes" if max(middle.values()) <= LIMITS[what] else "no",
    }
