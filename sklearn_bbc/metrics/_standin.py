"""An estimator that answers with recorded predictions, for scorers that want an estimator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin


class RowHandles:
    """What a replayed scorer gets as `X`: it knows which rows it stands for, no features.

    It can be counted and subset by rows, as an array can. Everything else is an error
    with a reason, since a scorer that looks at features would otherwise be wrong in
    silence.

    Parameters
    ----------
    rows : ndarray of shape (n_picked,) of int
        Positions of the rows.
    """

    def __init__(self, rows: np.ndarray) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def shape(self) -> tuple[int]:
        """One number: the rows."""
        return (len(self._rows),)

    def __getitem__(self, key: Any) -> RowHandles:
        rows = None if isinstance(key, tuple) else self._rows[key]
        if not isinstance(rows, np.ndarray):
            raise TypeError(f"X[{key!r}] asks for features, and only predictions were recorded")
        return RowHandles(rows)

    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray:
        raise TypeError("it turns X into an array, and only predictions were recorded")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"it asks for X.{name}, and only predictions were recorded")


class _StandIn(BaseEstimator):
    """Answers for the rows asked; only the methods that were recorded exist."""

    def __init__(self, answers: Mapping[str, np.ndarray], classes: np.ndarray | None) -> None:
        self.answers = answers
        self.classes = classes
        if classes is not None:
            self.classes_ = classes

    def __getattr__(self, name: str) -> Any:
        answers = self.__dict__.get("answers", {})
        if name == "predict_log_proba" and "predict_proba" in answers:
            return _named(name, lambda X: np.log(self._answer("predict_proba", X)))
        if name in answers:
            return _named(name, lambda X: self._answer(name, X))
        raise AttributeError(
            f"it asks for estimator.{name}, and only the predictions were recorded "
            f"({sorted(answers)})"
        )

    def _answer(self, method: str, X: Any) -> np.ndarray:
        if not isinstance(X, RowHandles):
            raise TypeError(
                f"it calls {method} on a {type(X).__name__} of its own making, and predictions "
                "were recorded for the rows of X only"
            )
        return self.answers[method][X._rows]

    def fit(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Scikit-learn tells estimators by this method; a recording cannot be fitted."""
        raise TypeError("it fits the estimator, and only predictions were recorded")

    def __sklearn_is_fitted__(self) -> bool:
        return True


class StandInClassifier(ClassifierMixin, _StandIn):
    """Stand-in of a classifier."""


class StandInRegressor(RegressorMixin, _StandIn):
    """Stand-in of a regressor, and of models of survival or several outputs."""


def _named(name: str, function: Callable[[Any], np.ndarray]) -> Callable[[Any], np.ndarray]:
    function.__name__ = name  # scikit-learn's scorers look at the name of a response method
    return function


def stand_in(
    responses: Mapping[str, np.ndarray], config: int, classes: np.ndarray | None
) -> StandInClassifier | StandInRegressor:
    """Estimator that answers with the predictions of one configuration.

    Parameters
    ----------
    responses : mapping of str to ndarray of shape (n_configs, n_rows[, n_outputs])
        Recorded responses; "plain" ones answer for every method.
    config : int
        Index of the configuration.
    classes : ndarray of shape (n_classes,) or None
        Sorted class labels; None makes it a regressor.

    Returns
    -------
    StandInClassifier or StandInRegressor
        Its `X` is a `RowHandles`.
    """
    answers: dict[str, np.ndarray] = {}
    binary = classes is not None and len(classes) == 2
    for method, array in responses.items():
        own = array[config]
        if method == "plain":
            both = np.column_stack([1 - own, own]) if _positive_only(own, binary) else own
            scores = {} if own.dtype.kind == "U" else {"decision_function": own}
            answers = {"predict": own, **scores, **({"predict_proba": both} if scores else {})}
            break
        if own.dtype.kind in "iu":
            if (own < 0).all():
                continue
        elif np.isnan(own).all():
            continue
        if method == "predict" and classes is not None:
            own = classes[own]
        elif method == "predict_proba" and _positive_only(own, binary):
            own = np.column_stack([1 - own, own])
        answers[method] = own
    made = StandInRegressor if classes is None else StandInClassifier
    return made(answers, classes)


def _positive_only(values: np.ndarray, binary: bool) -> bool:
    """Whether these are the probabilities of the second of two classes."""
    return binary and values.ndim == 1 and values.dtype.kind in "fiub"
