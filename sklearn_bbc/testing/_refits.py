"""The contract of methods that train models."""

from __future__ import annotations

import contextlib
import io
import pickle
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from joblib import parallel_config
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import check_random_state

from ..exceptions import IntervalWarning
from ..intervals._refit_base import RefitInterval, registered_refits
from ..metrics._metric import as_metric
from ..results._results import ConfidenceInterval
from ._common import assert_documented, assert_parameters, assert_refused, assert_same, has_bounds

QUICK: dict[str, Any] = {
    "n_bootstraps": 20, "n_repetitions": 1, "n_folds": 3, "n_outer": 2, "n_inner": 3, "cv": 3,
    "random_state": 0, "verbose": 0,
}  # fmt: skip


def refit_checks() -> list[Callable[..., None]]:
    """List the checks of `check_interval` on methods that train models.

    Returns
    -------
    list of callable
        Each takes ``(method, scoring=None)`` and raises AssertionError.

    Examples
    --------
    >>> from sklearn_bbc.intervals import NestedCV
    >>> from sklearn_bbc.testing import refit_checks
    >>> for check in refit_checks():
    ...     check(NestedCV)
    """
    return list(_CHECKS)


def _problem() -> tuple[Any, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 24)
    return KNeighborsClassifier(5), rng.normal(size=(48, 2)) + 0.7 * y[:, None], y


def _ready(method: Any) -> RefitInterval:
    """The method with little to train."""
    method = method() if isinstance(method, type) else clone(method)
    known = method.get_params(deep=False)
    return method.set_params(**{name: QUICK[name] for name in QUICK if name in known})


