"""The automatic direction of R's pROC, for repeating published simulations only.

``pROC::auc`` looks at the data to decide whether large scores speak for the positive class.
Wherever the median of the negative rows exceeds that of the positive ones the area is
replaced by its complement, so a useless score looks better than it is.
"""

from __future__ import annotations

import numpy as np

from ..metrics import BoundKernel


def fold_scores_with_auto_direction(kernel: BoundKernel, samples: np.ndarray) -> np.ndarray:
    """Areas per split on some samples, each turned by its own medians.

    Parameters
    ----------
    kernel : BoundKernel
        ``roc_auc`` bound to binary predictions.
    samples : ndarray of shape (n_samples,), bool
        Samples that count.

    Returns
    -------
    ndarray of shape (n_splits, n_configs)
        Areas; NaN for undefined configurations.
    """
    scores = kernel.fold_scores(samples)
    configs = np.flatnonzero(kernel.valid)
    for part in kernel.held_out(configs):
        positive = part.rows.y_codes() == 1
        for split in np.unique(part.fold):
            here = samples[part.sample] & (part.fold == split)
            turned = _turned(part.rows.pred, positive & here, ~positive & here)
            scores[split, configs[turned]] = 1 - scores[split, configs[turned]]
    return scores


def against_direction(kernel: BoundKernel, configs: np.ndarray, samples: np.ndarray) -> np.ndarray:
    """Which configurations would be turned on these samples, shape (n_chosen,), bool."""
    parts = kernel.held_out(configs)
    here = [samples[part.sample] for part in parts]
    positive = [part.rows.y_codes() == 1 for part in parts]
    pooled = np.concatenate([part.rows.pred for part in parts], axis=1)
    chosen, labels = np.concatenate(here), np.concatenate(positive)
    return _turned(pooled, chosen & labels, chosen & ~labels)


def _turned(pred: np.ndarray, positive: np.ndarray, negative: np.ndarray) -> np.ndarray:
    return np.median(pred[:, negative], axis=1) > np.median(pred[:, positive], axis=1)
