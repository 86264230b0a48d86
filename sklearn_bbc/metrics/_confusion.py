"""Metrics of weighted counts of true, predicted and correctly predicted labels."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
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

from ._arithmetic import DrawWeights, neighbours, sums_of
from ._base import MetricKernel, RowData, known_arguments, target_kind
from ._classification import blank_undefined


@dataclass(frozen=True, eq=False)
class Labels:
    """One label per row, as codes: `y` (n_rows,) and, in a small type, `pred` (n_configs, n_rows).

    `classes` (n_classes,) are all labels, those only predicted included.
    """

    classes: np.ndarray
    y: np.ndarray
    pred: np.ndarray

    def true(self, times: np.ndarray) -> np.ndarray:
        """Look up how often each row's true label counts, shape (n_rows,)."""
        return times[self.y]

    def predicted(self, times: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Look up how often each predicted label counts, shape (n_chosen, n_rows)."""
        return times[self.pred[configs]]

    def hits(self, times: np.ndarray, configs: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Look up how often each correct label counts, 0 if wrong, shape (n_chosen, len(rows))."""
        right = _rows_taken(self.pred, configs, rows) == self.y[rows]
        return right * times[self.y[rows]]


@dataclass(frozen=True, eq=False)
class LabelSets:
    """Any number of labels per row, as 0/1 matrices of uint8.

    `y` (n_rows, n_classes) are the true labels, `pred` (n_configs, n_rows, n_classes) the
    predicted ones.
    """

    y: np.ndarray
    pred: np.ndarray

    @property
    def classes(self) -> np.ndarray:
        """Indices of the columns, one for each label."""
        return np.arange(self.y.shape[1])

    def true(self, times: np.ndarray) -> np.ndarray:
        """Sum how often each row's true labels count, shape (n_rows,)."""
        return _columns_times(self.y, times)

    def predicted(self, times: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Sum how often each row's predicted labels count, shape (n_chosen, n_rows)."""
        return _columns_times(self.pred[configs], times)

    def hits(self, times: np.ndarray, configs: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Sum how often each row's correct labels count, shape (n_chosen, len(rows))."""
        return _columns_times(self.pred[np.ix_(configs, rows)] & self.y[rows], times)


def _rows_taken(pred: np.ndarray, configs: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Select configurations and rows, in the order in which they are in memory."""
    some = pred[neighbours(configs)]
    by_row = some.strides[0] < some.strides[1]
    return some.T[rows].T if by_row else some[:, rows]


def _columns_times(indicator: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Sum the columns, each multiplied by the number of times it counts."""
    total = np.zeros(indicator.shape[:-1], dtype=np.min_scalar_type(int(times.sum())))
    for column in np.flatnonzero(times):
        total += indicator[..., column] * times[column].astype(total.dtype)
    return total


def label_positions(labels: Any, rows: RowData) -> np.ndarray | None:
    """Find the positions (n_labels,) of given labels among the classes."""
    labels = np.asarray(labels)
    if labels.ndim != 1 or len(labels) == 0:
        return None
    if rows.y.ndim == 2:
        there = labels.dtype.kind in "iu" and labels.min() >= 0 and labels.max() < rows.y.shape[1]
        return labels if there else None
    classes = rows.label_classes()
    if (labels.dtype.kind in "US") != (classes.dtype.kind in "US"):
        return None
    codes = np.searchsorted(classes, labels).clip(max=len(classes) - 1)
    return np.where(classes[codes] == labels, codes, -1)


def label_target(rows: RowData) -> Labels | LabelSets | None:
    """Read labels or label sets from the rows; None when they are neither."""
    kind = target_kind(rows)
    if kind == "labels":
        y, pred, classes = rows.labels()
        small = np.min_scalar_type(len(classes))
        return Labels(classes, y, pred if pred.itemsize == 1 else pred.astype(small, copy=False))
    if kind == "indicator":
        return LabelSets(rows.y.astype(np.uint8), rows.pred.astype(np.uint8))
    return None


def one_each(n_classes: int, positions: np.ndarray) -> np.ndarray:
    """Make slots of one label each, shape (n_slots, n_classes), uint8; empty ones for -1."""
    slots = np.zeros((len(positions), n_classes), dtype=np.uint8)
    known = positions >= 0
    slots[np.flatnonzero(known), positions[known]] = 1
    return slots


class LabelCounts:
    """Weighted counts per slot of labels, for many draws and configurations.

    `slots` (n_slots, n_classes), unsigned, is how often each class counts in each slot: one label
    each, or all in one.
    """

    def __init__(self, target: Labels | LabelSets, slots: np.ndarray) -> None:
        self._target = target
        self._slots = slots
        single = isinstance(target, Labels) and bool((slots.sum(axis=1) == 1).all())
        self._of_two = single and len(target.classes) == 2
        self._true = np.stack([target.true(times) for times in slots])
        self._rows = [np.flatnonzero(true) for true in self._true]

    @cached_property
    def _both(self) -> LabelCounts:
        """Counts of either of two labels."""
        return LabelCounts(self._target, one_each(2, np.arange(2)))

    def true(self, drawn: DrawWeights) -> np.ndarray:
        """Count the rows that have each label, shape (n_slots, n_draws)."""
        return drawn.once(self, lambda: sums_of(self._true, drawn).T)

    def hits(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> np.ndarray:
        """Count correct predictions: `configs` (n_chosen,) -> (n_slots, n_draws, n_chosen)."""
        chosen, which = _distinct(configs, paired)
        return np.stack(
            [
                sums_of(self._target.hits(times, chosen, rows), drawn, rows, which)
                for times, rows in zip(self._slots, self._rows)
            ]
        )

    def hits_and_predicted(
        self, drawn: DrawWeights, configs: np.ndarray, paired: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """Count correct predictions, and the rows predicted to have each label; as for `hits`."""
        labels = self._slots.argmax(axis=1)
        if self._of_two and drawn.are_counts:
            # What is right of one of two labels tells what is wrong of the other.
            both = self._both
            hits, true = both.hits(drawn, configs, paired), both.true(drawn)
            wrong = (true if paired else true[:, :, None]) - hits
            return hits[labels], hits[labels] + wrong[1 - labels]
        chosen, which = _distinct(configs, paired)
        predicted = [
            sums_of(self._target.predicted(times, chosen), drawn, None, which)
            for times in self._slots
        ]
        return self.hits(drawn, configs, paired), np.stack(predicted)


def confusion(
    target: Labels, order: np.ndarray, drawn: DrawWeights, configs: np.ndarray, paired: bool
) -> np.ndarray:
    """Compute weighted confusion matrices, (n_labels, n_labels, n_draws[, n_chosen])."""
    chosen, which = _distinct(configs, paired)
    cells = []
    for truth in order:
        rows = np.flatnonzero(target.y == truth)
        pred = _rows_taken(target.pred, chosen, rows)
        cells.append([sums_of(pred == label, drawn, rows, which) for label in order])
    return np.array(cells)


def _distinct(configs: np.ndarray, paired: bool) -> tuple[np.ndarray, np.ndarray | None]:
    """Find the configurations to compute values of, and which of them belongs to each draw."""
    if not paired:
        return configs, None
    if len(configs) and (configs == configs[0]).all():
        return configs[:1], np.zeros(len(configs), dtype=np.intp)
    chosen, which = np.unique(configs, return_inverse=True)
    return chosen, which


MANY_CLASSES = 64
"""Slots from which a pass over sorted rows is faster than a matrix product per slot."""


def label_counts(target: Labels | LabelSets, slots: np.ndarray) -> LabelCounts | ManyLabelCounts:
    """Choose the way of counting that suits the number of slots; `slots` (n_slots, n_classes)."""
    if isinstance(target, Labels) and len(slots) >= MANY_CLASSES:
        # A label that was asked for twice is in two slots, and "micro" has all in one.
        if slots.sum(axis=0).max() <= 1 and slots.sum(axis=1).max() <= 1:
            return ManyLabelCounts(target, slots)
    return LabelCounts(target, slots)


class ManyLabelCounts:
    """Weighted counts of single labels, in time that does not grow with their number.

    Takes the same arguments as `LabelCounts` and gives the same numbers: counts of draws are
    whole, so their sums are exact in any order. Each of the `slots` (n_slots, n_classes) has at
    most one label, and each label is in at most one.
    """

    def __init__(self, target: Labels, slots: np.ndarray) -> None:
        self._target = target
        self._n_slots = len(slots)
        self._slot_of = np.full(slots.shape[1], -1, dtype=np.intp)
        slot, label = np.nonzero(slots)
        self._slot_of[label] = slot
        self._by_truth = _Groups(self._slot_of[target.y])

    def true(self, drawn: DrawWeights) -> np.ndarray:
        """Count the rows that have each label, shape (n_slots, n_draws)."""
        return drawn.once(
            self, lambda: self._by_truth.sums(drawn.matrix(np.float64), self._n_slots).T
        )

    def hits(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> np.ndarray:
        """Count the rows with correct predictions; arguments and result as in `LabelCounts`."""
        rows = self._by_truth.rows
        result = self._empty(drawn, configs, paired)
        for config, place, draws in _each(configs, paired):
            right = self._target.pred[config, rows] == self._target.y[rows]
            weights = drawn.matrix(np.float64)[draws]
            result[:, *place] = self._by_truth.sums(weights, self._n_slots, right).T
        return result

    def hits_and_predicted(
        self, drawn: DrawWeights, configs: np.ndarray, paired: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """Count correct predictions, and the rows predicted to have each label."""
        predicted = self._empty(drawn, configs, paired)
        for config, place, draws in _each(configs, paired):
            groups = _Groups(self._slot_of[self._target.pred[config]])
            weights = drawn.matrix(np.float64)[draws]
            predicted[:, *place] = groups.sums(weights, self._n_slots).T
        return self.hits(drawn, configs, paired), predicted

    def _empty(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> np.ndarray:
        shape = (len(drawn),) if paired else (len(drawn), len(configs))
        return np.empty((self._n_slots, *shape))


class _Groups:
    """Rows sorted by their slot; rows of no slot are left out."""

    def __init__(self, slot_of_row: np.ndarray) -> None:
        known = np.flatnonzero(slot_of_row >= 0)
        self.rows = known[np.argsort(slot_of_row[known], kind="stable")]
        self._slots, self._starts = np.unique(slot_of_row[self.rows], return_index=True)

    def sums(
        self, weights: np.ndarray, n_slots: int, counted: np.ndarray | None = None
    ) -> np.ndarray:
        """Sum the weights of each slot, shape (n_draws, n_slots).

        `weights` (n_draws, n_rows), `counted` (len(rows),).
        """
        result = np.zeros((len(weights), n_slots))
        if len(self.rows):
            taken = np.take(weights, self.rows, axis=1)
            if counted is not None:
                taken *= counted
            result[:, self._slots] = np.add.reduceat(taken, self._starts, axis=1)
        return result


def _each(configs: np.ndarray, paired: bool) -> Iterator[tuple[int, tuple[Any, ...], Any]]:
    """Yield each configuration, its index behind the slots in the result, and its draws."""
    if not paired:
        for column, config in enumerate(configs):
            yield int(config), (slice(None), column), slice(None)
        return
    for config in np.unique(configs):
        draws = np.flatnonzero(configs == config)
        yield int(config), (draws,), draws


_MAX_CELLS = 2**22  # of confusion matrices held at once
_TOGETHER = 512  # configurations whose counts are held at once, and fit into the cache


class CountsKernel(MetricKernel):
    """Base of the metrics that are a function of counts per label of `target`."""

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
        """Make counts (n_slots, n_classes) of each class in each slot: here one slot per class."""
        n_classes = len(self.target.classes)
        return one_each(n_classes, np.arange(n_classes))

    @abstractmethod
    def _score(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> np.ndarray:
        """Score each draw and configuration, or one configuration per draw."""

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that scoring one draw needs."""
        # Counts are multiplied in single precision, those of some rows at a time.
        per_row, n_configs = 32 if self.rows.weighted else 4, self.rows.n_configs
        of_counts = 64 * len(self._slots) * min(n_configs, _TOGETHER)
        return per_row * self.rows.n_rows + 16 * n_configs + of_counts

    def scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        drawn = DrawWeights(weights)
        scores = np.empty((len(drawn), len(configs)))
        for start in range(0, len(configs), _TOGETHER):
            some = slice(start, start + _TOGETHER)
            scores[:, some] = self._score(drawn, configs[some], False)
        scores[drawn.total == 0] = np.nan
        return blank_undefined(self, scores, configs)

    def score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        drawn = DrawWeights(weights)
        scores = self._score(drawn, np.maximum(configs, 0), True)
        scores[drawn.total == 0] = np.nan
        return blank_undefined(self, scores, configs)

    def _true(self, drawn: DrawWeights, paired: bool) -> np.ndarray:
        true = self._counts.true(drawn)
        return true if paired else true[:, :, None]


def _divide(numerator: np.ndarray, denominator: np.ndarray, otherwise: float) -> np.ndarray:
    """Divide, with a fixed value where the denominator is zero."""
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
    """Average over labels without NaN; unweighted where the weights are all zero.

    `values` (n_slots, ...).
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
        """Whether the metric is made of scores within classes: yes, of recalls."""
        return True

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for one label per row."""
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


class PrecisionRecallCounts(CountsKernel):
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
        """Check for an average over labels that gives one score, and not over samples."""
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
        return labels is None or label_positions(labels, rows) is not None

    def _make_slots(self) -> np.ndarray:
        kwargs = self.rows.kwargs
        average, labels = kwargs.get("average", "binary"), kwargs.get("labels")
        classes = self.target.classes
        if average == "binary":
            positions = _pos_position(classes, kwargs)
        elif labels is not None:
            positions = label_positions(labels, self.rows)
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
        hits, predicted = self._counts.hits_and_predicted(drawn, configs, paired)
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
    """Find the position of the positive label; None with over two classes, or if it is neither."""
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
        """Check for one label per row."""
        return not rows.kwargs and target_kind(rows) == "labels"

    def _score(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> np.ndarray:
        true = self._true(drawn, paired)
        hits, predicted = self._counts.hits_and_predicted(drawn, configs, paired)
        hits = _total(hits)
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
            positions = label_positions(self._labels, rows)
            if positions is None:
                raise ValueError(f"labels={self._labels!r} do not match the target.")
            # Labels of no row, coded -1, keep their place and so the distances.
            self._order = positions
            self._known = np.isin(self.target.y, positions)[None]

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for one label per row, and labels without repetition."""
        kwargs = rows.kwargs
        if not known_arguments(score_func, kwargs, "labels", "weights", "replace_undefined_by"):
            return False
        known_weights = kwargs.get("weights") in (None, "linear", "quadratic")
        if not known_weights or target_kind(rows) != "labels":
            return False
        labels = kwargs.get("labels")
        if labels is None:
            return True
        positions = label_positions(labels, rows)
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
        hits, predicted = self._counts.hits_and_predicted(drawn, configs, paired)
        hits = _total(hits)
        n_true, n_pred = _total(true), _total(predicted)
        observed = n_true * (n_pred - hits)
        expected = n_true * n_pred - _total(true * predicted)
        kappa = 1 - _divide(observed, expected, np.nan)
        return np.where(expected == 0, self._otherwise, kappa)

    def _weighted(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> np.ndarray:
        """Compute kappa with disagreements weighted by distance, or for the labels given."""
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
            lost = sums_of(self._known, drawn)[:, 0] == 0  # no label that was given is in the draw
            kappa[lost] = np.nan
        return kappa
