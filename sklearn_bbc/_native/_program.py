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

    def winners(self, counts: np.ndarray, limit: np.ndarray | None = None) -> np.ndarray:
        """Best configuration of each draw.

        `counts` (n_draws, n_rows), `limit` (n_draws,) -> (n_draws,).
        """
        out = np.empty(len(counts), dtype=np.int64)
        self._compiled.winners(counts, out, limit)
        return out

    def scores(self, counts: np.ndarray, configs: np.ndarray | None = None) -> np.ndarray:
        """Scores of some configurations on every draw.

        `counts` (n_draws, n_rows), `configs` (n_chosen,) -> (n_draws, n_chosen).
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

        `counts` (n_draws, n_rows), `configs` (n_draws,) -> (n_draws,).
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

    `weights` (n_draws, n_rows) -> (n_draws, n_rows).
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
