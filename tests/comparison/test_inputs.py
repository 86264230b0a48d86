"""Sides made of arrays, predictions and searches; what does not fit is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import f1_score, make_scorer, mean_absolute_error, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV, compare
from sklearn_bbc.comparison import Side, tied_with_best
from sklearn_bbc.comparison._compare import sides_of
from sklearn_bbc.testing import example_predictions

NONE = {"y_true": None, "fold": None, "groups": None, "sample_weight": None}
Y = np.arange(60) % 2
X = np.random.default_rng(0).normal(size=(60, 2)) + Y[:, None]
CV = StratifiedKFold(3, shuffle=True, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)


def fitted(cls=BBCSearchCV, grid=(1, 2), **params):
    params = {"cv": CV, "scoring": "roc_auc", **params}
    return cls(TREE, {"max_depth": list(grid)}, **params).fit(X, Y)


def test_arrays_become_one_model_each():
    rng = np.random.default_rng(0)
    (one, other), metric, notes = sides_of(
        rng.normal(size=60), rng.normal(size=60), "roc_auc", {**NONE, "y_true": Y, "groups": Y}
    )
    assert one.oof.n_configs == other.oof.n_configs == 1 and not one.is_tuned
    assert one.oof.groups is not None and metric.name == "roc_auc" and notes == ()


@pytest.mark.parametrize("method", ["auto", "paired_bootstrap", "bbc_difference"])
def test_the_positive_class_is_named_as_elsewhere(method):
    rng = np.random.default_rng(0)
    status = np.where(Y == 0, "case", "control")
    one, other = rng.normal(size=(2, 60)) + (Y == 0)
    options = {"method": method, "random_state": 0}
    named = compare(one, other, "roc_auc", y_true=status, pos_label="case", **options)
    coded = compare(one, other, "roc_auc", y_true=1 - Y, **options)
    assert [named.difference, *named] == pytest.approx([coded.difference, *coded], abs=1e-12)
    assert named.details["scores"][0] == pytest.approx(coded.details["scores"][0])


def test_the_positive_class_counts_in_metrics_that_name_none():
    rng = np.random.default_rng(0)
    status = np.where(Y == 0, "case", "control")
    one, other = np.where(rng.random((2, 60)) < 0.8, status, status[::-1])
    named = compare(one, other, "f1", y_true=status, pos_label="case", random_state=0)
    scores = [f1_score(status, each, pos_label="case") for each in (one, other)]
    assert named.difference == pytest.approx(scores[0] - scores[1])


def test_probabilities_of_classes_are_one_model():
    proba = np.full((60, 3), 1 / 3)
    (one, _), _, _ = sides_of(proba, proba, "neg_log_loss", {**NONE, "y_true": np.arange(60) % 3})
    assert one.oof.n_configs == 1


def test_values_of_samples_are_compared_by_their_mean():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 25))
    result = compare(a, b, method="bbc_difference", n_bootstraps=100, random_state=0)
    assert result.details["scores"] == pytest.approx([a.mean(), b.mean()], abs=0.2)


@pytest.mark.parametrize(
    "first, second, scoring, fields, message",
    [
        (Y, Y[:50], "accuracy", {"y_true": Y}, r"second has shape \(50,\), but there are 60"),
        (Y, Y, "accuracy", {}, r"Without y_true .* scoring='accuracy'"),
        (Y, Y, None, {"pos_label": 1}, "pos_label=1 names a class, but without y_true"),
        (Y, 1 - Y, "f1", {"y_true": Y, "pos_label": 2}, "pos_label=2 is not a class"),
        (example_predictions(), Y, "f1", {"pos_label": 1}, "pos_label belong to arrays"),
        (Y, Y, Y, {}, r"the third argument is an array\. .* y_true=y\)"),
        (Y, Y, None, {"y_true": Y}, "scoring must be given"),
        (example_predictions(), Y, None, {}, "scoring must be given"),
        (example_predictions(), Y, "roc_auc", {"y_true": Y}, "y_true belong to arrays"),
        (example_predictions(), Y[:50], "roc_auc", {}, r"second has shape \(50,\)"),
        (Y, DummyClassifier(), "accuracy", {"y_true": Y}, r"search.compare\(baseline=estimator"),
        (Y, BBCSearchCV(TREE, {}), "accuracy", {"y_true": Y}, "Fit the search first"),
    ],
)
def test_what_does_not_fit(first, second, scoring, fields, message):
    with pytest.raises(ValueError, match=message):
        compare(first, second, scoring, **fields)


def test_rows_of_tables_are_matched_by_their_names():
    y = pd.Series(Y)
    other = pd.Series(Y, index=np.roll(np.arange(60), 1))
    with pytest.raises(ValueError, match="same index in another order"):
        compare(y, other, "accuracy", y_true=y)


def test_searches_bring_their_metric():
    one, other = fitted(), fitted(grid=(3, 4))
    result = compare(one, other, n_bootstraps=100, random_state=0)
    assert result.metric == "roc_auc" and result.method == "bbc_difference"
    assert result.names == ("the search (first)", "the search (second)")
    accuracy = compare(one, other, "accuracy", n_bootstraps=100, random_state=0)
    assert accuracy.metric == "accuracy"


def test_different_metrics_are_refused():
    one, other = fitted(), fitted(scoring="accuracy")
    with pytest.raises(ValueError, match=r"first search selects by roc_auc, the second by acc"):
        compare(one, other)
    scorers = [make_scorer(mean_absolute_error, greater_is_better=sign) for sign in (True, False)]
    one, other = (fitted(scoring=scorer) for scorer in scorers)
    with pytest.raises(ValueError, match="selects by mean_absolute_error, the second by mean_abs"):
        compare(one, other)


def test_other_searches_have_scores_per_fold():
    plain = fitted(GridSearchCV, grid=(3, 4))
    result = compare(fitted(), plain)
    assert (
        result.method == "corrected_resampled_t"
        and result.names[1] == "the second search's winner"
    )
    assert "OOFPredictions.from_search(search, X, y) fits it again" in result.details["notes"][-1]
    assert compare(plain, fitted(GridSearchCV)).metric == "roc_auc"
    with pytest.raises(ValueError, match="Both sides are the same object"):
        compare(plain, plain)
    several = fitted(GridSearchCV, scoring=["roc_auc", "accuracy"], refit=False)
    with pytest.raises(ValueError, match=r"has the metrics \['roc_auc', 'accuracy'\]"):
        compare(several, several)
    custom = fitted(GridSearchCV, scoring=lambda estimator, X, y: 0.5)
    with pytest.raises(ValueError, match="selects by"):
        compare(custom, plain)


PLAIN, OURS = fitted(GridSearchCV), fitted()
INTERVAL = OURS.ci_
ONE = X[:, 0]


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: compare(INTERVAL, INTERVAL), ValueError, "two intervals overlap does not tell"),
        (lambda: compare(OURS, INTERVAL), ValueError, "second is a ConfidenceInterval"),
        (lambda: compare(0.8, 0.7), ValueError, "first must be predictions .* got 0.8.*y_true=y"),
        (lambda: compare("roc_auc", OURS, PLAIN), ValueError, "got 'roc_auc'. The third argument"),
        (
            lambda: compare(OURS, DummyClassifier),
            ValueError,
            "second is the class DummyC",
        ),
        (lambda: compare(OURS, BBCSearchCV(TREE, {})), ValueError, "Fit the search first"),
        (lambda: compare(OURS, PLAIN, ONE), ValueError, r"name of a metric.* of shape \(60,\)"),
        (lambda: compare(OURS, ONE, names="me"), ValueError, "names must be two names"),
        (lambda: compare(OURS, ONE, names="a"), ValueError, "names must be two names.* got 'a'"),
        (lambda: compare(OURS, ONE, alpha=0.1), TypeError, r"mean compare\(confidence_level="),
        (lambda: compare(ONE, ONE, "r2", Y), TypeError, "only first, second, scoring by position"),
        (lambda: compare(OURS, ONE, method="ttest"), ValueError, "Did you mean 'paired_t'"),
        (lambda: compare(ONE, X[:, 1], roc_auc_score, y_true=Y), ValueError, "scoring='roc_auc'"),
        (lambda: compare(PLAIN, ONE), ValueError, r"from_search\(search, X, y\) makes those"),
        (
            lambda: compare(PLAIN, OURS, "accuracy"),
            ValueError,
            r"from_search\(search, X, y\) fits",
        ),
        (
            lambda: compare(PLAIN, OURS, method="bbc_difference"),
            ValueError,
            r"OOFPredictions\.from_search\(search, X, y\)",
        ),
        (lambda: Side(OURS), TypeError, "Side takes no arguments by position; a BBCSearchCV"),
        (lambda: Side(oof=OURS), ValueError, "pass search.oof_"),
        (lambda: Side(oof=OURS.oof_, conf=1), TypeError, r"Did you mean Side\(config="),
        (lambda: tied_with_best(OURS), ValueError, "pass search.oof_"),
        (lambda: tied_with_best(OURS.oof_, "r2", 0.9), TypeError, "only oof, scoring by position"),
    ],
)
def test_what_was_probably_meant(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_an_array_beside_a_search():
    search = fitted()
    proba = X[:, 0]
    result = compare(search, proba, n_bootstraps=100, random_state=0)
    assert result.method == "bbc_difference" and result.names == ("the search", "second")
    turned = compare(proba, search, n_bootstraps=100, random_state=0)
    assert turned.difference == pytest.approx(-result.difference)
    labels = compare(fitted(scoring="accuracy"), Y, n_bootstraps=100, random_state=0)
    assert labels.details["scores"][1] == 1
    with pytest.raises(ValueError, match="holds 7, which is not a class"):
        compare(fitted(scoring="accuracy"), np.full(60, 7))


def test_sides_stay_as_they_are():
    oof = example_predictions()
    side = Side(oof=oof, config=2, name="x")
    (one, other), _, _ = sides_of(side, oof, "roc_auc", NONE)
    assert one is side and other.oof is oof
