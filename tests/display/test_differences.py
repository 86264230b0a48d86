"""The forest plot of differences: bars, arrows, texts, and that everything has its place."""

import numpy as np
import pytest

from sklearn_bbc.display import DifferencesDisplay
from sklearn_bbc.results import ComparisonResult

pytest.importorskip("matplotlib", reason="pictures need the extra 'plot'")
MINUS = "\N{MINUS SIGN}"


def difference(value=0.03, low=0.01, high=0.05, **fields):
    given = {
        "statistic": 2.0, "p_value": 0.004, "confidence_level": 0.95, "alternative": "two-sided",
        "method": "paired_t", "label": "paired t test", "metric": "roc_auc", "estimand": "models",
        "names": ("forest", "tree"),
    }  # fmt: skip
    return ComparisonResult(difference=value, low=low, high=high, **{**given, **fields})


TWO_SIDED = difference()
LOWER = difference(0.06, 0.02, 1.0, alternative="greater", p_value=1e-5, names=("forest", "dummy"))
UPPER = difference(-0.01, -1.0, 0.02, alternative="less", names=("tree", "dummy"))
ROPE = difference(
    0.004, -0.02, 0.03, p_value=np.nan, details={"rope": 0.01}, label="Bayesian correlated t test",
    names=("forest", "boosting with many trees"),
)  # fmt: skip
NO_INTERVAL = difference(0.02, np.nan, np.nan, names=("forest", "neighbours"))
UNDEFINED = difference(np.nan, np.nan, np.nan, p_value=np.nan, names=("a", "b"))
ALL = [TWO_SIDED, LOWER, UPPER, ROPE, NO_INTERVAL, UNDEFINED]


def drawn(*results, **options):
    return DifferencesDisplay.from_results(list(results), **options).plot()


def marks(display, marker):
    """Places of all marks of a kind."""
    return [
        tuple(line.get_xydata()[0]) for line in display.ax_.lines if line.get_marker() == marker
    ]


def bars(display):
    lines = [line.get_xydata() for line in display.ax_.lines if line.get_marker() == "None"]
    return [tuple(xy[:, 0]) for xy in lines if xy[0, 1] == xy[1, 1]]


def beside(display):
    return [text.get_text() for text in display.ax_.texts]


def test_a_row_shows_difference_interval_and_zero():
    display = drawn(TWO_SIDED)
    assert marks(display, "o") == [(0.03, 0)]
    assert marks(display, "|") == [(0.01, 0), (0.05, 0)]
    assert bars(display) == [(0.01, 0.05)]
    assert display.ax_.get_xlim()[0] < 0 and display.ax_.get_xlim()[1] > 0.05
    assert not marks(display, "<") and not marks(display, ">")
    assert [
        line.get_xdata() for line in display.ax_.lines if list(line.get_ydata()) == [0, 1]
    ] == [[0, 0]]
    assert beside(display) == ["0.030  [0.010, 0.050]\np = 0.004, paired t test"]
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == [
        f"forest {MINUS} tree"
    ]


def test_a_side_without_a_bound_ends_in_an_arrow_at_the_edge():
    display = drawn(LOWER, UPPER)
    left, right = display.ax_.get_xlim()
    assert right < 0.1 and left > -0.1, "the range of the metric does not stretch the axis"
    assert marks(display, ">") == [(right, 0)] and marks(display, "<") == [(left, -1)]
    assert marks(display, "|") == [(0.02, 0), (0.02, -1)]
    assert bars(display) == [(0.02, right), (left, 0.02)]
    assert beside(display) == [
        "0.060  [≥ 0.020]\np < 0.001",
        f"{MINUS}0.010  [≤ 0.020]\np = 0.004",
    ]


def test_what_is_missing_is_said():
    display = drawn(NO_INTERVAL, UNDEFINED)
    assert bars(display) == [] and marks(display, "o") == [(0.02, 0)]
    (dot,) = (line for line in display.ax_.lines if line.get_marker() == "o")
    assert dot.get_markerfacecolor() == "white", "an open dot has no interval"
    assert beside(display) == [
        "0.020  no interval\np = 0.004",
        "undefined",
    ]
    drawn(UNDEFINED).figure_.draw_without_rendering()


