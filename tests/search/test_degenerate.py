"""Whatever happens after the search, the search survives and says what happened."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, LeaveOneOut, RepeatedStratifiedKFold, ShuffleSplit

from sklearn_bbc import ConfidenceInterval
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BaseInterval
from sklearn_bbc.intervals._base import _INTERVALS
from tests.search.small_search import FEW, X, Y, search


# ---------------------------------------------------------------------- nothing costs the search
class Failing(BaseInterval):
    name = "failing-in-tests"
    estimand = "nothing"

    def __init__(self, error=None):
        self.error = error

    confidence_level = 0.9
    alternative = "two-sided"

    def _estimate(self, contest):
        raise self.error


del _INTERVALS[Failing.name]  # tests of every method that is registered do not see it


@pytest.mark.parametrize(
    "error", [ValueError("why"), MemoryError("why"), ZeroDivisionError("why")]
)
def test_a_failing_interval_costs_a_warning_only(error):
    with pytest.warns(IntervalWarning, match=f"{type(error).__name__}: why") as caught:
        survived = search(grid={"max_depth": [1, 4]}, ci=[Failing(error), FEW]).fit(X, Y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert isinstance(survived.ci_, ConfidenceInterval)
    assert np.isnan([survived.ci_.estimate, *survived.ci_]).all()
    assert survived.ci_.details["error"] == f"{type(error).__name__}: why"
    assert survived.bbc_score_ == survived.ci_results_["roc_auc"]["bbc"].estimate
    assert survived.intervals_frame().error[0] == f"{type(error).__name__}: why"
    assert "could be computed: " in survived.summary()
    with pytest.raises(type(error), match="why"):
        survived.interval()


def test_an_interrupted_interval_leaves_the_search_complete():
    interrupted = search(ci=Failing(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        interrupted.fit(X, Y)
    assert interrupted.predict(X).shape == (90,)
    with pytest.raises(AttributeError, match="interrupted"):
        interrupted.ci_  # noqa: B018
    assert interrupted.interval(FEW).estimate < interrupted.best_score_


class Column(ClassifierMixin, BaseEstimator):
    """Decides by one column; knows of two classes whatever it sees."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def decision_function(self, X):
        return X[:, self.column]

    def predict(self, X):
        return (X[:, self.column] > 0).astype(int)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.filterwarnings("ignore:One or more of the test scores")
def test_a_class_with_one_sample_is_named_and_the_search_survives():
    y = np.r_[np.zeros(89, int), 1]
    with pytest.warns(IntervalWarning, match="class 1"):
        survived = search(Column(), {"column": [0, 1]}, cv=KFold(3), ci=None).fit(X, y)
    assert np.isnan(survived.ci_.low)
    assert survived.best_params_
    with pytest.raises(AttributeError, match="class 1"):
        survived.bbc_score_  # noqa: B018
    with pytest.raises(AttributeError, match="class 1"):
        survived.optimism_  # noqa: B018
    with pytest.raises(ValueError, match="class 1"):
        survived.interval()


# ---------------------------------------------------------------------- nothing to predict
def test_without_predictions_the_interval_comes_from_the_folds():
    with pytest.warns(IntervalWarning, match="BBC-F's, from the scores per fold") as caught:
        clusters = search(
            KMeans(n_init=1, random_state=0), {"n_clusters": [2, 3, 4]}, scoring=None, ci=None
        ).fit(X)
    assert len(caught) == 1
    assert clusters.ci_.method == "bbcf"
    assert clusters.bbcf_score_ == clusters.ci_.estimate
    with pytest.raises(AttributeError, match="only fold scores"):
        clusters.bbc_score_  # noqa: B018
    assert "BBC-F" in clusters.summary()
    with pytest.raises(ValueError, match="only fold scores"):
        clusters.interval("bbc")


def test_bbc_asked_for_by_name_without_predictions_is_not_replaced():
    with pytest.warns(IntervalWarning, match="only fold scores"):
        clusters = search(
            KMeans(n_init=1, random_state=0), {"n_clusters": [2, 3]}, scoring=None
        ).fit(X)
    assert np.isnan(clusters.ci_.low)


class OwnScore(Column):
    """A classifier whose score is neither its accuracy nor made from predictions alone."""

    def score(self, X, y):
        return float(np.mean(self.predict(X) == y)) - 0.01 * X.shape[1]


def test_an_own_score_that_cannot_be_replayed_falls_back_to_the_folds():
    with pytest.warns(IntervalWarning, match="BBC-F's"):
        own = search(OwnScore(), {"column": [0, 1, 2]}, scoring=None, ci=None).fit(X, Y)
    assert own.ci_.method == "bbcf"
    assert own.ci_.metric == "score"
    with pytest.raises(ValueError, match=r"selects by score, as tuning did.*BBCF"):
        own.interval(FEW, scoring="accuracy")
    assert own.interval("bbcf", scoring="accuracy").estimate > own.ci_.estimate
    assert own.interval(FEW, scoring="accuracy", tuned_by="accuracy").details["tuned_by"]


def test_scores_that_are_not_finite_without_predictions_are_not_reported_twice(recwarn):
    def sometimes(estimator, X, y):
        return np.nan if estimator.max_depth == 1 else 0.5

    nothing = search(scoring=sometimes, ci=None).fit(X, Y)
    assert [str(w.message)[:11] for w in recwarn] == ["One or more"]
    assert "error" in nothing.ci_.details


@pytest.mark.parametrize(
    "cv",
    [
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
        ShuffleSplit(5, test_size=0.15, random_state=0),
    ],
    ids=["repeated", "shuffle"],
)
def test_splits_that_are_no_partition(cv):
    result = search(cv=cv).fit(X, Y)
    untested = 90 - len(np.unique(result.oof_.sample))
    assert result.ci_.details["n_untested"] == untested
    assert result.ci_.low < result.ci_.high


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.filterwarnings("ignore:One or more of the test scores")
def test_a_search_that_could_not_select_is_distinguished():
    with pytest.warns(IntervalWarning, match="without comparing scores"):
        found = search(scoring="roc_auc", cv=LeaveOneOut()).fit(X[:30], Y[:30])
    assert np.isnan(found.best_score_)
    assert found.ci_.details["winner"] == found.best_index_ == 0  # nothing was compared
    alone = found.interval(config=0)
    assert found.ci_.estimate == alone.estimate
    assert "Corrected for the selection" not in found.summary()
    tuned = found.interval(tuned_by="roc_auc")
    pooled = [roc_auc_score(Y[:30], column) for column in found.oof_.matrix("roc_auc").T]
    assert tuned.details["winner"] == int(np.argmax(pooled))
