"""Repeat a rule in every draw, and tell what it selected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..._warn import warn_user
from ..._wording import config_words, missed_demand, threshold_sentences
from ...exceptions import IntervalWarning, UndefinedIntervalError
from ...metrics import BoundKernel
from ...predictions import OOFPredictions
from ...resampling._draws import Draws, joined
from ...selection import BestScore, BoundSelection, Outcome, Selection
from .._selection import selection_details


def repeats_best_score(selection: Selection | None) -> bool:
    """Whether the rule is the default."""
    return selection is None or isinstance(selection, BestScore)


def scores_of_draws(rule: BoundSelection, draws: Draws) -> tuple[np.ndarray, Outcome]:
    """Choose in-bag and score out-of-bag in every draw.

    Parameters
    ----------
    rule : BoundSelection
        What is repeated.
    draws : Draws
        The draws.

    Returns
    -------
    scores : ndarray of shape (n_draws,)
        Greater is better; NaN where undefined.
    outcome : Outcome
        What was chosen, one entry per draw.
    """
    if rule.seconds_per_draw:
        rule.warn_if_slow(draws.n_draws)
    so_far: list[Any] | None = None
    for one in rule.passes():
        so_far = draws.batches(one, so_far)
    if so_far is not None:
        scores, configs, _ = joined(so_far)
        return scores, Outcome({"config": configs})
    names = list(rule.on_all().columns)

    def out_of_bag(counts: np.ndarray) -> tuple[np.ndarray, ...]:
        outcome = rule.choose(counts)
        return rule.score(outcome, counts == 0), *(outcome[name] for name in names)

    scores, *columns = draws.map(out_of_bag)
    return scores, Outcome(dict(zip(names, columns)))


def rule_details(
    oof: OOFPredictions, kernel: BoundKernel, rule: BoundSelection, outcome: Outcome
) -> dict[str, Any]:
    """By-products of a method that repeats a rule on predictions."""
    details = selection_details(oof, kernel, outcome["config"], rule.selecting)
    if rule.by:
        details.update(of_rule(oof, rule, outcome))
    check_scored(oof, kernel, details["winner"])
    if not rule.by:
        return details
    described = rule.describe(outcome)
    details["notes"] += [*other_choice(oof, rule), *threshold_notes(described)]
    return {**details, **described}


def check_scored(oof: OOFPredictions, kernel: BoundKernel, winner: int) -> None:
    """Raise where the selected configuration has no score: that of another is no answer."""
    if winner < 0 or kernel.valid[winner]:
        return
    why = "it failed in some fold, or was dropped"
    if not oof.failed[winner]:
        why = "it lacks a prediction (NaN)"
    raise UndefinedIntervalError(
        f"The selected configuration, {config_words(winner, oof.params)}, cannot be scored by "
        f"{kernel.metric.name}: {why}. The score of another one would not be its score. Leave "
        "such configurations out before one is selected, or make them predict."
    )


def threshold_notes(described: Mapping[str, Any]) -> list[str]:
    """Give the notes on a threshold; warn where none keeps what it must on all samples.

    Parameters
    ----------
    described : mapping
        What a rule describes.
    """
    missed = missed_demand(described)
    if missed is not None:
        warn_user(missed, IntervalWarning)
    return threshold_sentences(described)


def other_choice(oof: OOFPredictions, rule: BoundSelection) -> list[str]:
    """Note where the predictions name another winner than the rule."""
    chosen = rule.on_all()
    config = int(chosen["config"][0])
    if oof.selected is None or oof.selected == config or "weights" in chosen.columns:
        return []
    return [
        f"The winner of the predictions ({oof.selected_by}) is "
        f"{config_words(oof.selected, oof.params)}, the rule selects "
        f"{config_words(config, oof.params)}: this result is about the latter."
    ]


def of_rule(oof: OOFPredictions, rule: BoundSelection, outcome: Outcome) -> dict[str, Any]:
    """Winner of a rule on the original data, and how often it is chosen."""
    one = rule.on_all()
    return {
        "winner": int(one["config"][0]),
        "winner_by": rule.by,
        "winner_share": float(np.mean(rule.same(outcome, one))),
    }
