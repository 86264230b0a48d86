"""One call: which method it takes, and why; parameters reach the method."""

import numpy as np
import pytest

import sklearn_bbc
from sklearn_bbc import OOFPredictions, compare
from sklearn_bbc.comparison import BBCDifference, CorrectedResampledT, Side
from sklearn_bbc.testing import example_predictions


@pytest.fixture
def oof():
    return example_predictions()


def test_it_is_at_the_top():
    assert sklearn_bbc.compare is sklearn_bbc.comparison.compare


def test_parameters_reach_the_method(oof):
    given = {
        "n_bootstraps": 250,
        "confidence_level": 0.9,
        "alternative": "greater",
        "random_state": 3,
    }
    result = compare(oof, Side(oof=oof, config=0), "roc_auc", n_jobs=2, **given)
    expected = BBCDifference(**given).compare(oof, Side(oof=oof, config=0), "roc_auc")
    assert tuple(result) == tuple(expected) and result.p_value == expected.p_value
    assert result.n_bootstraps == 250 and result.alternative == "greater"
    assert {**result.details, "why": 0} == {**expected.details, "why": 0}


def test_an_object_keeps_its_own_parameters(oof):
    method = CorrectedResampledT(confidence_level=0.8)
    sides = Side(oof=oof, config=3), Side(oof=oof, config=0)
    result = compare(*sides, "roc_auc", method=method)
    assert result.confidence_level == 0.8 and result.details["why"] == "It was asked for."
    assert method.confidence_level == 0.8
    by_name = compare(*sides, "roc_auc", method="corrected_resampled_t", confidence_level=0.8)
    assert by_name == result


def test_unknown_methods_are_told_the_known_ones(oof):
    sides = Side(oof=oof, config=3), Side(oof=oof, config=0)
    with pytest.raises(ValueError, match=r"Unknown comparison 'bbc_diff'.*Known names"):
        compare(*sides, "roc_auc", method="bbc_diff")
    with pytest.raises(ValueError, match=r"instance, BBCDifference\(\)"):
        compare(*sides, "roc_auc", method=BBCDifference)


def test_names_are_in_the_sentence(oof):
    result = compare(
        oof, Side(oof=oof, config=0), "roc_auc", names=("mine", "yours"), n_bootstraps=200
    )
    assert (result.names == ("mine", "yours") and "mine is better than yours" in str(result)) or (
        "between mine and yours" in str(result)
    )


def test_cross_validated_arrays_know_their_folds():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    a, b = rng.normal(size=(2, 60)) + [[1.5], [0.2]] * y
    fold = np.arange(60) // 12
    result = compare(a, b, "roc_auc", y_true=y, fold=fold, random_state=0, n_bootstraps=200)
    assert result.method == "bbc_difference" and "cross-validation" in result.details["why"]
    assert result.names == ("first", "second")
    oof = OOFPredictions(y_true=y, y_pred=np.stack([a, b], axis=1), fold=fold)
    sides = Side(oof=oof, config=0), Side(oof=oof, config=1)
    same = compare(*sides, "roc_auc", random_state=0, n_bootstraps=200)
    assert same.difference == result.difference and same.p_value == result.p_value


@pytest.mark.parametrize(
    "scoring, method",
    [
        ("roc_auc", "paired_delong"),
        ("accuracy", "mcnemar"),
        ("neg_mean_absolute_error", "paired_t"),
        ("f1", "paired_bootstrap"),
    ],
)
def test_two_models_on_a_test_set(scoring, method):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    a, b = rng.normal(size=(2, 60)) + [[1.5], [0.2]] * y
    if scoring in ("accuracy", "f1"):
        a, b = (a > 0.5).astype(int), (b > 0.5).astype(int)
    result = compare(a, b, scoring, y_true=y, n_bootstraps=200, random_state=0)
    assert result.method == method and "test set" in result.details["why"]
    assert result.difference > 0
    metric = sklearn_bbc.metrics.as_metric(scoring)
    expected = [metric.sign * metric.score_func(y, each) for each in (a, b)]
    np.testing.assert_allclose(result.details["scores"], expected, rtol=1e-10)


def test_values_of_samples_without_a_target():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 50)) + [[0.8], [0.0]]
    result = compare(a, b)
    assert result.method == "paired_t" and result.p_value < 0.01
    assert result.difference == pytest.approx(a.mean() - b.mean())


def test_groups_and_weights_of_a_test_set_are_known():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    a, b = rng.integers(2, size=(2, 60))
    grouped = compare(
        a, b, "accuracy", y_true=y, groups=np.arange(60) // 3, n_bootstraps=200, random_state=0
    )
    assert grouped.method == "paired_bootstrap" and grouped.details["unit"] == "group"
