"""Several sets of predictions of the same samples as one: more configurations, or more repeats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._equality import same
from ._metadata import same_metadata
from ._notes import without_repetition

RESELECTED = (
    "Predictions were put together from several sources; the winner is selected again by the "
    "metric."
)


def arguments_of_joined(parts: Sequence[Any]) -> dict[str, Any]:
    """Arguments of `OOFPredictions` for several of them.

    Parameters
    ----------
    parts : sequence of OOFPredictions
        Of the same samples, in the same order.
    """
    if len(parts) < 2:
        raise ValueError(f"concat needs at least two OOFPredictions, got {len(parts)}.")
    for part in parts:
        if not hasattr(part, "split_repeat"):
            raise ValueError(f"concat takes OOFPredictions only, got {type(part).__name__}.")
    first = parts[0]
    for number, part in enumerate(parts[1:], 1):
        _check_same_samples(first, part, number)
    orders = [_splits_in_order_of(first, part) for part in parts]
    if all(order is not None for order in orders):
        joined = _more_configs(parts, [order for order in orders if order is not None])
    else:
        joined = _more_repeats(parts)
    lost = {name for part in parts for name in part.fold_scores} - set(joined["fold_scores"])
    notes = [note for part in parts for note in part.notes] + [RESELECTED]
    if lost:
        notes.append(f"Fold scores of {', '.join(sorted(lost))} are not in all parts: left out.")
    return {
        "y_true": first.y_true,
        "groups": first.groups,
        "sample_weight": first.sample_weight,
        "metadata": first.metadata,
        "classes": first.classes_,
        "notes": without_repetition(notes),
        "pos_label": first.pos_label,
        **joined,
    }


def _check_same_samples(first: Any, part: Any, number: int) -> None:
    for name, what in (
        ("y_true", "targets"),
        ("classes_", "classes"),
        ("groups", "groups"),
        ("sample_weight", "sample weights"),
        ("pos_label", "positive classes"),
    ):
        if not same(getattr(first, name), getattr(part, name)):
            raise ValueError(
                f"Part {number} has other {what} ({name}) than part 0: concat needs the same "
                "samples in the same order."
            )
    if not same_metadata(first.metadata, part.metadata):
        raise ValueError(
            f"Part {number} has other metadata of scorers ({sorted(part.metadata)}) than part 0 "
            f"({sorted(first.metadata)}): concat needs the same values for the same samples."
        )
    if bool(first.responses) != bool(part.responses):
        raise ValueError(
            f"Part {0 if not first.responses else number} has only scores per fold, but another "
            "part has predictions: record all parts in the same way."
        )
    if ("plain" in first.responses) != ("plain" in part.responses):
        raise ValueError(
            "Some parts were made from y_pred and others from responses, so it is not known "
            "whether they hold the same kind of prediction. Make all of them in one way."
        )


def _splits_in_order_of(first: Any, part: Any) -> np.ndarray | None:
    """Number in `part` of each split of `first`; None when the splits are others."""
    if part.n_splits != first.n_splits:
        return None
    if not len(first.sample):  # scores per fold only: splits are what they are called
        return np.arange(first.n_splits) if same(first.split_repeat, part.split_repeat) else None
    if not np.array_equal(first.sample, part.sample) or not np.array_equal(
        first.repeat, part.repeat
    ):
        return None
    pairs = np.unique(np.stack([first.fold, part.fold]), axis=1)
    if pairs.shape[1] != first.n_splits or len(np.unique(pairs[1])) != first.n_splits:
        return None
    return pairs[1]


def _more_configs(parts: Sequence[Any], orders: Sequence[np.ndarray]) -> dict[str, Any]:
    first = parts[0]
    if any(part.params and same(part.params, first.params) for part in parts[1:]):
        raise ValueError(
            "The parts have the same splits and the same configurations (params). To add repeats, "
            "split the samples anew for each part; to add configurations, give other params."
        )
    names = {name: None for part in parts for name in part.responses}
    common = [name for name in first.fold_scores if all(name in p.fold_scores for p in parts)]
    sizes = [part.train_size for part in parts]
    agree = all(
        size is not None and sizes[0] is not None and np.array_equal(size[order], sizes[0])
        for size, order in zip(sizes, orders)
    )
    return {
        "responses": {name: _stacked(parts, name) for name in names} or None,
        "sample": first.sample,
        "fold": first.fold,
        "repeat": first.repeat if len(first.sample) else first.split_repeat,
        "params": _params(parts),
        "failed": np.concatenate([part.failed for part in parts]),
        "train_size": sizes[0] if agree else None,
        "fold_scores": {
            name: np.concatenate(
                [part.fold_scores[name][order] for part, order in zip(parts, orders)], axis=1
            )
            for name in common
        },
    }


def _params(parts: Sequence[Any]) -> list[Any] | None:
    """Those of all parts; None where some part does not say."""
    if not all(part.params for part in parts):
        return None
    return [params for part in parts for params in part.params]


def _stacked(parts: Sequence[Any], name: str) -> np.ndarray:
    """One response of all configurations; missing where a part does not have it."""
    known = [part.responses[name] for part in parts if name in part.responses]
    if len({array.shape[2:] for array in known}) > 1:
        raise ValueError(
            f"The parts have {name} of different shapes, {[a.shape for a in known]}: they must "
            "have the same classes or outputs."
        )
    labels = known[0].dtype.kind in "iu"
    arrays = []
    for part in parts:
        missing = (part.n_configs, *known[0].shape[1:])
        arrays.append(
            part.responses[name]
            if name in part.responses
            else np.full(
                missing, -1 if labels else np.nan, dtype=np.int8 if labels else np.float32
            )
        )
    return np.concatenate(arrays)


def _more_repeats(parts: Sequence[Any]) -> dict[str, Any]:
    first = parts[0]
    for number, part in enumerate(parts[1:], 1):
        if part.n_configs != first.n_configs:
            raise ValueError(
                f"Part {number} has other splits than part 0, so it would add repeats, but it has "
                f"{part.n_configs} configurations instead of {first.n_configs}. More "
                "configurations need the same splits; more repeats the same configurations."
            )
        if part.params and first.params and not same(part.params, first.params):
            raise ValueError(
                f"Part {number} has other splits than part 0, so it would add repeats, but its "
                "params are not those of part 0. More configurations need the same splits; more "
                "repeats the same configurations in the same order."
            )
        if set(part.responses) != set(first.responses):
            raise ValueError(
                f"Part {number} has the responses {sorted(part.responses)}, part 0 "
                f"{sorted(first.responses)}: repeats must be recorded alike."
            )
    common = [name for name in first.fold_scores if all(name in p.fold_scores for p in parts)]
    splits = np.cumsum([0, *(part.n_splits for part in parts)])
    repeats = np.cumsum([0, *(part.n_repeats for part in parts)])
    of_rows = bool(first.responses)
    sizes = [part.train_size for part in parts]
    return {
        "responses": {
            name: np.concatenate([part.responses[name] for part in parts], axis=1)
            for name in first.responses
        }
        or None,
        "sample": np.concatenate([part.sample for part in parts]) if of_rows else None,
        "fold": np.concatenate([p.fold + s for p, s in zip(parts, splits)]) if of_rows else None,
        "repeat": np.concatenate(
            [(p.repeat if of_rows else p.split_repeat) + r for p, r in zip(parts, repeats)]
        ),
        "params": first.params or next((p.params for p in parts if p.params), None),
        "failed": np.any([part.failed for part in parts], axis=0),
        "train_size": None if any(s is None for s in sizes) else np.concatenate(sizes),
        "fold_scores": {
            name: np.concatenate([part.fold_scores[name] for part in parts]) for name in common
        },
    }
