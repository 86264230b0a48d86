"""The command line: a demonstration, and files of predictions."""

import runpy
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

from sklearn_bbc import BBCSearchCV, __version__, bbc
from sklearn_bbc.__main__ import main

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
    command = [file, "--target", "y", "--scoring", "roc_auc", "--fold", "fold",
               "--ignore", "patient", "--report", str(tmp_path / "report.html")]  # fmt: skip
    assert main(command) == 0 and "The whole page is in" in capsys.readouterr().out
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for words in ("predictions alone", "5-fold cross-validation on 60 samples", "m18",
                  "python -m sklearn_bbc", "--fold fold"):  # fmt: skip
        assert words in page, words


def test_groups_labels_and_the_positive_class(tmp_path, capsys):
    path = tmp_path / "labels.parquet"
    pytest.importorskip("pyarrow")
    frame = table().replace({"y": {0: "case", 1: "control"}})
    frame.to_parquet(path)
    main([str(path), "--target", "y", "--scoring", "roc_auc", "--groups", "patient",
          "--ignore", "fold", "--pos-label", "control"])  # fmt: skip
    assert "draws of groups" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ([], "--target is missing"),
        (["--target", "y"], "--scoring is missing"),
        (["--target", "Y", "--scoring", "roc_auc"], "has no column 'Y'. Did you mean 'y'?"),
        (["--target", "y", "--scoring", "roc", "--ignore", "fold"], "Did you mean 'roc_auc'"),
        (["--target", "y", "--scoring", "roc_auc"], "'fold' of predictions.csv"),
        (["--target", "y", "--scoring", "roc_auc", "--fold", "folds"], "--fold: predictions.csv"),
        (["--target", "y", "--scoring", "roc_auc", "--ignore", "fold", "--n-bootstraps", "0"],
         "n_bootstraps"),
    ],
)  # fmt: skip
def test_mistakes_are_named(file, arguments, word, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([file, *arguments])
    assert stopped.value.code == 2
    assert word in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda f: f.assign(y=f["y"].where(f.index != 3)), "1 missing value, the first in row 4"),
        (lambda f: f[["y"]], "no column with predictions"),
        (lambda f: f.drop(columns="fold").assign(m3="high"), "'m3' of table.csv"),
    ],
)  # fmt: skip
def test_bad_columns_are_named(change, word, tmp_path, capsys):
    path = tmp_path / "table.csv"
    change(table()).to_csv(path, index=False)
    with pytest.raises(SystemExit):
        main([str(path), "--target", "y", "--scoring", "roc_auc"])
    assert word in capsys.readouterr().err


def test_files_that_cannot_be_read(tmp_path, capsys):
    for name, word in (("x.xlsx", ".csv or .parquet"), ("x.csv", "There is no file")):
        with pytest.raises(SystemExit):
            main([str(tmp_path / name), "--target", "y", "--scoring", "r2"])
        assert word in capsys.readouterr().err


def test_the_demonstration_prints_truth_and_report(tmp_path, capsys, monkeypatch):
    """It is the search of the README, of which six configurations are enough here."""
    pytest.importorskip("jinja2")
    report, searches = tmp_path / "report.html", []

    def smaller(model, grid, **options):
        assert [*grid.values()] == [range(1, 11), range(1, 16)]
        assert options == {"cv": 10, "random_state": 0, "verbose": 2}
        few = {name: values[::5] for name, values in grid.items()}
        searches.append(BBCSearchCV(model, few, **options))
        return searches[0]

    monkeypatch.setattr("sklearn_bbc.__main__.BBCSearchCV", smaller)
    assert main(["--report", str(report)]) == 0
    out, err = capsys.readouterr()
    X, y = load_diabetes(return_X_y=True)
    truth = searches[0].score(X[60:], y[60:] > 140)
    assert str(searches[0].table()) in out and f"{truth:.3f}" in out
    assert "] 0/1,500 fits" in err and "] 38/1,500 fits" in err  # a mark for 38 of them
    assert f"{searches[0].bbc_score_:.3f}" in report.read_text(encoding="utf-8")


def test_options_of_a_file_need_one(capsys):
    with pytest.raises(SystemExit):
        main(["--target", "y"])
    assert "needs a FILE" in capsys.readouterr().err


def test_it_runs_as_a_module(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["sklearn_bbc", "--version"])
    monkeypatch.delitem(sys.modules, "sklearn_bbc.__main__")
    with pytest.raises(SystemExit) as stopped:
        runpy.run_module("sklearn_bbc", run_name="__main__")
    assert (stopped.value.code, capsys.readouterr().out.strip()) == (0, __version__)
