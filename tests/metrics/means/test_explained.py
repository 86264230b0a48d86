"""R2, explained variance and D2: equal to scikit-learn on repeated rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import (
    d2_absolute_error_score,
    d2_pinball_score,
    d2_tweedie_score,
    explained_variance_score,
    make_scorer,
    r2_score,
)

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import as_metric
from tests.metrics.repeated_rows import check_kernel, with_weights

SEEDS = st.integers(0, 2**32 - 1)
FAMILIES = {
    r2_score: "r2",
    explained_variance_score: "explained_variance",
    d2_absolute_error_score: "d2_absolute_error",
}
some = settings(max_examples=max(1, settings().max_examples // 3))


def compare(scorer, y, pred, family, rng, weighted=True):
    oof = OOFPredictions.from_rows(y_true=y, responses={"predict": pred}, classes=None)
    kernel, counts, scores = check_kernel(scorer, oof, pred, family=family, rng=rng)
    if weighted:
        expected = with_weights(as_metric(scorer), y, pred, counts)
        there = counts.sum(axis=1) > 1
        np.testing.assert_allclose(scores[there], expected[there], rtol=1e-12, atol=1e-12)
    return kernel


@some
@given(SEEDS, st.sampled_from(list(FAMILIES)), st.integers(0, 6))
def test_one_output(seed, function, offset):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    y = rng.normal(size=n) + 10 ** (offset / 2)
    pred = y + rng.normal(size=(3, n)) * [[0.1], [1.0], [3.0]] + rng.normal(size=(3, 1))
    # Far from zero scikit-learn itself loses digits of the mean.
    if offset <= 3:
        compare(make_scorer(function), y, pred, FAMILIES[function], rng)


@some
@given(
    SEEDS,
    st.sampled_from(list(FAMILIES)),
    st.sampled_from(["uniform_average", "variance_weighted", [0.2, 0.3, 2.0]]),
)
def test_several_outputs(seed, function, multioutput):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    y = rng.normal(size=(n, 3)) * [1, 2, 0.5]
    pred = y + rng.normal(size=(2, n, 3))
    if function is d2_absolute_error_score and multioutput == "variance_weighted":
        multioutput = "uniform_average"
    scorer = make_scorer(function, multioutput=multioutput)
    compare(scorer, y, pred, FAMILIES[function], rng)


@some
@given(SEEDS, st.sampled_from([r2_score, explained_variance_score]), st.booleans())
def test_constant_targets_and_perfect_predictions(seed, function, finite):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 8))
    y = np.stack([rng.integers(2, size=n), np.ones(n), rng.integers(3, size=n)], axis=1) * 1.0
    pred = np.stack([y, y + 1, rng.integers(3, size=(n, 3))])
    for multioutput in ("uniform_average", "variance_weighted"):
        scorer = make_scorer(function, multioutput=multioutput, force_finite=finite)
        compare(scorer, y, pred, FAMILIES[function], rng, weighted=False)


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


@some
@given(SEEDS, st.sampled_from([-1, 0, 1, 1.5, 2, 3]))
def test_tweedie(seed, power):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    y, pred = rng.gamma(1.0, size=n) + 0.01, rng.gamma(1.0, size=(3, n)) + 0.01
    if power in (1, 1.5):
        y[: n // 2] = np.floor(y[: n // 2])
    scorer = make_scorer(d2_tweedie_score, power=power)
    oof = OOFPredictions(y_true=y, y_pred=pred.T, classes=None)
    # A draw of one row many times: a deviance of zero, up to rounding in scikit-learn.
    kernel, *_ = check_kernel(scorer, oof, pred, family="d2_tweedie", rng=rng, constant=False)
    assert np.isnan(kernel.scores(5 * np.eye(n, dtype=int)[:1])).all()


def test_other_quantiles_are_replayed():
    rng = np.random.default_rng(0)
    y, pred = rng.normal(size=20), rng.normal(size=(2, 20))
    oof = OOFPredictions(y_true=y, y_pred=pred.T, classes=None)
    for alpha, family in ((0.5, "d2_absolute_error"), (0.3, "replay")):
        scorer = make_scorer(d2_pinball_score, alpha=alpha)
        assert as_metric(scorer).bind(oof).family == family
    check_kernel(make_scorer(d2_pinball_score), oof, pred, family="d2_absolute_error", rng=rng)


def test_what_is_no_single_score_is_scikit_learns_error():
    oof = OOFPredictions(y_true=[0.5, 1.5, 1.0], y_pred=[[0.0], [1.0], [2.0]])
    with pytest.raises(ValueError, match="cannot be computed again"):
        as_metric(make_scorer(r2_score, multioutput="raw_values")).bind(oof)
