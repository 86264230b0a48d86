"""Configurations are told apart by what they make of the estimator."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from sklearn_bbc.recording._resume import ConfigKeys, split_key


class Plain:
    """A part that is no estimator."""

    C = 1.0


class Around(BaseEstimator):
    """Names a parameter of its part, whatever the part is."""

    def get_params(self, deep=True):
        return {"part": Plain, "part__C": 1.0}


MODEL = LogisticRegression(C=2.0)
PIPE = make_pipeline(StandardScaler(), SVC(C=1.0))

SAME = {
    "order": (MODEL, {"C": 1.0, "tol": 0.1}, {"tol": 0.1, "C": 1.0}),
    "what the estimator has anyway": (MODEL, {"C": 2.0, "tol": 0.1}, {"tol": 0.1}),
    "nothing else": (MODEL, {"C": 2.0}, {}),
    "type of numpy": (MODEL, {"C": np.float64(0.1)}, {"C": 0.1}),
    "models": (PIPE, {"svc": SVC(C=5)}, {"svc": SVC(C=5)}),
    "parameter of a part": (PIPE, {"svc__C": 1.0, "svc__gamma": 2.0}, {"svc__gamma": 2.0}),
}
DIFFERENT = {
    "value": (MODEL, {"C": 1.0}, {"C": 3.0}),
    "parameter": (MODEL, {"C": 1.0}, {"tol": 1.0}),
    "type": (MODEL, {"C": 1}, {"C": 1.0}),
    "models": (PIPE, {"svc": SVC(C=5)}, {"svc": SVC(C=6)}),
    # The new part has another C than the pipeline's own: 1.0 is a change now.
    "parameter of a new part": (PIPE, {"svc": SVC(C=5), "svc__C": 1.0}, {"svc": SVC(C=5)}),
    "parameter beside new steps": (
        PIPE,
        {"steps": [("svc", SVC(C=5))], "svc__C": 1.0},
        {"steps": [("svc", SVC(C=5))]},
    ),
    "parameter of a part that is left out": (
        PIPE,
        {"svc": "passthrough", "svc__C": 1.0},
        {"svc": "passthrough"},
    ),
    "parameter of an estimator in place of something else": (
        Around(),
        {"part": SVC(C=5), "part__C": 1.0},
        {"part": SVC(C=5)},
    ),
    "parameter of an estimator in a dict": (
        Around(),
        {"part": {"first": SVC(C=5), "n": 1}, "part__C": 1.0},
        {"part": {"first": SVC(C=5), "n": 1}},
    ),
    "part": (PIPE, {"standardscaler": MinMaxScaler()}, {"standardscaler": "passthrough"}),
}


@pytest.mark.parametrize(("model", "one", "other"), SAME.values(), ids=SAME)
def test_the_same_configuration(model, one, other):
    assert ConfigKeys(model)(one) == ConfigKeys(model)(other)


@pytest.mark.parametrize(("model", "one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_other_configurations(model, one, other):
    assert ConfigKeys(model)(one) != ConfigKeys(model)(other)


def test_what_cannot_be_recognised_is_named():
    with pytest.raises(TypeError, match=r"cannot recognise the configuration {'C': <generator"):
        ConfigKeys(MODEL)({"C": (number for number in range(3))})


def test_a_value_of_the_estimator_that_cannot_be_determined_is_no_value_of_a_configuration():
    model = LogisticRegression(C=(number for number in range(3)))
    assert ConfigKeys(model)({"C": 1.0}) != ConfigKeys(model)({})


def test_splits_are_distinguished_by_both_sides():
    train, test = np.arange(5), np.arange(5, 8)
    assert split_key(train, test) == split_key(train.copy(), test.copy())
    assert len({split_key(train, test), split_key(test, train), split_key(train[:4], test)}) == 3
    assert split_key(train, test) != split_key(train[::-1], test)
