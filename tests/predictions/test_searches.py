"""What any fitted search tells: scores per fold, parameters, repeats."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BBCF, CorrectedT
from sklearn_bbc.predictions._predictions import with_fields
from sklearn_bbc.predictions._sources import ADAPTIVE, REDRAWN, SHARED_SAMPLES, UNKNOWN
from tests.made import made

GRID = {"C": [0.001, 0.1, 10]}


@pytest.fixture(scope="module")
def data():
    return make_classification(n_samples=60, n_features=4, flip_y=0.2, random_state=0)


def fitted(data, cv, **params):
    return GridSearchCV(LogisticRegression(), GRID, cv=cv, scoring="roc_auc", **params).fit(*data)


@pytest.mark.parametrize(
    "cv",
    [
        RepeatedStratifiedKFold(n_splits=3, n_repeats=3, random_state=0),
        RepeatedKFold(n_splits=4, n_repeats=2, random_state=0),
    ],
)
def test_repeats_are_known_from_the_splitter(data, cv):
    oof = OOFPredictions.from_search(fitted(data, cv))
    kept = BBCSearchCV(LogisticRegression(), GRID, cv=cv, scoring="roc_auc", ci=[]).fit(*data).oof_
    assert oof.n_repeats == kept.n_repeats == cv.n_repeats
    np.testing.assert_array_equal(oof.split_repeat, kept.split_repeat)
    for method in (BBCF(), CorrectedT()):
        found, expected = (method.estimate(each, "roc_auc") for each in (oof, kept))
        assert tuple(found) == tuple(expected)
        assert found.details["n_repeats"] == cv.n_repeats
    as_one_pass = made(fold_scores=oof.fold_scores, selected=oof.selected)
    lost = BBCF(random_state=0).estimate(as_one_pass, "roc_auc")
    assert tuple(lost) != tuple(BBCF().estimate(oof, "roc_auc"))


@pytest.mark.long
def test_repeats_are_known_from_given_splits(data):
    cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)
    oof = OOFPredictions.from_search(fitted(data, list(cv.split(*data))))
    assert (oof.n_repeats, oof.notes) == (2, ())
    one_pass = OOFPredictions.from_search(fitted(data, list(KFold(5).split(*data))))
    assert (one_pass.n_repeats, one_pass.notes) == (1, ())


def test_splits_of_a_generator_are_gone(data):
    cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)
    oof = OOFPredictions.from_search(fitted(data, (split for split in cv.split(*data))))
    assert (oof.n_repeats, oof.notes) == (1, (UNKNOWN,))
    assert UNKNOWN in BBCF().estimate(oof, "roc_auc").details["notes"]


@pytest.mark.parametrize("cv", [None, 4, KFold(4, shuffle=True, random_state=0)])
def test_one_pass_needs_no_note(data, cv):
    oof = OOFPredictions.from_search(fitted(data, cv))
    assert (oof.n_repeats, oof.notes) == (1, ())


@pytest.mark.parametrize("as_list", [False, True])
def test_shuffled_splits_and_splits_in_time_are_noted(data, as_list):
    shuffled, in_time = ShuffleSplit(6, random_state=0), TimeSeriesSplit(4)
    if as_list:
        shuffled, in_time = list(shuffled.split(*data)), list(in_time.split(*data))
    oof = OOFPredictions.from_search(fitted(data, shuffled))
    assert (oof.n_repeats, oof.notes) == (1, (SHARED_SAMPLES,))
    notes = OOFPredictions.from_search(fitted(data, in_time)).notes
    assert "as in a time series" in notes[0]
    assert "block_length='auto'" in notes[1]
    assert len(notes) == 2


class OwnScore(LogisticRegression):
    def score(self, X, y):
        return 0.5


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("model", "grid", "name"),
    [
        (LogisticRegression(), GRID, "accuracy"),
        (Ridge(), {"alpha": [1, 2]}, "r2"),
        (KNeighborsClassifier(), {"n_neighbors": [1, 3]}, "accuracy"),
        (Pipeline([("m", DummyRegressor())]), {"m": [DummyRegressor(), Ridge()]}, "r2"),
        (GridSearchCV(LogisticRegression(), GRID, scoring="roc_auc"), {"cv": [2, 3]}, "score"),
        (make_pipeline(PCA(), Ridge()), {"pca": [PCA(1), "passthrough"]}, "r2"),
        (
            make_pipeline(make_pipeline(OwnScore())),
            {"pipeline": [OwnScore(), OwnScore()]},
            "score",
        ),
        (Pipeline([("m", Ridge())]), {"m": [Ridge(), LogisticRegression()]}, "score"),
        (Pipeline([("m", LogisticRegression())]), {"m": [SVC(), OwnScore()]}, "score"),
        (LogisticRegression(), {"C": [1, 2], "scoring": make_scorer(f1_score)}, "score"),
        (KMeans(n_init=1), {"n_clusters": [1, 2]}, "score"),
    ],
)
def test_the_own_score_of_models_has_a_name_where_it_is_known(data, model, grid, name):
    grid = dict(grid)
    scoring = grid.pop("scoring", None)
    search = GridSearchCV(model, grid, cv=3, scoring=scoring).fit(*data)
    oof = OOFPredictions.from_search(search)
    assert list(oof.fold_scores) == [name]
    means = oof.fold_scores[name].mean(axis=0)
    np.testing.assert_allclose(means, search.cv_results_["mean_test_score"])
    if name != "score":
        again = GridSearchCV(model, grid, cv=3, scoring=name).fit(*data)
        np.testing.assert_allclose(means, again.cv_results_["mean_test_score"])


class RecordedOptuna:
    """What `optuna.integration.OptunaSearchCV` has after `fit`: no ``params`` column."""

    def __init__(self, search):
        self.cv, self.scoring = search.cv, search.scoring
        self.n_splits_, self.best_index_ = search.n_splits_, search.best_index_
        self.cv_results_ = {k: v for k, v in search.cv_results_.items() if k != "params"}


def test_parameters_are_taken_from_their_columns(data):
    search = GridSearchCV(
        LogisticRegression(), [{"C": [1]}, {"tol": [0.1]}], cv=4, scoring="roc_auc"
    ).fit(*data)
    oof = OOFPredictions.from_search(RecordedOptuna(search))
    assert with_fields(oof, notes=()) == OOFPredictions.from_search(search)
    assert oof.notes == (ADAPTIVE.format("RecordedOptuna may have chosen"),)
    assert oof.params == ({"C": 1}, {"tol": 0.1})


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("cv", "anew"),
    [
        (KFold(4, shuffle=True), True),
        (KFold(4, shuffle=True, random_state=np.random.RandomState(0)), True),
        (KFold(4, shuffle=True, random_state=0), False),
        (KFold(4), False),
        (ShuffleSplit(4), True),
        (RepeatedKFold(n_splits=2, n_repeats=2), True),
        (RepeatedKFold(n_splits=2, n_repeats=2, random_state=np.int64(0)), False),
        (TimeSeriesSplit(4), False),
        (4, False),
    ],
)
def test_configurations_may_have_had_other_folds_where_folds_are_drawn_anew(data, cv, anew):
    search = fitted(data, cv)
    assert not any("other folds" in note for note in OOFPredictions.from_search(search).notes)
    notes = OOFPredictions.from_search(RecordedOptuna(search)).notes
    noted = (REDRAWN.format(name="RecordedOptuna", cv=cv),)
    assert notes[-1:] == (noted if anew else (ADAPTIVE.format("RecordedOptuna may have chosen"),))


def test_parameters_may_be_sequences_and_are_not_needed(data):
    stranger = RecordedOptuna(fitted(data, 4))
    shapes = [(5,), (5, 5), (9,)]
    stranger.cv_results_ = {
        **{k: v for k, v in stranger.cv_results_.items() if not k.startswith("param_")},
        "param_shape": shapes,
    }
    oof = OOFPredictions.from_search(stranger)
    assert [params["shape"] for params in oof.params] == shapes
    del stranger.cv_results_["param_shape"], stranger.n_splits_, stranger.scoring, stranger.cv
    assert set(OOFPredictions.from_search(stranger).fold_scores) == {"score"}


@pytest.mark.parametrize(
    "results, message",
    [
        ({"mean_score": [1]}, r"has no mean_test_\* and split\*_test_\* scores"),
        ({"mean_test_score": [1]}, "has the mean of score, but no split0_test_score"),
    ],
)
def test_a_search_without_scores_per_fold(results, message):
    with pytest.raises(ValueError, match=message):
        OOFPredictions.from_search(type("Search", (), {"cv_results_": results})())


# ---------------------------------------------------------------------- skrub
class ParamSearch:
    """What skrub's has: the search that it runs, choices by number, and a sorted table."""

    def __init__(self, search, names):
        self.search, self.names = search, names

    def fit(self, X, y):
        found = clone(self.search).fit(X, y)
        numbers = {name: f"data_op__{k}" for k, name in enumerate(self.names)}
        self.cv_results_ = dict(found.cv_results_)
        self.cv_results_["params"] = [
            {numbers[name]: value for name, value in each.items()}
            for each in found.cv_results_["params"]
        ]
        self.best_index_ = found.best_index_
        means = [name for name in self.cv_results_ if name.startswith("mean_test_")]
        table = pd.DataFrame(
            [{self.names[k]: v for k, v in each.items()} for each in found.cv_results_["params"]]
        ).assign(**{name: self.cv_results_[name] for name in means})
        self.results_ = table.sort_values(means[-1], ascending=False, kind="stable")
        return self


