"""Scores that are made of sums, some draws at a time."""

import numpy as np
import pytest
from sklearn import config_context
from threadpoolctl import threadpool_limits

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import _classification as _from_sums
from sklearn_bbc.metrics import as_metric

METRICS = ["neg_log_loss", "neg_mean_squared_error", "r2", "explained_variance", "accuracy"]


def bound(metric):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60)
    pred = np.clip(0.2 + 0.5 * y + 0.2 * rng.normal(size=(9, 60)), 0.01, 0.99)
    pred[4, 7] = pred[4, 8] = 1.5 if metric == "neg_log_loss" else 0.5  # no probability
    answers = {"predict_proba" if metric == "neg_log_loss" else "predict": pred}
    if metric == "accuracy":
        answers = {"predict": (pred > 0.5).astype(np.int8)}
    return as_metric(metric).bind(
        OOFPredictions.from_rows(y_true=y, responses=answers, fold=np.arange(60) % 3)
    )


@pytest.mark.filterwarnings("ignore:log_loss cannot score")
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("n_bytes", [1, 8 * 60 * 7])
def test_nothing_depends_on_how_many_draws_are_finished_at_once(metric, n_bytes, monkeypatch):
    rng = np.random.default_rng(1)
    counts = rng.multinomial(60, np.full(60, 1 / 60), size=40).astype(np.uint8)
    counts[3], counts[5] = 0, np.arange(60) == 7  # nothing, and a single row
    configs = rng.integers(-1, 9, size=40)

    def results():
        kernel = bound(metric)
        return kernel.scores(counts), kernel.winners(counts), kernel.score_of(counts, configs)

    expected = results()
    monkeypatch.setattr(_from_sums, "_TOGETHER", n_bytes)
    for one, other in zip(results(), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    scores, winners, of_one = expected
    there = np.where(np.isnan(scores), -np.inf, scores)
    np.testing.assert_array_equal(winners[6:], there.argmax(axis=1)[6:])
    assert winners[3] == -1 and np.isnan(of_one[3]) and np.isnan(of_one[configs < 0]).all()
    chosen = configs >= 0
    np.testing.assert_allclose(of_one[chosen], scores[np.arange(40), configs][chosen], rtol=1e-12)


MANY = [
    "neg_log_loss", "neg_brier_score", "neg_mean_squared_error", "neg_mean_absolute_error",
    "neg_root_mean_squared_error", "r2", "explained_variance", "d2_absolute_error_score",
    "neg_mean_poisson_deviance", "accuracy",
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:.* cannot score")
@pytest.mark.parametrize("apart", [0.0, 1e-17, 1e-7, 1e-5, 1e-2], ids="{:g} apart".format)
@pytest.mark.parametrize("metric", MANY)
def test_the_winner_is_the_first_best_of_all_scores(metric, apart):
    rng = np.random.default_rng(5)
    y = rng.integers(2, size=90)
    pred = np.clip(0.2 + 0.5 * y + 0.2 * rng.normal(size=(70, 90)), 0.01, 0.99)
    pred[20:] = pred[20] + apart * rng.normal(size=(50, 90))  # some that are hard to tell apart
    pred[20:] = np.clip(pred[20:], 0.01, 0.99)
    pred[64, 7] = -0.5  # neither a probability nor a rate
    answers = {"predict_proba" if metric in MANY[:2] else "predict": pred}
    if metric == "accuracy":
        answers = {"predict": (pred > 0.5).astype(np.int8)}
    kernel = as_metric(metric).bind(
        OOFPredictions.from_rows(y_true=y, responses=answers, fold=np.arange(90) % 3)
    )
    counts = rng.multinomial(90, np.full(90, 1 / 90), size=100).astype(np.uint8)
    counts[3], counts[5], counts[8] = 0, np.arange(90) == 7, y  # nothing, a row, equal targets
    winners = kernel.winners(counts)
    np.testing.assert_array_equal(winners, kernel.first_best(kernel.scores(counts)))
    for parts in (slice(0, 64), slice(64, 100)):
        np.testing.assert_array_equal(winners[parts], kernel.winners(counts[parts]))
    heavy = 0.25 * counts  # no counts
    np.testing.assert_array_equal(kernel.winners(heavy), kernel.first_best(kernel.scores(heavy)))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("metric", [*MANY, "f1", "balanced_accuracy", "matthews_corrcoef"])
def test_every_bit_is_the_same_for_all_threads_and_memories(metric):
    rng = np.random.default_rng(8)
    y = rng.integers(2, size=700)
    pred = np.clip(0.2 + 0.5 * y + 0.3 * rng.normal(size=(40, 700)), 0.01, 0.99)
    answers = {"predict_proba" if metric in MANY[:2] else "predict": pred}
    if metric in ("accuracy", "f1", "balanced_accuracy", "matthews_corrcoef"):
        answers = {"predict": (pred > 0.5).astype(np.int8)}
    oof = OOFPredictions.from_rows(y_true=y, responses=answers, fold=np.arange(700) % 5)
    expected = None
    for n_jobs, memory, n_threads in ((1, 1024, 1), (2, 1024, 2), (4, 0.01, 1), (1, 0.2, 2)):
        method = BBC(n_bootstraps=300, random_state=0, n_jobs=n_jobs)
        with config_context(working_memory=memory), threadpool_limits(n_threads):
            found = method.estimate(oof, metric)
        expected = found if expected is None else expected
        np.testing.assert_array_equal(found.draws, expected.draws)
        assert found.details["won"] == expected.details["won"]
        assert (found.low, found.estimate, found.high) == (
            expected.low, expected.estimate, expected.high
        )  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("metric", ["neg_log_loss", "r2", "roc_auc"])
def test_every_bit_is_the_same_where_memory_has_space_for_a_part_of_a_block(metric):
    rng = np.random.default_rng(8)
    n = 2**18 + 3
    y = rng.normal(size=n) if metric == "r2" else rng.integers(2, size=n)
    pred = np.clip(0.2 + 0.5 * y[:, None] + 0.3 * rng.normal(size=(n, 3)), 0.01, 0.99)
    oof = OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(n) % 5)
    found = []
    for memory in (1024, 2):
        with config_context(working_memory=memory):
            found.append(BBC(n_bootstraps=40, random_state=0).estimate(oof, metric))
    np.testing.assert_array_equal(found[0].draws, found[1].draws)
    assert found[0].estimate == found[1].estimate
