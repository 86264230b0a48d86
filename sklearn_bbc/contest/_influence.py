"""Influence values: what each row adds to a score that is no mean over samples.

A score of this kind is a smooth function of sums over rows that does not change when all weights
are multiplied. Its influence values are the total weight times its derivatives by the weights of
the rows. Their weighted mean is 0; with the score added they are values whose mean is the score,
and which vary as it does, but for terms of the order 1 / n.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import explained_variance_score, r2_score, root_mean_squared_log_error

from ..metrics._base import HeldOut
from ..metrics._concordance import survival_target
from ..metrics._metric import BoundMetric, Metric
from ..predictions._predictions import OOFPredictions

MOST_CLASSES = 20
"""Classes up to which tables of true and predicted labels are known."""
_STEP = 1e-3
"""Relative step of the derivatives by the cells of a table, exact up to its fourth power."""
_EVERY = slice(None)


class Influence(ABC):
    """Values of rows whose mean is a score, from sums over all rows.

    All rows are added first, in as many parts as there are; then values of rows are there.
    """

    in_parts: ClassVar[bool] = True
    """Whether rows of different parts only meet in the sums."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric

    @abstractmethod
    def read(self, part: HeldOut) -> Any:
        """Read what is scored of a part: two arrays, (n_rows,) and (n_configs, n_rows)."""

    @abstractmethod
    def add(self, read: Any, weight: np.ndarray | None, rows: slice = _EVERY) -> None:
        """Add some rows to the sums; `weight` is that of all rows of the part."""

    @abstractmethod
    def values(self, read: Any, rows: slice = _EVERY) -> np.ndarray:
        """Compute values of rows, (n_configs, n_rows), in the direction of the function."""


class SquaredErrors(Influence):
    """Root mean squared errors, R2 and explained variance, of one output."""

    def __init__(self, metric: Metric) -> None:
        super().__init__(metric)
        self._weight = 0.0
        self._mean = self._squares = np.zeros(0)
        """Of the target and of the errors of all configurations: means, and sums of squares about
        them, (1 + n_configs,)."""

    def read(self, part: HeldOut) -> Any:
        """Read the target and the predictions."""
        return part.rows.y, part.rows.pred

    def _numbers(self, read: Any, rows: slice) -> tuple[np.ndarray, np.ndarray]:
        y, pred = (np.asarray(each[..., rows], dtype=float) for each in read)
        if self.metric.score_func is root_mean_squared_log_error:
            y, pred = np.log1p(y), np.log1p(pred)
        return y, y - pred

    def add(self, read: Any, weight: np.ndarray | None, rows: slice = _EVERY) -> None:
        """See `Influence.add`; sums of two parts are joined as by Chan, Golub and LeVeque."""
        values = np.vstack(self._numbers(read, rows))
        own = np.ones(values.shape[1]) if weight is None else np.asarray(weight[rows], dtype=float)
        total = float(own.sum())
        if not total > 0:
            return
        mean = values @ own / total
        squares = np.square(values - mean[:, None]) @ own
        if not self._weight:
            self._weight, self._mean, self._squares = total, mean, squares
            return
        apart, share = mean - self._mean, total / (self._weight + total)
        self._squares = self._squares + squares + self._weight * share * apart**2
        self._mean = self._mean + share * apart
        self._weight += total

    def values(self, read: Any, rows: slice = _EVERY) -> np.ndarray:
        """See `Influence.values`."""
        y, errors = self._numbers(read, rows)
        of_mean, squares = self._mean[1:, None], self._squares[1:, None] / self._weight
        if self.metric.score_func is explained_variance_score:
            errors = errors - of_mean
        else:
            squares = squares + of_mean**2
        errors = np.square(errors)
        if self.metric.score_func in (r2_score, explained_variance_score):
            spread = self._squares[0] / self._weight
            if not spread > 0:
                raise ValueError(
                    f"{self.metric.name} is not defined for a target that is the same everywhere."
                )
            ratio = squares / spread  # one less the score
            return np.asarray(1 - (errors + ratio * (spread - (y - self._mean[0]) ** 2)) / spread)
        root = np.sqrt(squares)
        return root + np.divide(errors - squares, 2 * root, out=0 * errors, where=root > 0)


