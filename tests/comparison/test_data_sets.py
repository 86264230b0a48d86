"""Comparisons over data sets: published numbers, other packages, refusals, degenerate tables."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone

from sklearn_bbc.comparison import (
    BayesianSignedRank,
    BonferroniDunn,
    Friedman,
    Holm,
    Nemenyi,
    Wilcoxon,
    registered_on_data_sets,
)
from sklearn_bbc.comparison._data_sets import most_mass
from sklearn_bbc.results import RankingResult
from sklearn_bbc.testing._common import assert_documented

NAMES = sorted(registered_on_data_sets())
RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=(10, 4)) + [0, 1, 2, 3]
RANKS = stats.rankdata(-SCORES, axis=1).mean(axis=0)
Z = np.abs(RANKS[:, None] - RANKS) / np.sqrt(20 / 60)
UPPER = np.triu_indices(4, 1)


MOVES = (-1, 0, 0, 1)  # in last bits


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_ties_are_ties_whatever_their_last_bits(name, seed):
    """Scores of so many percent: equal scores, and equal differences, are equal."""
    rng = np.random.default_rng(seed)
    whole = rng.integers(70, 76, (7, table(name).shape[1]))
    stored = whole / 100 + rng.choice(MOVES, whole.shape) * np.spacing(0.7)
    given = {"rope": 0.01, "random_state": 0} if "bayes" in name else {}
    exact = made(name, **given | ({"rope": 1.0} if given else {})).compare(whole)
    found = made(name, **given).compare(stored)
    np.testing.assert_array_equal(found.mean_ranks, exact.mean_ranks)
    assert found.p_value == pytest.approx(exact.p_value, rel=1e-9, nan_ok=True)
    if exact.pair_p_values is not None:
        np.testing.assert_allclose(found.pair_p_values, exact.pair_p_values, rtol=1e-9)
        assert found.pairs()["first"].tolist() == exact.pairs()["first"].tolist()
    known = exact.details.get("probabilities")
    assert found.details.get("probabilities") == known
    if "unadjusted_p_values" in exact.details:  # the adjusted ones are often 1
        one, other = (each.details["unadjusted_p_values"] for each in (exact, found))
        np.testing.assert_allclose(other, one, rtol=1e-9)


def made(name, **params):
    method = registered_on_data_sets()[name](**params)
    return method.set_params(random_state=0, n_draws=2000) if "bayes" in name else method


def table(name):
    k = 2 if name == "bayesian_signed_rank" else 4
    return np.random.default_rng(0).normal(size=(8, k)) + np.arange(k)


@pytest.mark.parametrize("name", NAMES)
def test_results_are_complete_and_know_order_sign_and_ties(name):
    method, scores = made(name), table(name)
    result = method.compare(scores)
    k = scores.shape[1]
    assert isinstance(result, RankingResult) and result.method == name
    assert result.mean_ranks.sum() == pytest.approx(k * (k + 1) / 2)
    assert result.n_data_sets == 8 and result.confidence_level == 0.95
    assert pickle.loads(pickle.dumps(result)) == result == clone(method).compare(scores)
    assert all(text.endswith(".") for text in result.assumptions) and result.assumptions
    assert_documented(type(method), result.details)
    assert str(result).startswith("Mean ranks over 8 data sets: ")
    losses = made(name).compare(-scores, greater_is_better=False)
    mixed = made(name).compare(scores[::-1])
    tied = made(name).compare(np.full((6, k), 0.5))
    for same in (losses, mixed):
        np.testing.assert_allclose(same.mean_ranks, result.mean_ranks)
    assert np.ptp(tied.mean_ranks) == 0 and (np.isnan(tied.p_value) or tied.p_value == 1)
    if result.pair_p_values is not None:
        for same in (losses.pair_p_values, mixed.pair_p_values, result.pair_p_values.T):
            np.testing.assert_allclose(same, result.pair_p_values)
        assert np.nanmax(result.pair_p_values) <= 1 and np.nanmin(result.pair_p_values) >= 0
        assert np.nanmin(tied.pair_p_values) == 1 and not tied.pairs()["is_shown"].any()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "change, message",
    [
        (lambda s: s[:4], r"needs at least 5 data sets \(rows\), got 4"),
        (lambda s: np.where(s == s[2, 1], np.nan, s), "first in row 2, column 1"),
        (lambda s: s[:, :1], "learners, got 1"),
        (lambda s: s[0], r"scores has shape \(.,\), expected"),
    ],
)
def test_bad_tables(name, change, message):
    with pytest.raises(ValueError, match=message):
        made(name).compare(change(table(name)))


@pytest.mark.parametrize(
    "method, scores, message",
    [
        (Holm(control="nobody"), SCORES, r"control must .*\['learner 0', 'learner 1'"),
        (BonferroniDunn(control=None), SCORES, "control must be"),
        (BayesianSignedRank(), np.ones((6, 3)), "compares 2 learners, got 3.*Nemenyi"),
        (Friedman(), np.zeros((6, 2)), "3 or more learners, got 2.*use Wilcoxon"),
        (Friedman(), np.zeros((3, 7)), "looks transposed"),
    ],
)  # fmt: skip
def test_refusals(method, scores, message):
    with pytest.raises(ValueError, match=message):
        method.compare(scores)


def test_columns_of_a_table_are_names():
    frame = pd.DataFrame(SCORES, columns=["a", "b", "c", "d"])
    assert Nemenyi().compare(frame).frame()["learner"].tolist() == ["d", "c", "b", "a"]
    by_name = Holm(control="d").compare(frame)
    assert by_name == Holm(control=3).compare(frame)
    assert set(by_name.pairs()["first"]) == {"d"} and len(by_name.pairs()) == 3
    assert by_name.frame()["p_value"].iloc[0] == 1
    with pytest.raises(ValueError, match="names must be 4 different"):
        Nemenyi().compare(SCORES, names=["a", "a", "b", "c"])


def test_ranks():
    scores = [[0.9, 0.8, 0.8], [0.1, 0.2, 0.3], [0.5, 0.5, 0.5], [1, 2, 3], [3, 2, 1]]
    expected = [[1, 2.5, 2.5], [3, 2, 1], [2, 2, 2], [3, 2, 1], [1, 2, 3]]
    np.testing.assert_array_equal(Friedman().compare(scores).details["ranks"], expected)


@pytest.mark.parametrize("ties", [False, True])
def test_friedman_equals_scipy_and_iman_davenport(ties):
    scores = np.random.default_rng(0).normal(size=(12, 5))
    scores = np.round(scores) if ties else scores
    result = Friedman(corrected=False).compare(scores)
    expected = stats.friedmanchisquare(*scores.T)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-10)
    assert result.p_value == pytest.approx(expected.pvalue, rel=1e-10)
    ratio = 11 * result.statistic / (48 - result.statistic)
    corrected = Friedman().compare(scores)
    assert corrected.statistic == pytest.approx(ratio)
    assert corrected.p_value == pytest.approx(stats.f.sf(ratio, 4, 44))


def test_friedman_on_the_published_example():
    """Demsar's table of 14 data sets: mean ranks 3.143, 2.000, 2.893, 1.964."""
    scores = np.array([  # C4.5, C4.5+m, C4.5+cf, C4.5+m+cf, area under the ROC curve
        [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975], [0.957, 0.978, 0.946, 0.970],
    ])  # fmt: skip
    result = Friedman().compare(scores)
    np.testing.assert_allclose(result.mean_ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    n, k = 14, 4  # the published arithmetic has no correction for ties
    chi2 = 12 * n / (k * (k + 1)) * (np.sum(result.mean_ranks**2) - k * (k + 1) ** 2 / 4)
    assert chi2 == pytest.approx(9.28, abs=5e-3)
    assert (n - 1) * chi2 / (n * (k - 1) - chi2) == pytest.approx(3.69, abs=5e-3)
    assert result.statistic > 3.69 and result.p_value < 0.05, "ties make it larger"


def test_friedman_where_all_agree_or_all_tie():
    result = Friedman().compare(np.tile([0.3, 0.2, 0.1], (6, 1)))
    assert result.statistic == np.inf
    assert result.p_value == pytest.approx(1 / math.factorial(3) ** 5)
    assert Friedman(corrected=False).compare(np.tile([3, 2, 1], (6, 1))).statistic == 12
    tied = Friedman().compare(np.ones((6, 3)))
    assert tied.statistic == 0 and "nothing to rank" in tied.details["notes"][0]


def test_friedman_seldom_calls_alike_learners_different():
    rng = np.random.default_rng(0)
    p = [Friedman().compare(rng.normal(size=(10, 5))).p_value for _ in range(200)]
    assert np.mean(np.array(p) <= 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)


def test_nemenyi_shows_what_is_beyond_the_critical_difference():
    posthocs = pytest.importorskip("scikit_posthocs", reason="compares with scikit-posthocs")
    result = Nemenyi().compare(SCORES)
    expected = posthocs.posthoc_nemenyi_friedman(SCORES).to_numpy()
    np.testing.assert_allclose(result.pair_p_values, expected, rtol=1e-10, atol=1e-12)
    distance = np.abs(RANKS[:, None] - RANKS)
    shown = distance >= result.critical_difference
    np.testing.assert_array_equal(result.pair_p_values <= 0.05, shown)
    assert shown.any()
    nothing = Nemenyi().compare(np.random.default_rng(0).normal(size=(6, 3)))
    assert "do not read much into" in nothing.details["notes"][0]
    assert nothing.details["friedman_p_value"] > 0.05


def test_bonferroni_dunn_compares_with_the_control():
    result = BonferroniDunn(control=1).compare(SCORES)
    others = [0, 2, 3]
    p = np.minimum(1, 3 * 2 * stats.norm.sf(Z[1, others]))
    np.testing.assert_allclose(result.pair_p_values[1, others], p)
    assert np.isnan(result.pair_p_values[0, 2]) and result.control == 1 and result.groups() == []
    shown = np.abs(RANKS - RANKS[1])[others] >= result.critical_difference
    np.testing.assert_array_equal(result.pair_p_values[1, others] <= 0.05, shown)


def holm(p_values):
    """The k-th smallest of n counts n - k + 1 times, and no less than a smaller one."""
    adjusted, largest = np.empty(len(p_values)), 0.0
    for k, i in enumerate(np.argsort(p_values)):
        adjusted[i] = largest = max(largest, min(1.0, (len(p_values) - k) * p_values[i]))
    return adjusted


def test_holm_on_mean_ranks():
    p = 2 * stats.norm.sf(Z)
    every = Holm().compare(SCORES)
    np.testing.assert_allclose(every.pair_p_values[UPPER], holm(p[UPPER]), rtol=1e-12)
    assert every.control is None and np.isnan(every.critical_difference)
    found = Holm(control=2).compare(SCORES).pair_p_values
    assert np.isnan(found[0, 1]) and found[1, 1] == 1
    found = found[2]
    np.testing.assert_allclose(np.delete(found, 2), holm(np.delete(p[2], 2)), rtol=1e-12)
    np.testing.assert_allclose(holm(np.array([0.01, 0.04, 0.03])), [0.03, 0.06, 0.06])


@pytest.mark.parametrize("control", [None, 0])
def test_wilcoxon_is_scipys_adjusted_as_by_statsmodels(control):
    multitest = pytest.importorskip("statsmodels.stats.multitest", reason="with statsmodels")
    scores = np.random.default_rng(0).normal(size=(12, 4)) + [0, 0.7, 1, 0]
    pairs = np.transpose(UPPER if control is None else ([0, 0, 0], [1, 2, 3]))
    p = [stats.wilcoxon(scores[:, i], scores[:, j]).pvalue for i, j in pairs]
    result = Wilcoxon(control=control).compare(scores)
    expected = multitest.multipletests(p, method="holm")[1]
    np.testing.assert_allclose(result.pair_p_values[tuple(pairs.T)], expected, rtol=1e-12)
    np.testing.assert_allclose(result.details["unadjusted_p_values"][tuple(pairs.T)], p)


def test_wilcoxon_counts_data_sets_without_a_difference_half():
    d = np.arange(7) / 10
    result = Wilcoxon().compare(np.stack([d, 0 * d], axis=1))
    expected = stats.wilcoxon(d, zero_method="zsplit").pvalue
    assert result.pair_p_values[0, 1] == pytest.approx(expected)


@pytest.mark.parametrize("rope", [0.0, 0.01, 0.03])
def test_bayesian_signed_rank_equals_baycomp(rope):
    baycomp = pytest.importorskip("baycomp", reason="compares with baycomp")
    x, y = 0.8 + 0.03 * np.random.default_rng(0).normal(size=(2, 9))
    sample = baycomp.SignedRankTest.sample(x, y, rope, nsamples=500, random_state=1)
    weights = np.random.RandomState(1).dirichlet([0.5] + [1] * 9, 500)
    found = most_mass(y - x, weights, rope)  # baycomp's left is x, its right is y
    np.testing.assert_array_equal(found, 2 - sample.argmax(axis=1))
    expected = baycomp.SignedRankTest.probs(x, y, rope, nsamples=4000)
    method = BayesianSignedRank(rope=rope, n_draws=20000, random_state=0)
    result = method.compare(np.stack([x, y], axis=1))
    found = result.details["probabilities"]
    found = [found["first"], found["second"]]
    np.testing.assert_allclose(found, [expected[0], expected[-1]], atol=0.03)


def test_bayesian_signed_rank_of_equal_learners_and_seeds():
    for rope in (0.0, 0.01):
        method = BayesianSignedRank(rope=rope, n_draws=200, random_state=0)
        details = method.compare(np.ones((6, 2))).details
        assert details["probabilities"] == {"first": 0, "equivalent": 1, "second": 0}
        assert details["better"] is None
    scores = np.random.default_rng(0).normal(size=(8, 2)) + [0, 0.3]
    one, other = (BayesianSignedRank(random_state=seed).compare(scores) for seed in (0, 1))
    assert one.details["probabilities"] != other.details["probabilities"]
    assert one.details["seed"] == 0
