"""Metrics of classification that are made of sums over rows, and the base of such metrics."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
from sklearn import metrics
from sklearn.metrics import (
    accuracy_score,
    brier_score_loss,
    d2_log_loss_score,
    hamming_loss,
    hinge_loss,
    log_loss,
    make_scorer,
    top_k_accuracy_score,
    zero_one_loss,
)

from .._utils import is_indicator, nan_loses
from .._warnings import warn_user
from ..exceptions import BBCWarning
from ._arithmetic import (
    DRAWS_OF_BLOCK,
    MANY,
    DrawWeights,
    RowSums,
    Where,
    in_order,
    parts_of,
    sums_of,
)
from ._base import MetricKernel, RowData, class_columns, holds_labels, known_arguments, target_kind
from ._metric import Metric

_TOGETHER = 2**20
"""Bytes of the weights or sums of the draws whose scores are made of their sums at once."""


class SumKernel(MetricKernel):
    """Scores that are a function of one or more sums over rows, and of the draw.

    The sums of all draws and configurations are one table; their scores are written in the place
    of the sums, some draws at a time. While sums are computed, each draw and configuration has
    `n_tables` numbers.
    """

    sums_rows: ClassVar[bool] = True
    n_tables: ClassVar[int] = 2

    @abstractmethod
    def _summed(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> list[np.ndarray]:
        """Compute new arrays of sums, (n_draws, n_chosen), or (n_draws,) when paired."""

    @abstractmethod
    def _from_sums(
        self, sums: list[np.ndarray], drawn: DrawWeights, configs: np.ndarray
    ) -> np.ndarray:
        """Compute scores of the shape of the sums; NaN if undefined, and for configuration -1.

        `sums` are those of `_summed` and, after them, of `_beside`.
        """

    def _beside(self, drawn: DrawWeights) -> list[np.ndarray]:
        """Compute sums that are the same for all configurations, each (n_draws,)."""
        return []

    def _bounds(self, drawn: DrawWeights) -> tuple[np.ndarray, np.ndarray] | None:
        """Bound the sums, if there is one and scores only fall, or only rise, with it."""
        return None

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that scoring one draw needs."""
        # Counts are turned into floats for some draws at a time.
        of_rows = 24 * self.rows.n_rows if self.rows.weighted else 0
        return of_rows + 8 * self.n_tables * self.rows.n_configs

    def scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        drawn = DrawWeights(weights)
        sums = [*self._summed(drawn, configs, False), *self._beside(drawn)]
        for draws, part in self._parts(drawn, len(configs)):
            sums[0][draws] = self._from_sums([table[draws] for table in sums], part, configs)
        return sums[0]

    def winners(self, weights: np.ndarray, sign: int) -> np.ndarray:
        """Find the best configuration of each draw.

        Sums in single precision leave a few that may be the best; only their scores are computed.
        What is done with a draw depends on its block alone, not on how many blocks there are.
        """
        drawn, configs = DrawWeights(weights), np.arange(self.rows.n_configs)
        bounds = self._bounds(drawn) if len(configs) >= MANY else None
        winners = np.full(len(weights), -1, dtype=np.intp)
        if bounds is None:
            self._fill(winners, slice(None), drawn, sign)
            return winners
        beside = self._beside(drawn)
        for start in range(0, len(weights), DRAWS_OF_BLOCK):
            block = slice(start, start + DRAWS_OF_BLOCK)
            part = drawn.part(block)
            able = self._able(
                [end[block] for end in bounds], [each[block] for each in beside], part, sign
            )
            if able is None or np.count_nonzero(able) > able.size / MANY + len(able):
                self._fill(winners, block, part, sign)
                continue
            found, several = winners[block], able.sum(axis=1)
            found[several == 1] = able.argmax(axis=1)[several == 1]
            found[several > 1] = self._best_of(part.part(several > 1), able[several > 1], sign)
        return winners

    def _best_of(self, drawn: DrawWeights, able: np.ndarray, sign: int) -> np.ndarray:
        """Find the winners of some draws among the configurations that may be the best."""
        draws, some = np.nonzero(able)
        scores = np.full(able.shape, np.nan)
        scores[draws, some] = sign * self._paired(drawn.part(draws), some)
        return self._first_best(scores, drawn.columns(slice(None, 0)))

    def _fill(self, winners: np.ndarray, draws: slice, drawn: DrawWeights, sign: int) -> None:
        """Find the winners of some draws from all of their scores."""
        configs, found = np.arange(self.rows.n_configs), winners[draws]
        sums = [*self._summed(drawn, configs, False), *self._beside(drawn)]
        for some, part in self._parts(drawn, len(configs)):
            scores = self._from_sums([table[some] for table in sums], part, configs)
            found[some] = self._first_best(sign * scores, part.weights)

    def _able(
        self, bounds: list[np.ndarray], beside: list[np.ndarray], drawn: DrawWeights, sign: int
    ) -> np.ndarray | None:
        """Mark the configurations that may be the best, from bounds of the sums.

        Returns shape (n_draws, n_configs); None where bounds of sums do not bound scores.
        """
        able: np.ndarray = np.empty(bounds[0].shape, dtype=bool)
        configs = np.arange(able.shape[1])
        for some, part in self._parts(drawn, able.shape[1]):
            also = [each[some] for each in beside]
            one, other = (
                sign * self._from_sums([end[some], *also], part, configs) for end in bounds
            )
            if (np.isnan(one) != np.isnan(other)).any():
                return None
            low, high = np.minimum(one, other), np.maximum(one, other)
            least, most = nan_loses(low).max(axis=1), nan_loses(high).max(axis=1)
            size = np.maximum(np.maximum(np.abs(least), np.abs(most)), self._unit)
            with np.errstate(invalid="ignore"):
                able[some] = high >= (least - self._rounding(part.weights) * size)[:, None]
        return able

    def score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        return self._paired(DrawWeights(weights), configs)

    def _paired(self, drawn: DrawWeights, configs: np.ndarray) -> np.ndarray:
        """Score one configuration per draw, NaN for -1, shape (n_draws,)."""
        sums = [*self._summed(drawn, np.maximum(configs, 0), True), *self._beside(drawn)]
        for draws, part in self._parts(drawn, 1):
            some = [table[draws] for table in sums]
            sums[0][draws] = self._from_sums(some, part, configs[draws])
        return sums[0]

    def _parts(self, drawn: DrawWeights, n_chosen: int) -> Iterator[tuple[slice, DrawWeights]]:
        """Split the draws into parts, for `n_chosen` numbers of each draw that are not large."""
        return drawn.in_parts(_TOGETHER // (8 * max(1, n_chosen)))


class MeanKernel(SumKernel):
    """Base of the metrics that are a weighted mean over the rows.

    A subclass computes the values, of some configurations at a time: those of all of them would
    take as much memory as the predictions, or more.
    """

    is_pointwise: ClassVar[bool] = True

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        self._prepare()
        self._sums = RowSums(rows.n_configs, rows.n_rows)

    def _prepare(self) -> None:
        """Prepare what all configurations share; may set `strata` and `defined`."""

    @abstractmethod
    def _values(self, configs: Where, rows: Where) -> np.ndarray:
        """Compute values of rows and configurations, shape (n_chosen_configs, n_chosen_rows)."""

    def pointwise(
        self, configs: slice | np.ndarray = slice(None), rows: slice = slice(None)
    ) -> np.ndarray | None:
        """Compute values of rows for some configurations, shape (n_chosen, n_rows), float64."""
        return self._values(configs, rows).astype(np.float64, copy=False)

    def keeper(self) -> Callable[[slice, np.ndarray], None] | None:
        """See `MetricKernel.keeper`."""
        return self._sums.keeper(self._values)

    def _summed(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> list[np.ndarray]:
        sums = self._sums.paired if paired else self._sums
        return [sums(self._values, drawn, configs)]

    def _bounds(self, drawn: DrawWeights) -> tuple[np.ndarray, np.ndarray] | None:
        return self._sums.between(self._values, drawn)

    def _from_sums(
        self, sums: list[np.ndarray], drawn: DrawWeights, configs: np.ndarray
    ) -> np.ndarray:
        scores = sums[0] / per_draw(divisor(drawn, self.strata), sums[0])
        return blank_undefined(self, scores, configs)

    def _classes(self) -> np.ndarray:
        """Find the classes of the columns; without `labels` every draw needs all of them."""
        labels = self.rows.kwargs.get("labels")
        classes = class_columns(self.rows, labels)
        if classes is None:
            raise ValueError(f"{self.name} does not know which class each column stands for.")
        if labels is None:
            self.strata = np.stack([self.rows.y == label for label in classes])
            self.strata_names = [f"class {label}" for label in classes]
        return classes


def per_draw(numbers: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Reshape one number per draw to broadcast with a table whose rows are draws."""
    return numbers.reshape(-1, *[1] * (table.ndim - 1))


def divisor(drawn: DrawWeights, strata: np.ndarray | None) -> np.ndarray:
    """Sum the weights of each draw, NaN where the metric is undefined, shape (n_draws,)."""
    total = np.where(drawn.total > 0, drawn.total, np.nan)
    for members in () if strata is None else strata:
        total[drawn.lacks(members)] = np.nan
    return total


def blank_undefined(kernel: MetricKernel, scores: np.ndarray, configs: np.ndarray) -> np.ndarray:
    """Set scores to NaN for configurations that are undefined, and for index -1."""
    none = configs < 0 if kernel.defined is None else (configs < 0) | ~kernel.defined[configs]
    if none.any():
        scores[..., none] = np.nan
    return scores


def only_defined(metric: str, defined: np.ndarray, reason: str) -> np.ndarray | None:
    """Return the mask `defined` (n_configs,) and warn, or None if a metric can score all."""
    if defined.all():
        return None
    if not defined.any():
        raise ValueError(f"{metric} cannot score any configuration: {reason}.")
    warn_user(
        f"{metric} cannot score {np.count_nonzero(~defined)} of {len(defined)} configurations, "
        f"which can therefore not win: {reason}.",
        BBCWarning,
    )
    return defined


class Accuracy(MeanKernel):
    """Share of rows with the right label, or with a wrong one."""

    name = "accuracy"
    example = ("accuracy", "four classes")
    score_funcs = {
        accuracy_score: (0.0, 1.0),
        zero_one_loss: (0.0, 1.0),
        hamming_loss: (0.0, 1.0),
    }

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for a share of right labels or label sets, and not for their number."""
        if not known_arguments(score_func, rows.kwargs, "normalize"):
            return False
        return bool(rows.kwargs.get("normalize", True)) and target_kind(rows) is not None

    def _prepare(self) -> None:
        rows = self.rows
        if rows.codes_given:
            # In the type of the predictions: no wider copy of them.
            self._y = rows.y_codes().astype(rows.pred.dtype, copy=False)
            return
        if rows.y.ndim == 1 and rows.pred.dtype.kind == "f":
            rows.label_classes()  # raises for scores
        self._y = rows.y

    def _values(self, configs: Where, rows: Where) -> np.ndarray:
        right = self.rows.pred[configs, rows] == self._y[rows]
        if right.ndim == 3 and self.score_func is hamming_loss:
            return np.mean(~right, axis=2)
        right = right if right.ndim == 2 else right.all(axis=2)
        if self.score_func is not accuracy_score:
            np.logical_not(right, out=right)
        return right


class _ProbabilityKernel(MeanKernel):
    """Base of the metrics of probabilities."""

    def _prepare(self) -> None:
        pred = self.rows.pred.reshape(self.rows.n_configs, -1)
        parts, inside = parts_of(*pred.shape), np.ones(len(pred), dtype=bool)
        if not all(in_order(lambda part: _surely_probabilities(pred[:, part]), parts)):
            for part in parts:
                some = pred[:, part]
                inside &= (some.min(axis=1) >= 0) & (some.max(axis=1) <= 1)
        name = getattr(self.score_func, "__name__", self.name)
        self.defined = only_defined(
            name, inside, "they predict values outside [0, 1], which are not probabilities"
        )

    def _probabilities(self, configs: Where, rows: Where) -> np.ndarray:
        """Convert probabilities to float64; undefined configurations are clipped to [0, 1]."""
        pred = self.rows.pred[configs, rows].astype(np.float64, copy=False)
        return pred if self.defined is None else np.clip(pred, 0.0, 1.0)


def _surely_probabilities(values: np.ndarray) -> bool:
    """Check that no value is outside [0, 1], in one look; False may be wrong, as of -0.0.

    As whole numbers, floating-point numbers from 0 on have the same order, and come before
    negative ones.
    """
    if values.dtype.kind != "f" or values.itemsize > 8 or not values.size:
        return False
    bits, one = f"u{values.itemsize}", np.ones(1, dtype=values.dtype)
    return bool(values.view(bits).max() <= one.view(bits)[0])


class LogLoss(_ProbabilityKernel):
    """Minus the logarithm of the probability given to the right class.

    Probabilities are clipped at the machine epsilon of the type they came in.
    """

    name = "log_loss"
    example = ("neg_log_loss", "four classes")
    score_funcs = {log_loss: (0.0, np.inf)}

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for a mean over rows, and columns of probabilities with known classes."""
        if not known_arguments(score_func, rows.kwargs, "normalize", "labels"):
            return False
        known = class_columns(rows, rows.kwargs.get("labels")) is not None
        return known and bool(rows.kwargs.get("normalize", True))

    def _prepare(self) -> None:
        classes = self._classes()
        codes = np.searchsorted(classes, self.rows.y)
        self._codes = codes.astype(np.min_scalar_type(len(classes)))
        super()._prepare()

    def _values(self, configs: Where, rows: Where) -> np.ndarray:
        pred, codes = self._probabilities(configs, rows), self._codes[rows]
        if pred.ndim == 2:
            of_truth = pred - (codes != 1)  # exactly the probability, or minus that of the other
            np.abs(of_truth, out=of_truth)
        else:
            of_truth = pred[:, np.arange(len(codes)), codes]
        given = self.rows.pred.dtype
        eps = float(np.finfo(given if given.kind == "f" else np.float64).eps)
        np.clip(of_truth, eps, 1 - eps, out=of_truth)
        return np.negative(np.log(of_truth, out=of_truth), out=of_truth)


class Brier(_ProbabilityKernel):
    """Squared distance of the probabilities from the right class."""

    name = "brier"
    example = ("neg_brier_score", "two classes")
    score_funcs = {brier_score_loss: (0.0, 2.0)}  # of two classes 1, see `bounds_of`

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for probabilities of a known positive class, or of all classes."""
        if not known_arguments(score_func, rows.kwargs, "pos_label", "labels", "scale_by_half"):
            return False
        if rows.pred.ndim == 3:
            return class_columns(rows, rows.kwargs.get("labels")) is not None
        return cls._pos_label(rows) is not None

    @staticmethod
    def _pos_label(rows: RowData) -> Any:
        """Find the label whose probability was predicted; None when there is none."""
        y, pos_label = rows.y, rows.kwargs.get("pos_label")
        if y.ndim != 1 or rows.pred.ndim != 2 or not holds_labels(y):
            return None
        if rows.codes_given or rows.pred.dtype.kind not in "biuf":
            return None
        classes = np.unique(y) if rows.classes is None else rows.classes
        if len(classes) > 2:
            return None
        if pos_label is not None:
            return pos_label if pos_label in classes.tolist() else None
        # Text has no natural positive label; with numbers it is the larger one.
        if y.dtype.kind in "US":
            return None
        return 1 if set(classes.tolist()) <= {-1, 0, 1} else classes[-1]

    def _prepare(self) -> None:
        super()._prepare()
        if self.rows.pred.ndim == 3:
            self._labels = self._classes()
        else:
            self._positive = self._pos_label(self.rows)

    def _values(self, configs: Where, rows: Where) -> np.ndarray:
        y, scale = self.rows.y[rows], self.rows.kwargs.get("scale_by_half", "auto")
        pred = self._probabilities(configs, rows)
        if pred.ndim == 2:
            distance = pred - (y == self._positive)
            np.square(distance, out=distance)
            return 2 * distance if isinstance(scale, (bool, np.bool_)) and not scale else distance
        distance = np.zeros(pred.shape[:2])
        for k, label in enumerate(self._labels):
            distance += np.square(pred[:, :, k] - (y == label))
        half = len(self._labels) < 3 if isinstance(scale, str) else bool(scale)
        return distance / 2 if half else distance


class TopK(MeanKernel):
    """Share of rows whose class is among the k highest scores."""

    name = "top_k"
    example = ("top_k_accuracy", "four classes")
    score_funcs = {top_k_accuracy_score: (0.0, 1.0)}

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for scores of all classes, or of two where the threshold is not in doubt."""
        kwargs = rows.kwargs
        if not known_arguments(score_func, kwargs, "k", "normalize", "labels"):
            return False
        labels, k = kwargs.get("labels"), kwargs.get("k", 2)
        classes = class_columns(rows, labels)
        if (
            classes is None
            or not kwargs.get("normalize", True)
            or not isinstance(k, (int, np.integer))
        ):
            return False
        if labels is not None and not np.array_equal(np.asarray(labels), classes):
            return False
        if rows.pred.ndim == 2 and k == 1:
            # scikit-learn cuts at 0.5 when all scores of a draw look like probabilities, else
            # at 0: a kernel is right only where every draw looks the same.
            return bool(((rows.pred >= 0) & (rows.pred <= 1)).all())
        return bool(k >= 1) and (rows.pred.ndim == 2 or len(classes) > 2)

    def _prepare(self) -> None:
        self._labels = self._classes()
        self._codes = np.searchsorted(self._labels, self.rows.y)

    def _values(self, configs: Where, rows: Where) -> np.ndarray:
        pred, codes = self.rows.pred[configs, rows], self._codes[rows]
        k = self.rows.kwargs.get("k", 2)
        if pred.ndim == 2:
            return (pred > 0.5) == codes if k == 1 else np.ones(pred.shape, dtype=bool)
        of_truth = pred[:, np.arange(len(codes)), codes]
        better = np.zeros(of_truth.shape, dtype=np.intp)
        for other in range(len(self._labels)):
            score = pred[:, :, other]
            # Of equal scores the later class is ranked first.
            better += np.where(other > codes, score >= of_truth, score > of_truth)
        return better < k


class Hinge(MeanKernel):
    """Distance by which the right class misses a margin of 1."""

    name = "hinge"
    example = (
        (hinge_loss, {"response_method": "decision_function", "greater_is_better": False}),
        "two classes",
    )
    score_funcs = {hinge_loss: (0.0, np.inf)}

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for scores of all classes, or of the second of two."""
        if not known_arguments(score_func, rows.kwargs, "labels"):
            return False
        classes = class_columns(rows, rows.kwargs.get("labels"))
        if classes is None:
            return False
        return len(classes) > 2 if rows.pred.ndim == 3 else len(np.unique(rows.y)) == 2

    def _prepare(self) -> None:
        if self.rows.pred.ndim == 2:
            self._positive = self.rows.y == np.unique(self.rows.y)[-1]
        else:
            self._codes = np.searchsorted(self._classes(), self.rows.y)

    def _values(self, configs: Where, rows: Where) -> np.ndarray:
        pred = self.rows.pred[configs, rows].astype(np.float64, copy=False)
        if pred.ndim == 2:
            margin = np.where(self._positive[rows], pred, -pred)
        else:
            codes = self._codes[rows]
            others = np.full(pred.shape[:2], -np.inf)
            for k in range(pred.shape[2]):
                np.maximum(others, np.where(codes == k, -np.inf, pred[:, :, k]), out=others)
            margin = pred[:, np.arange(len(codes)), codes] - others
        return np.maximum(1 - margin, 0.0)


class _ExplainedProbability(MeanKernel):
    """Mixin for kernels: one minus their loss divided by that of predicting the class shares."""

    is_pointwise: ClassVar[bool] = False
    by_class: ClassVar[bool] = True

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        self._members = np.stack([rows.y == label for label in np.unique(rows.y)])

    def pointwise(
        self, configs: slice | np.ndarray = slice(None), rows: slice = slice(None)
    ) -> None:
        """Return None: the metric is not a mean over rows."""
        return None

    @abstractmethod
    def _of_shares(self, counts: np.ndarray, total: np.ndarray) -> np.ndarray:
        """Compute the loss per draw of predicting the share of each class."""

    def _null(self, drawn: DrawWeights) -> np.ndarray:
        counts = sums_of(self._members, drawn)  # (n_draws, n_classes)
        total = np.zeros(len(counts))
        for column in counts.T:  # the sum of one class alone must be exactly that class
            total += column
        undefined = drawn.few()
        for members in () if self.strata is None else self.strata:
            undefined |= drawn.lacks(members)
        null = self._of_shares(counts, np.where(total > 0, total, 1.0))
        return np.where(undefined | (null <= 0), np.nan, null)

    def _from_sums(
        self, sums: list[np.ndarray], drawn: DrawWeights, configs: np.ndarray
    ) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = 1 - sums[0] / per_draw(self._null(drawn), sums[0])
        return blank_undefined(self, scores, configs)


class D2LogLoss(_ExplainedProbability, LogLoss):
    """Explained share of the log loss of predicting the class shares."""

    name = "d2_log_loss"
    example = ("d2_log_loss_score", "two classes")
    score_funcs = {d2_log_loss_score: (-np.inf, 1.0)}

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for classes from the target: with `labels` scikit-learn's releases differ."""
        return not rows.kwargs and class_columns(rows, None) is not None

    def _of_shares(self, counts: np.ndarray, total: np.ndarray) -> np.ndarray:
        eps, loss = np.finfo(np.float64).eps, np.zeros(len(counts))
        for column in counts.T:
            loss -= column * np.log(np.clip(column / total, eps, 1 - eps))
        return loss


if hasattr(metrics, "d2_brier_score"):  # since scikit-learn 1.8

    class D2Brier(_ExplainedProbability, Brier):
        """Explained share of the Brier score of predicting the class shares."""

        name = "d2_brier"
        example = ("d2_brier_score", "two classes")
        score_funcs = {metrics.d2_brier_score: (-np.inf, 1.0)}

        def _prepare(self) -> None:
            super()._prepare()
            if self.strata is None and self.rows.pred.ndim == 2:
                # The shares of a single class are predicted without any loss: 0 / 0.
                found = np.unique(self.rows.y)
                self.strata = np.stack([self.rows.y == label for label in found])
                self.strata_names = [f"class {label}" for label in found]

        def _of_shares(self, counts: np.ndarray, total: np.ndarray) -> np.ndarray:
            loss = np.zeros(len(counts))
            for column in counts.T:
                loss += column * (total - column) / total
            # Of two classes the values are those of one column, half of both.
            return loss / 2 if self.rows.pred.ndim == 2 else loss


def mean_of_values(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Compute the weighted mean of `y_pred`, whatever `y_true` is."""
    return float(np.average(y_pred, weights=sample_weight))


class MeanOfValues(MeanKernel):
    """Mean of the given values; there are no labels to compare them with."""

    name = "mean_of_values"
    score_funcs = {mean_of_values: (-np.inf, np.inf)}

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for one number per row."""
        return not rows.kwargs and rows.pred.ndim == 2 and rows.pred.dtype.kind in "iufb"

    def _prepare(self) -> None:
        # Sums of zeros and ones are exact in single precision, which takes half the time.
        self._type = bool if is_indicator(self.rows.pred) else np.float64

    def _values(self, configs: Where, rows: Where) -> np.ndarray:
        return self.rows.pred[configs, rows].astype(self._type, copy=False)


MEAN_SCORE, MEAN_LOSS = (
    Metric(
        name=name,
        scorer=make_scorer(mean_of_values, greater_is_better=sign > 0),
        score_func=mean_of_values,
        response_method=("predict",),
        sign=sign,
    )
    for name, sign in (("mean_score", 1), ("neg_mean_loss", -1))
)
"""Means of scores per item, of which more is better, or less."""
