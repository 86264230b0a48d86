"""Nested training sets."""

import numpy as np
import pytest

from sklearn_bbc.comparison._learning_curve import nested_order, sizes_of, splits_of


def test_every_beginning_has_the_shares_of_the_classes():
    labels = np.repeat([0, 1, 2], [60, 30, 10])
    order = nested_order(labels, 100, np.random.default_rng(0))
    assert sorted(order) == list(range(100))
    for n in range(1, 101):
        counts = np.bincount(labels[order[:n]], minlength=3)
        assert np.abs(counts - n * np.array([0.6, 0.3, 0.1])).max() <= 1.01


def test_orders_are_random():
    labels = np.repeat([0, 1], 50)
    one, other = (nested_order(labels, 100, np.random.default_rng(seed)) for seed in (0, 1))
    assert not np.array_equal(one, other)
    assert not np.array_equal(np.sort(one[:20]), np.sort(other[:20]))
    assert sorted(nested_order(None, 9, np.random.default_rng(0))) == list(range(9))


@pytest.mark.parametrize("labels", [None, np.arange(40) % 2])
def test_folds_of_a_repeat_test_each_sample_once(labels):
    splits = splits_of(labels, 40, 4, 3, entropy=0)
    assert len(splits) == 12
    tests = []
    for repeat in range(3):
        of_repeat = splits[4 * repeat : 4 * repeat + 4]
        assert sorted(np.concatenate([s.test for s in of_repeat])) == list(range(40))
        assert all(sorted([*s.train, *s.test]) == list(range(40)) for s in of_repeat)
        tests.append(of_repeat[0].test.tolist())
    assert tests[0] != tests[1] != tests[2]


def test_sizes_are_numbers_or_shares():
    assert sizes_of([30, 10], 40).tolist() == [10, 30]
    assert sizes_of((0.29, 1.0), 100).tolist() == [29, 100]


@pytest.mark.parametrize(
    "given", [[0, 5], [5, 41], [5, 5], [5], [], "half", 5, [0.5, 1.5], [0.5, 10], [0.001, 1.0],
              [True, 5]]
)  # fmt: skip
def test_other_sizes_are_refused(given):
    with pytest.raises(ValueError, match="train_sizes must be at least two different integers"):
        sizes_of(given, 40)
