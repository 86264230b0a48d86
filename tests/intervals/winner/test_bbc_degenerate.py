"""BBC on data that hold next to nothing, and what it says of them."""

import numpy as np
import pytest
from sklearn.metrics import make_scorer

from benchmarks.published.replication import Drop
from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric
from tests.intervals.winner.small_predictions import SCORES6, Y6, noisy

# --- degenerate data ---------------------------------------------------------------------


def test_a_class_with_one_sample():
    y = np.array([1] + [0] * 9)
    oof = OOFPredictions(y_true=y, y_pred=np.arange(10.0), fold=np.arange(10) % 5)
    with pytest.raises(ValueError, match=r"class 1 has 1 sample.*At least 2 samples"):
        BBC().estimate(oof, "roc_auc")
    assert 0 <= BBC(n_bootstraps=50).estimate(oof, make_scorer(mean_prediction)).estimate <= 9


def mean_prediction(y_true, y_pred):
    return float(np.mean(y_pred))


def test_two_samples():
    oof = OOFPredictions(y_true=[0, 1], y_pred=[[0, 0], [1, 0]])
    result = BBC(n_bootstraps=50, random_state=0).estimate(oof, "accuracy")
    assert set(result.draws) <= {0.0, 1.0}
    with pytest.raises(UndefinedIntervalError, match="class 0 has 1 sample"):
        BBC().estimate(oof, "roc_auc")


def test_one_sample():
    oof = OOFPredictions(y_true=[1], y_pred=[[1, 0]], classes=[0, 1])
    with pytest.raises(UndefinedIntervalError, match="the data has 1 sample"):
        BBC().estimate(oof, "accuracy")


def test_one_fold_or_none_is_enough():
    oof = OOFPredictions(y_true=Y6, y_pred=SCORES6)
    assert oof.n_splits == 1
    assert BBC(n_bootstraps=50, random_state=0).estimate(oof, "roc_auc").details["winner"] == 0


def test_leave_one_out_has_a_winner_although_no_fold_has_an_auc():
    oof = OOFPredictions(y_true=Y6, y_pred=SCORES6[:, ::-1], fold=np.arange(6))
    with np.errstate(all="raise"):
        result = BBC(n_bootstraps=50, random_state=0).estimate(oof, "roc_auc")
    assert result.details["winner"] == 1


def test_constant_predictions_are_scored():
    oof = OOFPredictions(y_true=np.arange(40) % 2, y_pred=np.ones((40, 2)))
    result = BBC(n_bootstraps=50, random_state=0).estimate(oof, "roc_auc")
    assert tuple(result) == (0.5, 0.5) and result.estimate == 0.5


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_undefined_predictions_never_win(value):
    oof = noisy(0, n_configs=2)
    scores = np.array(oof.matrix("roc_auc"))
    scores[:, 0] = oof.y_true  # perfect, but for one sample
    scores[7, 0] = value
    result = BBC(n_bootstraps=64, random_state=0).estimate(
        OOFPredictions(y_true=oof.y_true, y_pred=scores, fold=oof.fold), "roc_auc"
    )
    assert result.details["winner"] == 1
    assert result.details["winner_share"] == 1.0
    assert (result.details["n_configs"], result.details["n_valid"]) == (2, 1)


def test_all_configurations_undefined():
    oof = OOFPredictions(y_true=Y6, y_pred=np.full((6, 2), np.nan))
    with pytest.raises(ValueError, match="No configuration has a complete, finite prediction"):
        BBC().estimate(oof, "roc_auc")
    oof = OOFPredictions(y_true=Y6, y_pred=SCORES6, failed=[True, True])
    with pytest.raises(ValueError, match="No configuration"):
        BBC().estimate(oof, "roc_auc")


def test_splits_that_are_no_partition():
    """Shuffle splits: rows of a sample are pooled, untested samples are not resampled."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    sample = np.concatenate([rng.permutation(30)[:12] for _ in range(4)])
    oof = OOFPredictions(
        y_true=y,
        responses={"predict_proba": rng.random((3, 48)) + 0.2 * y[sample]},
        sample=sample,
        fold=np.repeat(np.arange(4), 12),
    )
    result = BBC(n_bootstraps=64, random_state=0).estimate(oof, "roc_auc")
    assert result.details["unit"] == "sample"
    assert result.details["n_untested"] == 40 - len(np.unique(sample))
    assert "The splits overlap: samples were held out 0 to 4 times" in result.details["notes"][0]
    counts = BBC(n_bootstraps=64)._draws(oof, as_metric("roc_auc").bind(oof)).map(np.copy)
    assert (counts[:, 30:] == 0).all()
    assert (counts.sum(axis=1) == len(np.unique(sample))).all()


def test_a_metric_that_is_undefined_on_many_draws():
    calls = []

    def sometimes(y_true, y_pred):
        calls.append(1)
        return 0.5 if y_true[0] == 0 and len(y_true) > 1 else np.nan

    oof = noisy(0, n_configs=1)
    with pytest.raises(UndefinedIntervalError, match=r"undefined in \d+ of 100 draws"):
        BBC(n_bootstraps=100, random_state=0).estimate(oof, make_scorer(sometimes))
    assert calls


def test_labels_derived_from_scores_are_said_to_be():
    oof = noisy(0)
    proba = 1 / (1 + np.exp(-oof.matrix("roc_auc").T))
    recorded = OOFPredictions(y_true=oof.y_true, responses={"predict_proba": proba})
    result = BBC(n_bootstraps=32, random_state=0).estimate(recorded, "accuracy")
    assert "derived" in result.details["notes"][-1]


def test_details_tell_how_it_was_done():
    result = BBC(n_bootstraps=32, random_state=9).estimate(noisy(0, selected=3), "roc_auc")
    details = result.details
    assert details["winner"] == 3
    assert details["seed"] == 9
    assert details["kernel"] == "roc_auc"
    assert details["response"] == "plain"
    assert 0 <= details["winner_share"] <= 1
    assert result.n_bootstraps == 32 and len(result.draws) == 32


def test_the_recorded_seed_repeats_a_run_without_one():
    first = BBC(n_bootstraps=32).estimate(noisy(0), "roc_auc")
    again = BBC(n_bootstraps=32, random_state=first.details["seed"]).estimate(noisy(0), "roc_auc")
    np.testing.assert_array_equal(first.draws, again.draws)


def test_dropped_draws_are_noted_and_a_wrong_rule_is_refused_first():
    oof = noisy(0, n_samples=12)
    method = BBC(n_bootstraps=400, random_state=0, degenerate=Drop(max_share=1, min_out_of_bag=3))
    details = method.estimate(oof, "roc_auc").details
    assert details["n_dropped"] > 0
    assert f"{details['n_dropped']} degenerate draws were dropped." in details["notes"]
    plain = BBC(n_bootstraps=400, random_state=0).estimate(noisy(0), "roc_auc").details
    assert plain["n_dropped"] == 0 and not any("dropped" in note for note in plain["notes"])
    with pytest.raises(ValueError, match="selection must be"):
        BBC(selection="best").estimate(None, "roc_auc")
