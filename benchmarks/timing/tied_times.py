"""How long tied sets take, and how much memory."""

from __future__ import annotations

import time

import numpy as np
from scipy.special import expit

from benchmarks.timing.footprint import forget_peak, resident
from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import tied_with_best
from sklearn_bbc.intervals import BBC

SIZE = (500, 766, 1000)
"""N, C, B: the largest search of the published comparison, as in `speed.KERNELS`."""
METRICS = ("roc_auc", "accuracy", "neg_log_loss", "f1")
METHODS = ("softmin", "cvc", "model_confidence_set", "bonferroni")
LABELS = ("accuracy", "f1")
LIMIT = {"s": 10.0, "MB": 1024.0}
"""Of the default, for any of the metrics."""


def predictions(metric: str, n_samples: int, n_configs: int) -> OOFPredictions:
    """Out-of-fold predictions that err together, as those of one grid do.

    Parameters
    ----------
    metric : str
        One of `METRICS`.
    n_samples, n_configs : int
        Size.
    """
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n_samples)
    signal = np.outer(2.0 * y - 1, rng.uniform(0.3, 0.8, n_configs))
    noise = rng.standard_normal((n_samples, 1)) + 0.5 * rng.standard_normal(signal.shape)
    pred = expit(signal + noise)
    if metric in LABELS:
        pred = (pred > 0.5).astype(int)
    return OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(n_samples) % 10)


def time_tied(
    metric: str, method: str, n_samples: int, n_configs: int, n_draws: int
) -> dict[str, float]:
    """Processor time and growth of the process, once the predictions are there.

    Parameters
    ----------
    metric, method : str
        What is measured.
    n_samples, n_configs, n_draws : int
        Size.
    """
    oof = predictions(metric, n_samples, n_configs)
    before = resident("VmRSS")
    forget_peak()
    started = time.process_time()
    tied = tied_with_best(
        oof, metric, method=method, draws=BBC(n_bootstraps=n_draws, random_state=0)
    )
    seconds = time.process_time() - started
    return {"members": len(tied), "s": seconds, "MB": resident("VmHWM") - before}
