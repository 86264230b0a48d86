"""What a rule chose in each of many draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

CHUNK_BYTES = 2**23
"""Memory that the scores by fold of one piece of a batch take: they stay in the cache."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """Columns with one entry per draw.

    Parameters
    ----------
    columns : mapping of str to ndarray of shape (n_draws, ...)
        What was chosen, for example ``"config"``, -1 where nothing could be chosen.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.selection import Outcome
    >>> outcome = Outcome({"config": np.array([2, 0, 2])})
    >>> len(outcome), outcome["config"].tolist()
    (3, [2, 0, 2])
    """

    columns: Mapping[str, np.ndarray]

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))
        lengths = {name: len(array) for name, array in self.columns.items()}
        if len(set(lengths.values())) != 1:
            raise ValueError(f"columns must have one length, at least one of them; got {lengths}.")

    # A mapping proxy cannot be pickled.
    def __getstate__(self) -> dict:
        return {"columns": dict(self.columns)}

    def __setstate__(self, state: dict) -> None:
        object.__setattr__(self, "columns", MappingProxyType(state["columns"]))

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __getitem__(self, name: str) -> np.ndarray:
        return self.columns[name]

    def take(self, draws: np.ndarray) -> Outcome:
        """Keep some of the draws.

        Parameters
        ----------
        draws : ndarray of int or bool
            Which ones, in which order.

        Returns
        -------
        Outcome
            The same columns.
        """
        return Outcome({name: array[draws] for name, array in self.columns.items()})

    @staticmethod
    def concatenated(parts: Sequence[Outcome]) -> Outcome:
        """Put the draws of several outcomes behind each other.

        Parameters
        ----------
        parts : sequence of Outcome
            At least one, all with the same columns.

        Returns
        -------
        Outcome
            All draws in order.
        """
        first = parts[0].columns
        return Outcome({name: np.concatenate([part[name] for part in parts]) for name in first})


def in_pieces(
    choose: Callable[[np.ndarray], Outcome], weights: np.ndarray, bytes_per_draw: int
) -> Outcome:
    """Apply a rule piece by piece, so that what it needs meanwhile stays in the cache.

    Parameters
    ----------
    choose : callable
        Takes weights of some draws.
    weights : ndarray of shape (n_draws, n_units)
        Of all draws.
    bytes_per_draw : int
        Memory in bytes that a draw needs meanwhile.
    """
    size = max(1, CHUNK_BYTES // max(bytes_per_draw, 1))
    starts = range(0, max(len(weights), 1), size)
    return Outcome.concatenated([choose(weights[start : start + size]) for start in starts])
