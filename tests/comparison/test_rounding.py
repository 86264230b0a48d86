"""What is equal up to rounding is not different; what is truly different is, however little."""

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyRegressor
from sklearn.metrics import d2_log_loss_score, make_scorer

from sklearn_bbc import OOFPredictions, best_of, compare, holdout_interval, tied_with_best
from sklearn_bbc.comparison import (
    BayesianCorrelatedT,
    BayesianSignedRank,
    BBCDifference,
    CorrectedResampledT,
    DieboldMariano,
    FiveByTwo,
    Friedman,
    KFoldPairedT,
    PairedBootstrap,
    PairedDeLong,
    PairedT,
    Side,
    Wilcoxon,
)
from sklearn_bbc.intervals import BBC, DeLong
from sklearn_bbc.search import DropClearlyWorse

N = 80
# By name only since scikit-learn 1.8.
D2_LOG_LOSS = make_scorer(d2_log_loss_score, response_method="predict_proba")
RNG = np.random.default_rng(0)
Y = np.arange(N) % 2
FOLD = np.arange(N) // 2 % 5
NOISE = RNG.normal(size=N)


def forest(mean, n_trees=200):
    """Predictions of the same trees, added up in two orders."""
    trees = np.asarray(mean)[:, None] + RNG.normal(size=(N, n_trees))
    return trees.mean(axis=1), np.cumsum(trees[:, ::-1], axis=1)[:, -1] / n_trees


def votes():
    """Shares of votes, with ties that the order of adding up breaks."""
    trees = (RNG.random((N, 30)) < 0.3 + 0.3 * Y[:, None]) * 0.1
    return trees.mean(axis=1), np.cumsum(trees[:, ::-1], axis=1)[:, -1] / 30


