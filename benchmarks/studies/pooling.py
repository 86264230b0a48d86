"""``coverage.py pooling``: what pooling the predictions of all folds costs a rank metric.

A rank metric on pooled predictions compares samples that different models scored. The studies
here have one configuration (no selection at all) and a grid of eight, small and large samples,
five and ten folds, and compare BBC on pooled predictions with BBC on pairs within folds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from benchmarks.data.learning import Process
from benchmarks.harness.study import Part, Study
from benchmarks.studies import testbed
from benchmarks.studies.groups import best_of_folds
from benchmarks.studies.methods import at_its_word, estimator
from sklearn_bbc import ConfidenceInterval, OOFPredictions
from sklearn_bbc.intervals import BBC, BBCF, ShrunkenBBC
from sklearn_bbc.metrics import as_metric, within_folds

METRIC = "roc_auc"
PROCESS = Process(n_features=20, signal=1.0, curved=False)
GRID = tuple(10.0**k for k in range(-4, 4))
ALONE = (0.001, 0.1, 10.0)
PARTS = {f"C = {strength:g}": (strength,) for strength in ALONE}
PARTS[f"{len(GRID)} configurations"] = GRID
BEST_SCORE = "best mean over folds"
METHODS = {
    "BBC, pooled": (BBC(), as_metric(METRIC)),
    "BBC, within folds": (BBC(), within_folds(METRIC)),
    "BBC-F": (BBCF(), as_metric(METRIC)),
    "ShrunkenBBC, pooled": (ShrunkenBBC(), as_metric(METRIC)),
    "ShrunkenBBC, within folds": (ShrunkenBBC(), within_folds(METRIC)),
}
OF_TUNED = ("BBC, pooled", "BBC, within folds", "BBC-F")
"""Methods on the testbed."""


@dataclass(frozen=True)
class Pooling:
    """Size of a data set and its folds.

    Attributes
    ----------
    n_samples, n_folds : int
        Sizes.
    """

    n_samples: int
    n_folds: int

    def describe(self) -> dict:
        """Columns of the table."""
        return {"N": self.n_samples, "folds": self.n_folds}

    def parts(self) -> list[tuple[str, str]]:
        """Parts and methods."""
        return [(part, method) for part in PARTS for method in (BEST_SCORE, *METHODS)]


def draw(setting: Pooling, seed: np.random.SeedSequence, run_seed: int) -> Iterator[Part]:
    """Draw one data set, cross-validate every configuration on it, and score all models.

    The true scores are those in the population, not in a large sample of it: the standard error
    of 20,000 samples, 0.004, would be the same in all data sets and look like a bias.

    Parameters
    ----------
    setting : Pooling
        Sizes.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Not needed.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    y = np.zeros(0, dtype=int)
    while np.bincount(y, minlength=2).min() < setting.n_folds:  # every fold needs both classes
        X, y = PROCESS.sample(setting.n_samples, rng)
    strengths = sorted({*GRID, *ALONE})
    scores, fold = np.empty((len(y), len(strengths))), np.empty(len(y), dtype=int)
    fold_models = np.empty((setting.n_folds, len(strengths)))
    final = np.empty(len(strengths))
    splitter = StratifiedKFold(
        setting.n_folds, shuffle=True, random_state=int(rng.integers(2**31))
    )
    splits = list(splitter.split(X, y))
    for config, strength in enumerate(strengths):
        model = LogisticRegression(C=strength, max_iter=1000)
        for k, (train, test) in enumerate(splits):
            model.fit(X[train], y[train])
            fold[test], scores[test, config] = k, model.decision_function(X[test])
            fold_models[k, config] = PROCESS.auc(model.coef_[0])
        final[config] = PROCESS.auc(model.fit(X, y).coef_[0])
    for part, chosen in PARTS.items():
        columns = [strengths.index(strength) for strength in chosen]
        winner = columns[best_of_folds(y, scores[:, columns], fold)]
        truths = {
            "truth fold models": float(fold_models[:, winner].mean()),
            "truth final model": float(final[winner]),
        }
        oof = OOFPredictions(y_true=y, y_pred=scores[:, columns], fold=fold)
        intervals: dict[str, Callable[[int, int], ConfidenceInterval]] = {
            name: estimator(method, oof, metric) for name, (method, metric) in METHODS.items()
        }
        intervals[BEST_SCORE] = best_score(oof)
        yield Part(part, truths, intervals)


def best_score(oof: OOFPredictions) -> Callable[[int, int], ConfidenceInterval]:
    """What a search reports: the best mean of the fold scores, without an interval."""
    best = float(as_metric(METRIC).fold_scores(oof).mean(axis=0).max())
    return at_its_word(best, METRIC)


SETTINGS = {
    f"N{n_samples}_{n_folds}folds": Pooling(n_samples, n_folds)
    for n_samples in (80, 300)
    for n_folds in (5, 10)
}

POOLING = Study(
    name="pooling",
    help="AUC of pooled predictions against pairs within folds, with and without tuning",
    settings=SETTINGS,
    truths=("truth fold models", "truth final model"),
    parts=Pooling.parts,
    draw=draw,
    repetitions=200,
)


def draw_stored(
    setting: testbed.Stored, seed: np.random.SeedSequence, run_seed: int
) -> Iterator[Part]:
    """Take a data set of the testbed, of which the final models' scores are known.

    Parameters
    ----------
    setting : Stored
        File of the testbed.
    seed : SeedSequence
        Knows the number of the data set.
    run_seed : int
        Not needed.
    """
    tuned = setting.draw(seed, run_seed)
    scores, fold = np.asarray(tuned.probability[0]), tuned.fold[0]
    oof = OOFPredictions(y_true=tuned.y, y_pred=scores, fold=fold)
    winner = best_of_folds(tuned.y, scores, fold)
    intervals: dict[str, Callable[[int, int], ConfidenceInterval]] = {
        name: estimator(method, oof, metric)
        for name, (method, metric) in METHODS.items()
        if name in OF_TUNED
    }
    intervals[BEST_SCORE] = best_score(oof)
    yield Part(METRIC, {"truth": float(tuned.truth[METRIC][winner])}, intervals)


POOLING_TUNED = Study(
    name="pooling_tuned",
    help="AUC of pooled predictions against pairs within folds, on tuned models of the testbed",
    settings={name: testbed.Stored(name) for name in testbed.FILES},
    truths=("truth",),
    parts=lambda setting: [(METRIC, method) for method in (BEST_SCORE, *OF_TUNED)],
    draw=draw_stored,
    repetitions=testbed.N_DATA_SETS,
)
