"""Quantiles of draws: three rules, against NumPy, scipy and counts by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from benchmarks.published.replication import LinearQuantile
from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import (
    BBC,
    BBCF,
    DirectBootstrap,
    HierarchicalBootstrap,
    NaiveBootstrap,
    NormalScoreQuantile,
    OrderStatistic,
    PooledBootstrap,
    QuantileRule,
)
from sklearn_bbc.metrics import Metric

RULES = [OrderStatistic(), LinearQuantile(), NormalScoreQuantile()]
ANY = Metric(name="any", scorer=max)
"""Without a range, for draws that are ranks."""
SIZES, LEVELS = st.integers(1, 3000), st.floats(1e-4, 1 - 1e-4)


def bounds(draws, rule, level=0.9, **given):
    result = BBC(quantile=rule, confidence_level=level)._from_draws(
        np.asarray(draws), ANY, **given
    )
    return result.low, result.high


@pytest.mark.parametrize("n, place", [(500, 25), (1000, 50), (10, 0), (19, 0), (20, 1)])
def test_order_statistics_of_published_sizes(n, place):
    """methods.md 6.2: sorted 0..499 at 0.05 is 25, and so on."""
    assert bounds(np.arange(float(n)), None) == (place, n - 1 - place)
    assert OrderStatistic().place(n, 0.05) == (place, 0.0)


@pytest.mark.parametrize("n, level, index", [(10**10, 0.1, 10**9), (10, 1.0, 9), (11, 0.5, 5)])
def test_order_statistics_whatever_the_last_bit_of_the_level(n, level, index):
    assert OrderStatistic().place(n, level) == (index, 0.0)


def test_the_median_is_read_as_a_lower_bound():
    assert OrderStatistic().between(np.arange(10.0), 0.5) == 5


@given(SIZES, LEVELS)
def test_every_rule_stays_among_the_draws_and_rises_with_the_level(n, level):
    for rule in RULES:
        index, share = rule.place(n, level)
        assert 0 <= index < n
        assert 0 <= share <= 1
        assert share == 0 or index < n - 1
        assert sum(rule.place(n, level / 2)) <= index + share


@pytest.mark.parametrize(
    "rule, n, first", [(LinearQuantile(), 101, 29), (NormalScoreQuantile(), 99, 28)]
)
def test_a_level_just_below_a_draw_is_that_draw(rule, n, first):
    """100 * 0.29 is 28.999999999999996: the next draw counts, without a step back from it."""
    index, share = rule.place(n, 0.29)
    assert index == first
    assert 0 <= share < 1e-12
    index, share = rule.place(n, np.nextafter(0.29, 0))
    assert (index, share) == (first, 0.0)


def test_normal_scores_by_hand():
    """Of 9 draws the k-th has level k / 10; 0.15 lies between the first and the second."""
    index, share = NormalScoreQuantile().place(9, 0.15)
    z = norm.ppf([0.1, 0.15, 0.2])
    assert index == 0
    assert share == pytest.approx((z[1] - z[0]) / (z[2] - z[0]), rel=1e-12)
    index, share = NormalScoreQuantile().place(9, 0.19)
    z = norm.ppf([0.1, 0.19, 0.2])
    assert index == 0
    assert share == pytest.approx((z[1] - z[0]) / (z[2] - z[0]), rel=1e-12)
    assert NormalScoreQuantile().place(9, 0.05) == (0, 0.0)  # beyond the extreme draw
    assert NormalScoreQuantile().place(9, 0.97) == (8, 0.0)
    assert NormalScoreQuantile().place(9, 1.0) == (8, 0.0)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_upper_bounds_mirror_lower_ones(rule):
    draws = np.random.default_rng(0).random(777)
    low, high = bounds(draws, rule)
    mirrored = bounds(1 - draws, rule)
    assert (1 - high, 1 - low) == pytest.approx(mirrored, rel=1e-12)


def test_bounds_interpolate_as_numpy_does():
    draws = np.random.default_rng(1).random(777)
    assert bounds(draws, LinearQuantile()) == pytest.approx(np.quantile(draws, [0.05, 0.95]))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_an_enumeration_counts_each_draw_as_often_as_it_occurs(rule):
    """Repeated draws and their multiplicities give the same bounds."""
    rng = np.random.default_rng(2)
    values, times = np.sort(rng.random(30)), rng.integers(1, 9, 30)
    expected = bounds(np.repeat(values, times), rule)
    assert bounds(values, rule, multiplicity=times) == pytest.approx(expected, rel=1e-12)


def test_rules_differ_by_less_than_a_draw_in_every_method():
    rng = np.random.default_rng(3)
    y = np.tile([0, 1], 50)
    scores = rng.normal(size=(100, 8)) + y[:, None]
    oof = OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(100) // 2 % 10)
    for method in (BBC(random_state=0), BBCF(), NaiveBootstrap(random_state=0)):
        found = [
            method.set_params(quantile=rule).estimate(oof, "roc_auc") for rule in (None, *RULES)
        ]
        assert found[0].low == found[1].low
        assert len({result.estimate for result in found}) == 1
        # B * 0.025 = 50 counted from 0, (B - 1) * 0.025 = 49.975, (B + 1) * 0.025 - 1 = 49.025
        assert found[3].low <= found[2].low <= found[1].low
        assert found[1].high <= found[2].high <= found[3].high
        if isinstance(method, BBC):
            draws = np.sort(np.asarray(found[0].draws))
            assert found[2].low == pytest.approx(np.quantile(draws, 0.025), rel=1e-12)
            assert draws[49] <= found[3].low < found[2].low < found[1].low == draws[50]


@pytest.mark.parametrize("method", [BBC, BBCF, NaiveBootstrap, DirectBootstrap])
def test_a_rule_that_is_none_is_named(method):
    with pytest.raises(ValueError, match=r"quantile must be an object .* got 'linear'"):
        method(quantile="linear")._validate()


def test_the_normal_form_has_no_draws_to_read():
    method = NaiveBootstrap(form="normal", quantile=LinearQuantile())
    with pytest.raises(ValueError, match=r"quantile=LinearQuantile.* is about draws"):
        method._validate()


@pytest.mark.parametrize("form", ["percentile", "basic", "bca", "studentised"])
def test_bootstraps_of_one_configuration_read_their_quantiles_by_the_rule(form):
    rng = np.random.default_rng(4)
    y = np.tile([0, 1], 50)
    oof = OOFPredictions(y_true=y, y_pred=rng.normal(size=100) + y, fold=np.arange(100) // 2 % 5)
    for cls in (PooledBootstrap, HierarchicalBootstrap):
        found = {
            type(rule).__name__: cls(form=form, quantile=rule, n_bootstraps=200, random_state=0)
            .estimate(oof, "roc_auc")
            for rule in (None, *RULES)
        }  # fmt: skip
        assert tuple(found["NoneType"]) == tuple(found["NormalScoreQuantile"])
        assert tuple(found["LinearQuantile"]) != tuple(found["NormalScoreQuantile"])
        if form == "percentile":
            draws = np.asarray(found["NoneType"].draws)
            expected = np.quantile(draws, [0.025, 0.975])
            assert tuple(found["LinearQuantile"]) == pytest.approx(expected, rel=1e-12)
            # 0.025 * 200 = 5 from either end
            assert tuple(found["OrderStatistic"]) == tuple(np.sort(draws)[[5, -6]])


@pytest.mark.parametrize("cls", [PooledBootstrap, HierarchicalBootstrap])
def test_the_normal_form_takes_no_quantiles(cls):
    with pytest.raises(ValueError, match=r"quantile=LinearQuantile.* form='normal'"):
        cls(form="normal", quantile=LinearQuantile())._validate()


@pytest.mark.parametrize(
    "place", [(-1, 0.0), (50, 0.0), (49, 0.5), (3, 1.5), (3, -0.5), (3, np.nan)]
)
def test_a_rule_of_ones_own_must_point_at_a_draw(place):
    class Wrong(QuantileRule):
        def place(self, n_draws, level):
            return place

    with pytest.raises(ValueError, match="must return a draw from 0 to 49"):
        bounds(np.arange(50.0), Wrong())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_infinite_draws_give_infinite_bounds_not_undefined_ones(rule):
    draws = np.r_[np.full(10, -np.inf), np.zeros(40)]
    assert bounds(draws, rule) == (-np.inf, 0)
    result = BBC(quantile=rule)._from_draws(draws, ANY)
    assert np.isnan(result.estimate) and "would be -inf" in result.details["reason"]


@pytest.mark.parametrize("place, expected", [((0, 0.0), 0), ((3, 1.0), 4), ((49, 0.0), 49)])
def test_a_rule_of_ones_own_may_point_at_the_ends(place, expected):
    class Edge(QuantileRule):
        def place(self, n_draws, level):
            return place

    assert Edge().between(np.arange(50.0), 0.1) == expected
