"""Comparable pairs of right-censored times, and the weight of those in the wrong order.

Two rows are compared if one had its event while the other was still at risk. Rows get the
number of their time in sorted order, events before censored rows of the same time, and equal
numbers to events at one time: then the pairs are those of an event and a row of a greater
number. Two different numbers first differ in some binary digit; digit by digit, the pairs fall
into blocks in which every event with digit 0 is compared with every row with digit 1. So each
digit is one pass over sorted rows, as for the area under the ROC curve.

When only rows of the same fold are compared, numbers are those within the fold, and the blocks of
different folds are different blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Lock
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import make_scorer
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from .. import _native
from .._parameters import OneOf
from .._scorers import OUR_SCORERS
from .._utils import check_arrays, got
from .._warnings import warn_user
from ._arithmetic import folds_apart
from ._base import MetricKernel, RowData

_CHUNK_ROWS = 64
_BLOCK_BYTES = 2**27  # weights that are treated at once: affects speed and memory only
_FEWEST_DRAWS, _MOST_DRAWS = 64, 2048


class CensoredPairs:
    """Comparable pairs of rows with right-censored times.

    `event` (n_rows,) bool marks events that were seen, `time` (n_rows,) is that of the event or of
    censoring. `fold` (n_rows,) numbers the folds 0, 1, ... when only rows of the same fold are
    compared, otherwise it is None. `compared` (n_rows,) bool marks events that some other row,
    with `fold` some other row of the fold, outlived.
    """

    def __init__(
        self, event: np.ndarray, time: np.ndarray, fold: np.ndarray | None = None
    ) -> None:
        fold = np.zeros(len(time), dtype=np.int64) if fold is None else fold
        order = np.lexsort((~event, time, fold))
        starts = starts_of(fold[order])
        new = np.diff(time[order], prepend=np.nan) != 0
        new[1:] |= event[order][1:] != event[order][:-1]
        new |= starts
        # Numbers count up over all folds; minus that of the fold's first row they start at 0.
        overall = np.cumsum(new) - 1
        first = overall[starts]
        number, last = np.empty((2, len(time)), dtype=np.int64)
        number[order] = overall - first[fold[order]]
        last[order] = (np.append(first[1:], overall[-1:] + 1) - first - 1)[fold[order]]
        self.compared = event & (number < last)
        self._latest_first = order[::-1]
        self._events = np.flatnonzero(self.compared)
        # Rows in front of an event in that order: all with a greater number, or of a later fold.
        key = first[fold] + number
        self._longer = np.searchsorted(-key[self._latest_first], -key[self._events])
        self._longer += fold.max(initial=0) - fold[self._events]  # a 0 in front of each fold
        self._starts = starts_of(fold[self._latest_first])
        self._digits = []
        n_digits = int(number.max(initial=0)).bit_length()
        for digit in reversed(range(n_digits)):
            block, late = number >> (digit + 1), (number >> digit) & 1 == 1
            block += fold << (n_digits - digit)
            early = np.flatnonzero(self.compared & ~late)
            has_early = np.zeros(int(block.max(initial=0)) + 1, dtype=bool)
            has_early[block[early]] = True
            late = np.flatnonzero(late & has_early[block])
            if len(late):
                self._digits.append((block, early, late))

    def size(self, weights: np.ndarray, events: np.ndarray | None = None) -> np.ndarray:
        """Compute twice the weight of all comparable pairs in each draw.

        `weights` (n_rows, n_draws), float64 -> (n_draws,). `events`, of that shape, are the
        weights of rows as the one with the event; None takes the same.
        """
        events = weights if events is None else events
        sums = self._sums_in_blocks(self._latest_first, self._starts, weights)
        pairs = np.zeros(weights.shape[1])
        for start in range(0, len(self._events), _CHUNK_ROWS):
            chunk = slice(start, start + _CHUNK_ROWS)
            terms = sums[self._longer[chunk]] * events[self._events[chunk]]
            terms[0] += pairs
            np.add.reduce(terms, axis=0, out=pairs)
        return 2.0 * pairs

    def discordance(
        self, risk: np.ndarray, weights: np.ndarray, events: np.ndarray | None = None
    ) -> np.ndarray:
        """Compute twice the weight of the pairs in the wrong order; equal risks count one half.

        `risk` (n_rows,), `weights` (n_rows, n_draws), float64 -> (n_draws,). `events` are as in
        `size`.
        """
        events = weights if events is None else events
        distinct, level = np.unique(risk, return_inverse=True)
        lost = np.zeros(weights.shape[1])
        for block, early, late in self._digits:
            key = block * len(distinct) + level
            late = late[np.argsort(key[late], kind="stable")]
            # Sums start anew in each block, so that rounding stays inside.
            starts = starts_of(block[late])
            sums = self._sums_in_blocks(late, starts, weights)
            late_key = key[late]
            nth_block = np.searchsorted(block[late][starts], block[early])
            below = np.searchsorted(late_key, key[early], "left") + nth_block
            up_to = np.searchsorted(late_key, key[early], "right") + nth_block
            after_block = (block[early] + 1) * len(distinct)
            end = np.searchsorted(late_key, after_block, "left") + nth_block
            for start in range(0, len(early), _CHUNK_ROWS):
                chunk = slice(start, start + _CHUNK_ROWS)
                total = sums[end[chunk]]
                terms = (total - sums[below[chunk]]) + (total - sums[up_to[chunk]])
                terms *= events[early[chunk]]
                terms[0] += lost
                np.add.reduce(terms, axis=0, out=lost)
        return lost

    @staticmethod
    def _sums_in_blocks(order: np.ndarray, starts: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Compute running sums of weights, with a 0 where each block of rows starts."""
        # One row more, to which events point whose block has no later rows: nothing is lost there.
        sums = np.zeros((len(order) + int(starts.sum()) + 1, weights.shape[1]))
        position = -1
        # A loop with one addition per row is ten times as fast as `numpy.cumsum` along it.
        for row, is_start in zip(order.tolist(), starts.tolist()):
            position += is_start
            np.add(sums[position], weights[row], out=sums[position + 1])
            position += 1
        return sums


