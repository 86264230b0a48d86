"""Learning curves: exact on models whose scores are known, seeds, processes, refusals."""

import numpy as np
import pytest
from scipy.stats import t
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.comparison import learning_curve_intervals
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError

X, Y = make_classification(90, 5, flip_y=0.2, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)


class OffByShare(RegressorMixin, BaseEstimator):
    """Predicts what is off by a + b / n, so that the absolute error is known."""

    def __init__(self, a=0.1, b=2.0, noise=0.0):
        self.a, self.b, self.noise = a, b, noise

    def fit(self, X, y):
        self.off_ = self.a + self.b / len(y) + self.noise * float(np.sin(np.sum(X)))
        return self

    def predict(self, X):
        return X[:, 0] + self.off_


LINE = np.arange(100.0)[:, None]


def curve_of_line(**options):
    given = {
        "scoring": "neg_mean_absolute_error",
        "train_sizes": [10, 20, 40, 80],
        "random_state": 0,
    }
    return learning_curve_intervals(
        OffByShare(noise=0.01), LINE, LINE[:, 0], **{**given, **options}
    )


def test_a_known_error_is_found_and_extrapolated():
    with pytest.warns(IntervalWarning, match="All splits score the same at"):
        result = learning_curve_intervals(
            OffByShare(), LINE, LINE[:, 0], scoring="neg_mean_absolute_error",
            train_sizes=[10, 20, 40, 80],
        )  # fmt: skip
    assert [r.estimate for r in result.test] == pytest.approx([-0.3, -0.2, -0.15, -0.125])
    a, b, c = result.curve
    assert (a, b, c) == pytest.approx((-0.1, -2.0, 1.0), rel=1e-4)
    assert result.predict(320) == pytest.approx(-0.1 - 2 / 320, abs=1e-6)
    assert result.details["rmse"] < 1e-6


def test_intervals_are_the_corrected_t_intervals_of_the_splits():
    result = curve_of_line(n_folds=4, n_repeats=2, train_sizes=[15, 75])
    for k, n_train in enumerate([15, 75]):
        for interval, scores in (
            (result.test[k], result.test_scores[k]),
            (result.train[k], result.train_scores[k]),
            (result.gap[k], result.train_scores[k] - result.test_scores[k]),
        ):
            half = t.ppf(0.975, 7) * scores.std(ddof=1) * np.sqrt(1 / 8 + 25 / n_train)
            low, high = interval
            unclipped = interval.details.get("unclipped", (low, high))
            assert unclipped == pytest.approx(
                (scores.mean() - half, scores.mean() + half), abs=1e-12
            )


def test_shares_are_of_the_smallest_training_set():
    result = learning_curve_intervals(TREE, X, Y, train_sizes=[0.5, 1.0, 0.25], n_repeats=1)
    assert result.sizes.tolist() == [18, 36, 72]
    assert result.test_scores.shape == (3, 5)
    assert result.details["n_fits"] == 15


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_neither_processes_nor_another_run_change_a_number(n_jobs):
    options = {"train_sizes": [20, 60], "n_repeats": 2, "random_state": 3}
    assert learning_curve_intervals(TREE, X, Y, n_jobs=n_jobs, **options) == (
        learning_curve_intervals(TREE, X, Y, **options)
    )


def test_seeds_differ_and_are_told():
    options = {"train_sizes": [20, 60], "n_repeats": 1}
    one = learning_curve_intervals(TREE, X, Y, random_state=0, **options)
    other = learning_curve_intervals(TREE, X, Y, random_state=1, **options)
    assert not np.array_equal(one.test_scores, other.test_scores)
    free = learning_curve_intervals(TREE, X, Y, **options)
    again = learning_curve_intervals(TREE, X, Y, random_state=free.details["seed"], **options)
    assert free == again


@pytest.mark.parametrize("kind", [GridSearchCV, BBCSearchCV])
def test_a_search_tunes_within_each_part(kind, capsys):
    search = kind(TREE, {"max_depth": [1, 3]}, cv=3, scoring="roc_auc")
    result = learning_curve_intervals(
        search, X, Y, train_sizes=[30, 60], n_folds=3, n_repeats=1, random_state=0, verbose=1
    )
    assert result.metric == "roc_auc"
    assert result.details["n_fits"] == 2 * 3 * (2 * 3 + 1)
    assert "42 fits" in capsys.readouterr().out


def test_fit_parameters_are_cut_like_the_samples():
    weight = np.where(Y == 1, 5.0, 1.0)
    options = {"train_sizes": [20, 60], "n_repeats": 1, "random_state": 0}
    model = LogisticRegression()
    plain = learning_curve_intervals(model, X, Y, **options)
    weighted = learning_curve_intervals(model, X, Y, sample_weight=weight, **options)
    assert not np.array_equal(plain.test_scores, weighted.test_scores)


def test_two_sizes_have_no_curve():
    result = learning_curve_intervals(TREE, X, Y, train_sizes=[20, 60], n_repeats=1)
    assert result.curve is None
    assert "No curve is fitted: that takes at least three train_sizes." in result.details["notes"]
    assert learning_curve_intervals(TREE, X, Y, n_repeats=1, fit=False).curve is None


def test_a_metric_without_finite_range_needs_a_tolerance_for_flags():
    assert any("tolerance must be given" in note for note in curve_of_line().details["notes"])
    assert not curve_of_line().flags
    assert "rising" in curve_of_line(tolerance=0.01).flags


def test_an_overfitted_tree_is_flagged():
    result = learning_curve_intervals(TREE, X, Y, random_state=0, n_repeats=4)
    assert "high_variance" in result.flags
    assert result.details["tolerance"] == pytest.approx(0.02)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"groups": np.arange(90)}, "groups were given"),
        ({"confidence_level": 95}, "confidence_level must be a number strictly between 0 and 1"),
        ({"fit": "power"}, "fit must be True or False, got 'power'"),
        ({"tolerance": -1}, "tolerance must be a number >= 0 or None, got -1"),
        ({"acceptable": np.nan}, "acceptable must be a number or None, got nan"),
        ({"n_folds": 1}, "n_folds must be an integer of at least 2, got 1"),
        ({"n_folds": 60}, "needs 60 samples of each class"),
        ({"n_folds": 91}, "n_folds must be at most the 90 samples"),
        ({"n_repeats": 0}, "n_repeats must be an integer of at least 1, got 0"),
        ({"verbose": "no"}, "verbose must be an integer"),
        ({"train_sizes": [10, 73]}, "integers from 1 to 72"),
        ({"train_sizes": [10]}, "at least two"),
    ],
)  # fmt: skip
def test_what_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        learning_curve_intervals(TREE, X, Y, **options)


def test_data_and_estimators_that_are_refused():
    with pytest.raises(ValueError, match="X has 90 samples, but y has 89"):
        learning_curve_intervals(TREE, X, Y[1:])
    with pytest.raises(ValueError, match="estimator must have a method fit"):
        learning_curve_intervals("tree", X, Y)
    search = GridSearchCV(TREE, {"max_depth": [1]}, refit=False)
    with pytest.raises(ValueError, match="refit=False"):
        learning_curve_intervals(search, X, Y)


def test_a_class_that_the_smallest_part_lacks_is_told_before_any_fit():
    rare = np.r_[np.ones(6), np.zeros(84)]
    with pytest.raises(
        UndefinedIntervalError, match=r"class 1\.0 has 6 .* Use larger train_sizes"
    ):
        learning_curve_intervals(TREE, X, rare, train_sizes=[4, 60])
