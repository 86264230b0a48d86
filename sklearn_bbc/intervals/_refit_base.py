"""Base of methods that train models: the problem, checks before the first fit, the cost."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples

from .._lazy import whole
from .._parameters import By, check_parameters
from .._text import count
from .._utils import (
    check_arrays,
    check_splitter,
    explain_arguments,
    one_per_sample,
    register,
    suppress_fp_warnings,
)
from ..contest._notes import unit_word
from ..exceptions import UndefinedIntervalError
from ..metrics._metric import Metric, as_metric
from ..predictions._predictions import OOFPredictions, predictions_of_rows
from ..predictions._sources import last_step
from ..predictions._validation import as_metadata, in_index_order, taken_metadata
from ..resampling import entropy_of
from ..results._results import ConfidenceInterval
from ._base import IntervalRules, enter_labels
from ._notes import explain_no_width, no_spread, note_degenerate


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem:
    """Estimator (a search or any other, not fitted), data as given, metric and seed of a run.

    `groups` is (n_samples,) or None, `fit_params` are passed to ``fit``, entries with one value
    per sample cut like X; the method may extend `details` and its notes. Estimators and scorers
    run with `errstate`, the caller's settings of what NumPy does on overflow. Pandas objects are
    brought into the order of X, which `remarks` say.
    """

    estimator: Any
    X: Any
    y: Any
    groups: np.ndarray | None
    fit_params: Mapping[str, Any]
    metric: Metric
    n_samples: int
    entropy: int
    details: dict[str, Any] = field(default_factory=dict)
    errstate: Any = field(default_factory=np.geterr)
    remarks: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.remarks is not None:  # a copy
            return
        given = {"X": self.X, "y": self.y, "groups": self.groups, **self.fit_params}
        given, remarks, _ = in_index_order(given, self.n_samples, as_sklearn=True)
        groups = given["groups"]
        fields = {
            "y": given["y"],
            "groups": None if groups is None else np.asarray(groups),
            "fit_params": {name: given[name] for name in self.fit_params},
            "remarks": tuple(remarks),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "metric", self.metric.with_classes(self.classes()))

    @property
    def is_search(self) -> bool:
        """Whether fitting tunes: the estimator splits its own training data."""
        return hasattr(self.estimator, "cv") and hasattr(self.estimator, "estimator")

    @property
    def metadata(self) -> dict[str, Any]:
        """Metadata that the scorer asks for, from the parameters of ``fit``."""
        asked = {name for param, name in self.metric.requests.items() if param != "sample_weight"}
        if lacking := asked - self.fit_params.keys():
            raise ValueError(
                f"{self.metric.name} asks for {', '.join(map(repr, sorted(lacking)))} by "
                "set_score_request: pass it like a parameter of fit."
            )
        return {name: as_metadata(self.fit_params[name], self.n_samples) for name in asked}

    def labels(self) -> np.ndarray | None:
        """Return the labels to stratify by; None for regression and several outputs."""
        y = np.asarray(self.y)
        return y if is_classifier(self.estimator) and y.ndim == 1 else None

    def classes(self) -> np.ndarray | None:
        """Return the sorted classes; None for regression and several outputs."""
        labels = self.labels()
        return None if labels is None else np.unique(labels)

    def fit(self, train: np.ndarray, **params: Any) -> Any:
        """Fit a clone on some samples."""
        estimator = clone(self.estimator)
        if "ci" in estimator.get_params(deep=False):
            params["ci"] = []  # intervals of the inner searches would be thrown away
        estimator.set_params(**params)
        fit_params = {
            name: _safe_indexing(value, train) if self._per_sample(value) else value
            for name, value in self.fit_params.items()
        }
        if self.groups is not None and self.is_search and "cv" not in params:
            fit_params["groups"] = self.groups[train]
        X, y = _safe_indexing(self.X, train), _safe_indexing(self.y, train)
        with np.errstate(**self.errstate):
            return estimator.fit(X, y, **fit_params)

    def score(self, fitted: Any, test: np.ndarray) -> float:
        """Score a fitted estimator on some samples; greater is better."""
        X, y = _safe_indexing(self.X, test), _safe_indexing(self.y, test)
        with np.errstate(**self.errstate):
            metadata = taken_metadata(self.metric.routed(self.metadata), test)
            return float(self.metric.scorer(fitted, X, y, **metadata))

    def row_scores(self, fitted: Any, test: np.ndarray) -> np.ndarray:
        """Score each sample, for metrics that are means over samples."""
        methods = self.metric.response_method
        used = next((method for method in methods if hasattr(fitted, method)), None)
        if used is None:
            raise ValueError(
                f"{self.metric.name} needs {' or '.join(methods)}, which "
                f"{type(fitted).__name__} does not have."
            )
        oof = self.predictions([fitted], [used], test, getattr(fitted, "classes_", None))
        values = self.metric.bind(oof).pointwise(0)
        if values is None:
            raise ValueError(
                f"The method needs a metric that is a mean over samples (accuracy, log loss, "
                f"squared error), got {self.metric.name}. Use ConservativeZ or NestedCV, which "
                "take any metric."
            )
        return values

    def predictions(
        self,
        models: Sequence[Any],
        methods: Iterable[str],
        test: np.ndarray,
        classes: np.ndarray | None,
    ) -> OOFPredictions:
        """Predict some samples with several models, one configuration each."""
        X, y = _safe_indexing(self.X, test), np.asarray(_safe_indexing(self.y, test))
        responses = {}
        for method in methods:
            with np.errstate(**self.errstate):
                answers = [
                    np.asarray(getattr(model, method)(X)) if hasattr(model, method) else None
                    for model in models
                ]
            if classes is not None and method == "predict":
                answers = [None if a is None else np.searchsorted(classes, a) for a in answers]
            shapes = [answer.shape for answer in answers if answer is not None]
            if not shapes:
                continue
            missing = np.full(shapes[0], -1 if method == "predict" else np.nan)
            responses[method] = np.array([missing if a is None else a for a in answers])
        return predictions_of_rows(
            y_true=y,
            responses=responses,
            classes=classes,
            metadata=taken_metadata(self.metadata, test),
        )

    def _per_sample(self, value: Any) -> bool:
        if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__len__"):
            return False
        return _num_samples(value) == self.n_samples


FIXED_SHARES = (
    "stratify=True holds the shares of the classes fixed: what their changing composition adds to "
    "the spread of the score is left out, so the interval may be too narrow."
)


def refuse_groups(problem: Problem, method: str) -> None:
    """Raise when there are groups, for methods that take samples as independent."""
    if problem.groups is not None:
        raise ValueError(
            f"{method} takes samples as independent, but groups were given. Use NestedCV with a "
            "group splitter, or DirectBootstrap, which draws groups."
        )


def note_redrawn(problem: Problem, n_kept: int) -> None:
    """Note when most drawn splits lacked a class, so that those kept are unusually alike."""
    n_redrawn = problem.details["n_redrawn"]
    if n_redrawn > n_kept:
        problem.details["notes"].append(
            f"{n_redrawn} splits that lacked a class were drawn again to get {n_kept}: those kept "
            "are more alike than random ones, and the interval may be too narrow."
        )


def samples(n: int) -> str:
    """Write a number of samples in words."""
    return f"{n} sample{'s' if n != 1 else ''}"


def refuse_unfitted(estimator: Any) -> None:
    """Raise when a search, anywhere in the estimator, would leave no model to score."""
    for name, part in estimator_parts(estimator):
        is_search = isinstance(part, BaseSearchCV) or hasattr(part, "param_distributions")
        if is_search and getattr(part, "refit", True) is False:
            where = f" ({name})" if name else ""
            raise ValueError(
                f"{type(part).__name__}{where} has refit=False, so it leaves no model that could "
                "be scored. Set refit=True, or with several metrics the name of the one that "
                "selects."
            )


def estimator_parts(estimator: Any) -> Iterator[tuple[str, Any]]:
    """Yield the estimator and all estimators in it, each with its name in `get_params`."""
    yield "", estimator
    if hasattr(estimator, "get_params"):
        for name, part in estimator.get_params(deep=True).items():
            if hasattr(part, "get_params") and not isinstance(part, type):
                yield name, part


def check_refit_splits(
    problem: Problem, splits: Iterable[tuple[np.ndarray, np.ndarray]], method: str, advice: str
) -> None:
    """Raise before the first fit when a class cannot be trained on, or a test set not scored."""
    fault_of = SplitFaults(problem)
    for number, (train, test) in enumerate(splits):
        fault = fault_of(train, test, f"split {number}")
        if fault is not None:
            raise UndefinedIntervalError(
                f"{method} cannot estimate {problem.metric.name}: {fault}. {advice}"
            )


class SplitFaults:
    """Search for faults of a split: a class is not trained on, or the test set has no score.

    With `every_class` a test set must hold every class, even where the metric has a value without.
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
        """Describe the fault of a split; None where there is none."""
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
        """Find the classes without any of these samples."""
        return np.flatnonzero(np.bincount(self._code[chosen], minlength=len(self._classes)) == 0)


