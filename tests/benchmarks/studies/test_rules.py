"""The study of rules: all parts are there, truths are those of what is reported."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from benchmarks.data import learning
from benchmarks.studies import rules
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.selection import GreedyEnsemble, Outcome, WithThreshold
from tests.selection.draws import predictions


@pytest.fixture(autouse=True)
def small_population(monkeypatch):
    monkeypatch.setattr(learning, "POPULATION", 500)
    learning.population.cache_clear()
    yield
    learning.population.cache_clear()


def test_every_part_and_method_that_is_announced_is_there():
    setting = rules.DrawnRules(1.0, 60)
    found = list(rules.draw(setting, np.random.SeedSequence(0), 0))
    pairs = [(part.name, method) for part in found for method in part.intervals]
    assert pairs == setting_parts(setting)
    for part in found:
        repeated, once = (part.intervals[m](40, 0) for m in (rules.REPEATED, rules.ONCE))
        assert np.isfinite([repeated.estimate, once.estimate, part.truths["truth"]]).all()
        if part.name in ("AUC: threshold, jointly", "log loss: greedy ensemble"):
            assert repeated.estimate < once.estimate, "applied once a rule looks better"


def setting_parts(setting):
    return [*rules.parts(setting)]


def test_truths_are_of_what_the_rule_reports():
    oof = predictions()
    kernel = as_metric("roc_auc").bind(oof)
    y = np.arange(50) % 2
    final = np.random.default_rng(0).random((6, 50))
    threshold = WithThreshold("balanced_accuracy").bind(kernel)
    outcome = Outcome({"config": np.array([2]), "threshold": np.array([0.4])})
    expected = balanced_accuracy_score(y, final[2] >= 0.4)
    assert rules.held_out(threshold, outcome, y, final) == pytest.approx(expected)
    ensemble = GreedyEnsemble().bind(kernel)
    shares = np.array([[0, 0.5, 0, 0, 0, 0.5]])
    outcome = Outcome({"config": np.array([1]), "weights": shares})
    expected = roc_auc_score(y, (final[1] + final[5]) / 2)
    assert rules.held_out(ensemble, outcome, y, final) == pytest.approx(expected)