class LabelTables(Influence):
    """Scores of tables of true and predicted labels, such as F1, kappa and MCC.

    The score of a table is that of the metric itself on one row for each cell, weighted.
    """

    def __init__(self, metric: Metric) -> None:
        super().__init__(metric)
        self._classes = np.zeros(0, dtype=bool)
        self._table = np.zeros((0, 0, 0))  # (n_configs, n_classes, n_classes), weights of rows
        self._of_cells: np.ndarray | None = None
        """Value of a row of each cell, (n_configs, n_classes * n_classes)."""

    def read(self, part: HeldOut) -> Any:
        """Read codes of labels, which stay when more labels are met."""
        y, pred, classes = part.rows.labels()
        known = classes if not len(self._classes) else np.union1d(self._classes, classes)
        if len(known) > MOST_CLASSES:
            raise ValueError(
                f"{self.metric.name} of more than {MOST_CLASSES} classes, here {len(known)}, is "
                "not known from sums. Give all predictions to BBC(draws='samples')."
            )
        if len(known) > len(self._classes):
            table = np.zeros((len(pred), len(known), len(known)))
            if len(self._classes):
                place = np.searchsorted(known, self._classes)
                table[:, place[:, None], place] = self._table
            self._classes, self._table = known, table
        code = np.searchsorted(known, classes).astype(np.int16)
        return code[y], code[pred]

    def _cells(self, read: Any, rows: slice) -> np.ndarray:
        y, pred = (each[..., rows] for each in read)
        return np.asarray(y * np.int16(len(self._classes)) + pred)

    def add(self, read: Any, weight: np.ndarray | None, rows: slice = _EVERY) -> None:
        """See `Influence.add`."""
        own, size = None if weight is None else weight[rows], len(self._classes) ** 2
        for table, cells in zip(self._table, self._cells(read, rows)):
            table += np.bincount(cells, own, size).reshape(table.shape)

    def values(self, read: Any, rows: slice = _EVERY) -> np.ndarray:
        """See `Influence.values`."""
        if self._of_cells is None:
            self._of_cells = self._values_of_cells()
        return np.take_along_axis(self._of_cells, self._cells(read, rows).astype(np.intp), axis=1)

    def _values_of_cells(self) -> np.ndarray:
        size = len(self._classes)
        tables = self._table.reshape(len(self._table), size**2)
        cells = np.flatnonzero(tables.any(axis=0))
        scored = self.metric.bind(
            OOFPredictions(
                y_true=self._classes[cells // size], y_pred=self._classes[cells % size][:, None]
            )
        )
        found = np.zeros(tables.shape)
        steps = np.array([0, 1, -1, 2, -2]) * _STEP
        for table, values in zip(tables, found):
            share = table[cells] / table.sum()
            there = np.flatnonzero(share)
            moved = np.repeat(share[None], 5 * len(there), axis=0)
            moved[np.arange(len(moved)), np.repeat(there, 5)] *= np.tile(1 + steps, len(there))
            score, up, down, up2, down2 = (
                self.metric.sign * scored.scores(moved)[:, 0].reshape(-1, 5).T
            )
            slope = (8 * (up - down) - (up2 - down2)) / (12 * _STEP * share[there])
            # In theory the mean of the slopes is 0, and rounding does not add to the score.
            values[cells[there]] = score[0] + slope - slope @ share[there]
        return found


class Concordance(Influence):
    """Harrell's concordance, by what each row has in the right order of the others.

    The pairs are those of `CensoredPairs`: rows get the number of their time, and of two numbers
    the first binary digit that differs says in which block they meet.
    """

    in_parts = False

    def read(self, part: HeldOut) -> Any:
        """Read the target, and risks."""
        sign = -1.0 if part.rows.kwargs.get("predicts") == "time" else 1.0
        return part.rows.y, sign * np.asarray(part.rows.pred, dtype=float)

    def add(self, read: Any, weight: np.ndarray | None, rows: slice = _EVERY) -> None:
        """Compare all rows with each other."""
        assert rows == _EVERY
        (event, time), risks = survival_target(read[0]), read[1]
        weight = np.ones(len(time)) if weight is None else np.asarray(weight, dtype=float)
        order = np.lexsort((~event, time))
        new = np.diff(time[order], prepend=np.nan) != 0
        new[1:] |= event[order][1:] != event[order][:-1]
        number = np.empty(len(time), dtype=np.int64)
        number[order] = np.cumsum(new) - 1
        self._values = np.empty(risks.shape)
        for risk, values in zip(risks, self._values):
            right, pairs = in_order(number, event, risk, weight)
            # Every pair is seen from both of its rows.
            total, of_total = weight @ right, weight @ pairs
            values[:] = total / of_total
            values += 2 * weight.sum() / of_total * (right - total / of_total * pairs)

    def values(self, read: Any, rows: slice = _EVERY) -> np.ndarray:
        """See `Influence.values`."""
        return self._values[:, rows]


def in_order(
    number: np.ndarray, event: np.ndarray, risk: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Sum, for each row, the weights of rows in the right order with it, and of all compared.

    `number` (n_rows,) of the time, `event`, `risk` and `weight` (n_rows,) -> (n_rows,) each.
    """
    distinct, level = np.unique(risk, return_inverse=True)
    right, pairs = np.zeros((2, len(number)))
    for digit in range(int(number.max(initial=0)).bit_length()):
        first = (number >> (digit + 1)) * len(distinct)  # key of the least risk of a block
        key, is_late = first + level, (number >> digit) & 1 == 1
        early, late = np.flatnonzero(event & ~is_late), np.flatnonzero(is_late)
        for rows, others, lower in ((early, late, True), (late, early, False)):
            others = others[np.argsort(key[others], kind="stable")]
            sums, keys = np.concatenate([[0.0], np.cumsum(weight[others])]), key[others]

            def up_to(which: np.ndarray, side: Any, keys: Any = keys, sums: Any = sums) -> Any:
                return sums[np.searchsorted(keys, which, side)]

            begin, end = up_to(first[rows], "left"), up_to(first[rows] + len(distinct), "left")
            middle = 0.5 * (up_to(key[rows], "left") + up_to(key[rows], "right"))
            right[rows] += middle - begin if lower else end - middle
            pairs[rows] += end - begin
    return right, pairs


_KNOWN: dict[str, type[Influence]] = {
    "root_mean_error": SquaredErrors,
    "r2": SquaredErrors,
    "explained_variance": SquaredErrors,
    "balanced_accuracy": LabelTables,
    "precision_recall": LabelTables,
    "matthews": LabelTables,
    "cohen_kappa": LabelTables,
    "concordance_index": Concordance,
}
"""Families of metrics of which it is known, each by the study ``coverage.py moments``."""


def influence_of(kernel: BoundMetric) -> Influence | None:
    """Choose how influence values of a metric are computed; None where they are not known."""
    made, rows = _KNOWN.get(kernel.family), kernel.repeats[0].kernel.rows
    if made is None or kernel.is_pointwise or rows.pred.ndim != 2:
        return None
    if made is not Concordance and rows.y.ndim != 1:
        return None
    if made is LabelTables and len(rows.label_classes()) > MOST_CLASSES:
        return None
    return made(kernel.metric)


class RowValues:
    """Values of the rows of all repeats whose mean is a score; greater is better.

    `configs` (n_chosen,). With repeats, values of a row are those of its own repeat.
    """

    def __init__(self, kernel: BoundMetric, configs: np.ndarray, step: int = 2**14) -> None:
        self._direction, self._parts = kernel.metric.sign, []
        for part in kernel.held_out(configs):
            influence = influence_of(kernel)
            assert influence is not None
            read = influence.read(part)
            for first in range(0, part.rows.n_rows, step if influence.in_parts else 2**62):
                rows = slice(first, first + step) if influence.in_parts else _EVERY
                influence.add(read, part.weight, rows)
            self._parts.append((influence, read))

    def __call__(self, rows: slice = _EVERY) -> np.ndarray:
        """Compute values of some rows, of all repeats with the slice of each of them."""
        found = [influence.values(read, rows) for influence, read in self._parts]
        return self._direction * (found[0] if len(found) == 1 else np.concatenate(found, axis=1))