def starts_of(blocks: np.ndarray) -> np.ndarray:
    """Mark the first row of each block of rows, shape (n_rows,), bool."""
    starts = np.ones(len(blocks), dtype=bool)
    starts[1:] = blocks[1:] != blocks[:-1]
    return starts


_PREDICTS = ("risk", "time")


def concordance_index_score(
    y_true: Any, y_pred: Any, *, predicts: str = "risk", sample_weight: Any = None
) -> float:
    """Compute Harrell's concordance index: the share of comparable pairs in the right order.

    Two samples are compared if one had its event while the other was still at risk,
    including samples censored at that very time; two events at one time are not compared.
    Equal predictions count one half. Without censoring and ties it is the area under the
    ROC curve of "who is first", 0.5 for coin flips.

    Parameters
    ----------
    y_true : structured array of shape (n_samples,) or array-like of shape (n_samples, 2)
        Whether the event was seen, and the time of the event or of censoring: one
        boolean and one numeric field (as scikit-survival has them), or the two columns
        (event, time) with events 0 or 1.
    y_pred : array-like of shape (n_samples,)
        Predictions.
    predicts : {"risk", "time"}, default="risk"
        What greater predictions mean: ``"risk"`` an earlier event (scikit-survival's
        ``predict``, lifelines' ``predict_partial_hazard``), ``"time"`` a later one
        (lifelines' ``predict_expectation``).
    sample_weight : array-like of shape (n_samples,), default=None
        Weights; a pair weighs the product of both. None weighs all by 1.

    Returns
    -------
    float
        Between 0 and 1; NaN, with a warning, when no pair can be compared.

    Raises
    ------
    ValueError
        If `y_true` is not a survival target, lengths differ, values are missing, or
        `predicts` is unknown.

    Notes
    -----
    The scorer ``"concordance_index"`` calls ``predict`` and takes it as a risk. For models
    that predict times: ``make_scorer(concordance_index_score, predicts="time")``.
    Time O(n_samples * log(n_samples)^2).

    References
    ----------
    .. [1] F. E. Harrell, K. L. Lee, D. B. Mark, "Multivariable prognostic models",
       Statistics in Medicine 15, 361-387 (1996).
       :doi:`10.1002/(SICI)1097-0258(19960229)15:4<361::AID-SIM168>3.0.CO;2-4`

    Examples
    --------
    >>> from sklearn_bbc.metrics import concordance_index_score
    >>> event_and_time = [[1, 2.0], [0, 3.0], [1, 5.0], [1, 9.0]]
    >>> concordance_index_score(event_and_time, [0.9, 0.1, 0.6, 0.3])
    1.0
    >>> concordance_index_score(event_and_time, [2, 9, 10, 4], predicts="time")
    0.75
    """
    event, time = survival_target(y_true)
    check_arrays(y_pred=y_pred, sample_weight=sample_weight)
    y_pred = column_or_1d(check_array(y_pred, ensure_2d=False, input_name="y_pred"))
    check_consistent_length(time, y_pred, sample_weight)
    weight = np.ones(len(time), dtype=bool)
    if sample_weight is not None:
        weight = column_or_1d(sample_weight, dtype=np.float64)
        if not (weight >= 0).all():
            raise ValueError("sample_weight must not be negative or NaN.")
    survival = _Survival(event, time, _risks(y_pred[None], predicts))
    score = survival.scores(weight[None], np.array([0]))[0, 0]
    if np.isnan(score):
        warn_user(
            "No pair of samples can be compared: there is no event that another sample "
            "outlived. The concordance index is not defined.",
            UndefinedMetricWarning,
        )
    return float(score)


