"""A contest: configurations, a metric that scores them, and a rule that chooses one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from .._text import config_words, count, missed_demand, threshold_sentences
from .._warnings import warn_user
from ..exceptions import IntervalWarning
from ..metrics._metric import BoundMetric
from ..predictions._predictions import OOFPredictions
from ..resampling import Draws, Units, joined
from ..selection._base import (
    BoundSelection,
    Outcome,
    Selection,
    as_selection,
    columns_with_left_out,
)
from ._blocks import block_details, with_block_length
from ._notes import pooling_note, selection_details, shares_won
from ._strata import FEW_UNITS, few_note
from ._winner import check_scored, selected_configuration


class Drawing(Protocol):
    """What prepares draws for a contest: a method with its number of draws and its seed."""

    n_bootstraps: int

    def draws_for(self, contest: Contest, *also: BoundMetric) -> Draws:
        """Prepare the draws of one run."""

    @property
    def _label(self) -> str: ...


class Contest:
    """Configurations, a metric that scores them, and a rule that chooses one, bound once.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions, or fold scores alone.
    scored : BoundMetric or FoldTable
        The metric that is reported, bound to them; or the scores per fold, where folds are drawn.
    selection : Selection, default=None
        Rule that chooses; None is the best score by `scored`.
    settle : bool, default=True
        Whether to choose the length of blocks of samples here, where it is "auto".

    Attributes
    ----------
    oof : OOFPredictions
        The predictions.
    scored : BoundMetric or FoldTable
        The metric that is reported.
    selected : tuple of int and str
        Configuration that tuning selects where the rule is the best score, and by what.

    Examples
    --------
    >>> from sklearn_bbc import BBC
    >>> from sklearn_bbc.contest import Contest
    >>> from sklearn_bbc.metrics import as_metric
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions(n_configs=5)
    >>> contest = Contest(oof, as_metric("roc_auc").bind(oof))
    >>> repeated = contest.repeated(BBC(random_state=0))
    >>> repeated.values.shape, repeated.chosen["config"].shape
    ((2000,), (2000,))
    """

    def __init__(
        self,
        oof: OOFPredictions,
        scored: Any,
        selection: Selection | None = None,
        *,
        settle: bool = True,
    ) -> None:
        of_samples = settle and isinstance(scored, BoundMetric)
        self.oof = with_block_length(oof, scored) if of_samples else oof
        self.scored = scored
        self._selection = selection

    @cached_property
    def rule(self) -> BoundSelection:
        """Rule that chooses, bound to the predictions."""
        return as_selection(self._selection).bind(self.oof, self.scored)

    @property
    def selecting(self) -> Any:
        """Metric that selects, bound to the predictions."""
        return self.rule.selecting

    @property
    def winner(self) -> int:
        """Configuration that is selected on all samples, -1 for none."""
        if self.rule.by:
            return int(self.rule.on_all()["config"][0])
        return self.selected[0]

    @cached_property
    def selected(self) -> tuple[int, str]:
        """Configuration that tuning selects where the rule is the best score, and by what."""
        return selected_configuration(self.oof, self.selecting)

    @cached_property
    def units(self) -> Units:
        """What is independent: samples, groups, or blocks of samples."""
        return Units.of(self.oof)

    @cached_property
    def drawn_units(self) -> Units:
        """What draws count."""
        return Units.drawn(self.oof)

    def selects_winner(self, outcome: Outcome) -> np.ndarray:
        """Mark the draws that select the winner, or what predicts the same.

        Parameters
        ----------
        outcome : Outcome
            What the rule chose in the draws.

        Returns
        -------
        ndarray of shape (n_draws,), bool
            Whether each draw did.
        """
        if not self.rule.of_configurations:
            return self.rule.same(outcome, self.rule.on_all())
        chosen, alike = outcome["config"], self.scored.first_alike
        return (chosen >= 0) & (alike[chosen] == alike[self.winner])

    def check_scored(self) -> None:
        """Raise where the selected configuration has no score.

        Raises
        ------
        UndefinedIntervalError
            If it failed in some fold, or lacks a prediction.
        """
        check_scored(self.oof, self.scored, self.winner)

    def repeated(
        self,
        method: Drawing,
        values: Callable[[Outcome, np.ndarray], np.ndarray] | None = None,
    ) -> Repeated:
        """Choose in-bag and score out-of-bag in every draw of a method.

        Parameters
        ----------
        method : BootstrapInterval
            Its number of draws, seed and threads are used.
        values : callable, default=None
            Computes what is looked at in place of the score, of shape (n_draws, ...), from the
            choice in some draws and a mask (n_draws, n_samples) of the samples left out.

        Returns
        -------
        Repeated
            Values, choices and draws.

        Raises
        ------
        UndefinedIntervalError
            If no draw can contain what the metric needs, or what is selected has no score.
        """
        draws = method.draws_for(self)
        self.check_scored()
        found, chosen = scores_of_draws(self.rule, draws, values)
        return Repeated(self, method, draws, found, chosen)


@dataclass(frozen=True, eq=False)
class Repeated:
    """A contest that was repeated in draws: what was chosen, and what it was worth.

    Parameters
    ----------
    contest : Contest
        What was repeated.
    method : BootstrapInterval
        Whose draws they are.
    draws : Draws
        The draws, with their seed.
    values : ndarray of shape (n_draws, ...)
        Out-of-bag scores, or what was looked at instead.
    chosen : Outcome
        What the rule chose in each draw.

    Examples
    --------
    >>> from sklearn_bbc import BBC
    >>> from sklearn_bbc.contest import Contest
    >>> from sklearn_bbc.metrics import as_metric
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions(n_configs=5)
    >>> contest = Contest(oof, as_metric("roc_auc").bind(oof))
    >>> details = contest.repeated(BBC(random_state=0)).details()
    >>> details["winner"] == contest.winner, details["unit"]
    (True, 'sample')
    """

    contest: Contest
    method: Drawing
    draws: Draws
    values: np.ndarray
    chosen: Outcome

    def details(self, *, of_pooling: bool = False, notes: Sequence[str] = ()) -> dict[str, Any]:
        """Collect what the `details` of a result say of the selection and of the draws.

        Parameters
        ----------
        of_pooling : bool, default=False
            Whether to note where pooling the folds moves a rank metric.
        notes : sequence of str, default=()
            Further notes, which come before those on the draws.

        Returns
        -------
        dict
            Winner and by what, share of draws that each configuration wins, unit, counts of
            degenerate draws, seed and ``notes``.
        """
        contest = self.contest
        details = rule_details(contest, self.chosen)
        if of_pooling:
            pooling = pooling_note(contest.oof, contest.scored, details["winner"])
            details["notes"].extend([] if pooling is None else [pooling])
        details["notes"].extend(notes)
        return {
            **details,
            **draw_details(self.method, contest, self.draws, details["notes"]),
            "seed": self.draws.entropy,
        }


def scores_of_draws(
    rule: BoundSelection,
    draws: Draws,
    values: Callable[[Outcome, np.ndarray], np.ndarray] | None = None,
) -> tuple[np.ndarray, Outcome]:
    """Choose in-bag and score out-of-bag in every draw.

    Returns shape `scores` (n_draws,), or (n_draws, ...) what `values` computes in their place
    from the choice and a mask of the samples left out.
    """
    if rule.seconds_per_draw:
        rule.warn_if_slow(draws.n_draws)
    so_far: list[Any] | None = None
    for one in () if values is not None else rule.passes():
        so_far = draws.batches(one, so_far)
    if so_far is not None:
        scores, configs, _ = joined(so_far)
        return scores, Outcome({"config": configs})
    score = rule.score if values is None else values

    def out_of_bag(counts: np.ndarray) -> tuple[np.ndarray, ...]:
        outcome = rule.choose(counts)
        left_out = not_drawn(counts)
        columns = columns_with_left_out(rule, outcome, left_out)
        return score(outcome, left_out), *columns.values()

    scores, *columns = draws.map(out_of_bag)
    names = columns_with_left_out(rule, rule.on_all(), rule.everything)
    return scores, Outcome(dict(zip(names, columns)))


def not_drawn(counts: np.ndarray) -> np.ndarray:
    """Mark the samples that are not drawn, in the memory of counts that nobody else has."""
    own = counts.itemsize == 1 and counts.flags.owndata and counts.flags.writeable
    return np.equal(counts, 0, out=counts.view(bool) if own else None)


def draw_details(
    method: Drawing, contest: Contest, draws: Draws, notes: list[str]
) -> dict[str, Any]:
    """Count degenerate draws for the details, and add notes on them."""
    details: dict[str, Any] = {"n_redrawn": draws.n_redrawn, "notes": notes}
    draws.strata.note(draws.n_lacking, method.n_bootstraps, details)
    return {**details, **block_details(contest.oof, method._label, notes)}


def rule_details(contest: Contest, outcome: Outcome) -> dict[str, Any]:
    """Collect the by-products of a method that repeats a rule on predictions."""
    oof, rule = contest.oof, contest.rule
    details = selection_details(
        oof, contest.scored, outcome["config"], rule.selecting, contest.selected
    )
    if not rule.by:
        return details
    details.update(of_rule(rule, outcome))
    described = rule.describe(outcome)
    details["notes"] += [*other_choice(oof, rule), *threshold_notes(described)]
    return {**details, **described}


def threshold_notes(described: Mapping[str, Any]) -> list[str]:
    """Return the notes on a threshold; warn where none meets its demand on all samples."""
    missed = missed_demand(described)
    if missed is not None:
        warn_user(missed, IntervalWarning)
    notes, sizes = threshold_sentences(described), described.get("class_sizes", {})
    rarest = min(sizes, key=lambda label: sizes[label], default=None)
    if rarest is not None and sizes[rarest] < FEW_UNITS:
        unit = count(sizes[rarest], described["unit_of_sizes"])
        notes.append(few_note(f"class {rarest} has {unit}"))
    return notes


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


def of_rule(rule: BoundSelection, outcome: Outcome) -> dict[str, Any]:
    """Find the winner of a rule on the original data, and how often it is chosen."""
    one = rule.on_all()
    return {
        "winner": int(one["config"][0]),
        "winner_by": rule.by,
        "winner_share": float(np.mean(rule.same(outcome, one))),
        "won": shares_won(outcome["config"]),  # a rule may tell apart what predicts the same
    }
