"""The fit of a + b n^-c."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import least_squares

from sklearn_bbc.comparison._learning_curve import fit_power_law

SIZES = np.array([20, 50, 100, 300, 1000])


@given(a=st.floats(-1, 1), b=st.sampled_from([-3.0, -0.5, 0.5, 2.0]), c=st.floats(0.1, 1.95))
def test_an_exact_curve_is_found(a, b, c):
    (a_hat, b_hat, c_hat), notes = fit_power_law(SIZES, a + b * SIZES**-c)
    assert (a_hat, b_hat, c_hat) == pytest.approx((a, b, c), rel=1e-3, abs=1e-3)
    assert notes == []


def test_noise_gives_the_least_squares_of_a_general_optimiser():
    scores = 0.9 - 1.5 * SIZES**-0.6 + 0.01 * np.array([1, -1, 0.5, 1, -1])
    (a, b, c), _ = fit_power_law(SIZES, scores)
    found = least_squares(
        lambda p: p[0] + p[1] * SIZES ** -p[2] - scores, [0.8, -1, 0.5], xtol=1e-14, ftol=1e-14
    )
    assert (a, b, c) == pytest.approx(tuple(found.x), rel=1e-3)


def test_a_level_line_has_no_slope():
    curve, notes = fit_power_law(SIZES, np.full(5, 0.8))
    assert curve[0] == pytest.approx(0.8)
    assert curve[1:] == (0.0, 1.0)
    assert "level line" in notes[0]


def test_a_curve_that_falls_off_faster_is_held_at_the_limit():
    (_, _, c), notes = fit_power_law(SIZES, 1 - 900.0 * SIZES**-3.0)
    assert c == pytest.approx(2, rel=1e-3)
    assert "largest allowed value" in notes[0]


def test_a_logarithm_has_no_end_and_this_is_said():
    _, notes = fit_power_law(SIZES, 0.1 * np.log(SIZES))
    assert "has not begun to level off" in notes[0]


def test_three_sizes_fit_anything():
    _, notes = fit_power_law(SIZES[:3], np.array([0.6, 0.7, 0.75]))
    assert "Three sizes" in notes[-1]
