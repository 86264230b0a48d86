"""Tables of tied sets: what is rejected is bold, and the sentence says what the table holds."""

import pandas as pd
import pytest


@pytest.fixture
def tied(repository, monkeypatch):
    folder = repository / "docs" / "_ext"
    if not folder.is_dir():
        pytest.skip("needs the folder docs of a checkout")
    monkeypatch.syspath_prepend(str(folder))
    import evidence_tied

    return evidence_tied


def row(**fields):
    usual = {
        "data": "null", "N": 50, "folds": 5, "part": "roc_auc", "method": "Bonferroni",
        "runs": 100, "undefined": 0.0, "holds_best": 0.96, "holds_close": 1.0, "size": 0.8,
        "milliseconds": 12.0, "verdict": "ok",
    }  # fmt: skip
    return {**usual, **fields}


TABLE = pd.DataFrame(
    [
        row(),
        row(data="lin", holds_best=0.92, size=0.6),
        row(part="accuracy", holds_best=0.98),
        row(
            method="one standard error", holds_best=0.3, size=0.2, verdict="under", milliseconds=2
        ),
        row(method="one standard error", data="lin", holds_best=0.9, size=0.1, runs=30),
    ]
)


def test_the_summary(tied):
    lines = tied.summary(TABLE).splitlines()
    assert lines[0] == "| method | AUC | accuracy | log loss | lowest | within 0.01 | ms |"
    assert lines[2:] == [
        "| Bonferroni | 94&nbsp;(70) | 98&nbsp;(80) |  | 92 | 100 | 12 |",
        "| one standard error | **60&nbsp;(15)**&nbsp;1/2 |  |  | 30 | 100 | 7 |",
    ]


def test_the_sentence(tied):
    assert tied.bar(TABLE) == (
        "Of 3 settings and metrics the default, *Bonferroni*, is rejected in 0; it contains the "
        "best configuration in 95.3% of the data sets, at worst in 92% of those of a setting, "
        "with 73% of the configurations on average. The others: one standard error 15% "
        "(1 rejected).\n"
    )


def test_each_setting(tied):
    lines = tied.of_metric("roc_auc")(TABLE).splitlines()
    assert lines[0] == "| method | lin, N = 50, 5 folds | null, N = 50, 5 folds |"
    assert lines[2:] == [
        "| Bonferroni | 92.0 (0.600) | 96.0 (0.800) |",
        "| one standard error | 90.0 (0.100), n = 30 | **30.0** (0.200) |",
    ]
