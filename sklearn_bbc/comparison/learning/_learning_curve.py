"""Learning curves with corrected intervals."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples

from ..._floats import quiet
from ..._integers import check_integer
from ..._nearest import explain_arguments
from ..._warn import hold_warnings, warn_user
from ...exceptions import IntervalWarning
from ...intervals.single._corrected_t import CorrectedT
from ...intervals.training._base import fits_of, metric_of
from ...intervals.training._checks import check_scores, check_splits, refuse_unfitted
from ...intervals.training._problem import Problem
from ...metrics import Metric
from ...predictions import OOFPredictions
from ...resampling._streams import entropy_of
from ...results import ComparisonResult, ConfidenceInterval, LearningCurveResult
from .._sides import Side
from ..folds._corrected_resampled_t import CorrectedResampledT
from ._flags import flags_of
from ._power_law import fit_power_law
from ._subsets import Split, sizes_of, splits_of

NAME = "learning_curve_intervals"
SMALL = 0.02
"""Share of the range of a metric that is taken as a difference that does not matter."""


@explain_arguments()
def learning_curve_intervals(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    scoring: Any = None,
    train_sizes: Any = (0.2, 0.4, 0.6, 0.8, 1.0),
    n_folds: int = 5,
    n_repeats: int = 3,
    groups: Any = None,
    confidence_level: float = 0.95,
    fit: bool = True,
    tolerance: float | None = None,
    acceptable: float | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    **fit_params: Any,
) -> LearningCurveResult:
    """Scores by the number of training samples, each with a corrected interval.

    In each fold of each repeat the estimator is trained on growing parts of the training
    samples, each part contained in the next, and scored on the part itself and on the fold.

    Parameters
    ----------
    estimator : estimator
        A search, which then tunes anew within each part, or any other estimator. It is cloned,
        not changed.
    X : array-like of shape (n_samples, n_features)
        Data.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Target.
    scoring : str, scorer or Metric, default=None
        The metric. None takes that by which a search selects, or scikit-learn's default
        (accuracy, R2).
    train_sizes : array-like, default=(0.2, 0.4, 0.6, 0.8, 1.0)
        Numbers of training samples, or shares of the smallest training set of the folds.
    n_folds : int, default=5
        Folds of each repeat, stratified for classifiers.
    n_repeats : int, default=3
        Repeats with other folds and other parts.
    groups : None
        Samples that depend on each other are refused: the folds would separate them.
    confidence_level : float in (0, 1), default=0.95
        Of each interval by itself, not of all together.
    fit : bool, default=True
        Whether ``a + b * n ** -c`` is fitted to the mean test scores, c in (0, 2]; it takes at
        least three sizes.
    tolerance : float, default=None
        Difference of scores that does not matter in practice, for `flags`. None takes 2% of
        the metric's range; where that is infinite there are no flags.
    acceptable : float, default=None
        Test score that would be good enough, in scorer orientation. Without it a poor plateau
        cannot be told from a good one, and high bias is not flagged.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds and the parts. An estimator has its own.
    n_jobs : int or None, default=None
        Number of processes, as in scikit-learn. It changes no number.
    verbose : int, default=0
        1 tells the number of fits first; larger numbers the progress, too.
    **fit_params : dict
        Passed to ``fit``; values with one entry per sample are cut like X.

    Returns
    -------
    LearningCurveResult
        Intervals of test score, training score and gap for each size, and the fitted curve.

    Raises
    ------
    ValueError
        If a parameter is out of range, a part lacks a class, or a search has ``refit=False``;
        no model has been trained then. Also if a score is undefined.

    See Also
    --------
    CorrectedResampledT : The test behind the gap.

    Notes
    -----
    The interval of a size is the corrected resampled t interval [1]_ of J = ``n_repeats *
    n_folds`` scores with the ratio of test to training samples of that size. The ratio is
    large for small sizes, which makes their intervals wide. It is a heuristic.

    Sizes share folds and samples, so the points of a curve are correlated, and the fit does not
    weigh them. Where extrapolation ends is the reader's judgement; `predict` warns beyond four
    times the largest size. Cost: ``n_sizes * n_repeats * n_folds`` fits.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine Learning 52,
       239-281 (2003). :doi:`10.1023/A:1024068626366`

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from sklearn_bbc.comparison import learning_curve_intervals
    >>> X, y = load_iris(return_X_y=True)
    >>> result = learning_curve_intervals(
    ...     DecisionTreeClassifier(random_state=0), X, y, train_sizes=[15, 30, 60, 120],
    ...     acceptable=0.99, random_state=0,
    ... )
    >>> print(f"{result.test[-1].estimate:.2f} with 120, {result.predict(240):.2f} with 240")
    0.94 with 120, 0.94 with 240
    """
    _check(groups, confidence_level, fit, tolerance, acceptable, n_folds, n_repeats, verbose)
    n_samples = _num_samples(X)
    if _num_samples(y) != n_samples:
        raise ValueError(f"X has {n_samples} samples, but y has {_num_samples(y)}.")
    if not hasattr(estimator, "fit"):
        raise ValueError(f"estimator must have a method fit, got {estimator!r}.")
    if n_folds > n_samples:
        raise ValueError(f"n_folds must be at most the {n_samples} samples, got {n_folds}.")
    refuse_unfitted(estimator)
    metric = metric_of(estimator, scoring)
    problem = Problem(
        estimator=estimator, X=X, y=y, groups=None, fit_params=fit_params, metric=metric,
        n_samples=n_samples, entropy=entropy_of(random_state),
    )  # fmt: skip
    splits = _splits(problem, n_folds, n_repeats)
    sizes = sizes_of(train_sizes, min(len(split.train) for split in splits))
    check_splits(
        problem, _trained_and_tested(splits, sizes), NAME,
        "Use larger train_sizes, fewer folds, or merge rare classes.",
    )  # fmt: skip
    notes: list[str] = []
    if fit and len(sizes) < 3:
        notes.append("No curve is fitted: that takes at least three train_sizes.")
    details: dict[str, Any] = {"seed": problem.entropy, "notes": notes}
    n_models = len(sizes) * len(splits)
    each = fits_of(problem)
    details["n_fits"] = None if each is None else n_models * each
    if verbose:
        print(f"{NAME}: {details['n_fits'] or f'at least {n_models}'} fits")
    parallel = Parallel(n_jobs=n_jobs, verbose=max(0, verbose - 1))
    with quiet():
        pairs = parallel(
            delayed(_fit_and_score)(problem, split, size) for size in sizes for split in splits
        )
    scores = np.array(pairs, dtype=float).reshape(len(sizes), len(splits), 2)
    check_scores(problem, scores, NAME)
    return _result(scores, splits, sizes, metric, n_folds, n_repeats, confidence_level, fit,
                   tolerance, acceptable, details)  # fmt: skip


def _result(
    scores: np.ndarray, splits: list[Split], sizes: np.ndarray, metric: Metric, n_folds: int,
    n_repeats: int, level: float, fit: bool, tolerance: float | None, acceptable: float | None,
    details: dict[str, Any],
) -> LearningCurveResult:  # fmt: skip
    """Intervals, flags and curve of the scores, shape (n_sizes, n_splits, 2)."""
    n_test = float(np.mean([len(split.test) for split in splits]))
    train, test, gap = zip(
        *(_intervals(of_size, n_test / n, metric, level)
          for n, of_size in zip(sizes.tolist(), scores, strict=True)),
        strict=True,
    )  # fmt: skip
    notes = details["notes"]
    points = [int(n) for n, each in zip(sizes, test, strict=True) if each.low == each.high]
    if points:
        told = (
            f"All splits score the same at {points} training samples: no spread can be seen, the "
            "interval is a point and certainly wrong."
        )
        notes.append(told)
        warn_user(f"{NAME}: {told}", IntervalWarning)
    curve = None
    if fit and len(sizes) >= 3:
        means = scores[:, :, 1].mean(axis=1)
        curve, told_of_fit = fit_power_law(sizes, means)
        notes += told_of_fit
        a, b, c = curve
        details["rmse"] = float(np.sqrt(np.mean((means - a - b * sizes.astype(float) ** -c) ** 2)))
    width = float(metric.bounds[1] - metric.bounds[0])
    if tolerance is None and np.isfinite(width):
        tolerance = SMALL * width
    flags = {}
    if tolerance is None:
        notes.append(
            f"No flags: {metric.name} has no finite range, so tolerance must be given: the "
            "difference that does not matter."
        )
    else:
        flags = flags_of(test, train, gap, tolerance, acceptable)
    return LearningCurveResult(
        sizes=sizes, test=test, train=train, gap=gap, test_scores=scores[:, :, 1],
        train_scores=scores[:, :, 0], metric=metric.name, n_repeats=n_repeats, n_folds=n_folds,
        curve=curve, flags=flags,
        details={**details, "tolerance": tolerance, "acceptable": acceptable},
    )  # fmt: skip


def _intervals(
    scores: np.ndarray, ratio: float, metric: Metric, level: float
) -> tuple[ConfidenceInterval, ConfidenceInterval, ComparisonResult]:
    """Of training score, test score and gap, from scores of shape (n_splits, 2)."""
    both, train, test = (
        OOFPredictions(y_true=np.empty(0), classes=None, fold_scores={metric.name: columns})
        for columns in (scores, scores[:, :1], scores[:, 1:])
    )
    # A training score of 1 in all splits is common; the caller warns of what matters.
    with hold_warnings():
        alone = CorrectedT(test_over_train=ratio, confidence_level=level)
        gap = CorrectedResampledT(test_over_train=ratio, confidence_level=level).compare(
            Side(oof=both, config=0, name="training score"),
            Side(oof=both, config=1, name="test score"),
            metric,
        )
        return alone.estimate(train, metric), alone.estimate(test, metric), gap


def _fit_and_score(problem: Problem, split: Split, size: int) -> tuple[float, float]:
    """Score on the training samples and on the test samples."""
    train = np.sort(split.train[:size])
    fitted = problem.fit(train)
    return problem.score(fitted, train), problem.score(fitted, split.test)


def _splits(problem: Problem, n_folds: int, n_repeats: int) -> list[Split]:
    labels = problem.labels()
    if labels is not None:
        classes, labels = np.unique(labels, return_inverse=True)
        counts = np.bincount(labels)
        rarest = int(counts.argmin())
        if counts[rarest] < n_folds:
            raise ValueError(
                f"n_folds={n_folds} needs {n_folds} samples of each class, but class "
                f"{classes[rarest]} has {counts[rarest]}. Use fewer folds, or merge rare classes."
            )
    return splits_of(labels, problem.n_samples, n_folds, n_repeats, problem.entropy)


def _trained_and_tested(
    splits: list[Split], sizes: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The smallest part of each split: larger ones contain it."""
    for split in splits:
        yield split.train[: sizes[0]], split.test


def _check(
    groups: Any, level: Any, fit: Any, tolerance: Any, acceptable: Any, n_folds: Any,
    n_repeats: Any, verbose: Any,
) -> None:  # fmt: skip
    if groups is not None:
        raise ValueError(
            f"{NAME} takes samples as independent, but groups were given: its folds would "
            "separate samples of a group. Keep one sample of each group, or use NestedCV with a "
            "group splitter."
        )
    number = isinstance(level, Real) and not isinstance(level, bool)
    if not (number and 0 < level < 1):
        raise ValueError(
            f"confidence_level must be a number strictly between 0 and 1, got {level!r}."
        )
    if not isinstance(fit, (bool, np.bool_)):
        raise ValueError(f"fit must be True or False, got {fit!r}.")
    for name, value, least in (("tolerance", tolerance, 0), ("acceptable", acceptable, -np.inf)):
        number = isinstance(value, Real) and not isinstance(value, bool)
        if value is not None and not (number and np.isfinite(value) and value >= least):
            size = " >= 0" if least == 0 else ""
            raise ValueError(f"{name} must be a number{size} or None, got {value!r}.")
    check_integer("n_folds", n_folds, 2)
    check_integer("n_repeats", n_repeats, 1)
    check_integer("verbose", verbose)
