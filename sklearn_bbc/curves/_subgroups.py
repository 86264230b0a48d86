"""Scores of the selected configuration in groups of the samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from .._text import count, percent
from .._utils import explain_arguments, got, suppress_fp_warnings
from ..contest._notes import FEW_EVENTS
from ..contest._question import Question
from ..contest._strata import FEW_UNITS
from ..intervals._base import (
    MAX_UNDEFINED,
    check_given,
    contest_for,
    count_undefined,
    too_often_undefined,
)
from ..intervals._bbc import BBC, INTERVAL_PARAMETERS, draws_by
from ..metrics._base import class_members, needs_spread
from ..metrics._metric import BoundMetric
from ..metrics._survival import events_that_count
from ..predictions._predictions import OOFPredictions
from ..predictions._validation import in_index_order
from ..results._curves import SubgroupResult
from ..selection._base import Outcome
from ._base import check_selects_one, limits_of

FEWEST = 3
"""Fewer samples, of each class that a metric needs, are no group that can be scored."""
MOST_NUMBERS = 20
"""More different numbers are a measurement and no groups."""
NOT_VALUES = (
    "by must have one value per sample, in the order of X, such as df['sex'], or be a DataFrame "
    "with a column for each variable, got {}."
)


@explain_arguments(of_method="subgroup_scores(..., method=BBC({}=...))")
def subgroup_scores(
    oof: OOFPredictions, scoring: Any, by: Any, *, method: BBC | None = None
) -> SubgroupResult:
    """Score the selected configuration in groups of samples, corrected for the selection.

    Every draw repeats the selection on the drawn samples, as `BBC` does, and scores its winner on
    the samples left out, in each group and in all others. Nothing is refitted.

    Parameters
    ----------
    oof : OOFPredictions
        Out-of-fold predictions of every configuration.
    scoring : str, scorer or Metric
        The metric that scores, and that selects where `method` has no rule. It must be given.
    by : array-like of shape (n_samples,) or DataFrame of shape (n_samples, n_variables)
        Group of each sample, in the order of the samples of `oof`; a DataFrame, of polars as
        well, has a variable in each column. Samples without a value are in no group, and noted.
        Cut a measurement into ranges, for example by ``pd.cut(df["age"], [0, 40, 65, 120])``.
    method : BBC, default=None
        For another confidence level, of a group or of all of them at once, number of draws, seed
        or threads, or a rule (`selection`) that selects in every draw, such as
        ``SelectedBy("roc_auc")``. None is ``BBC()``, which selects the best score.

    Returns
    -------
    SubgroupResult
        ``print`` it, or look at its `frame()`.

    Raises
    ------
    ValueError
        If `by` does not have one value for each sample, has two columns of one name, fewer than 2
        groups or more than 20 different numbers or dates, there are no predictions, or a
        parameter is out of range.
    UndefinedIntervalError
        If more than a tenth of the draws select a configuration without a score.

    See Also
    --------
    sklearn_bbc.BBCSearchCV : Has it as a method, `subgroups`, with the rule of the search.

    Notes
    -----
    A group with fewer than 3 samples, of each class where the metric needs classes (AUC, F1,
    ...), stays in the table with NaN; a note names it, and groups with fewer than 20. Draws
    without a score of a group are left out for it and counted (``undefined``); where they are
    more than a tenth, as with 3 to 5 samples of a class, there are no estimate and no limits.

    The difference is that to all other samples whose group is known. Limits are those of
    `corrected_curve`, with groups instead of points, over all variables of a DataFrame together;
    scores and differences have joint limits of their own.

    Time O(n_bootstraps * n_samples * n_configs) for the selection.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import BBC
    >>> from sklearn_bbc.curves import subgroup_scores
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> by = np.where(np.arange(oof.n_samples) % 3 == 0, "one site", "another")
    >>> result = subgroup_scores(oof, "accuracy", by, method=BBC(random_state=0))
    >>> result.frame()[["n", "apparent", "estimate", "difference"]].round(2)
               n  apparent  estimate  difference
    group
    another   40      0.90      0.84        0.04
    one site  20      0.85      0.80       -0.04
    """
    method = draws_by(BBC() if method is None else method, "subgroup_scores", INTERVAL_PARAMETERS)
    return subgroups_of(Question(oof=oof, metric=scoring, rule=method.selection), by, method)


def subgroups_of(question: Question, by: Any, method: BBC) -> SubgroupResult:
    """Score in groups what a question is about, see `subgroup_scores`."""
    check_given(method, question.oof, question.metric)
    contest = contest_for(method, question)
    check_selects_one(contest, "subgroup_scores is about the score")
    groups, masks, notes = _groups_of(by, question.predictions("subgroups"))
    oof, kernel, rule, units = contest.oof, contest.scored, contest.rule, contest.units
    contest.check_scored()
    if (winner := contest.winner) < 0:
        winner = int(rule.on_all()["config"][0])
    own, rest = slice(1, len(groups) + 1), slice(len(groups) + 1, None)
    members, names, n_needed = _classes_of(kernel)
    sizes = np.stack([units.indicator(mask & members).sum(axis=0) for mask in masks])
    fewest = sizes[:, :n_needed].min(axis=1)
    small = fewest < FEWEST
    if needs_spread(kernel.metric):
        small |= np.array([len(np.unique(oof.y_true[mask])) < 2 for mask in masks])
    small[0] = False  # for all samples draws are as those of `BBC`
    parts = masks[:, None] & members[:n_needed]
    indicator = parts.reshape(-1, oof.n_samples).T.astype(np.float32)

    def of_winners(outcome: Outcome, left_out: np.ndarray) -> np.ndarray:
        """Score winners on everything, in groups and in rests, (n_draws, 1 + 2 * n_groups)."""
        scores = [rule.score(outcome, left_out & mask) for mask in masks]
        # Whole numbers, so exact: how many samples of each class a group has left out.
        held = (left_out.astype(np.float32) @ indicator).reshape(len(left_out), len(masks), -1)
        lacks = (held == 0).any(axis=2) | small
        lacks[:, 0] = False
        return np.where(lacks, np.nan, np.stack(scores, axis=1))

    with suppress_fp_warnings():
        apparent = kernel.score_of(masks.astype(np.uint8), np.full(len(masks), winner))
        apparent[small] = np.nan
        repeated = contest.repeated(method, of_winners)
    values = repeated.values
    metric = kernel.metric
    n_undefined = count_undefined(method, values[:, 0], metric)
    lacking = np.isnan(values).mean(axis=0)
    notes += _notes_on_sizes(groups, sizes, small, lacking, n_needed, names, units.kind)
    details = {"n_undefined": n_undefined, **repeated.details(notes=notes)}
    positive = metric.positive_class(oof)
    details |= {"winner": winner, "sign": metric.sign}
    few = fewest < FEW_UNITS
    found = events_that_count(kernel)
    if found is not None:
        n_events = (masks & found[0]).sum(axis=1)
        few |= n_events < FEW_EVENTS
        details["notes"] += _notes_on_events(groups, n_events, small, found[1])
    details["few"] = few[own] | few[rest]
    details |= {} if positive is None else {"positive_class": positive}
    low, high = kernel.metric.bounds
    level = method.confidence_level
    return SubgroupResult(
        groups=tuple(groups),
        sizes=masks[own].sum(axis=1),
        scores={"apparent": apparent[own], **limits_of(values[:, own], level, (low, high))},
        differences={
            "apparent": apparent[own] - apparent[rest],
            **limits_of(values[:, own] - values[:, rest], level, (low - high, high - low)),
        },
        undefined=lacking[own],
        overall=float(np.nanmean(values[:, 0])),
        metric=metric.name,
        confidence_level=level,
        n_bootstraps=method.n_bootstraps,
        details=details,
    )


def _notes_on_events(
    groups: list[tuple[str, Any]], n_events: np.ndarray, small: np.ndarray, until: str
) -> list[str]:
    """Name the groups with few events that a survival metric can use.

    `n_events`, `small` (1 + 2 * n_groups,).
    """
    return [
        f"{' '.join(map(str, group))} has {count(int(n), 'event')}{until}: its score says little "
        f"about events, and its limits can be much too narrow; {FEW_EVENTS} or more are better."
        for group, n, no_score in zip(groups, n_events[1:], small[1:])
        if n < FEW_EVENTS and not no_score
    ]


def _groups_of(
    by: Any, oof: OOFPredictions
) -> tuple[list[tuple[str, Any]], np.ndarray, list[str]]:
    """Find variable and value of each group, masks of everything, groups and rests, and notes.

    Masks have shape (1 + 2 * n_groups, n_samples).
    """
    by, notes = _by_in_order(by, oof)
    columns = _columns_of(by)
    groups, own, rests = [], [], []
    for variable, values in columns.items():
        found = _categories(values, variable)
        levels, codes = found.categories, np.asarray(found.codes)
        is_date = pd.api.types.is_datetime64_any_dtype(levels)
        if (is_date or pd.api.types.is_numeric_dtype(levels)) and len(levels) > MOST_NUMBERS:
            raise ValueError(
                f"by has {len(levels):,} different {'dates' if is_date else 'numbers'} as "
                f"{variable}, which are no groups. "
                "Cut them into ranges, for example pd.cut(age, [0, 40, 65, 120]) or "
                "pd.qcut(age, 3)."
            )
        if len(np.unique(codes[oof.tested & (codes >= 0)])) < 2:
            raise ValueError(
                f"by has fewer than 2 different values as {variable}, so there are no groups to "
                "compare."
            )
        if np.bincount(codes[codes >= 0]).max() < FEWEST:
            raise ValueError(
                f"by has {len(levels):,} different values as {variable}, none of them for "
                f"{FEWEST} samples or more: these name samples and no groups."
            )
        known = oof.tested & (codes >= 0)
        n_missing = int((oof.tested & (codes < 0)).sum())
        if n_missing:
            notes.append(
                f"{count(n_missing, 'sample')} without a value of {variable}: in no group, and in "
                "no rest that a group is compared with."
            )
        for k, level in enumerate(levels.tolist()):
            groups.append((variable, level))
            own.append(codes == k)
            rests.append(known & (codes != k))
    return groups, np.stack([oof.tested, *own, *rests]) & oof.tested, notes


def _by_in_order(by: Any, oof: OOFPredictions) -> tuple[Any, list[str]]:
    """Bring `by` into the order of the samples, and check its size; return notes, too."""
    is_table = hasattr(by, "columns") and hasattr(by, "__len__")  # of pandas, polars and others
    if not is_table and (isinstance(by, (str, bytes, Mapping)) or _n_axes(by) != 1):
        raise ValueError(NOT_VALUES.format(got(by)))
    if len(by) != oof.n_samples:
        raise ValueError(
            f"by has {len(by):,} values, but there are {oof.n_samples:,} samples: give one value "
            "per sample, in the order of the predictions, which is that of X in a search."
        )
    given, notes, _ = in_index_order({"by": by}, oof.n_samples, oof.indexes)
    return given["by"], notes


def _n_axes(values: Any) -> int:
    """Count the axes; lists of different lengths have none that could be counted."""
    try:
        return np.ndim(values)
    except ValueError:
        return 0


def _columns_of(by: Any) -> dict[str, Any]:
    """Find the values of each variable by its name."""
    if not hasattr(by, "columns"):
        name = getattr(by, "name", None)
        return {"group" if name is None else str(name): by}
    if isinstance(by, pd.DataFrame):
        named = [(name, by.iloc[:, k]) for k, name in enumerate(by.columns)]
    else:
        named = [(name, list(by[name])) for name in by.columns]
    columns = {str(name): values for name, values in named}
    if not columns:
        raise ValueError(NOT_VALUES.format("one without columns"))
    if len(columns) < len(named):
        names = [str(name) for name, _ in named]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(
            f"by has {names.count(twice)} columns of the name {twice!r}. Give each variable a "
            "name of its own, for example with by.set_axis([...], axis=1)."
        )
    return columns


def _categories(values: Any, variable: str) -> pd.Categorical:
    """Find the different values of a variable, and which of them each sample has."""
    if isinstance(values, np.ma.MaskedArray):
        mask, values = np.ma.getmaskarray(values), values.data.astype(object)
        values[mask] = None
    try:
        return pd.Categorical(values)
    except (TypeError, ValueError) as error:  # lists, for example, cannot be compared
        raise ValueError(
            f"by must hold labels such as text or numbers as {variable}, got {got(values)} "
            f"({error})."
        ) from error


def _classes_of(kernel: BoundMetric) -> tuple[np.ndarray, list[str], int]:
    """Mark sets of samples, those needed in each group first; return names and number needed."""
    oof = kernel.oof
    found = class_members(kernel)
    pairs = [] if found is None else list(zip(*found))
    if kernel.strata is not None:
        pairs += zip(kernel.strata, kernel.strata_names)
    pairs = pairs or [(oof.tested, "")]
    n_needed = len(pairs)
    if oof.classes_ is not None and oof.y_true.ndim == 1:
        pairs += [(oof.y_true == label, f"class {label}") for label in oof.classes_.tolist()]
    members, names = zip(*pairs)
    return np.stack(members) & oof.tested, list(names), n_needed


def _notes_on_sizes(
    groups: list[tuple[str, Any]],
    sizes: np.ndarray,
    small: np.ndarray,
    lacking: np.ndarray,
    n_needed: int,
    names: list[str],
    unit: str,
) -> list[str]:
    """Name the groups without a score or a difference, with few samples, and without a class.

    `sizes` (1 + 2 * n_groups, n_classes), `small` and the share of draws without a score
    `lacking` (1 + 2 * n_groups,).
    """
    notes, often = [], too_often_undefined(lacking)
    for k, group in enumerate(groups, start=1):
        name, rarest = " ".join(map(str, group)), int(sizes[k, :n_needed].argmin())
        held = count(int(sizes[k, rarest]), unit) + f" of {names[rarest]}" * bool(names[rarest])
        if small[k]:
            notes.append(
                f"{name} has {held}, and no score: at least {FEWEST} are needed, with different "
                "targets."
            )
            continue
        if often[k]:
            notes.append(
                f"{name} has {held}, and a score in only {1 - lacking[k]:.1%} of the draws: below "
                f"{percent(1 - MAX_UNDEFINED)} there are no estimate and no limits."
            )
        elif sizes[k, rarest] < FEW_UNITS:
            notes.append(
                f"{name} has {held}: errors that did not occur among so few are in no draw, so "
                f"its limits can be much too narrow; {FEW_UNITS} or more are better."
            )
        if often[k + len(groups)]:
            notes.append(f"{name} has no difference: the other samples are too few.")
        notes += [
            f"{name} has no {unit} of {names[other]}, so its score is not about that class."
            for other in np.flatnonzero(sizes[k] == 0)
        ]
    return notes
