"""Data with a known truth: the simulation of the published comparison, as it was coded.

Out-of-fold scores of C configurations are drawn directly, no model is trained: the true AUC
of each configuration is a draw of a Beta distribution, scores of the two classes are normal with
the distance that gives this AUC. Classes have fixed sizes, every fold has its share of both.

The paper describes Bernoulli classes, a balance of the majority class and shifted positives; its
code fixes the sizes, takes the balance as the share of class 0 (the minority) and shifts the
negatives. This is the code's version, since the published numbers come from it. The AUC does not
see the difference in location; a metric with a threshold would.

Reference: K. Paraschakis, A. Castellani, G. Borboudakis, I. Tsamardinos, "Confidence interval
estimation of predictive performance in the context of AutoML", AutoML 2024.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from sklearn_bbc import OOFPredictions


@dataclass(frozen=True)
class Setting:
    """One row of the published table.

    Attributes
    ----------
    alpha, beta : float
        Distribution of the true AUC over configurations.
    n_samples, n_configs : int
        Size of the data set and of the search.
    balance : float
        Share of class 0.
    """

    alpha: float
    beta: float
    n_samples: int
    n_configs: int
    balance: float

    @property
    def name(self) -> str:
        """For example ``"24-6_N500_C100_b0.1"``."""
        return (
            f"{self.alpha:g}-{self.beta:g}_N{self.n_samples}_C{self.n_configs}_b{self.balance:g}"
        )

    @property
    def class_sizes(self) -> tuple[int, int]:
        """Number of samples of class 0 and of class 1."""
        n_first = round(self.n_samples * self.balance)
        return n_first, self.n_samples - n_first

    @property
    def n_folds(self) -> int:
        """Ten folds, fewer where the smaller class has fewer than ten samples."""
        return min(10, *self.class_sizes)


TABLE2 = tuple(
    Setting(alpha, beta, n_samples, n_configs, balance)
    for alpha, beta in ((24, 6), (9, 6))
    for n_samples in (500, 50)
    for n_configs in (100, 500)
    for balance in (0.1, 0.5)
)
"""The 16 rows of Table 2 with two classes, in its order."""


def simulate(setting: Setting, seed: np.random.SeedSequence) -> tuple[OOFPredictions, np.ndarray]:
    """Draw one data set.

    Parameters
    ----------
    setting : Setting
        What to draw.
    seed : SeedSequence
        Seed of this data set alone.

    Returns
    -------
    oof : OOFPredictions
        Scores of all configurations; samples are sorted by class, folds run through them.
    truth : ndarray of shape (n_configs,)
        True AUC of each configuration.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    n_samples, n_configs = setting.n_samples, setting.n_configs
    truth = rng.beta(setting.alpha, setting.beta, n_configs)
    y = np.repeat([0, 1], setting.class_sizes)
    scores = rng.standard_normal((n_samples, n_configs))
    # P(X1 > X0) = Phi(distance / sqrt(2)) for two normal variables of variance 1.
    scores[y == 0] -= np.sqrt(2) * norm.ppf(truth)
    fold = np.arange(n_samples) % setting.n_folds
    return OOFPredictions(y_true=y, y_pred=scores, fold=fold), truth