P = RNG.uniform(0.05, 0.95, size=N)
SINGLE = P.astype(np.float32).astype(float)
FAR = 1e9 + RNG.normal(size=N)
REGRESSION = {
    "one minus": (Y + 0.0, np.where(Y, 0.7, 0.3), np.where(Y, 1 - 0.3, 1 - 0.7)),
    "forest": (50 + NOISE, *forest(50 + NOISE)),
    "far from zero": (FAR, *forest(FAR)),
    "zero": (1 + NOISE**2, np.zeros(N), np.full(N, 0.1 + 0.2 - 0.3)),
    "perfect": (NOISE, NOISE, NOISE * (1 + 2e-16) + 1e-17),
}
SHARES = {"one minus": (Y, P, 1 - (1 - P)), "votes": (Y, *votes()), "single": (Y, P, SINGLE)}
OF_ROWS = {
    "paired t": PairedT(),
    "Diebold-Mariano": DieboldMariano(),
    "horizon": DieboldMariano(horizon=3),
}
OF_ANY = {
    "corrected t": CorrectedResampledT(),
    "k-fold t": KFoldPairedT(),
    "bootstrap": PairedBootstrap(n_bootstraps=20, random_state=0),
    "BBC": BBCDifference(n_bootstraps=20, random_state=0),
}
GROUPS = {
    "plain": {}, "groups": {"groups": FOLD}, "blocks": {"block_length": 4},
    "weights": {"sample_weight": RNG.uniform(0.5, 2, size=N)},
}  # fmt: skip
CASES = [
    (f"{kind}, {metric}, {name}, {given}", data[kind], metric, method, GROUPS[given])
    for data, metrics in (
        (REGRESSION, ("neg_mean_squared_error", "neg_mean_absolute_error", "r2")),
        (SHARES, ("neg_log_loss", "neg_brier_score", "roc_auc", "average_precision")),
    )
    for kind in data
    for number, metric in enumerate(metrics)
    for name, method in ({**OF_ROWS, **OF_ANY} if number < 2 else OF_ANY).items()
    for given in (GROUPS if number == 0 else ["plain"])
    if not (name in ("Diebold-Mariano", "horizon") and given in ("groups", "weights"))
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("data", "metric", "method", "given"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_models_that_are_equal_up_to_rounding_do_not_differ(data, metric, method, given):
    y, first, second = data
    for one, other in ((first, second), (second, first)):
        result = compare(one, other, metric, y_true=y, fold=FOLD, method=method, **given)
        assert (result.difference, result.p_value, *result) == (0, 1, 0, 0)
        assert result.effect.startswith("no difference between first and second is shown")


@pytest.mark.parametrize("data", [*REGRESSION.values(), *SHARES.values()])
def test_the_bayesian_test_calls_them_equivalent(data):
    y, first, second = data
    for rope in (0.0, 0.01):
        method = BayesianCorrelatedT(rope=rope)
        result = compare(
            first, second, "neg_mean_squared_error", y_true=y + 0.0, fold=FOLD, method=method
        )
        assert result.details["probabilities"] == {"first": 0, "equivalent": 1, "second": 0}
        assert not result.is_shown


@pytest.mark.parametrize(
    ("data", "metric"),
    [
        *((data, "r2") for data in REGRESSION.values()),
        *((data, D2_LOG_LOSS) for data in SHARES.values()),
        ((300 + NOISE / 10, *forest(300 + NOISE / 10)), "neg_mean_squared_error"),
    ],
)
def test_the_winner_and_what_ties_with_it_do_not_hang_on_rounding(data, metric):
    y, first, second = data
    other = np.full(N, 0.5) if metric is D2_LOG_LOSS else first + NOISE[::-1] * y.std()
    found = []
    for pair in ((first, second), (second, first), (first, first)):
        oof = OOFPredictions(y_true=y, y_pred=np.column_stack([other, *pair]), fold=FOLD)
        details = BBC(n_bootstraps=60, random_state=0).estimate(oof, metric).details
        p_values = tied_with_best(oof, metric, draws=BBC(n_bootstraps=60, random_state=0)).p_values
        found.append([details["winner"], details["winner_share"], *p_values])
        assert p_values[1] == p_values[2]
    np.testing.assert_allclose(found[0], found[2], rtol=1e-6)
    np.testing.assert_allclose(found[1], found[2], rtol=1e-6)


@pytest.mark.parametrize("data", SHARES.values(), ids=SHARES)
def test_areas_under_the_curve(data):
    y, first, second = data
    result = compare(first, second, "roc_auc", y_true=y, method=PairedDeLong())
    assert (result.difference, result.p_value) == (0, 1)
    pair = OOFPredictions(y_true=y, y_pred=np.stack([first, second], axis=1))
    for found in (
        holdout_interval(y, first, "roc_auc", y_pred_other=second),
        DeLong().difference(pair, "roc_auc"),
    ):
        assert (found.estimate, found.details["p_value"], *found) == (0, 1, 0, 0)
        assert not any("certainly wrong" in note for note in found.details["notes"])


def test_mirrored_errors_have_the_same_size():
    for offset, method in (
        (512, PairedT()), (512, DieboldMariano()), (3, OF_ANY["bootstrap"]),
    ):  # fmt: skip
        y = NOISE / 10 + offset  # 512 is where doubles get coarser
        result = compare(y + P, y - P, "neg_mean_absolute_error", y_true=y, method=method)
        assert (result.difference, result.p_value, *result) == (0, 1, 0, 0)


def t_test(differences):
    return stats.ttest_1samp(differences, 0).pvalue


@pytest.mark.parametrize("relative", [1e-6, 1e-9])
@pytest.mark.parametrize("offset", [0, 50])
def test_a_tiny_difference_everywhere_is_found(relative, offset):
    y, errors = NOISE + offset, RNG.normal(size=N)
    worse = 1 + relative * (1 + 0.3 * RNG.normal(size=N))
    first, second = y + errors, y + errors * worse
    differences = np.abs(second - y) - np.abs(first - y)
    expected = t_test(differences)
    assert expected < 1e-6
    for method in (PairedT(), DieboldMariano()):
        result = compare(first, second, "neg_mean_absolute_error", y_true=y, method=method)
        assert result.p_value == pytest.approx(expected, rel=1e-3)
        assert result.difference == pytest.approx(differences.mean())
    of_folds = np.array([differences[FOLD == k].mean() for k in range(5)])
    result = compare(
        first, second, "neg_mean_absolute_error", y_true=y, fold=FOLD, method=KFoldPairedT()
    )
    assert result.p_value == pytest.approx(t_test(of_folds), rel=1e-3)


def test_what_is_rounding_in_some_samples_does_not_count_beside_the_others():
    losses, others = 1 + NOISE**2, 1 + NOISE**2
    others[::2] *= 1 + 3e-16  # always the same side
    others[1::20] += RNG.normal(size=4)
    exact = np.where(np.arange(N) % 20 == 1, others - losses, 0.0)
    result = compare(-losses, -others, method=PairedT())
    assert result.difference == exact.mean()
    assert result.p_value == pytest.approx(t_test(exact))


def test_rounding_far_from_zero_beside_true_differences():
    first, second = REGRESSION["far from zero"][1:]
    others = second + np.where(np.arange(N) == 3, 1.0, 0.0)
    result = compare(first, others, "neg_mean_squared_error", y_true=FAR, method=PairedT())
    exact = np.where(np.arange(N) == 3, np.square(others - FAR) - np.square(first - FAR), 0.0)
    assert result.difference == exact.mean()


def test_small_probabilities_differ_by_their_ratio():
    one, other = (np.where(NOISE > 0, P, small) for small in (1e-14, 1e-15))
    result = compare(one, other, "neg_log_loss", y_true=Y, method=PairedT())
    share = np.mean((NOISE <= 0) & (Y == 1))
    assert result.difference == pytest.approx(share * np.log(10), rel=1e-6)
    assert result.p_value < 0.01
    ranks = compare(P * 1e-15, P[::-1] * 1e-15, "roc_auc", y_true=Y, method=PairedDeLong())
    assert ranks.difference != 0


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e12])
def test_scores_over_data_sets_tie(size):
    scores = size * RNG.uniform(0.5, 1, size=(8, 3))
    exact = scores.copy()
    exact[:, 1], exact[:4, 2] = exact[:, 0], exact[:4, 0]
    nearly = exact.copy()
    nearly[:, 1] *= 1 + 2e-16
    nearly[:4, 2] *= 1 - 2e-16
    assert (nearly != exact).any()
    for test in (Friedman(), Wilcoxon()):
        wanted, found = test.compare(exact), test.compare(nearly)
        assert np.array_equal(wanted.mean_ranks, found.mean_ranks)
        assert wanted.p_value == found.p_value or np.isnan(wanted.p_value)
        if wanted.pair_p_values is not None:
            np.testing.assert_array_equal(wanted.pair_p_values, found.pair_p_values)


