"""A score that cannot be computed on one fold costs that score, not the fold's predictions."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV, OOFPredictions, OOFRecorder, bbc
from sklearn_bbc.exceptions import IntervalWarning, RecordingWarning, UndefinedIntervalError
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.metrics import neg_survival_brier_score

RNG = np.random.default_rng(0)
N, K = 40, 4
CODE = np.arange(N) // K % 2
CODE[[1, 2, 3]] = 2  # the fold of 0, 4, 8, ... lacks the third class
Y = np.array(["ape", "bee", "cow"])[CODE]
X = RNG.normal(size=(N, 2)) + CODE[:, None]
FOLD = np.arange(N) % K
CV = [(np.flatnonzero(FOLD != k), np.flatnonzero(FOLD == k)) for k in range(K)]
GRID = {"var_smoothing": [1e-9, 1.0]}
MODELS = [GaussianNB(var_smoothing=value) for value in GRID["var_smoothing"]]
PROBA = np.stack([cross_val_predict(m, X, Y, cv=CV, method="predict_proba") for m in MODELS])
FEW = BBC(n_bootstraps=20, random_state=0)
EMPTY = [*CV[:2], (np.arange(N), np.array([], dtype=int)), *CV[2:]]


def after(model, X, y):
    return -log_loss(y, model.predict_proba(X))


def two_after(model, X, y):
    answer = model.predict_proba(X)
    return {"loss": -log_loss(y, answer), "own": float(answer.max(axis=1).mean())}


def before(model, X, y):
    if len(np.unique(y)) < 3:
        raise ValueError("a class is missing")
    return -log_loss(y, model.predict_proba(X))


SCORINGS = {
    "log loss": ("neg_log_loss", True),
    "AUC": ("roc_auc_ovr", True),
    "Brier": ("neg_brier_score", True),
    "callable": (after, True),
    "callable of two": (two_after, "own"),
    "list": (["neg_log_loss", "roc_auc_ovr"], "neg_log_loss"),
    "dict": ({"a": "neg_log_loss", "b": "accuracy"}, "a"),
}


MORE = [{}, {"return_train_score": True}]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("scoring", "refit", "error_score", "more"),
    [
        *(
            (*SCORINGS[name], error_score, more)  # one metric, and one of several
            for name in ("log loss", "list")
            for error_score in (np.nan, -7.0)
            for more in MORE
        ),
        *((*scoring, (np.nan, -7.0)[k % 2], MORE[k // 2 % 2]) for k, scoring in
          enumerate(SCORINGS.values())),
        (*SCORINGS["log loss"], np.nan, {"n_jobs": 2}),  # it travels from another process
    ],
)  # fmt: skip
def test_what_was_predicted_before_the_metric_raised_is_kept(scoring, refit, error_score, more):
    options = {"scoring": scoring, "cv": CV, "refit": refit, "error_score": error_score, **more}
    with warnings.catch_warnings(record=True) as ours:
        warnings.simplefilter("always")
        found = BBCSearchCV(GaussianNB(), GRID, ci=FEW, random_state=0, **options).fit(X, Y)
    assert np.array_equal(found.oof_.responses["predict_proba"], PROBA[:, found.oof_.sample])
    assert not any(issubclass(each.category, RecordingWarning) for each in ours)
    assert np.isfinite(found.bbc_score_)
    if scoring is two_after:  # of which scikit-learn's search raises a TypeError
        assert np.array_equal(
            found.cv_results_["split0_test_own"], [error_score] * 2, equal_nan=True
        )
        return
    with warnings.catch_warnings(record=True) as its:
        warnings.simplefilter("always")
        plain = GridSearchCV(GaussianNB(), GRID, **options).fit(X, Y)
    assert found.best_index_ == plain.best_index_
    for name in (name for name in plain.cv_results_ if "_test_" in name or "_train_" in name):
        np.testing.assert_array_equal(found.cv_results_[name], plain.cv_results_[name])
    said = [
        [str(w.message).split("\n")[0] for w in each if "Scoring failed" in str(w.message)]
        for each in (ours, its)
    ]
    assert said[0] == said[1]


def test_scores_that_were_not_computed_are_named():
    with pytest.warns(UserWarning, match="Scoring failed"):
        found = BBCSearchCV(
            GaussianNB(), GRID, scoring="neg_log_loss", cv=CV, error_score=-7.0, ci=FEW
        ).fit(X, Y)
    (note,) = [note for note in found.ci_.details["notes"] if "error_score" in note]
    assert note.startswith("neg_log_loss cannot be computed in fold 0: in cv_results_")


def test_nothing_is_kept_where_the_scorer_raised_before_it_asked():
    with pytest.warns(IntervalWarning), pytest.warns(UserWarning, match="Scoring failed"):
        found = BBCSearchCV(GaussianNB(), GRID, scoring=before, cv=CV, ci=FEW).fit(X, Y)
    with pytest.raises(AttributeError, match="failed in some fold, by its fit or its scorer"):
        found.bbc_score_  # noqa: B018


# scikit-learn raises before it asks a model for an answer that did not learn the positive class.
@pytest.mark.one_in(3)
@pytest.mark.parametrize("error_score", [np.nan, 0.0])
@pytest.mark.parametrize(
    ("scoring", "response"),
    [
        ("recall", "predict"),
        ("average_precision", "predict_proba"),
        (["f1", "roc_auc"], "predict"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_training_fold_without_the_positive_class_keeps_its_predictions(
    scoring, response, error_score
):
    y = np.sort(CODE % 2)
    model, grid, cv = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}, KFold(2)
    models = [clone(model).set_params(max_depth=depth) for depth in grid["max_depth"]]
    right = np.stack([cross_val_predict(each, X, y, cv=cv) for each in models])
    refit = "f1" if isinstance(scoring, list) else True
    options = {"scoring": scoring, "cv": cv, "refit": refit, "error_score": error_score}
    found = BBCSearchCV(model, grid, ci=FEW, random_state=0, **options).fit(X, y)
    plain = GridSearchCV(model, grid, **options).fit(X, y)
    for name in (name for name in plain.cv_results_ if "_test_" in name):
        np.testing.assert_array_equal(found.cv_results_[name], plain.cv_results_[name])
    assert np.array_equal(found.oof_.responses[response], right)  # trees of one class say 0 or 1
    assert np.isfinite(found.bbc_score_)
    recorder = OOFRecorder(y, cv=cv)
    recorder.cross_val_score(model, X, params={"max_depth": 1}, scoring="recall")
    assert np.array_equal(recorder.oof_.responses["predict"], right[:1])


def test_an_error_that_shall_be_raised_is_raised():
    search = BBCSearchCV(GaussianNB(), GRID, scoring=after, cv=CV, error_score="raise")
    with pytest.raises(ValueError, match="different number of classes"):
        search.fit(X, Y)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:Scoring failed", "ignore:One or more of the test")
def test_bbc_is_that_of_the_same_arrays_and_the_advice_is_true():
    of_arrays = bbc(Y, PROBA.swapaxes(0, 1), "neg_log_loss", fold=CV, random_state=0)
    recorder = OOFRecorder(Y, cv=CV)
    for model in MODELS:
        scores = recorder.cross_val_score(model, X, params=None, scoring="neg_log_loss")
        assert np.isnan(scores).tolist() == [True, False, False, False]
    plain = GridSearchCV(GaussianNB(), GRID, scoring="neg_log_loss", cv=CV).fit(X, Y)
    again = OOFPredictions.from_search(plain, X, Y)
    for oof in (recorder.oof_, again):
        result = BBC(random_state=0).estimate(oof, "neg_log_loss")
        assert result.estimate == pytest.approx(of_arrays.estimate, abs=1e-12)
        assert result.details["winner"] == of_arrays.details["winner"]
        with pytest.raises(UndefinedIntervalError, match="or BBC, which pools the folds"):
            BBCF().estimate(oof, "neg_log_loss")
    assert "GridSearchCV returned the first one without comparing scores" in again.notes[-1]
    with pytest.warns(UserWarning, match="No configuration has a score in every fold"):
        found = BBCSearchCV(GaussianNB(), GRID, scoring="neg_log_loss", cv=CV, ci=FEW).fit(X, Y)
    tuned = found.interval(BBC(random_state=0), tuned_by="neg_log_loss")
    assert tuned.estimate == pytest.approx(of_arrays.estimate, abs=1e-12)


@pytest.mark.filterwarnings("ignore:Scoring failed", "ignore:One or more of the test")
def test_stored_fits_keep_them_too(tmp_path):
    options = {"scoring": "neg_log_loss", "cv": CV, "store": tmp_path / "fits", "ci": FEW}
    with pytest.warns(UserWarning, match="No configuration has a score in every fold"):
        first, again = (BBCSearchCV(GaussianNB(), GRID, **options).fit(X, Y) for _ in range(2))
    assert again.ci_.estimate == first.ci_.estimate
    assert np.array_equal(again.oof_.responses["predict_proba"], PROBA[:, again.oof_.sample])


# ---------------------------------------------------------------------- folds without samples
@pytest.mark.one_in(3)
@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", None, ["accuracy", "f1_macro"]])
@pytest.mark.parametrize("error_score", [np.nan, 0.0])
@pytest.mark.filterwarnings("ignore:Scoring failed", "ignore:One or more of the test")
def test_an_empty_test_fold_is_left_out(scoring, error_score):
    y = np.array(["ape", "bee"])[CODE % 2]
    options = {"scoring": scoring, "error_score": error_score}
    options["refit"] = "accuracy" if isinstance(scoring, list) else True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = GridSearchCV(GaussianNB(), GRID, cv=EMPTY, **options).fit(X, y)
        found = BBCSearchCV(GaussianNB(), GRID, cv=EMPTY, ci=FEW, **options).fit(X, y)
        without = BBCSearchCV(GaussianNB(), GRID, cv=CV, ci=FEW, **options).fit(X, y)
    assert found.best_index_ == plain.best_index_
    assert found.oof_.n_splits == K
    assert found.oof_.fold.tolist() == without.oof_.fold.tolist()
    for name, scores in without.oof_.fold_scores.items():
        np.testing.assert_array_equal(found.oof_.fold_scores[name], scores)
    assert "No sample is held out by split 2" in found.oof_.notes[-1]
    metric = next(iter(without.oof_.fold_scores))
    for method in (FEW, BBCF()):
        ours, its = (s.interval(method, metric, tuned_by=metric) for s in (found, without))
        assert ours.estimate == its.estimate
    advice = any("if len(test)" in note for note in found.ci_.details["notes"])
    assert advice == np.isnan(error_score)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = OOFPredictions.from_search(plain, X, y)
    np.testing.assert_array_equal(again.sample, found.oof_.sample)
    assert OOFPredictions.from_search(plain).n_splits == K


# ---------------------------------------------------------------------- models and other targets
class NoClasses(RegressorMixin, BaseEstimator):
    """A regressor with the attribute of a classifier, as CatBoost's has."""

    def __init__(self, shift=0.0, classes=()):
        self.shift, self.classes = shift, classes

    def fit(self, X, y):
        self.classes_, self.mean_ = self.classes, np.mean(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_ + self.shift)


