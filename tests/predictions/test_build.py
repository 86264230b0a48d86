"""What the constructor is given becomes what is kept."""

import numpy as np
import pandas as pd
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.predictions._validation import Given, checked_selected, fields_of

Y = np.tile([0, 1], 4)
SCORES = np.arange(16.0).reshape(8, 2) / 16


def fields(**given):
    return fields_of(Given(**{"y_true": Y, "y_pred": SCORES, **given}))


def test_every_field_of_the_predictions_is_made():
    made = fields(fold=np.arange(8) // 2)
    assert set(made) == set(OOFPredictions.__dataclass_fields__)
    np.testing.assert_array_equal(made["responses"]["plain"], SCORES.T)
    assert made["failed"].tolist() == [False, False] and made["params"] == ()
    assert not made["fold"].flags.writeable


def test_columns_name_the_configurations_unless_params_do():
    table = pd.DataFrame(SCORES, columns=["svm", "tree"])
    named = fields(y_pred=table)["params"]
    assert named == ({"configuration": "svm"}, {"configuration": "tree"})
    assert fields(y_pred=table, params=[{"C": 1}, {"C": 2}])["params"] == ({"C": 1}, {"C": 2})


def test_pairs_of_train_and_test_bring_folds_and_sizes():
    pairs = [(np.setdiff1d(np.arange(8), test), test) for test in ([0, 1, 2], [3, 4, 5, 6, 7])]
    made = fields(fold=pairs)
    assert made["fold"].tolist() == [0, 0, 0, 1, 1, 1, 1, 1]
    assert made["train_size"].tolist() == [5, 3]
    assert fields(fold=iter(pairs))["fold"].tolist() == made["fold"].tolist()
    assert fields(fold=pairs, train_size=[9, 9])["train_size"].tolist() == [9, 9]


def test_scores_alone():
    scores = {"accuracy": np.array([[0.5, 0.6], [0.7, 0.8], [0.1, 0.2], [0.3, 0.4]])}
    made = fields(y_pred=None, fold_scores=scores, repeat=[5, 5, 9, 9])
    assert made["split_repeat"].tolist() == [0, 0, 1, 1]
    assert len(made["sample"]) == 0 and len(made["failed"]) == 2


def test_fractions_in_predict_are_values_of_a_regressor():
    recorded = {"predict": np.array([[0.5] * 8])}
    assert fields(y_pred=None, responses=recorded)["classes_"] is None
    assert fields()["classes_"].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"responses": {"predict": [[0] * 8]}}, "Give either y_pred or responses"),
        ({"y_pred": None}, "Give y_pred or responses, or at least fold_scores"),
        ({"sample": np.arange(8)}, "sample and repeat describe rows of responses"),
        ({"params": [{}]}, "params has 1 entries for 2 configurations"),
        ({"failed": [True]}, "failed has shape"),
        ({"groups": np.arange(7)}, "groups"),
        ({"train_size": [1, 2]}, r"train_size has shape \(2,\), expected \(1,\): one per split"),
        ({"selected": 2}, r"selected=2 is not a configuration in 0\.\.1"),
        ({"y_pred": None, "fold_scores": {"f1": [[1.0]]}, "repeat": [0, 0]}, "one per split"),
    ],
)
def test_what_does_not_fit_is_named(given, message):
    with pytest.raises(ValueError, match=message):
        fields(**given)


@pytest.mark.parametrize("wrong", [True, 1.0, -1, 3, "best", np.bool_(True)])
def test_the_winner_is_an_index(wrong):
    with pytest.raises(ValueError, match="is not a configuration"):
        checked_selected(wrong, 3)


def test_the_winner_may_be_a_numpy_integer_or_nobody():
    assert checked_selected(np.int64(2), 3) == 2
    assert checked_selected(None, 3) is None
