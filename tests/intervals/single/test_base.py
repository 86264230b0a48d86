"""Which configuration a method is about, and what is said about how it was chosen."""

import warnings

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import make_scorer, roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import BBCWarning, UndefinedIntervalError
from sklearn_bbc.intervals import (
    DeLong,
    HanleyMcNeil,
    HierarchicalBootstrap,
    LearnEvaluate,
    PooledBootstrap,
    TopShare,
    holdout_interval,
    registered,
)
from sklearn_bbc.intervals._single_base import NOT_ACCOUNTED
from sklearn_bbc.metrics import as_metric
from tests.made import made

Y = np.arange(60) % 2
SCORES = np.random.default_rng(0).normal(size=(60, 3)) + Y[:, None]
UNAWARE = [
    name
    for name, cls in registered().items()
    if not cls.selection_aware and cls.__module__.startswith("sklearn_bbc.")
]


def result_of(name, n_configs, **params):
    """With the area under the ROC curve, or with accuracy where a method does not take it."""
    method = registered()[name]()
    params |= {"n_bootstraps": 50, "random_state": 0}
    method.set_params(**{k: v for k, v in params.items() if k in method.get_params()})
    fold = np.arange(60) // 2 % 5
    scores = SCORES[:, :n_configs]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BBCWarning)
        try:
            oof = OOFPredictions(y_true=Y, y_pred=scores, fold=fold)
            return method.estimate(oof, "roc_auc")
        except ValueError:
            oof = OOFPredictions(y_true=Y, y_pred=(scores > 0.5).astype(int), fold=fold)
            return method.estimate(oof, "f1" if name == "takahashi" else "accuracy")


@pytest.mark.parametrize("name", UNAWARE)
def test_the_better_of_two_is_a_selection_and_said_to_be_one(name):
    found = {n: result_of(name, n).details for n in (1, 2, 3)}
    assert [d["selection_accounted_for"] for d in found.values()] == [True, False, False]
    noted = [NOT_ACCOUNTED in " ".join(each["notes"]) for each in found.values()]
    assert noted == [False, True, True]
    other = 1 - found[2]["winner"]
    named = result_of(name, 2, config=other).details
    assert named["selection_accounted_for"] and NOT_ACCOUNTED not in named["notes"]


@pytest.mark.parametrize("sign", [1, -1])
def test_an_infinite_score_has_no_interval(sign):
    def ratio(y, pred):
        return np.inf if len(y) > 25 else 1.0

    scorer = make_scorer(ratio, greater_is_better=sign > 0)
    oof = OOFPredictions(y_true=Y, y_pred=np.ones(60, dtype=int), fold=Y * 0 + (Y.cumsum() > 15))
    message = f"ratio is {'' if sign > 0 else '-'}inf"
    with pytest.raises(UndefinedIntervalError, match=f"{message} on these data"):
        PooledBootstrap().estimate(oof, scorer)
    with pytest.raises(UndefinedIntervalError, match=f"{message} in fold 0"):
        HierarchicalBootstrap().estimate(oof, scorer)
    with pytest.raises(UndefinedIntervalError, match=f"{message} on these data"):
        holdout_interval(Y, np.ones(60, dtype=int), scorer)


def test_bounds_on_the_logit_scale_by_hand():
    oof = OOFPredictions(y_true=Y, y_pred=SCORES[:, 0])
    plain, curved = (DeLong(logit=flag).estimate(oof, "roc_auc") for flag in (False, True))
    area, error = plain.estimate, plain.details["standard_error"]
    half = norm.ppf(0.975) * error / (area * (1 - area))
    odds = area / (1 - area) * np.exp([-half, half])
    assert tuple(curved) == pytest.approx(tuple(odds / (1 + odds)))
    formula = HanleyMcNeil().estimate(oof, "roc_auc")  # has no other scale
    half = norm.ppf(0.975) * formula.details["standard_error"]
    assert tuple(formula) == pytest.approx((area - half, min(area + half, 1)))


