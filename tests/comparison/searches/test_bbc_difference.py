"""BBC difference: the difference of two BBC runs on the same draws, nothing else."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions, compare
from sklearn_bbc.comparison import BBCDifference, Side
from sklearn_bbc.intervals import BBC
from sklearn_bbc.predictions._predictions import part_of
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


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss", "accuracy"])
def test_what_predicts_the_same_as_the_winner_is_the_winner(scoring):
    """Configurations 1 and 4 predict the same as the winner, 3; 3 is the first of none of them."""
    oof = example_predictions()
    pred = oof.responses["predict_proba"]
    responses = {name: array[[0, 3, 2, 3, 3]] for name, array in oof.responses.items()}
    oof = OOFPredictions(y_true=oof.y_true, responses=responses, fold=oof.fold, selected=3)
    assert (oof.responses["predict_proba"][4] == pred[3]).all()
    for baseline in (1, 4):
        with pytest.raises(ValueError, match=f"Configuration {baseline} predicts the same as the"):
            METHOD.compare(oof, Side(oof=oof, config=baseline), scoring)
    trained = OOFPredictions(  # the same predictions again, from elsewhere
        y_true=oof.y_true, responses={k: v[[4]] for k, v in responses.items()}, fold=oof.fold
    )
    with pytest.raises(ValueError, match="The default predicts the same as the winner of 5"):
        METHOD.compare(Side(oof=trained, name="the default"), oof, scoring)
    result = METHOD.compare(oof, Side(oof=oof, config=2), scoring)
    repeated = RUN.estimate(oof, scoring)
    assert result.details["winners"] == [3, 2] == [repeated.details["winner"], 2]
    assert result.details["winner_shares"][0] == repeated.details["winner_share"] > 0.3
    assert repeated.details["won"][3] == repeated.details["winner_share"]
    # A draw that a twin of the fixed side wins shows no difference, not even by rounding.
    alone = METHOD.compare(some(oof, [0, 1, 2]), some(oof, [2]), scoring)
    won = RUN.estimate(some(oof, [0, 1, 2]), scoring).details["won"][2]
    assert alone.details["share_equal"] >= won > 0.1


def test_sides_that_score_the_same_up_to_rounding_do_not_differ():
    """The same samples as two kernels add them up: one of 1 configuration, one of 300."""
    rng = np.random.default_rng(0)
    y = np.arange(97) % 2
    pred = rng.uniform(0.05, 0.95, size=(97, 300))
    many = OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(97) % 5)
    first = pred[:, 0].copy()
    first[0] = np.nextafter(first[0], 1)
    one = OOFPredictions(y_true=y, y_pred=first[:, None], fold=np.arange(97) % 5)
    result = METHOD.compare(Side(oof=many, config=0), one, "neg_log_loss")
    assert (result.draws == 0).all() and result.p_value == 1


def test_eight_to_nothing_is_found():
    """McNemar's mid-p is 0.004; one sample in 40 draws has none of the eight left out."""
    y = np.arange(200) % 2
    wrong = np.where(np.arange(200) < 60, 1 - y, y)
    first, second = wrong.copy(), wrong.copy()
    second[60:68] = 1 - second[60:68]
    on_test_set = compare(first, second, "accuracy", y_true=y)
    assert on_test_set.method == "mcnemar" and on_test_set.p_value < 0.005
    found = []
    for seed in range(5):
        result = compare(
            first, second, "accuracy", y_true=y, fold=np.arange(200) // 2 % 5, random_state=seed
        )
        found.append(result.p_value)
        assert result.method == "bbc_difference" and 0 not in result
    assert np.mean(found) == pytest.approx(0.632**8, rel=0.2)
    drawn = compare(first, second, "accuracy", y_true=y, method="paired_bootstrap", random_state=0)
    assert drawn.p_value < 0.005 and 0 not in drawn


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


def test_a_rule_may_tell_apart_what_predicts_the_same():
    oof = example_predictions()
    responses = {name: array[[3, 1, 3]] for name, array in oof.responses.items()}
    params = [{"k": k} for k in range(3)]
    twins = OOFPredictions(
        y_true=oof.y_true, responses=responses, fold=oof.fold, params=params, selected=2
    )
    rule = OneStandardError("k")
    details = (
        BBC(n_bootstraps=300, random_state=7, selection=rule).estimate(twins, "roc_auc").details
    )
    assert details["winner"] == 0 and details["won"][0] == details["winner_share"]
    assert RUN.estimate(twins, "roc_auc").details["won"].keys() == {1, 2}
