"""Rows of two classes, sorted once by every configuration: the ground of the rank metrics."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

_CHUNK_BYTES = 2**20


class TwoClassRanks:
    """Order of the rows of two classes, for every configuration.

    One class is walked row by row, starting where errors are likely: positives from the
    lowest score or negatives from the highest. Of the other class it matters how many
    rows come before each walked row.

    Parameters
    ----------
    pred : ndarray of shape (n_configs, n_rows)
        Scores; greater means more likely positive.
    positive, negative : ndarray of int
        Disjoint row numbers of the two classes.
    walk : {"shorter", "positive"}, default="shorter"
        Class that is walked.
    fold : ndarray of shape (n_rows,) of int, default=None
        Numbers of the folds, when `pred` has those of each fold above those of the one before.

    Attributes
    ----------
    downwards : bool
        Whether negatives are walked from the highest score down, instead of positives
        from the lowest up.
    walked, other : ndarray of shape (n_walked,) and (n_other,)
        Row numbers of the two classes.
    walked_order, other_order : ndarray of shape (n_configs, n_walked), (n_configs, n_other)
        Row numbers in the order of the walk.
    before, through : ndarray of shape (n_configs, n_walked)
        For each walked row, the number of other rows strictly before it, and of those
        before it or tied with it. One array when no configuration ties the classes.
    group : ndarray of shape (n_configs, n_walked)
        Position of the first walked row that is tied with this one.
    tied : ndarray of shape (n_configs,), bool
        Configurations in which rows of different classes have equal scores.
    folds : list of (slice, slice)
        For each fold that has walked rows, in the order of the walk: where its walked rows and
        its other rows are. Without folds everything is one. Only of walks upwards.
    fold_end : ndarray of shape (n_walked,) or None
        For each place of the walk, the number of other rows up to the end of the fold that is
        walked there. None without folds.
    """

    def __init__(
        self,
        pred: np.ndarray,
        positive: np.ndarray,
        negative: np.ndarray,
        walk: str = "shorter",
        fold: np.ndarray | None = None,
    ) -> None:
        self.downwards = walk == "shorter" and len(negative) < len(positive)
        self.walked, self.other = positive, negative
        if self.downwards:
            self.walked, self.other = negative, positive
        rows = np.concatenate([self.walked, self.other])
        n_configs, n_walked, n_other = len(pred), len(self.walked), len(self.other)
        # The smallest type: these arrays are as large as the predictions.
        row_type = np.min_scalar_type(pred.shape[1])
        rank_type = np.min_scalar_type(len(rows))
        self.walked_order = np.empty((n_configs, n_walked), row_type)
        self.other_order = np.empty((n_configs, n_other), row_type)
        self.before = np.empty((n_configs, n_walked), rank_type)
        self.through = np.empty((n_configs, n_walked), rank_type)
        self.group = np.empty((n_configs, n_walked), rank_type)
        step = max(1, _CHUNK_BYTES // (8 * len(rows) + 1))
        for start in range(0, n_configs, step):
            chunk = slice(start, min(start + step, n_configs))
            order, first, last = _sorted(pred[chunk][:, rows], self.downwards)
            is_walked = order < n_walked
            shape = (len(order), n_walked)
            self.walked_order[chunk] = rows[order[is_walked]].reshape(shape)
            self.other_order[chunk] = rows[order[~is_walked]].reshape(len(order), n_other)
            # How many of the first k rows are walked ones; the rest are others.
            seen = np.zeros((len(order), len(rows) + 1), dtype=np.int32)
            np.cumsum(is_walked, axis=1, out=seen[:, 1:])
            first, last = first[is_walked].reshape(shape), last[is_walked].reshape(shape)
            group = np.take_along_axis(seen, first, axis=1)
            self.group[chunk] = group
            self.before[chunk] = first - group
            self.through[chunk] = last - np.take_along_axis(seen, last, axis=1)
        self.folds = _places(fold, self.walked, self.other)
        self.fold_end = _fold_ends(fold, self.walked, self.other, self.downwards)
        self.tied = (self.before != self.through).any(axis=1)
        if not self.tied.any():
            self.through = self.before

    def key(self, config: int) -> bytes:
        """Equal for configurations that sort the rows in the same way.

        These are monotone transforms of each other, and all constants.
        """
        digest = blake2b(digest_size=16)
        for part in (self.walked_order, self.other_order, self.before, self.through, self.group):
            digest.update(part[config])
        return digest.digest()


def _places(
    fold: np.ndarray | None, walked: np.ndarray, other: np.ndarray
) -> list[tuple[slice, slice]]:
    """Where the rows of each fold are, among the walked rows and among the others."""
    if fold is None:
        return [(slice(0, len(walked)), slice(0, len(other)))]
    n_folds = int(fold.max()) + 1
    stops = [np.cumsum(np.bincount(fold[rows], minlength=n_folds)) for rows in (walked, other)]
    starts = [np.concatenate([[0], stop[:-1]]) for stop in stops]
    found = zip(*(map(slice, *edges) for edges in zip(starts, stops)))
    return [
        (of_walked, of_other) for of_walked, of_other in found if of_walked.stop > of_walked.start
    ]


def _fold_ends(
    fold: np.ndarray | None, walked: np.ndarray, other: np.ndarray, downwards: bool
) -> np.ndarray | None:
    """Number of other rows up to the end of the fold at each place of the walk."""
    if fold is None:
        return None
    n_folds = int(fold.max()) + 1
    n_walked, n_other = (np.bincount(fold[rows], minlength=n_folds) for rows in (walked, other))
    if downwards:
        n_walked, n_other = n_walked[::-1], n_other[::-1]
    return np.repeat(np.cumsum(n_other), n_walked)


def _sorted(scores: np.ndarray, downwards: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sort each row of `scores`; ties keep the order of the columns.

    Returns
    -------
    order : ndarray of shape (n_configs, n)
        Columns in sorted order.
    first, last : ndarray of shape (n_configs, n)
        Where the group of equal scores of each position starts, and where it ends (one
        past its last position).
    """
    order = np.argsort(scores, axis=1)
    ranked = np.take_along_axis(scores, order, axis=1)
    equal = ranked[:, 1:] == ranked[:, :-1]
    has_ties = np.flatnonzero(equal.any(axis=1))
    # The default sort is twice as fast but leaves the order within ties to the processor.
    order[has_ties] = np.argsort(scores[has_ties], axis=1, kind="stable")
    if downwards:
        order, equal = order[:, ::-1], equal[:, ::-1]
    positions = np.arange(scores.shape[1])
    first = np.broadcast_to(positions, scores.shape)
    last = np.broadcast_to(positions + 1, scores.shape)
    if len(has_ties):
        first, last = first.copy(), last.copy()
        starts = np.ones((len(has_ties), scores.shape[1]), dtype=bool)
        starts[:, 1:] = ~equal[has_ties]
        first[has_ties] = np.maximum.accumulate(np.where(starts, positions, 0), axis=1)
        ends = np.ones_like(starts)
        ends[:, :-1] = starts[:, 1:]
        ends_after = np.where(ends, positions + 1, len(positions))[:, ::-1]
        last[has_ties] = np.minimum.accumulate(ends_after, axis=1)[:, ::-1]
    return order, first, last
