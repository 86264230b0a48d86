"""Whether the configuration with the best score is shown to be the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t as student

from .._parameters import check_parameters
from .._rounding import levelled
from .._text import config_words, param_value
from .._utils import did_you_mean, explain_arguments, is_number, same, suppress_fp_warnings
from ..contest._blocks import block_details
from ..contest._contest import Contest
from ..contest._notes import caveats, lonely_configuration, noun_of, pooling_note, unit_of
from ..contest._question import Question, check_metric_fits, check_oof, metric_for
from ..exceptions import UndefinedIntervalError
from ..intervals._base import OrderStatistic, halve_ties
from ..intervals._bbc import BBC, INTERVAL_PARAMETERS, draws_by
from ..intervals._normal_draws import (
    NORMAL,
    check_moments,
    check_normal,
    draws_of_moments,
    noun_of_moments,
)
from ..metrics._alike import won_together
from ..metrics._consumed import Unbound
from ..metrics._metric import BoundMetric
from ..predictions._moments import ScoreMoments
from ..predictions._predictions import OOFPredictions
from ..results._rankings import TiedSet
from ..selection._rules import check_complexity, complexity_ranks
from ._base import with_settings
from ._systems import joint_p_values, leads_of_moments
from ._tied_methods import (
    BY_SAMPLE,
    LEAVING_OUT,
    Bonferroni,
    BoundTies,
    TiedMethod,
    against_best,
    registered_tied,
)


def best_p_value(values: np.ndarray) -> float:
    """Test whether some other configuration is as good as the best one; `values` as in a method.

    The winner has been picked by the data, and still a two-sided test against the runner-up,
    without a correction for the number of configurations, is valid for exponential families
    (K. Hung, W. Fithian, Annals of Statistics 47, 758-782, 2019). Here spreads of differences
    vary, so that the closest rival need not be the runner-up: the largest p value is taken.
    """
    if values.shape[1] < 2:
        return float("nan")
    statistics = np.delete(against_best(values)[0], int(values.mean(axis=0).argmax()))
    return float(2 * student.sf(statistics.min(), len(values) - 1))


def draws_won(
    contest: Contest, method: BBC, confidence_level: float
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Repeat the selection in every draw and compare all configurations with its winner.

    Returns the fields ``won``, ``difference``, ``low`` and ``high`` of `TiedSet`, and details.
    """
    kernel, rule = contest.scored, contest.rule
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
        draws = method.draws_for(contest)
        differences, winners = draws.map(against_winner)
    except UndefinedIntervalError as error:
        names = ("won", "difference", "low", "high")
        return dict.fromkeys(names, np.full(n_configs, np.nan)), {"no_draws": str(error)}
    won = np.bincount(winners[winners >= 0], minlength=n_configs) / len(winners)
    low, high = _draw_bounds(differences, (1 - confidence_level) / 2)
    fields = {
        "won": won_together(won, kernel),
        "difference": pd.DataFrame(differences).mean().to_numpy(),  # without a word where all NaN
        "low": low,
        "high": high,
    }
    return fields, {"seed": draws.entropy, "n_redrawn": draws.n_redrawn}


def _draw_bounds(differences: np.ndarray, tail: float) -> np.ndarray:
    """Compute bounds of the defined draws of each column, (2, n_configs)."""
    rule = OrderStatistic()
    bounds = np.full((2, differences.shape[1]), np.nan)
    for config, column in enumerate(np.sort(differences, axis=0).T):  # NaN last
        defined = column[: np.count_nonzero(~np.isnan(column))]
        if len(defined):
            for_low, for_high = halve_ties(defined)
            bounds[:, config] = rule.between(for_low, tail), rule.between(for_high, 1 - tail)
    return bounds


MANY_CONFIGS = 10
"""A parameter with more values than this makes no families."""


def family_of_each(params: Sequence[Mapping[str, Any]], by: Any = None) -> tuple[str, ...]:
    """Name the family of each configuration."""
    if callable(by):
        return tuple(str(by(dict(each))) for each in params)
    values = _distinct_values(params)
    if by is None:  # words, or else the fewest values
        vary = {name: every for name, every in values.items() if 1 < len(every) <= MANY_CONFIGS}
        names = [name for name, every in vary.items() if not all(map(is_number, every))]
        names = names or sorted(vary, key=lambda name: len(vary[name]))[:1]
    else:
        names = [by] if isinstance(by, str) else by
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ValueError(
                "family must be the name of a parameter, a list of names or a function of the "
                f"parameters, got {by!r}."
            )
        unknown = [name for name in names if params and name not in values]
        if unknown:
            raise ValueError(
                f"family names {unknown}, which no configuration has; there are {sorted(values)}."
            )
    # A parameter that a configuration does not have says nothing about it.
    return tuple(
        ", ".join(f"{name}={_word(each[name])}" for name in names if name in each) or "all"
        for each in params
    )


