"""What a fitted search says about its winner, and what it says when it cannot."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_bbc import OOFPredictions
from sklearn_bbc._text import config_words
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.search import BBCSearchMixin
from tests.search.mixed_in import by_training, same
from tests.search.small_search import FEW, GRID, TREE, X, Y, search


@pytest.fixture(scope="module")
def fitted():
    return search(ci=None).fit(X, Y)


@pytest.fixture(scope="module")
def quick():
    return search().fit(X, Y)


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


def test_the_empty_list_switches_the_intervals_off(quick):
    off = search(ci=[]).fit(X, Y)
    assert off.interval_time_ == 0
    for name in ("ci_", "ci_results_", "bbc_score_", "bbcf_score_", "optimism_"):
        with pytest.raises(AttributeError, match="switched the interval stage off"):
            getattr(off, name)
    assert same(off.interval(FEW), quick.ci_)
    with pytest.raises(AttributeError, match="switched"):
        off.summary()


def test_before_fit_every_attribute_and_method_says_so(tmp_path):
    new = search()
    for name in (
        "ci_", "ci_results_", "bbc_score_", "bbcf_score_", "optimism_", "optimism_parts_"
    ):  # fmt: skip
        with pytest.raises(NotFittedError, match=f"no {name} yet"):
            getattr(new, name)
        assert not hasattr(new, name)
    for call in (
        new.interval, new.intervals_frame, new.summary, new.table, new.tripod_ai,
        new.optimism_curve, new.tied_with_best, lambda: new.interval(config=0),
        lambda: new.threshold("f1"), lambda: new.compare(0),
        lambda: new.report(tmp_path / "r.html"),
    ):  # fmt: skip
        with pytest.raises(NotFittedError):
            call()


@pytest.fixture(scope="module")
def several():
    scoring = ["roc_auc", "accuracy", "neg_log_loss"]
    return search(scoring=scoring, refit="accuracy").fit(X, Y)


def test_every_metric_has_results_and_the_refit_metric_the_attributes(several):
    assert list(several.ci_results_) == ["roc_auc", "accuracy", "neg_log_loss"]
    assert several.ci_ is several.ci_results_["accuracy"]["bbc"]
    assert several.bbc_score_ == several.ci_.estimate


def test_without_a_refit_metric_results_are_kept_by_metric(quick):
    none = search(scoring=["roc_auc", "accuracy"], refit=False).fit(X, Y)
    for name in ("ci_", "bbc_score_", "bbcf_score_", "optimism_"):
        with pytest.raises(AttributeError, match="ci_results_"):
            getattr(none, name)
    assert none.oof_.selected is None
    assert none.ci_results_["roc_auc"]["bbc"].estimate == quick.ci_.estimate
    with pytest.raises(ValueError, match=r"scoring must be given.*\['roc_auc', 'accuracy'\]"):
        none.interval()
    assert none.interval(scoring="accuracy").metric == "accuracy"
    with pytest.raises(AttributeError, match="ci_results_"):
        none.summary()


def test_refit_false_with_one_metric_keeps_the_attributes(quick):
    one = search(refit=False).fit(X, Y)
    assert same(one.ci_, quick.ci_)
    assert one.optimism_ == one.best_score_ - one.bbc_score_


@pytest.fixture(scope="module")
def second_rate():
    """A search whose `refit` selects the worst mean score, configuration 2; 0 is the best."""
    with pytest.warns(IntervalWarning, match="selected configuration 2.*cannot repeat how"):
        return search(refit=by_training, return_train_score=True).fit(X, Y)


def test_a_refit_that_does_not_pick_the_best_mean_is_reported(second_rate, quick):
    assert second_rate.best_index_ == second_rate.oof_.selected == 2
    for name in ("bbc_score_", "bbcf_score_", "optimism_", "optimism_parts_"):
        with pytest.raises(AttributeError, match=r"cannot repeat how: SelectionError.*tuned_by="):
            getattr(second_rate, name)
    assert "KeyError('mean_train_score')" in second_rate.ci_.details["error"]
    tuned = second_rate.interval(tuned_by="roc_auc")
    assert (tuned.estimate, [*tuned]) == (quick.ci_.estimate, [*quick.ci_])
    assert (tuned.details["winner"], tuned.details["best_index"]) == (0, 2)
    params = second_rate.cv_results_["params"]
    notes = " ".join(tuned.details["notes"])
    assert all(config_words(k, params) in notes for k in (0, 2))
    assert second_rate.interval(FEW, config=2).details["winner"] == 2


def test_the_frame_has_one_row_per_metric_and_method(several):
    frame = several.intervals_frame()
    assert frame[["metric", "method"]].values.tolist() == [
        ["roc_auc", "bbc"],
        ["accuracy", "bbc"],
        ["neg_log_loss", "bbc"],
    ]
    assert frame.best_score[1] == several.best_score_
    assert (frame.low <= frame.estimate).all() and frame.error.isna().all()


def test_as_the_last_step_of_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), search()).fit(X, Y)
    alone = search().fit(StandardScaler().fit_transform(X), Y)
    assert same(pipeline[-1].ci_, alone.ci_)
    assert pipeline.score(X, Y) == alone.score(StandardScaler().fit_transform(X), Y)


def test_inside_cross_validation():
    plain = GridSearchCV(TREE, GRID, cv=3, scoring="roc_auc")
    np.testing.assert_array_equal(
        cross_val_score(search(cv=3), X, Y, cv=2), cross_val_score(plain, X, Y, cv=2)
    )


def test_clones_and_parameters():
    original = search(ci=[FEW, "bbcf"], n_iter=2)
    copy = clone(original)
    assert copy.get_params()["n_iter"] == 2
    assert repr(copy.ci) == repr(original.ci) and copy.ci is not original.ci
    assert not hasattr(clone(original.fit(X, Y)), "oof_")


def test_a_stored_search_still_answers(fitted):
    again = pickle.loads(pickle.dumps(fitted))
    assert same(again.ci_, fitted.ci_)
    assert same(again.interval(), fitted.ci_)
    assert again.summary() == fitted.summary()
    assert again.table().rows == fitted.table().rows
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))


def test_every_search_is_scored_as_before(fitted):
    assert fitted.score(X, Y) == get_scorer("roc_auc")(fitted.best_estimator_, X, Y)


# ---------------------------------------------------------------------- a fit of its own
class EvaluatesItself(BaseSearchCV):
    """A search that does not call `_run_search`, as sklearn-genetic-opt's."""

    def __init__(self, estimator, grid, *, scoring=None, cv=None, refit=True):
        super().__init__(estimator, scoring=scoring, cv=cv, refit=refit)
        self.grid = grid

    def fit(self, X, y=None, **params):
        found = GridSearchCV(self.estimator, self.grid, scoring=self.scoring, cv=self.cv).fit(X, y)
        for name in ("scorer_", "multimetric_", "cv_results_", "best_index_", "n_splits_"):
            setattr(self, name, getattr(found, name))
        self.best_estimator_, self.best_params_ = found.best_estimator_, found.best_params_
        return self


