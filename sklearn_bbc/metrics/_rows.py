"""What a bootstrap kernel sees of the out-of-fold predictions: the rows of one repeat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class RowData:
    """Predictions of valid, distinct configurations for the rows of one repeat.

    Attributes
    ----------
    y : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        True labels or values, as the user gave them.
    pred : ndarray of shape (n_configs, n_rows) or (n_configs, n_rows, n_outputs)
        What the metric consumes; no NaN. Labels are codes into `classes` when
        `codes_given` is true.
    classes : ndarray of shape (n_classes,) or None
        Sorted class labels.
    codes_given : bool
        Whether `pred` holds codes instead of labels.
    kwargs : mapping
        Keyword arguments of the metric.
    sign : int
        +1 when greater is better, else -1; only for choosing winners.
    weighted : bool
        Whether weights of draws carry sample weights, so that they are not plain counts.
    responses : mapping of str to ndarray of shape (n_configs, n_rows[, n_outputs])
        Every recorded response, missing ones included; only for scorers whose inside
        cannot be seen, which may ask for any of them.
    fold : ndarray of shape (n_rows,) or None
        Split in which each row was held out; only for metrics within folds.
    metadata : mapping of str to object
        Parameter of the scorer -> entries of the rows that it asked for; ``"y"`` is the target
        as a Series.
    """

    y: np.ndarray
    pred: np.ndarray
    classes: np.ndarray | None
    codes_given: bool
    kwargs: Mapping[str, Any]
    sign: int = 1
    weighted: bool = False
    responses: Mapping[str, np.ndarray] = field(default_factory=dict)
    fold: np.ndarray | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.pred.shape[1]

    @property
    def n_configs(self) -> int:
        """Number of configurations."""
        return self.pred.shape[0]

    def of(self, configs: np.ndarray) -> RowData:
        """The same rows with some of the configurations, by their indices."""
        return replace(
            self,
            pred=self.pred[configs],
            responses={name: array[configs] for name, array in self.responses.items()},
        )

    def y_codes(self) -> np.ndarray:
        """Codes of the true labels, shape (n_rows,)."""
        if self.classes is None:
            raise ValueError("The metric needs class labels, but the target is continuous.")
        return np.searchsorted(self.classes, self.y)

    def label_classes(self) -> np.ndarray:
        """All labels, those only predicted included, in sorted order, shape (n_classes,).

        Raises
        ------
        ValueError
            If the predictions are not labels.
        """
        if self.codes_given and self.classes is not None:
            return self.classes
        if self.pred.dtype.kind == "f" and not _are_whole(self.pred):
            raise ValueError(
                "The metric needs class labels, but the predictions are continuous. Give labels, "
                "or use a metric of scores such as roc_auc."
            )
        if self.y.ndim != 1 or self.pred.ndim != 2:
            raise ValueError("The metric needs one label per sample.")
        dtype = np.result_type(self.y, self.pred)
        classes = np.unique(self.y.astype(dtype))
        if len(classes) <= 10:
            # A few comparisons are much faster than sorting all predictions.
            if all(_are_among(labels, classes) for labels in self.pred):
                return classes
        return np.union1d(classes, self.pred.astype(dtype))

    def labels(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """True and predicted label codes and what they stand for.

        Returns
        -------
        y_codes : ndarray of shape (n_rows,), intp
            Codes of the true labels.
        pred_codes : ndarray of shape (n_configs, n_rows), of a small integer type
            Codes of the predicted labels.
        classes : ndarray of shape (n_classes,)
            All labels, those only predicted included, in sorted order.

        Raises
        ------
        ValueError
            If the predictions are not labels.
        """
        classes = self.label_classes()
        if self.codes_given:
            return self.y_codes(), self.pred, classes
        codes = np.empty(self.pred.shape, np.min_scalar_type(len(classes)))
        for config, labels in enumerate(self.pred):  # eight bytes each would be large
            codes[config] = np.searchsorted(classes, labels.astype(classes.dtype, copy=False))
        return np.searchsorted(classes, self.y), codes, classes


def _are_whole(pred: np.ndarray) -> bool:
    """Whether all numbers are whole, looked at configuration by configuration."""
    return all(bool((values == np.rint(values)).all()) for values in pred)


def _are_among(labels: np.ndarray, classes: np.ndarray) -> bool:
    known = np.zeros(labels.shape, dtype=bool)
    for label in classes:
        known |= labels == label
    return bool(known.all())
