"""Interval of what several models score on common draws of their samples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...metrics import BoundKernel
from ...predictions import OOFPredictions
from ...resampling._units import Units
from ...results import ConfidenceInterval
from .._bounds import IntervalRules
from .._caveats import unit_word
from .._draw_strata import DrawStrata
from .._quantiles import QuantileRule
from ..single._base import check_not_infinite
from ..single._bootstrap_forms import Replicates, bias_and_error, bounds_of, tell_outside
from ..single._replicate import needed_strata, replicate
from ._p_values import p_value
from ._roles import Roles

FEW_GROUPS = 20
FEW_SEEDS = 5


@dataclass(frozen=True, kw_only=True, eq=False)
class JointBootstrap:
    """Bootstrap of the score of one model, of a difference, or of the mean over seeds.

    All columns are scored on the same draws, so what they share cancels in a difference.

    Parameters
    ----------
    rules : IntervalRules
        Level and sidedness, and the name for messages.
    form : str
        One of `FORMS`.
    roles : Roles
        What the columns are.
    quantile : QuantileRule or None, default=None
        How quantiles are read off the draws; None interpolates on the normal scale.
    """

    rules: IntervalRules
    form: str
    roles: Roles
    quantile: QuantileRule | None = None

    def interval(
        self, oof: OOFPredictions, kernel: BoundKernel, units: Units, draws: Any
    ) -> ConfidenceInterval:
        """Interval from draws that are unused so far, see `judge`."""
        return self.judge(oof, kernel, units, draws)[0]

    def judge(
        self, oof: OOFPredictions, kernel: BoundKernel, units: Units, draws: Any
    ) -> tuple[ConfidenceInterval, Replicates]:
        """Interval, and the replicates behind it, from draws that are unused so far.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions, one configuration for each column.
        kernel : BoundKernel
            The metric bound to them.
        units : Units
            What the counts of the draws are about.
        draws : Draws
            The draws.
        """
        rules, roles, metric = self.rules, self.roles, kernel.metric
        on_data = kernel.on_data()
        of_data = roles.of_interest(on_data[None], kernel)[0]
        estimate = float(np.mean(of_data))
        check_not_infinite(estimate, metric.name)
        replicates, scores = self._replicates(estimate, oof, kernel, units, draws)
        details: dict[str, Any] = {"form": self.form, "notes": []}
        n_undefined = rules._count_undefined(scores, metric)
        low, high = bounds_of(self.form, replicates, rules._tail(), details, rules._label)
        bounds = roles.bounds(metric)
        low, high = rules._sided(low, high, bounds)
        tell_outside(estimate, low, high, details["notes"])
        strata = DrawStrata.of(oof, kernel, units, out_of_bag=False)
        strata.tell(draws.n_lacking, draws.n_draws, details)
        details.update(
            standard_error=bias_and_error(replicates)["standard_error"],
            unit=unit_word(oof.groups),
            n_redrawn=draws.n_redrawn,
            n_undefined=n_undefined,
            seed=draws.entropy,
        )
        if roles.paired:
            details["p_value"] = p_value(self.form, replicates, "two-sided")
            details["scores"] = on_data.tolist()
        if roles.n_first > 1:
            details["spread_of_seeds"] = float(np.std(of_data, ddof=1))
        _tell_few(oof, roles, details["notes"])
        result = rules._result(
            metric,
            estimate,
            low,
            high,
            bounds=bounds,
            method=f"{self.form}_bootstrap",
            estimand=roles.estimand,
            n_bootstraps=draws.n_draws,
            draws=replicates.draws,
            details=details,
        )
        return result, replicates

    def _replicates(
        self,
        estimate: float,
        oof: OOFPredictions,
        kernel: BoundKernel,
        units: Units,
        draws: Any,
    ) -> tuple[Replicates, np.ndarray]:
        """Replicates with a defined score, and the scores of all draws."""

        def score(counts: np.ndarray) -> np.ndarray:
            return self.roles.of_interest(kernel.scores(counts), kernel)

        if self.roles.n_first == 1:
            needed = needed_strata(oof, kernel)[0]
            replicates, scores = replicate(score, estimate, units, draws, self.form, needed)
        else:
            scores = draws.map(score).ravel()  # the seeds of a draw share its samples
            replicates = Replicates(estimate, scores[~np.isnan(scores)])
        return replace(replicates, rule=self.quantile), scores


def _tell_few(oof: OOFPredictions, roles: Roles, notes: list[str]) -> None:
    """Note where there are too few groups or seeds for the spread between them."""
    n_groups = len(np.unique(oof.groups)) if oof.groups is not None else FEW_GROUPS
    if n_groups < FEW_GROUPS:
        notes.append(
            f"Only {n_groups} groups: with fewer than about {FEW_GROUPS} the interval is too "
            "narrow."
        )
    if 1 < roles.n_first < FEW_SEEDS:
        notes.append(
            f"Fewer than {FEW_SEEDS} seeds: the spread between training runs is not covered."
        )
