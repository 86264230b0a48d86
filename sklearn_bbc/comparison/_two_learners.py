"""Two learners: by their scores per fold, or trained again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.stats import f as f_distribution
from scipy.stats import t
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples

from .._parameters import Number, check_parameters
from .._rounding import TERMS, rounding, without_rounding
from .._utils import check_arrays, suppress_fp_warnings, with_parameters
from ..contest._contest import best_by_folds
from ..exceptions import UndefinedIntervalError
from ..intervals._base import only_fold_scores
from ..intervals._fold_scores import size_ratio
from ..intervals._notes import lacking_note, no_spread
from ..intervals._refit_base import (
    Problem,
    SplitFaults,
    check_scores,
    fits_of,
    metric_of,
    refuse_unfitted,
)
from ..intervals._refits import fit_and_score
from ..metrics._base import least_size
from ..metrics._consumed import Unbound
from ..metrics._metric import Metric, as_metric
from ..resampling import entropy_of
from ..results._results import ComparisonResult
from ._base import (
    ROPE,
    BaseComparison,
    ComparisonRules,
    Pair,
    Side,
    check_names,
    difference_of,
    names_apart,
    not_accounted,
    p_of_statistic,
    sides_alike,
)

LEARNERS_FIXED = "Both sides were fixed before the folds were looked at."
OVERLAP = "The overlap of the training sets correlates the folds by the share of test samples."
OF_LEARNERS = "difference of two learners, expected over training sets of the folds' size"


class FoldComparison(BaseComparison):
    """Base of comparisons on folds: `Pair.fold_scores` are the scores, shape (n_splits, 2).

    They work from published scores per fold and from any fitted search as well, since no
    prediction is needed.
    """

    requires = frozenset({"folds"})
    estimand = OF_LEARNERS

    _constraints = {
        "test_over_train": Number(
            least=0, or_none=True, hint="For 10-fold cross-validation it is 1 / 9."
        )
    }

    def _metric(self, first: Side, second: Side, scoring: Any) -> Metric:
        """Make the metric; any name under which both sides have scores per fold is one."""
        try:
            return as_metric(scoring)
        except ValueError:
            known = [side.oof.fold_scores for side in (first, second)]
            if isinstance(scoring, str) and all(scoring in scores for scores in known):
                return Metric(name=scoring, scorer=only_fold_scores)
            raise

    def _bind(self, first: Side, second: Side, metric: Metric, notes: list[str]) -> Pair:
        configs = self._configs(first, second, metric)
        oof = first.oof if first.oof.n_rows else second.oof  # for its splits
        names = names_apart(first.described, second.described)
        scores = np.empty((oof.n_splits, 2))
        for side, config, column, name in zip((first, second), configs, scores.T, names):
            found = metric.recorded_fold_scores(side.oof)
            if found is None and side.oof.responses:
                found = metric.bind(side.oof).fold_scores(configs=np.array([config]))
            elif found is None:
                found = metric.fold_scores(side.oof)  # which names those that there are
            column[:] = np.nan if side.oof.failed[config] else found[:, config]
            undefined = np.flatnonzero(~np.isfinite(column)).tolist()
            if undefined:
                raise UndefinedIntervalError(
                    f"{name} has no finite {metric.name} in fold {undefined}: it failed there, or "
                    "the fold lacks a class. Use fewer or stratified folds."
                )
        if first.oof.n_rows:
            apart = ~sides_alike(first, second, configs, metric)
            same = np.bincount(first.oof.fold, apart, oof.n_splits) == 0
            scores[same, 1] = scores[same, 0]
        n_lacking, of_lacking = lacking_note(Unbound(metric, oof))
        about = dict.fromkeys([*notes, *first.oof.notes, *second.oof.notes, *of_lacking])
        details: dict[str, Any] = {
            "scores": scores.mean(axis=0).tolist(),
            "configs": list(configs),
            "unit": "fold",
            "n_folds": len(scores),
            "n_repeats": oof.n_repeats,
            "n_folds_lacking_class": n_lacking,
            "notes": [*about, *not_accounted(first, second)],
        }
        return Pair(oof=oof, fold_scores=scores, metric=metric, names=names, details=details)

    def _selected(self, side: Side, metric: Metric) -> int:
        """Return the search's choice, or the best mean over the folds."""
        if side.oof.selected is not None:
            return side.oof.selected
        best = best_by_folds(np.where(side.oof.failed, np.nan, metric.fold_scores(side.oof)))
        if best is None:
            raise UndefinedIntervalError(
                f"No configuration of {side.described} has a {metric.name} in every fold."
            )
        return int(best)

    def _ratio(self, pair: Pair) -> float:
        """Return the ratio of test to training samples, given or that of the splits."""
        given: float | None = getattr(self, "test_over_train", None)
        return size_ratio(pair.oof, type(self).__name__) if given is None else given


