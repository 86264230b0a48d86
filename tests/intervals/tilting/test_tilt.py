"""Numerics of tilting: influence values, likelihood ratios by enumeration, the root search."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import make_scorer

from benchmarks.published.replication import coarse_root, relative_mean_over
from sklearn_bbc import OOFPredictions
from sklearn_bbc.contest import Contest
from sklearn_bbc.intervals import BootstrapTilting
from sklearn_bbc.intervals import _tilting as _tilt
from sklearn_bbc.intervals._tilting import (
    NoBound,
    Strata,
    Tilt,
    influence,
    largest_root,
    mean_over,
)
from sklearn_bbc.metrics import as_metric
from tests.made import made


def scores_of_two_classes(n_negative=12, n_positive=30, seed=0, **more):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1], [n_negative, n_positive]))
    return made(y_true=y, y_pred=np.round(rng.normal(size=len(y)) + y, 1), **more)


def influence_on(oof, scoring):
    kernel = as_metric(scoring).bind(oof)
    strata = Strata.of(kernel)
    return influence(kernel, 0, strata), strata


def test_samples_without_a_prediction_or_weight_are_not_drawn():
    y = np.array([1, 0, 1, 1, 0, 1, 0])
    oof = OOFPredictions(
        y_true=y, y_pred=np.arange(7.0), fold=[0, -1, 0, 1, 1, 1, 0],
        sample_weight=[1, 1, 0, 2, 1, 0.5, 1],
    )  # fmt: skip
    strata = Strata.of(as_metric("roc_auc").bind(oof))
    assert strata.sample.tolist() == [0, 3, 4, 5, 6]
    assert strata.code.tolist() == [1, 1, 0, 1, 0] and strata.size.tolist() == [2, 3]
    counts = np.array([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]], dtype=np.uint8)
    expanded = strata.expand(counts, 7)
    assert expanded.tolist() == [[1, 0, 0, 2, 3, 4, 5], [5, 0, 0, 4, 3, 2, 1]]
    assert expanded.dtype == np.uint8
    assert strata.expand(counts, 5) is counts
    centred = strata.centred(np.array([1.0, 2, 3, 6, 5]))
    assert centred.tolist() == [-2, -1, -1, 3, 1]


@pytest.mark.parametrize("nothing", [np.nan, np.inf])
def test_a_sample_that_has_no_score_when_doubled_counts_as_the_average(nothing):
    def mean(y, pred):
        return nothing if np.count_nonzero(y == 3) > 1 else float(np.mean(y))

    y = np.array([1.0, 2, 3, 4, 6])
    oof = OOFPredictions(y_true=y, y_pred=np.zeros(5))
    values, _ = influence_on(oof, make_scorer(mean))
    # Doubled, a sample moves the mean of 3.2 by a sixth of its deviation.
    expected = np.where(y == 3, 0, y - 3.2)
    np.testing.assert_allclose(values, expected - expected.mean(), atol=1e-12)


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
        strata = Strata.of(kernel)
        exact = influence(kernel, 0, strata)
        with monkeypatch.context() as patch:
            patch.setattr(kernel, "pointwise", lambda config: None)
            doubled = influence(kernel, 0, strata)
        np.testing.assert_allclose(doubled, exact, atol=1e-12)
        if weight is None:
            correct = -np.abs(y - pred) if classes is None else y == pred
            np.testing.assert_allclose(exact, correct - correct.mean(), atol=1e-12)


def test_influence_on_anything_else_is_close_to_the_derivative():
    rng = np.random.default_rng(0)
    y = rng.normal(size=400)
    oof = OOFPredictions(y_true=y, y_pred=y + rng.normal(size=400))
    kernel = as_metric("r2").bind(oof)
    values = influence(kernel, 0, Strata.of(kernel))
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


def by_influence(values, strata):
    return Tilt(values * len(values) / strata.size[strata.code], strata)


def test_the_direction_is_the_steepest_one_for_draws_within_classes():
    oof = scores_of_two_classes()
    values, strata = influence_on(oof, "roc_auc")
    method = BootstrapTilting(config=0)
    target = method._target(Contest(as_metric("roc_auc").bind(oof)))
    found = method._tilt(target, strata, None).direction
    np.testing.assert_allclose(found, by_influence(values, strata).direction, rtol=1e-12)


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
    tilt = by_influence(values, strata)
    ratios = np.exp(tilt.log_ratios(np.array([tau]), counts @ tilt.direction)[0])
    assert ratios.mean() == pytest.approx(1)
    # Expected counts, and the expected area, are those of the weights.
    weights = tilt.weights(tau)
    np.testing.assert_allclose(ratios @ counts / len(counts), weights, rtol=1e-10)
    kernel = as_metric("roc_auc").bind(oof)
    areas = kernel.score_of(counts, np.zeros(len(counts), dtype=int))
    weighted = kernel.score_of(weights[None], np.array([0]))[0]
    assert ratios @ areas / len(areas) == pytest.approx(weighted)


@pytest.mark.parametrize(("code", "tau"), [([0] * 6, 600.0), ([0, 0, 1, 1, 2, 2], 200.0)])
def test_weights_of_a_strong_tilt(code, tau):
    """They sum to the size of their stratum, and nothing overflows."""
    code = np.array(code)
    direction = np.array([3.0, 1, 2, 2.5, 1.5, 3])
    weights = Tilt(direction, Strata(np.arange(6), code, np.bincount(code))).weights(tau)
    plain = [np.exp(tau * (direction[code == k] - direction[code == k].max())) for k in set(code)]
    expected = np.concatenate([part / part.mean() for part in plain])
    np.testing.assert_allclose(weights, expected, atol=1e-12)


def test_mean_over_resamples():
    log_ratios = np.log([[0.5, 1.5, 1.0], [0.1, 0.2, 0.3]])
    values = np.array([1.0, 0.0, 0.5])
    np.testing.assert_allclose(mean_over(values, log_ratios), [1 / 3, 0.25 / 3])
    np.testing.assert_allclose(relative_mean_over(values, log_ratios), [1 / 3, 0.25 / 0.6])
    huge = np.array([[5000.0, -5000.0]])
    assert np.isfinite(mean_over(np.array([0.0, 1.0]), huge)).all()
    assert relative_mean_over(np.array([0.0, 1.0]), huge)[0] == 0


def test_root_of_a_monotone_tail():
    root = largest_root(
        lambda taus: 0.5 * np.exp(taus), 0.05, -np.linspace(0, 10, 101), tolerance=1e-9
    )
    assert root == pytest.approx(np.log(0.1), abs=1e-8)
    assert 0.5 * np.exp(root) <= 0.05


def test_root_nearest_to_the_data_where_the_tail_is_not_monotone():
    def tail(taus):
        return np.where(taus < -4, 0.0, np.where(taus < -3, 0.2, np.where(taus < -2, 0.04, 0.5)))

    grid = -np.linspace(0, 10, 101)
    nearest = largest_root(tail, 0.05, grid, tolerance=1e-6)
    published = coarse_root(tail, 0.05, grid, tolerance=1e-6)
    assert nearest == pytest.approx(-2, abs=1e-5)
    assert published <= -2


@pytest.mark.parametrize(
    ("tail", "reason"),
    [
        (lambda taus: np.full(len(taus), 0.05), "without tilt"),
        (lambda taus: np.full(len(taus), 0.3), "does not fall below"),
    ],
)
def test_reasons_for_no_root(tail, reason):
    with pytest.raises(NoBound, match=reason):
        largest_root(tail, 0.05, -np.linspace(0, 10, 101), tolerance=1e-6)
