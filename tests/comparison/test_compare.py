"""compare: which method it takes and why, what may be given, what was probably meant."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import f1_score, make_scorer, mean_absolute_error, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV, OOFPredictions, compare
from sklearn_bbc.comparison import BBCDifference, CorrectedResampledT, Side, tied_with_best
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.predictions._predictions import with_fields
from sklearn_bbc.testing import example_predictions

Y = np.arange(60) % 2
RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(2, 60)) + [[1.5], [0.2]] * Y
X = RNG.normal(size=(60, 2)) + Y[:, None]
LABELS = (A > 0.5).astype(int), (B > 0.5).astype(int)
CV = StratifiedKFold(3, shuffle=True, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)
OOF = example_predictions()
FIXED = Side(oof=OOF, config=3), Side(oof=OOF, config=0)
QUICK = {"n_bootstraps": 100, "random_state": 0}


def fitted(cls=BBCSearchCV, grid=(1, 2), **params):
    params = {"cv": CV, "scoring": "roc_auc", **params}
    return cls(TREE, {"max_depth": list(grid)}, **params).fit(X, Y)


PLAIN, OURS = fitted(GridSearchCV), fitted()


# --- the method ---


@pytest.mark.parametrize(
    ("values", "scoring", "fields", "expected"),
    [
        ((A, B), "roc_auc", {}, "paired_delong"),
        ((A, B), "roc_auc", {"groups": np.arange(60) // 3}, "paired_delong"),
        ((A, B), "roc_auc", {"sample_weight": Y + 1.0}, "paired_bootstrap"),
        (LABELS, "accuracy", {}, "mcnemar"),
        (LABELS, "accuracy", {"groups": np.arange(60) // 3}, "paired_bootstrap"),
        (LABELS, "accuracy", {"sample_weight": Y + 1.0}, "paired_bootstrap"),
        (LABELS, "f1", {}, "paired_bootstrap"),
        ((A, B), "neg_mean_absolute_error", {}, "paired_t"),
    ],
)
def test_two_models_on_a_test_set(values, scoring, fields, expected):
    result = compare(*values, scoring, y_true=Y, **fields, **QUICK)
    assert result.method == expected and result.names == ("first", "second")
    assert result.details["why"].startswith("Two models on a test set")
    metric, weight = as_metric(scoring), fields.get("sample_weight")
    scores = [metric.sign * metric.score_func(Y, v, sample_weight=weight) for v in values]
    np.testing.assert_allclose(result.details["scores"], scores, rtol=1e-10)
    assert result.details["unit"] == ("group" if "groups" in fields else "sample")


def test_few_samples_are_drawn_and_values_without_a_target_compared_by_their_mean():
    few = compare(A[:20], B[:20], "neg_mean_absolute_error", y_true=X[:20, 0], **QUICK)
    assert few.method == "paired_bootstrap" and "only 20 samples" in few.details["why"]
    result = compare(A, B)
    assert result.method == "paired_t" and result.difference == pytest.approx((A - B).mean())
    drawn = compare(A, B, method="bbc_difference", **QUICK)
    assert drawn.details["scores"] == pytest.approx([A.mean(), B.mean()], abs=0.2)


ONLY_FOLDS = OOFPredictions.from_fold_scores(

    {"roc_auc": np.random.default_rng(0).random((6, 3))},
)  # fmt: skip


@pytest.mark.parametrize(
    ("first", "second", "method", "why"),
    [
        (OOF, FIXED[1], "bbc_difference", "4 configurations was tuned on these samples: the sel"),
        (OOF, Side(oof=with_fields(OOF, selected=1)), "bbc_difference", "and so was the other"),
        (*FIXED, "bbc_difference", "fixed configurations of a cross-validation"),
        (ONLY_FOLDS, OOF, "corrected_resampled_t", "cannot be repeated"),
    ],
)
def test_cross_validated_sides(first, second, method, why):
    result = compare(first, second, "roc_auc", **QUICK)
    assert result.method == method and why in result.details["why"]


def test_cross_validated_arrays_know_their_folds():
    fold = np.arange(60) // 12
    result = compare(A, B, "roc_auc", y_true=Y, fold=fold, **QUICK)
    assert result.method == "bbc_difference" and "cross-validation" in result.details["why"]
    oof = OOFPredictions(y_true=Y, y_pred=np.stack([A, B], axis=1), fold=fold)
    same = compare(Side(oof=oof, config=0), Side(oof=oof, config=1), "roc_auc", **QUICK)
    assert same.difference == result.difference and same.p_value == result.p_value


def test_parameters_reach_the_method():
    given = {"n_bootstraps": 250, "confidence_level": 0.9, "alternative": "greater",
             "random_state": 3}  # fmt: skip
    result = compare(OOF, FIXED[1], "roc_auc", n_jobs=2, **given)
    expected = BBCDifference(**given).compare(OOF, FIXED[1], "roc_auc")
    assert tuple(result) == tuple(expected) and result.p_value == expected.p_value
    assert result.n_bootstraps == 250 and result.alternative == "greater"
    assert {**result.details, "why": 0} == {**expected.details, "why": 0}


def test_an_object_keeps_its_own_parameters():
    method = CorrectedResampledT(confidence_level=0.8)
    result = compare(*FIXED, "roc_auc", method=method)
    assert result.confidence_level == 0.8 and result.details["why"] == "It was asked for."
    assert method.confidence_level == 0.8
    by_name = compare(*FIXED, "roc_auc", method="corrected_resampled_t", confidence_level=0.8)
    assert by_name == result


# --- what may be given ---


@pytest.mark.parametrize("method", ["auto", "paired_bootstrap", "bbc_difference"])
def test_the_positive_class_is_named_as_elsewhere(method):
    status = np.where(Y == 0, "case", "control")
    options = {"method": method, **QUICK}
    named = compare(-A, -B, "roc_auc", y_true=status, pos_label="case", **options)
    coded = compare(-A, -B, "roc_auc", y_true=1 - Y, **options)
    assert [named.difference, *named] == pytest.approx([coded.difference, *coded], abs=1e-12)
    labels = [np.where(label, "control", "case") for label in LABELS]
    result = compare(*labels, "f1", y_true=status, pos_label="case", **QUICK)
    scores = [f1_score(status, each, pos_label="case") for each in labels]
    assert result.difference == pytest.approx(scores[0] - scores[1])


def test_probabilities_of_classes_are_one_model():
    proba = np.random.default_rng(0).dirichlet(np.ones(3), size=(2, 60))
    result = compare(*proba, "neg_log_loss", y_true=np.arange(60) % 3)
    assert result.method == "paired_t" and result.details["configs"] == [0, 0]


def test_searches_bring_their_metric():
    other = fitted(grid=(3, 4))
    result = compare(OURS, other, **QUICK)
    assert result.metric == "roc_auc" and result.method == "bbc_difference"
    assert result.names == ("the search (first)", "the search (second)")
    assert compare(OURS, other, "accuracy", **QUICK).metric == "accuracy"
    named = compare(OURS, other, names=("mine", "yours"), **QUICK)
    assert named.names == ("mine", "yours") and "mine" in str(named)


def test_other_searches_have_scores_per_fold():
    plain = fitted(GridSearchCV, grid=(3, 4))
    result = compare(OURS, plain)
    assert result.method == "corrected_resampled_t"
    assert result.names[1] == "the second search's winner"
    assert "OOFPredictions.from_search(search, X, y) fits it again" in result.details["notes"][-1]
    assert compare(plain, PLAIN).metric == "roc_auc"


def test_an_array_beside_a_search():
    result = compare(OURS, X[:, 0], **QUICK)
    assert result.method == "bbc_difference" and result.names == ("the search", "second")
    turned = compare(X[:, 0], OURS, **QUICK)
    assert turned.difference == pytest.approx(-result.difference)
    by_accuracy = fitted(scoring="accuracy")
    assert compare(by_accuracy, Y, **QUICK).details["scores"][1] == 1
    with pytest.raises(ValueError, match="holds 7, which is not a class"):
        compare(by_accuracy, np.full(60, 7))


# --- what is refused ---

INTERVAL, ONE = OURS.ci_, X[:, 0]
ROLLED = pd.Series(Y, index=np.roll(np.arange(60), 1))
LABELLED = pd.Series(Y, [f"patient {k}" for k in range(60)])
OTHER_LABELS = LABELLED.add_prefix("former ")
SEVERAL = fitted(GridSearchCV, scoring=["roc_auc", "accuracy"], refit=False)
CUSTOM = fitted(GridSearchCV, scoring=lambda estimator, X, y: 0.5)
ERRORS = [
    fitted(scoring=make_scorer(mean_absolute_error, greater_is_better=sign))
    for sign in (True, False)
]


@pytest.mark.parametrize(
    ("first", "second", "options", "message"),
    [
        (Y, Y[:50], {"scoring": "f1", "y_true": Y}, r"second has shape \(50,\), but there are 60"),
        (Y, Y, {"scoring": "accuracy"}, r"Without y_true .* scoring='accuracy'"),
        (Y, Y, {"pos_label": 1}, "pos_label=1 names a class, but without y_true"),
        (Y, 1 - Y, {"scoring": "f1", "y_true": Y, "pos_label": 2}, "pos_label=2 is not a class"),
        (OOF, Y, {"scoring": "f1", "pos_label": 1}, "pos_label may be given with arrays only"),
        (OOF, Y, {"scoring": "roc_auc", "y_true": Y}, "y_true may be given with arrays only"),
        (Y, Y, {"scoring": Y}, r"the third argument is an array\. .* y_true=y\)"),
        (Y, Y, {"y_true": Y}, "scoring must be given"),
        (OOF, Y, {}, "scoring must be given"),
        (OOF, Y[:50], {"scoring": "roc_auc"}, r"second has shape \(50,\)"),
        (Y, ROLLED, {"scoring": "accuracy", "y_true": pd.Series(Y)},
         "same index in another order"),
        (OTHER_LABELS, Y, {"scoring": "accuracy", "y_true": LABELLED},
         "y_true and first have different indexes"),
        (Y, DummyClassifier(), {"scoring": "accuracy"}, r"search.compare\(baseline=estimator"),
        (OURS, DummyClassifier, {}, "second is the class DummyC"),
        (OURS, BBCSearchCV(TREE, {}), {}, "Fit the search first"),
        (INTERVAL, INTERVAL, {}, "two intervals overlap does not show"),
        (OURS, INTERVAL, {}, "second is a ConfidenceInterval"),
        (0.8, 0.7, {}, "first must be predictions .* got 0.8.*y_true=y"),
        ("roc_auc", OURS, {"scoring": PLAIN}, "got 'roc_auc'. The third argument"),
        (OURS, PLAIN, {"scoring": ONE}, r"name of a metric.* of shape \(60,\)"),
        (OURS, ONE, {"names": ["a", "b", "c"]}, "names must be two names, such as .* got "),
        (OURS, ONE, {"method": "ttest"}, "Did you mean 'paired_t'"),
        (OURS, ONE, {"method": "bbc_diff"}, "method of comparison 'bbc_diff'.*Known names"),
        (OURS, ONE, {"method": BBCDifference}, r"instance, BBCDifference\(\)"),
        (ONE, A, {"scoring": roc_auc_score, "y_true": Y}, "scoring='roc_auc'"),
        (PLAIN, ONE, {}, r"from_search\(search, X, y\) makes those"),
        (PLAIN, OURS, {"scoring": "accuracy"}, r"from_search\(search, X, y\) fits"),
        (PLAIN, OURS, {"method": "bbc_difference"}, r"OOFPredictions\.from_search\(search, X, y"),
        (PLAIN, PLAIN, {}, "Both sides are the same object"),
        (SEVERAL, SEVERAL, {}, r"has the metrics \['roc_auc', 'accuracy'\]"),
        (CUSTOM, PLAIN, {}, "selects by"),
        (OURS, ERRORS[0], {}, "first search selects by roc_auc, the second by mean_abs"),
        (*ERRORS, {}, "selects by mean_absolute_error, the second by mean_abs"),
    ],
)  # fmt: skip
def test_refusals(first, second, options, message):
    with pytest.raises(ValueError, match=message):
        compare(first, second, **options)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: compare(OURS, ONE, confidence=1), TypeError, r"mean compare\(confidence_level="),
        (lambda: compare(ONE, ONE, "r2", Y), TypeError, "only first, second, scoring by position"),
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
