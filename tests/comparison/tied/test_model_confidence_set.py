"""The model confidence set: against the package arch on the same draws, and small cases."""

import numpy as np
import pytest

from sklearn_bbc.comparison import ModelConfidenceSet
from sklearn_bbc.comparison._tied_methods import by_max, by_range


def values_of(seed, n_configs=10):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(60, n_configs)) + np.linspace(0, 0.7, n_configs)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("remove", "method"), [(by_max, "max"), (by_range, "R")])
def test_the_same_draws_give_the_p_values_of_arch(remove, method, seed):
    bootstrap = pytest.importorskip("arch.bootstrap", reason="compares with arch")
    values = values_of(seed)
    other = bootstrap.MCS(-values, 0.05, reps=400, block_size=1, method=method, seed=seed)
    other.compute()
    expected = other.pvalues.sort_index()["Pvalue"].to_numpy()
    mean = values.mean(axis=0)
    draws = np.array([values[index].mean(axis=0) - mean for index in other._bootstrap_indices])
    order, p_values = remove(mean, draws, 1e-12)
    ours = np.empty(10)
    ours[order] = np.maximum.accumulate(p_values)
    # The observed statistic counts as a draw here.
    np.testing.assert_allclose(ours, (1 + 400 * expected) / 401, rtol=1e-12)


@pytest.mark.parametrize("statistic", ["max", "range"])
def test_equals_a_loop_that_starts_anew_after_each_removal(statistic):
    mean = np.array([0.0, 0.1, 0.3, 0.25])
    draws = 0.1 * np.random.default_rng(0).normal(size=(300, 4))
    order, p_values = (by_range if statistic == "range" else by_max)(mean, draws, 1e-12)
    left = [0, 1, 2, 3]
    for removed, p_value in zip(order[:-1], p_values[:-1], strict=True):
        here = draws[:, left]
        if statistic == "max":
            behind, drawn = mean[left].mean() - mean[left], here.mean(1, keepdims=True) - here
            spread = np.sqrt((drawn**2).mean(axis=0))
            observed, simulated = behind / spread, (drawn / spread).max(axis=1)
        else:
            pairs = [(i, j) for i in range(len(left)) for j in range(len(left)) if i != j]
            t = np.full((len(left), len(left)), -np.inf)
            simulated = np.full(300, -np.inf)
            for i, j in pairs:
                drawn = here[:, j] - here[:, i]
                spread = np.sqrt((drawn**2).mean())
                t[i, j] = (mean[left[j]] - mean[left[i]]) / spread
                simulated = np.maximum(simulated, drawn / spread)
            observed = t.max(axis=1)
        assert left[observed.argmax()] == removed
        assert p_value == pytest.approx((1 + (simulated >= observed.max()).sum()) / 301)
        left.remove(removed)
    assert order[-1] == left[0] and p_values[-1] == 1.0


@pytest.mark.parametrize("statistic", ["max", "range"])
def test_differences_without_spread(statistic):
    first = np.random.default_rng(1).normal(size=40)
    values = np.column_stack([first, first + 0.5, (first + 0.8) - 0.3, first - 1])
    method = ModelConfidenceSet(statistic=statistic, n_bootstraps=200, random_state=0)
    p_values = method.p_values(values)
    assert p_values[1] == p_values[2] == 1.0
    assert p_values[[0, 3]] == pytest.approx([1 / 201, 1 / 201])


def test_an_unknown_statistic_is_refused():
    with pytest.raises(ValueError, match=r"statistic must be one of \['max', 'range'\], got 'R'"):
        ModelConfidenceSet(statistic="R").p_values(np.eye(3))
