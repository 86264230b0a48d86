"""A metric of scores or probabilities that is computed from predicted labels is noted."""

import re

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    log_loss,
    make_scorer,
    roc_auc_score,
)
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBC, BBCSearchCV, OOFPredictions, bbc, compare, holdout_interval
from sklearn_bbc.intervals import BBCF, CorrectedT, PooledBootstrap

RNG = np.random.default_rng(0)
Y = np.arange(60) % 2
SCORES = 1 / (1 + np.exp(-RNG.normal(size=(60, 2)) - Y[:, None]))
LABELS = (SCORES > 0.6).astype(int)
NAMES = ["roc_auc", "average_precision", "neg_log_loss", "neg_brier_score"]

FEW = {"n_bootstraps": 20, "random_state": 0}


def noted(result):
    return [note for note in result.details["notes"] if "predicted labels" in note]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("scorer", "words"),
    [
        (make_scorer(roc_auc_score), r"make_scorer\(roc_auc_score, response_method=\('dec"),
        (make_scorer(average_precision_score), "average precision is that of predicted labels"),
        (make_scorer(log_loss, greater_is_better=False), "count as probabilities of 0 and 1"),
        (
            make_scorer(brier_score_loss, greater_is_better=False),
            "response_method='predict_proba'",
        ),
        ("roc_auc", None),
        ("neg_log_loss", None),
        ("accuracy", None),
        (make_scorer(roc_auc_score, response_method="decision_function"), None),
    ],
)
def test_a_search_by_labels(scorer, words):
    search = BBCSearchCV(
        LogisticRegression(), {"C": [0.1, 1]}, scoring=scorer, cv=5, ci=BBC(**FEW)
    ).fit(SCORES, Y)
    others = PooledBootstrap(**FEW), BBCF(**FEW)
    for result in (search.ci_, *map(search.interval, others)):
        if words is None:
            assert not noted(result)
        else:
            (note,) = noted(result)
            assert note.startswith("The scorer asks for `predict`, so the ")
            assert re.search(words, note)


def test_a_grown_tree_has_probabilities_of_zero_and_one():
    search = BBCSearchCV(
        DecisionTreeClassifier(random_state=0), {"min_samples_split": [2, 3]}, scoring="roc_auc",
        random_state=0,
    ).fit(SCORES, Y)  # fmt: skip
    assert not noted(search.ci_)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [int, float, bool])
def test_arrays_of_labels(name, dtype):
    labels = LABELS.astype(dtype)
    oof = OOFPredictions(y_true=Y, y_pred=labels, fold=np.arange(60) // 2 % 5)
    for result in (
        bbc(Y, labels, name, **FEW),
        holdout_interval(Y, labels[:, 0], name, **FEW),
        compare(labels[:, 0], labels[:, 1], name, y_true=Y, random_state=0),
        BBCF(**FEW).estimate(oof, name),
        CorrectedT().estimate(oof, name),
    ):
        (note,) = noted(result)
        assert note.startswith("The predictions hold nothing but ")


@pytest.mark.parametrize(
    ("y", "labels", "named"),
    [
        (Y + 1, LABELS + 1, "1 and 2"),
        (np.array(["no", "yes"])[Y], LABELS, "0 and 1"),
        (Y == 1, LABELS == 1, "False and True"),
        (2 * Y - 1, 2 * LABELS - 1, "-1 and 1"),
        (Y, np.column_stack([np.zeros(60), LABELS]), "0 and 1"),  # a constant says nothing
    ],
)
def test_the_labels_are_named(y, labels, named):
    (note,) = noted(bbc(y, labels, "roc_auc", **FEW))
    assert note.startswith(f"The predictions hold nothing but {named}. ")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "scores",
    [
        SCORES,
        SCORES.round(1),
        np.where(LABELS, 0.75, 0.25),
        np.where(SCORES > 0.8, 1.0, np.where(SCORES > 0.4, 0.5, 0.0)),
        np.column_stack([LABELS, SCORES[:, 0]]),  # one tree of several is fully grown
        np.full((60, 2), 0.5),
    ],
    ids=["scores", "one digit", "two values", "three values", "beside scores", "constant"],
)
@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
def test_scores_with_few_values_are_scores(name, scores):
    assert not noted(bbc(Y, scores, name, **FEW))
