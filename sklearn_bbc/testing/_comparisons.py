"""The contract of comparisons of two sides."""

from __future__ import annotations

import inspect
import pickle
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import clone

from ..comparison._base import BaseComparison, Side, registered
from ..metrics._metric import as_metric
from ..predictions._predictions import OOFPredictions
from ..results._results import ComparisonResult
from ._common import (
    assert_documented,
    assert_parameters,
    assert_refused,
    example_predictions,
    first_accepted,
    quickly,
)

Sides = tuple[Side, Side]


def check_comparison(
    method: BaseComparison | type[BaseComparison],
    scoring: Any = None,
    sides: Sides | None = None,
) -> None:
    """Run the contract of comparisons.

    It covers names and parameters, pickling, seeds, workers and batches, exchanged sides,
    one-sided tests, levels, identical predictions, refusals, and the docstring.

    Parameters
    ----------
    method : BaseComparison or class
        Comparison to check; a class is made with its defaults, with fewer draws.
    scoring : str, scorer or Metric, default=None
        Metric to try it with; None takes the first of ``"roc_auc"``, ``"accuracy"`` and
        ``"f1"`` that it does not refuse.
    sides : tuple of (Side, Side), default=None
        What to compare; None takes two configurations of `example_predictions`.

    Raises
    ------
    AssertionError
        If a promise is broken; the message says which one.

    See Also
    --------
    comparison_checks : The same as a list, one test each.

    Examples
    --------
    >>> from sklearn_bbc.comparison import CorrectedResampledT
    >>> from sklearn_bbc.testing import check_comparison
    >>> check_comparison(CorrectedResampledT)
    """
    for check in comparison_checks():
        check(method, scoring, sides)


def comparison_checks() -> list[Callable[..., None]]:
    """List the checks of `check_comparison`, for parametrised tests.

    Returns
    -------
    list of callable
        Each takes ``(method, scoring=None, sides=None)`` and raises AssertionError.

    Examples
    --------
    >>> from sklearn_bbc.comparison import CorrectedResampledT
    >>> from sklearn_bbc.testing import comparison_checks
    >>> for check in comparison_checks():
    ...     check(CorrectedResampledT)
    """
    return list(_CHECKS)


def run(method: BaseComparison, scoring: Any, sides: Sides, **params: Any) -> ComparisonResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return clone(method).set_params(**params).compare(*sides, scoring)


def tools(method: Any, scoring: Any, sides: Sides | None) -> tuple[BaseComparison, Any, Sides]:
    """The comparison with few draws and a seed, a metric and two sides."""
    method = quickly(method)
    if sides is None:
        oof = example_predictions()
        sides = Side(oof=oof, config=3), Side(oof=oof, config=0)
    if scoring is None:
        scoring = first_accepted(lambda metric: run(method, metric, sides))
    return method, scoring, sides


def assert_same(one: ComparisonResult, other: ComparisonResult, what: str) -> None:
    for name in ("difference", "low", "high", "statistic", "p_value", "draws"):
        np.testing.assert_array_equal(
            getattr(one, name), getattr(other, name), err_msg=f"{what}: {name} differs"
        )


def has_bounds(result: ComparisonResult) -> bool:
    return not np.isnan([result.low, result.high]).any()


def check_registration(method: Any, scoring: Any = None, sides: Sides | None = None) -> None:
    """The name leads to the class; parameters are stored as given, by keyword only."""
    method, _, _ = tools(method, scoring, sides)
    cls = type(method)
    assert registered().get(cls.name) is cls, f"{cls.name!r} does not lead to {cls.__name__}"
    assert cls.name == cls.name.lower() and cls.name.isidentifier(), "names are like_this"
    assert isinstance(cls.label, str) and cls.label, "label says the method in a sentence"
    assert_parameters(method)


