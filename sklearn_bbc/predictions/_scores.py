"""Tables of scores per item, wide, long or with runs, as arguments of `OOFPredictions`."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd

from .._notes import warned
from .._parameters import OneOf
from .._text import count
from .._utils import check_flag, did_you_mean, got, one_per_sample
from ._validation import has_labels_of, in_index_order, names_of_columns

MISSING_OPTIONS = ("raise", "drop_items", "drop_runs", "zero")
MOST_ITEMS_NAMED = 3
"""Systems that a message names."""
PER_ITEM = ("values", "groups", "sample_weight", "label_weights", "human", "n_runs", "due")
"""Fields of a table that have a row for each item."""
LARGEST_SCORE = 1e150
"""Size of scores beyond which variances, and below whose inverse they, are lost."""
FEWEST_ITEMS = 3
FEW_ITEMS = 10
"""Below, there is a warning: tails of so few values are not seen."""
FEW_GROUPS_OF_ITEMS = 20
LONGEST_SYSTEM_NAME = 60
"""Letters of a value in a message."""
SEPARATOR = " / "
"""Between the parts of the name of a system that several columns make up."""


OF_LONG = (
    "; for a long table, a row for each score, name its columns: item=..., system=..., score=..."
)


@dataclass
class ScoreTable:
    """Scores of all systems on all items, and what belongs to the items."""

    values: np.ndarray  # (n_items, n_systems), NaN where a system was not run
    names: list[str]
    groups: Any = None  # (n_items,) or None
    sample_weight: Any = None  # (n_items,) or None
    label_weights: Any = None  # (n_items,) or None
    human: Any = None  # (n_items, n_systems), NaN where no person looked; None without people
    notes: list[str] = field(default_factory=list)
    n_runs: Any = None  # (n_items, n_systems), runs that have a score; None where there are none
    due: Any = None  # (n_items, n_systems), runs that should have one


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
    check_missing(missing, greater_is_better=greater_is_better)
    table = table_of_scores(
        scores, names=names, groups=groups, sample_weight=sample_weight, item=item,
        system=system, score=score, run=run,
    )  # fmt: skip
    n_missing = settle_missing(table, missing)
    _check_table(table)
    table.notes += _notes_on_table(table, whole_table=system is None)
    return {
        "y_true": np.zeros(len(table.values)),
        "responses": {"plain": table.values.T},
        "classes": None,
        "params": [{"configuration": name} for name in table.names],
        "groups": table.groups,
        "sample_weight": table.sample_weight,
        "notes": table.notes,
        "score_sign": 1 if greater_is_better else -1,
        "n_missing": n_missing,
    }


def table_of_scores(
    scores: Any,
    *,
    names: Sequence[Any] | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    label_weights: Any = None,
    item: Any = None,
    system: Any = None,
    score: Any = None,
    run: Any = None,
) -> ScoreTable:
    """Read a table of scores, wide or long, if it is none yet; scores may be missing."""
    of_items = {"groups": groups, "sample_weight": sample_weight, "label_weights": label_weights}
    if isinstance(scores, ScoreTable):
        table = scores
    elif system is None:
        table = _wide(scores, as_frame(scores), item, of_items, score, run)
    else:
        table = _long(as_frame(scores), item, system, score, run, of_items)
    if names is not None:
        table.names = _given_names(names, table.values.shape[1])
    table.names = [str(name) for name in table.names]
    _check_distinct(table.names)
    _check_finite(table)
    return table


def check_missing(missing: str, *, greater_is_better: bool) -> None:
    """Check what shall be done about missing scores."""
    hint = (
        "'drop_items' compares on the items that every system has, 'drop_runs' on the runs that "
        "there are of them; for 'zero' no answer is a wrong answer."
    )
    OneOf(MISSING_OPTIONS, hint=hint).check("missing", missing)
    if missing == "zero" and not greater_is_better:
        raise ValueError(
            "missing='zero' takes no answer as a wrong answer, but of losses 0 is the best. Fill "
            "in the loss of a wrong answer, or leave out items with missing='drop_items'."
        )


def settle_missing(table: ScoreTable, missing: str) -> dict[str, int]:
    """Settle missing scores, see `_settle_missing`, and note what is to be said of runs."""
    n_missing = _settle_missing(table, missing)
    table.notes += _runs_notes(table, fewer_are_said=missing == "drop_runs" and bool(n_missing))
    return n_missing


def check_item_scores(what: str, values: np.ndarray) -> None:
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


def as_frame(scores: Any) -> pd.DataFrame | None:
    """Return a DataFrame of pandas for a table of pandas or polars, None for arrays."""
    if isinstance(scores, pd.DataFrame):
        return scores
    if isinstance(scores, pd.Series):
        return scores.to_frame()
    if (names := names_of_columns(scores, "scores")) is None:
        return None
    # Column by column: pandas' own way needs pyarrow.
    return pd.DataFrame({name: scores[name].to_numpy() for name in names})


def frame_column(frame: pd.DataFrame, name: Any, what: str) -> pd.Series:
    if name not in frame.columns:
        known = ", ".join(map(repr, frame.columns[:8])) + ", ..." * (frame.shape[1] > 8)
        parts = [part.strip() for part in str(name).split(",")]
        if len(parts) > 1 and set(parts) <= set(frame.columns):
            more = f" Name several in a list: {what}={parts!r}."
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
        column = frame_column(frame, given, what)
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
    of_items: Mapping[str, Any],
    score: Any,
    run: Any,
) -> ScoreTable:
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
        values = _as_numbers(_score_array(scores), more=OF_LONG)
        names = [f"system {k}" for k in range(values.shape[1])]
    else:
        _check_distinct([str(name) for name in frame.columns], "columns")
        named = [*(("item", name) for name in columns_of_role(item)), *of_items.items()]
        aside = [given for _, given in named if isinstance(given, str)]
        if item is not None:
            labels = [frame_column(frame, name, "item") for name in columns_of_role(item)]
            _check_items(labels[0] if len(labels) == 1 else _joined_items(labels))
        for what, given in named:
            if isinstance(given, str):
                frame_column(frame, given, what)
        body = frame.drop(columns=aside)
        if not body.shape[1]:
            raise ValueError("scores has no column of a system left, only those of items.")
        _check_numeric(body)
        values = _as_numbers(_frame_values(body), more=OF_LONG)
        names = [_joined(name) for name in body.columns]
    n_items = len(values)
    table = ScoreTable(values, names)
    for what, given in of_items.items():
        found, notes = _in_order(scores, item, what, given, n_items)
        setattr(table, what, _per_item(frame, found, what, n_items))
        table.notes += notes
    if values.ndim == 3:
        _average_array(table)
    return table


def columns_of_role(given: Any) -> list[Any]:
    """List the columns that a role names: none, one or several."""
    if given is None:
        return []
    return [given] if isinstance(given, str) or not isinstance(given, Sequence) else [*given]


def _joined_items(columns: Sequence[pd.Series]) -> pd.Series:
    """Write items that several columns make up as one text each."""
    parts = [column.astype(str) for column in columns]
    return pd.Series(map(SEPARATOR.join, zip(*parts)), index=columns[0].index)


def _joined(name: Any) -> str:
    """Write the name of a system; of several levels of columns, all parts."""
    return SEPARATOR.join(map(str, name)) if isinstance(name, tuple) else str(name)


def _in_order(
    scores: Any, item: Any, what: str, given: Any, n_items: int
) -> tuple[Any, list[str]]:
    """Bring values per item into the order of the table, by its index or its items."""
    labelled = isinstance(scores, pd.DataFrame) and isinstance(given, (pd.Series, pd.DataFrame))
    if item is not None and labelled and not has_labels_of(given.index, scores.index):
        scores = scores.set_index(
            columns_of_role(item) if len(columns_of_role(item)) > 1 else item
        )
    found, notes, _ = in_index_order({"scores": scores, what: given}, n_items)
    return found[what], notes


def _frame_values(body: pd.DataFrame) -> np.ndarray:
    """Return the numbers of a frame, or its texts; pandas' own missing values become NaN."""
    extension = [each for each in body.dtypes if pd.api.types.is_extension_array_dtype(each)]
    if extension and all(map(pd.api.types.is_numeric_dtype, body.dtypes)):
        return body.to_numpy(dtype=float, na_value=np.nan)
    return body.to_numpy(dtype=object) if extension else body.to_numpy()


