"""Large long tables, read in parts: each goes into a table of configurations and units.

So no more than that table is in memory, not all rows of the file. What needs all rows, or is an
error whose row is to be named, is left to the reader of whole tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

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
AT_A_TIME = 2**20
"""Bytes of lines that are moved together."""
AT_ONCE = 2**12
"""Values that wait for being put into an index, which takes less memory than a dictionary."""
KINDS = ("number", "string", "boolean")
"""Kinds of values by which samples, configurations and folds are told apart."""


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
        return _Predictions(parts, roles).filled().predictions(cls)
    except IncompleteTable:
        raise
    except (NotInParts, ValueError) as error:  # the whole table says it, with the row
        if is_out_of_memory(error):
            raise
        return None


class Scattered:
    """Values of all pairs of configuration and unit, by the numbers in which they came.

    A unit is what each configuration has once: a sample in a fold of a repeat, or an item.
    `sample` and `more_of_unit` name the columns that tell units apart, `config` those of
    configurations; `of_sample` and `more_of_config` are the same in all rows of each. Those in
    `filled_in` may not be empty. `kinds` as in `Cells`.
    """

    advice = "Take fewer configurations, or a part of the samples."
    needs_all = True
    """Whether columns that have no role matter, too."""
    units_are_lines = False
    """Whether arrays have a line for each unit, and not for each configuration."""

    def __init__(
        self,
        parts: TableInParts,
        *,
        sample: Sequence[str],
        config: Sequence[str],
        kinds: Mapping[str, tuple[Any, int]],
        values: Iterable[str] = (),
        more_of_unit: Sequence[str | None] = (),
        of_sample: Sequence[str | None] = (),
        more_of_config: Sequence[str] = (),
        config_is_filled_in: bool = True,
    ):
        self.given, self.name, self.n_total = parts, parts.name, parts.n_rows
        self.some, self.comma = parts.some, parts.with_comma
        self.sample, self.config, self.more_of_config = [*sample], [*config], [*more_of_config]
        self.more_of_unit = [each for each in more_of_unit if each is not None]
        self.of_sample = [each for each in of_sample if each is not None]
        of_unit = [*self.sample, *self.more_of_unit, *self.of_sample]
        self.of_unit = [*dict.fromkeys(of_unit)]
        self.of_config = [*self.config, *self.more_of_config]
        self.filled_in = [*self.of_unit, *(self.config if config_is_filled_in else ())]
        self.columns = self.used = list(parts.some.columns)
        if not self.needs_all:
            self.used = [*dict.fromkeys([*self.of_unit, *self.of_config, *values])]
            self.columns = self.columns if self.comma is not None else self.used
        self.cells = Cells(kinds)
        self.units, self.configs = Batches(self.name), Batches(self.name)
        self.numbers = {each: _Numbers() for each in (*self.of_unit, *self.of_config)}
        self.sample_numbers, self.unit_numbers, self.config_numbers = (
            [_Numbers() for _ in keys[1:]]
            for keys in (self.sample, [0, *self.more_of_unit], self.config)
        )
        self.constant = {each: np.empty(0, np.int64) for each in self.numbers}
        self.n_rows = self.n_configs = self.n_units = 0
        self.kinds: dict[str, set[str]] = {each: set() for each in self.columns}
        self.types: dict[str, set[Any]] = {each: set() for each in self.columns}
        if any(kind_of(_of_levels(self.some[each])) not in KINDS for each in self.of_unit):
            raise NotInParts
        self.numbers_with_comma = dict.fromkeys(self.columns, False)

    def filled(self) -> Self:
        """Take all rows."""
        for part in self.given.parts():
            self.add(part)
        if self.n_rows != self.n_total or any(each.mixed for each in (self.units, self.configs)):
            raise NotInParts
        if self.comma is not None and any(self.numbers_with_comma.values()):
            raise NotInParts
        return self

    def add(self, part: pd.DataFrame) -> None:
        """Take rows."""
        if self.needs_all and not {*part.columns} <= {*self.columns}:
            raise NotInParts
        part = part.reset_index(drop=True).reindex(columns=self.columns)
        self.look_at_rows(part)
        for name in self.columns:
            self.look_at(name, part[name])
        values = {name: _of_levels(part[name]) for name in (*self.of_unit, *self.of_config)}
        codes = {name: self.numbers[name].of(each) for name, each in values.items()}
        if any(values[name].isna().any() for name in self.filled_in):
            raise NotInParts
        sample = _together([codes[name] for name in self.sample], self.sample_numbers)
        unit = _together([sample, *(codes[name] for name in self.more_of_unit)], self.unit_numbers)
        of_config = [codes[name] for name in self.config] or [np.zeros(len(part), np.int64)]
        config = _together(of_config, self.config_numbers)
        new_units, new_configs = _new(unit, self.n_units), _new(config, self.n_configs)
        self.n_rows += len(part)
        self.n_units += len(new_units)
        self.n_configs += len(new_configs)
        if self.n_units * self.n_configs > TOO_MANY * self.n_total + FEW_PAIRS:
            raise NotInParts
        for name in self.of_unit:
            self.units.add_to(name, values[name], keep=new_units)
        for name in self.of_config:
            self.configs.add_to(name, values[name], keep=new_configs)
        for key, names in ((sample, self.of_sample), (config, self.more_of_config)):
            for name in names:
                self._check_constant(name, key, codes[name])
        self.look_at_pairs(config, unit)
        n_pairs = max(self.n_total, self.n_configs * self.n_units)
        needed = TIMES_TABLE * self.cells.bytes_of_pair * n_pairs - self.cells.n_bytes
        check_fits(self.name, needed, self.advice)
        lines, places = (config, self.n_configs), (unit, self.n_units)
        if self.units_are_lines:
            lines, places = places, lines
        self.cells.reserve(lines[1], places[1], self.n_total)
        self.cells.put(lines[0], places[0], self.values_of(part))

    def look_at_rows(self, part: pd.DataFrame) -> None:
        """Look at rows before anything else."""

    def look_at_pairs(self, config: np.ndarray, unit: np.ndarray) -> None:
        """Look at the configuration and the unit of each row, (n_rows,)."""

    def values_of(self, part: pd.DataFrame) -> dict[str, np.ndarray]:
        """Return the values of rows by name, (n_rows, depth)."""
        raise NotImplementedError

    def look_at(self, name: str, values: pd.Series) -> None:
        """Note the kind of the values of a column, and whether they have a decimal comma."""
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
        if name in self.used and len(self.kinds[name]) > 1:
            raise NotInParts
        if kind not in ("", *KINDS) and name in self.numbers:
            raise NotInParts
        if name in self.numbers_with_comma and kind == "string":
            if not are_comma_numbers(values.dropna()):
                del self.numbers_with_comma[name]
            elif has_decimal_comma(values.dropna()):
                self.numbers_with_comma[name] = True
        if name in (self.comma or ()) and kind != "":
            if kind != "number" or not np.isfinite(values.dropna()).all():
                raise NotInParts

    def _check_constant(self, name: str, key: np.ndarray, codes: np.ndarray) -> None:
        """Check that a column is the same in all rows of each key, sample or configuration."""
        known = self.constant[name]
        if len(new := _new(key, len(known))):
            known = self.constant[name] = np.append(known, codes[new])
        if (known[key] != codes).any():
            raise NotInParts

    def typed(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Give columns the type that they have in all parts."""
        for name in frame:
            if len(types := self.types[str(name)]) == 1:
                (dtype,) = types
                is_number = isinstance(dtype, np.dtype) and dtype.kind in "iuf"
                if is_number or isinstance(dtype, pd.CategoricalDtype):
                    frame[name] = plain(frame[name]).astype(dtype)  # levels in their order
        return frame


