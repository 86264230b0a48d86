"""Predictions split by split, and when they are looked at."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search._racing import (
    class_codes,
    looks,
    of_configs,
    one_split,
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


def test_the_first_batch_waits_for_a_twentieth_too():
    found = batches(every(210, 1), least=3)
    assert [len(batch) for batch in found[:2]] == [11, 11]


def test_smallest_numbers_are_enough():
    assert batches(every(100, 20), least=60) == [[0, 1, 2], [3], [4]]
    assert batches(every(100, 20), least=61)[0] == [0, 1, 2, 3]
    units = np.arange(100) // 10
    assert batches(every(100, 20), units=units, least_units=6) == [[0, 1, 2], [3], [4]]
    codes = np.zeros(100, dtype=int)
    codes[[0, 20, 40]] = 1
    assert batches(every(100, 20), codes, per_class=3)[0] == [0, 1, 2]
    assert len(batches(every(100, 20), codes, per_class=4)) == 1


def test_of_survival_times_events_must_be_there():
    codes = np.full(100, -1)
    assert len(batches(every(100, 20), codes)) == 1
    codes[[0, 1, 20, 21, 40]] = 0
    assert batches(every(100, 20), codes, per_class=5) == [[0, 1, 2], [3], [4]]
    assert len(batches(every(100, 20), codes, per_class=6)) == 1


def test_one_split_is_the_first_of_one_repeat():
    one = one_split(np.arange(6.0), None, {"predict": np.zeros((2, 3))}, np.array([1, 3, 5]))
    assert one.fold.tolist() == one.repeat.tolist() == [0, 0, 0]
    assert one.fold.dtype == one.repeat.dtype == np.int64
    assert (one.n_splits, one.n_repeats, one.n_samples) == (1, 1, 6)
    assert one.groups is None and one.sample_weight is None
    assert one.failed.tolist() == [False, False]


def test_who_failed_in_some_split_failed():
    sides = []
    for rows, failed in (
        (np.arange(3), [True, False, False]),
        (np.arange(3, 6), [False, True, 0]),
    ):
        array = np.zeros((3, 3))
        sides.append(
            one_split(
                np.arange(6.0), None, {"predict": array}, rows, failed=np.array(failed, bool)
            )
        )
    assert together(sides).failed.tolist() == [True, True, False]
    assert of_configs(together(sides), np.array([2, 1])).failed.tolist() == [False, True]
    assert split_of(together(sides), 1, np.array([2, 0])).failed.tolist() == [False, True]


@pytest.mark.parametrize("lacking", [0, 1])
def test_only_what_every_split_has_is_kept_of_all(lacking):
    sides = []
    for split, rows in enumerate((np.arange(3), np.arange(3, 6))):
        arrays = {name: np.full((2, 3), split + 0.5) for name in ("predict", "decision_function")}
        if split == lacking:
            del arrays["decision_function"]
        sides.append(one_split(np.arange(6.0), None, arrays, rows))
    both = together(sides)
    assert list(both.responses) == ["predict"]
    assert both.responses["predict"].tolist() == [[0.5] * 3 + [1.5] * 3] * 2
    assert both.fold.tolist() == [0, 0, 0, 1, 1, 1]


def test_classes_are_what_is_said_not_what_the_samples_show():
    """The classes of the whole target, or none for whole numbers that are no labels."""
    one = np.full((2, 3), 0.5)
    sides = [
        one_split(np.zeros(6, int), np.array([0, 1]), {"predict_proba": one}, rows)
        for rows in (np.arange(3), np.arange(3, 6))
    ]
    for each in (*sides, together(sides), split_of(together(sides), 1, np.array([0]))):
        assert each.classes_.tolist() == [0, 1]
    number = one_split(np.arange(6), None, {"decision_function": one}, np.arange(3))
    assert number.classes_ is None and together([number]).classes_ is None
