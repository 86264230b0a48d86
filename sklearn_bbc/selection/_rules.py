"""Rules that select one configuration."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy.stats import rankdata

from .._parameters import By, Number, check_parameters
from .._utils import got, is_integer, nan_loses, same, with_parameters
from ..exceptions import SelectionError
from ..metrics._metric import as_metric
from ..metrics._scored import Scored
from ..predictions._fields import checked_weights
from ..predictions._predictions import OOFPredictions
from ._base import (
    BoundSelection,
    Outcome,
    Selection,
    Wrapped,
    as_selection,
    in_pieces,
    selected_in,
    simplest,
    within,
)
from ._folds import FoldScorer

SMALLER, LARGER = "smaller is simpler", "larger is simpler"
WAY_OUT = (
    "Give a function of the parameters instead, such as complexity=lambda params: ..., that "
    "returns a number, smaller for simpler."
)


def check_complexity(complexity: Any) -> None:
    """Raise unless `complexity` has one of its three forms."""
    if callable(complexity) or isinstance(complexity, str):
        return
    if isinstance(complexity, list) and complexity and all(map(_is_entry, complexity)):
        return
    raise ValueError(
        "complexity must be a function of the parameters, the name of a parameter whose smaller "
        f"values are simpler, or a list such as ['max_depth', ('min_samples_leaf', {LARGER!r})] "
        f"with directions {SMALLER!r} and {LARGER!r}, got {complexity!r}."
    )


def _is_entry(entry: Any) -> bool:
    if isinstance(entry, str):
        return True
    pair = isinstance(entry, tuple) and len(entry) == 2 and isinstance(entry[0], str)
    return pair and entry[1] in (SMALLER, LARGER)


def complexity_ranks(complexity: Any, params: Sequence[Mapping[str, Any]]) -> np.ndarray:
    """Rank the configurations by complexity.

    Returns shape (n_configs,).
    """
    if callable(complexity):
        columns = [[_of_function(complexity, config, each) for config, each in enumerate(params)]]
    else:
        entries = [complexity] if isinstance(complexity, str) else complexity
        columns = [_simplicity_column(entry, params) for entry in entries]
    keys = np.array(columns, dtype=float)  # (n_entries, n_configs)
    return np.unique(keys, axis=1, return_inverse=True)[1].reshape(-1).astype(np.intp)


def _simplicity_column(entry: Any, params: Sequence[Mapping[str, Any]]) -> list[float]:
    """Read the values of one parameter, smaller for simpler."""
    name, direction = (entry, SMALLER) if isinstance(entry, str) else entry
    sign = 1.0 if direction == SMALLER else -1.0
    values = []
    for config, each in enumerate(params):
        if name not in each:
            raise ValueError(
                f"complexity names the parameter {name!r}, which configuration {config} does not "
                f"have; it has {sorted(each)}. {WAY_OUT}"
            )
        values.append(sign * _number(each[name], f"{name} of configuration {config}"))
    return values


def _of_function(function: Any, config: int, params: Mapping[str, Any]) -> float:
    try:
        value = function(dict(params))
    except Exception as error:
        raise ValueError(
            f"The function complexity failed on configuration {config}, {dict(params)}: {error!r}."
        ) from error
    return _number(value, f"The result of complexity for configuration {config}")


def _number(value: Any, what: str) -> float:
    scalar = np.asarray(value)
    is_number = isinstance(value, Real) or (scalar.ndim == 0 and scalar.dtype.kind in "biuf")
    if is_number and value == value:
        return float(value)
    raise ValueError(f"{what} is {value!r}, which is not a number to order by. {WAY_OUT}")


class OneStandardError(Selection):
    """Select the simplest configuration within one standard error of the best.

    The rule of Breiman et al. [1]_, which prefers a smaller model when the data cannot
    distinguish it from the best one. Every draw repeats it, standard error and all.

    Parameters
    ----------
    complexity : callable, str or list
        What is simple. A function takes the parameters of a configuration (a dict) and
        returns a number, smaller for simpler. A name is that of a parameter whose smaller
        values are simpler. A list has names, or pairs ``(name, "larger is simpler")`` and
        ``(name, "smaller is simpler")``; later ones decide where earlier ones are equal.

    Raises
    ------
    ValueError
        If there are no parameters, or their values cannot be ordered (None, words).

    See Also
    --------
    SimplestTied : A margin of your own choice.

    Notes
    -----
    With the scores s of a configuration on the K folds of a draw,

    .. math:: m = \\frac{1}{K} \\sum_k s_k, \\qquad
              e = \\sqrt{\\frac{\\sum_k (s_k - m)^2}{K (K - 1)}},

    every configuration with a mean of at least ``m - e`` of the best one is a candidate, the
    simplest of them is selected; of equally simple ones the best, then the first. On draws of
    samples a fold is scored on its drawn samples; one that has no score there (a class is
    missing) is left out of that draw's means. A configuration without a score where others
    have one cannot win. With repeated cross-validation the folds of all repeats count, as in
    scikit-learn's ``std_test_score``.

    What is reported is the score of the selected configuration by the method's metric.

    `details` of a result add ``mean_folds`` (folds with a score, mean over the draws),
    ``n_without_error`` (draws with fewer than two such folds, which have no standard error:
    there only configurations equal to the best are candidates) and ``rule``.

    References
    ----------
    .. [1] L. Breiman, J. Friedman, R. Olshen, C. Stone, "Classification and regression
       trees", Wadsworth (1984), section 3.4.3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn_bbc import BBCSearchCV
    >>> from sklearn_bbc.intervals import BBC
    >>> from sklearn_bbc.selection import OneStandardError
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> grid = {"n_neighbors": [1, 3, 5, 9, 15, 25, 41]}
    >>> search = BBCSearchCV(KNeighborsClassifier(), grid, cv=10, random_state=0).fit(X, y)
    >>> rule = OneStandardError([("n_neighbors", "larger is simpler")])
    >>> result = search.interval(BBC(selection=rule))
    >>> search.oof_.params[result.details["winner"]], search.best_params_
    ({'n_neighbors': 25}, {'n_neighbors': 5})
    """

    name = "one_standard_error"
    needs = frozenset({"folds", "params"})

    _constraints = {"complexity": By(check_complexity)}

    def __init__(self, complexity: Any) -> None:
        self.complexity = complexity

    def _bind(self, scored: Scored) -> BoundSelection:
        return BoundOneStandardError(scored, complexity_ranks(self.complexity, scored.oof.params))


class BoundOneStandardError(BoundSelection):
    """One standard error on the folds of a draw."""

    by = "one standard error"

    def __init__(self, scored: Scored, ranks: np.ndarray) -> None:
        super().__init__(scored)
        self._ranks = ranks
        self._folds = FoldScorer(scored)
        self.seconds_per_draw = self._folds.seconds_per_draw

    def choose(self, weights: np.ndarray) -> Outcome:
        """See `BoundSelection.choose`."""
        return in_pieces(self._choose, weights, self._folds.bytes_per_draw)

    def _choose(self, weights: np.ndarray) -> Outcome:
        folds = self._folds(weights)
        mean, error = folds.mean_and_error()
        mean[:, ~self.scored.valid] = np.nan
        leader = within(mean, np.zeros(len(mean)), self.scored).argmax(axis=1)
        margin = error[np.arange(len(mean)), leader]
        margin = np.where(folds.n_folds < 2, 0.0, margin)  # nothing to estimate it from
        chosen = simplest(within(mean, margin, self.scored), self._ranks, mean, self.scored)
        return Outcome({"config": chosen, "n_folds": folds.n_folds})

    def describe(self, outcome: Outcome) -> dict[str, Any]:
        """See `BoundSelection.describe`."""
        return {
            "rule": self.by,
            "mean_folds": float(outcome["n_folds"].mean()),
            "n_without_error": int(np.count_nonzero(outcome["n_folds"] < 2)),
        }


@with_parameters
class RefitCallable(Selection):
    """Select by a function of ``cv_results_``, as `refit` of a scikit-learn search takes it.

    Parameters
    ----------
    function : callable
        Takes a dict like ``cv_results_`` and returns the index of a configuration. It is
        called in every draw.
    scoring : mapping of str to scoring, default=None
        Metrics by name; the function finds ``mean_test_<name>`` and so on. None means the
        metric that the method estimates, under the name ``score``.
    cv_results : dict, default=None
        Other columns that the function may look at, such as ``mean_fit_time``: those of the
        search. They are the same in every draw.

    Raises
    ------
    ValueError
        If the function fails, or does not return an index; the message names the draw.

    See Also
    --------
    OneStandardError : A rule of this kind that needs no function and is much faster.

    Notes
    -----
    In every draw the function gets ``split*_test_*``, ``mean_test_*``, ``std_test_*`` and
    ``rank_test_*`` of that draw. On draws of samples a fold is scored on its drawn samples;
    folds without a score there, by any of the metrics, are left out, so a draw may have fewer
    splits. On draws of
    folds a fold that was drawn twice is two splits. ``params`` and ``param_*`` come from the
    predictions, everything else from `cv_results`.

    Before the draws it is called once on all samples. The time of that call tells how long the
    draws will take, which a warning says if it is long: about 0.1 ms a draw for what
    surrounds the function, with 100 configurations and 10 folds.

    `details` of a result add ``rule`` and ``mean_folds`` (splits that the function saw, mean
    over the draws).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.intervals import BBC
    >>> from sklearn_bbc.selection import RefitCallable
    >>> from sklearn_bbc.testing import example_predictions
    >>> def most_stable(results):
    ...     return int(np.argmin(results["std_test_score"]))
    >>> rule = RefitCallable(most_stable)
    >>> result = BBC(selection=rule, n_bootstraps=50, random_state=0).estimate(
    ...     example_predictions(), "roc_auc")
    >>> result.details["rule"]
    'most_stable'
    """

    name = "refit_callable"
    needs = frozenset({"folds"})
    takes_cv_results = True

    function: Callable[[dict[str, Any]], int] = field(kw_only=False)
    scoring: Mapping[str, Any] | None = None
    cv_results: Mapping[str, Any] | None = None

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        """Call the function on ``cv_results_`` of a finished search."""
        return self.function(dict(cv_results))

    def _validate(self) -> None:
        if not callable(self.function):
            raise ValueError(
                "function must be a callable that takes cv_results_ and returns an index, got "
                f"{self.function!r}."
            )
        if not isinstance(self.cv_results, Mapping | None):
            raise ValueError(f"cv_results must be a mapping or None, got {got(self.cv_results)}.")
        if self.scoring is not None and (
            not isinstance(self.scoring, Mapping) or not self.scoring
        ):
            raise ValueError(
                "scoring must be a mapping of names to scorers, such as {'auc': 'roc_auc'}, or "
                f"None, got {self.scoring!r}."
            )

    def _bind(self, scored: Scored) -> BoundSelection:
        scorers = {
            name: FoldScorer(scored.alike(as_metric(scoring)))
            for name, scoring in (self.scoring or {}).items()
        }
        scorers = scorers or {"score": FoldScorer(scored)}
        return BoundRefitCallable(scored, self.function, scorers, self._fixed(scored.oof))

    def _fixed(self, oof: OOFPredictions) -> dict[str, Any]:
        """Collect the columns that are the same in every draw."""
        fixed = dict(self.cv_results or {})
        for name, column in fixed.items():
            if len(column) != oof.n_configs:
                raise ValueError(
                    f"cv_results[{name!r}] has {len(column)} entries for {oof.n_configs} "
                    "configurations."
                )
        if oof.params and "params" not in fixed:
            fixed["params"] = [dict(each) for each in oof.params]
            for name in sorted({name for each in oof.params for name in each}):
                column = np.ma.MaskedArray(np.empty(oof.n_configs), mask=True, dtype=object)
                for config, each in enumerate(oof.params):
                    if name in each:
                        column[config] = each[name]
                fixed[f"param_{name}"] = column
        of_draw = ("split", "mean_test_", "std_test_", "rank_test_", "mean_train_", "std_train_")
        return {name: column for name, column in fixed.items() if not name.startswith(of_draw)}


class BoundRefitCallable(BoundSelection):
    """A function of the table of a draw."""

    draw_by_draw = True

    def __init__(
        self,
        scored: Scored,
        function: Callable[[dict[str, Any]], int],
        scorers: Mapping[str, FoldScorer],
        fixed: Mapping[str, Any],
    ) -> None:
        super().__init__(scored)
        self._function, self._scorers, self._fixed = function, scorers, fixed
        self._name = getattr(function, "__name__", type(function).__name__)
        self.by = self._name
        seconds: list[float] = []
        # A busy machine makes one call look slow, so it is repeated.
        while not seconds or (0.001 < seconds[-1] < 1 and len(seconds) < 3):
            started = time.perf_counter()
            self._on_all = self._choose(self.everything, on_all=True)
            seconds.append(time.perf_counter() - started)
        self.seconds_per_draw = min(seconds)

    def choose(self, weights: np.ndarray) -> Outcome:
        """See `BoundSelection.choose`."""
        return self._choose(weights)

    def _choose(self, weights: np.ndarray, on_all: bool = False) -> Outcome:
        size = max(1, 2**23 // sum(each.bytes_per_draw for each in self._scorers.values()))
        configs, n_folds = np.empty(len(weights), dtype=np.intp), np.empty(len(weights), dtype=int)
        for start in range(0, len(weights), size):
            some = weights[start : start + size]
            tables = {name: scorer(some) for name, scorer in self._scorers.items()}
            for position in range(len(some)):
                draw = start + position
                times = np.min([table.times[position] for table in tables.values()], axis=0)
                splits = {
                    name: np.repeat(table.scores[position], times, axis=0)
                    for name, table in tables.items()
                }
                n_folds[draw] = len(next(iter(splits.values())))
                configs[draw] = self._call(splits, None if on_all else draw)
        return Outcome({"config": configs, "n_folds": n_folds})

    def _call(self, splits: Mapping[str, np.ndarray], draw: int | None) -> int:
        if not len(next(iter(splits.values()))):
            return -1
        where = " on all samples" if draw is None else ""
        results = {**self._fixed, **cv_results_of(splits)}
        try:
            index = self._function(results)
        except Exception as error:
            known = sorted(name for name in results if not name.startswith("split"))
            raise SelectionError(
                f"The function {self._name} failed{where}: {error!r}. It gets the columns "
                f"split*_test_* and {known}.",
                draw,
            ) from error
        if not is_integer(index):
            raise SelectionError(
                f"The function {self._name} returned {index!r}{where}; it must return the index "
                "of a configuration.",
                draw,
            )
        if not 0 <= index < self.scored.n_configs:
            raise SelectionError(
                f"The function {self._name} returned the index {index}{where}; the "
                f"configurations are 0 to {self.scored.n_configs - 1}.",
                draw,
            )
        return int(index)

    def describe(self, outcome: Outcome) -> dict[str, Any]:
        """See `BoundSelection.describe`."""
        return {"rule": self._name, "mean_folds": float(outcome["n_folds"].mean())}


def cv_results_of(splits: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Make the columns of ``cv_results_`` from the scores of each split.

    `splits` (n_splits, n_configs) -> (n_configs,).
    """
    results: dict[str, np.ndarray] = {}
    for name, scores in splits.items():
        results.update({f"split{k}_test_{name}": row for k, row in enumerate(scores)})
        means = scores.mean(axis=0)
        results[f"mean_test_{name}"] = means
        results[f"std_test_{name}"] = scores.std(axis=0)
        # As in a search: the undefined share the last place.
        ranks = rankdata(-nan_loses(means), method="min")
        results[f"rank_test_{name}"] = ranks.astype(np.int32)
    return results


