"""What is known when a search is finished, and why something is missing."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import Ridge
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc.exceptions import IntervalWarning, RecordingWarning
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search import BBCSearchMixin, DropClearlyWorse
from sklearn_bbc.search import _stage as _after_search
from tests.search.fitted_searches import Undeclared, worst

from .small_search import FEW, GRID, TREE, X, Y, search


def same_draws(one, other):
    np.testing.assert_array_equal(one.draws, other.draws)


def test_the_seed_of_a_generator_is_drawn_from_a_copy_of_it():
    generator, other = np.random.RandomState(5), np.random.RandomState(5)
    found = search(random_state=generator)
    expected = other.randint(2**31)
    assert found._draw_seed() == found._draw_seed() == expected
    assert generator.randint(2**31) == expected
    assert 0 <= search(random_state=None)._draw_seed() < 2**31


class Plain(BBCSearchMixin, GridSearchCV):
    """A search of others, without `ci`, `random_state` and `record`."""


def test_a_search_without_our_parameters_takes_their_defaults():
    found = Plain(TREE, GRID, cv=5, scoring="roc_auc").fit(X, Y)
    assert found.ci_.method == "bbc" and found.ci_.n_bootstraps == 2000
    assert found.oof_.responses and found._stage().asked is True
    assert [method.name for method in found._requested_methods()] == ["bbc"]


def test_methods_are_made_of_whatever_is_asked_for():
    def names(ci):
        return [method.name for method in search(ci=ci)._requested_methods()]

    assert names(None) == names("bbc") == names(["bbc"]) == ["bbc"]
    assert names(("bbcf", FEW)) == ["bbcf", "bbc"] and names(FEW) == ["bbc"]
    assert names([]) == names(()) == []


def test_without_methods_nothing_is_computed_and_everything_says_so():
    found = search(ci=[]).fit(X, Y)
    assert found.interval_time_ == 0.0
    for name in ("ci_", "ci_results_", "bbc_score_", "bbcf_score_", "optimism_"):
        with pytest.raises(AttributeError, match=r"ci=\[\] switched the interval stage off"):
            getattr(found, name)
    assert found.oof_.selected == found.best_index_


def unweighted(estimator, X, y):
    return float(np.mean(estimator.predict(X) == y))


def test_every_metric_has_its_own_name_scores_and_weights():
    scoring = {"area": "roc_auc", "hits": unweighted}
    found = search(scoring=scoring, refit="area", ci=FEW).fit(X, Y)
    assert list(found.oof_.fold_scores) == ["area", "hits"]
    for name in scoring:
        np.testing.assert_array_equal(
            found.oof_.fold_scores[name].mean(axis=0), found.cv_results_[f"mean_test_{name}"]
        )
    assert found._state.unweighted == {"area", "hits"}
    stage = found._stage()
    assert stage.primary == "area" and list(stage.mean_scores) == ["area", "hits"]
    np.testing.assert_array_equal(stage.mean_scores["hits"], found.cv_results_["mean_test_hits"])
    assert (stage.seed, stage.n_jobs, stage.best_index) == (0, None, found.best_index_)
    assert stage.oof is found.oof_ and stage.rule is None and stage.why_unrecorded != ""


def test_a_metric_whose_every_score_failed_is_told_by_its_name():
    def broken(estimator, X, y):
        raise RuntimeError("my scorer")

    with pytest.warns((UserWarning, IntervalWarning)):
        found = search(scoring={"good": "roc_auc", "bad": broken}, refit="good").fit(X, Y)
    assert list(found._state.failures) == ["bad"]
    assert "my scorer" in found.ci_results_["bad"]["bbc"].details["error"]
    assert found.ci_ is found.ci_results_["good"]["bbc"]


def test_without_a_selecting_metric_nothing_is_selected():
    found = search(scoring=["roc_auc", "accuracy"], refit=False, ci=FEW).fit(X, Y)
    assert found.oof_.selected is None and list(found.ci_results_) == ["roc_auc", "accuracy"]
    for name in ("ci_", "bbc_score_", "bbcf_score_", "optimism_", "optimism_parts_"):
        with pytest.raises(AttributeError, match=r"none of them selects \(refit=False\)"):
            getattr(found, name)
    with pytest.raises(ValueError, match=r"Its metrics are \['roc_auc', 'accuracy'\]"):
        found._metric(found._stage(), None)


def test_a_metric_is_found_by_name_or_made():
    found = search(scoring={"area": "roc_auc"}, refit="area", ci=[]).fit(X, Y)
    stage = found._stage()
    assert found._metric(stage, None) is stage.metrics["area"] is found._metric(stage, "area")
    assert found._metric(stage, "f1").name == "f1"
    made = as_metric("accuracy")
    assert found._metric(stage, made) is made


def test_a_failed_configuration_that_was_selected_is_not_what_the_numbers_are_about():
    class Fails(type(TREE)):
        def fit(self, X, y):
            if self.max_depth == 4 and len(Fails.fits) < 1:
                Fails.fits.append(1)
                raise ValueError("once")
            return super().fit(X, y)

    Fails.fits = []
    with pytest.warns(IntervalWarning, match="it failed in some fold"):
        found = search(
            Fails(random_state=0), {"max_depth": [1, 2, 4]}, error_score=9.0, ci=FEW
        ).fit(X, Y)
    assert found.best_index_ == 2 and found.oof_.failed.tolist() == [False, False, True]
    assert (found.oof_.selected, found.oof_.selected_by) == (2, "the search")
    for name in ("bbc_score_", "bbcf_score_", "optimism_", "optimism_parts_"):
        with pytest.raises(AttributeError, match=r"configuration 2 \(max_depth=4\)"):
            getattr(found, name)
    assert "configuration 2 (max_depth=4), cannot be scored" in found.summary()


def test_what_the_search_selected_says_who_selected_it():
    found = search(ci=FEW).fit(X, Y)
    assert (found.oof_.selected, found.oof_.selected_by) == (found.best_index_, "the search")
    assert type(found.oof_.selected) is int
    by_rule = search(ci=FEW, refit=worst).fit(X, Y)
    assert by_rule.oof_.selected == by_rule.best_index_ != found.best_index_
    assert by_rule._state.rule is by_rule._stage().rule is not None and not by_rule._state.notes


def test_a_score_of_one_method_that_fails_takes_no_other():
    plain = search(ci=FEW, cv=5).fit(X, Y)
    found = search(ci=FEW, record=False).fit(X, Y)
    assert found.bbcf_score_ == plain.bbcf_score_
    with pytest.raises(AttributeError, match=r"bbc_score_: .*record=False"):
        found.bbc_score_  # noqa: B018
    assert "error" in found.ci_.details


class Sometimes(Undeclared):
    """Cannot be fitted for one depth, so one answer is missing."""

    def fit(self, X, y):
        if self.depth == 1:
            raise ValueError("too shallow")
        return super().fit(X, y)


def test_one_model_that_names_classes_is_enough():
    with pytest.warns(FitFailedWarning):
        found = search(Sometimes(), {"depth": [1, 2]}, scoring="accuracy", ci=[], cv=3).fit(X, Y)
    assert found.oof_.classes_.tolist() == [0, 1]
    assert found.oof_.failed.tolist() == [True, False]


def test_an_own_score_is_known_by_what_it_gives():
    found = search(scoring=None, ci=FEW).fit(X, Y)
    assert found.ci_.metric == "accuracy"
    assert list(found.oof_.fold_scores) == ["accuracy"]


@pytest.mark.parametrize("drop", [None, DropClearlyWorse()])
@pytest.mark.parametrize(
    ("model", "name"),
    [
        (Ridge(), "r2"),
        (make_pipeline(StandardScaler(), Ridge()), "r2"),
        (DummyClassifier(), "accuracy"),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.DroppingWarning")
def test_the_estimator_says_what_its_own_score_is_and_not_a_constant_target(model, name, drop):
    found = search(model, {}, scoring=None, ci=FEW, drop=drop).fit(X, np.ones(len(Y), dtype=int))
    assert found.ci_.metric == name and list(found.oof_.fold_scores) == [name]
    words = {"r2": "cross-validated R²", "accuracy": "cross-validated accuracy"}
    assert words[name] in found.summary()


def test_weights_of_the_scorers_are_known_by_metric():
    weight = np.where(Y == 1, 3.0, 1.0)
    with config_context(enable_metadata_routing=True):
        scoring = {
            "weighted": get_scorer("accuracy").set_score_request(sample_weight=True),
            "plain": get_scorer("f1").set_score_request(sample_weight=False),
        }
        model = DecisionTreeClassifier(random_state=0).set_fit_request(sample_weight=False)
        several = search(model, GRID, scoring=scoring, refit="plain", ci=[])
        several.fit(X, Y, sample_weight=weight)
        one = search(model, GRID, scoring=scoring["weighted"], ci=[])
        one.fit(X, Y, sample_weight=weight)
    assert several._state.unweighted == {"plain"} and one._state.unweighted == set()
    assert several._stage().unweighted is several._state.unweighted
    assert one.oof_.sample_weight.tolist() == weight.tolist()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.filterwarnings("ignore:One or more of the test scores")
def test_without_a_score_in_every_fold_nothing_was_selected():
    with pytest.warns(IntervalWarning, match="No configuration has a score in every fold"):
        found = search(cv=LeaveOneOut(), ci=FEW).fit(X[:20], Y[:20])
    note = _after_search.UNSELECTED_NOTE.format(advice="Use fewer folds.", metric="roc_auc")
    assert found._state.notes == [note]
    assert found.ci_.details["winner"] == found.oof_.selected == found.best_index_ == 0


@pytest.mark.filterwarnings("ignore:Scoring failed", "ignore:One or more of the test scores")
def test_a_scorer_that_always_fails_is_the_reason_and_not_the_folds():
    def broken(estimator, X, y):
        raise RuntimeError("my scorer")

    with pytest.warns(IntervalWarning, match="my scorer"):
        found = search(scoring=broken, ci=FEW).fit(X, Y)
    assert found._state.notes == [] and np.isnan(found.ci_.estimate)


def without_responses(oof, *given):
    return oof._with_fields(responses={})


def test_what_was_not_scored_is_not_used_by_anybody(monkeypatch):
    monkeypatch.setattr(_after_search, "checked_predictions", without_responses)
    seen = []
    monkeypatch.setattr(
        _after_search, "rule_of_refit", lambda refit, metrics, views, *given: seen.append(views)
    )
    with pytest.warns(IntervalWarning):
        found = search(refit=worst, ci=None).fit(X, Y)
    assert found._state.why_unrecorded == _after_search.NOT_SCORED == found._stage().why_unrecorded
    assert not seen[0]["score"].responses and not found.oof_.responses
    with pytest.raises(AttributeError, match="are not those that were scored"):
        found.bbc_score_  # noqa: B018
    quiet = search(record=False, ci=[]).fit(X, Y)
    assert quiet._state.why_unrecorded.startswith("record=False")
    assert quiet._stage().asked is False


def test_a_fault_is_told_once(monkeypatch):
    def broken(*given, **named):
        raise RuntimeError("the stage is broken")

    monkeypatch.setattr(_after_search, "kept_predictions", broken)
    with pytest.warns(RecordingWarning) as caught:
        search(ci=FEW).fit(X, Y)
    assert len(caught) == 1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.filterwarnings("ignore:One or more of the test scores")
@pytest.mark.parametrize(("n_positive", "stratified"), [(5, True), (4, False)])
def test_sorted_labels_are_told_to_stratify_where_every_fold_can_have_each_class(
    n_positive, stratified
):
    y = np.repeat([0, 1], [20, n_positive])
    with pytest.warns(IntervalWarning, match="No configuration has a score in every fold") as told:
        search(cv=KFold(5), ci=FEW).fit(X[: len(y)], y)
    (text,) = [str(each.message) for each in told if "in every fold, so" in str(each.message)]
    assert ("folds of one class. " if stratified else "Use fewer folds. ") in text
    assert ("Fold 0 holds no sample of class 1" in text) == stratified
    assert ("cv=StratifiedKFold(5)" in text) == stratified
