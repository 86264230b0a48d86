"""Interval from the spread between disjoint halves of the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._integers import check_integer
from ...exceptions import UndefinedIntervalError
from ...results import ConfidenceInterval
from ._base import RefitInterval
from ._checks import (
    FIXED_SHARES,
    SplitFaults,
    check_scores,
    is_mean_over_samples,
    refuse_groups,
    tell_redrawn,
)
from ._nested_cv import fit_and_score
from ._problem import Problem

N_TRIES = 100
"""How often a split without a class that must be there is drawn again, and then the halves."""

Splits = list[tuple[np.ndarray, np.ndarray]]
"""Training and test samples."""


class _NoSplit(Exception):
    """No usable split was found; the message is the fault of the last one."""


class ConservativeZ(RefitInterval):
    """Normal interval whose variance comes from disjoint halves of the data.

    Two halves share no sample, so the difference of their scores shows the variance
    honestly, though of half the size: the interval is a little too wide.

    Parameters
    ----------
    n_outer : int, default=10
        Times that the data are split into halves.
    n_inner : int, default=15
        Random splits into training and test samples, of all data and of each half.
    test_share : float in (0, 1), default=0.1
        Share of all samples that a test set has; the halves have test sets of the same
        size.
    stratify : bool, default=False
        Give halves and test sets the same shares of the classes as the data have. The
        interval then leaves out how the score changes with these shares: with accuracy and
        other metrics that depend on them it can be far too narrow.
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
        If there are too few samples for halves that can be trained on, or groups are
        given.

    See Also
    --------
    CorrectedT : From the scores of one cross-validation.

    Notes
    -----
    The estimate is the mean score of `n_inner` splits of all samples. With the means m1
    and m2 over the splits of the two halves, the variance is the mean over the `n_outer`
    pairs of ``(m1 - m2)**2 / 2``. Halves and test sets are drawn at random, as in [1]_. Of a
    classifier, a split is drawn again while a class lacks training samples, or test samples
    where the metric is not a mean over samples; ``details["n_redrawn"]`` counts. Where
    the latter cannot be had, test sets on which the metric has a value are taken, and a
    note says so. Below about 40 samples the halves are too small.
    Cost: ``(2 n_outer + 1) n_inner`` fits.

    `details` of the result: ``standard_error``, ``scores`` (of the splits of all
    samples), ``differences`` (m1 - m2), ``n_redrawn``, ``n_fits``, ``seed``, ``unit``,
    ``degenerate``, ``notes``.

    Each class needs 4 samples (with `stratify` 5 where the number of samples is odd).
    Where no valid split is found, as with many small classes, that is said before the first
    fit. Halves that never differ give an interval that is a point: ``details["degenerate"]``
    and a warning tell.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine
       Learning 52, 239-281 (2003). :doi:`10.1023/A:1024068626366`

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from sklearn_bbc.intervals import ConservativeZ
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> method = ConservativeZ(n_outer=3, n_inner=4, random_state=0)
    >>> result = method.estimate(DecisionTreeClassifier(max_depth=2, random_state=0), X, y)
    ConservativeZ: 28 fits of DecisionTreeClassifier
    >>> bool(0.8 < result.low < result.estimate < result.high)
    True
    """

    name = "conservative_z"
    estimand = "score on new samples of what tuning and training give on 90% of the samples"
    meant_for = "one estimator and any metric, with time for many fits"
    cost = "(2 n_outer + 1) n_inner fits"
    limits = (
        "fewer than about 40 samples: halves too small; small classes with metrics that need "
        "them in every test set; groups"
    )

    def __init__(
        self,
        *,
        n_outer: int = 10,
        n_inner: int = 15,
        test_share: float = 0.1,
        stratify: bool = False,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 1,
    ) -> None:
        self.n_outer = n_outer
        self.n_inner = n_inner
        self.test_share = test_share
        self.stratify = stratify
        self.confidence_level = confidence_level
        self.alternative = alternative
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _validate(self) -> None:
        super()._validate()
        check_integer("n_outer", self.n_outer, 1)
        check_integer("n_inner", self.n_inner, 1)
        if not 0 < self.test_share < 1:
            raise ValueError(
                f"test_share must be strictly between 0 and 1, got {self.test_share!r}."
            )
        if not isinstance(self.stratify, (bool, np.bool_)):
            raise ValueError(f"stratify must be True or False, got {self.stratify!r}.")

    def _n_models(self, problem: Problem) -> int:
        return (2 * self.n_outer + 1) * self.n_inner

    def _n_test(self, problem: Problem) -> int:
        n = problem.n_samples
        return max(1, n - round((1 - self.test_share) * n))

    def _check_data(self, problem: Problem) -> None:
        refuse_groups(problem, type(self).__name__)
        n, n_test = problem.n_samples, self._n_test(problem)
        if n // 2 < 2 * n_test or n // 2 - n_test < 2:
            raise ValueError(
                f"ConservativeZ trains on halves of {n // 2} samples less {n_test} test samples, "
                f"which are too few. Give more than {n} samples, or a smaller test_share."
            )

    def _least_per_class(self, problem: Problem) -> tuple[int, str]:
        # An odd number of samples has one that is in neither half.
        odd = problem.n_samples % 2 if self.stratify else 0
        return 4 + odd, "one to train on and one to test in each half"

    def _splits(self, problem: Problem) -> Splits:
        """Splits of all samples, then of both halves of each pair."""
        # F1, balanced accuracy and the like have a value without a class, but another meaning.
        needs_classes = not is_mean_over_samples(problem)
        if needs_classes:
            try:
                return self._drawn(problem, SplitFaults(problem, every_class=True))
            except _NoSplit:
                pass
        try:
            splits = self._drawn(problem, SplitFaults(problem))
        except _NoSplit as no_split:
            raise self._refusal(problem, str(no_split)) from None
        if needs_classes:
            problem.details["notes"].append(
                f"Some test sets lack a class, where {problem.metric.name} follows a convention: "
                "the estimate and the interval are about that. A larger test_share helps."
            )
        return splits

    def _drawn(self, problem: Problem, fault_of: SplitFaults) -> Splits:
        """Draw the splits; what has a fault is drawn again and counted."""
        n = problem.n_samples
        rng = np.random.default_rng(problem.entropy)
        labels = problem.labels() if self.stratify else None
        problem.details["n_redrawn"] = 0
        everything = np.arange(n)

        def of_part(part: np.ndarray, where: str) -> Splits:
            """Splits of some samples; raises `_NoSplit` when one is not found."""
            splits: Splits = []
            for number in range(self.n_inner):
                for _ in range(N_TRIES):
                    test = spread_evenly(mixed(rng, part, labels), self._n_test(problem))
                    split = np.setdiff1d(part, test), np.sort(test)
                    fault = fault_of(*split, f"split {number} of {where}")
                    if fault is None:
                        splits.append(split)
                        break
                    problem.details["n_redrawn"] += 1
                else:
                    raise _NoSplit(fault)
            return splits

        def of_pair(number: int) -> Splits:
            """Splits of two halves, which are drawn again until both can be split."""
            where = f"a half of pair {number}"
            fault: _NoSplit
            for _ in range(N_TRIES):
                order = mixed(rng, everything, labels)
                # Every second one: with labels the halves have the same share of each class.
                halves = order[0 : 2 * (n // 2) : 2], order[1 : 2 * (n // 2) : 2]
                try:
                    return of_part(halves[0], where) + of_part(halves[1], where)
                except _NoSplit as no_split:
                    fault = no_split
            raise fault

        splits = of_part(everything, "all samples")
        for number in range(self.n_outer):
            splits += of_pair(number)
        tell_redrawn(problem, len(splits))
        return splits

    def _refusal(self, problem: Problem, fault: str) -> UndefinedIntervalError:
        """Error that tells the fault and what would work."""
        n, n_test = problem.n_samples, self._n_test(problem)
        advice = "Give more samples, or a larger test_share."
        if problem.labels() is not None:
            enough = 2 * -(-(n // 2) // n_test) + n % 2
            advice = (
                f"Test sets have {n_test} of {n // 2} samples: {enough} samples of each class "
                f"are enough{'' if self.stratify else ' with stratify=True'}, or a larger "
                "test_share, or merge rare classes."
            )
        tries = "" if self.stratify else f" ({N_TRIES} draws gave no better one)"
        return UndefinedIntervalError(
            f"ConservativeZ cannot estimate {problem.metric.name}: {fault}{tries}. {advice}"
        )

    def _estimate(self, problem: Problem) -> ConfidenceInterval:
        name = type(self).__name__
        arguments = [(problem, train, test) for train, test in self._splits(problem)]
        if self.stratify and problem.labels() is not None:
            problem.details["notes"].append(FIXED_SHARES)
        scores = np.array(self._run(fit_and_score, arguments)).reshape(-1, self.n_inner)
        check_scores(problem, scores, name)
        means = scores.mean(axis=1)
        differences = means[1::2] - means[2::2]
        problem.details.update(scores=scores[0].tolist(), differences=differences.tolist())
        standard_error = float(np.sqrt(np.mean(differences**2) / 2))
        self._tell_degenerate(problem, standard_error, float(means[0]))
        return self._from_se(
            float(means[0]),
            standard_error,
            problem.metric,
            details=problem.details,
        )


def mixed(rng: np.random.Generator, samples: np.ndarray, labels: np.ndarray | None) -> np.ndarray:
    """The samples in random order, sorted by label where there are labels."""
    order = rng.permutation(samples)
    return order if labels is None else order[np.argsort(labels[order], kind="stable")]


def spread_evenly(order: np.ndarray, n_chosen: int) -> np.ndarray:
    """`n_chosen` of the samples at equal distances, so that labels keep their shares."""
    places = (np.arange(n_chosen) + 0.5) * len(order) / n_chosen
    return order[places.astype(np.intp)]
