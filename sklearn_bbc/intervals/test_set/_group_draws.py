"""How the samples of a test set are drawn: whole groups, or samples within groups, too."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ..._published import published
from ...metrics import BoundKernel
from ...predictions import OOFPredictions
from ...resampling import IID, Resampling, TwoStage
from ...resampling._draws import Draws
from ...resampling._streams import entropy_of
from ...resampling._units import Units
from .._draw_strata import DrawStrata
from .._quantiles import QuantileRule


class GroupBootstrap(ABC):
    """A way to draw the samples of a test set.

    Attributes
    ----------
    name : str
        What `holdout_interval` calls it.
    draws_whole_units : bool
        Whether a draw takes samples or whole groups, as corrections from single units assume.
    """

    name: ClassVar[str]
    draws_whole_units: ClassVar[bool] = True

    def units(self, oof: OOFPredictions) -> Units:
        """What counts are about."""
        return Units.of(oof)

    @abstractmethod
    def draws(
        self,
        oof: OOFPredictions,
        kernel: BoundKernel,
        *,
        method: str,
        n_bootstraps: int,
        random_state: Any,
        n_jobs: int | None,
    ) -> Any:
        """Draws to map a function of counts over.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions of all models.
        kernel : BoundKernel
            The metric bound to them.
        method : str
            Name for messages.
        n_bootstraps : int
            Number of draws.
        random_state : int, RandomState instance or None
            Seed of the draws.
        n_jobs : int or None
            Number of threads.
        """

    def quantile(self, form: str) -> QuantileRule | None:
        """How quantiles are read off the draws; None leaves that to the form."""
        return None


class _SeededDraws(GroupBootstrap):
    """Draws by a resampling of the package."""

    @abstractmethod
    def resampling(self, oof: OOFPredictions, units: Units) -> Resampling:
        """Rule by which counts are drawn."""

    def draws(
        self,
        oof: OOFPredictions,
        kernel: BoundKernel,
        *,
        method: str,
        n_bootstraps: int,
        random_state: Any,
        n_jobs: int | None,
    ) -> Draws:
        """Draws that hold every class that the metric needs."""
        entropy = entropy_of(random_state)
        units = self.units(oof)
        strata = DrawStrata.of(oof, kernel, units, out_of_bag=False)
        strata.check_varies(method, kernel.metric.name)
        return Draws(
            self.resampling(oof, units),
            n_bootstraps,
            entropy,
            **strata.for_draws(),
            expand=units.expand,
            bytes_per_draw=kernel.bytes_per_draw,
            n_jobs=n_jobs,
            out_of_bag=False,
            prefer=kernel.prefers,
        )


class Cluster(_SeededDraws):
    """Samples, or all samples of each drawn group."""

    name = "cluster"

    def resampling(self, oof: OOFPredictions, units: Units) -> Resampling:
        """Units are drawn independently."""
        return IID(units.n_units)


class GroupsThenSamples(_SeededDraws):
    """Samples within each drawn occurrence of a group."""

    name = "two-stage"
    draws_whole_units = False

    def units(self, oof: OOFPredictions) -> Units:
        """Samples: the counts of the second stage are per sample already."""
        of_sample = np.arange(oof.n_samples)
        return replace(Units.of(oof), of_sample=of_sample, n_units=oof.n_samples)

    def resampling(self, oof: OOFPredictions, units: Units) -> Resampling:
        """Groups, then samples in them."""
        return TwoStage(np.asarray(oof.groups))


class PublishedGroupDraws(GroupBootstrap):
    """Draws as the package of Ferrer and Riera makes them, with its percentiles."""

    name = "ferrer-riera"
    draws_whole_units = False

    def draws(
        self,
        oof: OOFPredictions,
        kernel: BoundKernel,
        *,
        method: str,
        n_bootstraps: int,
        random_state: Any,
        n_jobs: int | None,
    ) -> Any:
        """Draws with the seeds 0 to n_bootstraps - 1, whatever `random_state` is."""
        return published("FerrerRieraDraws")(np.asarray(oof.groups), n_bootstraps)

    def quantile(self, form: str) -> QuantileRule | None:
        """Percentiles as the package reads them; it has no other form."""
        rule: QuantileRule = published("FerrerRieraDraws").percentile_rule
        return rule if form == "percentile" else None


GROUP_BOOTSTRAPS: dict[str, type[GroupBootstrap]] = {
    kind.name: kind for kind in (Cluster, GroupsThenSamples, PublishedGroupDraws)
}
