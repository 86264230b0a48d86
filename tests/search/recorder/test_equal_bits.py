"""The same configurations give the same bits, whoever tunes: a search, a study, a loop, arrays."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV, OOFPredictions, OOFRecorder
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.selection import GreedyEnsemble

from ..small_search import X, Y

CV = StratifiedKFold(5, shuffle=True, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)
GRID = {"max_depth": [1, 2, 4], "min_samples_leaf": [1, 5, 20]}
METHODS = [
    BBC(n_bootstraps=300, random_state=0),
    BBC(n_bootstraps=100, selection=GreedyEnsemble(), random_state=0),
    BBCF(),
]


def in_a_loop(folder=None):
    recorder = OOFRecorder(Y, CV, folder=folder, adaptive=False)
    for params in ParameterGrid(GRID):
        recorder.cross_val_score(TREE, X, params=params, scoring="roc_auc")
    return recorder.oof_


def by_hand(grid, folder=None):
    """Each model trained here, its predictions handed over in an order of their own."""
    recorder = OOFRecorder(Y, CV, folder=folder, adaptive=False)
    rng = np.random.default_rng(0)
    for params in grid:
        for fold, (train, test) in enumerate(recorder.splits):
            model = clone(TREE).set_params(**params).fit(X[train], Y[train])
            rows = rng.permutation(test)
            proba = model.predict_proba(X[rows])
            recorder.record(params, fold, proba, rows=rows, response="predict_proba")
    return recorder.oof_


def in_a_study(folder=None):
    optuna = pytest.importorskip("optuna", reason="a study of optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    recorder = OOFRecorder(Y, CV, folder=folder, adaptive=False)

    def objective(trial):
        params = {name: trial.suggest_categorical(name, GRID[name]) for name in GRID}
        return recorder.cross_val_score(TREE, X, params=params, scoring="roc_auc").mean()

    sampler = optuna.samplers.GridSampler(GRID, seed=0)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    for _ in range(4):
        trial = study.ask()
        study.tell(trial, objective(trial))
    study.optimize(objective)  # until the grid is done
    assert [trial.params for trial in study.trials] == list(recorder.oof_.params)
    return recorder.oof_


def search_over(grid):
    """A search over a list of configurations, in the order of the list."""
    grid = [{name: [value] for name, value in params.items()} for params in grid]
    options = {"scoring": "roc_auc", "cv": CV, "ci": [], "refit": False}
    return BBCSearchCV(TREE, grid, **options).fit(X, Y).oof_


def arrays_of(grid):
    """Arrays as another program would have them: no search, no recorder."""
    fold, positive = np.empty(len(Y), dtype=int), np.empty((len(Y), len(grid)))
    for number, (train, test) in enumerate(CV.split(X, Y)):
        fold[test] = number
        for config, params in enumerate(grid):
            model = DecisionTreeClassifier(random_state=0, **params).fit(X[train], Y[train])
            positive[test, config] = model.predict_proba(X[test])[:, 1]
    return OOFPredictions(y_true=Y, y_pred=positive, fold=fold, params=grid)


@pytest.mark.parametrize(
    ("tuned", "kept"), [(in_a_loop, "on disk"), (in_a_study, "in memory"), (None, "on disk")]
)
def test_intervals_are_equal_bit_for_bit(tuned, kept, tmp_path):
    folder = tmp_path / "folder" if kept == "on disk" else None
    oof = by_hand(list(ParameterGrid(GRID))[::-1], folder) if tuned is None else tuned(folder)
    grid = list(oof.params)
    assert sorted(map(str, grid)) == sorted(map(str, ParameterGrid(GRID)))
    others = [search_over(grid), arrays_of(grid)]
    for other in others:
        assert list(other.params) == grid  # the same order
        assert other.matrix("roc_auc").tobytes() == oof.matrix("roc_auc").tobytes()
        for method in METHODS:
            one, two = (method.estimate(each, "roc_auc") for each in (oof, other))
            assert (one.estimate, *one) == (two.estimate, *two)
            assert one.details["winner"] == two.details["winner"]
