"""Means and covariance of the scores of predictions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import make_scorer

from .._blas import one_blas_thread
from .._scorers import parameters_of
from .._text import config_words
from .._utils import got, suppress_fp_warnings
from ..metrics._arithmetic import in_order, parts_of_sums
from ..metrics._base import class_members
from ..metrics._by_fold import WithinFolds
from ..metrics._metric import BoundMetric, Metric, as_metric
from ..metrics._placements import AUCParts, auc_parts
from ..predictions._moments import ScoreMoments, moments_by
from ..predictions._predictions import OOFPredictions
from ..resampling import Units
from ._influence import Influence, RowValues, influence_of
from ._question import metric_for
from ._unit_values import unit_values

AUC = "roc_auc"
"""Name of the family of the area under the ROC curve."""
ENOUGH_UNITS = 20_000
"""Units from which draws are normal by themselves, where limits of what is checked are half as
large, and large files are read in parts."""


def moments_are_known(kernel: BoundMetric) -> bool:
    """Check whether a score is a mean over samples, or has influence values that are known."""
    if kernel.is_pointwise or isinstance(kernel.metric, WithinFolds):
        return kernel.is_pointwise
    return kernel.family == AUC or influence_of(kernel) is not None


@suppress_fp_warnings()
def moments_of(
    kernel: BoundMetric, configs: np.ndarray, *, apart_from: int | None = None
) -> ScoreMoments:
    """Collect the moments of the scores of some configurations, (n_chosen,), greater is better.

    With `apart_from`, a place in `configs`, of their differences from that one.

    Scores that are no means, and means over repeats or overlapping splits, are linear
    approximations.
    """
    oof = kernel.oof
    units = Units.of(oof)
    if kernel.family != AUC and oof.n_repeats == 1:
        single = len(oof.sample) == units.n_units and oof.groups is None

        def of_part(rows: slice, values: np.ndarray) -> ScoreMoments:
            sample = oof.sample[rows]
            weight = None if oof.sample_weight is None else oof.sample_weight[sample]
            groups = None if single else units.of_sample[sample]
            if apart_from is not None:
                values = values - values[apart_from]
            return _empty(kernel, configs).update(values.T, sample_weight=weight, groups=groups)

        with one_blas_thread:
            if kernel.is_pointwise and np.array_equal(configs, kernel.distinct):
                parts = kernel.map_values(of_part)
            else:
                values_of = _values_of_rows(kernel, configs)
                parts = in_order(
                    lambda rows: of_part(rows, values_of(rows)), parts_of_sums(oof.n_rows)
                )
            found = next(parts)
            for part in parts:
                found.merge(part)
        return of_values(found.close_groups(), kernel)
    step = max(1, 2**22 // units.n_units)
    values = np.empty((units.n_units, len(configs)))
    for first in range(0, len(configs), step):
        values[:, first : first + step] = values_of_units(kernel, configs[first : first + step])
    if apart_from is not None:
        values -= values[:, [apart_from]]
    return of_values(_empty(kernel, configs).update(values), kernel)


def _empty(kernel: BoundMetric, configs: np.ndarray) -> ScoreMoments:
    """Begin without samples."""
    moments = ScoreMoments(len(configs))
    moments.is_fixed = kernel.oof.score_sign is not None  # whether values are looked at for 0 or 1
    return moments


def of_values(moments: ScoreMoments, kernel: BoundMetric) -> ScoreMoments:
    """Say of sums of values what score they are of."""
    oof, metric = kernel.oof, kernel.metric
    moments.metric, moments.bounds = metric.name, metric.bounds
    moments.is_fixed, moments.is_mean = oof.score_sign is not None, kernel.is_pointwise
    moments.class_size, moments.are_groups = effective_class_size(kernel), oof.groups is not None
    moments.n_samples = int(oof.tested.sum())
    return moments


def values_of_units(kernel: BoundMetric, configs: np.ndarray) -> np.ndarray:
    """Compute values (n_units, n_chosen) whose means are the scores, greater is better."""
    units = Units.of(kernel.oof)
    if kernel.family != AUC:
        rows = _values_of_rows(kernel, configs)(slice(None))
        return unit_values(kernel.oof, units, rows)[1].T
    parts = _areas(kernel, configs, units)
    own = units.n_units * (parts.positive + parts.negative) + parts.auc[:, None]
    return np.asarray(kernel.metric.sign * own.T)


def _values_of_rows(kernel: BoundMetric, configs: np.ndarray) -> Callable[[slice], np.ndarray]:
    """Find what computes values (n_chosen, n_rows) of some rows, whose mean is the score."""
    if not kernel.is_pointwise:
        return RowValues(kernel, configs)

    def values(rows: slice) -> np.ndarray:
        found = kernel.pointwise(configs, rows)
        assert found is not None
        return found

    return values


def effective_class_size(kernel: BoundMetric) -> float:
    """Count the units of the rarest class that a score needs; inf where it needs none.

    With weights, as many of equal weight as weigh as much.
    """
    sizes = _ClassSizes()
    sizes.add(kernel)
    return sizes.smallest


class _ClassSizes:
    """Effective numbers of units of the classes that a score needs, from parts of the samples."""

    def __init__(self) -> None:
        self._single: dict[str, np.ndarray] = {}  # of samples: sums of weights, and of squares
        self._grouped: dict[str, dict[Any, float]] = {}  # of groups: their weights

    def add(self, kernel: BoundMetric) -> None:
        """Add the samples of a part."""
        oof = kernel.oof
        if kernel.is_pointwise:
            return
        members = dict(zip(kernel.strata_names, () if kernel.strata is None else kernel.strata))
        classes = class_members(kernel)
        members |= {} if classes is None else dict(zip(classes[1], classes[0]))
        weight = np.ones(oof.n_samples) if oof.sample_weight is None else oof.sample_weight
        for name, chosen in members.items():
            own = weight[chosen]
            if oof.groups is None:
                sums = self._single.setdefault(name, np.zeros(2))
                sums += own.sum(), own @ own
                continue
            codes, labels = pd.factorize(np.asarray(oof.groups)[chosen])
            known = self._grouped.setdefault(name, {})
            for label, of_group in zip(labels.tolist(), np.bincount(codes, own).tolist()):
                known[label] = known.get(label, 0.0) + of_group

    @property
    def smallest(self) -> float:
        """That of the rarest class; inf where none is needed."""
        found = [np.inf, *(sums[0] ** 2 / sums[1] for sums in self._single.values())]
        for known in self._grouped.values():
            own = np.array([*known.values()])
            found.append(own.sum() ** 2 / (own @ own))
        return float(min(found))


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


def looks_at_rows_apart(kernel: BoundMetric) -> bool:
    """Check whether rows of different parts meet in sums only, or the score is not known."""
    influence = influence_of(kernel)
    apart = influence is not None and influence.in_parts
    return kernel.is_pointwise or apart or not moments_are_known(kernel)


def moments_of_predictions(
    chunks: Any, scoring: Any, arguments: Mapping[str, Any]
) -> ScoreMoments:
    """Score predictions part by part, see `ScoreMoments.from_predictions`."""
    kernels = kernels_of(chunks, scoring, arguments)
    first = next(kernels, None)
    if first is None:
        raise ValueError("chunks is empty: give the predictions of some samples.")
    if first.is_pointwise:
        return _added(itertools.chain([first], kernels))
    if not moments_are_known(first):
        raise ValueError(_NO_SUMS.format(first.metric.name))
    influence = influence_of(first)
    if influence is None or not influence.in_parts:  # samples of all parts are compared
        if next(kernels, None) is None:
            return _of_one(first)
        joined = _joined(list(_anew(chunks, first.metric)), first.metric)
        return _of_one(next(kernels_of([joined], scoring, arguments)))
    if first.oof.n_repeats > 1:
        return _of_one(first, n_others=sum(1 for _ in kernels))
    again = _anew(chunks, first.metric)
    for kernel in itertools.chain([first], kernels):
        (part,) = kernel.held_out(np.arange(kernel.n_configs))
        influence.add(influence.read(part), part.weight)
    return _added(kernels_of(again, scoring, arguments), influence)


def kernels_of(chunks: Any, scoring: Any, arguments: Mapping[str, Any]) -> Iterator[BoundMetric]:
    """Bind the metric to one part after the other."""
    known, n_configs = None, None
    for number, oof in enumerate(_parts(chunks, arguments)):
        metric = metric_for(oof, scoring).with_classes(oof.classes_)
        known = _check_classes(metric, oof, known, number)
        kernel = _with_labels(metric, oof).bind(oof)
        if not kernel.valid.all():
            config = int(np.flatnonzero(~kernel.valid)[0])
            raise ValueError(
                f"{config_words(config, oof.params)} lacks a prediction in part {number}, or "
                f"{metric.name} cannot score it. Leave the configuration out of all parts."
            )
        n_configs = oof.n_configs if n_configs is None else n_configs
        if oof.n_configs != n_configs:
            raise ValueError(
                f"Part {number} has {oof.n_configs} configurations, those before have "
                f"{n_configs}. Every part needs the predictions of all of them."
            )
        yield kernel


def _added(kernels: Iterable[BoundMetric], influence: Influence | None = None) -> ScoreMoments:
    """Add up the values of the rows of all parts."""
    found: ScoreMoments | None = None
    sizes = _ClassSizes()
    for kernel in kernels:
        sizes.add(kernel)
        oof, sign = kernel.oof, kernel.metric.sign
        configs = np.arange(oof.n_configs)
        if found is None:
            found = ScoreMoments(oof.n_configs, _names(oof), greater_is_better=sign > 0)
            found.metric, found.bounds = kernel.metric.name, kernel.metric.bounds
            found.is_fixed = oof.score_sign is not None
        if influence is None:
            values = kernel.pointwise(configs)
            assert values is not None
            values = sign * values
        else:
            (part,) = kernel.held_out(configs)
            values = influence.values(influence.read(part))
        by_sample, sample, weight = _of_samples(values.T, oof)
        groups = None if oof.groups is None else oof.groups[sample]
        found.update(by_sample, sample_weight=weight, groups=groups)
    assert found is not None
    found.is_mean, found.class_size = influence is None, sizes.smallest
    return found


def _names(oof: OOFPredictions) -> list[str] | None:
    return [config_words(k, oof.params) for k in range(oof.n_configs)] if oof.params else None


def _of_one(kernel: BoundMetric, n_others: int = 0) -> ScoreMoments:
    """Collect the moments of predictions that are given as one."""
    if n_others:
        raise ValueError(
            f"{kernel.metric.name} of repeated cross-validation needs all predictions as one part."
        )
    found = moments_of(kernel, np.arange(kernel.n_configs))
    names = _names(kernel.oof)
    found.names = None if names is None else tuple(names)
    return found


def _anew(chunks: Any, metric: Metric) -> Any:
    """Return what yields the parts once more; raise where they are gone."""
    if isinstance(chunks, Iterator):
        raise ValueError(
            f"{metric.name} is no mean over samples: its parts are looked at twice. Give a list, "
            "or a function without arguments that returns the parts from the beginning."
        )
    return chunks() if callable(chunks) else chunks


def _joined(parts: list[Any], metric: Metric) -> dict[str, Any]:
    """Join parts of predictions whose samples are compared with each other."""
    if not all(isinstance(part, Mapping) and part.keys() == parts[0].keys() for part in parts):
        raise ValueError(
            f"{metric.name} compares samples of all parts. Give the same arguments of each, such "
            "as {'y_true': y, 'y_pred': p}, or all predictions as one."
        )

    def all_of(name: str) -> Any:
        values = [part[name] for part in parts]
        if name in _OF_SAMPLES:
            tables = all(isinstance(each, (pd.DataFrame, pd.Series)) for each in values)
            return pd.concat(values, ignore_index=True) if tables else np.concatenate(values)
        return values[0]

    return {name: all_of(name) for name in parts[0]}


_OF_SAMPLES = ("y_true", "y_pred", "groups", "sample_weight", "fold")


def _check_classes(
    metric: Metric, oof: OOFPredictions, known: np.ndarray | None, number: int
) -> np.ndarray | None:
    """Raise where a part has other classes, so that another one could be positive.

    Returns the classes of the first part; None where they do not matter.
    """
    classes = oof.classes_
    if classes is None or metric.response_method == ("predict",):
        return None
    if known is None or np.array_equal(known, classes):
        return classes
    usual = any(np.isin([*known, *classes], pair).all() for pair in ((0, 1), (-1, 1)))
    if oof.pos_label is None and usual:
        return known
    both = list(dict.fromkeys([*known.tolist(), *classes.tolist()]))
    raise ValueError(
        f"Part {number} has the classes {classes.tolist()}, the first one {known.tolist()}: which "
        f"of them is positive could differ. Name all of them for all parts: classes={both}."
    )


def _with_labels(metric: Metric, oof: OOFPredictions) -> Metric:
    """Tell a metric of probabilities all classes, where the samples of a part lack some."""
    classes, function = oof.classes_, metric.score_func
    if (
        classes is None or function is None or metric.response_method in ((), ("predict",))
        or "labels" not in parameters_of(function) or "labels" in metric.kwargs
        or len(np.unique(oof.y_true)) == len(classes) or len(classes) < 2
    ):  # fmt: skip
        return metric
    methods = metric.response_method
    scorer = make_scorer(
        function, response_method=methods[0] if len(methods) == 1 else methods,
        greater_is_better=metric.sign > 0, labels=classes.tolist(), **metric.kwargs,
    )  # fmt: skip
    return replace(as_metric(scorer), name=metric.name).with_classes(classes)


def _of_samples(
    values: np.ndarray, oof: OOFPredictions
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Average scores (n_rows, n_configs) of samples that were held out several times.

    Returns scores, samples and weights; one that is held out more often in a repeat weighs more.
    """
    sample, weight = oof.sample, oof.sample_weight
    times = np.bincount(sample, minlength=oof.n_samples)
    if times.max() > 1:
        total = np.zeros((oof.n_samples, values.shape[1]))
        np.add.at(total, sample, values)
        sample = np.flatnonzero(times)
        values, share = total[sample] / times[sample, None], times / oof.n_repeats
        if weight is not None or (share[sample] != 1).any():
            weight = share if weight is None else weight * share
    return values, sample, None if weight is None else weight[sample]


_NO_SUMS = (
    "{} cannot be added up over parts. Means over samples can, such as accuracy, log loss, Brier "
    "score and squared or absolute errors, and the area under the ROC curve, concordance, RMSE, "
    "R2, and scores of labels such as F1 and kappa (of one output and few classes). For another "
    "one give all predictions to BBC().estimate(oof, scoring); as a memory map they need not fit "
    "into memory."
)


def _parts(chunks: Any, arguments: Mapping[str, Any]) -> Iterator[OOFPredictions]:
    """Yield predictions of some samples at a time."""
    if isinstance(chunks, (OOFPredictions, Mapping)):
        chunks = [chunks]
    given = chunks
    if callable(chunks):
        chunks = chunks()
    if not isinstance(chunks, Iterable):
        raise ValueError(
            "chunks must be OOFPredictions, an iterable of them or of their arguments, such as "
            f"[{{'y_true': y, 'y_pred': p}}], or a function that returns one, got {got(given)}."
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
