"""Names and values of parameters in print."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc._text import (
    config_words,
    param_name,
    param_value,
    params_that_vary,
)


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


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"C": 0.1, "kernel": "rbf"}, " (C=0.1, kernel='rbf')"),
        ({"C": 2.0, "n": 3, "flag": True, "none": None}, " (C=2.0, n=3, flag=True, none=None)"),
        ({"C": np.float64(10**-1.5), "n": np.int64(4)}, " (C=0.03162, n=4)"),
        ({"a": float("nan"), "b": float("-inf"), "c": 1e-5}, " (a=nan, b=-inf, c=1e-05)"),
        (
            {"model": Ridge(alpha=2.0), "s": "one\n  two"},
            " (model=Ridge(alpha=2.0), s='one\\n two')",
        ),
        ({"widths": (1, 2)}, " (widths=(1, 2))"),
        ("epoch 3", " (epoch 3)"),
        ({}, ""),
    ],
)
def test_a_configuration_in_a_sentence(params, words):
    assert config_words(1, [{}, params]) == f"configuration 1{words}"


def test_a_long_configuration_is_cut():
    assert config_words(2, []) == "configuration 2"
    params = [{"a": 1, "b": "x" * 50}]
    assert config_words(0, params, 20) == "configuration 0 (a=1, b='xxxxxxxxx...)"
    assert len(config_words(0, [{"b": "x" * 115}])) == len("configuration 0 ()") + 119
    assert config_words(0, [{"b": "x" * 116}]).endswith("xx')")
    assert config_words(0, [{"b": "x" * 117}]).endswith("xx...)")


def test_columns_of_a_data_frame_go_by_their_name():
    named = [{"configuration": "m4"}, {"configuration": 7}]
    assert [config_words(k, named) for k in (0, 1)] == ["m4", "configuration 7"]
