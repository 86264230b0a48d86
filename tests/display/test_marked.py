"""What pictures of a search are about: its winner, not whatever has the best mean."""

import numpy as np
import pytest

from sklearn_bbc.display import DrawsDisplay, IntervalsDisplay
from sklearn_bbc.display._intervals import results_of_search


@pytest.fixture
def another_winner(search, make_interval):
    """The search selected configuration 0, by a rule of its own; 1 has the best mean."""
    search.ci_results_["roc_auc"] = {"bbc": make_interval(details={"winner": 0})}
    return search


def test_the_mark_is_the_score_of_the_winner(another_winner):
    results, best_score = results_of_search(another_winner)
    assert (best_score, list(results)) == (0.91, ["BBC"])
    for display in (IntervalsDisplay, DrawsDisplay):
        picture = display.from_search(another_winner)
        assert picture.best_score == 0.91
        assert picture.frame().loc["best CV score", "estimate"] == 0.91


def test_without_a_winner_the_best_mean_is_marked(search):
    search.cv_results_["mean_test_roc_auc"] = np.array([np.nan, 0.93])
    assert results_of_search(search)[1] == 0.93


@pytest.mark.parametrize("cls", [DrawsDisplay, IntervalsDisplay])
def test_a_result_with_the_label_of_a_mark_keeps_its_row(cls, make_interval):
    results = {"held-out score": make_interval(estimate=0.7), "BBC": make_interval()}
    frame = cls.from_results(results, held_out_score=0.8).frame()
    assert frame.index.tolist() == ["held-out score", "BBC", "held-out score"]
    assert frame["estimate"].tolist() == [0.7, 0.9, 0.8]
    if cls is DrawsDisplay:
        assert frame["n_draws"].isna().tolist() == [False, False, True]
