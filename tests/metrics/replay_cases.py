"""Predictions and functions that no kernel knows."""

import numpy as np
from sklearn.metrics import roc_auc_score

from sklearn_bbc.metrics import as_metric
from tests.made import made

from .repeated_rows import first_of_the_best

N = 30
Y = np.arange(N) % 2
RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=(N, 3)) + Y[:, None]
LABELS = np.array(["no", "yes"])
ONES = np.ones((1, N), dtype=np.uint8)


def plain(y_pred=SCORES, **fields):
    return made(**{"y_true": Y, "y_pred": y_pred, "fold": np.arange(N) // 2 % 5, **fields})


def recorded(*methods, classes=LABELS, **fields):
    responses = {
        "predict": (SCORES.T > 0).astype(int),
        "predict_proba": 1 / (1 + np.exp(-SCORES.T)),
        "decision_function": SCORES.T,
    }
    return made(
        y_true=classes[Y],
        responses={name: responses[name] for name in methods or responses},
        fold=np.arange(N) // 2 % 5,
        **fields,
    )


def draws(n=5):
    return RNG.multinomial(N, np.full(N, 1 / N), n).astype(np.uint8)


def same_as_kernel(scorer, oof, kernel_scoring, weights):
    replayed, kernel = as_metric(scorer).bind(oof), as_metric(kernel_scoring).bind(oof)
    assert replayed.family == "replay" and kernel.family != "replay"
    scores = replayed.scores(weights)
    np.testing.assert_allclose(scores, kernel.scores(weights), atol=1e-13)
    # scikit-learn's sums have other last bits, which break no tie.
    np.testing.assert_array_equal(
        replayed.winners(weights), [first_of_the_best(row, N) for row in scores]
    )
    np.testing.assert_array_equal(replayed.winners(weights), kernel.winners(weights))
    return replayed


# --- plain callables ---------------------------------------------------------------------


def by_proba(estimator, X, y):
    return roc_auc_score(y, estimator.predict_proba(X)[:, 1])
