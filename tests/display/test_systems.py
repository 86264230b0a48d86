"""The best of several systems: rows, intervals, what may be the best, the corrected score."""

import numpy as np
import pytest

from sklearn_bbc.display import SystemsDisplay
from sklearn_bbc.display._layout import INTERVAL
from tests.results.test_systems import best_of_losses, best_of_three, many

pytest.importorskip("matplotlib", reason="pictures need the extra 'plot'")
MEASURED = "as measured, with an interval for it alone"


def drawn(result, **options):
    return SystemsDisplay.from_results(result).plot(**options)


def dots(display):
    return {line.get_label(): line.get_xydata().tolist() for line in display.ax_.lines}


def rows(display):
    return [label.get_text() for label in display.ax_.get_yticklabels()]


def bands(display):
    return [tuple(patch.get_extents().get_points()[:, 1]) for patch in display.ax_.patches]


@pytest.mark.parametrize(
    ("result", "scores", "ends", "corrected", "name"),
    [
        (best_of_three(), [0.75, 0.5, 0.25], [(0.6, 0.85), (0.4, 0.65), (0.1, 0.3)],
         (0.6, 0.7, 0.8), "mean score (greater is better)"),
        (best_of_losses(), [0.25, 0.5, 0.75], [(0.15, 0.4), (0.45, 0.6), (0.7, 0.9)],
         (0.2, 0.3, 0.4), "cost (smaller is better)"),
    ],
)  # fmt: skip
def test_a_row_for_each_system_below_the_corrected_one(result, scores, ends, corrected, name):
    display = drawn(result)
    found = dots(display)
    assert rows(display) == ["b, corrected", "b", "a", "c"]
    assert display.ax_.get_yticks().tolist() == [0, -1, -2, -3]
    assert found[MEASURED] == [[score, -1 - k] for k, score in enumerate(scores)]
    assert found["corrected for the selection"] == [[corrected[1], 0]]
    segments = display.ax_.collections[0].get_segments()
    assert [(tuple(line[:, 0]), line[0, 1]) for line in segments] == [
        (each, -1 - k) for k, each in enumerate(ends)
    ]
    bars = [line.get_xdata().tolist() for line in display.ax_.lines
            if line.get_color() == INTERVAL and len(line.get_xdata()) == 2]  # fmt: skip
    assert bars == [[corrected[0], corrected[2]]]
    assert display.ax_.get_xlabel() == name
    low, high = display.ax_.get_xlim()
    assert 0.7 * min(ends)[0] < low < min(ends)[0] and max(ends)[1] < high < 1.1 * max(ends)[1]


def test_what_may_be_the_best_is_shaded_once_in_the_legend():
    display = drawn(best_of_three(tied=["b", "c"]))
    y = display.ax_.transData.transform
    heights = [tuple(y([(0, low), (0, high)])[:, 1]) for low, high in ((-1.5, -0.5), (-3.5, -2.5))]
    assert bands(display) == [pytest.approx(each) for each in heights]
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert sorted(labels) == sorted([MEASURED, "corrected for the selection", "may be the best"])
    assert len(bands(drawn(best_of_three(tied=["b"])))) == 1


@pytest.mark.long
def test_a_figure_grows_with_its_rows_and_the_worst_are_counted():
    sizes = []
    for n, most, left_out in ((2, 30, 0), (31, 30, 1), (30, 30, 0), (7, 3, 4)):
        display = drawn(many(n), max_systems=most)
        n_rows = n - left_out
        assert len(rows(display)) == 1 + n_rows, "and the corrected one"
        assert rows(display)[:2] == [f"{n - 1}, corrected", str(n - 1)]
        label = display.ax_.get_xlabel()
        more = "1 more system with" if left_out == 1 else f"{left_out} more systems with"
        assert (more in label) == (left_out > 0)
        assert ("not shown" in label) == (left_out > 0)
        sizes.append((n_rows, display.figure_.get_figheight()))
        assert display.ax_.get_ylim() == pytest.approx((-n_rows - 0.6, 0.6))
    assert [height for _, height in sizes] == pytest.approx([1.8 + 0.3 * n for n, _ in sizes])


def test_the_means_that_a_tool_shows_are_crosses():
    details = {
        **best_of_three().details, "tool": "a tool", "tool_scores": {"b": 0.95, "c": 0.2},
    }  # fmt: skip
    result = best_of_three(details=details)
    assert result.frame()["tool_score"].tolist() == pytest.approx([0.95, np.nan, 0.2], nan_ok=True)
    assert "The mean that a tool has for it is 0.950." in result.summary()
    display = drawn(result)
    crosses = dots(display)["as a tool has it"]
    assert crosses[0] == [0.95, -1] and crosses[2] == [0.2, -3]
    assert display.ax_.get_xlim()[1] > 0.95
    assert "as a tool has it" not in dots(drawn(best_of_three()))


@pytest.mark.parametrize("most", [0, 2.5])
def test_how_many_systems_is_a_whole_number(most):
    with pytest.raises(ValueError, match=f"max_systems must be .* at least 1, got {most}"):
        drawn(best_of_three(), max_systems=most)
