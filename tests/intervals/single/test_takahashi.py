"""Takahashi: gradients by finite differences, published formulas, simulation, refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, make_scorer, precision_score, recall_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import Takahashi, Wald
from sklearn_bbc.intervals._analytic import value_and_gradient

FUNCTIONS = {"precision": precision_score, "recall": recall_score, "f1": f1_score}


def labels(n, n_classes, seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    return y, np.where(rng.random(n) < 0.7, y, rng.integers(n_classes, size=n))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("average", ["binary", "micro", "macro", "weighted"])
@pytest.mark.parametrize("score", FUNCTIONS)
@settings(max_examples=max(1, settings().max_examples // 2))
@given(seed=st.integers(0, 1000))
def test_value_and_gradient(score, average, seed):
    y, y_pred = labels(90, 2 if average == "binary" else 3, seed)
    k = y.max() + 1
    shares = np.bincount(y * k + y_pred, minlength=k * k).reshape(k, k) / 90
    positive = 1 if average == "binary" else None
    value, gradient = value_and_gradient(shares, score, average, positive)
    assert value == pytest.approx(FUNCTIONS[score](y, y_pred, average=average))
    # Along directions that keep the sum of the shares, as all changes of a sample do.
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=(k, k))
    direction -= direction.mean()
    up, down = (
        value_and_gradient(shares + h * direction, score, average, positive)[0]
        for h in (1e-6, -1e-6)
    )
    assert (gradient * direction).sum() == pytest.approx((up - down) / 2e-6, abs=1e-6)


def test_micro_f1_is_a_proportion():
    y, y_pred = labels(200, 4, 0)
    oof = OOFPredictions(y_true=y, y_pred=y_pred)
    assert tuple(Takahashi().estimate(oof, "f1_micro")) == pytest.approx(
        tuple(Wald().estimate(oof, "accuracy"))
    )


def test_perfect_predictions_warn():
    y, _ = labels(40, 2, 0)
    with pytest.warns(IntervalWarning, match="certainly wrong"):
        result = Takahashi().estimate(OOFPredictions(y_true=y, y_pred=y), "f1")
    assert result.width == 0 and result.details["degenerate"]
    assert any("certainly wrong" in note for note in result.details["notes"])


@pytest.mark.parametrize("average", ["micro", "macro", "weighted"])
def test_repeats_are_averaged_and_untested_samples_left_out(average):
    """Three classes, the last never predicted; the last sample is in no test fold."""
    rng = np.random.default_rng(4)
    y = np.arange(40) % 3
    y_pred = np.where(rng.random((2, 40)) < 0.6, np.minimum(y, 1), 0)
    fold = np.tile(np.arange(40) % 4, (2, 1))
    fold[:, [5, 39]] = -1
    oof = OOFPredictions(y_true=y, y_pred=y_pred[:, :, None], fold=fold)
    result = Takahashi().estimate(oof, f"recall_{average}")
    kept = fold[0] >= 0
    expected = [recall_score(y[kept], one[kept], average=average) for one in y_pred]
    assert result.estimate == pytest.approx(np.mean(expected))
    assert (result.details["n"], result.details["average"]) == (38, average)
    once = [
        Takahashi().estimate(OOFPredictions(y_true=y[kept], y_pred=one[kept]), f"recall_{average}")
        for one in y_pred
    ]
    variance = np.mean([one.details["standard_error"] ** 2 for one in once])
    assert result.details["standard_error"] ** 2 == pytest.approx(variance)
    assert not result.details["degenerate"]


def test_a_class_that_is_never_predicted_has_no_precision():
    y, _ = labels(40, 2, 0)
    oof = OOFPredictions(y_true=y, y_pred=np.zeros(40, dtype=int))
    with pytest.raises(UndefinedIntervalError, match="class number 1 is undefined: it is never"):
        Takahashi().estimate(oof, "precision")


@pytest.mark.parametrize(
    ("scoring", "noted"),
    [
        ("accuracy", r"got accuracy\. Use"),
        ("jaccard", r"got jaccard\. Use"),
        (make_scorer(f1_score, labels=[1]), r"got f1_score with \['labels'\]\. Use"),
    ],
)
def test_other_metrics_and_arguments_are_refused(scoring, noted):
    y, y_pred = labels(40, 2, 0)
    with pytest.raises(ValueError, match=f"Takahashi is for precision, recall and F1 .*{noted}"):
        Takahashi().estimate(OOFPredictions(y_true=y, y_pred=y_pred), scoring)
