"""The checks of displays."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from ..display._base import BaseDisplay, registered
from ..intervals._bbc import BBC
from ..results._results import ConfidenceInterval
from ..search._search import BBCSearchCV
from ._common import example_predictions


@lru_cache(maxsize=1)
def _example_result() -> ConfidenceInterval:
    method = BBC(n_bootstraps=200, random_state=0)
    return method.estimate(example_predictions(), "roc_auc")


@lru_cache(maxsize=1)
def _example_search() -> BBCSearchCV:
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 2)) + y[:, None]
    search = BBCSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2]},
        scoring="roc_auc",
        ci=[BBC(n_bootstraps=200)],
        random_state=0,
    )
    return search.fit(X, y)


def _made(display: type[BaseDisplay], results: Any) -> BaseDisplay:
    made = display.from_results(_example_result() if results is None else results)
    assert isinstance(made, display), "from_results does not return a display of its class"
    return made


@contextmanager
def _own_figures() -> Iterator[Callable[[], int]]:
    """Close what a check opens; gives the number of figures opened so far."""
    import matplotlib.pyplot as plt

    before = set(plt.get_fignums())
    try:
        yield lambda: len(set(plt.get_fignums()) - before)
    finally:
        for number in set(plt.get_fignums()) - before:
            plt.close(number)


def check_name(display: type[BaseDisplay], results: Any = None, search: Any = None) -> None:
    """Check that the class is registered under its name, and a docstring says what it shows."""
    name = display.__dict__.get("name")
    assert isinstance(name, str) and name, "give the class a name"
    assert registered().get(name) is display, f"the name {name!r} does not lead to the class"
    summary = (inspect.getdoc(display) or "").split("\n\n")[0]
    assert display.__dict__.get("__doc__") and summary.endswith("."), (
        "the docstring does not begin with a sentence on what is shown"
    )


def check_frame(display: type[BaseDisplay], results: Any = None, search: Any = None) -> None:
    """Check that `frame` gives the numbers, the same ones each time."""
    frame = _made(display, results).frame()
    assert isinstance(frame, pd.DataFrame) and len(frame), "frame() is not a table with rows"
    pd.testing.assert_frame_equal(frame, _made(display, results).frame())


def check_plot(display: type[BaseDisplay], results: Any = None, search: Any = None) -> None:
    """Check that `plot` opens one figure, draws, says what is shown, and returns the display."""
    with _own_figures() as opened:
        figure = _made(display, results)
        assert figure.plot() is figure, "plot does not return self"
        assert opened() == 1, "plot without axes must open one figure"
        assert figure.ax_.figure is figure.figure_, "figure_ is not the figure of ax_"
        figure.figure_.draw_without_rendering()  # type: ignore[union-attr]
        assert figure.ax_.has_data(), "nothing was drawn"
        titles = figure.ax_.get_xlabel(), figure.ax_.get_ylabel(), figure.ax_.get_title()
        assert any(titles), "neither a label nor a title says what is shown"


def check_given_axes(display: type[BaseDisplay], results: Any = None, search: Any = None) -> None:
    """Check that `plot` draws on the axes that it is given, and on no other."""
    import matplotlib.pyplot as plt

    with _own_figures() as opened:
        _, (left, right) = plt.subplots(1, 2)
        figure = _made(display, results).plot(ax=right)
        assert figure.ax_ is right and right.has_data(), "plot ignores the axes it is given"
        assert not left.has_data() and opened() == 1, "plot draws elsewhere too"


def check_again(display: type[BaseDisplay], results: Any = None, search: Any = None) -> None:
    """Check that drawing may be repeated and changes no number."""
    with _own_figures():
        figure = _made(display, results)
        before = figure.frame()
        first = figure.plot().figure_
        assert figure.plot().figure_ is not first, "a second plot needs a figure of its own"
        pd.testing.assert_frame_equal(figure.frame(), before)


def check_options(display: type[BaseDisplay], results: Any = None, search: Any = None) -> None:
    """Check that an option that `plot` does not know is refused."""
    with _own_figures():
        plot: Any = _made(display, results).plot
        try:
            plot(no_such_option=1)
        except TypeError as error:
            assert "no_such_option" in str(error), "the message does not name the option"
        else:
            raise AssertionError("plot takes any option, so a misspelled one is ignored")


def check_search(display: type[BaseDisplay], results: Any = None, search: Any = None) -> None:
    """Check that `from_search` builds the plot of a fitted search, or explains why not."""
    if display.from_search.__func__ is BaseDisplay.from_search.__func__:  # type: ignore[attr-defined]
        try:
            display.from_search(_example_search())
        except ValueError as error:
            assert display.why_no_search in str(error), "from_search does not say why"
            return
        raise AssertionError("from_search must build a display or raise a ValueError")
    with _own_figures():
        figure = display.from_search(_example_search() if search is None else search)
        assert isinstance(figure, display), "from_search does not return a display of its class"
        assert len(figure.frame()), "the display of a search has no numbers"
        assert figure.plot().ax_.has_data(), "nothing was drawn of a search"


def check_without_matplotlib(
    display: type[BaseDisplay], results: Any = None, search: Any = None
) -> None:
    """Check that without matplotlib the numbers are there, and `plot` says what to install."""
    modules: dict[str, Any] = sys.modules
    kept = modules.get("matplotlib")
    modules["matplotlib"] = None
    try:
        figure = _made(display, results)
        assert len(figure.frame()), "frame() needs matplotlib"
        try:
            figure.plot()
        except ImportError as error:
            expected = f"{display.__name__}.plot requires matplotlib"
            assert expected in str(error), f"the message is not {expected!r}: use `_axes`"
        else:
            raise AssertionError("plot without matplotlib must raise an ImportError")
    finally:
        del modules["matplotlib"]
        if kept is not None:
            modules["matplotlib"] = kept


DISPLAY_CHECKS = (
    check_name,
    check_frame,
    check_plot,
    check_given_axes,
    check_again,
    check_options,
    check_search,
    check_without_matplotlib,
)
