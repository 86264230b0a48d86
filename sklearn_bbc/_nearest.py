"""The name that was meant, for messages about unknown names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

__all__ = ["did_you_mean"]


def did_you_mean(name: str, known: Iterable[str], aliases: Mapping[str, str] | None = None) -> str:
    """Sentence that names the nearest known name; empty where none is near.

    Parameters
    ----------
    name : str
        What was given.
    known : iterable of str
        What there is.
    aliases : mapping of str to str, default=None
        Other words, in small letters and digits only, for some of the known names.

    Returns
    -------
    str
        With a space in front, to be put behind another sentence.
    """
    known = sorted(known)
    plain = {_plain(each): each for each in known}
    also = {word: target for word, target in (aliases or {}).items() if target in known}
    wanted = _plain(name)
    found = also.get(wanted) or plain.get(wanted)
    if found is None:
        near = difflib.get_close_matches(wanted, [*plain, *also], n=1, cutoff=0.75)
        found = {**plain, **also}[near[0]] if near else None
    return "" if found is None else f" Did you mean {found!r}?"


def _plain(name: str) -> str:
    """Small letters and digits only: case, hyphens and underscores are what people mix up."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())
