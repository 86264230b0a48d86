"""Base of comparisons that need nothing but the scores per fold of both sides."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...exceptions import UndefinedIntervalError
from ...intervals._base import only_fold_scores
from ...intervals._criterion import best_by_folds
from ...intervals.winner._fold_kernel import lacking_note
from ...metrics import Metric, as_metric
from ...predictions import OOFPredictions
from .._base import BaseComparison, check_not_the_same
from .._pairs import Pair
from .._sides import Side, names_of

OF_TRAINING = "difference of two learners, expected over training sets of the folds' size"


class FoldComparison(BaseComparison):
    """Base of comparisons on folds: `Pair.kernel` holds the scores, shape (n_splits, 2).

    They work from published scores per fold and from any fitted search as well, since no
    prediction is needed.
    """

    requires = frozenset({"folds"})
    estimand = OF_TRAINING

    def _metric(self, first: Side, second: Side, scoring: Any) -> Metric:
        """Any name under which both sides have scores per fold is a metric."""
        try:
            return as_metric(scoring)
        except ValueError:
            named = isinstance(scoring, str)
            if not (named and all(scoring in side.oof.fold_scores for side in (first, second))):
                raise
            return Metric(name=scoring, scorer=only_fold_scores)

    def _bind(self, first: Side, second: Side, metric: Metric, notes: list[str]) -> Pair:
        configs = (self._config(first, metric), self._config(second, metric))
        check_not_the_same(first, second, configs)
        oof = first.oof if first.oof.n_rows else second.oof  # for its splits
        names = names_of(first, second)
        scores = np.stack(  # (n_splits, 2)
            [_scores_of(side.oof, k, metric) for side, k in zip((first, second), configs)], axis=1
        )
        for of_side, name in zip(scores.T, names, strict=True):
            undefined = np.flatnonzero(~np.isfinite(of_side)).tolist()
            if undefined:
                raise UndefinedIntervalError(
                    f"{name} has no finite {metric.name} in fold {undefined}: it failed there, or "
                    "the fold lacks a class. Use fewer or stratified folds."
                )
        n_lacking, told = lacking_note(oof, metric)
        details: dict[str, Any] = {
            "scores": scores.mean(axis=0).tolist(),
            "configs": list(configs),
            "unit": "fold",
            "n_folds": len(scores),
            "n_repeats": oof.n_repeats,
            "n_folds_lacking_class": n_lacking,
            "notes": [*dict.fromkeys([*notes, *first.oof.notes, *second.oof.notes, *told])],
        }
        details["notes"] += self._told_of_selection(first, second)
        return Pair(oof=oof, kernel=scores, metric=metric, names=names, details=details)

    def _config(self, side: Side, metric: Metric) -> int:
        """The given configuration, the search's choice, or the best mean over the folds."""
        if side.config is not None:
            return int(side.config)
        oof: OOFPredictions = side.oof
        if oof.n_configs == 1:
            return 0
        if oof.selected is not None:
            return oof.selected
        best = best_by_folds(np.where(oof.failed, np.nan, metric.fold_scores(oof)))
        if best is None:
            raise UndefinedIntervalError(
                f"No configuration of {side.described} has a {metric.name} in every fold."
            )
        return int(best)


def _scores_of(oof: OOFPredictions, config: int, metric: Metric) -> np.ndarray:
    """Scores per split of one configuration: those recorded, else those of its predictions."""
    scores = metric.recorded_fold_scores(oof)
    if scores is None and oof.responses:
        scores = metric.bind(oof).fold_scores(configs=np.array([config]))
    elif scores is None:
        scores = metric.fold_scores(oof)  # which says what there is
    return np.where(oof.failed[config], np.nan, scores[:, config])


def differences(pair: Pair) -> np.ndarray:
    """Difference of the scores of each split, shape (n_splits,).

    Parameters
    ----------
    pair : Pair
        With scores per fold.
    """
    return pair.kernel[:, 0] - pair.kernel[:, 1]
