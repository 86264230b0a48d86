"""Columns that are judged on common draws."""

from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import PooledBootstrap
from sklearn_bbc.intervals._bootstrap import PAIR, JointBootstrap, Roles
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.resampling import Units

Y = np.array([0, 0, 1, 1, 1])
LABELS = np.array([[0, 1, 1, 1, 0], [0, 0, 0, 1, 1]])
COUNTS = np.array([[1, 1, 1, 1, 1], [2, 0, 3, 0, 0], [0, 2, 0, 1, 2], [5, 0, 0, 0, 0]])


class GivenDraws:
    """Draws that are given, so that a mean can be computed by hand."""

    n_lacking = n_redrawn = entropy = 0
    n_draws = len(COUNTS)

    def map(self, function):
        return function(COUNTS)


def judged(roles, labels=LABELS, groups=None, form="normal"):
    oof = OOFPredictions(y_true=Y, y_pred=labels.T, groups=groups)
    joint = JointBootstrap(rules=PooledBootstrap(), form=form, roles=roles)
    kernel = as_metric("accuracy").bind(oof)
    return joint.interval(oof, kernel, Units.of(oof), GivenDraws())


def test_both_models_are_scored_on_the_same_draws():
    result = judged(PAIR)
    right = LABELS == Y
    by_hand = COUNTS @ right.T / COUNTS.sum(axis=1, keepdims=True)
    assert result.draws == pytest.approx(by_hand[:, 0] - by_hand[:, 1])
    assert result.details["scores"] == pytest.approx([0.6, 0.8])
    assert result.estimate == pytest.approx(-0.2)
    assert result.estimand == PAIR.estimand and result.method == "normal_bootstrap"
    counted = {"n_redrawn": 0, "n_undefined": 0, "n_lacking_class": 0, "seed": 0, "unit": "sample"}
    assert {name: result.details[name] for name in counted} == counted
    assert not any("groups" in note or "seeds" in note for note in result.details["notes"])
    assert result.details["standard_error"] == pytest.approx(result.draws.std(ddof=1))


def test_draws_of_all_seeds_are_pooled():
    result = judged(Roles(2, False), form="percentile")
    assert len(result.draws) == 2 * len(COUNTS) and result.estimate == pytest.approx(0.7)
    assert result.details["spread_of_seeds"] == pytest.approx(np.std([0.6, 0.8], ddof=1))
    assert "p_value" not in result.details


def test_few_groups_and_few_seeds_are_told():
    notes = judged(Roles(2, False), groups=np.arange(5), form="percentile").details["notes"]
    assert [note.split(":")[0] for note in notes[-2:]] == ["Only 5 groups", "Fewer than 5 seeds"]


def test_names_of_messages_are_those_of_the_rules():
    rules = SimpleNamespace(_label="somebody")
    assert JointBootstrap(rules=rules, form="bca", roles=PAIR).rules._label == "somebody"


@pytest.mark.parametrize("roles", [Roles(1, False), PAIR])
def test_forms_that_correct_by_single_units(roles):
    """They need the influence of every sample, which one column or one difference has."""
    labels = LABELS if roles.paired else LABELS[:1]
    result = judged(roles, labels, form="bca")
    assert result.low < result.estimate < result.high
