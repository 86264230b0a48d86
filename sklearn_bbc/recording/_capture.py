"""Capture what a model answers while a scorer runs, and keep it until the end of the search."""

from __future__ import annotations

import inspect
import mmap
import numbers
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sklearn
from scipy.sparse import issparse
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    RegressorMixin,
    is_classifier,
    is_regressor,
)
from sklearn.metrics._scorer import _MultimetricScorer, _PassthroughScorer, _Scorer
from sklearn.model_selection._validation import _score
from sklearn.utils._array_api import _convert_to_numpy, get_namespace
from sklearn.utils.validation import _check_response_method, _num_samples

from .._scorers import SURVIVAL, is_survival_response, listen, survival_response, times_of_response
from ..metrics._scikit_survival import times_asked
from ..metrics._survival import probabilities_in, survival_probabilities

PACKED_BYTES = 2**20
"""Small enough to be given back while the final arrays fill, large enough to be rare."""


class KeptBuffers:
    """Chunks of memory for copies of arrays, apart from all else.

    Arrays of a few kilobytes that live between those of the fits would keep the heap from
    shrinking when they are freed: the final arrays would come on top, and the process would
    hold everything twice. Chunks go back to the system as soon as their last array goes.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._chunk: mmap.mmap | None = None
        self._used = 0

    def keep(self, array: np.ndarray) -> np.ndarray:
        """Copy `array`, in C order."""
        if array.dtype.hasobject or not array.nbytes:
            return array.copy()
        chunk, start = self._place(array.nbytes)
        kept = np.ndarray(array.shape, array.dtype, chunk, start)
        kept[...] = array
        return kept

    def _place(self, size: int) -> tuple[mmap.mmap, int]:
        if size > PACKED_BYTES // 2:
            return _pages(size), 0
        with self._lock:
            start = -(-self._used // 64) * 64
            if self._chunk is None or start + size > PACKED_BYTES:
                self._chunk, start = _pages(PACKED_BYTES), 0
            self._used = start + size
            return self._chunk, start


def _pages(size: int) -> mmap.mmap:
    try:
        if sys.platform == "win32":
            return mmap.mmap(-1, size)
        # Private: a forked worker must not write into the pages of its parent.
        return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"no memory for {size} bytes of predictions") from error


_kept_buffers = KeptBuffers()
keep_buffer = _kept_buffers.keep


# Not frozen: one is made per fit, and freezing costs a microsecond.
@dataclass(slots=True, eq=False)
class FoldResponses:
    """Answers of one configuration on the test samples of one split.

    `arrays` has response method -> (n_test,) or (n_test, k); where `coded`, ``"predict"`` holds
    positions in `classes`, the sorted classes that the model saw in training. `problem` is why
    nothing could be kept, and `out_of_memory` whether that was for want of memory.
    """

    arrays: dict[str, np.ndarray]
    classes: np.ndarray | None = None
    coded: bool = False
    problem: str | None = None
    out_of_memory: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        # Four times as fast as leaving it to pickle, which matters: one travels per fit.
        flat = [(method, *_flat(array)) for method, array in self.arrays.items()]
        classes = None if self.classes is None else _flat(self.classes)
        return _unflattened, (flat, classes, self.coded, self.problem, self.out_of_memory)


def _flat(array: np.ndarray) -> tuple[Any, ...]:
    """Take an array apart: bytes, type and shape; objects have no bytes and stay."""
    if array.dtype.hasobject:
        return array, None, None
    return array.tobytes(), array.dtype.str, array.shape


def _kept_array(data: Any, dtype: str | None, shape: tuple[int, ...] | None) -> np.ndarray:
    if dtype is None:
        return data
    # The message itself is freed: see `KeptBuffers`.
    return keep_buffer(np.frombuffer(data, dtype).reshape(shape))


def _unflattened(
    flat: list[tuple[Any, ...]],
    classes: tuple[Any, ...] | None,
    coded: bool,
    problem: str | None,
    no_memory: bool,
) -> FoldResponses:
    try:
        arrays = {method: _kept_array(*parts) for method, *parts in flat}
        known = None if classes is None else _kept_array(*classes)
    except MemoryError as error:  # the score itself must arrive
        return out_of_memory(error)
    return FoldResponses(arrays, known, coded, problem, no_memory)


def out_of_memory(error: MemoryError) -> FoldResponses:
    """Make a placeholder for a fold whose predictions did not fit in memory."""
    return FoldResponses({}, problem=f"MemoryError: {error}", out_of_memory=True)


def to_numpy(array: Any) -> np.ndarray:
    """Bring an array of any array library, on any device, to NumPy."""
    if isinstance(array, np.ndarray) or not hasattr(array, "__array_namespace__"):
        return np.asarray(array)
    return np.asarray(_convert_to_numpy(array, get_namespace(array)[0]))


class ResponsePacker:
    """Packer of a model's answers into small arrays of their own, each when it is given.

    Classes come out sorted, whatever the order of the estimator's ``classes_``, and columns,
    signs and codes follow them. `ask_classes` returns these; it is called once, when there is
    something to pack. `binary` is whether the whole target has exactly two classes.
    """

    def __init__(self, ask_classes: Callable[[], Any], binary: bool):
        self._ask_classes, self._binary = ask_classes, binary
        self._known: tuple[Any, np.ndarray | None, np.ndarray | None] | None = None

    def _classes(self) -> tuple[Any, np.ndarray | None, np.ndarray | None]:
        """Return the classes as given, and sorted ones of one output with their order."""
        if self._known is None:  # `cached_property` takes a lock, which is slow
            given = self._ask_classes()
            classes = None if given is None or isinstance(given, list) else to_numpy(given)
            order = None
            if classes is not None and classes.ndim != 1:
                classes = None
            if classes is not None:
                with suppress(TypeError):  # labels without an order among them
                    listed = classes.tolist()
                    if listed != sorted(listed):  # of a few classes faster than asking NumPy
                        order = np.argsort(classes, kind="stable")
                        classes = classes[order]
            self._known = given, classes, order
        return self._known

    def pack(self, method: str, answer: Any) -> tuple[np.ndarray, bool] | None:
        """Copy what is kept of an answer: never the answer itself, nor a view of it."""
        given, classes, order = self._classes()
        if method != "predict" and isinstance(answer, list) and np.ndim(answer[0]) == 2:
            columns = _positive_columns(answer, given)
            return None if columns is None else (keep_buffer(columns), False)
        array = answer.toarray() if issparse(answer) else to_numpy(answer)
        if classes is not None and method == "predict":
            if array.ndim == 2 and array.shape[1] == 1:  # a column of labels
                array = array[:, 0]
            codes = _known_codes(array, classes) if array.ndim == 1 else None
            if codes is None:
                return keep_buffer(array), False
            return keep_buffer(codes.astype(np.uint8 if len(classes) <= 256 else np.int32)), True
        if classes is not None and order is not None:
            if array.ndim == 2 and array.shape[1] == len(classes):
                array = array[:, order]
            elif array.ndim == 1 and method == "decision_function" and len(classes) == 2:
                array = -array  # positive spoke for the class that comes first when sorted
        if method == "predict_proba" and self._binary and classes is not None:
            if array.shape[1:] == classes.shape == (2,):
                array = array[:, 1]
        return keep_buffer(array), False

    def responses(
        self, packed: Mapping[str, tuple[np.ndarray, bool] | None]
    ) -> FoldResponses | None:
        """Put together all that was packed; None when nothing was."""
        kept = {name: each for name, each in packed.items() if each is not None}
        if not kept:
            return None
        arrays = {name: array for name, (array, _) in kept.items()}
        return FoldResponses(arrays, self._classes()[1], "predict" in kept and kept["predict"][1])


def classes_of(estimator: Any) -> Any:
    """Return the classes of a classifier; None of others, which may have `classes_`, too."""
    classes = getattr(estimator, "classes_", None)
    with suppress(TypeError):  # a number
        if classes is None or not len(classes):
            return None
        with suppress(Exception):  # the tags of a stranger's estimator
            if is_regressor(estimator):
                return None
        return classes
    return None


def _known_codes(labels: np.ndarray, classes: np.ndarray) -> np.ndarray | None:
    """Find the labels in the sorted classes; None where one is not among them."""
    try:
        codes = classes.searchsorted(labels)
    except TypeError:  # labels that cannot be ordered against the classes
        return None
    return codes if (classes.take(codes, mode="clip") == labels).all() else None


def _positive_columns(answer: list[Any], classes: Any) -> np.ndarray | None:
    """Take the probability of label 1 for each output of a multilabel target.

    Models of several outputs return one array per output. With more than two classes in
    an output no scorer of scikit-learn can use them: they are left out.
    """
    columns = []
    for output, probabilities in enumerate(answer):
        probabilities = np.asarray(probabilities)
        n_known = probabilities.shape[1]
        if n_known > 2:
            return None
        if n_known == 2:
            columns.append(probabilities[:, 1])
        else:  # one label only in the training fold: its probability is 1, the other's 0
            known = np.asarray(classes[output])[0] if isinstance(classes, list) else 0
            columns.append(probabilities[:, 0] if known == 1 else 1 - probabilities[:, 0])
    return np.column_stack(columns)


class UnusableResponse(Exception):
    """Error for an answer of one model that does not fit the others'; names the reason."""


