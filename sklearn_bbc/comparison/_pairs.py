"""Two configurations side by side, as the tests see them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..metrics import Metric
from ..predictions import OOFPredictions
from ._sides import Side, order_of

__all__ = ["Compared", "Pair", "difference_of", "joined"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Compared:
    """What every result of a comparison is about.

    Attributes
    ----------
    metric : Metric
        The metric.
    names : tuple of (str, str)
        The two sides.
    details : dict
        By-products to report; `notes` is a list that the test may extend.
    """

    metric: Metric
    names: tuple[str, str]
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, eq=False)
class Pair(Compared):
    """What a test on predictions is computed on.

    Parameters
    ----------
    metric : Metric
        The metric.
    names : tuple of (str, str)
        The two sides.
    details : dict, default={}
        By-products to report; `notes` is a list that the test may extend.
    oof : OOFPredictions
        Predictions of two configurations: 0 is the first side, 1 the second. They share
        samples, folds, groups and weights. For tests on folds: one of the sides, for its splits.
    kernel : BoundKernel, or ndarray of shape (n_splits, 2)
        The metric bound to `oof`; for tests on folds the scores per fold.

    Examples
    --------
    >>> from sklearn_bbc.comparison import Pair
    >>> from sklearn_bbc.metrics import as_metric
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof, metric = example_predictions(n_configs=2), as_metric("roc_auc")
    >>> pair = Pair(oof=oof, kernel=metric.bind(oof), metric=metric, names=("one", "other"))
    >>> pair.kernel.on_data().shape
    (2,)
    """

    oof: OOFPredictions
    kernel: Any


class _Difference(Metric):
    """A metric whose range is that of its differences."""

    @property
    def bounds(self) -> tuple[float, float]:
        low, high = super().bounds
        return low - high, high - low


def difference_of(metric: Metric) -> Metric:
    """The same metric with the range that differences of its scores have.

    Parameters
    ----------
    metric : Metric
        The metric.
    """
    return _Difference(
        name=metric.name,
        scorer=metric.scorer,
        score_func=metric.score_func,
        response_method=metric.response_method,
        sign=metric.sign,
        kwargs=metric.kwargs,
    )


def joined(first: Side, second: Side, configs: tuple[int, int]) -> OOFPredictions:
    """Predictions of one configuration of each side as those of two configurations.

    Parameters
    ----------
    first, second : Side
        Sides about the same samples and folds, both with predictions.
    configs : tuple of (int, int)
        Configuration of each side.
    """
    one, other = first.oof, second.oof
    i, j = configs
    fold_scores = {
        name: np.stack([scores[:, i], other.fold_scores[name][:, j]], axis=1)
        for name, scores in one.fold_scores.items()
        if name in other.fold_scores
    }
    rows = np.empty(one.n_rows, dtype=np.intp)  # of the other side, in the order of the first
    rows[order_of(one)] = order_of(other)
    return OOFPredictions._quietly(
        y_true=one.y_true,
        responses=_responses_of_both(one, other, configs, rows),
        sample=one.sample,
        fold=one.fold,
        repeat=one.repeat,
        groups=one.groups,
        sample_weight=one.sample_weight,
        metadata={**other.metadata, **one.metadata},
        classes=one.classes_,
        params=_both(one.params, other.params, configs),
        failed=[one.failed[i], other.failed[j]],
        train_size=one.train_size,
        fold_scores=fold_scores or None,
        notes=[*one.notes, *other.notes],
        pos_label=one.pos_label,
    )


def _both(one: tuple[Any, ...], other: tuple[Any, ...], configs: tuple[int, int]) -> Any:
    return [one[configs[0]], other[configs[1]]] if one and other else None


def _responses_of_both(
    one: OOFPredictions, other: OOFPredictions, configs: tuple[int, int], rows: np.ndarray
) -> dict[str, np.ndarray]:
    """Response -> values of both; what one of them lacks is missing, as in a mixed search."""
    names = dict.fromkeys([*one.responses, *other.responses])
    if "plain" in names and not ("plain" in one.responses and "plain" in other.responses):
        recorded = sorted(name for name in names if name != "plain")
        raise ValueError(
            "One side has predictions given as y_pred, the other has recorded "
            f"{' and '.join(recorded)}. Give the arrays under the name of what they are: "
            f"OOFPredictions(responses={{{recorded[0]!r}: array}}, ...), of shape (1, n_samples)."
        )
    columns: dict[str, np.ndarray] = {}
    for name in names:
        values = []
        for oof, config, order in ((one, configs[0], slice(None)), (other, configs[1], rows)):
            array = oof.responses.get(name)
            values.append(None if array is None else array[config][order])
        known = next(value for value in values if value is not None)
        missing = np.full_like(known, -1 if known.dtype.kind in "iu" else np.nan)
        both = [missing if value is None else value for value in values]
        if both[0].shape != both[1].shape:
            raise ValueError(
                f"The predictions of the two sides have different shapes, {both[0].shape} and "
                f"{both[1].shape}: both need as many outputs."
            )
        columns[name] = np.stack(both)
    return columns
