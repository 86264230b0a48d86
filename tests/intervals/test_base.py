"""What the base of all methods does: bounds, arguments, quantiles."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.metrics import make_scorer, recall_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from benchmarks.published.replication import LinearQuantile
from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.comparison import Friedman
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import (
    BBC,
    BBCF,
    BaseInterval,
    BayleCV,
    CorrectedT,
    CorrelationAdjusted,
    HierarchicalBootstrap,
    NestedCV,
    NormalScoreQuantile,
    OrderStatistic,
    PooledBootstrap,
    QuantileRule,
    Redraw,
    Wald,
    as_interval,
    bbc,
    holdout_interval,
    optimism_curve,
    recommend,
)
from sklearn_bbc.intervals._base import _INTERVALS
from sklearn_bbc.metrics import Metric, as_metric
from sklearn_bbc.search import DropClearlyWorse
from sklearn_bbc.selection import SensitivityAt
from tests.made import made

ACCURACY = as_metric("accuracy")
UNBOUNDED = Metric(name="accuracy", scorer=max)
"""For draws that are ranks."""


def bounds_of_draws(scores, level=0.95, alternative="greater", **options):
    method = BBC(confidence_level=level, alternative=alternative)
    scores = np.asarray(scores, dtype=float)
    metric = UNBOUNDED if np.nanmax(scores, initial=0) > 1 else ACCURACY
    return method._from_draws(scores, metric, **options)


@pytest.mark.parametrize("n, rank", [(500, 25), (1000, 50), (10, 0), (19, 0), (20, 1), (40, 2)])
def test_the_lower_bound_is_number_floor_of_alpha_b(n, rank):
    shuffled = np.random.default_rng(0).permutation(n)
    assert bounds_of_draws(shuffled).low == rank
    assert bounds_of_draws(shuffled, alternative="less").high == n - 1 - rank


def test_the_open_side_is_the_end_of_the_range():
    assert bounds_of_draws([0.1, 0.9]).high == 1.0
    assert bounds_of_draws([0.1, 0.9], alternative="less").low == 0.0
    loss = as_metric("neg_log_loss")
    method = BBC(alternative="greater")
    assert method._from_draws(np.array([-3.0, -2.0]), loss).high == 0.0
    method = BBC(alternative="less")
    assert method._from_draws(np.array([-3.0, -2.0]), loss).low == -np.inf


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 30)), min_size=1, max_size=30),
    st.sampled_from([0.5, 0.8, 0.95]),
    st.sampled_from(["greater", "less", "two-sided"]),
)
def test_a_multiplicity_is_a_repetition(pairs, level, alternative):
    scores, times = (np.array(part) for part in zip(*pairs))
    counted = bounds_of_draws(scores, level, alternative, multiplicity=times)
    repeated = bounds_of_draws(np.repeat(scores, times), level, alternative)
    assert tuple(counted) == tuple(repeated)
    assert counted.estimate == pytest.approx(repeated.estimate)
    np.testing.assert_array_equal(counted.draws, np.sort(repeated.draws))


def test_undefined_draws_are_left_out_and_counted():
    scores = np.append(np.arange(95.0), [np.nan] * 5)
    result = bounds_of_draws(scores)
    assert result.details["n_undefined"] == 5
    assert len(result.draws) == 95
    assert result.low == 4  # floor(0.05 * 95)


def test_standard_errors():
    result = BBC()._from_se(0.7, 0.1, ACCURACY)
    assert result.low == pytest.approx(0.7 - 1.959964 * 0.1, abs=1e-7)
    assert result.high == pytest.approx(0.7 + 1.959964 * 0.1, abs=1e-7)
    assert not {"unclipped", "unclipped_estimate"} & set(result.details)
    assert result.details["standard_error"] == 0.1
    one_sided = BBC(alternative="greater")._from_se(0.8, 0.1, ACCURACY, degrees=3)
    assert tuple(one_sided) == (pytest.approx(0.8 - 2.353363 * 0.1), 1.0)


def test_two_classes_are_asked_for_where_they_are_needed():
    class Binary(BBC):
        requires = frozenset({"predictions", "binary"})

    values = OOFPredictions(y_true=np.arange(8) / 2, y_pred=np.zeros((8, 1)), classes=None)
    with pytest.raises(ValueError, match=r"Binary needs a target with 2 classes.*without classes"):
        Binary().estimate(values, "r2")
    three = OOFPredictions(y_true=np.arange(9) % 3, y_pred=np.zeros((9, 1)))
    with pytest.raises(ValueError, match="got 3 classes"):
        Binary().estimate(three, "accuracy")


def test_a_method_of_three_lines_registers_and_works(monkeypatch):
    monkeypatch.setattr("sklearn_bbc.intervals._base._INTERVALS", dict(_INTERVALS))

    class Whole(BaseInterval):
        name = "whole_range"
        estimand = "nothing"

        def __init__(self, *, confidence_level=0.95, alternative="two-sided"):
            self.confidence_level = confidence_level
            self.alternative = alternative

        def _estimate(self, contest):
            metric = contest.scored.metric
            return self._from_draws(np.array(metric.bounds), metric)

    oof = OOFPredictions(y_true=[0, 1], y_pred=[0, 1])
    result = as_interval("whole_range").estimate(oof, "accuracy")
    assert tuple(result) == (0.0, 1.0)
    assert result.method == "whole_range"


ANY = Metric(name="any", scorer=max)


def nearly_all_right(n=50):
    y = np.tile([0, 1], n // 2)
    y_pred = np.where(np.isin(np.arange(n), (3, 17)), 1 - y, y)
    return OOFPredictions(y_true=y, y_pred=y_pred, fold=np.arange(n) // 2 % 5)


@pytest.mark.parametrize(
    "method",
    [
        Wald(), CorrectedT(), CorrelationAdjusted(), BayleCV(),
        PooledBootstrap(form="normal", random_state=0), PooledBootstrap(form="basic"),
        HierarchicalBootstrap(form="basic", random_state=0),
    ],
    ids=lambda method: f"{type(method).__name__}-{getattr(method, 'form', '')}",
)  # fmt: skip
def test_bounds_end_where_the_metric_does_and_the_uncut_ones_are_kept(method):
    result = method.estimate(nearly_all_right(), "accuracy")
    assert result.high == 1 and 0 < result.low < result.estimate
    low, high = result.details["unclipped"]
    assert low == result.low and 1 < high < 1.5


@given(
    st.floats(-3, 3),
    st.floats(0, 3),
    st.sampled_from(["accuracy", "neg_log_loss", "r2", "matthews_corrcoef"]),
    st.sampled_from(["two-sided", "greater", "less"]),
)
def test_nothing_lies_beyond_the_range(estimate, error, scoring, alternative):
    metric = as_metric(scoring)
    result = BBC(alternative=alternative)._from_se(estimate, error, metric)
    worst, best = metric.bounds
    assert worst <= result.low <= result.high <= best
    assert worst <= result.estimate <= best
    assert result.low <= result.estimate <= result.high
    free = BBC(alternative=alternative)._from_se(estimate, error, Metric(name="x", scorer=max))
    assert result.details.get("unclipped_estimate", result.estimate) == estimate
    uncut = result.details.get("unclipped", tuple(result))
    for k, side in ((0, "less"), (1, "greater")):  # the open side ends at the range
        assert uncut[k] == (metric.bounds[k] if alternative == side else tuple(free)[k])


def test_differences_have_a_range_of_their_own():
    """Worse by nearly all: below the smallest accuracy, not below the smallest difference."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 20)
    worse, better = np.where(rng.random((2, 40)) < 0.1, y, 1 - y)[0], y
    result = holdout_interval(
        y, worse, "accuracy", y_pred_other=better, n_bootstraps=200, random_state=0
    )
    assert -1 <= result.low < result.high < -0.5 and "unclipped" not in result.details
    scores = y + rng.normal(size=40)
    areas = holdout_interval(y, -scores, "roc_auc", y_pred_other=scores)
    assert -1 <= areas.low < areas.estimate < areas.high < 0


