"""What the methods share that work on out-of-fold predictions: needs, binding, seeds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar

from sklearn.base import BaseEstimator

from .._floats import quiet
from .._integers import check_integer
from .._nearest import got
from .._registry import register
from .._warn import warn_user
from ..exceptions import IntervalWarning
from ..metrics import BoundKernel, Metric, as_metric
from ..metrics._columns import check_labels, check_two_classes
from ..predictions import OOFPredictions
from ..resampling import IID, DegenerateDraws, Resampling
from ..resampling._draws import Draws
from ..resampling._streams import entropy_of
from ..resampling._units import Units
from ..results import ConfidenceInterval
from ..selection import SelectedBy
from ._bounds import IntervalRules
from ._caveats import explained
from ._draw_strata import DrawStrata
from ._needs import check_known, check_needs, check_pointwise
from ._selection import with_winner_by

_REGISTRY: dict[str, type[BaseInterval]] = {}

FEW_DRAWS = 200
"""With fewer, bounds change so much with the seed that a warning is given."""


class BaseInterval(IntervalRules, BaseEstimator, ABC):
    """Base of all interval methods: public `estimate` validates, `_estimate` computes.

    A method is one file with one subclass: a `name`, what a reader must know of it (`estimand`,
    `meant_for`, `cost`, `limits`), an ``__init__`` that stores its parameters, and `_estimate`.
    It registers itself by `name`.

    Attributes
    ----------
    name : str
        Registered name.
    requires : frozenset of str
        What the method needs: ``"predictions"``, ``"folds"`` (two at least), ``"binary"``
        (two classes), ``"pointwise"`` (a metric that is a mean over samples), ``"auc"`` (the
        metric is the area under the ROC curve), ``"ungrouped"`` and ``"unweighted"`` (no
        groups, no sample weights). Other needs are refused when the class is defined.
    estimand : str
        What is estimated, in words.
    meant_for : str
        For which data, models and questions the method is the one to take.
    cost : str
        What it costs, of N samples, C configurations, F folds and B draws.
    limits : str
        Where it fails or misleads.
    selection_aware : bool
        Whether the method accounts for the choice among configurations.
    """

    requires: ClassVar[frozenset[str]] = frozenset({"predictions"})
    selection_aware: ClassVar[bool] = True

    _selected_by: Metric | None = None
    """Metric that selects, where it is not the one that is reported."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        check_known(cls, cls.requires)
        if "name" in cls.__dict__:
            register(_REGISTRY, cls, "interval method")

    def estimate(
        self, oof: OOFPredictions, scoring: Any = None, *, selected_by: Any = None
    ) -> ConfidenceInterval:
        """Estimate the score of the selected configuration, with an interval.

        Parameters
        ----------
        oof : OOFPredictions
            Out-of-fold predictions of every configuration.
        scoring : str, scorer or Metric
            The metric: a scorer's name, a scorer, or any callable
            ``scorer(estimator, X, y)``. It must be given.
        selected_by : str, scorer or Metric, default=None
            The metric by which the configuration was selected, where that is another one: a
            method that repeats the selection selects by it in every draw. None is `scoring`.

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
        self._check_given(oof, scoring)
        if selected_by is not None:
            metric = as_metric(selected_by)
            method, oof = self._selecting_by(metric, oof)
            result = method.estimate(oof, scoring)
            return replace(result, details={"selected_by": metric.name, **result.details})
        kernel = self._bound(oof, scoring)
        with quiet():
            result = self._estimate(oof, kernel)
        return explained(result, oof, kernel.metric)

    def _selecting_by(
        self, metric: Metric, oof: OOFPredictions
    ) -> tuple[BaseInterval, OOFPredictions]:
        """Method and predictions whose configuration is selected by another metric."""
        method = copy(self)
        method._selected_by = metric
        if hasattr(self, "selection"):
            method.selection = SelectedBy(metric, self.selection)
        return method, with_winner_by(oof, metric)

    def _check_given(self, oof: Any, scoring: Any) -> None:
        """Raise where parameters are out of range, or predictions or the metric are not there."""
        self._validate()
        check_oof(oof)
        if scoring is None:
            raise ValueError(
                f"scoring must be given, for example {type(self).__name__}().estimate(oof, "
                "'roc_auc'): predictions do not say by which metric they are to be scored."
            )

    def _bound(self, oof: OOFPredictions, scoring: Any) -> Any:
        """The metric bound to predictions that meet `requires`."""
        metric = self._metric(oof, scoring)
        self._check_requirements(oof, metric)
        check_labels(oof, metric.name, metric.score_func, metric.response_method)
        check_two_classes(oof, metric.name, metric.score_func)
        kernel = self._bind(oof, metric)
        is_pointwise = getattr(kernel, "is_pointwise", False)
        check_pointwise(type(self).__name__, self.requires, is_pointwise, metric)
        return kernel

    @abstractmethod
    def _estimate(self, oof: OOFPredictions, kernel: Any) -> ConfidenceInterval:
        """Compute the result from validated input.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions that meet `requires`.
        kernel : BoundKernel
            The metric bound to them.
        """

    def _metric(self, oof: OOFPredictions, scoring: Any) -> Metric:
        """Methods on fold scores take any name under which there are some, published ones too."""
        try:
            return as_metric(scoring)
        except ValueError:
            named = isinstance(scoring, str) and scoring in oof.fold_scores
            if "predictions" in self.requires or not named:
                raise
            return Metric(name=scoring, scorer=only_fold_scores)

    def _bind(self, oof: OOFPredictions, metric: Metric) -> Any:
        return metric.bind(oof)

    def _check_requirements(self, oof: OOFPredictions, metric: Metric) -> None:
        check_needs(type(self).__name__, self.requires, oof, metric)


class BootstrapInterval(BaseInterval):
    """Base of methods that resample samples or groups.

    `_estimate` of a subclass asks for its draws by ``self._draws(oof, kernel)``, once: a second
    call takes further numbers from a generator that was given as `random_state`.

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

    def _draws(
        self, oof: OOFPredictions, kernel: BoundKernel, selecting: BoundKernel | None = None
    ) -> Draws:
        """Draws of this run; raise or warn first where they cannot be had or take long.

        `selecting` is the metric that selects in each draw, where it is not the one of `kernel`.
        """
        units = Units.of(oof)
        strata = self._draw_strata(oof, kernel, units, selecting)
        method, metric = type(self).__name__, kernel.metric.name
        if self.scores_out_of_bag:
            strata.check_possible(method, metric, self.degenerate)
        else:
            strata.check_varies(method, metric)
        bytes_per_draw = kernel.bytes_per_draw
        if selecting is None or selecting is kernel:
            kernel.warn_if_slow(self._n_scores(kernel, units), self.n_jobs)
        else:
            selecting.warn_if_slow(self._n_scores(selecting, units), self.n_jobs)
            kernel.warn_if_slow(self.n_bootstraps, self.n_jobs)
            bytes_per_draw = max(bytes_per_draw, selecting.bytes_per_draw)
        return Draws(
            self._resampling(oof, units),
            self.n_bootstraps,
            self._entropy(),
            expand=units.expand,
            bytes_per_draw=bytes_per_draw,
            n_jobs=self.n_jobs,
            out_of_bag=self.scores_out_of_bag,
            prefer=kernel.prefers,
            degenerate=self.degenerate,
            **strata.for_draws(),
        )

    def _draw_strata(
        self,
        oof: OOFPredictions,
        kernel: BoundKernel,
        units: Units,
        selecting: BoundKernel | None = None,
    ) -> DrawStrata:
        """What every draw must hold."""
        return DrawStrata.of(
            oof,
            kernel,
            units,
            out_of_bag=self.scores_out_of_bag,
            degenerate=self.degenerate,
            also=() if selecting is None else (selecting,),
        )

    def _draw_details(
        self,
        oof: OOFPredictions,
        kernel: BoundKernel,
        draws: Draws,
        notes: list[str],
        selecting: BoundKernel | None = None,
    ) -> dict[str, Any]:
        """What became of degenerate draws, for the details; adds to their notes."""
        details: dict[str, Any] = {"n_redrawn": draws.n_redrawn, "notes": notes}
        strata = self._draw_strata(oof, kernel, Units.of(oof), selecting)
        strata.tell(draws.n_lacking, self.n_bootstraps - draws.n_dropped, details)
        return details

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
    why = ": with fewer draws the bound is the extreme draw. 1000 or more are recommended."
    check_integer("n_bootstraps", n, 20, why=why)
    if n < FEW_DRAWS:
        warn_user(
            f"n_bootstraps={n}: the bounds of so few draws change a lot with the seed. 1000 or "
            "more are recommended.",
            IntervalWarning,
        )


def check_oof(oof: Any) -> None:
    """Raise where there are no predictions, and say how to come by them."""
    if not isinstance(oof, OOFPredictions):
        raise ValueError(f"oof must be an OOFPredictions, got {got(oof)}. {instead_of(oof)}")


def instead_of(predictor: Any) -> str:
    """What to give instead of something that is not an OOFPredictions."""
    if hasattr(predictor, "oof_"):
        return "A fitted BBCSearchCV has its predictions in `.oof_`: pass search.oof_."
    if hasattr(predictor, "cv_results_"):
        return (
            "OOFPredictions.from_search(search) takes the scores per fold of a fitted search, for "
            "methods such as BBCF; from_search(search, X, y) fits it again and keeps predictions, "
            "for all methods. BBCSearchCV keeps them at once."
        )
    if hasattr(predictor, "_run_search"):
        return "Fit the search first, then pass search.oof_ of a BBCSearchCV."
    return "Make one with OOFPredictions(y_true=..., y_pred=..., fold=...)."


def only_fold_scores(estimator: Any, X: Any, y: Any) -> float:
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
