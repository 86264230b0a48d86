"""Harrell's concordance index: function, scorer and kernel."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import make_scorer

from sklearn_bbc import _native
from sklearn_bbc.metrics import as_metric, concordance_index_score
from tests.made import made
from tests.metrics.ranking.ranked import FEW, MANY, draw_counts, draw_weights

pytestmark = pytest.mark.usefixtures("kernels")


def make_data(seed, n_samples=30, n_configs=4, step=0.0, seen=0.6, levels=None):
    """Events, times and risks; a `step` makes times tie, `levels` make risks tie."""
    rng = np.random.default_rng(seed)
    time = rng.exponential(size=n_samples)
    if step:
        time = np.ceil(time / step)
    event = rng.random(n_samples) < seen
    risk = rng.normal(size=(n_samples, n_configs)) - np.log(time)[:, None]
    if levels is not None:
        risk = np.round(risk * levels) / levels
    return event, time, risk


def structured(event, time):
    y = np.empty(len(time), dtype=[("dead", bool), ("days", float)])
    y["dead"], y["days"] = event, time
    return y


def by_pairs(event, time, risk, weight):
    """The definition, pair by pair."""
    better, size = 0.0, 0.0
    for i in np.flatnonzero(event):
        for j in range(len(time)):
            if time[i] < time[j] or (time[i] == time[j] and not event[j]):
                pair = weight[i] * weight[j]
                size += pair
                better += pair * ((risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j]))
    return better / size if size else np.nan


def bind(event, time, risk, scoring="concordance_index", **kwargs):
    return as_metric(scoring).bind(made(y_true=structured(event, time), y_pred=risk, **kwargs))


settings_of_data = {
    "seed": st.integers(0, 10**6),
    "n_samples": st.integers(2, 25),
    "step": st.sampled_from([0, 0.3, 2]),
    "seen": st.sampled_from([0.1, 0.6, 1]),
    "levels": st.sampled_from([None, 1]),
}


@given(whole=st.booleans(), **settings_of_data)
def test_scores_are_those_of_the_definition(whole, **how):
    event, time, risk = make_data(**how)
    rng = np.random.default_rng(0)
    weights = (draw_counts if whole else draw_weights)(rng, MANY, len(time))
    kernel = bind(event, time, risk)
    assert kernel.family == "concordance_index"
    found = kernel.scores(weights)
    for draw in range(FEW):
        value = by_pairs(event, time, risk[:, 1], weights[draw])
        assert found[draw, 1] == pytest.approx(value, abs=1e-12, nan_ok=True)
        if not np.isnan(value):
            rows = np.repeat(np.arange(len(time)), weights[draw]) if whole else slice(None)
            of_rows = concordance_index_score(
                structured(event, time)[rows],
                risk[rows, 1],
                sample_weight=None if whole else weights[draw],
            )
            assert of_rows == pytest.approx(value, abs=1e-12)


@given(largest=st.sampled_from([1, 3, 300]), **settings_of_data)
def test_compiled_kernel_and_numpy_give_the_same_bits(largest, **how):
    event, time, risk = make_data(**how)
    rng = np.random.default_rng(2)
    counts = rng.integers(largest + 1, size=(70, len(time))).astype(np.min_scalar_type(largest))
    found = bind(event, time, risk).scores(counts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_native, "available", lambda: False)
        np.testing.assert_array_equal(bind(event, time, risk).scores(counts), found)


@pytest.mark.parametrize("step", [0, 0.3])
@pytest.mark.parametrize("levels", [None, 2])
def test_agrees_with_lifelines(step, levels):
    utils = pytest.importorskip("lifelines.utils", reason="lifelines is an optional extra")
    for seed in range(20):
        event, time, risk = make_data(seed, step=step, levels=levels)
        value = utils.concordance_index(time, -risk[:, 0], event)
        assert concordance_index_score(structured(event, time), risk[:, 0]) == pytest.approx(value)


@pytest.mark.parametrize("name", "gbsg2 lung metabric pbc support veteran whas500".split())
def test_agrees_with_lifelines_on_real_data(name, shared):
    utils = pytest.importorskip("lifelines.utils", reason="lifelines is an optional extra")
    data = pd.read_csv(shared / "data" / f"surv-{name}.csv.gz")
    complete = data.select_dtypes("number").dropna(axis="columns")
    risk = complete.drop(columns=["time", "event"]).iloc[:, 0]
    value = utils.concordance_index(data["time"], -risk, data["event"])
    assert concordance_index_score(data[["event", "time"]], risk) == pytest.approx(value)


def test_more_pairs_than_32_bits_can_count():
    # The square of the total, 200 * 255, is above 2^31.
    event, time, risk = make_data(3, 200, 2, seen=0.9)
    counts = np.full((2, 200), 255, np.uint8)
    kernel = bind(event, time, np.column_stack([time, -time, risk[:, 0]]))
    found = kernel.scores(counts)
    np.testing.assert_array_equal(found[:, :2], [[0, 1], [0, 1]])
    np.testing.assert_array_equal(kernel.scores(counts // 255), found)


def test_rounding_stays_among_the_rows_that_are_compared():
    # A huge weight that only a tiny one is compared with.
    time, event = np.arange(8.0), np.arange(8) != 1
    weights = np.ones((1, 8))
    weights[0, :2] = 1e-17, 1e17
    risk = np.array([7.0, 6, 3, 4, 5, 2, 0, 1])
    value = by_pairs(event, time, risk, weights[0])
    assert bind(event, time, risk).scores(weights)[0, 0] == pytest.approx(value, abs=1e-12)


def test_the_worst_order_is_worth_nothing_and_not_less():
    event, time, _ = make_data(15, 60)
    weights = draw_weights(np.random.default_rng(16), 200, 60)
    found = bind(event, time, time).scores(weights)
    assert found.min() == 0
    np.testing.assert_allclose(found, 0, atol=1e-14)


def test_forms_of_the_target():
    event, time, risk = make_data(4)
    y, risk = structured(event, time), risk[:, 0]
    value = by_pairs(event, time, risk, np.ones(30))
    columns = np.column_stack([event, time])
    forms = [y, columns, columns.tolist(), pd.DataFrame({"event": event, "time": time})]
    turned = np.empty(30, dtype=[("time", int), ("event", bool)])
    turned["time"], turned["event"] = np.argsort(np.argsort(time)), event
    for form in [*forms, turned]:
        assert concordance_index_score(form, risk) == pytest.approx(value)
    assert concordance_index_score(y, np.exp(-risk), predicts="time") == pytest.approx(value)
    assert concordance_index_score(y, risk[:, None] > 0) == pytest.approx(
        by_pairs(event, time, risk > 0, np.ones(30))
    )


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.ones(3), "two columns"),
        (np.ones((3, 3)), r"two columns \(event, time\); got shape \(3, 3\)"),
        ([[2, 1.0], [1, 2.0], [0, 3.0]], "0 .censored. or 1, but it holds 2"),
        ([[1, np.nan], [1, 2.0], [0, 3.0]], "must be finite, got nan"),
        (np.zeros(3, dtype=[("a", float), ("b", float)]), "one boolean field"),
        (np.zeros(3, dtype=[("a", bool), ("b", float), ("c", float)]), "one boolean field"),
    ],
)
def test_what_is_no_survival_target(y, message):
    with pytest.raises(ValueError, match=message):
        concordance_index_score(y, [1.0, 2.0, 3.0])


def test_wrong_predictions_and_arguments():
    event, time, risk = make_data(5)
    y = structured(event, time)
    with pytest.raises(ValueError, match="NaN"):
        concordance_index_score(y, np.where(time > 1, np.nan, 1.0))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        concordance_index_score(y, risk[:-1, 0])
    with pytest.raises(ValueError, match="sample_weight"):
        concordance_index_score(y, risk[:, 0], sample_weight=-np.ones(30))


def test_undefined_without_a_comparable_pair():
    with pytest.warns(UndefinedMetricWarning, match="No pair of samples can be compared"):
        assert np.isnan(concordance_index_score([[0, 1.0], [1, 2.0]], [1, 2]))
    event, time, risk = make_data(6)
    counts = draw_counts(np.random.default_rng(7), MANY, 30)
    broken = counts.copy()
    broken[2, event] = 0
    kernel = bind(event, time, risk)
    for weights in (broken, broken * 0.5):
        assert np.isnan(kernel.scores(weights)[2]).all()
        assert kernel.winners(weights)[2] == -1
        np.testing.assert_array_equal(kernel.scores(weights)[3:], kernel.scores(counts)[3:])


def test_models_that_predict_times():
    event, time, risk = make_data(10)
    scorer = make_scorer(concordance_index_score, predicts="time")
    counts = draw_counts(np.random.default_rng(11), MANY, 30)
    kernel = bind(event, time, -risk, scorer)
    assert kernel.family == "concordance_index"
    np.testing.assert_array_equal(kernel.scores(counts), bind(event, time, risk).scores(counts))
    worst = make_scorer(concordance_index_score, greater_is_better=False)
    np.testing.assert_array_equal(
        bind(event, time, risk, worst).winners(counts),
        bind(event, time, risk).scores(counts).argmin(axis=1),
    )


def test_times_before_the_start_are_refused():
    with pytest.raises(ValueError, match="must not be negative, got -2"):
        concordance_index_score([[1, 3.0], [0, -2.0]], [0.1, 0.2])
    assert concordance_index_score([[1, 0.0], [0, 2.0]], [0.2, 0.1]) == 1


@pytest.mark.parametrize(
    ("event", "time", "compared"),
    [
        ([1, 1, 0], [1, 2, 3], [True, True, False]),
        ([1, 1, 1], [2, 2, 2], [False, False, False]),  # nobody outlives them
        ([1, 0, 1], [2, 2, 2], [True, False, True]),  # censored at that time: outlived them
        ([0, 0, 1], [1, 2, 3], [False, False, False]),
    ],
)
def test_every_draw_needs_an_event_that_another_row_outlived(event, time, compared):
    kernel = bind(np.array(event, bool), np.array(time, float), np.arange(3.0)[:, None])
    assert kernel.strata.tolist() == [compared]
