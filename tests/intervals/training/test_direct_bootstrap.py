"""DirectBootstrap: copies stay together, out-of-bag scores, groups, hazards."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    StratifiedKFold,
    TunedThresholdClassifierCV,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import DirectBootstrap
from sklearn_bbc.intervals._refit_base import Problem, metric_of
from sklearn_bbc.intervals._refits import (
    selecting,
    splits_of_copies,
)
from sklearn_bbc.selection import OneStandardError, WithThreshold
from tests.intervals.refit_helpers import CountingClassifier, small_search, two_classes

# Models and scores made up to count fits are constant, which has tests of its own.
pytestmark = pytest.mark.filterwarnings("ignore:.*No spread can be seen")


def problem_of(estimator, X, y, groups=None):
    return Problem(
        estimator=estimator, X=X, y=y, groups=groups, fit_params={},
        metric=metric_of(estimator, None), n_samples=len(X), entropy=0,
    )  # fmt: skip


@pytest.mark.parametrize("cv", [KFold(3), StratifiedKFold(4, shuffle=True, random_state=0)])
def test_copies_of_a_sample_are_never_on_both_sides(cv):
    X, y = two_classes()
    counts = np.random.default_rng(0).multinomial(60, np.full(60, 1 / 60))
    problem = problem_of(GridSearchCV(LogisticRegression(), {}, cv=cv), X, y)
    drawn = np.repeat(np.arange(60), counts)
    splits = splits_of_copies(problem.estimator, problem, counts)
    for train, test in splits:
        assert not set(drawn[train]) & set(drawn[test])
    assert sorted(np.concatenate([test for _, test in splits])) == list(range(60))


class Watched(ClassifierMixin, BaseEstimator):
    """Counts in a log how many samples it is asked about that it was trained on."""

    log: list = []

    def __init__(self, C=1):
        self.C = C

    def fit(self, X, y):
        self.classes_, self.seen_ = np.unique(y), set(X[:, 0])
        return self

    def predict(self, X):
        self.log.append(len(self.seen_ & set(X[:, 0])))
        return np.zeros(len(X), dtype=int)


@pytest.mark.parametrize("nested", [False, True])
def test_copies_stay_together_wherever_a_search_is(nested):
    X, y = two_classes()
    X[:, 0] = np.arange(60)
    search = GridSearchCV(Watched(), {"C": [1, 2]}, cv=3)
    estimator = make_pipeline(FunctionTransformer(), search) if nested else search
    Watched.log.clear()
    result = DirectBootstrap(n_bootstraps=20, random_state=0, verbose=0).estimate(estimator, X, y)
    assert set(Watched.log) == {0} and len(Watched.log) == 20 * 7
    assert result.details["n_fits"] == 20 * 7


@pytest.mark.one_in(2)
@pytest.mark.parametrize("where", ["search", "piped", "voting"])
def test_copies_that_cannot_be_kept_together_are_reported(where):
    X, y = two_classes()
    X[:, 0] = np.arange(60)
    inner = GridSearchCV(Watched(), {"C": [1]}, cv=2)
    estimator, name = {
        "search": (GridSearchCV(inner, {"refit": [True]}, cv=2), "estimator"),
        "piped": (
            GridSearchCV(make_pipeline(FunctionTransformer(), inner), {}, cv=2),
            "estimator__gridsearchcv",
        ),
        "voting": (VotingClassifier([("tuned", inner)]), "tuned"),
    }[where]
    Watched.log.clear()
    method = DirectBootstrap(n_bootstraps=20, random_state=0, verbose=0)
    with pytest.warns(IntervalWarning, match=rf"splits of GridSearchCV \({name}\)"):
        result = method.estimate(estimator, X, y, scoring="accuracy")
    assert max(Watched.log) > 0, "there is nothing to warn of"
    assert any(f"GridSearchCV ({name})" in note for note in result.details["notes"])


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        (
            0.3,
            r"0.3 is not a number of folds.*ShuffleSplit\(n_splits=1, test_size=0.3\)",
        ),
        (1, "1 is not a number of folds"),
        ([(np.arange(30), np.arange(30, 60))], "a list of splits is one of all samples"),
    ],
)
def test_a_cv_that_cannot_split_a_draw_is_refused_before_any_fit(cv, message):
    X, y = two_classes()
    CountingClassifier.trained_on.clear()
    method = DirectBootstrap(n_bootstraps=20, random_state=0, verbose=0)
    threshold = TunedThresholdClassifierCV(CountingClassifier(), cv=cv)
    with pytest.raises(ValueError, match=message) as error:
        method.estimate(make_pipeline(FunctionTransformer(), threshold), X, y)
    assert "TunedThresholdClassifierCV (tunedthresholdclassifiercv__cv)" in str(error.value)
    assert not CountingClassifier.trained_on


def test_an_estimate_outside_its_interval_is_reported(monkeypatch):
    """The mean of draws of which one differs: the bounds do not see it, the mean does."""
    method = DirectBootstrap(n_bootstraps=20, alternative="less", random_state=0, verbose=0)
    done = [(score, 0, None) for score in np.r_[1.0, np.zeros(19)]]
    monkeypatch.setattr(method, "_run", lambda task, arguments: done)
    X, y = two_classes()
    result = method.estimate(LogisticRegression(), X, y, scoring="accuracy")
    assert result.estimate == 0.05 and result.high == 0
    assert "outside the interval" in result.details["notes"][-1]
    assert result.details["median"] == 0


def test_a_draw_that_the_search_cannot_split_is_named():
    """Three samples of each class, mostly fewer of them in a draw, and three stratified folds."""
    X, y = np.arange(6.0)[:, None], np.repeat([0, 1], 3)
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=3)
    method = DirectBootstrap(n_bootstraps=20, random_state=0, verbose=0)
    with pytest.raises(UndefinedIntervalError, match="samples of a draw by the cv of GridSearch"):
        method.estimate(search, X, y)


RULE = OneStandardError([("C", "larger is simpler")])


@pytest.mark.long
def test_a_rule_selects_in_the_search_of_every_draw():
    search = small_search(refit=False)
    made, left = selecting(search, RULE)
    assert left is None
    assert search.refit is False and made.param_grid == search.param_grid
    X, y = two_classes()
    assert made.fit(X, y).best_params_ == {"C": 1.0}, "within one standard error of the best"
    assert small_search().fit(X, y).best_params_ == {"C": 0.01}
    method = DirectBootstrap(n_bootstraps=20, random_state=0, verbose=0)
    plain, ruled = (
        method.set_params(selection=rule).estimate(small_search(), X, y, scoring="neg_log_loss")
        for rule in (None, RULE)
    )
    assert ruled.details["n_fits"] == 20 * 7 and not np.array_equal(plain.draws, ruled.draws)


@pytest.mark.parametrize(
    ("estimator", "rule", "message"),
    [
        (LogisticRegression(), RULE, "is for searches, got LogisticRegression"),
        (
            small_search(),
            WithThreshold("balanced_accuracy"),
            "needs the out-of-fold predictions of the search in each draw",
        ),
        (small_search(scoring=["accuracy"]), RULE, "needs a search with one metric, got scoring"),
        (small_search(scoring={"a": "accuracy"}), RULE, "needs a search with one metric"),
    ],
)
def test_rules_that_a_search_cannot_follow_are_refused(estimator, rule, message):
    with pytest.raises(ValueError, match=message):
        selecting(estimator, rule)


def test_draws_that_lack_a_class_are_counted_and_those_without_a_score_refused():
    X, _ = two_classes()
    y = (np.arange(60) < 3).astype(int)
    method = DirectBootstrap(n_bootstraps=20, random_state=0, verbose=0)
    result = method.estimate(CountingClassifier(favourite=0), X, y, scoring="accuracy")
    assert result.details["n_redrawn"] > 0 and result.details["degenerate"] is False

    def sometimes(fitted, X, y):
        return np.nan if len(y) % 4 == 0 else len(y) / 60

    with pytest.raises(
        UndefinedIntervalError, match="sometimes: it is undefined in 8 of 20 draws"
    ):
        method.estimate(CountingClassifier(favourite=0), X, y, scoring=sometimes)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)  # of the smallest of no number
        with pytest.raises(UndefinedIntervalError, match="undefined in 20 of 20 draws"):
            method.estimate(
                CountingClassifier(favourite=0), X, y, scoring=lambda fitted, X, y: np.nan
            )
