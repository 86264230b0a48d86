"""Predictions put together: more configurations on the same splits, or more repeats."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.predictions._sources import RESELECTED
from tests.made import made

N = 40
RNG = np.random.default_rng(0)
Y = np.tile([0, 1], N // 2)
FOLD = RNG.permutation(np.arange(N) // 2) % 4
SCORES = RNG.normal(size=(N, 5)) + Y[:, None] / 2
concat = OOFPredictions.concat


def part(columns, fold=FOLD, **fields):
    return made(y_true=Y, y_pred=SCORES[:, columns], fold=fold, **fields)


def params(*numbers):
    return {"params": [{"C": number} for number in numbers]}


def test_configurations_of_two_parts_give_what_one_would():
    whole = part(slice(None), **params(*range(5)))
    joined = concat([part([0, 1], **params(0, 1)), part([2, 3, 4], **params(2, 3, 4))])
    assert joined.params == whole.params
    for scoring in ("roc_auc", "average_precision"):
        one, other = (BBC(random_state=0).estimate(oof, scoring) for oof in (whole, joined))
        assert (one.estimate, *one) == (other.estimate, *other)
        np.testing.assert_array_equal(one.draws, other.draws)
    assert RESELECTED in joined.notes


def test_splits_may_be_called_otherwise():
    name = np.array([2, 0, 3, 1])
    scores = RNG.random((4, 5))
    one = part([0, 1], fold_scores={"roc_auc": scores[:, :2]}, train_size=[30, 29, 31, 30])
    renamed = np.empty_like(scores[:, 2:])
    renamed[name] = scores[:, 2:]
    sizes = np.empty(4, dtype=int)
    sizes[name] = [30, 29, 31, 30]
    other = part([2, 3, 4], fold=name[FOLD], fold_scores={"roc_auc": renamed}, train_size=sizes)
    joined = concat([one, other])
    np.testing.assert_array_equal(joined.fold_scores["roc_auc"], scores)
    assert joined.n_splits == 4 and joined.train_size.tolist() == [30, 29, 31, 30]


def test_repeats_of_two_parts_give_what_one_would():
    folds = np.stack([FOLD, np.roll(FOLD, 7), RNG.permutation(FOLD)])
    preds = np.stack([SCORES, SCORES + 0.1 * RNG.normal(size=SCORES.shape), SCORES**3])
    whole = OOFPredictions(y_true=Y, y_pred=preds, fold=folds)
    one = made(y_true=Y, y_pred=preds[0], fold=folds[0], **params(*range(5)))
    two = OOFPredictions(y_true=Y, y_pred=preds[1:], fold=folds[1:])
    joined = concat([one, two])
    assert (joined.n_repeats, joined.n_splits, joined.params) == (3, 12, one.params)
    found, expected = (BBC(random_state=0).estimate(oof, "roc_auc") for oof in (joined, whole))
    assert (found.estimate, *found) == (expected.estimate, *expected)


def test_two_searches_are_one():
    X, y = make_classification(n_samples=60, n_features=4, flip_y=0.2, random_state=0)
    cv = StratifiedKFold(4, shuffle=True, random_state=1)

    def search(estimator, grid):
        search = BBCSearchCV(estimator, grid, scoring="roc_auc", cv=cv, ci=[], refit=False)
        return search.fit(X, y).oof_

    linear = search(LogisticRegression(), {"C": [0.01, 1]})
    kernel = search(SVC(), {"C": [0.1, 1, 10]})  # both answer with decision_function
    joined = concat([linear, kernel])
    assert joined.n_configs == 5 and set(joined.fold_scores) == {"roc_auc"}
    by_hand = np.concatenate([oof.matrix("roc_auc") for oof in (linear, kernel)], axis=1)
    np.testing.assert_array_equal(joined.matrix("roc_auc"), by_hand)
    np.testing.assert_array_equal(
        joined.fold_scores["roc_auc"],
        np.concatenate([oof.fold_scores["roc_auc"] for oof in (linear, kernel)], axis=1),
    )
    assert np.isfinite(BBCF().estimate(joined, "roc_auc").estimate)


def test_a_response_that_a_part_lacks_is_missing_there():
    proba, labels = RNG.random((2, N)), RNG.integers(0, 2, (3, N))
    one = OOFPredictions.from_rows(y_true=Y, responses={"predict_proba": proba}, fold=FOLD)
    two = OOFPredictions.from_rows(y_true=Y, responses={"predict": labels}, fold=FOLD)
    joined = concat([one, two])
    assert np.isnan(joined.responses["predict_proba"][2:]).all()
    assert (joined.responses["predict"][:2] == -1).all()
    # Labels of the first part are derived, those of the second were recorded.
    np.testing.assert_array_equal(joined.matrix("accuracy")[:, :2], (proba.T > 0.5))
    np.testing.assert_array_equal(joined.matrix("accuracy")[:, 2:], labels.T)


def test_scores_per_fold_alone():
    scores = RNG.random((4, 5))

    def table(columns, metrics=("roc_auc",)):
        return OOFPredictions.from_fold_scores({name: scores[:, columns] for name in metrics})

    joined = concat([table([0, 1]), table([2, 3, 4], ("roc_auc", "accuracy"))])
    np.testing.assert_array_equal(joined.fold_scores["roc_auc"], scores)
    assert any("Fold scores of accuracy are not in all parts" in note for note in joined.notes)


def test_what_failed_or_was_selected_in_a_part():
    one, two = part([0, 1], failed=[False, True], selected=0), part([2], failed=[True])
    joined = concat([one, two])
    assert joined.failed.tolist() == [False, True, True] and joined.selected is None
    again = part([0, 1], fold=np.roll(FOLD, 3), failed=[True, False])
    assert concat([one, again]).failed.tolist() == [True, True]


ROLLED = np.roll(FOLD, 3)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([part([0])], "at least two OOFPredictions, got 1"),
        ([part([0]), SCORES], "takes OOFPredictions only, got ndarray"),
        ([part([0]), OOFPredictions(y_true=1 - Y, y_pred=SCORES)], r"other targets \(y_true\)"),
        ([part([0]), part([1], groups=np.arange(N))], r"other groups \(groups\)"),
        ([part([0]), part([1], sample_weight=np.full(N, 2.0))], "other sample weights"),
        (
            [part([0], **params(1)), part([1], **params(1))],
            "the same splits and the same configurations",
        ),
        ([part([0]), part([1, 2], fold=ROLLED)], "2 configurations instead of 1"),
        ([part([0], **params(1)), part([0], ROLLED, **params(2))], "params are not those"),
        (
            [
                part([0]),
                OOFPredictions.from_rows(y_true=Y, responses={"predict_proba": SCORES.T[:1]}),
            ],
            "made from y_pred and others from responses",
        ),
        (
            [
                part([0]),
                OOFPredictions.from_fold_scores(
                    y_true=Y, fold_scores={"roc_auc": np.zeros((4, 1))}
                ),
            ],
            "only scores per fold",
        ),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_what_does_not_fit_is_reported(parts, message):
    with pytest.raises(ValueError, match=message):
        concat(parts)
