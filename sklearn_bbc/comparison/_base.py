"""What the comparisons share that work on out-of-fold predictions: needs, sides, binding."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from .._floats import quiet
from .._nearest import did_you_mean, got
from .._registry import register
from ..exceptions import UndefinedIntervalError
from ..intervals._caveats import caveats, unit_word
from ..intervals._needs import check_known, check_needs, check_pointwise
from ..intervals._selection import winner_of
from ..intervals.single._base import NOT_ACCOUNTED
from ..metrics import Metric, as_metric
from ..metrics._columns import check_labels, check_two_classes
from ..predictions import OOFPredictions
from ..results import ComparisonResult
from ..selection import as_selection
from ._pairs import Pair, joined
from ._rules import ComparisonRules
from ._sides import Side, as_side, check_same_data, names_of, share_predictions

__all__ = ["BaseComparison", "as_comparison", "registered"]

_REGISTRY: dict[str, type[BaseComparison]] = {}

ALIASES = {
    "bbc": "bbc_difference", "bootstrap": "paired_bootstrap",
    "correctedt": "corrected_resampled_t", "delong": "paired_delong",
    "nadeaubengio": "corrected_resampled_t", "ttest": "paired_t",
}  # fmt: skip
"""What people call some comparisons, in small letters and digits only."""


class BaseComparison(ComparisonRules, BaseEstimator, ABC):
    """Base of all comparisons of two sides: public `compare` validates, `_compare` computes.

    A comparison is one file with one subclass: a `name`, what a reader must know of it
    (`label`, `estimand`, `assumptions`, `meant_for`, `cost`, `limits`), an ``__init__`` that
    stores its parameters, and `_compare`. It registers itself by `name`.

    Attributes
    ----------
    name : str
        Registered name.
    requires : frozenset of str
        What it needs, in the words of `sklearn_bbc.intervals.BaseInterval`.
    label : str
        The method in a sentence, such as ``"paired t test"``.
    estimand : str
        What is compared, in words.
    assumptions : tuple of str
        What the result rests on, a sentence each.
    meant_for : str
        For which data, models and questions the method is the one to take.
    cost : str
        What it costs, of N samples, C configurations, F folds and B draws.
    limits : str
        Where it fails or misleads.
    selection_aware : bool
        Whether it accounts for the choice among configurations on each side.
    """

    name: ClassVar[str]
    requires: ClassVar[frozenset[str]] = frozenset({"predictions"})
    selection_aware: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        check_known(cls, cls.requires)
        if "name" in cls.__dict__:
            register(_REGISTRY, cls, "comparison")

    def compare(
        self, first: OOFPredictions | Side, second: OOFPredictions | Side, scoring: Any = None
    ) -> ComparisonResult:
        """Compare two sides on the same samples.

        Parameters
        ----------
        first, second : OOFPredictions or Side
            What is compared: ``Side(oof=oof, config=3)`` is one configuration; predictions
            themselves are their only configuration, or what tuning selects among several.
        scoring : str, scorer or Metric
            The metric: a scorer's name, a scorer, or any callable ``scorer(estimator, X, y)``.
            It must be given.

        Returns
        -------
        ComparisonResult
            The first side's score minus the second's, greater is better.

        Raises
        ------
        ValueError
            If a parameter is out of range, the two sides are not about the same samples and
            folds or are the same configuration, or the method needs what is not there.
        UndefinedIntervalError
            If the data cannot support the comparison, for example with a class missing.
        """
        self._validate()
        one, other = as_side(first, "first"), as_side(second, "second")
        if scoring is None:
            raise ValueError(
                f"scoring must be given, for example {type(self).__name__}().compare(first, "
                "second, 'accuracy'): predictions do not say by which metric they are to be "
                "scored."
            )
        metric = self._metric(one, other, scoring)
        notes = check_same_data(one, other, metric.requests.values())
        for side in (one, other):
            self._check_requirements(side.oof, metric)
        with quiet():
            return self._compare(self._bind(one, other, metric, notes))

    @abstractmethod
    def _compare(self, pair: Any) -> ComparisonResult:
        """Compute the result from validated input.

        Parameters
        ----------
        pair : Pair
            Two configurations side by side that meet `requires`.
        """

    def _metric(self, first: Side, second: Side, scoring: Any) -> Metric:
        return as_metric(scoring)

    def _check_requirements(self, oof: OOFPredictions, metric: Metric) -> None:
        check_needs(
            type(self).__name__, self.requires, oof, metric,
            on_folds="CorrectedResampledT", for_any="PairedBootstrap",
        )  # fmt: skip

    def _bind(self, first: Side, second: Side, metric: Metric, notes: list[str]) -> Any:
        """Bind the metric to one configuration of each side."""
        for side in (first, second):
            check_metric(side.oof, metric)
        configs = (self._config(first, metric), self._config(second, metric))
        check_not_the_same(first, second, configs)
        oof = joined(first, second, configs)
        kernel = metric.bind(oof)
        names = names_of(first, second)
        for valid, name in zip(kernel.valid, names, strict=True):
            if not valid:
                raise UndefinedIntervalError(
                    f"{name} failed in some fold or lacks a prediction (NaN), so it has no score."
                )
        check_pointwise(type(self).__name__, self.requires, kernel.is_pointwise, metric)
        scores = kernel.on_data()
        for score, name in zip(scores, names, strict=True):
            if not np.isfinite(score):
                raise UndefinedIntervalError(
                    f"{metric.name} of {name} is {score} on these data, so there is no "
                    "difference to test."
                )
        details = {
            "scores": scores.tolist(),
            "configs": list(configs),
            "unit": unit_word(oof.groups),
            "n_samples": oof.n_samples - oof.n_untested,
            "notes": [*notes, *caveats(oof, kernel), *self._told_of_selection(first, second)],
        }
        return Pair(oof=oof, kernel=kernel, metric=metric, names=names, details=details)

    def _config(self, side: Side, metric: Metric) -> int:
        """Configuration of a side: the given one, or what tuning selects."""
        if side.config is not None:
            return int(side.config)
        if side.oof.n_configs == 1:
            return 0
        kernel = metric.bind(side.oof)
        return winner_of(side.oof, as_selection(side.selection).bind(side.oof, kernel))

    def _told_of_selection(self, first: Side, second: Side) -> list[str]:
        """Say that a side was tuned on these samples, where the test does not know it."""
        tuned = any(side.is_tuned for side in (first, second))
        return [NOT_ACCOUNTED] if tuned and not self.selection_aware else []


def check_not_the_same(first: Side, second: Side, configs: tuple[int, int]) -> None:
    """Raise where both sides turn out to be one configuration of the same predictions.

    Parameters
    ----------
    first, second : Side
        The sides.
    configs : tuple of (int, int)
        Configuration of each.
    """
    if share_predictions(first.oof, second.oof) and configs[0] == configs[1]:
        name = (first if first.config is not None else second).described
        raise ValueError(
            f"Both sides are {name}: the baseline is the winner itself, so there is nothing to "
            "compare. Give another configuration."
        )


def check_metric(oof: OOFPredictions, metric: Metric) -> None:
    """Raise where the metric cannot take the labels or classes of the predictions."""
    check_labels(oof, metric.name, metric.score_func, metric.response_method)
    check_two_classes(oof, metric.name, metric.score_func)


def registered() -> dict[str, type[BaseComparison]]:
    """Registered comparisons of two sides, by name.

    Returns
    -------
    dict of str to type
        Name -> class, for comparisons that work on predictions or fold scores.

    Examples
    --------
    >>> from sklearn_bbc.comparison import registered
    >>> registered()["corrected_resampled_t"].__name__
    'CorrectedResampledT'
    """
    return dict(_REGISTRY)


def as_comparison(method: Any) -> BaseComparison:
    """Turn a registered name into a comparison with its defaults; an object stays as it is.

    Parameters
    ----------
    method : str or BaseComparison
        For example ``"bbc_difference"`` or ``BBCDifference(confidence_level=0.9)``.

    Returns
    -------
    BaseComparison
        The comparison.

    Raises
    ------
    ValueError
        If the name is not registered; the message lists those that are.

    Examples
    --------
    >>> from sklearn_bbc.comparison import as_comparison
    >>> as_comparison("corrected_resampled_t")
    CorrectedResampledT()
    """
    if isinstance(method, BaseComparison):
        return method
    if isinstance(method, str) and method in _REGISTRY:
        return _REGISTRY[method]()
    if isinstance(method, type) and issubclass(method, BaseComparison):
        raise ValueError(f"Pass an instance, {method.__name__}(), instead of the class.")
    known = sorted(_REGISTRY)
    meant = did_you_mean(method, _REGISTRY, ALIASES)
    raise ValueError(f"Unknown comparison {got(method)}.{meant} Known names: {known}.")
