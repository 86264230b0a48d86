"""Scores rounded to 32 bits: the same numbers to 7 digits, and other winners at ties."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.metrics import mean_squared_error, roc_auc_score

from benchmarks.published.naive import NaiveBootstrap
from benchmarks.published.replication import single_precision
from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBCF
from sklearn_bbc.metrics import as_metric
from tests.made import made

RNG = np.random.default_rng(2)
Y = np.tile([0, 1], 40)
OOF = OOFPredictions(
    y_true=Y, y_pred=RNG.normal(size=(80, 6)) + Y[:, None], fold=np.arange(80) // 2 % 5
)
WEIGHTS = RNG.integers(0, 3, size=(50, 80)).astype(np.uint8)


def test_scores_are_those_of_scikit_learn_to_32_bits():
    found = single_precision("roc_auc").bind(OOF).scores(WEIGHTS)
    pred = OOF.responses["plain"].astype(np.float32)
    for draw, weights in zip(found, WEIGHTS, strict=True):
        exact = [roc_auc_score(Y, column, sample_weight=weights) for column in pred]
        np.testing.assert_array_equal(draw, np.float32(exact).astype(float))


def test_every_answer_of_the_kernel_is_rounded():
    kernel = single_precision("neg_mean_squared_error").bind(
        OOFPredictions(y_true=RNG.normal(size=80), y_pred=RNG.normal(size=(80, 6)), classes=None,
                       fold=np.arange(80) % 5)
    )  # fmt: skip
    scores = kernel.scores(WEIGHTS)
    winners = kernel.winners(WEIGHTS)
    of_winner = kernel.score_of(WEIGHTS, winners)
    for values in (scores, kernel.fold_scores(), of_winner):
        np.testing.assert_array_equal(values, values.astype(np.float32))
    np.testing.assert_array_equal(winners, scores.argmax(axis=1))
    np.testing.assert_array_equal(of_winner, scores.max(axis=1))


def test_scores_that_differ_by_less_tie():
    """Errors of 1 and of 1 - 1e-9: the better one comes second, and rounding hides it."""
    y = np.zeros(20)
    pred = np.column_stack([np.ones(20), np.full(20, 1 - 1e-9)])
    assert mean_squared_error(y, pred[:, 1]) < mean_squared_error(y, pred[:, 0])
    oof = OOFPredictions(y_true=y, y_pred=pred, classes=None, fold=np.arange(20) % 5)
    everything = np.ones((1, 20), dtype=np.uint8)
    metric = "neg_mean_squared_error"
    assert as_metric(metric).bind(oof).winners(everything)[0] == 1
    assert single_precision(metric).bind(oof).winners(everything)[0] == 0


def test_equal_means_get_an_order():
    """0.8 and 0.6 have a larger sum than twice 0.7, as 32 bits have it."""
    exact = np.array([[0.7, 0.8], [0.7, 0.6], [0.7, 0.7], [0.7, 0.7]])
    means = exact.astype(np.float32).sum(axis=0, dtype=np.float64)
    assert means[1] > means[0]
    oof = OOFPredictions.from_fold_scores({"roc_auc": np.vstack([exact, exact[2:]])})
    for method in (BBCF(), NaiveBootstrap(random_state=0)):
        assert method.estimate(oof, single_precision("roc_auc")).details["winner"] == 1
        assert method.estimate(oof, "roc_auc").details["winner"] == 0


def test_winners_are_not_looked_for_by_exact_scores():
    with config_context(working_memory=1e-3):  # where the exact metric takes several passes
        assert not list(single_precision("roc_auc").bind(OOF).passes())


def test_recorded_fold_scores_are_found_and_rounded():
    recorded = np.full((5, 6), 1 / 3)
    oof = made(
        y_true=Y, y_pred=OOF.responses["plain"].T, fold=np.arange(80) // 2 % 5,
        fold_scores={"roc_auc": recorded},
    )  # fmt: skip
    found = single_precision("roc_auc").fold_scores(oof)
    np.testing.assert_array_equal(found, recorded.astype(np.float32))
    with pytest.raises(ValueError, match="no fold scores of 'accuracy"):
        single_precision("accuracy").fold_scores(
            OOFPredictions.from_fold_scores({"roc_auc": recorded})
        )


def test_numbers_to_be_predicted_are_rounded_as_the_predictions_are():
    """Exact predictions stay exact, whatever 32 bits can hold."""
    y = 1e9 + np.arange(80.0)
    oof = OOFPredictions(y_true=y, y_pred=y[:, None], fold=np.arange(80) % 5, classes=None)
    metric = single_precision("neg_mean_absolute_error")
    assert metric.bind(oof).scores(np.ones((1, 80), dtype=np.uint8))[0, 0] == 0
    assert oof.y_true[1] == 1e9 + 1, "the predictions of the caller stay as they are"


def test_predictions_are_rounded_too():
    """A positive sample above a negative one by less than 32 bits can tell ties with it."""
    y, pred = np.array([0, 1, 0, 1]), np.array([1, 1 + 1e-9, 0, 2])
    oof = OOFPredictions(y_true=y, y_pred=pred[:, None])
    everything = np.ones((1, 4), dtype=np.uint8)
    assert as_metric("roc_auc").bind(oof).scores(everything)[0, 0] == 1
    assert single_precision("roc_auc").bind(oof).scores(everything)[0, 0] == 1 - 0.5 / 4
