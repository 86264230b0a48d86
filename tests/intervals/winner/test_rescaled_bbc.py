"""RescaledBBC: around BBC's estimate, shorter by the right factor, never too short; coverage."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import make_scorer

from sklearn_bbc import ConfidenceInterval, OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC, Arcsine, Identity, LogDistance, RescaledBBC
from sklearn_bbc.intervals._rescaled_bbc import contender_correlation, pooled_error
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.resampling import Draws
from sklearn_bbc.selection import OneStandardError


def predictions(n_samples=100, n_configs=30, seed=0, own=1.0, shift=1.0):
    """Scores of equally good configurations; `own` is the part of noise they do not share."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 2
    noise = np.sqrt(1 - own**2) * rng.normal(size=(n_samples, 1))
    noise = noise + own * rng.normal(size=(n_samples, n_configs))
    return OOFPredictions(
        y_true=y, y_pred=noise + shift * y[:, None], fold=np.arange(n_samples) // 2 % 5
    )


def both(oof, scoring="roc_auc", **parameters):
    parameters = {"n_bootstraps": 1000, "random_state": 0, **parameters}
    return BBC(**parameters).estimate(oof, scoring), RescaledBBC(**parameters).estimate(
        oof, scoring
    )


def test_estimate_and_draws_are_those_of_bbc():
    bbc, rescaled = both(predictions())
    assert rescaled.estimate == bbc.estimate
    assert np.array_equal(rescaled.draws, bbc.draws)
    assert rescaled.details["bbc"] == (bbc.low, bbc.high)
    assert rescaled.details["winner"] == bbc.details["winner"]


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss", "r2"])
def test_distance_below_is_shortened_on_the_scale_by_the_factor(scoring):
    oof = predictions(n_samples=400)
    if scoring != "roc_auc":
        target = oof.y_true if scoring == "neg_log_loss" else oof.y_true.astype(float)
        pred = 1 / (1 + np.exp(-oof.matrix("roc_auc")))
        classes = "infer" if scoring == "neg_log_loss" else None
        oof = OOFPredictions(y_true=target, y_pred=pred, fold=oof.fold, classes=classes)
    bbc, rescaled = both(oof, scoring, alternative="greater")
    scale = {"roc_auc": Arcsine(), "neg_log_loss": LogDistance(), "r2": LogDistance(1.0)}[scoring]
    centre = scale.forward(bbc.estimate)
    distance = rescaled.details["factor"] * (centre - scale.forward(bbc.low))
    least = norm.ppf(0.95) * rescaled.details["standard_error"]
    assert centre - scale.forward(rescaled.low) == pytest.approx(max(distance, least))
    assert rescaled.high == bbc.high  # the open side


def test_the_more_the_contenders_depend_on_each_other_the_less_is_taken_off():
    factors = [both(predictions(own=own))[1].details["factor"] for own in (1.0, 0.6, 0.1)]
    assert factors[0] < factors[1] < factors[2] <= 1
    assert factors[0] == pytest.approx(np.sqrt(0.5), abs=0.05)


def test_a_single_configuration_is_not_shortened_by_the_factor():
    bbc, rescaled = both(predictions(n_configs=1))
    assert rescaled.details["rho"] == 1
    assert rescaled.low <= bbc.low + 1e-9


def test_upper_bound_reaches_the_winners_own_score():
    oof = predictions(n_samples=200, n_configs=300, shift=0.0)
    _, rescaled = both(oof, alternative="less")
    on_all = max(
        float(np.mean(np.greater.outer(s[oof.y_true == 1], s[oof.y_true == 0])))
        for s in oof.matrix("roc_auc").T
    )
    reach = norm.ppf(0.95) * rescaled.details["standard_error"]
    assert rescaled.high == pytest.approx(np.sin(np.arcsin(np.sqrt(on_all)) + reach) ** 2)
    assert rescaled.low == 0


def test_sides_of_an_interval_are_one_sided_bounds():
    oof = predictions()
    _, two = both(oof, confidence_level=0.9)
    _, lower = both(oof, confidence_level=0.95, alternative="greater")
    _, upper = both(oof, confidence_level=0.95, alternative="less")
    assert tuple(two) == pytest.approx((lower.low, upper.high))


