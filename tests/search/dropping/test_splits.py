"""Predictions split by split, and when they are looked at."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search.dropping._splits import (
    class_codes,
    looks,
    of_configs,
    split_of,
    together,
)
from sklearn_bbc.testing import example_predictions


def every(n, step):
    return [np.arange(start, min(start + step, n)) for start in range(0, n, step)]


def batches(tests, codes=None, units=None, least=50, per_class=5, least_units=2):
    n = 1 + max(int(test.max()) for test in tests)
    units = np.arange(n) if units is None else units
    return looks(
        tests, codes, units, least=least, least_per_class=per_class, least_units=least_units
    )


def test_splits_before_the_smallest_number_are_fitted_together():
    assert batches(every(100, 20)) == [[0, 1, 2], [3], [4]]
    assert batches(every(100, 50)) == [[0], [1]]
    assert batches(every(40, 10)) == [[0, 1, 2, 3]]


def test_each_class_must_be_there():
    codes = np.zeros(100, dtype=int)
    codes[58:] = 1
    assert batches(every(100, 20), codes)[0] == [0, 1, 2, 3]
    codes[:] = 0
    codes[99] = 1
    assert batches(every(100, 20), codes) == [[0, 1, 2, 3, 4]]


def test_repeats_of_a_sample_count_once():
    tests = every(30, 10) * 4
    assert len(batches(tests)) == 1
    assert len(batches(tests, least=30)) > 1


def test_of_many_splits_a_twentieth_of_the_predictions_must_be_new():
    found = batches(every(200, 1))
    assert found[0] == list(range(50))
    assert {len(batch) for batch in found[1:]} == {10}
    assert [split for batch in found for split in batch] == list(range(200))


def test_groups_must_be_enough():
    units = np.arange(100) // 10
    assert batches(every(100, 20), units=units, least_units=10) == [[0, 1, 2, 3, 4]]
    assert len(batches(every(100, 20), units=units, least_units=7)) == 2


def test_classes_are_labels_or_events():
    labels = np.array(["b", "a", "b"])
    assert class_codes(labels, np.array(["a", "b"])).tolist() == [1, 0, 1]
    assert class_codes(np.array([1.5, 2.0]), None) is None
    times = np.array([(True, 3.0), (False, 2.0)], dtype=[("event", bool), ("time", float)])
    assert class_codes(times, None).tolist() == [0, -1]


@pytest.mark.parametrize("n_repeats", [1, 2])
def test_splits_together_are_the_whole(n_repeats):
    one = example_predictions()
    oof = one
    if n_repeats == 2:
        y_pred = np.stack([one.responses["predict_proba"].T] * 2)
        fold = np.stack([one.fold, (one.fold + one.sample) % 5])
        oof = OOFPredictions(y_true=one.y_true, y_pred=y_pred, fold=fold)
    configs = np.arange(oof.n_configs)
    again = together([split_of(oof, k, configs) for k in range(oof.n_splits)])
    for name in ("sample", "fold", "repeat"):
        np.testing.assert_array_equal(getattr(again, name), getattr(oof, name))
    for metric in ("roc_auc", "average_precision"):
        np.testing.assert_array_equal(
            as_metric(metric).bind(again).fold_scores(), as_metric(metric).bind(oof).fold_scores()
        )
    some = of_configs(again, np.array([2, 0]))
    assert some.n_configs == 2 == len(some.failed)
    name = next(iter(oof.responses))
    np.testing.assert_array_equal(some.responses[name], oof.responses[name][[2, 0]])


def test_one_split_keeps_what_belongs_to_the_samples():
    oof = example_predictions()
    weight = np.linspace(0.5, 2, oof.n_samples)
    groups = np.arange(oof.n_samples) // 2
    oof = oof._with_fields(sample_weight=weight, groups=groups)
    for one in (split_of(oof, 1, np.array([2])), together([split_of(oof, 1, np.array([2]))])):
        np.testing.assert_array_equal(one.sample_weight, weight)
        np.testing.assert_array_equal(one.groups, groups)


def test_a_twentieth_that_is_no_whole_number_is_rounded_up():
    assert {len(batch) for batch in batches(every(210, 1))[1:-1]} == {11}
