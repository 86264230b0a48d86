"""Rules and functions that select."""

from sklearn_bbc.selection import OneStandardError

SIMPLE = OneStandardError(["max_depth", ("min_samples_leaf", "larger is simpler")])
BOTH = ["roc_auc", "accuracy"]


def worst(results):
    return int(results["mean_test_score"].argmin())


def gap(results):
    return int((results["mean_test_roc_auc"] - results["mean_test_accuracy"]).argmax())
