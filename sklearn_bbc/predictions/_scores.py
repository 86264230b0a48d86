"""Tables of scores per item, wide, long or with runs, as arguments of `OOFPredictions`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd

from .._parameters import OneOf
from .._text import count
from .._utils import check_flag, did_you_mean, got, one_per_sample
from .._warnings import warn_user
from ..exceptions import IntervalWarning
from ._validation import aligned, has_labels_of, names_of_columns

MISSING = ("raise", "drop_items")
MOST_NAMED = 3
"""Systems that a message names."""
FEWEST_ITEMS = 3
FEW_ITEMS = 10
"""Below, there is a warning: tails of so few values are not seen."""
FEW_GROUPS = 20
SEPARATOR = " / "
"""Between the parts of the name of a system that several columns make up."""


OF_LONG = (
    "; for a long table, a row for each score, name its columns: item=..., system=..., score=..."
)


@dataclass
class Table:
    """Scores of all systems on all items, and what belongs to the items."""

    values: np.ndarray  # (n_items, n_systems), NaN where a system was not run
    names: list[str]
    groups: Any = None  # (n_items,) or None
    sample_weight: Any = None  # (n_items,) or None
    notes: list[str] = field(default_factory=list)


def arguments_of_scores(
    scores: Any,
    *,
    names: Sequence[Any] | None,
    groups: Any,
    sample_weight: Any,
    greater_is_better: bool,
    item: Any,
    system: Any,
    score: Any,
    run: Any,
    missing: str,
) -> dict[str, Any]:
    """Make the arguments of `OOFPredictions` from a table of scores; see `from_scores`."""
    check_flag("greater_is_better", greater_is_better)
    hint = "'drop_items' compares on the items that every system has."
    OneOf(MISSING, hint=hint).check("missing", missing)
    frame = _as_frame(scores)
    if system is None:
        table = _wide(scores, frame, item, groups, sample_weight, score, run)
    else:
        table = _long(frame, item, system, score, run, groups, sample_weight)
    if names is not None:
        table.names = _given_names(names, table.values.shape[1])
    table.names = [str(name) for name in table.names]
    _check_distinct(table.names)
    _check_finite(table)
    _settle_missing(table, missing)
    _check_size(table)
    table.notes += _notes(table, whole_table=system is None)
    return {
        "y_true": np.zeros(len(table.values)),
        "responses": {"plain": table.values.T},
        "classes": None,
        "params": [{"configuration": name} for name in table.names],
        "groups": table.groups,
        "sample_weight": table.sample_weight,
        "notes": table.notes,
        "score_sign": 1 if greater_is_better else -1,
    }


def check_values(what: str, values: np.ndarray) -> None:
    """Refuse what is no score of each sample, (n_samples,), where there is no target."""
    if values.ndim != 1:
        raise ValueError(
            f"Without y_true {what} must have one score or loss per sample, got {got(values)}. "
            "For the best of several columns use best_of(scores); of runs take the mean."
        )
    if values.dtype.kind not in "biuf":
        raise ValueError(
            f"Without y_true {what} must hold numbers, the score or loss of each sample, got "
            f"{values[:1].tolist()[0]!r}. For predictions of classes pass y_true and a metric."
        )
    if not np.isfinite(values).all():
        raise ValueError(
            f"{what} holds {count(int((~np.isfinite(values)).sum()), 'value')} that "
            "cannot be averaged (NaN or infinite). Leave these samples out."
        )


# --- reading -----------------------------------------------------------------------------------


def _as_frame(scores: Any) -> pd.DataFrame | None:
    """Return a DataFrame of pandas for a table of pandas or polars, None for arrays."""
    if isinstance(scores, pd.DataFrame):
        return scores
    if isinstance(scores, pd.Series):
        return scores.to_frame()
    if (names := names_of_columns(scores, "scores")) is None:
        return None
    # Column by column: pandas' own way needs pyarrow.
    return pd.DataFrame({name: scores[name].to_numpy() for name in names})


def _column(frame: pd.DataFrame, name: Any, what: str) -> pd.Series:
    if name not in frame.columns:
        known = ", ".join(map(repr, frame.columns[:8])) + ", ..." * (frame.shape[1] > 8)
        parts = [part.strip() for part in str(name).split(",")]
        if what == "system" and len(parts) > 1 and set(parts) <= set(frame.columns):
            more = f" Name several in a list: system={parts!r}."
        else:
            more = did_you_mean(name, [str(each) for each in frame.columns])
        raise ValueError(f"{what}={name!r} is not a column of the table, which has {known}.{more}")
    column = frame[name]
    if isinstance(column, pd.DataFrame):
        raise ValueError(f"{what}={name!r}: the table has {column.shape[1]} columns of that name.")
    return column


def _per_item(frame: pd.DataFrame | None, given: Any, what: str, n_items: int) -> Any:
    """Return one value per item: a column that is named, or what was given."""
    if given is None:
        return None
    if isinstance(given, str):
        if frame is None:
            raise ValueError(
                f"{what}={given!r} names a column, but the scores are an array. Give an array of "
                "one value per item, or a DataFrame of scores with that column."
            )
        column = _column(frame, given, what)
        return column.to_numpy()
    values = one_per_sample(given) if what == "groups" else np.asarray(given)
    if what != "groups" and (values.ndim != 1 or values.dtype.kind not in "biuf"):
        raise ValueError(f"{what} must be one number per item, got {got(given)}.")
    if len(values) != n_items:
        raise ValueError(
            f"{what} has {len(values)} entries for {count(n_items, 'item')}: one per item is "
            "needed."
        )
    return np.asarray(values)


def _wide(
    scores: Any,
    frame: pd.DataFrame | None,
    item: Any,
    groups: Any,
    sample_weight: Any,
    score: Any,
    run: Any,
) -> Table:
    """Read a table with a row for each item and a column for each system."""
    for name, given in (("score", score), ("run", run)):
        if given is not None:
            raise ValueError(
                f"{name}={given!r} belongs to a long table, a row for each score. Name the column "
                "that holds the system with system=..., too."
            )
    if frame is None:
        if item is not None:
            raise ValueError(
                f"item={item!r} names a column, but the scores are an array, whose rows are items."
            )
        values = _numbers(_array(scores), more=OF_LONG)
        names = [f"system {k}" for k in range(values.shape[1])]
    else:
        _check_distinct([str(name) for name in frame.columns], "columns")
        named = [("item", item), ("groups", groups), ("sample_weight", sample_weight)]
        aside = [given for _, given in named if isinstance(given, str)]
        if item is not None:
            _check_items(_column(frame, item, "item"))
        for what, given in named:
            if isinstance(given, str):
                _column(frame, given, what)
        body = frame.drop(columns=aside)
        if not body.shape[1]:
            raise ValueError("scores has no column of a system left, only those of items.")
        _check_numeric(body)
        values = _numbers(_of_frame(body), more=OF_LONG)
        names = [_joined(name) for name in body.columns]
    n_items = len(values)
    table = Table(values, names)
    for what, given in (("groups", groups), ("sample_weight", sample_weight)):
        found, notes = _in_order(scores, item, what, given, n_items)
        setattr(table, what, _per_item(frame, found, what, n_items))
        table.notes += notes
    if values.ndim == 3:
        table.values, notes = _mean_of_runs(values)
        table.notes += notes
    return table


def _joined(name: Any) -> str:
    """Write the name of a system; of several levels of columns, all parts."""
    return SEPARATOR.join(map(str, name)) if isinstance(name, tuple) else str(name)


def _in_order(
    scores: Any, item: Any, what: str, given: Any, n_items: int
) -> tuple[Any, list[str]]:
    """Bring values per item into the order of the table, by its index or its items."""
    labelled = isinstance(scores, pd.DataFrame) and isinstance(given, (pd.Series, pd.DataFrame))
    if item is not None and labelled and not has_labels_of(given.index, scores.index):
        scores = scores.set_index(item)
    found, notes, _ = aligned({"scores": scores, what: given}, n_items)
    return found[what], notes


def _of_frame(body: pd.DataFrame) -> np.ndarray:
    """Return the numbers of a frame, or its texts; pandas' own missing values become NaN."""
    own = [each for each in body.dtypes if pd.api.types.is_extension_array_dtype(each)]
    if own and all(map(pd.api.types.is_numeric_dtype, body.dtypes)):
        return body.to_numpy(dtype=float, na_value=np.nan)
    return body.to_numpy(dtype=object) if own else body.to_numpy()


