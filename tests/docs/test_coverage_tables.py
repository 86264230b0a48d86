"""The tables of the coverage page are those of the results files."""

import importlib
import re
import sys

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def coverage_tables(repository):
    path = repository / "docs" / "_ext" / "coverage_tables.py"
    if not path.is_file():
        pytest.skip("needs the folder docs of a checkout")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(path.parent))
        before = set(sys.modules)
        yield importlib.import_module("coverage_tables")
        for name in set(sys.modules) - before:
            if name.startswith(("evidence", "coverage_tables")):
                del sys.modules[name]


def rows(**columns):
    """Results of two methods in one setting."""
    return pd.DataFrame(
        {
            "N": 100, "method": ["a", "b"], "coverage": [0.9512, 0.7], "width": [0.1234, 0.2],
            "verdict": ["ok", "under"], "undefined": [0.0, 0.25], "runs": [1000, 200], **columns,
        }
    )  # fmt: skip


def test_coverage_width_and_undefined_share(coverage_tables):
    text = coverage_tables.crossed(rows(), ["N"], "N = {N}")
    assert text.splitlines() == [
        "| method | N = 100 |",
        "| --- | ---: |",
        "| a | 95.1 (0.123) |",
        "| b | **70.0** (0.200), 25.0% undefined, n = 200 |",
    ]


def test_estimands_stand_in_their_order_in_one_cell(coverage_tables):
    names = ("final model", "fold models", "learner")
    table = pd.concat(
        [
            rows(estimand=name, coverage=0.9 + k / 100, verdict="over")
            for k, name in enumerate(names)
        ]
    )
    text = coverage_tables.crossed(table, ["N"], "N = {N}")
    assert "| a | *91.0* / *92.0* / *90.0* (0.123) |" in text


def test_no_interval_at_all(coverage_tables):
    nothing = rows(coverage=np.nan, width=np.nan, undefined=1.0, verdict=None)
    assert "| a | none, 100.0% undefined |" in coverage_tables.crossed(nothing, ["N"], "{N}")


def test_what_only_the_thesis_has_is_a_row_without_ours(coverage_tables):
    ours = pd.concat([rows(estimand=name) for name in ("fold models", "learner")])
    larger = ours.assign(N=500)
    theirs = {
        "N": [100], "method": ["GLMM (published only)"], "runs": [0], "thesis": ["GLMM"],
        "thesis_coverage": [0.981], "thesis_width": [0.607],
    }  # fmt: skip
    table = pd.concat([ours, larger, pd.DataFrame(theirs)], ignore_index=True)
    lines = coverage_tables.beside_thesis(table).splitlines()
    assert lines[2] == "| 100 | a | 95.1 | 95.1 | 0.123 |  |  |"
    assert lines[4] == "| 100 | GLMM (published only) |  |  |  | 98.1 (GLMM) | 0.607 |"
    assert [line[:5] for line in lines[2:]] == ["| 100"] * 3 + ["| 500"] * 2


def test_times_of_other_metrics_and_of_methods_that_train_stand_apart(coverage_tables):
    names = ["metric", "method", "NumPy, s", "native, s", "limit, s"]
    both = [["roc_auc", "BBC", 0.03, 0.02, 0.1], ["accuracy", "BBC", 0.02, 0.01, 0.1]]
    older = pd.DataFrame(both, columns=names)
    usual = coverage_tables.times(older)
    assert usual.splitlines()[2:] == ["| BBC | 30.0 | 20.0 | 20.0 | 10.0 |"]
    more = [["f1", "Takahashi", 0.004, 0.003, 0.1], ["trained", "direct", 0.5, 0.5, np.nan]]
    table = pd.concat([older, pd.DataFrame(more, columns=names)], ignore_index=True)
    text = coverage_tables.times(table.assign(fits=[np.nan, np.nan, np.nan, 200]))
    assert text.startswith(usual + "\n")
    assert "| Takahashi: f1 |  | 4.0 | 3.0 |\n| direct: trained | 200 | 500.0 | 500.0 |" in text


def test_the_page_shows_every_table_of_the_committed_results(coverage_tables, repository):
    docs = repository / "docs"
    found = [*(docs / "evidence").glob("*.md"), docs / "design" / "replication_tables.md"]
    pages = "\n".join(page.read_text(encoding="utf-8") for page in found)
    included = re.findall(r"\{include\} \.\./generated/(coverage_\w+\.md)", pages)
    tables = coverage_tables.tables()
    assert sorted(included) == sorted(tables)
    for name, text in tables.items():
        lines = text.splitlines()
        if not text.startswith("*Not run yet"):
            assert len(lines) > 2 or name.endswith("made_by.md"), name
        assert "nan" not in text and "None" not in text, name
        by_table = text.split("\n\n")
        for part in by_table:
            pipes = {line.count("|") for line in part.splitlines() if line.startswith("|")}
            assert len(pipes) <= 1, f"{name}: every line has as many cells"


def test_without_results_the_page_says_so(coverage_tables, tmp_path):
    tables = coverage_tables.tables(tmp_path)
    assert sorted(tables) == sorted(coverage_tables.tables())
    for name, text in tables.items():
        expected = "\n" if name.endswith("made_by.md") else "*Not run yet: `python benchmarks/"
        assert text.startswith(expected), name
    assert tables["coverage_repeats.md"] == tables["coverage_groups.md"]
    assert "`python benchmarks/speed.py methods`" in tables["coverage_times.md"]
    coverage_tables.write(tmp_path, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(tables)


def test_few_positives(coverage_tables, tmp_path):
    made = {
        "n_bootstraps": 50, "seed": 1, "seconds": 2.0, "date": "2026-01-02", "code": "c",
        "versions": "v", "machine": "m", "command": "python benchmarks/coverage.py rare",
    }  # fmt: skip
    table = pd.concat([rows(positives=0.1, part="f1"), rows(positives=0.05, part="f1", N=50)])
    table.assign(**made).to_csv(tmp_path / "rare.csv", index=False)
    tables = coverage_tables.tables(tmp_path)
    assert tables["coverage_rare_f1.md"].splitlines() == [
        "| method | 5% positive, N = 50 | 10% positive, N = 100 |",
        "| --- | ---: | ---: |",
        "| a | 95.1 (0.123) | 95.1 (0.123) |",
        "| b | **70.0** (0.200), 25.0% undefined, n = 200 "
        "| **70.0** (0.200), 25.0% undefined, n = 200 |",
    ]
    assert tables["coverage_rare_balanced_accuracy.md"].startswith("*Not run yet"), "other metric"
    assert tables["coverage_rare_made_by.md"] == (
        "*Made by `python benchmarks/coverage.py rare` on 2026-01-02 in 2 s of processor time in "
        "the methods, seed 1, 50 draws: sklearn-bbc c; v; m.*\n"
    )
