"""A fit comes back exactly, or is not stored and says why."""

import datetime
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sklearn_bbc.search import _store as _cells
from sklearn_bbc.search._capture import CarriedScore, carried, responses_in
from sklearn_bbc.search._responses import FoldResponses, out_of_memory
from sklearn_bbc.search._store import (
    CannotBeStored,
    Wanted,
    record_of,
    result_of,
)
from sklearn_bbc.store import Cell, CellLog

DAY = datetime.date(2020, 1, 1)
MIXED = np.array([(1,), 1], object)
ALL = Wanted(True, True, np.nan)
FLOATS = st.floats(allow_nan=True, allow_infinity=True)
SCORES = FLOATS | st.integers(-3, 3) | st.dictionaries(st.text(max_size=5), FLOATS, min_size=1)
ARRAYS = st.sampled_from([np.float64, np.float32, np.int8, np.uint8, "U2"]).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(max_dims=2, max_side=4))
)
OBJECTS = hnp.arrays(object, 3, elements=st.none() | st.text(max_size=3) | st.integers() | FLOATS)


def result(scores=0.5, responses=None, **others):
    if responses is not None:
        scores = carried(scores, responses)
    return {
        "fit_error": None,
        "test_scores": scores,
        "fit_time": 0.1,
        "score_time": 0.2,
        "n_test_samples": 4,
        **others,
    }


def record(what, wanted=ALL, **options):
    return record_of("c", "s", what, responses_in(what["test_scores"]), wanted, **options)


def there_and_back(folder, what, wanted=ALL):
    log = CellLog(folder)
    log.append_text(*record(what, wanted))
    return result_of(log.read()[0], wanted)


def same(one, other):
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        return all(same(one[name], other[name]) for name in one)
    return one == other or (one != one and other != other)


@settings(max_examples=60)
@given(
    scores=SCORES,
    train=SCORES,
    arrays=st.dictionaries(st.sampled_from(["predict", "predict_proba"]), ARRAYS | OBJECTS),
    classes=st.none() | ARRAYS | OBJECTS,
    coded=st.booleans(),
    problem=st.none() | st.text(max_size=5),
    times=st.tuples(st.floats(0, 1e6), st.floats(0, 1)),
)
def test_what_is_stored_comes_back(
    scores, train, arrays, classes, coded, problem, times, tmp_path_factory
):
    responses = FoldResponses(arrays, classes, coded, problem)
    given_ = result(scores, responses, train_scores=train, fit_time=times[0], score_time=times[1])
    found = there_and_back(tmp_path_factory.mktemp("log"), given_)
    assert same({**given_, "test_scores": plain(given_)}, {**found, "test_scores": plain(found)})
    its = responses_in(found["test_scores"])
    assert (its.coded, its.problem, its.out_of_memory) == (coded, problem, False)
    assert its.arrays.keys() == arrays.keys()
    for mine, other in [(arrays[name], its.arrays[name]) for name in arrays] + (
        [] if classes is None else [(classes, its.classes)]
    ):
        assert mine.dtype == other.dtype and mine.shape == other.shape
        np.testing.assert_array_equal(mine, other)
    assert (its.classes is None) == (classes is None)


def plain(found):
    scores = found["test_scores"]
    if isinstance(scores, dict):
        return {name: float(score) for name, score in scores.items()}
    return float(scores)


def test_without_predictions(tmp_path):
    found = there_and_back(tmp_path, result(0.25, train_scores=1))
    assert found == {**result(0.25), "train_scores": 1}
    assert type(found["test_scores"]) is float and type(found["train_scores"]) is int


@pytest.mark.parametrize(
    ("what", "why"),
    [
        (result(0.5, FoldResponses({"predict": np.array([DAY])})), "type date"),
        (result(0.5, FoldResponses({}, MIXED)), r"classes .* type int, tuple"),
        (result(0.5, FoldResponses({"predict": np.zeros(2, "f8,i4")})), "array of records"),
        (result({1: 0.5}), "names of its scores are not text"),
        (result({"a": 0.5, 1: 0.5}), "names of its scores are not text"),
        (result(0.5, out_of_memory(MemoryError())), "memory ran out"),
    ],
)  # fmt: skip
def test_what_cannot_be_stored(what, why):
    with pytest.raises(CannotBeStored, match=why):
        record(what, ALL)


