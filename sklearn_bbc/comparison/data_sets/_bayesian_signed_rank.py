"""Bayesian signed rank test of two learners over data sets."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from ..._integers import check_integer
from ...resampling._streams import entropy_of
from ...results import RankingResult
from ._base import DataSetsComparison, RankTable

CHUNK = 1000


class BayesianSignedRank(DataSetsComparison):
    """Bayesian signed rank test: how likely each of two learners is better, or both equivalent.

    Parameters
    ----------
    rope : float, default=0.01
        Half the width of the region of practical equivalence, in the unit of the scores:
        smaller differences do not matter.
    prior_strength : float, default=0.5
        Weight of one made-up data set without any difference, which is the prior.
    n_draws : int, default=50000
        Draws from the posterior.
    confidence_level : float in (0, 1), default=0.95
        Probability from which on `details` call a learner better.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.

    See Also
    --------
    Wilcoxon : The test with a p-value.
    BayesianCorrelatedT : On one data set.

    Notes
    -----
    The distribution of differences has a Dirichlet process prior. Each draw gives weights to
    the data sets and to the made-up one; with weights w and differences d the share of mass
    for the first learner is ``sum_ij w_i w_j [d_i + d_j > 2 rope]``, for the second and for
    equivalence accordingly. The probability of each is the share of the draws in which it
    has the most mass.

    `details` of the result: ``probabilities`` (of ``first``, ``equivalent`` and ``second``),
    ``rope``, ``better`` (name of the learner that is better with the probability asked for, or
    None), ``seed``, ``notes``.

    References
    ----------
    .. [1] A. Benavoli, G. Corani, J. Demsar, M. Zaffalon, "Time for a change: a tutorial for
       comparing multiple classifiers through Bayesian analysis", Journal of Machine Learning
       Research 18, 1-36 (2017).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.comparison import BayesianSignedRank
    >>> scores = 0.8 + 0.02 * np.random.default_rng(0).normal(size=(12, 2)) + [0, 0.03]
    >>> result = BayesianSignedRank(random_state=0).compare(scores, names=["A", "B"])
    >>> result.details["better"]
    'B'
    """

    name = "bayesian_signed_rank"
    label = "Bayesian signed rank test"
    assumptions = (
        "The data sets are independent, and drawn from those that one wants to speak about.",
        "Differences of scores are comparable between data sets.",
    )
    meant_for = "two learners over data sets, with a region of practical equivalence"
    cost = "O(draws n^2) for n data sets"
    limits = "few data sets: the prior counts; scores on different scales"
    fewest_learners = 2
    most_learners = 2

    def __init__(
        self,
        *,
        rope: float = 0.01,
        prior_strength: float = 0.5,
        n_draws: int = 50000,
        confidence_level: float = 0.95,
        random_state: Any = None,
    ) -> None:
        self.rope = rope
        self.prior_strength = prior_strength
        self.n_draws = n_draws
        self.confidence_level = confidence_level
        self.random_state = random_state

    def _validate(self) -> None:
        super()._validate()
        check_integer("n_draws", self.n_draws, 100)
        for name, least in (("rope", 0.0), ("prior_strength", 1e-12)):
            value = getattr(self, name)
            number = isinstance(value, Real) and not isinstance(value, bool)
            if not (number and least <= value < np.inf):
                what = "positive" if least else ">= 0"
                raise ValueError(f"{name} must be a finite number, {what}, got {value!r}.")

    def _compare(self, table: RankTable) -> RankingResult:
        entropy = entropy_of(self.random_state)
        rng = np.random.default_rng(entropy)
        difference = table.scores[:, 0] - table.scores[:, 1]
        weights = np.concatenate([[self.prior_strength], np.ones(len(difference))])
        wins = np.zeros(3)
        for start in range(0, self.n_draws, CHUNK):
            drawn = rng.dirichlet(weights, min(CHUNK, self.n_draws - start))
            wins += np.bincount(most_mass(difference, drawn, float(self.rope)), minlength=3)
        shares = (wins / self.n_draws).tolist()
        probabilities = dict(zip(("first", "equivalent", "second"), shares, strict=True))
        better = [
            name
            for name, side in zip(table.names, ("first", "second"), strict=True)
            if probabilities[side] >= self.confidence_level
        ]
        details = {
            **table.details,
            "probabilities": probabilities,
            "rope": float(self.rope),
            "better": better[0] if better else None,
            "seed": entropy,
        }
        return self._result(table, details=details)


def most_mass(differences: np.ndarray, weights: np.ndarray, rope: float) -> np.ndarray:
    """Which of first (0), equivalent (1) and second (2) has the most mass in each draw.

    Parameters
    ----------
    differences : ndarray of shape (n_data_sets,)
        Of the scores, first minus second.
    weights : ndarray of shape (n_draws, 1 + n_data_sets)
        Of the made-up data set and the others.
    rope : float
        Half the width of the region of practical equivalence.
    """
    values = np.concatenate([[0.0], differences])
    sums = values[:, None] + values
    # Ties of the limits count one half, as in the published code.
    first = 0.5 * (np.sign(sums - 2 * rope) + 1)
    second = 0.5 * (np.sign(-sums - 2 * rope) + 1)
    for_first = ((weights @ first) * weights).sum(axis=1)
    for_second = ((weights @ second) * weights).sum(axis=1)
    if rope == 0:
        # Half of the mass each, but for rounding: neither side has the most.
        side = np.where(for_first > for_second, 0, 2)
        return np.where(np.isclose(for_first, for_second, rtol=0, atol=1e-12), 1, side)
    mass = np.stack([for_first, 1 - for_first - for_second, for_second])
    return mass.argmax(axis=0)
