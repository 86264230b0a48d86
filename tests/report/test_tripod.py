"""Items of the TRIPOD+AI checklist."""

from sklearn_bbc.report._sentences import tripod_frame
from tests.report.some_facts import facts, result


def texts(made):
    frame = tripod_frame(made)
    assert list(frame.columns) == ["item", "topic", "text"]
    return dict(zip(frame["item"], frame["text"]))


def test_what_a_search_knows():
    found = texts(facts(n_failed=2))
    assert list(found) == ["10", "12a", "12c", "12d", "12e", "18f", "21", "22", "23a"]
    assert found["10"] == "80 samples in 20 groups, 5 predictors."
    assert "no separate test set" in found["12a"]
    assert "grid search over 120 configurations (alpha: 1, 2)" in found["12c"]
    assert "2 of the 120 configurations failed in some fold" in found["12c"]
    assert "(BBC, 2,000 bootstrap draws of groups, seed 7)" in found["12c"]
    assert "resampled is the group" in found["12d"]
    assert found["12e"] == "ROC AUC."
    two = {"roc_auc": [0.5], "neg_log_loss": [-0.5]}
    assert texts(facts(mean_scores=two))["12e"] == "ROC AUC, log loss. Selected by ROC AUC."
    assert texts(facts(mean_scores=two, primary=None))["12e"] == "ROC AUC, log loss."
    assert "failed" not in texts(facts())["12c"]
    sided = texts(facts(result(alternative="greater")))["23a"]
    assert sided == "ROC AUC 0.880 (one-sided 95% confidence interval: at least 0.810, BBC)."
    assert texts(facts(result(estimate=float("nan"))))["23a"] == "No interval could be computed."
    assert found["21"].endswith("(class 0: 30; class 1: 50).")
    assert found["22"] == "Selected: configuration 119 (alpha=119)."
    assert found["23a"] == "ROC AUC 0.880 (95% confidence interval 0.810 to 0.950, BBC)."


def test_the_parameters_of_the_selected_configuration_are_not_cut():
    params = [{"columns": list(range(200)), "C": 0.12345678}]
    assert "198, 199]" in texts(facts(params=params, best_index=0))["22"]


def test_the_positive_class_is_among_the_measures():
    found = texts(facts(positive={"roc_auc": "case"}))
    assert found["12e"] == "ROC AUC. Positive class: 'case' (ROC AUC)."


def test_a_method_that_ignores_the_selection_is_marked():
    found = texts(facts(result(method="delong")))["23a"]
    assert found.endswith("0.810 to 0.950, DeLong, not corrected for the selection).")
    assert "not corrected" not in texts(facts(result(method="delong"), n_configs=1))["23a"]


def test_what_it_does_not_know_is_not_said():
    failed = result(details={"error": "why"}, estimate=float("nan"))
    found = texts(facts(failed, n_groups=None, n_features=None, best_index=None, n_untested=3))
    assert "12d" not in found and found["10"] == "77 held-out samples of 80."
    assert "used 77 held-out samples of 80; the other 3 were never held out" in found["12a"]
    assert "Internal validation by bootstrap" not in found["12c"]
    unknown = texts(facts(n_samples=0, n_features=None))
    assert unknown["10"] == "The number of samples is not known."
    assert "All samples were used" in unknown["12a"] and "all samples (" in unknown["21"]
    assert found["22"] == "No single configuration was selected."
    assert found["23a"] == "No interval could be computed."
