"""Real searches of scikit-learn and of other packages: what they tell, and predicting again."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    RandomizedSearchCV,
    StratifiedKFold,
)
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.predictions._sources import ADAPTIVE, EARLIER, LAST_ROUND
from tests.last_round import LastRoundGrid, LastRoundRandom
from tests.made import made

X, Y = make_classification(n_samples=60, n_features=4, flip_y=0.2, random_state=0)
CV = StratifiedKFold(5)
GRID = {"C": [0.001, 0.1, 10]}
MODEL = LogisticRegression()
OPTIONS = {"cv": CV, "scoring": "roc_auc"}

# What other packages do to scikit-learn, numpy and themselves is not ours to mend.
pytestmark = pytest.mark.filterwarnings("ignore")


def check(search, adaptive, n_configs):
    """A fitted search is known by its scores, and its predictions can be made again."""
    results = search.cv_results_
    expected = np.array([results[f"split{k}_test_score"] for k in range(5)], dtype=float)
    noted = OOFPredictions.from_search(search)
    assert noted.n_configs == n_configs and noted.selected == search.best_index_
    np.testing.assert_array_equal(noted.fold_scores["roc_auc"], expected)
    assert noted.params[noted.selected] == search.best_params_
    assert noted.notes == (
        (ADAPTIVE.format(f"{type(search).__name__} may have chosen"),) if adaptive else ()
    )
    BBCF().estimate(noted, "roc_auc")

    again = OOFPredictions.from_search(search, X, Y)
    assert again.selected == noted.selected and set(noted.notes) <= set(again.notes)
    np.testing.assert_allclose(again.fold_scores["roc_auc"], expected)
    grid = [{name: [value] for name, value in params.items()} for params in noted.params]
    ours = BBCSearchCV(MODEL, grid, ci=[], refit=False, **OPTIONS).fit(X, Y).oof_
    one, other = (BBC(random_state=0).estimate(each, "roc_auc") for each in (again, ours))
    assert tuple(one) == tuple(other) and one.estimate == other.estimate


@pytest.mark.parametrize("kind", [GridSearchCV, RandomizedSearchCV])
def test_scikit_learn(kind):
    more = {"n_iter": 3, "random_state": 0} if kind is RandomizedSearchCV else {}
    check(kind(MODEL, GRID, **OPTIONS, **more).fit(X, Y), adaptive=False, n_configs=3)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "kind", [HalvingGridSearchCV, HalvingRandomSearchCV, LastRoundGrid, LastRoundRandom]
)
def test_only_the_last_round_of_halving_can_win(kind):
    more = {"n_candidates": 6} if issubclass(kind, HalvingRandomSearchCV) else {}
    spaces = {"C": [1e-3, 1e-2, 0.1, 1, 10, 100]}
    x, y = make_classification(n_samples=200, n_features=4, flip_y=0.2, random_state=0)
    options = {"min_resources": 40, "random_state": 0, "cv": 3, "scoring": "roc_auc"}
    search = kind(MODEL, spaces, **options, **more).fit(x, y)
    results = getattr(search, "all_cv_results_", search.cv_results_)
    last = results["n_resources"] == 120
    assert last.tolist() == [False] * 6 + [True] * 2
    # Configurations of the first round look better, on a third of the samples.
    assert results["mean_test_score"][:6].max() > results["mean_test_score"][last].max() + 0.05
    noted = OOFPredictions.from_search(search)
    others = noted.n_configs - 2  # 6, or none from scikit-learn 1.10 on
    assert noted.failed.tolist() == [True] * others + [False] * 2
    assert noted.selected == search.best_index_
    assert noted.notes == (
        ADAPTIVE.format(f"{kind.__name__} may have chosen"),
        (EARLIER if others else LAST_ROUND).format(6, 8),
    )
    of_last = np.array([results[f"split{k}_test_score"][last] for k in range(3)])
    alone = made(fold_scores={"roc_auc": of_last}, selected=noted.selected - others)
    one, other = (BBCF().estimate(each, "roc_auc") for each in (noted, alone))
    assert tuple(one) == tuple(other) and one.estimate == other.estimate
    with pytest.raises(ValueError, match="fitted its configurations on parts of the samples"):
        OOFPredictions.from_search(search, x, y)


@pytest.mark.long
@pytest.mark.parametrize("kind", [HalvingGridSearchCV, LastRoundGrid])
def test_rounds_of_halving_on_all_samples_can_be_compared(kind):
    tree = DecisionTreeClassifier(random_state=0)
    options = {"resource": "max_depth", "min_resources": 1, "max_resources": 3}
    search = kind(
        tree, {"min_samples_leaf": [1, 2, 4, 8]}, random_state=0, **options, **OPTIONS
    ).fit(X, Y)
    noted, again = OOFPredictions.from_search(search), OOFPredictions.from_search(search, X, Y)
    # From scikit-learn 1.10 on, `cv_results_` has the last round alone.
    of_last = hasattr(search, "all_cv_results_")
    assert not noted.failed.any() and noted.notes == (
        ADAPTIVE.format(f"{kind.__name__} may have chosen"),
        *([LAST_ROUND.format(4, 6)] if of_last else []),
    )
    assert {params["max_depth"] for params in noted.params} == ({3} if of_last else {1, 3})
    np.testing.assert_allclose(again.fold_scores["roc_auc"], noted.fold_scores["roc_auc"])


@pytest.mark.parametrize("kind", ["GridSearchCV", "RandomizedSearchCV"])
def test_dask_ml(kind):
    dask_ml = pytest.importorskip("dask_ml.model_selection", reason="a search of dask-ml")
    more = {"n_iter": 3, "random_state": 0} if kind == "RandomizedSearchCV" else {}
    search = getattr(dask_ml, kind)(MODEL, GRID, **OPTIONS, **more).fit(X, Y)
    check(search, adaptive=False, n_configs=3)


def test_scikit_optimize():
    skopt = pytest.importorskip("skopt", reason="a search of scikit-optimize")
    spaces = {"C": (1e-3, 10.0, "log-uniform")}
    search = skopt.BayesSearchCV(MODEL, spaces, n_iter=4, random_state=0, **OPTIONS).fit(X, Y)
    check(search, adaptive=True, n_configs=4)


def test_sklearn_genetic_opt():
    genetic = pytest.importorskip("sklearn_genetic", reason="a search of sklearn-genetic-opt")
    space = pytest.importorskip("sklearn_genetic.space")
    search = genetic.GASearchCV(
        estimator=LogisticRegression(),
        param_grid={"C": space.Continuous(1e-3, 10, distribution="log-uniform", random_state=0)},
        population_size=4,
        generations=1,
        verbose=False,
        **OPTIONS,
    ).fit(X, Y)
    n_configs = len(search.cv_results_["params"])
    assert n_configs >= 6
    check(search, adaptive=True, n_configs=n_configs)


def test_optuna_integration():
    why = "a search of optuna-integration"
    integration = pytest.importorskip("optuna_integration", reason=why)
    optuna = pytest.importorskip("optuna", reason=why)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    spaces = {"C": optuna.distributions.FloatDistribution(1e-3, 10.0, log=True)}
    search = integration.OptunaSearchCV(MODEL, spaces, n_trials=4, random_state=0, **OPTIONS)
    check(search.fit(X, Y), adaptive=True, n_configs=4)


class FailsInTheFirstFold(DecisionTreeClassifier):
    """A tree of depth 2 fails where it is trained on the last sample but not on the first."""

    def fit(self, x, y):
        if self.max_depth == 2 and np.equal(x, X[-1]).all(axis=1).any() and not (
            np.equal(x, X[0]).all(axis=1).any()
        ):  # fmt: skip
            raise ValueError("this configuration does not work")
        return super().fit(x, y)


def optuna_search(model, spaces, **options):
    why = "a search of optuna-integration"
    integration = pytest.importorskip("optuna_integration", reason=why)
    optuna = pytest.importorskip("optuna", reason=why)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    kinds = {"depth": optuna.distributions.IntDistribution(1, 3)}
    kinds["alpha"] = optuna.distributions.FloatDistribution(1e-5, 10, log=True)
    spaces = {name: kinds[kind] for name, kind in spaces.items()}
    pruner = optuna.pruners.MedianPruner(n_startup_trials=2)
    sampler = optuna.samplers.RandomSampler(0)
    study = optuna.create_study(direction="maximize", pruner=pruner, sampler=sampler)
    return integration.OptunaSearchCV(
        model, spaces, cv=3, scoring="accuracy", random_state=0, study=study, **options
    ).fit(X, Y)


def test_a_configuration_of_optuna_that_failed_in_a_fold_cannot_win():
    model = FailsInTheFirstFold(random_state=0)
    search = optuna_search(model, {"max_depth": "depth"}, n_trials=8, error_score=np.nan)
    noted = OOFPredictions.from_search(search)
    failed = np.array([params["max_depth"] == 2 for params in noted.params])
    assert failed.any() and not failed.all()
    # There the mean over the other folds counts.
    assert np.isfinite(np.array(search.cv_results_["mean_test_score"])[failed]).all()
    np.testing.assert_array_equal(noted.failed, failed)


def test_pruned_trials_of_optuna_cannot_win():
    search = optuna_search(
        SGDClassifier(random_state=0), {"alpha": "alpha"},
        n_trials=12, enable_pruning=True, max_iter=20,
    )  # fmt: skip
    pruned = np.array([trial.state.name == "PRUNED" for trial in search.trials_])
    noted = OOFPredictions.from_search(search)
    assert pruned.any() and not pruned.all()
    np.testing.assert_array_equal(noted.failed, pruned)
    assert np.isnan(noted.fold_scores["accuracy"][:, pruned]).all()
    assert any("they were pruned before" in note for note in noted.notes)
    BBCF().estimate(noted, "accuracy")


@pytest.mark.parametrize("backend", [None, "optuna"])
def test_skrub_configurations_that_failed_cannot_win(backend):
    skrub = pytest.importorskip("skrub", reason="a search of skrub")
    model = FailsInTheFirstFold(random_state=0, max_depth=skrub.choose_from([1, 2, 3], name="d"))
    data = skrub.X(X).skb.apply(model, y=skrub.y(Y))
    options = {"fitted": True, "cv": 3, "scoring": "accuracy"}
    if backend is None:
        search = data.skb.make_grid_search(error_score=np.nan, **options)
    else:
        pytest.importorskip("optuna", reason="the backend of the search")
        search = data.skb.make_randomized_search(
            backend="optuna", n_iter=8, random_state=0, **options
        )
    noted = OOFPredictions.from_search(search)
    failed = [params["d"] == 2 for params in noted.params]
    assert noted.failed.tolist() == failed and any(failed)
    BBCF().estimate(noted, "accuracy")
