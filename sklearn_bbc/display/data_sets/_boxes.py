"""Scores of learners over several data sets, as boxes."""

from __future__ import annotations

import pandas as pd

from .._labels import direction
from ._table import TableDisplay


class BoxesDisplay(TableDisplay):
    """Box plot of the scores of several learners over several data sets.

    A box holds the middle half of a learner's scores, the line in it is the median, whiskers
    reach to the last score within one and a half boxes, and every data set is a dot. The
    learner with the best median is on top.

    Parameters
    ----------
    scores : DataFrame or array-like of shape (n_data_sets, n_learners)
        One score per data set and learner. Columns and index of a DataFrame are their names.
    names : sequence of str, default=None
        Names of the learners.
    metric : str, default=""
        Name of the scores, for example ``"roc_auc"``.
    greater_is_better : bool, default=True
        False for losses with their natural sign.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the picture is, after `plot`.
    figure_ : matplotlib Figure
        The figure around it, after `plot`.

    Raises
    ------
    ValueError
        If `scores` is no table of finite numbers, or names do not fit.

    See Also
    --------
    RanksDisplay : Ranks within each data set, where scales of data sets differ.
    CriticalDifferenceDisplay : Which learners are shown to differ.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_bbc.display import BoxesDisplay
    >>> scores = pd.DataFrame({"tree": [0.7, 0.8, 0.6], "forest": [0.8, 0.9, 0.7]})
    >>> display = BoxesDisplay.from_results(scores, metric="roc_auc").plot()
    >>> display.frame().median()
    forest    0.8
    tree      0.7
    dtype: float64
    >>> display.ax_.get_xlabel().splitlines()[0]
    'ROC AUC (greater is better)'
    """

    name = "boxes"

    def frame(self) -> pd.DataFrame:
        order = (-self._scores.median()).sort_values(kind="stable").index
        scores = self._scores[order]
        return 0.0 - scores if self._words.is_loss else scores

    def _label(self) -> str:
        return direction(self._words)
