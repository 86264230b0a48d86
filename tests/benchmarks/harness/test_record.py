"""Tables say what made them."""

import io
import sys

import pandas as pd
import pytest

from benchmarks.harness import record


def test_a_table_says_what_made_it(tmp_path, monkeypatch, repository):
    script = repository / "benchmarks" / "coverage.py"
    monkeypatch.setattr(sys, "argv", [str(script), "table2", "--rows", "1 2"])
    path = tmp_path / "new folder" / "table.csv"
    record.write_table(pd.DataFrame({"x": [0.1, 2.0]}), path, seed=7, seconds=1.23)
    table = pd.read_csv(path)
    assert list(table["x"]) == [0.1, 2.0]
    row = table.iloc[1]
    assert row["seed"] == 7
    assert row["seconds"] == 1.2
    assert row["command"] == "python benchmarks/coverage.py table2 --rows '1 2'"
    assert "scikit-learn" in row["versions"]
    assert "cores" in row["machine"]
    assert row["code"].startswith(record.sklearn_bbc.__version__)
    assert [file.name for file in path.parent.iterdir()] == ["table.csv"]


def test_a_report_says_what_computed_it(tmp_path, monkeypatch, repository):
    script = repository / "benchmarks" / "coverage.py"
    monkeypatch.setattr(sys, "argv", [str(script), "bias", "--report", "--seed", "3"])
    assert record.command() == "python benchmarks/coverage.py bias --seed 3"
    codes = ["0.1 b", "0.1 a", "0.1 b"]
    frame = pd.DataFrame({"x": [1]})
    record.write_table(frame, tmp_path / "t.csv", seed=3, seconds=1.0, codes=codes)
    assert pd.read_csv(tmp_path / "t.csv")["code"].item() == "0.1 a, 0.1 b"
    for given, said in ((codes, "0.1 a, 0.1 b"), ((), record.code())):
        record.write_report("table\n", tmp_path / "report.md", given)
        table, made = (tmp_path / "report.md").read_text(encoding="utf-8").split("\n\n")
        assert table == "table"
        assert made.startswith(f"Made by `{record.command()}` on ") and made.endswith(".\n")
        assert f": sklearn-bbc {said}; {record.versions()};" in made


def test_markdown():
    frame = pd.DataFrame({"metric": ["a", None], "N": [5, 50000], "s": [0.012345, float("nan")]})
    assert record.markdown(frame).splitlines() == [
        "| metric | N | s |",
        "| --- | ---: | ---: |",
        "| a | 5 | 0.0123 |",
        "|  | 50000 |  |",
    ]


@pytest.mark.parametrize(
    "value, text",
    [(1153.2, "1,150"), (0.99961, "1.000"), (9.876, "9.88"), (-0.5, "-0.500"), (0.0, "0.0")],
)
def test_three_digits(value, text):
    assert record.readable(value) == text


def test_progress_passes_everything_on_and_counts_earlier_runs():
    stream = io.StringIO()
    assert list(record.progress(range(10), 20, "sets", done=10, stream=stream)) == [*range(10)]
    lines = stream.getvalue().splitlines()
    assert lines[0] == "sets: 10 of 20 were there already"
    assert lines[-1] == "sets: 20 of 20"
    assert len(lines) == 6
