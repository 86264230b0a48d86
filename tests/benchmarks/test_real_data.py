"""Table 3: predictions are trained once, every method is held against what it reports."""

import json

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from benchmarks import real_data
from benchmarks.data import real, real_models, real_splits
from benchmarks.data.real_models import CONFIGURATIONS, SELECTIONS, Fitted, out_of_fold

SMALL = ["--data", "credit-g", "--n-bootstraps", "40", "--methods", "BBC", "NB", "DL10p"]


@pytest.fixture
def toy(monkeypatch):
    """A thousand rows of which two columns matter; two models."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 8))
    y = (X[:, 0] - X[:, 1] + rng.normal(size=1000) > 1).astype(int)
    models = {"logistic": LogisticRegression(), "stump": DecisionTreeClassifier(max_depth=1)}
    configurations = [(selection, model) for selection in SELECTIONS for model in models]
    monkeypatch.setattr(real_models, "MODELS", models)
    for module in (real_models, real_splits):
        monkeypatch.setattr(module, "CONFIGURATIONS", configurations)
    monkeypatch.setattr(real_splits, "encoded", lambda name: (X, y))
    return X, y, configurations


def table3(output, *arguments):
    return real_data.main(["table3", "--output", str(output), *SMALL, *map(str, arguments)])


def test_without_the_files_data_come_from_openml(monkeypatch, tmp_path):
    frame = pd.DataFrame(
        {"age": [1.0, 2.0, 3.0, 4.0], "job": pd.Categorical(["a", None, "b", "a"])}
    )
    labels = pd.Series(pd.Categorical(["<=50K", ">50K", "<=50K", "<=50K"]))
    asked = []

    def fetch(name, **options):
        asked.append((name, options))
        return frame.copy(), labels

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    X, y = real.load("adult", tmp_path)
    assert asked == [("adult", {"version": 2, "as_frame": True, "return_X_y": True})]
    assert y.tolist() == [0, 1, 0, 0]
    assert X["job"].tolist() == ["a", "missing", "b", "a"]
    assert real.encoded("adult", tmp_path)[0].shape == (4, 1 + 3)


def test_the_search_has_more_than_a_hundred_configurations():
    assert len(CONFIGURATIONS) == len(set(CONFIGURATIONS)) == 102
    kinds = ("tree", "forest", "logistic", "linear SVM", "polynomial SVM", "Gaussian SVM")
    assert all(any(model.startswith(kind) for _, model in CONFIGURATIONS) for kind in kinds)


def test_selections_find_the_columns_that_matter(toy):
    X, y, _ = toy
    assert SELECTIONS["all"](X, y).all()
    assert set(np.flatnonzero(SELECTIONS["best quarter"](X, y))) == {0, 1}
    assert {0, 1} <= set(np.flatnonzero(SELECTIONS["LASSO"](X, y)))
    noise = np.random.default_rng(1).permutation(y)
    assert SELECTIONS["LASSO"](X, noise).sum() == 1, "never empty"


def test_predictions_are_out_of_fold_and_of_the_named_configuration(toy):
    X, y, configurations = toy
    X, y = X[:60], y[:60]
    predicted, fold = out_of_fold(X, y, seed=0)
    assert predicted.shape == (60, len(configurations))
    assert len(np.unique(fold)) == min(10, np.bincount(y).min())
    for column, configuration in enumerate(configurations):
        alone = Fitted(*configuration, X[fold != 3], y[fold != 3]).scores(X[fold == 3])
        np.testing.assert_allclose(predicted[fold == 3, column], alone)


def test_a_killed_run_ends_with_the_same_table_and_trains_nothing_twice(
    toy, tmp_path, monkeypatch
):
    whole = table3(tmp_path / "whole", "--repetitions", 3)
    trained, original, one_split = [], out_of_fold, real_data.one_split

    def counted(*arguments):
        trained.append(1)
        return original(*arguments)

    def killed(data, repetition, *rest):
        if repetition == 2:
            raise KeyboardInterrupt
        return one_split(data, repetition, *rest)

    monkeypatch.setattr(real_models, "out_of_fold", counted)
    monkeypatch.setattr(real_data, "one_split", killed)
    with pytest.raises(KeyboardInterrupt):
        table3(tmp_path / "torn", "--repetitions", 3)
    monkeypatch.setattr(real_data, "one_split", one_split)
    again = table3(tmp_path / "torn", "--repetitions", 3)
    assert len(trained) == 3
    pd.testing.assert_frame_equal(
        whole.drop(columns="seconds_each"), again.drop(columns="seconds_each")
    )
    more = table3(tmp_path / "torn", "--repetitions", 3, "--methods", "HM", "BBC-F")
    assert len(trained) == 3, "other methods need no training"
    assert set(more["method"]) == {"HM", "BBC-F"}
    monkeypatch.setattr(real_data, "one_split", None)
    report = table3(tmp_path / "torn", "--repetitions", 3, "--report")
    pd.testing.assert_frame_equal(report, again)
    with pytest.raises(SystemExit, match="Nothing was computed yet"):
        table3(tmp_path / "empty", "--report")


def test_the_truth_is_the_hold_out_score_of_what_is_reported(toy, tmp_path):
    X, y, configurations = toy
    table3(tmp_path, "--repetitions", 2)
    rows = pd.read_csv(tmp_path / "journal" / "table3.csv").dropna(subset="low")
    row = rows[(rows["method"] == "BBC") & (rows["repetition"] == 1)].iloc[0]
    folder = tmp_path / "journal" / "oof" / real_splits.search_version() / "credit-g"
    with np.load(folder / "4321_001.npz") as stored:
        train = stored["train"]
    assert len(train) == 50
    rest = np.setdiff1d(np.arange(1000), train)
    configuration = configurations[int(row["config"])]
    fitted = Fitted(*configuration, X[train], y[train])
    assert row["truth"] == pytest.approx(roc_auc_score(y[rest], fitted.scores(X[rest])))
    known = json.loads((folder / "4321_001.json").read_text(encoding="utf-8"))
    assert known[" / ".join(configuration)] == row["truth"]


def test_the_report_has_the_published_form(toy, tmp_path, shared):
    table = table3(
        tmp_path, "--repetitions", 1, "--data", "credit-g", "electricity",
        "--reference", shared / "reference",
    )  # fmt: skip
    bbc = table[(table["method"] == "BBC") & (table["dataset"] == "credit-g")].iloc[0]
    assert bbc["published_inclusion"] == 0.95
    assert bbc["runs"] == 1
    text = (tmp_path / "table3.md").read_text(encoding="utf-8")
    assert "| elec* |" in text
    assert "## Published, with other learners" in text
    assert "| BBC |  |  | 1.60 |" in text, "no rank of ours with three methods"
