"""The sides of a comparison with a baseline: training samples, target, default and notes."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut, cross_val_score

from sklearn_bbc.comparison import Side
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search._comparing import (
    _Alone,
    _check_same_target,
    _position_of_default,
    baseline_side,
    recorded_splits,
)
from sklearn_bbc.selection import OneStandardError
from tests.search.compared import TREE, X, alone, fitted, y


@pytest.fixture(scope="module")
def search():
    return fitted()


def test_training_samples_are_the_others_where_their_number_says_so():
    search = alone(train_size=[60, 60, 60])
    search.cv = None  # is not asked
    for k, (train, test) in enumerate(recorded_splits(search, None, None, None)):
        assert test.tolist() == list(range(30 * k, 30 * k + 30))
        assert np.array_equal(np.sort(np.append(train, test)), np.arange(90))


def test_where_training_samples_are_fewer_the_splitter_is_asked_again():
    search = alone(train_size=[60, 60, 59])
    found = recorded_splits(search, X, y, None)
    assert [len(train) for train, _ in found] == [60, 60, 60]
    search.cv = KFold(4)
    with pytest.raises(ValueError, match="splitter gives other splits when run again"):
        recorded_splits(search, X, y, None)
    search.cv = [(np.arange(5), np.arange(89, 59, -1) - 30 * k) for k in (2, 1, 0)]
    found = recorded_splits(search, X, y, None)
    assert [train.tolist() for train, _ in found] == [[0, 1, 2, 3, 4]] * 3
    assert [test.tolist() for _, test in found] == [
        list(range(30 * k, 30 * k + 30)) for k in range(3)
    ]


def test_a_splitter_that_needs_groups_gets_them():
    groups = np.repeat(np.arange(3), 30)
    search = alone(train_size=[1, 1, 1])
    search.cv = LeaveOneGroupOut()
    assert len(recorded_splits(search, X, y, groups)) == 3
    with pytest.raises(ValueError, match="groups"):
        recorded_splits(search, X, y, None)


def test_without_rows_splits_are_not_known():
    search = alone(train_size=[60, 60, 60])
    search.oof_ = search.oof_._with_fields(
        responses={}, **dict.fromkeys(("sample", "fold", "repeat"), np.zeros(0, dtype=np.int64))
    )
    with pytest.raises(ValueError, match="record=True, or compare with one of its config"):
        recorded_splits(search, X, y, None)


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        (y, True), (y.tolist(), True), (y[:, None], True), (None, True), (1 - y, False),
        (y[:-1], False), (np.append(y, 1), False), (np.c_[y, y], False), (y.reshape(2, 45), False),
    ],
)  # fmt: skip
def test_the_target_must_be_that_of_the_search(given, fits):
    oof = alone().oof_
    if fits:
        assert _check_same_target(oof, given) is None
        return
    with pytest.raises(ValueError, match="the target values differ"):
        _check_same_target(oof, given)


def test_survival_times_are_not_compared():
    target = np.empty(90, dtype=[("event", bool), ("time", float)])
    target["event"], target["time"] = True, 1.0
    oof = alone().oof_._with_fields(y_true=target)
    assert _check_same_target(oof, 1 - y) is None


@pytest.mark.parametrize(
    ("params", "position"),
    [
        ([{}, {"max_depth": None}], 1),
        ([{"max_depth": None, "min_samples_leaf": 2}, {"max_depth": None}], 1),
        ([{"unknown": None}], None),
        ([{"max_depth": 1}, {"min_samples_leaf": 1.0}], None),
        ([{"max_depth": 1}, {"min_samples_leaf": 1}, {"max_depth": None}], 1),
        ([], None),
    ],
)
def test_the_default_is_the_first_with_the_estimators_own_parameters(params, position):
    search = SimpleNamespace(estimator=TREE, cv_results_={"params": params})
    assert _position_of_default(search) == position


def test_the_other_side_is_taken_as_it_is_given(search):
    metric = as_metric("roc_auc")

    def side(baseline):
        return baseline_side(search, baseline, metric, (None, None), {})

    given = Side(oof=search.oof_, config=1, name="mine")
    assert side(given) == (given, [])
    found, notes = side(search.oof_)
    assert found.oof is search.oof_ and found.config is None and notes == []
    by_position, _ = side(1)
    kept = search.oof_.responses["predict_proba"]
    assert np.shares_memory(by_position.oof.responses["predict_proba"], kept)
    assert by_position.config == 1
    assert by_position.name != "mine"


def test_notes_of_another_search_come_along(search):
    class Noted:
        oof_ = search.oof_
        cv_results_ = search.cv_results_

        def _comparison_side(self, metric):
            rule = OneStandardError("max_depth")
            return Side(oof=search.oof_, selection=rule, name="mine"), ["told"]

    side, notes = baseline_side(search, Noted(), as_metric("roc_auc"), (None, None), {})
    assert notes == ["told"] and side.name == "the other search"
    assert side.oof is search.oof_ and side.selection.complexity == "max_depth"


def test_a_trained_model_has_the_scores_groups_and_weights_of_the_search():
    groups, weight = np.arange(90) // 6, np.linspace(0.5, 1.5, 90)
    search = fitted(cv=GroupKFold(3), fit_params={"groups": groups})
    vars(search)["oof_"] = search.oof_._with_fields(sample_weight=weight)
    metric = as_metric("roc_auc", name="area")
    model = LogisticRegression()
    side, notes = baseline_side(search, model, metric, (X, y), {"groups": groups})
    assert notes == [] and side.name == "LogisticRegression" and not hasattr(model, "coef_")
    assert side.oof.groups.tolist() == groups.tolist()
    assert side.oof.sample_weight.tolist() == weight.tolist()
    expected = cross_val_score(model, X, y, groups=groups, scoring="roc_auc", cv=GroupKFold(3))
    np.testing.assert_allclose(side.oof.fold_scores["area"][:, 0], expected)
    assert list(side.oof.fold_scores) == ["area"]


def test_an_error_of_the_trained_model_is_not_hidden(search):
    class Broken(LogisticRegression):
        def fit(self, X, y):
            raise RuntimeError("cannot learn this")

    with pytest.raises(RuntimeError, match="cannot learn this"):
        baseline_side(search, Broken(), as_metric("roc_auc"), (X, y), {})


def test_a_search_of_one_configuration_computes_no_interval_and_fits_no_winner():
    found = _Alone(TREE, scoring="roc_auc", cv=3).fit(X, y)
    assert found.n_jobs is None and found.refit is False and found.error_score == "raise"
    assert not hasattr(found, "ci_") and not hasattr(found, "best_estimator_")
    assert found.oof_.n_configs == 1
    assert _Alone(TREE, scoring="roc_auc", cv=3, n_jobs=2).n_jobs == 2