def test_perfect_scores_keep_a_proportions_standard_error():
    y = np.arange(50) % 2
    oof = OOFPredictions(y_true=y, y_pred=np.column_stack([y, y]) + 0.0, fold=np.arange(50) // 10)
    bbc, rescaled = both(oof)
    assert tuple(bbc) == (1, 1)
    assert rescaled.high == 1
    expected = np.sin(np.pi / 2 - norm.ppf(0.975) / (2 * np.sqrt(50))) ** 2
    assert rescaled.low == pytest.approx(expected)


def spread_by_hand(oof, scoring, seed=0, n_draws=600):
    """rho and s from the first 512 draws, and from the winners of all of them."""
    kernel = as_metric(scoring).bind(oof)
    method = BBC(n_bootstraps=n_draws, random_state=seed)
    scores = method._draws(oof, kernel).map(lambda counts: kernel.scores(counts))
    winners = method._draws(oof, kernel).map(kernel.winners)
    won = np.bincount(winners[winners >= 0], minlength=scores.shape[1])
    first = scores[:512][~np.isnan(scores[:512]).any(axis=1)]
    rho = contender_correlation(first, won / won.sum())
    variance = first.var(axis=0, ddof=1)
    return rho, variance, won


def test_how_scores_vary_is_learned_from_the_first_512_draws():
    oof = predictions(own=0.7)
    result = RescaledBBC(n_bootstraps=600, random_state=0).estimate(oof, "roc_auc")
    rho, variance, _ = spread_by_hand(oof, "roc_auc")
    assert result.details["rho"] == pytest.approx(rho, rel=1e-9)
    assert result.details["factor"] == pytest.approx(np.sqrt((1 + rho) / 2))
    slope = Arcsine().slope(as_metric("roc_auc").bind(oof).on_data())
    error = np.sqrt(variance.sum() / (slope**2).sum())
    assert error > 0.5 / np.sqrt(100)  # more than a proportion's
    assert result.details["standard_error"] == pytest.approx(error, rel=1e-9)


@pytest.mark.parametrize("unsteady", [True, False])
def test_those_that_win_have_a_say_where_nothing_is_known_of_the_least_error(unsteady):
    """On the logarithmic scale s is that of all, or of the winners if that is more."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=80)
    # The best one errs a lot here and there, or the worst one does.
    errors = rng.normal(size=(80, 3)) * [0.5, 0.6, 0.9]
    errors[::8, 0 if unsteady else 2] *= 3
    errors[1::8, 0] *= 0.1 if unsteady else 1
    oof = OOFPredictions(y_true=y, y_pred=y[:, None] + errors, fold=np.arange(80) % 5)
    result = RescaledBBC(n_bootstraps=600, random_state=0).estimate(oof, "neg_mean_squared_error")
    _, variance, won = spread_by_hand(oof, "neg_mean_squared_error")
    slope = LogDistance().slope(as_metric("neg_mean_squared_error").bind(oof).on_data())
    of_all, of_winners = (
        np.sqrt((weight * variance).sum() / (weight * slope**2).sum()) for weight in (1, won)
    )
    assert (of_winners > of_all) == unsteady
    expected = max(of_all, of_winners)
    assert result.details["standard_error"] == pytest.approx(expected, rel=1e-9)


def test_draws_on_which_a_configuration_has_no_score_say_nothing_of_the_spread():
    def seldom_undefined(y_true, y_pred):
        in_bag = len(y_true) == 60
        if in_bag and (np.mean(y_pred > 0) > 0.62 or np.mean(y_true > 0) > 0.65):
            return np.nan
        return -np.mean((y_true - y_pred) ** 2)

    rng = np.random.default_rng(0)
    y = rng.normal(size=60)
    errors = rng.normal(size=(60, 1)) + rng.normal(size=(60, 3)) * [0.3, 0.6, 0.9]
    oof = OOFPredictions(y_true=y, y_pred=y[:, None] + errors, fold=np.arange(60) % 5)
    scorer = make_scorer(seldom_undefined)
    kernel = as_metric(scorer).bind(oof)
    method = RescaledBBC(scale=Identity(), n_bootstraps=200, random_state=0)
    scores = method._draws(oof, kernel).map(kernel.scores)
    undefined = np.isnan(scores).sum(axis=1)
    assert (undefined == 1).any() and (undefined == 0).sum() > 100
    assert (undefined == 3).any()  # nothing wins
    result = method.estimate(oof, scorer)
    rho, _, _ = spread_by_hand(oof, scorer, n_draws=200)
    assert result.details["rho"] == pytest.approx(rho, rel=1e-9)
    assert 0.1 < rho < 0.99
    assert 0 < result.details["standard_error"] < 1


@pytest.mark.parametrize(
    "alternative, error, best, expected",
    [
        # Factor sqrt((1 + 0.28) / 2) = 0.8, distances 0.2 below and 0.4 above the estimate 0.5.
        ("two-sided", 0.01, 0.4, (0.5 - 0.16, 0.5 + 0.32)),
        ("two-sided", 0.01, 0.9, (0.5 - 0.16, 0.9 + 0.0196)),
        ("two-sided", 0.3, 0.4, (0.5 - 0.588, 0.5 + 0.588)),
        ("two-sided", 0.3, 0.6, (0.5 - 0.588, 0.6 + 0.588)),
        ("greater", 0.01, 0.4, (0.5 - 0.16, 0.9)),
        ("greater", 0.2, 0.4, (0.5 - 0.329, 0.9)),
        ("less", 0.01, 0.4, (0.3, 0.5 + 0.32)),
        ("less", 0.2, 0.6, (0.3, 0.6 + 0.329)),
    ],
)
def test_bounds_by_hand(alternative, error, best, expected):
    bbc = ConfidenceInterval(
        estimate=0.5, low=0.3, high=0.9, confidence_level=0.95, alternative=alternative,
        method="bbc", metric="any", estimand="",
    )  # fmt: skip
    method = RescaledBBC(alternative=alternative)
    found = method._bounds(bbc, Identity(), rho=0.28, error=error, best=best)
    assert found == pytest.approx(expected, abs=1e-4)


def test_the_score_of_what_a_rule_selects_is_within_reach():
    """Not the best score: the rule takes another configuration."""
    oof = predictions(n_samples=200, n_configs=5, shift=1.5)
    rule = OneStandardError(lambda params: params["rank"])
    oof = OOFPredictions(
        y_true=oof.y_true, y_pred=oof.matrix("roc_auc"), fold=oof.fold,
        params=[{"rank": rank} for rank in (1, 0, 3, 2, 4)],
    )  # fmt: skip
    result = RescaledBBC(
        selection=rule, n_bootstraps=400, random_state=0, alternative="less"
    ).estimate(oof, "roc_auc")
    on_all = as_metric("roc_auc").bind(oof).on_data()
    winner = result.details["winner"]
    assert on_all[winner] < on_all.max()
    scale, reach = Arcsine(), norm.ppf(0.95) * result.details["standard_error"]
    centre = scale.forward(result.estimate)
    above = result.details["factor"] * (scale.forward(result.details["bbc"][1]) - centre)
    expected = max(centre + max(above, reach), scale.forward(on_all[winner]) + reach)
    assert result.high == pytest.approx(scale.backward(expected))
    too_high = scale.backward(scale.forward(on_all.max()) + reach)
    assert result.high < too_high


def test_open_sides_of_bbc_are_not_told():
    oof = predictions()
    for alternative, side in (("greater", 1), ("less", 0)):
        bbc, rescaled = both(oof, alternative=alternative)
        told = rescaled.details["bbc"]
        assert told[side] is None and told[1 - side] == tuple(bbc)[1 - side]


def test_what_pooling_does_is_noted_for_ranks_only():
    def notes(oof, scoring):
        return (
            RescaledBBC(n_bootstraps=200, random_state=0).estimate(oof, scoring).details["notes"]
        )

    oof = predictions(n_configs=2)
    apart = OOFPredictions(
        y_true=oof.y_true, y_pred=oof.matrix("roc_auc") + 9.0 * oof.fold[:, None], fold=oof.fold
    )
    told = notes(apart, "roc_auc")
    assert any("Samples of different folds are compared" in note for note in told)
    labels = OOFPredictions(y_true=oof.y_true, y_pred=(oof.matrix("roc_auc") > 0).astype(int),
                            fold=oof.fold)  # fmt: skip
    assert notes(labels, "accuracy") == ["RescaledBBC is experimental."]


def test_groups_count_for_the_least_error():
    oof = predictions(n_samples=100)
    grouped = OOFPredictions(
        y_true=oof.y_true,
        y_pred=oof.matrix("roc_auc"),
        fold=np.arange(100) // 20,
        groups=np.arange(100) // 5,
    )
    assert both(grouped)[1].details["standard_error"] >= 0.5 / np.sqrt(20)


def test_marked_as_experimental():
    assert "experimental" in RescaledBBC.__doc__.splitlines()[0]
    assert "experimental" in both(predictions())[1].details["notes"][0]


def test_an_unknown_range_needs_a_scale():
    oof = predictions()
    scorer = make_scorer(
        lambda y, p: float(np.mean(p[y == 1]) - np.mean(p[y == 0])),
        response_method="decision_function",
    )
    quick = {"n_bootstraps": 100, "random_state": 0}
    with pytest.raises(ValueError, match="Give scale=Arcsine"):
        RescaledBBC(**quick).estimate(oof, scorer)
    given_scale = RescaledBBC(scale=Identity(), **quick).estimate(oof, scorer)
    assert given_scale.low < given_scale.estimate < given_scale.high
    with pytest.raises(ValueError, match="scale must be a Scale"):
        RescaledBBC(scale="arcsine").estimate(oof, "roc_auc")


def test_mean_correlation_of_equally_correlated_contenders():
    rng = np.random.default_rng(0)
    for rho in (0.0, 0.3, 0.8):
        shared, own = rng.normal(size=(20_000, 1)), rng.normal(size=(20_000, 6))
        scores = np.sqrt(rho) * shared + np.sqrt(1 - rho) * own
        share = np.array([0.4, 0.3, 0.1, 0.1, 0.1, 0.0])
        assert contender_correlation(scores, share) == pytest.approx(rho, abs=0.02)


def test_mean_correlation_by_hand():
    a, b = np.array([1.0, 2, 3, 4]), np.array([2.0, 1, 4, 3])
    scores = np.column_stack([a, b, np.full(4, 7.0)])
    expected = np.corrcoef(a, b)[0, 1]
    assert contender_correlation(scores, np.array([0.7, 0.3, 0.0])) == pytest.approx(expected)
    # A constant score, or the only one that wins, has nobody to be correlated with.
    assert contender_correlation(scores, np.array([0.5, 0.0, 0.5])) == 1
    assert contender_correlation(scores, np.array([1.0, 0.0, 0.0])) == 1
    assert contender_correlation(scores[:, [2, 2]], np.array([0.5, 0.5])) == 1
    assert contender_correlation(np.column_stack([a, -a]), np.array([0.5, 0.5])) == 0
    # Scores may be small; only rounding counts as constant.
    small = contender_correlation(1e-4 * scores, np.array([7, 3, 0]))
    assert small == pytest.approx(expected)
    assert contender_correlation(1e-9 * scores, np.array([0.7, 0.3, 0.0])) == 1


def test_pooled_error_by_hand():
    scores = np.array([[1.0, 10], [3.0, 14]])  # variances 2 and 8
    assert pooled_error(scores, np.ones(2), np.array([1.0, 2])) == pytest.approx(np.sqrt(2))
    assert pooled_error(scores, np.array([0.0, 1]), np.array([1.0, 2])) == pytest.approx(
        np.sqrt(2)
    )
    assert pooled_error(scores, np.array([1.0, 0]), np.array([2.0, 2])) == pytest.approx(
        np.sqrt(0.5)
    )
    assert pooled_error(scores, np.ones(2), np.full(2, 0.5)) == pytest.approx(np.sqrt(20))
    assert pooled_error(scores, np.ones(2), np.zeros(2)) == 0


@pytest.mark.parametrize("method", [BBC, RescaledBBC])
def test_what_is_no_rule_of_selection_is_refused_before_anything_else(method):
    with pytest.raises(ValueError, match="selection must be"):
        method(selection="best").estimate(None, "roc_auc")


def test_impossible_data_raise_as_for_bbc():
    oof = OOFPredictions(y_true=[0, 1, 1, 1], y_pred=np.arange(4.0), fold=[0, 0, 1, 1])
    with pytest.raises(UndefinedIntervalError, match="RescaledBBC cannot bootstrap roc_auc"):
        RescaledBBC().estimate(oof, "roc_auc")


@pytest.mark.slow
@pytest.mark.parametrize(
    "setting", ["bc_50_10", "deo_50_5", "imb_100_5", "int_100_5", "lin_50_10"]
)
@pytest.mark.parametrize("scoring", ["roc_auc", "accuracy", "neg_log_loss"])
def test_coverage_with_trained_models(shared, setting, scoring):
    data = np.load(shared / "testbed" / f"{setting}_s1.npz")
    column = {"roc_auc": 0, "accuracy": 1, "neg_log_loss": 3}[scoring]
    covered = {"greater": [], "less": []}
    for run in range(len(data["P"])):
        pred = data["P"][run]
        pred = (pred > 0.5).astype(int) if scoring == "accuracy" else np.clip(pred, 1e-6, 1 - 1e-6)
        oof = OOFPredictions(y_true=data["y"][run], y_pred=pred, fold=data["folds"][run])
        for alternative, inside in covered.items():
            method = RescaledBBC(n_bootstraps=500, alternative=alternative, random_state=run)
            result = method.estimate(oof, scoring)
            truth = data["T"][run, column, result.details["winner"]]
            inside.append((-truth if scoring == "neg_log_loss" else truth) in result)
    assert np.mean(covered["greater"]) >= 0.90
    assert np.mean(covered["less"]) >= 0.95


def regression(error):
    y = np.random.default_rng(0).normal(size=60)
    noise = np.random.default_rng(1).normal(size=(60, 3))
    return OOFPredictions(y_true=y, y_pred=y[:, None] + error * noise, fold=np.arange(60) % 5)


def test_a_scale_for_other_scores_is_refused_before_the_draws(monkeypatch):
    """The arcsine of a loss gave 0 to 0.02 around an estimate of -1.16."""
    monkeypatch.setattr(Draws, "map", None)
    with pytest.raises(ValueError, match=r"scale=Arcsine\(\) takes scores from 0 to 1, but"):
        RescaledBBC(scale=Arcsine()).estimate(regression(1.0), "neg_mean_squared_error")
    with pytest.raises(ValueError, match="but r2 can be 1"):
        RescaledBBC(scale=LogDistance()).estimate(regression(1.0), "r2")


def test_a_scale_that_draws_leave_is_refused():
    oof = regression(0.9)
    with pytest.raises(ValueError, match=r"but r2 can be -"):
        RescaledBBC(scale=Arcsine(), random_state=0).estimate(oof, "r2")


@pytest.mark.parametrize("scoring", ["neg_mean_squared_error", "r2", "neg_mean_absolute_error"])
def test_perfect_predictions_have_the_perfect_score(scoring):
    result = RescaledBBC(n_bootstraps=200, random_state=0).estimate(regression(0.0), scoring)
    best = float(scoring == "r2")
    assert (result.estimate, *result) == (best, best, best)


def test_bounds_stay_within_the_range_of_the_metric():
    """On a straight scale the winner's own score plus its error can lie above 1."""
    oof = predictions(n_samples=20, n_configs=2, shift=3.0)
    result = RescaledBBC(scale=Identity(), random_state=0).estimate(oof, "roc_auc")
    assert result.high == 1 < result.details["unclipped"][1]
    assert result.draws is not None and result.n_bootstraps == 2000
