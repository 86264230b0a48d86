"""Base of methods that need nothing but the scores per fold of one configuration."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import norm, t

from ..._floats import quiet
from ..._warn import warn_user
from ..._wording import config_words
from ...exceptions import IntervalWarning, UndefinedIntervalError
from ...metrics import Metric
from ...predictions import OOFPredictions
from ...predictions._subset import part_of
from ...results import ConfidenceInterval
from .._base import BaseInterval
from .._caveats import caveats_of_folds, no_spread, tell_degenerate
from .._criterion import MeanOverFolds, best_by_folds
from ..winner._fold_kernel import lacking_note, why_undefined
from ._base import NOT_ACCOUNTED, check_config, check_exists

OF_TRAINING = (
    "score on new samples of one configuration, fixed in advance, trained on as many samples as a "
    "training fold has"
)


WORTH_A_NOTE, WORTH_A_WARNING = 0.1, 0.25
"""Shares of the variance that stratified folds hide, from which on it is said."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldSample:
    """Scores of one configuration, a value per split.

    Attributes
    ----------
    metric : Metric
        The metric.
    scores : ndarray of shape (n_splits,)
        In scorer orientation, all defined.
    details : dict
        By-products to report; `notes` is a list that the method may extend.
    """

    metric: Metric
    scores: np.ndarray
    details: dict[str, Any] = field(default_factory=dict)


class FoldScoresInterval(BaseInterval):
    """Base of methods for one configuration that work on its scores per fold.

    They work from published fold scores and from any fitted search as well, since no
    prediction is needed.
    """

    requires = frozenset({"folds"})
    estimand = OF_TRAINING
    selection_aware = False

    config: int | None

    def _validate(self) -> None:
        super()._validate()
        check_config(self.config)

    def _bind(self, oof: OOFPredictions, metric: Metric) -> FoldSample:
        scores = metric.fold_scores(oof)
        with quiet():
            return self._sample(oof, metric, np.where(oof.failed, np.nan, scores))

    def _sample(self, oof: OOFPredictions, metric: Metric, scores: np.ndarray) -> FoldSample:
        """Fold scores of the configuration of interest, with what is to be said of them."""
        means = scores.mean(axis=0)
        best = best_by_folds(scores)
        if best is None:
            raise UndefinedIntervalError(why_undefined(scores, metric, oof))
        best = best if oof.selected is None else oof.selected
        config = best if self.config is None else int(self.config)
        check_exists(config, oof)
        if np.isnan(means[config]):
            undefined = np.flatnonzero(np.isnan(scores[:, config])).tolist()
            raise ValueError(
                f"The selected model, {config_words(config, oof.params)}, has no {metric.name} in "
                f"fold {undefined}: it failed there, or the fold lacks a class."
            )
        infinite = np.flatnonzero(np.isinf(scores[:, config])).tolist()
        if infinite:
            raise UndefinedIntervalError(
                f"{type(self).__name__} needs finite scores, but "
                f"{config_words(config, oof.params)} has an infinite {metric.name} in fold "
                f"{infinite}."
            )
        chosen_here = config == best and np.count_nonzero(~np.isnan(means)) > 1
        details: dict[str, Any] = {
            "winner": best,
            "winner_by": MeanOverFolds.by if oof.selected is None else oof.selected_by,
            "config": config,
            "selection_accounted_for": not chosen_here,
            "unit": "fold",
            "n_untested": oof.n_untested if oof.n_rows else 0,
            "n_folds": len(scores),
            "n_repeats": oof.n_repeats,
            "n_configs": oof.n_configs,
            "notes": [
                *([NOT_ACCOUNTED] if chosen_here else []),
                *caveats_of_folds(oof, ~np.isnan(means)),
            ],
        }
        details["notes"].extend(told_of_even_folds(type(self).__name__, oof, metric, config))
        details["n_folds_lacking_class"], told = lacking_note(oof, metric)
        details["notes"].extend(told)
        return FoldSample(metric=metric, scores=scores[:, config], details=details)

    def _spread(self, sample: FoldSample, n_repeats: int = 1) -> float:
        """Standard deviation of the fold scores; zero is reported, for it is never true.

        With `n_repeats` it is that within the repeats, of which each holds as many folds.
        """
        n_folds = len(sample.scores) // n_repeats
        by_repeat = sample.scores[: n_folds * n_repeats].reshape(n_repeats, n_folds)
        spread = float(np.sqrt(np.mean(np.var(by_repeat, axis=1, ddof=1))))
        degenerate = no_spread(spread, float(sample.scores.mean()))
        seen = f"All {len(sample.scores)} folds score the same"
        tell_degenerate(sample.details, type(self).__name__, degenerate, seen)
        return spread

    def _symmetric(
        self, sample: FoldSample, standard_error: float, *, degrees: int | None
    ) -> ConfidenceInterval:
        """Mean of the folds plus and minus a normal or Student quantile of standard errors."""
        return self._from_se(
            float(sample.scores.mean()),
            standard_error,
            sample.metric,
            quantile=self._multiple(degrees),
            details=sample.details,
        )

    def _multiple(self, degrees: int | None) -> float:
        """Quantile of one tail: Student's, or the normal one without degrees of freedom."""
        level = 1 - self._tail()
        return float(norm.ppf(level) if degrees is None else t.ppf(level, degrees))


