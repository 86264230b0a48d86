"""Learning curves and optimism."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from sklearn_bbc.comparison import learning_curve_intervals
from sklearn_bbc.display import LearningCurveDisplay, OptimismDisplay
from sklearn_bbc.display._curves import _ticks
from sklearn_bbc.results import OptimismCurve

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
    with pytest.raises(ValueError, match="result must be a LearningCurveResult, got int"):
        LearningCurveDisplay.from_results(1)
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
    np.testing.assert_allclose(drawn["best score"], [[1, 0.6], [10, 0.85], [300, 0.95]])
    np.testing.assert_allclose(drawn["corrected (BBC)"][:, 1], [0.5, 0.75, 0.85])
    band = display.ax_.collections[0].get_paths()[0].vertices
    assert band[:, 1].min() == pytest.approx(0.51) and band[:, 1].max() == pytest.approx(0.95)
    assert display.ax_.get_xscale() == "log"
    assert "5% to 95% of random subsets" in display.ax_.get_xlabel()


def test_a_loss_has_its_printed_sign():
    display = OptimismDisplay.from_results(tried(-1, "neg_log_loss")).plot()
    drawn = lines(display)
    assert drawn["best score"][0, 1] == pytest.approx(0.6)
    assert drawn["corrected (BBC)"][0, 1] == pytest.approx(0.7), "the corrected loss is larger"
    assert display.ax_.get_ylabel() == "log loss\n(smaller is better)"
    assert display.frame()["best"].iloc[0] == pytest.approx(-0.6)


@pytest.mark.parametrize("most", [3, 7])
@pytest.mark.parametrize("largest", [1, 2, 5, 14, 99, 113, 1000, 2000, 123456])
def test_ticks_are_few_and_end_with_all(largest, most):
    found = _ticks(largest, most)
    assert found[0] == 1 and found[-1] == largest and len(found) <= most
    assert all(later >= 1.6 * tick for tick, later in pairwise(found))
    assert found == sorted(set(found))


def test_what_optimism_refuses_and_what_reaches_the_search():
    with pytest.raises(ValueError, match=r"curve must be an OptimismCurve, got int\. search\.opt"):
        OptimismDisplay.from_results(1)

    class Search:
        def optimism_curve(self, **options):
            self.options = options
            return tried()

    search = Search()
    assert OptimismDisplay.from_search(search, n_subsets=7).curve == tried()
    assert search.options == {"n_subsets": 7}
