"""Scores of people on some items, brought into the form of a judge's table."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .._text import count
from .._utils import did_you_mean, got
from ..predictions._scores import (
    SEPARATOR,
    ScoreTable,
    as_frame,
    columns_of_role,
    table_of_scores,
)
from ..predictions.readers._recognise import table_in

MOST_NAMED = 3
"""Items or systems that a message names."""
NO_TABLE = (
    "human of a long table must be the name of its column with the scores of people, empty where "
    "no person looked, or a table of its own, a DataFrame or the name of a file, got {}."
)


def read_people(human: Any, scores: Any, columns: dict[str, Any]) -> Any:
    """Read the table of people where a file is named; return all else as it is."""
    if not isinstance(human, (str, PathLike)):
        return human
    is_long, known = columns["system"] is not None, getattr(scores, "columns", ())
    if is_long and isinstance(human, str) and human in known:
        return human
    path = Path(human)
    if not path.is_file():
        what = "neither a column of the table nor a file" if is_long else "no file"
        more = (
            did_you_mean(str(human), [str(name) for name in known])
            if is_long
            else " Only a long table (with system=...) has a column with the scores of people: "
            "beside a wide one give one of the same shape, with NaN where no person looked."
        )
        raise ValueError(f"human={str(human)!r} is {what}.{more}")
    roles = (columns[role] for role in ("item", "system", "run"))
    return table_in(path, labels=[name for role in roles for name in columns_of_role(role)]).frame


# --- long tables -------------------------------------------------------------------------------


def with_people(scores: Any, human: Any, columns: dict[str, Any]) -> tuple[pd.DataFrame, str]:
    """Add the scores of people, which are in a table of their own, to the judge's long table.

    Returns the table, and the name of the new column.
    """
    judge = as_frame(scores)
    people = None if isinstance(human, pd.Series) else as_frame(human)
    if judge is None or people is None:
        raise ValueError(NO_TABLE.format(got(human)))
    items, parts, runs = (columns_of_role(columns[role]) for role in ("item", "system", "run"))
    new = "human"
    while new in judge.columns:
        new += " of people"
    needed = [*items, *parts, *runs, columns["score"]]
    if not items or any(list(judge.columns).count(name) != 1 for name in needed):
        return judge, new  # reading the judge's table says what is wrong with it
    theirs = _long_of_people(people, judge, items, parts, columns)
    value = theirs.columns[-1]
    same = [name for name in (*items, *parts, *runs) if name in theirs.columns]
    of_people = _keys(theirs, same)
    if (double := of_people.duplicated(keep=False)).any():
        raise ValueError(
            f"human has several scores of {count(int(of_people[double].nunique()), 'answer')}, "
            f"such as {_item_words(of_people[double][0])}. Where several people scored an answer, "
            "give their mean; else remove the duplicates."
        )
    for names, one in ((parts, "system"), (items, "item")):
        _check_known(_keys(theirs, names), _keys(judge, names), one)
    place = of_people.get_indexer(_keys(judge, same))
    found = np.append(theirs[value].to_numpy(dtype=object), np.nan)[place]  # -1 is the last one
    judge = judge.assign(**{new: found})
    rest = theirs.drop(theirs.index[place[place >= 0]])
    if len(rest):  # the judge knows item and system, but has no score
        of_judge = _keys(judge, items)
        first = np.flatnonzero(~of_judge.duplicated())
        rows = judge.iloc[first[of_judge[first].get_indexer(_keys(rest, items))]].copy()
        rows[columns["score"]] = np.nan
        for name in (*same, value):
            rows[new if name == value else name] = rest[name].to_numpy()
        judge = pd.concat([judge, rows], ignore_index=True)
    return judge.assign(**{new: judge[new].infer_objects()}), new


def _long_of_people(
    people: pd.DataFrame, judge: pd.DataFrame, items: list[Any], parts: list[Any],
    columns: dict[str, Any],
) -> pd.DataFrame:  # fmt: skip
    """Return the scores of people that there are, a row for each; the last column holds them."""
    runs, score = columns_of_role(columns["run"]), columns["score"]
    aside = [name for name in _named_columns(columns) if name in people.columns]
    people = people.drop(columns=aside)
    roles = {*items, *parts, *runs} - {*people.columns}
    if in_index := [name for name in people.index.names if name in roles]:
        people = people.reset_index(level=in_index)
    if not {*parts} & {*people.columns} and len(parts) == 1:  # a column for each system
        is_named = people.index.nlevels == len(items) and not isinstance(
            people.index, pd.RangeIndex
        )
        if is_named and not {*items} <= {*people.columns}:
            people = people.rename_axis(index=items if len(items) > 1 else items[0]).reset_index()
        named = {str(each): each for each in judge[parts[0]].unique()}
        there = [name for name in items if name in people.columns]
        people = people.melt(there, var_name=parts[0], value_name=score)
        people[parts[0]] = [named.get(str(each), each) for each in people[parts[0]]]
    lacking = [name for name in (*items, *parts) if name not in people.columns]
    if lacking:
        raise ValueError(
            f"human has no column {lacking[0]!r}, as the judge's table has."
            f"{did_you_mean(str(lacking[0]), [str(name) for name in people.columns])} Name the "
            "columns of items and systems alike in both."
        )
    whose = [*items, *parts, *(name for name in runs if name in people.columns)]
    others = [name for name in people.columns if name not in whose]
    value = score if score in others else others[0] if len(others) == 1 else None
    if value is None:
        raise ValueError(
            f"human has no column {score!r}, in which the judge's table has the scores, but "
            f"{', '.join(map(repr, others[:8])) or 'none besides those of items and systems'}. "
            "Name the scores of people alike, or leave out other columns."
        )
    theirs = people[[*whose, value]]
    theirs = theirs[theirs[value].notna().to_numpy()].reset_index(drop=True)
    for name in whose:
        if theirs[name].isna().any():
            raise ValueError(
                f"human: Column {name!r} has "
                f"{count(int(theirs[name].isna().sum()), 'missing value')}: it is not known whose "
                "scores these are."
            )
    return theirs


def _keys(frame: pd.DataFrame, names: list[Any]) -> pd.MultiIndex:
    return pd.MultiIndex.from_frame(frame[names].astype(object))


def _check_known(theirs: pd.MultiIndex, own: pd.MultiIndex, one: str) -> None:
    """Refuse scores of items or systems that the judge does not have."""
    unknown = theirs[~theirs.isin(own)]
    if not len(unknown):
        return
    named, counts = np.unique(unknown.map(_item_words), return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST_NAMED]
    listed = ", ".join(f"{named[k]} ({count(int(counts[k]), 'score')})" for k in order)
    more = f" and {len(named) - MOST_NAMED:,} more" if len(named) > MOST_NAMED else ""
    hint = ""
    if one == "system" and own.nlevels == 1:
        hint = did_you_mean(str(unknown[0][0]), [str(each[0]) for each in own.unique()])
    known = own.unique()[: MOST_NAMED + 1].map(_item_words)
    dots = ", ..." * (len(known) > MOST_NAMED)
    raise ValueError(
        f"People scored {count(len(named), one)} that the judge did not: {listed}{more}.{hint} "
        f"The judge has {', '.join(known[:MOST_NAMED])}{dots}. Leave these scores out, or write "
        f"each {one} alike in both tables."
    )


# --- wide tables -------------------------------------------------------------------------------


def scores_of_people(
    table: ScoreTable, scores: Any, human: Any, original: list[str], columns: dict[str, Any]
) -> np.ndarray:
    """Bring the scores of people into the form of the judge's, NaN where no person looked."""
    shape = table.values.shape
    if columns["system"] is not None:
        whose = {name: columns[name] for name in ("item", "system", "run")}
        return _of_people(scores, **whose, score=human).values.astype(float)
    item = columns["item"]
    if not hasattr(human, "columns"):
        values = np.asarray(human)
        if values.ndim == 1 and shape[1] == 1:
            human = values[:, None]
        found = _of_people(human).values.astype(float)
        if found.shape != shape:
            raise ValueError(
                f"human has scores of {_size_words(found.shape)}, the judge of "
                f"{_size_words(shape)}. Give both the same shape, with NaN where no person "
                "looked, or both as DataFrames with the labels of items and names of systems."
            )
        return found
    has_items = item is not None and set(columns_of_role(item)) <= set(human.columns)
    aside = [name for name in _named_columns(columns) if name in human.columns]
    if aside:
        human = human.drop(columns=aside) if isinstance(human, pd.DataFrame) else human.drop(aside)
    people = _of_people(human, item=item if has_items else None)
    known = table.names if set(people.names) <= set(table.names) else original
    for name in people.names:
        if name not in known:
            raise ValueError(
                f"human has a column {name!r}, which is none of the judge's systems."
                f"{did_you_mean(name, known)} Name them alike; name the column of the items by "
                "item=..., and drop others."
            )
    rows = _rows_of_people(scores, human, item, has_items=has_items)
    found = np.full(shape, np.nan)
    systems = np.array([known.index(name) for name in people.names])
    found[np.ix_(rows, systems)] = people.values
    return found


