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

from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    RegressorMixin,
    is_classifier,
    is_regressor,
)
from sklearn.metrics._scorer import _MultimetricScorer, _PassthroughScorer, _Scorer
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import _num_samples

from ._responses import FoldResponses, Keeper, ResponsePacker, out_of_memory

RESPONSE_METHODS = ("predict", "predict_proba", "decision_function")

_ABSENT: Any = object()
_AMBIGUOUS: Any = object()
_lock = threading.Lock()


class _OfThread(threading.local):
    """State of one thread."""

    def __init__(self) -> None:
        # Several where a scorer scores another model with a recording scorer.
        self.listeners: list[Listener] = []
        # Reference to the model that was scored last, for its training scores.
        self.scored: Any = None


_thread = _OfThread()

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
        self.shadows: list[ShadowedMethod] = []
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
            _give_back(self.shadows)
            raise
        _thread.listeners.append(self)

    def _shadow(self, estimator: Any, lasting: LastingShadows | None) -> None:
        if not isinstance(getattr(estimator, "__dict__", None), dict):
            return
        for name in self._names:
            bound = None
            # A property may raise something of its own; only the scorer may fail because of it.
            with suppress(Exception):
                bound = getattr(estimator, name, None)
            if bound is None:
                continue
            with _lock:
                method = _shadowed(estimator, name)
                self.shadows.append(method)
                if lasting is not None:
                    if id(method) not in lasting.methods:  # the search is one more user
                        lasting.methods[id(method)] = method
                        method.users += 1
                elif getattr(bound, "__self__", None) is estimator:
                    method.bound = bound

    def capture(self, name: str, argument: Any, answer: Any) -> None:
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
        _thread.listeners.remove(self)
        _give_back(self.shadows)
        alike = {name: kept for name, kept in self._alike.items() if kept is not _AMBIGUOUS}
        return {**alike, **self._exact}


class LastingShadows:
    """Stand-ins of shared objects that stay where they are until the search ends."""

    def __init__(self) -> None:
        self.methods: dict[int, ShadowedMethod] = {}

    def release(self) -> None:
        """Give the methods back."""
        methods, self.methods = self.methods, {}
        _give_back(methods.values())

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
        """Return the method itself; `inspect.signature` looks here."""
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
        for listener in reversed(_thread.listeners):
            if self in listener.shadows:
                break
        else:
            return method(*args, **kwargs)
        listener.depth += 1
        try:
            answer = method(*args, **kwargs)
        finally:
            listener.depth -= 1
        if listener.depth == 0:
            listener.capture(self.__name__, args[0] if args else kwargs.get("X"), answer)
        return answer

    def __reduce__(self) -> tuple[Any, ...]:
        # As state, not as arguments: the estimator holds this object and must come first.
        state = {k: v for k, v in vars(self).items() if v is not _ABSENT and k != "bound"}
        return ShadowedMethod, (), {**state, "users": 0}


def _shadowed(estimator: Any, name: str) -> ShadowedMethod:
    """Return the stand-in of a method, with one more user; `_lock` is held."""
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


def _scored_parts(estimator: Any) -> Iterator[tuple[Any, bool]]:
    """Yield the estimator and those whose ``score`` its own calls, and whether each is shared.

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


def _is_train_scoring(estimator: Any) -> bool:
    """Whether this is the second of the two scorings (test, then train) of one model."""
    last = _thread.scored
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
    """Settings of a search for its recording scorers."""

    return_train_score: bool
    binary: bool
    # Response methods that are recorded whether or not the scorer asks for them.
    also: tuple[str, ...] = ()
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
    keeper = options.keeper
    try:
        train = options.return_train_score and _is_train_scoring(estimator)
        if not train and not keeper.stopped:
            return _score_and_record(score, options, estimator, X, args, kwargs, asked)
        return score(estimator, X, *args, **kwargs)
    except MemoryError:
        # What was recorded may be what fills the memory; the score comes first. But a scorer may
        # also ask for more than there ever was: then only its own cell is lost.
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
    packer = ResponsePacker(lambda: getattr(estimator, "classes_", None), options.binary)
    problems: list[Exception] = []

    def keep(method: str, answer: Any) -> Any:
        # Whatever an estimator answers, the score is what the search needs. The reason
        # travels home and is named there, once.
        try:
            return packer.pack(method, answer)
        except Exception as error:
            problems.append(error)
            return None

    listener = Listener(estimator, X, keep, options.lasting, asked)
    try:
        scores = score(estimator, X, *args, **kwargs)
    finally:
        captured = listener.stop()
    if not captured and isinstance(score, _PassthroughScorer) and args and args[0] is not None:
        # The default score of a classifier or regressor that does not ask its own `predict`
        # (CatBoost's). Whether it is about these predictions is checked after the search.
        with suppress(Exception):  # also the tags of a stranger's estimator
            if is_classifier(estimator) or is_regressor(estimator):
                captured = {"predict": keep("predict", estimator.predict(X))}
    for name in options.also:
        if name not in captured:
            # A model without it, or that fails, has a score nevertheless; named after the search.
            with suppress(Exception):
                captured[name] = keep(name, getattr(estimator, name)(X))
    responses = packer.responses(captured)
    if problems:
        memory = next((error for error in problems if isinstance(error, MemoryError)), None)
        if memory is not None:
            responses = out_of_memory(memory)
        else:
            responses = responses or FoldResponses({})
            responses.problem = f"{type(problems[0]).__name__}: {problems[0]}"
    if responses is None:
        return scores
    options.keeper.add(responses)
    return carried(scores, responses)


def carried(scores: Any, responses: FoldResponses) -> Any:
    """Attach the responses to the score, or to the first of several that can carry them."""
    several = isinstance(scores, dict)
    for name, score in scores.items() if several else [("", scores)]:
        if not isinstance(score, float) and hasattr(score, "item"):  # NumPy's double is one
            with suppress(ValueError):  # more than one number: scikit-learn will complain
                score = score.item()
        if isinstance(score, numbers.Real):
            carrier = CarriedScore(float(score), responses)
            return {**scores, name: carrier} if several else carrier
    return scores


def responses_in(scores: Any) -> FoldResponses | None:
    """Return the responses that `carried` put onto a score, or None."""
    for score in scores.values() if isinstance(scores, dict) else [scores]:
        if type(score) is CarriedScore:
            return score.responses
    return None


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
