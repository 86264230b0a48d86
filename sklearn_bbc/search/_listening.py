"""Hear what an estimator answers while a scorer runs, in the process where it runs.

The scorers here stand in for scikit-learn's own during a search. They shadow the response
methods of the fitted estimator, so nothing is predicted twice, and hang what they heard on
the score itself, the only thing that travels home from a worker process.
"""

from __future__ import annotations

import inspect
import numbers
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics._scorer import _MultimetricScorer
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils._array_api import _convert_to_numpy, get_namespace
from sklearn.utils.validation import _num_samples

from ._responses import FoldResponses, pack_responses

RESPONSE_METHODS = ("predict", "predict_proba", "decision_function")


class CarriedScore(float):
    """A score that carries the responses it was computed from; a float to everybody else."""

    responses: FoldResponses

    def __new__(cls, score: float, responses: FoldResponses) -> CarriedScore:
        carrier = super().__new__(cls, score)
        carrier.responses = responses
        return carrier

    def __reduce__(self) -> tuple[Any, ...]:
        return CarriedScore, (float(self), self.responses)


class Listener:
    """Hears what a fitted estimator answers while one scorer runs.

    The response methods are shadowed by instance attributes for that time. Only the
    outermost call counts (``predict`` may call ``decision_function``), and of several calls
    the first on the very `X` that the scorer was given. A scorer that converts `X` first, or
    a pipeline that scores by its last step, is recognised by the number of rows; if it asks
    more than once in this way, the answer is not known to belong to `X` and is dropped.
    """

    def __init__(self, estimator: Any, X: Any):
        self.X = X
        self.depth = 0
        self._exact: dict[str, Any] = {}
        self._alike: dict[str, list[Any]] = {}
        self._shadowed: list[tuple[dict[str, Any], str]] = []
        self._shadow(estimator)
        # These score by their inner estimator's own `score`, never by their own `predict`.
        while (inner := _scoring_part(estimator)) is not None:
            self._shadow(inner)
            estimator = inner

    def _shadow(self, estimator: Any) -> None:
        attributes = getattr(estimator, "__dict__", None)
        if attributes is None:
            return
        for name in RESPONSE_METHODS:
            if name not in attributes and _offers(estimator, name):
                attributes[name] = ShadowedMethod(estimator, name, self)
                self._shadowed.append((attributes, name))

    def hear(self, name: str, argument: Any, answer: Any) -> None:
        """Keep the answer of an outermost call when it is about the scorer's `X`."""
        if argument is self.X:
            self._exact.setdefault(name, answer)
            return
        with suppress(TypeError):  # an argument that has no number of rows
            if _num_samples(argument) == _num_samples(self.X):
                self._alike.setdefault(name, []).append(answer)

    def stop(self) -> dict[str, Any]:
        """Give the methods back and return response method -> answer."""
        for attributes, name in self._shadowed:
            attributes.pop(name, None)
        alike = {name: answers[0] for name, answers in self._alike.items() if len(answers) == 1}
        return {**alike, **self._exact}


class ShadowedMethod:
    """Stands in for a bound method of a fitted estimator and tells a listener of each call.

    A copy that a scorer makes of the estimator (by pickle or deepcopy) takes a stand-in
    along that nobody listens to.
    """

    def __init__(
        self,
        estimator: Any = None,
        name: str = "",
        listener: Listener | None = None,
    ):
        self.estimator, self.__name__, self.listener = estimator, name, listener

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """The method itself; `inspect.signature` looks here."""
        owner = type(self.estimator)
        for base in owner.__mro__:
            if self.__name__ in base.__dict__:
                return base.__dict__[self.__name__].__get__(self.estimator, owner)
        # Handed out by the class's own __getattr__.
        return owner.__getattr__(self.estimator, self.__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        method, listener = self.__wrapped__, self.listener
        if listener is None:
            return method(*args, **kwargs)
        listener.depth += 1
        try:
            answer = method(*args, **kwargs)
        finally:
            listener.depth -= 1
        if listener.depth == 0:
            listener.hear(self.__name__, args[0] if args else kwargs.get("X"), answer)
        return answer

    def __reduce__(self) -> tuple[Any, ...]:
        # As state, not as arguments: the estimator holds this object and must come first.
        return ShadowedMethod, (), {**vars(self), "listener": None}


def _offers(estimator: Any, name: str) -> bool:
    try:
        return hasattr(estimator, name)
    # A property that raises something of its own; only the scorer may fail because of it.
    except Exception:
        return False


def _scoring_part(estimator: Any) -> Any:
    """Inner estimator whose ``score`` is called by `estimator`'s own, or None."""
    if isinstance(estimator, Pipeline) and estimator.steps:
        return estimator.steps[-1][1]
    if isinstance(estimator, BaseSearchCV):
        return getattr(estimator, "best_estimator_", None)
    return None


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
    """What a recording scorer must know of the search."""

    return_train_score: bool
    binary: bool


def score_and_record(
    score: Callable[..., Any],
    options: RecordingOptions,
    estimator: Any,
    X: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """Call the scorer and hang the estimator's answers on the first score it returns."""
    if options.return_train_score and _is_train_scoring(estimator):
        return score(estimator, X, *args, **kwargs)
    listener = Listener(estimator, X)
    try:
        scores = score(estimator, X, *args, **kwargs)
    finally:
        heard = listener.stop()
    try:
        responses = pack_responses(
            heard,
            getattr(estimator, "classes_", None),
            binary=options.binary,
            to_numpy=to_numpy,
        )
    # Whatever an estimator answers, the score is what the search needs. The reason travels
    # home and is told there, once.
    except Exception as error:
        responses = FoldResponses({}, problem=f"{type(error).__name__}: {error}")
    if responses is None:
        return scores
    if not isinstance(scores, dict):
        return _carry(scores, responses)
    for name, value in scores.items():
        carrier = _carry(value, responses)
        if carrier is not value:
            return {**scores, name: carrier}
    return scores


def _carry(score: Any, responses: FoldResponses) -> Any:
    if type(score) is float:
        return CarriedScore(score, responses)
    if hasattr(score, "item"):
        with suppress(ValueError):  # more than one number: scikit-learn will complain
            score = score.item()
    return CarriedScore(float(score), responses) if isinstance(score, numbers.Real) else score


class RecordingScorer:
    """A scorer that records; in everything else (routing, signature, repr) the scorer itself."""

    def __init__(self, scorer: Callable[..., Any], options: RecordingOptions):
        self._scorer, self._options = scorer, options

    def __call__(self, estimator: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        return score_and_record(self._scorer, self._options, estimator, X, args, kwargs)

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

    def __call__(self, estimator: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        return score_and_record(super().__call__, self._options, estimator, X, args, kwargs)
