"""Numbers for readers: three digits, the same decimals side by side, nothing rounded away."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_bbc._text import (
    count,
    number,
    p_value,
    percent,
    shown,
)


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ((0.8661, 0.82, 1.0), ["0.866", "0.820", "1.000"]),
        ((1.0, 0.9, 1.0), ["1.000", "0.900", "1.000"]),
        ((46.825, 36.786, 57.179), ["46.8", "36.8", "57.2"]),
        ((23.406,), ["23.4"]),
        ((1.234, 0.5), ["1.23", "0.50"]),
        ((12345.6, 11000.2), ["12,346", "11,000"]),
        ((1001.24, 1000.1, 1002.3), ["1,001.2", "1,000.1", "1,002.3"]),  # the width decides
        ((0.866, 0.86591, 0.86629), ["0.86600", "0.86591", "0.86629"]),
        ((0.00123, 0.0), ["0.00123", "0.00000"]),
        ((0.0,), ["0.000"]),
        ((-0.0004, 0.5), ["-0.000400", "0.500000"]),
        ((0.5, -0.00001), ["0.500", "0.000"]),  # no minus before zero
        ((math.nan, 0.5), ["nan", "0.500"]),
        ((0.5, -math.inf, math.inf), ["0.500", "-inf", "inf"]),
        ((1e8, 0.0), ["1e+08", "0"]),
        ((4e-5,), ["4e-05"]),
        ((), []),
    ],
)
def test_side_by_side(values, texts):
    assert shown(*values) == texts


@given(st.floats(-1e6, 1e6), st.floats(0, 1e6))
def test_what_is_shown_is_near_and_keeps_bounds_apart(estimate, half):
    texts = shown(estimate, estimate - half, estimate + half)
    low, high = (float(text.replace(",", "")) for text in texts[1:])
    size = max(abs(estimate), half)
    assert abs(low - (estimate - half)) <= 0.006 * size + 1e-12
    if half > 0.02 * abs(estimate) and size > 1e-3:
        assert low < high


def test_words():
    assert number(0.5) == "0.500"
    assert count(1, "fold") == "1 fold" and count(2000, "draw") == "2,000 draws"
    assert count(2, "analysis", "analyses") == "2 analyses"
    assert percent(0.95) == "95%" and percent(0.999) == "99.9%"
    assert p_value(0.0431) == "p = 0.043" and p_value(0.0009) == "p < 0.001"
