"""What the main process does: splits, rounds, callbacks, interrupts, and what travels."""

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, make_scorer, recall_score
from sklearn.model_selection import (
    HalvingGridSearchCV,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.exceptions import IntervalWarning, RecordingWarning
from sklearn_bbc.intervals import BBC
from sklearn_bbc.recording._recording import _has_two_classes
from sklearn_bbc.search import BBCSearchMixin

X, Y = make_classification(n_samples=80, n_features=5, flip_y=0.2, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)
DEPTHS = {"max_depth": [1, 2, 3]}


def search(estimator=TREE, grid=DEPTHS, **options):
    return BBCSearchCV(estimator, grid, **{"cv": 4, "ci": [], **options})


WEIGHTS = np.random.RandomState(1).uniform(0.5, 2, size=80)


FEW = BBC(n_bootstraps=20)


def test_the_splits_of_a_splitter_without_a_seed_are_those_that_were_used():
    class Remembering(ShuffleSplit):
        def split(self, X, y=None, groups=None):
            for train, test in super().split(X, y, groups):
                used.append(test)
                yield train, test

    used = []
    oof = search(cv=Remembering(5, test_size=0.3)).fit(X, Y).oof_
    assert len(used) == 5
    for split, test in enumerate(used):
        assert sorted(oof.sample[oof.fold == split]) == sorted(test)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("scoring", ["roc_auc", ["roc_auc", "accuracy"]], ids=str)
def test_named_responses_are_recorded_besides_those_that_the_scorers_ask_for(scoring, n_jobs):
    options = {"scoring": scoring, "refit": "roc_auc", "ci": [], "cv": 3, "n_jobs": n_jobs}
    model, grid = LogisticRegression(), {"C": [0.1, 1.0]}
    asked = BBCSearchCV(model, grid, **options).fit(X, Y)
    found = BBCSearchCV(model, grid, record=["predict_proba"], **options).fit(X, Y)
    assert set(found.oof_.responses) == {*asked.oof_.responses, "predict_proba"}
    for name, each in asked.oof_.responses.items():
        np.testing.assert_array_equal(found.oof_.responses[name], each)
    risks = cross_val_predict(model.set_params(C=1.0), X, Y, cv=3, method="predict_proba")
    np.testing.assert_allclose(found.oof_.matrix("predict_proba")[:, 1], risks[:, 1])
    for name in asked.oof_.fold_scores:
        np.testing.assert_array_equal(
            found.cv_results_[f"mean_test_{'score' if scoring == 'roc_auc' else name}"],
            asked.cv_results_[f"mean_test_{'score' if scoring == 'roc_auc' else name}"],
        )


def test_models_without_a_named_response_keep_their_scores_and_are_warned_of():
    class Refusing(LogisticRegression):
        def predict_proba(self, X):
            if self.C > 1:
                raise MemoryError("no")
            return super().predict_proba(X)

    options = {"scoring": "roc_auc", "record": "predict_proba", "ci": [], "cv": 3}
    made = BBCSearchCV(Refusing(), {"C": [0.1, 1.0, 10.0]}, **options)
    with pytest.warns(RecordingWarning, match="predict_proba, which 1 configuration of 3 did not"):
        made.fit(X, Y)
    plain = BBCSearchCV(LogisticRegression(), {"C": [0.1, 1.0, 10.0]}, cv=3, scoring="roc_auc")
    np.testing.assert_array_equal(
        made.cv_results_["mean_test_score"], plain.fit(X, Y).cv_results_["mean_test_score"]
    )
    assert np.isnan(made.oof_.matrix("predict_proba")).all(axis=0).tolist() == [False, False, True]
    with pytest.warns(RecordingWarning, match="1 configuration of 1"):
        BBCSearchCV(LinearSVC(), {"C": [1.0]}, **options).fit(X, Y)


def test_splits_from_a_generator_are_used_once():
    splits = list(KFold(4).split(X))
    oof = search(cv=(split for split in splits)).fit(X, Y).oof_
    assert [sorted(oof.sample[oof.fold == k]) for k in range(4)] == [
        sorted(test) for _, test in splits
    ]


def test_wrong_numbers_of_splits_are_scikit_learns_error():
    class Lying(KFold):
        def get_n_splits(self, *args, **kwargs):
            return 5

    with pytest.raises(ValueError, match="inconsistent results"):
        search(cv=Lying(3)).fit(X, Y)


class TwoSteps(BBCSearchCV):
    """Tries deep trees only after it has seen the shallow ones; knows nothing of contexts."""

    def _run_search(self, evaluate_candidates):
        results = evaluate_candidates([{"max_depth": 1}, {"max_depth": 2}])
        assert all(type(score) is np.float64 for score in results["mean_test_score"])
        evaluate_candidates([{"max_depth": 4}], more_results={"step": [2]})


def test_a_search_in_rounds_is_recorded_and_flagged():
    with pytest.warns(IntervalWarning, match="looking at the scores"):
        fitted = TwoSteps(TREE, {}, cv=4, ci=FEW, random_state=0).fit(X, Y)
    assert [params["max_depth"] for params in fitted.oof_.params] == [1, 2, 4]
    assert not fitted.oof_.failed.any()
    assert any("looking at the scores" in note for note in fitted.ci_.details["notes"])
    assert fitted.cv_results_["step"].tolist() == [2]


def test_configurations_on_other_splits_than_the_winners_cannot_win():
    with pytest.warns(IntervalWarning, match="looking at the scores"):
        fitted = TwoSteps(TREE, {}, cv=ShuffleSplit(4), ci=FEW, random_state=0).fit(X, Y)
    expected = [False, False, True] if fitted.best_index_ < 2 else [True, True, False]
    assert fitted.oof_.failed.tolist() == expected
    scores = fitted.oof_.fold_scores["accuracy"]
    assert np.isnan(scores).any(axis=0).tolist() == expected
    assert fitted.ci_.details["n_valid"] == 3 - sum(expected)


class HalvingBBC(BBCSearchMixin, HalvingGridSearchCV):
    """Successive halving with the mixin: other splits in every round."""


def test_halving_keeps_its_last_round():
    with pytest.warns(IntervalWarning, match="looking at the scores"):
        fitted = HalvingBBC(
            GaussianNB(),
            {"var_smoothing": np.logspace(-9, 0, 6)},
            cv=StratifiedKFold(3),
            random_state=0,
        ).fit(X, Y)
    plain = HalvingGridSearchCV(
        GaussianNB(),
        {"var_smoothing": np.logspace(-9, 0, 6)},
        cv=StratifiedKFold(3),
        random_state=0,
    ).fit(X, Y)
    assert fitted.best_params_ == plain.best_params_
    assert fitted.best_score_ == plain.best_score_
    last = fitted.cv_results_["iter"] == max(fitted.cv_results_["iter"])
    np.testing.assert_array_equal(fitted.oof_.failed, ~last)
    assert fitted.bbc_score_ < 1


class Fragile(ClassifierMixin, BaseEstimator):
    """Fails, or is interrupted, after some fits."""

    fits = 0

    def __init__(self, error=None, after=0):
        self.error = error
        self.after = after

    def fit(self, X, y):
        Fragile.fits += 1
        self.classes_ = np.unique(y)
        if self.error is not None and Fragile.fits > self.after:
            raise self.error
        return self

    def predict(self, X):
        return self.classes_[(X[:, 0] > 0).astype(int)]


@pytest.mark.parametrize("error", [KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize("after", [0, 5, 12])
def test_an_interrupted_fit_leaves_nothing_half_fitted(error, after):
    fitted = search(Fragile(), {"after": [1, 2, 3]}, cv=4).fit(X, Y)
    Fragile.fits = 0
    fitted.set_params(estimator__error=error, param_grid={"after": [after]}, cv=4, refit=True)
    fitted.param_grid = {"after": [after] * 3}
    with pytest.raises(type(error)):
        fitted.fit(X, Y)
    assert not [name for name in vars(fitted) if name.endswith("_")]
    assert not {"_recording", "_run_search", "_facts"} & set(vars(fitted))
    with pytest.raises(NotFittedError):
        fitted.predict(X)
    with pytest.raises(NotFittedError):
        fitted.interval()
    fitted.set_params(estimator__error=None).fit(X, Y)
    assert fitted.oof_.n_configs == 3


class FailsFor(ClassifierMixin, BaseEstimator):
    def __init__(self, value=0):
        self.value = value

    def fit(self, X, y):
        if self.value == 1 and X[0, 0] == X_WITHOUT_FIRST_FOLD:
            raise ValueError("this value is bad")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[(X[:, 0] > self.value / 10).astype(int)]


X_WITHOUT_FIRST_FOLD = X[20, 0]


def test_a_configuration_that_fails_in_one_fold_cannot_win_and_is_reported_once(recwarn):
    fitted = search(FailsFor(), {"value": [0, 1, 2]}, cv=KFold(4), ci=FEW, random_state=0)
    fitted.fit(X, Y)
    assert fitted.oof_.failed.tolist() == [False, True, False]
    assert fitted.ci_.details["n_valid"] == 2
    assert [w.category for w in recwarn] == [FitFailedWarning, UserWarning]  # scikit-learn's own
    alone = search(FailsFor(), {"value": [0, 2]}, cv=KFold(4), ci=FEW, random_state=0).fit(X, Y)
    assert (fitted.ci_.low, fitted.ci_.high) == (alone.ci_.low, alone.ci_.high)


def test_when_all_fits_fail_the_error_is_scikit_learns():
    with pytest.raises(ValueError, match="All the 8 fits failed"):
        search(Fragile(ValueError("bad")), {"after": [-1, -2]}).fit(X, Y)


def test_attributes_of_an_earlier_fit_are_gone_before_the_search_begins():
    seen = []

    class Looking(BBCSearchCV):
        def _run_search(self, evaluate_candidates):
            seen.append([name for name in vars(self) if name.endswith("_") and name[0] != "_"])
            super()._run_search(evaluate_candidates)

    looking = Looking(TREE, DEPTHS, cv=4, ci=[]).fit(X, Y)
    looking.fit(X, Y)
    assert [set(names) - {"n_splits_"} for names in seen] == [set(), set()]


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_weights_under_another_name_are_kept_for_the_scorer_that_takes_them(routing):
    weighted = make_scorer(recall_score).set_score_request(sample_weight="importance")
    plain = get_scorer("accuracy").set_score_request(sample_weight=False)
    model = LogisticRegression().set_fit_request(sample_weight=False)
    fitted = search(
        model,
        {"C": [0.1, 1]},
        scoring={"recall": weighted, "accuracy": plain},
        refit="recall",
        ci=FEW,
        random_state=0,
    ).fit(X, Y, importance=WEIGHTS)
    np.testing.assert_array_equal(fitted.oof_.sample_weight, WEIGHTS)
    for name, metric in fitted._as_finished().metrics.items():
        oof = fitted._as_finished().view(metric)
        assert (oof.sample_weight is None) == (name == "accuracy")
        np.testing.assert_allclose(
            metric.bind(oof).fold_scores(), fitted.oof_.fold_scores[name], err_msg=name
        )


@pytest.mark.parametrize("scoring", ["accuracy", ["accuracy", "roc_auc"]], ids=str)
def test_weights_without_routing_are_those_that_the_scorer_gets(scoring):
    options = {"refit": "accuracy"} if isinstance(scoring, list) else {}
    fitted = search(LogisticRegression(), {"C": [0.1, 1]}, scoring=scoring, **options)
    fitted.fit(X, Y, sample_weight=WEIGHTS)
    np.testing.assert_array_equal(fitted.oof_.sample_weight, WEIGHTS)
    for name, metric in fitted._as_finished().metrics.items():
        scores = metric.bind(fitted.oof_).fold_scores()
        np.testing.assert_allclose(scores, fitted.oof_.fold_scores[name])


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        (None, False),
        ([0, 1, 1], True),
        (["a", "b"], True),
        ([[0], [1]], True),
        ([[0, 1], [1, 0]], False),
        ([0, 1, 2], False),
        ([1, "a"], True),
        (np.array([1, "a"], dtype=object), False),
    ],
)
def test_targets_with_two_classes_are_recognised(y, expected):
    assert _has_two_classes(y) is expected
