"""A search that was stopped goes on, and nothing shows that it was."""

import copy
import datetime

import numpy as np
import pandas as pd
import pytest
import sklearn
from joblib import parallel_config
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    LeaveOneOut,
    ParameterGrid,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    StratifiedKFold,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils.fixes import parse_version

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.search import BBCSearchMixin
from sklearn_bbc.search.store import _resuming, _tasks
from sklearn_bbc.search.store._folder import SearchFolder
from sklearn_bbc.search.store._resuming import Resuming, StoredSplits
from sklearn_bbc.store._log import MAGIC

from .tallied import (
    FEW,
    GRID,
    TREE,
    TalliedLogistic,
    TalliedMeans,
    TalliedRidge,
    TalliedTree,
    X,
    Y,
    assert_same,
    cells_in,
    search,
    tally,
)

WEIGHTS = np.linspace(0.5, 2, len(Y))
GROUPS = np.arange(len(Y)) // 3
X3, Y3 = make_classification(
    n_samples=90, n_classes=3, n_informative=4, n_redundant=0, n_features=6, random_state=1
)
THIRD = np.arange(len(Y)) % 3
ALPHAS = {"alpha": [0.1, 1.0, 10.0, 100.0]}
FRAME = pd.DataFrame(X, columns=list("abcdef"))


class HalvingBBC(BBCSearchMixin, HalvingGridSearchCV):
    def __init__(self, estimator, param_grid, *, store=None, ci=(), **options):
        super().__init__(estimator, param_grid, **options)
        self.store, self.ci = store, ci


class GridBBC(BBCSearchMixin, GridSearchCV):
    """Of a class with no parameters but its own; the folder is an attribute."""

    store, ci = None, ()


def two_scores(estimator, X, y):
    predicted = estimator.predict(X)
    return {"accuracy": accuracy_score(y, predicted), "n": len(y)}


def sometimes_failing(estimator, X, y):
    if estimator.max_depth == 2:
        raise ValueError("this scorer does not like two")
    return accuracy_score(y, estimator.predict(X))


class Failing(TalliedTree):
    def fit(self, X, y, sample_weight=None, check_input=True):
        if self.max_depth == 2:
            raise ValueError("two is too many")
        return super().fit(X, y, sample_weight=sample_weight)


class Silent(ClassifierMixin, BaseEstimator):
    """Answers nothing that a scorer could hear of."""

    def __init__(self, max_depth=1):
        self.max_depth = max_depth

    def fit(self, X, y):
        tally.count()
        self.classes_ = np.unique(y)
        return self

    def score(self, X, y):
        return 1 / (self.max_depth + len(y))


