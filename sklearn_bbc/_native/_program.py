"""The convenient side of a compiled program: checks types, makes the result arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

MAX_TOTAL = 2**26
"""The compiled kernels refuse draws whose counts add up to more: below, all is exact."""


class Program:
    """Predictions of all configurations, prepared for scoring many draws.

    A score is ``(size - loss) / size``; the size depends on the draw only. All methods may
    be called from several threads at once and release the GIL.

    Parameters
    ----------
    compiled : object
        What a function of the extension module returned.
    """

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    @property
    def name(self) -> str:
        """Name of the kernel."""
        return self._compiled.name

    @property
    def n_configs(self) -> int:
        """Number of configurations."""
        return self._compiled.n_configs

    @property
    def n_rows(self) -> int:
        """Number of rows that counts must have."""
        return self._compiled.n_rows

    @property
    def nbytes(self) -> int:
        """Memory that the prepared form takes, in bytes."""
        return self._compiled.nbytes

    def winners(self, counts: np.ndarray) -> np.ndarray:
        """Best configuration of each draw.

        Parameters
        ----------
        counts : ndarray of shape (n_draws, n_rows), bool, uint8 or uint16, C-contiguous
            How often each row was drawn; see `as_counts`.

        Returns
        -------
        ndarray of shape (n_draws,), int64
            First index on ties; -1 where every configuration is undefined.
        """
        out = np.empty(len(counts), dtype=np.int64)
        self._compiled.winners(counts, out)
        return out

    def scores(self, counts: np.ndarray, configs: np.ndarray | None = None) -> np.ndarray:
        """Scores of some configurations on every draw.

        Parameters
        ----------
        counts : ndarray of shape (n_draws, n_rows)
            As for `winners`.
        configs : ndarray of shape (n_chosen,) or None, default=None
            Indices of configurations; None means all.

        Returns
        -------
        ndarray of shape (n_draws, n_chosen)
            NaN where undefined.
        """
        return self._table(self._compiled.scores, counts, configs)

    def losses(self, counts: np.ndarray, configs: np.ndarray | None = None) -> np.ndarray:
        """What `scores` lose: shape (n_draws, n_chosen), 0 where the size is 0.

        Twice the weight of the misplaced pairs (AUC, concordance), or the sum of one minus
        precision over the positives (average precision).
        """
        return self._table(self._compiled.losses, counts, configs)

    def score_of(self, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Score of one configuration per draw.

        Parameters
        ----------
        counts : ndarray of shape (n_draws, n_rows)
            As for `winners`.
        configs : ndarray of shape (n_draws,)
            Indices of configurations; -1 gives NaN.

        Returns
        -------
        ndarray of shape (n_draws,)
            NaN where undefined.
        """
        return self._column(self._compiled.score_of, counts, configs)

    def loss_of(self, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """What `score_of` loses, shape (n_draws,)."""
        return self._column(self._compiled.loss_of, counts, configs)

    def _table(self, method: Any, counts: np.ndarray, configs: np.ndarray | None) -> np.ndarray:
        chosen = np.arange(self.n_configs) if configs is None else configs
        out = np.empty((len(counts), len(chosen)))
        method(counts, np.ascontiguousarray(chosen, dtype=np.int64), out)
        return out

    def _column(self, method: Any, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        out = np.empty(len(counts))
        method(counts, np.ascontiguousarray(configs, dtype=np.int64), out)
        return out


def as_counts(weights: np.ndarray) -> np.ndarray | None:
    """Weights in the form that the compiled kernels take, if they can be brought to it.

    Parameters
    ----------
    weights : ndarray of shape (n_draws, n_rows)
        Weights of any dtype.

    Returns
    -------
    ndarray of shape (n_draws, n_rows) or None
        The same numbers as C-contiguous bool, uint8 or uint16 (without a copy if they are
        that already); None if they are not counts, are too large or too many.
    """
    if weights.dtype.kind not in "biu":
        return None
    if weights.dtype not in (np.bool_, np.uint8, np.uint16):
        low, high = int(weights.min(initial=0)), int(weights.max(initial=0))
        if low < 0 or high > np.iinfo(np.uint16).max:
            return None
        weights = weights.astype(np.min_scalar_type(high))
    largest = 1 if weights.dtype == np.bool_ else np.iinfo(weights.dtype).max
    if weights.shape[1] * largest > MAX_TOTAL:
        # A look at the counts is needed only where there are very many.
        totals = weights.sum(axis=1, dtype=np.uint64)
        if totals.max(initial=0) > MAX_TOTAL:
            return None
    return np.ascontiguousarray(weights)
