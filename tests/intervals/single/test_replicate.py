"""Inner draws: what picks say one by one, for any batch, width of counts and unit."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import make_scorer

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import HierarchicalBootstrap, PooledBootstrap, holdout_interval
from sklearn_bbc.intervals import _bootstrap as _replicate
from sklearn_bbc.intervals._bootstrap import (
    inner_patterns,
    inner_standard_errors,
    needed_strata,
    replicate,
)
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.resampling import IID, Draws, Units
from tests.made import made

N = 45
Y = (np.arange(N) % 9 == 0).astype(int)  # rare enough that inner draws lack it
PRED = np.random.default_rng(0).normal(size=N) + Y


def one_by_one(counts, units, patterns, score):
    """Each inner draw from the list of the picks of its outer draw."""
    first = [np.flatnonzero(units.of_sample == k)[0] for k in range(units.n_units)]
    errors = []
    for of_units in counts[:, first]:
        picks = np.repeat(np.arange(units.n_units), of_units)
        inner = [np.bincount(picks, weights=p, minlength=units.n_units) for p in patterns]
        values = score(units.expand(np.array(inner).astype(np.int64)))
        values = values[~np.isnan(values)]
        errors.append(values.std(ddof=1) if len(values) > 1 else 0.0)
    return np.array(errors)


@pytest.mark.parametrize(
    ("scoring", "by", "times", "at_once"),
    [("roc_auc", "sample", 1, 1), ("f1", "group", 100, 2**14), ("accuracy", "group", 1, 2**14)],
)
def test_inner_draws_as_picks_say(scoring, by, times, at_once, monkeypatch):
    monkeypatch.setattr(_replicate, "COUNTS_AT_ONCE", at_once)
    groups = {"groups": np.arange(N) // 3, "fold": np.arange(N) // 9} if by == "group" else {}
    pred = PRED if scoring == "roc_auc" else (PRED > 0.5).astype(int)
    oof = made(y_true=Y, y_pred=pred, **groups)
    kernel, units = as_metric(scoring).bind(oof), Units.of(oof)
    counts = units.expand(IID(units.n_units).draw(np.random.default_rng(1), 40))
    # A hundred times as many need two bytes each.
    patterns = inner_patterns(units.n_units, 7).astype(np.int64) * times

    def score(weights):
        return kernel.score_of(weights, np.zeros(len(weights), dtype=np.intp))

    found = inner_standard_errors(counts, units, patterns, score)
    np.testing.assert_allclose(found, one_by_one(counts, units, patterns, score))
    assert (found > 0).sum() > 30


def labels_oof(y, **fields):
    y = np.asarray(y)
    return made(y_true=y, y_pred=y, classes=np.unique(y), **fields)


def test_strata_of_draws_are_the_classes_where_the_metric_has_none_of_its_own():
    """F1 of a draw without positive samples is 0 by convention, not a score of the classifier."""

    def needed(scoring, y, **fields):
        oof = labels_oof(y, **fields)
        if scoring == "average_precision":
            oof = OOFPredictions(y_true=y, y_pred=np.array(y) / 2)
        strata, names = needed_strata(as_metric(scoring).bind(oof))
        return None if strata is None else (strata.sum(axis=1).tolist(), names)

    two, three = [0] * 8 + [1] * 2, [0] * 6 + [1] * 3 + [2] * 2
    both = ([8, 2], ["class 0", "class 1"])
    for scoring in ("f1", "precision", "recall", "jaccard", "matthews_corrcoef"):
        assert needed(scoring, two) == both
    assert needed("balanced_accuracy", two) == both
    assert needed("roc_auc", two) == both
    assert needed("accuracy", two) is None, "a mean over samples is never undefined"
    assert needed("average_precision", two) == ([2], ["class 1"]), "what the metric says itself"
    # Of several classes those with fewer than three samples cannot be asked for.
    assert needed("f1_macro", three) == ([6, 3], ["class 0", "class 1"])
    assert needed("f1_macro", [0, 1, 2] * 2) is None
    fold = np.r_[-np.ones(4, dtype=int), np.zeros(6, dtype=int)]
    assert needed("f1", two, fold=fold)[0] == [4, 2]
    weight = np.r_[0, np.ones(9)]
    assert needed("f1", two, sample_weight=weight) == ([7, 2], ["class 0", "class 1"])
    some = (["the data of positive weight"],)
    assert needed("accuracy", two, sample_weight=weight) == ([9], *some)
    assert needed("f1_macro", [0, 1, 2] * 2, sample_weight=[0, 1, 1, 1, 1, 1]) == ([5], *some)


@pytest.mark.parametrize("scoring", ["f1", "recall", "balanced_accuracy", "matthews_corrcoef"])
def test_a_perfect_classifier_never_gets_less_than_its_score(scoring):
    """A draw without one of the 3 positives of 30 was scored 0 or one half."""
    y = (np.arange(30) % 10 == 3).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IntervalWarning)
        test_set = holdout_interval(y, y, scoring, method="percentile", random_state=0)
        folds = HierarchicalBootstrap(form="percentile", random_state=0).estimate(
            labels_oof(y, fold=np.arange(30) // 10), scoring
        )
    for result in (test_set, folds):
        assert (result.estimate, *result) == (1, 1, 1)
        assert result.details["n_redrawn"] > 0


def test_inner_draws_without_a_class_have_no_score():
    y = np.arange(12) < 3
    units = Units.of(OOFPredictions(y_true=y.astype(int), y_pred=y.astype(int)))
    seen = []

    def score(counts):
        seen.append(counts)
        return counts[:, :3].sum(axis=1) * 1.0  # 0 where the positive samples are missing

    spreads = [
        replicate(score, 3.0, units, Draws(IID(12), 64, 0), "studentised", needed)[
            0
        ].standard_error()
        for needed in (None, np.stack([y, ~y]))
    ]
    patterns = inner_patterns(12, 0)
    values = patterns[:, :3].sum(axis=1)
    assert (values == 0).any()
    assert spreads[0][0] == pytest.approx(values.std(ddof=1))
    assert spreads[1][0] == pytest.approx(values[values > 0].std(ddof=1))


def defined_f1(y, pred):
    """F1 without scikit-learn's convention: undefined without both classes."""
    return 2 * (y & pred).sum() / (y.sum() + pred.sum()) if 0 < y.sum() < len(y) else np.nan


