"""Published numbers, one table: method, data, metric, what is printed, and where."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from sklearn_bbc import BBCF, OOFPredictions, holdout_interval
from sklearn_bbc.comparison import (
    BonferroniDunn,
    DieboldMariano,
    McNemar,
    PairedDeLong,
    Side,
    critical_difference,
)
from sklearn_bbc.intervals import CVAUC, BayleCV, CorrectedT, CorrelationAdjusted, HanleyMcNeil

# --- data: each is made of the folder of reference data, where it is needed


def of_folds(metric, scores):
    scores = np.asarray(scores, dtype=float)
    scores = scores[:, None] if scores.ndim == 1 else scores
    return lambda shared: OOFPredictions.from_fold_scores({metric: scores})


def admissions(shared):
    table = pd.read_csv(shared / "reference" / "cvAUC_admissions_oof.csv")
    return OOFPredictions(y_true=table["y"], y_pred=table["score"], fold=table["fold"])


def asah(shared):
    table = pd.read_csv(shared / "reference" / "pROC_aSAH.csv")
    return OOFPredictions(
        y_true=(table["outcome"] == "Poor").astype(int), y_pred=table[["s100b", "wfns"]]
    )


def wrong(*positions):
    """Twenty labels in four folds, some of them wrong."""
    y = np.tile([0, 1], 10)
    found = np.where(np.isin(np.arange(20), positions), 1 - y, y)
    return lambda shared: OOFPredictions(y_true=y, y_pred=found, fold=np.arange(20) // 5)


def right_and_wrong(both, first, second, neither):
    """Two models of which so many are right."""
    rights = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [both, first, second, neither], axis=0)
    y = np.arange(len(rights)) % 2
    return lambda shared: OOFPredictions(
        y_true=y, y_pred=np.where(rights, y[:, None], 1 - y[:, None])
    )


def errors(*of_models):
    pred = np.stack(of_models, axis=1)
    return lambda shared: OOFPredictions(y_true=np.zeros(len(pred)), y_pred=pred, classes=None)


E_ETS = [
    0.002241270, -0.000661906, -1.200002613, -4.000218178, 3.799373533, 3.401005111, -1.199692125,
    -0.800490048, -1.200048999, 3.399847229, 7.000708948, 2.200989241, -4.800165569, -1.201043375,
    3.400167556, 3.000709085, 0.400267950, -6.800169207, -2.401259050, 1.200112198,
]  # fmt: skip
E_ARIMA = [
    0.1209998, 8.0622269, -0.9189429, -1.7952436, 5.3431277, 2.0459823, -0.6073261, 0.5516816,
    -0.7633238, 4.1229472, 5.8785333, 1.2828331, -3.4854233, 1.1971370, 3.1709314, 2.3408457,
    0.4962286, -5.9841362, 0.1537114, 0.4207951,
]  # fmt: skip
FOLDS = [[0.70, 0.60, 0.66], [0.80, 0.90, 0.71], [0.50, 0.65, 0.72], [0.75, 0.55, 0.70]]
TWENTY = wrong(1, 4, 5, 6, 14, 16, 18, 19)
LECTURE, BENTUR, MLXTEND = (30, 5, 17, 42), (1, 1, 7, 12), (101, 121, 59, 33)
WWW = errors(E_ETS, E_ARIMA)
FIVE = errors([1, 1, -1, 2, 3], [3, 6, -6, 0, 9])
MSE, MAE = "neg_mean_squared_error", "neg_mean_absolute_error"


def in_ranks(k, n=1):
    """Standard error of a difference of mean ranks: tables have quantiles in its unit."""
    return np.sqrt(k * (k + 1) / (6 * n))


# --- sources

METHODS = "worked examples of the notes on the methods"
CVAUC_R = "R package cvAUC, help page of ci.cvAUC"
PROC = "R package pROC, help page of roc.test"
FERRER = "README of confidence_intervals (Ferrer and Riera)"
FAGERLAND = "Fagerland, Lydersen, Laake (2013), :doi:`10.1186/1471-2288-13-91`"
DEMSAR = "Demsar (2006), JMLR 7, 1-30"
JULIA = "HypothesisTests.jl, test/diebold_mariano.jl (ets and auto.arima of R's forecast)"

# Method, data, metric, {attribute: value}, the last digit that is printed, source.
ROWS = [
    (BBCF(), of_folds("accuracy", FOLDS), "accuracy",
     {"estimate": 0.6250862069, "low": 0.50, "high": 0.71, "winner": 2}, 1e-10, METHODS),
    (BBCF(alternative="greater"), of_folds("accuracy", FOLDS), "accuracy",
     {"low": 0.50, "high": 1.0}, 1e-10, METHODS),
    (CorrectedT(), of_folds("accuracy", [0.80, 0.75, 0.90, 0.70, 0.85]), "accuracy",
     {"estimate": 0.8, "standard_error": 0.0530330, "high": 0.8 + 0.1472432}, 1e-7, METHODS),
    *((BayleCV(variance=variance), TWENTY, "accuracy",
       {"estimate": 0.6, "standard_error": error, "high": 0.6 + 1.959964 * error}, 1e-6, METHODS)
      for variance, error in (("all-pairs", 0.1095445), ("within-fold", 0.1172604))),
    (CVAUC(half_credit=False), admissions, "roc_auc",
     {"estimate": 0.9046473, "low": 0.8728913, "high": 0.9364034, "standard_error": 0.0162024},
     1e-7, CVAUC_R),
    (HanleyMcNeil(config=0), asah, "roc_auc", {"standard_error": 0.0512481}, 1e-7, PROC),
    (holdout_interval, asah, "roc_auc",
     {"estimate": 0.7313686, "low": 0.6301182, "high": 0.8326189}, 1e-7, PROC),
    (PairedDeLong(), asah, "roc_auc",
     {"statistic": -2.20898, "p_value": 0.02718, "low": -0.17421, "high": -0.01041}, 1e-5, PROC),
    *((CorrelationAdjusted(r=r), of_folds("roc_auc", np.linspace(0.6, 0.9, n)), "roc_auc",
       {"correlation": value}, 1e-4, METHODS)
      for n, r, value in ((5, 0.1, 0.9716), (5, 0.2, 0.9441), (5, 0.5, 0.8660), (5, 1, 0.75),
                          (5, 2, 0.5625), (10, 0.1, 0.9883))),
    *((McNemar(form=form), right_and_wrong(*LECTURE), "accuracy",
       {"statistic": statistic, "p_value": p}, 1e-6, METHODS)
      for form, statistic, p in (("corrected", 5.5, 0.0190165), ("exact", 5, 0.0169005),
                                 ("mid-p", 5, 0.0106220), ("chi-squared", 6.5454545, 0.0105153))),
    *((McNemar(form=form), right_and_wrong(*BENTUR), "accuracy",
       {"statistic": statistic, "p_value": p}, 1e-3, FAGERLAND)
      for form, statistic, p in (("chi-squared", 4.5, 0.034), ("corrected", 3.125, 0.077),
                                 ("exact", 1, 0.070), ("mid-p", 1, 0.039))),
    *((McNemar(form=form), right_and_wrong(*MLXTEND), "accuracy",
       {"statistic": statistic, "p_value": p}, 1e-13, "tests of mlxtend")
      for form, statistic, p in (("corrected", 20.672222222222221, 5.4500948254271171e-06),
                                 ("chi-squared", 21.355555555555554, 3.8151358651125936e-06),
                                 ("exact", 59, 4.4344492637555101e-06))),
    *((DieboldMariano(horizon=horizon, alternative=side), WWW, metric, {"p_value": p}, 1e-4, JULIA)
      for metric, horizon, side, p in (
          (MSE, 1, "two-sided", 0.8871), (MSE, 1, "less", 0.5565), (MSE, 1, "greater", 0.4435),
          (MSE, 10, "two-sided", 0.9362), (MSE, 10, "less", 0.5319), (MSE, 10, "greater", 0.4681),
          (MAE, 1, "two-sided", 0.7818), (MAE, 1, "less", 0.3909), (MAE, 1, "greater", 0.6091))),
    (DieboldMariano(alternative="greater"), FIVE, MSE,
     {"statistic": 2.2229922805746782, "p_value": 0.04515565862099125}, 1e-11,
     "README of the package dieboldmariano"),
    *((critical_difference, (k, n), level, {"value": value}, 1e-3, DEMSAR)
      for k, n, level, value in ((4, 14, 0.05, 1.2535), (4, 14, 0.10, 1.1179))),
    *((critical_difference, (k, 1), level,
       {"value": q * in_ranks(k)}, 1.2e-3 * in_ranks(k), DEMSAR)
      for level, quantiles in (
          (0.05, [1.960, 2.344, 2.569, 2.728, 2.850, 2.948, 3.031, 3.102, 3.164]),
          (0.10, [1.645, 2.052, 2.291, 2.460, 2.589, 2.693, 2.780, 2.855, 2.920]))
      for k, q in enumerate(quantiles, start=2)),
    *((BonferroniDunn(), np.random.default_rng(0).normal(size=(6, k)), "",
       {"critical_difference": q * in_ranks(k, 6)}, 1.2e-3 * in_ranks(k, 6), DEMSAR)
      for k, q in enumerate([2.241, 2.394, 2.498, 2.576, 2.638, 2.690, 2.734, 2.773], start=3)),
]  # fmt: skip


def computed(method, data, metric, shared):
    """The result of a row."""
    if method is critical_difference:
        return SimpleNamespace(value=method(*data, metric), details={})
    if isinstance(method, BonferroniDunn):
        return method.compare(data)
    oof = data(shared)
    if method is holdout_interval:
        return method(oof.y_true, oof.matrix(metric)[:, 0], metric)
    if hasattr(method, "compare"):
        return method.compare(Side(oof=oof, config=0), Side(oof=oof, config=1), metric)
    return method.estimate(oof, metric)


def named(row):
    method, _, metric, *_, source = row
    return f"{method if hasattr(method, 'get_params') else method.__name__} {metric} {source}"


@pytest.mark.parametrize("row", ROWS, ids=named)
@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
def test_what_is_published(row, request):
    method, data, metric, printed, digit, _ = row
    shared = request.getfixturevalue("shared") if data is admissions or data is asah else None
    result = computed(method, data, metric, shared)
    for name, value in printed.items():
        found = result.details[name] if name in result.details else getattr(result, name)
        assert found == pytest.approx(value, abs=0.51 * digit), name
