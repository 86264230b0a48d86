"""``coverage.py groups``: samples that come in groups, and repeats of the cross-validation.

Groups: every group (a patient) has one label and several samples whose scores share a group
effect. The intraclass correlation is known, and so is the truth: pairs of a positive and a
negative are never of one group. Methods are run twice on the same predictions, once with the
groups and once as if samples were independent.

Repeats: ten configurations are tuned on one and on ten partitions of the same data; the truth is
that of the winner refitted on everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from benchmarks.data.learning import N_FOLDS, SCORES, Process, population, true_scores
from benchmarks.harness.study import LEVEL, Part, Study
from benchmarks.studies.methods import estimator
from sklearn_bbc import ConfidenceInterval, OOFPredictions
from sklearn_bbc.intervals import BBC, BBCF, DeLong, PooledBootstrap, holdout_interval

AUC = 0.8
GROUP_SIZE = 10
N_CONFIGS = 20
N_REPEATS = 10
SHARED = 0.5
"""Part of the group effect that all configurations share: patients are hard for every model."""

TEST_SET = {
    "samples": {},
    "groups": {"group_bootstrap": "cluster"},
    "groups, two stages": {"group_bootstrap": "two-stage"},
}
"""The published form ("ferrer-riera") seeds a generator for each group of each draw, which takes
forty times as long; it is wider than two stages."""
TUNED = {"BBC": BBC(), "BBC-F": BBCF()}
PARTITIONS = {f"tuning, {repeats} x {N_FOLDS} folds": repeats for repeats in (1, N_REPEATS)}
CANDIDATES = [
    *(LogisticRegression(C=strength, max_iter=500) for strength in (0.001, 0.01, 0.1, 1.0)),
    GaussianNB(),
    *(DecisionTreeClassifier(max_depth=depth, random_state=0) for depth in (1, 2, 3, 4, 6)),
]
PROCESS = Process(n_features=10, signal=2.0, curved=False)


@dataclass(frozen=True)
class Groups:
    """Normal scores with a group effect.

    Attributes
    ----------
    icc : float
        Intraclass correlation: share of the group effect in the variance of scores.
    n_groups : int
        Number of groups of ten samples, half of them positive.
    """

    icc: float
    n_groups: int

    def describe(self) -> dict:
        """Columns of the table."""
        return {
            "design": "groups", "icc": self.icc, "groups": self.n_groups,
            "N": self.n_groups * GROUP_SIZE,
        }  # fmt: skip

    def parts(self) -> list[tuple[str, str]]:
        """Parts and methods."""
        test_set = [
            *((f"test set, {metric}", name) for metric in SCORES for name in TEST_SET),
            *(("test set, roc_auc", f"DeLong, {unit}") for unit in ("samples", "groups")),
        ]
        tuning = [
            (f"tuning, {N_CONFIGS} configurations", f"{name}, {unit}")
            for name in ("BBC", "pooled bootstrap")
            for unit in ("samples", "groups")
        ]
        return test_set + tuning

    def draw(self, rng: np.random.Generator, run_seed: int) -> Iterator[Part]:
        """Draw one data set."""
        group = np.repeat(np.arange(self.n_groups), GROUP_SIZE)
        y = (group % 2).astype(int)
        yield from self._test_set(y, group, rng)
        yield self._tuning(y, group, rng)

    def scores(self, auc: np.ndarray, group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Scores of models with given true AUCs, shape (n_samples, n_models)."""
        shape = (self.n_groups, len(auc))
        effect = np.sqrt(SHARED) * rng.standard_normal((self.n_groups, 1))
        effect = effect + np.sqrt(1 - SHARED) * rng.standard_normal(shape)
        noise = rng.standard_normal((len(group), len(auc)))
        distance = np.sqrt(2) * norm.ppf(auc)
        scores = np.sqrt(self.icc) * effect[group] + np.sqrt(1 - self.icc) * noise
        return scores + distance * (group % 2)[:, None]

    def _test_set(
        self, y: np.ndarray, group: np.ndarray, rng: np.random.Generator
    ) -> Iterator[Part]:
        scores = self.scores(np.array([AUC]), group, rng)[:, 0]
        half = norm.ppf(AUC) / np.sqrt(2)  # half of the distance
        for metric in SCORES:
            pred = scores if metric == "roc_auc" else (scores > half).astype(int)
            intervals = {
                name: on_test_set(y, pred, metric, options, group if options else None)
                for name, options in TEST_SET.items()
            }
            if metric == "roc_auc":
                for unit, groups in (("samples", None), ("groups", group)):
                    oof = OOFPredictions(y_true=y, y_pred=pred, groups=groups)
                    intervals[f"DeLong, {unit}"] = estimator(DeLong(), oof, metric)
            truth = AUC if metric == "roc_auc" else float(norm.cdf(half))
            yield Part(f"test set, {metric}", {"truth": truth}, intervals)

    def _tuning(self, y: np.ndarray, group: np.ndarray, rng: np.random.Generator) -> Part:
        auc = rng.beta(24, 6, N_CONFIGS)
        scores = self.scores(auc, group, rng)
        fold = group // 2 % N_FOLDS  # as many groups of either class in each
        winner = best_of_folds(y, scores, fold)
        intervals = {}
        for unit, groups in (("samples", None), ("groups", group)):
            oof = OOFPredictions(y_true=y, y_pred=scores, fold=fold, groups=groups)
            intervals[f"BBC, {unit}"] = estimator(BBC(), oof, "roc_auc")
            naive = PooledBootstrap(config=winner)
            intervals[f"pooled bootstrap, {unit}"] = estimator(naive, oof, "roc_auc")
        part = f"tuning, {N_CONFIGS} configurations"
        return Part(part, {"truth": float(auc[winner])}, intervals)


