"""Thresholds and ensembles in the search of every draw, against plain loops."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import Ridge
from sklearn.metrics import balanced_accuracy_score, brier_score_loss
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.intervals import DirectBootstrap
from sklearn_bbc.intervals import _refits as _direct_bootstrap
from sklearn_bbc.intervals._refits import splits_of_copies
from sklearn_bbc.selection import GreedyEnsemble, WithThreshold
from tests.intervals.refit_helpers import two_classes
from tests.selection.test_greedy_ensemble import by_a_loop

FEW = {"n_bootstraps": 20, "random_state": 0, "verbose": 0}
GRID = {"n_neighbors": [3, 7, 15]}


def knn_search(scoring="neg_brier_score", **more):
    return BBCSearchCV(KNeighborsClassifier(), GRID, scoring=scoring, cv=2, **more)


@pytest.fixture
def drawn(monkeypatch):
    """What each draw was given and what it scored."""
    seen = []
    score_of_draw = _direct_bootstrap.score_of_draw

    def watched(problem, counts, rule=None):
        done = score_of_draw(problem, counts, rule)
        seen.append((problem, counts, *done))
        return done

    monkeypatch.setattr(_direct_bootstrap, "score_of_draw", watched)
    return seen


@pytest.mark.long
def test_a_threshold_is_chosen_on_the_predictions_of_each_search(drawn):
    X, y = two_classes()
    grid = np.linspace(0.1, 0.9, 8)
    rule = WithThreshold("balanced_accuracy", thresholds=grid)
    result = DirectBootstrap(selection=rule, **FEW).estimate(knn_search(), X, y)
    assert result.metric == "balanced_accuracy" and len(drawn) == 20
    for problem, counts, score, *_ in drawn[::8]:
        in_bag = np.repeat(np.arange(60), counts)
        out = counts == 0
        splits = splits_of_copies(problem.estimator, problem, counts)
        search = GridSearchCV(KNeighborsClassifier(), GRID, scoring="neg_brier_score", cv=splits)
        model = search.fit(X[in_bag], y[in_bag]).best_estimator_
        proba = cross_val_predict(
            clone(model), X[in_bag], y[in_bag], cv=splits, method="predict_proba"
        )[:, 1]
        of_grid = [balanced_accuracy_score(y[in_bag], proba >= t) for t in grid]
        labels = model.predict_proba(X[out])[:, 1] >= grid[int(np.argmax(of_grid))]
        assert score == pytest.approx(balanced_accuracy_score(y[out], labels), rel=1e-12)
    assert result.details["n_fits"] == 20 * (3 * 2 + 1)


@pytest.mark.long
def test_an_ensemble_is_built_in_each_search_and_its_members_fitted(drawn):
    X, y = two_classes()
    result = DirectBootstrap(selection=GreedyEnsemble(4), **FEW).estimate(knn_search(), X, y)
    for problem, counts, score, *_ in drawn[::8]:
        in_bag = np.repeat(np.arange(60), counts)
        out = counts == 0
        splits = splits_of_copies(problem.estimator, problem, counts)
        models = [KNeighborsClassifier(k) for k in GRID["n_neighbors"]]
        proba = np.array(
            [
                cross_val_predict(m, X[in_bag], y[in_bag], cv=splits, method="predict_proba")
                for m in models
            ]
        )[:, :, 1]
        shares = by_a_loop("neg_brier_score", y[in_bag], proba, 4)
        named = [(str(k), model) for k, model in enumerate(models)]
        voting = VotingClassifier(named, voting="soft", weights=shares)
        mean = voting.fit(X[in_bag], y[in_bag]).predict_proba(X[out])[:, 1]
        assert score == pytest.approx(-brier_score_loss(y[out], mean), rel=1e-9)
    extra = sum(n_fits for _, _, _, n_fits, _ in drawn)
    assert 0 < extra <= 20 * 3
    assert result.details["n_fits"] == 20 * 7 + extra


@pytest.mark.long
def test_text_labels_values_of_a_decision_function_and_regressions():
    X, y = two_classes()
    names = np.array(["ill", "well"])[y]
    search = BBCSearchCV(LinearSVC(), {"C": [1]}, scoring="roc_auc", cv=2)
    rule = WithThreshold("balanced_accuracy", thresholds=np.linspace(-1, 1, 9))
    of_names, of_codes = (
        DirectBootstrap(selection=rule, **FEW).estimate(search, X, target) for target in (names, y)
    )
    np.testing.assert_array_equal(of_names.draws, of_codes.draws)
    ridge = BBCSearchCV(Ridge(), {"alpha": [0.1, 100]}, scoring="neg_mean_squared_error", cv=2)
    values = X @ [1.0, 2, 3]
    result = DirectBootstrap(selection=GreedyEnsemble(2), **FEW).estimate(ridge, X, values)
    assert result.estimate > -1
    with pytest.raises(ValueError, match="2 classes, got a target without classes"):
        DirectBootstrap(selection=WithThreshold("f1"), **FEW).estimate(ridge, X, values)


def test_a_search_without_predictions_is_refused_before_the_first_fit(drawn):
    X, y = two_classes()
    for search in (
        GridSearchCV(KNeighborsClassifier(), GRID, scoring="roc_auc", cv=3),
        knn_search(record=False),
    ):
        with pytest.raises(ValueError, match="Give a BBCSearchCV with record=True"):
            DirectBootstrap(selection=GreedyEnsemble(), **FEW).estimate(search, X, y)
    assert not drawn
