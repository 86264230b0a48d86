"""Numerics of the published tilting code against those of the default."""

import numpy as np
import pytest

from benchmarks.published.replication import TiltAcrossClasses, coarse_root, regression_influence
from sklearn_bbc.intervals._tilting import NoBound, Strata, influence, largest_root
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.resampling import Draws, Stratified
from tests.intervals.tilting.test_tilt import (
    all_stratified_draws,
    influence_on,
    scores_of_two_classes,
)


def test_regression_influence_nears_the_exact_one():
    oof = scores_of_two_classes()
    kernel = as_metric("roc_auc").bind(oof)
    strata = Strata.of(kernel)
    exact = influence(kernel, 0, strata)
    draws = Draws(Stratified(strata.code), 6400, 0)
    scores, counts = draws.map(lambda c: (kernel.score_of(c, np.zeros(len(c), dtype=int)), c))
    fitted = regression_influence(scores, counts, strata)
    assert np.corrcoef(fitted, exact)[0, 1] > 0.99
    # A score that is linear in the counts is fitted exactly.
    linear = regression_influence(counts @ (exact / strata.size[strata.code]), counts, strata)
    np.testing.assert_allclose(linear, exact, atol=1e-10)


def test_published_normalisation_over_all_samples_is_no_likelihood_ratio():
    oof = scores_of_two_classes(2, 3, 1)
    values, strata = influence_on(oof, "roc_auc")
    counts = np.array(list(all_stratified_draws(strata)))
    published = TiltAcrossClasses(values, strata)
    ratios = np.exp(published.log_ratios(np.array([-3.0]), counts @ values)[0])
    assert abs(ratios.mean() - 1) > 0.02


def test_published_search_asks_for_more():
    def tail(taus):
        return np.maximum(0.08 + 0.02 * taus, 0.03)

    grid = -np.linspace(0, 10, 101)
    assert largest_root(tail, 0.05, grid, tolerance=1e-6) == pytest.approx(-1.5, abs=1e-5)
    with pytest.raises(NoBound, match=r"not above 0\.1"):
        coarse_root(tail, 0.05, grid, tolerance=1e-6)
