"""Assemble the answers of all models into arrays, check them, and make out-of-fold predictions."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.utils.validation import _num_samples

from .._scorers import response_words
from .._text import count
from .._utils import same
from .._warnings import warn_user
from ..exceptions import RecordingWarning
from ..metrics._base import RowData, family_for
from ..metrics._consumed import Unbound
from ..metrics._replay import RowHandles, stand_in
from ..predictions._files import MatrixFile, PageReleaser, by_config
from ..predictions._predictions import OOFPredictions, predictions_of_rows, taken, with_fields
from ..predictions._sources import arguments_of
from ..predictions._validation import (
    IN_TIME,
    TARGET_NAME,
    as_metadata,
    is_in_time,
    repeat_of_rows,
    row_order,
    rows_taken,
    taken_metadata,
)
from ._capture import FoldResponses, UnusableResponse, in_class_order, to_numpy
from ._checks import SCORE, describe_cells, metric_names
from ._recording import Record, Round, each_scorer

IN_FILE_BYTES = 2**26
"""Larger arrays are files, where there is a folder for them."""
NOT_WANTED = "record=False keeps the scores per fold only"
NO_ANSWERS = (
    "the scorer asked the estimators for no prediction of the rows it was given, or there is "
    "no target"
)
OUT_OF_MEMORY = "memory ran out while predictions were recorded"
NOT_KEPT = "the predictions could not be kept"
OWN_FIT = (
    "{} evaluates configurations in a fit of its own, where BBCSearchMixin sees no prediction "
    "(OOFPredictions.from_search(search, X, y) fits them again and keeps what they predict)"
)
EMPTY = (
    "No sample is held out by split {}: it has no score, and results from the predictions or from "
    "scores per fold leave it out."
)


class ResponseSheet:
    """Arrays (n_configs, n_rows[, k]) of all response methods, collected cell by cell.

    `places` are the rows (n_test,) to which the test samples of each split go, `classes` the
    sorted classes of the whole target. In `folder` arrays of more than `IN_FILE_BYTES` become
    files, and configurations must come in their order; None keeps everything in memory, which
    is asked for at once but touched cell by cell, while the cells are freed. `arrays` has
    response method -> array when `mark_missing` has ended the writing, `written` response method
    -> the cells that came, (n_configs, n_splits), and `problems` counts what could not be kept.
    """

    def __init__(
        self,
        n_configs: int,
        places: list[np.ndarray],
        classes: np.ndarray | None,
        folder: Path | None = None,
    ):
        self.n_configs, self.places, self.classes = n_configs, places, classes
        self.n_rows = sum(map(len, places))
        self.arrays: dict[str, np.ndarray] = {}
        self._matrices: dict[str, Any] = {}  # arrays and files
        self._folder, self._no_file = folder, ""
        # Arrays from a store are files.
        self._walk = None if folder is None else PageReleaser()
        self.written: dict[str, np.ndarray] = {}
        self.problems: Counter[str] = Counter()

    def write(self, config: int, split: int, responses: FoldResponses) -> None:
        """Align the responses of one model and write them to its rows."""
        if responses.problem is not None:
            self.problems[responses.problem] += 1
        for method in responses.arrays:
            try:
                values = in_class_order(method, responses, self.classes)
                if len(values) != len(self.places[split]):
                    raise UnusableResponse(
                        f"{method} returned {len(values)} rows for {len(self.places[split])} "
                        "samples"
                    )
                self._prepare(method, values)
            except UnusableResponse as problem:
                self.problems[str(problem)] += 1
                continue
            row = None
            if self._walk is not None:
                row = self._in_file(method, lambda file: file.row(config))
            row = self._matrices[method][config] if row is None else row
            row[self.places[split]] = values
            self.written[method][config, split] = True
            if self._walk is not None:
                self._walk.has_read(values)

    def mark_missing(self) -> None:
        """Write NaN, of labels -1, to the rows of cells that never came; nothing can follow."""
        if self._walk is not None:
            self._walk.end()
        for method in self._matrices:
            in_file = None if self._walk is None else self._in_file(method, MatrixFile.finish)
            if in_file is not None:
                self.arrays[method] = in_file
                continue
            matrix: Any = self._matrices[method]
            self.arrays[method] = matrix
            for config, split in np.argwhere(~self.written[method]):
                matrix[config, self.places[split]] = _missing_value(matrix.dtype)
        if self._no_file:
            warn_user(
                f"Predictions are kept in memory, not in a file in {self._folder}: "
                f"{self._no_file}. Results are the same.",
                RecordingWarning,
            )

    def warn_about_problems(self) -> None:
        """Warn once of everything that could not be kept."""
        reasons = "; ".join(f"{why} ({count(n, 'model')})" for why, n in self.problems.items())
        warn_user(
            f"Some predictions could not be kept: {reasons}. Configurations without those by "
            "which a metric selects cannot win in a bootstrap draw. The results of the search "
            "itself are not affected.",
            RecordingWarning,
        )

    def _prepare(self, method: str, values: np.ndarray) -> None:
        """Make the array of a method, or make it fit these values, too."""
        coded = method == "predict" and self.classes is not None
        # Half precision is too short for sums.
        short = values.dtype in (np.float16, np.float32)
        dtype = _code_dtype(self.classes) if coded else np.dtype("f4" if short else "f8")
        if method not in self._matrices:
            self._matrices[method] = self._begun((self.n_rows, *values.shape[1:]), dtype)
            self.written[method] = np.zeros((self.n_configs, len(self.places)), dtype=bool)
        matrix = self._matrices[method]
        if matrix.shape[2:] != values.shape[1:]:
            raise UnusableResponse(
                f"{method} returned shape {values.shape} where other models returned "
                f"{('n', *matrix.shape[2:])}"
            )
        if np.promote_types(dtype, matrix.dtype) != matrix.dtype:
            larger = self._in_file(method, lambda file: file.converted(dtype))
            if larger is None:
                larger = self._matrices[method].astype(dtype)
            self._matrices[method] = larger

    def _begun(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray | MatrixFile:
        shape = (self.n_configs, *shape)
        if self._folder is not None and np.prod(shape) * dtype.itemsize > IN_FILE_BYTES:
            try:
                return MatrixFile(self._folder, shape, dtype, _missing_value(dtype))
            except OSError as error:
                self._no_file = error.strerror or str(error)
        return np.empty(shape, dtype)

    def _in_file(self, method: str, action: Callable[[MatrixFile], Any]) -> Any:
        """Apply an action to the file of a method; None where its array is in memory.

        If the file fails, as on a full disk, what was written moves to memory.
        """
        matrix = self._matrices[method]
        if isinstance(matrix, MatrixFile):
            try:
                return action(matrix)
            except OSError as error:
                self._no_file = error.strerror or str(error)
                self._matrices[method] = matrix.in_memory()
        return None


def _missing_value(dtype: np.dtype[Any]) -> float:
    return np.nan if dtype.kind == "f" else -1


def _code_dtype(classes: Any) -> np.dtype[Any]:
    """Choose the smallest type that holds a code for every class, and -1."""
    n_classes = len(classes)
    small = n_classes <= 2**15
    return np.dtype(np.int8 if n_classes <= 128 else np.int16 if small else np.int32)


class Assembled(NamedTuple):
    """Predictions of a finished search, and what is known of how they were kept."""

    oof: OOFPredictions
    # Training samples of each split; None where they are all that are not tested.
    trains: list[np.ndarray | None] = []
    # Mask (n_samples,) of the samples that some split holds out; None where it is not known.
    held_out: np.ndarray | None = None
    # Response method -> which configurations (n_configs,) have it in every fold.
    complete: Mapping[str, np.ndarray] = {}
    # Whether something could not be kept, of which a warning came.
    warned: bool = False
    # Why there are only scores per fold, where that is so.
    why_unrecorded: str = NO_ANSWERS


def kept_predictions(
    record: Record,
    X: Any,
    y: Any,
    cv_results: dict[str, Any],
    *,
    selected: int | None,
    classifier: bool,
    notes: Sequence[str] = (),
) -> Assembled:
    """Assemble the record; without memory, or after a fault, the scores per fold."""
    assembled = partial(
        assemble, record, X, cv_results=cv_results, selected=selected, classifier=classifier,
        notes=notes,
    )  # fmt: skip
    cells = [cell for cell in record.cells if cell is not None]
    # One fit whose predictions found no memory is missing as any other is.
    out_of_memory = any(cell.out_of_memory for cell in cells) and not any(
        cell.arrays for cell in cells
    )
    try:
        if not out_of_memory:
            return assembled(y)
    except MemoryError:
        pass  # warned of below
    # The search itself is complete and must not be lost, whatever the predictions are.
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        warn_user(
            f"The predictions could not be kept ({why}); only the scores per fold are.",
            RecordingWarning,
        )
        return assembled(None)._replace(why_unrecorded=f"{NOT_KEPT} ({why})")
    record.cells[:] = [None] * len(record.cells)
    warn_user(
        "There was not enough memory for the predictions of all configurations, so recording "
        "stopped and only the scores per fold are kept: intervals come from BBC-F. "
        "record=False asks for this from the beginning.",
        RecordingWarning,
    )
    try:
        kept = assembled(y)
    except Exception:  # not even the target
        kept = assembled(None)
    return kept._replace(why_unrecorded=OUT_OF_MEMORY)


def scores_alone(search: Any) -> tuple[Assembled, str | None]:
    """Take the scores per fold of a search that evaluated in a `fit` of its own.

    Also returns the name of the estimators' own score, if known.
    """
    given = arguments_of(search)
    scores = given.pop("fold_scores")
    own = next(iter(scores)) if search.scoring is None else None
    oof = predictions_of_rows(
        fold_scores=dict(zip(metric_names(search.cv_results_), scores.values())), **given
    )
    alone = Assembled(oof, why_unrecorded=OWN_FIT.format(type(search).__name__))
    return alone, None if own == SCORE else own


def assemble(
    record: Record,
    X: Any,
    y: Any,
    cv_results: dict[str, Any],
    *,
    selected: int | None,
    classifier: bool,
    notes: Sequence[str] = (),
) -> Assembled:
    """Assemble the out-of-fold predictions of a finished search.

    `X` (n_samples, ...), `y` (n_samples,).
    """
    rounds, options = record.rounds, record.options
    final_round = rounds[0] if len(rounds) == 1 else _round_of(record, selected)
    splits = final_round.splits
    like_final = [each is final_round or same(each.splits, splits) for each in rounds]
    comparable = np.repeat(like_final, [each.n_configs for each in rounds])
    n_splits = len(splits)
    failed = np.reshape(record.fit_failed, (-1, n_splits)).any(axis=1) | ~comparable
    if record.n_splits_done:  # what was dropped cannot win either
        failed |= np.asarray(record.n_splits_done) < n_splits
    n_samples = _num_samples(X)
    sides = [(split_positions(i, n_samples), split_positions(j, n_samples)) for i, j in splits]
    # Where no split holds out a sample, all are kept.
    held = [k for k, (_, test) in enumerate(sides) if len(test)] or [*range(n_splits)]
    sides = [sides[k] for k in held]
    tests = [test for _, test in sides]
    fold_scores = {
        name: np.stack([cv_results[f"split{k}_test_{name}"] for k in held])
        for name in metric_names(cv_results)
    }
    for scores in fold_scores.values():
        scores[:, ~comparable] = np.nan
    common = {
        "params": cv_results["params"],
        "failed": failed,
        "selected": selected,
        "fold_scores": fold_scores,
        "train_size": [len(train) for train, _ in sides],
        "notes": [*(IN_TIME if is_in_time(sides) else ()), *notes],
    }
    if empty := np.setdiff1d(np.arange(n_splits), held).tolist():
        common["notes"].append(EMPTY.format(", ".join(map(str, empty))))
    samples = np.arange(n_samples)
    about: dict[str, Any] = {
        "trains": [
            None if np.array_equal(train, np.setdiff1d(samples, test)) else train
            for train, test in sides
        ],
        "held_out": np.isin(samples, np.concatenate(tests)),
        "why_unrecorded": NO_ANSWERS if options.wanted else NOT_WANTED,
    }
    if y is None:
        return Assembled(predictions_of_rows(y_true=np.empty(0), classes=None, **common), **about)

    target = target_array(y)
    classes = np.unique(target) if classifier and target.ndim == 1 else None
    sample, fold = np.concatenate(tests), np.repeat(np.arange(len(tests)), [*map(len, tests)])
    repeat = repeat_of_rows(sample, fold, len(target))
    order = row_order(sample, repeat)
    # Every prediction goes to the place where it stays: sorted later, all would be there twice.
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    places = np.split(place, np.cumsum([len(test) for test in tests])[:-1])
    sheet = ResponseSheet(len(failed), places, classes, record.folder)
    for cell, responses in enumerate(record.cells):
        config, split = divmod(cell, n_splits)
        record.cells[cell] = None  # the sheet is the only copy from here on
        if responses is not None and comparable[config] and split in held:
            sheet.write(config, held.index(split), responses)
    sheet.mark_missing()
    complete = {method: np.atleast_1d(each.all(axis=1)) for method, each in sheet.written.items()}
    if sheet.problems:
        sheet.warn_about_problems()
    for method in options.also:  # what `record` names
        lacking = ~failed & ~complete.get(method, np.zeros(len(failed), dtype=bool))
        if lacking.any():
            warn_user(
                f"record asks for {response_words(method)}, which "
                f"{count(int(lacking.sum()), 'configuration')} of {(~failed).sum():,} did not "
                "answer in every fold. What needs it is undefined for them; scores and other "
                "predictions are not affected.",
                RecordingWarning,
            )
    weights = [w for w in record.score_weights.values() if w is not None]
    if sheet.arrays:
        common["responses"] = sheet.arrays
        common |= {"sample": sample[order], "fold": fold[order], "repeat": repeat[order]}
    oof = predictions_of_rows(
        y_true=target,
        classes=classes,
        groups=None if record.groups is None else per_sample(record.groups, n_samples),
        sample_weight=per_sample(weights[0], n_samples) if weights else None,
        metadata=metadata_of(record, y),
        **common,
    )
    return Assembled(oof, complete=complete, warned=bool(sheet.problems), **about)


def metadata_of(record: Record, y: Any) -> dict[str, Any]:
    """Collect what scorers get besides predictions, and a Series target where they may use it.

    `y` (n_samples,).
    """
    n_samples = _num_samples(y)
    metadata = {name: as_metadata(each, n_samples) for name, each in record.metadata.items()}
    if not isinstance(y, pd.Series):
        return metadata
    functions = [getattr(each, "_score_func", each) for each in each_scorer(record.scorers)]
    # scikit-learn's own functions look at the values only.
    if any(not (getattr(f, "__module__", "") or "").startswith("sklearn.") for f in functions):
        metadata[TARGET_NAME] = as_metadata(y, n_samples)
    return metadata


def _round_of(record: Record, selected: int | None) -> Round:
    """Find the round that evaluated the selected configuration, by default the last one."""
    if selected is not None:
        for each in record.rounds:
            if selected < each.n_configs:
                return each
            selected -= each.n_configs
    return record.rounds[-1]


def split_positions(indices: Any, n_samples: int) -> np.ndarray:
    """Turn one side of a split, a mask or positions, from the end too, into positions."""
    indices = np.asarray(indices)
    if indices.dtype == bool:
        return np.flatnonzero(indices)
    return np.where(indices < 0, indices + n_samples, indices).astype(np.intp)


def target_array(y: Any) -> np.ndarray:
    """Turn a target into an array, (n_samples,) where it has one output."""
    target = y.toarray() if issparse(y) else to_numpy(y)
    return target[:, 0] if target.ndim == 2 and target.shape[1] == 1 else target


def per_sample(values: Any, n_samples: int) -> np.ndarray:
    """Repeat a number for every sample; values of samples, (n_samples,), stay as they are."""
    return np.broadcast_to(np.asarray(values), (n_samples,))


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
    views: Mapping[str, Unbound],
    best: Mapping[str, int | None],
    error_score: Any,
    complete: Mapping[str, np.ndarray] = MappingProxyType({}),
    warned: bool = False,
) -> OOFPredictions:
    """Compute the metrics of a search again from its record; leave out what differs, and warn.

    A metric with a bootstrap kernel is computed for every configuration, which is one pass
    of the kernel. Any other is called again for a tenth of the configurations, the winner
    first: as much as a tenth of what the search itself spent on scoring. Folds in which
    either number is undefined are not compared, nor are metrics that cannot be computed from
    predictions.

    `complete` says of each response method which configurations (n_configs,) have it in every
    fold, and `warned` that a warning came of those that lack it.
    """
    if not oof.responses or not views:
        return oof
    cells: np.ndarray = np.zeros((oof.n_splits, oof.n_configs), dtype=bool)  # that differ
    missing = np.zeros(oof.n_configs, dtype=bool)
    wrong: list[str] = []
    stand_ins: list[str] = []
    methods: set[str] = set()
    for name, each in views.items():
        metric, view = each
        scores = view.fold_scores[name]
        scored = np.isfinite(scores).all(axis=0) & ~view.failed
        if complete:
            wanted = [whole for each, whole in complete.items() if each in metric.response_method]
            missing |= scored & ~np.any(wanted or list(complete.values()), axis=0)
        try:
            again, used, steady = _scores_again(each, scores, best.get(name))
        # Cannot be computed from predictions. Whoever asks for an interval gets the reason.
        except Exception:
            continue
        differ = not_the_same(scores, again, view)
        if isinstance(error_score, (int, float)):
            computed = np.isfinite(again).any(axis=0) & ~np.isfinite(again)
            instead = np.flatnonzero((computed & (scores == error_score)).any(axis=1)).tolist()
            if instead:
                stand_ins.append(
                    f"{name} cannot be computed in fold {', '.join(map(str, instead))}: in "
                    f"cv_results_ error_score={error_score:g} takes its place, and the search "
                    "selects by means that include it."
                )
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
    if stand_ins:
        oof = with_fields(oof, notes=(*oof.notes, *stand_ins))
    winners = [config for config in best.values() if config is not None]
    if missing.any():
        lost_winner = bool(missing[winners].any())
        if lost_winner or not warned:
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
    return with_fields(oof, responses=MappingProxyType(responses))


def _scores_again(
    view: Unbound, scores: np.ndarray, best: int | None
) -> tuple[np.ndarray, set[str], bool]:
    """Compute fold scores from the record, the methods they need, and whether they stay."""
    metric, oof = view
    again = np.full(scores.shape, np.nan)
    usable = np.flatnonzero(~oof.failed)
    if not len(usable):
        return again, set(), True
    if _has_kernel(Unbound(metric, _some(oof, usable[:1]))):
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
    return _replayed(view, scores, spread)


def _some(oof: OOFPredictions, configs: np.ndarray) -> OOFPredictions:
    """Take some configurations, as a view where these are neighbours."""
    first, last = int(configs[0]), int(configs[-1])
    picked: Any = slice(first, last + 1) if last - first == len(configs) - 1 else configs
    return taken(oof, configs=picked)


def _has_kernel(view: Unbound) -> bool:
    """Check whether a kernel computes the metric, without binding one whose calls cost time."""
    metric, oof = view
    if metric.score_func is None or not metric.response_method:
        return False
    if oof.metadata and metric.routed(oof.metadata):
        return False
    pred, used = oof.response(metric.response_method)
    codes = oof.classes_ is not None and used.split("+")[0] in ("predict", "derived")
    weighted = oof.sample_weight is not None
    rows = RowData(
        oof.y_true[oof.sample], pred, oof.classes_, codes, metric.kwargs, metric.sign, weighted
    )
    return family_for(metric.score_func, rows) is not None


def _replayed(
    view: Unbound, scores: np.ndarray, configs: np.ndarray
) -> tuple[np.ndarray, set[str], bool]:
    """Call the scorer again on an estimator that answers with the record."""
    metric, oof = view
    again = np.full(scores.shape, np.nan)
    steady = True
    metadata = metric.routed(oof.metadata)
    target = oof.metadata.get(TARGET_NAME, oof.y_true)
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
                y = rows_taken(target, sample)
                score = float(metric.scorer(estimator, RowHandles(rows), y, **extra))
                again[split, config] = score
                if steady and not_the_same(scores, again, oof)[split, config]:
                    other = float(metric.scorer(estimator, RowHandles(rows), y, **extra))
                    steady = other == score
    return again, set(oof.responses), steady


def _all_there(oof: OOFPredictions, config: int, rows: np.ndarray) -> bool:
    """Check whether every recorded method has these rows, or no row at all."""
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
    return with_fields(oof, **fields)


def scorer_failures(
    search: Any, record: Record, oof: OOFPredictions, X: Any, y: Any
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
            scorer(search.best_estimator_, *data, **record.score_params)
        # Whatever a scorer raises is what was asked for.
        except Exception as error:
            lines = str(error).strip().splitlines() or [""]
            failures[name] = (
                f"Every score of the search failed, with {type(error).__name__}: {lines[0]}"
            )
    return failures
