"""The command line: a demonstration, and files of predictions."""

import errno
import json
import os
import re
import runpy
import subprocess
import sys
from decimal import Decimal
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.metrics import f1_score, make_scorer, roc_auc_score

import sklearn_bbc.__main__ as command
from sklearn_bbc import BBCSearchCV, __version__, _batches, bbc, best_of
from sklearn_bbc.__main__ import main
from sklearn_bbc._tables import listing, read_table, why_not_predictions
from sklearn_bbc.comparison import tied_with_best
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BBC
from tests.made import made

N = 60


def table():
    """Predictions of 20 configurations that know a little, with folds and patients."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], N // 2)
    frame = pd.DataFrame(
        {f"m{k}": 0.6 * y + rng.normal(size=N) for k in range(20)}, index=range(N)
    )
    return frame.assign(y=y, fold=[f"f{k}" for k in np.arange(N) // 2 % 5], patient=np.arange(N))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "predictions.csv"
    table().to_csv(path, index=False)
    return str(path)


def test_a_file_gives_the_numbers_of_arrays(file, capsys):
    assert main([file, "--target", "y", "--scoring", "roc_auc", "--fold", "fold",
                 "--ignore", "patient", "--n-bootstraps", "300"]) == 0  # fmt: skip
    printed = " ".join(capsys.readouterr().out.split())
    frame = table()
    y_pred = frame.filter(like="m")
    folds = np.arange(N) // 2 % 5
    result = bbc(frame["y"], y_pred, "roc_auc", fold=folds, n_bootstraps=300, random_state=0)
    assert f"{result.estimate:.3f}" in printed
    assert f"{result.low:.3f} to {result.high:.3f}" in printed
    assert "among 20 configurations" in printed
    winner = y_pred.columns[result.details["winner"]]
    assert f"The selected one is {winner}." in printed
    assert "cannot be distinguished from" in printed


def test_a_file_gives_a_report(file, tmp_path, capsys):
    pytest.importorskip("jinja2")
    pd.read_csv(file).assign(id=range(N)).to_csv(file, index=False)
    command = [file, "--target", "y", "--scoring", "roc_auc", "--fold", "fold",
               "--ignore", "patient", "--report", str(tmp_path / "report.html")]  # fmt: skip
    assert main(command) == 0 and "The whole page is in" in capsys.readouterr().out
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for words in ("predictions alone", "5-fold cross-validation on 60 samples", "m18",
                  "python -m sklearn_bbc", "--fold fold", "Not used: id (of its name)."
                  ):  # fmt: skip
        assert words in page, words


def test_groups_labels_and_the_positive_class(tmp_path, capsys):
    path = tmp_path / "labels.parquet"
    pytest.importorskip("pyarrow")
    frame = table().replace({"y": {0: "case", 1: "control"}})
    frame.to_parquet(path)
    main([str(path), "--target", "y", "--scoring", "roc_auc", "--groups", "patient",
          "--ignore", "fold", "--pos-label", "control"])  # fmt: skip
    assert "draws of groups" in " ".join(capsys.readouterr().out.split())


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ([], "--target is missing"),
        (["--target", "y"], "--scoring is missing"),
        (["--target", "Y", "--scoring", "roc_auc"], "has no column 'Y'. Did you mean 'y'?"),
        (["--target", "y", "--scoring", "roc"], "Did you mean 'roc_auc'"),
        (["--target", "y", "--scoring", "roc_auc", "--fold", "folds"], "--fold: predictions.csv"),
        (["--target", "y", "--scoring", "roc_auc", "--n-bootstraps", "0"], "n_bootstraps"),
        (["--target", "y", "--scoring", "roc_auc", "--fold", "y"],
         "Column 'y' is named by --target and by --fold"),
        (["--target", "y", "--scoring", "roc_auc", "--predictions", "m1", "y"],
         "Column 'y' is named by --target and by --predictions"),
        (["--target", "y", "--scoring", "roc_auc", "--predictions", "x*"], "no column 'x*'"),
        (["--target", "y", "--scoring", "roc_auc", "--predictions", "m1", "fold"],
         "Column 'fold' of predictions.csv has 'f0' in row 1 of the data, which is not a number"),
        (["--target", "y", "--scoring", "roc_auc", "--ignore", "m*"],
         "no column with predictions. Not used: fold (of its name), patient (of its name). Name"),
        (["--target", "y", "--scoring", "roc_auc", "--pos-label", "2"],
         "--pos-label: '2' is not a label of column 'y', which has 0 and 1."),
        (["--target", "m1", "--scoring", "r2", "--pos-label", "2"],
         "--pos-label names one of two classes, but column 'm1' has 60 different values."),
        (["--target", "y", "--scoring", "roc_auc", "--sample-weight", "fold"],
         "column 'fold' of predictions.csv has 'f0' in row 1 of the data, which is not a number"),
        (["--target", "y", "--scoring", "roc_auc", "--sep", ";;"], "--sep must be one character"),
        (["--target", "y", "--scoring", "roc_auc", "--decimal", "5"], "--decimal must be . or ,"),
        (["--target", "y", "--scoring", "roc_auc", "--encoding", "utf-99"], "utf-99 is not known"),
        (["--target", "y", "--scoring", "roc_auc", "--sep", ";"],
         "predictions.csv has one column, 'm0,m1,"),
        (["--target", "y", "--scoring", "roc_auc", "--fold", "fold", "--ignore", "fold"],
         "Column 'fold' is named by --fold and by --ignore"),
    ],
)  # fmt: skip
def test_mistakes_are_named(file, arguments, word, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([file, *arguments])
    assert stopped.value.code == 2
    assert word in capsys.readouterr().err


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda f: f.assign(y=f["y"].where(f.index != 3)), "1 missing value, the first in row 4"),
        (lambda f: f[["y"]], "table.csv has one column, 'y'. If values are not separated by"),
        (lambda f: f[["y", "fold"]], "no column with predictions. Not used: fold (of its name)."),
        (lambda f: f.assign(y=f["y"].astype(str).where(f.index != 5, "-")),
         "column 'y' of table.csv has '-' in row 6 of the data, and numbers nearly everywhere"),
        (lambda f: f.assign(y=pd.date_range("2026", periods=N)), "'y' of table.csv holds dates"),
        (lambda f: f.assign(y=[f"label {k}" for k in range(N)], m3=["a", "b"] * 30),
         "which is not a label of the target (such as 'label 0')"),
        (lambda f: f.set_axis(np.arange(23) + 0.5, axis=1), "first line must hold the names"),
        (lambda f: f.assign(m3=["high", "low"] * 30),
         "Column 'm3' of table.csv has 'high' in row 1"),
        (lambda f: f.assign(m3=f["m3"].astype(object).where(f.index != 7, "n.s.")),
         "Column 'm3' of table.csv has 'n.s.' in row 8 of the data, which is not a number"),
        (lambda f: f.assign(m3=[f"{v:.0f}%" for v in f["m3"]]),
         "%' in row 1 of the data, which is not a number"),
        (lambda f: f.assign(m3=[f"1,{v}" for v in range(100, 160)]), "add --decimal ,"),
        (lambda f: f.assign(y=f["y"].map({0: "a", 1: "b"}), m3=["a", "c"] * 30),
         "Column 'm3' of table.csv has 'c' in row 2 of the data, which is not a label of the "
         "target (a and b)"),
        (lambda f: f.assign(y=f["y"].map({0: "a", 1: "b"}), m3=["a", "b", "b"] * 20),
         "m3 hold labels and m0 to m2 and m4 to m19 numbers"),
        (lambda f: f.set_axis([*f.columns[:-1], "m3"], axis=1), "has 2 columns of the name 'm3'"),
        (lambda f: f.set_axis([*f.columns[:-1], " y "], axis=1), "has 2 columns of the name 'y'"),
        (lambda f: f[["y"]].assign(p0=1 - f["m0"].rank() / 61, p1=f["m0"].rank() / 61),
         "The columns p0 and p1 sum to 1 in every row"),
        (lambda f: f.iloc[:0], "has no row below its names"),
    ],
)  # fmt: skip
def test_bad_columns_are_named(change, word, tmp_path, capsys):
    path = tmp_path / "table.csv"
    change(table()).to_csv(path, index=False)
    with pytest.raises(SystemExit):
        main([str(path), "--target", "y", "--scoring", "roc_auc"])
    assert word in capsys.readouterr().err


@pytest.mark.parametrize(
    ("column", "value", "options", "words"),
    [
        ("w", "x", "--sample-weight w", "--sample-weight: column 'w' of p.csv has 'x' in row 5"),
        ("w", -1, "--sample-weight w", "has -1.0 in row 5 of the data, which is not at least 0"),
        ("w", "inf", "--sample-weight w", "has inf in row 5 of the data, which is not finite"),
        ("t", "x", "--order t --block-length auto", "--order: column 't' of p.csv has 'x' in row"),
        ("m0", "1_0", "", "Column 'm0' of p.csv has '1_0' in row 5 of the data, which is not a"),
        ("m0", "True", "", "Column 'm0' of p.csv has 'True' in row 5 of the data, which is not"),
        ("y", "inf", "", "--target: column 'y' of p.csv has inf in row 5 of the data"),
    ],
)
def test_a_bad_cell_is_named_by_file_row_and_column(
    column, value, options, words, tmp_path, capsys
):
    frame = table().assign(w=1.5, t=np.arange(N)[::-1]).astype(object)
    frame.loc[4, column] = value
    frame.to_csv(tmp_path / "p.csv", index=False)
    others = [name for name in ("w", "t") if f" {name}" not in options]
    with pytest.raises(SystemExit):
        printed_of(tmp_path / "p.csv", capsys, *options.split(), "--ignore", *others)
    assert words in capsys.readouterr().err


def test_a_configuration_that_predicts_infinity_cannot_win(tmp_path, capsys):
    frame = table().drop(columns=["fold", "patient"])
    frame.loc[4, "m0"] = np.inf
    frame.to_csv(tmp_path / "p.csv", index=False)
    printed = printed_of(tmp_path / "p.csv", capsys)
    assert "Predictions: 20 columns" in printed and "m0 is left out" in printed
    assert "invalid" not in printed


# --- numbers, by whatever file ------------------------------------------------------------
def printed_of(path, capsys, *options, scoring="roc_auc"):
    """Run the command with few draws; return what it prints, in one line."""
    command = [str(path), "--target", "y", "--scoring", scoring, "--n-bootstraps", "60"]
    assert main([*command, *options]) == 0
    return " ".join(capsys.readouterr().out.split())


def summary_of(y, y_pred, scoring="roc_auc", **known):
    """Write the sentence on arrays that the command must print of a file."""
    result = bbc(y, y_pred, scoring, n_bootstraps=60, random_state=0, **known)
    return " ".join(result.summary().split())


@cache
def summary_of_table(n_configs=20):
    """Write the sentence on the first predictions of `table` alone."""
    return summary_of(table()["y"], table().filter(like="m").iloc[:, :n_configs])


def text_of(frame, sep=",", decimal=".", **options):
    return frame.to_csv(index=False, sep=sep, decimal=decimal, **options)


MARKED = "\ufeff"
FILES = {
    "commas": (lambda f: text_of(f).encode(), ".csv", []),
    "semicolons": (lambda f: text_of(f, ";").encode(), ".csv", []),
    "semicolons, named": (lambda f: text_of(f, ";").encode(), ".csv", ["--sep", ";"]),
    "tabs": (lambda f: text_of(f, "\t").encode(), ".tsv", []),
    "tabs, named": (lambda f: text_of(f, "\t").encode(), ".csv", ["--sep", "tab"]),
    "tabs, as pandas names them": (lambda f: text_of(f, "\t").encode(), ".txt", ["--sep", "\\t"]),
    "bars": (lambda f: text_of(f, "|").encode(), ".txt", []),
    "hashes": (lambda f: text_of(f, "#").encode(), ".txt", ["--sep", "#"]),
    "decimal commas": (lambda f: text_of(f, ";", ",").encode(), ".csv", []),
    "decimal commas, named": (
        lambda f: text_of(f, ";", ",").encode(), ".csv", ["--decimal", ","]),
    "decimal commas in quotes": (lambda f: text_of(f, ",", ",").encode(), ".csv", []),
    "decimal commas, tabs": (lambda f: text_of(f, "\t", ",").encode("utf-16"), ".csv", []),
    "mark": (lambda f: text_of(f).encode("utf-8-sig"), ".csv", []),
    "mark, named": (lambda f: text_of(f).encode("utf-8-sig"), ".csv", ["--encoding", "utf-8"]),
    "UTF-16": (lambda f: text_of(f).encode("utf-16"), ".csv", []),
    "UTF-16, little": (lambda f: text_of(f).encode("utf-16-le"), ".csv", []),
    "UTF-16, big": (lambda f: text_of(f).encode("utf-16-be"), ".csv", []),
    "UTF-16, big, mark": (lambda f: (MARKED + text_of(f)).encode("utf-16-be"), ".csv", []),
    "UTF-32": (lambda f: text_of(f).encode("utf-32"), ".csv", []),
    "Western Windows": (
        lambda f: text_of(f.rename(columns={"m1": "Modèle"})).encode("cp1252"), ".csv",
        ["--encoding", "cp1252"]),
    "lines of Windows": (lambda f: text_of(f, lineterminator="\r\n").encode(), ".csv", []),
    "lines of an old Mac": (lambda f: text_of(f, lineterminator="\r").encode(), ".csv", []),
    "quotes": (lambda f: text_of(f, quoting=1).encode(), ".csv", []),
    "line of Excel": (lambda f: ("sep=#\r\n" + text_of(f, "#")).encode(), ".csv", []),
    "blanks": (lambda f: text_of(f).replace(",", ", ").encode(), ".csv", []),
    "empty lines": (lambda f: ("\n\n" + text_of(f) + "\n\n").encode(), ".csv", []),
    "capital ending": (lambda f: text_of(f).encode(), ".CSV", []),
}  # fmt: skip


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("content", "ending", "options"), FILES.values(), ids=FILES)
def test_text_in_any_dialect_gives_the_numbers_of_arrays(
    content, ending, options, tmp_path, capsys
):
    frame = table().drop(columns=["patient", "fold"])
    path = tmp_path / f"predictions{ending}"
    path.write_bytes(content(frame))
    assert summary_of_table() in printed_of(path, capsys, *options)


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        (b"y,m\n", "no row below its names"),
        (b"y,m1\n0,0.5,1\n", "line 2 has 3 values, but the first line 2 names. Give row names"),
        (b"y,m1,m2\n0,0.5,1\n1,0.5\n", "line 3 has 2 values, but the first line 3 names"),
        (b"y,m1\n0,0.5\n1,0,5\n", "line 3 has 3 values"),
        (b"# made today\ny;m1\n0;0.5\n", "x.csv has one column, '# made today'. If values"),
        (b"# made today\ny,m1\n0,0.5\n", "The first line must hold the names of all columns"),
        (b'y,m\n0,"0.5\n1,0.3\n', "x.csv cannot be read"),
        ("y,größe\n0,1\n".encode("cp1252"), "see line 1. Save it as UTF-8, or name its encoding"),
        (b"PAR1....", "is parquet. Give it the ending .parquet"),
        (b"PK\x03\x04", "is compressed, or a workbook"),
        (b"y;a,b;c\n0;0,5;1\n1;0,7;2\n", "may have commas or semicolons between its values"),
    ],
)  # fmt: skip
def test_texts_that_are_no_table_are_explained(content, word, tmp_path, capsys):
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with pytest.raises(SystemExit):
        main([str(path), "--target", "y", "--scoring", "r2"])
    assert word in capsys.readouterr().err


def others(n):
    """Columns that are no predictions, by the reason that is printed."""
    rng = np.random.default_rng(1)
    dates = pd.date_range("2026-01-01", periods=n)
    return {
        "it has no name": [(name, rng.random(n)) for name in ("", "Unnamed: 0", "Unnamed: 0.1")],
        "of its name": [
            *((name, rng.integers(0, 9, n)) for name in
              ("fold", "cv_fold", "group", "site", "y_true", "label", "sample_weight", "fold2")),
            *((name, rng.permutation(n * 9)[:n]) for name in
              ("id", "ID", "patient", "PatientID", "Subject ID")),
        ],
        "it holds dates": [("d1", dates), ("d2", dates.strftime("%d.%m.%Y")),
                           ("d3", dates.strftime("%Y%m%d").astype(int))],
        "it is empty": [("e", [None] * n)],
        "it is the same everywhere": [("c", [0.5] * n), ("c2", ["x"] * n)],
        "it counts": [("k", np.arange(n)), ("k1", np.arange(n) + 1), ("kp", rng.permutation(n)),
                      ("kf", np.arange(n) * 1.0)],
        "its whole numbers are all different": [("u", rng.permutation(n * 9)[:n])],
        "its whole numbers go with the order of the rows": [("b", np.arange(n) // 2),
                                                            ("bd", -(np.arange(n) // 7))],
        "its whole numbers come equally often, as folds do": [
            ("s", np.arange(n) % 5), ("s1", rng.permutation(np.arange(n) % 10) + 1),
            ("s2", np.where(np.arange(n) < 4, -1, np.arange(n) % 4))],
    }  # fmt: skip


OTHERS = [(why, name, values) for why, each in others(N).items() for name, values in each]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("why", "name", "values"), OTHERS, ids=[f"{name or 'none'}" for _, name, _ in OTHERS]
)
def test_columns_that_are_no_predictions_are_named_and_not_used(
    why, name, values, tmp_path, capsys
):
    frame = table()[["m0", "m1", "m2", "y"]]
    frame[name] = values
    frame.to_csv(tmp_path / "p.csv", index=False)
    printed = printed_of(tmp_path / "p.csv", capsys)
    assert "Predictions: 3 columns, m0 to m2." in printed
    shown = name or "Unnamed: 4"
    assert f"Not used: {shown} ({why}). Where one is a prediction, name all" in printed
    assert summary_of_table(3) in printed
    if name in ("d1", "d2", "e", "c2"):
        return
    asked = printed_of(tmp_path / "p.csv", capsys, "--predictions", "m*", shown)
    assert f"Predictions: 4 columns, m0 to m2 and {shown}." in asked and "Not used" not in asked
    y_pred = frame.filter(regex=r"^m\d").assign(**{shown: frame[name]})
    assert summary_of(frame["y"], y_pred) in asked


def test_an_index_that_was_written_with_the_table_does_not_win(tmp_path, capsys):
    frame = table().drop(columns=["patient", "fold"]).sort_values("y", ignore_index=True)
    frame.to_csv(tmp_path / "p.csv")
    printed = printed_of(tmp_path / "p.csv", capsys)
    assert "Not used: Unnamed: 0 (it has no name)." in printed
    assert summary_of(frame["y"], frame.filter(like="m")) in printed


def test_of_a_regression_rounded_predictions_are_used_and_a_copy_of_the_target_is_not(
    tmp_path, capsys
):
    rng = np.random.default_rng(3)
    y = rng.permutation(9000)[:N] * 100 / 7
    frame = pd.DataFrame({f"m{k}": np.round(y + rng.normal(0, 500, N)) for k in range(4)})
    assert frame["m0"].is_unique  # whole numbers, all different
    frame.assign(y=y, copy=y, k=np.arange(N), r=rng.permutation(N)).to_csv(
        tmp_path / "p.csv", index=False
    )
    printed = printed_of(tmp_path / "p.csv", capsys, scoring="r2")
    assert "Predictions: 4 columns, m0 to m3." in printed
    assert "copy (it is equal to the target), k (it counts), r (it counts)." in printed
    assert summary_of(y, frame, "r2") in printed


def test_labels_are_predictions_whatever_their_order(tmp_path, capsys):
    frame = pd.DataFrame({"y": np.repeat([0, 1, 2], 20)})
    rng = np.random.default_rng(0)
    for k in range(3):
        frame[f"m{k}"] = np.where(rng.random(N) < 0.3, rng.integers(0, 3, N), frame["y"])
    frame["perfect"] = frame["y"]
    frame.to_csv(tmp_path / "p.csv", index=False)
    printed = printed_of(tmp_path / "p.csv", capsys, scoring="accuracy")
    assert "Predictions: 4 columns, m0 to m2 and perfect." in printed
    assert summary_of(frame["y"], frame.drop(columns="y"), "accuracy") in printed
    assert "Column 'perfect' is equal to the target in every row" in printed


TARGETS = {
    "booleans": ([False, True], {"False": False, "false": False, "0": False, "True": True}),
    "integers": ([0, 1], {"0": 0, "0.0": 0, "1": 1, "1.0": 1, " 1": 1}),
    "negative": ([-1, 1], {"-1.0": -1, "1": 1}),
    "floats": ([1.0, 2.0], {"1": 1.0, "1.": 1.0, "2": 2.0, "2.0": 2.0}),
    "text": (["case", "control"], {"case": "case", "control": "control"}),
    "text of numbers": (["1a", "2"], {"2": "2", "1a": "1a"}),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("labels", "text", "label"),
    [(labels, text, label) for labels, texts in TARGETS.values() for text, label in texts.items()],
)
def test_the_positive_class_is_found_whatever_the_type_of_the_target(
    labels, text, label, tmp_path, capsys
):
    frame = table().drop(columns=["patient", "fold"])
    frame["y"] = np.array(labels)[frame["y"]]
    frame.to_csv(tmp_path / "p.csv", index=False)
    y_pred = frame.filter(regex=r"^m\d")
    printed = printed_of(tmp_path / "p.csv", capsys, f"--pos-label={text}")
    assert summary_of(frame["y"].to_numpy(), y_pred, pos_label=label) in printed


@pytest.mark.parametrize("labels", [[False, True], [0, 1], ["a", "b"]])
def test_the_positive_class_of_predictions_that_are_labels(labels, tmp_path, capsys):
    rng = np.random.default_rng(0)
    codes = np.arange(N) % 3 // 2
    frame = pd.DataFrame({"y": np.array(labels)[codes]})
    for k in range(4):
        frame[f"m{k}"] = np.array(labels)[np.where(rng.random(N) < 0.3, 1 - codes, codes)]
    frame.to_csv(tmp_path / "p.csv", index=False)
    names = np.array(["first", "second"])
    right = summary_of(
        names[codes], frame.filter(like="m").replace(dict(zip(labels, names))),
        make_scorer(f1_score, pos_label="first"),
    )  # fmt: skip
    printed = printed_of(tmp_path / "p.csv", capsys, f"--pos-label={labels[0]}", scoring="f1")
    number = re.search(r"\d\.\d{3} \(95% .*?\)", right)[0]
    assert number in printed
    if labels != ["a", "b"]:
        with pytest.raises(SystemExit):
            printed_of(tmp_path / "p.csv", capsys, f"--pos-label={labels[0]}")
        assert "the predictions are labels, but roc_auc needs scores" in capsys.readouterr().err


@pytest.mark.parametrize("never", [-1, -1.0, "-1"], ids=["whole numbers", "floats", "among text"])
def test_a_fold_of_minus_one_is_never_held_out(never, tmp_path, capsys):
    frame = table().drop(columns="patient")
    fold = np.arange(N) // 2 % 5
    out = np.arange(N) < 9
    frame["fold"] = [
        never if o else f"f{k}" if isinstance(never, str) else k * 1.0 for o, k in zip(out, fold)
    ]
    frame.loc[out, [f"m{k}" for k in range(20)]] = np.nan
    frame.to_csv(tmp_path / "p.csv", index=False)
    printed = printed_of(tmp_path / "p.csv", capsys, "--fold", "fold")
    right = summary_of(frame["y"], frame.filter(like="m"), fold=np.where(out, -1, fold))
    assert right in printed and "The first 9 of 60 samples were never held out" in printed


def test_groups_weights_and_level_are_those_of_the_library(tmp_path, capsys):
    frame = table().drop(columns="fold").assign(w=np.arange(N) % 4 + 0.5)
    frame["patient"] = np.arange(N) // 3
    frame.to_csv(tmp_path / "p.csv", index=False)
    level = ["--confidence-level", "0.8", "--seed", "3"]
    columns = ["--groups", "patient", "--sample-weight", "w"]
    printed = printed_of(tmp_path / "p.csv", capsys, *columns, *level)
    y_pred = frame.filter(like="m")
    known = {"groups": frame["patient"], "sample_weight": frame["w"]}
    result = bbc(
        frame["y"], y_pred, "roc_auc", **known, n_bootstraps=60, random_state=3,
        confidence_level=0.8,
    )  # fmt: skip
    assert " ".join(result.summary().split()) in printed
    oof = made(y_true=frame["y"], y_pred=y_pred, **known)
    tied = tied_with_best(
        oof, "roc_auc", confidence_level=0.8, draws=BBC(n_bootstraps=60, random_state=3)
    )
    assert " ".join(str(tied).split()) in printed and "80% confidence, Bonferroni" in printed


def test_labels_of_groups_and_folds_stay_what_is_written(tmp_path, capsys):
    frame = table().drop(columns="fold")
    frame["patient"] = [f"{k // 4:02d}" if k % 4 < 2 else str(k // 4) for k in range(N)]
    frame.to_csv(tmp_path / "p.csv", index=False)
    printed = printed_of(tmp_path / "p.csv", capsys, "--groups", "patient")
    assert summary_of(frame["y"], frame.filter(like="m"), groups=frame["patient"]) in printed


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(20))
def test_predictions_of_any_kind_are_taken_and_read_to_the_last_digit(seed, tmp_path):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 200))
    y = rng.integers(0, 2, n)
    of_labels = {
        "score": rng.normal(size=n), "large": rng.normal(size=n) * 1e15,
        "probability": rng.random(n), "percent": rng.integers(0, 101, n) / 1.0,
        "votes": rng.binomial(50, 0.3 + 0.3 * y), "three_decimals": rng.random(n).round(3),
        "hard": rng.integers(0, 2, n), "logical": rng.random(n) < 0.5,
        "points": rng.poisson(2 + y), "sorted_labels": np.sort(y),
    }  # fmt: skip
    values = np.sort(rng.normal(200_000, 50_000, n))  # the rows may have any order
    of_values = {
        "exact": values + rng.normal(size=n) * 1e4, "rounded": (values * 1.3).round() + y,
        "hundreds": (values + rng.normal(size=n) * 1e5).round(-2), "near": values + 1e-6,
    }  # fmt: skip
    for target, columns in ((y, of_labels), (values, of_values)):
        frame = pd.DataFrame(columns).assign(**{"the target": target})
        frame = frame.sample(frac=1, random_state=seed) if target is values else frame
        frame.to_csv(tmp_path / "p.csv", index=False)
        read = read_table(tmp_path / "p.csv").frame
        for name in columns:
            assert why_not_predictions(read[name], read["the target"].to_numpy()) is None, name
            np.testing.assert_array_equal(read[name], frame[name])


def test_floats_so_large_that_all_are_whole_are_predictions(tmp_path, capsys):
    frame = table().drop(columns=["fold", "patient"])
    frame["m0"] *= 1e300
    frame.to_csv(tmp_path / "p.csv", index=False)
    right = summary_of(frame["y"], frame.filter(like="m"))
    assert right in printed_of(tmp_path / "p.csv", capsys)


def test_of_patterns_that_overlap_columns_to_ignore_are_not_used(file, capsys):
    printed = printed_of(file, capsys, "--predictions", "m*", "--ignore", "m1*", "--ignore", "m2")
    assert "Predictions: 8 columns, m0 and m3 to m9." in printed
    assert "Not used: fold, patient." in printed
    y_pred = table()[["m0", *(f"m{k}" for k in range(3, 10))]]
    assert summary_of(table()["y"], y_pred) in printed


@pytest.mark.parametrize("option", [[], ["--pos-label", "no"]], ids=["last", "first"])
def test_labels_of_text_may_be_missing(option, tmp_path, capsys):
    rng = np.random.default_rng(0)
    y = np.arange(N) % 2
    frame = pd.DataFrame({f"m{k}": np.where(rng.random(N) < 0.3, 1 - y, y) for k in range(4)})
    fold = np.where(np.arange(N) < 8, -1, np.arange(N) // 2 % 4)
    words = frame.replace({0: "no", 1: "yes"}).assign(y=np.array(["no", "yes"])[y], fold=fold)
    words.loc[fold < 0, frame.columns] = None  # these were never held out
    words.loc[20, "m1"] = None
    words.to_csv(tmp_path / "p.csv", index=False)
    numbers = frame.astype(float)
    numbers.loc[20, "m1"] = np.nan
    printed = printed_of(tmp_path / "p.csv", capsys, "--fold", "fold", *option, scoring="accuracy")
    with pytest.warns(IntervalWarning, match="m1 is left out"):
        right = summary_of(y, numbers, "accuracy", fold=fold)
    assert right in printed and "m1 is left out" in printed


def test_a_metric_without_its_positive_class_says_what_to_pass(tmp_path, capsys):
    labels = np.array(["no", "yes"])[table().filter(like="m").to_numpy().astype(int).clip(0, 1)]
    frame = pd.DataFrame(labels, columns=[f"m{k}" for k in range(20)])
    frame["y"] = np.tile(["no", "yes"], N // 2)
    frame.to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(SystemExit):
        printed_of(tmp_path / "p.csv", capsys, scoring="f1")
    assert "Here that is --pos-label." in capsys.readouterr().err


def test_an_index_that_was_written_twice(tmp_path, capsys):
    frame = table().drop(columns=["fold", "patient"])
    frame.assign(**{"Unnamed: 0": np.arange(N)}).to_csv(tmp_path / "p.csv")
    printed = printed_of(tmp_path / "p.csv", capsys)
    assert "Unnamed: 0.1 (it has no name), Unnamed: 0 (it has no name)." in printed


def test_the_corrected_score_does_not_need_the_tied_set(file, capsys, monkeypatch):
    def refused(*args, **kwargs):
        raise ValueError("no values")

    monkeypatch.setattr("sklearn_bbc.__main__.tied_with_best", refused)
    printed = printed_of(file, capsys)
    assert "Note: The set of tied configurations is left out: no values" in printed
    assert summary_of(table()["y"], table().filter(like="m")) in printed


PARQUET = {
    "target as index": lambda f: f.set_index("y"),
    "target in an index of two": lambda f: f.set_index(["patient", "y"]),
    "index without a name": lambda f: f.set_axis(np.arange(N)[::-1], axis=0),
    "nullable": lambda f: f.astype({"y": "Int64", "m0": "Float64"}),
    "nullable booleans": lambda f: f.assign(y=(f["y"] == 1).astype("boolean")),
    "categories": lambda f: f.assign(
        y=f["y"].astype("category"), fold=f["fold"].astype("category")
    ),
    "half precision": lambda f: f.assign(m0=f["m0"].astype("float32")),
    "decimals": lambda f: f.assign(m0=[Decimal(repr(v)) for v in f["m0"].tolist()]),
    "lists": lambda f: f.assign(l=[[1, 2]] * N),
    "durations": lambda f: f.assign(l=pd.to_timedelta(np.arange(N), "h")),
    "text of numbers": lambda f: f.assign(fold=f["fold"].astype("string")),
}


@pytest.mark.parametrize("change", PARQUET.values(), ids=PARQUET)
def test_parquet_of_any_type_gives_the_numbers_of_arrays(change, tmp_path, capsys):
    pytest.importorskip("pyarrow")
    frame = table()
    changed = change(frame)
    changed.to_parquet(tmp_path / "p.parquet")
    printed = printed_of(tmp_path / "p.parquet", capsys, "--fold", "fold")
    y_pred = frame.filter(like="m")
    if "m0" in changed and changed["m0"].dtype == np.float32:
        y_pred = y_pred.assign(m0=changed["m0"])
    assert summary_of(frame["y"] == 1, y_pred, fold=np.arange(N) // 2 % 5) in printed


def test_parquet_needs_pyarrow(tmp_path, capsys, monkeypatch):
    def without(path):
        raise ImportError("Unable to find a usable engine")

    monkeypatch.setattr(pd, "read_parquet", without)
    (tmp_path / "p.parquet").write_bytes(b"PAR1")
    with pytest.raises(SystemExit):
        printed_of(tmp_path / "p.parquet", capsys)
    assert "need pyarrow, which is not installed: python -m pip install" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("report", "word"),
    [
        ("no/such/folder.html", "There is no folder"),
        (".", "is a folder"),
        ("report.pdf", "must end in .html"),
        ("", "is a folder"),
    ],
)
@pytest.mark.parametrize("of_file", [True, False])
def test_a_report_that_cannot_be_written_is_refused_before_anything_is_computed(
    report, word, of_file, file, tmp_path, monkeypatch, capsys
):
    pytest.importorskip("jinja2")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sklearn_bbc.__main__.predictions_at", None)
    monkeypatch.setattr("sklearn_bbc.__main__.demonstrate", None)
    words = [file, "--target", "y", "--scoring", "roc_auc"] if of_file else []
    with pytest.raises(SystemExit) as stopped:
        main([*words, "--report", report])
    assert stopped.value.code == 2 and word in capsys.readouterr().err


def test_a_report_into_a_folder_that_is_read_only(file, tmp_path, monkeypatch, capsys):
    pytest.importorskip("jinja2")
    monkeypatch.setattr("os.access", lambda path, mode: False)  # the administrator may write
    with pytest.raises(SystemExit):
        main([file, "--target", "y", "--scoring", "r2", "--report", str(tmp_path / "r.html")])
    assert "Nothing can be written to the folder" in capsys.readouterr().err


def test_a_report_needs_jinja2(file, monkeypatch, capsys):
    monkeypatch.setattr("sklearn_bbc.__main__.find_spec", lambda name: None)
    with pytest.raises(SystemExit):
        main([file, "--target", "y", "--scoring", "roc_auc", "--report", "r.html"])
    assert "--report needs jinja2" in capsys.readouterr().err


def rows_of(form, seed=0):
    """Predictions of 3 configurations for 40 samples, in rows that are not samples."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(40) % 2)
    wide = pd.DataFrame(rng.normal(size=(40, 3)) + 0.8 * y[:, None], columns=["1", "3", "9"])
    fold = rng.permutation(40) % 4
    if "repeats" in form:
        parts = [
            (wide + rng.normal(size=wide.shape) / 9).add_prefix("m").assign(
                y=y, rowIndex=np.arange(40), rep=r, fold=4 * r + (fold + np.arange(40)) % 4,
                Resample=[f"Fold{k}.Rep{r}" for k in fold],
            )
            for r in range(3)
        ]  # fmt: skip
        rows = pd.concat(parts, ignore_index=True)
        keep = {"folds": ["fold"], "labels": ["Resample"], "name": ["rep"]}[form.split()[1]]
        keep = keep + ["rowIndex"] * ("rowIndex" in form)
        return rows[["m1", "m3", "m9", "y", *keep]], wide, y
    rows = wide.assign(y=y, id=np.arange(40), fold=fold)
    rows = rows.melt(["y", "id", "fold"], var_name="k", value_name="pred").astype({"k": int})
    drop = ["id"] * ("id" not in form) + ["k", "fold"] * ("alone" in form)
    return rows.drop(columns=drop), wide, y


