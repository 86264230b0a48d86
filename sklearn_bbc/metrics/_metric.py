"""A metric as the bootstrap uses it, made from any scikit-learn scorer."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import sklearn.metrics
from joblib import effective_n_jobs
from sklearn.metrics import roc_auc_score
from sklearn.utils.metadata_routing import get_routing_for_object

from .._parameters import Text
from .._rounding import draws_at_once, rounding, without_rounding
from .._scorers import ENDINGS, check_scorer, parameters_of, scorer_named, scorer_names
from .._utils import got, same, suppress_fp_warnings
from .._warnings import duration, warn_user
from ..exceptions import SlowMetricWarning
from ..predictions._files import block_taken
from ..predictions._predictions import OOFPredictions, with_fields
from ..predictions._validation import TARGET_NAME, Refused, is_per_sample, taken_metadata
from ..results._results import frozen_array
from ._arithmetic import in_order, neighbours, parts_of_sums
from ._base import (
    BlockOfConfigs,
    HeldOut,
    MetricKernel,
    RepeatRows,
    RowData,
    family_for,
    first_best,
    labels_there,
    least_size,
    range_of,
)
from ._consumed import (
    Unbound,
    complete,
    consumed,
    first_of_equals,
    takes_given_scores,
    usable,
)
from ._replay import ReplayError, ReplayKernel

_MANY_ROWS = 2**14
"""Rows from which scores on the data are made of the values of rows, where these are known."""
_MOST_SPLITS = 64
"""Splits up to which those of splits are, too."""
_SCORE_ROUNDING = 1e-9
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
        low, high = range_of(self.score_func, self.kwargs, self.n_classes)
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
        if not oof.metadata:
            return oof
        value = oof.metadata.get(self.requests.get("sample_weight", ""))
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
        return replace(self, n_classes=len(classes))

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
        return replace(self, kwargs={**self.kwargs, "pos_label": pos_label})

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
        if not apart and not takes_given_scores(Unbound(self, oof)):
            return None
        labels = oof.classes_.tolist()
        own = self if oof.pos_label is None else self.with_positive(oof.pos_label)
        if (named := own.pos_label) in labels:
            return labels[labels.index(named)]
        return labels[1] if oof.pos_label is None else oof.pos_label

    def bind(self, oof: OOFPredictions) -> BoundMetric:
        """Bind the metric to predictions: do the work that does not depend on the draw.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions.

        Returns
        -------
        BoundMetric
            Scores resamples of these predictions.

        Raises
        ------
        ValueError
            If the predictions are not what the metric consumes, no class is the one that it
            takes as positive, or it is for two classes and there are more.
        """
        metric, classes = self.with_classes(oof.classes_), oof.classes_
        if oof.pos_label is not None:
            metric = metric.with_positive(oof.pos_label)
        problem = None
        if classes is not None and len(classes) == 2:
            problem = metric.unknown_positive_label(classes)
        elif classes is not None and oof.y_true.ndim == 1:
            problem = metric.of_two_classes(labels_there(oof.y_true, classes))
        if problem:
            raise ValueError(problem)
        return BoundMetric(metric, oof)

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
            Without repeats, sample weights and the sign, which are `BoundMetric`'s business.
        """
        # No kernel knows what metadata does to a metric; a Series of the target does nothing.
        family = (
            None if rows.metadata.keys() - {TARGET_NAME} else family_for(self.score_func, rows)
        )
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
            _check_bounds(scores[:, ~oof.failed], self.name, bounds)
        return scores


