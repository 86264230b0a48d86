"""Bases of the rules of selection, and the best score, on draws of samples and of folds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from .._lazy import whole
from .._parameters import Constraints, check_parameters
from .._utils import explain_init, nan_loses, register
from .._warnings import duration, warn_user
from ..exceptions import SlowMetricWarning
from ..metrics._by_fold import FoldTable
from ..metrics._calibration import WITHOUT_DIRECTION, nothing_selected_by
from ..metrics._metric import SLOW_SECONDS, BoundMetric, Metric
from ..metrics._scored import Scored
from ..predictions._predictions import OOFPredictions

CHOICE_BYTES = 2**23
"""Memory that the scores by fold of one piece of a batch take: they stay in the cache."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """Columns with one entry per draw.

    Parameters
    ----------
    columns : mapping of str to ndarray of shape (n_draws, ...)
        What was chosen, for example ``"config"``, -1 where nothing could be chosen.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.selection import Outcome
    >>> outcome = Outcome({"config": np.array([2, 0, 2])})
    >>> len(outcome), outcome["config"].tolist()
    (3, [2, 0, 2])
    """

    columns: Mapping[str, np.ndarray]

    def __post_init__(self) -> None:
        lengths = {name: len(array) for name, array in self.columns.items()}
        if len(set(lengths.values())) != 1:
            raise ValueError(f"columns must have one length, at least one of them; got {lengths}.")

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __getitem__(self, name: str) -> np.ndarray:
        return self.columns[name]

    def take(self, draws: np.ndarray) -> Outcome:
        """Keep some of the draws.

        Parameters
        ----------
        draws : ndarray of int or bool
            Which ones, in which order.

        Returns
        -------
        Outcome
            The same columns.
        """
        return Outcome({name: array[draws] for name, array in self.columns.items()})

    @staticmethod
    def concatenated(parts: Sequence[Outcome]) -> Outcome:
        """Concatenate the draws of several outcomes.

        Parameters
        ----------
        parts : sequence of Outcome
            At least one, all with the same columns.

        Returns
        -------
        Outcome
            All draws in order.
        """
        first = parts[0].columns
        return Outcome({name: np.concatenate([part[name] for part in parts]) for name in first})


def in_pieces(
    choose: Callable[[np.ndarray], Outcome], weights: np.ndarray, bytes_per_draw: int
) -> Outcome:
    """Apply a rule piece by piece, so that what it needs meanwhile stays in the cache.

    `weights` (n_draws, n_units).
    """
    size = max(1, CHOICE_BYTES // max(bytes_per_draw, 1))
    starts = range(0, max(len(weights), 1), size)
    return Outcome.concatenated([choose(weights[start : start + size]) for start in starts])


_SELECTIONS: dict[str, type[Selection]] = {}
RULE_NEEDS = frozenset({"folds", "params", "predictions", "two classes"})


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

    _constraints: ClassVar[Constraints] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        explain_init(cls)
        if "name" in cls.__dict__:
            register(_SELECTIONS, cls, "rule of selection")

    def bind(self, scored: Scored) -> BoundSelection:
        """Do the work that does not depend on the draw.

        Parameters
        ----------
        scored : BoundMetric or FoldTable
            The metric bound to predictions, for draws of samples; or the scores per fold, for
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
        check_parameters(self)
        if self.needs:
            self._check_needs(scored)
        return self._bind(scored)

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        """Select by the scores of a finished search, as a `refit` callable does."""
        return selected_in(cv_results, self)

    @abstractmethod
    def _bind(self, scored: Scored) -> BoundSelection:
        """Make the bound rule from validated input."""

    def _reported(self, metric: Metric, classes: np.ndarray | None) -> Metric:
        """Return the metric that is reported, see `reported_metric`."""
        return metric

    def _check_needs(self, scored: Scored) -> None:
        rule, oof = type(self).__name__, scored.oof
        if unknown := self.needs - RULE_NEEDS:
            raise ValueError(
                f"{rule}.needs names {sorted(unknown)}; known are {sorted(RULE_NEEDS)}."
            )
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
        if "predictions" in self.needs and not isinstance(scored, BoundMetric):
            raise ValueError(
                f"{rule} needs the predictions of single samples, but gets only scores per fold "
                f"here. BBC(selection={rule}(...)) draws samples: it works on out-of-fold "
                "predictions."
            )
        self._check_classes(oof.classes_)

    def _check_classes(self, classes: np.ndarray | None) -> None:
        if "two classes" in self.needs and (classes is None or len(classes) != 2):
            found = "a target without classes" if classes is None else f"{len(classes)} classes"
            raise ValueError(f"{type(self).__name__} needs a target with 2 classes, got {found}.")


