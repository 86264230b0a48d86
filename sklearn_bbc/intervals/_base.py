"""What the methods share that work on out-of-fold predictions: needs, binding, seeds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Integral
from typing import Any, ClassVar

from sklearn.base import BaseEstimator
from sklearn.metrics import roc_auc_score

from ..metrics import BoundKernel, Metric, as_metric
from ..predictions import OOFPredictions
from ..resampling import (
    IID,
    DegenerateDraws,
    Draws,
    Redraw,
    Resampling,
    Units,
    check_possible,
    entropy_of,
)
from ..results import ConfidenceInterval
from ._rules import IntervalRules

_REGISTRY: dict[str, type[BaseInterval]] = {}


class BaseInterval(IntervalRules, BaseEstimator, ABC):
    """Base of all interval methods: public `estimate` validates, `_estimate` computes.

    A method is one file with one subclass: a `name`, an ``__init__`` that stores its
    parameters, and `_estimate`. It registers itself by `name`.

    Attributes
    ----------
    name : str
        Registered name.
    requires : frozenset of str
        What the method needs: ``"predictions"``, ``"folds"`` (two at least), ``"binary"``
        (two classes), ``"pointwise"`` (a metric that is a mean over samples), ``"auc"`` (the
        metric is the area under the ROC curve), ``"ungrouped"`` and ``"unweighted"`` (no
        groups, no sample weights).
    estimand : str
        What is estimated, in words.
    selection_aware : bool
        Whether the method accounts for the choice among configurations.
    """

    requires: ClassVar[frozenset[str]] = frozenset({"predictions"})
    selection_aware: ClassVar[bool] = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" in cls.__dict__:
            _REGISTRY[cls.name] = cls

    def estimate(self, oof: OOFPredictions, scoring: Any) -> ConfidenceInterval:
        """Estimate the score of the selected configuration, with an interval.

        Parameters
        ----------
        oof : OOFPredictions
            Out-of-fold predictions of every configuration.
        scoring : str, scorer or Metric
            The metric: a scorer's name, a scorer, or any callable
            ``scorer(estimator, X, y)``.

        Returns
        -------
        ConfidenceInterval
            In scorer orientation: greater is better.

        Raises
        ------
        ValueError
            If a parameter is out of range or the method needs what is not there.
        UndefinedIntervalError
            If the data cannot support the interval, for example with one sample in a
            class.
        """
        self._validate()
        if not isinstance(oof, OOFPredictions):
            raise ValueError(
                f"oof must be an OOFPredictions, got {type(oof).__name__}. Make one with "
                "OOFPredictions(y_true=..., y_pred=..., fold=...)."
            )
        metric = self._metric(oof, scoring)
        self._check_requirements(oof, metric)
        kernel = self._bind(oof, metric)
        return self._estimate(oof, kernel, self._draws(oof, kernel))

    @abstractmethod
    def _estimate(self, oof: OOFPredictions, kernel: Any, draws: Any) -> ConfidenceInterval:
        """Compute the result from validated input.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions that meet `requires`.
        kernel : BoundKernel
            The metric bound to them.
        draws : Draws or None
            Bootstrap draws; None for methods without.
        """

    def _metric(self, oof: OOFPredictions, scoring: Any) -> Metric:
        """Methods on fold scores take any name under which there are some, published ones too."""
        try:
            return as_metric(scoring)
        except ValueError:
            named = isinstance(scoring, str) and scoring in oof.fold_scores
            if "predictions" in self.requires or not named:
                raise
            return Metric(name=scoring, scorer=_only_fold_scores)

    def _bind(self, oof: OOFPredictions, metric: Metric) -> Any:
        return metric.bind(oof)

    def _draws(self, oof: OOFPredictions, kernel: Any) -> Any:
        return None

    def _check_requirements(self, oof: OOFPredictions, metric: Metric) -> None:
        method = type(self).__name__
        if "predictions" in self.requires and not oof.responses:
            raise ValueError(
                f"{method} needs out-of-fold predictions, but there are only fold scores. Use "
                "BBCSearchCV, which keeps predictions, or BBCF, which works on fold scores."
            )
        if "folds" in self.requires and oof.n_splits < 2:
            raise ValueError(
                f"{method} needs at least 2 folds, got {oof.n_splits}. Pass the fold of each "
                "sample as `fold`."
            )
        if "binary" in self.requires and (oof.classes_ is None or len(oof.classes_) != 2):
            found = (
                "a target without classes"
                if oof.classes_ is None
                else (f"{len(oof.classes_)} classes")
            )
            raise ValueError(f"{method} needs a target with 2 classes, got {found}.")

        if "auc" in self.requires and (
            metric.score_func is not roc_auc_score or metric.kwargs.get("max_fpr") is not None
        ):
            raise ValueError(
                f"{method} is a method for the area under the whole ROC curve, got the metric "
                f"{metric.name}. Use scoring='roc_auc', or a method for any metric such as BBC."
            )
        for need, what in (("ungrouped", "groups"), ("unweighted", "sample_weight")):
            if need in self.requires and getattr(oof, what) is not None:
                raise ValueError(
                    f"{method} takes every sample as independent and of equal weight, but the "
                    f"predictions have {what}. Use a method that knows them, such as BBC."
                )


class BootstrapInterval(BaseInterval):
    """Base of methods that resample samples or groups.

    Attributes
    ----------
    scores_out_of_bag : bool
        Whether what is left out of a draw is scored, so that each class must be there.
    """

    scores_out_of_bag: ClassVar[bool] = True

    n_bootstraps: int
    random_state: Any
    n_jobs: int | None
    degenerate: DegenerateDraws | None = None
    """What happens to draws that leave a class out; None draws them again."""

    def _validate(self) -> None:
        super()._validate()
        check_n_bootstraps(self.n_bootstraps)
        if self.degenerate is None:
            return
        if not isinstance(self.degenerate, DegenerateDraws):
            raise ValueError(
                "degenerate must be an object such as Redraw(), Drop() or Refuse(), or None, got "
                f"{self.degenerate!r}."
            )
        self.degenerate.validate()

    def _draws(self, oof: OOFPredictions, kernel: BoundKernel) -> Draws:
        units = Units.of(oof)
        indicator = units.indicator(kernel.strata)
        labels = kernel.strata_names if kernel.strata is not None else ["the data"]
        if self.scores_out_of_bag:
            least = (self.degenerate or Redraw()).min_out_of_bag
            check_possible(
                indicator, labels, units.kind, type(self).__name__, kernel.metric.name, least
            )
        kernel.warn_if_slow(self._n_scores(kernel, units), self.n_jobs)
        return Draws(
            self._resampling(oof, units),
            self.n_bootstraps,
            self._entropy(),
            indicator=indicator,
            expand=units.expand,
            bytes_per_draw=kernel.bytes_per_draw,
            n_jobs=self.n_jobs,
            out_of_bag=self.scores_out_of_bag,
            prefer=kernel.prefers,
            degenerate=self.degenerate,
        )

    def _n_scores(self, kernel: BoundKernel, units: Units) -> int:
        """How many scores per repeat the draws will take, for the announcement of slow ones."""
        # In-bag every configuration is scored, out-of-bag the winner.
        return self.n_bootstraps * (kernel.n_distinct + 1)

    def _entropy(self) -> int:
        """Seed of this run."""
        return entropy_of(self.random_state)

    def _resampling(self, oof: OOFPredictions, units: Units) -> Resampling:
        """How units are drawn."""
        return IID(units.n_units)


def check_n_bootstraps(n: Any) -> None:
    """Raise when there are too few draws for a bound."""
    if isinstance(n, bool) or not isinstance(n, Integral) or n < 20:
        raise ValueError(
            f"n_bootstraps must be an integer of at least 20, got {n!r}: with fewer draws the "
            "bound is the extreme draw. 1000 or more are recommended."
        )


def _only_fold_scores(estimator: Any, X: Any, y: Any) -> float:
    raise ValueError("This metric is known by its fold scores only; it cannot be computed.")


def registered() -> dict[str, type[BaseInterval]]:
    """Registered interval methods by name.

    Returns
    -------
    dict of str to type
        Name -> class, for methods that work on predictions or fold scores.

    Examples
    --------
    >>> from sklearn_bbc.intervals import registered
    >>> registered()["bbc"].__name__
    'BBC'
    """
    return dict(_REGISTRY)


def as_interval(method: Any) -> BaseInterval:
    """Turn a registered name into a method with its defaults; an object stays as it is.

    Parameters
    ----------
    method : str or BaseInterval
        For example ``"bbc"`` or ``BBC(confidence_level=0.9)``.

    Returns
    -------
    BaseInterval
        The method.

    Raises
    ------
    ValueError
        If the name is not registered; the message lists those that are.

    Examples
    --------
    >>> from sklearn_bbc.intervals import as_interval
    >>> as_interval("bbc")
    BBC()
    """
    if isinstance(method, BaseInterval):
        return method
    if isinstance(method, str) and method in _REGISTRY:
        return _REGISTRY[method]()
    if isinstance(method, type) and issubclass(method, BaseInterval):
        raise ValueError(f"Pass an instance, {method.__name__}(), instead of the class.")
    raise ValueError(f"Unknown interval method {method!r}. Known names: {sorted(_REGISTRY)}.")
