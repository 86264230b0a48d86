"""All draws of a few samples instead of random ones: results without Monte-Carlo error."""

import math
from itertools import combinations_with_replacement

import numpy as np

from sklearn_bbc.metrics import as_metric
from sklearn_bbc.resampling import Units


class EveryDraw:
    """Stands for `Draws`: every equally likely sequence of as many units as there are.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions of few samples.
    strata : ndarray of shape (n_strata, n_samples) or None
        Strata that each draw needs in-bag and out-of-bag.
    """

    entropy = n_dropped = n_lacking = 0

    def __init__(self, oof, strata=None):
        units = Units.of(oof)
        n = units.n_units
        counts = np.array(
            [
                np.bincount(sequence, minlength=n)
                for sequence in combinations_with_replacement(range(n), n)
            ]
        )
        times = np.array([math.factorial(n) // np.prod([math.factorial(c) for c in row])
                          for row in counts])  # fmt: skip
        indicator = units.indicator(strata)
        distinct = (counts > 0) @ indicator
        accepted = ((distinct > 0) & (distinct < indicator.sum(axis=0))).all(axis=1)
        self.n_redrawn = int(times[~accepted].sum())
        self.n_accepted = int(times[accepted].sum())
        self.times = times[accepted]
        self.counts = units.expand(counts[accepted].astype(np.uint8))

    def map(self, function):
        """Results of all sequences; equal counts are computed once."""
        results = function(self.counts)
        if isinstance(results, tuple):
            return tuple(np.repeat(part, self.times, axis=0) for part in results)
        return np.repeat(results, self.times, axis=0)


def estimate_exactly(method, oof, scoring):
    """What `method.estimate` converges to as the number of draws grows."""
    kernel = as_metric(scoring).bind(oof)
    method._draws = lambda oof, kernel, *selecting: EveryDraw(oof, kernel.strata)
    return method._estimate(oof, kernel)
