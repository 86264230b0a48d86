"""BBC difference: the difference of two BBC runs on the same draws, nothing else."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions, compare
from sklearn_bbc.comparison import BBCDifference, Side
from sklearn_bbc.intervals import BBC
from sklearn_bbc.predictions._predictions import taken, with_fields
from sklearn_bbc.selection import OneStandardError, WithThreshold
from sklearn_bbc.testing import example_predictions
from tests.made import made

METHOD = BBCDifference(n_bootstraps=300, random_state=7)
RUN = BBC(n_bootstraps=300, random_state=7)
RULE = OneStandardError("k")
OOF = example_predictions()
RANKED = with_fields(OOF, params=[{"k": k} for k in range(4)])
GROUPED = with_fields(OOF, groups=OOF.fold * 3 + OOF.sample % 3)
SEVEN = example_predictions(n_configs=7)
Y = np.arange(200) % 2


def some(oof, configs):
    return taken(oof, configs=np.asarray(configs), samples=np.ones(oof.n_samples, dtype=bool))


def twins(configs, **fields):
    """Predictions in which some configurations predict the same."""
    responses = {name: array[configs] for name, array in OOF.responses.items()}
    return made(y_true=OOF.y_true, responses=responses, fold=OOF.fold, **fields)


@pytest.mark.parametrize(
    ("first", "second", "rule", "alone"),
    [
        (some(SEVEN, [0, 2, 4, 6]), some(SEVEN, [1, 3, 5]), None, some(SEVEN, [1, 3, 5])),
        (OOF, Side(oof=OOF, config=1), None, some(OOF, [1])),
        (Side(oof=RANKED, selection=RULE), Side(oof=RANKED, config=0), RULE, some(OOF, [0])),
        (GROUPED, Side(oof=GROUPED, config=0), None, some(GROUPED, [0])),
    ],
    ids=["two searches", "a baseline", "a rule", "groups"],
)
@pytest.mark.parametrize("scoring", ["roc_auc", "accuracy", "neg_log_loss", "f1"])
def test_draws_are_differences_of_the_draws_of_bbc(first, second, rule, alone, scoring):
    result = METHOD.compare(first, second, scoring)
    method = BBC(n_bootstraps=300, random_state=7, selection=rule)
    one = method.estimate(first.oof if isinstance(first, Side) else first, scoring)
    other = RUN.estimate(alone, scoring)
    np.testing.assert_allclose(result.draws, one.draws - other.draws, atol=1e-12)
    assert result.difference == pytest.approx(one.estimate - other.estimate, abs=1e-12)
    assert result.details["scores"] == pytest.approx([one.estimate, other.estimate])
    assert result.details["winners"][0] == one.details["winner"]
    assert result.details["winner_shares"][0] == one.details["winner_share"]
    assert result.details["n_redrawn"] == one.details["n_redrawn"]
    ranked = np.sort(result.draws)
    if not result.details["share_equal"]:
        assert tuple(result) == (ranked[7], ranked[300 - 8])  # floor(0.025 * 300) from each end


def test_details_of_a_baseline_and_of_groups():
    result = METHOD.compare(OOF, Side(oof=OOF, config=1), "roc_auc")
    assert result.details["winners"] == [3, 1] and result.details["n_configs"] == [4, 1]
    assert result.names == ("the winner of 4 configurations", "configuration 1")
    assert 0 < result.details["share_equal"] < 1, "draws in which the baseline itself wins"
    assert result.details["winner_shares"][1] == 1
    groups = METHOD.compare(GROUPED, Side(oof=GROUPED, config=0), "roc_auc")
    assert groups.details["unit"] == "group" and "draws of groups" in str(groups)
    assert METHOD.compare(RANKED, Side(oof=RANKED, selection=RULE), "roc_auc").difference >= 0


RARE = OOFPredictions(
    y_true=np.arange(20) == 0, y_pred=np.random.default_rng(0).normal(size=(20, 3))
)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (OOF, Side(oof=OOF, config=3), "the baseline is the winner itself"),
        (Side(oof=OOF, selection=WithThreshold("f1")), Side(oof=OOF, config=0),
         "reports f1, that of the other roc_auc"),
        (RARE, Side(oof=RARE, config=0), "BBCDifference cannot bootstrap roc_auc"),
    ],
)  # fmt: skip
def test_refusals(first, second, message):
    with pytest.raises(ValueError, match=message):
        METHOD.compare(first, second, "roc_auc")


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss", "accuracy"])
def test_what_predicts_the_same_as_the_winner_is_the_winner(scoring):
    """Configurations 1 and 4 predict the same as the winner, 3."""
    oof = twins([0, 3, 2, 3, 3], selected=3)
    for baseline in (1, 4):
        with pytest.raises(ValueError, match=f"Configuration {baseline} predicts the same as the"):
            METHOD.compare(oof, Side(oof=oof, config=baseline), scoring)
    with pytest.raises(ValueError, match="The default predicts the same as the winner of 5"):
        METHOD.compare(Side(oof=twins([3]), name="the default"), oof, scoring)
    result = METHOD.compare(oof, Side(oof=oof, config=2), scoring)
    repeated = RUN.estimate(oof, scoring)
    assert result.details["winners"] == [3, 2] == [repeated.details["winner"], 2]
    assert result.details["winner_shares"][0] == repeated.details["winner_share"] > 0.3
    assert repeated.details["won"][3] == repeated.details["winner_share"]
    # A draw that a twin of the fixed side wins shows no difference, not even by rounding.
    alone = METHOD.compare(some(oof, [0, 1, 2]), some(oof, [2]), scoring)
    won = RUN.estimate(some(oof, [0, 1, 2]), scoring).details["won"][2]
    assert alone.details["share_equal"] >= won > 0.1


def test_a_rule_may_tell_apart_what_predicts_the_same():
    oof = twins([3, 1, 3], params=[{"k": k} for k in range(3)], selected=2)
    details = RUN.set_params(selection=RULE).estimate(oof, "roc_auc").details
    RUN.set_params(selection=None)
    assert details["winner"] == 0 and details["won"][0] == details["winner_share"]
    assert RUN.estimate(oof, "roc_auc").details["won"].keys() == {1, 2}


def test_sides_that_score_the_same_up_to_rounding_do_not_differ():
    """The same samples as two kernels add them up: one of 1 configuration, one of 300."""
    y, pred = Y[:97], np.random.default_rng(0).uniform(0.05, 0.95, size=(97, 300))
    many = OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(97) % 5)
    first = pred[:, :1].copy()
    first[0] = np.nextafter(first[0], 1)
    one = OOFPredictions(y_true=y, y_pred=first, fold=np.arange(97) % 5)
    result = METHOD.compare(Side(oof=many, config=0), one, "neg_log_loss")
    assert (result.draws == 0).all() and result.p_value == 1


def test_eight_to_nothing_is_found():
    """McNemar's mid-p is 0.004; one sample in 40 draws has none of the eight left out."""
    first = np.where(np.arange(200) < 60, 1 - Y, Y)
    second = np.where((np.arange(200) >= 60) & (np.arange(200) < 68), 1 - first, first)
    on_test_set = compare(first, second, "accuracy", y_true=Y)
    assert on_test_set.method == "mcnemar" and on_test_set.p_value < 0.005
    found = []
    for seed in range(3):
        fold = np.arange(200) // 2 % 5
        result = compare(first, second, "accuracy", y_true=Y, fold=fold, random_state=seed)
        found.append(result.p_value)
        assert result.method == "bbc_difference" and 0 not in result
    assert np.mean(found) == pytest.approx(0.632**8, rel=0.25)


