"""BatesNestedCV: against a plain rewriting of the formulas, clamps, refusals."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from sklearn_bbc.intervals import BatesNestedCV
from sklearn_bbc.intervals._bates import random_folds
from tests.intervals.refit_helpers import two_classes


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


def test_the_standard_error_stays_between_its_limits():
    X, y = two_classes()
    for seed in range(6):
        details = (
            BatesNestedCV(n_folds=3, n_repetitions=1, random_state=seed, verbose=0)
            .estimate(LogisticRegression(), X, y)
            .details
        )
        naive = details["naive_standard_error"]
        assert naive <= details["standard_error"] <= np.sqrt(3) * naive * (1 + 1e-12)
        if details["mse"] < 0:
            assert details["clamped"] == "low" and "negative" in details["notes"][0]


def test_folds_are_even_within_each_label():
    labels = np.repeat([0, 1], [25, 11])
    fold = random_folds(np.random.default_rng(0), 36, 5, labels)
    for label in (0, 1):
        sizes = np.bincount(fold[labels == label], minlength=5)
        assert sizes.max() - sizes.min() <= 1


def test_probabilities_are_scored_per_sample():
    X, y = two_classes()
    result = BatesNestedCV(n_folds=3, n_repetitions=1, random_state=0, verbose=0).estimate(
        LogisticRegression(), X, np.array(["no", "yes"])[y], scoring="neg_log_loss"
    )
    assert result.low < result.estimate < result.high < 0


def test_a_metric_that_is_no_mean_is_refused():
    X, y = two_classes()
    with pytest.raises(ValueError, match="needs a metric that is a mean over samples"):
        BatesNestedCV(n_folds=3, verbose=0).estimate(LogisticRegression(), X, y, scoring="f1")


def test_groups_and_too_few_folds_are_refused():
    X, y = two_classes()
    with pytest.raises(ValueError, match="takes samples as independent"):
        BatesNestedCV(verbose=0).estimate(LogisticRegression(), X, y, groups=np.arange(60) // 2)
    with pytest.raises(ValueError, match="n_folds must be an integer of at least 3"):
        BatesNestedCV(n_folds=2).estimate(LogisticRegression(), X, y)
    with pytest.raises(ValueError, match="n_folds=40 needs at least 80 samples"):
        BatesNestedCV(n_folds=40, verbose=0).estimate(LogisticRegression(), X, y)
