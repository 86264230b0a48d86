"""``coverage.py ties``: does the set hold the best configuration, and how large is it?

Tuned models of which every configuration was refitted and scored on a large hold-out: the files of
the testbed, and the generated settings. The truth of a data set is which configuration has the
best hold-out score; a set should hold it in 95% of the data sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from benchmarks.data import settings as _settings
from benchmarks.harness import record
from benchmarks.harness.study import CHANCE, LEVEL, Part, Study
from benchmarks.studies import testbed
from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import (
    Bonferroni,
    CrossValidationWithConfidence,
    ModelConfidenceSet,
    SoftminLeaveOneOut,
    TiedMethod,
)
from sklearn_bbc.metrics import as_metric

METRICS = ("roc_auc", "accuracy", "neg_log_loss")
CLOSE = 0.01
"""A configuration this close to the best, by its hold-out score, is as good for most purposes."""
METHODS: dict[str, TiedMethod] = {
    "softmin": SoftminLeaveOneOut(),
    "softmin, not standardized": SoftminLeaveOneOut(standardized=False),
    "cross-validation with confidence": CrossValidationWithConfidence(),
    "Bonferroni": Bonferroni(),
    "model confidence set, max": ModelConfidenceSet(),
    "model confidence set, range": ModelConfidenceSet(statistic="range"),
}
ONE_STANDARD_ERROR, WINNERS = "one standard error", "winners of 95% of the draws"
DEFAULT = "Bonferroni"
"""What `tied_with_best` takes."""
NAMES = {"null": "no signal"}
"""Generated settings that have another name in the table than in the command."""


@dataclass(frozen=True)
class Found:
    """What a method found on one data set, in the fields that a journal of intervals has.

    Attributes
    ----------
    estimate : float
        Share of the configurations that are in the set.
    holds_best, holds_close : bool
        Whether the best configuration is in it, and whether one within 0.01 of the best is.
    details : dict
        Nothing.
    """

    estimate: float
    holds_best: bool
    holds_close: bool
    details: Any = None

    @classmethod
    def of(cls, members: np.ndarray, truth: np.ndarray) -> Found:
        """Hold a set against the truth.

        Parameters
        ----------
        members : ndarray of shape (n_configs,), bool
            The set.
        truth : ndarray of shape (n_configs,)
            Hold-out scores, greater is better.
        """
        return cls(
            float(members.mean()),
            bool(members[truth == truth.max()].any()),
            bool(members[truth >= truth.max() - CLOSE].any()),
        )

    def __iter__(self) -> Iterator[float]:
        return iter((float(self.holds_best), float(self.holds_close)))


@dataclass(frozen=True)
class Kept:
    """A generated setting whose data sets are kept in a file each: training takes most time.

    Attributes
    ----------
    generated : Generated
        The setting.
    """

    generated: _settings.Generated

    def describe(self) -> dict[str, Any]:
        """Columns of the table; the testbed has a setting called ``null``, too."""
        described = self.generated.describe()
        return {**described, "data": NAMES.get(described["data"], described["data"])}

    def draw(self, seed: np.random.SeedSequence, run_seed: int) -> _settings.Tuned:
        """Read the data set, or make and keep it.

        Parameters
        ----------
        seed : SeedSequence
            Seed of the data set.
        run_seed : int
            Seed of the population.
        """
        number = "_".join(map(str, (seed.entropy, *seed.spawn_key)))
        path = FOLDER / f"{self.generated.kind}_{number}.npz"
        if path.is_file():
            with np.load(path) as file:
                arrays = dict(file)
        else:
            made = self.generated.draw(seed, run_seed)
            arrays = {name: getattr(made, name) for name in ("y", "probability", "fold")}
            arrays |= {f"truth_{metric}": scores for metric, scores in made.truth.items()}
            if made.groups is not None:
                arrays["groups"] = made.groups
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(".part.npz")
            np.savez(part, **arrays)
            part.replace(path)
        truth = {
            name.removeprefix("truth_"): arrays.pop(name)
            for name in list(arrays)
            if name.startswith("truth_")
        }
        return _settings.Tuned(**arrays, truth=truth)


FOLDER: Path = record.RESULTS / "journal" / "tuned"
"""Where generated data sets are kept."""


def draw(setting: Any, seed: np.random.SeedSequence, run_seed: int) -> Iterator[Part]:
    """Draw one data set: a part per metric.

    Parameters
    ----------
    setting : Stored or Kept
        What to draw.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Seed of what all data sets share.
    """
    tuned = setting.draw(seed, run_seed)
    for metric in METRICS:
        oof, truth = tuned.predictions(metric), tuned.truth[metric]
        runs = {name: _set_of(method, oof, metric, truth) for name, method in METHODS.items()}
        runs[ONE_STANDARD_ERROR] = _within_one_standard_error(oof, metric, truth)
        runs[WINNERS] = _winners(oof, metric, truth)
        yield Part(metric, {"truth": float(truth.max())}, runs)


def _set_of(
    method: TiedMethod, oof: OOFPredictions, metric: str, truth: np.ndarray
) -> Callable[[int, int], Found]:
    def run(n_bootstraps: int, seed: int) -> Found:
        wanted = {"n_bootstraps": n_bootstraps, "random_state": seed}
        known = method.get_params()
        method.set_params(**{name: value for name, value in wanted.items() if name in known})
        kernel = as_metric(metric).bind(oof)
        # Of all samples: every one counts once.
        weights = np.ones((1, oof.n_samples), dtype=np.uint8)
        members = method.bind(kernel).members(weights, kernel.scores(weights))
        return Found.of(members[0], truth)

    return run


def _within_one_standard_error(
    oof: OOFPredictions, metric: str, truth: np.ndarray
) -> Callable[[int, int], Found]:
    def run(n_bootstraps: int, seed: int) -> Found:
        scores = as_metric(metric).bind(oof).fold_scores()
        mean = scores.mean(axis=0)
        best = mean.argmax()
        error = scores[:, best].std(ddof=1) / np.sqrt(len(scores))
        return Found.of(mean >= mean[best] - error, truth)

    return run


def _winners(oof: OOFPredictions, metric: str, truth: np.ndarray) -> Callable[[int, int], Found]:
    """Fewest configurations that together win 95% of the bootstrap draws of samples."""

    def run(n_bootstraps: int, seed: int) -> Found:
        kernel = as_metric(metric).bind(oof)
        rng = np.random.default_rng(seed)
        n = oof.n_samples
        units = (
            np.arange(n) if oof.groups is None else np.unique(oof.groups, return_inverse=True)[1]
        )
        n_units = int(units.max()) + 1
        counts = rng.multinomial(n_units, np.full(n_units, 1 / n_units), n_bootstraps)
        winners = kernel.winners(counts[:, units].astype(np.uint8))
        won = np.bincount(winners[winners >= 0], minlength=oof.n_configs)
        order = np.argsort(-won, kind="stable")
        enough = int(np.searchsorted(np.cumsum(won[order]), LEVEL * won.sum())) + 1
        members = np.zeros(oof.n_configs, dtype=bool)
        members[order[:enough]] = True
        return Found.of(members, truth)

    return run


def summarise(study: Study, found: pd.DataFrame) -> pd.DataFrame:
    """What each method holds, and how large its sets are, in each setting.

    Parameters
    ----------
    study : Study
        Where the rows are from.
    found : DataFrame
        One row per data set, metric and method.

    Returns
    -------
    DataFrame
        ``holds_best`` and ``holds_close`` are shares of data sets, ``size`` the mean share of
        the configurations in the set, ``milliseconds`` the mean processor time; ``verdict`` is
        ``under`` where an exact binomial test doubts that 95% hold the best (p < 0.0027).
    """
    rows = []
    for (name, part, method), group in found.groupby(["setting", "part", "method"], sort=False):
        defined = group[group["low"].notna()]
        held, runs = int(defined["low"].sum()), len(defined)
        verdict = "ok"
        if runs and binomtest(held, runs, LEVEL).pvalue < CHANCE:
            verdict = "under" if held < LEVEL * runs else "over"
        rows.append(
            {
                **study.settings[name].describe(),
                "part": part,
                "method": method,
                "runs": len(group),
                "undefined": 1 - runs / len(group),
                "holds_best": defined["low"].mean(),
                "holds_close": defined["high"].mean(),
                "size": defined["estimate"].mean(),
                "milliseconds": 1000 * group["seconds"].mean(),
                "verdict": verdict,
            }
        )
    return pd.DataFrame(rows)


def over_settings(table: pd.DataFrame) -> pd.DataFrame:
    """Each method over all settings.

    Parameters
    ----------
    table : DataFrame
        From `summarise`.

    Returns
    -------
    DataFrame
        Per metric and method: settings, how many are rejected below 95%, mean and lowest share
        that holds the best, mean share that holds a close one, mean size and time.
    """
    groups = table.groupby(["part", "method"], sort=False)
    return groups.agg(
        settings=("holds_best", "count"),
        under=("verdict", lambda verdict: int((verdict == "under").sum())),
        holds_best=("holds_best", "mean"),
        lowest=("holds_best", "min"),
        holds_close=("holds_close", "mean"),
        size=("size", "mean"),
        milliseconds=("milliseconds", "mean"),
    ).reset_index()


TIES = Study(
    name="ties",
    help="sets of configurations that cannot be distinguished from the best: how often do they "
    "hold the truly best one, how large are they?",
    settings={
        **{name: testbed.Stored(name) for name in testbed.FILES},
        **{name: Kept(setting) for name, setting in _settings.SETTINGS.items()},
    },
    truths=("truth",),
    parts=lambda setting: [
        (metric, method)
        for metric in METRICS
        for method in (*METHODS, ONE_STANDARD_ERROR, WINNERS)
    ],
    draw=draw,
    repetitions=100,
    n_bootstraps=500,
    summarise=summarise,
    overview=over_settings,
)
