"""How complex each configuration is, from its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

SMALLER, LARGER = "smaller is simpler", "larger is simpler"
WAY_OUT = (
    "Give a function of the parameters instead, such as complexity=lambda params: ..., that "
    "returns a number, smaller for simpler."
)


def check_complexity(complexity: Any) -> None:
    """Raise unless `complexity` has one of its three forms.

    Parameters
    ----------
    complexity : callable, str or list
        A function of the parameters, the name of one of them, or a list of names and pairs
        (name, direction).
    """
    if callable(complexity) or isinstance(complexity, str):
        return
    if isinstance(complexity, list) and complexity and all(map(_is_entry, complexity)):
        return
    raise ValueError(
        "complexity must be a function of the parameters, the name of a parameter whose smaller "
        f"values are simpler, or a list such as ['max_depth', ('min_samples_leaf', {LARGER!r})] "
        f"with directions {SMALLER!r} and {LARGER!r}, got {complexity!r}."
    )


def _is_entry(entry: Any) -> bool:
    if isinstance(entry, str):
        return True
    pair = isinstance(entry, tuple) and len(entry) == 2 and isinstance(entry[0], str)
    return pair and entry[1] in (SMALLER, LARGER)


def complexity_ranks(complexity: Any, params: Sequence[Mapping[str, Any]]) -> np.ndarray:
    """Rank the configurations by complexity.

    Parameters
    ----------
    complexity : callable, str or list
        See `check_complexity`. Entries of a list decide one after the other, the later ones
        where the earlier ones are equal.
    params : sequence of dict
        Parameters of each configuration.

    Returns
    -------
    ndarray of shape (n_configs,), intp
        0 is the simplest; equal ranks are equally complex.

    Raises
    ------
    ValueError
        If a parameter is missing or its values cannot be ordered.
    """
    if callable(complexity):
        columns = [[_of_function(complexity, config, each) for config, each in enumerate(params)]]
    else:
        entries = [complexity] if isinstance(complexity, str) else complexity
        columns = [_column(entry, params) for entry in entries]
    keys = np.array(columns, dtype=float)  # (n_entries, n_configs)
    return np.unique(keys, axis=1, return_inverse=True)[1].reshape(-1).astype(np.intp)


def _column(entry: Any, params: Sequence[Mapping[str, Any]]) -> list[float]:
    """Values of one parameter, smaller for simpler."""
    name, direction = (entry, SMALLER) if isinstance(entry, str) else entry
    sign = 1.0 if direction == SMALLER else -1.0
    values = []
    for config, each in enumerate(params):
        if name not in each:
            raise ValueError(
                f"complexity names the parameter {name!r}, which configuration {config} does not "
                f"have; it has {sorted(each)}. {WAY_OUT}"
            )
        values.append(sign * _number(each[name], f"{name} of configuration {config}"))
    return values


def _of_function(function: Any, config: int, params: Mapping[str, Any]) -> float:
    try:
        value = function(dict(params))
    except Exception as error:
        raise ValueError(
            f"The function complexity failed on configuration {config}, {dict(params)}: {error!r}."
        ) from error
    return _number(value, f"The result of complexity for configuration {config}")


def _number(value: Any, what: str) -> float:
    is_number = isinstance(value, (Real, np.bool_)) or (
        isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "biuf"
    )
    if is_number and not np.isnan(value):
        return float(value)
    raise ValueError(f"{what} is {value!r}, which is not a number to order by. {WAY_OUT}")
