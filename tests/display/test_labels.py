"""Names of results, and the sign with which their metric is printed."""

import numpy as np
import pytest

from sklearn_bbc._text import MetricWords
from sklearn_bbc.display._layout import (
    direction,
    in_print,
    label_in_search,
    labelled,
    words_of,
)


def test_names_in_a_search(make_interval):
    assert label_in_search("bbc", make_interval("bbc")) == "BBC"
    assert label_in_search("bbc_2", make_interval("bbc")) == "BBC (2)"
    assert label_in_search("median_bbc", make_interval("median_bbc")) == "median_bbc"
    assert label_in_search("mine", make_interval("bbc")) == "mine"


def test_a_loss_is_turned_round_with_all_that_belongs_to_it(make_interval):
    loss = make_interval(
        metric="neg_log_loss", estimate=-0.3, low=-np.inf, high=-0.2, alternative="less"
    )
    words = words_of([loss])
    shown = in_print(loss, words)
    assert (shown.estimate, shown.low, shown.high) == (0.3, 0.2, np.inf)
    assert shown.alternative == "greater" and direction(words) == "log loss (smaller is better)"
    np.testing.assert_array_equal(shown.draws, -loss.draws)
    gain = make_interval()
    assert in_print(gain, words_of([gain])) is gain
    assert direction(words_of([gain])) == "ROC AUC (greater is better)"


def test_several_metrics_on_one_axis_have_no_name(make_interval):
    both = [make_interval(), make_interval(metric="neg_log_loss", estimate=-0.1)]
    assert words_of(both) == MetricWords("score")
    assert words_of(both, MetricWords("mine", -1)).is_loss, "what is known already is taken"


def test_one_wrong_result_is_named():
    with pytest.raises(ValueError, match="must be ConfidenceInterval objects, got float"):
        labelled(0.9)


def test_labels_that_are_printed_alike_are_refused(make_interval):
    with pytest.raises(ValueError, match=r"must have different labels, got \[1, '1'\]"):
        labelled({1: make_interval(), "1": make_interval()})