class _Predictions(Scattered):
    """Predictions of all pairs of configuration and unit, a sample in a fold of a repeat."""

    def __init__(self, parts: TableInParts, roles: LongRoles):
        self.roles = roles
        target = plain(parts.some[roles.target].dropna())
        found = numbers_in(target)
        self.labels_seen = set(target.unique().tolist())
        some_y = target.astype(object).to_numpy() if found is None else found
        self.classes = infer_classes(some_y)
        self.of_class: list[str] = []
        if roles.probabilities:
            known = replace(roles, probabilities=dict(roles.probabilities))
            self.classes = classes_of_roles(known, some_y, parts.name)
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
        super().__init__(
            parts, sample=[roles.sample], config=roles.config, kinds=kinds,
            more_of_unit=[roles.repeat, roles.fold],
            of_sample=[roles.target, roles.groups, roles.sample_weight],
            more_of_config=roles.params or (), config_is_filled_in=len(roles.config) == 1,
        )  # fmt: skip
        self.labels, self.number_of_label = Batches(self.name), _Numbers()
        self.last, self.is_in_order = np.empty(0, np.int64), True
        with_role = {*self.of_unit, roles.labels} - {roles.sample_weight}
        others = {*self.columns} - with_role
        self.names_of_parts: dict[str, set[str]] = {each: set() for each in others}
        self.same: dict[str, Any] = {"set": "test"} if roles.tool in ("mlr", "mlr3") else {}
        if roles.tool == "mlr" and "task.id" in self.columns:
            self.same["task.id"] = parts.some["task.id"].iloc[0]

    # --- a part of the rows ---

    def look_at_rows(self, part: pd.DataFrame) -> None:
        if any((part[each] != value).any() for each, value in self.same.items() if each in part):
            raise NotInParts

    def look_at(self, name: str, values: pd.Series) -> None:
        """Note, too, what of its texts would matter."""
        super().look_at(name, values)
        values = _of_levels(values)
        if name in self.names_of_parts and not pd.api.types.is_numeric_dtype(values.dtype):
            try:
                self.names_of_parts[name] |= {str(each) for each in values.dropna().unique()}
            except TypeError:  # of lists
                del self.names_of_parts[name]
                return
            if len(self.names_of_parts[name]) > FEW:
                del self.names_of_parts[name]

    def look_at_pairs(self, config: np.ndarray, unit: np.ndarray) -> None:
        """Note whether the units of each configuration come in the order of their numbers."""
        if self.roles.fold is None or self.roles.repeat is not None:
            return
        self.last = np.append(self.last, np.full(self.n_configs - len(self.last), -1))
        order = np.argsort(config, kind="stable")
        config, unit = config[order], unit[order]
        starts = np.flatnonzero(np.diff(config, prepend=-1))
        ends = np.append(starts[1:], len(config)) - 1
        before = np.append(-1, unit[:-1])
        before[starts] = self.last[config[starts]]
        self.is_in_order &= bool((unit > before).all())
        self.last[config[ends]] = unit[ends]

    def values_of(self, part: pd.DataFrame) -> dict[str, np.ndarray]:
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
        if any(map(names_of_training, self.names_of_parts.values())):
            raise NotInParts
        units, configs = self.typed(self.units.frame()), self.typed(self.configs.frame())
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


