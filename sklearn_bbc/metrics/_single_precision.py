"""Scores in single precision, to repeat studies whose code computed so."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from ..predictions import OOFPredictions
from ._base import first_best
from ._bound import BoundKernel
from ._metric import Metric, as_metric


def single_precision(scoring: Any) -> Metric:
    """Make a metric whose predictions and scores are rounded to 32 bits.

    Only to repeat studies: the code published with BBC-F computes areas under the ROC curve
    in single precision. Scores that are equal, or differ by less than a ten-millionth, may
    then change their order, and with it the winner.

    Parameters
    ----------
    scoring : str, scorer or Metric
        As in `as_metric`.

    Returns
    -------
    Metric
        Its name says ``"(float32)"``.

    Notes
    -----
    The rounding of each score is repeated, not that of the sums inside it, which depends on
    the order in which code adds.

    References
    ----------
    .. [1] K. Paraschakis, A. Castellani, G. Borboudakis, I. Tsamardinos, "Confidence
       interval estimation of predictive performance in the context of AutoML",
       AutoML Conference (2024).

    Examples
    --------
    Means of fold scores that are equal in exact arithmetic have an order in single precision:

    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import BBCF
    >>> from sklearn_bbc.metrics import single_precision
    >>> auc = np.array([[.7, .8], [.7, .6], [.7, .7], [.7, .7], [.7, .7]])
    >>> oof = OOFPredictions(y_true=[], classes=None, fold_scores={"roc_auc": auc})
    >>> winner, rounded = (BBCF().estimate(oof, metric).details["winner"]
    ...                    for metric in ("roc_auc", single_precision("roc_auc")))
    >>> winner, rounded
    (0, 1)
    """
    metric = as_metric(scoring)
    if isinstance(metric, _SinglePrecision):
        return metric
    given = {field.name: getattr(metric, field.name) for field in fields(metric)}
    return _SinglePrecision(**given | {"name": f"{metric.name} (float32)"})


class _SinglePrecision(Metric):
    def bind(self, oof: OOFPredictions) -> BoundKernel:
        return _RoundedKernel(self, oof)

    def fold_scores(self, oof: OOFPredictions) -> np.ndarray:
        exact = _exact(self)
        if exact.name in oof.fold_scores or not oof.responses:
            return _rounded(exact.fold_scores(oof))
        return self.bind(oof).fold_scores()


def _exact(metric: Metric) -> Metric:
    """The metric that was rounded."""
    given = {field.name: getattr(metric, field.name) for field in fields(metric)}
    return Metric(**given | {"name": metric.name.removesuffix(" (float32)")})


class _RoundedKernel(BoundKernel):
    """Selects on rounded scores, so no kernel may stop early on exact ones."""

    def _choose_response(
        self, oof: OOFPredictions
    ) -> tuple[np.ndarray, dict[str, np.ndarray], bool]:
        pred, responses, codes_given = super()._choose_response(oof)
        responses = {name: _rounded(array) for name, array in responses.items()}
        return _rounded(pred), responses, codes_given

    def winners(self, weights: np.ndarray) -> np.ndarray:
        winners = first_best(self._distinct_scores(weights))
        return np.where(winners < 0, -1, self._distinct[winners])

    def score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        return _rounded(super().score_of(weights, configs))

    def fold_scores(
        self, weights: np.ndarray | None = None, configs: np.ndarray | None = None
    ) -> np.ndarray:
        return _rounded(super().fold_scores(weights, configs))

    def _distinct_scores(self, weights: np.ndarray) -> np.ndarray:
        return _rounded(super()._distinct_scores(weights))


def _rounded(values: np.ndarray) -> np.ndarray:
    """Values as single precision has them; whole numbers and labels stay as they are."""
    return values.astype(np.float32).astype(values.dtype) if values.dtype.kind == "f" else values
