"""One class against the rest: which rows have what, and what a draw needs."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, make_scorer, roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.metrics._base import RowData
from sklearn_bbc.metrics._ranking import indicator

RNG = np.random.default_rng(0)
Y = np.arange(12) % 3
PROBA = RNG.dirichlet(np.ones(3), size=(2, 12))
LABELS = RNG.integers(0, 2, (12, 3))


def rows(y=Y, pred=PROBA, classes=(0, 1, 2), **kwargs):
    classes = None if classes is None else np.array(classes)
    return RowData(y=y, pred=pred, classes=classes, codes_given=False, kwargs=kwargs)


def test_classes_and_labels():
    has, names, rest = indicator(rows())
    np.testing.assert_array_equal(has, np.eye(3, dtype=bool)[Y])
    assert (names[1], rest[1]) == ("class 1", "not class 1")
    has, names, rest = indicator(rows(LABELS, classes=None))
    np.testing.assert_array_equal(has, LABELS == 1)
    assert (names[2], rest[2]) == ("label 2 = 1", "label 2 = 0")


@pytest.mark.parametrize(
    "wrong",
    [
        rows(pred=PROBA[:, :, 0]),
        rows(pred=PROBA.astype(str)),
        rows(Y % 2, classes=(0, 1)),
        rows(LABELS[:, :2], classes=None),
        rows(LABELS + 1, classes=None),
        rows(labels=[2, 1, 0]),
    ],
    ids=["columns", "text", "two classes", "labels", "no 0/1", "unsorted"],
)
def test_what_does_not_match_is_left_to_the_replay(wrong):
    assert indicator(wrong) is None


def bound(function, y=Y, **kwargs):
    scorer = make_scorer(function, response_method="predict_proba", **kwargs)
    pred = np.moveaxis(PROBA, 0, 1)
    return as_metric(scorer).bind(OOFPredictions(y_true=y, y_pred=pred))


@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
def test_scores_are_scikit_learn_s_and_a_draw_without_a_class_has_none(average):
    kernel = bound(roc_auc_score, multi_class="ovr", average=average)
    assert kernel.family != "replay"
    counts = RNG.integers(1, 4, (5, 12))
    counts[4, Y == 1] = 0
    for draw, weights in enumerate(counts):
        found = kernel.scores(weights[None])[0]
        if draw == 4:
            assert np.isnan(found).all()
            continue
        again = np.repeat(np.arange(12), weights)
        expected = [
            roc_auc_score(Y[again], proba[again], multi_class="ovr", average=average)
            for proba in PROBA
        ]
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_average_precision_needs_no_negatives():
    kernel = bound(average_precision_score, y=LABELS, average="macro")
    assert len(kernel.strata) == 3
    auc = bound(roc_auc_score, y=LABELS, average="macro")
    assert len(auc.strata) == 6
