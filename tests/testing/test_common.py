"""What the checks of methods share."""

import numpy as np
import pytest

from sklearn_bbc import ConfidenceInterval
from sklearn_bbc.intervals import BBC, BBCF, BayleCV
from sklearn_bbc.testing._common import (
    assert_parameters,
    assert_refused,
    assert_same,
    has_bounds,
    tools,
)


def result(**fields):
    given = {"estimate": 0.9, "low": 0.8, "high": 1.0, "confidence_level": 0.95,
             "alternative": "two-sided", "method": "own", "metric": "f1",
             "estimand": "it"}  # fmt: skip
    return ConfidenceInterval(**{**given, **fields})


def test_a_class_or_an_object_gets_few_draws_a_seed_and_a_metric_that_it_takes():
    method, scoring, oof = tools(BBC, None, None)
    assert (method.n_bootstraps, method.random_state, scoring) == (200, 0, "roc_auc")
    given = BBC(confidence_level=0.8, n_bootstraps=5000)
    method, scoring, _ = tools(given, "accuracy", oof)
    assert (method.confidence_level, scoring, given.n_bootstraps) == (0.8, "accuracy", 5000)
    assert tools(BayleCV, None, None)[1] == "accuracy"


def test_differences_are_named():
    assert_same(result(), result(), "twice")
    with pytest.raises(AssertionError, match="twice: low differs"):
        assert_same(result(), result(low=0.7), "twice")


def test_bounds_or_none():
    assert has_bounds(result()) and not has_bounds(result(low=np.nan))


def test_refusals_must_be_value_errors_with_the_word():
    def refuse(error):
        raise error

    assert_refused(lambda: refuse(ValueError("config is wrong")), "config", "it")
    with pytest.raises(AssertionError, match="does not mention 'config'"):
        assert_refused(lambda: refuse(ValueError("no")), "config", "it")
    with pytest.raises(AssertionError, match="it must raise a ValueError"):
        assert_refused(lambda: None, "config", "it")


def test_parameters_are_by_keyword_with_the_usual_defaults():
    assert_parameters(BBCF())

    class Positional(BBC):
        def __init__(self, confidence_level=0.95, alternative="two-sided"):
            self.confidence_level, self.alternative = confidence_level, alternative

    with pytest.raises(AssertionError, match="by keyword"):
        assert_parameters(Positional())
