"""One check of whole numbers, since True and False are integers to Python."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np


def is_integer(value: Any, least: int | None = None) -> bool:
    """Whether a value is a whole number, of Python or NumPy, and at least `least`.

    Parameters
    ----------
    value : object
        True and False do not count as numbers here, nor does 1.0.
    least : int, default=None
        None takes any.
    """
    whole = isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))
    return whole and (least is None or bool(value >= least))


def check_integer(
    name: str, value: Any, least: int | None = None, *, or_none: bool = False, why: str = ""
) -> None:
    """Raise unless a parameter is a whole number.

    Parameters
    ----------
    name : str
        Name of the parameter.
    value : object
        What was given.
    least : int, default=None
        Smallest allowed value; None allows any.
    or_none : bool, default=False
        Whether None is allowed too.
    why : str, default=""
        What to say after the value.

    Raises
    ------
    ValueError
        That names the parameter, what it must be and what it is.
    """
    if is_integer(value, least) or (or_none and value is None):
        return
    allowed = "None or an integer" if or_none else "an integer"
    of_size = "" if least is None else f" of at least {least}"
    if isinstance(value, (float, np.floating)) and is_integer(int(value), least):
        why = f": a number with a point. Write {name}={int(value)}."
    raise ValueError(f"{name} must be {allowed}{of_size}, got {value!r}{why or '.'}")
