"""What the journal takes of a comparison."""

import numpy as np
import pytest

from benchmarks.studies.compared_methods import of_halves, of_sides
from sklearn_bbc.comparison import BBCDifference, PairedDeLong, Side, compare
from sklearn_bbc.comparison._two_learners import f_test, t_test
from sklearn_bbc.testing import example_predictions


def test_a_method_gets_the_draws_that_it_knows():
    oof = example_predictions()
    one, other = Side(oof=oof, config=3), Side(oof=oof, config=0)
    drawn = {"n_bootstraps": 40, "random_state": 3}
    for method, expected in [
        (BBCDifference(), BBCDifference(**drawn).compare(one, other, "roc_auc")),
        (PairedDeLong(), PairedDeLong().compare(one, other, "roc_auc")),
        (None, compare(one, other, "roc_auc", **drawn)),
    ]:
        found = of_sides(method, one, other, "roc_auc")(40, 3)
        assert (found.estimate, *found) == (expected.p_value, expected.low, expected.high)
        assert found.details == {"reason": expected.method}


def test_the_tests_of_halves():
    halves = np.random.default_rng(0).normal(0.1, 0.2, size=(5, 2))
    assert of_halves(halves, True)(40, 0).estimate == pytest.approx(f_test(halves)[1])
    assert of_halves(halves, False)(40, 0).estimate == t_test(halves, "two-sided")[1]
