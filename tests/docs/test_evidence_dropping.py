"""Tables of dropping: what is rejected is bold, and the sentences say what the table holds."""

import pandas as pd
import pytest


@pytest.fixture
def dropping(repository, monkeypatch):
    folder = repository / "docs" / "_ext"
    if not folder.is_dir():
        pytest.skip("needs the folder docs of a checkout")
    monkeypatch.syspath_prepend(str(folder))
    import evidence_dropping

    return evidence_dropping


def row(**fields):
    usual = {
        "data": "weak", "N": 200, "folds": 10, "part": "roc_auc", "method": "every configuration",
        "coverage": 0.96, "bias": -0.01, "width": 0.2, "verdict": "ok", "fits": 1.0,
        "optimism": 0.02, "same": 1.0, "price": 0.0, "price_se": 0.0,
    }  # fmt: skip
    return {**usual, **fields}


TABLE = pd.DataFrame(
    [
        row(),
        row(method="dropping", fits=0.5, same=0.9, price=0.002, price_se=0.001),
        row(method="halving", fits=0.4, same=0.3, price=0.02, coverage=0.8, verdict="under"),
        row(part="accuracy"),
        row(part="accuracy", method="dropping", fits=0.7),
        row(data="int", N=100, method="dropping", fits=0.9, price=0.1),
    ]
)


def test_the_table(dropping):
    lines = dropping.table(TABLE).splitlines()
    assert len(lines) == 2 + len(TABLE)
    assert [cell.strip() for cell in lines[3].split("|")][1:-1] == [
        "weak, N&nbsp;=&nbsp;200, 10&nbsp;folds", "AUC", "dropping", "50%", "+0.020", "-0.010",
        "96", "0.200", "90", "+0.002&nbsp;±&nbsp;0.001",
    ]  # fmt: skip
    assert "**80**" in lines[4]
    assert lines[2].rstrip(" |").endswith("0.200")  # of itself there is no price


def test_the_sentences(dropping):
    text = dropping.summary(TABLE).splitlines()
    assert len(text) == 4
    assert text[1].startswith(
        "- **Dropping**, 3 settings and metrics: 70% of the fits (50 to 90%)"
    )
    assert "rejected below 95% in 1;" in text[2]
    # The setting without halving is left out where the two are compared.
    assert "dropping 50% of the fits, price +0.0020, the same choice in 90%" in text[3]
