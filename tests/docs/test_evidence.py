"""The pages of evidence show the results that are there, and say what was not run yet."""

import re

import numpy as np
import pandas as pd
import pytest

from benchmarks import coverage, speed
from benchmarks.harness import record
from benchmarks.harness.study import summarise

pytestmark = pytest.mark.long  # all tables of all pages are made

NOT_RUN = re.compile(r"[Nn]ot run yet")


@pytest.fixture(scope="module")
def evidence(docs_ext, repository):
    if not (repository / "benchmarks").is_dir():
        pytest.skip("needs the folder benchmarks of a checkout")
    return docs_ext("evidence")


@pytest.fixture(scope="module")
def committed(evidence):
    """Tables of the committed results."""
    return evidence.tables()


def check_tables(texts):
    """Every line of a table has as many cells, and no gap shows as nan."""
    for name, text in texts.items():
        assert "nan" not in text and "None" not in text, name
        for part in text.split("\n\n"):
            pipes = {line.count("|") for line in part.splitlines() if line.startswith("|")}
            assert len(pipes) <= 1, name


def test_the_pages_include_every_table(committed, repository):
    docs = repository / "docs"
    further = ("index.md", "what_is_covered.md", "design/replication_tables.md")
    found = [*map(docs.joinpath, further), *(docs / "evidence").iterdir()]
    pages = [page.read_text(encoding="utf-8") for page in found]
    included = re.findall(r"\{include\} (?:\.\./)?generated/(evidence_\w+\.md)", "\n".join(pages))
    # What made the ranks is what made the table beside them.
    assert set(committed) - set(included) == {
        f"evidence_{name}_ranks_made_by.md" for name in ("table2", "table3")
    }
    assert set(included) <= set(committed)
    assert len(included) == len(set(included))


def test_what_is_committed_is_shown(evidence, committed):
    texts = committed
    check_tables(texts)
    for module in (
        evidence.evidence_bounds, evidence.evidence_studies, evidence.evidence_learning,
        evidence.evidence_speed,
    ):  # fmt: skip
        for source, part in module.PARTS:
            text = texts[f"evidence_{source}_{part}.md"]
            there = (evidence.RESULTS / f"{source}.csv").is_file()
            if part != "five_classes":  # more rows of a file that may be there without them
                assert bool(NOT_RUN.search(text)) != there, f"{source}, {part}"
            assert ("Made by" in texts[f"evidence_{source}_made_by.md"]) == there
    lines = texts["evidence_overview.md"].splitlines()[2:]
    for name, line in zip(evidence.RUNS, lines, strict=True):
        there = (evidence.RESULTS / f"{name}.csv").is_file()
        assert bool(NOT_RUN.search(line)) != there, name


def test_without_results_the_pages_say_so(evidence, tmp_path):
    texts = evidence.tables(tmp_path)
    for name, text in texts.items():
        assert bool(NOT_RUN.search(text)) != name.endswith("made_by.md"), name
    folder = tmp_path / "generated"
    folder.mkdir()
    evidence.write(folder, tmp_path)
    assert sorted(path.name for path in folder.iterdir()) == sorted(texts)


