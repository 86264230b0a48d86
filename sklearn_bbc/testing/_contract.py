"""One contract for each kind of class, and the checks of interval methods and comparisons.

A `Case` is how a kind of method is made and called; a check is written once for all kinds that
it holds for.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import pickle
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from joblib import parallel_config
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

from ..comparison._base import BaseComparison, Side
from ..comparison._base import registered as registered_comparisons
from ..comparison._tied_methods import TiedMethod
from ..display._base import BaseDisplay
from ..exceptions import IntervalWarning
from ..intervals._base import BaseInterval
from ..intervals._base import registered as registered_intervals
from ..intervals._refit_base import RefitInterval, registered_refits
from ..metrics._metric import as_metric
from ..predictions._predictions import OOFPredictions
from ..results._results import ComparisonResult, ConfidenceInterval
from ..selection._base import Selection
from ._common import (
    OF_INTERVALS,
    assert_documented,
    assert_parameters,
    assert_refused,
    assert_registered,
    assert_same,
    example_predictions,
    has_bounds,
    no_global_seed,
    quickly,
)
from ._displays import DISPLAY_CHECKS
from ._rules import SELECTION_CHECKS, TIED_CHECKS

Sides = tuple[Side, Side]
Refusals = Iterator[tuple[Callable[[], Any], str, str]]
"""What has to be refused: the call, a word of the message, what is wrong."""


class Case(ABC):
    """A method with few draws and a seed, a metric, and what it is computed on.

    Parameters
    ----------
    method : object or class
        Method to check.
    scoring : str, scorer, Metric or None
        The metric; None takes the first that the method does not refuse.
    data : object
        What the kind of method takes; None makes an example.
    """

    result_type: ClassVar[type] = ConfidenceInterval
    compared: ClassVar[tuple[str, ...]] = OF_INTERVALS
    quick: ClassVar[dict[str, Any]] = {}
    registry: Callable[[], dict[str, Any]]

    def __init__(self, method: Any, scoring: Any = None, data: Any = None) -> None:
        self.method = quickly(method, **self.quick)
        self.data = self.example() if data is None else data
        self.scoring = self._first_accepted() if scoring is None else scoring

    @staticmethod
    @abstractmethod
    def example() -> Any:
        """Make data to try methods on."""

    @abstractmethod
    def call(self, method: Any, scoring: Any, data: Any) -> Any:
        """Compute the result."""

    @abstractmethod
    def refusals(self) -> Refusals:
        """Yield what only this kind of method has to refuse."""

    def _first_accepted(self) -> str:
        *first, last = "roc_auc", "accuracy", "f1"
        for self.scoring in first:
            try:
                self.run()
            except ValueError:  # a method for certain metrics
                continue
            return self.scoring
        return last  # not tried, so that its error is seen

    def run(self, data: Any = None, *, by: Any = None, **params: Any) -> Any:
        """Run a copy of the method with other parameters, quietly."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return self.call(
                clone(self.method).set_params(**params),
                self.scoring if by is None else by,
                self.data if data is None else data,
            )

    def assert_same(self, one: Any, other: Any, what: str) -> None:
        assert_same(one, other, what, self.compared)

    def range(self) -> tuple[float, float]:
        """Least and largest result that there can be."""
        return as_metric(self.scoring).bounds


class IntervalCase(Case):
    """Methods on predictions; the data are OOFPredictions."""

    registry = staticmethod(registered_intervals)
    example = staticmethod(example_predictions)

    def call(self, method: Any, scoring: Any, data: Any) -> ConfidenceInterval:
        return method.estimate(data, scoring)

    def refusals(self) -> Refusals:
        run, oof, requires = self.run, self.data, type(self.method).requires
        yield lambda: run(oof.y_true), "OOFPredictions", "a plain array"
        yield lambda: run(by=[self.scoring]), "scoring", "a list of metrics"
        if "predictions" in requires:
            scores = {"roc_auc": np.full((oof.n_splits, 1), 0.5)}
            only_folds = OOFPredictions(y_true=oof.y_true, fold_scores=scores)
            yield lambda: run(only_folds, by="roc_auc"), "predictions", "fold scores"
        if "binary" in requires:
            three = example_predictions(n_classes=3)
            yield lambda: run(three, by="roc_auc_ovr"), "2 classes", "three classes"
        if "folds" in requires:
            yield lambda: run(example_predictions(n_folds=1)), "fold", "a single fold"


