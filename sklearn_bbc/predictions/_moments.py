"""Means and covariances of scores per sample, as sums that can be added."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from scipy.linalg.blas import dsyrk, ssyrk
from scipy.special import ndtr

from .._blas import one_blas_thread
from .._rounding import levelled
from .._text import count
from .._utils import (
    check_flag,
    check_integer,
    got,
    is_indicator,
    is_integer,
    one_per_sample,
    replacing,
    suppress_fp_warnings,
)
from ._files import file_of
from ._validation import check_no_mask, names_of_columns

FORMAT_OF_MOMENTS = 1
_NUMBERS = 2**19
"""Numbers that are looked at together."""
_EQUAL = 1e-11
"""Share of the variances up to which that of a difference is rounding."""
NEVER_WINS = 1e-4
"""Bound of the share of draws that configurations win together which are left out."""


@dataclass
class _Sums:
    """Sums over units, whose values are the weighted sums of scores less `shift`, and the weight.

    With C configurations, a unit has the values y (C,) and the weight w. `second` (C, C), or
    (C,) for the diagonal alone, `cross` (C,) and `of_weight` are sums of products of deviations
    from the means; `third` (4, C) are plain sums of y^3, y^2 w, y w^2 and w^3.
    """

    n_units: int
    shift: np.ndarray  # (C,)
    mean: np.ndarray  # (C,)
    mean_weight: float
    second: np.ndarray
    cross: np.ndarray
    of_weight: float
    third: np.ndarray
    low: np.ndarray  # (C,), bounds of y
    high: np.ndarray  # (C,)
    weights: np.ndarray  # (2,), the smallest and the largest

    ARRAYS = ("shift", "mean", "second", "cross", "third", "low", "high", "weights")
    NUMBERS = ("n_units", "mean_weight", "of_weight")

    @classmethod
    def empty(cls, shift: np.ndarray, pairs: bool) -> _Sums:
        """Begin without units."""
        n = len(shift)
        second = np.zeros((n, n) if pairs else n, order="F")
        return cls(
            0, shift, np.zeros(n), 0.0, second, np.zeros(n), 0.0, np.zeros((4, n)),
            np.full(n, np.inf), np.full(n, -np.inf), np.array([np.inf, -np.inf]),
        )  # fmt: skip

    @suppress_fp_warnings()
    @one_blas_thread
    def take(self, block: np.ndarray, weight: np.ndarray | None) -> None:
        """Add units; of pairs only one triangle is up to date until `settle`.

        `block` (n_units + 1, C) has y in all rows but the last one, and is overwritten; `weight`
        (n_units,), None is 1 for each.
        """
        values = block[:-1]
        n, one = len(values), np.ones(len(values))  # products with ones are faster than sums
        power = values * values
        mean = one @ values / n
        if weight is None:
            plain = one @ power
            third = np.stack([plain, plain, n * mean, np.full(len(mean), float(n))])
            mean_weight, of_weight, weights = 1.0, 0.0, np.ones(2)
        else:
            mean_weight, weights = float(weight.mean()), np.array([weight.min(), weight.max()])
            deviation = weight - mean_weight
            of_weight = float(deviation @ deviation)
            self.cross += deviation @ values
            of_cubes = np.full(len(mean), (weight**3).sum())
            third = np.stack([mean, weight @ power, weight**2 @ values, of_cubes])
        self.low = np.minimum(self.low, values.min(axis=0))
        self.high = np.maximum(self.high, values.max(axis=0))
        power *= values
        third[0] = one @ power
        self.third += third
        values -= mean
        # What Chan, Golub and LeVeque add for the distance of the means is one more unit.
        block[-1], own = self._move(n, mean, mean_weight, of_weight, weights)
        if self.second.ndim == 1:
            self.second += own + one @ np.square(values, out=power)
        else:
            _add_product(self.second, block)

    def _move(
        self, n: int, mean: np.ndarray, mean_weight: float, of_weight: float, weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Move the means to those with n more units; return what distances add, and its square."""
        share = n / (self.n_units + n)
        apart, scale = mean - self.mean, self.n_units * share
        of_means = mean_weight - self.mean_weight
        self.cross += scale * of_means * apart
        self.of_weight += of_weight + scale * of_means**2
        self.mean += share * apart
        self.mean_weight += share * of_means
        self.n_units += n
        low, high = np.minimum(self.weights, weights), np.maximum(self.weights, weights)
        self.weights = np.array([low[0], high[1]])
        return np.sqrt(scale) * apart, scale * apart**2

    def settle(self) -> _Sums:
        """Fill the other triangle."""
        if self.second.ndim == 2:
            self.second = np.triu(self.second) + np.triu(self.second, 1).T
        return self

    @classmethod
    def of_counts(cls, both: np.ndarray, n: int, shift: np.ndarray, sign: int) -> _Sums:
        """Sum n zeros and ones of each column, of which `both` (C, C) counts common ones.

        Whole numbers, so that nothing is rounded: n is at most 2^24.
        """
        both, ones = both.astype(float), both.diagonal().astype(float)
        at_one, at_zero = sign - shift, 0.0 - shift
        low, high = np.minimum(at_one, at_zero), np.maximum(at_one, at_zero)
        low = np.where(ones == n, at_one, np.where(ones == 0, at_zero, low))
        high = np.where(ones == n, at_one, np.where(ones == 0, at_zero, high))

        def total(power: int) -> np.ndarray:
            return np.asarray(ones * at_one**power + (n - ones) * at_zero**power)

        third = np.stack([total(3), total(2), total(1), np.full(len(ones), float(n))])
        second = (n * both - np.multiply.outer(ones, ones)) / n
        zero = np.zeros(len(ones))
        return cls(
            n, shift, total(1) / n, 1.0, second, zero, 0.0, third, low, high, np.ones(2)
        )  # fmt: skip

    def shifted(self, shift: np.ndarray) -> _Sums:
        """Return the same sums for values that are taken from another shift."""
        e = self.shift - shift
        if not e.any():
            return self
        of_weight, cross = self.of_weight, self.cross
        second = self.second
        if of_weight or cross.any():
            if second.ndim == 2:
                mixed = np.multiply.outer(e, cross + 0.5 * of_weight * e)
                second = second + mixed + mixed.T
            else:
                second = second + 2 * e * cross + of_weight * e * e
        a, b, c, d = self.third
        third = np.stack(
            [a + e * (3 * b + e * (3 * c + e * d)), b + e * (2 * c + e * d), c + e * d, d]
        )
        moved = np.multiply.outer(self.weights, e) if self.n_units else np.zeros((2, len(e)))
        return _Sums(
            self.n_units, shift, self.mean + e * self.mean_weight, self.mean_weight, second,
            cross + e * of_weight, of_weight, third, self.low + moved.min(axis=0),
            self.high + moved.max(axis=0), self.weights,
        )  # fmt: skip

    def add(self, other: _Sums) -> None:
        """Add the sums of other units, as Chan, Golub and LeVeque do."""
        if not other.n_units:
            return
        other = other.shifted(self.shift)
        n = self.n_units + other.n_units
        share = other.n_units / n
        apart, of_weight = other.mean - self.mean, other.mean_weight - self.mean_weight
        scale = self.n_units * share
        if self.second.ndim == 2:
            self.second += other.second
            self.second += np.multiply.outer(scale * apart, apart)
        else:
            self.second += other.second + scale * apart**2
        self.cross += other.cross + scale * of_weight * apart
        self.of_weight += other.of_weight + scale * of_weight**2
        self.third += other.third
        self.mean += share * apart
        self.mean_weight += share * of_weight
        self.n_units = n
        self.low, self.high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        low, high = (
            np.minimum(self.weights, other.weights),
            np.maximum(self.weights, other.weights),
        )
        self.weights = np.array([low[0], high[1]])

    def copy(self) -> _Sums:
        """Copy the sums that `add` changes."""
        arrays = {name: getattr(self, name).copy() for name in self.ARRAYS}
        return _Sums(**arrays, **{name: getattr(self, name) for name in self.NUMBERS})


