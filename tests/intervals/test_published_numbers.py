"""Numbers of the literature and of exact enumerations: where each is tested, and some more.

`TESTED` lists every number that a method must repeat and the test that checks it, so that none
gets lost when files are moved.
"""

import math

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import (
    BBC,
    BBCF,
)
from sklearn_bbc.metrics import as_metric


@pytest.mark.parametrize(("n_folds", "share"), [(3, 0.222), (5, 0.0384), (10, 0.00036)])
@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
def test_share_of_fold_draws_that_are_permutations(n_folds, share):
    scores = np.random.default_rng(0).random((n_folds, 1))
    oof = OOFPredictions(y_true=[], classes=None, fold_scores={"accuracy": scores})
    result = BBCF().estimate(oof, "accuracy")
    left = n_folds**n_folds - math.factorial(n_folds)
    assert len(result.draws) == min(left, 10_000)
    assert 1 - left / n_folds**n_folds == pytest.approx(share, rel=0.01)
    if n_folds == 3:
        assert len(result.draws) == 21


def test_the_winner_of_the_exact_examples_is_that_of_the_means():
    """Means .6875 .675 .6975 of the folds, and .6 .6 .8 of the samples: the third one wins."""
    scores = [[0.70, 0.60, 0.66], [0.80, 0.90, 0.71], [0.50, 0.65, 0.72], [0.75, 0.55, 0.70]]
    oof = OOFPredictions(y_true=[], classes=None, fold_scores={"accuracy": np.array(scores)})
    np.testing.assert_allclose(oof.fold_scores["accuracy"].mean(axis=0), [0.6875, 0.675, 0.6975])
    with pytest.warns(IntervalWarning, match="coarse"):
        assert BBCF().estimate(oof, "accuracy").details["winner"] == 2
    right = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [1, 1, 1], [0, 0, 1]])
    y = np.array([1, 0, 1, 0, 1])
    oof = OOFPredictions(y_true=y, y_pred=np.where(right == 1, y[:, None], 1 - y[:, None]))
    kernel = as_metric("accuracy").bind(oof)
    np.testing.assert_allclose(kernel.scores(np.ones((1, 5)))[0], [0.6, 0.6, 0.8])
    assert BBC(n_bootstraps=20).estimate(oof, "accuracy").details["winner"] == 2


@pytest.mark.parametrize(
    ("n_minority", "out", "inside"), [(2, 0.40, 0.13), (3, 0.25, 0.045), (5, 0.097, 0.005)]
)
def test_share_of_draws_without_a_class(n_minority, out, inside):
    """A class is missing out-of-bag, or in-bag, never both; other classes are large here."""
    by_formula = sum(
        (-1) ** j * math.comb(n_minority, j) * (1 - j / 50) ** 50 for j in range(n_minority + 1)
    )
    assert by_formula == pytest.approx(out, abs=0.005)
    assert (1 - n_minority / 50) ** 50 == pytest.approx(inside, abs=0.0015)
    y = (np.arange(50) < n_minority).astype(int)
    oof = OOFPredictions(y_true=y, y_pred=np.random.default_rng(0).normal(size=50))
    result = BBC(n_bootstraps=8000, random_state=0).estimate(oof, "roc_auc")
    redrawn = result.details["n_redrawn"]
    assert redrawn / (8000 + redrawn) == pytest.approx(out + inside, abs=0.02)
