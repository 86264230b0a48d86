"""``coverage.py survival``: censoring weights estimated once on all samples, or in every draw.

Generated: one configuration, or eight that are equally good, so that the selected one's true score
is known, predict exponential survival times; nothing is trained. Censoring is exponential too, and
independent. The truth is the score of a large uncensored sample. Real: Cox models with ten
penalties and sets of features are tuned on samples of three data sets; the truth is the score of
the selected one, fitted on the whole sample, on the other patients. The time is that which a
quarter of the samples are followed beyond.
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
    neg_survival_brier_score,
    survival_brier_score,
    uno_concordance,
    uno_concordance_score,
)

METRICS = ("Brier score", "AUC", "Uno's concordance")
METHODS = ("BBC, censoring of each draw", "BBC, censoring of all samples")
N_FOLDS = 5
RATES = {0.2: 0.19, 0.4: 0.6, 0.7: 2.8}
"""Share that is censored -> rate of censoring that gives it."""
N_LARGE = 40_000
"""Samples for the true scores."""


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


def surviving(risk: np.ndarray, time: float) -> np.ndarray:
    """Predict the probability of surviving a time, of the shape of `risk`."""
    return np.exp(-time * np.exp(risk))


@lru_cache(maxsize=8)
def truth(censored: float) -> tuple[float, dict[str, float]]:
    """Find the time for a share of censored samples, and the true scores there."""
    rng = np.random.Generator(np.random.PCG64(0))
    time, (risk,) = times_and_risks(rng, N_LARGE, 1)
    end = rng.exponential(1 / RATES[censored], N_LARGE)
    at = float(np.quantile(np.minimum(time, end), 0.75))
    y = np.column_stack([np.ones(N_LARGE), time])
    return at, {
        "Brier score": -survival_brier_score(y, surviving(risk, at), time=at),
        "AUC": dynamic_auc_score(y, risk, times=at),
        "Uno's concordance": uno_concordance_score(y, risk, tau=at),
    }


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
        oof = OOFPredictions(y_true=y, y_pred=pred.T, fold=fold)
        run = {
            method: estimator(BBC(), oof, scorer(metric, at, y if "all" in method else None))
            for method in METHODS
        }
        yield Part(metric, {"truth": true(metric, oof)}, run)


Found = tuple[float, np.ndarray, dict[str, np.ndarray], Callable[[str, OOFPredictions], float]]
"""Time, target, predictions (n_configs, n_samples) for each metric, and its truth."""


def generated(setting: Censored, rng: np.random.Generator) -> Found:
    """Draw exponential times, and configurations that are equally good."""
    at, known = truth(setting.censored)
    time, risk = times_and_risks(rng, setting.n_samples, setting.n_configs)
    end = rng.exponential(1 / RATES[setting.censored], setting.n_samples)
    y = np.column_stack([time <= end, np.minimum(time, end)])
    predictions = dict.fromkeys(METRICS, risk) | {"Brier score": surviving(risk, at)}
    return at, y, predictions, lambda metric, oof: known[metric]


def tuned(setting: Sampled, rng: np.random.Generator) -> Found:
    """Draw patients, and predict for each by Cox models of the other folds."""
    X_all, y_all = censored.load(setting.data)
    at = float(np.quantile(y_all[:, 1], 0.75))
    order = rng.permutation(len(y_all))
    drawn, others = order[: setting.n_samples], order[setting.n_samples :]
    X, y, fold = X_all[drawn], y_all[drawn], np.arange(setting.n_samples) % N_FOLDS
    risk, chance = np.empty((2, len(MODELS), setting.n_samples))
    for k, options in enumerate(MODELS):
        for test in range(N_FOLDS):
            model = censored.RidgeCox(*options).fit(X[fold != test], y[fold != test])
            risk[k, fold == test] = model.predict(X[fold == test])
            chance[k, fold == test] = model.surviving(X[fold == test], at)

    def true(metric: str, oof: OOFPredictions) -> float:
        score = scorer(metric, at, None)
        winner = int(np.argmax(as_metric(score).bind(oof).on_data()))
        model = censored.RidgeCox(*MODELS[winner]).fit(X, y)
        if metric == "Brier score":
            return -survival_brier_score(
                y_all[others], model.surviving(X_all[others], at), time=at
            )
        value = dynamic_auc_score if metric == "AUC" else uno_concordance_score
        options = {"times" if metric == "AUC" else "tau": at}
        return value(y_all[others], model.predict(X_all[others]), **options)

    return at, y, dict.fromkeys(METRICS, risk) | {"Brier score": chance}, true


def scorer(metric: str, at: float, censoring: np.ndarray | None):
    """Make the scorer of a metric, with the censoring of `censoring` or of each draw."""
    if metric == "Brier score":
        return neg_survival_brier_score(at, censoring=censoring)
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
    repetitions=1000,
)
