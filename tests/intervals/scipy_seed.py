"""Seeding scipy's bootstrap, whose argument was renamed in 1.15."""

from inspect import signature
from typing import Any

import numpy as np
from scipy import stats

NAME = "rng" if "rng" in signature(stats.bootstrap).parameters else "random_state"


def scipy_seed(seed: int) -> dict[str, Any]:
    """Arguments for `scipy.stats.bootstrap`."""
    return {NAME: np.random.default_rng(seed)}
