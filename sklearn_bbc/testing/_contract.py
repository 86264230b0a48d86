"""One contract for each kind of class, and the checks but those of displays."""

from __future__ import annotations

import contextlib
import inspect
import io
import math
import pickle
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any, ClassVar

import numpy as np
from joblib import parallel_config
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from .._utils import same
from ..comparison._base import BaseComparison, Side
from ..comparison._base import registered as registered_comparisons
from ..comparison._tied import tied_with_best
from ..comparison._tied_methods import TiedMethod, registered_tied
from ..display._base import BaseDisplay
from ..exceptions import IntervalWarning
from ..intervals._base import BaseInterval
from ..intervals._base import registered as registered_intervals
from ..intervals._bbc import BBC
from ..intervals._refit_base import RefitInterval, registered_refits
from ..metrics._metric import Metric, as_metric
from ..predictions._predictions import OOFPredictions
from ..results._results import ComparisonResult, ConfidenceInterval
from ..selection._base import BoundSelection, Outcome, Selection, registered_selections
from ._common import (
    DISPLAY_CHECKS,
    INTERVAL_FIELDS,
    assert_documented,
    assert_facts,
    assert_kept_by_keyword,
    assert_parameters,
    assert_refused,
    assert_registered,
    assert_same,
    example_predictions,
    has_bounds,
    no_global_seed,
    quickly,
)


def check_metric(scoring: Any, oof: OOFPredictions, *, n_draws: int = 12, seed: int = 0) -> None:
    """Compare a bootstrap kernel with the function that it stands for.

    Parameters
    ----------
    scoring : str, scorer or Metric
        Metric with a score function.
    oof : OOFPredictions
        Predictions of one cross-validation.
    n_draws : int, default=12
        Number of random resamples.
    seed : int, default=0
        Seed of the resamples.

    Raises
    ------
    AssertionError
        If a score differs by more than 1e-12 from that of the repeated rows, depends on
        other draws, or if winners are not the first best.

    Examples
    --------
    >>> from sklearn_bbc.testing import check_metric, example_predictions
    >>> check_metric("balanced_accuracy", example_predictions())
    """
    metric = as_metric(scoring)
    assert metric.score_func is not None, "a scorer whose function is hidden has no kernel"
    kernel = metric.bind(oof)
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(oof.n_samples, np.full(oof.n_samples, 1 / oof.n_samples), n_draws)
    counts = counts.astype(np.uint8)
    scores = kernel.scores(counts)
    assert scores.shape == (n_draws, oof.n_configs), "scores have one row per draw"
    close = partial(np.testing.assert_allclose, rtol=1e-12, atol=1e-12)
    equal = np.testing.assert_array_equal
    repeated = [np.repeat(np.arange(oof.n_samples), count) for count in counts]
    expected: Any = [
        [_score_of_rows(metric, oof, config, rows) for config in range(oof.n_configs)]
        for rows in repeated
    ]
    close(scores, expected, err_msg=f"{metric.name}: not the score of the repeated rows")
    for dtype in (np.int64, float):
        found = kernel.scores(counts.astype(dtype))
        close(found, scores, err_msg=f"{metric.name}: depends on the dtype of the weights")
    found, expected = kernel.scores(counts > 0), kernel.scores((counts > 0).astype(np.uint8))
    equal(found, expected, err_msg=f"{metric.name}: a mask is not the same as zeros and ones")
    found = np.concatenate([kernel.scores(count[None]) for count in counts])
    close(found, scores, err_msg=f"{metric.name}: a score depends on the other draws")
    winners = kernel.winners(counts)
    defined = ~np.isnan(scores).all(axis=1)
    expected = np.where(defined, np.where(np.isnan(scores), -np.inf, scores).argmax(axis=1), -1)
    equal(winners, expected, err_msg=f"{metric.name}: the winner is not the first of the best")
    found = kernel.score_of(counts, winners)
    expected = np.where(defined, scores[np.arange(n_draws), winners], np.nan)
    close(found, expected, err_msg=f"{metric.name}: score_of and scores differ")


def _score_of_rows(metric: Metric, oof: OOFPredictions, config: int, rows: np.ndarray) -> float:
    pred = oof.matrix(metric.scorer)[rows, config]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            assert metric.score_func is not None
            return metric.sign * metric.score_func(oof.y_true[rows], pred, **metric.kwargs)
        except ValueError:  # undefined, as for a single class
            return math.nan


