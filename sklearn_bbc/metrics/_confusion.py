"""Metrics of the confusion matrix: balanced accuracy, precision, recall, F, Jaccard, ...

All of them are functions of weighted counts per label, which are matrix products of the
weights and of 0/1 matrices that do not depend on the draw.

A label that neither occurs nor is predicted in a draw is not there, as on repeated rows:
averages over labels leave it out unless the labels were given.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import (
    balanced_accuracy_score,
    cohen_kappa_score,
    f1_score,
    fbeta_score,
    jaccard_score,
    matthews_corrcoef,
    precision_score,
    recall_score,
)

from ._base import MetricKernel
from ._exact_sums import DrawWeights, FixedSums
from ._inputs import known_arguments, target_kind
from ._label_counts import (
    Labels,
    LabelSets,
    confusion,
    label_target,
    one_each,
    positions_of,
)
from ._many_labels import label_counts
from ._rows import RowData
from .means._classification import blank_undefined

_MAX_CELLS = 2**22  # of confusion matrices held at once


class CountsKernel(MetricKernel):
    """Base of the metrics that are a function of counts per label.

    Attributes
    ----------
    target : Labels or LabelSets
        True and predicted labels.
    """

    by_class = True
    _slots: np.ndarray

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        target = label_target(rows)
        if target is None:
            raise ValueError(f"{self.name} needs class labels in y_true and y_pred.")
        self.target = target
        self._slots = self._make_slots()
        self._counts = label_counts(target, self._slots)

    def _make_slots(self) -> np.ndarray:
        """How often each class counts in each slot, (n_slots, n_classes); one slot per class."""
        n_classes = len(self.target.classes)
        return one_each(n_classes, np.arange(n_classes))

    @abstractmethod
    def _score(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> np.ndarray:
        """Score of each draw and configuration, or of one configuration per draw."""

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that scoring one draw needs."""
        # Counts are multiplied in single precision.
        per_row = 32 if self.rows.weighted else 16
        return per_row * self.rows.n_rows + 64 * len(self._slots) * self.rows.n_configs

    def _scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        drawn = DrawWeights(weights)
        scores = self._score(drawn, configs, False)
        scores[drawn.total == 0] = np.nan
        return blank_undefined(self, scores, configs)

    def _score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        drawn = DrawWeights(weights)
        scores = self._score(drawn, np.maximum(configs, 0), True)
        scores[drawn.total == 0] = np.nan
        return blank_undefined(self, scores, configs)

    def _true(self, drawn: DrawWeights, paired: bool) -> np.ndarray:
        true = self._counts.true(drawn)
        return true if paired else true[:, :, None]


def _divide(numerator: np.ndarray, denominator: np.ndarray, otherwise: float) -> np.ndarray:
    """Quotient, and a fixed value where the denominator is zero."""
    zero = denominator == 0
    quotient = numerator / np.where(zero, 1.0, denominator)
    return np.where(zero, otherwise, quotient)


def _total(parts: np.ndarray) -> np.ndarray:
    """Sum over the first axis in a fixed order, whatever the shape of the rest."""
    total = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total


def _mean_of_labels(
    values: np.ndarray, included: np.ndarray, weights: np.ndarray | None = None
) -> np.ndarray:
    """Mean over labels without NaN; unweighted where the weights are all zero.

    Parameters
    ----------
    values : ndarray of shape (n_slots, ...)
        Scores per label.
    included : ndarray of the same shape, bool
        Labels that count.
    weights : ndarray that broadcasts to this shape, default=None
        Weights of the labels.
    """
    included = included & ~np.isnan(values)
    share = included.astype(np.float64)
    if weights is not None:
        weighted = weights * included
        share = np.where(_total(weighted) > 0, weighted, share)
    return _divide(_total(np.where(included, values, 0.0) * share), _total(share), np.nan)


