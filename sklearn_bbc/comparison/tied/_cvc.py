"""Cross-validation with confidence."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._base import TiedMethod
from ._means import check_draws, exceedance, multiplier_means
from ._pairs import Pairs, studentised


class CrossValidationWithConfidence(TiedMethod):
    """Configurations that no other beats by more than the multiplier bootstrap explains.

    Parameters
    ----------
    n_bootstraps : int, default=1000
        Number of draws, at least 100.
    confidence_level : float in (0, 1), default=0.95
        Share of data sets for which the set should hold the best configuration.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.

    See Also
    --------
    SoftminLeaveOneOut : Nothing is drawn, and it holds more at small sizes.

    Notes
    -----
    Algorithm 2 of the paper [1]_. For configuration c the statistic is the largest
    studentised lead of any other,

    .. math:: T_c = \\max_{j \\ne c} \\sqrt n \\, \\frac{\\bar v_j - \\bar v_c}{\\hat\\sigma_{cj}},

    and its distribution that of the same maximum of :math:`n^{-1/2} \\sum_i \\zeta_i
    (\\tilde v_{ij} - \\tilde v_{ic}) / \\hat\\sigma_{cj}` with standard normal
    :math:`\\zeta_i`. The values :math:`\\tilde v` are those less the mean of their fold, as is
    the standard deviation :math:`\\hat\\sigma`, which the paper does not correct for the number
    of folds: with few samples per fold the sets are too small. Where a unit has no single fold
    (repeats) or folds have one unit, the values are centred together. The optional screening
    of section 3.4 is not done. Time O(C^2 B + n C B).

    References
    ----------
    .. [1] J. Lei, "Cross-validation with confidence", Journal of the American Statistical
       Association 115, 1978-1997 (2020). :doi:`10.1080/01621459.2019.1672556`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.comparison import CrossValidationWithConfidence
    >>> losses = np.random.default_rng(0).exponential([1.0, 1.1, 2.0], size=(100, 3))
    >>> fold = np.arange(100) % 5
    >>> method = CrossValidationWithConfidence(random_state=0)
    >>> method.p_values(-losses, fold) > 0.05
    array([ True,  True, False])
    """

    name = "cvc"
    meant_for = "a thousand samples or more, by any metric"
    cost = "O(C^2 B + n C B)"
    limits = "too small sets with few samples, the more so with many folds"

    def __init__(
        self,
        *,
        n_bootstraps: int = 1000,
        confidence_level: float = 0.95,
        random_state: Any = None,
    ) -> None:
        self.n_bootstraps = n_bootstraps
        self.confidence_level = confidence_level
        self.random_state = random_state

    def _validate(self) -> None:
        super()._validate()
        check_draws(self.n_bootstraps)

    def _p_values(self, values: np.ndarray, fold: np.ndarray | None) -> np.ndarray:
        centred = _centred_by_fold(values, fold)
        pairs = Pairs.of(values, centred)
        statistics = studentised(pairs.lead, pairs.deviation)  # over sqrt(n), as are the draws
        statistics[(pairs.lead == 0) & (pairs.deviation == 0)] = -np.inf  # no other one
        means = multiplier_means(centred, self.n_bootstraps, self.random_state)
        p_values = np.empty(len(statistics))
        for config, deviation in enumerate(pairs.deviation):
            vary = deviation > 0
            drawn = np.full(self.n_bootstraps, -np.inf)
            if vary.any():
                leads = means[:, vary] - means[:, [config]]  # (n_bootstraps, n_vary)
                leads /= deviation[vary]
                drawn = leads.max(axis=1)
            p_values[config] = exceedance(drawn, statistics[config].max())
        return p_values


def _centred_by_fold(values: np.ndarray, fold: np.ndarray | None) -> np.ndarray:
    if fold is None or np.bincount(fold).min() < 2:
        return values - values.mean(axis=0)
    centred = np.empty_like(values)
    for k in range(int(fold.max()) + 1):
        here = fold == k
        centred[here] = values[here] - values[here].mean(axis=0)
    return centred
