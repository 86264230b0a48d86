"""One finished fit as a record of the log, and back; exactly, or not at all."""

from __future__ import annotations

import json
import math
import os
import platform
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from reprlib import repr as shortened
from typing import Any

import numpy as np
import pandas as pd
import scipy
import sklearn
from sklearn import get_config

from .._scorers import with_our_scorers
from .._utils import is_integer
from ..store._fingerprint import fingerprint, values_per_sample
from ..store._log import Cell, CellLog, holds_others, listing, to_json, write_once
from ._capture import carried
from ._responses import FoldResponses

SIDES = ("test_scores", "train_scores")
CLASSES = "classes "
"""Name of the array of classes; a response method has no space in it."""

MOST_LISTED = 32
"""Number of integers up to which a list is the shorter way to write an array."""

# What one call fills in; `repr` of a finite float is its JSON, exactly.
_FACTS = '{"facts":{"config":"%s","split":"%s","times":[%r,%r],"n_test":%d,%s,"test_scores":%s'
_templates: dict[Any, str] = {}
MOST_TEMPLATES = 64
"""A search has one, or one for each size of its test folds."""


class CannotBeStored(Exception):
    """A finished fit has something that the log cannot hold; says what."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a search needs of a stored fit.

    Attributes
    ----------
    predictions : bool
        Whether predictions are recorded.
    train_scores : bool
        Whether training scores are asked for.
    error_score : "raise" or number
        What stands where a scorer failed.

    Attributes
    ----------
    said : str
        What is the same in the records of all its fits, as a part of their JSON.
    """

    predictions: bool
    train_scores: bool
    error_score: Any
    said: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        recorded = to_json(self.predictions)
        error_score = (
            '"raise"' if isinstance(self.error_score, str) else to_json(float(self.error_score))
        )
        said = f'"recorded":{recorded},"error_score":{error_score}'
        object.__setattr__(self, "said", said)  # the class is frozen

    def takes(self, cell: Cell) -> bool:
        """Whether the stored fit is what this search would get itself."""
        facts = cell.facts
        if self.predictions and not facts["recorded"]:
            return False
        if self.train_scores and "train_scores" not in facts:
            return False
        sides = SIDES if self.train_scores else SIDES[:1]
        if not any(_may_have_failed(facts[side], facts["error_score"]) for side in sides):
            return True
        return _alike(facts["error_score"], self.error_score)


def record_of(
    config: str,
    split: str,
    result: Mapping[str, Any],
    responses: FoldResponses | None,
    wanted: Wanted,
    stopped: bool = False,
) -> tuple[str, list[np.ndarray]]:
    """What the log writes of what scikit-learn's ``_fit_and_score`` returned."""
    arrays: list[np.ndarray] = []
    if responses is None:
        if wanted.predictions and stopped:
            raise CannotBeStored("memory ran out while its predictions were recorded")
        template = _FACTS + '},"arrays":[]}'
    else:
        template, arrays = _template(responses)
    scores = _scores(result["test_scores"])
    if "train_scores" in result:
        scores = f'{scores},"train_scores":{_scores(result["train_scores"])}'
    seconds = float(result["fit_time"]), float(result["score_time"])
    filled = (config, split, *seconds, int(result["n_test_samples"]), wanted.said, scores)
    return template % filled, arrays


def result_of(cell: Cell, wanted: Wanted) -> dict[str, Any]:
    """What ``_fit_and_score`` would return for a stored fit."""
    facts = cell.facts
    scores = _copied(facts["test_scores"])
    if wanted.predictions and "responses" in facts:
        told = facts["responses"]
        listed = {name: _array(told[name]) for name in told if name not in ("coded", "problem")}
        arrays = {**cell.arrays, **listed}
        classes = arrays.pop(CLASSES, None)
        responses = FoldResponses(arrays, classes, told["coded"], told["problem"])
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


