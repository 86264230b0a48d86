"""Intervals that are asked for after the search."""

from inspect import signature

import numpy as np
import pytest
from sklearn.metrics import make_scorer
from sklearn.utils import check_random_state

from sklearn_bbc import BBCSearchCV, compare
from sklearn_bbc.comparison import tied_with_best
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.selection import WithThreshold
from tests.search.mixed_in import recall, same
from tests.search.small_search import FEW, X, Y, search


@pytest.fixture(scope="module")
def fitted():
    return search(ci=None).fit(X, Y)


def test_the_same_interval_again(fitted):
    assert same(fitted.interval(), fitted.ci_)
    assert same(fitted.interval("bbc"), fitted.ci_)


@pytest.mark.parametrize(
    "random_state", [None, np.random.RandomState(5), np.int64(3)], ids=["none", "rs", "int"]
)
def test_a_seed_is_drawn_once_and_kept(random_state):
    one = search(random_state=random_state).fit(X, Y)
    assert same(one.interval(), one.ci_)
    assert same(one.interval(), one.interval())


def test_the_seed_is_the_search_s_own():
    """An integer is the seed itself; of a generator it is the next number, of a copy."""
    assert search(random_state=5).fit(X, Y).ci_.details["seed"] == 5
    of_generator = search(random_state=np.random.RandomState(5)).fit(X, Y).ci_.details["seed"]
    assert of_generator == np.random.RandomState(5).randint(2**31)
    other = search(random_state=np.random.RandomState(6)).fit(X, Y).ci_.details["seed"]
    assert other != of_generator
    shared = check_random_state(None)
    shared.seed(11)
    expected = np.random.RandomState(11).randint(2**31)
    assert search(random_state=None).fit(X, Y).ci_.details["seed"] == expected


def test_the_seed_leaves_the_generators_of_others_alone():
    generator = np.random.RandomState(5)
    everybodys = check_random_state(None)  # the generator that numpy shares
    everybodys.seed(7)
    search(random_state=generator).fit(X, Y)
    search(random_state=None).fit(X, Y)
    assert generator.randint(10**9) == np.random.RandomState(5).randint(10**9)
    assert everybodys.randint(10**9) == np.random.RandomState(7).randint(10**9)


def test_a_comparison_takes_a_seed_and_else_that_of_the_search(fitted):
    assert fitted.compare(3, n_bootstraps=20).details["seed"] == 0
    assert fitted.compare(3, n_bootstraps=20, random_state=5).details["seed"] == 5


@pytest.mark.parametrize(
    ("short", "whole", "names"),
    [
        (BBCSearchCV.compare, compare, ("n_bootstraps",)),
        (BBCSearchCV.threshold, WithThreshold, ("thresholds",)),
        (BBCSearchCV.tied_with_best, tied_with_best, ("n_bootstraps",)),
    ],
)
def test_defaults_are_those_of_what_is_called(short, whole, names):
    mine, theirs = signature(short).parameters, signature(whole).parameters
    for name in names:
        assert mine[name].default == theirs[name].default


def test_a_method_keeps_a_seed_of_its_own(fitted):
    one = fitted.interval(BBC(n_bootstraps=40, random_state=1))
    assert not same(one, fitted.interval(FEW))
    assert one.details["seed"] == 1


def test_another_metric_needs_no_refit(fitted):
    accuracy = fitted.interval(FEW, scoring="accuracy")
    assert accuracy.metric == "accuracy"
    assert accuracy.details["winner"] == fitted.best_index_
    tuned = fitted.interval(FEW, scoring="accuracy", tuned_by="accuracy")
    assert tuned.estimate == search(scoring="accuracy").fit(X, Y).ci_.estimate


def test_a_metric_that_needs_more_than_was_recorded_says_so():
    labels = search(scoring="accuracy").fit(X, Y)
    with pytest.raises(ValueError, match="Add the metric to `scoring`"):
        labels.interval(scoring="roc_auc")


def test_a_scorer_of_the_same_name_is_not_the_searchs_metric():
    one = search(scoring=make_scorer(recall)).fit(X, Y)
    mine = one.interval(BBCF(), scoring=make_scorer(recall, of=0))
    assert mine.metric == one.ci_.metric == "recall"
    assert mine.estimate != one.bbcf_score_


def test_one_configuration_alone_is_not_corrected(fitted):
    alone = fitted.interval(FEW, config=1)
    assert alone.details["winner"] == 1
    assert alone.details["n_valid"] == 1
    assert any("Not corrected" in note for note in alone.details["notes"])
    single = search(grid={name: [value] for name, value in fitted.oof_.params[1].items()})
    assert single.fit(X, Y).ci_.estimate == alone.estimate
    with pytest.raises(ValueError, match="either config"):
        fitted.interval(config=1, tuned_by="accuracy")
    with pytest.raises(ValueError, match="known are 0 to 5"):
        fitted.interval(config=6)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"method": "nonsense"}, "Known names"),
        ({"method": BBC(n_bootstraps=3)}, "n_bootstraps"),
        ({"scoring": "nonsense"}, "Common ones are"),
    ],
)
def test_bad_arguments_are_named(fitted, arguments, reason):
    with pytest.raises(ValueError, match=reason):
        fitted.interval(**arguments)
