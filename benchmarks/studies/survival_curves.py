"""``coverage.py survival_curves``: do limits of curves of survival times contain the true curve?

Cox models with ten penalties and sets of features, tuned by the integrated Brier score on
generated data with censored times. The truth is the curve of the selected configuration, refitted
on all samples, on 20,000 others without censoring. What is judged is that of ``coverage.py
curves``. A quarter of the samples are followed beyond the last time of the curves, which
calibration and net benefit are about, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from benchmarks.data.censored import RidgeCox
from benchmarks.harness.study import Part, Study
from benchmarks.studies.curves import METHODS, N_NEW, band_of, summarise
from benchmarks.studies.survival import MODELS, RATES
from sklearn_bbc import OOFPredictions
from sklearn_bbc.curves import (
    AUCOverTime,
    BrierOverTime,
    Curve,
    SurvivalCalibration,
    SurvivalNetBenefit,
)
from sklearn_bbc.metrics import as_metric, neg_integrated_brier_score

N_FOLDS = 5
STEPS = np.linspace(0.25, 1.0, 10)
"""Times of the curves, as parts of the last one."""
LAST = {0.2: 1.25, 0.4: 0.86, 0.7: 0.35}
"""Share that is censored -> time that a quarter of the samples are followed beyond."""
NAMES = ("Brier score over time", "AUC over time", "calibration", "net benefit")


def curves_of(times: np.ndarray) -> dict[str, Curve]:
    """Make the curves of some times, by name."""
    last = float(times[-1])
    curves = (
        BrierOverTime(times),
        AUCOverTime(times),
        SurvivalCalibration(last, n_points=41),
        SurvivalNetBenefit(last, low=0.05, high=0.9, n_points=35),
    )
    return dict(zip(NAMES, curves, strict=True))


@dataclass(frozen=True)
class Censored:
    """A share of censored samples, and how many samples there are."""

    censored: float
    n_samples: int

    def describe(self) -> dict[str, Any]:
        """Columns of the table."""
        return {
            "models": "Cox", "N": self.n_samples, "signal": 1.0, "censored": self.censored,
        }  # fmt: skip

    def sample(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw features (n, 6), two of them without effect, and the times of events (n,)."""
        X = rng.standard_normal((n, 6))
        hazard = np.exp(0.7 * (X[:, 0] + 0.6 * X[:, 1] - 0.5 * X[:, 2] * X[:, 3]))
        return X, rng.exponential(1 / hazard)


SETTINGS = {f"censored{share:g}_N{n}": Censored(share, n) for share in RATES for n in (100, 300)}


def draw(setting: Censored, seed: np.random.SeedSequence, run_seed: int) -> Iterator[Part]:
    """Draw one data set, tune on it, and give each curve with its truth."""
    rng, times = np.random.Generator(np.random.PCG64(seed)), LAST[setting.censored] * STEPS
    X, time = setting.sample(rng, setting.n_samples)
    end = rng.exponential(1 / RATES[setting.censored], setting.n_samples)
    y = np.column_stack([time <= end, np.minimum(time, end)])
    fold = np.arange(setting.n_samples) % N_FOLDS
    risk = np.empty((len(MODELS), setting.n_samples))
    chance = np.empty((*risk.shape, len(times)))
    for k, options in enumerate(MODELS):
        for test in range(N_FOLDS):
            model = RidgeCox(*options).fit(X[fold != test], y[fold != test])
            risk[k, fold == test] = model.predict(X[fold == test])
            chance[k, fold == test] = model.surviving(X[fold == test], times)
    scorer = neg_integrated_brier_score(times)
    responses = {"predict": risk, as_metric(scorer).response_method[0]: chance}
    oof = OOFPredictions.from_rows(y_true=y, responses=responses, fold=fold)
    X_new, time_new = setting.sample(rng, N_NEW)
    y_new = np.column_stack([np.ones(N_NEW), time_new])

    @cache
    def new_scores(winner: int, name: str) -> np.ndarray:
        model = RidgeCox(*MODELS[winner]).fit(X, y)
        if name == NAMES[1]:
            return model.predict(X_new)
        risks = 1 - model.surviving(X_new, times)
        return risks if name == NAMES[0] else risks[:, -1]

    for name, curve in curves_of(times).items():
        run = band_of(
            curve, oof, scorer, y_new, lambda winner, name=name: new_scores(winner, name)
        )
        yield Part(name, {"truth": 0.0}, run)


SURVIVAL_CURVES = Study(
    name="survival_curves",
    help="whether the limits of curves of survival times contain the true curve",
    settings=SETTINGS,
    truths=("truth",),
    parts=lambda setting: [(curve, method) for curve in NAMES for method in METHODS],
    draw=draw,
    repetitions=100,
    n_bootstraps=1000,
    summarise=summarise,
)
