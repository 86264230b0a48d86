"""Check what `OOFPredictions` is given, and bring it to the form in which it is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from .._groups import one_per_sample
from .._integers import is_integer
from .._nearest import got
from ..results import frozen_array
from . import _arrays, _checks
from ._metadata import Refused, frozen_metadata, settled
from ._notes import IN_TIME, straddling_groups, straddling_note, without_repetition


@dataclass(frozen=True, kw_only=True)
class Given:
    """Arguments of `OOFPredictions`."""

    y_true: Any
    y_pred: Any = None
    fold: Any = None
    responses: Mapping[str, Any] | None = None
    sample: Any = None
    repeat: Any = None
    groups: Any = None
    sample_weight: Any = None
    classes: Any = "infer"
    params: Sequence[Any] | None = None
    failed: Any = None
    selected: int | None = None
    selected_by: str = "given"
    train_size: Any = None
    fold_scores: Mapping[str, Any] | None = None
    notes: Sequence[str] = ()
    metadata: Mapping[str, Any] | None = None
    pos_label: Any = None


def fields_of(given: Given) -> dict[str, Any]:
    """Field -> value in the form in which it is kept.

    Parameters
    ----------
    given : Given
        Arguments of the constructor.

    Returns
    -------
    dict
        For each field of `OOFPredictions`.

    Raises
    ------
    ValueError
        If something does not fit; the message names the argument.
    """
    given = replace(_named_by_columns(given), groups=one_per_sample(given.groups))
    y_true = _target(given)
    n_samples = len(y_true)
    _check_sources(given)
    _checks.check_alignment(
        {
            name: getattr(given, name)
            for name in ("y_true", "y_pred", "fold", "groups", "sample_weight")
        },
        n_samples,
    )
    given = _with_splits_of_pairs(given, n_samples)
    scores = _checks.settled_fold_scores(given.fold_scores)
    rows, split_repeat = _rows(given, scores, n_samples)
    classes = _classes(given, rows, y_true)
    pos_label = _arrays.checked_pos_label(given.pos_label, classes)
    if given.y_pred is not None and pos_label is not None:
        assert classes is not None
        rows.responses = {
            name: _arrays.scores_of_second_class(array, classes, pos_label)
            for name, array in rows.responses.items()
        }
    rows.responses = _arrays.settle_responses(rows.responses, classes)
    n_splits = len(split_repeat)
    n_configs = _n_configs(given, rows, scores, n_splits)
    weights = _per("sample_weight", given.sample_weight, n_samples, "sample")
    _checks.check_weights(weights)
    groups = _per("groups", given.groups, n_samples, "sample")
    failed = np.zeros(n_configs, dtype=bool) if given.failed is None else given.failed
    straddling = straddling_note(*straddling_groups(groups, rows.sample, rows.fold))
    return {
        "y_true": frozen_array(y_true),
        "responses": _frozen(rows.responses),
        "sample": frozen_array(rows.sample),
        "fold": frozen_array(rows.fold),
        "repeat": frozen_array(rows.repeat),
        "groups": groups,
        "sample_weight": weights,
        "classes_": None if classes is None else frozen_array(classes),
        "params": tuple(given.params) if given.params is not None else (),
        "failed": _per("failed", np.asarray(failed, bool), n_configs, "configuration"),
        "selected": checked_selected(given.selected, n_configs),
        "selected_by": str(given.selected_by),
        "train_size": _per("train_size", given.train_size, n_splits, "split"),
        "fold_scores": _frozen(scores),
        "split_repeat": frozen_array(split_repeat),
        "pos_label": pos_label,
        "notes": without_repetition([*map(str, given.notes), straddling]),
        "metadata": _metadata(given, n_samples),
    }


def _metadata(given: Given, n_samples: int) -> Mapping[str, Any]:
    """Settle the metadata of scorers; refuse what draws cannot repeat."""
    found = {str(k): settled(value, n_samples) for k, value in (given.metadata or {}).items()}
    for name, value in found.items():
        if isinstance(value, Refused) and value is not (given.metadata or {})[name]:
            raise ValueError(f"metadata[{name!r}] {value.why}.")
    return frozen_metadata(found)


def checked_selected(selected: int | None, n_configs: int) -> int | None:
    """Index of a configuration, or None."""
    if selected is None:
        return None
    if not is_integer(selected, 0) or selected >= n_configs:
        raise ValueError(f"selected={selected!r} is not a configuration in 0..{n_configs - 1}.")
    return int(selected)


def _named_by_columns(given: Given) -> Given:
    """The columns of a DataFrame name the configurations."""
    if given.params is not None or not isinstance(given.y_pred, pd.DataFrame):
        return given
    return replace(given, params=[{"configuration": name} for name in given.y_pred.columns])


def _target(given: Given) -> np.ndarray:
    y_true = _arrays.column_or_table(_arrays.plain_array(given.y_true, "y_true"))
    _checks.check_target_shape(y_true)
    return y_true


def _check_sources(given: Given) -> None:
    if given.responses is not None and not isinstance(given.responses, Mapping):
        raise ValueError(
            "responses must map response methods to arrays, such as {'predict_proba': p}, got "
            f"{got(given.responses)}. Arrays of what the metric consumes go to y_pred."
        )
    _checks.check_order(given.y_true, given.y_pred)
    if given.y_pred is not None and given.responses is not None:
        raise ValueError("Give either y_pred or responses, not both.")
    scores = given.fold_scores
    no_scores = scores is None or (isinstance(scores, Mapping) and not scores)
    if given.y_pred is None and not given.responses and no_scores:
        raise ValueError("Give y_pred or responses, or at least fold_scores.")
    if given.y_pred is not None and (given.sample is not None or given.repeat is not None):
        raise ValueError("sample and repeat describe rows of responses, not of y_pred.")


def _with_splits_of_pairs(given: Given, n_samples: int) -> Given:
    """The folds as labels where they are given as pairs of (train, test)."""
    if isinstance(given.fold, Iterator):
        given = replace(given, fold=list(given.fold))
    pairs = _checks.as_pairs(given.fold, n_samples)
    if pairs is None:
        return given
    given = replace(
        given,
        train_size=pairs.train_size if given.train_size is None else given.train_size,
        notes=[*given.notes, IN_TIME] if pairs.in_time else given.notes,
    )
    if given.y_pred is None and not given.responses:  # scores alone: no rows to fit to
        return replace(given, fold=pairs.fold, sample=pairs.sample)
    repeat = _arrays.repeat_of_rows(pairs.sample, pairs.fold, n_samples)
    labels = np.full((int(repeat.max()) + 1, n_samples), -1)
    labels[repeat, pairs.sample] = pairs.fold
    if np.count_nonzero(labels >= 0) < len(pairs.sample) or (
        given.responses and (given.sample is not None or len(labels) > 1)
    ):
        raise ValueError(
            "fold as (train, test) pairs fits predictions with one row per sample (and repeat), "
            "but these splits hold samples out several times. Give `responses` with the `sample` "
            "and the `fold` of each row."
        )
    return replace(given, fold=labels[0] if len(labels) == 1 else labels)


def _rows(
    given: Given, scores: Mapping[str, np.ndarray], n_samples: int
) -> tuple[_arrays.Rows, np.ndarray]:
    """The rows, and the repeat of each split."""
    if given.y_pred is not None:
        rows = _arrays.rows_from_rectangle(given.y_pred, given.fold, n_samples)
    else:
        of_splits = not given.responses and (given.fold is None or not np.size(given.fold))
        rows = _arrays.rows_from_responses(
            given.responses or {},
            given.sample,
            given.fold,
            None if of_splits else given.repeat,
            n_samples,
        )
        if of_splits:
            n_splits = len(next(iter(scores.values())))
            return rows, _repeat_of_splits(given.repeat, n_splits)
    n_splits = int(rows.fold.max()) + 1
    split_repeat = np.zeros(n_splits, dtype=np.int64)
    split_repeat[rows.fold] = rows.repeat
    return rows, split_repeat


def _repeat_of_splits(repeat: Any, n_splits: int) -> np.ndarray:
    """With nothing but scores per fold, `repeat` has a value per split."""
    repeat = np.zeros(n_splits) if repeat is None or not np.size(repeat) else np.asarray(repeat)
    if repeat.shape != (n_splits,):
        raise ValueError(
            f"repeat has shape {repeat.shape}, expected ({n_splits},): one per split, since there "
            "are only fold_scores."
        )
    return np.unique(repeat, return_inverse=True)[1].astype(np.int64)


def _classes(given: Given, rows: _arrays.Rows, y_true: np.ndarray) -> np.ndarray | None:
    classes = given.classes
    if isinstance(classes, str) and classes == "infer":
        # Labels are recorded as codes, so fractions in "predict" are a regressor's.
        fractions = "predict" in rows.responses and rows.responses["predict"].dtype.kind == "f"
        classes = None if fractions else _arrays.infer_classes(y_true)
    if classes is None:
        return None
    return _arrays.check_classes(_arrays.plain_array(classes, "classes"), y_true)


def _n_configs(
    given: Given, rows: _arrays.Rows, scores: Mapping[str, np.ndarray], n_splits: int
) -> int:
    """Number of configurations, on which all that was given agrees."""
    from_rows = [array.shape[0] for array in rows.responses.values()]
    lengths = [_length(given.params), _length(given.failed)]
    told = (from_rows + [length for length in lengths if length])[:1]
    _checks.check_orientation(
        scores,
        n_splits if len(rows.fold) else _length(given.train_size),
        told[0] if told else None,
    )
    sized = from_rows + [array.shape[1] for array in scores.values()]
    if sized[0] < 1 or len(set(sized)) > 1:
        raise ValueError(f"The number of configurations is not one number >= 1: {sized}.")
    if given.params is not None and len(given.params) not in (0, sized[0]):
        raise ValueError(f"params has {len(given.params)} entries for {sized[0]} configurations.")
    for name, array in scores.items():
        if len(array) != n_splits:
            raise ValueError(
                f"fold_scores[{name!r}] has {len(array)} splits, but the rows have {n_splits}."
            )
    return sized[0]


def _length(values: Any) -> int | None:
    return None if values is None else len(values)


def _per(name: str, values: Any, size: int, what: str) -> np.ndarray | None:
    if values is None:
        return None
    array = _arrays.plain_array(values, name)
    if array.shape != (size,):
        raise ValueError(f"{name} has shape {array.shape}, expected ({size},): one per {what}.")
    return frozen_array(array)


def _frozen(arrays: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
    return MappingProxyType({name: frozen_array(array) for name, array in arrays.items()})
