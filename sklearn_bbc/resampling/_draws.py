"""Run a function over all draws: seeds, redraws, batches and threads in one place."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import joblib
import numpy as np
from joblib import effective_n_jobs
from joblib.parallel import get_active_backend
from sklearn import config_context, get_config
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from .._floats import quiet
from .._warn import no_warnings
from ..exceptions import SelectionError, UndefinedIntervalError
from ._base import Resampling
from ._chance import chance_of_all
from ._degenerate import DegenerateDraws, Redraw
from ._plans import IID
from ._spread import Spread
from ._streams import BLOCK, Streams

PROBED = 16
"""Units per stratum that are looked at first when draws are checked."""


SCRATCH = 2**27
"""Bytes that draws and their scores take meanwhile, at most: more makes nothing faster."""


class Draws:
    """The draws of one run.

    Block k of 64 draws uses its own child of the seed, so the results are the same for
    any number of threads and any batch size.

    Parameters
    ----------
    resampling : Resampling
        How units are drawn.
    n_draws : int
        Number of draws.
    entropy : int
        Seed of the run.
    indicator : ndarray of shape (n_units, n_strata) or None, default=None
        A draw is degenerate unless each stratum has a unit in-bag and one out-of-bag.
        None accepts every draw.
    expand : callable or None, default=None
        Turns counts per unit into counts per sample.
    bytes_per_draw : int, default=0
        Memory that the function needs for a draw; batches stay within scikit-learn's
        ``working_memory``, and within `SCRATCH`.
    n_jobs : int or None, default=None
        Number of workers, with joblib's meaning.
    out_of_bag : bool, default=True
        Whether the strata are needed out-of-bag too, or only in-bag.
    prefer : {"threads", "processes"}, default="threads"
        What the workers are. Processes pay where Python code does the scoring; its warnings
        were shown when the metric was bound, and are not in the draws.
    key : int, default=0
        Runs with different keys have independent streams under one seed.
    degenerate : DegenerateDraws or None, default=None
        What happens to degenerate draws; None draws them again.
    spread : Spread or None, default=None
        A target that must not be constant in-bag, nor out-of-bag; draws are degenerate
        otherwise.
    may_lack : ndarray of shape (n_units, n_sets) or None, default=None
        Further sets of units, of which draws without any are kept, but counted.

    Attributes
    ----------
    n_redrawn, n_dropped : int
        Degenerate draws of the last run of `map` that were drawn again and left out.
    n_lacking : int
        Draws of that run that lack one of the sets of `may_lack` in-bag or out-of-bag.
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
        degenerate: DegenerateDraws | None = None,
        spread: Spread | None = None,
        may_lack: np.ndarray | None = None,
    ) -> None:
        self.resampling = resampling
        self.n_draws = n_draws
        self.entropy = entropy
        self.n_redrawn = self.n_dropped = self.n_lacking = 0
        self._degenerate = Redraw() if degenerate is None else degenerate
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
        """Apply `function` to the counts of all draws.

        Parameters
        ----------
        function : callable
            Takes counts ``(n, n_samples)`` of the next draws, returns an array with n
            rows or a tuple of such arrays. Called in batches, possibly by several workers.

        Returns
        -------
        ndarray or tuple of ndarray
            The results of all draws, in order; a policy may have left some out.

        Raises
        ------
        UndefinedIntervalError
            If hardly any draw can be scored, or fewer than the policy asks for.
        """
        return joined(self.batches(function))

    def batches(self, function: Callable[..., Any], earlier: list[Any] | None = None) -> list[Any]:
        """Do as `map`, but give the results batch by batch, to be continued in another run.

        Parameters
        ----------
        function : callable
            As for `map`. With `earlier` it takes the result of its batch as second argument.
        earlier : list, default=None
            What this method returned before; the draws are the same each time.

        Returns
        -------
        list
            The result of each batch; None for one of which a policy left nothing.
        """
        self._check_likely()
        n_jobs = self._n_workers()
        batches = list(self._batches(n_jobs))
        before = [()] * len(batches) if earlier is None else [(each,) for each in earlier]

        def run(blocks: range, before: tuple[Any, ...]) -> tuple[Any, int, int, int]:
            counts, redrawn = self._counts(blocks)
            lacking = self._count_lacking(counts)
            if self._expand is not None:
                counts = self._expand(counts)
            try:
                with quiet():
                    done = function(counts, *before) if len(counts) else None
            except SelectionError as error:
                if error.draw is not None:  # counted from the first of these blocks
                    error.draw += blocks.start * BLOCK
                raise
            return done, redrawn, len(counts), lacking

        todo = list(zip(batches, before))
        # Around all workers: of threads each would undo what another one does to the filters.
        with no_warnings() if self._prefer == "processes" else nullcontext():
            if n_jobs == 1 or len(batches) == 1:
                done = [run(*each) for each in todo]
            elif self._in_processes():
                done = Parallel(n_jobs=n_jobs, prefer="processes")(
                    delayed(run)(*each) for each in todo
                )
            else:
                done = _in_threads(run, todo, n_jobs)
        self.n_redrawn = sum(redrawn for _, redrawn, _, _ in done)
        self.n_dropped = self.n_draws - sum(kept for _, _, kept, _ in done)
        self.n_lacking = sum(lacking for _, _, _, lacking in done)
        self._degenerate.check(self.n_dropped, self.n_draws)
        return [result for result, *_ in done]

    def _in_processes(self) -> bool:
        """Whether the workers are processes, which joblib's configuration may overrule."""
        backend, _ = get_active_backend(prefer=self._prefer)
        return self._prefer == "processes" and not getattr(backend, "supports_sharedmem", False)

    def _check_likely(self) -> None:
        """Raise before the first draw when nearly all would have to be drawn again."""
        if isinstance(self.resampling, IID) and len(self._strata) > 1:
            chance = chance_of_all(
                self._strata,
                self.resampling.n_units,
                out_of_bag=self._out_of_bag,
                min_out_of_bag=self._degenerate.min_out_of_bag,
            )
            self._degenerate.check_likely(chance, len(self._strata), self._out_of_bag)

    def _count_lacking(self, counts: np.ndarray) -> int:
        """Draws without a unit of some set that they may lack."""
        complete = np.arange(len(counts))
        for members in self._may_lack:
            complete = complete[~self._lacks(counts[np.ix_(complete, members)] > 0, 1)]
        return len(counts) - len(complete)

    def _n_workers(self) -> int:
        """No more workers than the working memory has room for a block each."""
        room = get_config()["working_memory"] * 2**20 // (BLOCK * self._bytes_per_draw)
        return min(effective_n_jobs(self._n_jobs), max(1, int(room)))

    def _batches(self, n_jobs: int) -> Iterator[range]:
        n_blocks = -(-self.n_draws // BLOCK)
        memory = min(get_config()["working_memory"] * 2**20, SCRATCH) / n_jobs
        size = max(1, int(memory // (BLOCK * self._bytes_per_draw)))
        size = min(size, math.ceil(n_blocks / n_jobs))
        for start in range(0, n_blocks, size):
            yield range(start, min(start + size, n_blocks))

    def _counts(self, blocks: range) -> tuple[np.ndarray, int]:
        """Counts of some blocks, all of them acceptable, and the redraws that it took."""
        n_draws = min(blocks.stop * BLOCK, self.n_draws) - blocks.start * BLOCK
        counts = self.resampling.draw_blocks(self._streams, blocks, n_draws)
        rejected = self._rejected(counts)
        if not len(rejected):
            return counts, 0
        parts, redrawn = [], 0
        for position in range(len(blocks)):
            block = counts[position * BLOCK : (position + 1) * BLOCK]
            of_block = rejected[rejected // BLOCK == position] - position * BLOCK
            if len(of_block):
                block, more = self._settled(block, of_block, blocks[position])
                redrawn += more
            parts.append(block)
        return np.concatenate(parts), redrawn

    def _settled(
        self, counts: np.ndarray, rejected: np.ndarray, block: int
    ) -> tuple[np.ndarray, int]:
        """One block as the policy wants it, and the redraws that it took."""

        def draw_again(cap: int) -> tuple[np.ndarray, int]:
            stream = self._streams.of(block)
            again = self.resampling.draw(stream, len(counts))  # the same, to go on after it
            return self._redrawn(again, rejected, stream, cap)

        return self._degenerate.settle(counts, rejected, draw_again)

    def _redrawn(
        self, counts: np.ndarray, rejected: np.ndarray, rng: np.random.Generator, cap: int
    ) -> tuple[np.ndarray, int]:
        """A block whose rejected draws were drawn again from its own stream until none is left."""
        redrawn = 0
        while len(rejected):
            redrawn += len(rejected)
            if redrawn > cap * len(counts):
                raise UndefinedIntervalError(
                    f"{len(counts)} draws took more than {cap * len(counts)} redraws, because a "
                    "class was missing in-bag or too small out-of-bag. The classes (or groups) "
                    "are too small for a bootstrap."
                )
            again = self.resampling.draw(rng, len(rejected))
            counts = counts.astype(np.result_type(counts, again), copy=False)
            counts[rejected] = again
            rejected = self._rejected(counts)
        return counts, redrawn

    def _rejected(self, counts: np.ndarray) -> np.ndarray:
        """Draws in which a stratum has no unit in-bag, or too few out-of-bag."""
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
        """Whether no unit (column) was drawn, or where it matters, too few were left out."""
        lacks = np.logical_not(drawn.any(axis=1))
        if not self._out_of_bag:
            return lacks
        least = self._degenerate.min_out_of_bag if least is None else least
        if least == 1:
            return np.logical_or(lacks, drawn.all(axis=1))
        return np.logical_or(lacks, drawn.shape[1] - drawn.sum(axis=1) < least)


def joined(batches: list[Any]) -> Any:
    """Results of `Draws.batches` behind each other: an array or a tuple of arrays."""
    results = [result for result in batches if result is not None]
    if isinstance(results[0], tuple):
        return tuple(np.concatenate(parts) for parts in zip(*results, strict=True))
    return np.concatenate(results)


def _in_threads(
    function: Callable[..., Any], todo: list[tuple[Any, ...]], n_jobs: int
) -> list[Any]:
    """Call a function in threads that have the caller's configuration of scikit-learn.

    scikit-learn's own `Parallel` also sets the filters of warnings in each thread, which are those
    of the process before Python 3.14: what one thread puts back may be what another one set.
    """
    config = get_config()

    def configured(*given: Any) -> Any:
        with config_context(**config):
            return function(*given)

    # One BLAS thread per worker, or the two levels of threads fight for cores.
    with threadpool_limits(1, user_api="blas"):
        parallel = joblib.Parallel(n_jobs=n_jobs, require="sharedmem")
        return list(parallel(joblib.delayed(configured)(*each) for each in todo))


def _members(indicator: np.ndarray | None) -> list[np.ndarray]:
    """Units of each set."""
    return [] if indicator is None else [np.flatnonzero(column) for column in indicator.T]