def _template(responses: FoldResponses) -> tuple[str, list[np.ndarray]]:
    """JSON with places for what is different in each fit, and the arrays.

    What is said of the predictions is the same in almost all fits of a search, and made once.
    """
    if responses.out_of_memory:
        raise CannotBeStored("memory ran out while its predictions were recorded")
    arrays, classes = [], responses.classes
    kind: list[Any] = [responses.coded, responses.problem]
    for name, array in responses.arrays.items():
        if array.dtype.kind in "OV":  # no plain numbers or texts
            return _new_template(responses)
        kind += (name, array.dtype, array.shape)
        arrays.append(array)
    if classes is not None:
        if classes.dtype.kind not in "iu" or classes.size > MOST_LISTED:
            return _new_template(responses)
        kind += (classes.dtype, classes.shape, classes.tobytes())
    key = tuple(kind)
    template = _templates.get(key)
    if template is None:
        if len(_templates) >= MOST_TEMPLATES:
            _templates.clear()
        template = _templates[key] = _new_template(responses)[0]
    return template, arrays


def _new_template(responses: FoldResponses) -> tuple[str, list[np.ndarray]]:
    coded, problem = to_json(responses.coded), to_json(responses.problem)
    told = f',"responses":{{"coded":{coded},"problem":{problem}'
    arrays: dict[str, np.ndarray] = {}
    named = dict(responses.arrays)
    if responses.classes is not None:
        named[CLASSES] = responses.classes
    for name, array in named.items():
        few = name == CLASSES and array.dtype.kind in "iu" and array.size <= MOST_LISTED
        if few or array.dtype.kind in "OV":
            told += f',"{name}":{to_json(_listed(name, array))}'
        else:
            arrays[name] = array
    listed = listing((name, array.dtype, array.shape) for name, array in arrays.items())
    filled = f'{told}}}}},"arrays":{listed}}}'
    return _FACTS + filled.replace("%", "%%"), list(arrays.values())


def _scores(scores: Any) -> str:
    """JSON of the scores."""
    if isinstance(scores, float) and math.isfinite(scores):
        return float.__repr__(scores)
    return to_json(_numbers(scores))


def _copied(scores: Any) -> Any:
    return dict(scores) if isinstance(scores, dict) else scores


def _numbers(scores: Any) -> Any:
    """Scores as JSON holds them, exactly."""
    if isinstance(scores, dict):
        if not all(isinstance(name, str) for name in scores):
            raise CannotBeStored("the names of its scores are not text")
        return {name: _numbers(score) for name, score in scores.items()}
    return scores if isinstance(scores, (int, float)) else float(scores)  # as cv_results_ does


def _listed(name: str, array: np.ndarray) -> dict[str, Any]:
    """An array of texts and numbers, of which JSON says the same afterwards."""
    if array.dtype.names is not None:
        raise CannotBeStored(f"{name.strip()} is an array of records")
    values = array.ravel().tolist()
    plain = (str, int, float, bool, type(None))
    if not all(type(value) in plain for value in values):
        kinds = sorted({type(value).__name__ for value in values})
        raise CannotBeStored(f"{name.strip()} holds objects of type {', '.join(kinds)}")
    return {"values": values, "shape": array.shape, "dtype": array.dtype.str}


def _array(listed: Mapping[str, Any]) -> np.ndarray:
    array = np.empty(len(listed["values"]), dtype=listed["dtype"])
    array[:] = listed["values"]
    return array.reshape(listed["shape"])


def _may_have_failed(scores: Any, error_score: Any) -> bool:
    """Whether a score may stand for a scorer that failed."""
    values = scores.values() if isinstance(scores, dict) else [scores]
    return any(_alike(value, error_score) for value in values)


def _alike(score: Any, error_score: Any) -> bool:
    if isinstance(error_score, str):  # "raise": no score stands for an error
        return False
    return bool(score == error_score) or (math.isnan(score) and math.isnan(error_score))


SHOWN_LENGTH = 40
"""Longest text of a value that a message shows."""

CLASS = ""
"""Name of the part that is the class of an object."""

OF_CODE = ("estimator", "scoring", "cv")
"""Facts whose fingerprints hold the versions of the packages that they come from."""


