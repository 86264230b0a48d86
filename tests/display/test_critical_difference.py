"""The critical difference diagram: ranks, bars, and what is said when nothing is shown."""

import numpy as np
import pytest

from sklearn_bbc.comparison import BonferroniDunn, Friedman, Nemenyi
from sklearn_bbc.display import CriticalDifferenceDisplay

pytest.importorskip("matplotlib", reason="pictures need the extra 'plot'")
SCORES = np.array(
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
    display = drawn(Nemenyi().compare(SCORES, names=["A", "B", "C"]))
    assert bars(display) == [pytest.approx((0.96, 2.04)), pytest.approx((1.96, 3.04))]
    assert {"A (1.00)", "B (2.00)", "C (3.00)", "CD = 1.35"} <= set(texts(display))
    assert display.frame()["groups"].tolist() == [(0,), (0, 1), (1,)]
    assert display.is_significant is True


def test_a_control_has_one_bar_around_itself():
    ranking = BonferroniDunn(control="B").compare(SCORES, names=["A", "B", "C"])
    half = ranking.critical_difference
    display = drawn(ranking)
    assert bars(display) == [pytest.approx((max(0.9, 2 - half), min(3.1, 2 + half)))]
    bold = [text.get_text() for text in display.ax_.texts if text.get_fontweight() == "bold"]
    assert bold == ["B (2.00)"]


def test_the_axis_can_be_turned_round():
    ranking = Nemenyi().compare(SCORES, names=["A", "B", "C"])

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
    shown = drawn(Nemenyi().compare(SCORES))
    assert not any(text.startswith("not significant") for text in texts(shown))


def test_what_is_refused():
    with pytest.raises(ValueError, match="ranking must be a RankingResult, got float"):
        CriticalDifferenceDisplay.from_results(1.0)
    with pytest.raises(ValueError, match="compares no pairs"):
        CriticalDifferenceDisplay.from_results(Friedman().compare(SCORES))
    with pytest.raises(ValueError, match="a search has seen one data set"):
        CriticalDifferenceDisplay.from_search(object())
