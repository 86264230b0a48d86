"""What the compiled kernels must give, bit for bit: written for clarity, not for speed."""

import numpy as np
import pytest
from hypothesis import strategies as st

from sklearn_bbc import _native

needs_native = pytest.mark.skipif(
    not _native.available(), reason=f"the compiled kernels are not in use: {_native.status()}"
)


def misplaced_pairs(scores, above, below, weights):
    """Losses and sizes where row i should be above row j wherever ``above[i] & below[i, j]``.

    Whole numbers, exact in a double; shapes (n_draws, n_configs) and (n_draws,).
    """
    weights = weights.astype(np.float64)
    compared = (above[:, None] & below).astype(np.float64)
    size = 2 * ((weights @ compared) * weights).sum(axis=1)
    losses = np.empty((len(weights), len(scores)))
    for c, column in enumerate(scores):
        wrong = 2 * (column[:, None] < column) + (column[:, None] == column)
        losses[:, c] = ((weights @ (compared * wrong)) * weights).sum(axis=1)
    assert size.max(initial=0) < 2**53
    return losses, size


def auc(scores, positive, weights):
    """Losses and sizes of the area under the ROC curve."""
    return misplaced_pairs(
        scores, positive, np.broadcast_to(~positive, (len(positive),) * 2), weights
    )


def concordance(risk, time, event, weights):
    """Losses and sizes of the concordance index."""
    later = (time[:, None] < time) | ((time[:, None] == time) & ~event)
    return misplaced_pairs(risk, event, later, weights)


def average_precision_terms(column, positive, weights):
    """What each distinct score loses, lowest first: arrays of shape (n_draws,)."""
    weights = weights.astype(np.float64)
    code = np.unique(column, return_inverse=True)[1]  # ascending
    at = code[:, None] == np.arange(code.max(initial=-1) + 1)
    g, wrong = weights @ (at & positive[:, None]), weights @ (at & ~positive[:, None])
    tp, fp = (np.cumsum(x[:, ::-1], axis=1)[:, ::-1] for x in (g, wrong))
    return (fp / np.maximum(tp + fp, 1) * g).T


def average_precision(scores, positive, weights):
    """Losses and sizes of average precision: one term per distinct score, lowest first."""
    return average_precision_in_folds(scores, positive, weights, np.zeros(len(positive), int))


def average_precision_in_folds(scores, positive, weights, fold):
    """The same with thresholds of each fold alone: the terms of fold 0 first, one by one."""
    losses = np.zeros((len(weights), len(scores)))
    for each in range(fold.max(initial=-1) + 1):
        here = fold == each
        for c, column in enumerate(scores[:, here]):
            for terms in average_precision_terms(column, positive[here], weights[:, here]):
                losses[:, c] += terms
    return losses, weights[:, positive].sum(axis=1).astype(np.float64)


def auc_in_folds(scores, positive, weights, fold):
    """Rows of a lower fold are below all of a higher one."""
    ranks = [np.unique(column, return_inverse=True)[1] for column in scores]
    apart = np.reshape(ranks, scores.shape) + len(positive) * fold
    return auc(apart, positive, weights)


def scores_from(losses, sizes, undefined):
    """Scores; NaN where the size is 0 or the configuration is undefined."""
    size = sizes[:, None]
    scores = np.where(size > 0, (size - losses) / np.where(size > 0, size, 1), np.nan)
    scores[:, undefined] = np.nan
    return scores


def first_best(scores):
    """Index of the largest score per draw; NaN loses, -1 if all are NaN."""
    filled = np.where(np.isnan(scores), -1.0, scores)
    return np.where(np.isnan(scores).all(axis=1), -1, filled.argmax(axis=1))


def check(program, counts, losses, sizes, undefined):
    """All methods of a program against the losses and sizes that it must find."""
    expected = scores_from(losses, sizes, undefined)
    losses = np.where(undefined, np.nan, losses)
    n_draws, n_configs = expected.shape
    np.testing.assert_array_equal(program.losses(counts), losses)
    np.testing.assert_array_equal(program.scores(counts), expected)
    np.testing.assert_array_equal(program.winners(counts), first_best(expected))
    some = np.arange(n_configs)[::-2]
    np.testing.assert_array_equal(program.scores(counts, some), expected[:, some])
    one = (np.arange(n_draws) * 7 + 3) % (n_configs + 1) - 1
    draws = np.arange(n_draws)
    np.testing.assert_array_equal(
        program.score_of(counts, one), np.where(one < 0, np.nan, expected[draws, one])
    )
    np.testing.assert_array_equal(
        program.loss_of(counts, one), np.where(one < 0, np.nan, losses[draws, one])
    )


COUNTS = ("bootstrap", "mask", "small", "uint8", "uint16", "sparse", "zero")
SCORES = ("continuous", "rounded", "coarse", "constant", "extreme", "separated")


def make_counts(rng, kind, n_draws, n_rows):
    """Counts of one of the kinds in `COUNTS`."""
    shape = (n_draws, n_rows)
    if kind == "bootstrap":
        return rng.poisson(1, shape).astype(np.uint8)
    if kind == "mask":
        return rng.random(shape) < 0.4
    if kind == "small":
        return rng.integers(0, rng.integers(2, 70), shape).astype(np.uint8)
    if kind == "uint8":
        return rng.integers(0, 256, shape).astype(np.uint8)
    if kind == "uint16":
        return rng.integers(0, 65536, shape).astype(np.uint16)
    if kind == "sparse":
        return (rng.integers(0, 300, shape) * (rng.random(shape) < 0.05)).astype(np.uint16)
    return np.zeros(shape, dtype=np.uint8)


def make_scores(rng, kind, signal, n_configs):
    """Scores (n_configs, n_rows) that follow `signal` more or less, of a kind in `SCORES`."""
    noise = rng.uniform(0.2, 3, (n_configs, 1))
    scores = signal + noise * rng.normal(size=(n_configs, len(signal)))
    if kind == "rounded":
        scores = np.round(scores, 1)
    elif kind == "coarse":
        scores = np.round(scores) * 0.5  # both zeros occur, and they are equal
    elif kind == "constant":
        scores[rng.random(n_configs) < 0.7] = -3.25
    elif kind == "extreme":
        # Neighbouring doubles, infinities and subnormal numbers.
        odd = np.array(
            [np.inf, -np.inf, 5e-324, -5e-324, 0.0, -0.0, 1.0, np.nextafter(1, 2), 1e308]
        )
        scores = np.where(rng.random(scores.shape) < 0.7, rng.choice(odd, scores.shape), scores)
    elif kind == "separated":
        scores = signal * 10 + np.round(scores)
    if n_configs > 2 and rng.random() < 0.5:
        scores[rng.integers(n_configs)] = scores[rng.integers(n_configs)]
    if rng.random() < 0.2 and len(signal):
        scores[rng.integers(n_configs), rng.integers(len(signal))] = np.nan
    return scores


@st.composite
def problems(draw):
    """(rng, n_draws, n_rows, n_configs, kind of counts, kind of scores)."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_rows = draw(st.one_of(st.integers(1, 12), st.integers(13, 70)))
    n_configs = draw(st.integers(1, 9))
    n_draws = draw(st.one_of(st.integers(1, 20), st.integers(60, 70)))
    return (
        rng,
        n_draws,
        n_rows,
        n_configs,
        draw(st.sampled_from(COUNTS)),
        draw(st.sampled_from(SCORES)),
    )
