"""Plain text made fit for Markdown, LaTeX and HTML: everything special is escaped."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from html import escape
from typing import ClassVar

from .._nearest import did_you_mean

__all__ = ["Style", "style_named", "styles"]

_REGISTRY: dict[str, Style] = {}

ALIASES = {"md": "markdown", "method": "methods", "plain": "text", "tex": "latex", "txt": "text"}
"""What people call the styles, in small letters and digits only."""


class Style(ABC):
    """Where a text goes, and so what has to be escaped in it."""

    name: ClassVar[str]

    def __init_subclass__(cls) -> None:
        _REGISTRY[cls.name] = cls()

    @abstractmethod
    def escape(self, text: str) -> str:
        """Plain text so that it reads the same in this style."""


class Text(Style):
    """Plain text."""

    name = "text"

    def escape(self, text: str) -> str:
        return text


class Markdown(Style):
    """CommonMark, GitHub's tables included."""

    name = "markdown"
    _SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&])")

    def escape(self, text: str) -> str:
        return self._SPECIAL.sub(r"\\\1", text)


class Latex(Style):
    """LaTeX, for the body of a text."""

    name = "latex"
    _SPECIAL: ClassVar[dict[str, str]] = {
        "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
        "^": r"\textasciicircum{}", "_": r"\_", "~": r"\textasciitilde{}", "%": r"\%",
        "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
        '"': r"\textquotedbl{}", "²": r"\textsuperscript{2}",
        "\u2212": "$-$",
    }  # fmt: skip
    _NUMBER = re.compile(r"(?<![\w.\-])(-?)(\d[\d,]*(?:\.\d+)?)(?:e([+-]\d+))?(?![\w])")

    def escape(self, text: str) -> str:
        escaped = "".join(self._SPECIAL.get(character, character) for character in text)
        return self._NUMBER.sub(self._number, escaped)

    @staticmethod
    def _number(found: re.Match[str]) -> str:
        """A minus that is none in a word, and powers of ten, in mathematics."""
        sign, digits, power = found.groups()
        if power is not None:
            return rf"${sign}{digits}\times10^{{{int(power)}}}$"
        return f"$-${digits}" if sign else digits


class Html(Style):
    """HTML, for the content of an element or an attribute in quotes."""

    name = "html"

    def escape(self, text: str) -> str:
        return escape(text, quote=True)


def styles() -> dict[str, Style]:
    """All styles by name."""
    return dict(_REGISTRY)


def style_named(name: str, known: tuple[str, ...]) -> str:
    """`name`, if it is one of the known styles.

    Raises
    ------
    ValueError
        If it is not; the message names those that are known, and the nearest one.
    """
    if isinstance(name, str) and name in known:
        return name
    meant = did_you_mean(name, known, ALIASES)
    raise ValueError(f"style must be one of {list(known)}, got {name!r}.{meant}")
