"""One check of the shape of groups, for everything that takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import DataConversionWarning

from ._warn import warn_user

__all__ = ["one_per_sample", "with_groups"]


def one_per_sample(groups: Any) -> Any:
    """Groups with one axis; a column is taken as its values, with a warning.

    What scikit-learn's `column_or_1d` does for `y`. Its splitters do not do it for groups: they
    end in "object too deep for desired array".

    Parameters
    ----------
    groups : array-like or None
        As given by the user; None stays None.

    Returns
    -------
    array-like or None
        What was given where it has one axis. The values of a column are a Series when it is a
        DataFrame, so its index stays.

    Raises
    ------
    ValueError
        If it has another shape.

    Warns
    -----
    DataConversionWarning
        If it is a column.
    """
    if groups is None:
        return None
    try:
        shape = np.shape(groups)
    except ValueError as error:  # lists of different lengths
        raise ValueError(f"groups must have one value per sample: {error}") from error
    if len(shape) == 1:
        return groups
    column = _column(groups) if len(shape) == 2 and shape[1] == 1 else None
    if column is not None and np.shape(column) == shape[:1]:
        warn_user(
            f"groups has shape {shape}; its one column is taken. Pass one value per sample, such "
            'as df["site"] rather than df[["site"]], or groups.ravel() of an array.',
            DataConversionWarning,
        )
        return column
    if not shape:
        raise ValueError(f"groups must have one value per sample, got {groups!r}.")
    several = len(shape) == 2 and shape[1] > 1
    raise ValueError(
        f"groups has shape {shape}, expected ({shape[0]},): one per sample."
        + (' Make one of several columns: df.groupby(["site", "year"]).ngroup().' * several)
    )


def with_groups(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of `fit`, with `one_per_sample` of the groups among them."""
    if "groups" not in params:
        return dict(params)
    return {**params, "groups": one_per_sample(params["groups"])}


def _column(table: Any) -> Any:
    if isinstance(table, pd.DataFrame):
        return table.iloc[:, 0]
    # A masked array keeps its mask, which is refused by those who take no mask.
    return (table if isinstance(table, np.ndarray) else np.asarray(table)).ravel()
