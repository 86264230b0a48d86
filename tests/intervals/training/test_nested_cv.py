"""NestedCV: scores of the outer folds, no optimism on noise, groups, the heuristic interval."""

import warnings

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    ShuffleSplit,
    cross_val_score,
)

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import CorrectedT, NestedCV
from tests.intervals.refit_helpers import CountingClassifier, small_search, two_classes


def test_outer_scores_are_those_of_cross_val_score():
    X, y = two_classes()
    cv = KFold(4, shuffle=True, random_state=0)
    expected = cross_val_score(small_search(), X, y, cv=cv)
    result = NestedCV(cv=cv, verbose=0).estimate(small_search(), X, y)
    assert result.details["outer_scores"] == expected.tolist()
    assert result.estimate == pytest.approx(expected.mean())
    assert result.details["spread"] == pytest.approx(expected.std(ddof=1))


def test_the_heuristic_is_the_corrected_t_over_outer_folds():
    X, y = two_classes()
    result = NestedCV(cv=5, corrected_t=True, verbose=0).estimate(small_search(), X, y)
    scores = np.array(result.details["outer_scores"])[:, None]
    oof = OOFPredictions.from_fold_scores({"accuracy": scores})
    assert tuple(result) == pytest.approx(tuple(CorrectedT().estimate(oof, "accuracy")))


@pytest.mark.long
def test_the_heuristic_tells_of_stratified_folds():
    X, y = two_classes()
    y[:20] = 0  # so that folds in order differ
    for cv, noted in ((5, True), (KFold(5), False), (LeaveOneOut(), False)):
        method = NestedCV(cv=cv, corrected_t=True, verbose=0)
        notes = method.estimate(LogisticRegression(), X, y).details["notes"]
        assert any("outer folds are stratified" in note for note in notes) == noted
    method = NestedCV(cv=5, corrected_t=True, verbose=0)
    notes = method.estimate(Ridge(), X, y.astype(float)).details["notes"]
    assert not any("stratified" in note for note in notes)


@pytest.mark.parametrize("n_splits", [1, 2, 3])
def test_one_outer_split_has_no_spread_two_have_an_interval(n_splits):
    X, y = two_classes()
    cv = ShuffleSplit(n_splits, test_size=20, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        result = NestedCV(cv=cv, corrected_t=True, verbose=0).estimate(LogisticRegression(), X, y)
    scores, details = np.array(result.details["outer_scores"]), result.details
    heuristic = any("a heuristic, liberal" in note for note in details["notes"])
    if n_splits == 1:
        assert np.isnan([*result, details["spread"]]).all() and details["reason"]
        assert not heuristic
    else:
        assert details["spread"] == pytest.approx(scores.std(ddof=1))
        half = stats.t.ppf(0.975, n_splits - 1) * details["spread"]
        half *= np.sqrt(1 / n_splits + 20 / 40)
        unclipped = details.get("unclipped", tuple(result))
        assert unclipped == pytest.approx((scores.mean() - half, scores.mean() + half))
        assert heuristic and "reason" not in details


def test_groups_reach_the_outer_splitter_and_the_search():
    X, y = two_classes()
    groups = np.arange(60) // 4
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, cv=GroupKFold(3))
    result = NestedCV(cv=GroupKFold(3), verbose=0).estimate(search, X, y, groups=groups)
    assert result.details["unit"] == "group" and len(result.details["outer_scores"]) == 3


@pytest.mark.parametrize(
    ("cv", "scoring", "message"),
    [
        (KFold(2), "accuracy", "class 0 has 30 samples, none of them among the training samples"),
        (LeaveOneOut(), "roc_auc", "test set of split 0, which holds none of the 30 samples"),
        (
            LeaveOneOut(),
            "neg_log_loss",
            "test set of split 0, which holds none of the 30.* than 60 folds, a stratified",
        ),
    ],
)
def test_splits_that_cannot_be_trained_on_or_scored_are_refused_before_any_fit(
    cv, scoring, message
):
    X, y = two_classes()
    CountingClassifier.trained_on.clear()
    with pytest.raises(UndefinedIntervalError, match=message):
        NestedCV(cv=cv, verbose=0).estimate(CountingClassifier(), X, np.sort(y), scoring=scoring)
    assert not CountingClassifier.trained_on


def test_test_sets_of_one_sample_are_taken_where_the_metric_has_a_score():
    X, y = two_classes(20)
    method = NestedCV(cv=LeaveOneOut(), verbose=0)
    assert 0 < method.estimate(LogisticRegression(), X, y).estimate <= 1
    assert method.estimate(Ridge(), X, X[:, 0], scoring="neg_mean_squared_error").estimate < 0
    noted = r"split 0, which holds one sample.*Use fewer than 20 folds\.$"
    with pytest.raises(UndefinedIntervalError, match=noted):
        method.estimate(Ridge(), X, X[:, 0], scoring="r2")


def test_a_model_without_a_score_is_not_averaged_to_nan():
    X, y = two_classes()
    with pytest.raises(UndefinedIntervalError, match=r"undefined \(NaN\) for 3 of 3 test sets"):
        NestedCV(cv=3, verbose=0).estimate(
            LogisticRegression(), X, y, scoring=lambda fitted, X, y: float("nan")
        )


def test_outer_folds_that_score_the_same_are_reported_where_an_interval_is_asked_for():
    X, y = two_classes()
    method = NestedCV(cv=3, corrected_t=True, verbose=0)
    with pytest.warns(IntervalWarning, match="NestedCV: No spread can be seen around 0.5"):
        result = method.estimate(CountingClassifier(favourite=0), X, y)
    assert result.details["degenerate"] is True and tuple(result) == (0.5, 0.5)
    rng = np.random.default_rng(0)
    result = method.estimate(CountingClassifier(favourite=0), X, rng.integers(2, size=60))
    assert result.details["degenerate"] is (result.details["spread"] == 0)
