"""The summary of a search."""

import numpy as np
import pytest

from sklearn_bbc.report._sentences import summary_of
from tests.report.some_facts import facts, result


def test_the_sentence_names_everything_that_a_reader_needs():
    assert summary_of(facts()) == (
        "The best of 120 configurations had a cross-validated ROC AUC of 0.912 (80 samples in 20 "
        "groups, 10 folds). Corrected for the selection by bootstrap bias correction (BBC, 2,000 "
        "bootstrap draws of groups, seed 7), it is 0.880 (95% confidence interval 0.810 to "
        "0.950). It estimates the score on new samples."
    )
    point = result(details={"no_width": "The interval has no width."})
    assert " The interval has no width." in summary_of(facts(point))


def test_a_loss_has_its_printed_name_and_sign():
    main = result(metric="neg_mean_absolute_error", estimate=-23.406, low=-28.21, high=-19.0)
    text = summary_of(facts(main, best_score=-22.99))
    assert "cross-validated mean absolute error of 23.0 (80" in text
    assert "it is 23.4 (95% confidence interval 19.0 to 28.2)." in text
    own = result(metric="cost", estimate=-23.406, low=-28.21, high=-19.0)
    text = summary_of(facts(own, best_score=-22.99, signs={"cost": -1}))
    assert "cross-validated cost of 23.0" in text and "it is 23.4" in text
    assert "it is -23.4" in summary_of(facts(own, best_score=-22.99, signs={"cost": 1}))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"alternative": "greater"}, "one-sided 95% confidence interval: at least 0.810"),
        ({"alternative": "less"}, "one-sided 95% confidence interval: at most 0.950"),
        ({"low": np.nan, "high": np.nan}, "(no interval)"),
        (
            {"method": "bbcf", "n_bootstraps": None, "details": {"unit": "fold", "exact": True}},
            "by bootstrap bias correction on folds (BBC-F, all possible bootstrap draws of "
            "folds), it is",
        ),
        (
            {"method": "delong", "n_bootstraps": None},
            "Estimated by DeLong's method, which does not account for the selection, it is",
        ),
        ({"method": "mine"}, "by the method 'mine' (2,000 bootstrap draws of groups, seed 7)"),
        ({"n_bootstraps": 1}, "1 bootstrap draw of groups"),
        ({"details": {}}, "2,000 bootstrap draws of samples, seed 7"),
        ({"details": {"seed": 99}}, "2,000 bootstrap draws of samples, seed 99"),
        ({"details": {"error": "ValueError: why"}}, "No BBC interval could be computed: Value"),
        ({"details": {"rule": "<lambda>"}}, "The configuration that a function selected from"),
        ({"details": {"rule": "simple"}}, "The configuration that the rule 'simple' selected "
         "from 120 had a cross-validated"),
    ],
)  # fmt: skip
def test_other_kinds_of_results(fields, words):
    assert words in summary_of(facts(result(**fields)))


def test_one_of_each_is_singular_and_what_is_unknown_is_left_out():
    text = summary_of(facts(n_configs=1, n_splits=1, n_samples=0, n_groups=None, folds=()))
    assert text.startswith(
        "With 1 configuration, the cross-validated ROC AUC was 0.912 (1 split)."
    )
    assert "Estimated by bootstrap" in text and "orrected" not in text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"n_failed": 2},
            " 2 of the 120 configurations failed in some fold and could not be selected.",
        ),
        (
            {"n_left_out": 5, "dynamic": True},
            " 5 of the 120 configurations were evaluated on other splits than the best one and "
            "left out. Corrected",
        ),
        ({"dynamic": True}, ". The search chose configurations by the scores of earlier ones, so"),
        ({"n_groups": 1}, "(80 samples in 1 group, 10 folds)"),
        ({"n_groups": None, "folds": (10,) * 5}, "samples, 10 folds repeated 5 times"),
        ({"folds": ()}, "groups, 10 splits)"),
        ({"folds": (3, 5)}, "groups, repeats of 3 and 5 folds)"),
        ({"n_untested": 60}, "(20 held-out samples of 80 in 20 groups, 10 folds)"),
        ({"positive": {"roc_auc": "case"}}, " The positive class is 'case'."),
        ({"best_score": np.nan}, "There is no cross-validated ROC AUC of the 120 configurations"),
    ],
)
def test_sizes(fields, words):
    assert words in summary_of(facts(**fields))


def test_a_result_about_another_configuration_than_the_selected_one_names_both():
    two = result(details={"unit": "sample", "winner": 1, "best_index": 0})
    params = [{"text": "x" * 500}, {"C": 0.1, "model": "one\n   two"}]
    sentence = summary_of(facts(two, params=params))
    assert "about configuration 1 (C=0.1, model='one\\n two'), not" in sentence
    assert sentence.endswith("x...), which the search selected.") and len(sentence) < 600
    assert sentence.count("x" * 111) == 1 and "x" * 112 not in sentence
    unnamed = summary_of(facts(two, params=()))
    assert unnamed.endswith(
        "configuration 1, not about configuration 0, which the search selected."
    )


def test_pooling_is_named_where_it_is_most_of_the_difference():
    parts = {"pooling": 0.03, "selection": 0.0023}
    details = {"optimism_parts": parts, "mostly_pooling": True}
    sentence = summary_of(facts(result(details=details)))
    assert sentence.endswith(
        "Of the difference between the two (0.032), 0.030 comes from pooling the folds, not "
        "from the selection: within_folds('roc_auc') scores each fold by itself."
    )
    suppress_fp_warnings = result(details={**details, "mostly_pooling": False})
    assert "pooling" not in summary_of(facts(suppress_fp_warnings))


def test_an_estimate_that_is_better_is_explained_once():
    details = {
        "optimism_parts": {"pooling": -0.03, "selection": 0.0},
        "mostly_pooling": True,
        "why_better": "It is better because of this.",
    }
    sentence = summary_of(facts(result(details=details)))
    assert sentence.endswith("It is better because of this.") and "Of the" not in sentence
