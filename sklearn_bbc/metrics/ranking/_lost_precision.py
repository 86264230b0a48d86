"""What average precision loses on the way up through the sorted rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ... import _native
from ._losses import Lanes, RunningSums, Walk, last_sum, or_one, picked, running_along
from ._order import TwoClassRanks


class LostPrecision(Walk):
    """Loss of average precision: at each positive, the share of negatives at least as high.

    Positives with equal scores are treated as one, with their total weight, so that the
    order within ties does not touch even the last bit. Where folds are kept apart, only
    negatives of the same fold are asked for, and the sum goes on from fold to fold.
    """

    along = "positive"
    prepare = staticmethod(_native.average_precision)

    def __init__(self, ranks: TwoClassRanks, lanes: Lanes) -> None:
        super().__init__(ranks, lanes)
        self._found = RunningSums(lanes, "walked")

    def losses(self, config, hopeless=None):
        """Sum over positives of one minus precision, and their weight."""
        ranks = self.ranks
        group = ranks.group[config]
        # Where groups of equal positives start.
        starts = np.flatnonzero(group == np.arange(len(group)))
        size = or_one(self._total_walked if self.lanes.exact else self._size_from_the_top(config))
        lost, last = np.zeros(len(size)), len(ranks.folds) - 1
        for number, (walked, other) in enumerate(ranks.folds):
            first, end = np.searchsorted(starts, [walked.start, walked.stop])
            # The end of the last group closes the list.
            edges = np.append(starts[first:end] - walked.start, walked.stop - walked.start)
            for stop, terms in self._terms(config, walked, other, edges):
                terms[0] += lost
                np.add.reduce(terms, axis=0, out=lost)
                is_last = number == last and stop == len(edges) - 1
                if hopeless is not None and not is_last and hopeless(lost, size):
                    return None
        return lost, size

    def _terms(
        self, config: int, walked: slice, other: slice, edges: np.ndarray
    ) -> Iterator[tuple[int, np.ndarray]]:
        """What is lost at the groups of one fold, chunk by chunk, and where each chunk ends."""
        ranks, exact = self.ranks, self.lanes.exact
        order, positives = ranks.other_order[config][other], ranks.walked_order[config][walked]
        before = ranks.before[config][walked].astype(np.intp) - other.start
        sums, found = self._running.start(len(order)), self._found.start(len(positives))
        if exact:
            all_other, all_walked = self._total_other, self._total_walked
            if len(ranks.folds) > 1:
                all_other, all_walked = (self.lanes.total(rows) for rows in (order, positives))
        else:
            # From the top: a difference of two sums could be nothing but rounding error.
            self._running.reach(order[::-1], len(order))
            self._found.reach(positives[::-1], len(positives))
        start = 0
        for stop in self._stops:
            stop = min(stop, len(edges) - 1)
            if stop <= start:
                continue
            here, ends = edges[start:stop], edges[start + 1 : stop + 1]
            if exact:
                self._running.reach(order, int(before[here[-1]]))
                self._found.reach(positives, int(ends[-1]))
                false = all_other - sums[before[here]]
                true, weight = all_walked - found[here], found[ends] - found[here]
            else:
                false = sums[len(order) - before[here]]
                true = found[len(positives) - here]
                weight = true - found[len(positives) - ends]
            yield stop, _share(false, true) * weight
            start = stop

    def _size_from_the_top(self, config: int) -> np.ndarray:
        """Weight of the positives, with the rounding of the sums of `_terms`."""
        size = np.zeros(self.lanes.rows.shape[1])
        for walked, _ in self.ranks.folds:
            found = self._found.start(walked.stop - walked.start)
            positives = self.ranks.walked_order[config][walked]
            self._found.reach(positives[::-1], len(positives))
            size += found[len(positives)]
        return size

    @staticmethod
    def size(positive, negative):
        """Weight of the positives."""
        return positive

    @staticmethod
    def paired(ranks, weights, draws, configs, dtype):
        """Sum over positives of one minus precision, and their weight."""
        terms = np.empty((len(draws), len(ranks.walked)))
        size = np.zeros(len(draws))
        pairs = np.arange(len(draws))
        for here, there in ranks.folds:
            order = ranks.other_order[configs][:, there]
            walked = ranks.walked_order[configs][:, here]
            sums = running_along(picked(weights, draws, order[:, ::-1]), dtype)
            found = running_along(picked(weights, draws, walked[:, ::-1]), dtype)
            n_walked = walked.shape[1]
            position = np.arange(n_walked)
            is_start = ranks.group[configs][:, here] == position + here.start
            # Where the next group starts.
            ends = np.full(is_start.shape, n_walked)
            ends[:, :-1] = np.where(is_start[:, 1:], position[1:], n_walked)
            ends = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
            before = ranks.before[configs][:, here].astype(np.intp) - there.start
            false = picked(sums, pairs, order.shape[1] - before)
            true = found[:, :0:-1]  # this positive and all above
            weight = np.where(is_start, true - picked(found, pairs, n_walked - ends), 0)
            terms[:, here] = _share(false, true) * weight
            size += found[:, -1]
        return last_sum(terms), or_one(size)


def _share(false: np.ndarray, true: np.ndarray) -> np.ndarray:
    """``false / (false + true)``, and 0 where both are 0."""
    together = false + true
    smallest = 1 if together.dtype.kind == "i" else np.finfo(together.dtype).tiny
    return false / np.maximum(together, smallest, out=together)
