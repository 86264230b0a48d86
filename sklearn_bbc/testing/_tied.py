"""The contract of methods for tied sets."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from ..comparison import TiedMethod, registered_tied, tied_with_best
from ._common import assert_refused
from ._data import example_predictions

FOLD = np.arange(40) % 5


def check_tied_method(method: TiedMethod | type[TiedMethod]) -> None:
    """Run the contract of methods for tied sets.

    It covers the name and the facts, parameters, seeds, that neither the order of the
    configurations nor copies of them matter, equal configurations, one that is clearly the
    best, refusals, and that `tied_with_best` takes the method by its name.

    Parameters
    ----------
    method : TiedMethod or class
        Method to check; a class is made with its defaults, with fewer draws.

    Raises
    ------
    AssertionError
        If a promise is broken; the message says which one.

    See Also
    --------
    tied_checks : The same as a list, one test each.

    Examples
    --------
    >>> from sklearn_bbc.comparison import Bonferroni
    >>> from sklearn_bbc.testing import check_tied_method
    >>> check_tied_method(Bonferroni)
    """
    for check in tied_checks():
        check(method)


def tied_checks() -> list[Callable[[Any], None]]:
    """List the checks of `check_tied_method`, for parametrised tests.

    Returns
    -------
    list of callable
        Each takes a method and raises AssertionError.

    Examples
    --------
    >>> from sklearn_bbc.comparison import Bonferroni
    >>> from sklearn_bbc.testing import tied_checks
    >>> for check in tied_checks():
    ...     check(Bonferroni)
    """
    return list(_CHECKS)


def _quick(method: Any, **params: Any) -> TiedMethod:
    made = method() if isinstance(method, type) else clone(method)
    wanted = {"n_bootstraps": 200, "random_state": 0, **params}
    known = made.get_params(deep=False)
    return made.set_params(**{name: value for name, value in wanted.items() if name in known})


def _values(seed: int = 0, step: float = 0.15) -> np.ndarray:
    """Values of 40 units for 5 configurations, later ones better."""
    return np.random.default_rng(seed).normal(size=(40, 5)) + step * np.arange(5)


def check_registration(method: Any) -> None:
    """The name leads to the class, facts are told, parameters are by keyword and kept."""
    made = _quick(method)
    cls = type(made)
    assert registered_tied().get(cls.name) is cls, f"{cls.name!r} does not lead to {cls.__name__}"
    for fact in ("meant_for", "cost", "limits"):
        told = getattr(cls, fact, None)
        assert isinstance(told, str) and told, f"{cls.__name__} does not say its {fact}"
        assert not set(told) & set("|\n"), f"{fact} of {cls.__name__} does not fit into a table"
    assert inspect.getdoc(cls) and cls.__dict__.get("__doc__"), f"{cls.__name__} has no docstring"
    assert clone(made).get_params() == made.get_params(), "clone changes parameters"
    assert cls().get_params()["confidence_level"] == 0.95, "the usual level is 0.95"
    try:
        cls(0.9)
    except TypeError:
        pass
    else:
        raise AssertionError("parameters must be given by keyword")


def check_p_values(method: Any) -> None:
    """P values are between 0 and 1, one for each configuration, and the same with a seed."""
    for seed in range(3):
        values = _values(seed)
        p_values = _quick(method).p_values(values, FOLD)
        assert p_values.shape == (5,), "there must be one p value for each configuration"
        assert ((p_values >= 0) & (p_values <= 1)).all(), f"p values outside 0 and 1: {p_values}"
        again = _quick(method).p_values(values, FOLD)
        np.testing.assert_array_equal(again, p_values, err_msg="a seed must give the same again")


def check_order(method: Any) -> None:
    """Neither the order of the configurations nor copies of them matter."""
    for seed in range(5):
        values = _values(seed)
        p_values = _quick(method).p_values(values, FOLD)
        order = np.random.default_rng(seed).permutation(5)
        turned = _quick(method).p_values(values[:, order], FOLD)
        np.testing.assert_array_equal(turned, p_values[order], err_msg="the order matters")
        copies = [0, 0, 1, 2, 3, 4, 4, 2]
        copied = _quick(method).p_values(values[:, copies], FOLD)
        np.testing.assert_array_equal(copied, p_values[copies], err_msg="copies matter")


def check_extremes(method: Any) -> None:
    """Equal configurations are all members; one that is clearly better stays alone."""
    values = _values()
    same = np.repeat(values[:, :1], 4, axis=1)
    assert (_quick(method).p_values(same) > 0.5).all(), "equal configurations must all be members"
    values[:, 2] += 5
    members = _quick(method).p_values(values, FOLD) > 0.05
    assert members[2], "the one that is clearly the best is left out"
    assert members.sum() == 1, "others are members beside one that is clearly the best"


def check_refusals(method: Any) -> None:
    """Levels out of range and values that are missing are refused."""
    values = _values()
    for level in (0, 1, "high"):
        refusing = partial(_quick(method, confidence_level=level).p_values, values)
        assert_refused(refusing, "confidence_level", f"confidence_level={level!r}")
    values[0, 0] = np.nan
    assert_refused(lambda: _quick(method).p_values(values), "values", "a missing value")


def check_function(method: Any) -> None:
    """`tied_with_best` takes it, and the set holds what the p values say."""
    made = _quick(method)
    tied = tied_with_best(
        example_predictions(), "roc_auc", method=made, n_bootstraps=200, random_state=0
    )
    assert tied.method == type(made).name
    expected = set(np.flatnonzero(tied.p_values > 1 - made.confidence_level)) | {tied.best}
    assert set(tied) == expected, "the set is not that of the p values"


_CHECKS: list[Callable[[Any], None]] = [
    check_registration,
    check_p_values,
    check_order,
    check_extremes,
    check_refusals,
    check_function,
]