@pytest.mark.parametrize(
    ("form", "options", "words"),
    [
        ("repeats folds rowIndex", "", "120 rows have 40 different values of 'rowIndex'"),
        ("repeats folds rowIndex", "--fold fold", "with one target each, so the rows are not"),
        ("repeats folds rowIndex", "--fold fold --groups rowIndex", "40 different values of"),
        ("repeats labels rowIndex", "--fold Resample", "'Resample' has 3 repeats: keep the rows"),
        ("repeats labels", "--fold Resample", "'Resample' names repeats, so the rows are not"),
        ("repeats labels", "--ignore Resample", "'Resample' names repeats"),
        ("repeats name", "", "'rep' names repeats"),
        ("repeats name", "--predictions m1 m3", "'rep' names repeats"),
        (
            "long id",
            "--fold fold",
            "k tells configurations apart, add --sample id --config k, or make a column",
        ),
        ("long id", "--fold fold --ignore k", "120 rows have 40 different values of 'id'"),
        ("long id", "--groups id --ignore k", "of 'id', with one target each"),
        ("long id", "--groups id --predictions pred", "of 'id', with one target each"),
        ("long", "--fold fold", "there are the same targets for each value of 'k'"),
        ("long", "--predictions pred --ignore k fold", "same targets for each value of 'k'"),
        ("long alone", "", "the targets of the first 40 rows come again below them"),
        ("long", "--fold fold --predictions pred", "t['sample'] = t.groupby('k').cumcount()"),
    ],
)
def test_rows_that_are_not_samples_are_refused(form, options, words, tmp_path, capsys):
    rows, _, _ = rows_of(form)
    rows.to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(SystemExit):
        printed_of(tmp_path / "p.csv", capsys, *options.split())
    message = capsys.readouterr().err
    assert words in message and "add --rows-are-samples." in message


