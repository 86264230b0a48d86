"""SimplestTied: a margin by hand, and the hook for other ideas of a tie."""

import numpy as np
import pytest

from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.selection import BestScore, SimplestTied, Tied
from tests.selection.draws import draws, predictions


def test_equal_to_a_plain_loop():
    oof = predictions()
    kernel = as_metric("roc_auc").bind(oof)
    counts = draws(oof)
    depths = np.array([each["depth"] for each in oof.params])
    expected = []
    for scores in kernel.scores(counts):
        good = np.flatnonzero(scores >= scores.max() - 0.05)
        expected.append(min(good, key=lambda k: (depths[k], -scores[k])))
    found = SimplestTied("depth", margin=0.05).bind(oof, kernel).choose(counts)
    np.testing.assert_array_equal(found["config"], expected)


def test_margin_zero_and_no_ties_is_the_best_score():
    oof = predictions()
    kernel = as_metric("neg_log_loss").bind(oof)
    counts = draws(oof)
    np.testing.assert_array_equal(
        SimplestTied("depth", margin=0).bind(oof, kernel).choose(counts)["config"],
        BestScore().bind(oof, kernel).choose(counts)["config"],
    )


class TopHalf(Tied):
    def members(self, kernel, weights, scores):
        return scores >= np.median(scores, axis=1, keepdims=True)


def test_an_object_decides_what_is_tied():
    oof = predictions()
    result = BBC(
        selection=SimplestTied("depth", margin=TopHalf()), n_bootstraps=64, random_state=0
    ).estimate(oof, "roc_auc")
    assert result.details["mean_tied"] == pytest.approx(3, abs=0.3)


@pytest.mark.parametrize("margin", [-0.1, np.inf, np.nan, "small", True, None])
def test_other_margins_are_refused(margin):
    oof = predictions()
    rule = SimplestTied("depth", margin=margin)
    with pytest.raises(ValueError, match="margin must be"):
        rule.bind(oof, as_metric("accuracy").bind(oof))
