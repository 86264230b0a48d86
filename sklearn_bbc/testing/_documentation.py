"""Docstrings of interval methods are complete."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from typing import Any

from ._common import run, tools

OF_ALL = {
    "exact_bounds", "no_width", "positive_class", "sign", "unclipped", "unclipped_estimate",
}  # fmt: skip
"""Keys of `details` that any method may have; `ConfidenceInterval` explains them."""

FACTS = ("estimand", "meant_for", "cost", "limits")
"""Class attributes of every method, one line each: tables of the user guide show them."""

SECTION = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}$", re.MULTILINE)


def check_documentation(method: Any, scoring: Any = None, oof: Any = None) -> None:
    """The class tells its facts; the docstring is complete, `details` and example included."""
    method, scoring, oof = tools(method, scoring, oof)
    result = run(method, scoring, oof)
    assert_documented(type(method), result.details)


def assert_documented(cls: type, details: Iterable[str]) -> None:
    """The docstring of a method tells what a user must know.

    Parameters
    ----------
    cls : type
        The method.
    details : iterable of str
        Keys of the `details` of a result.
    """
    name = cls.__name__
    for fact in FACTS:
        told = getattr(cls, fact, None)
        assert isinstance(told, str) and told, f"{name} does not say its {fact}"
        assert not set(told) & set("|\n"), f"{fact} of {name} does not fit into a table"
    assert cls.__dict__.get("__doc__"), f"{name} has no docstring"
    text = inspect.getdoc(cls) or ""
    sections = _sections(text)
    summary = text.split("\n\n")[0]
    assert summary.endswith("."), f"the summary of {name} does not end with a full stop"
    for section in ("Parameters", "Notes", "Examples"):
        assert section in sections, f"the docstring of {name} has no section {section!r}"
    described = _entries(sections["Parameters"])
    parameters = inspect.signature(cls).parameters
    assert sorted(described) == sorted(parameters), (
        f"the docstring of {name} describes {sorted(described)}, its parameters are "
        f"{sorted(parameters)}"
    )
    for parameter, (kind, body) in described.items():
        assert kind and body, f"the docstring of {name} does not say what {parameter} is"
        default = parameters[parameter].default
        if default is not inspect.Parameter.empty:
            assert "default" in kind, f"the docstring of {name} has no default of {parameter}"
    assert ">>>" in sections["Examples"], f"the docstring of {name} has no example"
    missing = [
        key for key in set(details) - OF_ALL if not re.search(rf"``{key}``|\[\"{key}\"\]", text)
    ]
    assert not missing, f"the docstring of {name} does not mention details {missing}"


def _sections(text: str) -> dict[str, str]:
    """Heading -> text below it."""
    parts = SECTION.split(text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _entries(section: str) -> dict[str, tuple[str, str]]:
    """Parameter -> its type and its description."""
    entries: dict[str, tuple[str, str]] = {}
    # A type may go on in an indented line behind a backslash.
    section = re.sub(r"\\\n\s*", "", section)
    for block in re.split(r"\n(?=\S)", section.strip("\n")):
        head, _, body = block.partition("\n")
        names, _, kind = head.partition(" : ")
        for name in names.split(", "):
            entries[name.strip()] = (kind.strip(), body.strip())
    return entries
