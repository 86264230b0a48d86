"""A name belongs to one class; defining that class again is no second one."""

import importlib
import sys

import pytest

from sklearn_bbc._utils import register
from sklearn_bbc.display._base import _REGISTRY as DISPLAYS
from sklearn_bbc.display._base import BaseDisplay
from sklearn_bbc.intervals import BBC, RefitInterval, as_interval
from sklearn_bbc.intervals._refit_base import _REGISTRY as REFITS
from sklearn_bbc.metrics import MetricKernel, families


def test_another_class_with_the_name_is_refused_and_both_are_named():
    registry = {}
    one, other = (type(name, (), {"name": "mine"}) for name in ("One", "Other"))
    register(registry, one, "thing")
    with pytest.raises(ValueError, match=r"'mine' of the thing .*\.Other is taken by .*\.One\."):
        register(registry, other, "thing")
    assert registry == {"mine": one}


def test_the_same_class_defined_again_replaces_the_earlier_one():
    registry = {}
    for _ in range(2):
        again = type("One", (), {"name": "mine"})
        register(registry, again, "thing")
        assert registry["mine"] is again


@pytest.mark.parametrize(
    "base, taken, of_name",
    [
        (BBC, "bbc", as_interval),
        (MetricKernel, "roc_auc", lambda name: families()[name]),
        (RefitInterval, next(iter(REFITS)), REFITS.get),
        (BaseDisplay, next(iter(DISPLAYS)), DISPLAYS.get),
    ],
)
def test_nothing_that_registers_can_be_replaced_by_accident(base, taken, of_name):
    before = of_name(taken)
    with pytest.raises(ValueError, match=f"The name '{taken}' .* is taken by sklearn_bbc"):
        type("Intruder", (base,), {"name": taken})
    assert type(of_name(taken)) is type(before)


def test_a_module_may_be_loaded_again(tmp_path, monkeypatch):
    (tmp_path / "their_method.py").write_text(
        "from sklearn_bbc.intervals import BBC\n\nclass Theirs(BBC):\n    name = 'theirs'\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(
        "sklearn_bbc.intervals._base._REGISTRY",
        dict(sys.modules["sklearn_bbc.intervals._base"]._REGISTRY),
    )
    module = importlib.import_module("their_method")
    again = importlib.reload(module)
    assert type(as_interval("theirs")) is again.Theirs
