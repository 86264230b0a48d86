"""What one metric says of the configurations that are left."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...metrics import BoundKernel, Metric
from ...predictions import OOFPredictions
from ..recording._check import not_the_same
from ._bootstrap import clearly_behind
from ._contributions import Contributions
from ._leads import Leads
from ._splits import of_configs, together

__all__ = ["LeadTest", "Standings"]


@dataclass(frozen=True, kw_only=True, eq=False)
class LeadTest:
    """How leads are tested in one run.

    Parameters
    ----------
    confidence_level : float
        Level of the one-sided test.
    min_predictions, min_per_class : int
        Different samples, and samples of each class, that a test needs.
    n_bootstraps : int
        Number of draws for metrics without a formula.
    units : ndarray of shape (n_samples,) of int
        Independent unit of each sample.
    grouped : bool
        Whether units are groups.
    seed : int
        Seed of the draws.
    n_jobs : int or None
        Workers for the draws.
    """

    confidence_level: float
    min_predictions: int
    min_per_class: int
    n_bootstraps: int
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
        oof = self.metric.weighted(oof)
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

    @property
    def by_formula(self) -> bool:
        """Whether the test needs no draws."""
        return bool(self._parts)

    def clearly_worse(self, test: LeadTest, among: np.ndarray) -> np.ndarray:
        """Configurations that are worse than the leader beyond chance.

        Parameters
        ----------
        test : LeadTest
            How to test.
        among : ndarray of shape (n_configs,), bool
            Configurations to look at; any may be the leader.

        Returns
        -------
        ndarray of shape (n_configs,), bool
            Never the leader, nor a configuration that cannot be compared.
        """
        worse = np.zeros(len(self.comparable), dtype=bool)
        compared = np.flatnonzero(self.comparable)
        if not len(compared):
            return worse
        mean = np.mean(self.scores, axis=0)
        leader = int(compared[mean[compared].argmax()])
        # Of those with the very score of the leader none is worse.
        others = np.flatnonzero(among & self.comparable & (mean < mean[leader]))
        chosen = np.append(others, leader)
        level, last = test.confidence_level, len(others)
        if self.by_formula:
            parts = [each.of_configs(chosen) for each in self._parts]
            clear = Leads.of(parts, last, test.units, grouped=test.grouped).are_clear(level)
        else:
            clear = clearly_behind(
                together([of_configs(each, chosen) for each in self._splits]),
                self.metric,
                last,
                level=level,
                n_bootstraps=test.n_bootstraps,
                seed=test.seed,
                key=len(self.scores),
                n_jobs=test.n_jobs,
            )
        worse[others] = clear[:-1]
        return worse
