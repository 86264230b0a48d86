"""Intervals for a proportion, and what counts as one among the metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import beta, norm
from sklearn.metrics import recall_score

from ...metrics import BoundKernel


def normal(successes: float, n: float, tail: float) -> tuple[float, float]:
    """Normal approximation; no width at 0 and at n."""
    share = successes / n
    half = norm.ppf(1 - tail) * np.sqrt(share * (1 - share) / n)
    return share - half, share + half


def wilson(successes: float, n: float, tail: float) -> tuple[float, float]:
    """Values that the score test does not reject."""
    z = norm.ppf(1 - tail)
    share = successes / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    # At the ends of the range the bound is exact, whatever rounding says.
    return (0.0 if successes == 0 else centre - half), (1.0 if successes == n else centre + half)


def clopper_pearson(successes: float, n: float, tail: float) -> tuple[float, float]:
    """Values that neither tail of the binomial test rejects; covers always."""
    failures = n - successes
    low = beta.ppf(tail, successes, failures + 1) if successes > 0 else 0.0
    high = beta.ppf(1 - tail, successes + 1, failures) if failures > 0 else 1.0
    return float(low), float(high)


def agresti_coull(successes: float, n: float, tail: float) -> tuple[float, float]:
    """Normal approximation after adding z^2 samples, half of them successes."""
    z = norm.ppf(1 - tail)
    low, high = normal(successes + z**2 / 2, n + z**2, tail)
    return max(low, 0.0), min(high, 1.0)


def jeffreys(successes: float, n: float, tail: float) -> tuple[float, float]:
    """Quantiles of the posterior under Jeffreys' prior; 0 and 1 are kept at the ends."""
    failures = n - successes
    low = beta.ppf(tail, successes + 0.5, failures + 0.5) if successes > 0 else 0.0
    high = beta.ppf(1 - tail, successes + 0.5, failures + 0.5) if failures > 0 else 1.0
    return float(low), float(high)


PROPORTION_FORMS: dict[str, Callable[[float, float, float], tuple[float, float]]] = {
    "normal": normal,
    "wilson": wilson,
    "clopper-pearson": clopper_pearson,
    "agresti-coull": agresti_coull,
    "jeffreys": jeffreys,
}
"""Each takes successes, trials and the error rate of one tail."""


def row_values(kernel: BoundKernel, config: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Value of each row that the metric averages, and which rows it averages.

    Parameters
    ----------
    kernel : BoundKernel
        The metric bound to predictions.
    config : int
        A defined configuration.

    Returns
    -------
    values : ndarray of shape (n_rows,)
        In scorer orientation, rows of all repeats one after the other.
    counted : ndarray of shape (n_rows,), bool
        Rows that enter the mean: all, or those of the class whose recall is wanted.

    None when the metric is not such a mean.
    """
    values = kernel.pointwise(config)
    if values is not None:
        return values, np.ones(len(values), dtype=bool)
    kwargs = dict(kernel.metric.kwargs)
    pos_label = kwargs.pop("pos_label", 1)
    average = kwargs.pop("average", "binary")
    if kernel.metric.score_func is not recall_score or average != "binary" or kwargs:
        return None
    right, counted = [], []
    for part in kernel.held_out(np.array([config])):
        y_codes, pred_codes, classes = part.rows.labels()
        positive = position_of(classes, pos_label)
        right.append(pred_codes[0] == y_codes)
        counted.append(y_codes == (-1 if positive is None else positive))
    return np.concatenate(right).astype(float), np.concatenate(counted)


def position_of(classes: np.ndarray, label: Any) -> int | None:
    """Where a label stands among sorted classes; None where it is not one of them."""
    found = np.flatnonzero(classes == label)
    return int(found[0]) if len(found) else None
