"""The forest plot."""

import numpy as np
import pytest

from sklearn_bbc.display import IntervalsDisplay


def side_texts(display):
    return [text.get_text() for text in display.ax_.texts]


def bars(display):
    """Ends of the horizontal bars, from top to bottom."""
    lines = [line.get_xydata() for line in display.ax_.lines]
    level = [xy for xy in lines if len(xy) == 2 and xy[0, 1] == xy[1, 1]]
    return [tuple(xy[:, 0]) for xy in sorted(level, key=lambda xy: -xy[0, 1])]


def caps(display):
    return [line.get_xydata()[0, 0] for line in display.ax_.lines if line.get_marker() == "|"]


def test_rows_stand_from_top_to_bottom_with_their_numbers(results):
    display = IntervalsDisplay(results=results).plot()
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["BBC", "BBC-F"]
    assert list(display.ax_.get_yticks()) == [0, -1]
    assert bars(display) == [(0.84, 0.95), (0.8, 0.96)]
    assert caps(display) == [0.84, 0.95, 0.8], "the open side of a bound has none"
    assert side_texts(display) == [
        "0.900  [0.840, 0.950]",
        "0.890  [≥ 0.800]",
        "estimate  [95% interval]",
    ]


def test_there_is_space_above_the_rows_for_the_title_of_the_numbers_and_none_without(results):
    display = IntervalsDisplay(results=results).plot()
    assert display.ax_.get_ylim() == (-1.6, 1.0) and display.ax_.texts[-1].xy == (1, 0.75)
    without = IntervalsDisplay(results=results).plot(numbers=False)
    assert side_texts(without) == [] and without.ax_.get_ylim() == (-1.6, 0.6)


def test_levels_that_differ_are_not_called_by_one_name(make_interval):
    results = [make_interval(), make_interval(confidence_level=0.9)]
    display = IntervalsDisplay.from_results(results).plot()
    assert side_texts(display)[-1] == "estimate  [interval]"


def test_a_bound_at_infinity_leaves_the_picture(make_interval):
    loss = make_interval(
        metric="neg_log_loss", estimate=-0.3, low=-np.inf, high=-0.2, alternative="less"
    )
    display = IntervalsDisplay.from_results(loss).plot()
    _, right = display.ax_.get_xlim()
    assert np.isfinite(right)
    assert bars(display) == [(0.2, right)]
    assert caps(display) == [0.2]
    assert [line.get_marker() for line in display.ax_.lines if line.get_marker() in "<>"] == [">"]
    assert "0.300  [≥ 0.200]" in side_texts(display)


def test_the_lower_end_may_be_open_too(make_interval):
    gain = make_interval(metric="r2", estimate=0.3, low=-np.inf, high=0.4, alternative="less")
    display = IntervalsDisplay.from_results(gain).plot()
    assert bars(display) == [(display.ax_.get_xlim()[0], 0.4)]
    assert caps(display) == [0.4] and "0.300  [≤ 0.400]" in side_texts(display)


def test_what_could_not_be_computed_is_said(make_interval):
    failed = make_interval(estimate=np.nan, low=np.nan, high=np.nan, draws=None)
    point = make_interval("tt", estimate=0.85, low=np.nan, high=np.nan, draws=None)
    display = IntervalsDisplay.from_results({"failed": failed, "point": point}).plot()
    assert bars(display) == []
    assert side_texts(display)[:2] == ["undefined  no interval", "0.850  no interval"]


def test_only_undefined_results_still_give_a_picture(make_interval):
    failed = make_interval(estimate=np.nan, low=np.nan, high=np.nan, draws=None)
    IntervalsDisplay.from_results(failed).plot().figure_.draw_without_rendering()


def test_metrics_that_differ_share_an_axis_without_a_name(make_interval):
    both = [make_interval(), make_interval(metric="accuracy")]
    display = IntervalsDisplay.from_results(both).plot()
    assert display.ax_.get_xlabel() == "score (greater is better)"


@pytest.mark.parametrize(
    "value, text",
    [(0.5, "0.500"), (0, "0.000"), (0.00123, "0.00123"), (123.4, "123"), (2987.6, "2,988"),
     (3.2e7, "3.2e+07"), (np.nan, "undefined")],
)  # fmt: skip
def test_numbers_are_short_and_hide_nothing(make_interval, value, text):
    point = make_interval(estimate=value, low=np.nan, high=np.nan, draws=None)
    display = IntervalsDisplay.from_results(point).plot()
    assert side_texts(display)[0] == f"{text}  no interval"
