"""Which `refit` is a rule, which metric selects, and when a rule can be repeated."""

import math

import pytest

from sklearn_bbc.search import _stage as _refit_rule
from sklearn_bbc.search._stage import (
    _not_of_draws,
    check_refit,
    refit_metric,
    rule_of_refit,
)
from sklearn_bbc.selection import (
    AsRefit,
    BestScore,
    GreedyEnsemble,
    OneStandardError,
    RefitCallable,
)
from tests.search.refit_rules import BOTH, SIMPLE, gap, worst
from tests.search.small_search import X, Y, search

MOST_SECONDS = _refit_rule.MOST_SECONDS


@pytest.fixture(autouse=True, scope="module")
def enough_time():
    """On a busy machine a function is no other rule."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_refit_rule, "MOST_SECONDS", math.inf)
        yield


@pytest.mark.parametrize(
    ("refit", "scoring"),
    [
        (True, None), ("roc_auc", BOTH), (worst, None), (gap, BOTH), (SIMPLE, "roc_auc"),
        (SIMPLE, len), (AsRefit(SIMPLE, "accuracy"), BOTH), (RefitCallable(gap), BOTH),
        (AsRefit(RefitCallable(gap), "accuracy"), BOTH), (BestScore, None),
    ],
)  # fmt: skip
def test_what_can_be_a_refit(refit, scoring):
    if refit is BestScore:
        with pytest.raises(ValueError, match=r"refit must be an object: pass BestScore\(\.\.\.\)"):
            check_refit(refit, scoring)
    else:
        assert check_refit(refit, scoring) is None


@pytest.mark.parametrize("scoring", [BOTH, tuple(BOTH), dict.fromkeys(BOTH, "f1"), {"roc_auc"}])
def test_with_several_metrics_a_rule_needs_the_name_of_one(scoring):
    with pytest.raises(ValueError, match=r"(?s)refit=AsRefit\(One.*, 'roc_auc'\)"):
        check_refit(SIMPLE, scoring)
    with pytest.raises(ValueError, match=r", 'roc_auc'\), from"):
        check_refit(SIMPLE, [])


def test_a_rule_inside_another_is_checked_too():
    with pytest.raises(ValueError, match="must select one configuration"):
        check_refit(AsRefit(GreedyEnsemble(), "accuracy"), BOTH)
    with pytest.raises(ValueError, match="pass OneStandardError"):
        check_refit(AsRefit(OneStandardError, "accuracy"), BOTH)


@pytest.mark.parametrize(
    ("refit", "multimetric", "name"),
    [
        (True, False, "score"), (False, False, "score"), (worst, False, "score"),
        ("f1", True, "f1"), (worst, True, None), (False, True, None),
        (AsRefit(SIMPLE, "f1"), True, "f1"), (AsRefit(SIMPLE, "f1"), False, "f1"),
    ],
)  # fmt: skip
def test_the_metric_that_selects(refit, multimetric, name):
    assert refit_metric(refit, multimetric) == name


@pytest.fixture(scope="module")
def several():
    found = search(scoring=BOTH, refit=False).fit(X, Y)
    stage, metrics = found._stage(), found._stage().metrics
    return found, metrics, {name: stage._view(metric, None) for name, metric in metrics.items()}


def rule_for(several, refit, primary="roc_auc", best_index=None, views=None):
    found, metrics, own = several
    if best_index is None:
        best_index = int(found.cv_results_[f"mean_test_{primary}"].argmax())
    return rule_of_refit(refit, metrics, views or own, found.cv_results_, primary, best_index)


@pytest.mark.parametrize(
    "refit", [True, "roc_auc", False, BestScore(), AsRefit(BestScore(), "f1")]
)
def test_where_the_best_mean_selects_there_is_no_rule(several, refit):
    assert rule_for(several, refit) is None


def test_a_rule_is_a_copy_and_a_function_becomes_one(several):
    rule = rule_for(several, AsRefit(SIMPLE, "roc_auc"))
    assert type(rule.selection) is OneStandardError and rule.selection is not SIMPLE
    assert rule.selection.complexity == SIMPLE.complexity
    made = rule_for(several, gap).selection
    assert type(made) is RefitCallable and made.function is gap


def test_only_metrics_that_can_be_computed_are_offered_to_a_function(several):
    _, _, views = several
    without = dict(views)
    without["accuracy"] = views["accuracy"]._with_fields(responses={}, fold_scores={})
    assert list(rule_for(several, worst, views=without).selection.scoring) == ["roc_auc"]
    without["roc_auc"] = views["roc_auc"]._with_fields(responses={}, fold_scores={})
    nothing = rule_for(several, worst, views=without)
    assert nothing.selection.scoring is None
    assert "can be computed neither from predictions nor from folds" in nothing.why_not
    # Scores of folds are enough.
    folds = {name: view._with_fields(responses={}) for name, view in views.items()}
    assert list(rule_for(several, gap, views=folds).selection.scoring) == BOTH


def test_what_does_not_select_the_same_again_says_what_it_selects(several):
    def nth(number):
        return lambda results: number

    assert rule_for(several, nth(3), best_index=3).why_not == ""
    assert rule_for(several, nth(3), best_index=2).why_not == (
        "applied once more to the scores of all samples, it selects configuration 3"
    )
    assert rule_for(several, nth(0), best_index=2).why_not.endswith("configuration 0")

    def raises(results):
        raise RuntimeError("not today.")

    failed = rule_for(several, raises)
    assert failed.why_not.startswith("SelectionError") and "not today" in failed.why_not
    assert not failed.why_not.endswith(".") and failed.too_slow == ""


def test_without_a_selecting_metric_the_first_one_tells_whether_it_repeats(several):
    found, metrics, views = several
    seen = []

    def watching(results):
        seen.append(sorted(name for name in results if name.startswith("mean_test")))
        return 1

    rule = rule_of_refit(watching, metrics, views, found.cv_results_, None, 1)
    assert rule.why_not == "" and seen[0] == ["mean_test_accuracy", "mean_test_roc_auc"]
    nothing = {**views, "accuracy": views["accuracy"]._with_fields(responses={}, fold_scores={})}
    assert rule_of_refit(worst, metrics, nothing, found.cv_results_, "accuracy", 1).why_not
    first = rule_of_refit(lambda results: 1, metrics, nothing, found.cv_results_, None, 1)
    assert first.why_not == ""


def test_columns_that_change_from_draw_to_draw_are_left_out():
    columns = {
        "split0_test_a": 1, "mean_test_a": 1, "mean_train_a": 1, "std_test_a": 1, "rank_test_a": 1,
        "mean_fit_time": 2, "std_score_time": 2, "params": 2, "param_C": 2, "iter": 2,
    }  # fmt: skip
    assert list(_not_of_draws(columns)) == [name for name, kept in columns.items() if kept == 2]


@pytest.mark.parametrize(("seconds", "slow"), [(0.0299, False), (0.03, False), (0.0301, True)])
def test_a_minute_of_calls_is_not_too_slow(several, monkeypatch, seconds, slow):
    monkeypatch.setattr(_refit_rule, "_why_not", lambda *given: ("", seconds))
    monkeypatch.setattr(_refit_rule, "MOST_SECONDS", MOST_SECONDS)
    assert bool(rule_for(several, worst).too_slow) == slow
    assert bool(rule_for(several, AsRefit(RefitCallable(worst), "roc_auc")).too_slow) == slow
    assert rule_for(several, RefitCallable(worst)).too_slow == ""
    if slow:
        assert "2,000 calls of the refit function would take about 60 seconds" in (
            rule_for(several, worst).too_slow
        )


def test_what_cannot_be_repeated_takes_no_time(several, monkeypatch):
    monkeypatch.setattr(_refit_rule, "MOST_SECONDS", 1e-9)
    other = rule_for(several, lambda results: 3, best_index=2)
    assert other.why_not.endswith("selects configuration 3") and other.too_slow == ""
