"""p values of statistics and draws; bounds of differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.base import clone

from benchmarks.published.replication import LinearQuantile
from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import BBCDifference, PairedBootstrap, Side
from sklearn_bbc.comparison._base import p_of_certain, p_of_draws, p_of_statistic
from sklearn_bbc.intervals import NormalScoreQuantile


@pytest.mark.parametrize("degrees", [None, 4])
@pytest.mark.parametrize("statistic", [-2.5, 0.0, 1.3])
def test_p_values_are_tails_of_the_distribution(statistic, degrees):
    law = stats.norm() if degrees is None else stats.t(degrees)
    assert p_of_statistic(statistic, "greater", degrees) == pytest.approx(law.sf(statistic))
    assert p_of_statistic(statistic, "less", degrees) == pytest.approx(law.cdf(statistic))
    two = 2 * min(law.sf(statistic), law.cdf(statistic))
    assert p_of_statistic(statistic, "two-sided", degrees) == pytest.approx(two)


@pytest.mark.parametrize(
    ("draws", "greater", "less"),
    [
        ([-1, 0, 1, 2, 3, 4, 5, 6, 7, 8], 2 / 10, 9 / 10),  # one tie: 1.5 and 8.5, rounded up
        ([-1, 0, 0, 2, 3, 4, 5, 6, 7, 8], 2 / 10, 8 / 10),
        ([-1, -1, 0, 0, 0, 0, 5, 6, 7, 8], 4 / 10, 6 / 10),
        ([1] * 10, 1 / 11, 1),  # nothing is known beyond the draws
        ([0] * 10, 1, 1),
        ([0] * 9 + [1], 0.5, 1),
    ],
)
def test_draws_without_a_difference_count_half(draws, greater, less):
    draws = np.array(draws, dtype=float)
    assert p_of_draws(draws, "greater") == pytest.approx(greater)
    assert p_of_draws(draws, "less") == pytest.approx(less)
    assert p_of_draws(draws, "two-sided") == pytest.approx(min(1, 2 * min(greater, less)))
    assert p_of_draws(-draws, "less") == pytest.approx(greater)


METHODS = [
    *(BBCDifference(quantile=rule) for rule in (None, LinearQuantile(), NormalScoreQuantile())),
    *(PairedBootstrap(form=form) for form in ("percentile", "basic")),
]


@given(
    st.sampled_from(METHODS),
    st.sampled_from(["two-sided", "greater", "less"]),
    st.tuples(st.integers(0, 12), st.integers(1, 12)),
    st.floats(0.5, 0.98),
    st.integers(0, 99),
)
def test_the_interval_excludes_zero_from_the_level_of_the_p_value_on(
    method, alternative, only, level, seed
):
    """Labels that differ in few samples, so that many draws show no difference at all."""
    y = np.arange(60) % 2
    right = np.repeat([1, 2, 3, 0], [*only, 25, 35 - sum(only)])
    pred = np.stack([np.where(right & bit, y, 1 - y) for bit in (1, 2)], axis=1)
    oof = OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(60) // 2 % 5)
    method = clone(method).set_params(
        alternative=alternative, confidence_level=level, n_bootstraps=99, random_state=seed
    )
    result = method.compare(Side(oof=oof, config=0), Side(oof=oof, config=1), "accuracy")
    if abs(result.p_value - (1 - level)) > 1e-9:
        assert (0 not in result) == (result.p_value < 1 - level)
    if isinstance(method, BBCDifference):
        less = 1 - np.mean(result.draws < 0) - np.mean(result.draws == 0) / 2
        half = {"greater": 1 - less, "less": less}.get(alternative, 2 * min(less, 1 - less))
        if min(result.draws) < 0 < max(result.draws):
            assert result.p_value == pytest.approx(half, abs=2.5 / 99)  # a draw for each side


def test_without_spread_the_p_value_is_certain():
    assert p_of_certain(0.0, "greater") == p_of_certain(0.0, "two-sided") == 1
    assert p_of_certain(0.1, "two-sided") == p_of_certain(0.1, "greater") == 0
    assert p_of_certain(0.1, "less") == p_of_certain(-0.1, "greater") == 1