@dataclass(frozen=True)
class Fact:
    """One thing on which the result of a fit depends.

    Attributes
    ----------
    print : str
        Fingerprint of its content.
    shown : str or None
        The value in a message; None when it is too long for one.
    version : bool
        Whether it is the version of a package.
    parts : dict of str to Fact
        What it consists of, to say which of it changed.
    index : str or None
        Fingerprint of the index of a Series, if it has one that says something.
    as_given : str or None
        Fingerprint of what holds the values, where these count: what versions that made a
        difference between arrays and lists wrote. Not written any more.
    """

    print: str
    shown: str | None = None
    version: bool = False
    parts: Mapping[str, Fact] = field(default_factory=dict)
    index: str | None = None
    as_given: str | None = None

    def is_of(self, before: Fact) -> bool:
        """Whether this is what an earlier run had; an array has any index."""
        if before.print != self.print:
            return before.print == self.as_given
        return None in (before.index, self.index) or before.index == self.index

    def to_json(self) -> dict[str, Any]:
        """Values that JSON can hold."""
        parts = {name: part.to_json() for name, part in self.parts.items()}
        found = {
            "print": self.print,
            "shown": self.shown,
            "version": self.version,
            "parts": parts,
            "index": self.index,
        }
        return {name: value for name, value in found.items() if value}

    @classmethod
    def from_json(cls, values: Any, name: str = "fact") -> Fact:
        """The fact that `to_json` described; an error names what is not as it wrote it."""
        known = {"print", "shown", "version", "parts", "index"}
        values = json_object(values, name)
        found = {key: value for key, value in values.items() if key in known}
        for key, kind in (("print", str), ("shown", str), ("version", bool), ("index", str)):
            if key in found and not isinstance(found[key], kind):
                raise TypeError(f"{key!r} of {name!r} is {shortened(found[key])}")
        if "print" not in found:
            raise ValueError(f"{name!r} has no 'print'")
        parts = json_object(found.pop("parts", {}), f"parts of {name}")
        if parts and CLASS not in parts:
            raise ValueError(f"'parts of {name}' have no class")
        return cls(**found, parts={part: cls.from_json(parts[part], part) for part in parts})


def json_object(values: Any, name: str) -> dict[str, Any]:
    """What JSON calls an object, or an error that names what is not one."""
    if not isinstance(values, dict):
        raise TypeError(f"{name!r} is {shortened(values)}, not an object")
    return values


def problem_of(
    search: Any, X: Any, y: Any, params: Mapping[str, Any], splitter: Any
) -> dict[str, Fact]:
    """Everything on which the fits of a search depend, but for the configuration and the split."""
    given = {f"fit parameter {name}": value for name, value in params.items() if value is not None}
    given |= {"X": X, "y": y}
    if params.get("groups") is not None:
        given["groups"] = given.pop("fit parameter groups")
    facts = {name: _fact(name, value) for name, value in given.items()}
    estimator = search.estimator
    facts["estimator"] = Fact(_print_of("estimator", estimator), parts=_estimator_parts(estimator))
    scoring = search.scoring
    facts["scoring"] = Fact(_print_of("scoring", with_our_scorers(scoring)), _shown(scoring))
    facts["cv"] = Fact(_print_of("cv", splitter), parts=_splitter_parts(splitter))
    routing = get_config()["enable_metadata_routing"]
    facts["metadata routing"] = _fact("metadata routing", routing)
    owners = [estimator, *estimator.get_params(deep=True).values(), scoring]
    for package, version in (_versions() | _packages_of(owners)).items():
        facts[package] = Fact(version, version, version=True)
    return facts


def differences(before: Mapping[str, Fact], now: Mapping[str, Fact]) -> list[str]:
    """What differs between two problems, in words."""
    changed = [name for name in now if name in before and not now[name].is_of(before[name])]
    versions = [name for name in changed if now[name].version]
    found = []
    for name in changed:
        if name in versions:
            continue
        parts = _changed_parts(name, before[name].parts, now[name].parts, bool(versions))
        if parts:
            found += parts
        # Where a package is of another version its code counts as other code: nothing to add.
        elif not versions or name not in OF_CODE or before[name].shown != now[name].shown:
            found.append(_changed(name, before[name], now[name]))
    found += [_changed(name, before[name], now[name]) for name in versions]
    found += [f"{name} is new" for name in now if name not in before]
    return found + [f"{name} is missing" for name in before if name not in now]


