"""What one fit of a recorder gave, and how the fits of all configurations become predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import time_ns
from typing import Any

import numpy as np

from ...predictions import OOFPredictions
from ...predictions._io import _plain

KINDS = ("plain", "predict", "predict_proba", "decision_function")


@dataclass(frozen=True, eq=False)
class RecordedCell:
    """Predictions of one configuration for the samples that one split holds out.

    Attributes
    ----------
    config : str
        Fingerprint of the attempt: parameters, estimator and data.
    split : int
        Number of the split.
    params : dict
        The parameters.
    recipe : dict of str to str
        What another fit must agree with to give the same.
    scores : dict of str to float
        Metric -> score of the split.
    responses : mapping of str to ndarray of shape (n_test[, n_outputs])
        Response method -> predictions, in the order of the split.
    time : int
        When it was recorded, in nanoseconds.
    """

    config: str
    split: int
    params: dict[str, Any]
    recipe: Mapping[str, str]
    scores: Mapping[str, float]
    responses: Mapping[str, np.ndarray]
    time: int = field(default_factory=time_ns)


def assembled(
    cells: Sequence[RecordedCell],
    splits: Sequence[Any],
    y: np.ndarray,
    groups: np.ndarray | None,
    sample_weight: np.ndarray | None,
    notes: Sequence[str],
) -> OOFPredictions:
    """Predictions of the configurations of which every split is there.

    Parameters
    ----------
    cells : sequence of RecordedCell
        In any order.
    splits : sequence of (train, test)
        Positions of the samples.
    y, groups, sample_weight, notes
        As `OOFPredictions` takes them.
    """
    configs: dict[str, dict[int, RecordedCell]] = {}
    for cell in sorted(cells, key=lambda cell: cell.time):
        configs.setdefault(cell.config, {})[cell.split] = cell
    complete = [of_split for of_split in configs.values() if len(of_split) == len(splits)]
    if not complete:
        raise ValueError(
            f"No configuration has predictions for all {len(splits)} splits yet: "
            f"{len(configs)} were begun."
        )
    params, n_equal = _told_apart([of_split[0].params for of_split in complete])
    notes = list(notes)
    if n_equal:
        notes.append(
            f"{n_equal} configurations share their parameters with others and differ in X or in "
            "the estimator. A number in their params, 'attempt', tells them apart."
        )
    if left := len(configs) - len(complete):
        are = "configuration is" if left == 1 else "configurations are"
        notes.append(f"{left} {are} not complete, as after a crash or pruning, and left out.")
    tests = [np.asarray(test) for _, test in splits]
    ends = np.cumsum([0, *map(len, tests)])
    kinds = [kind for kind in KINDS if any(kind in cell.responses for cell in cells)]
    return OOFPredictions(
        y_true=y,
        responses={kind: _response(complete, kind, ends) for kind in kinds},
        sample=np.concatenate(tests),
        fold=np.repeat(np.arange(len(tests)), np.diff(ends)),
        groups=groups,
        sample_weight=sample_weight,
        params=params,
        fold_scores=_fold_scores(complete, len(tests)),
        train_size=[len(train) for train, _ in splits],
        notes=notes,
    )


def _told_apart(params: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """Number the configurations that share their parameters, and count these."""
    alike: dict[str, list[int]] = {}
    for config, each in enumerate(params):
        alike.setdefault(repr(sorted(_plain(each).items())), []).append(config)
    name = "attempt"
    while any(name in each for each in params):
        name += "_"
    numbered = list(params)
    several = [configs for configs in alike.values() if len(configs) > 1]
    for configs in several:
        for number, config in enumerate(configs, 1):
            numbered[config] = {**params[config], name: number}
    return numbered, sum(map(len, several))


def _response(
    complete: Sequence[Mapping[int, RecordedCell]], kind: str, ends: np.ndarray
) -> np.ndarray:
    """One response of all configurations, shape (n_configs, n_rows[, n_outputs])."""
    known = [
        cell.responses[kind]
        for of_split in complete
        for cell in of_split.values()
        if kind in cell.responses
    ]
    shapes = {array.shape[1:] for array in known}
    if len(shapes) != 1:
        raise ValueError(
            f"The recorded {kind} has different numbers of outputs, {sorted(shapes)}: all "
            "configurations must predict the same classes or outputs."
        )
    dtype = np.result_type(*{array.dtype for array in known})
    missing = -1 if dtype.kind in "iu" else np.nan
    if dtype.kind in "ub":
        dtype, missing = np.dtype(np.int64), -1
    shape = (len(complete), int(ends[-1]), *shapes.pop())
    result = np.full(shape, missing, dtype=dtype)
    for config, of_split in enumerate(complete):
        for split, cell in of_split.items():
            if kind in cell.responses:
                result[config, ends[split] : ends[split + 1]] = cell.responses[kind]
    return result


def _fold_scores(
    complete: Sequence[Mapping[int, RecordedCell]], n_splits: int
) -> dict[str, np.ndarray]:
    """Scores per split by the metrics that every fit has."""
    names = set.intersection(*(set(c.scores) for of_split in complete for c in of_split.values()))
    return {
        name: np.array(
            [[of_split[split].scores[name] for of_split in complete] for split in range(n_splits)]
        )
        for name in sorted(names)
    }
