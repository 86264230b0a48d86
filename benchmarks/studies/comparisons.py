"""``coverage.py comparisons``: false positives, power and coverage of comparisons.

Learners that are equally good by construction (ridge regression on one of two blocks of features
that know as much), fixed or tuned; learners that are not; tuned against a default on pure noise
and with a signal; and Lasso with two neighbouring penalties, where intervals of differences can
fail (A. Bayle, L. Janson, L. Mackey, "The relative instability of model comparison with
cross-validation", 2025). Then predictions that were never trained: labels of two classifiers that
differ in few samples, so that many draws show no difference, and two searches among scores.

The column ``estimate`` of the journal holds the p-value. The true difference is that of the fold
models of what each side selects, averaged over data sets; for equal learners it is zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest
from sklearn.linear_model import Lasso

from benchmarks.data.blocks import Blocks
from benchmarks.harness.study import CHANCE, LEVEL, Part, Study
from benchmarks.studies.compared_frozen import FewDiffer, FrozenSearches
from benchmarks.studies.compared_methods import FULL_TIES, of_sides
from benchmarks.studies.compared_ridge import AUTO, Ridge
from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import (
    CorrectedResampledT,
    KFoldPairedT,
    PairedBootstrap,
    PairedT,
    Side,
)


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
            FULL_TIES: FULL_TIES,
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
    "few_differ_equal_200": FewDiffer(200, (0.02, 0.02)),
    "few_differ_different_200": FewDiffer(200, (0.045, 0.005)),
    "frozen_equal_200": FrozenSearches(200, (0.74, 0.74)),
    "frozen_different_200": FrozenSearches(200, (0.70, 0.78)),
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
