"""The table of the intervals of a search."""

from sklearn_bbc.search._reporting import frame_of
from tests.report.some_facts import result


def test_one_row_per_metric_and_method():
    failed = result(details={"error": "why"}, metric="accuracy")
    results = {"roc_auc": {"bbc": result(), "bbc_2": result(low=0.7)}, "accuracy": {"bbc": failed}}
    frame = frame_of(
        results,
        lambda each: 0.9 if each.metric == "roc_auc" else 0.8,
        lambda each: each.low > 0.75,
    )
    assert frame[["metric", "method"]].values.tolist() == [
        ["roc_auc", "bbc"], ["roc_auc", "bbc_2"], ["accuracy", "bbc"],
    ]  # fmt: skip
    assert frame["best_score"].tolist() == [0.9, 0.9, 0.8]
    assert frame["low"].tolist() == [0.81, 0.7, 0.81]
    assert frame["selection_aware"].tolist() == [True, False, True]
    assert frame["error"].isna().tolist() == [True, True, False]
    assert frame["error"].iloc[2] == "why"
