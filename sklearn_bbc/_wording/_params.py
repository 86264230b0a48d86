"""Names and values of parameters as people print them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["param_name", "param_value", "params_that_vary"]


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
