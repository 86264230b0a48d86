"""``coverage.py systems``: the best of N systems that are fixed, from a table of scores per item.

Prompts, language models or frozen models: nothing is trained, so the truth is the mean of the
system that has the best mean on the drawn items, over all items. Simulated tables, and items drawn
from a table of five language models with ten prompts each on 1,001 questions of MMLU-Pro Law (in
the folder that is not part of this repository, `SKLEARN_BBC_SHARED`), whose means over all its
items are the truth then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import softmax
from scipy.stats import norm
from scipy.stats import t as student

from benchmarks.harness import references
from benchmarks.harness import study as _study
from benchmarks.harness.study import Part, Study
from sklearn_bbc import ConfidenceInterval, OOFPredictions, compare
from sklearn_bbc.comparison import Side
from sklearn_bbc.intervals import BBC, ShrunkenBBC

METHODS = ("usual interval", "BBC", "ShrunkenBBC", "SIREN")
OF_NEXT = ("paired t test", "BBCDifference", "shrunken difference")
OF_DIFFERENCE = (
    "paired t test", "paired t test, Bonferroni", "BBCDifference", "shrunken difference",
)  # fmt: skip
N_SPLITS = 10
TEMPERATURE = 0.1
"""Of SIREN, as in the simulations of its authors."""
TABLE = Path("data") / "mmlu-law-prompts.csv.gz"
KINDS = ("none ahead", "one ahead by 2", "one ahead by 4", "spread over 4")
"""Means of the systems, in standard errors of a difference's independent part."""
RIGHT = {"right or wrong": 0.55, "nearly all right": 0.9}
"""Share of right answers of a system without a lead."""
RATINGS = (-1.5, -0.5, 0.5, 1.5)
"""Where a normal score is cut into five ratings."""


@dataclass(frozen=True)
class Simulated:
    """Systems whose scores share a part of their noise.

    Attributes
    ----------
    data : str
        "normal", "right or wrong", "nearly all right", "ratings" (1 to 5), "losses" (squares of
        normal errors), "runs"
        (mean of 5 answers to each item) or "groups" (5 items of a passage).
    n_items, n_systems : int
        Sizes.
    rho : float
        Correlation of the scores of two systems on an item.
    kind : str
        Which systems are better.
    """

    data: str
    n_items: int
    n_systems: int
    rho: float
    kind: str

    def describe(self) -> dict:
        """Columns of the table."""
        return {
            "data": self.data, "N": self.n_items, "C": self.n_systems, "rho": f"{self.rho:g}",
            "kind": self.kind,
        }  # fmt: skip

    @property
    def baseline(self) -> int:
        """A system without a lead."""
        return self.n_systems - 1 if self.kind.startswith("one") else 0

    def shifts(self) -> np.ndarray:
        """Means of the systems on the normal scale, (n_systems,)."""
        ahead = np.sqrt((1 - self.rho) / self.n_items)
        if self.kind == "spread over 4":
            return np.linspace(0, 4 * ahead, self.n_systems)
        shifts = np.zeros(self.n_systems)
        shifts[0] = {"one ahead by 2": 2, "one ahead by 4": 4}.get(self.kind, 0) * ahead
        return shifts

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, dict]:
        """Scores (n_items, n_systems), true means (n_systems,), arguments of `from_scores`."""
        n, c, rho, shifts = self.n_items, self.n_systems, self.rho, self.shifts()

        def noise(*shape: int) -> np.ndarray:
            return rng.standard_normal(shape)

        if self.data == "runs":
            # Every item is hard or easy for each system; answers vary from run to run.
            hard = np.sqrt(rho) * noise(n, 1) + np.sqrt(1 - rho) * noise(n, c)
            middle = norm.ppf(RIGHT["right or wrong"]) + shifts
            right = norm.cdf((middle + 0.7 * hard)[..., None])
            truth = norm.cdf(middle / np.sqrt(1.49))
            return (rng.random((n, c, 5)) < right).astype(float), truth, {}
        if self.data == "groups":
            passage, own = np.arange(n) // 5, np.sqrt(0.3) * noise(n // 5, c)
            shared = np.sqrt(rho) * noise(n, 1)
            rest = np.sqrt(1 - rho) * (np.sqrt(0.7) * noise(n, c) + own[passage])
            return shared + rest + shifts, shifts, {"groups": passage}
        normal = np.sqrt(rho) * noise(n, 1) + np.sqrt(1 - rho) * noise(n, c)
        if self.data == "normal":
            return normal + shifts, shifts, {}
        if self.data in RIGHT:
            # Leads are in standard errors of a share of right answers.
            share = RIGHT[self.data]
            right = np.clip(share + np.sqrt(share * (1 - share)) * shifts, 0.02, 0.98)
            return (normal < norm.ppf(right)).astype(float), right, {}
        if self.data == "ratings":
            ratings = 1.0 + np.searchsorted(RATINGS, normal + shifts)
            truth = 1 + sum(norm.cdf(shifts - cut) for cut in RATINGS)
            return ratings, truth, {}
        # Squared errors: one with a smaller spread is better.
        size = np.exp(-shifts / 2)
        return (normal * size) ** 2, -(size**2), {"greater_is_better": False}


