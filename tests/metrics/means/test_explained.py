"""R2, explained variance and D2: constant targets, digits, draws of one row."""

import numpy as np
import pytest
from sklearn.metrics import (
    d2_pinball_score,
    d2_tweedie_score,
    explained_variance_score,
    make_scorer,
    r2_score,
)

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import as_metric


def test_a_constant_target_is_constant_whatever_its_digits():
    y, pred = np.full(30, 0.1), np.array([np.full(30, 0.1), np.full(30, 0.3)])
    counts = np.random.default_rng(0).integers(4, size=(20, 30))
    oof = OOFPredictions(y_true=y, y_pred=pred.T, classes=None)
    for name in ("r2", "d2_absolute_error_score"):
        scores = as_metric(name).bind(oof).scores(counts)
        np.testing.assert_array_equal(scores, np.tile([1.0, 0.0], (20, 1)))
    scores = as_metric("explained_variance").bind(oof).scores(counts)
    np.testing.assert_array_equal(scores, np.ones((20, 2)))


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e9])
def test_draws_far_from_the_mean_keep_their_digits(offset):
    """Two clusters of residuals and of targets: in draws of one of them digits would cancel."""
    rng = np.random.default_rng(0)
    cluster = np.repeat([0.0, 1e5], 20)
    y = np.round(rng.normal(size=40) + cluster + offset, 5)
    pred = y + np.round(rng.normal(size=(3, 40)) + cluster, 5)
    counts = rng.integers(4, size=(12, 40))
    counts[:6, 20:] = 0
    counts[6:, :20] = 0
    oof = OOFPredictions(y_true=y, y_pred=pred.T, classes=None)
    for function in (r2_score, explained_variance_score):
        scores = as_metric(make_scorer(function)).bind(oof).scores(counts)
        for draw, count in enumerate(counts):
            rows = np.repeat(np.arange(40), count)
            # In extended precision, since scikit-learn loses some digits here itself.
            truth = y[rows].astype(np.longdouble)
            for config in range(3):
                residual = truth - pred[config, rows]
                if function is explained_variance_score:
                    residual = residual - residual.mean()
                share = (residual**2).sum() / ((truth - truth.mean()) ** 2).sum()
                assert abs(scores[draw, config] - (1 - share)) <= 1e-12 * max(1, share)


def test_fewer_than_two_rows_are_undefined():
    y, pred = np.array([1.0, 2.0, 3.0]), np.array([[1.0, 2.5, 3.0]])
    oof = OOFPredictions(y_true=y, y_pred=pred.T, classes=None)
    counts = np.array([[1, 0, 0], [0, 2, 0], [1, 1, 0]])
    for name in ("r2", "explained_variance", "d2_absolute_error_score"):
        scores = as_metric(name).bind(oof).scores(counts)[:, 0]
        # explained_variance_score alone gives a score to a single row.
        assert np.isnan(scores[0]) == (name != "explained_variance")
        assert not np.isnan(scores[1:]).any()


@pytest.mark.parametrize("power", [-1, 0, 1, 1.5, 2, 3])
def test_one_row_many_times_has_no_deviance_to_explain(power):
    rng = np.random.default_rng(0)
    y, pred = rng.gamma(1.0, size=9) + 0.01, rng.gamma(1.0, size=9) + 0.01
    oof = OOFPredictions(y_true=y, y_pred=pred, classes=None)
    kernel = as_metric(make_scorer(d2_tweedie_score, power=power)).bind(oof)
    assert np.isnan(kernel.scores(5 * np.eye(9, dtype=int))).all()


def test_other_quantiles_are_replayed():
    rng = np.random.default_rng(0)
    y, pred = rng.normal(size=20), rng.normal(size=(2, 20))
    oof = OOFPredictions(y_true=y, y_pred=pred.T, classes=None)
    for alpha, family in ((0.5, "d2_absolute_error"), (0.3, "replay")):
        scorer = make_scorer(d2_pinball_score, alpha=alpha)
        assert as_metric(scorer).bind(oof).family == family


def test_what_is_no_single_score_is_scikit_learns_error():
    oof = OOFPredictions(y_true=[0.5, 1.5, 1.0], y_pred=[[0.0], [1.0], [2.0]])
    with pytest.raises(ValueError, match="cannot be computed again"):
        as_metric(make_scorer(r2_score, multioutput="raw_values")).bind(oof)
