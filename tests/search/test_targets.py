"""Targets of every kind that people bring, from `fit` to the interval."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs, make_classification, make_multilabel_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.exceptions import IntervalWarning, RecordingWarning, UndefinedIntervalError
from sklearn_bbc.intervals import BBC

X, Y = make_classification(n_samples=80, n_features=5, flip_y=0.2, random_state=0)
TEXT = np.where(Y == 1, "yes", "no")
X3, Y3 = make_blobs(n_samples=90, centers=3, cluster_std=3, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)
DEPTHS = {"max_depth": [1, 3]}
FEW = BBC(n_bootstraps=40)


def search(estimator=TREE, grid=DEPTHS, **options):
    defaults = {"cv": 3, "ci": FEW, "random_state": 0}
    return BBCSearchCV(estimator, grid, **{**defaults, **options})


TARGETS = {
    "list of text": TEXT.tolist(),
    "objects": TEXT.astype(object),
    "series of text": pd.Series(TEXT),
    "category": pd.Series(TEXT, dtype="category"),
    "text of pandas": pd.Series(TEXT, dtype="string"),
    "nullable integers": pd.Series(Y, dtype="Int64"),
    "booleans": Y == 1,
    "floats": Y.astype(float),
    "minus one and one": 2 * Y - 1,
    "frame of one column": pd.DataFrame({"outcome": Y}),
}


def of_three_metrics(y):
    """Best score and intervals by BBC and BBC-F for labels and for probabilities."""
    scoring = ["accuracy", "roc_auc", "neg_log_loss"]
    found = search(scoring=scoring, refit="accuracy", ci=[FEW, "bbcf"]).fit(X, y)
    results = [found.ci_results_[name][method] for name in scoring for method in ("bbc", "bbcf")]
    return found.best_score_, [(each.estimate, *each) for each in results]


@pytest.fixture(scope="module")
def of_zero_and_one():
    return of_three_metrics(Y)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", TARGETS)
def test_the_same_classes_under_other_names_give_the_same_interval(kind, of_zero_and_one):
    assert of_three_metrics(TARGETS[kind]) == of_zero_and_one


def test_one_metric_of_text_gives_the_interval_of_numbers():
    text, numbers = (search(scoring="roc_auc").fit(X, y) for y in (TEXT, Y))
    assert tuple(text.ci_) == tuple(numbers.ci_) and text.bbcf_score_ == numbers.bbcf_score_


def labels_and_probabilities(estimator, X, y):
    estimator.predict_proba(X)
    return accuracy_score(y, estimator.predict(X))


def labels_and_decisions(estimator, X, y):
    estimator.decision_function(X)
    return accuracy_score(y, estimator.predict(X))


@pytest.fixture(scope="module")
def sorted_classes():
    """Every fold of an unshuffled KFold(3) tests a class that its training never saw."""
    order = np.argsort(Y3, kind="stable")
    return X3[order], np.array(["a", "b", "c"])[Y3[order]]


def test_probabilities_of_classes_missing_in_training_are_zero(sorted_classes):
    X, y = sorted_classes
    fitted = search(
        GaussianNB(), {"var_smoothing": [1e-9, 0.1]}, scoring=labels_and_probabilities, cv=KFold(3)
    ).fit(X, y)
    for split, (train, test) in enumerate(KFold(3).split(X)):
        model = GaussianNB(var_smoothing=0.1).fit(X[train], y[train])
        rows = fitted.oof_.fold == split
        got = fitted.oof_.responses["predict_proba"][1, rows]
        missing = [label not in model.classes_ for label in "abc"]
        assert sum(missing) == 1
        assert (got[:, missing] == 0).all()
        np.testing.assert_array_equal(got[:, ~np.array(missing)], model.predict_proba(X[test]))
        labels = fitted.oof_.classes_[fitted.oof_.responses["predict"][1, rows]]
        np.testing.assert_array_equal(labels, model.predict(X[test]))


def test_decisions_without_a_class_are_left_out_and_reported(sorted_classes):
    X, y = sorted_classes
    with pytest.warns(RecordingWarning, match="did not see every class") as caught:
        fitted = search(
            LogisticRegression(), {"C": [0.1, 1]}, scoring=labels_and_decisions, cv=KFold(3), ci=[]
        ).fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert "predict" in fitted.oof_.responses
    assert "decision_function" not in fitted.oof_.responses


def test_labels_that_are_in_no_target_are_left_out_and_reported():
    class Abstaining(DecisionTreeClassifier):
        def predict(self, X):
            return np.where(X[:, 0] > 1, "unsure", super().predict(X))

    with pytest.warns(RecordingWarning, match="not in the target"), pytest.warns(IntervalWarning):
        fitted = search(Abstaining(random_state=0), scoring="accuracy").fit(X, TEXT)
    assert np.isnan(fitted.ci_.low)


@pytest.mark.parametrize(
    "estimator",
    [RandomForestClassifier(5, random_state=0), OneVsRestClassifier(GaussianNB())],
    ids=["list of outputs", "one array"],
)
def test_multilabel_probabilities(estimator):
    X, y = make_multilabel_classification(n_samples=90, n_classes=3, random_state=0)
    name = "max_depth" if hasattr(estimator, "max_depth") else "estimator__var_smoothing"
    fitted = search(estimator, {name: [1, 3]}, scoring="roc_auc").fit(X, y)
    assert fitted.oof_.responses["predict_proba"].shape == (2, 90, 3)
    assert fitted.ci_.low < fitted.bbc_score_ < 1


@pytest.mark.parametrize("only", [0, 1])
def test_a_label_that_a_training_fold_does_not_know_has_the_probability_of_the_other(only):
    """Trees return a column for each label of the training fold; the label is the second one."""
    y = np.column_stack([Y, np.full(80, only)])
    y[:20, 1] = 1 - only  # the first test fold alone

    def by_probabilities(estimator, X, y):
        estimator.predict_proba(X)
        return float((estimator.predict(X) == y).mean())

    fitted = search(scoring=by_probabilities, cv=KFold(4), ci=[]).fit(X, y)
    found = fitted.oof_.responses["predict_proba"]
    assert (found[:, :20, 1] == only).all()
    for config, depth in enumerate(DEPTHS["max_depth"]):
        tree = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X[20:], y[20:])
        np.testing.assert_array_equal(found[config, :20, 0], tree.predict_proba(X[:20])[0][:, 1])


def test_several_outputs_of_many_classes_have_labels_only():
    y = np.column_stack([Y3, Y3[::-1]])

    def labels(estimator, X, y):
        estimator.predict_proba(X)
        return float((estimator.predict(X) == y).mean())

    fitted = search(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, scoring=labels, ci=[])
    fitted.fit(X3, y)
    assert list(fitted.oof_.responses) == ["predict"]
    assert fitted.oof_.responses["predict"].shape == (2, 90, 2)


def test_regression_of_several_outputs():
    y = np.column_stack([X[:, 0], X[:, 1] ** 2]) + 0.1
    fitted = search(
        LinearRegression(), {"fit_intercept": [True, False]}, scoring="neg_mean_squared_error"
    ).fit(X, y)
    assert fitted.oof_.responses["predict"].shape == (2, 80, 2)
    assert fitted.ci_.low < fitted.bbc_score_ < 0


def test_constant_predictions_are_scored_and_a_single_configuration_is_said():
    always = DummyClassifier(strategy="constant", constant=1)
    fitted = search(always, {"constant": [1]}, scoring="roc_auc").fit(X, Y)
    assert fitted.bbc_score_ == 0.5
    assert any("no selection" in note for note in fitted.ci_.details["notes"])


def test_predictions_of_nan_give_no_number_of_another_configuration():
    class Sometimes(GaussianNB):
        def predict_proba(self, X):
            return super().predict_proba(X) * (np.nan if self.var_smoothing > 0.5 else 1)

    def first_score(estimator, X, y):
        estimator.predict_proba(X)
        return 1.0 if estimator.var_smoothing > 0.5 else 0.5

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = search(
            Sometimes(), {"var_smoothing": [0.1, 0.9]}, scoring=first_score, ci=[]
        ).fit(X, Y)
    with pytest.raises(ValueError, match="selects by first_score"):
        fitted.interval(BBC(n_bootstraps=40), scoring="roc_auc")
    with pytest.raises(UndefinedIntervalError, match=r"configuration 1 \(var_smoothing=0.9\)"):
        fitted.interval("bbcf", scoring="roc_auc")
    tuned = fitted.interval(BBC(n_bootstraps=40), scoring="roc_auc", tuned_by="roc_auc")
    assert tuned.details["winner"] == 0


def test_two_folds_are_too_few_for_folds_and_enough_for_samples():
    fitted = search(cv=2).fit(X, Y)
    assert fitted.ci_.low < fitted.ci_.high
    with pytest.raises(AttributeError, match="at least 3 folds"):
        fitted.bbcf_score_  # noqa: B018


@pytest.mark.filterwarnings("ignore:Scoring failed")
def test_two_samples_do_not_cost_the_search():
    with pytest.warns(IntervalWarning):
        tiny = search(KNeighborsClassifier(), {"n_neighbors": [1]}, cv=KFold(2), scoring="roc_auc")
        tiny.set_params(error_score=0.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", category=RuntimeWarning)
            tiny.fit(X[:2], [0, 1])
    assert np.isnan(tiny.ci_.low)
    assert tiny.predict(X[:2]).tolist() == [0, 1]


@pytest.mark.parametrize(
    "estimator",
    [SVC(kernel="precomputed"), make_pipeline(StandardScaler(), TREE), LinearRegression()],
    ids=["pairwise", "pipeline", "regressor"],
)
def test_tags_are_those_of_grid_search(estimator):
    assert get_tags(BBCSearchCV(estimator, {})) == get_tags(GridSearchCV(estimator, {}))
