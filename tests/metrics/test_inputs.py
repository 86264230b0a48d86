"""What kernels ask of targets and arguments before they take a metric."""

import numpy as np
import pytest
from sklearn import metrics

from sklearn_bbc.metrics import families
from sklearn_bbc.metrics._base import (
    RowData,
    numbers,
    required_numbers,
)

TWO, THREE, TEXT = np.array([0, 1, 1, 0]), np.array([0, 1, 2, 0]), np.array(["a", "b", "b", "a"])
FLOATS = np.array([0.5, 1.5, 0.1, 2.0])
SETS = np.array([[0, 1], [1, 1], [1, 0], [0, 0]])


def rows(y, pred, **kwargs):
    """Rows of one configuration."""
    return RowData(y, np.asarray(pred)[None], None, False, kwargs)


def test_numbers():
    everything = slice(None)
    found = numbers(rows(TWO, FLOATS))
    pred = found.of(everything, everything)
    assert found.shape == (1, 4) and found.n_outputs == 1
    assert found.y.shape == (4, 1) and pred.shape == (1, 4, 1)
    assert found.y.dtype == pred.dtype == np.float64
    np.testing.assert_array_equal(found.of(slice(0, 1), slice(1, 3)), pred[:, 1:3])
    found = numbers(rows(SETS, SETS))
    assert found.y.shape == (4, 2) and found.of(everything, np.array([2])).shape == (1, 1, 2)
    assert found.n_outputs == 2
    assert numbers(rows(TEXT, FLOATS)) is None
    assert numbers(rows(FLOATS, np.ones((4, 2)))) is None
    with pytest.raises(ValueError, match=r"r2 needs numbers .* shapes \(4,\) and \(4, 2\)"):
        required_numbers(rows(FLOATS, np.ones((4, 2))), "r2")


def test_codes_of_labels_are_the_numbers_that_they_stand_for():
    given = RowData(
        np.array([2.0, 5.0]), np.array([[1, 0]], dtype=np.int8), np.array([2, 5]), True, {}
    )
    found = numbers(given)
    assert found.of(slice(None), slice(None)).tolist() == [[[5.0], [2.0]]]
    words = RowData(given.y, given.pred, np.array(["a", "b"]), True, {})
    assert numbers(words) is None


@pytest.mark.parametrize(
    ("family", "function", "y", "pred", "kwargs"),
    [
        ("accuracy", "accuracy_score", TWO, TWO, {"nonsense": 1}),
        ("accuracy", "accuracy_score", TWO, TEXT, {}),
        ("accuracy", "accuracy_score", FLOATS, TWO, {}),
        ("log_loss", "log_loss", TWO, FLOATS, {"nonsense": 1}),
        ("log_loss", "log_loss", TWO, FLOATS, {"normalize": False}),
        ("brier", "brier_score_loss", TWO, FLOATS, {"nonsense": 1}),
        ("brier", "brier_score_loss", FLOATS, FLOATS, {}),
        ("brier", "brier_score_loss", THREE, FLOATS, {}),
        ("brier", "brier_score_loss", TWO, TEXT, {}),
        ("brier", "brier_score_loss", TWO, FLOATS, {"pos_label": 7}),
        ("top_k", "top_k_accuracy_score", TWO, FLOATS, {"nonsense": 1}),
        ("top_k", "top_k_accuracy_score", THREE, np.ones((4, 3)), {"k": 1.5}),
        ("top_k", "top_k_accuracy_score", THREE, np.ones((4, 3)), {"k": 0}),
        ("top_k", "top_k_accuracy_score", THREE, np.ones((4, 3)), {"labels": [1, 0, 2]}),
        ("hinge", "hinge_loss", THREE, FLOATS, {}),
        ("hinge", "hinge_loss", TWO, np.ones((4, 2)), {}),
        ("hinge", "hinge_loss", TWO, FLOATS, {"nonsense": 1}),
        ("precision_recall", "f1_score", TWO, TWO, {"nonsense": 1}),
        ("precision_recall", "f1_score", TWO, TWO, {"zero_division": "stop"}),
        ("precision_recall", "jaccard_score", TWO, TWO, {"zero_division": np.nan}),
        ("precision_recall", "fbeta_score", TWO, TWO, {}),
        ("precision_recall", "fbeta_score", TWO, TWO, {"beta": -1}),
        ("precision_recall", "f1_score", SETS, SETS, {"average": "macro", "labels": [5]}),
        ("precision_recall", "f1_score", TWO, TWO, {"average": "macro", "labels": []}),
        ("balanced_accuracy", "balanced_accuracy_score", SETS, SETS, {}),
        ("matthews", "matthews_corrcoef", SETS, SETS, {}),
        ("cohen_kappa", "cohen_kappa_score", SETS, SETS, {}),
        ("cohen_kappa", "cohen_kappa_score", TWO, TWO, {"nonsense": 1}),
        ("cohen_kappa", "cohen_kappa_score", TWO, TWO, {"weights": "cubic"}),
        ("mean_error", "mean_squared_error", TEXT, FLOATS, {}),
        ("mean_error", "mean_pinball_loss", FLOATS, FLOATS, {"alpha": 2}),
        ("mean_error", "mean_tweedie_deviance", FLOATS, FLOATS, {"power": 0.5}),
        ("root_mean_error", "root_mean_squared_error", TEXT, FLOATS, {}),
        ("r2", "r2_score", TEXT, FLOATS, {}),
        ("r2", "r2_score", FLOATS, FLOATS, {"force_finite": 3}),
        ("d2_tweedie", "d2_tweedie_score", SETS, SETS, {}),
        ("d2_tweedie", "d2_tweedie_score", FLOATS, FLOATS, {"power": 0.5}),
        ("d2_absolute_error", "d2_pinball_score", FLOATS, FLOATS, {"alpha": 0.1}),
        ("median_absolute_error", "median_absolute_error", TEXT, FLOATS, {}),
        ("max_error", "max_error", SETS, SETS, {}),
    ],
)
def test_what_a_kernel_does_not_take(family, function, y, pred, kwargs):
    function = getattr(metrics, function)
    assert function in families()[family].score_funcs
    assert not families()[family].handles(function, rows(y, pred, **kwargs))


def test_kernels_refuse_what_they_do_not_handle():
    """Whoever makes a kernel without asking `handles` gets an error, not a wrong score."""
    for family, function, y, pred, kwargs in (
        ("matthews", metrics.matthews_corrcoef, FLOATS, TWO, {}),
        ("precision_recall", metrics.f1_score, TWO, TWO, {"pos_label": 7}),
        ("cohen_kappa", metrics.cohen_kappa_score, TWO, TWO, {"labels": ["a"]}),
        ("cohen_kappa", metrics.cohen_kappa_score, SETS, SETS, {"weights": "linear"}),
        ("log_loss", metrics.log_loss, THREE, FLOATS, {}),
    ):
        kernel_rows = rows(y, pred, **kwargs)
        with pytest.raises(ValueError):
            kernel = families()[family](function, kernel_rows)
            kernel.scores(np.ones((1, 4), dtype=np.uint8), np.array([0]))
