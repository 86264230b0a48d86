"""Wald: forms against statsmodels, recall, other means, AUC, refusals."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import DeLong, Wald
from tests.made import made

Y = np.tile([0, 1], 50)


def with_wrong(n_wrong, **fields):
    y_pred = np.where(np.arange(100) < n_wrong, 1 - Y, Y)
    return made(y_true=Y, y_pred=y_pred, fold=np.arange(100) // 20, **fields)


STATSMODELS = {
    "normal": "normal",
    "wilson": "wilson",
    "clopper-pearson": "beta",
    "agresti-coull": "agresti_coull",
    "jeffreys": "jeffreys",
}


@pytest.mark.parametrize("n_wrong", [1, 7, 20, 50, 99])
@pytest.mark.parametrize("form", STATSMODELS)
def test_forms_are_those_of_statsmodels(form, n_wrong):
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    expected = proportion.proportion_confint(100 - n_wrong, 100, 0.1, STATSMODELS[form])
    result = Wald(form=form, confidence_level=0.9).estimate(with_wrong(n_wrong), "accuracy")
    # statsmodels cuts the normal form at 0 and 1.
    assert np.clip(tuple(result), 0, 1) == pytest.approx(np.clip(expected, 0, 1), abs=1e-12)
    assert result.estimate == pytest.approx(1 - n_wrong / 100)


@pytest.mark.parametrize("form", ["wilson", "clopper-pearson", "agresti-coull", "jeffreys"])
def test_a_perfect_score_keeps_a_width(form):
    result = Wald(form=form).estimate(with_wrong(0), "accuracy")
    assert result.high == pytest.approx(1.0)
    assert 0.94 < result.low < 0.98


def test_the_normal_form_of_a_perfect_score_says_that_it_is_wrong():
    with pytest.warns(IntervalWarning, match="use form='wilson'"):
        result = Wald().estimate(with_wrong(0), "accuracy")
    assert tuple(result) == (1.0, 1.0) and result.details["degenerate"]


def test_recall_counts_the_samples_of_its_class_only():
    result = Wald().estimate(with_wrong(20), "recall")
    assert result.details["n"] == 50
    assert result.estimate == pytest.approx(0.8)
    assert result.width / 2 == pytest.approx(1.959964 * np.sqrt(0.8 * 0.2 / 50), abs=1e-7)


def test_other_means_use_the_standard_deviation_of_the_losses():
    rng = np.random.default_rng(0)
    y, y_pred = rng.normal(size=(2, 80))
    result = Wald().estimate(OOFPredictions(y_true=y, y_pred=y_pred), "neg_mean_squared_error")
    losses = (y - y_pred) ** 2
    assert result.estimate == pytest.approx(-losses.mean())
    expected = losses.std(ddof=1) / np.sqrt(80)
    assert result.details["standard_error"] == pytest.approx(expected)


def test_roc_auc_uses_delong():
    rng = np.random.default_rng(1)
    oof = OOFPredictions(y_true=Y, y_pred=rng.normal(size=100) + Y, fold=np.arange(100) // 20)
    assert tuple(Wald().estimate(oof, "roc_auc")) == pytest.approx(
        tuple(DeLong().estimate(oof, "roc_auc"))
    )


def test_repeats_do_not_add_samples():
    y_pred = np.where(np.arange(100) < 20, 1 - Y, Y)
    fold = np.arange(100) // 20
    repeated = OOFPredictions(
        y_true=Y, y_pred=np.stack([y_pred, y_pred])[:, :, None], fold=np.stack([fold, fold])
    )
    assert tuple(Wald().estimate(repeated, "accuracy")) == pytest.approx(
        tuple(Wald().estimate(with_wrong(20), "accuracy"))
    )


def test_forms_of_proportions_refuse_other_means():
    rng = np.random.default_rng(0)
    y, y_pred = rng.normal(size=(2, 80))
    with pytest.raises(ValueError, match="is for proportions"):
        Wald(form="wilson").estimate(
            OOFPredictions(y_true=y, y_pred=y_pred), "neg_mean_squared_error"
        )


def test_the_error_of_a_mean_is_that_of_the_means_of_the_samples():
    """Some samples are tested in both repeats, others in one."""
    rng = np.random.default_rng(0)
    y, pred = rng.normal(size=12), rng.normal(size=(2, 12, 1))
    fold = np.zeros((2, 12), dtype=int)
    fold[0, :3], fold[1, 7:] = -1, -1
    oof = OOFPredictions(y_true=y, y_pred=pred, fold=fold)
    loss = np.where(fold < 0, np.nan, np.abs(pred[:, :, 0] - y))
    result = Wald().estimate(oof, "neg_mean_absolute_error")
    error = np.nanmean(loss, axis=0).std(ddof=1) / np.sqrt(12)
    assert result.estimate == pytest.approx(-np.nanmean(loss))
    assert result.details["standard_error"] == pytest.approx(error)
    assert result.details["n"] == 12