def moments(pair: Pair, ratio: float) -> tuple[float, float, int, float]:
    """Compute mean, standard error, degrees of freedom of the differences per fold, scores' size.

    Differences are 0 where the scores are the same up to rounding.
    """
    values, size = without_rounding_of_scores(
        pair.fold_scores[:, 0], pair.fold_scores[:, 1], pair.metric
    )
    error = float(np.std(values, ddof=1) * np.sqrt(1 / len(values) + ratio))
    return float(values.mean()), error, len(values) - 1, size


def without_rounding_of_scores(
    first: np.ndarray, second: np.ndarray, metric: Metric
) -> tuple[np.ndarray, float]:
    """Subtract scores, 0 where the same up to rounding, and return their mean size, too."""
    each = np.maximum(np.abs(first), np.abs(second))
    size = max(float(each.mean()), least_size(metric.bounds))
    return without_rounding(first - second, np.maximum(each, size), rounding(TERMS)), size


@with_parameters
class CorrectedResampledT(FoldComparison):
    """Corrected resampled t test of the differences per fold.

    The paired t test over folds takes their differences as independent, although their
    training sets overlap. The correction adds the share of test to training samples to the
    variance.

    Parameters
    ----------
    test_over_train : float, default=None
        Ratio of test to training samples of a split. None takes the mean over the splits: the
        recorded sizes, or ``1 / (n_folds - 1)`` of K-fold when there are none. 0 gives the
        paired t test over folds.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What speaks against no difference; ``"greater"`` is that the first side is better.

    Notes
    -----
    With J differences (of all repeats) of standard deviation S the standard error is
    ``S * sqrt(1 / J + n_test / n_train)``, and the distribution Student's with J - 1 degrees of
    freedom. The ratio is a heuristic: the test tends to be liberal on few repeats.

    `details` of the result: ``scores``, ``configs``, ``unit``, ``n_folds``, ``n_repeats``,
    ``n_folds_lacking_class``, ``test_over_train``, ``standard_error``, ``degrees``,
    ``degenerate``, ``notes``.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine
       Learning 52, 239-281 (2003). :doi:`10.1023/A:1024068626366`

    Examples
    --------
    >>> from sklearn_bbc.comparison import CorrectedResampledT, Side
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> best, worst = Side(oof=oof, config=3), Side(oof=oof, config=0)
    >>> result = CorrectedResampledT().compare(best, worst, "roc_auc")
    >>> print(f"{result.difference:.3f}, p = {result.p_value:.3f}")
    0.120, p = 0.318
    """

    name = "corrected_resampled_t"
    label = "corrected resampled t test"
    assumptions = (
        "The differences per fold are about normally distributed.",
        OVERLAP,
        LEARNERS_FIXED,
    )
    meant_for = "two configurations or learners of which the scores per fold are known, any metric"
    cost = "O(F)"
    limits = "few folds: little power; a heuristic that tends to be too liberal; no selection"

    test_over_train: float | None = None
    confidence_level: float = 0.95
    alternative: str = "two-sided"

    def _compare(self, pair: Pair) -> ComparisonResult:
        ratio = self._ratio(pair)
        mean, error, degrees, size = moments(pair, ratio)
        return self._from_standard_error(
            pair, mean, error, degrees=degrees, size=size, details={"test_over_train": ratio}
        )