@pytest.mark.parametrize("form", ["long id", "long"])
@pytest.mark.parametrize("shuffled", [False, True])
def test_what_to_write_for_configurations_below_each_other_gives_the_right_numbers(
    form, shuffled, tmp_path, capsys, monkeypatch
):
    rows, wide, y = rows_of(form)
    if shuffled and "id" in form:
        rows = rows.sample(frac=1, random_state=0)
    monkeypatch.chdir(tmp_path)
    rows.to_csv("p.csv", index=False)
    with pytest.raises(SystemExit):
        printed_of("p.csv", capsys, "--fold", "fold", "--predictions", "pred")
    lines = re.search(r"column of each: (.*?to_csv\('wide.csv'\))", capsys.readouterr().err)[1]
    exec(lines, {"pandas": pd})
    printed = printed_of("wide.csv", capsys, "--fold", "fold")
    assert "among 3 configurations" in printed and summary_of(y, wide) in printed


@pytest.mark.parametrize("form", ["repeats labels rowIndex", "repeats name rowIndex", "long id"])
def test_the_options_that_are_named_read_the_rows_as_they_are(form, tmp_path, capsys):
    rows, wide, y = rows_of(form)
    rows.to_csv(tmp_path / "p.csv", index=False)
    given = [] if "repeats" in form else ["--predictions", "pred"]
    with pytest.raises(SystemExit):
        printed_of(tmp_path / "p.csv", capsys, *given)
    message = capsys.readouterr().err
    options = re.search(r"(--sample \w+ --(?:fold|repeat|config) \w+)", message)[1].split()
    printed = printed_of(tmp_path / "p.csv", capsys, *given, *options)
    assert "3 configurations" in printed
    if form == "long id":
        assert summary_of(y, wide).partition("The selected one")[0] in printed


