"""Stand in for the response methods of a fitted estimator while a scorer runs.

One object can be scored in several threads at a time: `clone` gives a `FrozenEstimator` back
as it is. So a method is shadowed once, however many listen, and every call looks for the
listener of its own thread. Such an object keeps its stand-ins until the search ends, since
other threads walk over its attributes all the time (`check_is_fitted` does), and these must
not come and go meanwhile.
"""

from __future__ import annotations

import inspect
import numbers
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    RegressorMixin,
    is_classifier,
    is_regressor,
)
from sklearn.metrics._scorer import _MultimetricScorer, _PassthroughScorer, _Scorer
from sklearn.pipeline import Pipeline
from sklearn.utils._array_api import _convert_to_numpy, get_namespace
from sklearn.utils.validation import _num_samples

from ._responses import FoldResponses, Keeper, ResponsePacker, out_of_memory

RESPONSE_METHODS = ("predict", "predict_proba", "decision_function")

_ABSENT: Any = object()
_AMBIGUOUS: Any = object()
_lock = threading.Lock()
_thread = threading.local()

# These ask the estimator's own `predict`.
_ASKING_SCORES = (ClassifierMixin.score, RegressorMixin.score)


class Listener:
    """Hears what a fitted estimator answers while one scorer runs in one thread.

    The response methods are shadowed by instance attributes for that time. Only the
    outermost call counts (``predict`` may call ``decision_function``), and of several calls
    the first on the very `X` that the scorer was given. A scorer that converts `X` first, or
    a pipeline that scores by its last step, is recognised by the number of rows; if it asks
    more than once in this way, the answer is not known to belong to `X` and is dropped.

    Parameters
    ----------
    estimator : object
        The fitted estimator.
    X : array-like
        What the scorer is given.
    keep : callable
        Called with a method's name and its answer at once, before the scorer can change the
        answer or the estimator use its memory again; returns what shall be kept.
    lasting : LastingShadows or None, default=None
        Where the stand-ins of objects that threads share stay. None takes them off when
        the listener stops.
    asked : tuple of str or None, default=None
        The only response methods that the scorer asks, and of `estimator` itself. None when that
        is not known.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        keep: Callable[[str, Any], Any],
        lasting: LastingShadows | None = None,
        asked: tuple[str, ...] | None = None,
    ):
        self.X, self.keep = X, keep
        self._names = RESPONSE_METHODS if asked is None else asked
        self.depth = 0
        self._exact: dict[str, Any] = {}
        self._alike: dict[str, Any] = {}
        self._shadows: list[ShadowedMethod] = []
        try:
            if asked is not None and type(estimator) is Pipeline:
                # Its last step is asked by the pipeline only, and `clone` copies pipelines.
                self._shadow(estimator, None)
                parts: Iterable[tuple[Any, bool]] = ()
            else:
                parts = _scored_parts(estimator)
            for part, shared in parts:
                self._shadow(part, lasting if shared else None)
        except BaseException:
            _give_back(self._shadows)
            raise
        _listeners().append(self)

    def _shadow(self, estimator: Any, lasting: LastingShadows | None) -> None:
        if not isinstance(getattr(estimator, "__dict__", None), dict):
            return
        for name in self._names:
            bound = _offered(estimator, name)
            if bound is not None:
                with _lock:
                    method = _shadowed(estimator, name)
                    self._shadows.append(method)
                    if lasting is not None:
                        lasting.hold(method)
                    elif getattr(bound, "__self__", None) is estimator:
                        method.bound = bound

    def knows(self, method: ShadowedMethod) -> bool:
        """Whether this listener wants to hear of the method."""
        return method in self._shadows

    def hear(self, name: str, argument: Any, answer: Any) -> None:
        """Keep the answer of an outermost call when it is about the scorer's `X`."""
        if argument is self.X:
            if name not in self._exact:
                self._exact[name] = self.keep(name, answer)
            return
        with suppress(TypeError):  # an argument that has no number of rows
            if _num_samples(argument) == _num_samples(self.X):
                again = name in self._alike
                self._alike[name] = _AMBIGUOUS if again else self.keep(name, answer)

    def stop(self) -> dict[str, Any]:
        """Give the methods back and return response method -> what was kept of its answer."""
        _listeners().remove(self)
        _give_back(self._shadows)
        alike = {name: kept for name, kept in self._alike.items() if kept is not _AMBIGUOUS}
        return {**alike, **self._exact}


class LastingShadows:
    """Stand-ins of shared objects that stay where they are until the search ends."""

    def __init__(self) -> None:
        self._methods: dict[int, ShadowedMethod] = {}

    def hold(self, method: ShadowedMethod) -> None:
        """Count as one more user; `_lock` is held."""
        if id(method) not in self._methods:
            self._methods[id(method)] = method
            method.users += 1

    def release(self) -> None:
        """Give the methods back."""
        methods, self._methods = list(self._methods.values()), {}
        _give_back(methods)

    def __reduce__(self) -> tuple[Any, ...]:
        return LastingShadows, ()


