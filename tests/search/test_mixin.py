"""What a fitted search says about its winner, and what it says when it cannot."""

import pickle
import warnings
from inspect import signature

import joblib
import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, get_scorer, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    ParameterGrid,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from sklearn_bbc import BBCSearchCV, compare
from sklearn_bbc._wording import config_words
from sklearn_bbc.comparison import tied_with_best
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.search._after_search import DYNAMIC_NOTE
from sklearn_bbc.selection import OneStandardError, WithThreshold
from tests.search.small_search import FEW, GRID, TREE, X, Y, search


@pytest.fixture(scope="module")
def fitted():
    return search(ci=None).fit(X, Y)


def same(one, other):
    return (one.estimate, one.low, one.high) == (other.estimate, other.low, other.high)


# ---------------------------------------------------------------------- attributes
def test_the_winner_is_corrected_downwards(fitted):
    assert fitted.ci_.low < fitted.bbc_score_ < fitted.ci_.high
    assert fitted.bbc_score_ == fitted.ci_.estimate
    assert fitted.optimism_ == fitted.best_score_ - fitted.bbc_score_ > 0
    assert fitted.bbcf_score_ < fitted.best_score_
    assert fitted.interval_time_ > 0
    low, high = fitted.ci_
    assert (low, high) == (fitted.ci_.low, fitted.ci_.high)


def test_the_default_is_bbc(fitted):
    assert (fitted.ci_.method, fitted.ci_.n_bootstraps) == ("bbc", 2000)
    assert fitted.ci_results_ == {"roc_auc": {"bbc": fitted.ci_}}
    assert fitted.ci_.details["winner"] == fitted.best_index_ == fitted.oof_.selected


def test_attributes_equal_the_methods_on_the_recorded_predictions(fitted):
    assert same(BBC(random_state=0).estimate(fitted.oof_, "roc_auc"), fitted.ci_)
    by_folds = BBCF(random_state=0).estimate(fitted.oof_, "roc_auc")
    assert by_folds.estimate == fitted.bbcf_score_


def test_all_methods_of_a_list_are_kept_and_the_first_is_the_interval():
    methods = [BBCF(), FEW, "bbc", BBC(n_bootstraps=40, confidence_level=0.5)]
    several = search(ci=methods).fit(X, Y)
    assert list(several.ci_results_["roc_auc"]) == ["bbcf", "bbc", "bbc_2", "bbc_3"]
    assert several.ci_ is several.ci_results_["roc_auc"]["bbcf"]
    assert several.bbc_score_ == several.ci_results_["roc_auc"]["bbc"].estimate
    assert several.ci_results_["roc_auc"]["bbc_3"].confidence_level == 0.5
    assert methods[1].random_state is None  # the user's objects are not touched


@pytest.mark.parametrize("ci", ["bbcf", BBCF()])
def test_one_method_by_name_or_as_object(ci):
    one = search(ci=ci).fit(X, Y)
    assert one.ci_.method == "bbcf"
    assert one.bbcf_score_ == one.ci_.estimate
    assert one.bbc_score_ != one.bbcf_score_


def test_the_empty_list_switches_the_intervals_off():
    off = search(ci=[]).fit(X, Y)
    assert off.interval_time_ == 0
    for name in ("ci_", "ci_results_", "bbc_score_", "bbcf_score_", "optimism_"):
        with pytest.raises(AttributeError, match="switched the interval stage off"):
            getattr(off, name)
    assert same(off.interval(FEW), search().fit(X, Y).ci_)
    with pytest.raises(AttributeError, match="switched"):
        off.summary()


def test_before_fit_every_attribute_says_so():
    for name in (
        "ci_",
        "ci_results_",
        "bbc_score_",
        "bbcf_score_",
        "optimism_",
        "optimism_parts_",
    ):
        with pytest.raises(NotFittedError, match=f"no {name} yet"):
            getattr(search(), name)
        assert not hasattr(search(), name)
    for method in ("interval", "intervals_frame", "summary"):
        with pytest.raises(NotFittedError):
            getattr(search(), method)()


# ---------------------------------------------------------------------- several metrics
@pytest.fixture(scope="module")
def several():
    scoring = ["roc_auc", "accuracy", "neg_log_loss"]
    return search(scoring=scoring, refit="accuracy").fit(X, Y)


