"""The numbers of the start page: what the search reports, and what the winner is worth."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from benchmarks import real_data
from benchmarks.data import real_models, real_splits
from benchmarks.studies import showcase


@pytest.fixture
def noise(monkeypatch):
    """Labels that nothing predicts, many models: the best score is luck."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1000, 8)), np.arange(1000) % 10 < 3
    models = {f"depth {k}": DecisionTreeClassifier(max_depth=k, random_state=0) for k in (1, 2, 4)}
    models["logistic"] = LogisticRegression()
    configurations = [(s, model) for s in real_models.SELECTIONS for model in models]
    monkeypatch.setattr(real_models, "MODELS", models)
    for module in (real_models, real_splits):
        monkeypatch.setattr(module, "CONFIGURATIONS", configurations)
    monkeypatch.setattr(real_splits, "encoded", lambda name: (X, y.astype(int)))


@pytest.mark.usefixtures("noise")
def test_scores_of_a_split_are_those_of_its_winner(tmp_path):
    pytest.importorskip("matplotlib", reason="the command draws a picture")
    table = real_data.main(["showcase", "--output", str(tmp_path), "--repetitions", "3"])
    split, _ = real_splits.split_of("credit-g", 1, 4321, tmp_path / "journal" / "oof")
    oof = split.oof
    predicted, folds = oof.matrix("roc_auc"), np.unique(oof.fold)
    means = [
        np.mean([roc_auc_score(oof.y_true[oof.fold == k], p[oof.fold == k]) for k in folds])
        for p in predicted.T
    ]
    row = table.iloc[1]
    assert row["best_score"] == pytest.approx(max(means))
    assert row["held_out"] == split.truth(int(np.argmax(means)))
    assert row["low"] < row["bbc_score"] < row["high"]
    summary = showcase.means(table)
    assert summary.loc["best_score", "too_high"] > 0.03
    assert summary.loc["held_out", "too_high"] == 0
    assert (tmp_path / "showcase.png").stat().st_size > 1000
    assert len(pd.read_csv(tmp_path / "showcase.csv")) == 3


def test_dots_of_one_column_do_not_cover_each_other():
    heights = showcase.stacked(np.array([-0.2, 0.1, 0.1005, 0.101]))
    assert heights == pytest.approx([0, -0.07, 0, 0.07])
