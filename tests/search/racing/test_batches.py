"""Predictions split by split, and when they are looked at."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search import DropClearlyWorse
from sklearn_bbc.search._racing import (
    RaceSettings,
    batches_of,
    class_codes,
    of_configs,
    one_split,
    split_of,
    together,
)
from sklearn_bbc.testing import example_predictions


def every(n, step):
    return [np.arange(start, min(start + step, n)) for start in range(0, n, step)]


def batches(tests, codes=None, groups=None, least=50, per_class=5):
    n = 1 + max(int(test.max()) for test in tests)
    rule = DropClearlyWorse(min_predictions=least, min_per_class=per_class)
    y = np.zeros(n) if codes is None else codes
    classes = None if codes is None else np.arange(codes.max() + 1)
    return batches_of(tests, y, classes, RaceSettings.of(rule, groups, n, 0))


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


@pytest.mark.parametrize(("n_groups", "n_batches"), [(9, 1), (10, 2)])
def test_ten_groups_are_needed(n_groups, n_batches):
    assert len(batches(every(100, 50), groups=np.arange(100) % n_groups)) == n_batches


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


def test_smallest_numbers_are_enough():
    assert batches(every(100, 20), least=60) == [[0, 1, 2], [3], [4]]
    assert batches(every(100, 20), least=61)[0] == [0, 1, 2, 3]
    codes = np.zeros(100, dtype=int)
    codes[[0, 20, 40]] = 1
    assert batches(every(100, 20), codes, per_class=3)[0] == [0, 1, 2]
    assert len(batches(every(100, 20), codes, per_class=4)) == 1


def test_of_survival_times_events_must_be_there():
    y = np.zeros(100, dtype=[("event", bool), ("time", float)])
    y["event"][[0, 1, 20, 21, 40]] = True
    for per_class, expected in ((5, [[0, 1, 2], [3], [4]]), (6, [[0, 1, 2, 3, 4]])):
        rule = DropClearlyWorse(min_per_class=per_class)
        found = batches_of(every(100, 20), y, None, RaceSettings.of(rule, None, 100, 0))
        assert found == expected


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
