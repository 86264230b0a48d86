"""recommend: one case for each line of the table, and every recommendation works."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import (
    BBC,
    BBCF,
    CVAUC,
    BayleCV,
    CorrectedT,
    DeLong,
    HierarchicalBootstrap,
    PooledBootstrap,
    Wald,
    recommend,
)

RNG = np.random.default_rng(0)


def predictions(n=200, n_configs=1, n_folds=5, labels=False, **fields):
    y = np.tile([0, 1], n // 2)
    values = RNG.normal(size=(n, n_configs)) + y[:, None]
    fold = np.arange(n) // 2 % n_folds if n_folds else None
    return OOFPredictions(
        y_true=y, y_pred=(values > 0.5).astype(int) if labels else values, fold=fold, **fields
    )


def fold_scores(n_configs):
    return OOFPredictions(
        y_true=np.empty(0), classes=None, fold_scores={"roc_auc": RNG.random((6, n_configs))}
    )


def regression(**fields):
    y, y_pred = RNG.normal(size=(2, 200))
    return OOFPredictions(y_true=y, y_pred=y_pred, fold=np.arange(200) % 5, **fields)


CASES = [
    (predictions(n_configs=8), "roc_auc", {}, BBC, "corrects the selection"),
    (predictions(n_configs=8), "roc_auc", {"fast": True}, BBCF, "shortest time"),
    (predictions(n=40, n_configs=8), "roc_auc", {"fast": True}, BBC, "very wide"),
    (predictions(n_configs=8, n_folds=3), "roc_auc", {"fast": True}, BBC, "any metric"),
    (fold_scores(8), "roc_auc", {}, BBCF, "fold scores alone"),
    (fold_scores(1), "roc_auc", {}, CorrectedT, "overlapping training sets"),
    (predictions(), "roc_auc", {}, CVAUC, "within folds only"),
    (predictions(labels=True), "accuracy", {}, BayleCV, "central limit theorem"),
    (predictions(n=60, labels=True), "accuracy", {}, HierarchicalBootstrap, "few samples"),
    (predictions(labels=True), "f1", {}, CorrectedT, "any metric"),
    (regression(), "r2", {}, CorrectedT, "any metric"),
    (regression(groups=np.arange(200) // 2), "r2", {}, CorrectedT, "any metric"),
    (predictions(n_folds=0), "roc_auc", {}, DeLong, "test set"),
    (predictions(n_folds=0, labels=True), "accuracy", {}, Wald, "Wilson"),
    (predictions(n_folds=0, labels=True), "f1", {}, PooledBootstrap, "any metric"),
]


@pytest.mark.parametrize(("oof", "scoring", "arguments", "cls", "word"), CASES)
def test_the_table(oof, scoring, arguments, cls, word):
    method, reason = recommend(oof, scoring, **arguments)
    assert type(method) is cls
    assert word in reason and reason.endswith(".") and reason.count(". ") == 0
    result = method.estimate(oof, scoring)
    assert result.low <= result.estimate <= result.high