def test_every_metric_has_results_and_the_refit_metric_the_attributes(several):
    assert list(several.ci_results_) == ["roc_auc", "accuracy", "neg_log_loss"]
    assert several.ci_ is several.ci_results_["accuracy"]["bbc"]
    assert several.bbc_score_ == several.ci_.estimate


def test_another_metric_is_tuned_by_itself(several):
    result = several.ci_results_["neg_log_loss"]["bbc"]
    assert result.details["winner"] == several.cv_results_["mean_test_neg_log_loss"].argmax()
    alone = search(scoring="neg_log_loss").fit(X, Y)
    assert same(alone.ci_, result)


def test_without_a_refit_metric_results_are_kept_by_metric():
    none = search(scoring=["roc_auc", "accuracy"], refit=False).fit(X, Y)
    for name in ("ci_", "bbc_score_", "bbcf_score_", "optimism_"):
        with pytest.raises(AttributeError, match="ci_results_"):
            getattr(none, name)
    assert none.oof_.selected is None
    assert same(none.ci_results_["roc_auc"]["bbc"], search().fit(X, Y).ci_)
    with pytest.raises(ValueError, match=r"scoring must be given.*\['roc_auc', 'accuracy'\]"):
        none.interval()
    assert none.interval(scoring="accuracy").metric == "accuracy"
    with pytest.raises(AttributeError, match="ci_results_"):
        none.summary()


def test_refit_false_with_one_metric_keeps_the_attributes():
    one = search(refit=False).fit(X, Y)
    assert same(one.ci_, search().fit(X, Y).ci_)
    assert one.optimism_ == one.best_score_ - one.bbc_score_


def by_training(results):
    """A rule that cannot be repeated, since draws have no training scores; selects 4."""
    return int(results["mean_train_score"].argmax())


@pytest.fixture(scope="module")
def second_rate():
    """A search whose `refit` selects the worst mean score, configuration 4; 0 is the best."""
    with pytest.warns(IntervalWarning, match="selected configuration 4"):
        return search(refit=by_training, return_train_score=True).fit(X, Y)


def test_a_refit_that_does_not_pick_the_best_mean_is_told(second_rate):
    expected = search().fit(X, Y)
    assert second_rate.best_index_ == 4
    assert second_rate.oof_.selected == expected.best_index_ == 0
    assert same(second_rate.ci_, expected.ci_)
    for name in ("optimism_", "optimism_parts_"):
        with pytest.raises(AttributeError, match="about two configurations"):
            getattr(second_rate, name)
    (note,) = besides_pooling(second_rate.ci_.details["notes"])
    assert "The rule of `refit` cannot be repeated in the draws: SelectionError" in note
    assert "KeyError('mean_train_score')" in note


def besides_pooling(notes):
    """Notes but the one on scores of different folds, which every rank metric has."""
    pooling = ("Samples of different folds", "Mostly pooling")
    return [note for note in notes if not note.startswith(pooling)]


def test_results_about_another_configuration_than_the_selected_one_name_both(second_rate):
    params = second_rate.cv_results_["params"]
    details = second_rate.ci_.details
    assert (details["best_index"], details["winner"]) == (4, 0)
    assert details["winner_by"] == "mean over folds"  # not "the search"
    (note,) = besides_pooling(details["notes"])
    sentence = second_rate.summary()
    for words in (note, sentence):
        assert config_words(4, params) in words and config_words(0, params) in words
    assert "numbers are about configuration 0" in sentence
    alone = second_rate.interval(FEW, config=4)
    assert "best_index" not in alone.details
    assert note not in alone.details["notes"]


def test_a_corrected_score_of_another_configuration_warns_when_it_is_first_read():
    with pytest.warns(IntervalWarning):
        other = search(refit=by_training, return_train_score=True).fit(X, Y)
    for _ in range(2):  # a second fit warns again
        with pytest.warns(IntervalWarning, match=r"bbc_score_ is about configuration 0 .*, not"):
            score = other.bbc_score_
        assert score == other.ci_.estimate
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert (other.bbc_score_, other.bbcf_score_) == (score, other.bbcf_score_)
        with pytest.warns(IntervalWarning):
            other.fit(X, Y)
    with pytest.warns(IntervalWarning, match="bbcf_score_ is about configuration 0"):
        other.bbcf_score_  # noqa: B018


