"""The picture of a learning curve."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from sklearn_bbc.comparison import learning_curve_intervals
from sklearn_bbc.display import LearningCurveDisplay

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
    result = curve(scoring="neg_log_loss")
    frame = result.frame()
    display = LearningCurveDisplay(result=result).plot()
    drawn = lines(display)
    np.testing.assert_allclose(drawn["test"][:, 1], -frame["test_score"])
    np.testing.assert_allclose(drawn["fitted"][-1, 1], -result.predict(frame.index[-1]))
    band = display.ax_.collections[1].get_paths()[0].vertices[:, 1]
    assert band.max() == pytest.approx(-frame["low"].min())
    assert display.ax_.get_ylabel() == "log loss\n(smaller is better)"
    assert (display.frame()["test_score"] < 0).all(), "numbers stay in scorer orientation"