def test_equal_differences_of_data_sets_have_equal_ranks():
    first = np.array([0.82, 0.72, 0.92, 0.62, 0.30, 0.55])
    second = np.array([0.80, 0.70, 0.94, 0.60, 0.36, 0.58])
    found = Wilcoxon().compare(np.stack([first, second], axis=1)).pair_p_values[0, 1]
    whole = stats.wilcoxon(np.array([2, 2, -2, 2, -6, -3]), zero_method="zsplit").pvalue
    assert found == whole
    table = np.stack([0.81 + 0.01 * np.arange(6), 0.80 + 0.01 * np.arange(6)], axis=1)
    at_limit = BayesianSignedRank(rope=0.01, n_draws=1000, random_state=0).compare(table)
    other_way = BayesianSignedRank(rope=0.01, n_draws=1000, random_state=0).compare(table[:, ::-1])
    one, other = (each.details["probabilities"] for each in (at_limit, other_way))
    assert one["first"] == other["second"] and one["second"] == other["first"] == 0


def test_a_learner_that_diverged_does_not_make_the_others_tie():
    scores = np.column_stack([np.full(6, -1e15), np.linspace(0.8, 0.9, 6), np.full(6, 0.7)])
    assert Friedman().compare(scores).mean_ranks.tolist() == [3, 1, 2]


