"""``coverage.py survival``: censoring weights estimated once on all samples, or in every draw.

Generated: one configuration, or eight that are equally good, so that the selected one's true score
is known, predict exponential survival times; nothing is trained. Censoring is exponential too, and
independent. The truth is the score of a large uncensored sample. Real: Cox models with ten
penalties and sets of features are tuned on samples of three data sets; the truth is the score of
the selected one, fitted on the whole sample, on the other patients. The time is that which a
quarter of the samples are followed beyond; the Brier score is integrated over four times up to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from benchmarks.data import censored
from benchmarks.harness.study import Part, Study
from benchmarks.studies.methods import estimator
from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import (
    as_metric,
    dynamic_auc,
    dynamic_auc_score,
    integrated_brier_score,
    neg_integrated_brier_score,
    neg_survival_brier_score,
    survival_brier_score,
    uno_concordance,
    uno_concordance_score,
)

METRICS = ("Brier score", "integrated Brier score", "AUC", "Uno's concordance")
METHODS = ("BBC, censoring of each draw", "BBC, censoring of all samples")
N_FOLDS = 5
RATES = {0.2: 0.19, 0.4: 0.6, 0.7: 2.8}
"""Share that is censored -> rate of censoring that gives it."""
N_TIME, N_TRUTH = 40_000, 1_000_000
"""Samples that give the time, and the true scores."""
STEPS = np.array([0.25, 0.5, 0.75, 1.0])
"""Times over which the Brier score is integrated, relative to the time of the other metrics."""


@dataclass(frozen=True)
class Censored:
    """A share of censored samples and sizes.

    Attributes
    ----------
    censored : float
        Share of samples whose event is not seen.
    n_samples : int
        Size of a data set.
    n_configs : int
        Number of configurations.
    """

    censored: float
    n_samples: int
    n_configs: int

    def describe(self) -> dict:
        """Columns of the table."""
        return {
            "data": "generated", "censored": self.censored, "N": self.n_samples,
            "C": self.n_configs,
        }  # fmt: skip


@dataclass(frozen=True)
class Sampled:
    """Patients drawn from a real data set, on whom Cox models are tuned.

    Attributes
    ----------
    data : str
        One of `censored.NAMES`.
    n_samples : int
        Size of a data set.
    """

    data: str
    n_samples: int

    def describe(self) -> dict:
        """Columns of the table."""
        share = 1 - censored.load(self.data)[1][:, 0].mean()
        return {
            "data": self.data, "censored": round(share, 2), "N": self.n_samples,
            "C": len(MODELS),
        }  # fmt: skip


MODELS = tuple(
    (penalty, squares) for penalty in (1.0, 10.0, 30.0, 100.0, 300.0) for squares in (False, True)
)
"""Penalty of a Cox model, and whether it gets squared features, too."""
SETTINGS = {
    f"censored{share:g}_N{n}_C{n_configs}": Censored(share, n, n_configs)
    for share in RATES for n in (100, 300) for n_configs in (1, 8)
} | {f"{data}_N{n}": Sampled(data, n) for data in censored.NAMES for n in (100, 300)}  # fmt: skip


def times_and_risks(
    rng: np.random.Generator, n_samples: int, n_configs: int
) -> tuple[np.ndarray, np.ndarray]:
    """Draw times of events (n_samples,) and predicted log hazards (n_configs, n_samples)."""
    signal = rng.standard_normal(n_samples)
    risk = 0.5 * (signal + rng.standard_normal((n_configs, n_samples)))
    return rng.exponential(np.exp(-signal)), risk


def surviving(risk: np.ndarray, time: float | np.ndarray) -> np.ndarray:
    """Predict the probability of surviving times, of the shape of `risk` and of `time`."""
    return np.exp(-np.multiply.outer(np.exp(risk), time))


@lru_cache(maxsize=8)
def truth(censored: float) -> tuple[float, dict[str, float]]:
    """Find the time for a share of censored samples, and the true scores there."""
    rng = np.random.Generator(np.random.PCG64(0))
    time, _ = times_and_risks(rng, N_TIME, 1)
    end = rng.exponential(1 / RATES[censored], N_TIME)
    at = float(np.quantile(np.minimum(time, end), 0.75))
    time, (risk,) = times_and_risks(rng, N_TRUTH, 1)
    y = np.column_stack([np.ones(N_TRUTH), time])
    answers = {
        "Brier score": surviving(risk, at),
        "integrated Brier score": surviving(risk, at * STEPS),
    }
    return at, {name: score(name, at, y, answers.get(name, risk)) for name in METRICS}


def parts(setting: Censored | Sampled) -> list[tuple[str, str]]:
    """Metric and method."""
    return [(metric, method) for metric in METRICS for method in METHODS]


def draw(
    setting: Censored | Sampled, seed: np.random.SeedSequence, run_seed: int
) -> Iterator[Part]:
    """Draw one data set.

    Parameters
    ----------
    setting : Censored or Sampled
        What to draw.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Not needed: nothing is shared among data sets.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    of_setting = generated if isinstance(setting, Censored) else tuned
    at, y, predictions, true = of_setting(setting, rng)
    fold = np.arange(setting.n_samples) % N_FOLDS
    for metric, pred in predictions.items():
        oof = OOFPredictions(y_true=y, y_pred=np.moveaxis(pred, 0, 1), fold=fold)
        run = {
            method: estimator(BBC(), oof, scorer(metric, at, y if "all" in method else None))
            for method in METHODS
        }
        yield Part(metric, {"truth": true(metric, oof)}, run)


