"""Tables of learning curves: every cell stands where it belongs."""

import pandas as pd
import pytest


@pytest.fixture
def learning(repository, monkeypatch):
    folder = repository / "docs" / "_ext"
    if not folder.is_dir():
        pytest.skip("needs the folder docs of a checkout")
    monkeypatch.syspath_prepend(str(folder))
    import evidence_learning

    return evidence_learning


def row(part, method, **fields):
    usual = {
        "learner": "tree", "N": 100, "part": part, "method": method, "coverage": 0.96,
        "width": 0.25, "bias": -0.02, "rmse": 0.05, "verdict": "ok",
    }  # fmt: skip
    return {**usual, **fields}


@pytest.fixture
def table(learning):
    rows = [
        row(f"{metric}, {size}", method, width=width)
        for metric in ("roc_auc", "accuracy")
        for size, width in (("20%", 0.5), ("100%", 0.25))
        for method in learning.METHODS
    ]
    rows[2].update(coverage=0.7, verdict="under")
    rows[3].update(rmse=0.06)
    rows += [row(f"{metric}, 400%", learning.FITTED) for metric in ("roc_auc", "accuracy")]
    return pd.DataFrame(rows)


def test_sizes_stand_across_in_their_order(learning, table):
    lines = learning.of_metric("roc_auc")(table).splitlines()
    assert lines[0] == "| learner and interval | 20% | 100% |"
    assert lines[2] == (
        "| tree, N = 100: `learning_curve_intervals` | 96.0 (0.50) | 96.0 (0.25) |"
    )
    assert lines[4] == "| tree, N = 100: plain t | **70.0** (0.50) | 96.0 (0.25) |"
    assert len(lines) == 5, "the fitted curve has no interval"


def test_the_fitted_curve_has_its_bias_and_error(learning, table):
    lines = learning.beyond(table).splitlines()
    assert lines[0] == "| learner | AUC, 400% | accuracy, 400% |"
    assert lines[2] == "| tree, N = 100 | -0.020 (0.050) | -0.020 (0.050) |"
    assert "is 0.050 to 0.060." in learning.errors(table)
