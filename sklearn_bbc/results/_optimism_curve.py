"""What the optimism of a search would be, had it tried fewer configurations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from .._equality import same
from .._wording import count, metric_words, shown
from ._arrays import frozen_array

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["OptimismCurve"]

COLUMNS = ("best", "corrected")
BAND = (5, 95)
"""Percentiles of the subsets between which a band lies."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OptimismCurve:
    """Best and corrected scores of random subsets of the configurations that a search tried.

    All scores are in scorer orientation: greater is better.

    Parameters
    ----------
    sizes : ndarray of shape (n_sizes,)
        Numbers of configurations, ascending; the last one is that of all of them.
    best : ndarray of shape (n_sizes, n_subsets)
        Best score of the subset's configurations on all held-out predictions together; NaN
        where a size has fewer subsets.
    corrected : ndarray of shape (n_sizes, n_subsets)
        The same, with the selection repeated in every bootstrap draw, as `BBC` does.
    metric : str
        Name of the metric, for example ``"roc_auc"``.
    n_bootstraps : int
        Number of draws.
    details : mapping, default={}
        By-products: ``seed``, ``n_redrawn``, ``unit``, ``notes``.

    Notes
    -----
    Two curves are equal when all their fields hold the same, with NaN equal to NaN.

    Examples
    --------
    >>> from sklearn_bbc.intervals import optimism_curve
    >>> from sklearn_bbc.testing import example_predictions
    >>> curve = optimism_curve(example_predictions(), "roc_auc", random_state=0)
    >>> curve.sizes
    array([1, 2, 3, 4])
    >>> curve.frame()[["n_subsets", "best", "corrected"]].round(2)
               n_subsets  best  corrected
    n_configs
    1                  4  0.90       0.90
    2                 50  0.94       0.93
    3                 50  0.94       0.92
    4                  1  0.95       0.91
    """

    sizes: np.ndarray
    best: np.ndarray
    corrected: np.ndarray
    metric: str
    n_bootstraps: int
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", frozen_array(self.sizes, dtype=np.intp))
        for name in ("best", "corrected"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), dtype=float))
        object.__setattr__(self, "details", MappingProxyType(dict(self.details)))

    def frame(self) -> pd.DataFrame:
        """Return the curve as a table.

        Returns
        -------
        DataFrame
            Indexed by the number of configurations: ``n_subsets``, and the mean, the 5% and the
            95% percentile over the subsets of the ``best`` score, the ``corrected`` score and
            their difference, the ``optimism``.
        """
        import pandas as pd

        columns: dict[str, Any] = {"n_subsets": np.count_nonzero(~np.isnan(self.best), axis=1)}
        for name, values in (
            ("best", self.best),
            ("corrected", self.corrected),
            ("optimism", self.best - self.corrected),
        ):
            kept = [row[~np.isnan(row)] for row in values]
            columns[name] = [row.mean() if len(row) else np.nan for row in kept]
            for ending, at in zip(("low", "high"), BAND, strict=True):
                columns[f"{name}_{ending}"] = [
                    np.percentile(row, at) if len(row) else np.nan for row in kept
                ]
        return pd.DataFrame(columns, index=pd.Index(self.sizes, name="n_configs"))

    def summary(self) -> str:
        """Say in a sentence how the optimism grows.

        Returns
        -------
        str
            The best and the corrected score of all configurations, and of the fewest.
        """
        frame = self.frame()
        words = metric_words(self.metric, self.best[np.isfinite(self.best)])
        first, last = frame.iloc[0], frame.iloc[-1]
        values = [words.natural(row[name]) for row in (first, last) for name in COLUMNS]
        one, one_corrected, every, every_corrected = shown(*values)
        n_fewest = int(self.sizes[0])
        fewest = (
            "a single one, taken at random," if n_fewest == 1
            else f"the best of {n_fewest:,}, taken at random,"
        )  # fmt: skip
        return (
            f"The best of {count(int(self.sizes[-1]), 'configuration')} has {words.name} {every} "
            f"on the predictions that chose it, and {every_corrected} when it is corrected; "
            f"{fewest} has {one} and {one_corrected}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as a plain dictionary.

        Returns
        -------
        dict
            One entry per field, `details` included.
        """
        result = {f.name: getattr(self, f.name) for f in fields(self)}
        return {**result, "details": dict(self.details)}

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return (
            f"OptimismCurve({self.sizes[-1]} configurations, {len(self.sizes)} sizes, "
            f"metric={self.metric!r}, n_bootstraps={self.n_bootstraps})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OptimismCurve):
            return NotImplemented
        return all(same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    def __hash__(self) -> int:
        return hash((self.metric, self.n_bootstraps, self.sizes.tobytes()))

    # A mapping proxy cannot be pickled, and unpickled arrays come back writeable.
    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "details": dict(self.details)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        OptimismCurve.__post_init__(self)
