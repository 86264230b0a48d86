"""Rows of a table that an earlier run made, beside those of this one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd


def with_older(settings: Iterable[Any], table: pd.DataFrame, older: pd.DataFrame) -> pd.DataFrame:
    """Rows of this run, and of the settings that only an earlier run had, in the study's order.

    Parameters
    ----------
    settings : iterable of object
        All settings of the study; each must know how to `describe` itself as columns of the
        table. Rows of settings that are not among them any more are left out.
    table : DataFrame
        Rows of this run.
    older : DataFrame
        Rows of earlier runs, as they were read from a file.
    """
    described = [setting.describe() for setting in settings]
    columns = list(described[0])
    places = {
        place: number
        for number, place in enumerate(dict.fromkeys(_place(each.values()) for each in described))
    }
    if not set(columns) <= set(older):  # settings were described otherwise then
        return table
    run = set(_places(table, columns))
    keep = [place in places and place not in run for place in _places(older, columns)]
    rows = pd.concat([table, older[keep]], ignore_index=True)
    order = pd.Series([places[place] for place in _places(rows, columns)])
    return rows.iloc[order.argsort(kind="stable")].reset_index(drop=True)


def _places(table: pd.DataFrame, columns: list[str]) -> list[tuple[str, ...]]:
    return [_place(values) for values in table[columns].itertuples(index=False, name=None)]


def _place(values: Iterable[Any]) -> tuple[str, ...]:
    """Values as text: what was 5 before it was written may be 5.0 when it is read."""
    return tuple(_text(value) for value in values)


def _text(value: Any) -> str:
    if value is None or value != value:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
