"""Predictions and draws for tests of rules, and scores on repeated rows as the yardstick."""

import numpy as np
from sklearn.metrics import get_scorer

from tests.made import made


def predictions(n_samples=60, n_configs=6, n_folds=5, seed=0, n_repeats=1, **more):
    """Probabilities that carry some signal, more so for later configurations."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 2
    skill = np.linspace(0.2, 1.2, n_configs)[:, None]
    rows = np.tile(np.arange(n_samples), n_repeats)
    logits = skill * (2 * y[rows] - 1) + rng.normal(size=(n_configs, len(rows)))
    fold = np.concatenate(
        [rng.permutation(n_samples // 2).repeat(2) % n_folds + k * n_folds
         for k in range(n_repeats)]
    )  # fmt: skip
    given = {
        "y_true": y,
        "responses": {"predict_proba": 1 / (1 + np.exp(-logits))},
        "sample": rows,
        "fold": fold,
        "repeat": np.arange(n_repeats).repeat(n_samples),
        "params": [{"depth": n_configs - k, "C": float(k % 2)} for k in range(n_configs)],
    }
    return made(**{**given, **more})


def draws(oof, n_draws=30, seed=1):
    """Counts of a plain bootstrap, (n_draws, n_samples)."""
    n = oof.n_samples
    counts = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), n_draws)
    return counts.astype(np.uint8)


def area(y, values):
    """Share of the pairs of both classes in the right order, NaN without pairs.

    A loop asks a thousand times, and scikit-learn takes a hundred times as long for few rows.
    """
    y, values = np.asarray(y), np.asarray(values)
    pairs = np.subtract.outer(values[y == 1], values[y == 0])
    return np.mean((np.sign(pairs) + 1) / 2) if pairs.size else np.nan


def f1(y, labels):
    return 2 * (y * labels).sum() / (y.sum() + labels.sum())


def balanced_accuracy(y, labels):
    return (labels[y == 1].mean() + 1 - labels[y == 0].mean()) / 2


def score_on(scoring, y, proba):
    """Score of probabilities, by scikit-learn's own function except the area."""
    if scoring == "roc_auc":
        return area(y, proba)
    scorer = get_scorer(scoring)
    pred = (np.asarray(proba) > 0.5).astype(int) if scoring == "accuracy" else proba
    return scorer._sign * scorer._score_func(y, pred, **scorer._kwargs)


def scores_by_fold(scoring, oof, count):
    """Scores of each fold on the repeated rows of a draw, (n_folds, n_configs), by a loop."""
    proba = oof.responses["predict_proba"]
    table = np.full((oof.n_splits, oof.n_configs), np.nan)
    for fold in range(oof.n_splits):
        rows = np.flatnonzero(oof.fold == fold)
        rows = np.repeat(rows, count[oof.sample[rows]])
        for config in range(oof.n_configs if len(rows) else 0):
            table[fold, config] = score_on(
                scoring, oof.y_true[oof.sample[rows]], proba[config, rows]
            )
    return table
