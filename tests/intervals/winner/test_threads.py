"""Eight threads that ask the same methods about the same predictions get what one thread gets.

Predictions and what is derived from them are shared, so this is where threads could meet. On a
Python without a GIL they run at the same time.
"""

import numpy as np
import pytest
from sklearn.metrics import make_scorer

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.metrics import within_folds
from tests._threads import N_THREADS, frequent_switches, run_at_once  # noqa: F401, a fixture


def share_right(y, pred):
    return np.mean(y == (pred > 0.5))


# One metric of each kind of computation: with compiled kernels, means, counts, replayed.
SCORINGS = {
    "roc_auc": "roc_auc",
    "within folds": within_folds("roc_auc"),
    "average_precision": "average_precision",
    "neg_log_loss": "neg_log_loss",
    "f1": "f1",
    "neg_brier_score": "neg_brier_score",
    "replayed": make_scorer(share_right, response_method="predict_proba"),
}


def predictions():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    p = 1 / (1 + np.exp(-y[:, None] - rng.normal(size=(60, 8))))
    return OOFPredictions(
        y_true=y, y_pred=np.stack([1 - p, p], axis=2), fold=rng.permutation(60) % 5
    )


def bits(result):
    return np.array([result.estimate, result.low, result.high]).tobytes()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("method", [BBC, BBCF])
@pytest.mark.parametrize("scoring", SCORINGS)
def test_eight_threads_get_what_one_gets(method, scoring):
    metric = SCORINGS[scoring]
    shared, one = predictions(), method(n_bootstraps=70, random_state=0)
    expected = bits(one.estimate(predictions(), metric))
    found = run_at_once([lambda: bits(one.estimate(shared, metric))])
    assert found == [[expected]] * N_THREADS
