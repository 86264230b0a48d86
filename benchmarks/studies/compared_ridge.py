"""Ridge regression on two blocks of features, or tuned against its default, compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.data.blocks import PENALTIES, Blocks, ridge, subsets
from benchmarks.harness.study import Part
from benchmarks.studies.compared_methods import FULL_TIES, of_halves, of_sides
from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import (
    CorrectedResampledT,
    KFoldPairedT,
    McNemar,
    PairedBootstrap,
    PairedDeLong,
    Side,
)
from sklearn_bbc.contest._contest import selected_configuration
from sklearn_bbc.metrics import as_metric

AUTO = "compare"
"""The method that `compare` takes by itself."""
N_SUBSETS = 4


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
            FULL_TIES: FULL_TIES,
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
            if one == other and np.array_equal(*values[:, winners].T):
                continue  # the default won, or what predicts the same: nothing to test
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
        return selected_configuration(as_metric(metric).bind(side.oof))[0]

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
