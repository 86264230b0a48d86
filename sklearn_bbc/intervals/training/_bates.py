"""Nested cross-validation for the spread of a cross-validated score."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from ..._integers import check_integer
from ...exceptions import UndefinedIntervalError
from ...results import ConfidenceInterval
from ._base import RefitInterval
from ._checks import (
    FIXED_SHARES,
    refuse_groups,
    samples,
    tell_redrawn,
)
from ._problem import Problem

N_TRIES = 1000
"""How often folds that leave a class out of a training set are drawn again."""


class BatesNestedCV(RefitInterval):
    """Nested cross-validation that estimates how far cross-validation is off.

    Nothing is tuned in the inner loop (unless the estimator is a search): leaving out a
    second fold shows how much the score of cross-validation on the others differs from
    that on the held-out fold. The interval is wider than the naive one by what is needed.

    Parameters
    ----------
    n_folds : int, default=5
        Number of folds, at least 3.
    n_repetitions : int, default=10
        Random splits into folds. The paper uses 200; few make the mean squared error
        uncertain, and it may come out negative.
    bias_power : float, default=1.0
        Exponent of ``(n_folds - 2) / n_folds`` in the correction of the bias from
        smaller training sets; the published software of the authors has 1.5.
    stratify : bool, default=False
        Give every fold the same shares of the classes. The mean squared error then leaves
        out how the score changes with these shares, and the interval is hardly ever wider
        than the naive one with metrics that depend on them, such as accuracy.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, ``"less"`` only the upper one.
    random_state : int, RandomState instance or None, default=None
        Seed of the splits.
    n_jobs : int or None, default=None
        Number of fits to run at the same time.
    verbose : int, default=1
        1 tells the number of fits before the run, more tells the progress too.

    Raises
    ------
    ValueError
        If the metric is not a mean over samples, or groups are given.

    See Also
    --------
    NestedCV : Tuning inside every fold; what is usually called nested cross-validation.
    CorrectedT : From the fold scores alone.

    Notes
    -----
    For fold k, e_out are the losses on k of the model trained on all other folds, e_in
    those on each other fold of models trained without that fold and without k. The mean
    over folds and repetitions of ``(mean e_in - mean e_out)**2 - var(e_out) / |k|``
    estimates the mean squared error of cross-validation; times ``(F - 1) / F``, its root
    is the standard error, kept between ``sd / sqrt(n)`` and ``sqrt(F) sd / sqrt(n)``. The
    estimate is ``mean e_in - c (mean e_in - mean e_out)`` with
    ``c = 1 + ((F - 2) / F) ** bias_power``. Folds are drawn at random, as in [1]_. Of a
    classifier, they are drawn again while a class would be missing where two folds are left
    out; ``details["n_redrawn"]`` counts. The correction of the bias may push the estimate
    beyond the metric's range, where it is cut (``details["unclipped_estimate"]``).
    Cost: ``n_repetitions * F (F + 1) / 2`` fits.

    `details` of the result: ``standard_error``, ``mse``, ``clamped`` ("low", "high" or
    None), ``naive_standard_error``, ``cv_score``, ``n_redrawn``, ``n_fits``, ``seed``,
    ``unit``, ``degenerate``, ``notes``.

    Each class needs 3 samples, one that stays when two folds are left out. Losses without
    any spread, as of perfect predictions, give an interval that is a point:
    ``details["degenerate"]`` and a warning tell.

    References
    ----------
    .. [1] S. Bates, T. Hastie, R. Tibshirani, "Cross-validation: what does it estimate and
       how well does it do it?", Journal of the American Statistical Association 119,
       1434-1445 (2024). :doi:`10.1080/01621459.2023.2197686`

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from sklearn_bbc.intervals import BatesNestedCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> method = BatesNestedCV(n_folds=3, n_repetitions=2, random_state=0)
    >>> result = method.estimate(DecisionTreeClassifier(max_depth=2, random_state=0), X, y)
    BatesNestedCV: 12 fits of DecisionTreeClassifier
    >>> bool(0.8 < result.low < result.estimate < result.high < 1)
    True
    """

    name = "bates_nested_cv"
    estimand = "score on new samples of what tuning and training give on all samples"
    meant_for = "one estimator and a mean over samples, with time for many fits"
    cost = "repetitions * F (F + 1) / 2 fits"
    limits = (
        "few repetitions: the estimated error may be negative and is then set to its lower "
        "limit; fewer than 2 samples a fold, or 3 of a class; groups"
    )

    def __init__(
        self,
        *,
        n_folds: int = 5,
        n_repetitions: int = 10,
        bias_power: float = 1.0,
        stratify: bool = False,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 1,
    ) -> None:
        self.n_folds = n_folds
        self.n_repetitions = n_repetitions
        self.bias_power = bias_power
        self.stratify = stratify
        self.confidence_level = confidence_level
        self.alternative = alternative
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _validate(self) -> None:
        super()._validate()
        check_integer("n_folds", self.n_folds, 3)
        check_integer("n_repetitions", self.n_repetitions, 1)
        if not self.bias_power > 0:
            raise ValueError(f"bias_power must be above 0, got {self.bias_power!r}.")
        if not isinstance(self.stratify, (bool, np.bool_)):
            raise ValueError(f"stratify must be True or False, got {self.stratify!r}.")

    def _n_models(self, problem: Problem) -> int:
        return self.n_repetitions * self.n_folds * (self.n_folds + 1) // 2

    def _check_data(self, problem: Problem) -> None:
        refuse_groups(problem, type(self).__name__)
        n, n_folds = problem.n_samples, self.n_folds
        if n < 2 * n_folds:
            raise ValueError(f"n_folds={n_folds} needs at least {2 * n_folds} samples, got {n}.")

    def _least_per_class(self, problem: Problem) -> tuple[int, str]:
        return 3, "two folds are left out, and one sample must stay to train on"

    def _folds(self, problem: Problem) -> list[np.ndarray]:
        """Folds of each repetition; what remains without any two of them has all classes."""
        rng = np.random.default_rng(problem.entropy)
        n, labels = problem.n_samples, problem.labels()
        problem.details["n_redrawn"] = 0
        if labels is None:
            return [random_folds(rng, n, self.n_folds, None) for _ in range(self.n_repetitions)]
        classes, code = np.unique(labels, return_inverse=True)
        folds = []
        for _ in range(self.n_repetitions):
            for _ in range(N_TRIES):
                fold = random_folds(rng, n, self.n_folds, code if self.stratify else None)
                size = np.zeros((len(classes), self.n_folds), dtype=np.intp)
                np.add.at(size, (code, fold), 1)
                n_with = np.count_nonzero(size, axis=1)
                if n_with.min() >= 3:  # so it is there without any two folds
                    folds.append(fold)
                    break
                problem.details["n_redrawn"] += 1
            else:
                rarest = n_with.argmin()
                raise UndefinedIntervalError(
                    f"BatesNestedCV cannot estimate {problem.metric.name}: in {N_TRIES} draws of "
                    f"{self.n_folds} folds some class, such as {classes[rarest]} with "
                    f"{samples(size[rarest].sum())}, was always missing where two folds are left "
                    "out. Use more folds, stratify=True, or merge rare classes."
                )
        tell_redrawn(problem, len(folds))
        return folds

    def _estimate(self, problem: Problem) -> ConfidenceInterval:
        n, n_folds = problem.n_samples, self.n_folds
        folds = self._folds(problem)
        if self.stratify and problem.labels() is not None:
            problem.details["notes"].append(FIXED_SHARES)
        held_out = [(k,) for k in range(n_folds)] + list(combinations(range(n_folds), 2))
        arguments = [(problem, fold, these) for fold in folds for these in held_out]
        losses = self._run(row_scores_without, arguments)
        differences, inner_all, outer_all = [], [], []
        for repetition in range(self.n_repetitions):
            start = repetition * len(held_out)
            of = dict(zip(held_out, losses[start : start + len(held_out)], strict=True))
            for k in range(n_folds):
                outer = of[(k,)][0]
                inner = np.concatenate(
                    [
                        of[(min(k, other), max(k, other))][1 if other > k else 0]
                        for other in range(n_folds)
                        if other != k
                    ]
                )
                within = np.var(outer, ddof=1) / len(outer)
                differences.append((inner.mean() - outer.mean()) ** 2 - within)
                inner_all.append(inner)
                outer_all.append(outer)
        inner_scores, outer_scores = np.concatenate(inner_all), np.concatenate(outer_all)
        mse = float(np.mean(differences))
        naive = float(inner_scores.std(ddof=1) / np.sqrt(n))
        raw = float(np.sqrt(max(0.0, mse * (n_folds - 1) / n_folds)))
        standard_error = min(max(raw, naive), np.sqrt(n_folds) * naive)
        factor = 1 + ((n_folds - 2) / n_folds) ** self.bias_power
        estimate = inner_scores.mean() - factor * (inner_scores.mean() - outer_scores.mean())
        clamped = "low" if raw < naive else "high" if raw > standard_error else None
        details = problem.details
        details.update(
            mse=mse,
            clamped=clamped,
            naive_standard_error=naive,
            cv_score=float(outer_scores.mean()),
        )
        if mse < 0:
            details["notes"].append(
                "The estimated mean squared error is negative, so the naive standard error was "
                "taken; more repetitions make that rarer."
            )
        self._tell_degenerate(problem, float(standard_error), float(estimate))
        return self._from_se(
            float(estimate), float(standard_error), problem.metric, details=details
        )


def random_folds(
    rng: np.random.Generator, n_samples: int, n_folds: int, labels: np.ndarray | None
) -> np.ndarray:
    """Random fold of each sample, sizes as equal as can be, also within each label."""
    order = rng.permutation(n_samples)
    if labels is not None:
        order = order[np.argsort(labels[order], kind="stable")]
    fold = np.empty(n_samples, dtype=np.intp)
    fold[order] = np.arange(n_samples) % n_folds
    return fold


def row_scores_without(
    problem: Problem, fold: np.ndarray, held_out: tuple[int, ...]
) -> list[np.ndarray]:
    """Score of each sample of the held-out folds, fold by fold, by a model without them."""
    fitted = problem.fit(np.flatnonzero(~np.isin(fold, held_out)))
    return [problem.row_scores(fitted, np.flatnonzero(fold == k)) for k in held_out]
