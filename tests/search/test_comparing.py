"""search.compare: every kind of baseline, its splits, and what is refused."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
)
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV, compare
from sklearn_bbc.comparison import BBCDifference, Side
from sklearn_bbc.intervals import BBC
from sklearn_bbc.search._comparing import recorded_splits
from sklearn_bbc.selection import OneStandardError

rng = np.random.default_rng(0)
y = np.arange(90) % 2
X = rng.normal(size=(90, 3)) + 0.8 * y[:, None]
CV = StratifiedKFold(3, shuffle=True, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)
QUICK = {"n_bootstraps": 100}


def fitted(estimator=TREE, grid=None, fit_params=None, **params):
    params = {"cv": CV, "scoring": "roc_auc", "random_state": 0, "ci": [], **params}
    grid = {"max_depth": [1, 2, 3]} if grid is None else grid
    return BBCSearchCV(estimator, grid, **params).fit(X, y, **(fit_params or {}))


@pytest.fixture(scope="module")
def search():
    return fitted()


def test_a_configuration_by_position_and_by_parameters(search):
    other = (search.best_index_ + 1) % 3
    by_position = search.compare(other, **QUICK)
    by_params = search.compare(search.cv_results_["params"][other], **QUICK)
    assert by_position == by_params
    expected = BBCDifference(random_state=0, **QUICK).compare(
        search.oof_, Side(oof=search.oof_, config=other), "roc_auc"
    )
    np.testing.assert_array_equal(by_position.draws, expected.draws)
    assert by_position.names[0] == "the search"
    assert f"configuration {other} {{'max_depth': {other + 1}}}" == by_position.names[1]


def test_the_draws_of_the_search_are_those_of_bbc(search):
    result = search.compare(DummyClassifier(), X, y, **QUICK)
    bbc = search.interval(BBC(n_bootstraps=100))
    assert result.details["scores"] == pytest.approx([bbc.estimate, 0.5])


@pytest.mark.parametrize(
    "cv",
    [
        CV,
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
        KFold(4),
        ShuffleSplit(4, test_size=0.3, random_state=0),
        ShuffleSplit(4, test_size=0.3, train_size=0.4, random_state=0),
        TimeSeriesSplit(3),
    ],
    ids=lambda cv: type(cv).__name__,
)
def test_an_estimator_is_trained_on_the_recorded_splits(cv):
    search = fitted(cv=cv)
    used = []

    class Watching(LogisticRegression):
        def fit(self, X, y):
            used.append(X.copy())
            return super().fit(X, y)

    model = Watching()
    model.__class__.__module__ = "builtins"
    result = search.compare(model, X, y, **QUICK)
    expected = [X[train] for train, _ in cv.split(X, y)]
    assert len(used) == len(expected)
    for mine, theirs in zip(used, expected, strict=True):
        np.testing.assert_array_equal(np.sort(mine, axis=0), np.sort(theirs, axis=0))
    assert result.names[1] == "Watching" and result.method == "bbc_difference"


def test_the_predictions_of_the_baseline_are_cross_validated(search):
    result = search.compare(LogisticRegression(), X, y, scoring="accuracy", **QUICK)
    predicted = cross_val_predict(LogisticRegression(), X, y, cv=CV)
    alone = compare(search, predicted, "accuracy", random_state=0, **QUICK)
    np.testing.assert_array_equal(result.draws, alone.draws)


def test_the_default_is_the_estimator_as_it_is(search):
    result = search.compare("default", X, y, **QUICK)
    assert result.names == ("the search", "the default")
    by_hand = search.compare(DecisionTreeClassifier(random_state=0), X, y, **QUICK)
    np.testing.assert_array_equal(result.draws, by_hand.draws)


def test_a_default_that_was_tried_needs_no_training():
    search = fitted(grid={"max_depth": [None, 1, 2]})
    result = search.compare("default", **QUICK)
    assert result.details["winners"][1] == 0 and result.names[1] == "the default"
    not_quite = fitted(LogisticRegression(), {"C": [1, 2]})  # 1 is not 1.0
    with pytest.raises(ValueError, match="default has to be trained"):
        not_quite.compare()


def test_another_search():
    one, other = fitted(), fitted(LogisticRegression(), {"C": [0.1, 10.0]})
    result = one.compare(other, **QUICK)
    assert result.names == ("the search", "the other search")
    expected = BBCDifference(random_state=0, **QUICK).compare(one.oof_, other.oof_, "roc_auc")
    np.testing.assert_array_equal(result.draws, expected.draws)


def test_a_rule_of_refit_is_repeated():
    rule = OneStandardError("max_depth")
    search = fitted(refit=rule)
    result = search.compare(DummyClassifier(), X, y, **QUICK)
    expected = search.interval(BBC(n_bootstraps=100))
    assert result.details["scores"][0] == pytest.approx(expected.estimate)
    assert result.details["winners"][0] == search.best_index_


def test_groups_are_drawn():
    groups = np.arange(90) // 6
    search = fitted(cv=GroupKFold(3), fit_params={"groups": groups})
    result = search.compare(DummyClassifier(), X, y, groups=groups, **QUICK)
    assert result.details["unit"] == "group"


def test_parameters_reach_the_method(search):
    result = search.compare(
        DummyClassifier(), X, y, confidence_level=0.9, alternative="greater", names=("a", "b"),
        random_state=5, **QUICK
    )  # fmt: skip
    assert (result.confidence_level, result.alternative) == (0.9, "greater")
    assert result.names == ("a", "b") and result.details["seed"] == 5
    assert search.compare(DummyClassifier(), X, y, **QUICK).details["seed"] == 0


def test_without_recorded_predictions_folds_are_compared():
    search = fitted(record=False)
    result = search.compare(search.best_index_ - 1)
    assert result.method == "corrected_resampled_t"
    with pytest.raises(ValueError, match="record=True"):
        search.compare(DummyClassifier(), X, y)


@pytest.mark.parametrize(
    "baseline, data, message",
    [
        ("best", (), r"'default', an estimator, or a fitted search, got 'best'"),
        ("default", (), r"The default has to be trained .* X=X, y=y"),
        (DummyClassifier(), (), "DummyClassifier has to be trained"),
        (DummyClassifier(), (X, 1 - y), "data that the search was fitted on"),
        (DummyClassifier(), (X[:80], y[:80]), "data that the search was fitted on"),
        (17, (), r"baseline=17 is not a configuration of this search; known are 0 to 2"),
        ({"max_depth": 9}, (), "baseline must be the parameters of one configuration"),
    ],
)
def test_bad_baselines(search, baseline, data, message):
    with pytest.raises(ValueError, match=message):
        search.compare(baseline, *data)


def test_the_winner_is_no_baseline(search):
    with pytest.raises(ValueError, match="the baseline is the winner itself"):
        search.compare(search.best_index_)
    with pytest.raises(ValueError, match="nothing to compare"):
        search.compare(search)


def test_other_folds_are_refused(search):
    with pytest.raises(ValueError, match="different folds"):
        search.compare(fitted(cv=StratifiedKFold(3, shuffle=True, random_state=1)))


def test_splits_that_cannot_be_told():
    search = fitted(cv=ShuffleSplit(3, test_size=0.3, train_size=0.4))
    with pytest.raises(ValueError, match="splitter gives other splits when run again"):
        recorded_splits(search, X, y, None)