@pytest.mark.parametrize("shuffled", [False, True])
def test_without_an_identifier_rows_are_joined_in_the_same_order_only(shuffled, tmp_path, capsys):
    rows, _, _ = rows_of("long")
    rows = rows.assign(model="tree " + rows["k"].astype(str))[["y", "model", "pred"]]
    if shuffled:
        rows = rows.sample(frac=1, random_state=0)
    rows.to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(SystemExit):
        printed_of(tmp_path / "p.csv", capsys, "--ignore", "model")
    message = capsys.readouterr().err
    assert "the same targets for each value of 'model'" in message
    assert ("cumcount" in message) != shuffled
    assert ("a column with a number for each sample" in message) == shuffled


@pytest.mark.parametrize("size", [40, 42], ids=["equal folds", "unequal folds"])
def test_folds_are_no_identifier_and_tell_no_configurations_apart(size, tmp_path, capsys):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({".row": np.arange(size), "y": rng.integers(0, 2, size)})
    rows["id"] = [f"Fold{k}" for k in rng.permutation(size) % 4]  # as tidymodels calls it
    rows["p"], rows["q"] = rng.random((2, size))
    rows.to_csv(tmp_path / "p.csv", index=False)
    assert summary_of(rows["y"], rows[["p", "q"]]) in printed_of(tmp_path / "p.csv", capsys)
    below = pd.concat([rows.assign(k=k) for k in range(5)])
    below.assign(sex=below[".row"] % 2).to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(SystemExit):
        printed_of(tmp_path / "p.csv", capsys)
    message = capsys.readouterr().err
    assert "different values of '.row'" in message
    assert "If k tells configurations apart" in message
    assert "add --groups .row --rows-are-samples." in message