def _array(scores: Any) -> np.ndarray:
    if isinstance(scores, np.ma.MaskedArray):
        return np.ma.filled(scores.astype(float), np.nan)
    try:
        array = np.asarray(scores)
    except ValueError as error:  # lists of different lengths
        raise ValueError(f"scores must be a table, a row for each item: {error}") from error
    if array.ndim not in (2, 3) or not array.size:
        more = " One system alone has nothing to be compared with." * (array.ndim == 1)
        if isinstance(scores, (str, PurePath)):
            more = " Read the file first, for example with pandas.read_csv."
        elif isinstance(array.flat[0] if array.size else scores, Mapping):
            more = " Make a table of it with pandas.DataFrame(scores)."
        raise ValueError(
            "scores must have shape (n_items, n_systems) or (n_items, n_systems, n_runs), got "
            f"{got(scores)}.{more}"
        )
    return array


def _numbers(array: np.ndarray, what: str = "scores", more: str = "") -> np.ndarray:
    """Return numbers as they are, objects as floats; refuse text, and say `more`."""
    if array.dtype.kind in "biuf":
        return array
    if array.dtype.kind == "c":
        raise ValueError(f"{what} must hold real numbers, got complex ones.")
    text = next((each for each in array.ravel().tolist() if isinstance(each, str)), None)
    if text is None:
        try:
            return np.where(pd.isna(array), np.nan, array).astype(float)
        except (TypeError, ValueError):
            text = array.flat[0]
    how = "Turn marks into numbers first, for example (answers == 'C').astype(int)"
    if _is_written_number(text):
        how = "These are numbers written as text: convert them, for example scores.astype(float)"
    raise ValueError(
        f"{what} must hold numbers, such as 1 for a right answer and 0 for a wrong one, got "
        f"{text!r}. {how}{more}."
    )