CASES = {
    # name: (search without a store, arguments of its fit)
    "probabilities": (search(ci=FEW, refit=True), (X, Y)),
    "labels": (search(scoring="accuracy", ci=FEW), (X, Y)),
    "decisions": (search(TalliedLogistic(), {"C": [0.1, 1.0, 10.0]}), (X, Y)),
    "several metrics": (search(scoring=["roc_auc", "accuracy", "neg_log_loss"]), (X, Y)),
    "train scores": (search(return_train_score=True), (X, Y)),
    "train scores of several": (
        search(return_train_score=True, scoring=["roc_auc", "accuracy"]),
        (X, Y),
    ),
    "text labels": (search(scoring="accuracy"), (X, np.array(["no", "yes"])[Y])),
    "object labels": (search(scoring="f1_macro"), (X, np.array(["no", "yes"], object)[Y])),
    "three classes": (search(scoring="neg_log_loss", ci=FEW), (X3, Y3)),
    "regression": (search(TalliedRidge(), ALPHAS, scoring="r2", ci=FEW), (X, X[:, 0] + Y)),
    "single precision": (search(TalliedRidge(), ALPHAS, scoring="r2"), (X.astype("f4"), Y)),
    "several outputs": (search(TalliedRidge(), ALPHAS, scoring="r2"), (X, X[:, :2])),
    "no target": (
        search(TalliedMeans(n_init=1, random_state=0), {"n_clusters": [2, 3, 4]}, scoring=None),
        (X,),
    ),
    "frame": (search(), (FRAME, pd.Series(Y))),
    "sparse": (search(), (sparse.csr_matrix(X), Y)),
    "scores by name": (search(scoring=two_scores), (X, Y)),
    "default score": (search(scoring=None), (X, Y)),
    "nothing is heard": (search(Silent(), {"max_depth": [1, 2, 3]}, scoring=None), (X, Y)),
    "no record": (search(record=False), (X, Y)),
    "failed scores": (search(scoring=sometimes_failing), (X, Y)),
    "failed fits": (search(Failing(random_state=0), scoring="accuracy"), (X, Y)),
    "failed fits are 0": (search(Failing(random_state=0), error_score=0), (X, Y)),
    "masks": (search(cv=[(THIRD != k, THIRD == k) for k in range(3)]), (X, Y)),
    "repeats": (
        search(cv=RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0), ci=FEW),
        (X, Y),
    ),
    "leave one out": (
        search(grid={"max_depth": [1, 2]}, cv=LeaveOneOut(), scoring="accuracy"),
        (X[:12], Y[:12]),
    ),
    "models as values": (
        search(
            make_pipeline(StandardScaler(), TREE),
            {"standardscaler": [StandardScaler(), MinMaxScaler(), "passthrough"],
             "talliedtree__max_depth": [1, None]},
        ),
        (X, Y),
    ),
    "random": (search(n_iter=4), (X, Y)),
    "halving": (HalvingBBC(TREE, GRID, cv=2, factor=2, random_state=0, refit=False), (X, Y)),
    "halving by leaves": (
        HalvingBBC(TREE, {"max_depth": [1, 2, 4]}, cv=2, factor=2, random_state=0, refit=False,
                   resource="max_leaf_nodes", max_resources=8, min_resources=2),
        (X, Y),
    ),
    "grid": (GridBBC(TREE, GRID, cv=3, refit=False), (X, Y)),
}  # fmt: skip


