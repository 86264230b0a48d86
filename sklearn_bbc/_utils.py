"""Equality by content, checks of arguments, constructors, registries."""

from __future__ import annotations

import difflib
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, signature
from numbers import Integral, Real
from pathlib import Path
from typing import IO, Any, ParamSpec, TypeVar, dataclass_transform

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.exceptions import DataConversionWarning

from ._lazy import load_bases
from ._rounding import precision
from ._warnings import warn_user


def same(one: Any, other: Any) -> bool:
    """Check whether two values are equal in content, as a value and its unpickled copy are."""
    if one is other:
        return True
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return type(one) is type(other) and _same_arrays(one, other)
    if isinstance(one, (pd.Series, pd.DataFrame, pd.Index)):
        return type(one) is type(other) and bool(one.equals(other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    for sequence in (list, tuple):
        if isinstance(one, sequence) and isinstance(other, sequence):
            return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, BaseEstimator) and type(one) is type(other):
        return same(one.get_params(deep=False), other.get_params(deep=False))
    try:
        equal = bool(one == other)
        both_undefined = bool(one != one) and bool(other != other)
    except (TypeError, ValueError):  # an array against something else
        return False
    return equal or both_undefined


def _same_arrays(one: np.ndarray, other: np.ndarray) -> bool:
    if one.shape != other.shape:
        return False
    if one.dtype.names or other.dtype.names:
        return one.dtype.names == other.dtype.names and all(
            _same_arrays(one[name], other[name]) for name in one.dtype.names or ()
        )
    if "O" in (one.dtype.kind, other.dtype.kind):
        return all(map(same, one.ravel().tolist(), other.ravel().tolist()))
    numbers = one.dtype.kind in "fcmM" and other.dtype.kind in "fcmM"
    return bool(np.array_equal(one, other, equal_nan=numbers))


def path_of(path: Any, name: str = "path", of: str = "file") -> Path:
    """Make a path of the name of a file; raise for what is no name."""
    try:
        return Path(os.fsdecode(path))
    except TypeError:
        raise ValueError(f"{name} must be the name of a {of}, got {got(path)}.") from None


def check_place(path: Path) -> None:
    """Raise where no file can be written: over a folder, or in one that does not exist."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder. Save under another name.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent}. Make it before the file.")
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(f"Nothing can be written to the folder {path.parent}.")


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a new file that replaces the old one only when it is complete."""
    path = Path(os.path.realpath(path))  # of a link, what it points to
    check_place(path)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(part, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, part)
        os.replace(part, path)
    except BaseException as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        kept = "; the file that was there is as before" if path.exists() else ""
        raise type(error)(
            error.errno,
            f"The file could not be written{kept}: {error.strerror or error}. Free some space, or "
            "save it elsewhere",
            str(path),
        ) from error


def suppress_fp_warnings() -> np.errstate:
    """Suppress NumPy's warnings about extreme values, as a context or a decorator.

    Their effect shows in the result: an infinite bound, or NaN with the reason. Scorers
    and estimators of users are called with the settings of the caller instead. NumPy keeps
    these settings per thread, so what runs in a worker is put into a context of its own.
    """
    return np.errstate(all="ignore")


def nan_loses(scores: np.ndarray) -> np.ndarray:
    """Replace NaN by minus infinity, since NaN would win in `numpy.argmax` and `max`."""
    return np.where(np.isnan(scores), -np.inf, scores)


def is_indicator(values: np.ndarray) -> bool:
    """Check whether an array contains nothing but 0 and 1."""
    if values.dtype.kind == "b":
        return True
    if values.dtype.kind not in "iuf":
        return False
    if values.ndim > 2:
        return all(map(is_indicator, values))
    # Most others show it in their first rows; and a mask of all would take memory.
    step = max(1, _CELLS_AT_ONCE // max(1, values[:1].size))
    parts = (values[start : start + step] for start in range(0, len(values), step))
    return all(bool(((part == 0) | (part == 1)).all()) for part in parts)


_CELLS_AT_ONCE = 2**18


def one_per_sample(groups: Any) -> Any:
    """Return groups with one axis; a column is taken as its values, with a warning.

    Missing groups are refused: as text, in a list, they would all be one group of the name "nan".
    This is what scikit-learn's `column_or_1d` does for `y`. Its splitters do not do it for
    groups: they fail with "object too deep for desired array".
    """
    if groups is None:
        return None
    try:
        shape = np.shape(groups)
    except ValueError as error:  # lists of different lengths
        raise ValueError(f"groups must have one value per sample: {error}") from error
    if len(shape) == 1:
        return _without_missing(groups)
    column = _only_column(groups) if len(shape) == 2 and shape[1] == 1 else None
    if column is not None and np.shape(column) == shape[:1]:
        warn_user(
            f"groups has shape {shape}; its one column is taken. Pass one value per sample, such "
            'as df["site"] rather than df[["site"]], or groups.ravel() of an array.',
            DataConversionWarning,
        )
        return _without_missing(column)
    if not shape:
        raise ValueError(f"groups must have one value per sample, got {groups!r}.")
    several = len(shape) == 2 and shape[1] > 1
    raise ValueError(
        f"groups has shape {shape}, expected ({shape[0]},): one per sample."
        + (' Make one of several columns: df.groupby(["site", "year"]).ngroup().' * several)
    )


def _without_missing(groups: Any) -> Any:
    values = groups if isinstance(groups, np.ndarray) else np.asarray(groups, dtype=object)
    missing = np.flatnonzero(pd.isna(values))
    if len(missing):
        raise ValueError(
            f"groups contains {len(missing)} missing value{'s' * (len(missing) > 1)} (NaN or "
            f"None) among {len(values)}, the first at position {missing[0]}. Remove these "
            "samples, or give a sample that depends on no other a group of its own."
        )
    return groups


def with_groups(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of `fit`, with `one_per_sample` applied to the groups."""
    if "groups" not in params:
        return dict(params)
    return {**params, "groups": one_per_sample(params["groups"])}


def _only_column(table: Any) -> Any:
    if isinstance(table, pd.DataFrame):
        return table.iloc[:, 0]
    # A masked array keeps its mask, which is refused by those who take no mask.
    return (table if isinstance(table, np.ndarray) else np.asarray(table)).ravel()


def is_integer(value: Any, least: int | None = None) -> bool:
    """Check whether a value is a whole number, of Python or NumPy, and at least `least`."""
    whole = isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))
    return whole and (least is None or bool(value >= least))


def is_number(value: Any) -> bool:
    """Check whether a value is a real number and no truth value."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def check_integer(
    name: str, value: Any, least: int | None = None, *, or_none: bool = False, why: str = ""
) -> None:
    """Raise unless a parameter is a whole number."""
    if is_integer(value, least) or (or_none and value is None):
        return
    allowed = "None or an integer" if or_none else "an integer"
    of_size = "" if least is None else f" of at least {least}"
    if is_number(value) and np.isfinite(value) and is_integer(int(value), least):
        why = f": a number with a point. Write {name}={int(value)}."
    raise ValueError(f"{name} must be {allowed}{of_size}, got {value!r}{why or '.'}")


def check_flag(name: str, value: Any) -> None:
    """Raise unless a parameter is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, got {value!r}.")


def check_arrays(**arrays: Any) -> None:
    """Raise for what is no array, list or table: a number, a text, any other object."""
    for name, value in arrays.items():
        length = getattr(value, "shape", None) or hasattr(value, "__len__")
        if value is not None and (not length or isinstance(value, str)):
            raise ValueError(f"{name} must be an array, got {got(value)}.")


@contextmanager
def meant_by(name: str, instead_of: str) -> Iterator[None]:
    """Let errors name the parameter that the user knows."""
    try:
        yield
    except ValueError as error:
        raise type(error)(re.sub(rf"\b{instead_of}\b", name, str(error), count=1)) from None


P = ParamSpec("P")
R = TypeVar("R")

LONGEST_VALUE = 80
"""Characters of a value in a message."""

OF_METHODS = ("alternative", "confidence_level", "n_bootstraps", "n_jobs", "random_state")
"""Parameters of an interval method, which people look for where the method is called."""


def nearest(
    name: str, known: Iterable[str], aliases: Mapping[str, str] | None = None
) -> str | None:
    """Find the nearest known name; None where none is near."""
    known = sorted(known)
    plain = {_plain(each): each for each in known}
    also = {word: target for word, target in (aliases or {}).items() if target in known}
    wanted = _plain(name)
    known_as = also.get(wanted) or plain.get(wanted)
    if known_as is None:
        # One wrong letter of three is a third of a short word.
        cutoff = 0.75 if len(wanted) > 3 else 0.66
        near = difflib.get_close_matches(wanted, [*plain, *also], n=1, cutoff=cutoff)
        known_as = {**plain, **also}[near[0]] if near else None
    return known_as


def did_you_mean(name: Any, known: Iterable[str], aliases: Mapping[str, str] | None = None) -> str:
    """Write a sentence that names the nearest known name; empty where none is near."""
    near = nearest(name, known, aliases) if isinstance(name, str) else None
    return "" if near is None else f" Did you mean {near!r}?"


def _plain(name: str) -> str:
    """Keep letters and digits, in lower case: people mix up case, hyphens and underscores."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def got(value: Any) -> str:
    """Describe a value in a message: large and long ones by their kind."""
    kind = type(value).__name__
    if isinstance(value, type):
        return f"the class {value.__name__}"
    words = f"{'an' if kind[0] in 'AEIOUaeiou' else 'a'} {kind}"
    if getattr(value, "shape", ()):
        return f"{'an array' if kind == 'ndarray' else words} of shape {value.shape}"
    line = " ".join(repr(value).split())
    return line if len(line) <= LONGEST_VALUE else words


def explain_arguments(
    hint: str = "", of_method: str = ""
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a decorator by which a function says what it takes, where it is given something else.

    `of_method` shows where a parameter of an interval method goes.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = signature(function).parameters
        kind = {name: each.kind.name for name, each in parameters.items()}
        named = sorted(n for n in kind if n not in ("self", "cls") and kind[n][:4] != "VAR_")
        placed = [name for name in kind if kind[name].startswith("POSITIONAL")]
        needed = [name for name in named if parameters[name].default is Parameter.empty]
        takes_any = "VAR_KEYWORD" in kind.values()
        its = f" Its parameters are {', '.join(named)}." if named else " It takes none."
        if takes_any and "X" in named:
            its += " Those of fit need X, too."

        def meant(owner: str, name: str) -> str:
            if found := nearest(name, named):
                return f" Did you mean {owner}({found}=...)?"
            target = nearest(name, OF_METHODS) if of_method else None
            return f" It belongs to the method: {of_method.format(target)}." if target else ""

        @wraps(function)
        def explained(*args: P.args, **kwargs: P.kwargs) -> R:
            arguments = dict(zip(placed, args)) | kwargs
            unknown = [name for name in kwargs if name not in named]
            # They may be of `fit`, but not without the data.
            fits = takes_any and ("X" not in kind or arguments.get("X") is not None)
            name = function.__name__
            owner = type(args[0]).__name__ if name == "__init__" else name
            if unknown and not fits:
                problem = f"has no parameter {unknown[0]!r}.{meant(owner, unknown[0])}"
            elif len(args) > len(placed) and "VAR_POSITIONAL" not in kind.values():
                take = [name for name in placed if name in named]
                those = f"only {', '.join(take)}" if take else "no arguments"
                problem = f"takes {those} by position; {got(args[len(placed)])} is too much."
            elif missing := [name for name in needed if name not in arguments]:
                problem = f"needs {' and '.join(missing)}."
            else:
                return function(*args, **kwargs)
            raise TypeError(f"{owner} {problem}{its}{hint}")

        return explained

    return decorate


def explain_init(cls: type, hint: str = "", of_method: str = "") -> None:
    """Make a constructor name the arguments meant by unknown ones, see `explain_arguments`."""
    if "__init__" in cls.__dict__:
        cls.__init__ = explain_arguments(hint, of_method)(cls.__dict__["__init__"])  # type: ignore[misc]


@dataclass_transform(kw_only_default=True)
def with_parameters(cls: type[R]) -> type[R]:
    """Give a class a constructor that stores its annotated parameters, keyword-only."""
    dataclass(kw_only=True, eq=False, repr=False)(cls)
    explain_init(cls)
    return cls


def check_splitter(cv: Any) -> None:
    """Raise for a splitter class, and for a list with entries that are not (train, test)."""
    if isinstance(cv, type):
        call = "n_splits=5" if "n_splits" in signature(cv).parameters else ""
        raise ValueError(
            f"cv must be a splitter object, got the class: pass {cv.__name__}({call})."
        )
    if isinstance(cv, (list, tuple)):
        for each in cv:
            if not hasattr(each, "__len__") or len(each) != 2:
                raise ValueError(
                    "cv must be a number, a splitter or a list of pairs (train, test), such as "
                    f"list(splitter.split(X, y)); it holds {got(each)}."
                )


def register(registry: dict[str, Any], cls: type, what: str) -> None:
    """Register a class under its name."""
    load_bases(cls)
    name: str = cls.name  # type: ignore[attr-defined]
    known = registry.get(name)
    if known is not None and _home(known) != _home(cls):
        raise ValueError(
            f"The name {name!r} of the {what} {_home(cls)} is taken by {_home(known)}. Give the "
            "class another name."
        )
    registry[name] = cls


def _home(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


ULPS = 16
"""Relative roundings within which a score equals a threshold: a forest adds up its trees."""


def lowest_reaching(thresholds: Any, scores: np.ndarray, *, turned: bool = False) -> np.ndarray:
    """Find the lowest score (n_thresholds,) that counts as reaching each threshold.

    A score that equals a threshold up to rounding reaches it: 0.7 is as often stored a little
    below as above. `scores` (n_rows,) tell the precision; those of `other_class` are `turned`.
    """
    thresholds, eps = np.asarray(thresholds, dtype=float), precision(scores)
    size = np.where(np.isfinite(thresholds), np.abs(thresholds), 0.0)
    return np.asarray(thresholds - eps * (ULPS * size + (ULPS / 4 if turned else 0.0)))


def other_class(probabilities: np.ndarray) -> np.ndarray:
    """Turn probabilities of one of two classes into the other's, of any shape, as precisely."""
    single = precision(probabilities.ravel()) > np.finfo(np.float64).eps
    return (1 - probabilities).astype(np.float32) if single else 1 - probabilities
