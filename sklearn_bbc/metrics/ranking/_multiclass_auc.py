"""Area under the ROC curve with more than two classes, or with several labels."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import ClassVar

import numpy as np
from sklearn.metrics import roc_auc_score

from .._rows import RowData
from ._base import RankKernel
from ._losses import MisplacedPairs
from ._one_vs_rest import MicroAverage, OneVsRest, indicator
from ._roc_auc import RocAUC, known_roc_arguments


def _asked(rows: RowData) -> tuple[str, str | None] | None:
    """Comparison (``"ovr"``, ``"ovo"``, ``"raise"``) and average, or None when not ours."""
    if rows.codes_given or not known_roc_arguments(rows) or indicator(rows) is None:
        return None
    average = rows.kwargs.get("average", "macro")
    if rows.y.ndim == 2:
        return "ovr", average
    return rows.kwargs.get("multi_class", "raise"), average


def _are_probabilities(rows: RowData) -> np.ndarray | None:
    """Configurations whose scores sum to one, which scikit-learn asks of several classes."""
    if rows.y.ndim == 2:
        return None
    sums = np.stack([one.sum(axis=1) for one in rows.pred])
    sound = np.isclose(1, sums).all(axis=1)
    if not sound.any():
        raise ValueError(
            "roc_auc of several classes needs probabilities, but no configuration's scores sum "
            "to 1 over the classes. Record predict_proba, or normalise the scores."
        )
    return sound


class RocAUCOneVsRest(OneVsRest):
    """Mean area under the ROC curve of each class against the rest, or of each label.

    Parameters
    ----------
    score_func : callable
        `sklearn.metrics.roc_auc_score`.
    rows : RowData
        Rows of one repeat.

    Raises
    ------
    ValueError
        If there are more than two classes and ``multi_class`` does not say how to compare
        them, or if no configuration's scores are probabilities.
    """

    name = "roc_auc_ovr"
    example = ("roc_auc_ovr", "four classes")
    score_funcs: ClassVar = {roc_auc_score: (0.0, 1.0)}
    walk = MisplacedPairs

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        if rows.y.ndim == 1 and rows.kwargs.get("multi_class", "raise") == "raise":
            raise ValueError(
                f"roc_auc with {rows.pred.shape[2]} classes must say how they are compared: use "
                "scoring='roc_auc_ovr' (each class against the rest), 'roc_auc_ovo' (each pair "
                "of classes), or make_scorer(roc_auc_score, response_method='predict_proba', "
                "multi_class=...)."
            )
        super().__init__(score_func, rows)
        self.defined = _are_probabilities(rows)

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Several columns, each against the rest, plain or weighted mean."""
        asked = _asked(rows)
        return asked is not None and (
            asked[0] == "raise" or (asked[0] == "ovr" and asked[1] in ("macro", "weighted"))
        )


class RocAUCMicro(MicroAverage):
    """Area under the ROC curve of all pairs of a row and a class (or label) together.

    Parameters
    ----------
    score_func : callable
        `sklearn.metrics.roc_auc_score`.
    rows : RowData
        Rows of one repeat.
    """

    name = "roc_auc_micro"
    example = (
        (roc_auc_score, {"response_method": "predict_proba", "average": "micro"}),
        "label sets",
    )
    score_funcs: ClassVar = {roc_auc_score: (0.0, 1.0)}
    two_classes = RocAUC

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        self.defined = self._inner.defined = _are_probabilities(rows)

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Several columns, ``average="micro"``."""
        return _asked(rows) == ("ovr", "micro")


class RocAUCOneVsOne(RankKernel):
    """Mean area under the ROC curve over pairs of classes (Hand and Till).

    Each pair is compared twice, by the scores of either class. ``average="weighted"``
    counts a pair by its share of the rows. Without `labels` a draw needs every class, as
    in scikit-learn; with them, pairs without rows are left out. Sample weights, which
    scikit-learn does not take here, weigh the rows of a pair.

    Parameters
    ----------
    score_func : callable
        `sklearn.metrics.roc_auc_score`.
    rows : RowData
        Rows of one repeat.

    References
    ----------
    .. [1] D. J. Hand, R. J. Till, "A simple generalisation of the area under the ROC
       curve for multiple class classification problems", Machine Learning 45, 171-186
       (2001). :doi:`10.1023/A:1010920819831`
    """

    name = "roc_auc_ovo"
    example = ("roc_auc_ovo", "four classes")
    score_funcs: ClassVar = {roc_auc_score: (0.0, 1.0)}
    walk = MisplacedPairs

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        found = indicator(rows)
        assert found is not None  # `handles` says so
        has, names, _ = found
        for a, b in permutations(range(has.shape[1]), 2):
            self._add_part(rows.pred[:, :, a], has[:, a], has[:, b])
        self._weighted = rows.kwargs.get("average", "macro") == "weighted"
        self.needs_every_part = rows.kwargs.get("labels") is None
        if self.needs_every_part:
            self.strata, self.strata_names = has.T, names
        self.defined = _are_probabilities(rows)

    @property
    def conditions_on_class(self) -> bool:
        """Pairs of classes, each of equal weight; in one-vs-rest larger classes count more."""
        return not self._weighted

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """More than two classes, all pairs, plain or weighted mean."""
        asked = _asked(rows)
        return asked is not None and asked[0] == "ovo" and asked[1] in ("macro", "weighted")

    def _shares(self, positive: np.ndarray, negative: np.ndarray) -> np.ndarray | None:
        if self.needs_every_part and not self._weighted:
            return None
        there = (positive > 0) & (negative > 0)
        return there * (positive + negative) if self._weighted else there.astype(np.float64)
