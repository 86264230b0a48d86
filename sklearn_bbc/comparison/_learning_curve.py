"""Learning curves: scores by the number of training samples, with corrected intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples

from .._notes import warned
from .._parameters import CONFIDENCE, JOBS, Number, Whole, constrained
from .._text import digits
from .._utils import explain_arguments, is_integer, suppress_fp_warnings
from .._warnings import hold_warnings
from ..intervals._fold_scores import CorrectedT
from ..intervals._refit_base import Problem, check_refit_splits, check_scores, fits_of, metric_of
from ..metrics._metric import Metric
from ..predictions._predictions import OOFPredictions
from ..resampling import entropy_of
from ..results._learning_curves import LearningCurveResult
from ..results._results import ComparisonResult, ConfidenceInterval
from ._base import Side
from ._two_learners import CorrectedResampledT, check_trainable, training_problem

NAME = "learning_curve_intervals"
SMALL_LOSS = 0.02
"""Share of the range of a metric that is taken as a difference that does not matter."""
Intervals = Sequence[ConfidenceInterval]


def flags_of(
    test: Intervals,
    train: Intervals,
    gap: Sequence[ComparisonResult],
    tolerance: float,
    acceptable: float | None,
) -> dict[str, str]:
    """Name the flags that apply, each with a sentence.

    A curve has levelled off when its mean changed by at most `tolerance` over the last step.
    A gap is large and persists when its interval lies above `tolerance` at the two largest
    sizes.
    """
    step, of_train = (curve[-1].estimate - curve[-2].estimate for curve in (test, train))
    level = abs(step) <= tolerance and abs(of_train) <= tolerance
    large = all(each.low > tolerance for each in gap[-2:])
    best = max(test[-1].estimate, train[-1].estimate)
    flags = {}
    if step > tolerance:
        flags["rising"] = (
            f"The test score still rises: by {digits(step)} over the last step, so more data "
            "should help."
        )
    elif level:
        flags["plateau"] = (
            f"Both scores changed by at most {tolerance:g} over the last step: more data of the "
            "same kind would hardly help."
        )
    if acceptable is not None and level and not large and best < acceptable:
        flags["high_bias"] = (
            f"Both scores have levelled off below the acceptable {acceptable:g} (high bias): a "
            "more flexible model or better features are needed, not more data."
        )
    if large:
        flags["high_variance"] = (
            f"The training score stays above the test score, by {digits(gap[-1].difference)} at "
            f"the largest size (high variance): more data, a simpler model or more regularisation "
            "may help."
        )
    return flags


LARGEST_C = 2.0
SMALLEST_C = 1e-3


def fit_power_law(
    sizes: np.ndarray, scores: np.ndarray
) -> tuple[tuple[float, float, float], list[str]]:
    """Fit ``a + b * n ** -c`` by least squares, c in (0, 2].

    For a given c the best a and b are those of a straight line in ``n ** -c``, so only c is
    searched: on a grid first, since the sum of squares can have several minima. Returns a, b and
    c, and notes.
    """
    scale = float(np.exp(np.log(sizes).mean()))  # powers of n itself would lose digits
    relative = np.asarray(sizes, dtype=float) / scale
    if np.ptp(scores) <= 1e-12 * max(1.0, float(np.abs(scores).max())):
        return (float(scores.mean()), 0.0, 1.0), [
            "The mean scores are the same at all sizes, so the fitted curve is a level line."
        ]

    def line(c: float) -> tuple[float, float, float]:
        powers = relative**-c
        x, y = powers - powers.mean(), scores - scores.mean()
        b = float(x @ y / (x @ x))
        a = float(scores.mean() - b * powers.mean())
        return a, b, float(np.square(y - b * x).sum())

    grid = np.geomspace(SMALLEST_C, LARGEST_C, 200)
    best = int(np.argmin([line(c)[2] for c in grid]))
    around = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    found = minimize_scalar(
        lambda c: line(c)[2], bounds=around, method="bounded", options={"xatol": 1e-12}
    )
    c = float(min(found.x, grid[best], key=lambda c: line(c)[2]))
    a, b, _ = line(c)
    notes = []
    if c > 0.999 * LARGEST_C:
        notes.append("The fitted exponent is at its largest allowed value, 2.")
    if c < 0.02:
        notes.append(
            "The fitted exponent is close to 0: the curve has not begun to level off, so where it "
            "ends is not known. Do not use `predict` beyond the largest size."
        )
    if len(sizes) == 3:
        notes.append("Three sizes fit any such curve: add sizes to see whether it has this shape.")
    return (a, b * scale**c, c), notes


TrainTest = tuple[np.ndarray, np.ndarray]
"""Training samples of a fold, the first n of which are the part of size n, and test samples."""


def splits_of(
    labels: np.ndarray | None, n_samples: int, n_folds: int, n_repeats: int, entropy: int
) -> list[TrainTest]:
    """Draw the folds of all repeats, and an order of the training samples of each.

    Each beginning of an order has about the shares of the classes of the whole: the k-th sample
    of a class of m stands at ``(k + 1/2) / m`` of the way. `labels` (n_samples,).
    """
    found = []
    for repeat in range(n_repeats):
        rng = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(repeat,)))
        kind: Any = KFold if labels is None else StratifiedKFold
        folds = kind(n_folds, shuffle=True, random_state=int(rng.integers(2**31 - 1)))
        for train, test in folds.split(np.zeros(n_samples), labels):
            shuffled = train[rng.permutation(len(train))]
            if labels is not None:
                place = np.empty(len(train))
                for label in np.unique(labels):
                    here = np.flatnonzero(labels[shuffled] == label)
                    place[here] = (np.arange(len(here)) + 0.5) / len(here)
                shuffled = shuffled[np.argsort(place, kind="stable")]
            found.append((shuffled, test))
    return found


def train_sizes_of(train_sizes: Any, largest: int) -> np.ndarray:
    """Return numbers of training samples, increasing."""
    given = list(train_sizes) if hasattr(train_sizes, "__iter__") else []
    what = (
        f"train_sizes must be at least two different integers from 1 to {largest} (the smallest "
        f"training set of the folds), or as many shares of it above 0 and up to 1, got "
        f"{train_sizes!r}."
    )
    if all(is_integer(size) for size in given):
        sizes = np.array(given, dtype=int)
    elif all(isinstance(size, (float, np.floating)) and 0 < size <= 1 for size in given):
        sizes = np.array([int(size * largest + 1e-9) for size in given])
    else:
        raise ValueError(what)
    sizes = np.sort(sizes)
    if len(sizes) < 2 or sizes[0] < 1 or sizes[-1] > largest or not np.diff(sizes).all():
        raise ValueError(what)
    return sizes


@explain_arguments()
@constrained(
    n_folds=Whole(2), n_repeats=Whole(1), confidence_level=CONFIDENCE, n_jobs=JOBS,
    verbose=Whole(), tolerance=Number(least=0, or_none=True), acceptable=Number(or_none=True),
)  # fmt: skip
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
    """Compute scores by the number of training samples, each with a corrected interval.

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
        cannot be distinguished from a good one, and high bias is not flagged.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds and the parts. An estimator has its own.
    n_jobs : int or None, default=None
        Number of processes, as in scikit-learn. It changes no number.
    verbose : int, default=0
        1 prints the number of fits first; larger numbers the progress, too.
    **fit_params : dict
        Passed to ``fit``; values with one entry per sample are cut like X.

    Returns
    -------
    LearningCurveResult
        Intervals of test score, training score and gap for each size, and the fitted curve.

    See Also
    --------
    CorrectedResampledT : The test behind the gap.

    Notes
    -----
    The interval of a size is the corrected resampled t interval [1]_ of J = ``n_repeats *
    n_folds`` scores with the ratio of test to training samples of that size. The ratio is
    large for small sizes, which makes their intervals wide. It is a heuristic.

    Sizes share folds and samples, so the points of a curve are correlated, and the fit does not
    weigh them. Cost: ``n_sizes * n_repeats * n_folds`` fits.

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
    if groups is not None:
        raise ValueError(
            f"{NAME} takes samples as independent, but groups were given: its folds would "
            "separate samples of a group. Keep one sample of each group, or use NestedCV with a "
            "group splitter."
        )
    check_trainable(X, y, {"estimator": estimator})
    n_samples = _num_samples(X)
    if n_folds > n_samples:
        raise ValueError(f"n_folds must be at most the {n_samples} samples, got {n_folds}.")
    metric = metric_of(estimator, scoring)
    problem = training_problem(estimator, X, y, metric, entropy_of(random_state), fit_params)
    metric = problem.metric
    labels = problem.labels()
    if labels is not None:
        classes, counts = np.unique(labels, return_counts=True)
        if counts.min() < n_folds:
            raise ValueError(
                f"n_folds={n_folds} needs {n_folds} samples of each class, but class "
                f"{classes[counts.argmin()]} has {counts.min()}. Use fewer folds, or merge rare "
                "classes."
            )
    splits = splits_of(labels, n_samples, n_folds, n_repeats, problem.entropy)
    sizes = train_sizes_of(train_sizes, min(len(train) for train, _ in splits))
    check_refit_splits(  # of the smallest parts: larger ones contain them
        problem, ((train[: sizes[0]], test) for train, test in splits), NAME,
        "Use larger train_sizes, fewer folds, or merge rare classes.",
    )  # fmt: skip
    notes = [*(problem.remarks or ())]
    if fit and len(sizes) < 3:
        notes.append("No curve is fitted: that takes at least three train_sizes.")
    n_models, each = len(sizes) * len(splits), fits_of(problem)
    n_fits = None if each is None else n_models * each
    if verbose:
        print(f"{NAME}: {n_fits or f'at least {n_models}'} fits")
    with suppress_fp_warnings():
        pairs = Parallel(n_jobs=n_jobs, verbose=max(0, verbose - 1))(
            delayed(_fit_and_score)(problem, train[:n], test)
            for n in sizes
            for train, test in splits
        )
    scores = np.array(pairs, dtype=float).reshape(len(sizes), len(splits), 2)
    check_scores(problem, scores, NAME)
    n_test = float(np.mean([len(test) for _, test in splits]))
    of_sizes = [
        _intervals(scores[k], n_test / n, metric, confidence_level) for k, n in enumerate(sizes)
    ]
    train_curve, test_curve, gap = zip(*of_sizes)
    points = [int(n) for n, each in zip(sizes, test_curve) if each.low == each.high]
    if points:
        same = (
            f"All splits score the same at {points} training samples: no spread can be seen, the "
            "interval is a point and certainly wrong."
        )
        notes.append(warned(same, NAME))
    details: dict[str, Any] = {"seed": problem.entropy, "notes": notes, "n_fits": n_fits}
    curve = None
    if fit and len(sizes) >= 3:
        means = scores[:, :, 1].mean(axis=1)
        curve, of_fit = fit_power_law(sizes, means)
        notes += of_fit
        a, b, c = curve
        details["rmse"] = float(np.sqrt(np.mean((means - a - b * sizes.astype(float) ** -c) ** 2)))
    width = float(metric.bounds[1] - metric.bounds[0])
    if tolerance is None and np.isfinite(width):
        tolerance = SMALL_LOSS * width
    flags = {}
    if tolerance is None:
        notes.append(
            f"No flags: {metric.name} has no finite range, so tolerance must be given: the "
            "difference that does not matter."
        )
    else:
        flags = flags_of(test_curve, train_curve, gap, tolerance, acceptable)
    return LearningCurveResult(
        sizes=sizes, test=test_curve, train=train_curve, gap=gap, test_scores=scores[:, :, 1],
        train_scores=scores[:, :, 0], metric=metric.name, n_repeats=n_repeats, n_folds=n_folds,
        curve=curve, flags=flags,
        details={**details, "tolerance": tolerance, "acceptable": acceptable},
    )  # fmt: skip


def _intervals(
    scores: np.ndarray, ratio: float, metric: Metric, level: float
) -> tuple[ConfidenceInterval, ConfidenceInterval, ComparisonResult]:
    """Compute intervals of training score, test score and gap; `scores` (n_splits, 2)."""
    both, train, test = (
        OOFPredictions.from_fold_scores({metric.name: columns})
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


def _fit_and_score(problem: Problem, train: np.ndarray, test: np.ndarray) -> tuple[float, float]:
    """Fit on the training samples, and score on these and on the test samples."""
    train = np.sort(train)
    fitted = problem.fit(train)
    return problem.score(fitted, train), problem.score(fitted, test)
