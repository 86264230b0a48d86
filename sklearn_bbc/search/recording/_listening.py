"""Hear what an estimator answers while a scorer runs, in the process where it runs.

The scorers here stand in for scikit-learn's own during a search. They shadow the response
methods of the fitted estimator (`_shadowing.py`), so nothing is predicted twice, and hang what
they heard on the score itself, the only thing that travels home from a worker process.
"""

from __future__ import annotations

import inspect
import numbers
import threading
import weakref
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.metrics._scorer import _MultimetricScorer, _PassthroughScorer, _Scorer
from sklearn.utils._array_api import _convert_to_numpy, get_namespace

from ._asking import AskedScorer, NotTheWholeAnswer, asks_by_caller
from ._memory import Keeper
from ._responses import FoldResponses, ResponsePacker, out_of_memory
from ._shadowing import RESPONSE_METHODS, LastingShadows, Listener


class CarriedScore(float):
    """A score that carries the responses it was computed from; a float to everybody else."""

    responses: FoldResponses

    def __new__(cls, score: float, responses: FoldResponses) -> CarriedScore:
        carrier = super().__new__(cls, score)
        carrier.responses = responses
        return carrier

    def __reduce__(self) -> tuple[Any, ...]:
        return CarriedScore, (float(self), self.responses)


def to_numpy(array: Any) -> np.ndarray:
    """Bring an array of any array library, on any device, to NumPy."""
    if isinstance(array, np.ndarray) or not hasattr(array, "__array_namespace__"):
        return np.asarray(array)
    return np.asarray(_convert_to_numpy(array, get_namespace(array)[0]))


_thread = threading.local()


def _is_train_scoring(estimator: Any) -> bool:
    """Whether this is the second of the two scorings (test, then train) of one model."""
    last = getattr(_thread, "scored", None)
    if last is not None and last() is estimator:
        _thread.scored = None
        return True
    try:
        _thread.scored = weakref.ref(estimator)
    except TypeError:  # no weak references to this class: keep it alive until the next model
        _thread.scored = lambda: estimator
    return False


@dataclass(frozen=True, slots=True)
class RecordingOptions:
    """What a recording scorer must know about the search."""

    return_train_score: bool
    binary: bool
    keeper: Keeper = field(default_factory=Keeper)
    lasting: LastingShadows = field(default_factory=LastingShadows)

    def packer(self, estimator: Any) -> ResponsePacker:
        """What makes answers of a model small."""
        return ResponsePacker(
            lambda: getattr(estimator, "classes_", None), binary=self.binary, to_numpy=to_numpy
        )

    def keep(self, estimator: Any, method: str, answer: Any) -> FoldResponses | None:
        """What is kept of a model's only answer, or why it could not be kept."""
        packer = self.packer(estimator)
        # Whatever an estimator answers, the score is what the search needs. The reason
        # travels home and is told there, once.
        try:
            return packer.responses({method: packer.pack(method, answer)})
        except Exception as error:
            return _responses(packer, {}, [error])


def score_and_record(
    score: Callable[..., Any],
    options: RecordingOptions,
    estimator: Any,
    X: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    asked: tuple[str, ...] | None = None,
) -> Any:
    """Call the scorer and hang the estimator's answers on the first score it returns."""
    try:
        return _score_and_record(score, options, estimator, X, args, kwargs, asked)
    except MemoryError:
        # What was recorded may be what fills the memory; the score comes first. But a scorer may
        # also ask for more than there ever was: then only its own cell is lost.
        keeper = options.keeper
        if keeper.stopped or not keeper.makes_short() or not keeper.give_up():
            raise
    return score(estimator, X, *args, **kwargs)