def _is_written_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return isinstance(value, str)


def _check_numeric(body: pd.DataFrame) -> None:
    """Raise where a column of a wide table holds no scores, and say what it may be."""
    for name, dtype in zip(body.columns, body.dtypes):
        if pd.api.types.is_numeric_dtype(dtype):
            if _counts_rows(body[name]):
                raise ValueError(
                    f"Column {name!r} of the table counts its rows, as an index or the number of "
                    f"an item does. If it names the items, pass item={name!r}; else drop it. If "
                    "these are scores, give an array."
                )
            continue
        column = body[name].dropna()
        texts = column.map(lambda each: isinstance(each, str))
        if dtype.kind == "O" and not texts.any():
            continue  # numbers or None, which `_numbers` looks at
        raise ValueError(
            f"Column {name!r} of the table holds no numbers, but {column.iloc[0]!r}. If it names "
            f"the items, pass item={name!r}; if it names the systems in a long table, a row for "
            f"each score, pass system={name!r} with item=... and score=...; if it is a mark, turn "
            "it into a number."
        )


def _counts_rows(column: pd.Series) -> bool:
    """Check for whole numbers without a gap, which no system has as scores.

    They may be in another order where there are so many that this is no chance.
    """
    values = column.to_numpy(dtype=float, na_value=np.nan)
    values = np.sort(values) if len(values) >= FEW_ITEMS else values
    starts = values[:1] % 1 == 0
    return len(values) >= FEWEST_ITEMS and bool(starts.all() and (np.diff(values) == 1).all())


