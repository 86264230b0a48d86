"""Numbers and labels that pictures share."""

import numpy as np
import pytest

from sklearn_bbc.display._layout import (
    beside_each_other,
    interval_text,
    level_text,
    limits,
    marks_of,
    number,
)

MINUS = "\N{MINUS SIGN}"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.500"), (-0.25, f"{MINUS}0.250"), (0, "0.000"), (50.381, "50.4"),
     (1234.6, "1,235"), (1.5e7, "1.5e+07"), (0.00123, "0.00123"), (np.nan, "undefined")],
)  # fmt: skip
def test_numbers(value, text):
    assert number(value) == text


def test_an_interval_in_words(make_interval):
    assert interval_text(make_interval()) == "0.900  [0.840, 0.950]"
    assert interval_text(make_interval(alternative="greater")) == "0.900  [≥ 0.840]"
    assert interval_text(make_interval(alternative="less")) == "0.900  [≤ 0.950]"
    assert interval_text(make_interval(low=np.nan, high=np.nan)) == "0.900  no interval"


def test_levels_are_named_where_they_agree(make_interval):
    same = {"a": make_interval(), "b": make_interval()}
    assert level_text(same) == "95% interval"
    other = {"a": make_interval(), "b": make_interval(confidence_level=0.9, metric="f1")}
    assert level_text(other) == "interval"


def test_limits_hold_every_finite_value():
    low, high = limits([0.2, np.nan, 0.8, np.inf])
    assert low < 0.2 and 0.8 < high < 1
    assert limits([0.5]) == (0.475, 0.525)
    assert limits([]) == pytest.approx((-0.04, 1.04))
    assert limits([0.0])[0] < 0 < limits([0.0])[1]


def test_only_marks_that_are_given():
    assert marks_of(None, None) == {}
    assert marks_of(0.9, 0.8) == {"best CV score": 0.9, "held-out score": 0.8}


def test_equal_scores_are_putbeside_each_other():
    heights = beside_each_other(np.array([0.5, 0.5, 0.5, 0.9]), 0.01)
    assert sorted(heights[:3]) == pytest.approx([-0.16, 0, 0.16]) and heights[3] == 0
    many = beside_each_other(np.full(200, 0.5), 0.01)
    assert len(np.unique(many)) == 200 and np.abs(many).max() <= 0.32
    assert (beside_each_other(np.full(1, 0.5), 0.0) == 0).all()
