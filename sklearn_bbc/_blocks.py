"""Bootstrap draws of blocks of samples that follow each other, for ordered data."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .resampling import Resampling, smallest

_ENTRIES_AT_ONCE = 2**20  # entries of an array that is held at once


class Blocks(Resampling):
    """Draw blocks of samples that follow each other, as many as make up the sample.

    The last block is cut, so every draw has as many samples as there are. ``"circular"`` blocks
    begin anywhere, and go on at the first sample after the last one [1]_; ``"moving"`` blocks
    end with the last sample [2]_, so that samples at both ends are drawn less often;
    ``"stationary"`` blocks are circular and of random, geometric length with the mean `length`
    [3]_.

    Parameters
    ----------
    length : int
        Samples per block.
    series : list of ndarray of shape (n_members,)
        Units of each series in their order: blocks are drawn within a series, which keeps its
        size.
    kind : {"circular", "moving", "stationary"}, default="circular"
        How blocks are drawn.

    References
    ----------
    .. [1] D. N. Politis, J. P. Romano, "A circular block-resampling procedure for stationary
       data", in "Exploring the limits of bootstrap", 263-270, Wiley (1992).
    .. [2] H. R. Künsch, "The jackknife and the bootstrap for general stationary observations",
       Annals of Statistics 17, 1217-1241 (1989). :doi:`10.1214/aos/1176347265`
    .. [3] D. N. Politis, J. P. Romano, "The stationary bootstrap", Journal of the American
       Statistical Association 89, 1303-1313 (1994). :doi:`10.1080/01621459.1994.10476870`
    """

    def __init__(self, length: int, series: list[np.ndarray], kind: str = "circular") -> None:
        self.n_units, self.length, self.kind = sum(map(len, series)), length, kind
        self._series = series
        self.n_blocks = sum(-(-len(members) // length) for members in series)

    def draw(self, rng: np.random.Generator, n_draws: int) -> np.ndarray:
        """Draw counts of shape (n_draws, n_units)."""
        count = _stationary_counts if self.kind == "stationary" else self._counts
        counts = np.zeros((n_draws, self.n_units), dtype=np.int32)
        for members in self._series:
            size = len(members)
            step = max(1, _ENTRIES_AT_ONCE // size)
            for start in range(0, n_draws, step):
                rows = slice(start, min(start + step, n_draws))
                counts[rows, members] = count(rng, rows.stop - start, size, self.length)
        return smallest(counts)

    def _counts(
        self, rng: np.random.Generator, n_draws: int, size: int, length: int
    ) -> np.ndarray:
        """Count how often blocks of one length hold each sample, (n_draws, size)."""
        n_blocks = -(-size // length)
        n_starts = size if self.kind == "circular" else size - length + 1
        start = (rng.random((n_draws, n_blocks)) * n_starts).astype(np.intp)
        end = start + length
        end[:, -1] -= n_blocks * length - size
        # A block adds 1 from its start up to its end: sums of these steps are the counts.
        row = np.arange(n_draws)[:, None] * (2 * size + 1)
        cells = n_draws * (2 * size + 1)
        steps = np.bincount((start + row).ravel(), minlength=cells)
        steps -= np.bincount((end + row).ravel(), minlength=cells)
        held = steps.reshape(n_draws, -1).cumsum(axis=1)[:, :-1]
        return np.asarray(held[:, :size] + held[:, size:])


def _stationary_counts(
    rng: np.random.Generator, n_draws: int, size: int, length: int
) -> np.ndarray:
    """Count how often blocks of geometric length hold each sample, (n_draws, size)."""
    ends, places = rng.random((n_draws, 2, size)).transpose(1, 0, 2)
    begins = ends * length < 1
    begins[:, 0] = True
    step = np.arange(size)
    latest = np.maximum.accumulate(np.where(begins, step, 0), axis=1)
    start = np.take_along_axis((places * size).astype(np.intp), latest, axis=1)
    held = (start + step - latest) % size
    held += np.arange(n_draws)[:, None] * size
    return np.bincount(held.ravel(), minlength=n_draws * size).reshape(n_draws, size)


def best_block_length(series: Sequence[np.ndarray], kind: str = "circular") -> float:
    """Estimate the block length with the smallest error of the variance of a mean.

    `series` are values (n_values,) in their order; autocovariances of several series are pooled.
    The rule of Politis and White [1]_, with the correction of Patton, Politis and White [2]_: a
    flat-top window over the autocovariances up to twice the first lag from which on
    ``max(5, sqrt(log10(n)))`` autocorrelations in a row are within ``2 sqrt(log10(n) / n)``. At
    least 1, at most ``min(3 sqrt(n), n / 3)``, rounded up; 1 where all values are equal.
    ``"moving"`` blocks have the length of circular ones.

    The window is that of the Python package arch, one lag longer than after the last lag outside,
    so blocks are rather too long than too short. Autocorrelations are divided by the variance, as
    in [1]_; arch divides by that of the samples which a lag leaves, so it can differ where a
    correlation is near the limit.

    References
    ----------
    .. [1] D. N. Politis, H. White, "Automatic block-length selection for the dependent
       bootstrap", Econometric Reviews 23, 53-70 (2004). :doi:`10.1081/ETC-120028836`
    .. [2] A. Patton, D. N. Politis, H. White, "Correction to 'Automatic block-length selection
       for the dependent bootstrap'", Econometric Reviews 28, 372-375 (2009).
       :doi:`10.1080/07474930802459016`
    """
    n, longest = sum(map(len, series)), max(map(len, series))
    centred = [np.asarray(values, dtype=np.float64) - np.mean(values) for values in series]
    # Relative to the largest, so that squares of tiny or huge values neither vanish nor overflow.
    largest = max(np.abs(values).max(initial=0) for values in centred)
    size = max(np.abs(values).max(initial=0) for values in series)
    if longest < 4 or not largest > 1e-12 * size:
        return 1.0
    centred = [values / largest for values in centred]
    in_a_row = max(5, math.ceil(math.sqrt(math.log10(n))))
    last = min(math.ceil(math.sqrt(n)) + in_a_row, longest - 2)
    covariance = np.array(
        [
            sum(each[k:] @ each[: max(len(each) - k, 0)] for each in centred)
            for k in range(last + 1)
        ]
    )
    covariance /= n
    small = np.abs(covariance) < 2 * math.sqrt(math.log10(n) / n) * covariance[0]
    n_lags = last
    for k in range(1, last - in_a_row + 1):
        if small[k : k + in_a_row].all():
            n_lags = min(2 * k, last)
            break
    lags = np.arange(1, n_lags + 1)
    weighted = 2 * np.minimum(1.0, 2 * (1 - lags / n_lags)) * covariance[1 : n_lags + 1]
    slope, variance = float(weighted @ lags), float(covariance[0] + weighted.sum())
    most = math.ceil(min(3 * math.sqrt(n), n / 3))
    if variance == 0:
        return float(most)
    constant = 2.0 if kind == "stationary" else 4 / 3
    length = (2 * slope**2 / (constant * variance**2) * n) ** (1 / 3)
    return float(min(max(length, 1.0), most))