def _score_and_record(
    score: Callable[..., Any],
    options: RecordingOptions,
    estimator: Any,
    X: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    asked: tuple[str, ...] | None,
) -> Any:
    train = options.return_train_score and _is_train_scoring(estimator)
    if train or options.keeper.stopped:
        return score(estimator, X, *args, **kwargs)
    if len(args) == 1 and not kwargs and asks_by_caller(score):  # the target, no weights
        asking = AskedScorer(score, options.binary, options.keep)
        with suppress(NotTheWholeAnswer):
            value = asking(estimator, X, args[0])
            if asking.kept is None:
                return value
            options.keeper.add(asking.kept)
            return _carry(value, asking.kept)
    packer = options.packer(estimator)
    problems: list[Exception] = []

    def keep(method: str, answer: Any) -> Any:
        # Whatever an estimator answers, the score is what the search needs. The reason
        # travels home and is told there, once.
        try:
            return packer.pack(method, answer)
        except Exception as error:
            problems.append(error)
            return None

    listener = Listener(estimator, X, keep, options.lasting, asked)
    try:
        scores = score(estimator, X, *args, **kwargs)
    finally:
        heard = listener.stop()
    if not heard and _predicts_unheard(score, estimator, args):
        # The default score of a classifier or regressor that does not ask its own `predict`
        # (CatBoost's). Whether it is about these predictions is checked after the search.
        with suppress(Exception):
            heard = {"predict": keep("predict", estimator.predict(X))}
    responses = _responses(packer, heard, problems)
    if responses is None:
        return scores
    options.keeper.add(responses)
    return carried(scores, responses)


def carried(scores: Any, responses: FoldResponses) -> Any:
    """The score, or the scores by name, with the responses on the first that can carry them."""
    if not isinstance(scores, dict):
        return _carry(scores, responses)
    for name, value in scores.items():
        carrier = _carry(value, responses)
        if carrier is not value:
            return {**scores, name: carrier}
    return scores


def responses_in(scores: Any) -> FoldResponses | None:
    """What `carried` put onto a score; None when it put nothing."""
    for score in scores.values() if isinstance(scores, dict) else [scores]:
        if type(score) is CarriedScore:
            return score.responses
    return None


def _responses(
    packer: ResponsePacker, heard: dict[str, Any], problems: list[Exception]
) -> FoldResponses | None:
    """All that was heard, or why it could not be kept."""
    if not problems:
        return packer.responses(heard)
    for error in problems:
        if isinstance(error, MemoryError):
            return out_of_memory(error)
    responses = packer.responses(heard) or FoldResponses({})
    responses.problem = f"{type(problems[0]).__name__}: {problems[0]}"
    return responses


def _predicts_unheard(score: Any, estimator: Any, args: tuple[Any, ...]) -> bool:
    """Whether predictions must be asked for, since the estimator's own score did not."""
    if not isinstance(score, _PassthroughScorer) or not args or args[0] is None:
        return False
    try:
        return is_classifier(estimator) or is_regressor(estimator)
    except Exception:  # tags of a stranger's estimator
        return False


def _carry(score: Any, responses: FoldResponses) -> Any:
    if isinstance(score, float):  # NumPy's double is one
        return CarriedScore(score, responses)
    if hasattr(score, "item"):
        with suppress(ValueError):  # more than one number: scikit-learn will complain
            score = score.item()
    return CarriedScore(float(score), responses) if isinstance(score, numbers.Real) else score


def asked_by(scorers: Iterable[Any]) -> tuple[str, ...] | None:
    """Response methods that scorers ask of an estimator itself; None when that is not known.

    Those that `make_scorer` makes say so. Others may call `score`, or anything else.
    """
    asked: set[str] = set()
    for scorer in scorers:
        methods = getattr(scorer, "_response_method", None)
        if type(scorer) is not _Scorer or methods is None:
            return None
        asked.update([methods] if isinstance(methods, str) else methods)
    if not asked.issubset(RESPONSE_METHODS):
        return None
    return tuple(name for name in RESPONSE_METHODS if name in asked)


class RecordingScorer:
    """A scorer that records; in everything else (routing, signature, repr) the scorer itself."""

    def __init__(self, scorer: Callable[..., Any], options: RecordingOptions):
        self._scorer, self._options = scorer, options
        self._asked = asked_by([scorer])

    def __call__(self, estimator: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        return score_and_record(
            self._scorer, self._options, estimator, X, args, kwargs, self._asked
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_scorer", "_options"):  # asked while unpickling
            raise AttributeError(name)
        return getattr(self._scorer, name)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self._scorer)

    def __repr__(self) -> str:
        return repr(self._scorer)


class RecordingMultimetricScorer(_MultimetricScorer):
    """scikit-learn's scorer of several metrics, recording; ``fit`` asks for this very class."""

    def __init__(self, *, scorers: Any, raise_exc: bool, options: RecordingOptions):
        super().__init__(scorers=scorers, raise_exc=raise_exc)
        self._options = options
        self._asked = asked_by(self._scorers.values())

    def __call__(self, estimator: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        return score_and_record(
            super().__call__, self._options, estimator, X, args, kwargs, self._asked
        )
