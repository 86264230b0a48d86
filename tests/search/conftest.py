"""Fixtures of the tests of searches."""

import math

import pytest

from sklearn_bbc.recording import _refit_rule
from sklearn_bbc.report import _page


@pytest.fixture(autouse=True, scope="session")
def enough_time():
    """On a busy machine a function as `refit` is no other rule."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_refit_rule, "MOST_SECONDS", math.inf)
        yield


@pytest.fixture
def without_pictures(monkeypatch):
    """Pages of reports have their captions only: to draw takes most of the time of a page."""
    monkeypatch.setattr(
        _page, "_as_picture", lambda display, size, caption, **options:
        {"caption": caption, "failed": "", "address": "data:,"}
    )  # fmt: skip
