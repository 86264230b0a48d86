"""Make the fields of `OOFPredictions` from arrays, from rows, or from scores per fold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from .._notes import as_note
from .._utils import check_arrays, got, is_integer, one_per_sample
from ..results._results import frozen_array
from ._validation import (
    IN_TIME,
    Order,
    OrderedRows,
    Refused,
    SplitPairs,
    as_metadata,
    as_pairs,
    check_classes,
    check_not_swapped,
    checked_pos_label,
    frozen_mapping,
    in_index_order,
    infer_classes,
    length,
    names_of_columns,
    plain_array,
    repeat_of_rows,
    rows_from_rectangle,
    rows_from_responses,
    scores_of_second_class,
    settle_responses,
    straddling_groups,
    straddling_note,
)

LARGEST_WEIGHT = 1e70
"""Products of four weights can still be computed with."""


def aligned_arguments(
    arguments: Mapping[str, Any],
) -> tuple[dict[str, Any], tuple[Order, ...]]:
    """Bring the arguments of `OOFPredictions` into the order of `y_true`, see `in_index_order`."""
    names = ("y_true", "y_pred", "fold", "groups", "sample_weight")
    with_labels = {name: arguments[name] for name in names if name in arguments}
    if not isinstance(arguments.get("fold"), pd.Series):
        with_labels.pop("fold", None)
    metadata = arguments["metadata"]
    if isinstance(metadata, Mapping):
        with_labels |= {f"metadata[{name!r}]": value for name, value in metadata.items()}
        metadata = {name: f"metadata[{name!r}]" for name in metadata}
    in_order, notes, orders = with_labels, list[str](), tuple[Order, ...]()
    if any(isinstance(each, (pd.Series, pd.DataFrame)) for each in with_labels.values()):
        in_order, notes, orders = in_index_order(with_labels, length(arguments["y_true"]))
    if isinstance(metadata, Mapping):
        metadata = {name: in_order.pop(key) for name, key in metadata.items()}
    if isinstance(arguments["notes"], str) or not isinstance(arguments["notes"], Iterable):
        raise ValueError(f"notes must be a list of texts, got {got(arguments['notes'])}.")
    notes = [*arguments["notes"], *notes]
    return {**arguments, **in_order, "metadata": metadata, "notes": notes}, orders


def fields_of_arrays(
    *,
    y_true: Any,
    y_pred: Any,
    fold: Any = None,
    classes: Any = "infer",
    params: Sequence[Any] | None = None,
    pos_label: Any = None,
    notes: Sequence[str] = (),
    **common: Any,
) -> dict[str, Any]:
    """Make the fields from a matrix of what the metric consumes; `common` as in `_fields`."""
    if y_pred is None:
        raise ValueError(
            "y_pred is None: give what the metric consumes, of shape (n_samples, n_configs). "
            "Scores per fold alone go to OOFPredictions.from_fold_scores."
        )
    if params is None and not isinstance(y_pred, np.ndarray):
        names = names_of_columns(y_pred, "y_pred")
        params = None if names is None else [{"configuration": name} for name in names]
    target = _target(y_true)
    if target.ndim == 2:
        check_not_swapped(y_true, y_pred)
    fold = list(fold) if isinstance(fold, Iterator) else fold
    pairs = as_pairs(fold, len(target)) if isinstance(fold, Sequence) else None
    train_size = None
    if pairs is not None:
        fold, train_size = _labels_of_pairs(pairs, len(target)), pairs.train_size
        notes = [*notes, *IN_TIME] if pairs.in_time else notes
    rows = rows_from_rectangle(y_pred, fold, len(target))
    classes = _classes(classes, target, rows.responses)
    if pos_label is not None:
        pos_label = checked_pos_label(pos_label, classes)
        turned = scores_of_second_class(rows.responses["plain"], classes, pos_label)
        rows = rows._replace(responses={"plain": turned})
    return _fields(
        target, rows, None, classes=classes, pos_label=pos_label, params=params,
        train_size=train_size, notes=notes, **common,
    )  # fmt: skip


def fields_of_rows(
    *,
    y_true: Any,
    responses: Mapping[str, Any] | None = None,
    sample: Any = None,
    fold: Any = None,
    repeat: Any = None,
    fold_scores: Mapping[str, Any] | None = None,
    train_size: Any = None,
    classes: Any = "infer",
    pos_label: Any = None,
    notes: Sequence[str] = (),
    **common: Any,
) -> dict[str, Any]:
    """Make the fields from rows as a search records them, or from scores per fold alone.

    `common` as in `_fields`.
    """
    target = _target(y_true)
    fold = list(fold) if isinstance(fold, Iterator) else fold
    if isinstance(fold, Sequence) and (pairs := as_pairs(fold, len(target))) is not None:
        train_size = pairs.train_size if train_size is None else train_size
        notes = [*notes, *IN_TIME] if pairs.in_time else notes
        if not responses:  # scores alone: no rows to fit to
            fold, sample = pairs.fold, pairs.sample
        else:
            fold = _labels_of_pairs(pairs, len(target), of_rows=True, named=sample is not None)
    scores = settled_fold_scores(fold_scores)
    if responses or (fold is not None and np.size(fold)):
        rows = rows_from_responses(responses or {}, sample, fold, repeat, len(target))
        split_repeat = None
    else:
        rows = rows_from_responses({}, sample, fold, None, len(target))
        split_repeat = _repeat_of_splits(repeat, len(next(iter(scores.values()))))
    classes = _classes(classes, target, rows.responses)
    if pos_label is not None:
        pos_label = checked_pos_label(pos_label, classes)
    return _fields(
        target, rows, split_repeat, classes=classes, fold_scores=scores, train_size=train_size,
        pos_label=pos_label, notes=notes, **common,
    )  # fmt: skip


def _target(y_true: Any) -> np.ndarray:
    target = plain_array(y_true, "y_true")
    if target.ndim == 2 and target.shape[1] == 1:  # as everywhere in scikit-learn
        return target[:, 0]
    if target.ndim > 2:
        raise ValueError(
            f"y_true has shape {target.shape}, expected (n_samples,) or (n_samples, n_outputs)."
        )
    return target


def _classes(
    classes: Any, target: np.ndarray, responses: Mapping[str, np.ndarray]
) -> np.ndarray | None:
    """Return the sorted labels, found in the target where they are to be inferred."""
    if isinstance(classes, str) and classes == "infer":
        # Labels are recorded as codes, so fractions in "predict" are a regressor's.
        fractions = "predict" in responses and responses["predict"].dtype.kind == "f"
        return None if fractions else infer_classes(target)
    return None if classes is None else check_classes(plain_array(classes, "classes"), target)


def _fields(
    target: np.ndarray,
    rows: OrderedRows,
    split_repeat: np.ndarray | None,
    *,
    classes: np.ndarray | None,
    pos_label: Any,
    groups: Any = None,
    sample_weight: Any = None,
    params: Sequence[Any] | None = None,
    failed: Any = None,
    selected: int | None = None,
    selected_by: str = "given",
    fold_scores: Mapping[str, np.ndarray] | None = None,
    train_size: Any = None,
    notes: Sequence[str] = (),
    metadata: Mapping[str, Any] | None = None,
    score_sign: int | None = None,
    order: np.ndarray | None = None,
    block_length: int | str | None = None,
    block_kind: str = "circular",
) -> dict[str, Any]:
    """Check what all ways in have in common, and bring it to the form in which it is kept.

    `split_repeat` (n_splits,) is None where the rows tell the repeat of each split.
    """
    if split_repeat is None:
        split_repeat = np.zeros(int(rows.fold.max()) + 1, dtype=np.int64)
        split_repeat[rows.fold] = rows.repeat
    n_samples, n_splits, scores = len(target), len(split_repeat), fold_scores or {}
    check_arrays(failed=failed, train_size=train_size)
    if metadata is not None and not isinstance(metadata, Mapping):
        raise ValueError(
            "metadata must map names to values, one per sample, such as {'costs': costs}, got "
            f"{got(metadata)}."
        )
    arrays = settle_responses(rows.responses, classes)
    known = n_splits if len(rows.fold) else None if train_size is None else len(train_size)
    n_configs = _n_configs(arrays, scores, params, failed, known)
    for name, array in scores.items():
        if len(array) != n_splits:
            raise ValueError(
                f"fold_scores[{name!r}] has {len(array)} splits, but the rows have {n_splits}."
            )
    if sample_weight is not None:
        sample_weight = checked_weights(sample_weight, n_samples)
    if groups is not None:
        groups = _per("groups", one_per_sample(groups), n_samples, "sample")
    if train_size is not None:
        train_size = _per("train_size", train_size, n_splits, "split")
    if failed is None:
        failed = frozen_array(np.zeros(n_configs, dtype=bool))
    else:
        failed = _per("failed", np.asarray(failed, bool), n_configs, "configuration")
    texts = [*map(as_note, notes)]
    if groups is not None:
        note = straddling_note(*straddling_groups(groups, rows.sample, rows.fold))
        texts += [] if note is None else [note]
    per_scorer = {
        str(name): as_metadata(value, n_samples) for name, value in (metadata or {}).items()
    }
    for name, value in per_scorer.items():
        if isinstance(value, Refused) and value is not (metadata or {})[name]:
            raise ValueError(f"metadata[{name!r}] {value.why}.")
    return {
        "y_true": frozen_array(target),
        "responses": frozen_mapping(arrays),
        "sample": frozen_array(rows.sample),
        "fold": frozen_array(rows.fold),
        "repeat": frozen_array(rows.repeat),
        "groups": groups,
        "sample_weight": sample_weight,
        "classes_": None if classes is None else frozen_array(classes),
        "params": () if params is None else tuple(params),
        "failed": failed,
        "selected": None if selected is None else checked_selected(selected, n_configs),
        "selected_by": str(selected_by),
        "train_size": train_size,
        "fold_scores": frozen_mapping(scores),
        "split_repeat": frozen_array(split_repeat),
        "pos_label": pos_label,
        "score_sign": score_sign,
        "order": None if order is None else frozen_array(order),
        "block_length": block_length,
        "block_kind": block_kind,
        "notes": tuple(dict.fromkeys(texts)),
        "metadata": frozen_mapping(per_scorer),
    }


def _labels_of_pairs(
    pairs: SplitPairs, n_samples: int, *, of_rows: bool = False, named: bool = False
) -> np.ndarray:
    """Make fold labels (n_samples,) or (n_repeats, n_samples) from pairs (train, test).

    Of rows only the first form will do, and none where their samples are named.
    """
    repeat = repeat_of_rows(pairs.sample, pairs.fold, n_samples)
    labels = np.full((int(repeat.max()) + 1, n_samples), -1)
    labels[repeat, pairs.sample] = pairs.fold
    if np.count_nonzero(labels >= 0) < len(pairs.sample) or (
        of_rows and (named or len(labels) > 1)
    ):
        raise ValueError(
            "fold as (train, test) pairs fits predictions with one row per sample (and repeat), "
            "but these splits hold samples out several times. Give the "
            "`sample` and the `fold` of each row to OOFPredictions.from_rows."
        )
    return labels[0] if len(labels) == 1 else labels


def settled_fold_scores(fold_scores: Any) -> dict[str, np.ndarray]:
    """Make float arrays (n_splits, n_configs) by metric name, masked scores as NaN."""
    if fold_scores is None:
        return {}
    if not isinstance(fold_scores, Mapping):
        raise ValueError(
            "fold_scores must map the name of a metric to its scores (n_splits, n_configs), for "
            f"example {{'roc_auc': scores}}, got {got(fold_scores)}."
        )
    settled = {}
    for name, scores in fold_scores.items():
        try:
            array: np.ndarray = np.ma.filled(np.ma.asarray(scores, dtype=float), np.nan)
        except (TypeError, ValueError):
            raise ValueError(
                f"fold_scores[{name!r}] must hold numbers of shape (n_splits, n_configs)."
            ) from None
        if array.ndim != 2 or not array.size:
            raise ValueError(
                f"fold_scores[{name!r}] has shape {array.shape}, expected (n_splits, n_configs)."
            )
        settled[name] = array
    return settled


def _repeat_of_splits(repeat: Any, n_splits: int) -> np.ndarray:
    """Take `repeat` as one value per split, where there is nothing but scores per fold."""
    repeat = np.zeros(n_splits) if repeat is None or not np.size(repeat) else repeat
    repeat = plain_array(repeat, "repeat")
    if repeat.shape != (n_splits,):
        raise ValueError(
            f"repeat has shape {repeat.shape}, expected ({n_splits},): one per split, since there "
            "are only fold_scores."
        )
    return np.unique(repeat, return_inverse=True)[1].astype(np.int64)


def _n_configs(
    arrays: Mapping[str, np.ndarray],
    scores: Mapping[str, np.ndarray],
    params: Sequence[Any] | None,
    failed: Any,
    n_splits: int | None,
) -> int:
    """Find the number of configurations, on which all that was given agrees."""
    if params is not None and (
        isinstance(params, (str, Mapping)) or not hasattr(params, "__len__")
    ):
        raise ValueError(
            "params must be a list with the parameters of each configuration, such as "
            f"[{{'C': 1}}, {{'C': 10}}], got {got(params)}."
        )
    from_rows = [len(array) for array in arrays.values()]
    lengths = [len(each) for each in (params, failed) if each is not None]
    noted = next((length for length in from_rows + lengths if length), None)
    for name, (one, other) in ((name, array.shape) for name, array in scores.items()):
        fits = n_splits in (None, one) and noted in (None, other)
        if not fits and n_splits in (None, other) and noted in (None, one):
            raise ValueError(
                f"fold_scores[{name!r}] has shape {(one, other)}, expected (n_splits, n_configs) "
                f"= {(other, one)}: it looks transposed. Pass its transpose, scores.T."
            )
    sized = from_rows + [array.shape[1] for array in scores.values()]
    if sized[0] < 1 or len(set(sized)) > 1:
        raise ValueError(f"The number of configurations is not one number >= 1: {sized}.")
    if params is not None and len(params) not in (0, sized[0]):
        raise ValueError(f"params has {len(params)} entries for {sized[0]} configurations.")
    return sized[0]


def checked_selected(selected: int | None, n_configs: int) -> int | None:
    """Return the index of a configuration, or None."""
    if selected is None:
        return None
    if not is_integer(selected, 0) or selected >= n_configs:
        raise ValueError(f"selected={selected!r} is not a configuration in 0..{n_configs - 1}.")
    return int(selected)


def checked_weights(sample_weight: Any, n_samples: int) -> np.ndarray:
    """Return weights of samples as an array, (n_samples,)."""
    weights = _per("sample_weight", sample_weight, n_samples, "sample")
    if weights.dtype.kind not in "fiub":
        raise ValueError(f"sample_weight must hold numbers, got {weights[:1].tolist()[0]!r}.")
    if not ((weights >= 0).all() and weights.any()):
        raise ValueError("sample_weight must not be negative, nor zero everywhere.")
    if not 1 / LARGEST_WEIGHT <= (largest := float(weights.max())) <= LARGEST_WEIGHT:
        raise ValueError(
            f"The largest sample_weight is {largest:.3g}, and a double holds no product "
            "of such numbers. Multiply all weights by one number, so that they are about 1."
        )
    return weights


def _per(name: str, values: Any, size: int, what: str) -> np.ndarray:
    array = plain_array(values, name)
    if array.shape != (size,):
        raise ValueError(f"{name} has shape {array.shape}, expected ({size},): one per {what}.")
    return frozen_array(array)
