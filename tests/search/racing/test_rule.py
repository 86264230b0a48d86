"""`DropClearlyWorse` on finished predictions, and its parameters."""

import numpy as np
import pytest
from sklearn.base import clone

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.predictions._predictions import with_fields
from sklearn_bbc.recording._racing import Race, RaceState, one_split
from sklearn_bbc.search import DropClearlyWorse
from tests.made import made

N = 200
Y = np.tile([0, 1], N // 2)


def predictions(signals=(2, 1.9, 0, 1), n_folds=10, seed=0, **options):
    rng = np.random.default_rng(seed)
    scores = Y[:, None] * np.array(signals, dtype=float) + rng.normal(size=(N, len(signals)))
    fold = np.arange(N) // (N // n_folds)
    return made(y_true=Y, y_pred=scores, fold=fold, **options)


def test_a_loop_over_splits_with_delongs_method_says_the_same():
    """One split and two classes: the test is DeLong's on the first fold, the leader the best."""
    from sklearn_bbc.comparison import PairedDeLong, Side

    oof = predictions(n_folds=2)
    first = OOFPredictions(y_true=Y[:100], y_pred=oof.responses["plain"].T[:100])
    best = int(as_metric("roc_auc").bind(first).on_data().argmax())
    method = PairedDeLong(alternative="greater")
    expected = []
    for config in range(oof.n_configs):
        p = 1.0
        if config != best:
            one, other = (Side(oof=first, config=c) for c in (best, config))
            p = method.compare(one, other, "roc_auc").p_value
        # Student's distribution is a little wider than the normal one.
        expected.append(1 if p < 0.008 else 2)
        assert not 0.008 <= p < 0.012
    assert DropClearlyWorse().replay(oof, "roc_auc").tolist() == expected
    assert 1 in expected


def test_a_configuration_that_is_dropped_never_comes_back_and_the_best_stays():
    oof = predictions()
    done = DropClearlyWorse().replay(oof, "roc_auc")
    assert done[0] == 10 and done[2] == 3  # 50 samples are there after three splits
    strict = DropClearlyWorse(confidence_level=0.998).replay(oof, "roc_auc")
    assert (strict >= done).all()


@pytest.mark.parametrize("signals", [(1, 1, 1), (0,), (0, 0)])
def test_equal_and_single_configurations_stay(signals):
    oof = predictions(signals)
    same = with_fields(oof, responses={k: v[[0] * len(v)] for k, v in oof.responses.items()})
    for metric in ("roc_auc", "average_precision"):
        assert set(DropClearlyWorse(random_state=0).replay(same, metric)) == {10}


def test_fewer_samples_than_the_floor_drop_nothing():
    oof = predictions((3, 0))
    assert DropClearlyWorse(min_predictions=N).replay(oof, "roc_auc").tolist() == [10, 10]
    assert DropClearlyWorse(min_per_class=100).replay(oof, "roc_auc").tolist() == [10, 10]
    early = DropClearlyWorse(min_predictions=20).replay(oof, "roc_auc")
    assert early.tolist() == [10, 1]


def test_groups_are_what_is_independent():
    """Ten copies of each sample are no more evidence than one."""
    oof = predictions((2, 1.2), n_folds=4, seed=1)
    groups = np.arange(N) // 5
    scores = oof.responses["plain"][:, groups * 5 + np.arange(N) % 2]
    y = Y[groups * 5 + np.arange(N) % 2]
    alike = OOFPredictions(y_true=y, y_pred=scores.T, fold=oof.fold)
    grouped = OOFPredictions(y_true=y, y_pred=scores.T, fold=oof.fold, groups=groups)
    rule = DropClearlyWorse()
    assert rule.replay(alike, "roc_auc")[1] < rule.replay(grouped, "roc_auc")[1]


def test_missing_predictions_are_neither_dropped_nor_leaders():
    oof = predictions((3, 3, 0))
    plain = oof.responses["plain"].copy()
    plain[1, 5] = np.nan
    lacking = OOFPredictions(y_true=Y, y_pred=plain.T, fold=oof.fold)
    assert DropClearlyWorse().replay(lacking, "roc_auc").tolist() == [10, 10, 3]


def test_seeds_of_the_bootstrap():
    oof = predictions((2, 1.7, 1.6, 1.5, 1.4, 1.3), n_folds=20)
    rule = DropClearlyWorse(random_state=3, n_bootstraps=120)
    found = rule.replay(oof, "average_precision")
    np.testing.assert_array_equal(found, clone(rule).replay(oof, "average_precision"))
    assert found.min() < 20


def looks(n_folds, n=100, **options):
    """Split after which each of many configurations was dropped: they are ever better."""
    y = np.zeros(n)
    right = np.random.default_rng(0).random((n, 60)) < np.linspace(0.2, 1, 60)
    oof = OOFPredictions(
        y_true=y, y_pred=np.where(right, 0.0, 1.0), classes=None,
        fold=np.arange(n) // (n // n_folds), groups=options.pop("groups", None),
    )  # fmt: skip
    rule = DropClearlyWorse(confidence_level=0.9, **options)
    return sorted(set(rule.replay(oof, "neg_mean_absolute_error").tolist()))


@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (lambda: looks(5), [3, 4, 5]),
        (lambda: looks(2), [1, 2]),
        (lambda: looks(5, min_predictions=60), [3, 4, 5]),
        (lambda: looks(5, min_predictions=61), [4, 5]),
        (lambda: looks(4, n=40), [4]),
        (lambda: looks(2, groups=np.arange(100) % 9), [2]),
        (lambda: looks(2, groups=np.arange(100) % 10), [1, 2]),
    ],
)
def test_nothing_is_dropped_before_there_is_enough(found, expected):
    assert found() == expected


