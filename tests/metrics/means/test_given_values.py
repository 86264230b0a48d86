"""Means of given values: kernel against function, losses of any sign, what is not taken."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics._classification import MEAN_SCORE, MeanOfValues, mean_of_values
from sklearn_bbc.testing import check_metric
from tests.made import made


def values(**fields):
    rng = np.random.default_rng(0)
    return made(y_true=np.zeros(30), y_pred=rng.normal(size=(30, 3)), **fields)


def test_the_kernel_is_the_function():
    check_metric(MEAN_SCORE, values())
    assert MEAN_SCORE.bind(values()).family == MeanOfValues.name


def test_weights_and_any_sign():
    weight = np.arange(30.0)
    oof = values(sample_weight=weight)
    score = MEAN_SCORE.bind(oof).scores(np.ones((1, 30)))[0]
    pred = oof.matrix(MEAN_SCORE.scorer)
    assert score == pytest.approx([np.average(pred[:, k], weights=weight) for k in range(3)])
    assert mean_of_values(None, [-1, 3], sample_weight=[3, 1]) == 0
    assert MEAN_SCORE.bounds == (-np.inf, np.inf)


def test_whole_numbers_are_values_too():
    oof = OOFPredictions(y_true=np.zeros(4), y_pred=np.array([0, 1, 1, 1]))
    assert MEAN_SCORE.bind(oof).scores(np.ones((1, 4)))[0, 0] == 0.75