def in_class_order(
    method: str, responses: FoldResponses, classes: np.ndarray | None
) -> np.ndarray:
    """Bring one response of one model into the form that `OOFPredictions` keeps.

    `classes` (n_classes,) -> (n_test,).
    """
    values, known = responses.arrays[method], responses.classes
    if classes is None:
        if values.dtype.kind not in "fiub":
            raise UnusableResponse(f"{method} returned values of type {values.dtype}")
        return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values
    if known is not None and known.shape == classes.shape and (known == classes).all():
        known = None  # nothing to translate
        if method == "predict" and responses.coded:
            return values
    if method == "predict":
        labels = known if responses.coded and known is not None else values
        codes = _known_codes(labels, classes)
        if codes is None:
            raise UnusableResponse("predict returned labels that are not in the target")
        return codes if labels is values else codes[values]
    if method == "predict_proba":
        return _one_column_per_class(values, classes if known is None else known, classes)
    if known is not None:
        raise UnusableResponse(
            "decision_function of a model that did not see every class in training cannot be "
            "compared with the others' (predict_proba can)"
        )
    return values


def _one_column_per_class(
    values: np.ndarray, known: np.ndarray, classes: np.ndarray
) -> np.ndarray:
    """Fill probabilities (n_test, n_classes) with 0 for a class that the model never saw."""
    if values.ndim == 1:  # the column of the positive class was all that travelled
        return values
    if values.shape[1] != len(known) or not np.isin(known, classes).all():
        raise UnusableResponse(
            f"predict_proba returned {values.shape[1]} columns for {len(known)} classes"
        )
    if len(known) < len(classes):
        dtype = values.dtype if values.dtype.kind == "f" else np.float64
        full = np.zeros((len(values), len(classes)), dtype)
        full[:, classes.searchsorted(known)] = values
        values = full
    return values[:, 1] if len(classes) == 2 else values


