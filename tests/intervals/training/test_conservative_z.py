"""ConservativeZ: halves are disjoint, sizes, the variance by hand, refusals."""

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LogisticRegression

from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import ConservativeZ
from tests.intervals.refit_helpers import CountingClassifier, two_classes

# Models and scores made up to count fits are constant, which has tests of its own.
pytestmark = pytest.mark.filterwarnings("ignore:.*No spread can be seen")


def test_too_few_samples_are_refused():
    X, y = two_classes(6)
    with pytest.raises(ValueError, match=r"trains on halves of 3 samples less 2 test"):
        ConservativeZ(test_share=0.3, verbose=0).estimate(LogisticRegression(), X[:6], y[:6])


def test_the_shares_of_the_classes_vary_as_in_new_data():
    """A constant classifier: all spread is from the shares, and is known."""
    X, y = two_classes(80)[0], (np.arange(80) < 24).astype(int)
    few = {"n_outer": 25, "n_inner": 4, "random_state": 0, "verbose": 0}
    result = ConservativeZ(**few).estimate(CountingClassifier(favourite=0), X, y)
    share = 0.7 * 0.3
    # Of 40 drawn from 80, then of 4 test sets of 8 drawn from 40; twice, for the difference.
    of_halves = 4 * share / 40 * 40 / 79 / 2
    of_tests = share / 8 * 32 / 39 / 4
    expected = np.sqrt(of_halves + of_tests)
    assert result.details["standard_error"] == pytest.approx(expected, rel=0.2)
    assert result.details["n_redrawn"] == 0 and not result.details["notes"]
    few["n_outer"] = 3
    fixed = ConservativeZ(stratify=True, **few).estimate(CountingClassifier(favourite=0), X, y)
    assert fixed.low == fixed.high and fixed.details["degenerate"]
    assert "stratify=True holds the shares" in fixed.details["notes"][0]


def test_splits_that_lack_a_class_are_drawn_again():
    X, _ = two_classes()
    y = (np.arange(60) < 12).astype(int)
    method = ConservativeZ(n_outer=3, n_inner=4, random_state=0, verbose=0)
    result = method.estimate(LogisticRegression(), X, y, scoring="roc_auc")
    assert result.details["n_redrawn"] > 0
    assert not np.isnan(result.details["scores"]).any()
    y = (np.arange(60) < 4).astype(int)
    result = method.estimate(LogisticRegression(), X, y, scoring="roc_auc")
    assert "drawn again to get 28: those kept are more alike" in result.details["notes"][0]


def test_test_sets_without_a_class_are_refused_where_the_metric_needs_it():
    X, _ = two_classes()
    method = ConservativeZ(n_outer=2, n_inner=3, stratify=True, random_state=0, verbose=0)
    few, enough = ((np.arange(60) < n).astype(int) for n in (4, 10))
    CountingClassifier.trained_on.clear()
    with pytest.raises(UndefinedIntervalError, match="none of the 4 samples of class 1") as error:
        method.estimate(CountingClassifier(), X, few, scoring="roc_auc")
    message = str(error.value)
    assert "Test sets have 6 of 30 samples: 10 samples of each class are enough" in message
    assert "draws gave no better" not in message
    assert not CountingClassifier.trained_on
    assert 0 <= method.estimate(LogisticRegression(), X, enough, scoring="roc_auc").estimate <= 1
    assert 0 <= method.estimate(LogisticRegression(), X, few).estimate <= 1


@pytest.mark.long
def test_test_sets_hold_every_class_unless_the_metric_is_a_mean(recwarn):
    X, _ = two_classes()
    y = (np.arange(60) < 12).astype(int)
    method = ConservativeZ(n_outer=2, n_inner=6, random_state=0, verbose=0)
    for scoring in ("f1", "balanced_accuracy", "recall", "matthews_corrcoef"):
        always = method.estimate(CountingClassifier(favourite=1), X, y, scoring=scoring)
        assert always.details["n_redrawn"] > 0
        assert not [note for note in always.details["notes"] if "lack a class" in note]
        if scoring in ("balanced_accuracy", "recall"):  # half of all, all of the positive ones
            assert set(always.details["scores"]) == {0.5 if scoring[0] == "b" else 1.0}
    accuracy = method.estimate(CountingClassifier(favourite=1), X, y)
    assert accuracy.details["n_redrawn"] == 0
    few = np.arange(60) % 10  # six of each, test sets of six
    weighted = method.estimate(CountingClassifier(), X, few, scoring="f1_weighted")
    assert "lack a class, where f1_weighted follows a convention" in weighted.details["notes"][-1]
    assert not [each for each in recwarn if "y_pred contains classes" in str(each.message)]


