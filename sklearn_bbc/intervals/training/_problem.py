"""What a method that trains models is given: the estimator, the data and the metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from ...metrics import Metric
from ...predictions import OOFPredictions
from ...predictions._metadata import settled, taken_metadata


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem:
    """What is to be trained, and on what.

    Attributes
    ----------
    estimator : estimator
        A search or any other estimator, not fitted.
    X, y : array-like
        Data as the user gave them.
    groups : ndarray of shape (n_samples,) or None
        Samples of one group depend on each other.
    fit_params : mapping
        Passed to ``fit``; entries with one value per sample are cut like X.
    metric : Metric
        The metric.
    n_samples : int
        Number of samples.
    entropy : int
        Seed of the run.
    details : dict
        By-products to report; `notes` is a list that the method may extend.
    errstate : dict
        What NumPy does on overflow; the caller's settings, for estimators and scorers.
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

    @property
    def is_search(self) -> bool:
        """Whether fitting tunes: the estimator splits its own training data."""
        return hasattr(self.estimator, "cv") and hasattr(self.estimator, "estimator")

    @property
    def metadata(self) -> dict[str, Any]:
        """What the scorer asks for besides predictions, from the parameters of ``fit``."""
        asked = {name for param, name in self.metric.requests.items() if param != "sample_weight"}
        if lacking := asked - self.fit_params.keys():
            raise ValueError(
                f"{self.metric.name} asks for {', '.join(map(repr, sorted(lacking)))} by "
                "set_score_request: pass it like a parameter of fit."
            )
        return {name: settled(self.fit_params[name], self.n_samples) for name in asked}

    def labels(self) -> np.ndarray | None:
        """Labels to stratify by; None for regression and several outputs."""
        y = np.asarray(self.y)
        return y if is_classifier(self.estimator) and y.ndim == 1 else None

    def fit(self, train: np.ndarray, **params: Any) -> Any:
        """Fit a clone on some samples.

        Parameters
        ----------
        train : ndarray of int
            Samples to train on, repetitions allowed.
        **params : dict
            Set on the clone first.
        """
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
        """Score of a fitted estimator on some samples; greater is better."""
        X, y = _safe_indexing(self.X, test), _safe_indexing(self.y, test)
        with np.errstate(**self.errstate):
            metadata = taken_metadata(self.metric.routed(self.metadata), test)
            return float(self.metric.scorer(fitted, X, y, **metadata))

    def row_scores(self, fitted: Any, test: np.ndarray) -> np.ndarray:
        """Score of each sample, for metrics that are means over samples."""
        X, y = _safe_indexing(self.X, test), np.asarray(_safe_indexing(self.y, test))
        for method in self.metric.response_method:
            if hasattr(fitted, method):
                with np.errstate(**self.errstate):
                    answer = np.asarray(getattr(fitted, method)(X))
                break
        else:
            raise ValueError(
                f"{self.metric.name} needs {' or '.join(self.metric.response_method)}, which "
                f"{type(fitted).__name__} does not have."
            )
        classes = getattr(fitted, "classes_", None)
        if classes is not None and method == "predict":
            answer = np.searchsorted(classes, answer)
        oof = OOFPredictions(y_true=y, responses={method: answer[None]}, classes=classes)
        values = self.metric.bind(oof).pointwise(0)
        if values is None:
            raise ValueError(
                f"The method needs a metric that is a mean over samples (accuracy, log loss, "
                f"squared error), got {self.metric.name}. Use ConservativeZ or NestedCV, which "
                "take any metric."
            )
        return values

    def _per_sample(self, value: Any) -> bool:
        if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__len__"):
            return False
        return _num_samples(value) == self.n_samples
