"""Methods for tied sets: plain loops, published numbers, properties of all, refusals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, ttest_rel

from sklearn_bbc.comparison import (
    Bonferroni,
    CrossValidationWithConfidence,
    ModelConfidenceSet,
    SoftminLeaveOneOut,
    TiedMethod,
    registered_tied,
)
from sklearn_bbc.comparison._tied_methods import all_pairs, by_max, by_range
from sklearn_bbc.resampling import Streams
from sklearn_bbc.testing import checks

METHODS = {name: cls for name, cls in registered_tied().items() if "sklearn_bbc" in cls.__module__}
everyone = pytest.mark.parametrize("name", sorted(METHODS))
either = pytest.mark.parametrize("standardized", [True, False])
seeds = st.integers(0, 2**32 - 1)


def quick(name, **params):
    known = METHODS[name]().get_params()
    wanted = {"n_bootstraps": 100, "random_state": 0, **params}
    return METHODS[name]().set_params(**{k: v for k, v in wanted.items() if k in known})


def made(seed, n_units=24, n_configs=5, step=0.1):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_units, n_configs)) + step * np.arange(n_configs)


# --- all of them ---


@everyone
@pytest.mark.parametrize("check", checks(TiedMethod), ids=lambda check: check.__name__)
def test_contract(name, check):
    check(METHODS[name])


@everyone
@given(seed=seeds, factor=st.sampled_from([1e-6, 0.5, 1e6]), shift=st.floats(-100, 100))
def test_order_copies_unit_and_origin_do_not_matter(name, seed, factor, shift):
    values, fold = made(seed), np.arange(24) % 4
    method, places = quick(name), [3, 0, 0, 1, 4, 4, 2, 3]
    p_values = method.p_values(values, fold)
    assert ((p_values >= 0) & (p_values <= 1)).all()
    np.testing.assert_array_equal(method.p_values(values[:, places], fold), p_values[places])
    # A draw may change sides where two statistics are equal but for rounding.
    moved = method.p_values(factor * (values + shift), fold)
    np.testing.assert_allclose(moved, p_values, rtol=1e-6, atol=0.011)


@everyone
def test_p_values_fall_with_the_distance_to_the_best(name):
    rng = np.random.default_rng(5)
    best = rng.normal(size=(80, 1))
    values = best - np.array([0, 0.05, 0.2, 0.6, 1.0]) + 0.8 * rng.normal(size=(80, 5))
    p_values = quick(name).p_values(values)
    assert p_values[0] > 0.3 and p_values[4] < 0.02
    assert (np.diff(p_values[np.argsort(-values.mean(axis=0))]) <= 0.15).all()


@everyone
def test_a_seed_gives_the_same_again(name):
    p_values = quick(name).p_values(made(3))
    np.testing.assert_array_equal(p_values, quick(name).p_values(made(3)))
    if "random_state" in quick(name).get_params():
        assert not np.array_equal(p_values, quick(name, random_state=1).p_values(made(3)))


@everyone
def test_configurations_that_differ_by_rounding_are_equal(name):
    first = np.random.default_rng(7).normal(size=40)
    values = np.column_stack([first - 1, first + 0.5, (first + 0.8) - 0.3])
    assert not np.array_equal(values[:, 1], values[:, 2])
    p_values = quick(name).p_values(values)
    assert p_values[0] < 0.02 and p_values[1] == p_values[2] == 1.0


NOT_FINITE = np.zeros((4, 3))
NOT_FINITE[2, 1] = np.nan


@pytest.mark.parametrize(
    ("method", "given", "message"),
    [
        *((Bonferroni(), [np.zeros(shape)], r"shape \(n_units, n_configs\).*got shape")
          for shape in [(2, 3), (5,), (5, 0), (3, 2, 2)]),
        (Bonferroni(), [NOT_FINITE], "configuration 1 has NaN or infinity"),
        (Bonferroni(), [np.zeros((4, 3)), [0, 1, 1]], "one entry per unit, got 3 for 4 units"),
    ],
)  # fmt: skip
def test_refusals(method, given, message):
    with pytest.raises(ValueError, match=message):
        method.p_values(*given)


def test_what_is_not_bound_and_a_taken_name_are_refused():
    with pytest.raises(TypeError, match=r"Call Bonferroni\.bind"):
        Bonferroni().members(np.ones((1, 3)), np.ones((1, 2)))
    with pytest.raises(ValueError, match="'bonferroni' of the method for tied sets"):
        type("Mine", (TiedMethod,), {"name": "bonferroni"})


# --- Bonferroni ---


def test_bonferroni_is_paired_t_tests_times_the_number_of_others():
    values = np.random.default_rng(0).normal(size=(40, 6)) + np.linspace(0, 0.8, 6)
    best = values.mean(axis=0).argmax()
    one = ttest_rel(values[:, [best]], values, alternative="greater").pvalue
    one[best] = 1.0
    expected = np.minimum(1.0, 5 * one)
    np.testing.assert_allclose(Bonferroni().p_values(values), expected, rtol=1e-10)
    assert (expected < 0.05).any()
    # Differences 1, 1, 0: mean 2/3, standard error 1/3, so t = 2 with 2 degrees of freedom,
    # whose tail is (1 - 2 / sqrt(6)) / 2.
    values = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    assert Bonferroni().p_values(values) == pytest.approx([1.0, (1 - 2 / np.sqrt(6)) / 2])


# --- pairs ---


@pytest.mark.parametrize("scale", [1.0, 1e-9])
def test_all_pairs_are_those_of_a_loop_however_much_cancels(scale):
    rng = np.random.default_rng(1)
    values = rng.normal(size=(40, 1)) + scale * rng.normal(size=(40, 4))
    difference = values[:, None, :] - values[:, :, None]
    lead, deviation, ratio = all_pairs(values)
    np.testing.assert_allclose(lead, difference.mean(axis=0), atol=1e-14)
    np.testing.assert_allclose(deviation, difference.std(axis=0), rtol=1e-6)
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(ratio[off], (lead / np.where(off, deviation, 1))[off])
    assert (deviation[off] > 0).all() and not ratio[~off].any()


def test_a_constant_difference_has_no_spread_and_rounding_is_no_lead():
    first = np.random.default_rng(2).normal(size=50)
    lead, deviation, t = all_pairs(np.column_stack([first, first + 0.1, (first + 0.3) - 0.3]))
    assert not deviation.any() and lead[0, 1] == pytest.approx(0.1) and lead[0, 2] == 0
    assert t[0, 1] == np.inf and t[1, 0] == -np.inf and t[0, 2] == 0


# --- cross-validation with confidence ---


def cvc_loop(values, fold, n_draws, seed):
    """The algorithm as it is written, one draw and one pair at a time."""
    values, place = np.unique(values, axis=1, return_inverse=True)  # draws depend on the order
    n, n_configs = values.shape
    centred = values.copy()
    for k in np.unique(fold):
        centred[fold == k] -= values[fold == k].mean(axis=0)
    multipliers = np.concatenate(
        [Streams(seed).of(k).standard_normal((min(64, n_draws - 64 * k), n))
         for k in range(-(-n_draws // 64))]
    )  # fmt: skip
    p_values = np.empty(n_configs)
    for c in range(n_configs):
        observed, drawn = [], []
        for j in set(range(n_configs)) - {c}:
            residual = centred[:, j] - centred[:, c]
            sigma = np.sqrt((residual**2).mean())
            observed.append(np.sqrt(n) * (values[:, j] - values[:, c]).mean() / sigma)
            drawn.append(multipliers @ residual / np.sqrt(n) / sigma)
        exceeds = np.max(drawn, axis=0) >= max(observed)
        p_values[c] = (1 + exceeds.sum()) / (1 + n_draws)
    return p_values[place.reshape(-1)]


@pytest.mark.parametrize("single", [False, True])
def test_cvc_equals_the_loop(single):
    values = np.random.default_rng(0).normal(size=(40, 5)) + np.linspace(0, 0.6, 5)
    fold = np.arange(40) % 4
    method = CrossValidationWithConfidence(n_bootstraps=200, random_state=7)
    expected = cvc_loop(values, 0 * fold if single else fold, 200, 7)
    fold[3] = 9 if single else fold[3]  # a fold of one unit would have no spread
    np.testing.assert_allclose(method.p_values(values, fold), expected, rtol=1e-12)
    assert expected.min() < 0.2 < expected.max()


def test_cvc_of_two_configurations_is_a_normal_test():
    values = np.random.default_rng(1).normal(size=(100, 2)) + [0.0, 0.25]
    difference = values[:, 1] - values[:, 0]
    z = difference.mean() / difference.std() * 10
    p_values = CrossValidationWithConfidence(n_bootstraps=20000, random_state=0).p_values(values)
    assert p_values == pytest.approx([norm.sf(z), norm.sf(-z)], abs=0.01)


# --- model confidence set ---


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("remove", "method"), [(by_max, "max"), (by_range, "R")])
def test_mcs_on_the_same_draws_has_the_p_values_of_arch(remove, method, seed):
    bootstrap = pytest.importorskip("arch.bootstrap", reason="compares with arch")
    values = made(seed, 60, 10, 0.07)
    other = bootstrap.MCS(-values, 0.05, reps=400, block_size=1, method=method, seed=seed)
    other.compute()
    expected = other.pvalues.sort_index()["Pvalue"].to_numpy()
    mean = values.mean(axis=0)
    draws = np.array([values[index].mean(axis=0) - mean for index in other._bootstrap_indices])
    order, p_values = remove(mean, draws, 1.0)
    ours = np.empty(10)
    ours[order] = np.maximum.accumulate(p_values)
    # The observed statistic counts as a draw here.
    np.testing.assert_allclose(ours, (1 + 400 * expected) / 401, rtol=1e-12)


@pytest.mark.parametrize("remove", [by_max, by_range])
def test_mcs_equals_a_loop_that_starts_anew_after_each_removal(remove):
    mean = np.array([0.0, 0.1, 0.3, 0.25])
    draws = 0.1 * np.random.default_rng(0).normal(size=(300, 4))
    order, p_values = remove(mean, draws, 1.0)
    left = [0, 1, 2, 3]
    for removed, p_value in zip(order[:-1], p_values[:-1], strict=True):
        here = draws[:, left]
        if remove is by_max:
            behind, drawn = mean[left].mean() - mean[left], here.mean(1, keepdims=True) - here
            spread = np.sqrt((drawn**2).mean(axis=0))
            observed, simulated = behind / spread, (drawn / spread).max(axis=1)
        else:
            observed, simulated = np.full(len(left), -np.inf), np.full(300, -np.inf)
            for i, j in np.argwhere(~np.eye(len(left), dtype=bool)):
                drawn = here[:, j] - here[:, i]
                spread = np.sqrt((drawn**2).mean())
                observed[i] = max(observed[i], (mean[left[j]] - mean[left[i]]) / spread)
                simulated = np.maximum(simulated, drawn / spread)
        assert left[observed.argmax()] == removed
        assert p_value == pytest.approx((1 + (simulated >= observed.max()).sum()) / 301)
        left.remove(removed)
    assert order[-1] == left[0] and p_values[-1] == 1.0


@pytest.mark.parametrize("statistic", ["max", "range"])
def test_mcs_where_differences_have_no_spread(statistic):
    first = np.random.default_rng(1).normal(size=40)
    values = np.column_stack([first, first + 0.5, (first + 0.8) - 0.3, first - 1])
    method = ModelConfidenceSet(statistic=statistic, n_bootstraps=200, random_state=0)
    p_values = method.p_values(values)
    assert p_values == pytest.approx([1 / 201, 1.0, 1.0, 1 / 201])


@pytest.mark.parametrize("statistic", ["max", "range"])
def test_mcs_draws_with_replacement(statistic):
    """Of two configurations the p value is two-sided and nearly that of a normal test."""
    values = np.random.default_rng(1).normal(size=(100, 2)) + [0.0, 0.2]
    difference = values[:, 1] - values[:, 0]
    z = difference.mean() / difference.std() * 10
    method = ModelConfidenceSet(statistic=statistic, n_bootstraps=20000, random_state=0)
    expected = [2 * norm.sf(abs(z)), 1.0]
    assert sorted(method.p_values(values)) == pytest.approx(expected, abs=0.01)


# --- softmin ---


def softmin_loop(values, scale=2.5, standardized=True):
    """The statistic as it is defined, one configuration and one unit at a time."""
    n, n_configs = values.shape
    p_values = np.empty(n_configs)
    for c in range(n_configs):
        others = [j for j in range(n_configs) if j != c]
        leads = values[:, others] - values[:, [c]]
        leads = leads / (leads.std(axis=0) if standardized else 1)
        own = leads if standardized else values[:, others]
        means = np.array([np.delete(own, i, axis=0).mean(axis=0) for i in range(n)])
        rate = np.sqrt(n) / (scale * own[np.arange(n), means.argmax(axis=1)].std(ddof=1))
        weights = np.exp(rate * (means - means.max(axis=1, keepdims=True)))
        averages = (weights * leads).sum(axis=1) / weights.sum(axis=1)
        p_values[c] = norm.sf(np.sqrt(n) * averages.mean() / averages.std(ddof=1))
    return p_values


@either
@pytest.mark.parametrize("scale", [2.5, 0.7])
def test_softmin_equals_the_loop(standardized, scale):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 6)) * np.linspace(0.5, 2, 6) + np.linspace(0, 0.6, 6)
    method = SoftminLeaveOneOut(scale=scale, standardized=standardized)
    expected = softmin_loop(values, scale, standardized)
    np.testing.assert_allclose(method.p_values(values), expected, rtol=1e-10)
    assert expected.min() < 0.05 < expected.max()


@either
def test_softmin_where_nothing_is_averaged_or_varies(standardized):
    method = SoftminLeaveOneOut(standardized=standardized)
    values = np.random.default_rng(1).normal(size=(50, 2)) + [0.0, 0.3]
    difference = values[:, 1] - values[:, 0]
    z = np.sqrt(50) * difference.mean() / difference.std(ddof=1)
    assert method.p_values(values) == pytest.approx([norm.sf(z), norm.sf(-z)], rel=1e-10)
    first = values[:, 0]
    p_values = method.p_values(np.column_stack([first, first + 0.25, first - 0.5]))
    assert p_values[[0, 2]] == pytest.approx([0, 0], abs=1e-12) and p_values[1] >= 0.5
    leader = np.column_stack([np.ones(50), (values > 0).astype(float)])
    p_values = method.p_values(leader)
    assert p_values[0] > 0.99 and (p_values[1:] < 0.001).all()
