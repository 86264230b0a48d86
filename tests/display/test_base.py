"""What every picture inherits."""

import numpy as np
import pandas as pd
import pytest

from sklearn_bbc.display import (
    BaseDisplay,
    IntervalsDisplay,
    OptimismDisplay,
)

plt = pytest.importorskip("matplotlib.pyplot", reason="pictures need the extra 'plot'")


class Plain(BaseDisplay):
    why_no_search = "it shows nothing"

    @classmethod
    def from_results(cls, results):
        return cls()

    def frame(self):
        return pd.DataFrame()

    def plot(self, ax=None):
        self._axes(ax, height=1.5, width=4.0)
        return self


def test_a_figure_of_the_asked_size_or_the_given_axes():
    display = Plain().plot()
    assert display.figure_.get_size_inches().tolist() == [4.0, 1.5]
    assert display.ax_ in display.figure_.axes
    _, (one, other) = plt.subplots(1, 2)
    assert Plain().plot(ax=other).ax_ is other and not one.has_data()


def test_a_search_that_cannot_be_shown_is_refused_with_the_reason():
    with pytest.raises(
        ValueError, match=r"A int cannot be shown as Plain: it shows nothing\. Use"
    ):
        Plain.from_search(3)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (
            lambda: IntervalsDisplay(3),
            TypeError,
            "IntervalsDisplay takes no .*from_search or",
        ),
        (lambda: OptimismDisplay(curv=3), TypeError, r"OptimismDisplay\(curve="),
        (lambda: Plain().plot("x"), ValueError, "ax must be matplotlib Axes or None, got 'x'"),
        (lambda: Plain().plot(np.ones(3)), ValueError, r"got an array of shape \(3,\)"),
    ],
)
def test_what_was_probably_meant(call, kind, words):
    with pytest.raises(kind, match=words):
        call()
