"""Scores of right-censored times: Brier score, its integral, AUC at a time, Uno's concordance."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import brier_score_loss, make_scorer, roc_auc_score

from sklearn_bbc import OOFPredictions, metrics
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import BBC, ShrunkenBBC
from sklearn_bbc.metrics import (
    as_metric,
    concordance_index_score,
    dynamic_auc_score,
    integrated_brier_score,
    survival_brier_score,
    uno_concordance_score,
    within_folds,
)
from sklearn_bbc.resampling import IID, Draws

TIMES = [0.3, 0.8, 1.1]
NAMES = "flchain gbsg2 lung metabric pbc rotterdam support veteran whas500".split()


def make_data(seed, n_samples=40, n_configs=3, step=0.0, levels=None):
    """Events, times and risks (n_samples, n_configs); a `step` makes times tie."""
    rng = np.random.default_rng(seed)
    signal = rng.normal(size=n_samples)
    time, end = rng.exponential(np.exp(-signal)), rng.exponential(2.0, n_samples)
    event, time = time <= end, np.minimum(time, end)
    if step:
        time = np.ceil(time / step) * step
    risk = signal[:, None] + rng.normal(size=(n_samples, n_configs))
    return event, time, risk if levels is None else np.round(risk * levels)


def survival(risk, times=TIMES):
    """Probabilities (..., n_times) of surviving."""
    return np.exp(-np.exp(risk)[..., None] * np.asarray(times))


def target(event, time):
    y = np.empty(len(time), dtype=[("dead", bool), ("days", float)])
    y["dead"], y["days"] = event, time
    return y


def uncensored(event, time, weight, at, *, just_before=False):
    """Probability of being uncensored at a time, by the product over times of censoring."""
    value = 1.0
    for each in np.unique(time[~event]):
        if each < at or (each == at and not just_before):
            lost = weight[(time == each) & ~event].sum()
            at_risk = lost + weight[time > each].sum()
            if lost:
                value *= 1 - lost / at_risk
    return value


def brier_by_loop(event, time, pred, weight, at, curve):
    if not weight[time > at].any():
        return np.nan
    total = 0.0
    for i in np.flatnonzero(weight):
        if event[i] and time[i] <= at:
            total += weight[i] * pred[i] ** 2 / uncensored(*curve, time[i], just_before=True)
        elif time[i] > at:
            total += weight[i] * (1 - pred[i]) ** 2 / uncensored(*curve, at)
    return total / weight.sum()


def integral_by_loop(event, time, pred, weight, curve):
    values = [brier_by_loop(event, time, pred[:, k], weight, t, curve)
              for k, t in enumerate(TIMES)]  # fmt: skip
    return np.trapezoid(values, TIMES) / (TIMES[-1] - TIMES[0])


def pairs_by_loop(time, risk, weight, curve, events, outlived, power):
    better, size = 0.0, 0.0
    for i in np.flatnonzero(events & (weight > 0)):
        of_event = weight[i] / uncensored(*curve, time[i], just_before=True) ** power
        for j in np.flatnonzero(outlived(i) & (weight > 0)):
            size += of_event * weight[j]
            better += of_event * weight[j] * ((risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j]))
    return better / size if size else np.nan


def auc_by_loop(event, time, risk, weight, curve):
    return np.mean([
        pairs_by_loop(time, risk, weight, curve, event & (time <= t), lambda i, t=t: time > t, 1)
        for t in TIMES
    ])  # fmt: skip


def uno_by_loop(event, time, risk, weight, curve):
    def outlived(i):
        return (time > time[i]) | ((time == time[i]) & ~event)

    return pairs_by_loop(time, risk, weight, curve, event & (time < TIMES[-1]), outlived, 2)


def brier_at_middle(event, time, pred, weight, curve):
    return brier_by_loop(event, time, pred, weight, TIMES[1], curve)


METRICS = {
    "brier": (survival_brier_score, {"time": TIMES[1]}, brier_at_middle),
    "integral": (integrated_brier_score, {"times": TIMES}, integral_by_loop),
    "auc": (dynamic_auc_score, {"times": TIMES}, auc_by_loop),
    "uno": (uno_concordance_score, {"tau": TIMES[-1]}, uno_by_loop),
}


def consumed(name, risk):
    """What a metric takes, configurations in the second axis."""
    if name == "integral":
        return survival(risk)
    return survival(risk, TIMES[1])[..., 0] if name == "brier" else risk


def metric_of(name, **kwargs):
    function, given_, _ = METRICS[name]
    return as_metric(make_scorer(function, **given_, **kwargs))


def bind(name, event, time, risk, **kwargs):
    oof = OOFPredictions(y_true=target(event, time), y_pred=consumed(name, risk))
    return metric_of(name, **kwargs).bind(oof)


settings_of_data = {
    "seed": st.integers(0, 10**6),
    "n_samples": st.integers(3, 25),
    "step": st.sampled_from([0, 0.3]),
    "levels": st.sampled_from([None, 1]),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("fixed", [False, True], ids=["of the draw", "given"])
@settings(max_examples=max(1, settings().max_examples // 2))
@given(whole=st.booleans(), **settings_of_data)
def test_scores_of_draws_are_those_of_a_plain_loop_and_of_repeated_rows(name, fixed, whole, **how):
    event, time, risk = make_data(**how)
    rng = np.random.default_rng(0)
    n = len(time)
    function, given_, by_loop = METRICS[name]
    kwargs, given_curve = {}, None
    if fixed:  # other samples, followed longer
        others = make_data(1, 60, step=how["step"])
        others = np.append(others[0], False), np.append(others[1], 50.0)
        kwargs["censoring"] = target(*others)
        given_curve = (*others, np.ones(61))
        time = np.minimum(time, others[1][others[0]].max())
    counts = rng.multinomial(n, np.full(n, 1 / n), 4).astype(np.uint8)
    weights = counts if whole else counts * rng.random(n)
    kernel = bind(name, event, time, risk, **kwargs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        found, pred = kernel.scores(weights), consumed(name, risk)
        for draw, weight in enumerate(weights):
            for config in range(2):
                curve = given_curve or (event, time, weight)
                expected = by_loop(event, time, pred[:, config], weight.astype(float), curve)
                if fixed and np.isnan(expected) and "brier" in function.__name__:
                    continue  # a mean of given numbers is defined without who survived
                value = found[draw, config]
                assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)
                rows = np.repeat(np.arange(n), counts[draw]) if whole else np.arange(n)
                again = function(
                    target(event, time)[rows], pred[rows, config], **given_, **kwargs,
                    sample_weight=None if whole else weight,
                )  # fmt: skip
                assert value == pytest.approx(again, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", METRICS)
def test_batches_winners_and_single_configurations_agree(name):
    event, time, risk = make_data(0, 60, 5)
    kernel = bind(name, event, time, risk)
    rng = np.random.default_rng(1)
    counts = rng.multinomial(60, np.full(60, 1 / 60), 150).astype(np.uint8)
    scores = kernel.scores(counts)
    parts = [kernel.scores(counts[k : k + 64]) for k in range(0, 150, 64)]
    np.testing.assert_allclose(np.concatenate(parts), scores, rtol=1e-12)
    np.testing.assert_array_equal(kernel.winners(counts), scores.argmax(axis=1))
    configs = rng.integers(5, size=150)
    alone = kernel.score_of(counts, configs)
    np.testing.assert_allclose(alone, scores[np.arange(150), configs], rtol=1e-12)


def test_events_after_all_drawn_samples_were_censored_change_nothing():
    y = target(np.array([1, 0, 1, 0, 0], dtype=bool), np.array([1.0, 2.0, 3.0, 4.0, 1.5]))
    risk = np.array([[3.0, 2.0, 1.0, 0.0, 4.0]]).T
    kernel = metric_of("uno").bind(OOFPredictions(y_true=y, y_pred=risk))
    counts = np.array([[1, 1, 0, 0, 1]], dtype=np.uint8)
    assert kernel.scores(counts)[0, 0] == 0.5
    no_tau = as_metric(make_scorer(uno_concordance_score))
    assert no_tau.bind(OOFPredictions(y_true=y, y_pred=risk)).scores(counts)[0, 0] == 0.5


def test_without_censoring_they_are_the_usual_metrics():
    _, time, risk = make_data(3, 200)
    event, risk = np.ones(200, dtype=bool), risk[:, 0]
    y, died = target(event, time), time <= 0.5
    chance = survival(risk, [0.5])[:, 0]
    found = survival_brier_score(y, chance, time=0.5)
    assert found == pytest.approx(brier_score_loss(~died, chance), abs=1e-14)
    assert dynamic_auc_score(y, risk, times=0.5) == pytest.approx(roc_auc_score(died, risk))
    assert uno_concordance_score(y, risk) == pytest.approx(concordance_index_score(y, risk))


@pytest.fixture(params=NAMES)
def patients(request, shared):
    """A real target and the first numeric column as risk."""
    data = pd.read_csv(shared / "data" / f"surv-{request.param}.csv.gz")
    risk = data.select_dtypes("number").dropna(axis="columns").drop(columns=["time", "event"])
    risk = risk.iloc[:, 0].to_numpy(float)
    return target(data["event"] == 1, data["time"]), (risk - risk.mean()) / risk.std()


@pytest.mark.one_in(3)
def test_real_data_give_what_scikit_survival_gives(patients):
    """Censored just after the events of the same time, where it takes them at that time."""
    theirs = pytest.importorskip("sksurv.metrics", reason="scikit-survival is optional")
    y, risk = patients
    later = y.copy()
    later["days"][~y["dead"]] += np.diff(np.unique(y["days"])).min() / 100
    times = np.unique(np.quantile(y["days"][y["dead"]], [0.2, 0.5, 0.8]))
    times = times + np.diff(np.unique(y["days"])).min() / 10
    chance = np.exp(-np.outer(np.exp(risk), times) / y["days"].mean())
    pairs = [
        (survival_brier_score(y, chance[:, k], time=t), value)
        for k, (t, value) in enumerate(zip(*theirs.brier_score(later, later, chance, times)))
    ]
    areas = theirs.cumulative_dynamic_auc(later, later, risk, times)[0]
    pairs += [(dynamic_auc_score(y, risk, times=t), a) for t, a in zip(times, areas)]
    pairs.append((
        integrated_brier_score(y, chance, times=times),
        theirs.integrated_brier_score(later, later, chance, times),
    ))  # fmt: skip
    pairs.append((
        uno_concordance_score(y, risk, tau=times[-1]),
        theirs.concordance_index_ipcw(later, later, risk, tau=times[-1])[0],
    ))  # fmt: skip
    fall = -np.diff(theirs_survival(later, times), prepend=1.0)
    pairs.append((
        dynamic_auc_score(y, risk, times=times, weights=fall),
        theirs.cumulative_dynamic_auc(later, later, risk, times)[1],
    ))  # fmt: skip
    for ours, expected in pairs:
        assert ours == pytest.approx(expected, abs=1e-10)


def theirs_survival(y, times):
    """Kaplan-Meier's estimate by scikit-survival."""
    curve = pytest.importorskip("sksurv.nonparametric").kaplan_meier_estimator(
        y["dead"], y["days"]
    )
    return np.append(1.0, curve[1])[np.searchsorted(curve[0], times, "right")]


