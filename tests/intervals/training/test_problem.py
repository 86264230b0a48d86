"""Fitting and scoring on parts of the data."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV

from sklearn_bbc.intervals._refit_base import Problem
from sklearn_bbc.metrics import as_metric

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(20, 2)), np.array(["no", "yes"] * 10)
TRAIN, TEST = np.arange(12), np.arange(12, 20)


class Recorder(ClassifierMixin, BaseEstimator):
    """Keeps what it was fitted on."""

    def __init__(self, cv=None, estimator=None, ci=None):
        self.cv, self.estimator, self.ci = cv, estimator, ci

    def fit(self, X, y, **params):
        self.seen_ = {"X": X, "y": y, **params}
        return self


def problem(estimator, scoring="accuracy", **fields):
    given = {"X": X, "y": Y, "groups": None, "fit_params": {}, "n_samples": 20, "entropy": 0}
    return Problem(estimator=estimator, metric=as_metric(scoring), **{**given, **fields})


def test_parameters_of_fit_with_a_value_per_sample_are_cut():
    given = {"weight": np.arange(20.0), "list": list(range(20)), "text": "x" * 20, "short": [1, 2]}
    seen = problem(Recorder(), fit_params=given).fit(np.array([3, 3, 0])).seen_
    assert seen["weight"].tolist() == [3, 3, 0] and seen["list"] == [3, 3, 0]
    assert (seen["text"], seen["short"]) == (given["text"], given["short"])
    np.testing.assert_array_equal(seen["X"], X[[3, 3, 0]])


def test_groups_go_to_searches_that_split_by_themselves():
    groups = np.arange(20) // 2
    problem(LogisticRegression(), groups=groups).fit(TRAIN)  # takes no groups
    assert not problem(LogisticRegression()).is_search
    assert problem(GridSearchCV(Ridge(), {})).is_search
    searching = type("Searching", (Recorder,), {})(cv=3, estimator=Ridge())
    seen = problem(searching, groups=groups).fit(TRAIN).seen_
    assert seen["groups"].tolist() == groups[:12].tolist()
    assert "groups" not in problem(searching, groups=groups).fit(TRAIN, cv=2).seen_


def test_scores_of_rows_are_those_whose_mean_is_the_score():
    for scoring in ("accuracy", "neg_log_loss"):
        made = problem(LogisticRegression(), scoring)
        fitted = made.fit(TRAIN)
        rows = made.row_scores(fitted, TEST)
        assert rows.shape == (8,)
        assert rows.mean() == pytest.approx(made.score(fitted, TEST), rel=1e-12)
    expected = -log_loss(Y[TEST], fitted.predict_proba(X[TEST]))
    assert rows.mean() == pytest.approx(expected, rel=1e-12)


def test_metrics_without_a_value_per_row_are_refused():
    made = problem(LogisticRegression(), "roc_auc")
    with pytest.raises(ValueError, match=r"mean over samples .* got roc_auc"):
        made.row_scores(made.fit(TRAIN), TEST)
    made = problem(Recorder(), "neg_log_loss")
    with pytest.raises(ValueError, match="needs predict_proba, which Recorder does not have"):
        made.row_scores(made.fit(TRAIN), TEST)
