"""``coverage.py curves``: do the limits of corrected curves contain the true curve?

Tuned models on generated data; the truth is the curve of the selected configuration, refitted on
all samples, on 20,000 others. Beside the corrected curve stands a bootstrap band around the
selected configuration's own out-of-fold curve, which ignores the selection.

"Inner" points are the middle 80% of the grid. Of each data set the journal has, for a band, how
far its limits are from the truth at the nearest point: it contains the curve where the lower
distance is negative and the upper one positive. Its `estimate` is the mean width.

The calibration slope is judged in the same way, as a curve of one point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from benchmarks.harness.study import CHANCE, LEVEL, Part, Study
from sklearn_bbc import OOFPredictions
from sklearn_bbc.curves import (
    ROC,
    Calibration,
    Curve,
    NetBenefit,
    PrecisionRecall,
    corrected_curve,
)
from sklearn_bbc.curves._base import limits_of
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import calibration_slope

N_NEW = 20_000
FEWEST = 8
"""Samples of a class that a data set must have; others are drawn again."""
MIXED = [
    *(LogisticRegression(C=c, max_iter=300) for c in (1e-3, 1e-2, 0.1, 1, 10)),
    *(KNeighborsClassifier(k) for k in (7, 15, 25)),
    *(DecisionTreeClassifier(max_depth=d, min_samples_leaf=5, random_state=0) for d in (2, 4)),
    GaussianNB(),
]
UNCALIBRATED = [
    *(GaussianNB(var_smoothing=v) for v in (1e-9, 0.1, 1)),
    *(GradientBoostingClassifier(n_estimators=n, max_depth=d, random_state=0)
      for n in (20, 60) for d in (1, 2, 3)),
]  # fmt: skip
CURVES: dict[str, Curve] = {
    "ROC": ROC(n_points=41),
    "precision-recall": PrecisionRecall(n_points=40),
    "calibration": Calibration(n_points=41),
    "net benefit": NetBenefit(low=0.05, high=0.9, n_points=35),
}
SLOPE = "calibration slope"
METHODS = ("joint", "joint, all points", "each point", "own curve", "bias", "bias, apparent")
OF_SLOPE = ("joint", "bias", "bias, apparent")


@dataclass(frozen=True)
class Band:
    """What a band is worth on one data set, in the form in which studies take results."""

    estimate: float
    low: float = np.nan
    high: float = np.nan
    details: dict[str, Any] = field(default_factory=lambda: {"reason": "no band"})

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))


@dataclass(frozen=True)
class Tuned:
    """A family of models on data with a signal of some strength, and a share of positives."""

    models: str
    n_samples: int
    signal: float
    shift: float = 0.0

    def describe(self) -> dict[str, Any]:
        """Columns of the table."""
        share = "few" if self.shift else "half"
        return {
            "models": self.models, "N": self.n_samples, "signal": self.signal, "positives": share,
        }  # fmt: skip

    def sample(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw features and labels of `n` samples; half of the features repeat the others."""
        X = rng.standard_normal((n, 10))
        if self.models == "uncalibrated":
            X[:, 5:] = X[:, :5] + 0.3 * rng.standard_normal((n, 5))
        odds = self.signal * (X[:, 0] + 0.6 * X[:, 1] - 0.5 * X[:, 2] * X[:, 3]) + self.shift
        return X, (rng.random(n) < 1 / (1 + np.exp(-odds))).astype(int)


SETTINGS = {
    "mixed_100": Tuned("mixed", 100, 1.0),
    "mixed_100_null": Tuned("mixed", 100, 0.0),
    "mixed_300": Tuned("mixed", 300, 1.0),
    "mixed_300_few": Tuned("mixed", 300, 1.0, -2.2),
    "uncalibrated_100": Tuned("uncalibrated", 100, 1.0),
    "uncalibrated_300": Tuned("uncalibrated", 300, 1.0),
}


def draw(setting: Tuned, seed: np.random.SeedSequence, run_seed: int) -> Iterator[Part]:
    """Draw one data set, tune on it, and give each curve with its truth."""
    rng = np.random.Generator(np.random.PCG64(seed))
    X, y = setting.sample(rng, setting.n_samples)
    while min(y.sum(), (1 - y).sum()) < FEWEST:
        X, y = setting.sample(rng, setting.n_samples)
    X_new, y_new = setting.sample(rng, N_NEW)
    models = MIXED if setting.models == "mixed" else UNCALIBRATED
    pred, fold = np.empty((len(y), len(models))), np.empty(len(y), dtype=int)
    splits = StratifiedKFold(5, shuffle=True, random_state=int(rng.integers(2**31)))
    for k, (train, test) in enumerate(splits.split(X, y)):
        fold[test] = k
        for j, model in enumerate(models):
            pred[test, j] = clone(model).fit(X[train], y[train]).predict_proba(X[test])[:, 1]
    oof = OOFPredictions(y_true=y, y_pred=pred, fold=fold)

    @cache
    def new_scores(winner: int) -> np.ndarray:
        return clone(models[winner]).fit(X, y).predict_proba(X_new)[:, 1]

    for name, curve in CURVES.items():
        yield Part(name, {"truth": 0.0}, band_of(curve, oof, "roc_auc", y_new == 1, new_scores))

    @cache
    def slope(n_bootstraps: int, seed: int) -> dict[str, Band]:
        bbc = BBC(n_bootstraps=n_bootstraps, random_state=seed)
        found = bbc.estimate(oof, "calibration_slope", selected_by="roc_auc")
        winner = found.details["winner"]
        truth = calibration_slope(y_new, new_scores(winner))
        own = calibration_slope(y, pred[:, winner])
        return {
            "joint": Band(found.high - found.low, found.low - truth, found.high - truth, {}),
            "bias": Band(found.estimate - truth),
            "bias, apparent": Band(own - truth),
        }

    yield Part(SLOPE, {"truth": 0.0}, {
        name: lambda n_bootstraps, seed, name=name: slope(n_bootstraps, seed)[name]
        for name in OF_SLOPE
    })  # fmt: skip


