"""What is recorded where scikit-learn's scorer asks is what a listener hears, or is left to it."""

from inspect import signature

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    f1_score,
    get_scorer,
    make_scorer,
    roc_auc_score,
)
from sklearn.metrics._scorer import _PassthroughScorer, _Scorer
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from sklearn_bbc.search import _capture as _asking
from sklearn_bbc.search import _capture as _listening
from sklearn_bbc.search._capture import (
    AskedScorer,
    NotTheWholeAnswer,
    RecordingOptions,
    RecordingScorer,
    asks_by_caller,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
BINARY = (X[:, 0] + RNG.normal(size=80) > 0).astype(int)
NAMES = np.array(["no", "yes"])[BINARY]
THREE = np.digitize(X[:, 0] + RNG.normal(size=80), [-0.5, 0.7])
NUMBERS = X @ [1.0, 2.0, 0.5]
MANY_X, MANY = make_multilabel_classification(
    n_samples=60, n_features=4, n_classes=3, random_state=0
)


class Turned(ClassifierMixin, BaseEstimator):
    """Has its classes the other way round."""

    def fit(self, X, y):
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_[::-1]
        return self

    def predict(self, X):
        return self.model_.predict(X)

    def predict_proba(self, X):
        return self.model_.predict_proba(X)[:, ::-1]


class TurnedDecisions(Turned):
    """Positive speaks for the first of the sorted classes."""

    def decision_function(self, X):
        return -self.model_.decision_function(X)


class Probabilities(Turned):
    """Has its classes in order, and no decision function."""

    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


def auc_of_two(y, given):
    given = np.asarray(given)
    return float(given.sum() if given.ndim == 1 else given[:, 1].sum())


BY_SCORE = {"response_method": ("decision_function", "predict_proba")}


def recorded(scorer, model, X, y, binary=True):
    return RecordingScorer(scorer, RecordingOptions(False, binary))(model, X, y)


def both(scorer, model, X, y, binary, monkeypatch):
    """Scores that were recorded by both ways."""
    one = recorded(scorer, model, X, y, binary)
    with monkeypatch.context() as patch:
        patch.setattr(_listening, "asks_by_caller", lambda scorer: False)
        other = recorded(scorer, model, X, y, binary)
    assert one == other == scorer(model, X, y)
    return one.responses, other.responses


def same(one, other):
    assert one.arrays.keys() == other.arrays.keys()
    for name, array in one.arrays.items():
        assert array.dtype == other.arrays[name].dtype
        np.testing.assert_array_equal(array, other.arrays[name])
    np.testing.assert_array_equal(one.classes, other.classes)
    assert (one.coded, one.problem) == (other.coded, other.problem)


MODELS = {
    "both": LogisticRegression(),
    "probabilities": GaussianNB(),
    "decisions": LinearSVC(),
    "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
    "forest": RandomForestClassifier(5, random_state=0),
    "turned": Turned(),
    "turned decisions": TurnedDecisions(),
    "own": Probabilities(),
}
SCORERS = {
    "accuracy": get_scorer("accuracy"),
    "auc": get_scorer("roc_auc"),
    "log loss": get_scorer("neg_log_loss"),
    "precision": get_scorer("average_precision"),
    "brier": get_scorer("neg_brier_score"),
    "of the first class": make_scorer(average_precision_score, pos_label=0, **BY_SCORE),
    "f1 of the first class": make_scorer(f1_score, pos_label=0),
}


def asked_of(model, scorer):
    """Whether the model has what the scorer asks."""
    methods = scorer._response_method
    return any(hasattr(model, name) for name in np.atleast_1d(methods))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("y", [BINARY, NAMES], ids=["numbers", "names"])
def test_binary_answers_are_recorded_alike(model, scorer, y, monkeypatch):
    model, scorer = clone(MODELS[model]).fit(X, y), SCORERS[scorer]
    if y is NAMES:
        scorer = named(scorer)
    if asked_of(model, scorer):
        same(*both(scorer, model, X, y, True, monkeypatch))
    else:
        with pytest.raises(AttributeError, match="predict_proba"):
            recorded(scorer, model, X, y)


def named(scorer):
    """The same scorer of labels that are names."""
    given = signature(scorer._score_func).parameters
    if "pos_label" not in given:
        return scorer
    positive = "no" if scorer._kwargs.get("pos_label") == 0 else "yes"
    kwargs = {**scorer._kwargs, "pos_label": positive}
    return _Scorer(scorer._score_func, scorer._sign, kwargs, scorer._response_method)


@pytest.mark.parametrize("model", ["both", "probabilities", "decisions", "forest"])
@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", "roc_auc_ovr"])
def test_answers_of_three_classes_are_recorded_alike(model, scoring, monkeypatch):
    model, scorer = clone(MODELS[model]).fit(X, THREE), get_scorer(scoring)
    if asked_of(model, scorer) and (scoring, hasattr(model, "predict_proba")) != (
        "roc_auc_ovr",
        0,
    ):
        same(*both(scorer, model, X, THREE, False, monkeypatch))


def test_a_fold_without_a_class_is_recorded_alike(monkeypatch):
    known = THREE > 0
    for of_three in (GaussianNB(), LogisticRegression()):
        model = of_three.fit(X[known], THREE[known])
        for scorer in (get_scorer("accuracy"), make_scorer(auc_of_two, **BY_SCORE)):
            same(*both(scorer, model, X[known], THREE[known], False, monkeypatch))
        ((name, array),) = recorded(scorer, model, X, THREE, False).responses.arrays.items()
        # Both columns: which class is the positive one of the others is not known here.
        assert name == "decision_function" or array.shape == (len(X), 2)


def test_numbers_and_outliers_are_recorded_alike(monkeypatch):
    same(
        *both(get_scorer("r2"), LinearRegression().fit(X, NUMBERS), X, NUMBERS, False, monkeypatch)
    )
    outliers = IsolationForest(n_estimators=5, random_state=0).fit(X)
    scorer = make_scorer(roc_auc_score, response_method="decision_function")
    same(*both(scorer, outliers, X, BINARY, True, monkeypatch))


def test_two_columns_stay_two_until_they_are_packed(monkeypatch):
    """scikit-learn passes both on when the labels are no whole numbers."""
    model = Probabilities().fit(X, BINARY)
    model.classes_ = np.array([0.5, 1.5])
    scorer = make_scorer(auc_of_two, response_method="predict_proba")
    one, other = both(scorer, model, X, BINARY, True, monkeypatch)
    same(one, other)
    assert one.arrays["predict_proba"].shape == (80,)


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc"])
def test_several_labels_are_recorded_alike(scoring, monkeypatch):
    for model in (KNeighborsClassifier(), RandomForestClassifier(5, random_state=0)):
        model.fit(MANY_X, MANY)
        same(*both(get_scorer(scoring), model, MANY_X, MANY, False, monkeypatch))


def test_models_that_threads_share_get_no_stand_in():
    frozen = FrozenEstimator(LogisticRegression().fit(X, BINARY))
    lasting = RecordingOptions(False, True)
    score = RecordingScorer(get_scorer("roc_auc"), lasting)(frozen, X, BINARY)
    np.testing.assert_array_equal(
        score.responses.arrays["decision_function"], frozen.decision_function(X)
    )
    assert not vars(frozen).keys() - {"estimator"} and not lasting.lasting._methods


def test_what_is_the_whole_answer():
    def left(model, scorer, binary=True):
        try:
            AskedScorer(scorer, binary, lambda *answer: None)(model, X, BINARY)
        except NotTheWholeAnswer:
            return True
        return False

    auc, of_first = SCORERS["auc"], SCORERS["of the first class"]
    plain = LogisticRegression().fit(X, BINARY)
    assert not left(plain, auc) and not left(plain, SCORERS["precision"])
    assert not left(
        plain, SCORERS["f1 of the first class"]
    )  # labels are whole, whatever is positive
    assert left(plain, of_first)
    assert left(plain, auc, binary=False)
    assert left(Turned().fit(X, BINARY), auc)
    assert left(Unordered().fit(X, BINARY), auc)
    assert left(Raising().fit(X, BINARY), auc)
    lambdas = Probabilities().fit(X, BINARY)
    lambdas.predict = lambda X: lambdas.model_.predict(X)
    assert left(lambdas, SCORERS["accuracy"])


class Unordered(Probabilities):
    """Has classes that cannot be compared."""

    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = np.array([0, "1"], dtype=object)
        return self


class Raising(Probabilities):
    """Refuses to name its classes."""

    def fit(self, X, y):
        self.model_ = LogisticRegression().fit(X, y)
        return self

    @property
    def classes_(self):
        raise RuntimeError("no classes")


def test_only_scorers_of_make_scorer_are_asked_so():
    class OfItsOwn(_Scorer):
        pass

    assert all(map(asks_by_caller, SCORERS.values()))
    assert not asks_by_caller(OfItsOwn(accuracy_score, 1, {}, "predict"))
    assert not asks_by_caller(_PassthroughScorer(LogisticRegression()))
    assert not asks_by_caller(lambda estimator, X, y: 0.5)


def test_with_sample_weights_a_listener_hears(monkeypatch):
    scorer, weight = get_scorer("accuracy"), RNG.random(80)
    model = LogisticRegression().fit(X, BINARY)
    monkeypatch.setattr(_listening, "AskedScorer", None)
    score = RecordingScorer(scorer, RecordingOptions(False, True))(
        model, X, BINARY, sample_weight=weight
    )
    assert score == scorer(model, X, BINARY, sample_weight=weight)
    assert score.responses.coded
    with pytest.raises(TypeError, match="y_true"):  # as scikit-learn's own
        RecordingScorer(scorer, RecordingOptions(False, True))(model, X)


def test_what_is_kept_is_a_copy():
    class Writing(Probabilities):
        buffer = np.zeros((80, 2))

        def predict_proba(self, X):
            Writing.buffer[:] = self.model_.predict_proba(X)
            return Writing.buffer

    def ruining(y, given):
        result = float(given.sum())
        given *= 0
        return result

    model = Writing().fit(X, BINARY)
    expected = model.predict_proba(X)[:, 1].copy()
    score = recorded(make_scorer(ruining, response_method="predict_proba"), model, X, BINARY)
    np.testing.assert_array_equal(score.responses.arrays["predict_proba"], expected)
    assert not Writing.buffer[:, 1].any()


def test_an_answer_that_cannot_be_kept_costs_no_score(monkeypatch):
    model = Probabilities().fit(X, BINARY)
    monkeypatch.setattr(_listening.ResponsePacker, "pack", _fails)
    scorer = get_scorer("accuracy")
    score = recorded(scorer, model, X, BINARY)
    assert score.responses.problem == "ValueError: cannot be packed" and not score.responses.arrays
    # Without memory for the short way the usual one says so.
    monkeypatch.setattr(_asking, "keep_on_shelf", _no_memory)
    score = recorded(get_scorer("roc_auc"), model, X, BINARY)
    assert score.responses.problem == "ValueError: cannot be packed"


def _fails(*args):
    raise ValueError("cannot be packed")


def _no_memory(*args):
    raise MemoryError
