"""Placements: the share of the other class that a score is above, whose mean is the AUC."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class AUCParts:
    """Areas under the curve (n_scores,), split into contributions of independent units.

    `positive`, `negative` (n_scores, n_units) are what positive and negative rows of each unit
    contribute to the deviation of the area from its expectation; each row sums to zero. The last
    two (n_units,) are units that hold such a row.
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
        """Compute the covariance matrix of the areas, shape (n_scores, n_scores).

        NaN when a class has fewer than two units: its spread cannot be seen.
        """
        if min(self.n_positive, self.n_negative) < 2:
            return np.full((len(self.auc), len(self.auc)), np.nan)
        n_units = int(np.count_nonzero(self.has_positive | self.has_negative))
        mixed = self.positive @ self.negative.T  # zero unless a unit holds both classes
        # n / (n - 1) makes a sum of squared deviations unbiased.
        return (
            self.n_positive / (self.n_positive - 1) * (self.positive @ self.positive.T)
            + self.n_negative / (self.n_negative - 1) * (self.negative @ self.negative.T)
            + n_units / (n_units - 1) * (mixed + mixed.T)
        )

    @staticmethod
    def mean(parts: list[AUCParts]) -> AUCParts:
        """Average the parts of areas over repeats that share their units."""
        auc, positive, negative = (
            np.mean([getattr(part, name) for part in parts], axis=0)
            for name in ("auc", "positive", "negative")
        )
        return AUCParts(auc, positive, negative, parts[0].has_positive, parts[0].has_negative)


def auc_parts(
    scores: np.ndarray,
    is_positive: np.ndarray,
    *,
    unit: np.ndarray | None = None,
    n_units: int | None = None,
    weight: np.ndarray | None = None,
) -> AUCParts:
    """Split the areas under the ROC curve of several scores of the same rows by unit.

    `scores` (n_scores, n_rows), `is_positive` (n_rows,), `unit` (n_rows,), `weight` (n_rows,).

    The placement of a positive row is the share of negative rows that score lower, ties counting
    one half; that of a negative row the share of positive rows that score higher. With one row per
    unit and no weights, `AUCParts.covariance` is DeLong's estimate, with several rows per unit
    Obuchowski's (references in `DeLong`). Sorting makes it fast: X. Sun, W. Xu, IEEE Signal
    Processing Letters 21, 1389-1393 (2014), :doi:`10.1109/LSP.2014.2337313`. Everything is
    float64: midranks in single precision lose digits for many rows.
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
    """Compute the share (by weight) of `others` below each value; ties count one half."""
    order = np.argsort(others, kind="stable")
    ranked = others[order]
    cumulated = np.concatenate([[0.0], np.cumsum(weight[order])])
    below = cumulated[np.searchsorted(ranked, values, side="left")]
    below_or_equal = cumulated[np.searchsorted(ranked, values, side="right")]
    return 0.5 * (below + below_or_equal) / cumulated[-1]
