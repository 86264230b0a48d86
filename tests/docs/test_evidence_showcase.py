"""The start page and the README say what the results file says."""

import importlib
import re

import pandas as pd
import pytest


@pytest.fixture
def showcase(repository, monkeypatch):
    folder = repository / "docs" / "_ext"
    if not (folder / "evidence_showcase.py").is_file() or not (repository / "benchmarks").is_dir():
        pytest.skip("needs the folders docs and benchmarks of a checkout")
    monkeypatch.syspath_prepend(str(folder))
    return importlib.import_module("evidence_showcase")


@pytest.fixture
def table():
    return pd.DataFrame(
        {
            "best_score": [0.9, 0.7], "bbc_score": [0.7, 0.6], "low": [0.5, 0.3],
            "high": [0.8, 0.5], "held_out": [0.65, 0.65],
        }
    )  # fmt: skip


def test_the_number_is_the_mean_over_the_samples(showcase, table):
    text = showcase.start(table)
    assert "On 2 random samples" in text
    assert "The best score was 0.15 too high, the corrected score 0.00." in text
    assert "by -0.05 to +0.05" in text, "one data set can miss"
    assert "on 1 of the 2 samples" in text
    assert "| BBC | 0.650 | +0.000 | 0.071 | -0.05 to +0.05 |" in showcase.summary(table)


def test_the_readme_has_the_means_of_the_results_file(showcase, repository):
    table = pd.read_csv(repository / "benchmarks" / "results" / "showcase.csv")
    means = showcase.means(table)
    readme = (repository / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^|]* \| (0\.\d\d) \| ([\d.]*) ?\|$", readme, re.M)
    expected = means.loc[["best_score", "bbc_score", "held_out"]].round(2)
    assert [float(score) for score, _ in rows] == expected["mean"].tolist()
    assert [float(off or 0) for _, off in rows] == expected["too_high"].tolist()
    assert f"mean of {len(table)} samples" in readme
