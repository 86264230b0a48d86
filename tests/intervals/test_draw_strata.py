"""Draws that lack a class: which are drawn again, which are kept, and what is said of them."""

import numpy as np
import pytest
from sklearn.metrics import make_scorer

from sklearn_bbc import OOFPredictions
from sklearn_bbc.contest._strata import DrawStrata
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC, PooledBootstrap, Redraw, ShrunkenBBC
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.resampling import Draws, Units
from tests.made import made

BY_CLASS = [
    "f1", "recall", "precision", "jaccard", "matthews_corrcoef", "balanced_accuracy", "f1_macro",
    "f1_weighted", "recall_macro", "precision_macro", "jaccard_macro", "average_precision",
    "roc_auc",
]  # fmt: skip


def rare(n_rare=5, n_samples=50):
    return (np.arange(n_samples) < n_rare).astype(int)


def labels_of(*sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


def of(y, pred=None, **fields):
    return made(y_true=y, y_pred=y if pred is None else pred, fold=np.arange(len(y)) % 5, **fields)


def strata_of(oof, scoring, **options):
    return DrawStrata.of(as_metric(scoring).bind(oof), Units.of(oof), **options)


@pytest.mark.parametrize("scoring", BY_CLASS)
@pytest.mark.parametrize("method", [BBC, ShrunkenBBC, PooledBootstrap])
def test_a_perfect_classifier_is_perfect(scoring, method):
    result = method(n_bootstraps=500, random_state=0).estimate(of(rare()), scoring)
    assert (result.estimate, result.details["n_lacking_class"]) == (1.0, 0)
    assert result.details["n_redrawn"] > 0
    if method is not ShrunkenBBC:
        assert (result.low, result.high) == (1.0, 1.0)


def test_every_kept_draw_holds_both_classes():
    y, seen = rare(3, 20), []

    def metric(y_true, y_pred):
        seen.append(np.bincount(y_true, minlength=2))
        return 0.5

    BBC(n_bootstraps=100, random_state=0).estimate(of(y), make_scorer(metric))
    seen = np.array(seen[-200:])  # in-bag and out-of-bag of each
    assert (seen > 0).all() and (seen.sum(axis=1) == 20).sum() >= 100


@pytest.mark.parametrize(
    "sizes, in_every_draw, small",
    [
        ((48, 2), [0, 1], []),
        ((49, 1), [0], ["class 1 (1 sample)"]),
        ((40, 7, 3), [0, 1, 2], []),
        ((40, 8, 2), [0, 1], ["class 2 (2 samples)"]),
        ((40, 8, 1, 1), [0, 1], ["class 2 (1 sample)", "class 3 (1 sample)"]),
    ],
)
def test_which_classes_are_large_enough(sizes, in_every_draw, small):
    strata = strata_of(of(labels_of(*sizes)), "f1_macro")
    assert strata.names == ["the data", *(f"class {k}" for k in in_every_draw)]
    assert (strata.small, strata.n_needed) == (small, 1)
    assert (strata.may_lack is None) == (not small)


def test_groups_are_what_is_counted():
    y, groups = labels_of(30, 9), np.r_[np.arange(30), np.full(9, 30)]
    strata = strata_of(of(y, groups=groups), "f1")
    assert strata.small == ["class 1 (1 group)"]
    strata = strata_of(of(y, groups=np.r_[np.arange(30), np.arange(9) // 5]), "f1")
    assert strata.small == [] and strata.names[-1] == "class 1"


def test_draws_without_a_small_class_are_counted_and_noted():
    y = labels_of(45, 4, 1)
    result = BBC(n_bootstraps=400, random_state=0).estimate(of(y), "f1_macro")
    assert result.details["n_lacking_class"] == 400  # one sample is in-bag or out-of-bag
    assert result.details["n_redrawn"] > 0
    start = "400 of 400 draws lack class 2 (1 sample), too small"
    assert any(note.startswith(start) for note in result.details["notes"])
    in_bag = PooledBootstrap(n_bootstraps=400, random_state=0).estimate(of(y), "f1_macro")
    assert 100 < in_bag.details["n_lacking_class"] < 200  # (1 - 1/50) ** 50 of them
    assert any("lack class 2" in note for note in in_bag.details["notes"])


def test_the_smallest_of_many_classes_may_be_lacking():
    """Of twelve classes with three samples 0.7 ** 12 of the draws would hold all."""
    y = labels_of(*[20] * 3, *[3] * 12)
    strata = strata_of(of(y), "f1_macro")
    assert strata.names == ["the data", "class 0", "class 1", "class 2"]
    assert len(strata.small) == 12
    result = BBC(n_bootstraps=100, random_state=0).estimate(of(y), "f1_macro")
    assert 90 < result.details["n_lacking_class"] <= 100
    notes = result.details["notes"]
    assert any("one of 12 classes such as class 3 (3 samples)" in note for note in notes)
    # Of seven such classes 0.697 ** 7 = 0.08 of the draws would hold all, of six 0.11.
    assert len(strata_of(of(labels_of(60, *[3] * 7)), "f1_macro").small) == 7
    assert strata_of(of(labels_of(63, *[3] * 6)), "f1_macro").small == []
    # Once it is too much, smaller ones are out as well.
    sizes = [20, *[4] * 20, 3]
    assert len(strata_of(of(labels_of(*sizes)), "f1_macro").small) == 21
    # In-bag alone they nearly always are.
    assert strata_of(of(y), "f1_macro", out_of_bag=False).small == []


@pytest.mark.parametrize("scoring", ["r2", "explained_variance", "d2_absolute_error_score"])
@pytest.mark.parametrize("method", [BBC, PooledBootstrap])
def test_scores_that_need_a_spread_get_one(scoring, method):
    """Five of fifty values are not zero: without a redraw some draws are scored 0 for nothing."""
    y = 2.5 * rare()
    pred = y + np.random.default_rng(0).normal(scale=0.05, size=50)
    result = method(n_bootstraps=1000, random_state=0).estimate(of(y, pred), scoring)
    assert result.details["n_redrawn"] > 0 and result.details["n_undefined"] == 0
    assert 0 < result.draws.min()
    for too_few in (0, 1):
        with pytest.raises(UndefinedIntervalError, match=f"{too_few} samples? ha.* than 0"):
            method(n_bootstraps=20).estimate(of(2.5 * rare(too_few), pred), scoring)


def test_only_samples_that_count_give_a_spread():
    y = 2.5 * rare()[::-1]
    pred = y + np.random.default_rng(0).normal(scale=0.05, size=50)
    method = BBC(n_bootstraps=200, random_state=0)
    for last, others in (((0, 0, 0, 0, 0.5), 1), ((0, 0, 0, 0, 0), 0)):
        weight = np.r_[np.full(45, 0.5), last]
        with pytest.raises(UndefinedIntervalError, match=f"{others} samples? ha.* than 0"):
            method.estimate(of(y, pred, sample_weight=weight), "r2")
    for last in ((0, 0, 0, 0.5, 0.5), (0.5, 0.5, 0.5, 0.5, 0.5)):
        weight = np.r_[np.full(45, 0.5), last]
        assert 0 < method.estimate(of(y, pred, sample_weight=weight), "r2").draws.min()
    with pytest.raises(ValueError, match="r2"):
        method.estimate(of(np.array(["a", "b"] * 10)), "r2")


def test_hundreds_of_tiny_classes_are_refused_before_the_first_draw(monkeypatch):
    """Five thousand of them took 202 seconds of redraws."""
    y = np.repeat(np.arange(300), 2)
    pred = np.full((600, 1, 300), 1 / 300)
    oof = OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(600) % 2)
    monkeypatch.setattr(Draws, "_counts", None)
    with pytest.raises(UndefinedIntervalError, match=r"all 300 classes .* Merge rare classes"):
        BBC(n_bootstraps=2000, random_state=0).estimate(oof, "neg_log_loss")


def test_few_units_of_a_class_are_noted():
    def few(n_rare, scoring, method=BBC):
        notes = method(n_bootstraps=40, random_state=0).estimate(
            of(rare(n_rare, 100)), scoring
        ).details["notes"]  # fmt: skip
        return [note for note in notes if "20 or more are better" in note]

    for method in (BBC, PooledBootstrap):
        (note,) = few(19, "balanced_accuracy", method)
        assert note.startswith("Class 1 has 19 samples: errors that did not occur")
        assert few(20, "balanced_accuracy", method) == []
        assert few(19, "roc_auc", method) == few(19, "accuracy", method) == []


@pytest.mark.parametrize(
    "sizes, least, small",
    [
        ((48, 2), 2, ["class 1 (2 samples)"]),
        ((47, 3), 2, []),
        ((46, 4), 4, ["class 1 (4 samples)"]),
        ((45, 5), 4, []),  # of two classes however seldom: 6% of the draws
        ((40, 5, 5), 4, ["class 1 (5 samples)", "class 2 (5 samples)"]),
        ((30, 30, 30), 4, []),
    ],
)
def test_one_in_bag_and_so_many_out_of_bag(sizes, least, small):
    policy = Redraw(min_out_of_bag=least)
    assert strata_of(of(labels_of(*sizes)), "f1_macro", degenerate=policy).small == small
