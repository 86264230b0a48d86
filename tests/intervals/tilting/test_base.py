"""What the tilting methods share: mirrored problems, sides, fallbacks, refusals."""

import numpy as np
import pytest
from sklearn.metrics import make_scorer

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BootstrapTilting, DeLong, PooledBootstrap
from sklearn_bbc.intervals.tilting._base import Resamples
from sklearn_bbc.intervals.tilting._tilt import Strata, Tilt

Y = np.tile([0, 1], 20)
SCORES = np.random.default_rng(0).normal(size=40) + Y


def method(**params):
    return BootstrapTilting(**{"n_bootstraps": 400, "random_state": 0, **params})


def test_a_mirrored_problem_has_the_signs_turned_and_mirrors_back():
    strata = Strata(np.arange(3), np.zeros(3, int), np.array([3]))
    tilt = Tilt.by_influence(np.array([-1.0, 0.0, 1.0]), strata)
    made = Resamples(np.array([[0.2], [0.4]]), np.array([0.3]), 0, tilt, np.array([1.0, -2.0]))
    turned = made.mirrored()
    assert turned.scores.tolist() == [[-0.2], [-0.4]] and turned.observed.tolist() == [-0.3]
    np.testing.assert_array_equal(turned.projections, -made.projections)
    np.testing.assert_allclose(turned.tilt.weights(0.5), made.tilt.weights(-0.5))
    np.testing.assert_array_equal(turned.mirrored().scores, made.scores)


def test_one_side_is_that_of_both_sides_at_its_level():
    oof = OOFPredictions(y_true=Y, y_pred=SCORES)
    both = method(confidence_level=0.9).estimate(oof, "roc_auc")
    lower = method(alternative="greater").estimate(oof, "roc_auc")
    upper = method(alternative="less").estimate(oof, "roc_auc")
    assert (lower.low, upper.high) == (both.low, both.high)
    assert lower.high == 1 and upper.low == 0
    assert set(lower.details["tau"]) == {"low"} and set(upper.details["tau"]) == {"high"}


def test_bounds_that_do_not_exist_come_from_the_fallback():
    """Perfect scores: no tilt changes the area under the curve."""
    oof = OOFPredictions(y_true=Y, y_pred=Y + SCORES / 100)
    with pytest.warns(IntervalWarning, match="no low bound: every sample moves the score alike"):
        alone = method().estimate(oof, "roc_auc")
    assert np.isnan(alone.low) and "no low bound" in alone.details["reason"]
    other = PooledBootstrap(n_bootstraps=50, random_state=0)
    result = method(fallback=other).estimate(oof, "roc_auc")
    expected = other.estimate(oof, "roc_auc")
    assert tuple(result) == tuple(expected)
    assert result.details["fallback"] == dict.fromkeys(("low", "high"), expected.method)


def test_a_class_of_one_sample_is_named():
    y = np.where(np.arange(40) == 7, 1, 0)
    with pytest.warns(IntervalWarning, match="class 1 has a single sample"):
        result = method().estimate(OOFPredictions(y_true=y, y_pred=SCORES), "roc_auc")
    assert np.isnan([result.low, result.high]).all()


def test_metrics_without_weights_are_refused():
    def spread(y_true, y_pred):
        return float(np.mean(np.abs(y_true - y_pred)))

    oof = OOFPredictions(y_true=SCORES, y_pred=SCORES + Y, classes=None)
    with pytest.raises(ValueError, match="BootstrapTilting weighs the samples, but spread takes"):
        method().estimate(oof, make_scorer(spread, greater_is_better=False))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"fallback": BootstrapTilting()}, "an interval method that does not tilt"),
        ({"fallback": "delong"}, "fallback must be None or an interval method"),
        ({"replicate": True}, r"replicate must be PublishedTilting\(\) or None"),
    ],
)
def test_parameters(params, message):
    oof = OOFPredictions(y_true=Y, y_pred=SCORES)
    method(fallback=DeLong())._validate()
    with pytest.raises(ValueError, match=message):
        method(**params).estimate(oof, "roc_auc")


def test_bounds_that_rest_on_fewer_than_fifty_resamples_are_noted():
    details = {"notes": []}
    method()._report(details, {"low": 49.4, "high": 50.0}, {})
    assert details["notes"] == [
        "Few resamples carry the weight of the tilt (low bound: 49 effective ones, fewer than "
        "50); more n_bootstraps help."
    ]


@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
def test_draws_without_a_class_are_drawn_again_although_some_sample_has_no_weight():
    """F1 of a perfect classifier was 0 in draws without one of the 3 positive samples."""
    y = np.append(np.arange(30) % 10 == 3, False).astype(int)
    for weight in (None, np.append(np.ones(30), 0)):
        oof = OOFPredictions(y_true=y, y_pred=y, sample_weight=weight)
        result = method().estimate(oof, "f1")
        assert result.details["n_redrawn"] > 0 and result.draws.min() == 1
