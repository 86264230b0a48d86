"""The contract of rules of selection: a right one passes, broken ones are found."""

import numpy as np
import pytest

from sklearn_bbc.selection import BoundSelection, Outcome, Selection
from sklearn_bbc.testing import check_selection


def rule(choose):
    bound = type("Bound", (BoundSelection,), {"by": "own rule", "choose": choose})
    doc = """Own.\n\nNotes\n-----\nNone.\n\nExamples\n--------\n>>> Own()\nOwn()\n"""
    body = {"name": "own_rule", "__doc__": doc, "_bind": lambda self, oof, kernel: bound(kernel)}
    made = type("Own", (Selection,), {**body, "__module__": __name__})
    globals()["Own"] = made  # where pickle looks for it
    return made


@pytest.fixture(autouse=True)
def own_registry(monkeypatch):
    monkeypatch.setattr("sklearn_bbc.selection._base._REGISTRY", {})


def best(self, weights):
    scores = np.nan_to_num(self.kernel.scores(weights), nan=-np.inf)
    return Outcome({"config": scores.argmax(axis=1)})


def by_the_batch(self, weights):
    config = self.kernel.scores(weights).mean(axis=0).argmax()
    return Outcome({"config": np.full(len(weights), config)})


def at_random(self, weights):
    n_configs = self.kernel.scores(weights[:1]).shape[1]
    return Outcome({"config": np.random.default_rng().integers(n_configs, size=len(weights))})


def failed_ones_too(self, weights):
    return Outcome({"config": np.zeros(len(weights), dtype=int)})


def test_a_right_rule_passes():
    check_selection(rule(best)())


@pytest.mark.parametrize("choose", [by_the_batch, at_random, failed_ones_too])
def test_broken_choices_are_found(choose):
    with pytest.raises(AssertionError):
        check_selection(rule(choose)())
