"""Work that is killed goes on where it stopped."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.harness import record
from benchmarks.harness.journal import Journal, complete, run

COLUMNS = ["task", "part", "value"]
KEY = ["task", "part"]


def work(task):
    """Two rows with numbers that have no short decimal form."""
    rng = np.random.default_rng(task)
    return [{"task": task, "part": part, "value": float(rng.normal())} for part in ("a", "b")]


def resume(path, n_tasks=8, jobs=1):
    """What a benchmark does at each start."""
    journal = Journal(path, COLUMNS, KEY)
    done = journal.done()
    tasks = [(k,) for k in range(n_tasks) if {(k, "a"), (k, "b")} - done]
    run(journal, tasks, work, jobs=jobs, label="tasks", n_done=n_tasks - len(tasks))
    return journal.rows().sort_values(KEY, ignore_index=True), len(tasks)


@pytest.fixture
def unbroken(tmp_path):
    return resume(tmp_path / "unbroken.csv")[0]


def test_rows_come_back_as_they_were(unbroken):
    expected = [row for task in range(8) for row in work(task)]
    pd.testing.assert_frame_equal(unbroken, pd.DataFrame(expected), check_exact=True)


def test_names_that_pandas_takes_for_missing_values_are_names(tmp_path):
    journal = Journal(tmp_path / "journal.csv", ["task", "part", "value", "reason"], KEY)
    names = ["null", "NA", "None"]
    journal.append(
        {"task": 0, "part": name, "value": float("nan"), "reason": ""} for name in names
    )
    assert journal.done() == {(0, name) for name in names}
    rows = journal.rows()
    assert rows["value"].isna().all() and rows["reason"].isna().all()


def test_a_file_cut_at_any_byte_is_completed_to_the_same_rows(tmp_path):
    unbroken, _ = resume(tmp_path / "unbroken.csv", n_tasks=2)
    whole = (tmp_path / "unbroken.csv").read_bytes()
    path = tmp_path / "cut.csv"
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        rows, _ = resume(path, n_tasks=2)
        pd.testing.assert_frame_equal(rows, unbroken, check_exact=True)


def test_the_number_of_processes_does_not_matter(tmp_path, unbroken):
    rows, _ = resume(tmp_path / "two.csv", jobs=2)
    pd.testing.assert_frame_equal(rows, unbroken, check_exact=True)


def test_a_row_that_was_written_twice_counts_once(tmp_path, unbroken):
    path = tmp_path / "unbroken.csv"
    journal = Journal(path, COLUMNS, KEY)
    journal.append(work(3))
    pd.testing.assert_frame_equal(resume(path)[0], unbroken, check_exact=True)


def of_parts(piece, missing, code):
    """What is missing of a piece, with the version that runs."""
    return [
        {"piece": piece, "part": part, "code": code, "value": 10 * piece + ord(part)}
        for _, part in missing
    ]


def completed(path, pieces, code="now", **changed):
    journal = Journal(path, ["piece", "part", "code", "value"], ["piece", "part"])
    keys = {piece: [(piece, part) for part in parts] for piece, parts in pieces.items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(record, "code", lambda: code)
        return complete(
            journal, keys, of_parts, lambda piece, missing: (piece, missing, code),
            **{"jobs": 1, "label": "pieces"} | changed,
        )  # fmt: skip


@pytest.mark.parametrize("prefer", [None, "threads"])
def test_only_what_is_missing_is_computed_and_rows_stand_as_asked(tmp_path, capsys, prefer):
    path = tmp_path / "journal.csv"
    first = completed(path, {1: "b", 3: "a"}, code="then", prefer=prefer)
    assert list(zip(first["piece"], first["part"], strict=True)) == [(1, "b"), (3, "a")]
    assert "other versions" not in capsys.readouterr().err
    found = completed(path, {2: "a", 1: "ab"}, prefer=prefer)
    assert found.to_dict("list") == {
        "piece": [2, 1, 1],
        "part": ["a", "a", "b"],
        "code": ["now", "now", "then"],
        "value": [117, 107, 108],
    }
    shown = capsys.readouterr().err
    assert "pieces: 2 of 2" in shown
    assert "Note: 1 of 3 rows were computed by other versions" in shown
    assert "(then; now now)" in shown
    assert len(pd.read_csv(path)) == 4, "what was not asked for stays"


def test_a_report_computes_nothing(tmp_path):
    path = tmp_path / "journal.csv"
    with pytest.raises(SystemExit, match="without --report"):
        completed(path, {1: "a"}, report=True)
    completed(path, {1: "a"})
    assert completed(path, {1: "a", 2: "a"}, report=True)["piece"].tolist() == [1]
    with pytest.raises(SystemExit, match="Nothing was computed yet"):
        completed(path, {2: "a"}, report=True)


def test_a_fresh_journal_is_empty(tmp_path):
    path = tmp_path / "journal.csv"
    resume(path, n_tasks=2)
    assert len(Journal(path, COLUMNS, KEY).rows()) == 4
    assert Journal(path, COLUMNS, KEY, fresh=True).done() == set()


def test_a_journal_of_another_benchmark_is_not_touched(tmp_path):
    path = tmp_path / "other.csv"
    path.write_text("x,y\n1,2\n")
    with pytest.raises(ValueError, match=r"has the columns \['x', 'y'\]"):
        Journal(path, COLUMNS, KEY)
    assert path.read_text() == "x,y\n1,2\n"
