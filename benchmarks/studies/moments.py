"""``coverage.py moments``: draws of samples, and their normal approximation from two moments.

The same data set by `BBC` with draws of samples and with draws from the means and the covariance
of the scores. How far are estimate and limits apart, in units of the width of the interval, from
which number of samples on does nobody see the difference, and what does the check refuse? The
truth is the mean score of the selected configuration on new samples.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm
from sklearn.metrics import cohen_kappa_score, get_scorer, make_scorer

from benchmarks.harness.study import Part, Study, verdict
from sklearn_bbc import ConfidenceInterval, OOFPredictions
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import concordance_index_score

OF_LABELS = {
    "F1": ("f1", 0.3), "F1, 5% positive": ("f1", 0.05),
    "balanced accuracy, 10% positive": ("balanced_accuracy", 0.1),
    "MCC, 10% positive": ("matthews_corrcoef", 0.1),
    "kappa, 10% positive": (make_scorer(cohen_kappa_score), 0.1),
    "Jaccard, 10% positive": ("jaccard", 0.1),
}  # fmt: skip
"""Metric of labels, and share of the positive ones."""
OF_ERRORS = {
    "RMSE": ("neg_root_mean_squared_error", None), "R2": ("r2", None),
    "explained variance": ("explained_variance", None),
    "RMSE, errors of t(5)": ("neg_root_mean_squared_error", 5),
    "R2, errors of t(5)": ("r2", 5),
}  # fmt: skip
"""Metric of errors that are normal, or have a t distribution with so many degrees of freedom."""
SAMPLES, NORMAL = "draws of samples", "normal draws"


@dataclass(frozen=True)
class Setting:
    """Configurations whose scores on a sample have much in common.

    Attributes
    ----------
    data : str
        What is scored, see `draw`.
    n_samples, n_configs : int
        Sizes.
    """

    data: str
    n_samples: int
    n_configs: int

    def describe(self) -> dict:
        """Columns of the table."""
        return {"data": self.data, "N": self.n_samples, "C": self.n_configs}

    def draw(self, rng: np.random.Generator) -> tuple[OOFPredictions, Any, np.ndarray]:
        """Predictions or scores, the metric, and true scores (n_configs,), greater is better."""
        n, c, kind = self.n_samples, self.n_configs, self.data
        shared = np.sqrt(0.6) * rng.standard_normal((n, 1))
        if kind == "right or wrong, groups":
            shared += np.sqrt(0.5) * rng.standard_normal((n // 5, 1))[np.arange(n) // 5]
            shared /= np.sqrt(1.1 / 0.6)
        noise = shared + np.sqrt(0.4) * rng.standard_normal((n, c))
        shifts = np.zeros(c)
        if kind in OF_LABELS:
            scoring, share = OF_LABELS[kind]
            y = (rng.random(n) < share).astype(int)
            # Right in 80% of the positives; as many wrong alarms as a half of them.
            limits = norm.ppf([0.2, 1 - 0.4 * share / (1 - share)])
            labels = (noise > limits[1 - y][:, None]).astype(int)
            true, guess = np.repeat([0, 1], 2), np.tile([0, 1], 2)
            chance = np.array([1 - share, share])[true] * norm.cdf(
                np.where(guess == 1, -1, 1) * limits[1 - true]
            )
            score = get_scorer(scoring)
            truth = score._score_func(true, guess, sample_weight=chance, **score._kwargs)
            return OOFPredictions(y_true=y, y_pred=labels), scoring, np.full(c, truth)
        if kind in OF_ERRORS:
            scoring, degrees = OF_ERRORS[kind]
            variance = 1.0 if degrees is None else degrees / (degrees - 2)
            if degrees is not None:
                noise /= np.sqrt(rng.chisquare(degrees, (n, 1)) / degrees)
            y = 2 * rng.standard_normal(n)
            truth = -np.sqrt(variance) if "RMSE" in kind else 1 - variance / 4
            return OOFPredictions(y_true=y, y_pred=y[:, None] + noise), scoring, np.full(c, truth)
        if kind == "concordance":
            y, risk = survival(rng, noise)
            oof = OOFPredictions(y_true=y, y_pred=risk)
            return oof, "concordance_index", np.full(c, true_concordance())
        if kind.startswith("AUC"):
            share = {"AUC": 0.5, "AUC, 10% positive": 0.1, "AUC, 2% positive": 0.02}[kind]
            y = rng.random(n) < share
            ahead = np.ones(c)
            oof = OOFPredictions(y_true=y.astype(int), y_pred=noise + y[:, None] * ahead)
            return oof, "roc_auc", norm.cdf(ahead / np.sqrt(2))
        if kind.startswith("right or wrong"):
            share = 0.98 if "nearly all" in kind else 0.75
            if "leader" in kind:
                shifts[0] = 4 * np.sqrt(0.4 * share * (1 - share) / n)
            if "alike" in kind:  # models that differ on one sample of a hundred, each one twice
                noise = np.where(rng.random((n, c)) < 0.02, noise, shared / np.sqrt(0.6))
                noise[:, 1::2] = noise[:, : 2 * (c // 2) : 2]
            right = np.clip(share + shifts, 0, 1)
            values = (noise < norm.ppf(right)).astype(np.uint8)
            groups = np.arange(n) // 5 if "groups" in kind else None
            return OOFPredictions.from_scores(values, groups=groups), None, right
        if kind == "squared errors of t(3)":
            scale = np.sqrt(rng.chisquare(3, (n, 1)) / 3)
            losses, truth = (noise / scale) ** 2, np.full(c, -3.0)
        elif kind == "squared errors":
            losses, truth = noise**2, np.full(c, -1.0)
        else:
            sigma = 1.5 if kind == "log loss, exp(1.5 z)" else 0.75
            losses, truth = np.exp(sigma * noise), np.full(c, -np.exp(sigma**2 / 2))
        return OOFPredictions.from_scores(losses, greater_is_better=False), None, truth


def survival(rng: np.random.Generator, noise: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Times of which half are censored, and risks (n_samples, n_configs) with errors `noise`."""
    hazard = rng.standard_normal(len(noise))
    own, end = np.exp(rng.standard_normal((2, len(noise))))
    time = np.exp(-hazard) * own
    return np.column_stack([time <= end, np.minimum(time, end)]), hazard[:, None] + noise