@pytest.mark.parametrize("scoring", ["roc_auc", ["accuracy", "roc_auc"]])
def test_a_search_of_skrub_has_names_of_choices_and_of_its_metric(scoring):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    grid = [{"max_depth": [3, 1, 2]}, {"min_samples_leaf": [5], "criterion": ["entropy"]}]
    refit = "roc_auc" if isinstance(scoring, list) else True
    inner = GridSearchCV(
        DecisionTreeClassifier(random_state=0), grid, scoring=scoring, cv=4, refit=refit
    )
    names = {"max_depth": "depth", "min_samples_leaf": "leaf", "criterion": "how"}
    oof = OOFPredictions.from_search(ParamSearch(inner, names).fit(X, y))
    assert oof.params == (
        {"depth": 3.0}, {"depth": 1.0}, {"depth": 2.0}, {"leaf": 5.0, "how": "entropy"},
    )  # fmt: skip
    assert (sorted(oof.fold_scores), oof.notes) == (sorted(np.atleast_1d(scoring)), ())
    with pytest.raises(ValueError, match="ParamSearch has no parameter 'estimator'"):
        OOFPredictions.from_search(ParamSearch(inner, names).fit(X, y), X, y)


class Trials:
    """A search of Optuna: trials, of which its table is made."""

    def __init__(self, scores, states, best):
        self.trials_ = [
            SimpleNamespace(
                state=SimpleNamespace(name=state),
                params={"C": k},
                user_attrs={}
                if column is None
                else {f"split{fold}_test_score": score for fold, score in enumerate(column)}
                | {"mean_test_score": np.nanmean(column)},
            )
            for k, (column, state) in enumerate(zip(scores, states))
        ]
        self.best_index_, self.cv, self.scoring = best, 3, "roc_auc"

    @property
    def cv_results_(self):
        rows = [trial.user_attrs for trial in self.trials_]
        return {name: [each[name] for each in rows] for name in rows[0]}


def test_trials_that_were_pruned_failed_or_lack_a_fold_cannot_win():
    scores = [[0.6, 0.7, 0.65], [0.9, 0.9, 0.9], None, [0.8, np.nan, 0.95], [0.7, 0.7, 0.7]]
    states = ["COMPLETE", "PRUNED", "FAIL", "COMPLETE", "COMPLETE"]
    with pytest.warns(IntervalWarning, match="selected configuration 3, which has no score in so"):
        oof = OOFPredictions.from_search(Trials(scores, states, best=3))
    assert oof.failed.tolist() == [False, True, True, True, False] and oof.selected is None
    assert any("1 of 5 configurations are left out: they were pruned" in n for n in oof.notes)
    winner = BBCF().estimate(oof, "roc_auc").details["winner"]
    assert oof.params[winner] == {"C": 4}
    assert OOFPredictions.from_search(Trials(scores, states, best=4)).selected == 4