def test_censoring_is_estimated_as_by_lifelines(patients):
    lifelines = pytest.importorskip("lifelines", reason="lifelines is an optional extra")
    y, _ = patients
    later = y["days"] + 1e-6 * ~y["dead"]
    fitted = lifelines.KaplanMeierFitter().fit(later, ~y["dead"])
    times = np.quantile(y["days"], [0.1, 0.5, 0.9]) + 0.01
    ours = metrics._survival.CensoringDistribution(y).at(times)
    np.testing.assert_allclose(ours, fitted.predict(times), atol=1e-10)


def test_tied_events_and_censoring_differ_from_scikit_survival_as_documented():
    """At time 2 one sample has its event and another is censored: G(2-) is 1, and G(2) 2/3."""
    y = target(np.array([True, False, True, False]), np.array([2.0, 2.0, 3.0, 4.0]))
    # (0.5^2 / 1 + 0.5^2 / (2/3)) / 4
    assert survival_brier_score(y, [0.5, 0.5, 0.5, 0.5], time=2.5) == pytest.approx(
        (0.25 + 2 * 0.25 * 1.5) / 4
    )


def test_given_censoring_makes_the_brier_score_a_mean_over_samples():
    event, time, risk = make_data(0, 80, 4)
    y = target(event, time)
    kernel = bind("brier", event, time, risk, censoring=y)
    assert kernel.is_pointwise and kernel.family == "survival_brier_mean"
    values = kernel.pointwise(2)
    assert values.mean() == pytest.approx(kernel.score_on_data(2), abs=1e-14)
    # On all samples it is the same whether the curve is given or not.
    per_draw = bind("brier", event, time, risk)
    assert not per_draw.is_pointwise
    np.testing.assert_allclose(per_draw.on_data(), kernel.on_data(), rtol=1e-12)


