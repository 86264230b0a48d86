"""Large long tables of scores per item, read in parts into a table of items and systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..._batches import is_out_of_memory, kind_of
from ..._tables import FileTable, TableInParts
from .._scores import (
    ScoreTable,
    codes_of_columns,
    columns_of_role,
    due_of_runs,
    runs_of_rows,
    values_of_items,
)
from ._scattered import NotInParts, Scattered, blocks_of


def scores_of_parts(
    parts: TableInParts, roles_of_some: Callable[[FileTable], Mapping[str, Any]]
) -> ScoreTable | None:
    """Read a long table of scores in parts; None where only the whole table tells what it is.

    The roles of columns are those of `OOFPredictions.from_scores`: item, system, score, run,
    groups, sample_weight.
    """
    try:
        roles = roles_of_some(FileTable(parts.some, parts.name, ""))
        return _Scores(parts, roles).filled().table()
    except (NotInParts, ValueError) as error:
        if is_out_of_memory(error):
            raise
        return None


class _Scores(Scattered):
    """Scores of all items, systems and runs: a configuration is a run of a system."""

    advice = "Take fewer systems, or a part of the items."
    needs_all, units_are_lines = False, True

    def __init__(self, parts: TableInParts, roles: Mapping[str, Any]):
        self.item, self.system, self.run = (
            columns_of_role(roles[role]) for role in ("item", "system", "run")
        )
        self.score, self.groups, self.weight = (
            roles[role] for role in ("score", "groups", "sample_weight")
        )
        apart = [*self.item, *self.system, *self.run, self.score]
        if not (self.item and self.system) or len({*apart}) < len(apart):
            raise NotInParts
        super().__init__(
            parts, sample=self.item, config=[*self.system, *self.run], values=[self.score],
            of_sample=[self.groups, self.weight], kinds={"scores": (float, 1)},
        )  # fmt: skip

    def values_of(self, part: pd.DataFrame) -> dict[str, np.ndarray]:
        column = part[self.score]
        if kind_of(column) not in ("", "number", "boolean"):
            raise NotInParts
        return {"scores": column.to_numpy(dtype=float, na_value=np.nan)[:, None]}

    def table(self) -> ScoreTable:
        """Bring what came into the order of items and systems, and average runs."""
        units, configs = self.typed(self.units.frame()), self.typed(self.configs.frame())
        row, items = codes_of_columns(units, self.item)
        system, labels = codes_of_columns(configs, self.system)
        run, runs = np.zeros(len(configs), np.int64), [None]
        if self.run:
            run, runs = pd.factorize(runs_of_rows(configs, self.run))
        if len(np.unique(system * len(runs) + run)) < len(configs):
            raise NotInParts
        order = np.argsort(system)
        arrays = self.cells.ordered(np.argsort(row), order)
        values, times = arrays.pop("scores"), arrays.pop("times")
        if (times > 1).any():
            raise NotInParts
        values[times == 0] = np.nan
        values += 0.0  # -0.0 is 0.0, as in a sum
        found = ScoreTable(values, [str(label) for label in labels])
        if self.run:
            _average(found, times, system[order], run[order], len(runs))
        for what, name in (("groups", self.groups), ("sample_weight", self.weight)):
            if name is not None:
                setattr(found, what, values_of_items(units[name], row, items, name))
        return found


def _average(
    table: ScoreTable, times: np.ndarray, system: np.ndarray, run: np.ndarray, n_labels: int
) -> None:
    """Average runs (n_items, n_configs), and count them; `system`, `run` (n_configs,) in order."""
    scores, starts = table.values, np.flatnonzero(np.diff(system, prepend=-1))
    ends = np.append(starts[1:], len(system))
    shape = len(scores), len(starts)
    table.values, seen, table.n_runs = np.empty(shape), *np.empty((2, *shape), np.int32)
    for some in blocks_of(len(scores), scores.itemsize * scores.shape[1]):
        for k, of_system in enumerate(map(slice, starts, ends)):
            in_order = np.sort(scores[some, of_system], axis=1)
            there, total = ~np.isnan(in_order), np.zeros(len(in_order))
            seen[some, k] = np.count_nonzero(times[some, of_system], axis=1)
            table.n_runs[some, k] = n_runs = np.count_nonzero(there, axis=1)
            with np.errstate(invalid="ignore"):
                for column, is_there in zip(in_order.T, there.T):
                    total += np.where(is_there, column, 0.0)
                table.values[some, k] = total / n_runs

    def of_both() -> tuple[np.ndarray, np.ndarray]:
        of_items, of_systems = (np.zeros((size, n_labels)) for size in shape)
        of_systems[system, run] = 1
        for column, label in zip(times.T, run):
            of_items[column > 0, label] = 1
        return of_items, of_systems

    table.due = due_of_runs(seen, n_labels, of_both)
