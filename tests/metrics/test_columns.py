"""Which configurations a metric can use, and which of them predict the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import (
    log_loss,
    make_scorer,
    mean_squared_error,
    roc_auc_score,
)

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.metrics._consumed import absent, check_labels, complete, first_of_equals
from tests.made import made

nan, inf = np.nan, np.inf


def check(oof, metric):
    check_labels(oof, metric.name, metric.score_func, metric.response_method)


def test_complete_means_every_value_finite():
    pred = np.array([[0.1, 0.2], [nan, 0.2], [0.1, inf], [0.1, -inf], [nan, nan]])
    np.testing.assert_array_equal(complete(pred, False), [True, False, False, False, False])
    np.testing.assert_array_equal(complete(pred[:, :, None], False), complete(pred, False))


def test_codes_mark_missing_with_minus_one():
    codes = np.array([[0, 1], [-1, 1], [-1, -1]])
    np.testing.assert_array_equal(complete(codes, True), [True, False, False])
    np.testing.assert_array_equal(absent(codes, True), [False, False, True])
    np.testing.assert_array_equal(complete(codes, False), True)
    np.testing.assert_array_equal(absent(codes, False), False)


def test_absent_means_no_value_at_all():
    pred = np.array([[0.1, 0.2], [nan, 0.2], [nan, nan]])
    np.testing.assert_array_equal(absent(pred, False), [False, False, True])


def test_text_is_always_there():
    text = np.array([["a", ""], ["b", "c"]])
    assert complete(text, False).all() and not absent(text, False).any()


@given(st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=1, max_size=12))
def test_the_first_of_equals(rows):
    pred = np.array(rows, dtype=float)
    expected = [next(j for j in range(len(rows)) if rows[j] == row) for row in rows]
    chosen = np.arange(len(rows))
    np.testing.assert_array_equal(first_of_equals([pred], chosen), expected)
    np.testing.assert_array_equal(first_of_equals([pred[:, :, None]], chosen), expected)
    both = first_of_equals([np.zeros_like(pred), pred], chosen)
    np.testing.assert_array_equal(both, expected)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "i2", "i4", "i8", "u1"])
@given(st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=1, max_size=12))
def test_the_first_of_equals_of_any_size(dtype, rows):
    pred = np.array(rows, dtype=dtype)
    expected = [next(j for j in range(len(rows)) if rows[j] == row) for row in rows]
    np.testing.assert_array_equal(first_of_equals([pred], np.arange(len(rows))), expected)
    labels = pred.astype("i1")
    np.testing.assert_array_equal(
        first_of_equals([np.zeros_like(pred), labels], np.arange(len(rows))), expected
    )


def test_only_the_chosen_are_looked_at():
    pred = np.zeros((4, 3))
    np.testing.assert_array_equal(first_of_equals([pred], np.array([2, 3])), [2, 2])


def test_a_difference_in_one_value_of_many_is_seen():
    pred = np.zeros((2, 1000))
    for at in range(0, 1000, 97):
        pred[1] = 0
        pred[1, at] = 1e-300
        np.testing.assert_array_equal(first_of_equals([pred], np.arange(2)), [0, 1])


def test_one_value_that_differs_is_enough():
    pred = np.zeros((5, 9))
    pred[:, 4] = np.arange(5)
    chosen = np.array([0, 2, 3])
    text = np.full((5, 2), "same")
    assert first_of_equals([pred], chosen) is chosen
    assert first_of_equals([np.zeros((5, 0)), text, pred], chosen) is chosen
    pred[3, 4] = pred[2, 4]
    np.testing.assert_array_equal(first_of_equals([pred], chosen), [0, 2, 2])


def test_missing_responses_are_equal_to_each_other():
    missing, values = np.full((2, 5), nan), np.ones((2, 5))
    np.testing.assert_array_equal(first_of_equals([missing, values], np.arange(2)), [0, 0])


# --- labels that cannot be right ---------------------------------------------------------

Y = np.arange(24) % 2
FOLD = np.arange(24) // 6
RNG = np.random.default_rng(0)


def plain(y_pred, y_true=Y, **fields):
    return made(y_true=y_true, y_pred=y_pred, fold=FOLD, **fields)


@pytest.mark.parametrize("metric", ["accuracy", "balanced_accuracy", "f1_macro", "jaccard_macro"])
@pytest.mark.parametrize("dtype", [int, float, str])
def test_labels_that_never_occur_are_refused_and_can_be_named(metric, dtype):
    y, pred = Y.astype(dtype), np.array([1 - Y, np.arange(24) % 3]).T.astype(dtype)
    two = repr(np.array([2], dtype=dtype)[0].item())
    for method in (BBC(n_bootstraps=20), BBCF()):
        with pytest.raises(ValueError, match=rf"never occur in y_true: {two}; .*classes=\["):
            method.estimate(plain(pred, y), metric)
    named = plain(pred, y, classes=np.array([0, 1, 2]).astype(dtype))
    check(named, as_metric(metric))


def test_missing_labels_and_other_types_of_the_same_labels_are_known():
    pred = np.array([Y, 1 - Y]).T.astype(float)
    pred[0, 0] = np.nan
    for known in (pred, pred.astype(np.float32), pred == 1, pred == 1.0):
        check(plain(known), as_metric("accuracy"))
    check(plain(pred, Y == 1), as_metric("accuracy"))
    many = np.arange(24) % 12
    check(plain(many[:, None], many), as_metric("accuracy"))
    with pytest.raises(ValueError, match="never occur in y_true: 12"):
        check(plain(many[:, None] + 1, many), as_metric("accuracy"))


def test_text_against_numbers():
    with pytest.raises(ValueError, match="never occur in y_true: 'a'"):
        check(plain(np.full((24, 2), "a")), as_metric("accuracy"))


def test_samples_of_one_class_do_not_tell_the_others():
    check(plain(Y[:, None], np.zeros(24, int)), as_metric("accuracy"))


def test_only_metrics_of_labels_ask_for_labels():
    scores = RNG.integers(0, 9, size=(24, 2))
    for metric in ("roc_auc", "neg_mean_squared_error", make_scorer(log_loss)):
        check(plain(scores), as_metric(metric))


def test_scores_in_zero_to_one_are_not_cut_into_labels():
    message = r"accuracy needs class labels, .*\(y_pred > 0.5\).*\(n_samples, n_configs, n_class"
    with pytest.raises(ValueError, match=message):
        BBC(n_bootstraps=20).estimate(plain(RNG.random((24, 2))), "accuracy")


@pytest.mark.parametrize("metric", ["roc_auc", "roc_auc_ovr"])
@pytest.mark.parametrize("label", [1, "ill"])
def test_a_target_of_one_class_is_named(metric, label):
    oof = plain(RNG.random((24, 2)), np.full(24, label))
    for method in (BBC(n_bootstraps=20), BBCF()):
        with pytest.raises(UndefinedIntervalError, match=f"every sample is of class {label!r}"):
            method.estimate(oof, metric)


@pytest.mark.parametrize("function", [log_loss, mean_squared_error, roc_auc_score, sum])
def test_what_other_functions_do_with_probabilities_is_not_guessed(function):
    """Labels would be derived for them; up to version 0.1 they got the probabilities."""
    proba = RNG.dirichlet([1, 1], size=(24, 2))
    message = f"asks for `predict`.*{function.__name__}, response_method='predict_proba'"
    with pytest.raises(ValueError, match=message):
        BBC(n_bootstraps=20).estimate(plain(proba), make_scorer(function))
    check(plain(proba[:, :, 1]), as_metric(make_scorer(function)))
    recorded = OOFPredictions.from_rows(y_true=Y, responses={"predict_proba": proba[:, :, 1].T})
    check(recorded, as_metric(make_scorer(function)))  # as in a search: labels