Found = tuple[float, np.ndarray, dict[str, np.ndarray], Callable[[str, OOFPredictions], float]]
"""Time, target, predictions (n_configs, n_samples[, n_times]) of each metric, and its truth."""


def generated(setting: Censored, rng: np.random.Generator) -> Found:
    """Draw exponential times, and configurations that are equally good."""
    at, known = truth(setting.censored)
    time, risk = times_and_risks(rng, setting.n_samples, setting.n_configs)
    end = rng.exponential(1 / RATES[setting.censored], setting.n_samples)
    y = np.column_stack([time <= end, np.minimum(time, end)])
    predictions = dict.fromkeys(METRICS, risk) | {
        "Brier score": surviving(risk, at),
        "integrated Brier score": surviving(risk, at * STEPS),
    }
    return at, y, predictions, lambda metric, oof: known[metric]


def tuned(setting: Sampled, rng: np.random.Generator) -> Found:
    """Draw patients, and predict for each by Cox models of the other folds."""
    X_all, y_all = censored.load(setting.data)
    at = float(np.quantile(y_all[:, 1], 0.75))
    order = rng.permutation(len(y_all))
    drawn, others = order[: setting.n_samples], order[setting.n_samples :]
    X, y, fold = X_all[drawn], y_all[drawn], np.arange(setting.n_samples) % N_FOLDS
    risk = np.empty((len(MODELS), setting.n_samples))
    chance = np.empty((*risk.shape, len(STEPS)))
    for k, options in enumerate(MODELS):
        for test in range(N_FOLDS):
            model = censored.RidgeCox(*options).fit(X[fold != test], y[fold != test])
            risk[k, fold == test] = model.predict(X[fold == test])
            chance[k, fold == test] = model.surviving(X[fold == test], at * STEPS)

    def true(metric: str, oof: OOFPredictions) -> float:
        winner = int(np.argmax(as_metric(scorer(metric, at, None)).bind(oof).on_data()))
        model = censored.RidgeCox(*MODELS[winner]).fit(X, y)
        answer = model.predict(X_all[others])
        if metric == "Brier score":
            answer = model.surviving(X_all[others], at * STEPS[-1:])
        elif metric == "integrated Brier score":
            answer = model.surviving(X_all[others], at * STEPS)
        return score(metric, at, y_all[others], answer)

    predictions = dict.fromkeys(METRICS, risk) | {
        "Brier score": chance[..., -1],
        "integrated Brier score": chance,
    }
    return at, y, predictions, true


def score(metric: str, at: float, y: np.ndarray, answer: np.ndarray) -> float:
    """Score predictions (n_samples[, n_times]); greater is better."""
    if metric == "Brier score":
        return -survival_brier_score(y, answer, time=at)
    if metric == "integrated Brier score":
        return -integrated_brier_score(y, answer, times=at * STEPS)
    if metric == "AUC":
        return dynamic_auc_score(y, answer, times=at)
    return uno_concordance_score(y, answer, tau=at)


def scorer(metric: str, at: float, censoring: np.ndarray | None):
    """Make the scorer of a metric, with the censoring of `censoring` or of each draw."""
    if metric == "Brier score":
        return neg_survival_brier_score(at, censoring=censoring)
    if metric == "integrated Brier score":
        return neg_integrated_brier_score(at * STEPS, censoring=censoring)
    if metric == "AUC":
        return dynamic_auc(at, censoring=censoring)
    return uno_concordance(at, censoring=censoring)


SURVIVAL = Study(
    name="survival",
    help="censored times: weights of censoring estimated once, or in every draw",
    settings=SETTINGS,
    truths=("truth",),
    parts=parts,
    draw=draw,
    repetitions=200,
)
