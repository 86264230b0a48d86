"""A contest: configurations, a metric that scores them, and a rule that chooses one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from .._notes import REPLACED, has_kind
from .._text import config_words, count, missed_demand, threshold_sentences
from .._utils import suppress_fp_warnings
from .._warnings import warn_user
from ..exceptions import IntervalWarning, UndefinedIntervalError
from ..metrics._alike import same_as
from ..metrics._base import first_best_sum, not_drawn
from ..metrics._by_fold import FoldTable
from ..metrics._consumed import Unbound
from ..metrics._metric import BoundMetric
from ..predictions._predictions import OOFPredictions
from ..resampling import Draws, Units, joined_batches
from ..selection._base import (
    BoundSelection,
    Outcome,
    Selection,
    as_selection,
)
from ._blocks import block_details, with_block_length
from ._notes import (
    UNSCORED,
    caveats,
    facts_of,
    lonely_configuration,
    mean_shares,
    notes_on_splits,
    noun_of,
    pooling_note,
    shares_won,
    some_fold_lacks_a_stratum,
)
from ._strata import FEW_UNITS, few_note

BY_FOLDS = "mean over folds"
ONLY = "the only one"
"""By what a winner was selected where there is nothing to select from."""


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
    scored : BoundMetric
        The metric that is reported, bound to predictions.
    selection : Selection, default=None
        Rule that chooses; None is the best score by `scored`.
    settle : bool, default=True
        Whether to choose the length of blocks of samples here, where it is "auto".

    Attributes
    ----------
    scored : BoundMetric
        The metric that is reported.
    oof : OOFPredictions
        The predictions.
    selection : Selection
        Rule that chooses.
    selected : tuple of int and str
        Configuration that is selected on all samples, -1 for none, and by what.

    Examples
    --------
    >>> from sklearn_bbc import BBC
    >>> from sklearn_bbc.contest import Contest
    >>> from sklearn_bbc.metrics import as_metric
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions(n_configs=5)
    >>> contest = Contest(as_metric("roc_auc").bind(oof))
    >>> repeated = contest.repeated(BBC(random_state=0))
    >>> repeated.values.shape, repeated.chosen["config"].shape
    ((2000,), (2000,))
    """

    def __init__(
        self, scored: BoundMetric, selection: Selection | None = None, *, settle: bool = True
    ) -> None:
        if settle and scored.oof.block_length is not None:
            with suppress_fp_warnings():
                scored = with_block_length(scored)
        self.scored, self.oof = scored, scored.oof
        self.selection = as_selection(selection)

    @cached_property
    def rule(self) -> BoundSelection:
        """Rule that chooses, bound to the predictions."""
        return self.selection.bind(self.scored)

    @property
    def selecting(self) -> BoundMetric:
        """Metric that selects, bound to the predictions."""
        selecting = self.rule.selecting
        assert isinstance(selecting, BoundMetric)
        return selecting

    @property
    def winner(self) -> int:
        """Configuration that is selected on all samples, -1 for none."""
        return self.selected[0]

    @property
    def winner_by(self) -> str:
        """By what it is selected."""
        return self.selected[1]

    @cached_property
    def selected(self) -> tuple[int, str]:
        """Configuration that is selected on all samples, -1 for none, and by what."""
        if self.rule.by:
            return int(self.rule.on_all()["config"][0]), self.rule.by
        return selected_configuration(self.selecting)

    @cached_property
    def units(self) -> Units:
        """What is independent: samples, groups, or blocks of samples."""
        return Units.of(self.oof)

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

    def check_scored(self, winner: int | None = None) -> None:
        """Raise where the selected configuration has no score.

        Parameters
        ----------
        winner : int, default=None
            The configuration; None is that which tuning selects.

        Raises
        ------
        UndefinedIntervalError
            If it failed in some fold, or lacks a prediction.
        """
        oof, winner = self.oof, self.winner if winner is None else winner
        if winner < 0 or self.scored.valid[winner]:
            return
        why = "it failed in some fold, or was dropped"
        if not oof.failed[winner]:
            why = "it lacks a prediction (NaN)"
        raise UndefinedIntervalError(
            f"The selected configuration, {config_words(winner, oof.params)}, cannot be scored by "
            f"{self.scored.metric.name}: {why}. The score of another one would not be its score. "
            "Leave such configurations out before one is selected, or make them predict."
        )

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
    >>> contest = Contest(as_metric("roc_auc").bind(oof))
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
        details = selection_details(contest, [(self.chosen, None)])
        if of_pooling:
            pooling = pooling_note(contest.scored, details["winner"])
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
        del one  # before the next one is prepared
    if so_far is not None:
        scores, configs, _ = joined_batches(so_far)
        return scores, Outcome({"config": configs})
    score = rule.score if values is None else values

    def out_of_bag(counts: np.ndarray) -> tuple[np.ndarray, ...]:
        outcome = rule.choose(counts)
        left_out = not_drawn(counts)
        columns = rule.columns_of(outcome, left_out)
        return score(outcome, left_out), *columns.values()

    scores, *columns = draws.map(out_of_bag)
    if len(columns) == 1:  # which every outcome has
        return scores, Outcome({"config": columns[0]})
    names = rule.columns_of(rule.on_all(), rule.everything)
    return scores, Outcome(dict(zip(names, columns)))