def test_notes_on_test_sets_and_on_pooled_folds():
    scores = np.random.default_rng(0).normal(size=(40, 2)) + Y[:40, None]

    def notes(**fields):
        oof = made(y_true=Y[:40], y_pred=scores, **fields)
        result = METHOD.compare(Side(oof=oof, config=0), Side(oof=oof, config=1), "roc_auc")
        return " ".join(result.details["notes"])

    assert "PairedBootstrap is narrower" in notes() and "different folds" not in notes()
    of_folds = notes(fold=np.arange(40) // 8)
    assert "narrower" not in of_folds and "Samples of different folds are compared" in of_folds
    by_accuracy = METHOD.compare(OOF, Side(oof=OOF, config=0), "accuracy")
    assert by_accuracy.details["notes"] == []


@pytest.mark.long
def test_winners_of_coin_flips_are_not_better_than_a_coin():
    """60 data sets: 20 tuned coin flips against one; choosing on the data would reject most."""
    rng, y = np.random.default_rng(0), Y[:80]
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
    rng, fold = np.random.default_rng(1), np.arange(200) % 5
    one, other = (
        OOFPredictions(y_true=Y, y_pred=rng.normal(size=(200, 5)) + gain * Y[:, None], fold=fold)
        for gain in (1.5, 0.2)
    )
    result = METHOD.compare(one, other, "roc_auc")
    assert result.p_value < 0.01 and result.low > 0.1 and "is better than" in str(result)


@pytest.mark.parametrize("seed", [1, 2])
def test_an_interval_of_draws_that_hardly_ever_differ_holds_the_difference(seed):
    """The same configurations in another order: only the draws with ties differ."""
    rng = np.random.default_rng(seed)
    y = np.arange(200) % 2
    scores = y[:, None] * np.linspace(0.1, 0.9, 5) + rng.normal(size=(200, 5))
    sides = [
        OOFPredictions(y_true=y, y_pred=each, fold=np.arange(200) // 20)
        for each in (scores, scores[:, ::-1])
    ]
    result = BBCDifference(random_state=0).compare(*sides, "roc_auc")
    assert 0 < abs(result.difference) < 0.001
    assert result.difference in result and 0 in result
    assert not np.signbit(result.low) or result.low < 0
    assert not np.signbit(result.high)
    assert "have no difference at all" in result.details["notes"][-1]
