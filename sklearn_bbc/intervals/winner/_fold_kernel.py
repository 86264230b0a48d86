"""Scores per fold as draws of whole folds see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._floats import quiet
from ..._wording import config_words
from ...exceptions import UndefinedIntervalError
from ...metrics import Metric
from ...metrics._base import rounding
from ...metrics._class_members import class_members
from ...predictions import OOFPredictions
from ...selection import Outcome
from .._criterion import MeanOverFolds, best_by_folds

BY_SIZE = "mean over folds, weighted by their size"
TOO_LARGE = 1e290
"""Scores of this size have no finite mean and variance over folds; they count as undefined."""


class FoldKernel:
    """Select and score configurations on draws of the folds of one repeat.

    Configurations without a finite score in some fold of any repeat cannot win. On a draw, a
    configuration whose mean is within rounding of the best one ties with it,
    and the first of those wins: sums that are equal in theory, such as those of the
    same scores in another order, are then equal on every machine.

    Parameters
    ----------
    metric : Metric
        The metric.
    oof : OOFPredictions
        Predictions, or fold scores alone.
    weight_folds : bool
        Whether folds count by their size, in the selection and in the score.
    selecting : Metric, default=None
        Metric that selects, where it is another one.

    Attributes
    ----------
    fold_scores : ndarray of shape (n_splits, n_configs)
        What is reported, greater is better; NaN where undefined.
    selecting_scores : ndarray of shape (n_splits, n_configs)
        The same of the metric that selects.
    splits : list of ndarray
        Splits of each repeat.
    sizes : ndarray of shape (n_splits,)
        Weight of each split; ones unless `weight_folds`.
    valid : ndarray of shape (n_configs,), bool
        Configurations that can be selected: those with a score in every fold.
    winner : int
        Configuration that the search selected, else the best mean over all folds.
    winner_by : str
        By what it was selected.
    reported : Metric
        What the scores of draws are of: `metric`, unless a rule reports another.
    draw_by_draw : bool
        Whether a draw is too costly to go through all that there are.
    columns : sequence of str
        Of what `choose` gives.
    """

    draw_by_draw = False
    columns: Sequence[str] = ("config",)

    def __init__(
        self,
        metric: Metric,
        oof: OOFPredictions,
        *,
        weight_folds: bool,
        selecting: Metric | None = None,
    ) -> None:
        self.metric = self.reported = metric
        self.fold_scores = scores = defined_scores(metric, oof)
        self.selected_by = None if selecting is None else selecting.name
        if selecting is not None:
            metric, scores = selecting, defined_scores(selecting, oof)
        self.selecting_scores = scores
        self.splits = splits_by_repeat(oof)
        self.sizes = fold_sizes(oof) if weight_folds else np.ones(len(scores))
        self.valid = ~np.isnan(scores).any(axis=0)
        if not self.valid.any():
            raise UndefinedIntervalError(why_undefined(scores, metric, oof))
        with quiet():
            weighted = scores * self.sizes[:, None]
            self._candidates = contenders(weighted, np.flatnonzero(self.valid))
            best = best_by_folds(np.where(self.valid, scores, np.nan), self.sizes)
        self._weighted = np.ascontiguousarray(weighted[:, self._candidates])
        if best is None:  # with huge weights
            raise UndefinedIntervalError(
                f"The scores per fold of {metric.name} are too large to be added up."
            )
        self.winner = best if oof.selected is None else oof.selected
        by = BY_SIZE if weight_folds else MeanOverFolds.by
        self.winner_by = by if oof.selected is None else oof.selected_by

    def check_scored(self, oof: OOFPredictions) -> None:
        """Raise where the selected configuration lacks a score: another one's is no answer."""
        if self.reported is not self.metric:  # a threshold or an ensemble says what it lacks
            return
        lacking = np.flatnonzero(np.isnan(self.fold_scores[:, self.winner]))
        if len(lacking):
            raise UndefinedIntervalError(
                f"The selected configuration, {config_words(self.winner, oof.params)}, has no "
                f"{self.metric.name} in fold {lacking[0]}. The score of another one would not be "
                "its score."
            )

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that selecting on one draw needs."""
        return 24 * len(self._candidates)

    def warn_if_slow(self, n_draws: int, splits: Any) -> None:
        """Say how long draws will take; sums of fold scores take no time."""

    def choose(self, counts: np.ndarray, splits: Any = slice(None)) -> Outcome:
        """What is selected in each draw, see `winners`."""
        return Outcome({"config": self.winners(counts, splits)})

    def score(self, counts: np.ndarray, outcome: Outcome, splits: Any = slice(None)) -> np.ndarray:
        """Score of what was selected, see `score_of`."""
        return self.score_of(counts, outcome["config"], splits)

    def won(self, outcome: Outcome) -> np.ndarray:
        """Draws that select what all folds select."""
        return outcome["config"] == self.winner

    def describe(self, outcome: Outcome) -> dict[str, Any]:
        """By-products for the details."""
        return {}

    def winners(self, counts: np.ndarray, splits: Any = slice(None)) -> np.ndarray:
        """Best configuration of each draw.

        Parameters
        ----------
        counts : ndarray of shape (n_draws, n_folds)
            How often each fold is drawn.
        splits : ndarray of shape (n_folds,), default=slice(None)
            Which splits these folds are.

        Returns
        -------
        ndarray of shape (n_draws,), intp
            First index on ties.
        """
        scores = self._weighted[splits]
        sums = counts.astype(float) @ scores  # (n_draws, n_candidates)
        leaders = sums.argmax(axis=1)
        # Of the drawn folds only: a score that diverged in another one blurs nothing.
        scale = np.einsum("bf,fb->b", counts, np.abs(scores[:, leaders]), optimize=False)
        threshold = sums[np.arange(len(sums)), leaders] - rounding(len(scores)) * scale
        return self._candidates[(sums >= threshold[:, None]).argmax(axis=1)]

    def score_of(
        self, counts: np.ndarray, configs: np.ndarray, splits: Any = slice(None)
    ) -> np.ndarray:
        """Mean score of one configuration per draw over the folds left out.

        Parameters
        ----------
        counts : ndarray of shape (n_draws, n_folds)
            How often each fold is drawn; at least one fold is not.
        configs : ndarray of shape (n_draws,)
            Configuration of each draw.
        splits : ndarray of shape (n_folds,), default=slice(None)
            Which splits these folds are.

        Returns
        -------
        ndarray of shape (n_draws,)
            Greater is better.
        """
        scores, sizes = self.fold_scores[splits], self.sizes[splits]
        total, weight = np.zeros(len(counts)), np.zeros(len(counts))
        for fold, size in enumerate(sizes):  # in order: equal draws give equal bits
            left_out = (counts[:, fold] == 0) * size
            total += left_out * scores[fold, configs]
            weight += left_out
        return total / weight


def contenders(scores: np.ndarray, valid: np.ndarray) -> np.ndarray:
    """Configurations that some draw of folds may select.

    One that another beats in every fold, or equals and comes after, is never selected;
    only the configurations with the best means are tried as the other.

    Parameters
    ----------
    scores : ndarray of shape (n_splits, n_configs)
        Greater is better.
    valid : ndarray of shape (n_valid,)
        Indices of configurations without NaN.

    Returns
    -------
    ndarray of shape (n_contenders,)
        Indices, in order.
    """
    contends = np.ones(len(valid), dtype=bool)
    of_valid = scores[:, valid]
    margin = rounding(len(scores)) * np.abs(of_valid).max(axis=0)
    for best in np.argsort(-of_valid.mean(axis=0), kind="stable")[:64]:
        lead = (of_valid[:, [best]] - of_valid).min(axis=0)
        beaten = lead > margin + margin[best]
        beaten[best + 1 :] |= lead[best + 1 :] >= 0
        contends &= ~beaten
    return valid[contends]


def defined_scores(metric: Metric, oof: OOFPredictions) -> np.ndarray:
    """Scores per fold, (n_splits, n_configs), NaN for failed configurations."""
    scores = summable(metric.fold_scores(oof))
    scores[:, oof.failed] = np.nan
    return scores


def splits_by_repeat(oof: OOFPredictions) -> list[np.ndarray]:
    """Splits of each repeat; all of them as one where the repeats are not known."""
    return [np.flatnonzero(oof.split_repeat == repeat) for repeat in range(oof.n_repeats)]


def summable(scores: np.ndarray) -> np.ndarray:
    """Copy of scores per fold, NaN where they are infinite or their sum could be."""
    scores = np.array(scores, dtype=float)
    scores[~(np.abs(scores) < TOO_LARGE)] = np.nan
    return scores


def fold_sizes(oof: OOFPredictions) -> np.ndarray:
    """Number of held-out rows of each split, or the sum of their sample weights."""
    if not len(oof.fold):
        raise ValueError(
            "weight_folds=True needs the sizes of the folds, but there are only fold scores. "
            "Give the fold of each sample too, or use weight_folds=False."
        )
    weight = None if oof.sample_weight is None else oof.sample_weight[oof.sample]
    return np.bincount(oof.fold, weights=weight, minlength=oof.n_splits).astype(float)


def why_undefined(scores: np.ndarray, metric: Metric, oof: OOFPredictions) -> str:
    """Name the fold that no configuration can be scored on, and the class that it lacks."""
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


def lacking_note(oof: OOFPredictions, metric: Metric) -> tuple[int, list[str]]:
    """Folds that hold no sample of some class, for metrics that treat classes apart.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions, or fold scores together with the labels and folds of the samples.
    metric : Metric
        The metric.

    Returns
    -------
    n_folds : int
        How many there are; 0 where nothing is known of the folds.
    note : list of str
        What there is to say of them.
    """
    classes = class_members(metric, oof)  # of tested samples: none where there are only scores
    if classes is None:
        return 0, []
    lacking: dict[int, str] = {}
    for members, name in zip(*classes, strict=True):
        inside = np.bincount(oof.fold[members[oof.sample]], minlength=oof.n_splits)
        for fold in np.flatnonzero(inside == 0).tolist():
            lacking.setdefault(fold, name)
    if not lacking:
        return 0, []
    fold = min(lacking)
    return len(lacking), [
        f"{len(lacking)} of {oof.n_splits} folds lack a class (fold {fold}: {lacking[fold]}): "
        "where the metric has a value there, it is one by convention (0 for 0/0, or the class "
        "left out), which is not a score of the model. Use stratified or fewer folds, or BBC, "
        "which draws samples."
    ]