def _changed_parts(
    owner: str, before: Mapping[str, Fact], now: Mapping[str, Fact], other_versions: bool
) -> list[str]:
    """Which parts differ; of another class only that."""
    if not before or not now:
        return []
    if before[CLASS].shown != now[CLASS].shown:
        return [f"{owner} {before[CLASS].shown} to {now[CLASS].shown}"]
    found = []
    for name in now:
        if name not in before:
            if name.rpartition("__")[0] not in now.keys() - before.keys():
                found.append(f"{owner}'s {name} is new")
        elif before[name] == now[name]:
            continue
        elif before[name].shown != now[name].shown or not _is_class(now[name]):
            found.append(_changed(f"{owner}'s {name}", before[name], now[name]))
        elif not other_versions:
            of = owner if name == CLASS else f"{owner}'s {name}"
            found.append(f"the code of {of} ({now[name].shown}), or what it uses, changed")
    gone = before.keys() - now.keys()
    missing = [name for name in before if name in gone and name.rpartition("__")[0] not in gone]
    return found + [f"{owner}'s {name} is missing" for name in missing]


def _is_class(part: Fact) -> bool:
    return part.shown is not None and part.shown.startswith("class ")


def _changed(name: str, before: Fact, now: Fact) -> str:
    if before.print == now.print:
        return f"the index of {name} changed"
    if before.shown is None or now.shown is None or before.shown == now.shown:
        return f"{name} changed"
    return f"{name} {before.shown} to {now.shown}"


def _fact(name: str, value: Any) -> Fact:
    if name not in ("y", "groups") and not name.endswith("sample_weight"):
        return Fact(_print_of(name, value), _shown(value))
    has_index = isinstance(value, pd.Series) and not isinstance(value.index, pd.RangeIndex)
    return Fact(
        _print_of(name, values_per_sample(value)),
        _shown(value),
        index=_print_of(f"the index of {name}", value.index) if has_index else None,
        as_given=_print_of(name, value),
    )


def _print_of(name: str, value: Any) -> str:
    try:
        return fingerprint(value)
    except TypeError as error:
        raise TypeError(f"store= cannot tell whether {name} is the same later. {error}") from error


def _shown(value: Any) -> str | None:
    """A value as a message shows it; None for what is no short value."""
    if isinstance(value, np.generic):
        value = value.item()
    plain = isinstance(value, (str, int, float, type(None)))
    if isinstance(value, (list, tuple)):
        plain = all(isinstance(each, (str, int, float, type(None))) for each in value)
    text = repr(value) if plain else ""
    return text if 0 < len(text) <= SHOWN_LENGTH else None


def _estimator_parts(estimator: Any) -> dict[str, Fact]:
    """Class and parameters, those of its parts included."""
    parts = {CLASS: _class_fact(estimator)}
    for name, value in estimator.get_params(deep=True).items():
        if _is_estimator(value):
            parts[name] = _class_fact(value)
        else:
            outline = _outline(value)
            parts[name] = Fact(_print_of(f"the estimator's {name}", outline), _shown(value))
    return parts


def _splitter_parts(splitter: Any) -> dict[str, Fact]:
    """Class and attributes; none of a list of splits."""
    if type(splitter).__module__.startswith("sklearn.") and hasattr(splitter, "cv"):
        if isinstance(splitter.cv, list):
            return {}
    parts = {CLASS: _class_fact(splitter)}
    for name, value in vars(splitter).items() if hasattr(splitter, "__dict__") else ():
        parts[name] = _fact(f"cv's {name}", value)
    return parts


def _class_fact(value: Any) -> Fact:
    return Fact(fingerprint(type(value)), f"class {type(value).__name__}")


def _is_estimator(value: Any) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def _outline(value: Any) -> Any:
    """A list of estimators with their classes only: their parameters are parts of their own."""
    if _is_estimator(value):
        return f"class {type(value).__name__}"
    if isinstance(value, (list, tuple)):
        return [_outline(each) for each in value]
    if isinstance(value, dict):
        return {name: _outline(each) for name, each in value.items()}
    return value


def _versions() -> dict[str, str]:
    return {
        "Python": platform.python_version().rpartition(".")[0],
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }


def _packages_of(values: list[Any]) -> dict[str, str]:
    """Version of each other package that objects come from."""
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