def test_a_recording_that_stopped_is_not_stored_as_one_that_heard_nothing():
    with pytest.raises(CannotBeStored, match="memory ran out while its predictions"):
        record(result(0.5), ALL, stopped=True)
    record(result(0.5), Wanted(False, True, np.nan), stopped=True)


def cell(scores=0.5, wanted=ALL, responses=None, **others):
    text, arrays = record(result(scores, responses, **others), wanted)
    content = json.loads(text)
    return Cell(content["facts"], dict(zip([each[0] for each in content["arrays"]], arrays)))


def test_what_a_search_takes():
    with_train = {"train_scores": 0.9}
    assert Wanted(True, False, np.nan).takes(cell())
    assert not Wanted(True, True, np.nan).takes(cell())
    assert Wanted(True, True, np.nan).takes(cell(**with_train))
    assert not Wanted(True, False, np.nan).takes(cell(wanted=Wanted(False, False, np.nan)))
    assert Wanted(False, False, np.nan).takes(cell(wanted=Wanted(False, False, np.nan)))
    assert Wanted(False, False, np.nan).takes(cell())


@pytest.mark.parametrize("scores", [np.nan, {"a": 0.5, "b": np.nan}])
def test_a_score_that_may_stand_for_an_error(scores):
    stored = cell(scores)
    assert Wanted(True, False, np.nan).takes(stored)
    assert not Wanted(True, False, 0.0).takes(stored)
    assert not Wanted(True, False, "raise").takes(stored)
    # Where errors were raised, it is a score.
    stored = cell(scores, Wanted(True, False, "raise"))
    assert Wanted(True, False, 0).takes(stored) and Wanted(True, False, "raise").takes(stored)
    # Of training scores only where they are asked for.
    stored = cell(0.5, train_scores=np.nan)
    assert Wanted(True, False, 0).takes(stored) and not Wanted(True, True, 0).takes(stored)


def test_an_error_score_may_be_a_score():
    stored = cell(0.0, Wanted(True, False, 0))
    assert Wanted(True, False, 0.0).takes(stored)
    assert not Wanted(True, False, np.nan).takes(stored)
    assert not Wanted(True, False, "raise").takes(stored)
    # No score was NaN: nothing can have failed, so the error score does not matter.
    for error_score in (0, np.nan, "raise"):
        assert Wanted(True, False, error_score).takes(cell(0.5))


def test_only_what_is_asked_for_comes_back(tmp_path):
    responses = FoldResponses({"predict": np.arange(3)}, np.arange(2))
    stored = cell(0.5, responses=responses, train_scores=1.0)
    bare = result_of(stored, Wanted(False, False, np.nan))
    assert bare == result(0.5) and type(bare["test_scores"]) is float
    assert responses_in(result_of(stored, Wanted(True, False, np.nan))["test_scores"]) is not None


def test_results_do_not_share_what_scikit_learn_changes():
    stored = cell({"a": 0.5}, train_scores={"a": 1.0})
    found = result_of(stored, ALL)
    found["test_scores"]["a"] = found["train_scores"]["a"] = 7
    assert result_of(stored, ALL)["test_scores"] == {"a": 0.5}
    assert result_of(stored, ALL)["train_scores"] == {"a": 1.0}
    assert type(result_of(stored, ALL)["test_scores"]["a"]) is not CarriedScore


def test_the_facts_of_a_fit_are_as_folders_have_them():
    responses = FoldResponses({"predict_proba": np.array([0.25])}, np.array([0, 1]))
    stored = cell(0.1, Wanted(True, True, -np.inf), responses=responses, train_scores={"a": 1})
    assert stored.facts == {
        "config": "c",
        "split": "s",
        "times": [0.1, 0.2],
        "n_test": 4,
        "recorded": True,
        "error_score": -np.inf,
        "test_scores": 0.1,
        "train_scores": {"a": 1},
        "responses": {
            "coded": False,
            "problem": None,
            "classes ": {"values": [0, 1], "shape": [2], "dtype": np.array([0]).dtype.str},
        },
    }
    assert list(stored.arrays) == ["predict_proba"]