class ShadowedMethod:
    """Stands in for a bound method of a fitted estimator and tells a listener of each call.

    A copy that a scorer makes of the estimator (by pickle or deepcopy) takes a stand-in
    along that nobody listens to.
    """

    def __init__(self, estimator: Any = None, name: str = "", original: Any = _ABSENT):
        self.estimator, self.__name__, self.original = estimator, name, original
        self.bound: Any = _ABSENT  # what `__wrapped__` would find, for the time of one scoring
        self.users = 0

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """The method itself; `inspect.signature` looks here."""
        if self.original is not _ABSENT:
            return self.original
        owner = type(self.estimator)
        for base in owner.__mro__:
            if self.__name__ in base.__dict__:
                return base.__dict__[self.__name__].__get__(self.estimator, owner)
        # Handed out by the class's own __getattr__.
        return owner.__getattr__(self.estimator, self.__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        method = self.bound if self.bound is not _ABSENT else self.__wrapped__
        for listener in reversed(_listeners()):
            if listener.knows(self):
                break
        else:
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
        state = {k: v for k, v in vars(self).items() if v is not _ABSENT and k != "bound"}
        return ShadowedMethod, (), {**state, "users": 0}


def _listeners() -> list[Listener]:
    """Listeners of this thread; a scorer may score another model with a recording scorer."""
    if not hasattr(_thread, "listeners"):
        _thread.listeners = []
    return _thread.listeners


def _shadowed(estimator: Any, name: str) -> ShadowedMethod:
    """The stand-in of a method, with one more user; `_lock` is held."""
    attributes = vars(estimator)
    method = attributes.get(name, _ABSENT)
    if not isinstance(method, ShadowedMethod) or method.estimator is not estimator:
        # The stand-in of another estimator came along with a shallow copy of it.
        original = _ABSENT if isinstance(method, ShadowedMethod) else method
        # Past any `__setattr__` of the class.
        method = attributes[name] = ShadowedMethod(estimator, name, original)
    method.users += 1
    return method


def _give_back(methods: Iterable[ShadowedMethod]) -> None:
    """One user less; methods without any become what they were."""
    with _lock:
        for method in methods:
            method.users -= 1
            attributes = vars(method.estimator)
            if method.users or attributes.get(method.__name__) is not method:
                continue  # still in use, or replaced by the scorer
            if method.original is _ABSENT:
                del attributes[method.__name__]
            else:
                attributes[method.__name__] = method.original


def _offered(estimator: Any, name: str) -> Any:
    """A method as the scorer would find it; None when there is none."""
    try:
        return getattr(estimator, name, None)
    # A property that raises something of its own; only the scorer may fail because of it.
    except Exception:
        return None


def _scored_parts(estimator: Any) -> Iterator[tuple[Any, bool]]:
    """The estimator and those inside whose ``score`` its own calls, and whether each is shared.

    Shared are objects that `clone` gives back as they are, and what is in them.
    """
    seen: list[Any] = []
    shared = False
    while estimator is not None and not any(each is estimator for each in seen):
        seen.append(estimator)
        clone = getattr(type(estimator), "__sklearn_clone__", None)
        shared = shared or clone not in (None, BaseEstimator.__sklearn_clone__)
        yield estimator, shared
        estimator = _scoring_part(estimator)


def _scoring_part(estimator: Any) -> Any:
    """Inner estimator whose ``score`` may be called by `estimator`'s own, or None."""
    if isinstance(estimator, Pipeline):
        return estimator.steps[-1][1] if estimator.steps else None
    if getattr(type(estimator), "score", None) in _ASKING_SCORES:
        return None
    attributes = getattr(estimator, "__dict__", {})
    # Searches; RFE, RANSAC, self-training and others; FrozenEstimator.
    for name in ("best_estimator_", "estimator_", "estimator"):
        if hasattr(attributes.get(name), "score"):
            return attributes[name]
    return None


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


_thread_of_listening = threading.local()


def _is_train_scoring(estimator: Any) -> bool:
    """Whether this is the second of the two scorings (test, then train) of one model."""
    last = getattr(_thread_of_listening, "scored", None)
    if last is not None and last() is estimator:
        _thread_of_listening.scored = None
        return True
    try:
        _thread_of_listening.scored = weakref.ref(estimator)
    except TypeError:  # no weak references to this class: keep it alive until the next model
        _thread_of_listening.scored = lambda: estimator
    return False


@dataclass(frozen=True, slots=True)
class RecordingOptions:
    """What a recording scorer must know about the search."""

    return_train_score: bool
    binary: bool
    keeper: Keeper = field(default_factory=Keeper)
    lasting: LastingShadows = field(default_factory=LastingShadows)


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
    packer = ResponsePacker(
        lambda: getattr(estimator, "classes_", None), binary=options.binary, to_numpy=to_numpy
    )
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
    """Return the responses that `carried` put onto a score, or None."""
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