class RefitCase(Case):
    """Methods that train models; the data are an estimator, X and y."""

    registry = staticmethod(registered_refits)
    quick: ClassVar[dict[str, Any]] = {
        "n_bootstraps": 20, "n_repetitions": 1, "n_folds": 3, "n_outer": 2, "n_inner": 3, "cv": 3,
        "verbose": 0,
    }  # fmt: skip

    @staticmethod
    def example() -> tuple[Any, np.ndarray, np.ndarray]:
        y = np.tile([0, 1], 24)
        X = np.random.default_rng(0).normal(size=(48, 2)) + 0.7 * y[:, None]
        return KNeighborsClassifier(5), X, y

    def _first_accepted(self) -> str:
        return "accuracy"

    def call(self, method: Any, scoring: Any, data: Any, **params: Any) -> ConfidenceInterval:
        return method.estimate(*data, scoring=scoring, **params)

    def refusals(self) -> Refusals:
        run, (estimator, X, y) = self.run, self.data
        yield lambda: run((estimator, X[:9], y)), "X has 9", "other lengths"
        yield lambda: run(("svm", X, y)), "estimator", "a name"
        call = partial(self.call, self.method, self.scoring, self.data)
        yield lambda: call(groups=[0]), "groups", "one group"


class ComparisonCase(Case):
    """Comparisons; the data are two sides."""

    result_type = ComparisonResult
    compared = ("difference", "low", "high", "statistic", "p_value", "draws")
    registry = staticmethod(registered_comparisons)

    @staticmethod
    def example() -> Sides:
        oof = example_predictions()
        return Side(oof=oof, config=3), Side(oof=oof, config=0)

    def call(self, method: Any, scoring: Any, data: Any) -> ComparisonResult:
        return method.compare(*data, scoring)

    def range(self) -> tuple[float, float]:
        low, high = as_metric(self.scoring).bounds
        return low - high, high - low

    def refusals(self) -> Refusals:
        run, (first, second) = self.run, self.data
        y, responses = second.oof.y_true, second.oof.responses
        yield lambda: run((first.oof.y_true, second)), "OOFPredictions", "a plain array"
        yield lambda: self.method.compare(first, second, None), "scoring", "no metric"
        yield lambda: run((first, first)), "nothing to compare", "the same side twice"
        other = Side(oof=example_predictions(n_samples=54))
        yield lambda: run((first, other)), "samples", "other samples"
        if second.oof.n_rows:
            turned = OOFPredictions(y_true=y[::-1], responses=responses, fold=second.oof.fold)
            yield (
                lambda: run((first, Side(oof=turned, config=0))),
                "target values",
                "another order",
            )
            cut = OOFPredictions(y_true=y, responses=responses, fold=second.oof.sample % 3)
            yield lambda: run((first, Side(oof=cut, config=0))), "folds", "other folds"


def case_of(method: Any, scoring: Any = None, data: Any = None) -> Any:
    """Make the case of the kind of method."""
    cls = method if isinstance(method, type) else type(method)
    for base, case in ((RefitInterval, RefitCase), (BaseComparison, ComparisonCase)):
        if issubclass(cls, base):
            return case(method, scoring, data)
    return IntervalCase(method, scoring, data)


