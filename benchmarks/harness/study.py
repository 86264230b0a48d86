"""What the coverage simulations share: settings times data sets times methods, and the table."""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from benchmarks.harness import record, references
from benchmarks.harness.journal import Journal, complete, read_exact
from benchmarks.harness.older_rows import with_older
from sklearn_bbc import ConfidenceInterval
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError

LEVEL = 0.95
CHANCE = 0.0027
"""Probability beyond three standard errors: what is rarer is not put down to chance."""


@dataclass(frozen=True)
class Part:
    """One question put to a data set: a metric, and what each method says about it.

    Attributes
    ----------
    name : str
        For example the metric.
    truths : dict of str to float
        Column -> true score, one for each estimand.
    intervals : dict of str to callable
        Method -> function of the number of draws and a seed that returns the interval.
    """

    name: str
    truths: Mapping[str, float]
    intervals: Mapping[str, Callable[[int, int], ConfidenceInterval]]


@dataclass(frozen=True)
class Study:
    """A simulation of many data sets.

    Attributes
    ----------
    name : str
        Name of the subcommand and of the files.
    help : str
        One sentence.
    settings : dict of str to object
        What is simulated; each must know how to `describe` itself as columns of the table.
        Settings with the same description share a row.
    truths : tuple of str
        Columns of true scores, in the journal.
    parts : callable
        Setting -> pairs of part and method, known before anything is drawn.
    draw : callable
        Setting, seed of the data set and seed of the run -> parts. A function of a module,
        for it is sent to other processes.
    repetitions, n_bootstraps, seed : int
        Defaults of the arguments: data sets per setting, draws, seed of the run.
    complete : callable
        Adds columns of truth that only all data sets together give.
    beside : callable or None
        Adds published numbers, given the folder of references.
    summarise : callable or None
        Makes the table of the rows of the journal, in place of `summarise` of this module.
    overview : callable or None
        What is printed of the table; None prints all of it.
    """

    name: str
    help: str
    settings: Mapping[str, Any]
    truths: tuple[str, ...]
    parts: Callable[[Any], Iterable[tuple[str, str]]]
    draw: Callable[[Any, np.random.SeedSequence, int], Iterable[Part]]
    repetitions: int
    n_bootstraps: int = 500
    seed: int = 2024
    complete: Callable[[pd.DataFrame], pd.DataFrame] = field(default=lambda found: found)
    beside: Callable[[pd.DataFrame, Path], pd.DataFrame] | None = None
    summarise: Callable[[Study, pd.DataFrame], pd.DataFrame] | None = None
    overview: Callable[[pd.DataFrame], pd.DataFrame] | None = None

    @property
    def columns(self) -> list[str]:
        """Columns of the journal."""
        return [
            *KEY, "code", "estimate", "low", "high", *self.truths, "reason", "seconds",
        ]  # fmt: skip


KEY = ["setting", "repetition", "part", "method", "seed", "n_bootstraps"]


def one_data_set(
    draw: Callable[..., Iterable[Part]],
    setting: Any,
    key: tuple[str, int, int, int],
    wanted: frozenset[tuple[str, str]],
    spawn_key: tuple[int, int],
    code: str,
) -> list[dict[str, Any]]:
    """Run methods on one simulated data set.

    Parameters
    ----------
    draw, setting
        Of the study.
    key : tuple
        Name of the setting, number of the data set, seed of the run, number of draws.
    wanted : frozenset of (part, method)
        What to compute.
    spawn_key : tuple of int
        What gives this data set a seed of its own.
    code : str
        Version that runs, to be written down.

    Returns
    -------
    list of dict
        One row of the journal per part and method.
    """
    name, repetition, seed, n_bootstraps = key
    data_seed, draw_seed = np.random.SeedSequence(seed, spawn_key=spawn_key).spawn(2)
    method_seed = int(draw_seed.generate_state(1)[0])
    rows = []
    for part in draw(setting, data_seed, seed):
        for method, interval in part.intervals.items():
            if (part.name, method) not in wanted:
                continue
            started = time.process_time()
            estimate, low, high, reason = _outcome(interval, n_bootstraps, method_seed)
            seconds = time.process_time() - started
            rows.append(
                {
                    "setting": name, "repetition": repetition, "part": part.name,
                    "method": method, "seed": seed, "n_bootstraps": n_bootstraps, "code": code,
                    "estimate": estimate, "low": low, "high": high, **part.truths,
                    "reason": reason, "seconds": round(seconds, 4),
                }
            )  # fmt: skip
    return rows


