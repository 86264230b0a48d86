"""Predictions of other tuners: recorded fit by fit, or of a finished search, fitted again."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import BrokenExecutor
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from time import time_ns
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import check_cv
from sklearn.utils.multiclass import type_of_target

from .._notes import REPLACED, Note
from .._rounding import levelled
from .._text import count, was_were
from .._utils import (
    check_arrays,
    check_flag,
    check_integer,
    check_splitter,
    did_you_mean,
    explain_arguments,
    got,
    is_integer,
    is_number,
    one_per_sample,
    path_of,
    same,
    with_groups,
)
from .._warnings import warn_user
from ..exceptions import RecordingWarning
from ..predictions._files import json_form
from ..predictions._predictions import OOFPredictions, with_fields
from ..predictions._sources import ADAPTIVE, arguments_of, used_parts_of_samples
from ..predictions._validation import (
    Order,
    check_splits,
    in_index_order,
    length,
    plain_array,
    positions,
)
from ..recording._checks import wanted_responses
from ..recording._resume import versions
from ..recording._search import RecordedGrid, RecordedSearch, finished_of
from ..store._fingerprint import fingerprint
from ..store._folder import ANY, Fact, FitFolder, fact_of
from ._again import (
    PASS_THE_SAME,
    fitted_again,
    other_models,
    others_than_before,
    record_again,
)

RESPONSE_KINDS = ("plain", "predict", "predict_proba", "decision_function")


@dataclass(frozen=True, eq=False)
class RecordedCell:
    """Predictions of one configuration for the samples that one split holds out.

    `config` is the fingerprint of the attempt (parameters, estimator and data), `recipe` is what
    another fit must agree with to give the same, `scores` are by metric, `responses`
    (n_test[, n_outputs]) by response method in the order of the split, `time` is in nanoseconds.
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
    """Assemble the predictions of the configurations of which every split is there."""
    configs: dict[str, dict[int, RecordedCell]] = {}
    for cell in sorted(cells, key=lambda cell: cell.time):
        configs.setdefault(cell.config, {})[cell.split] = cell
    complete = [of_split for of_split in configs.values() if len(of_split) == len(splits)]
    if not complete:
        raise ValueError(
            f"No configuration has predictions for all {len(splits)} splits yet: "
            f"{len(configs)} were begun."
        )
    params, n_equal = _numbered([of_split[0].params for of_split in complete])
    notes = list(notes)
    if n_equal:
        notes.append(
            f"{n_equal} configurations share their parameters with others and differ in X or in "
            "the estimator. A number in their params, 'attempt', distinguishes them."
        )
    if left := len(configs) - len(complete):
        are = "configuration is" if left == 1 else "configurations are"
        notes.append(f"{left} {are} not complete, as after a crash or pruning, and left out.")
    tests = [np.asarray(test) for _, test in splits]
    ends = np.cumsum([0, *map(len, tests)])
    kinds = [kind for kind in RESPONSE_KINDS if any(kind in cell.responses for cell in cells)]
    names = set.intersection(*(set(c.scores) for of_split in complete for c in of_split.values()))
    scores = {
        name: [[of_split[k].scores[name] for of_split in complete] for k in range(len(splits))]
        for name in sorted(names)
    }
    coded = ("predict",) if has_classes(y) else ()
    responses = {kind: _response(complete, kind, ends, coded=kind in coded) for kind in kinds}
    make: Any = partial(OOFPredictions.from_rows, responses=responses)
    if not responses:  # a function of the user's own returned scores alone
        make = OOFPredictions.from_fold_scores
    return make(
        y_true=y,
        sample=np.concatenate(tests),
        fold=np.repeat(np.arange(len(tests)), np.diff(ends)),
        groups=groups,
        sample_weight=sample_weight,
        params=params,
        fold_scores=scores,
        train_size=[len(train) for train, _ in splits],
        notes=notes,
    )