def shares_are_even(held: np.ndarray) -> bool:
    """Whether test sets have about the shares of the classes that all samples have.

    Parameters
    ----------
    held : ndarray of shape (n_splits, n_classes)
        Samples of each class in each test set.

    Returns
    -------
    bool
        True where each is within one sample of its share, and that is not a matter of course, as
        in leave-one-out: random test sets would vary at least twice as much.
    """
    share = held.sum(axis=0) / held.sum()
    size = held.sum(axis=1, keepdims=True)
    squares = (held - size * share) ** 2
    at_random = size * share * (1 - share)
    return bool(squares.max() <= 1 and 2 * squares.sum() < at_random.sum())


def told_of_even_folds(method: str, oof: OOFPredictions, metric: Metric, config: int) -> list[str]:
    """Say where stratified folds hide much of the spread that a method lives on; warn if most.

    Parameters
    ----------
    method : str
        Name for the warning.
    oof : OOFPredictions
        Predictions.
    metric : Metric
        The metric.
    config : int
        The configuration.

    Returns
    -------
    list of str
        The note, or nothing.
    """
    hidden = hidden_by_stratification(oof, metric, config)
    if hidden < WORTH_A_NOTE:
        return []
    note = (
        f"All folds have about the same shares of the classes, and {100 * hidden:.0f}% "
        f"of the variance of {metric.name} is between classes: the spread of the fold "
        "scores leaves that out, so the interval is too narrow. Folds drawn at random "
        "(KFold with shuffle=True) show it."
    )
    if hidden >= WORTH_A_WARNING:
        warn_user(f"{method}: {note}", IntervalWarning)
    return [note]


def hidden_by_stratification(oof: OOFPredictions, metric: Metric, config: int) -> float:
    """Share of a score's variance between samples that is between classes, if folds hide it.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions; of fold scores alone nothing can be told.
    metric : Metric
        Of metrics that are not means over samples nothing is told either.
    config : int
        The configuration.

    Returns
    -------
    float
        0 where the folds are not stratified.
    """
    if not oof.responses or oof.classes_ is None or oof.y_true.ndim != 1 or oof.n_splits < 2:
        return 0.0
    code = np.searchsorted(oof.classes_, oof.y_true)[oof.sample]
    held = np.zeros((oof.n_splits, len(oof.classes_)))  # (n_splits, n_classes)
    np.add.at(held, (oof.fold, code), 1)
    if not shares_are_even(held) or oof.groups is not None or oof.sample_weight is not None:
        return 0.0
    # Bound to one configuration only: it is not computed for the others.
    everything = np.ones(oof.n_samples, dtype=bool)
    if metric.score_func is None:
        return 0.0
    try:
        values = metric.bind(part_of(oof, everything, np.array([config]))).pointwise(0)
    except ValueError:  # what was recorded is not what the metric consumes
        return 0.0
    if values is None:
        return 0.0
    total = float(np.sum((values - values.mean()) ** 2))
    if not total > 0:
        return 0.0
    size = np.bincount(code, minlength=len(oof.classes_))
    means = np.bincount(code, values, len(oof.classes_)) / np.maximum(size, 1)
    return float((size * (means - values.mean()) ** 2).sum() / total)
