import numpy as np
import pytest

from sklearn_bbc.search._alignment import UnusableResponse, aligned
from sklearn_bbc.search._responses import FoldResponses

ABC = np.array(["a", "b", "c"])


def test_codes_of_a_model_that_saw_fewer_classes_are_translated():
    responses = FoldResponses({"predict": np.array([0, 1, 1])}, ABC[[0, 2]], coded=True)
    assert aligned("predict", responses, ABC).tolist() == [0, 2, 2]


def test_codes_of_a_model_that_saw_every_class_stay():
    responses = FoldResponses({"predict": np.array([0, 2])}, ABC, coded=True)
    assert aligned("predict", responses, ABC).tolist() == [0, 2]


@pytest.mark.parametrize("known", [None, ABC, ABC[:2]])
def test_labels_become_codes(known):
    responses = FoldResponses({"predict": np.array(["c", "a"])}, known)
    assert aligned("predict", responses, ABC).tolist() == [2, 0]


@pytest.mark.parametrize(
    ("labels", "reason"),
    [(np.array(["d"]), "not in the target"), (np.array([None], object), "another type")],
)
def test_unknown_labels_are_refused(labels, reason):
    with pytest.raises(UnusableResponse, match=reason):
        aligned("predict", FoldResponses({"predict": labels}), ABC.astype(object))


def test_probabilities_of_a_missing_class_are_zero():
    responses = FoldResponses({"predict_proba": np.array([[0.3, 0.7]])}, ABC[[0, 2]])
    assert aligned("predict_proba", responses, ABC).tolist() == [[0.3, 0.0, 0.7]]


@pytest.mark.parametrize(("known", "positive"), [(["a"], 0.0), (["b"], 1.0)])
def test_a_model_of_one_class_gives_the_positive_column(known, positive):
    responses = FoldResponses({"predict_proba": np.ones((2, 1))}, np.array(known))
    assert aligned("predict_proba", responses, ABC[:2]).tolist() == [positive] * 2


def test_probabilities_without_known_classes_must_have_a_column_for_each():
    responses = FoldResponses({"predict_proba": np.ones((1, 2))})
    with pytest.raises(UnusableResponse, match="2 columns for 3 classes"):
        aligned("predict_proba", responses, ABC)


def test_decisions_of_a_model_with_missing_classes_are_refused():
    responses = FoldResponses({"decision_function": np.ones(2)}, ABC[:2])
    with pytest.raises(UnusableResponse, match="every class"):
        aligned("decision_function", responses, ABC)


def test_values_of_a_regressor_stay_and_a_single_column_is_flattened():
    one = FoldResponses({"predict": np.array([[1.0], [2.0]])})
    two = FoldResponses({"predict": np.array([[1.0, 2.0]])})
    assert aligned("predict", one, None).shape == (2,)
    assert aligned("predict", two, None).shape == (1, 2)


def test_text_without_classes_is_refused():
    with pytest.raises(UnusableResponse, match="type"):
        aligned("predict", FoldResponses({"predict": np.array(["a"])}), None)
