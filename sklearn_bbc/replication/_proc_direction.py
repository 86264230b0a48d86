"""The automatic direction of R's pROC, for repeating published simulations only.

``pROC::auc`` looks at the data to decide whether large scores speak for the positive class.
Wherever the median of the negative rows exceeds that of the positive ones the area is
replaced by its complement, so a useless score looks better than it is.
"""

from __future__ import annotations

import numpy as np
from sklearn.metrics import roc_auc_score

from ..intervals.tilting._learn_evaluate import Direction
from ..metrics import BoundKernel


class ProcDirection(Direction):
    """Areas under the ROC curve, turned as R's pROC turns them.

    ``LearnEvaluate(auto_direction=True)`` is this: in each fold of the learn part, and on the
    evaluation part, a score is reversed whenever the median of the negative samples exceeds that
    of the positive ones [1]_. Scores below 0.5 turn into scores above 0.5.

    See Also
    --------
    PublishedTilting : Turns resamples too, with ``auto_direction=True``.

    References
    ----------
    .. [1] X. Robin et al., "pROC: an open-source package for R and S+ to analyze and compare
       ROC curves", BMC Bioinformatics 12, 77 (2011). :doi:`10.1186/1471-2105-12-77`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.metrics import as_metric
    >>> from sklearn_bbc.replication import ProcDirection
    >>> oof = OOFPredictions(y_true=[0, 0, 1, 1], y_pred=[4.0, 3.0, 2.0, 1.0])
    >>> kernel = as_metric("roc_auc").bind(oof)
    >>> bool(ProcDirection().turned(kernel, np.array([0]), np.ones(4, dtype=bool))[0])
    True
    """

    def check(self, kernel: BoundKernel) -> None:
        """Raise ValueError unless the metric is ``roc_auc``; see `Direction`."""
        if kernel.metric.score_func is not roc_auc_score:
            raise ValueError(
                "auto_direction reverses scores of roc_auc, got the metric "
                f"{kernel.metric.name}. Leave it at False."
            )

    def fold_scores(self, kernel: BoundKernel, samples: np.ndarray) -> np.ndarray:
        """Areas per split, each turned by its own medians; see `Direction`."""
        scores = kernel.fold_scores(samples)
        configs = np.flatnonzero(kernel.valid)
        for part in kernel.held_out(configs):
            positive = part.rows.y_codes() == 1
            for split in np.unique(part.fold):
                here = samples[part.sample] & (part.fold == split)
                turned = _turned(part.rows.pred, positive & here, ~positive & here)
                scores[split, configs[turned]] = 1 - scores[split, configs[turned]]
        return scores

    def turned(self, kernel: BoundKernel, configs: np.ndarray, samples: np.ndarray) -> np.ndarray:
        """Which configurations would be turned on some samples; see `Direction`."""
        parts = kernel.held_out(configs)
        here = [samples[part.sample] for part in parts]
        positive = [part.rows.y_codes() == 1 for part in parts]
        pooled = np.concatenate([part.rows.pred for part in parts], axis=1)
        chosen, labels = np.concatenate(here), np.concatenate(positive)
        return _turned(pooled, chosen & labels, chosen & ~labels)


def turned_in_draws(kernel: BoundKernel, configs: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Which configurations would be turned in each draw.

    Parameters
    ----------
    kernel : BoundKernel
        ``roc_auc`` bound to binary predictions.
    configs : ndarray of shape (n_chosen,) of int
        Configurations.
    counts : ndarray of shape (n_draws, n_samples) of int
        How often each sample was drawn.

    Returns
    -------
    ndarray of shape (n_draws, n_chosen), bool
        True where the median of the negative rows exceeds that of the positive ones.
    """
    parts = kernel.held_out(configs)
    pooled = np.concatenate([part.rows.pred for part in parts], axis=1)  # (n_chosen, n_rows)
    positive = np.concatenate([part.rows.y_codes() == 1 for part in parts])
    drawn = counts[:, np.concatenate([part.sample for part in parts])]
    of_class = [
        np.column_stack([_medians(pred[rows], drawn[:, rows]) for pred in pooled])
        for rows in (positive, ~positive)
    ]
    return of_class[1] > of_class[0]


def _medians(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Median of each draw of some values, shape (n_draws,)."""
    order = np.argsort(values, kind="stable")
    running = np.cumsum(counts[:, order], axis=1, dtype=np.int64)
    n = running[:, -1:]
    # The two values in the middle, which are the same one where their number is odd.
    middle = [(running <= place).sum(axis=1) for place in ((n - 1) // 2, n // 2)]
    return values[order][middle].mean(axis=0)


def _turned(pred: np.ndarray, positive: np.ndarray, negative: np.ndarray) -> np.ndarray:
    return np.median(pred[:, negative], axis=1) > np.median(pred[:, positive], axis=1)
