"""Columns that are judged on common draws."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import PooledBootstrap
from sklearn_bbc.intervals._bootstrap import PAIR, JointBootstrap, Roles
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.resampling import Units
from sklearn_bbc.testing import example_predictions

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


KERNEL = as_metric("roc_auc").bind(example_predictions())


def test_a_difference_of_infinite_scores_is_undefined():
    assert np.isnan(PAIR.of_interest(np.full((1, 2), -np.inf), KERNEL))


def test_what_only_rounding_parts_is_no_difference():
    nearly = np.array([[0.7, 0.7 + 2e-16], [0.7, 0.7 - 1e-12], [0.0, 1e-16]])
    assert (PAIR.of_interest(nearly, KERNEL) == 0).tolist() == [True, False, True]
    values = OOFPredictions(y_true=np.arange(5.0), y_pred=np.ones((5, 2)))
    errors = as_metric("neg_mean_squared_error").bind(values)
    assert PAIR.of_interest(np.array([[2e-16, 1e-16]]), errors) > 0, "small, but not rounding"