def reported_metric(selection: Selection, metric: Metric, classes: np.ndarray | None) -> Metric:
    """Return the metric that is reported when `metric` selects; raise for other classes."""
    selection._check_classes(classes)
    return selection._reported(metric, classes)


class BoundSelection(ABC):
    """A rule bound to predictions and a metric.

    Parameters
    ----------
    scored : BoundMetric or FoldTable
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

    def __init__(self, scored: Scored) -> None:
        self.scored = scored
        self.metric: Metric = scored.metric

    @property
    def selecting(self) -> Scored:
        """Metric bound to the predictions that selects; `scored` scores what was selected."""
        return self.scored

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
        return self.scored.score_of(weights, outcome["config"])

    def columns_of(self, outcome: Outcome, left_out: np.ndarray) -> Mapping[str, np.ndarray]:
        """Return what is kept of some draws: the columns of the outcome, and more for `describe`.

        Parameters
        ----------
        outcome : Outcome
            Of `choose`, one entry per draw.
        left_out : ndarray of shape (n_draws, n_units), bool
            The samples (or folds) left out, on which more may be computed.

        Returns
        -------
        mapping of str to ndarray of shape (n_draws, ...)
            The columns of the outcome by default.
        """
        return outcome.columns

    def passes(self) -> Iterable[Callable[..., tuple[np.ndarray, ...]]]:
        """Return functions that choose and score in passes, to save memory.

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
        """Return the configurations to fit for what is selected on the original data.

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
        """Score what the rule selects, on the data that it was selected on.

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
        """Return by-products for the `details` of a result.

        Parameters
        ----------
        outcome : Outcome
            Of all draws.

        Returns
        -------
        dict
            Name -> value; empty where there are none.
        """
        return {}

    @property
    def n_units(self) -> int:
        """Number of samples, or of folds where folds are drawn."""
        return self.scored.n_units

    def warn_if_slow(self, n_draws: int) -> None:
        """Warn of draws that will take long.

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


class BestScore(Selection):
    """Select the configuration with the best score: what a search does by default.

    See Also
    --------
    OneStandardError : The simplest of those that are about as good.

    Notes
    -----
    On draws of samples the score is that of the pooled predictions, on draws of folds the
    mean over the folds. The first of equal configurations is selected.

    Examples
    --------
    >>> from sklearn_bbc.intervals import BBC
    >>> from sklearn_bbc.selection import BestScore
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> result = BBC(selection=BestScore(), random_state=0).estimate(oof, "roc_auc")
    >>> result.estimate == BBC(random_state=0).estimate(oof, "roc_auc").estimate
    True
    """

    name = "best_score"

    def _bind(self, scored: Scored) -> BoundSelection:
        if scored.n_configs > 1 and scored.metric.score_func in WITHOUT_DIRECTION:
            raise ValueError(nothing_selected_by(scored.metric.score_func, scored.metric.name))
        return BoundBestScore(scored)


class BoundBestScore(BoundSelection):
    """Best score, with the kernels that stop early."""

    def choose(self, weights: np.ndarray) -> Outcome:
        """See `BoundSelection.choose`."""
        return Outcome({"config": self.scored.winners(weights)})

    def passes(self) -> Iterable[Callable[..., tuple[np.ndarray, ...]]]:
        """See `BoundSelection.passes`."""
        return self.scored.passes()


def registered_selections() -> dict[str, type[Selection]]:
    """Return the registered rules, by name."""
    return whole(__package__, _SELECTIONS)


def as_selection(selection: Any) -> Selection:
    """Turn what a method got as `selection` into a rule; None is the best score."""
    if selection is None:
        return BestScore()
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


class Wrapped(BoundSelection):
    """A rule whose choices another rule makes."""

    def __init__(self, rule: BoundSelection, scored: Scored) -> None:
        super().__init__(scored)
        self.rule = rule
        self.by, self.draw_by_draw = rule.by, rule.draw_by_draw
        self.seconds_per_draw = rule.seconds_per_draw

    def choose(self, weights: np.ndarray) -> Outcome:
        """See `BoundSelection.choose`."""
        return self.rule.choose(weights)

    def same(self, outcome: Outcome, one: Outcome) -> np.ndarray:
        """See `BoundSelection.same`."""
        return self.rule.same(outcome, one)

    def on_all(self) -> Outcome:
        """See `BoundSelection.on_all`."""
        return self.rule.on_all()

    def describe(self, outcome: Outcome) -> dict[str, Any]:
        """See `BoundSelection.describe`."""
        return self.rule.describe(outcome)


def within(scores: np.ndarray, margin: np.ndarray, bound: Scored) -> np.ndarray:
    """Find the configurations within a margin of the best of each draw, up to rounding.

    `scores` (n_draws, n_configs) of `bound`, `margin` (n_draws,) -> (n_draws, n_configs).
    """
    filled = nan_loses(scores)
    best = filled.max(axis=1)
    slack = bound.rounding * np.where(np.isfinite(best), np.abs(best) + margin, 0.0)
    least = best - margin - slack
    least[np.isneginf(best)] = np.inf
    return filled >= least[:, None]


def simplest(
    members: np.ndarray, ranks: np.ndarray, scores: np.ndarray, bound: Scored
) -> np.ndarray:
    """Find the simplest member of each draw, of equally simple ones the best.

    `members` (n_draws, n_configs), `ranks` (n_configs,), `scores` (n_draws, n_configs) of
    `bound` -> (n_draws,), -1 where there is no member.
    """
    lowest = np.where(members, ranks, len(ranks)).min(axis=1)
    candidates = members & (ranks == lowest[:, None])
    scored = np.where(candidates, scores, np.nan)
    best = within(scored, np.zeros(len(members)), bound)
    return np.where(best.any(axis=1), best.argmax(axis=1), -1)


def selected_in(cv_results: Mapping[str, Any], selection: Selection, name: str = "score") -> int:
    """Apply a rule to the scores per fold ``split*_test_<name>`` of a finished search."""
    columns: list[np.ndarray] = []
    while f"split{len(columns)}_test_{name}" in cv_results:
        columns.append(np.asarray(cv_results[f"split{len(columns)}_test_{name}"]))
    if not columns:
        raise ValueError(
            f"cv_results_ has no split*_test_{name}; it has {sorted(cv_results)}. With several "
            "metrics SelectedBy(name, rule) names the one that selects."
        )
    scores = np.array(columns, dtype=float)
    oof = OOFPredictions.from_fold_scores(
        {name: scores},
        params=[dict(each) for each in cv_results["params"]],
    )
    table = FoldTable(Metric(name=name, scorer=only_fold_scores), oof)
    config = int(selection.bind(table).on_all()["config"][0])
    if config < 0:
        raise ValueError("No configuration has a score in every fold: nothing to select.")
    return config


def only_fold_scores(estimator: Any, X: Any, y: Any) -> float:
    """Raise in place of the scorer of a metric that is known by its fold scores."""
    raise ValueError("This metric is known by its fold scores only; it cannot be computed.")
