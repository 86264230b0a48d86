"""One call on arrays gives what the objects give."""

import inspect

import numpy as np
import pytest

import sklearn_bbc
from sklearn_bbc import OOFPredictions, bbc
from sklearn_bbc.intervals import BBC
from sklearn_bbc.selection import WithThreshold

RNG = np.random.default_rng(0)
Y = np.tile([0, 1], 30)
SCORES = RNG.normal(size=(60, 4)) + Y[:, None]
FOLD = np.arange(60) // 2 % 5
DATA = {
    "plain": ({}, {}),
    "folds": ({"fold": FOLD}, {}),
    "groups": ({"groups": np.arange(60) // 2}, {}),
    "weights": ({"sample_weight": RNG.uniform(1, 2, 60)}, {}),
    "method": (
        {},
        {"n_bootstraps": 300, "confidence_level": 0.8, "alternative": "greater", "n_jobs": 2},
    ),
}


@pytest.mark.parametrize(("data", "method"), DATA.values(), ids=DATA)
def test_it_is_the_method_on_the_predictions(data, method):
    found = bbc(Y, SCORES, "roc_auc", random_state=3, **data, **method)
    oof = OOFPredictions(y_true=Y, y_pred=SCORES, **data)
    assert found == BBC(random_state=3, **method).estimate(oof, "roc_auc")


def test_a_rule_is_repeated():
    proba = 1 / (1 + np.exp(-SCORES))
    both = np.stack([1 - proba, proba], axis=2)
    rule = WithThreshold("balanced_accuracy")
    found = bbc(Y, both, "balanced_accuracy", fold=FOLD, selection=rule, random_state=0)
    oof = OOFPredictions(y_true=Y, y_pred=both, fold=FOLD)
    assert found == BBC(selection=rule, random_state=0).estimate(oof, "balanced_accuracy")


def test_its_defaults_are_those_of_the_method():
    ours, theirs = (inspect.signature(each).parameters for each in (bbc, BBC))
    common = set(ours) & set(theirs)
    assert common == set(theirs) - {"quantile", "degenerate"}
    assert all(ours[name].default == theirs[name].default for name in common)


def test_it_is_found_at_the_top():
    assert "bbc" in sklearn_bbc.__all__ and sklearn_bbc.bbc is bbc


def test_its_errors_name_what_was_given():
    with pytest.raises(ValueError, match="y_pred has shape"):
        bbc(Y, SCORES[:50], "roc_auc")
    with pytest.raises(ValueError, match="confidence_level"):
        bbc(Y, SCORES, "roc_auc", confidence_level=95)
