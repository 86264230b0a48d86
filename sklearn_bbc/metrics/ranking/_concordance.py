"""Harrell's concordance index for right-censored survival times."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import make_scorer
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from ... import _native
from ..._scorers import OUR_SCORERS
from ..._warn import warn_user
from .._base import MetricKernel
from .._rows import RowData
from ._censored_pairs import CensoredPairs
from ._fold_pairs import folds_apart
from ._losses import Lanes, arithmetic, blocks

_PREDICTS = ("risk", "time")


def concordance_index_score(
    y_true: Any, y_pred: Any, *, predicts: str = "risk", sample_weight: Any = None
) -> float:
    """Share of comparable pairs that are ordered rightly: Harrell's concordance index.

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


def survival_target(y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Read events and times from a survival target.

    Parameters
    ----------
    y : structured array of shape (n_samples,) or array-like of shape (n_samples, 2)
        See `concordance_index_score`.

    Returns
    -------
    event : ndarray of shape (n_samples,), bool
        Whether the event was seen.
    time : ndarray of shape (n_samples,), float64
        Time of the event or of censoring.

    Raises
    ------
    ValueError
        If `y` is something else.
    """
    array = np.asarray(y)
    names = array.dtype.names
    if names is not None:
        flags = [name for name in names if array.dtype[name].kind == "b"]
        numbers = [name for name in names if array.dtype[name].kind in "iuf"]
        if array.ndim != 1 or len(flags) != 1 or len(numbers) != 1:
            raise ValueError(
                "A structured survival target has one boolean field (event) and one numeric field "
                f"(time), got {array.dtype}."
            )
        event, time = array[flags[0]], array[numbers[0]]
    else:
        if array.ndim != 2 or array.shape[1] != 2:
            raise ValueError(
                "A survival target is a structured array with a boolean and a numeric field, or "
                f"has the two columns (event, time); got shape {array.shape}."
            )
        event, time = array[:, 0].astype(np.float64), array[:, 1]
        if not np.isin(event, (0, 1)).all():
            raise ValueError(
                "The first column of a survival target is the event, 0 (censored) or 1, but it "
                f"holds {np.setdiff1d(event, (0, 1))[0]:g}. The second column is the time."
            )
    time = time.astype(np.float64)
    if np.isnan(time).any():
        raise ValueError("The times of a survival target must not be NaN.")
    if (time < 0).any():
        raise ValueError(
            f"The times of a survival target must not be negative, got {time.min():g}. Count them "
            "from when each sample came under observation."
        )
    return event.astype(bool), time


def _risks(pred: np.ndarray, predicts: str) -> np.ndarray:
    if predicts not in _PREDICTS:
        raise ValueError(f"predicts must be one of {list(_PREDICTS)}, got {predicts!r}.")
    return pred if predicts == "risk" else -pred.astype(np.float64)


class _Survival:
    """A survival target and predictions of risk; threads may share it.

    Parameters
    ----------
    event, time : ndarray of shape (n_rows,)
        As from `survival_target`.
    risk : ndarray of shape (n_configs, n_rows)
        Greater means an earlier event.
    fold : ndarray of shape (n_rows,) of int, default=None
        Numbers of the folds, when only rows of the same fold are to be compared.
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
        """The same rows, compared with those of the same fold only."""
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
        """The best configuration of each draw by the compiled kernel, -1 where none is defined."""
        winners = self.program.winners(counts)
        if self._fold is not None:
            winners[self.sizes(counts) == 0] = -1
        return winners

    def score_of(self, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Score of one configuration per draw by the compiled kernel."""
        if self._fold is None:
            return self.program.score_of(counts, configs)
        return _kept(self.program.loss_of(counts, configs), self.sizes(counts))

    def sizes(self, weights: np.ndarray) -> np.ndarray:
        """Twice the weight of the comparable pairs, shape (n_draws,)."""
        if len(weights) == 1:  # as in `scores`
            return self.sizes(np.repeat(weights, 2, axis=0))[:1]
        sizes = np.empty(len(weights))
        for block in blocks(weights):
            lanes = Lanes(weights[block], *arithmetic(weights[block], 1.0))
            sizes[block] = self.pairs.size(lanes)
        return sizes

    def scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Scores of shape (n_draws, n_chosen); NaN where no pair can be compared."""
        counts = _counts(weights)
        if counts is not None and self._fold is None:
            return self.program.scores(counts, configs)
        if counts is not None:
            return _kept(self.program.losses(counts, configs).T, self.sizes(counts)).T
        if len(weights) == 1:
            # One lane alone would be added in another order.
            return self.scores(np.repeat(weights, 2, axis=0), configs)[:1]
        scores = np.empty((len(weights), len(configs)))
        for block in blocks(weights):
            lanes = Lanes(weights[block], *arithmetic(weights[block], 1.0))
            size = self.pairs.size(lanes)
            for k, config in enumerate(configs):
                scores[block, k] = _kept(self.pairs.discordance(self._risk[config], lanes), size)
        return scores


def _kept(lost: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Share of the pairs in the right order; NaN where there are no pairs."""
    defined = size > 0
    share = np.maximum((size - lost) / np.where(defined, size, 1.0), 0.0)
    return np.where(defined, share, np.nan)


def _counts(weights: np.ndarray) -> np.ndarray | None:
    """Weights as the compiled kernel takes them; None where NumPy has to do."""
    return _native.as_counts(weights) if _native.available() else None


class ConcordanceIndex(MetricKernel):
    """Harrell's concordance index of right-censored times.

    Parameters
    ----------
    score_func : callable
        `concordance_index_score`.
    rows : RowData
        Rows of one repeat, with a survival target.
    """

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
        """A survival target and one prediction per row."""
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
        """Compare only rows of the same fold, from now on.

        Parameters
        ----------
        fold : ndarray of shape (n_rows,)
            Fold of each row. Folds count by the weight of their comparable pairs.
        """
        self._survival = self._survival.within(fold)
        self._set_strata()

    def _set_strata(self) -> None:
        self.strata = self._survival.pairs.compared[None]

    def _scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        return self._survival.scores(weights, configs)

    def _winners(self, weights: np.ndarray, sign: int) -> np.ndarray:
        counts = _counts(weights)
        if counts is None or sign < 0:
            return super()._winners(weights, sign)
        return self._survival.winners(counts)

    def _rounding(self, weights: np.ndarray) -> float:
        """Nothing for whole copies of rows: a share of pairs, which are counted."""
        return 0.0 if weights.dtype.kind in "biu" else super()._rounding(weights)

    def _score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        counts = _counts(weights)
        if counts is None:
            return super()._score_of(weights, configs)
        return self._survival.score_of(counts, configs)


concordance_index_scorer = make_scorer(concordance_index_score, response_method="predict")
OUR_SCORERS["concordance_index"] = concordance_index_scorer
