"""Bootstrap draws as counts per unit: samples, groups or folds."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from joblib.parallel import get_active_backend
from sklearn import config_context, get_config
from sklearn.base import BaseEstimator
from sklearn.utils.parallel import Parallel, delayed

from . import _native
from ._blas import one_blas_thread
from ._parameters import Whole
from ._rounding import draws_at_once
from ._utils import is_integer, suppress_fp_warnings
from ._warnings import no_warnings
from .exceptions import SelectionError, UndefinedIntervalError
from .predictions._predictions import OOFPredictions

__all__ = ["Redraw"]


def __dir__() -> list[str]:
    return list(__all__)


STREAM_BLOCK = 64
"""Draws per block. Part of the definition of a stream: changing it changes every result."""


class Streams:
    """Streams of the blocks of a run, all derived from one seed.

    Block k has the stream of a PCG64 that is seeded by
    ``SeedSequence(entropy, spawn_key=(key, k))``, so it does not depend on which blocks are
    drawn, by whom and in which order.

    Runs with another `key` have independent streams under one seed.
    """

    def __init__(self, entropy: int, key: int = 0) -> None:
        self.entropy = entropy
        self.key = key

    def of(self, k: int, n_taken: int = 0) -> np.random.Generator:
        """Begin the stream of block k, after some numbers that others take."""
        seed = np.random.SeedSequence(self.entropy, spawn_key=(self.key, k))
        stream = np.random.PCG64(seed)
        return np.random.Generator(stream.advance(n_taken) if n_taken else stream)


def draw_with_replacement(
    rng: np.random.Generator, n_draws: int, n_units: int, n_picks: int | None = None
) -> np.ndarray:
    """Count how often each unit is picked.

    Returns shape (n_draws, n_units).

    Doubles times `n_units`, rounded down: the stream of `Generator.random` is one double
    per pick, which any implementation can consume in the same way; the largest relative
    error of a unit's probability is n_units * 2^-53.
    """
    n_picks = n_units if n_picks is None else n_picks
    counts = _native.count_picks(rng, n_draws, n_units, n_picks) if _native.available() else None
    if counts is not None:
        return counts
    step = max(1, _NUMBERS_AT_ONCE // max(1, n_picks))
    drawn = []
    for start in range(0, max(1, n_draws), step):
        picks = (rng.random((min(step, n_draws - start), n_picks)) * n_units).astype(np.intp)
        picks += np.arange(len(picks), dtype=np.intp)[:, None] * n_units
        counted = np.bincount(picks.ravel(), minlength=len(picks) * n_units)
        drawn.append(counted.reshape(len(picks), n_units))
    return smallest(np.concatenate(drawn))


_NUMBERS_AT_ONCE = 2**15  # random numbers that NumPy holds at once


def smallest(counts: np.ndarray) -> np.ndarray:
    """Cast counts to the smallest unsigned dtype that holds them."""
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0))), copy=False)


def entropy_of(random_state: Any) -> int:
    """Draw the integer from which every stream of a run is derived."""
    check_random_state(random_state)
    if random_state is None:
        # 63 bits fit into every integer that such a seed may be stored in.
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))
    if is_integer(random_state):
        return int(random_state)
    if isinstance(random_state, np.random.SeedSequence):
        return int(random_state.generate_state(1, np.uint64)[0] >> np.uint64(1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63 - 1))
    return int(random_state.randint(2**31 - 1))


def check_random_state(random_state: Any) -> None:
    """Raise unless `entropy_of` can take a seed from this; nothing is drawn."""
    generators = (np.random.SeedSequence, np.random.Generator, np.random.RandomState)
    if is_integer(random_state):
        if random_state < 0:
            raise ValueError(f"random_state must not be negative, got {random_state}.")
    elif random_state is not None and not isinstance(random_state, generators):
        raise ValueError(
            "random_state must be an int, a numpy RandomState or Generator, or None, "
            f"got {random_state!r}."
        )


class Resampling(ABC):
    """Rule by which `n_units` units are drawn with replacement: samples, groups or folds.

    A subclass defines how many units it draws from and draws one block of counts;
    `Draws` takes care of blocks, seeds, redraws and threads.
    """

    n_units: int

    @abstractmethod
    def draw(self, rng: np.random.Generator, n_draws: int) -> np.ndarray:
        """Draw counts (n_draws, n_units) in the smallest unsigned dtype that holds them.

        The source of randomness is consumed draw by draw, so that a redraw continues it.
        """

    def draw_blocks(self, streams: Streams, blocks: range, n_draws: int) -> np.ndarray:
        """Draw the counts (n_draws, n_units) of consecutive blocks, each from its own stream.

        Of the blocks only the last may be short.
        """
        sizes = [min(STREAM_BLOCK, n_draws - start) for start in range(0, n_draws, STREAM_BLOCK)]
        drawn = [self.draw(streams.of(k), n) for k, n in zip(blocks, sizes, strict=True)]
        return drawn[0] if len(drawn) == 1 else np.concatenate(drawn)


_EXACT = 25
"""Units up to which probabilities are exact; above, rounding would eat the alternating sum."""


def chance_of_holding(
    size: int, n_units: int, *, out_of_bag: bool = True, min_out_of_bag: int = 1
) -> float:
    """Compute the probability that a draw has units of a set in-bag, and enough out-of-bag.

    `size` units of the set, `n_units` of all, which is also the number of picks of a draw. Exact
    for sets of up to 25 units; beyond, units are taken as independent when it comes to those
    left out.
    """
    none_drawn = (1 - size / n_units) ** n_units
    if not out_of_bag:
        return 1 - none_drawn
    if size < 1 + min_out_of_bag:
        return 0.0
    too_few = sum(_chance_left_out(k, size, n_units) for k in range(min_out_of_bag))
    return min(max(1 - none_drawn - too_few, 0.0), 1.0)


def _chance_left_out(n_left_out: int, size: int, n_units: int) -> float:
    """Compute the probability that exactly so many units of a set are not drawn."""
    if size > _EXACT:
        left_out = (1 - 1 / n_units) ** n_units
        each = left_out**n_left_out * (1 - left_out) ** (size - n_left_out)
        return math.comb(size, n_left_out) * each
    others = size - n_left_out
    # Inclusion and exclusion over the other units of the set.
    terms = (
        (-1) ** k * math.comb(others, k) * (1 - (n_left_out + k) / n_units) ** n_units
        for k in range(others + 1)
    )
    return math.comb(size, n_left_out) * sum(terms)


def chance_of_all(
    strata: list[np.ndarray], n_units: int, *, out_of_bag: bool = True, min_out_of_bag: int = 1
) -> float:
    """Compute the probability that a draw holds all of some sets of units, or slightly more.

    The product over sets without a common unit, of which the smallest come first. Sets that
    share units with those are left out: they make the probability smaller.
    """
    taken = np.zeros(n_units, dtype=bool)
    sizes: dict[int, int] = {}
    for members in sorted(strata, key=len):
        if not taken[members].any():
            taken[members] = True
            sizes[len(members)] = sizes.get(len(members), 0) + 1
    chance = 1.0
    for size, times in sizes.items():
        one = chance_of_holding(
            size, n_units, out_of_bag=out_of_bag, min_out_of_bag=min_out_of_bag
        )
        chance *= one**times
    return chance


class Redraw(BaseEstimator):
    """Draw again until every draw can be scored.

    A draw is degenerate when a class that the metric needs has no sample in-bag, or fewer
    than `min_out_of_bag` out-of-bag; with groups, groups take the place of samples. For
    metrics that need no class, all samples together take the place of a class. Drawing again
    conditions the bootstrap on the presence of each class, a small bias that matters only with
    very few samples of a class.

    Parameters
    ----------
    cap : int, default=1000
        Redraws per draw, in the mean over a block of up to 64 draws, after which the run gives
        up.
    min_out_of_bag : int, default=1
        Samples of each class that must be out-of-bag.

    Examples
    --------
    >>> from sklearn_bbc.intervals import BBC
    >>> from sklearn_bbc.resampling import Redraw
    >>> BBC(degenerate=Redraw(min_out_of_bag=2))
    BBC(degenerate=Redraw(min_out_of_bag=2))
    """

    _constraints = {"cap": Whole(1), "min_out_of_bag": Whole(1)}

    def __init__(self, *, cap: int = 1000, min_out_of_bag: int = 1) -> None:
        self.cap = cap
        self.min_out_of_bag = min_out_of_bag


USUAL_REDRAW = Redraw()
"""Where a method has no other."""


def check_likely(redraw: Redraw, chance: float, n_strata: int, *, out_of_bag: bool) -> None:
    """Raise before the first draw when more redraws are to be expected than its cap.

    `chance` is the probability that a draw holds `n_strata` classes, or a bit more than that.
    """
    if (1 + redraw.cap) * chance >= 1:
        return
    where = "in-bag and out-of-bag" if out_of_bag else "in-bag"
    least = f" ({redraw.min_out_of_bag} at least)" if redraw.min_out_of_bag > 1 else ""
    rate = f"1 draw in {1 / chance:,.0f}" if chance > 1e-9 else "hardly any draw"
    raise UndefinedIntervalError(
        f"The metric needs all {n_strata:,} classes {where}{least} in every draw, which "
        f"{rate} would fulfil; Redraw(cap={redraw.cap}) gives up at 1 in {redraw.cap + 1:,}. "
        "Most classes have too few samples (or groups). Merge rare classes, take a metric "
        "that is defined without them, such as accuracy, or use BBCF with folds that hold "
        "every class."
    )


class IID(Resampling):
    """Draw as many units as there are, with replacement."""

    def __init__(self, n_units: int) -> None:
        self.n_units = n_units

    def draw(self, rng: np.random.Generator, n_draws: int) -> np.ndarray:
        """Draw counts of shape (n_draws, n_units)."""
        return draw_with_replacement(rng, n_draws, self.n_units)


class Stratified(Resampling):
    """Draw within each stratum, so that its size never changes; `strata` (n_units,) are labels."""

    def __init__(self, strata: np.ndarray) -> None:
        codes = np.unique(strata, return_inverse=True)[1]
        self.n_units = len(codes)
        self._members = [np.flatnonzero(codes == k) for k in range(codes.max() + 1)]

    def draw(self, rng: np.random.Generator, n_draws: int) -> np.ndarray:
        """Draw counts of shape (n_draws, n_units)."""
        counts = np.zeros((n_draws, self.n_units), dtype=np.int64)
        for members in self._members:
            counts[:, members] = draw_with_replacement(rng, n_draws, len(members))
        return smallest(counts)


class TwoStage(Resampling):
    """Draw groups, then samples within each drawn occurrence of a group.

    The counts are per sample; `groups` (n_samples,) are labels. A group that is drawn twice has
    its samples drawn twice, independently.
    """

    def __init__(self, groups: np.ndarray) -> None:
        codes = np.unique(groups, return_inverse=True)[1]
        self.n_units = len(codes)
        self._members = [np.flatnonzero(codes == k) for k in range(codes.max() + 1)]

    def draw(self, rng: np.random.Generator, n_draws: int) -> np.ndarray:
        """Draw counts of shape (n_draws, n_samples)."""
        times = draw_with_replacement(rng, n_draws, len(self._members)).astype(np.int64)
        counts = np.zeros((n_draws, self.n_units), dtype=np.int64)
        for group, members in enumerate(self._members):
            size = len(members)
            # n occurrences of independent draws are one draw of n * size picks.
            for occurrences in np.unique(times[:, group]):
                chosen = np.flatnonzero(times[:, group] == occurrences)
                if occurrences:
                    picks = int(occurrences) * size
                    counts[np.ix_(chosen, members)] = draw_with_replacement(
                        rng, len(chosen), size, picks
                    )
        return smallest(counts)


_DRAWS_PROBED = 32


class TargetRange:
    """Smallest and largest target value of each unit, shapes (n_outputs, n_units).

    `y` (n_samples[, n_outputs]): a draw is constant as soon as one output is; `of_sample`
    (n_samples,) is the unit of each sample, -1 for samples that do not count.
    """

    def __init__(self, y: np.ndarray, of_sample: np.ndarray, n_units: int) -> None:
        counts = of_sample >= 0
        y = y.reshape(len(y), -1)[counts].astype(np.float64)
        shape = (y.shape[1], n_units)
        self.low, self.high = np.full(shape, np.inf), np.full(shape, -np.inf)
        for k, column in enumerate(y.T):
            np.minimum.at(self.low[k], of_sample[counts], column)
            np.maximum.at(self.high[k], of_sample[counts], column)
        # Units all over the range of values: with them most draws are seen to vary.
        n_probed = min(_DRAWS_PROBED, n_units)
        places = np.linspace(0, n_units - 1, n_probed).astype(np.intp)
        self._probed = [np.argsort(low, kind="stable")[places] for low in self.low]

    def fewest_others(self) -> tuple[int, float]:
        """Count the units with another value than the most frequent one; return that, too.

        Of several outputs it is the one with the fewest. The value is NaN where every unit has
        several.
        """
        found = []
        for low, high in zip(self.low, self.high, strict=True):
            alike = low[low == high]
            values, counts = np.unique(alike, return_counts=True)
            there = int(np.count_nonzero(low <= high))
            if len(values):
                found.append((there - int(counts.max()), float(values[counts.argmax()])))
            else:
                found.append((there, np.nan))
        return min(found)

    def is_constant(self, drawn: np.ndarray) -> np.ndarray:
        """Mark draws (n_draws,) whose units all have one value, or that have none.

        `drawn` (n_draws, n_units), bool.
        """
        constant = np.zeros(len(drawn), dtype=bool)
        for low, high, probed in zip(self.low, self.high, self._probed, strict=True):
            unclear = np.flatnonzero(_same_draws(drawn[:, probed], low[probed], high[probed]))
            constant[unclear[_same_draws(drawn[unclear], low, high)]] = True
        return constant


def _same_draws(drawn: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    least = np.where(drawn, low, np.inf).min(axis=1, initial=np.inf)
    return np.asarray(least >= np.where(drawn, high, -np.inf).max(axis=1, initial=-np.inf))


COMMON, MANY_CLASSES = 16, 500
"""Classes of so many units are in-bag and out-of-bag in all but one of 1,500 draws each: up to so
many of them together in more than half of the draws, which no check needs to find out."""

PROBED = 16
"""Units per stratum that are looked at first when draws are checked."""


SCRATCH = 2**27
"""Bytes that draws and their scores take meanwhile, at most: more makes nothing faster."""


class Draws:
    """The draws of one run.

    Block k of 64 draws uses its own child of the seed, so the results are the same for
    any number of threads and any batch size.

    A draw is degenerate unless each stratum, a column of `indicator` (n_units, n_strata), has a
    unit in-bag and, with `out_of_bag`, one out-of-bag, and unless the target of `spread` varies;
    it is drawn again, as `degenerate` says. Draws that lack a set of `may_lack` (n_units, n_sets)
    are kept, and counted. `expand` turns counts per unit into counts per sample. `bytes_per_draw`
    is the memory that the function needs; batches stay within scikit-learn's ``working_memory``
    and `SCRATCH`. `prefer` "processes" pays where Python code does the scoring; its warnings were
    shown when the metric was bound, and are not in the draws. Runs with another `key` have
    independent streams under one seed. `strata`, a `DrawStrata`, has the three of them, and is
    asked for what is said of the draws afterwards.

    `n_redrawn` and `n_lacking` count draws of the last run of `map`.
    """

    def __init__(
        self,
        resampling: Resampling,
        n_draws: int,
        entropy: int,
        *,
        indicator: np.ndarray | None = None,
        expand: Callable[[np.ndarray], np.ndarray] | None = None,
        bytes_per_draw: int = 0,
        n_jobs: int | None = None,
        out_of_bag: bool = True,
        prefer: str = "threads",
        key: int = 0,
        degenerate: Redraw | None = None,
        spread: TargetRange | None = None,
        may_lack: np.ndarray | None = None,
        strata: Any = None,
    ) -> None:
        self.resampling = resampling
        self.strata = strata
        if strata is not None:
            indicator, may_lack, spread = strata.indicator, strata.may_lack, strata.spread
        self.n_draws = n_draws
        self.entropy = entropy
        self.n_redrawn = self.n_lacking = 0
        self._degenerate = USUAL_REDRAW if degenerate is None else degenerate
        self._strata = _members(indicator)
        self._may_lack = _members(may_lack)
        self._spread = spread
        self._out_of_bag = out_of_bag
        self._expand = expand
        self._bytes_per_draw = bytes_per_draw + resampling.n_units  # counts of a byte each
        self._n_jobs = n_jobs
        self._prefer = prefer
        self._streams = Streams(entropy, key)

    def map(self, function: Callable[[np.ndarray], Any]) -> Any:
        """Apply `function` to the counts of all draws."""
        return joined_batches(self.batches(function))

    def batches(self, function: Callable[..., Any], earlier: list[Any] | None = None) -> list[Any]:
        """Do as `map`, but give the results batch by batch, to be continued in another run."""
        self._check_likely()
        # No more workers than the working memory has space for a block each.
        memory, of_block = (
            get_config()["working_memory"] * 2**20,
            STREAM_BLOCK * self._bytes_per_draw,
        )
        n_jobs = min(effective_n_jobs(self._n_jobs), max(1, int(memory // of_block)))
        n_blocks = -(-self.n_draws // STREAM_BLOCK)
        size = max(1, int(min(memory, SCRATCH) / n_jobs // of_block))
        size = STREAM_BLOCK * min(size, math.ceil(n_blocks / n_jobs))
        if isinstance(self.resampling, IID):  # of which a part of a block can be drawn
            least = draws_at_once(self.resampling.n_units)
            while size > least and size * self._bytes_per_draw > memory:
                size //= 2
        parts = [
            range(start, min(start + size, self.n_draws)) for start in range(0, self.n_draws, size)
        ]
        before = [()] * len(parts) if earlier is None else [(each,) for each in earlier]
        todo = list(zip(parts, before))

        def run(draws: range, before: tuple[Any, ...]) -> tuple[Any, int, int]:
            counts, redrawn = self._counts(draws)
            lacking = self._count_lacking(counts) if self._may_lack else 0
            if self._expand is not None:
                counts = self._expand(counts)
            try:
                with suppress_fp_warnings():
                    done = function(counts, *before)
            except SelectionError as error:
                if error.draw is not None:  # counted from the first of these draws
                    error.draw += draws.start
                raise
            return done, redrawn, lacking

        processes = self._prefer == "processes"
        # Around all workers: of threads each would undo what another one does to the filters.
        with no_warnings() if processes else nullcontext():
            if n_jobs == 1 or len(parts) == 1:
                with one_blas_thread:
                    done = [run(*each) for each in todo]
            elif processes and not _shares_memory():
                parallel = Parallel(n_jobs=n_jobs, prefer="processes")
                done = parallel(delayed(run)(*each) for each in todo)
            else:
                done = in_threads(run, todo, n_jobs)
        results, redrawn, lacking = zip(*done)
        self.n_redrawn, self.n_lacking = sum(redrawn), sum(lacking)
        return list(results)

    def _check_likely(self) -> None:
        """Raise before the first draw when nearly all would have to be drawn again."""
        if not isinstance(self.resampling, IID) or len(self._strata) < 2:
            return
        are_common = min(map(len, self._strata)) >= COMMON and len(self._strata) <= MANY_CLASSES
        if not are_common or self._degenerate.min_out_of_bag > 1:
            chance = chance_of_all(
                self._strata,
                self.resampling.n_units,
                out_of_bag=self._out_of_bag,
                min_out_of_bag=self._degenerate.min_out_of_bag,
            )
            check_likely(self._degenerate, chance, len(self._strata), out_of_bag=self._out_of_bag)

    def _count_lacking(self, counts: np.ndarray) -> int:
        """Count the draws without a unit of some set that they may lack."""
        complete = np.arange(len(counts))
        for members in self._may_lack:
            complete = complete[~self._lacks(counts[np.ix_(complete, members)] > 0, 1)]
        return len(counts) - len(complete)

    def _drawn(self, draws: range) -> np.ndarray:
        """Draw the counts of whole blocks, or of a part of one, acceptable or not."""
        k, first = divmod(draws.start, STREAM_BLOCK)
        if first or len(draws) < min(STREAM_BLOCK, self.n_draws - draws.start):
            # A number for each pick.
            rng = self._streams.of(k, first * self.resampling.n_units)
            return self.resampling.draw(rng, len(draws))
        blocks = range(k, -(-draws.stop // STREAM_BLOCK))
        return self.resampling.draw_blocks(self._streams, blocks, len(draws))

    def _counts(self, draws: range) -> tuple[np.ndarray, int]:
        """Draw the counts of some draws, all of them acceptable, and count the redraws."""
        k, first = divmod(draws.start, STREAM_BLOCK)
        counts = self._drawn(draws)
        rejected = self._rejected(counts)
        if not len(rejected):
            return counts, 0
        parts, redrawn = [], 0
        for start in range(0, len(draws), STREAM_BLOCK):
            some = counts[start : start + STREAM_BLOCK]
            if ((rejected >= start) & (rejected < start + STREAM_BLOCK)).any():
                some, more = self._draw_again(k + start // STREAM_BLOCK, some, first)
                redrawn += more
            parts.append(some)
        return parts[0] if len(parts) == 1 else np.concatenate(parts), redrawn

    def _draw_again(self, k: int, counts: np.ndarray, first: int) -> tuple[np.ndarray, int]:
        """Draw the rejected of some draws again, from the stream of block k, until none is left.

        `counts` are those of the draws of the block from `first` on. What they become hangs on
        the rejected ones of the whole block, which take from the stream in turn.
        """
        rng, size = self._streams.of(k), len(counts)
        n_draws = min(STREAM_BLOCK, self.n_draws - k * STREAM_BLOCK)
        waiting, in_block, redrawn = np.arange(n_draws), 0, 0
        while len(waiting):  # at first all of them: the same again, to go on after it
            rejected = []
            for some in np.split(waiting, range(size, len(waiting), size)):
                drawn = self.resampling.draw(rng, len(some))
                rejected.append(some[self._rejected(drawn)])
                here = (some >= first) & (some < first + size)
                counts = counts.astype(np.result_type(counts, drawn), copy=False)
                counts[some[here] - first] = drawn[here]
            waiting = np.concatenate(rejected)
            in_block += len(waiting)
            redrawn += int(np.count_nonzero((waiting >= first) & (waiting < first + size)))
            if in_block > (limit := self._degenerate.cap * n_draws):
                raise UndefinedIntervalError(
                    f"{n_draws} draws took more than {limit} redraws, because a "
                    "class was missing in-bag or too small out-of-bag. The classes (or groups) "
                    "are too small for a bootstrap."
                )
        return counts, redrawn

    def _rejected(self, counts: np.ndarray) -> np.ndarray:
        """Find the draws in which a stratum has no unit in-bag, or too few out-of-bag."""
        rejected = np.zeros(len(counts), dtype=bool)
        for members in self._strata:
            # A few units nearly always tell; only draws that they leave open need all.
            probed = counts[:, members[:PROBED]] > 0
            unclear = np.flatnonzero(self._lacks(probed))
            if len(unclear) and len(members) > PROBED:
                unclear = unclear[self._lacks(counts[np.ix_(unclear, members)] > 0)]
            rejected[unclear] = True
        if self._spread is not None:
            left = np.flatnonzero(~rejected)
            drawn = counts[left] > 0
            constant = self._spread.is_constant(drawn)
            if self._out_of_bag:
                constant |= self._spread.is_constant(~drawn)
            rejected[left[constant]] = True
        return np.flatnonzero(rejected)

    def _lacks(self, drawn: np.ndarray, least: int | None = None) -> np.ndarray:
        """Mark draws where no unit (column) was drawn or, where it matters, too few left out."""
        lacks = ~drawn.any(axis=1)
        if self._out_of_bag:
            least = self._degenerate.min_out_of_bag if least is None else least
            left_out = drawn.shape[1] - drawn.sum(axis=1) if least > 1 else ~drawn.all(axis=1)
            lacks |= left_out < least
        return np.asarray(lacks)


def _shares_memory() -> bool:
    """Check whether joblib is set to use threads where processes are preferred."""
    backend, _ = get_active_backend(prefer="processes")
    return bool(getattr(backend, "supports_sharedmem", False))


def joined_batches(batches: list[Any]) -> Any:
    """Concatenate the results of `Draws.batches`, into an array or a tuple of arrays."""
    if isinstance(batches[0], tuple):
        return tuple(np.concatenate(parts) for parts in zip(*batches, strict=True))
    return np.concatenate(batches)


def in_threads(
    function: Callable[..., Any], todo: list[tuple[Any, ...]], n_jobs: int
) -> list[Any]:
    """Call a function in threads that have the caller's configuration of scikit-learn.

    scikit-learn's own `Parallel` also sets the filters of warnings in each thread, which are those
    of the process before Python 3.14: what one thread puts back may be what another one set. And
    joblib looks every 10 ms whether threads are done.
    """
    config = get_config()

    def configured(*given: Any) -> Any:
        with config_context(**config):
            return function(*given)

    # One BLAS thread per worker, or the two levels of threads fight for cores.
    with one_blas_thread, ThreadPoolExecutor(n_jobs) as threads:
        tasks = [threads.submit(configured, *each) for each in todo]
        try:
            return [task.result() for task in tasks]
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)  # those that have not begun
            raise


def _members(indicator: np.ndarray | None) -> list[np.ndarray]:
    """List the units of each set, as numbers of few bytes."""
    if indicator is None:
        return []
    dtype = np.min_scalar_type(len(indicator))
    return [np.flatnonzero(column).astype(dtype) for column in indicator.T]


MAX_EXACT_FOLDS = 10
"""92,378 distinct draws of 10 folds, 352,716 of 11: enumeration stops paying there."""


def n_fold_draws(n_folds: int) -> int:
    """Count the distinct draws of `n_folds` folds that leave some fold out."""
    return math.comb(2 * n_folds - 1, n_folds) - 1


@lru_cache(maxsize=MAX_EXACT_FOLDS)
def enumerate_fold_draws(n_folds: int) -> tuple[np.ndarray, np.ndarray]:
    """Enumerate the distinct draws of `n_folds` folds that leave some fold out.

    Returns shape `counts` (n_vectors, n_folds), `multiplicity` (n_vectors,).
    """
    if not 2 <= n_folds <= MAX_EXACT_FOLDS:
        raise ValueError(f"n_folds must be in 2..{MAX_EXACT_FOLDS}, got {n_folds}.")
    # Fold by fold: each vector goes on with 0, 1, ... of what is left; the last takes the rest.
    numbers = range(n_folds + 1)
    binomial = np.array([[math.comb(n, k) for k in numbers] for n in numbers], dtype=np.int64)
    left, multiplicity = np.array([n_folds]), np.ones(1, dtype=np.int64)
    columns: list[np.ndarray] = []
    for _ in range(n_folds - 1):
        parent = np.repeat(np.arange(len(left)), left + 1)
        first = np.cumsum(left + 1) - (left + 1)
        count = np.arange(len(parent)) - first[parent]
        columns = [column[parent] for column in columns] + [count.astype(np.uint8)]
        multiplicity = multiplicity[parent] * binomial[left[parent], count]
        left = left[parent] - count
    counts = np.column_stack([*columns, left.astype(np.uint8)])
    leaves_out = (counts == 0).any(axis=1)
    counts, multiplicity = counts[leaves_out], multiplicity[leaves_out]
    counts.flags.writeable = multiplicity.flags.writeable = False  # shared by all callers
    return counts, multiplicity


@dataclass(frozen=True, eq=False)
class Units:
    """Units of a set of out-of-fold predictions: samples, groups, or blocks of samples.

    `of_sample` (n_samples,) is the unit of each sample, -1 without an out-of-fold prediction.
    """

    kind: str
    of_sample: np.ndarray
    n_units: int

    @classmethod
    def of(cls, oof: OOFPredictions) -> Units:
        """Take what is independent: groups, blocks that follow each other, else samples."""
        if oof.groups is None and oof.block_length is None:
            return cls.samples(oof)
        clusters, tested = oof.clusters, oof.tested
        assert clusters is not None
        of_sample = np.full(oof.n_samples, -1, dtype=np.int64)
        labels, codes = np.unique(clusters[tested], return_inverse=True)
        of_sample[tested] = codes
        return cls("group" if oof.block_length is None else "block", of_sample, len(labels))

    @classmethod
    def samples(cls, oof: OOFPredictions) -> Units:
        """Take each sample that was held out."""
        tested = oof.tested
        n_units = int(np.count_nonzero(tested))
        dtype = np.int32 if oof.n_samples < 2**31 else np.int64
        of_sample = np.arange(oof.n_samples, dtype=dtype)
        if n_units < oof.n_samples:
            of_sample = np.where(tested, np.cumsum(tested, dtype=dtype) - 1, -1)
        return cls("sample", of_sample, n_units)

    @classmethod
    def drawn(cls, oof: OOFPredictions) -> Units:
        """Take what draws count: samples where blocks may begin anywhere, else as `of`."""
        overlap = oof.block_length is not None and oof.block_kind != "consecutive"
        return cls.samples(oof) if overlap else cls.of(oof)

    @property
    def _are_all_samples(self) -> bool:
        """Whether each sample is its own unit, in the order of samples."""
        return self.kind == "sample" and self.n_units == len(self.of_sample)

    def expand(self, counts: np.ndarray) -> np.ndarray:
        """Give each sample the count of its unit.

        `counts` (n_draws, n_units) -> (n_draws, n_samples).
        """
        if self._are_all_samples:
            return counts
        expanded = counts[:, self.of_sample]
        expanded[:, self.of_sample < 0] = 0
        return expanded

    def indicator(self, strata: np.ndarray | None) -> np.ndarray:
        """Mark which unit holds which stratum.

        `strata` (n_strata, n_samples) -> (n_units, max(n_strata, 1)), bool.
        """
        if strata is None:
            return np.ones((self.n_units, 1), dtype=bool)
        if self._are_all_samples:
            return np.ascontiguousarray(strata.T, dtype=bool)
        holds = np.zeros((self.n_units, len(strata)), dtype=bool)
        for k, members in enumerate(strata):
            units = self.of_sample[members]
            holds[units[units >= 0], k] = True
        return holds


def check_possible(
    indicator: np.ndarray,
    labels: list[str],
    kind: str,
    method: str,
    metric: str,
    min_out_of_bag: int = 1,
) -> None:
    """Raise before the first draw when no draw can be scored in-bag and out-of-bag.

    `indicator` (n_units, n_strata).
    """
    for label, size in zip(labels, indicator.sum(axis=0).astype(int), strict=True):
        if size < 1 + min_out_of_bag:
            never = "it can never be in-bag and out-of-bag in the same draw"
            if min_out_of_bag > 1:
                never = f"no draw has one in-bag and {min_out_of_bag} out-of-bag"
            raise UndefinedIntervalError(
                f"{method} cannot bootstrap {metric}: {label} has {size} {kind}"
                f"{'s' if size != 1 else ''}, so {never}. At least {1 + min_out_of_bag} "
                f"{kind}s are needed; with fewer than about 10 the interval is very wide."
            )
