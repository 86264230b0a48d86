"""Predictions that no training made: what is left to see is the test itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm

from benchmarks.harness.study import Part
from benchmarks.studies.compared_methods import FULL_TIES, of_sides
from benchmarks.studies.compared_ridge import AUTO
from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import McNemar, PairedBootstrap, PairedDeLong, Side


@dataclass(frozen=True)
class Frozen:
    """Two sides whose predictions are drawn, with folds that are only a name.

    Attributes
    ----------
    n_samples : int
        Size of a data set.
    shares : tuple of (float, float)
        What is known of both sides; they are equally good where both are the same.
    """

    n_samples: int
    shares: tuple[float, float]
    sides = ""
    metric = ""

    @property
    def is_null(self) -> bool:
        """Whether both sides are equally good."""
        return self.shares[0] == self.shares[1]

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics of the parts."""
        return (self.metric,)

    def describe(self) -> dict[str, Any]:
        """Columns of the table."""
        truth = "equal" if self.is_null else "different"
        return {"sides": self.sides, "truth": truth, "N": self.n_samples}

    def methods(self, metric: str) -> dict[str, Any]:
        """Methods by their name in the table."""
        name, method = {"roc_auc": ("DeLong, pooled", PairedDeLong()),
                        "accuracy": ("McNemar, pooled", McNemar())}[metric]  # fmt: skip
        return {
            AUTO: None,
            FULL_TIES: FULL_TIES,
            name: method,
            "paired bootstrap, pooled": PairedBootstrap(form="bca"),
        }

    def names(self, metric: str) -> list[str]:
        """All methods of a part."""
        return list(self.methods(metric))

    def draw(self, rng: np.random.Generator) -> Iterator[Part]:
        """Draw one data set."""
        y = np.arange(self.n_samples) % 2
        fold = np.arange(self.n_samples) // 2 % 5
        first, second = (
            Side(oof=OOFPredictions(y_true=y, y_pred=pred, fold=fold), name=name)
            for name, pred in zip("ab", self._predictions(y, rng))
        )
        methods = {
            name: of_sides(method, first, second, self.metric)
            for name, method in self.methods(self.metric).items()
        }
        yield Part(self.metric, {"difference": self.shares[0] - self.shares[1]}, methods)


class FewDiffer(Frozen):
    """Labels of two classifiers; `shares` are of the samples that only one gets right."""

    sides = "few labels differ"
    metric = "accuracy"

    def _predictions(self, y: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
        first, second = self.shares
        right = rng.choice(4, len(y), p=[first, second, 0.7, 0.3 - first - second])
        return [np.where(np.isin(right, (one, 2)), y, 1 - y)[:, None] for one in (0, 1)]


class FrozenSearches(Frozen):
    """Two searches among 24 scores each, of which any two have much in common.

    `shares` are the areas under the ROC curve, the same for all scores of a side.
    """

    sides = "tuned, not trained"
    metric = "roc_auc"

    def _predictions(self, y: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
        both = []
        for area in self.shares:
            common, own = rng.normal(size=(len(y), 1)), rng.normal(size=(len(y), 24))
            distance = np.sqrt(2) * norm.ppf(area)
            both.append(distance * y[:, None] + np.sqrt(0.6) * common + np.sqrt(0.4) * own)
        return both
