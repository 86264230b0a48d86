"""Whether the configuration with the best score is shown to be the best."""

from __future__ import annotations

import numpy as np
from scipy.stats import t as student

from ._pairs import Pairs


def best_p_value(values: np.ndarray) -> float:
    """P value of the hypothesis that some other configuration is as good as the best one.

    Parameters
    ----------
    values : ndarray of shape (n_units, n_configs)
        Value of each unit, greater is better.

    Returns
    -------
    float
        Small where the configuration with the best mean is shown to be better than every
        other one; 1 where another has the same values; NaN of a single configuration.

    Notes
    -----
    The winner has been picked by the data, and still a two-sided test against the runner-up,
    without a correction for the number of configurations, is valid for exponential families
    [1]_. Here spreads of differences vary, so that the closest rival need not be the
    runner-up: the largest two-sided p value of the paired t tests against all others is taken.

    References
    ----------
    .. [1] K. Hung, W. Fithian, "Rank verification for exponential families", Annals of
       Statistics 47, 758-782 (2019). :doi:`10.1214/17-AOS1634`
    """
    n_units, n_configs = values.shape
    if n_configs < 2:
        return float("nan")
    statistics = np.delete(Pairs.with_best(values).t(), int(values.mean(axis=0).argmax()))
    return float(2 * student.sf(statistics.min(), n_units - 1))
