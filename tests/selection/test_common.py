"""The contract of rules of selection, on every registered one; registry and names agree."""

import numpy as np
import pytest

import sklearn_bbc.selection
from sklearn_bbc import _native
from sklearn_bbc.intervals import BBC
from sklearn_bbc.selection import (
    BestScore,
    GreedyEnsemble,
    OneStandardError,
    RefitCallable,
    Selection,
    SimplestTied,
    WithThreshold,
    registered_selections,
)
from sklearn_bbc.testing import check_selection, selection_checks
from tests.selection.draws import predictions


def second_best(results):
    return int(np.argsort(-results["mean_test_score"], kind="stable")[1])


RULES = [
    BestScore(),
    GreedyEnsemble(4),
    OneStandardError("depth"),
    RefitCallable(second_best),
    SimplestTied("depth", margin=0.02),
    WithThreshold("f1"),
    WithThreshold("balanced_accuracy", thresholds=12, jointly=True),
]


@pytest.mark.parametrize("check", selection_checks(), ids=lambda check: check.__name__)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_contract(rule, check):
    check(rule)


@pytest.mark.skipif(not _native.available(), reason="needs the compiled kernels")
@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss"])
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_compiled_and_plain_kernels_give_the_same_bits(rule, scoring, monkeypatch):
    oof = predictions(n_samples=80, n_repeats=2)
    method = BBC(selection=rule, n_bootstraps=100, random_state=0)
    native = method.estimate(oof, scoring)
    monkeypatch.setattr(_native, "available", lambda: False)
    plain = method.estimate(oof, scoring)
    np.testing.assert_array_equal(native.draws, plain.draws)
    assert native.details["winner"] == plain.details["winner"]


def test_every_registered_rule_is_checked_and_public():
    ours = {
        name: cls
        for name, cls in registered_selections().items()
        if cls.__module__.startswith("sklearn_bbc.")
    }
    assert {type(rule) for rule in RULES} == set(ours.values())
    for cls in ours.values():
        assert getattr(sklearn_bbc.selection, cls.__name__) is cls
        assert cls.__name__ in sklearn_bbc.selection.__all__


def test_check_selection_runs_all_of_them():
    check_selection(BestScore())
    unnamed = type("Unnamed", (BestScore,), {})
    with pytest.raises(AssertionError, match="does not lead to"):
        check_selection(unnamed())


def test_a_taken_name_is_refused():
    with pytest.raises(ValueError, match=r"'best_score' is taken by sklearn_bbc"):
        type("Another", (Selection,), {"name": "best_score"})
