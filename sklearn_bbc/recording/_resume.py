"""Resume a search from its store: take finished fits from the folder, write the others to it."""

from __future__ import annotations

import math
import os
import platform
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np
import scipy
import sklearn
from sklearn import get_config
from sklearn.utils.parallel import delayed
from sklearn.utils.validation import _num_samples

from .._scorers import with_our_scorers
from .._text import count
from .._warnings import warn_user
from ..exceptions import RecordingWarning
from ..predictions._files import PageReleaser, remove_leftovers
from ..predictions._validation import check_splits
from ..store._fingerprint import fingerprint
from ..store._folder import (
    CLASS,
    Cell,
    CellLog,
    Fact,
    FitFolder,
    StoredSplit,
    fact_of,
    print_of,
    text_of,
)
from ._capture import CarriedScore, FoldResponses, carried, responses_in
from ._tasks import SCORE_SIDES, WithSplit, skip_callbacks

CLASSES = "classes "
"""Name of the array of classes; a response method has no space in it."""


class CannotBeStored(Exception):
    """Error for a finished fit with something that the log cannot hold; names it."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Parts of a stored fit that a search needs: predictions, training scores.

    `also` names responses that no scorer asks for. `error_score` ("raise" or a number) stands
    where a scorer failed.
    """

    predictions: bool
    train_scores: bool
    error_score: Any
    also: tuple[str, ...] = ()

    def takes(self, cell: Cell) -> bool:
        """Check whether the stored fit is what this search would get itself."""
        facts = cell.facts
        # As many responses as it would record itself: some methods prefer one to another.
        if self.predictions and (not facts["recorded"] or facts.get("also", []) != [*self.also]):
            return False
        if self.train_scores and "train_scores" not in facts:
            return False
        sides = [facts[side] for side in (SCORE_SIDES if self.train_scores else SCORE_SIDES[:1])]
        scores = [s for each in sides for s in (each.values() if type(each) is dict else [each])]
        may_have_failed = any(_same_score(score, facts["error_score"]) for score in scores)
        return not may_have_failed or _same_score(facts["error_score"], self.error_score)