def _outcome(
    interval: Callable[[int, int], ConfidenceInterval], n_bootstraps: int, seed: int
) -> tuple[float, float, float, str]:
    """Estimate, bounds and, where there are none, why."""
    with warnings.catch_warnings():
        # What the warnings say is in `details`, and shows as a missing bound.
        warnings.simplefilter("ignore", IntervalWarning)
        try:
            result = interval(n_bootstraps, seed)
        except UndefinedIntervalError as error:
            return np.nan, np.nan, np.nan, str(error).splitlines()[0]
    low, high = result
    missing = np.isnan(low) or np.isnan(high)
    return result.estimate, low, high, str(result.details.get("reason", "")) if missing else ""


def journal_of(study: Study, arguments: argparse.Namespace) -> Journal:
    """The journal of a study in the folder for results, empty with ``--fresh``."""
    path = arguments.output / "journal" / f"{study.name}.csv"
    return Journal(path, study.columns, KEY, fresh=arguments.fresh)


def compute(
    study: Study,
    settings: list[str],
    *,
    repetitions: int,
    seed: int,
    n_bootstraps: int,
    jobs: int,
    journal: Journal,
    methods: list[str] | None = None,
    report: bool = False,
) -> pd.DataFrame:
    """Compute what is not in the journal yet, for some methods only if `methods` says so.

    With `report` nothing is computed.

    Returns
    -------
    DataFrame
        The wanted rows of the journal, sorted, those of this and of earlier runs.
    """
    numbers = {name: k for k, name in enumerate(study.settings)}
    orders = {
        name: [
            pair
            for pair in study.parts(study.settings[name])
            if methods is None or pair[1] in methods
        ]
        for name in settings
    }
    code = record.code()

    def arguments(data_set: tuple[str, int], missing: list[tuple]) -> tuple:
        name, repetition = data_set
        wanted = frozenset((part, method) for _, _, part, method, *_ in missing)
        key = (name, repetition, seed, n_bootstraps)
        spawn_key = (numbers[name], repetition)
        return (study.draw, study.settings[name], key, wanted, spawn_key, code)

    found = complete(
        journal,
        {
            (name, repetition): [
                (name, repetition, *pair, seed, n_bootstraps) for pair in orders[name]
            ]
            for repetition in range(repetitions)
            for name in settings
        },
        one_data_set,
        arguments,
        jobs=jobs,
        label=f"{study.name}: data sets",
        report=report,
    )
    # Computed are all settings of a repetition; the table has all repetitions of a setting.
    places = [(name, *pair) for name in settings for pair in orders[name]]
    order = {place: k for k, place in enumerate(places)}
    rows = zip(found["setting"], found["part"], found["method"], strict=True)
    found = found.assign(order=[order[row] for row in rows])
    found = found.sort_values(["order", "repetition"], ignore_index=True)
    return found.drop(columns="order")


def summarise(study: Study, found: pd.DataFrame) -> pd.DataFrame:
    """Coverage, width and share of undefined results, per setting, part, method and estimand.

    Parameters
    ----------
    study : Study
        Where the rows are from.
    found : DataFrame
        One row per data set, part and method.

    Returns
    -------
    DataFrame
        Coverage is the share of defined intervals that hold the truth, with its standard error;
        bounds and width are as reported, which end at the metric's range;
        ``below`` and ``above`` are the shares of truths on either side of the interval;
        ``verdict`` says whether the coverage differs from the level by more than chance.
    """
    found = study.complete(found)
    estimands = [name for name in found if name == "truth" or name.startswith("truth ")]
    columns = [*next(iter(study.settings.values())).describe()]
    rows = []
    for (*label, part, method), group in by_row(study, found):
        defined = group[group["low"].notna() & group["high"].notna()]
        for estimand in estimands:
            rows.append(
                {
                    **dict(zip(columns, label, strict=True)),
                    "part": part,
                    "method": method,
                    "estimand": estimand.removeprefix("truth").strip(),
                    "runs": len(group),
                    "undefined": 1 - len(defined) / len(group),
                    **_coverage(defined, defined[estimand]),
                }
            )
    table = pd.DataFrame(rows)
    return table.drop(columns="estimand") if len(estimands) == 1 else table


def by_row(study: Study, found: pd.DataFrame) -> Any:
    """Rows of the journal, grouped by the rows of the table that they make, in its order.

    Parameters
    ----------
    study : Study
        Where the rows are from.
    found : DataFrame
        One row per data set, part and method.
    """
    described = {name: study.settings[name].describe() for name in found["setting"].unique()}
    labels = pd.DataFrame([described[name] for name in found["setting"]], index=found.index)
    keys = [*(labels[column] for column in labels), found["part"], found["method"]]
    return found.groupby(keys, sort=False, dropna=False)


def with_errors(study: Study, found: pd.DataFrame) -> pd.DataFrame:
    """Summary with ``rmse``, the root of the mean square of estimate minus truth.

    Parameters
    ----------
    study : Study
        Where the rows are from; it has one true score.
    found : DataFrame
        One row per data set, part and method.
    """
    squares = found.assign(square=(found["estimate"] - found["truth"]) ** 2)
    mean = by_row(study, squares)["square"].mean()
    return summarise(study, found).assign(rmse=(mean**0.5).to_numpy())


