"""The pages of evidence show the results that are there, and say what was not run yet."""

import importlib
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from benchmarks import coverage, speed
from benchmarks.harness import references

NOT_RUN = re.compile(r"[Nn]ot run yet")


@pytest.fixture(scope="module")
def evidence(repository):
    folder = repository / "docs" / "_ext"
    if not (folder / "evidence.py").is_file() or not (repository / "benchmarks").is_dir():
        pytest.skip("needs the folders docs and benchmarks of a checkout")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        before = set(sys.modules)
        yield importlib.import_module("evidence")
        for name in set(sys.modules) - before:
            if name.startswith(("evidence", "coverage_tables")):
                del sys.modules[name]


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
    found = [docs / "index.md", *(docs / "evidence").iterdir()]
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


def test_every_run_has_a_page(evidence, repository):
    for link, _ in evidence.RUNS.values():
        target = re.search(r"\((.+?)(?:#.*)?\)$", link)[1]
        assert (repository / "docs" / "evidence" / target).is_file(), link


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


def test_runs_name_what_was_made_elsewhere(evidence, tmp_path):
    made = {"seconds": 150.0, "date": "2026-01-02", "versions": "v", "machine": "m"}
    for name in ("bias", "single", "speed_cold"):
        command = f"python benchmarks/coverage.py {name} --jobs 2"
        own = {"command": command, "machine": "other" if name == "single" else "m"}
        pd.DataFrame([{**study(), **made, **own}]).to_csv(tmp_path / f"{name}.csv", index=False)
    lines = evidence.runs(tmp_path).splitlines()
    assert (
        "| `coverage.py bias --jobs 2` | 1 settings, 100 data sets each | 2 min | 2026-01-02 |"
        in lines
    )
    assert "| `coverage.py speed_cold --jobs 2` | 1 rows | 2 min | 2026-01-02 |" in lines
    assert lines[-2:] == ["m; v", "other; v (single)"]


