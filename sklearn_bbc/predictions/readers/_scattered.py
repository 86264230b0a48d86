"""Large long tables, read in parts: each goes into a table of configurations and samples.

So no more than that table is in memory, not all rows of the file. What needs all rows, or is an
error whose row is to be named, is left to the reader of whole tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..._batches import (
    TIMES_TABLE,
    Batches,
    check_fits,
    has_levels,
    is_out_of_memory,
    kind_of,
    plain,
)
from ..._tables import (
    FEW,
    FileTable,
    TableInParts,
    are_comma_numbers,
    has_decimal_comma,
    numbers_in,
)
from .._validation import infer_classes
from ._forms import LongRoles
from ._rows import (
    Rows,
    are_labels_of,
    classes_of_roles,
    first_of,
    names_of_training,
    one_of_each_sample,
    predictions_of_units,
)
from ._shared import SUM, Predictions, check_sum_to_one, codes_of, numbers_of

GROWTH = 1.25
"""How much a table that is too small grows."""
LARGE = 2**26
"""Bytes of a table, from which on it grows in place."""
TOO_MANY = 2
"""Times as many pairs of samples and configurations as rows, with which most are missing."""
FEW_LABELS = 100
"""Different targets, of which the rows that were looked at must have all."""
FEW_PAIRS = 2**18
"""Pairs of which any part may be missing while the table grows."""
AT_ONCE = 2**12
"""Values that wait for being put into an index, which takes less memory than a dictionary."""
KINDS = ("number", "string", "boolean")
"""Kinds of values by which samples, configurations and folds are told apart."""
ADVICE = "Take fewer configurations, or a part of the samples."


class NotInParts(Exception):
    """What only the whole table can tell."""


class IncompleteTable(ValueError):
    """Pairs of sample and configuration that are missing, or there twice."""


def predictions_of_parts(
    cls: type[Predictions],
    parts: TableInParts,
    roles_of_some: Callable[[FileTable], LongRoles | None],
) -> Predictions | None:
    """Read a long table in parts, whose columns are what some of its rows show; None if not so."""
    try:
        roles = roles_of_some(FileTable(parts.some, parts.name, ""))
        if roles is None or (roles.frame is not None and len(roles.frame) < len(parts.some)):
            return None
        scattered = _Scattered(parts, roles)
        for part in parts.parts():
            scattered.add(part)
        return scattered.predictions(cls)
    except IncompleteTable:
        raise
    except (NotInParts, ValueError) as error:  # the whole table says it, with the row
        if is_out_of_memory(error):
            raise
        return None


class _Scattered:
    """Predictions of all pairs of configuration and unit, by the numbers in which they came.

    A unit is what each configuration must predict once: a sample in a fold of a repeat.
    """

    def __init__(self, parts: TableInParts, roles: LongRoles):
        self.name, self.n_total, self.comma = parts.name, parts.n_rows, parts.with_comma
        self.roles, self.some, self.columns = roles, parts.some, list(parts.some.columns)
        target = plain(parts.some[roles.target].dropna())
        found = numbers_in(target)
        self.labels_seen = set(target.unique().tolist())
        some_y = target.astype(object).to_numpy() if found is None else found
        self.classes = infer_classes(some_y)
        self.of_class: list[str] = []
        if roles.probabilities:
            known = replace(roles, probabilities=dict(roles.probabilities))
            self.classes = classes_of_roles(known, some_y, self.name)
            self.of_class = [known.probabilities[each] for each in self.classes.tolist()]
        self.has_codes = roles.labels is not None and are_labels_of(
            parts.some[roles.labels], self.classes, roles
        )
        kinds: dict[str, tuple[Any, int]] = {}
        if self.of_class:  # of two classes the second one tells the first
            kinds["predict_proba"] = float, len(self.of_class) - (len(self.of_class) == 2)
        if self.has_codes:
            kinds["predict"] = np.int16, 1
        elif roles.labels is not None and not self.of_class:
            kinds["plain"] = float, 1
        self.cells = _Cells(kinds)
        of_unit = (roles.sample, roles.target, roles.fold, roles.repeat, roles.groups)
        named = (*of_unit, roles.sample_weight)
        self.of_unit: list[str] = [each for each in named if each is not None]
        self.of_config = [*roles.config, *(roles.params or ())]
        self.units, self.configs, self.labels = (Batches(self.name) for _ in range(3))
        self.numbers = {each: _Numbers() for each in (*self.of_unit, *self.of_config)}
        self.number_of_label = _Numbers()
        self.unit_numbers = [_Numbers() for _ in self._keys_of_unit()[1:]]
        self.config_numbers = [_Numbers() for _ in roles.config[1:]]
        self.constant = {each: np.empty(0, np.int64) for each in self.of_unit + self.of_config}
        self.n_rows = self.n_configs = self.n_units = 0
        self.last, self.is_in_order = np.empty(0, np.int64), True
        self.kinds: dict[str, set[str]] = {each: set() for each in self.columns}
        self.types: dict[str, set[Any]] = {each: set() for each in self.columns}
        others = {*self.columns} - {*of_unit, roles.labels}
        self.names_of_parts: dict[str, set[str]] = {each: set() for each in others}
        self.same: dict[str, Any] = {"set": "test"} if roles.tool in ("mlr", "mlr3") else {}
        if roles.tool == "mlr" and "task.id" in self.columns:
            self.same["task.id"] = parts.some["task.id"].iloc[0]
        if any(kind_of(_of_levels(parts.some[each])) not in KINDS for each in self.of_unit):
            raise NotInParts
        self.numbers_with_comma = dict.fromkeys(self.columns, False)

    def _keys_of_unit(self) -> list[str]:
        keys = (self.roles.sample, self.roles.repeat, self.roles.fold)
        return [each for each in keys if each is not None]

    # --- a part of the rows ---

    def add(self, part: pd.DataFrame) -> None:
        """Take rows."""
        if not {*part.columns} <= {*self.columns}:
            raise NotInParts
        part = part.reset_index(drop=True).reindex(columns=self.columns)
        if any((part[each] != value).any() for each, value in self.same.items() if each in part):
            raise NotInParts
        for name in self.columns:
            self._look_at(name, part[name])
        values = {name: _of_levels(part[name]) for name in (*self.of_unit, *self.of_config)}
        codes = {name: self.numbers[name].of(each) for name, each in values.items()}
        whole = [*self.of_unit, *(self.roles.config if len(self.roles.config) == 1 else ())]
        if any(values[name].isna().any() for name in whole):
            raise NotInParts
        unit = _together([codes[name] for name in self._keys_of_unit()], self.unit_numbers)
        of_config = [codes[name] for name in self.roles.config] or [np.zeros(len(part), np.int64)]
        config = _together(of_config, self.config_numbers)
        new_units, new_configs = _new(unit, self.n_units), _new(config, self.n_configs)
        self.n_rows += len(part)
        self.n_units += len(new_units)
        self.n_configs += len(new_configs)
        if self.n_units * self.n_configs > TOO_MANY * self.n_total + FEW_PAIRS:
            raise NotInParts
        for name in self.of_unit:
            self.units.add_to(name, values[name], keep=new_units)
            self._check_constant(name, codes[self.roles.sample], codes[name])
        for name in self.of_config:
            self.configs.add_to(name, values[name], keep=new_configs)
            self._check_constant(name, config, codes[name])
        if self.roles.fold is not None and self.roles.repeat is None:
            self._look_at_order(config, unit)
        n_pairs = max(self.n_total, self.n_configs * self.n_units)
        needed = TIMES_TABLE * self.cells.bytes_of_pair * n_pairs - self.cells.n_bytes
        check_fits(self.name, needed, ADVICE)
        self.cells.reserve(self.n_configs, self.n_units, self.n_total)
        self.cells.put(config, unit, self._values(part))

    def _look_at(self, name: str, values: pd.Series) -> None:
        """Note the kind of the values of a column, and what of its texts would matter."""
        some = self.some[name]
        if has_levels(values) or has_levels(some):
            levels = [list(each.cat.categories) for each in (values, some) if has_levels(each)]
            if len(levels) < 2 or levels[0] != levels[1]:
                raise NotInParts
        elif not isinstance(values.dtype, (np.dtype, pd.StringDtype)):
            raise NotInParts
        self.types[name].add(values.dtype)
        values = _of_levels(values)
        kind = kind_of(values)
        self.kinds[name] |= {kind} - {""}
        if len(self.kinds[name]) > 1 or (kind not in ("", *KINDS) and name in self.numbers):
            raise NotInParts
        if name in self.numbers_with_comma and kind == "string":
            if not are_comma_numbers(values.dropna()):
                del self.numbers_with_comma[name]
            elif has_decimal_comma(values.dropna()):
                self.numbers_with_comma[name] = True
        if name in (self.comma or ()) and kind != "":
            if kind != "number" or not np.isfinite(values.dropna()).all():
                raise NotInParts
        if name in self.names_of_parts and not pd.api.types.is_numeric_dtype(values.dtype):
            try:
                self.names_of_parts[name] |= {str(each) for each in values.dropna().unique()}
            except TypeError:  # of lists
                del self.names_of_parts[name]
                return
            if len(self.names_of_parts[name]) > FEW:
                del self.names_of_parts[name]

    def _check_constant(self, name: str, key: np.ndarray, codes: np.ndarray) -> None:
        """Check that a column is the same in all rows of each key, sample or configuration."""
        if name in (self.roles.fold, self.roles.repeat, self.roles.sample, *self.roles.config):
            return
        known = self.constant[name]
        if len(new := _new(key, len(known))):
            known = self.constant[name] = np.append(known, codes[new])
        if (known[key] != codes).any():
            raise NotInParts

    def _look_at_order(self, config: np.ndarray, unit: np.ndarray) -> None:
        """Note whether the units of each configuration come in the order of their numbers."""
        self.last = np.append(self.last, np.full(self.n_configs - len(self.last), -1))
        order = np.argsort(config, kind="stable")
        config, unit = config[order], unit[order]
        starts = np.flatnonzero(np.diff(config, prepend=-1))
        ends = np.append(starts[1:], len(config)) - 1
        before = np.append(-1, unit[:-1])
        before[starts] = self.last[config[starts]]
        self.is_in_order &= bool((unit > before).all())
        self.last[config[ends]] = unit[ends]

    def _values(self, part: pd.DataFrame) -> dict[str, np.ndarray]:
        """Return the predictions of rows, (n_rows, depth)."""
        found: dict[str, np.ndarray] = {}
        names = self.of_class + ([self.roles.labels] if "plain" in self.cells.arrays else [])
        if any(kind_of(part[each]) not in ("", "number", "boolean") for each in names if each):
            raise NotInParts
        if self.of_class:
            columns = [numbers_of(part[each], self.name) for each in self.of_class]
            check_sum_to_one(values := np.stack(columns, axis=1), self.name)
            if (
                self.has_absent_classes()
                and not (np.abs(np.nansum(values, axis=1) - 1) <= SUM).all()
            ):
                raise NotInParts
            found["predict_proba"] = values[:, 1:] if len(self.of_class) == 2 else values
        if "plain" in self.cells.arrays:
            found["plain"] = numbers_of(part[str(self.roles.labels)], self.name)[:, None]
        if self.has_codes:
            column = part[str(self.roles.labels)]
            codes = self.number_of_label.of(_of_levels(column))
            new = _new(codes, self.labels.n_rows)
            self.labels.add_to("label", _of_levels(column), keep=new)
            self.labels.n_rows += len(new)
            if self.labels.n_rows > np.iinfo(np.int16).max:
                raise NotInParts
            found["predict"] = codes[:, None]
        return found

    def has_absent_classes(self) -> bool:
        """Check for columns of classes that no sample has, which their sums have shown."""
        of_sums = self.roles.tool == "caret"
        return of_sums and any(label not in self.labels_seen for label in self.roles.probabilities)

    # --- all of them ---

    def predictions(self, cls: type[Predictions]) -> Predictions:
        """Bring what came into the order of configurations and units."""
        roles = self.roles
        if self.n_rows != self.n_total or any(each.mixed for each in (self.units, self.configs)):
            raise NotInParts
        if self.comma is not None and any(self.numbers_with_comma.values()):
            raise NotInParts
        if any(map(names_of_training, self.names_of_parts.values())):
            raise NotInParts
        units, configs = self._typed(self.units.frame()), self._typed(self.configs.frame())
        if not roles.config:
            configs = pd.DataFrame(index=[0])
        rows = Rows(units, roles, self.name, configs)
        y_true = one_of_each_sample(rows, roles.target)
        classes = infer_classes(y_true)
        if roles.probabilities:
            classes = classes_of_roles(roles, y_true, self.name)
        self._check_classes(set(plain(units[roles.target]).unique().tolist()), classes)
        notes = [*roles.notes]
        if rows.fold is not None and rows.repeat is None and self.n_units > len(rows.samples):
            rows.repeat = self._repeats_in_blocks(units)
            notes += [] if rows.repeat is None else [rows.note_of_blocks()]
        unit, of_unit = rows.units()
        first = np.argsort(unit)
        arrays = self.cells.ordered(np.argsort(rows.config), first)
        self._check_complete(rows, arrays.pop("times"), of_unit)
        responses = {}
        for name, array in arrays.items():
            if name == "predict":
                labels = self.labels.frame()["label"]
                if not are_labels_of(labels, classes, roles):
                    raise NotInParts
                assert classes is not None
                array = codes_of(labels, classes.tolist(), self.name)[array]
            responses[name] = array
        return predictions_of_units(cls, rows, y_true, classes, responses, first, notes)

    def _repeats_in_blocks(self, units: pd.DataFrame) -> np.ndarray | None:
        """Number the repeats of units (n_units,), where all configurations have them in order."""
        if self.n_units % units[self.roles.sample].nunique():
            return None
        known = {self.roles.labels, *self.of_unit, *self.roles.config, *self.of_class, *self.same}
        if not self.is_in_order or {*self.columns} - known:  # others may tell the blocks apart
            raise NotInParts
        return Rows(units, replace(self.roles, config=[]), self.name).repeats_in_blocks()

    def _typed(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Give columns the type that they have in all parts."""
        for name in frame:
            if len(types := self.types[str(name)]) == 1:
                (dtype,) = types
                is_number = isinstance(dtype, np.dtype) and dtype.kind in "iuf"
                if is_number or isinstance(dtype, pd.CategoricalDtype):
                    frame[name] = frame[name].astype(dtype)
        return frame

    def _check_classes(self, labels: set[Any], classes: np.ndarray | None) -> None:
        """Check that the rows that were looked at had all labels, by which roles were found."""
        matters = self.has_codes or bool(self.of_class)
        if self.roles.tool and min(len(labels), len(self.labels_seen)) <= FEW_LABELS:
            matters = True
        if (matters and labels != self.labels_seen) or (classes is None) != (self.classes is None):
            raise NotInParts

    def _check_complete(self, rows: Rows, times: np.ndarray, of_unit: np.ndarray) -> None:
        """Raise where a pair is missing, or there several times."""
        if (times == 1).all():
            return
        if rows.fold is not None:  # which may be of each configuration alone
            raise NotInParts
        if (times > 1).any():
            why = rows.why_double(np.flatnonzero(times > 1), of_unit, self.columns)
        else:
            why = rows.why_absent(np.flatnonzero(times == 0), of_unit)
        raise IncompleteTable(why)


