"""What every interval method shares: validation, seeds, quantiles, sidedness."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.stats import norm
from sklearn.base import BaseEstimator
from sklearn.metrics import roc_auc_score

from ..exceptions import UndefinedIntervalError
from ..metrics import BoundKernel, Metric, as_metric
from ..predictions import OOFPredictions
from ..resampling import IID, Draws, Resampling, Units, check_possible, entropy_of
from ..results import ConfidenceInterval

_REGISTRY: dict[str, type[BaseInterval]] = {}

ALTERNATIVES = ("two-sided", "greater", "less")
MAX_UNDEFINED = 0.1
"""Share of draws without a defined score above which an interval would mislead."""
MAX_KEPT = 10_000
"""Draws of an enumeration that a result keeps, evenly over the distribution."""


class BaseInterval(BaseEstimator, ABC):
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

    name: ClassVar[str]
    requires: ClassVar[frozenset[str]] = frozenset({"predictions"})
    estimand: ClassVar[str]
    selection_aware: ClassVar[bool] = True

    confidence_level: float
    alternative: str

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

    def _validate(self) -> None:
        level = self.confidence_level
        if isinstance(level, bool) or not isinstance(level, Real) or not 0 < level < 1:
            raise ValueError(
                f"confidence_level must be a number strictly between 0 and 1, got {level!r}. "
                "For a 95% interval use 0.95."
            )
        if self.alternative not in ALTERNATIVES:
            raise ValueError(
                f"alternative must be one of {list(ALTERNATIVES)}, got {self.alternative!r}."
            )

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

    def _tail(self, confidence_level: float | None = None) -> float:
        """Error rate of one tail; at another level than the method's own when one is given."""
        alpha = 1 - (self.confidence_level if confidence_level is None else confidence_level)
        return alpha / 2 if self.alternative == "two-sided" else alpha

    def _sided(self, low: float, high: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Replace the open side by the end of the metric's range."""
        if self.alternative == "greater":
            return low, bounds[1]
        if self.alternative == "less":
            return bounds[0], high
        return low, high

    def _from_draws(
        self,
        scores: np.ndarray,
        metric: Metric,
        *,
        multiplicity: np.ndarray | None = None,
        estimate: float | None = None,
        details: Mapping[str, Any] | None = None,
        n_bootstraps: int | None = None,
    ) -> ConfidenceInterval:
        """Percentile interval of a distribution of scores.

        The bounds are order statistics: of B sorted draws the lower one is number
        ``floor(alpha * B)`` counted from 0, the upper one its mirror image.

        Parameters
        ----------
        scores : ndarray of shape (n_draws,)
            Score of each draw; NaN is left out and counted.
        metric : Metric
            For its name and range.
        multiplicity : ndarray of shape (n_draws,) of int, default=None
            How often each draw counts, in an enumeration.
        estimate : float, default=None
            Point estimate; None takes the mean of the draws.
        details : mapping, default=None
            By-products to report.
        n_bootstraps : int, default=None
            Number of draws to report; None for an enumeration.
        """
        defined = ~np.isnan(scores)
        n_undefined = self._count_undefined(scores, metric)
        enumerated = multiplicity is not None
        if multiplicity is None:
            multiplicity = np.ones(len(scores), dtype=np.int64)
        scores, multiplicity = scores[defined], multiplicity[defined]
        order = np.argsort(scores, kind="stable")
        ranked, cumulated = scores[order], np.cumsum(multiplicity[order])
        total = int(cumulated[-1])
        # 0.05 * 20 must count as 1 whatever its last bit is, and 0.1 * 10**10 as 10**9.
        rank = min(int(np.floor(self._tail() * total * (1 + 1e-12) + 1e-9)), total - 1)
        low = ranked[np.searchsorted(cumulated, rank, side="right")]
        high = ranked[np.searchsorted(cumulated, total - 1 - rank, side="right")]
        if estimate is None:
            # Relative to one draw, so that a constant distribution has exactly its mean.
            estimate = ranked[0] + ((ranked - ranked[0]) * multiplicity[order]).sum() / total
        if enumerated:  # as many values as there are draws, or a fair share of them
            n_kept = min(total, MAX_KEPT)
            places = (2 * np.arange(n_kept) + 1) * (total / (2 * n_kept))
            scores = ranked[np.searchsorted(cumulated, places, side="right")]
        low, high = self._sided(float(low), float(high), metric.bounds)
        return self._result(
            metric,
            float(estimate),
            low,
            high,
            details={"n_undefined": n_undefined, **(details or {})},
            n_bootstraps=n_bootstraps,
            draws=scores,
        )

    def _count_undefined(self, scores: np.ndarray, metric: Metric) -> int:
        """Number of draws without a score; too many of them would mislead."""
        n_undefined = int(np.count_nonzero(np.isnan(scores)))
        if n_undefined > MAX_UNDEFINED * len(scores):
            raise UndefinedIntervalError(
                f"{type(self).__name__} cannot bootstrap {metric.name}: it is undefined in "
                f"{n_undefined} of {len(scores)} draws."
            )
        return n_undefined

    def _from_se(
        self,
        estimate: float,
        standard_error: float,
        metric: Metric,
        *,
        quantile: float | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> ConfidenceInterval:
        """Interval of an estimate plus and minus a multiple of its standard error.

        Parameters
        ----------
        estimate, standard_error : float
            In scorer orientation.
        metric : Metric
            For its name and range.
        quantile : float, default=None
            The multiple; None takes the normal quantile of one tail.
        details : mapping, default=None
            By-products to report. Bounds outside the metric's range are not clipped.
        """
        multiple = float(norm.ppf(1 - self._tail())) if quantile is None else quantile
        half = multiple * standard_error
        low, high = self._sided(estimate - half, estimate + half, metric.bounds)
        details = {"standard_error": float(standard_error), **(details or {})}
        return self._result(metric, estimate, low, high, details=details)

    def _result(
        self, metric: Metric, estimate: float, low: float, high: float, **fields: Any
    ) -> ConfidenceInterval:
        return ConfidenceInterval(
            estimate=estimate,
            low=low,
            high=high,
            confidence_level=self.confidence_level,
            alternative=self.alternative,
            metric=metric.name,
            **{"method": self.name, "estimand": self.estimand, **fields},
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

    def _validate(self) -> None:
        super()._validate()
        check_n_bootstraps(self.n_bootstraps)

    def _draws(self, oof: OOFPredictions, kernel: BoundKernel) -> Draws:
        units = Units.of(oof)
        indicator = units.indicator(kernel.strata)
        labels = kernel.strata_names if kernel.strata is not None else ["the data"]
        if self.scores_out_of_bag:
            check_possible(indicator, labels, units.kind, type(self).__name__, kernel.metric.name)
        # In-bag every configuration is scored, out-of-bag the winner.
        kernel.warn_if_slow(self.n_bootstraps * (kernel.n_distinct + 1), self.n_jobs)
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
        )

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
    """Registered interval methods by name."""
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