def test_copies_win_the_same_draws():
    better, worse = P * 0.2, P * 0.2 + 0.02 * RNG.normal(size=N)
    copy = 1 - (1 - better)
    table = np.column_stack([copy, worse, better])
    found = best_of(table, greater_is_better=False, random_state=0, n_bootstraps=50).won
    exact = best_of(
        table[:, [2, 1, 2]], greater_is_better=False, random_state=0, n_bootstraps=50
    ).won
    np.testing.assert_array_equal(found, exact)
    assert found[0] == found[2] > 0
    oof = OOFPredictions(y_true=NOISE, y_pred=NOISE[:, None] + table, fold=FOLD)
    won = tied_with_best(
        oof, "neg_mean_squared_error", draws=BBC(n_bootstraps=50, random_state=0)
    ).won
    assert won[0] == won[2] > 0 and won[0] + won[1] == 1


@pytest.mark.parametrize("large", [1.0, 1e9], ids=["alike", "one is large"])
def test_copies_among_many_that_nearly_agree(large):
    """Losses with equal means that differ in two items, and copies of some up to rounding."""
    base = P * 0.2
    nearly = np.repeat(base[:, None], 30, axis=1)
    nearly[np.arange(30), np.arange(30)] += 1e-4
    nearly[np.arange(30) + 1, np.arange(30)] -= 1e-4
    exact = np.column_stack([nearly, nearly[:, ::3], base * large])
    again = np.column_stack([nearly, 1 - (1 - nearly[:, ::3]), base * large])
    assert (exact != again).any(axis=0).sum() == 10
    options = {"greater_is_better": False, "random_state": 0, "n_bootstraps": 50}
    found, expected = best_of(again, **options).won, best_of(exact, **options).won
    np.testing.assert_array_equal(found, expected)
    assert np.count_nonzero(found[:30]) > 2
    np.testing.assert_array_equal(found[:30:3], found[30:40])


@pytest.mark.parametrize("data", REGRESSION.values(), ids=REGRESSION)
def test_no_configuration_is_dropped_for_its_rounding(data):
    y, first, second = data
    for columns in ((first, second), (second, first)):
        oof = OOFPredictions(y_true=y, y_pred=np.column_stack(columns), fold=FOLD)
        assert DropClearlyWorse().replay(oof, "neg_mean_squared_error").tolist() == [5, 5]


def test_fold_scores_alone():
    scores = RNG.uniform(0.5, 0.9, size=(10, 1)) * [1, 1 + 2e-16, 1 + 1e-6]
    scores[:, 2] += 1e-7 * RNG.normal(size=10)
    oof = OOFPredictions.from_fold_scores({"accuracy": scores})
    sides = [Side(oof=oof, config=k) for k in range(3)]
    for method in (CorrectedResampledT(test_over_train=0.0), KFoldPairedT()):
        same = method.compare(sides[0], sides[1], "accuracy")
        assert (same.difference, same.p_value) == (0, 1)
        tiny = method.compare(sides[0], sides[2], "accuracy")
        assert tiny.p_value == pytest.approx(t_test(scores[:, 0] - scores[:, 2]), rel=1e-3)
        assert tiny.p_value < 1e-3


def test_two_searches_among_the_same_models():
    pairs = [forest(FAR, 20 * k) for k in (1, 2, 3)]
    sides = [
        OOFPredictions(y_true=FAR, y_pred=np.stack(columns, axis=1), fold=FOLD)
        for columns in zip(*pairs)
    ]
    result = compare(*sides, "neg_mean_squared_error", method=OF_ANY["BBC"])
    assert (result.difference, result.p_value, *result) == (0, 1, 0, 0)
    turned = Side(oof=sides[1], config=0)
    other = compare(Side(oof=sides[0], config=2), turned, "neg_mean_squared_error")
    assert other.difference != 0


def test_learners_that_are_equal_up_to_rounding():
    learners = [DummyRegressor(strategy="constant", constant=each) for each in (0.3, 0.1 + 0.2)]
    for combined in (True, False):
        test = FiveByTwo(combined=combined, random_state=0, verbose=0)
        result = test.compare(*learners, NOISE[:, None], NOISE, scoring="neg_mean_squared_error")
        assert (result.difference, result.p_value) == (0, 1)
