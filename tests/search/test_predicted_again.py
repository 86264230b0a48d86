"""A finished search of any kind is fitted again on its own splits, and gives predictions."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    StratifiedKFold,
)
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.intervals import BBC

X, Y = make_classification(n_samples=60, n_features=4, flip_y=0.2, random_state=0)
GRID = {"C": [0.001, 0.1, 10]}
GROUPS = np.arange(60) // 3
CVS = {
    "default": None,
    "seeded": StratifiedKFold(4, shuffle=True, random_state=3),
    "repeated": RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
    "list": list(StratifiedKFold(3).split(X, Y)),
}
again = OOFPredictions.from_search


def search(kind=GridSearchCV, model=None, grid=GRID, **params):
    model = LogisticRegression() if model is None else model
    return kind(model, grid, **{"scoring": "roc_auc", **params})


@pytest.mark.parametrize("cv", CVS.values(), ids=CVS)
def test_the_predictions_are_those_that_a_recording_search_keeps(cv):
    finished = search(cv=cv).fit(X, Y)
    kept = search(BBCSearchCV, cv=cv, ci=[]).fit(X, Y).oof_
    oof = again(finished, X, Y)
    np.testing.assert_array_equal(oof.matrix("roc_auc"), kept.matrix("roc_auc"))
    np.testing.assert_array_equal(oof.fold, kept.fold)
    assert oof.params == kept.params and oof.selected == finished.best_index_
    one, other = (BBC(random_state=0).estimate(each, "roc_auc") for each in (oof, kept))
    assert (one.estimate, *one) == (other.estimate, *other)
    assert again(finished, X, Y, n_jobs=2) == oof


def test_groups_are_those_of_the_splitter():
    cv = GroupKFold(5)
    finished = search(cv=cv).fit(X, Y, groups=GROUPS)
    oof = again(finished, X, Y, groups=GROUPS)
    np.testing.assert_array_equal(oof.groups, GROUPS)
    assert BBC(random_state=0).estimate(oof, "roc_auc").details["unit"] == "group"


def test_several_metrics_and_sampled_configurations():
    finished = search(
        RandomizedSearchCV,
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2, 3, 4, 5]},
        scoring=["roc_auc", "accuracy"],
        n_iter=3,
        random_state=1,
        refit="accuracy",
    ).fit(X, Y)
    oof = again(finished, X, Y)
    assert set(oof.fold_scores) == {"roc_auc", "accuracy"}
    assert list(oof.params) == finished.cv_results_["params"]


def test_the_best_only():
    finished = search(cv=4, grid={"C": [1e-6, 0.1, 1, 10, 1e6]}).fit(X, Y)
    oof = again(finished, X, Y, n_best=2)
    means = finished.cv_results_["mean_test_score"]
    expected = sorted(np.argsort(-means, kind="stable")[:2])
    assert [params["C"] for params in oof.params] == [[1e-6, 0.1, 1, 10, 1e6][c] for c in expected]
    assert oof.params[oof.selected] == finished.best_params_
    assert any("Only the 2 best of 5 configurations" in note for note in oof.notes)
    assert again(finished, X, Y, n_best=9).notes == ()


def test_the_selected_one_is_among_the_best():
    worst = search(cv=4, refit=lambda results: int(np.argmin(results["mean_test_score"])))
    finished = worst.fit(X, Y)
    oof = again(finished, X, Y, n_best=1)
    assert oof.params == (finished.cv_results_["params"][finished.best_index_],)


def test_other_models_are_told():
    shuffled = np.random.default_rng(0).permutation(60)
    finished = search(cv=CVS["list"]).fit(X, Y)
    with pytest.warns(RecordingWarning, match="3 of 3 configurations score otherwise"):
        oof = again(finished, X[shuffled], Y)
    assert any("those of the new models" in note for note in oof.notes)


@pytest.mark.parametrize(
    "cv", [StratifiedKFold(4, shuffle=True), (pair for pair in StratifiedKFold(4).split(X, Y))]
)
def test_splits_that_cannot_be_made_again(cv):
    finished = search(cv=cv).fit(X, Y)
    with pytest.raises(ValueError, match="cannot be made again: a shuffled splitter needs"):
        again(finished, X, Y)


def test_halving_fitted_parts_of_the_samples():
    finished = search(HalvingGridSearchCV, random_state=0, cv=3).fit(X, Y)
    with pytest.raises(ValueError, match="HalvingGridSearchCV fitted its configurations on parts"):
        again(finished, X, Y)


def test_parameters_that_are_not_known():
    finished = search(cv=3).fit(X, Y)
    results = finished.cv_results_
    finished.cv_results_ = {key: results[key] for key in results if not key.startswith("param")}
    with pytest.raises(ValueError, match="GridSearchCV does not say which parameters it tried"):
        again(finished, X, Y)


def test_what_belongs_to_predicting_again_needs_the_data():
    finished = search(cv=3).fit(X, Y)
    with pytest.raises(ValueError, match="needs X, too"):
        again(finished, n_best=2)
    with pytest.raises(ValueError, match="n_best must be an integer of at least 1, got 0"):
        again(finished, X, Y, n_best=0)