def test_within_folds_is_the_mean_over_folds():
    event, time, risk = make_data(0, 90, 3)
    fold = np.arange(90) % 3
    oof = OOFPredictions(y_true=target(event, time), y_pred=risk, fold=fold)
    metric = within_folds(metric_of("uno"))
    expected = np.mean([
        uno_concordance_score(target(event, time)[fold == k], risk[fold == k, 1], tau=TIMES[-1])
        for k in range(3)
    ])  # fmt: skip
    assert metric.bind(oof).score_on_data(1) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda y, p: metrics.neg_integrated_brier_score([3]), "at least 2 numbers"),
        (lambda y, p: metrics.dynamic_auc([1, 2], weights=[1]), "for each of 2 times"),
        (lambda y, p: metrics.dynamic_auc([1, 2], weights=[1, -1]), "at least 0 for each"),
        (lambda y, p: metrics.dynamic_auc(2, weights=[0]), "not all of them 0, got"),
        (lambda y, p: metrics.dynamic_auc(99, censoring=y), "censoring is followed until 4"),
        (lambda y, p: survival_brier_score(y, p + 1, time=1), "between 0 and 1, got 1.9"),
        (lambda y, p: survival_brier_score(y, p * np.nan, time=1), "contains NaN"),
        (lambda y, p: survival_brier_score(y, p[:2], time=1), "inconsistent numbers of samples"),
        (lambda y, p: integrated_brier_score(y, p, times=[1, 2]), "one probability per sample"),
        (
            lambda y, p: integrated_brier_score(y, np.column_stack([p / 2, p]), times=[1, 2]),
            "must not rise with time",
        ),
        (
            lambda y, p: survival_brier_score(y, p, time=1, sample_weight=[1, 1, -1, 1]),
            "sample_weight must not be negative",
        ),
    ],
)  # fmt: skip
def test_bad_input_is_named(call, words):
    y = target(np.array([True, False, True, True]), np.array([1.0, 2.0, 3.0, 4.0]))
    with pytest.raises(ValueError, match=re.escape(words)):
        call(y, np.array([0.2, 0.9, 0.4, 0.8]))


