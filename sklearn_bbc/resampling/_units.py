"""What is resampled: samples, or groups of samples that depend on each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..exceptions import UndefinedIntervalError
from ..predictions import OOFPredictions


@dataclass(frozen=True, eq=False)
class Units:
    """Resampled units of a set of out-of-fold predictions.

    Parameters
    ----------
    kind : {"sample", "group"}
        What a unit is.
    of_sample : ndarray of shape (n_samples,)
        Unit of each sample; -1 for samples without an out-of-fold prediction.
    n_units : int
        Number of units.
    """

    kind: str
    of_sample: np.ndarray
    n_units: int

    @classmethod
    def of(cls, oof: OOFPredictions) -> Units:
        """Groups where there are groups, else the tested samples.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions.

        Returns
        -------
        Units
            Numbered in the order of the samples, or of the sorted groups.
        """
        tested = oof.tested
        of_sample = np.full(oof.n_samples, -1, dtype=np.int64)
        if oof.groups is not None:
            labels, codes = np.unique(oof.groups[tested], return_inverse=True)
            of_sample[tested] = codes
            return cls("group", of_sample, len(labels))
        n_units = int(np.count_nonzero(tested))
        of_sample[tested] = np.arange(n_units)
        return cls("sample", of_sample, n_units)

    def expand(self, counts: np.ndarray) -> np.ndarray:
        """Give each sample the count of its unit.

        Parameters
        ----------
        counts : ndarray of shape (n_draws, n_units)
            How often each unit was drawn.

        Returns
        -------
        ndarray of shape (n_draws, n_samples)
            How often each sample was drawn; 0 for untested samples.
        """
        if self.kind == "sample" and self.n_units == len(self.of_sample):
            return counts
        expanded = counts[:, self.of_sample]
        expanded[:, self.of_sample < 0] = 0
        return expanded

    def indicator(self, strata: np.ndarray | None) -> np.ndarray:
        """Which unit holds which stratum.

        Parameters
        ----------
        strata : ndarray of shape (n_strata, n_samples), bool, or None
            Samples of which every draw needs at least one in-bag and one out-of-bag.

        Returns
        -------
        ndarray of shape (n_units, max(n_strata, 1)), float32
            1 where the unit holds a sample of the stratum; None gives one stratum with
            everything, for a draw needs at least something out-of-bag.
        """
        if strata is None:
            return np.ones((self.n_units, 1), dtype=np.float32)
        holds = np.zeros((self.n_units, len(strata)), dtype=np.float32)
        for k, members in enumerate(strata):
            units = self.of_sample[members]
            holds[units[units >= 0], k] = 1
        return holds


def check_possible(
    indicator: np.ndarray,
    labels: list[str],
    kind: str,
    method: str,
    metric: str,
    min_out_of_bag: int = 1,
) -> None:
    """Raise before the first draw when no draw can be scored in-bag and out-of-bag.

    Parameters
    ----------
    indicator : ndarray of shape (n_units, n_strata)
        Which unit holds which stratum.
    labels : list of str
        Name of each stratum.
    kind : {"sample", "group"}
        What a unit is.
    method, metric : str
        Names for the message.
    min_out_of_bag : int, default=1
        Units of each stratum that must be out-of-bag; one must be in-bag.

    Raises
    ------
    UndefinedIntervalError
        If some stratum is in too few units.
    """
    for label, size in zip(labels, indicator.sum(axis=0).astype(int), strict=True):
        if size < 1 + min_out_of_bag:
            never = "it can never be in-bag and out-of-bag in the same draw"
            if min_out_of_bag > 1:
                never = f"no draw has one in-bag and {min_out_of_bag} out-of-bag"
            raise UndefinedIntervalError(
                f"{method} cannot bootstrap {metric}: {label} has {size} {kind}"
                f"{'s' if size != 1 else ''}, so {never}. At least {1 + min_out_of_bag} "
                f"{kind}s are needed; with fewer than about 10 the interval is very wide."
            )
