"""BatesNestedCV: against a plain rewriting of the formulas, clamps, refusals."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression, LogisticRegression

from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BatesNestedCV
from sklearn_bbc.intervals._refits import random_folds
from tests.intervals.refit_helpers import CountingClassifier, two_classes


def plain(X, y, fold, n_folds):
    """Losses and differences of one repetition, by loops over the definition."""
    n = len(y)
    inner_all, outer_all, differences = [], [], []
    for k in range(n_folds):
        inner = []
        for other in range(n_folds):
            if other == k:
                continue
            train = (fold != k) & (fold != other)
            model = LinearRegression().fit(X[train], y[train])
            inner.extend((model.predict(X[fold == other]) - y[fold == other]) ** 2)
        model = LinearRegression().fit(X[fold != k], y[fold != k])
        outer = (model.predict(X[fold == k]) - y[fold == k]) ** 2
        differences.append((np.mean(inner) - outer.mean()) ** 2 - outer.var(ddof=1) / len(outer))
        inner_all.extend(inner)
        outer_all.extend(outer)
    return n, np.array(inner_all), np.array(outer_all), differences


@pytest.mark.parametrize("bias_power", [1.0, 1.5])
def test_against_the_definition(bias_power):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = X[:, 0] + rng.normal(size=40)
    method = BatesNestedCV(
        n_folds=4, n_repetitions=2, bias_power=bias_power, random_state=3, verbose=0
    )
    result = method.estimate(LinearRegression(), X, y, scoring="neg_mean_squared_error")
    rng = np.random.default_rng(3)
    runs = [plain(X, y, random_folds(rng, 40, 4, None), 4) for _ in range(2)]
    inner = np.concatenate([run[1] for run in runs])
    outer = np.concatenate([run[2] for run in runs])
    mse = np.mean([d for run in runs for d in run[3]])
    naive = inner.std(ddof=1) / np.sqrt(40)
    expected = min(max(np.sqrt(max(0, mse * 3 / 4)), naive), 2 * naive)
    assert result.details["mse"] == pytest.approx(mse)
    assert result.details["standard_error"] == pytest.approx(expected)
    factor = 1 + (2 / 4) ** bias_power
    estimate = inner.mean() - factor * (inner.mean() - outer.mean())
    assert result.estimate == pytest.approx(-estimate)
    assert result.details["cv_score"] == pytest.approx(-outer.mean())
    assert result.details["naive_standard_error"] == pytest.approx(naive)
    raw = np.sqrt(max(0, mse * 3 / 4))
    assert result.details["clamped"] == (
        "low" if raw < naive else "high" if raw > expected else None
    )
    assert (result.details["n_redrawn"], result.details["n_fits"]) == (0, 2 * (4 + 6))


def test_a_spread_beyond_the_upper_limit_is_cut_there():
    """Twins: a sample is right where its twin was trained on, so folds differ in the extreme.

    Of 60 samples two folds of three are right as a whole: e_out is 0 or 1 with no spread of its
    own, so the mean squared error is far above what sqrt(F) times the naive one allows.
    """

    class ByFold(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            self.wrong_ = X[:, 0].sum() % 2 < 1
            return self

        def predict(self, X):
            return (1 - X[:, 1] if self.wrong_ else X[:, 1]).astype(int)

    y = np.tile([0, 1], 30)
    X = np.column_stack([np.arange(60) % 7 == 0, y]).astype(float)
    method = BatesNestedCV(n_folds=3, n_repetitions=4, random_state=0, verbose=0)
    result = method.estimate(ByFold(), X, y)
    details, naive = result.details, result.details["naive_standard_error"]
    assert np.sqrt(details["mse"] * 2 / 3) > 1.1 * np.sqrt(3) * naive
    assert details["clamped"] == "high"
    assert details["standard_error"] == pytest.approx(np.sqrt(3) * naive)


@pytest.mark.long
def test_the_shares_of_the_classes_vary_as_in_new_data():
    """A constant classifier: the error of cross-validation is that of the share, and is known."""
    X, y = two_classes(80)[0], (np.arange(80) < 24).astype(int)
    few = {"n_repetitions": 25, "random_state": 0, "verbose": 0}
    details = BatesNestedCV(**few).estimate(CountingClassifier(favourite=0), X, y).details
    # Mean of 16 against that of the other 64, less the variance within the 16 by itself.
    between = 0.21 * 80 / 79 * (1 / 16 + 1 / 64)
    assert details["mse"] == pytest.approx(between - 0.21 * 80 / 79 / 16, abs=0.0025)
    few["n_repetitions"] = 3
    fixed = BatesNestedCV(stratify=True, **few).estimate(CountingClassifier(favourite=0), X, y)
    assert fixed.details["mse"] < -0.01 and fixed.details["clamped"] == "low"
    assert "stratify=True holds the shares" in fixed.details["notes"][0]


def test_folds_that_leave_a_class_out_are_drawn_again():
    X, _ = two_classes()
    y = (np.arange(60) < 3).astype(int)
    method = BatesNestedCV(n_folds=3, n_repetitions=5, random_state=0, verbose=0)
    result = method.estimate(LogisticRegression(), X, y)
    assert result.details["n_redrawn"] > 5
    assert "drawn again to get 5: those kept are more alike" in result.details["notes"][0]
    with pytest.raises(UndefinedIntervalError, match=r"such as \d+ with 3 samples, was always"):
        method.estimate(LogisticRegression(), X, np.arange(60) % 20)
    assert 0 <= method.set_params(stratify=True).estimate(LogisticRegression(), X, y).estimate <= 1


def test_a_metric_that_is_no_mean_is_refused():
    X, y = two_classes()
    with pytest.raises(ValueError, match="needs a metric that is a mean over samples"):
        BatesNestedCV(n_folds=3, verbose=0).estimate(LogisticRegression(), X, y, scoring="f1")


def test_groups_and_too_many_folds_are_refused():
    X, y = two_classes()
    with pytest.raises(ValueError, match="takes samples as independent"):
        BatesNestedCV(verbose=0).estimate(LogisticRegression(), X, y, groups=np.arange(60) // 2)
    with pytest.raises(ValueError, match="n_folds=40 needs at least 80 samples"):
        BatesNestedCV(n_folds=40, verbose=0).estimate(LogisticRegression(), X, y)
