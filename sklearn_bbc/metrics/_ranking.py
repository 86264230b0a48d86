"""Rank metrics: two-class losses, and their means over classes, pairs or labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from typing import ClassVar

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from .. import _native
from .._utils import is_indicator
from ._arithmetic import (
    CompiledBlocks,
    FoldPairs,
    LostPrecision,
    Mean,
    MisplacedPairs,
    Part,
    RankLoss,
)
from ._base import MetricKernel, RowData, class_columns, known_arguments

_ROUGH_ROWS = 1000  # tell about which configurations are the best
_MOST_DRAWN = 64  # rows of a draw, in multiples of those of the data, that surely do not occur


class RankKernel(MetricKernel):
    """Base of metrics that compare the order of two sets of rows, once or several times.

    The metric of a part is one minus a share that is lost. That of a configuration is the mean
    over the parts with the weights of `_shares`; with one part it is that part's. Counts are
    scored by the compiled kernels where these are available, other weights by NumPy.

    A subclass names its `loss` and fills `parts`. With `needs_every_part` one
    undefined part makes the mean undefined; otherwise only a part whose weight is not 0 does.
    """

    is_rank = by_class = True
    loss: ClassVar[type[RankLoss]]
    needs_every_part: bool = True

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        self.parts: list[Part] = []
        self._pairs: list[FoldPairs] | None = None  # of each part, when folds are kept apart

    def stay_within(self, fold: np.ndarray) -> None:
        """Compare only rows of the same fold, by `fold` (n_rows,), from now on."""
        if self.loss.counts_pairs:
            self._pairs = [FoldPairs(fold, part.positive, part.negative) for part in self.parts]
        self.parts = [part.within(fold) for part in self.parts]

    def _shares(self, positive: np.ndarray, negative: np.ndarray) -> np.ndarray | None:
        """Return the weight of each part in the mean, or None for equal weights.

        `positive, negative` (n_parts, n_draws) -> (n_parts, n_draws).
        """
        return None

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that scoring one draw needs."""
        # Compiled kernels turn draws round and mark the rows left out; NumPy adds up floats.
        per_row = 4 if _native.available() and not self.rows.weighted else 46
        of_rows, of_configs = per_row * self.rows.n_rows, 24 * self.rows.n_configs
        return of_rows + of_configs + 64 * len(self.parts) + 2048

    def scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        counts = _native.as_counts(weights)
        if counts is None:
            lost = (part.losses(weights, configs) for part in self.parts)
            scores = self._mean(weights).of(lost).T
        elif self._is_plain:
            scores = self.parts[0].program.scores(counts, configs)
        else:
            lost = (part.program.losses(counts, configs).T for part in self.parts)
            scores = self._mean(counts, compiled=True).of(lost).T
        if self.defined is not None:
            scores[:, ~self.defined[configs]] = np.nan
        return scores

    def winners(self, weights: np.ndarray, sign: int) -> np.ndarray:
        all_defined = self.defined is None or self.defined.all()
        counts = _native.as_counts(weights)
        if counts is None or sign < 0 or len(self.parts) > 1 or not all_defined:
            return super().winners(weights, sign)
        winners = self.parts[0].program.winners(counts)
        # What is misplaced across folds is the same for all, so it does not matter here.
        if self._pairs is not None:
            winners[~self._pairs[0].any_of(counts)] = -1
        return winners

    def config_blocks(self, sign: int) -> list[slice]:
        """See `MetricKernel.config_blocks`: where pairs are counted by the compiled kernels."""
        rows, compiled = self.rows, _native.available() and not self.rows.weighted
        if sign < 0 or not compiled or not self._is_plain or not self.loss.counts_pairs:
            return []
        if self.defined is not None or rows.n_rows > _native.MAX_TOTAL // _MOST_DRAWN:
            return []
        program = self.parts[0].program
        if not isinstance(program, CompiledBlocks):
            return []
        # Any order is right. The sooner the winners come, the less of the others is looked at.
        lost = program.rough_losses(_ROUGH_ROWS)
        return sorted(program.blocks, key=lambda block: float(lost[block].min()))

    def prepare(self) -> None:
        """See `MetricKernel.prepare`: sort the rows of all configurations."""
        for part in self.parts:
            part.program  # noqa: B018

    def winners_within(
        self, weights: np.ndarray, limit: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """See `MetricKernel.winners_within`."""
        counts, lost = _native.as_counts(weights), limit.copy()
        if counts is None:
            raise ValueError(f"A draw holds more than {_native.MAX_TOTAL:,} rows.")
        return self.parts[0].program.winners(counts, lost), lost

    def _rounding(self, weights: np.ndarray) -> float:
        """Return 0 for the share of misplaced pairs, which are counted."""
        exact = self.loss.counts_pairs and len(self.parts) == 1 and weights.dtype.kind in "biu"
        return 0.0 if exact else super()._rounding(weights)

    def score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        if self.defined is not None:
            configs = np.where(self.defined[configs], configs, -1)
        counts = _native.as_counts(weights)
        if counts is None:
            return super().score_of(weights, configs)
        if self._is_plain:
            return self.parts[0].program.score_of(counts, configs)
        scores = np.full(len(weights), np.nan)
        draws = np.flatnonzero(configs >= 0)
        counts, configs = counts[draws], configs[draws]
        lost = (part.program.loss_of(counts, configs) for part in self.parts)
        scores[draws] = self._mean(counts, compiled=True).of(lost)
        return scores

    def _mean(self, weights: np.ndarray, *, compiled: bool = False) -> Mean:
        """Prepare the mean over the parts, for losses of compiled kernels or of NumPy."""
        return Mean(
            weights,
            self.parts,
            size=self.loss.size,
            shares=self._shares,
            needs_every_part=self.needs_every_part,
            pairs=self._pairs,
            across=compiled,
        )

    @property
    def _is_plain(self) -> bool:
        """Whether the metric is the share that one part keeps, as a program computes it."""
        return len(self.parts) == 1 and self._pairs is None


def indicator(rows: RowData) -> tuple[np.ndarray, list[str], list[str]] | None:
    """Mark the classes or labels that each row has, (n_rows, n_columns), and name them."""
    if rows.pred.ndim != 3 or rows.pred.dtype.kind not in "biuf":
        return None
    if rows.y.ndim == 2:
        n_labels = rows.y.shape[1]
        if n_labels < 2 or n_labels != rows.pred.shape[2] or not is_indicator(rows.y):
            return None
        columns = range(n_labels)
        return (
            rows.y == 1,
            [f"label {k} = 1" for k in columns],
            [f"label {k} = 0" for k in columns],
        )
    given = rows.kwargs.get("labels")
    classes = class_columns(rows, given)
    if classes is None or len(classes) < 3:
        return None
    if given is not None and not np.array_equal(np.asarray(given), classes):
        return None  # scikit-learn wants them sorted
    has = rows.y[:, None] == classes
    return has, [f"class {c}" for c in classes], [f"not class {c}" for c in classes]


class OneVsRest(RankKernel):
    """Mean over the columns of a two-class rank metric.

    ``average="macro"`` is the plain mean and ``"weighted"`` counts each column by the
    weight of its rows. Without `labels` a draw needs every class, as in scikit-learn;
    with them, and for several labels per row, a weighted mean leaves out columns
    without rows.
    """

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        found = indicator(rows)
        assert found is not None  # `handles` says so
        has, with_names, without_names = found
        for k in range(has.shape[1]):
            self.parts.append(Part(rows.pred[:, :, k], has[:, k], ~has[:, k], self.loss))
        self._weighted = rows.kwargs.get("average", "macro") == "weighted"
        one_label, labels_given = rows.y.ndim == 1, rows.kwargs.get("labels") is not None
        self.needs_every_part = not self._weighted or (one_label and not labels_given)
        if self.needs_every_part:
            self.strata, self.strata_names = has.T, with_names
            if not one_label and self.needs_negatives:
                self.strata = np.concatenate([has.T, ~has.T])
                self.strata_names = with_names + without_names

    needs_negatives: ClassVar[bool] = True

    def _shares(self, positive: np.ndarray, negative: np.ndarray) -> np.ndarray | None:
        return positive if self._weighted else None


class MicroAverage(MetricKernel):
    """A rank metric, by the kernel `two_classes`, on all pairs of a row and a column together."""

    is_rank = by_class = True
    two_classes: ClassVar[type[RankKernel]]
    needs_negatives: ClassVar[bool] = True

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        found = indicator(rows)
        assert found is not None  # `handles` says so
        has, names, _ = found
        flat = replace(
            rows,
            y=has.ravel().astype(np.int64),
            pred=rows.pred.reshape(rows.n_configs, -1),
            classes=np.array([0, 1]),
            kwargs={},
        )
        self._inner = self.two_classes(score_func, flat)
        self._n_columns = has.shape[1]
        if rows.y.ndim == 2:
            some = np.stack([has.any(axis=1), ~has.all(axis=1)])
            n_needed = 2 if self.needs_negatives else 1
            self.strata = some[:n_needed]
            self.strata_names = ["some label = 1", "some label = 0"][:n_needed]
        elif rows.kwargs.get("labels") is None:
            self.strata, self.strata_names = has.T, names

    def stay_within(self, fold: np.ndarray) -> None:
        """Compare only pairs of rows of the same fold, by `fold` (n_rows,), from now on."""
        self._inner.stay_within(np.repeat(fold, self._n_columns))

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that scoring one draw needs."""
        return self._inner.bytes_per_draw + 8 * self.rows.n_rows * self._n_columns

    def _of_pairs(self, weights: np.ndarray) -> np.ndarray:
        """Expand weights to pairs of a row and a column; 0 in draws that lack a stratum."""
        if self.strata is not None:
            there = [(weights[:, members] > 0).any(axis=1) for members in self.strata]
            weights = weights * np.all(there, axis=0)[:, None]
        return np.repeat(weights, self._n_columns, axis=1)

    def scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        return self._inner.scores(self._of_pairs(weights), configs)

    def winners(self, weights: np.ndarray, sign: int) -> np.ndarray:
        return self._inner.winners(self._of_pairs(weights), sign)

    def score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        return self._inner.score_of(self._of_pairs(weights), configs)


_SCORE_FUNCS = {average_precision_score: (0.0, 1.0)}


class AveragePrecision(RankKernel):
    """Average precision of two classes: mean precision at the positives.

    It is undefined without positives, where scikit-learn warns and returns 0. Scores of `rows` are
    higher for ``pos_label``, which must be one of the classes.
    """

    name = "average_precision"
    example = ("average_precision", "two classes")
    score_funcs: ClassVar = _SCORE_FUNCS
    loss = LostPrecision

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        assert rows.classes is not None  # `handles` says so
        pos_label, classes = rows.kwargs.get("pos_label", 1), rows.classes.tolist()
        if pos_label not in classes:
            raise ValueError(
                f"average_precision has pos_label={pos_label!r}, but the classes are {classes}. "
                "Name the positive one: make_scorer(average_precision_score, "
                f"response_method='predict_proba', pos_label={classes[1]!r})."
            )
        positive = rows.y_codes() == classes.index(pos_label)
        self.parts.append(Part(rows.pred, positive, ~positive, self.loss))
        self.strata, self.strata_names = positive[None], [f"class {pos_label}"]

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for two classes and one score per row."""
        return (
            rows.classes is not None
            and len(rows.classes) == 2
            and rows.y.ndim == 1
            and rows.pred.ndim == 2
            and rows.pred.dtype.kind in "biuf"
            and not (rows.codes_given and rows.classes.dtype.kind in "US")
            and known_arguments(score_func, rows.kwargs, "average", "pos_label")
            and rows.kwargs.get("average", "macro")
            in ("macro", "weighted", "micro", "samples", None)
        )


class AveragePrecisionOneVsRest(OneVsRest):
    """Mean average precision of each class against the rest, or of each label.

    It is undefined without positives in some class, or some label that counts, where scikit-learn
    warns and uses 0.
    """

    name = "average_precision_ovr"
    example = ("average_precision", "label sets")
    score_funcs: ClassVar = _SCORE_FUNCS
    loss = LostPrecision
    needs_negatives = False

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for several columns and a plain or weighted mean."""
        return _several(score_func, rows) in ("macro", "weighted")


class AveragePrecisionMicro(MicroAverage):
    """Average precision of all pairs of a row and a class (or label) together."""

    name = "average_precision_micro"
    example = (
        (average_precision_score, {"response_method": "predict_proba", "average": "micro"}),
        "label sets",
    )
    score_funcs: ClassVar = _SCORE_FUNCS
    two_classes = AveragePrecision
    needs_negatives = False

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for several columns and ``average="micro"``."""
        return _several(score_func, rows) == "micro"


def _several(score_func: Callable[..., float], rows: RowData) -> str | None:
    """Return the `average` asked of several columns of scores, or None if not supported."""
    known = known_arguments(score_func, rows.kwargs, "average", "pos_label")
    if rows.codes_given or not known or rows.kwargs.get("pos_label", 1) != 1:
        return None
    return None if indicator(rows) is None else rows.kwargs.get("average", "macro")


class RocAUC(RankKernel):
    """Area under the ROC curve: share of pairs of the two classes in the right order.

    Ties count one half; the positive class is the second one. With counts as weights every value
    is the quotient of two integers, correctly rounded.
    """

    name = "roc_auc"
    example = ("roc_auc", "two classes")
    score_funcs: ClassVar = {roc_auc_score: (0.0, 1.0)}
    loss = MisplacedPairs

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        assert rows.classes is not None  # `handles` says so
        self.strata = rows.y == rows.classes[:, None]
        self.parts.append(Part(rows.pred, self.strata[1], self.strata[0], self.loss))
        self.strata_names = [f"class {label}" for label in rows.classes]

    @property
    def conditions_on_class(self) -> bool:
        """Whether the metric is made of scores within classes: yes, each pair has one of each."""
        return True

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for two classes, one score per row and the whole curve."""
        return (
            rows.classes is not None
            and len(rows.classes) == 2
            and rows.y.ndim == 1
            and rows.pred.ndim == 2
            and rows.pred.dtype.kind in "biuf"
            and not (rows.codes_given and rows.classes.dtype.kind in "US")
            and known_roc_arguments(rows)
        )


def known_roc_arguments(rows: RowData) -> bool:
    """Check whether the arguments are valid and ask for the whole curve."""
    kwargs = rows.kwargs
    return (
        known_arguments(roc_auc_score, kwargs, "average", "max_fpr", "multi_class", "labels")
        and kwargs.get("max_fpr") in (None, 1)
        and kwargs.get("average", "macro") in ("macro", "weighted", "micro", "samples", None)
        and kwargs.get("multi_class", "raise") in ("raise", "ovr", "ovo")
    )


def _asked(rows: RowData) -> tuple[str, str | None] | None:
    """Return comparison (``"ovr"``, ``"ovo"``, ``"raise"``) and average; None if not supported."""
    if rows.codes_given or not known_roc_arguments(rows) or indicator(rows) is None:
        return None
    average = rows.kwargs.get("average", "macro")
    if rows.y.ndim == 2:
        return "ovr", average
    return rows.kwargs.get("multi_class", "raise"), average


def _are_probabilities(rows: RowData) -> np.ndarray | None:
    """Mark configurations whose scores sum to one, as several classes need in scikit-learn."""
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

    Several classes need ``multi_class``, and probabilities from one configuration at least.
    """

    name = "roc_auc_ovr"
    example = ("roc_auc_ovr", "four classes")
    score_funcs: ClassVar = {roc_auc_score: (0.0, 1.0)}
    loss = MisplacedPairs

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        if rows.y.ndim == 1 and rows.kwargs.get("multi_class", "raise") == "raise":
            raise ValueError(
                f"roc_auc with {rows.pred.shape[2]} classes needs a way to compare them: use "
                "scoring='roc_auc_ovr' (each class against the rest), 'roc_auc_ovo' (each pair "
                "of classes), or make_scorer(roc_auc_score, response_method='predict_proba', "
                "multi_class=...)."
            )
        super().__init__(score_func, rows)
        self.defined = _are_probabilities(rows)

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for several columns, each against the rest, and a plain or weighted mean."""
        asked = _asked(rows)
        return asked is not None and (
            asked[0] == "raise" or (asked[0] == "ovr" and asked[1] in ("macro", "weighted"))
        )


class RocAUCMicro(MicroAverage):
    """Area under the ROC curve of all pairs of a row and a class (or label) together."""

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
        """Check for several columns and ``average="micro"``."""
        return _asked(rows) == ("ovr", "micro")


class RocAUCOneVsOne(RankKernel):
    """Mean area under the ROC curve over pairs of classes.

    Each pair is compared twice, by the scores of either class (D. J. Hand, R. J. Till, Machine
    Learning 45, 171-186, 2001, :doi:`10.1023/A:1010920819831`). ``average="weighted"`` counts a
    pair by its share of the rows. Without `labels` a draw needs every class, as in scikit-learn;
    with them, pairs without rows are left out. Sample weights, which scikit-learn does not take
    here, weigh the rows of a pair.
    """

    name = "roc_auc_ovo"
    example = ("roc_auc_ovo", "four classes")
    score_funcs: ClassVar = {roc_auc_score: (0.0, 1.0)}
    loss = MisplacedPairs

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        found = indicator(rows)
        assert found is not None  # `handles` says so
        has, names, _ = found
        for a, b in permutations(range(has.shape[1]), 2):
            self.parts.append(Part(rows.pred[:, :, a], has[:, a], has[:, b], self.loss))
        self._weighted = rows.kwargs.get("average", "macro") == "weighted"
        self.needs_every_part = rows.kwargs.get("labels") is None
        if self.needs_every_part:
            self.strata, self.strata_names = has.T, names
        self.defined = _are_probabilities(rows)

    @property
    def conditions_on_class(self) -> bool:
        """Whether pairs of classes count alike; in one-vs-rest larger classes count more."""
        return not self._weighted

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for more than two classes, all pairs, and a plain or weighted mean."""
        asked = _asked(rows)
        return asked is not None and asked[0] == "ovo" and asked[1] in ("macro", "weighted")

    def _shares(self, positive: np.ndarray, negative: np.ndarray) -> np.ndarray | None:
        if self.needs_every_part and not self._weighted:
            return None
        there = (positive > 0) & (negative > 0)
        return there * (positive + negative) if self._weighted else there.astype(np.float64)
