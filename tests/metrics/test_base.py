"""The registry of kernel families, how one is found, and the ranges of metrics."""

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    brier_score_loss,
    roc_auc_score,
)

from sklearn_bbc.metrics import MetricKernel, families
from sklearn_bbc.metrics._base import _FAMILIES, RowData, family_for, first_best, range_of


def binary_rows(**fields):
    y = np.arange(8) % 2
    pred = np.random.default_rng(0).random((3, 8))
    return RowData(**{"y": y, "pred": pred, "classes": np.array([0, 1]), "codes_given": False,
                      "kwargs": {}, **fields})  # fmt: skip


def test_first_best():
    nan = np.nan
    scores = np.array([[0.1, 0.3, 0.3], [nan, 0.2, nan], [nan, nan, nan], [nan, -np.inf, nan]])
    np.testing.assert_array_equal(first_best(scores), [1, 1, -1, 1])


def test_no_function_has_two_ranges():
    ranges = {}
    for family in families().values():
        for function, bounds in family.score_funcs.items():
            known = ranges.setdefault(function, bounds)
            assert known == bounds, (
                f"{family.name} gives {function.__name__} the range {bounds}, another family "
                f"{known}. Give both one; a range that depends on arguments belongs in `range_of`."
            )
            assert bounds[0] < bounds[1]


def test_what_has_a_kernel_is_not_in_the_table_of_what_has_none():
    replayed = families()["replay"].score_funcs
    for name, family in families().items():
        if name != "replay":
            both = {function.__name__ for function in set(family.score_funcs) & set(replayed)}
            assert not both, f"{name} is a kernel of {both}: take them out of metrics/_replay.py"


def test_family_for():
    assert family_for(roc_auc_score, binary_rows()).name == "roc_auc"
    assert family_for(None, binary_rows()) is None
    assert family_for(print, binary_rows()) is None
    max_fpr = binary_rows(kwargs={"max_fpr": 0.5})
    family = family_for(roc_auc_score, max_fpr)
    assert family is None or family.handles(roc_auc_score, max_fpr)


def test_replay_is_never_found_by_function():
    for function in families()["replay"].score_funcs:
        assert family_for(function, binary_rows()) is None


@pytest.mark.parametrize(
    "function, kwargs, n_classes, bounds",
    [
        (accuracy_score, {}, None, (0, 1)),
        (accuracy_score, {"normalize": True}, 2, (0, 1)),
        (accuracy_score, {"normalize": False}, 2, (0, np.inf)),
        (balanced_accuracy_score, {"adjusted": True}, 3, (-1, 1)),
        (brier_score_loss, {}, None, (0, 2)),
        (brier_score_loss, {}, 2, (0, 1)),
        (brier_score_loss, {}, 3, (0, 2)),
        (brier_score_loss, {"scale_by_half": False}, 2, (0, 2)),
        (brier_score_loss, {"scale_by_half": True}, 3, (0, 1)),
        (print, {}, 2, (-np.inf, np.inf)),
        (None, {}, None, (-np.inf, np.inf)),
    ],
)
def test_ranges(function, kwargs, n_classes, bounds):
    assert range_of(function, kwargs, n_classes) == bounds


@pytest.fixture
def own_registry(monkeypatch):
    monkeypatch.setattr("sklearn_bbc.metrics._base._FAMILIES", dict(_FAMILIES))


def test_a_family_is_one_class(own_registry):
    def share_of_ones(y_true, y_pred):
        return float(np.mean(y_pred))

    class Share(MetricKernel):
        name = "share"
        score_funcs = {share_of_ones: (0.0, 1.0)}

        def scores(self, weights, configs):
            weights = weights.astype(float)
            return weights @ self.rows.pred[configs].T / weights.sum(axis=1, keepdims=True)

    rows = binary_rows()
    assert family_for(share_of_ones, rows) is Share
    kernel = Share(share_of_ones, rows)
    weights = np.eye(8, dtype=np.uint8)[:4]
    np.testing.assert_array_equal(kernel.winners(weights, 1), rows.pred[:, :4].argmax(axis=0))
    np.testing.assert_array_equal(kernel.winners(weights, -1), rows.pred[:, :4].argmin(axis=0))
    found = kernel.score_of(weights, np.array([2, -1, 0, 2]))
    np.testing.assert_array_equal(
        found, [rows.pred[2, 0], np.nan, rows.pred[0, 2], rows.pred[2, 3]]
    )
    assert kernel.bytes_per_draw > 0
    assert kernel.strata is None


def test_the_base_is_no_family():
    with pytest.raises(TypeError, match="abstract"):
        MetricKernel(print, binary_rows())
