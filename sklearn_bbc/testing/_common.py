"""Shared by the contracts: predictions to try things on, expectations, checks of plots."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from .._parameters import Whole, constrained
from ..display._base import BaseDisplay, registered
from ..intervals._bbc import BBC
from ..predictions._predictions import OOFPredictions
from ..results._results import ConfidenceInterval
from ..search._search import BBCSearchCV

INTERVAL_FIELDS = ("estimate", "low", "high", "draws")
"""Attributes of an interval that have to be the same when the result is."""

OF_ALL = {
    "exact_bounds", "no_width", "positive_class", "sign", "unclipped", "unclipped_estimate",
    "winner_name",
}  # fmt: skip
"""Keys of `details` that any method may have; `ConfidenceInterval` explains them."""

FACTS = ("estimand", "meant_for", "cost", "limits")
"""Class attributes of every method, one line each: tables of the user guide show them."""


@constrained(
    n_samples=Whole(1), n_configs=Whole(1), n_folds=Whole(1), n_classes=Whole(1), seed=Whole(0)
)
def example_predictions(
    n_samples: int = 60, n_configs: int = 4, n_folds: int = 6, n_classes: int = 2, seed: int = 0
) -> OOFPredictions:
    """Make out-of-fold scores of simulated classifiers, some better than others.

    Parameters
    ----------
    n_samples, n_configs, n_folds, n_classes : int
        Sizes. Folds are stratified.
    seed : int, default=0
        Seed of the scores.

    Returns
    -------
    OOFPredictions
        Probabilities, of the second class only where there are two.

    Examples
    --------
    >>> from sklearn_bbc.testing import example_predictions
    >>> example_predictions(n_samples=30, n_configs=2)
    OOFPredictions(n_samples=30, n_configs=2, n_splits=6, n_repeats=1, responses=['predict_proba'])
    """
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % n_classes
    skill = np.linspace(0.8, 1.6, n_configs)[:, None, None]
    logits = rng.normal(size=(n_configs, n_samples, n_classes))
    logits += skill * (y[:, None] == np.arange(n_classes))
    proba = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
    return OOFPredictions.from_rows(
        y_true=y,
        responses={"predict_proba": proba},
        fold=np.arange(n_samples) // n_classes % n_folds,
    )


def quickly(method: Any, **quick: Any) -> Any:
    """Copy the method, or make one of the class, with a seed, few draws, little to train."""
    method = method() if isinstance(method, type) else clone(method)
    quick, known = {"n_bootstraps": 100, "random_state": 0, **quick}, method.get_params(deep=False)
    return method.set_params(**{name: value for name, value in quick.items() if name in known})


def assert_same(one: Any, other: Any, what: str, names: Iterable[str] = INTERVAL_FIELDS) -> None:
    """Compare these attributes of two results, bit for bit."""
    for name in names:
        np.testing.assert_array_equal(
            getattr(one, name), getattr(other, name), err_msg=f"{what}: {name} differs"
        )


def has_bounds(result: Any) -> bool:
    """Check whether there are bounds: NaN stands for data or methods without an interval."""
    return not np.isnan([result.low, result.high]).any()


def assert_refused(function: Callable[[], Any], word: str, what: str) -> None:
    """Expect a ValueError whose message has the word."""
    try:
        function()
    except ValueError as error:
        assert word in str(error), f"the message does not mention {word!r}: {error}"
    else:
        raise AssertionError(f"{what} must raise a ValueError")


@contextmanager
def no_global_seed() -> Iterator[None]:
    """Expect that numpy's global random state is not used."""
    before = check_random_state(None).get_state(legacy=False)
    yield
    after = check_random_state(None).get_state(legacy=False)["state"]
    untouched = before["state"]["pos"] == after["pos"]
    untouched &= np.array_equal(before["state"]["key"], after["key"])
    assert untouched, "numpy's global random state was used"


def assert_registered(cls: Any, registry: Mapping[str, Any]) -> None:
    """Expect that the name leads to the class, and is written as usual."""
    name = cls.name
    assert registry.get(name) is cls, f"{name!r} does not lead to {cls.__name__}"
    assert name == name.lower() and name.isidentifier(), "names are like_this"


def assert_kept_by_keyword(method: Any) -> None:
    """Expect that parameters are kept as given, by keyword only, with the usual level."""
    cls = type(method)
    assert cls().get_params()["confidence_level"] == 0.95, "the usual level is 0.95"
    assert clone(method).get_params() == method.get_params(), "clone changes parameters"
    try:
        cls(0.9)
    except TypeError:
        pass
    else:
        raise AssertionError("parameters must be given by keyword")


def assert_parameters(method: Any) -> None:
    """Expect an estimand in words, and the parameters and defaults that all methods share."""
    cls = type(method)
    assert isinstance(cls.estimand, str) and cls.estimand, "say in words what is estimated"
    assert cls().get_params()["alternative"] == "two-sided", "two-sided is the usual alternative"
    assert_kept_by_keyword(method)


def assert_facts(cls: type, facts: Iterable[str]) -> None:
    """Expect class attributes of one line each, which tables of the user guide show."""
    for fact in facts:
        text = getattr(cls, fact, None)
        assert isinstance(text, str) and text, f"{cls.__name__} does not say its {fact}"
        assert not set(text) & set("|\n"), f"{fact} of {cls.__name__} does not fit into a table"


def assert_documented(cls: type, details: Iterable[str], facts: Iterable[str] = FACTS) -> None:
    """Expect the facts, and a docstring with an example that names all parameters and details."""
    name = cls.__name__
    assert_facts(cls, facts)
    text = inspect.cleandoc(cls.__dict__.get("__doc__") or "")
    assert text, f"{name} has no docstring"
    assert ">>>" in text, f"the docstring of {name} has no example"
    lacking = [
        each
        for each in inspect.signature(cls).parameters
        if not re.search(rf"^(\w+, )*{each}(, \w+)* : ", text, re.MULTILINE)
    ]
    assert not lacking, f"the docstring of {name} does not describe the parameters {lacking}"
    missing = [
        key for key in set(details) - OF_ALL if not re.search(rf"``{key}``|\[\"{key}\"\]", text)
    ]
    assert not missing, f"the docstring of {name} does not mention details {missing}"


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
    """Close the figures that a check opens; yield a function that counts those so far."""
    import matplotlib.pyplot as plt

    before = set(plt.get_fignums())
    try:
        yield lambda: len(set(plt.get_fignums()) - before)
    finally:
        for number in set(plt.get_fignums()) - before:
            plt.close(number)


def check_name(display: type[BaseDisplay], results: Any = None, search: Any = None) -> None:
    """Check that the class is registered under its name, and has a docstring with a summary."""
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
    """Check that `plot` opens one figure, draws, names what is shown, and returns the display."""
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
    """Check that without matplotlib the numbers are there, and `plot` names what to install."""
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
