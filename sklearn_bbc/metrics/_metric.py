"""A metric as the bootstrap uses it, made from any scikit-learn scorer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import sklearn.metrics
from sklearn.metrics import roc_auc_score
from sklearn.utils.metadata_routing import get_routing_for_object

from .._parameters import Text
from .._scorers import ENDINGS, check_scorer, parameters_of, scorer_named, scorer_names
from .._utils import got, suppress_fp_warnings
from ..predictions._predictions import OOFPredictions, with_fields
from ..predictions._validation import TARGET, Refused, is_per_sample
from ..results._results import frozen_array
from ._base import MetricKernel, RowData, bounds_of, family_for
from ._bound import BoundKernel, takes_given_scores
from ._replay import ReplayError, ReplayKernel

_ROUNDING = 1e-9
"""How far rounding may carry a score over the end of its range."""

ALIKE = tuple(
    getattr(sklearn.metrics, name)
    for name in ("brier_score_loss", "d2_brier_score")
    if hasattr(sklearn.metrics, name)
)
"""Functions that know a positive class, and give the same score whichever it is."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Metric:
    """A metric: what it consumes, how it is oriented, and how it is computed.

    Usually made by `as_metric` from a scorer or its name.

    Parameters
    ----------
    name : str
        Name in results.
    scorer : callable
        The scorer ``(estimator, X, y) -> float`` behind it.
    score_func : callable or None, default=None
        Function ``(y_true, y_pred, **kwargs) -> float``; None for a plain callable
        scorer, whose inside cannot be seen.
    response_method : tuple of str, default=()
        Response methods in order of preference; empty when not known.
    sign : {1, -1}, default=1
        +1 when greater is better.
    kwargs : mapping, default={}
        Keyword arguments of `score_func`.
    n_classes : int or None, default=None
        Number of classes of the target, on which the range of some metrics depends. None where it
        is not known, or there are no classes.

    Attributes
    ----------
    bounds : tuple of float
        Smallest and largest score in scorer orientation, infinite when not known.

    Examples
    --------
    >>> from sklearn.metrics import get_scorer, mean_absolute_error
    >>> from sklearn_bbc.metrics import Metric
    >>> scorer = get_scorer("neg_mean_absolute_error")
    >>> metric = Metric(
    ...     name="error", scorer=scorer, score_func=mean_absolute_error,
    ...     response_method=("predict",), sign=-1,
    ... )
    >>> metric.bounds
    (-inf, 0.0)
    """

    name: str
    scorer: Callable[..., float]
    score_func: Callable[..., float] | None = None
    response_method: tuple[str, ...] = ()
    sign: int = 1
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    n_classes: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "kwargs", MappingProxyType(dict(self.kwargs)))

    # A mapping proxy cannot be pickled, and replayed metrics travel to other processes.
    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "kwargs": dict(self.kwargs)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest score in scorer orientation."""
        low, high = bounds_of(self.score_func, self.kwargs, self.n_classes)
        return (low, high) if self.sign > 0 else (0.0 - high, 0.0 - low)

    @property
    def pos_label(self) -> Any:
        """Label whose scores a scorer passes to the metric; None stands for the second class."""
        if "pos_label" in self.kwargs or self.score_func is None:
            return self.kwargs.get("pos_label")
        parameter = parameters_of(self.score_func).get("pos_label")
        return None if parameter is None else parameter.default

    @property
    def requests(self) -> Mapping[str, str]:
        """Metadata that `set_score_request` asked for: parameter -> name that it is passed by."""
        request = getattr(get_routing_for_object(self.scorer), "score", None)
        asked = getattr(request, "requests", {}).items()  # a router passes names on as they are
        names = {param: param if name is True else name for param, name in asked}
        # Others are True, False, None, or signs that are no names.
        return {k: v for k, v in names.items() if isinstance(v, str) and v.isidentifier()}

    def routed(self, metadata: Mapping[str, Any]) -> dict[str, Any]:
        """Pick the metadata that the scorer gets, besides sample weights.

        Parameters
        ----------
        metadata : mapping of str to object
            As `OOFPredictions.metadata`.

        Returns
        -------
        dict of str to object
            Parameter -> value.

        Raises
        ------
        ReplayError
            If it asks for something that cannot be repeated in draws.
        """
        if not metadata:
            return {}
        names = self.requests
        consumed = get_routing_for_object(self.scorer).consumes("score", metadata.keys())
        names = {**{k: k for k in consumed if k not in names.values()}, **names}
        found = {param: metadata[name] for param, name in names.items() if name in metadata}
        found.pop("sample_weight", None)
        for param, value in found.items():
            if isinstance(value, Refused):
                raise ReplayError(
                    f"{self.name} asks for {names[param]!r} by set_score_request, but that "
                    f"{value.why}. BBCF works on the scores per fold."
                )
        return found

    def weighted(self, oof: OOFPredictions) -> OOFPredictions:
        """Return the predictions with the sample weights that the scorer requests by a name.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions, perhaps with the weights of another metric.

        Returns
        -------
        OOFPredictions
            The same object if the scorer requests no weights, or none that are there.
        """
        name = self.requests.get("sample_weight") if oof.metadata else None
        value = oof.metadata.get(name) if name is not None else None
        if not is_per_sample(value):
            return oof
        return with_fields(oof, sample_weight=frozen_array(value))

    def with_classes(self, classes: np.ndarray | None) -> Metric:
        """Return the same metric with the number of classes of the target.

        Parameters
        ----------
        classes : ndarray of shape (n_classes,) or None
            Class labels; None leaves the metric as it is.

        Returns
        -------
        Metric
            The same object if it knows the number, or there are no classes.
        """
        if classes is None or len(classes) == self.n_classes:
            return self
        other = copy(self)
        object.__setattr__(other, "n_classes", len(classes))
        return other

    @property
    def _has_positive_class(self) -> bool:
        """Whether the function knows a positive class, and is not averaged over classes."""
        parameters = parameters_of(self.score_func)
        average = parameters.get("average")
        if average is not None and average.default == "binary":
            return self.kwargs.get("average", "binary") == "binary"
        return "pos_label" in parameters or "pos_label" in self.kwargs

    def with_positive(self, pos_label: Any) -> Metric:
        """Return the same metric with a positive class, if it needs one and names none.

        Parameters
        ----------
        pos_label : label or None
            The class; None leaves the metric as it is.

        Returns
        -------
        Metric
            The same object if it needs none, or has one.
        """
        if pos_label is None or "pos_label" in self.kwargs or not self._has_positive_class:
            return self
        other = copy(self)
        object.__setattr__(
            other, "kwargs", MappingProxyType({**self.kwargs, "pos_label": pos_label})
        )
        return other

    def positive_class(self, oof: OOFPredictions) -> Any:
        """Find the class that the metric takes as positive.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions.

        Returns
        -------
        label or None
            None where it treats both classes alike, and where there are not two.
        """
        if oof.classes_ is None or len(oof.classes_) != 2 or oof.y_true.ndim != 1:
            return None
        apart = self._has_positive_class and self.score_func not in ALIKE
        if not apart and not takes_given_scores(self, oof):
            return None
        labels = oof.classes_.tolist()
        named = self.with_positive(oof.pos_label).pos_label
        if named in labels:
            return labels[labels.index(named)]
        return labels[1] if oof.pos_label is None else oof.pos_label

    def bind(self, oof: OOFPredictions) -> BoundKernel:
        """Bind the metric to predictions: do the work that does not depend on the draw.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions.

        Returns
        -------
        BoundKernel
            Scores resamples of these predictions.

        Raises
        ------
        ValueError
            If the predictions are not what the metric consumes, no class is the one that it
            takes as positive, or it is for two classes and there are more.
        """
        metric = self.with_positive(oof.pos_label).with_classes(oof.classes_)
        if oof.classes_ is not None:
            problem = metric.unknown_positive_label(oof.classes_)
            if oof.y_true.ndim == 1:
                problem = problem or metric.of_two_classes(np.unique(oof.y_true))
            if problem:
                raise ValueError(problem)
        return BoundKernel(metric, oof)

    def unknown_positive_label(self, classes: np.ndarray) -> str | None:
        """Explain what is wrong, and what to do, when neither of two classes is the positive one.

        Parameters
        ----------
        classes : ndarray of shape (n_classes,)
            Class labels in sorted order.

        Returns
        -------
        str or None
            None where the metric finds its positive class, or needs none.
        """
        function = self.score_func
        # Only of scikit-learn's functions is it known what they do with the label.
        if not (getattr(function, "__module__", None) or "").startswith("sklearn."):
            return None
        assert function is not None
        labels, positive = np.asarray(classes).tolist(), self.pos_label
        average = parameters_of(function).get("average")
        if average is not None and average.default == "binary":
            if self.kwargs.get("average", "binary") != "binary":
                return None
        if len(labels) != 2 or positive is None or positive in labels:
            return None
        return (
            f"{self.name} has pos_label={positive!r}, but the classes are {labels}. "
            f"{self.naming(labels[1])}"
        )

    def of_two_classes(self, classes: np.ndarray) -> str | None:
        """Explain that the metric is for two classes, and which one to take for more of them.

        Parameters
        ----------
        classes : ndarray of shape (n_classes,)
            Class labels.

        Returns
        -------
        str or None
            None where there are two, or the metric takes more.
        """
        function, kwargs = self.score_func, self.kwargs
        known = (getattr(function, "__module__", None) or "").startswith("sklearn.")
        if len(classes) <= 2 or function is None or not known:
            return None
        instead = None
        if function is roc_auc_score and kwargs.get("multi_class", "raise") == "raise":
            instead = "'roc_auc_ovr' or 'roc_auc_ovo'"
        average = parameters_of(function).get("average")
        if average is not None and kwargs.get("average", average.default) == "binary":
            instead = f"'{self.name}_macro' or '{self.name}_weighted'"
            if f"{self.name}_macro" not in scorer_names():
                more = "".join(
                    f", {key}={value!r}" for key, value in kwargs.items() if key != "average"
                )
                instead = f"make_scorer({function.__name__}, average='macro'{more})"
        if instead is None:
            return None
        return (
            f"{self.name} is for two classes, but the target has {len(classes)}. Use "
            f"scoring={instead}."
        )

    def naming(self, positive: Any) -> str:
        """Write how to name the positive class.

        Parameters
        ----------
        positive : label
            The class.

        Returns
        -------
        str
            A sentence with the scorer for a search, and the parameter where there are arrays.
        """
        function = self.score_func
        assert function is not None
        given = {name: value for name, value in self.kwargs.items() if name != "pos_label"}
        if given.get("average") == "binary":  # what the function does by itself
            del given["average"]
        if self.sign < 0:
            given["greater_is_better"] = False
        if self.response_method != ("predict",):
            methods = self.response_method
            given["response_method"] = methods[0] if len(methods) == 1 else methods
        given["pos_label"] = positive
        words = "".join(f", {name}={value!r}" for name, value in given.items())
        return (
            "Name the positive one with pos_label= where arrays are given, or with "
            f"scoring=make_scorer({function.__name__}{words})."
        )

    def kernel_of(self, rows: RowData) -> MetricKernel:
        """Make the kernel for the rows of one repeat: that of a family, or a replay of the scorer.

        Parameters
        ----------
        rows : RowData
            Valid, distinct configurations.

        Returns
        -------
        MetricKernel
            Without repeats, sample weights and the sign, which are `BoundKernel`'s business.
        """
        # No kernel knows what metadata does to a metric; a Series of the target does nothing.
        family = None if rows.metadata.keys() - {TARGET} else family_for(self.score_func, rows)
        if family is None or self.score_func is None:
            return ReplayKernel(self.name, self.scorer, self.score_func, rows)
        with suppress_fp_warnings():
            return family(self.score_func, rows)

    def fold_scores(self, oof: OOFPredictions) -> np.ndarray:
        """Return the scores per split: those of the search where it recorded them.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions, or fold scores alone.

        Returns
        -------
        ndarray of shape (n_splits, n_configs)
            Greater is better; NaN where undefined.

        Raises
        ------
        ValueError
            If there are neither fold scores of this metric nor predictions.
        """
        recorded = self.recorded_fold_scores(oof)
        if recorded is not None:
            return recorded
        if not oof.responses:
            raise ValueError(
                f"There are no predictions, and no fold scores of {self.name!r}; known are "
                f"{sorted(oof.fold_scores)}. OOFPredictions.from_search(search, X, y) fits a "
                "search again and keeps its predictions, for any metric."
            )
        return self.bind(oof).fold_scores()

    def recorded_fold_scores(self, oof: OOFPredictions) -> np.ndarray | None:
        """Return the scores per split as the search recorded them.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions, or fold scores alone.

        Returns
        -------
        ndarray of shape (n_splits, n_configs) or None
            None where nothing was recorded under the metric's name.

        Raises
        ------
        ValueError
            If a score lies outside the range of the metric.
        """
        scores = oof.fold_scores.get(self.name)
        if scores is not None:
            # A failed configuration may have the `error_score` of the search.
            bounds = self.with_classes(oof.classes_).bounds
            _check_range(scores[:, ~oof.failed], self.name, bounds)
        return scores


def _check_range(scores: np.ndarray, name: str, bounds: tuple[float, float]) -> None:
    """Raise if scores lie outside the range of the metric, like those of another metric."""
    low, high = bounds
    with np.errstate(invalid="ignore"):
        outside = scores[(scores < low - _ROUNDING) | (scores > high + _ROUNDING)]
    if not len(outside):
        return
    hint = "If it is another metric, give it another name."
    if high == 0 and (outside > 0).all():
        hint = "Greater is better here, so a loss is negative: pass its scores with a minus."
    elif (low, high) == (0, 1) and outside.max() <= 100 and outside.min() >= 0:
        hint = "If these are percent, divide them by 100."
    raise ValueError(
        f"fold_scores[{name!r}] holds {outside.flat[0]:g}, but {name} lies between {low:g} and "
        f"{high:g}. {hint}"
    )


def as_metric(scoring: Any, name: str | None = None) -> Metric:
    """Make a metric from whatever scikit-learn accepts as a single ``scoring``.

    Parameters
    ----------
    scoring : str, scorer or Metric
        Name of a scorer, result of `sklearn.metrics.make_scorer`, or any callable
        ``scorer(estimator, X, y)``.
    name : str or None, default=None
        Name in results; None takes it from `scoring`.

    Returns
    -------
    Metric
        A metric is returned as it is.

    Raises
    ------
    ValueError
        If the name is unknown or `scoring` is not callable.

    Examples
    --------
    >>> from sklearn_bbc.metrics import as_metric
    >>> metric = as_metric("neg_log_loss")
    >>> metric.sign, metric.response_method, metric.bounds
    (-1, ('predict_proba',), (-inf, 0.0))
    """
    Text(or_none=True).check("name", name)
    if isinstance(scoring, Metric):
        return scoring
    scorer = scoring
    if isinstance(scoring, str):
        scorer = scorer_named(scoring)
        name = scoring if name is None else name
    if not callable(scorer):
        several = isinstance(scoring, (list, tuple, set, Mapping))
        raise ValueError(
            f"scoring must be the name of a metric, such as 'roc_auc', or a scorer, got "
            f"{got(scoring)}.{' For several metrics call once for each.' * several}"
        )
    check_scorer(scorer)
    score_func = getattr(scorer, "_score_func", None)
    if name is None:
        function = score_func or scorer
        name = getattr(function, "__name__", type(function).__name__)
        if function in ENDINGS:
            name += ENDINGS[function](scorer._kwargs)
    if score_func is None:
        return Metric(name=name, scorer=scorer)
    methods = getattr(scorer, "recorded_as", scorer._response_method)
    methods = "predict" if methods == "default" else methods
    return Metric(
        name=name,
        scorer=scorer,
        score_func=score_func,
        response_method=(methods,) if isinstance(methods, str) else tuple(methods),
        sign=scorer._sign,
        kwargs=scorer._kwargs,
    )