def check_result(method: Any, scoring: Any = None, sides: Sides | None = None) -> None:
    """The result is complete, ordered, and survives pickling."""
    method, scoring, sides = tools(method, scoring, sides)
    before = method.get_params()
    result = run(method, scoring, sides)
    assert isinstance(result, ComparisonResult)
    assert result.metric == as_metric(scoring).name
    assert result.confidence_level == method.confidence_level
    assert result.method == method.name and result.label == method.label
    assert np.isfinite(result.difference), "there is no difference"
    assert len(result.details["scores"]) == 2, "details['scores'] has the score of each side"
    if has_bounds(result):
        assert result.low <= result.high, "bounds are out of order"
    if np.isnan(result.p_value):
        assert not has_bounds(result) or "probabilities" in result.details, (
            "without a p-value, details['probabilities'] or the bounds' absence says why"
        )
    else:
        assert 0 <= result.p_value <= 1, "p-values lie between 0 and 1"
    sentence = result.summary().lower()
    assert all(name.lower() in sentence for name in result.names), "the sentence names the sides"
    assert method.get_params() == before, "compare changed the parameters"
    assert pickle.loads(pickle.dumps(result)) == result, "a pickled result differs"
    again = pickle.loads(pickle.dumps(method))
    assert_same(run(again, scoring, sides), result, "a pickled method")


def check_seed(method: Any, scoring: Any = None, sides: Sides | None = None) -> None:
    """The same seed gives the same bits, and no global random state is used."""
    method, scoring, sides = tools(method, scoring, sides)
    np.random.seed(0)  # noqa: NPY002
    first = run(method, scoring, sides)
    drawn = np.random.random()  # noqa: NPY002
    np.random.seed(0)  # noqa: NPY002
    assert drawn == np.random.random(), "numpy's global random state was used"  # noqa: NPY002
    assert_same(run(method, scoring, sides), first, "with the same seed")


def check_workers(method: Any, scoring: Any = None, sides: Sides | None = None) -> None:
    """Number of workers and size of batches change no bit."""
    method, scoring, sides = tools(method, scoring, sides)
    expected = run(method, scoring, sides)
    with config_context(working_memory=0.001):  # MiB: one block of draws at a time
        assert_same(run(method, scoring, sides), expected, "in small batches")
    if "n_jobs" in method.get_params():
        assert_same(run(method, scoring, sides, n_jobs=2), expected, "with two workers")


def check_exchange(method: Any, scoring: Any = None, sides: Sides | None = None) -> None:
    """Exchanged sides give the same result with the other sign."""
    method, scoring, sides = tools(method, scoring, sides)
    result, exchanged = run(method, scoring, sides), run(method, scoring, sides[::-1])
    assert result.names == exchanged.names[::-1], "names are not exchanged"
    for name, one, other in (
        ("difference", [result.difference], [-exchanged.difference]),
        ("bounds", list(result), [-exchanged.high, -exchanged.low]),
        ("p_value", [result.p_value], [exchanged.p_value]),
    ):
        np.testing.assert_allclose(
            one, other, rtol=1e-6, atol=1e-9, err_msg=f"{name} differs for exchanged sides"
        )


def check_sides(method: Any, scoring: Any = None, sides: Sides | None = None) -> None:
    """A one-sided test is half of a two-sided one."""
    method, scoring, sides = tools(method, scoring, sides)
    low, high = as_metric(scoring).bounds
    both = run(method, scoring, sides, confidence_level=0.8)
    lower = run(method, scoring, sides, confidence_level=0.9, alternative="greater")
    upper = run(method, scoring, sides, confidence_level=0.9, alternative="less")
    if has_bounds(both):
        np.testing.assert_allclose(lower.low, both.low, rtol=1e-9, atol=1e-12, err_msg="greater")
        np.testing.assert_allclose(upper.high, both.high, rtol=1e-9, atol=1e-12, err_msg="less")
        assert lower.high == high - low, "'greater' leaves the largest possible difference"
        assert upper.low == low - high, "'less' leaves the smallest possible difference"
    if not np.isnan(both.p_value):
        smaller = min(lower.p_value, upper.p_value)
        assert smaller <= both.p_value, "a two-sided p-value is not below a one-sided one"
        assert lower.p_value + upper.p_value >= 1 - 1e-9, "one-sided p-values sum to 1 at least"


