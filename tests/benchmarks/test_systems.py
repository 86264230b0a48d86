"""The estimate of SIREN, which is compared with, against its description by loops."""

import numpy as np
import pytest

from benchmarks.studies.systems import N_SPLITS, TEMPERATURE, siren, usual


def by_loops(values, weights, seed):
    """Soft selection on one half, its score on the other, with a weight of each item."""
    rng, n = np.random.default_rng(seed), len(values)
    estimate = 0.0
    for _ in range(N_SPLITS):
        order = rng.permutation(n)
        choose, rest = order[: n // 2], order[n // 2 :]
        mean, held_out = (
            [sum(weights[i] * values[i, c] for i in half) / sum(weights[i] for i in half)
             for c in range(values.shape[1])]
            for half in (choose, rest)
        )  # fmt: skip
        soft = [np.exp(each / TEMPERATURE) for each in mean]
        estimate += sum(s * h for s, h in zip(soft, held_out)) / sum(soft) / N_SPLITS
    return estimate


def test_sirens_limits_are_those_of_the_derivatives_of_its_estimate():
    values = np.random.default_rng(1).random((21, 4))
    result = siren(values, None, 20000, seed=5)
    assert result.estimate == pytest.approx(by_loops(values, np.ones(21), 5), rel=1e-12)
    parts, step = [], 1e-6
    for i in range(21):
        more, less = np.ones(21), np.ones(21)
        more[i] += step
        less[i] -= step
        parts.append((by_loops(values, more, 5) - by_loops(values, less, 5)) / (2 * step))
    half = 1.96 * np.sqrt(sum(part**2 for part in parts))
    assert result.high - result.estimate == pytest.approx(half, rel=0.03)


def test_groups_are_averaged_and_bonferroni_divides_the_tail():
    values, groups = np.random.default_rng(2).random((20, 3)), np.arange(20) // 4
    means = np.array([values[4 * g : 4 * g + 4].mean(axis=0) for g in range(5)])
    of_groups, of_means = siren(values, groups, 50, 0), siren(means, None, 50, 0)
    assert (of_groups.estimate, *of_groups) == pytest.approx((of_means.estimate, *of_means))
    one, many = usual(values[:, 0], None), usual(values[:, 0], None, n_tests=5)
    assert many.width > one.width
