"""A finished search of any kind is fitted again on its own splits, and gives predictions."""

import re

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import FitFailedWarning
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
from sklearn_bbc.predictions._predictions import with_fields

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
    return kind(model, grid, **{"cv": 3, "scoring": "roc_auc", **params})


@pytest.mark.one_in(2)
@pytest.mark.parametrize("cv", CVS.values(), ids=CVS)
def test_the_predictions_are_those_that_a_recording_search_keeps(cv):
    finished = search(cv=cv).fit(X, Y)
    kept = search(BBCSearchCV, cv=cv, ci=[]).fit(X, Y).oof_
    oof = again(finished, X, Y)
    np.testing.assert_array_equal(oof.matrix("roc_auc"), kept.matrix("roc_auc"))
    np.testing.assert_array_equal(oof.fold, kept.fold)
    assert oof.params == kept.params and oof.selected == finished.best_index_
    few = BBC(n_bootstraps=100, random_state=0)
    one, other = (few.estimate(each, "roc_auc") for each in (oof, kept))
    assert (one.estimate, *one) == (other.estimate, *other)


def test_processes_share_the_work():
    finished = search(cv=CVS["repeated"]).fit(X, Y)
    assert again(finished, X, Y, n_jobs=2) == again(finished, X, Y)


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


def test_other_models_are_reported():
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


def test_one_configuration_without_parameters_is_the_estimator_itself():
    finished = search(cv=3, grid={}).fit(X, Y)
    assert again(finished, X, Y).params == ({},)


def test_what_the_search_said_of_errors_holds_again():
    class Fails(LogisticRegression):
        def fit(self, X, y):
            if self.C == 10:
                raise RuntimeError("too large")
            return super().fit(X, y)

    with pytest.warns(FitFailedWarning):
        finished = search(model=Fails(), cv=3, error_score=-1.0).fit(X, Y)
    with pytest.warns(FitFailedWarning):
        oof = again(finished, X, Y)
    assert oof.failed.tolist() == [False, False, True]
    assert oof.fold_scores["roc_auc"][:, 2].tolist() == [-1.0] * 3
    assert oof.notes == () and oof.selected_by == "the search"
    strict = search(model=Fails(), cv=3, grid={"C": [0.1]}).fit(X, Y)
    strict.error_score = "raise"
    strict.cv_results_["params"] = [{"C": 10}]
    with pytest.raises(ValueError, match=r"again \(RuntimeError: too large\)"):
        again(strict, X, Y)


def test_without_a_selected_one_none_is_selected_again():
    finished = search(cv=3, scoring=["roc_auc", "f1"], refit=False).fit(X, Y)
    oof = again(finished, X, Y)
    assert oof.selected is None and oof.n_configs == 3 and oof.notes == ()


def test_the_selected_one_stays_selected_also_among_fewer():
    finished = search(cv=3, refit=lambda results: int(np.argmin(results["mean_test_score"])))
    finished.fit(X, Y)
    assert again(finished, X, Y).selected == finished.best_index_
    few = again(finished, X, Y, n_best=2)
    assert few.params[few.selected] == finished.best_params_


WEIGHTS = np.where(Y == 1, 5.0, 1.0) * (1 + GROUPS % 2)


class Scaled(LogisticRegression):
    """Cannot be fitted without a parameter of `fit`."""

    def fit(self, X, y, *, scale, sample_weight=None):
        return super().fit(X * np.reshape(scale, (-1, 1)), y, sample_weight=sample_weight)


@pytest.mark.long
def test_weights_and_parameters_of_fit_are_given_again():
    given = {"sample_weight": WEIGHTS, "scale": list(1 + GROUPS % 3)}
    for scoring in ("accuracy", "roc_auc"):
        finished = search(model=Scaled(), scoring=scoring, cv=3).fit(X, Y, **given)
        kept = search(BBCSearchCV, model=Scaled(), scoring=scoring, cv=3, ci=[]).fit(X, Y, **given)
        oof = again(finished, X, Y, **given)
        assert oof == with_fields(kept.oof_, selected_by="the search") and not oof.notes


@pytest.mark.parametrize(
    ("model", "fit", "passed", "noted"),
    [
        (LogisticRegression(), {"sample_weight": WEIGHTS}, {}, r"sample_weight=\.\.\.\)\.$"),
        (Scaled(), {"sample_weight": WEIGHTS, "scale": GROUPS + 1.0}, {"scale": GROUPS + 1.0},
         r"sample_weight=\.\.\.\)\. So far: scale\.$"),
    ],
)  # fmt: skip
def test_what_was_given_to_fit_is_named_where_scores_differ(model, fit, passed, noted):
    finished = search(model=model, cv=3).fit(X, Y, **fit)
    with pytest.warns(RecordingWarning, match="score otherwise than in the search") as caught:
        oof = again(finished, X, Y, **passed)
    (note,) = oof.notes
    assert note == str(caught[0].message) and re.search(
        f"`fit` of the search was given.*{noted}", note
    )


def test_what_was_given_to_fit_is_named_where_nothing_can_be_fitted():
    finished = search(model=Scaled(), cv=3).fit(X, Y, scale=GROUPS + 1.0)
    with pytest.raises(ValueError, match=r"again \(TypeError: Scaled.*'scale'\).*the same ones"):
        again(finished, X, Y)
    with pytest.raises(TypeError, match=r"no parameter 'scale'.* Those of fit need X, too\."):
        again(finished, scale=GROUPS + 1.0)
    with pytest.raises(ValueError, match="needs X"):
        again(finished, sample_weight=WEIGHTS)
