"""What the choice of a method looks at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from ..metrics import as_metric
from ..predictions import OOFPredictions
from .single._fold_scores import hidden_by_stratification
from .winner._bbc_notes import moved_by_pooling


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What the choice of a method depends on.

    Attributes
    ----------
    several : bool
        Several configurations, of which one is selected.
    predictions : bool
        There are predictions, not fold scores alone.
    n_folds : float
        Folds per repeat; 0 or 1 for a test set.
    tested : int
        Samples with predictions.
    smallest : float
        Samples of the rarest class; infinite without classes.
    partition : bool
        Whether every repeat holds every sample once.
    plain : bool
        No groups and no sample weights.
    weighted : bool
        There are sample weights.
    auc : bool
        The metric is the area under the ROC curve of two classes.
    mean : bool
        The metric is a mean over samples, known for each, and samples are plain.
    share : bool
        The same, and each sample counts 0 or 1.
    hidden : float
        Share of the variance of a mean over samples that stratified folds hide, of one of
        several configurations.
    pooled : bool
        Whether pooling the folds moves the score of one of several configurations by more than
        a standard error, which it can where the metric compares samples.
    fast, refits, dynamic : bool
        What the user asks for, and says of the search.
    """

    several: bool
    predictions: bool
    n_folds: float
    tested: int
    smallest: float
    partition: bool
    plain: bool
    weighted: bool
    auc: bool
    mean: bool
    share: bool
    hidden: float
    pooled: bool
    fast: bool
    refits: bool
    dynamic: bool

    @classmethod
    def of(
        cls, oof: OOFPredictions, scoring: Any, fast: bool, refits: bool, dynamic: bool
    ) -> Facts:
        """Look at predictions and metric."""
        several = oof.n_configs - int(oof.failed.sum()) > 1
        plain = oof.groups is None and oof.sample_weight is None
        auc, values, share, hidden, pooled = False, None, False, 0.0, False
        if oof.responses and not several:
            metric = as_metric(scoring)
            auc = metric.score_func is roc_auc_score and not metric.kwargs.get("max_fpr")
            auc = auc and oof.classes_ is not None and len(oof.classes_) == 2
            values = metric.bind(oof).pointwise(0) if plain else None
            share = bool(metric.sign > 0 and values is not None and np.isin(values, (0, 1)).all())
        if several and oof.responses:
            config = np.flatnonzero(~oof.failed)[0] if oof.selected is None else oof.selected
            pooled = moved_by_pooling(oof, as_metric(scoring), int(config))
            if fast:
                hidden = hidden_by_stratification(oof, as_metric(scoring), int(config))
        return cls(
            several=several,
            predictions=bool(oof.responses),
            n_folds=oof.n_splits / oof.n_repeats,
            tested=oof.n_samples - oof.n_untested,
            smallest=smallest_class(oof),
            partition=oof.is_partition,
            plain=plain,
            weighted=oof.sample_weight is not None,
            auc=auc,
            mean=values is not None,
            share=share,
            hidden=hidden,
            pooled=pooled,
            fast=fast,
            refits=refits,
            dynamic=dynamic,
        )

    def per_fold(self, least: int) -> bool:
        """Whether a fold holds this many samples of each class, on average."""
        return self.smallest >= least * self.n_folds


def smallest_class(oof: OOFPredictions) -> float:
    """Tested samples of the rarest class; infinite without classes."""
    if oof.classes_ is None or oof.y_true.ndim != 1:
        return np.inf
    return float(np.unique(oof.y_true[oof.tested], return_counts=True)[1].min())
