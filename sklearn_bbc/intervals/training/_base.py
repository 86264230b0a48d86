"""Base of methods that train models themselves: nested CV, bootstrap of the whole tuning."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples

from ..._floats import quiet
from ..._groups import one_per_sample
from ..._integers import check_integer
from ..._nearest import check_splitter, explain_arguments
from ..._registry import register
from ...exceptions import UndefinedIntervalError
from ...metrics import Metric, as_metric
from ...resampling._streams import entropy_of
from ...results import ConfidenceInterval
from .._bounds import IntervalRules
from .._caveats import explain_no_width, no_spread, tell_degenerate, unit_word
from ._checks import refuse_unfitted, samples
from ._problem import Problem

_REGISTRY: dict[str, type[RefitInterval]] = {}


class RefitInterval(IntervalRules, BaseEstimator, ABC):
    """Base of all methods that train models: public `estimate` validates, `_estimate` computes.

    A method is one file with one subclass: a `name`, an ``__init__`` that stores its
    parameters, `_n_models` that tells what it costs, and `_estimate`. It registers itself
    by `name`. How many samples of each class it needs, it says in `_least_per_class`.

    Attributes
    ----------
    name : str
        Registered name.
    estimand : str
        What is estimated, in words.
    meant_for : str
        For which data, models and questions the method is the one to take.
    cost : str
        What it costs, of N samples, C configurations, F folds and B draws.
    limits : str
        Where it fails or misleads.
    """

    name: ClassVar[str]
    estimand: ClassVar[str]

    n_jobs: int | None
    verbose: int

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" in cls.__dict__:
            register(_REGISTRY, cls, "interval method")

    @explain_arguments()
    def estimate(
        self, estimator: Any, X: Any, y: Any, *, scoring: Any = None, groups: Any = None,
        **fit_params: Any,
    ) -> ConfidenceInterval:  # fmt: skip
        """Train as often as the method needs, and estimate the score with an interval.

        Parameters
        ----------
        estimator : estimator
            A search (``GridSearchCV``, `BBCSearchCV`, any other), whose tuning is then
            part of what is estimated, or a single estimator. It is cloned, not changed.
        X : array-like of shape (n_samples, n_features)
            Data.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Target.
        scoring : str, scorer or Metric, default=None
            The metric. None takes that by which the search selects, or scikit-learn's
            default for the estimator (accuracy, R2).
        groups : array-like of shape (n_samples,), default=None
            Samples of one group depend on each other and stay together.
        **fit_params : dict
            Passed to ``fit``; values with one entry per sample are cut like X.

        Returns
        -------
        ConfidenceInterval
            In scorer orientation: greater is better. ``details["n_fits"]`` tells how many
            models were trained.

        Raises
        ------
        ValueError
            If a parameter is out of range, the data do not suffice (a class with too few
            samples), or a search has ``refit=False``. No model has been trained then.
        """
        self._validate()
        n_samples = _num_samples(X)
        if _num_samples(y) != n_samples:
            raise ValueError(f"X has {n_samples} samples, but y has {_num_samples(y)}.")
        if groups is not None:
            groups = np.asarray(one_per_sample(groups))
            if groups.shape != (n_samples,):
                raise ValueError(
                    f"groups has shape {groups.shape}, expected ({n_samples},): one per sample."
                )
        if not hasattr(estimator, "fit"):
            raise ValueError(
                f"estimator must have a method fit, got {estimator!r}. For predictions that you "
                "already have, use a method such as BBC on OOFPredictions."
            )
        problem = Problem(
            estimator=estimator,
            X=X,
            y=y,
            groups=groups,
            fit_params=fit_params,
            metric=metric_of(estimator, scoring),
            n_samples=n_samples,
            entropy=entropy_of(getattr(self, "random_state", None)),
        )
        refuse_unfitted(estimator)
        self._check_data(problem)
        self._check_classes(problem)
        self._tell_cost(problem)
        with quiet():
            result = self._estimate(problem)
        return explain_no_width(result, problem.metric, np.asarray(y), groups)

    @abstractmethod
    def _n_models(self, problem: Problem) -> int:
        """How often the estimator is fitted."""

    @abstractmethod
    def _estimate(self, problem: Problem) -> ConfidenceInterval:
        """Train, score and compute the result from validated input."""

    def _check_data(self, problem: Problem) -> None:
        """Raise before the first fit when the method cannot take the data; by default it can."""

    def _least_per_class(self, problem: Problem) -> tuple[int, str]:
        """How many samples of each class the method needs, and what for."""
        return 2, "one to train on and one to test"

    def _check_classes(self, problem: Problem) -> None:
        """Raise before the first fit when a class has too few samples."""
        labels = problem.labels()
        if labels is None:
            return
        classes, counts = np.unique(labels, return_counts=True)
        what = f"{type(self).__name__} cannot estimate {problem.metric.name}"
        if len(classes) == 1:
            raise UndefinedIntervalError(
                f"{what}: all {counts[0]} samples are of class {classes[0]}. A classifier needs "
                "samples of at least 2 classes."
            )
        least, why = self._least_per_class(problem)
        rarest = counts.argmin()
        if counts[rarest] < least:
            raise UndefinedIntervalError(
                f"{what}: class {classes[rarest]} has {samples(counts[rarest])}, but at least "
                f"{least} of each class are needed: {why}. Add samples, or merge rare classes."
            )

    def _tell_degenerate(self, problem: Problem, spread: float, estimate: float) -> None:
        """Set ``details["degenerate"]``; results without spread get a note and a warning."""
        degenerate, seen = no_spread(spread, estimate), f"around {estimate:g}"
        tell_degenerate(problem.details, type(self).__name__, degenerate, seen)

    def _validate(self) -> None:
        super()._validate()
        check_integer("verbose", self.verbose)
        check_splitter(getattr(self, "cv", None))

    def _tell_cost(self, problem: Problem) -> None:
        """What the run will cost, before it starts."""
        n_models = self._n_models(problem)
        each = fits_of(problem)
        problem.details.update(
            n_fits=None if each is None else n_models * each,
            unit=unit_word(problem.groups),
            notes=[],
        )
        if hasattr(self, "random_state"):
            problem.details["seed"] = problem.entropy
        if not self.verbose:
            return
        name = type(problem.estimator).__name__
        if each == 1:
            print(f"{type(self).__name__}: {n_models} fits of {name}")
        else:
            known = "an unknown number of" if each is None else f"{each}"
            total = "" if each is None else f", {n_models * each} in all"
            print(f"{type(self).__name__}: {n_models} runs of {name} with {known} fits{total}")

    def _run(self, task: Callable[..., Any], arguments: list[tuple[Any, ...]]) -> list[Any]:
        """Call `task` with each of `arguments`, in parallel, results in order."""
        # joblib tells the progress from its own level 1 on; ours, 1, tells the cost.
        parallel = Parallel(n_jobs=self.n_jobs, verbose=max(0, self.verbose - 1))
        return list(parallel(delayed(task)(*these) for these in arguments))


def metric_of(estimator: Any, scoring: Any) -> Metric:
    """The given metric, that by which a search selects, or scikit-learn's default."""
    if scoring is None:
        while isinstance(estimator, Pipeline):
            estimator = estimator.steps[-1][1]
        scoring = getattr(estimator, "scoring", None)
        if isinstance(scoring, str) and scoring == "warn":  # scikit-learn's for "will change"
            scoring = None
        if isinstance(scoring, (list, tuple, set, dict)):
            refit = getattr(estimator, "refit", None)
            if not isinstance(refit, str):
                raise ValueError(
                    "scoring must be given: the search has several metrics and none of them "
                    f"selects (refit={refit!r})."
                )
            scoring = scoring[refit] if isinstance(scoring, dict) else refit
    if scoring is None:
        scoring = "accuracy" if is_classifier(estimator) else "r2"
    return as_metric(scoring)


