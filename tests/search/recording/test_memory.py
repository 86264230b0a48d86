"""Memory that recording takes, gives back, and does without."""

import multiprocessing
import threading

import numpy as np
import pytest

from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.recording import _assembly, _capture
from sklearn_bbc.recording._capture import PACKED_BYTES, KeptBuffers
from tests.search.small_search import FEW, X, Y, search


@pytest.mark.parametrize(
    "array",
    [
        np.arange(5.0),
        np.arange(6, dtype=np.int8).reshape(2, 3)[:, ::-1],
        np.asfortranarray(np.arange(12.0).reshape(3, 4)),
        np.zeros((0, 2)),
        np.array(["a", "bcd"]),
        np.array(["a", None], dtype=object),
        np.zeros(PACKED_BYTES),
        np.array(3.0),
    ],
    ids=lambda array: f"{array.dtype}{array.shape}",
)
def test_what_is_kept_is_an_equal_copy(array):
    kept = KeptBuffers().keep(array)
    assert kept.dtype == array.dtype and kept.shape == array.shape
    np.testing.assert_array_equal(kept, array)
    assert not np.shares_memory(kept, array)


def test_threads_share_a_shelf_without_overlap():
    buffers, kept = KeptBuffers(), {}

    def fill(value):
        kept[value] = [buffers.keep(np.full(1000, value)) for _ in range(300)]

    threads = [threading.Thread(target=fill, args=(value,)) for value in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((array == value).all() for value, arrays in kept.items() for array in arrays)


def test_chunks_are_filled_to_the_end_in_steps_of_64_bytes(monkeypatch):
    sizes = []
    pages = _capture._pages
    monkeypatch.setattr(_capture, "_pages", lambda size: sizes.append(size) or pages(size))
    buffers = KeptBuffers()
    half = PACKED_BYTES // 2
    first, second = (
        buffers.keep(np.zeros(half, np.uint8)),
        buffers.keep(np.zeros(half, np.uint8)),
    )
    assert sizes == [PACKED_BYTES]  # two halves fill one chunk
    buffers.keep(np.zeros(half + 1, np.uint8))  # more than half has pages of its own
    assert sizes == [PACKED_BYTES, half + 1]
    small = [buffers.keep(np.zeros(1, np.uint8)) for _ in range(3)]
    assert sizes == [PACKED_BYTES, half + 1, PACKED_BYTES]
    start, *others = (each.__array_interface__["data"][0] for each in small)
    assert [other - start for other in others] == [64, 128]
    assert second.__array_interface__["data"][0] - first.__array_interface__["data"][0] == half


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork")
def test_a_forked_worker_does_not_write_into_its_parents_memory():
    buffers = KeptBuffers()
    mine = buffers.keep(np.arange(10.0))

    context = multiprocessing.get_context("fork")
    child = context.Process(target=mine.fill, args=(7.0,))
    child.start()
    child.join()
    assert child.exitcode == 0
    np.testing.assert_array_equal(mine, np.arange(10.0))


def no_memory(*args, **kwargs):
    raise MemoryError("full")


# ---------------------------------------------------------------------- searches without memory
def fold_scores_only(found, plain):
    assert not found.oof_.responses
    np.testing.assert_array_equal(
        found.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"]
    )
    assert found.ci_.method == "bbcf"
    assert found.ci_.estimate == plain.interval("bbcf").estimate
    assert found.oof_.n_samples == 90
    with pytest.raises(AttributeError, match="memory ran out"):
        found.bbc_score_  # noqa: B018


@pytest.fixture(scope="module")
def plain():
    """A search that has all the memory that it needs."""
    return search(ci=None).fit(X, Y)


@pytest.mark.parametrize("where", ["packing", "assembling"])
def test_without_memory_for_predictions_the_scores_are_kept(monkeypatch, where, plain):
    if where == "packing":
        monkeypatch.setattr(_capture, "keep_buffer", no_memory)
    else:
        monkeypatch.setattr(_assembly.ResponseSheet, "_begun", no_memory)
    with pytest.warns(RecordingWarning, match="not enough memory") as caught:
        found = search(ci=None).fit(X, Y)
    assert [w.category for w in caught].count(RecordingWarning) == 1
    fold_scores_only(found, plain)


def test_a_scorer_that_asks_for_too_much_once_loses_its_predictions_only():
    calls = []

    def greedy(estimator, X, y):
        calls.append(1)
        right = np.mean(y == estimator.predict_proba(X)[:, 1].round())
        if len(calls) == 8:
            raise MemoryError("more than there was")
        return right

    with pytest.warns(RecordingWarning, match="more than there was"):
        found = search(scoring=greedy).fit(X, Y)
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()
    missing = np.isnan(found.oof_.responses["predict_proba"])
    split = found.n_splits_
    assert np.argwhere(missing.any(axis=1)).tolist() == [[7 // split]]
    assert missing.sum() == (found.oof_.fold == 7 % split).sum()
    assert found.ci_.method == "bbc"


def test_a_scorer_without_memory_of_its_own_fails_as_ever():
    def failing(estimator, X, y):
        raise MemoryError("my own")

    with pytest.raises(MemoryError, match="my own"):
        search(scoring=failing, error_score="raise").fit(X, Y)


# ---------------------------------------------------------------------- record=False
def test_without_recording_only_scores_are_kept(plain, recwarn):
    found = search(ci=None, record=False).fit(X, Y)
    assert not [str(w.message) for w in recwarn]
    assert not found.oof_.responses and found.oof_.n_samples == 90
    assert found.ci_.method == "bbcf"
    assert found.ci_.estimate == plain.interval("bbcf").estimate == found.bbcf_score_
    assert any("record=False" in note for note in found.ci_.details["notes"])
    with pytest.raises(AttributeError, match="record=False"):
        found.bbc_score_  # noqa: B018
    with pytest.raises(ValueError, match="record=False"):
        found.interval(FEW)
    assert "BBC-F" in found.summary()


def test_groups_are_kept_without_recording():
    from sklearn.model_selection import GroupKFold

    found = search(ci=None, record=False, cv=GroupKFold(5)).fit(X, Y, groups=np.arange(90) // 3)
    assert found.oof_.groups.tolist() == (np.arange(90) // 3).tolist()
