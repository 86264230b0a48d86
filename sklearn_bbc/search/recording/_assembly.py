"""Put what a search recorded, model by model, together as `OOFPredictions`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.utils.validation import _num_samples

from ...predictions import OOFPredictions
from ...predictions._arrays import repeat_of_rows, row_order
from ...predictions._metadata import TARGET, settled
from ...predictions._notes import IN_TIME, is_in_time
from .._metrics import metric_names
from ._listening import to_numpy
from ._recording import Recording, Round, each_scorer
from ._sheet import ResponseSheet

__all__ = ["ResponseSheet", "assemble", "fold_scores_of"]


def assemble(
    recording: Recording,
    X: Any,
    y: Any,
    cv_results: dict[str, Any],
    *,
    selected: int | None,
    classifier: bool,
) -> OOFPredictions:
    """Out-of-fold predictions of a finished search.

    Parameters
    ----------
    recording : Recording
        What the search recorded.
    X : array-like of shape (n_samples, ...)
        Data of the search; only counted.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs), or None
        Target of the search.
    cv_results : dict
        ``cv_results_`` of the search.
    selected : int or None
        The configuration that the search selected.
    classifier : bool
        Whether the target holds classes.

    Returns
    -------
    OOFPredictions
        With the scores per split only when there is no target or nothing was heard.
    """
    final_round = _round_of(recording, selected)
    splits = final_round.splits
    comparable = _comparable(recording, final_round)
    n_splits = len(splits)
    failed = np.reshape(recording.fit_failed, (-1, n_splits)).any(axis=1) | ~comparable
    if recording.n_splits_done:  # what was dropped cannot win either
        failed |= np.asarray(recording.n_splits_done) < n_splits
    fold_scores = fold_scores_of(cv_results, n_splits)
    for scores in fold_scores.values():
        scores[:, ~comparable] = np.nan
    n_rows = _num_samples(X)
    sides = [(_positions(train, n_rows), _positions(test, n_rows)) for train, test in splits]
    common = {
        "params": cv_results["params"],
        "failed": failed,
        "selected": selected,
        "fold_scores": fold_scores,
        "train_size": [len(train) for train, _ in sides],
        "notes": [*([IN_TIME] if is_in_time(sides) else []), *recording.notes],
    }
    if y is None:
        return OOFPredictions._quietly(y_true=np.empty(0), classes=None, **common)

    target = _target(y)
    classes = np.unique(target) if classifier and target.ndim == 1 else None
    tests = [test for _, test in sides]
    sample, fold = np.concatenate(tests), np.repeat(np.arange(n_splits), [len(t) for t in tests])
    repeat = repeat_of_rows(sample, fold, len(target))
    order = row_order(sample, repeat)
    # Every prediction goes to the place where it stays: sorted later, all would be there twice.
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    places = np.split(place, np.cumsum([len(test) for test in tests])[:-1])
    folder = None if recording.store is None else recording.store.path
    sheet = ResponseSheet(len(failed), places, classes, folder)
    for cell, responses in enumerate(recording.cells):
        config, split = divmod(cell, n_splits)
        recording.cells[cell] = None  # the sheet is the only copy from here on
        if responses is not None and comparable[config]:
            sheet.write(config, split, responses)
    sheet.mark_missing()
    sheet.warn_about_problems()
    recording.problems = bool(sheet.problems)
    recording.heard = {
        method: np.atleast_1d(each.all(axis=1)) for method, each in sheet.written.items()
    }
    weights = [w for w in recording.score_weights.values() if w is not None]
    n_samples = _num_samples(X)
    if sheet.arrays:
        common["responses"] = sheet.arrays
        common |= {"sample": sample[order], "fold": fold[order], "repeat": repeat[order]}
    return OOFPredictions._quietly(
        y_true=target,
        classes=classes,
        groups=None if recording.groups is None else _per_sample(recording.groups, n_samples),
        sample_weight=_per_sample(weights[0], n_samples) if weights else None,
        metadata=metadata_of(recording, y),
        **common,
    )


def metadata_of(recording: Recording, y: Any) -> dict[str, Any]:
    """What scorers get besides predictions, and a Series as the target where they may use it.

    Parameters
    ----------
    recording : Recording
        Has what was routed to the scorers.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Target of the search.
    """
    n_samples = _num_samples(y)
    metadata = {name: settled(each, n_samples) for name, each in recording.metadata.items()}
    functions = [getattr(each, "_score_func", each) for each in each_scorer(recording.scorers)]
    # scikit-learn's own functions look at the values only.
    own = any(not (getattr(f, "__module__", "") or "").startswith("sklearn.") for f in functions)
    if own and isinstance(y, pd.Series):
        metadata[TARGET] = settled(y, n_samples)
    return metadata


def held_out_of(recording: Recording, selected: int | None, n_samples: int) -> np.ndarray:
    """Mark the samples that some split held out, shape (n_samples,)."""
    held_out = np.zeros(n_samples, dtype=bool)
    for _, test in _round_of(recording, selected).splits:
        held_out[_positions(test, n_samples)] = True
    return held_out


def fold_scores_of(cv_results: dict[str, Any], n_splits: int) -> dict[str, np.ndarray]:
    """Metric name -> scores of shape (n_splits, n_configs), as in ``cv_results_``."""
    return {
        name: np.stack([cv_results[f"split{k}_test_{name}"] for k in range(n_splits)])
        for name in metric_names(cv_results)
    }


def _round_of(recording: Recording, selected: int | None) -> Round:
    """The round that evaluated the selected configuration, by default the last one."""
    if selected is not None:
        for each in recording.rounds:
            if selected < each.n_configs:
                return each
            selected -= each.n_configs
    return recording.rounds[-1]


def _comparable(recording: Recording, final_round: Round) -> np.ndarray:
    """Which configurations were evaluated on the very splits of `final_round`."""
    same = [each is final_round or _same_splits(each, final_round) for each in recording.rounds]
    return np.repeat(same, [each.n_configs for each in recording.rounds])


def _same_splits(one: Round, other: Round) -> bool:
    return all(
        np.array_equal(a, b) for pair in zip(one.splits, other.splits) for a, b in zip(*pair)
    )


def _positions(indices: Any, n_samples: int) -> np.ndarray:
    """Positions of one side of a split, given as a mask or as positions, from the end too."""
    indices = np.asarray(indices)
    if indices.dtype == bool:
        return np.flatnonzero(indices)
    return np.where(indices < 0, indices + n_samples, indices)


def _target(y: Any) -> np.ndarray:
    target = y.toarray() if issparse(y) else to_numpy(y)
    return target[:, 0] if target.ndim == 2 and target.shape[1] == 1 else target


def _per_sample(values: Any, n_samples: int) -> np.ndarray:
    return np.broadcast_to(np.asarray(values), (n_samples,))
