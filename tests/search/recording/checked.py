"""A record that is true, and ways to change it."""

import numpy as np
from sklearn.metrics import accuracy_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search._verify import check_record

N, C, K = 60, 6, 5
RNG = np.random.default_rng(0)
FOLD = np.arange(N) % K
TARGET = RNG.integers(0, 2, N)
SCORES = RNG.normal(size=(C, N)) + TARGET


def record(scoring="roc_auc", values=SCORES, method="decision_function", target=TARGET, **fields):
    """A record and the fold scores that belong to it."""
    plain = OOFPredictions(y_true=target, responses={method: values}, fold=FOLD, **fields)
    metric = as_metric(scoring)
    scores = metric.bind(plain).fold_scores()
    oof = OOFPredictions(
        y_true=target, responses={method: values}, fold=FOLD, fold_scores={metric.name: scores},
        **fields,
    )  # fmt: skip
    return metric, oof


def changed(oof, config, split, by=5.0):
    """The same fold scores, but the predictions of one cell are another model's."""
    ((method, array),) = oof.responses.items()
    array = array.copy()
    rows = oof.fold == split
    array[config, rows] = array[config, rows][::-1] * -by
    return oof._with_fields(responses={method: array})


def with_labels_of_another_model():
    """Labels that agree with their scores, and the same with some of configuration 2 changed."""
    codes = (SCORES > 0.5).astype(np.int8)
    metric, oof = record("accuracy", codes, "predict")
    wrong = codes.copy()
    wrong[2, oof.fold == 1] ^= 1
    return metric, oof, wrong


def check(metric, oof, best=0):
    return check_record({metric.name: (metric, oof)}, {metric.name: best})


def best_threshold(estimator, X, y):
    """Nothing that a kernel knows."""
    scores = estimator.decision_function(X)
    return max(accuracy_score(y, scores > t) for t in (-0.5, 0.0, 0.5, 1.0))


def replayed_record():
    scores = np.array([
        [max(accuracy_score(TARGET[FOLD == k], SCORES[c, FOLD == k] > t)
             for t in (-0.5, 0.0, 0.5, 1.0)) for c in range(C)]
        for k in range(K)
    ])  # fmt: skip
    oof = OOFPredictions(
        y_true=TARGET, responses={"decision_function": SCORES}, fold=FOLD,
        fold_scores={"best_threshold": scores},
    )  # fmt: skip
    return as_metric(best_threshold), oof
