"""What is checked about estimator and data before a method trains its first model."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils.validation import _num_samples

from ..exceptions import UndefinedIntervalError
from ._refit_problem import Problem


def check_at_least(name: str, value: Any, least: int) -> None:
    """Raise unless `value` is an integer of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, got {value!r}.")


def refuse_groups(problem: Problem, method: str) -> None:
    """Raise when samples depend on each other and the method cannot know."""
    if problem.groups is not None:
        raise ValueError(
            f"{method} takes samples as independent, but groups were given. Use NestedCV with a "
            "group splitter, or DirectBootstrap, which draws groups."
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
    labels = problem.labels()
    classes, code = np.zeros(1), np.zeros(problem.n_samples, dtype=np.intp)
    if labels is not None:
        classes, code = np.unique(labels, return_inverse=True)
    of_class = np.bincount(code)
    scored: dict[Any, bool] = {}
    what = f"{method} cannot estimate {problem.metric.name}"
    for number, (train, test) in enumerate(splits):
        lacking = np.flatnonzero(np.bincount(code[train], minlength=len(classes)) == 0)
        if len(lacking) and labels is not None:
            raise UndefinedIntervalError(
                f"{what}: class {classes[lacking[0]]} has {samples(of_class[lacking[0]])}, none "
                f"of them among the training samples of split {number}. {advice}"
            )
        lacking = np.flatnonzero(np.bincount(code[test], minlength=len(classes)) == 0)
        if not len(lacking) and len(test) > 1:
            continue
        key = (len(test) > 1, *lacking)
        if key not in scored:
            scored[key] = can_score(problem, test) or not can_score(problem, None)
        if not scored[key]:
            lack = "one sample"
            if len(lacking):
                lack = (
                    f"none of the {samples(of_class[lacking[0]])} of class {classes[lacking[0]]}"
                )
            raise UndefinedIntervalError(
                f"{what}: it is undefined on the test set of split {number}, which holds {lack}. "
                f"{advice}"
            )


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
    """Raise when some model has no score, so that no mean of them is NaN without a word."""
    n_undefined = int(np.isnan(scores).sum())
    if n_undefined:
        raise UndefinedIntervalError(
            f"{method} cannot estimate {problem.metric.name}: it is undefined (NaN) for "
            f"{n_undefined} of {scores.size} test sets. Use a metric that every test set has, or "
            "larger test sets."
        )