def fields(**values):
    """A structured target."""
    y = np.empty(3, dtype=[(name, np.asarray(each).dtype) for name, each in values.items()])
    for name, each in values.items():
        y[name] = each
    return y


WHEN = [1.0, 2.0, 3.0]
SEVERAL_KINDS = "Competing risks (events of several kinds)"
ENTRY = "left truncation (times of entry)"


@pytest.mark.parametrize("function", [
    concordance_index_score, uno_concordance_score,
    lambda y, p: dynamic_auc_score(y, p, times=1.5),
    lambda y, p: survival_brier_score(y, p, time=1.5),
    lambda y, p: uno_concordance_score([[1, 1.0], [0, 2.0]], [0.5, 0.5], censoring=y),
    lambda y, p: BBC().estimate(
        OOFPredictions(y_true=y, y_pred=np.column_stack([p, p])), "concordance_index"
    ),
])  # fmt: skip
@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([[0, 1.0], [1, 2.0], [2, 3.0]], [SEVERAL_KINDS, "it holds 2"]),
        (fields(cause=[0, 1, 2], time=WHEN), [SEVERAL_KINDS, "one boolean field (event)"]),
        (fields(event=[True] * 3, other=[False] * 3, time=WHEN), [SEVERAL_KINDS]),
        ([[1, 0.0, 1.0]] * 3, [ENTRY, "got shape (3, 3)"]),
        (pd.DataFrame({"entry": WHEN, "exit": WHEN, "event": 1}), [ENTRY, "got shape (3, 3)"]),
        (fields(event=[True] * 3, start=WHEN, stop=WHEN), [ENTRY, "one numeric field (time)"]),
        (WHEN, ["two columns (event, time)", "got shape (3,)"]),
        (np.column_stack([WHEN, [1, 0, 1]]), ["The second column is the time", "it holds 2"]),
        ([["dead", 1.0], ["alive", 2.0], ["dead", 3.0]], ["it holds 'dead'"]),
        ([[1, -1.0], [1, 2.0], [0, 3.0]], ["must not be negative, got -1"]),
        ([[1, np.inf], [1, 2.0], [0, 3.0]], ["infinite|must be finite, got inf"]),
    ],
)
def test_targets_that_are_not_right_censored_times_are_refused_by_name(function, y, words):
    with pytest.raises(ValueError) as caught:
        function(y, np.array([0.2, 0.9, 0.4]))
    for each in words:
        assert any(word in str(caught.value) for word in each.split("|"))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda y, p: survival_brier_score(y, p, time=5), "no sample was followed beyond 5|No s"),
        (lambda y, p: dynamic_auc_score(y, p, times=0.5), "no event up to 0.5"),
        (lambda y, p: uno_concordance_score(y, p, tau=1), "no event before 1"),
    ],
)
def test_times_outside_of_follow_up_are_undefined_with_a_reason(call, words):
    y = target(np.array([True, False, True, True]), np.array([1.0, 2.0, 3.0, 4.0]))
    with pytest.warns(UndefinedMetricWarning, match=f"(?i){words}"):
        assert np.isnan(call(y, np.array([0.2, 0.9, 0.4, 0.8])))


