"""Width and power by the number of samples: lines, band, target, round numbers."""

import numpy as np
import pytest

from sklearn_bbc.display import SampleSizeDisplay
from sklearn_bbc.display._planning import round_numbers
from tests.results.test_planning import GROUPS, TWO_SIDES, WIDTHS, sizes

plt = pytest.importorskip("matplotlib.pyplot", reason="pictures need the extra 'plot'")


def drawn(**fields):
    return SampleSizeDisplay.from_results(sizes(**fields)).plot()


def lines(display):
    return {line.get_label(): line.get_xydata().tolist() for line in display.ax_.lines}


def test_widths_have_a_line_a_band_and_the_law_of_the_square_root():
    display = drawn(widths=[[0.3, 0.1, 0.4, 0.2, 0.5], WIDTHS[1]])
    found = lines(display)
    assert found == {
        "median": [[100, 0.3], [400, 0.15]], "square root law": [[100, 0.3], [400, 0.15]]
    }  # fmt: skip
    (band,) = display.ax_.collections
    corners = {tuple(each) for each in band.get_paths()[0].vertices.round(9).tolist()}
    assert corners == {(100, 0.14), (100, 0.46), (400, 0.07), (400, 0.23)}
    assert band.get_label() == "80% of studies" and band.get_linewidth() == 0
    assert (
        display.ax_.get_ylabel().replace("\n", " ") == "width of the 95% interval of the ROC AUC"
    )
    assert display.ax_.get_xlabel() == "samples" and display.ax_.get_xscale() == "log"
    assert display.ax_.get_xlim() == pytest.approx((90, 440))
    assert "90% are at most so wide" in lines(drawn(assurance=0.9))


def test_sizes_without_an_interval_are_left_out():
    display = drawn(widths=[[np.nan] * 5, WIDTHS[1]])
    assert lines(display)["median"] == [[400, 0.15]]
    assert display.ax_.get_xlim() == pytest.approx((360, 440))


@pytest.mark.parametrize(
    ("target", "n_samples", "bottom", "ends"),
    [(0.13, 500, 0.117, (90, 550)), (0.4, 50, None, (45, 440))],
)
def test_the_target_and_the_number_that_reaches_it(target, n_samples, bottom, ends):
    display = drawn(target=target, n_samples=n_samples, widths=[[0.3] * 5, [0.15] * 5])
    marked = lines(display)[f"target: {n_samples:,}"]
    lowest = display.ax_.get_ylim()[0]
    assert marked == [[100, target], [n_samples, target], [n_samples, lowest]]
    assert lowest == pytest.approx(bottom) if bottom else lowest < 0.15
    assert display.ax_.get_xlim() == pytest.approx(ends)


def test_power_has_one_line_from_zero_to_one():
    display = drawn(**TWO_SIDES)
    assert lines(display) == {"power": [[100, 0.4], [400, 0.8]]}
    assert display.ax_.get_ylim() == (-0.03, 1.03) and not display.ax_.collections
    assert display.ax_.get_ylabel() == "power to show the difference in ROC AUC"


def test_words_of_other_units_and_few_ticks_in_little_room():
    result = sizes(details={**GROUPS, "sign": -1}, metric="neg_cost", sizes=[40, 1600])
    _, ax = plt.subplots(figsize=(3, 3), layout="constrained")
    for given, most in ((None, 6), (ax, 3)):
        display = SampleSizeDisplay(result=result).plot(given)
        assert display.ax_.get_xlabel() == "items"
        assert "interval of the cost" in display.ax_.get_ylabel().replace("\n", " ")
        ticks = [label.get_text() for label in display.ax_.get_xticklabels()]
        assert 2 <= len(ticks) <= most and "1,000" in ticks, most


@pytest.mark.parametrize(
    ("low", "high", "most", "expected"),
    [
        (100, 400, 6, [100, 150, 200, 300, 400]),
        (100, 400, 5, [100, 150, 200, 300, 400]),
        (100, 400, 4, [100, 200]),
        (90, 1100, 4, [100, 200, 500, 1000]),
        (90, 1100, 3, [100, 300, 1000]),
        (90, 1100, 2, [100, 1000]),
        (1, 10**6, 3, [1, 1000, 10**6]),
        (110, 130, 6, [110]),
    ],
)
def test_round_numbers(low, high, most, expected):
    assert round_numbers(low, high, most) == expected