def fits_of(problem: Problem) -> int | None:
    """Models that one fit of the estimator trains; None where that cannot be known."""
    return _fits_of(problem.estimator, problem)


def _fits_of(estimator: Any, problem: Problem) -> int | None:
    if isinstance(estimator, Pipeline):
        each = [_fits_of(step, problem) for _, step in estimator.steps if hasattr(step, "fit")]
        return None if None in each else 1 + sum(n - 1 for n in each if n is not None)
    if not (hasattr(estimator, "cv") and hasattr(estimator, "estimator")):
        return 1
    search = estimator
    inner = _fits_of(search.estimator, problem)
    try:
        space = search.param_grid if hasattr(search, "param_grid") else search.param_distributions
        if hasattr(search, "min_resources"):
            return None  # successive halving drops candidates as it goes
        n_candidates = _n_candidates(space, getattr(search, "n_iter", None))
        splitter = check_cv(search.cv, problem.y, classifier=is_classifier(search))
        n_splits = splitter.get_n_splits(problem.X, problem.y, problem.groups)
    # Any search may be given, and what it lacks cannot be listed: the cost is then unknown.
    except (AttributeError, TypeError, ValueError):
        return None
    n_fits = n_candidates * n_splits + bool(getattr(search, "refit", True))
    return None if inner is None else int(n_fits * inner)


def _n_candidates(space: Any, n_iter: int | None) -> int:
    """Candidates of a grid, or of a random search, which never tries a point of a grid twice."""
    spaces = [space] if isinstance(space, Mapping) else space
    if n_iter is not None and any(hasattr(v, "rvs") for each in spaces for v in each.values()):
        return n_iter
    size = len(ParameterGrid(space))
    return size if n_iter is None else min(n_iter, size)


def registered_refits() -> dict[str, type[RefitInterval]]:
    """Registered methods that train models, by name.

    Returns
    -------
    dict of str to type
        Name -> class.

    Examples
    --------
    >>> from sklearn_bbc.intervals import registered_refits
    >>> registered_refits()["nested_cv"].__name__
    'NestedCV'
    """
    return dict(_REGISTRY)
