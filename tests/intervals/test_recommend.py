"""Methods by name, and recommended by the data."""

import re

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions, holdout_interval, intervals
from sklearn_bbc.intervals import (
    BBC,
    BBCF,
    CVAUC,
    BatesNestedCV,
    BayleCV,
    ConservativeZ,
    CorrectedT,
    DeLong,
    HierarchicalBootstrap,
    PooledBootstrap,
    RefitInterval,
    TibshiraniTibshirani,
    Wald,
    as_interval,
    published_intervals,
    recommend,
    recommendations,
    registered_refits,
)
from tests.made import made

RNG = np.random.default_rng(0)


def predictions(n=200, n_configs=1, n_folds=5, labels=False, **fields):
    y = np.tile([0, 1], n // 2)
    values = RNG.normal(size=(n, n_configs)) + y[:, None]
    fold = np.arange(n) // 2 % n_folds if n_folds else None
    return made(
        y_true=y, y_pred=(values > 0.5).astype(int) if labels else values, fold=fold, **fields
    )


def fold_scores(n_configs, n_folds=6):
    scores = {"roc_auc": RNG.random((n_folds, n_configs))}
    return OOFPredictions.from_fold_scores(scores)


def regression(**fields):
    y, y_pred = RNG.normal(size=(2, 200))
    return made(y_true=y, y_pred=y_pred, fold=np.arange(200) % 5, **fields)


def shifted(n_folds=10):
    """Scores of each fold on a scale of its own, as those of shrunken models."""
    y = np.tile([0, 1], 100)
    fold = np.arange(200) // 2 % n_folds
    values = RNG.normal(size=(200, 4)) + y[:, None] + 20 * fold[:, None] / n_folds
    return OOFPredictions.from_rows(y_true=y, responses={"decision_function": values.T}, fold=fold)


REFITS = {"refits": True}
DYNAMIC = {"dynamic": True}
PAIRS = np.arange(200) // 2 % 100
CASES = [
    (predictions(n_configs=8), "roc_auc", {}, BBC, "corrects the selection"),
    (predictions(n_configs=8), "roc_auc", {"fast": True}, BBCF, "shortest time"),
    (predictions(n=40, n_configs=8), "roc_auc", {"fast": True}, BBC, "very wide"),
    (predictions(n_configs=8, n_folds=3), "roc_auc", {"fast": True}, BBC, "any metric"),
    (shifted(), "roc_auc", {}, BBC, "within_folds"),
    (shifted(), "accuracy", {}, BBC, "any metric"),
    (shifted(n_folds=50), "roc_auc", {}, BBC, "any metric"),  # 2 of each class in a fold
    (fold_scores(8), "roc_auc", {}, BBCF, "fold scores alone"),
    (fold_scores(8, 2), "roc_auc", {}, TibshiraniTibshirani, "no interval accounts"),
    (fold_scores(1), "roc_auc", {}, CorrectedT, "overlapping training sets"),
    (predictions(), "roc_auc", {}, CVAUC, "within folds only"),
    (predictions(labels=True), "accuracy", {}, BayleCV, "central limit theorem"),
    (predictions(n=60), "roc_auc", {}, HierarchicalBootstrap, "few samples"),
    (predictions(n=60, labels=True), "accuracy", {}, HierarchicalBootstrap, "few samples"),
    (predictions(labels=True), "f1", {}, CorrectedT, "any metric"),
    (regression(), "r2", {}, CorrectedT, "any metric"),
    (regression(groups=np.arange(200) // 2), "r2", {}, CorrectedT, "any metric"),
    (predictions(labels=True), "accuracy", REFITS, BatesNestedCV, "many fits"),
    (predictions(), "roc_auc", REFITS, ConservativeZ, "disjoint halves"),
    (predictions(groups=PAIRS), "roc_auc", REFITS, CVAUC, "within folds only"),
    (predictions(n_configs=8), "roc_auc", REFITS, BBC, "corrects the selection"),
    (predictions(n_configs=8), "roc_auc", DYNAMIC, BBC, "unproven"),
    (fold_scores(8), "roc_auc", DYNAMIC, BBCF, "unproven"),
    (fold_scores(8, 2), "roc_auc", DYNAMIC, TibshiraniTibshirani, "no interval accounts"),
    (predictions(), "roc_auc", DYNAMIC, CVAUC, "within folds only"),
    (predictions(n_folds=0), "roc_auc", {}, DeLong, "test set"),
    (predictions(n_folds=0, labels=True), "accuracy", {}, Wald, "Wilson"),
    (predictions(n_folds=0, labels=True), "f1", {}, PooledBootstrap, "any metric"),
    (predictions(n_folds=0, groups=PAIRS), "roc_auc", {}, PooledBootstrap, "draws groups"),
    (
        predictions(n_folds=0, labels=True, sample_weight=PAIRS + 1),
        "accuracy", {}, PooledBootstrap, "keeps weights",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("oof", "scoring", "arguments", "cls", "word"), CASES)
def test_the_table(oof, scoring, arguments, cls, word):
    method, reason = recommend(oof, scoring, **arguments)
    assert type(method) is cls
    assert word in reason and reason.endswith(".") and reason.count(". ") == 0
    if isinstance(method, RefitInterval):
        return
    result = method.estimate(oof, scoring)
    if cls is not TibshiraniTibshirani:
        assert result.low <= result.estimate <= result.high


def test_every_line_of_the_table_is_reached():
    reached = {recommend(oof, scoring, **asked).reason for oof, scoring, asked, _, _ in CASES}
    assert reached == {reason for _, reason in recommendations().values()}


def test_small_data_are_distinguished_where_the_table_says():
    """Below 50 samples, or 10 of a class; one more of each is enough."""
    for n, few in ((48, True), (50, False)):
        _, reason = recommend(predictions(n=n, n_configs=3), "roc_auc")
        assert ("very wide" in reason) == few
    for n_positive, few in ((9, True), (10, False)):
        y = (np.arange(200) < n_positive).astype(int)
        oof = OOFPredictions(y_true=y, y_pred=RNG.normal(size=(200, 3)), fold=np.arange(200) % 5)
        assert ("very wide" in recommend(oof, "roc_auc").reason) == few


def test_folds_that_hide_the_spread_are_not_taken_for_fast_intervals():
    """Stratified folds, and a class that is badly predicted: BBC-F held 69% for 95%."""
    y = (np.arange(300) < 60).astype(int)
    fold = np.arange(300) % 5
    badly = (RNG.random((300, 4)) < 0.05 + 0.1 * y[:, None]).astype(int)
    alike = np.where(RNG.random((300, 4)) < 0.2, 1 - y[:, None], y[:, None])
    for y_pred, expected in ((badly, BBC), (alike, BBCF)):
        oof = OOFPredictions(y_true=y, y_pred=y_pred, fold=fold)
        assert type(recommend(oof, "accuracy", fast=True).method) is expected
    unsorted = RNG.permutation(300) % 5
    oof = OOFPredictions(y_true=y, y_pred=badly, fold=unsorted)
    assert type(recommend(oof, "accuracy", fast=True).method) is BBCF


def test_a_failed_configuration_is_none_of_several():
    oof = predictions(n_configs=2, failed=[False, True])
    assert type(recommend(oof, "roc_auc").method) is CVAUC


# --- what is looked at -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("BBC", "bbc"), ("bbc-f", "bbcf"), ("BBCF", "bbcf"), ("BBC_F", "bbcf"), ("DeLong", "delong"),
     ("corrected t", "corrected_t"), ("corrected-t-test", "corrected_t"), ("TT", "tibshirani"),
     ("hierarchical", "hierarchical_bootstrap")],
)  # fmt: skip
def test_a_name_that_is_nearly_right_gets_the_right_one(wrong, meant):
    with pytest.raises(ValueError, match=rf"{wrong}'\. Did you mean '{meant}'\? Known names: \["):
        as_interval(wrong)


@pytest.mark.parametrize("name", sorted(registered_refits()))
@pytest.mark.parametrize("form", ["name", "other name", "object", "class"])
def test_a_method_that_trains_says_how_it_is_called(name, form):
    cls = registered_refits()[name]
    given = {"name": name, "other name": cls.__name__, "object": cls(), "class": cls}[form]
    how = rf"{cls.__name__} trains models, .* {cls.__name__}\(\)\.estimate\(estimator, X, y\)"
    with pytest.raises(ValueError, match=how):
        as_interval(given)


def test_the_names_of_published_intervals_are_those_in_results():
    """By the call of the table, and by its name for held-out data."""
    y = np.tile([0, 1], 40)
    pred = np.where(np.arange(80) % 7 == 0, 1 - y, y)
    two = np.stack([pred, np.roll(pred, 2)], axis=1)
    oof = OOFPredictions(y_true=y, y_pred=two, fold=np.arange(80) // 16)
    quick = {"random_state": 0, "n_bootstraps": 200}
    checked = 0
    for row in published_intervals().itertuples(index=False):
        name, call, held, _ = row
        method = eval(call, vars(intervals))
        if isinstance(method, intervals.RefitInterval):
            continue
        known = method.get_params()
        method.set_params(**{key: value for key, value in quick.items() if key in known})
        of_areas = dict.fromkeys(("delong", "hanley_mcneil", "cvauc"), "roc_auc")
        scoring = {**of_areas, "takahashi": "f1"}.get(method.name, "accuracy")
        printed = f"by {name.removesuffix(' (MABT)').removesuffix(')')}"
        assert printed in method.estimate(oof, scoring).summary().replace("by the ", "by ")
        checked += 1
        if held:
            result = holdout_interval(y, pred, scoring, method=held, **quick)
            of_predictions = name.replace(" of pooled predictions", "")
            assert f"by {of_predictions}" in result.summary().replace("by the ", "by ")
    assert checked > 30


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("wilson", "Wald(form='wilson')"),
        ("Agresti_Coull", "Wald(form='agresti-coull')"),
        ("BCa", "PooledBootstrap(form='bca')"),
        ("jefreys", "Wald(form='jeffreys')"),
    ],
)
def test_a_published_name_finds_the_call(name, call):
    with pytest.raises(ValueError, match=re.escape(f"form of a method: pass {call}.")):
        as_interval(name)