def regions(display):
    return [
        (box.x0, box.x1, box.y0, box.y1)
        for box in (c.get_paths()[0].get_extents() for c in display.ax_.collections)
    ]


def test_the_region_of_practical_equivalence_of_a_row_or_of_all():
    display = drawn(TWO_SIDED, ROPE)
    assert regions(display) == [pytest.approx((-0.01, 0.01, -1.5, -0.5))]
    assert "shaded: equivalent in practice (±0.010)" in display.ax_.get_xlabel()
    assert display.ax_.collections[0].get_linewidth() == 0, "no wider than the region"
    given = drawn(TWO_SIDED, ROPE, rope=0.08)
    assert [row[:2] for row in regions(given)] == [(-0.08, 0.08)] * 2
    assert given.ax_.get_xlim()[0] < -0.08, "all of the region is shown"
    assert given.frame()["rope"].tolist() == [0.08, 0.08]
    assert "shaded" not in drawn(TWO_SIDED, rope=0).ax_.get_xlabel()
    assert "shaded" not in drawn(TWO_SIDED).ax_.get_xlabel()


def test_labels():
    def labels(results):
        return list(DifferencesDisplay.from_results(results).frame().index)

    assert labels({"one": TWO_SIDED, 2: LOWER}) == ["one", "2"]
    assert labels(LOWER) == [f"forest {MINUS} dummy"]
    other = difference(label="DeLong's test", method="paired_delong")
    assert labels([TWO_SIDED, other]) == [
        f"forest {MINUS} tree, paired t test", f"forest {MINUS} tree, DeLong's test",
    ]  # fmt: skip
    assert labels([TWO_SIDED, difference(alternative="less")])[1].endswith("95% upper bound")
    assert labels([TWO_SIDED, TWO_SIDED]) == [f"{k}: forest {MINUS} tree" for k in (1, 2)]


def test_the_axis_says_what_all_rows_share():
    begin = "difference in ROC AUC, 95% intervals\n(positive: the first is better)"
    assert drawn(TWO_SIDED).ax_.get_xlabel() == begin
    assert drawn(TWO_SIDED, LOWER).ax_.get_xlabel() == f"{begin}\npaired t test"
    other = drawn(TWO_SIDED, difference(label="DeLong's test"))
    assert other.ax_.get_xlabel() == begin
    assert beside(other)[1].endswith("p = 0.004, DeLong's test")
    mixed = drawn(TWO_SIDED, difference(metric="f1", confidence_level=0.9))
    assert mixed.ax_.get_xlabel().startswith("difference in score, intervals")


def test_the_frame_has_the_numbers_in_order():
    frame = DifferencesDisplay.from_results(ALL).frame()
    assert frame["difference"].tolist()[:5] == [0.03, 0.06, -0.01, 0.004, 0.02]
    assert frame["rope"].notna().tolist() == [False, False, False, True, False, False]
    assert frame.loc[f"forest {MINUS} dummy", ["first", "second"]].tolist() == ["forest", "dummy"]


def test_in_little_room_the_numbers_come_first():
    import matplotlib.pyplot as plt

    def written(height):
        _, ax = plt.subplots(figsize=(3, height), layout="constrained")
        DifferencesDisplay(results=[TWO_SIDED, LOWER, ROPE]).plot(ax=ax)
        return ax.get_yticklabels()[0].get_text()

    text = f"forest {MINUS} tree\n0.030  [0.010, 0.050]"
    assert written(3.5) == f"{text}\np = 0.004, paired t test"
    assert written(1.2) == text


def test_a_search_has_to_be_compared_first():
    with pytest.raises(ValueError, match=r"need a baseline each: search.compare\(baseline\)"):
        DifferencesDisplay.from_search(object())
