"""Splits of the real data sets into training rows and a hold-out, with all predictions."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from benchmarks.data.real import DATA_SETS, encoded, train_and_rest
from benchmarks.data.real_models import CONFIGURATIONS, Split


def search_version() -> str:
    """Changes with the names of the configurations, so that old predictions are not mixed in."""
    return hashlib.sha256(repr(CONFIGURATIONS).encode()).hexdigest()[:8]


def split_of(data: str, repetition: int, seed: int, cache: Path) -> tuple[Split, int]:
    """One split of a data set with its predictions, and the seed of the draws.

    Parameters
    ----------
    data : str
        Name of the data set.
    repetition : int
        Number of the split, from 0.
    seed : int
        Seed of the whole run.
    cache : Path
        Folder of predictions.
    """
    number = list(DATA_SETS).index(data)
    sequence = np.random.SeedSequence(seed, spawn_key=(number, repetition))
    for_rows, for_folds, for_draws = sequence.spawn(3)
    X, y = encoded(data)
    train, rest = train_and_rest(y, DATA_SETS[data].n_train, for_rows)
    path = cache / search_version() / data / f"{seed}_{repetition:03d}"
    split = Split(path, X, y, train, rest, int(for_folds.generate_state(1)[0]))
    return split, int(for_draws.generate_state(1)[0])
