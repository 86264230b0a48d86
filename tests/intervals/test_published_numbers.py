"""Shares of draws that are degenerate: the published ones, by formula and by drawing."""

import math

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import (
    BBC,
    BBCF,
)


@pytest.mark.parametrize(("n_folds", "share"), [(3, 0.222), (5, 0.0384), (10, 0.00036)])
@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
def test_share_of_fold_draws_that_are_permutations(n_folds, share):
    scores = np.random.default_rng(0).random((n_folds, 1))
    oof = OOFPredictions.from_fold_scores({"accuracy": scores})
    result = BBCF().estimate(oof, "accuracy")
    left = n_folds**n_folds - math.factorial(n_folds)
    assert len(result.draws) == min(left, 10_000)
    assert 1 - left / n_folds**n_folds == pytest.approx(share, rel=0.01)
    if n_folds == 3:
        assert len(result.draws) == 21


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