def _run(method: RefitInterval, scoring: Any, search: bool = False, **params: Any) -> Any:
    estimator, X, y = _problem()
    if search:
        estimator = GridSearchCV(estimator, {"n_neighbors": [3, 7]}, cv=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return clone(method).set_params(**params).estimate(estimator, X, y, scoring=scoring)


def check_refit_registration(method: Any, scoring: Any = None) -> None:
    """The name leads to the class; parameters are stored as given, by keyword only."""
    method = _ready(method)
    cls = type(method)
    assert registered_refits().get(cls.name) is cls, f"{cls.name!r} does not lead to {cls}"
    assert_parameters(method)


def check_refit_result(method: Any, scoring: Any = None) -> None:
    """The result is complete and ordered; method, estimator and seed state stay as they were."""
    method = _ready(method)
    before, state = method.get_params(), check_random_state(None).get_state(legacy=False)
    result = _run(method, scoring)
    after = check_random_state(None).get_state(legacy=False)
    assert isinstance(result, ConfidenceInterval)
    assert np.isfinite(result.estimate), "there is no estimate"
    _assert_ordered(result)
    assert method.get_params() == before, "estimate changed the parameters"
    assert np.array_equal(state["state"]["key"], after["state"]["key"]), "global seed was used"
    assert_same(pickle.loads(pickle.dumps(result)), result, "after pickling")
    again = _run(pickle.loads(pickle.dumps(method)), scoring)
    assert_same(again, result, "a pickled method, with the same seed")


def check_refit_cost(method: Any, scoring: Any = None) -> None:
    """The number of fits is told before the run, and is that of the result."""
    method = _ready(method)
    for search, each in ((False, 1), (True, 5)):
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            result = _run(method, scoring, search=search, verbose=1)
        n_fits = result.details["n_fits"]
        assert str(n_fits) in told.getvalue(), "the cost is not told"
        assert n_fits % each == 0, "the fits of the search are not counted"
    silent = io.StringIO()
    with contextlib.redirect_stdout(silent):
        _run(method, scoring, verbose=0)
    assert not silent.getvalue(), "verbose=0 is silent"


def check_refit_workers(method: Any, scoring: Any = None) -> None:
    """The number of workers changes no bit."""
    method = _ready(method)
    with parallel_config(backend="threading"):
        two = _run(method, scoring, n_jobs=2)
    assert_same(two, _run(method, scoring), "with two workers")


def check_refit_sides(method: Any, scoring: Any = None) -> None:
    """A one-sided interval is half of a two-sided one with twice the error rate."""
    method = _ready(method)
    both = _run(method, scoring, confidence_level=0.8)
    if not has_bounds(both):
        return
    worst, best = as_metric("accuracy" if scoring is None else scoring).bounds
    lower = _run(method, scoring, confidence_level=0.9, alternative="greater")
    upper = _run(method, scoring, confidence_level=0.9, alternative="less")
    np.testing.assert_allclose([lower.low, upper.high], [both.low, both.high], rtol=1e-9)
    assert (lower.high, upper.low) == (best, worst), "the open side is the end of the range"


def check_refit_levels(method: Any, scoring: Any = None) -> None:
    """A higher confidence level never gives a narrower interval."""
    method, inner = _ready(method), None
    for level in (0.2, 0.6, 0.9, 0.99):
        outer = _run(method, scoring, confidence_level=level)
        if inner is not None and has_bounds(outer):
            nested = outer.low <= inner.low and inner.high <= outer.high
            assert nested, f"the interval at {level} does not hold the one below"
        inner = outer


def check_refit_orientation(method: Any, scoring: Any = None) -> None:
    """A loss gives the mirror image of the score that it is one minus of."""
    method = _ready(method)
    metric = as_metric("accuracy" if scoring is None else scoring)
    mirrored = replace(metric, scorer=_Negative(metric.scorer), score_func=None)
    score = _run(method, metric)
    try:
        loss = _run(method, mirrored)
    except ValueError:
        return  # a method for means over samples does not know this function
    if has_bounds(score):
        # The range of the mirrored metric is unknown, so its bounds are not cut.
        low, high = score.details.get("unclipped", tuple(score))
        np.testing.assert_allclose(loss.estimate, -score.estimate, rtol=1e-9)
        np.testing.assert_allclose(loss.high - loss.low, high - low, rtol=1e-9)


class _Negative:
    """The negative of a scorer."""

    def __init__(self, scorer: Any) -> None:
        self.scorer = scorer

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        return -self.scorer(estimator, X, y)


def check_refit_refusals(method: Any, scoring: Any = None) -> None:
    """Bad input is one ValueError that names what is wrong, before any model is trained."""
    method = _ready(method)
    for level in (0, 1, 95, "a", None):
        assert_refused(
            partial(_run, method, scoring, confidence_level=level),
            "confidence_level",
            f"confidence_level={level!r}",
        )
    assert_refused(lambda: _run(method, scoring, alternative="both"), "alternative", "'both'")
    assert_refused(lambda: _run(method, "no_such_metric"), "no_such_metric", "its name")
    estimator, X, y = _problem()
    assert_refused(lambda: method.estimate(estimator, X[:9], y), "X has 9", "other lengths")
    assert_refused(lambda: method.estimate("svm", X, y), "estimator", "a name")
    assert_refused(lambda: method.estimate(estimator, X, y, groups=[0]), "groups", "one group")


class _CountsFits(KNeighborsClassifier):
    """Counts how often any of its kind was fitted in this process."""

    n_fits = 0

    def fit(self, X: Any, y: Any) -> _CountsFits:
        _CountsFits.n_fits += 1
        return super().fit(X, y)


def check_refit_failures(method: Any, scoring: Any = None) -> None:
    """A class too small is named before any fit; results without spread say so."""
    method = _ready(method)
    _, X, y = _problem()
    for n_samples, what in ((1, "one sample in class 1"), (0, "no class but one")):
        few = (np.arange(len(y)) < n_samples).astype(int)
        _CountsFits.n_fits = 0
        assert_refused(partial(_silently, method, _CountsFits(5), X, few, scoring), "class ", what)
        assert not _CountsFits.n_fits, f"{what}: models were trained before the error"
    for Z, what in (
        (1000.0 * y[:, None] + X, "perfect predictions"),
        (np.zeros((len(y), 1)), "constant predictions"),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = clone(method).estimate(KNeighborsClassifier(3), Z, y, scoring=scoring)
        _assert_ordered(result)
        if has_bounds(result) and not result.low < result.high:
            assert result.details.get("degenerate"), f"{what}: details['degenerate'] is not set"
            told = any(issubclass(each.category, IntervalWarning) for each in caught)
            assert told, f"{what}: a point is given as interval without an IntervalWarning"


def _silently(method: RefitInterval, estimator: Any, X: Any, y: Any, scoring: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return clone(method).estimate(estimator, X, y, scoring=scoring)


def check_refit_documentation(method: Any, scoring: Any = None) -> None:
    """The docstring has a summary, all parameters, all `details`, the cost and an example."""
    method = _ready(method)
    assert_documented(type(method), _run(method, scoring).details)
    assert "fits" in (type(method).__doc__ or ""), "the docstring does not tell the cost in fits"


def _assert_ordered(result: ConfidenceInterval) -> None:
    if has_bounds(result):
        assert result.low <= result.high, "bounds are out of order"
    else:
        assert result.details.get("reason"), "details['reason'] says why there is no bound"


_CHECKS: tuple[Callable[..., None], ...] = (
    check_refit_registration,
    check_refit_result,
    check_refit_cost,
    check_refit_workers,
    check_refit_sides,
    check_refit_levels,
    check_refit_orientation,
    check_refit_refusals,
    check_refit_failures,
    check_refit_documentation,
)
