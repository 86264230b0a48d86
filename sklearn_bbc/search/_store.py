"""Finished fits of a search as records of the log, and what they depend on."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import numpy as np
import scipy
import sklearn
from sklearn import get_config

from .._scorers import with_our_scorers
from ..store._fingerprint import fingerprint
from ..store._folder import CLASS, Fact, fact_of, print_of, shown
from ..store._log import Cell
from ._capture import carried
from ._responses import FoldResponses

SIDES = ("test_scores", "train_scores")
CLASSES = "classes "
"""Name of the array of classes; a response method has no space in it."""


class CannotBeStored(Exception):
    """A finished fit has something that the log cannot hold; says what."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a search needs of a stored fit: predictions, training scores.

    `also` names responses that no scorer asks for. `error_score` ("raise" or a number) stands
    where a scorer failed.
    """

    predictions: bool
    train_scores: bool
    error_score: Any
    also: tuple[str, ...] = ()

    def takes(self, cell: Cell) -> bool:
        """Whether the stored fit is what this search would get itself."""
        facts = cell.facts
        # As many responses as it would record itself: some methods prefer one to another.
        if self.predictions and (not facts["recorded"] or facts.get("also", []) != [*self.also]):
            return False
        if self.train_scores and "train_scores" not in facts:
            return False
        sides = [facts[side] for side in (SIDES if self.train_scores else SIDES[:1])]
        scores = [s for each in sides for s in (each.values() if type(each) is dict else [each])]
        may_have_failed = any(_alike(score, facts["error_score"]) for score in scores)
        return not may_have_failed or _alike(facts["error_score"], self.error_score)


def record_of(
    key: Sequence[str],
    result: Mapping[str, Any],
    responses: FoldResponses | None,
    wanted: Wanted,
    stopped: bool = False,
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Facts and arrays that the log keeps of what ``_fit_and_score`` returned."""
    lost = wanted.predictions and stopped if responses is None else responses.out_of_memory
    if lost:
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
    facts |= {side: _numbers(result[side]) for side in SIDES if side in result}
    arrays: dict[str, np.ndarray] = {}
    if responses is not None:
        facts["responses"] = {"coded": responses.coded, "problem": responses.problem}
        named = dict(responses.arrays)
        if responses.classes is not None:
            named[CLASSES] = responses.classes
        for name, array in named.items():
            # A few classes are shorter as JSON; objects and records are refused, or are text.
            if array.dtype.kind in "OV" or (name == CLASSES and array.dtype.kind in "iu"):
                facts["responses"][name] = _listed(name, array)
            else:
                arrays[name] = array
    return facts, arrays


def result_of(cell: Cell, wanted: Wanted) -> dict[str, Any]:
    """Give what ``_fit_and_score`` would return for a stored fit."""
    facts = cell.facts
    scores = _copied(facts["test_scores"])
    if wanted.predictions and "responses" in facts:
        about = facts["responses"]
        listed = {name: _array(about[name]) for name in about if name not in ("coded", "problem")}
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


def _numbers(scores: Any) -> Any:
    """Scores as JSON holds them, exactly."""
    if isinstance(scores, dict):
        if not all(isinstance(name, str) for name in scores):
            raise CannotBeStored("the names of its scores are not text")
        return {name: _numbers(score) for name, score in scores.items()}
    return scores if isinstance(scores, int) else float(scores)  # as cv_results_ does


def _listed(name: str, array: np.ndarray) -> dict[str, Any]:
    """List an array of texts and numbers for JSON, which gives it back the same."""
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


def _alike(score: Any, error_score: Any) -> bool:
    if isinstance(error_score, str):  # "raise": no score stands for an error
        return False
    return bool(score == error_score) or (math.isnan(score) and math.isnan(error_score))


def problem_of(
    search: Any, X: Any, y: Any, params: Mapping[str, Any], splitter: Any
) -> dict[str, Fact]:
    """Collect all that the fits of a search depend on, but for configuration and split."""
    given = {f"fit parameter {name}": value for name, value in params.items() if value is not None}
    given |= {"X": X, "y": y}
    if params.get("groups") is not None:
        given["groups"] = given.pop("fit parameter groups")
    facts = {name: fact_of(name, value) for name, value in given.items()}
    estimator = search.estimator
    facts["estimator"] = Fact(print_of("estimator", estimator), parts=_estimator_parts(estimator))
    scoring = search.scoring
    facts["scoring"] = Fact(print_of("scoring", with_our_scorers(scoring)), shown(scoring))
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
            parts[name] = Fact(print_of(f"the estimator's {name}", outline), shown(value))
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
