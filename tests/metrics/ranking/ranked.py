"""Data and draws for the kernels of ranks."""

import numpy as np
from hypothesis import strategies as st

# Above and below the number of draws from which draws lie side by side.
MANY, FEW = 40, 3
settings_of_data = {
    "seed": st.integers(0, 10**6),
    "n_samples": st.integers(3, 60),
    "levels": st.sampled_from([None, 4, 1, 0.3]),
    "share": st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]),
}


def make_data(seed, n_samples=30, n_configs=6, levels=None, n_positive=None):
    """Labels and scores; `levels` rounds the scores so that they tie."""
    rng = np.random.default_rng(seed)
    n_positive = n_samples // 2 if n_positive is None else n_positive
    y = np.zeros(n_samples, dtype=int)
    y[rng.permutation(n_samples)[:n_positive]] = 1
    scores = rng.normal(size=(n_samples, n_configs)) + y[:, None] * rng.uniform(-1, 2, n_configs)
    if levels is not None:
        scores = np.round(scores * levels) / levels
    return y, scores


def some_data(seed, n_samples, levels, share):
    """Six configurations, of which two are equal, one is constant and one is perfect."""
    n_positive = int(np.clip(round(share * n_samples), 1, n_samples - 1))
    y, scores = make_data(seed, n_samples, 6, levels, n_positive)
    scores[:, 2] = scores[:, 1]
    scores[:, 3] = 0.5
    scores[:, 4] = y
    return y, scores, np.random.default_rng(seed)


def draw_counts(rng, n_draws, n_samples):
    picks = rng.integers(n_samples, size=(n_draws, n_samples))
    return np.stack([np.bincount(row, minlength=n_samples) for row in picks]).astype(np.uint8)


def draw_weights(rng, n_draws, n_samples):
    """Weights over ten orders of magnitude, some of them 0."""
    weights = 10 ** rng.uniform(-5, 5, size=(n_draws, n_samples))
    weights[rng.random(weights.shape) < 0.2] = 0
    return weights
