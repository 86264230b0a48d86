"""How often the selected configuration is below the median out of bag, beside CSCV."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import make_scorer

from sklearn_bbc import BBC, OOFPredictions, bbc
from sklearn_bbc.resampling import IID, Streams
from sklearn_bbc.selection import GreedyEnsemble, OneStandardError, SelectedBy
from sklearn_bbc.testing import example_predictions
from tests.made import made

N, B = 40, 130
RNG = np.random.default_rng(0)
Y = RNG.normal(size=N)
LABELS = np.arange(N) % 2
MSE = "neg_mean_squared_error"


def share(oof, scoring, **params):
    method = BBC(**{"n_bootstraps": B, "random_state": 0, "below_median": True, **params})
    return method.estimate(oof, scoring).details["below_median"]


def by_a_loop(scores, seed, n_draws=B, most=N):
    """Mean over the draws, from the scores per sample (n_samples, n_configs).

    Draws in which the first sample is more than `most` times do not count.
    """
    n, n_configs = scores.shape
    found = []
    for counts in IID(n).draw_blocks(Streams(seed), range(-(-n_draws // 64)), n_draws):
        if counts[0] > most:
            continue
        in_bag = [sum(counts[i] * scores[i, k] for i in range(n)) for k in range(n_configs)]
        left_out = [i for i in range(n) if counts[i] == 0]
        of_others = [sum(scores[i, k] for i in left_out) for k in range(n_configs)]
        winner = next(k for k in range(n_configs) if in_bag[k] > max(in_bag) - 1e-9)
        # Places, from the worst, that the winner has when equal scores are put in some order.
        worse = sum(each < of_others[winner] - 1e-9 for each in of_others)
        equal = sum(abs(each - of_others[winner]) <= 1e-9 for each in of_others)
        places = range(worse + 1, worse + equal + 1)
        middle = (n_configs + 1) / 2
        found.append(np.mean([(place < middle) + 0.5 * (place == middle) for place in places]))
    return np.mean(found)


@pytest.mark.parametrize("n_configs", [2, 5, 8])
@pytest.mark.parametrize("scoring", [MSE, "accuracy"])
def test_it_is_a_plain_loop_over_the_draws(scoring, n_configs):
    if scoring == MSE:
        y, pred = Y, RNG.normal(scale=0.5, size=(N, n_configs)) + Y[:, None]
        scores = -((pred - Y[:, None]) ** 2)
    else:  # few samples are left out, so that there are ties
        y, pred = LABELS, RNG.integers(2, size=(N, n_configs))
        scores = (pred == LABELS[:, None]).astype(float)
    method = BBC(n_bootstraps=B, random_state=0, below_median=True)
    result = method.estimate(OOFPredictions(y_true=y, y_pred=pred), scoring)
    expected = by_a_loop(scores, result.details["seed"])
    assert result.details["below_median"] == pytest.approx(expected, abs=1e-12)
    assert 0.05 < expected < 0.95


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss", "f1", "accuracy"])
def test_nothing_else_changes(scoring):
    oof = example_predictions()
    results = [
        BBC(n_bootstraps=B, random_state=0, below_median=asked).estimate(oof, scoring)
        for asked in (True, False)
    ]
    assert tuple(results[0]) == tuple(results[1])
    assert results[0].estimate == results[1].estimate
    np.testing.assert_array_equal(results[0].draws, results[1].draws)
    more = dict(results[0].details)
    assert 0 <= more.pop("below_median") < 1 and more == results[1].details


def test_on_arrays_it_is_the_same():
    oof = example_predictions()
    alone = bbc(oof.y_true, oof.matrix("predict_proba"), "roc_auc", below_median=True,
                n_bootstraps=B, random_state=0)  # fmt: skip
    assert alone.details["below_median"] == share(oof, "roc_auc")


def test_what_is_selected_by_another_metric_or_rule_has_a_place_by_the_reported_one():
    """The worst by one metric is the best by the other one."""
    pred = Y[:, None] + np.arange(5.0) + 1
    oof = made(y_true=Y, y_pred=pred, fold=np.arange(N) % 5, params=[{"a": k} for k in range(5)])
    bias = make_scorer(lambda y, p: float(np.mean(p - y)))
    assert share(oof, MSE) == 0
    assert share(oof, MSE, selection=SelectedBy(bias)) == 1
    assert share(oof, MSE, selection=OneStandardError(lambda params: -params["a"])) == 0


def test_failed_configurations_and_others_without_a_score_do_not_count():
    pred = RNG.normal(size=(N, 4)) + Y[:, None]
    with_failed = made(
        y_true=Y, y_pred=np.c_[pred, np.zeros((N, 3))], failed=[False] * 4 + [True] * 3
    )
    assert share(with_failed, MSE) == share(made(y_true=Y, y_pred=pred), MSE)


def test_draws_without_a_winner_do_not_count():
    """In those that have the first sample more than three times nothing has a score."""
    y, pred = np.r_[9.0, Y[1:]], RNG.normal(scale=0.5, size=(N, 5)) + Y[:, None]

    def undefined_for_four(y_true, y_pred):
        return np.nan if np.count_nonzero(y_true == 9) > 3 else -np.mean((y_true - y_pred) ** 2)

    result = BBC(n_bootstraps=B, random_state=2, below_median=True).estimate(
        OOFPredictions(y_true=y, y_pred=pred), make_scorer(undefined_for_four)
    )
    assert result.details["n_undefined"] > 0
    expected = by_a_loop(-((pred - y[:, None]) ** 2), result.details["seed"], most=3)
    assert result.details["below_median"] == pytest.approx(expected, abs=1e-12)


def test_where_there_is_nothing_to_choose_from_there_is_no_share():
    pred = RNG.normal(size=(N, 1)) + Y[:, None]
    for columns in ([0], [0, 0, 0]):
        result = bbc(Y, pred[:, columns], MSE, below_median=True, n_bootstraps=B)
        assert np.isnan(result.details["below_median"]) and "median" not in result.summary()


def test_bad_input():
    oof = example_predictions()
    with pytest.raises(ValueError, match=r"GreedyEnsemble.* reports the score of something else"):
        BBC(below_median=True, selection=GreedyEnsemble()).estimate(oof, "roc_auc")


@pytest.mark.parametrize(
    ("below_median", "n_valid", "parts"),
    [
        (0.5, 100, ("In 50% of the draws the selected configuration was below the median of all "
                    "100 on the samples left out:", "is no better than one at random (50%).")),
        (0.34, 100, ("In 34% of", "the choice is hardly better than one at random (50%).")),
        (0.33, 100, ("In 33% of", "left out (50% if it were taken at random).")),
        (0.004, 2, ("In less than 1% of the draws the selected configuration was the worse of the "
                    "two on the samples left out (50%", "")),
    ],
)  # fmt: skip
def test_the_summary_says_it(below_median, n_valid, parts):
    result = BBC(n_bootstraps=B, random_state=0).estimate(example_predictions(), "roc_auc")
    assert "median" not in result.summary()
    more = {**result.details, "below_median": below_median, "n_valid": n_valid}
    summary = replace(result, details=more).summary()
    assert parts[0] in summary and summary.endswith(parts[1])


# --- beside combinatorially symmetric cross-validation ---


def cscv(returns, n_blocks=8):
    """Probability of backtest overfitting of Bailey et al. (2017), by mean returns.

    All choices of half of the blocks select, the other half tests; a relative rank of at most
    one half, rank / (n_configs + 1), counts.
    """
    blocks = returns.reshape(n_blocks, -1, returns.shape[1]).mean(axis=1)
    below = []
    for chosen in combinations(range(n_blocks), n_blocks // 2):
        others = [k for k in range(n_blocks) if k not in chosen]
        in_sample, out_of_sample = blocks[list(chosen)].mean(axis=0), blocks[others].mean(axis=0)
        rank = 1 + np.count_nonzero(out_of_sample < out_of_sample[in_sample.argmax()])
        below.append(rank / (returns.shape[1] + 1) <= 0.5)
    return np.mean(below)


def backtests(seed, skill, n_days=1000, n_strategies=100):
    """Normal returns, moved so that the mean over all days is exactly zero; `skill` for the last.

    The simulation of Bailey et al. with 100 strategies. Yearly Sharpe ratios, 252 days.
    """
    returns = np.random.default_rng(seed).normal(size=(n_days, n_strategies))
    returns = (returns - returns.mean(axis=0)) / returns.std(axis=0)
    returns[:, -1] += skill / np.sqrt(252)
    return returns


def share_of_returns(returns):
    return share(OOFPredictions.from_scores(returns), None, n_bootstraps=100)


@pytest.mark.filterwarnings("ignore:n_bootstraps=100")
def test_strategies_without_skill_have_the_published_value_of_one():
    """The vignette of R's package pbo: 100 strategies, 2,400 days, 8 blocks: p_bo is 1.000.

    With a mean of exactly zero, what is good on some days is bad on the others.
    """
    assert cscv(backtests(0, skill=0, n_days=2400)) == 1
    assert share_of_returns(backtests(0, skill=0, n_days=2400)) > 0.98


@pytest.mark.filterwarnings("ignore:n_bootstraps=100")
def test_without_skill_both_are_one_half_on_average():
    found = []
    for seed in range(50):
        returns = np.random.default_rng(seed).normal(size=(200, 20))
        found.append([share_of_returns(returns), cscv(returns)])
    assert np.mean(found, axis=0) == pytest.approx([0.5, 0.5], abs=0.06)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:n_bootstraps=100")
def test_it_falls_with_skill_as_that_of_half_samples_does():
    """The table of the user guide, docs/user_guide/ordered.md."""
    found = [
        [(cscv(each), share_of_returns(each)) for each in (backtests(k, skill) for k in range(10))]
        for skill in (0, 1, 2, 3)
    ]
    published = [[1.00, 0.99], [0.72, 0.73], [0.11, 0.10], [0.00, 0.00]]
    assert np.mean(found, axis=1).tolist() == pytest.approx(np.array(published), abs=0.0051)
