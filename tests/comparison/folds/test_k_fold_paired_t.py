"""Paired t over folds equals scipy's, and says that it should not be used."""

import numpy as np
import pytest
from scipy import stats

from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import KFoldPairedT, Side


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_equals_scipy(alternative):
    scores = np.random.default_rng(1).normal(size=(8, 2))
    oof = OOFPredictions(y_true=np.empty(0), classes=None, fold_scores={"quality": scores})
    sides = Side(oof=oof, config=0), Side(oof=oof, config=1)
    result = KFoldPairedT(alternative=alternative).compare(*sides, "quality")
    expected = stats.ttest_rel(scores[:, 0], scores[:, 1], alternative=alternative)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-10)
    assert result.p_value == pytest.approx(expected.pvalue, rel=1e-10)
    assert tuple(result) == pytest.approx(tuple(expected.confidence_interval(0.95)), rel=1e-10)
    assert result.details["degrees"] == expected.df
    assert "Not recommended" in result.details["notes"][0]
    assert "not recommended" in result.summary()
