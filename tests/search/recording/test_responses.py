import pickle

import numpy as np
import pytest

from sklearn_bbc.recording import _capture
from sklearn_bbc.recording._capture import (
    FoldResponses,
    ResponsePacker,
    UnusableResponse,
    in_class_order,
)

CLASSES = np.array(["a", "b"])


def pack_responses(answers, classes, *, binary):
    """All that one model answered, packed."""
    packer = ResponsePacker(lambda: classes, binary)
    return packer.responses({name: packer.pack(name, each) for name, each in answers.items()})


ABC = np.array(["a", "b", "c"])


def test_labels_travel_as_small_codes():
    packed = pack_responses({"predict": np.array(["b", "a", "b"])}, CLASSES, binary=True)
    assert packed.coded
    assert packed.arrays["predict"].dtype == np.uint8
    assert packed.arrays["predict"].tolist() == [1, 0, 1]


@pytest.mark.parametrize("labels", [["c", "a"], ["a", "zebra"]])
def test_labels_that_are_no_class_travel_as_they_are(labels):
    packed = pack_responses({"predict": np.array(labels)}, CLASSES, binary=True)
    assert not packed.coded
    assert packed.arrays["predict"].tolist() == labels


def test_labels_of_another_type_travel_as_they_are():
    labels = np.array([1, None], dtype=object)
    packed = pack_responses({"predict": labels}, CLASSES.astype(object), binary=True)
    assert not packed.coded


def test_probabilities_of_outputs_with_three_classes_are_left_out():
    answer = [np.full((2, 3), 1 / 3)]
    assert pack_responses({"predict_proba": answer}, [np.arange(3)], binary=False) is None


def test_rows_as_lists_are_one_table_and_tables_in_a_list_are_outputs():
    rows = pack_responses({"predict_proba": [[0.2, 0.8], [0.6, 0.4]]}, CLASSES, binary=True)
    assert rows.arrays["predict_proba"].tolist() == [0.8, 0.4]
    outputs = [np.array([[0.2, 0.8]]), np.array([[0.6, 0.4]])]
    packed = pack_responses({"predict_proba": outputs}, [[0, 1], [0, 1]], binary=False)
    assert packed.arrays["predict_proba"].tolist() == [[0.8, 0.4]]


def test_codes_of_a_model_that_saw_fewer_classes_are_translated():
    responses = FoldResponses({"predict": np.array([0, 1, 1])}, ABC[[0, 2]], coded=True)
    assert in_class_order("predict", responses, ABC).tolist() == [0, 2, 2]


@pytest.mark.parametrize(
    ("labels", "reason"),
    [(np.array(["d"]), "not in the target"), (np.array([None], object), "not in the target")],
)
def test_unknown_labels_are_refused(labels, reason):
    with pytest.raises(UnusableResponse, match=reason):
        in_class_order("predict", FoldResponses({"predict": labels}), ABC.astype(object))


def test_probabilities_without_known_classes_must_have_a_column_for_each():
    responses = FoldResponses({"predict_proba": np.ones((1, 2))})
    with pytest.raises(UnusableResponse, match="2 columns for 3 classes"):
        in_class_order("predict_proba", responses, ABC)


# ---------------------------------------------------------------------- how it travels
@pytest.mark.parametrize("coded", [True, False])
@pytest.mark.parametrize("no_memory", [True, False])
def test_every_field_arrives(coded, no_memory):
    arrays = {"predict": np.arange(3), "predict_proba": np.full(3, 0.5, np.float32)}
    sent = FoldResponses(arrays, None, coded, "why", no_memory)
    got = pickle.loads(pickle.dumps(sent))
    assert (got.coded, got.problem, got.out_of_memory) == (coded, "why", no_memory)
    assert {name: array.tolist() for name, array in got.arrays.items()} == {
        "predict": [0, 1, 2],
        "predict_proba": [0.5] * 3,
    }
    plain = FoldResponses({})
    assert (plain.classes, plain.coded, plain.problem, plain.out_of_memory) == (
        None, False, None, False,
    )  # fmt: skip


def test_without_memory_on_arrival_the_reason_is_left(monkeypatch):
    def full(array):
        raise MemoryError("no chunk")

    sent = pickle.dumps(FoldResponses({"predict": np.arange(3)}, CLASSES, coded=True))
    monkeypatch.setattr(_capture, "keep_buffer", full)
    got = pickle.loads(sent)
    assert got.out_of_memory and got.problem == "MemoryError: no chunk" and not got.arrays


REVERSED = np.array(["c", "b", "a"])


def test_what_does_not_go_by_classes_is_not_put_in_their_order():
    """Of a model whose classes are not sorted, only columns per class and signs are turned."""
    answers = {
        "decision_function": np.array([1.0, -2.0]),  # one number, three classes
        "predict_proba": np.array([[0.25, 0.75]]),  # two columns, three classes
    }
    for method, answer in answers.items():
        packed = pack_responses({method: answer}, REVERSED, binary=False)
        assert packed.arrays[method].tolist() == answer.tolist()
    one = pack_responses({"predict_proba": np.array([0.25])}, np.array([1, 0]), binary=True)
    assert one.arrays["predict_proba"].tolist() == [0.25]
    two = pack_responses({"decision_function": [[0.1, 0.2]]}, np.array([1, 0]), binary=True)
    assert two.arrays["decision_function"].tolist() == [[0.2, 0.1]]
    cube = pack_responses({"decision_function": np.ones((1, 3, 2))}, REVERSED, binary=False)
    assert cube.arrays["decision_function"].shape == (1, 3, 2)


def test_classes_without_an_order_stay_as_they_are():
    classes = np.array(["b", 1, None], dtype=object)
    answers = {"predict_proba": np.array([[0.2, 0.3, 0.5]])}
    packed = pack_responses(answers, classes, binary=False)
    assert packed.classes.tolist() == ["b", 1, None]
    assert packed.arrays["predict_proba"].tolist() == [[0.2, 0.3, 0.5]]


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_probabilities_keep_their_precision_beside_zeros(kind):
    values = np.array([[1, 0]], dtype=kind)
    found = in_class_order("predict_proba", FoldResponses({"predict_proba": values}, ABC[1:]), ABC)
    assert found.tolist() == [[0, 1, 0]]
    assert found.dtype == (kind if kind != np.int64 else np.float64)


@pytest.mark.parametrize(("n_classes", "dtype"), [(256, np.uint8), (257, np.int32)])
def test_codes_of_the_last_class_fit(n_classes, dtype):
    packed = pack_responses(
        {"predict": np.array([n_classes - 1, 0])}, np.arange(n_classes), binary=False
    )
    assert packed.coded and packed.arrays["predict"].dtype == dtype
    assert packed.arrays["predict"].tolist() == [n_classes - 1, 0]
