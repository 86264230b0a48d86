"""The rows of long tables by numbers: checked, and brought into samples and configurations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np
import pandas as pd

from ..._batches import has_levels, plain
from ..._tables import FEW, check_one_kind, class_in_names, listing, numbers_in
from ..._text import count, is_are
from .._validation import infer_classes, scores_of_second_class
from ._forms import FOLD_OF_REPEAT, FROM_DOCUMENTATION, LongRoles
from ._shared import (
    Predictions,
    check_several_values,
    check_sum_to_one,
    checked_positive,
    codes_of,
    event_note,
    numbers_of,
    set_on,
)

CONFIGS_NAMED = 3
"""Configurations that a message names."""
NAMES_OF_TRAINING = frozenset(["train", "training", "in-bag", "analysis"])
NAMES_OF_HELD_OUT = frozenset(
    ["test", "testing", "valid", "validation", "val", "assessment", "holdout"]
)
"""Names of parts of the data, in columns that have nothing else."""


def predictions_of_rows_of(
    cls: type[Predictions], frame: pd.DataFrame, roles: LongRoles, name: str
) -> Predictions:
    """Check the rows and bring them into the order of configurations and samples."""
    frame = frame if roles.frame is None else roles.frame
    _check_held_out(frame, roles, name)
    rows = Rows(frame, roles, name)
    y_true = one_of_each_sample(rows, roles.target)
    classes = infer_classes(y_true)
    if roles.probabilities:
        classes = classes_of_roles(roles, y_true, name)
    notes, why = [*roles.notes], rows.why_incomplete()
    more_than_once = len(frame) > len(rows.samples) * len(rows.configs)
    if more_than_once and rows.fold is not None and rows.repeat is None:
        rows.repeat = rows.repeats_in_blocks()
        if rows.repeat is not None:
            why = rows.why_incomplete()
            notes.append(rows.note_of_blocks())
    if why is not None and rows.fold is not None:
        rows.fold = None
        if rows.why_incomplete() is not None:
            raise ValueError(why)
        why = None
        notes.append(
            "The configurations were held out in folds of their own, so folds are not taken: "
            "predictions are compared by sample."
        )
    if why is not None:
        raise ValueError(why)
    unit, of_unit = rows.units()
    order = np.empty(len(unit), dtype=_type_below(len(unit)))
    order[rows.config * order.dtype.type(len(of_unit)) + unit] = np.arange(len(unit))
    del unit
    first = order[: len(of_unit)]  # a row of each unit, of the first configuration
    shape = (len(rows.configs), len(of_unit))
    responses = _responses(frame, roles, classes, order, shape, name)
    return predictions_of_units(cls, rows, y_true, classes, responses, first, notes)


def predictions_of_units(
    cls: type[Predictions],
    rows: Rows,
    y_true: np.ndarray,
    classes: np.ndarray | None,
    responses: dict[str, np.ndarray],
    first: np.ndarray,
    notes: Sequence[str],
) -> Predictions:
    """Make predictions of checked rows; `first` (n_units,) is a row of each unit."""
    roles = rows.roles
    positive, event = _event_of_roles(roles, classes, responses)
    if set(responses) == {"plain"} and classes is not None and positive is not None:
        responses["plain"] = scores_of_second_class(responses["plain"], classes, positive)
    said = [rows.said(), *event]
    if roles.tool in FROM_DOCUMENTATION:
        said.append(f"The form of {roles.tool} is taken from its documentation, not from a run.")
    index = pd.Index(rows.samples[roles.sample], name=roles.sample)
    oof = cls.from_rows(
        y_true=pd.Series(y_true, index=index), responses=responses, sample=rows.sample[first],
        fold=None if rows.fold is None else rows.fold[first],
        repeat=None if rows.repeat is None else rows.repeat[first],
        groups=rows.per_sample(roles.groups, "groups"),
        sample_weight=rows.per_sample(roles.sample_weight, "weights"),
        classes=classes, params=_params(rows), pos_label=positive, notes=[*said, *notes],
    )  # fmt: skip
    if "plain" in responses:
        set_on(oof, from_y_pred=True)
    return oof


def _check_held_out(frame: pd.DataFrame, roles: LongRoles, name: str) -> None:
    """Raise where a column without a role, or of configurations, marks rows of training data."""
    others = {roles.sample, roles.target, roles.labels, roles.fold, roles.repeat, roles.groups}
    for column in frame.columns.difference([*others - {None}], sort=False):
        if pd.api.types.is_numeric_dtype(frame[column].dtype):
            continue
        try:
            found = {str(each) for each in frame[column].dropna().unique()}
        except TypeError:  # of lists
            continue
        if training := names_of_training(found):
            raise ValueError(
                f"{name}: column {column!r} says {training[0]!r} in some rows: a model has seen "
                "these samples. Leave these rows out; predictions must be of samples held out."
            )


def names_of_training(found: Set[str]) -> list[str]:
    """List the names of training data, where all names are those of parts of the data."""
    if not {each.lower() for each in found} <= NAMES_OF_TRAINING | NAMES_OF_HELD_OUT:
        return []
    return sorted(each for each in found if each.lower() in NAMES_OF_TRAINING)


class Rows:
    """The rows of a table by numbers: sample, configuration, fold and repeat of each.

    With `of_configs`, a row for each configuration, `frame` has one for each unit only.
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        roles: LongRoles,
        name: str,
        of_configs: pd.DataFrame | None = None,
    ):
        self.frame, self.roles, self.name = frame, roles, name
        self.of_configs = frame if of_configs is None else of_configs
        self.sample, self.samples = _codes(frame, [roles.sample], name)
        self.config, self.configs = _codes(self.of_configs, roles.config, name)
        self.fold, self.repeat = _fold_codes_of(frame, roles, name)

    def units(self) -> tuple[np.ndarray, np.ndarray]:
        """Number what each configuration must predict once: a sample in a fold of a repeat.

        Return the number of each row, (n_rows,), and the sample of each number, (n_units,).
        """
        code, n_codes = self.sample, len(self.samples)
        for part in (self.repeat, self.fold):
            if part is not None:
                n_parts = int(part.max()) + 1
                n_codes *= n_parts
                code = code.astype(_type_below(n_codes)) * code.dtype.type(n_parts) + part
        unit = _ranks(code, n_codes)
        return unit, self.sample[first_of(unit)]

    def per_sample(self, column: str | None, what: str) -> np.ndarray | None:
        """Return a column by sample, where one is named."""
        return None if column is None else one_of_each_sample(self, column, what)

    def why_incomplete(self) -> str | None:
        """Say which configurations have no row, or several, for a sample; None if all have one."""
        unit, of_unit = self.units()
        n_units, n_configs = len(of_unit), len(self.configs)
        kind = _type_below(n_units * n_configs)
        cell = self.config.astype(kind) * kind(n_units) + unit
        if len(cell) == n_units * n_configs:
            seen = np.zeros(len(cell), dtype=bool)
            seen[cell] = True
            if seen.all():
                return None
        cell, times = np.unique(cell, return_counts=True)
        if (times > 1).any():
            return self.why_double(cell[times > 1], of_unit, self.frame)
        return self.why_absent(np.setdiff1d(np.arange(n_units * n_configs), cell), of_unit)

    def _shown(self, places: np.ndarray, of_unit: np.ndarray) -> str:
        """Name some configurations, and a sample of each, by places among all pairs."""
        of_config = np.bincount(places // len(of_unit), minlength=len(self.configs))
        parts = []
        for c in np.flatnonzero(of_config)[:CONFIGS_NAMED]:
            place = places[places // len(of_unit) == c][0] % len(of_unit)
            such = self.samples[self.roles.sample].iloc[of_unit[place]]
            of = f"{config_text(self.configs, c)}: " if self.roles.config else ""
            parts.append(f"{of}{of_config[c]:,}, such as sample {such}")
        n_more = int((of_config > 0).sum()) - len(parts)
        return "; ".join(parts) + (f"; and {n_more} more" if n_more else "")

    def why_double(self, double: np.ndarray, of_unit: np.ndarray, names: Iterable[Any]) -> str:
        """Say which pairs, by their places, are there several times; `names` of columns."""
        roles = self.roles
        known = {roles.sample, roles.target, roles.labels, roles.fold, roles.repeat}
        known |= {*roles.config, *roles.probabilities.values()}
        rest = [each for each in names if each not in known]
        return (
            f"{self.name}: {count(len(double), 'pair')} of sample and configuration "
            f"{is_are(len(double))} there several times ({self._shown(double, of_unit)}). If a "
            "column tells these rows apart, name it with config=, fold= or repeat=."
            + (f" There are {listing(rest)}." if rest else " There is none that has no role.")
        )

    def why_absent(self, absent: np.ndarray, of_unit: np.ndarray) -> str:
        """Say which pairs, by their places, are missing."""
        n_pairs = len(of_unit) * len(self.configs)
        return (
            f"{self.name}: {len(absent):,} of {count(n_pairs, 'pair')} of sample and "
            f"configuration {is_are(len(absent))} missing ({self._shown(absent, of_unit)}). The "
            "table may be cut off, or a configuration failed or was dropped early, as in adaptive "
            "resampling. Write it again, or leave such "
            "configurations out."
        )

    def repeats_in_blocks(self) -> np.ndarray | None:
        """Number the repeats (n_rows,) of which one comes below the other, with other folds.

        None where the rows of a configuration are no such blocks, or another column tells the
        blocks apart: then they may be configurations.
        """
        roles, n_samples = self.roles, len(self.samples)
        times, rest = np.divmod(np.bincount(self.config), n_samples)
        if self.fold is None or rest.any() or np.ptp(times) or times[0] < 2:
            return None
        order = np.argsort(self.config, kind="stable")
        shape = (len(times), int(times[0]), n_samples)
        sample, fold = self.sample[order].reshape(shape), self.fold[order].reshape(shape)
        if (np.sort(sample) != np.arange(n_samples)).any():
            return None
        of_sample = np.empty_like(fold)
        np.put_along_axis(of_sample, sample, fold, axis=2)
        of_blocks = of_sample[0]
        if (of_sample != of_blocks).any() or len(np.unique(of_blocks, axis=0)) < shape[1]:
            return None
        known = {roles.sample, roles.target, roles.labels, roles.fold, roles.groups}
        known |= {roles.sample_weight, *roles.config, *roles.probabilities.values()}
        for column in (each for each in self.frame if each not in known):
            codes = pd.factorize(self.frame[column], use_na_sentinel=False)[0]
            blocks = codes[order].reshape(-1, n_samples)
            if (blocks == blocks[:, :1]).all() and np.ptp(blocks[:, 0]):
                return None
        repeat = np.empty(len(order), dtype=np.int32)
        repeat[order] = np.tile(np.repeat(np.arange(shape[1]), n_samples), shape[0])
        return repeat

    def note_of_blocks(self) -> str:
        """Say that repeats were found as blocks of rows."""
        assert self.repeat is not None
        return (
            f"Folds begin anew {count(int(self.repeat.max()), 'time')}: each sample is there once "
            f"in each block of {len(self.samples):,} rows of a configuration, in other folds than "
            "before, so the blocks are taken for repeats."
        )

    def said(self) -> str:
        """Say what was taken for what."""
        roles = self.roles
        by = f" by {listing([repr(each) for each in roles.config])}" if roles.config else ""
        of_folds = [repr(each) for each in (roles.repeat, roles.fold) if each is not None]
        folds = f", folds by {listing(of_folds)}" if self.fold is not None else ", no folds"
        return (
            f"{self.name}{f' of {roles.tool}' if roles.tool else ''}: "
            f"{count(len(self.samples), 'sample')} by {roles.sample!r}, "
            f"{count(len(self.configs), 'configuration')}{by}, target {roles.target!r}{folds}."
        )


def _codes(
    frame: pd.DataFrame, names: Sequence[str], name: str
) -> tuple[np.ndarray, pd.DataFrame]:
    """Number the different rows of some columns in sorted order; return the rows, too."""
    if not names:
        return np.zeros(len(frame), dtype=np.int32), pd.DataFrame(index=[0])
    code, n_codes = np.zeros(len(frame), dtype=np.int32), 1
    for column in names:
        values = frame[column]
        if len(names) == 1 and values.isna().any():
            row = int(values.isna().to_numpy().argmax())
            raise ValueError(
                f"{name}: column {column!r} is empty in row {row + 1} of the data "
                f"({count(int(values.isna().sum()), 'such row')})."
            )
        known = (pd.CategoricalDtype, pd.StringDtype)
        if not isinstance(values.dtype, known) and numbers_in(values) is None:
            values = values.astype(object)
        part, n_found = _sorted_codes(values)
        n_codes *= n_found
        code = code.astype(_type_below(n_codes)) * _type_below(n_codes)(n_found)
        code += part.astype(code.dtype)
        if len(names) > 1:
            code = _ranks(code, n_codes)
            n_codes = int(code.max()) + 1
    firsts = frame[list(names)].iloc[first_of(code)].reset_index(drop=True)
    for column in firsts:
        firsts[column] = plain(firsts[column])
    return code, firsts


def _sorted_codes(values: pd.Series) -> tuple[np.ndarray, int]:
    """Number the different values of a column in sorted order; those of text have numbers."""
    if isinstance(values.dtype, pd.CategoricalDtype) and not has_levels(values):
        codes, seen = values.cat.codes.to_numpy(), np.zeros(len(values.cat.categories), bool)
        seen[codes] = True
        if seen.all() and codes.min() >= 0:
            return codes, len(seen)
    codes, found = pd.factorize(values, sort=True, use_na_sentinel=False)
    return codes, len(found)


def _type_below(n: int) -> type[np.signedinteger[Any]]:
    """Return the smaller type that holds the numbers below `n`."""
    return np.int32 if n <= 2**31 else np.int64


def _ranks(code: np.ndarray, n_codes: int) -> np.ndarray:
    """Number the codes (n_rows,) that are there, in their order, from 0 on."""
    if n_codes > max(4 * len(code), 2**16):
        ranks = pd.factorize(code, sort=True)[0]
        return ranks.astype(_type_below(len(code)))
    seen = np.zeros(n_codes, dtype=bool)
    seen[code] = True
    return (np.cumsum(seen, dtype=_type_below(n_codes)) - 1)[code]


def first_of(code: np.ndarray) -> np.ndarray:
    """Return the first row of each code, of which there are 0 to the largest one."""
    first = np.zeros(int(code.max()) + 1, dtype=np.int64)
    first[code[::-1]] = np.arange(len(code) - 1, -1, -1, dtype=_type_below(len(code)))
    return first


def _fold_codes_of(
    frame: pd.DataFrame, roles: LongRoles, name: str
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return fold and repeat of each row as numbers; a fold may name its repeat."""
    repeat = None if roles.repeat is None else _codes(frame, [roles.repeat], name)[0]
    if roles.fold is None:
        return None, repeat
    fold, folds = _codes(frame, [roles.fold], name)
    matches = [FOLD_OF_REPEAT.fullmatch(str(each)) for each in folds[roles.fold]]
    if repeat is None and all(matches):
        of_fold, of_repeat = (
            pd.factorize(np.array([m[part] for m in matches if m], object))[0].astype(np.int32)
            for part in ("fold", "repeat")
        )
        return of_fold[fold], of_repeat[fold]
    return fold, repeat


def one_of_each_sample(rows: Rows, of: str, what: str = "targets") -> np.ndarray:
    """Return a column by sample, (n_samples,); raise where a sample has several values."""
    frame, roles, name, sample = rows.frame, rows.roles, rows.name, rows.sample
    column = frame[of]
    check_one_kind(column, f"{name}: column {of!r}")
    code, _ = _codes(frame, [of], name)
    first = first_of(sample)
    apart = code[first[sample]] != code
    if apart.any():
        row = int(apart.argmax())
        before = first[sample[row]]
        raise ValueError(
            f"{name}: {count(len(np.unique(sample[apart])), 'sample')} of {len(first):,} have "
            f"several {what}: sample {frame[roles.sample].iloc[row]} has "
            f"{column.iloc[before]!s} in row {before + 1} of the data and {column.iloc[row]!s} in "
            f"row {row + 1}. Either column {roles.sample!r} does not name samples, or tables of "
            "different data were joined."
        )
    column = plain(column.iloc[first])
    values = numbers_in(column)
    found = column.astype(object).to_numpy() if values is None else values
    if of == roles.target:
        check_several_values(found, f"{name}: the target {of!r}")
    return found


def config_text(configs: pd.DataFrame, config: int) -> str:
    """Write a configuration for a message."""
    row = configs.iloc[config]
    if len(configs.columns) == 1:
        return f"{configs.columns[0]}={row.iloc[0]}"
    return "(" + ", ".join(f"{name}={row[name]}" for name in configs.columns) + ")"


def classes_of_roles(roles: LongRoles, y_true: np.ndarray, name: str) -> np.ndarray:
    """Return the sorted classes of the probability columns; those of the target are among them."""
    labels, known = np.unique(y_true), {}
    for given in roles.probabilities:
        found = [each for each in labels.tolist() if each == given or str(each) == str(given)]
        known[found[0] if found else given] = roles.probabilities[given]
    roles.probabilities = known
    without = [each for each in labels.tolist() if each not in known]
    if without:
        raise ValueError(
            f"{name}: the target has {listing(without)}, without a column of its probability. "
            f"Name one for each class: prediction={{{str(labels[0])!r}: 'COLUMN', ...}}."
        )
    return np.unique(
        np.array(list(known), dtype=labels.dtype if labels.dtype.kind != "O" else object)
    )


def _responses(
    frame: pd.DataFrame,
    roles: LongRoles,
    classes: np.ndarray | None,
    order: np.ndarray,
    shape: tuple[int, int],
    name: str,
) -> dict[str, np.ndarray]:
    """Make arrays (n_configs, n_units[, n_classes]) of what the columns hold."""
    responses = {}
    if roles.probabilities:
        assert classes is not None
        values = np.stack(
            [numbers_of(frame[roles.probabilities[each]], name) for each in classes.tolist()],
            axis=1,
        )
        check_sum_to_one(values, name)
        responses["predict_proba"] = values[order].reshape(*shape, len(classes))
    if roles.labels is None:
        return responses
    column = frame[roles.labels]
    if classes is None or not are_labels_of(column, classes, roles):
        if not roles.probabilities:
            responses["plain"] = numbers_of(column, name)[order].reshape(shape)
        return responses
    if not column.dropna().isin(classes.tolist()).all() and _are_mostly_numbers(column):
        numbers_of(column, name)  # says which value is none
    codes = codes_of(column, classes.tolist(), f"{name}: column {roles.labels!r}")
    responses["predict"] = codes[order].reshape(shape)
    return responses


def are_labels_of(column: pd.Series, classes: np.ndarray | None, roles: LongRoles) -> bool:
    """Check whether predictions are labels; of a tool that is known, numbers may be."""
    if classes is None:
        return False
    return numbers_in(column) is None or bool(roles.tool and _are_all(column, classes))


def _are_mostly_numbers(column: pd.Series) -> bool:
    return bool(pd.to_numeric(plain(column), errors="coerce").notna().mean() > 0.5)


def _are_all(column: pd.Series, classes: np.ndarray) -> bool:
    return len(classes) <= FEW and bool(column.dropna().isin(classes.tolist()).all())


def _event_of_roles(
    roles: LongRoles, classes: np.ndarray | None, responses: Mapping[str, np.ndarray]
) -> tuple[Any, list[str]]:
    """Return which of two classes is the event, and a note on it."""
    if classes is None or len(classes) != 2:
        if roles.positive is not None and roles.why_positive.startswith("as "):
            checked_positive(roles.positive, [] if classes is None else classes.tolist())
        return None, []
    positive, why = roles.positive, roles.why_positive
    if positive is None or ("plain" in responses and not why.startswith("as ")):
        if "plain" in responses and (label := class_in_names([str(roles.labels)], classes)):
            raise ValueError(
                f"Column {roles.labels!r} is named after class {label!r}, but scores are taken to "
                f"be higher for {classes[1]!s}, the last one. Say positive={label!r}, or "
                "rename it."
            )
        return None, event_note(classes.tolist())
    positive = checked_positive(positive, classes.tolist())
    return positive, event_note(classes.tolist(), positive, why)


def _params(rows: Rows) -> list[dict[str, Any]]:
    """List the parameters of each configuration."""
    roles, configs = rows.roles, rows.configs
    if not roles.config:
        return [{}]
    if roles.params:
        first = first_of(rows.config)
        configs = rows.of_configs[[*roles.config, *roles.params]].iloc[first]
    named, names = configs.to_dict("records"), list(configs.columns)
    if len(names) == 1 and isinstance(named[0][names[0]], str):
        return [{"configuration": each[names[0]]} for each in named]
    return [{str(k): v for k, v in each.items() if not pd.isna(v)} for each in named]
