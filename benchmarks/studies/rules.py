"""``coverage.py rules``: BBC that repeats the rule of selection, and BBC that does not.

The truth is the score of what the rule reports on all samples: a refitted configuration, one with
a threshold, an average of several. Stored settings (the testbed) know what every refitted
configuration scores, so they have the rules that report one. The others are drawn on the spot and
have all rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from benchmarks.data.learning import Process, population
from benchmarks.harness.study import Part, Study
from benchmarks.studies import testbed
from benchmarks.studies.methods import estimator
from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.metrics._scored import Scored
from sklearn_bbc.selection import (
    BestScore,
    BoundSelection,
    GreedyEnsemble,
    OneStandardError,
    Outcome,
    RefitCallable,
    Selection,
    SimplestTied,
    WithThreshold,
)

REPEATED, ONCE = "BBC, rule repeated", "BBC, rule applied once"


def steadiest(results: dict) -> int:
    """Best mean minus one standard deviation over the folds."""
    return int(np.argmax(results["mean_test_score"] - results["std_test_score"]))


OF_ONE = {
    "best score": BestScore(),
    "one standard error": OneStandardError("size"),
    "simplest within 0.01": SimplestTied("size"),
    "mean minus deviation": RefitCallable(steadiest),
}
"""Rules that report one configuration, scored by the metric."""
OF_MORE = {
    "threshold": WithThreshold("balanced_accuracy"),
    "threshold, jointly": WithThreshold("balanced_accuracy", thresholds=30, jointly=True),
    "greedy ensemble": GreedyEnsemble(10),
}
HOLD_OUT: Mapping[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "roc_auc": roc_auc_score,
    "neg_log_loss": lambda y, probability: -log_loss(y, probability),
}


class Once(Selection):
    """Apply a rule to all samples once and keep the outcome in every draw.

    Parameters
    ----------
    rule : Selection
        The rule.
    """

    def __init__(self, rule: Selection) -> None:
        self.rule = rule

    def _bind(self, scored: Scored) -> BoundSelection:
        return BoundOnce(self.rule.bind(scored))


class BoundOnce(BoundSelection):
    """The outcome on all samples, whatever is drawn."""

    def __init__(self, rule: BoundSelection) -> None:
        super().__init__(rule.scored)
        self._rule, self.metric, self.by = rule, rule.metric, "applied once"
        self.of_configurations = rule.of_configurations

    def choose(self, weights: np.ndarray) -> Outcome:
        """The same in every draw."""
        return self._rule.on_all().take(np.zeros(len(weights), dtype=int))

    def score(self, outcome: Outcome, weights: np.ndarray) -> np.ndarray:
        """Of the rule."""
        return self._rule.score(outcome, weights)


@dataclass(frozen=True)
class StoredRules:
    """A file of the testbed.

    Attributes
    ----------
    stored : Stored
        The file.
    """

    stored: testbed.Stored
    rules: Mapping[str, tuple[str, Selection]] = field(
        default_factory=lambda: {
            f"AUC: {name}": ("roc_auc", rule) for name, rule in OF_ONE.items()
        }
    )

    def describe(self) -> dict:
        """Columns of the table."""
        return self.stored.describe()

    def draw(self, seed: np.random.SeedSequence, run_seed: int) -> tuple[OOFPredictions, Callable]:
        """Predictions, and the truth of an outcome; the number of a configuration is its size."""
        tuned = self.stored.draw(seed, run_seed)
        pred = np.asarray(tuned.probability[0]).T
        truth = tuned.truth["roc_auc"]
        oof = OOFPredictions.from_rows(
            y_true=tuned.y,
            responses={"predict_proba": pred},
            fold=tuned.fold[0],
            params=[{"size": k} for k in range(len(pred))],
        )
        return oof, lambda rule, outcome: float(truth[outcome["config"][0]])


@dataclass(frozen=True)
class DrawnRules:
    """Data drawn from a process, and models tuned on them.

    Attributes
    ----------
    signal : float
        Standard deviation of the logit; 0 is pure noise.
    n_samples : int
        Size of a data set.
    """

    signal: float
    n_samples: int
    rules: Mapping[str, tuple[str, Selection]] = field(
        default_factory=lambda: {
            **{f"AUC: {name}": ("roc_auc", rule) for name, rule in {**OF_ONE, **OF_MORE}.items()},
            "log loss: best score": ("neg_log_loss", BestScore()),
            "log loss: greedy ensemble": ("neg_log_loss", OF_MORE["greedy ensemble"]),
        }
    )

    def describe(self) -> dict:
        """Columns of the table."""
        return {"data": f"signal {self.signal:g}", "N": self.n_samples, "folds": N_FOLDS}

    def draw(self, seed: np.random.SeedSequence, run_seed: int) -> tuple[OOFPredictions, Callable]:
        """Predictions, and the truth of an outcome on a large population."""
        process = Process(n_features=20, signal=self.signal, curved=False)
        rng = np.random.Generator(np.random.PCG64(seed))
        y = np.zeros(0, dtype=int)
        while np.bincount(y, minlength=2).min() < 2 * N_FOLDS:
            X, y = process.sample(self.n_samples, rng)
        X_all, y_all = population(process, run_seed)
        splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=int(rng.integers(2**31)))
        splits = list(splitter.split(X, y))
        pred, fold = np.empty((len(MODELS), len(y))), np.empty(len(y), dtype=int)
        final = np.empty((len(MODELS), len(y_all)))
        for k, model in enumerate(MODELS):
            for number, (train, test) in enumerate(splits):
                fitted = clone(model).fit(X[train], y[train])
                fold[test], pred[k, test] = number, fitted.predict_proba(X[test])[:, 1]
            final[k] = clone(model).fit(X, y).predict_proba(X_all)[:, 1]
        oof = OOFPredictions.from_rows(
            y_true=y,
            responses={"predict_proba": pred},
            fold=fold,
            params=[{"size": k} for k in range(len(MODELS))],
        )
        return oof, lambda rule, outcome: held_out(rule, outcome, y_all, final)


def held_out(rule: BoundSelection, outcome: Outcome, y: np.ndarray, final: np.ndarray) -> float:
    """Score on the population of what a rule reports.

    Parameters
    ----------
    rule : BoundSelection
        The rule.
    outcome : Outcome
        On all samples.
    y : ndarray of shape (n_population,)
        Labels.
    final : ndarray of shape (n_configs, n_population)
        Probabilities of the refitted configurations.
    """
    if "threshold" in outcome.columns:
        labels = final[outcome["config"][0]] >= outcome["threshold"][0]
        return float(balanced_accuracy_score(y, labels))
    if "weights" in outcome.columns:
        return float(HOLD_OUT[rule.metric.name](y, outcome["weights"][0] @ final))
    return float(HOLD_OUT[rule.metric.name](y, final[outcome["config"][0]]))


N_FOLDS = 5
MODELS = [
    *(LogisticRegression(C=10.0**k, max_iter=1000) for k in (-3, -2, -1, 0, 1)),
    GaussianNB(),
    *(
        DecisionTreeClassifier(max_depth=d, min_samples_leaf=5, random_state=0)
        for d in (1, 2, 3, 5)
    ),
]
"""From simple to complex, as far as that can be said."""


def parts(setting: StoredRules | DrawnRules) -> list[tuple[str, str]]:
    """Parts and methods."""
    return [(name, method) for name in setting.rules for method in (REPEATED, ONCE)]


def draw(
    setting: StoredRules | DrawnRules, seed: np.random.SeedSequence, run_seed: int
) -> Iterator[Part]:
    """Draw one data set: a part per metric and rule.

    Parameters
    ----------
    setting : StoredRules or DrawnRules
        What to draw.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Seed of the population.
    """
    oof, truth = setting.draw(seed, run_seed)
    for name, (metric, selection) in setting.rules.items():
        rule = selection.bind(as_metric(metric).bind(oof))
        yield Part(
            name,
            {"truth": truth(rule, rule.on_all())},
            {
                REPEATED: estimator(BBC(selection=selection), oof, metric),
                ONCE: estimator(BBC(selection=Once(selection)), oof, metric),
            },
        )


RULES = Study(
    name="rules",
    help="BBC that repeats other rules of selection in every draw, against what they report",
    settings={
        **{name: StoredRules(testbed.Stored(name)) for name in testbed.FILES},
        **{
            f"signal{signal:g}_N{n_samples}": DrawnRules(signal, n_samples)
            for signal in (0.0, 1.0, 3.0)
            for n_samples in (60, 200)
        },
    },
    truths=("truth",),
    parts=parts,
    draw=draw,
    repetitions=100,
)
