"""One finished fit as a record of the log, and back; exactly, or not at all."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...store import Cell, listing, to_json
from ..recording._listening import carried
from ..recording._responses import FoldResponses

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
    """What the log writes of what scikit-learn's ``_fit_and_score`` returned.

    Parameters
    ----------
    config, split : str
        Fingerprints of the parameters and of the split.
    result : mapping
        Its result, of a fit that did not fail.
    responses : FoldResponses or None
        What its scores carry.
    wanted : Wanted
        What this search needs.
    stopped : bool, default=False
        Whether the recording has stopped for want of memory.

    Returns
    -------
    text : str
        JSON of the facts and the list of the arrays, as `CellLog.append_text` takes it. Put
        together by hand: an encoder takes three times as long, and this is done for each fit.
    arrays : list of ndarray
        Predictions.

    Raises
    ------
    CannotBeStored
        If something would not come back as it was.
    """
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
