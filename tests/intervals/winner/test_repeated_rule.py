"""A rule repeated in every draw, against a plain loop."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals._bbc import (
    of_rule,
    other_choice,
    rule_details,
    scores_of_draws,
)
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.resampling import IID, Draws
from sklearn_bbc.selection import SimplestTied
from sklearn_bbc.testing import example_predictions


@pytest.fixture
def oof():
    made = example_predictions()
    return OOFPredictions(
        y_true=made.y_true,
        responses=dict(made.responses),
        fold=made.fold,
        params=[{"depth": depth} for depth in (3, 1, 2, 4)],
    )


def test_the_winner_is_that_of_the_rule_and_another_one_is_told(oof):
    kernel = as_metric("roc_auc").bind(oof)
    rule = SimplestTied("depth", margin=1.0).bind(oof, kernel)  # all tie: depth 1 always
    _, outcome = scores_of_draws(rule, Draws(IID(60), 10, 0))
    found = of_rule(oof, rule, outcome)
    assert (found["winner"], found["winner_by"], found["winner_share"]) == (1, rule.by, 1.0)
    assert other_choice(oof, rule) == []
    assert other_choice(oof.with_selected(1), rule) == []
    (note,) = other_choice(oof.with_selected(0, by="the search"), rule)
    assert "configuration 0 (depth=3), the rule selects configuration 1 (depth=1)" in note
    details = rule_details(oof.with_selected(0), kernel, rule, outcome)
    assert details["winner"] == 1 and any("configuration 1" in each for each in details["notes"])


def test_choices_without_a_configuration_of_their_own_are_not_compared(oof):
    """An ensemble has weights; which of its members comes first says nothing."""

    class Chosen:
        def __init__(self, **columns):
            self.columns = {name: np.array([value]) for name, value in columns.items()}

        def __getitem__(self, name):
            return self.columns[name]

    class Rule:
        by = "hand"

        def __init__(self, **columns):
            self.chosen = Chosen(**columns)

        def on_all(self):
            return self.chosen

    two = oof.with_selected(2, by="the search")
    assert len(other_choice(two, Rule(config=1))) == 1
    assert other_choice(two, Rule(config=1, weights=[0.5, 0.5])) == []
    assert other_choice(two, Rule(config=2)) == other_choice(oof, Rule(config=1)) == []


def test_slow_rules_are_announced_with_the_number_of_draws(oof, monkeypatch):
    kernel = as_metric("roc_auc").bind(oof)
    announced = []
    for seconds, expected in ((0.0, []), (0.5, [20])):
        rule = SimplestTied("depth", margin=1.0).bind(oof, kernel)
        monkeypatch.setattr(type(rule), "seconds_per_draw", seconds, raising=False)
        monkeypatch.setattr(rule, "warn_if_slow", announced.append)
        scores_of_draws(rule, Draws(IID(60), 20, 0))
        assert announced == expected
