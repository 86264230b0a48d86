"""Paired t tests against the best, corrected for their number."""

from __future__ import annotations

import numpy as np
from scipy.stats import t as student

from ._base import TiedMethod
from ._pairs import Pairs


class Bonferroni(TiedMethod):
    """Configurations that a paired t test with Bonferroni's correction keeps beside the best.

    Parameters
    ----------
    confidence_level : float in (0, 1), default=0.95
        Share of data sets for which the set should hold the best configuration.

    See Also
    --------
    SoftminLeaveOneOut : Not corrected for the number of configurations; often smaller sets.

    Notes
    -----
    Of C configurations with distinct values, configuration c has the p value

    .. math:: p_c = \\min\\bigl(1, (C - 1) \\, P(T_{n-1} > t_c)\\bigr), \\qquad
              t_c = \\frac{\\bar v_w - \\bar v_c}{s_{wc} / \\sqrt n},

    where w has the best mean, s is the standard deviation of the paired differences and T has
    Student's t distribution. The configuration w is itself chosen by the data; the correction
    for the C - 1 others with which c could have been compared pays for that. Nothing is drawn.
    Time O(n C).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.comparison import Bonferroni
    >>> losses = np.array([[1, 2, 3], [2, 2, 5], [0, 1, 3], [1, 1, 4], [2, 3, 6.0]])
    >>> Bonferroni().p_values(-losses).round(3)
    array([1.   , 0.07 , 0.001])
    """

    name = "bonferroni"
    meant_for = "few configurations, or a result without random numbers"
    cost = "O(n C)"
    limits = "sets grow with the number of configurations, however alike they are"

    def __init__(self, *, confidence_level: float = 0.95) -> None:
        self.confidence_level = confidence_level

    def _p_values(self, values: np.ndarray, fold: np.ndarray | None) -> np.ndarray:
        n_units, n_configs = values.shape
        pairs = Pairs.with_best(values)
        p_values = np.minimum(1.0, (n_configs - 1) * student.sf(pairs.t(), n_units - 1))
        p_values[(pairs.lead == 0) & (pairs.deviation == 0)] = 1.0  # the best itself
        return np.asarray(p_values)
