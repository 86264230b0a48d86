"""What tuning does with the scores, as an object that every draw repeats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from .._registry import register
from .._warn import duration, warn_user
from ..exceptions import SlowMetricWarning
from ..metrics import BoundKernel, Metric
from ..metrics._bound import SLOW_SECONDS
from ..predictions import OOFPredictions
from ._outcome import Outcome

_REGISTRY: dict[str, type[Selection]] = {}
NEEDS = frozenset({"folds", "params", "predictions", "two classes"})


class Selection(BaseEstimator, ABC):
    """Base of all rules: public `bind` validates, `_bind` does the work.

    A rule is one file with one subclass: a `name`, an ``__init__`` that stores its
    parameters, and `_bind`. It registers itself by `name`; a second class with a taken name
    is refused.

    Attributes
    ----------
    name : str
        Registered name.
    needs : frozenset of str
        What the rule needs: ``"folds"`` (two at least), ``"params"`` (the parameters of the
        configurations), ``"predictions"`` (of single samples, not only scores per fold),
        ``"two classes"``.
    takes_cv_results : bool
        Whether a call of the rule looks at all of ``cv_results_`` and not at one metric only.
    """

    name: ClassVar[str]
    needs: ClassVar[frozenset[str]] = frozenset()
    takes_cv_results: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" in cls.__dict__:
            register(_REGISTRY, cls, "rule of selection")

    def bind(self, oof: OOFPredictions, kernel: Any) -> BoundSelection:
        """Do the work that does not depend on the draw.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions, or fold scores alone.
        kernel : BoundKernel or FoldTable
            The metric bound to them, for draws of samples; or the scores per fold, for
            draws of folds.

        Returns
        -------
        BoundSelection
            Chooses and scores on draws.

        Raises
        ------
        ValueError
            If a parameter is out of range, or the rule needs what is not there.
        """
        self._validate()
        self._check_needs(oof, kernel)
        return self._bind(oof, kernel)

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        """Select by the scores of a finished search, as a `refit` callable does.

        Parameters
        ----------
        cv_results : dict
            ``cv_results_`` of a search with one metric; `AsRefit` names one of several.

        Returns
        -------
        int
            Index of the selected configuration.
        """
        from ._as_refit import AsRefit  # which needs this class

        return AsRefit(self)(cv_results)

    @abstractmethod
    def _bind(self, oof: OOFPredictions, kernel: Any) -> BoundSelection:
        """Make the bound rule from validated input."""

    def _bind_to_folds(
        self,
        oof: OOFPredictions,
        kernel: BoundKernel,
        by_folds: Callable[[Selection], BoundSelection],
    ) -> BoundSelection:
        """As `_bind`, for a rule on single samples that have the weight of their fold.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions.
        kernel : BoundKernel
            The metric bound to them.
        by_folds : callable
            Binds another rule, one that selects a configuration, to the scores per fold.
        """
        return self._bind(oof, kernel)

    def _reported(self, metric: Metric, classes: np.ndarray | None) -> Metric:
        """What the result is about when `metric` selects."""
        return metric

    def _validate(self) -> None:
        """Raise a ValueError for parameters out of range."""

    def _check_needs(self, oof: OOFPredictions, kernel: Any) -> None:
        rule = type(self).__name__
        if unknown := self.needs - NEEDS:
            raise ValueError(f"{rule}.needs names {sorted(unknown)}; known are {sorted(NEEDS)}.")
        if "folds" in self.needs and oof.n_splits < 2:
            raise ValueError(
                f"{rule} needs the scores of at least 2 folds, got {oof.n_splits}. Pass the fold "
                "of each sample as `fold`."
            )
        if "params" in self.needs and not oof.params:
            raise ValueError(
                f"{rule} needs the parameters of the configurations, but the predictions have "
                "none. Give them as OOFPredictions(..., params=[{...}, ...])."
            )
        if "predictions" in self.needs and not isinstance(kernel, BoundKernel):
            raise ValueError(
                f"{rule} needs the predictions of single samples, but there are only scores per "
                "fold."
            )
        self._check_classes(oof.classes_)

    def _check_classes(self, classes: np.ndarray | None) -> None:
        if "two classes" in self.needs and (classes is None or len(classes) != 2):
            found = "a target without classes" if classes is None else f"{len(classes)} classes"
            raise ValueError(f"{type(self).__name__} needs a target with 2 classes, got {found}.")


class BoundSelection(ABC):
    """A rule bound to predictions and a metric.

    Parameters
    ----------
    kernel : BoundKernel or FoldTable
        The metric bound to the predictions.

    Attributes
    ----------
    metric : Metric
        What `score` is about: usually the bound metric, but a threshold reports another.
    of_configurations : bool
        Whether one configuration is chosen and scored by the bound metric.
    seconds_per_draw : float
        Time that one draw takes where Python code of a user is called; else 0.
    draw_by_draw : bool
        Whether every draw takes a call or a loop of its own. A method that can go through all
        possible draws, as `BBCF` does, then goes through at most ``n_bootstraps``.
    by : str
        By what the winner was selected, for ``details["winner_by"]``; empty leaves it to
        the methods.
    """

    of_configurations: bool = True
    seconds_per_draw: float = 0.0
    draw_by_draw: bool = False
    by: str = ""
    _on_all: Outcome | None = None

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.metric: Metric = kernel.metric

    @property
    def selecting(self) -> Any:
        """Metric bound to the predictions that selects; `kernel` scores what was selected."""
        return self.kernel

    @abstractmethod
    def choose(self, weights: np.ndarray) -> Outcome:
        """Apply the rule to each draw.

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_units)
            How often each sample (or fold) counts in each draw.

        Returns
        -------
        Outcome
            One entry per draw. It depends on the own draw only, bit for bit.
        """

    def score(self, outcome: Outcome, weights: np.ndarray) -> np.ndarray:
        """Score what was chosen on other samples.

        Parameters
        ----------
        outcome : Outcome
            Of `choose`, one entry per draw.
        weights : ndarray of shape (n_draws, n_units)
            Weight of each sample (or fold), such as a mask of those left out.

        Returns
        -------
        ndarray of shape (n_draws,)
            Greater is better; NaN where undefined.
        """
        return self.kernel.score_of(weights, outcome["config"])

    def passes(self) -> Iterable[Callable[..., tuple[np.ndarray, ...]]]:
        """Give functions that choose and score in passes, for want of memory.

        Returns
        -------
        iterable of callable
            Each takes the counts of some draws and what the one before returned for them, None
            at first, and returns scores out-of-bag, then the columns of the outcome, then
            what else the next one needs. Empty where `choose` and `score` are to be used.
        """
        return ()

    def same(self, outcome: Outcome, one: Outcome) -> np.ndarray:
        """Compare draws with one outcome.

        Parameters
        ----------
        outcome : Outcome
            Of many draws.
        one : Outcome
            Of a single draw, for example that of all samples.

        Returns
        -------
        ndarray of shape (n_draws,), bool
            Whether the same configuration was chosen.
        """
        return outcome["config"] == one["config"][0]

    def members(self) -> np.ndarray:
        """Configurations that have to be fitted for what is selected on the original data.

        Returns
        -------
        ndarray of shape (n_members,)
            Indices; a single one unless the rule puts several together.
        """
        return self.on_all()["config"]

    def score_elsewhere(self, oof: OOFPredictions) -> float:
        """Score what is selected on the original data on predictions for other samples.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions of the `members`, in their order, and of nothing else.

        Returns
        -------
        float
            Greater is better.
        """
        kernel = self.metric.bind(oof)
        return float(kernel.score_of(np.ones((1, oof.n_samples)), np.array([0]))[0])

    def on_all(self) -> Outcome:
        """Apply the rule to the original data: what it selects, once.

        Returns
        -------
        Outcome
            One entry.
        """
        if self._on_all is None:
            self._on_all = self.choose(self.everything)
        return self._on_all

    def score_on_all(self) -> float:
        """Score of what the rule selects on the data that it was selected on.

        Returns
        -------
        float
            Greater is better; NaN where undefined.
        """
        return float(self.score(self.on_all(), self.everything)[0])

    @property
    def everything(self) -> np.ndarray:
        """Counts of the data themselves: every unit once, shape (1, n_units)."""
        return np.ones((1, self.n_units), dtype=np.uint8)

    def describe(self, outcome: Outcome) -> dict[str, Any]:
        """By-products for the `details` of a result.

        Parameters
        ----------
        outcome : Outcome
            Of all draws.

        Returns
        -------
        dict
            Name -> value; empty where there is nothing to tell.
        """
        return {}

    @property
    def n_units(self) -> int:
        """Number of samples, or of folds where folds are drawn."""
        return self.kernel.n_samples

    def warn_if_slow(self, n_draws: int) -> None:
        """Say how long the draws will take, when that is long.

        Parameters
        ----------
        n_draws : int
            Number of draws.
        """
        expected = n_draws * self.seconds_per_draw
        if expected > SLOW_SECONDS:
            warn_user(
                f"The rule is called in each of {n_draws:,} draws, "
                f"{1000 * self.seconds_per_draw:.2g} ms each: expect about {duration(expected)}. "
                "Fewer n_bootstraps are faster; a search with ci=[] computes nothing until its "
                "method interval is called.",
                SlowMetricWarning,
            )


def registered_selections() -> dict[str, type[Selection]]:
    """Registered rules by name.

    Returns
    -------
    dict of str to type
        Name -> class.

    Examples
    --------
    >>> from sklearn_bbc.selection import registered_selections
    >>> registered_selections()["best_score"].__name__
    'BestScore'
    """
    return dict(_REGISTRY)


def as_selection(selection: Any) -> Selection:
    """Turn what a method got as `selection` into a rule.

    Parameters
    ----------
    selection : Selection or None
        None is `BestScore`.

    Returns
    -------
    Selection
        The rule.

    Raises
    ------
    ValueError
        If it is not a rule.

    Examples
    --------
    >>> from sklearn_bbc.selection import as_selection
    >>> as_selection(None)
    BestScore()
    """
    if selection is None:
        return _REGISTRY["best_score"]()
    if isinstance(selection, Selection):
        return selection
    if isinstance(selection, type) and issubclass(selection, Selection):
        raise ValueError(
            f"selection must be an object: pass {selection.__name__}(...), not the class."
        )
    hint = ""
    if callable(selection):
        hint = " A refit callable of scikit-learn goes in as RefitCallable(function)."
    raise ValueError(
        "selection must be a rule such as OneStandardError('max_depth'), or None, got "
        f"{selection!r}.{hint}"
    )
