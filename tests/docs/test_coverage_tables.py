"""The tables of the coverage page are those of the results files."""

import re

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def coverage_tables(docs_ext):
    return docs_ext("coverage_tables")


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


@pytest.mark.long
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
