"""What BBC says about itself: pooled rank metrics, and a mean outside the interval."""

import re

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC, BBCF, RescaledBBC
from sklearn_bbc.intervals._notes import pooling_note
from sklearn_bbc.metrics import as_metric, within_folds

N = 60
Y = np.arange(N) % 2
FOLD = np.arange(N) // 2 % 5


def scores(seed=0, shift=1.0):
    """Every fold has a scale of its own."""
    values = np.random.default_rng(seed).normal(size=(N, 3)) + shift * Y[:, None]
    return values + 2.0 * FOLD[:, None]


def notes_of(scoring, pred, y=Y, fold=FOLD, method=BBC, **fields):
    oof = OOFPredictions(y_true=y, y_pred=pred, fold=fold, **fields)
    return method(n_bootstraps=40, random_state=0).estimate(oof, scoring).details["notes"]


def pooling(notes):
    return [note for note in notes if "different folds are compared" in note]


@pytest.mark.parametrize("method", [BBC, RescaledBBC])
def test_the_gap_between_pooled_and_fold_scores_is_told(method):
    pred = scores()
    by_folds = np.array(
        [[roc_auc_score(Y[FOLD == f], pred[FOLD == f, c]) for c in range(3)] for f in range(5)]
    ).mean(axis=0)
    winner = by_folds.argmax()
    (note,) = pooling(notes_of("roc_auc", pred, method=method))
    figures = [float(x) for x in re.findall(r"\d\.\d{3}", note)]
    pooled = roc_auc_score(Y, pred[:, winner])
    assert figures == [pytest.approx(pooled, abs=5e-4), pytest.approx(by_folds[winner], abs=5e-4)]
    assert pooled < by_folds[winner] - 0.1  # the scales of the folds


@pytest.mark.parametrize("scoring", ["average_precision", "roc_auc", "concordance_index"])
def test_rank_metrics_have_it(scoring):
    y = np.c_[Y, np.arange(N) + 1.0] if scoring == "concordance_index" else Y
    assert len(pooling(notes_of(scoring, scores(), y=y))) == 1


@pytest.mark.parametrize("scoring", ["accuracy", "f1", "neg_brier_score", "neg_log_loss"])
def test_other_metrics_compare_nothing_across_folds(scoring):
    pred = np.full((N, 2), 0.5) if scoring.startswith("neg") else np.tile(Y[:, None], 2)
    assert pooling(notes_of(scoring, pred)) == []


def test_neither_does_a_single_fold():
    assert pooling(notes_of("roc_auc", scores(), fold=None)) == []
    repeated = {"pred": np.stack([scores(), scores(1)]), "fold": np.zeros((2, N), dtype=int)}
    assert pooling(notes_of("roc_auc", **repeated)) == []


def test_neither_do_pairs_within_folds():
    assert pooling(notes_of(within_folds("roc_auc"), scores())) == []


def test_leaving_one_out_has_no_scores_of_folds():
    assert pooling(notes_of("roc_auc", scores(), fold=np.arange(N))) == []


def test_a_difference_within_a_standard_error_is_not_told():
    """The difference of pooled score and mean of folds, beside the spread of the folds."""
    told = set()
    for scale in (0.0, 0.1, 0.3, 0.6, 1.0):
        pred = scores() - (2.0 - scale) * FOLD[:, None]
        oof = OOFPredictions(y_true=Y, y_pred=pred, fold=FOLD)
        kernel = as_metric("roc_auc").bind(oof)
        for config in range(3):
            of_folds = [roc_auc_score(Y[FOLD == f], pred[FOLD == f, config]) for f in range(5)]
            gap = abs(np.mean(of_folds) - roc_auc_score(Y, pred[:, config]))
            beyond = gap > np.std(of_folds, ddof=1) / np.sqrt(5)
            assert (pooling_note(oof, kernel, config) is not None) == beyond
            told.add(bool(beyond))
    assert told == {True, False}


def of_r2(seed):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=12)
    pred = rng.normal(size=(12, 5)) + 0.5 * y[:, None]
    return OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(12) % 4)


def test_a_mean_outside_its_interval_is_told():
    found = []
    for seed in range(12):
        result = BBC(n_bootstraps=300, random_state=0).estimate(of_r2(seed), "r2")
        inside = result.low <= result.estimate <= result.high
        found.append(inside)
        note = [note for note in result.details["notes"] if "outside the interval" in note]
        assert len(note) == (not inside)
        assert ("median" in result.details) == (not inside)
        if not inside:
            median = np.median(result.draws)
            assert result.details["median"] == median and f"{median:.4g}" in note[0]
            assert result.low <= median <= result.high
    assert 0 < sum(found) < 12


def test_a_one_sided_interval_has_one_end_to_be_outside_of():
    for seed in range(12):
        oof = of_r2(seed)
        low = BBC(n_bootstraps=300, random_state=0, alternative="greater").estimate(oof, "r2")
        assert ("median" in low.details) == (low.estimate < low.low)


def test_folds_tell_it_too():
    """One fold in which everything diverges moves the mean, but few of the draws."""
    table = np.full((10, 2), 0.5)
    table[0] = -1e6
    oof = OOFPredictions(y_true=[], classes=None, fold_scores={"r2": table})
    result = BBCF(confidence_level=0.2).estimate(oof, "r2")
    assert not result.low <= result.estimate <= result.high
    assert "Report their median" in result.details["notes"][-1]