def _of_people(scores: Any, **columns: Any) -> ScoreTable:
    """Read their scores; messages say whose they are."""
    try:
        return table_of_scores(scores, **columns)
    except ValueError as error:
        raise ValueError(f"human: {error}") from error


def _size_words(shape: tuple[int, ...]) -> str:
    return f"{count(shape[0], 'item')} and {count(shape[1], 'system')}"


def _labels_of_rows(table: Any, item: Any) -> pd.Index | None:
    """Return what names the rows of a table, None for an array and a table without an index."""
    if item is not None:
        parts = [np.asarray(table[name]) for name in columns_of_role(item)]
        return pd.Index(parts[0]) if len(parts) == 1 else pd.MultiIndex.from_arrays(parts)
    return table.index if isinstance(table, pd.DataFrame) else None


def _item_words(label: Any) -> str:
    """Write the label of an item; of several columns, all parts."""
    if isinstance(label, tuple) and len(label) == 1:
        (label,) = label
    if isinstance(label, tuple):
        label = SEPARATOR.join(map(str, label))
    return repr(label.item() if isinstance(label, np.generic) else label)


def _named_columns(columns: dict[str, Any]) -> list[str]:
    """List the columns that hold something else of an item than a score, without the item."""
    named = (columns[what] for what in ("groups", "sample_weight", "label_weights"))
    return [name for name in named if isinstance(name, str)]