def _score_array(scores: Any) -> np.ndarray:
    if isinstance(scores, np.ma.MaskedArray):
        return np.ma.filled(scores.astype(float), np.nan)
    try:
        array = np.asarray(scores)
    except ValueError as error:  # lists of different lengths
        raise ValueError(f"scores must be a table, a row for each item: {error}") from error
    if array.ndim not in (2, 3) or not array.size:
        more = " One system alone has nothing to be compared with." * (array.ndim == 1)
        if isinstance(scores, (str, PurePath)):
            more = (
                " Read the file first, for example with pandas.read_csv; logs of tools "
                "by OOFPredictions.from_inspect, from_lm_eval, from_promptfoo or from_deepeval."
            )
        elif isinstance(array.flat[0] if array.size else scores, Mapping):
            more = " Make a table of it with pandas.DataFrame(scores)."
        raise ValueError(
            "scores must have shape (n_items, n_systems) or (n_items, n_systems, n_runs), got "
            f"{got(scores)}.{more}"
        )
    return array


def _as_numbers(array: np.ndarray, what: str = "scores", more: str = "") -> np.ndarray:
    """Return numbers as they are, objects as floats; refuse text, and say `more`."""
    if array.dtype.kind in "biuf":
        return array
    if array.dtype.kind == "c":
        raise ValueError(f"{what} must hold real numbers, got complex ones.")
    values = array.ravel().tolist()
    text = next((each for each in values if isinstance(each, (str, *CONTAINERS))), None)
    if text is None:
        try:
            return np.where(pd.isna(array), np.nan, array).astype(float)
        except (TypeError, ValueError):
            text = next(each for each in values if not isinstance(each, (int, float)))
    if more_than_one := _of_container(text):
        raise ValueError(
            f"{what} must hold one number each, got {_short_name(text)}. {more_than_one}"
        )
    how = "Turn marks into numbers first, for example (answers == 'C').astype(int)"
    if _is_written_number(text):
        how = "These are numbers written as text: convert them, for example scores.astype(float)"
    raise ValueError(
        f"{what} must hold numbers, such as 1 for a right answer and 0 for a wrong one, got "
        f"{text!r}. {how}{more}."
    )