def band_of(
    curve: Curve,
    oof: OOFPredictions,
    scoring: Any,
    y_new: np.ndarray,
    new_scores: Callable[[int], np.ndarray],
) -> dict[str, Callable[[int, int], Band]]:
    """What is asked of one curve on one data set.

    Parameters
    ----------
    curve : Curve
        The curve.
    oof : OOFPredictions
        Predictions of a data set.
    scoring : str or scorer
        What selects.
    y_new : ndarray of shape (N_NEW, ...)
        Target of the samples that show the truth, as `Curve.values` takes it.
    new_scores : callable
        Configuration -> its predictions for them, refitted.

    Returns
    -------
    dict of str to callable
        Name of `METHODS` -> function of the number of draws and their seed.
    """

    @cache
    def judged(n_bootstraps: int, seed: int) -> dict[str, Band]:
        method = BBC(n_bootstraps=n_bootstraps, random_state=seed)
        result = corrected_curve(oof, scoring, curve, method=method)
        winner = result.details["winner"]
        truth = curve.values(y_new, new_scores(winner), np.ones((1, N_NEW)), result.grid)[0]
        n = len(truth)
        inner = slice(n // 10, n - n // 10)
        rng = np.random.default_rng(seed)
        counts = rng.multinomial(oof.n_samples, np.full(oof.n_samples, 1 / oof.n_samples), 500)
        y, scores, _ = curve._read(oof)
        own = scores[winner]
        for kind in curve._kinds(y, result.grid):
            counts = counts[(counts @ np.atleast_2d(kind).T > 2).all(axis=1)]
        naive = limits_of(curve.values(y, own, counts, result.grid), LEVEL, curve.bounds)
        held = (result.low <= truth) & (truth <= result.high)
        return {
            "joint": _band(result.low_joint, result.high_joint, truth, inner),
            "joint, all points": _band(result.low_joint, result.high_joint, truth, slice(None)),
            "each point": Band(float(held[inner].mean())),
            "own curve": _band(naive["low_joint"], naive["high_joint"], truth, inner),
            "bias": Band(float(np.nanmean((result.estimate - truth)[inner]))),
            "bias, apparent": Band(float(np.nanmean((result.apparent - truth)[inner]))),
        }

    return {
        name: lambda n_bootstraps, seed, name=name: judged(n_bootstraps, seed)[name]
        for name in METHODS
    }


def _band(low: np.ndarray, high: np.ndarray, truth: np.ndarray, points: slice) -> Band:
    rounding = 1e-9
    return Band(
        float(np.mean((high - low)[points])),
        float((low - truth)[points].max() - rounding),
        float((high - truth)[points].min() + rounding),
    )


def summarise(study: Study, found: pd.DataFrame) -> pd.DataFrame:
    """Make one row for each setting and curve: shares of data sets whose band holds the truth."""
    found = found.assign(held=(found["low"] <= 0) & (found["high"] >= 0))
    rows = []
    for (name, part), group in found.groupby(["setting", "part"], sort=False):
        missing = {method: group[:0] for method in METHODS}
        of = missing | {method: each for method, each in group.groupby("method")}
        n, held = len(of["joint"]), int(of["joint"]["held"].sum())
        rows.append(
            {
                **study.settings[name].describe(),
                "curve": part,
                "runs": n,
                "joint": held / n,
                "rejected": binomtest(held, n, LEVEL, "less").pvalue < CHANCE / 2,
                "all points": of["joint, all points"]["held"].mean(),
                "each point": of["each point"]["estimate"].mean(),
                "width": of["joint"]["estimate"].mean(),
                "own curve": of["own curve"]["held"].mean(),
                "own width": of["own curve"]["estimate"].mean(),
                "bias": of["bias"]["estimate"].mean(),
                "bias, apparent": of["bias, apparent"]["estimate"].mean(),
                "median bias": of["bias"]["estimate"].median(),
                "median bias, apparent": of["bias, apparent"]["estimate"].median(),
                "median width": of["joint"]["estimate"].median(),
                "seconds_each": of["joint"]["seconds"].mean(),
            }
        )
    return pd.DataFrame(rows)


CURVE_STUDY = Study(
    name="curves",
    help="whether the limits of corrected curves contain the true curve",
    settings=SETTINGS,
    truths=("truth",),
    parts=lambda setting: [
        *((curve, method) for curve in CURVES for method in METHODS),
        *((SLOPE, method) for method in OF_SLOPE),
    ],
    draw=draw,
    repetitions=100,
    n_bootstraps=1000,
    summarise=summarise,
)
