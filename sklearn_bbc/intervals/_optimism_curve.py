"""How the optimism of a search grows with the number of configurations that it tries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._floats import quiet
from .._integers import check_integer, is_integer
from .._nearest import explain_arguments
from ..metrics import BoundKernel
from ..predictions import OOFPredictions
from ..results import OptimismCurve
from ._caveats import lonely_configuration, unit_word
from .winner._bbc import BBC

__all__ = ["optimism_curve"]

STEPS = 10
"""Sizes that are looked at, evenly on a logarithmic scale."""


@explain_arguments()
def optimism_curve(
    oof: OOFPredictions,
    scoring: Any,
    *,
    selected_by: Any = None,
    sizes: Sequence[int] | None = None,
    n_subsets: int = 50,
    n_bootstraps: int = 500,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> OptimismCurve:
    """Best and corrected score of random subsets of the configurations; nothing is refitted.

    The more configurations are tried, the better the best of them looks, and the more of that
    is luck. The curve shows both for one search.

    Parameters
    ----------
    oof : OOFPredictions
        Out-of-fold predictions of every configuration.
    scoring : str, scorer or Metric
        The metric. It must be given.
    selected_by : str, scorer or Metric, default=None
        The metric that selects in every draw and subset, where it is not `scoring`.
    sizes : sequence of int, default=None
        Numbers of configurations to look at; that of all configurations is added. None takes
        10 of them, evenly on a logarithmic scale.
    n_subsets : int, default=50
        Random subsets of each size, drawn without replacement within a subset. Of single
        configurations and of all together there are not more than these.
    n_bootstraps : int, default=500
        Number of draws of samples, at least 20, the same ones for all subsets.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws and of the subsets.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.

    Returns
    -------
    OptimismCurve
        One row per size, one column per subset.

    Raises
    ------
    ValueError
        If there are no predictions, or a parameter is out of range.
    UndefinedIntervalError
        If the data cannot support it, for example with a class in one sample.

    See Also
    --------
    sklearn_bbc.intervals.BBC : The correction, for all configurations.
    sklearn_bbc.display.OptimismDisplay : Draws the curve.

    Notes
    -----
    The score of all configurations is the estimate of `BBC` with the same seed and number of
    draws. Both scores are of all held-out predictions together: what pooling the folds does to
    them is in both, and their difference is the part of the optimism that selection makes.

    Subsets of one search overlap, the more the larger they are. Their spread says how much it
    matters which configurations are tried, not how well the data determine a score: that is
    what the interval is for. Configurations without a score are left out.

    Every configuration is scored once in-bag and once out-of-bag in every draw; subsets cost
    nothing beyond looking for a maximum. Memory O(n_bootstraps * n_configs).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import optimism_curve
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 50)
    >>> coin_flips = rng.integers(2, size=(100, 200))
    >>> oof = OOFPredictions(y_true=y, y_pred=coin_flips, fold=np.arange(100) // 10)
    >>> print(optimism_curve(oof, "accuracy", random_state=0))
    The best of 200 configurations has accuracy 0.630 on the predictions that chose it, and \
0.493 when it is corrected; a single one, taken at random, has 0.486 and 0.485.
    """
    method = BBC(n_bootstraps=n_bootstraps, random_state=random_state, n_jobs=n_jobs)
    method._check_given(oof, scoring)
    check_integer("n_subsets", n_subsets, 1)
    kernel: BoundKernel = method._bound(oof, scoring)
    selecting = kernel if selected_by is None else method._bound(oof, selected_by)
    valid = np.flatnonzero(kernel.valid & selecting.valid)
    steps = _checked_sizes(sizes, len(valid))
    # In-bag and out-of-bag, all configurations.
    for each in (kernel, selecting):
        each.warn_if_slow(n_bootstraps * each.n_distinct, n_jobs)

    def both(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return selecting.scores(counts), kernel.scores(counts == 0)

    with quiet():
        draws = method._draws(oof, kernel, selecting)
        in_bag, left_out = draws.map(both)  # (n_draws, n_configs)
    rng = np.random.default_rng([draws.entropy, len(valid)])
    apparent, of_selection = kernel.on_data(), selecting.on_data()
    best = np.full((len(steps), n_subsets), np.nan)
    corrected = best.copy()
    for row, size in enumerate(steps):
        for column, chosen in enumerate(_subsets(rng, valid, size, n_subsets)):
            best[row, column] = apparent[chosen[of_selection[chosen].argmax()]]
            winners = selecting.first_best(in_bag[:, chosen])
            scores = left_out[np.arange(len(winners)), chosen[winners]]
            scores = scores[(winners >= 0) & ~np.isnan(scores)]
            corrected[row, column] = scores.mean() if len(scores) else np.nan
    return OptimismCurve(
        sizes=steps,
        best=best,
        corrected=corrected,
        metric=kernel.metric.name,
        n_bootstraps=n_bootstraps,
        details={
            "seed": draws.entropy,
            "n_redrawn": draws.n_redrawn,
            "unit": unit_word(oof.groups),
            "notes": [lonely_configuration(oof.n_configs)] if len(valid) == 1 else [],
        },
    )


def _checked_sizes(sizes: Sequence[int] | None, n_configs: int) -> np.ndarray:
    if not n_configs:
        raise ValueError("No configuration has a score, so there is nothing to choose from.")
    if sizes is None:
        return np.unique(np.round(np.geomspace(1, n_configs, STEPS)).astype(np.intp))
    given: list[Any] = np.atleast_1d(np.asarray(sizes, dtype=object)).tolist()
    wrong = [size for size in given if not is_integer(size, 1) or size > n_configs]
    if wrong:
        raise ValueError(
            f"sizes must be integers from 1 to {n_configs}, the number of configurations with a "
            f"score, got {wrong[0]!r}."
        )
    return np.unique([*given, n_configs]).astype(np.intp)


def _subsets(
    rng: np.random.Generator, configs: np.ndarray, size: int, n_subsets: int
) -> list[np.ndarray]:
    """Sorted subsets, so that ties are broken as in the whole."""
    if size == len(configs):
        return [configs]
    if size == 1 and len(configs) <= n_subsets:
        return list(configs[:, None])
    return [np.sort(rng.choice(configs, size, replace=False)) for _ in range(n_subsets)]