class ScoreMoments:
    """Means of scores and their covariance, of samples that need not be in one place.

    What `BBC` draws for a score that is a mean over samples is known, up to its third moments,
    from the means of all configurations and their covariance. Both are sums: parts of the samples
    may be looked at one after another, or on several machines, and are added.

    Parameters
    ----------
    n_configs : int
        Number of configurations, the columns of the scores.
    names : sequence of str, default=None
        Their names. None takes those of the first table that is added, or numbers.
    greater_is_better : bool, default=True
        False for losses, whose smallest mean is the best.
    pairs : bool, default=True
        False keeps means and variances only, of many configurations; see `contenders`.

    Attributes
    ----------
    n_configs : int
        Number of configurations.
    names : tuple of str or None
        Their names.
    metric : str
        Name of the score.
    columns : ndarray of shape (n_configs,)
        Which of the configurations that were tried these are, see `contenders`.
    n_tried : int
        How many were tried.

    See Also
    --------
    sklearn_bbc.BBC : ``BBC().estimate(moments)``.
    sklearn_bbc.best_of : ``best_of(moments)``.

    Notes
    -----
    Every sample is drawn for itself. Where samples belong to groups, groups are drawn: the scores
    of a group are summed first, and a group may be in many parts, since it is known by its label.
    Until `close_groups` the sums of all groups are kept.

    Scores are taken relative to the mean of the first part, and parts are joined by the formula of
    Chan, Golub and LeVeque [1]_, so that a large mean costs no digits. With weights or groups a
    mean is a ratio, whose draws are known up to terms of the order 1 / n.

    Memory O(n_configs^2), or O(n_configs) without pairs; with groups O(n_groups * n_configs) more.

    References
    ----------
    .. [1] T. F. Chan, G. H. Golub, R. J. LeVeque, "Algorithms for computing the sample variance:
       analysis and recommendations", The American Statistician 37, 242-247 (1983).
       :doi:`10.1080/00031305.1983.10483115`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import ScoreMoments
    >>> right = np.random.default_rng(0).random((20_000, 5)) < 0.7
    >>> parts = [ScoreMoments(5).update(right[k : k + 5000]) for k in range(0, 20_000, 5000)]
    >>> moments = sum(parts)
    >>> moments
    ScoreMoments(n_configs=5, n_samples=20000)
    >>> bool(np.allclose(moments.means, right.mean(axis=0)))
    True
    """

    # Of `sklearn_bbc.contest`, a layer above, see `moments_by`.
    _of_predictions: ClassVar[Callable[..., Any] | None] = None

    def __init__(
        self,
        n_configs: int,
        names: Sequence[Any] | None = None,
        *,
        greater_is_better: bool = True,
        pairs: bool = True,
    ) -> None:
        check_integer("n_configs", n_configs, 1)
        check_flag("greater_is_better", greater_is_better)
        check_flag("pairs", pairs)
        self.n_configs, self.pairs = int(n_configs), bool(pairs)
        self.names = None if names is None else _checked_names(names, self.n_configs)
        self.sign = 1 if greater_is_better else -1
        self.metric = "mean_score" if greater_is_better else "neg_mean_loss"
        self.bounds = (-np.inf, np.inf)
        self.is_fixed = True
        """Whether nothing is trained: scores were given, and not computed of predictions."""
        self.is_mean = True
        """Whether the score is the mean of what was added, so that more can be added."""
        self.class_size = np.inf
        """Effective number of units of the rarest class that the score needs."""
        self.are_groups = False
        """Whether what was added as samples are groups, whose scores were put together."""
        self.part_of: tuple[ScoreMoments, np.ndarray] | None = None
        """Sums of which these are some configurations, and their places there."""
        self.columns, self.n_tried = np.arange(self.n_configs), self.n_configs
        self.n_samples = 0
        self._binary = True
        self._weight = (0.0, 0.0)  # sums of weights, and of their squares
        self._sums: _Sums | None = None
        self._grouped: bool | None = None
        self._place: dict[Any, int] = {}  # of the label of a group that is not closed
        self._open = np.zeros((0, self.n_configs + 1))  # sums of scores, and of weights
        self._closed: set[Any] = set()
        self._whole: _Sums | None = None

    def __repr__(self) -> str:
        groups = f", n_groups={self.n_units}" if self._grouped else ""
        return f"ScoreMoments(n_configs={self.n_configs}, n_samples={self.n_samples}{groups})"

    # --- parts -----------------------------------------------------------------------------

    def update(self, scores: Any, *, sample_weight: Any = None, groups: Any = None) -> Self:
        """Add samples.

        Parameters
        ----------
        scores : array-like or DataFrame of shape (n_samples, n_configs)
            A score or loss of each sample for each configuration. Columns of a table are taken
            by their names. A part without samples is allowed and adds nothing.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.
        groups : array-like of shape (n_samples,), default=None
            Labels of the groups, numbers or texts: the same group has the same label in all parts.

        Returns
        -------
        ScoreMoments
            The same object.

        Raises
        ------
        ValueError
            If columns differ, a score is missing or infinite, or only some parts have groups. Then
            nothing was added.
        """
        self._check_mean()
        values, names = self._values(scores)
        n = len(values)
        weight = None if sample_weight is None else _weights(sample_weight, n)
        labels = None
        if groups is not None:
            check_no_mask(groups, "groups")
            labels = np.asarray(one_per_sample(groups))
            if len(labels) != n:
                raise ValueError(
                    f"groups has {len(labels)} entries for {count(n, 'sample')}: one per sample "
                    "is needed."
                )
        if not n:
            return self
        self._check_grouped(labels is not None)
        shift = self._shift_of(values)
        if labels is None:
            added, counts = _Sums.empty(shift, self.pairs), _Counts(self.n_configs)
            for rows in self._rows(len(values)):
                if weight is None and self.pairs and is_indicator(values[rows]):
                    if counts.n and counts.n + rows.stop - rows.start > _MOST_COUNTED:
                        added.add(_Sums.of_counts(*counts.taken(), shift, self.sign))
                    counts.take(values[rows])
                    continue
                block = self._block(values, rows, shift)
                own = None if weight is None else weight[rows]
                if own is not None:
                    block[:-1] *= own[:, None]
                added.take(block, own)
            added.settle()
            if counts.n:
                added.add(_Sums.of_counts(*counts.taken(), shift, self.sign))
            _check_size(added.second.diagonal() if self.pairs else added.second)
            self._begin(shift)
            assert self._sums is not None
            self._sums.add(added)
        else:
            codes, found = pd.factorize(labels)
            known = [each.item() if hasattr(each, "item") else each for each in found.tolist()]
            self._check_labels(known)
            self._check_closed(known)
            sums = np.zeros((len(known), self.n_configs + 1))
            for rows in self._rows(len(values)):
                block = self._block(values, rows, shift)[:-1]
                whole = np.column_stack([block, np.ones(len(block))])
                whole *= 1.0 if weight is None else weight[rows, None]
                sums += _summed(whole, codes[rows], len(known))
            _check_size(np.square(sums))
            self._begin(shift)
            self._add_groups(known, sums)
        self.names, self._grouped = self.names or names, labels is not None
        self.n_samples += n
        added_weight = (n, n) if weight is None else (weight.sum(), weight @ weight)
        self._weight = tuple(np.add(self._weight, added_weight))
        self._binary = self._binary and self.is_fixed and is_indicator(values)
        self._whole = None
        return self

    def merge(self, other: ScoreMoments) -> Self:
        """Add the samples of another part.

        Parameters
        ----------
        other : ScoreMoments
            Of the same configurations. It stays as it is.

        Returns
        -------
        ScoreMoments
            The same object.

        Raises
        ------
        ValueError
            If configurations, score or direction differ, a group was closed in one part and is in
            the other, or only one has groups. Then nothing was added.
        """
        if not isinstance(other, ScoreMoments):
            raise ValueError(
                f"other must be ScoreMoments, such as ScoreMoments(n).update(scores), got "
                f"{got(other)}."
            )
        for each in (self, other):
            each._check_mean()
        self._check_same(other)
        other = other.copy() if other is self else other
        if other._sums is None:
            self.names = self.names or other.names
            return self
        if self._sums is not None:
            self._check_grouped(bool(other._grouped))
        self._check_labels([*other._place, *other._closed])
        self._check_closed(list(other._place))
        both = self._closed & other._closed
        again = both | (other._closed & self._place.keys())
        if again:
            raise ValueError(_closed_twice(again))
        self._grouped = other._grouped
        self._begin(other._sums.shift)
        assert self._sums is not None
        self._sums.add(other._sums)
        if other._place:
            sums = other._open.copy()
            sums[:, :-1] += sums[:, -1:] * (other._sums.shift - self._sums.shift)
            self._add_groups(list(other._place), sums)
        self._closed |= other._closed
        self.names = self.names or other.names
        self.n_samples += other.n_samples
        self._weight = tuple(np.add(self._weight, other._weight))
        self._binary = self._binary and other._binary
        self._whole = None
        return self

    def __add__(self, other: Any) -> ScoreMoments:
        if not isinstance(other, ScoreMoments):
            return NotImplemented
        return self.copy().merge(other)

    def __radd__(self, other: Any) -> ScoreMoments:
        # `sum` begins with 0.
        return self.copy() if isinstance(other, int) and other == 0 else NotImplemented

    def part(self, configs: Sequence[Any]) -> ScoreMoments:
        """Take some of the configurations, as one side of a comparison.

        Parameters
        ----------
        configs : sequence of str or int
            Their names, or their places.

        Returns
        -------
        ScoreMoments
            Of the same samples. It knows how its scores vary together with those of other parts;
            nothing can be added to it.

        Raises
        ------
        ValueError
            If there is no such configuration, or one is named twice.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_bbc import ScoreMoments
        >>> from sklearn_bbc.comparison import BBCDifference
        >>> scores = np.random.default_rng(0).random((5000, 6)) < 0.7
        >>> moments = ScoreMoments(6).update(scores)
        >>> old, new = moments.part([0, 1]), moments.part([2, 3, 4, 5])
        >>> result = BBCDifference(random_state=0).compare(new, old)
        >>> bool(result.low < 0 < result.high)
        True
        """
        if isinstance(configs, str) or not isinstance(configs, Iterable):
            raise ValueError(
                f"configs must be names or places of configurations, such as [0, 1], got "
                f"{got(configs)}."
            )
        places = [self._place_of(each) for each in configs]
        if not places or len(set(places)) < len(places):
            raise ValueError(f"configs must be different configurations, got {got(configs)}.")
        sums, chosen = self._sum(), np.array(places)
        new = ScoreMoments(
            len(places), None if self.names is None else [self.names[k] for k in places],
            greater_is_better=self.sign > 0, pairs=self.pairs,
        )  # fmt: skip
        for name in ("metric", "bounds", "is_fixed", "class_size", "are_groups", "n_samples",
                     "_binary", "_weight", "_grouped"):  # fmt: skip
            setattr(new, name, getattr(self, name))
        new.columns, new.part_of, new.is_mean = self.columns[chosen], (self, chosen), False
        arrays = {name: getattr(sums, name)[..., chosen] for name in _Sums.ARRAYS[:-1]}
        if self.pairs:
            arrays["second"] = sums.second[np.ix_(chosen, chosen)]
        new._sums = _Sums(
            **arrays, weights=sums.weights, **{name: getattr(sums, name) for name in _Sums.NUMBERS}
        )
        return new

    def _place_of(self, config: Any, asked: str = "configs must hold") -> int:
        """Find one of the configurations by its name or place."""
        if isinstance(config, str) and self.names is not None and config in self.names:
            return self.names.index(config)
        if is_integer(config, 0) and config < self.n_configs:
            return int(config)
        named = f"names, such as {self.names[0]!r}, or " if self.names else ""
        raise ValueError(
            f"{asked} {named}places of the {count(self.n_configs, 'configuration')}, 0 "
            f"to {self.n_configs - 1}, got {config!r}."
        )

    def copy(self) -> ScoreMoments:
        """Copy the sums.

        Returns
        -------
        ScoreMoments
            Another object with the same samples.
        """
        new = type(self).__new__(type(self))
        vars(new).update(vars(self))
        new._sums = None if self._sums is None else self._sums.copy()
        new._place, new._closed, new._open = (
            dict(self._place),
            set(self._closed),
            self._open.copy(),
        )
        new._whole = None  # it may be the very sums that `add` changes
        return new

    __copy__ = copy

    def close_groups(self) -> Self:
        """Say that all samples of the groups so far were added, to free their memory.

        Their labels are kept: a group that comes again is an error.

        Returns
        -------
        ScoreMoments
            The same object.
        """
        if self._place:
            assert self._sums is not None
            self._sums.add(self._of_groups())
            self._closed |= self._place.keys()
            self._place, self._open = {}, self._open[:0].copy()
        return self

    # --- what is known -----------------------------------------------------------------------

    @property
    def unit(self) -> str:
        """What is drawn: an item of scores, a sample of predictions, or a group of them."""
        is_group = self._grouped or self.are_groups
        return "group" if is_group else "item" if self.is_fixed else "sample"

    @property
    def holds_zeros_and_ones(self) -> bool:
        """Whether no score is anything but 0 or 1."""
        return self.n_samples > 0 and self._binary

    @property
    def effective_size(self) -> float:
        """Number of samples; with weights the number of equal ones that weigh as much."""
        return self._weight[0] ** 2 / self._weight[1] if self._weight[1] > 0 else 0.0

    @property
    def effective_units(self) -> float:
        """Number of units of equal weight that would weigh as much; a group weighs its sum."""
        sums = self._sum()
        square = sums.mean_weight**2
        return sums.n_units * square / (sums.of_weight / sums.n_units + square)

    @property
    def n_units(self) -> int:
        """Number of samples, or of groups."""
        closed = 0 if self._sums is None else self._sums.n_units
        return closed + len(self._place)

    @property
    def means(self) -> np.ndarray:
        """Mean score of each configuration, greater is better, shape (n_configs,)."""
        sums = self._sum()
        return np.asarray(sums.shift + sums.mean / sums.mean_weight)

    @property
    def variances(self) -> np.ndarray:
        """Variances of the scores of units, divided by their number, shape (n_configs,)."""
        sums = self._sum()
        own = sums.second.diagonal() if self.pairs else sums.second
        ratio = sums.mean / sums.mean_weight
        total = own - 2 * ratio * sums.cross + ratio**2 * sums.of_weight
        return np.asarray(np.maximum(total, 0.0) / (sums.n_units * sums.mean_weight**2))

    @property
    def covariance(self) -> np.ndarray:
        """Covariance of the scores of units, divided by their number, (n_configs, n_configs).

        With groups or weights, of what a unit adds to the means.
        """
        if not self.pairs:
            raise ValueError(
                "ScoreMoments(pairs=False) has no covariance. Call contenders() and give these "
                "columns of all samples to what it returns."
            )
        sums = self._sum()
        ratio = sums.mean / sums.mean_weight
        second = sums.second
        if sums.of_weight or sums.cross.any():
            mixed = np.multiply.outer(ratio, sums.cross - 0.5 * sums.of_weight * ratio)
            second = second - mixed - mixed.T
        return second / (sums.n_units * sums.mean_weight**2)

    @property
    def largest_shares(self) -> np.ndarray:
        """Largest share of one unit in the sum of squared deviations, shape (n_configs,).

        With unequal weights it is a bound from above.
        """
        return self._relative(np.maximum(*np.square(self._ends())), 1.0)

    def _ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Bound what a unit adds to each mean, relative to the others, (n_configs,) each."""
        sums = self._sum()
        moved = np.multiply.outer(sums.weights, sums.mean / sums.mean_weight)
        return sums.low - moved.max(axis=0), sums.high - moved.min(axis=0)

    def bounds_of_shares(self, config: str | int) -> np.ndarray:
        """Bound the `largest_shares` of differences from one configuration, from these sums alone.

        Parameters
        ----------
        config : str or int
            Its name, or its place.

        Returns
        -------
        ndarray of shape (n_configs,)
            0 for the configuration itself; infinite where another difference does not vary.

        Raises
        ------
        ValueError
            If there is no such configuration.
        """
        config = self._place_of(config, "config must be one of the")
        low, high = self._ends()
        cov, sums = self.covariance, self._sum()
        variance = cov.diagonal()
        total = (variance + variance[config] - 2 * cov[config]) * sums.n_units
        total *= sums.mean_weight**2
        largest = np.square(np.maximum(high - low[config], high[config] - low))
        found = np.full(self.n_configs, np.inf)
        np.divide(largest, total, out=found, where=total > 0)
        found[config] = 0.0
        return found

    @property
    def skewness(self) -> np.ndarray:
        """Skewness of the means over draws, that of units over the root of their number.

        Shape (n_configs,).
        """
        sums = self._sum()
        ratio = sums.mean / sums.mean_weight
        a, b, c, d = sums.third
        return self._relative(a - ratio * (3 * b - ratio * (3 * c - ratio * d)), 1.5)

    @property
    def first_alike(self) -> np.ndarray:
        """First configuration whose scores differ by rounding only, shape (n_configs,)."""
        cov, means = self.covariance, self.means
        variance = cov.diagonal()
        total = np.add.outer(variance, variance)
        size = np.maximum(np.abs(means), np.sqrt(variance))
        apart = np.abs(np.subtract.outer(means, means))
        alike = (total - 2 * cov <= _EQUAL * total) & (
            apart <= _EQUAL * np.maximum.outer(size, size)
        )
        np.fill_diagonal(alike, True)
        return np.asarray(alike.argmax(axis=1))

    @property
    def winner(self) -> int:
        """Configuration with the best mean, the first of equal ones."""
        return int(np.argmax(levelled(self.means)))

    def contenders(self) -> ScoreMoments:
        """Begin moments of the configurations that can win a draw.

        For many configurations: means and variances of all of them first, ``pairs=False``, then
        the covariance of those that can win, from a second look at the samples.

        Returns
        -------
        ScoreMoments
            Without samples. Its `columns` are the configurations: give it these of all samples,
            ``second.update(scores[:, second.columns])``.

        Notes
        -----
        A configuration with the mean m and the standard error s wins a draw only if it beats the
        best one there, with the mean M and the standard error S. Whatever their correlation, the
        standard deviation of the difference is at most ``s + S``, so that has at most the
        probability ``Phi((m - M) / (s + S))``. Left out are the worst ones, as long as the sum of
        their probabilities is at most 0.0001: together they win no more than that share of draws,
        which moves no quantile by more than that probability.
        """
        self._sum()
        means, error = self.means, np.sqrt(self.variances / self.n_units)
        best = self.winner
        total = error + error[best]
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = ndtr((means - means[best]) / total)
        chance[means >= means[best]] = 1.0
        kept = np.flatnonzero(~hardly_win(chance))
        names = None if self.names is None else [self.names[k] for k in kept]
        second = ScoreMoments(len(kept), names, greater_is_better=self.sign > 0)
        second.metric, second.bounds, second.is_fixed = self.metric, self.bounds, self.is_fixed
        second.columns, second.n_tried = self.columns[kept], self.n_tried
        return second

    # --- files -------------------------------------------------------------------------------

    def save(self, path: str | Path) -> Path:
        """Write the sums to an npz file.

        Parameters
        ----------
        path : str or Path
            Name of the file; ``.npz`` is added where it is missing.

        Returns
        -------
        Path
            The file.
        """
        header = {
            "score_moments": FORMAT_OF_MOMENTS,
            **{name: getattr(self, name) for name in _IN_HEADER},
            "names": None if self.names is None else list(self.names),
            "bounds": [repr(float(end)) for end in self.bounds],
            "class_size": repr(float(self.class_size)),
            "open": _labels(self._place),
            "closed": sorted(_labels(self._closed), key=repr),
            "grouped": self._grouped,
            "binary": self._binary,
            "weight": list(map(float, self._weight)),
        }
        arrays: dict[str, Any] = {"columns": self.columns, "open": self._open}
        if self._sums is not None:
            header["numbers"] = {name: getattr(self._sums, name) for name in _Sums.NUMBERS}
            arrays |= {f"sum:{name}": getattr(self._sums, name) for name in _Sums.ARRAYS}
        file = file_of(path)
        with replacing(file) as stream:
            np.savez(stream, header=np.array(json.dumps(header)), **arrays)
        return file

    @classmethod
    def load(cls, path: str | Path) -> ScoreMoments:
        """Read sums that `save` wrote.

        Parameters
        ----------
        path : str or Path
            Name of the file, with or without ``.npz``.

        Returns
        -------
        ScoreMoments
            The same sums.

        Raises
        ------
        ValueError
            If the file is another one, or damaged.
        """
        file = file_of(path)
        try:
            with np.load(file, allow_pickle=False) as found:
                arrays = {name: found[name] for name in found.files}
            header = json.loads(str(arrays["header"]))
            number = int(header["score_moments"])
        except FileNotFoundError:
            raise FileNotFoundError(f"There is no file {file}.") from None
        except Exception as error:  # a flipped bit raises nearly anything
            raise ValueError(
                f"{file} was not written by ScoreMoments.save, or is damaged ({error}). Take "
                "another copy of the file."
            ) from None
        if number > FORMAT_OF_MOMENTS:
            raise ValueError(
                f"{file} has format {number}, this version reads up to {FORMAT_OF_MOMENTS}: "
                "upgrade sklearn-bbc."
            )
        new = cls(header["n_configs"], header["names"], pairs=header["pairs"])
        vars(new).update({name: header[name] for name in _IN_HEADER})
        low, high = map(float, header["bounds"])
        new.bounds, new.class_size = (low, high), float(header["class_size"])
        new.columns, new._open = arrays["columns"], arrays["open"]
        new._place = {label: k for k, label in enumerate(header["open"])}
        new._closed, new._grouped = set(header["closed"]), header["grouped"]
        new._binary, new._weight = header["binary"], tuple(header["weight"])
        if "numbers" in header:
            sums = {name: arrays[f"sum:{name}"] for name in _Sums.ARRAYS}
            new._sums = _Sums(**sums, **header["numbers"])
        return new

    @classmethod
    def from_predictions(cls, chunks: Any, scoring: Any, **arguments: Any) -> ScoreMoments:
        """Score predictions part by part.

        Parameters
        ----------
        chunks : OOFPredictions, iterable of them or of dict, or callable
            Predictions of some samples at a time, by all configurations; or the arguments of
            `OOFPredictions`, such as ``{"y_true": y, "y_pred": p}``, with groups or weights. A
            function without arguments that returns an iterable can be asked for the parts twice.
        scoring : str, scorer or Metric
            A metric that is a mean over samples, such as accuracy, log loss or squared error, or
            one that is taken by its influence values, see Notes.
        **arguments : object
            Arguments of `OOFPredictions` that all parts have in common, such as ``classes``.

        Returns
        -------
        ScoreMoments
            The sums.

        Raises
        ------
        ValueError
            If the metric is neither, a configuration has no prediction for some sample, or parts
            that are needed twice come from an iterator.

        Notes
        -----
        RMSE, R2, explained variance, and scores of labels (balanced accuracy, F1, precision,
        recall, Jaccard score, MCC, kappa) are smooth functions of sums. A first look at all parts
        takes these sums, a second one what each sample adds to the score, its influence value.
        The area under the ROC curve and concordance compare samples of all parts: these are
        joined, and take memory for all predictions. To such sums nothing can be added.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_bbc import ScoreMoments
        >>> rng = np.random.default_rng(0)
        >>> def parts():
        ...     for _ in range(4):
        ...         y = rng.integers(2, size=1000)
        ...         yield {"y_true": y, "y_pred": y[:, None] ^ (rng.random((1000, 3)) < 0.3)}
        >>> ScoreMoments.from_predictions(parts(), "accuracy")
        ScoreMoments(n_configs=3, n_samples=4000)
        """
        if cls._of_predictions is None:
            raise ImportError("from_predictions needs: import sklearn_bbc.contest")
        found: ScoreMoments = cls._of_predictions(chunks, scoring, arguments)
        return found

    # --- steps ---------------------------------------------------------------------------------

    def _values(self, scores: Any) -> tuple[np.ndarray, tuple[str, ...] | None]:
        """Return scores as an array (n_samples, n_configs), and the names of a table."""
        names = names_of_columns(scores, "scores")
        if names is not None:
            names = [str(name) for name in names]
            if self.names is not None and names != list(self.names):
                if sorted(names) != sorted(self.names):
                    raise ValueError(_other_names(self.names, names))
                order = [names.index(name) for name in self.names]
                scores, names = np.asarray(scores)[:, order], list(self.names)
        check_no_mask(scores, "scores")
        values = np.asarray(scores)
        if values.ndim != 2 or values.shape[1] != self.n_configs:
            raise ValueError(
                f"scores must have the shape (n_samples, {self.n_configs}), a column for each "
                f"configuration, got {got(values)}."
            )
        if values.dtype.kind not in "biuf":
            try:
                if values.dtype.kind in "cmM":
                    raise TypeError("complex numbers, dates and durations are no scores")
                values = values.astype(float)
            except (TypeError, ValueError):
                raise ValueError(f"scores must be numbers, got {got(values)}.") from None
        given = None if names is None else _checked_names(names, self.n_configs)
        return values, given

    def _shift_of(self, values: np.ndarray) -> np.ndarray:
        """Return what scores are taken relative to: about the mean of the first part."""
        if self._sums is not None:
            return self._sums.shift
        with np.errstate(all="ignore"):
            mean = values[: max(1, _NUMBERS // self.n_configs)].mean(axis=0, dtype=float)
        return np.asarray(self.sign * np.where(np.isfinite(mean), mean, 0.0) + 0.0)

    def _begin(self, shift: np.ndarray) -> None:
        if self._sums is None:
            self._sums = _Sums.empty(shift, self.pairs)

    def _rows(self, n: int) -> Iterable[slice]:
        """Yield samples that are looked at together: as many as a product of columns pays for."""
        step = max(1, _NUMBERS // self.n_configs, min(1024, 2**22 // self.n_configs))
        return (slice(first, min(first + step, n)) for first in range(0, n, step))

    def _block(self, values: np.ndarray, rows: slice, shift: np.ndarray) -> np.ndarray:
        """Copy scores less the shift, in the order in memory that they have; one row more."""
        part = values[rows]
        block = np.empty(
            (len(part) + 1, self.n_configs), order="C" if part.flags.c_contiguous else "F"
        )
        if self.sign < 0:
            np.negative(part, out=block[:-1], dtype=float)
            block[:-1] -= shift
        else:
            np.subtract(part, shift, out=block[:-1], dtype=float)
        block[-1] = 0.0
        if not np.isfinite(block.sum()) and not np.isfinite(block).all():
            self._explain(block, rows.start)
        return block

    def _explain(self, block: np.ndarray, first: int) -> None:
        """Raise for a score that is missing or infinite."""
        row, column = np.argwhere(~np.isfinite(block))[0].tolist()
        name = f"column {column}" if self.names is None else repr(self.names[column])
        what = "missing (NaN)" if np.isnan(block[row, column]) else "infinite"
        raise ValueError(
            f"A score is {what}: of {name}, sample {first + row} of this part. Nothing of "
            "the part was added. Leave out such samples for all configurations, or "
            "the configuration."
        )

    def _check_grouped(self, grouped: bool) -> None:
        if self._grouped not in (None, grouped):
            raise ValueError(
                "Some parts have groups and others have none. Give the label of the group of each "
                "sample in every part; a sample that depends on no other has a group of its own."
            )

    def _check_labels(self, labels: Iterable[Any]) -> None:
        """Raise where labels are texts in one place and numbers in another: 1 is not "1"."""
        own = next(iter(self._place), next(iter(self._closed), None))
        kinds: dict[bool, Any] = {} if own is None else {isinstance(own, str): own}
        for label in labels:
            kinds.setdefault(isinstance(label, str), label)
        if len(kinds) > 1:
            raise ValueError(
                f"Some groups are texts, such as {kinds[True]!r}, and others are not, such as "
                f"{kinds[False]!r}, so one group could be taken for two. Give all labels as text."
            )

    def _check_closed(self, labels: Iterable[Any]) -> None:
        if self._closed and (again := self._closed.intersection(labels)):
            raise ValueError(_closed_twice(again))

    def _check_mean(self) -> None:
        """Raise where the score of all samples together is no mean of those of parts."""
        if self.part_of is not None:
            raise ValueError(
                "These are some configurations of other sums: add to those, before part() is "
                "called."
            )
        if not self.is_mean:
            raise ValueError(
                f"{self.metric} is no mean over samples, so nothing can be added to these sums. "
                "Give all parts together to ScoreMoments.from_predictions."
            )

    def _check_same(self, other: ScoreMoments) -> None:
        """Raise where parts are of other configurations or scores."""
        if self.n_configs != other.n_configs:
            raise ValueError(
                f"The parts have {self.n_configs} and {other.n_configs} configurations. All parts "
                "need the scores of the same ones."
            )
        if None not in (self.names, other.names) and self.names != other.names:
            raise ValueError(_other_names(self.names, other.names))
        if self.metric != other.metric or self.sign != other.sign:
            raise ValueError(
                f"One part has sums of {self.metric}, the other of {other.metric}. Only sums of "
                "the same score can be added."
            )
        if self.pairs != other.pairs or not np.array_equal(self.columns, other.columns):
            raise ValueError(
                "One part has means and variances only, or other columns of the configurations. "
                "Make all parts of a pass in the same way."
            )

    def _add_groups(self, labels: list[Any], sums: np.ndarray) -> None:
        """Add the sums of groups (n_groups, n_configs + 1) to those of the same label."""
        n_before = len(self._place)
        places = np.array([self._place.setdefault(label, len(self._place)) for label in labels])
        if n_new := len(self._place) - n_before:
            self._open = np.concatenate([self._open, np.zeros((n_new, self.n_configs + 1))])
        self._open[places] += sums

    def _of_groups(self) -> _Sums:
        """Sum the groups that are not closed, relative to the mean of all samples."""
        assert self._sums is not None
        sums, shift = self._sums, self._sums.shift
        total = self._open.sum(axis=0)
        weight = total[-1] + sums.n_units * sums.mean_weight
        if weight > 0:
            shift = shift + (total[:-1] + sums.n_units * sums.mean) / weight
        found = _Sums.empty(shift, self.pairs)
        step = max(1, _NUMBERS // self.n_configs)
        for first in range(0, len(self._open), step):
            part = self._open[first : first + step]
            block = np.zeros((len(part) + 1, self.n_configs))
            np.add(part[:, :-1], part[:, -1:] * (sums.shift - shift), out=block[:-1])
            found.take(block, part[:, -1].copy())
        return found.settle()

    def _sum(self) -> _Sums:
        """Return the sums of all units, those of open groups included."""
        if self._sums is None:
            raise ValueError("There are no samples yet: add some with update(scores) or merge.")
        if self._whole is None:
            self._whole = self._sums
            if self._place:
                self._whole = self._of_groups()
                self._whole.add(self._sums)
        if not self._whole.mean_weight > 0:
            raise ValueError("All weights are 0: give a sample a weight above 0.")
        return self._whole

    def _relative(self, values: np.ndarray, power: float) -> np.ndarray:
        """Divide by a power of the sums of squared deviations; 0 where a score does not vary."""
        sums = self._sum()
        total = self.variances * sums.n_units * sums.mean_weight**2
        size = sums.n_units * (_EQUAL * np.maximum(np.abs(self.means), 1e-300)) ** 2
        varies = total > size
        found = np.zeros(self.n_configs)
        np.divide(values, total**power, out=found, where=varies)
        return found


_MOST_COUNTED = 2**24
"""Up to which single precision counts."""


class _Counts:
    """How often columns of zeros and ones are one, alone and together."""

    def __init__(self, n_configs: int) -> None:
        self._n_configs, self.n = n_configs, 0
        self._both: np.ndarray | None = None

    @one_blas_thread
    def take(self, values: np.ndarray) -> None:
        """Count some rows."""
        if self._both is None:
            self._both = np.zeros((self._n_configs, self._n_configs), dtype=np.float32, order="F")
        _add_product(self._both, np.asarray(values, dtype=np.float32, order="A"))
        self.n += len(values)

    def taken(self) -> tuple[np.ndarray, int]:
        """Return the counts and the number of rows, and begin anew."""
        assert self._both is not None
        both, n = np.triu(self._both) + np.triu(self._both, 1).T, self.n
        self._both, self.n = None, 0
        return both, n


def _add_product(total: np.ndarray, values: np.ndarray) -> None:
    """Add the product of a matrix (n, C) with itself to the upper triangle of `total` (C, C).

    The triangle is that of a matrix in the order of Fortran.
    """
    add = ssyrk if total.dtype == np.float32 else dsyrk
    by_row = not values.flags.f_contiguous
    matrix = np.ascontiguousarray(values).T if by_row else values
    add(1.0, matrix, beta=1.0, c=total, trans=0 if by_row else 1, overwrite_c=1)


def hardly_win(chance: np.ndarray) -> np.ndarray:
    """Find the worst configurations that win no more than 0.0001 of the draws together.

    `chance` (n_configs,) bounds the share of draws that each wins.
    """
    order = np.argsort(chance, kind="stable")
    n = int(np.searchsorted(np.cumsum(chance[order]), NEVER_WINS, side="right"))
    found = np.zeros(len(chance), dtype=bool)
    found[order[:n]] = True
    return found


def moments_by(function: Callable[..., Any]) -> None:
    """Hand down what scores predictions, from the layer above that can."""
    ScoreMoments._of_predictions = staticmethod(function)


_IN_HEADER = (
    "n_configs", "pairs", "sign", "metric", "is_fixed", "is_mean", "are_groups", "n_tried",
    "n_samples",
)  # fmt: skip


def _checked_names(names: Sequence[Any], n_configs: int) -> tuple[str, ...]:
    if isinstance(names, str) or not hasattr(names, "__len__") or len(names) != n_configs:
        raise ValueError(
            f"names must be {count(n_configs, 'text')}, one for each configuration, got "
            f"{got(names)}."
        )
    found = tuple(map(str, names))
    if len(set(found)) < n_configs:
        twice = next(name for name in found if found.count(name) > 1)
        raise ValueError(f"names must be different: {twice!r} occurs {found.count(twice)} times.")
    return found


def _other_names(own: Sequence[str] | None, other: Sequence[str] | None) -> str:
    """Write where names differ."""
    own, other = list(own or ()), list(other or ())
    apart = [(a, b) for a, b in zip(own, other) if a != b]
    first = f"{apart[0][0]!r} here is {apart[0][1]!r} there" if apart else "their number differs"
    return (
        f"The parts have other names of configurations: {first}. Bring the columns into the same "
        "order, or give each part the same names."
    )


def _weights(given: Any, n: int) -> np.ndarray:
    check_no_mask(given, "sample_weight")
    weight = np.asarray(given)
    if weight.shape != (n,) or weight.dtype.kind not in "biuf":
        raise ValueError(
            f"sample_weight must be one number for each of {n} samples, got {got(given)}."
        )
    weight = weight.astype(float)
    if not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise ValueError("sample_weight must be finite and not negative.")
    return weight


def _summed(values: np.ndarray, codes: np.ndarray, n_groups: int) -> np.ndarray:
    """Sum rows by group, shape (n_groups, n_columns)."""
    order = np.argsort(codes, kind="stable")
    there, first = np.unique(codes[order], return_index=True)
    sums = np.zeros((n_groups, values.shape[1]))
    sums[there] = np.add.reduceat(values[order], first, axis=0)
    return sums


def _check_size(squares: np.ndarray) -> None:
    if not np.isfinite(squares).all():
        raise ValueError(
            "scores are so large that their squares are infinite. Nothing of the part was added: "
            "divide all scores by the same number."
        )


def _closed_twice(labels: Iterable[Any]) -> str:
    label = min(labels, key=repr)
    return (
        f"Group {label!r} was closed by close_groups() and comes again. Close groups only when "
        "all of their samples were added, or leave that out: groups are then joined by their "
        "labels."
    )


def _labels(labels: Iterable[Any]) -> list[Any]:
    """Return labels for JSON."""
    found = list(labels)
    for label in found:
        if not isinstance(label, (str, int, float, bool)):
            raise ValueError(
                f"The group {label!r} cannot be written to a file: labels must be numbers or "
                "texts."
            )
    return found