class OwnFit(BBCSearchMixin, EvaluatesItself):
    pass


@pytest.mark.parametrize(("scoring", "metric"), [("roc_auc", "roc_auc"), (None, "accuracy")])
def test_a_search_with_a_fit_of_its_own_has_bbc_f_and_a_way_to_bbc(scoring, metric):
    with pytest.warns(
        IntervalWarning, match="OwnFit evaluates configurations in a fit of its own"
    ):
        found = OwnFit(TREE, {"max_depth": [1, 4]}, scoring=scoring, cv=6).fit(X, Y)
    plain = GridSearchCV(TREE, {"max_depth": [1, 4]}, scoring=scoring, cv=6).fit(X, Y)
    of_scores = BBCF().estimate(OOFPredictions.from_search(plain), metric)
    assert (found.ci_.method, found.ci_.metric) == ("bbcf", metric)
    assert found.ci_.estimate == of_scores.estimate
    with pytest.raises(AttributeError, match="fits them again and keeps what they predict"):
        found.bbc_score_  # noqa: B018
    again = OOFPredictions.from_search(found, X, Y)
    predictions = OOFPredictions.from_search(plain, X, Y)
    assert again.responses.keys() == predictions.responses.keys() != set()
    for name, array in predictions.responses.items():
        assert np.array_equal(again.responses[name], array)