def _check_items(column: pd.Series) -> None:
    twice = column[column.duplicated()]
    if len(twice):
        raise ValueError(
            f"Item {_shown(twice.iloc[0])} has several rows. In a wide table each item has one; "
            "runs of one item go into a long table (system=..., run=...) or a third axis."
        )


def _mean_of_runs(values: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Average runs: (n_items, n_systems, n_runs) -> (n_items, n_systems), and notes on them."""
    there = ~np.isnan(values.astype(float, copy=False))
    n_runs = there.sum(axis=2)
    with np.errstate(invalid="ignore"):
        mean = np.where(there, values, 0).sum(axis=2) / n_runs
    return mean, _runs_note(n_runs)


def _runs_note(n_runs: np.ndarray) -> list[str]:
    least, most = int(n_runs[n_runs > 0].min(initial=most_of(n_runs))), most_of(n_runs)
    if most < 2:
        return []
    how_many = f"{most}" if least == most else f"{least} to {most}"
    return [
        f"The score of an item is the mean of {how_many} runs. Runs of one item are not "
        "independent items: intervals count items."
    ]


def most_of(n_runs: np.ndarray) -> int:
    """Return the largest number of runs."""
    return int(n_runs.max(initial=0))


def _long(
    frame: pd.DataFrame | None,
    item: Any,
    system: Any,
    score: Any,
    run: Any,
    groups: Any,
    sample_weight: Any,
) -> Table:
    """Read a table with a row for each score, and columns that say whose it is."""
    if frame is None:
        raise ValueError(
            f"system={system!r} names a column of a long table, so scores must be a DataFrame."
        )
    for name, given in (("item", item), ("score", score)):
        if given is None:
            raise ValueError(
                f"A long table needs the column of each role: {name}= is missing beside "
                f"system={system!r}. It has {', '.join(map(repr, frame.columns[:8]))}."
            )
    for name, given in (("groups", groups), ("sample_weight", sample_weight)):
        if given is not None and not isinstance(given, str):
            raise ValueError(f"{name} of a long table must be the name of a column.")
    parts = [system] if isinstance(system, str) or not isinstance(system, Sequence) else [*system]
    if not parts:
        raise ValueError("system=[] names no column. Name that of the system, or leave it out.")
    items = _column(frame, item, "item")
    texts = [_column(frame, name, "system").astype(str) for name in parts]
    _check_roles({"item": [item], "system": parts, "score": [score], "run": [run]})
    for name, column in ((item, items), *((name, frame[name]) for name in parts)):
        if column.isna().any():
            raise ValueError(
                f"Column {name!r} has {count(int(column.isna().sum()), 'missing value')}: it is "
                "not known whose scores these are."
            )
    of_score = _column(frame, score, "score")
    numbers = _numbers(_of_frame(of_score.to_frame()), f"Column {score!r}")[:, 0].astype(float)
    row, item_labels = pd.factorize(items)
    column, of_parts = pd.factorize(pd.MultiIndex.from_arrays(texts))
    names = [SEPARATOR.join(each) for each in of_parts]
    shape = (len(item_labels), len(names))
    cell, there = row * shape[1] + column, ~np.isnan(numbers)
    seen = np.bincount(cell, minlength=shape[0] * shape[1])
    if run is None and (seen > 1).any():
        place = int(np.flatnonzero(seen > 1)[0])
        raise ValueError(
            f"Item {_shown(item_labels[place // shape[1]])} has {seen[place]} scores of "
            f"{names[place % shape[1]]!r}. If these are runs, name the column that tells them "
            "apart with run=...; if several columns together make a system, pass "
            "system=[..., ...]; else remove the duplicates."
        )
    if run is not None:
        again = pd.DataFrame({"cell": cell, "run": _column(frame, run, "run")}).duplicated()
        if again.any():
            place = int(cell[again.to_numpy().argmax()])
            raise ValueError(
                f"Item {_shown(item_labels[place // shape[1]])} has several scores of "
                f"{names[place % shape[1]]!r} in one run. Remove the duplicates."
            )
    n_runs = np.bincount(cell[there], minlength=len(seen))
    sums = np.bincount(cell[there], numbers[there], minlength=len(seen))
    with np.errstate(invalid="ignore"):
        values = (sums / n_runs).reshape(shape)
    table = Table(values, names, notes=_runs_note(n_runs))
    for what, given in (("groups", groups), ("sample_weight", sample_weight)):
        if given is not None:
            of_row = _column(frame, given, what)
            setattr(table, what, _of_items(of_row, row, item_labels, given))
    return table


def _check_roles(roles: dict[str, list[Any]]) -> None:
    """Refuse a column that is named for two of the roles in a long table."""
    taken: dict[Any, str] = {}
    for role, names in roles.items():
        for name in names:
            if name is not None and name in taken:
                raise ValueError(
                    f"Column {name!r} is named for both {taken[name]} and {role}: each needs a "
                    "column of its own."
                )
            taken[name] = role


def _of_items(column: pd.Series, row: np.ndarray, items: Any, name: str) -> np.ndarray:
    """Return the one value that all rows of an item have, (n_items,)."""
    first = np.unique(row, return_index=True)[1]
    values = column.to_numpy()[first]
    differs = np.flatnonzero(column.to_numpy() != values[row])
    if len(differs):
        raise ValueError(
            f"Column {name!r} has several values for item "
            f"{_shown(items[row[differs[0]]])}: all rows of an item must have one."
        )
    return np.asarray(values)


def _shown(label: Any) -> str:
    """Write the label of an item."""
    return repr(label.item() if isinstance(label, np.generic) else label)


# --- checks ------------------------------------------------------------------------------------


def _given_names(names: Sequence[Any], n_systems: int) -> list[str]:
    if isinstance(names, str) or not hasattr(names, "__len__"):
        raise ValueError(f"names must be a name for each system, got {got(names)}.")
    if len(names) != n_systems:
        raise ValueError(f"names has {len(names)} entries for {count(n_systems, 'system')}.")
    return [str(name) for name in names]


def _check_distinct(names: list[str], what: str = "names") -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(
                f"Two systems are called {name!r}. Give each a name of its own ({what} must "
                "differ); where several columns of a long table make a system, name them all: "
                "system=[..., ...]."
            )
        seen.add(name)


def _listed(table: Table, counts: np.ndarray) -> str:
    """Name the systems with the largest counts."""
    worst = np.argsort(-counts, kind="stable")[:MOST_NAMED]
    named = [f"{table.names[k]!r} ({counts[k]:,})" for k in worst if counts[k]]
    return ", ".join(named) + ", ..." * int(np.count_nonzero(counts) > MOST_NAMED)


def _check_finite(table: Table) -> None:
    if table.values.dtype.kind != "f":
        return
    infinite = np.isinf(table.values).sum(axis=0)
    if infinite.any():
        raise ValueError(
            f"scores holds {count(int(infinite.sum()), 'infinite value')}: "
            f"{_listed(table, infinite)}. A mean with one of them is infinite. Bound the score, "
            "for example clip log probabilities, or remove these items for all systems."
        )


def _settle_missing(table: Table, missing: str) -> None:
    """Refuse missing scores by name, or drop the items that lack one, with a note."""
    if table.values.dtype.kind != "f":
        return
    lacking = np.isnan(table.values)
    if not lacking.any():
        return
    of_systems, of_items = lacking.sum(axis=0), lacking.any(axis=1)
    n_items, n_left = len(of_items), int((~of_items).sum())
    what = (
        f"{count(int(lacking.sum()), 'score')} of {lacking.size:,} "
        + ("is missing, that of " if lacking.sum() == 1 else "are missing, those of ")
        + _listed(table, of_systems)
    )
    if n_left < FEWEST_ITEMS:
        raise ValueError(
            f"{what}, and {n_left or 'none'} of {count(n_items, 'item')} "
            f"{'has' if n_left < 2 else 'have'} a score of every system. Leave out the systems "
            "that were not run on all items; where no answer is a wrong answer, fill in 0."
        )
    if missing == "raise":
        raise ValueError(
            f"{what}. Systems must be compared on the same items: missing='drop_items' takes the "
            f"{n_left:,} of {n_items:,} items that every system has; where no answer is a wrong "
            "answer, fill in 0; or leave out the systems that were not run on all items."
        )
    keep = ~of_items
    table.values = table.values[keep]
    for name in ("groups", "sample_weight"):
        values = getattr(table, name)
        setattr(table, name, None if values is None else np.asarray(values)[keep])
    table.notes.append(
        f"{what}: the comparison is on the {n_left:,} of {n_items:,} items that every system has. "
        "If harder items are missing more often, it is not about all items."
    )


def _check_size(table: Table) -> None:
    n_items = len(table.values)
    if n_items < FEWEST_ITEMS:
        raise ValueError(
            f"scores has {count(n_items, 'item')}, rows being items: at least {FEWEST_ITEMS} are "
            "needed, and some 100 to show any but large differences."
        )
    if table.groups is not None and len(pd.unique(np.asarray(table.groups))) == 1:
        raise ValueError(
            f"All {n_items:,} items are in one group, so nothing shows how scores vary from group "
            f"to group: at least 2 are needed, and some {FEW_GROUPS} for intervals that hold. "
            "Leave groups out if the items are independent."
        )


def _other_kinds(table: Table) -> list[str]:
    """Note systems whose values are beyond 0 and 1, where most have nothing but 0 and 1."""
    low, high = table.values.min(axis=0), table.values.max(axis=0)
    beyond = (low < 0) | (high > 1)
    within = np.flatnonzero((low == 0) & (high == 1))
    if not beyond.any() or 2 * len(within) < len(beyond):
        return []
    if not all(bool(np.isin(table.values[:, k], (0, 1)).all()) for k in within):
        return []
    named = ", ".join(repr(table.names[k]) for k in np.flatnonzero(beyond)[:MOST_NAMED])
    dots = ", ..." * (int(beyond.sum()) > MOST_NAMED)
    note = (
        f"{named}{dots} {'has' if beyond.sum() == 1 else 'have'} values beyond 0 and 1, but most "
        "systems only 0 and 1. What is no score of a system must be left out, and a group of "
        "items named by groups=...."
    )
    warn_user(note, IntervalWarning)
    return [note]


def _notes(table: Table, *, whole_table: bool) -> list[str]:
    """Collect notes on a table that is valid, but may not be what was meant."""
    values, notes = table.values, []
    n_items, n_systems = values.shape
    if n_items < FEW_ITEMS:
        notes.append(
            f"There are only {n_items} items: what would happen on others is hardly known, and "
            "intervals of so few can miss it more often than they promise."
        )
        warn_user(notes[-1], IntervalWarning)
    if whole_table and n_systems > n_items:
        notes.append(
            f"There are more systems ({n_systems:,}) than items ({n_items:,}). Rows must be "
            "items and columns systems: if it is the other way round, pass the transpose."
        )
    notes += _other_kinds(table)
    constant = np.flatnonzero((values == values[0]).all(axis=0))
    if len(constant):
        names = ", ".join(repr(table.names[k]) for k in constant[:MOST_NAMED])
        dots = ", ..." * (len(constant) > MOST_NAMED)
        have = "has" if len(constant) == 1 else "have"
        notes.append(
            f"{names}{dots} {have} the same score on every item: its own spread cannot be seen."
        )
    if n_systems > 1 and (values == values[:, :1]).all():
        notes.append(
            "All systems have the same score on every item: there is nothing to choose between "
            "them. Check that the columns are not copies of each other."
        )
    if table.groups is not None:
        n_groups = len(pd.unique(np.asarray(table.groups)))
        if n_groups == n_items:
            notes.append(
                "Every item is a group of its own, so groups change nothing. Give the passage, "
                "patient or task that items have in common."
            )
        elif n_groups < FEW_GROUPS:
            notes.append(
                f"There are only {n_groups} groups of items: with fewer than about {FEW_GROUPS} "
                "intervals tend to be too narrow."
            )
    return notes
