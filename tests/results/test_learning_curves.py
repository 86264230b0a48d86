"""Learning curves and curves of optimism: tables, predictions, sentences."""

import warnings

import numpy as np
import pytest

from sklearn_bbc import ComparisonResult, ConfidenceInterval
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.results import LearningCurveResult, OptimismCurve

# --- learning curves ---


def interval(estimate):
    return ConfidenceInterval(
        estimate=estimate, low=estimate - 0.1, high=estimate + 0.1, confidence_level=0.95,
        alternative="two-sided", method="corrected_t", metric="accuracy", estimand="",
    )  # fmt: skip


def gap(difference):
    return ComparisonResult(
        difference=difference, low=difference - 0.1, high=difference + 0.1, statistic=1,
        p_value=0.5,
        confidence_level=0.95, alternative="two-sided", method="corrected_resampled_t",
        metric="accuracy", estimand="", names=("training score", "test score"),
    )  # fmt: skip


def curve(**fields):
    given = {
        "sizes": [10, 20, 40], "test": map(interval, [0.6, 0.7, 0.75]),
        "train": map(interval, [0.9, 0.85, 0.8]), "gap": map(gap, [0.3, 0.15, 0.05]),
        "test_scores": np.zeros((3, 5)), "train_scores": np.zeros((3, 5)), "metric": "accuracy",
        "n_repeats": 1, "n_folds": 5, "curve": (0.8, -2, 1), "flags": {"rising": "It rises."},
    }  # fmt: skip
    return LearningCurveResult(**{**given, **fields})


def test_frame_has_a_row_for_each_size():
    frame = curve().frame()
    assert frame.index.tolist() == [10, 20, 40]
    assert frame["test_score"].tolist() == [0.6, 0.7, 0.75]
    assert frame["low"].tolist() == pytest.approx([0.5, 0.6, 0.65])
    assert frame["train_high"].tolist() == pytest.approx([1.0, 0.95, 0.9])
    assert frame["gap_low"].tolist() == pytest.approx([0.2, 0.05, -0.05])
    assert frame["fitted"].tolist() == pytest.approx([0.6, 0.7, 0.75])
    assert "fitted" not in curve(curve=None).frame()


def test_the_curve_is_read_up_to_four_times_the_largest_size_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert curve().predict(160) == pytest.approx(0.8 - 2 / 160)
    assert curve().predict([20, 40]).tolist() == pytest.approx([0.7, 0.75])
    with pytest.warns(IntervalWarning, match=r"161 .* more than 4 times the largest .* \(40\)"):
        assert curve().predict(161) == pytest.approx(0.8 - 2 / 161)


@pytest.mark.parametrize("n", [0, -1, np.nan, np.inf, [10, 0]])
def test_sizes_must_be_positive(n):
    with pytest.raises(ValueError, match="n must be positive"):
        curve().predict(n)
    with pytest.raises(ValueError, match="There is no fitted curve"):
        curve(curve=None).predict(50)


def test_the_sentence_of_a_learning_curve():
    assert str(curve()) == (
        "With 40 training samples the accuracy is 0.750 on test samples (95% confidence interval "
        "0.650 to 0.850) and 0.800 on training samples. It rises."
    )
    assert "sizes=[10, 20, 40]" in repr(curve())


# --- optimism ---


def optimism(**fields):
    given = {
        "sizes": [1, 10],
        "best": [[0.5, 0.7, np.nan], [0.9, np.nan, np.nan]],
        "corrected": [[0.5, 0.6, np.nan], [0.7, np.nan, np.nan]],
        "metric": "roc_auc", "n_bootstraps": 100, **fields,
    }  # fmt: skip
    return OptimismCurve(**given)


def test_the_table_of_optimism():
    frame = optimism().frame()
    assert frame.index.tolist() == [1, 10] and frame["n_subsets"].tolist() == [2, 1]
    np.testing.assert_allclose(frame["best"], [0.6, 0.9])
    np.testing.assert_allclose(frame["optimism"], [0.05, 0.2])
    np.testing.assert_allclose(frame["best_low"], [0.51, 0.9])
    np.testing.assert_allclose(frame["best_high"], [0.69, 0.9])
    undefined = optimism(corrected=np.full((2, 3), np.nan)).frame()
    assert undefined["corrected"].isna().all() and undefined["optimism_low"].isna().all()


def test_a_sentence_with_printed_names_and_signs():
    assert str(optimism()) == (
        "The best of 10 configurations has ROC AUC 0.900 on the predictions that chose it, and "
        "0.700 when it is corrected; a single one, taken at random, has 0.600 and 0.550."
    )
    loss = optimism(
        best=[[-0.5, -0.3, np.nan], [-0.2, np.nan, np.nan]],
        corrected=[[-0.5, -0.4, np.nan], [-0.3, np.nan, np.nan]], metric="neg_log_loss",
    )  # fmt: skip
    assert "has log loss 0.200 on" in str(loss) and "has 0.400 and 0.450." in str(loss)
    few = optimism(sizes=[5, 10])
    assert str(few).endswith("the best of 5, taken at random, has 0.600 and 0.550.")
    assert repr(few).startswith("OptimismCurve(10 configurations, 2 sizes, metric='roc_auc'")
