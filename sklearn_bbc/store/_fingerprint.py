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
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator


def fingerprint(value: Any, *, versions: bool = True) -> str:
    """Hash the content of a value.

    Parameters
    ----------
    value : object
        Numbers, text, arrays, sparse matrices, pandas objects, estimators, functions, random
        states, and containers of these.
    versions : bool, default=True
        Whether a function or a class of an installed package differs from the same one of
        another version of the package.

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
    hasher.add(value)
    return hasher.text()


class _Hasher:
    def __init__(self, versions: bool) -> None:
        self._versions = versions
        self._hash = hashlib.blake2b(digest_size=16)
        self._open: dict[int, int] = {}  # objects that are being looked into, for circles
        self._told: dict[int, Any] = {}  # functions and classes that functions named before

    def text(self) -> str:
        return self._hash.hexdigest()

    def _say(self, *words: Any) -> None:
        for word in words:
            data = word if isinstance(word, bytes) else str(word).encode(errors="surrogatepass")
            # With its length, so that ("ab", "c") is not ("a", "bc").
            self._hash.update(len(data).to_bytes(8, "little"))
            self._hash.update(data)

    def _other(self, value: Any) -> str:
        return fingerprint(value, versions=self._versions)

    def add(self, value: Any) -> None:
        if value is None or isinstance(value, (bool, int, str, bytes)):
            self._say("str" if isinstance(value, str) else type(value).__name__, value)
        elif isinstance(value, float):
            self._say("float", float(value).hex())
        elif isinstance(value, np.generic):
            self._say("scalar", value.dtype.str, value.tobytes())
        elif id(value) in self._open:
            self._say("circle", self._open[id(value)])
        else:
            self._open[id(value)] = len(self._open)
            try:
                self._add_object(value)
            finally:
                del self._open[id(value)]

    def _add_object(self, value: Any) -> None:
        if isinstance(value, np.ndarray):
            self._add_array(value)
        elif isinstance(value, (pd.DataFrame, pd.Series, pd.Index)):
            self._add_pandas(value)
        elif sparse.issparse(value):
            rows = value.tocsr(copy=True)
            rows.sum_duplicates()
            self._say("sparse", type(value).__name__)
            self.add([rows.shape, rows.data, rows.indices, rows.indptr])
        elif isinstance(value, (list, tuple)):
            self._say(type(value).__name__, len(value))
            for item in value:
                self.add(item)
        elif isinstance(value, (dict, types.MappingProxyType)):
            entries = sorted((self._other(key), key) for key in value)
            self._say("dict", len(entries))
            for text, key in entries:
                self._say(text)
                self.add(value[key])
        elif isinstance(value, (set, frozenset)):
            self._say("set", *sorted(map(self._other, value)))
        elif isinstance(value, type):
            self._add_class(value)
        elif isinstance(value, types.CodeType):
            self._say("code", value.co_code, value.co_names, value.co_varnames)
            self.add(list(value.co_consts))
        elif isinstance(value, types.FunctionType):
            self._add_function(value)
        elif isinstance(value, types.MethodType):
            self._say("method", value.__name__)
            self.add(value.__self__)
        elif isinstance(value, (types.BuiltinFunctionType, np.ufunc, types.ModuleType)):
            self._say("name", getattr(value, "__module__", ""), value.__name__)
        elif isinstance(value, functools.partial):
            self._say("partial")
            self.add([value.func, list(value.args), value.keywords])
        elif isinstance(value, np.random.RandomState):
            self._say("RandomState")
            self.add(value.get_state(legacy=False))
        elif isinstance(value, np.random.Generator):
            self._say("Generator")
            self.add(value.bit_generator.state)
        elif isinstance(value, FrozenEstimator):  # a clone of it stays fitted
            self._say("frozen")
            self._add_any(value.estimator)
        elif isinstance(value, BaseEstimator):
            self._add_class(type(value))
            self.add(value.get_params(deep=False))
            # What `set_fit_request` and its like asked for is no parameter, but `clone` keeps it.
            self._say("asks for", vars(value).get("_metadata_request"))
        else:
            self._add_any(value)

    def _add_array(self, array: np.ndarray) -> None:
        if isinstance(array, np.ma.MaskedArray):
            self._say("masked")
            mask = np.ma.getmaskarray(array)
            self.add([mask, array.data[~mask]])
            return
        if array.dtype.hasobject:
            self._say("objects", array.shape, array.dtype.names)
            for item in array.ravel().tolist():
                self.add(item)
            return
        self._say("array", array.dtype.str, array.shape)
        self._hash.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)

    def _add_pandas(self, value: Any) -> None:
        self._say(type(value).__name__)
        if isinstance(value, pd.DataFrame):
            self.add([value.columns, value.index, *(column for _, column in value.items())])
            return
        if isinstance(value, pd.Series):
            self._say(str(value.name))
            if not isinstance(value.index, pd.RangeIndex):
                self.add(value.index)
        self._say(str(value.dtype), len(value))
        if isinstance(value.dtype, pd.CategoricalDtype):
            codes = value.codes if isinstance(value, pd.Index) else value.cat.codes.to_numpy()
            self.add([np.asarray(codes), list(value.dtype.categories), value.dtype.ordered])
        elif isinstance(value.dtype, np.dtype) and not value.dtype.hasobject:
            self.add(value.to_numpy())
        else:
            self.add([None if pd.isna(item) else item for item in value.tolist()])

    def _add_function(self, function: types.FunctionType) -> None:
        self._say("function", function.__module__, function.__qualname__)
        version = _version_of(function.__module__)
        if version is not None:
            self._say(version if self._versions else "")
            return
        cells = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
        self.add([function.__code__, function.__defaults__, function.__kwdefaults__, cells])
        for name, value in sorted(_used_globals(function).items()):
            self._say("global", name)
            if isinstance(value, (types.FunctionType, type)):
                if id(value) in self._told:  # once is enough, and ways to it may be very many
                    self._say("told", value.__module__, value.__qualname__)
                    continue
                self._told[id(value)] = value
            self.add(value)

    def _add_class(self, cls: type) -> None:
        for base in cls.__mro__[:-1]:
            self._say("class", base.__module__, base.__qualname__)
            version = _version_of(base.__module__)
            if version is not None:
                self._say(version if self._versions else "")
                continue
            members = {name: _function_of(member) for name, member in vars(base).items()}
            self.add({name: part for name, part in members.items() if _is_content(name, part)})

    def _add_any(self, value: Any) -> None:
        self._add_class(type(value))
        if hasattr(value, "__dict__") and vars(value):
            self.add(vars(value))
            return
        try:
            self._say(pickle.dumps(value, protocol=4))
        except Exception as error:
            if hasattr(value, "__dict__"):  # of a class of one's own, without attributes
                return
            raise TypeError(
                f"The content of a {type(value).__name__} cannot be compared with that of an "
                f"earlier run ({error}). Use an object that can be pickled."
            ) from error


def _is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


PLAIN = (type(None), bool, int, float, str, bytes, tuple, list, dict)


def _function_of(member: Any) -> Any:
    """The function behind a property, a class method or a cache; else the member itself."""
    for name in ("fget", "__func__", "__wrapped__", "func"):
        if isinstance(found := getattr(member, name, None), types.FunctionType):
            return found
    return member


def _is_content(name: str, part: Any) -> bool:
    """Whether a member of a class says what its instances do."""
    if name.startswith("__") and name.endswith("__"):  # others are written by Python itself
        return isinstance(part, types.FunctionType)
    return isinstance(part, (types.FunctionType, *PLAIN))


def _used_globals(function: types.FunctionType) -> dict[str, Any]:
    """The user's own functions, classes and constants that a function names.

    Those of a module are found where the function names the module. What is imported inside the
    function is not followed.
    """
    names, attributes, filled = _names_in(function.__code__)
    found: dict[str, Any] = {}
    for name in names & function.__globals__.keys():
        if name in filled and isinstance(function.__globals__[name], (list, dict)):
            continue
        value = function.__globals__[name]
        if isinstance(value, types.ModuleType):
            if _version_of(value.__name__) is None:
                inside = {key: vars(value)[key] for key in attributes & vars(value).keys()}
                found |= {f"{name}.{key}": each for key, each in inside.items()}
        else:
            found[name] = value
    return {name: value for name, value in found.items() if _is_own(value)}


FILLING = {"add", "append", "clear", "extend", "insert", "pop", "remove", "setdefault", "update"}


def _names_in(code: types.CodeType) -> tuple[set[str], set[str], set[str]]:
    """Global names, all names, and names of what is filled, in a function and those inside it.

    What a function itself fills, such as a list of what it did, says nothing of what it does.
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
    return isinstance(value, (bool, int, float, str, bytes)) or (
        isinstance(value, (tuple, list, dict)) and _is_plain(value)
    )


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_plain(item) for pair in value.items() for item in pair)
    if isinstance(value, (tuple, list)):
        return all(map(_is_plain, value))
    return isinstance(value, PLAIN)


