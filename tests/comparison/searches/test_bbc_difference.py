"""BBC difference: the difference of two BBC runs on the same draws, nothing else."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import BBCDifference, Side
from sklearn_bbc.intervals import BBC
from sklearn_bbc.predictions._subset import part_of
from sklearn_bbc.selection import OneStandardError, WithThreshold
from sklearn_bbc.testing import example_predictions

METHOD = BBCDifference(n_bootstraps=300, random_state=7)
RUN = BBC(n_bootstraps=300, random_state=7)


def some(oof, configs):
    return part_of(oof, np.ones(oof.n_samples, dtype=bool), np.asarray(configs))


def with_fields(oof, **fields):
    return OOFPredictions(y_true=oof.y_true, responses=oof.responses, fold=oof.fold, **fields)


@pytest.mark.parametrize("scoring", ["roc_auc", "accuracy", "neg_log_loss", "f1"])
def test_draws_are_differences_of_the_draws_of_bbc(scoring):
    oof = example_predictions(n_configs=7)
    one, other = some(oof, [0, 2, 4, 6]), some(oof, [1, 3, 5])
    result = METHOD.compare(one, other, scoring)
    runs = [RUN.estimate(each, scoring) for each in (one, other)]
    np.testing.assert_array_equal(result.draws, runs[0].draws - runs[1].draws)
    assert result.difference == pytest.approx(runs[0].estimate - runs[1].estimate, abs=1e-12)
    assert result.details["scores"] == pytest.approx([run.estimate for run in runs])
    assert result.details["winners"] == [run.details["winner"] for run in runs]
    assert result.details["n_redrawn"] == runs[0].details["n_redrawn"]
    ranked = np.sort(result.draws)
    assert tuple(result) == (ranked[7], ranked[300 - 8])  # floor(0.025 * 300) from each end


def test_a_fixed_configuration_is_not_selected():
    oof = example_predictions()
    result = METHOD.compare(oof, Side(oof=oof, config=1), "roc_auc")
    alone = RUN.estimate(some(oof, [1]), "roc_auc")
    np.testing.assert_array_equal(result.draws, RUN.estimate(oof, "roc_auc").draws - alone.draws)
    assert result.details["winners"] == [3, 1] and result.details["n_configs"] == [4, 1]
    assert result.names == ("the winner of 4 configurations", "configuration 1")
    assert 0 < result.details["share_equal"] < 1, "draws in which the baseline itself wins"
    assert result.details["winner_shares"][1] == 1


def test_rules_of_selection_are_repeated():
    oof = with_fields(example_predictions(n_configs=3), params=[{"k": k} for k in range(3)])
    rule = OneStandardError("k")
    result = METHOD.compare(
        Side(oof=oof, selection=rule, name="simple"), Side(oof=oof, config=0), "roc_auc"
    )
    repeated = BBC(n_bootstraps=300, random_state=7, selection=rule).estimate(oof, "roc_auc")
    alone = RUN.estimate(some(oof, [0]), "roc_auc")
    np.testing.assert_array_equal(result.draws, repeated.draws - alone.draws)
    assert result.details["winners"][0] == repeated.details["winner"]


def test_two_rules_on_the_same_predictions():
    oof = example_predictions()
    oof = OOFPredictions(
        y_true=oof.y_true,
        responses=oof.responses,
        fold=oof.fold,
        params=[{"k": k} for k in range(4)],
    )
    result = METHOD.compare(oof, Side(oof=oof, selection=OneStandardError("k")), "roc_auc")
    assert result.difference >= 0


def test_a_threshold_reports_another_metric():
    oof = example_predictions()
    tuned = Side(oof=oof, selection=WithThreshold("f1"))
    with pytest.raises(ValueError, match=r"reports f1, that of the other roc_auc"):
        METHOD.compare(tuned, Side(oof=oof, config=0), "roc_auc")


def test_groups_are_drawn():
    oof = example_predictions()
    grouped = with_fields(oof, groups=oof.fold * 3 + oof.sample % 3)
    result = METHOD.compare(grouped, Side(oof=grouped, config=0), "roc_auc")
    run = RUN.estimate(grouped, "roc_auc")
    np.testing.assert_array_equal(
        result.draws, run.draws - RUN.estimate(some(grouped, [0]), "roc_auc").draws
    )
    assert result.details["unit"] == "group" and "draws of groups" in str(result)


def test_the_winner_is_no_baseline_of_itself():
    oof = example_predictions()
    with pytest.raises(ValueError, match="the baseline is the winner itself"):
        METHOD.compare(oof, Side(oof=oof, config=3), "roc_auc")


def test_on_a_test_set_a_narrower_test_is_named():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    scores = rng.normal(size=(40, 2)) + y[:, None]

    def notes(**fields):
        oof = OOFPredictions(y_true=y, y_pred=scores, **fields)
        result = METHOD.compare(Side(oof=oof, config=0), Side(oof=oof, config=1), "roc_auc")
        return " ".join(result.details["notes"])

    assert "PairedBootstrap is narrower" in notes()
    assert "narrower" not in notes(fold=np.arange(40) // 8)


def test_a_class_with_one_sample_is_refused():
    y = np.arange(20) == 0
    oof = OOFPredictions(y_true=y, y_pred=np.random.default_rng(0).normal(size=(20, 3)))
    with pytest.raises(ValueError, match="BBCDifference cannot bootstrap roc_auc"):
        METHOD.compare(oof, Side(oof=oof, config=0), "roc_auc")


def test_winners_of_coin_flips_are_not_better_than_a_coin():
    """60 data sets: 20 tuned coin flips against one; choosing on the data would reject most."""
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    method = BBCDifference(n_bootstraps=200, random_state=0, alternative="greater")
    wrong, naive = 0, []
    for _ in range(60):
        flips = rng.integers(2, size=(80, 21))
        oof = OOFPredictions(y_true=y, y_pred=flips, fold=np.arange(80) % 8)
        result = method.compare(some(oof, range(20)), some(oof, [20]), "accuracy")
        wrong += result.p_value <= 0.05
        scores = (flips == y[:, None]).mean(axis=0)
        naive.append(scores[:20].max() - scores[20])
    assert wrong <= 60 * 0.05 + 3 * np.sqrt(60 * 0.05 * 0.95)
    assert np.mean(naive) > 0.08


def test_a_better_search_is_found():
    rng = np.random.default_rng(1)
    y = np.arange(200) % 2
    good = rng.normal(size=(200, 5)) + 1.5 * y[:, None]
    bad = rng.normal(size=(200, 5)) + 0.2 * y[:, None]
    fold = np.arange(200) % 5
    one, other = (OOFPredictions(y_true=y, y_pred=p, fold=fold) for p in (good, bad))
    result = METHOD.compare(one, other, "roc_auc")
    assert result.p_value < 0.01 and result.low > 0.1
    assert "is better than" in str(result)
