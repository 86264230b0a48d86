"""The contract of methods for tied sets: a right one passes, broken ones are found."""

import numpy as np
import pytest

from sklearn_bbc.comparison import Bonferroni, TiedMethod
from sklearn_bbc.testing import check_tied_method


@pytest.fixture(autouse=True)
def own_registry(monkeypatch):
    from sklearn_bbc.comparison import _tied_methods as _base

    monkeypatch.setattr(_base, "_REGISTRY", dict(_base._REGISTRY))


def method(p_values, **body):
    def init(self, *, confidence_level=0.95):
        self.confidence_level = confidence_level

    usual = {
        "name": "own", "meant_for": "tests", "cost": "nothing", "limits": "none",
        "__doc__": "Own.", "__init__": init, "_p_values": p_values, "__module__": __name__,
    }  # fmt: skip
    return type("Own", (TiedMethod,), {**usual, **body})


def right(self, values, fold):
    return Bonferroni()._p_values(values, fold)


def all_equal(self, values, fold):
    return np.ones(values.shape[1])


def none_at_all(self, values, fold):
    return np.zeros(values.shape[1])


def at_random(self, values, fold):
    return np.random.default_rng().random(values.shape[1])


def too_large(self, values, fold):
    return 2 * right(self, values, fold)


def too_few(self, values, fold):
    return right(self, values, fold)[:1]


def test_a_right_method_passes():
    check_tied_method(method(right))


@pytest.mark.parametrize("broken", [all_equal, none_at_all, at_random, too_large, too_few])
def test_broken_p_values_are_found(broken):
    with pytest.raises((AssertionError, IndexError)):
        check_tied_method(method(broken))


@pytest.mark.parametrize(
    "body", [{"limits": ""}, {"cost": "a | b"}, {"__doc__": None}, {"p_values": right}]
)
def test_what_is_missing_is_found(body):
    with pytest.raises((AssertionError, TypeError)):
        check_tied_method(method(right, **body))


def test_a_parameter_by_position_is_found():
    def init(self, confidence_level=0.95):
        self.confidence_level = confidence_level

    with pytest.raises(AssertionError, match="by keyword"):
        check_tied_method(method(right, __init__=init))