@dataclass(frozen=True)
class Real:
    """Items drawn from the table of language models and prompts.

    Attributes
    ----------
    model : str
        A language model with its ten prompts, or "all".
    n_items : int
        Size of a data set.
    """

    model: str
    n_items: int

    def describe(self) -> dict:
        """Columns of the table."""
        return {
            "data": "MMLU-Pro Law", "N": self.n_items, "C": 50 if self.model == "all" else 10,
            "rho": "-", "kind": self.model,
        }  # fmt: skip

    baseline = 0

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, dict]:
        """As `Simulated.draw`."""
        table = real_table()
        if self.model != "all":
            table = table[self.model]
        values = table.to_numpy(float)
        return values[rng.integers(len(values), size=self.n_items)], values.mean(axis=0), {}


@dataclass(frozen=True)
class TwoSides:
    """Two sides of 24 systems each, right or wrong, of which any two have much in common.

    The counterpart of "tuned, not trained" in `coverage.py comparisons`, for tables of scores.

    Attributes
    ----------
    shares : tuple of (float, float)
        Share of right answers, the same for all systems of a side.
    """

    shares: tuple[float, float]
    n_items = 200
    n_systems = 24

    def describe(self) -> dict:
        """Columns of the table."""
        return {
            "data": "two sides", "N": self.n_items, "C": self.n_systems, "rho": "0.6",
            "kind": " and ".join(f"{share:.2f}" for share in self.shares),
        }  # fmt: skip

    def parts(self, rng: np.random.Generator) -> Iterator[Part]:
        """Draw one data set."""
        shape, sides = (self.n_items, self.n_systems), []
        for name, share in zip("ab", self.shares):
            noise = np.sqrt(0.6) * rng.normal(size=(shape[0], 1)) + np.sqrt(0.4) * rng.normal(
                size=shape
            )
            right = (noise < norm.ppf(share)).astype(float)
            sides.append(Side(oof=OOFPredictions.from_scores(right), name=name))
        methods = {
            "BBCDifference": _compared(*sides, "bbc_difference"),
            "shrunken difference": _compared(*sides, "auto"),
        }
        yield Part("two sides", {"truth": self.shares[0] - self.shares[1]}, methods)


@cache
def real_table() -> pd.DataFrame:
    """Answers, 1 where right, a row for each question, a column for each model and prompt."""
    long = pd.read_csv(references.FOLDER.parent / TABLE)
    return long.pivot(index="item", columns=["model", "prompt"], values="correct")


MODELS = (
    "Llama-3.1-8B-Instruct", "Mistral-7B-Instruct-v0.1", "Qwen2-7B-Instruct",
    "Qwen2.5-3B-Instruct", "glm-4-9b-chat", "all",
)  # fmt: skip


