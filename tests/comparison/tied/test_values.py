"""Values of units: their mean is the score, their spread that of the score."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison._tied_methods import BY_SAMPLE, LEAVING_OUT, unit_values
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals._auc import auc_parts
from sklearn_bbc.metrics import as_metric, concordance_index_scorer
from sklearn_bbc.testing import example_predictions

OOF = example_predictions()


def of(oof, scoring):
    kernel = as_metric(scoring).bind(oof)
    return unit_values(oof, kernel, "test"), kernel


def test_a_mean_over_samples_has_the_values_of_the_samples():
    found, _ = of(OOF, "accuracy")
    right = (OOF.responses["predict_proba"] > 0.5) == OOF.y_true
    np.testing.assert_array_equal(found.values, right.T.astype(float))
    assert found.how == BY_SAMPLE
    np.testing.assert_array_equal(found.fold, OOF.fold)


@pytest.mark.parametrize(
    "scoring", ["accuracy", "neg_log_loss", "roc_auc", "average_precision", "f1",
                "balanced_accuracy", "matthews_corrcoef"],
)  # fmt: skip
def test_the_mean_of_the_values_is_the_score(scoring):
    found, kernel = of(OOF, scoring)
    np.testing.assert_allclose(found.values.mean(axis=0), kernel.on_data(), rtol=1e-12)
    assert found.how == (BY_SAMPLE if kernel.is_pointwise else LEAVING_OUT)


def test_area_under_the_curve_has_the_placements_of_delong():
    found, _ = of(OOF, "roc_auc")
    parts = auc_parts(OOF.responses["predict_proba"], OOF.y_true == 1)
    # 30 samples of a class, 60 in all: 59 / 29 in place of 60 / 30.
    expected = parts.auc[:, None] + (parts.positive + parts.negative) * 30 * 59 / 29
    np.testing.assert_allclose(found.values, expected.T, rtol=1e-10)


def test_any_other_metric_is_left_one_out():
    found, _ = of(OOF, "f1")
    labels = OOF.responses["predict_proba"] > 0.5
    for config in range(4):
        full = f1_score(OOF.y_true, labels[config])
        without = [
            f1_score(np.delete(OOF.y_true, i), np.delete(labels[config], i)) for i in range(60)
        ]
        pseudo = full + 59 * (full - np.array(without))
        np.testing.assert_allclose(found.values[:, config], pseudo + full - pseudo.mean())


def test_a_scorer_without_a_kernel_is_replayed():
    def twice(estimator, X, y):
        return 2 * roc_auc_score(y, estimator.predict_proba(X)[:, 1])

    replayed, _ = of(OOF, twice)
    by_kernel, _ = of(OOF, "roc_auc")
    np.testing.assert_allclose(replayed.values, 2 * by_kernel.values, rtol=1e-9)


def test_groups_are_units_and_keep_their_fold():
    groups = np.arange(60) // 2
    oof = OOF._with_fields(groups=groups, fold=groups % 6)
    found, _ = of(oof, "accuracy")
    right = ((oof.responses["predict_proba"] > 0.5) == oof.y_true).T.astype(float)
    np.testing.assert_allclose(found.values, right.reshape(30, 2, 4).mean(axis=1))
    np.testing.assert_array_equal(found.fold, np.arange(30) % 6)
    spread, _ = of(oof, "roc_auc")
    assert spread.values.shape == (30, 4)
    np.testing.assert_allclose(
        spread.values.mean(axis=0), as_metric("roc_auc").bind(oof).on_data()
    )
    # A group whose samples are in different folds has none.
    assert of(oof._with_fields(fold=np.arange(60) % 6), "accuracy")[0].fold is None


def test_weights_are_linear():
    rng = np.random.default_rng(0)
    weight = rng.uniform(0.5, 2, size=60)
    oof = OOF._with_fields(sample_weight=weight)
    found, kernel = of(oof, "neg_brier_score")
    loss = -((oof.responses["predict_proba"] - oof.y_true) ** 2)
    score = loss @ weight / weight.sum()
    expected = score[:, None] + 60 / weight.sum() * weight * (loss - score[:, None])
    np.testing.assert_allclose(found.values, expected.T, rtol=1e-12)
    np.testing.assert_allclose(found.values.mean(axis=0), kernel.on_data(), rtol=1e-12)


def test_groups_of_different_sizes_are_linear():
    groups = np.repeat(np.arange(20), [1, 2, 3, 4, 5] * 4)
    oof = OOF._with_fields(groups=groups, fold=groups % 5)
    found, kernel = of(oof, "accuracy")
    right = ((oof.responses["predict_proba"] > 0.5) == oof.y_true).T.astype(float)
    for group in (0, 3, 19):
        inside = groups == group
        expected = right.mean(axis=0) + 20 / 60 * (right - right.mean(axis=0))[inside].sum(axis=0)
        np.testing.assert_allclose(found.values[group], expected)
    np.testing.assert_allclose(found.values.mean(axis=0), kernel.on_data())


def test_repeats_are_averaged_and_have_no_fold():
    rng = np.random.default_rng(1)
    y = np.arange(20) % 2
    pred = rng.random((3, 20, 2))
    fold = np.array([rng.permutation(np.arange(20) % 4) for _ in range(3)])
    oof = OOFPredictions(y_true=y, y_pred=pred, fold=fold)
    found, kernel = of(oof, "neg_brier_score")
    expected = -((pred - y[:, None]) ** 2).mean(axis=0)
    np.testing.assert_allclose(found.values, expected, rtol=1e-12)
    assert found.fold is None
    ranked, kernel = of(oof, "roc_auc")
    np.testing.assert_allclose(ranked.values.mean(axis=0), kernel.on_data())


def test_untested_samples_and_undefined_configurations_are_left_out():
    pred = OOF.responses["predict_proba"].copy()
    pred[1, 5] = np.nan
    keep = np.arange(60) < 55
    oof = OOFPredictions(
        y_true=OOF.y_true, responses={"predict_proba": pred[:, keep]},
        fold=OOF.fold[keep], sample=np.flatnonzero(keep),
    )  # fmt: skip
    found, kernel = of(oof, "roc_auc")
    assert found.values.shape == (55, 3)
    np.testing.assert_array_equal(found.configs, [0, 2, 3])
    np.testing.assert_allclose(found.values.mean(axis=0), kernel.on_data()[[0, 2, 3]])


def test_survival_is_left_one_out():
    rng = np.random.default_rng(2)
    y = np.zeros(25, dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = rng.random(25) < 0.7, rng.exponential(size=25)
    oof = OOFPredictions(y_true=y, y_pred=rng.normal(size=(25, 3)), fold=np.arange(25) % 5)
    found, kernel = of(oof, concordance_index_scorer)
    np.testing.assert_allclose(found.values.mean(axis=0), kernel.on_data())
    assert (found.values.std(axis=0) > 0).all()


def test_too_few_units_and_a_class_in_one_are_refused():
    with pytest.raises(UndefinedIntervalError, match="at least 3 of them, got 2"):
        of(OOF._with_fields(groups=OOF.y_true.copy()), "accuracy")
    y = np.zeros(20, dtype=int)
    y[3] = 1
    oof = OOFPredictions(
        y_true=y, y_pred=np.random.default_rng(0).random((20, 2)), fold=np.arange(20) % 4
    )
    with pytest.raises(
        UndefinedIntervalError, match=r"roc_auc is undefined without class 1.*has 1 "
    ):
        of(oof, "roc_auc")
    assert of(oof, "neg_brier_score")[0].values.shape == (20, 2)
