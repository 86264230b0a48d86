"""The picture of a tied set: rows, dots, and what is said beside them."""

import numpy as np
import pytest

from sklearn_bbc.display import TiedSetDisplay
from sklearn_bbc.display._layout import INTERVAL
from sklearn_bbc.results import TiedSet

pytest.importorskip("matplotlib", reason="pictures need the extra 'plot'")


def tied_set(n_families=2, each=5, worst=0.0, **fields):
    n = n_families * each
    scores = np.linspace(0.9, 0.6, n)
    scores[-1] -= worst
    given = {
        "members": range(n // 2), "best": 0, "scores": scores, "p_values": np.linspace(1, 0, n),
        "difference": np.zeros(n), "low": np.zeros(n), "high": np.zeros(n), "won": np.zeros(n),
        "confidence_level": 0.95, "method": "softmin", "metric": "roc_auc",
        "params": [{"kind": k // each, "size": k % each} for k in range(n)],
        "families": [f"kind={k // each}" for k in range(n)], "simplest": 2,
    }  # fmt: skip
    return TiedSet(**{**given, **fields})


def drawn(tied, **options):
    return TiedSetDisplay.from_results(tied).plot(**options)


def dots(display):
    """Label in the legend -> points."""
    return {line.get_label(): line.get_xydata() for line in display.ax_.lines}


def texts(display):
    return [text.get_text() for text in display.ax_.texts]


def rows(display):
    return [label.get_text() for label in display.ax_.get_yticklabels()]


def test_every_configuration_is_a_dot_in_the_row_of_its_family():
    display = drawn(tied_set())
    found = dots(display)
    assert rows(display) == ["0", "1"]
    np.testing.assert_allclose(found["may be the best"][:, 0], np.linspace(0.9, 0.6, 10)[:5])
    np.testing.assert_allclose(found["may be the best"][:, 1], 0, atol=0.4)
    np.testing.assert_allclose(found["shown to be worse"][:, 1], -1, atol=0.4)
    assert found["best score"].tolist() == [[0.9, 0.0]]
    assert found["simplest"][0, 0] == pytest.approx(np.linspace(0.9, 0.6, 10)[2])
    (members,) = [x for x in display.ax_.lines if x.get_label() == "may be the best"]
    assert members.get_color() == INTERVAL


def test_only_dots_that_would_cover_each_other_leave_the_middle_of_the_row():
    # The axis is about 0.3 wide, a 90th of it 0.0036.
    scores = [100.9, 100.8995, 100.88, 100.7, 100.7005, 100.6]
    points = dots(drawn(tied_set(1, 6, scores=scores, members=range(6))))["may be the best"]
    heights = dict(points.tolist())
    assert [heights[score] for score in scores] == pytest.approx([0.08, -0.08, 0, -0.08, 0.08, 0])


def test_members_are_counted_with_their_values():
    display = drawn(tied_set())
    assert texts(display) == ["5 of 5", "size 0 to 4", "0 of 5"]


@pytest.mark.filterwarnings("error")  # of letters that the font does not have
def test_in_little_room_values_of_members_take_two_lines_below_the_name():
    import matplotlib.pyplot as plt

    params = [{f"parameter_{j}": k % 5 for j in range(12)} for k in range(10)]
    _, ax = plt.subplots(figsize=(3, 4), layout="constrained")
    first, second = rows(TiedSetDisplay.from_results(tied_set(params=params)).plot(ax))
    assert first.startswith("0\n5 of 5, parameter_0 0 to 4") and first.count("\n") == 2
    assert first.endswith("11 0 to 4") and second == "1\n0 of 5"


def test_without_families_there_is_one_row():
    display = drawn(tied_set(families=(), params=()))
    assert rows(display) == ["all configurations"] and texts(display) == ["5 of 10"]
    assert rows(drawn(tied_set(families=["all"] * 10))) == ["all configurations"]


def test_families_with_the_worst_scores_share_a_row():
    display = drawn(tied_set(n_families=6), max_families=4)
    assert rows(display) == ["0", "1", "2", "3 other families"]
    assert texts(display)[-1] == "0 of 15"
    assert len(rows(drawn(tied_set(n_families=6), max_families=6))) == 6


def test_what_is_far_worse_is_counted_and_not_drawn():
    display = drawn(tied_set(worst=5.0))
    assert "\N{LEFTWARDS ARROW} 1 more" in texts(display)
    assert display.ax_.get_xlim()[0] > 0
    assert len(dots(display)["shown to be worse"]) == 4


def test_undefined_configurations_are_left_out():
    scores = np.linspace(0.9, 0.6, 10)
    scores[9] = np.nan
    display = drawn(tied_set(scores=scores))
    assert texts(display)[-1] == "0 of 4"


def test_all_scores_equal():
    display = drawn(tied_set(scores=np.full(10, 0.7), members=range(10)))
    low, high = display.ax_.get_xlim()
    assert low < 0.7 < high


def test_options_reach_the_search():
    class Search:
        def tied_with_best(self, **options):
            self.options = options
            return tied_set()

    search = Search()
    assert TiedSetDisplay.from_search(search, complexity="size").tied == tied_set()
    assert search.options == {"complexity": "size"}


def test_a_loss_is_printed_without_its_minus_and_worse_is_on_the_right():
    scores = -np.linspace(0.6, 0.9, 10)
    scores[9] -= 5
    display = drawn(tied_set(scores=scores, metric="neg_log_loss"))
    members = dots(display)["may be the best"]
    np.testing.assert_allclose(members[:, 0], np.linspace(0.6, 0.9, 10)[:5])
    assert dots(display)["best score"].tolist() == [[0.6, 0.0]]
    low, high = display.ax_.get_xlim()
    assert 0 < low < 0.6 and 0.9 < high < 5
    assert "1 more \N{RIGHTWARDS ARROW}" in texts(display)
    assert display.ax_.get_xlabel() == "log loss (smaller is better)"
    assert display.frame()["score"].iloc[0] == -0.6


def test_the_legend_is_not_wider_than_there_is_room_beside_long_texts():
    models = ["KNeighborsClassifier", "DecisionTreeClassifier", "LogisticRegression"]
    params = [
        {"model": models[k // 8], "min_samples_leaf": 1 + k % 8, "max_features": k % 4}
        for k in range(24)
    ]
    families = [f"model={each['model']}" for each in params]
    display = drawn(tied_set(3, 8, params=params, families=families))
    figure = display.figure_
    figure.draw_without_rendering()
    legend = display.ax_.get_legend().get_window_extent()
    assert len(dots(display)) == 4 and legend.x0 >= 0
    assert display.ax_.get_window_extent().width > figure.bbox.width / 3
