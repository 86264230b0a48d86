"""Predictions to try things on."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from sklearn.base import clone

from ..intervals._base import BaseInterval
from ..predictions._predictions import OOFPredictions
from ..results._results import ConfidenceInterval


def example_predictions(
    n_samples: int = 60, n_configs: int = 4, n_folds: int = 6, n_classes: int = 2, seed: int = 0
) -> OOFPredictions:
    """Out-of-fold scores of made-up classifiers, some better than others.

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
    return OOFPredictions(
        y_true=y,
        responses={"predict_proba": proba},
        fold=np.arange(n_samples) // n_classes % n_folds,
    )


def tools(
    method: Any, scoring: Any, oof: OOFPredictions | None
) -> tuple[BaseInterval, Any, OOFPredictions]:
    """The method with few draws and a seed, a metric and predictions."""
    method, oof = quickly(method), example_predictions() if oof is None else oof
    if scoring is None:
        scoring = first_accepted(lambda metric: run(method, metric, oof))
    return method, scoring, oof


def quickly(method: Any) -> Any:
    """A copy of the method, or one made of the class, with few draws and a seed."""
    method = method() if isinstance(method, type) else clone(method)
    known = method.get_params(deep=False)
    few = {"n_bootstraps": 200, "random_state": 0}
    return method.set_params(**{name: value for name, value in few.items() if name in known})


def first_accepted(attempt: Callable[[str], Any]) -> str:
    """A metric that is not refused; the last one is not tried, so that its error is seen."""
    *first, last = "roc_auc", "accuracy", "f1"
    for scoring in first:
        try:
            attempt(scoring)
        except ValueError:  # a method for certain metrics
            continue
        return scoring
    return last


def run(
    method: BaseInterval, scoring: Any, oof: OOFPredictions, **params: Any
) -> ConfidenceInterval:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return clone(method).set_params(**params).estimate(oof, scoring)


def assert_same(one: ConfidenceInterval, other: ConfidenceInterval, what: str) -> None:
    for name in ("estimate", "low", "high", "draws"):
        np.testing.assert_array_equal(
            getattr(one, name), getattr(other, name), err_msg=f"{what}: {name} differs"
        )


def has_bounds(result: ConfidenceInterval) -> bool:
    """Methods without an interval, and data that allow none, give NaN."""
    return not np.isnan([result.low, result.high]).any()


def assert_refused(function: Callable[[], Any], word: str, what: str) -> None:
    try:
        function()
    except ValueError as error:
        assert word in str(error), f"the message does not mention {word!r}: {error}"
    else:
        raise AssertionError(f"{what} must raise a ValueError")


def assert_parameters(method: Any) -> None:
    """The estimand is told, defaults are the usual ones, parameters are kept and by keyword."""
    cls = type(method)
    assert isinstance(cls.estimand, str) and cls.estimand, "say in words what is estimated"
    defaults = cls().get_params()
    assert defaults["confidence_level"] == 0.95 and defaults["alternative"] == "two-sided"
    assert clone(method).get_params() == method.get_params(), "clone changes parameters"
    try:
        cls(0.9)
    except TypeError:
        pass
    else:
        raise AssertionError("parameters must be given by keyword")


OF_ALL = {
    "exact_bounds", "no_width", "positive_class", "sign", "unclipped", "unclipped_estimate",
}  # fmt: skip
"""Keys of `details` that any method may have; `ConfidenceInterval` explains them."""

FACTS = ("estimand", "meant_for", "cost", "limits")
"""Class attributes of every method, one line each: tables of the user guide show them."""

SECTION = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}$", re.MULTILINE)


def check_documentation(method: Any, scoring: Any = None, oof: Any = None) -> None:
    """The class tells its facts; the docstring is complete, `details` and example included."""
    method, scoring, oof = tools(method, scoring, oof)
    result = run(method, scoring, oof)
    assert_documented(type(method), result.details)


def assert_documented(cls: type, details: Iterable[str]) -> None:
    """The docstring of a method tells what a user must know."""
    name = cls.__name__
    for fact in FACTS:
        told = getattr(cls, fact, None)
        assert isinstance(told, str) and told, f"{name} does not say its {fact}"
        assert not set(told) & set("|\n"), f"{fact} of {name} does not fit into a table"
    assert cls.__dict__.get("__doc__"), f"{name} has no docstring"
    text = inspect.getdoc(cls) or ""
    sections = _sections(text)
    summary = text.split("\n\n")[0]
    assert summary.endswith("."), f"the summary of {name} does not end with a full stop"
    for section in ("Parameters", "Notes", "Examples"):
        assert section in sections, f"the docstring of {name} has no section {section!r}"
    described = _entries(sections["Parameters"])
    parameters = inspect.signature(cls).parameters
    assert sorted(described) == sorted(parameters), (
        f"the docstring of {name} describes {sorted(described)}, its parameters are "
        f"{sorted(parameters)}"
    )
    for parameter, (kind, body) in described.items():
        assert kind and body, f"the docstring of {name} does not say what {parameter} is"
        default = parameters[parameter].default
        if default is not inspect.Parameter.empty:
            assert "default" in kind, f"the docstring of {name} has no default of {parameter}"
    assert ">>>" in sections["Examples"], f"the docstring of {name} has no example"
    missing = [
        key for key in set(details) - OF_ALL if not re.search(rf"``{key}``|\[\"{key}\"\]", text)
    ]
    assert not missing, f"the docstring of {name} does not mention details {missing}"


def _sections(text: str) -> dict[str, str]:
    """Heading -> text below it."""
    parts = SECTION.split(text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _entries(section: str) -> dict[str, tuple[str, str]]:
    """Parameter -> its type and its description."""
    entries: dict[str, tuple[str, str]] = {}
    # A type may go on in an indented line behind a backslash.
    section = re.sub(r"\\\n\s*", "", section)
    for block in re.split(r"\n(?=\S)", section.strip("\n")):
        head, _, body = block.partition("\n")
        names, _, kind = head.partition(" : ")
        for name in names.split(", "):
            entries[name.strip()] = (kind.strip(), body.strip())
    return entries
