"""Plain callables as metrics, and what a stand-in for the model answers them."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, check_scoring, get_scorer, r2_score, roc_auc_score
from sklearn.utils.validation import check_is_fitted

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.metrics._replay import RowHandles, stand_in
from tests.metrics.replay_cases import (
    LABELS,
    ONES,
    RNG,
    SCORES,
    N,
    Y,
    by_proba,
    draws,
    plain,
    recorded,
    same_as_kernel,
)


def by_decision(estimator, X, y):
    return roc_auc_score(y, estimator.decision_function(X))


def by_scorer(estimator, X, y):
    return get_scorer("roc_auc")(estimator, X, y)


def by_parts(estimator, X, y):
    """Looks at both halves of X on its own, as a scorer of groups would."""
    assert len(X) == X.shape[0] == len(y)
    first = np.arange(len(y)) < len(y) // 2
    scores = np.empty(len(y))
    scores[first] = estimator.decision_function(X[first])
    scores[~first] = estimator.decision_function(X[np.flatnonzero(~first)])
    np.testing.assert_array_equal(scores[:5], estimator.decision_function(X[:5]))
    return roc_auc_score(y, scores)


def by_log_proba(estimator, X, y):
    check_is_fitted(estimator)
    return roc_auc_score(y, estimator.predict_log_proba(X)[:, 1])


def with_defaults(estimator, X, y, sample_weight=None):
    return get_scorer("roc_auc")._score_func(
        y, estimator.decision_function(X), sample_weight=sample_weight
    )


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "scorer", [by_proba, by_decision, by_scorer, by_parts, by_log_proba, with_defaults]
)
def test_plain_callables(scorer):
    same_as_kernel(scorer, recorded(), "roc_auc", draws())


@pytest.mark.parametrize("scorer", [by_decision, by_scorer, by_parts])
def test_plain_callables_on_plain_arrays(scorer):
    same_as_kernel(scorer, plain(), "roc_auc", draws())


def test_plain_callables_with_sample_weights():
    oof = recorded(sample_weight=RNG.random(N))
    same_as_kernel(with_defaults, oof, "roc_auc", draws())
    with pytest.raises(ValueError, match="by_proba takes no sample_weight"):
        as_metric(by_proba).bind(oof)


def test_labels_are_those_of_the_user():
    def check(estimator, X, y):
        np.testing.assert_array_equal(estimator.classes_, LABELS)
        assert set(estimator.predict(X)) <= set(LABELS)
        return accuracy_score(y, estimator.predict(X))

    same_as_kernel(check, recorded(), "accuracy", draws())


def test_labels_are_derived_where_only_scores_were_recorded():
    def check(estimator, X, y):
        return accuracy_score(y, estimator.predict(X))

    oof = recorded("predict_proba")
    replayed = same_as_kernel(check, oof, "accuracy", draws())
    assert replayed.response == "predict_proba+derived"
    result = BBC(n_bootstraps=40, random_state=0).estimate(oof, check)
    assert any("derived" in note for note in result.details["notes"])


def test_only_recorded_methods_exist():
    seen = {}

    def check(estimator, X, y):
        for name in ("predict", "predict_proba", "decision_function", "transform"):
            seen[name] = hasattr(estimator, name)
        return 1.0

    as_metric(check).bind(recorded("decision_function"))
    assert seen == {
        "predict": True, "predict_proba": False, "decision_function": True, "transform": False,
    }  # fmt: skip


def test_configurations_with_different_methods():
    """A search space mixes estimators with and without decision_function."""

    def either(estimator, X, y):
        if hasattr(estimator, "decision_function"):
            return roc_auc_score(y, estimator.decision_function(X))
        return roc_auc_score(y, estimator.predict_proba(X)[:, 1])

    decision, proba = SCORES.T.copy(), 1 / (1 + np.exp(-SCORES.T))
    decision[0], proba[1] = np.nan, np.nan
    oof = OOFPredictions.from_rows(
        y_true=Y, responses={"decision_function": decision, "predict_proba": proba}
    )
    same_as_kernel(either, oof, "roc_auc", draws())


def test_configurations_without_labels():
    labels = (SCORES.T > 0).astype(int)
    labels[0] = -1
    seen = []

    def either(estimator, X, y):
        seen.append(hasattr(estimator, "predict"))
        if seen[-1]:
            return accuracy_score(y, estimator.predict(X))
        return roc_auc_score(y, estimator.decision_function(X))

    oof = OOFPredictions.from_rows(
        y_true=Y, responses={"predict": labels, "decision_function": SCORES.T}
    )
    as_metric(either).bind(oof).scores(ONES)
    assert set(seen) == {True, False}


def test_half_an_answer_is_a_failure():
    decision = SCORES.T.copy()
    decision[0, :3] = np.nan
    oof = OOFPredictions.from_rows(y_true=Y, responses={"decision_function": decision})
    kernel = as_metric(by_decision).bind(oof)
    np.testing.assert_array_equal(kernel.valid, [False, True, True])


def test_configurations_are_equal_when_all_their_answers_are():
    labels, proba = (SCORES.T > 0).astype(int), 1 / (1 + np.exp(-SCORES.T))
    copies, one_differs = proba[[0, 1, 0]], proba[[0, 1, 2]]
    labels = labels[[0, 1, 0]]
    for array, distinct in ((copies, 2), (one_differs, 3)):
        oof = OOFPredictions.from_rows(
            y_true=Y, responses={"predict": labels, "predict_proba": array}
        )
        assert as_metric(by_proba).bind(oof).n_distinct == distinct


def test_regressors():
    y = SCORES[:, 0] + 1
    oof = OOFPredictions.from_rows(y_true=y, responses={"predict": SCORES.T}, classes=None)

    def check(estimator, X, y):
        assert not hasattr(estimator, "classes_")
        return r2_score(y, estimator.predict(X))

    same_as_kernel(check, oof, "r2", draws())
    same_as_kernel(check_scoring(Ridge()), oof, "r2", draws())
    same_as_kernel(lambda e, X, y: get_scorer("r2")(e, X, y), oof, "r2", draws())


def test_the_default_score_of_classifiers():
    same_as_kernel(check_scoring(LogisticRegression()), recorded(), "accuracy", draws())


def test_multiclass_and_multilabel_probabilities():
    y = np.arange(N) % 3
    proba = RNG.dirichlet(np.ones(3), size=(2, N))

    def multiclass(estimator, X, y):
        return roc_auc_score(y, estimator.predict_proba(X), multi_class="ovr")

    oof = OOFPredictions.from_rows(y_true=y, responses={"predict_proba": proba})
    same_as_kernel(multiclass, oof, "roc_auc_ovr", draws())

    def multilabel(estimator, X, y):
        return roc_auc_score(y, estimator.predict_proba(X))

    labels = np.eye(3, dtype=int)[y]
    oof = OOFPredictions.from_rows(y_true=labels, responses={"predict_proba": proba})
    same_as_kernel(multilabel, oof, "roc_auc", draws())


def test_text_predictions_given_by_hand():
    oof = plain(LABELS[(SCORES > 0).astype(int)], y_true=LABELS[Y])

    def check(estimator, X, y):
        assert not hasattr(estimator, "predict_proba")
        return accuracy_score(y, estimator.predict(X))

    same_as_kernel(check, oof, "accuracy", draws())


@pytest.mark.parametrize(
    "scorer, message",
    [
        (lambda e, X, y: X[:, 0].mean(), "asks for features"),
        (lambda e, X, y: X[0], "asks for features"),
        (lambda e, X, y: float(np.asarray(X).sum()), "turns X into an array"),
        (lambda e, X, y: X.iloc[0], "asks for X.iloc"),
        (lambda e, X, y: e.coef_[0], r"asks for estimator.coef_.*'predict_proba'"),
        (lambda e, X, y: e.fit(X, y).predict(X)[0], "fits the estimator"),
        (lambda e, X, y: e.predict(np.zeros((3, 2)))[0], "of its own making"),
        (lambda e, X, y: y.index[0], "has no attribute 'index'"),
        (lambda e, X: 0.0, "positional argument"),
    ],
)
def test_what_a_replayed_scorer_may_not_ask_for(scorer, message):
    with pytest.raises(ValueError, match="cannot be computed again") as info:
        as_metric(scorer).bind(recorded())
    assert info.match(message)


def test_stand_ins_can_be_looked_at():
    estimator = stand_in(recorded().responses, 1, LABELS)
    assert "StandInClassifier" in repr(estimator)
    X = RowHandles(np.arange(4))
    np.testing.assert_array_equal(estimator.predict_proba(X).sum(axis=1), 1)
    assert X[[True, False, True, False]].shape == (2,)
