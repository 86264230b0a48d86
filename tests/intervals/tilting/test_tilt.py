"""Numerics of tilting: influence values, likelihood ratios by enumeration, the root search."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import make_scorer, roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals.tilting import _tilt
from sklearn_bbc.intervals.tilting._tilt import (
    Strata,
    Tilt,
    effective_size,
    influence,
    largest_root,
    mean_over,
    regression_influence,
    relative_mean_over,
    share_above,
)
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.resampling import Stratified
from sklearn_bbc.resampling._draws import Draws

REPLAYED_AUC = make_scorer(lambda y, p: roc_auc_score(y, p), response_method="predict_proba")


def scores_of_two_classes(n_negative=12, n_positive=30, seed=0, **more):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1], [n_negative, n_positive]))
    return OOFPredictions(y_true=y, y_pred=np.round(rng.normal(size=len(y)) + y, 1), **more)


def influence_on(oof, scoring):
    kernel = as_metric(scoring).bind(oof)
    strata = Strata.of(oof, kernel)
    return influence(oof, kernel, 0, strata), strata


def test_influence_on_an_area_is_the_deviation_of_the_placement():
    oof = scores_of_two_classes()
    values, strata = influence_on(oof, "roc_auc")
    score, is_positive = oof.matrix("roc_auc")[:, 0], oof.y_true == 1
    wins = (np.sign(score[is_positive][:, None] - score[~is_positive]) + 1) / 2
    np.testing.assert_allclose(values[is_positive], wins.mean(axis=1) - wins.mean(), atol=1e-14)
    np.testing.assert_allclose(values[~is_positive], wins.mean(axis=0) - wins.mean(), atol=1e-14)
    assert strata.size.tolist() == [12, 30]


@pytest.mark.parametrize("weighted", [False, True])
def test_doubling_a_sample_gives_the_exact_influence_on_areas(weighted, monkeypatch):
    weight = np.random.default_rng(1).uniform(0.5, 2, size=42) if weighted else None
    oof = scores_of_two_classes(sample_weight=weight)
    exact, _ = influence_on(oof, "roc_auc")
    monkeypatch.setattr(_tilt, "roc_auc_score", None)
    doubled, _ = influence_on(oof, "roc_auc")
    assert not np.array_equal(doubled, exact)
    np.testing.assert_allclose(doubled, exact, atol=1e-12)


@pytest.mark.parametrize("scoring", ["neg_mean_absolute_error", "accuracy"])
def test_doubling_a_sample_gives_the_exact_influence_on_means(scoring, monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=50)
    pred = np.where(rng.random(50) < 0.7, y, 1 - y)
    classes = None if scoring.startswith("neg") else "infer"
    for weight in (None, rng.uniform(0.5, 2, size=50)):
        oof = OOFPredictions(y_true=y, y_pred=pred, classes=classes, sample_weight=weight)
        kernel = as_metric(scoring).bind(oof)
        strata = Strata.of(oof, kernel)
        exact = influence(oof, kernel, 0, strata)
        with monkeypatch.context() as patch:
            patch.setattr(kernel, "pointwise", lambda config: None)
            doubled = influence(oof, kernel, 0, strata)
        np.testing.assert_allclose(doubled, exact, atol=1e-12)
        if weight is None:
            correct = -np.abs(y - pred) if classes is None else y == pred
            np.testing.assert_allclose(exact, correct - correct.mean(), atol=1e-12)


def test_influence_on_anything_else_is_close_to_the_derivative():
    rng = np.random.default_rng(0)
    y = rng.normal(size=400)
    oof = OOFPredictions(y_true=y, y_pred=y + rng.normal(size=400))
    kernel = as_metric("r2").bind(oof)
    values = influence(oof, kernel, 0, Strata.of(oof, kernel))
    nudged = 1 + 1e-6 * np.eye(400)
    everything = np.ones((1, 400))
    derivative = (
        400
        * (
            kernel.score_of(nudged, np.zeros(400, dtype=int))
            - kernel.score_of(everything, np.array([0]))
        )
        / 1e-6
    )
    assert np.corrcoef(values, derivative)[0, 1] > 0.9999
    assert np.std(values) == pytest.approx(np.std(derivative), rel=0.02)


def test_repeats_of_a_sample_share_its_influence():
    oof = scores_of_two_classes()
    score = oof.matrix("roc_auc")
    twice = OOFPredictions(
        y_true=oof.y_true, y_pred=np.stack([score, score]), fold=np.zeros((2, 42), dtype=int)
    )
    for scoring in ("roc_auc", REPLAYED_AUC):
        np.testing.assert_allclose(
            influence_on(twice, scoring)[0], influence_on(oof, scoring)[0], atol=1e-12
        )


def test_regression_influence_nears_the_exact_one():
    oof = scores_of_two_classes()
    kernel = as_metric("roc_auc").bind(oof)
    strata = Strata.of(oof, kernel)
    exact = influence(oof, kernel, 0, strata)
    draws = Draws(Stratified(strata.code), 6400, 0)
    scores, counts = draws.map(lambda c: (kernel.score_of(c, np.zeros(len(c), dtype=int)), c))
    fitted = regression_influence(scores, counts, strata)
    assert np.corrcoef(fitted, exact)[0, 1] > 0.99
    # A score that is linear in the counts is fitted exactly.
    linear = regression_influence(counts @ (exact / strata.size[strata.code]), counts, strata)
    np.testing.assert_allclose(linear, exact, atol=1e-10)


def all_stratified_draws(strata):
    """Counts of every sequence of draws within strata; all are equally likely."""
    per_stratum = [
        [np.bincount(picks, minlength=n) for picks in product(range(n), repeat=n)]
        for n in strata.size
    ]
    for parts in product(*per_stratum):
        counts = np.zeros(len(strata.code), dtype=int)
        for stratum, part in enumerate(parts):
            counts[strata.code == stratum] = part
        yield counts


@given(st.integers(0, 1000), st.floats(-3, 3))
def test_likelihood_ratios_turn_resamples_into_those_of_the_tilted_distribution(seed, tau):
    oof = scores_of_two_classes(2, 3, seed)
    values, strata = influence_on(oof, "roc_auc")
    counts = np.array(list(all_stratified_draws(strata)))
    tilt = Tilt.by_influence(values, strata)
    ratios = np.exp(tilt.log_ratios(np.array([tau]), counts @ tilt.direction)[0])
    assert ratios.mean() == pytest.approx(1)
    # Expected counts, and the expected area, are those of the weights.
    weights = tilt.weights(tau)
    np.testing.assert_allclose(ratios @ counts / len(counts), weights, rtol=1e-10)
    kernel = as_metric("roc_auc").bind(oof)
    areas = kernel.score_of(counts, np.zeros(len(counts), dtype=int))
    weighted = kernel.score_of(weights[None], np.array([0]))[0]
    assert ratios @ areas / len(areas) == pytest.approx(weighted)


def test_published_normalisation_over_all_samples_is_no_likelihood_ratio():
    oof = scores_of_two_classes(2, 3, 1)
    values, strata = influence_on(oof, "roc_auc")
    counts = np.array(list(all_stratified_draws(strata)))
    published = Tilt(values, strata, within=False)
    ratios = np.exp(published.log_ratios(np.array([-3.0]), counts @ values)[0])
    assert abs(ratios.mean() - 1) > 0.02


@pytest.mark.parametrize("within", [False, True])
def test_unit_is_one_standard_error(within):
    oof = scores_of_two_classes(60, 400)
    values, strata = influence_on(oof, "roc_auc")
    tilt = Tilt.by_influence(values, strata) if within else Tilt(values, strata, within=False)
    kernel = as_metric("roc_auc").bind(oof)
    variance = (np.bincount(strata.code, values**2) / strata.size**2).sum()
    change = np.diff(
        [kernel.score_of(tilt.weights(t)[None], np.array([0]))[0] for t in (-tilt.unit, 0)]
    )[0]
    assert change == pytest.approx(np.sqrt(variance), rel=0.15)


def test_mean_over_resamples():
    log_ratios = np.log([[0.5, 1.5, 1.0], [0.1, 0.2, 0.3]])
    values = np.array([1.0, 0.0, 0.5])
    np.testing.assert_allclose(mean_over(values, log_ratios), [1 / 3, 0.25 / 3])
    np.testing.assert_allclose(relative_mean_over(values, log_ratios), [1 / 3, 0.25 / 0.6])
    huge = np.array([[5000.0, -5000.0]])
    assert np.isfinite(mean_over(np.array([0.0, 1.0]), huge)).all()
    assert relative_mean_over(np.array([0.0, 1.0]), huge)[0] == 0


def test_effective_size():
    assert effective_size(np.zeros(100)) == pytest.approx(100)
    assert effective_size(np.array([0.0, -800, -900])) == pytest.approx(1)
    assert effective_size(np.full(10, -2000.0)) == pytest.approx(10)


def test_equal_scores_count_one_half_even_when_they_differ_in_the_last_bit():
    scores = np.array([0.7, 0.1 + 0.2, 0.3, 0.2])
    assert share_above(scores, 0.3).tolist() == [1, 0.5, 0.5, 0]


def test_root_of_a_monotone_tail():
    root = largest_root(
        lambda taus: 0.5 * np.exp(taus), 0.05, -np.linspace(0, 10, 101), tolerance=1e-9
    )
    assert root.tau == pytest.approx(np.log(0.1), abs=1e-8)
    assert 0.5 * np.exp(root.tau) <= 0.05


def test_root_nearest_to_the_data_where_the_tail_is_not_monotone():
    def tail(taus):
        return np.where(taus < -4, 0.0, np.where(taus < -3, 0.2, np.where(taus < -2, 0.04, 0.5)))

    grid = -np.linspace(0, 10, 101)
    nearest = largest_root(tail, 0.05, grid, tolerance=1e-6)
    published = largest_root(tail, 0.05, grid, coarse=True, tolerance=1e-6)
    assert nearest.tau == pytest.approx(-2, abs=1e-5)
    assert published.tau <= -2


@pytest.mark.parametrize(
    ("tail", "reason"),
    [
        (lambda taus: np.full(len(taus), 0.05), "without tilt"),
        (lambda taus: np.full(len(taus), 0.3), "does not fall below"),
    ],
)
def test_reasons_for_no_root(tail, reason):
    root = largest_root(tail, 0.05, -np.linspace(0, 10, 101), tolerance=1e-6)
    assert np.isnan(root.tau)
    assert reason in root.reason


def test_published_search_asks_for_more():
    def tail(taus):
        return np.maximum(0.08 + 0.02 * taus, 0.03)

    grid = -np.linspace(0, 10, 101)
    assert largest_root(tail, 0.05, grid, tolerance=1e-6).tau == pytest.approx(-1.5, abs=1e-5)
    published = largest_root(tail, 0.05, grid, coarse=True, tolerance=1e-6)
    assert "not above 0.1" in published.reason
    lower = largest_root(tail, 0.035, grid, coarse=True, tolerance=1e-6)
    assert "does not fall below 0.0175" in lower.reason
