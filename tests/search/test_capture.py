"""Every way in which models answer, captured: the record is what the search scored."""

import threading
from contextlib import suppress

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.datasets import make_classification
from sklearn.feature_selection import RFE
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, RANSACRegressor
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    log_loss,
    make_scorer,
    roc_auc_score,
)
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.intervals import BBC
from tests.search.small_search import FEW

X, Y = make_classification(n_samples=120, n_features=6, flip_y=0.2, random_state=0)
Z = X[:, 0] * 2 + np.random.RandomState(0).normal(size=120)
CV = KFold(4, shuffle=True, random_state=0)
COLUMNS = {"column": [0, 1, 2]}


def fitted(estimator, grid, y=Y, scoring=None, **options):
    defaults = {"cv": CV, "ci": FEW, "random_state": 0, "scoring": scoring}
    return BBCSearchCV(estimator, grid, **{**defaults, **options}).fit(X, y)


def assert_record_is_what_was_scored(search, complete=True):
    """The metric of every fold, from the record, is the score in ``cv_results_``."""
    stage = search._as_finished()
    for metric in stage.metrics.values():
        kernel = metric.bind(stage.view(metric))
        assert kernel.valid.all() or not complete
        np.testing.assert_allclose(
            kernel.fold_scores()[:, kernel.valid],
            search.oof_.fold_scores[metric.name][:, kernel.valid],
            rtol=1e-9,
            atol=1e-12,
        )


# ---------------------------------------------------------------------- models that delegate
class OwnScorePrediction(ClassifierMixin, BaseEstimator):
    """Scores by an inner function and never asks its own `predict`, as CatBoost does."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def _labels(self, X):
        return self.classes_[(X[:, self.column] > 0).astype(int)]

    def predict(self, X):
        return self._labels(X)

    def score(self, X, y):
        return accuracy_score(y, self._labels(X))


LOGIT = LogisticRegression()
DELEGATING = {
    "rfe": (RFE(LOGIT), {"n_features_to_select": [1, 2, 3]}, Y),
    "ransac": (RANSACRegressor(random_state=0), {"max_trials": [5, 9]}, Z),
    "self_training": (SelfTrainingClassifier(LOGIT), {"threshold": [0.7, 0.9]}, Y),
    "frozen": (
        Pipeline([("model", LOGIT)]),
        {"model": [FrozenEstimator(LogisticRegression(C=c).fit(X, Y)) for c in (1e-3, 1)]},
        Y,
    ),
    "frozen_in_pipeline": (
        make_pipeline(StandardScaler(), FrozenEstimator(LogisticRegression().fit(X, Y))),
        {"standardscaler__with_mean": [True, False]},
        Y,
    ),
    "own_score": (OwnScorePrediction(), COLUMNS, Y),
    "own_score_in_pipeline": (
        make_pipeline(StandardScaler(), OwnScorePrediction()),
        {"ownscoreprediction__column": [0, 1, 2]},
        Y,
    ),
    "search": (GridSearchCV(LOGIT, {"C": [0.1]}), {"cv": [2, 3]}, Y),
}


@pytest.mark.one_in(3)
@pytest.mark.filterwarnings("ignore:y contains no unlabeled samples")
@pytest.mark.parametrize("name", DELEGATING)
def test_the_default_score_of_models_that_delegate_is_captured(name, recwarn):
    estimator, grid, y = DELEGATING[name]
    search = fitted(estimator, grid, y)
    assert not [str(w.message) for w in recwarn if "unlabeled" not in str(w.message)]
    assert search.ci_.metric == ("r2" if name == "ransac" else "accuracy")
    assert search.ci_.method == "bbc"
    assert_record_is_what_was_scored(search)


def test_a_regressor_that_scores_without_asking_is_captured():
    class Own(RegressorMixin, BaseEstimator):
        def __init__(self, slope=1.0):
            self.slope = slope

        def fit(self, X, y):
            return self

        def predict(self, X):
            return self.slope * X[:, 0]

        def score(self, X, y):
            return 1 - np.sum((y - self.slope * X[:, 0]) ** 2) / np.sum((y - y.mean()) ** 2)

    search = fitted(Own(), {"slope": [1.0, 2.0]}, Z)
    assert search.ci_.metric == "r2"
    assert_record_is_what_was_scored(search)


# ---------------------------------------------------------------------- answers of other shapes
class Base(ClassifierMixin, BaseEstimator):
    order = 1

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        self.classes_ = np.unique(y)[:: self.order]
        return self

    def _proba(self, X):
        """Columns in the order of the sorted classes."""
        logits = X[:, [self.column + k for k in range(len(self.classes_))]]
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)

    def predict(self, X):
        return np.sort(self.classes_)[self._proba(X).argmax(axis=1)]

    def predict_proba(self, X):
        return self._proba(X)[:, :: self.order]


class ListsOfLists(Base):
    def predict_proba(self, X):
        return super().predict_proba(X).tolist()


class ColumnOfLabels(Base):
    def predict(self, X):
        return super().predict(X)[:, None]


class OwnPredict(Base):
    def fit(self, X, y):
        super().fit(X, y)
        self.predict = lambda X: Base.predict(self, X)
        return self


THREE = np.array(["b", "a", "c"])[(X[:, :3]).argmax(axis=1)]


def own_log_loss(estimator, X, y):
    """Looks columns up by the estimator's own classes."""
    proba = np.asarray(estimator.predict_proba(X))
    order = np.argsort(estimator.classes_)
    return -log_loss(y, proba[:, order], labels=np.sort(estimator.classes_))


