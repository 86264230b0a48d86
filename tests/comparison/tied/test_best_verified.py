"""Is the best the best? Against SciPy's paired t test, and its false positives."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

from sklearn_bbc.comparison._tied import best_p_value


def test_it_is_the_largest_two_sided_p_value():
    values = np.random.default_rng(0).normal(size=(30, 4)) + [0.0, 0.2, 0.4, 1.0]
    expected = max(ttest_rel(values[:, 3], values[:, k]).pvalue for k in range(3))
    assert best_p_value(values) == pytest.approx(expected, rel=1e-10)


def test_of_two_it_is_the_paired_t_test():
    values = np.random.default_rng(1).normal(size=(20, 2))
    assert best_p_value(values) == pytest.approx(ttest_rel(*values.T).pvalue, rel=1e-10)


def test_nothing_to_compare():
    assert np.isnan(best_p_value(np.zeros((5, 1))))
    same = np.random.default_rng(2).normal(size=(9, 1))
    assert best_p_value(np.column_stack([same, same])) == 1.0
    assert best_p_value(np.column_stack([same, same + 1])) == 0.0


@pytest.mark.parametrize("n_equal", [2, 10])
def test_of_equal_ones_the_best_is_seldom_shown_to_be_the_best(n_equal):
    """At most 5%; of 400 data sets 20 are expected, more than 34 once in a thousand."""
    rng = np.random.default_rng(3)
    shown = [best_p_value(rng.normal(size=(40, n_equal))) <= 0.05 for _ in range(400)]
    assert sum(shown) <= 34
