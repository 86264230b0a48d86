"""Stand in for the response methods of a fitted estimator while a scorer runs.

One object can be scored in several threads at a time: `clone` gives a `FrozenEstimator` back
as it is. So a method is shadowed once, however many listen, and every call looks for the
listener of its own thread. Such an object keeps its stand-ins until the search ends, since
other threads walk over its attributes all the time (`check_is_fitted` does), and these must
not come and go meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import _num_samples

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
