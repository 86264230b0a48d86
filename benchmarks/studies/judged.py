"""``coverage.py judged``: the best of N systems that a judge scored, corrected by some labels.

A judge, such as a language model, scored 1,500 items of all systems, people some of them. The
truth is the mean of people's scores on all items that there could be, of the system that is
selected: by the judge, by PPI++ or by the scores of people alone, each of which selects its own.
Simulated scores, and questions drawn from a table of GPT-4's and people's judgments of language
models, whose means over all its questions are the truth then.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import norm

from benchmarks.data import mt_bench
from benchmarks.harness import study as _study
from benchmarks.harness.study import Part, Study
from benchmarks.studies.systems import RATINGS, of_units, usual
from sklearn_bbc import ConfidenceInterval, best_of
from sklearn_bbc.exceptions import IntervalWarning

N_ITEMS = 1500
SHARE = 0.6
"""Of right answers of a system without a lead."""
SPREAD = 0.01
"""Standard deviation of the true shares of right answers over systems."""
TASTE = 0.05
"""Standard deviation over systems of what the judge adds to their mean."""
SHARED = 0.5
"""Correlation of two systems on an item, on the normal scale."""
OF_PASSAGE = 0.3
"""Part of a passage in what two systems do not share."""
JUDGES = {"useless": 0.0, "poor": 0.4, "fair": 0.7, "good": 0.9, "perfect": 1.0}
"""Correlation of judge and people before taste; of right or wrong, 1 less twice the errors."""
METHODS = {
    "judge": ("usual interval",), "PPI++": ("PPI++",), "both": ("best_of",),
    "people": ("labels alone",),
}  # fmt: skip


@dataclass(frozen=True)
class Judged:
    """Scores of people and of a judge.

    Attributes
    ----------
    data : str
        "right or wrong", "ratings" (1 to 5) or "groups" (right or wrong, 5 items of a passage, of
        which people score all or none).
    judge : str
        How good it is.
    n_systems, n_labels : int
        Systems, and items that people scored.
    """

    data: str
    judge: str
    n_systems: int
    n_labels: int

    def describe(self) -> dict:
        """Columns of the table."""
        return {
            "data": self.data, "judge": self.judge, "C": self.n_systems, "labels": self.n_labels,
        }  # fmt: skip

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict]:
        """Scores of judge and people (n_items, n_systems), true means, which items have labels."""
        shape, quality = (N_ITEMS, self.n_systems), JUDGES[self.judge]
        groups = np.arange(N_ITEMS) // 5 if self.data == "groups" else None
        slope = norm.pdf(norm.ppf(SHARE))
        shifts = rng.normal(size=self.n_systems) * SPREAD / slope
        own = rng.standard_normal(shape)
        if groups is not None:
            passage = rng.standard_normal((N_ITEMS // 5, self.n_systems))[groups]
            own = np.sqrt(OF_PASSAGE) * passage + np.sqrt(1 - OF_PASSAGE) * own
        noise = np.sqrt(SHARED) * rng.standard_normal((N_ITEMS, 1)) + np.sqrt(1 - SHARED) * own
        taste = rng.normal(size=self.n_systems) * TASTE * (quality < 1)
        if self.data == "ratings":
            people = 1.0 + np.searchsorted(RATINGS, noise + shifts)
            truth = 1 + sum(norm.cdf(shifts - cut) for cut in RATINGS)
            seen = quality * noise + np.sqrt(1 - quality**2) * rng.standard_normal(shape)
            judge = 1.0 + np.searchsorted(RATINGS, seen + shifts + taste / slope)
        else:
            truth = norm.cdf(norm.ppf(SHARE) + shifts)
            people = (noise < norm.ppf(truth)).astype(float)
            judge = np.where(rng.random(shape) < (1 - quality) / 2, 1 - people, people)
            judge = np.where(rng.random(shape) < 2 * np.abs(taste), taste > 0, judge).astype(float)
        units = np.arange(N_ITEMS) if groups is None else groups
        n_units = self.n_labels * (units[-1] + 1) // N_ITEMS
        has_label = np.isin(units, rng.permutation(units[-1] + 1)[:n_units])
        return judge, people, truth, {"has_label": has_label, "groups": groups}


@dataclass(frozen=True)
class Real:
    """Questions drawn from the table of MT-Bench.

    Attributes
    ----------
    without : str
        System that is left out; "" for none.
    n_labels : int
        Questions that people scored.
    """

    without: str
    n_labels: int
    n_items = 400

    def describe(self) -> dict:
        """Columns of the table."""
        c = 5 if self.without else 6
        return {"data": "MT-Bench", "judge": "GPT-4", "C": c, "labels": self.n_labels}

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict]:
        """As `Judged.draw`."""
        judge, people = (
            table.drop(columns=self.without or []).to_numpy() for table in mt_bench.tables()
        )
        drawn = rng.integers(len(people), size=self.n_items)
        has_label = np.arange(self.n_items) < self.n_labels
        truth = people.mean(axis=0)
        return judge[drawn], people[drawn], truth, {"has_label": has_label, "groups": None}


def draw(setting: Judged | Real, seed: np.random.SeedSequence, run_seed: int) -> Iterator[Part]:
    """Draw one data set.

    Parameters
    ----------
    setting : Judged or Real
        What to draw.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Not needed: nothing is shared among data sets.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    judge, people, truth, found = setting.draw(rng)
    has_label, groups = found["has_label"], found["groups"]
    human = np.where(has_label[:, None], people, np.nan)
    best = int(judge.mean(axis=0).argmax())
    yield Part(
        "judge", {"truth": float(truth[best])},
        {"usual interval": lambda n_bootstraps, seed: usual(judge[:, best], groups)},
    )  # fmt: skip
    best_of_ppi = int(ppi(judge, human, groups)[0].argmax())
    yield Part(
        "PPI++", {"truth": float(truth[best_of_ppi])},
        {"PPI++": lambda n_bootstraps, seed: published(judge, human, groups, best_of_ppi)},
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IntervalWarning)
        ours = best_of(judge, human=human, groups=groups, n_bootstraps=20, random_state=0)
    yield Part(
        "both", {"truth": float(truth[ours.names.index(ours.selected)])},
        {"best_of": _corrected(judge, groups, human=human)},
    )  # fmt: skip
    alone = people[has_label]
    of_alone = None if groups is None else groups[has_label]
    yield Part(
        "people", {"truth": float(truth[int(alone.mean(axis=0).argmax())])},
        {"labels alone": _corrected(alone, of_alone)},
    )  # fmt: skip


