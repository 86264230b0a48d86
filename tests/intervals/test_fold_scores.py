"""What methods on fold scores share: scores so large that their squares overflow."""

import warnings

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import BBCWarning
from sklearn_bbc.intervals import CorrectedT, CorrelationAdjusted, NaiveBootstrap

METHODS = [CorrectedT(), CorrelationAdjusted(), NaiveBootstrap(n_bootstraps=200, random_state=0)]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_no_warning_of_numpy_over_stratified_folds(method):
    """How much stratified folds hide is told by squares too."""
    y = np.tile([0, 1], 20)
    y_pred = np.random.default_rng(0).normal(size=(40, 2)) * 1e300
    oof = OOFPredictions(y_true=y, y_pred=y_pred, fold=np.arange(40) // 2 % 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", BBCWarning)
        result = method.estimate(oof, "neg_mean_absolute_error")
    assert -1e302 < result.estimate < 0
    if np.isnan([result.low, result.high]).any():
        assert "undefined" in result.details["reason"]
