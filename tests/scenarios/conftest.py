"""Every scenario, fitted once in a process."""

import warnings
from functools import cache
from types import SimpleNamespace

import pytest

from sklearn_bbc.recording import _refit_rule
from tests.scenarios.cases import SCENARIOS


@cache
def fitted_scenario(name):
    """The fitted search, our warnings, and the results of what was asked of it."""
    scenario = SCENARIOS[name]
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(record=True) as caught:
        # On a busy machine a function as `refit` is no other rule.
        patch.setattr(_refit_rule, "MOST_SECONDS", float("inf"))
        warnings.simplefilter("always")
        search = scenario.search.fit(*scenario.data, **scenario.fit)
        asked = {what: call(search) for what, call in scenario.asked.items()}
    ours = (each for each in caught if each.category.__module__.startswith("sklearn_bbc"))
    said = {f"{each.category.__name__}: {each.message}": None for each in ours}
    return SimpleNamespace(name=name, search=search, asked=asked, said=list(said),
                           shown=list(scenario.shown), page=scenario.page)  # fmt: skip


@pytest.fixture(params=SCENARIOS, ids=lambda name: name.replace(" ", "_"))
def scenario(request):
    return fitted_scenario(request.param)
