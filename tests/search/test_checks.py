"""What a search refuses, and how it says so, before it costs anything."""

import inspect
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import (
    cohen_kappa_score,
    fbeta_score,
    log_loss,
    make_scorer,
    recall_score,
    roc_auc_score,
)
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut

from sklearn_bbc import BBCSearchCV
from sklearn_bbc._scorers import scorer_named, scorer_names
from sklearn_bbc.exceptions import BBCWarning, IntervalWarning
from sklearn_bbc.intervals import BBC, NestedCV
from sklearn_bbc.recording._checks import config_position
from sklearn_bbc.selection import OneStandardError, SensitivityAt
from tests.search.small_search import GRID, TREE, X, Y, search

PARAMS = [
    {"C": 1, "kind": "a"},
    {"C": 1, "kind": "b"},
    {"C": np.array([1, 2])},
    {"model": Ridge()},
]


def test_param_distributions_is_given_its_name_here():
    with pytest.raises(TypeError, match=r"Distributions are given as param_grid, .* n_iter"):
        BBCSearchCV(TREE, param_distributions=GRID, n_iter=3)
    with pytest.raises(TypeError, match="BBCSearchCV has no parameter 'grid'"):
        BBCSearchCV(TREE, grid=GRID)
    parameters = list(inspect.signature(BBCSearchCV).parameters)
    assert parameters[:3] == ["estimator", "param_grid", "n_iter"]
    assert clone(pickle.loads(pickle.dumps(search()))).get_params()["cv"] == 5


class NeverFitted(ClassifierMixin, BaseEstimator):
    def __init__(self, depth=1):
        self.depth = depth

    def fit(self, X, y):
        raise AssertionError("a wrong input must be told before the first fit")


DAYS = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]")[Y]
SEVERAL = ["roc_auc", "f1"]
FIRST = "For multi-metric scoring, the parameter refit must be set to a scorer key"


@pytest.mark.parametrize(
    ("options", "y", "words"),
    [
        ({"cv": KFold}, Y, r"the class: pass KFold\(n_splits=5\)"),
        ({"cv": LeaveOneOut}, Y, r"the class: pass LeaveOneOut\(\)"),
        ({"cv": [1, 2, 3]}, Y, r"list of pairs \(train, test\), .* it holds 1"),
        ({"cv": (X, Y)}, Y, r"list\(splitter\.split\(X, y\)\); it holds an array of shape"),
        ({"scoring": "specificity"}, Y, r"make_scorer\(recall_score, pos_label=0\) .*Sensitivity"),
        ({"scoring": ["roc_auc", "npv"]}, Y, r"'npv' is unknown.*precision_score, pos_label=0"),
        ({"scoring": "f2"}, Y, r"make_scorer\(fbeta_score, beta=2\)\.$"),
        ({"scoring": "my own"}, Y, r"unknown\. Common ones are 'roc_auc'.*get_scorer_names"),
        ({"scoring": roc_auc_score}, Y, "takes y_true and y_pred.*scoring='roc_auc'"),
        ({"scoring": {"a": log_loss}}, Y, "log_loss takes .*scoring='neg_log_loss'"),
        ({"scoring": cohen_kappa_score}, Y, r"Pass make_scorer\(cohen_kappa_score\)"),
        ({"scoring": make_scorer(roc_auc_score, needs_proba=True)}, Y, "method='predict_proba'"),
        (
            {"scoring": make_scorer(roc_auc_score, needs_threshold=True)},
            Y,
            "response_method=.'decision_function'",
        ),
        (
            {"scoring": make_scorer(recall_score, poslabel=0)},
            Y,
            "'poslabel', which recall_score does not take. Did you mean 'pos_label'",
        ),
        ({"ci": 0.9}, Y, r"BBC\(confidence_level=0\.9\)"),
        ({"ci": True}, Y, r"BBC\(confidence_level=0\.95\)"),
        ({"ci": (0.9, 0.95)}, Y, r"method 0\.9\. The level is a parameter"),
        ({"ci": "bcc"}, Y, "Did you mean 'bbc'"),
        ({"ci": "roc_auc"}, Y, "is a metric, not an interval method: pass scoring='roc_auc'"),
        ({"ci": BBC(random_state="a")}, Y, "random_state must be .* got 'a'"),
        ({"scoring": SEVERAL}, Y, rf"{FIRST}.*got True"),
        ({"scoring": SEVERAL, "refit": "auc"}, Y, rf"{FIRST}.*got 'auc'\. Did you mean 'roc_auc'"),
        ({"refit": OneStandardError("alpha")}, Y, "complexity names the parameter 'alpha'"),
        (
            {"refit": OneStandardError("alpha"), "n_iter": 2},
            Y,
            "complexity names the parameter 'alpha'",
        ),
        ({}, DAYS, "y holds dates"),
        ({}, list(DAYS.astype(object)), "y holds dates"),
        ({}, pd.DataFrame({"day": DAYS}), "y holds dates"),
        ({}, pd.Series(DAYS), "y holds dates"),
    ],
)  # fmt: skip
def test_a_wrong_input_is_refused_before_the_first_fit(options, y, words):
    with pytest.raises(ValueError, match=words):
        search(NeverFitted(), {"depth": [1, 2]}, error_score="raise", **options).fit(X, y)


