"""Rules of selection on draws of whole folds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...exceptions import SelectionError, UndefinedIntervalError
from ...metrics import Metric, as_metric
from ...predictions import OOFPredictions
from ...selection import (
    BestScore,
    BoundSelection,
    FoldTable,
    Outcome,
    SelectedBy,
    Selection,
    as_selection,
)
from ...selection._on_folds import OnFolds, bind_to_folds
from .._selection import with_winner_by
from ._fold_kernel import FoldKernel
from ._repeated_rule import of_rule, other_choice, repeats_best_score, threshold_notes

if TYPE_CHECKING:
    from ..single._fold_scores import FoldSample  # which imports from this room


def check_fold_rule(selection: Any, weight_folds: bool) -> None:
    """Raise a ValueError unless draws of folds can repeat the rule."""
    rule = as_selection(selection)
    if weight_folds and not repeats_best_score(rule):
        raise ValueError(
            f"weight_folds=True is not possible with selection={rule!r}, which takes plain means "
            "over the folds as scikit-learn does. Use weight_folds=False."
        )


def selected_sample(
    oof: OOFPredictions,
    metric: Metric,
    selection: Selection,
    sample_of: Callable[[OOFPredictions, Metric], FoldSample],
) -> FoldSample:
    """Scores per fold of what a rule selects, once, on all folds.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions, or fold scores alone.
    metric : Metric
        The metric.
    selection : Selection
        The rule; the best score is the best mean over the folds.
    sample_of : callable
        Gives the scores per fold of the configuration that predictions name as `selected`.

    Returns
    -------
    FoldSample
        Of the configuration, or of the threshold or ensemble.
    """
    if isinstance(selection, BestScore):
        return sample_of(oof.with_selected(None), metric)
    if isinstance(selection, SelectedBy) and repeats_best_score(selection.selection):
        return sample_of(with_winner_by(oof, as_metric(selection.scoring)), metric)
    scores = np.where(oof.failed, np.nan, metric.fold_scores(oof))
    rule = bind_to_folds(selection, oof, metric, FoldTable(metric, scores))
    one = rule.on_all()
    config = int(one["config"][0])
    if config < 0:
        raise UndefinedIntervalError(f"{selection!r} selects nothing on the fold scores.")
    sample = sample_of(oof.with_selected(config, by=rule.by), metric)
    if not isinstance(rule, OnFolds):
        return sample
    chosen = one.take(np.zeros(len(scores), dtype=np.intp))
    of_folds = rule.score(chosen, np.eye(len(scores), dtype=np.uint8))
    if len(nowhere := np.flatnonzero(np.isnan(of_folds))):
        raise UndefinedIntervalError(
            f"{rule.metric.name} has no score in fold {nowhere.tolist()}, which lacks a class. "
            "Use stratified folds or fewer of them, or BBC, which draws samples."
        )
    described = rule.describe(one)
    details = {**sample.details, **described, "selection_accounted_for": False}
    details["notes"] = [*sample.details["notes"], *threshold_notes(described)]
    return replace(sample, metric=rule.metric, scores=of_folds, details=details)


class RuleKernel(FoldKernel):
    """Fold scores on which another rule than the best score selects.

    Parameters
    ----------
    kernel : FoldKernel
        The fold scores.
    oof : OOFPredictions
        Predictions, or fold scores alone.
    selection : Selection
        The rule.

    Attributes
    ----------
    notes : list of str
        What is to be told beside.
    """

    def __init__(self, kernel: FoldKernel, oof: OOFPredictions, selection: Selection) -> None:
        self.__dict__.update(kernel.__dict__)
        self._rules: dict[bytes, BoundSelection] = {}
        self._selection, self._oof = selection, oof
        whole = self._rule_of(np.arange(len(self.fold_scores)))
        one = of_rule(oof, whole, whole.on_all())
        self.winner, self.winner_by = one["winner"], one["winner_by"]
        if self.winner < 0:
            raise UndefinedIntervalError(f"{selection!r} selects nothing on the fold scores.")
        self.reported, self.draw_by_draw = whole.metric, whole.draw_by_draw
        self.columns = list(whole.on_all().columns)
        self.notes = other_choice(oof, whole)
        self._whole = whole

    def _rule_of(self, splits: Any) -> BoundSelection:
        splits = np.arange(len(self.fold_scores))[splits]
        key = splits.tobytes()
        if key not in self._rules:
            table = FoldTable(self.metric, self.fold_scores[splits])
            table.splits = splits
            self._rules[key] = bind_to_folds(self._selection, self._oof, self.metric, table)
        return self._rules[key]

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that selecting on one draw needs."""
        of_samples = self._whole.bytes_per_draw if isinstance(self._whole, OnFolds) else 0
        return 64 * self.fold_scores.shape[1] + of_samples

    def warn_if_slow(self, n_draws: int, splits: Any) -> None:
        """Say how long the draws will take, see `BoundSelection.warn_if_slow`."""
        self._rule_of(splits).warn_if_slow(n_draws)

    def choose(self, counts: np.ndarray, splits: Any = slice(None)) -> Outcome:
        """What the rule selects in each draw."""
        try:
            return self._rule_of(splits).choose(counts)
        except SelectionError as error:
            if error.draw is None:
                raise
            raise SelectionError(
                f"{error.reason} It happened on the draw that takes the folds "
                f"{counts[error.draw].tolist()} times."
            ) from error

    def score(self, counts: np.ndarray, outcome: Outcome, splits: Any = slice(None)) -> np.ndarray:
        """Mean over the folds left out, NaN where nothing was selected."""
        rule, configs = self._rule_of(splits), outcome["config"]
        if isinstance(rule, OnFolds):
            return rule.score(outcome, counts == 0)
        scores = self.score_of(counts, np.maximum(configs, 0), splits)
        return np.where(configs < 0, np.nan, scores)

    def won(self, outcome: Outcome) -> np.ndarray:
        """Draws that select what the rule selects on all folds."""
        return self._whole.same(outcome, self._whole.on_all())

    def describe(self, outcome: Outcome) -> dict[str, Any]:
        """What the rule tells, of the draws for rules on single samples, else of all folds."""
        of_draws = isinstance(self._whole, OnFolds)
        return self._whole.describe(outcome if of_draws else self._whole.on_all())