REST = -1
"""In place of the size of a training side: all samples that the split does not hold out."""

Split = tuple[np.ndarray, np.ndarray]


def stored_splits(path: Path, make: Callable[[], Sequence[Any]], n_samples: int) -> list[Split]:
    """The splits of a file, or new ones, which become those of the file."""
    made = [(_positions(train), _positions(test)) for train, test in make()]
    if not path.exists():
        arrays = _packed(made, n_samples)
        # Not compressed: that took 25 ms for 50,000 samples, and saved 0.3 MB.
        write_once(path, lambda file: np.savez(file, **arrays))  # type: ignore[arg-type]
    try:
        with np.load(path, allow_pickle=False) as file:
            return _unpacked({name: file[name] for name in file.files}, n_samples)
    except Exception as error:  # a flipped bit raises nearly anything
        raise ValueError(
            f"{path} is damaged ({error}), so it cannot be told on which splits the fits in this "
            "folder were made. Take another folder; nothing was changed in this one."
        ) from error


def _positions(side: Any) -> np.ndarray:
    side = np.asarray(side)
    if side.dtype == bool:
        return np.flatnonzero(side)
    return side.astype(np.intp) if side.size == 0 else side


def _packed(splits: Sequence[Split], n_samples: int) -> dict[str, np.ndarray]:
    """All sides in a few arrays; a training side that is the rest takes no place."""
    n_train, trains = [], []
    for train, test in splits:
        if np.array_equal(train, _rest(test, n_samples)):
            n_train.append(REST)
        else:
            n_train.append(len(train))
            trains.append(train)
    tests = [test for _, test in splits]
    empty = np.zeros(0, np.intp)
    return {
        "n_train": np.array(n_train, np.int64),
        "n_test": np.array([len(test) for test in tests], np.int64),
        "train": np.concatenate(trains or [empty]),
        "test": np.concatenate(tests or [empty]),
    }


def _unpacked(arrays: dict[str, np.ndarray], n_samples: int) -> list[Split]:
    tests = np.split(arrays["test"], np.cumsum(arrays["n_test"])[:-1])
    lengths = np.maximum(arrays["n_train"], 0)
    trains = np.split(arrays["train"], np.cumsum(lengths)[:-1])
    return [
        (_rest(test, n_samples) if n == REST else train, test)
        for n, train, test in zip(arrays["n_train"], trains, tests)
    ]


def _rest(test: np.ndarray, n_samples: int) -> np.ndarray:
    inside = np.ones(n_samples, dtype=bool)
    inside[test] = False
    return np.flatnonzero(inside)


FORMAT = 1
ABOUT = "search.json"
RECORDER = "recorder.npz"


