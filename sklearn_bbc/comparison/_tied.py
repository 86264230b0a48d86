"""Whether the configuration with the best score is shown to be the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np
from scipy.stats import t as student

from .._text import config_words
from .._utils import did_you_mean, explain_arguments, quiet, same
from ..exceptions import UndefinedIntervalError
from ..intervals._base import OrderStatistic, check_n_bootstraps, check_oof, halve_ties
from ..intervals._bbc import BBC
from ..intervals._notes import (
    caveats,
    lonely_configuration,
    pooling_note,
    selected_configuration,
    winner_of,
)
from ..metrics._bound import BoundKernel, check_labels, check_two_classes
from ..metrics._metric import as_metric
from ..predictions._predictions import OOFPredictions
from ..results._sets import TiedSet
from ..selection._base import BoundSelection, Selection, as_selection
from ..selection._rules import check_complexity, complexity_ranks
from ._tied_methods import LEAVING_OUT, Bonferroni, Pairs, TiedMethod, registered_tied, unit_values


def best_p_value(values: np.ndarray) -> float:
    """P value of the hypothesis that some other configuration is as good as the best one.

    `values` (n_units, n_configs).

    The winner has been picked by the data, and still a two-sided test against the runner-up,
    without a correction for the number of configurations, is valid for exponential families
    [1]_. Here spreads of differences vary, so that the closest rival need not be the
    runner-up: the largest two-sided p value of the paired t tests against all others is taken.

    References
    ----------
    .. [1] K. Hung, W. Fithian, "Rank verification for exponential families", Annals of
       Statistics 47, 758-782 (2019). :doi:`10.1214/17-AOS1634`
    """
    n_units, n_configs = values.shape
    if n_configs < 2:
        return float("nan")
    statistics = np.delete(Pairs.with_best(values).t(), int(values.mean(axis=0).argmax()))
    return float(2 * student.sf(statistics.min(), n_units - 1))


@dataclass(frozen=True, eq=False)
class DrawsWon:
    """What the draws say about each configuration.

    Attributes
    ----------
    won : ndarray of shape (n_configs,)
        Share of draws in which it, or one that predicts the same, is the best in-bag.
    difference, low, high : ndarray of shape (n_configs,)
        Its out-of-bag score minus that of the draw's best: mean and bounds; NaN where
        undefined.
    details : dict
        ``seed`` and ``n_redrawn``, or ``no_draws``: why there are none.
    """

    won: np.ndarray
    difference: np.ndarray
    low: np.ndarray
    high: np.ndarray
    details: dict[str, Any]


def draws_won(
    oof: OOFPredictions, kernel: BoundKernel, method: BBC, rule: BoundSelection
) -> DrawsWon:
    """Repeat the selection in every draw and compare all configurations with its winner."""
    n_configs = kernel.n_configs
    # In-bag and out-of-bag, all configurations.
    kernel.warn_if_slow(2 * method.n_bootstraps * kernel.n_distinct, method.n_jobs)

    def against_winner(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        winners = rule.choose(counts)["config"]
        left_out = kernel.scores(counts == 0)
        best = left_out[np.arange(len(winners)), winners]
        best[winners < 0] = np.nan
        return kernel.difference(left_out, best[:, None]), winners

    try:
        draws = method._draws(oof, kernel, rule.selecting)
        differences, winners = draws.map(against_winner)
    except UndefinedIntervalError as error:
        nothing = np.full(n_configs, np.nan)
        return DrawsWon(nothing, nothing, nothing, nothing, {"no_draws": str(error)})
    won = np.bincount(winners[winners >= 0], minlength=n_configs) / len(winners)
    won = won[kernel.first_alike]  # the first of equal predictions wins for all of them
    low, high = _bounds(differences, (1 - method.confidence_level) / 2)
    defined = ~np.isnan(differences).all(axis=0)
    mean = np.full(n_configs, np.nan)
    mean[defined] = np.nanmean(differences[:, defined], axis=0)
    details = {"seed": draws.entropy, "n_redrawn": draws.n_redrawn}
    return DrawsWon(won, mean, low, high, details)


def _bounds(differences: np.ndarray, tail: float) -> np.ndarray:
    """Lower and upper bounds of the defined draws of each column, shape (2, n_configs)."""
    rule = OrderStatistic()
    bounds = np.full((2, differences.shape[1]), np.nan)
    for config, column in enumerate(np.sort(differences, axis=0).T):  # NaN last
        defined = column[: np.count_nonzero(~np.isnan(column))]
        if len(defined):
            for_low, for_high = halve_ties(defined)
            bounds[:, config] = rule.between(for_low, tail), rule.between(for_high, 1 - tail)
    return bounds


MANY = 10
"""A parameter with more values than this makes no families."""


def families(params: Sequence[Mapping[str, Any]], by: Any = None) -> tuple[str, ...]:
    """Family of each configuration."""
    if not params:
        return ()
    if callable(by):
        return tuple(str(by(dict(each))) for each in params)
    values = _values(params)
    if by is None:
        names = _telling(values)
    else:
        names = [by] if isinstance(by, str) else by
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ValueError(
                "family must be the name of a parameter, a list of names or a function of the "
                f"parameters, got {by!r}."
            )
        unknown = [name for name in names if name not in values]
        if unknown:
            raise ValueError(
                f"family names {unknown}, which no configuration has; there are {sorted(values)}."
            )
    # A parameter that a configuration does not have says nothing about it.
    texts = [
        ", ".join(f"{name}={_word(each[name])}" for name in names if name in each)
        for each in params
    ]
    return tuple(text or "all" for text in texts)


def shared(params: Sequence[Mapping[str, Any]], members: Sequence[int]) -> dict[str, Any]:
    """Parameters with one value in all members, but several in all configurations."""
    result = {}
    for name, values in _values(params).items():
        everywhere = all(name in each for each in params)
        here = [params[config][name] for config in members if name in params[config]]
        if not here or len(here) < len(members) or not all(same(here[0], v) for v in here):
            continue
        if len(values) > 1 or not everywhere:
            result[name] = here[0]
    return result


def _values(params: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Distinct values of each parameter."""
    values: dict[str, list[Any]] = {}
    for each in params:
        for name, value in each.items():
            known = values.setdefault(name, [])
            if not any(same(value, other) for other in known):
                known.append(value)
    return values