CONTAINERS = (Mapping, list, tuple, set, np.ndarray)


def _of_container(value: Any) -> str:
    """Say what a list or dict in place of a score may be, or the text of one; "" of others."""
    inside = _read_literal(value) if isinstance(value, str) else value
    if not isinstance(inside, CONTAINERS):
        return ""
    read = ".map(json.loads)" if isinstance(value, str) else ""
    if isinstance(inside, Mapping):
        return (
            f"Each of these is several scores. Choose one, for example column{read}"
            '.str.get("accuracy"), or compare by each in turn.'
        )
    return (
        "If these are the scores of several runs, give each a row of its own (explode), with the "
        "column of the run. If they are parts of a score that a tool computes from all items "
        "together, such as log likelihood and number of words, and it is a ratio of sums, pass "
        "the ratio of each item as its score and the divisor as sample_weight: perplexity is the "
        "exponential of the mean of -loglikelihood / words, weighted by words. Other scores of "
        "all items together (F1, BLEU) are no means: take a score that each item has."
    )


def _read_literal(text: str) -> Any:
    """Read a list or dict that is written as text, as Python or JSON do; None for other texts."""
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
    return None


def _short_name(value: Any) -> str:
    """Write a value, the beginning of a long one."""
    text = repr(value)
    return text if len(text) <= LONGEST_SYSTEM_NAME else f"{text[: LONGEST_SYSTEM_NAME - 3]}..."


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
            continue  # numbers or None, which `_as_numbers` looks at
        if more_than_one := _of_container(column.iloc[0]):
            raise ValueError(
                f"Column {name!r} of the table must hold one number each, got "
                f"{_short_name(column.iloc[0])}. {more_than_one}"
            )
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


