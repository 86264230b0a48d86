"""What all methods for tied sets share: checks, and that order and copies do not matter."""

import numpy as np
import pytest

from sklearn_bbc.comparison import Bonferroni, TiedMethod, registered_tied
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.selection import SimplestTied
from sklearn_bbc.testing import example_predictions


def test_names_lead_to_classes():
    assert set(registered_tied()) >= {"softmin", "cvc", "bonferroni", "model_confidence_set"}
    assert registered_tied()["bonferroni"] is Bonferroni


@pytest.mark.parametrize("level", [0, 1, 1.5, "0.9", True, None])
def test_levels_outside_are_refused(level):
    with pytest.raises(ValueError, match="confidence_level must be a number strictly between"):
        Bonferroni(confidence_level=level).p_values(np.eye(3))


@pytest.mark.parametrize("shape", [(2, 3), (5,), (5, 0), (3, 2, 2)])
def test_values_need_units_and_configurations(shape):
    with pytest.raises(ValueError, match=r"shape \(n_units, n_configs\).*got shape"):
        Bonferroni().p_values(np.zeros(shape))


def test_values_that_are_missing_are_refused_with_the_configuration():
    values = np.zeros((4, 3))
    values[2, 1] = np.nan
    with pytest.raises(ValueError, match="configuration 1 has NaN or infinity"):
        Bonferroni().p_values(values)


def test_folds_must_fit():
    with pytest.raises(ValueError, match="one entry per unit, got 3 for 4 units"):
        Bonferroni().p_values(np.zeros((4, 3)), [0, 1, 1])


def test_a_method_cannot_be_asked_before_it_knows_the_units():
    with pytest.raises(TypeError, match=r"Call Bonferroni\.bind"):
        Bonferroni().members(None, np.ones((1, 3)), np.ones((1, 2)))


def test_draws_of_folds_repeat_the_rule_too():
    oof = example_predictions()._with_fields(params=[{"size": k} for k in range(4)])
    rule = SimplestTied("size", margin=Bonferroni())
    for method in (BBC(selection=rule, n_bootstraps=200, random_state=0), BBCF(selection=rule)):
        result = method.estimate(oof, "roc_auc")
        assert result.low <= result.estimate <= result.high
        assert result.details["winner"] == 1, "0 is simpler and not tied with the best"


def test_a_taken_name_is_refused():
    with pytest.raises(ValueError, match="'bonferroni' of the method for tied sets"):

        class Mine(TiedMethod):
            name = "bonferroni"

            def _p_values(self, values, fold):
                return np.ones(values.shape[1])
