"""Plots over several data sets: boxes, ranks, coverages, critical differences."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from sklearn_bbc.comparison import BonferroniDunn, Friedman, Nemenyi
from sklearn_bbc.display import (
    BoxesDisplay,
    CoverageDisplay,
    CriticalDifferenceDisplay,
)

pytest.importorskip("matplotlib", reason="pictures need the extra 'plot'")
both = pytest.mark.parametrize("ranks", [False, True])
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
def test_every_data_set_is_a_dot(ranks):
    display = BoxesDisplay.from_results(SCORES, ranks=ranks).plot()
    dots = [line.get_xydata()[:, 0] for line in display.ax_.lines if line.get_marker() == "o"]
    np.testing.assert_allclose(np.sort(dots), np.sort(display.frame().to_numpy().T))
    assert "dot: 5 data sets" in display.ax_.get_xlabel()


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        ([1.0, 2.0], {}, r"scores has shape \(2,\), expected"),
        (np.empty((0, 2)), {}, r"scores has shape \(0, 2\)"),
        ([[1.0, np.nan]], {}, "there is nan in row 0, column 1. Leave out data sets"),
        ([[1.0, 2.0]], {"names": ["A", "A"]}, "names must be 2 different names"),
        ([[1.0, 2.0]], {"names": ["A"]}, "names must be 2 different names"),
    ],
)
def test_tables_that_are_refused(scores, options, message):
    with pytest.raises(ValueError, match=message):
        BoxesDisplay.from_results(scores, **options)


@both
def test_names_and_index(ranks):
    plain = BoxesDisplay.from_results([[1.0, 2.0]], ranks=ranks).frame()
    assert list(plain.columns) == ["learner 1", "learner 0"]
    named = BoxesDisplay.from_results([[1.0, 2.0]], names=["x", "y"], ranks=ranks).frame()
    assert list(named.columns) == ["y", "x"]
    table = SCORES.set_axis(list("abcde"))
    indexed = BoxesDisplay.from_results(table, ranks=ranks).frame()
    assert indexed.index.tolist() == list("abcde")


def test_a_search_has_one_data_set():
    with pytest.raises(ValueError, match="a search has seen one data set"):
        BoxesDisplay.from_search(object())


@pytest.mark.parametrize("sign", [1, -1])
def test_a_whisker_does_not_reach_into_the_box(sign):
    """The lower quartile is between 0, which is too far away, and the first of the tens."""
    display = BoxesDisplay.from_results(pd.DataFrame({"A": [0.0, sign, sign, sign]})).plot()
    level = [line.get_xydata() for line in display.ax_.lines if len(line.get_xydata()) == 2]
    whiskers = [xy[:, 0].tolist() for xy in level if xy[0, 1] == xy[1, 1]]
    ends = sorted([0.75 * sign, float(sign)])
    assert whiskers == [[ends[0]] * 2, [ends[1]] * 2]


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


@pytest.mark.parametrize("greater_is_better", [True, False])
def test_mean_ranks_are_those_of_the_test(greater_is_better):
    scores = np.random.default_rng(0).integers(0, 4, size=(9, 4)).astype(float)  # with ties
    display = BoxesDisplay.from_results(scores, greater_is_better=greater_is_better, ranks=True)
    expected = Nemenyi().compare(scores, greater_is_better=greater_is_better).frame()
    means = display.frame().mean()
    assert dict(means) == pytest.approx(
        dict(zip(expected["learner"], expected["mean_rank"], strict=True))
    )
    assert means.is_monotonic_increasing


def test_the_label_says_by_what():
    plain = BoxesDisplay.from_results([[1.0, 2.0, 3.0]], ranks=True).plot()
    assert plain.ax_.get_xlabel().startswith("rank (1 is the best of 3)")


STUDY = pd.DataFrame(
    {"method": ["A", "A", "B", "B"], "coverage": [0.95, 0.90, 1.0, np.nan], "runs": 200}
)


def dots(display):
    found = {}
    for line in display.ax_.lines:
        if line.get_linestyle() == "None":
            found[line.get_label()] = sorted(line.get_xdata().tolist())
    return found


def test_dots_beyond_chance_have_marks_of_their_own():
    display = CoverageDisplay.from_results(STUDY).plot()
    assert dots(display) == {
        "as promised": [0.95], "too low": [0.9], "higher than promised": [1.0],
    }  # fmt: skip
    assert display.frame()["verdict"].tolist()[:3] == [
        "as promised", "too low", "higher than promised",
    ]  # fmt: skip
    assert pd.isna(display.frame()["verdict"][3])
    means = [line.get_xdata()[0] for line in display.ax_.lines if line.get_linewidth() == 2]
    assert means == pytest.approx([0.925, 1.0])


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_verdict_is_that_of_the_binomial_tests(level):
    n = 60
    study = pd.DataFrame({"method": "A", "coverage": np.arange(n + 1) / n, "runs": n})
    verdicts = CoverageDisplay.from_results(study, level=level).frame()["verdict"]
    for k, found in enumerate(verdicts):
        below = binomtest(k, n, level, alternative="less").pvalue < 0.025
        above = binomtest(k, n, level, alternative="greater").pvalue < 0.025
        expected = "too low" if below else "higher than promised" if above else "as promised"
        assert found == expected


def test_settings_without_a_coverage_are_counted():
    display = CoverageDisplay.from_results(STUDY).plot()
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == ["A", "B (1 undefined)"]


def test_without_numbers_of_runs_all_dots_look_the_same():
    display = CoverageDisplay.from_results(STUDY.drop(columns="runs"), level=0.9).plot()
    assert len(dots(display)) == 1 and display.ax_.get_legend() is None
    assert display.frame()["verdict"].isna().all()
    assert display.ax_.get_xlabel() == "coverage (90% is promised)"


def test_other_names_of_columns():
    study = STUDY.rename(columns={"coverage": "inclusion", "method": "how", "runs": "n"})
    display = CoverageDisplay.from_results(study, coverage="inclusion", method="how", runs="n")
    assert display.frame()["verdict"][1] == "too low"


def test_a_method_without_any_coverage_keeps_its_row():
    study = pd.concat([STUDY, pd.DataFrame({"method": ["C"], "coverage": [np.nan]})])
    display = CoverageDisplay.from_results(study).plot()
    assert len(display.ax_.get_yticks()) == 3


@pytest.mark.parametrize(
    ("study", "options", "message"),
    [
        (STUDY, {"coverage": "held"}, "study has no column 'held'; its columns are"),
        (STUDY, {"runs": "n"}, "study has no column 'n'"),
        (STUDY.assign(coverage=95.0), {}, "coverages must be between 0 and 1, got 95"),
        (STUDY.assign(coverage=np.nan), {}, "'coverage' has no coverage to show"),
    ],
)
def test_what_is_refused(study, options, message):
    with pytest.raises(ValueError, match=message):
        CoverageDisplay.from_results(study, **options)


def test_dots_without_a_number_of_runs_are_drawn_beside_others():
    study = STUDY.assign(runs=[np.nan, 200, 200, 200])
    display = CoverageDisplay.from_results(study, level=np.float32(0.95)).plot()
    assert sorted(x for xs in dots(display).values() for x in xs) == [0.9, 0.95, 1.0]
    assert display.frame()["verdict"].tolist()[:2] == [None, "too low"]


RANKED = np.array(
    [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.5], [0.7, 0.6, 0.5], [0.8, 0.7, 0.5],
     [0.9, 0.8, 0.6]]
)  # fmt: skip
ALIKE = np.random.default_rng(0).normal(size=(12, 5))


def drawn(ranking):
    return CriticalDifferenceDisplay.from_results(ranking).plot()


def bars(display):
    return [tuple(line.get_xdata()) for line in display.ax_.lines if line.get_linewidth() == 3.5]


def texts(display):
    return [text.get_text() for text in display.ax_.texts]


def test_bars_join_the_groups():
    display = drawn(Nemenyi().compare(RANKED, names=["A", "B", "C"]))
    assert bars(display) == [pytest.approx((0.96, 2.04)), pytest.approx((1.96, 3.04))]
    assert {"A (1.00)", "B (2.00)", "C (3.00)", "CD = 1.35"} <= set(texts(display))
    assert display.frame()["groups"].tolist() == [(0,), (0, 1), (1,)]
    assert display.is_significant is True


def test_a_control_has_one_bar_around_itself():
    ranking = BonferroniDunn(control="B").compare(RANKED, names=["A", "B", "C"])
    half = ranking.critical_difference
    display = drawn(ranking)
    assert bars(display) == [pytest.approx((max(0.9, 2 - half), min(3.1, 2 + half)))]
    bold = [text.get_text() for text in display.ax_.texts if text.get_fontweight() == "bold"]
    assert bold == ["B (2.00)"]


def test_the_axis_can_be_turned_round():
    ranking = Nemenyi().compare(RANKED, names=["A", "B", "C"])

    def places(display):
        display.figure_.draw_without_rendering()
        return {text.get_text(): text.get_window_extent() for text in display.ax_.texts}

    usual = drawn(ranking)
    turned = CriticalDifferenceDisplay.from_results(ranking).plot(best_on_left=False)
    assert bars(turned) == bars(usual)
    ours, theirs = places(usual), places(turned)
    assert ours["A (1.00)"].x0 < ours["1"].x0 < ours["3"].x0 < ours["C (3.00)"].x0
    assert theirs["A (1.00)"].x0 > theirs["1"].x0 > theirs["3"].x0 > theirs["C (3.00)"].x0
    for found in (ours, theirs):
        boxes = list(found.values())
        assert not any(b.overlaps(o) for k, b in enumerate(boxes) for o in boxes[:k])


def test_no_difference_is_said():
    ranking = Nemenyi().compare(ALIKE)
    assert ranking.details["friedman_p_value"] > 0.05
    display = drawn(ranking)
    assert display.is_significant is False
    assert any(
        text.startswith("not significant (Friedman's test, p = ") for text in texts(display)
    )
    shown = drawn(Nemenyi().compare(RANKED))
    assert not any(text.startswith("not significant") for text in texts(shown))


def test_what_has_no_diagram_is_refused():
    with pytest.raises(ValueError, match="compares no pairs"):
        CriticalDifferenceDisplay.from_results(Friedman().compare(RANKED))
    with pytest.raises(ValueError, match="a search has seen one data set"):
        CriticalDifferenceDisplay.from_search(object())
