"""One configuration of each side, side by side."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import Side
from sklearn_bbc.comparison._base import difference_of, joined
from sklearn_bbc.metrics import as_metric


def predictions(values, **fields):
    y = np.array([0, 1, 0, 1])
    return Side(oof=OOFPredictions(y_true=y, responses=values, fold=[0, 0, 1, 1], **fields))


def test_a_difference_ranges_from_worst_minus_best_to_best_minus_worst():
    assert difference_of(as_metric("roc_auc")).bounds == (-1.0, 1.0)
    assert difference_of(as_metric("matthews_corrcoef")).bounds == (-2.0, 2.0)
    assert difference_of(as_metric("neg_log_loss")).bounds == (-np.inf, np.inf)
    assert difference_of(as_metric("r2")).name == "r2"


def test_responses_that_one_side_lacks_are_missing():
    one = predictions({"decision_function": [[-1.0, 2.0, -3.0, 4.0]]}, params=[{"a": 1}])
    other = predictions({"predict_proba": [[0.1, 0.6, 0.2, 0.8]], "predict": [[0, 1, 0, 1]]})
    both = joined(one, other, (0, 0))
    assert both.n_configs == 2 and both.params == ()
    np.testing.assert_array_equal(both.responses["decision_function"][0], [-1, 2, -3, 4])
    assert np.isnan(both.responses["decision_function"][1]).all()
    assert np.isnan(both.responses["predict_proba"][0]).all()
    np.testing.assert_array_equal(both.responses["predict"], [[-1] * 4, [0, 1, 0, 1]])
    scores = as_metric("roc_auc").bind(both).on_data()
    np.testing.assert_array_equal(scores, [1, 1])


def test_fold_scores_of_both_are_kept():
    scores = {"accuracy": [[1, 2], [3, 4]], "f1": np.ones((2, 2))}
    one = predictions({"predict": [[0, 1, 0, 1]] * 2}, fold_scores=scores)
    other = predictions({"predict": [[0, 1, 1, 1]]}, fold_scores={"accuracy": [[5], [6]]})
    both = joined(one, other, (1, 0))
    assert set(both.fold_scores) == {"accuracy"}
    np.testing.assert_array_equal(both.fold_scores["accuracy"], [[2, 5], [4, 6]])


def test_several_outputs_and_one_do_not_match():
    one = predictions({"predict_proba": np.full((1, 4, 3), 1 / 3)}, classes=[0, 1, 2])
    other = predictions({"predict_proba": [[0.1, 0.6, 0.2, 0.8]]})
    with pytest.raises(ValueError, match="different shapes"):
        joined(one, other, (0, 0))
