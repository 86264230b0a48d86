"""Bootstrap draws of blocks of samples that follow each other, for ordered data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._utils import is_integer
from .exceptions import UndefinedIntervalError
from .resampling import Resampling, smallest

KINDS = ("circular", "moving", "stationary")
"""How blocks are drawn, the default first."""

FEW_BLOCKS = 20
"""Fewer blocks than these give intervals that are too narrow, so there is a warning."""

_NUMBERS = 2**20  # entries of an array that is held at once


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
    order : ndarray of shape (n_units,)
        Positions of the units in their order.
    panel : ndarray of shape (n_units,), default=None
        Panel of each unit: blocks are drawn within each panel, which keeps its size. None is
        a single one.
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

    def __init__(
        self,
        length: int,
        order: np.ndarray,
        panel: np.ndarray | None = None,
        kind: str = "circular",
    ) -> None:
        self.n_units, self.length, self.kind = len(order), length, kind
        self._members = panels_in_order(order, panel)
        self.n_blocks = sum(-(-len(members) // length) for members in self._members)

    def draw(self, rng: np.random.Generator, n_draws: int) -> np.ndarray:
        """Draw counts of shape (n_draws, n_units)."""
        count = _stationary_counts if self.kind == "stationary" else self._counts
        counts = np.zeros((n_draws, self.n_units), dtype=np.int32)
        for members in self._members:
            size = len(members)
            step = max(1, _NUMBERS // size)
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


def panels_in_order(order: np.ndarray, panel: np.ndarray | None) -> list[np.ndarray]:
    """List the units of each panel, in their order."""
    if panel is None:
        return [order]
    codes = np.unique(panel, return_inverse=True)[1][order]
    return [order[codes == k] for k in range(codes.max() + 1)]


def order_of(order: Any, panel: np.ndarray | None, n_samples: int) -> np.ndarray:
    """Find the positions of the samples in the order of their times, (n_samples,).

    None is the order of the rows. Times may be numbers or dates; samples of different panels
    may share a time, samples of one panel may not.
    """
    if order is None:
        return np.arange(n_samples)
    times = np.asarray(order)
    if times.shape != (n_samples,):
        raise ValueError(
            f"order must hold one time per sample, shape ({n_samples},), got shape {times.shape}."
        )
    if times.dtype.kind == "O":
        times = _comparable(times)
    if times.dtype.kind not in "biufmMU":
        raise ValueError(
            f"order must hold numbers or dates that can be sorted, got {times.dtype}. For "
            "pandas, convert by pd.to_datetime."
        )
    missing = (
        np.isnat(times) if times.dtype.kind in "mM"
        else np.isnan(times) if times.dtype.kind == "f"
        else np.zeros(n_samples, dtype=bool)
    )  # fmt: skip
    if missing.any():
        raise ValueError(
            f"order has {missing.sum()} missing times, the first in row "
            f"{int(missing.argmax())}. Give every sample a time, or leave out the samples "
            "without one."
        )
    codes = np.zeros(n_samples, dtype=np.intp)
    if panel is not None:
        codes = np.unique(panel, return_inverse=True)[1]
    ordered = np.lexsort((times, codes))
    before, after = ordered[:-1], ordered[1:]
    tied = (times[before] == times[after]) & (codes[before] == codes[after])
    if tied.any():
        first = int(tied.argmax())
        raise ValueError(
            f"order has {tied.sum()} ties: rows {before[first]} and {after[first]} have the same "
            f"time {times[before[first]]}, so which of them is first is not known. Several series "
            "side by side are panels: give the series of each sample as groups. Otherwise "
            "leave order=None with the rows sorted, or make the times unique."
        )
    return ordered


def _comparable(times: np.ndarray) -> np.ndarray:
    """Convert Python objects to dates or numbers; raise where that is impossible."""
    for dtype in ("datetime64[ns]", float):
        try:
            return times.astype(dtype)
        except (TypeError, ValueError):
            continue
    raise ValueError(
        "order must hold numbers or dates that can be sorted, got objects that are neither, "
        f"such as {times[0]!r}."
    )


def check_block_length(length: Any, kind: Any = "circular") -> None:
    """Raise unless a block length and the kind of the blocks are ones that exist."""
    if kind not in KINDS:
        raise ValueError(f"blocks must be one of {list(KINDS)}, got {kind!r}.")
    if isinstance(length, str) and length == "auto":
        return
    if not is_integer(length, 1):
        raise ValueError(
            'block_length must be a number of samples, at least 1, or "auto", which chooses it '
            f"by the autocorrelation, got {length!r}."
        )


def check_fits(length: int, sizes: list[int]) -> None:
    """Raise where blocks are longer than half of the samples of the smallest series."""
    if 2 * length > min(sizes):
        where = "samples" if len(sizes) == 1 else "samples of the shortest panel"
        raise UndefinedIntervalError(
            f"block_length={length} is more than half of the {min(sizes)} {where}: a draw would "
            f"be one or two blocks, which say nothing of the spread. Use at most "
            f"{min(sizes) // 2}; {FEW_BLOCKS} blocks or more, so lengths up to "
            f"{max(1, sum(sizes) // FEW_BLOCKS)}, are better."
        )


def best_block_length(values: np.ndarray, kind: str = "circular") -> float:
    """Estimate the block length with the smallest error of the variance of a mean.

    `values` (n_values,) in their order. The rule of Politis and White [1]_, with the correction
    of Patton, Politis and White [2]_: a flat-top window over the autocovariances up to twice the
    first lag from which on ``max(5, sqrt(log10(n)))`` autocorrelations in a row are within
    ``2 sqrt(log10(n) / n)``. At least 1, at most ``min(3 sqrt(n), n / 3)``, rounded up; 1 where
    all values are equal. ``"moving"`` blocks have the length of circular ones.

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
    n = len(values)
    centred = np.asarray(values, dtype=np.float64) - np.mean(values)
    # Relative to the largest, so that squares of tiny or huge values neither vanish nor overflow.
    largest = np.abs(centred).max(initial=0)
    if n < 4 or not largest > 1e-12 * np.abs(values).max():
        return 1.0
    centred = centred / largest
    in_a_row = max(5, math.ceil(math.sqrt(math.log10(n))))
    last = min(math.ceil(math.sqrt(n)) + in_a_row, n - 2)
    covariance = np.array([centred[k:] @ centred[: n - k] for k in range(last + 1)]) / n
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
