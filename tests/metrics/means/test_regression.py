"""Means and root means of errors: domains, outliers, overflow, values per row."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import (
    make_scorer,
    mean_squared_error,
    root_mean_squared_error,
)

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import BBCWarning
from sklearn_bbc.metrics import as_metric
from tests.metrics.repeated_rows import with_weights


@pytest.mark.parametrize(
    ("name", "y", "pred", "reason"),
    [
        ("neg_mean_poisson_deviance", [1.0, -1.0], [1.0, 1.0], ">= 0, but y_true has 1 others"),
        ("neg_mean_gamma_deviance", [1.0, 0.0], [1.0, 1.0], "> 0, but y_true has 1 others"),
        ("neg_mean_squared_log_error", [1.0, -1.0], [1.0, 1.0], "> -1, but y_true"),
        ("neg_mean_poisson_deviance", [1.0, 2.0], [1.0, 0.0], "predict values <= 0"),
        ("neg_mean_gamma_deviance", [1.0, 2.0], [1.0, -1.0], "predict values <= 0"),
        ("neg_root_mean_squared_log_error", [1.0, 2.0], [1.0, -1.0], "predict values <= -1"),
    ],
)
def test_values_outside_the_domain(name, y, pred, reason):
    oof = OOFPredictions(y_true=y, y_pred=pred, classes=None)
    with pytest.raises(ValueError, match=reason):
        as_metric(name).bind(oof)


@pytest.mark.parametrize(
    "name", ["neg_mean_poisson_deviance", "neg_mean_gamma_deviance", "neg_mean_squared_log_error"]
)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_configuration_outside_the_domain_cannot_win(name):
    rng = np.random.default_rng(0)
    y = 1 + rng.gamma(1.0, size=20)
    pred = np.stack([y * 3, y + 0.01, y + 0.1])
    pred[1, 5] = -2
    oof = OOFPredictions(y_true=y, y_pred=pred.T, classes=None)
    with pytest.warns(BBCWarning, match="cannot score 1 of 3 configurations"):
        kernel = as_metric(name).bind(oof)
    counts = rng.integers(3, size=(10, 20))
    assert kernel.valid.tolist() == [True, False, True]
    assert (kernel.winners(counts) == 2).all()
    assert np.isnan(kernel.scores(counts)[:, 1]).all()
    assert np.isnan(kernel.score_of(counts, 1)).all()
    expected = with_weights(as_metric(name), y, pred[[0, 2]], counts)
    np.testing.assert_allclose(kernel.scores(counts)[:, [0, 2]], expected, rtol=1e-12)


def test_an_outlier_does_not_harm_the_draws_without_it():
    rng = np.random.default_rng(0)
    y, pred = rng.normal(size=300), rng.normal(size=(4, 300))
    y[7] = 1e12
    kernel = as_metric("neg_mean_squared_error").bind(
        OOFPredictions(y_true=y, y_pred=pred.T, classes=None)
    )
    counts = rng.multinomial(300, np.full(300, 1 / 300), size=50)
    without = counts[:, 7] == 0
    assert without.any() and not without.all()
    expected = with_weights(as_metric("neg_mean_squared_error"), y, pred, counts)
    np.testing.assert_allclose(kernel.scores(counts), expected, rtol=1e-12)
    kernel = as_metric("neg_root_mean_squared_error").bind(
        OOFPredictions(y_true=y, y_pred=pred.T, classes=None)
    )
    np.testing.assert_allclose(kernel.scores(counts), -np.sqrt(-expected), rtol=1e-12)


def test_errors_that_overflow_lose():
    y = np.array([1.0, 2.0, 3.0])
    pred = np.array([[1e200, 2.0, 3.0], [5.0, 5.0, 5.0]])
    kernel = as_metric("neg_mean_squared_error").bind(
        OOFPredictions(y_true=y, y_pred=pred.T, classes=None)
    )
    counts = np.array([[1, 1, 1], [0, 2, 1]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = kernel.scores(counts)
    np.testing.assert_array_equal(scores[:, 0], [-np.inf, 0.0])
    assert kernel.winners(counts).tolist() == [1, 0]
    np.testing.assert_array_equal(kernel.score_of(counts, 0), [-np.inf, 0.0])
    np.testing.assert_array_equal(kernel.scores(counts * 0.5)[:, 0], [-np.inf, 0.0])


def test_what_is_no_single_score_is_scikit_learns_error():
    oof = OOFPredictions(y_true=[0.5, 1.5], y_pred=[[0.0], [1.0]])
    for function in (mean_squared_error, root_mean_squared_error):
        with pytest.raises(ValueError, match="cannot be computed again"):
            as_metric(make_scorer(function, multioutput="raw_values")).bind(oof)
    with pytest.raises(ValueError, match="cannot be computed again"):  # weights of one output
        as_metric(make_scorer(mean_squared_error, multioutput=[1.0])).bind(oof)
    two = OOFPredictions.from_rows(
        y_true=np.ones((4, 2)) * 0.5, responses={"predict": np.ones((1, 4, 2))}
    )
    with pytest.raises(ValueError, match="cannot be computed again"):
        as_metric("neg_mean_poisson_deviance").bind(two)


def test_values_per_row_are_those_of_the_mean():
    rng = np.random.default_rng(0)
    y, pred = rng.normal(size=20), rng.normal(size=(2, 20))
    oof = OOFPredictions(y_true=y, y_pred=pred.T, classes=None)
    kernel = as_metric("neg_mean_squared_error").bind(oof)
    np.testing.assert_allclose(kernel.pointwise(1), -np.square(y - pred[1]))
    assert as_metric("neg_root_mean_squared_error").bind(oof).pointwise(1) is None
