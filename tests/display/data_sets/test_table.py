"""What boxes and ranks share: the table that they take, and how boxes are drawn."""

import numpy as np
import pandas as pd
import pytest

from sklearn_bbc.display import BoxesDisplay, RanksDisplay

pytest.importorskip("matplotlib", reason="pictures need the extra 'plot'")
both = pytest.mark.parametrize("cls", [BoxesDisplay, RanksDisplay])
SCORES = pd.DataFrame({"A": [1.0, 2, 3, 4, 20], "B": [5.0, 6, 7, 8, 9]})


def test_a_box_has_the_quartiles_and_whiskers_leave_out_what_is_far():
    display = BoxesDisplay.from_results(SCORES).plot()
    boxes = {round(p.get_y() + p.get_height() / 2): p for p in display.ax_.patches}
    assert (boxes[-1].get_x(), boxes[-1].get_width()) == (2.0, 2.0)
    level = [line.get_xydata() for line in display.ax_.lines if len(line.get_xydata()) == 2]
    of_a = [xy[:, 0].tolist() for xy in level if xy[0, 1] == xy[1, 1] == -1]
    assert of_a == [[1.0, 2.0], [4.0, 4.0]], "20 is beyond one and a half boxes"
    medians = [xy[0, 0] for xy in level if xy[0, 0] == xy[1, 0] and xy[0, 1] != xy[1, 1]]
    assert medians == [7.0, 3.0]


@both
def test_every_data_set_is_a_dot(cls):
    display = cls.from_results(SCORES).plot()
    dots = [line.get_xydata()[:, 0] for line in display.ax_.lines if line.get_marker() == "o"]
    np.testing.assert_allclose(np.sort(dots), np.sort(display.frame().to_numpy().T))
    assert "dot: 5 data sets" in display.ax_.get_xlabel()


@both
@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        ([1.0, 2.0], {}, r"scores has shape \(2,\), expected"),
        (np.empty((0, 2)), {}, r"scores has shape \(0, 2\)"),
        ([["a", "b"]], {}, "scores must hold numbers"),
        ([[1.0, np.nan]], {}, "there is nan in row 0, column 1. Leave out data sets"),
        ([[1.0, 2.0]], {"names": ["A", "A"]}, "names must be 2 different names"),
        ([[1.0, 2.0]], {"names": ["A"]}, "names must be 2 different names"),
    ],
)
def test_what_is_refused(cls, scores, options, message):
    with pytest.raises(ValueError, match=message):
        cls.from_results(scores, **options)


@both
def test_names_and_index(cls):
    plain = cls.from_results([[1.0, 2.0]]).frame()
    assert list(plain.columns) == ["learner 1", "learner 0"]
    named = cls.from_results([[1.0, 2.0]], names=["x", "y"]).frame()
    assert list(named.columns) == ["y", "x"]
    indexed = cls.from_results(SCORES.set_axis(list("abcde"))).frame()
    assert indexed.index.tolist() == list("abcde")


@both
def test_a_search_has_one_data_set(cls):
    with pytest.raises(ValueError, match="a search has seen one data set"):
        cls.from_search(object())


@pytest.mark.parametrize("sign", [1, -1])
def test_a_whisker_does_not_reach_into_the_box(sign):
    """The lower quartile is between 0, which is too far away, and the first of the tens."""
    display = BoxesDisplay.from_results(pd.DataFrame({"A": [0.0, sign, sign, sign]})).plot()
    level = [line.get_xydata() for line in display.ax_.lines if len(line.get_xydata()) == 2]
    whiskers = [xy[:, 0].tolist() for xy in level if xy[0, 1] == xy[1, 1]]
    ends = sorted([0.75 * sign, float(sign)])
    assert whiskers == [[ends[0]] * 2, [ends[1]] * 2]
