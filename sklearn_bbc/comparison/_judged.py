"""Scores of a judge, corrected by scores of people on some of the items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t as student

from .._notes import warned
from ..predictions._predictions import OOFPredictions, with_fields
from ..predictions._scores import ScoreTable, check_missing, settle_missing, table_of_scores
from ._people import read_people, scores_of_people, with_people

FEWEST_OF_PEOPLE = 10
"""Items that people must have scored for each system."""
FEW_LABELS = 30
"""Below, there is a warning: rare errors of the judge are not among so few."""
UNSEEN = 2
"""Errors of the judge, 0 for 1 or 1 for 0, that labels may have missed: as many are added where
limits of Wilson's form are computed, for a judge that is right on all labels may err elsewhere."""
OTHER_ITEMS = 3.5
"""Standard errors between items with and without scores of people from which on a note says it."""
OTHER_SPAN = 1.5
"""Times that the judge's scores reach farther than those of people, or less far."""
MOST_UNLABELLED_NAMED = 3
ROUNDING = 1e-12
BY_CHANCE = 0.001
"""Of judges that tell nothing, the part that is used nevertheless."""
USELESS = (
    "The judge does not clearly tell more of what people think than chance would, on average over "
    "systems: only the scores of people count."
)


@dataclass(frozen=True, eq=False)
class PseudoScores:
    """Values per item whose means are those of PPI++, and how they came about.

    Means of items with and without a score of a person are taken out of `values` and that of all
    is put in. So plain draws of items, or of groups of them, have the variance that draws within
    both have: ``lam**2 var(f) / (N - n) + var(Y - lam f) / n``, lam being that of means over the
    items without.
    """

    values: np.ndarray  # (n_items, n_systems)
    lam: np.ndarray  # (n_systems,), of means over all items
    n_labels: np.ndarray  # (n_systems,)
    variance: np.ndarray  # (n_systems,), of the scores of people
    explained: np.ndarray  # (n_systems,), the part of it that the judge tells
    n_effective: np.ndarray  # (n_systems,), labels that would say as much without the judge