@pytest.mark.parametrize("y", [Y, THREE], ids=["binary", "three"])
def test_probabilities_as_lists_of_lists_are_captured(y, recwarn):
    search = fitted(ListsOfLists(), COLUMNS, y, own_log_loss, ci=[])
    assert not [str(w.message) for w in recwarn]
    proba = search.oof_.matrix("predict_proba")
    expected = Base(0).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(proba[:, 0], expected[:, 1] if proba.ndim == 2 else expected)
    assert_record_is_what_was_scored(search)


@pytest.mark.parametrize("model", [ColumnOfLabels(), OwnPredict()], ids=["column", "attribute"])
@pytest.mark.parametrize("y", [Y, THREE], ids=["binary", "three"])
@pytest.mark.parametrize("scoring", [None, "accuracy", "f1_macro"])
def test_labels_as_a_column_or_from_an_attribute_are_captured(model, y, scoring, recwarn):
    search = fitted(model, COLUMNS, y, scoring)
    assert not [str(w.message) for w in recwarn]
    assert search.oof_.responses["predict"].shape == (3, 120)
    assert_record_is_what_was_scored(search)


def test_negative_positions_in_cv_are_those_from_the_end(recwarn):
    plain = list(CV.split(X))
    negative = [(train - 120, np.where(test % 2, test, test - 120)) for train, test in plain]
    one, other = (
        fitted(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}, cv=cv)
        for cv in (plain, negative)
    )
    assert not [str(w.message) for w in recwarn]
    for method, array in one.oof_.responses.items():
        np.testing.assert_array_equal(other.oof_.responses[method], array)
    assert list(other.ci_) == list(one.ci_)


# ---------------------------------------------------------------------- classes in any order
class Unsorted(Base):
    """Names its classes in reverse order, and answers in that order."""

    order = -1


class UnsortedDecision(Unsorted):
    """Positive speaks for its second class, as scikit-learn has it."""

    predict_proba = None

    def decision_function(self, X):
        if len(self.classes_) == 2:
            return X[:, self.column] - X[:, self.column + 1]
        return self._proba(X)[:, ::-1]


@pytest.mark.parametrize("y", [Y, THREE], ids=["binary", "three"])
def test_probabilities_follow_the_order_of_the_classes(y, recwarn):
    search = fitted(Unsorted(), {"column": [0, 2]}, y, own_log_loss, ci=[])
    assert not [str(w.message) for w in recwarn]
    sorted_model = fitted(Base(), {"column": [0, 2]}, y, own_log_loss, ci=[])
    np.testing.assert_array_equal(
        search.oof_.responses["predict_proba"], sorted_model.oof_.responses["predict_proba"]
    )
    few = BBC(n_bootstraps=20)
    assert search.interval(few).estimate == sorted_model.interval(few).estimate


def test_decisions_of_unsorted_classes_are_for_the_last_in_sorted_order(recwarn):
    def own_auc(estimator, X, y):
        return roc_auc_score(y == estimator.classes_[1], estimator.decision_function(X))

    search = fitted(UnsortedDecision(), {"column": [0, 2]}, Y, own_auc, ci=[])
    assert not [str(w.message) for w in recwarn]
    expected = X[:, 1] - X[:, 0]
    np.testing.assert_allclose(search.oof_.matrix("decision_function")[:, 0], expected)
    three = fitted(
        UnsortedDecision(), COLUMNS, THREE, lambda e, X, y: e.decision_function(X).max(), ci=[]
    )
    np.testing.assert_allclose(
        three.oof_.matrix("decision_function")[:, 0], Base(0).fit(X, THREE)._proba(X)
    )


