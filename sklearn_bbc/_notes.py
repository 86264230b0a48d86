"""Notes of results: texts that code finds again by their kind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

from ._warnings import warn_user
from .exceptions import IntervalWarning

AnyNote = TypeVar("AnyNote", bound=str)

DROPPED = "{} of {} dropped"
"""Kind of the note on configurations that were dropped early."""
REPLACED = "replaced"
"""Kind of the note on fits that were replaced by later ones."""


class Note(str):
    """A note that other code looks for: a text, with the `kind` that it is found by.

    Words may change, be translated or be about something else in the end; kinds do not. Equality,
    hash and printing are those of the text.
    """

    kind: str

    def __new__(cls, text: str, kind: str = "") -> Note:
        note = super().__new__(cls, text)
        note.kind = kind
        return note


def as_note(text: Any) -> str:
    """Return a text, which keeps its kind if it has one."""
    return text if isinstance(text, Note) else str(text)


def kind_of(note: str) -> str:
    """Return the kind of a note; empty for those that no code looks for."""
    return note.kind if isinstance(note, Note) else ""


def has_kind(notes: Iterable[str], kind: str) -> bool:
    """Check whether a note of this kind is among these."""
    return any(kind_of(note) == kind for note in notes)


def without_kind(notes: Iterable[str], kind: str) -> list[str]:
    """Leave out the notes of this kind."""
    return [note for note in notes if kind_of(note) != kind]


def warned(note: AnyNote, by: str = "", category: type[Warning] = IntervalWarning) -> AnyNote:
    """Warn the user of a note, which names whom it is `by`, and return it."""
    warn_user(f"{by}: {note}" if by else note, category)
    return note


def with_notes(result: Any, notes: Iterable[str], **details: Any) -> Any:
    """Add to a result notes that it does not have yet, and other details."""
    old = result.details.get("notes", [])
    new = [note for note in dict.fromkeys(notes) if note not in old]
    if new:
        details["notes"] = [*old, *new]
    return replace(result, details={**result.details, **details}) if details else result
