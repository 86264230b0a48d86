"""``coverage.py dropping``: what early dropping saves, and what it does to scores and intervals.

Tuned models of which every configuration was fitted on all splits, refitted and scored on a large
population. What `DropClearlyWorse` would have dropped is replayed on their predictions, which
gives what the search with ``drop=`` does (a test holds them against each other). Beside it
stands scikit-learn's halving on the same data, configurations and splitter. The truth is the
score of the refitted configuration that is selected.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import HalvingGridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from benchmarks.data import settings as _settings
from benchmarks.harness import study as _study
from benchmarks.harness.study import Part, Study
from benchmarks.studies import testbed
from benchmarks.studies.methods import estimator
from sklearn_bbc import ConfidenceInterval, OOFPredictions
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search import BBCSearchMixin, DropClearlyWorse

METRICS = ("roc_auc", "accuracy", "balanced_accuracy")
"""By placements, by values of samples, by the bootstrap."""
EVERYTHING, DROPPED, HALVED = "every configuration", "dropping", "halving"
HALVED_METRICS = ("roc_auc",)
N_FOLDS = 10
FACTS = ("fits", "best_score", "same", "price")
"""Beside the truth: share of the fits, what the search reports, whether it selects what the full
search selects, and by how much the latter's true score is better."""


class HalvingBBC(BBCSearchMixin, HalvingGridSearchCV):
    """scikit-learn's halving, with the predictions of its last round."""

    ci = ()


class Numbered(ClassifierMixin, BaseEstimator):
    """One of the configurations, by its number.

    Parameters
    ----------
    number : int, default=0
        Which one.
    """

    def __init__(self, number: int = 0) -> None:
        self.number = number

    def fit(self, X: np.ndarray, y: np.ndarray) -> Numbered:
        """Fit it."""
        self.model_ = clone(configurations()[self.number]).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Ask it."""
        return self.model_.predict_proba(X)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Ask it."""
        return self.model_.predict(X)


@dataclass(frozen=True)
class Drawn:
    """A population and how models are tuned on samples of it, ten folds.

    Attributes
    ----------
    generated : Generated
        What data sets look like.
    halved : bool
        Whether halving is run beside.
    """

    generated: _settings.Generated
    halved: bool = True

    def describe(self) -> dict[str, Any]:
        """Columns of the table."""
        return {**self.generated.describe(), "folds": N_FOLDS}

    def parts(self) -> list[tuple[str, str]]:
        """Parts and methods."""
        halved = [(metric, HALVED) for metric in HALVED_METRICS if self.halved]
        return [(m, name) for m in METRICS for name in (EVERYTHING, DROPPED)] + halved

    def draw(self, seed: np.random.SeedSequence, run_seed: int) -> tuple[_settings.Tuned, Any]:
        """Draw one data set, tune on it, refit every configuration.

        Parameters
        ----------
        seed : SeedSequence
            Seed of the data set.
        run_seed : int
            Seed of the population.
        """
        rng = np.random.Generator(np.random.PCG64(seed))
        y = np.zeros(0, dtype=int)
        while np.bincount(y, minlength=2).min() < N_FOLDS:
            X, y, _ = self.generated.sample(self.generated.n_samples, rng)
        X_all, y_all, _ = _settings.population(self.generated, run_seed)
        splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=int(rng.integers(2**31)))
        splits = list(splitter.split(X, y))
        models = configurations()
        probability = np.empty((1, len(y), len(models)))
        fold = np.empty((1, len(y)), dtype=int)
        truths: dict[str, list[float]] = {}
        with quickly():
            for c, model in enumerate(models):
                for k, (train, test) in enumerate(splits):
                    fitted = clone(model).fit(X[train], y[train])
                    fold[0, test], probability[0, test, c] = (
                        k,
                        fitted.predict_proba(X[test])[:, 1],
                    )
                of_all = clone(model).fit(X, y).predict_proba(X_all)[:, 1]
                for metric, score in _settings.true_scores(y_all, of_all).items():
                    truths.setdefault(metric, []).append(score)
        truth = {metric: np.array(scores) for metric, scores in truths.items()}
        tuned = _settings.Tuned(y, probability, fold, truth)
        return tuned, (X, y, splitter) if self.halved else None


@dataclass(frozen=True)
class StoredData:
    """A file of the testbed; without features, so without halving.

    Attributes
    ----------
    stored : Stored
        The file.
    """

    stored: testbed.Stored

    def describe(self) -> dict[str, Any]:
        """Columns of the table."""
        return self.stored.describe()

    def parts(self) -> list[tuple[str, str]]:
        """Parts and methods."""
        return [(metric, name) for metric in METRICS for name in (EVERYTHING, DROPPED)]

    def draw(self, seed: np.random.SeedSequence, run_seed: int) -> tuple[_settings.Tuned, None]:
        """The data set with the number of the repetition."""
        return self.stored.draw(seed, run_seed), None


@lru_cache(maxsize=1)
def configurations() -> tuple[BaseEstimator, ...]:
    """Twenty-two models of three kinds; one fit takes a millisecond or two."""
    models: list[BaseEstimator] = [
        make_pipeline(StandardScaler(), LogisticRegression(C=float(c), max_iter=200))
        for c in np.logspace(-3, 2, 10)
    ]
    models += [
        DecisionTreeClassifier(max_depth=depth, min_samples_leaf=leaf, random_state=0)
        for depth in (1, 2, 4, None)
        for leaf in (1, 10)
    ]
    models += [GaussianNB(var_smoothing=float(v)) for v in (1e-9, 1e-2, 0.1, 1.0)]
    return tuple(models)


