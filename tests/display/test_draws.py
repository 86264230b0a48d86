"""The distribution of the draws."""

import numpy as np
import pytest
from matplotlib.patches import StepPatch

from sklearn_bbc.display import DrawsDisplay


def histograms(display):
    """Edges and heights above the row of each pale histogram, from top to bottom."""
    found = []
    for patch in display.ax_.patches:
        if isinstance(patch, StepPatch) and patch.get_alpha() == 0.3:
            heights, edges, baseline = patch.get_data()
            found.append((edges, heights - baseline))
    return found


def test_a_histogram_counts_the_draws(make_interval):
    draws = np.array([0.1, 0.1, 0.1, 0.1, 0.35, 0.6, 0.6])
    display = DrawsDisplay.from_results(make_interval(draws=draws)).plot(bins=2)
    [(edges, heights)] = histograms(display)
    np.testing.assert_allclose(edges, [0.1, 0.35, 0.6])
    assert heights[1] / heights[0] == pytest.approx(3 / 4)


def test_all_rows_share_their_bins(make_interval):
    results = [make_interval(draws=np.linspace(0.2, 0.4, 9)), make_interval("bbcf")]
    (edges, _), (others, _) = histograms(DrawsDisplay.from_results(results).plot())
    np.testing.assert_array_equal(edges, others)
    assert edges[0] == pytest.approx(0.2)


def test_labels_carry_the_numbers(results):
    display = DrawsDisplay(results=results).plot()
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == ["BBC\n0.900  [0.840, 0.950]", "BBC-F\n0.890  [≥ 0.800]"]
    assert "bar: 95% interval" in display.ax_.get_xlabel()


def test_the_frame_tells_the_number_of_draws(results):
    frame = DrawsDisplay(results=results, best_score=0.95).frame()
    assert list(frame["n_draws"].dropna()) == [200, 200]


def test_results_without_draws_are_refused_and_left_out_of_a_search(make_interval, search):
    bare = make_interval("delong", draws=None)
    with pytest.raises(ValueError, match="'delong' has no draws to show; IntervalsDisplay shows"):
        DrawsDisplay.from_results(bare)
    search.ci_results_["roc_auc"] = {"delong": bare, "bbc": make_interval()}
    assert list(DrawsDisplay.from_search(search).results) == ["BBC"]
    search.ci_results_["roc_auc"] = {"delong": bare}
    with pytest.raises(ValueError, match=r"None of the intervals of the search \(\['DeLong'\]\)"):
        DrawsDisplay.from_search(search)


@pytest.mark.parametrize("low, high", [(-np.inf, -0.2), (-0.5, np.inf), (np.nan, np.nan)])
def test_open_and_missing_bounds_can_be_drawn(make_interval, low, high):
    alternative = "less" if low == -np.inf else "greater"
    result = make_interval(estimate=-0.3, low=low, high=high, alternative=alternative)
    display = DrawsDisplay.from_results(result).plot()
    display.figure_.draw_without_rendering()
    shaded = [patch for patch in display.ax_.patches if patch.get_alpha() == 0.45]
    assert len(shaded) == (not np.isnan(low))


def test_draws_that_are_all_the_same(make_interval):
    result = make_interval(estimate=1.0, low=1.0, high=1.0, draws=np.ones(50))
    display = DrawsDisplay.from_results(result, best_score=1.0).plot()
    display.figure_.draw_without_rendering()
    left, right = display.ax_.get_xlim()
    assert left < 1 < right
    [(edges, _)] = histograms(display)
    assert edges[0] >= left
    assert edges[-1] <= right


def test_a_pooled_score_is_marked_where_a_result_says_that_pooling_is_most_of_it(
    search, make_interval
):
    make = make_interval
    details = {"pooled_score": 0.915, "mostly_pooling": True}
    search.ci_results_["roc_auc"]["bbc"] = make(details=details)
    display = DrawsDisplay.from_search(search)
    assert display.pooled_score == display.frame().loc["its folds pooled", "estimate"] == 0.915
    ax = display.plot().ax_
    assert "pooling of the folds, not selection" in ax.get_xlabel()
    details["mostly_pooling"] = False
    search.ci_results_["roc_auc"]["bbc"] = make(details=details)
    display = DrawsDisplay.from_search(search)
    assert display.pooled_score is None
    assert "its folds pooled" not in display.frame().index
    assert "pooling" not in display.plot().ax_.get_xlabel()


def test_draws_without_a_finite_score_are_counted(make_interval):
    draws = np.array([-np.inf, 0.5, 0.6, np.nan])
    display = DrawsDisplay.from_results({"A": make_interval(draws=draws)}).plot()
    assert "not shown: 2 draws without a finite score" in display.ax_.get_xlabel()
    assert display.frame()["n_draws"].tolist() == [4]
    low, high = display.ax_.get_xlim()
    assert 0.4 < low < 0.5 and 0.95 < high < 1.0
    none = DrawsDisplay.from_results({"A": make_interval(draws=draws[:1])}).plot()
    assert "not shown: 1 draw without" in none.ax_.get_xlabel()
    plain = DrawsDisplay.from_results({"A": make_interval()}).plot()
    assert "not shown" not in plain.ax_.get_xlabel()