def test_times_beside_a_constant_are_noticed_and_models_without_signal_are_none():
    event, time, risk = make_data(0, 150)
    rng, y = np.random.default_rng(0), target(event, time)
    method = BBC(n_bootstraps=20, random_state=0)
    nothing = rng.normal(size=(150, 200))
    for columns, noted in (
        ([-risk, 0 * risk], True),
        ([-risk, risk], False),
        ([*nothing.T], False),
        ([0 * risk], False),
    ):
        oof = OOFPredictions(y_true=y, y_pred=np.column_stack(columns))
        notes = method.estimate(oof, "concordance_index").details["notes"]
        assert any("Some configurations rank in reverse" in note for note in notes) == noted


@pytest.mark.parametrize("name", METRICS)
def test_without_any_event_there_is_no_interval(name):
    event, time, risk = make_data(0, 50)
    oof = OOFPredictions(y_true=target(event & False, time), y_pred=consumed(name, risk))
    with pytest.raises(UndefinedIntervalError, match="needs events, but none of 50 samples"):
        BBC(n_bootstraps=20).estimate(oof, metric_of(name))


def test_draws_in_which_nobody_was_followed_until_tau_are_counted():
    event, time, risk = make_data(0, 60)
    oof = OOFPredictions(y_true=target(event, time), y_pred=risk)
    tau = np.sort(time)[-2]
    method = BBC(n_bootstraps=300, random_state=0)
    result = method.estimate(oof, metrics.uno_concordance(tau))
    counts = Draws(IID(60), 300, result.details["seed"]).map(lambda counts: counts.astype(int))
    late = counts[:, time >= tau]  # two samples: both are needed, one of them out-of-bag
    short = sum(not (each > 0).any() or not (each == 0).any() for each in late)
    assert 0 < short == result.details["n_short_of_tau"] < 300
    assert f"In {short} of 300 draws nobody was followed until tau=" in result.details["notes"][-1]
    everybody = method.estimate(oof, metrics.uno_concordance(0.3))
    assert everybody.details["n_short_of_tau"] == 0 and not everybody.details["notes"]
    beyond = method.estimate(oof, metrics.uno_concordance(99))
    assert beyond.details["n_short_of_tau"] == 300
    assert any("Nobody was followed until tau=99" in note for note in beyond.details["notes"])
    assert beyond.estimate == method.estimate(oof, metrics.uno_concordance()).estimate


