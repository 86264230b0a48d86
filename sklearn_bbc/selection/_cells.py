"""Metrics of two-class labels as functions of the four cells of the confusion matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from numbers import Real
from typing import Any

import numpy as np

from .._nearest import got
from .._warn import warn_user
from .._wording import metric_words
from ..exceptions import IntervalWarning
from ..metrics import Metric, as_metric
from ..metrics._rows import RowData
from ._demand import Demand

CELLS = ("tn", "fp", "fn", "tp")


class CellMetric:
    """A metric of labels that is computed from the cells of many confusion matrices at once.

    A metric of two classes depends on its rows only through the four cells, so it is bound to
    four rows, one per cell, that are weighted by the cells.

    Parameters
    ----------
    scoring : str, scorer, Metric or callable
        A metric of labels; or a function of arrays named ``tn``, ``fp``, ``fn``, ``tp`` that
        returns an array, greater is better. Its attribute ``reported``, if it has one, is the
        function that is reported where the other one chooses; `demand`, if it has one, is the
        `Demand` that it makes.
    classes : ndarray of shape (2,)
        The labels.

    Attributes
    ----------
    metric : Metric
        For its name and range.
    positive : label
        The positive label.
    demand : Demand or None
        What must be kept.
    seconds_per_score : float
        Time of a score where the metric has no kernel; else 0.
    """

    def __init__(self, scoring: Any, classes: np.ndarray, pos_label: Any = None) -> None:
        self._function: Callable[..., Any] | None = None
        self._reported: Callable[..., Any] | None = None
        self.positive = classes[1] if pos_label is None else pos_label
        self.demand: Demand | None = None
        self.seconds_per_score = 0.0
        if is_function_of_cells(scoring):
            self._function = scoring
            self._reported = getattr(scoring, "reported", scoring)
            self.demand = getattr(scoring, "demand", None)
            name = getattr(scoring, "__name__", type(scoring).__name__)
            self.metric = Metric(name=name, scorer=scoring)
            self._warn_of_sums(name)
            return
        check_chooses(scoring)
        metric = as_metric(scoring)._with_positive(pos_label)
        if metric.response_method != ("predict",):
            what = "is a scorer whose inside cannot be seen"
            if metric.response_method:
                source = " or ".join(metric.response_method)
                what = f"is computed from {source}, and the same at every threshold"
            raise ValueError(
                "scoring must be a metric of labels, such as 'f1' or 'balanced_accuracy', a "
                "function of the arrays tn, fp, fn and tp, a cost matrix, or "
                f"SensitivityAt(specificity=0.9); {metric.name} {what}."
            )
        self.metric = metric
        if metric.pos_label is not None and metric.pos_label in classes.tolist():
            self.positive = metric.pos_label
        if asked := metric.requests.keys() - {"sample_weight"}:
            raise ValueError(
                f"{metric.name} asks for {', '.join(map(repr, sorted(asked)))} by "
                "set_score_request, but thresholds are scored by the counts of true and false "
                "positives and negatives, which have no such values. Use a metric of labels alone."
            )
        negative = classes[0] if self.positive == classes[1] else classes[1]
        codes = np.searchsorted(classes, [negative, self.positive])
        pred = codes[[0, 1, 0, 1]].astype(np.int64)
        rows = RowData(
            np.asarray([negative, negative, self.positive, self.positive]).astype(classes.dtype),
            pred[None, :],
            classes,
            True,
            metric.kwargs,
            metric.sign,
            False,
            {},
            np.zeros(4, dtype=np.intp),
        )
        try:
            self._kernel = metric.kernel_of(rows)
        except ValueError as error:
            if metric.pos_label is None or metric.pos_label in classes.tolist():
                raise
            raise ValueError(
                f"{metric.name} has pos_label={metric.pos_label!r}, but the classes are "
                f"{classes.tolist()}. Make a scorer with one of them: make_scorer(..., "
                "pos_label=...)."
            ) from error
        self.seconds_per_score = self._kernel.seconds_per_score or 0.0

    def _warn_of_sums(self, name: str) -> None:
        """Warn of a function that grows with the number of samples, which differs in a draw."""
        cells = np.array([[50.0, 11.0, 3.0, 36.0]])
        try:
            few, many = self.report(cells), self.report(2 * cells)
        except Exception:  # what is wrong with the function is told when it is used
            return
        if not np.allclose(few, many, rtol=1e-6, equal_nan=True):
            warn_user(
                f"{name} depends on the number of samples, and a draw scores fewer than there "
                "are: its corrected score is on another scale. Divide by tn + fp + fn + tp.",
                IntervalWarning,
            )

    def __call__(self, cells: np.ndarray) -> np.ndarray:
        """Score confusion matrices.

        Parameters
        ----------
        cells : ndarray of shape (n, 4)
            Weights of true negatives, false positives, false negatives, true positives.

        Returns
        -------
        ndarray of shape (n,)
            Greater is better; NaN where undefined.
        """
        return self._scores(self._function, cells)

    @property
    def by(self) -> str:
        """What the threshold is chosen by, in words."""
        if self.demand is not None:
            return self.demand.by
        sign = self.metric.sign if self._function is None else None
        return metric_words(self.metric.name, sign=sign).name

    def choose(self, repeats: Iterable[np.ndarray]) -> np.ndarray:
        """Score the confusion matrices of all repeats together, for the choice.

        Parameters
        ----------
        repeats : iterable of ndarray of shape (n, 4)
            Cells, see a call, of each repeat of the cross-validation.

        Returns
        -------
        ndarray of shape (n,)
            Means over the repeats; NaN where one is undefined. With a demand the rate that it
            is about is such a mean, too.
        """
        if self.demand is not None:
            with np.errstate(invalid="ignore", divide="ignore"):
                return self.demand.score(cells.T.astype(float) for cells in repeats)
        total: np.ndarray | float = 0.0
        n_repeats = 0
        for cells in repeats:
            total, n_repeats = total + self(cells), n_repeats + 1
        return np.asarray(total / n_repeats)

    def report(self, cells: np.ndarray) -> np.ndarray:
        """Score confusion matrices by what is reported, of which a constraint is not a part.

        Parameters
        ----------
        cells : ndarray of shape (n, 4)
            As for a call.

        Returns
        -------
        ndarray of shape (n,)
            Greater is better; NaN where undefined.
        """
        return self._scores(self._reported, cells)

    def rate(self, cells: np.ndarray) -> np.ndarray:
        """The rate that a demand is about; see `report` for shapes."""
        assert self.demand is not None
        return self._scores(self.demand.rate, cells)

    def _scores(self, function: Callable[..., Any] | None, cells: np.ndarray) -> np.ndarray:
        if function is None:
            return self.metric.sign * self._kernel._scores(cells, np.array([0]))[:, 0]
        with np.errstate(invalid="ignore", divide="ignore"):
            scores = np.array(function(*cells.T.astype(float)), dtype=float)
        if scores.shape != (len(cells),):
            raise ValueError(
                f"{self.metric.name} must return one score per confusion matrix, an array of "
                f"shape ({len(cells)},), got shape {scores.shape}."
            )
        scores[cells.sum(axis=1) == 0] = np.nan
        return scores


def check_chooses(scoring: Any) -> None:
    """Raise for what people give in the place of the metric that a threshold is chosen by."""
    by = (
        "scoring must be what the threshold is chosen by: a metric of labels such as 'f1' or "
        "'balanced_accuracy', a cost matrix such as [[0, 1], [5, 0]], or "
        "SensitivityAt(specificity=0.9) of sklearn_bbc.selection"
    )
    if isinstance(scoring, Real):
        raise ValueError(
            f"{by}; got {scoring!r}. A fixed threshold goes to thresholds=[{scoring!r}]."
        )
    if isinstance(scoring, type):
        raise ValueError(f"{by}; got the class {scoring.__name__}: pass an object, with (...).")
    if scoring is None or isinstance(scoring, (Mapping, set)):
        raise ValueError(f"{by}; got {got(scoring)}.")
    word = scoring.casefold() if isinstance(scoring, str) else ""
    if word in ("sensitivity", "specificity", "tpr", "tnr"):
        raise ValueError(
            f"{scoring!r} alone is best where every sample is "
            f"{'positive' if word in ('sensitivity', 'tpr') else 'negative'}. "
            "SensitivityAt(specificity=0.9), from sklearn_bbc.selection, keeps a specificity and "
            "maximises the sensitivity; 'balanced_accuracy' weighs both alike."
        )


def is_function_of_cells(scoring: Any) -> bool:
    """Whether the parameters of a callable are the four cells."""
    if not callable(scoring):
        return False
    try:
        return tuple(signature(scoring).parameters) == CELLS
    except (TypeError, ValueError):
        return False