@pytest.mark.parametrize("whole", [True, False])
def test_repeats_of_patients_are_known_by_their_folds(whole, tmp_path, capsys):
    rows = rows_of("repeats folds rowIndex")[0].rename(columns={"rowIndex": "patient"})
    if not whole:  # all rows of a patient in one fold: measurements of their own
        rows["fold"] = rows["patient"] % 12
    rows.sample(frac=1, random_state=0).to_csv(tmp_path / "p.csv", index=False)
    options = ["--fold", "fold", "--groups", "patient"]
    if not whole:
        assert "p.csv: 120 rows." in printed_of(tmp_path / "p.csv", capsys, *options)
        return
    with pytest.raises(SystemExit):
        printed_of(tmp_path / "p.csv", capsys, *options)
    assert "120 rows have 40 different values of 'patient'" in capsys.readouterr().err


def test_what_to_write_for_groups_is_not_refused_again(tmp_path, capsys):
    rows = rows_of("repeats folds rowIndex")[0]
    rows = rows[["m1", "m3", "y", "rowIndex"]].iloc[:-3]  # as of bootstrap samples
    rows.to_csv(tmp_path / "p.csv", index=False)
    for options in ([], ["--groups", "rowIndex"]):
        with pytest.raises(SystemExit):
            printed_of(tmp_path / "p.csv", capsys, *options)
        assert "add --groups rowIndex --rows-are-samples." in capsys.readouterr().err


def test_rows_of_a_target_with_many_values_that_all_come_again_are_refused(tmp_path, capsys):
    y = np.random.default_rng(0).permutation(90)[:30] / 7
    rows = pd.DataFrame({"y": np.tile(y, 4), "m": np.random.default_rng(1).normal(size=120)})
    rows.sample(frac=1, random_state=0).to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(SystemExit):
        printed_of(tmp_path / "p.csv", capsys, scoring="r2")
    assert "120 rows have 30 different values of 'y'" in capsys.readouterr().err
    printed_of(tmp_path / "p.csv", capsys, "--rows-are-samples", scoring="r2")


