"""Predictions split by split: of one alone, of several together, and when to look at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from ...metrics.ranking._concordance import survival_target
from ...predictions import OOFPredictions
from ...predictions._arrays import repeat_of_rows, row_order

MOST_LOOKS = 20
"""Where splits are many, they are looked at when a twentieth of the predictions is new."""


def split_of(oof: OOFPredictions, split: int, configs: np.ndarray) -> OOFPredictions:
    """Predictions of one split of finished predictions.

    Parameters
    ----------
    oof : OOFPredictions
        All predictions.
    split : int
        Split, counted over all repeats.
    configs : ndarray of shape (n_kept_configs,) of int
        Configurations to keep.
    """
    rows = np.flatnonzero(oof.fold == split)
    return one_split(
        oof.y_true,
        oof.classes_,
        {name: array[np.ix_(configs, rows)] for name, array in oof.responses.items()},
        oof.sample[rows],
        groups=oof.groups,
        sample_weight=oof.sample_weight,
        metadata=oof.metadata,
        failed=oof.failed[configs],
    )


def one_split(
    y_true: np.ndarray,
    classes: np.ndarray | None,
    responses: dict[str, np.ndarray],
    sample: np.ndarray,
    *,
    groups: np.ndarray | None = None,
    sample_weight: np.ndarray | None = None,
    metadata: Mapping[str, Any] | None = None,
    failed: np.ndarray | None = None,
) -> OOFPredictions:
    """Predictions of one split, of all samples of which only its own have some.

    Parameters
    ----------
    y_true : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Target of all samples.
    classes : ndarray of shape (n_classes,) or None
        Classes of the target.
    responses : dict of str to ndarray of shape (n_configs, n_rows) or (n_configs, n_rows, k)
        Response method -> predictions.
    sample : ndarray of shape (n_rows,) of int
        Sample of each row.
    groups, sample_weight : ndarray of shape (n_samples,) or None
        Of all samples.
    metadata : mapping of str to object, or None
        What scorers get besides predictions, of all samples.
    failed : ndarray of shape (n_configs,), bool, or None
        Configurations that failed.
    """
    nowhere = np.zeros(len(sample), dtype=np.int64)
    return OOFPredictions._quietly(
        y_true=y_true,
        classes=classes,
        responses=responses,
        sample=sample,
        fold=nowhere,
        repeat=nowhere,
        groups=groups,
        sample_weight=sample_weight,
        metadata=metadata,
        failed=failed,
    )


def together(splits: Sequence[OOFPredictions]) -> OOFPredictions:
    """Predictions of several splits as one.

    Parameters
    ----------
    splits : sequence of OOFPredictions
        From `one_split`, of the same configurations.
    """
    first = splits[0]
    sample = np.concatenate([each.sample for each in splits])
    fold = np.repeat(np.arange(len(splits)), [each.n_rows for each in splits])
    repeat = repeat_of_rows(sample, fold, first.n_samples)
    order = row_order(sample, repeat)
    return OOFPredictions._quietly(
        y_true=first.y_true,
        classes=first.classes_,
        responses={
            name: np.concatenate([each.responses[name] for each in splits], axis=1)[:, order]
            for name in first.responses
            if all(name in each.responses for each in splits)
        },
        sample=sample[order],
        fold=fold[order],
        repeat=repeat[order],
        groups=first.groups,
        sample_weight=first.sample_weight,
        metadata=first.metadata,
        failed=np.any([each.failed for each in splits], axis=0),
    )


def of_configs(oof: OOFPredictions, chosen: np.ndarray) -> OOFPredictions:
    """The same predictions of some configurations.

    Parameters
    ----------
    oof : OOFPredictions
        From `one_split` or `together`.
    chosen : ndarray of shape (n_chosen,) of int
        Configurations to keep.
    """
    return oof._with_fields(
        responses=MappingProxyType({name: a[chosen] for name, a in oof.responses.items()}),
        failed=oof.failed[chosen],
    )


def class_codes(y_true: np.ndarray, classes: np.ndarray | None) -> np.ndarray | None:
    """Class of each sample, of survival times whether there was an event.

    Returns
    -------
    ndarray of shape (n_samples,) of int, or None
        -1 for samples that need no company: those without an event. None without classes.
    """
    if classes is not None:
        return np.asarray(np.searchsorted(classes, y_true))
    if y_true.dtype.names is not None:
        event, _ = survival_target(y_true)
        return np.where(event, 0, -1)
    return None


def looks(
    tests: Sequence[np.ndarray],
    codes: np.ndarray | None,
    units: np.ndarray,
    *,
    least: int,
    least_per_class: int,
    least_units: int,
) -> list[list[int]]:
    """Batches of splits; configurations are compared after each batch but the last.

    Parameters
    ----------
    tests : sequence of ndarray of int
        Test samples of each split.
    codes : ndarray of shape (n_samples,) of int, or None
        Class of each sample; -1 counts for none.
    units : ndarray of shape (n_samples,) of int
        Independent unit of each sample.
    least, least_per_class, least_units : int
        Different samples, samples of each class and units that a comparison needs.

    Returns
    -------
    list of list of int
        All splits in their order.
    """
    n_samples = len(units)
    step = sum(map(len, tests)) / MOST_LOOKS
    seen = np.zeros(n_samples, dtype=bool)
    enough = False
    batches: list[list[int]] = [[]]
    new = 0
    for split, test in enumerate(tests):
        batches[-1].append(split)
        seen[test] = True
        new += len(test)
        enough = enough or _enough(seen, codes, units, least, least_per_class, least_units)
        if enough and new >= step * (1 - 1e-9) and split < len(tests) - 1:
            batches.append([])
            new = 0
    return batches


def _enough(
    seen: np.ndarray,
    codes: np.ndarray | None,
    units: np.ndarray,
    least: int,
    least_per_class: int,
    least_units: int,
) -> bool:
    if np.count_nonzero(seen) < least or len(np.unique(units[seen])) < least_units:
        return False
    if codes is None:
        return True
    n_classes = int(codes.max()) + 1
    counts = np.bincount(codes[seen & (codes >= 0)], minlength=n_classes)
    return bool(counts.size and counts.min() >= least_per_class)
