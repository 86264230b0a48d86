"""What two runs of a search must agree on to share finished fits, and how to say what differs."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from reprlib import repr as shortened
from typing import Any

import numpy as np
import pandas as pd
import scipy
import sklearn
from sklearn import get_config

from ..._scorers import with_our_scorers
from ...store import fingerprint
from ...store._per_sample import values_per_sample

SHOWN_LENGTH = 40
"""Longest text of a value that a message shows."""

CLASS = ""
"""Name of the part that is the class of an object."""

OF_CODE = ("estimator", "scoring", "cv")
"""Facts whose fingerprints hold the versions of the packages that they come from."""


@dataclass(frozen=True)
class Fact:
    """One thing on which the result of a fit depends.

    Attributes
    ----------
    print : str
        Fingerprint of its content.
    shown : str or None
        The value in a message; None when it is too long for one.
    version : bool
        Whether it is the version of a package.
    parts : dict of str to Fact
        What it consists of, to say which of it changed.
    index : str or None
        Fingerprint of the index of a Series, if it has one that says something.
    as_given : str or None
        Fingerprint of what holds the values, where these count: what versions that made a
        difference between arrays and lists wrote. Not written any more.
    """

    print: str
    shown: str | None = None
    version: bool = False
    parts: Mapping[str, Fact] = field(default_factory=dict)
    index: str | None = None
    as_given: str | None = None

    def is_of(self, before: Fact) -> bool:
        """Whether this is what an earlier run had; an array has any index."""
        if before.print != self.print:
            return before.print == self.as_given
        return None in (before.index, self.index) or before.index == self.index

    def to_json(self) -> dict[str, Any]:
        """Values that JSON can hold."""
        parts = {name: part.to_json() for name, part in self.parts.items()}
        found = {
            "print": self.print,
            "shown": self.shown,
            "version": self.version,
            "parts": parts,
            "index": self.index,
        }
        return {name: value for name, value in found.items() if value}

    @classmethod
    def from_json(cls, values: Any, name: str = "fact") -> Fact:
        """The fact that `to_json` described; an error names what is not as it wrote it."""
        known = {"print", "shown", "version", "parts", "index"}
        values = json_object(values, name)
        found = {key: value for key, value in values.items() if key in known}
        for key, kind in (("print", str), ("shown", str), ("version", bool), ("index", str)):
            if key in found and not isinstance(found[key], kind):
                raise TypeError(f"{key!r} of {name!r} is {shortened(found[key])}")
        if "print" not in found:
            raise ValueError(f"{name!r} has no 'print'")
        parts = json_object(found.pop("parts", {}), f"parts of {name}")
        if parts and CLASS not in parts:
            raise ValueError(f"'parts of {name}' have no class")
        return cls(**found, parts={part: cls.from_json(parts[part], part) for part in parts})


def json_object(values: Any, name: str) -> dict[str, Any]:
    """What JSON calls an object, or an error that names what is not one."""
    if not isinstance(values, dict):
        raise TypeError(f"{name!r} is {shortened(values)}, not an object")
    return values


def problem_of(
    search: Any, X: Any, y: Any, params: Mapping[str, Any], splitter: Any
) -> dict[str, Fact]:
    """Everything on which the fits of a search depend, but for the configuration and the split.

    Parameters
    ----------
    search : BaseSearchCV
        Not fitted.
    X, y : array-like
        Data.
    params : mapping of str to object
        Further parameters of `fit`, such as weights and groups.
    splitter : splitter
        What ``fit`` makes of ``cv``.

    Returns
    -------
    dict of str to Fact
        By the names that people use.

    Raises
    ------
    TypeError
        If the content of something cannot be told.
    """
    given = {f"fit parameter {name}": value for name, value in params.items() if value is not None}
    given |= {"X": X, "y": y}
    if params.get("groups") is not None:
        given["groups"] = given.pop("fit parameter groups")
    facts = {name: _fact(name, value) for name, value in given.items()}
    estimator = search.estimator
    facts["estimator"] = Fact(_print_of("estimator", estimator), parts=_estimator_parts(estimator))
    scoring = search.scoring
    facts["scoring"] = Fact(_print_of("scoring", with_our_scorers(scoring)), _shown(scoring))
    facts["cv"] = Fact(_print_of("cv", splitter), parts=_splitter_parts(splitter))
    routing = get_config()["enable_metadata_routing"]
    facts["metadata routing"] = _fact("metadata routing", routing)
    owners = [estimator, *estimator.get_params(deep=True).values(), scoring]
    for package, version in (_versions() | _packages_of(owners)).items():
        facts[package] = Fact(version, version, version=True)
    return facts


def differences(before: Mapping[str, Fact], now: Mapping[str, Fact]) -> list[str]:
    """What differs between two problems, in words.

    Parameters
    ----------
    before, now : mapping of str to Fact
        Problem of the folder, and that of this search.

    Returns
    -------
    list of str
        Such as "y changed" or "scikit-learn 1.8.0 to 1.9.1".
    """
    changed = [name for name in now if name in before and not now[name].is_of(before[name])]
    versions = [name for name in changed if now[name].version]
    found = []
    for name in changed:
        if name in versions:
            continue
        parts = _changed_parts(name, before[name].parts, now[name].parts, bool(versions))
        if parts:
            found += parts
        # Where a package is of another version its code counts as other code: nothing to add.
        elif not versions or name not in OF_CODE or before[name].shown != now[name].shown:
            found.append(_changed(name, before[name], now[name]))
    found += [_changed(name, before[name], now[name]) for name in versions]
    found += [f"{name} is new" for name in now if name not in before]
    return found + [f"{name} is missing" for name in before if name not in now]


def _changed_parts(
    owner: str, before: Mapping[str, Fact], now: Mapping[str, Fact], other_versions: bool
) -> list[str]:
    """Which parts differ; of another class only that."""
    if not before or not now:
        return []
    if before[CLASS].shown != now[CLASS].shown:
        return [f"{owner} {before[CLASS].shown} to {now[CLASS].shown}"]
    found = []
    for name in now:
        if name not in before:
            if name.rpartition("__")[0] not in now.keys() - before.keys():
                found.append(f"{owner}'s {name} is new")
        elif before[name] == now[name]:
            continue
        elif before[name].shown != now[name].shown or not _is_class(now[name]):
            found.append(_changed(f"{owner}'s {name}", before[name], now[name]))
        elif not other_versions:
            of = owner if name == CLASS else f"{owner}'s {name}"
            found.append(f"the code of {of} ({now[name].shown}), or what it uses, changed")
    gone = before.keys() - now.keys()
    missing = [name for name in before if name in gone and name.rpartition("__")[0] not in gone]
    return found + [f"{owner}'s {name} is missing" for name in missing]


def _is_class(part: Fact) -> bool:
    return part.shown is not None and part.shown.startswith("class ")


def _changed(name: str, before: Fact, now: Fact) -> str:
    if before.print == now.print:
        return f"the index of {name} changed"
    if before.shown is None or now.shown is None or before.shown == now.shown:
        return f"{name} changed"
    return f"{name} {before.shown} to {now.shown}"


def _fact(name: str, value: Any) -> Fact:
    if name not in ("y", "groups") and not name.endswith("sample_weight"):
        return Fact(_print_of(name, value), _shown(value))
    has_index = isinstance(value, pd.Series) and not isinstance(value.index, pd.RangeIndex)
    return Fact(
        _print_of(name, values_per_sample(value)),
        _shown(value),
        index=_print_of(f"the index of {name}", value.index) if has_index else None,
        as_given=_print_of(name, value),
    )


def _print_of(name: str, value: Any) -> str:
    try:
        return fingerprint(value)
    except TypeError as error:
        raise TypeError(f"store= cannot tell whether {name} is the same later. {error}") from error


def _shown(value: Any) -> str | None:
    """A value as a message shows it; None for what is no short value."""
    if isinstance(value, np.generic):
        value = value.item()
    plain = isinstance(value, (str, int, float, type(None)))
    if isinstance(value, (list, tuple)):
        plain = all(isinstance(each, (str, int, float, type(None))) for each in value)
    text = repr(value) if plain else ""
    return text if 0 < len(text) <= SHOWN_LENGTH else None


def _estimator_parts(estimator: Any) -> dict[str, Fact]:
    """Class and parameters, those of its parts included."""
    parts = {CLASS: _class_fact(estimator)}
    for name, value in estimator.get_params(deep=True).items():
        if _is_estimator(value):
            parts[name] = _class_fact(value)
        else:
            outline = _outline(value)
            parts[name] = Fact(_print_of(f"the estimator's {name}", outline), _shown(value))
    return parts


def _splitter_parts(splitter: Any) -> dict[str, Fact]:
    """Class and attributes; none of a list of splits."""
    if type(splitter).__module__.startswith("sklearn.") and hasattr(splitter, "cv"):
        if isinstance(splitter.cv, list):
            return {}
    parts = {CLASS: _class_fact(splitter)}
    for name, value in vars(splitter).items() if hasattr(splitter, "__dict__") else ():
        parts[name] = _fact(f"cv's {name}", value)
    return parts


def _class_fact(value: Any) -> Fact:
    return Fact(fingerprint(type(value)), f"class {type(value).__name__}")


def _is_estimator(value: Any) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def _outline(value: Any) -> Any:
    """A list of estimators with their classes only: their parameters are parts of their own."""
    if _is_estimator(value):
        return f"class {type(value).__name__}"
    if isinstance(value, (list, tuple)):
        return [_outline(each) for each in value]
    if isinstance(value, dict):
        return {name: _outline(each) for name, each in value.items()}
    return value


def _versions() -> dict[str, str]:
    return {
        "Python": platform.python_version().rpartition(".")[0],
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }


def _packages_of(values: list[Any]) -> dict[str, str]:
    """Version of each other package that objects come from."""
    packages = {
        (getattr(value, "__module__", None) or "").partition(".")[0]
        for value in values
        if _is_estimator(value) or callable(value)
    }
    found = {}
    for package in sorted(packages - {"sklearn", "sklearn_bbc", "builtins", "numpy", "scipy", ""}):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:  # the user's own code, of which the content counts
            continue
    return found
