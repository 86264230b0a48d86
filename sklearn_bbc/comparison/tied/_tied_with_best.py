"""Which configurations cannot be told from the best: the function."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._floats import quiet
from ..._nearest import did_you_mean, explain_arguments
from ..._wording import config_words
from ...intervals import BBC
from ...intervals._base import check_n_bootstraps, check_oof
from ...intervals._caveats import caveats, lonely_configuration
from ...intervals._selection import selected_configuration, winner_of
from ...intervals.winner._bbc_notes import pooling_note
from ...metrics import BoundKernel, as_metric
from ...metrics._columns import check_labels, check_two_classes
from ...predictions import OOFPredictions
from ...results import TiedSet
from ...selection import BoundSelection, Selection, as_selection
from ...selection._complexity import check_complexity, complexity_ranks
from ._base import TiedMethod, registered_tied
from ._best_verified import best_p_value
from ._bonferroni import Bonferroni
from ._draws_won import draws_won
from ._families import families, shared
from ._values import LEAVING_OUT, unit_values

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
    """Turn what a caller may give into a method object.

    Parameters
    ----------
    method : str, TiedMethod or None
        Name, object, or None for the default.
    confidence_level : float or None
        Level; None is 0.95, or that of the object.
    n_bootstraps : int
        Draws of a method that is given by name.
    random_state : int, RandomState instance or None
        Its seed.

    Returns
    -------
    TiedMethod
        Validated.

    Raises
    ------
    ValueError
        If the name is unknown, or a level is given for an object.
    """
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
