"""What a method is given, what it needs, and what it refuses."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import make_scorer, recall_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.tree import DecisionTreeClassifier

from benchmarks.published.replication import Drop
from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.comparison import Friedman
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import (
    BBC,
    BBCF,
    NestedCV,
    Redraw,
    as_interval,
    bbc,
    holdout_interval,
    optimism_curve,
    recommend,
)
from sklearn_bbc.intervals._base import _REGISTRY
from sklearn_bbc.search import DropClearlyWorse
from sklearn_bbc.selection import SensitivityAt


def test_searches_in_the_place_of_predictions():
    tree, grid, y = (
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2]},
        np.arange(30) % 2,
    )
    X = np.random.default_rng(0).normal(size=(30, 2))
    ours = BBCSearchCV(tree, grid, ci=[])
    with pytest.raises(ValueError, match=r"got .*\. Fit the search first"):
        BBC().estimate(ours, "accuracy")
    for arguments in ((), ("accuracy",)):
        with pytest.raises(ValueError, match=r"got .* pass search\.oof_\."):
            BBC().estimate(ours.fit(X, y), *arguments)
    plain = GridSearchCV(tree, grid).fit(X, y)
    with pytest.raises(ValueError, match=r"GridSearchCV.* OOFPredictions\.from_search\(search\)"):
        BBC().estimate(plain)
    with pytest.raises(ValueError, match=r"got \[1, 2\]\. Make one with OOFPredictions"):
        BBC().estimate([1, 2], "accuracy")


ARRAYS = (np.arange(40) % 2, np.random.default_rng(0).normal(size=(40, 3)))
ONE = ARRAYS[1][:, 0]
OOF = OOFPredictions(y_true=ARRAYS[0], y_pred=ARRAYS[1], fold=np.arange(40) // 8)
MODEL = DecisionTreeClassifier()
AUC = "roc_auc"


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: BBC(alpha=0.05), TypeError, r"BBC\(confidence_level=.* 0\.95 for alpha=0\.05"),
        (lambda: BBC(seed=0), TypeError, r"Did you mean BBC\(random_state="),
        (lambda: BBC(n_boot=10), TypeError, r"Did you mean BBC\(n_bootstraps="),
        (lambda: BBC(level=0.9), TypeError, r"Did you mean BBC\(confidence_level="),
        (lambda: BBC(0.9), TypeError, "no arguments by position; 0.9 is too much.*confidence_le"),
        (lambda: BBCF(n_bootstrap=9), TypeError, r"Did you mean BBCF\(n_bootstraps="),
        (lambda: NestedCV(k=3), TypeError, "NestedCV has no parameter 'k'. Its parameters are"),
        (lambda: NestedCV(cv=KFold).estimate(MODEL, *ARRAYS[::-1]), ValueError, "pass KFold"),
        (lambda: NestedCV().estimate(MODEL, *ARRAYS, metric=AUC), TypeError, r"ate\(scoring="),
        (lambda: Friedman(level=0.9), TypeError, "Friedman has no parameter 'level'"),
        (lambda: SensitivityAt(sensitivity=0.9), TypeError, "keeps the specificity"),
        (lambda: DropClearlyWorse(alpha=0.1), TypeError, r"DropClearlyWorse\(confidence_level="),
        (lambda: BBC().estimate(OOF, roc_auc_score), ValueError, "scoring='roc_auc'"),
        (lambda: BBC(n_bootstraps=1e3).estimate(OOF, AUC), ValueError, "n_bootstraps=1000"),
        (lambda: BBC(n_bootstraps=10.5).estimate(OOF, AUC), ValueError, "got 10.5: with fewer"),
        (lambda: BBC(n_jobs=1.0).estimate(OOF, AUC), ValueError, "Write n_jobs=1"),
        (lambda: BBCF().estimate(OOF, "acurracy"), ValueError, "Did you mean 'accuracy'"),
        (lambda: bbc(*ARRAYS, roc_auc_score), ValueError, "Pass the name, scoring='roc_auc'"),
        (lambda: bbc(*ARRAYS, AUC, fold=5), ValueError, r"list\(cv\.split\(X, y\)\), got 5"),
        (lambda: bbc(*ARRAYS, AUC, fold=KFold(5)), ValueError, r"got KFold\(n_splits=5"),
        (lambda: bbc(*ARRAYS, AUC, cv=5), TypeError, r"Did you mean bbc\(fold="),
        (lambda: bbc(*ARRAYS, AUC, alpha=0.1), TypeError, r"bbc\(confidence_level="),
        (lambda: bbc(*ARRAYS, AUC, 0.9), TypeError, "only y_true, y_pred, scoring by position"),
        (lambda: bbc(ARRAYS[1], ARRAYS[0], AUC), ValueError, "in each other's place"),
        (lambda: bbc(ONE, ARRAYS[0], AUC), ValueError, "classes in y_true.*each other's place"),
        (lambda: bbc(ONE, ARRAYS[1], "accuracy"), ValueError, "a metric of values such as 'r2'"),
        (lambda: bbc(MODEL, ONE, AUC), ValueError, r"y_true must be an array.*predict_proba"),
        (lambda: bbc(OOF, ONE, AUC), ValueError, r"BBC\(\)\.estimate\(oof, 'roc_auc'\)"),
        (lambda: holdout_interval(MODEL, ARRAYS[1], ARRAYS[0]), ValueError, "y_true must be an a"),
        (lambda: holdout_interval(MODEL.fit, ONE, AUC), ValueError, "holdout_interval takes the"),
        (lambda: holdout_interval(ARRAYS[1], *ARRAYS), ValueError, "got an array of shape"),
        (lambda: holdout_interval(ARRAYS[1], ARRAYS[0], AUC), ValueError, "each other's place"),
        (lambda: holdout_interval(ONE, ARRAYS[0], AUC), ValueError, "each other's place"),
        (lambda: holdout_interval(*ARRAYS, AUC), ValueError, "has 3 columns, but .* 2 classes"),
        (lambda: holdout_interval(ARRAYS[0], MODEL, AUC), ValueError, "y_pred must be an array"),
        (lambda: holdout_interval(ARRAYS[0], ONE, recall_score), ValueError, "scoring='recall'"),
        (
            lambda: holdout_interval(ARRAYS[0], ONE, AUC, method="DeLong"),
            ValueError,
            "Did you mean 'delong'",
        ),
        (
            lambda: holdout_interval(
                ARRAYS[0], ONE, AUC, groups=ARRAYS[0], group_bootstrap="two_stage"
            ),
            ValueError,
            "Did you mean 'two-stage'",
        ),
        (lambda: recommend(*ARRAYS), ValueError, r"oof must be .* got an array of shape \(40,\)"),
        (lambda: recommend(OOF, AUC, quick=True), TypeError, "parameters are dynamic, fast"),
        (lambda: optimism_curve(ARRAYS[1], AUC), ValueError, "oof must be an OOFPredictions"),
        (lambda: optimism_curve(OOF, AUC, seed=1), TypeError, r"optimism_curve\(random_state="),
    ],
)  # fmt: skip
def test_what_was_probably_meant(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_the_metric_must_be_given():
    oof = OOFPredictions(y_true=[0, 1, 0, 1], y_pred=[0, 1, 1, 1])
    with pytest.raises(
        ValueError, match=r"scoring must be given, .* BBC\(\)\.estimate\(oof, 'roc"
    ):
        BBC().estimate(oof)


@pytest.mark.few_draws
def test_few_draws_are_told():
    y = np.tile([0, 1], 20)
    oof = OOFPredictions(y_true=y, y_pred=np.random.default_rng(0).normal(size=40) + y)
    for n_bootstraps, told in ((20, True), (199, True), (200, False)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            BBC(n_bootstraps=n_bootstraps, random_state=0).estimate(oof, "roc_auc")
        messages = [str(each.message) for each in caught if each.category is IntervalWarning]
        assert messages == [message for message in messages if "n_bootstraps=" in message]
        assert bool(messages) == told
        if told:
            assert f"n_bootstraps={n_bootstraps}: the bounds of so few draws" in messages[0]


def test_a_mean_over_samples_is_asked_for_where_it_is_needed():
    class Pointwise(BBC):
        requires = frozenset({"predictions", "pointwise"})

    oof = OOFPredictions(y_true=np.arange(20) % 2, y_pred=np.arange(20) % 2)
    assert Pointwise(n_bootstraps=20).estimate(oof, "accuracy").estimate == 1
    with pytest.raises(ValueError, match=r"Pointwise needs a metric .* mean over .* got f1"):
        Pointwise(n_bootstraps=20).estimate(oof, "f1")


def test_needs_that_nobody_checks_are_refused_when_the_class_is_defined():
    with pytest.raises(ValueError, match=r"Asks\.requires holds \['predicitons'\].*'predictions'"):

        class Asks(BBC):
            requires = frozenset({"predicitons", "folds"})


def test_needs_are_checked_and_what_meets_them_passes():
    y, pred = np.arange(24) % 2, np.random.default_rng(0).random(24)
    plain = {"y_true": y, "y_pred": pred}
    partial = make_scorer(roc_auc_score, max_fpr=0.5, response_method="predict_proba")
    cases = [
        ("folds", {}, "roc_auc", "needs at least 2 folds, got"),
        ("folds", {"fold": np.zeros(24, int)}, "roc_auc", "needs at least 2 folds, got 1"),
        ("folds", {"fold": y}, "accuracy", None),
        ("binary", {"fold": y}, "roc_auc", None),
        ("auc", {}, "roc_auc", None),
        ("auc", {}, "average_precision", "area under the whole ROC curve, got the metric average"),
        ("auc", {}, partial, "area under the whole ROC curve"),
        ("ungrouped", {}, "roc_auc", None),
        ("ungrouped", {"groups": np.arange(24) // 2}, "roc_auc", "predictions have groups"),
        ("ungrouped", {"sample_weight": pred}, "roc_auc", None),
        ("unweighted", {}, "roc_auc", None),
        ("unweighted", {"sample_weight": pred}, "roc_auc", "predictions have sample_weight"),
        ("unweighted", {"groups": np.arange(24) // 2}, "roc_auc", None),
        ("pointwise", {}, "neg_brier_score", None),
    ]
    for need, more, scoring, message in cases:

        class Needs(BBC):
            requires = frozenset({"predictions", need})

        oof = OOFPredictions(**plain, **more)
        if scoring == "accuracy":
            oof = OOFPredictions(y_true=y, y_pred=y, **more)
        method = Needs(n_bootstraps=200, random_state=0)
        if message is None:
            assert method.estimate(oof, scoring).method == "bbc"
        else:
            with pytest.raises(ValueError, match=f"Needs .*{message}"):
                method.estimate(oof, scoring)


def test_only_fold_scores_are_no_predictions_and_no_means_over_samples():
    class OfFolds(BBCF):
        requires = frozenset({"folds", "pointwise"})

    scores = {"dice": np.ones((5, 2)), "accuracy": np.ones((5, 2))}
    alone = OOFPredictions(y_true=[], classes=None, fold_scores=scores)
    assert BBCF().estimate(alone, "dice").metric == "dice"
    with pytest.raises(ValueError, match="OfFolds needs a metric that is a mean over samples"):
        OfFolds().estimate(alone, "accuracy")
    with pytest.raises(ValueError, match="BBC needs out-of-fold predictions, but there are only"):
        BBC().estimate(alone, "accuracy")
    for method, scoring in ((BBC(), "dice"), (BBCF(), "iou"), (BBCF(), ["dice"]), (BBCF(), 3)):
        with pytest.raises(ValueError) as caught:
            method.estimate(alone, scoring)
        assert "needs out-of-fold predictions" not in str(caught.value)


def test_parameters_are_checked_before_anything_else():
    oof = OOFPredictions(y_true=[0, 1, 0, 1], y_pred=[0, 1, 1, 1])
    for wrong, message in (
        ({"confidence_level": 2}, "strictly between 0 and 1"),
        ({"n_bootstraps": 19}, r"n_bootstraps must be .* at least 20.* 1000 or more"),
        ({"n_bootstraps": 2.5}, "n_bootstraps must be an integer"),
        ({"degenerate": "drop"}, r"degenerate must be an object such as Redraw\(\)"),
        ({"degenerate": Redraw(cap=0)}, "cap must be"),
    ):
        with pytest.raises(ValueError, match=message):
            BBC(**wrong).estimate(oof, "accuracy")
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        BBCF(confidence_level=2).estimate(oof, "accuracy")


def test_labels_and_classes_are_looked_at_before_the_metric_is():
    with pytest.raises(ValueError, match="7"):
        BBC().estimate(OOFPredictions(y_true=[0, 1, 0, 1], y_pred=[0, 7, 1, 1]), "accuracy")
    one = OOFPredictions(y_true=[1, 1, 1], y_pred=[0.1, 0.2, 0.3], classes=[0, 1])
    with pytest.raises(UndefinedIntervalError, match="every sample is of class 1"):
        BBC().estimate(one, "roc_auc")


def test_the_policy_and_its_losses_are_told():
    y = np.repeat([0, 1, 2], [45, 4, 1])
    oof = OOFPredictions(y_true=y, y_pred=y)
    method = BBC(n_bootstraps=400, random_state=0, degenerate=Drop(max_share=1))
    details = method.estimate(oof, "f1_macro").details
    assert details["n_dropped"] > 0 and details["n_lacking_class"] == 400 - details["n_dropped"]
    kept = 400 - details["n_dropped"]
    assert any(f"{kept} of {kept} draws lack class 2" in note for note in details["notes"])
    y = np.repeat([0, 1], [48, 2])
    oof = OOFPredictions(y_true=y, y_pred=y)
    one, two = (
        BBC(n_bootstraps=200, random_state=0, degenerate=Redraw(min_out_of_bag=least))
        .estimate(oof, "f1").details["n_lacking_class"] for least in (1, 2)
    )  # fmt: skip
    assert one == 0 < two


HUGE = OOFPredictions(
    y_true=np.linspace(-1, 1, 24),
    y_pred=np.linspace(-1, 1, 48).reshape(24, 2) * 1e300,
    fold=np.arange(24) % 4,
    classes=None,
)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("name", sorted(_REGISTRY))
def test_overflow_brings_no_warning_of_numpy(name, n_jobs):
    """Scores of 1e300 have squares beyond all numbers; threads have settings of their own."""
    method = as_interval(name)
    given = {"n_bootstraps": 200, "random_state": 0, "n_jobs": n_jobs, "form": "normal"}
    method.set_params(**{k: v for k, v in given.items() if k in method.get_params()})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", IntervalWarning)
        try:
            result = method.estimate(HUGE, "neg_mean_absolute_error")
        except ValueError as error:
            assert len(str(error)) > 30
            return
    if not np.isfinite([result.estimate, *result]).all():
        assert result.details["reason"]


@pytest.mark.parametrize("method", [BBC(n_bootstraps=200, random_state=0), BBCF()])
def test_a_scorer_of_the_user_is_called_with_the_settings_of_the_user(method):
    def overflowing(estimator, X, y):
        return float(np.float64(1e300) * 1e10 > 0) + np.abs(estimator.predict(X) - y).mean()

    y = np.arange(24.0)
    oof = OOFPredictions(y_true=y, y_pred=y[:, None] + [0.5, 1], fold=y % 6, classes=None)
    with pytest.warns(RuntimeWarning, match="overflow"):
        method.estimate(oof, overflowing)
    with warnings.catch_warnings(), np.errstate(over="ignore"):
        warnings.simplefilter("error", RuntimeWarning)
        method.estimate(oof, overflowing)
