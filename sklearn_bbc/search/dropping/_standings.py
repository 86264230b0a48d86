"""What one metric says of the configurations that are left."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...metrics import BoundKernel, Metric
from ...predictions import OOFPredictions
from ..recording._check import not_the_same
from ._bootstrap import shares_not_ahead
from ._contributions import Contributions
from ._leads import Leads
from ._splits import of_configs, together

if TYPE_CHECKING:
    from ._rule import DropClearlyWorse

__all__ = ["Standings", "Test"]


@dataclass(frozen=True)
class Test:
    """How leads are tested in one run.

    Parameters
    ----------
    rule : DropClearlyWorse
        Levels and numbers of draws.
    units : ndarray of shape (n_samples,) of int
        Independent unit of each sample.
    grouped : bool
        Whether units are groups.
    seed : int
        Seed of the draws.
    n_jobs : int or None
        Workers for the draws.
    """

    rule: DropClearlyWorse
    units: np.ndarray
    grouped: bool
    seed: int
    n_jobs: int | None = None


@dataclass
class Standings:
    """Scores of the splits that are done, by one metric, and what they are made of.

    Parameters
    ----------
    metric : Metric
        The metric.
    unweighted : bool, default=False
        Whether its scorer was given no sample weights.

    Attributes
    ----------
    scores : list of ndarray of shape (n_configs,)
        Of each split, of the configurations that are left.
    comparable : ndarray of shape (n_configs,), bool
        Configurations with a score in every split that their predictions give again.
    """

    metric: Metric
    unweighted: bool = False
    scores: list[np.ndarray] = field(default_factory=list)
    comparable: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))
    _parts: list[Contributions] = field(default_factory=list)
    _splits: list[OOFPredictions] = field(default_factory=list)

    def add(self, oof: OOFPredictions, scores: np.ndarray) -> None:
        """Take in one more split.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions of the configurations that are left, for the samples of this split.
        scores : ndarray of shape (n_configs,)
            What the search scored there; NaN where it could not.

        Raises
        ------
        ValueError
            If the metric cannot be computed from predictions.
        """
        if self.unweighted:
            oof = oof._with_fields(sample_weight=None)
        if not self.scores:
            self.comparable = np.ones(len(scores), dtype=bool)
        self.scores.append(scores)
        self.comparable &= np.isfinite(scores)
        if not self.comparable.any():
            return
        kernel = self.metric.bind(oof)
        again = self._keep(oof, kernel)
        self.comparable &= np.isfinite(again)
        self.comparable &= ~not_the_same(scores[None], again[None], oof)[0]

    def _keep(self, oof: OOFPredictions, kernel: BoundKernel) -> np.ndarray:
        """Keep what the test needs of a split; its scores from the predictions."""
        if Contributions.are_known(kernel) and not self._splits:
            self._parts.append(Contributions.of(oof, kernel))
            return self._parts[-1].score
        if self._parts:
            raise ValueError(f"{self.metric.name} is another kind of metric in other splits.")
        self._splits.append(oof)
        again = np.full(kernel.n_configs, np.nan)
        again[kernel.valid] = kernel.on_data()[kernel.valid]
        return again

    def leave_only(self, kept: np.ndarray) -> None:
        """Forget all configurations but some.

        Parameters
        ----------
        kept : ndarray of shape (n_kept,) of int
            Configurations to keep.
        """
        self.scores = [each[kept] for each in self.scores]
        self.comparable = self.comparable[kept]
        self._parts = [each.of_configs(kept) for each in self._parts]
        self._splits = [of_configs(each, kept) for each in self._splits]

    def clearly_worse(self, test: Test) -> np.ndarray:
        """Configurations that are worse than the leader beyond chance.

        Parameters
        ----------
        test : Test
            How to test.

        Returns
        -------
        ndarray of shape (n_configs,), bool
            Never the leader, nor a configuration that cannot be compared.
        """
        nobody = np.zeros(len(self.comparable), dtype=bool)
        compared = np.flatnonzero(self.comparable)
        if len(compared) < 2:
            return nobody
        mean = np.mean(self.scores, axis=0)
        leader = int(compared[mean[compared].argmax()])
        if self._parts:
            leads = Leads.of(self._parts, leader, test.units, grouped=test.grouped)
            worse = leads.are_clear(test.rule.confidence_level)
        else:
            p_values = np.full(len(mean), np.nan)
            p_values[compared] = shares_not_ahead(
                together([of_configs(each, compared) for each in self._splits]),
                self.metric,
                int(np.searchsorted(compared, leader)),
                n_bootstraps=test.rule.n_bootstraps,
                seed=test.seed,
                key=len(self.scores),
                n_jobs=test.n_jobs,
            )
            worse = p_values <= (1 - test.rule.confidence_level) * (1 + 1e-9)
        # Of those with the very score of the leader none is worse.
        return worse & self.comparable & (mean < mean[leader])
