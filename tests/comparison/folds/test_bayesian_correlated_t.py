"""Bayesian correlated t: baycomp's probabilities, the interval of the corrected t test."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import BayesianCorrelatedT, CorrectedResampledT, Side


def sides(scores, **fields):
    oof = OOFPredictions(
        y_true=np.empty(0), classes=None, fold_scores={"accuracy": scores}, **fields
    )
    return Side(oof=oof, config=0, name="a"), Side(oof=oof, config=1, name="b")


@pytest.fixture
def scores():
    return 0.8 + 0.03 * np.random.default_rng(3).normal(size=(10, 2)) + [0.02, 0]


@pytest.mark.parametrize("rope", [0, 0.01, 0.03])
@pytest.mark.parametrize("runs", [1, 2])
def test_equals_baycomp(scores, rope, runs):
    baycomp = pytest.importorskip("baycomp", reason="compares with baycomp")
    expected = baycomp.two_on_single(scores[:, 1], scores[:, 0], rope=rope, runs=runs)
    repeat = np.repeat(np.arange(runs), 10 // runs)
    result = BayesianCorrelatedT(rope=rope).compare(*sides(scores, repeat=repeat), "accuracy")
    found = result.details["probabilities"]
    if rope == 0:
        np.testing.assert_allclose([found["second"], found["first"]], expected, rtol=1e-10)
        assert found["equivalent"] == pytest.approx(0, abs=1e-12)
    else:
        np.testing.assert_allclose(
            [found["second"], found["equivalent"], found["first"]], expected, rtol=1e-10
        )


def test_the_interval_is_that_of_the_corrected_t_test(scores):
    result = BayesianCorrelatedT(confidence_level=0.9).compare(*sides(scores), "accuracy")
    expected = CorrectedResampledT(confidence_level=0.9).compare(*sides(scores), "accuracy")
    assert tuple(result) == pytest.approx(tuple(expected))
    assert np.isnan(result.p_value) and np.isnan(result.statistic)


def test_the_sentence_has_the_probabilities(scores):
    text = str(BayesianCorrelatedT().compare(*sides(scores), "accuracy"))
    assert "95% credible interval" in text and "p =" not in text
    assert "a is better by more than 0.01 with probability 0." in text
    assert "they are equivalent with 0." in text
    without = str(BayesianCorrelatedT(rope=0).compare(*sides(scores), "accuracy"))
    assert "a is better with probability" in without and "equivalent" not in without


def test_without_spread_the_posterior_is_a_point():
    scores = np.tile([0.9, 0.85], (5, 1))
    with pytest.warns(UserWarning, match="no spread"):
        result = BayesianCorrelatedT(rope=0.01).compare(*sides(scores), "accuracy")
    assert result.details["probabilities"] == {"first": 1, "equivalent": 0, "second": 0}
    with pytest.warns(UserWarning, match="no spread"):
        result = BayesianCorrelatedT(rope=0.1).compare(*sides(scores), "accuracy")
    assert result.details["probabilities"] == {"first": 0, "equivalent": 1, "second": 0}


def test_a_rope_without_a_unit_is_told(scores):
    oof = OOFPredictions(
        y_true=np.empty(0), classes=None, fold_scores={"neg_mean_squared_error": -scores}
    )
    pair = Side(oof=oof, config=0), Side(oof=oof, config=1)
    told = BayesianCorrelatedT().compare(*pair, "neg_mean_squared_error").details["notes"]
    assert any("choose a rope" in note for note in told)
    told = BayesianCorrelatedT(rope=0).compare(*pair, "neg_mean_squared_error").details["notes"]
    assert not any("choose a rope" in note for note in told)


def test_bad_ropes_are_refused(scores):
    for rope in (-0.1, "a", None, np.inf, True):
        with pytest.raises(ValueError, match="rope must be"):
            BayesianCorrelatedT(rope=rope).compare(*sides(scores), "accuracy")
