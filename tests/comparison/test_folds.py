"""Comparisons on scores per fold: formulas by hand, scipy, baycomp, where scores come from."""

import numpy as np
import pytest
from scipy import stats

from sklearn_bbc.comparison import BayesianCorrelatedT, CorrectedResampledT, KFoldPairedT, Side
from sklearn_bbc.intervals import CorrectedT
from sklearn_bbc.testing import example_predictions
from tests.made import made

SCORES = np.array([[0.80, 0.75], [0.75, 0.72], [0.90, 0.80], [0.70, 0.71], [0.85, 0.80]])
RANDOM = 0.8 + 0.03 * np.random.default_rng(3).normal(size=(10, 2)) + [0.02, 0]


def published(scores, name="accuracy", **fields):
    fold_scores = {name: np.asarray(scores, dtype=float)}
    return made(fold_scores=fold_scores, **fields)


def compared(method, scores=SCORES, name="accuracy", first=0, second=1, **fields):
    oof = published(scores, name, **fields)
    sides = Side(oof=oof, config=first, name="a"), Side(oof=oof, config=second, name="b")
    return method.compare(*sides, name)


# --- t tests ---


@pytest.mark.parametrize("repeats", [1, 2])
def test_the_corrected_t_test_by_hand(repeats):
    repeat = np.repeat(np.arange(repeats), 5)
    result = compared(CorrectedResampledT(), np.tile(SCORES, (repeats, 1)), repeat=repeat)
    d = np.tile([0.05, 0.03, 0.10, -0.01, 0.05], repeats)
    error, degrees = d.std(ddof=1) * np.sqrt(1 / len(d) + 1 / 4), len(d) - 1
    assert result.difference == pytest.approx(0.044)
    assert result.statistic == pytest.approx(0.044 / error)
    assert result.p_value == pytest.approx(2 * stats.t.sf(0.044 / error, degrees))
    half = stats.t.ppf(0.975, degrees) * error
    assert tuple(result) == pytest.approx((0.044 - half, 0.044 + half))
    details = {"degrees": degrees, "test_over_train": 0.25, "n_folds": len(d),
               "n_repeats": repeats, "unit": "fold"}  # fmt: skip
    assert {name: result.details[name] for name in details} == details
    assert result.details["scores"] == pytest.approx(SCORES.mean(axis=0))


def test_the_corrected_t_test_is_the_interval_of_the_differences():
    result = compared(CorrectedResampledT(confidence_level=0.9))
    column = published(-np.diff(SCORES), "r2")
    expected = CorrectedT(confidence_level=0.9).estimate(column, "r2")
    assert tuple(result) == pytest.approx(tuple(expected))


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("method", [KFoldPairedT(), CorrectedResampledT(test_over_train=0)])
def test_without_correction_it_is_scipys_paired_t_test(method, alternative):
    scores = np.random.default_rng(1).normal(size=(8, 2))
    result = compared(method.set_params(alternative=alternative), scores, "quality")
    expected = stats.ttest_rel(*scores.T, alternative=alternative)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-10)
    assert result.p_value == pytest.approx(expected.pvalue, rel=1e-10)
    assert tuple(result) == pytest.approx(tuple(expected.confidence_interval(0.95)), rel=1e-10)
    discouraged = isinstance(method, KFoldPairedT)
    assert ("not recommended" in result.summary()) == discouraged
    assert ("Not recommended" in " ".join(result.details["notes"])) == discouraged


# --- Bayesian ---


@pytest.mark.parametrize("rope", [0, 0.01, 0.03])
@pytest.mark.parametrize("runs", [1, 2])
def test_the_bayesian_t_test_equals_baycomp(rope, runs):
    baycomp = pytest.importorskip("baycomp", reason="compares with baycomp")
    expected = baycomp.two_on_single(RANDOM[:, 1], RANDOM[:, 0], rope=rope, runs=runs)
    repeat = np.repeat(np.arange(runs), 10 // runs)
    result = compared(BayesianCorrelatedT(rope=rope), RANDOM, repeat=repeat)
    found = result.details["probabilities"]
    np.testing.assert_allclose(found["second"], expected[0], rtol=1e-10)
    np.testing.assert_allclose(found["first"], expected[-1], rtol=1e-10)
    assert found["equivalent"] == pytest.approx(expected[1] if rope else 0, abs=1e-12)
    assert tuple(result) == pytest.approx(
        tuple(compared(CorrectedResampledT(), RANDOM, repeat=repeat))
    )
    assert np.isnan(result.p_value) and np.isnan(result.statistic)


def test_the_sentence_has_the_probabilities():
    text = str(compared(BayesianCorrelatedT(), RANDOM))
    assert "95% credible interval" in text and "p =" not in text
    assert "a is better by more than 0.01 with probability 0." in text
    assert "they are equivalent with 0." in text
    without = str(compared(BayesianCorrelatedT(rope=0), RANDOM))
    assert "a is better with probability" in without and "equivalent" not in without


@pytest.mark.parametrize(("rope", "expected"), [(0.01, [1, 0, 0]), (0.1, [0, 1, 0])])
def test_without_spread_the_posterior_is_a_point(rope, expected):
    with pytest.warns(UserWarning, match="no spread"):
        result = compared(BayesianCorrelatedT(rope=rope), np.tile([0.9, 0.85], (5, 1)))
    assert list(result.details["probabilities"].values()) == expected
    assert result.details["degenerate"] and result.low == result.high


@pytest.mark.parametrize(("rope", "noted"), [(0.01, True), (0, False)])
def test_a_rope_without_a_unit_is_noted(rope, noted):
    notes = compared(BayesianCorrelatedT(rope=rope), -RANDOM, "neg_max_error").details["notes"]
    assert any("choose a rope" in note for note in notes) == noted


# --- where scores come from ---


@pytest.mark.parametrize(
    ("scores", "selected", "expected"),
    [
        ([[0.8, 0.7, 0.1], [0.9, 0.7, 0.2], [0.7, 0.6, 0.3]], None, 0),
        ([[0.8, 0.7, 0.1], [0.9, 0.7, 0.2], [0.7, 0.6, 0.3]], 1, 1),
        # The first of means that differ by rounding: 0.1 + 0.2 is not more than 0.3.
        ([[0.3, 0.1, 0.0], [0.0, 0.2, 0.0], [0.3, 0.3, 0.0]], None, 0),
    ],
)
def test_the_winner_is_the_search_s_or_the_best_mean(scores, selected, expected):
    oof = published(scores)
    tuned = oof if selected is None else oof.with_selected(selected)
    result = CorrectedResampledT().compare(tuned, Side(oof=oof, config=2), "accuracy")
    assert result.details["configs"] == [expected, 2]
    assert "chosen on these samples" in result.details["notes"][-1]


LACKS = [[0.8, 0.7], [0.9, np.nan], [0.7, 0.6]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compared(CorrectedResampledT(), LACKS), r"b has no finite accuracy in fold .1"),
        (lambda: CorrectedResampledT().compare(
            published([[np.nan, np.nan], [0.9, 1]]), published([[1], [1]]), "accuracy"),
         "No configuration"),
        *((lambda name=name: CorrectedResampledT().compare(
            published(LACKS), Side(oof=published(LACKS), config=0), name), message)
          for name, message in (("no_such", "'no_such' is unknown"), (["accuracy"], "scoring"))),
        (lambda: CorrectedResampledT().compare(
            *(Side(oof=example_predictions(n_folds=1), config=k) for k in (0, 1)), "roc_auc"),
         "at least 2 folds"),
    ],
)  # fmt: skip
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
