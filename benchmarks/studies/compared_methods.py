"""p-values and intervals of comparisons, as the journal of a study takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_bbc import ComparisonResult, compare
from sklearn_bbc.comparison import FiveByTwo, Side
from sklearn_bbc.comparison._two_learners import f_test, t_test
from sklearn_bbc.intervals import OrderStatistic

FULL_TIES = "ties in full"
"""Name of `compare` as it was before ties counted half."""


@dataclass(frozen=True)
class PValue:
    """What the journal takes of a comparison: the p-value and the interval."""

    estimate: float
    low: float
    high: float
    details: dict[str, Any]

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))


def noted(result: ComparisonResult) -> PValue:
    """p-value and interval of a result."""
    return PValue(result.p_value, result.low, result.high, {"reason": result.method})


def of_sides(method: Any, first: Side, second: Side, metric: str) -> Callable[[int, int], PValue]:
    """Run a method, `compare`, or its former count of ties, on two sides."""
    if method == FULL_TIES:
        return with_full_ties(first, second, metric)

    def run(n_bootstraps: int, seed: int) -> PValue:
        if method is None:
            drawn = {"n_bootstraps": n_bootstraps, "random_state": seed}
            return noted(compare(first, second, metric, **drawn))
        known = method.get_params()
        drawn = {"n_bootstraps": n_bootstraps, "random_state": seed}
        method.set_params(**{k: v for k, v in drawn.items() if k in known})
        return noted(method.compare(first, second, metric))

    return run


def with_full_ties(first: Side, second: Side, metric: str) -> Callable[[int, int], PValue]:
    """Run `compare`, but count draws without a difference in full on both sides."""

    def run(n_bootstraps: int, seed: int) -> PValue:
        drawn = {"n_bootstraps": n_bootstraps, "random_state": seed}
        draws = np.sort(compare(first, second, metric, **drawn).draws)
        extreme = min(np.count_nonzero(draws <= 0), np.count_nonzero(draws >= 0))
        p_value = min(1.0, 2 * (1 + extreme) / (len(draws) + 1))
        low, high = (OrderStatistic().between(draws, level) for level in (0.025, 0.975))
        return PValue(p_value, low, high, {})

    return run


def of_halves(differences: np.ndarray, combined: bool) -> Callable[[int, int], PValue]:
    """5x2cv test of differences, shape (5, 2); `FiveByTwo` trains models by itself."""
    assert FiveByTwo.name == "five_by_two"
    p_value = f_test(differences)[1] if combined else t_test(differences, "two-sided")[1]
    return lambda n_bootstraps, seed: PValue(p_value, np.nan, np.nan, {})
