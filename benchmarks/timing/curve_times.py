"""How long corrected curves and numbers of calibration take on the predictions of one search."""

from __future__ import annotations

import time
from statistics import median

import numpy as np

from benchmarks.timing.cases import Case
from benchmarks.timing.interpreter import case_of
from sklearn_bbc import OOFPredictions
from sklearn_bbc._scorers import survival_response
from sklearn_bbc.curves import (
    AUCOverTime,
    BrierOverTime,
    SurvivalCalibration,
    SurvivalNetBenefit,
    corrected_curve,
)
from sklearn_bbc.intervals import BBC

SIZE = (500, 60, 2000)
"""N, C, B."""
OVER_TIME = {"brier_over_time": BrierOverTime, "auc_over_time": AUCOverTime}
AT_A_TIME = {
    "survival_calibration": SurvivalCalibration, "survival_net_benefit": SurvivalNetBenefit,
}  # fmt: skip
N_TIMES = 20
LIMITS = {
    "roc": 0.5, "precision_recall": 3.0, "calibration": 3.0, "net_benefit": 3.0,
    **dict.fromkeys([*OVER_TIME, *AT_A_TIME], 3.0),
    "calibration_slope": 3.0, "calibration_intercept": 3.0, "neg_expected_calibration_error": 3.0,
}  # fmt: skip
"""Curve, or metric of calibration with a kernel -> limit in seconds."""


def time_curve(what: str, n_samples: int, n_configs: int, n_draws: int) -> float:
    """Processor time in seconds of one of `LIMITS`, of what log loss or concordance selects."""
    method = BBC(n_bootstraps=n_draws, random_state=0)
    if what in OVER_TIME or what in AT_A_TIME:
        return time_survival(what, case_of("concordance index", n_samples, n_configs), method)
    case = case_of("log loss", n_samples, n_configs)
    started = time.process_time()
    if what.endswith(("slope", "intercept", "error")):
        method.estimate(case.oof, what, selected_by=case.scoring)
    else:
        corrected_curve(case.oof, case.scoring, what, method=method)
    return time.process_time() - started


def time_survival(what: str, case: Case, method: BBC) -> float:
    """Processor time in seconds of a curve of survival times, over `N_TIMES` or at one of them."""
    times = np.quantile(case.y["time"], np.linspace(0.2, 0.7, N_TIMES))
    surviving = np.exp(-np.exp(case.pred)[..., None] * times)
    name = survival_response(times)
    oof = OOFPredictions.from_rows(
        y_true=case.y, responses={"predict": case.pred, name: surviving}
    )
    curve = OVER_TIME[what](times) if what in OVER_TIME else AT_A_TIME[what](times[N_TIMES // 2])
    started = time.process_time()
    corrected_curve(oof, case.scoring, curve, method=method)
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
