"""The contract of pictures: a right one passes, broken ones are found."""

import pandas as pd
import pytest

from sklearn_bbc.display import BaseDisplay
from sklearn_bbc.testing import check_contract, checks

plt = pytest.importorskip("matplotlib.pyplot", reason="pictures need the extra 'plot'")


class Plain(BaseDisplay):
    """One number as a dot."""

    def __init__(self, *, value):
        self.value = value

    @classmethod
    def from_results(cls, results):
        return cls(value=results.estimate)

    @classmethod
    def from_search(cls, search):
        return cls(value=search.best_score_)

    def frame(self):
        return pd.DataFrame({"estimate": [self.value]})

    def plot(self, ax=None):
        ax = self._axes(ax, height=1.0)
        ax.plot(self.value, 0, "o")
        ax.set_xlabel("score")
        return self


@pytest.fixture
def make(monkeypatch):
    def make(**changed):
        monkeypatch.setattr("sklearn_bbc.display._base._DISPLAYS", {})
        body = {"name": "plain_dot", "__doc__": "One number as a dot.", **changed}
        return type("Broken", (Plain,), body)

    return make


def test_a_right_picture_passes_and_leaves_no_figure(make):
    before = plt.get_fignums()
    check_contract(make())
    assert plt.get_fignums() == before


def silent(self, ax=None):
    self._axes(ax, height=1.0).plot(self.value, 0, "o")
    return self


def forgetful(self, ax=None):
    Plain.plot(self, ax)


def own_way(self, ax=None):
    return Plain.plot(self)


def drifting(self, ax=None):
    self.value += 1
    return Plain.plot(self, ax)


def any_option(self, ax=None, **options):
    return Plain.plot(self, ax)


def without_help(self, ax=None):
    import matplotlib.pyplot as plt

    self.ax_ = plt.subplots()[1] if ax is None else ax
    self.figure_ = self.ax_.figure
    self.ax_.plot(self.value, 0, "o")
    self.ax_.set_title("score")
    return self


@pytest.mark.parametrize(
    ("changed", "found_by"),
    [
        ({"__doc__": None}, "check_name"),
        ({"frame": lambda self: pd.DataFrame()}, "check_frame"),
        ({"plot": silent}, "check_plot"),
        ({"plot": forgetful}, "check_plot"),
        ({"plot": own_way}, "check_given_axes"),
        ({"plot": drifting}, "check_again"),
        ({"plot": any_option}, "check_options"),
        ({"from_search": classmethod(lambda cls, search: None)}, "check_search"),
        ({"plot": without_help}, "check_without_matplotlib"),
    ],
)
def test_a_broken_picture_is_found(make, changed, found_by):
    check = {check.__name__: check for check in checks(Plain)}[found_by]
    check(make())
    with pytest.raises((AssertionError, ImportError)):
        check(make(**changed))
