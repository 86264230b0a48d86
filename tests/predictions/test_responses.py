"""Which response a metric gets, and labels that are derived from scores."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.predictions._predictions import derived_labels

CLASSES = np.array(["a", "b"])
PROBA = np.array([[0.5, 0.6], [np.nan, 0.1]])
DECISION = np.array([[0.0, 0.3], [-1.0, 2.0]])
nan = np.nan


def predicted(responses, classes):
    scores = None if responses else {"f1": [[0.5]]}
    y_true = [1.5, 2.5] if classes is None else classes
    return OOFPredictions.from_rows(
        y_true=y_true, responses=responses, classes=classes, fold_scores=scores
    )


def choose(responses, classes, methods):
    return predicted(responses, classes).response(methods)


def test_each_configuration_gives_the_first_method_that_it_has():
    decision = np.array([[0.1, 0.2], [nan, nan], [nan, nan]])
    proba = np.array([[0.5, 0.5], [0.6, 0.7], [nan, nan]])
    array, used = choose(
        {"decision_function": decision, "predict_proba": proba},
        CLASSES,
        ("decision_function", "predict_proba"),
    )
    np.testing.assert_array_equal(array, [[0.1, 0.2], [0.6, 0.7], [nan, nan]])
    assert used == "decision_function+predict_proba"
    assert np.isnan(decision[1]).all(), "what was recorded is not changed"


def test_plain_arrays_are_what_every_metric_gets():
    plain = np.zeros((1, 2))
    array, used = choose({"plain": plain, "predict": plain.astype(int)}, CLASSES, "predict")
    assert np.shares_memory(array, plain) and used == "plain"


@pytest.mark.parametrize(
    ("responses", "expected"),
    [
        ({"predict_proba": PROBA}, [[0, 1], [-1, 0]]),  # one half is the first class
        ({"decision_function": DECISION}, [[0, 1], [0, 1]]),
        ({"predict_proba": PROBA, "decision_function": DECISION + nan}, [[0, 1], [-1, 0]]),
    ],
)
def test_labels_of_two_classes_are_derived_as_classifiers_do(responses, expected):
    np.testing.assert_array_equal(derived_labels(responses, CLASSES), expected)


def test_labels_of_several_classes_are_the_largest_column():
    proba = np.array([[[0.2, 0.5, 0.3], [0.4, 0.4, 0.2], [nan, nan, nan]]])
    assert derived_labels({"predict_proba": proba}, np.arange(3)).tolist() == [[1, 0, -1]]
    assert derived_labels({"predict_proba": proba}, np.arange(4)) is None


def test_recorded_labels_go_before_derived_ones():
    recorded = np.array([[1, 1], [-1, -1]])
    array, used = choose({"predict": recorded, "predict_proba": PROBA}, CLASSES, "predict")
    assert used == "predict+derived"
    assert array.tolist() == [[1, 1], [-1, 0]]


def test_a_regressor_answers_a_metric_of_scores_with_its_values():
    values = np.array([[1.5, 2.5]])
    array, used = choose({"predict": values}, None, "predict_proba")
    assert np.shares_memory(array, values) and used == "predict"


def test_nothing_that_fits_is_reported_with_what_there_is():
    with pytest.raises(ValueError, match="needs predict_proba, but only decision_function was"):
        choose({"decision_function": DECISION}, CLASSES, "predict_proba")
    with pytest.raises(ValueError, match="predict, but nothing was recorded"):
        OOFPredictions.from_fold_scores({"r2": np.ones((2, 2))}).response("predict")


@pytest.mark.parametrize("scoring", ["accuracy", "predict"])
def test_a_matrix_holds_labels_and_says_where_there_are_none(scoring):
    responses = {"predict": np.array([[0, 1], [1, -1]])}
    assert predicted(responses, CLASSES).matrix(scoring).tolist() == [["a", "b"], ["b", None]]
    numbers = predicted(responses, np.array([3, 5])).matrix(scoring)
    np.testing.assert_array_equal(numbers, [[3, 5], [5, nan]])
