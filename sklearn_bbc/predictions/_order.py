"""The order of samples, and the blocks in which samples that follow each other are drawn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from .._text import count
from .._utils import got, is_integer
from ..exceptions import UndefinedIntervalError

BLOCK_KINDS = ("circular", "moving", "stationary", "consecutive")
"""How blocks are drawn, the default first."""

FEW_BLOCKS = 20
"""Fewer blocks than these give intervals that are too narrow, so there is a warning."""


def time_order(order: Any, panel: np.ndarray | None, n_samples: int) -> np.ndarray:
    """Find the positions of the samples in the order of their times, (n_samples,).

    None is the order of the rows. Times may be numbers or dates; samples of different panels
    may share a time, samples of one panel may not.
    """
    if order is None:
        return np.arange(n_samples)
    times = np.asarray(order)
    if times.shape != (n_samples,):
        raise ValueError(
            f"order must hold one time per sample, shape ({n_samples},), got {got(order)}."
        )
    if times.dtype.kind in "OUST":
        times = _comparable(times)
    if times.dtype.kind not in "biufmM":
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
            f"order has {count(int(missing.sum()), 'missing time')}, the first in row "
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
            f"order has {count(int(tied.sum()), 'tie')}: rows {before[first]} and {after[first]} "
            f"have the same time {times[before[first]]}, so which of them is first is not known. "
            "Several series side by side are panels: give the series of each sample as groups. "
            "Otherwise leave order=None with the rows sorted, or make the times unique."
        )
    return ordered


def _comparable(times: np.ndarray) -> np.ndarray:
    """Convert Python objects or text to dates or numbers; raise where that is impossible."""
    for dtype in (float, "datetime64[ns]"):
        try:
            return times.astype(dtype)
        except (TypeError, ValueError):
            continue
    raise ValueError(
        "order must hold numbers or dates that can be sorted, got values that are neither, "
        f"such as {times.tolist()[0]!r}. Convert dates that are text by pd.to_datetime."
    )


def check_rows_in_order(
    orders: Iterable[tuple[str, pd.Index]], panel: np.ndarray | None, hint: str
) -> None:
    """Raise where an index of times shows that rows are not in their order; `hint` what to do."""
    for name, index in orders:
        if not isinstance(index, (pd.DatetimeIndex, pd.PeriodIndex, pd.TimedeltaIndex)):
            continue
        codes = np.zeros(len(index)) if panel is None else np.unique(panel, return_inverse=True)[1]
        ordered = np.argsort(codes, kind="stable")  # within a panel in the order of the rows
        times = index.asi8[ordered]
        back = (np.diff(times) < 0) & (np.diff(codes[ordered]) == 0)
        if back.any():
            later, earlier = ordered[back.argmax() + 1], ordered[back.argmax()]
            raise ValueError(
                f"{name} has times as its index, but rows are not in their order: "
                f"{index[later]} in row {later} comes after {index[earlier]} in row {earlier}. "
                f"{hint}"
            )


def check_block_length(length: Any) -> None:
    """Raise unless a block length is one that exists."""
    if length is None or (isinstance(length, str) and length == "auto"):
        return
    if not is_integer(length, 1):
        raise ValueError(
            'block_length must be a number of samples, at least 1, "auto", which chooses it by '
            f"the autocorrelation, or None for samples that are independent, got {length!r}."
        )


def series_in_order(
    order: np.ndarray | None, panel: np.ndarray | None, members: np.ndarray
) -> list[np.ndarray]:
    """List the samples among `members` (n_samples,), bool, of each panel in their order.

    `order` (n_samples,) are their places, None for that of the rows; `panel` (n_samples,) labels.
    """
    place = np.arange(len(members)) if order is None else order
    ordered = np.argsort(place, kind="stable")
    ordered = ordered[members[ordered]]
    if panel is None:
        return [ordered]
    codes = np.unique(panel, return_inverse=True)[1][ordered]
    return [ordered[codes == k] for k in np.unique(codes)]


def consecutive_blocks(series: list[np.ndarray], length: int, n_samples: int) -> np.ndarray:
    """Cut each series into blocks of about equal length, not shorter than `length`.

    Returns the block of each sample, (n_samples,), -1 for samples of no series.
    """
    labels, n_before = np.full(n_samples, -1), 0
    for members in series:
        n_blocks = max(1, len(members) // length)
        labels[members] = n_before + np.arange(len(members)) * n_blocks // len(members)
        n_before += n_blocks
    return labels


def check_fits(length: int, sizes: list[int]) -> None:
    """Raise where blocks are longer than half of the samples of the smallest series."""
    if length > 1 and 2 * length > min(sizes):
        where = "samples" if len(sizes) == 1 else "samples of the shortest panel"
        raise UndefinedIntervalError(
            f"block_length={length} is more than half of the {min(sizes)} {where}: a draw would "
            f"be one or two blocks, which say nothing of the spread. Use at most "
            f"{min(sizes) // 2}; {FEW_BLOCKS} blocks or more, so lengths up to "
            f"{max(1, sum(sizes) // FEW_BLOCKS)}, are better."
        )
