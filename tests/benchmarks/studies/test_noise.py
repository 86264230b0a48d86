"""Tuning on noise: truths are known, and what tuning adds is seen."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from benchmarks.studies import noise
from sklearn_bbc import BBCSearchCV
from sklearn_bbc.selection import BestScore, GreedyEnsemble


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(noise, "POPULATION", 400)
    monkeypatch.setattr(noise, "GRID", [{"model__C": [0.01, 1.0]}])


def test_every_part_is_announced_and_tuning_adds_to_the_apparent_scores():
    setting = noise.Noise(60, 0.3)
    found = list(noise.draw(setting, np.random.SeedSequence(3), 0))
    pairs = [(part.name, method) for part in found for method in part.intervals]
    assert pairs == noise.parts(setting)
    assert [part.truths["truth"] for part in found[:2]] == [0.5, 0.5]
    for part in found:
        apparent = part.intervals[noise.APPARENT](0, 0)
        corrected = part.intervals[noise.CORRECTED](60, 0)
        assert apparent.low == apparent.estimate > corrected.estimate


def test_labels_are_balanced_as_asked_and_features_do_not_know_them():
    X, y = noise.Noise(2000, 0.3).sample(np.random.default_rng(0))
    assert y.mean() == 0.3
    assert abs(np.corrcoef(X.T, y)[-1, :-1]).max() < 0.08


def test_a_model_that_predicts_a_constant_has_one_half():
    X, y = noise.Noise(60, 0.3).sample(np.random.default_rng(0))
    folds = StratifiedKFold(3)
    assert noise.best_score_of_scikit(DummyClassifier(), folds, X, y) == 0.5
    assert noise.best_score_of_scikit(LogisticRegression(), folds, X, y) > 0.5
    with pytest.raises(ValueError, match="NaN"):
        noise.best_score_of_scikit(LogisticRegression(), folds, np.full_like(X, np.nan), y)


def test_shares_and_scores_of_what_is_selected():
    X, y = noise.Noise(60, 0.3).sample(np.random.default_rng(1))
    grid = {"C": [0.001, 0.1, 10.0]}
    search = BBCSearchCV(LogisticRegression(), grid, scoring="roc_auc", random_state=0).fit(X, y)
    proba = search.oof_.matrix("roc_auc")
    for rule in (BestScore(), GreedyEnsemble(4)):
        shares, score = noise.chosen(rule, search.oof_, "roc_auc")
        assert shares.sum() == pytest.approx(1)
        assert score == pytest.approx(roc_auc_score(y, proba @ shares))
    # The expected loss is the mean over labels that ignore the features.
    shares, everywhere = np.array([0.25, 0, 0.75]), np.random.default_rng(2).normal(size=(500, 10))
    models = [LogisticRegression(C=c).fit(X, y) for c in (0.001, 10.0)]
    mean = [0.25, 0.75] @ np.array([m.predict_proba(everywhere)[:, 1] for m in models])
    expected = 0.3 * log_loss(np.ones(500), mean, labels=[0, 1])
    expected += 0.7 * log_loss(np.zeros(500), mean, labels=[0, 1])
    assert noise.log_loss(search, shares, X, y, everywhere) == pytest.approx(expected)
