"""``coverage.py comparisons``: false positives, power and coverage of comparisons.

Learners that are equally good by construction (ridge regression on one of two blocks of features
that know as much), fixed or tuned; learners that are not; tuned against a default on pure noise
and with a signal; and Lasso with two neighbouring penalties, where intervals of differences can
fail (A. Bayle, L. Janson, L. Mackey, "The relative instability of model comparison with
cross-validation", 2025).

The column ``estimate`` of the journal holds the p-value. The true difference is that of the fold
models of what each side selects, averaged over data sets; for equal learners it is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest
from sklearn.linear_model import Lasso

from benchmarks.data.blocks import PENALTIES, Blocks, ridge, subsets
from benchmarks.harness.study import CHANCE, LEVEL, Part, Study
from sklearn_bbc import ComparisonResult, OOFPredictions, compare
from sklearn_bbc.comparison import (
    BBCDifference,
    CorrectedResampledT,
    FiveByTwo,
    KFoldPairedT,
    McNemar,
    PairedBootstrap,
    PairedDeLong,
    PairedT,
    Side,
)
from sklearn_bbc.comparison.folds._five_by_two import f_test, t_test
from sklearn_bbc.intervals._selection import selected_configuration
from sklearn_bbc.metrics import as_metric

AUTO = "compare"
N_SUBSETS = 4


@dataclass(frozen=True)
class PValue:
    """What the journal takes of a comparison: the p-value and the interval."""

    estimate: float
    low: float
    high: float
    details: dict[str, Any]

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))


def told(result: ComparisonResult) -> PValue:
    """p-value and interval of a result."""
    return PValue(result.p_value, result.low, result.high, {"reason": result.method})


def of_sides(method: Any, first: Side, second: Side, metric: str) -> Callable[[int, int], PValue]:
    """Run a method, or `compare`, on two sides."""

    def run(n_bootstraps: int, seed: int) -> PValue:
        if method is None:
            drawn = {"n_bootstraps": n_bootstraps, "random_state": seed}
            return told(compare(first, second, metric, **drawn))
        known = method.get_params()
        drawn = {"n_bootstraps": n_bootstraps, "random_state": seed}
        method.set_params(**{k: v for k, v in drawn.items() if k in known})
        return told(method.compare(first, second, metric))

    return run


def of_halves(differences: np.ndarray, combined: bool) -> Callable[[int, int], PValue]:
    """5x2cv test of differences, shape (5, 2); `FiveByTwo` trains models by itself."""
    assert FiveByTwo.name == "five_by_two"
    p_value = f_test(differences)[1] if combined else t_test(differences, "two-sided")[1]
    return lambda n_bootstraps, seed: PValue(p_value, np.nan, np.nan, {})


@dataclass(frozen=True)
class Ridge:
    """Ridge on each of two blocks, or tuned against its default on the first block.

    Attributes
    ----------
    kind : {"fixed", "tuned", "default"}
        One configuration on each block; a search on each; a search against a configuration
        that was fixed beforehand, on the same block.
    n_samples : int
        Size of a data set.
    blocks : Blocks
        Where data come from.
    n_folds : int
        Of the cross-validation.
    """

    kind: str
    n_samples: int
    blocks: Blocks
    n_folds: int = 5

    @property
    def is_null(self) -> bool:
        """Whether both sides are equally good."""
        if self.kind == "default":
            return self.blocks.distance == 0
        return self.blocks.ratio == 1

    def describe(self) -> dict[str, Any]:
        """Columns of the table."""
        what = {"fixed": "fixed", "tuned": "tuned, tuned", "default": "tuned, default"}[self.kind]
        equal = "equal" if self.is_null else "different"
        return {"sides": what, "truth": equal, "N": self.n_samples}

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics of the parts."""
        return ("roc_auc", "accuracy")

    def methods(self, metric: str) -> dict[str, Any]:
        """Methods on predictions, by their name in the table."""
        paired = {"roc_auc": ("DeLong, pooled", PairedDeLong()),
                  "accuracy": ("McNemar, pooled", McNemar())}[metric]  # fmt: skip
        return {
            AUTO: None,
            "BBC difference": BBCDifference(),
            "corrected t": CorrectedResampledT(),
            "k-fold t": KFoldPairedT(),
            paired[0]: paired[1],
            "paired bootstrap, pooled": PairedBootstrap(form="bca"),
        }

    def names(self, metric: str) -> list[str]:
        """All methods of a part."""
        halves = ["5x2cv t", "5x2cv F"] if self.kind == "fixed" else []
        return [*self.methods(metric), *halves]

    def draw(self, rng: np.random.Generator) -> Iterator[Part]:
        """Draw one data set and put both metrics to it."""
        X, y = self.blocks.sample(self.n_samples, rng)
        grid = self._grid()
        fold = _stratified(y, self.n_folds, rng)
        one, other = (0, 1) if self.kind != "default" else (0, 0)
        sides = {side: self._predict(X[side], y, fold, grid, side) for side in {one, other}}
        halves = self._halves(X, y, rng) if self.kind == "fixed" else {}
        for metric in self.metrics:
            pair = []
            for place, side in enumerate((one, other)):
                scores, truth = sides[side]
                values = scores if metric == "roc_auc" else (scores > 0).astype(int)
                config = self._fixed(place)
                oof = OOFPredictions(y_true=y, y_pred=values, fold=fold)
                if config is None and scores.shape[1] == 1:
                    config = 0
                pair.append((Side(oof=oof, config=config, name="ab"[place]), truth[metric], side))
            if one == other:  # the same predictions, so that common draws see them as such
                pair[1] = (Side(oof=pair[0][0].oof, config=self._fixed(1), name="b"), *pair[1][1:])
            (first, truth_1, _), (second, truth_2, _) = pair
            winners = [self._winner(each, metric) for each in (first, second)]
            if first.oof is second.oof and winners[0] == winners[1]:
                continue  # the default won: nothing to test, and nothing is claimed
            difference = float(truth_1[winners[0]] - truth_2[winners[1]])
            yield Part(
                metric,
                {"difference": difference},
                {
                    **{
                        name: of_sides(method, first, second, metric)
                        for name, method in self.methods(metric).items()
                    },
                    **{
                        f"5x2cv {'F' if combined else 't'}": of_halves(halves[metric], combined)
                        for combined in (False, True)
                        if halves
                    },
                },
            )

    def _grid(self) -> tuple[tuple[float, ...], list[np.ndarray]]:
        p = self.blocks.n_features
        if self.kind == "fixed":
            return (10.0,), subsets(p, 1)
        return PENALTIES, subsets(p, N_SUBSETS)

    def _fixed(self, place: int) -> int | None:
        """Configuration of a side; the default is the smallest penalty on all features."""
        return 0 if self.kind == "default" and place == 1 else None

    def _predict(
        self, X: np.ndarray, y: np.ndarray, fold: np.ndarray, grid: Any, side: int
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Out-of-fold scores, and true scores of the fold models, mean over the folds."""
        scores, truths = None, []
        for k in range(self.n_folds):
            train, test = fold != k, fold == k
            weights, offset = ridge(X[train], y[train], *grid)
            if scores is None:
                scores = np.empty((len(y), len(weights)))
            scores[test] = X[test] @ weights.T + offset
            truths.append(self.blocks.truth(side, weights, offset))
        assert scores is not None
        return scores, {name: np.mean([t[name] for t in truths], axis=0) for name in truths[0]}

    def _winner(self, side: Side, metric: str) -> int:
        """What the search selects: the best mean over the folds."""
        if side.config is not None:
            return side.config
        return selected_configuration(side.oof, as_metric(metric).bind(side.oof))[0]

    def _halves(
        self, X: np.ndarray, y: np.ndarray, rng: np.random.Generator
    ) -> dict[str, np.ndarray]:
        """Differences of five replications of two-fold cross-validation."""
        found = {metric: np.empty((5, 2)) for metric in self.metrics}
        for i in range(5):
            half = _stratified(y, 2, rng)
            for j in range(2):
                train, test = half != j, half == j
                scores = []
                for side in range(2):
                    weights, offset = ridge(X[side][train], y[train], *self._grid())
                    scores.append(X[side][test] @ weights[0] + offset[0])
                for metric, score in (("roc_auc", _area), ("accuracy", _share_right)):
                    one, other = (score(y[test], s) for s in scores)
                    found[metric][i, j] = one - other
        return found


@dataclass(frozen=True)
class NeighbouringLasso:
    """Lasso with two penalties that are nearly the same.

    Attributes
    ----------
    n_samples : int
        Size of a data set.
    penalties : tuple of (float, float)
        Of both sides.
    """

    n_samples: int = 90
    penalties: tuple[float, float] = (0.2, 0.21)
    n_folds: int = 10
    n_features: int = 10
    is_null: bool = False

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics of the parts."""
        return ("neg_mean_squared_error",)

    def describe(self) -> dict[str, Any]:
        """Columns of the table."""
        return {"sides": "Lasso, neighbouring", "truth": "different", "N": self.n_samples}

    def methods(self, metric: str) -> dict[str, Any]:
        """Methods by their name in the table."""
        return {
            AUTO: None,
            "BBC difference": BBCDifference(),
            "corrected t": CorrectedResampledT(),
            "k-fold t": KFoldPairedT(),
            "paired t, pooled": PairedT(),
            "paired bootstrap, pooled": PairedBootstrap(form="bca"),
        }

    def names(self, metric: str) -> list[str]:
        """All methods of a part."""
        return list(self.methods(metric))

    def draw(self, rng: np.random.Generator) -> Iterator[Part]:
        """Draw one data set."""
        beta = np.zeros(self.n_features)
        beta[:4] = 1.0
        X = rng.normal(size=(self.n_samples, self.n_features))
        y = X @ beta + np.sqrt(10.0) * rng.normal(size=self.n_samples)
        fold = rng.permutation(self.n_samples) % self.n_folds
        pred, risks = np.empty((self.n_samples, 2)), np.zeros(2)
        for k in range(self.n_folds):
            train, test = fold != k, fold == k
            for j, penalty in enumerate(self.penalties):
                model = Lasso(alpha=penalty).fit(X[train], y[train])
                pred[test, j] = model.predict(X[test])
                error = np.square(model.coef_ - beta).sum() + model.intercept_**2 + 10.0
                risks[j] += error / self.n_folds
        oof = OOFPredictions(y_true=y, y_pred=pred, fold=fold)
        first, second = Side(oof=oof, config=0, name="a"), Side(oof=oof, config=1, name="b")
        metric = self.metrics[0]
        yield Part(
            metric,
            {"difference": float(risks[1] - risks[0])},
            {
                name: of_sides(method, first, second, metric)
                for name, method in self.methods(metric).items()
            },
        )


def _area(y: np.ndarray, scores: np.ndarray) -> float:
    """Area under the ROC curve of scores without ties; scikit-learn's checks take far longer."""
    ranks = np.empty(len(y))
    ranks[np.argsort(scores)] = np.arange(1, len(y) + 1)
    n_positive = int(y.sum())
    above = ranks[y == 1].sum() - n_positive * (n_positive + 1) / 2
    return float(above / (n_positive * (len(y) - n_positive)))


def _share_right(y: np.ndarray, scores: np.ndarray) -> float:
    """Accuracy of the signs of the scores."""
    return float(np.mean((scores > 0) == (y == 1)))


def _stratified(y: np.ndarray, n_folds: int, rng: np.random.Generator) -> np.ndarray:
    """Fold of each sample, classes spread evenly."""
    fold = np.empty(len(y), dtype=np.int64)
    for label in (0, 1):
        members = rng.permutation(np.flatnonzero(y == label))
        fold[members] = np.arange(len(members)) % n_folds
    return fold


SETTINGS: dict[str, Any] = {
    "fixed_equal_60": Ridge("fixed", 60, Blocks(8, 1.2, 1.0)),
    "fixed_equal_200": Ridge("fixed", 200, Blocks(8, 1.2, 1.0)),
    "fixed_different_200": Ridge("fixed", 200, Blocks(8, 1.2, 0.6)),
    "tuned_equal_60": Ridge("tuned", 60, Blocks(8, 1.2, 1.0)),
    "tuned_equal_200": Ridge("tuned", 200, Blocks(8, 1.2, 1.0)),
    "tuned_different_200": Ridge("tuned", 200, Blocks(8, 1.2, 0.6)),
    "default_noise_60": Ridge("default", 60, Blocks(20, 0.0, 1.0)),
    "default_noise_200": Ridge("default", 200, Blocks(20, 0.0, 1.0)),
    "default_signal_60": Ridge("default", 60, Blocks(40, 1.5, 1.0)),
    "lasso_90": NeighbouringLasso(),
}


def draw(setting: Any, seed: np.random.SeedSequence, run_seed: int) -> Iterator[Part]:
    """Draw one data set.

    Parameters
    ----------
    setting : Ridge or NeighbouringLasso
        What to draw.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Not needed: nothing is shared among data sets.
    """
    yield from setting.draw(np.random.Generator(np.random.PCG64(seed)))


def summarise(study: Study, found: pd.DataFrame) -> pd.DataFrame:
    """Share of data sets in which each method finds a difference, and coverage.

    Parameters
    ----------
    study : Study
        Where the rows are from.
    found : DataFrame
        One row per data set and method.

    Returns
    -------
    DataFrame
        ``rejected`` is the share of p-values up to 5%: false positives where the truth is
        equal, power where it is not; ``too_often`` whether more than 5% by more than chance.
        Coverage is of the mean true difference over data sets.
    """
    rows = []
    for (name, part, method), group in found.groupby(["setting", "part", "method"], sort=False):
        setting = study.settings[name]
        truth = 0.0 if setting.is_null else group["difference"].mean()
        rejected = int((group["estimate"] <= 1 - LEVEL).sum())
        with_interval = group[group["low"].notna() & group["high"].notna()]
        held = ((with_interval["low"] <= truth) & (truth <= with_interval["high"])).sum()
        chance = binomtest(rejected, len(group), 1 - LEVEL, alternative="greater").pvalue
        rows.append(
            {
                **setting.describe(),
                "part": part,
                "method": method,
                "runs": len(group),
                "difference": truth,
                "rejected": rejected / len(group),
                "too_often": bool(setting.is_null and chance < CHANCE),
                "coverage": held / len(with_interval) if len(with_interval) else np.nan,
                "width": (with_interval["high"] - with_interval["low"]).mean(),
                "seconds_each": group["seconds"].mean(),
            }
        )
    return pd.DataFrame(rows)


COMPARISONS = Study(
    name="comparisons",
    help="false positives, power and coverage of comparisons of learners and searches",
    settings=SETTINGS,
    truths=("difference",),
    parts=lambda setting: [
        (metric, method) for metric in setting.metrics for method in setting.names(metric)
    ],
    draw=draw,
    repetitions=500,
    n_bootstraps=500,
    summarise=summarise,
)
