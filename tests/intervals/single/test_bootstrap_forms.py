"""Quantiles of replicates and the forms on replicates whose answer is known."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import NormalScoreQuantile, OrderStatistic
from sklearn_bbc.intervals._bootstrap import BOOTSTRAP_FORMS, Replicates, interval_bounds


@pytest.mark.parametrize("skewed", [False, True])
@pytest.mark.parametrize("estimate", [0.0, 0.3, -0.5])
def test_bca_by_its_formula(estimate, skewed):
    """On replicates that are normal quantiles a bound is the corrected level's normal quantile."""
    draws = norm.ppf(np.arange(1, 20_000) / 20_000)
    influence = np.array([-1.0, -1, 2] if skewed else [-1.0, 0, 1])
    acceleration = (influence**3).sum() / (6 * (influence**2).sum() ** 1.5)
    found = bounds("bca", Replicates(estimate, draws, None, lambda: influence), 0.05)
    # The share of draws below the estimate is its normal probability.
    shifted = estimate + norm.ppf([0.05, 0.95])
    expected = estimate + shifted / (1 - acceleration * shifted)
    assert found == pytest.approx(expected, abs=2e-3)


def bounds(form, replicates, tail):
    return interval_bounds(form, replicates, tail, {"notes": []}, "Mine")


def skewed():
    """Replicates, standard errors and influence values without any symmetry."""
    rng = np.random.default_rng(4)
    draws = rng.gamma(2.0, 0.1, size=999)
    return 0.15, draws, 0.1, rng.uniform(0.05, 0.3, size=999), rng.exponential(size=40) - 1


def replicates_of(estimate, draws, error, errors, influence):
    return Replicates(estimate, draws, lambda: (error, errors), lambda: influence)


@pytest.mark.parametrize("name", BOOTSTRAP_FORMS)
def test_the_negated_score_has_the_mirrored_bounds(name):
    estimate, draws, error, errors, influence = skewed()
    for values in (draws, np.round(draws, 1)):  # with many ties, too
        low, high = bounds(name, replicates_of(estimate, values, error, errors, influence), 0.05)
        mirrored = replicates_of(-estimate, -values, error, errors, -influence)
        again = bounds(name, mirrored, 0.05)
        np.testing.assert_allclose((-again[1], -again[0]), (low, high), atol=1e-9)
        assert abs((low + high) / 2 - estimate) > 1e-3, "lopsided, or it would show nothing"


def test_bca_with_an_acceleration_that_turns_the_levels_round_is_undefined():
    draws = np.concatenate([np.zeros(99_998), [1.0, 1.0]])
    influence = np.zeros(1000)
    influence[0] = 1.0
    with pytest.raises(UndefinedIntervalError, match=r"acceleration of 0\.167 is too large"):
        bounds("bca", Replicates(0.5, draws, None, lambda: influence), 0.005)


def test_bca_with_an_infinite_influence_is_refused():
    replicates = Replicates(0.0, np.arange(-9.0, 10), influence=lambda: np.array([np.inf, 1, 2]))
    with np.errstate(all="ignore"), pytest.raises(UndefinedIntervalError, match="acceleration"):
        bounds("bca", replicates, 0.05)


def test_the_normal_form_by_hand():
    draws = np.array([1.0, 2, 4, 5])
    centre, half = 2 * 2.5 - 3, norm.ppf(0.9) * np.sqrt(10 / 3)
    assert bounds("normal", Replicates(2.5, draws), 0.1) == pytest.approx(
        (centre - half, centre + half)
    )
    with pytest.raises(UndefinedIntervalError, match="1 of 4 draws have an infinite score"):
        bounds("normal", Replicates(2.5, np.array([1.0, 2, 4, -np.inf])), 0.1)


def test_quantiles_are_read_off_by_the_given_rule():
    """Order statistics are draws themselves, where the default lies between two."""
    estimate, draws, error, errors, influence = skewed()
    draws = draws[:990]
    made = replace(
        replicates_of(estimate, draws, error, errors[:990], influence), rule=OrderStatistic()
    )
    pivots = (draws - estimate) / errors[:990]
    places = {
        "percentile": (lambda bound: bound, draws),
        "basic": (lambda bound: 2 * estimate - bound, draws),
        "bca": (lambda bound: bound, draws),
        "studentised": (lambda bound: (estimate - bound) / error, pivots),
    }
    for name, (read, among) in places.items():
        for bound, other in zip(bounds(name, made, 0.0613), bounds(name,
            replace(made, rule=NormalScoreQuantile()), 0.0613), strict=True):  # fmt: skip
            assert np.abs(among - read(bound)).min() < 1e-12, name
            assert np.abs(among - read(other)).min() > 1e-9, name


def test_the_studentised_form_takes_standard_errors_of_half_of_the_draws():
    draws = np.linspace(0.1, 0.9, 10)

    def usable_bounds(n_usable, on_data=0.1):
        errors = np.where(np.arange(10) < n_usable, 0.1, 0.0)
        return bounds("studentised", Replicates(0.5, draws, lambda: (on_data, errors)), 0.3)

    usable = Replicates(0.5, draws[:5], lambda: (0.1, np.full(5, 0.1)))
    assert usable_bounds(5) == bounds("studentised", usable, 0.3)
    for undefined in ((4, 0.1), (10, 0.0)):
        with pytest.raises(UndefinedIntervalError, match="standard errors, but they are zero"):
            usable_bounds(*undefined)


@pytest.mark.parametrize(("estimate", "side"), [(0.0, "below"), (1.0, "above"), (-1, "below")])
def test_bca_needs_draws_on_both_sides_of_the_estimate(estimate, side):
    draws = np.repeat([0.0, 0.5, 1.0], 5)
    replicates = Replicates(estimate, draws, influence=lambda: np.array([-1.0, 1.0]))
    with pytest.raises(UndefinedIntervalError, match=f"0% of the draws lie {side} the estimate"):
        bounds("bca", replicates, 0.05)


@pytest.mark.parametrize(
    ("estimate", "off", "degenerate"),
    [
        (0.5, 0.7e-12, True), (0.5, 1.5e-12, False), (1e-3, 1e-13, True),
        (1e3, 0.9e-9, True), (1e3, 1.2e-9, False), (-1e3, 0.9e-9, True),
    ],
)  # fmt: skip
def test_draws_that_differ_by_rounding_are_a_point(estimate, off, degenerate):
    replicates, details = Replicates(estimate, estimate + off * np.array([1.0, 0, -1])), {}
    details["notes"] = []
    if degenerate:
        with pytest.warns(IntervalWarning, match=f"Mine: Every draw scores {estimate:g}: no spr"):
            bounds = interval_bounds("percentile", replicates, 0.3, details, "Mine")
        assert bounds == (estimate, estimate) and len(details["notes"]) == 1
    else:
        low, high = interval_bounds("percentile", replicates, 0.3, details, "Mine")
        assert low < estimate < high and not details["notes"]
    assert details["degenerate"] is degenerate
