"""A short text that is the same for the same content: data, estimators, functions, splits.

Content means values, not objects: a view, a copy and another memory order of an array are the
same; two functions of one name with other code are not, nor are two that call helpers of one name
with other code. Nothing is read back from it.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import pickle
import sys
import types
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator


def fingerprint(value: Any, *, versions: bool = True, fitted: bool = False) -> str:
    """Hash the content of a value.

    Parameters
    ----------
    value : object
        Numbers, text, arrays, sparse matrices, pandas objects, estimators, functions, random
        states, and containers of these.
    versions : bool, default=True
        Whether a function or a class of an installed package differs from the same one of
        another version of the package.
    fitted : bool, default=False
        Whether an estimator that has learned something differs from one that has not. A search
        fits copies that have not, so False leaves it out where `sklearn.base.clone` does: not of a
        `FrozenEstimator`, nor of models that functions and other objects hold.

    Returns
    -------
    str
        32 hexadecimal digits, the same in every process and on every platform of one version
        of the packages.

    Raises
    ------
    TypeError
        If an object can be neither looked into nor pickled.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.store import fingerprint
    >>> table = np.arange(6.0).reshape(2, 3)
    >>> fingerprint(table) == fingerprint(np.asfortranarray(table))
    True
    >>> fingerprint(lambda x: x) == fingerprint(lambda x: x + 1)
    False
    """
    hasher = _Hasher(versions)
    hasher.add(_Kept(value) if fitted else value)
    return hasher.hash.hexdigest()


class _Kept:
    """Wrapper of what `clone` copies as it is, so that models in it stay fitted."""

    def __init__(self, value: Any) -> None:
        self.value = value


class _Hasher:
    def __init__(self, versions: bool) -> None:
        self._versions, self._kept = versions, False
        self.hash = hashlib.blake2b(digest_size=16)
        self._open: dict[int, int] = {}  # objects that are being looked into, for circles
        self._named: dict[int, Any] = {}  # functions and classes that functions named before

    def _update(self, *words: Any) -> None:
        for word in words:
            is_bytes = isinstance(word, (bytes, memoryview))
            data = word if is_bytes else str(word).encode(errors="surrogatepass")
            # With its length, so that ("ab", "c") is not ("a", "bc").
            self.hash.update(len(data).to_bytes(8, "little"))
            self.hash.update(data)

    def add(self, value: Any) -> None:
        if value is None or isinstance(value, (bool, int, str, bytes, memoryview)):
            self._update("str" if isinstance(value, str) else type(value).__name__, value)
        elif isinstance(value, float):
            self._update("float", float(value).hex())
        elif isinstance(value, np.generic):
            self._update("scalar", value.dtype.str, value.tobytes())
        elif isinstance(value, _Kept):
            before, self._kept = self._kept, True
            self.add(value.value)
            self._kept = before
        elif id(value) in self._open:
            self._update("circle", self._open[id(value)])
        else:
            self._open[id(value)] = len(self._open)
            try:
                kind, *parts = self._parts(value)
                self._update(kind, len(parts))
                for part in parts:
                    self.add(part)
            finally:
                del self._open[id(value)]

    def _parts(self, value: Any) -> tuple[Any, ...]:
        """Take an object apart: a word for its kind, and all that it consists of."""
        if isinstance(value, (list, tuple)):
            return type(value).__name__, *value
        if isinstance(value, (dict, types.MappingProxyType)):
            entries = sorted((fingerprint(key, versions=self._versions), key) for key in value)
            return "dict", *(part for text, key in entries for part in (text, value[key]))
        if isinstance(value, np.ma.MaskedArray):
            mask = np.ma.getmaskarray(value)
            return "masked", mask, value.data[~mask]
        if isinstance(value, np.ndarray) and value.dtype.hasobject:
            return "objects", value.shape, value.dtype.names, *value.ravel().tolist()
        if isinstance(value, np.ndarray):
            flat = np.ascontiguousarray(value).reshape(-1).view(np.uint8)
            dtype = str(value.dtype.descr) if value.dtype.names else value.dtype.str
            return "array", dtype, value.shape, flat.data
        if isinstance(value, pd.DataFrame):
            columns = (column for _, column in value.items())
            return "DataFrame", value.columns, value.index, *columns
        if isinstance(value, (pd.Series, pd.Index)):
            return _parts_of_pandas(value)
        if sparse.issparse(value):
            rows = value.tocsr(copy=True)
            rows.sum_duplicates()
            return type(value).__name__, rows.shape, rows.data, rows.indices, rows.indptr
        if isinstance(value, (set, frozenset)):
            return "set", *sorted(fingerprint(each, versions=self._versions) for each in value)
        if isinstance(value, type):
            return self._parts_of_class(value)
        if isinstance(value, types.CodeType):
            return "code", value.co_code, value.co_names, value.co_varnames, value.co_consts
        if isinstance(value, types.FunctionType):
            return self._parts_of_function(value)
        if isinstance(value, types.MethodType):
            return "method", value.__name__, _Kept(value.__self__)
        if isinstance(value, (types.BuiltinFunctionType, np.ufunc, types.ModuleType)):
            return "name", getattr(value, "__module__", ""), value.__name__
        if isinstance(value, functools.partial):
            return "partial", value.func, _Kept(value.args), _Kept(value.keywords)
        if isinstance(value, np.random.RandomState):
            return "RandomState", value.get_state(legacy=False)
        if isinstance(value, np.random.Generator):
            return "Generator", value.bit_generator.state
        if isinstance(value, FrozenEstimator):  # a clone of it stays fitted
            return "frozen", *self._parts_of_any(value.estimator)
        clones = getattr(type(value), "__sklearn_clone__", BaseEstimator.__sklearn_clone__)
        if clones is BaseEstimator.__sklearn_clone__ and (params := _params_of(value)) is not None:
            return self._parts_of_estimator(value, params)
        return self._parts_of_any(value)

    def _parts_of_estimator(self, value: Any, params: dict[str, Any]) -> tuple[Any, ...]:
        # What `set_fit_request` and its like asked for is no parameter, but `clone` keeps it.
        asks_for = "_metadata_request"
        parts = "estimator", type(value), params, str(getattr(value, "__dict__", {}).get(asks_for))
        if not self._kept:
            return parts
        learned = _state_of(value)
        if isinstance(learned, dict):
            learned = {k: v for k, v in learned.items() if k not in params and k != asks_for}
        return (*parts, learned) if learned else parts

    def _parts_of_any(self, value: Any) -> tuple[Any, ...]:
        if getattr(value, "__dict__", None):
            return "object", type(value), _Kept(_state_of(value))
        try:
            return "object", type(value), pickle.dumps(value, protocol=4)
        except Exception as error:
            if hasattr(value, "__dict__"):  # of a class of one's own, without attributes
                return "object", type(value)
            raise TypeError(
                f"The content of a {type(value).__name__} cannot be compared with that of an "
                f"earlier run ({error}). Use an object that can be pickled."
            ) from error

    def _parts_of_class(self, cls: type) -> tuple[Any, ...]:
        parts: list[Any] = ["class"]
        for base in cls.__mro__[:-1]:
            name, version = f"{base.__module__}.{base.__qualname__}", _version_of(base.__module__)
            if version is None:
                members = {name: _function_of(member) for name, member in vars(base).items()}
                content = {k: part for k, part in members.items() if _is_content(k, part)}
                parts += [name, {k: _Kept(v) if _is_data(v) else v for k, v in content.items()}]
            else:
                parts.append(f"{name} of {version}" if self._versions else name)
        return tuple(parts)

    def _parts_of_function(self, function: types.FunctionType) -> tuple[Any, ...]:
        name = "function", function.__module__, function.__qualname__
        version = _version_of(function.__module__)
        if version is not None:
            return *name, version if self._versions else ""
        cells = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
        found: dict[str, Any] = {}
        for key, value in sorted(_used_globals(function).items()):
            if isinstance(value, (types.FunctionType, type)):
                if id(value) in self._named:  # once is enough, and ways to it may be very many
                    value = f"{value.__module__}.{value.__qualname__}"
                else:
                    self._named[id(value)] = value
            found[key] = value
        defaults = function.__defaults__, function.__kwdefaults__
        return (
            *name,
            function.__code__,
            *map(_Kept, defaults),
            _Kept(cells),
            _Kept([found[key] for key in sorted(found)]),
            sorted(found),
        )


def _params_of(value: Any) -> dict[str, Any] | None:
    """Return the parameters of which `clone` makes an estimator anew; None of other objects.

    Lists and tuples of estimators are cloned as well, dicts of them are not.
    """
    if not (hasattr(value, "get_params") and hasattr(value, "fit")) and not isinstance(
        value, BaseEstimator
    ):
        return None
    try:
        params = value.get_params(deep=False)
    except TypeError:  # a method of that name, of something else
        return None
    if not isinstance(params, dict):
        return None
    return {k: _Kept(each) if isinstance(each, dict) else each for k, each in params.items()}


def _state_of(value: Any) -> Any:
    """Return the attributes of an object, or what its class says that a pickle holds of it."""
    own = getattr(type(value), "__getstate__", None)
    if own not in (getattr(object, "__getstate__", None), BaseEstimator.__getstate__):
        with suppress(Exception):  # of an object that cannot be pickled; its attributes may do
            return value.__getstate__()
    return getattr(value, "__dict__", None)


def _parts_of_pandas(value: Any) -> tuple[Any, ...]:
    about = [type(value).__name__, str(value.dtype), len(value)]
    if isinstance(value, pd.Series):
        has_index = not isinstance(value.index, pd.RangeIndex)
        about += [str(value.name), value.index if has_index else None]
    if isinstance(value.dtype, pd.CategoricalDtype):
        codes = value.codes if isinstance(value, pd.Index) else value.cat.codes
        categories = list(value.dtype.categories)
        return *about, np.asarray(codes), categories, value.dtype.ordered
    if isinstance(value.dtype, np.dtype) and not value.dtype.hasobject:
        return *about, value.to_numpy()
    return *about, [None if pd.isna(item) else item for item in value.tolist()]


def _is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


PLAIN = (type(None), bool, int, float, str, bytes, tuple, list, dict)


def _function_of(member: Any) -> Any:
    """Return the function behind a property, a class method or a cache; else the member."""
    if isinstance(member, functools.partial):  # its arguments count as well
        return member
    for name in ("fget", "__func__", "__wrapped__", "func"):
        if isinstance(found := getattr(member, name, None), types.FunctionType):
            return found
    return member


def _is_content(name: str, part: Any) -> bool:
    """Check whether a member of a class is part of its content: a function or a value."""
    if name.startswith("__") and name.endswith("__"):  # others are written by Python itself
        return isinstance(part, types.FunctionType)
    return isinstance(part, (types.FunctionType, *PLAIN)) or _is_data(part)


def _is_data(value: Any) -> bool:
    """Check whether a value is a table, an estimator, or a function with arguments filled in."""
    kinds = np.ndarray, pd.DataFrame, pd.Series, pd.Index, functools.partial, types.SimpleNamespace
    return (
        isinstance(value, kinds)
        or sparse.issparse(value)
        or (not isinstance(value, type) and _params_of(value) is not None)
    )


def _used_globals(function: types.FunctionType) -> dict[str, Any]:
    """Find the user's own functions, classes and data that a function names.

    Those of a module are found where the function names the module. What is imported inside the
    function is not followed.
    """
    names, attributes, filled = _names_in(function.__code__)
    found: dict[str, Any] = {}
    for name in names & function.__globals__.keys():
        value = function.__globals__[name]
        if name in filled and (isinstance(value, (list, dict)) or _is_data(value)):
            continue
        if isinstance(value, types.ModuleType):
            if _version_of(value.__name__) is None:
                inside = {key: vars(value)[key] for key in attributes & vars(value).keys()}
                found |= {f"{name}.{key}": each for key, each in inside.items()}
        else:
            found[name] = value
    return {name: value for name, value in found.items() if _is_own(value)}


FILLING = {
    *("add", "append", "clear", "extend", "insert", "pop", "remove", "setdefault", "update"),
    *("fit", "fit_transform", "partial_fit"),
}


def _names_in(code: types.CodeType) -> tuple[set[str], set[str], set[str]]:
    """Collect global names, all names and names of filled objects, inner functions included.

    What a function fills itself, such as a list of its calls, does not define what it does.
    """
    names, filled, attributes = set(), set(), set(code.co_names)
    steps = list(dis.get_instructions(code))
    for place, step in enumerate(steps):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            names.add(step.argval)
            after = steps[place + 1 : place + 4]
            if after and after[0].argval in FILLING:
                filled.add(step.argval)
            if any(each.opname == "STORE_SUBSCR" for each in after):
                filled.add(step.argval)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            for mine, more in zip((names, attributes, filled), _names_in(inner)):
                mine |= more
    return names, attributes, filled


def _is_own(value: Any) -> bool:
    if isinstance(value, (types.FunctionType, type)):
        return _version_of(value.__module__) is None
    if isinstance(value, (tuple, list, dict)):
        return _is_plain_value(value)
    return isinstance(value, (bool, int, float, str, bytes)) or _is_data(value)


def _is_plain_value(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_plain_value(item) for pair in value.items() for item in pair)
    if isinstance(value, (tuple, list)):
        return all(map(_is_plain_value, value))
    return isinstance(value, PLAIN)


@functools.cache
def _version_of(module: str | None) -> str | None:
    """Look up the version of the package that a module is of; None for the user's own code.

    What is installed does not change without its version; what is edited, an editable install
    included, is looked into.
    """
    package = (module or "").partition(".")[0]
    if package in ("__main__", "__mp_main__"):
        return None
    if package in sys.stdlib_module_names:
        return f"Python {sys.version_info[0]}.{sys.version_info[1]}"
    found = sys.modules.get(package)
    places = Path(getattr(found, "__file__", None) or "").parts
    if not {"site-packages", "dist-packages"} & set(places):
        return None
    try:
        return f"{package} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return f"{package} {getattr(found, '__version__', 'of unknown version')}"


def values_per_sample(given: Any) -> Any:
    """Take the values of an array, a list or a Series, as an array of their kind."""
    if isinstance(given, np.ndarray) and not isinstance(given, np.ma.MaskedArray):
        return _with_short_text(given)
    if isinstance(given, (list, tuple)):
        try:
            values = np.asarray(given)
        except ValueError:  # lists of different lengths
            return given
        if values.dtype.kind == "U" and not _is_text(given):  # next to text numbers become text
            return given
    elif isinstance(given, (pd.Series, pd.Index)):
        if isinstance(given.dtype, np.dtype):
            return _with_short_text(given.to_numpy())
        if isinstance(given.dtype, pd.CategoricalDtype) or given.isna().any():
            return given
        values = _with_short_text(given.to_numpy())
    else:
        return given
    return given if values.dtype.hasobject else _with_short_text(values)


def _with_short_text(array: np.ndarray) -> np.ndarray:
    """Make text as long as NumPy makes it from a list; anything but text stays."""
    if array.dtype.kind == "U" or (array.dtype.hasobject and _is_text(array.ravel().tolist())):
        return np.array(array.tolist(), dtype=np.str_).reshape(array.shape)
    return array


def _is_text(values: Any) -> bool:
    return len(values) > 0 and all(isinstance(each, str) for each in values)