def test_a_metric_that_does_not_select_names_both_winners():
    labels = make_scorer(recall, greater_is_better=False)
    other = search(scoring={"roc_auc": "roc_auc", "recall": labels}, refit="roc_auc").fit(X, Y)
    winner = int(other.cv_results_["mean_test_recall"].argmax())
    assert winner != other.best_index_
    details = other.ci_results_["recall"]["bbc"].details
    assert (details["winner"], details["best_index"]) == (winner, other.best_index_)
    assert f"tuning by recall, which selects configuration {winner}" in details["notes"][-1]
    assert "best_index" not in other.ci_.details
    assert other.bbc_score_ == other.ci_.estimate


def test_a_refit_that_picks_the_best_mean_is_not_told(recwarn):
    best = search(refit=lambda results: results["rank_test_score"].argmin()).fit(X, Y)
    assert not recwarn.list
    assert best.oof_.selected == best.best_index_


def test_several_metrics_and_a_function_that_selects():
    def third(results):
        return 3

    scoring = ["roc_auc", "accuracy"]
    chosen = search(scoring=scoring, refit=third).fit(X, Y)
    assert not hasattr(chosen, "ci_")
    for name in scoring:
        result = chosen.ci_results_[name]["bbc"]
        assert result.details["winner"] == chosen.best_index_ == 3
        assert "best_index" not in result.details
        assert result.details["winner_share"] == 1


# ---------------------------------------------------------------------- searches that look
class InRounds(BBCSearchCV):
    """Tries its candidates in so many rounds, as a search that learns from scores does."""

    n_rounds = 2

    def _run_search(self, evaluate_candidates):
        candidates = list(ParameterGrid(self.param_grid))
        for k in range(self.n_rounds):
            evaluate_candidates(candidates[k :: self.n_rounds])


def in_rounds(n_rounds):
    found = InRounds(TREE, GRID, cv=StratifiedKFold(5), scoring="roc_auc", ci=FEW, random_state=0)
    found.n_rounds = n_rounds
    return found


def test_a_search_in_several_rounds_is_flagged():
    with pytest.warns(IntervalWarning, match="by looking at the scores of earlier ones"):
        dynamic = in_rounds(2).fit(X, Y)
    assert dynamic.oof_.n_configs == 6
    (note,) = besides_pooling(dynamic.ci_.details["notes"])
    assert "looking at the scores of earlier ones" in note and "optimism may remain" in note
    assert note in dynamic.interval(FEW, scoring="accuracy").details["notes"]


def test_a_search_in_one_round_is_not_flagged():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fixed = in_rounds(1).fit(X, Y)
    assert besides_pooling(fixed.ci_.details["notes"]) == []


# ---------------------------------------------------------------------- interval() afterwards
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


def test_metrics_that_the_search_scored_without_weights_stay_unweighted():
    weight = np.where(Y == 1, 3.0, 1.0)
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=False)
        scoring = {
            "weighted": get_scorer("recall").set_score_request(sample_weight=True),
            "plain": get_scorer("accuracy").set_score_request(sample_weight=False),
        }
        fitted = search(model, {"C": [0.1, 1]}, scoring=scoring, refit="plain")
        fitted.fit(X, Y, sample_weight=weight)
    assert fitted._facts.unweighted == {"plain"}
    views = {name: fitted._stage()._view(m, None) for name, m in fitted._metrics().items()}
    assert views["plain"].sample_weight is None
    np.testing.assert_array_equal(views["weighted"].sample_weight, weight)


def test_the_seed_leaves_the_generators_of_others_alone():
    generator = np.random.RandomState(5)
    everybodys = check_random_state(None)  # the generator that numpy shares
    everybodys.seed(7)
    search(random_state=generator).fit(X, Y)
    search(random_state=None).fit(X, Y)
    assert generator.randint(10**9) == np.random.RandomState(5).randint(10**9)
    assert everybodys.randint(10**9) == np.random.RandomState(7).randint(10**9)


def test_a_comparison_takes_a_seed_and_else_that_of_the_search(fitted):
    assert fitted.compare(1, n_bootstraps=20).details["seed"] == 0
    assert fitted.compare(1, n_bootstraps=20, random_state=5).details["seed"] == 5


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
    assert same(accuracy, search(scoring="accuracy").fit(X, Y).ci_)