def test_a_rule_that_cannot_order_some_value_is_refused_before_the_first_fit():
    refused = search(NeverFitted(), {"depth": [1, None]}, refit=OneStandardError("depth"))
    with pytest.raises(ValueError, match="depth of configuration 1 is None"):
        refused.fit(X, Y)


def test_dates_are_no_target_of_a_record_only():
    scores = search(TREE, {"max_depth": [1]}, ci=[], scoring="accuracy", record=False)
    assert scores.fit(X, DAYS).best_score_ > 0.5


# What is said of a finished search, one line for each slip.
REFUSED = [
    ("interval", (), {"confidence_level": 0.9}, TypeError, r"interval\(BBC\(confidence_level="),
    ("interval", (), {"seed": 0}, TypeError, "no parameter 'seed'. Its parameters are config"),
    ("interval", (), {"randomstate": 0}, TypeError, r"interval\(BBC\(random_state="),
    ("interval", (), {"scorings": "f1"}, TypeError, r"Did you mean interval\(scoring="),
    ("interval", ("roc_auc",), {}, ValueError, "pass scoring='roc_auc'"),
    ("interval", ("bcc",), {}, ValueError, "Did you mean 'bbc'"),
    ("interval", (0.9,), {}, ValueError, r"BBC\(confidence_level=0\.9\)"),
    ("interval", (), {"scoring": recall_score}, ValueError, "scoring='recall'"),
    ("interval", (), {"scoring": SEVERAL}, ValueError, "several metrics call once for each"),
    ("threshold", (0.5,), {}, ValueError, r"fixed threshold goes to thresholds=\[0\.5\]"),
    ("threshold", (None,), {}, ValueError, "must be what the threshold is chosen by.*got None"),
    ("threshold", ("roc_auc",), {}, ValueError, "same at every threshold"),
    ("threshold", ("sensitivity",), {}, ValueError, "every sample is positive.*SensitivityAt"),
    ("threshold", ("Specificity",), {}, ValueError, "every sample is negative.*SensitivityAt"),
    ("threshold", (SensitivityAt,), {}, ValueError, "the class SensitivityAt: pass an object"),
    ("threshold", ({"fp": 1},), {}, ValueError, r"cost matrix such as \[\[0, 1\], \[5, 0\]\]"),
    ("threshold", ("f1", 0.5), {}, TypeError, "threshold takes only scoring by position"),
    ("threshold", ("f1",), {"thresholds": 0.5}, ValueError, r"threshold t is thresholds=\[t\]"),
    ("threshold", ("f1",), {"confidence": 0.9}, TypeError, r"method=BBC\(confidence_level="),
    ("compare", (search(),), {}, ValueError, "pass the data .* Or fit it first"),
    ("compare", (TREE, X), {}, ValueError, "pass the data that the search was fitted on"),
    ("compare", ("dummy",), {}, ValueError, r"such as DummyClassifier\(\).* got 'dummy'"),
    ("compare", (LogisticRegression,), {}, ValueError, "got the class LogisticRegression"),
    ("compare", (X[:, 0],), {}, ValueError, r"array of shape \(90,\).*compare\(search, pred"),
    ("compare", (0,), {"method": "delong"}, ValueError, "Did you mean 'paired_delong'"),
    ("compare", (0,), {"alpha": 0.1}, TypeError, "no parameter 'alpha'.*confidence_level"),
    ("tied_with_best", ("cvc",), {}, ValueError, r"tied_with_best\(method='cvc'\)"),
    ("tied_with_best", (), {"confidence": 0.9}, TypeError, "confidence_level="),
    ("optimism_curve", (), {"n_bootstrap": 9}, TypeError, r"method=BBC\(n_bootstraps="),
    ("optimism_curve", (5,), {}, TypeError, "no arguments by position; 5 is too much"),
    ("table", ("csv",), {}, TypeError, r"to_latex\(\).*to_frame\(\)\.to_csv\(path\)"),
    ("table", (), {"style": "latex"}, TypeError, r"no parameter 'style'.*to_latex\(\)"),
    ("summary", ("md",), {}, ValueError, "Did you mean 'markdown'"),
    ("summary", (), {"format": "latex"}, TypeError, "parameters are style"),
    ("report", ("x.pdf",), {}, ValueError, r"must end in \.html, got 'x\.pdf'"),
    ("report", ("no/such/x.html",), {}, FileNotFoundError, "There is no folder .*such"),
    ("report", (".",), {}, IsADirectoryError, r"\. is a folder"),
    ("report", ("x.html",), {"threshold": 0.5}, ValueError, r"thresholds=\[0\.5\]"),
]


