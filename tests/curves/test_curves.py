"""Curves of the selected configuration: each equals scikit-learn's, and draws are BBC's."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import precision_recall_curve, roc_auc_score, roc_curve
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.curves import (
    ROC,
    Calibration,
    NetBenefit,
    PrecisionRecall,
    RegressionCalibration,
    corrected_curve,
)
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import expected_calibration_error
from sklearn_bbc.selection import OneStandardError, WithThreshold
from tests.made import made

N = 120
RNG = np.random.default_rng(5)
Y = RNG.integers(0, 2, N)
RISKS = 1 / (1 + np.exp(-((2 * Y - 1)[:, None] * np.linspace(0, 1, 8) + RNG.normal(size=(N, 8)))))
FOLD = np.arange(N) % 5
KINDS = ["roc", "precision_recall", "calibration", "net_benefit"]
GRID = np.array([0.05, 0.2, 0.5, 0.8])


def oof(y_pred=RISKS, y=Y, **fields):
    return made(**{"y_true": y, "y_pred": y_pred, "fold": FOLD, **fields})


def sklearn_roc(y, s, w, grid):
    x, up, _ = roc_curve(y, s, sample_weight=w, drop_intermediate=False)
    return np.interp(grid, x, up)


def sklearn_precision(y, s, w, grid):
    precision, recall, _ = precision_recall_curve(y, s, sample_weight=w)
    return np.array([precision[recall >= r - 1e-12][-1] for r in grid])


def by_hand_benefit(y, s, w, grid):
    return np.array(
        [
            (w[(s >= t) & y].sum() - w[(s >= t) & ~y].sum() * t / (1 - t)) / w.sum()
            for t in grid
        ]
    )  # fmt: skip


ORACLES = {
    ROC: sklearn_roc,
    PrecisionRecall: sklearn_precision,
    NetBenefit: by_hand_benefit,
}


@pytest.mark.parametrize("kind", ORACLES)
@given(seed=st.integers(0, 10**6), n_values=st.integers(2, 30), whole=st.booleans())
def test_a_curve_on_weighted_samples_is_that_of_its_oracle(kind, seed, n_values, whole):
    rng = np.random.default_rng(seed)
    y = rng.random(30) < 0.4
    y[:2] = True, False
    scores = rng.integers(1, n_values, 30) / n_values  # many ties
    weights = rng.integers(0, 4, (3, 30)) if whole else rng.random((3, 30))
    weights[:, :2] = 1
    values = kind().values(y, scores, weights, GRID)
    for row, w in zip(values, weights):
        keep = w > 0
        expected = ORACLES[kind](y[keep], scores[keep], w[keep].astype(float), GRID)
        np.testing.assert_allclose(row, expected, rtol=1e-12, atol=1e-12)


def test_bins_are_those_of_calibration_curve():
    kind = Calibration(bins=6)
    grid = kind.grid_of(Y == 1, RISKS[:, 3])
    share, mean = calibration_curve(Y, RISKS[:, 3], n_bins=6)
    np.testing.assert_allclose(grid, mean)
    values = kind.values(Y == 1, RISKS[:, 3], np.ones((1, N)), grid)
    np.testing.assert_allclose(values[0], share)


def exact_bins(y, risks, n_bins):
    """Mean risk and share of positives, (n_bins, 2), of risks given as fractions.

    Bin k holds more than (k - 1) / n_bins, up to k / n_bins.
    """
    found = {}
    for label, risk in zip(y.tolist(), risks):
        found.setdefault(max(math.ceil(risk * n_bins), 1), []).append((risk, label))
    rows = [np.mean(each, axis=0) for _, each in sorted(found.items())]
    return np.array(rows, dtype=float)


WAYS = {
    "as typed": lambda k, n: k / n,
    "sums": lambda k, n: min(sum([1 / n] * k), 1.0),
    "one minus the other": lambda k, n: 1 - (n - k) / n,
    "a little below": lambda k, n: np.nextafter(k / n, 0),
    "a little above": lambda k, n: min(np.nextafter(k / n, 1), 1.0),
    "single precision": lambda k, n: float(np.float32(k / n)),
}
"""How a risk of k / n comes about; all mean the same."""


@pytest.mark.one_in(4)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n_neighbours", [3, 5, 10, 20])
@pytest.mark.parametrize("n_bins", [2, 5, 7, 10])
def test_a_risk_on_an_edge_belongs_to_the_bin_below_however_it_is_stored(
    n_bins, n_neighbours, way
):
    rng = np.random.default_rng([n_bins, n_neighbours])
    k = rng.integers(0, n_neighbours + 1, 90)
    y = rng.random(90) < k / n_neighbours
    y[:2] = True, False
    risks = np.array([WAYS[way](each, n_neighbours) for each in k.tolist()])
    expected = exact_bins(y, [Fraction(each, n_neighbours) for each in k.tolist()], n_bins)
    given = oof(risks[:, None], y.astype(int), fold=np.arange(90) % 5)
    result = corrected_curve(
        given,
        "neg_brier_score",
        Calibration(bins=n_bins),
        method=BBC(n_bootstraps=20, random_state=0),
    )
    np.testing.assert_allclose(np.stack([result.grid, result.apparent], 1), expected, atol=1e-6)
    assert (np.diff(result.grid) > 0).all()
    sizes = np.unique(np.maximum(-(-k * n_bins // n_neighbours), 1), return_counts=True)[1]
    error = np.average([abs(a - b) for a, b in expected], weights=sizes)
    assert expected_calibration_error(y, risks, n_bins=n_bins) == pytest.approx(error, abs=1e-6)


@pytest.mark.parametrize("risk", [0.1, 0.3, 0.5, 0.7, 0.9])
@pytest.mark.parametrize("bins", [10, None])
def test_of_a_constant_risk_there_is_one_point(risk, bins):
    """Also where it is stored in two ways; what is drawn elsewhere is the same everywhere."""
    same = np.where(np.arange(N) % 2, risk, np.nextafter(risk, 1))
    share = (Y == 1).mean()
    for risks in (np.full(N, risk), same):
        given = oof(risks[:, None])
        result = corrected_curve(
            given,
            "neg_brier_score",
            Calibration(bins=bins),
            method=BBC(n_bootstraps=50, random_state=0),
        )
        assert result.grid == pytest.approx([risk]) and result.apparent == pytest.approx([share])
        assert result.estimate == pytest.approx([share], abs=0.05)
    if bins is None:
        values = Calibration().values(Y == 1, same, np.ones((1, N)), GRID)
        np.testing.assert_allclose(values, share)


def test_bins_hold_risks_of_both_precisions():
    """Models that compute in single precision beside others, in one search."""
    k = np.tile(np.arange(11), 12)
    y = (np.arange(132) * 7 % 11 < k).astype(int)
    double, single = k / 10, (k / 10).astype(np.float32).astype(float)
    expected = exact_bins(y == 1, [Fraction(each, 10) for each in k.tolist()], 10)
    kind = Calibration(bins=10)
    for own in (double, single):
        grid = kind.grid_of(y == 1, own)
        for read in (double, single):
            shares = kind.values(y == 1, read, np.ones((1, 132)), grid)[0]
            np.testing.assert_allclose(shares, [share for _, share in expected])


@pytest.mark.parametrize("specificity", [0.9, 0.8, 0.7, 0.6, 0.4, 0.1])
def test_a_point_at_which_the_curve_rises_is_that_point_whatever_its_last_bit(specificity):
    """1 - 0.9 is less than 0.1, and 3 * 0.1 more than 0.3."""
    y, scores = np.arange(30) % 3 == 0, np.arange(30)[::-1]
    at = 1 - specificity
    grid = np.array([np.nextafter(at, 0), at, np.nextafter(at, 1), round(at, 1)])
    values = ROC().values(y, scores, np.ones((1, 30)), np.sort(grid))[0]
    np.testing.assert_allclose(values, values[-1], rtol=1e-12)
    thirds = np.full((1, 30), 1 / 3)  # sums of these are rounded
    np.testing.assert_allclose(ROC().values(y, scores, thirds, np.sort(grid))[0], values)


def test_bins_of_weighted_samples_stand_at_their_weighted_mean_risk():
    weights = RNG.integers(0, 3, N).astype(float)
    risks, inside = RISKS[:, 3], np.searchsorted([0.25, 0.5, 0.75], RISKS[:, 3])
    weights[inside == 1] = 0
    method = BBC(n_bootstraps=50, random_state=0)
    given = oof(risks[:, None], sample_weight=weights)
    result = corrected_curve(given, "roc_auc", Calibration(bins=4), method=method)
    for k, (point, share) in enumerate(zip(result.grid, result.apparent, strict=True)):
        rows = np.flatnonzero(inside == [0, 2, 3][k])
        rows = np.repeat(rows, weights[rows].astype(int))  # copies
        assert point == pytest.approx(risks[rows].mean(), rel=1e-12)
        assert share == pytest.approx(Y[rows].mean(), rel=1e-12)


def test_the_smooth_curve_is_a_logistic_regression_on_a_spline():
    weights = RNG.integers(0, 3, (4, N))
    risks = RISKS[:, 5]
    values = Calibration().values(Y == 1, risks, weights, GRID)
    knots = np.quantile(np.log(risks / (1 - risks)), [0.1, 0.5, 0.9], method="inverted_cdf")

    def columns(p):
        x = np.log(p / (1 - p))
        a, b, c = (np.maximum(x - knot, 0) ** 3 for knot in knots)
        t = knots
        return np.column_stack([x, a - b * (t[2] - t[0]) / (t[2] - t[1])
                                + c * (t[1] - t[0]) / (t[2] - t[1])])  # fmt: skip

    for row, w in zip(values, weights):
        model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000)
        model.fit(columns(risks), Y, sample_weight=w)
        np.testing.assert_allclose(row, model.predict_proba(columns(GRID))[:, 1], atol=2e-4)


def test_calibration_of_a_regression_is_least_squares():
    predicted, y = RNG.normal(size=N), RNG.normal(size=N)
    weights = RNG.integers(0, 3, (2, N))
    values = RegressionCalibration().values(y, predicted, weights, GRID)
    t = np.quantile(predicted, [0.1, 0.5, 0.9], method="inverted_cdf")

    def columns(x):
        a, b, c = (np.maximum(x - knot, 0) ** 3 for knot in t)
        return np.column_stack([x, a - b * (t[2] - t[0]) / (t[2] - t[1])
                                + c * (t[1] - t[0]) / (t[2] - t[1])])  # fmt: skip

    for row, w in zip(values, weights):
        model = LinearRegression().fit(columns(predicted), y, sample_weight=w)
        np.testing.assert_allclose(row, model.predict(columns(GRID)), rtol=1e-5, atol=1e-7)


EXTRA = {
    "samples": {},
    "groups": {"groups": np.arange(N) // 2},
    "weights": {"sample_weight": np.tile([1.0, 2.0], N // 2)},
}


@pytest.mark.parametrize("extra", EXTRA.values(), ids=EXTRA)
def test_draws_select_as_bbc_and_average_the_winners_curves_out_of_bag(extra):
    predictions = oof(**extra)
    seen = []

    class Recorded(ROC):
        def values(self, y, scores, weights, grid):
            values = super().values(y, scores, weights, grid)
            seen.append((scores, weights, values))
            return values

    grid = np.linspace(0, 1, 401)
    result = corrected_curve(
        predictions, "roc_auc", Recorded(), grid=grid, method=BBC(n_bootstraps=50, random_state=3)
    )
    bbc = BBC(n_bootstraps=50, random_state=3).estimate(predictions, "roc_auc")
    assert result.details["won"] == bbc.details["won"]
    np.testing.assert_allclose(np.trapezoid(result.estimate, grid), bbc.estimate, atol=5e-3)
    own = extra.get("sample_weight", np.ones(N))
    for scores, weights, values in seen[1:]:
        config = int(np.flatnonzero((RISKS == scores[:, None]).all(axis=0))[0])
        for w, value in zip(weights, values):
            in_bag_is_rest = w == 0
            assert 0.2 < in_bag_is_rest.mean() < 0.95
            assert set(np.unique(w[w > 0])) <= set(np.unique(own))
            np.testing.assert_allclose(
                value, sklearn_roc(Y[w > 0], RISKS[w > 0, config], w[w > 0], grid)
            )
    apparent = seen[0][2][0]
    np.testing.assert_array_equal(result.apparent, apparent)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_limits_are_those_of_a_plain_loop_over_the_draws(level):
    """Draws that vary at all points but one, where the curve is the same in all of them."""
    seen = []

    class Shown(NetBenefit):
        def values(self, y, scores, weights, grid):
            values = super().values(y, scores, weights, grid)
            values[:, 1] = 0.2
            seen.append(values)
            return values

        def _unseen(self, grid, estimate, shares):
            return estimate - 0.001, estimate + 0.002

    one = oof(RISKS[:, :1])  # a single configuration: the draws come in their order
    method = BBC(n_bootstraps=200, random_state=0, confidence_level=level)
    result = corrected_curve(one, "roc_auc", Shown(), grid=GRID, method=method)
    draws = np.concatenate(seen[1:])
    assert len(draws) == 200
    middle, spread = draws.mean(axis=0), draws.std(axis=0)
    away = [np.abs(draw - middle)[[0, 2, 3]] / spread[[0, 2, 3]] for draw in draws]
    factor = np.quantile(np.max(away, axis=1), level)
    np.testing.assert_allclose(result.estimate, middle, rtol=1e-12)
    for point in range(4):
        low, high = np.quantile(draws[:, point], [(1 - level) / 2, (1 + level) / 2])
        reach = factor * spread[point]
        ends = middle[point] - 0.001, middle[point] + 0.002
        if point == 1:
            low, high, reach = *ends, 0
        found = [getattr(result, name)[point] for name in LIMITS]
        joint = [
            min(low, ends[0], middle[point] - reach),
            max(high, ends[1], middle[point] + reach),
        ]
        np.testing.assert_allclose(found, [low, high, *joint], rtol=1e-12)


LIMITS = ("low", "high", "low_joint", "high_joint")


@pytest.mark.parametrize("kind", KINDS)
def test_limits_hold_each_other(kind):
    result = corrected_curve(oof(), "roc_auc", kind, method=BBC(n_bootstraps=200, random_state=0))
    frame = result.frame()
    assert (frame["low"] <= frame["high"]).all()
    width = frame["high"] - frame["low"]
    joint = frame["high_joint"] - frame["low_joint"]
    assert (joint >= width).all()
    other = corrected_curve(
        oof(), "roc_auc", kind, method=BBC(n_bootstraps=200, random_state=0, n_jobs=2)
    )
    assert other == result and pickle.loads(pickle.dumps(result)) == result
    assert result != corrected_curve(
        oof(), "roc_auc", kind, method=BBC(n_bootstraps=200, random_state=1)
    )
    less = corrected_curve(
        oof(), "roc_auc", kind, method=BBC(n_bootstraps=200, random_state=0, confidence_level=0.5)
    )
    assert (less.high_joint - less.low_joint <= result.high_joint - result.low_joint + 1e-12).all()
    np.testing.assert_array_equal(less.estimate, result.estimate)


def test_a_perfect_and_a_constant_model():
    perfect = corrected_curve(
        oof(np.column_stack([Y, Y * 0.5 + 0.2])),
        "roc_auc",
        method=BBC(n_bootstraps=50, random_state=0),
    )
    assert (perfect.estimate == 1).all() and perfect.low_joint[-1] == 1
    constant = corrected_curve(
        oof(np.full((N, 2), 0.5)), "roc_auc", method=BBC(n_bootstraps=50, random_state=0)
    )
    np.testing.assert_allclose(constant.estimate, constant.grid)


EACH = 1 - 0.025 ** (1 / 60)  # exact limit of a share of which 60 samples showed none
BOTH = 1 - 0.025 ** (1 / 120)


@pytest.mark.parametrize(
    ("kind", "grid", "low", "high"),
    [
        # As many negatives as 0.05 of them may lie above all positives.
        ("roc", [0.05, 0.1, 0.5, 1.0], [0, 1 - EACH, 1 - EACH, 1], [1, 1, 1, 1]),
        ("precision_recall", [0.5, 1.0], [0.5 / (0.5 + EACH / (1 - EACH)), 1 - EACH], [1, 1]),
        # Nobody has a risk of 0.9 or more.
        ("net_benefit", [0.9, 0.95], [-9 * BOTH, -19 * BOTH], [BOTH, BOTH]),
    ],
)
def test_where_all_draws_agree_limits_hold_what_was_not_seen(kind, grid, low, high):
    half = np.arange(N) % 2
    given = oof(np.column_stack([0.7 * half + 0.1] * 2), half)
    options = {"grid": grid, "method": BBC(n_bootstraps=60, random_state=0)}
    result = corrected_curve(given, "roc_auc", kind, **options)
    for found in ((result.low, result.high), (result.low_joint, result.high_joint)):
        np.testing.assert_allclose(found, [low, high], rtol=1e-12)
    in_pairs = oof(
        np.column_stack([0.7 * half + 0.1] * 2), half, groups=np.arange(N) // 4 * 2 + half
    )
    wider = corrected_curve(in_pairs, "roc_auc", kind, **options)
    assert (wider.low_joint <= result.low_joint).all() and (
        wider.low_joint < result.low_joint
    ).any()


@pytest.mark.parametrize("zero", [False, True])
def test_what_was_not_seen_counts_positives_and_negatives_apart(zero):
    third = (np.arange(N) % 3 == 0).astype(int)
    weight = np.ones(N)
    weight[:30] = 0 if zero else 1
    given = oof(np.column_stack([0.7 * third + 0.1] * 2), third, sample_weight=weight)
    result = corrected_curve(
        given, "roc_auc", grid=[0.5], method=BBC(n_bootstraps=60, random_state=0)
    )
    assert result.low_joint[0] == pytest.approx(0.025 ** (1 / (30 if zero else 40)), rel=1e-12)


def test_what_is_read_of_predictions():
    options = {"grid": GRID, "method": BBC(n_bootstraps=50, random_state=0)}
    plain = corrected_curve(oof(), "roc_auc", **options)
    both = corrected_curve(oof(np.stack([1 - RISKS, RISKS], axis=2)), "roc_auc", **options)
    assert both.frame().equals(plain.frame()) and plain.high_joint[0] < 1
    doubled = corrected_curve(oof(4 * RISKS - 2), "roc_auc", **options)  # decision values
    np.testing.assert_allclose(doubled.frame(), plain.frame())
    y = DECISIONS[:, 0]
    target = oof(np.column_stack([y + 1, RISKS[:, 0]]), y)
    shape = RegressionCalibration(n_points=3)
    regression = corrected_curve(
        target, "neg_mean_squared_error", shape, method=BBC(n_bootstraps=50)
    )
    expected = shape.values(y, regression.predicted, np.ones((1, N)), regression.grid)[0]
    np.testing.assert_allclose(regression.apparent, expected, rtol=1e-9)
    assert (
        len(corrected_curve(oof(), "roc_auc", "net_benefit", method=BBC(n_bootstraps=50)).grid)
        == 99
    )


def test_without_signal_the_corrected_curve_is_nearer_to_no_skill():
    noise = np.random.default_rng(0).random((N, 100))
    result = corrected_curve(oof(noise), "roc_auc", method=BBC(n_bootstraps=300, random_state=0))
    away = np.abs(np.column_stack([result.apparent, result.estimate]) - result.grid[:, None])
    assert away.mean(axis=0)[1] < away.mean(axis=0)[0] / 2
    assert (result.low_joint <= result.grid).all() and (result.high_joint >= result.grid).all()


def test_the_first_class_as_the_positive_one_mirrors_the_scores():
    labels = np.where(Y == 1, "a case", "control")
    first = OOFPredictions(y_true=labels, y_pred=RISKS, fold=FOLD, pos_label="a case")
    for kind in KINDS:
        one = corrected_curve(
            first, "roc_auc", kind, grid=GRID, method=BBC(n_bootstraps=50, random_state=0)
        )
        two = corrected_curve(
            oof(), "roc_auc", kind, grid=GRID, method=BBC(n_bootstraps=50, random_state=0)
        )
        np.testing.assert_allclose(one.estimate, two.estimate, rtol=1e-9)
        assert one.details["positive_class"] == "a case"


THREE = np.arange(N) % 3
OF_THREE = RNG.random((N, 4, 3)) + np.linspace(0, 1, 4)[:, None] * np.eye(3)[THREE][:, None]
OF_THREE /= OF_THREE.sum(axis=2, keepdims=True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("label", [0, 1, 2])
def test_one_of_several_classes_is_drawn_against_the_rest(kind, label):
    one_config = [OF_THREE[:, 3:], OF_THREE[:, 3:, label]]  # nothing to select
    options = {"grid": GRID, "method": BBC(n_bootstraps=50, random_state=0)}
    one = corrected_curve(oof(one_config[0], THREE), "accuracy", kind, pos_label=label, **options)
    alone = oof(one_config[1], (THREE == label).astype(int))
    two = corrected_curve(alone, "neg_brier_score", kind, **options)
    for name in ("apparent", "estimate", "low_joint", "high_joint"):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), rtol=1e-12)
    assert f"The positive class is {label}, against the other 2 classes." in one.summary()
    assert "positive class" not in two.summary()


def test_a_class_that_is_named_is_the_positive_one():
    options = {"method": BBC(n_bootstraps=50, random_state=0)}
    given = corrected_curve(oof(), "roc_auc", "precision_recall", pos_label=0, **options)
    risks = 1 - RISKS[:, given.details["winner"]]
    np.testing.assert_allclose(given.apparent, sklearn_precision(1 - Y, risks, None, given.grid))
    assert given.summary().endswith("The positive class is 0.")


def test_a_search_takes_one_class_against_the_rest():
    X = RNG.normal(size=(N, 3)) + np.eye(3)[THREE]
    labels = np.array(["low", "middle", "high"])[THREE]
    model = LogisticRegression()
    search = BBCSearchCV(model, {"C": [0.01, 1]}, scoring="neg_log_loss", random_state=0, ci=[])
    search.fit(X, labels)
    result = search.curve("roc", pos_label="low", grid=GRID, method=BBC(n_bootstraps=50))
    column = search.oof_.responses["predict_proba"][search.best_index_, :, 1]
    y = labels[search.oof_.sample] == "low"
    np.testing.assert_allclose(result.apparent, sklearn_roc(y, column, None, GRID))
    stability = search.prediction_stability(pos_label="low", method=BBC(n_bootstraps=50))
    in_order = np.empty(N)
    in_order[search.oof_.sample] = column
    np.testing.assert_allclose(stability.predicted, in_order)
    assert "positive class is 'low', against the other 2 classes" in stability.summary()
    with pytest.raises(ValueError, match="Take one against the rest: pos_label='middle'"):
        search.prediction_stability()


def test_repeats_are_averaged():
    two = np.stack([RISKS, RISKS[:, ::-1]])
    repeated = OOFPredictions(y_true=Y, y_pred=two, fold=np.stack([FOLD, FOLD]))
    result = corrected_curve(
        repeated, "roc_auc", grid=GRID, method=BBC(n_bootstraps=50, random_state=0)
    )
    winner = result.details["winner"]
    each = [sklearn_roc(Y, two[k, :, winner], None, GRID) for k in range(2)]
    np.testing.assert_allclose(result.apparent, np.mean(each, axis=0))


def test_the_area_under_the_apparent_curve_is_the_score():
    result = corrected_curve(
        oof(), "roc_auc", grid=np.linspace(0, 1, 5001), method=BBC(n_bootstraps=50, random_state=0)
    )
    best = roc_auc_score(Y, RISKS[:, result.details["winner"]])
    assert np.trapezoid(result.apparent, result.grid) == pytest.approx(best, abs=1e-3)


@pytest.mark.long
def test_a_search_takes_the_curve_of_what_it_selected_by_its_own_rule():
    X = RNG.normal(size=(N, 3))
    grid = {"max_depth": [1, 2, 4], "min_samples_leaf": [1, 10]}
    tree = DecisionTreeClassifier(random_state=0)
    scoring = ["accuracy", "roc_auc"]
    few = {"cv": 3, "ci": []}
    search = BBCSearchCV(tree, grid, scoring=scoring, refit="accuracy", random_state=0, **few)
    result = search.fit(X, Y).curve("roc", method=BBC(n_bootstraps=50))
    expected = corrected_curve(
        search.oof_, "accuracy", "roc", method=BBC(n_bootstraps=50, random_state=0)
    )
    assert result.details["winner"] == search.best_index_ and result.metric == "accuracy"
    np.testing.assert_array_equal(result.estimate, expected.estimate)
    rule = OneStandardError(["max_depth"])
    own = BBCSearchCV(tree, grid, scoring="roc_auc", refit=rule, random_state=0, **few).fit(X, Y)
    assert own.curve(method=BBC(n_bootstraps=50)).details["winner"] == own.best_index_
    labels = BBCSearchCV(tree, {"max_depth": [1, 2]}, scoring="accuracy", **few).fit(X, Y)
    with pytest.raises(ValueError, match="record='predict_proba'"):
        labels.curve("calibration")
    labels.set_params(record="predict_proba").fit(X, Y).curve(
        "calibration", method=BBC(n_bootstraps=50)
    )


def test_configurations_without_risks():
    def calibration(columns, without):
        decisions = RISKS[:, columns].T
        responses = {"decision_function": decisions, "predict_proba": decisions.copy()}
        responses["predict_proba"][without] = np.nan
        given = OOFPredictions.from_rows(y_true=Y, responses=responses, fold=FOLD)
        return corrected_curve(
            given, "roc_auc", "calibration", method=BBC(n_bootstraps=60, random_state=0)
        )

    never_wins = calibration([0, 6, 7], 0)
    assert "n_undefined" not in never_wins.details and np.isfinite(never_wins.estimate).all()
    best = calibration([6, 7], []).details["winner"]
    with pytest.raises(ValueError, match="is selected, did not give"):
        calibration([6, 7], best)
    with pytest.raises(UndefinedIntervalError, match="draws, in which configurations win"):
        calibration([6, 7], 1 - best)


DECISIONS = RNG.normal(size=(N, 3))


def drawn(curve="roc", predictions=None, scoring="roc_auc", **options):
    return lambda: corrected_curve(predictions or oof(), scoring, curve, **options)


FEW = oof(y=(np.arange(N) < 2).astype(int))
# Decision values of three classes may be those of the three pairs of classes.
PAIRS = OOFPredictions.from_rows(
    y_true=THREE, responses={"decision_function": OF_THREE.transpose(1, 0, 2)}, fold=FOLD
)
SCORES_ONLY = OOFPredictions.from_fold_scores(
    y_true=Y, fold_scores={"accuracy": RNG.random((5, 2))}
)
TIMES = np.array([(True, t) for t in range(1, N + 1)], dtype=[("event", bool), ("time", float)])
REFUSALS = [
    (drawn("ROC"), ValueError, "Did you mean 'roc'"),
    (drawn("rocc"), ValueError, "Did you mean 'roc'"),
    (drawn("pr"), ValueError, "Did you mean 'precision_recall'"),
    (drawn("precision-recall"), ValueError, "Did you mean 'precision_recall'"),
    (drawn("calibration_curve"), ValueError, "Did you mean 'calibration'"),
    (drawn("decision_curve"), ValueError, "Did you mean 'net_benefit'"),
    (drawn(ROC), ValueError, r"the class ROC. Pass an object: ROC\(\)"),
    (drawn(grid=50), ValueError, r"got 50. For so many points: curve=ROC\(n_points=50\)"),
    (drawn("net_benefit", grid=0.2), ValueError, "one after the other, such as"),
    (drawn(grid=[-0.5, 2]), ValueError, "1 - specificity from 0 up to 1, got -0.5 to 2"),
    (drawn("calibration", grid=[10, 20]), ValueError, "risks from 0 up to 1.*In per cent"),
    (drawn("net_benefit", grid=[10, 20]), ValueError, "below 1"),
    (drawn("precision_recall", grid=[0.5, 1.5]), ValueError, "recalls above 0 up to 1"),
    (drawn(scoring=None), ValueError, "metric by which the configuration is selected"),
    (drawn("roc", oof(DECISIONS, TIMES), "concordance_index"), ValueError, "auc_over_time"),
    (drawn("calibration", oof(DECISIONS)), ValueError, "predict_proba"),
    (drawn("net_benefit", oof(DECISIONS)), ValueError, "Decision values"),
    (drawn("net_benefit", grid=[0.0, 0.5]), ValueError, "above 0"),
    (drawn("net_benefit", grid=[0.5, 1.0]), ValueError, "below 1"),
    (drawn(NetBenefit(low=0.4, high=0.4)), ValueError, "ascending"),
    (drawn("roc", SCORES_ONLY, "accuracy"), ValueError, "only fold scores"),
    (drawn("roc", oof(y=(np.arange(N) >= 2).astype(int))), UndefinedIntervalError, "at least 3"),
    (drawn("precision_recall", grid=[0.0, 0.2]), ValueError, "recalls"),
    (drawn("calibration", oof((DECISIONS > 0).astype(float))), ValueError, "only 0 and 1"),
    (drawn("roc", oof(DECISIONS, DECISIONS[:, 0]), "r2"), ValueError, "take .regression_calib"),
    (drawn("roc", oof(OF_THREE, THREE), "accuracy"), ValueError, "one against"),
    (drawn("roc", oof(OF_THREE, THREE), "accuracy", pos_label=3), ValueError, r"1, 2\], got 3"),
    (drawn("roc", oof(RISKS > 0.5, THREE), "accuracy", pos_label=1), ValueError, "each class"),
    (drawn("roc", PAIRS, "accuracy", pos_label=1), ValueError, "only decision_function"),
    (drawn(RegressionCalibration(), oof(DECISIONS, DECISIONS[:, 0]), "r2", pos_label=1),
     ValueError, "no positive class"),
    (drawn(RegressionCalibration()), ValueError, "continuous target; 'calibration' is"),
    (drawn(method=BBC(selection=WithThreshold("f1"))), ValueError, "one configuration"),
    (drawn("roc", FEW), UndefinedIntervalError, "at least 3"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "word"), REFUSALS)
def test_what_cannot_be_drawn_is_refused(call, error, word):
    with pytest.raises(error, match=word):
        call()


@pytest.mark.parametrize("n", [10, 100])
@pytest.mark.parametrize("kind", [float, np.float32])
@pytest.mark.parametrize("pos_label", [0, 1])
def test_who_has_a_risk_of_exactly_the_threshold_is_treated(n, kind, pos_label):
    """Risks and thresholds in hundredths: integers decide who reaches which."""
    rng = np.random.default_rng(n)
    y, parts = rng.integers(0, 2, 400), rng.integers(0, n + 1, 400) * (100 // n)
    risks = (parts / 100).astype(kind)[:, None]
    predictions = OOFPredictions(y_true=y, y_pred=risks, fold=np.arange(400) % 5)
    result = corrected_curve(
        predictions,
        "neg_brier_score",
        "net_benefit",
        pos_label=pos_label,
        method=BBC(n_bootstraps=20),
    )
    positive, parts = y == pos_label, parts if pos_label else 100 - parts
    for percent, found in zip(range(1, 100), result.apparent, strict=True):
        treated = parts >= percent
        odds = percent / (100 - percent)
        expected = (positive[treated].sum() - odds * (~positive[treated]).sum()) / 400
        assert found == pytest.approx(expected, abs=1e-12)
    assert result.grid.tolist() == [percent / 100 for percent in range(1, 100)]


def test_the_roc_of_draws_without_negatives_is_undefined_and_not_a_number():
    """Selected by a metric that needs no class; a plain loop over the draws with scikit-learn."""
    rare = (np.arange(40) >= 6).astype(int)
    rng = np.random.default_rng(0)
    risks = np.clip(0.5 + 0.2 * (2 * rare - 1) + 0.3 * rng.normal(size=40), 0.01, 0.99)[:, None]
    given = OOFPredictions(y_true=rare, y_pred=risks, fold=np.arange(40) % 5)
    seen = []

    class Watched(ROC):
        def values(self, y, scores, weights, grid):
            found = super().values(y, scores, weights, grid)
            seen.append((weights, found))
            return found

    grid = [0.1, 0.5, 0.9]
    result = corrected_curve(
        given,
        "neg_brier_score",
        Watched(),
        grid=grid,
        method=BBC(n_bootstraps=300, random_state=0),
    )
    draws = [w for weights, _ in seen[1:] for w in weights]
    expected = np.array([
        sklearn_roc(rare[w > 0], risks[w > 0, 0], w[w > 0], grid)
        if len(np.unique(rare[w > 0])) == 2 else [np.nan] * 3
        for w in draws
    ])  # fmt: skip
    undefined = int(np.isnan(expected[:, 0]).sum())
    assert undefined == result.details["n_undefined"] > 5
    found = np.concatenate([found for _, found in seen[1:]])
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_allclose(result.estimate, np.nanmean(expected, axis=0), rtol=1e-12)
    fewer = OOFPredictions(y_true=(np.arange(40) >= 4).astype(int), y_pred=risks)
    with pytest.raises(UndefinedIntervalError, match="in which a class, or every sample with a"):
        corrected_curve(fewer, "neg_brier_score", method=BBC(n_bootstraps=300, random_state=0))


@pytest.mark.parametrize("kind", ["roc", "precision_recall", "net_benefit"])
def test_samples_without_a_class_or_a_weight(kind):
    shape = {"roc": ROC, "precision_recall": PrecisionRecall, "net_benefit": NetBenefit}[kind]()
    y, scores = np.array([True, True, False, False]), np.array([0.1, 0.9, 0.4, 0.6])
    weights = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 0]])
    with np.errstate(all="ignore"):
        found = shape.values(y, scores, weights, np.array([0.25, 0.5]))
    expected = {
        "roc": [[np.nan] * 2] * 3,
        "precision_recall": [[1, 1], [np.nan] * 2, [np.nan] * 2],
        "net_benefit": [[0.5, 0.5], [-1 / 3, -0.5], [np.nan] * 2],
    }
    np.testing.assert_allclose(found, expected[kind])


@pytest.mark.parametrize("extra", EXTRA.values(), ids=EXTRA)
def test_differences_to_treating_all_and_none_are_those_of_a_plain_loop(extra):
    seen = []

    class Watched(NetBenefit):
        def values(self, y, scores, weights, grid):
            seen.append((scores, weights))
            return super().values(y, scores, weights, grid)

    one = oof(RISKS[:, :1], **extra)  # a single configuration: the draws come in their order
    result = corrected_curve(
        one, "roc_auc", Watched(), grid=GRID, method=BBC(n_bootstraps=200, random_state=0)
    )
    rows = []
    for scores, weights in seen:
        for w in weights:
            share = w[Y == 1].sum() / w.sum()
            own = by_hand_benefit(Y == 1, scores, w, GRID)
            rows.append([own - (share - (1 - share) * GRID / (1 - GRID)), own])
    apparent, draws = np.array(rows[0]), np.array(rows[1:])
    n = 60 if "groups" in extra else 120
    unseen = 1 - 0.025 ** (1 / n)
    up, down = unseen * np.array([GRID / (1 - GRID), np.ones(4)]), unseen
    for k, name in enumerate(("treat all", "treat none")):
        found = result.frame(difference_to=name)
        np.testing.assert_allclose(found["apparent"], apparent[k], rtol=1e-12, atol=1e-12)
        middle, spread = draws[:, k].mean(axis=0), draws[:, k].std(axis=0)
        np.testing.assert_allclose(found["estimate"], middle, rtol=1e-9, atol=1e-12)
        low, high = np.quantile(draws[:, k], [0.025, 0.975], axis=0)
        factor = np.quantile(np.max(np.abs(draws[:, k] - middle) / spread, axis=1), 0.95)
        more = [down, up[0]] if k == 0 else [up[0], down]
        lowest = np.min([low, middle - more[0], middle - factor * spread], axis=0)
        highest = np.max([high, middle + more[1], middle + factor * spread], axis=0)
        np.testing.assert_allclose(found["low"], low, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found["low_joint"], lowest, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found["high_joint"], highest, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(result.frame("treat none")["estimate"], result.estimate)
    assert pickle.loads(pickle.dumps(result)) == result
    assert "The difference to treating all is " in str(result)


def test_who_is_treated_in_every_case_is_as_good_as_treating_all():
    """Only the share of positives varies between the draws: no band of it is in the difference."""
    sure = oof(np.full((N, 1), 0.99))
    result = corrected_curve(
        sure,
        "neg_brier_score",
        "net_benefit",
        grid=[0.3],
        method=BBC(n_bootstraps=100, random_state=0),
    )
    assert result.high[0] - result.low[0] > 0.1
    assert not result.frame("treat all")[["apparent", "estimate"]].any(axis=None)
    assert "The difference to treating all is 0.000 (" in result.summary()
    assert "At no point is it clearly above treating all and treating none." in result.summary()


def test_one_threshold_is_a_decision_curve():
    result = corrected_curve(
        oof(), "roc_auc", "net_benefit", grid=[0.3], method=BBC(n_bootstraps=50)
    )
    assert result.frame("treat all").shape == (1, 6)


def test_calibration_of_a_regression_has_the_same_name():
    y = DECISIONS[:, 0]
    target = oof(np.column_stack([y + 1, RISKS[:, 0]]), y)
    options = {"method": BBC(n_bootstraps=50, random_state=0)}
    named = corrected_curve(target, "neg_mean_squared_error", "calibration", **options)
    shape = corrected_curve(target, "neg_mean_squared_error", RegressionCalibration(), **options)
    assert named.curve == "regression_calibration"
    np.testing.assert_array_equal(named.estimate, shape.estimate)


def test_points_of_a_grid_are_found_by_their_decimals():
    for kind in ("roc", "precision_recall"):
        frame = corrected_curve(oof(), "roc_auc", kind, method=BBC(n_bootstraps=50)).frame()
        assert frame.index.tolist()[-100:] == [k / 100 for k in range(1, 101)]


def test_a_curve_names_the_metric_that_selects_and_not_the_one_that_is_asked_for():
    X = RNG.normal(size=(N, 3)) + Y[:, None]
    tree = DecisionTreeClassifier(random_state=0)
    search = BBCSearchCV(tree, {"max_depth": [1, 2, 4]}, scoring="roc_auc", random_state=0, ci=[])
    search.fit(X, Y)
    own = search.curve("roc", grid=GRID, method=BBC(n_bootstraps=50))
    for scoring in ("f1", "calibration_slope"):
        other = search.curve("roc", scoring=scoring, grid=GRID, method=BBC(n_bootstraps=50))
        assert other.metric == "roc_auc" and "selected by ROC AUC" in other.summary()
        np.testing.assert_allclose(other.estimate, own.estimate, atol=0.05)
    curve = search.optimism_curve(scoring="f1", n_subsets=3, method=BBC(n_bootstraps=50))
    assert curve.summary().startswith("The best of 3 configurations by ROC AUC has F1 score ")
    assert curve.details["selected_by"] == "roc_auc"
    assert (
        "selected_by"
        not in search.optimism_curve(n_subsets=3, method=BBC(n_bootstraps=50)).details
    )