def test_a_closed_pipe_is_no_error(evidence, repository):
    command = [sys.executable, "docs/_ext/evidence.py"]
    with subprocess.Popen(
        command, cwd=repository, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout.readline().startswith(b"| what")
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.fixture(scope="module")
def table2(tmp_path_factory, repository):
    """A run of a few data sets, with two and with five classes."""
    shared = references.FOLDER
    if not shared.is_dir():
        pytest.skip("needs the published numbers")
    output = tmp_path_factory.mktemp("table2")
    coverage.main(
        ["table2", "--rows", "13", "14", "--repetitions", "2", "--n-bootstraps", "20",
         "--five-classes", "--output", str(output)]
    )  # fmt: skip
    return output


def test_table_2_in_its_published_form(evidence, table2):
    texts = evidence.tables(table2)
    check_tables(texts)
    of_50 = texts["evidence_table2_50.md"].splitlines()
    assert of_50[0].startswith("| Beta, C, minority | BBC | BBC-F | DL | HM | BT |")
    balanced = next(line for line in of_50 if line.startswith("| (9, 6), 100, 50% |"))
    cells = [cell.strip() for cell in balanced.split("|")[2:-1]]
    assert len(cells) == 10
    number = r"-?\d\.\d\d"
    cell = rf"(\*\*)?{number} \({number}\)(\*\*)?"
    assert re.match(
        rf'{cell}<br>(<span class="miss".*</span> )?<span class="theirs">{cell}', cells[0]
    )
    assert "Beta(9, 6), N = 50, C = 100, equal classes" in texts["evidence_table2_five_classes.md"]
    assert "NB-normal | ShrunkenBBC" in texts["evidence_table2_further.md"]
    assert "in all rows: BBC in" in texts["evidence_table2_summary.md"]
    assert "16 published numbers" not in texts["evidence_table2_closed.md"]
    assert re.search(
        r"\| \[Lower bounds on simulated data\].* 4 settings", texts["evidence_overview.md"]
    )


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


def test_methods_that_mostly_have_no_bound_have_no_number(evidence):
    table = pd.DataFrame([row(undefined=0.3, published_runs=150)])
    assert (
        evidence.evidence_bounds.of_size(500)(table)
        .splitlines()[2]
        .endswith('-<br><span class="theirs">-</span> |')
    )


def test_the_curse_on_real_data(evidence):
    columns = {"n_train": 50, "bias": 0.1}
    table = pd.DataFrame(
        [row(dataset="a", method="NB", dependent_rows=None, **columns),
         row(dataset="b", method="NB", dependent_rows="molecules", **columns | {"bias": -0.01}),
         row(dataset="b", method="BBC", dependent_rows="molecules", **columns)]
    )  # fmt: skip
    text = evidence.evidence_bounds.curse(table)
    assert "above the hold-out score on 1 of 2 data sets, and its bound is rejected on 2" in text
    assert "| a (200) | +0.100 | - |" in text
    assert "| b\\* (200) | -0.010 | +0.100 |" in text


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
    assert "2 settings, 100 data sets each | 90&nbsp;s |" in texts["evidence_overview.md"]


def test_biases(evidence):
    table = pd.DataFrame(
        {
            "C": [50, 50, 100, 100], "N": [20, 40, 20, 40], "method": "best CV score",
            "bias": [0.2, 0.102, 0.3, -0.01], "bias_se": 0.004,
        }
    )  # fmt: skip
    text = evidence.evidence_studies.bias_range(table)
    assert "| best CV score | -0.010 (100, 40) | +0.300 (100, 20) | 0.153 |" in text
    assert "at most 0.004" in text
    assert "| 100 | 20 | +0.300 |" in evidence.evidence_studies.bias(table)


@pytest.mark.parametrize(
    "seconds, text",
    [(3.2, "3 s"), (99, "99 s"), (150, "2 min"), (5400, "90 min"), (9000, "2.5 h")],
)
def test_durations(evidence, seconds, text):
    assert evidence.duration(seconds) == text


def test_published_times_at_the_ends_of_a_sweep(evidence, tmp_path):
    base = {"sweep": "N", "method": "BBC", "C": 5, "F": 3, "B": 200, "runs": 5, "q25, s": 0.1}
    rows = [
        {**base, "N": n, "kernels": state, "median, s": n * factor, "published, s": 1.0}
        for n in (50, 100, 500)
        for state, factor in (("NumPy", 1e-4), ("native", 1e-5))
    ]
    rows.append({**base, "N": 9000, "kernels": "NumPy", "median, s": 1, "published, s": None})
    table = pd.DataFrame(rows)
    lines = evidence.evidence_speed.beside_published(table).splitlines()
    assert lines[0] == (
        "| at | method | published, s | NumPy, s | published / NumPy | native, s "
        "| published / native |"
    )
    assert lines[2:] == [
        "| N = 50 | BBC | 1.00 | 0.00500 | 200 | 0.000500 | 2,000 |",
        "| N = 500 | BBC | 1.00 | 0.0500 | 20.0 | 0.00500 | 200 |",
    ]
    assert evidence.size(table) == "4 sizes, 5 runs each"
    (tmp_path / "speed_figure3.png").write_bytes(b"picture")
    folder = tmp_path / "generated"
    folder.mkdir()
    evidence.write(folder, tmp_path)
    assert (folder / "evidence_speed_figure3.png").read_bytes() == b"picture"


def test_rules_side_by_side(evidence):
    studies = evidence.evidence_studies
    repeated, once = studies.REPEATED, studies.ONCE
    table = pd.DataFrame(
        [study(part="AUC: a", method=repeated, width=0.2),
         study(part="AUC: a", method=repeated, data="bc", coverage=0.9, width=0.4, bias=-0.03),
         study(part="AUC: a", method=once, coverage=0.5, verdict="under"),
         study(part="AUC: a", method=once, data="bc", coverage=None, width=None, verdict=None),
         study(part="AUC: b", method=repeated),
         study(part="AUC: b", method=once, coverage=None, width=None, verdict=None)]
    )  # fmt: skip
    lines = studies.rules_over_settings(table).splitlines()
    assert lines[0] == (
        "| rule | settings | repeated: coverage | bias | width "
        "| applied once: coverage | bias | width |"
    )
    assert lines[2:] == [
        "| AUC: a | 2 | 93.5 | -0.010 | 0.300 | **50.0** 1/1 | +0.010 | 0.200 |",
        "| AUC: b | 1 | 97.0 | +0.010 | 0.200 | none |  |  |",
    ]
    lines = studies.rules_by_setting(once)(table).splitlines()
    assert lines[0] == "| method | bc, N = 50, 5 folds | null, N = 50, 5 folds |"
    assert lines[2] == "| AUC: a | none | **50.0** (0.200) |"


def test_pooling_with_both_truths(evidence):
    studies = evidence.evidence_studies
    table = pd.DataFrame(
        [study(part="C = 1", method=method, estimand=truth, N=n, bias=bias + n / 1e5)
         for method in (studies.BEST_SCORE, "BBC, pooled")
         for truth, bias in (("final model", 0.02), ("fold models", -0.03))
         for n in (300, 80)]
    )  # fmt: skip
    lines = studies.pooling_bias(table).splitlines()
    assert lines[0] == "| configurations and method | N = 80, 5 folds | N = 300, 5 folds |"
    assert lines[2] == (f"| C = 1: {studies.BEST_SCORE} | -0.029 / +0.021 | -0.027 / +0.023 |")
    assert studies.pooling_coverage(table).splitlines()[2:] == [
        "| C = 1: BBC, pooled | 97.0 / 97.0 (0.200) | 97.0 / 97.0 (0.200) |"
    ]


def test_comparisons_across_settings(evidence):
    parts = evidence.evidence_comparisons.PARTS

    def row(**fields):
        usual = {
            "sides": "fixed", "truth": "equal", "N": 60, "part": "roc_auc", "method": "compare",
            "rejected": 0.04, "too_often": False, "coverage": 0.96, "width": 0.3,
        }  # fmt: skip
        return usual | fields

    table = pd.DataFrame(
        [row(method="k-fold t", rejected=0.11, too_often=True), row(),
         row(method="5x2cv F", coverage=None, width=None),
         row(truth="different", N=200, rejected=0.5, part="accuracy")]
    )  # fmt: skip
    lines = parts["comparisons", "false"](table).splitlines()
    assert lines[0] == "| setting | `compare` | k-fold t | 5x2cv F |"
    assert lines[2:] == ["| fixed, N = 60, AUC, equal | 4.0 | **11.0** | 4.0 |"]
    lines = parts["comparisons", "power"](table).splitlines()
    assert lines[2:] == ["| fixed, N = 200, accuracy | 50.0 |"]
    lines = parts["comparisons", "coverage"](table).splitlines()
    assert lines[2] == "| fixed, N = 60, AUC, equal | 96.0 (0.300) | 96.0 (0.300) | none |"
    assert lines[3] == "| fixed, N = 200, accuracy | 96.0 (0.300) |  |  |"


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
    assert "| AUC | 0.75 (0.75 to 0.75) | 90.0 (1/2) | 100.0, 90.0 (0/2) | 90.0 (0/2) |" in text
    text = evidence.evidence_corrected.rejections(errors)
    assert text == "- BBC, AUC, weak, N = 50, C = 8: 0% below, 10% above (10 data sets)\n"
