"""Names and values of parameters in print."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc._wording import param_name, param_value, params_that_vary


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.123456, "0.1235"),
        (np.float64(1e-7), "1e-07"),
        (3, "3"),
        (None, "None"),
        ("a\n b", "a b"),
    ],
)
def test_values(value, text):
    assert param_value(value) == text


def test_the_step_is_left_out_where_the_name_is_clear():
    assert param_name("model__C", ["model__C", "select__k"]) == "C"
    assert param_name("a__k", ["a__k", "b__k"]) == "a__k"


def test_only_what_varies_is_named():
    params = [
        {"model__C": 0.1, "model__kernel": "rbf", "select__k": 5},
        {"model__C": 1, "model__kernel": "rbf", "select__k": 5},
        {"model__C": 1, "select__k": 5},
    ]
    assert params_that_vary(params) == ["C=0.1, kernel=rbf", "C=1, kernel=rbf", "C=1"]
    assert params_that_vary([{"a": 1}, {"a": 1}]) == ["", ""] and params_that_vary([]) == []


def test_estimators_go_by_their_class_where_that_is_enough():
    tree, one, other = DecisionTreeClassifier(), Ridge(alpha=1.5), Ridge(alpha=3)
    params = [{"model": tree}, {"model": one}, {"model": "passthrough"}]
    assert params_that_vary(params) == ["model=DecisionTreeClassifier", "model=Ridge",
                                        "model=passthrough"]  # fmt: skip
    assert params_that_vary([{"model": one}, {"model": other}])[1] == "model=Ridge(alpha=3)"
