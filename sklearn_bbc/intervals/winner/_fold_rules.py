"""Rules of selection on draws of whole folds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...exceptions import SelectionError, UndefinedIntervalError
from ...metrics import Metric
from ...predictions import OOFPredictions
from ...selection import BestScore, FoldTable, Selection, as_selection
from ...selection._base import BoundSelection
from ._fold_kernel import FoldKernel
from ._repeated_rule import of_rule, other_choice, repeats_best_score


def check_fold_rule(selection: Any, weight_folds: bool) -> None:
    """Raise a ValueError unless draws of folds can repeat the rule."""
    rule = as_selection(selection)
    if weight_folds and not repeats_best_score(rule):
        raise ValueError(
            f"weight_folds=True is not possible with selection={rule!r}, which takes plain means "
            "over the folds as scikit-learn does. Use weight_folds=False."
        )


def selected_by_folds(oof: OOFPredictions, metric: Metric, selection: Selection) -> OOFPredictions:
    """Select the winner by a rule on the scores of all folds.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions, or fold scores alone.
    metric : Metric
        The metric.
    selection : Selection
        The rule; the best score is the best mean over the folds.

    Returns
    -------
    OOFPredictions
        The same with the winner as `selected`.
    """
    if isinstance(selection, BestScore):
        return oof.with_selected(None)
    scores = np.where(oof.failed, np.nan, metric.fold_scores(oof))
    rule = selection.bind(oof, FoldTable(metric, scores))
    config = int(rule.on_all()["config"][0])
    if config < 0:
        raise UndefinedIntervalError(f"{selection!r} selects nothing on the fold scores.")
    return oof.with_selected(config, by=rule.by)


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
    rule_details : dict
        What the rule tells about its choice on all folds.
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
        self.rule_details = whole.describe(whole.on_all())
        self.notes = other_choice(oof, whole)

    def _rule_of(self, splits: Any) -> BoundSelection:
        splits = np.arange(len(self.fold_scores))[splits]
        key = splits.tobytes()
        if key not in self._rules:
            table = FoldTable(self.metric, self.fold_scores[splits])
            table.splits = splits
            self._rules[key] = self._selection.bind(self._oof, table)
        return self._rules[key]

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that selecting on one draw needs."""
        return 64 * self.fold_scores.shape[1]

    def warn_if_slow(self, n_draws: int, splits: Any) -> None:
        """Say how long the draws will take, see `BoundSelection.warn_if_slow`."""
        self._rule_of(splits).warn_if_slow(n_draws)

    def winners(self, counts: np.ndarray, splits: Any = slice(None)) -> np.ndarray:
        """Configuration that the rule selects in each draw, see `FoldKernel.winners`."""
        try:
            return self._rule_of(splits).choose(counts)["config"]
        except SelectionError as error:
            if error.draw is None:
                raise
            raise SelectionError(
                f"{error.reason} It happened on the draw that takes the folds "
                f"{counts[error.draw].tolist()} times."
            ) from error

    def score_of(
        self, counts: np.ndarray, configs: np.ndarray, splits: Any = slice(None)
    ) -> np.ndarray:
        """Mean over the folds left out, NaN where nothing was selected."""
        scores = super().score_of(counts, np.maximum(configs, 0), splits)
        return np.where(configs < 0, np.nan, scores)
