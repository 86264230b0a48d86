"""Areas turned by their own medians: by hand with numpy, and what that does to a selection."""

import numpy as np
import pytest

from benchmarks.published.replication import LearnEvaluate, turned_in_draws
from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import Best, DeLong
from sklearn_bbc.metrics import as_metric


def select(oof, scoring="roc_auc", **parameters):
    return LearnEvaluate(**parameters).select(as_metric(scoring).bind(oof))


def test_automatic_direction_turns_useless_scores_around():
    y = np.arange(200) % 2
    scores = np.random.default_rng(0).normal(size=(200, 3)) + y[:, None]
    scores[:, 2] = -5 * y  # perfectly wrong
    oof = OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(200) // 2 % 5)
    fixed = select(oof, rule=Best(), random_state=0)
    turned = select(oof, rule=Best(), random_state=0, auto_direction=True)
    assert fixed.learn_scores[2] == 0
    assert fixed.candidates[0] != 2
    assert turned.learn_scores[2] == 1
    assert (turned.reported, turned.turned.tolist()) == (2, [True])
    step = LearnEvaluate(Best(), random_state=0, auto_direction=True)
    with pytest.warns(UserWarning, match="certainly wrong"):
        assert DeLong(selection=step).estimate(oof, "roc_auc").estimate == 1


def test_automatic_direction_looks_at_each_fold_by_itself():
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 50)
    noise = rng.normal(size=(100, 200))
    oof = OOFPredictions(y_true=y, y_pred=noise, fold=np.arange(100) // 10)
    fixed = select(oof, random_state=0).learn_scores.mean()
    turned = select(oof, random_state=0, auto_direction=True).learn_scores.mean()
    assert abs(fixed - 0.5) < 0.01
    assert turned > 0.6


def test_automatic_direction_is_for_roc_auc_only():
    oof = OOFPredictions(y_true=[0, 1] * 20, y_pred=[0, 1] * 20, fold=np.arange(40) // 10)
    with pytest.raises(ValueError, match="auto_direction reverses scores of roc_auc"):
        select(oof, "accuracy", auto_direction=True)


def turned_by_hand(pred, y, counts):
    """Medians of the drawn rows themselves, with numpy."""
    drawn = np.repeat(np.arange(len(y)), counts)
    negative, positive = drawn[y[drawn] == 0], drawn[y[drawn] == 1]
    return np.median(pred[negative], axis=0) > np.median(pred[positive], axis=0)


@pytest.mark.parametrize("n_repeats", [1, 2])
def test_draws_are_turned_by_the_medians_of_their_own_rows(n_repeats):
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat([0, 1], [9, 12]))
    pred = np.round(rng.normal(size=(n_repeats, 21, 3)), 1)
    fold = np.tile(np.arange(21) % 3, (n_repeats, 1))
    oof = OOFPredictions(y_true=y, y_pred=pred if n_repeats > 1 else pred[0],
                         fold=fold if n_repeats > 1 else fold[0])  # fmt: skip
    counts = rng.multinomial(21, np.full(21, 1 / 21), size=60).astype(np.uint8)
    found = turned_in_draws(as_metric("roc_auc").bind(oof), np.array([0, 2]), counts)
    every = np.concatenate(list(pred))[:, [0, 2]]
    expected = [
        turned_by_hand(every, np.tile(y, n_repeats), np.tile(c, n_repeats)) for c in counts
    ]
    np.testing.assert_array_equal(found, expected)
    assert 0.1 < found.mean() < 0.9
