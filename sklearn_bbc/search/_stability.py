"""How much predictions depend on which configuration is selected."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..curves._base import positive_details, target_of
from ..intervals._bbc import BBC
from ..metrics._metric import Metric
from ..results._curves import StabilityResult
from ._estimate import SearchState

EDGE = 0.025
"""Share of the draws beyond each of the limits of a prediction."""
ROUNDING = 1e-9


def stability_of(
    state: SearchState, metric: Metric, method: BBC, pos_label: Any = None
) -> StabilityResult:
    """Compare each sample's prediction by the winner with those by the winners of the draws."""
    oof = state.predictions_for(metric, "prediction_stability")
    needs, label = ("values", "value") if oof.classes_ is None else ("risks", "risk")
    _, predictions, positive = target_of(oof, needs, "prediction_stability", pos_label)
    result = state.estimate(method, metric)
    details = result.details
    configs, shares = np.array(list(details["won"])), np.array(list(details["won"].values()))
    shares = shares / shares.sum()
    tested = np.flatnonzero(oof.tested)
    times = np.bincount(oof.sample, minlength=oof.n_samples)[tested]

    def of_samples(config: int) -> np.ndarray:
        """Means over the times that a sample was held out, (n_tested,)."""
        total = np.bincount(oof.sample, predictions[config], minlength=oof.n_samples)
        return total[tested] / times

    own = of_samples(details["winner"])
    others = np.stack([of_samples(config) for config in configs])  # (n_won, n_tested)
    difference = shares @ np.abs(others - own)
    order = np.argsort(others, axis=0)
    below = np.cumsum(shares[order], axis=0)
    ranked = np.take_along_axis(others, order, axis=0)
    low, high = (
        np.take_along_axis(ranked, (below < share - ROUNDING).sum(axis=0)[None], axis=0)[0]
        for share in (EDGE, 1 - EDGE)
    )
    weights = None if oof.sample_weight is None else oof.sample_weight[tested]
    kept = ("winner", "winner_share", "won", "seed", "notes")
    return StabilityResult(
        sample=tested,
        predicted=own,
        difference=difference,
        low=low,
        high=high,
        mean_difference=float(np.average(difference, weights=weights)),
        label=label,
        metric=metric.name,
        n_bootstraps=method.n_bootstraps,
        details={name: details[name] for name in kept if name in details}
        | positive_details(oof, positive),
    )