def _corrected(
    scores: np.ndarray, groups: np.ndarray | None, human: np.ndarray | None = None
) -> Callable[[int, int], ConfidenceInterval]:
    def run(n_bootstraps: int, seed: int) -> ConfidenceInterval:
        return best_of(
            scores, human=human, groups=groups, n_bootstraps=n_bootstraps, random_state=seed
        ).interval

    return run


def ppi(
    judge: np.ndarray, human: np.ndarray, groups: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Means and standard errors by PPI++ (arXiv:2311.01453), (n_systems,) each.

    In the authors' form: means of the judge on items without a label, and of what people add on
    those with one, here of groups where there are any (of equal sizes).

    Parameters
    ----------
    judge, human : ndarray of shape (n_items, n_systems)
        Scores; of people NaN where they did not look.
    groups : ndarray of shape (n_items,) or None
        Items that belong together.
    """
    has_label = ~np.isnan(human[:, 0])
    n, rest = has_label.sum(), (~has_label).sum()
    one, other, people = judge[has_label], judge[~has_label], human[has_label]
    both = ((one - one.mean(axis=0)) * (people - people.mean(axis=0))).mean(axis=0)
    lam = np.clip(both / judge.var(axis=0, ddof=1) / (1 + n / rest), 0, 1)
    parts = [
        of_units(values, None if groups is None else groups[which])
        for values, which in ((lam * other, ~has_label), (people - lam * one, has_label))
    ]
    means = parts[0].mean(axis=0) + parts[1].mean(axis=0)
    variance = sum(part.var(axis=0) / len(part) for part in parts)
    return means, np.sqrt(variance)


def published(
    judge: np.ndarray, human: np.ndarray, groups: np.ndarray | None, system: int
) -> ConfidenceInterval:
    """Interval of PPI++ for one system, as if it had been named beforehand."""
    means, errors = ppi(judge, human, groups)
    mean, half = float(means[system]), float(norm.isf(0.025) * errors[system])
    return ConfidenceInterval(
        estimate=mean, low=mean - half, high=mean + half, confidence_level=0.95,
        alternative="two-sided", method="ppi", metric="mean_score", estimand="best column",
    )  # fmt: skip


SIZES = {
    "right or wrong": ((3, 30), (20, 30), (20, 150), (200, 150), (50, 100), (20, 500)),
    "ratings": ((3, 30), (20, 150), (200, 150), (20, 500)),
    "groups": ((20, 150), (50, 300)),
}
SETTINGS = [
    Judged(data, judge, *size)
    for data, sizes in SIZES.items()
    for size in sizes
    for judge in JUDGES
] + [Real(without, n) for without in ("", "gpt-4") for n in (30, 80, 150)]


def name_of(setting: Judged | Real) -> str:
    """Name a setting on the command line."""
    if isinstance(setting, Real):
        who = f"without-{setting.without}" if setting.without else "all"
        return f"mt-bench_{who}_{setting.n_labels}"
    data = setting.data.replace(" ", "-")
    return f"{data}_{setting.judge}_{setting.n_systems}_{setting.n_labels}"


def overview(table: pd.DataFrame) -> pd.DataFrame:
    """Coverage, widths and errors relative to labels of people alone, by judge.

    Parameters
    ----------
    table : DataFrame
        All rows of the study.
    """
    both = _study.relative_to(table, ("labels alone",), ["data", "judge", "C", "labels"])
    groups = both.groupby(["judge", "method"], sort=False)
    return groups.agg(
        settings=("width", "size"), coverage=("coverage", "mean"), lowest=("coverage", "min"),
        rejected=("rejected", "sum"), bias=("bias", "mean"), width=("width", "mean"),
        widest=("width", "max"), error=("rmse", "mean"), largest_error=("rmse", "max"),
    ).reset_index()  # fmt: skip


def parts_of(setting: Judged | Real) -> list[tuple[str, str]]:
    """List parts and methods of a setting."""
    return [(part, method) for part, methods in METHODS.items() for method in methods]


JUDGED = Study(
    name="judged",
    help="the best of N systems that a judge scored, corrected by some labels of people",
    settings={name_of(setting): setting for setting in SETTINGS},
    truths=("truth",),
    parts=parts_of,
    draw=draw,
    repetitions=120,
    n_bootstraps=400,
    summarise=_study.with_errors,
    overview=overview,
)
