"""Every method with every kind of metric on data that hold next to nothing.

Whatever the data are: an error that names what is wrong, or bounds in order and within the range
of the metric, or NaN with the reason; never an infinite estimate, never a warning out of NumPy.
"""

import warnings
from functools import cache

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, get_scorer_names, make_scorer

from benchmarks.published.replication import MABT, BootstrapTilting, PublishedTilting
from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import BBCWarning
from sklearn_bbc.intervals import (
    HierarchicalBootstrap,
    NaiveBootstrap,
    PooledBootstrap,
    holdout_interval,
    registered,
)
from sklearn_bbc.metrics import as_metric

FORMS = ("percentile", "basic", "normal", "studentised", "bca")
N_BOOTSTRAPS = 25
N_NESTED = 10
"""Draws of the studentised form with inner draws, which cost many times as much."""

OWN_SHARE = make_scorer(lambda y, p: float(np.mean(y == p)))
OWN_RATIO = make_scorer(lambda y, p: float(np.mean(y * p) / np.mean(y != p)))
OWN_ERROR = make_scorer(
    lambda y, p: float(np.mean(np.abs(y - p)) / np.ptp(y)), greater_is_better=False
)


def own_scorer(estimator, X, y):
    """A plain callable, whose inside cannot be seen."""
    return float(np.mean(estimator.predict(X) == y))


TWO_CLASSES = [
    "roc_auc", "accuracy", "balanced_accuracy", "f1", "precision", "recall", "jaccard",
    "matthews_corrcoef", "average_precision", "neg_log_loss", "d2_log_loss_score",
    "neg_brier_score", "d2_brier_score", "f1_macro", "positive_likelihood_ratio",
    make_scorer(cohen_kappa_score), OWN_SHARE, OWN_RATIO, own_scorer,
]  # fmt: skip
MORE_CLASSES = [
    "roc_auc_ovr", "roc_auc_ovo", "accuracy", "f1_macro", "recall_weighted", "neg_log_loss",
    "d2_log_loss_score", "matthews_corrcoef", "completeness_score", OWN_SHARE,
]  # fmt: skip
VALUES = [
    "r2", "explained_variance", "neg_mean_squared_error", "neg_mean_absolute_percentage_error",
    "neg_median_absolute_error", "neg_max_error", "d2_absolute_error_score",
    "neg_mean_squared_log_error", OWN_ERROR,
]  # fmt: skip


REPLAYED = {"positive_likelihood_ratio", "completeness_score", OWN_SHARE, own_scorer}
"""Metrics without a kernel that are not tried with inner draws; `OWN_RATIO` stands for them."""


