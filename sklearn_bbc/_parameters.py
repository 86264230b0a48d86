"""Constraints of parameters as data, and the one function that checks them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache, wraps
from inspect import Parameter, signature
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ._utils import P, R, check_integer, did_you_mean, got, is_number


@dataclass(kw_only=True, eq=False)
class Constraint:
    """What a parameter may be; `hint` is the end of the message on what it may not."""

    or_none: bool = False
    hint: str = ""

    def check(self, name: str, value: Any) -> None:
        """Raise a ValueError that names the parameter where a value is not allowed."""
        if (value is None and self.or_none) or self.holds(value):
            return
        allowed = f"{self.words()}{' or None' if self.or_none else ''}"
        raise ValueError(
            f"{name} must be {allowed}, got {got(value)}. {self.advice(value)}".rstrip()
        )

    def holds(self, value: Any) -> bool:
        """Check whether a value is allowed."""
        raise NotImplementedError

    def words(self) -> str:
        """Describe what is allowed."""
        raise NotImplementedError

    def advice(self, value: Any) -> str:
        """Say what would work."""
        return self.hint


class Flag(Constraint):
    """True or False: a text such as "no" would count as true."""

    def holds(self, value: Any) -> bool:
        """See `Constraint`."""
        return isinstance(value, (bool, np.bool_))

    def words(self) -> str:
        """See `Constraint`."""
        return "True or False"


@dataclass(eq=False)
class Whole(Constraint):
    """A whole number of at least `least`."""

    least: int | None = None

    def check(self, name: str, value: Any) -> None:
        """See `Constraint`."""
        check_integer(name, value, self.least, or_none=self.or_none, why=self.hint)


@dataclass(kw_only=True, eq=False)
class Number(Constraint):
    """A finite number above `above`, or at least `least`, and below `below`, or at most `most`."""

    above: float | None = None
    least: float | None = None
    below: float | None = None
    most: float | None = None

    def holds(self, value: Any) -> bool:
        """See `Constraint`."""
        return (
            is_number(value)
            and bool(np.isfinite(value))
            and (self.above is None or value > self.above)
            and (self.least is None or value >= self.least)
            and (self.below is None or value < self.below)
            and (self.most is None or value <= self.most)
        )

    def words(self) -> str:
        """See `Constraint`."""
        if self.above is not None and self.below is not None:
            return f"a number strictly between {self.above:g} and {self.below:g}"
        most = "" if self.most is None else f" and at most {self.most:g}"
        if self.above is not None:
            return f"a number above {self.above:g}{most}"
        return "a number" + ("" if self.least is None else f" >= {self.least:g}") + most


@dataclass(eq=False)
class OneOf(Constraint):
    """One of some words."""

    options: Collection[str]

    def holds(self, value: Any) -> bool:
        """See `Constraint`."""
        return isinstance(value, str) and value in self.options

    def words(self) -> str:
        """See `Constraint`."""
        return f"one of {list(self.options)}"

    def advice(self, value: Any) -> str:
        """See `Constraint`."""
        return f"{did_you_mean(value, self.options)} {self.hint}".strip()


class Text(Constraint):
    """Any text."""

    def holds(self, value: Any) -> bool:
        """See `Constraint`."""
        return isinstance(value, str)

    def words(self) -> str:
        """See `Constraint`."""
        return "a text"


@dataclass(eq=False)
class Kind(Constraint):
    """An object of a class, `such_as` that, with parameters that are allowed."""

    kind: type
    such_as: str

    def holds(self, value: Any) -> bool:
        """See `Constraint`."""
        return isinstance(value, self.kind)

    def words(self) -> str:
        """See `Constraint`."""
        return f"an object of a {self.kind.__name__}, such as {self.such_as},"

    def check(self, name: str, value: Any) -> None:
        """See `Constraint`."""
        super().check(name, value)
        if isinstance(value, BaseEstimator):
            check_parameters(value)


@dataclass(eq=False)
class By(Constraint):
    """What a function takes without raising an error, which has words of its own."""

    function: Callable[[Any], Any]

    def check(self, name: str, value: Any) -> None:
        """See `Constraint`."""
        self.function(value)


CONFIDENCE = Number(above=0, below=1, hint="For a 95% interval use 0.95.")
"""A confidence level."""
SHARE_RANGE = Number(above=0, below=1)
"""A share, neither none nor all."""
POSITIVE = Number(above=0)
JOBS = Whole(or_none=True)
"""A number of processes; negative ones count from all that there are."""
Constraints = Mapping[str, Constraint]
"""Parameter -> what it may be."""


@cache
def constraint_of(thing: Any, name: str) -> Constraint | None:
    """Find what a parameter may be: in ``_constraints`` of a class, one above it, or a function.

    A parameter that is a bool by its annotation or, without one, by its default is a flag
    without being said to be one.
    """
    for each in getattr(thing, "__mro__", [thing]):
        constraints: Constraints = vars(each).get("_constraints", {})
        if name in constraints:
            return constraints[name]
    parameter = signature(thing).parameters.get(name)
    if parameter is None or parameter.annotation is Parameter.empty:
        default = getattr(thing, name, None) if parameter is None else parameter.default
        return Flag() if isinstance(default, bool) else None
    return Flag() if parameter.annotation in ("bool", bool) else None


@cache
def default_of(thing: Any, name: str) -> Any:
    """Return the default of a parameter; `Parameter.empty` where it has none."""
    parameter = signature(thing).parameters.get(name)
    return Parameter.empty if parameter is None else parameter.default


def check_values(thing: Any, values: Mapping[str, Any]) -> None:
    """Raise for values of parameters that a class or function does not allow; defaults are."""
    for name, value in values.items():
        constraint = constraint_of(thing, name)
        if constraint is not None and value is not default_of(thing, name):
            constraint.check(name, value)


def constrained(**said: Constraint) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a decorator by which a function holds its arguments against constraints first."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = signature(function)

        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            bound = parameters.bind(*args, **kwargs)
            bound.apply_defaults()
            check_values(checked, bound.arguments)
            return function(*args, **kwargs)

        vars(checked)["_constraints"] = said
        return checked

    return decorate


def check_constrained(obj: Any) -> None:
    """Check the parameters, or attributes, that a class or one above it has constraints on."""
    of_classes = (vars(cls).get("_constraints", {}) for cls in type(obj).__mro__)
    names = dict.fromkeys(name for constraints in of_classes for name in constraints)
    check_values(type(obj), {name: getattr(obj, name) for name in names if hasattr(obj, name)})


def check_parameters(obj: Any) -> None:
    """Raise for parameters of an object that are not allowed, alone or together.

    Each is held against its constraint; then `_validate`, where the class has it, looks at what
    depends on several of them.
    """
    cls: Any = type(obj)
    check_values(cls, {name: getattr(obj, name) for name in parameter_names(cls)})
    if hasattr(obj, "_validate"):
        obj._validate()


@cache
def parameter_names(cls: Any) -> tuple[str, ...]:
    """Read the parameters of a class as scikit-learn does, which takes as long as a small fit."""
    return tuple(cls._get_param_names())