def check_registration(method: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that the name leads to the class; parameters are stored as given, by keyword only."""
    case = case_of(method, scoring, data)
    cls = type(case.method)
    assert_registered(cls, case.registry())
    assert_parameters(case.method)
    if isinstance(case, ComparisonCase):
        assert isinstance(cls.label, str) and cls.label, "label says the method in a sentence"


def check_result(method: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that the result is complete, ordered, and leaves the method as it was."""
    case = case_of(method, scoring, data)
    method, before = case.method, case.method.get_params()
    result = case.run()
    assert isinstance(result, case.result_type)
    assert result.metric == as_metric(case.scoring).name
    assert result.confidence_level == method.confidence_level
    assert result.alternative == "two-sided"
    assert np.isfinite(getattr(result, case.compared[0])), f"there is no {case.compared[0]}"
    if has_bounds(result):
        assert result.low <= result.high, "bounds are out of order"
    if isinstance(result, ComparisonResult):
        _assert_comparison(result, method)
    elif not has_bounds(result):
        assert result.details.get("reason"), "details['reason'] says why there is no bound"
    if isinstance(case, IntervalCase) and method.selection_aware:
        assert "winner" in result.details, "details do not name the winner"
    assert method.get_params() == before, "the parameters were changed"
    copied = pickle.loads(pickle.dumps(result))
    case.assert_same(copied, result, "after pickling")
    assert copied.to_dict().keys() == result.to_dict().keys()
    case.method = pickle.loads(pickle.dumps(method))
    case.assert_same(case.run(), result, "a pickled method")


def _assert_comparison(result: ComparisonResult, method: BaseComparison) -> None:
    assert result.method == method.name and result.label == method.label
    assert len(result.details["scores"]) == 2, "details['scores'] has the score of each side"
    if np.isnan(result.p_value):
        assert not has_bounds(result) or "probabilities" in result.details, (
            "without a p-value, details['probabilities'] or the bounds' absence says why"
        )
    else:
        assert 0 <= result.p_value <= 1, "p-values lie between 0 and 1"
    sentence = result.summary().lower()
    assert all(name.lower() in sentence for name in result.names), "the sentence names the sides"


def check_seed(method: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that the same seed gives the same bits, whatever the global random state is."""
    case = case_of(method, scoring, data)
    with no_global_seed():
        first = case.run()
    case.assert_same(case.run(), first, "with the same seed")
    seeded = isinstance(case, IntervalCase) and "random_state" in case.method.get_params()
    if seeded and first.draws is not None:
        generator = np.random.RandomState(0)
        one, other = (np.asarray(case.run(random_state=generator).draws) for _ in range(2))
        sampled = not first.details.get("exact", False)
        assert sampled != np.array_equal(one, other), "a RandomState object must be consumed"


def check_workers(method: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that number of workers and size of batches change no bit."""
    case = case_of(method, scoring, data)
    expected = case.run()
    with config_context(working_memory=0.001):  # MiB: one block of draws at a time
        case.assert_same(case.run(), expected, "in small batches")
    if "n_jobs" in case.method.get_params():
        with parallel_config(backend="threading"):
            case.assert_same(case.run(n_jobs=2), expected, "with two workers")


def check_sides(method: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that one-sided intervals and tests are half of two-sided ones of twice the error.

    Not the bounds of a method with ``halves = False``.
    """
    case = case_of(method, scoring, data)
    worst, best = case.range()
    both = case.run(confidence_level=0.8)
    lower = case.run(confidence_level=0.9, alternative="greater")
    upper = case.run(confidence_level=0.9, alternative="less")
    if has_bounds(both):
        ends = [lower.low, upper.high], list(both)
        if getattr(case.method, "halves", True):
            np.testing.assert_allclose(*ends, rtol=1e-9, atol=1e-12, err_msg="not half of it")
        assert lower.high == best, "'greater' leaves the largest possible value at the top"
        assert upper.low == worst, "'less' leaves the smallest possible value at the bottom"
    if isinstance(both, ComparisonResult) and not np.isnan(both.p_value):
        smaller = min(lower.p_value, upper.p_value)
        assert smaller <= both.p_value, "a two-sided p-value is not below a one-sided one"
        assert lower.p_value + upper.p_value >= 1 - 1e-9, "one-sided p-values sum to 1 at least"


def check_levels(method: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that a higher level gives no narrower interval, nor another p-value."""
    case, inner = case_of(method, scoring, data), None
    for level in (0.1, 0.5, 0.8, 0.95, 0.99):
        outer = case.run(confidence_level=level)
        if inner is not None and has_bounds(inner) and has_bounds(outer):
            nested = outer.low <= inner.low and inner.high <= outer.high
            assert nested, f"the interval at {level} does not hold the one below"
            if isinstance(case, ComparisonCase):
                np.testing.assert_equal(outer.p_value, inner.p_value, "p depends on the level")
        inner = outer


class _Negative:
    """The negative of a score function or scorer, without a kernel."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> float:
        return -self.function(*args, **kwargs)


def check_orientation(method: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that a loss gives what its negative gives as a score; a refit its mirror image."""
    case = case_of(method, scoring, data)
    metric = as_metric(case.scoring)
    refits = isinstance(case, RefitCase)
    if refits:
        loss = replace(metric, scorer=_Negative(metric.scorer), score_func=None)
    else:
        loss = replace(metric, score_func=_Negative(metric.score_func), sign=-metric.sign)
        if "n_bootstraps" in case.method.get_params():
            case.method.set_params(n_bootstraps=30)
    expected = case.run(by=metric)
    try:
        found = case.run(by=loss)
    except ValueError:
        return  # a method for certain metrics does not know this function
    # The range of the negative is unknown, so its bounds are not cut.
    low, high = expected.details.get("unclipped", tuple(expected))
    numbers = [expected.estimate, low, high]
    if refits:
        numbers = [-expected.estimate, found.low, found.low + (high - low)]
    found_numbers = [found.estimate, *found.details.get("unclipped", tuple(found))]
    what = "estimate or bounds change when a score is written as a loss"
    np.testing.assert_allclose(found_numbers, numbers, rtol=1e-9, atol=1e-12, err_msg=what)


def check_refusals(method: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that bad input is one ValueError that names what is wrong."""
    case = case_of(method, scoring, data)
    bad: dict[str, tuple[Any, ...]] = {
        "confidence_level": (0, 1, 95, -0.1, "a", None), "alternative": ("both",),
    }  # fmt: skip
    if "n_bootstraps" in case.method.get_params():
        bad["n_bootstraps"] = (0, 19, 20.5, None, True)
    for name, values in bad.items():
        for value in values:
            assert_refused(partial(case.run, **{name: value}), name, f"{name}={value!r}")
    assert_refused(lambda: case.run(by="no_such_metric"), "no_such_metric", "its name")
    for call, word, what in case.refusals():
        assert_refused(call, word, what)


def check_documentation(method: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that the class has its facts, and a docstring with `details` and an example."""
    case = case_of(method, scoring, data)
    cls = type(case.method)
    assert_documented(cls, case.run().details)
    text = inspect.getdoc(cls) or ""
    if isinstance(case, RefitCase):
        assert "fits" in text, "the docstring does not give the cost in fits"
    if isinstance(case, ComparisonCase):
        assert "scores" in text, "the docstring does not mention the scores"
        assert cls.assumptions and all(
            each and each[0].isupper() and each.endswith(".") for each in cls.assumptions
        ), "assumptions are sentences, each with a full stop"


def check_selection(method: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that the result says whether the choice among configurations is accounted for."""
    case = IntervalCase(method, scoring, data)
    method, oof = case.method, case.data
    result, alone = case.run(), case.run(_like(oof, configs=[0]))
    notes, notes_alone = (" ".join(each.details.get("notes", [])) for each in (result, alone))
    if type(method).selection_aware:
        assert "configuration" in notes_alone or "reason" in alone.details, (
            "notes say that a single configuration needs no correction"
        )
        return
    assert method.get_params()["config"] is None, "config=None is the winner, and the default"
    winner = result.details["winner"]
    assert result.details["config"] == winner, "without config the winner is meant"
    assert result.details["selection_accounted_for"] is False, "nobody accounts for the selection"
    assert "does not account" in notes, "notes say that the selection is not accounted for"
    other = 0 if winner else 1
    named = case.run(config=other)
    for fixed in (named, alone):
        assert fixed.details["selection_accounted_for"] is True, "nothing was selected"
        assert "does not account" not in " ".join(fixed.details.get("notes", []))
    assert named.details["config"] == other, "config is not the configuration that was asked for"
    expected = case.run(_like(oof, configs=[other]))
    np.testing.assert_allclose(
        named.estimate, expected.estimate, rtol=1e-9, err_msg="config changes nothing"
    )
    for wrong in (-1, oof.n_configs, 0.5, True, "best"):
        assert_refused(partial(case.run, config=wrong), "config", f"{wrong!r}")


def check_failures(method: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that too small classes and folds are named, and constant predictions scored."""
    case = IntervalCase(method, scoring, data)
    if case.data.classes_ is None or len(case.data.classes_) != 2:
        try:
            case = IntervalCase(method)
            case.run()
        except ValueError:
            return  # not a method for classes
    oof = case.data
    first, second = np.asarray(oof.classes_)
    one = np.where(np.arange(oof.n_samples) == 3, second, first)
    _defined_or_named(partial(case.run, _like(oof, y_true=one)), "one of a class")
    in_first = np.isin(np.arange(oof.n_samples), oof.sample[oof.fold == 0])
    lacking = np.where(in_first, first, oof.y_true)
    if len(np.unique(lacking)) == 2:
        lacks = _like(oof, y_true=lacking)
        _defined_or_named(partial(case.run, lacks), "a fold without a class")
    constant = _like(oof, constant=True)
    expected = as_metric(case.scoring).bind(constant).on_data()[0]
    try:
        result = case.run(constant)
    except ValueError as error:
        # Precision of a class that is never predicted does not exist.
        assert not expected == 0.5 and "undefined" in str(error), (
            f"constant predictions are not scored: {error}"
        )
    else:
        np.testing.assert_allclose(
            result.estimate, expected, atol=1e-9, err_msg="constant predictions have a score"
        )
        _assert_explained(result, "constant predictions")
    nothing = _like(oof, undefined=True)
    assert_refused(partial(case.run, nothing), "NaN", "no configuration with a score")
    for n_folds in (2, 3):
        few = _like(oof, fold=np.arange(oof.n_rows) // 2 % n_folds)
        _defined_or_named(partial(case.run, few), f"{n_folds} folds")


def check_units(method: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that the result has its unit and the number of samples without a prediction."""
    case = IntervalCase(method, scoring, data)
    oof = case.data
    unit = case.run().details.get("unit")
    assert unit in ("sample", "group", "fold"), f"details['unit'] is {unit!r}"
    n_untested = max(2, oof.n_samples // 6)
    try:
        result = case.run(_like(oof, rows=oof.sample >= n_untested))
    except ValueError as error:
        assert _names_a_place(error), f"splits that are not a partition: {error}"
    else:
        found = result.details.get("n_untested")
        assert found == n_untested, f"{n_untested} samples are untested, not {found}"
    if oof.groups is None:
        groups = np.arange(oof.n_samples) // 2
        grouped = _like(oof, groups=groups, fold=(groups % oof.n_splits)[oof.sample])
        try:
            result = case.run(grouped)
        except ValueError as error:
            assert "groups" in str(error), f"groups are refused without a word of them: {error}"
        else:
            found = result.details.get("unit")
            assert found in ("group", "fold"), f"groups are not the unit, but {found!r} is"


def _defined_or_named(function: Callable[[], ConfidenceInterval], what: str) -> None:
    try:
        result = function()
    except ValueError as error:
        assert _names_a_place(error), f"{what}: the message names neither class nor fold: {error}"
    else:
        _assert_explained(result, what)


def _names_a_place(error: ValueError) -> bool:
    return any(word in str(error) for word in ("class ", "fold ", "folds"))


def _assert_explained(result: ConfidenceInterval, what: str) -> None:
    if has_bounds(result):
        assert result.low <= result.estimate <= result.high, f"{what}: bounds miss the estimate"
    else:
        assert result.details.get("reason"), f"{what}: details['reason'] says nothing"


def _like(
    oof: OOFPredictions,
    *,
    configs: Any = None,
    rows: Any = None,
    constant: bool = False,
    undefined: bool = False,
    **fields: Any,
) -> OOFPredictions:
    """Copy predictions with some things changed, without fold scores and failures."""
    rows = np.ones(oof.n_rows, dtype=bool) if rows is None else rows
    responses = {}
    for name, array in oof.responses.items():
        array = array[slice(None) if configs is None else configs][:, rows]
        labels = array.dtype.kind in "iu"
        if constant:
            array = np.full_like(array, 0 if labels else 1 / 2)
        if undefined:
            array = np.full_like(array, -1 if labels else np.nan)
        responses[name] = array
    per_row = {name: getattr(oof, name)[rows] for name in ("sample", "fold", "repeat")}
    kept = {name: getattr(oof, name) for name in ("y_true", "groups", "sample_weight")}
    given = {**kept, **per_row, "responses": responses, "classes": oof.classes_, **fields}
    return OOFPredictions(**given)


def check_configurations(method: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that failed, undefined and repeated configurations do not matter; one is enough."""
    case = IntervalCase(method, scoring, data)
    oof, expected = case.data, case.run()
    name, array = next(iter(oof.responses.items()))

    def with_responses(*arrays: np.ndarray, **fields: Any) -> ConfidenceInterval:
        return case.run(_like(oof, responses={name: np.concatenate(arrays)}, **fields))

    if array.ndim == 2 and array.dtype.kind == "f" and oof.y_true.dtype.kind in "iufb":
        perfect = oof.y_true[oof.sample][None].astype(float)
        failed = np.arange(len(array) + 1) == len(array)
        result = with_responses(array, perfect, failed=failed)
        assert_same(result, expected, "with a failed configuration, however good it looks")
    undefined = array[:1].copy()
    undefined[:, 0] = -1 if array.dtype.kind in "iu" else np.nan
    result = with_responses(array, undefined)
    assert_same(result, expected, "with a configuration that predicts NaN")
    if case.method.selection_aware:
        result = with_responses(array, array[-1:])
        assert_same(result, expected, "with a configuration twice")
    alone = with_responses(array[:1])
    ordered = alone.low <= alone.high or not has_bounds(alone)
    assert ordered, "a single configuration gives an interval"


def check_cost(method: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that the number of fits is printed before the run, and is that of the result."""
    case = RefitCase(method, scoring, data)
    estimator, X, y = case.data
    search = GridSearchCV(estimator, {"n_neighbors": [3, 7]}, cv=2)
    for model, each in ((estimator, 1), (search, 5)):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            n_fits = case.run((model, X, y), verbose=1).details["n_fits"]
        assert str(n_fits) in printed.getvalue(), "the cost is not printed"
        assert n_fits % each == 0, "the fits of the search are not counted"
    silent = io.StringIO()
    with contextlib.redirect_stdout(silent):
        case.run(verbose=0)
    assert not silent.getvalue(), "verbose=0 is silent"


class _CountsFits(KNeighborsClassifier):
    """Counts how often any of its kind was fitted in this process."""

    n_fits = 0

    def fit(self, X: Any, y: Any) -> _CountsFits:
        _CountsFits.n_fits += 1
        return super().fit(X, y)


def check_failures_of_refits(method: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that a class too small is named before any fit; results without spread say so."""
    case = RefitCase(method, scoring, data)
    _, X, y = case.data
    for n_samples, what in ((1, "one sample in class 1"), (0, "no class but one")):
        few = (np.arange(len(y)) < n_samples).astype(int)
        _CountsFits.n_fits = 0
        assert_refused(partial(case.run, (_CountsFits(5), X, few)), "class ", what)
        assert not _CountsFits.n_fits, f"{what}: models were trained before the error"
    for Z, what in (
        (1000.0 * y[:, None] + X, "perfect predictions"),
        (np.zeros((len(y), 1)), "constant predictions"),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = case.call(clone(case.method), case.scoring, (KNeighborsClassifier(3), Z, y))
        if has_bounds(result):
            assert result.low <= result.high, f"{what}: bounds are out of order"
        else:
            assert result.details.get("reason"), f"{what}: details['reason'] says nothing"
        if has_bounds(result) and not result.low < result.high:
            assert result.details.get("degenerate"), f"{what}: details['degenerate'] is not set"
            warned = any(issubclass(each.category, IntervalWarning) for each in caught)
            assert warned, f"{what}: a point is given as interval without an IntervalWarning"


def check_exchange(method: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that exchanged sides give the same result with the other sign."""
    case = ComparisonCase(method, scoring, data)
    result, exchanged = case.run(), case.run(case.data[::-1])
    assert result.names == exchanged.names[::-1], "names are not exchanged"
    found = [-exchanged.difference, -exchanged.high, -exchanged.low, exchanged.p_value]
    expected = [result.difference, *result, result.p_value]
    what = "difference, bounds or p value differ for exchanged sides"
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9, err_msg=what)


def check_identical(method: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that two sides that predict the same: no difference, a p-value of 1, and a note."""
    case = ComparisonCase(method, scoring, data)
    side = case.data[0]
    twin = replace(side, oof=pickle.loads(pickle.dumps(side.oof)), name="other")
    result = case.run((replace(side, name="one"), twin))
    assert result.difference == 0, "identical predictions have a difference"
    assert np.isnan(result.p_value) or result.p_value == 1, "identical predictions, p below 1"
    assert not has_bounds(result) or 0 in result, "the interval excludes zero"
    assert result.details["notes"], "nothing is said of identical predictions"


_OF_ALL = (
    check_registration,
    check_result,
    check_seed,
    check_workers,
    check_sides,
    check_levels,
    check_refusals,
    check_documentation,
)
_CHECKS: dict[type, tuple[Callable[..., None], ...]] = {
    RefitInterval: (*_OF_ALL, check_orientation, check_cost, check_failures_of_refits),
    BaseInterval: (
        *_OF_ALL,
        check_orientation,
        check_configurations,
        check_selection,
        check_failures,
        check_units,
    ),
    BaseComparison: (*_OF_ALL, check_exchange, check_identical),
    Selection: SELECTION_CHECKS,
    TiedMethod: TIED_CHECKS,
    BaseDisplay: DISPLAY_CHECKS,
}


def checks(obj: Any) -> list[Callable[..., None]]:
    """List the checks of a class of yours, to run each as a test of its own.

    Parameters
    ----------
    obj : class or object
        Interval method, comparison, rule of selection, method for tied sets or display.

    Returns
    -------
    list of callable
        Each takes what `check_contract` takes, and raises AssertionError.

    Raises
    ------
    TypeError
        For any other class.

    Examples
    --------
    >>> from sklearn_bbc.intervals import BBCF
    >>> from sklearn_bbc.testing import checks
    >>> checks(BBCF)[0].__name__
    'check_registration'

    In a test: ``@pytest.mark.parametrize("check", checks(MyMethod))``.
    """
    cls = obj if isinstance(obj, type) else type(obj)
    for base, found in _CHECKS.items():
        if issubclass(cls, base):
            return list(found)
    known = ", ".join(base.__name__ for base in _CHECKS)
    raise TypeError(f"there are checks for subclasses of {known}, not for {cls.__name__}")


def check_contract(obj: Any, *args: Any, **kwargs: Any) -> None:
    """Run all checks of a class of yours.

    Parameters
    ----------
    obj : class or object
        What to check. A method that is given as a class is made with its defaults and few draws.

        - `BaseInterval`, `RefitInterval`: names and parameters, pickling, seeds, workers and
          batches, sides, levels, losses, failed and undefined configurations, data that allow
          no interval, units, notes on the selection, refusals, the docstring.
        - `BaseComparison`: of these what applies, exchanged sides, identical predictions.
        - `Selection`: each draw is chosen for on its own; failed configurations, scores, what
          is reported of the choice on all samples, batches and workers, needs, the docstring.
        - `TiedMethod`: seeds, order and copies of configurations, equal configurations, one
          that is clearly the best, refusals, `tied_with_best` by name.
        - `BaseDisplay`: `from_results` and `from_search`, what `plot` returns and where it
          draws, unknown options, `frame` without matplotlib.
    *args, **kwargs : object
        What to try it on; by default small examples, see `example_predictions`.
        ``scoring, data`` for methods, comparisons and rules: a metric, and an
        `OOFPredictions`, an ``(estimator, X, y)`` for methods that train models, or two
        `Side`. ``results, search`` for displays: what `from_results` and `from_search` take.

    Raises
    ------
    AssertionError
        If a check fails; the message says which.
    TypeError
        If there are no checks for the class.

    See Also
    --------
    checks : The same as a list, one test each.
    check_metric : The same for metrics.

    Examples
    --------
    >>> from sklearn_bbc.intervals import BBC
    >>> from sklearn_bbc.testing import check_contract
    >>> check_contract(BBC)
    """
    for check in checks(obj):
        check(obj, *args, **kwargs)