def test_a_metric_that_needs_more_than_was_recorded_says_so():
    labels = search(scoring="accuracy").fit(X, Y)
    with pytest.raises(ValueError, match="Add the metric to `scoring`"):
        labels.interval(scoring="roc_auc")


def test_a_scorer_of_the_same_name_is_not_the_searchs_metric():
    one = search(scoring=make_scorer(recall)).fit(X, Y)
    mine = one.interval(BBCF(), scoring=make_scorer(recall, of=0))
    assert mine.metric == one.ci_.metric == "recall"
    assert mine.estimate != one.bbcf_score_


def recall(y_true, y_pred, of=1):
    return float(np.mean(y_pred[y_true == of] == of))


def test_one_configuration_alone_is_not_corrected(fitted):
    alone = fitted.interval(FEW, config=1)
    assert alone.details["winner"] == 1
    assert alone.details["n_valid"] == 1
    assert any("no selection" in note for note in alone.details["notes"])
    single = search(grid={name: [value] for name, value in fitted.oof_.params[1].items()})
    assert same(single.fit(X, Y).ci_, alone)
    with pytest.raises(ValueError, match="known are 0 to 5"):
        fitted.interval(config=6)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"method": "nonsense"}, "Known names"),
        ({"method": BBC(n_bootstraps=3)}, "n_bootstraps"),
        ({"scoring": "nonsense"}, "Known names"),
    ],
)
def test_bad_arguments_are_named(fitted, arguments, reason):
    with pytest.raises(ValueError, match=reason):
        fitted.interval(**arguments)


# ---------------------------------------------------------------------- tables and sentences
def test_the_frame_has_one_row_per_metric_and_method(several):
    frame = several.intervals_frame()
    assert frame[["metric", "method"]].values.tolist() == [
        ["roc_auc", "bbc"],
        ["accuracy", "bbc"],
        ["neg_log_loss", "bbc"],
    ]
    assert frame.best_score[1] == several.best_score_
    assert (frame.low <= frame.estimate).all() and frame.error.isna().all()


def test_the_sentence(fitted):
    sentence = fitted.summary()
    for words in ("6 configurations", "ROC AUC", "90 samples", "2,000", "samples, seed 0", "95%"):
        assert words in sentence
    assert f"{fitted.best_score_:.3f}" in sentence and f"{fitted.bbc_score_:.3f}" in sentence


# ---------------------------------------------------------------------- a part of other things
def test_as_the_last_step_of_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), search()).fit(X, Y)
    alone = search().fit(StandardScaler().fit_transform(X), Y)
    assert same(pipeline[-1].ci_, alone.ci_)
    assert pipeline.score(X, Y) == alone.score(StandardScaler().fit_transform(X), Y)


def test_inside_cross_validation():
    plain = GridSearchCV(TREE, GRID, cv=5, scoring="roc_auc")
    np.testing.assert_array_equal(
        cross_val_score(search(), X, Y, cv=3), cross_val_score(plain, X, Y, cv=3)
    )


def test_inside_another_search():
    inner = search(LogisticRegression(), {"C": [0.1, 1.0]})
    outer = search(inner, {"estimator__fit_intercept": [True, False]}, cv=3).fit(X, Y)
    assert outer.oof_.responses["decision_function"].shape == (2, 90)
    assert outer.best_estimator_.ci_.method == "bbc"
    assert outer.bbc_score_ < 1


# ---------------------------------------------------------------------- copies
def test_clones_and_parameters():
    original = search(ci=[FEW, "bbcf"], n_iter=3)
    copy = clone(original)
    assert copy.get_params()["n_iter"] == 3
    assert repr(copy.ci) == repr(original.ci) and copy.ci is not original.ci
    assert not hasattr(clone(original.fit(X, Y)), "oof_")


@pytest.mark.parametrize("how", ["pickle", "joblib"])
def test_a_stored_search_still_answers(fitted, how, tmp_path):
    if how == "pickle":
        again = pickle.loads(pickle.dumps(fitted))
    else:
        joblib.dump(fitted, tmp_path / "search.joblib")
        again = joblib.load(tmp_path / "search.joblib")
    assert same(again.ci_, fitted.ci_)
    assert same(again.interval(), fitted.ci_)
    assert again.summary() == fitted.summary()
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))


