"""``coverage.py ordered``: neighbours in time that are alike, drawn singly or in blocks.

Losses: ten configurations that are equally good, with losses that are autoregressive, have a
season of twelve, or rise by one standard deviation after 70% of the samples (the truth is then the
mean after the change); nothing is trained. Forecasts: one step ahead of a series with a threshold,
by ridge regression on lags and by boosted trees, tuned on an expanding window; the truth is the
error of the selected model, trained on the whole series, in the 2,000 steps after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import TimeSeriesSplit

from benchmarks.harness.study import Part, Study
from benchmarks.studies.methods import estimator
from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC, ShrunkenBBC

N_CONFIGS = 10
LEVEL = 10.0
"""Mean loss, ten standard deviations from zero, so that all are positive."""
SHARED = 0.5
"""Part of the variance of the losses that all configurations have in common."""
SEASON = 12
CHANGE = 0.7
"""Share of the samples before the change."""
FUTURE, BURN_IN = 2000, 50
LAGS = 8
ALPHAS = (0.1, 1.0, 10.0, 100.0)
N_TRAINED_LAGS = (1, 2, 4, 8)
ROUNDS = (10, 30)
"""Boosting rounds."""
METHODS = {
    "BBC, single samples": (BBC, None, "circular"),
    "BBC, blocks": (BBC, "auto", "circular"),
    "BBC, stationary blocks": (BBC, "auto", "stationary"),
    "BBC, consecutive blocks": (BBC, "auto", "consecutive"),
    "ShrunkenBBC, blocks": (ShrunkenBBC, "auto", "circular"),
}
"""Name -> method, block length, kind of the blocks."""


@dataclass(frozen=True)
class Series:
    """What is drawn.

    Attributes
    ----------
    data : str
        "AR(1)", "season", "change" or "forecasts".
    correlation : float
        Of neighbouring losses; 0 for forecasts.
    n_samples : int
        Length of the series.
    """

    data: str
    correlation: float
    n_samples: int

    def describe(self) -> dict:
        """Columns of the table."""
        return {"data": self.data, "rho": self.correlation, "N": self.n_samples}


KINDS = [("AR(1)", 0.0), ("AR(1)", 0.3), ("AR(1)", 0.6), ("AR(1)", 0.9), ("season", 0.3),
         ("change", 0.3), ("forecasts", 0.0)]  # fmt: skip
SETTINGS = {
    f"{data}{rho:g}_N{n}": Series(data, rho, n) for data, rho in KINDS for n in (200, 1000)
}


def parts(setting: Series) -> list[tuple[str, str]]:
    """Metric and method."""
    return [(_metric(setting), method) for method in METHODS]


def _metric(setting: Series) -> str:
    return "squared error" if setting.data == "forecasts" else "absolute error"


def autoregressive(rng: np.random.Generator, n: int, rho: float, n_columns: int) -> np.ndarray:
    """Draw stationary series of variance 1, (n, n_columns)."""
    values = rng.standard_normal((n, n_columns))
    for now in range(1, n):
        values[now] = rho * values[now - 1] + np.sqrt(1 - rho**2) * values[now]
    return values


def losses(setting: Series, rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Draw losses (n_samples, n_configs), and the mean that new samples have."""
    n = setting.n_samples
    common = autoregressive(rng, n, setting.correlation, 1)
    own = autoregressive(rng, n, setting.correlation, N_CONFIGS)
    values = LEVEL + np.sqrt(SHARED) * common + np.sqrt(1 - SHARED) * own
    if setting.data == "season":
        start = rng.integers(SEASON)
        values += np.sin(2 * np.pi * (np.arange(n) + start) / SEASON)[:, None]
    if setting.data == "change":
        values[int(CHANGE * n) :] += 1.0
        return values, LEVEL + 1.0
    return values, LEVEL


def series_with_threshold(rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw a series that falls back faster from high values than from low ones, (n,)."""
    values = np.zeros(n)
    noise = rng.standard_normal(n)
    for now in range(2, n):
        slope = 0.4 if values[now - 1] > 0 else 0.8
        values[now] = slope * values[now - 1] - 0.2 * values[now - 2] + noise[now]
    return values


def models() -> list[tuple[int, object]]:
    """Return the number of lags and the model of each configuration."""
    ridges = [(lags, Ridge(alpha)) for lags in N_TRAINED_LAGS for alpha in ALPHAS]
    trees = [
        (lags, HistGradientBoostingRegressor(max_iter=rounds, max_leaf_nodes=6, random_state=0))
        for lags in (2, 8) for rounds in ROUNDS
    ]  # fmt: skip
    return ridges + trees


def forecasts(setting: Series, rng: np.random.Generator) -> tuple[OOFPredictions, float]:
    """Tune forecasts on an expanding window, and find the error of the winner afterwards."""
    n = setting.n_samples
    values = series_with_threshold(rng, BURN_IN + LAGS + n + FUTURE)[BURN_IN:]
    X = np.stack([values[LAGS - lag : len(values) - lag] for lag in range(1, LAGS + 1)], axis=1)
    y = values[LAGS:]
    splits = list(TimeSeriesSplit(5).split(X[:n]))
    tried = models()
    predicted = np.full((n, len(tried)), np.nan)
    for k, (lags, model) in enumerate(tried):
        for train, test in splits:
            predicted[test, k] = model.fit(X[train, :lags], y[train]).predict(X[test, :lags])
    fold = np.full(n, -1)
    for k, (_, test) in enumerate(splits):
        fold[test] = k
    oof = OOFPredictions(y_true=y[:n], y_pred=np.nan_to_num(predicted), fold=fold)
    held = fold >= 0
    lags, model = tried[int(((predicted - y[:n, None])[held] ** 2).mean(axis=0).argmin())]
    model.fit(X[:n, :lags], y[:n])
    return oof, -float(((model.predict(X[n:, :lags]) - y[n:]) ** 2).mean())


def draw(setting: Series, seed: np.random.SeedSequence, run_seed: int) -> Iterator[Part]:
    """Draw one data set.

    Parameters
    ----------
    setting : Series
        What to draw.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Not needed: nothing is shared among data sets.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    scoring = "neg_mean_absolute_error"
    if setting.data == "forecasts":
        oof, truth = forecasts(setting, rng)
        scoring = "neg_mean_squared_error"
    else:
        values, mean = losses(setting, rng)
        oof, truth = OOFPredictions(y_true=np.zeros(len(values)), y_pred=values), -mean
    run = {
        name: estimator(method(), oof.with_blocks(length, kind=kind), scoring)
        for name, (method, length, kind) in METHODS.items()
    }
    yield Part(_metric(setting), {"truth": truth}, run)


ORDERED = Study(
    name="ordered",
    help="samples that depend on their neighbours in time: single draws and blocks",
    settings=SETTINGS,
    truths=("truth",),
    parts=parts,
    draw=draw,
    repetitions=200,
)