def resumed(model, arguments, folder, most, **params):
    """The search, stopped by an interrupt after `most` fits, and begun again."""
    model.store = str(folder)
    tally.begin(most)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*arguments, **params)
    assert "cv_results_" not in vars(model)
    n_before = tally.n
    tally.begin()
    model.fit(*arguments, **params)
    return n_before + tally.n


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("model", "arguments"), CASES.values(), ids=CASES)
def test_a_stopped_search_goes_on(model, arguments, tmp_path):
    unbroken, broken = copy.copy(model), copy.copy(model)
    tally.begin()
    unbroken.fit(*arguments)
    n_fits = tally.n
    assert resumed(broken, arguments, tmp_path / "store", n_fits // 2) == n_fits
    assert_same(unbroken, broken)
    # All is there now.
    tally.begin()
    again = copy.copy(broken).fit(*arguments)
    assert tally.n == (1 if model.refit else 0)
    assert_same(unbroken, again)
    # Times are those of the fits, whenever they were.
    for name in ("mean_fit_time", "std_score_time"):
        failed = "failed fits" in str(arguments) or isinstance(model.estimator, Failing)
        if not failed:
            np.testing.assert_array_equal(again.cv_results_[name], broken.cv_results_[name])


def n_records(files):
    return sum(content.count(MAGIC) for content in files.values())


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_it_goes_on_wherever_the_fits_run(backend, tmp_path):
    unbroken = search(ci=FEW, refit=True).fit(X, Y)
    broken = search(ci=FEW, refit=True, store=tmp_path / "store", n_jobs=2)
    one = {"grid": {"max_depth": [1, 2, 4], "min_samples_leaf": [5]}, "store": tmp_path / "store"}
    search(**one).fit(X, Y)
    before = cells_in(tmp_path / "store")
    with parallel_config(backend=backend):
        assert_same(unbroken, broken.fit(X, Y))
    new = cells_in(tmp_path / "store")
    assert n_records(new) == 2 * n_records(before) > 0
    # Other processes write other files.
    assert {name: new[name] for name in before} == before
    tally.begin()
    assert_same(unbroken, search(ci=FEW, refit=True, store=tmp_path / "store").fit(X, Y))
    assert tally.n == 1  # the winner


def test_a_wider_grid_finds_what_it_shares(tmp_path):
    search(store=tmp_path / "store").fit(X, Y)
    wide = {"max_depth": [1, 2, 4, 8], "min_samples_leaf": [1, 5, 9]}
    tally.begin()
    found = search(grid=wide, store=tmp_path / "store").fit(X, Y)
    assert tally.n == 3 * (12 - 6)
    assert_same(search(grid=wide).fit(X, Y), found)


def test_a_parameter_more_is_a_wider_grid_too(tmp_path):
    search(store=tmp_path / "store").fit(X, Y)
    wide = {**GRID, "criterion": ["gini", "entropy"]}
    tally.begin()
    found = search(grid=wide, store=tmp_path / "store").fit(X, Y)
    assert tally.n == 3 * 6
    assert_same(search(grid=wide).fit(X, Y), found)


def test_a_random_search_finds_what_a_grid_has_fitted(tmp_path):
    search(store=tmp_path / "store").fit(X, Y)
    tally.begin()
    found = search(n_iter=5, store=tmp_path / "store").fit(X, Y)
    assert tally.n == 0
    plain = RandomizedSearchCV(TREE, GRID, n_iter=5, cv=3, scoring="roc_auc", random_state=0)
    expected = plain.fit(X, Y).cv_results_
    assert found.cv_results_["params"] == expected["params"]
    np.testing.assert_array_equal(
        found.cv_results_["mean_test_score"], expected["mean_test_score"]
    )


@pytest.mark.parametrize(
    "cv",
    [
        KFold(3, shuffle=True),
        StratifiedKFold(3, shuffle=True),
        RepeatedStratifiedKFold(n_splits=2, n_repeats=2),
    ],
)
def test_splits_of_a_splitter_without_a_seed_are_kept(cv, tmp_path):
    model = search(cv=cv, ci=FEW)
    n_fits = 6 * model.cv.get_n_splits()
    assert resumed(model, (X, Y), tmp_path / "store", 7) == n_fits
    tally.begin()
    again = search(cv=cv, ci=FEW, store=tmp_path / "store").fit(X, Y)
    assert tally.n == 0
    assert_same(model, again)
    # The results are those of a search on these very splits.
    splits = [
        (np.flatnonzero(~np.isin(np.arange(90), test)), test)
        for k in range(cv.get_n_splits())
        for test in [model.oof_.sample[model.oof_.fold == k]]
    ]
    same_splits = search(cv=splits, ci=FEW).fit(X, Y)
    assert model.cv_results_["mean_test_score"].tobytes() == (
        same_splits.cv_results_["mean_test_score"].tobytes()
    )


def test_a_search_without_a_seed_has_that_of_its_store(tmp_path):
    model = search(n_iter=4, random_state=None, ci=FEW)
    assert resumed(model, (X, Y), tmp_path / "store", 5) == 12
    tally.begin()
    again = search(n_iter=4, random_state=None, ci=FEW, store=tmp_path / "store").fit(X, Y)
    assert tally.n == 0
    assert_same(model, again)
    another = search(n_iter=4, random_state=None, ci=FEW, store=tmp_path / "other").fit(X, Y)
    assert another._facts.seed != again._facts.seed


def test_a_generator_is_left_as_without_a_store(tmp_path):
    """Everything that draws from it later must get the same numbers."""
    states = []
    for store in (None, tmp_path / "store", tmp_path / "store"):
        rng = np.random.RandomState(0)
        cv = StratifiedKFold(3, shuffle=True, random_state=rng)
        found = search(cv=cv, n_iter=4, random_state=rng, ci=FEW, store=store).fit(X, Y)
        states.append((rng.randint(2**31), tuple(found.ci_)))
    assert len(set(states)) == 1


def test_halving_without_a_seed_goes_on(tmp_path):
    model = HalvingBBC(TREE, GRID, cv=2, factor=2, refit=False, store=tmp_path / "store")
    assert resumed(model, (X, Y), tmp_path / "store", 15) > 15
    tally.begin()
    again = copy.copy(model).fit(X, Y)
    assert tally.n == 0
    assert_same(model, again)


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


def test_it_says_how_many_fits_are_taken(tmp_path, capsys):
    options = {"store": tmp_path / "store", "verbose": 1}
    search(grid={"max_depth": [1, 2]}, **options).fit(X, Y)
    assert f"Taking 0 of 6 fits from {tmp_path / 'store'}" in capsys.readouterr().out
    search(grid={"max_depth": [1, 2, 3]}, **options).fit(X, Y)
    out = capsys.readouterr().out.splitlines()
    assert out == [
        "Fitting 3 folds for each of 3 candidates, totalling 9 fits",
        f"Taking 6 of 9 fits from {tmp_path / 'store'}",
    ]
    search(grid={"max_depth": [1, 2, 3]}, store=tmp_path / "store").fit(X, Y)
    assert capsys.readouterr().out == ""


class Heard:
    """A callback that remembers what begins and ends."""

    def __init__(self):
        self.tasks = []

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None):
        self.tasks.append(("begin", context.task_name, context.task_id))

    def on_fit_task_end(self, estimator, context, *, X=None, y=None):
        self.tasks.append(("end", context.task_name, context.task_id))


@pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.9"),
    reason="callbacks came with scikit-learn 1.9",
)
@pytest.mark.filterwarnings("ignore:The estimator TalliedTree does not support callbacks")
def test_progress_bars_count_what_is_taken(tmp_path):
    heard = []
    search(grid={"max_depth": [1, 4]}, store=tmp_path / "store").fit(X, Y)
    for store in (None, tmp_path / "store", tmp_path / "store"):
        callback = Heard()
        search(store=store).set_callbacks(callback).fit(X, Y)
        heard.append(sorted(callback.tasks, key=str))
    assert heard[0] == heard[1] == heard[2]
    assert len(heard[0]) > 2 * 18


def test_nothing_is_left_to_fit_for_several_processes(tmp_path):
    expected = search(store=tmp_path / "store").fit(X, Y)
    with parallel_config(backend="loky"):
        assert_same(expected, search(store=tmp_path / "store", n_jobs=2).fit(X, Y))


@pytest.mark.parametrize("store", [3, ["folder"], True])
def test_a_store_is_a_folder(store):
    with pytest.raises(ValueError, match="The 'store' parameter of BBCSearchCV must be"):
        search(store=store).fit(X, Y)


def test_a_search_that_runs_its_fits_in_another_way(tmp_path):
    class Own(BBCSearchCV):
        def _run_search(self, evaluate_candidates, *, callback_ctx=None):
            evaluate_candidates(list(ParameterGrid(self.param_grid)))

    model = Own(TREE, GRID, cv=3, ci=[], refit=False, store=tmp_path / "store")
    assert resumed(model, (X, Y), tmp_path / "store", 5) == 18

    with pytest.raises(RuntimeError, match="does not know how BBCSearchCV runs its fits"):
        Resuming(search(store="unused"), X, Y, {}, True).taking(lambda candidates: None)


class Dated(Silent):
    """Answers with objects that no log holds."""

    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = np.array([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)])
        return self

    def predict(self, X):
        return self.classes_[np.zeros(len(X), int)]


def predicts(estimator, X, y):
    return float(len(estimator.predict(X)))


@pytest.mark.filterwarnings("ignore:Some predictions could not be kept")
def test_fits_that_cannot_be_stored_are_told_and_complete(tmp_path):
    model = search(Dated(), {"max_depth": [1, 2]}, scoring=predicts, store=tmp_path / "store")
    with pytest.warns(RecordingWarning) as told:
        model.fit(X, Y)
    texts = [str(each.message) for each in told if "could not be stored" in str(each.message)]
    assert len(texts) == 2  # at once, and when all is done
    assert f"A finished fit could not be stored in {tmp_path / 'store'}: classes holds" in texts[0]
    assert texts[1].startswith("6 finished fits could not be stored in")
    assert "objects of type date" in texts[1] and "results of this search are complete" in texts[1]
    assert (model.cv_results_["mean_test_score"] == 30).all()
    assert cells_in(tmp_path / "store") == {}