@dataclass(frozen=True)
class Repeats:
    """Tuning on one and on several partitions.

    Attributes
    ----------
    n_samples : int
        Size of a data set.
    """

    n_samples: int

    def describe(self) -> dict:
        """Columns of the table."""
        return {"design": "repeats", "icc": 0.0, "groups": self.n_samples, "N": self.n_samples}

    def parts(self) -> list[tuple[str, str]]:
        """Parts and methods."""
        return [(part, method) for part in PARTITIONS for method in TUNED]

    def draw(self, rng: np.random.Generator, run_seed: int) -> Iterator[Part]:
        """Draw one data set and tune on it."""
        y = np.zeros(0, dtype=int)
        while np.bincount(y, minlength=2).min() < N_FOLDS:  # every fold needs both classes
            X, y = PROCESS.sample(self.n_samples, rng)
        pred = np.empty((N_REPEATS, len(y), len(CANDIDATES)))
        fold = np.empty((N_REPEATS, len(y)), dtype=int)
        splitter = RepeatedStratifiedKFold(
            n_splits=N_FOLDS, n_repeats=N_REPEATS, random_state=int(rng.integers(2**31))
        )
        for k, (train, test) in enumerate(splitter.split(X, y)):
            repeat, fold[k // N_FOLDS, test] = k // N_FOLDS, k
            for config, candidate in enumerate(CANDIDATES):
                model = clone(candidate).fit(X[train], y[train])
                pred[repeat, test, config] = model.predict_proba(X[test])[:, 1]
        truths: dict[int, float] = {}
        for part, n_repeats in PARTITIONS.items():
            oof = OOFPredictions(y_true=y, y_pred=pred[:n_repeats], fold=fold[:n_repeats])
            winner = best_of_folds(y, pred[:n_repeats], fold[:n_repeats])
            if winner not in truths:
                model = clone(CANDIDATES[winner]).fit(X, y)
                truths[winner] = true_scores(model, *population(PROCESS, run_seed))["roc_auc"]
            intervals = {name: estimator(method, oof, "roc_auc") for name, method in TUNED.items()}
            yield Part(part, {"truth": truths[winner]}, intervals)


def on_test_set(
    y: np.ndarray, pred: np.ndarray, metric: str, options: dict, groups: np.ndarray | None
) -> Callable[[int, int], ConfidenceInterval]:
    """Percentile bootstrap of a test set."""

    def estimate(n_bootstraps: int, seed: int) -> ConfidenceInterval:
        return holdout_interval(
            y, pred, metric, method="percentile", groups=groups, n_bootstraps=n_bootstraps,
            confidence_level=LEVEL, random_state=seed, n_jobs=1, **options,
        )  # fmt: skip

    return estimate


def best_of_folds(y: np.ndarray, scores: np.ndarray, fold: np.ndarray) -> int:
    """Configuration with the best mean AUC over the folds, as a search selects.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Labels.
    scores : ndarray of shape ([n_repeats,] n_samples, n_configs)
        Out-of-fold scores.
    fold : ndarray of shape ([n_repeats,] n_samples)
        Folds, numbered through all repeats.
    """
    scores = scores.reshape(-1, scores.shape[-1])
    labels, fold = np.resize(y, len(scores)), fold.ravel()
    means = [
        [SCORES["roc_auc"](labels[fold == k], column[fold == k]) for column in scores.T]
        for k in np.unique(fold)
    ]
    return int(np.argmax(np.mean(means, axis=0)))


SETTINGS = {
    **{
        f"icc{icc:g}_G{n_groups}": Groups(icc, n_groups)
        for n_groups in (20, 50)
        for icc in (0.0, 0.2, 0.6)
    },
    "repeats_N100": Repeats(100),
}


def draw(setting: Groups | Repeats, seed: np.random.SeedSequence, run_seed: int) -> Iterator[Part]:
    """Draw one data set.

    Parameters
    ----------
    setting : Groups or Repeats
        What to draw.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Seed of the population.
    """
    return setting.draw(np.random.Generator(np.random.PCG64(seed)), run_seed)


GROUPS = Study(
    name="groups",
    help="grouped samples with known correlation, samples against groups; repeated tuning",
    settings=SETTINGS,
    truths=("truth",),
    parts=lambda setting: setting.parts(),
    draw=draw,
    repetitions=300,
)
