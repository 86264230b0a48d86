"""Which method for which predictions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from ..metrics import as_metric
from ..predictions import OOFPredictions
from ._base import BaseInterval
from ._bayle import BayleCV
from ._bbc import BBC
from ._bbcf import BBCF
from ._corrected_t import CorrectedT
from ._cvauc import CVAUC
from ._delong import DeLong
from ._hierarchical import HierarchicalBootstrap
from ._pooled_bootstrap import PooledBootstrap
from ._wald import Wald

FEW_SAMPLES = 50
FEW_OF_A_CLASS = 10
FEW_IN_A_FOLD = 5
SMALL = 100


@dataclass(frozen=True)
class Recommendation:
    """A method and why; unpacks as ``(method, reason)``.

    Parameters
    ----------
    method : BaseInterval
        The method with its defaults.
    reason : str
        Why this one, in a sentence.

    See Also
    --------
    recommend : Makes it.

    Examples
    --------
    >>> from sklearn_bbc.intervals import BBC, Recommendation
    >>> method, reason = Recommendation(BBC(), "It takes any metric.")
    >>> method
    BBC()
    """

    method: BaseInterval
    reason: str

    def __iter__(self) -> Iterator[Any]:
        return iter((self.method, self.reason))


def recommend(oof: OOFPredictions, scoring: Any, *, fast: bool = False) -> Recommendation:
    """Recommend an interval method for these predictions and this metric.

    Parameters
    ----------
    oof : OOFPredictions
        Out-of-fold predictions, fold scores, or predictions on a test set (without
        folds).
    scoring : str, scorer or Metric
        The metric.
    fast : bool, default=False
        Prefer BBC-F to BBC where both are sound: for metrics without a kernel, or very
        large data.

    Returns
    -------
    Recommendation
        The method and the reason, in one sentence.

    Notes
    -----
    Several configurations: BBC, or BBC-F when only fold scores are there. One
    configuration: CVAUC for roc_auc, BayleCV for means over samples, the corrected t
    for fold scores, the studentised hierarchical bootstrap for small data. A test set:
    DeLong for roc_auc, Wilson for accuracy, a bootstrap otherwise or with groups.

    Examples
    --------
    >>> from sklearn_bbc.intervals import recommend
    >>> from sklearn_bbc.testing import example_predictions
    >>> method, reason = recommend(example_predictions(), "roc_auc")
    >>> method
    BBC()
    """
    several = oof.n_configs - int(oof.failed.sum()) > 1
    if not oof.responses:
        if several and oof.n_splits >= 3:
            return Recommendation(
                BBCF(),
                "Several configurations of which only fold scores are known: BBC-F corrects the "
                "selection from fold scores alone.",
            )
        return Recommendation(
            CorrectedT(),
            "One configuration of which only fold scores are known: the corrected t interval "
            "allows for overlapping training sets.",
        )
    smallest = _smallest_class(oof)
    if several:
        return _for_selection(oof, fast, smallest)
    metric = as_metric(scoring)
    is_auc = metric.score_func is roc_auc_score and not metric.kwargs.get("max_fpr")
    is_auc = is_auc and oof.classes_ is not None and len(oof.classes_) == 2
    plain = oof.groups is None and oof.sample_weight is None
    pointwise = metric.bind(oof).pointwise(0) if plain else None
    if oof.n_splits < 2:
        if is_auc:
            return Recommendation(
                DeLong(), "One model on a test set: DeLong's interval is right for roc_auc."
            )
        if pointwise is not None and metric.sign > 0 and np.isin(pointwise, (0, 1)).all():
            return Recommendation(
                Wald(form="wilson"),
                "One model on a test set and a proportion: Wilson's interval holds its level.",
            )
        return Recommendation(
            PooledBootstrap(),
            "One model on a test set: the bootstrap takes any metric, groups and weights.",
        )
    tested = oof.n_samples - oof.n_untested
    if is_auc and oof.sample_weight is None and smallest >= FEW_IN_A_FOLD * oof.n_splits:
        return Recommendation(
            CVAUC(),
            "One configuration and roc_auc: the influence curve compares within folds only.",
        )
    if pointwise is not None and tested >= SMALL:
        return Recommendation(
            BayleCV(),
            "One configuration and a mean over samples: the central limit theorem of "
            "cross-validation holds for the models of the folds (for the method itself, use "
            "CorrectedT).",
        )
    if tested < SMALL and smallest >= 2 * oof.n_splits:
        return Recommendation(
            HierarchicalBootstrap(),
            "One configuration and few samples: the studentised hierarchical bootstrap allows for "
            "folds and comes closest to its level.",
        )
    return Recommendation(
        CorrectedT(),
        "One configuration and any metric: the corrected t interval allows for overlapping "
        "training sets.",
    )


def _for_selection(oof: OOFPredictions, fast: bool, smallest: float) -> Recommendation:
    tested = oof.n_samples - oof.n_untested
    if tested < FEW_SAMPLES or smallest < FEW_OF_A_CLASS:
        few = f"{tested} samples"
        if np.isfinite(smallest):
            few += f", {int(smallest)} in the smallest class"
        return Recommendation(
            BBC(), f"Several configurations and few data ({few}): BBC covers, but expect a very "
            "wide interval.",
        )  # fmt: skip
    enough_folds = oof.n_splits / oof.n_repeats >= FEW_IN_A_FOLD and oof.is_partition
    if fast and enough_folds and smallest >= FEW_IN_A_FOLD * oof.n_splits / oof.n_repeats:
        return Recommendation(
            BBCF(),
            "Several configurations and at least 5 folds with enough of each class: BBC-F "
            "corrects the selection in the shortest time.",
        )
    return Recommendation(
        BBC(), "Several configurations: BBC corrects the selection, for any metric and splitter."
    )


def _smallest_class(oof: OOFPredictions) -> float:
    """Tested samples of the rarest class; infinite without classes."""
    if oof.classes_ is None or oof.y_true.ndim != 1:
        return np.inf
    return float(np.unique(oof.y_true[oof.tested], return_counts=True)[1].min())
