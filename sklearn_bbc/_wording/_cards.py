"""A small box of HTML for notebooks: readable on light and dark pages, without scripts."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

__all__ = ["card"]

BOX = (
    "display:inline-block;max-width:44em;padding:.6em .9em;margin:.2em 0;vertical-align:top;"
    "border:1px solid rgba(128,128,128,.45);border-radius:.4em;font-family:sans-serif;"
    "font-size:90%;line-height:1.45;text-align:left;color:inherit;box-sizing:border-box;"
    "overflow-wrap:break-word"
)
HEAD = "opacity:.75"
MAIN = "font-size:135%;font-weight:600;margin:.1em 0 .3em"
LABEL = (
    "padding:.1em 1em .1em 0;text-align:left;vertical-align:top;font-weight:normal;opacity:.75;"
    "max-width:14em;white-space:normal"
)
VALUE = (
    "padding:.1em 0;text-align:left;vertical-align:top;font-variant-numeric:tabular-nums;"
    "overflow-wrap:anywhere;white-space:normal"
)
NOTE = "margin-top:.4em;font-size:92%"


def card(
    title: str,
    main: str,
    rows: Iterable[tuple[str, str]] = (),
    notes: Iterable[str] = (),
) -> str:
    """Write a box with a title, a line that matters most, a table of two columns and notes.

    Parameters
    ----------
    title, main : str
        What it is about, and what is said. All texts are escaped.
    rows : iterable of (str, str), default=()
        Names and values.
    notes : iterable of str, default=()
        Remarks below, a line each.

    Returns
    -------
    str
        HTML.
    """
    lines = "".join(
        f'<tr style="background:none"><th style="{LABEL}">{escape(label)}</th>'
        f'<td style="{VALUE}">{escape(value)}</td></tr>'
        for label, value in rows
    )
    # Pages without a document type do not hand the colour down to tables.
    style = "border-collapse:collapse;margin:0;color:inherit"
    table = f'<table style="{style}">{lines}</table>' if lines else ""
    told = "".join(f'<div style="{NOTE}">{escape(note)}</div>' for note in notes)
    return (
        f'<div style="{BOX}"><div style="{HEAD}">{escape(title)}</div>'
        f'<div style="{MAIN}">{escape(main)}</div>{table}{told}</div>'
    )