NOT_HANDLED = (
    "Competing risks (events of several kinds) and left truncation (times of entry) are not "
    "handled here."
)


def survival_target(y: Any, name: str = "y_true") -> tuple[np.ndarray, np.ndarray]:
    """Read events and times, (n_samples,) each, from a survival target `y` (n_samples,)."""
    check_arrays(**{name: y})
    array = np.asarray(y)
    names = array.dtype.names
    if names is not None:
        flags = [name for name in names if array.dtype[name].kind == "b"]
        numbers = [name for name in names if array.dtype[name].kind in "iuf"]
        if array.ndim != 1 or len(flags) != 1 or len(numbers) != 1:
            raise ValueError(
                "A structured survival target has one boolean field (event) and one numeric field "
                f"(time), got {array.dtype}. {NOT_HANDLED}"
            )
        event, time = array[flags[0]], array[numbers[0]]
    else:
        if array.ndim != 2 or array.shape[1] != 2:
            raise ValueError(
                "A survival target is a structured array with a boolean and a numeric field, or "
                f"has the two columns (event, time); got shape {array.shape}. {NOT_HANDLED}"
            )
        event, time = array.T
        try:
            known = np.isin(event.astype(np.float64), (0, 1))
        except (TypeError, ValueError):  # text
            known = np.zeros(len(event), dtype=bool)
        if not known.all():
            raise ValueError(
                "The first column of a survival target is the event, 0 (censored) or 1, but it "
                f"holds {got(event[~known].tolist()[0])}. The second column is the time. "
                f"{NOT_HANDLED}"
            )
        event = event.astype(np.float64)
    time = time.astype(np.float64)
    if not np.isfinite(time).all():
        raise ValueError(
            "The times of a survival target must be finite, got "
            f"{time[~np.isfinite(time)][0]}. Without an event it is the time until which the "
            "sample was followed."
        )
    if (time < 0).any():
        raise ValueError(
            f"The times of a survival target must not be negative, got {time.min():g}. Count them "
            "from when each sample came under observation."
        )
    return event.astype(bool), time


def _risks(pred: np.ndarray, predicts: str) -> np.ndarray:
    OneOf(_PREDICTS).check("predicts", predicts)
    return pred if predicts == "risk" else -pred.astype(np.float64)