@pytest.mark.parametrize(
    "scorer", ["concordance_index", metrics.uno_concordance(), metrics.dynamic_auc([0.3, 0.8])]
)
def test_times_in_place_of_risks_are_noticed(scorer):
    event, time, risk = make_data(0, 150)
    y = target(event, time)
    method = BBC(n_bootstraps=30, random_state=0)
    for sign, noted in ((1, False), (-1, True)):
        oof = OOFPredictions(y_true=y, y_pred=sign * risk)
        notes = method.estimate(oof, scorer).details["notes"]
        assert any("ranks in reverse" in note for note in notes) == noted


@pytest.mark.parametrize("name", METRICS)
def test_few_events_are_noted(name):
    event, time, risk = make_data(0, 60)
    event &= np.cumsum(event & (time < TIMES[0])) <= 6
    event &= time < TIMES[0]
    oof = OOFPredictions(y_true=target(event, time), y_pred=consumed(name, risk))
    with pytest.warns(IntervalWarning, match=r"Only [1-9] samples of 60 have an event"):
        result = BBC(n_bootstraps=30, random_state=0).estimate(oof, metric_of(name))
    assert any("have an event" in note for note in result.details["notes"])


def test_draws_without_survivors_are_drawn_again_and_counted():
    event, time, risk = make_data(0, 40)
    last = np.sort(time)[-4]
    metric = as_metric(make_scorer(dynamic_auc_score, times=[last]))
    oof = OOFPredictions(y_true=target(event, time), y_pred=risk)
    result = BBC(n_bootstraps=200, random_state=0).estimate(oof, metric)
    assert result.details["n_redrawn"] > 0
    beyond = as_metric(make_scorer(dynamic_auc_score, times=[99.0]))
    with pytest.raises(UndefinedIntervalError, match="followed beyond 99"):
        BBC(n_bootstraps=20).estimate(oof, beyond)


def test_configurations_whose_probabilities_rise_cannot_win():
    event, time, risk = make_data(0, 60)
    pred = consumed("integral", risk)
    pred[:, 1] = pred[:, 1, ::-1]
    oof = OOFPredictions(y_true=target(event, time), y_pred=pred)
    with pytest.warns(UserWarning, match="cannot score 1 of 3 configurations"):
        kernel = metric_of("integral").bind(oof)
    assert kernel.valid.tolist() == [True, False, True]
    assert np.isnan(kernel.on_data()[1])