@with_parameters
class BayesianCorrelatedT(FoldComparison):
    """Posterior of the difference, and how likely the two are equivalent in practice.

    The posterior of the mean difference is Student's, with the spread of the corrected
    resampled t test. It gives three probabilities: that the first side is better, that the
    second is, and that the difference lies in the region of practical equivalence.

    Parameters
    ----------
    rope : float, default=0.01
        Half the width of the region of practical equivalence, in the metric's unit: smaller
        differences do not matter. 0.01 is what [1]_ takes for accuracies. 0 leaves two
        probabilities.
    test_over_train : float, default=None
        Ratio of test to training samples of a split. None takes the mean over the splits: the
        recorded sizes, or ``1 / (n_folds - 1)`` of K-fold when there are none.
    confidence_level : float in (0, 1), default=0.95
        Probability of the credible interval.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps the lower bound only, ``"less"`` the upper one.

    Notes
    -----
    With J differences of mean m and standard deviation S the posterior is
    ``m + S * sqrt(1 / J + n_test / n_train) * t(J - 1)``, from a prior without information. The
    credible interval equals the confidence interval of `CorrectedResampledT`.

    `details` of the result: ``probabilities`` (of ``first``, ``equivalent`` and ``second``),
    ``rope``, ``sentence`` (the probabilities in words), ``interval`` (``"credible interval"``),
    ``scores``, ``configs``, ``unit``, ``n_folds``, ``n_repeats``, ``n_folds_lacking_class``,
    ``test_over_train``, ``scale`` (of the posterior), ``degrees``, ``degenerate``, ``notes``.

    References
    ----------
    .. [1] G. Corani, A. Benavoli, "A Bayesian approach for comparing cross-validated
       algorithms on multiple data sets", Machine Learning 100, 285-304 (2015).
       :doi:`10.1007/s10994-015-5486-z`
    .. [2] A. Benavoli, G. Corani, J. Demsar, M. Zaffalon, "Time for a change: a tutorial for
       comparing multiple classifiers through Bayesian analysis", Journal of Machine Learning
       Research 18, 1-36 (2017).

    Examples
    --------
    >>> from sklearn_bbc.comparison import BayesianCorrelatedT, Side
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> best, worst = Side(oof=oof, config=3), Side(oof=oof, config=0)
    >>> result = BayesianCorrelatedT(rope=0.02).compare(best, worst, "roc_auc")
    >>> {side: round(p, 2) for side, p in result.details["probabilities"].items()}
    {'first': 0.8, 'equivalent': 0.07, 'second': 0.13}
    """

    name = "bayesian_correlated_t"
    label = "Bayesian correlated t test"
    assumptions = (
        "The differences per fold are about normally distributed, and nothing was known before.",
        OVERLAP,
        LEARNERS_FIXED,
    )
    meant_for = "how likely two configurations or learners are equivalent in practice, any metric"
    cost = "O(F)"
    limits = "few folds: little is learned; depends on the region that is called equivalent"

    rope: float = 0.01
    test_over_train: float | None = None
    confidence_level: float = 0.95
    alternative: str = "two-sided"

    _constraints = {"rope": ROPE}

    def _compare(self, pair: Pair) -> ComparisonResult:
        ratio, rope = self._ratio(pair), float(self.rope)
        mean, scale, degrees, size = moments(pair, ratio)
        mean = float(without_rounding(mean, size, rounding(TERMS)))
        scale = float(without_rounding(scale, size, rounding(0)))
        degenerate = no_spread(scale, mean)
        if degenerate:
            beyond = without_rounding([mean - rope, -rope - mean], size, rounding(TERMS))
            first, second, half = float(beyond[0] > 0), float(beyond[1] > 0), 0.0
        else:
            first = float(t.sf((rope - mean) / scale, degrees))
            second = float(t.cdf((-rope - mean) / scale, degrees))
            half = float(t.ppf(1 - self._tail(), degrees)) * scale
        equivalent = max(0.0, 1 - first - second)
        more = f"better by more than {rope:g}" if rope else "better"
        words = [
            f"{name} is {more} with probability {p:.3f}"
            for name, p in zip(pair.names, (first, second))
        ]
        if rope:
            words.insert(1, f"they are equivalent with {equivalent:.3f}")
        details = {
            **pair.details,
            "probabilities": {"first": first, "equivalent": equivalent, "second": second},
            "rope": rope,
            "sentence": ", ".join(words) + ".",
            "interval": "credible interval",
            "test_over_train": ratio,
            "scale": scale,
            "degrees": degrees,
            "degenerate": degenerate,
        }
        if np.isinf(difference_of(pair.metric).bounds[1]) and rope:
            details["notes"].append(
                f"Differences of {pair.metric.name} of at most {rope:g} are called equivalent: "
                "choose a rope that means something for this metric."
            )
        if degenerate:
            self._note_no_spread(mean, details)
        return self._of_bounds(pair, mean, mean - half, mean + half, details)


