"""Which method `compare` takes by itself."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import Side
from sklearn_bbc.comparison._compare import chosen
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.testing import example_predictions

Y = np.arange(40) % 2
RNG = np.random.default_rng(0)


def on_test_set(values, y=Y, **fields):
    return Side(oof=OOFPredictions(y_true=y, y_pred=values, **fields))


def models(scoring):
    values = {
        "roc_auc": RNG.normal(size=(2, 40)),
        "accuracy": RNG.integers(2, size=(2, 40)),
        "f1": RNG.integers(2, size=(2, 40)),
        "neg_mean_absolute_error": RNG.normal(size=(2, 40)),
    }[scoring]
    y = Y if scoring != "neg_mean_absolute_error" else RNG.normal(size=40)
    return values, y


@pytest.mark.parametrize(
    "scoring, fields, expected",
    [
        ("roc_auc", {}, "paired_delong"),
        ("roc_auc", {"groups": Y}, "paired_delong"),
        ("roc_auc", {"sample_weight": Y + 1.0}, "paired_bootstrap"),
        ("accuracy", {}, "mcnemar"),
        ("accuracy", {"groups": Y}, "paired_bootstrap"),
        ("accuracy", {"sample_weight": Y + 1.0}, "paired_bootstrap"),
        ("f1", {}, "paired_bootstrap"),
        ("neg_mean_absolute_error", {}, "paired_t"),
    ],
)
def test_two_models_on_a_test_set(scoring, fields, expected):
    values, y = models(scoring)
    one, other = (on_test_set(v[:, None], y, **fields) for v in values)
    name, why = chosen(one, other, as_metric(scoring))
    assert name == expected and why.startswith("Two models on a test set") and why.endswith(".")


def test_few_samples_are_drawn():
    one, other = (on_test_set(RNG.normal(size=(20, 1)), RNG.normal(size=20)) for _ in range(2))
    other = Side(oof=OOFPredictions(y_true=one.oof.y_true, y_pred=RNG.normal(size=20)))
    name, why = chosen(one, other, as_metric("neg_mean_absolute_error"))
    assert name == "paired_bootstrap" and "only 20 samples" in why


def test_tuned_sides_repeat_their_selection():
    oof = example_predictions()
    name, why = chosen(Side(oof=oof), Side(oof=oof, config=0), as_metric("roc_auc"))
    assert name == "bbc_difference" and "selection is repeated" in why
    assert "so was the other" not in why
    _, why = chosen(Side(oof=oof), Side(oof=oof, name="b"), as_metric("roc_auc"))
    assert "so was the other side" in why


def test_fixed_configurations_of_a_cross_validation():
    oof = example_predictions()
    sides = Side(oof=oof, config=1), Side(oof=oof, config=0)
    name, why = chosen(*sides, as_metric("roc_auc"))
    assert name == "bbc_difference" and "fixed configurations of a cross-validation" in why


def test_scores_per_fold_alone():
    folds = OOFPredictions(
        y_true=np.empty(0), classes=None, fold_scores={"roc_auc": np.full((6, 3), 0.5)}
    )
    name, why = chosen(Side(oof=folds), Side(oof=example_predictions()), as_metric("roc_auc"))
    assert name == "corrected_resampled_t" and "cannot be repeated" in why
