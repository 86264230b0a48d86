"""Boxes of ranks: those of the tests over data sets."""

import numpy as np
import pytest

from sklearn_bbc.comparison import Nemenyi
from sklearn_bbc.display import RanksDisplay

pytest.importorskip("matplotlib", reason="pictures need the extra 'plot'")


@pytest.mark.parametrize("greater_is_better", [True, False])
def test_mean_ranks_are_those_of_the_test(greater_is_better):
    scores = np.random.default_rng(0).integers(0, 4, size=(9, 4)).astype(float)  # with ties
    display = RanksDisplay.from_results(scores, greater_is_better=greater_is_better)
    expected = Nemenyi().compare(scores, greater_is_better=greater_is_better).frame()
    means = display.frame().mean()
    assert dict(means) == pytest.approx(
        dict(zip(expected["learner"], expected["mean_rank"], strict=True))
    )
    assert means.is_monotonic_increasing


def test_the_label_says_by_what():
    plain = RanksDisplay.from_results([[1.0, 2.0, 3.0]]).plot()
    assert plain.ax_.get_xlabel().startswith("rank (1 is the best of 3)")
