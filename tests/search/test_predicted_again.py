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
from sklearn_bbc.search._predicted_again import (
    _best,
    _check_whole_samples,
    _difference_note,
    _splits_again,
)

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


# ---------------------------------------------------------------------- each part by itself
SCORES = np.array([[0.5, 0.7, 0.9, 0.7, 0.1], [0.5, 0.9, 0.5, 0.9, np.nan]])


@pytest.mark.parametrize(
    ("selected", "n_best", "expected"),
    [
        (None, None, [0, 1, 2, 3, 4]), (3, None, [0, 1, 2, 3, 4]), (None, 1, [1]),
        (None, 2, [1, 3]),
        (None, 3, [1, 2, 3]), (None, 4, [0, 1, 2, 3]), (None, 5, [0, 1, 2, 3, 4]),
        (0, 1, [0]), (0, 2, [0, 1]), (4, 3, [1, 3, 4]), (1, 2, [1, 3]),
    ],
)  # fmt: skip
def test_the_best_by_mean_are_fitted_again_and_the_selected_one(selected, n_best, expected):
    assert _best({"a": SCORES, "b": -SCORES}, selected, n_best).tolist() == expected


def apart(*changes, chosen=(0, 2), scale=1.0):
    before = {"a": scale * np.array([[0.5, 9, 0.25], [0.5, 9, np.nan]]), "b": np.ones((2, 3))}
    now = {name: scores[:, list(chosen)].copy() for name, scores in before.items()}
    for name, split, config, by in changes:
        now[name][split, config] += by
    return _difference_note(before, now, np.array(chosen))


def test_scores_that_differ_by_rounding_are_the_same():
    assert apart() is None
    assert apart(("a", 0, 0, 1e-7), ("b", 1, 1, -1e-7)) is None
    assert apart(("a", 0, 0, 5e-4), scale=1e4) is None
    assert apart(("a", 0, 0, 5e-7), scale=0.0) is None  # of scores of 0 as well
    assert apart(("a", 0, 0, 5e-6), scale=0.0) is not None
    assert apart(("a", 0, 0, 5e-2), scale=1e4) is not None


def test_what_differs_is_counted_by_configuration_and_the_largest_is_said():
    text = apart(("a", 0, 1, 0.125))
    assert text.startswith(
        "1 of 2 configurations score otherwise than in the search (by up to 0.1"
    )
    text = apart(("a", 0, 1, 0.25), ("b", 1, 0, -0.5), ("b", 0, 0, 0.1))
    assert text.startswith("2 of 2 configurations") and "(by up to 0.5)" in text
    text = apart(("b", 0, 0, 0.5), ("a", 1, 1, 1.0), ("a", 0, 0, np.nan))
    assert "(by up to 0.5)" in text
    only_missing = apart(("a", 0, 0, np.nan))
    assert only_missing.startswith("1 of 2") and "(by up to 0)" in only_missing


def test_one_configuration_without_parameters_is_the_estimator_itself():
    finished = search(cv=3, grid={}).fit(X, Y)
    assert again(finished, X, Y).params == ({},)


@pytest.mark.parametrize("groups", [None, GROUPS])
def test_splits_are_those_of_a_classifier_and_must_all_come_again(groups):
    class Owner:
        estimator, cv = LogisticRegression(), None

    found = _splits_again(Owner, X, Y, groups, 5)
    for (train, test), (one, other) in zip(found, StratifiedKFold(5).split(X, Y), strict=True):
        assert train.tolist() == one.tolist() and test.tolist() == other.tolist()
    with pytest.raises(ValueError, match="cv=None cannot be made again"):
        _splits_again(Owner, X, Y, groups, 4)
    del Owner.cv
    assert len(_splits_again(Owner, X, Y, groups, 5)) == 5


class Wavering:
    """Each time another training part, test part, or number of splits."""

    def __init__(self, what):
        self.what, self.calls = what, 0

    def get_n_splits(self, X=None, y=None, groups=None):
        return 2

    def split(self, X, y=None, groups=None):
        self.calls += 1
        one, other = np.arange(30), np.arange(30, 60)
        yield one, other
        later = self.calls > 1
        if not later or self.what is None:
            yield other, one
        elif self.what != "number":
            yield other[5 * (self.what == "train") :], one[5 * (self.what == "test") :]


@pytest.mark.parametrize("what", ["train", "test", "number", None])
def test_half_of_a_split_that_comes_again_is_not_enough(what):
    class Owner:
        estimator, cv = LogisticRegression(), Wavering(what)

    if what is None:
        assert len(_splits_again(Owner, X, Y, None, 2)) == 2
    else:
        with pytest.raises(ValueError, match="cannot be made again"):
            _splits_again(Owner, X, Y, None, 2)


def test_only_searches_by_samples_fitted_parts_of_them():
    class Owner:
        pass

    _check_whole_samples(Owner)
    Owner.resource = "n_estimators"
    _check_whole_samples(Owner)
    Owner.resource = "n_samples"
    with pytest.raises(ValueError, match="type fitted its configurations on parts"):
        _check_whole_samples(Owner)


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


def test_the_note_of_fewer_comes_only_with_fewer():
    finished = search(cv=3).fit(X, Y)
    (note,) = again(finished, X, Y, n_best=2).notes
    assert note.startswith("Only the 2 best of 3 configurations")
    assert again(finished, X, Y, n_best=3).notes == ()


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


def test_weights_and_parameters_of_fit_are_given_again():
    given = {"sample_weight": WEIGHTS, "scale": list(1 + GROUPS % 3)}
    for scoring in ("accuracy", "roc_auc"):
        finished = search(model=Scaled(), scoring=scoring, cv=3).fit(X, Y, **given)
        kept = search(BBCSearchCV, model=Scaled(), scoring=scoring, cv=3, ci=[]).fit(X, Y, **given)
        oof = again(finished, X, Y, **given)
        assert oof == kept.oof_._with_fields(selected_by="the search") and not oof.notes


@pytest.mark.parametrize(
    ("model", "fit", "passed", "told"),
    [
        (LogisticRegression(), {"sample_weight": WEIGHTS}, {}, r"sample_weight=\.\.\.\)\.$"),
        (Scaled(), {"sample_weight": WEIGHTS, "scale": GROUPS + 1.0}, {"scale": GROUPS + 1.0},
         r"sample_weight=\.\.\.\)\. So far: scale\.$"),
    ],
)  # fmt: skip
def test_what_was_given_to_fit_is_named_where_scores_differ(model, fit, passed, told):
    finished = search(model=model, cv=3).fit(X, Y, **fit)
    with pytest.warns(RecordingWarning, match="score otherwise than in the search") as caught:
        oof = again(finished, X, Y, **passed)
    (note,) = oof.notes
    assert note == str(caught[0].message) and re.search(
        f"`fit` of the search was given.*{told}", note
    )


def test_what_was_given_to_fit_is_named_where_nothing_can_be_fitted():
    finished = search(model=Scaled(), cv=3).fit(X, Y, scale=GROUPS + 1.0)
    with pytest.raises(ValueError, match=r"again \(TypeError: Scaled.*'scale'\).*the same ones"):
        again(finished, X, Y)
    with pytest.raises(ValueError, match=r"sample_weight, n_best and parameters of fit.*needs X"):
        again(finished, scale=GROUPS + 1.0)
    with pytest.raises(ValueError, match="needs X"):
        again(finished, sample_weight=WEIGHTS)