@pytest.mark.parametrize("level, meant", [(0.05, "0.95"), (0.1, "0.9"), (0.4999, "0.5001")])
def test_a_level_that_can_hardly_be_meant_is_asked_about(level, meant):
    with pytest.warns(IntervalWarning, match=f"confidence_level={level:g} asks .* mean {meant}"):
        Wald(confidence_level=level).estimate(nearly_all_right(), "accuracy")


@pytest.mark.parametrize("estimate", [np.inf, -np.inf, np.nan])
def test_an_estimate_that_is_not_finite_becomes_nan_with_the_reason(estimate):
    result = BBC()._result(Metric(name="any", scorer=max), estimate, -np.inf, 3.0)
    assert np.isnan(result.estimate) and tuple(result) == (-np.inf, 3)
    known = "undefined" if np.isnan(estimate) else f"would be {estimate}"
    assert known in result.details["reason"] and "unclipped_estimate" not in result.details
    result = BBC()._result(ACCURACY, estimate, np.nan, np.nan, details={"reason": "No interval."})
    assert result.details["reason"].startswith("No interval.")
    assert ("would be" in result.details["reason"]) == np.isinf(estimate)


def test_bounds_that_are_not_finite_give_their_reason():
    any_metric = Metric(name="any", scorer=max)
    assert "undefined" in BBC()._result(any_metric, 0.0, np.nan, 1.0).details["reason"]
    assert "infinite" in BBC()._result(any_metric, 0.0, -np.inf, 1.0).details["reason"]
    one_sided = BBC(alternative="greater")._result(any_metric, 0.0, -1.0, np.inf)
    assert "reason" not in one_sided.details
    assert "reason" not in BBC()._result(ACCURACY, 0.5, -np.inf, np.inf).details  # cut