def shared(params: Sequence[Mapping[str, Any]], members: Sequence[int]) -> dict[str, Any]:
    """Find parameters with one value in all members, but several in all configurations."""
    of_members = [params[config] for config in members] if params else []
    vary = {
        name
        for name, values in _distinct_values(params).items()
        if len(values) > 1 or not all(name in each for each in params)
    }
    return {
        name: values[0]
        for name, values in _distinct_values(of_members).items()
        if name in vary and len(values) == 1 and all(name in each for each in of_members)
    }


def _distinct_values(params: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Collect the distinct values of each parameter."""
    values: dict[str, list[Any]] = {}
    for each in params:
        for name, value in each.items():
            known = values.setdefault(name, [])
            if not any(same(value, other) for other in known):
                known.append(value)
    return values


def _word(value: Any) -> str:
    """Shorten a value: an estimator to its class, a function to its name."""
    if hasattr(value, "get_params"):
        return type(value).__name__
    if callable(value):
        return str(getattr(value, "__name__", type(value).__name__))
    text = param_value(value)
    return text if len(text) <= 30 else text[:27] + "..."


DEFAULT_LEVEL = 0.95
ORDER_STATISTICS = ("median_absolute_error", "max_error")


TIED_ALIASES = {"mcs": "model_confidence_set"}
"""What people call some methods, in small letters and digits only."""


@explain_arguments(of_method="tied_with_best(..., draws=BBC({}=...))")
def tied_with_best(
    oof: OOFPredictions | ScoreMoments,
    scoring: Any = None,
    *,
    confidence_level: float | None = None,
    method: str | TiedMethod | None = None,
    complexity: Any = None,
    family: Any = None,
    draws: BBC | None = None,
) -> TiedSet:
    """Find the configurations that the data cannot distinguish from the best one.

    The set holds the truly best configuration in the promised share of data sets. How often a
    configuration wins, or whether it is within one standard error, promises nothing of the kind.

    Parameters
    ----------
    oof : OOFPredictions or ScoreMoments
        Out-of-fold predictions of every configuration; or sums of their scores, which are enough
        for `Bonferroni`, and whose draws are normal approximations.
    scoring : str, scorer or Metric
        The metric. It must be given for predictions.
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
    draws : BBC, default=None
        For other draws behind ``won``, ``difference``, ``low`` and ``high``: their number, seed
        and threads, or the rule that selects in every one, for example
        ``BBC(selection=SelectedBy("roc_auc"))``. A method that is given by name has their number
        and seed, too; otherwise membership does not depend on them. None is
        ``BBC(n_bootstraps=1000)``.

    Returns
    -------
    TiedSet
        Members, and what is known about every configuration.

    See Also
    --------
    sklearn_bbc.selection.SimplestTied : Selects the simplest of the tied in every draw.

    Notes
    -----
    Scores are those of all held-out predictions together, as for `BBC`. The winner (what the
    search selected, else the best mean over the folds) may be another one than `best`, with a
    note. Methods compare values whose mean over samples (or groups) is the score: those of the
    samples where the metric is a mean over them, else pseudo-values from leaving out one sample
    at a time. What other training sets would add to the spread is not seen.

    Examples
    --------
    >>> from sklearn_bbc import BBC
    >>> from sklearn_bbc.comparison import tied_with_best
    >>> from sklearn_bbc.testing import example_predictions
    >>> draws = BBC(n_bootstraps=1000, random_state=0)
    >>> tied = tied_with_best(example_predictions(), "roc_auc", draws=draws)
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
    draws = BBC(n_bootstraps=1000) if draws is None else draws
    if isinstance(oof, ScoreMoments):
        draws_by(draws, "tied_with_best", ("confidence_level", *INTERVAL_PARAMETERS), "draws")
        check_moments(draws, oof, scoring, None)
        if complexity is not None or family is not None:
            raise ValueError(
                "complexity and family look at the parameters of the configurations, and "
                "ScoreMoments know their names only. Leave them out."
            )
        return _tied_of_moments(oof, as_tied_method(method, confidence_level, draws), draws)
    check_oof(oof)
    if scoring is None and oof.score_sign is None:
        raise ValueError(
            "scoring must be given, for example tied_with_best(oof, 'roc_auc'): predictions do "
            "not say by which metric they are to be scored."
        )
    if not oof.responses:
        raise ValueError(
            "tied_with_best compares configurations sample by sample, but there are only fold "
            "scores. OOFPredictions.from_search(search, X, y) fits a search again and keeps its "
            "predictions; BBCSearchCV keeps them at once."
        )
    draws_by(draws, "tied_with_best", ("confidence_level", *INTERVAL_PARAMETERS), "draws")
    return tied_of(
        Question(oof=oof, metric=scoring, rule=draws.selection), draws=draws, method=method,
        confidence_level=confidence_level, complexity=complexity, family=family,
    )  # fmt: skip


def tied_of(
    question: Question,
    *,
    draws: BBC,
    method: Any = None,
    confidence_level: float | None = None,
    complexity: Any = None,
    family: Any = None,
) -> TiedSet:
    """Find the configurations that tie with the best by the metric of a question."""
    oof, _ = question.predictions("tied_with_best"), question.selection  # or it says why not
    check_parameters(draws)
    chosen = as_tied_method(method, confidence_level, draws)
    params = oof.params or ()
    if complexity is not None:
        check_complexity(complexity)
    for what, given in (("complexity", complexity), ("family", family)):
        if given is not None and not params:
            raise ValueError(
                f"{what} looks at the parameters of the configurations, but they are not known. "
                "Pass them as OOFPredictions(..., params=[...])."
            )
    ranks = None if complexity is None else complexity_ranks(complexity, params)
    # Names tell systems apart, and nothing about them.
    are_named = family is None and all(each.keys() == {"configuration"} for each in params)
    of_family = () if are_named else family_of_each(params, family)
    metric = metric_for(oof, question.metric)
    check_metric_fits(Unbound(metric, oof))
    with suppress_fp_warnings():
        contest = replace(question, metric=metric).open()
        oof, kernel, rule = contest.oof, contest.scored, contest.rule
        units = BoundTies(chosen, kernel, "tied_with_best")
        scores, p_values = np.full((2, oof.n_configs), np.nan)
        scores[units.configs] = kernel.on_data()[units.configs]
        best = int(kernel.first_best(scores[None])[0])
        p_values[units.configs] = chosen.p_values(units.values, units.fold)
        is_member = p_values > 1 - chosen.confidence_level
        is_member[kernel.first_alike == kernel.first_alike[best]] = True
        members = np.flatnonzero(is_member)
        if not rule.of_configurations:
            raise ValueError(
                f"tied_with_best compares configurations; {rule.by or 'this rule'} reports "
                "something else. Give a rule that selects one configuration."
            )
        fields, of_draws = draws_won(contest, draws, chosen.confidence_level)
        winner, how = contest.winner, contest.winner_by
        if rule.selecting is not kernel and oof.selected is None:
            how += f" of {rule.selecting.metric.name}"
        notes = _notes_on_ties(kernel, units.how, best, members)
        blocks = block_details(oof, "tied_with_best", notes)
    if kernel.first_alike[winner] != kernel.first_alike[best]:
        inside = "also in the set" if winner in members else "not in the set"
        notes.append(
            f"The winner ({how}) is {config_words(winner, params)}; the best score on all "
            f"held-out predictions together is that of {config_words(best, params)}. The winner "
            f"is {inside}."
        )
    if "no_draws" in of_draws:
        notes.append(
            f"Shares of draws and differences could not be computed: {of_draws['no_draws']}"
        )
    simplest = None
    if ranks is not None:  # of equally simple members the best, then the first
        simple = members[ranks[members] == ranks[members].min()]
        simplest = int(simple[kernel.first_best(scores[None, simple])[0]])
    return TiedSet(
        members=members,
        best=best,
        scores=scores,
        p_values=p_values,
        **fields,
        confidence_level=chosen.confidence_level,
        method=chosen.name,
        metric=kernel.metric.name,
        params=params,
        families=of_family,
        simplest=simplest,
        details={
            "best_p_value": best_p_value(np.unique(units.values, axis=1)),
            "shared": shared(params, members.tolist()),
            "unit": unit_of(oof),
            "n_units": units.units.n_units,
            "values": units.how,
            "n_configs": oof.n_configs,
            "noun": noun_of(oof),
            "n_valid": len(units.configs),
            "n_bootstraps": draws.n_bootstraps,
            **blocks,
            **of_draws,
            "selected": winner,
            "winner_by": how,
            "notes": notes,
        },
    )


@suppress_fp_warnings()
def _tied_of_moments(moments: ScoreMoments, chosen: TiedMethod, method: BBC) -> TiedSet:
    """Find the configurations that tie with the best, from the sums of their scores."""
    if type(chosen) is not Bonferroni:
        raise ValueError(
            f"{type(chosen).__name__} needs the scores of each sample, and ScoreMoments hold "
            "their sums. Use method='bonferroni', or give OOFPredictions."
        )
    draws = draws_of_moments(method, moments)
    selected, degrees = moments.winner, moments.n_units - 1
    lead, error = leads_of_moments(moments, selected)
    p_values = joint_p_values(lead, error, len(draws.distinct), degrees)
    same = draws.place == draws.place[selected]
    p_values[same] = 1.0
    members = np.flatnonzero(p_values > 1 - chosen.confidence_level)
    winners, differences = [], []
    for in_bag, left_out in draws.of_all():
        best = in_bag.argmax(axis=1)
        winners.append(best)
        differences.append(left_out - left_out[np.arange(len(best)), best][:, None])
    won, apart = np.concatenate(winners), np.concatenate(differences)
    check_normal(draws, draws.distinct[won])
    low, high = _draw_bounds(apart, (1 - chosen.confidence_level) / 2)
    share = np.bincount(won, minlength=len(draws.distinct)) / len(won)
    others = np.setdiff1d(draws.distinct, draws.distinct[draws.place[selected]])
    nearest = (lead[others] / error[others]).min(initial=np.inf)
    noun, notes = noun_of_moments(moments), []
    if moments.n_configs == 1:
        notes.append(lonely_configuration(1, noun))
    elif len(members) == moments.n_configs:
        notes.append(_ALL_TIED.format(noun))
    names = moments.names or ()
    return TiedSet(
        members=members, best=selected, scores=levelled(moments.means), p_values=p_values,
        won=share[draws.place], difference=apart.mean(axis=0)[draws.place],
        low=low[draws.place], high=high[draws.place], confidence_level=chosen.confidence_level,
        method=chosen.name, metric=moments.metric,
        params=[{"configuration": name} for name in names],
        details={
            "best_p_value": float(2 * student.sf(nearest, degrees)) if len(others) else np.nan,
            "shared": {}, "unit": moments.unit, "n_units": moments.n_units, "values": BY_SAMPLE,
            "n_configs": moments.n_configs, "noun": noun, "n_valid": moments.n_configs,
            "n_bootstraps": method.n_bootstraps, "seed": draws.entropy, "n_redrawn": 0,
            "draws": NORMAL, "selected": selected, "winner_by": "mean score", "notes": notes,
        },
    )  # fmt: skip


_ALL_TIED = "The data cannot distinguish the {}s: every one of them may be the best."


def as_tied_method(method: Any, confidence_level: float | None, draws: BBC) -> TiedMethod:
    """Turn what a caller may give into a method object; one by name has the settings of draws."""
    if isinstance(method, TiedMethod):
        if confidence_level is not None:
            raise ValueError(
                f"Give the confidence level in one place: {method!r} has its own "
                f"({method.confidence_level:g}), and confidence_level={confidence_level!r} was "
                "given too."
            )
        check_parameters(method)
        return method
    known = registered_tied()
    method = Bonferroni.name if method is None else method
    if isinstance(method, BBC):
        raise ValueError(
            "method is what decides which configurations are tied, such as "
            f"'model_confidence_set'. Settings of the draws are draws: "
            f"tied_with_best(..., draws={method!r})."
        )
    if not isinstance(method, str) or method not in known:
        raise ValueError(
            f"method must be one of {sorted(known)}, or an object of such a class, got {method!r}."
            f"{did_you_mean(method, known, TIED_ALIASES)}"
        )
    made: TiedMethod = with_settings(
        known[method](), n_bootstraps=draws.n_bootstraps, random_state=draws.random_state,
        confidence_level=DEFAULT_LEVEL if confidence_level is None else confidence_level,
    )  # fmt: skip
    check_parameters(made)
    return made


def _notes_on_ties(kernel: BoundMetric, how: str, best: int, members: np.ndarray) -> list[str]:
    oof = kernel.oof
    notes = caveats(kernel)
    if kernel.valid.sum() == 1:
        notes.append(lonely_configuration(oof.n_configs, noun_of(oof)))
    elif len(members) == kernel.valid.sum():
        notes.append(_ALL_TIED.format(noun_of(oof)))
    pooling = pooling_note(kernel, best)
    if pooling is not None:
        notes.append(pooling)
    if how == LEAVING_OUT and kernel.family in ORDER_STATISTICS:
        notes.append(
            f"{kernel.metric.name} depends on single samples, so leaving out one at a time says "
            "little about its spread; a mean over samples is safer here."
        )
    return notes
