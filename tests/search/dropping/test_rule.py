"""`DropClearlyWorse` on finished predictions, and its parameters."""

import numpy as np
import pytest
from sklearn.base import clone

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search import DropClearlyWorse
from sklearn_bbc.search._racing import units_of

N = 200
Y = np.tile([0, 1], N // 2)


def predictions(signals=(2, 1.9, 0, 1), n_folds=10, seed=0, **options):
    rng = np.random.default_rng(seed)
    scores = Y[:, None] * np.array(signals, dtype=float) + rng.normal(size=(N, len(signals)))
    fold = np.arange(N) // (N // n_folds)
    return OOFPredictions(y_true=Y, y_pred=scores, fold=fold, **options)


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
    same = oof._with_fields(responses={k: v[[0] * len(v)] for k, v in oof.responses.items()})
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


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"confidence_level": 1}, "above 0.5 and below 1, got 1"),
        ({"confidence_level": True}, "above 0.5 and below 1, got True"),
        ({"confidence_level": "high"}, "got 'high'"),
        ({"min_predictions": 2}, "min_predictions must be an integer of at least 3"),
        ({"min_per_class": 1}, "min_per_class must be an integer of at least 2"),
        ({"n_bootstraps": 98}, "n_bootstraps must be an integer of at least 99, got 98: the smal"),
        ({"n_bootstraps": 998, "confidence_level": 0.999}, "at least 999"),
    ],
)
def test_parameters_out_of_range_are_named(params, message):
    with pytest.raises(ValueError, match=message):
        DropClearlyWorse(**params).replay(predictions(), "roc_auc")


def test_the_smallest_numbers_of_draws_are_allowed():
    DropClearlyWorse(n_bootstraps=99)._validate()
    DropClearlyWorse(n_bootstraps=19, confidence_level=0.95)._validate()


def test_fold_scores_alone_are_not_enough():
    oof = OOFPredictions(y_true=[], classes=None, fold_scores={"roc_auc": np.ones((3, 2))})
    with pytest.raises(ValueError, match="compares predictions"):
        DropClearlyWorse().replay(oof, "roc_auc")


def test_units_are_samples_or_groups():
    assert units_of(None, 3)[0].tolist() == [0, 1, 2]
    units, grouped = units_of(np.array(["b", "a", "b"]), 3)
    assert units.tolist() == [1, 0, 1] and grouped


@pytest.mark.slow
def test_the_best_of_equal_configurations_is_rarely_alone():
    """Nothing to find: of ten equally good configurations most are fitted to the end."""
    shares = [
        (DropClearlyWorse().replay(predictions([0.5] * 10, seed=seed), "roc_auc") == 10).mean()
        for seed in range(100)
    ]
    assert np.mean(shares) > 0.6


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


def test_the_defaults_are_those_that_are_documented():
    assert DropClearlyWorse().get_params() == {
        "confidence_level": 0.99,
        "min_predictions": 50,
        "min_per_class": 5,
        "n_bootstraps": 500,
        "random_state": None,
    }


@pytest.mark.parametrize("level", [0.5, 0.3, 0, 1, 1.0, False, True])
def test_levels_outside_their_range_are_refused(level):
    with pytest.raises(ValueError, match=r"above 0\.5 and below 1"):
        DropClearlyWorse(confidence_level=level)._validate()


def test_a_level_of_a_little_more_than_one_half_is_allowed():
    DropClearlyWorse(confidence_level=0.501)._validate()
    DropClearlyWorse(min_predictions=3, min_per_class=2)._validate()


def test_the_test_of_a_run_has_every_parameter():
    rule = DropClearlyWorse(
        confidence_level=0.9, min_predictions=30, min_per_class=3, n_bootstraps=77
    )
    units = np.arange(4)
    test = rule._lead_test(units, True, 5, 2)
    assert test.units is units
    assert (test.confidence_level, test.min_predictions, test.min_per_class) == (0.9, 30, 3)
    assert (test.n_bootstraps, test.grouped, test.seed, test.n_jobs) == (77, True, 5, 2)
    assert rule._lead_test(units, False, 5).n_jobs is None


def test_samples_are_no_groups():
    assert units_of(None, 3)[1] is False
    assert units_of(np.array([7, 7, 7]), 3)[1] is True


def test_something_can_be_dropped_after_the_last_split_but_one_only():
    """Of two splits the second one can be spared, of one nothing."""
    assert DropClearlyWorse().replay(predictions((3, 0), n_folds=2), "roc_auc").tolist() == [2, 1]
    assert DropClearlyWorse().replay(predictions((3, 0), n_folds=1), "roc_auc").tolist() == [1, 1]
    late = DropClearlyWorse(min_predictions=180).replay(predictions((3, 0)), "roc_auc")
    assert late.tolist() == [10, 9]


def test_each_batch_but_the_last_is_looked_at():
    """The last one is good enough to be there after the first look, but not for long."""
    first, second, third, fourth = DropClearlyWorse().replay(predictions(), "roc_auc")
    assert (first, second, third) == (10, 10, 3)
    assert 3 < fourth < 10
