"""A fit comes back exactly, or is not stored and says why."""

import datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sklearn_bbc.recording._capture import (
    CarriedScore,
    FoldResponses,
    carried,
    out_of_memory,
    responses_in,
)
from sklearn_bbc.recording._resume import CannotBeStored, Wanted, record_of, result_of
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


def record(what, wanted=ALL):
    return record_of(("c", "s"), what, responses_in(what["test_scores"]), wanted)


def there_and_back(folder, what, wanted=ALL):
    log = CellLog(folder)
    log.append(*record(what, wanted))
    return result_of(log.read()[0], wanted)


def same(one, other):
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        return all(same(one[name], other[name]) for name in one)
    return one == other or (one != one and other != other)


@settings(max_examples=30)
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


def cell(scores=0.5, wanted=ALL, responses=None, **others):
    return Cell(*record(result(scores, responses, **others), wanted), Path("fit"))


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


def test_results_do_not_share_what_scikit_learn_changes():
    stored = cell({"a": 0.5}, train_scores={"a": 1.0})
    found = result_of(stored, ALL)
    found["test_scores"]["a"] = found["train_scores"]["a"] = 7
    assert result_of(stored, ALL)["test_scores"] == {"a": 0.5}
    assert result_of(stored, ALL)["train_scores"] == {"a": 1.0}
    assert type(result_of(stored, ALL)["test_scores"]["a"]) is not CarriedScore
