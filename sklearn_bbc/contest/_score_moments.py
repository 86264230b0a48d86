"""Means and covariance of the scores of predictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from .._text import config_words
from .._utils import got, suppress_fp_warnings
from ..metrics._classification import metric_for
from ..metrics._metric import BoundMetric
from ..metrics._placements import AUCParts, auc_parts
from ..predictions._moments import ScoreMoments, moments_by
from ..predictions._predictions import OOFPredictions
from ..resampling import Units
from ._unit_values import unit_values

AUC = "roc_auc"
"""Name of the family of the area under the ROC curve."""
_ROWS = 2**14
"""Rows that are scored together."""


def moments_are_known(kernel: BoundMetric) -> bool:
    """Check whether a score is a mean over samples, or of placements."""
    return kernel.is_pointwise or kernel.family == AUC


@suppress_fp_warnings()
def moments_of(oof: OOFPredictions, kernel: BoundMetric, configs: np.ndarray) -> ScoreMoments:
    """Collect the moments of the scores of some configurations, (n_chosen,), greater is better.

    The area under the ROC curve, and means over repeats or overlapping splits, are linear
    approximations.
    """
    found = ScoreMoments(len(configs))
    found.metric, found.bounds = kernel.metric.name, kernel.metric.bounds
    found.is_fixed = oof.score_sign is not None
    units = Units.of(oof)
    if kernel.is_pointwise and oof.n_repeats == 1:
        single = len(oof.sample) == units.n_units and oof.groups is None
        for first in range(0, oof.n_rows, _ROWS):
            rows = slice(first, first + _ROWS)
            values, sample = kernel.pointwise(configs, rows), oof.sample[rows]
            assert values is not None
            weight = None if oof.sample_weight is None else oof.sample_weight[sample]
            groups = None if single else units.of_sample[sample]
            found.update(values.T, sample_weight=weight, groups=groups)
        found.close_groups()
        return found
    step = max(1, 2**22 // units.n_units)
    values = np.empty((units.n_units, len(configs)))
    for first in range(0, len(configs), step):
        chosen = configs[first : first + step]
        if kernel.is_pointwise:
            rows_of = kernel.pointwise(chosen)
            assert rows_of is not None
            own = unit_values(oof, units, rows_of)[1]
        else:
            parts = _areas(kernel, chosen, units)
            own = units.n_units * (parts.positive + parts.negative) + parts.auc[:, None]
            own *= kernel.metric.sign
        values[:, first : first + step] = own.T
    return found.update(values)


def _areas(kernel: BoundMetric, configs: np.ndarray, units: Units) -> AUCParts:
    """Split areas under the ROC curve by unit, as means over repeats."""
    return AUCParts.mean(
        [
            auc_parts(
                part.rows.pred, part.rows.y_codes() == 1, unit=units.of_sample[part.sample],
                n_units=units.n_units, weight=part.weight,
            )
            for part in kernel.held_out(configs)
        ]
    )  # fmt: skip


def moments_of_predictions(
    chunks: Any, scoring: Any, arguments: Mapping[str, Any]
) -> ScoreMoments:
    """Score predictions part by part, see `ScoreMoments.from_predictions`."""
    found: ScoreMoments | None = None
    parts = _parts(chunks, arguments)
    for number, oof in enumerate(parts):
        metric = metric_for(oof, scoring).with_classes(oof.classes_)
        kernel = metric.bind(oof)
        if not kernel.valid.all():
            config = int(np.flatnonzero(~kernel.valid)[0])
            raise ValueError(
                f"{config_words(config, oof.params)} lacks a prediction in part {number}, or "
                f"{metric.name} cannot score it. Leave the configuration out of all parts."
            )
        if not kernel.is_pointwise:
            raise ValueError(_NO_MEAN.format(metric.name))
        if found is None:
            names = [config_words(k, oof.params) for k in range(oof.n_configs)]
            known = names if len(oof.params) else None
            found = ScoreMoments(oof.n_configs, known, greater_is_better=metric.sign > 0)
            found.metric, found.bounds = metric.name, metric.bounds
            found.is_fixed = oof.score_sign is not None
        if oof.n_configs != found.n_configs:
            raise ValueError(
                f"Part {number} has {oof.n_configs} configurations, those before have "
                f"{found.n_configs}. Every part needs the predictions of all of them."
            )
        values = kernel.pointwise(np.arange(oof.n_configs))
        assert values is not None
        weight, groups = oof.sample_weight, oof.groups
        found.update(
            metric.sign * values.T,
            sample_weight=None if weight is None else weight[oof.sample],
            groups=None if groups is None else groups[oof.sample],
        )
    if found is None:
        raise ValueError("chunks is empty: give the predictions of some samples.")
    return found


_NO_MEAN = (
    "{} is no mean over samples, so it cannot be added up over parts. Metrics such as accuracy, "
    "log loss, Brier score and squared or absolute errors are. For another one, or the area under "
    "the ROC curve, give all predictions to BBC().estimate(oof, scoring); as a memory map they "
    "need not fit into memory."
)


def _parts(chunks: Any, arguments: Mapping[str, Any]) -> Iterator[OOFPredictions]:
    """Yield predictions of some samples at a time."""
    if isinstance(chunks, (OOFPredictions, Mapping)):
        chunks = [chunks]
    if not isinstance(chunks, Iterable):
        raise ValueError(
            "chunks must be OOFPredictions, or an iterable of them or of their arguments, such as "
            f"[{{'y_true': y, 'y_pred': p}}], got {got(chunks)}."
        )
    for chunk in chunks:
        if isinstance(chunk, Mapping):
            chunk = OOFPredictions(**{**arguments, **chunk})
        if not isinstance(chunk, OOFPredictions):
            raise ValueError(
                "Each part must be OOFPredictions or a dict of their arguments, such as "
                f"{{'y_true': y, 'y_pred': p}}, got {got(chunk)}."
            )
        yield chunk


# Sums are a layer below: what scores predictions is handed down to them.
moments_by(moments_of_predictions)
