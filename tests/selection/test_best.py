"""BestScore is what the methods always did, bit for bit."""

import numpy as np
import pytest

from sklearn_bbc.intervals import BBC, BBCF, RescaledBBC
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.selection import BestScore
from tests.selection.draws import draws, predictions


@pytest.mark.parametrize("method", [BBC, BBCF, RescaledBBC])
@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss"])
def test_the_default_bit_for_bit(method, scoring):
    oof = predictions(n_repeats=2)
    few = {"n_bootstraps": 200, "random_state": 0}
    one, other = method(**few), method(selection=BestScore(), **few)
    first, second = one.estimate(oof, scoring), other.estimate(oof, scoring)
    np.testing.assert_array_equal(first.draws, second.draws)
    assert (first.low, first.high) == (second.low, second.high)
    assert dict(first.details) == dict(second.details)


def test_the_winners_are_those_of_the_kernel():
    oof = predictions()
    kernel = as_metric("roc_auc").bind(oof)
    rule, counts = BestScore().bind(oof, kernel), draws(oof)
    outcome = rule.choose(counts)
    np.testing.assert_array_equal(outcome["config"], kernel.winners(counts))
    np.testing.assert_array_equal(
        rule.score(outcome, counts == 0), kernel.score_of(counts == 0, kernel.winners(counts))
    )