@pytest.mark.parametrize(
    "classes", [(), np.array([], dtype=object), None, 0, np.unique(X[:, 0]), [1.0, 2.0]]
)
def test_a_regressor_with_classes_is_a_regressor(classes):
    found = BBCSearchCV(
        NoClasses(classes=classes), {"shift": [0.0, 1.0]}, scoring="r2", ci=FEW
    ).fit(X, X[:, 0])
    assert found.oof_.responses["predict"].dtype == np.float64
    assert np.isfinite(found.bbc_score_)


def test_r2_of_a_fold_with_one_sample():
    cv = [*[(t, e[1:]) if k == 0 else (t, e) for k, (t, e) in enumerate(CV)], (CV[0][0], [0])]
    with pytest.warns(UndefinedMetricWarning), pytest.warns(UserWarning, match="non-finite"):
        with pytest.warns(UserWarning, match="No configuration has a score"):
            found = BBCSearchCV(
                Ridge(), {"alpha": [0.1, 10]}, scoring="r2", cv=cv, ci=FEW, random_state=0
            ).fit(X, CODE.astype(float))
    assert (found.oof_.n_rows, np.isfinite(found.bbc_score_)) == (N, True)


class Hazard(BaseEstimator):
    def __init__(self, strength=0.0):
        self.strength = strength

    def fit(self, X, y):
        return self

    def predict_survival_function(self, X, times):
        return np.exp(-np.outer(np.exp(self.strength * X[:, 0]), times))


def test_survival_scores_of_folds_that_nobody_survived():
    time = np.where(FOLD == 0, 1.0, 1.0 + np.arange(N) / N)
    y = np.column_stack([np.ones(N), time])
    with pytest.warns(UndefinedMetricWarning), pytest.warns(UserWarning, match="non-finite"):
        with pytest.warns(UserWarning, match="No configuration has a score"):
            found = BBCSearchCV(
                Hazard(), {"strength": [0.0, 1.0]}, scoring=neg_survival_brier_score(1.5),
                cv=CV, ci=FEW, random_state=0,
            ).fit(X, y)  # fmt: skip
    assert (found.oof_.n_rows, np.isfinite(found.bbc_score_)) == (N, True)
