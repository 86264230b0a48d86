"""``coverage.py planning``: is the width of an interval at another number of samples predicted?

Models are fixed and do not improve with the number of samples. From 100 samples
`samples_for_width` predicts the median width of the intervals of `BBC` in studies of 50, 200 and
400; each is compared with the median width in as many real studies of that size as there are data
sets. Beside it stands the width at hand, scaled by the square root of the number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from benchmarks.harness.study import Part, Study
from benchmarks.studies.curves import Band
from sklearn_bbc import BBC, OOFPredictions, samples_for_width

AT_HAND, SIZES = 100, (50, 200, 400)
N_MODELS, N_STUDIES = 20, 20
METRICS = ("roc_auc", "accuracy", "neg_brier_score")
PREDICTED, LAW, REAL = "predicted", "square root law", "real study"
LIMIT = 0.1
"""Share by which a prediction may be off."""


@dataclass(frozen=True)
class Fixed:
    """Twenty models whose scores share most of their noise.

    `models` says how good they are: "equal", "spread" (from half as good to as good as the best)
    or "one better"; `positives` is the share of positive samples.
    """

    models: str
    positives: float = 0.4

    def describe(self) -> dict[str, Any]:
        """Columns of the table."""
        return {"models": self.models, "positives": self.positives}

    def sample(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw labels (n,) and log odds (n, n_models) of all models."""
        quality = {
            "equal": np.ones(N_MODELS),
            "spread": np.linspace(0.5, 1.0, N_MODELS),
            "one better": np.append(np.full(N_MODELS - 1, 0.5), 1.0),
        }[self.models]
        y = (rng.random(n) < self.positives).astype(int)
        noise = 0.8 * rng.standard_normal((n, 1)) + 0.6 * rng.standard_normal((n, N_MODELS))
        odds = np.log(self.positives / (1 - self.positives))
        return y, 1.5 * (quality * (y[:, None] - 0.5) + noise) + odds

    def study(self, rng: np.random.Generator, n: int) -> OOFPredictions:
        """Draw the predictions of a study; each class has two samples at least."""
        y, scores = self.sample(rng, n)
        while min(y.sum(), n - y.sum()) < 2:
            y, scores = self.sample(rng, n)
        risk = expit(scores)
        return OOFPredictions(y_true=y, y_pred=np.stack([1 - risk, risk], axis=-1))


SETTINGS = {
    "equal": Fixed("equal"),
    "spread": Fixed("spread"),
    "one_better": Fixed("one better"),
    "few_positives": Fixed("spread", 0.15),
}


def draw(setting: Fixed, seed: np.random.SeedSequence, run_seed: int) -> Iterator[Part]:
    """Draw the data at hand and a real study of each size."""
    rng = np.random.Generator(np.random.PCG64(seed))
    at_hand = setting.study(rng, AT_HAND)
    real = {size: setting.study(rng, size) for size in SIZES}
    for metric in METRICS:

        @cache
        def planned(seed: int, metric: str = metric) -> pd.DataFrame:
            return samples_for_width(
                at_hand, n_samples=SIZES, scoring=metric, n_studies=N_STUDIES, random_state=seed
            ).frame()

        for size, of_size in real.items():

            def of_real(
                n: int, seed: int, of: OOFPredictions = of_size, metric: str = metric
            ) -> Band:
                return Band(BBC(n_bootstraps=n, random_state=seed).estimate(of, metric).width)

            yield Part(f"{metric}, {size}", {"truth": 0.0}, {
                PREDICTED: lambda n, seed, size=size, p=planned: Band(p(seed)["width"][size]),
                LAW: lambda n, seed, size=size, p=planned: Band(p(seed)["root_n"][size]),
                REAL: of_real,
            })  # fmt: skip


def summarise(study: Study, found: pd.DataFrame) -> pd.DataFrame:
    """Make one row for each setting, metric and size: median widths and their ratios."""
    rows = []
    for (name, part), group in found.groupby(["setting", "part"], sort=False):
        metric, size = part.split(", ")
        of = {method: each["estimate"] for method, each in group.groupby("method")}
        real = of[REAL].median()
        ratio = of[PREDICTED] / real
        rows.append(
            {
                **study.settings[name].describe(),
                "metric": metric,
                "size": int(size),
                "runs": len(of[REAL]),
                "no interval": of[REAL].isna().mean(),
                "width": real,
                "predicted": of[PREDICTED].median(),
                "ratio": ratio.median(),
                "ratio_low": ratio.quantile(0.1),
                "ratio_high": ratio.quantile(0.9),
                "ratio, law": of[LAW].median() / real,
                "is near": abs(ratio.median() - 1) <= LIMIT,
            }
        )
    return pd.DataFrame(rows)


PLANNING = Study(
    name="planning",
    help="whether the width of an interval at another number of samples is predicted",
    settings=SETTINGS,
    truths=("truth",),
    parts=lambda setting: [
        (f"{metric}, {size}", method)
        for metric in METRICS
        for size in SIZES
        for method in (PREDICTED, LAW, REAL)
    ],
    draw=draw,
    repetitions=100,
    n_bootstraps=2000,
    summarise=summarise,
)
