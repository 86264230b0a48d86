"""Learning curves, optimism, corrected curves and stability."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from sklearn_bbc.comparison import learning_curve_intervals
from sklearn_bbc.display import (
    CurveDisplay,
    LearningCurveDisplay,
    OptimismDisplay,
    StabilityDisplay,
)
from sklearn_bbc.display._curves import _size_ticks
from sklearn_bbc.results import OptimismCurve
from tests.results import test_curves as values

pytest.importorskip("matplotlib", reason="pictures need the extra 'plot'")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] + RNG.normal(size=60) > 0).astype(int)


def curve(**options):
    return learning_curve_intervals(LogisticRegression(), X, Y, random_state=0, **options)


def lines(display):
    return {line.get_label(): line.get_xydata() for line in display.ax_.lines}


def test_lines_show_the_numbers():
    result = curve(n_repeats=1)
    display = LearningCurveDisplay.from_results(result).plot()
    drawn, frame = lines(display), result.frame()
    assert drawn["test"][:, 0].tolist() == result.sizes.tolist()
    assert drawn["test"][:, 1].tolist() == frame["test_score"].tolist()
    assert drawn["training"][:, 1].tolist() == frame["train_score"].tolist()
    assert drawn["fitted"][-1].tolist() == pytest.approx([48, result.predict(48)])
    assert len(display.ax_.collections) == 2, "a band for each score"


def test_without_a_fit_there_is_no_curve():
    display = LearningCurveDisplay.from_results(curve(n_repeats=1, fit=False)).plot()
    assert set(lines(display)) == {"test", "training"}


def test_what_is_refused():
    with pytest.raises(ValueError, match="pass the search to learning_curve_intervals"):
        LearningCurveDisplay.from_search(object())


def test_a_loss_is_printed_without_its_minus():
    result = curve(scoring="neg_log_loss", n_repeats=1)
    frame = result.frame()
    display = LearningCurveDisplay(result=result).plot()
    drawn = lines(display)
    np.testing.assert_allclose(drawn["test"][:, 1], -frame["test_score"])
    np.testing.assert_allclose(drawn["fitted"][-1, 1], -result.predict(frame.index[-1]))
    band = display.ax_.collections[1].get_paths()[0].vertices[:, 1]
    assert band.max() == pytest.approx(-frame["low"].min())
    assert display.ax_.get_ylabel() == "log loss\n(smaller is better)"
    assert (display.frame()["test_score"] < 0).all(), "numbers stay in scorer orientation"


def tried(sign=1, metric="roc_auc"):
    best = sign * np.array([[0.5, 0.7], [0.8, 0.9], [0.95, np.nan]])
    return OptimismCurve(
        sizes=[1, 10, 300], best=best, corrected=best - 0.1, metric=metric, n_bootstraps=100
    )


def test_lines_are_means_and_bands_hold_the_subsets():
    display = OptimismDisplay.from_results(tried()).plot()
    drawn = lines(display)
    np.testing.assert_allclose(drawn["uncorrected"], [[1, 0.6], [10, 0.85], [300, 0.95]])
    np.testing.assert_allclose(drawn["corrected (BBC)"][:, 1], [0.5, 0.75, 0.85])
    band = display.ax_.collections[0].get_paths()[0].vertices
    assert band[:, 1].min() == pytest.approx(0.51) and band[:, 1].max() == pytest.approx(0.95)
    assert [each.get_linewidth() for each in display.ax_.collections] == [0, 0], "bands, no lines"
    assert display.ax_.get_xscale() == "log"
    assert "5% to 95% of random subsets" in display.ax_.get_xlabel()


def test_a_loss_has_its_printed_sign():
    display = OptimismDisplay.from_results(tried(-1, "neg_log_loss")).plot()
    drawn = lines(display)
    assert drawn["uncorrected"][0, 1] == pytest.approx(0.6)
    assert drawn["corrected (BBC)"][0, 1] == pytest.approx(0.7), "the corrected loss is larger"
    assert display.ax_.get_ylabel() == "log loss\n(smaller is better)"
    assert display.frame()["best"].iloc[0] == pytest.approx(-0.6)


@pytest.mark.parametrize("most", [3, 7])
@pytest.mark.parametrize("largest", [1, 2, 5, 14, 99, 113, 1000, 2000, 123456])
def test_ticks_are_few_and_end_with_all(largest, most):
    found = _size_ticks(largest, most)
    assert found[0] == 1 and found[-1] == largest and len(found) <= most
    assert all(later >= 1.6 * tick for tick, later in pairwise(found))
    assert found == sorted(set(found))


def test_what_optimism_passes_to_the_search():
    class Search:
        def optimism_curve(self, **options):
            self.options = options
            return tried()

    search = Search()
    assert OptimismDisplay.from_search(search, n_subsets=7).curve == tried()
    assert search.options == {"n_subsets": 7}


LIMITS = {
    "apparent": [0.5, 0.6], "estimate": [0.4, 0.5], "low": [0.3, 0.4], "high": [0.5, 0.7],
    "low_joint": [0.1, 0.2], "high_joint": [0.6, 0.9],
}  # fmt: skip


def test_a_curve_shows_both_lines_both_bands_and_references():
    result = values.curve(**LIMITS, references={"chance": [0.2, 0.5]}, confidence_level=0.9)
    display = CurveDisplay.from_results(result).plot()
    shown = lines(display)
    assert shown["corrected"].tolist() == [[0.2, 0.4], [0.5, 0.5]]
    assert shown["apparent"].tolist() == [[0.2, 0.5], [0.5, 0.6]]
    assert shown["chance"].tolist() == [[0.2, 0.2], [0.5, 0.5]]
    markers = {line.get_label(): line.get_marker() for line in display.ax_.lines}
    assert markers["corrected"] == "o" and markers["apparent"] == "None"
    bands = {each.get_label(): each.get_paths()[0].vertices for each in display.ax_.collections}
    for label, low, high in (
        ("90%, whole curve", [0.1, 0.2], [0.6, 0.9]), ("90%, each point", [0.3, 0.4], [0.5, 0.7])
    ):  # fmt: skip
        corners = {(x, y) for x, y in bands[label].tolist()}
        assert corners == set(zip([0.2, 0.5] * 2, [*low, *high]))
    assert display.ax_.get_xlabel() == "false positive rate" and not display.ax_.patches


@pytest.mark.parametrize(
    ("curve", "lowest", "ends"),
    [("roc", 0.1, (-0.03, 1.03)), ("calibration", 0.1, (-0.03, 1.03)),
     ("other", 0.1, (0.076, 0.924)), ("net_benefit", 0.1, (0.076, 0.924)),
     ("net_benefit", -7, (-0.3051, 0.9351))],
)  # fmt: skip
def test_limits_of_the_axis_hold_all_that_matters(curve, lowest, ends):
    """Far below zero no net benefit matters: three tenths of the most that there is are shown."""
    result = values.curve(
        curve=curve,
        **{**LIMITS, "low_joint": [lowest, 0.2]},
        references={"treat all": [0.9, -0.3]},
    )
    ax = CurveDisplay.from_results(result).plot().ax_
    assert ax.get_ylim() == pytest.approx(ends)
    assert (ax.get_aspect() == 1) == (curve in ("roc", "calibration"))


def test_a_difference_has_its_own_lines_and_limits():
    columns = np.array([[0.2, 0.1, 0.05, 0.15, -0.1, 0.3], [7, 6, 5, 8, 4, 9.0]])
    result = values.curve(
        curve="net_benefit", y_label="net benefit", **LIMITS,
        references={"treat all": [0.4, -6.0], "treat none": [0.0, 0.0]},
        differences={"treat all": columns, "treat none": columns + 1},
    )  # fmt: skip
    for name, more in (("treat all", 0), ("treat none", 1)):
        display = CurveDisplay.from_results(result, difference_to=name).plot()
        drawn = lines(display)
        assert drawn["corrected"].tolist() == [[0.2, 0.1 + more], [0.5, 6 + more]]
        assert drawn["apparent"].tolist() == [[0.2, 0.2 + more], [0.5, 7 + more]]
        assert drawn[name].tolist() == [[0.2, 0], [0.5, 0]] and len(drawn) == 3
        bands = {each.get_label(): each.get_paths()[0] for each in display.ax_.collections}
        ends = [bands[f"95%, {of}"].vertices[:, 1] for of in ("whole curve", "each point")]
        found = [end for each in ends for end in (each.min(), each.max())]
        assert found == pytest.approx([more - 0.1, more + 9, more + 0.05, more + 8])
        # Where treating all costs 6 nobody looks, and the rest would be a line at zero.
        bottom, top = display.ax_.get_ylim()
        assert bottom < min(more - 0.1, 0) and more + 0.3 < top < more + 0.4
        assert display.ax_.get_ylabel() == f"net benefit, difference to {name}"
        assert display.frame().equals(result.frame(name))
    with pytest.raises(ValueError, match=r"difference_to must be one of .* got 'all'"):
        CurveDisplay(result=result, difference_to="all")


@pytest.mark.parametrize("treated", [[-6.0, -7.0], [0.4, -6.0]])
@pytest.mark.parametrize("value", [0.0, np.nan])
def test_a_difference_at_high_thresholds_only_or_of_nothing_can_be_seen(treated, value):
    columns = np.array([[value] * 6, [6.5, 6, 5.5, 7, 5, 8.0]])
    result = values.curve(
        curve="net_benefit", **LIMITS, references={"treat all": treated},
        differences={"treat all": columns},
    )  # fmt: skip
    bottom, top = CurveDisplay(result=result, difference_to="treat all").plot().ax_.get_ylim()
    assert bottom < 0 < top and (top > 8) == (treated[0] < 0 or np.isnan(value))


def test_a_search_is_asked_for_the_curve_and_its_difference_is_drawn():
    class Search:
        def curve(self, curve, **options):
            self.asked = curve, options
            return values.curve(**LIMITS, differences={"treat all": np.ones((2, 6))})

    search = Search()
    display = CurveDisplay.from_search(search, "net_benefit", difference_to="treat all", grid=[1])
    assert search.asked == ("net_benefit", {"grid": [1]})
    assert (display.frame() == 1).all(axis=None)


def zorder(drawn):
    return drawn.get_zorder()


def test_bars_below_a_calibration_count_the_predicted_risks():
    risks = [0.01, 0.03, 0.05, 0.99, 1.0, 0.98, 0.97, np.nan]
    display = CurveDisplay.from_results(
        values.curve(curve="calibration", **LIMITS, predicted=risks)
    ).plot()
    bars = {round(bar.get_x(), 2): bar.get_height() for bar in display.ax_.patches}
    assert len(bars) == 25 and list(bars)[::24] == [0, 0.96]
    assert (bars[0], bars[0.04], bars[0.52], bars[0.96]) == pytest.approx((0.06, 0.03, 0, 0.12))
    bands = display.ax_.collections
    assert max(bar.get_zorder() for bar in display.ax_.patches) < min(map(zorder, bands))


def test_stability_shows_a_line_and_a_dot_for_each_sample():
    display = StabilityDisplay.from_results(values.stability()).plot()
    (lines_,) = (each for each in display.ax_.collections if hasattr(each, "get_segments"))
    ends = sorted(each.tolist() for each in lines_.get_segments())
    assert ends == [[[0.25, 0.1], [0.25, 0.3]], [[0.5, 0.4], [0.5, 0.6]]]
