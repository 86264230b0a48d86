"""Scores in single precision, to repeat studies whose code computed so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from ..metrics import BoundKernel, Metric, as_metric
from ..metrics._base import first_best
from ..metrics._repeat import Pass
from ..predictions import OOFPredictions
from ..results import frozen_array

SUFFIX = " (float32)"


def single_precision(scoring: Any) -> Metric:
    """Make a metric whose predictions and scores are rounded to 32 bits.

    Only to repeat studies: the code published with BBC-F computes areas under the ROC curve
    in single precision. Scores that are equal, or differ by less than a ten-millionth of
    their size, may then change their order, and with it the winner.

    Parameters
    ----------
    scoring : str, scorer or Metric
        As in `as_metric`.

    Returns
    -------
    Metric
        Its name says ``"(float32)"``. For every interval method, for ``search.interval`` and
        for `with_winner`; a search itself needs a scorer to score with.

    Notes
    -----
    Predictions, numbers to be predicted and each score are rounded. Sums inside a score, and
    means over folds, stay in double precision: their rounding depends on the order in which
    code adds.

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
    >>> from sklearn_bbc.replication import single_precision
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
    return _SinglePrecision(**given | {"name": f"{metric.name}{SUFFIX}"})


class _SinglePrecision(Metric):
    def bind(self, oof: OOFPredictions) -> BoundKernel:
        return _RoundedKernel(self, _with_rounded_target(oof))

    def recorded_fold_scores(self, oof: OOFPredictions) -> np.ndarray | None:
        recorded = oof.fold_scores.get(self.name.removesuffix(SUFFIX))
        return None if recorded is None else _rounded(recorded)


def _with_rounded_target(oof: OOFPredictions) -> OOFPredictions:
    """The same predictions with numbers to be predicted in single precision; labels stay."""
    if oof.classes_ is not None or oof.y_true.dtype.kind != "f":
        return oof
    return oof._with_fields(y_true=frozen_array(_rounded(oof.y_true)))


class _RoundedKernel(BoundKernel):
    """Selects on rounded scores, so no kernel may stop early on exact ones."""

    def _choose_response(
        self, oof: OOFPredictions
    ) -> tuple[np.ndarray, dict[str, np.ndarray], bool]:
        pred, responses, codes_given = super()._choose_response(oof)
        responses = {name: _rounded(array) for name, array in responses.items()}
        return _rounded(pred), responses, codes_given

    def passes(self) -> Iterator[Pass]:
        return iter(())

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