@pytest.mark.long
def test_classes_that_no_random_test_set_can_hold_are_refused_before_the_first_fit():
    X, _ = two_classes()
    method = ConservativeZ(n_outer=2, n_inner=3, random_state=0, verbose=0)
    CountingClassifier.trained_on.clear()
    with pytest.raises(UndefinedIntervalError, match=r"\(100 draws gave no better one\)") as error:
        # Seven classes, test sets of six.
        method.estimate(CountingClassifier(), X, np.arange(60) % 7, scoring="roc_auc_ovr")
    assert "10 samples of each class are enough with stratify=True" in str(error.value)
    assert "merge rare classes" in str(error.value)
    with pytest.raises(UndefinedIntervalError, match="none of them among the training samples"):
        # A half rarely holds each of 15 classes of 4 samples, its training samples never do.
        method.set_params(test_share=0.25).estimate(CountingClassifier(), X, np.arange(60) % 15)
    assert not CountingClassifier.trained_on


SCORES = [0.5, 0.7, 0.1, 0.3, 0.2, 0.2, 0.9, 0.5, 0.4, 0.2]
"""Of all samples, then of two halves twice: means 0.6; 0.2, 0.2; 0.7, 0.3."""


def of_scores(monkeypatch, scores, **params):
    method = ConservativeZ(n_outer=2, n_inner=2, random_state=0, verbose=0, **params)
    monkeypatch.setattr(method, "_run", lambda task, arguments: list(scores))
    return method.estimate(LogisticRegression(), *two_classes())


def test_the_interval_of_known_scores_by_hand(monkeypatch):
    result = of_scores(monkeypatch, SCORES, confidence_level=0.8)
    assert result.estimate == pytest.approx(0.6) and result.details["scores"] == [0.5, 0.7]
    assert result.details["differences"] == pytest.approx([0, 0.4])
    error = np.sqrt((0 + 0.16) / 2 / 2)
    assert result.details["standard_error"] == pytest.approx(error)
    assert tuple(result) == pytest.approx((0.6 - 1.2815516 * error, 0.6 + 1.2815516 * error))
    assert result.details["degenerate"] is False and result.details["n_fits"] == 10


def test_scores_that_are_undefined_or_without_spread_are_reported(monkeypatch):
    with pytest.raises(UndefinedIntervalError, match=r"undefined \(NaN\) for 1 of 10 test sets"):
        of_scores(monkeypatch, [np.nan, *SCORES[1:]])
    with pytest.warns(IntervalWarning, match="ConservativeZ: No spread can be seen around 0.6"):
        result = of_scores(monkeypatch, [0.5, 0.7] + [0.25] * 8)
    assert result.details["degenerate"] is True and result.width == 0


def splits_of(n_samples, **params):
    seen = []

    class Kept(ConservativeZ):
        def _splits(self, problem):
            seen.extend(super()._splits(problem))
            return seen

    X, y = np.zeros((n_samples, 1)), np.arange(n_samples) * 1.0
    params = {"n_outer": 2, "n_inner": 3, "random_state": 0, "verbose": 0, **params}
    method = Kept(**params)
    method.estimate(DummyRegressor(), X, y, scoring="neg_mean_absolute_error")
    return seen


@pytest.mark.parametrize(
    ("n_samples", "share", "n_test"), [(61, 0.1, 6), (66, 0.1, 7), (40, 0.01, 1), (8, 0.25, 2)]
)
def test_sizes_of_halves_and_test_sets(n_samples, share, n_test):
    splits = splits_of(n_samples, test_share=share)
    assert len(splits) == 5 * 3
    for number, (train, test) in enumerate(splits):
        n_part = n_samples if number < 3 else n_samples // 2
        assert len(set(test)) == n_test and len(set(train)) == n_part - n_test
        assert not set(train) & set(test) and np.all(np.diff(test) > 0)
    assert len({tuple(test) for _, test in splits}) > 3