def _check_bounds(scores: np.ndarray, name: str, bounds: tuple[float, float]) -> None:
    """Raise if scores lie outside the range of the metric, like those of another metric."""
    low, high = bounds
    with np.errstate(invalid="ignore"):
        outside = scores[(scores < low - _SCORE_ROUNDING) | (scores > high + _SCORE_ROUNDING)]
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
    if name is not None:
        Text().check("name", name)
    if isinstance(scoring, Metric):
        return scoring
    scorer = scoring
    if isinstance(scoring, str):
        scorer = scorer_named(scoring)
        name = scoring if name is None else name
    elif callable(scoring):
        check_scorer(scoring)
    else:
        several = isinstance(scoring, (list, tuple, set, Mapping))
        raise ValueError(
            f"scoring must be the name of a metric, such as 'roc_auc', or a scorer, got "
            f"{got(scoring)}.{' For several metrics call once for each.' * several}"
        )
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


SLOW_SECONDS = 5
"""Expected duration above which a replayed metric is announced."""


POSITIVE_WEIGHT = "the data of positive weight"  # stratum of draws that need some weight, no more


class BoundMetric:
    """Scores of configurations on weighted resamples of the samples.

    Scores are in scorer orientation (greater is better) and NaN where the metric is
    undefined. With several repeats they are the mean over the repeats. Sample weights
    multiply the weights. Failed configurations and those with a NaN prediction are
    undefined and never win; configurations with equal predictions are scored once.

    Parameters
    ----------
    metric : Metric
        The metric.
    oof : OOFPredictions
        The predictions.

    Attributes
    ----------
    metric : Metric
        The metric, with what it takes from the predictions: classes, and which one is positive.
    oof : OOFPredictions
        The predictions.
    n_samples, n_configs : int
        Sizes of what `weights` and results are about; `n_units` is the number of samples, too.
    n_distinct : int
        Number of configurations that predict differently.
    first_alike : ndarray of shape (n_configs,), intp
        First configuration with the same predictions; itself if undefined.
    rounding, unit : float
        Relative difference that rounding makes between scores that are equal in theory, and the
        least size that it is relative to: 1 where scores go up to 1, or 0.
    seconds_per_score : float
        Time of one score of one draw where there is no kernel, else 0.
    valid : ndarray of shape (n_configs,), bool
        Configurations with a defined prediction for every row.
    response : str
        Response methods that the metric consumes here.
    family : str
        Name of the kernel family; ``"replay"`` when there is no kernel.
    strata : ndarray of shape (n_strata, n_samples), bool, or None
        Samples of which every draw needs at least one.
    strata_names : list of str
        Names of the strata.
    prefers : {"threads", "processes"}
        How draws are spread over several jobs.
    is_pointwise : bool
        Whether the metric is a weighted mean of one value per row, see `pointwise`.
    is_rank : bool
        Whether the metric compares the scores of rows with each other.
    conditions_on_class : bool
        Whether the metric is made of scores within classes, whatever the shares of these;
        found out by trying where there is no kernel.
    bytes_per_draw : int
        Memory in bytes needed to score one draw.
    repeats : list of Repeat
        Kernel, samples, folds and weights of the rows of each repeat.
    position : ndarray of shape (n_configs,), intp
        Place of each configuration among those that the kernels of `repeats` score; -1 where it
        cannot be scored. Configurations with equal predictions have one place.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.metrics import as_metric
    >>> from sklearn_bbc.testing import example_predictions
    >>> kernel = as_metric("roc_auc").bind(example_predictions(n_samples=8, n_configs=3))
    >>> counts = np.array([[1, 1, 1, 1, 1, 1, 1, 1], [2, 2, 1, 1, 2, 0, 0, 0]])
    >>> kernel.scores(counts).shape, kernel.winners(counts).shape
    ((2, 3), (2,))
    """

    def __init__(self, metric: Metric, oof: OOFPredictions) -> None:
        self.metric, self.oof = metric, oof
        self._warned = False
        self._whole_folds: np.ndarray | None = None
        self._on_data: np.ndarray | None = None
        self.n_samples, self.n_configs = oof.n_samples, oof.n_configs
        self.n_units = oof.n_samples
        pred, responses, codes_given, self.response = consumed(self)
        defined = usable(responses) if responses else complete(pred, codes_given)
        self.valid = defined & ~oof.failed
        if not self.valid.any():
            raise ValueError(
                f"No configuration has a complete, finite prediction for {metric.name}: every one "
                "failed in some fold, by its fit or its scorer, or predicts NaN."
            )
        chosen = np.flatnonzero(self.valid)
        first = first_of_equals(list(responses.values()) or [pred], chosen)
        self._distinct = first if first is chosen else np.unique(first)
        self.position = np.full(self.n_configs, -1, dtype=np.intp)
        self.position[chosen] = np.searchsorted(self._distinct, first)
        everything = len(self._distinct) == self.n_configs
        fixed, of_samples = self._metadata() if oof.metadata else ({}, {})
        self.repeats: list[RepeatRows] = []
        for repeat in range(oof.n_repeats):
            here = np.flatnonzero(oof.repeat == repeat)
            every = len(here) == oof.n_rows  # then without copies
            sample, fold = (each if every else each[here] for each in (oof.sample, oof.fold))
            in_order = np.array_equal(sample, np.arange(oof.n_samples))
            whole = everything and every
            weight = None if oof.sample_weight is None else oof.sample_weight[sample]
            rows = RowData(
                oof.y_true if in_order else oof.y_true[sample],
                pred if whole else block_taken(pred, self._distinct, here),
                oof.classes_,
                codes_given,
                {**metric.kwargs, **fixed},
                metric.sign,
                weight is not None,
                {
                    k: v if whole else block_taken(v, self._distinct, here)
                    for k, v in responses.items()
                },
                fold,
                taken_metadata(of_samples, sample) if of_samples else {},
            )
            self.repeats.append(RepeatRows(metric.kernel_of(rows), sample, fold, weight, in_order))
        for part in self.repeats:
            if part.kernel.defined is not None:
                self.valid[chosen] &= part.kernel.defined[self.position[chosen]]
        n_terms = max(part.kernel.rows.n_rows for part in self.repeats) + oof.n_repeats
        self.rounding, self.unit = rounding(n_terms), least_size(metric.bounds)
        self.n_distinct = len(self._distinct)
        self.first_alike: np.ndarray = np.arange(self.n_configs)
        self.first_alike[chosen] = first
        self._collect_strata(oof.sample_weight)
        # A mask of what is left out. Counts of groups are wider, and copied for the samples.
        self.bytes_per_draw = (
            (1 if oof.groups is None and oof.block_length is None else 8) * self.n_samples
            + 16 * self.n_configs
            + max(part.bytes_per_draw for part in self.repeats)
        )

    def _metadata(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Pick what the scorer asks for: what is the same for all samples, and what is not."""
        metric, oof = self.metric, self.oof
        given = metric.routed(oof.metadata)
        fixed = {name: value for name, value in given.items() if not is_per_sample(value)}
        of_samples = {name: value for name, value in given.items() if is_per_sample(value)}
        if TARGET_NAME in oof.metadata:
            of_samples[TARGET_NAME] = oof.metadata[TARGET_NAME]
        own_weights = metric.weighted(oof).sample_weight
        if not same(own_weights, oof.sample_weight):
            raise ValueError(
                f"{metric.name} asks for {metric.requests['sample_weight']!r} as sample_weight, "
                "but the predictions have other weights: make OOFPredictions(sample_weight=...) "
                "of those."
            )
        return fixed, of_samples

    def _collect_strata(self, sample_weight: np.ndarray | None) -> None:
        # Several repeats have the same samples, so the first one knows the strata of all.
        first = self.repeats[0]
        self.family = first.kernel.name
        self.prefers = first.kernel.prefers
        self.seconds_per_score = sum(part.kernel.seconds_per_score or 0.0 for part in self.repeats)
        self.is_pointwise = first.kernel.is_pointwise
        self.is_rank = first.kernel.is_rank
        self.strata_names = list(first.kernel.strata_names)
        self.strata = None
        if first.kernel.strata is not None and first.in_order:
            self.strata = first.kernel.strata
        elif first.kernel.strata is not None:
            self.strata = np.zeros((len(first.kernel.strata), self.n_samples), dtype=bool)
            stratum, row = np.nonzero(first.kernel.strata)
            self.strata[stratum, first.sample[row]] = True
        if sample_weight is not None and not sample_weight.all():
            # A draw of samples without weight is as empty as a draw without samples.
            weighty = sample_weight > 0
            if self.strata is None:
                self.strata, self.strata_names = weighty[None], [POSITIVE_WEIGHT]
            else:
                self.strata = self.strata & weighty

    # Processes score what `repeats` hold; predictions may be larger than their memory.
    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "oof": with_fields(self.oof, responses=MappingProxyType({}))}

    def with_predictions(self, oof: OOFPredictions) -> BoundMetric:
        """Return the same scores of predictions that differ in nothing that is scored.

        Parameters
        ----------
        oof : OOFPredictions
            Those that it was bound to, with another winner, notes or length of blocks.

        Returns
        -------
        BoundMetric
            The same object where they are the same.
        """
        if oof is self.oof:
            return self
        other = copy(self)
        other.oof = oof
        return other

    def alike(self, metric: Metric, **fields: Any) -> BoundMetric:
        """Bind another metric to the same predictions.

        Parameters
        ----------
        metric : Metric
            The metric.
        **fields : object
            Fields of the predictions that differ, such as ``sample_weight=None``. Weights that
            the scorer requests by a name come before these.

        Returns
        -------
        BoundMetric
            Scores the same samples.
        """
        oof = with_fields(self.oof, **fields) if fields else self.oof
        return metric.bind(metric.weighted(oof))

    def warn_if_slow(self, n_scores: int, n_jobs: int | None = None) -> None:
        """Warn once about how long a metric without a kernel will take, if that is long.

        Parameters
        ----------
        n_scores : int
            Scores to compute per repeat.
        n_jobs : int or None, default=None
            Processes that share the work, with joblib's meaning.
        """
        seconds, n_repeats = self.seconds_per_score, len(self.repeats)
        if self._warned or n_scores * seconds <= SLOW_SECONDS:
            return
        expected = n_scores * seconds / effective_n_jobs(n_jobs)
        if expected <= SLOW_SECONDS:
            return
        self._warned = True
        calls, each = n_scores * n_repeats, 1000 * seconds / n_repeats
        cost = f"{each:.2g}" if each < 10 else f"{each:,.0f}"
        warn_user(
            f"{self.metric.name} has no bootstrap kernel and is called {calls:,} times, "
            f"{cost} ms each: expect about {duration(expected)}. More n_jobs, fewer "
            "n_bootstraps or BBCF (one call per fold and configuration) are faster.",
            SlowMetricWarning,
        )

    @suppress_fp_warnings()
    def pointwise(self, config: int | np.ndarray, rows: slice = slice(None)) -> np.ndarray | None:
        """Compute the value of each row, if the metric is a weighted mean of such values.

        Parameters
        ----------
        config : int or ndarray of shape (n_chosen,)
            Index of a defined configuration, or several.
        rows : slice, default=slice(None)
            The rows of each repeat.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_chosen, n_rows), float64, or None
            Greater is better; row k belongs to sample ``oof.sample[k]``. Sample weights
            are not multiplied in. None when the metric is not such a mean.
        """
        chosen = np.atleast_1d(self.position[config])
        position = neighbours(chosen) if chosen.min(initial=0) >= 0 else chosen
        values = [part.kernel.pointwise(position, rows) for part in self.repeats]
        # Callers may change them: never the predictions themselves.
        given = [each for each in values if each is not None]
        own = [each if each.flags.owndata else np.array(each) for each in given]
        parts = [array if np.ndim(config) else array[0] for array in own]
        if not parts:
            return None
        whole = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=-1)
        return whole if self.metric.sign == 1 else np.negative(whole, out=whole)

    def map_values(
        self, function: Callable[[slice, np.ndarray], Any], *, keep: bool = False
    ) -> Iterator[Any]:
        """Call a function with the values of all distinct configurations, some rows at a time.

        Parameters
        ----------
        function : callable
            Gets a slice of the rows and their values (n_distinct, n_some_rows) as of `pointwise`;
            called in several threads. There is one repeat.
        keep : bool, default=False
            Whether the kernel may keep what draws of samples need of the values.

        Yields
        ------
        object
            What it returns, in the order of the rows.
        """
        (part,), configs = self.repeats, self.distinct
        also = self._scored_in_parts and self._on_data is None
        sums = np.zeros((len(part.splits), len(configs)))
        own = part.kernel.keeper() if keep and len(configs) == self.n_distinct else None

        def of_part(rows: slice) -> tuple[np.ndarray | None, Any]:
            values = self.pointwise(configs, rows)
            assert values is not None
            if own is not None:
                own(rows, self.metric.sign * values)
            return part.sums_of_folds(values, rows) if also else None, function(rows, values)

        for of_folds, found in in_order(of_part, parts_of_sums(self.oof.n_rows)):
            if of_folds is not None:
                sums += of_folds
            yield found
        if also:
            self._take_sums(part, sums, configs)

    def _take_sums(self, part: RepeatRows, sums: np.ndarray, configs: np.ndarray) -> None:
        """Take scores on the data and those of splits from sums (n_splits, n_chosen) of values."""
        size = part.weight_of_folds()[:, None]
        lacks = np.zeros(size.shape, dtype=bool)
        for members in () if self.strata is None else self.strata:
            lacks |= part.weight_of_folds(members[part.sample])[:, None] == 0
        with np.errstate(divide="ignore", invalid="ignore"):
            of_folds = np.where(lacks, np.nan, sums / size)
            of_all = sums.sum(axis=0) / size.sum()
        if self.strata is not None and not self.strata.any(axis=1).all():
            of_all[:] = np.nan
        scores = np.full((1 + len(of_folds), self.n_distinct), np.nan)
        scores[:, self.position[configs]] = np.vstack([of_all, of_folds])
        every = self._of_all(scores)
        self._on_data = every[0]
        self._whole_folds = np.full((1 + int(part.splits[-1]), self.n_configs), np.nan)
        self._whole_folds[part.splits] = every[1:]
        for known in (self._on_data, self._whole_folds):
            known.setflags(write=False)

    @property
    def _scored_in_parts(self) -> bool:
        """Whether scores on the data and of splits are made of values of rows: `map_values`."""
        if not self.is_pointwise or len(self.repeats) > 1 or self.oof.n_rows < _MANY_ROWS:
            return False
        return len(self.repeats[0].splits) <= _MOST_SPLITS

    @property
    def _scored_with_folds(self) -> bool:
        """Whether scores on the data are computed together with those of the folds.

        The values of rows take longer than their sums, whose last bits depend on how many there
        are: so it is always done.
        """
        most = draws_at_once(self.n_samples)
        sums_rows = self.is_pointwise or self.repeats[0].kernel.sums_rows
        return sums_rows and all(1 < len(part.splits) <= most for part in self.repeats)

    @property
    def conditions_on_class(self) -> bool:
        """Whether the metric does not depend on how often each class occurs."""
        return self.repeats[0].kernel.conditions_on_class

    @property
    def distinct(self) -> np.ndarray:
        """Defined configurations that predict differently, the first of equals, (n_distinct,)."""
        return self._distinct[self.valid[self._distinct]]

    @suppress_fp_warnings()
    def scores(self, weights: np.ndarray) -> np.ndarray:
        """Score all configurations.

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_samples)
            Weight of each sample in each draw: counts, a mask, or any numbers >= 0.

        Returns
        -------
        ndarray of shape (n_draws, n_configs)
            Greater is better; NaN where undefined.
        """
        return self._of_all(self._distinct_scores(weights))

    @suppress_fp_warnings()
    def winners(self, weights: np.ndarray) -> np.ndarray:
        """Find the best configuration of each draw.

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_samples)
            Weight of each sample in each draw.

        Returns
        -------
        ndarray of shape (n_draws,), intp
            First index on ties; -1 where every configuration is undefined.
        """
        if len(self.repeats) == 1:
            part = self.repeats[0]
            winners = part.kernel.winners(part.weigh(weights), self.metric.sign)
        else:
            winners = self.first_best(self._distinct_scores(weights))
        # Distinct configurations stand in the order of their first occurrence.
        return np.where(winners < 0, -1, self._distinct[winners])

    def passes(self) -> Iterator[BlockOfConfigs]:
        """Choose in-bag and score out-of-bag block by block, to save memory.

        Yields
        ------
        Pass
            None where all configurations fit into memory, or cannot be taken apart. Called for
            all draws before the next one is asked for, which frees the one before.
        """
        if len(self.repeats) > 1 or self.repeats[0].row_weight is not None:
            return
        for block in self.repeats[0].kernel.config_blocks(self.metric.sign):
            yield BlockOfConfigs(self.repeats[0], block, self._distinct)

    def first_best(self, scores: np.ndarray) -> np.ndarray:
        """Find the best configuration by given scores; those within rounding of the best one tie.

        Parameters
        ----------
        scores : ndarray of shape (n_draws, n_configs)
            Greater is better; NaN is undefined.

        Returns
        -------
        ndarray of shape (n_draws,), intp
            First index on ties; -1 where every configuration is undefined.
        """
        return first_best(scores, self.rounding, self.unit)

    def difference(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Subtract scores; differences as small as rounding makes become exactly 0.

        Parameters
        ----------
        first, second : ndarray of the same shape
            Scores; NaN is undefined.

        Returns
        -------
        ndarray
            Of that shape; NaN where either is undefined, and of two infinite scores.
        """
        with np.errstate(invalid="ignore"):
            values = np.asarray(first - second)
            size = np.maximum(np.abs(first), np.abs(second))
        return without_rounding(values, np.maximum(size, self.unit), self.rounding)

    @suppress_fp_warnings()
    def score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Score one configuration per draw.

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_samples)
            Weight of each sample in each draw.
        configs : ndarray of shape (n_draws,) or int
            Configuration of each draw; -1 gives NaN.

        Returns
        -------
        ndarray of shape (n_draws,)
            Greater is better; NaN where undefined.
        """
        configs = np.broadcast_to(np.asarray(configs), (len(weights),))
        positions = np.where(configs < 0, -1, self.position[configs])
        total = np.zeros(len(weights))
        for part in self.repeats:
            total += part.kernel.score_of(part.weigh(weights), positions)
        return self.metric.sign * total / len(self.repeats)

    def on_data(self) -> np.ndarray:
        """Score all configurations on the data themselves: every sample once.

        Returns
        -------
        ndarray of shape (n_configs,)
            Greater is better; NaN where undefined.
        """
        if self._on_data is None and self._scored_in_parts:
            deque(self.map_values(lambda rows, values: None, keep=True), maxlen=0)
        if self._on_data is None and self._scored_with_folds:
            self.fold_scores()
        if self._on_data is None:  # several parts of one result ask for them
            self._on_data = self.scores(self.everything)[0]
            self._on_data.setflags(write=False)
        return self._on_data

    def score_on_data(self, config: int) -> float:
        """Score one configuration on the data themselves, without scoring the others.

        Parameters
        ----------
        config : int
            The configuration.

        Returns
        -------
        float
            Greater is better; NaN where undefined.
        """
        if self._on_data is not None and config >= 0:
            return float(self.on_data()[config])
        return float(self.score_of(self.everything, np.array([config]))[0])

    @property
    def everything(self) -> np.ndarray:
        """Counts of the data themselves: every sample once, shape (1, n_samples)."""
        return np.ones((1, self.n_samples), dtype=np.uint8)

    @suppress_fp_warnings()
    def fold_scores(
        self, weights: np.ndarray | None = None, configs: np.ndarray | None = None
    ) -> np.ndarray:
        """Score the splits, each on its own held-out rows.

        Parameters
        ----------
        weights : ndarray of shape (n_samples,), default=None
            Weight of each sample, for example a mask; None takes them all.
        configs : ndarray of shape (n_chosen,) of int, default=None
            Configurations to score; the others get NaN. None scores all.

        Returns
        -------
        ndarray of shape (n_splits, n_configs)
            Greater is better; NaN where undefined.
        """
        if weights is None and configs is None and self._scored_in_parts:
            self.on_data()
        if weights is None and self._whole_folds is not None:
            if configs is None:
                return self._whole_folds
            scores = np.full_like(self._whole_folds, np.nan)
            scores[:, configs] = self._whole_folds[:, configs]
            return scores
        n_splits = 1 + max(int(part.splits[-1]) for part in self.repeats)
        chosen = np.flatnonzero(self.valid)
        distinct = np.arange(self.n_distinct)
        if configs is not None:
            chosen = np.asarray(configs)[self.valid[configs]]
            distinct = np.unique(self.position[chosen])
        self.warn_if_slow(-(-n_splits // len(self.repeats)) * len(distinct))
        place = np.searchsorted(distinct, self.position[chosen])
        scores = np.full((n_splits, self.n_configs), np.nan)
        samples = self.everything if weights is None else np.asarray(weights)[None]
        # With the folds all data, for `on_data`. What is ranked has the same bits in any company.
        also = weights is None and configs is None and self._on_data is None
        also &= self.is_rank or self._scored_with_folds
        total = np.zeros((1, self.n_distinct))
        for part in self.repeats:
            of_rows = part.weigh(samples)
            # Several at a time: kernels work on many draws at once, and each split is one. Not
            # all: leave-one-out has as many splits as samples.
            n_parts = -(-len(part.splits) // draws_at_once(self.n_samples))
            for some in [part.splits] if n_parts == 1 else np.array_split(part.splits, n_parts):
                of_splits = of_rows * (part.fold == some[:, None])
                if also and some[0] == part.splits[0]:
                    of_splits = np.concatenate([of_rows, of_splits])
                found = part.kernel.scores(of_splits, distinct)
                scores[some[:, None], chosen] = found[-len(some) :, place]
                if len(found) > len(some):
                    total += found[:1]
        if also:
            self._on_data = self._of_all(self.metric.sign * total / len(self.repeats))[0]
            self._on_data.setflags(write=False)
        scores *= self.metric.sign
        if weights is None and configs is None:  # several parts of one result ask for them
            scores.setflags(write=False)
            self._whole_folds = scores
        return scores

    def held_out(self, configs: np.ndarray) -> list[HeldOut]:
        """Collect the held-out rows of configurations, for methods that need more than scores.

        Parameters
        ----------
        configs : ndarray of shape (n_chosen,) of int
            Indices of defined configurations.

        Returns
        -------
        list of HeldOut
            One entry per repeat.
        """
        chosen, repeats = self.position[np.asarray(configs)], self.repeats
        return [HeldOut(p.kernel.rows.of(chosen), p.sample, p.fold, p.row_weight) for p in repeats]

    def _of_all(self, scores: np.ndarray) -> np.ndarray:
        """Give all configurations, (n_draws, n_configs), the scores of the distinct ones."""
        if scores.shape[1] == self.n_configs and self.valid.all():
            return scores
        every = np.full((len(scores), self.n_configs), np.nan)
        every[:, self.valid] = scores[:, self.position[self.valid]]
        return every

    def _distinct_scores(self, weights: np.ndarray) -> np.ndarray:
        total: np.ndarray = np.zeros(1)
        for part in self.repeats:
            kernel = part.kernel
            total = total + kernel.scores(part.weigh(weights), np.arange(kernel.rows.n_configs))
        total *= self.metric.sign
        total /= len(self.repeats)
        return total
