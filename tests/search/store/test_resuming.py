"""A search that was stopped goes on, and nothing shows that it was."""

import copy

import numpy as np
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.metrics import accuracy_score
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    LeaveOneOut,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    StratifiedKFold,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from sklearn_bbc.search import BBCSearchMixin
from sklearn_bbc.store._folder import MAGIC
from tests.search.store.resumed import Silent, resumed, sometimes_failing

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

X3, Y3 = make_classification(
    n_samples=90, n_classes=3, n_informative=4, n_redundant=0, n_features=6, random_state=1
)
THIRD = np.arange(len(Y)) % 3
ALPHAS = {"alpha": [0.1, 1.0, 10.0, 100.0]}


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


class Failing(TalliedTree):
    def fit(self, X, y, sample_weight=None, check_input=True):
        if self.max_depth == 2:
            raise ValueError("two is too many")
        return super().fit(X, y, sample_weight=sample_weight)


def in_two_folds(*given, **options):
    return search(*given, **{"cv": 2, **options})


CASES = {
    # name: (search without a store, arguments of its fit)
    "probabilities": (in_two_folds(scoring="roc_auc", ci=FEW, refit=True), (X, Y)),
    "decisions": (
        in_two_folds(TalliedLogistic(), {"C": [0.1, 1.0, 10.0]}, scoring="roc_auc"), (X, Y)
    ),
    "several metrics": (in_two_folds(scoring=["roc_auc", "accuracy", "neg_log_loss"]), (X, Y)),
    "train scores of several": (
        in_two_folds(return_train_score=True, scoring=["roc_auc", "accuracy"]),
        (X, Y),
    ),
    "text labels": (in_two_folds(), (X, np.array(["no", "yes"])[Y])),
    "object labels": (in_two_folds(scoring="f1_macro"), (X, np.array(["no", "yes"], object)[Y])),
    "three classes": (in_two_folds(scoring="neg_log_loss", ci=FEW), (X3, Y3)),
    "regression": (in_two_folds(TalliedRidge(), ALPHAS, scoring="r2", ci=FEW), (X, X[:, 0] + Y)),
    "several outputs": (in_two_folds(TalliedRidge(), ALPHAS, scoring="r2"), (X, X[:, :2])),
    "no target": (
        in_two_folds(TalliedMeans(n_init=1, random_state=0), {"n_clusters": [2, 4]}, scoring=None),
        (X,),
    ),
    "sparse": (in_two_folds(), (sparse.csr_matrix(X), Y)),
    "scores by name": (in_two_folds(scoring=two_scores), (X, Y)),
    "default score": (in_two_folds(scoring=None), (X, Y)),
    "nothing is heard": (in_two_folds(Silent(), {"max_depth": [1, 2, 3]}, scoring=None), (X, Y)),
    "no record": (in_two_folds(record=False), (X, Y)),
    "more than is asked": (
        in_two_folds(TalliedLogistic(), {"C": [0.1, 1.0]}, record="predict_proba"), (X, Y)
    ),
    "failed scores": (in_two_folds(scoring=sometimes_failing), (X, Y)),
    "failed fits": (in_two_folds(Failing(random_state=0)), (X, Y)),
    "masks": (in_two_folds(cv=[(THIRD != k, THIRD == k) for k in range(3)]), (X, Y)),
    "repeats": (
        in_two_folds(cv=RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0), ci=FEW),
        (X, Y),
    ),
    "leave one out": (
        in_two_folds(grid={"max_depth": [1, 2]}, cv=LeaveOneOut(), scoring="accuracy"),
        (X[:12], Y[:12]),
    ),
    "models as values": (
        in_two_folds(
            make_pipeline(StandardScaler(), TREE),
            {"standardscaler": [StandardScaler(), MinMaxScaler(), "passthrough"],
             "talliedtree__max_depth": [1, None]},
        ),
        (X, Y),
    ),
    "random": (in_two_folds(n_iter=4), (X, Y)),
    "halving": (HalvingBBC(TREE, GRID, cv=2, factor=2, random_state=0, refit=False), (X, Y)),
    "grid": (GridBBC(TREE, GRID, cv=3, refit=False), (X, Y)),
}  # fmt: skip


@pytest.mark.one_in(4)
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


def test_fits_are_made_again_where_other_responses_are_to_be_recorded(tmp_path):
    logistic = {"estimator": TalliedLogistic(), "grid": {"C": [0.1, 1.0]}}
    for record, n_fits in ((True, 6), ("predict_proba", 6), ("predict_proba", 0), (False, 0)):
        tally.begin()
        found = search(**logistic, store=tmp_path / "store", record=record).fit(X, Y)
        assert tally.n == n_fits
        assert_same(search(**logistic, record=record).fit(X, Y), found)


def test_a_random_search_finds_what_a_grid_has_fitted(tmp_path):
    search(store=tmp_path / "store").fit(X, Y)
    tally.begin()
    found = search(n_iter=5, store=tmp_path / "store").fit(X, Y)
    assert tally.n == 0
    plain = RandomizedSearchCV(TREE, GRID, n_iter=5, cv=3, scoring="accuracy", random_state=0)
    expected = plain.fit(X, Y).cv_results_
    assert found.cv_results_["params"] == expected["params"]
    np.testing.assert_array_equal(
        found.cv_results_["mean_test_score"], expected["mean_test_score"]
    )


@pytest.mark.parametrize(
    "cv",
    [
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
    assert another._finished.seed != again._finished.seed


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
