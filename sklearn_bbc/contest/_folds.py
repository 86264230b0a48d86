"""A contest on scores per fold, for methods that draw folds or look at them only."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from .._text import config_words
from ..exceptions import SelectionError, UndefinedIntervalError
from ..metrics._by_fold import TOO_LARGE, FoldTable
from ..selection._base import BoundSelection, Outcome, Selection, as_selection
from ..selection._rules import SelectedBy
from ._contest import BY_FOLDS, Contest


class FoldContest(Contest):
    """A contest whose metric is a table of scores per fold.

    Parameters
    ----------
    scored : FoldTable
        The scores per fold of the metric that is reported.
    selection : Selection, default=None
        Rule that chooses; None is the best mean over the folds.

    Attributes
    ----------
    scored : FoldTable
        The scores per fold.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.contest import FoldContest
    >>> from sklearn_bbc.metrics import FoldTable, as_metric
    >>> scores = np.array([[0.7, 0.8], [0.6, 0.9]])
    >>> oof = OOFPredictions.from_fold_scores({"accuracy": scores})
    >>> FoldContest(FoldTable(as_metric("accuracy"), oof)).winner
    1
    """

    scored: FoldTable  # type: ignore[assignment]

    def __init__(self, scored: FoldTable, selection: Selection | None = None) -> None:
        self.scored, self.oof = scored, scored.oof
        self.selection = as_selection(selection)

    @cached_property
    def rule(self) -> BoundSelection:
        """Rule that chooses, bound to the scores per fold."""
        if not isinstance(self.selection, SelectedBy):
            _check_can_select(self.scored)
        rule = self.selection.bind(self.scored)
        assert isinstance(rule.selecting, FoldTable)
        _check_can_select(rule.selecting)
        return rule

    @property
    def selecting(self) -> FoldTable:  # type: ignore[override]
        """Scores per fold of the metric that selects."""
        selecting = self.rule.selecting
        assert isinstance(selecting, FoldTable)
        return selecting

    @cached_property
    def selected(self) -> tuple[int, str]:
        """Configuration that is selected on all samples, -1 for none, and by what."""
        if self.rule.by:
            return int(self.rule.on_all()["config"][0]), self.rule.by
        if self.oof.selected is not None:
            return self.oof.selected, self.oof.selected_by
        return int(self.rule.on_all()["config"][0]), BY_FOLDS

    @cached_property
    def repeats(self) -> list[FoldContest]:
        """Contests on the folds of each repeat; the contest itself where there is one."""
        oof = self.oof
        if oof.n_repeats == 1:
            return [self]
        splits = (np.flatnonzero(oof.split_repeat == k) for k in range(oof.n_repeats))
        return [FoldContest(self.scored.on(each), self.selection) for each in splits]

    def check_scored(self, winner: int | None = None) -> None:
        """Raise where nothing is selected, or what is selected has no score in some fold.

        Parameters
        ----------
        winner : int, default=None
            The configuration; None is that which tuning selects.

        Raises
        ------
        UndefinedIntervalError
            Its message names the fold.
        """
        if self.rule.on_all()["config"][0] < 0:
            raise UndefinedIntervalError(f"{self.selection!r} selects nothing on the fold scores.")
        scored, config = self.scored, self.winner if winner is None else winner
        lacking = np.flatnonzero(np.isnan(scored.fold_scores[:, config]))
        if len(lacking) and self.rule.metric is scored.metric:
            raise UndefinedIntervalError(
                f"The selected configuration, {config_words(config, self.oof.params)}, has no "
                f"{scored.metric.name} in fold {lacking[0]}. The score of another one would not "
                "be its score."
            )

    def choose(self, counts: np.ndarray) -> Outcome:
        """Apply the rule to draws of folds.

        Parameters
        ----------
        counts : ndarray of shape (n_draws, n_folds)
            How often each draw takes each fold.

        Returns
        -------
        Outcome
            What is chosen in each draw.

        Raises
        ------
        SelectionError
            If the rule fails; the message names the folds.
        """
        try:
            return self.rule.choose(counts)
        except SelectionError as error:
            if error.draw is None:
                raise
            raise SelectionError(
                f"{error.reason} It happened on the draw that takes the folds "
                f"{counts[error.draw].tolist()} times."
            ) from error


def _check_can_select(table: FoldTable) -> None:
    """Raise where no configuration has scores that can be added up."""
    if not table.valid.any():
        raise UndefinedIntervalError(why_undefined(table))
    if not np.isfinite(table.fold_scores[:, table.valid].sum(axis=0)).any():
        raise UndefinedIntervalError(  # with huge weights
            f"The scores per fold of {table.metric.name} are too large to be added up."
        )


def why_undefined(table: FoldTable) -> str:
    """Name the fold that no configuration can be scored on, and the class that it lacks."""
    oof, metric, scores = table.oof, table.metric, table.fold_scores
    known = metric.recorded_fold_scores(oof)
    if known is not None and (np.abs(known[:, ~oof.failed]) >= TOO_LARGE).any():
        return (
            f"The scores per fold of {metric.name} are infinite, or too large to be added up, in "
            "some fold for every configuration that is defined, so none can be selected."
        )
    nowhere = np.flatnonzero(np.isnan(scores[:, ~oof.failed]).all(axis=1))
    if oof.failed.all() or not len(nowhere):
        return (
            f"Every configuration is undefined in some fold by {metric.name}, so none can be "
            "selected."
        )
    fold, reason = int(nowhere[0]), ""
    if len(oof.fold) and oof.classes_ is not None:
        labels = oof.y_true[oof.sample[oof.fold == fold]]
        lacking = np.setdiff1d(oof.classes_, labels).tolist()
        if len(oof.classes_) == 1:
            reason = f": every sample is of class {oof.classes_[0].item()!r}"
        elif lacking:
            reason = (
                f": it holds no sample of class {', '.join(map(str, lacking))}. Use stratified "
                "folds (StratifiedKFold; KFold without shuffle cuts sorted labels into folds of "
                "one class), fewer folds, or BBC, which pools the folds"
            )
    return f"{metric.name} is undefined in fold {fold} for every configuration{reason}."
