"""Several scores of the selected configuration with joint limits: in subgroups, by metrics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .._text import count
from .._utils import got, suppress_fp_warnings
from ..curves._base import limits_of
from ..intervals._base import FEW_UNITS
from ..intervals._bbc import BBC, check_scored, rule_details, scores_of_draws
from ..intervals._notes import winner_of
from ..metrics._base import class_members, needs_spread
from ..metrics._bound import BoundKernel
from ..metrics._metric import Metric
from ..predictions._predictions import OOFPredictions
from ..resampling import Units
from ..results._curves import SubgroupResult
from ..selection._base import Outcome, as_selection
from ._estimate import SearchState, requested_methods

FEWEST = 3
"""Fewer samples, of each class that a metric needs, are no group that can be scored."""
MOST_NUMBERS = 20
"""More different numbers are a measurement and no groups."""
NOT_VALUES = (
    "by must have one value per sample, in the order of X, such as df['sex'], or be a DataFrame "
    "with a column for each variable, got {}."
)


def subgroup_scores(oof: OOFPredictions, metric: Metric, by: Any, method: BBC) -> SubgroupResult:
    """Score what is selected in every draw on the samples left out, in each group and its rest."""
    method._check_given(oof, metric)
    groups, masks, notes = _groups_of(by, oof)
    kernel = method._bound(oof, metric)
    rule = as_selection(method.selection).bind(oof, kernel)
    winner = winner_of(oof, rule)
    check_scored(oof, kernel, winner)
    if winner < 0:
        winner = int(rule.on_all()["config"][0])
    units, own, rest = Units.of(oof), slice(1, len(groups) + 1), slice(len(groups) + 1, None)
    members, names, n_needed = _classes_of(oof, kernel)
    sizes = np.stack([units.indicator(mask & members).sum(axis=0) for mask in masks])
    fewest = sizes[:, :n_needed].min(axis=1)
    small = fewest < FEWEST
    if needs_spread(kernel.metric):
        small |= np.array([len(np.unique(oof.y_true[mask])) < 2 for mask in masks])
    small[0] = False  # for all samples draws are as those of `BBC`
    parts = masks[:, None] & members[:n_needed]
    indicator = parts.reshape(-1, oof.n_samples).T.astype(np.float32)

    def of_winners(outcome: Outcome, left_out: np.ndarray) -> np.ndarray:
        """Scores on everything, in the groups and in the rests, (n_draws, 1 + 2 * n_groups)."""
        scores = [rule.score(outcome, left_out & mask) for mask in masks]
        # Whole numbers, so exact: how many samples of each class a group has left out.
        held = (left_out.astype(np.float32) @ indicator).reshape(len(left_out), len(masks), -1)
        lacks = (held == 0).any(axis=2) | small
        lacks[:, 0] = False
        return np.where(lacks, np.nan, np.stack(scores, axis=1))

    with suppress_fp_warnings():
        apparent = kernel.score_of(masks.astype(np.uint8), np.full(len(masks), winner))
        apparent[small] = np.nan
        draws = method._draws(oof, kernel, rule.selecting)
        values, outcome = scores_of_draws(rule, draws, of_winners)
    details = rule_details(oof, kernel, rule, outcome)
    details["notes"] += notes
    details["notes"] += _notes_on_sizes(groups, sizes, small, n_needed, names, units.kind)
    details |= method._draw_details(oof, kernel, draws, details["notes"], rule.selecting)
    positive = metric.positive_class(oof)
    details |= {"seed": draws.entropy, "winner": winner, "sign": metric.sign}
    few = fewest < FEW_UNITS
    details["few"] = few[own] | few[rest]
    details |= {} if positive is None else {"positive_class": positive}
    low, high = metric.bounds
    level = method.confidence_level
    return SubgroupResult(
        groups=tuple(groups),
        sizes=masks[own].sum(axis=1),
        scores={"apparent": apparent[own], **limits_of(values[:, own], level, (low, high))},
        differences={
            "apparent": apparent[own] - apparent[rest],
            **limits_of(values[:, own] - values[:, rest], level, (low - high, high - low)),
        },
        undefined=np.isnan(values[:, own]).mean(axis=0),
        overall=float(np.nanmean(values[:, 0])),
        metric=metric.name,
        confidence_level=level,
        n_bootstraps=method.n_bootstraps,
        details=details,
    )


def with_joint_limits(frame: pd.DataFrame, search: Any, state: SearchState) -> pd.DataFrame:
    """Add limits for all metrics at once, from draws that they share, to the rows of BBC."""
    methods = [each for each in requested_methods(search) if each.name == "bbc"]
    results = {
        name: by_method["bbc"]
        for name, by_method in search.ci_results_.items()
        if "bbc" in by_method and "error" not in by_method["bbc"].details
    }
    plain = {"selection": None, "alternative": "two-sided"}
    if not (results and methods and plain.items() <= methods[0].get_params().items()):
        raise ValueError(
            "joint=True needs a two-sided interval of BBC, without a rule of its own, for some "
            "metric of the search. Fit it with ci='bbc' among its methods."
        )
    method = state.seeded(methods[0])
    rules = []
    for name in results:
        metric = state.metrics[name]
        oof = state.predictions_for(metric, "intervals_frame(joint=True)")
        rules.append(as_selection(state.selection(metric)).bind(oof, method._bound(oof, metric)))

    def scores(counts: np.ndarray) -> np.ndarray:
        found, outcome, left_out = [], None, counts == 0
        for rule in rules:
            if outcome is None or state.selects_nothing:  # else each would choose the same
                outcome = rule.choose(counts)
            found.append(rule.score(outcome, left_out))
        return np.stack(found, axis=1)

    kernels = [rules[0].selecting, *(rule.kernel for rule in rules)]
    with suppress_fp_warnings():
        values = method._draws(oof, rules[0].kernel, *kernels).map(scores)
    limits = limits_of(values, method.confidence_level, (-np.inf, np.inf))
    low, high = np.full((2, len(frame)), np.nan)
    for k, name in enumerate(results):
        rows = (frame["metric"] == name) & (frame["method"] == "bbc")
        ends = np.clip(
            (limits["low_joint"][k], limits["high_joint"][k]), *state.metrics[name].bounds
        )
        low[rows] = min(ends[0], results[name].low)
        high[rows] = max(ends[1], results[name].high)
    return frame.assign(low_joint=low, high_joint=high)


def _groups_of(
    by: Any, oof: OOFPredictions
) -> tuple[list[tuple[str, Any]], np.ndarray, list[str]]:
    """Variable and value of each group, masks of everything, groups and rests, and notes.

    Masks have shape (1 + 2 * n_groups, n_samples).
    """
    if isinstance(by, pd.DataFrame):
        columns = {str(name): by.iloc[:, k] for k, name in enumerate(by.columns)}
    else:
        if isinstance(by, (str, bytes)) or np.ndim(by) != 1:
            raise ValueError(NOT_VALUES.format(got(by)))
        name = getattr(by, "name", None)
        columns = {"group" if name is None else str(name): by}
    if not columns:
        raise ValueError(NOT_VALUES.format("one without columns"))
    if len(by) != oof.n_samples:
        raise ValueError(
            f"by has {len(by):,} values, but the search was fitted on {oof.n_samples:,} samples: "
            "give one value per sample, in the order of X."
        )
    groups, own, rests, notes = [], [], [], []
    for variable, values in columns.items():
        found = pd.Categorical(values)
        levels, codes = found.categories, np.asarray(found.codes)
        if pd.api.types.is_numeric_dtype(levels) and len(levels) > MOST_NUMBERS:
            raise ValueError(
                f"by has {len(levels):,} different numbers as {variable}, which are no groups. "
                "Cut them into ranges, for example pd.cut(age, [0, 40, 65, 120]) or "
                "pd.qcut(age, 3)."
            )
        if len(np.unique(codes[oof.tested & (codes >= 0)])) < 2:
            raise ValueError(
                f"by has fewer than 2 different values as {variable}, so there are no groups to "
                "compare."
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


def _classes_of(oof: OOFPredictions, kernel: BoundKernel) -> tuple[np.ndarray, list[str], int]:
    """Samples of which groups need some, those of each class, their names, and how many need."""
    found = class_members(kernel.metric, oof)
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
    n_needed: int,
    names: list[str],
    unit: str,
) -> list[str]:
    """Name the groups without a score or a difference, with few samples, and without a class.

    `sizes` (1 + 2 * n_groups, n_classes), `small` (1 + 2 * n_groups,).
    """
    notes = []
    for k, group in enumerate(groups, start=1):
        name, rarest = " ".join(map(str, group)), int(sizes[k, :n_needed].argmin())
        held = count(int(sizes[k, rarest]), unit) + f" of {names[rarest]}" * bool(names[rarest])
        if small[k]:
            notes.append(
                f"{name} has {held}, and no score: at least {FEWEST} are needed, with different "
                "targets."
            )
            continue
        if sizes[k, rarest] < FEW_UNITS:
            notes.append(
                f"{name} has {held}: errors that did not occur among so few are in no draw, so "
                f"its limits can be much too narrow; {FEW_UNITS} or more are better."
            )
        if small[k + len(groups)]:
            notes.append(f"{name} has no difference: the other samples are too few.")
        notes += [
            f"{name} has no {unit} of {names[other]}, so its score is not about that class."
            for other in np.flatnonzero(sizes[k] == 0)
        ]
    return notes