def is_mean_over_samples(problem: Problem) -> bool:
    """Check whether each sample has a value of its own, so that no class is needed."""
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
    """Check whether constant predictions have a score on some samples; None means all samples."""
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


class _ConstantClassifier(DummyClassifier):
    """Classifier with one answer for all samples, to check whether a test set can be scored."""

    def decision_function(self, X: Any) -> np.ndarray:
        n_classes = len(self.classes_)
        return np.zeros((_num_samples(X), n_classes) if n_classes > 2 else _num_samples(X))


class _ConstantRegressor(RegressorMixin, BaseEstimator):
    """Regressor that predicts the first target for every sample."""

    def fit(self, X: Any, y: Any) -> _ConstantRegressor:
        self.first_ = np.asarray(y)[:1]
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.repeat(self.first_, _num_samples(X), axis=0)


def check_scores(problem: Problem, scores: np.ndarray, method: str) -> None:
    """Raise when some model has no score, rather than return a mean that is NaN."""
    n_undefined = int(np.isnan(scores).sum())
    if n_undefined:
        raise UndefinedIntervalError(
            f"{method} cannot estimate {problem.metric.name}: it is undefined (NaN) for "
            f"{n_undefined} of {scores.size} test sets. Use a metric that every test set has, or "
            "larger test sets."
        )