def draw_details(
    method: Drawing, contest: Contest, draws: Draws, notes: list[str]
) -> dict[str, Any]:
    """Count degenerate draws for the details, and add notes on them."""
    details: dict[str, Any] = {"n_redrawn": draws.n_redrawn, "notes": notes}
    draws.strata.note(draws.n_lacking, method.n_bootstraps, details)
    if contest.oof.block_length is not None:
        details |= block_details(contest.oof, method._label, notes)
    return details


def selection_facts(contest: Contest, *, of_splits: bool = True) -> dict[str, Any]:
    """Collect what every selection-aware method reports: winner and by what, facts and notes."""
    oof, scored, rule, selecting = contest.oof, contest.scored, contest.rule, contest.selecting
    on_folds = isinstance(scored, FoldTable)
    notes = []
    was_chosen = has_kind(oof.notes, REPLACED) or oof.selected_by == UNSCORED
    if selecting.valid.sum() == 1 and not was_chosen:
        notes.append(lonely_configuration(oof.n_configs, noun_of(oof)))
    if not on_folds and "derived" in scored.response:
        notes.append("Labels were derived from the recorded scores.")
    if of_splits:
        notes.extend(notes_on_splits(oof, by_folds=on_folds))
    notes.extend(caveats(scored))
    if rule.by:
        notes.extend(other_choice(oof, rule))
    of_other = {} if selecting is scored else {"selected_by": selecting.metric.name}
    winner, winner_by = contest.selected
    return {
        **of_other,
        "winner": winner,
        "winner_by": winner_by,
        **facts_of(scored),
        "n_valid": int(selecting.valid.sum()),
        "notes": notes,
    }


Drawn = tuple[Outcome, np.ndarray | None]
"""What was chosen in some draws, and how often each of them counts; None is once."""


def selection_details(contest: Contest, drawn: Sequence[Drawn]) -> dict[str, Any]:
    """Collect the by-products of a method that repeats a choice; sets of draws are averaged."""
    rule, details = contest.rule, selection_facts(contest)
    shares, won = [], []
    for outcome, times in drawn:
        winners, selecting = outcome["config"], contest.selecting
        if rule.by:  # it may tell apart what predicts the same
            wins = rule.same(outcome, rule.on_all())
        else:
            if not isinstance(selecting, FoldTable):
                alike = np.isin(winners, same_as(selecting, details["winner"]))
                winners = np.where(alike, details["winner"], winners)
            wins = winners == details["winner"]
        shares.append(np.average(wins, weights=times))
        won.append(shares_won(winners, times))
    details |= {
        "winner_share": float(np.mean(shares)),
        "won": mean_shares(won) if len(won) > 1 else won[0],
    }
    if not rule.by:
        return details
    on_folds = isinstance(contest.scored, FoldTable)
    described = rule.describe(rule.on_all() if on_folds else drawn[0][0])
    details["notes"] += threshold_notes(described)
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


def best_by_folds(scores: np.ndarray, sizes: np.ndarray | None = None) -> int | None:
    """Find the configuration with the best mean over the folds; None if all lack some score.

    Means within rounding of the best one tie with it, and the first wins: sums of the same
    scores in another order are equal then, on every machine.

    `scores` (n_splits, n_configs), `sizes` (n_splits,).
    """
    weighted = scores if sizes is None else scores * sizes[:, None]
    complete = np.flatnonzero(np.isfinite(weighted.sum(axis=0)))
    if not len(complete):
        return None
    return int(complete[first_best_sum(np.ones((1, len(scores))), weighted[:, complete])[0]])


def selected_configuration(kernel: BoundMetric) -> tuple[int, str]:
    """Find the configuration that tuning selects, and name the criterion.

    It is the search's own choice, else the best mean over the folds, as in a search; where no
    configuration has a score in every fold, the best score on the predictions of all folds. Of
    those that predict the same up to rounding it is the first.
    """
    oof = kernel.oof
    if oof.selected is not None:
        return oof.selected, oof.selected_by
    if oof.n_configs == 1:
        return 0, ONLY
    winner, how = None, BY_FOLDS
    if oof.n_splits > 1:
        winner = best_by_folds(fold_scores_of(kernel))
    if winner is None:
        winner, how = max(int(kernel.first_best(kernel.on_data()[None])[0]), 0), "pooled score"
    return int(same_as(kernel, winner)[0]), how


def fold_scores_of(kernel: BoundMetric) -> np.ndarray:
    """Return the scores per fold, recorded ones if there are any, (n_folds, n_configs)."""
    oof = kernel.oof
    scores = kernel.metric.recorded_fold_scores(oof)
    if scores is None:
        if some_fold_lacks_a_stratum(kernel):  # leave-one-out has many folds to score
            return np.full((1, oof.n_configs), np.nan)
        scores = kernel.fold_scores()
    return np.where(kernel.valid, scores, np.nan)


def with_winner_by(scored: Unbound) -> OOFPredictions:
    """Name the winner by a metric where the predictions name none."""
    metric, oof = scored
    if oof.selected is not None:
        return oof
    if oof.responses:
        winner, how = selected_configuration(metric.bind(oof))
    else:
        best = best_by_folds(np.where(oof.failed, np.nan, metric.fold_scores(oof)))
        winner, how = (0 if best is None else best), BY_FOLDS
    return oof.with_selected(winner, by=how if how == ONLY else f"{how} of {metric.name}")
