"""HierarchicalBootstrap: known variances, forms, folds without a class, repeats."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import make_scorer

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import SlowMetricWarning, UndefinedIntervalError
from sklearn_bbc.intervals import HierarchicalBootstrap, PooledBootstrap
from sklearn_bbc.metrics import _metric
from sklearn_bbc.resampling import Draws, draw_with_replacement
from tests.made import made

Y = np.tile([0, 1], 50)
FOLD = np.arange(100) // 20
SCORES = np.random.default_rng(0).normal(size=100) + Y


def auc_oof(**fields):
    return made(y_true=Y, y_pred=SCORES, fold=FOLD, **fields)


def independent_losses(rng):
    return OOFPredictions(
        y_true=rng.normal(5, 1, size=200), y_pred=np.zeros(200), fold=np.arange(200) // 40
    )


@pytest.mark.long
@pytest.mark.parametrize(("second_stage", "expected"), [(True, 9 / 5), (False, 4 / 5)])
def test_variance_against_that_of_independent_samples(second_stage, expected):
    """(2F - 1) / F of the true variance with both stages, (F - 1) / F with folds alone."""
    rng = np.random.default_rng(0)
    method = HierarchicalBootstrap(
        form="normal", second_stage=second_stage, n_bootstraps=200, random_state=0
    )
    variances = [
        method.estimate(independent_losses(rng), "neg_mean_absolute_error").draws.var()
        for _ in range(60)
    ]
    assert np.mean(variances) * 200 == pytest.approx(expected, rel=0.12)


def test_one_draw_of_two_folds_by_hand():
    """Without a second stage a draw of two folds is one of three equally spaced means."""
    y = np.array([1.0, 1, 3, 3])
    oof = OOFPredictions(y_true=y, y_pred=np.zeros(4), fold=[0, 0, 1, 1])
    result = HierarchicalBootstrap(
        form="percentile", second_stage=False, n_bootstraps=4000, random_state=0
    ).estimate(oof, "neg_mean_absolute_error")
    values, counts = np.unique(result.draws, return_counts=True)
    assert values.tolist() == [-3, -2, -1]
    assert counts / 4000 == pytest.approx([0.25, 0.5, 0.25], abs=0.03)


def test_a_fold_without_a_class_is_named():
    oof = OOFPredictions(y_true=np.sort(Y), y_pred=SCORES, fold=FOLD)
    with pytest.raises(UndefinedIntervalError, match=r"undefined in fold 0 .*20 of class 0, 0 of"):
        HierarchicalBootstrap().estimate(oof, "roc_auc")


def test_inner_draws_without_a_class_are_drawn_again():
    y = (np.arange(100) % 20 < 2).astype(int)
    oof = OOFPredictions(y_true=y, y_pred=SCORES, fold=FOLD)
    free = HierarchicalBootstrap(form="percentile", n_bootstraps=100, random_state=0)
    assert free.estimate(oof, "roc_auc").details["n_redrawn"] > 0
    within = HierarchicalBootstrap(
        form="percentile", stratify=True, n_bootstraps=100, random_state=0
    )
    assert within.estimate(oof, "roc_auc").details["n_redrawn"] == 0


def repeated(n_repeats, seed=4, scores=SCORES):
    """The same predictions in every repeat, other folds: nothing new about the samples."""
    rng = np.random.default_rng(seed)
    # A sample of either class goes together, so that folds stay stratified.
    folds = np.stack([np.repeat(rng.permutation(FOLD[::2]), 2) for _ in range(n_repeats)])
    y_pred = np.repeat(scores[None, :, None], n_repeats, axis=0)
    return OOFPredictions(y_true=Y, y_pred=y_pred, fold=folds)


@pytest.mark.long
@pytest.mark.parametrize("form", ["percentile", "studentised"])
def test_repeats_do_not_make_the_sampling_error_vanish(form):
    method = HierarchicalBootstrap(form=form, n_bootstraps=200, random_state=0)
    two, ten = (
        np.mean([method.estimate(repeated(n, seed), "roc_auc").width for seed in range(3)])
        for n in (2, 10)
    )
    assert ten > 0.8 * two
    pooled = PooledBootstrap(n_bootstraps=200, random_state=0)
    assert ten > pooled.estimate(repeated(10), "roc_auc").width


def test_standard_errors_are_those_of_the_scores_of_the_drawn_folds(monkeypatch):
    """Standard deviation of the fold scores over the root of their number, in each draw too."""
    rng = np.random.default_rng(3)
    oof = OOFPredictions(
        y_true=rng.exponential(size=100), y_pred=np.zeros(100), fold=np.arange(100) % 5
    )
    seen = {}

    def keep(form, replicates, *rest):
        seen["replicates"] = replicates
        return 0.0, 1.0

    monkeypatch.setattr("sklearn_bbc.intervals._bootstrap.interval_bounds", keep)
    method = HierarchicalBootstrap(second_stage=False, n_bootstraps=50, random_state=4)
    result = method.estimate(oof, "neg_mean_absolute_error")
    scores = np.array(result.details["fold_scores"])
    times = draw_with_replacement(np.random.default_rng([4, 0]), 50, 5).astype(int)
    drawn = [np.repeat(scores, of_draw) for of_draw in times]
    on_data, on_draws = seen["replicates"].standard_error()
    assert on_data == pytest.approx(scores.std(ddof=1) / np.sqrt(5))
    assert on_draws == pytest.approx([values.std(ddof=1) / np.sqrt(5) for values in drawn])
    assert seen["replicates"].draws == pytest.approx([values.mean() for values in drawn])


def test_a_metric_without_a_kernel_is_announced_with_all_its_calls(monkeypatch, recwarn):
    monkeypatch.setattr(_metric, "SLOW_SECONDS", 0)
    scorer = make_scorer(lambda y, p: float(np.mean(p)))
    whole = HierarchicalBootstrap(form="normal", second_stage=False, n_bootstraps=300)
    whole.estimate(auc_oof(), scorer)
    assert not [w for w in recwarn.list if w.category is SlowMetricWarning]
    monkeypatch.setattr(Draws, "map", lambda *given: 1 / 0)
    with (
        pytest.warns(SlowMetricWarning, match=r" 1,500 times"),
        pytest.raises(ZeroDivisionError),
    ):
        HierarchicalBootstrap(n_bootstraps=300).estimate(auc_oof(), scorer)


def few_of_a_class(**fields):
    """Classes have quite different accuracies, and folds the same shares of them."""
    y = (np.arange(80) % 5 == 0).astype(int)
    right = np.where(y == 1, np.arange(80) % 3 == 0, np.arange(80) % 16 != 1)
    return OOFPredictions(y_true=y, y_pred=np.where(right, y, 1 - y), fold=np.arange(80) // 20)


def notes_of(**params):
    method = HierarchicalBootstrap(n_bootstraps=200, random_state=0, **params)
    return " ".join(method.estimate(few_of_a_class(), "accuracy").details["notes"])


@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
def test_what_is_noted_of_strata_and_of_even_folds():
    within, even = "Draws within classes keep", "All folds have about the same shares"
    assert within in notes_of(stratify=True)
    assert within not in notes_of(stratify=True, second_stage=False)
    assert within not in notes_of()
    assert even in notes_of() and even not in notes_of(form="percentile")


def singles(positives, metric="roc_auc", groups=None, **fields):
    """What is said of folds of ten samples with so many positives, and the warnings."""
    y = np.concatenate([np.arange(10) < n for n in positives]).astype(int)
    pred = np.resize(SCORES, len(y))
    given = {"y_pred": pred > 0 if metric == "accuracy" else pred, "fold": np.arange(len(y)) // 10}
    oof = made(y_true=y, groups=groups, **{**given, **fields})
    method = HierarchicalBootstrap(form="percentile", n_bootstraps=100, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        notes = method.estimate(oof, metric).details["notes"]
    notes = [note for note in notes if "single" in note]
    noted = [str(each.message) for each in caught if "single" in str(each.message)]
    assert noted in ([], [f"HierarchicalBootstrap: {note}" for note in notes])
    return notes, len(noted)


def test_a_single_sample_of_a_class_in_half_of_the_folds_warns():
    (note,), n_warnings = singles([1, 3, 9, 1])
    assert n_warnings == 1
    assert note == (
        "Class 1 has a single sample in 2 of 4 folds (0, 3). 1 other class in some fold, too. The "
        "score of such a fold rests on that one sample: the interval can be very wide and still "
        "miss the true score too often. Use fewer folds, or PooledBootstrap, which pools them."
    )
    (note,), n_warnings = singles([9, 2, 3, 2])
    assert n_warnings == 0 and note.startswith(
        "Class 0 has a single sample in 1 of 4 folds (0). The score"
    )
    assert singles([2, 8, 3, 2]) == ([], 0)
    (note,), _ = singles([1] * 7)
    assert "in 7 of 7 folds (0, 1, 2, 3, 4, ...)" in note


def test_what_counts_is_a_class_that_the_metric_treats_apart():
    assert singles([1, 1, 1, 1], "accuracy") == ([], 0)
    (note,), _ = singles([1, 1, 1, 1], "average_precision")
    assert "Class 1" in note
    numbers = OOFPredictions(y_true=SCORES, y_pred=SCORES + 1, fold=FOLD, classes=None)
    notes = HierarchicalBootstrap(n_bootstraps=100).estimate(numbers, "r2").details["notes"]
    assert not [note for note in notes if "single" in note]