RESPONSE_METHODS = ("predict", "predict_proba", "decision_function")

_ABSENT: Any = object()
_AMBIGUOUS: Any = object()
_shadow_lock = threading.Lock()


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
    """Listener to the answers of a fitted estimator while one scorer runs in one thread.

    The response methods are shadowed by instance attributes for that time. Only the
    outermost call counts (``predict`` may call ``decision_function``), and of several calls
    the first on the very `X` that the scorer was given. A scorer that converts `X` first, or
    a pipeline that scores by its last step, is recognised by the number of rows; if it asks
    more than once in this way, the answer is not known to belong to `X` and is dropped.

    `X` is what the scorer is given. `keep` is called with a method's name and its answer at once,
    before the scorer can change the answer or the estimator use its memory again, and returns
    what shall be kept. In `lasting` the stand-ins of objects that threads share stay; None takes
    them off when the listener stops. `asked` are the only response methods that the scorer asks,
    and of `estimator` itself; None when that is not known. `also` are further methods.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        keep: Callable[[str, Any], Any],
        lasting: LastingShadows | None = None,
        asked: tuple[str, ...] | None = None,
        also: tuple[str, ...] = (),
    ):
        self.X, self.keep = X, keep
        self._names = (RESPONSE_METHODS if asked is None else asked) + also
        self.depth = 0
        self._exact: dict[str, Any] = {}
        self._alike: dict[str, Any] = {}
        self.shadows: list[ShadowedMethod] = []
        try:
            if asked is not None and type(estimator) is sklearn.pipeline.Pipeline:
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
        self._stop_listening = listen(self.capture)

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
            with _shadow_lock:
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
        self._stop_listening()
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
    """Stand-in for a bound method of a fitted estimator that reports each call to a listener.

    A copy that a scorer makes of the estimator (by pickle or deepcopy) takes a stand-in
    along that nobody listens to.
    """

    def __init__(self, estimator: Any = None, name: str = "", original: Any = _ABSENT):
        self.estimator, self.__name__, self.original = estimator, name, original
        self.bound: Any = _ABSENT  # what `__wrapped__` would find, for the time of one scoring
        self.users = 0

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """The method itself, which `inspect.signature` looks for here."""
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
    """Return the stand-in of a method, with one more user; `_shadow_lock` is held."""
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
    """Count one user less; restore the methods without any."""
    with _shadow_lock:
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
    """Find the inner estimator whose ``score`` may be called by `estimator`'s own, or None."""
    if isinstance(estimator, sklearn.pipeline.Pipeline):
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
    """Check whether this is the second of the two scorings (test, then train) of one model."""
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

    return_train_score: bool = False
    # Whether the target has exactly two classes.
    binary: bool = False
    # Whether predictions are recorded at all.
    wanted: bool = True
    # Response methods that are recorded whether or not the scorer asks for them.
    also: tuple[str, ...] = ()
    # What stands for a score that cannot be computed; "raise" stops the search.
    error_score: Any = "raise"
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
    """Call the scorer and attach the estimator's answers to the first score it returns.

    Where it raises after the estimator has answered, as the log loss does on samples of one class,
    the answers are attached to the score that scikit-learn puts in its place.
    """
    if options.return_train_score and _is_train_scoring(estimator):
        return score(estimator, X, *args, **kwargs)
    try:
        return _score_and_record(score, options, estimator, X, args, kwargs, asked)
    except MemoryError as error:  # the score comes first
        lost = out_of_memory(error)
    return carried(score(estimator, X, *args, **kwargs), lost)