@pytest.fixture(scope="module")
def finished():
    return search().fit(X, Y)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("method", "args", "kwargs", "kind", "words"), REFUSED)
def test_a_finished_search_says_what_was_meant(
    finished, method, args, kwargs, kind, words, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=words):
        getattr(finished, method)(*args, **kwargs)


def test_a_report_is_refused_before_anything_is_computed(finished, tmp_path, monkeypatch):
    monkeypatch.setattr(type(finished), "_report_facts", lambda self: pytest.fail("computed"))
    for path in ("x.pdf", "x.md", "none/x.html", ""):
        with pytest.raises((ValueError, OSError)):
            finished.report(tmp_path / path)
    assert not list(tmp_path.iterdir())


TEXT = np.where(Y == 1, "yes", "no")


@pytest.mark.parametrize(
    "y",
    [TEXT, TEXT.tolist(), TEXT.astype(object), pd.Series(TEXT), pd.Series(TEXT, dtype="category"),
     TEXT[:, None]],
    ids=lambda y: f"{type(y).__name__} {np.ndim(y)}",
)  # fmt: skip
def test_labels_in_words_and_a_metric_of_class_1_are_refused_before_the_search(y):
    advice = r"recall has pos_label=1, .*make_scorer\(recall_score, pos_label='yes'\)"
    with pytest.raises(ValueError, match=advice):
        stopped(["accuracy", "recall"], y, refit="recall")


class Started(Exception):
    """The search passed its checks."""


def stopped(scoring, y, **params):
    class Stopping(BBCSearchCV):
        def _run_search(self, evaluate_candidates):
            raise Started

    Stopping(TREE, GRID, scoring=scoring, **params).fit(X, y)


THREE = np.arange(len(Y)) % 3


@pytest.mark.parametrize(
    ("scoring", "y", "message"),
    [
        ("roc_auc", THREE, "roc_auc is for two classes, but the target has 3. .*'roc_auc_ovr' or"),
        (make_scorer(roc_auc_score, response_method="predict_proba"), THREE, "'roc_auc_ovr'"),
        ({"a": "accuracy", "b": "roc_auc"}, THREE.astype(str), "'roc_auc_ovr'"),
        ("f1", THREE, "Use scoring='f1_macro' or 'f1_weighted'"),
        (make_scorer(fbeta_score, beta=2), THREE,
         r"make_scorer\(fbeta_score, average='macro', beta=2\)"),
        ("average_precision", TEXT, r"response_method=\('dec.*'predict_proba'\), pos_label='yes'"),
        ("average_precision", Y + 2, r"average_precision has pos_label=1, but .* \[2, 3\]"),
        ("neg_brier_score", TEXT,
         r"make_scorer\(brier_score_loss, greater_is_better=False, .*pos_label='yes'\)"),
        ("r2", TEXT, "r2 cannot be computed for the classes 'no', 'yes'.*Give the classes as num"),
    ],
)  # fmt: skip
def test_metrics_that_cannot_take_the_classes_are_refused_before_the_search(scoring, y, message):
    with pytest.raises(ValueError, match=message):
        stopped(scoring, y, refit=False)
    with warnings.catch_warnings():  # they fail in every fold of a search of scikit-learn
        warnings.simplefilter("ignore")
        theirs = GridSearchCV(TREE, {"max_depth": [1]}, scoring=scoring, refit=False)
        theirs = theirs.fit(X, y).cv_results_
    name = "b" if isinstance(scoring, dict) else "score"
    assert np.isnan(theirs[f"mean_test_{name}"]).all()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("scoring", sorted(scorer_names()))
