"""The model confidence set."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._base import TiedMethod
from ._means import bootstrap_means, check_draws, exceedance
from ._pairs import studentised

STATISTICS = ("max", "range")


class ModelConfidenceSet(TiedMethod):
    """Configurations that remain when the worst is removed until the rest may be equal.

    Parameters
    ----------
    statistic : {"max", "range"}, default="max"
        ``"max"`` compares each configuration with the mean of all, ``"range"`` every two.
    n_bootstraps : int, default=1000
        Number of draws, at least 100.
    confidence_level : float in (0, 1), default=0.95
        Share of data sets for which the set should hold all configurations that are the best.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.

    See Also
    --------
    SoftminLeaveOneOut : Tests each configuration for itself, so its sets are smaller.

    Notes
    -----
    The procedure of [1]_ for independent units, that is, with blocks of one. While the
    configurations that are left over are not all equal by a bootstrap test, the one that is
    furthest behind in standard errors is removed. The p value of a configuration is the
    largest of the tests up to its removal; the last one has 1. Standard errors are those of
    the draws. The set promises more than the others: that it holds all configurations that
    are equally good and the best. Time O(C^2 B).

    References
    ----------
    .. [1] P. R. Hansen, A. Lunde, J. M. Nason, "The model confidence set", Econometrica 79,
       453-497 (2011). :doi:`10.3982/ECTA5771`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.comparison import ModelConfidenceSet
    >>> losses = np.random.default_rng(0).exponential([1.0, 1.1, 2.0], size=(100, 3))
    >>> ModelConfidenceSet(random_state=0).p_values(-losses) > 0.05
    array([ True,  True, False])
    """

    name = "model_confidence_set"
    meant_for = "a set that holds every one of several equally good configurations"
    cost = "O(C^2 B)"
    limits = (
        "large sets; by the mean of all, one that is better than many equal ones is lost in it"
    )

    def __init__(
        self,
        *,
        statistic: str = "max",
        n_bootstraps: int = 1000,
        confidence_level: float = 0.95,
        random_state: Any = None,
    ) -> None:
        self.statistic = statistic
        self.n_bootstraps = n_bootstraps
        self.confidence_level = confidence_level
        self.random_state = random_state

    def _validate(self) -> None:
        super()._validate()
        check_draws(self.n_bootstraps)
        if self.statistic not in STATISTICS:
            raise ValueError(
                f"statistic must be one of {list(STATISTICS)}, got {self.statistic!r}."
            )

    def _p_values(self, values: np.ndarray, fold: np.ndarray | None) -> np.ndarray:
        mean = values.mean(axis=0)
        draws = bootstrap_means(values - mean, self.n_bootstraps, self.random_state)
        rounding = 16 * np.finfo(float).eps * float(np.abs(values).max())
        remove = by_range if self.statistic == "range" else by_max
        order, p_values = remove(mean, draws, rounding)
        result = np.empty(len(mean))
        result[order] = np.maximum.accumulate(p_values)
        return result


def by_max(mean: np.ndarray, draws: np.ndarray, rounding: float) -> tuple[np.ndarray, np.ndarray]:
    """Remove by the distance from the mean of what is left over.

    Parameters
    ----------
    mean : ndarray of shape (n_configs,)
        Means, greater is better.
    draws : ndarray of shape (n_draws, n_configs)
        Means of the draws, less `mean`.
    rounding : float
        Smaller differences and deviations are zero.

    Returns
    -------
    order : ndarray of shape (n_configs,)
        Configurations in the order of their removal; the last one stays.
    p_values : ndarray of shape (n_configs,)
        Of the test before each removal, in that order; 1 for the last one.
    """
    left = np.arange(len(mean))
    order, p_values = [], []
    drawn = draws
    while len(left) > 1:
        behind = mean[left].mean() - mean[left]
        spread = drawn.mean(axis=1, keepdims=True) - drawn  # (n_draws, n_left)
        deviation = np.sqrt((spread**2).mean(axis=0))
        deviation[deviation <= rounding] = 0.0
        behind[(deviation == 0) & (np.abs(behind) <= rounding)] = 0.0
        statistics = studentised(behind, deviation)
        vary = deviation > 0
        largest = np.zeros(len(draws))
        if vary.any():
            largest = (spread[:, vary] / deviation[vary]).max(axis=1)
        worst = int(statistics.argmax())
        order.append(int(left[worst]))
        p_values.append(exceedance(largest, float(statistics[worst])))
        left, drawn = np.delete(left, worst), np.delete(drawn, worst, axis=1)
    return np.array([*order, *left]), np.array([*p_values, 1.0])


def by_range(
    mean: np.ndarray, draws: np.ndarray, rounding: float
) -> tuple[np.ndarray, np.ndarray]:
    """Remove by the largest lead of another one; parameters and result as in `by_max`."""
    n_configs = len(mean)
    lead = mean - mean[:, None]  # [i, j]: of j over i
    deviation = _deviations(draws)
    deviation[deviation <= rounding] = 0.0
    lead[(deviation == 0) & (np.abs(lead) <= rounding)] = 0.0
    statistics = studentised(lead, deviation)
    np.fill_diagonal(statistics, -np.inf)
    # No test is needed to know the order, so draws are compared from the last one back:
    # each pair once.
    left = np.ones(n_configs, dtype=bool)
    order, observed = [], []
    for _ in range(n_configs - 1):
        largest = statistics.max(axis=1)
        worst = int(largest.argmax())
        order.append(worst)
        observed.append(float(largest[worst]))
        left[worst] = False
        statistics[worst] = statistics[:, worst] = -np.inf
    order.append(int(np.flatnonzero(left)[0]))
    p_values = np.ones(n_configs)
    among = np.zeros(len(draws))  # largest of the pairs so far
    for place in range(n_configs - 2, -1, -1):
        config, others = order[place], np.array(order[place + 1 :])
        others = others[deviation[config, others] > 0]
        if len(others):
            apart = np.abs(draws[:, others] - draws[:, [config]]) / deviation[config, others]
            among = np.maximum(among, apart.max(axis=1))
        p_values[place] = exceedance(among, observed[place])
    return np.array(order), p_values


def _deviations(draws: np.ndarray) -> np.ndarray:
    """Root mean square of the difference of every two columns."""
    squares = np.empty((draws.shape[1], draws.shape[1]))
    for config in range(draws.shape[1]):
        squares[config] = ((draws - draws[:, [config]]) ** 2).mean(axis=0)
    return np.sqrt(squares)