def record_of(
    key: Sequence[str],
    result: Mapping[str, Any],
    responses: FoldResponses | None,
    wanted: Wanted,
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Make the facts and arrays that the log keeps of what ``_fit_and_score`` returned."""
    if responses is not None and responses.out_of_memory:
        raise CannotBeStored("memory ran out while its predictions were recorded")
    error_score = wanted.error_score
    facts: dict[str, Any] = {
        "config": key[0],
        "split": key[1],
        "times": [float(result["fit_time"]), float(result["score_time"])],
        "n_test": int(result["n_test_samples"]),
        "recorded": wanted.predictions,
        "error_score": "raise" if isinstance(error_score, str) else float(error_score),
    }
    facts |= {"also": [*wanted.also]} if wanted.also else {}
    facts |= {side: _exact_in_json(result[side]) for side in SCORE_SIDES if side in result}
    arrays: dict[str, np.ndarray] = {}
    if responses is not None:
        facts["responses"] = {"coded": responses.coded, "problem": responses.problem}
        named = dict(responses.arrays)
        if responses.classes is not None:
            named[CLASSES] = responses.classes
        for name, array in named.items():
            # A few classes are shorter as JSON; objects and records are refused, or are text.
            if array.dtype.kind in "OV" or (name == CLASSES and array.dtype.kind in "iu"):
                facts["responses"][name] = _json_array(name, array)
            else:
                arrays[name] = array
    return facts, arrays


def result_of(cell: Cell, wanted: Wanted) -> dict[str, Any]:
    """Give what ``_fit_and_score`` would return for a stored fit."""
    facts = cell.facts
    scores = _copied(facts["test_scores"])
    if wanted.predictions and "responses" in facts:
        about = facts["responses"]
        listed = {
            name: _array_of_json(about[name]) for name in about if name not in ("coded", "problem")
        }
        arrays = {**cell.arrays, **listed}
        classes = arrays.pop(CLASSES, None)
        responses = FoldResponses(arrays, classes, about["coded"], about["problem"])
        scores = carried(scores, responses)
    result = {
        "fit_error": None,
        "test_scores": scores,
        "n_test_samples": facts["n_test"],
        "fit_time": facts["times"][0],
        "score_time": facts["times"][1],
    }
    if wanted.train_scores:
        result["train_scores"] = _copied(facts["train_scores"])
    return result


def _copied(scores: Any) -> Any:
    return dict(scores) if isinstance(scores, dict) else scores


def _exact_in_json(scores: Any) -> Any:
    """Convert scores to values that JSON holds exactly."""
    if isinstance(scores, dict):
        if not all(isinstance(name, str) for name in scores):
            raise CannotBeStored("the names of its scores are not text")
        return {name: _exact_in_json(score) for name, score in scores.items()}
    return scores if isinstance(scores, int) else float(scores)  # as cv_results_ does


def _json_array(name: str, array: np.ndarray) -> dict[str, Any]:
    """List an array of texts and numbers for JSON, which gives it back the same."""
    if array.dtype.names is not None:
        raise CannotBeStored(f"{name.strip()} is an array of records")
    values = array.ravel().tolist()
    plain = (str, int, float, bool, type(None))
    if not all(type(value) in plain for value in values):
        kinds = sorted({type(value).__name__ for value in values})
        raise CannotBeStored(f"{name.strip()} holds objects of type {', '.join(kinds)}")
    return {"values": values, "shape": array.shape, "dtype": array.dtype.str}


def _array_of_json(listed: Mapping[str, Any]) -> np.ndarray:
    array = np.empty(len(listed["values"]), dtype=listed["dtype"])
    array[:] = listed["values"]
    return array.reshape(listed["shape"])


def _same_score(score: Any, error_score: Any) -> bool:
    if isinstance(error_score, str):  # "raise": no score stands for an error
        return False
    return bool(score == error_score) or (math.isnan(score) and math.isnan(error_score))


def search_problem(
    search: Any, X: Any, y: Any, params: Mapping[str, Any], splitter: Any
) -> dict[str, Fact]:
    """Collect all that the fits of a search depend on, but for configuration and split."""
    given = {f"fit parameter {name}": value for name, value in params.items() if value is not None}
    given |= {"X": X, "y": y}
    if params.get("groups") is not None:
        given["groups"] = given.pop("fit parameter groups")
    facts = {name: fact_of(name, value) for name, value in given.items()}
    estimator = search.estimator
    print_of_estimator = print_of("estimator", estimator, fitted=False)  # its clones are fitted
    facts["estimator"] = Fact(print_of_estimator, parts=_estimator_parts(estimator))
    scoring = search.scoring
    facts["scoring"] = Fact(print_of("scoring", with_our_scorers(scoring)), text_of(scoring))
    facts["cv"] = Fact(print_of("cv", splitter), parts=_splitter_parts(splitter))
    routing = get_config()["enable_metadata_routing"]
    facts["metadata routing"] = fact_of("metadata routing", routing)
    owners = [estimator, *estimator.get_params(deep=True).values(), scoring]
    for package, version in (versions() | _packages_of(owners)).items():
        facts[package] = Fact(version, version, version=True)
    return facts


def _estimator_parts(estimator: Any) -> dict[str, Fact]:
    """Collect class and parameters, those of its parts included."""
    parts = {CLASS: _class_fact(estimator)}
    for name, value in estimator.get_params(deep=True).items():
        if _is_estimator(value):
            parts[name] = _class_fact(value)
        else:
            outline = _outline(value)
            parts[name] = Fact(print_of(f"the estimator's {name}", outline), text_of(value))
    return parts


def _splitter_parts(splitter: Any) -> dict[str, Fact]:
    """Collect class and attributes; none of a list of splits."""
    if type(splitter).__module__.startswith("sklearn.") and hasattr(splitter, "cv"):
        if isinstance(splitter.cv, list):
            return {}
    parts = {CLASS: _class_fact(splitter)}
    for name, value in vars(splitter).items() if hasattr(splitter, "__dict__") else ():
        parts[name] = fact_of(f"cv's {name}", value)
    return parts


def _class_fact(value: Any) -> Fact:
    return Fact(fingerprint(type(value)), f"class {type(value).__name__}")


def _is_estimator(value: Any) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def _outline(value: Any) -> Any:
    """Replace estimators by their class: their parameters are parts of their own."""
    if _is_estimator(value):
        return f"class {type(value).__name__}"
    if isinstance(value, (list, tuple)):
        return [_outline(each) for each in value]
    if isinstance(value, dict):
        return {name: _outline(each) for name, each in value.items()}
    return value


def versions() -> dict[str, str]:
    return {
        "Python": platform.python_version().rpartition(".")[0],
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }


def _packages_of(values: list[Any]) -> dict[str, str]:
    """Look up the version of each other package that objects come from."""
    packages = {
        (getattr(value, "__module__", None) or "").partition(".")[0]
        for value in values
        if _is_estimator(value) or callable(value)
    }
    found = {}
    for package in sorted(packages - {"sklearn", "sklearn_bbc", "builtins", "numpy", "scipy", ""}):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:  # the user's own code, of which the content counts
            continue
    return found


class ConfigKeys:
    """Fingerprints of configurations of one estimator.

    A parameter that a configuration sets to what the estimator has anyway is left out. So a grid
    that gets another parameter finds the fits that were made without it.
    """

    def __init__(self, estimator: Any) -> None:
        self._own = estimator.get_params(deep=True)
        self._prints: dict[str, str] = {}

    def __call__(self, params: Mapping[str, Any]) -> str:
        """Hash a configuration."""
        try:
            prints = {name: fingerprint(value) for name, value in params.items()}
        except TypeError as error:
            raise TypeError(
                f"store= cannot recognise the configuration {dict(params)} in a later run. {error}"
            ) from error
        # Where a part of the estimator is replaced, its parameters are no longer those of `_own`.
        if not any(map(_holds_estimator, [*params.values(), *map(self._own.get, params)])):
            prints = {name: each for name, each in prints.items() if each != self._own_print(name)}
        return fingerprint(prints)

    def _own_print(self, name: str) -> str | None:
        if name in self._own and name not in self._prints:
            try:
                self._prints[name] = fingerprint(self._own[name])
            except TypeError:  # something that no configuration can be equal to
                self._prints[name] = ""
        return self._prints.get(name)


def split_key(train: np.ndarray, test: np.ndarray) -> str:
    """Hash a split."""
    return fingerprint([train, test])


def _holds_estimator(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_holds_estimator, value))
    if isinstance(value, dict):
        return any(map(_holds_estimator, value.values()))
    return hasattr(value, "get_params")


OFFLOAD_BYTES = 2**26
"""So much is held before the log is looked at: each look costs some system calls."""

Key = tuple[str, str]
"""Fingerprints of parameters and of a split."""


def _key_of(cell: Cell) -> Key:
    with cell.naming_its_file():
        return cell.facts["config"], cell.facts["split"]


# Not a WeakValueDictionary, which takes as long as all the rest when a fit is finished.
_searches: dict[str, weakref.ref[Offload]] = {}


class Offload:
    """Replacement of predictions in memory by those in the log, some megabytes at a time.

    A fit is written where it is made; its predictions still travel with its score, since it is
    not known there whether this process sees the file. What it sees, byte for byte, it need not
    hold. Nothing else is released.

    `run` names this `fit`; `new_cells` gives cells that came into the log since the last call.
    """

    def __init__(self, run: str, new_cells: Callable[[], Iterable[Cell]]) -> None:
        self._new_cells = new_cells
        self._arrived: list[tuple[Key, FoldResponses]] = []  # since the log was looked at
        self._held: dict[Key, list[FoldResponses]] = {}
        self._n_new = 0  # bytes since the log was looked at
        self._lock = threading.Lock()
        self._classes: np.ndarray | None = None
        self.process = os.getpid()
        _searches[run] = weakref.ref(self, lambda _: _searches.pop(run, None))

    def add(self, key: Key, responses: FoldResponses) -> None:
        """Take note of predictions that were written to the log."""
        with self._lock:
            self._arrived.append((key, responses))
            for array in responses.arrays.values():
                self._n_new += array.nbytes
            if self._n_new >= OFFLOAD_BYTES:
                self._let_go()

    def _let_go(self) -> None:
        try:
            found = list(self._new_cells())
        except (OSError, MemoryError):  # they stay where they are
            found = []
        for key, responses in self._arrived:
            self._held.setdefault(key, []).append(responses)
        self._arrived = []
        walk = PageReleaser()
        for cell in found:
            key = _key_of(cell)
            for array in cell.arrays.values():
                walk.has_read(array)
            for responses in self._held.pop(key, []):
                if not self._replace(responses, cell):
                    self._held.setdefault(key, []).append(responses)
        walk.end()
        self._n_new = 0

    def _replace(self, responses: FoldResponses, cell: Cell) -> bool:
        """Replace a fit's predictions by those of a cell if it has all; return whether it has."""
        arrays = dict(responses.arrays)  # those in memory may be given up at any time
        for name, array in arrays.items():
            stored = cell.arrays.get(name)
            if stored is None or not _same_bytes(array, stored):
                return False
        responses.arrays.update({name: cell.arrays[name] for name in arrays})
        responses.classes = self._apart(responses.classes)
        return True

    def _apart(self, classes: np.ndarray | None) -> np.ndarray | None:
        """Copy classes, so that they do not keep the memory that held the predictions."""
        if classes is None:
            return None
        last = self._classes
        if last is None or not (last.dtype == classes.dtype and np.array_equal(last, classes)):
            self._classes = last = classes.copy()
        return last


class StoredResponses(FoldResponses):
    """Responses that are in the log, too; offloaded when they arrive in the search's process."""

    __slots__ = ("key", "run")

    run: str
    key: Key

    def __reduce__(self) -> tuple[Any, ...]:
        make, parts = super().__reduce__()
        return _unpickled, (self.run, self.key, make, parts)


def _unpickled(run: str, key: Key, make: Any, parts: tuple[Any, ...]) -> FoldResponses:
    responses: FoldResponses = make(*parts)
    arrived(run, key, responses)
    return responses


def arrived(run: str, key: Key, responses: FoldResponses) -> bool:
    """Hand predictions to the search of this process; return whether it is here."""
    reference = _searches.get(run)
    search = None if reference is None else reference()
    if search is None or search.process != os.getpid() or responses.out_of_memory:
        return False
    search.add(key, responses)
    return True


def as_stored(scores: Any, responses: FoldResponses, run: str, key: Key) -> None:
    """Mark what a score carries as written to the log."""
    if arrived(run, key, responses):
        return
    travelling = StoredResponses(
        responses.arrays, responses.classes, responses.coded, responses.problem
    )
    travelling.run, travelling.key = run, key
    for score in scores.values() if isinstance(scores, dict) else [scores]:
        if type(score) is CarriedScore:
            score.responses = travelling
            return


def _same_bytes(one: np.ndarray, other: np.ndarray) -> bool:
    same_kind = (one.dtype, one.shape) == (other.dtype, other.shape)
    return same_kind and one.tobytes() == other.tobytes()


NOT_STORED = "not_stored"
"""Where a result says why it could not be written."""

MOST_OPEN = 8
"""Logs that a process keeps open, for searches in several threads."""

_logs: dict[tuple[str, int], CellLog] = {}
_warned: set[str] = set()
_store_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class StoreTarget:
    """Folder to which the fits of one `fit` of a search, named `run`, are written.

    Each writes files of its own, so that a worker which is used again does not write into a
    folder that was deleted in between.
    """

    folder: Path
    wanted: Wanted
    run: str = field(default_factory=lambda: token_hex(8))

    def close(self) -> None:
        """Close the file of this process."""
        with _store_lock:
            log = _logs.pop((self.run, os.getpid()), None)
            _warned.discard(self.run)
        if log is not None:
            log.close()

    def log(self) -> CellLog:
        """Return the log that this process writes to."""
        key = self.run, os.getpid()
        if (mine := _logs.get(key)) is not None:
            return mine
        with _store_lock:
            mine = _logs.setdefault(key, CellLog(self.folder))
            # Where a closed log is still in use, it goes on in another file.
            closed = [_logs.pop(oldest) for oldest in list(_logs)[:-MOST_OPEN]]
        for log in closed:
            log.close()
        return mine


def fit_and_store(
    fit_and_score: Callable[..., dict[str, Any]],
    target: StoreTarget,
    key: Key,
    /,
    *args: Any,
    **kwargs: Any,
) -> dict[str, Any]:
    """Run one task of a search and write its result."""
    result = fit_and_score(*args, **kwargs)
    if result["fit_error"] is not None:
        return result
    try:
        scores = result["test_scores"]
        responses = responses_in(scores)
        facts, arrays = record_of(key, result, responses, target.wanted)
        target.log().append(facts, arrays)
        if arrays and responses is not None:
            as_stored(scores, responses, target.run, key)
    except (CannotBeStored, OSError, MemoryError) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        result[NOT_STORED] = reason.removeprefix("A finished fit could not be stored: ")
        _warn_at_once(target, result[NOT_STORED])
    return result


def _warn_at_once(target: StoreTarget, reason: str) -> None:
    """Warn once in each process: there may be days left to free space on the disk."""
    with _store_lock:
        if target.run in _warned:
            return
        _warned.add(target.run)
    try:
        warn_user(
            f"A finished fit could not be stored in {target.folder}: {reason}. The search goes "
            "on; fits that are not stored would be made again after an interruption. On a full "
            "disk free some space: later fits are stored again.",
            RecordingWarning,
        )
    except Warning:  # where warnings are errors, this one must not cost the fit; it comes again
        pass


class Resuming:
    """One `fit` with a store, a `TaskRunner`.

    Fits are distinguished by content, whatever their order and their number: those of a wider
    grid, of a random search or of the rounds of a halving search find theirs in the same way.
    """

    def __init__(
        self,
        search: Any,
        X: Any,
        y: Any,
        params: Mapping[str, Any],
        recorded: bool,
        also: tuple[str, ...] = (),
    ) -> None:
        self._search, self._data = search, (X, y, params)
        self._wanted = Wanted(recorded, search.return_train_score, search.error_score, also)
        self._config = ConfigKeys(search.estimator)
        self._known: dict[tuple[str, str], Cell] = {}
        self._configs: dict[int, str] = {}
        self._splits: dict[int, str] = {}
        self._rounds: Counter[str] = Counter()
        self._not_stored: Counter[str] = Counter()
        self._message = ""
        # Fits of the rounds so far that the folder had when they began.
        self.n_known = 0
        self._folder: FitFolder
        self._target: StoreTarget | None = None
        self._held: Offload | None = None

    parameter = "store"

    @property
    def path(self) -> Path:
        """The folder."""
        return self._folder.folder

    @property
    def seed(self) -> int:
        """Seed for a search without one."""
        return self._folder.seed

    def n_kept(self) -> int:
        """Count the fits of this search that the folder has."""
        wanted = {(c, s) for c in self._configs.values() for s in self._splits.values()}
        return len(wanted & {_key_of(cell) for cell in self._folder.read()})

    def open(self, splitter: Any) -> None:
        """Read the folder, or make it, before the first fit."""
        X, y, params = self._data
        facts = search_problem(self._search, X, y, params, splitter)
        self._folder = FitFolder("search", self._search.store, facts)
        remove_leftovers(self._folder.folder)
        self._target = StoreTarget(self._folder.folder, self._wanted)
        walk = PageReleaser()
        for cell in self._folder.read():
            key = _key_of(cell)
            for array in cell.arrays.values():
                walk.has_read(array)
            with cell.naming_its_file():
                if key not in self._known and self._wanted.takes(cell):
                    self._known[key] = cell
        walk.end()
        if self._wanted.predictions:
            self._held = Offload(self._target.run, self._folder.new)

    def splitter(self, splitter: Any, candidates: list[dict[str, Any]]) -> WithSplit:
        """Make the splitter of one round, with its stored splits where there are some."""

        def split(X: Any, *args: Any, **kwargs: Any) -> list[StoredSplit]:
            # A random generator in the splitter is still as it was: this is before its use.
            name = fingerprint(splitter)
            number = self._rounds[name]
            self._rounds[name] += 1

            def made() -> list[StoredSplit]:
                splits = list(splitter.split(X, *args, **kwargs))
                check_splits(splits, _num_samples(X))  # before they are stored
                return splits

            splits = self._folder.splits(f"{name}-{number}", made)
            self._begin(candidates, splits)
            return splits

        return WithSplit(splitter, split)

    def notes(self) -> list[str]:
        """List the notes for the user when the search is done."""
        notes = [
            f"Some stored fits of {self._folder.folder} were made again. {note}"
            for note in self._folder.notes
        ]
        for why, n in self._not_stored.items():
            fits = "finished fit" if n == 1 else "finished fits"
            notes.append(
                f"{n} {fits} could not be stored in {self._folder.folder}: {why}. The results of "
                "this search are complete; another one with this store= would fit them again."
            )
        return notes

    def close(self) -> None:
        """Close what this process writes to, and let go of what was read."""
        if self._target is not None:
            self._target.close()
        self._known, self._held = {}, None

    def _begin(self, candidates: list[dict[str, Any]], splits: list[StoredSplit]) -> None:
        """Compute the fingerprints of a round; `id` distinguishes its objects while it runs."""
        self._configs = {id(params): self._config(params) for params in candidates}
        self._splits = {id(test): split_key(train, test) for train, test in splits}
        pairs = [(c, s) for c in self._configs.values() for s in self._splits.values()]
        n_known = sum(pair in self._known for pair in pairs)
        self.n_known += n_known
        self._message = (
            f"Taking {n_known} of {count(len(pairs), 'fit')} from {self._folder.folder}"
        )

    def _key(self, kwargs: Mapping[str, Any]) -> tuple[str, str]:
        params, train, test = kwargs["parameters"], kwargs["train"], kwargs["test"]
        config, split = self._configs.get(id(params)), self._splits.get(id(test))
        return config or self._config(params), split or split_key(train, test)

    def run(self, parallel: Any, tasks: Iterable[Any]) -> list[dict[str, Any]]:
        """Return the results of all tasks in their order; fit and store those that are missing."""
        taken: dict[int, dict[str, Any]] = {}
        fitted: list[dict[str, Any]] = parallel(self._missing(tasks, taken))
        rest = iter(fitted)
        results = []
        for position in range(len(taken) + len(fitted)):
            result = taken[position] if position in taken else next(rest)
            if NOT_STORED in result:
                self._not_stored[result.pop(NOT_STORED)] += 1
            results.append(result)
        return results

    def _missing(self, tasks: Iterable[Any], taken: dict[int, dict[str, Any]]) -> Iterator[Any]:
        """Yield the tasks to run, in place of those of scikit-learn; fill `taken` on the way."""
        writable = False
        for position, (function, args, kwargs) in enumerate(tasks):
            if self._message and self._search.verbose > 0:
                print(self._message)
            self._message = ""
            key = self._key(kwargs)
            if key in self._known:
                cell = self._known[key]
                with cell.naming_its_file():
                    taken[position] = result_of(cell, self._wanted)
                skip_callbacks(kwargs)
                continue
            if not writable:
                self._folder.check_writable()
                writable = True
            # The function itself: it would look for the settings that `delayed` carries.
            inner = getattr(function, "function", function)
            yield delayed(fit_and_store)(inner, self._target, key, *args, **kwargs)
