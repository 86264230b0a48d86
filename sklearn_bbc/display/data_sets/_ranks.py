"""Ranks of learners within several data sets, as boxes."""

from __future__ import annotations

import pandas as pd

from ._table import TableDisplay


class RanksDisplay(TableDisplay):
    """Box plot of the ranks of several learners within several data sets.

    In each data set the best learner has rank 1; ties share their mean. A box holds the middle
    half of a learner's ranks, the line in it is the median, and every data set is a dot. The
    learner with the best mean rank is on top.

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
    CriticalDifferenceDisplay : Mean ranks, and which learners are shown to differ.
    BoxesDisplay : The scores themselves.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_bbc.display import RanksDisplay
    >>> scores = pd.DataFrame({"tree": [0.7, 0.8, 0.6], "forest": [0.8, 0.9, 0.6]})
    >>> display = RanksDisplay.from_results(scores, metric="roc_auc")
    >>> display.frame()
       forest  tree
    0     1.0   2.0
    1     1.0   2.0
    2     1.5   1.5
    >>> display.plot().ax_.get_xlabel().splitlines()[0]
    'rank by ROC AUC (1 is the best of 2)'
    """

    name = "ranks"

    def frame(self) -> pd.DataFrame:
        ranks = self._scores.rank(axis=1, ascending=False)
        return ranks[ranks.mean().sort_values(kind="stable").index]

    def _label(self) -> str:
        by = f"rank by {self._words.name}" if self.metric else "rank"
        return f"{by} (1 is the best of {self._scores.shape[1]})"
