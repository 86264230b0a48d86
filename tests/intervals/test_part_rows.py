"""Parts of predictions: every row keeps its label, fold, repeat, group and weight."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.predictions._predictions import fold_of, part_of

N = 24
RNG = np.random.default_rng(0)
Y = RNG.permutation(np.arange(N) % 2)
FOLDS = np.stack([RNG.permutation(N) % 4, RNG.permutation(N) % 4])
PRED = RNG.normal(size=(2, N, 3)) + Y[:, None]
WEIGHT = RNG.uniform(0.5, 2, size=N)
GROUPS = np.arange(N) // 2


def repeated(**fields):
    given = {"sample_weight": WEIGHT, "groups": GROUPS, **fields}
    return OOFPredictions(y_true=Y, y_pred=PRED, fold=FOLDS, **given)


def test_a_part_keeps_its_samples_weights_groups_and_folds():
    kept = RNG.random(N) < 0.6
    part = part_of(repeated(), kept, np.array([2, 0]))
    np.testing.assert_array_equal(part.y_true, Y[kept])
    np.testing.assert_array_equal(part.sample_weight, WEIGHT[kept])
    np.testing.assert_array_equal(part.groups, GROUPS[kept])
    for repeat in (0, 1):
        rows = part.repeat == repeat
        np.testing.assert_array_equal(part.sample[rows], np.arange(kept.sum()))
        expected = PRED[repeat][kept][:, [2, 0]].T
        np.testing.assert_array_equal(part.response("decision_function")[0][:, rows], expected)
        # Names of folds may change, their members may not.
        together = part.fold[rows][:, None] == part.fold[rows]
        np.testing.assert_array_equal(
            together, FOLDS[repeat][kept][:, None] == FOLDS[repeat][kept]
        )


def test_a_fold_holds_the_rows_that_it_holds_out_in_its_repeat():
    oof = repeated()
    for split in range(oof.n_splits):
        repeat, own = divmod(split, 4)
        here = FOLDS[repeat] == own
        fold = fold_of(oof, split, 2)
        np.testing.assert_array_equal(fold.y_true, Y[here])
        np.testing.assert_array_equal(fold.sample_weight, WEIGHT[here])
        np.testing.assert_array_equal(fold.groups, GROUPS[here])
        np.testing.assert_array_equal(
            fold.response("decision_function")[0], PRED[repeat][here][:, 2][None]
        )


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss"])
def test_fold_scores_are_those_of_the_rows_of_the_fold(scoring):
    """Folds are not in the order of the samples, and differ between the repeats."""
    proba = 1 / (1 + np.exp(-PRED))
    pred = (proba > 0.5).astype(int) if scoring == "accuracy" else proba
    oof = OOFPredictions(y_true=Y, y_pred=pred, fold=FOLDS, sample_weight=WEIGHT)
    scores = as_metric(scoring).fold_scores(oof)
    for split in range(8):
        repeat, own = divmod(split, 4)
        here = FOLDS[repeat] == own
        if scoring == "accuracy":
            expected = accuracy_score(Y[here], pred[repeat][here, 1], sample_weight=WEIGHT[here])
        else:
            of_true = np.where(Y == 1, proba[repeat][:, 1], 1 - proba[repeat][:, 1])[here]
            expected = np.average(np.log(of_true), weights=WEIGHT[here])
        assert scores[split, 1] == pytest.approx(expected)
        alone = as_metric(scoring).bind(fold_of(oof, split, 1))
        assert alone.scores(np.ones((1, here.sum())))[0, 0] == pytest.approx(expected)
