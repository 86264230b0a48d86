"""Metrics from every kind of scorer."""

import pickle
import re

import numpy as np
import pytest
import sklearn.metrics
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import check_scoring, fbeta_score, get_scorer, log_loss, make_scorer

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import Metric, as_metric
from sklearn_bbc.predictions._predictions import with_fields
from tests.made import made


def test_names():
    metric = as_metric("neg_log_loss")
    assert metric.name == "neg_log_loss"
    assert metric.score_func is log_loss
    assert metric.response_method == ("predict_proba",)
    assert metric.sign == -1
    assert metric.bounds == (-np.inf, 0.0)
    assert as_metric("roc_auc").response_method == ("decision_function", "predict_proba")


def test_a_name_may_be_given():
    assert as_metric("roc_auc", "AUC").name == "AUC"
    assert as_metric(get_scorer("roc_auc")).name == "roc_auc_score"


@pytest.mark.parametrize(
    "response_method, expected",
    [
        ("predict", ("predict",)),
        ("predict_proba", ("predict_proba",)),
        (["predict_proba", "decision_function"], ("predict_proba", "decision_function")),
        (("decision_function",), ("decision_function",)),
    ],
)
def test_every_form_of_response_method(response_method, expected):
    scorer = make_scorer(log_loss, response_method=response_method, greater_is_better=False)
    metric = as_metric(scorer)
    assert metric.response_method == expected
    assert metric.sign == -1


def test_default_response_method_is_predict():
    assert as_metric(make_scorer(fbeta_score, beta=2)).response_method == ("predict",)


def test_keyword_arguments_are_kept():
    metric = as_metric(make_scorer(fbeta_score, beta=2, pos_label="yes"))
    assert dict(metric.kwargs) == {"beta": 2, "pos_label": "yes"}
    with pytest.raises(TypeError):
        metric.kwargs["beta"] = 3


@pytest.mark.parametrize(
    "scoring, expected",
    [
        ("average_precision", 1),
        ("roc_auc", None),
        (make_scorer(fbeta_score, beta=1, pos_label="a"), "a"),
        (lambda estimator, X, y: 0.0, None),
        (make_scorer(max), None),  # a built-in function without a signature
    ],
)
def test_positive_label(scoring, expected):
    assert as_metric(scoring).pos_label == expected


def test_plain_callables_hide_their_inside():
    def my_scorer(estimator, X, y):
        return 1.0

    metric = as_metric(my_scorer)
    assert metric.name == "my_scorer"
    assert metric.score_func is None
    assert metric.response_method == ()
    assert metric.bounds == (-np.inf, np.inf)


def test_callable_objects_are_named_by_their_class():
    class Scorer:
        def __call__(self, estimator, X, y):
            return 1.0

    assert as_metric(Scorer()).name == "Scorer"
    passthrough = check_scoring(LogisticRegression())
    assert as_metric(passthrough).score_func is None


def test_a_metric_stays_what_it_is():
    metric = as_metric("r2")
    assert as_metric(metric) is metric


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_mean_squared_error"])
def test_metrics_travel_to_other_processes(scoring):
    metric = as_metric(scoring)
    again = pickle.loads(pickle.dumps(metric))
    assert again.score_func is metric.score_func
    assert again.bounds == metric.bounds
    with pytest.raises(TypeError):
        again.kwargs["a"] = 1


def test_bounds_are_in_scorer_orientation():
    for name in ("roc_auc", "r2", "neg_mean_squared_error", "neg_log_loss", "matthews_corrcoef"):
        low, high = as_metric(name).bounds
        assert low < high
        assert not (low == 0 and np.signbit(low)) and not (high == 0 and np.signbit(high))


@pytest.mark.parametrize("scoring", [None, ["roc_auc"], {"auc": "roc_auc"}, 3])
def test_one_metric_at_a_time(scoring):
    with pytest.raises(ValueError, match="scoring must be the name of a metric"):
        as_metric(scoring)


def test_unknown_names_are_answered_with_a_near_one():
    with pytest.raises(ValueError, match=r"scoring='auc' is unknown\. Did you mean 'roc_auc'"):
        as_metric("auc")


def test_fields_are_given_by_keyword():
    with pytest.raises(TypeError):
        Metric("name", print)


# --- scores outside the range ------------------------------------------------------------