def _score_and_record(
    score: Callable[..., Any],
    options: RecordingOptions,
    estimator: Any,
    X: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    asked: tuple[str, ...] | None,
) -> Any:
    packer = ResponsePacker(lambda: classes_of(estimator), options.binary)
    problems: list[Exception] = []
    passes = isinstance(score, _PassthroughScorer)
    times = times_asked(estimator) if passes else None
    captured: dict[str, Any] = {}

    def keep(method: str, answer: Any) -> Any:
        # Whatever an estimator answers, the score is what the search needs. The reason
        # travels home and is named there, once.
        try:
            if method == SURVIVAL and times is not None:
                answer = probabilities_in(answer, times)
            return packer.pack(method, answer)
        except Exception as error:
            problems.append(error)
            return None

    def listened() -> Any:
        also = () if times is None else (SURVIVAL,)
        listener = Listener(estimator, X, keep, options.lasting, asked, also)
        try:
            return score(estimator, X, *args, **kwargs)
        finally:
            captured.update(listener.stop())

    def answers() -> FoldResponses | None:
        if times is not None and SURVIVAL in captured:
            captured[survival_response(times)] = captured.pop(SURVIVAL)
        if not captured and passes and args and args[0] is not None:
            # The default score of a classifier or regressor that does not ask its own `predict`
            # (CatBoost's). Whether it is about these predictions is checked after the search.
            with suppress(Exception):  # also the tags of a stranger's estimator
                if is_classifier(estimator) or is_regressor(estimator):
                    captured["predict"] = keep("predict", estimator.predict(X))
        for name in options.also:
            if name in captured:
                continue
            # A model without it, or that fails, has a score nevertheless; named after the search.
            if is_survival_response(name):
                try:
                    answer = survival_probabilities(estimator, X, times_of_response(name))
                except Exception as error:  # of a time, or of an option: users want to know why
                    problems.append(error)
                else:
                    captured[name] = keep(name, answer)
            else:
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
        return responses

    def ask_again() -> None:
        # Of a model that did not learn the positive class, scikit-learn raises before it asks.
        scorers = getattr(getattr(score, "__self__", None), "_scorers", {"": score})
        for scorer in scorers.values():
            with suppress(Exception):
                ask = _check_response_method(estimator, scorer._response_method)
                if ask.__name__ not in captured:
                    captured[ask.__name__] = keep(ask.__name__, ask(X))

    try:
        scores = listened()
    except MemoryError:
        raise
    except Exception as error:
        if options.error_score == "raise":
            raise
        ask_again()
        if (responses := answers()) is None:
            raise
        return carried(_error_scores(error, options.error_score), responses)
    if isinstance(scores, dict) and any(isinstance(each, str) for each in scores.values()):
        ask_again()
    responses = answers()
    if responses is None:
        return scores
    if isinstance(scores, dict) and all(isinstance(each, str) for each in scores.values()):
        scores = _error_scores(scores, options.error_score)
    return carried(scores, responses)


class _FailedScores(_MultimetricScorer):
    """Scorer of several metrics that returns the errors, as texts, of an earlier call."""

    def __call__(self, estimator: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        return dict(self._scorers)


def _error_scores(failed: Any, error_score: Any) -> Any:
    """Let scikit-learn warn of a scorer's error, or errors by metric, and put `error_score`."""

    def failing(*_: Any) -> float:
        raise failed

    if isinstance(failed, dict):
        return _score(
            None, None, None, _FailedScores(scorers=failed, raise_exc=False), {}, error_score
        )
    try:
        return _score(None, None, None, failing, {}, error_score)
    finally:
        failed.__traceback__ = None  # its frames hold the model and the data, and would hold it


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
    """List the response methods that scorers ask of an estimator itself; None when unknown.

    Scorers made by `make_scorer` name them. Others may call `score`, or anything else.
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


def plain_scorer(scorer: Any) -> Any:
    """Return the scorer that was made to record, or what was given."""
    return scorer._scorer if isinstance(scorer, RecordingScorer) else scorer


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