def _example(failed: Any = None, **changed: Any) -> OOFPredictions:
    oof = example_predictions()
    params = [{"depth": depth} for depth in range(oof.n_configs)]
    given = {"fold": oof.fold, "params": params, "failed": failed, **changed}
    return OOFPredictions.from_rows(y_true=oof.y_true, responses=oof.responses, **given)


def _bound(
    selection: Selection, scoring: Any, oof: OOFPredictions | None
) -> tuple[BoundSelection, OOFPredictions]:
    oof = _example() if oof is None else oof
    kernel = as_metric("roc_auc" if scoring is None else scoring).bind(oof)
    return clone(selection).bind(kernel), oof


def _example_counts(oof: OOFPredictions, n_draws: int = 8) -> np.ndarray:
    rng = np.random.default_rng(0)
    n = oof.n_samples
    return rng.multinomial(n, np.full(n, 1 / n), n_draws).astype(np.uint8)


def _assert_equal(one: Outcome, other: Outcome, what: str) -> None:
    assert same(one.columns, other.columns), f"{what}: the outcome differs"


def check_rule_registration(selection: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that the name leads to the class, and a second class cannot take it."""
    cls = type(selection)
    assert_registered(cls, registered_selections())
    assert_refused(lambda: type("Other", (cls,), {"name": cls.name}), "taken", "a taken name")
    assert clone(selection).get_params().keys() == selection.get_params().keys()


def check_rule_outcome(selection: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that every draw has a choice and a score; nothing that was given is changed."""
    rule, oof = _bound(selection, scoring, data)
    counts = _example_counts(oof)
    kept = counts.copy()
    outcome = rule.choose(counts)
    assert isinstance(outcome, Outcome) and len(outcome) == len(counts), "one entry per draw"
    assert "config" in outcome.columns, "the outcome has no column 'config'"
    config = outcome["config"]
    assert config.dtype.kind == "i" and (config >= -1).all() and (config < oof.n_configs).all()
    scores = rule.score(outcome, counts == 0)
    assert scores.shape == (len(counts),) and np.isfinite(scores).any(), "one score per draw"
    np.testing.assert_array_equal(counts, kept, err_msg="the counts were changed")
    assert len(rule.on_all()) == 1, "on_all is one draw of all samples"
    assert rule.same(outcome, rule.on_all()).shape == (len(counts),)
    low, high = rule.metric.bounds
    assert (scores >= low - 1e-12).all() and (scores <= high + 1e-12).all(), "out of range"


def check_rule_draws(selection: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that each draw is chosen for and scored on its own, twice the same."""
    rule, oof = _bound(selection, scoring, data)
    counts = _example_counts(oof)
    with no_global_seed():
        outcome = rule.choose(counts)
    _assert_equal(rule.choose(counts), outcome, "a second time")
    alone = [rule.choose(count[None]) for count in counts]
    _assert_equal(Outcome.concatenated(alone), outcome, "draw by draw")
    scores = rule.score(outcome, counts == 0)
    one_by_one = [rule.score(one, count[None] == 0)[0] for one, count in zip(alone, counts)]
    np.testing.assert_allclose(one_by_one, scores, 1e-12, 1e-12, err_msg="depends on other draws")
    backwards = rule.score(outcome.take(np.arange(len(counts))[::-1]), counts[::-1] == 0)
    np.testing.assert_allclose(backwards[::-1], scores, 1e-12, 1e-12, err_msg="the order matters")


def check_rule_failures(selection: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that a configuration that failed is never chosen."""
    if data is not None:
        return  # predictions of your own may be of any kind
    for failed in (0, 3):
        example = _example(failed=np.arange(4) == failed)
        rule, _ = _bound(selection, scoring, example)
        outcome = rule.choose(_example_counts(example))
        assert not (outcome["config"] == failed).any(), "a failed configuration was chosen"


def check_rule_in_bbc(selection: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that BBC repeats it: batches and workers change no bit, pickling neither."""
    _, oof = _bound(selection, scoring, data)
    scoring = "roc_auc" if scoring is None else scoring
    method = BBC(selection=clone(selection), n_bootstraps=70, random_state=0)  # two blocks

    def run(method: BBC) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return method.estimate(oof, scoring)

    expected = run(method)
    with config_context(working_memory=0.001):  # MiB: one block of draws at a time
        assert_same(run(method), expected, "in small batches")
    assert_same(run(clone(method).set_params(n_jobs=2)), expected, "with two workers")
    copied = pickle.loads(pickle.dumps(method))
    assert_same(run(copied), expected, "after pickling")
    rule, _ = _bound(selection, scoring, oof)
    assert expected.metric == rule.metric.name, "the result is not about the rule's metric"
    details = expected.details
    if rule.by:
        assert details["winner_by"] == rule.by, "details do not say by what was selected"
        assert details["winner"] == rule.on_all()["config"][0], "not the winner on all samples"
    described = rule.describe(rule.choose(_example_counts(oof)))
    assert described.keys() <= details.keys(), "what the rule describes is not in details"
    assert 0 <= details["winner_share"] <= 1


def check_rule_refusals(selection: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that what a rule needs and does not get is one ValueError that names it."""
    needs, scoring = selection.needs, "roc_auc" if scoring is None else scoring

    def bind(**changed: Any) -> Any:
        example = _example(**changed)
        return lambda: clone(selection).bind(as_metric(scoring).bind(example))

    if data is not None:
        return
    if "folds" in needs:
        assert_refused(bind(fold=np.zeros(60, dtype=int)), "fold", "a single fold")
    if "params" in needs:
        assert_refused(bind(params=None), "params", "configurations without parameters")
    if "two classes" in needs:
        three = example_predictions(n_classes=3)
        kernel = as_metric("roc_auc_ovr").bind(three)
        assert_refused(lambda: clone(selection).bind(kernel), "2 classes", "3 classes")


def check_rule_documentation(selection: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that the docstring has notes, an example, all parameters and all details."""
    rule, oof = _bound(selection, scoring, data)
    assert_documented(type(selection), rule.describe(rule.choose(_example_counts(oof))), facts=())


SELECTION_CHECKS = (
    check_rule_registration,
    check_rule_outcome,
    check_rule_draws,
    check_rule_failures,
    check_rule_in_bbc,
    check_rule_refusals,
    check_rule_documentation,
)


FOLD = np.arange(40) % 5


def _example_scores(seed: int = 0, step: float = 0.15) -> np.ndarray:
    """Draw values of 40 units for 5 configurations, later ones better."""
    return np.random.default_rng(seed).normal(size=(40, 5)) + step * np.arange(5)


def check_tied_registration(method: Any) -> None:
    """Check that the name leads to the class, with its facts and parameters by keyword."""
    made = quickly(method)
    cls = type(made)
    assert_registered(cls, registered_tied())
    assert_facts(cls, ("meant_for", "cost", "limits"))
    assert cls.__dict__.get("__doc__"), f"{cls.__name__} has no docstring"
    assert_kept_by_keyword(made)


def check_p_values(method: Any) -> None:
    """Check that p values are between 0 and 1, one a configuration, the same with a seed."""
    for seed in range(3):
        values = _example_scores(seed)
        p_values = quickly(method).p_values(values, FOLD)
        assert p_values.shape == (5,), "there must be one p value for each configuration"
        assert ((p_values >= 0) & (p_values <= 1)).all(), f"p values outside 0 and 1: {p_values}"
        again = quickly(method).p_values(values, FOLD)
        np.testing.assert_array_equal(again, p_values, err_msg="a seed must give the same again")


def check_order_of_configs(method: Any) -> None:
    """Check that neither the order of the configurations nor copies of them matter."""
    for seed in range(5):
        values = _example_scores(seed)
        p_values = quickly(method).p_values(values, FOLD)
        order = np.random.default_rng(seed).permutation(5)
        turned = quickly(method).p_values(values[:, order], FOLD)
        np.testing.assert_array_equal(turned, p_values[order], err_msg="the order matters")
        copies = [0, 0, 1, 2, 3, 4, 4, 2]
        copied = quickly(method).p_values(values[:, copies], FOLD)
        np.testing.assert_array_equal(copied, p_values[copies], err_msg="copies matter")


def check_extremes(method: Any) -> None:
    """Check that equal configurations are all members; one that is clearly better stays alone."""
    values = _example_scores()
    four = np.repeat(values[:, :1], 4, axis=1)
    assert (quickly(method).p_values(four) > 0.5).all(), "equal configurations must all be members"
    values[:, 2] += 5
    members = quickly(method).p_values(values, FOLD) > 0.05
    assert members[2], "the one that is clearly the best is left out"
    assert members.sum() == 1, "others are members beside one that is clearly the best"


def check_tied_refusals(method: Any) -> None:
    """Check that levels out of range and values that are missing are refused."""
    values = _example_scores()
    for level in (0, 1, "high"):
        refusing = partial(quickly(method, confidence_level=level).p_values, values)
        assert_refused(refusing, "confidence_level", f"confidence_level={level!r}")
    values[0, 0] = np.nan
    assert_refused(lambda: quickly(method).p_values(values), "values", "a missing value")


def check_function(method: Any) -> None:
    """Check that `tied_with_best` takes it, and the set agrees with the p values."""
    made = quickly(method)
    draws = BBC(n_bootstraps=200, random_state=0)
    tied = tied_with_best(example_predictions(), "roc_auc", method=made, draws=draws)
    assert tied.method == type(made).name
    expected = set(np.flatnonzero(tied.p_values > 1 - made.confidence_level)) | {tied.best}
    assert set(tied) == expected, "the set is not that of the p values"


TIED_CHECKS = (
    check_tied_registration,
    check_p_values,
    check_order_of_configs,
    check_extremes,
    check_tied_refusals,
    check_function,
)


Sides = tuple[Side, Side]
Refusals = Iterator[tuple[Callable[[], Any], str, str]]
"""What has to be refused: the call, a word of the message, what is wrong."""


class Case(ABC):
    """A method with few draws and a seed, a metric, and what it is computed on.

    Without `scoring` the metric is the first that the method does not refuse; `data` is what the
    kind of method takes, None makes an example.
    """

    result_type: ClassVar[type] = ConfidenceInterval
    compared: ClassVar[tuple[str, ...]] = INTERVAL_FIELDS
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
        """Return the least and largest possible result."""
        return as_metric(self.scoring).bounds


class IntervalCase(Case):
    """Methods on predictions; the data are OOFPredictions."""

    registry = staticmethod(registered_intervals)
    example = staticmethod(cache(example_predictions))  # each check begins with them

    def call(self, method: Any, scoring: Any, data: Any) -> ConfidenceInterval:
        return method.estimate(data, scoring)

    def refusals(self) -> Refusals:
        run, oof, requires = self.run, self.data, type(self.method).requires
        yield lambda: run(oof.y_true), "OOFPredictions", "a plain array"
        yield lambda: run(by=[self.scoring]), "scoring", "a list of metrics"
        if "predictions" in requires:
            scores = {"roc_auc": np.full((oof.n_splits, 1), 0.5)}
            only_folds = OOFPredictions.from_fold_scores(y_true=oof.y_true, fold_scores=scores)
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
        return GaussianNB(), X, y

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
            turned = OOFPredictions.from_rows(
                y_true=y[::-1], responses=responses, fold=second.oof.fold
            )
            yield (
                lambda: run((first, Side(oof=turned, config=0))),
                "target values",
                "another order",
            )
            cut = OOFPredictions.from_rows(
                y_true=y, responses=responses, fold=second.oof.sample % 3
            )
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
    assert result.method == method.name and result.label  # of a form, it may say which
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
    for level in (0.1, 0.6, 0.95, 0.99):
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
            case.method.set_params(n_bootstraps=20)
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
    """Check that the result notes whether the choice among configurations is accounted for."""
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
    said = any(words in notes for words in ("does not account", "winner as fixed in advance"))
    assert said, "notes say that the selection is not accounted for"
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
    return OOFPredictions.from_rows(**given)


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
    search = GridSearchCV(estimator, {}, cv=2)
    for model, each in ((estimator, 1), (search, 3)):
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
    """Nearest-neighbours classifier that counts the fits of its kind in this process."""

    n_fits = 0

    def fit(self, X: Any, y: Any) -> _CountsFits:
        _CountsFits.n_fits += 1
        return super().fit(X, y)


def check_failures_of_refits(method: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that a class too small is named before any fit; results without spread are marked."""
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
    """Check that sides that predict the same show no difference, a p-value of 1, and a note."""
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