def draw(
    setting: Simulated | Real | TwoSides, seed: np.random.SeedSequence, run_seed: int
) -> Iterator[Part]:
    """Draw one data set.

    Parameters
    ----------
    setting : Simulated, Real or TwoSides
        What to draw.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Not needed: nothing is shared among data sets.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    if isinstance(setting, TwoSides):
        yield from setting.parts(rng)
        return
    scores, truth, arguments = setting.draw(rng)
    oof = OOFPredictions.from_scores(scores, **arguments)
    values = oof.responses["plain"].T * oof.score_sign
    best = int(values.mean(axis=0).argmax())
    base = setting.baseline
    others = np.delete(np.arange(len(truth)), base)
    rival = int(others[values[:, others].mean(axis=0).argmax()])
    rest = OOFPredictions.from_scores(scores[:, others], **arguments)
    sides = Side(oof=rest, name="others"), Side(oof=oof, config=base, name="baseline")
    apart = values[:, rival] - values[:, base]
    behind = np.delete(np.arange(len(truth)), best)
    second = int(behind[values[:, behind].mean(axis=0).argmax()])
    next_to = OOFPredictions.from_scores(scores[:, behind], **arguments)
    both = Side(oof=oof, name="best"), Side(oof=next_to, name="next")
    lead = values[:, best] - values[:, second]
    yield Part(
        "next system",
        {"truth": float(truth[best] - truth[second])},
        {
            "paired t test": lambda n_bootstraps, seed: usual(lead, oof.groups),
            "BBCDifference": _compared(*both, "bbc_difference"),
            "shrunken difference": _compared(*both, "auto"),
        },
    )
    yield Part(
        "difference",
        {"truth": float(truth[rival] - truth[base])},
        {
            "paired t test": lambda n_bootstraps, seed: usual(apart, oof.groups),
            "paired t test, Bonferroni": lambda n_bootstraps, seed: usual(
                apart, oof.groups, n_tests=len(others)
            ),
            "BBCDifference": _compared(*sides, "bbc_difference"),
            "shrunken difference": _compared(*sides, "auto"),
        },
    )
    yield Part(
        "mean score",
        {"truth": float(truth[best])},
        {
            "usual interval": lambda n_bootstraps, seed: usual(values[:, best], oof.groups),
            "BBC": _of(BBC, oof),
            "ShrunkenBBC": _of(ShrunkenBBC, oof),
            "SIREN": lambda n_bootstraps, seed: siren(values, oof.groups, n_bootstraps, seed),
        },
    )


def _compared(first: Side, second: Side, method: str) -> Callable[[int, int], ConfidenceInterval]:
    def run(n_bootstraps: int, seed: int) -> ConfidenceInterval:
        found = compare(first, second, method=method, n_bootstraps=n_bootstraps, random_state=seed)
        return ConfidenceInterval(
            estimate=found.difference, low=found.low, high=found.high, confidence_level=0.95,
            alternative="two-sided", method=found.method, metric=found.metric,
            estimand=found.estimand,
        )  # fmt: skip

    return run


def usual(values: np.ndarray, groups: np.ndarray | None, n_tests: int = 1) -> ConfidenceInterval:
    """Student's interval of the mean of one column, of means of groups where there are any.

    With Bonferroni's correction for the number of columns that it could have been.
    """
    values = of_units(values[:, None], groups)[:, 0]
    mean, error = values.mean(), values.std(ddof=1) / np.sqrt(len(values))
    half = student.isf(0.025 / n_tests, len(values) - 1) * error
    return _interval("wald", mean, half, "best column")


def of_units(values: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
    """Means of groups, which are of equal sizes here, (n_units, n_systems)."""
    return values if groups is None else pd.DataFrame(values).groupby(groups).mean().to_numpy()


def _interval(method: str, mean: float, half: float, estimand: str) -> ConfidenceInterval:
    return ConfidenceInterval(
        estimate=mean, low=mean - half, high=mean + half, confidence_level=0.95,
        alternative="two-sided", method=method, metric="mean_score", estimand=estimand,
    )  # fmt: skip


def siren(
    values: np.ndarray, groups: np.ndarray | None, n_bootstraps: int, seed: int
) -> ConfidenceInterval:
    """Soft selection on one half of the items, scored on the other (arXiv:2605.05973).

    Systems are weighted by a softmax of their means on one half, and the weighted mean on the
    other half is taken, the mean of several splits. Every item moves the estimate through the half
    that is scored and, by the derivative of the weights, through the one that selects; normal
    multipliers of these parts give the limits.

    Parameters
    ----------
    values : ndarray of shape (n_items, n_systems)
        Scores, greater is better.
    groups : ndarray of shape (n_items,) or None
        Items that belong together.
    n_bootstraps : int
        Number of draws of the multipliers.
    seed : int
        Of the splits and multipliers.
    """
    rng, values = np.random.default_rng(seed), of_units(values, groups)
    n, half = len(values), len(values) // 2
    estimate, parts = 0.0, np.zeros(n)
    for _ in range(N_SPLITS):
        order = rng.permutation(n)
        choose, rest = values[order[:half]], values[order[half:]]
        mean, held_out = choose.mean(axis=0), rest.mean(axis=0)
        weights = softmax(mean / TEMPERATURE)
        score = weights @ held_out
        slope = weights * (held_out - score) / TEMPERATURE
        estimate += score / N_SPLITS
        parts[order[half:]] += (rest - held_out) @ weights / len(rest) / N_SPLITS
        parts[order[:half]] += (choose - mean) @ slope / half / N_SPLITS
    draws = np.abs(rng.standard_normal((n_bootstraps, n)) @ parts)
    return _interval("siren", estimate, np.quantile(draws, 0.95), "mean of weighted systems")


def _of(
    method: type[BBC] | type[ShrunkenBBC], oof: OOFPredictions
) -> Callable[[int, int], ConfidenceInterval]:
    def run(n_bootstraps: int, seed: int) -> ConfidenceInterval:
        return method(n_bootstraps=n_bootstraps, random_state=seed).estimate(oof)

    return run


SIMULATED = [
    Simulated(data, n, c, rho, kind)
    for data in ("normal", "right or wrong")
    for n in (30, 100, 300)
    for c in (3, 10, 50, 300)
    for rho in (0.0, 0.6)
    for kind in KINDS
] + [
    Simulated(data, 100, c, 0.6, kind)
    for data in ("nearly all right", "ratings", "losses", "runs", "groups")
    for c in (10, 50)
    for kind in KINDS
]
REAL = [Real(model, n) for model in MODELS for n in (50, 100, 300)]


TWO_SIDES = [TwoSides((0.74, 0.74)), TwoSides((0.70, 0.78))]


def name_of(setting: Simulated | Real | TwoSides) -> str:
    """Name a setting on the command line."""
    if isinstance(setting, TwoSides):
        return "two-sides_{:.2f}_{:.2f}".format(*setting.shares)
    if isinstance(setting, Real):
        return f"{setting.model}_{setting.n_items}".replace(" ", "_")
    data, kind = setting.data.replace(" ", "-"), setting.kind.replace(" ", "-")
    return f"{data}_{setting.n_items}_{setting.n_systems}_{setting.rho:g}_{kind}"


def summarise(study: Study, found: pd.DataFrame) -> pd.DataFrame:
    """Coverage and width as in other studies, with errors and how often 0 is excluded.

    Parameters
    ----------
    study : Study
        Where the rows are from.
    found : DataFrame
        One row per data set and method.
    """
    shown = found.assign(shown=(found["low"] > 0) | (found["high"] < 0))
    share = _study.by_row(study, shown)["shown"].mean()
    return _study.with_errors(study, found).assign(found=share.to_numpy())


def overview(table: pd.DataFrame) -> pd.DataFrame:
    """Coverage, widths and errors relative to BBC's, over the settings of each kind of data.

    Parameters
    ----------
    table : DataFrame
        All rows of the study.
    """
    table = table.assign(rho=table["rho"].fillna("").astype(str))
    places = ["part", "data", "N", "C", "rho", "kind"]
    both = _study.relative_to(table, ("BBC", "BBCDifference"), places)
    groups = both.groupby(["part", "data", "method"], sort=False)
    return groups.agg(
        settings=("width", "size"), coverage=("coverage", "mean"), lowest=("coverage", "min"),
        rejected=("rejected", "sum"), found=("found", "mean"), width=("width", "mean"),
        widest=("width", "max"),
        error=("rmse", "mean"), largest_error=("rmse", "max"),
    ).reset_index()  # fmt: skip


def parts_of(setting: Simulated | Real | TwoSides) -> list[tuple[str, str]]:
    """List parts and methods of a setting."""
    if isinstance(setting, TwoSides):
        return [("two sides", method) for method in OF_NEXT[1:]]
    differences = {"difference": OF_DIFFERENCE, "next system": OF_NEXT}
    if setting.n_items != 100:
        differences = {}
    return [
        (part, method)
        for part, methods in {"mean score": METHODS, **differences}.items()
        for method in methods
    ]


SYSTEMS = Study(
    name="systems",
    help="the best of N systems that are fixed, from a table of scores per item",
    settings={name_of(setting): setting for setting in [*SIMULATED, *REAL, *TWO_SIDES]},
    truths=("truth",),
    parts=parts_of,
    draw=draw,
    repetitions=120,
    n_bootstraps=400,
    summarise=summarise,
    overview=overview,
)
