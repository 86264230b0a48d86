"""Verify that the record is what the search scored: compute the metric of every fold again."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from .._warnings import warn_user
from ..exceptions import RecordingWarning
from ..metrics._base import RowData, family_for
from ..metrics._metric import Metric
from ..metrics._replay import RowHandles, stand_in
from ..predictions._matrix_file import by_config
from ..predictions._predictions import OOFPredictions
from ..predictions._validation import TARGET, taken, taken_metadata
from ._metrics import describe_cells
from ._recording import Recording

BLOCK_VALUES = 2**18
"""Predictions that are scored at a time: the check must not need a second copy of all."""

REPLAYED_SHARE = 0.1
"""Share of the configurations for which a metric without a kernel is called again."""


LOST_OTHERS = "These configurations cannot win in a bootstrap draw."
LOST_WINNER = (
    "Since the best configuration is among them, no interval uses these predictions; BBC-F's, "
    "from the scores per fold, takes its place."
)
NOT_SCORED = "the best configuration's predictions are missing, or are not those that were scored"


def verified(
    oof: OOFPredictions,
    views: Mapping[str, tuple[Metric, OOFPredictions]],
    best: Mapping[str, int | None],
    error_score: Any,
    recording: Recording,
) -> OOFPredictions:
    """Compute the metrics of a search again from its record; leave out what differs, and warn.

    A metric with a bootstrap kernel is computed for every configuration, which is one pass
    of the kernel. Any other is called again for a tenth of the configurations, the winner
    first: as much as a tenth of what the search itself spent on scoring. Folds in which
    either number is undefined are not compared, nor are metrics that cannot be computed from
    predictions.
    """
    if not oof.responses or not views:
        return oof
    cells: np.ndarray = np.zeros((oof.n_splits, oof.n_configs), dtype=bool)  # that differ
    missing = np.zeros(oof.n_configs, dtype=bool)
    wrong: list[str] = []
    methods: set[str] = set()
    for name, (metric, view) in views.items():
        scores = view.fold_scores[name]
        scored = np.isfinite(scores).all(axis=0) & ~view.failed
        recorded = recording.recorded
        if recorded:
            wanted = [whole for each, whole in recorded.items() if each in metric.response_method]
            missing |= scored & ~np.any(wanted or list(recorded.values()), axis=0)
        try:
            again, used, steady = _scores_again(metric, view, scores, best.get(name))
        # Cannot be computed from predictions. Whoever asks for an interval gets the reason.
        except Exception:
            continue
        differ = not_the_same(scores, again, view)
        if isinstance(error_score, (int, float)):
            differ &= scores != error_score
        if not differ.any():
            continue
        if steady:
            cells |= differ
            methods |= used
            wrong.append(name)
            continue
        warn_user(
            f"{name} gives another number each time it is called on the same predictions, so "
            "the recorded predictions cannot be compared with cv_results_. A fixed seed inside "
            "the scorer helps.",
            RecordingWarning,
        )
    winners = [config for config in best.values() if config is not None]
    if missing.any():
        lost_winner = bool(missing[winners].any())
        if lost_winner or not recording.problems:
            configs = np.flatnonzero(missing).tolist()
            more = f" and {len(configs) - 10} more" if len(configs) > 10 else ""
            warn_user(
                "Not every prediction was recorded of configurations that were scored: "
                f"{', '.join(map(str, configs[:10]))}{more}. "
                f"{LOST_WINNER if lost_winner else LOST_OTHERS}",
                RecordingWarning,
            )
        if lost_winner:
            return _without(oof, set(oof.responses))
    if not cells.any():
        return oof
    lost = np.atleast_1d(cells.any(axis=0))
    nothing_left = bool(lost[winners].any() or lost[~oof.failed].all())
    warn_user(
        f"What was recorded is not what was scored: {', '.join(wrong)} computed from "
        f"the recorded predictions differs from cv_results_ for {describe_cells(cells)}. "
        f"They are treated as not recorded. {LOST_WINNER if nothing_left else LOST_OTHERS} "
        "Known reasons are models or scorers that threads share, scikit-learn scorers with an "
        "estimator whose classes_ are not sorted, and scorers that use more than predictions or "
        "give another number each time. The results of the search itself are not affected.",
        RecordingWarning,
    )
    return _without(oof, methods) if nothing_left else _without_cells(oof, cells, methods)


def not_the_same(scores: np.ndarray, again: np.ndarray, oof: OOFPredictions) -> np.ndarray:
    """Find where two sets of fold scores differ by more than rounding.

    A millionth of the score's size, or of the typical score where that is larger: sums in
    another order differ by less even for sums of squares far from zero, and the predictions
    of another model by more. Predictions in single precision are allowed a thousand times
    their own rounding.

    `scores, again` (n_splits, n_configs) -> (n_splits, n_configs).
    """
    both = np.isfinite(scores) & np.isfinite(again)
    if not both.any():
        return both
    floats = [array.dtype for array in oof.responses.values() if array.dtype.kind == "f"]
    rounding = max((float(np.finfo(dtype).eps) for dtype in floats), default=0.0)
    relative = max(1e-6, 1000 * rounding)
    with np.errstate(invalid="ignore"):
        size = np.maximum(np.abs(scores), np.abs(again))
        size = np.maximum(size, np.median(np.abs(scores[both])))
        return both & (np.abs(scores - again) > relative * size + 1e-15)


def _without_cells(oof: OOFPredictions, cells: np.ndarray, methods: set[str]) -> OOFPredictions:
    """Leave cells (n_splits, n_configs) of some methods out of the predictions.

    Those in a file are written to another one, since there may be more of them than memory.
    """

    def blanked(array: np.ndarray, config: int) -> np.ndarray:
        of_config: np.ndarray = array[config]
        lost = cells[:, config]
        if lost.any():
            of_config = of_config.copy()
            of_config[lost[oof.fold]] = np.nan if array.dtype.kind == "f" else -1
        return of_config

    responses = dict(oof.responses)
    for method in methods & responses.keys():
        array = by_config(partial(blanked, responses[method]), responses[method])
        array.flags.writeable = False
        responses[method] = array
    return oof._with_fields(responses=MappingProxyType(responses))


def _scores_again(
    metric: Metric, oof: OOFPredictions, scores: np.ndarray, best: int | None
) -> tuple[np.ndarray, set[str], bool]:
    """Compute fold scores from the record, the methods they need, and whether they stay."""
    again = np.full(scores.shape, np.nan)
    usable = np.flatnonzero(~oof.failed)
    if not len(usable):
        return again, set(), True
    if _has_kernel(metric, _some(oof, usable[:1])):
        used: set[str] = set()
        values = max(array[0].size for array in oof.responses.values())
        n_blocks = -(-len(usable) * values // BLOCK_VALUES)
        for block in np.array_split(usable, max(1, n_blocks)):
            part = _some(oof, block)
            try:
                kernel = metric.bind(part)
            except ValueError:  # no complete configuration among these
                continue
            again[:, block] = kernel.fold_scores()
            used |= set(kernel.response.split("+"))
        if "derived" in used:
            used |= {"predict_proba", "decision_function"}
        return again, used & set(oof.responses), True
    n_sampled = max(1, round(REPLAYED_SHARE * len(usable)))
    spread = usable[np.linspace(0, len(usable) - 1, n_sampled).astype(int)]
    if best is not None and best in usable:
        spread = np.unique(np.append(spread[: n_sampled - 1], best))
    return _replayed(metric, oof, scores, spread)


def _some(oof: OOFPredictions, configs: np.ndarray) -> OOFPredictions:
    """Take some configurations, as a view where these are neighbours."""
    first, last = int(configs[0]), int(configs[-1])
    picked: Any = slice(first, last + 1) if last - first == len(configs) - 1 else configs
    responses = {method: array[picked] for method, array in oof.responses.items()}
    return oof._with_fields(
        responses=MappingProxyType(responses),
        failed=oof.failed[picked],
        fold_scores=MappingProxyType({}),
        params=(),
        selected=None,
    )


def _has_kernel(metric: Metric, oof: OOFPredictions) -> bool:
    """Whether the metric is computed and not called; to bind a called one costs calls."""
    if metric.score_func is None or not metric.response_method or metric.routed(oof.metadata):
        return False
    pred, used = oof.response(metric.response_method)
    codes = oof.classes_ is not None and used.split("+")[0] in ("predict", "derived")
    weighted = oof.sample_weight is not None
    rows = RowData(
        oof.y_true[oof.sample], pred, oof.classes_, codes, metric.kwargs, metric.sign, weighted
    )
    return family_for(metric.score_func, rows) is not None


def _replayed(
    metric: Metric, oof: OOFPredictions, scores: np.ndarray, configs: np.ndarray
) -> tuple[np.ndarray, set[str], bool]:
    """Call the scorer again on an estimator that answers with the record."""
    again = np.full(scores.shape, np.nan)
    steady = True
    metadata = metric.routed(oof.metadata)
    target = oof.metadata.get(TARGET, oof.y_true)
    rows_of = [np.flatnonzero(oof.fold == split) for split in range(len(scores))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # shown by the search itself
        for config in configs:
            estimator = stand_in(oof.responses, int(config), oof.classes_)
            for split, rows in enumerate(rows_of):
                if not np.isfinite(scores[split, config]) or not _all_there(oof, config, rows):
                    continue
                sample = oof.sample[rows]
                extra = taken_metadata(metadata, sample)
                if oof.sample_weight is not None:
                    extra["sample_weight"] = oof.sample_weight[sample]
                y = taken(target, sample)
                score = float(metric.scorer(estimator, RowHandles(rows), y, **extra))
                again[split, config] = score
                if steady and not_the_same(scores, again, oof)[split, config]:
                    other = float(metric.scorer(estimator, RowHandles(rows), y, **extra))
                    steady = other == score
    return again, set(oof.responses), steady


def _all_there(oof: OOFPredictions, config: int, rows: np.ndarray) -> bool:
    """Whether no recorded method lacks some of these rows."""
    for array in oof.responses.values():
        values = array[config]
        missing = np.isnan(values) if values.dtype.kind == "f" else values < 0
        # A model without the method lacks all rows, of this fold and of the others.
        if missing[rows].any() and not missing.all():
            return False
    return True


def _without(oof: OOFPredictions, methods: set[str]) -> OOFPredictions:
    """Leave out some response methods; without any, the rows too."""
    left = {name: array for name, array in oof.responses.items() if name not in methods}
    fields: dict[str, Any] = {"responses": MappingProxyType(left)}
    if not left:
        fields.update(dict.fromkeys(("sample", "fold", "repeat"), np.zeros(0, dtype=np.int64)))
    return oof._with_fields(**fields)


def scorer_failures(
    search: Any, recording: Recording, oof: OOFPredictions, X: Any, y: Any
) -> dict[str, str]:
    """Find out why every score of a metric failed, for metrics of which that is true.

    scikit-learn prints the scorer's error in the process where it happened and keeps only
    NaN. The scorer is called once more, on the refitted winner, to learn it.
    """
    failures = {}
    for name, scores in oof.fold_scores.items():
        scores = scores[:, ~oof.failed]
        nothing: np.ndarray = np.isnan(scores)
        if isinstance(search.error_score, (int, float)) and not oof.responses:
            nothing |= scores == search.error_score
        if not scores.size or not nothing.all():
            continue
        if not hasattr(search, "best_estimator_"):
            if not oof.responses:
                failures[name] = (
                    "Every score of the search failed. The scorer's error is in scikit-learn's "
                    'warnings; error_score="raise" stops at it.'
                )
            continue
        scorer = search.scorer_[name] if isinstance(search.scorer_, dict) else search.scorer_
        try:
            data = (X,) if y is None else (X, y)
            scorer(search.best_estimator_, *data, **recording.score_params)
        # Whatever a scorer raises is what was asked for.
        except Exception as error:
            lines = str(error).strip().splitlines() or [""]
            failures[name] = (
                f"Every score of the search failed, with {type(error).__name__}: {lines[0]}"
            )
    return failures
