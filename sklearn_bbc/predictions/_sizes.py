"""How many samples, configurations, rows and splits there are, and which samples were tested."""

from __future__ import annotations

import numpy as np

from ._notes import straddling_groups


class Sizes:
    """What follows from the fields of `OOFPredictions`."""

    y_true: np.ndarray
    sample: np.ndarray
    fold: np.ndarray
    groups: np.ndarray | None
    failed: np.ndarray
    split_repeat: np.ndarray

    @property
    def n_samples(self) -> int:
        """Number of samples, tested or not."""
        return len(self.y_true)

    @property
    def n_configs(self) -> int:
        """Number of configurations."""
        return len(self.failed)

    @property
    def n_rows(self) -> int:
        """Number of predictions per configuration."""
        return len(self.sample)

    @property
    def n_splits(self) -> int:
        """Number of splits over all repeats."""
        return len(self.split_repeat)

    @property
    def n_repeats(self) -> int:
        """Number of passes over the samples; 1 where the splits are not whole passes."""
        return int(self.split_repeat.max()) + 1

    @property
    def n_straddling_groups(self) -> int:
        """Number of groups of which some split holds out a part only."""
        return straddling_groups(self.groups, self.sample, self.fold)[0]

    @property
    def tested(self) -> np.ndarray:
        """Boolean array of shape (n_samples,): has the sample any out-of-fold prediction."""
        tested = np.zeros(self.n_samples, dtype=bool)
        tested[self.sample] = True
        return tested

    @property
    def n_untested(self) -> int:
        """Number of samples without any out-of-fold prediction."""
        return self.n_samples - int(np.count_nonzero(self.tested))

    @property
    def is_partition(self) -> bool:
        """Whether every repeat holds every sample exactly once."""
        whole = np.tile(np.arange(self.n_samples), self.n_repeats)
        return bool(np.array_equal(self.sample, whole))