def _numbered(params: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """Number the configurations that share their parameters, and count these."""
    alike: dict[str, list[int]] = {}
    for config, each in enumerate(params):
        alike.setdefault(repr(sorted(json_form(each).items())), []).append(config)
    name = "attempt"
    while any(name in each for each in params):
        name += "_"
    numbered = list(params)
    several = [configs for configs in alike.values() if len(configs) > 1]
    for configs in several:
        for number, config in enumerate(configs, 1):
            numbered[config] = {**params[config], name: number}
    return numbered, sum(map(len, several))


def has_classes(y: np.ndarray) -> bool:
    """Check whether a target (n_samples,) or (n_samples, 1) has classes."""
    return type_of_target(y) in ("binary", "multiclass")


def _response(
    complete: Sequence[Mapping[int, RecordedCell]], kind: str, ends: np.ndarray, *, coded: bool
) -> np.ndarray:
    """Assemble one response of all configurations, shape (n_configs, n_rows[, n_outputs]).

    `coded` is whether its integers are codes of labels, of which -1 is missing; other integers
    become fractions where a configuration has none, since each of them may be a prediction.
    """
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
    if dtype.kind in "iub":
        everywhere = len(known) == len(complete) * (len(ends) - 1)
        dtype = np.dtype(np.int64 if coded or everywhere else np.float64)
    shape = (len(complete), int(ends[-1]), *shapes.pop())
    result = np.full(shape, -1 if dtype.kind == "i" else np.nan, dtype=dtype)
    for config, of_split in enumerate(complete):
        for split, cell in of_split.items():
            if kind in cell.responses:
                result[config, ends[split] : ends[split + 1]] = cell.responses[kind]
    return result


class OOFRecorder:
    """Recorder of the out-of-fold predictions of every configuration that any tuner tries.

    Use `cross_val_score` inside the objective of Optuna, hyperopt, a loop or anything else, or
    hand over predictions of models that you train yourself to `record`; `oof_` is then what
    the interval methods take.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Target, the same for all configurations.
    cv : int, splitter or list of (train, test), default=5
        How to split. The splits are made once, so all configurations share them: those of a
        splitter without a seed, too.
    folder : str or Path, default=None
        Where finished fits are stored, for this process and others at the same time. A fit that
        is in the folder is not made again. None keeps them in memory.
    X : array-like of shape (n_samples, n_features), default=None
        Only for splitters that look at it.
    groups : array-like of shape (n_samples,), default=None
        For the splitter; groups are what bootstraps resample.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample in metrics that are computed from `oof_`.
    adaptive : bool, default=True
        Whether the tuner chooses configurations by the scores of earlier ones, as most do.
        Results say so. False for a fixed list.

    Attributes
    ----------
    splits : list of (train, test)
        Positions of the samples of each split.
    oof_ : OOFPredictions
        Predictions of all configurations that are complete.

    Raises
    ------
    ValueError
        If the folder is of other data or other splits; the message names what differs.

    See Also
    --------
    BBCSearchCV : Grid and random search that record by themselves.
    OOFPredictions.from_search : For a search that is finished.

    Notes
    -----
    Threads and processes may record at the same time: each process writes a file of its own,
    one write with a checksum per fit. After a crash all but the fits in flight are there.

    An attempt is a configuration of its own when its parameters, its estimator (with the code of
    one's own) or `X` are others: a loop over features or models is a choice like any other. Where
    parameters are equal, ``"attempt"`` numbers them in the `params` of `oof_`, in the order of
    their first fits.

    The same attempt again takes the recorded fits, if `scoring` and the versions of the packages
    are the same as well; else they are made again and replaced, and a warning names what
    differs. So does `record` with the parameters and the fold of an earlier call, since it is
    only told the parameters. Results note how many fits were replaced by others.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from sklearn_bbc import OOFRecorder
    >>> from sklearn_bbc.intervals import BBC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> recorder = OOFRecorder(y, cv=5, adaptive=False)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> for depth in (1, 2, 3):
    ...     scores = recorder.cross_val_score(
    ...         tree, X, params={"max_depth": depth}, scoring="roc_auc"
    ...     )
    >>> BBC(random_state=0).estimate(recorder.oof_, "roc_auc").details["n_configs"]
    3
    """

    @explain_arguments()
    def __init__(
        self,
        y: Any,
        cv: Any = 5,
        *,
        folder: Any = None,
        X: Any = None,
        groups: Any = None,
        sample_weight: Any = None,
        adaptive: bool = True,
    ) -> None:
        plain_array(y, "y")
        check_arrays(X=X, sample_weight=sample_weight)
        check_flag("adaptive", adaptive)
        if folder is not None:
            path_of(folder, "folder", "folder")
        given = {"y": y, "X": X, "groups": groups, "sample_weight": sample_weight}
        given, self._notes, self._orders = in_index_order(given, length(y))
        X, groups, sample_weight = (given[name] for name in ("X", "groups", "sample_weight"))
        check_splitter(cv)
        if getattr(cv, "ndim", 0):
            raise ValueError(
                f"cv must be a number, a splitter or a list of (train, test), got {got(cv)}. "
                "OOFRecorder takes the target alone, OOFRecorder(y, cv=5); X goes to "
                "cross_val_score."
            )
        self.y = np.asarray(y)
        self.groups = None if groups is None else np.asarray(one_per_sample(groups))
        self.sample_weight = None if sample_weight is None else np.asarray(sample_weight)
        for name in ("groups", "sample_weight"):
            if getattr(self, name) is not None and len(getattr(self, name)) != len(self.y):
                raise ValueError(
                    f"{name} has {len(getattr(self, name))} values, but y has {len(self.y)}: "
                    "expected one per sample."
                )
        self.adaptive = adaptive
        self._lock = threading.Lock()
        self._cells: dict[tuple[str, int], RecordedCell] = {}
        self._replaced: dict[tuple[str, int], set[str]] = {}  # all predictions that differ
        classifier = self.y.ndim == 1 and has_classes(self.y)
        is_list = isinstance(cv, (list, tuple))
        splitter = check_cv(cv, self.y, classifier=classifier)

        def split() -> list[tuple[np.ndarray, np.ndarray]]:
            table = np.zeros((len(self.y), 1)) if X is None else X
            splits = list(splitter.split(table, self.y, self.groups))
            check_splits(splits, len(self.y))
            for number, (_, test) in enumerate(splits):
                if not len(positions(test)):
                    raise ValueError(
                        f"Split {number} of cv holds out no sample. Leave it out: cv=[(train, "
                        "test) for train, test in cv.split(X, y) if len(test)]."
                    )
            n = len(self.y)
            return [(positions(train) % n, positions(test) % n) for train, test in splits]

        if folder is None:
            self._folder = None
            self.splits = split()
        else:
            per_sample = {"y": self.y, "groups": self.groups, "sample_weight": self.sample_weight}
            facts = {name: fact_of(name, value) for name, value in per_sample.items()}
            # Splits that are given are compared as they are.
            facts["cv"] = Fact(ANY) if is_list else Fact(fingerprint(repr(cv)), repr(cv))
            self._folder = FitFolder("recorder", folder, facts)
            made = split()
            self.splits = self._folder.splits("cv", lambda: made)
            if is_list and not same_splits(made, self.splits):
                raise ValueError(f"{folder} is of other splits: cv changed.")

    @explain_arguments()
    def cross_val_score(
        self,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        params: Mapping[str, Any] | None = None,
        scoring: Any = None,
        n_jobs: int | None = None,
    ) -> np.ndarray:
        """Fit and score one configuration on every split, and keep its predictions.

        Parameters
        ----------
        estimator : estimator object
            Is cloned for every fit.
        X : array-like of shape (n_samples, n_features)
            Data.
        y : array-like, default=None
            May be given for the habit of it; must be the `y` of the recorder.
        params : dict, default=None
            Parameters of this configuration, set on the clone. They name the configuration,
            with a number where `X` or the estimator make it another one; None takes those that
            the estimator has.
        scoring : str, callable or None, default=None
            One metric. For others use `oof_` later.
        n_jobs : int or None, default=None
            Number of splits that are fitted at the same time.

        Returns
        -------
        ndarray of shape (n_splits,)
            Scores, greater is better; NaN, with scikit-learn's warning, where the metric raised
            on what a model had predicted, as on samples that lack a class. The predictions are
            kept.

        Raises
        ------
        ValueError
            If `y` is not that of the recorder or `scoring` names several metrics. Errors of
            the estimator are not caught; splits that were finished stay recorded.
        """
        if isinstance(y, Mapping):
            raise ValueError(f"y must be the target, got a dict. Write params={got(y)}.")
        _check_params(params)
        check_arrays(X=X)
        check_integer("n_jobs", n_jobs, or_none=True)
        X, y = self._in_order_of_y({"X": X, "y": y}, len(self.y), self._orders).values()
        if y is not None and not same(np.asarray(y), self.y):
            raise ValueError(
                "y is not the y of the recorder. One recorder is for one target; make another."
            )
        if isinstance(scoring, (list, tuple, set, dict)):
            raise ValueError(
                f"scoring={scoring!r} names several metrics, but a tuner follows one. Other "
                "metrics can be computed from oof_ later."
            )
        model = clone(estimator)
        if params is None:
            params = model.get_params()
        else:
            model.set_params(**{name: clone(value, safe=False) for name, value in params.items()})
        config = fingerprint([dict(params), model, X], versions=False)
        recipe = self._recipe(model, scoring)
        self._refresh()
        missing = [k for k in range(len(self.splits)) if not self._known(config, k, recipe)]
        name = scoring if isinstance(scoring, str) else "score"
        tasks = (
            delayed(fitted_cell)(model, X, self.y, self.groups, self.splits[k], scoring, name)
            for k in missing
        )
        results = Parallel(n_jobs=n_jobs, return_as="generator")(tasks)
        try:
            for split, (scores, responses) in zip(missing, results):
                cell = RecordedCell(config, split, dict(params), recipe, scores, responses)
                self._keep(cell)
        except BrokenExecutor as error:  # a worker died, mostly of too little memory
            self._refresh()
            n_kept = sum((config, k) in self._cells for k in range(len(self.splits)))
            where = "by this recorder" if self._folder is None else f"in {self._folder.folder}"
            error.args = (
                f"{error}\n\n{n_kept} of {count(len(self.splits), 'fit')} of this configuration "
                f"are kept {where}; the same call goes on from there.",
            )
            raise
        self._refresh()
        with self._lock:
            cells = [self._cells[config, split] for split in range(len(self.splits))]
        return np.array([cell.scores[name] for cell in cells])

    @explain_arguments()
    def record(
        self,
        params: Mapping[str, Any],
        fold: int,
        predictions: Any,
        *,
        rows: Any = None,
        response: str = "plain",
        score: float | None = None,
    ) -> None:
        """Keep predictions of a model that you trained yourself.

        Parameters
        ----------
        params : dict
            Names the configuration. Predictions of the same parameters and fold are replaced, so
            give what else differs between your models a name in it, such as the features.
        fold : int
            Number of the split in `splits`, whose training samples the model has seen.
        predictions : array-like of shape (n_test,) or (n_test, n_outputs)
            For the test samples of the split, in their order.
        rows : array-like of int of shape (n_test,), default=None
            Positions of the samples when they are in another order.
        response : {"plain", "predict_proba", "decision_function", "predict"}, default="plain"
            What they are. ``"plain"`` is what the metric consumes. Of two classes, give the
            probabilities of the positive one, or both columns as ``"predict_proba"``.
        score : float, default=None
            Score of the split by the tuner's metric, greater is better.

        Raises
        ------
        ValueError
            If the predictions do not fit the split.
        """
        _check_params(params, or_none=False)
        if response not in RESPONSE_KINDS:
            other_words = {"proba": "predict_proba", "label": "predict"}
            raise ValueError(
                f"response must be one of {sorted(RESPONSE_KINDS)}, got {response!r}."
                f"{did_you_mean(response, RESPONSE_KINDS, other_words)}"
            )
        if score is not None and not is_number(score):  # NaN of a fit that failed
            raise ValueError(f"score must be a number or None, got {got(score)}.")
        if not is_integer(fold, 0) or fold >= len(self.splits):
            raise ValueError(f"fold={fold!r} is not one of the {len(self.splits)} splits.")
        if rows is None:
            test = np.asarray(self.splits[fold][1])
            orders = [(name, index[test]) for name, index in self._orders]
            given = {"predictions": predictions}
            predictions = self._in_order_of_y(given, len(test), orders)["predictions"]
        array = self._in_order(np.asarray(predictions), int(fold), rows)
        classes = np.unique(self.y) if has_classes(self.y) else self.y[:0]
        if response == "predict_proba":
            _check_columns(array, classes)
            array = array[:, 1] if array.shape[1:] == (2,) else array
        if response == "predict" and len(classes):
            array = _codes_with_missing(array, classes)
        scores: dict[str, float] = {} if score is None else {"score": float(score)}
        config = fingerprint(dict(params))
        recipe = {"by hand": response}
        self._keep(
            RecordedCell(config, int(fold), dict(params), recipe, scores, {response: array})
        )

    @property
    def oof_(self) -> OOFPredictions:
        """Predictions of all configurations that have every split, in the order of their first."""
        self._refresh()
        with self._lock:
            cells = list(self._cells.values())
            n_replaced = sum(len(differ) - 1 for differ in self._replaced.values())
        notes = [ADAPTIVE.format("The tuner chose")] if self.adaptive else []
        if n_replaced:
            were = "recorded fit was" if n_replaced == 1 else "recorded fits were"
            text = (
                f"{n_replaced:,} {were} replaced by a later one of the same parameters. If these "
                "were attempts to choose from, that choice is not corrected for."
            )
            notes.append(Note(text, REPLACED))
        notes += self._notes + ([] if self._folder is None else self._folder.notes)
        oof = assembled(cells, self.splits, self.y, self.groups, self.sample_weight, notes)
        return with_fields(oof, indexes=self._orders)

    def _in_order_of_y(
        self, given: Mapping[str, Any], n_samples: int, orders: Sequence[Order]
    ) -> dict[str, Any]:
        """Bring what is given into the order of these indexes; remember the notes."""
        found, notes, _ = in_index_order(given, n_samples, orders)
        with self._lock:
            self._notes += [note for note in notes if note not in self._notes]
        return found

    def _in_order(self, array: np.ndarray, fold: int, rows: Any) -> np.ndarray:
        """Bring predictions into the order of the split's test samples."""
        test = np.asarray(self.splits[fold][1])
        if array.shape[:1] != test.shape or array.ndim > 2:
            raise ValueError(
                f"predictions has shape {array.shape}, but split {fold} holds out {len(test)} "
                "samples: expected one prediction (or one row of them) per sample."
            )
        if rows is None:
            return array
        rows = np.asarray(rows)
        if rows.shape != test.shape or not np.array_equal(np.sort(rows), np.sort(test)):
            raise ValueError(f"rows are not the {len(test)} samples that split {fold} holds out.")
        order = np.argsort(rows)
        return array[order[np.searchsorted(rows[order], test)]]

    def _recipe(self, model: Any, scoring: Any) -> dict[str, str]:
        """Collect what a stored fit of the same attempt must agree with, by name."""
        prints = {
            "version of the estimator": fingerprint(model),
            "scoring": fingerprint(scoring, fitted=True),
        }
        return prints | versions()

    def _known(self, config: str, split: int, recipe: dict[str, str]) -> bool:
        with self._lock:
            cell = self._cells.get((config, split))
        if cell is None:
            return False
        if cell.recipe == recipe:
            return True
        different = [name for name in recipe if cell.recipe.get(name) != recipe[name]]
        shown = [
            f"{name} {cell.recipe[name]} to {recipe[name]}"
            if name in versions() and name in cell.recipe
            else f"{name} changed"
            for name in different
        ]
        warn_user(
            f"A recorded fit of the same attempt is not used, since {', '.join(shown)}; it is "
            "made again and takes the other's place.",
            RecordingWarning,
        )
        return False

    def _keep(self, cell: RecordedCell) -> None:
        with self._lock:
            if self._folder is None:
                self._take(cell)
            else:  # read back as a memory map
                facts = {name: value for name, value in vars(cell).items() if name != "responses"}
                facts["params"] = json_form(cell.params)
                self._folder.append(facts, cell.responses)

    def _refresh(self) -> None:
        """Take in what other processes have written."""
        if self._folder is None:
            return
        with self._lock:
            for cell in self._folder.new():
                with cell.naming_its_file():
                    self._take(RecordedCell(**cell.facts, responses=cell.arrays))

    def _take(self, cell: RecordedCell) -> None:
        """Take the place of an earlier fit, and remember how many there were that differ."""
        key = cell.config, cell.split
        other = self._cells.get(key)
        if other is not None:
            prints = [fingerprint(dict(each.responses)) for each in (other, cell)]
            self._replaced.setdefault(key, set()).update(prints)
            if cell.time < other.time:  # of another process, whose file was read later
                return
        self._cells[key] = cell


class OneFit(RecordedGrid):
    """Search that raises the error of its fit, but not that of a metric that it recorded."""

    undefined_score = np.nan


def fitted_cell(
    model: Any, X: Any, y: Any, groups: Any, split: Any, scoring: Any, name: str
) -> tuple[dict[str, float], dict[str, np.ndarray]]:
    """Fit a model on one split; return its score and responses, recorded as by any search."""
    search = OneFit(model, {}, scoring=scoring, cv=[split], error_score="raise")
    search.fit(X, y, **({} if groups is None else {"groups": groups}))
    oof = search.oof_
    score = float(search.cv_results_["mean_test_score"][0])
    # Rows are kept sorted by sample; the split may have them in another order.
    back = np.argsort(np.argsort(np.asarray(split[1]), kind="stable"), kind="stable")
    responses = {name: array[0][back] for name, array in oof.responses.items()}
    return {name: score}, responses


def same_splits(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Check whether two lists of (train, test) hold the same positions in the same order."""
    return len(one) == len(other) and all(
        np.array_equal(a, b) for pair, its in zip(one, other) for a, b in zip(pair, its)
    )


def _check_params(params: Any, *, or_none: bool = True) -> None:
    """Raise where the parameters that name a configuration are not a dict."""
    if not isinstance(params, Mapping) and not (params is None and or_none):
        raise ValueError(
            "params must be a dict that names the configuration, such as {'max_depth': 3}, got "
            f"{got(params)}."
        )


def _check_columns(array: np.ndarray, classes: np.ndarray) -> None:
    """Raise where probabilities (n_test[, n_columns]) are not those of these classes."""
    of_positive = len(classes) == 2 and array.ndim == 1
    if len(classes) < 2 or of_positive or array.shape[1:] == classes.shape:
        return
    raise ValueError(
        f"predictions has shape {array.shape} for the {len(classes)} classes {classes.tolist()}: "
        "expected a column for each of them, in this order. The column of a class that a split "
        "does not train on is 0."
    )


def _codes_with_missing(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Encode labels as positions in the classes, -1 for missing ones."""
    there = np.array([label is not None and label == label for label in labels.tolist()])
    given = labels[there]  # what is missing has no order among the others
    place = np.searchsorted(classes, given).clip(max=len(classes) - 1)
    known = classes[place] == given
    if not known.all():
        strange = np.unique(given[~known]).tolist()
        raise ValueError(f"predictions holds labels {strange} that y does not.")
    codes = np.full(labels.shape, -1)
    codes[there] = place
    return codes


def predicted_again(
    search: Any,
    X: Any,
    y: Any,
    fit_params: Mapping[str, Any],
    *,
    n_best: int | None = None,
    n_jobs: int | None = None,
    record: Any = True,
) -> OOFPredictions:
    """Fit the configurations of a search again, and keep their out-of-fold predictions.

    Arguments are those of `OOFPredictions.from_search`; groups and weights are among the
    parameters of ``fit``. Of a search that recorded, only what `record` names and it lacks is
    fitted.
    """
    fit_params = with_groups({k: v for k, v in fit_params.items() if v is not None})
    _, also = wanted_responses(record)
    if isinstance(search, RecordedSearch) and finished_of(search).oof.responses:
        search = copy(search)  # its own predictions stay as they are
        if also:
            record_again(search, X, y, also, "all", fit_params, n_jobs)
        return search.oof_
    given = arguments_of(search)
    selected = given["selected"]
    so_far = f" So far: {', '.join(sorted(fit_params))}." if fit_params else ""
    advice = PASS_THE_SAME.format("OOFPredictions.from_search(search, X, y, sample_weight=...)")
    advice += so_far
    if y is None and (is_classifier(search) or is_regressor(search)):
        raise ValueError("y is missing: from_search(search, X, y) fits the configurations again.")
    params, scores = given["params"], given["fold_scores"]
    if not hasattr(search, "estimator"):
        raise ValueError(
            f"{type(search).__name__} has no parameter 'estimator', so its configurations cannot "
            "be fitted again. Its scores per fold are enough for BBC-F: "
            f"BBCF().estimate(OOFPredictions.from_search(search), {next(iter(scores))!r}). For "
            "other methods fit them in a loop and hand their predictions to OOFRecorder.record."
        )
    if len(params) > 1 and not any(params):
        raise ValueError(
            f"{type(search).__name__} does not say which parameters it tried: cv_results_ has "
            "neither params nor param_* columns. Its configurations cannot be fitted again."
        )
    if used_parts_of_samples(search):
        raise ValueError(
            f"{type(search).__name__} fitted its configurations on parts of the samples, which "
            "cannot be drawn again. The scores per fold of the last ones are enough for BBC-F: "
            f"BBCF().estimate(OOFPredictions.from_search(search), {next(iter(scores))!r}). For "
            "other methods make a search of `BBCSearchMixin` and this class, which records while "
            "it runs."
        )
    first = next(iter(scores.values()))
    cv = check_cv(getattr(search, "cv", None), y, classifier=is_classifier(search.estimator))
    splits, same_again = (list(cv.split(X, y, fit_params.get("groups"))) for _ in range(2))
    check_splits(splits, length(X))
    held = [k for k, (_, test) in enumerate(splits) if len(positions(test))]
    if len(first) == len(splits):  # the search has no score of a split without test samples
        scores = {name: each[held] for name, each in scores.items()}
        first = next(iter(scores.values()))
    if len(held) != len(first) or not same_splits(splits, same_again):
        raise ValueError(
            f"The splits of cv={search.cv!r} cannot be made again: a shuffled splitter needs an "
            "integer random_state, and a generator is used up by the search. Its scores per fold "
            "are enough for BBC-F: BBCF().estimate(OOFPredictions.from_search(search), "
            f"{next(iter(scores))!r}). For other methods fit it as BBCSearchCV."
        )
    chosen = np.arange(len(params))
    if n_best is not None:
        means = np.where(np.isnan(first).any(axis=0), -np.inf, first.mean(axis=0))
        if selected is not None:  # always among them
            means[selected] = np.inf
        chosen = np.sort(np.argsort(-levelled(means), kind="stable")[:n_best])
    oof = fitted_again(
        search, [params[config] for config in chosen], getattr(search, "cv", None), X, y,
        fit_params, advice=advice, record=record, n_jobs=n_jobs,
    )  # fmt: skip
    notes = [*oof.notes, *given["notes"]]
    old = {name: each[:, chosen] for name, each in scores.items()}
    n_different, worst = others_than_before(old, oof.fold_scores)
    if n_different:
        how = f"score otherwise than in the search (by up to {worst:.3g})"
        notes.append(other_models(n_different, len(chosen), how, advice))
    if selected is not None and not np.isfinite(first.mean(axis=0)).any():
        selected = None
        notes.append(
            f"No configuration has a score in every fold, so {type(search).__name__} returned the "
            "first one without comparing scores. Results are about the configuration with the "
            "best score on all held-out predictions together."
        )
    if len(chosen) < len(params):
        best = "best" if len(chosen) == 1 else f"{len(chosen)} best"
        notes.append(
            f"Only the {best} of {count(len(params), 'configuration')} "
            f"{was_were(len(chosen))} predicted again: "
            "draws cannot select another one, so some optimism may remain."
        )
    return with_fields(
        oof,
        selected=None if selected is None else int(np.flatnonzero(chosen == selected)[0]),
        selected_by="the search",
        notes=tuple(dict.fromkeys(notes)),
    )
