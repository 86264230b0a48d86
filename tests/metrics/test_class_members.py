"""Which metrics treat classes apart, and which samples belong to each class."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score, make_scorer, r2_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.metrics._base import class_members, needs_spread
from sklearn_bbc.metrics._consumed import Unbound
from tests.made import made

Y = np.array([0, 1, 2, 0, 1, 2, 0, 0])


def names_for(scoring, y=Y, pred=None, **fields):
    pred = y if pred is None else pred
    found = class_members(Unbound(as_metric(scoring), made(y_true=y, y_pred=pred, **fields)))
    return None if found is None else found[1]


CLASSES = ["class 0", "class 1", "class 2"]


@pytest.mark.parametrize(
    "scoring",
    [
        "f1_macro",
        "recall_micro",
        "balanced_accuracy",
        "matthews_corrcoef",
        make_scorer(f1_score, average="samples"),  # no kernel of ours for it
        "adjusted_rand_score",
        make_scorer(lambda y, p: (y == p).mean()),
    ],
)
def test_metrics_of_classes(scoring):
    assert names_for(scoring) == CLASSES


@pytest.mark.parametrize(
    "scoring",
    [
        "accuracy",
        make_scorer(accuracy_score, normalize=False),
        "neg_mean_squared_error",
        "neg_median_absolute_error",
        "r2",
    ],
)
def test_means_over_samples_and_errors_of_numbers_need_no_class(scoring):
    assert names_for(scoring) is None


def test_values_that_are_no_labels_are_not_taken_for_classes():
    own = make_scorer(lambda y, p: -np.abs(y - p).max())
    assert names_for(own, pred=Y + 0.5) is None
    assert names_for(own, pred=Y + 7) is None
    assert names_for(own, classes=None) is None
    assert names_for("f1_macro", y=Y + 0.5, pred=Y + 0.5) is None


@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
def test_scores_of_classes_tell_that_there_are_classes(method):
    scorer = make_scorer(lambda y, p: p.mean(), response_method=method)
    assert names_for(scorer, y=Y % 2, pred=np.full(8, 0.4)) == CLASSES[:2]

    def hidden(estimator, X, y):
        return 0.0

    oof = OOFPredictions.from_rows(y_true=Y % 2, responses={method: np.full((1, 8), 0.4)})
    assert class_members(Unbound(as_metric(hidden), oof))[1] == CLASSES[:2]
    oof = OOFPredictions.from_rows(y_true=Y, responses={"predict": Y[None]})
    assert class_members(Unbound(as_metric(hidden), oof))[1] == CLASSES


def test_only_samples_that_count_are_members():
    weight = np.array([1, 1, 0, 1, 1, 0, 2, 0])
    fold = np.array([0, -1, 0, 0, 1, 1, 1, 1])
    oof = OOFPredictions(y_true=Y, y_pred=Y, fold=fold, sample_weight=weight)
    members, names = class_members(Unbound(as_metric("f1_macro"), oof))
    assert names == CLASSES[:2]  # class 2 has no weight
    assert [np.flatnonzero(row).tolist() for row in members] == [[0, 3, 6], [4]]


def test_labels_are_two_classes_each():
    y = np.array([[1, 0], [1, 1], [1, 0]])
    members, names = class_members(
        Unbound(as_metric("f1_macro"), OOFPredictions(y_true=y, y_pred=y[:, None]))
    )
    assert names == ["label 0 = 1", "label 1 = 1", "label 1 = 0"]
    assert members.tolist() == [[True] * 3, [False, True, False], [True, False, True]]


def test_what_compares_with_the_spread_of_the_target():
    assert needs_spread(as_metric("r2")) and needs_spread(as_metric("explained_variance"))
    assert needs_spread(as_metric(make_scorer(r2_score, multioutput="raw_values")))
    assert not needs_spread(as_metric("neg_mean_squared_error"))
    assert not needs_spread(as_metric("f1"))
