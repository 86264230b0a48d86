"""Rules by which one part of the samples proposes configurations to the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator

from ...metrics._base import first_best


class SelectionRule(BaseEstimator, ABC):
    """Base of the rules by which the learn part proposes configurations.

    A subclass defines `candidates` and `label`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.intervals import LearnEvaluate, SelectionRule
    >>> class FirstTwo(SelectionRule):
    ...     label = "-first-two"
    ...     def candidates(self, scores):
    ...         return np.array([0, 1])
    >>> LearnEvaluate(FirstTwo()).label
    '-first-two'
    """

    @abstractmethod
    def candidates(self, scores: np.ndarray) -> np.ndarray:
        """Choose configurations.

        Parameters
        ----------
        scores : ndarray of shape (n_configs,)
            Scores on the learn part, greater is better; NaN is undefined.

        Returns
        -------
        ndarray of shape (n_candidates,) of int
            Indices of the candidates in rising order, at least one.
        """

    @property
    @abstractmethod
    def label(self) -> str:
        """What the rule adds to the name of a method in results."""


class Best(SelectionRule):
    """Propose only the best configuration of the learn part.

    See Also
    --------
    TopShare : Propose several.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.intervals import Best
    >>> Best().candidates(np.array([0.7, 0.9, np.nan, 0.9])).tolist()
    [1]
    """

    def candidates(self, scores: np.ndarray) -> np.ndarray:
        """Choose the configuration with the best score, the first one on ties.

        Parameters
        ----------
        scores : ndarray of shape (n_configs,)
            Scores on the learn part, greater is better; NaN is undefined.

        Returns
        -------
        ndarray of shape (1,) of int
            Its index.
        """
        return first_best(scores[None])

    @property
    def label(self) -> str:
        """Empty: the plain name of the method."""
        return ""


class TopShare(SelectionRule):
    """Propose the configurations in the top share of the learn part.

    Parameters
    ----------
    share : float in (0, 1), default=0.1
        Configurations at or above the quantile ``1 - share`` of the scores are
        candidates; ties can enlarge the set.

    See Also
    --------
    Best : Propose one only.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.intervals import TopShare
    >>> rule = TopShare(0.1)
    >>> rule.label, rule.candidates(np.linspace(0.5, 0.9, 21)).tolist()
    ('10p', [18, 19, 20])
    """

    def __init__(self, share: float = 0.1) -> None:
        self.share = share

    def candidates(self, scores: np.ndarray) -> np.ndarray:
        """Choose all configurations from the quantile upwards.

        Parameters
        ----------
        scores : ndarray of shape (n_configs,)
            Scores on the learn part, greater is better; NaN is undefined.

        Returns
        -------
        ndarray of shape (n_candidates,) of int
            Indices in rising order.

        Raises
        ------
        ValueError
            If `share` is not between 0 and 1.
        """
        if not isinstance(self.share, Real) or not 0 < self.share < 1:
            raise ValueError(
                f"share must be a number strictly between 0 and 1, got {self.share!r}; 0.1 keeps "
                "the best tenth."
            )
        finite = scores[np.isfinite(scores)]
        ends = (finite.min() - 1, finite.max() + 1) if len(finite) else (-1, 1)
        scores = np.clip(scores, *ends)  # there is no way from one infinite score to the next
        threshold = np.quantile(scores[~np.isnan(scores)], 1 - self.share)
        return np.flatnonzero(scores >= threshold)

    @property
    def label(self) -> str:
        """Share in per cent, as in ``"10p"``."""
        return f"{100 * self.share:g}p"