@cache
def true_concordance() -> float:
    """Concordance of new samples, from 200,000 of them."""
    rng = np.random.default_rng(0)
    y, risk = survival(rng, rng.standard_normal((200_000, 1)))
    return concordance_index_score(y, risk[:, 0])


SIZES = {
    "right or wrong": [
        (200, 50), (1000, 50), (5000, 50), (20_000, 50), (50_000, 50),
        (1000, 5), (20_000, 5), (5000, 500), (20_000, 500),
    ],
    "right or wrong, a leader": [(200, 50), (1000, 50), (5000, 50), (20_000, 50)],
    "right or wrong, nearly all": [(1000, 50), (5000, 50), (20_000, 50)],
    "right or wrong, alike": [(200, 50), (1000, 50), (5000, 50), (20_000, 50)],
    "right or wrong, groups": [(1000, 50), (5000, 50), (20_000, 50)],
    "log loss": [(200, 50), (1000, 50), (5000, 50), (20_000, 50)],
    "log loss, exp(1.5 z)": [(1000, 50), (5000, 50), (20_000, 50), (50_000, 50)],
    "squared errors": [(1000, 50), (20_000, 50)],
    "squared errors of t(3)": [(1000, 50), (20_000, 50)],
    "AUC": [(1000, 20), (5000, 20), (20_000, 20)],
    "AUC, 10% positive": [(1000, 20), (5000, 20)],
    "AUC, 2% positive": [(5000, 20), (20_000, 20)],
    **{kind: [(1000, 20), (5000, 20), (20_000, 20)] for kind in (*OF_LABELS, *OF_ERRORS)},
    "concordance": [(1000, 10), (5000, 10), (20_000, 10)],
}  # fmt: skip
"""Numbers of samples and configurations of each kind of data."""


