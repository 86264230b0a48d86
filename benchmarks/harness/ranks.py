"""Verdicts on lower bounds and average ranks of methods, by the rules of the published tables.

A method is rejected in a row when so few bounds hold that an exact binomial test at 5% doubts its
level. Within a row, methods that are not rejected come first, the tightest of them in front; the
rejected ones follow, those first whose inclusion is nearest to the level. Ties share the better
rank. Only rows count where every method has a result.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
from scipy.stats import binom, rankdata

LEVEL = 0.95
DOUBT = 0.05
MISSING = 0.1
"""Share of undefined bounds above which a method has no result in a row."""


def lower_tail(covered: int, runs: int, level: float = LEVEL) -> float:
    """Probability of no more than this many covered runs if the level held.

    Parameters
    ----------
    covered, runs : int
        Runs whose bound held, and all runs with a bound.
    level : float, default=0.95
        What is promised.
    """
    return float(binom.cdf(covered, runs, level))


def ranks_in_row(tightness: np.ndarray, inclusion: np.ndarray, rejected: np.ndarray) -> np.ndarray:
    """Rank of each method in one row, from 1.

    Parameters
    ----------
    tightness, inclusion : ndarray of shape (n_methods,)
        Unrounded.
    rejected : ndarray of shape (n_methods,), bool
        Verdicts.
    """
    # Both distances lie between -1 and 1, so the rejected ones stand behind.
    return rankdata(
        np.where(rejected, 10 + np.abs(inclusion - LEVEL), tightness), method="min"
    ).astype(int)


def average_ranks(
    table: pd.DataFrame, row: list[str], methods: Iterable[str]
) -> tuple[pd.Series, int]:
    """Average rank of each method over the rows where all of them have a result.

    Parameters
    ----------
    table : DataFrame
        One line per row and method: `method`, `tightness`, `inclusion`, `rejected`.
    row : list of str
        Columns that identify a row.
    methods : iterable of str
        Methods to rank among each other.

    Returns
    -------
    ranks : Series
        By method, in the order given; NaN when no row has them all.
    n_rows : int
        Number of rows.
    """
    names = list(methods)
    table = table[table["method"].isin(names)]
    values = {
        column: table.pivot(index=row, columns="method", values=column).reindex(columns=names)
        for column in ("tightness", "inclusion", "rejected")
    }
    whole = (values["tightness"].notna() & values["inclusion"].notna()).all(axis=1)
    if not whole.any():
        return pd.Series(np.nan, index=names), 0
    ranks = [
        ranks_in_row(
            values["tightness"].loc[k].to_numpy(float),
            values["inclusion"].loc[k].to_numpy(float),
            values["rejected"].loc[k].to_numpy(bool),
        )
        for k in whole.index[whole]
    ]
    return pd.Series(np.mean(ranks, axis=0), index=names), len(ranks)


def cell(inclusion: float, tightness: float, rejected: bool) -> str:
    """Cell of a published table: inclusion (tightness), bold when not rejected."""
    if np.isnan(inclusion):
        return "-"
    text = f"{inclusion:.2f} ({round(tightness, 2) + 0.0:.2f})"  # no minus before a zero
    return text if rejected else f"**{text}**"


def grid(table: pd.DataFrame, row: list[str], methods: Iterable[str]) -> pd.DataFrame:
    """The published form: one row per setting, one column per method.

    Parameters
    ----------
    table : DataFrame
        As for `average_ranks`.
    row : list of str
        Columns that identify a row, shown first.
    methods : iterable of str
        Columns.
    """
    names = [name for name in methods if (table["method"] == name).any()]
    table = table[table["method"].isin(names)]
    cells = [
        cell(i, t, bool(r))
        for i, t, r in zip(
            table["inclusion"], table["tightness"], table["rejected"].fillna(True), strict=True
        )
    ]
    table = table.assign(cell=cells)
    shown = table.pivot(index=row, columns="method", values="cell")
    order = table[row].drop_duplicates()
    shown = shown.reindex(columns=names).reset_index()
    return order.merge(shown, on=row, how="left", validate="1:1").fillna("-")
