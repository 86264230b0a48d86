"""p values of statistics and draws; bounds of differences."""

import numpy as np
import pytest
from scipy import stats

from sklearn_bbc.comparison._rules import p_of_certain, p_of_draws, p_of_statistic


@pytest.mark.parametrize("degrees", [None, 4])
@pytest.mark.parametrize("statistic", [-2.5, 0.0, 1.3])
def test_p_values_are_tails_of_the_distribution(statistic, degrees):
    law = stats.norm() if degrees is None else stats.t(degrees)
    assert p_of_statistic(statistic, "greater", degrees) == pytest.approx(law.sf(statistic))
    assert p_of_statistic(statistic, "less", degrees) == pytest.approx(law.cdf(statistic))
    two = 2 * min(law.sf(statistic), law.cdf(statistic))
    assert p_of_statistic(statistic, "two-sided", degrees) == pytest.approx(two)


def test_p_values_of_draws_by_hand():
    draws = np.array([-0.1, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])  # 9 draws
    assert p_of_draws(draws, "greater") == pytest.approx(3 / 10)
    assert p_of_draws(draws, "less") == pytest.approx(9 / 10)
    assert p_of_draws(draws, "two-sided") == pytest.approx(6 / 10)
    assert p_of_draws(-draws, "less") == pytest.approx(3 / 10)
    assert p_of_draws(np.zeros(9), "two-sided") == 1.0


def test_without_spread_the_p_value_is_certain():
    assert p_of_certain(0.0, "greater") == p_of_certain(0.0, "two-sided") == 1
    assert p_of_certain(0.1, "two-sided") == p_of_certain(0.1, "greater") == 0
    assert p_of_certain(0.1, "less") == p_of_certain(-0.1, "greater") == 1