def _average_array(table: ScoreTable) -> None:
    """Average runs, (n_items, n_systems, n_runs) -> (n_items, n_systems), and count them.

    A run that a system has on no item at all is filling, not missing.
    """
    values = table.values.astype(float)
    there = ~np.isnan(values)
    shape = values.shape[:2]
    cell = np.arange(shape[0] * shape[1]).repeat(values.shape[2])
    table.values, table.n_runs = _means(cell, values.ravel(), shape)
    due = there.any(axis=0).sum(axis=1)
    table.due = np.broadcast_to(np.maximum(due, 1), shape)


def _means(
    cell: np.ndarray, numbers: np.ndarray, shape: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Average and count the numbers of each cell, whatever their order, (n_items, n_systems)."""
    there = ~np.isnan(numbers)
    cell, numbers = cell[there], numbers[there]
    order = np.lexsort((numbers, cell))
    n_cells = shape[0] * shape[1]
    n_runs = np.bincount(cell, minlength=n_cells)
    with np.errstate(invalid="ignore"):
        values = np.bincount(cell[order], numbers[order], minlength=n_cells) / n_runs
    return values.reshape(shape), n_runs.reshape(shape)


def _due(cell: np.ndarray, run: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Count the runs that are due, see `due_of_runs`, by the cell and the run of each row."""
    codes, labels = pd.factorize(run, use_na_sentinel=False)

    def of_both() -> tuple[np.ndarray, np.ndarray]:
        item, system = np.divmod(cell, shape[1])
        of_items, of_systems = (np.zeros((size, len(labels))) for size in shape)
        of_items[item, codes] = of_systems[system, codes] = 1
        return of_items, of_systems

    seen = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
    return due_of_runs(seen, len(labels), of_both)


def due_of_runs(
    seen: np.ndarray, n_labels: int, of_both: Callable[[], tuple[np.ndarray, np.ndarray]]
) -> np.ndarray:
    """Count the runs that each system should have of each item, (n_items, n_systems).

    These are the runs that the item has, of any system, and the system, of any item: a system
    that was run less often on all items, or an item of which there are fewer runs, lacks none.
    Runs are recognised by their labels where some system has all of them on some item; else
    labels belong to items or systems, and runs are counted. `seen` (n_items, n_systems) counts
    them; `of_both` marks those of items (n_items, n_labels) and of systems (n_systems, n_labels).
    """
    if n_labels > seen.max():
        due = np.minimum(seen.max(axis=1)[:, None], seen.max(axis=0))
    else:
        of_items, of_systems = of_both()
        due = (of_items @ of_systems.T).astype(int)
    return np.maximum(due, 1)


def _runs_notes(table: ScoreTable, *, fewer_are_said: bool) -> list[str]:
    """Note that runs were averaged, and which systems have fewer of them."""
    if table.n_runs is None or (most := int(table.n_runs.max())) < 2:
        return []
    least, of_systems = int(table.n_runs.min()), table.n_runs.sum(axis=0)
    how_many = f"{most}" if least == most else f"{least} to {most}"
    notes = [
        f"The score of an item is the mean of {how_many} runs. Runs of one item are not "
        "independent items: intervals count items."
    ]
    if (fewer := of_systems.max() - of_systems).any() and not fewer_are_said:
        text = (
            "Some systems have fewer runs than others, by the number in brackets: "
            f"{_largest_counts(table, fewer)}. If runs that failed were left out, a system that "
            "fails "
            "where it would be wrong looks better than it is: give these runs, too, without a "
            "score or with 0."
        )
        notes.append(warned(text))
    return notes


def _long(
    frame: pd.DataFrame | None,
    item: Any,
    system: Any,
    score: Any,
    run: Any,
    of_items: Mapping[str, Any],
) -> ScoreTable:
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
    for name, given in of_items.items():
        if given is not None and not isinstance(given, str):
            raise ValueError(f"{name} of a long table must be the name of a column.")
    parts, of_item, of_runs = columns_of_role(system), columns_of_role(item), columns_of_role(run)
    for what, names in (("system", parts), ("item", of_item)):
        if not names:
            raise ValueError(f"{what}=[] names no column. Name that of the {what}.")
        for name in names:
            frame_column(frame, name, what)
    _check_roles({"item": of_item, "system": parts, "score": [score], "run": of_runs})
    for name in (*of_item, *parts):
        if (column := frame[name]).isna().any():
            raise ValueError(
                f"Column {name!r} has {count(int(column.isna().sum()), 'missing value')}: it is "
                "not known whose scores these are."
            )
    of_score = frame_column(frame, score, "score")
    numbers = _as_numbers(_frame_values(of_score.to_frame()), f"Column {score!r}")[:, 0].astype(
        float
    )
    row, item_labels = codes_of_columns(frame, of_item)
    column, systems = codes_of_columns(frame, parts)
    names = [str(label) for label in systems]
    shape = (len(item_labels), len(names))
    cell = row * shape[1] + column
    of_run = runs_of_rows(frame, of_runs) if of_runs else None
    twice = pd.DataFrame({"cell": cell} if of_run is None else {"cell": cell, "run": of_run.array})
    double = twice.duplicated(keep=False).to_numpy()
    if double.any():
        first = int(np.flatnonzero(double)[cell[double].argmin()])
        same = (twice == twice.iloc[first]) | (twice.isna() & twice.iloc[first].isna())
        rows = frame[same.all(axis=1).to_numpy()]
        of = f"scores of {names[column[first]]!r}"
        of = f"{len(rows)} {of}" if run is None else f"several {of} in one run"
        others = [
            name for name in frame.columns if name not in (*of_item, score, *of_runs, *parts)
        ]
        told = [name for name in others if rows[name].map(repr).nunique() > 1]
        texts = {name: frame[name].map(repr).array for name in told}
        told.sort(key=lambda name: pd.Series(texts[name]).nunique())  # a setting has few values
        all_told = [name for name in told if not twice.assign(by=texts[name]).duplicated().any()]
        told = all_told + [name for name in told if name not in all_told]
        whose = f"Item {_shown(item_labels[row[first]])} has {of}."
        example = [*parts, *told[:1]] if all_told else None
        raise ValueError(_of_double(whose, told, example, is_of_run=run is not None))
    values, n_runs = _means(cell, numbers, shape)
    table = ScoreTable(values, names)
    if of_run is not None:
        table.n_runs, table.due = n_runs, _due(cell, of_run.to_numpy(), shape)
    for what, given in of_items.items():
        if given is not None:
            of_row = frame_column(frame, given, what)
            setattr(table, what, values_of_items(of_row, row, item_labels, given))
    return table


def runs_of_rows(frame: pd.DataFrame, names: Sequence[Any]) -> pd.Series:
    """Return the run of each row; of several columns as one text."""
    columns = [frame_column(frame, name, "run") for name in names]
    return columns[0] if len(columns) == 1 else _joined_items(columns)


def codes_of_columns(frame: pd.DataFrame, names: Sequence[Any]) -> tuple[np.ndarray, Any]:
    """Number what one column, or several together, tell apart, in sorted order; and its labels."""
    parts = [_in_sorted_order(frame[name]) for name in names]
    if len(parts) == 1:
        return parts[0]
    codes, combined = pd.factorize(
        pd.MultiIndex.from_arrays([code for code, _ in parts]), sort=True
    )
    labels = [
        SEPARATOR.join(str(labels[code]) for code, (_, labels) in zip(each, parts))
        for each in combined
    ]
    return codes, np.array(labels, dtype=object)


def _in_sorted_order(column: pd.Series) -> tuple[np.ndarray, Any]:
    """Number the different values in sorted order, so that the order of rows does not matter."""
    try:
        return pd.factorize(column, sort=True)
    except TypeError:  # no order among them, or they have no hash
        texts = column.map(lambda each: f"{type(each).__name__} {each!r}")
        codes = pd.factorize(texts, sort=True)[0]
        first = np.unique(codes, return_index=True)[1]
        return codes, column.iloc[first].to_numpy()


def _of_double(whose: str, told: list[Any], example: list[Any] | None, *, is_of_run: bool) -> str:
    """Say what several scores of one system on one item may be.

    `told` are columns in which they differ, `example` those that tell all systems apart.
    """
    if told:
        listed = ", ".join(map(repr, told[:MOST_ITEMS_NAMED])) + ", ..." * (
            len(told) > MOST_ITEMS_NAMED
        )
        whose += f" The rows differ in {listed}."
    runs = "If these are runs, name the column that tells them apart with run=...; if"
    return (
        f"{whose} {'If' if is_of_run else runs} several columns together make a system, pass "
        f"system={example or '[..., ...]'}; if several make an item, such as task and number, "
        "pass item=[..., ...]; else remove the duplicates."
    )


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


def values_of_items(column: pd.Series, row: np.ndarray, items: Any, name: str) -> np.ndarray:
    """Return the one value that all rows of an item have, (n_items,)."""
    if column.isna().any():
        raise ValueError(
            f"Column {name!r} has {count(int(column.isna().sum()), 'missing value')}: each item "
            "needs one. Fill them in, or leave these items out."
        )
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


def _largest_counts(table: ScoreTable, counts: np.ndarray) -> str:
    """Name the systems with the largest counts."""
    worst = np.argsort(-counts, kind="stable")[:MOST_ITEMS_NAMED]
    named = [f"{table.names[k]!r} ({counts[k]:,})" for k in worst if counts[k]]
    n_more = np.count_nonzero(counts) - len(named)
    return ", ".join(named) + (f" and {n_more:,} more" if n_more else "")


def _check_finite(table: ScoreTable) -> None:
    if table.values.dtype.kind != "f":
        return
    infinite = np.isinf(table.values).sum(axis=0)
    if infinite.any():
        raise ValueError(
            f"scores holds {count(int(infinite.sum()), 'infinite value')}: "
            f"{_largest_counts(table, infinite)}. A mean with one of them is infinite. Bound the "
            "score, "
            "for example clip log probabilities, or remove these items for all systems."
        )


def _settle_missing(table: ScoreTable, missing: str) -> dict[str, int]:
    """Refuse missing scores and runs by name, drop them or fill in 0, with a note.

    Returns how many each system lacks; empty where none is missing.
    """
    if table.n_runs is not None:
        lacking, n_due = table.due - table.n_runs, int(table.due.sum())
    else:
        lacking = pd.isna(table.values)
        n_due = lacking.size
    if not lacking.any():
        return {}
    are_runs = table.n_runs is not None and int(table.due.max()) > 1
    by_run = are_runs and missing == "drop_runs"
    of_systems = lacking.sum(axis=0)
    dropped = (table.n_runs == 0 if by_run else lacking > 0).any(axis=1)
    n_items, n_left, n_lacking = len(dropped), int((~dropped).sum()), int(lacking.sum())
    a_score = "run" if are_runs else "score"
    lack = "lack runs" if are_runs else "were not run on all items"
    has, takes = "a score", "that every system has"
    if are_runs:
        has, takes = ("a run" if by_run else "all runs"), "of which every system has all runs"
    what = (
        f"{count(n_lacking, a_score)} of {n_due:,} "
        + ("is missing, that of " if n_lacking == 1 else "are missing, those of ")
        + _largest_counts(table, of_systems)
    )
    if missing == "zero":
        n_runs, due = (table.n_runs, table.due) if table.n_runs is not None else (1 - lacking, 1)
        table.values = np.where(n_runs > 0, table.values * n_runs, 0) / due
        table.notes.append(f"{what}: 0 is filled in, as for a wrong answer.")
        if table.n_runs is not None:
            table.n_runs = table.due
        return {name: int(n) for name, n in zip(table.names, of_systems)}
    if n_left < FEWEST_ITEMS:
        raise ValueError(
            f"{what}, and {n_left or 'none'} of {count(n_items, 'item')} "
            f"{'has' if n_left < 2 else 'have'} {has} of every system. Leave out the systems "
            f"that {lack}; where no answer is a wrong answer, missing='zero' fills in 0."
        )
    if missing == "raise":
        same = "items and runs" if are_runs else "items"
        rest = "missing='drop_runs' all items by the runs that there are; " * are_runs
        raise ValueError(
            f"{what}. Systems must be compared on the same {same}: missing='drop_items' takes the "
            f"{n_left:,} of {n_items:,} items {takes}; {rest}where no answer is a wrong answer, "
            f"missing='zero' fills in 0; or leave out the systems that {lack}."
        )
    for name in PER_ITEM:
        values = getattr(table, name)
        setattr(table, name, None if values is None else np.asarray(values)[~dropped])
    how, which = f"on the {n_left:,} of {n_items:,} items {takes}", "leaving out items"
    if by_run:
        how, which = "by the runs that there are", "leaving out runs"
        if n_left < n_items:
            how += f", on the {n_left:,} of {n_items:,} items of which every system has one"
    harder = "" if by_run and n_left == n_items else (
        "If harder items are missing more often, it is not about all items. "
    )  # fmt: skip
    note = (
        f"{what}: the comparison is {how}. {harder}A system that has no score where it would be "
        f"wrong looks better than it is, and {which} does not mend that: if no answer is a wrong "
        "answer, missing='zero' fills in 0."
    )
    table.notes.append(warned(note))
    return {name: int(n) for name, n in zip(table.names, of_systems)}


def _check_table(table: ScoreTable) -> None:
    n_items = len(table.values)
    if n_items < FEWEST_ITEMS:
        raise ValueError(
            f"scores has {count(n_items, 'item')}, rows being items: at least {FEWEST_ITEMS} are "
            "needed, and some 100 to show any but large differences."
        )
    highest, lowest = (float(each(table.values, initial=0.0)) for each in (np.nanmax, np.nanmin))
    largest = max(highest, -lowest)
    if not (largest == 0 or 1 / LARGEST_SCORE <= largest <= LARGEST_SCORE):
        raise ValueError(
            f"The largest score is {largest:.3g}, and a double holds no square of such a number. "
            "Multiply all scores by one number, so that they are about 1."
        )
    if table.groups is not None and len(pd.unique(np.asarray(table.groups))) == 1:
        raise ValueError(
            f"All {n_items:,} items are in one group, so nothing shows how scores vary from group "
            f"to group: at least 2 are needed, and some {FEW_GROUPS_OF_ITEMS} for intervals that "
            "hold. "
            "Leave groups out if the items are independent."
        )


def _other_kinds(table: ScoreTable) -> list[str]:
    """Note systems whose values are beyond 0 and 1, where most have nothing but 0 and 1."""
    low, high = table.values.min(axis=0), table.values.max(axis=0)
    beyond = (low < 0) | (high > 1)
    within = np.flatnonzero((low == 0) & (high == 1))
    if not beyond.any() or 2 * len(within) < len(beyond):
        return []
    if not all(bool(np.isin(table.values[:, k], (0, 1)).all()) for k in within):
        return []
    named = ", ".join(repr(table.names[k]) for k in np.flatnonzero(beyond)[:MOST_ITEMS_NAMED])
    dots = ", ..." * (int(beyond.sum()) > MOST_ITEMS_NAMED)
    note = (
        f"{named}{dots} {'has' if beyond.sum() == 1 else 'have'} values beyond 0 and 1, but most "
        "systems only 0 and 1. What is no score of a system must be left out, and a group of "
        "items named by groups=...."
    )
    return [warned(note)]


def _notes_on_table(table: ScoreTable, *, whole_table: bool) -> list[str]:
    """Collect notes on a table that is valid, but may not be what was meant."""
    values, notes = table.values, []
    n_items, n_systems = values.shape
    if n_items < FEW_ITEMS:
        few = (
            f"There are only {n_items} items: what would happen on others is hardly known, and "
            "intervals of so few can miss it more often than they promise."
        )
        notes.append(warned(few))
    if whole_table and n_systems > n_items:
        notes.append(
            f"There are more systems ({n_systems:,}) than items ({n_items:,}). Rows must be "
            "items and columns systems: if it is the other way round, pass the transpose."
        )
    notes += _other_kinds(table)
    constant = np.flatnonzero((values == values[0]).all(axis=0))
    if len(constant):
        names = ", ".join(repr(table.names[k]) for k in constant[:MOST_ITEMS_NAMED])
        dots = ", ..." * (len(constant) > MOST_ITEMS_NAMED)
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
        elif n_groups < FEW_GROUPS_OF_ITEMS:
            notes.append(
                f"There are only {n_groups} groups of items: with fewer than about "
                f"{FEW_GROUPS_OF_ITEMS} "
                "intervals tend to be too narrow."
            )
    return notes