class SearchFolder:
    """Finished fits on disk, of one problem.

    Parameters
    ----------
    folder : str or Path
        Made when it is not there.
    facts : dict of str to Fact
        The problem.

    Attributes
    ----------
    path : Path
        Absolute, since workers may be elsewhere.
    seed : int
        Drawn when the folder was made, for searches without a seed.

    Raises
    ------
    ValueError
        If the folder is of something else; nothing in it is changed then.
    OSError
        If it cannot be made.
    """

    def __init__(self, folder: Any, facts: Mapping[str, Fact]) -> None:
        self.path = Path(folder).absolute()
        about = self.path / ABOUT
        if holds_others(self.path) and not about.is_file():
            other = self.path / RECORDER
            whose = "those of an OOFRecorder" if other.is_file() else "none of a search"
            raise ValueError(
                f"store={str(folder)!r} holds files, but {whose}. Take an empty or a new folder; "
                "nothing was changed."
            )
        self._log = CellLog(self.path)
        if not about.is_file():
            self._write(about, facts)
        self.seed = self._read(about, facts)

    def splits(self, name: str, make: Callable[[], list[Any]], n_samples: int) -> list[Split]:
        """The splits of this name, or new ones, which become those of the folder."""
        return stored_splits(self.path / f"splits-{name}.npz", make, n_samples)

    def cells(self) -> Iterator[tuple[tuple[str, str], Cell]]:
        """Fingerprints of parameters and split, and the fit, of all finished fits."""
        return map(_with_key, self._log.read())

    def new_cells(self) -> Iterator[tuple[tuple[str, str], Cell]]:
        """Those that were written since this or `cells` was called last."""
        return map(_with_key, self._log.new())

    @property
    def notes(self) -> list[str]:
        """What could not be read."""
        return self._log.notes

    def check_writable(self) -> None:
        """Raise before the first fit where no fit could be stored."""
        probe = self.path / f".probe.{secrets.token_hex(4)}.part"
        try:
            probe.touch()
        except OSError as error:
            why = f"store= cannot be written, and not every fit is in it: {error.strerror}"
            raise type(error)(error.errno, why, str(self.path)) from error
        probe.unlink(missing_ok=True)

    def _write(self, about: Path, facts: Mapping[str, Fact]) -> None:
        content = {
            "format": FORMAT,
            "seed": secrets.randbelow(2**31),
            "problem": {name: fact.to_json() for name, fact in facts.items()},
        }
        text = json.dumps(content, indent=1).encode()
        write_once(about, lambda file: file.write(text))

    def _read(self, about: Path, facts: Mapping[str, Fact]) -> int:
        """Seed of the folder, when it is about the same problem."""
        try:
            content = json_object(json.loads(about.read_bytes()), ABOUT)
            its_format = _whole_number(content, "format")
            if its_format <= FORMAT:
                seed = _whole_number(content, "seed")
                problem = json_object(_part(content, "problem"), "problem")
                before = {name: Fact.from_json(values, name) for name, values in problem.items()}
        # Hostile nesting ends in a RecursionError.
        except (ValueError, TypeError, RecursionError) as error:
            raise ValueError(
                f"{about} is damaged ({error}), so it cannot be told what the fits in this folder "
                "are about. Take another folder; nothing was changed in this one."
            ) from error
        if its_format > FORMAT:
            raise ValueError(
                f"{self.path} has format {its_format}, this version reads up to {FORMAT}: upgrade "
                "sklearn-bbc."
            )
        if different := differences(before, facts):
            raise ValueError(
                f"store={os.fspath(self.path)!r} is of another problem: {', '.join(different)}. "
                "Take another folder, or go back to what it was; nothing was changed in this one."
                + (_USED if any("random_state" in each for each in different) else "")
            )
        return seed


def _part(content: Mapping[str, Any], name: str) -> Any:
    if name not in content:
        raise ValueError(f"it has no {name!r}")
    return content[name]


def _whole_number(content: Mapping[str, Any], name: str) -> int:
    number: int = _part(content, name)
    if not is_integer(number, 0) or number >= 2**32:  # what a seed can be
        raise TypeError(f"{name!r} is {shortened(number)}, not a whole number")
    return number


def _with_key(cell: Cell) -> tuple[tuple[str, str], Cell]:
    return (cell.facts["config"], cell.facts["split"]), cell


_USED = (
    " A RandomState instance is another one after each use; a whole number as random_state stays "
    "the same."
)


class ConfigKeys:
    """Fingerprints of configurations of one estimator.

    A parameter that a configuration sets to what the estimator has anyway is left out. So a grid
    that gets another parameter finds the fits that were made without it.

    Parameters
    ----------
    estimator : estimator object
        Of the search.
    """

    def __init__(self, estimator: Any) -> None:
        self._own = estimator.get_params(deep=True)
        self._prints: dict[str, str] = {}

    def __call__(self, params: Mapping[str, Any]) -> str:
        """Fingerprint of a configuration."""
        try:
            prints = {name: fingerprint(value) for name, value in params.items()}
        except TypeError as error:
            raise TypeError(
                f"store= cannot recognise the configuration {dict(params)} in a later run. {error}"
            ) from error
        # Where a part of the estimator is replaced, its parameters are no longer those of `_own`.
        if not any(_holds_estimator(value) for value in params.values()) and not any(
            _holds_estimator(self._own.get(name)) for name in params
        ):
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
    """Fingerprint of a split."""
    return fingerprint([train, test])


def _holds_estimator(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_holds_estimator, value))
    if isinstance(value, dict):
        return any(map(_holds_estimator, value.values()))
    return hasattr(value, "get_params")
