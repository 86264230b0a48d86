"""The paragraph for the methods section."""

from sklearn_bbc._citations import references_of
from sklearn_bbc.report._sentences import methods_paragraph
from tests.report.some_facts import facts, result

CITED = {name: references_of(name) for name in ("bbc", "bbcf", "delong")}


def test_the_paragraph_and_its_references():
    text = methods_paragraph(facts(), CITED)
    paragraph, _, references = text.partition("\n\nReferences\n")
    assert paragraph == (
        "Ridge was tuned by grid search over 120 configurations, by grouped 10-fold "
        "cross-validation on 80 samples in 20 groups, with scikit-learn 1.9 [1]. The "
        "configuration with the best mean score over the held-out folds (ROC AUC) was selected. "
        "Its ROC AUC and a 95% confidence interval were estimated by bootstrap bias correction "
        "(BBC) [2] with 2,000 bootstrap draws of groups, seed 7, as implemented in sklearn-bbc "
        "0.2. Both account for the selection, which the method repeats in every draw."
    )
    first, second = references.splitlines()
    assert first.startswith("[1] F. Pedregosa") and second.startswith("[2] I. Tsamardinos")


def test_other_searches():
    one = methods_paragraph(facts(n_configs=1), CITED)
    assert one.startswith("Ridge was evaluated by grouped") and "selection" not in one
    delong = result(method="delong", n_bootstraps=None, alternative="greater")
    text = methods_paragraph(facts(delong, n_failed=3), CITED)
    assert "Neither accounts for the selection" in text and "[2] E. R. DeLong" in text
    assert "a one-sided 95% confidence interval were estimated by DeLong's method [2], as" in text
    assert "3 of the 120 configurations failed" in text
    by_rule = methods_paragraph(facts(result(details={"rule": "simple"})), CITED)
    assert "selected by the rule 'simple'." in by_rule
    other = methods_paragraph(facts(result(method="mine", n_bootstraps=None)), {})
    assert "[2]" not in other and "the method 'mine', as implemented" in other
    halving = methods_paragraph(facts(dynamic=True, n_left_out=4, n_samples=0), CITED)
    assert "4 of the 120 configurations were evaluated on other splits" in halving
    assert "but not for the search's choice of these" in halving
    assert "10-fold cross-validation, with scikit-learn" in halving
    failed = methods_paragraph(facts(result(details={"error": "why"})), CITED)
    assert "No confidence interval could be computed." in failed


def test_all_that_was_reported_is_covered():
    """Other metrics, other methods, the positive class, a threshold and a tied set."""
    main, f1 = result(), result(metric="f1")
    delong = result(method="delong")
    tuned = result(metric="accuracy", details={"tuned_by": "accuracy"})
    failed = result(metric="log_loss", details={"error": "why"})
    text = methods_paragraph(
        facts(
            main,
            results={
                "roc_auc": {"bbc": main, "delong": delong},
                "f1": {"bbc": f1},
                "accuracy": {"bbc": tuned},
                "log_loss": {"bbc": failed},
            },
            positive={"f1": "case"},
        ),
        CITED,
        ["The threshold was chosen.", "A set was found."],
    )
    assert (
        "ROC AUC was also estimated by DeLong's method [3], which does not account for the "
        "selection. F1 score and accuracy (as if tuned by it) were also estimated by the same "
        "method. Positive class: 'case' (F1 score). The threshold was chosen. A set was found.\n"
    ) in text
    assert "[3] E. R. DeLong" in text and "log loss" not in text
