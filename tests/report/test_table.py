"""Tables for papers."""

import math
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

from sklearn_bbc.report import ResultsTable

results_table = ResultsTable.from_frame

EVIL = '<script>alert("1")</script> 50% a_b | c & d'


def frame(**columns):
    given = {
        "metric": ["roc_auc", "roc_auc", "neg_mean_absolute_error"],
        "method": ["bbc", "delong", "bbc"],
        "best_score": [0.95, 0.95, -22.9],
        "estimate": [0.9, 0.91, -23.406],
        "low": [0.8, 0.82, -30.0],
        "high": [0.98, 0.99, -20.0],
        "confidence_level": [0.95] * 3,
        "alternative": ["two-sided"] * 3,
    }
    return pd.DataFrame({**given, **columns})


def test_three_columns_with_names_and_signs_that_people_print():
    table = frame().pipe(results_table)
    assert table.columns == ("score", "estimate (95% CI)", "method")
    assert table.rows == [
        ("ROC AUC", "0.950", "uncorrected cross-validation"),
        ("ROC AUC", "0.900 (0.800 to 0.980)", "BBC"),
        ("ROC AUC", "0.910 (0.820 to 0.990)", "DeLong"),
        ("mean absolute error", "22.9", "uncorrected cross-validation"),
        ("mean absolute error", "23.4 (20.0 to 30.0)", "BBC"),
    ]
    assert table.notes == ("Smaller is better: mean absolute error.",)
    assert len(results_table(frame(), uncorrected=False).rows) == 3


def test_methods_that_ignore_the_selection_are_named_below():
    table = results_table(frame(selection_aware=[True, False, True]))
    assert table.notes[1:] == ("Not corrected for the selection: DeLong.",)
    failed = frame(selection_aware=[True, False, True], estimate=[0.9, np.nan, -23.406])
    assert len(results_table(failed).notes) == 1  # there is no number to misread


def test_an_unusual_positive_class_is_named_below_an_assumed_tuning_beside():
    positive = frame(positive_class=["ill", "ill", np.nan], tuned_by=[None, "roc_auc", np.nan])
    table = results_table(positive, uncorrected=False)
    assert table.notes[1:] == ("Positive class: 'ill' (ROC AUC).",)
    assert [row[2] for row in table.rows] == ["BBC", "DeLong, as if tuned by this metric", "BBC"]
    assert results_table(frame(positive_class=[None] * 3)).notes == table.notes[:1]


def test_levels_sides_and_failures():
    table = results_table(
        frame(
            confidence_level=[0.95, 0.9, 0.95],
            alternative=["greater", "two-sided", "greater"],
            estimate=[0.9, np.nan, -23.406],
            low=[0.8, np.nan, -30.0],
        )
    )
    assert table.columns[1] == "estimate"
    assert [cell for _, cell, _ in table.rows] == [
        "0.950",
        "0.900 (95% CI at least 0.800)",
        "no interval could be computed",
        "22.9",
        "23.4 (95% CI at most 30.0)",
    ]


def test_a_known_sign_decides_and_other_names_stay():
    own = frame(metric=["cost", "cost", "gain"], estimate=[-0.9] * 3, low=[-1.0] * 3,
                high=[-0.8] * 3, best_score=[-0.85] * 3, sign=[-1, -1, math.nan])  # fmt: skip
    cells = [cell for _, cell, _ in results_table(own, uncorrected=False).rows]
    assert cells == ["0.900 (0.800 to 1.000)"] * 2 + ["-0.900 (-1.000 to -0.800)"]


def test_a_frame_of_something_else_is_refused():
    with pytest.raises(ValueError, match=r"no column 'best_score'.*intervals_frame"):
        results_table(frame().drop(columns="best_score"))


@pytest.mark.parametrize("name", ["columns", "notes"])
@pytest.mark.parametrize("value", ["abc", 3])
def test_titles_and_notes_are_lists_of_texts(name, value):
    with pytest.raises(ValueError, match=f"{name} must be a list of texts, got .?{value}"):
        ResultsTable([("a", "b", "c")], **{name: value})


