"""The base of the rules, the best score, and rules as `refit`."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC, BBCF, ShrunkenBBC
from sklearn_bbc.metrics import FoldTable, as_metric
from sklearn_bbc.selection import (
    BestScore,
    OneStandardError,
    Outcome,
    SelectedBy,
    WithThreshold,
)
from sklearn_bbc.selection._base import CHOICE_BYTES, in_pieces
from tests.selection.draws import predictions


def test_functions_and_classes_are_no_rules():
    for given, words in (
        (lambda results: 0, r"RefitCallable\(function\)"),
        (OneStandardError, r"pass OneStandardError\(\.\.\.\), not the class"),
    ):
        with pytest.raises(ValueError, match=words):
            BBC(selection=given).estimate(predictions(), "accuracy")


@pytest.mark.parametrize("method", [BBC, BBCF, ShrunkenBBC])
@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss"])
def test_the_default_bit_for_bit(method, scoring):
    oof = predictions(n_repeats=2)
    few = {"n_bootstraps": 200, "random_state": 0}
    one, other = method(**few), method(selection=BestScore(), **few)
    first, second = one.estimate(oof, scoring), other.estimate(oof, scoring)
    np.testing.assert_array_equal(first.draws, second.draws)
    assert (first.low, first.high) == (second.low, second.high)
    assert dict(first.details) == dict(second.details)


GRID = {"n_neighbors": [1, 5, 15, 45, 90]}
SIMPLER = OneStandardError([("n_neighbors", "larger is simpler")])


def test_a_search_refits_what_the_rule_selects():
    X, y = load_iris(return_X_y=True)
    plain = GridSearchCV(KNeighborsClassifier(), GRID).fit(X, y)
    best = GridSearchCV(KNeighborsClassifier(), GRID, refit=BestScore()).fit(X, y)
    assert best.best_index_ == plain.best_index_
    simple = GridSearchCV(KNeighborsClassifier(), GRID, refit=SIMPLER).fit(X, y)
    results = plain.cv_results_
    scores = np.array([results[f"split{k}_test_score"] for k in range(5)])
    means, errors = scores.mean(axis=0), scores.std(axis=0, ddof=1) / np.sqrt(5)
    good = means >= means.max() - errors[means.argmax()]
    assert simple.best_index_ == np.flatnonzero(good).max() > plain.best_index_


def test_what_is_not_there_is_named():
    X, y = load_iris(return_X_y=True)
    results = GridSearchCV(KNeighborsClassifier(), GRID).fit(X, y).cv_results_
    with pytest.raises(ValueError, match=r"no split\*_test_auc; it has"):
        SelectedBy("auc", SIMPLER)(results)
    with pytest.raises(ValueError, match="single samples"):
        WithThreshold("f1")(results)


def test_columns_of_other_lengths_are_refused():
    with pytest.raises(ValueError, match="one length"):
        Outcome({"config": np.arange(2), "place": np.arange(3)})
    with pytest.raises(ValueError, match="at least one"):
        Outcome({})


def test_pieces_change_nothing():
    weights = np.arange(14).reshape(7, 2)

    def largest(some):
        sizes.append(len(some))
        return Outcome({"config": some.max(axis=1)})

    for bytes_per_draw, expected in ((1, [7]), (CHOICE_BYTES // 3, [3, 3, 1]), (10**12, [1] * 7)):
        sizes = []
        outcome = in_pieces(largest, weights, bytes_per_draw)
        assert outcome["config"].tolist() == [1, 3, 5, 7, 9, 11, 13] and sizes == expected


def test_table_scores_are_weighted_means():
    rng = np.random.default_rng(0)
    scores = rng.random((6, 4))
    scores[2, 1] = np.nan
    oof = OOFPredictions.from_fold_scores({"accuracy": scores})
    table = FoldTable(as_metric("accuracy"), oof)
    weights = rng.integers(0, 3, (5, 6))
    expected = weights @ np.delete(scores, 1, axis=1) / weights.sum(axis=1, keepdims=True)
    found = table.scores(weights)
    np.testing.assert_allclose(np.delete(found, 1, axis=1), expected, rtol=1e-12)
    assert np.isnan(found[:, 1]).all()
    winners = table.winners(weights)
    np.testing.assert_array_equal(winners, np.array([0, 2, 3])[expected.argmax(axis=1)])
    np.testing.assert_allclose(table.score_of(weights, winners), expected.max(axis=1), rtol=1e-12)
    assert np.isnan(table.score_of(weights, np.full(5, -1))).all()
    some = FoldTable(as_metric("accuracy"), oof, splits=np.array([0, 3, 5]))
    for draw, config in zip(weights[:, :3], [0, 1, 2, 3, -1]):
        counted = np.repeat([0, 3, 5], draw)
        mean = np.mean(scores[counted, config]) if config >= 0 else np.nan
        np.testing.assert_allclose(some.score_of(draw[None], [config]), [mean], rtol=1e-12)
        means = np.where(some.valid, scores[counted].mean(axis=0), np.nan)
        np.testing.assert_allclose(some.scores(draw[None])[0], means, rtol=1e-12)
        assert some.winners(draw[None])[0] == np.nanargmax(means)
    # The second loses in a fold that is not drawn here.
    assert some.valid.tolist() == [True, False, True, True]