OOF = OOFPredictions(y_true=Y, y_pred=SCORES, fold=np.arange(60) // 2 % 5)


def test_configurations_that_are_not_there_or_failed_are_refused():
    assert DeLong(config=np.int64(2)).estimate(OOF, "roc_auc").details["config"] == 2
    with pytest.raises(ValueError, match="config=3 does not exist: the configurations are 0 to 2"):
        DeLong(config=3).estimate(OOF, "roc_auc")
    failed = made(y_true=Y, y_pred=SCORES, fold=OOF.fold, failed=[True, False, False])
    with pytest.raises(ValueError, match="Configuration 0 failed in some fold"):
        DeLong(config=0).estimate(failed, "roc_auc")


def test_a_step_of_selection_chooses_alone():
    with pytest.raises(ValueError, match=r"Give either config \(got 0\) or selection"):
        DeLong(config=0, selection=LearnEvaluate()).estimate(OOF, "roc_auc")


def test_what_is_said_of_a_reported_configuration():
    step = LearnEvaluate(TopShare(0.7), random_state=0)
    oof = OOFPredictions(y_true=Y, y_pred=SCORES, fold=Y * 0)
    kernel = as_metric("roc_auc").bind(oof)
    selected = step.select(kernel)
    result = DeLong(selection=step).estimate(oof, "roc_auc")
    details = result.details
    assert details["selection_accounted_for"] and details["config"] == selected.reported
    assert details["candidates"].tolist() == selected.candidates.tolist()
    assert len(details["candidates"]) == 2
    assert details["learn_score"] == selected.learn_scores[selected.reported]
    assert (details["n_learn"], details["n_evaluate"]) == (45, 15)
    assert details["adjusted_level"] == pytest.approx(np.sqrt(0.95))
    alone = OOFPredictions(
        y_true=Y[selected.evaluate], y_pred=SCORES[selected.evaluate][:, [selected.reported]]
    )
    expected = DeLong(confidence_level=np.sqrt(0.95)).estimate(alone, "roc_auc")
    assert (result.estimate, *result) == pytest.approx((expected.estimate, *expected))
    assert result.estimand != DeLong.estimand
    one = OOFPredictions(y_true=Y, y_pred=SCORES[:, :1], fold=Y * 0)
    notes = DeLong(selection=step).estimate(one, "roc_auc").details["notes"]
    assert sum("draws repeat no selection" in note for note in notes) == 1
    assert not any("draws repeat no selection" in note for note in details["notes"])


def test_log_odds_of_a_perfect_score_are_infinite():
    oof = OOFPredictions(y_true=Y, y_pred=Y + SCORES[:, 0] / 100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BBCWarning)
        result = DeLong(logit=True).estimate(oof, "roc_auc")
    if np.isnan(result.low):
        assert "log odds of an estimate of 1 are infinite" in result.details["reason"]
    else:
        assert tuple(result) == (1, 1)


# --- differences of two configurations
FORMED = [name for name in UNAWARE if getattr(registered()[name], "pairs", False)]


def folded(scores=SCORES, **fields):
    return made(y_true=Y, y_pred=scores, fold=np.arange(60) // 2 % 5, **fields)


@pytest.mark.parametrize("name", FORMED)
def test_a_difference_is_the_first_minus_the_second(name):
    method = registered()[name]()
    if "random_state" in method.get_params():
        method.set_params(random_state=0, n_bootstraps=200)
    there, back = (method.difference(folded(), "roc_auc", *pair) for pair in ((2, 0), (0, 2)))
    areas = [roc_auc_score(Y, SCORES[:, k]) for k in (2, 0)]
    assert there.details["scores"] == pytest.approx(areas)
    assert there.estimate == pytest.approx(areas[0] - areas[1]) == -back.estimate
    assert there.low < there.estimate < there.high
    assert there.details["p_value"] == pytest.approx(back.details["p_value"])
    assert {"standard_error", "unit", "notes"} <= set(there.details)
    assert there.method == name and "two configurations" in there.estimand


@pytest.mark.parametrize("name", FORMED)
def test_a_difference_knows_groups_weights_and_repeats(name):
    """Of two configurations that are the two models of a test set."""
    method = registered()[name]()
    if "random_state" in method.get_params():
        method.set_params(random_state=0, n_bootstraps=200)
    for fields in (
        {"groups": np.arange(60) // 2 % 15},
        {"sample_weight": 1.0 + np.arange(60) % 4},
    ):
        result = method.difference(folded(**fields), "roc_auc", 1, 2)
        weight = fields.get("sample_weight")
        scores = [roc_auc_score(Y, SCORES[:, k], sample_weight=weight) for k in (1, 2)]
        assert result.details["scores"] == pytest.approx(scores)
        assert result.details["unit"] == ("group" if "groups" in fields else "sample")
    fold = [np.arange(60) % 5] * 2
    twice = OOFPredictions(y_true=Y, y_pred=np.stack([SCORES, SCORES]), fold=fold)
    once = method.difference(folded(), "roc_auc", 1, 2)
    again = method.difference(twice, "roc_auc", 1, 2)
    assert tuple(again) == pytest.approx(tuple(once), abs=1e-9)


@pytest.mark.parametrize(
    ("method", "pair", "message"),
    [
        (
            HierarchicalBootstrap(),
            (0, 1),
            "is for one model and has no paired form",
        ),
        (DeLong(config=0), (0, 1), "leave logit, config and selection at their defaults"),
        (PooledBootstrap(config=0), (0, 1), "leave config at its default"),
        (DeLong(confidence_level=2), (0, 1), "confidence_level must be"),
        (DeLong(), (0, 3), "second must be the index of a configuration, 0 to 2, got 3"),
        (DeLong(), (-1, 1), "first must be the index of a configuration, 0 to 2, got -1"),
        (DeLong(), (1, 1), "both configuration 1: a difference needs two"),
    ],
)
def test_differences_that_cannot_be_judged(method, pair, message):
    with pytest.raises(ValueError, match=message):
        method.difference(folded(), "roc_auc", *pair)
