"""Docstrings that leave something out are found."""

import pytest

from sklearn_bbc.testing._common import assert_documented

WHOLE = """One line.

Parameters
----------
level, size : float, default=0.9
    What it is.

Notes
-----
`details` of the result: ``winner``.

Examples
--------
>>> 1
1
"""


def documented(text):
    def __init__(self, *, level=0.9, size=0.9):
        pass

    facts = dict.fromkeys(("estimand", "meant_for", "cost", "limits"), "something")
    return type("Own", (), {"__doc__": text, "__init__": __init__, **facts})


def test_a_whole_docstring_passes():
    assert_documented(documented(WHOLE), ["winner", "unclipped"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (WHOLE, None, "has no docstring"),
        ("One line.", "One line", "does not end with a full stop"),
        ("Notes\n-----", "", "no section 'Notes'"),
        ("level, size", "level", r"describes \['level'\]"),
        ("    What it is.", "", "does not say what level is"),
        (", default=0.9", "", "no default of level"),
        (">>> 1", "1", "no example"),
        ("``winner``", "winner", r"does not mention details \['winner'\]"),
    ],
)
def test_what_is_missing_is_named(old, new, message):
    text = None if new is None else WHOLE.replace(old, new)
    with pytest.raises(AssertionError, match=message):
        assert_documented(documented(text), ["winner"])
