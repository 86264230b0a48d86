"""P-values by the form of the interval: they never contradict it."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from sklearn_bbc.comparison import PairedBootstrap
from sklearn_bbc.intervals import (
    HierarchicalBootstrap,
    OrderStatistic,
    PooledBootstrap,
    holdout_interval,
)
from sklearn_bbc.intervals._bootstrap import BOOTSTRAP_FORMS, Replicates, interval_bounds, p_value

N_DRAWS = 1999


def replicates(shift=0.0, seed=0, n_draws=N_DRAWS):
    """Means of 40 skewed values and their draws, around `shift`."""
    rng = np.random.default_rng(seed)
    values = rng.gamma(2.0, size=40)
    values += shift - values.mean()
    drawn = values[rng.integers(40, size=(n_draws, 40))]
    errors = drawn.std(axis=1, ddof=1) / np.sqrt(40)
    return Replicates(
        float(values.mean()),
        drawn.mean(axis=1),
        lambda: (float(values.std(ddof=1) / np.sqrt(40)), errors),
        lambda: values - values.mean(),
    )


@pytest.mark.parametrize("form", BOOTSTRAP_FORMS)
@pytest.mark.parametrize("tail", [0.005, 0.025, 0.1, 0.4])
def test_where_a_bound_is_zero_the_p_value_is_its_error_rate(form, tail):
    low, high = interval_bounds(form, replicates(), tail, {"notes": []}, "")
    for alternative, bound in (("greater", low), ("less", high)):
        p = p_value(form, replicates(-bound), alternative)
        assert p == pytest.approx(tail, abs=1.5 / N_DRAWS)


@pytest.mark.parametrize("form", BOOTSTRAP_FORMS)
@pytest.mark.parametrize("shift", [-0.6, -0.2, 0.05, 0.4])
def test_exchanged_models_exchange_the_sides(form, shift):
    there = replicates(shift)
    back = replace(
        there, estimate=-there.estimate, draws=-there.draws, influence=lambda: -there.influence()
    )
    one, other = (p_value(form, there, side) for side in ("greater", "less"))
    assert p_value(form, back, "less") == one and p_value(form, back, "greater") == other
    both = min(1.0, 2 * min(one, other))
    assert p_value(form, there, "two-sided") == both == p_value(form, back, "two-sided")
    assert one + other >= 1 - 1e-9


def test_values_by_hand():
    """With order statistics; draws that equal the bound count in full."""
    draws = np.array([-1.0, 0.0, 1.0, 2.0, 3.0, 3.0, 4.0, 5.0, 7.0])  # mean 24 / 9
    errors = np.array([1.0, 1, 1, 1, 1, 0.5, 0.5, 1, 1])
    given = Replicates(
        3.0, draws, lambda: (1.5, errors), lambda: np.array([1.0, -1.0, 0.0]), OrderStatistic()
    )
    assert p_value("percentile", given, "greater") == pytest.approx(2 / 9)
    assert p_value("percentile", given, "less") == pytest.approx(8 / 9)
    assert p_value("basic", given, "greater") == pytest.approx(1 / 9)  # of 6 and more there is one
    assert p_value("basic", replace(given, estimate=1.5), "greater") == pytest.approx(5 / 9)
    # Pivots 2, 2 and 4 reach the estimate in units of its standard error.
    assert p_value("studentised", given, "greater") == pytest.approx(3 / 9)
    z = (2 * 3 - 24 / 9) / draws.std(ddof=1)
    assert p_value("normal", given, "greater") == pytest.approx(norm.sf(z))
    # Four draws lie below 3 and two equal it: a share of 5 / 9; no acceleration.
    bias = norm.ppf(5 / 9)
    expected = norm.cdf(norm.ppf(2 / 9) - 2 * bias)
    assert p_value("bca", given, "greater") == pytest.approx(expected)


@pytest.mark.parametrize("form", BOOTSTRAP_FORMS)
def test_without_spread_draws_are_counted(form):
    same = Replicates(0.3, np.full(99, 0.3))
    assert p_value(form, same, "two-sided") == pytest.approx(2 / 100)
    assert p_value(form, Replicates(0.0, np.zeros(99)), "two-sided") == 1


def test_beyond_the_pole_of_the_correction_no_level_reaches_zero():
    """Nearly all draws below the estimate, none below zero, and the largest acceleration."""
    draws = np.append(np.linspace(0.1, 1, 998), 2.0)
    skewed = Replicates(1.5, draws, None, lambda: np.array([1.0, 0.0, 0.0, 0.0]))
    assert p_value("bca", skewed, "greater") == 1 / 1000
    assert p_value("bca", skewed, "less") > 0.99


@pytest.mark.parametrize("place", [PooledBootstrap, HierarchicalBootstrap, PairedBootstrap])
def test_the_docstring_lists_every_form(place):
    line = next(line for line in place.__doc__.splitlines() if line.strip().startswith("form :"))
    missing = [form for form in BOOTSTRAP_FORMS if f'"{form}"' not in line]
    assert not missing, f"add {missing} to `form :` in the docstring of {place.__name__}"


def test_the_docstring_of_holdout_interval_lists_every_form():
    missing = [form for form in BOOTSTRAP_FORMS if f'``"{form}"``' not in holdout_interval.__doc__]
    assert not missing, f"add {missing} to `method :` in the docstring of holdout_interval"
