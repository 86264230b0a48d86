"""Leads of one configuration over the others, with their standard errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from ._contributions import Contributions

AT_ONCE = 2**21
"""Contributions of units that are held at a time: 16 MB."""


@dataclass(frozen=True, eq=False)
class Leads:
    """By how much one configuration is ahead of each.

    Attributes
    ----------
    lead : ndarray of shape (n_configs,)
        Difference of the mean scores over the splits; 0 where it is only rounding.
    standard_error : ndarray of shape (n_configs,)
        0 where the difference is the same for all units.
    degrees : ndarray of shape (n_configs,)
        Degrees of freedom of the standard error; NaN where there is no spread or only one unit.
    """

    lead: np.ndarray
    standard_error: np.ndarray
    degrees: np.ndarray

    def are_clear(self, level: float) -> np.ndarray:
        """Which leads a one-sided t test shows.

        Parameters
        ----------
        level : float
            Confidence level.

        Returns
        -------
        ndarray of shape (n_configs,), bool
            A lead without any spread is clear, no lead is not.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            t = self.lead / self.standard_error
        return np.where(
            self.standard_error > 0, student.sf(t, self.degrees) < 1 - level, self.lead > 0
        )

    @classmethod
    def of(
        cls,
        splits: Sequence[Contributions],
        leader: int,
        units: np.ndarray,
        *,
        grouped: bool,
    ) -> Leads:
        """Compare one configuration with all.

        Parameters
        ----------
        splits : sequence of Contributions
            Of the splits that are done, for the same configurations.
        leader : int
            Whose leads are asked for.
        units : ndarray of shape (n_samples,) of int
            Independent unit of each sample: itself or its group.
        grouped : bool
            Whether units are groups.

        Notes
        -----
        The score is the mean over K splits. A row r of split k with mass m and values v adds
        ``m (v_leader - v - D) / K`` to the deviation of the difference D from its expectation.
        These are added up by unit, over splits and repeats, and squared: the variance is their
        sum over the units, times n / (n - 1), for the area under the ROC curve class by class.
        Degrees of freedom are Welch's and Satterthwaite's, or the number of groups less one.
        """
        n_configs = len(splits[0].score)
        rows = sum(each.values.shape[1] for each in splits)
        step = max(1, AT_ONCE // max(1, rows))
        parts = []
        for start in range(0, n_configs, step):
            chosen = np.arange(start, min(start + step, n_configs))
            parts.append(_leads(splits, leader, chosen, units, grouped))
        return cls(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _leads(
    splits: Sequence[Contributions],
    leader: int,
    chosen: np.ndarray,
    units: np.ndarray,
    grouped: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    lead = np.mean([each.score[leader] - each.score[chosen] for each in splits], axis=0)
    largest = np.maximum(_largest(splits, np.array([leader])), _largest(splits, chosen))
    rounding = 16 * np.finfo(float).eps * largest
    lead[np.abs(lead) <= rounding] = 0.0
    unit = np.concatenate([units[each.sample] for each in splits])
    stratum = np.concatenate([each.stratum for each in splits])
    counted = np.concatenate([each.mass for each in splits]) > 0
    known, place = np.unique(unit, return_inverse=True)
    deviations = np.zeros((len(known), len(chosen)))
    start = 0
    for each in splits:
        stop = start + len(each.mass)
        difference = each.values[leader] - each.values[chosen] - lead[:, None]
        of_rows, here = (difference * each.mass).T / len(splits), place[start:stop]
        if len(np.unique(here)) == len(here):
            deviations[here] += of_rows
        else:  # groups
            np.add.at(deviations, here, of_rows)
        start = stop
    variance, squares = np.zeros(len(chosen)), np.zeros(len(chosen))
    # A sample is in one stratum. A group may be in all, which then count together.
    strata = [counted] if grouped else [counted & (stratum == s) for s in np.unique(stratum)]
    for rows in strata:
        members = np.unique(place[rows])
        n = len(members)
        if n < 2:  # one unit shows no spread
            return lead, np.full(len(lead), np.inf), np.full(len(lead), np.nan)
        share = (deviations[members] ** 2).sum(axis=0) * n / (n - 1)
        variance += share
        squares += share**2 / (n - 1)
    error = np.sqrt(variance)
    with np.errstate(invalid="ignore"):
        degrees = variance**2 / squares
    error[error <= rounding] = 0.0
    return lead, error, degrees


def _largest(splits: Sequence[Contributions], configs: np.ndarray) -> np.ndarray:
    """Largest absolute value of each configuration, over all splits."""
    return np.max([np.abs(each.values[configs]).max(axis=1) for each in splits], axis=0)
