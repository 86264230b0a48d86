"""The forest plot with a panel for each metric."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_bbc.display import ForestDisplay
from sklearn_bbc.display._layout import INTERVAL

plt = pytest.importorskip("matplotlib.pyplot", reason="pictures need the extra 'plot'")


@pytest.fixture
def rows(make_interval):
    loss = make_interval(metric="neg_log_loss", estimate=-0.3, low=-0.5, high=-0.2)
    return {"one": [make_interval(), loss], "two": make_interval(estimate=0.8, low=0.7, high=0.85)}


def bars(ax):
    """Height -> ends of the bar."""
    lines = [line.get_xydata() for line in ax.lines if line.get_color() == INTERVAL]
    return {xy[0, 1]: tuple(xy[:, 0]) for xy in lines if len(xy) == 2}


def test_a_row_each_and_a_panel_for_each_metric(rows):
    display = ForestDisplay.from_results(rows).plot()
    area, loss = display.axes_
    assert display.ax_ is area and display.metrics == ["roc_auc", "neg_log_loss"]
    assert [label.get_text() for label in area.get_yticklabels()] == ["one", "two"]
    assert [label.get_text() for label in loss.get_yticklabels()] == ["", ""]
    assert bars(area) == {0: (0.84, 0.95), -1: (0.7, 0.85)}
    assert bars(loss) == {0: (0.2, 0.5)}, "printed without its minus, and the second row is empty"
    assert loss.get_xlabel() == "log loss\n(smaller is better)"
    assert area.get_ylim() == loss.get_ylim()


def test_a_figure_grows_with_its_rows_and_panels(make_interval):
    metrics = ["roc_auc", "accuracy", "f1", "recall"]
    for n, width in ((1, 6), (2, 7.8), (3, 10.2), (4, 11)):
        row = [make_interval(metric=metric) for metric in metrics[:n]]
        figure = ForestDisplay(results={str(k): row for k in range(n)}).plot().figure_
        assert figure.get_size_inches().tolist() == pytest.approx([width, 1.1 + 0.42 * n])


def test_scores_of_the_search_are_open_diamonds(rows):
    best = {"one": {"roc_auc": 0.93, "neg_log_loss": -0.25}}
    display = ForestDisplay.from_results(rows, best_scores=best).plot()
    for ax, x in zip(display.axes_, (0.93, 0.25), strict=True):
        (diamonds,) = [line for line in ax.lines if line.get_marker() == "D"]
        assert diamonds.get_xydata().tolist() == [[x, 0]]
    frame = display.frame()
    assert frame["best_score"].tolist()[:2] == [0.93, -0.25] and np.isnan(frame["best_score"][2])
    assert frame["estimate"].tolist() == [0.9, -0.3, 0.8]
    with pytest.raises(ValueError, match=r"best_scores has the rows \['three'\]"):
        ForestDisplay.from_results(rows, best_scores={"three": {}})


def test_panels_divide_the_given_axes_and_no_others(rows):
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3))
    display = ForestDisplay.from_results(rows).plot(ax=right)
    assert figure.axes == [left, *display.axes_] and not left.has_data()
    boxes = [ax.get_position() for ax in figure.axes]
    assert all(one.x1 < other.x0 for one, other in pairwise(boxes))
    by_hand = plt.figure().add_axes((0.2, 0.3, 0.6, 0.5))
    display = ForestDisplay.from_results(rows).plot(ax=by_hand)
    one, other = (ax.get_position() for ax in display.axes_)
    assert one.x0 == pytest.approx(0.2) and other.x1 == pytest.approx(0.8) and one.x1 < other.x0


def test_of_a_search_rows_are_methods(search, make_interval):
    frame = ForestDisplay.from_search(search).frame()
    assert frame["label"].tolist() == ["BBC", "BBC", "BBC-F"]
    assert frame["metric"].tolist() == ["accuracy", "roc_auc", "roc_auc"]
    assert frame["best_score"].tolist() == [0.8, 0.93, 0.93]


def test_of_several_searches_rows_are_searches(search, make_interval):
    other = SimpleNamespace(
        refit=True,
        cv_results_={"mean_test_score": np.array([0.7, 0.6])},
        ci_results_={"roc_auc": {"bbcf": make_interval("bbcf", estimate=0.65)}},
    )
    frame = ForestDisplay.from_searches({"A": search, "B": other}).frame()
    assert frame["label"].tolist() == ["A", "A", "B"]
    assert frame["best_score"].tolist() == [0.8, 0.93, 0.7]
    with pytest.raises(ValueError, match=r"method='bbcf' is not among the intervals of 'A'"):
        ForestDisplay.from_searches({"A": search, "B": other}, method="bbcf")
    only = ForestDisplay.from_searches({"B": other}, method="bbcf").frame()
    assert only["method"].tolist() == ["bbcf"]
    with pytest.raises(ValueError, match="has no intervals"):
        ForestDisplay.from_searches({"A": SimpleNamespace()})


def test_without_labels_rows_are_what_tells_results_apart(make_interval):
    several = [make_interval(), make_interval("bbcf"), make_interval(metric="f1")]
    display = ForestDisplay.from_results(several)
    assert list(display.results) == ["BBC", "BBC-F"] and display.metrics == ["roc_auc", "f1"]


def test_two_results_of_a_metric_in_a_row_are_refused(make_interval):
    with pytest.raises(ValueError, match="The row 'A' has two results of 'roc_auc'"):
        ForestDisplay.from_results({"A": [make_interval(), make_interval("bbcf")]})


def test_what_could_not_be_computed_leaves_its_place_empty(make_interval):
    failed = make_interval(estimate=np.nan, low=np.nan, high=np.nan, draws=None)
    display = ForestDisplay.from_results({"A": failed, "B": make_interval()}).plot()
    assert bars(display.ax_) == {-1: (0.84, 0.95)}


def test_a_score_of_a_metric_that_a_row_does_not_have_is_refused(rows):
    with pytest.raises(ValueError, match=r"\['rocauc'\] for the row 'one'.*\['roc_auc', 'neg_"):
        ForestDisplay.from_results(rows, best_scores={"one": {"rocauc": 0.9}})


def test_the_legend_is_on_a_panel_that_has_a_diamond(rows):
    display = ForestDisplay.from_results(rows, best_scores={"two": {"roc_auc": 0.9}}).plot()
    assert [ax.get_legend() is not None for ax in display.axes_] == [True, False]
    both = {"one": {"roc_auc": 0.93, "neg_log_loss": -0.25}}
    display = ForestDisplay.from_results(rows, best_scores=both).plot()
    assert [ax.get_legend() is not None for ax in display.axes_] == [False, True]