class _Survival:
    """A survival target and predictions of risk; threads may share it.

    `event` and `time` (n_rows,) are as from `survival_target`; greater `risk` (n_configs, n_rows)
    means an earlier event. `fold` (n_rows,) is as in `CensoredPairs`.
    """

    def __init__(
        self, event: np.ndarray, time: np.ndarray, risk: np.ndarray, fold: np.ndarray | None = None
    ) -> None:
        self._event, self._time, self._risk, self._fold = event, time, risk, fold
        self._lock = Lock()
        self._pairs: CensoredPairs | None = None
        self._program: _native.Program | None = None

    @property
    def pairs(self) -> CensoredPairs:
        """The comparable pairs, for NumPy."""
        with self._lock:
            if self._pairs is None:
                self._pairs = CensoredPairs(self._event, self._time, self._fold)
            return self._pairs

    def within(self, fold: np.ndarray) -> _Survival:
        """Make the same comparison among rows of the same fold only."""
        codes = np.unique(fold, return_inverse=True)[1]
        return _Survival(self._event, self._time, self._risk, codes)

    @property
    def program(self) -> _native.Program:
        """The compiled kernel.

        It compares all rows. When folds are kept apart, each fold's times lie above those of the
        fold before and its risks below: no pair of different folds is then in the wrong order,
        so what is lost is lost within folds. `sizes` counts the pairs that matter.
        """
        with self._lock:
            if self._program is None:
                risk, time = self._risk, self._time
                if self._fold is not None:
                    undefined = np.isnan(risk).any(axis=1)
                    risk = folds_apart(risk, -self._fold)
                    risk[undefined] = np.nan
                    time = folds_apart(time[None], self._fold)[0]
                self._program = _native.concordance(risk, time, self._event)
            return self._program

    def winners(self, counts: np.ndarray) -> np.ndarray:
        """Find the best configuration of each draw by the compiled kernel, -1 if undefined."""
        winners = self.program.winners(counts)
        if self._fold is not None:
            winners[self.sizes(counts) == 0] = -1
        return winners

    def score_of(self, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Score one configuration per draw by the compiled kernel."""
        if self._fold is None:
            return self.program.score_of(counts, configs)
        return _share_in_order(self.program.loss_of(counts, configs), self.sizes(counts))

    def sizes(self, weights: np.ndarray) -> np.ndarray:
        """Compute twice the weight of the comparable pairs, shape (n_draws,)."""
        return np.concatenate(
            [self.pairs.size(by_row) for _, by_row in blocks_of_draws(weights)] or [np.empty(0)]
        )

    def scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Compute scores of shape (n_draws, n_chosen); NaN where no pair can be compared."""
        counts = _native.as_counts(weights)
        if counts is not None and self._fold is None:
            return self.program.scores(counts, configs)
        if counts is not None:
            return _share_in_order(self.program.losses(counts, configs).T, self.sizes(counts)).T
        scores = np.empty((len(weights), len(configs)))
        for draws, by_row in blocks_of_draws(weights):
            size = self.pairs.size(by_row)
            for k, config in enumerate(configs):
                scores[draws, k] = _share_in_order(
                    self.pairs.discordance(self._risk[config], by_row), size
                )
        return scores


def blocks_of_draws(weights: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield some draws at a time, and their weights transposed, (n_rows, n_draws)."""
    step = min(_MOST_DRAWS, max(_FEWEST_DRAWS, _BLOCK_BYTES // (8 * weights.shape[1])))
    for start in range(0, len(weights), step):
        draws = slice(start, start + step)
        yield draws, np.ascontiguousarray(weights[draws].T, dtype=np.float64)


def _share_in_order(lost: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Compute the share of the pairs in the right order; NaN where there are no pairs."""
    defined = size > 0
    share = np.maximum((size - lost) / np.where(defined, size, 1.0), 0.0)
    return np.where(defined, share, np.nan)


class ConcordanceIndex(MetricKernel):
    """Harrell's concordance index of right-censored times; `rows` have a survival target."""

    name = "concordance_index"
    example = ("concordance_index", "censored times")
    is_rank = True
    score_funcs: ClassVar = {concordance_index_score: (0.0, 1.0)}

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        risk = _risks(rows.pred, rows.kwargs.get("predicts", "risk"))
        self._survival = _Survival(*survival_target(rows.y), risk)
        self._set_strata()
        self.strata_names = ["the set of events that others outlived"]

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for one number per row as prediction, and for no unknown arguments."""
        return (
            rows.pred.ndim == 2
            and rows.pred.dtype.kind in "biuf"
            and not rows.codes_given
            and set(rows.kwargs) <= {"predicts"}
        )

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that scoring one draw needs."""
        return 46 * self.rows.n_rows + 8 * self.rows.n_configs + 4096

    def stay_within(self, fold: np.ndarray) -> None:
        """Compare only rows of the same fold, by `fold` (n_rows,), from now on."""
        self._survival = self._survival.within(fold)
        self._set_strata()

    def _set_strata(self) -> None:
        self.strata = self._survival.pairs.compared[None]

    def scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        return self._survival.scores(weights, configs)

    def winners(self, weights: np.ndarray, sign: int) -> np.ndarray:
        counts = _native.as_counts(weights)
        if counts is None or sign < 0:
            return super().winners(weights, sign)
        return self._survival.winners(counts)

    def _rounding(self, weights: np.ndarray) -> float:
        """Return 0 for whole copies of rows, whose pairs are counted."""
        return 0.0 if weights.dtype.kind in "biu" else super()._rounding(weights)

    def score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        counts = _native.as_counts(weights)
        if counts is None:
            return super().score_of(weights, configs)
        return self._survival.score_of(counts, configs)


concordance_index_scorer = make_scorer(concordance_index_score, response_method="predict")
OUR_SCORERS["concordance_index"] = concordance_index_scorer