def test_patients_with_several_rows_are_named_and_groups_are_taken(tmp_path, capsys):
    frame = table().drop(columns="fold").assign(patient=np.arange(N) // 3, visit=np.arange(N) % 3)
    frame.to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(SystemExit):
        printed_of(tmp_path / "p.csv", capsys)
    assert "as of one patient, add --groups patient." in capsys.readouterr().err
    forced = printed_of(tmp_path / "p.csv", capsys, "--rows-are-samples")
    assert summary_of_table() in forced
    for target in (frame["y"], (np.arange(N) // 3) % 2):  # which may be one for each patient
        frame.assign(y=target, eye=np.arange(N) % 3).to_csv(tmp_path / "p.csv", index=False)
        printed = printed_of(
            tmp_path / "p.csv", capsys, "--groups", "patient", "--ignore", "eye", "visit"
        )
        right = summary_of(target, frame.filter(regex=r"^m\d"), groups=frame["patient"])
        assert right in printed


def test_of_one_configuration_visits_are_rows_and_values_of_a_parameter_are_not(tmp_path, capsys):
    frame = table()[["m0"]].assign(y=np.arange(N) // 3 % 2, patient=np.arange(N) // 3)
    for name, refused in (("visit", False), ("depth", True)):
        frame.assign(**{name: np.arange(N) % 3}).to_csv(tmp_path / "p.csv", index=False)
        options = ["--groups", "patient", "--predictions", "m0"]
        if refused:
            with pytest.raises(SystemExit):
                printed_of(tmp_path / "p.csv", capsys, *options)
            assert "If depth tells configurations apart" in capsys.readouterr().err
            options.append("--rows-are-samples")
        right = summary_of(frame["y"], frame[["m0"]], groups=frame["patient"])
        assert right in printed_of(tmp_path / "p.csv", capsys, *options)


def beside_predictions(name):
    """Two models, probabilities for a target of 0 and 1, and columns that are no predictions."""
    rng = np.random.default_rng(0)
    y = np.arange(N) % 2
    m = pd.DataFrame(rng.random((N, 2)) * 0.8 + 0.2 * y[:, None], columns=["m0", "m1"])
    return m.assign(y=y), {
        "minus": {"x": (m["m1"] - y).round(3)},
        "square": {"x": (m["m1"] - y) ** 2},
        "right": {"x": ((m["m1"] > 0.5) == y).astype(int)},
        "count": {"x": np.r_[1:24, 1:24, 1:15]},
        "fold": {"fold": np.arange(N) // 2 % 5, "k": np.r_[3, 9, 1, 4, 7][np.arange(N) // 2 % 5]},
        "shuffled count": {"fold": np.arange(N) % 4, "k": np.r_[5:15, 0:5][np.arange(N) // 4]},
        "reverse": {"x": y - m["m1"]},
        "size": {"x": abs(m["m1"] - y)},
        "feature": {"x": rng.normal(60, 9, N)},
        "both": {"m (a)": 1 - m["m0"]},
    }[name]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("minus", "x (it is m1 minus the target)"),
        ("square", "x (it is m1 minus the target)"),
        ("right", "x (it is whether m1 is right)"),
        ("count", "x (it counts, again and again)"),
        ("fold", "k (it is the same in each fold)"),
        ("shuffled count", "k (it counts in each fold)"),
    ],
)
def test_columns_that_are_made_of_others_are_not_used(name, words, tmp_path, capsys):
    frame, others = beside_predictions(name)
    frame.assign(**others).to_csv(tmp_path / "p.csv", index=False)
    fold = others.get("fold")
    options = [] if fold is None else ["--fold", "fold"]
    printed = printed_of(tmp_path / "p.csv", capsys, *options)
    assert words in printed and "Predictions: 2 columns, m0 and m1." in printed
    assert summary_of(frame["y"], frame[["m0", "m1"]], fold=fold) in printed


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("reverse", "Of the columns m1 and x one says how far, or whether, the other is from"),
        ("size", "Of the columns m1 and x one says how far, or whether, the other is from"),
        ("feature", "m0 and m1 lie between 0 and 1, as probabilities do, and those of x do not"),
        ("both", "The columns m0 and m (a) sum to 1 in every row, as the scores of 2 classes"),
    ],
)
def test_columns_of_which_one_is_no_prediction_are_refused_unless_named(
    name, words, tmp_path, capsys
):
    frame, others = beside_predictions(name)
    frame = frame.assign(**others)
    frame.to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(SystemExit):
        printed_of(tmp_path / "p.csv", capsys)
    message = capsys.readouterr().err
    assert words in message and "--predictions COLUMN" in message
    for names in (["m0", "m1"], ["m0", "m1", *others]):
        printed = printed_of(tmp_path / "p.csv", capsys, "--predictions", *names)
        assert summary_of(frame["y"], frame[names]) in printed


@pytest.mark.parametrize("labels", [["no", "yes"], [0, 1]])
def test_the_probability_of_the_class_that_was_predicted_is_refused(labels, tmp_path, capsys):
    rng = np.random.default_rng(0)
    y = (np.arange(N) % 3 == 0).astype(int)
    p = 1 / (1 + np.exp(-rng.normal(size=N) - 2 * y + 1))
    frame = pd.DataFrame({"y": np.array(labels)[y], "p": np.maximum(p, 1 - p)})
    frame["predicted"] = np.array(labels)[(p > 0.5).astype(int)]
    frame.to_csv(tmp_path / "p.csv", index=False)
    for options in (["--predictions", "p"], ["--ignore", "predicted"],
                    ["--predictions", "p", "--pos-label", str(labels[0])]):  # fmt: skip
        with pytest.raises(SystemExit):
            printed_of(tmp_path / "p.csv", capsys, *options)
        message = capsys.readouterr().err
        assert "'p' are between 0.5 and 1" in message and "'predicted' holds that" in message
    percents = frame.assign(p=(100 * frame["p"]).round())
    percents.to_csv(tmp_path / "percents.csv", index=False)
    with pytest.raises(SystemExit):
        printed_of(tmp_path / "percents.csv", capsys, "--predictions", "p")
    assert "'p' are between 50 and 100" in (shown := capsys.readouterr().err)
    assert f"== {labels[1]!r}, 100 - t['p'])" in shown
    if labels == [0, 1]:
        return
    with pytest.raises(SystemExit):
        printed_of(tmp_path / "p.csv", capsys, "--predictions", "p")
    line = re.search(r"the probability of 'yes' is (.*)\.\n", capsys.readouterr().err)[1]
    np.testing.assert_allclose(eval(line, {"t": frame}), p)
    frame[["y", "p"]].assign(q=frame["p"] ** 0.5).to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(SystemExit):
        printed_of(tmp_path / "p.csv", capsys)
    assert "compute those of the positive class" in capsys.readouterr().err
    printed = printed_of(tmp_path / "p.csv", capsys, "--predictions", "p", "q")
    assert "If they are that, the score is wrong." in printed


def test_probabilities_above_one_half_are_taken_where_labels_are_cut_from_them_or_most_are_cases(
    tmp_path, capsys
):
    rng = np.random.default_rng(0)
    y = (np.arange(N) % 10 > 0).astype(int)
    frame = pd.DataFrame({"y": y, "p": 0.6 + 0.2 * y + 0.15 * rng.random(N)})
    frame.assign(label=(frame["p"] > 0.85).astype(int)).to_csv(tmp_path / "p.csv", index=False)
    assert summary_of(y, frame[["p"]]) in printed_of(tmp_path / "p.csv", capsys)


def test_a_column_that_is_named_after_the_other_class_needs_the_positive_one(tmp_path, capsys):
    frame = beside_predictions("minus")[0].replace({"y": {0: "well", 1: "ill"}})
    frame = frame.rename(columns={"m0": "prob.ill", "m1": "Tree (ill)"})
    frame.to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(SystemExit):
        printed_of(tmp_path / "p.csv", capsys)
    assert "are named after class 'ill', but scores are taken" in capsys.readouterr().err
    printed = printed_of(tmp_path / "p.csv", capsys, "--pos-label", "ill")
    assert summary_of((frame["y"] == "ill") * 1, frame.drop(columns="y")) in printed


def test_a_column_from_which_the_target_was_made_is_noted(tmp_path, capsys):
    frame = table().drop(columns=["fold", "patient"])
    frame["lab"] = frame["y"] * 9.5 + np.arange(N) % 7 - 6.1
    frame.to_csv(tmp_path / "p.csv", index=False)
    assert "Column 'lab' separates the two classes" in printed_of(tmp_path / "p.csv", capsys)


@pytest.mark.parametrize("n", [8, 12, 20])
def test_few_whole_numbers_that_happen_to_differ_are_predictions(n, tmp_path, capsys):
    rng = np.random.default_rng(n)
    percents = pd.DataFrame({f"m{k}": rng.permutation(90)[:n] + 3 for k in range(5)})
    y = np.arange(n) % 2
    percents.assign(y=y).to_csv(tmp_path / "p.csv", index=False)
    assert "Predictions: 5 columns" in printed_of(tmp_path / "p.csv", capsys)
    y = rng.normal(50, 20, n).round()
    percents.assign(y=y).to_csv(tmp_path / "p.csv", index=False)
    assert "Predictions: 5 columns" in printed_of(tmp_path / "p.csv", capsys, scoring="r2")


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["a"], "a"),
        (["m0", "m1"], "m0 and m1"),
        (["m0", "m1", "m2", "x", "m3"], "m0 to m2, x and m3"),
        (["m8", "m9", "m10", "m11", "m13"], "m8 to m11 and m13"),
        (["0", "1", "2"], "0 to 2"),
        (["m01", "m02", "m03"], "m01, m02 and m03"),
        (["a1b1", "a1b2", "a1b3", "a2b4"], "a1b1 to a1b3 and a2b4"),
    ],
)
def test_no_name_is_hidden_in_a_list(names, words):
    assert listing(names) == words


@pytest.mark.one_in(3)
@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_large_file_is_read_in_batches_as_a_whole_one_is(
    decimal, encoding, tmp_path, monkeypatch
):
    frame = table().assign(
        late=["7"] * (N - 1) + ["x"], gap=[np.nan] * 20 + ["é"] * (N - 20),
        code=["7", "007"] * (N // 2), yes=[True, False] * (N // 2),
        whole=[1] * 50 + [1.5] * (N - 50),
    )  # fmt: skip
    path = tmp_path / "p.csv"
    frame.to_csv(path, index=False, sep=";", decimal=decimal, encoding=encoding)
    whole = read_table(path, labels=["code"])
    monkeypatch.setattr(_batches, "BATCH_BYTES", 0)
    monkeypatch.setattr(_batches, "BATCH_ROWS", 7)
    batches = read_table(path, labels=["code"])
    pd.testing.assert_frame_equal(
        whole.frame, batches.frame, check_dtype=False, check_categorical=False
    )
    assert whole.how == batches.how
    assert batches.frame["code"].nunique() == 2 and batches.frame["late"].iloc[0] == "7"


def test_files_that_cannot_be_read(tmp_path, capsys):
    (tmp_path / "folder.csv").mkdir()
    for name, word in (
        ("x.docx", "must end in .csv"), ("x.csv", "There is no file"), ("-", "must end in .csv"),
        ("folder.csv", "has no file with predictions"), ("x.csv.gz", "is compressed. Unpack it"),
        ("x.zip", "is compressed"),
    ):  # fmt: skip
        if "There is no" not in word and not (tmp_path / name).exists():
            (tmp_path / name).touch()
        with pytest.raises(SystemExit):
            main([str(tmp_path / name), "--target", "y", "--scoring", "r2"])
        assert word in capsys.readouterr().err


@pytest.mark.long
def test_the_demonstration_prints_truth_and_report(tmp_path, capsys, monkeypatch):
    """It is the search of the README, of which six configurations are enough here."""
    pytest.importorskip("jinja2")
    report, searches = tmp_path / "report.html", []

    def smaller(model, grid, **options):
        assert [*grid.values()] == [range(1, 11), range(1, 16)]
        assert options == {"cv": 10, "random_state": 0}
        few = {name: values[::5] for name, values in grid.items()}
        searches.append(BBCSearchCV(model, few, **options))
        return searches[0]

    monkeypatch.setattr("sklearn_bbc.__main__.BBCSearchCV", smaller)
    monkeypatch.setattr("sklearn_bbc.recording._progress.WAIT", np.inf)
    assert main(["--report", str(report)]) == 0
    out, err = capsys.readouterr()
    X, y = load_diabetes(return_X_y=True)
    truth = searches[0].score(X[60:], y[60:] > 140)
    assert str(searches[0].table()) in out and f"{truth:.3f}" in out
    assert searches[0].shows_progress and "fits" not in err
    assert f"{searches[0].bbc_score_:.3f}" in report.read_text(encoding="utf-8")


@pytest.mark.parametrize("option", ["--target", "--pos-label", "--seed", "--n-bootstraps"])
def test_options_of_a_file_need_one(option, capsys):
    with pytest.raises(SystemExit):
        main([option, "3"])
    assert "needs a PATH" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "meant"),
    [("--metric", "--scoring"), ("--sed", "--seed"), ("--id", "--sample"), ("--xyzzy", None)],
)
def test_an_option_that_is_not_known_has_a_suggestion(option, meant, capsys):
    with pytest.raises(SystemExit):
        main(["p.csv", option, "3"])
    err = capsys.readouterr().err
    assert f"unrecognized arguments: {option} 3." in err
    assert ("Did you mean" in err) == (meant is not None) and f"{meant or ''}" in err


