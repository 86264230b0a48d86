"""BBC, BBC-F and the naive bootstrap with the rules of other code for them.

What published programs do differently in passing: how a quantile is read off the draws, what
happens to draws that leave a class out, by what the reported winner is selected, and in which
precision scores are kept. None of it is what a method is about, so the question is whether any
of it matters.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.published.naive import NaiveBootstrap
from benchmarks.published.replication import DroppingBBC, LinearQuantile, single_precision
from sklearn_bbc import ConfidenceInterval, OOFPredictions
from sklearn_bbc.intervals import (
    BBC,
    BBCF,
    BaseInterval,
    NormalScoreQuantile,
)
from sklearn_bbc.metrics import as_metric


@dataclass(frozen=True)
class InSinglePrecision:
    """A method on scores that are rounded to 32 bits.

    Attributes
    ----------
    method : BaseInterval
        The method.
    """

    method: BaseInterval

    def estimate(self, oof: OOFPredictions, scoring: str) -> ConfidenceInterval:
        """As the method."""
        return self.method.estimate(oof, single_precision(scoring))


@dataclass(frozen=True)
class OfPooledWinner:
    """A method for the configuration with the best score on all samples.

    Attributes
    ----------
    method : BaseInterval
        The method.
    """

    method: BaseInterval

    def estimate(self, oof: OOFPredictions, scoring: str) -> ConfidenceInterval:
        """As the method."""
        kernel = as_metric(scoring).bind(oof)
        winner = int(kernel.first_best(kernel.on_data()[None])[0])
        return self.method.estimate(oof.with_selected(winner, by="pooled score"), scoring)


Switched = BaseInterval | InSinglePrecision | OfPooledWinner


def switched_rules(common: dict, draws: dict) -> dict[str, Switched]:
    """Each rule by itself, by the name that it has in the tables.

    Parameters
    ----------
    common : dict
        Level and side.
    draws : dict
        Number of draws and seed.
    """
    given = {**common, **draws}
    found: dict[str, Switched] = {}
    for name, method in (("BBC", BBC), ("BBC-F", BBCF), ("NB", NaiveBootstrap)):
        found[f"{name} (linear)"] = method(quantile=LinearQuantile(), **given)
        found[f"{name} (normal scores)"] = method(quantile=NormalScoreQuantile(), **given)
        found[f"{name} (single precision)"] = InSinglePrecision(method(**given))
        found[f"{name} (pooled winner)"] = OfPooledWinner(method(**given))
    found["BBC (drop)"] = DroppingBBC(**given)
    return found
