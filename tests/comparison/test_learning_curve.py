"""Learning curves: exact on models whose scores are known, the fit, parts, flags, refusals."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config
from scipy.optimize import least_squares
from scipy.stats import t
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.comparison import learning_curve_intervals
from sklearn_bbc.comparison._learning_curve import (
    fit_power_law,
    flags_of,
    splits_of,
    train_sizes_of,
)
from sklearn_bbc.exceptions import IntervalWarning

X, Y = make_classification(90, 5, flip_y=0.2, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)
LINE = np.arange(100.0)[:, None]


class OffByShare(RegressorMixin, BaseEstimator):
    """Predicts what is off by a + b / n, so that the absolute error is known."""

    def __init__(self, a=0.1, b=2.0, noise=0.0):
        self.a, self.b, self.noise = a, b, noise

    def fit(self, X, y):
        self.off_ = self.a + self.b / len(y) + self.noise * float(np.sin(np.sum(X)))
        return self

    def predict(self, X):
        return X[:, 0] + self.off_


def curve_of_line(noise=0.01, **options):
    given = {"scoring": "neg_mean_absolute_error", "train_sizes": [10, 20, 40, 80]}
    model = OffByShare(noise=noise)
    return learning_curve_intervals(
        model, LINE, LINE[:, 0], random_state=0, **{**given, **options}
    )


def curve_of_tree(estimator=TREE, y=Y, **options):
    given = {"train_sizes": [20, 60], "n_repeats": 1, "random_state": 0}
    return learning_curve_intervals(estimator, X, y, **{**given, **options})


def test_a_known_error_is_found_and_extrapolated():
    with pytest.warns(IntervalWarning, match="All splits score the same at"):
        result = curve_of_line(noise=0)
    assert [r.estimate for r in result.test] == pytest.approx([-0.3, -0.2, -0.15, -0.125])
    assert result.curve == pytest.approx((-0.1, -2.0, 1.0), rel=1e-4)
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
            found = interval.details.get("unclipped", tuple(interval))
            expected = (scores.mean() - half, scores.mean() + half)
            assert found == pytest.approx(expected, abs=1e-12)


def test_shares_are_of_the_smallest_training_set():
    result = curve_of_tree(train_sizes=[0.5, 1.0, 0.25])
    assert result.sizes.tolist() == [18, 36, 72]
    assert result.test_scores.shape == (3, 5) and result.details["n_fits"] == 15
    assert result.curve is not None and "No curve" not in " ".join(result.details["notes"])


def test_seeds_differ_and_are_kept_and_workers_change_no_number():
    one, other = curve_of_tree(), curve_of_tree(random_state=1)
    assert not np.array_equal(one.test_scores, other.test_scores)
    free = curve_of_tree(random_state=None)
    assert free == curve_of_tree(random_state=free.details["seed"])
    with parallel_config(backend="threading"):
        assert curve_of_tree(n_jobs=2) == one


@pytest.mark.parametrize("kind", [GridSearchCV, BBCSearchCV])
def test_a_search_tunes_within_each_part(kind, capsys):
    search = kind(TREE, {"max_depth": [1, 3]}, cv=2, scoring="roc_auc")
    result = curve_of_tree(search, n_folds=3, verbose=1)
    assert result.metric == "roc_auc" and result.details["n_fits"] == 2 * 3 * (2 * 2 + 1)
    assert "30 fits" in capsys.readouterr().out


def test_fit_parameters_are_cut_like_the_samples():
    plain, weighted = (
        curve_of_tree(LogisticRegression(), sample_weight=np.where(Y == 1, weight, 1.0))
        for weight in (1.0, 5.0)
    )
    assert not np.array_equal(plain.test_scores, weighted.test_scores)


def test_two_sizes_have_no_curve():
    result = curve_of_tree()
    assert result.curve is None
    assert "No curve is fitted: that takes at least three train_sizes." in result.details["notes"]
    assert curve_of_tree(train_sizes=[20, 40, 60], fit=False).curve is None


def test_a_metric_without_finite_range_needs_a_tolerance_for_flags():
    assert any("tolerance must be given" in note for note in curve_of_line().details["notes"])
    assert not curve_of_line().flags
    assert "rising" in curve_of_line(tolerance=0.01).flags


def test_an_overfitted_tree_is_flagged():
    result = curve_of_tree(n_repeats=4)
    assert "high_variance" in result.flags
    assert result.details["tolerance"] == pytest.approx(0.02)
    by_mcc = curve_of_tree(scoring="matthews_corrcoef")
    assert by_mcc.details["tolerance"] == pytest.approx(0.04), "it ranges from -1 to 1"


@pytest.mark.parametrize(
    "options, message",
    [
        ({"groups": np.arange(90)}, "groups were given"),
        ({"n_folds": 60}, "needs 60 samples of each class"),
        ({"n_folds": 91}, "n_folds must be at most the 90 samples"),
        ({"train_sizes": [10, 73]}, "integers from 1 to 72"),
        ({"y": Y[1:]}, "X has 90 samples, but y has 89"),
        ({"estimator": GridSearchCV(TREE, {"max_depth": [1]}, refit=False)}, "refit=False"),
        ({"y": np.r_[np.ones(6), np.zeros(84)], "train_sizes": [4, 60]},
         r"class 1\.0 has 6 .* Use larger train_sizes"),
    ],
)  # fmt: skip
def test_refusals(options, message):
    with pytest.raises(ValueError, match=message):
        curve_of_tree(**options)


@pytest.mark.parametrize("given", [[0, 5], [5, 41], [0.5, 1.5], [0.5, 10], [0.001, 1.0]])
def test_other_sizes_are_refused(given):
    assert train_sizes_of([30, 10], 40).tolist() == [10, 30]
    assert train_sizes_of((0.29, 1.0), 100).tolist() == [29, 100]
    with pytest.raises(ValueError, match="train_sizes must be at least two different integers"):
        train_sizes_of(given, 40)


# --- the fit ---

SIZES = np.array([20, 50, 100, 300, 1000])


@given(a=st.floats(-1, 1), b=st.sampled_from([-3.0, -0.5, 0.5, 2.0]), c=st.floats(0.1, 1.95))
def test_an_exact_curve_is_found(a, b, c):
    found, notes = fit_power_law(SIZES, a + b * SIZES**-c)
    assert found == pytest.approx((a, b, c), rel=1e-3, abs=1e-3) and notes == []


def test_noise_gives_the_least_squares_of_a_general_optimiser():
    scores = 0.9 - 1.5 * SIZES**-0.6 + 0.01 * np.array([1, -1, 0.5, 1, -1])
    expected = least_squares(
        lambda p: p[0] + p[1] * SIZES ** -p[2] - scores, [0.8, -1, 0.5], xtol=1e-14, ftol=1e-14
    )
    assert fit_power_law(SIZES, scores)[0] == pytest.approx(tuple(expected.x), rel=1e-3)


@pytest.mark.parametrize(
    ("sizes", "scores", "place", "value", "note"),
    [
        (SIZES, np.full(5, 0.8), slice(None), (0.8, 0.0, 1.0), "level line"),
        (SIZES, 1 - 900.0 * SIZES**-3.0, slice(2, 3), (2,), "largest allowed value"),
        (SIZES, 0.1 * np.log(SIZES), slice(0), (), "has not begun to level off"),
        (SIZES[:3], np.array([0.6, 0.7, 0.75]), slice(0), (), "Three sizes"),
    ],
)
def test_curves_that_are_noted(sizes, scores, place, value, note):
    found, notes = fit_power_law(sizes, scores)
    assert found[place] == pytest.approx(value, rel=1e-3) and note in notes[-1]


# --- parts ---


@pytest.mark.parametrize("labels", [None, np.repeat([0, 1, 2], [72, 36, 12])])
def test_folds_test_each_sample_once_and_parts_have_the_shares_of_the_classes(labels):
    splits = splits_of(labels, 120, 4, 3, entropy=0)
    assert len(splits) == 12
    firsts = {tuple(splits[4 * k][1]) for k in range(3)}
    assert len(firsts) == 3, "repeats differ"
    for repeat in range(3):
        of_repeat = splits[4 * repeat : 4 * repeat + 4]
        assert sorted(np.concatenate([test for _, test in of_repeat])) == list(range(120))
    for train, test in splits:
        assert sorted([*train, *test]) == list(range(120))
        assert (np.diff(train) < 0).any(), "in random order"
        for n in range(1, 91) if labels is not None else ():
            counts = np.bincount(labels[train[:n]], minlength=3)
            assert np.abs(counts - n * np.array([0.6, 0.3, 0.1])).max() <= 1.01


# --- flags ---


def flags(test, train, half=0.01, tolerance=0.02, acceptable=None):
    one, other = ([SimpleNamespace(estimate=v) for v in values] for values in (test, train))
    gap = [SimpleNamespace(difference=b - a, low=b - a - half) for a, b in zip(test, train)]
    return flags_of(one, other, gap, tolerance, acceptable)


@pytest.mark.parametrize(
    "test, train, acceptable, names",
    [
        ([0.6, 0.69, 0.70], [0.8, 0.72, 0.71], 0.9, {"plateau", "high_bias"}),
        ([0.6, 0.69, 0.70], [0.8, 0.72, 0.71], 0.65, {"plateau"}),
        ([0.6, 0.69, 0.70], [0.8, 0.72, 0.71], None, {"plateau"}),
        ([0.6, 0.69, 0.70], [1, 1, 1], 0.9, {"plateau", "high_variance"}),
        ([0.6, 0.7, 0.8], [1, 1, 1], 0.9, {"rising", "high_variance"}),
        ([0.6, 0.7, 0.8], [0.9, 0.81, 0.81], 0.9, {"rising"}),
        ([0.6, 0.7, 0.7], [0.9, 0.8, 0.71], None, set()),
    ],
)
def test_flags_follow_the_curve(test, train, acceptable, names):
    assert set(flags(test, train, acceptable=acceptable)) == names


def test_flags_have_their_numbers_and_a_gap_that_may_be_small_has_none():
    found = flags([0.6, 0.7, 0.8], [1, 1, 1])
    assert found["rising"].startswith("The test score still rises: by 0.1 over the last step")
    assert "by 0.2 at the largest size (high variance)" in found["high_variance"]
    assert "high_variance" in flags([0.8, 0.8], [0.9, 0.9], half=0.07)
    assert "high_variance" not in flags([0.8, 0.8], [0.9, 0.9], half=0.09)
