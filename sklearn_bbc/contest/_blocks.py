"""Draws of samples that depend on their neighbours: plans, the length of blocks, notes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._blocks import Blocks, best_block_length
from .._notes import warned
from .._text import count, metric_words, shown
from .._warnings import warn_user
from ..exceptions import IntervalWarning
from ..metrics._metric import BoundMetric
from ..predictions._order import FEW_BLOCKS, check_fits, consecutive_blocks
from ..predictions._predictions import OOFPredictions, with_fields
from ..resampling import IID, Resampling, Units
from ._unit_values import influence_of_units, unit_values

CHANGED = 3.5
"""Standard errors between the scores of both halves from which on they are noted."""
FEW_TO_COMPARE = 8
"""Fewer blocks of a half do not show how much halves differ by chance."""


def plan_of(oof: OOFPredictions, units: Units) -> Resampling:
    """Choose how the `units` of draws, see `Units.drawn`, are drawn."""
    if oof.block_length is None or units.kind == "block":
        return IID(units.n_units)
    assert isinstance(oof.block_length, int)
    series = [units.of_sample[members] for members in oof.series()]
    return Blocks(oof.block_length, series, oof.block_kind)


def with_block_length(kernel: BoundMetric) -> BoundMetric:
    """Choose the length of the blocks where it is "auto", by the score of the winner."""
    oof = kernel.oof

    def of_winner() -> np.ndarray:
        config = oof.selected
        if config is None or not kernel.valid[config]:
            config = max(0, int(kernel.first_best(kernel.on_data()[None])[0]))
        return contributions(kernel, config)

    return kernel.with_predictions(with_block_length_by(oof, of_winner))


def with_block_length_by(
    oof: OOFPredictions, contributions: Callable[[], np.ndarray]
) -> OOFPredictions:
    """Choose the length of blocks by what samples contribute to a score, (n_tested,)."""
    if isinstance(oof.block_length, int):
        check_fits(oof.block_length, [len(members) for members in oof.series()])
    if oof.block_length != "auto":
        return oof
    series, values = oof.series(), np.zeros(oof.n_samples)
    values[oof.tested] = contributions()
    best = best_block_length([values[members] for members in series], oof.block_kind)
    longest = max(1, min(len(members) for members in series) // 2)
    length = min(int(np.ceil(best - 1e-9)), longest)
    return with_fields(oof, block_length=length, length_was_chosen=True)


def contributions(kernel: BoundMetric, config: int) -> np.ndarray:
    """Compute what each sample contributes to the score of a configuration, (n_tested,)."""
    oof = kernel.oof
    units = Units.samples(oof)
    if kernel.is_pointwise:
        rows = kernel.pointwise(np.array([config]))
        assert rows is not None
        return unit_values(oof, units, rows)[1][0]
    return influence_of_units(
        units, lambda counts: kernel.score_of(counts, np.full(len(counts), config))
    )


def block_details(oof: OOFPredictions, method: str, notes: list[str]) -> dict[str, Any]:
    """Collect the facts on blocks of a length that is settled, note them, warn of few."""
    length = oof.block_length
    if length is None:
        return {}
    assert isinstance(length, int)
    sizes = [len(members) for members in oof.series()]
    n_blocks = sum(max(1, size // length) for size in sizes)
    chosen = " (chosen by the autocorrelation)" if oof.length_was_chosen else ""
    within = f" within each of {count(len(sizes), 'series', 'series')}" if len(sizes) > 1 else ""
    notes.append(
        f"Samples that follow each other belong together: blocks of {count(length, 'sample')}"
        f"{chosen}{within}, {count(n_blocks, 'block')} in all."
    )
    if n_blocks < FEW_BLOCKS:
        few = (
            f"Only {count(n_blocks, 'block')} of {count(length, 'sample')}: with fewer than about "
            f"{FEW_BLOCKS} the interval is too narrow."
        )
        notes.append(warned(few, method))
    return {"block_length": length, "n_blocks": n_blocks, "block_kind": oof.block_kind}


def note_on_change(kernel: BoundMetric, winner: int) -> list[str]:
    """Note, and warn, that the winner's score changed over time, for means over samples."""
    oof = kernel.oof
    if oof.block_length is None or not kernel.is_pointwise or not 0 <= winner < kernel.n_configs:
        return []
    values = np.zeros(oof.n_samples)
    values[oof.tested] = contributions(kernel, winner)
    series = oof.series()
    halves = [[m[: len(m) // 2] for m in series], [m[len(m) // 2 :] for m in series]]
    # A change between the halves is no correlation of neighbours, so it has no part in the length.
    parts = [values[members] for half in halves for members in half if len(members)]
    length = int(np.ceil(best_block_length(parts) - 1e-9))
    means, squared_error = [], 0.0
    for half in halves:
        blocks = consecutive_blocks(half, length, oof.n_samples)
        there = blocks >= 0
        sizes = np.bincount(blocks[there])
        if len(sizes) < FEW_TO_COMPARE:
            return []
        of_blocks = np.bincount(blocks[there], values[there]) / sizes
        means.append(float(values[there].mean()))
        squared_error += of_blocks.var(ddof=1) / len(sizes)
    if not abs(means[1] - means[0]) > CHANGED * np.sqrt(squared_error) > 0:
        return []
    words = metric_words(kernel.metric.name)
    before, after = shown(*map(words.natural, means))
    note = (
        f"The {words.name} of the selected configuration is {before} in the first half of the "
        f"time and {after} in the second, further apart than neighbours that are alike explain: "
        "it changes over time, and the interval is about the whole of it, not about what follows."
    )
    warn_user(note, IntervalWarning)
    return [note]