@functools.cache
def _version_of(module: str | None) -> str | None:
    """Version of the installed package that a module is of; None for the user's own code.

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
    """The values of an array, a list or a Series, as an array of their kind."""
    if isinstance(given, (pd.Series, pd.Index)):
        return _of_pandas(given)
    if isinstance(given, (list, tuple)):
        return _of_list(given)
    if isinstance(given, np.ndarray) and not isinstance(given, np.ma.MaskedArray):
        return _with_short_text(given)
    return given


def _of_pandas(given: Any) -> Any:
    if isinstance(given.dtype, np.dtype):
        return _with_short_text(given.to_numpy())
    if isinstance(given.dtype, pd.CategoricalDtype) or given.isna().any():
        return given
    values = _with_short_text(given.to_numpy())
    return given if values.dtype.hasobject else values


def _of_list(given: Any) -> Any:
    try:
        values = np.asarray(given)
    except ValueError:  # lists of different lengths
        return given
    # Next to text numbers become text.
    is_mixed = values.dtype.kind == "U" and not _is_text(given)
    return given if is_mixed or values.dtype.hasobject else _with_short_text(values)


def _with_short_text(array: np.ndarray) -> np.ndarray:
    """Text as NumPy makes an array of a list of it; what is no text stays."""
    if array.dtype.kind == "U" or (array.dtype.hasobject and _is_text(array.ravel().tolist())):
        return np.array(array.tolist(), dtype=np.str_).reshape(array.shape)
    return array


def _is_text(values: Any) -> bool:
    return len(values) > 0 and all(isinstance(each, str) for each in values)
