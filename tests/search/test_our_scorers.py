"""A search scores by the names of our own scorers, which scikit-learn does not know."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import HalvingGridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_bbc import BBCSearchCV
from sklearn_bbc._scorers import OUR_SCORERS
from sklearn_bbc.intervals import BBC, NestedCV
from sklearn_bbc.metrics import concordance_index_score, concordance_index_scorer
from sklearn_bbc.search import BBCSearchMixin

FEW = BBC(n_bootstraps=30, random_state=0)
PENALTIES = {"penalty": [0.1, 10.0, 1000.0]}


class PenalizedCox(RegressorMixin, BaseEstimator):
    """Cox's proportional hazards with a ridge penalty, by Newton's method."""

    def __init__(self, penalty=1.0):
        self.penalty = penalty

    def fit(self, X, y):
        """Fit to a structured array of event and time."""
        X = np.asarray(X)
        self.coef_ = np.zeros(X.shape[1])
        at_risk = y["time"] >= y["time"][y["event"]][:, None]  # of each event, (n_events, n)
        for _ in range(5):
            weight = at_risk * np.exp(X @ self.coef_)
            weight /= weight.sum(axis=1, keepdims=True)
            mean = weight @ X
            gradient = (X[y["event"]] - mean).sum(axis=0) - self.penalty * self.coef_
            information = X.T @ (weight.sum(axis=0)[:, None] * X) - mean.T @ mean
            information += self.penalty * np.eye(X.shape[1])
            self.coef_ += np.linalg.solve(information, gradient)
        return self

    def predict(self, X):
        """Log hazard of each row."""
        return np.asarray(X) @ self.coef_


@pytest.fixture(scope="module")
def patients():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 6))
    time = rng.exponential(np.exp(-X[:, 0] - 0.5 * X[:, 1]))
    end = rng.exponential(2.0, 90)
    y = np.empty(90, dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = time <= end, np.minimum(time, end)
    return X, y


def search(scoring, **options):
    options = {"cv": KFold(3), "ci": FEW, "random_state": 0, **options}
    return BBCSearchCV(PenalizedCox(), PENALTIES, scoring=scoring, **options)


def test_the_name_does_what_the_scorer_does(patients):
    X, y = patients
    by_name = search("concordance_index").fit(X, y)
    by_scorer = search(concordance_index_scorer).fit(X, y)
    for key, values in by_scorer.cv_results_.items():
        if "time" not in key:
            np.testing.assert_array_equal(by_name.cv_results_[key], values)
    expected = concordance_index_score(y, by_name.best_estimator_.predict(X))
    assert by_name.score(X, y) == expected > 0.7
    assert by_name.scorer_ is concordance_index_scorer
    assert by_name.ci_.metric == "concordance_index"
    assert (tuple(by_name.ci_), by_name.bbc_score_) == (tuple(by_scorer.ci_), by_scorer.bbc_score_)
    assert by_name.ci_.details["kernel"] == "concordance_index"
    assert by_name.ci_.low < by_name.bbc_score_ < by_name.ci_.high
    np.testing.assert_array_equal(
        by_name.oof_.matrix("concordance_index"), by_name.oof_.matrix("predict")
    )
    assert list(by_name.oof_.fold_scores) == ["concordance_index"]


@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame])
def test_two_columns_of_event_and_time(patients, form):
    X, y = patients
    columns = np.column_stack([y["event"], y["time"]])

    class OfColumns(PenalizedCox):
        """The same model for a target of two columns."""

        def fit(self, X, y):
            """Fit to two columns."""
            y = np.asarray(y)
            return super().fit(X, {"event": y[:, 0] == 1, "time": y[:, 1]})

    found = BBCSearchCV(
        OfColumns(), PENALTIES, scoring="concordance_index", cv=KFold(3), ci=FEW, random_state=0
    ).fit(X, form(columns))
    expected = search("concordance_index").fit(X, y)
    assert found.best_score_ == pytest.approx(expected.best_score_)
    assert tuple(found.ci_) == pytest.approx(tuple(expected.ci_))


@pytest.mark.parametrize(
    "scoring",
    [
        ["concordance_index", "again"],
        ("concordance_index", "again"),
        {"concordance_index": "concordance_index", "again": "again"},
        {"concordance_index": concordance_index_scorer, "again": "concordance_index"},
    ],
    ids=["list", "tuple", "dict", "mixed"],
)
def test_several_metrics(patients, scoring, monkeypatch):
    monkeypatch.setitem(OUR_SCORERS, "again", concordance_index_scorer)
    X, y = patients
    model = search(scoring, refit="concordance_index").fit(X, y)
    assert list(model.scorer_) == list(model.ci_results_) == ["concordance_index", "again"]
    assert model.ci_.metric == "concordance_index"
    np.testing.assert_array_equal(
        model.cv_results_["mean_test_concordance_index"], model.cv_results_["mean_test_again"]
    )
    assert model.score(X, y) == concordance_index_score(y, model.predict(X))


def test_the_parameter_stays_as_the_user_gave_it(patients):
    X, y = patients
    several = ["concordance_index"]
    for scoring, refit in (("concordance_index", True), (several, "concordance_index")):
        model = search(scoring, refit=refit)
        assert clone(model).get_params()["scoring"] == scoring
        model.fit(X, y)
        assert model.scoring is scoring
        assert model.get_params()["scoring"] is scoring
        assert clone(model).fit(X, y).bbc_score_ == model.bbc_score_
    assert several == ["concordance_index"]


def test_inside_other_tools(patients):
    X, y = patients
    model = make_pipeline(StandardScaler(), search("concordance_index", ci=[]))
    scores = cross_val_score(model, X, y, cv=KFold(3), error_score="raise")
    assert ((scores > 0.5) & (scores < 1)).all()
    outer = NestedCV(cv=KFold(3)).estimate(search("concordance_index", ci=[]), X, y)
    assert outer.metric == "concordance_index"
    assert outer.details["outer_scores"] == pytest.approx(scores, abs=0.1)


def test_another_search_class_knows_the_name_too(patients):
    class HalvingBBC(BBCSearchMixin, HalvingGridSearchCV):
        """Successive halving that keeps its predictions."""

    X, y = patients
    model = HalvingBBC(
        PenalizedCox(), PENALTIES, scoring="concordance_index", cv=KFold(3), factor=2,
        min_resources=45,
    )  # fmt: skip
    with pytest.warns(match="looking at the scores of earlier ones"):
        model.fit(X, y)
    assert model.scorer_ is concordance_index_scorer
    assert model.ci_.metric == "concordance_index"


def test_wrong_names_are_refused_with_ours_in_the_list(patients):
    X, y = patients
    with pytest.raises(ValueError, match="Did you mean 'concordance_index'"):
        search("concordance").fit(X, y)
    with pytest.raises(ValueError, match="Duplicate elements"):
        search(["concordance_index"] * 2, refit=False).fit(X, y)
    with pytest.raises(ValueError, match="refit must be set to a scorer key"):
        search(["concordance_index"]).fit(X, y)
