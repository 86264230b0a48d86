"""What the comparisons share that train models themselves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples

from .._floats import quiet
from .._integers import check_integer
from .._registry import register
from ..intervals.training._base import fits_of, metric_of
from ..intervals.training._checks import refuse_unfitted
from ..intervals.training._problem import Problem
from ..resampling._streams import entropy_of
from ..results import ComparisonResult
from ._pairs import Compared
from ._rules import ComparisonRules

__all__ = ["RefitComparison", "registered_refits"]

_REGISTRY: dict[str, type[RefitComparison]] = {}


@dataclass(frozen=True, kw_only=True, eq=False)
class Contest(Compared):
    """Two estimators and the data to train them on.

    Attributes
    ----------
    metric, names, details
        As of `Compared`.
    problems : tuple of (Problem, Problem)
        Both estimators with the same data, metric and seed.
    """

    problems: tuple[Problem, Problem]


class RefitComparison(ComparisonRules, BaseEstimator, ABC):
    """Base of comparisons that train both sides: `compare` validates, `_compare` computes.

    A comparison is one file with one subclass: a `name`, the facts (`label`, `estimand`,
    `assumptions`, `meant_for`, `cost`, `limits`), an ``__init__`` that stores its parameters,
    `_n_models` that tells what it costs, and `_compare`. It registers itself by `name`.

    Attributes
    ----------
    name, label, estimand, meant_for, cost, limits : str
        As of `BaseComparison`.
    assumptions : tuple of str
        What the result rests on, a sentence each.
    """

    name: ClassVar[str]

    random_state: Any
    n_jobs: int | None
    verbose: int

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" in cls.__dict__:
            register(_REGISTRY, cls, "comparison")

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
        self._validate()
        n_samples = _num_samples(X)
        if _num_samples(y) != n_samples:
            raise ValueError(f"X has {n_samples} samples, but y has {_num_samples(y)}.")
        for what, estimator in (("first", first), ("second", second)):
            if not hasattr(estimator, "fit"):
                raise ValueError(
                    f"{what} must be an estimator with a method fit, got {estimator!r}. For "
                    "predictions that you already have, use a comparison such as "
                    "CorrectedResampledT on OOFPredictions."
                )
            refuse_unfitted(estimator)
        self._check_groups(groups)
        entropy = entropy_of(self.random_state)
        metric = _common_metric(first, second, scoring)
        one, other = (
            Problem(
                estimator=estimator, X=X, y=y, groups=groups, fit_params=fit_params,
                metric=metric, n_samples=n_samples, entropy=entropy,
            )
            for estimator in (first, second)
        )  # fmt: skip
        contest = Contest(
            metric=metric,
            names=_names_of(first, second) if names is None else names,
            details={"seed": entropy, "unit": "sample", "notes": []},
            problems=(one, other),
        )
        self._tell_cost(contest)
        with quiet():
            return self._compare(contest)

    @abstractmethod
    def _n_models(self) -> int:
        """How often each of the two estimators is fitted."""

    @abstractmethod
    def _compare(self, contest: Contest) -> ComparisonResult:
        """Train, score and compute the result from validated input."""

    def _validate(self) -> None:
        super()._validate()
        check_integer("verbose", self.verbose)

    def _check_groups(self, groups: Any) -> None:
        """Raise where samples depend on each other, since the method cannot know."""
        if groups is not None:
            raise ValueError(
                f"{type(self).__name__} takes samples as independent, but groups were given. "
                "Compare two searches that use a group splitter: their predictions know the "
                "groups, as in search.compare(baseline=...)."
            )

    def _tell_cost(self, contest: Contest) -> None:
        """What the run will cost, before it starts."""
        each = [fits_of(problem) for problem in contest.problems]
        n_fits = None if None in each else self._n_models() * sum(n for n in each if n is not None)
        contest.details["n_fits"] = n_fits
        if self.verbose:
            total = "an unknown number of" if n_fits is None else n_fits
            what = f"{contest.names[0]} and {contest.names[1]}"
            print(f"{type(self).__name__}: {total} fits of {what}")

    def _run(self, task: Callable[..., Any], arguments: list[tuple[Any, ...]]) -> list[Any]:
        """Call `task` with each of `arguments`, in parallel, results in order."""
        parallel = Parallel(n_jobs=self.n_jobs, verbose=max(0, self.verbose - 1))
        return list(parallel(delayed(task)(*these) for these in arguments))


def _common_metric(first: Any, second: Any, scoring: Any) -> Any:
    """The metric of both, unless each has its own."""
    if scoring is not None:
        return metric_of(first, scoring)
    if is_classifier(first) != is_classifier(second):
        raise ValueError(
            "One of the two is a classifier, the other is not, so they have no score in common. "
            "Pass scoring=..."
        )
    one, other = metric_of(first, None), metric_of(second, None)
    if one.name != other.name:
        raise ValueError(
            f"The first would be scored by {one.name}, the second by {other.name}. Pass "
            "scoring=..., by which both are scored."
        )
    return one


def _names_of(first: Any, second: Any) -> tuple[str, str]:
    names = type(first).__name__, type(second).__name__
    return names if names[0] != names[1] else (f"{names[0]} (first)", f"{names[1]} (second)")


def registered_refits() -> dict[str, type[RefitComparison]]:
    """Registered comparisons that train models, by name.

    Returns
    -------
    dict of str to type
        Name -> class.

    Examples
    --------
    >>> from sklearn_bbc.comparison import registered_refits
    >>> registered_refits()["five_by_two"].__name__
    'FiveByTwo'
    """
    return dict(_REGISTRY)