_REFIT_INTERVALS: dict[str, type[RefitInterval]] = {}


class RefitInterval(IntervalRules, BaseEstimator, ABC):
    """Base of all methods that train models: public `estimate` validates, `_estimate` computes.

    A method is one subclass: a `name`, by which it registers itself, its parameters, `_n_models`,
    the number of fits that it needs, `_least_per_class`, the number of samples of each class that
    it needs, and `_estimate`.

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

    _constraints = {"cv": By(check_splitter)}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" in cls.__dict__:
            enter_labels(cls)
            register(_REFIT_INTERVALS, cls, "interval method")

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
            In scorer orientation: greater is better. ``details["n_fits"]`` is the number of
            models that were trained.

        Raises
        ------
        ValueError
            If a parameter is out of range, the data do not suffice (a class with too few
            samples), or a search has ``refit=False``. No model has been trained then.
        """
        check_parameters(self)
        check_arrays(X=X, y=y)
        n_samples = _num_samples(X)
        if _num_samples(y) != n_samples:
            raise ValueError(f"X has {n_samples} samples, but y has {_num_samples(y)}.")
        if groups is not None:
            groups = one_per_sample(groups)
            if (shape := np.shape(groups)) != (n_samples,):
                raise ValueError(
                    f"groups has shape {shape}, expected ({n_samples},): one per sample."
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
        self._note_cost(problem)
        with suppress_fp_warnings():
            result = self._estimate(problem)
        return explain_no_width(result, problem.metric, np.asarray(problem.y), problem.groups)

    @abstractmethod
    def _n_models(self, problem: Problem) -> int:
        """Count how often the estimator is fitted."""

    @abstractmethod
    def _estimate(self, problem: Problem) -> ConfidenceInterval:
        """Train, score and compute the result from validated input."""

    def _check_data(self, problem: Problem) -> None:
        """Raise before the first fit when the method cannot take the data; by default it can."""

    def _least_per_class(self, problem: Problem) -> tuple[int, str]:
        """Return how many samples of each class the method needs, and what for."""
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

    def _note_degenerate(self, problem: Problem, spread: float, estimate: float) -> None:
        """Set ``details["degenerate"]``; results without spread get a note and a warning."""
        degenerate = no_spread(spread, estimate)
        note_degenerate(problem.details, type(self).__name__, degenerate, around=f"{estimate:g}")

    def _around(
        self, problem: Problem, estimate: float, standard_error: float, *,
        degrees: int | None = None, spread: float | None = None,
    ) -> ConfidenceInterval:  # fmt: skip
        """Compute the estimate plus and minus standard errors; mark results without spread."""
        self._note_degenerate(problem, standard_error if spread is None else spread, estimate)
        return self._from_se(
            estimate, standard_error, problem.metric, degrees=degrees, details=problem.details
        )

    def _note_cost(self, problem: Problem) -> None:
        """Record what the run will cost before it starts, and print it if `verbose`."""
        n_models, each = self._n_models(problem), fits_of(problem)
        n_fits = None if each is None else n_models * each
        problem.details.update(
            n_fits=n_fits, unit=unit_word(problem.groups), notes=[*(problem.remarks or ())]
        )
        if hasattr(self, "random_state"):
            problem.details["seed"] = problem.entropy
        if not self.verbose:
            return
        what = f"fits of {type(problem.estimator).__name__}"
        if each != 1:
            known = "an unknown number of fits" if each is None else count(each, "fit")
            total = "" if each is None else f", {n_fits} in all"
            what = f"runs of {type(problem.estimator).__name__} with {known}{total}"
        print(f"{type(self).__name__}: {n_models} {what}")

    def _run(self, task: Callable[..., Any], arguments: list[tuple[Any, ...]]) -> list[Any]:
        """Call `task` with each of `arguments`, in parallel, results in order."""
        # joblib tells the progress from its own level 1 on; ours, 1, tells the cost.
        parallel = Parallel(n_jobs=self.n_jobs, verbose=max(0, self.verbose - 1))
        return list(parallel(delayed(task)(*these) for these in arguments))


def metric_of(estimator: Any, scoring: Any) -> Metric:
    """Find the metric: the given one, that by which a search selects, or the default one."""
    if scoring is None:
        estimator = last_step(estimator)
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


def fits_of(problem: Problem, estimator: Any = None) -> int | None:
    """Count the models that one fit of the estimator trains; None where that is unknown."""
    search = problem.estimator if estimator is None else estimator
    if isinstance(search, Pipeline):
        each = [fits_of(problem, step) for _, step in search.steps if hasattr(step, "fit")]
        return None if None in each else 1 + sum(n - 1 for n in each if n is not None)
    if not (hasattr(search, "cv") and hasattr(search, "estimator")):
        return 1
    inner = fits_of(problem, search.estimator)
    if inner is None or hasattr(search, "min_resources"):
        return None  # successive halving drops candidates as it goes
    try:
        space = search.param_grid if hasattr(search, "param_grid") else search.param_distributions
        n_candidates = _n_candidates(space, getattr(search, "n_iter", None))
        splitter = check_cv(search.cv, problem.y, classifier=is_classifier(search))
        n_splits = splitter.get_n_splits(problem.X, problem.y, problem.groups)
    # Any search may be given, and what it lacks cannot be listed: the cost is then unknown.
    except (AttributeError, TypeError, ValueError):
        return None
    return int((n_candidates * n_splits + bool(getattr(search, "refit", True))) * inner)


def _n_candidates(space: Any, n_iter: int | None) -> int:
    """Count the candidates of a grid or a random search, which repeats no point of a grid."""
    spaces = [space] if isinstance(space, Mapping) else space
    if n_iter is not None and any(hasattr(v, "rvs") for each in spaces for v in each.values()):
        return n_iter
    size = len(ParameterGrid(space))
    return size if n_iter is None else min(n_iter, size)


def registered_refits() -> dict[str, type[RefitInterval]]:
    """Return the registered methods that train models, by name."""
    return whole(__package__, _REFIT_INTERVALS)