def test_it_runs_as_a_module(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["sklearn_bbc", "--version"])
    monkeypatch.delitem(sys.modules, "sklearn_bbc.__main__")
    with pytest.raises(SystemExit) as stopped:
        runpy.run_module("sklearn_bbc", run_name="__main__")
    assert (stopped.value.code, capsys.readouterr().out.strip()) == (0, __version__)


def scores_of_systems():
    """Scores of six prompts on 40 questions of 10 passages."""
    rng = np.random.default_rng(0)
    right = (rng.random((40, 6)) < np.linspace(0.3, 0.7, 6)).astype(int)
    wide = pd.DataFrame(right, columns=[f"p{k}" for k in range(6)])
    return wide.assign(question=range(40), passage=np.arange(40) // 4)


@pytest.mark.parametrize("form", ["wide", "long", "parquet"])
def test_a_file_of_scores_gives_what_best_of_gives(form, tmp_path, capsys):
    if form == "parquet":
        pytest.importorskip("pyarrow")
    wide = scores_of_systems()
    path = tmp_path / ("scores.parquet" if form == "parquet" else "scores.csv")
    command, baseline = [str(path), "--item", "question", "--cluster", "passage"], "p0"
    if form == "long":
        long = wide.melt(["question", "passage"], var_name="prompt", value_name="correct")
        long.assign(model="m").to_csv(path, index=False)
        command += ["--system", "model,prompt", "--score", "correct"]
        baseline = "m / p0"
    elif form == "wide":
        wide.to_csv(path, index=False)
    else:
        wide.to_parquet(path)
    page = tmp_path / "page.html"
    assert main([*command, "--baseline", baseline, "--report", str(page)]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    result = best_of(wide, item="question", groups="passage", baseline="p0", random_state=0)
    if form != "long":
        assert " ".join(result.summary().split()) in printed
        assert result.summary().split(",")[0] in page.read_text()
    assert f"{result.interval.estimate:.3f}" in printed
    assert "may be best" in printed
    assert "train" not in printed


def test_losses_and_items_that_not_all_have(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    wide = scores_of_systems()
    wide.loc[3, "p2"] = np.nan
    wide.to_csv(path, index=False)
    command = [str(path), "--item", "question", "--ignore", "passage", "--losses"]
    with pytest.raises(SystemExit):
        main(command)
    assert "--drop-items takes the" in capsys.readouterr().err
    assert main([*command, "--drop-items"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "best mean loss on 39 items" in printed
    assert "39 of 40 items" in printed


def test_a_column_that_is_no_system_is_noted_with_the_option(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    scores_of_systems().to_csv(path, index=False)
    assert main([str(path), "--item", "question", "--n-bootstraps", "50"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert printed.count("'passage' has values beyond 0 and 1") == 1
    assert "named by --cluster." in printed


LONG = ["--system", "system", "--score", "score"]


@pytest.mark.parametrize(("whole", "options"), [("people", []), ("wide", []), ("long", LONG)])
@pytest.mark.parametrize("limit", [2**26, 0])
def test_half_of_a_file_of_scores_is_refused(whole, options, limit, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(_batches, "BATCH_BYTES", limit)
    wide = scores_of_systems().drop(columns="passage")
    long = wide.melt(["question"], var_name="system", value_name="score")
    path, people = tmp_path / "scores.csv", tmp_path / "people.csv"
    (long if whole == "long" else wide).to_csv(path, index=False)
    wide.iloc[:30].to_csv(people, index=False)
    half = people if whole == "people" else path
    half.write_text(half.read_text()[:-1])
    with pytest.raises(SystemExit):
        main(
            [
                str(path),
                "--item",
                "question",
                *options,
                *(["--human", str(people)] * (not options)),
            ]
        )
    assert f"{half.name} does not end with an end of line" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--item", "question", "--target", "y"], "--target is for predictions, not for scores"),
        (["--baseline", "p0"], "--baseline is for scores per item, which need --item"),
        (["--system", "p0"], "--item is missing"),
        (["--item", "question", "--score", "p0"], "--score p0 is for a file with a row for each"),
        (["--item", "questoin"], "question"),
        (["--item", "question", "--baseline", "p9"], "--baseline 'p9' is none of the"),
    ],
)
def test_wrong_options_for_scores_are_named(options, message, tmp_path, capsys):
    path = tmp_path / "scores.csv"
    scores_of_systems().to_csv(path, index=False)
    with pytest.raises(SystemExit):
        main([str(path), *options])
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--item q", "runs of one item go into a long table (--system, --run)."),
        ("--item q --system m,p", "--score is missing beside --system m,p. It has"),
        ("--item q --system m --score s", "with --run; if several columns together make a system, "
         "pass --system m,p; if several"),
        ("--item q --system m,p --score s --baseline c", "--baseline 'c' is none of"),
        ("--item q --system m,p --score t", "--drop-items takes the 11 of 12 items"),
    ],
)  # fmt: skip
def test_messages_on_tables_of_scores_name_options(options, message, tmp_path, capsys):
    rows = [(q, m, p, 1, "" if (q, m, p) == (0, "a", "x") else 0)
            for q in range(12) for m in "ab" for p in "xy"]  # fmt: skip
    path = tmp_path / "scores.csv"
    pd.DataFrame(rows, columns=["q", "m", "p", "s", "t"]).to_csv(path, index=False)
    with pytest.raises(SystemExit):
        main([str(path), *options.split()])
    said = " ".join(capsys.readouterr().err.split())
    assert message in said
    assert "=" not in said


OF_TOOLS = Path(__file__).parent / "predictions" / "readers" / "of_tools"


@pytest.mark.parametrize(
    ("path", "options", "words"),
    [
        ("inspect", "--missing drop_runs",
         ["inspect: inspect_ai: 11 items, 4 systems", "mockllm/a / long has the best mean score",
          "The mean that inspect_ai has for it is 0.818", "tool_score"]),
        ("inspect_samples.csv", "--score match --drop-items", ["10 items", "inspect_ai"]),
        ("lm_eval", "--score exact_match,strict-match --task maths",
         ["lm-evaluation-harness: 10 items, 3 systems", "big / num_fewshot=0"]),
        ("lm_eval", "--score exact_match,strict-match --system num_fewshot --task sums,minus",
         ["10 items, 2 systems"]),
        ("promptfoo/results.json", "--missing zero", ["promptfoo: 6 items", "the pass rate of"]),
        ("promptfoo/results.csv", "--missing zero --cluster answer", ["promptfoo: 6 items"]),
        ("deepeval", "--missing zero --score pass", ["deepeval: 7 items, 2 systems"]),
        ("deepeval", "--what --drop-items", ["deepeval: 6 items", "Nothing was computed"]),
    ],
)  # fmt: skip
def test_scores_of_tools_that_are_known_need_no_columns(path, options, words, capsys):
    assert main([str(OF_TOOLS / path), "--n-bootstraps", "50", *options.split()]) == 0
    said = " ".join(capsys.readouterr().out.split())
    for word in words:
        assert word in said
    assert ("Corrected for" in said) == ("--what" not in options)


@pytest.mark.parametrize(
    ("path", "options", "message"),
    [
        ("inspect", "", "1 run of 88 is missing, that of 'mockllm/b / short' (1). .* --drop-items "
         "takes the 10 .*--missing drop_runs .*--missing zero"),
        ("lm_eval", "", "say which one by --score, of exact_match,strict-match"),
        ("lm_eval", "--score acc", "--score 'acc' is not there"),
        ("promptfoo/results.json", "--task a", "--task is not for scores of promptfoo"),
        ("promptfoo/results.json", "--system a", "--system is not for scores of promptfoo"),
        ("promptfoo/results.json", "--losses", "--losses is not for scores of promptfoo"),
        ("deepeval", "--run a", "--run is not for scores of deepeval"),
        ("deepeval", "--sample-weight a", "--sample-weight is not for scores of deepeval"),
        ("lm_eval", "--ignore a", "--ignore is not for scores of lm-evaluation-harness"),
        ("inspect", "--human a", "--human is not for scores of inspect_ai"),
        ("deepeval", "--label-weights a", "--label-weights is not for scores of deepeval"),
        ("deepeval", "--scoring r2", "--scoring is for predictions, not for scores per item"),
        ("caret_two.csv", "--missing zero", "--missing is for scores per item"),
    ],
)  # fmt: skip
def test_messages_on_scores_of_tools_name_options(path, options, message, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([str(OF_TOOLS / path), *options.split()])
    assert stopped.value.code == 2
    said = " ".join(capsys.readouterr().err.split())
    assert re.search(re.escape(message).replace(re.escape(".*"), ".*"), said), said


@pytest.mark.parametrize("ending", ["jsonl", "json", "csv"])
def test_several_columns_make_an_item_and_a_run_of_a_file(ending, tmp_path, capsys):
    rng = np.random.default_rng(0)
    rows = [
        {"task": task, "doc": {"id": k}, "model": m, "seed": s, "turn": t, "correct": right}
        for task in ("law", "sums") for k in range(8) for m in "ab" for s in (0, 1) for t in (0, 1)
        for right in [int(rng.random() < 0.6)]
    ]  # fmt: skip
    path = tmp_path / f"answers.{ending}"
    if ending == "csv":
        pd.json_normalize(rows).to_csv(path, index=False)
    else:
        lines = "\n".join(json.dumps(row) for row in rows)
        path.write_text(lines if ending == "jsonl" else json.dumps(rows))
    options = "--item task,doc.id --system model --run seed,turn --score correct --n-bootstraps 50"
    assert main([str(path), *options.split()]) == 0
    said = capsys.readouterr().out
    assert f"answers.{ending}: 16 items, 2 systems, a and b." in said
    assert "mean of 4 runs" in said
    with pytest.raises(SystemExit):
        main([str(path), *options.replace("task,doc.id", "doc.id").split()])
    assert "pass --item COLUMN,COLUMN" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"a": 1}\n{"a": ', "x.jsonl: line 2 is no complete JSON"),
        ("", "x.jsonl is empty"),
        ("[1, 2]\n", "x.jsonl: line 1 must be an object"),
        ('{"a": 1}\n\n3\n', "x.jsonl: line 3 must be an object"),
    ],
)
def test_broken_lines_of_json_are_named(content, message, tmp_path, capsys):
    (tmp_path / "x.jsonl").write_text(content)
    with pytest.raises(SystemExit):
        main([str(tmp_path / "x.jsonl"), "--item", "a"])
    assert message in capsys.readouterr().err


def test_the_event_of_files_of_stata_is_the_larger_code_and_named(tmp_path, capsys):
    rng = np.random.default_rng(0)
    death = np.repeat([0.0, 1.0], 30)
    frame = pd.DataFrame(
        {"death": death, "a": death + rng.normal(size=60), "b": rng.normal(size=60)}
    )
    path = tmp_path / "x.dta"
    frame.to_stata(path, write_index=False, value_labels={"death": {0: "survived", 1: "died"}})
    options = ["--target", "death", "--scoring", "roc_auc", "--n-bootstraps", "50"]
    assert main([str(path), *options]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "The event is 1 (died) of column 'death'; 0 (survived) is not." in said
    right = bbc(death, frame[["a", "b"]], "roc_auc", n_bootstraps=50, random_state=0).estimate
    assert right > 0.6
    assert f"the ROC AUC is {right:.3f}" in said
    assert main([str(path), *options, "--pos-label", "survived"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "The event is 0 (survived) of column 'death'; 1 (died) is not." in said
    with pytest.raises(SystemExit):
        main([str(path), *options, "--pos-label", "dead"])
    assert "0 (survived) and 1 (died)" in capsys.readouterr().err


def test_the_event_of_long_tables_of_stata_is_named(tmp_path, capsys):
    rng = np.random.default_rng(0)
    death = np.repeat(np.tile([0.0, 1.0], 20), 2)
    frame = pd.DataFrame({
        "id": np.repeat(np.arange(40), 2), "model": np.tile(["a", "b"], 40), "death": death,
        "p": death + rng.normal(size=80),
    })  # fmt: skip
    path = tmp_path / "x.dta"
    frame.to_stata(path, write_index=False, value_labels={"death": {0: "survived", 1: "died"}})
    options = "--target death --sample id --config model --scoring roc_auc --n-bootstraps 50"
    assert main([str(path), *options.split()]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "The event is 1 (died) of column 'death'; 0 (survived) is not." in said
    best = frame[frame["model"] == "a"]
    assert roc_auc_score(best["death"], best["p"]) > 0.6
    assert re.search(r"the ROC AUC is 0\.[678]", said)


def judged_files(folder):
    """Scores of a judge and of people: wide in two files, and long in one."""
    rng = np.random.default_rng(0)
    people = (rng.random((120, 3)) < [0.5, 0.6, 0.7]).astype(int)
    judge = pd.DataFrame(np.where(rng.random(people.shape) < 0.9, people, 1 - people))
    judge.columns = list("abc")
    judge.insert(0, "q", [f"q{k:03}" for k in range(120)])
    human = pd.DataFrame(people, columns=list("abc")).assign(q=judge["q"])[::-3]
    long = judge.melt("q", var_name="model", value_name="judge")
    long = long.merge(human.melt("q", var_name="model", value_name="human"), how="left")
    long_human = human.melt("q", var_name="model", value_name="human")
    tables = {"judge": judge, "human": human, "long": long, "people": long_human}
    tables["long_judge"] = long.drop(columns="human")
    for name, table in tables.items():
        table.assign(times=3).to_csv(folder / f"{name}.csv", index=False)


@pytest.mark.parametrize(
    "words",
    ["judge.csv --item q --human human.csv --ignore times",
     "judge.csv --item q,times --human human.csv",
     "long.csv --item q --system model --score judge --human human --label-weights times",
     "long_judge.csv --item q --system model --score judge --human people.csv --ignore times",
     "long_judge.csv --item q --system model --score judge --human human.csv --ignore times"],
    ids=["wide", "several columns of an item", "long", "long in two files", "long and wide"],
)  # fmt: skip
def test_a_judge_is_corrected_by_people(tmp_path, monkeypatch, capsys, words):
    monkeypatch.chdir(tmp_path)
    judged_files(tmp_path)
    assert main([*words.split(), "--n-bootstraps", "100"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert ".csv: 120 items, 3 systems, a, b and c." in printed
    assert "corrected by 40 human labels and for the selection" in printed
    assert main([*words.split(), "--what"]) == 0
    printed = capsys.readouterr().out
    assert "120 items, 3 systems" in printed and "Nothing was computed" in printed


def test_a_file_of_people_that_is_none(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    judged_files(tmp_path)
    with pytest.raises(SystemExit, match="2"):
        main(["judge.csv", "--item", "q", "--human", "nobody.csv"])
    assert "--human nobody.csv is no file" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["judge.csv", "--item", "q", "--label-weights", "times"])
    assert "Give --human, too" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main([*"long_judge.csv --item q --system model --score judge --human persons".split()])
    assert "no column 'persons'" in capsys.readouterr().err


def array_too_large():
    try:
        return np.empty((2**38, 2**20))
    except MemoryError as error:
        return error


OUT_OF_MEMORY = {
    "numpy": array_too_large(), "pyarrow": MemoryError("malloc of size 64 failed"),
    "pandas": pd.errors.ParserError("Error tokenizing data. C error: out of memory"),
    "system": OSError(errno.ENOMEM, "Cannot allocate memory"),
    "threads": RuntimeError("can't start new thread"),
    "loader": ImportError("kernel.so: failed to map segment from shared object"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("said_by", "where"),
    [("pandas", "reading")]
    + [
        (each, where)
        for each in OUT_OF_MEMORY
        if each != "pandas"
        for where in ("reading", "scoring", "ties", "systems")
    ],
)
def test_too_little_memory_is_said_with_the_size_and_what_to_do(
    said_by, where, tmp_path, monkeypatch, capsys
):
    def fail(*given, **named):
        raise OUT_OF_MEMORY[said_by]

    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    table = pd.DataFrame({"y": y, **{f"m{k}": rng.random(40) + y / 5 for k in range(3)}})
    table.assign(item=range(40)).to_csv(tmp_path / "p.csv", index=False)
    options = ["--target", "y", "--scoring", "roc_auc", "--ignore", "item"]
    if where == "systems":
        options = ["--item", "item", "--ignore", "y"]
    replaced = {
        "reading": (pd, "read_csv"), "scoring": (BBC, "estimate"),
        "ties": (command, "tied_with_best"), "systems": (command, "best_of"),
    }  # fmt: skip
    monkeypatch.setattr(*replaced[where], fail)
    with pytest.raises(SystemExit) as ended:
        main([str(tmp_path / "p.csv"), *options])
    message = " ".join(capsys.readouterr().err.split())
    assert ended.value.code == 2 and "p.csv does not fit into memory: " in message
    size = "the file has 0 MB" if where == "reading" else (
        "the predictions of 3 configurations for 40 samples take 0 MB"
        if where != "systems" else "3 configurations for 40 samples"
    )  # fmt: skip
    assert size in message and "use more memory" in message
    assert ("no place for an array of 2,147,483,648.0 GB" in message) == (said_by == "numpy")


def test_other_errors_of_programs_keep_their_traceback(tmp_path, monkeypatch):
    def fail(*given, **named):
        raise RuntimeError("a fault of the program")

    (tmp_path / "p.csv").write_text("y,m\n0,1\n1,0\n")
    monkeypatch.setattr(pd, "read_csv", fail)
    with pytest.raises(RuntimeError, match="a fault"):
        main([str(tmp_path / "p.csv"), "--target", "y", "--what"])


@pytest.mark.long
def test_it_ends_without_a_word_where_nobody_reads_the_output(file):
    reader, writer = os.pipe()
    os.close(reader)
    ended = subprocess.run(
        [sys.executable, "-m", "sklearn_bbc", str(file), "--target", "y", "--what"],
        stdout=writer, stderr=subprocess.PIPE, check=False, timeout=300,
    )  # fmt: skip
    os.close(writer)
    assert ended.returncode == 141 and ended.stderr == b""
