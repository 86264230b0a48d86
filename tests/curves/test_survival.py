"""Curves of survival times: each equals a plain loop and scikit-survival, and draws are BBC's."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer

from sklearn_bbc import OOFPredictions
from sklearn_bbc.curves import (
    ROC,
    AUCOverTime,
    BrierOverTime,
    Calibration,
    NetBenefit,
    RegressionCalibration,
    SurvivalCalibration,
    SurvivalNetBenefit,
    corrected_curve,
)
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import (
    concordance_index_score,
    neg_integrated_brier_score,
    neg_survival_brier_score,
)
from sklearn_bbc.selection import SelectedBy

N, AT = 120, 0.6
TIMES = np.array([0.3, 0.6, 0.9])
RISKS = np.array([0.15, 0.4, 0.7])
"""Where calibration and net benefit are read."""
LIMITS = ["apparent", "estimate", "low", "high", "low_joint", "high_joint"]


def make_data(seed=0, n=N, n_configs=4, step=0.0):
    """Event and time (n, 2), log hazards (n_configs, n); a `step` makes times tie."""
    rng = np.random.default_rng(seed)
    signal = rng.normal(size=n)
    time, end = rng.exponential(np.exp(-signal)), rng.exponential(1.5, n)
    y = np.column_stack([time <= end, np.minimum(time, end)]).astype(float)
    if step:
        y[:, 1] = np.ceil(y[:, 1] / step) * step
    skill = np.linspace(0.2, 0.9, n_configs)[:, None]
    return y, skill * signal + 0.5 * rng.normal(size=(n_configs, n))


Y, HAZARDS = make_data()
risk_turned = make_scorer(concordance_index_score, predicts="time")


def surviving(hazards, times=TIMES):
    return np.exp(-np.exp(hazards)[..., None] * np.asarray(times))


def named(times):
    return f"predict_survival_function({','.join(str(float(t)) for t in times)})"


def oof(y=Y, hazards=HAZARDS, times=TIMES, **fields):
    responses = {"predict": hazards, named(times): surviving(hazards, times)}
    return OOFPredictions.from_rows(
        y_true=y, responses=responses, fold=np.arange(len(y)) % 5, **fields
    )


def drawn(curve, predictions=None, scoring="concordance_index", *, draws=None, **options):
    method = BBC(**{"n_bootstraps": 50, "random_state": 0} | (draws or {}))
    return corrected_curve(predictions or oof(), scoring, curve, method=method, **options)


# --- what the curves are, sample by sample -----------------------------------------------------


def uncensored(y, weight, at, *, just_before=False):
    """Probability of being uncensored at a time, by the product over times of censoring."""
    value = 1.0
    for each in np.unique(y[y[:, 0] == 0, 1]):
        if each < at or (each == at and not just_before):
            lost = weight[(y[:, 1] == each) & (y[:, 0] == 0)].sum()
            value *= 1 - lost / (lost + weight[y[:, 1] > each].sum()) if lost else 1
    return value


def known(y, weight, at, censoring=None):
    """Whether each sample had the event by a time, and its weight over the chance to know it."""
    curve = (y, weight) if censoring is None else (censoring, np.ones(len(censoring)))
    case, inverse = np.zeros(len(y), dtype=bool), np.zeros(len(y))
    for i, (event, time) in enumerate(y):
        case[i] = event and time <= at
        if weight[i] and case[i]:
            inverse[i] = weight[i] / uncensored(*curve, time, just_before=True)
        elif weight[i] and time > at:
            inverse[i] = weight[i] / uncensored(*curve, at)
    defined = censoring is not None or weight[y[:, 1] > at].any()
    return case, inverse if defined else np.full(len(y), np.nan)


def brier_by_loop(y, risks, weight, grid, censoring):
    values = []
    for k, at in enumerate(grid):
        case, inverse = known(y, weight, at, censoring)
        values.append(sum(inverse * (risks[:, k] - case) ** 2) / weight.sum())
    return values


def auc_by_loop(y, hazards, weight, grid, censoring):
    values = []
    for at in grid:
        case, inverse = known(y, weight, at, censoring)
        better, pairs = 0.0, 0.0
        for i in np.flatnonzero(case):
            both = inverse[i] * inverse * ~case
            pairs += both.sum()
            better += both[hazards < hazards[i]].sum() + both[hazards == hazards[i]].sum() / 2
        values.append(better / pairs if pairs else np.nan)
    return values


def benefit_by_loop(y, risks, weight, grid, censoring):
    case, inverse = known(y, weight, AT, censoring)
    return [
        (inverse[case & (risks >= t)].sum() - inverse[~case & (risks >= t)].sum() * t / (1 - t))
        / weight.sum()
        for t in grid
    ]


def spline_of(risks, knots):
    x = np.log(risks / (1 - risks))
    a, b, c = (np.maximum(x - knot, 0) ** 3 for knot in knots)
    span = knots[2] - knots[1]
    return np.column_stack([
        x, a - b * (knots[2] - knots[0]) / span + c * (knots[1] - knots[0]) / span
    ])  # fmt: skip


def calibration_by_sklearn(y, risks, weight, grid, censoring):
    case, inverse = known(y, weight, AT, censoring)
    if np.isnan(inverse).any():
        return [np.nan] * len(grid)
    odds = np.log(risks / (1 - risks))
    knots = np.quantile(odds, [0.1, 0.5, 0.9], method="inverted_cdf")
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000)
    model.fit(spline_of(risks, knots), case, sample_weight=inverse)
    return model.predict_proba(spline_of(grid, knots))[:, 1]


CURVES = {
    "brier": (BrierOverTime, brier_by_loop, TIMES),
    "auc": (AUCOverTime, auc_by_loop, TIMES),
    "benefit": (SurvivalNetBenefit, benefit_by_loop, RISKS),
    "calibration": (SurvivalCalibration, calibration_by_sklearn, RISKS),
}


def curve_of(name, censoring=None):
    kind = CURVES[name][0]
    return kind(TIMES if name in ("brier", "auc") else AT, censoring=censoring)


def consumed(name, hazards):
    """What a curve reads of hazards (n,)."""
    if name == "auc":
        return hazards
    risks = 1 - surviving(hazards)
    return risks if name == "brier" else risks[:, 1]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("given", [False, True], ids=["of each draw", "given"])
@pytest.mark.parametrize("step", [0.0, 0.1], ids=["no ties", "ties"])
def test_a_curve_on_weighted_samples_is_that_of_a_plain_loop(name, given, step):
    y, hazards = make_data(1, 50, step=step)
    censoring = make_data(2, 40, step=step)[0] if given else None
    hazards = np.round(hazards[2] * 4) / 4  # ties
    rng = np.random.default_rng(0)
    weights = np.vstack([
        np.ones(50), rng.integers(0, 3, (3, 50)), rng.random((2, 50)), y[:, 1] <= AT,
    ])  # fmt: skip
    if name == "calibration":
        weights = weights[:-1]  # without anybody beyond, the classes are separated
    _, loop, grid = CURVES[name]
    read = consumed(name, hazards)
    found = curve_of(name, censoring).values(y, read, weights, grid)
    expected = [loop(y, read, w.astype(float), grid, censoring) for w in weights]
    tolerance = {"rtol": 0, "atol": 2e-4} if name == "calibration" else {"rtol": 1e-12}
    np.testing.assert_allclose(found, expected, **tolerance)
    if not given and name != "calibration":
        assert np.isnan(found[-1]).any()


def test_small_cases_by_hand():
    """Two of six are censored before 5: at 2, then G is 4/5, and at 4.5, then it is 8/15."""
    y = np.array([[1, 1.0], [0, 2.0], [1, 3.0], [0, 4.5], [0, 9.0], [0, 9.0]])
    risks = np.array([0.9, 0.8, 0.7, 0.6, 0.2, 0.1])
    one = np.ones((1, 6))
    cases, beyond = (1.0, 5 / 4), 1 / (4 / 5 * 2 / 3)
    brier = (0.1**2 * cases[0] + 0.3**2 * cases[1] + (0.2**2 + 0.1**2) * beyond) / 6
    found = BrierOverTime([5.0]).values(y, risks[:, None], one, np.array([5.0]))
    assert found[0, 0] == pytest.approx(brier, abs=1e-15)
    assert AUCOverTime([5.0]).values(y, risks, one, np.array([5.0]))[0, 0] == 1
    turned = np.array([0.15, 0.8, 0.7, 0.6, 0.2, 0.1])  # the first case between both controls
    found = AUCOverTime([5.0]).values(y, turned, one, np.array([5.0]))[0, 0]
    assert found == pytest.approx((cases[0] / 2 + cases[1]) / sum(cases), abs=1e-15)
    net = SurvivalNetBenefit(5.0).values(y, risks, one, np.array([0.15, 0.5]))[0]
    assert net[1] == pytest.approx(sum(cases) / 6)
    assert net[0] == pytest.approx((sum(cases) - beyond * 0.15 / 0.85) / 6)
    share = SurvivalCalibration(5.0, bins=2).values(y, turned, one, np.array([0.2, 0.7]))[0]
    np.testing.assert_allclose(share, [1 / (1 + 2 * beyond), 1])


def test_risks_on_the_edges_of_bins_are_those_of_a_loop():
    """As of ten neighbours, or trees: a bin stands on its edge."""
    tenths = np.arange(N) * 7 % 11
    y, weight = make_data(3)[0], np.ones(N)
    case, inverse = known(y, weight, AT)
    kind = SurvivalCalibration(AT, bins=10)
    grid = kind.grid_of(y, tenths / 10)
    shares = kind.values(y, tenths / 10, weight[None], grid)[0]
    np.testing.assert_allclose(grid, np.unique(np.maximum(tenths, 1)) / 10, atol=0.1)
    for k, share in zip(np.unique(np.maximum(tenths, 1)), shares, strict=True):
        inside = np.maximum(tenths, 1) == k
        assert share == pytest.approx(np.average(case[inside], weights=inverse[inside]))


def test_without_censoring_they_are_the_curves_of_two_classes():
    y = np.column_stack([np.ones(N), make_data(3)[0][:, 1]])
    case, risks = y[:, 1] <= AT, consumed("benefit", HAZARDS[2])
    weights = np.random.default_rng(0).integers(0, 3, (5, N))
    for kind, of_classes in ((SurvivalCalibration, Calibration), (SurvivalNetBenefit, NetBenefit)):
        found = kind(AT).values(y, risks, weights, RISKS)
        np.testing.assert_allclose(found, of_classes().values(case, risks, weights, RISKS))
    found = SurvivalNetBenefit(AT).references(y, np.ones(N), RISKS)
    for name, values in NetBenefit().references(case, np.ones(N), RISKS).items():
        np.testing.assert_allclose(found[name], values)


def test_treating_all_is_the_risk_by_kaplan_and_meier():
    y, _ = make_data(4, 60, step=0.1)
    share = SurvivalNetBenefit(AT).references(y, np.ones(60), np.array([0.5]))["treat all"][0]
    surviving = 1.0
    for t in np.unique(y[(y[:, 0] == 1) & (y[:, 1] <= AT), 1]):
        surviving *= 1 - ((y[:, 1] == t) & (y[:, 0] == 1)).sum() / (y[:, 1] >= t).sum()
    assert share == pytest.approx((1 - surviving) - surviving, abs=1e-14)
    no_skill = BrierOverTime([AT]).references(y, np.ones(60), np.array([AT]))["no skill"][0]
    assert no_skill == pytest.approx(surviving * (1 - surviving), abs=1e-14)
    everybody = np.full((60, 1), 1 - surviving)
    same = BrierOverTime([AT]).values(y, everybody, np.ones((1, 60)), np.array([AT]))
    assert no_skill == pytest.approx(same[0, 0], abs=1e-14)


@pytest.mark.parametrize("given", [False, True], ids=["of each draw", "given"])
@pytest.mark.parametrize("seed", range(5))
def test_the_brier_score_is_what_is_lost_to_perfect_decisions(seed, given):
    """The integral of 2 (1 - t) (share of events - net benefit) over thresholds t."""
    y, rng = make_data(seed)[0], np.random.default_rng(seed)
    censoring = make_data(seed + 100)[0] if given else None
    risks, weights = rng.integers(0, 101, N) / 100, rng.integers(1, 4, (2, N))
    middles = np.arange(100) / 100 + 0.005  # between two of them the decisions are the same
    curve = SurvivalNetBenefit(AT, censoring=censoring)
    benefit = curve.values(y, risks, weights, middles)
    case = (y[:, 0] == 1) & (y[:, 1] <= AT)
    perfect = curve.values(y, case.astype(float), weights, middles)
    # In parts: 2 (1 - t) times a harm t / (1 - t) is 2 t, and both are straight lines.
    lost = (2 * (1 - middles) * (perfect - benefit)).mean(axis=1)
    brier = BrierOverTime([AT], censoring=censoring)
    score = brier.values(y, risks[:, None], weights, np.array([AT]))[:, 0]
    np.testing.assert_allclose(lost, score, rtol=1e-9)


@pytest.mark.parametrize("given", [False, True], ids=["of each draw", "given"])
def test_no_skill_is_who_treats_all_or_predicts_the_same_for_everybody(given):
    y, weights = make_data(7, 60, step=0.1)[0], np.random.default_rng(0).integers(1, 4, 60)
    censoring = make_data(8, 90, step=0.1)[0] if given else None
    curve, grid = SurvivalNetBenefit(AT, censoring=censoring), np.array([0.2, 0.7])
    found = curve.references(y, weights, grid)["treat all"]
    treated = curve.values(y, np.ones(60), weights[None], grid)[0]
    np.testing.assert_allclose(found, treated, rtol=1e-12)
    surviving = 1.0
    for t in np.unique(y[(y[:, 0] == 1) & (y[:, 1] <= AT), 1]):
        events, at_risk = (y[:, 1] == t) & (y[:, 0] == 1), y[:, 1] >= t
        surviving *= 1 - weights[events].sum() / weights[at_risk].sum()
    brier = BrierOverTime([AT], censoring=censoring)
    everybody = np.full((60, 1), 1 - surviving)
    same = brier.values(y, everybody, weights[None], np.array([AT]))[0, 0]
    found = brier.references(y, weights, np.array([AT]))["no skill"][0]
    assert found == pytest.approx(same, rel=1e-12)


PATIENTS = "flchain gbsg2 lung metabric pbc rotterdam support veteran whas500".split()


@pytest.mark.parametrize("data_set", PATIENTS)
def test_apparent_curves_of_real_data_are_those_of_scikit_survival(data_set, shared):
    """Censored just after the events of the same time, where it takes them at that time."""
    theirs = pytest.importorskip("sksurv.metrics", reason="scikit-survival is optional")
    data = pd.read_csv(shared / "data" / f"surv-{data_set}.csv.gz").iloc[:2000]
    hazard = data.select_dtypes("number").dropna(axis="columns").drop(columns=["time", "event"])
    hazard = hazard.iloc[:, 0].to_numpy(float)
    hazard = (hazard - hazard.mean()) / hazard.std() - np.log(data["time"].mean())
    y = np.column_stack([data["event"] == 1, data["time"]]).astype(float)
    gap = np.diff(np.unique(y[:, 1])).min()
    times = np.unique(np.quantile(y[y[:, 0] == 1, 1], [0.2, 0.4, 0.6, 0.8])) + gap / 10
    given = oof(y, hazard[None], times)
    options = {"draws": {"n_bootstraps": 20}, "grid": times}
    later = np.empty(len(y), dtype=[("event", bool), ("time", float)])
    later["event"], later["time"] = y[:, 0] == 1, y[:, 1] + gap / 100 * (y[:, 0] == 0)
    brier = theirs.brier_score(later, later, surviving(hazard, times), times)[1]
    area = theirs.cumulative_dynamic_auc(later, later, hazard, times)[0]
    for name, expected in (("brier_over_time", brier), ("auc_over_time", area)):
        found = drawn(name, given, **options)
        np.testing.assert_allclose(found.apparent, expected, rtol=0, atol=1e-10)
        np.testing.assert_array_equal(found.grid, times)


# --- in draws ----------------------------------------------------------------------------------

EXTRA = {
    "samples": {},
    "groups": {"groups": np.arange(N) // 2},
    "weights": {"sample_weight": np.tile([1.0, 2.0], N // 2)},
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("extra", EXTRA.values(), ids=EXTRA)
@pytest.mark.parametrize("name", CURVES)
def test_estimate_and_limits_are_those_of_a_loop_over_the_draws(name, extra):
    seen = []
    kind, loop, grid = CURVES[name]

    class Watched(kind):
        def values(self, y, scores, weights, grid):
            found = super().values(y, scores, weights, grid)
            seen.append((scores, weights, found))
            return found

    shape = Watched(**curve_of(name).get_params())
    one = oof(hazards=HAZARDS[2:3], **extra)  # a single configuration: draws in their order
    result = drawn(shape, one, grid=grid, draws={"n_bootstraps": 60})
    own = extra.get("sample_weight", np.ones(N))
    rows = [(s, w, v) for s, weights, values in seen for w, v in zip(weights, values)]
    np.testing.assert_array_equal(rows[0][1], own)
    for k in (0, 1, 60):
        scores, weight, values = rows[k]
        in_bag = weight == 0
        assert k == 0 or (0.2 < (~in_bag).mean() < 0.6 and (weight[~in_bag] == own[~in_bag]).all())
        np.testing.assert_array_equal(scores, consumed(name, HAZARDS[2]))
        expected = loop(Y, scores, weight, grid, None)
        np.testing.assert_allclose(values, expected, rtol=0, atol=2e-3)
    draws = np.array([values for _, _, values in rows[1:]])
    frame = result.frame()
    np.testing.assert_array_equal(frame["apparent"], rows[0][2])
    middle, spread = draws.mean(axis=0), draws.std(axis=0)
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    reach = np.quantile((np.abs(draws - middle) / spread).max(axis=1), 0.95) * spread
    np.testing.assert_allclose(frame["estimate"], middle, rtol=1e-10)
    np.testing.assert_allclose(frame["low"], low, rtol=1e-10)
    np.testing.assert_allclose(frame["high"], high, rtol=1e-10)
    ends = np.minimum(low, middle - reach), np.maximum(high, middle + reach)
    if name == "benefit":  # who was not seen beyond a threshold, of those whose outcome is known
        followed = (Y[:, 1] > AT) | (Y[:, 0] == 1)
        units = np.arange(N) // 2 if "groups" in extra else np.arange(N)
        unseen = 1 - 0.025 ** (1 / len(np.unique(units[followed])))
        odds = grid / (1 - grid)
        ends = np.minimum(ends[0], middle - unseen * odds), np.maximum(ends[1], middle + unseen)
    bounds = (-np.inf, 1) if name == "benefit" else (0, 1)
    np.testing.assert_allclose(frame["low_joint"], np.clip(ends[0], *bounds), rtol=1e-10)
    np.testing.assert_allclose(frame["high_joint"], np.clip(ends[1], *bounds), rtol=1e-10)


def known_shares(weight):
    """Shares of who had the event by the time, and of who had not."""
    case, inverse = known(Y, weight, AT)
    return inverse[case].sum() / inverse.sum(), inverse[~case].sum() / inverse.sum()


def test_differences_to_treating_all_are_those_of_a_loop():
    seen = []

    class Watched(SurvivalNetBenefit):
        def values(self, y, scores, weights, grid):
            found = super().values(y, scores, weights, grid)
            seen.append((weights, found))
            return found

    result = drawn(Watched(AT), oof(hazards=HAZARDS[2:3]), grid=RISKS)
    rows = [(w, v) for weights, values in seen for w, v in zip(weights, values)]
    all_treated = [
        share - other * RISKS / (1 - RISKS)
        for share, other in (known_shares(weight.astype(float)) for weight, _ in rows)
    ]
    values = np.array([v for _, v in rows]) - all_treated
    frame = result.frame("treat all")
    np.testing.assert_allclose(frame["apparent"], values[0], atol=1e-12)
    np.testing.assert_allclose(frame["estimate"], values[1:].mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(result.references["treat all"], all_treated[0], atol=1e-12)
    assert "The difference to treating all is " in result.summary()


@pytest.mark.parametrize("name", CURVES)
def test_draws_select_as_bbc(name):
    result = drawn(curve_of(name), draws={"n_jobs": 2})
    bbc = BBC(n_bootstraps=50, random_state=0).estimate(oof(), "concordance_index")
    assert result.details["won"] == bbc.details["won"]
    assert len(result.details["won"]) > 1
    assert result == drawn(curve_of(name)) and pickle.loads(pickle.dumps(result)) == result
    worst = drawn(curve_of(name), draws={"selection": SelectedBy(risk_turned)})
    assert worst.details["winner"] == 0 != result.details["winner"]


def test_repeats_are_averaged():
    hazards = np.concatenate([HAZARDS[:2], HAZARDS[2:]], axis=1)
    both = OOFPredictions.from_rows(
        y_true=Y, responses={"predict": hazards}, sample=np.tile(np.arange(N), 2),
        fold=np.arange(2 * N) // 24,
    )  # fmt: skip
    found = drawn(AUCOverTime(TIMES), both)
    winner = found.details["winner"]
    each = [drawn(AUCOverTime(TIMES), oof(hazards=HAZARDS[[k]])) for k in (winner, winner + 2)]
    np.testing.assert_allclose(found.apparent, (each[0].apparent + each[1].apparent) / 2)


def test_draws_without_anybody_followed_beyond_are_counted_at_each_time():
    y, hazards = make_data(0, 40, 1)
    order = np.sort(y[:, 1])
    times = np.array([order[20], order[-4]])
    given = oof(y, hazards, times)
    with pytest.warns(IntervalWarning, match="Only 3 samples were followed beyond"):
        found = drawn("brier_over_time", given, draws={"n_bootstraps": 400})
    undefined = found.details["undefined"]
    assert undefined[0] == 0 and undefined[1] > 0.1
    assert found.details["n_undefined"] == round(400 * undefined[1])
    assert np.isfinite(found.low[0]) and np.isnan([found.low[1], found.estimate[1]]).all()
    assert any("more than 10% lack a value there are none" in n for n in found.details["notes"])
    # With censoring that is given, the score is a mean over the samples.
    with pytest.warns(IntervalWarning):
        fixed = drawn(BrierOverTime(censoring=Y), given, draws={"n_bootstraps": 400})
    assert np.isfinite(fixed.low).all() and "n_undefined" not in fixed.details


def test_where_all_draws_agree_limits_hold_what_was_not_seen():
    case = (Y[:, 0] == 1) & (Y[:, 1] <= AT)
    beyond = Y[:, 1] > AT
    n, m = case.sum(), beyond.sum()
    least = 0.025 ** (1 / n) * 0.025 ** (1 / m)
    for sign, ends in ((1, (least, 1)), (-1, (0, 1 - least))):
        found = drawn(AUCOverTime([AT]), oof(hazards=sign * case[None].astype(float)))
        np.testing.assert_allclose([found.low[0], found.high[0]], ends)
        np.testing.assert_allclose([found.low_joint[0], found.high_joint[0]], ends)
    sure = np.where(case, 0.0, 1.0)[None, :, None]
    perfect = OOFPredictions.from_rows(
        y_true=Y, responses={named([AT]): sure, "predict": HAZARDS[:1]}
    )
    found = drawn("brier_over_time", perfect, grid=[AT])
    assert found.estimate[0] == 0 and found.low[0] == 0
    assert found.high[0] == found.high_joint[0] == pytest.approx(1 - 0.025 ** (1 / (n + m)))


# --- which time, which predictions -------------------------------------------------------------


def test_names_that_classes_share_are_those_of_survival_at_the_recorded_time():
    one = oof(times=[AT])
    for name, kind in (
        ("calibration", SurvivalCalibration), ("net_benefit", SurvivalNetBenefit),
    ):  # fmt: skip
        found = drawn(name, one, grid=RISKS)
        assert found.curve == f"survival_{name}" == kind.name
        assert found == drawn(kind(AT), one, grid=RISKS)
        assert found.details["time"] == AT
    assert found.x_label == "threshold of the risk at 0.6"


def test_a_time_is_found_among_several():
    for columns in ([0.6], [0.3, 0.6, 0.9], [0.1, 0.6]):
        found = drawn(SurvivalCalibration(AT), oof(times=columns), grid=RISKS)
        np.testing.assert_array_equal(
            found.estimate, drawn("calibration", oof(times=[AT]), grid=RISKS).estimate
        )
    np.testing.assert_array_equal(drawn("brier_over_time").grid, TIMES)
    part = drawn("brier_over_time", grid=TIMES[1:])
    np.testing.assert_array_equal(part.estimate, drawn("brier_over_time").estimate[1:])
    assert part.predicted.shape == (N, 2)


def test_arrays_have_the_times_of_the_metric_that_selects():
    plain = OOFPredictions(y_true=Y, y_pred=np.moveaxis(surviving(HAZARDS), 0, 1))
    scorer = neg_integrated_brier_score(TIMES)
    found = drawn("brier_over_time", plain, scorer)
    np.testing.assert_allclose(found.apparent, brier_by_loop(
        Y, consumed("brier", HAZARDS[found.details["winner"]]), np.ones(N), TIMES, None
    ))  # fmt: skip
    drawn(SurvivalCalibration(AT), plain, scorer)
    one = OOFPredictions(y_true=Y, y_pred=surviving(HAZARDS, [AT])[..., 0].T)
    assert drawn("calibration", one, neg_survival_brier_score(AT)).details["time"] == AT
    risks = OOFPredictions(y_true=Y, y_pred=HAZARDS.T)
    assert drawn("auc_over_time", risks).curve == "auc_over_time"
    with pytest.raises(ValueError, match="y_pred holds other predictions"):
        drawn(SurvivalCalibration(AT), risks)


def test_times_of_its_own_lie_between_usual_events():
    """The 10% and 90% quantiles, and ten samples with an event before, or followed beyond."""
    found = drawn(AUCOverTime(n_points=8))
    events = np.sort(Y[Y[:, 0] == 1, 1])
    assert np.quantile(events, 0.1) < events[9] == found.grid[0]
    assert found.grid[-1] == pytest.approx(np.quantile(events, 0.9))
    assert len(found.grid) == 8 and len(drawn("auc_over_time").grid) == 20
    bare = AUCOverTime(n_points=8).grid_of(Y, HAZARDS[0])
    np.testing.assert_array_equal(bare, found.grid)
    more, _ = make_data(5, 600)
    events = more[more[:, 0] == 1, 1]
    np.testing.assert_allclose(
        AUCOverTime(n_points=2).grid_of(more, more[:, 1]), np.quantile(events, [0.1, 0.9])
    )
    late = Y[:, 1] > np.sort(Y[:, 1])[-15]
    fewer = np.column_stack([Y[:, 0], np.where(late, Y[:, 1].max() + Y[:, 1], Y[:, 1])])
    fewer[late, 0] = 1  # more than a tenth of the events
    assert (fewer[:, 1] > AUCOverTime().grid_of(fewer, HAZARDS[0])[-1]).sum() == 10


def test_who_rises_with_time_cannot_be_drawn():
    def with_bad(which, bad):
        values = surviving(HAZARDS)
        values[which] = bad(values[which])
        responses = {"predict": HAZARDS, named(TIMES): values}
        return OOFPredictions.from_rows(y_true=Y, responses=responses)

    winner = drawn("brier_over_time").details["winner"]
    for bad in (lambda s: s[:, ::-1], lambda s: s + 0.5, lambda s: s * np.nan):
        with pytest.raises(UndefinedIntervalError, match="which is selected, did not give"):
            drawn("brier_over_time", with_bad(winner, bad))
    others = with_bad(0, lambda s: s[:, ::-1])  # which never wins
    np.testing.assert_array_equal(
        drawn("brier_over_time", others).estimate, drawn("brier_over_time").estimate
    )


FEW = Y.copy()
FEW[:, 0] = Y[:, 0] * (np.cumsum((Y[:, 0] == 1) & (Y[:, 1] <= AT)) <= 7)


@pytest.mark.parametrize("name", CURVES)
def test_few_events_are_noted(name):
    with pytest.warns(IntervalWarning, match=r"Only 7 samples had an event by 0\.[69]"):
        found = drawn(curve_of(name), oof(y=FEW))
    assert any("had an event by" in note for note in found.details["notes"])
    assert not any("followed beyond" in note for note in found.details["notes"])
    assert not any("Only" in note for note in drawn(curve_of(name)).details["notes"])


NONE = Y * [0, 1]
CLASSES = OOFPredictions(y_true=np.arange(N) % 2, y_pred=consumed("benefit", HAZARDS[0])[:, None])
NUMBERS = OOFPredictions(y_true=Y[:, 1], y_pred=HAZARDS.T)
ONLY_RISKS = OOFPredictions.from_rows(y_true=Y, responses={"predict": HAZARDS})
ONLY_SCORES = OOFPredictions.from_fold_scores(
    y_true=Y[:, 1], fold_scores={"concordance_index": np.ones((5, 2))}
)
STRUCTURED = np.array([tuple(row) for row in Y], dtype=[("event", bool), ("time", float)])
SECOND_LAST = float(np.sort(Y[:, 1])[-3])
REFUSED = [
    ("calibration", oof(), {}, ValueError, "recorded at several: 0.3, 0.6, 0.9. Name it: curve="),
    ("net_benefit", oof(), {}, ValueError, "SurvivalNetBenefit(time=0.6), from sklearn_bbc.curv"),
    ("calibration", ONLY_RISKS, {}, ValueError, "is about a time. Name it: curve=SurvivalCalib"),
    (SurvivalCalibration(0.5), oof(), {}, ValueError, "needs predict_survival_function(0.5), but"),
    ("brier_over_time", ONLY_RISKS, {}, ValueError, "needs predict_survival_function at 20 times"),
    ("roc", oof(), {}, ValueError, "got times of survival. Take 'auc_over_time', or AUCOverTime"),
    (Calibration(), oof(), {}, ValueError, "Take SurvivalCalibration(time), from sklearn_bbc.cu"),
    (NetBenefit(), oof(STRUCTURED), {}, ValueError, "Take SurvivalNetBenefit(time), from"),
    (RegressionCalibration(), oof(), {}, ValueError, "target, got times of survival. Take Surv"),
    ("survival_calibration", CLASSES, {}, ValueError, "needs a survival target, event and time"),
    ("auc_over_time", NUMBERS, {}, ValueError, "event and time, got continuous values. 'calib"),
    (BrierOverTime([1, 99]), oof(), {}, UndefinedIntervalError, "got 0 beyond 99. The longest"),
    (SurvivalCalibration(99), oof(), {}, UndefinedIntervalError, "take earlier times"),
    (BrierOverTime([SECOND_LAST]), oof(times=[SECOND_LAST]), {}, UndefinedIntervalError,
     "at least 3 samples that were followed beyond the time, got 2"),
    (AUCOverTime([1e-9]), oof(), {}, UndefinedIntervalError, "got 0 by 1e-09. Take later times"),
    (SurvivalNetBenefit(1e-9), oof(), {}, UndefinedIntervalError, "event by the time, got 0 by"),
    ("auc_over_time", oof(NONE), {}, UndefinedIntervalError, "all are censored"),
    ("auc_over_time", oof(), {"grid": [0.6, 0.3]}, ValueError, "grid must ascend"),
    ("auc_over_time", oof(), {"grid": 0.6}, ValueError, "one after the other, such as"),
    ("auc_over_time", oof(), {"pos_label": 1}, ValueError, "has no positive class, got pos_lab"),
    (SurvivalCalibration(AT), oof(), {"grid": [0.5, 2]}, ValueError, "risks from 0 up to 1"),
    (SurvivalNetBenefit(AT), oof(), {"grid": [0, 0.5]}, ValueError, "above 0"),
    (SurvivalCalibration(AT, censoring=Y[Y[:, 1] < AT]), oof(), {}, ValueError, "followed until"),
    (SurvivalCalibration(AT, censoring=[1, 2]), oof(), {}, ValueError, "A survival target is"),
    ("brier", oof(), {}, ValueError, "Did you mean 'brier_over_time'"),
    ("time-dependent AUC", oof(), {}, ValueError, "Did you mean 'auc_over_time'"),
    (SurvivalCalibration, oof(), {}, ValueError, "Pass an object: SurvivalCalibration()"),
]  # fmt: skip


@pytest.mark.parametrize(("curve", "given", "options", "error", "words"), REFUSED)
def test_what_cannot_be_drawn_is_refused(curve, given, options, error, words):
    scoring = "roc_auc" if given is CLASSES else "r2" if given is NUMBERS else "concordance_index"
    with pytest.raises(error, match=re.escape(words)):
        drawn(curve, given, scoring, **options)


def test_only_fold_scores_are_refused():
    for shape in (BrierOverTime(TIMES), AUCOverTime(TIMES)):
        given = OOFPredictions.from_fold_scores(
            y_true=STRUCTURED, fold_scores={"concordance_index": np.ones((5, 2))}
        )
        with pytest.raises(ValueError, match="only fold scores"):
            drawn(shape, given)


def test_a_structured_target_is_the_same():
    for name in CURVES:
        assert drawn(curve_of(name), oof(STRUCTURED)) == drawn(curve_of(name))


def test_pairs_of_labels_are_no_event_and_time():
    labels = np.column_stack([np.arange(N) % 2, np.arange(N) % 3 // 2])
    pairs = OOFPredictions.from_rows(
        y_true=labels, responses={"predict": np.tile(labels, (2, 1, 1))}, classes=None
    )
    with pytest.raises(ValueError, match="RegressionCalibration needs one continuous target"):
        drawn("calibration", pairs, make_scorer(lambda y, p: float((y == p).mean())))


def test_a_curve_of_classes_is_none_of_survival():
    assert drawn(ROC(), CLASSES, "roc_auc").curve == "roc"
