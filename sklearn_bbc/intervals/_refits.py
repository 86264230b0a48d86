"""Methods that train models: nested cross-validation, disjoint halves, direct bootstrap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.model_selection._search import BaseSearchCV
from sklearn.multioutput import ClassifierChain, RegressorChain
from sklearn.pipeline import Pipeline

from .._notes import warned
from .._parameters import Number, Whole, check_parameters
from .._text import threshold_sentences
from .._utils import is_integer, with_parameters
from ..exceptions import UndefinedIntervalError
from ..resampling import IID, Draws, Units, check_possible
from ..results._results import ConfidenceInterval
from ..selection._base import Selection, reported_metric
from ..selection._rules import RefitCallable
from ..selection._threshold import SensitivityAt, demand_details
from ._base import QuantileRule, count_undefined
from ._fold_scores import shares_are_even
from ._notes import outside_note
from ._refit_base import (
    FIXED_SHARES,
    Problem,
    RefitInterval,
    SplitFaults,
    check_refit_splits,
    check_scores,
    estimator_parts,
    is_mean_over_samples,
    note_redrawn,
    refuse_groups,
    samples,
)

N_DRAW_TRIES = 1000
"""How often folds that leave a class out of a training set are drawn again."""


@with_parameters
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
    {sides}
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
    label = ("nested cross-validation (Bates, Hastie and Tibshirani)", "Bates nested CV")
    estimand = "score on new samples of what tuning and training give on all samples"
    meant_for = "one estimator and a mean over samples, with time for many fits"
    cost = "repetitions * F (F + 1) / 2 fits"
    limits = (
        "few repetitions: the estimated error may be negative and is then set to its lower "
        "limit; fewer than 2 samples a fold, or 3 of a class; groups"
    )
    n_folds: int = 5
    n_repetitions: int = 10
    bias_power: float = 1.0
    stratify: bool = False
    confidence_level: float = 0.95
    alternative: str = "two-sided"
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 1

    _constraints = {
        "n_folds": Whole(3),
        "n_repetitions": Whole(1),
        "bias_power": Number(above=0),
    }

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
        """Draw the folds of each repetition; without any two of them all classes remain."""
        rng = np.random.default_rng(problem.entropy)
        n, labels = problem.n_samples, problem.labels()
        problem.details["n_redrawn"] = 0
        if labels is None:
            return [random_folds(rng, n, self.n_folds, None) for _ in range(self.n_repetitions)]
        classes, code = np.unique(labels, return_inverse=True)
        folds: list[np.ndarray] = []
        n_tries = 0
        while len(folds) < self.n_repetitions:
            fold = random_folds(rng, n, self.n_folds, code if self.stratify else None)
            size = np.zeros((len(classes), self.n_folds), dtype=np.intp)
            np.add.at(size, (code, fold), 1)
            n_with = np.count_nonzero(size, axis=1)
            if n_with.min() >= 3:  # so it is there without any two folds
                folds.append(fold)
                n_tries = 0
                continue
            problem.details["n_redrawn"] += 1
            n_tries += 1
            if n_tries == N_DRAW_TRIES:
                rarest = n_with.argmin()
                raise UndefinedIntervalError(
                    f"BatesNestedCV cannot estimate {problem.metric.name}: in {N_DRAW_TRIES} "
                    "draws of "
                    f"{self.n_folds} folds some class, such as {classes[rarest]} with "
                    f"{samples(size[rarest].sum())}, was always missing where two folds are left "
                    "out. Use more folds, stratify=True, or merge rare classes."
                )
        note_redrawn(problem, len(folds))
        return folds

    def _estimate(self, problem: Problem) -> ConfidenceInterval:
        n, n_folds = problem.n_samples, self.n_folds
        folds = self._folds(problem)
        if self.stratify and problem.labels() is not None:
            problem.details["notes"].append(FIXED_SHARES)
        held_out = [(k,) for k in range(n_folds)] + list(combinations(range(n_folds), 2))
        arguments = [(problem, fold, these) for fold in folds for these in held_out]
        losses = iter(self._run(row_scores_without, arguments))
        differences, inner_all, outer_all = [], [], []
        for _ in folds:
            of = dict(zip(held_out, losses))
            for k in range(n_folds):
                outer = of[(k,)][0]
                others = [j for j in range(n_folds) if j != k]
                inner = np.concatenate([of[min(k, j), max(k, j)][int(j > k)] for j in others])
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
        problem.details.update(
            mse=mse, clamped=clamped, naive_standard_error=naive,
            cv_score=float(outer_scores.mean()),
        )  # fmt: skip
        if mse < 0:
            problem.details["notes"].append(
                "The estimated mean squared error is negative, so the naive standard error was "
                "taken; more repetitions make that rarer."
            )
        return self._around(problem, float(estimate), float(standard_error))


def random_folds(
    rng: np.random.Generator, n_samples: int, n_folds: int, labels: np.ndarray | None
) -> np.ndarray:
    """Draw a fold for each sample, with sizes as equal as possible, also within each label."""
    order = rng.permutation(n_samples)
    if labels is not None:
        order = order[np.argsort(labels[order], kind="stable")]
    fold = np.empty(n_samples, dtype=np.intp)
    fold[order] = np.arange(n_samples) % n_folds
    return fold


def row_scores_without(
    problem: Problem, fold: np.ndarray, held_out: tuple[int, ...]
) -> list[np.ndarray]:
    """Score each sample of the held-out folds, by fold, with a model trained without them."""
    fitted = problem.fit(np.flatnonzero(~np.isin(fold, held_out)))
    return [problem.row_scores(fitted, np.flatnonzero(fold == k)) for k in held_out]


NO_REFIT_INTERVAL = (
    "No valid interval is known for nested cross-validation: the scores of the outer folds are "
    "not independent. Their spread is in outer_scores."
)


@with_parameters
class NestedCV(RefitInterval):
    """Nested cross-validation: tuning is repeated in every outer fold.

    The score of an outer fold is that of a model tuned without it, so selection causes no
    optimism. It costs one whole search per outer fold.

    Parameters
    ----------
    cv : int, splitter or iterable, default=5
        The outer splits, as everywhere in scikit-learn.
    corrected_t : bool, default=False
        Give the corrected resampled t interval over the outer folds as a heuristic.
        Without it the bounds are NaN.
    {sides}
    n_jobs : int or None, default=None
        Number of outer folds to run at the same time.
    verbose : int, default=1
        1 tells the number of fits before the run, more tells the progress too.

    See Also
    --------
    BBC : Estimates the same from the predictions of a single search.
    BatesNestedCV : Another method of this name, for the spread.

    Notes
    -----
    The estimate is the mean over the outer folds. It is nearly unbiased for tuning and
    training on the share of samples that an outer fold leaves, which is a little less
    than all. Groups are passed to the outer splitter and to the search. What is random is
    the splitter and the estimator: seed them.
    Cost: folds * (fits of one search).

    A number of folds makes them stratified for classifiers, as everywhere in scikit-learn.
    Good for the estimate, bad for `corrected_t`: the scores of such folds do not show how the
    score changes with the shares of the classes. Discriminant analysis of 80 samples, 20%
    positive, accuracy: the 95% interval held the truth in 84% of 150 data sets. A note
    tells; ``KFold(5, shuffle=True)`` draws folds at random.

    `details` of the result: ``outer_scores``, ``spread`` (their standard deviation),
    ``n_fits``, ``reason`` (why there is no interval), ``form`` and ``degenerate`` (with
    `corrected_t`: whether all outer folds score the same), ``unit``, ``notes``.

    A class with one sample, a fold that is trained without some class, and a test fold on
    which the metric is undefined are refused before the first fit. Equal scores in all
    outer folds give an interval that is a point, with a warning.

    References
    ----------
    .. [1] S. Varma, R. Simon, "Bias in error estimation when using cross-validation for
       model selection", BMC Bioinformatics 7, 91 (2006). :doi:`10.1186/1471-2105-7-91`
    .. [2] I. Tsamardinos, E. Greasidou, G. Borboudakis, "Bootstrapping the out-of-sample
       predictions for efficient and accurate cross-validation", Machine Learning 107,
       1895-1922 (2018). :doi:`10.1007/s10994-018-5714-4`

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from sklearn_bbc.intervals import NestedCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> search = GridSearchCV(tree, {"max_depth": [1, 2]}, cv=3)
    >>> result = NestedCV(cv=3).estimate(search, X, y)
    NestedCV: 3 runs of GridSearchCV with 7 fits, 21 in all
    >>> bool(0.8 < result.estimate < 1), len(result.details["outer_scores"])
    (True, 3)
    """

    name = "nested_cv"
    label = ("nested cross-validation", "nested CV")
    form_labels = {
        "corrected t": (
            "nested cross-validation with the corrected resampled t interval",
            "nested CV, corrected t",
        ),
    }
    estimand = (
        "score on new samples of what tuning and training give on the samples that an outer fold "
        "leaves"
    )
    meant_for = "a whole tuning procedure, when its estimate matters more than an interval"
    cost = "F searches"
    limits = (
        "no valid interval comes with it; the t interval over outer folds is too narrow, "
        "above all when they are stratified"
    )
    cv: Any = 5
    corrected_t: bool = False
    confidence_level: float = 0.95
    alternative: str = "two-sided"
    n_jobs: int | None = None
    verbose: int = 1

    def _splitter(self, problem: Problem) -> Any:
        return check_cv(self.cv, problem.y, classifier=is_classifier(problem.estimator))

    def _n_models(self, problem: Problem) -> int:
        return self._splitter(problem).get_n_splits(problem.X, problem.y, problem.groups)

    def _estimate(self, problem: Problem) -> ConfidenceInterval:
        name = type(self).__name__
        try:
            splits = list(self._splitter(problem).split(problem.X, problem.y, problem.groups))
        except ValueError as error:
            raise ValueError(
                f"{name} cannot split the data with cv={self.cv!r}: {error} Use fewer folds, or "
                "another splitter as cv."
            ) from error
        advice = f"Use fewer than {len(splits)} folds."
        if problem.labels() is not None:
            advice = f"{advice[:-1]}, a stratified splitter, or merge rare classes."
        check_refit_splits(problem, splits, name, advice)
        scores = np.array(self._run(fit_and_score, [(problem, *split) for split in splits]))
        check_scores(problem, scores, name)
        n_scores, estimate, details = len(scores), float(scores.mean()), problem.details
        spread = float(scores.std(ddof=1)) if n_scores > 1 else np.nan
        details.update(outer_scores=scores.tolist(), spread=spread)
        if not self.corrected_t or n_scores < 2:
            details["reason"] = NO_REFIT_INTERVAL
            return self._result(problem.metric, estimate, np.nan, np.nan, details=details)
        ratio = float(np.mean([len(test) / len(train) for train, test in splits]))
        details["form"] = "corrected t"
        details["notes"].append("Corrected resampled t over outer folds: a heuristic, liberal.")
        if stratified(problem, splits):
            details["notes"].append(
                "The outer folds are stratified, so their scores do not show what other shares of "
                "the classes would do. With accuracy and other metrics that depend on the shares "
                "the interval may be far too narrow; KFold with shuffle=True as cv shows it."
            )
        standard_error = spread * float(np.sqrt(1 / n_scores + ratio))
        return self._around(problem, estimate, standard_error, degrees=n_scores - 1, spread=spread)


def stratified(problem: Problem, splits: list[tuple[np.ndarray, np.ndarray]]) -> bool:
    """Check whether all test sets have about the shares of the classes in the data."""
    labels = problem.labels()
    if labels is None:
        return False
    code = np.unique(labels, return_inverse=True)[1]
    held = [np.bincount(code[test], minlength=code.max() + 1) for _, test in splits]
    return shares_are_even(np.array(held))


def fit_and_score(problem: Problem, train: np.ndarray, test: np.ndarray) -> float:
    """Fit a clone on `train` and score it on `test`."""
    return problem.score(problem.fit(train), test)


N_TRIES_OF_SPLIT = 100
"""How often a split without a class that must be there is drawn again, and then the halves."""

Splits = list[tuple[np.ndarray, np.ndarray]]
"""Training and test samples."""


class _NoSplit(Exception):
    """Error raised where no usable split was found; its message is the fault of the last one."""


@with_parameters
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
    {sides}
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
    label = ("the conservative Z interval", "conservative Z")
    estimand = "score on new samples of what tuning and training give on 90% of the samples"
    meant_for = "one estimator and any metric, with time for many fits"
    cost = "(2 n_outer + 1) n_inner fits"
    limits = (
        "fewer than about 40 samples: halves too small; small classes with metrics that need "
        "them in every test set; groups"
    )
    n_outer: int = 10
    n_inner: int = 15
    test_share: float = 0.1
    stratify: bool = False
    confidence_level: float = 0.95
    alternative: str = "two-sided"
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 1

    _constraints = {
        "n_outer": Whole(1),
        "n_inner": Whole(1),
        "test_share": Number(above=0, below=1),
    }

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
        """Draw splits of all samples, then of both halves of each pair."""
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
        """Draw the splits; draw those with a fault again, and count them."""
        n = problem.n_samples
        rng = np.random.default_rng(problem.entropy)
        labels = problem.labels() if self.stratify else None
        problem.details["n_redrawn"] = 0

        def splits_of(part: np.ndarray, where: str) -> Splits:
            """Draw splits of some samples; raise `_NoSplit` when one is not found."""
            splits: Splits = []
            for number in range(self.n_inner):
                for _ in range(N_TRIES_OF_SPLIT):
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

        splits = splits_of(np.arange(n), "all samples")
        for number in range(self.n_outer):
            where = f"a half of pair {number}"
            for left in reversed(range(N_TRIES_OF_SPLIT)):  # until both halves can be split
                order = mixed(rng, np.arange(n), labels)
                # Every second one: with labels the halves have the same share of each class.
                halves = (order[start : 2 * (n // 2) : 2] for start in (0, 1))
                try:
                    splits += [split for half in halves for split in splits_of(half, where)]
                    break
                except _NoSplit:
                    if not left:
                        raise
        note_redrawn(problem, len(splits))
        return splits

    def _refusal(self, problem: Problem, fault: str) -> UndefinedIntervalError:
        """Make the error that explains the fault and what would work."""
        n, n_test = problem.n_samples, self._n_test(problem)
        advice = "Give more samples, or a larger test_share."
        if problem.labels() is not None:
            enough = 2 * -(-(n // 2) // n_test) + n % 2
            advice = (
                f"Test sets have {n_test} of {n // 2} samples: {enough} samples of each class "
                f"are enough{'' if self.stratify else ' with stratify=True'}, or a larger "
                "test_share, or merge rare classes."
            )
        tries = "" if self.stratify else f" ({N_TRIES_OF_SPLIT} draws gave no better one)"
        return UndefinedIntervalError(
            f"ConservativeZ cannot estimate {problem.metric.name}: {fault}{tries}. {advice}"
        )

    def _estimate(self, problem: Problem) -> ConfidenceInterval:
        arguments = [(problem, *split) for split in self._splits(problem)]
        if self.stratify and problem.labels() is not None:
            problem.details["notes"].append(FIXED_SHARES)
        scores = np.array(self._run(fit_and_score, arguments)).reshape(-1, self.n_inner)
        check_scores(problem, scores, type(self).__name__)
        means = scores.mean(axis=1)
        differences = means[1::2] - means[2::2]
        problem.details.update(scores=scores[0].tolist(), differences=differences.tolist())
        standard_error = float(np.sqrt(np.mean(differences**2) / 2))
        return self._around(problem, float(means[0]), standard_error)


def mixed(rng: np.random.Generator, samples: np.ndarray, labels: np.ndarray | None) -> np.ndarray:
    """Shuffle the samples, then sort them by label where there are labels."""
    order = rng.permutation(samples)
    return order if labels is None else order[np.argsort(labels[order], kind="stable")]


def spread_evenly(order: np.ndarray, n_chosen: int) -> np.ndarray:
    """Choose `n_chosen` of the samples at equal distances, so that labels keep their shares."""
    places = (np.arange(n_chosen) + 0.5) * len(order) / n_chosen
    return order[places.astype(np.intp)]


def score_by_rule(
    problem: Problem, selection: Selection, counts: np.ndarray, params: dict[str, Any]
) -> tuple[float, int, bool | None]:
    """Search on a draw, choose on its out-of-fold predictions, score on the samples left out.

    `counts` (n_samples,).
    """
    in_bag = np.repeat(np.arange(len(counts)), counts)
    search = problem.fit(in_bag, **params)
    oof = search.oof_.with_selected(int(search.best_index_), by="the search")
    if not oof.responses:
        raise ValueError(
            f"{selection!r} needs out-of-fold predictions, but {type(search).__name__} kept none."
        )
    rule = selection.bind(problem.metric.bind(oof))
    members = rule.members().tolist()
    if -1 in members or not members:
        return np.nan, 0, None
    models, n_fits = [], 0
    for config in members:
        if config == search.best_index_:
            models.append(search.best_estimator_)
            continue
        chosen = clone(search.cv_results_["params"][config], safe=False)
        estimator = clone(search.estimator).set_params(**chosen)
        models.append(replace(problem, estimator=estimator).fit(in_bag))
        n_fits += 1
    left_out = problem.predictions(
        models, list(oof.responses), np.flatnonzero(counts == 0), problem.classes()
    )
    chosen = rule.on_all().columns
    reached = bool(chosen["reached"][0]) if "reached" in chosen else None
    return rule.score_elsewhere(left_out), n_fits, reached


@with_parameters
class DirectBootstrap(RefitInterval):
    """Bootstrap of the whole tuning: search, refit and score, on every resample.

    The expensive original that BBC imitates on the predictions of one search. It is here
    to check others against.

    Parameters
    ----------
    n_bootstraps : int, default=200
        Number of draws, at least 20; each is a whole search.
    {sides}
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.
    n_jobs : int or None, default=None
        Number of draws to run at the same time.
    verbose : int, default=1
        1 tells the number of fits before the run, more tells the progress too.
    quantile : NormalScoreQuantile or None, default=None
        How bounds are read off the sorted draws. None is `OrderStatistic`, as published;
        `NormalScoreQuantile` repeats R's boot.
    selection : Selection, default=None
        Rule by which the search in each draw selects, on its own fold scores; None leaves the
        search as it is. Only for an estimator that is a search, with one metric unless the
        rule is `RefitCallable`, whose function gets the ``cv_results_`` of the draw. A threshold
        or an ensemble is chosen on the out-of-fold predictions of that search, which must be
        one that keeps them (`BBCSearchCV`); members of an ensemble are fitted on the draw.

    See Also
    --------
    BBC : The same idea without refitting anything.

    Notes
    -----
    Each draw takes as many samples as there are (with groups: groups), with replacement;
    the estimator is fitted on them and scored on the samples left out. A search splits
    the distinct samples of a draw with its own splitter, and the copies of a sample go
    where the sample goes, so that no model is scored on a copy of what it was trained on.
    That holds for searches, for estimators with a parameter `cv` and for pipelines of
    them. It does not hold for what splits inside of these or inside another container (a
    search whose estimator is a search, a search in ``VotingClassifier``): it sees copies on
    both sides, and a warning and a note name it. An estimator that splits its data in a
    way of its own, as early stopping does, sees them too, without a warning.
    A `cv` that cannot split a draw, such as a share or a list of splits, is refused.
    Draws that lack a class in-bag or out-of-bag are drawn again. A draw trains on about
    63% distinct samples, so the estimate is pessimistic. Cost: n_bootstraps * (fits of
    one search).

    `details` of the result: ``n_redrawn``, ``n_undefined``, ``n_fits`` (those of the members
    of ensembles included), ``unit``,
    ``seed``, ``degenerate`` (all draws score the same, which a warning tells), ``median``
    (where the estimate is outside the interval), ``demand`` (of a threshold that must keep a
    rate, see `WithThreshold`), ``notes``.

    References
    ----------
    .. [1] K. Paraschakis, A. Castellani, G. Borboudakis, I. Tsamardinos, "Confidence
       interval estimation of predictive performance in the context of AutoML", AutoML
       Conference (2024), section 2.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from sklearn_bbc.intervals import DirectBootstrap
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> search = GridSearchCV(tree, {"max_depth": [1, 2]}, cv=3)
    >>> result = DirectBootstrap(n_bootstraps=20, random_state=0).estimate(search, X, y)
    DirectBootstrap: 20 runs of GridSearchCV with 7 fits, 140 in all
    >>> bool(0.8 < result.low < result.estimate < result.high < 1)
    True
    """

    name = "direct_bootstrap"
    label = ("the direct bootstrap", "direct bootstrap")
    estimand = "score on new samples of what tuning and training give on about 63% of the samples"
    meant_for = "a whole tuning procedure, when it can be run hundreds of times"
    cost = "B searches"
    limits = "trains on about 63% of the samples: too low; a class with one sample"
    n_bootstraps: int = 200
    confidence_level: float = 0.95
    alternative: str = "two-sided"
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 1
    quantile: QuantileRule | None = None
    selection: Selection | None = None

    def _n_models(self, problem: Problem) -> int:
        return self.n_bootstraps

    def _estimate(self, problem: Problem) -> ConfidenceInterval:
        rule, reported = None, problem.metric
        if self.selection is not None:
            estimator, rule = selecting(problem.estimator, self.selection)
            problem = replace(problem, estimator=estimator)
        if rule is not None:  # a threshold is scored by a metric of its own
            reported = reported_metric(rule, reported, problem.classes())
        check_splitting(problem, type(self).__name__)
        of_sample = np.arange(problem.n_samples)
        if problem.groups is not None:
            of_sample = np.unique(problem.groups, return_inverse=True)[1]
        units = Units(problem.details["unit"], of_sample, int(of_sample.max()) + 1)
        strata, names = None, ["the data"]
        if (classes := problem.classes()) is not None:
            strata = np.asarray(problem.labels() == classes[:, None])
            names = [f"class {label}" for label in classes]
        indicator = units.indicator(strata)
        check_possible(indicator, names, units.kind, type(self).__name__, problem.metric.name)
        draws = Draws(
            IID(units.n_units),
            self.n_bootstraps,
            problem.entropy,
            indicator=indicator,
            expand=units.expand,
        )
        note_uncovered(problem, type(self).__name__)
        counts = draws.map(lambda of_draw: of_draw)
        done = self._run(score_of_draw, [(problem, row, rule) for row in counts])
        of_draws, n_fits, reached = zip(*done, strict=True)
        scores = np.array(of_draws)
        details = problem.details
        params = {} if rule is None else rule.get_params(deep=False)
        demand = params.get("scoring")
        if isinstance(demand, SensitivityAt):
            known = [each for each in reached if each is not None]
            share = float(np.mean(known)) if known else None
            details["demand"] = demand_details(demand, None, share)
            details["notes"].extend(threshold_sentences(details))
        details["n_redrawn"] = draws.n_redrawn
        if details["n_fits"] is not None:
            details["n_fits"] += sum(n_fits)
        count_undefined(self, scores, reported)
        least, most = float(np.nanmin(scores)), float(np.nanmax(scores))
        self._note_degenerate(problem, most - least, min(least, most, key=abs))
        result = self._from_draws(
            scores, reported, n_bootstraps=self.n_bootstraps, details=details
        )
        return outside_note(result)


def selecting(estimator: Any, selection: Selection) -> tuple[Any, Selection | None]:
    """Make a search that selects by a rule; return it and the rule to apply after it, if any."""
    if not isinstance(estimator, BaseSearchCV):
        raise ValueError(
            f"selection={selection!r} is for searches, got {type(estimator).__name__}. Give a "
            "search such as GridSearchCV as the estimator, or selection=None."
        )
    on_samples = "predictions" in selection.needs
    keeps = hasattr(type(estimator), "interval") and getattr(estimator, "record", True)
    if on_samples and not keeps:
        raise ValueError(
            f"{selection!r} needs the out-of-fold predictions of the search in each draw, which "
            f"{type(estimator).__name__} does not keep. Give a BBCSearchCV with record=True. For "
            "a threshold TunedThresholdClassifierCV as the estimator works too."
        )
    if isinstance(selection, RefitCallable):
        if selection.scoring is not None or selection.cv_results is not None:
            raise ValueError(
                f"The search in each draw gives {selection!r} its own cv_results_, so there is no "
                "use for scoring and cv_results. Give RefitCallable(function), and the metrics to "
                "the search."
            )
        return clone(estimator).set_params(refit=selection.function), None
    scoring = estimator.scoring
    if isinstance(scoring, (Mapping, list, tuple, set)):
        raise ValueError(
            f"selection={selection!r} needs a search with one metric, got scoring={scoring!r}."
        )
    estimator = clone(estimator)
    if not on_samples:
        return estimator.set_params(refit=selection), None
    check_parameters(selection)
    # The search chooses the configuration, and what comes after it is left to the rule.
    first = selection.get_params(deep=False).get("configuration")
    if first is None:
        return estimator, selection
    estimator.set_params(refit=first)
    return estimator, clone(selection).set_params(configuration=None)


def score_of_draw(
    problem: Problem, counts: np.ndarray, rule: Selection | None = None
) -> tuple[float, int, bool | None]:
    """Score a draw out-of-bag; also count extra fits, and check whether a demand was met.

    `counts` (n_samples,).
    """
    params = {
        name: splits_of_copies(splitting, problem, counts)
        for name, splitting in splitting_parts(problem.estimator)
    }
    if rule is not None:
        return score_by_rule(problem, rule, counts, params)
    in_bag = np.repeat(np.arange(len(counts)), counts)
    return problem.score(problem.fit(in_bag, **params), np.flatnonzero(counts == 0)), 0, None


def splitting_parts(estimator: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the parts of an estimator that split their data, with the names of their `cv`."""
    if isinstance(estimator, Pipeline):
        for name, step in estimator.steps:
            yield from splitting_parts(step, f"{prefix}{name}__")
    elif splits_its_data(estimator):
        yield f"{prefix}cv", estimator