def test_risks_are_never_taken_for_probabilities():
    event, time, risk = make_data(0, 60)
    oof = OOFPredictions.from_rows(y_true=target(event, time), responses={"predict": risk.T})
    with pytest.raises(ValueError, match="with record='predict_survival_function"):
        BBC().estimate(oof, metrics.neg_survival_brier_score(0.5))
    BBC(n_bootstraps=20).estimate(oof, metrics.uno_concordance(0.5))


def test_saved_predictions_come_back(tmp_path):
    event, time, risk = make_data(0, 60)
    scorer = metrics.neg_integrated_brier_score(TIMES)
    name = as_metric(scorer).response_method[0]
    oof = OOFPredictions.from_rows(
        y_true=target(event, time), responses={name: np.moveaxis(survival(risk), 1, 0)}
    )
    oof.save(tmp_path / "oof.npz")
    again = OOFPredictions.load(tmp_path / "oof.npz")
    assert again == oof
    one, other = (ShrunkenBBC(n_bootstraps=50, random_state=0).estimate(o, scorer)
                  for o in (oof, again))  # fmt: skip
    assert one.estimate == other.estimate


# ---------------------------------------------------------------------- all followed to one day
def _ends_for_all(seed, censored_before):
    rng = np.random.default_rng(seed)
    n, end = 30, 5.0
    life = rng.integers(1, 9, n).astype(float)
    leave = rng.integers(1, 9, n).astype(float) if censored_before else np.full(n, 9.0)
    event = (life <= leave) & (life <= end)
    return event, np.minimum(np.minimum(life, leave), end), rng.random(n), end


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_who_is_censored_at_the_end_of_the_study_has_survived_it(seed, fixed):
    """Without earlier censoring the outcome is known of all: plain Brier score and area."""
    event, time, survival, end = _ends_for_all(seed, censored_before=False)
    y = np.column_stack([event, time])
    options = {"censoring": y} if fixed else {}
    score = survival_brier_score(y, survival, time=end, **options)
    assert score == pytest.approx(np.mean((~event - survival) ** 2), abs=1e-12)
    area = dynamic_auc_score(y, 1 - survival, times=end, **options)
    assert area == pytest.approx(roc_auc_score(event, 1 - survival), abs=1e-12)


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_end_of_a_study_with_earlier_censoring_by_plain_loops(seed, fixed):
    event, time, survival, end = _ends_for_all(seed, censored_before=True)
    y, free = np.column_stack([event, time]), ~event & (time == end)

    def uncensored_before(when):
        left = 1.0
        for moment in np.unique(time[~event]):
            if moment < when:
                gone = (time == moment) & ~event
                left *= 1 - gone.sum() / ((time > moment) | gone).sum()
        return left

    weight = np.array([1 / uncensored_before(when) for when in time])
    errors = np.where(event, survival**2, np.where(free, (1 - survival) ** 2, 0.0)) * weight
    options = {"censoring": y} if fixed else {}
    score = survival_brier_score(y, survival, time=end, **options)
    assert score == pytest.approx(errors.mean(), abs=1e-12)
    ahead = (survival[event, None] < survival[free]) * 1.0
    area = dynamic_auc_score(y, -survival, times=end, **options)
    share = (weight[event, None] * ahead).sum() / (weight[event].sum() * free.sum())
    assert area == pytest.approx(share, abs=1e-12)
    both = integrated_brier_score(y, np.stack([survival] * 2, 1), times=[3.0, end], **options)
    early = survival_brier_score(y, survival, time=3.0, **options)
    assert both == pytest.approx((early + score) / 2, abs=1e-12)


def test_a_time_that_nobody_survives_is_answered_with_one_that_some_do():
    y = [[1, 2.0], [0, 2.5], [1, 3.0]]
    with pytest.warns(UndefinedMetricWarning, match="Give a time below 3, the longest follow-up"):
        assert np.isnan(survival_brier_score(y, [0.1, 0.2, 0.3], time=3.0))