class Cells:
    """Arrays with a line for each configuration and a place for each unit, or the other way round.

    They grow in place.
    """

    def __init__(self, kinds: Mapping[str, tuple[Any, int]]):
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

    def reserve(self, needed_lines: int, needed_places: int, n_total: int) -> None:
        """Make place for lines and places, of which there will be `n_total` pairs."""
        n_lines, width = self.n_lines, self.width
        if needed_lines > n_lines:
            n_lines = max(needed_lines, min(int(n_lines * GROWTH) + 1, n_total // needed_places))
        if needed_places > width:
            width = max(needed_places, min(int(width * GROWTH) + 1, n_total // needed_lines))
        if (n_lines, width) == (self.n_lines, self.width):
            return
        for name in self.arrays:
            self._grow(name, n_lines, width)
        self.n_lines, self.width = n_lines, width

    def _grow(self, name: str, n_lines: int, width: int) -> None:
        """Make an array larger; in place, some lines at a time, where a copy would be large."""
        array, depth = self.arrays[name], self.depths[name]
        old, new = self.width * depth, width * depth
        if array.nbytes < LARGE:
            self.arrays[name] = np.zeros(n_lines * new, array.dtype)  # owns its memory
            grown = self.arrays[name].reshape(n_lines, new)
            grown[: self.n_lines, :old] = array.reshape(self.n_lines, old)
            return
        array.resize(n_lines * new, refcheck=False)
        for some in reversed(blocks_of(self.n_lines, new * array.itemsize)) if new > old else ():
            lines = array[some.start * old : some.stop * old].reshape(-1, old).copy()
            grown = array[some.start * new : some.stop * new].reshape(-1, new)
            grown[:, :old], grown[:, old:] = lines, 0

    def put(self, line: np.ndarray, place: np.ndarray, values: dict[str, np.ndarray]) -> None:
        """Put values (n_rows, depth) into their places; count how often each was there, to 2."""
        places = line * self.width + place
        for name, each in values.items():
            self.arrays[name].reshape(-1, self.depths[name])[places] = each
        times = self.arrays["times"]
        found, n_times = np.unique(places, return_counts=True)
        times[found] = np.minimum(times[found] + n_times, 2)

    def ordered(self, lines: np.ndarray, places: np.ndarray) -> dict[str, np.ndarray]:
        """Return arrays (n_lines, n_places[, depth]) in an order of both, and forget them."""
        found = {}
        for name in list(self.arrays):
            array, depth = self.arrays.pop(name), self.depths[name]
            old, new = self.width * depth, len(places) * depth
            for some in blocks_of(len(lines), old * array.itemsize):
                part = array[some.start * old : some.stop * old].reshape(-1, self.width, depth)
                array[some.start * new : some.stop * new] = part[:, places].ravel()
            array.resize(len(lines) * new, refcheck=False)
            _permute(array.reshape(len(lines), new), lines)
            shape = (len(lines), len(places))
            found[name] = array.reshape(*shape, depth) if depth > 1 else array.reshape(shape)
        return found


def blocks_of(n_lines: int, bytes_of_line: int) -> list[slice]:
    """Cut lines into some at a time."""
    step = max(1, AT_A_TIME // max(bytes_of_line, 1))
    return [slice(first, min(first + step, n_lines)) for first in range(0, n_lines, step)]


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
