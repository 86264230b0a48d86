"""BayleCV: the published vector, both variances, the delta method."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BayleCV

WRONG = np.array([0, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 1])
Y = np.tile([0, 1], 10)


def published(fold=None):
    fold = np.arange(20) // 5 if fold is None else fold
    return OOFPredictions(y_true=Y, y_pred=np.abs(Y - WRONG), fold=fold)


@pytest.mark.parametrize(
    ("variance", "expected"), [("all-pairs", 0.1095445), ("within-fold", 0.1172604)]
)
def test_four_folds_of_five_by_hand(variance, expected):
    result = BayleCV(variance=variance).estimate(published(), "accuracy")
    assert result.estimate == pytest.approx(0.6)
    assert result.details["standard_error"] == pytest.approx(expected, abs=1e-7)
    assert result.width / 2 == pytest.approx(1.959964 * expected, abs=1e-6)
    assert result.details["variance"] == pytest.approx(20 * expected**2, abs=1e-6)
    assert not result.details["degenerate"]
    assert not any("spread" in note for note in result.details["notes"])


def test_repeats_are_averaged_within_a_sample_and_untested_samples_left_out():
    """By the definition, on samples of which the last is in no test fold."""
    rng = np.random.default_rng(1)
    y, y_pred = np.tile([0, 1], 11), rng.integers(2, size=(2, 22))
    fold = np.tile(np.arange(22) % 3, (2, 1))
    fold[:, [4, 21]] = -1
    oof = OOFPredictions(y_true=y, y_pred=y_pred[:, :, None], fold=fold)
    of_sample = np.delete((y_pred == y).mean(axis=0), [4, 21])
    result = BayleCV().estimate(oof, "accuracy")
    assert result.details["n"] == 20
    assert result.estimate == pytest.approx(of_sample.mean())
    assert result.details["standard_error"] == pytest.approx(np.std(of_sample) / np.sqrt(20))


def test_the_root_of_the_mean_squared_error_by_the_delta_method():
    rng = np.random.default_rng(0)
    y, y_pred = rng.normal(size=(2, 200))
    oof = OOFPredictions(y_true=y, y_pred=y_pred, fold=np.arange(200) % 5)
    squared = BayleCV().estimate(oof, "neg_mean_squared_error")
    root = BayleCV().estimate(oof, "neg_root_mean_squared_error")
    assert root.estimate == pytest.approx(-np.sqrt(-squared.estimate))
    ends = -np.sqrt(-np.array(tuple(squared)))
    assert root.width == pytest.approx(ends[1] - ends[0], rel=0.02)


@pytest.mark.parametrize("scoring", ["accuracy", "neg_root_mean_squared_error"])
def test_equal_losses_warn(scoring):
    oof = OOFPredictions(y_true=Y, y_pred=Y, fold=np.arange(20) // 5)
    with pytest.warns(IntervalWarning, match="certainly wrong"):
        result = BayleCV().estimate(oof, scoring)
    assert result.width == 0
    assert any("certainly wrong" in note for note in result.details["notes"])
