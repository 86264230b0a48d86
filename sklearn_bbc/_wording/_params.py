"""Names and values of parameters as people print them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["config_words", "param_name", "param_value", "params_that_vary"]


LONGEST = 120
"""Characters of the parameters of a configuration in a sentence."""


def config_words(config: int, params: Sequence[Any], longest: int = LONGEST) -> str:
    """A configuration in a sentence, with its parameters as scikit-learn shows them.

    Parameters
    ----------
    config : int
        The configuration.
    params : sequence of mapping
        The parameters of each configuration, or any other description; empty where they are not
        known.
    longest : int, default=120
        Characters of the parameters from which on they are cut.

    Returns
    -------
    str
        On one line, for example ``"configuration 3 (C=0.1, kernel='rbf')"``; a column of a data
        frame by its name.
    """
    given = params[config] if len(params) else {}
    if isinstance(given, Mapping) and given.keys() == {"configuration"}:
        name = given["configuration"]
        return name if isinstance(name, str) else f"configuration {name}"
    if isinstance(given, Mapping):
        words = ", ".join(f"{name}={_as_code(value)}" for name, value in given.items())
    else:
        words = " ".join(str(given).split())
    if len(words) > longest:
        words = words[: longest - 3] + "..."
    return f"configuration {config} ({words})" if words else f"configuration {config}"


def _as_code(value: Any) -> str:
    """A value as in a call, numbers with four digits."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and float(f"{value:.4g}") != value:
        return f"{value:.4g}"
    return " ".join(repr(value).split())


def param_name(name: str, names: Iterable[str]) -> str:
    """A parameter without the step of the pipeline, where no other one is called so.

    Parameters
    ----------
    name : str
        For example ``"model__C"``.
    names : iterable of str
        All parameters.
    """
    last = name.rpartition("__")[2]
    return last if sum(other.rpartition("__")[2] == last for other in names) == 1 else name


def param_value(value: Any) -> str:
    """A value in one line, numbers with four digits."""
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    return " ".join(str(value).split())


def params_that_vary(params: Sequence[Mapping[str, Any]]) -> list[str]:
    """Each configuration by those of its parameters that do not have one value in all.

    Parameters
    ----------
    params : sequence of mapping
        The parameters of each configuration.

    Returns
    -------
    list of str
        For example ``"C=0.1, kernel=rbf"``; empty texts where nothing varies. Estimators go by
        their class where that tells them apart.
    """
    names = list(dict.fromkeys(name for each in params for name in each))
    values = {name: _texts([each[name] for each in params if name in each]) for name in names}
    given = {name: iter(texts) for name, texts in values.items()}
    texts = [
        {name: next(given[name]) if name in each else None for name in names} for each in params
    ]
    varying = [name for name in names if len({text[name] for text in texts}) > 1]
    return [
        ", ".join(
            f"{param_name(name, names)}={text[name]}" for name in varying if text[name] is not None
        )
        for text in texts
    ]


def _texts(values: Sequence[Any]) -> list[str]:
    """Values of one parameter; the shortest texts that differ where the values do."""
    full = [param_value(value) for value in values]
    short = [
        type(value).__name__ if hasattr(value, "get_params") else text
        for value, text in zip(values, full)
    ]
    return short if len(set(short)) == len(set(full)) else full
