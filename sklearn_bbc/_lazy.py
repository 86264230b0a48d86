"""Packages that load a file when a name of it is first asked for, and their registries."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from threading import RLock
from types import MethodType, ModuleType
from typing import Any

_FILES: dict[str, list[str]] = {}
_LOADED: set[str] = set()
_LOCK = RLock()
"""One thread loads at a time: Python gives threads that wait for each other half a file.

No file may ask for such a name outside of functions, that is, while it is loaded itself: it would
wait for this lock with its own held. `import sklearn_bbc.results as results` asks for none.
"""


def lazily(
    package: str, listed: Sequence[str], **homes: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make the functions `__getattr__` and `__dir__` of a package.

    Parameters
    ----------
    package : str
        Its `__name__`.
    listed : sequence of str
        What `dir` shows.
    **homes : str
        For each file or package in it the names that it defines, with spaces between them. Type
        checkers read the same from imports under `TYPE_CHECKING`.
    """
    home_of = {name: home for home, names in homes.items() for name in names.split()}
    _FILES[package] = [f"{package}.{home}" for home in homes]

    def find(name: str) -> Any:
        home = home_of.get(name, name)
        if home not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        with _LOCK:
            found = import_module(f"{package}.{home}")
        if name in home_of:
            found = getattr(found, name)
            setattr(sys.modules[package], name, found)
        return found

    return find, lambda: list(listed)


class ClassMethodLater(classmethod):
    """A class method whose function is loaded when it is first asked for."""

    def __init__(self, package: ModuleType, name: str) -> None:
        self._package, self._name = package, name

    @property
    def __func__(self) -> Callable[..., Any]:
        """The function."""
        function: Callable[..., Any] = getattr(self._package, self._name)
        return function

    def __get__(self, obj: Any, cls: type | None = None) -> MethodType:
        """Bind the function to a class."""
        return MethodType(self.__func__, type(obj) if cls is None else cls)


def load(package: str) -> None:
    """Import all files of such a package, which registers the classes in them."""
    if package not in _LOADED:
        with _LOCK:
            import_module(package)
            for file in _FILES.get(package, ()):
                import_module(file)
        _LOADED.add(package)


def load_bases(cls: type) -> None:
    """Load the packages of the bases of a class of others, so that no name of ours is free."""
    if cls.__module__.partition(".")[0] != __package__:
        for base in cls.__mro__:
            package = base.__module__.rpartition(".")[0]
            if package.startswith(f"{__package__}."):
                load(package)


def whole(package: str, registry: Mapping[str, Any]) -> dict[str, Any]:
    """Copy a registry once it is full: in the order of the files, then classes of others."""
    load(package)
    place = {file: k for k, file in enumerate(_FILES[package])}
    by_file = sorted(registry.items(), key=lambda item: place.get(item[1].__module__, len(place)))
    return dict(by_file)