class _Cells:
    """Arrays with a line for each configuration and a place for each unit, which grow in place."""

    def __init__(self, kinds: dict[str, tuple[Any, int]]):
        """Take a type, and the number of values of a pair, by name."""
        kinds = {"times": (np.uint8, 1), **kinds}
        self.depths = {name: depth for name, (_, depth) in kinds.items()}
        self.arrays = {name: np.zeros(0, dtype) for name, (dtype, _) in kinds.items()}
        self.n_lines = self.width = 0

    @property
    def n_bytes(self) -> int:
        return sum(each.nbytes for each in self.arrays.values())

    @property
    def bytes_of_pair(self) -> int:
        return sum(self.depths[name] * each.itemsize for name, each in self.arrays.items())

    def reserve(self, n_configs: int, n_units: int, n_total: int) -> None:
        """Make place for configurations and units, of which there will be `n_total` pairs."""
        n_lines, width = self.n_lines, self.width
        if n_configs > n_lines:
            n_lines = max(n_configs, min(int(n_lines * GROWTH) + 1, n_total // n_units))
        if n_units > width:
            width = max(n_units, min(int(width * GROWTH) + 1, n_total // n_configs))
        if (n_lines, width) == (self.n_lines, self.width):
            return
        for name in self.arrays:
            self._grow(name, n_lines, width)
        self.n_lines, self.width = n_lines, width

    def _grow(self, name: str, n_lines: int, width: int) -> None:
        """Make an array larger; in place, line by line, where a copy would be large."""
        array, depth = self.arrays[name], self.depths[name]
        old, new = self.width * depth, width * depth
        if array.nbytes < LARGE:
            self.arrays[name] = np.zeros(n_lines * new, array.dtype)  # owns its memory
            grown = self.arrays[name].reshape(n_lines, new)
            grown[: self.n_lines, :old] = array.reshape(self.n_lines, old)
            return
        array.resize(n_lines * new, refcheck=False)
        for line in range(self.n_lines - 1, -1, -1) if new > old else ():
            array[line * new : line * new + old] = array[line * old : (line + 1) * old].copy()
            array[line * new + old : (line + 1) * new] = 0

    def put(self, config: np.ndarray, unit: np.ndarray, values: dict[str, np.ndarray]) -> None:
        """Put values (n_rows, depth) into their places; count how often each was there, to 2."""
        places = config * self.width + unit
        for name, each in values.items():
            self.arrays[name].reshape(-1, self.depths[name])[places] = each
        times = self.arrays["times"]
        found, n_times = np.unique(places, return_counts=True)
        times[found] = np.minimum(times[found] + n_times, 2)

    def ordered(self, configs: np.ndarray, units: np.ndarray) -> dict[str, np.ndarray]:
        """Return arrays (n_configs, n_units[, depth]) in an order of both, and forget them."""
        found = {}
        for name in list(self.arrays):
            array, depth = self.arrays.pop(name), self.depths[name]
            size = len(units) * depth
            for line in range(len(configs)):
                start = line * self.width * depth
                old = array[start : start + self.width * depth].reshape(-1, depth)
                array[line * size : (line + 1) * size] = old[units].ravel()
            array.resize(len(configs) * size, refcheck=False)
            _permute(array.reshape(len(configs), size), configs)
            shape = (len(configs), len(units))
            found[name] = array.reshape(*shape, depth) if depth > 1 else array.reshape(shape)
        return found


def _permute(lines: np.ndarray, order: np.ndarray) -> None:
    """Bring lines into an order, one after the other."""
    done = order == np.arange(len(order))
    for start in range(len(order)):
        if done[start]:
            continue
        first, place = lines[start].copy(), start
        while order[place] != start:
            lines[place] = lines[order[place]]
            done[place], place = True, order[place]
        lines[place], done[place] = first, True


class _Numbers:
    """Numbers of values, in the order in which they come first."""

    def __init__(self) -> None:
        self._few: dict[Any, int] = {}
        self._many: pd.Index | None = None

    def of(self, values: pd.Series) -> np.ndarray:
        """Return the number of each value, (n_rows,); all that are missing have one."""
        codes, found = pd.factorize(values, use_na_sentinel=False)
        found = pd.Index(found)
        few, n_many = self._few, 0
        numbers = np.full(len(found), -1)
        if self._many is not None:
            numbers, n_many = self._many.get_indexer(found), len(self._many)
        unknown = np.flatnonzero(numbers < 0)
        keys = found[unknown].tolist()
        for place in np.flatnonzero(found.isna()[unknown]):
            keys[place] = None
        numbers[unknown] = [few.setdefault(key, n_many + len(few)) for key in keys]
        if len(few) > max(AT_ONCE, n_many // 8) and None not in few:
            more = pd.Index(list(few))
            if self._many is None or self._many.dtype == more.dtype:
                self._many = more if self._many is None else self._many.append(more)
                self._few = {}
        return numbers[codes]


def _of_levels(column: pd.Series) -> pd.Series:
    """Return a column, or the labels of one with levels."""
    return column.astype(column.cat.categories.dtype) if has_levels(column) else column


def _together(codes: Sequence[np.ndarray], numbers: Sequence[_Numbers]) -> np.ndarray:
    """Number combinations of numbers (n_rows,) below 2**31."""
    found = codes[0]
    for more, known in zip(codes[1:], numbers):
        found = known.of(pd.Series((found << 32) | more))
    return found


def _new(codes: np.ndarray, n_known: int) -> np.ndarray:
    """Return the first row of each code that is new, in the order of the codes."""
    if codes.max() < n_known:
        return np.empty(0, np.int64)
    rows = np.flatnonzero(codes >= n_known)
    return rows[first_of(codes[rows] - n_known)]