def quickly() -> Any:
    """Without checks and warnings: few iterations are one of the configurations' faults."""
    stack = warnings.catch_warnings()

    class Quickly:
        def __enter__(self) -> None:
            stack.__enter__()
            warnings.simplefilter("ignore")
            self.config = config_context(assume_finite=True, skip_parameter_validation=True)
            self.config.__enter__()

        def __exit__(self, *error: object) -> None:
            self.config.__exit__(*error)
            stack.__exit__(*error)

    return Quickly()


def draw(
    setting: Drawn | StoredData, seed: np.random.SeedSequence, run_seed: int
) -> Iterator[Part]:
    """Draw one data set: for each metric a part per way of searching.

    Parameters
    ----------
    setting : Drawn or StoredData
        What to draw.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Seed of the population.
    """
    tuned, data = setting.draw(seed, run_seed)
    wanted = {metric for metric, _ in setting.parts()}
    for metric in METRICS:
        if metric not in wanted:
            continue
        oof, truth = tuned.predictions(metric), tuned.truth[metric]
        means = as_metric(metric).bind(oof).fold_scores().mean(axis=0)
        best = int(np.nanargmax(means))
        yield _part(metric, EVERYTHING, oof, means, truth, (best, best), 1.0)
        done = DropClearlyWorse(random_state=0).replay(oof, metric)
        left = done == oof.n_splits
        rest = OOFPredictions.from_rows(
            y_true=tuned.y,
            responses=oof.responses,
            fold=tuned.fold[0],
            failed=~left,
        )
        means = np.where(left, means, np.nan)
        chosen = (best, int(np.nanargmax(means)))
        yield _part(metric, DROPPED, rest, means, truth, chosen, done.mean() / oof.n_splits)
        if data is not None and metric in HALVED_METRICS:
            yield _halving(metric, data, truth, best)


def _part(
    metric: str,
    name: str,
    oof: OOFPredictions,
    means: np.ndarray,
    truth: np.ndarray,
    chosen: tuple[int, int],
    fits: float,
) -> Part:
    best, winner = chosen
    facts = {
        "truth": float(truth[winner]),
        "fits": float(fits),
        "best_score": float(means[winner]),
        "same": float(winner == best),
        "price": float(truth[best] - truth[winner]),
    }
    return Part(metric, facts, {name: estimator(BBC(), oof.with_selected(winner), metric)})


def _halving(metric: str, data: Any, truth: np.ndarray, best: int) -> Part:
    X, y, splitter = data
    n_models = len(configurations())
    search = HalvingBBC(
        Numbered(),
        {"number": list(range(n_models))},
        scoring=metric,
        cv=splitter,
        random_state=0,
        return_train_score=False,
    )
    with quickly():
        search.fit(X, y)
    results = search.cv_results_
    # A fit on a part of the samples counts as that part.
    fits = results["n_resources"].sum() / (n_models * len(y))
    winner = search.best_params_["number"]
    facts = {
        "truth": float(truth[winner]),
        "fits": float(fits),
        "best_score": float(search.best_score_),
        "same": float(winner == best),
        "price": float(truth[best] - truth[winner]),
    }

    def run(n_bootstraps: int, seed: int) -> ConfidenceInterval:
        return search.interval(BBC(n_bootstraps=n_bootstraps, random_state=seed, n_jobs=1))

    return Part(metric, facts, {HALVED: run})


def _generated(kind: str, n_samples: int, **options: Any) -> Drawn:
    return Drawn(_settings.Generated(kind, n_samples=n_samples, **options))


SETTINGS: Mapping[str, Drawn | StoredData] = {
    "null_200": _generated("null", 200, signal=0.0),
    "weak_200": _generated("weak", 200, signal=1.0),
    "strong_200": _generated("strong", 200, signal=3.0),
    "weak_500": _generated("weak", 500, signal=1.0),
    "int_100_5_s1": StoredData(testbed.Stored("int_100_5_s1")),
    "imb_100_5_s1": StoredData(testbed.Stored("imb_100_5_s1")),
    "interaction_200": _generated("interaction", 200, signal=4.0, interactions=True, n_features=6),
    "strong_2000": Drawn(_settings.Generated("strong", n_samples=2000, signal=3.0), halved=False),
}


def summarise(study: Study, found: pd.DataFrame) -> pd.DataFrame:
    """Coverage as in other studies, and what each way of searching costs and reports.

    Parameters
    ----------
    study : Study
        Where the rows are from.
    found : DataFrame
        One row per data set, metric and way of searching.

    Returns
    -------
    DataFrame
        ``fits`` is the mean share of the fits of the full search, ``optimism`` the mean of best
        score minus truth, ``same`` the share of data sets on which the full search's
        configuration is selected, ``price`` the mean by which that one's true score is better,
        with its standard error.
    """
    table = _study.summarise(study, found)
    rows = []
    described = {name: study.settings[name].describe() for name in found["setting"].unique()}
    for (name, part, method), group in found.groupby(["setting", "part", "method"], sort=False):
        rows.append(
            {
                **described[name],
                "part": part,
                "method": method,
                "fits": group["fits"].mean(),
                "optimism": (group["best_score"] - group["truth"]).mean(),
                "same": group["same"].mean(),
                "price": group["price"].mean(),
                "price_se": group["price"].std() / np.sqrt(len(group)),
            }
        )
    keys = [*next(iter(described.values())), "part", "method"]
    return table.merge(pd.DataFrame(rows), on=keys, validate="one_to_one")


DROPPING = Study(
    name="dropping",
    help="what early dropping saves, optimism and coverage with and without it, beside halving",
    settings=SETTINGS,
    truths=("truth", *FACTS),
    parts=lambda setting: setting.parts(),
    draw=draw,
    repetitions=50,
    summarise=summarise,
)
