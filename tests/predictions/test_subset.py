"""Parts of predictions: some samples and configurations, with all that belongs to them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import DeLong, LearnEvaluate
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.predictions._predictions import configs_of, fold_of, part_of
from tests.made import made

N = 40
RNG = np.random.default_rng(0)
Y = np.tile([0, 1], N // 2)
FOLD = RNG.permutation(np.arange(N) // 2) % 4
SCORES = RNG.random((3, 2 * N)).astype(np.float32)
WEIGHT = RNG.uniform(1, 9, N)


def everything(**fields):
    return made(
        **{
            "y_true": Y,
            "responses": {"predict_proba": SCORES, "predict": (SCORES > 0.5).astype(np.int8)},
            "sample": np.tile(np.arange(N), 2),
            "fold": np.concatenate([FOLD, FOLD + 4]),
            "sample_weight": WEIGHT,
            "groups": np.arange(N),
            "params": [{"C": k} for k in range(3)],
            "failed": [False, True, False],
            "selected": 2,
            "fold_scores": {"roc_auc": np.zeros((8, 3))},
            **fields,
        }
    )


def test_a_part_keeps_what_belongs_to_its_samples():
    kept, configs = np.arange(N) % 3 > 0, np.array([2, 0])
    part = part_of(everything(), kept, configs)
    rows = np.tile(kept, 2)
    np.testing.assert_array_equal(part.y_true, Y[kept])
    np.testing.assert_array_equal(part.sample_weight, WEIGHT[kept])
    np.testing.assert_array_equal(part.groups, np.arange(N)[kept])
    np.testing.assert_array_equal(part.responses["predict_proba"], SCORES[configs][:, rows])
    np.testing.assert_array_equal(part.sample, np.tile(np.arange(kept.sum()), 2))
    assert part.params == ({"C": 2}, {"C": 0}) and part.failed.tolist() == [False, False]
    assert part.n_repeats == 2 and part.selected is None and not part.fold_scores
    assert {name: array.dtype for name, array in part.responses.items()} == {
        "predict_proba": np.float32,
        "predict": np.int8,
    }


@given(st.integers(0, 1000))
def test_the_score_of_a_part_is_the_weighted_score_of_its_samples(seed):
    kept = np.random.default_rng(seed).random(N) < 0.6
    part = part_of(everything(failed=None), kept, np.arange(3))
    found = as_metric("roc_auc").bind(part).scores(np.ones((1, kept.sum()), dtype=np.uint8))[0]
    expected = [
        np.mean(
            [
                roc_auc_score(Y[kept], half[kept], sample_weight=WEIGHT[kept])
                for half in np.split(column, 2)
            ]
        )
        for column in SCORES
    ]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_folds_of_a_part_hold_the_same_samples():
    kept = RNG.random(N) < 0.5
    part = part_of(everything(), kept, np.arange(3))
    position = np.flatnonzero(kept)
    folds = [set(position[part.sample[part.fold == k]]) for k in range(part.n_splits)]
    expected = [set(np.flatnonzero(kept & (FOLD == k))) for k in range(4)]
    assert folds == [fold for fold in expected if fold] * 2


def test_scores_are_turned_and_labels_are_not():
    part = part_of(everything(), np.ones(N, bool), np.arange(3), turned=np.arange(3) == 1)
    np.testing.assert_array_equal(part.responses["predict_proba"][1], -SCORES[1])
    np.testing.assert_array_equal(part.responses["predict_proba"][[0, 2]], SCORES[[0, 2]])
    np.testing.assert_array_equal(part.responses["predict"], SCORES > 0.5)


@pytest.mark.parametrize("split", [0, 3, 5])
def test_one_fold_of_one_configuration(split):
    fold = fold_of(everything(), split, 2)
    members = np.flatnonzero(FOLD == split % 4)
    np.testing.assert_array_equal(fold.y_true, Y[members])
    np.testing.assert_array_equal(fold.sample_weight, WEIGHT[members])
    np.testing.assert_array_equal(fold.groups, members)
    np.testing.assert_array_equal(
        fold.responses["predict_proba"], SCORES[2:, members + N * (split >= 4)]
    )


@pytest.mark.filterwarnings("error")
def test_the_user_is_not_warned_of_a_part_again():
    with pytest.warns(UserWarning, match="split between folds"):
        oof = everything(groups=np.arange(N) // 4)
    part_of(oof, np.ones(N, bool), np.arange(3))
    fold_of(oof, 0, 0)


def test_weights_reach_the_score_of_the_evaluation_part():
    n = 80
    y, rng = np.arange(n) % 2, np.random.default_rng(0)
    pred = rng.normal(size=(n, 3)) + y[:, None]
    weight = rng.integers(1, 9, size=n)
    oof = OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(n) // 2 % 4, sample_weight=weight)
    result = DeLong(selection=LearnEvaluate(random_state=0)).estimate(oof, "roc_auc")
    samples = LearnEvaluate(random_state=0).select(as_metric("roc_auc").bind(oof), None)
    kept, config = samples.evaluate, result.details["config"]
    alone = OOFPredictions(y_true=y[kept], y_pred=pred[kept, config], sample_weight=weight[kept])
    own = as_metric("roc_auc").bind(alone).scores(np.ones((1, kept.sum()), dtype=np.uint8))[0, 0]
    assert result.estimate == own


def test_some_configurations_for_the_same_samples():
    oof = everything().with_selected(1)
    pair = configs_of(oof, np.array([2, 0]))
    assert pair.n_configs == 2 and pair.selected is None
    for name, array in pair.responses.items():
        np.testing.assert_array_equal(array, oof.responses[name][[2, 0]])
    for name in ("y_true", "sample", "fold", "repeat", "groups", "sample_weight"):
        np.testing.assert_array_equal(getattr(pair, name), getattr(oof, name))
    assert pair.params == ({"C": 2}, {"C": 0}) and pair.failed.tolist() == [False, False]
    assert pair.fold_scores["roc_auc"].shape == (8, 2)
    assert all(not array.flags.writeable for array in pair.responses.values())


def test_all_configurations_are_the_predictions_themselves():
    oof = everything(selected=None)
    every = np.arange(oof.n_configs)
    assert configs_of(oof, every) is oof
    assert configs_of(oof.with_selected(1), every).selected is None