def test_metrics_that_a_search_of_scikit_learn_can_score_are_not_refused(scoring):
    for y in (Y, Y == 1, 2 * Y - 1, Y + 2, TEXT, THREE, THREE.astype(str)):
        try:
            stopped(scoring, y)
        except Started:
            continue
        except ValueError as error:
            refused = str(error)
        if "selected by" in refused:  # numbers of calibration: neither more nor less is better
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                scorer_named(scoring)(TREE.fit(X, y), X, y)
            except (ValueError, TypeError):
                continue
        pytest.fail(f"{scoring} of the classes {np.unique(y)} is refused: {refused}")


def test_a_regressor_and_a_function_of_ones_own_are_left_alone():
    def share(y_true, y_pred, pos_label=1):
        return np.mean(y_true == y_pred)

    with pytest.raises(Started):
        stopped(make_scorer(share), TEXT)
    with pytest.raises(Started):
        stopped(make_scorer(recall_score, pos_label="yes"), TEXT)
    with pytest.raises(Started):
        stopped(lambda estimator, X, y: 0.5, THREE)


@pytest.mark.parametrize("ci", ["nested_cv", NestedCV(), ["bbc", "NestedCV"]])
def test_a_method_that_trains_is_refused_before_the_search(ci):
    with pytest.raises(ValueError, match=r"NestedCV trains models.*NestedCV\(\)\.estimate"):
        search(ci=ci).fit(None)


# ---------------------------------------------------------------------- one configuration
@pytest.mark.parametrize(
    ("config", "position"),
    [
        (0, 0),
        (np.int64(3), 3),
        (np.uint8(1), 1),
        ({"C": 1, "kind": "b"}, 1),
        ({"kind": "a"}, 0),
        (PARAMS[3], 3),
        ({"model": PARAMS[3]["model"]}, 3),
        ({"C": np.array([1, 2])}, 2),
    ],
)
def test_a_position_or_parameters_that_only_one_has(config, position):
    assert config_position(config, PARAMS) == position


@pytest.mark.parametrize("config", [True, np.True_, -1, 4, 1.0, np.float64(1), "1", [1], (0,)])
def test_what_is_no_position(config):
    with pytest.raises(
        ValueError, match=r"not a configuration .* known are 0 to 3, .* best_params_"
    ):
        config_position(config, PARAMS)


def test_parameters_of_none_or_of_several():
    with pytest.raises(ValueError, match=r"none has \{'C': 7\}\. Give all parameters"):
        config_position({"C": 7}, PARAMS)
    with pytest.raises(ValueError, match=r"none has .*Ridge"):
        config_position({"model": Ridge()}, PARAMS)  # another object
    with pytest.raises(ValueError, match=r"the 2 configurations 0, 1 all have \{'C': 1\}"):
        config_position({"C": 1}, PARAMS[:2])
    with pytest.raises(ValueError, match=r"the 9 configurations 0, 1, 2, 3, 4, \.\.\. all have"):
        config_position({}, [{}] * 9)


def test_the_best_parameters_name_the_best_configuration():
    fitted = search().fit(X, Y)
    by_dict, by_position = (fitted.interval(config=c) for c in (fitted.best_params_, 0))
    assert fitted.best_index_ == 0
    assert (by_dict.estimate, tuple(by_dict)) == (by_position.estimate, tuple(by_position))
    twice = search(grid=[{"max_depth": [2]}, {"max_depth": [2]}]).fit(X, Y)
    assert twice.interval(config=twice.best_params_).details["winner"] == 0
    with pytest.raises(ValueError, match="0, 1 all have"):
        twice.interval(config={"max_depth": 2})


def test_a_name_of_another_metric_is_taken_for_true_as_scikit_learn_does():
    named = search(refit="f1")
    with pytest.warns(
        BBCWarning, match="refit='f1' is not the metric of this search: scoring='ro"
    ):
        named.fit(X, Y)
    usual = search().fit(X, Y)
    assert named.best_index_ == usual.best_index_ and named.ci_ == usual.ci_
    assert named.summary() == usual.summary()


@pytest.mark.parametrize(
    ("ci", "message"),
    [
        (BBC(confidence_level=0.05), "Did you mean 0.95"),
        ([BBC(confidence_level=0.05, n_bootstraps=1000), "bbcf"], "Did you mean 0.95"),
    ],
)
def test_a_warning_on_a_parameter_is_given_once_and_before_the_search(ci, message):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        options = {"scoring": ["accuracy", "roc_auc"], "refit": "roc_auc", "ci": ci}
        search(grid={"max_depth": [1, 4]}, **options).fit(X, Y)
    assert [str(each.message).count(message) for each in caught].count(1) == 1
    with pytest.warns(IntervalWarning, match=message), pytest.raises(Started):
        stopped("accuracy", Y, ci=ci)