def check_splitting(problem: Problem, method: str) -> None:
    """Raise before the first fit when some `cv` cannot split the samples of a draw."""
    for name, part in splitting_parts(problem.estimator):
        cv = part.cv
        if cv is None or is_integer(cv, 2) or hasattr(cv, "split"):
            continue
        what, share = "a list of splits is one of all samples, but each draw has others", ""
        if isinstance(cv, (Integral, float)):
            what = f"{cv!r} is not a number of folds"
            if isinstance(cv, float) and 0 < cv < 1:
                share = f", such as StratifiedShuffleSplit(n_splits=1, test_size={cv!r})"
        raise ValueError(
            f"{method} splits the samples of each draw by the cv of {type(part).__name__} "
            f"({name}): {what}. Give a number of folds of at least 2, or a splitter{share}."
        )


def note_uncovered(problem: Problem, method: str) -> None:
    """Warn of parts with a parameter `cv` where copies cannot be kept together."""
    covered = {id(part) for _, part in splitting_parts(problem.estimator)}
    names = [
        f"{type(part).__name__} ({name})"
        for name, part in estimator_parts(problem.estimator)
        if id(part) not in covered and splits_its_data(part)
    ]
    if names:
        note = (
            f"Copies of a sample are on both sides of the splits of {', '.join(names)}, which "
            "scores what it was trained on: tuning there is too optimistic and may choose "
            "overfitted candidates."
        )
        problem.details["notes"].append(warned(note, method))


