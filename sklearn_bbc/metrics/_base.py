"""The contract of bootstrap kernels, and the registry of their families."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from .._floats import nan_loses
from .._registry import register
from ._rows import RowData

_FAMILIES: dict[str, type[MetricKernel]] = {}


class MetricKernel(ABC):
    """Scores of all configurations on many weighted resamples of the rows of one repeat.

    One family of metrics is one subclass in one file. The constructor does the work that
    does not depend on the draw; `_scores` does the rest. Repeats, sample weights, failed
    and duplicate configurations and the sign are handled once, in `BoundKernel`.

    Parameters
    ----------
    score_func : callable
        One of `score_funcs`.
    rows : RowData
        Rows of one repeat: no NaN, no duplicate columns.

    Attributes
    ----------
    name : str
        Registered name of the family.
    score_funcs : mapping of callable to (float, float)
        scikit-learn functions that the family computes, with the smallest and largest
        value that each can take.
    example : tuple of (object, str) or None
        A metric of the family, as a scorer's name or as ``(function, parameters of
        make_scorer)``, and the data it takes: "two classes", "four classes", "values", "label
        sets" or "censored times". The tests of all families compute it; None leaves them out.
    strata : ndarray of shape (n_strata, n_rows), bool, or None
        Rows of which every draw needs at least one for the metric to be defined.
    strata_names : list of str
        Name of each stratum for messages, for example ``"class 1"``.
    bytes_per_draw : int
        Memory that `_scores` needs for one draw.
    seconds_per_score : float or None
        Time that one score of one draw takes, measured; None where it is negligible.
    prefers : {"threads", "processes"}
        How draws are spread over `n_jobs`: threads where NumPy or C does the work.
    defined : ndarray of shape (n_configs,), bool, or None
        Configurations that the metric can score, such as those without a negative
        prediction; None for all of them. The others get NaN.
    is_pointwise : bool
        Whether the metric is a weighted mean of one value per row, see `pointwise`.
    is_rank : bool
        Whether the metric compares the scores of rows with each other, as the area under the
        ROC curve does.
    by_class : bool
        Whether the metric treats classes apart, so that without one of them it is a score of
        something else, even where a convention defines it. Draws that lack a class are
        drawn again then.
    needs_spread : bool
        Whether it compares with the spread of the target, so that on a constant target it is
        a convention. Draws with a constant target are drawn again then.
    """

    name: ClassVar[str]
    score_funcs: ClassVar[Mapping[Callable[..., float], tuple[float, float]]]
    example: ClassVar[tuple[Any, str] | None] = None
    strata: np.ndarray | None = None
    strata_names: list[str]
    seconds_per_score: float | None = None
    prefers: ClassVar[str] = "threads"
    defined: np.ndarray | None = None
    is_pointwise: ClassVar[bool] = False
    is_rank: ClassVar[bool] = False
    by_class: ClassVar[bool] = False
    needs_spread: ClassVar[bool] = False

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        self.score_func = score_func
        self.rows = rows
        self.strata_names = []

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" in cls.__dict__:
            register(_FAMILIES, cls, "kernel family")

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Whether the family computes this metric for this target and these arguments.

        Parameters
        ----------
        score_func : callable
            One of `score_funcs`.
        rows : RowData
            Rows of one repeat, with the metric's keyword arguments.

        Returns
        -------
        bool
            False sends the metric to the next family, or to the replay.
        """
        return score_func in cls.score_funcs

    def pointwise(self, configs: slice | np.ndarray = slice(None)) -> np.ndarray | None:
        """Values whose weighted mean over the rows is the metric.

        Parameters
        ----------
        configs : slice or ndarray of shape (n_chosen,), default=slice(None)
            Indices of the configurations.

        Returns
        -------
        ndarray of shape (n_chosen, n_rows), float64, or None
            In the metric's own unit and sign; None when the metric is not such a mean.
        """
        return None

    @property
    def conditions_on_class(self) -> bool:
        """Whether the metric is made of scores within classes, whatever the shares of these.

        Only then may samples be drawn within classes: for any other metric, class sizes that
        never vary hide a part of its spread.
        """
        return False

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that scoring one draw needs."""
        return 32 * self.rows.n_rows + 16 * self.rows.n_configs

    @abstractmethod
    def _scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Metric of some configurations on each weighted resample.

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_rows)
            Weight of each row: counts (unsigned integers), a boolean mask, or floats.
        configs : ndarray of shape (n_chosen,)
            Indices of the configurations.

        Returns
        -------
        ndarray of shape (n_draws, n_chosen)
            In the metric's own unit and sign; NaN where it is undefined. Each value
            depends on its own draw and configuration only, bit for bit.
        """

    def _winners(self, weights: np.ndarray, sign: int) -> np.ndarray:
        """Best configuration of each draw; subclasses may stop early where that is exact.

        Returns
        -------
        ndarray of shape (n_draws,), intp
            First index on ties, -1 when every configuration is undefined.
        """
        return self._first_best(
            sign * self._scores(weights, np.arange(self.rows.n_configs)), weights
        )

    def config_blocks(self, sign: int) -> list[slice]:
        """Blocks of configurations to look for winners in, the most promising one first.

        Where what is prepared for all of them would take too much memory, a method can look
        for the winners of all draws in one block after the other, by `of_block` and
        `winners_within`.

        Parameters
        ----------
        sign : int
            +1 when greater is better, else -1.

        Returns
        -------
        list of slice
            Empty where all configurations are best treated at once.
        """
        return []

    def of_block(self, block: slice) -> MetricKernel:
        """Kernel of some neighbouring configurations.

        Parameters
        ----------
        block : slice
            One of `config_blocks`.

        Returns
        -------
        MetricKernel
            Of the same rows; it looks at the predictions without a copy.
        """
        pred = self.rows.pred[block]
        responses = {name: array[block] for name, array in self.rows.responses.items()}
        return type(self)(self.score_func, replace(self.rows, pred=pred, responses=responses))

    def winners_within(
        self, weights: np.ndarray, limit: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Best of the configurations that lose at most so much, for `config_blocks`.

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_rows)
            Weight of each row in each draw.
        limit : ndarray of shape (n_draws,), int64
            Largest loss that counts; what is lost is a whole number.

        Returns
        -------
        winners : ndarray of shape (n_draws,), int64
            First index on ties, -1 for none.
        lost : ndarray of shape (n_draws,), int64
            What the winners lose; `limit` where there is none.
        """
        raise NotImplementedError(f"{self.name} is not bound in blocks of configurations.")

    def _rounding(self, weights: np.ndarray) -> float:
        """Relative difference that rounding makes between scores that are equal in theory.

        A score is a sum of up to as many terms as there are rows. A kernel whose scores of
        such weights are one division of whole numbers returns 0: equal scores are equal there.
        """
        return rounding(self.rows.n_rows)

    @cached_property
    def _unit(self) -> float:
        """Size that differences are relative to, at least: 1 where scores go up to 1."""
        return unit_of(bounds_of(self.score_func, self.rows.kwargs))

    def _first_best(self, scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Best configuration of each draw, by scores of which greater is better."""
        return first_best(scores, self._rounding(weights), self._unit)

    def _score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Score of one configuration per draw, shape (n_draws,)."""
        result = np.full(len(weights), np.nan)
        for config in np.unique(configs[configs >= 0]):
            chosen = np.flatnonzero(configs == config)
            result[chosen] = self._scores(weights[chosen], np.array([config]))[:, 0]
        return result


def first_best(scores: np.ndarray, relative: float = 0.0, unit: float = 0.0) -> np.ndarray:
    """Index of the best score per draw: the first of those within rounding of the largest.

    Parameters
    ----------
    scores : ndarray of shape (n_draws, n_configs)
        Greater is better; NaN is undefined.
    relative : float, default=0.0
        Scores that differ by no more than this times the larger of their size and `unit` tie.
    unit : float, default=0.0
        See `relative`.

    Returns
    -------
    ndarray of shape (n_draws,), intp
        Winners; -1 where all are undefined.
    """
    best = nan_loses(scores).max(axis=1)
    threshold = best
    if relative:
        with np.errstate(invalid="ignore"):
            margin = relative * np.maximum(np.abs(best), unit)
            threshold = np.where(np.isinf(best), best, best - margin)
    ties = scores >= threshold[:, None]
    winners = ties.argmax(axis=1)
    winners[~ties.any(axis=1)] = -1
    return winners


def rounding(n_terms: int) -> float:
    """Relative difference that rounding can make: of the scores themselves, and of their sum."""
    return (8 + n_terms) * float(np.finfo(float).eps)


def unit_of(bounds: tuple[float, float]) -> float:
    """1 for scores with a bound other than 0, which are differences from it; else 0."""
    return 1.0 if any(np.isfinite(bound) and bound != 0 for bound in bounds) else 0.0


def families() -> dict[str, type[MetricKernel]]:
    """Registered kernel families by name.

    Returns
    -------
    dict of str to type
        Name -> class.

    Examples
    --------
    >>> from sklearn_bbc.metrics import families
    >>> families()["roc_auc"].__name__
    'RocAUC'
    """
    return dict(_FAMILIES)


def family_for(
    score_func: Callable[..., float] | None, rows: RowData
) -> type[MetricKernel] | None:
    """Family that computes a metric on these rows, or None when it must be replayed."""
    if score_func is None:
        return None
    for family in _FAMILIES.values():
        if score_func in family.score_funcs and family.handles(score_func, rows):
            return family
    return None


def bounds_of(
    score_func: Callable[..., float] | None, kwargs: Mapping[str, Any]
) -> tuple[float, float]:
    """Smallest and largest value of a metric, infinite where they are not known."""
    if kwargs.get("normalize") is False:  # a number of samples instead of a share
        return (0.0, np.inf)
    if kwargs.get("adjusted"):  # for chance: -1 / (n_classes - 1) at worst
        return (-1.0, 1.0)
    for family in _FAMILIES.values():
        if score_func is not None and score_func in family.score_funcs:
            return family.score_funcs[score_func]
    return (-np.inf, np.inf)
