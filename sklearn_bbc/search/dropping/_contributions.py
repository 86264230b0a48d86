"""What each row adds to the score of a split, for metrics where a formula says it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...intervals.single._placements import auc_parts
from ...metrics import BoundKernel
from ...predictions import OOFPredictions

AUC = "roc_auc"
"""Kernel family of the area under the ROC curve of two classes."""


@dataclass(frozen=True, eq=False)
class Contributions:
    """Values of the rows of one split, whose weighted sum is the score.

    Attributes
    ----------
    values : ndarray of shape (n_configs, n_rows)
        Greater is better. Within each stratum ``values @ mass`` is the score.
    score : ndarray of shape (n_configs,)
        Score of the split; NaN for configurations without a complete prediction.
    mass : ndarray of shape (n_rows,)
        Sums to 1 in each stratum.
    stratum : ndarray of shape (n_rows,) of int
        Class of each row for the area under the ROC curve, else 0.
    sample : ndarray of shape (n_rows,) of int
        Sample of each row.
    """

    values: np.ndarray
    score: np.ndarray
    mass: np.ndarray
    stratum: np.ndarray
    sample: np.ndarray

    @staticmethod
    def are_known(kernel: BoundKernel) -> bool:
        """Whether there is a formula for this metric."""
        return kernel.is_pointwise or kernel.family == AUC

    @classmethod
    def of(cls, oof: OOFPredictions, kernel: BoundKernel) -> Contributions:
        """Take the scores of one split apart.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions of one split.
        kernel : BoundKernel
            A metric bound to them for which `are_known`.

        Notes
        -----
        A mean over samples has the value of each sample. The area under the ROC curve has
        the placement of each sample among those of the other class.
        """
        valid = np.flatnonzero(kernel.valid)
        values = np.full((kernel.n_configs, oof.n_rows), np.nan)
        score = np.full(kernel.n_configs, np.nan)
        if kernel.is_pointwise:
            weight = np.ones(oof.n_rows)
            if oof.sample_weight is not None:
                weight = oof.sample_weight[oof.sample].astype(float)
            with np.errstate(invalid="ignore"):  # no weight at all: no score
                mass = weight / weight.sum()
            values[valid] = kernel.pointwise(valid)
            score[valid] = values[valid] @ mass
            return cls(values, score, mass, np.zeros(oof.n_rows, dtype=int), oof.sample)
        rows = kernel.held_out(valid)[0]
        positive = rows.rows.y_codes() == 1
        weight = np.ones(oof.n_rows) if rows.weight is None else rows.weight.astype(float)
        mass = np.empty(oof.n_rows)
        for side in (positive, ~positive):
            total = weight[side].sum()
            mass[side] = weight[side] / total if total > 0 else 0.0
        parts = auc_parts(rows.rows.pred, positive, weight=weight)
        deviation = np.zeros((len(valid), oof.n_rows))
        np.divide(parts.positive + parts.negative, mass, out=deviation, where=mass > 0)
        sign = kernel.metric.sign
        values[valid] = sign * (deviation + parts.auc[:, None])
        score[valid] = sign * parts.auc
        return cls(values, score, mass, positive.astype(int), rows.sample)

    def of_configs(self, chosen: np.ndarray) -> Contributions:
        """The same for some configurations.

        Parameters
        ----------
        chosen : ndarray of shape (n_chosen,) of int
            Configurations to keep.
        """
        return Contributions(
            self.values[chosen], self.score[chosen], self.mass, self.stratum, self.sample
        )