# --- draws -------------------------------------------------------------------------------


class Fourth(QuantileRule):
    """A quarter of the way from the fourth draw to the fifth."""

    def place(self, n_draws, level):
        return 3, 0.25


def test_a_rule_may_interpolate_and_the_upper_bound_mirrors_the_lower_one():
    cubes = np.random.default_rng(0).permutation(np.arange(20.0)) ** 3
    method = BBC(quantile=Fourth())
    low, high = method._from_draws(cubes, ANY)
    assert low == 27 + 0.25 * (64 - 27)
    assert high == 16**3 - 0.25 * (16**3 - 15**3)
    # The fourth is 8, the fifth 27; from above 17, 17, 19: 1 + 2 + 1 draws.
    times = np.where(np.isin(cubes, (1, 18**3)), 2, 1)
    low, high = method._from_draws(cubes, ANY, multiplicity=times)
    assert low == 8 + 0.25 * (27 - 8)
    assert high == 17**3 - 0.25 * (17**3 - 16**3)


def test_a_tenth_may_be_undefined():
    scores = np.append(np.arange(90.0), [np.nan] * 10)
    result = BBC()._from_draws(scores, ANY, details={"winner": 3}, n_bootstraps=100)
    assert result.details == {"n_undefined": 10, "winner": 3}
    assert result.n_bootstraps == 100
    with pytest.raises(UndefinedIntervalError, match="11 of 100 draws"):
        BBC()._from_draws(np.append(scores[1:], np.nan), ANY)


@pytest.mark.parametrize(
    "times", [(1, 19_999), (19_999, 1), (1, 20_000), (20_000, 1), (7, 29_996)]
)
def test_of_a_large_enumeration_ten_thousand_draws_are_kept_evenly(times):
    result = BBC()._from_draws(np.array([0.1, 0.2]), ACCURACY, multiplicity=np.array(times))
    # In the middle of each of 10,000 equal parts.
    places = (2 * np.arange(10_000) + 1) * sum(times) // 20_000
    np.testing.assert_array_equal(result.draws, np.repeat([0.1, 0.2], times)[places])


# --- parameters --------------------------------------------------------------------------


def test_searches_in_the_place_of_predictions():
    tree, grid, y = (
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2]},
        np.arange(30) % 2,
    )
    X = np.random.default_rng(0).normal(size=(30, 2))
    ours = BBCSearchCV(tree, grid, ci=[])
    with pytest.raises(ValueError, match=r"got .*\. Fit the search first"):
        BBC().estimate(ours, "accuracy")
    for arguments in ((), ("accuracy",)):
        with pytest.raises(ValueError, match=r"got .* pass search\.oof_\."):
            BBC().estimate(ours.fit(X, y), *arguments)
    # What a message offers to type works.
    plain = GridSearchCV(tree, grid, cv=StratifiedKFold(5, shuffle=True)).fit(X, y)
    oof = OOFPredictions.from_search(plain)
    names = {"BBCF": BBCF, "OOFPredictions": OOFPredictions, "search": plain, "oof": oof}
    for call in (
        lambda: BBC().estimate(plain),
        lambda: BBC().estimate(oof, "roc_auc"),
        lambda: OOFPredictions.from_search(plain, X, y),
    ):
        with pytest.raises(ValueError, match="enough for BBC-F: ") as refused:
            call()
        line = str(refused.value).partition("BBC-F: ")[2].partition(". ")[0]
        assert eval(line, names).metric == "accuracy"


