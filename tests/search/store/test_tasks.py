"""What one task writes, and what becomes of the search when it cannot."""

import warnings

import numpy as np
import pytest

from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.recording import _resume as _tasks
from sklearn_bbc.recording._capture import CarriedScore, FoldResponses, carried, out_of_memory
from sklearn_bbc.recording._resume import NOT_STORED, StoreTarget, Wanted, fit_and_store
from sklearn_bbc.store import CellLog

WANTED = Wanted(False, False, np.nan)
RESULT = {
    "fit_error": None,
    "test_scores": 0.5,
    "fit_time": 0.1,
    "score_time": 0.2,
    "n_test_samples": 4,
}


def run(target, config="c", result=RESULT, **kwargs):
    return fit_and_store(lambda *args, **kw: dict(result), target, (config, "s"), **kwargs)


@pytest.fixture
def target(tmp_path):
    target = StoreTarget(tmp_path, WANTED)
    yield target
    target.close()


def stored(folder):
    return [cell.facts["config"] for cell in CellLog(folder).read()]


def test_a_failed_fit_is_made_again(target, tmp_path):
    assert run(target, result={**RESULT, "fit_error": "Traceback"})["fit_error"] == "Traceback"
    assert stored(tmp_path) == []


def test_no_more_than_a_few_files_are_open(tmp_path, monkeypatch):
    monkeypatch.setattr(_tasks, "_logs", {})
    targets = [StoreTarget(tmp_path, WANTED) for _ in range(11)]
    for target in targets[:3]:
        run(target)
    oldest = [target.log() for target in targets[:3]]
    for target in targets[3:]:
        run(target)
    mine = {target.run for target in targets}
    assert [run for run, _ in _tasks._logs] == [target.run for target in targets[3:]]  # eight
    assert [log._file for log in oldest] == [None] * 3
    assert all(target.log()._file is not None for target in targets[3:])
    run(targets[0], "again")  # one that was closed meanwhile
    assert len(stored(tmp_path)) == len(targets) + 1
    for target in targets:
        target.close()
    assert not [run for run, _ in _tasks._logs if run in mine]


def test_a_reason_is_reported_at_once_and_travels_home(target, tmp_path):
    with pytest.warns(RecordingWarning, match="could not be stored in .*names of its scores"):
        found = run(target, result={**RESULT, "test_scores": {1: 0.5}})
    assert found[NOT_STORED] == "the names of its scores are not text"
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        run(target, result={**RESULT, "test_scores": {1: 0.5}})
    assert not noted


def test_when_memory_ran_out_the_fit_is_not_stored_without_its_predictions(tmp_path):
    target = StoreTarget(tmp_path, Wanted(True, False, np.nan))
    scores = carried(0.5, out_of_memory(MemoryError("full")))
    with pytest.warns(RecordingWarning, match="memory ran out"):
        found = run(target, result={**RESULT, "test_scores": scores})
    assert "memory ran out" in found[NOT_STORED]
    assert stored(tmp_path) == []


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(28, "No space left on device"), "No space left on device"),
        (OSError("a pipe"), "a pipe"),
        (MemoryError(), "MemoryError"),
    ],
)
def test_there_is_always_a_reason(error, reason, target, monkeypatch):
    def broken(*given):
        raise error

    monkeypatch.setattr(CellLog, "append", broken)
    with pytest.warns(RecordingWarning, match=reason):
        assert run(target)[NOT_STORED] == reason


@pytest.mark.parametrize(
    ("array", "marked"), [(np.zeros(2), True), (np.array(["a", "b"], object), False)]
)
def test_predictions_that_are_arrays_in_the_log_are_marked(array, marked, tmp_path):
    target = StoreTarget(tmp_path, Wanted(True, False, np.nan))
    score = CarriedScore(0.5, FoldResponses({"predict": array}))
    run(target, result={**RESULT, "test_scores": score})
    if marked:
        assert (score.responses.run, score.responses.key) == (target.run, ("c", "s"))
    else:
        assert type(score.responses) is FoldResponses
    target.close()