class SelectedBy(Selection):
    """Select by one metric, and report the score by another.

    A search with ``scoring=["roc_auc", "f1"], refit="roc_auc"`` returns the model with the best
    area under the ROC curve. Its F1 is that of the configuration that the area selects, in
    every draw, and not that of the configuration that F1 would select.

    As `refit` of a search with several metrics, such as ``SelectedBy("roc_auc",
    OneStandardError("C"))``, it names the metric of the search that the rule uses.

    Parameters
    ----------
    scoring : str, scorer or Metric
        The metric that selects; as `refit` the name of one of the search.
    selection : Selection, default=None
        Rule that is applied to the scores by `scoring`; None is the best score. It must select one
        configuration: no threshold and no ensemble.
    sample_weight : array-like of shape (n_samples,), None or "same", default="same"
        Weights of the samples in `scoring`, None for none. ``"same"`` takes those of the
        predictions, which the metric that is reported has.

    See Also
    --------
    sklearn_bbc.intervals.BaseInterval.estimate : Has this as its parameter `selected_by`.

    Notes
    -----
    In every draw the configuration is selected in-bag by `scoring`, and scored out-of-bag by
    the metric that the method is given. Draws hold what both metrics need.

    `details` of a result has ``selected_by``, the name of the metric that selects, and what
    `selection` adds: ``rule``, ``mean_folds``, ``n_without_error`` (see `OneStandardError`).

    Examples
    --------
    >>> from sklearn_bbc.intervals import BBC
    >>> from sklearn_bbc.selection import SelectedBy
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> method = BBC(selection=SelectedBy("roc_auc"), random_state=0)
    >>> result = method.estimate(oof, "neg_brier_score")
    >>> result.metric, result.details["selected_by"]
    ('neg_brier_score', 'roc_auc')
    """

    name = "selected_by"

    _constraints = {"scoring": By(as_metric), "selection": By(as_selection)}

    def __init__(
        self, scoring: Any, selection: Selection | None = None, *, sample_weight: Any = "same"
    ) -> None:
        self.scoring = scoring
        self.selection = selection
        self.sample_weight = sample_weight

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        """Select by one metric of a finished search, as a `refit` callable does."""
        rule = as_selection(self.selection)
        if rule.takes_cv_results:
            return rule(cv_results)
        return selected_in(cv_results, rule, self.scoring)

    def _validate(self) -> None:
        rule = as_selection(self.selection)
        check_parameters(rule)
        if not can_be_selected_by(rule):
            raise ValueError(
                f"{rule!r} cannot be combined with another metric that selects: a threshold, an "
                "ensemble and a refit function have their own. Leave out selected_by."
            )
        if isinstance(self.sample_weight, str) and self.sample_weight != "same":
            raise ValueError(
                "sample_weight must be an array with one weight per sample, None for no weights, "
                f'or "same" for those of the predictions, got {self.sample_weight!r}.'
            )

    def _bind(self, scored: Scored) -> BoundSelection:
        metric, rule = as_metric(self.scoring), as_selection(self.selection)
        own = self._own_weights(scored.oof)
        if not own and metric.scorer is scored.metric.scorer:
            return rule.bind(scored)
        try:
            selecting = scored.alike(metric, **own)
        except ValueError as error:
            raise ValueError(
                f"Every draw selects by {metric.name}, as tuning did, but {error} "
                "BBCF selects by recorded scores per fold."
            ) from error
        return BoundSelectedBy(rule.bind(selecting), scored)

    def _own_weights(self, oof: OOFPredictions) -> dict[str, Any]:
        """Return the weights as a field of the predictions, nothing where they are the same."""
        if isinstance(self.sample_weight, str):
            return {}
        weights = self.sample_weight
        if weights is not None:
            weights = checked_weights(weights, oof.n_samples)
        return {} if same(weights, oof.sample_weight) else {"sample_weight": weights}