def pseudo_scores(
    judge: np.ndarray,
    human: np.ndarray,
    sample_weight: np.ndarray | None = None,
    label_weights: np.ndarray | None = None,
    *,
    limited: bool = True,
) -> PseudoScores:
    """Compute them from (n_items, n_systems) each, NaN in `human` where no person looked.

    `limited` keeps lam, as PPI++ does, between nothing and the whole difference of the judge's
    means; a judge on another scale may need more.
    """
    judge, human = np.ascontiguousarray(judge), np.ascontiguousarray(human)
    n_items = len(judge)
    has_label = ~np.isnan(human)
    weight = (
        np.ones((n_items, 1)) if sample_weight is None else sample_weight[:, None].astype(float)
    )
    times = 1.0 if label_weights is None else label_weights[:, None]
    labelled = weight * times * has_label
    others = weight * ~has_label
    total = weight.sum()

    def mean(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
        size = weights.sum(axis=0)
        means: np.ndarray = (weights * values).sum(axis=0) / np.where(size > 0, size, 1)
        return means

    people = np.where(has_label, human, 0.0)
    of_people, of_judge = mean(labelled, people), mean(labelled, judge)
    apart = judge - of_judge
    both = mean(labelled, (people - of_people) * apart)
    variance = mean(labelled, (people - of_people) ** 2)
    alike = variance * mean(labelled, apart**2)
    # What rounding leaves of a covariance of zero differs from machine to machine.
    told = (both > ROUNDING * np.sqrt(alike)) & (
        variance > (ROUNDING * np.abs(people).max(0)) ** 2
    )
    both = np.where(told, both, 0.0)
    middle = mean(weight, judge)
    spread = mean(weight, (judge - middle) ** 2) * n_items / (n_items - 1)
    varies = spread > (ROUNDING * np.abs(judge).max(axis=0)) ** 2
    lam = np.where(varies, both / np.where(varies, spread, 1.0), 0.0)
    share = others.sum(axis=0) / total
    if limited:
        lam = np.where(share > 0, np.minimum(lam, 1 / np.where(share > 0, share, 1.0)), lam)
    rest = people - lam * judge
    of_rest = mean(labelled, rest)
    centre = np.broadcast_to(middle, judge.shape)
    if label_weights is None:  # labelled items are a random part of all
        centre = np.where(has_label, mean(weight * has_label, judge), mean(others, judge))
    times = np.where(has_label, times * total / labelled.sum(axis=0), 0.0)
    values = lam * middle + of_rest + lam * (judge - centre) + times * (rest - of_rest)
    values = np.where(share > 0, values, people)
    explained = np.maximum(variance - mean(labelled, (rest - of_rest) ** 2), 0.0)
    n_labels = labelled.sum(axis=0) ** 2 / (labelled**2).sum(axis=0)
    told = explained * n_labels / (variance * n_labels + UNSEEN)
    size = total**2 / (weight**2).sum()
    n_effective = 1 / ((1 - told) / n_labels + told / np.maximum(size, n_labels))
    return PseudoScores(values, lam, has_label.sum(axis=0), variance, explained, n_effective)


def tells_beyond_chance(
    judge: np.ndarray,
    human: np.ndarray,
    sample_weight: np.ndarray | None = None,
    label_weights: np.ndarray | None = None,
    groups: np.ndarray | None = None,
) -> bool:
    """Test whether judge and people agree, on average over systems, more than by chance.

    It is a one-sided t test of the mean correlation, at the level `BY_CHANCE`. Its terms are
    those of items, or of groups of them, each over all systems: so it matters not how systems
    depend on each other.
    """
    has_label = ~np.isnan(human)
    weight = has_label * (1.0 if sample_weight is None else sample_weight[:, None].astype(float))
    weight *= 1.0 if label_weights is None else label_weights[:, None]
    weight /= weight.sum(axis=0)
    terms = weight.copy()
    for values in (judge, np.where(has_label, human, 0.0)):
        apart = values - (weight * values).sum(axis=0)
        spread = np.sqrt((weight * apart**2).sum(axis=0))
        varies = spread > ROUNDING * np.abs(values).max(axis=0)
        terms *= np.where(varies, apart / np.where(varies, spread, 1.0), 0.0)
    units = np.arange(len(judge)) if groups is None else pd.factorize(np.asarray(groups))[0]
    of_unit = np.bincount(units, terms.mean(axis=1))
    of_unit = of_unit[np.bincount(units, has_label.any(axis=1)) > 0]
    n_units, correlation = len(of_unit), float(of_unit.sum())
    error = np.sqrt(n_units * of_unit.var(ddof=1))
    return bool(correlation > float(student.isf(BY_CHANCE, n_units - 1)) * error + 1e-9)


def scores_of_judge(
    scores: Any,
    human: Any,
    *,
    label_weights: Any,
    names: Sequence[Any] | None,
    greater_is_better: bool,
    missing: str,
    **columns: Any,
) -> tuple[OOFPredictions, dict[str, Any]]:
    """Make predictions of pseudo-scores, and what a result says of the judge."""
    if isinstance(scores, OOFPredictions):
        raise ValueError(
            "human needs the table of the judge's scores, not predictions that were made of it. "
            "Pass the table."
        )
    check_missing(missing, greater_is_better=greater_is_better)
    columns["label_weights"] = label_weights
    human = read_people(human, scores, columns)
    if columns["system"] is not None and not isinstance(human, str):
        scores, human = with_people(scores, human, columns)
    table = table_of_scores(scores, **columns)
    original = table.names
    if names is not None:
        table.names = table_of_scores(scores, names=names, **columns).names
    table.values = table.values.astype(float)
    table.human = scores_of_people(table, scores, human, original, columns)
    without = np.isnan(table.human).all(axis=0)
    notes = [] if without.all() else _without_labels(table, without)
    n_missing = settle_missing(table, missing)
    if table.sample_weight is not None:  # a score without weight says nothing
        table.human[np.asarray(table.sample_weight) == 0] = np.nan
    weights = _checked_label_weights(table)
    n_units = _check_labels(table)
    is_other, note = _other_scale(table)
    exponent = int(np.frexp(np.abs(table.values).max())[1]) if is_other else 0
    table.values = np.ldexp(table.values, -exponent)  # so that no square is too large or small
    notes += _notes_on_labels(table, n_units, weights)
    given = table.human, table.sample_weight, weights
    found = pseudo_scores(table.values, *given, limited=not is_other)
    has_label, n_items = ~np.isnan(table.human), len(table.values)
    is_used = bool(has_label.all()) or tells_beyond_chance(table.values, *given, table.groups)
    values, by_people_alone = found.values, False
    if is_used:
        notes += note + _useless(table.names, found)
    else:
        notes.append(USELESS)
        found = pseudo_scores(np.zeros_like(table.values), *given)
        by_people_alone = weights is None and bool((has_label == has_label[:, :1]).all())
        values = found.values
    if by_people_alone:  # what best_of does without the judge
        rows = has_label[:, 0]
        values = table.human[rows]
        for name in ("groups", "sample_weight"):
            of_item = getattr(table, name)
            setattr(table, name, None if of_item is None else np.asarray(of_item)[rows])
    oof = OOFPredictions.from_scores(
        values, names=table.names, groups=table.groups, sample_weight=table.sample_weight,
        greater_is_better=greater_is_better,
    )  # fmt: skip
    all_notes = dict.fromkeys([*table.notes, *notes, *oof.notes])
    fields: dict[str, Any] = {
        "notes": tuple(all_notes), "n_missing": n_missing, "missing": missing,
    }  # fmt: skip
    if not (by_people_alone or has_label.all()):
        fields["n_labelled_units"] = n_units
        if np.isin(table.human[has_label], (0, 1)).all():
            fields["n_effective"] = found.n_effective
    oof = with_fields(oof, **fields)
    return oof, {
        "is_used": is_used,
        "n_items": n_items,
        "n_labelled": int(has_label.any(axis=1).sum()),
        "n_labels": dict(zip(table.names, found.n_labels.tolist())),
        "lam": dict(zip(table.names, np.ldexp(found.lam, -exponent).tolist())),
        "variance": dict(zip(table.names, found.variance.tolist())),
        "explained": dict(zip(table.names, found.explained.tolist())),
        "n_labelled_units": n_units,
    }


# --- checks ------------------------------------------------------------------------------------


def _without_labels(table: ScoreTable, without: np.ndarray) -> list[str]:
    """Leave out systems that no person scored, with a note."""
    if not without.any():
        return []
    named = _named_first([table.names[k] for k in np.flatnonzero(without)])
    table.names = [name for name, lacks in zip(table.names, without) if not lacks]
    table.human = table.human[:, ~without]
    for name in ("values", "n_runs", "due"):
        values = getattr(table, name)
        setattr(table, name, None if values is None else np.asarray(values)[:, ~without])
    return [
        warned(
            f"No person scored {named}: left out, since only the judge speaks for "
            f"{'it' if without.sum() == 1 else 'them'}."
        )
    ]


def _named_first(names: list[str]) -> str:
    more = (
        f" and {len(names) - MOST_UNLABELLED_NAMED:,} more"
        if len(names) > MOST_UNLABELLED_NAMED
        else ""
    )
    return ", ".join(map(repr, names[:MOST_UNLABELLED_NAMED])) + more


def _checked_label_weights(table: ScoreTable) -> np.ndarray | None:
    """Check one over the probabilities with which people were asked; 1 where nobody looked."""
    if table.label_weights is None:
        return None
    weights = np.asarray(table.label_weights, dtype=float)
    has_label = ~np.isnan(table.human).all(axis=1)
    wrong = weights[has_label & ~(np.isfinite(weights) & (weights >= 1 - 1e-9))]
    if len(wrong):
        raise ValueError(
            "label_weights are one over the probability with which an item was chosen for people, "
            f"so at least 1, got {wrong[0]:g} for an item that people scored. Of probabilities "
            "pass 1 / probability."
        )
    return None if (weights == weights[0]).all() else np.where(has_label, weights, 1.0)


def _check_labels(table: ScoreTable) -> int:
    """Refuse systems with hardly any score of a person; count units that people scored."""
    has_label = ~np.isnan(table.human)
    n_labels = has_label.sum(axis=0)
    few = np.flatnonzero(n_labels < min(FEWEST_OF_PEOPLE, len(table.values)))
    if len(few):
        listed = ", ".join(
            f"{table.names[k]!r} {n_labels[k]}" for k in few[:MOST_UNLABELLED_NAMED]
        )
        listed += (
            f" and {len(few) - MOST_UNLABELLED_NAMED:,} more"
            if len(few) > MOST_UNLABELLED_NAMED
            else ""
        )
        raise ValueError(
            f"human has scores of too few items: {listed}. At least {FEWEST_OF_PEOPLE} are needed "
            "for each system to see how the judge errs, and some 100 to correct it well. Leave "
            "these systems out, or let people score more items."
        )
    if table.groups is None:
        return int(n_labels.min())
    groups = pd.factorize(np.asarray(table.groups))[0]
    fewest = min(len(np.unique(groups[one])) for one in has_label.T)
    if fewest < 2:
        raise ValueError(
            "People scored items of one group only, so nothing shows how the judge's errors vary "
            "from group to group. Let people score items of more groups."
        )
    return fewest


def _notes_on_labels(table: ScoreTable, n_units: int, weights: np.ndarray | None) -> list[str]:
    has_label = ~np.isnan(table.human)
    if has_label.all():
        return []
    notes = []
    if n_units < FEW_LABELS:
        of = "items" if table.groups is None else "groups of items"
        notes.append(
            warned(
                f"People scored only {n_units} {of} of a system: errors of the judge that are "
                "rare may not be among them, so intervals can miss more often than they promise. "
                f"{FEW_LABELS} or more are better."
            )
        )
    if weights is not None:
        labelled = weights[has_label.any(axis=1)]
        n_effective = labelled.sum() ** 2 / (labelled**2).sum()
        if n_effective < FEW_LABELS <= len(labelled):
            notes.append(
                warned(
                    f"label_weights differ so much that scores of people on {len(labelled):,} "
                    f"items count as those on {n_effective:.0f} chosen with the same probability: "
                    "intervals can miss more often than they promise. Give no item a very small "
                    "probability."
                )
            )
    patterns = np.unique(has_label, axis=1)
    if patterns.shape[1] > 1:
        shared = patterns.T.astype(float) @ patterns
        text = (
            "People did not score the same items of all systems: differences of systems are seen "
            "better if they do."
        )
        if not shared.all():
            text = (
                "Some systems have no item in common that people scored, so their difference "
                "holds the noise of two sets of items: it is valid, but wide. Let people score "
                "the same items of all systems."
            )
            warned(text)
        notes.append(text)
    if weights is None:
        notes += _note_if_chosen(table, has_label)
    return notes


def _note_if_chosen(table: ScoreTable, has_label: np.ndarray) -> list[str]:
    """Note where items that people scored do not look like a random part."""
    any_label = has_label.any(axis=1)
    of_item = table.values.mean(axis=1)
    of_item = of_item / max(np.abs(of_item).max(), np.finfo(float).tiny)
    if table.groups is not None:  # by means of groups
        groups = pd.factorize(np.asarray(table.groups))[0]
        frame = pd.DataFrame({"group": groups, "label": any_label, "value": of_item})
        means = frame.groupby(["group", "label"])["value"].mean()
        any_label = means.index.get_level_values("label").to_numpy(bool)
        of_item = means.to_numpy()
    one, other = of_item[any_label], of_item[~any_label]
    if min(len(one), len(other)) < 2:
        return []
    error = np.sqrt(one.var(ddof=1) / len(one) + other.var(ddof=1) / len(other))
    apart = abs(one.mean() - other.mean())
    if not apart > OTHER_ITEMS * max(error, 1e-12 * np.abs(of_item).max()):
        return []
    return [
        warned(
            "The judge scores the items that people looked at otherwise than the rest, by more "
            f"than {OTHER_ITEMS} standard errors: they do not look like drawn at random. If they "
            "were chosen, for example where the judge was unsure, the corrected score is wrong; "
            "with known probabilities pass label_weights=1 / probability."
        )
    ]


def _other_scale(table: ScoreTable) -> tuple[bool, list[str]]:
    """Check whether the judge's scores reach as far as those of people."""
    there = table.human[~np.isnan(table.human)]
    one, other = (table.values.min(), table.values.max()), (there.min(), there.max())
    spans = one[1] - one[0], other[1] - other[0]
    tolerance = 1e-9 * max(map(abs, (*one, *other)))
    if any(span <= 1e-9 * max(map(abs, ends)) for span, ends in zip(spans, (one, other))):
        return False, []
    ratio, apart = max(spans) / min(spans), max(one[0] - other[1], other[0] - one[1])
    if ratio <= OTHER_SPAN and apart <= tolerance:
        return False, []
    text = (
        f"The judge's scores run from {one[0]:g} to {one[1]:g}, those of people from "
        f"{other[0]:g} to {other[1]:g}. The result is on the scale of people; if both should have "
        "the same one, check the columns."
    )
    return True, [text]


def _useless(names: list[str], found: PseudoScores) -> list[str]:
    """Note systems about which the judge tells nothing."""
    useless = [name for name, lam in zip(names, found.lam) if lam == 0]
    if not useless:
        return []
    return [
        f"The judge tells nothing of what people think of {_named_first(useless)}: there only the "
        "scores of people count."
    ]
