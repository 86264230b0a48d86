import numpy as np
import pytest
from sklearn_bbc.search._summary import summarise

from sklearn_bbc import ConfidenceInterval

SIZE = {"best_score": 0.91234, "n_configs": 120, "n_splits": 10, "n_samples": 80, "seed": 7}


def result(**fields):
    given = {
        "estimate": 0.88,
        "low": 0.81,
        "high": 0.95,
        "confidence_level": 0.95,
        "alternative": "two-sided",
        "method": "bbc",
        "metric": "roc_auc",
        "estimand": "",
        "n_bootstraps": 2000,
        "details": {"unit": "group"},
    }
    return ConfidenceInterval(**{**given, **fields})


def test_the_sentence_names_everything_that_a_reader_needs():
    assert summarise(result(), **SIZE) == (
        "The best of 120 configurations reached a cross-validated roc_auc of 0.912 (80 samples, "
        "10 splits). Estimated by bootstrap bias correction (BBC), 2000 bootstrap draws of "
        "groups, seed 7, it is 0.880 (95% confidence interval 0.810 to 0.950)."
    )


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"alternative": "greater"}, "one-sided 95% confidence interval: at least 0.810"),
        ({"alternative": "less"}, "one-sided 95% confidence interval: at most 0.950"),
        ({"low": np.nan, "high": np.nan}, "(no interval)"),
        (
            {"method": "bbcf", "n_bootstraps": None, "details": {"unit": "fold", "exact": True}},
            "(BBC-F), all possible bootstrap draws of folds, it is",
        ),
        ({"method": "delong", "n_bootstraps": None}, "Estimated by the method 'delong', it is"),
        ({"details": {"error": "ValueError: why"}}, "No bbc interval could be computed: Value"),
        (
            {"estimate": -12345.6, "low": 0.00012},
            "it is -1.23e+04 (95% confidence interval 0.00012 to",
        ),
        ({"low": 0.01, "high": 999.5}, "95% confidence interval 0.010 to 999.500"),
        ({"low": 0.00123, "high": 1000}, "95% confidence interval 0.00123 to 1e+03"),
        ({"low": np.nan}, "(no interval)"),
        ({"high": np.nan}, "(no interval)"),
        ({"low": -np.inf, "high": np.inf}, "95% confidence interval -inf to inf"),
        ({"estimate": 0.0}, "it is 0.000"),
    ],
)
def test_other_kinds_of_results(fields, words):
    assert words in summarise(result(**fields), **SIZE)


def test_one_of_each_is_singular_and_unknown_samples_are_left_out():
    sentence = summarise(result(), **{**SIZE, "n_configs": 1, "n_splits": 1, "n_samples": 0})
    assert "best of 1 configuration reached" in sentence
    assert "(1 split)" in sentence


def test_a_result_about_another_configuration_than_the_selected_one_names_both():
    two = result(details={"unit": "sample", "winner": 1, "best_index": 0})
    params = [{"text": "x" * 500}, {"C": 0.1, "model": "one\n   two"}]
    sentence = summarise(two, **SIZE, params=params)
    assert "about configuration 1 {'C': 0.1, 'model': 'one\\n two'}, not" in sentence
    assert sentence.endswith("x..., which the search selected.") and len(sentence) < 600
    unnamed = summarise(two, **SIZE)
    assert unnamed.endswith(
        "configuration 1, not about configuration 0, which the search selected."
    )


def test_pooling_is_named_where_it_is_most_of_the_difference():
    parts = {"pooling": 0.03, "selection": 0.0023}
    details = {"optimism_parts": parts, "mostly_pooling": True}
    sentence = summarise(result(details=details), **SIZE)
    assert sentence.endswith(
        "Of the difference between the two (0.032) 0.030 comes from pooling the folds, not from "
        "the selection: within_folds('roc_auc') scores each fold by itself."
    )
    assert "pooling" not in summarise(result(details={**details, "mostly_pooling": False}), **SIZE)
