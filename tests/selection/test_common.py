"""The contract of rules of selection, on every registered one; registry and names agree."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

import sklearn_bbc.selection
from sklearn_bbc import BBCSearchCV
from sklearn_bbc.intervals import BBC, BBCF, DirectBootstrap, ShrunkenBBC
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.selection import (
    BestScore,
    GreedyEnsemble,
    OneStandardError,
    RefitCallable,
    SelectedBy,
    Selection,
    SimplestTied,
    WithThreshold,
    registered_selections,
)
from sklearn_bbc.testing import check_contract, checks
from tests.selection.draws import predictions


def second_best(results):
    return int(np.argsort(-results["mean_test_score"], kind="stable")[1])


RULES = [
    BestScore(),
    GreedyEnsemble(4),
    OneStandardError("depth"),
    RefitCallable(second_best),
    SelectedBy("accuracy"),
    SelectedBy("neg_brier_score", OneStandardError("depth")),
    SimplestTied("depth", margin=0.02),
    WithThreshold("f1"),
    WithThreshold("balanced_accuracy", thresholds=12, jointly=True),
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("check", checks(Selection), ids=lambda check: check.__name__)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_contract(rule, check):
    check(rule)


def test_every_registered_rule_is_checked_and_public():
    ours = {
        name: cls
        for name, cls in registered_selections().items()
        if cls.__module__.startswith("sklearn_bbc.")
    }
    assert {type(rule) for rule in RULES} == set(ours.values())
    for cls in ours.values():
        assert getattr(sklearn_bbc.selection, cls.__name__) is cls
        # Nobody writes the default.
        assert (cls.__name__ in sklearn_bbc.selection.__all__) == (cls is not BestScore)


METHODS = [
    BBC(n_bootstraps=70, random_state=0),
    BBCF(n_bootstraps=70, random_state=0),
    ShrunkenBBC(n_bootstraps=70, random_state=0),
]


@pytest.mark.one_in(4)
@pytest.mark.filterwarnings("ignore:n_bootstraps=70")
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_every_method_takes_every_rule_or_says_why_not(rule, method):
    """The table in the user guide, for methods on predictions."""
    oof = predictions(n_folds=6)
    method = clone(method).set_params(selection=rule)
    if "predictions" in rule.needs and not isinstance(method, BBC):
        something_else = r"reports the score of something else. Use BBC"
        by_fold = rf"gets only scores per fold here\. BBC\(selection={type(rule).__name__}\("
        refusal = something_else if isinstance(method, ShrunkenBBC) else by_fold
        with pytest.raises(ValueError, match=refusal):
            method.estimate(oof, "accuracy")
        return
    result = method.estimate(oof, "accuracy")
    bound = rule.bind(as_metric("accuracy").bind(oof))
    assert result.metric == bound.metric.name
    assert 0 < result.low < result.estimate < result.high <= 1
    if "predictions" in rule.needs:
        for name in bound.describe(bound.on_all()).keys() - {"mean_weights", "threshold_range"}:
            assert name in result.details
    with config_context(working_memory=0.001):  # MiB
        again = method.estimate(oof, "accuracy")
    other = clone(method).set_params(random_state=1).estimate(oof, "accuracy")
    exact = result.details.get("exact", False)
    if result.draws is None:
        assert (again.estimate, *again) == (result.estimate, *result) != (other.estimate, *other)
        return
    np.testing.assert_array_equal(again.draws, result.draws)
    assert np.array_equal(other.draws, result.draws) == exact


@pytest.mark.long
@pytest.mark.parametrize("rule", RULES[-1:], ids=lambda rule: type(rule).__name__)
def test_the_direct_bootstrap_takes_rules_too(rule):
    """The other ones are in its own tests."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 2)) + y[:, None]
    search = BBCSearchCV(Depth(), {"depth": [1, 2]}, cv=2, scoring="roc_auc")
    method = DirectBootstrap(selection=rule, n_bootstraps=20, random_state=0, verbose=0)
    result = method.estimate(search, X, y)
    assert 0.3 < result.low < result.estimate < result.high < 1


class Depth(DecisionTreeClassifier):
    """A tree whose depth is called as in the rules."""

    def __init__(self, depth=1):
        super().__init__(random_state=0)
        self.depth = depth

    def fit(self, X, y):
        self.max_depth = self.depth
        return super().fit(X, y)


def test_check_contract_runs_all_of_them():
    check_contract(BestScore())
    unnamed = type("Unnamed", (BestScore,), {})
    with pytest.raises(AssertionError, match="does not lead to"):
        check_contract(unnamed())


def test_a_taken_name_is_refused():
    with pytest.raises(ValueError, match=r"'best_score' .* is taken by sklearn_bbc"):
        type("Another", (Selection,), {"name": "best_score"})
