"""The rule by which `refit` selects: check it before a search, repeat it in draws afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from .._parameters import check_parameters
from .._scorers import scorer_named
from .._utils import did_you_mean
from .._warnings import duration, warn_user
from ..exceptions import BBCWarning
from ..metrics._by_fold import FoldTable
from ..metrics._calibration import WITHOUT_DIRECTION, nothing_selected_by
from ..metrics._consumed import Unbound
from ..metrics._scored import Scored
from ..selection._base import BestScore, Selection
from ..selection._rules import RefitCallable, SelectedBy, complexity_ranks, rule_of
from ._checks import SEVERAL

N_REFIT_DRAWS = 2000
MOST_SECONDS = 60
"""A function that would take longer is not called in every draw unasked: no number then."""


class RefitRule(NamedTuple):
    """Rule of a `refit` that does not select the best mean score, and whether it repeats."""

    selection: Selection
    # Why draws cannot repeat it; empty where they can.
    why_not: str = ""
    # Why a function is not repeated unasked; empty where it is.
    too_slow: str = ""


def check_refit(refit: Any, scoring: Any, grid: Any, n_iter: int | None) -> None:
    """Raise a ValueError, before the search, for a rule that cannot be a `refit`."""
    several = isinstance(scoring, (*SEVERAL, Mapping))
    named = refit if isinstance(refit, str) else None
    if several and (refit is True or (named is not None and named not in scoring)):
        raise ValueError(
            "For multi-metric scoring, the parameter refit must be set to a scorer key, one of "
            f"{list(scoring)}, to a rule or a function that selects, or to False; got {refit!r}."
            f"{did_you_mean(named, map(str, scoring))}"
        )
    if named is not None and (scoring is None or isinstance(scoring, str)) and named != scoring:
        warn_user(  # scikit-learn takes any text for True
            f"refit={named!r} is not the metric of this search: scoring={scoring!r} selects. Use "
            "refit=True, or give both metrics as scoring.",
            BBCWarning,
        )
    selects = named if several and not isinstance(scoring, Mapping) else scoring
    if isinstance(scoring, Mapping):
        selects = None if named is None else scoring[named]
    if selects is not None:
        name = named or str(selects)
        scorer = scorer_named(selects) if isinstance(selects, str) else selects
        function = getattr(scorer, "_score_func", None)
        if function in WITHOUT_DIRECTION:
            raise ValueError(nothing_selected_by(function, name))
    rule = rule_of(refit)
    if isinstance(rule, type) and issubclass(rule, Selection):
        raise ValueError(f"refit must be an object: pass {rule.__name__}(...), not the class.")
    if not isinstance(rule, Selection):
        return
    check_parameters(rule)
    if "predictions" in rule.needs:
        raise ValueError(
            f"refit must select one configuration by the scores of the folds; {rule!r} chooses "
            "more than that. Search without it and use it afterwards: "
            "search.threshold(...) for a threshold, search.interval(BBC(selection=...)) for "
            "any rule."
        )
    if several and rule is refit and not isinstance(rule, RefitCallable):
        name = next(iter(scoring), "roc_auc")
        raise ValueError(
            f"With several metrics refit must name the one that {rule!r} is about: "
            f"refit=SelectedBy({name!r}, {rule!r}), from sklearn_bbc.selection."
        )
    known = list(scoring) if several else ["score"]
    if isinstance(refit, SelectedBy) and not callable(scoring) and refit.scoring not in known:
        raise ValueError(
            f"refit={refit!r} selects by {refit.scoring!r}, but this search calls its "
            f"metrics {known}."
        )
    complexity = getattr(rule, "complexity", None)
    if complexity is None or grid is None:
        return
    if n_iter is None:
        complexity_ranks(complexity, list(ParameterGrid(grid)))
    elif not callable(complexity):  # of distributions only the names are known
        grids = [grid] if isinstance(grid, Mapping) else grid
        complexity_ranks(complexity, [dict.fromkeys(each, 0) for each in grids])


def rule_of_refit(
    refit: Any,
    views: Mapping[str, Unbound],
    cv_results: Mapping[str, Any],
    primary: str | None,
    best_index: int | None,
) -> RefitRule | None:
    """Make the rule of a `refit` that is an object or a function, and try whether it repeats.

    `views` has each metric and the predictions as it sees them, by the names of ``cv_results_``,
    as `primary` is one.
    """
    rule = rule_of(refit)
    if not callable(rule) or isinstance(rule, BestScore):
        return None
    if not isinstance(rule, Selection):
        rule = RefitCallable(rule)
    if isinstance(rule, RefitCallable):
        scoring = rule.scoring
        if scoring is None:
            scoring = {n: view.metric for n, view in views.items() if _kernel(view) is not None}
        columns = cv_results if rule.cv_results is None else rule.cv_results
        of_draws = ("split", "mean_t", "std_t", "rank_t")  # all others are the same in each
        fixed = {name: each for name, each in columns.items() if not name.startswith(of_draws)}
        rule = RefitCallable(rule.function, scoring=scoring or None, cv_results=fixed)
    else:
        rule = clone(rule)
    view = views[next(iter(views)) if primary is None else primary]
    kernel = _kernel(view)
    if kernel is None:
        why = f"{view.metric.name} can be computed neither from predictions nor from folds"
        return RefitRule(rule, why)
    try:
        bound = rule.bind(kernel)
        config = int(bound.on_all()["config"][0])
    # A function may raise anything, and the search must not be lost to it.
    except Exception as error:
        return RefitRule(rule, f"{type(error).__name__}: {error}".rstrip("."))
    if config != best_index:
        what = "nothing" if config < 0 else f"configuration {config}"
        return RefitRule(
            rule, f"applied once more to the scores of all samples, it selects {what}"
        )
    seconds = N_REFIT_DRAWS * bound.seconds_per_draw
    if isinstance(refit, Selection) or seconds <= MOST_SECONDS:
        return RefitRule(rule)
    return RefitRule(
        rule,
        too_slow=f"{N_REFIT_DRAWS:,} calls of the refit function would take about "
        f"{duration(seconds)}. "
        "interval() makes them, and refit=RefitCallable(function) does it in each fit.",
    )


def _kernel(view: Unbound) -> Scored | None:
    """Bind the metric to predictions, else to its fold scores; None where neither works."""
    # Own scores that cannot be replayed, or no predictions: the scores per fold are left.
    with suppress(Exception):
        bound: Scored = view.metric.bind(view.oof)
        return bound
    with suppress(Exception):
        return FoldTable(view.metric, view.oof)
    return None