NOT_RECOMMENDED = (
    "Not recommended: training sets of different folds overlap, so the test finds differences "
    "that are not there too often. Use CorrectedResampledT."
)


class KFoldPairedT(FoldComparison):
    """Paired t test of the differences per fold; not recommended.

    It takes the folds as independent samples. Their training sets overlap, so it rejects true
    hypotheses too often [1]_. It is here to repeat published analyses.

    Parameters
    ----------
    confidence_level : float in (0, 1), default=0.95
        {level} It holds it less often.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What speaks against no difference; ``"greater"`` is that the first side is better.

    Notes
    -----
    With J differences of mean m and standard deviation S the statistic is
    ``m / (S / sqrt(J))``, with J - 1 degrees of freedom.

    `details` of the result: ``scores``, ``configs``, ``unit``, ``n_folds``, ``n_repeats``,
    ``n_folds_lacking_class``, ``standard_error``, ``degrees``, ``degenerate``, ``notes``.

    References
    ----------
    .. [1] T. G. Dietterich, "Approximate statistical tests for comparing supervised
       classification learning algorithms", Neural Computation 10, 1895-1923 (1998).
       :doi:`10.1162/089976698300017197`

    Examples
    --------
    >>> from sklearn_bbc.comparison import KFoldPairedT, Side
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> best, worst = Side(oof=oof, config=3), Side(oof=oof, config=0)
    >>> result = KFoldPairedT().compare(best, worst, "roc_auc")
    >>> result.details["notes"][0][:16]
    'Not recommended:'
    """

    name = "k_fold_paired_t"
    label = "paired t test over folds (not recommended)"
    assumptions = (
        "The differences per fold are independent, which they are not: training sets overlap.",
        "The differences per fold are about normally distributed.",
        LEARNERS_FIXED,
    )
    meant_for = "repeating published analyses only; CorrectedResampledT is the test to use"
    cost = "O(F)"
    limits = "finds differences that are not there too often: training sets overlap"

    def __init__(self, *, confidence_level: float = 0.95, alternative: str = "two-sided") -> None:
        self.confidence_level = confidence_level
        self.alternative = alternative

    def _compare(self, pair: Pair) -> ComparisonResult:
        mean, error, degrees, size = moments(pair, 0)
        pair.details["notes"].insert(0, NOT_RECOMMENDED)
        return self._from_standard_error(pair, mean, error, degrees=degrees, size=size)


N_REPLICATIONS = 5
N_SPLIT_TRIES = 100
"""Draws of halves before it is given up to find two that can be trained on and scored."""