def test_an_empty_frame_gives_an_empty_table():
    assert results_table(frame().iloc[:0]).rows == []


def test_text_is_aligned():
    lines = results_table(frame()).to_text().splitlines()
    cells = results_table(frame()).rows
    second = {line.index(cell) for line, (_, cell, _) in zip(lines[2:7], cells)}
    third = {line.index(method) for line, (_, _, method) in zip(lines[2:7], cells)}
    assert (second, third) == ({21}, {45}) and set(lines[1]) == {"-", " "}
    assert lines[-1] == "Smaller is better: mean absolute error."
    assert str(results_table(frame())) == "\n".join(lines)


def test_markdown(tmp_path):
    table = ResultsTable([(EVIL, "1", "2")], notes=["a_b"])
    text = table.to_markdown(tmp_path / "t.md")
    lines = text.splitlines()
    assert lines[:2] == ["| score | estimate | method |", "|---|---|---|"]
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 4 for line in lines[:3])
    assert lines[-1] == r"a\_b"
    assert (tmp_path / "t.md").read_text(encoding="utf-8") == text + "\n"


def test_latex():
    table = ResultsTable([(EVIL, "-1.5 (-2 to 3)", "R²")])
    text = table.to_latex(caption="50% & more", label="tab:x_y")
    assert text.startswith(
        "\\begin{table}\n\\centering\n\\caption{50\\% \\& more}\n\\label{tab:x_y}"
    )
    assert r"\label" not in table.to_latex(caption="x") and "{table}" in table.to_latex(
        caption="x"
    )
    assert r"\caption" not in table.to_latex(label="x") and "{table}" in table.to_latex(label="x")
    body = table.to_latex().splitlines()
    assert body[0] == r"\begin{tabular}{lll}" and body[-1] == r"\end{tabular}"
    assert [line for line in body if "rule" in line] == [r"\toprule", r"\midrule", r"\bottomrule"]
    (row,) = [line for line in body if "script" in line]
    assert len(re.findall(r"(?<!\\)&", row)) == 2 and row.endswith(r" \\")
    assert r"50\% a\_b \textbar{} c \& d" in row and "$-$1.5 ($-$2 to 3)" in row


def test_html(tmp_path):
    table = ResultsTable([(EVIL, "1", "2")], notes=[EVIL])
    text = table.to_html(tmp_path / "t.html")
    assert "<script" not in text and text.count("&lt;script&gt;") == 2
    assert text.count("<td>") == 3 and text.count('<th scope="col">') == 3
    assert table._repr_html_() == text
    assert (tmp_path / "t.html").is_file()


def test_frame_and_repr():
    table = results_table(frame())
    pd.testing.assert_frame_equal(
        table.to_frame(), pd.DataFrame(table.rows, columns=list(table.columns))
    )
    assert repr(table) == "ResultsTable(5 rows)"


def has_latex():
    """Whether there is a LaTeX with booktabs."""
    if not all(map(shutil.which, ("pdflatex", "kpsewhich"))):
        return False
    return subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True).returncode == 0


@pytest.mark.skipif(not has_latex(), reason="needs pdflatex with booktabs")
def test_latex_compiles(tmp_path):
    """Every printable character of ASCII, and what names and numbers of metrics may contain."""
    letters = "".join(map(chr, range(32, 127)))
    table = ResultsTable([(letters, EVIL, "R² D² \u2212 \u2013 ü")], ("a", "b", "c"), [letters])
    parts = [
        table.to_latex(caption=letters),
        table.to_latex(),
        frame().pipe(results_table).to_latex(),
    ]
    (tmp_path / "t.tex").write_text(
        "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs}\\begin{document}\n"
        + "\n\n".join(parts)
        + "\n\\end{document}\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path, capture_output=True, text=True, errors="replace",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
