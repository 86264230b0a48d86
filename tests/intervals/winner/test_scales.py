"""Scales: there and back, slopes, and which one a metric gets."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_bbc.intervals import Arcsine, Identity, LogDistance
from sklearn_bbc.intervals._rescaled_bbc import scale_for
from sklearn_bbc.metrics import as_metric

SCALES = [(Arcsine(), 0, 1), (Arcsine(-1, 1), -1, 1), (LogDistance(), -50, 0)]
SCALES += [(LogDistance(1.0), -50, 1), (Identity(), -50, 50)]


@pytest.mark.parametrize(("scale", "low", "high"), SCALES)
@given(place=st.floats(0.001, 0.999))
def test_there_and_back(scale, low, high, place):
    score = low + place * (high - low)
    assert scale.backward(scale.forward(score)) == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize(("scale", "low", "high"), SCALES)
@given(place=st.floats(0.01, 0.99))
def test_slope_is_that_of_the_way_back(scale, low, high, place):
    score = low + place * (high - low)
    value, step = scale.forward(score), 1e-6
    change = (scale.backward(value + step) - scale.backward(value - step)) / (2 * step)
    assert scale.slope(score) == pytest.approx(change, rel=1e-4)


@pytest.mark.parametrize(("scale", "low", "high"), SCALES)
def test_rises_with_the_score_and_stays_finite_at_the_ends(scale, low, high):
    values = scale.forward(np.linspace(low, high, 101))
    assert np.isfinite(values).all()
    assert (np.diff(values) > 0).all()
    assert np.isfinite(scale.backward(np.array([-1e3, 0.0, 700.0]))[1:]).all()


def test_beyond_the_ends_are_the_extreme_scores():
    assert Arcsine(-1, 1).backward(np.array([-3.0, 9.0])).tolist() == [-1, 1]
    assert LogDistance(1.0).backward(np.array(800.0)) == 1


def test_scores_that_rounding_puts_beyond_the_ends_count_as_the_ends():
    beyond = np.array([-1e-9, 1 + 1e-9])
    assert Arcsine().forward(beyond).tolist() == Arcsine().forward(np.array([0.0, 1.0])).tolist()
    assert Arcsine().slope(beyond).tolist() == [0, 0]
    assert LogDistance(1.0).slope(beyond[1]) == 0


def test_beyond_all_numbers_is_minus_infinity_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert LogDistance().backward(np.array(-1e4)) == -np.inf


@pytest.mark.parametrize("method", ["forward", "backward", "slope"])
def test_whole_numbers_become_floats(method):
    """A scale is fed with counts, too; integers would cut what is computed from them."""
    assert getattr(Identity(), method)([1, 2]).dtype == float


def test_only_the_arcsine_knows_a_least_error():
    assert Identity().least_error(10) == LogDistance().least_error(10) == 0
    assert Arcsine().least_error(25) == 0.1


def test_the_spread_of_a_proportion_is_the_same_everywhere():
    rng = np.random.default_rng(0)
    for share in (0.2, 0.5, 0.8):
        values = Arcsine().forward(rng.binomial(200, share, size=20_000) / 200)
        assert values.std() == pytest.approx(Arcsine().least_error(200), rel=0.03)


@pytest.mark.parametrize(
    ("scoring", "scale"),
    [
        ("roc_auc", Arcsine(0.0, 1.0)),
        ("accuracy", Arcsine(0.0, 1.0)),
        ("matthews_corrcoef", Arcsine(-1.0, 1.0)),
        ("neg_log_loss", LogDistance(0.0)),
        ("neg_brier_score", LogDistance(0.0)),
        ("neg_mean_squared_error", LogDistance(0.0)),
        ("r2", LogDistance(1.0)),
    ],
)
def test_which_scale_a_metric_gets(scoring, scale):
    assert repr(scale_for(as_metric(scoring).bounds)) == repr(scale)


def test_nothing_is_guessed_for_an_unknown_range():
    assert scale_for((-np.inf, np.inf)) is None
    assert scale_for((0.0, np.inf)) is None


def test_a_perfect_score_comes_back_exactly():
    """It was -1e-12, a loss better than the best one."""
    for best in (0.0, 1.0):
        scale = LogDistance(best)
        assert float(scale.backward(scale.forward(best))) == best
        assert float(scale.backward(scale.forward(best - 1e-9))) < best
    for low, high in ((0, 1), (-1, 1), (-1, 0)):
        scale = Arcsine(low, high)
        assert [float(scale.backward(scale.forward(end))) for end in (low, high)] == [low, high]


@pytest.mark.parametrize(("scale", "low", "high"), SCALES)
def test_scores_within_the_domain_pass(scale, low, high):
    scale.check(np.array([low, np.nan, high, high + 1e-15]), "metric", (-np.inf, high))


@pytest.mark.parametrize(
    ("scale", "scores", "bounds", "found"),
    [
        (Arcsine(), [-0.2], (-np.inf, 0.0), "from 0 to 1, but loss can be -0.2"),
        (Arcsine(), [0.5], (-1.0, 1.0), "from 0 to 1, but loss can be -1"),
        (Arcsine(0, 0.5), [0.4, np.nan, 0.6], (-np.inf, np.inf), "but loss can be 0.6"),
        (LogDistance(), [-3.0], (-np.inf, 1.0), "from -inf to 0, but loss can be 1"),
        (LogDistance(1.0), [2.0], (-np.inf, np.inf), "but loss can be 2"),
        (Arcsine(1, 0), [0.5], (0.0, 1.0), "must have a smaller low than high"),
    ],
)
def test_scores_outside_the_domain_are_refused(scale, scores, bounds, found):
    with pytest.raises(ValueError, match=found):
        scale.check(np.array(scores), "loss", bounds)
    Identity().check(np.array(scores), "loss", bounds)
