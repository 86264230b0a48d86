"""The paper: its references are there and ours, its numbers are those of the committed results."""

import re

import pandas as pd
import pytest

import sklearn_bbc

# What is no method of this package: the checklist that its reports fill in.
OTHERS = {"collins2024"}
METHODS = [
    "bbc", "bbcf", "mabt", "nested_cv", "corrected_t", "tibshirani", "bates_nested_cv", "bayle_cv",
    "delong", "cvauc", "nemenyi", "bayesian_signed_rank", "cvc", "model_confidence_set",
]  # fmt: skip


@pytest.fixture(scope="module")
def paper(repository):
    return (repository / "paper" / "paper.md").read_text(encoding="utf-8")


def entries_of(bibtex):
    """Key -> entry."""
    found = re.findall(r"^@\w+\{(\w+),.*?^\}", bibtex, flags=re.M | re.S)
    whole = re.findall(r"^@\w+\{\w+,.*?^\}", bibtex, flags=re.M | re.S)
    return dict(zip(found, whole, strict=True))


def table(paper, label):
    """Rows of the table that follows the caption with this label, as lists of cells."""
    below = paper.split(f"\\label{{tab:{label}}}\n")[1].lstrip().split("\n\n")[0]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in below.splitlines()]
    return rows[2:]


def test_what_is_cited_is_listed_and_the_other_way_round(paper, repository):
    listed = entries_of((repository / "paper" / "paper.bib").read_text(encoding="utf-8"))
    assert set(re.findall(r"@([a-z]+\d{4})", paper)) == set(listed)


def test_the_entries_are_those_of_the_package(repository):
    ours = entries_of(sklearn_bbc.citations(*METHODS))
    listed = entries_of((repository / "paper" / "paper.bib").read_text(encoding="utf-8"))
    assert set(listed) - set(ours) == OTHERS
    for key in set(listed) - OTHERS:
        assert listed[key] == ours[key]


def test_the_form_of_the_journal(paper, repository):
    yaml = pytest.importorskip("yaml", reason="reads the heads of the paper and of CITATION.cff")
    head = yaml.safe_load(paper.split("---")[1])
    assert set(head) >= {"title", "tags", "authors", "affiliations", "date", "bibliography"}
    citation = yaml.safe_load((repository / "CITATION.cff").read_text(encoding="utf-8"))
    assert [a["name"] for a in head["authors"]] == [a["name"] for a in citation["authors"]]
    assert {"Summary", "Statement of need", "State of the field", "References"} <= set(
        re.findall(r"^# (.*)$", paper, flags=re.M)
    )
    text = re.sub(r"```.*?```", "", paper.split("---", 2)[2], flags=re.S)
    words = re.sub(r"^\|.*$", "", text, flags=re.M).split()
    assert 750 <= len(words) <= 1750  # the limits of the journal


def test_the_biases_are_those_of_the_results(paper, repository):
    results = pd.read_csv(repository / "benchmarks" / "results" / "bias.csv")
    results = results[(results["C"] == 500) & (results["runs"] == 500)]
    biases = results.pivot(index="N", columns="method", values="bias")
    rows = table(paper, "bias")
    assert len(rows) == 4
    for samples, *shown in rows:
        expected = biases.loc[int(samples), ["best CV score", "nested CV", "BBC", "BBC-F"]]
        texts = [f"{bias:+.3f}".replace("-0.000", "0.000") for bias in expected]
        assert shown == texts


def test_the_times_are_those_of_the_results(paper, repository):
    results = pd.read_csv(repository / "benchmarks" / "results" / "speed_kernels.csv")
    results = results[results["B"] == 1000].set_index(["N", "C"])
    rows = table(paper, "speed")
    assert len(rows) == 3
    for samples, configs, *shown in rows:
        expected = results.loc[(int(samples), int(configs)), ["loop, s", "NumPy, s", "native, s"]]
        got = [float(number.replace(",", "")) for number in shown]
        assert got == pytest.approx(expected.astype(float).tolist(), rel=5e-3)
