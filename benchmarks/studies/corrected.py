"""``coverage.py corrected``: how far off are corrected scores, and which one is nearest?

Three kinds of searches with a known truth: penalised models on random subsets of the features,
fitted all at once so that hundreds of configurations are affordable; the tuned models of the
testbed; and the simulation of the paper that introduced BBC, where nothing is trained. Every
estimate is held against the score of the configuration with the best mean over the folds, refitted
on all samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import binomtest, norm
from sklearn.model_selection import KFold, StratifiedKFold

from benchmarks.data.settings import LABELS as OF_LABELS
from benchmarks.harness.study import CHANCE, LEVEL, Part, Study
from benchmarks.studies import testbed
from benchmarks.studies.bias import nested_score
from benchmarks.studies.methods import at_its_word, estimator
from sklearn_bbc import ConfidenceInterval, OOFPredictions
from sklearn_bbc.intervals import BBC, BBCF, ShrunkenBBC, TibshiraniTibshirani
from sklearn_bbc.metrics import as_metric

UNCORRECTED, NESTED, OPTIMISM = "uncorrected", "nested CV", "optimism bootstrap"
METHODS = {
    "Tibshirani-Tibshirani": TibshiraniTibshirani(),
    "BBC": BBC(),
    "BBC-F": BBCF(),
    "ShrunkenBBC": ShrunkenBBC(),
}
ONE_SIDED = ("BBC", "ShrunkenBBC")
"""Methods whose one-sided limits are looked at, too."""
CLASSES = ("roc_auc", "accuracy", "balanced_accuracy", "f1", "neg_log_loss", "neg_brier_score")
LABELS = (*OF_LABELS, "f1")
N_FOLDS = 5
N_FEATURES, N_INFORMATIVE = 12, 4
POPULATION = 10_000
N_OPTIMISM = 10
"""Bootstrap samples in which the whole search is repeated."""
MOST_CONFIGS = 100
"""With more, the optimism bootstrap would take most of all time, and is left out."""


@dataclass(frozen=True, eq=False)
class Searched:
    """Predictions of one search.

    Attributes
    ----------
    y : ndarray of shape (n_samples,)
        Target.
    pred : ndarray of shape (n_samples, n_configs)
        Out-of-fold predictions: of classes, probabilities of class 1.
    fold : ndarray of shape (n_samples,)
        Folds.
    truth : callable
        Metric and configuration -> score of that one, refitted.
    others : dict of str to dict
        Metric -> method -> estimate that needs more than these predictions.
    """

    y: np.ndarray
    pred: np.ndarray
    fold: np.ndarray
    truth: Callable[[str, int], float]
    others: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Trained:
    """A search over penalties and subsets of the features.

    Attributes
    ----------
    kind : str
        Name.
    n_samples, n_configs : int
        Sizes.
    signal : float
        Standard deviation of the logit, or of the mean of the target; 0 is nothing to find.
    offset : float
        Added to the logit: far from 0 one class is rare.
    numbers : bool
        Whether the target is a number, and R2 the metric.
    """

    kind: str
    n_samples: int
    n_configs: int
    signal: float = 1.5
    offset: float = 0.0
    numbers: bool = False
    methods = tuple(METHODS)

    @property
    def metrics(self) -> tuple[str, ...]:
        """What is scored."""
        return ("r2",) if self.numbers else CLASSES

    @property
    def others(self) -> tuple[str, ...]:
        """Methods that fit models."""
        return (NESTED, OPTIMISM) if self.n_configs <= MOST_CONFIGS else (NESTED,)

    def describe(self) -> dict[str, Any]:
        """Columns of the table."""
        return {"data": self.kind, "N": self.n_samples, "C": self.n_configs}

    def draw(self, seed: np.random.SeedSequence, run_seed: int) -> Searched:
        """Draw one data set and tune on it.

        Parameters
        ----------
        seed : SeedSequence
            Seed of the data set.
        run_seed : int
            Not needed: populations are drawn, too.
        """
        rng = np.random.Generator(np.random.PCG64(seed))
        X, y = self._enough(rng, lambda: self._sample(self.n_samples, rng))
        pred, fold = self._cross_validated(X, y, rng)
        X_all, y_all = self._sample(POPULATION, rng)
        weights = self._fit(X, y)

        def truth(metric: str, config: int) -> float:
            found = self._predict(X_all, weights[[config]])
            return float(scores(metric, y_all, found)[0])

        others: dict[str, dict[str, float]] = {}
        if NESTED in self.others:
            found = self._nested(X, y, fold)
            others = {metric: {NESTED: value} for metric, value in found.items()}
        if OPTIMISM in self.others:
            for metric, value in self._optimism(X, y, pred, fold, weights, rng).items():
                others[metric][OPTIMISM] = value
        return Searched(y, pred, fold, truth, others)

    def _enough(self, rng: np.random.Generator, sample: Callable) -> tuple:
        """Samples of which every fold, and the folds of nested ones, hold both classes."""
        while True:
            X, y = sample()
            if self.numbers or np.bincount(y, minlength=2).min() > N_FOLDS + 1:
                return X, y

    def _sample(self, n_samples: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        X = rng.standard_normal((n_samples, N_FEATURES))
        mean = self.signal * X[:, :N_INFORMATIVE].sum(axis=1) / np.sqrt(N_INFORMATIVE)
        if self.numbers:
            return X, mean + rng.standard_normal(n_samples)
        return X, (rng.random(n_samples) < expit(mean + self.offset)).astype(int)

    def _penalties(self) -> np.ndarray:
        """Of each configuration and coefficient; what is left out has one that is huge."""
        rng = np.random.default_rng(self.n_configs)
        size = rng.integers(1, N_FEATURES + 1, self.n_configs)
        order = rng.random((self.n_configs, N_FEATURES)).argsort(axis=1)
        penalty = 10 ** rng.uniform(-1, 2, (self.n_configs, 1))
        penalties = np.where(order < size[:, None], penalty, 1e8)
        return np.column_stack([np.full(self.n_configs, 1e-6), penalties])

    def _fit(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Coefficients of ridge or logistic regression by six Newton steps, all at once."""
        X = np.column_stack([np.ones(len(X)), X])
        penalty = self._penalties()
        products = (X[:, :, None] * X[:, None, :]).reshape(len(X), -1)
        weights = np.zeros(penalty.shape)
        for _ in range(1 if self.numbers else 6):
            linear = np.clip(weights @ X.T, -15, 15)  # (n_configs, n_samples)
            mean = linear if self.numbers else expit(linear)
            slope = np.ones_like(mean) if self.numbers else mean * (1 - mean)
            hessian = (slope @ products).reshape(len(weights), X.shape[1], -1)
            hessian += penalty[:, :, None] * np.eye(X.shape[1])
            gradient = (y - mean) @ X - penalty * weights
            weights = weights + np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        return weights

    def _predict(self, X: np.ndarray, weights: np.ndarray) -> np.ndarray:
        linear = (np.column_stack([np.ones(len(X)), X]) @ weights.T).clip(-15, 15)
        return linear if self.numbers else expit(linear)

    def _cross_validated(
        self, X: np.ndarray, y: np.ndarray, rng: np.random.Generator | int
    ) -> tuple[np.ndarray, np.ndarray]:
        splitter = KFold if self.numbers else StratifiedKFold
        state = rng if isinstance(rng, int) else int(rng.integers(2**31))
        pred, fold = np.empty((len(y), self.n_configs)), np.empty(len(y), dtype=int)
        splits = splitter(N_FOLDS, shuffle=True, random_state=state).split(X, y)
        for k, (train, test) in enumerate(splits):
            pred[test], fold[test] = self._predict(X[test], self._fit(X[train], y[train])), k
        return pred, fold

    def _nested(self, X: np.ndarray, y: np.ndarray, fold: np.ndarray) -> dict[str, float]:
        """Mean over the folds of the score of what cross-validation on the others selects."""
        found: dict[str, list[float]] = {metric: [] for metric in self.metrics}
        for k in range(N_FOLDS):
            train, test = fold != k, fold == k
            inner, inner_fold = self._cross_validated(X[train], y[train], k)
            pred = self._predict(X[test], self._fit(X[train], y[train]))
            for metric, values in found.items():
                winner = best_of_folds(metric, y[train], inner, inner_fold)
                values.append(scores(metric, y[test], pred[:, [winner]])[0])
        return {metric: float(np.mean(values)) for metric, values in found.items()}

    def _optimism(
        self, X: np.ndarray, y: np.ndarray, pred: np.ndarray, fold: np.ndarray,
        weights: np.ndarray, rng: np.random.Generator,
    ) -> dict[str, float]:  # fmt: skip
        """Score of the final model on its own samples, less its optimism in bootstrap samples."""
        optimism: dict[str, list[float]] = {metric: [] for metric in self.metrics}
        for _ in range(N_OPTIMISM):

            def resample() -> tuple:
                drawn = rng.integers(len(y), size=len(y))
                return X[drawn], y[drawn]

            X_drawn, y_drawn = self._enough(rng, resample)
            pred_drawn, fold_drawn = self._cross_validated(X_drawn, y_drawn, rng)
            fitted = self._fit(X_drawn, y_drawn)
            for metric, values in optimism.items():
                one = fitted[[best_of_folds(metric, y_drawn, pred_drawn, fold_drawn)]]
                own = scores(metric, y_drawn, self._predict(X_drawn, one))
                values.append((own - scores(metric, y, self._predict(X, one)))[0])
        found = {}
        for metric, values in optimism.items():
            one = weights[[best_of_folds(metric, y, pred, fold)]]
            found[metric] = float(scores(metric, y, self._predict(X, one))[0] - np.mean(values))
        return found


