"""What the comparisons over several data sets share: the table, its ranks, refusals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.base import BaseEstimator

from ..._integers import is_integer
from ..._nearest import explain_init
from ..._registry import register
from ...results import RankingResult

__all__ = ["DataSetsComparison", "RankTable", "registered_on_data_sets"]

_REGISTRY: dict[str, type[DataSetsComparison]] = {}
FEWEST = 5
"""Data sets below which ranks can hardly show anything, and no approximation holds."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RankTable:
    """Scores of learners on data sets, and their ranks.

    Parameters
    ----------
    scores : ndarray of shape (n_data_sets, n_learners)
        Greater is better.
    ranks : ndarray of shape (n_data_sets, n_learners)
        1 is the best of a data set; ties share their mean.
    names : tuple of str
        The learners.
    details : dict, default={}
        By-products to report; `notes` is a list that the method may extend.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.comparison import RankTable
    >>> table = RankTable(
    ...     scores=np.array([[0.9, 0.8], [0.7, 0.8]]), ranks=np.array([[1, 2], [2, 1]]),
    ...     names=("A", "B"),
    ... )
    >>> table.mean_ranks.tolist()
    [1.5, 1.5]
    """

    scores: np.ndarray
    ranks: np.ndarray
    names: tuple[str, ...]
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def n_data_sets(self) -> int:
        """Number of data sets."""
        return self.scores.shape[0]

    @property
    def n_learners(self) -> int:
        """Number of learners."""
        return self.scores.shape[1]

    @property
    def mean_ranks(self) -> np.ndarray:
        """Mean rank of each learner, shape (n_learners,)."""
        return self.ranks.mean(axis=0)


class DataSetsComparison(BaseEstimator, ABC):
    """Base of comparisons over data sets: `compare` validates, `_compare` computes.

    A comparison is one file with one subclass: a `name`, the facts (`label`, `estimand`,
    `assumptions`, `meant_for`, `cost`, `limits`), an ``__init__`` that stores its parameters,
    and `_compare`. It registers itself by `name`.

    Attributes
    ----------
    name, label, estimand, meant_for, cost, limits : str
        As of `BaseComparison`.
    assumptions : tuple of str
        What the result rests on, a sentence each.
    fewest_learners, most_learners : int or None
        How many learners it can compare.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    estimand: ClassVar[str] = "which learners have better scores over a population of data sets"
    assumptions: ClassVar[tuple[str, ...]] = (
        "The data sets are independent, and drawn from those that one wants to speak about.",
    )
    meant_for: ClassVar[str]
    cost: ClassVar[str] = "O(n k log k) for n data sets and k learners"
    limits: ClassVar[str]
    fewest_learners: ClassVar[int] = 3
    most_learners: ClassVar[int | None] = None

    confidence_level: float

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        explain_init(cls)
        if "name" in cls.__dict__:
            register(_REGISTRY, cls, "comparison")

    def compare(
        self, scores: Any, *, names: Sequence[str] | None = None, greater_is_better: bool = True
    ) -> RankingResult:
        """Compare learners by their scores on several data sets.

        Parameters
        ----------
        scores : array-like of shape (n_data_sets, n_learners)
            One score per data set and learner. The columns of a DataFrame name the learners.
        names : sequence of str, default=None
            Names of the learners.
        greater_is_better : bool, default=True
            False for losses.

        Returns
        -------
        RankingResult
            Mean ranks, 1 is the best, and p-values.

        Raises
        ------
        ValueError
            If there are fewer than five data sets, too few learners, missing scores, or a
            parameter is out of range.
        """
        self._validate()
        table = self._table(scores, names, greater_is_better)
        self._check_learners(table)
        return self._compare(table)

    @abstractmethod
    def _compare(self, table: RankTable) -> RankingResult:
        """Compute the result from validated input."""

    def _validate(self) -> None:
        level = self.confidence_level
        if isinstance(level, bool) or not isinstance(level, Real) or not 0 < level < 1:
            raise ValueError(
                f"confidence_level must be a number strictly between 0 and 1, got {level!r}. "
                "For tests at 5% use 0.95."
            )

    def _check_learners(self, table: RankTable) -> None:
        k, most = table.n_learners, self.most_learners
        if k < self.fewest_learners or (most is not None and k > most):
            more = "" if most == self.fewest_learners else " or more"
            hint = "For two learners use Wilcoxon." if k == 2 else "Use Nemenyi for more than two."
            raise ValueError(
                f"{type(self).__name__} compares {self.fewest_learners}{more} learners, got {k}: "
                f"scores must have one column per learner. {hint}"
            )

    def _table(
        self, scores: Any, names: Sequence[str] | None, greater_is_better: bool
    ) -> RankTable:
        if names is None and isinstance(scores, pd.DataFrame):
            names = [str(name) for name in scores.columns]
        try:
            array = np.asarray(scores, dtype=float)
        except (TypeError, ValueError):
            raise ValueError(
                "scores must hold numbers of shape (n_data_sets, n_learners)."
            ) from None
        if array.ndim != 2:
            raise ValueError(
                f"scores has shape {array.shape}, expected (n_data_sets, n_learners)."
            )
        n, k = array.shape
        if n < FEWEST:
            hint = " It looks transposed: pass scores.T." if k >= FEWEST > n and k > n else ""
            raise ValueError(
                f"{type(self).__name__} needs at least {FEWEST} data sets (rows), got {n}: with "
                f"fewer, ranks can hardly show any difference.{hint}"
            )
        if np.isnan(array).any():
            row, column = np.argwhere(np.isnan(array))[0]
            raise ValueError(
                f"scores are missing (NaN), first in row {row}, column {column}. Leave out data "
                "sets on which some learner has no score."
            )
        names = [f"learner {j}" for j in range(k)] if names is None else list(names)
        if len(names) != k or len(set(names)) != k:
            raise ValueError(f"names must be {k} different names, one per learner, got {names}.")
        if not greater_is_better:
            array = -array
        return RankTable(
            scores=array,
            ranks=rankdata(-array, axis=1),
            names=tuple(names),
            details={"notes": []},
        )

    def _result(self, table: RankTable, **values: Any) -> RankingResult:
        """Result with what all methods report; `values` are the other fields."""
        return RankingResult(
            **{
                "names": table.names,
                "mean_ranks": table.mean_ranks,
                "n_data_sets": table.n_data_sets,
                "statistic": np.nan,
                "p_value": np.nan,
                "confidence_level": self.confidence_level,
                "method": self.name,
                "label": self.label,
                "assumptions": self.assumptions,
                "details": table.details,
                **values,
            }
        )


def check_control(control: Any, table: RankTable) -> int:
    """Column of the control, given by its name or its position.

    Parameters
    ----------
    control : str or int
        What the user gave.
    table : RankTable
        The learners.
    """
    if isinstance(control, str) and control in table.names:
        return table.names.index(control)
    if is_integer(control, 0) and control < table.n_learners:
        return int(control)
    raise ValueError(
        f"control must be the name or the position of a learner, got {control!r}. The learners "
        f"are {list(table.names)}."
    )


def registered_on_data_sets() -> dict[str, type[DataSetsComparison]]:
    """Registered comparisons over data sets, by name.

    Returns
    -------
    dict of str to type
        Name -> class.

    Examples
    --------
    >>> from sklearn_bbc.comparison import registered_on_data_sets
    >>> registered_on_data_sets()["friedman"].__name__
    'Friedman'
    """
    return dict(_REGISTRY)
