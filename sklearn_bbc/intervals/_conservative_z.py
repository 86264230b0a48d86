"""Interval from the spread between disjoint halves of the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..results import ConfidenceInterval
from ._nested_cv import fit_and_score
from ._refit import RefitInterval
from ._refit_checks import check_at_least, check_scores, check_splits, refuse_groups
from ._refit_problem import Problem


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
    confidence_level : float in (0, 1), default=0.95
        Share of data sets for which the interval should hold the true score.
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
    pairs of ``(m1 - m2)**2 / 2``. Splits are stratified for classifiers. Below about 40
    samples the halves are too small. Cost: ``(2 n_outer + 1) n_inner`` fits.

    `details` of the result: ``standard_error``, ``scores`` (of the splits of all
    samples), ``differences`` (m1 - m2), ``n_fits``, ``seed``, ``unit``, ``degenerate``,
    ``notes``.

    Each class needs 4 samples, two in each half (5 where the number of samples is odd), and
    a metric that needs all classes in a test set, such as roc_auc, more: less is refused
    before the first fit. Halves that never differ give an interval that is a point:
    ``details["degenerate"]`` and a warning tell.

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
    estimand = "expected performance over training sets of 90% of the samples"

    def __init__(
        self,
        *,
        n_outer: int = 10,
        n_inner: int = 15,
        test_share: float = 0.1,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 1,
    ) -> None:
        self.n_outer = n_outer
        self.n_inner = n_inner
        self.test_share = test_share
        self.confidence_level = confidence_level
        self.alternative = alternative
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _validate(self) -> None:
        super()._validate()
        check_at_least("n_outer", self.n_outer, 1)
        check_at_least("n_inner", self.n_inner, 1)
        if not 0 < self.test_share < 1:
            raise ValueError(
                f"test_share must be strictly between 0 and 1, got {self.test_share!r}."
            )

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
        return 4 + problem.n_samples % 2, "one to train on and one to test in each half"

    def _estimate(self, problem: Problem) -> ConfidenceInterval:
        n, n_test = problem.n_samples, self._n_test(problem)
        rng = np.random.default_rng(problem.entropy)
        labels = problem.labels()
        everything = np.arange(n)
        parts = [everything]
        for _ in range(self.n_outer):
            order = mixed(rng, everything, labels)
            # Every second one: the halves have the same share of each class.
            parts += [order[0 : 2 * (n // 2) : 2], order[1 : 2 * (n // 2) : 2]]
        arguments = []
        for part in parts:
            for _ in range(self.n_inner):
                test = spread_evenly(mixed(rng, part, labels), n_test)
                arguments.append((problem, np.setdiff1d(part, test), np.sort(test)))
        name = type(self).__name__
        enough = 2 * -(-(n // 2) // n_test) + n % 2
        check_splits(
            problem,
            [(train, test) for _, train, test in arguments],
            name,
            f"Test sets have {n_test} of {n // 2} samples: {enough} samples of each class are "
            "enough, or a larger test_share."
            if labels is not None
            else "Give more samples, or a larger test_share.",
        )
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
