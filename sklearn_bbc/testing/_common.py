"""What the checks of interval methods share."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from ..intervals import BaseInterval
from ..predictions import OOFPredictions
from ..results import ConfidenceInterval
from ._data import example_predictions


def tools(
    method: Any, scoring: Any, oof: OOFPredictions | None
) -> tuple[BaseInterval, Any, OOFPredictions]:
    """The method with few draws and a seed, a metric and predictions."""
    method, oof = quickly(method), example_predictions() if oof is None else oof
    if scoring is None:
        scoring = first_accepted(lambda metric: run(method, metric, oof))
    return method, scoring, oof


def quickly(method: Any) -> Any:
    """A copy of the method, or one made of the class, with few draws and a seed."""
    method = method() if isinstance(method, type) else clone(method)
    known = method.get_params(deep=False)
    few = {"n_bootstraps": 200, "random_state": 0}
    return method.set_params(**{name: value for name, value in few.items() if name in known})


def first_accepted(attempt: Callable[[str], Any]) -> str:
    """A metric that is not refused; the last one is not tried, so that its error is seen."""
    *first, last = "roc_auc", "accuracy", "f1"
    for scoring in first:
        try:
            attempt(scoring)
        except ValueError:  # a method for certain metrics
            continue
        return scoring
    return last


def run(
    method: BaseInterval, scoring: Any, oof: OOFPredictions, **params: Any
) -> ConfidenceInterval:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return clone(method).set_params(**params).estimate(oof, scoring)


def assert_same(one: ConfidenceInterval, other: ConfidenceInterval, what: str) -> None:
    for name in ("estimate", "low", "high", "draws"):
        np.testing.assert_array_equal(
            getattr(one, name), getattr(other, name), err_msg=f"{what}: {name} differs"
        )


def has_bounds(result: ConfidenceInterval) -> bool:
    """Methods without an interval, and data that allow none, give NaN."""
    return not np.isnan([result.low, result.high]).any()


def assert_refused(function: Callable[[], Any], word: str, what: str) -> None:
    try:
        function()
    except ValueError as error:
        assert word in str(error), f"the message does not mention {word!r}: {error}"
    else:
        raise AssertionError(f"{what} must raise a ValueError")


def assert_parameters(method: Any) -> None:
    """The estimand is told, defaults are the usual ones, parameters are kept and by keyword."""
    cls = type(method)
    assert isinstance(cls.estimand, str) and cls.estimand, "say in words what is estimated"
    defaults = cls().get_params()
    assert defaults["confidence_level"] == 0.95 and defaults["alternative"] == "two-sided"
    assert clone(method).get_params() == method.get_params(), "clone changes parameters"
    try:
        cls(0.9)
    except TypeError:
        pass
    else:
        raise AssertionError("parameters must be given by keyword")