class BalancedAccuracy(CountsKernel):
    """Mean recall of the classes that a draw holds."""

    name = "balanced_accuracy"
    example = ("balanced_accuracy", "four classes")
    score_funcs = {balanced_accuracy_score: (0.0, 1.0)}

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        self._adjusted = bool(rows.kwargs.get("adjusted", False))
        true = np.unique(self.target.y)
        if self._adjusted and len(true) == 2:
            # Chance level is 1 when one class is left.
            self.strata = np.stack([self.target.y == code for code in true])
            self.strata_names = [f"class {self.target.classes[code]}" for code in true]

    @property
    def conditions_on_class(self) -> bool:
        """A mean of recalls, each within its class."""
        return True

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """One label per row."""
        return known_arguments(score_func, rows.kwargs, "adjusted") and (
            target_kind(rows) == "labels"
        )

    def _score(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> np.ndarray:
        true = self._true(drawn, paired)
        hits = self._counts.hits(drawn, configs, paired)
        there = np.broadcast_to(true > 0, hits.shape)
        score = _mean_of_labels(_divide(hits, true, np.nan), there)
        if self._adjusted:
            chance = 1 / np.maximum(1, there.sum(axis=0))
            score = _divide(score - chance, 1 - chance, np.nan)
        return score


class PrecisionRecall(CountsKernel):
    """Precision, recall, F and Jaccard score, of one label or averaged over labels."""

    name = "precision_recall"
    example = ("f1_macro", "four classes")
    score_funcs = {
        function: (0.0, 1.0)
        for function in (precision_score, recall_score, f1_score, fbeta_score, jaccard_score)
    }

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        kwargs = rows.kwargs
        self._average = kwargs.get("average", "binary")
        given = kwargs.get("zero_division", "warn")
        self._otherwise = 0.0 if isinstance(given, str) else float(given)
        beta = kwargs.get("beta", 1.0)
        if score_func is precision_score:
            beta = 0.0
        elif score_func is recall_score:
            beta = np.inf
        self._beta2 = float(beta) ** 2
        # Labels that were asked for count even when they are not there.
        self._all = isinstance(self.target, LabelSets) or kwargs.get("labels") is not None

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Averages over labels that give one score; not the mean over samples."""
        kwargs = rows.kwargs
        names = ("labels", "pos_label", "average", "zero_division", "beta")
        if not known_arguments(score_func, kwargs, *names):
            return False
        zero, beta = kwargs.get("zero_division", "warn"), kwargs.get("beta", -1)
        if isinstance(zero, Real):
            left_out = np.isnan(float(zero)) and score_func is not jaccard_score
            if zero not in (0, 1) and not left_out:
                return False
        elif zero != "warn":
            return False
        if score_func is fbeta_score and not (isinstance(beta, Real) and float(beta) >= 0):
            return False
        average = kwargs.get("average", "binary")
        kind = target_kind(rows)
        if average not in ("binary", "micro", "macro", "weighted") or kind is None:
            return False
        if average == "binary":
            return kind == "labels" and _pos_position(rows.label_classes(), kwargs) is not None
        labels = kwargs.get("labels")
        return labels is None or positions_of(labels, rows) is not None

    def _make_slots(self) -> np.ndarray:
        kwargs = self.rows.kwargs
        average, labels = kwargs.get("average", "binary"), kwargs.get("labels")
        classes = self.target.classes
        if average == "binary":
            positions = _pos_position(classes, kwargs)
        elif labels is not None:
            positions = positions_of(labels, self.rows)
        else:
            positions = np.arange(len(classes))
        if positions is None:
            raise ValueError(f"labels and pos_label do not match the classes {classes.tolist()}.")
        slots = one_each(len(classes), positions)
        if average == "micro":
            together = slots.sum(axis=0, keepdims=True)
            return together.astype(np.min_scalar_type(int(together.max(initial=0))))
        return slots

    def _score(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> np.ndarray:
        true = self._true(drawn, paired)
        hits = self._counts.hits(drawn, configs, paired)
        predicted = self._counts.predicted(drawn, configs, paired)
        if self.score_func is jaccard_score:
            values = _divide(hits, true + predicted - hits, self._otherwise)
        elif np.isinf(self._beta2):
            values = _divide(hits, np.broadcast_to(true, hits.shape), self._otherwise)
        elif self._beta2 == 0:
            values = _divide(hits, predicted, self._otherwise)
        else:
            denominator = self._beta2 * true + predicted
            values = _divide((1 + self._beta2) * hits, denominator, self._otherwise)
        if self._average in ("binary", "micro"):
            return values[0]
        included = np.ones(values.shape, dtype=bool) if self._all else true + predicted > 0
        return _mean_of_labels(values, included, true if self._average == "weighted" else None)


def _pos_position(classes: np.ndarray, kwargs: Mapping[str, Any]) -> np.ndarray | None:
    """Where the positive label is; None with more than two classes, or when it is neither."""
    pos_label, known = kwargs.get("pos_label", 1), classes.tolist()
    if len(known) > 2 or (len(known) == 2 and pos_label not in known):
        return None
    # With one label only, it is fine if it is the other one: nothing is positive.
    return np.array([known.index(pos_label) if pos_label in known else -1])


class Matthews(CountsKernel):
    """Correlation of true and predicted labels."""

    name = "matthews"
    example = ("matthews_corrcoef", "four classes")
    score_funcs = {matthews_corrcoef: (-1.0, 1.0)}

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """One label per row."""
        return not rows.kwargs and target_kind(rows) == "labels"

    def _score(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> np.ndarray:
        true = self._true(drawn, paired)
        hits = _total(self._counts.hits(drawn, configs, paired))
        predicted = self._counts.predicted(drawn, configs, paired)
        # Totals as sums of the same terms: exactly zero covariance when one label is left,
        # whatever the rounding of weights that are not integers.
        n_true, n_pred = _total(true), _total(predicted)
        between = hits * n_true - _total(true * predicted)
        of_true = n_true**2 - _total(true**2)
        of_pred = n_pred**2 - _total(predicted**2)
        return _divide(between, np.sqrt(np.maximum(of_true * of_pred, 0.0)), 0.0)


class CohenKappa(CountsKernel):
    """Agreement of true and predicted labels beyond chance."""

    name = "cohen_kappa"
    example: ClassVar[tuple[Any, str] | None] = ((cohen_kappa_score, {}), "four classes")
    score_funcs = {cohen_kappa_score: (-1.0, 1.0)}

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        self._labels = rows.kwargs.get("labels")
        self._power = {"linear": 1, "quadratic": 2}.get(rows.kwargs.get("weights") or "", 0)
        self._otherwise = float(rows.kwargs.get("replace_undefined_by", np.nan))
        self._order = np.arange(len(self.target.classes))
        if self._labels is not None:
            positions = positions_of(self._labels, rows)
            if positions is None:
                raise ValueError(f"labels={self._labels!r} do not match the target.")
            # Labels of no row, coded -1, keep their place and so the distances.
            self._order = positions
            self._known = FixedSums(np.isin(self.target.y, positions)[None])

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """One label per row, and labels without repetition."""
        kwargs = rows.kwargs
        if not known_arguments(score_func, kwargs, "labels", "weights", "replace_undefined_by"):
            return False
        known_weights = kwargs.get("weights") in (None, "linear", "quadratic")
        if not known_weights or target_kind(rows) != "labels":
            return False
        labels = kwargs.get("labels")
        if labels is None:
            return True
        positions = positions_of(labels, rows)
        return positions is not None and len(np.unique(np.asarray(labels))) == len(positions)

    def _score(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> np.ndarray:
        if self._labels is None and self._power == 0:
            return self._unweighted(drawn, configs, paired)
        n_labels = len(self._order)
        if paired:
            return self._weighted(drawn, configs, True)
        size = max(1, _MAX_CELLS // (n_labels**2 * max(1, len(drawn))))
        parts = [
            self._weighted(drawn, configs[start : start + size], False)
            for start in range(0, len(configs), size)
        ]
        return np.concatenate(parts, axis=1)

    def _unweighted(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> np.ndarray:
        true = self._true(drawn, paired)
        hits = _total(self._counts.hits(drawn, configs, paired))
        predicted = self._counts.predicted(drawn, configs, paired)
        n_true, n_pred = _total(true), _total(predicted)
        observed = n_true * (n_pred - hits)
        expected = n_true * n_pred - _total(true * predicted)
        kappa = 1 - _divide(observed, expected, np.nan)
        return np.where(expected == 0, self._otherwise, kappa)

    def _weighted(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> np.ndarray:
        """Disagreements count by how far labels are apart, or the labels were given."""
        if not isinstance(self.target, Labels):
            raise ValueError("cohen_kappa needs one label per sample.")
        cells = confusion(self.target, self._order, drawn, configs, paired)
        n_labels, shape = len(self._order), cells.shape[2:]
        true = np.stack([_total(cells[i]) for i in range(n_labels)])
        predicted = np.stack([_total(cells[:, i]) for i in range(n_labels)])
        if self._labels is None:
            # Places among the labels that the draw holds: an absent one leaves no gap.
            place = np.cumsum(true + predicted > 0, axis=0, dtype=np.float64)
        else:
            place = np.broadcast_to(
                np.arange(n_labels, dtype=float).reshape(-1, *[1] * len(shape)), true.shape
            )
        observed, expected = np.zeros(shape), np.zeros(shape)
        for i in range(n_labels):
            for j in range(n_labels):
                if i != j:
                    apart = np.abs(place[i] - place[j]) ** self._power
                    observed += apart * cells[i, j]
                    expected += apart * true[i] * predicted[j]
        n = _total(true)
        kappa = 1 - _divide(n * observed, expected, np.nan)
        kappa = np.where((expected == 0) | (n == 0), self._otherwise, kappa)
        if self._labels is not None:
            lost = self._known(drawn)[:, 0] == 0  # no label that was given is in the draw
            kappa[lost] = np.nan
        return kappa
