"""Fixtures of the tests of searches."""

import math

import pytest

from sklearn_bbc.recording import _refit_rule


@pytest.fixture(autouse=True, scope="session")
def enough_time():
    """On a busy machine a function as `refit` is no other rule."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_refit_rule, "MOST_SECONDS", math.inf)
        yield
