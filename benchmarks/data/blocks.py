"""Two blocks of features that know as much: learners on each are equally good by construction.

Classes are two normal distributions with the same covariance, so the area under the ROC curve and
the accuracy of any linear score have a formula. Ridge regression on the labels gives all penalties
of a fold from one decomposition, which is cheap enough for thousands of data sets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

PENALTIES = (0.1, 1.0, 10.0, 100.0, 1000.0, 10000.0)


@dataclass(frozen=True)
class Blocks:
    """Balanced classes; each block of features separates them.

    Attributes
    ----------
    n_features : int
        In each block; the first quarter separates the classes, the others are noise.
    distance : float
        Between the class means in the first block, in standard deviations.
    ratio : float
        Distance in the second block, as a share of that in the first.
    """

    n_features: int
    distance: float
    ratio: float

    @property
    def means(self) -> np.ndarray:
        """Difference of the class means in both blocks, shape (2, n_features)."""
        useful = max(1, self.n_features // 4)
        one = np.zeros(self.n_features)
        one[:useful] = self.distance / np.sqrt(useful)
        return np.stack([one, self.ratio * one])

    def sample(self, n_samples: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw features, shape (2, n_samples, n_features), and labels 0 and 1.

        Parameters
        ----------
        n_samples : int
            Number of samples, half of each class.
        rng : numpy.random.Generator
            Source of randomness.
        """
        y = rng.permutation(np.arange(n_samples) % 2)
        X = rng.normal(size=(2, n_samples, self.n_features))
        X += (y[:, None] - 0.5) * self.means[:, None, :]
        return X, y

    def truth(self, side: int, weights: np.ndarray, offset: np.ndarray) -> dict[str, np.ndarray]:
        """True scores of linear models on one block.

        Parameters
        ----------
        side : int
            The block.
        weights : ndarray of shape (n_models, n_features)
            Of the scores.
        offset : ndarray of shape (n_models,)
            Added to the scores; a positive score is class 1.
        """
        length = np.linalg.norm(weights, axis=1)
        length = np.where(length > 0, length, 1.0)
        half = weights @ self.means[side] / 2 / length
        threshold = offset / length
        accuracy = (norm.cdf(half + threshold) + norm.cdf(half - threshold)) / 2
        return {"roc_auc": norm.cdf(np.sqrt(2) * half), "accuracy": accuracy}


def subsets(n_features: int, n_subsets: int) -> list[np.ndarray]:
    """Feature subsets: all, then others that hold half of the features each, always the same.

    Parameters
    ----------
    n_features, n_subsets : int
        How many.
    """
    rng = np.random.default_rng(0)
    chosen = [np.arange(n_features)]
    while len(chosen) < n_subsets:
        chosen.append(np.sort(rng.permutation(n_features)[: max(1, n_features // 2)]))
    return chosen


def ridge(
    X: np.ndarray, y: np.ndarray, penalties: tuple[float, ...], features: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Ridge regression on labels of -1 and 1, all subsets and penalties.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Training data.
    y : ndarray of shape (n_samples,)
        Labels 0 and 1.
    penalties : tuple of float
        Of the squared weights.
    features : list of ndarray
        Subsets; the weights of other features are zero.

    Returns
    -------
    weights : ndarray of shape (n_models, n_features)
        Subset by subset, penalty by penalty.
    offset : ndarray of shape (n_models,)
        The intercepts.
    """
    middle, target = X.mean(axis=0), 2.0 * y - 1
    centred = target - target.mean()
    weights = np.zeros((len(features), len(penalties), X.shape[1]))
    for k, of_subset in enumerate(features):
        u, s, vt = np.linalg.svd(X[:, of_subset] - middle[of_subset], full_matrices=False)
        along = u.T @ centred
        for j, penalty in enumerate(penalties):
            weights[k, j, of_subset] = vt.T @ (s / (s**2 + penalty) * along)
    flat = weights.reshape(-1, X.shape[1])
    return flat, target.mean() - flat @ middle
