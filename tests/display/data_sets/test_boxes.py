"""Boxes of scores: order, sign and name."""

import pandas as pd
import pytest

from sklearn_bbc.display import BoxesDisplay

pytest.importorskip("matplotlib", reason="pictures need the extra 'plot'")
LOSSES = pd.DataFrame({"worse": [0.5, 0.6, 0.7], "better": [0.1, 0.2, 0.3]})


@pytest.mark.parametrize(
    ("scores", "options"),
    [
        (LOSSES, {"metric": "log_loss", "greater_is_better": False}),
        (-LOSSES, {"metric": "neg_log_loss"}),
    ],
)
def test_a_loss_is_printed_as_it_is_and_the_smallest_is_on_top(scores, options):
    display = BoxesDisplay.from_results(scores, **options).plot()
    pd.testing.assert_frame_equal(display.frame(), LOSSES[["better", "worse"]])
    assert display.ax_.get_xlabel().startswith("log loss (smaller is better)")


def test_an_own_loss_and_scores_without_a_name():
    own = BoxesDisplay.from_results(LOSSES, metric="my_cost", greater_is_better=False).plot()
    assert own.ax_.get_xlabel().startswith("my_cost (smaller is better)")
    assert list(own.frame()) == ["better", "worse"]
    plain = BoxesDisplay.from_results(LOSSES).plot()
    assert plain.ax_.get_xlabel().startswith("score (greater is better)")
    assert list(plain.frame()) == ["worse", "better"]
