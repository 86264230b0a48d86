"""Rules on single samples, on draws of whole folds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..metrics import Metric
from ..predictions import OOFPredictions
from ..predictions._metadata import taken_metadata
from ._base import BoundSelection, Selection
from ._folds import FoldTable
from ._outcome import Outcome


def bind_to_folds(
    selection: Selection, oof: OOFPredictions, metric: Metric, table: FoldTable
) -> BoundSelection:
    """Bind any rule to draws of folds.

    Parameters
    ----------
    selection : Selection
        The rule.
    oof : OOFPredictions
        Predictions, or fold scores alone, which is not enough for every rule.
    metric : Metric
        The metric that selects.
    table : FoldTable
        Its scores on the folds that are drawn; `splits` says which ones these are.

    Returns
    -------
    BoundSelection
        It takes how often each fold is drawn.
    """
    if "predictions" not in selection.needs or not oof.responses:
        return selection.bind(oof, table)  # which says what is missing
    fold = np.searchsorted(table.splits, oof.fold)
    rows = np.flatnonzero(np.isin(oof.fold, table.splits))
    whole = len(table.splits) == oof.n_splits
    # A configuration that has no score in some fold cannot be selected.
    oof = oof._with_fields(failed=oof.failed | ~table.valid)
    return OnFolds(selection, oof, metric, table, rows, fold[rows], whole=whole)


class OnFolds(BoundSelection):
    """A rule on single samples whose samples have the weight of their fold.

    What a draw selects is selected on the predictions of the drawn folds together, as often as
    each was drawn; configurations alone are selected by the mean over the folds. It is scored
    fold by fold, and the mean is reported.

    Parameters
    ----------
    selection : Selection
        The rule.
    oof : OOFPredictions
        All predictions.
    metric : Metric
        The metric that selects.
    table : FoldTable
        Its scores on the folds that are drawn.
    rows : ndarray of shape (n_rows,)
        Rows of the predictions that are in these folds.
    fold : ndarray of shape (n_rows,)
        Place of their fold in `table`.
    whole : bool
        Whether these are all folds, so that `on_all` is what BBC selects too.

    Attributes
    ----------
    bytes_per_draw : int
        Memory in bytes that a draw needs.
    """

    of_configurations = False
    draw_by_draw = True

    def __init__(
        self,
        selection: Selection,
        oof: OOFPredictions,
        metric: Metric,
        table: FoldTable,
        rows: np.ndarray,
        fold: np.ndarray,
        *,
        whole: bool,
    ) -> None:
        super().__init__(table)
        self._fold = fold
        selection._validate()
        sample = oof.sample[rows]
        # Rows become samples: with overlapping test sets a sample has one weight per fold.
        single = OOFPredictions._quietly(
            y_true=oof.y_true[sample],
            responses={name: array[:, rows] for name, array in oof.responses.items()},
            fold=fold,
            pos_label=oof.pos_label,
            sample_weight=None if oof.sample_weight is None else oof.sample_weight[sample],
            classes=oof.classes_,
            params=oof.params or None,
            failed=oof.failed,
            metadata=taken_metadata(oof.metadata, sample),
        )
        first = np.unique(fold, return_index=True)[1]
        self._rule = self._bound(selection, single, metric, oof, first)
        self._whole = self._rule
        if whole:
            everywhere = np.zeros(len(table.splits), dtype=np.intp)
            self._whole = self._bound(selection, oof, metric, oof, everywhere)
        self.metric, self.by = self._whole.metric, self._whole.by
        self.of_configurations = self._whole.of_configurations
        self.seconds_per_draw = self._rule.seconds_per_draw
        self.bytes_per_draw = int(self._rule.kernel.bytes_per_draw)

    def _bound(
        self,
        selection: Selection,
        oof: OOFPredictions,
        metric: Metric,
        original: OOFPredictions,
        of_fold: np.ndarray,
    ) -> BoundSelection:
        def by_folds(rule: Selection) -> BoundSelection:
            return ByFolds(rule.bind(original, self.kernel), of_fold)

        kernel = metric.bind(oof)
        selection._check_needs(oof, kernel)
        return selection._bind_to_folds(oof, kernel, by_folds)

    def choose(self, weights: np.ndarray) -> Outcome:
        """See `BoundSelection.choose`."""
        return self._rule.choose(np.asarray(weights)[:, self._fold])

    def score(self, outcome: Outcome, weights: np.ndarray) -> np.ndarray:
        """See `BoundSelection.score`: the mean over the folds, NaN where one has no score."""
        total, norm = np.zeros(len(weights)), np.zeros(len(weights))
        for fold in range(self.kernel.n_samples):
            times = np.asarray(weights[:, fold], dtype=float)
            draws = np.flatnonzero(times)
            if not len(draws):
                continue
            here = np.broadcast_to(self._fold == fold, (len(draws), len(self._fold)))
            total[draws] += times[draws] * self._rule.score(outcome.take(draws), here)
            norm += times
        return total / np.where(norm > 0, norm, np.nan)

    def same(self, outcome: Outcome, one: Outcome) -> np.ndarray:
        """See `BoundSelection.same`."""
        return self._rule.same(outcome, one)

    def members(self) -> np.ndarray:
        """See `BoundSelection.members`."""
        return self._whole.members()

    def on_all(self) -> Outcome:
        """See `BoundSelection.on_all`."""
        return self._whole.on_all()

    def describe(self, outcome: Outcome) -> dict[str, Any]:
        """See `BoundSelection.describe`."""
        return self._whole.describe(outcome)


class ByFolds(BoundSelection):
    """A rule on scores per fold that is given weights of samples, equal within a fold.

    Parameters
    ----------
    rule : BoundSelection
        The rule.
    of_fold : ndarray of shape (n_folds,)
        For each fold a sample that has its weight.
    """

    def __init__(self, rule: BoundSelection, of_fold: np.ndarray) -> None:
        super().__init__(rule.kernel)
        self._rule, self._of_fold = rule, of_fold
        self.by, self.seconds_per_draw = rule.by, rule.seconds_per_draw

    def choose(self, weights: np.ndarray) -> Outcome:
        """See `BoundSelection.choose`."""
        return self._rule.choose(weights[:, self._of_fold])

    def score(self, outcome: Outcome, weights: np.ndarray) -> np.ndarray:
        """See `BoundSelection.score`."""
        return self._rule.score(outcome, weights[:, self._of_fold])
