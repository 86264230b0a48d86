"""Checks that every kernel shares: its scores are those of the metric on repeated rows."""

import warnings

import numpy as np


def assert_close(actual, desired):
    """Equal but for rounding."""
    np.testing.assert_allclose(actual, desired, rtol=1e-12, atol=1e-13)


def on_repeated_rows(metric, y, pred, counts):
    """Scores of each draw and configuration by calling scikit-learn, NaN where it raises."""
    sign, scores = metric.sign, np.full((len(counts), len(pred)), np.nan)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for draw, count in enumerate(counts):
            if not count.any():
                continue  # older releases give a score to no rows, newer ones raise
            rows = np.repeat(np.arange(len(y)), count)
            for config in range(len(pred)):
                try:
                    scores[draw, config] = sign * metric.score_func(
                        y[rows], pred[config][rows], **metric.kwargs
                    )
                except (ValueError, ZeroDivisionError):
                    continue
    return scores


def with_weights(metric, y, pred, weights):
    """Scores of each draw and configuration with `sample_weight`, NaN where it raises."""
    sign, scores = metric.sign, np.full((len(weights), len(pred)), np.nan)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for draw, weight in enumerate(weights):
            for config in range(len(pred)):
                try:
                    scores[draw, config] = sign * metric.score_func(
                        y, pred[config], sample_weight=weight, **metric.kwargs
                    )
                except (ValueError, ZeroDivisionError):
                    continue
    return scores


def draw_counts(rng, n_draws, n_rows):
    """Bootstrap counts, and a few draws of other kinds: everything, one row, a half, heavy."""
    counts = rng.multinomial(n_rows, np.full(n_rows, 1 / n_rows), size=n_draws)
    counts[0] = 1
    counts[1] = np.arange(n_rows) == rng.integers(n_rows)
    counts[2] = rng.integers(2, size=n_rows)
    counts[3] *= 50
    counts[4] = 0
    return counts


def check_consistency(kernel, weights):
    """One draw, one configuration, another dtype or another batch change nothing but rounding."""
    scores = kernel.scores(weights)
    parts = [kernel.scores(weights[i : i + 5]) for i in range(0, len(weights), 5)]
    assert_close(np.concatenate(parts), scores)
    assert_close(kernel.scores(weights[3:4]), scores[3:4])
    assert kernel.scores(weights[:0]).shape == (0, kernel.n_configs)
    assert kernel.winners(weights[:0]).shape == kernel.score_of(weights[:0], 1).shape == (0,)
    for config in np.flatnonzero(kernel.valid):
        alone = kernel.score_of(weights, config)
        assert_close(alone, scores[:, config])
        assert_close(kernel.score_of(weights[3:4], config), scores[3:4, config])
    mixed = np.arange(len(weights)) % kernel.n_configs
    mixed[0] = -1
    paired = kernel.score_of(weights, mixed)
    assert np.isnan(paired[0])
    assert_close(paired[1:], scores[np.arange(1, len(weights)), mixed[1:]])
    assert_close(kernel.scores(np.asfortranarray(weights)), scores)
    if weights.dtype.kind in "iu":
        assert_close(kernel.scores(weights.astype(float)), scores)
        assert_close(kernel.scores(weights.astype(np.uint16)), scores)
    bounded = any(np.isfinite(bound) and bound != 0 for bound in kernel.metric.bounds)
    n, unit = weights.shape[1], 1.0 if bounded else 0.0
    expected = [first_of_the_best(row, n, unit) for row in scores]
    np.testing.assert_array_equal(kernel.winners(weights), expected)


def first_of_the_best(scores, n_terms, unit=1.0):
    """Index of the first score that is the best one up to rounding, -1 where none is defined."""
    if np.isnan(scores).all():
        return -1
    best = np.nanmax(scores)
    close = (8 + n_terms) * 2.0**-52 * max(abs(best), unit) if np.isfinite(best) else 0.0
    return int(np.flatnonzero((scores == best) | (scores >= best - close))[0])
