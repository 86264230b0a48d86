"""The contract of interval methods, on every registered one; registry and files agree."""

import ast
import inspect
import re
import warnings
from functools import cache

import pytest

import sklearn_bbc.intervals
from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import (
    BaseInterval,
    RefitInterval,
    as_interval,
    registered,
    registered_refits,
)
from sklearn_bbc.testing import checks
from sklearn_bbc.testing._contract import IntervalCase


@cache
def scoring_of(name):
    """A metric that a method takes, looked for once."""
    return IntervalCase(registered()[name]).scoring


@pytest.mark.one_in(4)
@pytest.mark.parametrize("check", checks(BaseInterval), ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", registered())
def test_contract(name, check):
    check(registered()[name], scoring_of(name))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("check", checks(RefitInterval), ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", registered_refits())
def test_contract_of_methods_that_train(name, check):
    check(registered_refits()[name])


def test_every_method_is_public_by_its_class():
    for cls in [*registered().values(), *registered_refits().values()]:
        if not cls.__module__.startswith("sklearn_bbc."):
            continue  # made by a test that ran before
        assert getattr(sklearn_bbc.intervals, cls.__name__) is cls
        lists = [*sklearn_bbc.__all__, *sklearn_bbc.intervals.__all__]
        assert lists.count(cls.__name__) == 1, cls


def test_unknown_names_are_given_the_known_ones():
    with pytest.raises(ValueError, match=r"Unknown interval method 'bbx'.*'bbc', 'bbcf'"):
        as_interval("bbx")
    with pytest.raises(ValueError, match=r"instance, BBC\(\)"):
        as_interval(registered()["bbc"])
    method = registered()["bbc"](confidence_level=0.9)
    assert as_interval(method) is method


# Keys of a selection on a part of the samples, of tied classes, of means beyond the bounds, and
# of bounds that had to be computed otherwise: not there on ordinary data.
SOMETIMES = {
    "adjusted_level", "candidates", "draws", "fallback", "learn_score", "n_correct", "n_evaluate",
    "median", "n_lacking_class", "n_learn", "reason", "selection_seed",
}  # fmt: skip


def documented_details(cls):
    """Keys that the docstring promises: those with a condition in brackets are left out."""
    text = inspect.getdoc(cls) + "\n\n"
    found = re.search(r"`details` of the result:(.*?)\n\n", text, re.DOTALL)
    return re.findall(r"``(\w+)``(?!\s*\()", found[1])


@pytest.mark.parametrize("name", registered())
def test_contract_details_that_are_documented_are_there(name):
    promised = documented_details(registered()[name])
    assert promised
    assert set(promised) - SOMETIMES <= set(
        IntervalCase(registered()[name], scoring_of(name)).run().details
    )


@pytest.mark.parametrize("name", registered())
def test_contract_ordinary_data_are_not_called_degenerate(name):
    case = IntervalCase(registered()[name], scoring_of(name))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        details = case.method.estimate(case.data, case.scoring).details
    assert not details.get("degenerate", False)
    for text in [*(str(warning.message) for warning in caught), *details["notes"]]:
        assert "certainly wrong" not in text and "no spread" not in text.lower()


@pytest.mark.parametrize("name", registered())
def test_contract_perfect_predictions_are_reported_in_the_details_as_in_the_warning(name):
    case = IntervalCase(registered()[name], scoring_of(name))
    oof = case.data
    perfect = OOFPredictions(y_true=oof.y_true, y_pred=oof.y_true.astype(float), fold=oof.fold)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        details = case.method.estimate(perfect, case.scoring).details
    noted = [str(w.message) for w in caught if issubclass(w.category, IntervalWarning)]
    if details.get("degenerate"):
        assert any(note in text for note in details["notes"] for text in noted)


@pytest.mark.parametrize("name", [*registered(), *registered_refits()])
def test_contract_parameters_are_kept_and_their_defaults_are_those_of_the_docstring(name):
    cls = (registered() | registered_refits())[name]
    signature = inspect.signature(cls)
    text = inspect.getdoc(cls)
    assert not re.search(r"\{[a-z ]+\}", text), "a placeholder is left"
    for parameter in signature.parameters.values():
        given = object()
        assert getattr(cls(**{parameter.name: given}), parameter.name) is given
        noted = re.search(rf"^{parameter.name} : .*, +default=(.+)$", text, re.MULTILINE)
        assert noted, f"the docstring gives no default of {parameter.name}"
        assert ast.literal_eval(noted[1]) == parameter.default, parameter.name
