"""`refit` that is an object or a function: everything is about what it selects."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold

from sklearn_bbc.exceptions import IntervalWarning, SlowMetricWarning
from sklearn_bbc.intervals import BBC, BBCF, DeLong
from sklearn_bbc.selection import (
    BestScore,
    GreedyEnsemble,
    OneStandardError,
    RefitCallable,
    SelectedBy,
    WithThreshold,
)
from tests.search.mixed_in import by_training
from tests.search.small_search import FEW, GRID, TREE, X, Y, search

SIMPLE = OneStandardError(["max_depth", ("min_samples_leaf", "larger is simpler")])
BOTH = ["roc_auc", "accuracy"]


def worst(results):
    return int(results["mean_test_score"].argmin())


def gap(results):
    return int((results["mean_test_roc_auc"] - results["mean_test_accuracy"]).argmax())


def numbers(result):
    return result.estimate, result.low, result.high


@pytest.fixture(scope="module")
def simple():
    return search(refit=SIMPLE).fit(X, Y)


@pytest.fixture(scope="module")
def bad():
    return search(refit=worst).fit(X, Y)


@pytest.fixture(scope="module")
def best():
    return search().fit(X, Y)


@pytest.fixture(scope="module")
def of_both():
    return search(scoring=BOTH, refit=gap).fit(X, Y)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("refit", [SIMPLE, worst, RefitCallable(worst), BestScore()])
def test_the_configuration_is_that_of_scikit_learn_and_everything_is_about_it(refit):
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*(selected|is about|cannot be repeated)")
        found = search(refit=refit).fit(X, Y)
        scores = found.bbc_score_, found.bbcf_score_
    plain = GridSearchCV(TREE, GRID, cv=5, scoring="roc_auc", refit=refit).fit(X, Y)
    assert found.best_index_ == plain.best_index_ == found.oof_.selected
    assert found.ci_.details["winner"] == found.best_index_
    assert not hasattr(found, "best_score_") and not hasattr(plain, "best_score_")
    mean = found.cv_results_["mean_test_score"][found.best_index_]
    assert found.optimism_ == mean - found.bbc_score_
    assert sum(found.optimism_parts_.values()) == pytest.approx(found.optimism_)
    assert found.intervals_frame()["best_score"][0] == mean
    rule = RefitCallable(worst) if refit is worst else refit
    again = BBC(n_bootstraps=40, random_state=0, selection=rule).estimate(found.oof_, "roc_auc")
    assert numbers(again) == numbers(found.ci_) and again.estimate == scores[0]
    assert BBCF(selection=rule).estimate(found.oof_, "roc_auc").estimate == scores[1]


def test_the_choice_is_repeated_in_every_draw(bad, best):
    assert bad.best_index_ != best.best_index_
    assert bad.ci_.details["winner_share"] < 1
    assert bad.bbc_score_ < best.bbc_score_
    # The worst of several scores is worth more than it seems.
    assert bad.optimism_parts_["selection"] < 0
    assert "'worst'" in bad.summary() and "ROC AUC of 0.768" in bad.summary()


def test_a_method_keeps_a_rule_of_its_own(simple, best):
    own = simple.interval(BBC(n_bootstraps=40, selection=BestScore()))
    assert numbers(own) == numbers(best.interval(FEW))


def test_a_method_without_rules_is_about_the_selected_configuration(bad):
    """DeLong takes no rule, and speaks of the configuration that the predictions name."""
    result = bad.interval(DeLong())
    assert result.details.get("winner", bad.best_index_) == bad.best_index_


def test_another_metric_of_the_configuration_that_the_function_selects(bad):
    accuracy = bad.interval(FEW, scoring="accuracy")
    assert accuracy.details["winner"] == bad.best_index_
    alone = bad.interval(FEW, config=2)
    assert alone.details["winner"] == 2 and "rule" not in alone.details


def test_a_function_of_several_metrics_sees_all_of_them_in_a_draw(of_both):
    found = of_both
    for name in BOTH:
        result = found.ci_results_[name]["bbc"]
        assert result.details["winner"] == found.best_index_
        assert 0 < result.details["winner_share"] <= 1
    with pytest.raises(AttributeError, match="ci_results_"):
        found.ci_  # noqa: B018
    rule = RefitCallable(gap, scoring={name: name for name in BOTH})
    again = BBC(n_bootstraps=40, random_state=0, selection=rule).estimate(found.oof_, "accuracy")
    assert numbers(again) == numbers(found.ci_results_["accuracy"]["bbc"])


def test_one_metric_of_several_by_name():
    found = search(scoring=BOTH, refit=SelectedBy("accuracy", SIMPLE)).fit(X, Y)
    assert found.ci_.metric == "accuracy"
    assert found.ci_.details["winner"] == found.best_index_
    alone = search(scoring="accuracy", refit=SIMPLE).fit(X, Y)
    assert numbers(found.ci_) == numbers(alone.ci_)


def test_a_function_of_several_metrics_for_one_of_them(of_both):
    found = search(scoring=BOTH, refit=SelectedBy("accuracy", RefitCallable(gap))).fit(X, Y)
    assert found.best_index_ == of_both.best_index_ == found.ci_.details["winner"]
    assert numbers(found.ci_) == numbers(of_both.ci_results_["accuracy"]["bbc"])


def test_timings_and_parameters_are_those_of_the_search():
    def quick(results):
        assert results["param_max_depth"][0] == 1
        return int(results["mean_fit_time"].argmin())

    found = search(refit=quick).fit(X, Y)
    assert found.ci_.details["winner"] == found.best_index_
    assert found.ci_.details["winner_share"] == 1


def test_folds_alone_and_repeats_are_enough():
    found = search(refit=SIMPLE, record=False, ci="bbcf").fit(X, Y)
    assert found.ci_.details["winner"] == found.best_index_
    repeated = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0)
    again = search(refit=worst, cv=repeated).fit(X, Y)
    assert again.ci_.details["winner"] == again.best_index_


def test_a_rule_that_cannot_be_repeated_is_reported_even_when_it_selects_the_best():
    def first(results):
        return 0 * by_training(results)

    with pytest.warns(IntervalWarning, match="cannot be repeated in the draws: SelectionError"):
        found = search(refit=first, return_train_score=True).fit(X, Y)
    assert found.best_index_ == found.ci_.details["winner"] == 0
    assert "rule" not in found.ci_.details
    assert any("select by the best score instead" in note for note in found.ci_.details["notes"])


def test_a_function_that_changes_its_mind_is_reported():
    calls = []

    def moody(results):
        calls.append(results)
        return 3 if len(calls) == 1 else 2

    with pytest.warns(IntervalWarning, match="applied once more .* it selects configuration 2"):
        search(refit=moody).fit(X, Y)


def test_a_slow_function_is_announced_and_repeated_all_the_same(bad, monkeypatch):
    """What a search reports does not depend on how fast the machine is."""
    monkeypatch.setattr("sklearn_bbc.selection._base.SLOW_SECONDS", 0)
    with pytest.warns(SlowMetricWarning, match=r"called in each of 40 draws.*ci=\[\]"):
        slow = search(refit=worst).fit(X, Y)
    assert numbers(slow.ci_) == numbers(bad.ci_)
    assert (slow.bbc_score_, slow.bbcf_score_) == (bad.bbc_score_, bad.bbcf_score_)
    later = search(refit=worst, ci=[]).fit(X, Y)
    with pytest.warns(SlowMetricWarning, match="called in each of 40 draws"):
        assert numbers(later.interval(FEW)) == numbers(bad.ci_)


@pytest.mark.long
def test_bbcf_calls_a_function_no_more_often_than_bbc():
    """With eight folds there are 6,434 draws of folds; a function gets 2,000 of them."""
    calls = []

    def counted(results):
        calls.append(len(results["params"]))
        return worst(results)

    found = search(grid={"max_depth": [1, 4]}, refit=counted, cv=8).fit(X, Y)
    assert len(calls) < 2100
    result = found.interval("bbcf")
    assert result.estimate == found.bbcf_score_ and not result.details["exact"]


@pytest.mark.parametrize(
    ("refit", "options", "message"),
    [
        (WithThreshold("f1"), {}, r"search\.threshold"),
        (GreedyEnsemble(), {}, "must select one configuration"),
        (OneStandardError, {}, "pass OneStandardError"),
        (OneStandardError(3), {}, "complexity must be"),
        (SIMPLE, {"scoring": BOTH}, r"(?s)refit=SelectedBy\('roc_auc', OneStandardError"),
        (SelectedBy("f1", SIMPLE), {"scoring": BOTH}, "by 'f1', but this search"),
        (SelectedBy("roc_auc", SIMPLE), {"scoring": "roc_auc"}, r"metrics \['score'\]"),
    ],
)
def test_what_cannot_be_a_refit_is_said_before_the_search(refit, options, message):
    with pytest.raises(ValueError, match=message):
        search(refit=refit, **options).fit(None)


def test_parameters_clones_and_pickles(simple):
    assert clone(simple).refit.complexity == SIMPLE.complexity
    assert simple.get_params()["refit__complexity"] == SIMPLE.complexity
    other = clone(simple).set_params(refit__complexity="max_depth").fit(X, Y)
    assert other.refit.complexity == "max_depth"
    again = pickle.loads(pickle.dumps(simple))
    assert numbers(again.interval(FEW)) == numbers(simple.interval(FEW))


def test_the_same_on_two_processes(simple):
    both = search(refit=SIMPLE, n_jobs=2).fit(X, Y)
    assert both.best_index_ == simple.best_index_ and numbers(both.ci_) == numbers(simple.ci_)
    np.testing.assert_array_equal(both.ci_.draws, simple.ci_.draws)


def test_what_takes_very_long_is_not_done_unasked_and_gives_no_other_number(bad, monkeypatch):
    monkeypatch.setattr("sklearn_bbc.recording._refit_rule.MOST_SECONDS", 0)
    with pytest.warns(IntervalWarning, match=r"2,000 calls of the refit function.*interval\(\)"):
        found = search(refit=worst).fit(X, Y)
    for name in ("ci_", "ci_results_", "bbc_score_", "bbcf_score_", "optimism_parts_"):
        with pytest.raises(AttributeError, match="calls of the refit function would take"):
            getattr(found, name)
    assert numbers(found.interval(FEW)) == numbers(bad.ci_)
    asked = search(refit=RefitCallable(worst)).fit(X, Y)
    assert numbers(asked.ci_) == numbers(bad.ci_)
