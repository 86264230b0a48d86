"""Names of metrics: every scorer has one, and losses lose their minus."""

import pytest
from sklearn.metrics import get_scorer, get_scorer_names

from sklearn_bbc._scorers import scorer_names
from sklearn_bbc._text import MetricWords, metric_words


@pytest.mark.parametrize("name", sorted({*get_scorer_names(), *scorer_names()}))
def test_every_scorer_has_a_printed_name_and_the_sign_of_its_scorer(name):
    words = metric_words(name)
    assert "_" not in words.name and not words.name.startswith("neg ")
    assert words.name == "accuracy" or words.name not in ("", name.replace("neg_", "")) or (
        name in ("precision", "recall", "completeness", "homogeneity")
    )  # fmt: skip
    if name in get_scorer_names():
        assert words.sign == get_scorer(name)._sign


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("roc_auc", "ROC AUC"),
        ("roc_auc_score", "ROC AUC"),
        ("roc_auc_ovr_weighted", "prevalence-weighted one-vs-rest ROC AUC"),
        ("f1_macro", "macro-averaged F1 score"),
        ("f1_score", "F1 score"),
        ("accuracy_score", "accuracy"),
        ("r2", "R²"),
        ("concordance_index", "concordance index"),
        ("sensitivity_at_specificity_0.9", "sensitivity at a specificity of 0.9"),
        ("specificity_at_specificity_0.9", "specificity"),
        ("precision_at_recall_1e-05", "precision at a recall of 1e-05"),
        ("precision_at_k_5", "precision_at_k_5"),
        ("mine_at_recall_0.5", "mine_at_recall_0.5"),
        ("my_score", "my_score"),
        ("<lambda>", "score"),
        ("profit_macro", "profit_macro"),
        ("roc_auc_my_way", "roc_auc_my_way"),
        ("neg_profit", "neg_profit"),
    ],
)
def test_gains_and_unknown_names(name, printed):
    assert metric_words(name) == MetricWords(printed, 1)


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("neg_mean_absolute_error", "mean absolute error"),
        ("mean_absolute_error", "mean absolute error"),
        ("neg_brier_score", "Brier score"),
        ("brier_score_loss", "Brier score"),
        ("neg_mean_cost", "mean cost"),
        ("neg_log_loss within folds", "log loss within folds"),
    ],
)
def test_losses_by_the_name_of_the_scorer_or_of_the_function(name, printed):
    words = metric_words(name, [-0.3, float("nan")])
    assert (words.name, words.is_loss) == (printed, True)
    assert words.natural(-0.3) == 0.3 and str(words.natural(0.0)) == "0.0"
    assert words.natural_bounds(-0.5, -0.1) == (0.1, 0.5)


def test_a_loss_that_is_above_zero_is_none():
    assert metric_words("mean_absolute_error", [-0.1, 0.3]) == MetricWords("mean_absolute_error")
    assert metric_words("roc_auc", [0.3]).natural_bounds(0.1, 0.2) == (0.1, 0.2)


def test_a_sign_that_is_known_decides():
    assert metric_words("cost", sign=-1) == MetricWords("cost", -1)
    assert metric_words("neg_cost", sign=-1) == MetricWords("cost", -1)
    assert metric_words("neg_log_loss", sign=1) == MetricWords("neg_log_loss", 1)
    assert metric_words("roc_auc", sign=-1) == MetricWords("ROC AUC", -1)
    assert metric_words("cost", [2.0], sign=-1) == MetricWords("cost", -1), "a gain"
    assert metric_words("neg_mean_cost", [3.6]) == MetricWords("mean cost", -1), "a gain"