def test_a_scikit_learn_scorer_that_takes_unsorted_columns_for_sorted_is_reported():
    """Its ``cv_results_`` are another number than the metric of these probabilities."""
    with pytest.warns(RecordingWarning, match="classes_ are not sorted"):
        fitted(Unsorted(), COLUMNS, Y, "neg_log_loss", ci=[])


# ---------------------------------------------------------------------- memory of others
def test_a_scorer_that_scikit_learn_itself_lets_write_into_the_answer():
    """Its scorers turn decisions for the other class round in place."""

    class Keeps(ClassifierMixin, BaseEstimator):
        def __init__(self, column=0):
            self.column = column

        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def decision_function(self, X):
            return X[:, self.column].copy()

    scorer = make_scorer(average_precision_score, response_method="decision_function", pos_label=0)
    search = fitted(Keeps(), COLUMNS, Y, scorer)
    np.testing.assert_array_equal(search.oof_.matrix("decision_function"), X[:, :3])
    assert_record_is_what_was_scored(search)


class Buffered(RegressorMixin, BaseEstimator):
    """Every answer stands in the same memory."""

    memory = np.zeros(1000)

    def __init__(self, slope=1.0):
        self.slope = slope

    def fit(self, X, y):
        return self

    def predict(self, X):
        answer = Buffered.memory[: len(X)]
        answer[:] = self.slope * X[:, 0]
        return answer


def test_an_estimator_that_reuses_its_memory_is_recorded_as_it_answered(recwarn):
    search = fitted(Buffered(), {"slope": [1.0, 2.0, -50.0]}, Z, "r2")
    assert not [str(w.message) for w in recwarn]
    np.testing.assert_array_equal(search.oof_.matrix("predict"), X[:, :1] * [[1.0, 2.0, -50.0]])
    assert abs(search.bbc_score_ - search.best_score_) < 0.2


# ---------------------------------------------------------------------- threads
class Frozen(FrozenEstimator):
    """Lives with scikit-learn 1.9, whose threads delete an attribute of their own twice."""

    def __delattr__(self, name):
        with suppress(AttributeError):
            super().__delattr__(name)


class Slow(LogisticRegression):
    """Lets other threads in while it answers."""

    gate = threading.Barrier(2)

    def decision_function(self, X):
        answer = super().decision_function(X)
        if threading.current_thread() is not threading.main_thread():
            try:
                Slow.gate.wait(timeout=0.005)
            except threading.BrokenBarrierError:
                Slow.gate.reset()
        return answer


@pytest.mark.one_in(2)
@pytest.mark.parametrize("scoring", [None, ["accuracy", "roc_auc"]], ids=str)
@pytest.mark.parametrize("train_too", [False, True])
def test_frozen_models_in_threads_are_recorded_as_in_sequence(scoring, train_too, recwarn):
    models = [Frozen(Slow(C=c).fit(X[:, [0, 1, 2, k]], Y)) for c in (1e-3, 1.0)
              for k in (3, 4)]  # fmt: skip
    options = {"refit": "roc_auc"} if isinstance(scoring, list) else {}

    def run(n_jobs):
        return BBCSearchCV(
            make_pipeline(Frozen(StandardScaler().fit(X[:, :4])), models[0]),
            {"frozen-2": models},
            scoring=scoring, cv=KFold(3), ci=FEW, random_state=0, n_jobs=n_jobs,
            return_train_score=train_too, **options,
        ).fit(X[:, :4], Y)  # fmt: skip

    plain = run(1)
    with parallel_config("threading"):
        threaded = run(4)
    assert not [str(w.message) for w in recwarn]
    for method, array in plain.oof_.responses.items():
        np.testing.assert_array_equal(threaded.oof_.responses[method], array, err_msg=method)
    assert threaded.bbc_score_ == plain.bbc_score_
    assert all("predict" not in vars(frozen.estimator) for frozen in models)
    assert_record_is_what_was_scored(threaded)


def test_linear_models_of_every_precision_are_recorded_as_they_answer():
    class Single(LinearRegression):
        def predict(self, X):
            return super().predict(X).astype(np.float32)

    search = fitted(Single(), {"fit_intercept": [True, False]}, Z, "neg_mean_squared_error")
    assert search.oof_.responses["predict"].dtype == np.float32
    labels = fitted(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2]}, Y, "accuracy")
    assert labels.oof_.responses["predict"].dtype == np.int8
    assert_record_is_what_was_scored(labels)
