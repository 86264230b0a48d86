"""What another search of the same problem takes from a store, and what it says."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from joblib import parallel_config
from sklearn import config_context
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GroupKFold, ParameterGrid
from sklearn.utils.fixes import parse_version

from sklearn_bbc import BBCSearchCV
from tests.search.store.resumed import resumed, sometimes_failing
from tests.search.test_callbacks import Callback

from .tallied import FEW, GRID, TREE, TalliedLogistic, X, Y, assert_same, search, tally

WEIGHTS = np.linspace(0.5, 2, len(Y))
GROUPS = np.arange(len(Y)) // 3


WAYS = {
    # name: (of the first search, of the second, fits of the second, arguments of both)
    "train scores asked for later": ({}, {"return_train_score": True}, 18),
    "train scores no longer asked for": ({"return_train_score": True}, {}, 0),
    "predictions wanted later": ({"record": False}, {}, 18),
    "predictions no longer wanted": ({}, {"record": False}, 0),
    "another error score, nothing failed": ({}, {"error_score": 0}, 0),
    "errors raised, nothing failed": ({}, {"error_score": "raise"}, 0),
    "other number of processes": ({}, {"n_jobs": 2, "pre_dispatch": 3}, 0),
    "verbose": ({}, {"verbose": 1}, 0),
    "another interval": ({}, {"ci": FEW}, 0),
    "another seed": ({}, {"random_state": 5}, 0),
    "refit": ({}, {"refit": True}, 1),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("before", "after", "n_fits"), WAYS.values(), ids=WAYS)
def test_what_another_search_of_the_problem_can_take(before, after, n_fits, tmp_path):
    search(**before, store=tmp_path / "store").fit(X, Y)
    tally.begin()
    found = search(**after, store=tmp_path / "store").fit(X, Y)
    assert tally.n == n_fits
    assert_same(search(**after).fit(X, Y), found)


@pytest.mark.filterwarnings("ignore:Scoring failed")
@pytest.mark.filterwarnings("ignore:One or more of the test scores")
@pytest.mark.filterwarnings("ignore:Not every prediction was recorded")
def test_a_failed_score_is_taken_where_it_would_be_the_same(tmp_path):
    options = {"scoring": sometimes_failing, "store": tmp_path / "store"}
    search(**options).fit(X, Y)
    fits = []
    for error_score in (np.nan, 0, 0, np.nan):
        tally.begin()
        found = search(**options, error_score=error_score).fit(X, Y)
        fits.append(tally.n)
        assert_same(search(scoring=sometimes_failing, error_score=error_score).fit(X, Y), found)
    # Depth two fails in three folds with two sizes of leaves.
    assert fits == [0, 6, 0, 0]
    with pytest.raises(ValueError, match="does not like two"):
        search(**options, error_score="raise").fit(X, Y)


def test_weights_and_groups_belong_to_the_problem(tmp_path):
    given = {"sample_weight": WEIGHTS, "groups": GROUPS}
    model = search(cv=GroupKFold(3), ci=FEW)
    unbroken = search(cv=GroupKFold(3), ci=FEW).fit(X, Y, **given)
    assert resumed(model, (X, Y), tmp_path / "store", 8, **given) == 18
    assert_same(unbroken, model)
    assert model.ci_.details["unit"] == "group"
    for changed, what in (
        ({"sample_weight": WEIGHTS[::-1]}, "fit parameter sample_weight changed"),
        ({"groups": GROUPS // 2}, "groups changed"),
        ({"sample_weight": None}, "fit parameter sample_weight is missing"),
    ):
        with pytest.raises(ValueError, match=f"another problem: {what}"):
            model.fit(X, Y, **{**given, **changed})


@pytest.mark.parametrize("hold", [list, pd.Series, lambda values: pd.Series(values, name="a")])
def test_lists_and_series_take_the_fits_of_arrays(hold, tmp_path):
    given, store = {"sample_weight": WEIGHTS, "groups": GROUPS}, tmp_path / "store"
    search(cv=GroupKFold(3), store=store).fit(X, Y, **given)
    tally.begin()
    held = {name: hold(values) for name, values in given.items()}
    found = search(cv=GroupKFold(3), store=store).fit(X, hold(Y), **held)
    assert tally.n == 0
    assert_same(search(cv=GroupKFold(3)).fit(X, Y, **given), found)


def test_metadata_routing(tmp_path):
    given, store = {"sample_weight": WEIGHTS}, tmp_path / "store"
    with config_context(enable_metadata_routing=True):
        asking = TalliedLogistic().set_fit_request(sample_weight=True)
        options = {
            "grid": {"C": [0.01, 0.1, 1.0]},
            "scoring": make_scorer(accuracy_score).set_score_request(sample_weight=True),
        }
        unbroken = search(asking, **options, ci=FEW).fit(X, Y, **given)
        model = search(asking, **options, ci=FEW)
        assert resumed(model, (X, Y), store, 4, **given) == 9
        assert_same(unbroken, model)
        np.testing.assert_array_equal(model.oof_.sample_weight, WEIGHTS)
        silent = TalliedLogistic().set_fit_request(sample_weight=False)
        with pytest.raises(ValueError, match="another problem: estimator changed"):
            search(silent, **options, store=store).fit(X, Y, **given)
    with pytest.raises(ValueError, match="metadata routing True to False"):
        search(asking, **options, store=store).fit(X, Y, **given)


@pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.9"),
    reason="callbacks came with scikit-learn 1.9",
)
@pytest.mark.filterwarnings("ignore:The estimator TalliedTree does not support callbacks")
def test_progress_bars_count_what_is_taken(tmp_path):
    captured = []
    search(grid={"max_depth": [1, 4]}, store=tmp_path / "store").fit(X, Y)
    for store in (None, tmp_path / "store", tmp_path / "store"):
        callback = Callback()
        search(store=store).set_callbacks(callback).fit(X, Y)
        captured.append(sorted(callback.captured, key=str))
    assert captured[0] == captured[1] == captured[2]
    assert len(captured[0]) > 2 * 18


def test_nothing_is_left_to_fit_for_several_processes(tmp_path):
    expected = search(store=tmp_path / "store").fit(X, Y)
    with parallel_config(backend="loky"):
        assert_same(expected, search(store=tmp_path / "store", n_jobs=2).fit(X, Y))


def test_a_search_that_runs_its_fits_in_another_way(tmp_path):
    class Own(BBCSearchCV):
        def _run_search(self, evaluate_candidates, *, callback_ctx=None):
            evaluate_candidates(list(ParameterGrid(self.param_grid)))

    model = Own(TREE, GRID, cv=3, ci=[], refit=False, store=tmp_path / "store")
    assert resumed(model, (X, Y), tmp_path / "store", 5) == 18
