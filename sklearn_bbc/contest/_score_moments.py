"""Means and covariance of the scores of predictions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import make_scorer

from .._scorers import parameters_of
from .._text import config_words
from .._utils import did_you_mean, got, suppress_fp_warnings
from ..metrics._base import class_members
from ..metrics._by_fold import WithinFolds
from ..metrics._classification import metric_for
from ..metrics._metric import BoundMetric, Metric, as_metric
from ..metrics._placements import AUCParts, auc_parts
from ..predictions._moments import ScoreMoments, moments_by
from ..predictions._predictions import OOFPredictions
from ..resampling import Units
from ._influence import Influence, RowValues, influence_of
from ._unit_values import unit_values

AUC = "roc_auc"
"""Name of the family of the area under the ROC curve."""
_ROWS = 2**14
"""Rows that are scored together."""


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
    oof, found = kernel.oof, ScoreMoments(len(configs))
    found.metric, found.bounds = kernel.metric.name, kernel.metric.bounds
    found.is_fixed = oof.score_sign is not None
    units = Units.of(oof)
    if kernel.family != AUC and oof.n_repeats == 1:
        values_of = _values_of_rows(kernel, configs)
        single = len(oof.sample) == units.n_units and oof.groups is None
        for first in range(0, oof.n_rows, _ROWS):
            rows = slice(first, first + _ROWS)
            values, sample = values_of(rows), oof.sample[rows]
            weight = None if oof.sample_weight is None else oof.sample_weight[sample]
            groups = None if single else units.of_sample[sample]
            if apart_from is not None:
                values = values - values[apart_from]
            found.update(values.T, sample_weight=weight, groups=groups)
        found.close_groups()
        found.is_mean = kernel.is_pointwise
        return found
    step = max(1, 2**22 // units.n_units)
    values = np.empty((units.n_units, len(configs)))
    for first in range(0, len(configs), step):
        chosen = configs[first : first + step]
        if kernel.family != AUC:
            own = unit_values(oof, units, _values_of_rows(kernel, chosen)(slice(None)))[1]
        else:
            parts = _areas(kernel, chosen, units)
            own = units.n_units * (parts.positive + parts.negative) + parts.auc[:, None]
            own *= kernel.metric.sign
        values[:, first : first + step] = own.T
    if apart_from is not None:
        values -= values[:, [apart_from]]
    found.update(values)
    found.is_mean = kernel.is_pointwise
    return found


def _values_of_rows(kernel: BoundMetric, configs: np.ndarray) -> Callable[[slice], np.ndarray]:
    """Find what computes values (n_chosen, n_rows) of some rows, whose mean is the score."""
    if not kernel.is_pointwise:
        return RowValues(kernel, configs, _ROWS)

    def values(rows: slice) -> np.ndarray:
        found = kernel.pointwise(configs, rows)
        assert found is not None
        return found

    return values


def effective_class_size(kernel: BoundMetric) -> float:
    """Count the units of the rarest class that a score needs; inf where it needs none.

    With weights, as many of equal weight as weigh as much.
    """
    oof, sizes = kernel.oof, [np.inf]
    classes = class_members(kernel.metric, oof)
    if kernel.is_pointwise or (kernel.strata is None and classes is None):
        return np.inf
    of_sample = Units.of(oof).of_sample
    weight = np.ones(oof.n_samples) if oof.sample_weight is None else oof.sample_weight
    strata = kernel.strata if kernel.strata is not None else np.zeros((0, oof.n_samples), bool)
    for members in (*strata, *(() if classes is None else classes[0])):
        own = np.bincount(of_sample[members], weights=weight[members])
        sizes.append(float(own.sum() ** 2 / (own @ own)))
    return min(sizes)


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
    kernels = _kernels(chunks, scoring, arguments)
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
        return _of_one(next(_kernels([joined], scoring, arguments)))
    if first.oof.n_repeats > 1:
        return _of_one(first, n_others=sum(1 for _ in kernels))
    again = _anew(chunks, first.metric)
    for kernel in itertools.chain([first], kernels):
        (part,) = kernel.held_out(np.arange(kernel.n_configs))
        influence.add(influence.read(part), part.weight)
    return _added(_kernels(again, scoring, arguments), influence)


def _kernels(chunks: Any, scoring: Any, arguments: Mapping[str, Any]) -> Iterator[BoundMetric]:
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
    for kernel in kernels:
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
    found.is_mean = influence is None
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
    return as_metric(
        make_scorer(
            function, response_method=methods[0] if len(methods) == 1 else methods,
            greater_is_better=metric.sign > 0, labels=classes.tolist(), **metric.kwargs,
        )
    ).with_classes(classes)  # fmt: skip


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
    if callable(chunks):
        chunks = chunks()
    if not isinstance(chunks, Iterable):
        raise ValueError(
            "chunks must be OOFPredictions, an iterable of them or of their arguments, such as "
            f"[{{'y_true': y, 'y_pred': p}}], or a function that returns one, got {got(chunks)}."
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


def moments_of_file(
    path: str | Path,
    scoring: Any = None,
    *,
    target: str | None = None,
    columns: Sequence[str] | None = None,
    groups: str | None = None,
    sample_weight: str | None = None,
    greater_is_better: bool = True,
    n_rows: int = 2**16,
    **arguments: Any,
) -> ScoreMoments:
    """Add up the scores in a file that need not fit into memory, some rows at a time.

    Parameters
    ----------
    path : str or Path
        A Parquet file (``.parquet``, ``.pq``; read by pyarrow), else a text file with commas. A
        row for each sample.
    scoring : str, scorer or Metric, default=None
        The metric of predictions, with `target`. None takes the columns as scores.
    target : str, default=None
        Column of the target. None takes the columns as scores.
    columns : sequence of str, default=None
        Columns of the configurations. None takes all that are named nowhere else.
    groups, sample_weight : str, default=None
        Columns of the groups and weights.
    greater_is_better : bool, default=True
        False where scores are losses.
    n_rows : int, default=65536
        Rows that are read together.
    **arguments : object
        Arguments of `OOFPredictions`, such as ``classes``.

    Returns
    -------
    ScoreMoments
        The sums, with the names of the columns.
    """
    path, aside = (
        Path(path),
        [name for name in (target, groups, sample_weight) if name is not None],
    )
    if (target is None) != (scoring is None):
        raise ValueError(
            "scoring and target belong together: a metric scores predictions against the column "
            "of the target. Without both, columns are scores."
        )
    known, tables = (
        _read_parquet(path) if path.suffix in (".parquet", ".pq") else _read_text(path, groups)
    )
    wanted = [name for name in known if name not in aside] if columns is None else [*columns]
    if missing := [name for name in [*wanted, *aside] if name not in known]:
        raise ValueError(
            f"{path} has no column {missing[0]!r}, but {', '.join(map(repr, known[:8]))}"
            f"{', ...' * (len(known) > 8)}.{did_you_mean(missing[0], known)}"
        )
    if not wanted:
        raise ValueError(f"{path} has no column of scores or predictions: {known}.")

    def of_rows(table: pd.DataFrame) -> dict[str, Any]:
        given = {"groups": groups, "sample_weight": sample_weight}
        return {name: table[of].to_numpy() for name, of in given.items() if of is not None}

    parts = tables([*wanted, *aside], n_rows)
    if target is None:
        found = ScoreMoments(len(wanted), wanted, greater_is_better=greater_is_better)
        for table in parts:
            found.update(table[wanted], **of_rows(table))
        return found
    chunks = (
        {"y_true": table[target].to_numpy(), "y_pred": table[wanted], **of_rows(table)}
        for table in parts
    )
    return moments_of_predictions(chunks, scoring, arguments)


Tables = Callable[[list[str], int], Iterator[pd.DataFrame]]
"""Takes names of columns and a number of rows, yields parts of a table."""


def _read_parquet(path: Path) -> tuple[list[str], Tables]:
    """Read the names of the columns, and prepare to read some rows at a time."""
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise ImportError(f"{path} is a Parquet file, read by: pip install pyarrow") from None
    file = ParquetFile(path)

    def tables(columns: list[str], n_rows: int) -> Iterator[pd.DataFrame]:
        for batch in file.iter_batches(n_rows, columns=columns):
            yield batch.to_pandas()

    return file.schema_arrow.names, tables


def _read_text(path: Path, groups: str | None) -> tuple[list[str], Tables]:
    """Prepare to read a text file; groups have texts as labels, in every part."""
    types = {} if groups is None else {groups: str}

    def tables(columns: list[str], n_rows: int) -> Iterator[pd.DataFrame]:
        yield from pd.read_csv(path, usecols=columns, chunksize=n_rows, dtype=types)

    return list(pd.read_csv(path, nrows=0).columns), tables


# Sums are a layer below: what scores predictions is handed down to them.
moments_by(moments_of_predictions)