def test_rounds_of_one_search_have_splits_of_their_own(tmp_path):
    class Twice(BBCSearchCV):
        """Evaluates twice on the splits of a splitter that gives others each time."""

        def _run_search(self, evaluate_candidates, *, callback_ctx=None):
            for depth in (1, 2):
                evaluate_candidates([{"max_depth": depth}])

    cv = KFold(3, shuffle=True)
    model = Twice(TREE, GRID, cv=cv, ci=[], refit=False, store=tmp_path / "store").fit(X, Y)
    splits = sorted((tmp_path / "store").glob("splits-*.npz"))
    assert len(splits) == 2 and splits[0].read_bytes() != splits[1].read_bytes()
    assert [path.stem[-2:] for path in splits] == ["-0", "-1"]
    tally.begin()
    again = Twice(TREE, GRID, cv=cv, ci=[], refit=False, store=tmp_path / "store").fit(X, Y)
    assert tally.n == 0
    assert_same(model, again)


def test_early_dropping_goes_on(tmp_path):
    """What is dropped depends on stored predictions as on new ones."""
    rule = pytest.importorskip("sklearn_bbc.search.dropping._rule", reason="no early dropping")
    x, y = make_classification(n_samples=300, n_features=8, flip_y=0.1, random_state=0)
    grid = {"max_depth": [1, 3, 12], "min_samples_leaf": [1, 100, 140]}
    model = search(grid=grid, cv=6, ci=FEW, drop=rule.DropClearlyWorse())
    tally.begin()
    unbroken = copy.copy(model).fit(x, y)
    n_fits = tally.n
    assert n_fits < 6 * 9  # some were dropped
    assert resumed(model, (x, y), tmp_path / "store", n_fits // 2) == n_fits
    assert_same(unbroken, model)
    tally.begin()
    all_of_it = search(grid=grid, cv=6, ci=FEW, store=tmp_path / "store").fit(x, y)
    assert tally.n == 6 * 9 - n_fits
    assert_same(search(grid=grid, cv=6, ci=FEW).fit(x, y), all_of_it)


def test_a_folder_that_cannot_be_written_is_told_before_the_first_fit(tmp_path, monkeypatch):
    search(store=tmp_path).fit(X, Y)

    def refused(self):
        raise PermissionError(13, "store= cannot be written", str(self.path))

    monkeypatch.setattr(SearchFolder, "check_writable", refused)
    search(store=tmp_path).fit(X, Y)  # all is there
    with pytest.raises(PermissionError, match="cannot be written"):
        search(grid={"max_depth": [1, 2, 3, 4, 5, 6, 7]}, store=tmp_path).fit(X, Y)


def test_the_file_is_closed_when_the_search_is_done(tmp_path):
    before = set(_tasks._logs)
    search(store=tmp_path).fit(X, Y)
    assert set(_tasks._logs) == before


def resuming():
    return Resuming(search(store="unused"), X, Y, {}, True)


@pytest.mark.parametrize(
    ("n", "fits"), [(1, "1 finished fit could"), (2, "2 finished fits could")]
)
def test_how_many_fits_could_not_be_stored(n, fits, tmp_path):
    one = resuming()
    one._folder = SearchFolder(tmp_path, {})
    one._not_stored["no room"] = n
    (told,) = one.told()
    assert told.startswith(fits) and "no room" in told


def test_fingerprints_are_made_once_for_each_configuration_and_split(monkeypatch):
    one = resuming()
    train, test = np.arange(60), np.arange(60, 90)
    params = {"max_depth": 1}
    task = {"parameters": params, "train": train, "test": test}
    fresh = one._key(task)  # of objects that it has not seen
    one._folder = SearchFolder  # only its path is named
    monkeypatch.setattr(SearchFolder, "path", "a folder", raising=False)
    one._begin([params], [(train, test)])
    monkeypatch.setattr(one, "_config", None)
    monkeypatch.setattr(_resuming, "split_key", None)
    assert one._key(task) == fresh


def opened(folder, record=True):
    model = search(store=folder, record=record)
    one = Resuming(model, X, Y, {}, record)
    one.open(KFold(3))
    return one


def test_the_first_of_two_equal_fits_is_taken(tmp_path):
    """As when two searches have begun at the same time."""
    facts = {"config": "c", "split": "s", "recorded": True, "error_score": "raise"}
    log = opened(tmp_path)._folder._log
    for number, recorded in enumerate([False, True, True]):
        log.append({**facts, "recorded": recorded, "test_scores": float(number)})
    log.close()
    one = opened(tmp_path)
    assert {key: cell.facts["test_scores"] for key, cell in one._known.items()} == {
        ("c", "s"): 1.0
    }
    one.close()
    assert one._known == {}


def test_only_recorded_predictions_are_let_go_of(tmp_path):
    one = opened(tmp_path / "a")
    assert one._held is not None
    one.close()
    assert one._held is None and opened(tmp_path / "b", record=False)._held is None


def test_what_was_not_opened_can_be_closed():
    resuming().close()


def test_files_of_killed_processes_are_deleted(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(_resuming, "remove_leftovers", asked.append)
    assert opened(tmp_path).path == tmp_path and asked == [tmp_path]


def test_pages_of_the_log_are_given_back(tmp_path, monkeypatch):
    """They would count as memory of the process."""
    read = []

    class Walk(_resuming.Walk):
        def has_read(self, array):
            read.append(array.tolist())

        def end(self):
            read.append("end")

    log = opened(tmp_path)._folder._log
    facts = {"config": "c", "split": "s", "recorded": True, "error_score": "raise"}
    log.append({**facts, "test_scores": 0.5}, {"predict": np.array([1.0, 2.0])})
    log.close()
    monkeypatch.setattr(_resuming, "Walk", Walk)
    opened(tmp_path)
    assert read == [[1.0, 2.0], "end"]


def test_a_fit_of_splits_that_nobody_announced_is_made(tmp_path):
    task = {"parameters": {"max_depth": 1}, "train": np.arange(60), "test": np.arange(60, 90)}
    one = opened(tmp_path)
    ((_, args, kwargs),) = one._missing(iter([(len, (), task)]), {})
    assert args[0] is len and args[2:] == one._key(task) and kwargs == task


def test_the_folder_is_tried_once(tmp_path, monkeypatch):
    tried, check = [], SearchFolder.check_writable
    monkeypatch.setattr(
        SearchFolder, "check_writable", lambda self: (tried.append(self.path), check(self))
    )
    search(store=tmp_path).fit(X, Y)
    assert tried == [tmp_path]


def test_the_function_of_scikit_learn_keeps_its_defaults():
    def around(parallel):
        def evaluate(candidates, cv=2, *, more=3):
            return parallel(candidates), cv, more

        return evaluate

    def run(tasks):
        return [function(*args, **kwargs) for function, args, kwargs in tasks]

    one = resuming()
    assert one.taking(around(run))(iter([])) == ([], 2, 3)
    assert one.taking(around(run))(iter([]), 4, more=5) == ([], 4, 5)


def test_a_splitter_with_stored_splits_is_the_splitter_in_all_else():
    class Own(list):
        random_state = 3

        def get_n_splits(self, X=None, y=None, groups=None):
            return 7

    stored = StoredSplits(Own([1]), lambda *data: "stored")
    assert (stored.split(X), stored.get_n_splits(), stored.random_state) == ("stored", 7, 3)
    # What Python asks for by itself is not passed on, as when it is copied.
    assert not hasattr(stored, "__len__")
    assert copy.copy(stored).get_n_splits() == 7
    with pytest.raises(AttributeError, match="_splitter"):
        _ = StoredSplits.__new__(StoredSplits).random_state
