"""Predictions to try things on, and expectations that the contracts share."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from ..predictions._predictions import OOFPredictions

OF_INTERVALS = ("estimate", "low", "high", "draws")
"""Attributes of an interval that have to be the same when the result is."""

OF_ALL = {
    "exact_bounds", "no_width", "positive_class", "sign", "unclipped", "unclipped_estimate",
    "winner_name",
}  # fmt: skip
"""Keys of `details` that any method may have; `ConfidenceInterval` explains them."""

FACTS = ("estimand", "meant_for", "cost", "limits")
"""Class attributes of every method, one line each: tables of the user guide show them."""


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


def quickly(method: Any, **quick: Any) -> Any:
    """Copy the method, or make one of the class, with a seed, few draws, little to train."""
    method = method() if isinstance(method, type) else clone(method)
    quick, known = {"n_bootstraps": 200, "random_state": 0, **quick}, method.get_params(deep=False)
    return method.set_params(**{name: value for name, value in quick.items() if name in known})


def assert_same(one: Any, other: Any, what: str, names: Iterable[str] = OF_INTERVALS) -> None:
    """Compare these attributes of two results, bit for bit."""
    for name in names:
        np.testing.assert_array_equal(
            getattr(one, name), getattr(other, name), err_msg=f"{what}: {name} differs"
        )


def has_bounds(result: Any) -> bool:
    """Whether there are bounds: NaN stands for data or methods without an interval."""
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
