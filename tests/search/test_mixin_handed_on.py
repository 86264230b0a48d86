"""What belongs to a fit, what is said before the first one, and what is handed on."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GroupKFold, KFold, TimeSeriesSplit

from sklearn_bbc import BBCSearchCV
from sklearn_bbc._text import config_words
from sklearn_bbc.exceptions import IntervalWarning
from tests.search.mixed_in import besides_pooling, by_training
from tests.search.small_search import FEW, TREE, X, Y, search


@pytest.fixture(scope="module")
def fitted():
    return search(ci=None).fit(X, Y)


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
    unweighted = oof._with_fields(sample_weight=None).with_selected(winner)
    assert found["weighted"].estimate == method.estimate(oof, "accuracy").estimate
    assert found["plain"].estimate == method.estimate(unweighted, "accuracy").estimate
    assert found["plain"].estimate != found["weighted"].estimate


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


def test_splits_in_time_are_noted():
    fitted = search(LogisticRegression(), {"C": [0.1, 1]}, cv=TimeSeriesSplit(3)).fit(X, Y)
    assert any("as in a time series" in note for note in fitted.ci_.details["notes"])
    assert not search().fit(X, Y).oof_.notes


@pytest.mark.parametrize(
    "ask",
    [
        lambda found: found.threshold("f1"),
        lambda found: found.compare(0),
        lambda found: found.tied_with_best(),
        lambda found: found.interval(config=0),
    ],
    ids=["threshold", "compare", "tied", "interval"],
)
def test_nothing_is_answered_before_fit(ask):
    with pytest.raises(NotFittedError):
        ask(search())


def test_everything_reaches_the_tied_set(fitted, monkeypatch):
    given = {}
    monkeypatch.setattr(
        "sklearn_bbc.search._search.tied_in_search",
        lambda stage, metric, method, **options: given.update(
            options, metric=metric.name, method=method
        ),
    )
    options = {
        "complexity": "max_depth", "family": "min_samples_leaf", "n_bootstraps": 77,
        "random_state": 5, "n_jobs": 2,
    }  # fmt: skip
    fitted.tied_with_best(0.9, scoring="accuracy", method="cvc", **options)
    expected = {"metric": "accuracy", "method": "cvc", "confidence_level": 0.9}
    assert given == {**options, **expected}


def test_everything_reaches_the_threshold_and_the_comparison(fitted, monkeypatch):
    given = []
    for name in ("tuned_threshold", "compare_sides"):
        monkeypatch.setattr(f"sklearn_bbc.search._search.{name}", lambda *all: given.append(all))
    fitted.threshold("f1")
    assert given[-1][0] is fitted and given[-1][2:] == ("f1", 500, None)
    fitted.threshold("f1", thresholds=7, method=FEW)
    assert given[-1][2:] == ("f1", 7, FEW)
    fitted.compare(1)
    side, other, metric, method, options, notes = given[-1]
    assert (side.name, side.oof, side.selection) == ("the search", fitted.oof_, None)
    assert (other.config, metric.name, method, notes) == (1, "roc_auc", "auto", ())
    assert options == {
        "n_bootstraps": 2000, "confidence_level": 0.95, "alternative": "two-sided",
        "random_state": 0, "n_jobs": None,
    }  # fmt: skip
    fitted.compare(1, names=("mine", 7), n_bootstraps=9, confidence_level=0.8,
                   alternative="less", random_state=4, method="x")  # fmt: skip
    side, other, _, method, options, _ = given[-1]
    assert (side.name, other.name, method) == ("mine", "7", "x")
    assert options == {
        "n_bootstraps": 9, "confidence_level": 0.8, "alternative": "less", "random_state": 4,
        "n_jobs": None,
    }  # fmt: skip


def test_without_a_method_the_first_of_ci_is_taken_and_bbc_where_there_is_none():
    several = search(ci=["bbcf", FEW]).fit(X, Y)
    assert several.interval().method == "bbcf"
    assert search(ci=[]).fit(X, Y).interval().method == "bbc"
    assert several.interval(FEW).method == "bbc"
    assert (
        several.interval(FEW, config={"max_depth": 2, "min_samples_leaf": 5}).details["winner"]
        == 3
    )


def test_the_sentence_has_the_size_of_the_search():
    found = search(LogisticRegression(), {"C": [0.1, 1, 10]}, cv=4, random_state=8).fit(X, Y)
    said = found.summary()
    for words in ("3 configurations", "90 samples, 4 folds", "seed 8"):
        assert words in said
    assert f"of {found.best_score_:.3f} (" in said
    with pytest.warns(IntervalWarning):
        other = search(refit=by_training, return_train_score=True).fit(X, Y)
    assert config_words(4, other.oof_.params) in other.summary()
