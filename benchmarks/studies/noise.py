"""``coverage.py noise``: thresholds and ensembles that are tuned on pure noise.

Labels do not depend on the features, so every threshold has a balanced accuracy of one half, and
every ensemble an area under the curve of one half. What a tuned threshold or ensemble seems to be
worth beyond that is what tuning it added.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier

from benchmarks.harness.study import Part, Study
from benchmarks.studies.methods import at_its_word, estimator
from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.selection import GreedyEnsemble, Selection

N_FOLDS = 5
N_FEATURES = 10
POPULATION = 20000
"""Samples behind the log loss of an ensemble; the other truths are known exactly."""
SCIKIT = "TunedThresholdClassifierCV.best_score_"
APPARENT, CORRECTED = "apparent score", "BBC, rule repeated"
THRESHOLD = "threshold, balanced accuracy"
ENSEMBLE = GreedyEnsemble(10)
ENSEMBLES = {"greedy ensemble, AUC": "roc_auc", "greedy ensemble, log loss": "neg_log_loss"}
GRID = [
    {"model": [LogisticRegression(max_iter=1000)], "model__C": np.logspace(-3, 2, 6).tolist()},
    {"model": [GaussianNB()]},
    {
        "model": [DecisionTreeClassifier(min_samples_leaf=3, random_state=0)],
        "model__max_depth": [1, 2, 3, 5],
    },
]


@dataclass(frozen=True)
class Noise:
    """Features and labels that have nothing to do with each other.

    Attributes
    ----------
    n_samples : int
        Size of a data set.
    share : float
        Share of positives, the same in every data set.
    """

    n_samples: int
    share: float

    def describe(self) -> dict:
        """Columns of the table."""
        return {"N": self.n_samples, "positives": self.share, "folds": N_FOLDS}

    def sample(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw features and labels.

        Parameters
        ----------
        rng : Generator
            Source of randomness.
        """
        y = np.arange(self.n_samples) < round(self.share * self.n_samples)
        return rng.standard_normal((self.n_samples, N_FEATURES)), rng.permutation(y.astype(int))


def parts(setting: Noise) -> list[tuple[str, str]]:
    """Parts and methods."""
    threshold = [(THRESHOLD, method) for method in (SCIKIT, APPARENT, CORRECTED)]
    return threshold + [(part, method) for part in ENSEMBLES for method in (APPARENT, CORRECTED)]


def draw(setting: Noise, seed: np.random.SeedSequence, run_seed: int) -> Iterator[Part]:
    """Draw one data set, tune models on it, then a threshold and ensembles.

    Parameters
    ----------
    setting : Noise
        What to draw.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Seed of the population.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    X, y = setting.sample(rng)
    split_seed, search_seed = (int(state) for state in rng.integers(2**31, size=2))
    search = BBCSearchCV(
        Pipeline([("model", LogisticRegression())]),
        GRID,
        scoring=["roc_auc", "neg_log_loss"],
        refit="roc_auc",
        cv=StratifiedKFold(N_FOLDS, shuffle=True, random_state=split_seed),
        random_state=search_seed,
    ).fit(X, y)
    by_scikit = best_score_of_scikit(clone(search.best_estimator_), search.cv, X, y)

    def threshold(n_bootstraps: int, seed: int):
        method = BBC(n_bootstraps=n_bootstraps, random_state=seed)
        return search.threshold("balanced_accuracy", method=method).ci

    apparent = search.threshold("balanced_accuracy").apparent_score
    yield Part(
        THRESHOLD,
        {"truth": 0.5},
        {
            SCIKIT: at_its_word(by_scikit, "balanced_accuracy"),
            APPARENT: at_its_word(apparent, "balanced_accuracy"),
            CORRECTED: threshold,
        },
    )
    everywhere = np.random.default_rng([run_seed, 7919]).standard_normal((POPULATION, N_FEATURES))
    for part, metric in ENSEMBLES.items():
        shares, score = chosen(ENSEMBLE, search.oof_, metric)
        truth = 0.5 if metric == "roc_auc" else -log_loss(search, shares, X, y, everywhere)
        yield Part(
            part,
            {"truth": truth},
            {
                APPARENT: at_its_word(score, metric),
                CORRECTED: estimator(BBC(selection=ENSEMBLE), search.oof_, metric),
            },
        )


def best_score_of_scikit(
    model: BaseEstimator, cv: StratifiedKFold, X: np.ndarray, y: np.ndarray
) -> float:
    """What scikit-learn's threshold tuning reports.

    Parameters
    ----------
    model : estimator
        The winner of the search.
    cv : splitter
        The folds.
    X, y : ndarray
        The data set.

    Returns
    -------
    float
        Balanced accuracy; one half where the model predicts a constant, which is refused there
        and cannot have another one.
    """
    try:
        tuned = TunedThresholdClassifierCV(model, scoring="balanced_accuracy", cv=cv).fit(X, y)
    except ValueError as error:
        if "constant predictions" not in str(error):
            raise
        return 0.5
    return float(tuned.best_score_)


def chosen(rule: Selection, oof: OOFPredictions, metric: str) -> tuple[np.ndarray, float]:
    """Weights of the configurations that a rule selects, and what they seem to be worth.

    Parameters
    ----------
    rule : Selection
        The rule.
    oof : OOFPredictions
        Predictions of all configurations.
    metric : str
        Name of the metric.

    Returns
    -------
    shares : ndarray of shape (n_configs,)
        They sum to one.
    score : float
        On the predictions that chose them.
    """
    bound = rule.bind(as_metric(metric).bind(oof))
    outcome = bound.on_all()
    if "weights" in outcome.columns:
        shares = outcome["weights"][0]
    else:
        shares = (np.arange(oof.n_configs) == outcome["config"][0]).astype(float)
    everything = np.ones((1, bound.n_units), dtype=np.uint8)
    return shares, float(bound.score(outcome, everything)[0])


def log_loss(
    search: BBCSearchCV, shares: np.ndarray, X: np.ndarray, y: np.ndarray, everywhere: np.ndarray
) -> float:
    """Expected log loss of an ensemble, refitted, where labels do not depend on the features.

    Parameters
    ----------
    search : BBCSearchCV
        Knows the configurations.
    shares : ndarray of shape (n_configs,)
        Weights in the ensemble.
    X, y : ndarray
        The data set.
    everywhere : ndarray of shape (n_population, n_features)
        Features of new samples.
    """
    mean = np.zeros(len(everywhere))
    for config in np.flatnonzero(shares):
        model = clone(search.estimator).set_params(
            **clone(search.cv_results_["params"][config], safe=False)
        )
        mean += shares[config] * model.fit(X, y).predict_proba(everywhere)[:, 1]
    mean = np.clip(mean, np.finfo(float).eps, 1 - np.finfo(float).eps)
    share = y.mean()
    return float(-(share * np.log(mean) + (1 - share) * np.log(1 - mean)).mean())


NOISE = Study(
    name="noise",
    help="thresholds and ensembles tuned on pure noise: what they seem to be worth",
    settings={"N60": Noise(60, 0.3)},
    truths=("truth",),
    parts=parts,
    draw=draw,
    repetitions=100,
    n_bootstraps=1000,
)
