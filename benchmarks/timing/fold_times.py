"""How long BBC takes with pairs within folds, against pooled predictions."""

from __future__ import annotations

import time
from statistics import median

import numpy as np

from benchmarks.timing.cases import CASES
from benchmarks.timing.interpreter import case_of
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric, within_folds

METRICS = ("roc_auc", "average precision", "concordance index", "multiclass ovo AUC, 4 classes")
"""Names in `CASES`."""
SIZES = ((500, 100, 1000, 10), (500, 100, 1000, 5), (100, 60, 1000, 5))
"""N, C, B and the number of folds."""
FORMS = {"pooled": as_metric, "within folds": within_folds}
LIMIT = 1.5


def time_form(
    case: str, form: str, n_samples: int, n_configs: int, n_draws: int, n_folds: int
) -> float:
    """Processor time in seconds of one interval, once the predictions are there.

    Parameters
    ----------
    case : str
        Name in `CASES`.
    form : str
        Name in `FORMS`.
    n_samples, n_configs, n_draws, n_folds : int
        Size.
    """
    oof = case_of(case, n_samples, n_configs, n_folds).oof
    metric = FORMS[form](CASES[case][0])
    method = BBC(n_bootstraps=n_draws, random_state=0)
    started = time.process_time()
    method.estimate(oof, metric)
    return time.process_time() - started


def rows(
    case: str, size: tuple[int, int, int, int], times: dict[tuple[str, str], list[float]]
) -> list[dict[str, object]]:
    """Rows of the table: one per state of the kernels, the ratio of runs in turn."""
    table = []
    for state in dict.fromkeys(state for state, _ in times):
        pooled, within = (times[state, form] for form in FORMS)
        ratio = median(within) / median(pooled)
        low, high = np.quantile(within, [0.25, 0.75]) / median(pooled)
        table.append(
            {
                "metric": case,
                **dict(zip(("N", "C", "B", "folds"), size, strict=True)),
                "kernels": state,
                "pooled, s": median(pooled),
                "within folds, s": median(within),
                "times": ratio,
                "quartiles": f"{low:.2f} to {high:.2f}",
                "limit": f"{LIMIT:g} times",
                "within": "yes" if ratio <= LIMIT else "no",
            }
        )
    return table
