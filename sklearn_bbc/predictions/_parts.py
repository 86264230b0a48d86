"""Fields of a part of predictions: some configurations, some samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..results._results import frozen_array
from ._validation import frozen_mapping, is_per_sample, positions, rows_taken

ABOUT_ALL = "all"
AXES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("y_true", "groups", "sample_weight", "metadata", "order"), ("samples",)),
    **dict.fromkeys(("sample", "fold", "repeat"), ("rows",)),
    "responses": ("configs", "rows"),
    **dict.fromkeys(("params", "failed", "n_effective"), ("configs",)),
    **dict.fromkeys(("train_size", "split_repeat"), ("splits",)),
    "fold_scores": ("splits", "configs"),
    "notes": (ABOUT_ALL,),
    **dict.fromkeys(("classes_", "pos_label", "score_sign", "block_length", "block_kind"), ()),
}
"""Field -> what its axes count, by which a part of predictions is taken.

Of some samples nothing is known that is about whole splits, or about all. The selected one was
selected among all configurations, so a part has none.
"""


def fields_of_part(
    oof: Any,
    configs: Any = None,
    samples: np.ndarray | None = None,
    rows: np.ndarray | None = None,
) -> dict[str, Any]:
    """Take the fields of some configurations and samples; None takes all.

    `configs` (n_kept_configs,), or a slice; `samples` (n_samples,) of bool, or (n_taken,) of int,
    as often as they are named; or `rows` (n_taken,), of which each becomes a sample of its own.
    """
    some = samples is not None or rows is not None
    if samples is not None:
        samples = positions(samples)
        rows, sample = _rows_of(oof, samples)
    elif rows is not None:
        samples, sample = oof.sample[rows], np.arange(len(rows))
    index = {"configs": configs, "samples": samples, "rows": rows}
    part = {
        name: _along(getattr(oof, name), [index.get(axis) for axis in axes])
        for name, axes in AXES.items()
        if not some or not {"splits", ABOUT_ALL} & set(axes)
    }
    if some:
        part["sample"] = sample
        if oof.order is None and oof.block_length is not None:
            part["order"] = samples
    return part


def _rows_of(oof: Any, samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find the rows of samples (n_taken,), and the place in it that each is of, (n_rows,) both."""
    by_sample = np.argsort(oof.sample, kind="stable")
    n_rows = np.bincount(oof.sample, minlength=oof.n_samples)
    first, of_taken = (np.cumsum(n_rows) - n_rows)[samples], n_rows[samples]
    place = np.repeat(np.arange(len(samples)), of_taken)
    within = np.arange(len(place)) - np.repeat(np.cumsum(of_taken) - of_taken, of_taken)
    return by_sample[first[place] + within], place


def _along(values: Any, index: Sequence[Any]) -> Any:
    """Take entries along each axis; those without an index stay whole."""
    if values is None or all(each is None for each in index):
        return values
    if isinstance(values, Mapping):
        return frozen_mapping({name: _along(value, index) for name, value in values.items()})
    if isinstance(values, np.ndarray):
        whole = tuple(slice(None) if each is None else each for each in index)
        arrays = all(isinstance(each, np.ndarray) for each in whole)
        return frozen_array(values[np.ix_(*whole) if arrays else whole])
    if isinstance(values, tuple):
        picked = np.arange(len(values))[index[0]] if values else ()
        return tuple(values[k] for k in picked)
    return rows_taken(values, index[0]) if is_per_sample(values) else values


def fields_of_samples(oof: Any) -> dict[str, Any]:
    """Return what is known of the samples themselves, whoever predicts them."""
    names = [name for name, axes in AXES.items() if axes == ("samples",)]
    return {name: getattr(oof, name) for name in (*names, "block_length", "block_kind")}


def arguments_of_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments by which `predictions_of_rows` makes these fields, and the others."""
    arguments = {"classes" if name == "classes_" else name: v for name, v in fields.items()}
    of_splits = arguments.pop("split_repeat", None)
    arguments.pop("n_effective", None)  # of scores that were corrected before
    if not len(arguments["sample"]):
        arguments["repeat"] = of_splits
    return arguments