def test_of_many_splits_a_twentieth_of_the_predictions_must_be_new():
    found = looks(200, n=200)
    assert found[0] == 50 and len(found) > 3
    assert all(split % 10 == 0 for split in found)


@pytest.mark.parametrize(("events", "expected"), [(5, [1, 3]), (6, [2, 3])])
def test_of_survival_times_events_must_be_there(events, expected):
    """Five events are in the first of three splits, one more in the second."""
    rng = np.random.default_rng(0)
    y = np.zeros(180, dtype=[("event", bool), ("time", float)])
    y["time"] = rng.exponential(size=180)
    y["event"] = np.arange(180) >= 120
    y["event"][[0, 10, 20, 30, 40, 70]] = True
    risk = np.stack([rng.normal(size=180), -y["time"]], axis=1)
    oof = OOFPredictions(y_true=y, y_pred=risk, fold=np.arange(180) // 60)
    rule = DropClearlyWorse(min_per_class=events, confidence_level=0.6, n_bootstraps=20)
    assert rule.replay(oof, "concordance_index").tolist() == expected


def test_repeats_of_a_sample_count_once():
    y = np.tile([0, 1], 15)
    scores = np.stack([y + 0.0, -y + np.random.default_rng(0).normal(size=30)], axis=1)
    fold = np.stack([np.arange(30) // 10] * 4)
    oof = OOFPredictions(y_true=y, y_pred=np.stack([scores] * 4), fold=fold)
    assert DropClearlyWorse().replay(oof, "roc_auc").tolist() == [12, 12]
    early = DropClearlyWorse(min_predictions=30).replay(oof, "roc_auc")
    assert early.tolist() == [12, 3]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_bootstraps": 98}, "n_bootstraps must be an integer of at least 99, got 98: the smal"),
        ({"n_bootstraps": 998, "confidence_level": 0.999}, "at least 999"),
    ],
)
def test_parameters_out_of_range_are_named(params, message):
    with pytest.raises(ValueError, match=message):
        DropClearlyWorse(**params).replay(predictions(), "roc_auc")


def test_fold_scores_alone_are_not_enough():
    oof = OOFPredictions.from_fold_scores({"roc_auc": np.ones((3, 2))})
    with pytest.raises(ValueError, match="compares predictions"):
        DropClearlyWorse().replay(oof, "roc_auc")


def test_a_replay_weighs_samples_as_the_predictions_do():
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 100)
    right = np.stack([rng.random(200) < 0.9, np.r_[np.ones(150), np.zeros(50)] > 0.5])
    y_pred = np.where(right, y, 1 - y).T
    fold = rng.permutation(200) % 10
    weight = np.where(right[1], 0.01, 1.0)  # what the second one gets wrong is what counts
    plain, weighted = (
        OOFPredictions(y_true=y, y_pred=y_pred, fold=fold, sample_weight=w)
        for w in (np.ones(200), weight)
    )
    rule = DropClearlyWorse()
    assert rule.replay(weighted, "accuracy")[1] < rule.replay(plain, "accuracy")[1]


@pytest.mark.parametrize("metric", ["roc_auc", "average_precision"])
def test_a_positive_class_that_comes_first_is_the_same_race(metric):
    oof = predictions((2, 1.9, 0))
    scores = oof.responses["plain"].T
    turned = OOFPredictions(y_true=1 - Y, y_pred=scores, fold=np.arange(N) // 20, pos_label=0)
    rule = DropClearlyWorse(random_state=0, n_bootstraps=200)
    expected = rule.replay(oof, metric).tolist()
    assert rule.replay(turned, metric).tolist() == expected == [10, 10, 3]


def test_each_batch_but_the_last_is_looked_at():
    """The last one is good enough to be there after the first look, but not for long."""
    first, second, third, fourth = DropClearlyWorse().replay(predictions(), "roc_auc")
    assert (first, second, third) == (10, 10, 3)
    assert 3 < fourth < 10


def test_a_score_that_equals_the_leaders_is_not_worse_whatever_draws_say():
    """Median errors are equal, but in nearly all draws the first one has the smaller."""
    error = np.tile(np.arange(21.0), 4)
    errors = np.stack([error, np.where(error == 10, 10, error + 0.5), error + 5], axis=1)
    oof = OOFPredictions(y_true=np.zeros(84), y_pred=errors, fold=np.arange(84) // 21)
    assert DropClearlyWorse(random_state=0).replay(oof, "neg_median_absolute_error").tolist() == [
        4, 4, 3
    ]  # fmt: skip


@pytest.mark.parametrize("metric", ["roc_auc", "average_precision"])
def test_a_score_that_the_predictions_do_not_give_cannot_be_compared(metric):
    scores = np.random.default_rng(0).normal(size=(3, N)) + np.array([[2], [3], [0]]) * Y
    state = RaceState(as_metric(metric))
    for k, rows in enumerate(np.split(np.arange(N), 4)):
        oof = one_split(Y, np.array([0, 1]), {"decision_function": scores[:, rows]}, rows)
        given = state.metric.bind(oof).on_data().copy()
        given[1] += 0.01 * (k == 1)
        if k == 2:
            oof.responses["decision_function"].flags.writeable = True
            oof.responses["decision_function"][2, 0] = np.nan
        state.add(oof, given)
    assert state.comparable.tolist() == [True, False, False]
    race = Race(DropClearlyWorse(), None, N, (3, 4), 0)
    assert not state.clearly_worse(race, np.ones(3, dtype=bool)).any()