def draw(setting: Setting, seed: np.random.SeedSequence, run_seed: int) -> Iterator[Part]:
    """Draw one data set.

    Parameters
    ----------
    setting : Setting
        What to draw.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Not needed: nothing is shared among data sets.
    """
    oof, scoring, truth = setting.draw(np.random.Generator(np.random.PCG64(seed)))
    intervals = {
        SAMPLES: partial(interval, oof, scoring, "samples"),
        NORMAL: partial(interval, oof, scoring, "normal"),
    }
    best = intervals[SAMPLES](20, 0).details["winner"]
    yield Part("mean", {"truth": float(truth[best])}, intervals)


def interval(
    oof: OOFPredictions, scoring: str | None, draws: str, n_bootstraps: int, seed: int
) -> ConfidenceInterval:
    """Estimate one interval."""
    method = BBC(draws=draws, n_bootstraps=n_bootstraps, random_state=seed)
    return method.estimate(oof, scoring)


def summarise(study: Study, found: pd.DataFrame) -> pd.DataFrame:
    """Tabulate differences in units of the width, and coverage, a row for each setting."""
    rows = []
    for name, of_setting in found.groupby("setting", sort=False):
        both = {way: each.set_index("repetition") for way, each in of_setting.groupby("method")}
        if len(both) < 2:
            continue
        samples, normal = both[SAMPLES], both[NORMAL]
        width = samples["high"] - samples["low"]
        row = {**study.settings[name].describe(), "runs": len(samples)}
        row["refused"] = float(normal["low"].isna().mean())
        for column in ("estimate", "low", "high"):
            apart = ((normal[column] - samples[column]) / width).dropna()
            row[column] = apart.mean()
            row[f"{column}_most"] = apart.abs().max()
        for way, each in (("samples", samples), ("normal", normal.dropna(subset="low"))):
            holds = (each["low"] <= each["truth"]) & (each["truth"] <= each["high"])
            row[f"coverage_{way}"] = holds.mean()
            row[f"verdict_{way}"] = verdict(int(holds.sum()), len(holds))
        seconds = [each["seconds"].sum() for each in (samples, normal)]
        row["times_faster"] = seconds[0] / max(seconds[1], 1e-9)
        rows.append(row)
    return pd.DataFrame(rows)


def named(settings: Iterable[Setting]) -> dict[str, Setting]:
    """Give each setting a name."""
    return {
        "-".join(
            [*re.sub("[^a-zA-Z0-9. ]", "", each.data).split(), str(each.n_samples),
             str(each.n_configs)]
        ): each
        for each in settings
    }  # fmt: skip


MOMENTS = Study(
    name="moments",
    help="draws of samples and their normal approximation, intervals of the best",
    settings=named(Setting(data, n, c) for data, sizes in SIZES.items() for n, c in sizes),
    truths=("truth",),
    parts=lambda setting: [("mean", SAMPLES), ("mean", NORMAL)],
    draw=draw,
    repetitions=3,
    n_bootstraps=20_000,
    summarise=summarise,
)


OF_COVERAGE = [each for each in MOMENTS.settings.values() if each.n_samples == 1000]
"""All kinds of data, and some with few configurations."""

MOMENTS_COVERAGE = replace(
    MOMENTS,
    name="moments_coverage",
    help="how often both kinds of intervals hold the truth, 500 to 20,000 samples",
    settings=named(
        [
            *OF_COVERAGE,
            *(replace(each, n_samples=n) for n in (500, 5000) for each in OF_COVERAGE),
            *(Setting(data, 20_000, 5) for data in SIZES),
        ]
    ),
    repetitions=40,
    n_bootstraps=1000,
)
"""Many data sets with few draws: differences show the noise of these."""
