"""Tibshirani-Tibshirani: the worked example, its bounds, and that it defines no interval."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import TibshiraniTibshirani
from tests.made import made

ERRORS = np.array([[0.30, 0.25, 0.40], [0.20, 0.35, 0.30], [0.25, 0.10, 0.30], [0.30, 0.30, 0.20]])


def of_folds(scores, name="accuracy", **more):
    return made(fold_scores={name: scores}, **more)


def estimate(oof, scoring="accuracy"):
    return TibshiraniTibshirani().estimate(oof, scoring)


def test_worked_example():
    as_score = estimate(of_folds(1 - ERRORS))
    as_loss = estimate(of_folds(-ERRORS, "neg_brier_score"), "neg_brier_score")
    assert as_score.details["winner"] == 1
    assert as_score.details["winner_score"] == pytest.approx(0.75)
    assert as_score.details["bias"] == pytest.approx(0.0625)
    assert as_score.estimate == pytest.approx(1 - 0.3125)
    assert as_loss.estimate == pytest.approx(-0.3125)
    spread = np.std([0, 0.15, 0, 0.10], ddof=1) / 2
    assert as_score.details["bias_standard_error"] == pytest.approx(spread)


def test_there_is_no_interval_and_the_result_says_so():
    for alternative in ("two-sided", "greater", "less"):
        method = TibshiraniTibshirani(alternative=alternative)
        result = method.estimate(of_folds(1 - ERRORS), "accuracy")
        assert np.isnan(tuple(result)).all()
        assert "no interval" in result.details["reason"]
        assert 0.7 not in result


@given(
    st.integers(2, 8).flatmap(
        lambda n_folds: st.lists(
            st.lists(st.floats(0, 1), min_size=n_folds, max_size=n_folds), min_size=1, max_size=6
        )
    )
)
def test_a_loss_ends_between_itself_and_twice_itself(columns):
    losses = np.array(columns).T
    result = estimate(of_folds(-losses, "neg_mean_absolute_error"), "neg_mean_absolute_error")
    least = losses.mean(axis=0).min()
    assert least - 1e-12 <= -result.estimate <= 2 * least + 1e-12
    assert result.details["bias"] >= 0


def test_a_selected_configuration_without_a_score_is_named():
    scores = np.column_stack([1 - ERRORS, [1.0, 1.0, np.nan, 1.0]])
    with pytest.raises(UndefinedIntervalError, match="configuration 3, has no accuracy in fold 2"):
        estimate(of_folds(scores, selected=3))


def test_repeats_and_untested_samples_are_counted():
    rng = np.random.default_rng(1)
    y, fold = np.tile([0, 1], 10), np.stack([rng.permutation(20) % 5 for _ in range(3)])
    fold[:, [0, 7]] = -1
    oof = OOFPredictions(y_true=y, y_pred=rng.integers(2, size=(3, 20, 4)), fold=fold)
    details = estimate(oof).details
    counts = [details[key] for key in ("n_folds", "n_repeats", "n_untested")]
    assert counts == [5, 3, 2]
    only_scores = OOFPredictions.from_fold_scores(y_true=y, fold_scores={"accuracy": 1 - ERRORS})
    assert estimate(only_scores).details["n_untested"] == 0
