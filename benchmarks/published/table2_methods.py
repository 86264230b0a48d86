"""The methods of the published comparison: their correct forms, and switches to repeat its code.

A name without brackets is the method as it should be. Brackets say what was changed to repeat
what the published numbers were computed with:

- *auto direction*: scores are reversed where medians say so, as R's pROC does by default;
- *rink*: numbers of right and wrong classifications in place of class sizes;
- *literal*: tilting as coded, ``PublishedTilting()``; *within classes*: as coded but for the
  weights, which are normalised within classes, ``PublishedTilting(across_classes=False)``;
- rules that other code for BBC, BBC-F and the naive bootstrap has, see `_switched_rules`.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from benchmarks.published.naive import NaiveBootstrap
from benchmarks.published.replication import (
    MABT,
    BootstrapTilting,
    HanleyMcNeil,
    LearnEvaluate,
    PublishedTilting,
    RinkCounts,
)
from benchmarks.published.switched_rules import Switched, switched_rules
from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import (
    BBC,
    BBCF,
    BaseInterval,
    Best,
    DeLong,
    ShrunkenBBC,
    TopShare,
)

LEVEL = 0.95
PUBLISHED = ("BBC", "BBC-F", "DL", "HM", "BT", "DL10p", "HM10p", "BT10p", "MABT", "NB")
"""The ten methods of the published table, in its order."""
TILTS = 2000
"""Resamples of the tilting methods, as published."""


class OneSelection(LearnEvaluate):
    """A learn and evaluation split that several methods of one data set share."""

    def select(self, kernel: Any, random_state: object = None) -> Any:
        """As the base class; asked again about the same predictions, it remembers.

        Parameters
        ----------
        kernel : BoundMetric
            Metric bound to the predictions; one metric for all.
        random_state : int, default=None
            Not needed when the object has a seed, which it must have.
        """
        if getattr(self, "_about", None) is not kernel.oof:
            self._answer = super().select(kernel, random_state)
            self._about = kernel.oof
        return self._answer


def selections(seed: int, auto_direction: bool = False) -> dict[str, OneSelection]:
    """The two selection steps by what they add to the name of a method.

    Parameters
    ----------
    seed : int
        Seed of the split: both have the same one.
    auto_direction : bool, default=False
        As pROC.
    """
    return {
        label: OneSelection(rule, random_state=seed, auto_direction=auto_direction)
        for label, rule in (("", Best()), ("10p", TopShare(0.1)))
    }


def methods(n_bootstraps: int, seed: int) -> dict[str, BaseInterval | Switched]:
    """All methods, as lower bounds; those of one call share their selection steps.

    Parameters
    ----------
    n_bootstraps : int
        Number of draws, except for tilting.
    seed : int
        Seed of draws and splits.
    """
    common = {"confidence_level": LEVEL, "alternative": "greater"}
    draws = {"n_bootstraps": n_bootstraps, "random_state": seed}
    tilts = {"n_bootstraps": TILTS, "random_state": seed}
    found: dict[str, BaseInterval | Switched] = {
        "BBC": BBC(**common, **draws),
        "BBC-F": BBCF(**common, **draws),
        "NB": NaiveBootstrap(**common, **draws),
        "NB-normal": NaiveBootstrap(form="normal", **common, **draws),
        "ShrunkenBBC": ShrunkenBBC(**common, **draws),
    }
    for auto in (False, True):
        steps = selections(seed, auto)
        for label, step in steps.items():
            given = {"selection": step, **common}
            found[_name(f"DL{label}", auto)] = DeLong(**given)
            for rink in (None, RinkCounts()):
                name = _name(f"HM{label}", auto, "rink" if rink else "")
                found[name] = HanleyMcNeil(replicate=rink, **given)
            for literal in (None, PublishedTilting()):
                name = _name(f"BT{label}", auto, "literal" if literal else "")
                found[name] = BootstrapTilting(replicate=literal, **given, **tilts)
        for literal in (None, PublishedTilting()):
            name = _name("MABT", auto, "literal" if literal else "")
            found[name] = MABT(selection=steps["10p"], replicate=literal, **common, **tilts)
        if not auto:
            within = PublishedTilting(across_classes=False)
            found[_name("MABT", auto, "literal, within classes")] = MABT(
                selection=steps["10p"], replicate=within, **common, **tilts
            )
    found |= switched_rules(common, draws)
    extra = [name for name in found if name not in PUBLISHED]
    return {name: found[name] for name in (*PUBLISHED, *sorted(extra, key=_place))}


def _name(method: str, auto: bool, switch: str = "") -> str:
    switches = [text for text in (switch, "auto direction" if auto else "") if text]
    return f"{method} ({', '.join(switches)})" if switches else method


def base_of(name: str) -> str:
    """Name without its switches: the published method that it is a form of."""
    return name.partition(" (")[0]


def _place(name: str) -> tuple[bool, int, str]:
    """Switched forms stand together in the order of their methods, after what was added."""
    base = base_of(name)
    return base in PUBLISHED, PUBLISHED.index(base) if base in PUBLISHED else 0, name


def lower_bound(
    method: BaseInterval | Switched, oof: OOFPredictions, scoring: str
) -> dict[str, Any]:
    """Estimate, bound and reported configuration, or the reason why there are none.

    For BBC and BBC-F also the draw that published code compares with the truth, ``counted``.

    Parameters
    ----------
    method : BaseInterval
        One of `methods`.
    oof : OOFPredictions
        Predictions.
    scoring : str
        Name of the metric.
    """
    outcome = {"estimate": np.nan, "low": np.nan, "counted": np.nan, "config": "", "reason": ""}
    with warnings.catch_warnings():
        # What they say shows as a missing bound.
        warnings.simplefilter("ignore", IntervalWarning)
        try:
            result = method.estimate(oof, scoring)
        except UndefinedIntervalError as error:
            return {**outcome, "reason": str(error).splitlines()[0]}
    details = result.details
    outcome |= {"estimate": result.estimate, "low": result.low}
    if result.method in ("bbc", "bbcf"):
        # Published code counts the truths below which not even 5% of the draws lie as misses.
        draws = np.sort(np.asarray(result.draws))
        outcome["counted"] = draws[int(np.ceil((1 - LEVEL) * len(draws) * (1 - 1e-12))) - 1]
    outcome["config"] = int(details.get("config", details["winner"]))
    if np.isnan(result.low):
        outcome["reason"] = details.get("reason", "the formula gives no bound")
    return outcome


METHODS = tuple(methods(20, 0))
ANY_CLASSES = ("BBC", "BBC-F", "NB", "NB-normal", "ShrunkenBBC")
"""Methods that can do with more than two classes."""