@dataclass(frozen=True)
class HeldOut(Trained):
    """The same on kinds of data on which no rule was chosen.

    Attributes
    ----------
    correlation : float
        Correlation of neighbouring features.
    tails : float
        Degrees of freedom of features and of the noise of numbers, which are normal without end.
    binary : bool
        Whether features are 0 or 1; three tenths are 1.
    n_informative : int
        Features that matter.
    products : bool
        Whether half of the signal is a product of two features.
    mislabelled : float
        Share of samples whose label is turned round.
    """

    correlation: float = 0.0
    tails: float = np.inf
    binary: bool = False
    n_informative: int = N_INFORMATIVE
    products: bool = False
    mislabelled: float = 0.0
    others = ()
    methods = ("BBC", "ShrunkenBBC")

    @property
    def metrics(self) -> tuple[str, ...]:
        """What is scored."""
        return ("r2",) if self.numbers else ("roc_auc", "accuracy", "neg_log_loss")

    def _sample(self, n_samples: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        X = rng.standard_normal((n_samples, N_FEATURES))
        for k in range(1, N_FEATURES):
            X[:, k] = self.correlation * X[:, k - 1] + np.sqrt(1 - self.correlation**2) * X[:, k]
        if self.binary:
            X = np.where(X < norm.ppf(0.3), 0.7, -0.3) / np.sqrt(0.21)
        noise = rng.standard_normal(n_samples)
        if np.isfinite(self.tails):
            X /= np.sqrt(rng.chisquare(self.tails, n_samples) / self.tails)[:, None]
            noise /= np.sqrt(rng.chisquare(self.tails, n_samples) / self.tails)
        score = X[:, : self.n_informative].sum(axis=1) / np.sqrt(self.n_informative)
        if self.products:
            score = (score + X[:, -1] * X[:, -2]) / np.sqrt(2)
        if self.numbers:
            return X, self.signal * score + noise
        y = rng.random(n_samples) < expit(self.signal * score + self.offset)
        return X, (y != (rng.random(n_samples) < self.mislabelled)).astype(int)


@dataclass(frozen=True)
class Untrained:
    """The simulation of the paper: predictions that are right with a probability of their own.

    Attributes
    ----------
    n_samples, n_configs : int
        Sizes.
    """

    n_samples: int
    n_configs: int
    metrics = ("accuracy",)
    others = (NESTED,)
    methods = tuple(METHODS)

    def describe(self) -> dict[str, Any]:
        """Columns of the table."""
        return {"data": "2018", "N": self.n_samples, "C": self.n_configs}

    def draw(self, seed: np.random.SeedSequence, run_seed: int) -> Searched:
        """Draw one data set.

        Parameters
        ----------
        seed : SeedSequence
            Seed of the data set.
        run_seed : int
            Not needed: nothing is shared among data sets.
        """
        rng = np.random.Generator(np.random.PCG64(seed))
        accuracy = rng.beta(9, 6, self.n_configs)
        right = rng.random((self.n_samples, self.n_configs)) < accuracy
        y, size = np.arange(self.n_samples) % 2, self.n_samples // 10
        nested = nested_score(right.reshape(10, size, -1).sum(axis=1)) / size
        return Searched(
            y, np.where(right, y[:, None], 1 - y[:, None]).astype(float),
            np.arange(self.n_samples) // size,
            lambda metric, config: float(accuracy[config]), {"accuracy": {NESTED: nested}},
        )  # fmt: skip


@dataclass(frozen=True)
class Testbed:
    """A file of the testbed, without methods that fit models.

    Attributes
    ----------
    name : str
        Name of the file without its ending.
    """

    name: str
    metrics = testbed.METRICS
    others = ()
    methods = tuple(METHODS)

    def describe(self) -> dict[str, Any]:
        """Columns of the table."""
        kind, n_samples, _, _ = self.name.split("_")
        return {"data": f"testbed {kind}", "N": int(n_samples), "C": 60}

    def draw(self, seed: np.random.SeedSequence, run_seed: int) -> Searched:
        """Data set of the file with the number of the repetition.

        Parameters
        ----------
        seed : SeedSequence
            Knows the number of the data set; nothing is drawn.
        run_seed : int
            Not needed.
        """
        tuned = testbed.Stored(self.name).draw(seed, run_seed)
        return Searched(
            tuned.y, tuned.probability[0], tuned.fold[0],
            lambda metric, config: float(tuned.truth[metric][config]),
        )  # fmt: skip


def predictions(
    metric: str, y: np.ndarray, pred: np.ndarray, fold: np.ndarray | None
) -> OOFPredictions:
    """What a metric consumes: labels, or probabilities and numbers as they are.

    Parameters
    ----------
    metric : str
        Name of the metric.
    y, pred, fold : ndarray
        Target, predictions of each configuration, and folds.
    """
    pred = (pred > 0.5).astype(int) if metric in LABELS else pred
    return OOFPredictions(y_true=y, y_pred=pred, fold=fold)


def scores(metric: str, y: np.ndarray, pred: np.ndarray) -> np.ndarray:
    """Score of each configuration on all samples together.

    Parameters
    ----------
    metric : str
        Name of the metric.
    y, pred : ndarray
        Target and predictions of each configuration.
    """
    return as_metric(metric).bind(predictions(metric, y, pred, None)).on_data()


def best_of_folds(metric: str, y: np.ndarray, pred: np.ndarray, fold: np.ndarray) -> int:
    """Configuration with the best mean over the folds.

    Parameters
    ----------
    metric : str
        Name of the metric.
    y, pred, fold : ndarray
        Target, predictions of each configuration, and folds.
    """
    oof = predictions(metric, y, pred, fold)
    return int(as_metric(metric).bind(oof).fold_scores().mean(axis=0).argmax())


def one_sided(
    oof: OOFPredictions, metric: str, name: str
) -> Callable[[int, int], ConfidenceInterval]:
    """Function that gives the lower limit of one one-sided interval, the upper one of another.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions.
    metric : str
        Name of the metric.
    name : str
        Name of the method.
    """

    def run(n_bootstraps: int, seed: int) -> ConfidenceInterval:
        lower, upper = (
            type(METHODS[name])(
                alternative=side, confidence_level=LEVEL, n_bootstraps=n_bootstraps,
                random_state=seed,
            ).estimate(oof, metric)
            for side in ("greater", "less")
        )  # fmt: skip
        return ConfidenceInterval(
            estimate=lower.estimate, low=lower.low, high=upper.high, confidence_level=LEVEL,
            alternative="two-sided", method=lower.method, metric=lower.metric,
            estimand=lower.estimand,
        )  # fmt: skip

    return run


def limits(name: str) -> str:
    """What the table calls the one-sided limits of a method."""
    return f"{name}, one-sided"


def draw(setting: Any, seed: np.random.SeedSequence, run_seed: int) -> Iterator[Part]:
    """Draw one data set: one part per metric.

    Parameters
    ----------
    setting : Trained, HeldOut, Untrained or Testbed
        What to draw.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Seed of what all data sets share.
    """
    found = setting.draw(seed, run_seed)
    for metric in setting.metrics:
        oof = predictions(metric, found.y, found.pred, found.fold)
        means = as_metric(metric).bind(oof).fold_scores().mean(axis=0)
        winner = int(means.argmax())
        runs = {UNCORRECTED: at_its_word(float(means[winner]), metric)}
        for name, value in found.others.get(metric, {}).items():
            runs[name] = at_its_word(value, metric)
        runs |= {name: estimator(METHODS[name], oof, metric) for name in setting.methods}
        runs |= {limits(name): one_sided(oof, metric, name) for name in ONE_SIDED}
        yield Part(metric, {"truth": found.truth(metric, winner)}, runs)


def parts(setting: Any) -> list[tuple[str, str]]:
    """Metric and method."""
    names = [UNCORRECTED, *setting.others, *setting.methods, *map(limits, ONE_SIDED)]
    return [(metric, name) for metric in setting.metrics for name in names]


def summarise(study: Study, found: pd.DataFrame) -> pd.DataFrame:
    """Errors of each method in each setting, and how often its limits miss.

    Parameters
    ----------
    study : Study
        Where the rows are from.
    found : DataFrame
        One row per data set, metric and method.

    Returns
    -------
    DataFrame
        ``bias`` is the mean of estimate minus truth, ``rmse`` the root of the mean square of that
        difference; ``below`` and ``above`` are the shares of truths on either side of the
        interval; ``rejected`` says whether they are more than the level allows by more than
        chance: together for two-sided intervals, either of them for one-sided limits.
    """
    rows = []
    for (name, part, method), group in found.groupby(["setting", "part", "method"], sort=False):
        error = group["estimate"] - group["truth"]
        below, above = group["truth"] < group["low"], group["truth"] > group["high"]
        width = (group["high"] - group["low"]).mean()
        misses = [below.sum(), above.sum()] if "one-sided" in method else [(below | above).sum()]
        rejected = width > 0 and any(
            binomtest(int(missed), len(group), 1 - LEVEL, "greater").pvalue < CHANCE
            for missed in misses
        )
        rows.append(
            {
                **study.settings[name].describe(), "part": part, "method": method,
                "runs": len(group), "truth": group["truth"].mean(), "bias": error.mean(),
                "bias_se": error.sem(), "rmse": np.sqrt((error**2).mean()),
                "width": width if width > 0 else np.nan, "below": below.mean(),
                "above": above.mean(), "rejected": bool(rejected),
            }
        )  # fmt: skip
    return pd.DataFrame(rows)


KINDS = {
    "null": {"signal": 0.0},
    "weak": {"signal": 1.0},
    "clear": {"signal": 2.5},
    "nearly perfect": {"signal": 10.0},
    "rare": {"signal": 2.0, "offset": -2.5},
    "numbers": {"signal": 0.7, "numbers": True},
}
SIZES = [(n, c) for c in (8, 60, 500) for n in (50, 100, 300)]
SETTINGS = {
    **{
        f"{kind.replace(' ', '_')}_N{n}_C{c}": Trained(kind, n, c, **options)
        for n, c in SIZES
        for kind, options in KINDS.items()
    },
    **{f"2018_N{n}_C{c}": Untrained(n, c) for n, c in SIZES},
    **{f"testbed_{name.split('_')[0]}": Testbed(name) for name in testbed.FILES},
}
CORRECTED = Study(
    name="corrected",
    help="bias and root mean squared error of the uncorrected and of corrected scores",
    settings=SETTINGS,
    truths=("truth",),
    parts=parts,
    draw=draw,
    repetitions=100,
    n_bootstraps=500,
    summarise=summarise,
)
OTHER_KINDS: Mapping[str, Mapping[str, Any]] = {
    "correlated": {"correlation": 0.9},
    "heavy-tailed": {"tails": 3.0, "signal": 2.0},
    "binary": {"binary": True},
    "one feature": {"n_informative": 1, "signal": 3.0},
    "mislabelled": {"mislabelled": 0.15, "signal": 4.0},
    "products": {"products": True, "signal": 2.0, "offset": -1.0},
    "numbers, heavy-tailed": {"numbers": True, "tails": 3.0, "signal": 1.0},
}
HELD_OUT = Study(
    name="corrected_held_out",
    help="BBC and ShrunkenBBC on kinds of data that took no part in any choice of their rules: "
    + "; ".join(OTHER_KINDS),
    settings={
        f"{kind.replace(', ', '_').replace(' ', '_')}_N{n}_C{c}": HeldOut(kind, n, c, **options)
        for n, c in [(50, 8), (100, 8), (50, 60), (100, 60), (300, 60), (100, 500)]
        for kind, options in OTHER_KINDS.items()
    },
    truths=("truth",),
    parts=parts,
    draw=draw,
    repetitions=200,
    n_bootstraps=500,
    seed=20261123,
    summarise=summarise,
)
