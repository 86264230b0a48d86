"""Ensembles on real data: 60 configurations, and the hold-out score of what is reported."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from benchmarks.studies import ensembles


def test_there_are_sixty_configurations_that_differ():
    assert len(ensembles.MODELS) == len({repr(model) for model in ensembles.MODELS}) == 60
    assert all(hasattr(model, "predict_proba") for model in ensembles.MODELS)


def test_parts_and_truths(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    tree = DecisionTreeClassifier(max_depth=2)
    models = [LogisticRegression(), tree, LogisticRegression(C=0.01)]
    monkeypatch.setattr(ensembles, "MODELS", models)
    monkeypatch.setattr(ensembles, "encoded", lambda name: (X, y))
    setting = ensembles.Real("phoneme")
    seed = np.random.SeedSequence(0)
    found = list(ensembles.draw(setting, seed, 0))
    pairs = [(part.name, method) for part in found for method in part.intervals]
    assert pairs == ensembles.parts(setting)
    ensemble, winner = (part.intervals[ensembles.APPARENT](0, 0).estimate for part in found)
    assert ensemble >= winner
    for part in found:
        corrected = part.intervals[ensembles.CORRECTED](60, 0)
        assert corrected.estimate < part.intervals[ensembles.APPARENT](0, 0).estimate
        assert 0.5 < part.truths["truth"] < 1


def test_averages_are_of_refitted_models(monkeypatch):
    rng = np.random.default_rng(1)
    X, X_rest = rng.normal(size=(80, 3)), rng.normal(size=(50, 3))
    y, y_rest = (rng.random(80) < 0.4).astype(int), np.arange(50) % 2
    models = [LogisticRegression(C=c) for c in (0.01, 1.0, 5.0)]
    monkeypatch.setattr(ensembles, "MODELS", models)
    scaler = StandardScaler().fit(X)
    proba = [m.fit(scaler.transform(X), y).predict_proba(scaler.transform(X_rest)) for m in models]
    expected = 0.25 * proba[0][:, 1] + 0.75 * proba[2][:, 1]
    found = ensembles.averaged(np.array([0.25, 0, 0.75]), X, y, X_rest)
    np.testing.assert_allclose(found, expected)
    assert roc_auc_score(y_rest, found) == pytest.approx(roc_auc_score(y_rest, expected))
