"""What is asked of a search after its fit, and what is handed on."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer, matthews_corrcoef
from sklearn.model_selection import GroupKFold, KFold, TimeSeriesSplit
from sklearn.utils import check_random_state

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.predictions._predictions import with_fields
from tests.search.mixed_in import besides_pooling, recall, same
from tests.search.small_search import FEW, TREE, X, Y, search


@pytest.fixture(scope="module")
def fitted():
    return search(ci=None).fit(X, Y)


def test_the_seed_is_the_search_s_own():
    """An integer is the seed itself; of a generator it is the next number, of a copy."""

    def seed_of(random_state):
        small = search(grid={"max_depth": [2]}, random_state=random_state)
        return small.fit(X, Y).ci_.details["seed"]

    assert seed_of(5) == 5
    of_generator = seed_of(np.random.RandomState(5))
    assert of_generator == np.random.RandomState(5).randint(2**31)
    assert seed_of(np.random.RandomState(6)) != of_generator
    shared = check_random_state(None)
    shared.seed(11)
    expected = np.random.RandomState(11).randint(2**31)
    assert seed_of(None) == expected


def test_the_seed_leaves_the_generators_of_others_alone():
    generator = np.random.RandomState(5)
    everybodys = check_random_state(None)  # the generator that numpy shares
    everybodys.seed(7)
    search(grid={"max_depth": [2]}, random_state=generator).fit(X, Y)
    search(grid={"max_depth": [2]}, random_state=None).fit(X, Y)
    assert generator.randint(10**9) == np.random.RandomState(5).randint(10**9)
    assert everybodys.randint(10**9) == np.random.RandomState(7).randint(10**9)


def test_a_method_keeps_a_seed_of_its_own(fitted):
    one = fitted.interval(BBC(n_bootstraps=40, random_state=1))
    assert not same(one, fitted.interval(FEW))
    assert one.details["seed"] == 1


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
    with pytest.raises(ValueError, match="known are 0 to 3"):
        fitted.interval(config=4)


class TwoSteps(BBCSearchCV):
    """Tries deep trees only after it has seen the shallow ones."""

    def _run_search(self, evaluate_candidates):
        evaluate_candidates([{"max_depth": 1}])
        evaluate_candidates([{"max_depth": 2}])


class TwoStepsAtOnce(BBCSearchCV):
    def _run_search(self, evaluate_candidates):
        evaluate_candidates([{"max_depth": 1}, {"max_depth": 2}])


def test_a_search_that_looks_at_scores_is_flagged_in_every_result():
    with pytest.warns(IntervalWarning, match="looking at the scores of earlier ones"):
        looking = TwoSteps(TREE, {}, cv=4, ci=[FEW, "bbcf"], random_state=0).fit(X, Y)
    later = TwoSteps(TREE, {}, cv=4, ci=[], random_state=0).fit(X, Y).interval("bbcf")
    assert "looking at the scores of earlier ones" in " ".join(later.details["notes"])
    at_once = TwoStepsAtOnce(TREE, {}, cv=4, ci=[FEW, "bbcf"], random_state=0).fit(X, Y)
    for fitted, flagged in ((looking, True), (at_once, False)):
        for result in [*fitted.ci_results_["accuracy"].values(), fitted.interval("bbcf")]:
            said = " ".join(result.details["notes"])
            assert ("looking at the scores of earlier ones" in said) == flagged


def test_weights_are_used_for_the_metrics_whose_scorers_got_them():
    weights = np.random.default_rng(0).uniform(0.1, 5, len(Y))
    with config_context(enable_metadata_routing=True):
        scoring = {
            "weighted": make_scorer(accuracy_score).set_score_request(sample_weight=True),
            "plain": make_scorer(accuracy_score).set_score_request(sample_weight=False),
        }
        model = LogisticRegression().set_fit_request(sample_weight=False)
        fitted = search(model, {"C": [0.01, 1]}, scoring=scoring, refit="weighted")
        fitted.fit(X, Y, sample_weight=weights)
    found = {name: by_method["bbc"] for name, by_method in fitted.ci_results_.items()}
    method, oof = clone(FEW).set_params(random_state=0), fitted.oof_
    np.testing.assert_array_equal(oof.sample_weight, weights)
    winner = int(np.argmax(fitted.cv_results_["mean_test_plain"]))
    unweighted = with_fields(oof, sample_weight=None).with_selected(winner)
    assert found["weighted"].estimate == method.estimate(oof, "accuracy").estimate
    assert found["plain"].estimate == method.estimate(unweighted, "accuracy").estimate
    assert found["plain"].estimate != found["weighted"].estimate


@pytest.mark.parametrize(("refit", "reported"), [("weighted", "plain"), ("plain", "weighted")])
def test_the_metric_that_selects_keeps_its_weights_whatever_is_reported(refit, reported):
    y = np.where(np.random.default_rng(0).random(len(Y)) < 0.3, 1 - Y, Y)
    weights = np.where(y == 1, 20.0, 1.0)
    with config_context(enable_metadata_routing=True):
        scoring = {
            "weighted": make_scorer(accuracy_score).set_score_request(sample_weight=True),
            "plain": make_scorer(matthews_corrcoef).set_score_request(sample_weight=False),
        }
        model = clone(TREE).set_fit_request(sample_weight=False)
        grid = {"max_depth": [1, 2, 3, 4, 6]}
        fitted = search(model, grid, scoring=scoring, refit=refit)
        fitted.fit(X, y, sample_weight=weights)
    stage = fitted._as_finished()
    question, selects = stage.ask(reported), stage.metrics[refit]
    counts = np.random.default_rng(0).integers(0, 3, (40, len(Y)))
    expected = selects.bind(stage.view(selects)).winners(counts)
    for rule in (question.rule, clone(question.rule)):
        chosen = rule.bind(question.metric.bind(question.oof)).choose(counts)["config"]
        np.testing.assert_array_equal(chosen, expected)
    other = as_metric(selects.scorer._score_func.__name__.replace("_score", ""))
    assert (other.bind(question.oof).winners(counts) != expected).any(), "weights matter here"
    method = BBC(n_bootstraps=60, random_state=0)
    corrected = fitted.optimism_curve(scoring=reported, method=method).corrected
    of_interval = fitted.interval(method, scoring=reported).estimate
    np.testing.assert_allclose(corrected[-1, 0], of_interval, rtol=1e-12)


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored by KFold")
def test_groups_that_a_splitter_does_not_know_are_noted():
    groups = np.arange(len(Y)) % 15
    with pytest.warns(IntervalWarning, match="15 of 15 groups are split between folds") as caught:
        fitted = search(cv=KFold(4)).fit(X, Y, groups=groups)
    assert sum("split between" in str(warning.message) for warning in caught) == 1
    assert fitted.oof_.n_straddling_groups == 15
    for result in (fitted.ci_, fitted.interval("bbcf")):
        assert sum("split between" in note for note in result.details["notes"]) == 1
        assert result.details["unit"] == ("group" if result.method == "bbc" else "fold")


@pytest.mark.filterwarnings("error::sklearn_bbc.exceptions.IntervalWarning")
def test_groups_that_a_splitter_keeps_together_need_no_note():
    fitted = search(cv=GroupKFold(4)).fit(X, Y, groups=np.arange(len(Y)) % 15)
    assert not fitted.oof_.notes and not besides_pooling(fitted.ci_.details["notes"])


def test_splits_in_time_are_noted(fitted):
    in_time = search(LogisticRegression(), {"C": [0.1, 1]}, cv=TimeSeriesSplit(3)).fit(X, Y)
    assert any("as in a time series" in note for note in in_time.ci_.details["notes"])
    assert not fitted.oof_.notes


def test_everything_reaches_the_tied_set(fitted, monkeypatch):
    given = {}
    monkeypatch.setattr(
        "sklearn_bbc.search._comparison.tied_in_search",
        lambda finished, question, method, draws, **options: given.update(
            options, metric=question.metric.name, method=method, draws=draws.get_params()
        ),
    )
    options = {
        "complexity": "max_depth", "family": "min_samples_leaf",
        "draws": BBC(n_bootstraps=77, random_state=5, n_jobs=2),
    }  # fmt: skip
    fitted.tied_with_best(0.9, scoring="accuracy", method="cvc", **options)
    expected = {"metric": "accuracy", "method": "cvc", "confidence_level": 0.9}
    assert given == {**options, **expected, "draws": options["draws"].get_params()}


def test_everything_reaches_the_threshold_and_the_comparison(fitted, monkeypatch):
    given = []

    def record(*all, **options):
        given.append((*all, options) if options else all)

    for name in ("search._threshold.threshold_of_search", "comparison.compare_sides"):
        monkeypatch.setattr(f"sklearn_bbc.{name}", record)
    fitted.threshold("f1")
    assert given[-1][0] is fitted and given[-1][2:] == ("f1", 500, None)
    fitted.threshold("f1", thresholds=7, method=FEW)
    assert given[-1][2:] == ("f1", 7, FEW)
    fitted.compare(1)
    side, other, metric, method, notes, options = given[-1]
    assert (side.name, side.oof, side.selection) == ("the search", fitted.oof_, None)
    assert (other.config, metric.name, method, notes) == (1, "roc_auc", "auto", [])
    assert options == {
        "n_bootstraps": 2000, "confidence_level": 0.95, "alternative": "two-sided",
        "random_state": 0, "n_jobs": None,
    }  # fmt: skip
    fitted.compare(1, names=("mine", 7), n_bootstraps=9, confidence_level=0.8,
                   alternative="less", random_state=4, method="x")  # fmt: skip
    side, other, _, method, _, options = given[-1]
    assert (side.name, other.name, method) == ("mine", "7", "x")
    assert options == {
        "n_bootstraps": 9, "confidence_level": 0.8, "alternative": "less", "random_state": 4,
        "n_jobs": None,
    }  # fmt: skip


def test_without_a_method_the_first_of_ci_is_taken_and_bbc_where_there_is_none():
    several = search(ci=["bbcf", FEW]).fit(X, Y)
    params = {"max_depth": 4, "min_samples_leaf": 5}
    assert several.interval().method == "bbcf"
    assert search(ci=[]).fit(X, Y).interval().method == "bbc"
    assert several.interval(FEW).method == "bbc"
    assert several.interval(FEW, config=params).details["winner"] == 3