def relative_to(table: pd.DataFrame, methods: Iterable[str], places: list[str]) -> pd.DataFrame:
    """Rows with width and error as ratios to those of some methods, and whether rejected.

    Parameters
    ----------
    table : DataFrame
        From `with_errors`.
    methods : iterable of str
        The methods to compare with, one of which every place has.
    places : list of str
        Columns that say which rows are compared.
    """
    chosen = table[table["method"].isin([*methods])].set_index(places)[["width", "rmse"]]
    both = table.join(chosen.add_suffix("_other"), on=places)
    return both.assign(
        width=both["width"] / both["width_other"], rmse=both["rmse"] / both["rmse_other"],
        rejected=both["verdict"] == "under",
    )  # fmt: skip


def _coverage(defined: pd.DataFrame, truth: pd.Series) -> dict[str, Any]:
    runs = len(defined)
    if not runs:
        return dict.fromkeys(
            ("truth", "coverage", "coverage_se", "below", "above", "width", "bias", "bias_se")
        )
    below, above = truth < defined["low"], truth > defined["high"]
    held = int((~below & ~above).sum())
    share = held / runs
    return {
        "truth": truth.mean(),
        "coverage": share,
        "coverage_se": np.sqrt(share * (1 - share) / runs),
        "below": below.mean(),
        "above": above.mean(),
        "width": (defined["high"] - defined["low"]).mean(),
        "bias": (defined["estimate"] - truth).mean(),
        "bias_se": (defined["estimate"] - truth).std() / np.sqrt(runs),
        "verdict": verdict(held, runs),
    }


def verdict(held: int, runs: int) -> str:
    """Say whether so many of the intervals that hold the truth differ by more than chance.

    Parameters
    ----------
    held, runs : int
        Intervals that hold it, and all of them.

    Returns
    -------
    {"ok", "under", "over"}
        By the exact test of the level.
    """
    if not runs or binomtest(held, runs, LEVEL).pvalue >= CHANCE:
        return "ok"
    return "under" if held / runs < LEVEL else "over"


def add_arguments(study: Study, parser: argparse.ArgumentParser) -> None:
    """Arguments that every study takes."""
    parser.add_argument(
        "--settings", nargs="+", choices=[*study.settings], default=[*study.settings],
        metavar="NAME", help=f"some of: {', '.join(study.settings)}",
    )  # fmt: skip
    methods = dict.fromkeys(
        method for setting in study.settings.values() for _, method in study.parts(setting)
    )
    parser.add_argument(
        "--methods",
        nargs="+",
        choices=[*methods],
        metavar="NAME",
        help="only these; quick ones first",
    )
    parser.add_argument(
        "--report", action="store_true", help="compute nothing, show what earlier runs computed"
    )
    parser.add_argument(
        "--repetitions", type=int, default=study.repetitions, help="data sets per setting"
    )
    parser.add_argument(
        "--n-bootstraps", type=int, default=study.n_bootstraps, help="draws per data set"
    )
    parser.add_argument("--seed", type=int, default=study.seed, help="seed of the run")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--output", type=Path, default=record.RESULTS, help="folder for results")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs computed")
    if study.beside is not None:
        parser.add_argument(
            "--reference", type=Path, default=references.FOLDER, help="published numbers"
        )


def conduct(study: Study, arguments: argparse.Namespace) -> pd.DataFrame:
    """Run a study and write its table.

    Rows of settings that are not run, but are in the table of an earlier run, stay there with
    what made them; ``--fresh`` forgets them.

    Returns
    -------
    DataFrame
        The rows of the settings that were run.
    """
    found = compute(
        study,
        [name for name in study.settings if name in arguments.settings],
        repetitions=arguments.repetitions,
        seed=arguments.seed,
        n_bootstraps=arguments.n_bootstraps,
        jobs=arguments.jobs,
        journal=journal_of(study, arguments),
        methods=arguments.methods,
        report=arguments.report,
    )
    table = (study.summarise or summarise)(study, found)
    if study.beside is not None:
        table = study.beside(table, arguments.reference)
    if study.n_bootstraps:
        table = table.assign(n_bootstraps=arguments.n_bootstraps)
    made = record.provenance(
        seed=arguments.seed, seconds=found["seconds"].sum(), codes=found["code"]
    )
    path = arguments.output / f"{study.name}.csv"
    rows = table.assign(**made)
    if path.is_file() and not arguments.fresh:
        rows = with_older(study.settings.values(), rows, read_exact(path))
    record.replace(path, rows.to_csv(index=False))
    overview = table if study.overview is None else study.overview(rows)
    print(overview.round(3).to_string(index=False))
    return table