def invented(study):
    """Journal of two data sets in about 4 settings: all parts and methods, random bounds."""
    rng = np.random.default_rng(0)
    rows = [
        (name, repetition, *pair)
        for name, setting in [*study.settings.items()][:: 1 + len(study.settings) // 4]
        for pair in study.parts(setting)
        for repetition in range(2)
    ]
    found = pd.DataFrame(rows, columns=["setting", "repetition", "part", "method"])
    found[["low", "estimate", "high"]] = np.sort(rng.uniform(0.3, 0.9, (len(found), 3)))
    found[[*study.truths]] = rng.uniform(0.4, 0.8, (len(found), len(study.truths)))
    return found.assign(seed=0, n_bootstraps=20, code="c", reason="", seconds=0.5)


def test_what_the_studies_write_is_what_the_pages_read(evidence, docs_ext, shared, tmp_path):
    """Tables of today's code: those that are committed may be of an earlier one."""
    studies = [*coverage.STUDIES, coverage.testbed.TESTBED, coverage.testbed.GENERATED]
    made_by = record.provenance(seed=0, seconds=60, codes=["c"])
    for study in studies:
        table = (study.summarise or summarise)(study, invented(study))
        if study.beside is not None:
            table = study.beside(table, shared / "reference")
        table = table.assign(n_bootstraps=20, **made_by)
        committed = pd.read_csv(evidence.RESULTS / f"{study.name}.csv")
        assert set(committed) <= set(table), study.name
        table.to_csv(tmp_path / f"{study.name}.csv", index=False)
    texts = {**evidence.tables(tmp_path), **docs_ext("coverage_tables").tables(tmp_path)}
    check_tables(texts)
    for study in studies:
        shown = [text for name, text in texts.items() if f"_{study.name}_" in name]
        assert shown, study.name
        missing = f"coverage.py {study.name}`"
        assert not [text for text in shown if NOT_RUN.search(text) and missing in text]


def test_the_readme_lists_the_runs_of_the_committed_results(evidence):
    if not evidence.RESULTS.is_dir():
        pytest.skip("needs the folder benchmarks/results of a checkout")
    text = evidence.README.read_text(encoding="utf-8")
    again = evidence.with_runs(text)
    assert again == text, "python docs/_ext/evidence.py --readme writes it again"
    assert evidence.with_runs(again) == again
    check_tables({"README": evidence.runs()})
    with pytest.raises(SystemExit, match="no place"):
        evidence.with_runs("no marks")


def test_results_of_earlier_versions_are_listed(evidence, tmp_path):
    assert evidence.older(tmp_path) == ""
    runs = [("0.1.0 1affa5, 0.2.0 8a88f3", 90), ("0.2.0 8a88f3", 5)]
    made = [{"command": f"run {i}", "code": code, "seconds": seconds, "date": "2026-11-23"}
            for i, (code, seconds) in enumerate(runs)]  # fmt: skip
    pd.DataFrame(made).to_csv(tmp_path / "bias.csv", index=False)
    assert evidence.older(tmp_path, "0.2.0") == "run 0  # 0.1.0 1affa5, 0.2.0 8a88f3, 90 s"


def test_the_readme_has_a_row_for_every_command(evidence):
    text = evidence.README.read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    testbed = coverage.testbed
    studies = [*coverage.STUDIES, testbed.TESTBED, testbed.GENERATED]
    commands = {
        *(f"coverage.py {name}" for name in ("table2", "bias", "bias --real")),
        *(f"coverage.py {study.name}" for study in studies),
        *(f"speed.py {function.__name__}" for function in speed.COMMANDS),
        "real_data.py table3", "real_data.py showcase", "simulate.py", "overhead.py",
    }  # fmt: skip
    assert commands <= {row.strip(" `") for row in rows}
    assert {command for _, command in evidence.RUNS.values()} <= commands
    assert {name.removeprefix("speed_") for name in evidence.FURTHER} <= {
        function.__name__ for function in speed.COMMANDS
    }


def row(**changed):
    """One line of a table of lower bounds."""
    return {
        "row": 1, "alpha": 24, "beta": 6, "N": 500, "C": 100, "balance": 0.1, "classes": 2,
        "method": "HM10p", "runs": 200, "undefined": 0.0, "true_auc": 0.925, "lower_bound": 0.93,
        "lower_bound_se": 0.002, "inclusion": 0.44, "tightness": -0.005, "rejected": True,
        "published_runs": 200.0, "published_true_auc": 0.918, "published_lower_bound": 0.937,
        "published_inclusion": 0.26, "published_tightness": -0.019, "published_rejected": True,
        "published_verdict": "inclusion +0.180 (allowed 0.143)", **changed,
    }  # fmt: skip


def test_a_miss_is_marked_and_closed(evidence):
    bounds = evidence.evidence_bounds
    table = pd.DataFrame(
        [row(), row(method="HM10p (rink)", inclusion=0.2, published_verdict="ok"),
         row(method="BBC", inclusion=0.97, rejected=False, published_verdict=float("nan"))]
    )  # fmt: skip
    text = bounds.of_size(500)(table)
    assert '<span class="miss" title="inclusion +0.180 (allowed 0.143)">&ne;</span>' in text
    assert text.count("&ne;") == 1, "a gap in the CSV is no miss"
    closed = bounds.closed(table)
    assert "1 published numbers were compared" in closed
    assert "| **HM10p (rink)** | 0.200 / 0.930 / 0.925 |" in closed
    assert "| none; has no switched form |" in bounds.closed(table.drop(1))


def study(**changed):
    """One line of a study of two-sided intervals."""
    return {
        "data": "null", "N": 50, "folds": 5, "part": "roc_auc", "method": "BBC", "runs": 100,
        "undefined": 0.0, "truth": 0.5, "coverage": 0.97, "width": 0.2, "bias": 0.01,
        "verdict": "ok", **changed,
    }  # fmt: skip


def test_tuned_models(evidence, tmp_path):
    rows = [
        study(), study(data="bc"), study(method="BBC-F", coverage=0.8, width=0.1, verdict="under"),
        study(data="bc", method="BBC-F"), study(method="Wilson", part="accuracy"),
        study(part="accuracy"),
        study(method="cvAUC", coverage=float("nan"), width=float("nan"), verdict=None),
    ]  # fmt: skip
    made = {
        "n_bootstraps": 10, "seed": 1, "seconds": 90.0, "date": "2026-01-02", "code": "c",
        "versions": "v", "machine": "m", "command": "python benchmarks/coverage.py testbed",
    }  # fmt: skip
    pd.DataFrame(rows).assign(**made).to_csv(tmp_path / "testbed.csv", index=False)
    texts = evidence.tables(tmp_path)
    check_tables(texts)
    assert "| BBC-F | **88&nbsp;(0.75)**&nbsp;1/2 |" in texts["evidence_testbed_often.md"]
    assert "| cvAUC | none |" in texts["evidence_testbed_others.md"]
    assert (
        "BBC-F under-covers in 1 of 2: AUC of null 80%." in texts["evidence_testbed_too_little.md"]
    )
    assert "null, N = 50, 5 folds" in texts["evidence_testbed_roc_auc.md"]
    assert (
        "Made by `python benchmarks/coverage.py testbed` on 2026-01-02 in 90 s of processor time"
        in texts["evidence_testbed_made_by.md"]
    )
    assert "2 settings, 100 data sets each | 90&nbsp;s, " in texts["evidence_overview.md"]


@pytest.fixture
def errors():
    rows = []
    for n_samples, errors in ((50, (0.3, 0.2, 0.1)), (100, (0.05, 0.1, 0.08))):
        for method, rmse in zip(("uncorrected", "BBC", "ShrunkenBBC"), errors):
            limits = {"uncorrected": np.nan, "BBC": 0.4, "ShrunkenBBC": 0.3}[method]
            row = {"data": "weak", "N": n_samples, "C": 8, "part": "roc_auc", "method": method,
                   "runs": 10, "bias": rmse / 2, "rmse": rmse, "width": limits, "below": 0.0,
                   "above": 0.1, "rejected": method == "BBC" and n_samples == 50}  # fmt: skip
            rows.append(row)
            if method != "uncorrected":
                rows.append({**row, "method": f"{method}, one-sided", "rejected": False})
    return pd.DataFrame(rows)


def test_errors_relative_to_bbc(evidence, errors):
    text = evidence.evidence_corrected.errors_along("part")(errors)
    assert "| AUC | 2 | 0.87&nbsp;(1.50) | 1.00&nbsp;(1.00) | 0.63&nbsp;(0.80) |" in text
    each = evidence.evidence_corrected.errors_along("data", "N", "C", "part")(errors)
    assert "| weak | 100 | 8 | AUC | 1 | 0.50" in each


def test_biases_and_who_is_nearest(evidence, errors):
    assert "+0.087&nbsp;(+0.03,&nbsp;+0.15)" in evidence.evidence_corrected.biases(errors)
    text = evidence.evidence_corrected.nearest(errors)
    assert "smallest error has: uncorrected 1, ShrunkenBBC 1" in text
    assert "that fits no further models in 1 (weak 1)" in text
    assert "at most 1.60 times" in text


def test_limits(evidence, errors):
    text = evidence.evidence_corrected.intervals(errors)
    assert "| AUC | 0.75 (0.75 to 0.75) | 0.63 (0.80) | 0.89 (1.60) | 90.0 (1/2) |" in text
    assert "(1/2) | 100.0, 90.0 (0/2) | 90.0 (0/2) | 100.0, 90.0 (0/2) |" in text
    without = errors[errors["method"] != "BBC, one-sided"]
    assert "| 90.0 (1/2) | 90.0 (0/2) |" in evidence.evidence_corrected.intervals(without)
    text = evidence.evidence_corrected.rejections(errors)
    assert text == "- BBC, AUC, weak, N = 50, C = 8: 0% below, 10% above (10 data sets)\n"


def test_the_tables_of_a_judge_compare_with_labels_alone(evidence):
    table = pd.DataFrame(
        {"data": "ratings", "judge": "fair", "C": 3, "labels": labels, "method": method,
         "coverage": coverage, "width": width * labels, "rmse": width, "bias": 0.1,
         "verdict": "under" if coverage < 0.9 else "ok"}
        for labels in (30, 150)
        for method, coverage, width in (
            ("PPI++", 0.6, 0.5), ("best_of", 0.95, 0.75), ("labels alone", 0.97, 1.0),
        )
    )  # fmt: skip
    parts = evidence.evidence_judged.PARTS
    score = parts["judged", "score"](table.assign(data=["ratings"] * 3 + ["groups"] * 3))
    row = "| fair | best_of | 2 | 95.0%&nbsp;(95) | 0 | +0.100 | 0.75&nbsp;(0.75) | "
    assert row in score
    sentence = parts["judged", "sentence"](table)
    assert "for PPI++ in 2, best_of in 0, labels alone in 0." in sentence
    assert "is 0.75 times as wide as that of the labels alone, at most 0.75 times" in sentence


def test_the_tables_of_fixed_systems_count_settings_and_rejections(evidence):
    rows = [
        {"part": part, "data": "normal", "N": n, "C": 3, "rho": 0.6, "kind": "none ahead",
         "method": method, "coverage": coverage, "width": width, "rmse": width / 2,
         "truth": 0.1, "found": 0.25, "verdict": "under" if coverage < 0.9 else "ok"}
        for n in (30, 100)
        for part, method, coverage, width in (
            ("mean score", "usual interval", 0.7, 0.5), ("mean score", "BBC", 0.97, 1.0),
            ("mean score", "ShrunkenBBC", 0.95, 0.8),
            ("difference", "BBCDifference", 0.97, 1.0),
            ("difference", "shrunken difference", 0.95, 0.75),
            ("next system", "BBCDifference", 0.97, 1.0),
        )
    ]  # fmt: skip
    rows += [
        {**rows[0], "part": "two sides", "method": method, "N": 200, "C": 24, "runs": 400,
         "kind": kind, "found": found}
        for kind, found in (("0.74 and 0.74", 0.02), ("0.70 and 0.78", 0.33))
        for method in ("BBCDifference", "shrunken difference")
    ]  # fmt: skip
    table = pd.DataFrame(rows)
    parts = evidence.evidence_systems.PARTS
    score = parts["systems", "score"](table)
    assert "| all | usual interval | 2 | 70.0%&nbsp;(70) | 2 | 0.50 | 0.50&nbsp;(0.50) |" in score
    sentence = parts["systems", "sentence"](table)
    assert sentence.startswith(
        "Of 2 settings the level is rejected for BBC in 0, ShrunkenBBC in 0"
    )
    assert "is 0.80 times as wide" in sentence
    rows = parts["systems", "next"](table.assign(truth=0.0))
    assert "| BBCDifference | 2 | 97.0%&nbsp;(97) | 0 | 1.00 | 1.00&nbsp;(1.00) | - |" in rows
    told = parts["systems", "two_sides"](table)
    assert "in 33% by BBCDifference and 33% by shrunken difference, with shares" in told
    assert "of 0.70 and 0.78 (400 data sets each)." in told
    assert parts["systems", "two_sides"](table[:3]) == "Two sides were not run yet.\n"
    difference = parts["systems", "difference"](table)
    assert "| shrunken difference | 2 | 95.0%&nbsp;(95) | 0 | 0.75 | 0.75&nbsp;(0.75) | 25% |" in (
        difference
    )


def test_adastop_stands_beside_the_bets(evidence):
    table = pd.DataFrame(
        {"data": "ratings", "N": 500, "C": 2, "kind": "spread", "part": "all items",
         "method": method, "lost": lost, "share": share}
        for method, lost, share in (
            ("bets", 0.0, 0.1), ("repeated t test", 0.25, 0.05), ("AdaStop 0.1.3", 0.02, 0.3),
            ("everything", 0.0, 1.0),
        )
    )  # fmt: skip
    text = evidence.evidence_sequential.PARTS["adastop", "beside"](table)
    assert "| ratings | 500 | 2 | spread | 0% | 10% | 2% | 30% | 25% | 5% |" in text
