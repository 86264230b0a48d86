"""What a comparison of learners over several data sets returns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from .._equality import same
from .._wording import card, count, number, p_value, percent
from ._arrays import frozen_array

__all__ = ["RankingResult"]

MOST = 8
"""Learners, and pairs of them, that a card for notebooks lists."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RankingResult:
    """Mean ranks of learners over data sets, and which of them differ.

    Parameters
    ----------
    names : tuple of str
        The learners.
    mean_ranks : ndarray of shape (n_learners,)
        Mean rank of each learner; 1 is the best.
    n_data_sets : int
        Number of data sets.
    statistic, p_value : float
        Of the test that all learners are alike; NaN for methods that only compare pairs.
    method : str
        Name of the method, for example ``"nemenyi"``.
    pair_p_values : ndarray of shape (n_learners, n_learners) or None, default=None
        p-value of each pair, adjusted for their number; NaN for pairs that were not compared.
    critical_difference : float, default=nan
        Difference of mean ranks from which on two learners differ.
    confidence_level : float, default=0.95
        One minus the level of all tests together.
    label : str, default=""
        The method in a sentence.
    control : int or None, default=None
        Learner with which the others are compared; None for all pairs.
    assumptions : tuple of str, default=()
        What the result rests on, a sentence each.
    details : mapping, default={}
        By-products.

    Notes
    -----
    Two results are equal when all their fields hold the same, with NaN equal to NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.comparison import Nemenyi
    >>> scores = np.array([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.5],
    ...                    [0.7, 0.6, 0.5], [0.8, 0.7, 0.5], [0.9, 0.8, 0.6]])
    >>> result = Nemenyi().compare(scores, names=["A", "B", "C"])
    >>> result.groups()
    [('A', 'B'), ('B', 'C')]
    >>> print(f"{result.critical_difference:.2f}")
    1.35
    """

    names: tuple[str, ...]
    mean_ranks: np.ndarray
    n_data_sets: int
    statistic: float
    p_value: float
    method: str
    pair_p_values: np.ndarray | None = None
    critical_difference: float = math.nan
    confidence_level: float = 0.95
    label: str = ""
    control: int | None = None
    assumptions: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("statistic", "p_value", "critical_difference", "confidence_level"):
            object.__setattr__(self, name, float(getattr(self, name)))
        object.__setattr__(self, "names", tuple(map(str, self.names)))
        object.__setattr__(self, "assumptions", tuple(map(str, self.assumptions)))
        object.__setattr__(self, "mean_ranks", frozen_array(self.mean_ranks, dtype=float))
        if self.pair_p_values is not None:
            object.__setattr__(
                self, "pair_p_values", frozen_array(self.pair_p_values, dtype=float)
            )
        object.__setattr__(self, "details", MappingProxyType(dict(self.details)))

    @property
    def alpha(self) -> float:
        """Level of all tests together."""
        return 1 - self.confidence_level

    def frame(self) -> pd.DataFrame:
        """Table of the learners.

        Returns
        -------
        DataFrame
            One row per learner, the best mean rank first.
        """
        table = pd.DataFrame({"learner": self.names, "mean_rank": self.mean_ranks})
        if self.control is not None and self.pair_p_values is not None:
            table["p_value"] = self.pair_p_values[self.control]
        return table.sort_values("mean_rank", kind="stable", ignore_index=True)

    def pairs(self) -> pd.DataFrame:
        """Table of the pairs that were compared.

        Returns
        -------
        DataFrame
            One row per pair, the smallest p-value first, with the difference of the mean ranks
            (negative where the first is better) and whether it is shown.
        """
        columns = ["first", "second", "rank_difference", "p_value", "is_shown"]
        rows = [
            (
                self.names[i],
                self.names[j],
                self.mean_ranks[i] - self.mean_ranks[j],
                p,
                bool(p <= self.alpha),
            )
            for i, j, p in self._compared()
        ]
        table = pd.DataFrame(rows, columns=columns)
        return table.sort_values("p_value", kind="stable", ignore_index=True)

    def groups(self) -> list[tuple[str, ...]]:
        """Groups of neighbouring mean ranks of which no two learners differ.

        Returns
        -------
        list of tuple of str
            The bars of a critical difference diagram: largest groups only, best first.
            Learners that differ from all others are in none.
        """
        if self.pair_p_values is None or self.control is not None:
            return []
        order = np.argsort(self.mean_ranks, kind="stable")
        differ = self.pair_p_values[np.ix_(order, order)] <= self.alpha
        found: list[tuple[int, int]] = []
        for start in range(len(order)):
            stop = start + 1
            while stop < len(order) and not differ[start : stop + 1, start : stop + 1].any():
                stop += 1
            if stop - start > 1 and (not found or stop > found[-1][1]):
                found.append((start, stop))
        return [tuple(self.names[k] for k in order[start:stop]) for start, stop in found]

    def summary(self) -> str:
        """Say in a few sentences what was found.

        Returns
        -------
        str
            The order of the learners, the test of all, and the pairs that differ.
        """
        order = self.frame()
        ranks = ", ".join(
            f"{name} {rank:.2f}" for name, rank in zip(order["learner"], order["mean_rank"])
        )
        parts = [f"Mean ranks over {self.n_data_sets} data sets: {ranks}."]
        how = self.label or f"method {self.method!r}"
        if not math.isnan(self.p_value):
            parts.append(f"{self._test_of_all} ({how}, {p_value(self.p_value)}).")
        if self.pair_p_values is not None:
            pairs = "; ".join(self._pairs_shown()) or "none"
            level = f"{how}, {percent(self.confidence_level)} confidence"
            parts.append(f"Pairs that differ ({level}): {pairs}.")
        return " ".join(parts)

    @property
    def _test_of_all(self) -> str:
        differ = self.p_value <= self.alpha
        return f"The learners {'differ' if differ else 'are not shown to differ'}"

    def _pairs_shown(self) -> list[str]:
        """Pairs that differ, the smallest p-value first."""
        table = self.pairs()
        return [
            f"{row.first} and {row.second} ({p_value(row.p_value)})"
            for row in table[table["is_shown"]].itertuples()
        ]

    def _repr_html_(self) -> str:
        """Card for notebooks."""
        order = self.frame()
        rows = [
            (str(name), f"mean rank {rank:.2f}")
            for name, rank in zip(order["learner"][:MOST], order["mean_rank"][:MOST])
        ]
        if len(order) > MOST:
            rows.append(("", f"and {count(len(order) - MOST, 'more learner')}"))
        if self.pair_p_values is None:
            main = f"{self._test_of_all} ({p_value(self.p_value)})"
        else:
            pairs = self._pairs_shown()
            verb = "differs" if len(pairs) == 1 else "differ"
            main = f"{len(pairs):,} of {count(len(self._compared()), 'pair')} {verb}"
            if pairs:
                more = [f"and {len(pairs) - MOST:,} more"] if len(pairs) > MOST else []
                rows.append(("pairs that differ", "; ".join([*pairs[:MOST], *more])))
        if not math.isnan(self.critical_difference):
            rows.append(("critical difference", number(self.critical_difference)))
        rows += [
            ("method", self.label or self.method),
            ("confidence", percent(self.confidence_level)),
        ]
        about = f"{count(len(order), 'learner')} on {count(self.n_data_sets, 'data set')}"
        return card(about, main, rows, map(str, self.details.get("notes", ())))

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as a plain dictionary.

        Returns
        -------
        dict
            One entry per field.
        """
        return {
            **{f.name: getattr(self, f.name) for f in fields(self)},
            "details": dict(self.details),
        }

    def _compared(self) -> list[tuple[int, int, float]]:
        p = self.pair_p_values
        if p is None:
            return []
        k = len(self.names)
        if self.control is not None:
            c = self.control
            return [(c, j, float(p[c, j])) for j in range(k) if j != c]
        return [(i, j, float(p[i, j])) for i in range(k) for j in range(i + 1, k)]

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return (
            f"RankingResult(n_learners={len(self.names)}, n_data_sets={self.n_data_sets}, "
            f"p_value={self.p_value:.4g}, critical_difference={self.critical_difference:.4g}, "
            f"method={self.method!r})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RankingResult):
            return NotImplemented
        return all(same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    def __hash__(self) -> int:
        return hash((self.method, self.names, self.n_data_sets, self.control))

    # A mapping proxy cannot be pickled, and unpickled arrays come back writeable.
    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "details": dict(self.details)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        RankingResult.__post_init__(self)