@pytest.mark.parametrize("state", ["unfitted", "fitted", "switched off"])
def test_the_html_diagram_shows_the_estimator(fitted, state):
    shown = {"unfitted": search(), "fitted": fitted, "switched off": search(ci=[]).fit(X, Y)}[
        state
    ]
    html = shown._repr_html_()
    assert "DecisionTreeClassifier" in html and "BBCSearchCV" in html


def test_every_search_is_scored_as_before(fitted):
    assert fitted.score(X, Y) == get_scorer("roc_auc")(fitted.best_estimator_, X, Y)


# ---------------------------------------------------------------------- what belongs to a fit
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
            assert (DYNAMIC_NOTE in result.details["notes"]) == flagged


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
    method, oof = fitted._stage()._completed(FEW), fitted.oof_
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


def test_a_fit_builds_its_stage_once_and_a_later_interval_sees_new_parameters(monkeypatch):
    built = []
    original = BBCSearchCV._stage
    monkeypatch.setattr(BBCSearchCV, "_stage", lambda self: built.append(1) or original(self))
    fitted = search(ci=FEW).fit(X, Y)
    assert len(built) == 1
    assert original(fitted).oof is fitted.oof_
    fitted.set_params(n_jobs=2)
    assert original(fitted).n_jobs == 2


# ---------------------------------------------------------------------- before the first fit
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scoring": "auc"}, "Did you mean 'roc_auc'"),
        ({"verbose": -1}, "'verbose' parameter"),
        ({"refit": WithThreshold("f1")}, r"search\.threshold"),
        ({"ci": [FEW, BBC(n_bootstraps=3)]}, "n_bootstraps"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_fitted(options, message):
    class Never(BBCSearchCV):
        def _run_search(self, evaluate_candidates):
            raise AssertionError("begun")

    with pytest.raises(ValueError, match=message):
        Never(TREE, GRID, **options).fit(X, Y)


def test_a_metric_that_cannot_know_the_labels_is_told_before_anything_is_fitted():
    class Never(BBCSearchCV):
        def _run_search(self, evaluate_candidates):
            raise RuntimeError("begun")

    with pytest.warns(IntervalWarning, match="f1 has pos_label=1"):
        with pytest.raises(RuntimeError, match="begun"):
            Never(TREE, GRID, scoring="f1").fit(X, np.where(Y == 1, "yes", "no"))


@pytest.mark.parametrize(
    "ask",
    [
        lambda found: found.threshold("f1"),
        lambda found: found.compare(0),
        lambda found: found.tied_with_best(),
        lambda found: found._own_metric(None),
        lambda found: found._comparison_side(None),
        lambda found: found.interval(config=0),
    ],
    ids=["threshold", "compare", "tied", "metric", "side", "interval"],
)
def test_nothing_is_answered_before_fit(ask):
    with pytest.raises(NotFittedError):
        ask(search())


# ---------------------------------------------------------------------- what is handed on
def test_defaults_of_the_short_ways_are_those_that_are_documented():
    defaults = {name: p.default for name, p in signature(BBCSearchCV.compare).parameters.items()}
    assert (defaults["n_bootstraps"], defaults["confidence_level"]) == (2000, 0.95)
    assert signature(BBCSearchCV.threshold).parameters["thresholds"].default == 100
    assert signature(BBCSearchCV.tied_with_best).parameters["n_bootstraps"].default == 1000


def test_everything_reaches_the_tied_set(fitted, monkeypatch):
    given = {}
    monkeypatch.setattr(
        "sklearn_bbc.search._mixin.tied_in_search",
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
        monkeypatch.setattr(f"sklearn_bbc.search._mixin.{name}", lambda *all: given.append(all))
    fitted.threshold("f1")
    assert given[-1][0] is fitted and given[-1][2:] == ("f1", 100, None)
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


def test_a_rule_and_the_notes_go_along_into_a_comparison():
    rule = OneStandardError("max_depth")
    found = search(refit=rule, ci=[]).fit(X, Y)
    found._facts.notes.append("remark")
    side, notes = found._comparison_side(found._own_metric(None))
    assert side.selection.complexity == "max_depth" and notes == ["remark"]
    plain, _ = search(ci=[]).fit(X, Y)._comparison_side(found._own_metric(None))
    assert plain.selection is None


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