def of_folds(name, scores, **fields):
    return made(fold_scores={name: scores}, **fields)


@pytest.mark.parametrize(
    "name, scores, message",
    [
        ("neg_log_loss", [[0.3], [0.4]], r"holds 0.3, .*between -inf and 0\. .*with a minus"),
        ("accuracy", [[81.0], [79.5]], r"holds 81, .*between 0 and 1\. .*percent"),
        ("roc_auc", [[0.9], [-0.1]], r"holds -0.1, .*another metric"),
        ("r2", [[0.5], [1.5]], "between -inf and 1"),
        ("matthews_corrcoef", [[0.5], [-1.5]], "between -1 and 1"),
    ],
)
def test_scores_per_fold_outside_the_range_are_refused(name, scores, message):
    with pytest.raises(ValueError, match=rf"fold_scores\['{name}'\] .*{message}"):
        as_metric(name).fold_scores(of_folds(name, scores))


@pytest.mark.parametrize(
    "name, scores",
    [
        ("accuracy", [[1.0 + 1e-15], [-1e-15], [np.nan]]),
        ("neg_log_loss", [[-np.inf], [0.0], [-3.0]]),
        ("r2", [[-1e9], [1.0], [np.nan]]),
        ("explained_variance", [[0.5], [1.0], [-2.0]]),
    ],
)
def test_scores_per_fold_within_the_range_are_taken(name, scores):
    np.testing.assert_array_equal(as_metric(name).fold_scores(of_folds(name, scores)), scores)


def test_the_error_score_of_a_failed_configuration_is_no_score():
    oof = of_folds("accuracy", [[0.5, -99.0]], failed=[False, True])
    np.testing.assert_array_equal(as_metric("accuracy").fold_scores(oof), [[0.5, -99.0]])


TEXT = OOFPredictions.from_rows(
    y_true=np.tile(["no", "yes"], 20),
    responses={
        "predict": np.random.default_rng(0).integers(2, size=(2, 40)),
        "decision_function": np.random.default_rng(0).normal(size=(2, 40)),
    },
    fold=np.arange(40) // 10,
)


@pytest.mark.parametrize("name", ["recall", "precision", "f1", "jaccard", "average_precision"])
def test_a_metric_that_looks_for_a_class_1_says_how_to_name_the_positive_class(name):
    with pytest.raises(ValueError, match=r"has pos_label=1, but the classes are") as info:
        as_metric(name).bind(TEXT)
    (call,) = re.findall(r"scoring=(make_scorer\(.*\))\.$", str(info.value))
    assert "pos_label='yes'" in call
    advised = as_metric(eval(call, vars(sklearn.metrics)))
    codes = with_fields(TEXT, y_true=np.tile([0, 1], 20), classes_=np.array([0, 1]))
    expected = as_metric(name).bind(codes).scores(np.ones((1, 40)))
    np.testing.assert_array_equal(advised.bind(TEXT).scores(np.ones((1, 40))), expected)


@pytest.mark.parametrize(
    ("scorer", "classes"),
    [
        (make_scorer(fbeta_score, beta=2, pos_label="yes"), ["no", "yes"]),
        (make_scorer(fbeta_score, beta=2, average="macro"), ["no", "yes"]),
        (make_scorer(fbeta_score, beta=2), [0, 1]),
        (make_scorer(fbeta_score, beta=2), [False, True]),
        (make_scorer(fbeta_score, beta=2), ["a", "b", "c"]),  # scikit-learn's own words
        (make_scorer(lambda y, p, pos_label=1: 0.0), ["no", "yes"]),  # a function of one's own
        (get_scorer("roc_auc"), ["no", "yes"]),
        (get_scorer("neg_log_loss"), ["no", "yes"]),
        (get_scorer("accuracy"), ["no", "yes"]),
        (lambda estimator, X, y: 0.0, ["no", "yes"]),
    ],
)
def test_a_metric_that_finds_its_positive_class_or_needs_none_is_left_alone(scorer, classes):
    assert as_metric(scorer).unknown_positive_label(np.array(classes)) is None


def test_a_positive_label_of_the_users_that_is_no_class():
    problem = as_metric(make_scorer(fbeta_score, beta=2, pos_label=5)).unknown_positive_label
    assert "pos_label=5, but the classes are [0, 1]" in problem(np.array([0, 1]))