@cache
def data():
    """Name -> (predictions, metrics)."""
    rng = np.random.default_rng(0)
    known = get_scorer_names()

    def of_classes(y, quality, n_configs, n_classes=2, fold=None, **fields):
        y = np.asarray(y)
        logits = rng.normal(size=(n_configs, len(y), n_classes))
        if np.isfinite(quality):
            logits += quality * (y[:, None] == np.arange(n_classes))
        proba = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
        if quality == np.inf:
            proba = np.stack([1.0 * (y[:, None] == np.arange(n_classes))] * n_configs)
        if quality == -np.inf:
            proba = np.full((n_configs, len(y), n_classes), 1 / n_classes)
        fold = np.arange(len(y)) // 2 % 2 if fold is None else fold
        return OOFPredictions(
            y_true=y,
            responses={"predict": proba.argmax(axis=2), "predict_proba": proba},
            fold=fold,
            classes=np.arange(n_classes),
            **fields,
        )

    def of_values(y, noise, n_configs=2):
        pred = y + noise * rng.normal(size=(n_configs, len(y)))
        return OOFPredictions(
            y_true=y, responses={"predict": pred}, fold=np.arange(len(y)) % 2, classes=None
        )

    once_a_repeat = OOFPredictions(
        y_true=np.arange(12) % 2,
        y_pred=rng.uniform(size=(2, 12, 2)),
        fold=np.zeros((2, 12), dtype=int),
    )
    rare = (np.arange(40) % 20 == 3).astype(int)
    rarer = (np.arange(30) == 3).astype(int)
    found = {
        "6 samples": (of_classes([0, 1, 1, 0, 0, 1], 1.0, 1), TWO_CLASSES),
        "12 samples": (of_classes(np.arange(12) % 2, 0.5, 3), TWO_CLASSES),
        "10 samples, folds of one": (
            of_classes(np.arange(10) % 2, 1.0, 2, fold=np.arange(10)), TWO_CLASSES,
        ),
        "2 of 40 positive": (of_classes(rare, 1.0, 2, fold=np.arange(40) // 20), TWO_CLASSES),
        "1 of 30 positive": (of_classes(rarer, 1.0, 2), TWO_CLASSES),
        "all of one class": (of_classes(np.zeros(12, dtype=int), 1.0, 2), TWO_CLASSES),
        "perfect classes": (of_classes(np.arange(16) % 2, np.inf, 2), TWO_CLASSES),
        "constant scores": (of_classes(np.arange(16) % 2, -np.inf, 2), TWO_CLASSES),
        "3 classes": (of_classes(np.arange(12) % 3, 1.0, 2, 3), MORE_CLASSES),
        "3 classes, one rare": (
            of_classes(np.r_[np.arange(18) % 2, 2, 2], 1.0, 2, 3, fold=np.arange(20) % 2),
            MORE_CLASSES,
        ),
        "groups": (
            of_classes(np.arange(16) % 2, 1.0, 2, groups=np.arange(16) // 3), TWO_CLASSES[:12],
        ),
        "weights": (
            of_classes(np.arange(12) % 2, 1.0, 2, sample_weight=np.arange(12) % 3.0),
            TWO_CLASSES[:12],
        ),
        "a fold a repeat": (once_a_repeat, ["roc_auc", "accuracy", "f1", "neg_log_loss"]),
        "8 values": (of_values(rng.uniform(1, 2, size=8), 0.3), VALUES),
        "constant target": (of_values(np.ones(10), 0.3), VALUES),
        "perfect values": (of_values(rng.uniform(1, 2, size=10), 0.0), VALUES),
        "an outlier": (of_values(np.r_[np.ones(9) + 0.01 * np.arange(9), 1e6], 0.3), VALUES),
    }  # fmt: skip
    return {
        name: (oof, [m for m in metrics if not isinstance(m, str) or m in known])
        for name, (oof, metrics) in found.items()
    }


def ours():
    """Names of methods that come with the package; other tests register more."""
    return [name for name, c in registered().items() if c.__module__.startswith("sklearn_bbc.")]


METHODS = {name: registered()[name]() for name in ours()}
METHODS |= {f"pooled, {form}": PooledBootstrap(form=form) for form in FORMS[1:]}
METHODS |= {
    f"hierarchical, {form}": HierarchicalBootstrap(form=form)
    for form in FORMS
    if form != HierarchicalBootstrap().form
}
METHODS |= {
    "folds alone": HierarchicalBootstrap(second_stage=False),
    "naive, normal": NaiveBootstrap(form="normal"),
    "tilting, published": BootstrapTilting(replicate=PublishedTilting()),
    "mabt, published": MABT(replicate=PublishedTilting()),
}
HOLDOUT = {f"holdout, {form}": form for form in (*FORMS, "auto")}


def part_of(metrics, k, step):
    """Some of the metrics: methods share their draws and scores, and so the metrics too."""
    return metrics[k % step :: step]


def problem(result, bounds):
    """What is wrong with a result, None when nothing is."""
    (low, high), (worst, best), estimate = result, bounds, result.estimate
    rounding = 1e-9 * max(1.0, abs(estimate))
    if np.isinf(estimate):
        return f"the estimate is {estimate}"
    if np.isnan([estimate, low, high]).any():
        said = result.details.get("reason") or result.details["notes"]
        return None if said else f"({low}, {high}) around {estimate} without a reason"
    if not low <= high:
        return f"low {low} is above high {high}"
    if not worst - rounding <= estimate <= best + rounding:
        return f"the estimate {estimate} is outside the range {bounds}"
    if low < worst - rounding or high > best + rounding:
        return f"({low}, {high}) leaves the range {bounds}"
    return None


def check(name, run, metrics, paired=False):
    """Run one method with several metrics and collect what is wrong."""
    wrong = []
    for scoring in metrics:
        metric = as_metric(scoring)
        worst, best = metric.bounds
        bounds = (worst - best, best - worst) if paired else (worst, best)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", BBCWarning)
            warnings.filterwarnings("ignore", module=r"sklearn\.")  # not ours
            warnings.filterwarnings("ignore", module=__name__)  # our own metrics
            try:
                found = problem(run(metric), bounds)
            except ValueError as error:
                found = None if len(str(error)) > 20 else f"the message is {error!s}"
            except Exception as error:
                found = f"{type(error).__name__}: {error}"
        if found:
            wrong.append(f"{name}, {metric.name}: {found}")
    return wrong


@pytest.mark.parametrize("method", METHODS)
def test_methods(method):
    interval, wrong = METHODS[method], []
    n_bootstraps = N_NESTED if method == "pooled, studentised" else N_BOOTSTRAPS
    params = {"n_bootstraps": n_bootstraps, "random_state": 0}
    interval.set_params(**{k: v for k, v in params.items() if k in interval.get_params()})
    for name, (oof, metrics) in data().items():
        if n_bootstraps == N_NESTED:
            metrics = [m for m in metrics if m not in REPLAYED]
        metrics = part_of(metrics, list(METHODS).index(method), 4 if "," in method else 2)
        wrong += check(name, lambda m, oof=oof: interval.estimate(oof, m), metrics)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("paired", [False, True], ids=["one", "pair"])
@pytest.mark.parametrize("method", HOLDOUT)
def test_holdout(method, paired):
    wrong, form = [], HOLDOUT[method]
    n_bootstraps = N_NESTED if form == "studentised" else N_BOOTSTRAPS

    def run(metric, oof):
        y_pred = oof.response(metric.response_method or ("predict",))[0]
        y_pred = np.asarray(oof.classes_)[y_pred] if y_pred.dtype.kind in "iu" else y_pred
        other = {"y_pred_other": y_pred[1]} if paired else {}
        return holdout_interval(
            oof.y_true, y_pred[0], metric, method=form, n_bootstraps=n_bootstraps,
            random_state=0, **other,
        )  # fmt: skip

    for name, (oof, metrics) in data().items():
        if paired and oof.n_configs == 1:
            continue
        if form == "studentised":
            metrics = [m for m in metrics if m not in REPLAYED]
        metrics = part_of(metrics, list(HOLDOUT).index(method), 2 if form == "auto" else 4)
        wrong += check(name, lambda m, oof=oof: run(m, oof), metrics, paired)
    assert not wrong, "\n".join(wrong)