def training_problem(
    estimator: Any, X: Any, y: Any, metric: Metric, entropy: int, fit_params: Mapping[str, Any]
) -> Problem:
    """Make the problem of independent samples that an estimator is trained on."""
    return Problem(
        estimator=estimator, X=X, y=y, groups=None, fit_params=fit_params, metric=metric,
        n_samples=_num_samples(X), entropy=entropy,
    )  # fmt: skip


def check_trainable(X: Any, y: Any, estimators: Mapping[str, Any], hint: str = "") -> None:
    """Raise unless X and y have as many samples and estimators can be fitted and scored."""
    check_arrays(X=X, y=y)
    if _num_samples(y) != _num_samples(X):
        raise ValueError(f"X has {_num_samples(X)} samples, but y has {_num_samples(y)}.")
    for what, estimator in estimators.items():
        if not hasattr(estimator, "fit"):
            raise ValueError(
                f"{what} must be an estimator with a method fit, got {estimator!r}.{hint}"
            )
        refuse_unfitted(estimator)


@with_parameters
class FiveByTwo(ComparisonRules, BaseEstimator):
    """5x2cv test: both estimators trained on five pairs of halves.

    Five times the samples are cut into two halves at random; both estimators train on one half
    and are scored on the other, and vice versa. Training sets of one replication
    do not overlap.

    Parameters
    ----------
    combined : bool, default=True
        Whether to take Alpaydin's F test, which uses all ten differences and does not depend on
        their order, or Dietterich's t test, which has an interval and can be one-sided.
    confidence_level : float in (0, 1), default=0.95
        {level} Also the level at
        which `effect` calls a difference shown.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What speaks against no difference; others than ``"two-sided"`` need ``combined=False``.
    random_state : int, RandomState instance or None, default=None
        Seed of the halves. The estimators' own seeds are their own business.
    n_jobs : int or None, default=None
        Number of fits at the same time; the result does not depend on it.
    verbose : int, default=1
        1 prints the number of fits, more shows the progress, 0 is silent.

    Notes
    -----
    With differences p_ij of fold j in replication i, their mean p_i and
    ``s_i**2 = (p_i1 - p_i)**2 + (p_i2 - p_i)**2``, the statistics are
    ``p_11 / sqrt(mean(s_i**2))``, Student's with 5 degrees of freedom, and
    ``sum(p_ij**2) / (2 sum(s_i**2))``, F with (10, 5). The t test reports ``p_11``, the first
    difference alone, with its interval; the F test the mean of all ten, and has no interval.
    Models are trained on half of the samples, so the test is about learners at that size.
    Halves that lack a class are drawn again.

    Linear learners trained on one half and on the other are often wrong alike; the spread within
    replications is then too small: in `coverage.py comparisons` equal ridge classifiers were
    called different in 7 to 29% of data sets at 5%.

    `details` of the result: ``scores`` (mean of each side), ``differences`` (5 by 2),
    ``t_statistic``, ``t_p_value``, ``f_statistic``, ``f_p_value``, ``standard_error``,
    ``degenerate``, ``degrees`` (t test), ``n_redrawn``, ``n_fits``, ``unit``, ``seed``,
    ``notes``, ``reason`` (why the F test has no interval).

    References
    ----------
    .. [1] T. G. Dietterich, "Approximate statistical tests for comparing supervised
       classification learning algorithms", Neural Computation 10, 1895-1923 (1998).
       :doi:`10.1162/089976698300017197`
    .. [2] E. Alpaydin, "Combined 5x2 cv F test for comparing supervised classification
       learning algorithms", Neural Computation 11, 1885-1892 (1999).
       :doi:`10.1162/089976699300016007`

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from sklearn_bbc.comparison import FiveByTwo
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    >>> test = FiveByTwo(random_state=0)
    >>> result = test.compare(tree, DummyClassifier(), X[:200], y[:200])
    FiveByTwo: 20 fits of DecisionTreeClassifier and DummyClassifier
    >>> bool(result.difference > 0.2), bool(result.p_value < 0.01)
    (True, True)
    """

    name = "five_by_two"
    label = "5x2cv test"
    estimand = "difference of two learners, expected over training sets of half the samples"
    assumptions = (
        "Samples are independent.",
        "Differences of scores are about normally distributed, and independent between halves.",
    )
    meant_for = "two learners that are cheap to train, any metric"
    cost = "10 fits of each"
    limits = (
        "half of the samples to train on; linear learners, whose two halves share their luck: "
        "equal ones were called different in 7 to 29% of data sets; groups"
    )

    combined: bool = True
    confidence_level: float = 0.95
    alternative: str = "two-sided"
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 1

    def compare(
        self,
        first: Any,
        second: Any,
        X: Any,
        y: Any,
        *,
        scoring: Any = None,
        names: tuple[str, str] | None = None,
        groups: Any = None,
        **fit_params: Any,
    ) -> ComparisonResult:
        """Train both estimators as often as the method needs, and compare their scores.

        Parameters
        ----------
        first, second : estimator
            Searches, whose tuning is then part of what is compared, or single estimators.
            They are cloned, not changed.
        X : array-like of shape (n_samples, n_features)
            Data.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Target.
        scoring : str, scorer or Metric, default=None
            The metric. None takes that of the first estimator: by which a search selects, or
            scikit-learn's default (accuracy, R2).
        names : tuple of (str, str), default=None
            Names in results; None takes those of the classes.
        groups : array-like of shape (n_samples,), default=None
            Samples of one group depend on each other; refused where the method cannot know.
        **fit_params : dict
            Passed to both ``fit``; values with one entry per sample are cut like X.

        Returns
        -------
        ComparisonResult
            The first side's score minus the second's, greater is better.

        Raises
        ------
        ValueError
            If a parameter is out of range, the data do not suffice, the two would be scored by
            different metrics, or a search has ``refit=False``. No model has been trained then.
        """
        check_parameters(self)
        check_trainable(
            X, y, {"first": first, "second": second},
            " For predictions that you already have, use a comparison such as CorrectedResampledT "
            "on OOFPredictions.",
        )  # fmt: skip
        if groups is not None:
            raise ValueError(
                f"{type(self).__name__} takes samples as independent, but groups were given. "
                "Compare two searches that use a group splitter: their predictions keep the "
                "groups, as in search.compare(baseline=...)."
            )
        entropy, metric = (
            entropy_of(self.random_state),
            _metric_of_learners(first, second, scoring),
        )
        problems = [
            training_problem(each, X, y, metric, entropy, fit_params) for each in (first, second)
        ]
        if names is None:
            names = names_apart(type(first).__name__, type(second).__name__)
        check_names(names)
        notes = [*(problems[0].remarks or ())]
        details: dict[str, Any] = {"seed": entropy, "unit": "sample", "notes": notes}
        of_each = [fits_of(problem) for problem in problems]
        known = [n for n in of_each if n is not None]
        details["n_fits"] = 2 * N_REPLICATIONS * sum(known) if len(known) == 2 else None
        if self.verbose:
            total = details["n_fits"] or "an unknown number of"
            print(f"{type(self).__name__}: {total} fits of {names[0]} and {names[1]}")
        with suppress_fp_warnings():
            splits = self._splits(problems[0], details)
            parallel = Parallel(n_jobs=self.n_jobs, verbose=max(0, self.verbose - 1))
            flat = parallel(
                delayed(fit_and_score)(problem, *split) for problem in problems for split in splits
            )
            scores = np.array(flat, dtype=float).reshape(2, N_REPLICATIONS, 2)
            for problem, of_side in zip(problems, scores):
                check_scores(problem, of_side, type(self).__name__)
            details["scores"] = scores.mean(axis=(1, 2)).tolist()
            pair = Pair(metric=problems[0].metric, names=names, details=details)
            differences, _ = without_rounding_of_scores(scores[0], scores[1], metric)
            return self._of_differences(pair, differences)

    def _validate(self) -> None:
        super()._validate()
        if self.combined and self.alternative != "two-sided":
            raise ValueError(
                f"The F test has no sides, got alternative={self.alternative!r}. The t test has: "
                "FiveByTwo(combined=False, alternative=...)."
            )

    def _splits(
        self, problem: Problem, details: dict[str, Any]
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Draw train and test samples of each half of each replication."""
        rng, n = np.random.default_rng(problem.entropy), problem.n_samples
        fault_of = SplitFaults(problem)
        splits: list[tuple[np.ndarray, np.ndarray]] = []
        details["n_redrawn"] = 0
        for number in range(N_REPLICATIONS):
            where = f"a half of replication {number}"
            for _ in range(N_SPLIT_TRIES):
                order = rng.permutation(n)
                one, other = np.sort(order[: n // 2]), np.sort(order[n // 2 :])
                fault = fault_of(one, other, where) or fault_of(other, one, where)
                if fault is None:
                    splits += [(one, other), (other, one)]
                    break
                details["n_redrawn"] += 1
            else:
                raise UndefinedIntervalError(
                    f"FiveByTwo cannot compare by {problem.metric.name}: {fault} "
                    f"({N_SPLIT_TRIES} draws "
                    "gave no better halves). Add samples, or merge rare classes."
                )
        return splits

    def _of_differences(self, pair: Pair, differences: np.ndarray) -> ComparisonResult:
        """Make the result from the differences, (n_replications, 2)."""
        t_statistic, t_p_value, error = t_test(differences, self.alternative)
        f_statistic, f_p_value = f_test(differences)
        details = {
            **pair.details,
            "differences": differences.tolist(),
            "t_statistic": t_statistic,
            "t_p_value": t_p_value,
            "f_statistic": f_statistic,
            "f_p_value": f_p_value,
            "standard_error": error,
            "degenerate": error == 0,
        }
        if not self.combined:
            return self._from_standard_error(
                pair, float(differences[0, 0]), error, degrees=N_REPLICATIONS, details=details
            )
        if error == 0:
            self._note_no_spread(float(np.abs(differences).max()), details)
        details["reason"] = "The F test has no interval; combined=False has that of the t test."
        return self._of_bounds(
            pair, float(differences.mean()), np.nan, np.nan, details,
            statistic=f_statistic, p_value=f_p_value, label="combined 5x2cv F test",
        )  # fmt: skip


def _metric_of_learners(first: Any, second: Any, scoring: Any) -> Metric:
    """Return the metric of both, unless each has its own."""
    if scoring is None and is_classifier(first) != is_classifier(second):
        raise ValueError(
            "One of the two is a classifier, the other is not, so they have no score in common. "
            "Pass scoring=..."
        )
    one, other = metric_of(first, scoring), metric_of(second, scoring)
    if one.name != other.name:
        raise ValueError(
            f"The first would be scored by {one.name}, the second by {other.name}. Pass "
            "scoring=..., by which both are scored."
        )
    return one


def squared_spreads(differences: np.ndarray) -> np.ndarray:
    """Sum squares of each replication around its own mean, (n_replications,)."""
    return np.square(differences - differences.mean(axis=1, keepdims=True)).sum(axis=1)


def t_test(differences: np.ndarray, alternative: str) -> tuple[float, float, float]:
    """Compute Dietterich's statistic, its p-value, and the first difference's standard error."""
    error = float(np.sqrt(squared_spreads(differences).mean()))
    first = float(differences[0, 0])
    statistic = first / error if error > 0 else float(np.sign(first) * np.inf) if first else 0.0
    return statistic, p_of_statistic(statistic, alternative, t(len(differences))), error


def f_test(differences: np.ndarray) -> tuple[float, float]:
    """Compute Alpaydin's statistic and its p-value."""
    above, below = float(np.square(differences).sum()), float(squared_spreads(differences).sum())
    if below == 0:
        return (np.inf, 0.0) if above > 0 else (0.0, 1.0)
    n = len(differences)
    return above / (2 * below), float(f_distribution.sf(above / (2 * below), 2 * n, n))