@pytest.mark.parametrize("dtypes", [("<i8", ">i8"), ("<i4", "<u4"), ("<i8", "<i4")])
def test_classes_of_equal_bytes_and_other_types_are_told_apart(dtypes, tmp_path):
    data = np.arange(2, dtype="<i8").tobytes()
    for number, dtype in enumerate(dtypes):
        classes = np.frombuffer(data, dtype)
        what = result(0.5, FoldResponses({}, classes), train_scores=1)
        found = responses_in(there_and_back(tmp_path / str(number), what)["test_scores"]).classes
        assert found.dtype == classes.dtype and found.tolist() == classes.tolist()


def test_few_classes_are_written_with_the_numbers_and_predictions_are_not():
    """An array of its own costs more than a short list."""
    few = cell(responses=FoldResponses({"predict": np.arange(3)}, np.arange(2)))
    assert list(few.arrays) == ["predict"]
    assert few.facts["responses"]["classes "]["values"] == [0, 1]
    most = cell(responses=FoldResponses({"predict": np.arange(3)}, np.arange(32)))
    assert list(most.arrays) == ["predict"]
    for more in (np.arange(33), np.array(["a", "b"]), np.array([0.5, 1.5])):
        many = cell(responses=FoldResponses({"predict": np.arange(3)}, more))
        assert sorted(many.arrays) == ["classes ", "predict"]


def test_fits_with_other_predictions_get_other_templates(tmp_path):
    """What one fit was told of must not stand in the record of another."""
    _cells._templates.clear()
    classes = np.array([0, 1])
    kinds = [
        FoldResponses({"predict": np.arange(3)}, classes),
        FoldResponses({"predict": np.arange(3)}, classes, coded=True),
        FoldResponses({"predict": np.arange(3)}, classes, problem="100% odd, %s"),
        FoldResponses({"predict": np.arange(4)}, classes),
        FoldResponses({"predict": np.arange(4).reshape(2, 2)}, classes),
        FoldResponses({"predict": np.arange(3.0)}, classes),
        FoldResponses({"predict_proba": np.arange(3)}, classes),
        FoldResponses({"predict": np.arange(3), "predict_proba": np.arange(3)}, classes),
        FoldResponses({"predict": np.arange(3)}, np.array([0, 2])),
        FoldResponses({"predict": np.arange(3)}, np.array([1, 0])),
        FoldResponses({"predict": np.arange(3)}, classes.astype(np.int8)),
        FoldResponses({"predict": np.arange(3)}, None),
        FoldResponses({}, classes),
    ]
    for number in range(3):  # all that is new, all that is known, and after the templates are full
        for place, responses in enumerate(kinds):
            folder = tmp_path / f"{number}-{place}"
            scores = there_and_back(folder, result(0.5, responses, train_scores=0.25))[
                "test_scores"
            ]
            found = responses_in(scores)
            assert (found.coded, found.problem) == (responses.coded, responses.problem)
            assert found.arrays.keys() == responses.arrays.keys()
            for name, array in responses.arrays.items():
                assert found.arrays[name].dtype == array.dtype
                np.testing.assert_array_equal(found.arrays[name], array)
            np.testing.assert_array_equal(found.classes, responses.classes)
        assert len(_cells._templates) == len(kinds)
        if number == 1:
            for size in range(100, 100 + 2 * _cells.MOST_TEMPLATES):
                cell(responses=FoldResponses({"predict": np.arange(size)}, classes))
                assert 0 < len(_cells._templates) <= _cells.MOST_TEMPLATES
            _cells._templates.clear()


@pytest.mark.parametrize("score", [np.float32(0.5), np.int64(1), np.bool_(True)])
def test_scores_of_numpy_are_plain_numbers_in_the_log(score):
    assert type(cell(score).facts["test_scores"]) is float
