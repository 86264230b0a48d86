"""Variance of one or several areas under the ROC curve by DeLong's method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class AUCParts:
    """Areas under the curve, taken apart into the contributions of independent units.

    Attributes
    ----------
    auc : ndarray of shape (n_scores,)
        Areas under the curve, ties counting one half.
    positive, negative : ndarray of shape (n_scores, n_units)
        What the positive and the negative rows of each unit contribute to the deviation
        of the area from its expectation; each row of both sums to zero.
    has_positive, has_negative : ndarray of shape (n_units,), bool
        Units that hold a positive or a negative row.
    """

    auc: np.ndarray
    positive: np.ndarray
    negative: np.ndarray
    has_positive: np.ndarray
    has_negative: np.ndarray

    @property
    def n_positive(self) -> int:
        """Number of units with a positive row."""
        return int(np.count_nonzero(self.has_positive))

    @property
    def n_negative(self) -> int:
        """Number of units with a negative row."""
        return int(np.count_nonzero(self.has_negative))

    def covariance(self) -> np.ndarray:
        """Covariance matrix of the areas, shape (n_scores, n_scores).

        NaN when a class has fewer than two units: its spread cannot be seen.
        """
        if min(self.n_positive, self.n_negative) < 2:
            return np.full((len(self.auc), len(self.auc)), np.nan)
        n_units = int(np.count_nonzero(self.has_positive | self.has_negative))
        mixed = self.positive @ self.negative.T  # zero unless a unit holds both classes
        return (
            _small_sample(self.n_positive) * (self.positive @ self.positive.T)
            + _small_sample(self.n_negative) * (self.negative @ self.negative.T)
            + _small_sample(n_units) * (mixed + mixed.T)
        )

    @staticmethod
    def mean(parts: list[AUCParts]) -> AUCParts:
        """Parts of the mean area over repeats that share their units."""
        first = parts[0]
        if len(parts) == 1:
            return first
        return AUCParts(
            np.mean([part.auc for part in parts], axis=0),
            np.mean([part.positive for part in parts], axis=0),
            np.mean([part.negative for part in parts], axis=0),
            first.has_positive,
            first.has_negative,
        )


def auc_parts(
    scores: np.ndarray,
    is_positive: np.ndarray,
    *,
    unit: np.ndarray | None = None,
    n_units: int | None = None,
    weight: np.ndarray | None = None,
) -> AUCParts:
    """Take the areas under the ROC curve of several scores of the same rows apart.

    Parameters
    ----------
    scores : ndarray of shape (n_scores, n_rows)
        Scores; larger speaks for the positive class.
    is_positive : ndarray of shape (n_rows,), bool
        True labels.
    unit : ndarray of shape (n_rows,) of int, default=None
        Independent unit (sample, group) of each row; None makes each row its own.
    n_units : int, default=None
        Number of units; None takes one more than the largest code.
    weight : ndarray of shape (n_rows,), default=None
        Weight of each row; None weighs all alike.

    Returns
    -------
    AUCParts
        Everything that the variance needs.

    Notes
    -----
    The placement of a positive row is the share of negative rows that score lower, ties
    counting one half; that of a negative row the share of positive rows that score
    higher. With one row per unit and no weights, `AUCParts.covariance` is DeLong's
    estimate [1]_ (fast by sorting [2]_), with several rows per unit Obuchowski's [3]_.
    Everything is float64: midranks in single precision lose digits for many rows.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, "Comparing the areas under
       two or more correlated receiver operating characteristic curves: a nonparametric
       approach", Biometrics 44, 837-845 (1988). :doi:`10.2307/2531595`
    .. [2] X. Sun, W. Xu, "Fast implementation of DeLong's algorithm for comparing the
       areas under correlated receiver operating characteristic curves", IEEE Signal
       Processing Letters 21, 1389-1393 (2014). :doi:`10.1109/LSP.2014.2337313`
    .. [3] N. A. Obuchowski, "Nonparametric analysis of clustered ROC curve data",
       Biometrics 53, 567-578 (1997). :doi:`10.2307/2533958`
    """
    scores = np.atleast_2d(np.asarray(scores, dtype=float))
    weight = np.ones(scores.shape[1]) if weight is None else np.asarray(weight, dtype=float)
    unit = np.arange(scores.shape[1]) if unit is None else unit
    n_units = int(unit.max()) + 1 if n_units is None else n_units
    counted = weight > 0
    rows = {
        True: np.flatnonzero(counted & is_positive),
        False: np.flatnonzero(counted & ~is_positive),
    }
    holds = {
        side: np.bincount(unit[chosen], minlength=n_units) > 0 for side, chosen in rows.items()
    }
    weights = {side: weight[chosen] for side, chosen in rows.items()}
    auc = np.full(len(scores), np.nan)
    contribution = {side: np.zeros((len(scores), n_units)) for side in rows}
    if min(len(rows[True]), len(rows[False])) == 0:
        return AUCParts(auc, contribution[True], contribution[False], holds[True], holds[False])
    for k, score in enumerate(scores):
        values = {side: score[chosen] for side, chosen in rows.items()}
        placed = {
            True: _share_below(values[True], values[False], weights[False]),
            False: 1 - _share_below(values[False], values[True], weights[True]),
        }
        # Sums first, one division after: a perfect ranking is exactly 1, its variance exactly 0.
        auc[k] = weights[True] @ placed[True] / weights[True].sum()
        for side, chosen in rows.items():
            total = weights[side].sum()
            deviation = weights[side] * (placed[side] - weights[side] @ placed[side] / total)
            contribution[side][k] = np.bincount(unit[chosen], deviation / total, minlength=n_units)
    return AUCParts(auc, contribution[True], contribution[False], holds[True], holds[False])


def _share_below(values: np.ndarray, others: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Share (by weight) of `others` below each value, equal ones counting one half."""
    order = np.argsort(others, kind="stable")
    ranked = others[order]
    cumulated = np.concatenate([[0.0], np.cumsum(weight[order])])
    below = cumulated[np.searchsorted(ranked, values, side="left")]
    below_or_equal = cumulated[np.searchsorted(ranked, values, side="right")]
    return 0.5 * (below + below_or_equal) / cumulated[-1]


def _small_sample(n: int) -> float:
    """Factor that makes a sum of n > 1 squared deviations unbiased."""
    return n / (n - 1)