def check_levels(method: Any, scoring: Any = None, sides: Sides | None = None) -> None:
    """A higher confidence level never gives a narrower interval, nor another p-value."""
    method, scoring, sides = tools(method, scoring, sides)
    inner = None
    for level in (0.1, 0.5, 0.8, 0.95, 0.99):
        outer = run(method, scoring, sides, confidence_level=level)
        if inner is not None and has_bounds(inner) and has_bounds(outer):
            nested = outer.low <= inner.low and inner.high <= outer.high
            assert nested, f"the interval at {level} does not hold the one below"
            np.testing.assert_equal(outer.p_value, inner.p_value, "p depends on the level")
        inner = outer


def check_identical(method: Any, scoring: Any = None, sides: Sides | None = None) -> None:
    """Two sides that predict the same: no difference, a p-value of 1, and a note."""
    method, scoring, sides = tools(method, scoring, sides)
    twin = replace_oof(sides[0])
    result = run(method, scoring, (replace(sides[0], name="one"), replace(twin, name="other")))
    assert result.difference == 0, "identical predictions have a difference"
    assert np.isnan(result.p_value) or result.p_value == 1, "identical predictions, p below 1"
    assert not has_bounds(result) or 0 in result, "the interval excludes zero"
    assert result.details["notes"], "nothing is said of identical predictions"


def replace_oof(side: Side) -> Side:
    """The same side with a copy of its predictions."""
    return replace(side, oof=pickle.loads(pickle.dumps(side.oof)))


def check_refusals(method: Any, scoring: Any = None, sides: Sides | None = None) -> None:
    """Bad input is one ValueError that names what is wrong."""
    method, scoring, sides = tools(method, scoring, sides)
    known = method.get_params()
    bad: list[tuple[dict[str, Any], str]] = [
        ({"confidence_level": level}, "confidence_level") for level in (0, 1, 95, "a", None)
    ]
    bad += [({"alternative": "both"}, "alternative")]
    if "n_bootstraps" in known:
        bad += [({"n_bootstraps": n}, "n_bootstraps") for n in (0, 19, 20.5, None, True)]
    for params, word in bad:
        assert_refused(partial(run, method, scoring, sides, **params), word, f"{params}")
    first, second = sides

    def refused(one: Any, other: Any, word: str, what: str, by: Any = scoring) -> None:
        assert_refused(lambda: run(method, by, (one, other)), word, what)

    refused(first.oof.y_true, second, "OOFPredictions", "a plain array")
    refused(first, second, "scoring", "no metric", None)
    refused(first, second, "no_such_metric", "its name", "no_such_metric")
    refused(first, first, "nothing to compare", "the same side twice")
    refused(first, Side(oof=example_predictions(n_samples=54)), "samples", "other samples")
    if second.oof.n_rows:
        turned = OOFPredictions(
            y_true=second.oof.y_true[::-1],
            responses=second.oof.responses,
            fold=second.oof.fold,
        )
        refused(first, Side(oof=turned, config=0), "target values", "another order")
        others = OOFPredictions(
            y_true=second.oof.y_true, responses=second.oof.responses, fold=second.oof.sample % 3
        )
        refused(first, Side(oof=others, config=0), "folds", "other folds")


def check_documentation(method: Any, scoring: Any = None, sides: Sides | None = None) -> None:
    """The class tells its facts; the docstring is complete, `details` and example included."""
    method, scoring, sides = tools(method, scoring, sides)
    cls = type(method)
    assert_documented(cls, run(method, scoring, sides).details)
    assert cls.assumptions and all(map(_is_sentence, cls.assumptions)), (
        "assumptions are sentences, each with a full stop"
    )
    assert "scores" in (inspect.getdoc(cls) or "")


def _is_sentence(text: str) -> bool:
    return bool(text) and text[0].isupper() and text.endswith(".")


_CHECKS: tuple[Callable[..., None], ...] = (
    check_registration,
    check_result,
    check_seed,
    check_workers,
    check_exchange,
    check_sides,
    check_levels,
    check_identical,
    check_refusals,
    check_documentation,
)
