"""What is refused, marked or noted of a test set."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import make_scorer

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning, SlowMetricWarning, UndefinedIntervalError
from sklearn_bbc.intervals import DeLong, PooledBootstrap, Wald, _bootstrap, holdout_interval
from sklearn_bbc.metrics import _metric
from sklearn_bbc.resampling import Draws
from tests.intervals.holdout_cases import LABELS, OTHER, SCORES, Y


@pytest.mark.parametrize("scoring", ["roc_auc", "accuracy"])
def test_a_test_set_without_spread_is_marked(scoring):
    y_pred = Y if scoring == "accuracy" else Y.astype(float)
    with pytest.warns(IntervalWarning, match="certainly wrong"):
        result = holdout_interval(
            Y, y_pred, scoring, method="bca", n_bootstraps=50, random_state=0
        )
    assert tuple(result) == (1, 1) and result.details["degenerate"]


@pytest.mark.parametrize("method", ["percentile", "delong", "auto"])
def test_a_class_with_one_sample_is_named(method):
    y = (np.arange(200) == 3).astype(int)
    for other in (None, OTHER):
        if method == "auto" and other is not None:
            continue
        with pytest.raises(UndefinedIntervalError, match="class 1 has 1"):
            holdout_interval(y, SCORES, "roc_auc", y_pred_other=other, method=method)


@pytest.mark.parametrize(
    ("label", "missing"),
    [
        (0, "class 1"), (-1, "class 1"), (1, r"class 0 \(or -1\)"), (False, "class True"),
        (True, "class False"), ("ill", "every class but ill"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("method", ["auto", "studentised"])
@pytest.mark.filterwarnings("ignore:Only one class")
def test_a_missing_class_is_named_before_the_draws(monkeypatch, label, missing, method):
    message = f"^holdout_interval cannot bootstrap roc_auc: {missing} has 0 samples, so no"
    monkeypatch.setattr(_bootstrap, "Draws", lambda *args, **kwargs: pytest.fail("too late"))
    with pytest.raises(UndefinedIntervalError, match=message):
        holdout_interval(np.full(200, label), SCORES, "roc_auc", method=method)


def test_draws_without_a_score_are_counted_under_the_name_of_the_function():
    y = np.where(np.arange(40) < 8, np.arange(40) % 2, 0)  # class 1 in two groups of ten
    with pytest.raises(UndefinedIntervalError, match=r"^holdout_interval cannot .* 200 draws"):
        holdout_interval(
            y, SCORES[:40], "roc_auc", groups=np.arange(40) // 4, n_bootstraps=200,
            group_bootstrap="ferrer-riera",
        )  # fmt: skip


# --- refusals
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scoring": None}, "scoring must be given"),
        ({"y_true": None}, "scoring='roc_auc' cannot be used"),
        ({"y_pred": SCORES[:9]}, r"y_pred has shape \(9,\), but there are 200 samples"),
        ({"y_pred_other": SCORES[:9]}, r"y_pred_other has shape \(9,\)"),
        ({"pool_seeds": True}, "pool_seeds=True needs y_pred of shape"),
        (
            {
                "pool_seeds": True,
                "y_pred": np.stack([SCORES] * 2, 1),
                "y_pred_other": SCORES[:, None],
            },
            "must be predictions of the same samples",
        ),
        ({"method": "wald", "y_pred_other": OTHER}, "'wald' is for one model. Use"),
        ({"group_bootstrap": "two-stage"}, "draws groups, but there are none"),
        (
            {"group_bootstrap": "two-stage", "groups": Y, "method": "delong"},
            "method='delong' is a formula",
        ),
        ({"method": Wald(), "y_pred_other": OTHER}, r"method=Wald\(\) is for one model"),
        (
            {"method": PooledBootstrap(config=0), "y_pred_other": OTHER},
            "difference: leave config at its default",
        ),
        (
            {"method": PooledBootstrap(), "group_bootstrap": "two-stage", "groups": Y},
            "group_bootstrap='two-stage' is for bootstraps by name",
        ),
        ({"method": DeLong(logit=True), "y_pred_other": OTHER}, "leave logit, config"),
        (
            {"method": DeLong(), "pool_seeds": True, "y_pred": np.stack([SCORES, OTHER], 1)},
            "differences and pooled seeds",
        ),
        (
            {"method": "bca", "pool_seeds": True, "y_pred": np.stack([SCORES, OTHER], 1)},
            "method='bca' takes an acceleration .* but pooled seeds spread between training runs",
        ),
        (
            {"method": "studentised", "group_bootstrap": "two-stage", "groups": Y},
            "method='studentised' takes standard errors .* but group_bootstrap='two-stage' draws",
        ),
        (
            {
                "method": "bca",
                "group_bootstrap": "ferrer-riera",
                "groups": Y,
                "y_pred_other": OTHER,
            },
            "but group_bootstrap='ferrer-riera' draws groups and then samples",
        ),
        ({"method": "hanley-mcneil", "y_pred_other": OTHER}, "is for one model. Use 'percentile'"),
        (
            {"method": "delong", "scoring": "accuracy", "y_pred": LABELS},
            "area under the whole ROC",
        ),
    ],
)
def test_arguments_that_do_not_fit(arguments, message):
    with pytest.raises(ValueError, match=message):
        holdout_interval(**{"y_true": Y, "y_pred": SCORES, "scoring": "roc_auc", **arguments})


def test_pandas_objects_of_other_orders_are_aligned():
    names = [f"patient {k}" for k in range(len(Y))]
    y, scores = pd.Series(Y, names), pd.Series(SCORES, names)
    groups = pd.Series(np.arange(len(Y)) // 3, names)
    expected = holdout_interval(Y, SCORES, "roc_auc", groups=groups.to_numpy(), random_state=0)
    given = {"y_true": y, "y_pred": scores, "groups": groups}
    for name in ("y_pred", "groups"):
        fields = {**given, name: given[name][::-1]}
        result = holdout_interval(**fields, scoring="roc_auc", random_state=0)
        assert tuple(result) == tuple(expected)
        assert f"{name} had the index of y_true in another order" in " ".join(
            result.details["notes"]
        )
    with pytest.raises(ValueError, match="y_true and y_pred have different indexes"):
        holdout_interval(y, scores.add_prefix("former "), "roc_auc")
    with pytest.raises(ValueError, match="same index in another order"):
        holdout_interval(pd.Series(Y), pd.Series(SCORES)[::-1], "roc_auc")


@pytest.mark.parametrize(
    ("arguments", "calls"),
    [
        ({"method": "percentile"}, 300),
        ({"method": "bca"}, 300 + 200),
        ({"method": "studentised"}, 300 + 50 * 301),
        ({"method": "studentised", "y_pred_other": OTHER}, 2 * (300 + 50 * 301)),
        ({"method": "basic", "pool_seeds": True, "y_pred": np.stack([SCORES] * 3, 1)}, 3 * 300),
    ],
)
def test_a_metric_without_a_kernel_is_announced_with_all_its_calls(arguments, calls, monkeypatch):
    monkeypatch.setattr(_metric, "SLOW_SECONDS", 0)
    monkeypatch.setattr(Draws, "map", lambda *given: 1 / 0)
    scorer = make_scorer(lambda y, p: float(np.mean(p)))
    with (
        pytest.warns(SlowMetricWarning, match=f" {calls:,} times"),
        pytest.raises(ZeroDivisionError),
    ):
        holdout_interval(Y, **{"y_pred": SCORES, **arguments}, scoring=scorer, n_bootstraps=300)


def test_an_estimate_outside_its_interval_is_reported():
    """R2 of few samples is lower on nearly all resamples than on the data."""
    y = np.array([0.1, 0.2, 1.6, 0.4, -2.4])
    result = holdout_interval(
        y, np.zeros(5), "r2", confidence_level=0.8, alternative="less", random_state=0
    )
    assert result.high < result.estimate
    assert "outside the interval" in " ".join(result.details["notes"])
    pooled = PooledBootstrap(confidence_level=0.8, alternative="less", random_state=0)
    found = pooled.estimate(OOFPredictions(y_true=y, y_pred=np.zeros(5), classes=None), "r2")
    assert found.high < found.estimate or "outside" not in " ".join(found.details["notes"])
