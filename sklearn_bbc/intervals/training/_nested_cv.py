"""Nested cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import t
from sklearn.base import is_classifier
from sklearn.model_selection import check_cv

from ...results import ConfidenceInterval
from ..single._fold_scores import shares_are_even
from ._base import RefitInterval
from ._checks import check_scores, check_splits
from ._problem import Problem

NO_INTERVAL = (
    "No valid interval is known for nested cross-validation: the scores of the outer folds are "
    "not independent. Their spread is in outer_scores."
)


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
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, ``"less"`` only the upper one.
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
    ``n_fits``, ``reason`` (why there is no interval), ``degenerate`` (with `corrected_t`:
    whether all outer folds score the same), ``unit``, ``notes``.

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

    def __init__(
        self,
        *,
        cv: Any = 5,
        corrected_t: bool = False,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
        n_jobs: int | None = None,
        verbose: int = 1,
    ) -> None:
        self.cv = cv
        self.corrected_t = corrected_t
        self.confidence_level = confidence_level
        self.alternative = alternative
        self.n_jobs = n_jobs
        self.verbose = verbose

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
        check_splits(
            problem,
            splits,
            name,
            f"Use fewer than {len(splits)} folds, a stratified splitter, or merge rare classes."
            if problem.labels() is not None
            else f"Use fewer than {len(splits)} folds.",
        )
        scores = np.array(self._run(fit_and_score, [(problem, *split) for split in splits]))
        check_scores(problem, scores, name)
        n_scores = len(scores)
        spread = float(scores.std(ddof=1)) if n_scores > 1 else float("nan")
        details = problem.details
        details.update(outer_scores=scores.tolist(), spread=spread)
        if not self.corrected_t or n_scores < 2:
            details["reason"] = NO_INTERVAL
            nan = float("nan")
            return self._result(problem.metric, float(scores.mean()), nan, nan, details=details)
        ratio = float(np.mean([len(test) / len(train) for train, test in splits]))
        details["notes"].append("Corrected resampled t over outer folds: a heuristic, liberal.")
        if stratified(problem, splits):
            details["notes"].append(
                "The outer folds are stratified, so their scores do not show what other shares of "
                "the classes would do. With accuracy and other metrics that depend on the shares "
                "the interval may be far too narrow; KFold with shuffle=True as cv shows it."
            )
        self._tell_degenerate(problem, spread, float(scores.mean()))
        return self._from_se(
            float(scores.mean()),
            spread * float(np.sqrt(1 / n_scores + ratio)),
            problem.metric,
            quantile=float(t.ppf(1 - self._tail(), n_scores - 1)),
            details=details,
        )


def stratified(problem: Problem, splits: list[tuple[np.ndarray, np.ndarray]]) -> bool:
    """Whether all test sets have the shares of the classes that the data have."""
    labels = problem.labels()
    if labels is None:
        return False
    code = np.unique(labels, return_inverse=True)[1]
    held = [np.bincount(code[test], minlength=code.max() + 1) for _, test in splits]
    return shares_are_even(np.array(held))


def fit_and_score(problem: Problem, train: np.ndarray, test: np.ndarray) -> float:
    """Score on `test` of a clone fitted on `train`."""
    return problem.score(problem.fit(train), test)