ARRAYS = (np.arange(40) % 2, np.random.default_rng(0).normal(size=(40, 3)))
ONE = ARRAYS[1][:, 0]
OOF = OOFPredictions(y_true=ARRAYS[0], y_pred=ARRAYS[1], fold=np.arange(40) // 8)
MODEL = DecisionTreeClassifier()
AUC = "roc_auc"


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: BBC(seed=0), TypeError, r"no parameter 'seed'\. Its .*, n_jobs, quantile, rando"),
        (lambda: BBC(n_bootstrap=10), TypeError, r"Did you mean BBC\(n_bootstraps="),
        (lambda: BBC(confidence=0.9), TypeError, r"Did you mean BBC\(confidence_level="),
        (lambda: BBC(0.9), TypeError, "no arguments by position; 0.9 is too much.*confidence_le"),
        (lambda: BBCF(n_bootstrap=9), TypeError, r"Did you mean BBCF\(n_bootstraps="),
        (lambda: NestedCV(k=3), TypeError, "NestedCV has no parameter 'k'. Its parameters are"),
        (lambda: Friedman(level=0.9), TypeError, "Friedman has no parameter 'level'"),
        (lambda: SensitivityAt(sensitivity=0.9), TypeError, "keeps the specificity"),
        (lambda: DropClearlyWorse(level=0.1), TypeError, "no parameter 'level'.*confidence_level"),
        (lambda: BBC().estimate(OOF, roc_auc_score), ValueError, "scoring='roc_auc'"),
        (lambda: BBCF().estimate(OOF, "acurracy"), ValueError, "Did you mean 'accuracy'"),
        (lambda: bbc(*ARRAYS, roc_auc_score), ValueError, "Pass the name, scoring='roc_auc'"),
        (lambda: bbc(*ARRAYS, AUC, folds=5), TypeError, r"Did you mean bbc\(fold="),
        (lambda: bbc(*ARRAYS, AUC, alpha=0.1), TypeError, "parameters are .*confidence_level"),
        (lambda: bbc(*ARRAYS, AUC, 0.9), TypeError, "only y_true, y_pred, scoring by position"),
        (lambda: bbc(ARRAYS[1], ARRAYS[0], AUC), ValueError, "in each other's place"),
        (lambda: bbc(ONE, ARRAYS[0], AUC), ValueError, "classes in y_true.*each other's place"),
        (lambda: bbc(ONE, ARRAYS[1], "accuracy"), ValueError, "a metric of values such as 'r2'"),
        (lambda: bbc(MODEL, ONE, AUC), ValueError, r"y_true must be an array.*predict_proba"),
        (lambda: bbc(OOF, ONE, AUC), ValueError, r"BBC\(\)\.estimate\(oof, 'roc_auc'\)"),
        (lambda: holdout_interval(MODEL, ARRAYS[1], ARRAYS[0]), ValueError, "y_true must be an a"),
        (lambda: holdout_interval(MODEL.fit, ONE, AUC), ValueError, "holdout_interval takes the"),
        (lambda: holdout_interval(ARRAYS[1], *ARRAYS), ValueError, "got an array of shape"),
        (lambda: holdout_interval(ARRAYS[1], ARRAYS[0], AUC), ValueError, "each other's place"),
        (lambda: holdout_interval(ONE, ARRAYS[0], AUC), ValueError, "each other's place"),
        (lambda: holdout_interval(*ARRAYS, AUC), ValueError, "has 3 columns, but .* 2 classes"),
        (lambda: holdout_interval(ARRAYS[0], ONE, recall_score), ValueError, "scoring='recall'"),
        (
            lambda: holdout_interval(ARRAYS[0], ONE, AUC, method="DeLong"),
            ValueError,
            "Did you mean 'delong'",
        ),
        (lambda: BBC().estimate(OOF), ValueError, r"scoring must be given, .*estimate\(oof, 'roc"),
        (lambda: recommend(OOF, AUC, quick=True), TypeError, "parameters are dynamic, fast"),
        (lambda: optimism_curve(OOF, AUC, n_bootstrap=1), TypeError, r"method=BBC\(n_bootstraps="),
    ],
)  # fmt: skip
def test_what_was_probably_meant(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_needs_that_nobody_checks_are_refused_when_the_class_is_defined():
    with pytest.raises(ValueError, match=r"Asks\.requires holds \['predicitons'\].*'predictions'"):

        class Asks(BBC):
            requires = frozenset({"predicitons", "folds"})


def test_needs_are_checked_and_what_meets_them_passes():
    y, pred = np.arange(24) % 2, np.random.default_rng(0).random(24)
    plain = {"y_true": y, "y_pred": pred}
    partial = make_scorer(roc_auc_score, max_fpr=0.5, response_method="predict_proba")
    cases = [
        ("folds", {}, "roc_auc", "needs at least 2 folds, got"),
        ("folds", {"fold": np.zeros(24, int)}, "roc_auc", "needs at least 2 folds, got 1"),
        ("folds", {"fold": y}, "accuracy", None),
        ("binary", {"fold": y}, "roc_auc", None),
        ("auc", {}, "roc_auc", None),
        ("auc", {}, "average_precision", "area under the whole ROC curve, got the metric average"),
        ("auc", {}, partial, "area under the whole ROC curve"),
        ("ungrouped", {}, "roc_auc", None),
        ("ungrouped", {"groups": np.arange(24) // 2}, "roc_auc", "predictions have groups"),
        ("ungrouped", {"sample_weight": pred}, "roc_auc", None),
        ("unweighted", {}, "roc_auc", None),
        ("unweighted", {"sample_weight": pred}, "roc_auc", "predictions have sample_weight"),
        ("unweighted", {"groups": np.arange(24) // 2}, "roc_auc", None),
        ("pointwise", {}, "neg_brier_score", None),
    ]
    for need, more, scoring, message in cases:

        class Needs(BBC):
            requires = frozenset({"predictions", need})

        oof = made(**plain, **more)
        if scoring == "accuracy":
            oof = made(y_true=y, y_pred=y, **more)
        method = Needs(n_bootstraps=200, random_state=0)
        if message is None:
            assert method.estimate(oof, scoring).method == "bbc"
        else:
            with pytest.raises(ValueError, match=f"Needs .*{message}"):
                method.estimate(oof, scoring)


def test_the_policy_and_its_losses_are_reported():
    y = np.repeat([0, 1, 2], [45, 4, 1])
    oof = OOFPredictions(y_true=y, y_pred=y)
    details = BBC(n_bootstraps=400, random_state=0).estimate(oof, "f1_macro").details
    assert details["n_redrawn"] > 0 and details["n_lacking_class"] == 400
    assert any("400 of 400 draws lack class 2" in note for note in details["notes"])
    y = np.repeat([0, 1], [48, 2])
    oof = OOFPredictions(y_true=y, y_pred=y)
    one, two = (
        BBC(n_bootstraps=200, random_state=0, degenerate=Redraw(min_out_of_bag=least))
        .estimate(oof, "f1").details["n_lacking_class"] for least in (1, 2)
    )  # fmt: skip
    assert one == 0 < two


HUGE = OOFPredictions(
    y_true=np.linspace(-1, 1, 24),
    y_pred=np.linspace(-1, 1, 48).reshape(24, 2) * 1e300,
    fold=np.arange(24) % 4,
    classes=None,
)


STRATIFIED = OOFPredictions(
    y_true=np.tile([0, 1], 20), y_pred=1e300 * np.random.default_rng(0).normal(size=(40, 2)),
    fold=np.arange(40) // 2 % 5,
)  # fmt: skip
"""How much stratified folds hide is computed from squares, too."""


@pytest.mark.parametrize(("oof", "n_jobs"), [(HUGE, 1), (HUGE, 2), (STRATIFIED, 1)])
@pytest.mark.parametrize("name", sorted(_INTERVALS))
def test_overflow_brings_no_warning_of_numpy(name, oof, n_jobs):
    """Scores of 1e300 have squares beyond all numbers; threads have settings of their own."""
    method = as_interval(name)
    given = {"n_bootstraps": 200, "random_state": 0, "n_jobs": n_jobs, "form": "normal"}
    method.set_params(**{k: v for k, v in given.items() if k in method.get_params()})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", IntervalWarning)
        try:
            result = method.estimate(oof, "neg_mean_absolute_error")
        except ValueError as error:
            assert len(str(error)) > 30
            return
    if not np.isfinite([result.estimate, *result]).all():
        assert result.details["reason"]


@pytest.mark.parametrize("method", [BBC(n_bootstraps=200, random_state=0), BBCF()])
def test_a_scorer_of_the_user_is_called_with_the_settings_of_the_user(method):
    def overflowing(estimator, X, y):
        return float(np.float64(1e300) * 1e10 > 0) + np.abs(estimator.predict(X) - y).mean()

    y = np.arange(24.0)
    oof = OOFPredictions(y_true=y, y_pred=y[:, None] + [0.5, 1], fold=y % 6, classes=None)
    with pytest.warns(RuntimeWarning, match="overflow"):
        method.estimate(oof, overflowing)
    with warnings.catch_warnings(), np.errstate(over="ignore"):
        warnings.simplefilter("error", RuntimeWarning)
        method.estimate(oof, overflowing)


RULES = [OrderStatistic(), LinearQuantile(), NormalScoreQuantile()]
ANY_OF_QUANTILES = Metric(name="any", scorer=max)
"""Without a range, for draws that are ranks."""
SIZES, LEVELS = st.integers(1, 3000), st.floats(1e-4, 1 - 1e-4)


def bounds(draws, rule, level=0.9, **given):
    result = BBC(quantile=rule, confidence_level=level)._from_draws(
        np.asarray(draws), ANY_OF_QUANTILES, **given
    )
    return result.low, result.high


@given(SIZES, LEVELS)
def test_every_rule_stays_among_the_draws_and_rises_with_the_level(n, level):
    for rule in RULES:
        index, share = rule.place(n, level)
        assert 0 <= index < n
        assert 0 <= share <= 1
        assert share == 0 or index < n - 1
        assert sum(rule.place(n, level / 2)) <= index + share


def test_normal_scores_by_hand():
    """Of 9 draws the k-th has level k / 10; 0.15 lies between the first and the second."""
    index, share = NormalScoreQuantile().place(9, 0.15)
    z = norm.ppf([0.1, 0.15, 0.2])
    assert index == 0
    assert share == pytest.approx((z[1] - z[0]) / (z[2] - z[0]), rel=1e-12)
    index, share = NormalScoreQuantile().place(9, 0.19)
    z = norm.ppf([0.1, 0.19, 0.2])
    assert index == 0
    assert share == pytest.approx((z[1] - z[0]) / (z[2] - z[0]), rel=1e-12)
    assert NormalScoreQuantile().place(9, 0.05) == (0, 0.0)  # beyond the extreme draw
    assert NormalScoreQuantile().place(9, 0.97) == (8, 0.0)
    assert NormalScoreQuantile().place(9, 1.0) == (8, 0.0)


@pytest.mark.parametrize(
    "place", [(-1, 0.0), (50, 0.0), (49, 0.5), (3, 1.5), (3, -0.5), (3, np.nan)]
)
def test_a_rule_of_ones_own_must_point_at_a_draw(place):
    class Wrong(QuantileRule):
        def place(self, n_draws, level):
            return place

    with pytest.raises(ValueError, match="must return a draw from 0 to 49"):
        bounds(np.arange(50.0), Wrong())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_infinite_draws_give_infinite_bounds_not_undefined_ones(rule):
    draws = np.r_[np.full(10, -np.inf), np.zeros(40)]
    assert bounds(draws, rule) == (-np.inf, 0)
    result = BBC(quantile=rule)._from_draws(draws, ANY_OF_QUANTILES)
    assert np.isnan(result.estimate) and "would be -inf" in result.details["reason"]
