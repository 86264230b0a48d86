"""What the methods share that find the configurations tied with the best."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from ..._nearest import explain_init
from ..._registry import register
from ...predictions import OOFPredictions
from ...selection import Tied
from ._bound import BoundTies
from ._values import unit_values

_REGISTRY: dict[str, type[TiedMethod]] = {}


class TiedMethod(Tied, BaseEstimator):
    """Base of methods for the set of configurations that may be the best.

    A method is one file with one subclass: a `name`, what a reader must know of it, an
    ``__init__`` that stores its parameters, and `_p_values`. It registers itself by `name`.
    `tied_with_best` calls it; as the `margin` of `SimplestTied` it decides in every draw
    of samples (at B times its cost: methods that draw themselves take long).

    Attributes
    ----------
    name : str
        Registered name.
    meant_for : str
        For which data and questions the method is the one to take.
    cost : str
        What it costs, of n units, C configurations and B draws.
    limits : str
        Where it fails or misleads.
    confidence_level : float
        Share of data sets for which the set should hold the best configuration.
    """

    name: ClassVar[str]
    meant_for: ClassVar[str]
    cost: ClassVar[str]
    limits: ClassVar[str]

    needs_samples = True

    confidence_level: float

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        explain_init(cls)
        if "name" in cls.__dict__:
            register(_REGISTRY, cls, "method for tied sets")

    def p_values(self, values: Any, fold: Any = None) -> np.ndarray:
        """P value of each configuration, of the hypothesis that it is the best.

        Parameters
        ----------
        values : array-like of shape (n_units, n_configs)
            Value of each independent unit (sample, group) for each configuration, greater is
            better: minus the loss, for example. Their means are what is compared.
        fold : array-like of shape (n_units,), default=None
            Fold of each unit, for methods that use it.

        Returns
        -------
        ndarray of shape (n_configs,)
            Small where another configuration is better beyond chance. Configurations with
            equal values have equal p values and count once.

        Raises
        ------
        ValueError
            If a parameter is out of range, or values are missing or fewer than three.
        """
        self._validate()
        array = np.asarray(values, dtype=float)
        if array.ndim != 2 or array.shape[0] < 3 or array.shape[1] < 1:
            raise ValueError(
                "values must have shape (n_units, n_configs) with at least 3 units and 1 "
                f"configuration, got shape {array.shape}."
            )
        if not np.isfinite(array).all():
            raise ValueError(
                f"values must be finite, but configuration {_first_not_finite(array)} has NaN or "
                "infinity. Leave configurations without a score out."
            )
        if fold is not None:
            fold = np.unique(np.asarray(fold), return_inverse=True)[1].reshape(-1)
            if len(fold) != len(array):
                raise ValueError(
                    f"fold must have one entry per unit, got {len(fold)} for {len(array)} units."
                )
        # Sorted columns: the order of the configurations cannot matter, nor how often one occurs.
        distinct, place = np.unique(array, axis=1, return_inverse=True)
        if distinct.shape[1] == 1:
            return np.ones(array.shape[1])
        p_values = self._p_values(np.ascontiguousarray(distinct), fold)
        return np.asarray(p_values[place.reshape(-1)])

    @abstractmethod
    def _p_values(self, values: np.ndarray, fold: np.ndarray | None) -> np.ndarray:
        """Compute the p values.

        Parameters
        ----------
        values : ndarray of shape (n_units, n_configs)
            At least 3 units and 2 configurations, no two columns equal.
        fold : ndarray of shape (n_units,) or None
            Fold of each unit, numbered from 0.

        Returns
        -------
        ndarray of shape (n_configs,)
            Between 0 and 1.
        """

    def _validate(self) -> None:
        level = self.confidence_level
        if isinstance(level, bool) or not isinstance(level, Real) or not 0 < level < 1:
            raise ValueError(
                f"confidence_level must be a number strictly between 0 and 1, got {level!r}. "
                "For a set that holds the best configuration in 95% of data sets use 0.95."
            )

    def bind(self, oof: OOFPredictions, kernel: Any) -> BoundTies:
        """Prepare for the draws of a rule of selection, see `selection.Tied`.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions.
        kernel : BoundKernel
            Metric bound to them.

        Returns
        -------
        BoundTies
            Decides in every draw.
        """
        self._validate()
        units = unit_values(oof, kernel, type(self).__name__)
        return BoundTies(self.p_values, self.confidence_level, units)

    def members(self, kernel: Any, weights: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Refuse: only what `bind` returns knows the units, see `selection.Tied`.

        Parameters
        ----------
        kernel : BoundKernel
            Metric bound to predictions.
        weights : ndarray of shape (n_draws, n_samples)
            The draws.
        scores : ndarray of shape (n_draws, n_configs)
            Scores of the draws.
        """
        raise TypeError(f"Call {type(self).__name__}.bind(oof, kernel) first, then its members.")


def _first_not_finite(values: np.ndarray) -> int:
    return int(np.flatnonzero(~np.isfinite(values).all(axis=0))[0])


def registered_tied() -> dict[str, type[TiedMethod]]:
    """Registered methods for tied sets by name.

    Returns
    -------
    dict of str to type
        Name -> class.

    Examples
    --------
    >>> from sklearn_bbc.comparison import registered_tied
    >>> registered_tied()["bonferroni"].__name__
    'Bonferroni'
    """
    return dict(_REGISTRY)
