"""CorrectedT: the published vector, the ratio of test to training samples, no spread."""

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BBCF, CorrectedT, HierarchicalBootstrap
from sklearn_bbc.metrics import as_metric
from tests.made import made

SCORES = np.array([0.80, 0.75, 0.90, 0.70, 0.85])


def fold_scores(values, **fields):
    values = np.asarray(values, dtype=float)
    values = values[:, None] if values.ndim == 1 else values
    return made(fold_scores={"accuracy": values}, **fields)


def test_the_sizes_of_the_splits_are_used_where_they_are_known():
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 30)
    y_pred = (rng.random((60, 1)) < 0.7) == y[:, None]
    known = made(y_true=y, y_pred=y_pred.astype(int), fold=np.arange(60) % 5, train_size=[20] * 5)
    assert CorrectedT().estimate(known, "accuracy").details["test_over_train"] == 12 / 20
    unknown = OOFPredictions(y_true=y, y_pred=y_pred.astype(int), fold=np.arange(60) % 5)
    assert CorrectedT().estimate(unknown, "accuracy").details["test_over_train"] == 12 / 48


def test_it_works_on_any_fitted_search():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1]}, cv=5).fit(X, y)
    result = CorrectedT().estimate(OOFPredictions.from_search(search), "accuracy")
    assert result.estimate == pytest.approx(search.best_score_)


def test_equal_folds_warn_and_give_a_point():
    with pytest.warns(IntervalWarning, match="certainly wrong"):
        result = CorrectedT().estimate(fold_scores([0.5] * 5), "accuracy")
    assert result.width == 0 and result.details["degenerate"]


def test_an_undefined_fold_is_named():
    with pytest.raises(ValueError, match=r"configuration 1, has no accuracy in fold \[2\]"):
        CorrectedT(config=1).estimate(
            fold_scores([[0.5, 0.6], [0.4, 0.7], [0.6, np.nan]]), "accuracy"
        )


def single_splits(n_tested=10, train_size=None):
    """Six repeats of one fold each, as of ShuffleSplit."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 20)
    fold = np.full((6, 40), -1)
    for k in range(6):
        fold[k, rng.permutation(40)[:n_tested]] = k
    y_pred = np.where(rng.random((6, 40, 1)) < 0.3, 1 - y[:, None], y[:, None])
    oof = made(y_true=y, y_pred=y_pred, fold=fold, train_size=train_size)
    assert (oof.n_splits, oof.n_repeats) == (6, 6)
    return oof


def test_repeats_of_one_fold_need_the_ratio_from_somewhere():
    oof = single_splits(40)
    with pytest.raises(ValueError, match="is not known for repeats of one fold each"):
        CorrectedT().estimate(oof, "accuracy")
    given = CorrectedT(test_over_train=0.25).estimate(oof, "accuracy")
    scores = as_metric("accuracy").fold_scores(oof)[:, 0]
    error = scores.std(ddof=1) * np.sqrt(1 / 6 + 0.25)
    assert given.details["standard_error"] == pytest.approx(error)
    assert given.low == pytest.approx(scores.mean() - stats.t.ppf(0.975, 5) * error)


def rare_class(splitter):
    """The more frequent class is nearly always right, the other hardly ever."""
    y = (np.arange(80) < 16).astype(int)
    rng = np.random.default_rng(0)
    y_pred = (rng.random(80) < 0.05 + 0.1 * y).astype(int)
    fold = np.zeros(80, dtype=int)
    for k, (_, test) in enumerate(splitter.split(y, y)):
        fold[test] = k
    return OOFPredictions(y_true=y, y_pred=y_pred, fold=fold)


def test_what_stratified_folds_hide_is_reported():
    oof = rare_class(StratifiedKFold(5, shuffle=True, random_state=0))
    right = (oof.matrix("accuracy")[:, 0] == oof.y_true).astype(float)
    shares = np.array([right[oof.y_true == c].mean() for c in (0, 1)])
    hidden = np.var(shares[oof.y_true]) / right.var()  # of the classes, of all
    assert hidden > 0.4
    with pytest.warns(IntervalWarning, match="CorrectedT: All folds have about the same") as seen:
        result = CorrectedT().estimate(oof, "accuracy")
    assert f"{100 * hidden:.0f}% of the variance of accuracy" in result.details["notes"][0]
    assert len(seen) == 1


@pytest.mark.parametrize("method", [BBCF(), HierarchicalBootstrap(n_bootstraps=200)])
def test_other_methods_on_the_spread_of_folds_tell_it_too(method):
    oof = rare_class(StratifiedKFold(5, shuffle=True, random_state=0))
    with pytest.warns(IntervalWarning, match=f"{type(method).__name__}: All folds have about"):
        result = method.estimate(oof, "accuracy")
    assert any("of the variance of accuracy is between" in n for n in result.details["notes"])
    for suppress_fp_warnings, scoring in (
        (rare_class(KFold(5, shuffle=True, random_state=0)), "accuracy"),
        (oof, "roc_auc"),
    ):
        notes = method.estimate(suppress_fp_warnings, scoring).details["notes"]
        assert not any("All folds have about the same" in note for note in notes)