def rule_of(refit: Any) -> Any:
    """Return the rule or function that a `refit` applies to the scores of its metric."""
    return as_selection(refit.selection) if isinstance(refit, SelectedBy) else refit


def can_be_selected_by(rule: Selection) -> bool:
    """Check whether a rule selects one configuration by the metric that it is given."""
    own = "predictions" in rule.needs or rule.takes_cv_results
    return not own and not isinstance(rule, SelectedBy)


class BoundSelectedBy(Wrapped):
    """A rule bound to one metric whose choice is scored by another."""

    @property
    def selecting(self) -> Scored:
        """See `BoundSelection.selecting`."""
        return self.rule.selecting


class Tied(ABC):
    """Base of margins, by which `SimplestTied` finds configurations as good as the best.

    `needs_samples` means that it needs predictions of single samples, which draws of whole folds,
    and the scores that `refit` of a search is given, do not have.
    """

    needs_samples: ClassVar[bool] = False

    def bind(self, scored: Scored) -> Tied:
        """Do the work that does not depend on the draw; return `self` where there is none."""
        return self

    @abstractmethod
    def members(self, weights: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Find the configurations that are tied with the best of each draw, at least one.

        `weights` (n_draws, n_units), `scores` (n_draws, n_configs), greater is better, NaN where
        undefined -> (n_draws, n_configs), bool.
        """


class SimplestTied(Selection):
    """Select the simplest configuration whose score is close to the best.

    Parameters
    ----------
    complexity : callable, str or list
        What is simple, as in `OneStandardError`.
    margin : float or Tied, default=0.01
        Configurations whose score is at most this far below the best are tied with it, in
        the unit of the metric. An object of a subclass of `Tied` decides in another way: a
        method of `sklearn_bbc.comparison`, such as ``Bonferroni()``, tests in every draw which
        configurations cannot be distinguished from the best.

    Raises
    ------
    ValueError
        If there are no parameters, or their values cannot be ordered (None, words).

    See Also
    --------
    OneStandardError : The margin follows from the folds.

    Notes
    -----
    The score is that of the pooled predictions on draws of samples, and the mean over the
    folds on draws of folds. Of equally simple configurations the best is selected, then the
    first. `details` of a result add ``rule`` and ``mean_tied`` (how many configurations were
    tied, mean over the draws).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import BBCF
    >>> from sklearn_bbc.selection import SimplestTied
    >>> accuracy = np.array([[.70, .71], [.80, .82], [.55, .55], [.75, .75], [.70, .69]])
    >>> oof = OOFPredictions.from_fold_scores({"accuracy": accuracy},
    ...                      params=[{"depth": 2}, {"depth": 9}])
    >>> rule = SimplestTied("depth", margin=0.02)
    >>> result = BBCF(selection=rule).estimate(oof, "accuracy")
    >>> result.details["winner"], result.details["winner_share"]
    (0, 1.0)
    """

    name = "simplest_tied"

    _constraints = {"complexity": By(check_complexity)}

    @property
    def needs(self) -> frozenset[str]:  # type: ignore[override]
        """Needs of the rule; predictions where the margin does."""
        samples = isinstance(self.margin, Tied) and self.margin.needs_samples
        return frozenset({"params", "predictions"} if samples else {"params"})

    def __init__(self, complexity: Any, *, margin: Any = 0.01) -> None:
        self.complexity = complexity
        self.margin = margin

    def _validate(self) -> None:
        if not isinstance(self.margin, Tied) and not Number(least=0).holds(self.margin):
            raise ValueError(
                "margin must be a number of at least 0, in the unit of the metric, or an object "
                f"of a subclass of Tied, got {self.margin!r}."
            )

    def _bind(self, scored: Scored) -> BoundSelection:
        ranks = complexity_ranks(self.complexity, scored.oof.params)
        margin = self.margin.bind(scored) if isinstance(self.margin, Tied) else self.margin
        return BoundSimplestTied(scored, ranks, margin)


class BoundSimplestTied(BoundSelection):
    """The simplest of the tied on the scores of a draw."""

    by = "simplest of the tied"

    def __init__(self, scored: Scored, ranks: np.ndarray, margin: Any) -> None:
        super().__init__(scored)
        self._ranks, self._margin = ranks, margin

    def choose(self, weights: np.ndarray) -> Outcome:
        """See `BoundSelection.choose`."""
        return in_pieces(self._choose, weights, 64 * self.scored.n_configs)

    def _choose(self, weights: np.ndarray) -> Outcome:
        scores = self.scored.scores(weights)
        if isinstance(self._margin, Tied):
            members = self._margin.members(weights, scores) & ~np.isnan(scores)
        else:
            members = within(scores, np.full(len(scores), float(self._margin)), self.scored)
        chosen = simplest(members, self._ranks, scores, self.scored)
        return Outcome({"config": chosen, "n_tied": members.sum(axis=1)})

    def describe(self, outcome: Outcome) -> dict[str, Any]:
        """See `BoundSelection.describe`."""
        return {"rule": self.by, "mean_tied": float(outcome["n_tied"].mean())}
