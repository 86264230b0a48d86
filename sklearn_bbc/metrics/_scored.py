"""What a rule selects by and a method reports: scores on draws of samples, or of folds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

import numpy as np

from ..predictions._predictions import OOFPredictions
from ._metric import Metric


class Scored(Protocol):
    """A metric bound to predictions, or a table of scores per fold.

    Its units are what draws count, samples or folds. `valid` (n_configs,) are the configurations
    with a score; `first_alike` (n_configs,) is the first that predicts the same, and
    `n_distinct` how many do not; `rounding` is relative.
    """

    @property
    def metric(self) -> Metric: ...
    @property
    def oof(self) -> OOFPredictions: ...
    @property
    def n_units(self) -> int: ...
    @property
    def n_configs(self) -> int: ...
    @property
    def n_distinct(self) -> int: ...
    @property
    def valid(self) -> np.ndarray: ...
    @property
    def first_alike(self) -> np.ndarray: ...
    @property
    def is_pointwise(self) -> bool: ...
    @property
    def rounding(self) -> float: ...
    @property
    def bytes_per_draw(self) -> int: ...

    def scores(self, weights: np.ndarray) -> np.ndarray:
        """Score all: `weights` (n_draws, n_units) -> (n_draws, n_configs), NaN where undefined."""

    def winners(self, weights: np.ndarray) -> np.ndarray:
        """Find the best of each draw, the first of equals, (n_draws,); -1 for none."""

    def score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Score one configuration per draw, (n_draws,); NaN for configuration -1."""

    def first_best(self, scores: np.ndarray) -> np.ndarray:
        """Find the best by given scores (n_draws, n_configs), -> (n_draws,)."""

    def passes(self) -> Iterable[Callable[..., tuple[np.ndarray, ...]]]:
        """Return functions that choose and score block by block, see `BoundSelection.passes`."""

    def alike(self, metric: Metric, **fields: Any) -> Scored:
        """Bind another metric to the same predictions, of which some `fields` differ."""
