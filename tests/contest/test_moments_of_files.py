"""Files that are read in parts, by the command line as well: the same result as of the whole."""

import importlib.util
import re

import numpy as np
import pandas as pd
import pytest

from sklearn_bbc import ScoreMoments
from sklearn_bbc.__main__ import main
from sklearn_bbc.contest import _moments_of_files
from sklearn_bbc.contest._moments_of_files import moments_of_file

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("pyarrow") is None, reason="pyarrow is not installed"
)
N = 20_000


@pytest.fixture
def small(monkeypatch):
    """Take small files as large ones, in small batches."""
    monkeypatch.setattr(_moments_of_files, "LARGE", 1)
    monkeypatch.setattr(_moments_of_files, "_VALUES", 4 * 3000)


def table(kind):
    rng = np.random.default_rng(0)
    y = np.sort(rng.integers(2, size=N))  # a part has one class
    if kind == "labels":
        noise = rng.random((N, 4)) < [0.2, 0.21, 0.2, 0.3]
        pred = np.array(["no", "yes"])[np.where(noise, 1 - y[:, None], y[:, None])]
        y = np.array(["no", "yes"])[y]
    elif kind == "values":
        y = rng.normal(size=N)
        pred = y[:, None] + rng.normal(size=(N, 4))
    elif kind == "heavy":
        y = rng.normal(size=N)
        pred = y[:, None] + rng.standard_t(2, size=(N, 4))
    else:
        pred = np.clip(0.5 + 0.2 * (y[:, None] - 0.5) + 0.2 * rng.normal(size=(N, 4)), 0.05, 0.95)
    frame = pd.DataFrame(pred, columns=[f"m{k}" for k in range(4)])
    return frame.assign(y=y, site=np.arange(N) % 500, fold=np.arange(N) % 5, one="x")


def said(capsys, *arguments):
    """What the command prints, and its exit code."""
    code = main([*map(str, arguments), "--seed", "0"])
    return code, " ".join(capsys.readouterr().out.split())


LIMITS = r"(\S+) \(95% confidence interval (\S+) to (\S+)\)"


@pytest.mark.parametrize(
    ("kind", "scoring", "options"),
    [
        ("shares", "neg_log_loss", []),
        ("shares", "neg_log_loss", ["--sample-weight", "weight"]),
        ("shares", "roc_auc", []),
        ("labels", "accuracy", []),
        ("labels", "f1", ["--pos-label", "yes"]),
        ("labels", "balanced_accuracy", ["--fold", "fold"]),
        ("labels", "f1_macro", ["--groups", "site"]),
        ("values", "r2", []),
        ("values", "neg_root_mean_squared_error", ["--predictions", "m1", "m2"]),
    ],
)
def test_a_large_file_gives_what_the_whole_gives(kind, scoring, options, small, tmp_path, capsys):
    path, frame = tmp_path / "oof.parquet", table(kind)
    if "weight" in options:
        frame = frame.assign(weight=np.arange(N) % 3 + 1.0)
    frame.to_parquet(path, row_group_size=7000)
    asked = [path, "--target", "y", "--scoring", scoring, *options]
    if "--fold" not in options:
        asked += ["--ignore", "fold"]
    asked += ["--ignore", *({"site", "one"} - {*options})]
    code, parts = said(capsys, *asked)
    assert code == 0
    assert re.search(
        "20,000 rows, read in parts; [0-9,]+ of them show what the columns are", parts
    )
    assert "normal approximation of the draws: 2,000 of" in parts
    assert ("Folds are not used" in parts) == ("--fold" in options)
    _moments_of_files.LARGE = 2**40  # undone by the fixture
    _, whole = said(capsys, *asked)
    assert "read in parts" not in whole
    one, other = (
        np.array([float(x.rstrip(".")) for x in re.search(LIMITS, text).groups()])
        for text in (parts, whole)
    )
    np.testing.assert_allclose(one, other, atol=0.15 * (other[2] - other[1]))
    winner = "The selected one is "
    assert parts.split(winner)[1][:3] == whole.split(winner)[1][:3]
    tied = [text.split(" configurations cannot be")[0][-7:] for text in (parts, whole)]
    assert tied[0] == tied[1] or "only one" in parts


@pytest.mark.parametrize(
    ("kind", "scoring", "why"),
    [
        ("shares", "average_precision", "average_precision cannot be added up over parts"),
        ("heavy", "neg_mean_squared_error", "The normal approximation of the draws does not hold"),
    ],
)
def test_what_is_no_sum_is_read_whole_and_says_so(kind, scoring, why, small, tmp_path, capsys):
    path = tmp_path / "oof.parquet"
    table(kind).drop(columns=["site", "fold", "one"]).to_parquet(path)
    asked = [path, "--target", "y", "--scoring", scoring, "--n-bootstraps", "20"]
    code, text = said(capsys, *asked)
    assert code == 0
    assert why in text
    assert "The whole file is read into memory." in text
    assert "bootstrap draws of samples" in text


def test_files_are_large_by_their_values_and_samples(small, tmp_path, capsys):
    path = tmp_path / "oof.parquet"
    frame = table("shares").drop(columns=["site", "fold", "one"])
    frame.iloc[::2].to_parquet(path)
    _, text = said(capsys, path, "--target", "y", "--what")
    assert "read in parts" not in text
    frame.to_parquet(path)
    _, text = said(capsys, path, "--target", "y", "--what")
    assert "read in parts" in text
    assert "Nothing was computed" in text


@pytest.mark.parametrize("scoring", ["roc_auc", "f1", "r2", "neg_log_loss"])
@pytest.mark.parametrize("grouped", [False, True])
def test_scores_of_files_are_those_of_predictions(scoring, grouped, tmp_path):
    path = tmp_path / "oof.parquet"
    frame = table("values" if scoring == "r2" else "shares").sample(700, random_state=0)
    if scoring == "f1":
        names = [f"m{k}" for k in range(4)]
        frame[names] = (frame[names] > 0.5).astype(int)
    frame.to_parquet(path)
    given = {"groups": "site"} if grouped else {}
    found = moments_of_file(
        path, scoring, target="y", columns=["m0", "m1", "m2", "m3"], n_rows=90, **given,
        **({} if scoring == "r2" else {"classes": [0, 1]}),
    )  # fmt: skip
    wanted = ScoreMoments.from_predictions(
        {"y_true": frame["y"].to_numpy(), "y_pred": frame[["m0", "m1", "m2", "m3"]],
         **({"groups": frame["site"].to_numpy()} if grouped else {})},
        scoring,
    )  # fmt: skip
    np.testing.assert_allclose(found.means, wanted.means, rtol=1e-11)
    np.testing.assert_allclose(found.covariance, wanted.covariance, rtol=1e-8)
    for name in ("n_units", "n_samples", "unit", "names", "metric", "class_size"):
        assert getattr(found, name) == getattr(wanted, name)
