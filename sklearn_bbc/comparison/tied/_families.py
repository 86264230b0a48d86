"""Families of configurations: which values they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Number
from typing import Any

from ..._equality import same

MANY = 10
"""A parameter with more values than this makes no families."""


def families(params: Sequence[Mapping[str, Any]], by: Any = None) -> tuple[str, ...]:
    """Family of each configuration.

    Parameters
    ----------
    params : sequence of dict
        Parameters of each configuration.
    by : str, list of str, callable or None, default=None
        Parameters whose values make a family, or a function of the parameters that names it.
        None takes those whose values are words, objects or None in some configuration and
        that have at most 10 values; where there are none, the one with the fewest values.

    Returns
    -------
    tuple of str
        For example ``"penalty=l1"``; empty without parameters, ``"all"`` where nothing tells
        families apart.

    Raises
    ------
    ValueError
        If a parameter is named that no configuration has, or `by` is something else.
    """
    if not params:
        return ()
    if callable(by):
        return tuple(str(by(dict(each))) for each in params)
    values = _values(params)
    if by is None:
        names = _telling(values)
    else:
        names = [by] if isinstance(by, str) else by
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ValueError(
                "family must be the name of a parameter, a list of names or a function of the "
                f"parameters, got {by!r}."
            )
        unknown = [name for name in names if name not in values]
        if unknown:
            raise ValueError(
                f"family names {unknown}, which no configuration has; there are {sorted(values)}."
            )
    # A parameter that a configuration does not have says nothing about it.
    texts = [
        ", ".join(f"{name}={_word(each[name])}" for name in names if name in each)
        for each in params
    ]
    return tuple(text or "all" for text in texts)


def shared(params: Sequence[Mapping[str, Any]], members: Sequence[int]) -> dict[str, Any]:
    """Parameters with one value in all members, but several in all configurations.

    Parameters
    ----------
    params : sequence of dict
        Parameters of each configuration.
    members : sequence of int
        Configurations in the set.

    Returns
    -------
    dict
        Name -> value.
    """
    result = {}
    for name, values in _values(params).items():
        everywhere = all(name in each for each in params)
        here = [params[config][name] for config in members if name in params[config]]
        if not here or len(here) < len(members) or not all(same(here[0], v) for v in here):
            continue
        if len(values) > 1 or not everywhere:
            result[name] = here[0]
    return result


def _values(params: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Distinct values of each parameter."""
    values: dict[str, list[Any]] = {}
    for each in params:
        for name, value in each.items():
            known = values.setdefault(name, [])
            if not any(same(value, other) for other in known):
                known.append(value)
    return values


def _telling(values: Mapping[str, list[Any]]) -> list[str]:
    """Parameters that make families where nobody says which."""
    vary = {name: every for name, every in values.items() if 1 < len(every) <= MANY}
    words = [name for name, every in vary.items() if not all(map(_is_number, every))]
    if words:
        return words
    return [min(vary, key=lambda name: len(vary[name]))] if vary else []


def _is_number(value: Any) -> bool:
    return isinstance(value, Number) and not isinstance(value, bool)


def _word(value: Any) -> str:
    """Value in short: an estimator by its class, a function by its name."""
    if hasattr(value, "get_params"):
        return type(value).__name__
    if callable(value):
        return str(getattr(value, "__name__", type(value).__name__))
    text = f"{value:.4g}" if isinstance(value, float) else " ".join(str(value).split())
    return text if len(text) <= 30 else text[:27] + "..."