def _telling(values: Mapping[str, list[Any]]) -> list[str]:
    """Parameters that make families where nobody says which."""
    vary = {name: every for name, every in values.items() if 1 < len(every) <= MANY}
    words = [name for name, every in vary.items() if not all(map(_is_number, every))]
    if words:
        return words
    return [min(vary, key=lambda name: len(vary[name]))] if vary else []


def _is_number(value: Any) -> bool:
    return isinstance(value, Number) and not isinstance(value, bool)


def _word(value: Any) -> str:
    """Value in short: an estimator by its class, a function by its name."""
    if hasattr(value, "get_params"):
        return type(value).__name__
    if callable(value):
        return str(getattr(value, "__name__", type(value).__name__))
    text = f"{value:.4g}" if isinstance(value, float) else " ".join(str(value).split())
    return text if len(text) <= 30 else text[:27] + "..."


DEFAULT_LEVEL = 0.95
ORDER_STATISTICS = ("median_absolute_error", "max_error")


ALIASES = {"mcs": "model_confidence_set"}
"""What people call some methods, in small letters and digits only."""


@explain_arguments()
def tied_with_best(
    oof: OOFPredictions,
    scoring: Any = None,
    *,
    confidence_level: float | None = None,
    method: str | TiedMethod | None = None,
    complexity: Any = None,
    family: Any = None,
    selection: Selection | None = None,
    n_bootstraps: int = 1000,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> TiedSet:
    """Find the configurations that the data cannot tell from the best one.

    The set holds the truly best configuration in the promised share of data sets. How often a
    configuration wins, or whether it is within one standard error, promises nothing of the kind.

    Parameters
    ----------
    oof : OOFPredictions
        Out-of-fold predictions of every configuration.
    scoring : str, scorer or Metric
        The metric. It must be given.
    confidence_level : float in (0, 1), default=None
        Promised share of data sets for which the set holds the best configuration. None is
        0.95, or the level of `method` where that is an object.
    method : str or TiedMethod, default=None
        A registered name, such as ``"model_confidence_set"``, or an object with parameters of
        its own. None is `Bonferroni`.
    complexity : callable, str or list, default=None
        What is simple, as in `OneStandardError`: a function of the parameters, the name of
        one whose smaller values are simpler, or a list of names and pairs (name, direction).
        None names no simplest member.
    family : str, list of str or callable, default=None
        Parameters whose values make a family, or a function of the parameters that names it.
        None takes those whose values are words, or else the one with the fewest values.
    selection : Selection, default=None
        Rule that selects in every draw behind ``won`` and ``difference``, for example
        ``SelectedBy("roc_auc")``; None is `BestScore`. Membership does not depend on it.
    n_bootstraps : int, default=1000
        Draws behind ``won``, ``difference``, ``low`` and ``high``, at least 20; of a method
        that is given by name, too.
    random_state : int, RandomState instance or None, default=None
        Seed of these draws, and of a method that is given by name.
    n_jobs : int or None, default=None
        Number of threads for these draws; the result does not depend on it.

    Returns
    -------
    TiedSet
        Members, and what is known about every configuration.

    Raises
    ------
    ValueError
        If there are no predictions, a parameter is out of range, or a level is given both
        here and in `method`.
    UndefinedIntervalError
        If the data cannot support it, for example with a class in one sample.

    See Also
    --------
    sklearn_bbc.selection.SimplestTied : Selects the simplest of the tied in every draw.

    Notes
    -----
    Scores are those of all held-out predictions together, as for `BBC`. The winner is the one that
    `BBC` names: what the search selected, else the best mean over the folds. It may be another
    one than `best`; a note says so. Methods compare
    values whose mean over samples (groups, where there are any) is the score: those of the
    samples where the metric is a mean over them, else pseudo-values from leaving out one
    sample at a time. Out-of-fold predictions come from models of other training sets than
    the refitted model's; what that adds to the spread is not seen.

    Time of the default: O(n C) for the set and O(n_bootstraps n C) for the other columns.

    Examples
    --------
    >>> from sklearn_bbc.comparison import tied_with_best
    >>> from sklearn_bbc.testing import example_predictions
    >>> tied = tied_with_best(example_predictions(), "roc_auc", random_state=0)
    >>> sorted(tied)
    [1, 2, 3]
    >>> tied.frame()[["score", "p_value", "won", "member"]].round(3)
            score  p_value    won  member
    config
    3       0.946    1.000  0.492    True
    2       0.929    1.000  0.307    True
    1       0.922    0.888  0.199    True
    0       0.796    0.049  0.002   False
    """
    check_oof(oof)
    if scoring is None:
        raise ValueError(
            "scoring must be given, for example tied_with_best(oof, 'roc_auc'): predictions do "
            "not say by which metric they are to be scored."
        )
    if not oof.responses:
        raise ValueError(
            "tied_with_best compares configurations sample by sample, but there are only fold "
            "scores. Use BBCSearchCV, which keeps predictions."
        )
    chosen = as_tied_method(method, confidence_level, n_bootstraps, random_state)
    level = chosen.confidence_level
    bbc = BBC(
        n_bootstraps=n_bootstraps,
        confidence_level=level,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    check_n_bootstraps(n_bootstraps)
    ranks = None
    if complexity is not None:
        check_complexity(complexity)
        _check_params(oof, "complexity")
        ranks = complexity_ranks(complexity, oof.params)
    if family is not None:
        _check_params(oof, "family")
    of_family = families(oof.params or (), family)
    metric = as_metric(scoring)
    check_labels(oof, metric.name, metric.score_func, metric.response_method)
    check_two_classes(oof, metric.name, metric.score_func)
    with quiet():
        kernel = metric.bind(oof)
        rule = as_selection(selection).bind(oof, kernel)
        return _tied(oof, kernel, rule, chosen, bbc, ranks, of_family)


def _tied(
    oof: OOFPredictions,
    kernel: BoundKernel,
    rule: BoundSelection,
    method: TiedMethod,
    bbc: BBC,
    ranks: np.ndarray | None,
    of_family: tuple[str, ...],
) -> TiedSet:
    units = unit_values(oof, kernel, "tied_with_best")
    scores = np.full(oof.n_configs, np.nan)
    scores[units.configs] = kernel.on_data()[units.configs]
    best = int(kernel.first_best(scores[None])[0])
    p_values = np.full(oof.n_configs, np.nan)
    p_values[units.configs] = method.p_values(units.values, units.fold)
    is_member = p_values > 1 - method.confidence_level
    is_member[kernel.first_alike == kernel.first_alike[best]] = True
    members = np.flatnonzero(is_member)
    if not rule.of_configurations:
        raise ValueError(
            f"tied_with_best compares configurations; {rule.by or 'this rule'} reports something "
            "else. Give a rule that selects one configuration."
        )
    draws = draws_won(oof, kernel, bbc, rule)
    winner, how = winner_of(oof, rule), rule.by or selected_configuration(oof, rule.selecting)[1]
    if rule.selecting is not kernel and oof.selected is None:
        how += f" of {rule.selecting.metric.name}"
    params = oof.params or ()
    details = {
        "best_p_value": best_p_value(np.unique(units.values, axis=1)),
        "shared": shared(params, members.tolist()),
        "unit": units.units.kind,
        "n_units": units.units.n_units,
        "values": units.how,
        "n_configs": oof.n_configs,
        "n_valid": len(units.configs),
        "n_bootstraps": bbc.n_bootstraps,
        **draws.details,
        "selected": winner,
        "winner_by": how,
        "notes": [*caveats(oof, kernel), *_notes(oof, kernel, units.how, best, members)],
    }
    if kernel.first_alike[winner] != kernel.first_alike[best]:
        inside = "also in the set" if winner in members else "not in the set"
        details["notes"].append(
            f"The winner ({details['winner_by']}) is {config_words(winner, params)}; the best "
            f"score on all held-out predictions together is that of {config_words(best, params)}. "
            f"The winner is {inside}."
        )
    if "no_draws" in draws.details:
        details["notes"].append(
            f"Shares of draws and differences could not be computed: {draws.details['no_draws']}"
        )
    return TiedSet(
        members=members,
        best=best,
        scores=scores,
        p_values=p_values,
        difference=draws.difference,
        low=draws.low,
        high=draws.high,
        won=draws.won,
        confidence_level=method.confidence_level,
        method=method.name,
        metric=kernel.metric.name,
        params=params,
        families=of_family,
        simplest=None if ranks is None else _simplest(members, ranks, scores),
        details=details,
    )


def as_tied_method(
    method: Any, confidence_level: float | None, n_bootstraps: int, random_state: Any
) -> TiedMethod:
    """Turn what a caller may give into a method object."""
    if isinstance(method, TiedMethod):
        if confidence_level is not None:
            raise ValueError(
                f"Give the confidence level in one place: {method!r} has its own "
                f"({method.confidence_level:g}), and confidence_level={confidence_level!r} was "
                "given too."
            )
        method._validate()
        return method
    known = registered_tied()
    if method is None:
        method = Bonferroni.name
    if not isinstance(method, str) or method not in known:
        raise ValueError(
            f"method must be one of {sorted(known)}, or an object of such a class, got {method!r}."
            f"{did_you_mean(method, known, ALIASES)}"
        )
    made = known[method]()
    wanted = {"n_bootstraps": n_bootstraps, "random_state": random_state}
    made.set_params(
        confidence_level=DEFAULT_LEVEL if confidence_level is None else confidence_level,
        **{name: value for name, value in wanted.items() if name in made.get_params(deep=False)},
    )
    made._validate()
    return made


def _check_params(oof: OOFPredictions, what: str) -> None:
    if not oof.params:
        raise ValueError(
            f"{what} looks at the parameters of the configurations, but they are not known. Pass "
            "them as OOFPredictions(..., params=[...])."
        )


def _simplest(members: np.ndarray, ranks: np.ndarray, scores: np.ndarray) -> int:
    """Of equally simple members the best, then the first."""
    simple = members[ranks[members] == ranks[members].min()]
    return int(simple[scores[simple].argmax()])


def _notes(
    oof: OOFPredictions, kernel: BoundKernel, how: str, best: int, members: np.ndarray
) -> list[str]:
    notes = []
    if kernel.valid.sum() == 1:
        notes.append(lonely_configuration(oof.n_configs))
    elif len(members) == kernel.valid.sum():
        notes.append(
            "The data cannot tell the configurations apart: every one of them may be the best."
        )
    pooling = pooling_note(oof, kernel, best)
    if pooling is not None:
        notes.append(pooling)
    if how == LEAVING_OUT and kernel.family in ORDER_STATISTICS:
        notes.append(
            f"{kernel.metric.name} depends on single samples, so leaving out one at a time says "
            "little about its spread; a mean over samples is safer here."
        )
    return notes
