"""The contract of bootstrap kernels."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ..metrics import Metric, as_metric
from ..predictions import OOFPredictions


def check_metric(scoring: Any, oof: OOFPredictions, *, n_draws: int = 12, seed: int = 0) -> None:
    """Compare a bootstrap kernel with the function that it stands for.

    Parameters
    ----------
    scoring : str, scorer or Metric
        Metric with a score function.
    oof : OOFPredictions
        Predictions of one cross-validation.
    n_draws : int, default=12
        Number of random resamples.
    seed : int, default=0
        Seed of the resamples.

    Raises
    ------
    AssertionError
        If a score differs by more than 1e-12 from that of the repeated rows, depends on
        other draws, or if winners are not the first best.

    Examples
    --------
    >>> from sklearn_bbc.testing import check_metric, example_predictions
    >>> check_metric("balanced_accuracy", example_predictions())
    """
    metric = as_metric(scoring)
    assert metric.score_func is not None, "a scorer whose function is hidden has no kernel"
    kernel = metric.bind(oof)
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(oof.n_samples, np.full(oof.n_samples, 1 / oof.n_samples), n_draws)
    counts = counts.astype(np.uint8)
    scores = kernel.scores(counts)
    assert scores.shape == (n_draws, oof.n_configs), "scores have one row per draw"
    for draw, count in enumerate(counts):
        for config in range(oof.n_configs):
            expected = _score_of_rows(metric, oof, config, np.repeat(np.arange(len(count)), count))
            np.testing.assert_allclose(
                scores[draw, config],
                expected,
                rtol=1e-12,
                atol=1e-12,
                err_msg=f"{metric.name}: not the score of the repeated rows",
            )
    for dtype in (np.int64, float):
        np.testing.assert_allclose(
            kernel.scores(counts.astype(dtype)),
            scores,
            rtol=1e-12,
            atol=1e-12,
            err_msg=f"{metric.name}: depends on the dtype of the weights",
        )
    np.testing.assert_array_equal(
        kernel.scores(counts > 0),
        kernel.scores((counts > 0).astype(np.uint8)),
        err_msg=f"{metric.name}: a mask is not the same as zeros and ones",
    )
    one_by_one = np.concatenate([kernel.scores(count[None]) for count in counts])
    np.testing.assert_array_equal(
        one_by_one, scores, err_msg=f"{metric.name}: a score depends on the other draws"
    )
    winners = kernel.winners(counts)
    defined = ~np.isnan(scores).all(axis=1)
    filled = np.where(np.isnan(scores), -np.inf, scores)
    np.testing.assert_array_equal(
        winners,
        np.where(defined, filled.argmax(axis=1), -1),
        err_msg=f"{metric.name}: the winner is not the first of the best",
    )
    np.testing.assert_array_equal(
        kernel.score_of(counts, winners),
        np.where(defined, scores[np.arange(n_draws), winners], np.nan),
        err_msg=f"{metric.name}: score_of and scores differ",
    )


def _score_of_rows(metric: Metric, oof: OOFPredictions, config: int, rows: np.ndarray) -> float:
    pred = oof.matrix(metric.scorer)[rows, config]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            assert metric.score_func is not None
            return metric.sign * metric.score_func(oof.y_true[rows], pred, **metric.kwargs)
        except ValueError:  # undefined, as for a single class
            return math.nan
