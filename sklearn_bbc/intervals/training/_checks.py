"""What is checked about estimator and data before a method trains its first model."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils.validation import _num_samples

from ...exceptions import UndefinedIntervalError
from ._problem import Problem

FIXED_SHARES = (
    "stratify=True holds the shares of the classes fixed: what their changing composition adds to "
    "the spread of the score is left out, so the interval may be too narrow."
)


def refuse_groups(problem: Problem, method: str) -> None:
    """Raise when samples depend on each other and the method cannot know."""
    if problem.groups is not None:
        raise ValueError(
            f"{method} takes samples as independent, but groups were given. Use NestedCV with a "
            "group splitter, or DirectBootstrap, which draws groups."
        )


def tell_redrawn(problem: Problem, n_kept: int) -> None:
    """Note when most drawn splits lacked a class, so that those kept are a narrow choice."""
    n_redrawn = problem.details["n_redrawn"]
    if n_redrawn > n_kept:
        problem.details["notes"].append(
            f"{n_redrawn} splits that lacked a class were drawn again to get {n_kept}: those kept "
            "are more alike than random ones, and the interval may be too narrow."
        )


def samples(n: int) -> str:
    """A number of samples in words."""
    return f"{n} sample{'s' if n != 1 else ''}"


def refuse_unfitted(estimator: Any) -> None:
    """Raise when a search, anywhere in the estimator, would leave no model to score."""
    for name, part in parts_of(estimator):
        is_search = isinstance(part, BaseSearchCV) or hasattr(part, "param_distributions")
        if is_search and getattr(part, "refit", True) is False:
            where = f" ({name})" if name else ""
            raise ValueError(
                f"{type(part).__name__}{where} has refit=False, so it leaves no model that could "
                "be scored. Set refit=True, or with several metrics the name of the one that "
                "selects."
            )


def parts_of(estimator: Any) -> Iterator[tuple[str, Any]]:
    """The estimator and all estimators in it, each with its name in `get_params`."""
    yield "", estimator
    if hasattr(estimator, "get_params"):
        for name, part in estimator.get_params(deep=True).items():
            if hasattr(part, "get_params") and not isinstance(part, type):
                yield name, part


def check_splits(
    problem: Problem, splits: Iterable[tuple[np.ndarray, np.ndarray]], method: str, advice: str
) -> None:
    """Raise before the first fit when a class cannot be trained on, or a test set not scored.

    Parameters
    ----------
    problem : Problem
        The data and the metric.
    splits : iterable of (train, test)
        Samples of each split.
    method : str
        Name for the message.
    advice : str
        What would work, one sentence.
    """
    fault_of = SplitFaults(problem)
    for number, (train, test) in enumerate(splits):
        fault = fault_of(train, test, f"split {number}")
        if fault is not None:
            raise UndefinedIntervalError(
                f"{method} cannot estimate {problem.metric.name}: {fault}. {advice}"
            )


class SplitFaults:
    """Tells why a split cannot be used: a class is not trained on, or the test set has no score.

    Parameters
    ----------
    problem : Problem
        The data and the metric.
    every_class : bool, default=False
        Whether a test set must hold every class, even where the metric has a value without.
    """

    def __init__(self, problem: Problem, *, every_class: bool = False) -> None:
        self._problem, self._every_class = problem, every_class
        labels = problem.labels()
        self._has_classes = labels is not None
        self._classes, self._code = np.zeros(1), np.zeros(problem.n_samples, dtype=np.intp)
        if labels is not None:
            self._classes, self._code = np.unique(labels, return_inverse=True)
        self._of_class = np.bincount(self._code)
        self._scored: dict[Any, bool] = {}

    def __call__(self, train: np.ndarray, test: np.ndarray, where: str) -> str | None:
        """The fault in words, None where there is none.

        Parameters
        ----------
        train, test : ndarray of int
            Samples of the split.
        where : str
            What the split is called.
        """
        lacking = self._lacking(train)
        if len(lacking) and self._has_classes:
            return (
                f"class {self._classes[lacking[0]]} has {samples(self._of_class[lacking[0]])}, "
                f"none of them among the training samples of {where}"
            )
        lacking = self._lacking(test)
        if not len(lacking) and len(test) > 1:
            return None
        key = (len(test) > 1, *lacking)
        if self._every_class and len(lacking):
            self._scored[key] = False
        if key not in self._scored:
            problem = self._problem
            self._scored[key] = can_score(problem, test) or not can_score(problem, None)
        if self._scored[key]:
            return None
        lack = "one sample"
        if len(lacking):
            lack = (
                f"none of the {samples(self._of_class[lacking[0]])} of class "
                f"{self._classes[lacking[0]]}"
            )
        what = "does not fit" if self._every_class else "is undefined on"
        return f"it {what} the test set of {where}, which holds {lack}"

    def _lacking(self, chosen: np.ndarray) -> np.ndarray:
        """Classes without any of these samples."""
        return np.flatnonzero(np.bincount(self._code[chosen], minlength=len(self._classes)) == 0)


def is_mean_over_samples(problem: Problem) -> bool:
    """Whether each sample has a value of its own, so that no class has to be there."""
    labels = problem.labels()
    if labels is None:
        return True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fitted = _ConstantClassifier().fit(problem.X, labels)
            return problem.row_scores(fitted, np.arange(problem.n_samples)) is not None
        except Exception:  # a scorer of the user may raise anything
            return False


def can_score(problem: Problem, test: np.ndarray | None) -> bool:
    """Whether constant predictions have a score on some samples; None means all samples."""
    test = np.arange(problem.n_samples) if test is None else test
    labels = problem.labels()
    if labels is None:
        constant: Any = _ConstantRegressor().fit(problem.X, problem.y)
    else:
        constant = _ConstantClassifier().fit(problem.X, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return not np.isnan(problem.score(constant, test))
        except Exception:  # a scorer of the user may raise anything
            return False


class _ConstantClassifier(ClassifierMixin, BaseEstimator):
    """The same for every sample, of all classes: shows whether a test set can be scored."""

    def fit(self, X: Any, y: Any) -> _ConstantClassifier:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.repeat(self.classes_[:1], _num_samples(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        return np.full((_num_samples(X), len(self.classes_)), 1 / len(self.classes_))

    def decision_function(self, X: Any) -> np.ndarray:
        n_classes = len(self.classes_)
        return np.zeros((_num_samples(X), n_classes) if n_classes > 2 else _num_samples(X))


class _ConstantRegressor(RegressorMixin, BaseEstimator):
    """The first target for every sample."""

    def fit(self, X: Any, y: Any) -> _ConstantRegressor:
        self.first_ = np.asarray(y)[:1]
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.repeat(self.first_, _num_samples(X), axis=0)


def check_scores(problem: Problem, scores: np.ndarray, method: str) -> None:
    """Raise when some model has no score, rather than let a mean be NaN without a word."""
    n_undefined = int(np.isnan(scores).sum())
    if n_undefined:
        raise UndefinedIntervalError(
            f"{method} cannot estimate {problem.metric.name}: it is undefined (NaN) for "
            f"{n_undefined} of {scores.size} test sets. Use a metric that every test set has, or "
            "larger test sets."
        )
