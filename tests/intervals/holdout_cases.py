"""A test set with two models."""

import numpy as np

import benchmarks.published.replication  # noqa: F401 (enters "ferrer-riera")

RNG = np.random.default_rng(0)
Y = np.tile([0, 1], 100)
SCORES = RNG.normal(size=200) + Y
OTHER = SCORES + RNG.normal(size=200)
LABELS = (SCORES > 0.5).astype(int)
