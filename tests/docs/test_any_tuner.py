"""The page's function for AutoGluon puts tables together, where AutoGluon is not installed."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from sklearn_bbc.intervals import BBC
from sklearn_bbc.selection import GreedyEnsemble

Y = pd.Series(np.where(np.arange(60) % 2, "malignant", "benign"))
MODELS = ["KNeighbors_BAG_L1", "Tree_BAG_L1/T1", "Tree_BAG_L1/T2"]


@pytest.fixture
def from_autogluon(repository):
    page = repository / "docs" / "user_guide" / "any_tuner.md"
    if not page.is_file():
        pytest.skip("needs the folder docs of a checkout")
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    names = {}
    exec(next(block for block in blocks if "def from_autogluon" in block), names)
    return names["from_autogluon"]


@pytest.fixture
def tables():
    """In single precision, and with the classes in an order of their own."""
    rng = np.random.default_rng(0)
    positive = 1 / (1 + np.exp(-(rng.normal(size=(3, 60)) + np.where(Y == "malignant", 1, -1))))
    return {
        name: pd.DataFrame({"malignant": p, "benign": 1 - p}, Y.index, dtype="float32")
        for name, p in zip(MODELS, positive, strict=True)
    }


def predictor(tables):
    return SimpleNamespace(
        model_names=lambda: [*tables, "WeightedEnsemble_L2", "Tree_BAG_L1_FULL"],
        predict_proba_oof=tables.__getitem__,
    )


def test_probabilities_are_those_of_the_last_class_in_sorted_order(from_autogluon, tables):
    oof = from_autogluon(predictor(tables), Y)
    np.testing.assert_array_equal(oof.matrix("roc_auc")[:, 0], tables[MODELS[0]]["malignant"])
    assert [params["model"] for params in oof.params] == MODELS
    method = BBC(selection=GreedyEnsemble(), n_bootstraps=20, random_state=0)
    assert len(method.estimate(oof, "neg_log_loss").details["weights"]) == 3


def test_rows_in_another_order_are_refused(from_autogluon, tables):
    with pytest.raises(ValueError, match="in another order"):
        from_autogluon(predictor(tables), Y[::-1])