def splits_its_data(part: Any) -> bool:
    """Check whether the part splits the data that it is fitted on, by its parameter `cv`."""
    if not hasattr(part, "get_params") or "cv" not in part.get_params(deep=False):
        return False
    if isinstance(part, (ClassifierChain, RegressorChain)) and part.cv is None:
        return False  # trains on the true targets
    return not isinstance(part.cv, str)  # "prefit"


def splits_of_copies(
    splitting: Any, problem: Problem, counts: np.ndarray
) -> list[tuple[np.ndarray, ...]]:
    """Split a draw, `counts` (n_samples,), so that the copies of a sample stay together."""
    distinct = np.flatnonzero(counts)
    # Copies of a sample stand next to each other: position of each one in the draw.
    of_sample = np.split(
        np.arange(int(counts.sum())), np.cumsum(counts[distinct], dtype=np.intp)[:-1]
    )
    y = np.asarray(problem.y)[distinct]
    groups = None if problem.groups is None else problem.groups[distinct]
    splitter = check_cv(splitting.cv, y, classifier=is_classifier(splitting))
    try:
        # Splitters look at the number of rows of X only.
        splits = list(splitter.split(np.zeros((len(distinct), 1)), y, groups))
    except ValueError as error:
        raise UndefinedIntervalError(
            f"DirectBootstrap cannot split the {len(distinct)} distinct samples of a draw by the "
            f"cv of {type(splitting).__name__}: {error} Use fewer folds there, or more samples: a "
            "draw holds about 63% of them."
        ) from error
    return [
        tuple(np.concatenate([of_sample[k] for k in part]) for part in split) for split in splits
    ]
