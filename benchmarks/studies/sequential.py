"""``coverage.py sequential``: systems scored item by item, and dropped on the way.

How often is the best one dropped, what share of the evaluations is used, and what does the
dropping do to the corrected score of those that are left: after all items, and where a run stops
because one system is left. Beside `SequentialBestOf` stands a paired t test that is repeated after
every item, and the evaluation of everything. ``coverage.py adastop`` sets the package of that name
beside them, which looks a few times that are fixed beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module, metadata
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest, norm
from scipy.stats import t as student

from benchmarks.harness import study as _study
from benchmarks.harness.study import CHANCE, Part, Study
from sklearn_bbc import ConfidenceInterval, OOFPredictions, SequentialBestOf
from sklearn_bbc.intervals import ShrunkenBBC

ALPHA = 0.05
FIRST_TEST = 10
"""Items before the repeated t test is made for the first time."""
BETS, REPEATED, EVERYTHING = "bets", "repeated t test", "everything"
TO_THE_END, STOPPED = "all items", "stopped with one left"
RATINGS = (-1.5, -0.5, 0.5, 1.5)
"""Where a normal score is cut into five ratings."""
PER_PASSAGE = 5
ALIKE = 0.9
"""Share of items on which all systems have the same score, where they are mostly alike."""
ADASTOP, RELEASE = "AdaStop 0.1.3", "0.1.3"
PER_LOOK, LOOKS, PER_RUN = 5, 10, 10
"""Of AdaStop: runs of each system for a look, looks at the most, items whose mean is a run."""


@dataclass(frozen=True)
class Simulated:
    """Systems whose scores, from 0 to 1, share a part of their noise.

    Attributes
    ----------
    data : str
        "right or wrong", "nearly all right" (95%), "ratings" (five), "drift" (right or wrong,
        items get harder), "passages" (groups of five items, one update each), "mostly alike"
        (right or wrong, all systems the same on nine of ten items) or "copies" (right or wrong,
        each system is there twice).
    n_items, n_systems : int
        Sizes.
    kind : str
        "all equal", "one ahead" or "spread".
    """

    data: str
    n_items: int
    n_systems: int
    kind: str

    def describe(self) -> dict[str, Any]:
        """Columns of the table."""
        return {"data": self.data, "N": self.n_items, "C": self.n_systems, "kind": self.kind}

    def draw(self, rng: np.random.Generator) -> tuple[pd.DataFrame, np.ndarray]:
        """Scores (n_items, n_systems), the best one last, and what grows with the true means."""
        n, c = self.n_items, self.n_systems
        shift = np.zeros(c)
        if self.kind == "one ahead":
            shift[-1] = 0.3
        elif self.kind == "spread":
            shift = np.linspace(-0.4, 0.4, c)
        own = rng.standard_normal((n, c))
        if self.data == "passages":
            passage = rng.standard_normal((n // PER_PASSAGE, c))
            own = np.sqrt(0.5) * (own + np.repeat(passage, PER_PASSAGE, axis=0))
        noise = np.sqrt(0.5) * (rng.standard_normal((n, 1)) + own)
        if self.data == "ratings":
            scores = np.searchsorted(RATINGS, noise + shift) / len(RATINGS)
            truth = np.mean([norm.cdf(shift - cut) for cut in RATINGS], axis=0)
        else:
            middle = norm.ppf(0.95 if self.data == "nearly all right" else 0.55) + shift
            level = np.linspace(1, -1, n)[:, None] if self.data == "drift" else np.zeros((n, 1))
            scores = noise < middle + level
            truth = norm.cdf(middle + level).mean(axis=0)
        if self.data == "mostly alike":
            same = rng.random((n, 1)) < ALIKE
            scores = np.where(same, rng.random((n, 1)) < truth[0], scores)
            truth = ALIKE * truth[0] + (1 - ALIKE) * truth
        elif self.data == "copies":  # the best one and its copy come last
            scores[:, : c // 2 * 2 : 2] = scores[:, 1::2]
            truth[: c // 2 * 2 : 2] = truth[1::2]
        names = [f"s{k}" for k in range(c)]
        return pd.DataFrame(scores.astype(float), columns=names), truth

    def grouped(self, scores: pd.DataFrame) -> pd.DataFrame:
        """Means of the passages, which are the items of every method then."""
        if self.data != "passages":
            return scores
        return scores.groupby(np.arange(len(scores)) // PER_PASSAGE).mean()


def repeated_test(scores: np.ndarray) -> tuple[np.ndarray, int, int]:
    """Drop after every item what a paired t test shows to be worse than the leader.

    Returns
    -------
    alive : ndarray of shape (n_systems,)
        What is left.
    n_used, stopped : int
        Evaluations until one is left, and items until then.
    """
    alive, used = np.arange(scores.shape[1]), 0
    for n in range(1, len(scores) + 1):
        used += len(alive)
        if n < FIRST_TEST:
            continue
        some = scores[:n, alive]
        leader = int(some.mean(axis=0).argmax())
        lead = some[:, [leader]] - some
        spread = lead.std(axis=0, ddof=1)
        worse = (lead.mean(axis=0) * np.sqrt(n) > spread * student.isf(ALPHA, n - 1)) & (
            spread > 0
        )
        alive = alive[~worse]
        if len(alive) == 1:
            return np.isin(np.arange(scores.shape[1]), alive), used, n
    return np.isin(np.arange(scores.shape[1]), alive), used, len(scores)


def bets(scores: pd.DataFrame) -> tuple[np.ndarray, int, int]:
    """As `repeated_test`, by `SequentialBestOf`."""
    run = SequentialBestOf(scores.columns, ALPHA).update(scores, order="random")
    alive, ends = np.isin(scores.columns, run.alive), [each.n_items for each in run.dropped]
    stopped = ends[-1] if len(run.alive) == 1 else run.n_items
    return alive, sum(ends) + stopped * len(run.alive), stopped


def adastop(scores: np.ndarray) -> tuple[np.ndarray, int, int]:
    """As `repeated_test`, by the package of that name, whose runs are means of `PER_RUN` items.

    It asks for runs of a system until every pair with it is decided, and compares runs that are
    not paired. A system is dropped where another one is found to be larger.
    """
    if (found := metadata.version("adastop")) != RELEASE:
        raise ValueError(f"adastop {found} is installed, the table is of adastop {RELEASE}.")
    comparator = import_module("adastop").MultipleAgentsComparator(
        n=PER_LOOK, K=LOOKS, alpha=ALPHA, seed=0
    )
    c = scores.shape[1]
    runs = scores[: LOOKS * PER_LOOK * PER_RUN].reshape(-1, PER_RUN, c).mean(axis=1)
    alive, asked, used, n = np.ones(c, dtype=bool), np.arange(c), 0, 0
    while not comparator.is_finished:
        n += PER_LOOK
        used += len(asked) * PER_LOOK * PER_RUN
        values = {str(k): runs[:n, k] for k in range(c)}
        comparator.partial_compare(values, verbose=False)
        asked = np.unique(comparator.current_comparisons)
    for first, second in comparator.comparisons:
        decision = comparator.decisions[str(np.array([first, second]))]
        if decision != "equal":
            alive[second if decision == "larger" else first] = False
    return alive, used, n * PER_RUN


def corrected(table: pd.DataFrame, n_bootstraps: int, seed: int) -> ConfidenceInterval:
    """Corrected score of the best of these: what `best_of` has as its interval."""
    method = ShrunkenBBC(n_bootstraps=n_bootstraps, random_state=seed)
    return method.estimate(OOFPredictions.from_scores(table))


def draw(
    setting: Simulated, seed: np.random.SeedSequence, run_seed: int, *, beside: bool = False
) -> Iterator[Part]:
    """Draw one data set.

    Parameters
    ----------
    setting : Simulated
        What to draw.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Not needed: nothing is shared among data sets.
    beside : bool, default=False
        Whether AdaStop is run as well, which takes long.
    """
    scores, truth = setting.draw(np.random.Generator(np.random.PCG64(seed)))
    table = setting.grouped(scores)
    n, c = table.shape
    ways = {
        BETS: bets(table),
        REPEATED: repeated_test(table.to_numpy()),
        EVERYTHING: (np.ones(c, dtype=bool), n * c, n),
    }
    if beside:
        ways[ADASTOP] = adastop(table.to_numpy())
    for method, (alive, used, stopped) in ways.items():
        for part, rows in ((TO_THE_END, n), (STOPPED, stopped)):
            if (part, method) not in (parts_beside if beside else parts)(setting):
                continue
            left = table.loc[:, alive].iloc[:rows]
            selected = left.mean().idxmax()
            facts = {
                "truth": float(truth[int(selected[1:])]), "lost": float(not alive[-1]),
                "share": used / (n * c), "stopped": float(stopped),
                "price": float(truth[-1] - truth[int(selected[1:])]),
            }  # fmt: skip
            yield Part(part, facts, {method: partial(corrected, left)})


def parts(setting: Simulated) -> list[tuple[str, str]]:
    """Parts and methods."""
    both = [(part, method) for method in (BETS, REPEATED) for part in (TO_THE_END, STOPPED)]
    return [*both, (TO_THE_END, EVERYTHING)]


def parts_beside(setting: Simulated) -> list[tuple[str, str]]:
    """Parts and methods of `ADASTOP_STUDY`."""
    return [(TO_THE_END, method) for method in (BETS, REPEATED, ADASTOP, EVERYTHING)]


def _settings() -> dict[str, Simulated]:
    kinds = ("all equal", "one ahead", "spread")
    made = [
        Simulated("right or wrong", 500 if c < 200 else 300, c, kind)
        for c in (2, 5, 20, 50, 200)
        for kind in kinds
    ]
    for data, kind in (("nearly all right", 1), ("ratings", 2), ("drift", 1), ("mostly alike", 1)):
        made += [Simulated(data, 500, c, kinds[k]) for c in (5, 50) for k in (0, kind)]
    made += [Simulated("mostly alike", 300, 200, "all equal")]
    made += [Simulated("copies", 500, c, kind) for c in (4, 50) for kind in kinds]
    made += [Simulated("passages", 1000, c, kind) for c, kind in zip((5, 5, 20), kinds)]
    return {
        f"{one.data}_{one.n_systems}_{one.kind}".replace(" ", "_"): one for one in made
    }  # fmt: skip


def summarise(study: Study, found: pd.DataFrame) -> pd.DataFrame:
    """Coverage as in other studies, with how often the best was lost and what it cost.

    Parameters
    ----------
    study : Study
        Where the rows are from.
    found : DataFrame
        One row per data set, part and method.

    Returns
    -------
    DataFrame
        ``lost`` is the share of data sets on which the best system was dropped, ``too often``
        whether that is above `ALPHA` by more than chance, ``share`` of the evaluations used until
        one was left, ``stopped`` the mean number of items, ``price`` the mean by which the best
        system is better than the selected one.
    """
    rows = _study.by_row(study, found)
    facts = rows[["lost", "share", "stopped", "price"]].mean()
    n_lost, runs = rows["lost"].sum().astype(int), rows.size()
    facts["too often"] = [
        binomtest(k, n, ALPHA, alternative="greater").pvalue < CHANCE / 2
        for k, n in zip(n_lost, runs)
    ]
    table = _study.summarise(study, found)
    return table.assign(**{name: facts[name].to_numpy() for name in facts})


SEQUENTIAL = Study(
    name="sequential",
    help="systems scored item by item: how often the best one is dropped, and what is saved",
    settings=_settings(),
    truths=("truth", "lost", "share", "stopped", "price"),
    parts=parts,
    draw=draw,
    repetitions=100,
    n_bootstraps=200,
    summarise=summarise,
)

ADASTOP_STUDY = Study(
    name="adastop",
    help="the package adastop beside the bets, where a look at all pairs takes seconds",
    settings={
        name: setting for name, setting in SEQUENTIAL.settings.items() if setting.n_systems == 2
    }
    | {
        f"{one.data}_{one.n_systems}_{one.kind}".replace(" ", "_"): one
        for one in (
            Simulated("ratings", 500, 2, "spread"),
            Simulated("drift", 500, 2, "all equal"),
            Simulated("mostly alike", 500, 2, "all equal"),
            Simulated("right or wrong", 500, 3, "all equal"),
            Simulated("right or wrong", 500, 3, "one ahead"),
        )
    },
    truths=SEQUENTIAL.truths,
    parts=parts_beside,
    draw=partial(draw, beside=True),
    repetitions=60,
    n_bootstraps=100,
    summarise=summarise,
)