@pytest.mark.parametrize("paired", [False, True])
def test_draws_of_f1_are_those_of_a_metric_that_says_where_it_is_undefined(paired):
    y = (np.arange(24) % 8 == 3).astype(int)
    pred = np.where(np.arange(24) % 11 == 2, 1 - y, y)
    other = {"y_pred_other": np.where(np.arange(24) % 7 == 1, 1, y)} if paired else {}
    found = [
        holdout_interval(
            y, pred, scoring, method="studentised", n_bootstraps=40, random_state=0, **other
        )
        for scoring in ("f1", make_scorer(defined_f1))
    ]
    assert found[0].details["n_redrawn"] == found[1].details["n_redrawn"] > 0
    np.testing.assert_allclose(found[0].draws, found[1].draws, atol=1e-12)
    bounds = np.clip(tuple(found[1]), -1 if paired else 0, 1)  # F1 has a range, and is cut there
    assert tuple(found[0]) == pytest.approx(tuple(bounds), abs=1e-9)


@pytest.mark.parametrize("method", [PooledBootstrap(), HierarchicalBootstrap()])
def test_draws_within_classes_are_said_to_hide_spread_where_they_do(method):
    y = np.arange(60) % 2
    oof = OOFPredictions(
        y_true=y, y_pred=np.where(np.arange(60) % 7 < 2, 1 - y, y), fold=np.arange(60) // 2 % 3
    )
    method.set_params(n_bootstraps=50, random_state=0)
    for scoring, stratify, said in (
        ("f1", True, True), ("f1", False, False), ("accuracy", True, True),
        ("balanced_accuracy", True, False), ("roc_auc", True, False),
    ):  # fmt: skip
        notes = method.set_params(stratify=stratify).estimate(oof, scoring).details["notes"]
        assert any("Draws within classes" in note for note in notes) == said