def _rows_of_people(scores: Any, human: Any, item: Any, *, has_items: bool) -> np.ndarray:
    """Find the rows of the judge's table that those of people belong to."""
    own, theirs = (
        _labels_of_rows(scores, item),
        _labels_of_rows(human, item if has_items else None),
    )
    plain = [each is None or isinstance(each, pd.RangeIndex) for each in (own, theirs)]
    if len(human) == len(scores) and any(plain):
        return np.arange(len(scores))
    if own is None or theirs is None or any(plain):
        raise ValueError(
            f"human has {count(len(human), 'row')}, the judge {len(scores):,}, and nothing says "
            "which items they are. Name the column of the items, which both have, by item=..., "
            "make it the index of both, or give NaN where no person looked."
        )
    for labels, whose in ((own, "the judge's table"), (theirs, "human")):
        if not labels.is_unique:
            raise ValueError(
                f"Item {_item_words(labels[labels.duplicated()][0])} has several rows in {whose}. "
                "Each item has one; runs go into a long table."
            )
    rows: np.ndarray = own.get_indexer(theirs)
    unknown = theirs[rows < 0]
    if len(unknown):
        raise ValueError(
            f"People scored {count(len(unknown), 'item')} that the judge did not, such as "
            f"{_item_words(unknown[0])}. Leave them out, or let the judge score them."
        )
    return rows
