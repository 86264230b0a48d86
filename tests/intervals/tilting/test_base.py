"""What the tilting methods share: mirrored problems, sides, fallbacks, refusals."""

import numpy as np
import pytest
from sklearn.metrics import make_scorer

from benchmarks.published.replication import BootstrapTilting
from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning, SlowMetricWarning
from sklearn_bbc.intervals import DeLong, PooledBootstrap
from sklearn_bbc.intervals._tilting import NoBound, TiltedInterval
from sklearn_bbc.metrics import _metric

Y = np.tile([0, 1], 20)
SCORES = np.random.default_rng(0).normal(size=40) + Y


def method(**params):
    return BootstrapTilting(**{"n_bootstraps": 400, "random_state": 0, **params})


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
        ({"replicate": True}, r"replicate must be PublishedTilting\(\) or None"),
    ],
)
def test_parameters(params, message):
    oof = OOFPredictions(y_true=Y, y_pred=SCORES)
    with pytest.raises(ValueError, match=message):
        method(**params).estimate(oof, "roc_auc")


@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
def test_draws_without_a_class_are_drawn_again_although_some_sample_has_no_weight():
    """F1 of a perfect classifier was 0 in draws without one of the 3 positive samples."""
    y = np.append(np.arange(30) % 10 == 3, False).astype(int)
    for weight in (None, np.append(np.ones(30), 0)):
        oof = OOFPredictions(y_true=y, y_pred=y, sample_weight=weight)
        result = method().estimate(oof, "f1")
        assert result.details["n_redrawn"] > 0 and result.draws.min() == 1


def test_draws_without_a_score_are_left_out():
    """A metric that is undefined without one of the four samples that score highest."""

    def mean(y, pred, sample_weight=None):
        weight = np.ones(len(y)) if sample_weight is None else sample_weight
        return float(np.average(y, weights=weight)) if (y >= fourth).any() else np.nan

    fourth = np.sort(SCORES)[-4]
    oof = OOFPredictions(y_true=SCORES, y_pred=SCORES, classes=None)
    result = method().estimate(oof, make_scorer(mean))
    used = result.details["n_bootstraps_used"]
    assert 380 < used == len(result.draws) < 400 and not np.isnan(result.draws).any()
    assert result.low < result.estimate < result.high


def test_a_fallback_without_an_answer_is_noted():
    y = np.where(np.arange(40) == 7, 1, 0)
    result = method(fallback=DeLong()).estimate(OOFPredictions(y_true=y, y_pred=SCORES), "roc_auc")
    assert np.isnan(tuple(result)).all() and "fallback" not in result.details
    assert result.details["notes"][-1].startswith("The fallback failed too: ")


def test_a_metric_without_a_kernel_is_announced_with_all_its_calls(monkeypatch):
    """One for each resample, and one for each sample that is doubled."""
    monkeypatch.setattr(_metric, "SLOW_SECONDS", 0)

    def mean(y, pred, sample_weight=None):
        return float(np.average(y, weights=sample_weight))

    oof = OOFPredictions(y_true=SCORES, y_pred=SCORES, classes=None)
    with pytest.warns(SlowMetricWarning, match=" 440 times"):
        method().estimate(oof, make_scorer(mean))


def bounds_at(monkeypatch, **of_sides):
    """Let each side have a given bound, or none where it is a text."""

    def root(self, target, resamples, alpha):
        asked.append("high" if asked else "low")
        if isinstance(of_sides[asked[-1]], str):
            raise NoBound(of_sides[asked[-1]])
        return -0.1

    asked = []
    monkeypatch.setattr(TiltedInterval, "_root", root)
    monkeypatch.setattr(TiltedInterval, "_bound_at", lambda *given: of_sides[asked[-1]])


@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
@pytest.mark.parametrize(("low", "high"), [(0.6, 0.5), (0.5, 0.5), (0.4, 0.5)])
def test_bounds_that_cross_are_none(low, high, monkeypatch):
    bounds_at(monkeypatch, low=low, high=high)
    result = method().estimate(OOFPredictions(y_true=Y, y_pred=SCORES), "roc_auc")
    if low <= high:
        assert tuple(result) == (low, high) and "reason" not in result.details
        return
    crossed = "bound: the tilts of the two sides cross"
    assert np.isnan(tuple(result)).all()
    assert result.details["reason"] == f"no low {crossed}; no high {crossed}"


@pytest.mark.filterwarnings("error::sklearn_bbc.exceptions.IntervalWarning")
def test_the_fallback_gives_the_missing_bound_only(monkeypatch):
    oof = OOFPredictions(y_true=Y, y_pred=SCORES)
    bounds_at(monkeypatch, low="not wanted", high=0.97)
    other = DeLong(confidence_level=0.5, alternative="greater")  # neither is taken
    result = method(fallback=other).estimate(oof, "roc_auc")
    assert tuple(result) == (DeLong().estimate(oof, "roc_auc").low, 0.97)
    assert result.details["fallback"] == {"low": "delong"}
    assert result.details["notes"] == [result.details["reason"]] == ["no low bound: not wanted"]
    assert np.isnan([result.details["tau"]["low"], result.details["ess"]["low"]]).all()
    assert other.get_params()["confidence_level"] == 0.5
    bounds_at(monkeypatch, low="not wanted", high=0.97)
    with pytest.raises(IntervalWarning, match="BootstrapTilting: no low bound: not wanted"):
        method().estimate(oof, "roc_auc")
