"""Mean and spread of the difference of two configurations, for many pairs at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

CANCELS = 1e-6
"""Where less of the two variances than this share is left over, differences are formed."""

AT_ONCE = 2**22
"""Differences that are formed at once: 32 MB."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Differences of pairs of configurations.

    Attributes
    ----------
    lead : ndarray of shape (n_configs, n_configs) or (n_configs,)
        ``lead[i, j]``: by how much j is better than i, mean over the units; or the lead of
        one configuration over each.
    deviation : ndarray of the same shape
        Root of the mean square deviation of that difference; 0 where it is the same in all
        units, up to rounding.
    n_units : int
        Number of units.
    """

    lead: np.ndarray
    deviation: np.ndarray
    n_units: int

    @classmethod
    def of(cls, values: np.ndarray, centred: np.ndarray | None = None) -> Pairs:
        """Compare all pairs.

        Parameters
        ----------
        values : ndarray of shape (n_units, n_configs)
            Value of each unit, greater is better.
        centred : ndarray of shape (n_units, n_configs), default=None
            What the deviations are computed from; None is `values` less their means.
        """
        mean = values.mean(axis=0)
        centred = values - mean if centred is None else centred
        covariance = centred.T @ centred / len(values)
        variance = np.diag(covariance)
        together = variance[:, None] + variance
        squares = together - 2 * covariance
        first, second = np.nonzero(np.triu(squares <= CANCELS * together, 1))
        step = max(1, AT_ONCE // len(values))
        for start in range(0, len(first), step):
            one, other = first[start : start + step], second[start : start + step]
            square = ((centred[:, one] - centred[:, other]) ** 2).mean(axis=0)
            squares[one, other] = squares[other, one] = square
        np.fill_diagonal(squares, 0.0)
        size = _sizes(values)
        return cls._cleared(
            mean - mean[:, None],
            np.sqrt(squares),
            np.maximum(size[:, None], size),
            len(values),
        )

    @classmethod
    def with_best(cls, values: np.ndarray) -> Pairs:
        """Compare each configuration with that of the best mean.

        Parameters
        ----------
        values : ndarray of shape (n_units, n_configs)
            Value of each unit, greater is better.
        """
        best = int(values.mean(axis=0).argmax())
        difference = values[:, [best]] - values
        lead = difference.mean(axis=0)
        size = _sizes(values)
        deviation = np.sqrt(((difference - lead) ** 2).mean(axis=0))
        return cls._cleared(lead, deviation, np.maximum(size[best], size), len(values))

    @classmethod
    def _cleared(
        cls, lead: np.ndarray, deviation: np.ndarray, size: np.ndarray, n_units: int
    ) -> Pairs:
        """Without the spread, and then the lead, that are only rounding."""
        rounding = 16 * np.finfo(float).eps * size
        deviation[deviation <= rounding] = 0.0
        lead[(deviation == 0) & (np.abs(lead) <= rounding)] = 0.0
        return cls(lead, deviation, n_units)

    def t(self) -> np.ndarray:
        """Leads over their standard errors, from the unbiased variance.

        A lead without spread is infinite; 0 where there is no lead either.
        """
        return studentised(self.lead, self.deviation) * np.sqrt(self.n_units - 1)


def studentised(lead: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """Leads over their deviations; 0 where there is neither."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = lead / deviation
    ratio[np.isnan(ratio)] = 0.0
    return ratio


def _sizes(values: np.ndarray) -> np.ndarray:
    return np.abs(values).max(axis=0, initial=0.0)
