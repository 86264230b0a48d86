"""The threshold of a finished search, ready to predict and corrected."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, f1_score, make_scorer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.resampling import Redraw
from sklearn_bbc.selection import MeanCost, OneStandardError, SensitivityAt, WithThreshold
from tests.search.small_search import FEW, X, Y, search


@pytest.fixture(scope="module")
def fitted():
    return search().fit(X, Y)


def labels_at(result, scores):
    return (scores >= result.threshold).astype(int)


def test_threshold_estimator_and_apparent_score_are_about_the_best_estimator(fitted):
    result = fitted.threshold("f1", method=FEW)
    scores = fitted.oof_.matrix("predict_proba")[:, fitted.best_index_]
    assert result.apparent_score == pytest.approx(f1_score(Y, labels_at(result, scores)))
    tried = np.linspace(scores.min(), scores.max(), 100)
    assert result.apparent_score == pytest.approx(max(f1_score(Y, scores >= t) for t in tried))
    probability = fitted.best_estimator_.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(result.estimator.predict(X), labels_at(result, probability))
    assert result.ci.details["winner"] == fitted.best_index_
    assert result.luck == result.apparent_score - result.ci.estimate > 0
    assert f"{result.luck:.3f} of the apparent score was luck." in str(result)
    assert FEW.selection is None


def test_it_is_the_rule_repeated_in_every_draw(fitted):
    rule = WithThreshold("balanced_accuracy", thresholds=30)
    method = BBC(n_bootstraps=40, confidence_level=0.8, alternative="greater", random_state=0)
    direct = BBC(**{**method.get_params(deep=False), "selection": rule})
    expected = direct.estimate(fitted.oof_, "roc_auc")
    result = fitted.threshold("balanced_accuracy", thresholds=30, method=method)
    assert (result.ci.estimate, result.ci.low) == (expected.estimate, expected.low)
    assert "one-sided 80% confidence interval: at least" in result.summary()


def test_a_method_may_have_parameters_with_parameters_of_their_own(fitted):
    method = BBC(n_bootstraps=40, degenerate=Redraw(cap=500))
    result = fitted.threshold("f1", method=method)
    assert result.ci.estimate == fitted.threshold("f1", method=FEW).ci.estimate


def test_a_cost_matrix_and_a_specificity(fitted):
    scores = fitted.oof_.matrix("predict_proba")[:, fitted.best_index_]
    costs = np.array([[0, 1], [5, 0]])
    result = fitted.threshold(costs, method=FEW)
    found = (confusion_matrix(Y, labels_at(result, scores)) * costs).sum() / len(Y)
    assert result.apparent_score == pytest.approx(-found)
    again = fitted.threshold(MeanCost(costs), method=FEW)
    assert (again.ci.metric, again.ci.low) == ("neg_mean_cost", result.ci.low)
    kept = fitted.threshold(SensitivityAt(0.8), method=FEW)
    (tn, fp), (fn, tp) = confusion_matrix(Y, labels_at(kept, scores))
    assert tn / (tn + fp) >= 0.8 and kept.apparent_score == pytest.approx(tp / (tp + fn))
    assert kept.ci.low >= 0


def test_decision_values_and_another_positive_label():
    y = np.where(Y == 1, "sick", "well")  # the positive one comes first
    model = search(LinearSVC(), {"C": [0.01, 1]}).fit(X, y)
    scoring = make_scorer(f1_score, pos_label="sick")
    result = model.threshold(scoring, method=FEW)
    values = -model.best_estimator_.decision_function(X)
    expected = np.where(values >= result.threshold, "sick", "well")
    np.testing.assert_array_equal(result.estimator.predict(X), expected)
    assert result.estimator.response_method == "decision_function"


def test_the_rule_of_refit_chooses_the_configuration():
    rule = OneStandardError(["max_depth", ("min_samples_leaf", "larger is simpler")])
    found = search(refit=rule).fit(X, Y)
    result = found.threshold("f1", method=FEW)
    assert result.ci.details["winner"] == found.best_index_
    assert result.ci.details["rule"] == "one standard error, then threshold by f1"

    def second(results):
        return 1

    several = search(scoring=["roc_auc", "accuracy"], refit=second).fit(X, Y)
    assert several.threshold("f1", method=FEW).ci.details["winner"] == 1


def by_training(results):
    return int(results["mean_train_score"].argmax())


@pytest.mark.parametrize(
    ("options", "arguments", "message"),
    [
        ({"refit": False}, {}, "needs the best estimator, which refit=False did not fit"),
        ({"scoring": "accuracy"}, {}, "Add a metric of scores"),
        ({"record": False}, {}, "needs out-of-fold predictions"),
        ({}, {"scoring": "roc_auc"}, "must be a metric of labels"),
        ({}, {"scoring": [[0, 1]]}, "cost matrix must be"),
        ({}, {"method": BBCF()}, "method must be a BBC object"),
        ({}, {"thresholds": 1}, "thresholds must be"),
        ({"refit": by_training, "return_train_score": True}, {}, "of `refit` cannot be repeated"),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
def test_what_is_missing_is_named(options, arguments, message):
    found = search(**options).fit(X, Y)
    with pytest.raises(ValueError, match=message):
        found.threshold(**{"scoring": "f1", "method": FEW, **arguments})


def test_two_classes_only():
    found = search(DecisionTreeClassifier(), {"max_depth": [1, 2]}, scoring="roc_auc_ovr")
    with pytest.raises(ValueError, match="2 classes, got 3 classes"):
        found.fit(*load_iris(return_X_y=True)).threshold("f1_macro")


def test_labels_without_signal_are_worth_nothing_after_the_correction():
    """Balanced accuracy of tuned thresholds on noise: apparent far above 0.5, corrected not."""
    apparent, corrected = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        data, y = rng.normal(size=(60, 5)), rng.permutation(np.arange(60) < 18).astype(int)
        found = BBCSearchCV(
            KNeighborsClassifier(), {"n_neighbors": [3, 7, 15]}, scoring="roc_auc", ci=[],
            random_state=0,
        ).fit(data, y)  # fmt: skip
        result = found.threshold("balanced_accuracy", method=FEW)
        apparent.append(result.apparent_score)
        corrected.append(result.ci.estimate)
    assert np.mean(apparent) > 0.56
    assert abs(np.mean(corrected) - 0.5) < 0.03


def test_a_sum_over_samples_is_warned_of(fitted):
    with pytest.warns(UserWarning, match="depends on the number of samples"):
        fitted.threshold(lambda tn, fp, fn, tp: tp - fp, method=FEW)


def test_the_model_in_use_has_the_score_of_its_labels():
    model = search(LogisticRegression(), {"C": [0.1, 1]}).fit(X, Y)
    result = model.threshold("balanced_accuracy", method=FEW)
    assert result.estimator.predict_proba(X).shape == (90, 2)
    assert balanced_accuracy_score(Y, result.estimator.predict(X)) > 0.6
