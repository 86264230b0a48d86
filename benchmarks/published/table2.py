"""``coverage.py table2``: the published comparison of lower bounds, repeated."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.harness import record, references
from benchmarks.harness.journal import Journal, complete
from benchmarks.harness.ranks import DOUBT, lower_tail
from benchmarks.published.table2_methods import ANY_CLASSES, METHODS, lower_bound, methods
from benchmarks.published.table2_report import rank_table, report
from benchmarks.simulate import FIVE_CLASSES, TABLE2, Setting, simulate

ROWS = (*TABLE2, *FIVE_CLASSES)
COLUMNS = [
    "row", "repetition", "method", "seed", "n_bootstraps", "code",
    "estimate", "low", "counted", "truth", "config", "reason", "seconds",
]  # fmt: skip
KEY = ["row", "repetition", "method", "seed", "n_bootstraps"]


def one_data_set(
    row: int, repetition: int, names: tuple[str, ...], seed: int, n_bootstraps: int, code: str
) -> list[dict]:
    """Run methods on one simulated data set.

    Parameters
    ----------
    row : int
        Row of Table 2, from 1; those with five classes from 17.
    repetition : int
        Number of the data set, from 0.
    names : tuple of str
        Methods.
    seed, n_bootstraps : int
        Seed of the whole run; number of draws.
    code : str
        Version that runs, to be written down.

    Returns
    -------
    list of dict
        One row per method, with the true AUC of the configuration that it reports: the best
        mean over the folds, or what a selection step says.
    """
    # A seed for each data set, whoever draws it and in whatever order.
    data_seed, draw_seed = np.random.SeedSequence(seed, spawn_key=(row, repetition)).spawn(2)
    setting = ROWS[row - 1]
    oof, truth = simulate(setting, data_seed)
    available = methods(n_bootstraps, int(draw_seed.generate_state(1)[0]))
    rows = []
    for name in names:
        started = time.process_time()
        outcome = lower_bound(available[name], oof, setting.scoring)
        seconds = time.process_time() - started
        config = outcome["config"]
        outcome["truth"] = np.nan if config == "" else float(truth[config])
        key = (row, repetition, name, seed, n_bootstraps)
        rows.append(
            {**dict(zip(KEY, key, strict=True)), "code": code, **outcome,
             "seconds": round(seconds, 4)}
        )  # fmt: skip
    return rows


def run_table2(
    rows: list[int],
    names: list[str],
    *,
    repetitions: int,
    seed: int,
    n_bootstraps: int,
    jobs: int,
    journal: Journal,
    report: bool = False,
) -> pd.DataFrame:
    """Compute what is not in the journal yet; with `report` nothing is computed.

    Returns
    -------
    DataFrame
        The wanted rows of the journal, sorted, those of this and of earlier runs.
    """
    code = record.code()

    def arguments(data_set: tuple[int, int], missing: list[tuple]) -> tuple:
        return (*data_set, tuple(name for _, _, name, *_ in missing), seed, n_bootstraps, code)

    found = complete(
        journal,
        {
            (row, repetition): [
                (row, repetition, name, seed, n_bootstraps)
                for name in names
                if row <= len(TABLE2) or name in ANY_CLASSES
            ]
            for row in rows
            for repetition in range(repetitions)
        },
        one_data_set,
        arguments,
        jobs=jobs,
        label="table2: data sets",
        report=report,
    )
    # Missing where nothing is selected.
    return found.assign(config=found["config"].astype("Int64"))


def summarise(found: pd.DataFrame) -> pd.DataFrame:
    """Mean lower bound, inclusion and tightness of each method in each row.

    Parameters
    ----------
    found : DataFrame
        One row per data set and method.

    Returns
    -------
    DataFrame
        Of the data sets with a bound: tightness is the mean true AUC of the reported
        configuration minus the mean lower bound; a data set is included when its true AUC is
        not below the bound. ``undefined`` is the share of data sets without a bound, and
        ``rejected`` the verdict of an exact binomial test on the inclusion. What other rules
        count as included is told by `counted_otherwise`.
    """
    rows = []
    for (row, method), group in found.groupby(["row", "method"], sort=False):
        rows.append(
            {"row": row, **describe(ROWS[row - 1]), "method": method, **performance(group)}
        )
    return pd.DataFrame(rows)


def performance(group: pd.DataFrame) -> dict:
    """How the lower bounds of one method do on the data sets of one row.

    Parameters
    ----------
    group : DataFrame
        One line per data set: `estimate`, `low`, `truth`, `seconds`.
    """
    defined = group[group["low"].notna()]
    included = int((defined["low"] <= defined["truth"]).sum())
    runs = len(defined)
    true_auc, low = defined["truth"].mean(), defined["low"].mean()
    p = lower_tail(included, runs) if runs else np.nan
    return {
        "runs": runs,
        "undefined": 1 - runs / len(group),
        "true_auc": true_auc,
        "lower_bound": low,
        "lower_bound_se": defined["low"].sem(),
        "tightness": true_auc - low,
        "inclusion": included / runs if runs else np.nan,
        "binomial_p": p,
        "rejected": p <= DOUBT,
        **counted_otherwise(defined),
        "bias": (defined["estimate"] - defined["truth"]).mean(),
        "seconds_each": group["seconds"].mean(),
    }


def counted_otherwise(defined: pd.DataFrame) -> dict:
    """Inclusion by the rules that are in use besides ``low <= truth``.

    Parameters
    ----------
    defined : DataFrame
        Data sets with a bound: `low`, `truth` and, for percentiles of draws, `counted`.

    Returns
    -------
    dict
        ``inclusion_strict``: the bound must be below the truth, as published code counts the
        naive bootstrap. ``inclusion_paper``: by the share of draws that are not above the
        truth, as published code counts BBC and BBC-F; that is the draw before the bound.
    """
    if "counted" not in defined or defined.empty:
        return {}
    low, truth = defined["low"], defined["truth"]
    found = {"inclusion_strict": (low < truth).mean()}
    if defined["counted"].notna().all():
        found["inclusion_paper"] = (defined["counted"] <= truth).mean()
    return found


def describe(setting: Setting) -> dict:
    """A setting in the words of the published tables."""
    return {
        "alpha": setting.alpha,
        "beta": setting.beta,
        "N": setting.n_samples,
        "C": setting.n_configs,
        "balance": setting.balance,
        "classes": setting.n_classes,
    }


def row_number(text: str) -> int:
    """Row of Table 2 from its number or name."""
    names = {setting.name: k for k, setting in enumerate(ROWS, start=1)}
    if text in names:
        return names[text]
    if text.isdigit() and 1 <= int(text) <= len(ROWS):
        return int(text)
    raise argparse.ArgumentTypeError(
        f"{text!r} is neither a number from 1 to {len(ROWS)} nor one of {', '.join(names)}"
    )


def add_arguments(table2: argparse.ArgumentParser) -> None:
    """Arguments of the subcommand."""
    table2.add_argument(
        "--rows", nargs="+", type=row_number, default=[*range(1, len(TABLE2) + 1)],
        help="rows of the table, by number (1 to 16; 17 to 32 are the same with five classes) or "
        "name (24-6_N500_C100_b0.1)",
    )  # fmt: skip
    table2.add_argument(
        "--five-classes", action="store_true", help="the rows with five classes as well"
    )
    table2.add_argument(
        "--methods", nargs="+", choices=METHODS, default=list(METHODS), metavar="NAME",
        help=f"some of: {', '.join(METHODS)}",
    )  # fmt: skip
    table2.add_argument("--repetitions", type=int, default=200, help="data sets per row")
    table2.add_argument("--n-bootstraps", type=int, default=500, help="draws per data set")
    table2.add_argument("--seed", type=int, default=4321, help="seed of the run")
    table2.add_argument("--jobs", type=int, default=1, help="processes")
    table2.add_argument(
        "--report", action="store_true", help="compute nothing, show what earlier runs computed"
    )
    table2.add_argument("--output", type=Path, default=record.RESULTS, help="folder for results")
    table2.add_argument("--fresh", action="store_true", help="forget what earlier runs computed")
    table2.add_argument(
        "--reference", type=Path, default=references.FOLDER, help="folder of published numbers"
    )


def table2(arguments: argparse.Namespace) -> pd.DataFrame:
    """The simulation behind Table 2: inclusion and tightness of lower bounds on AUCs.

    Published numbers and an independent repetition of them stand beside ours. Names in brackets
    are switches that repeat what the published code does. Of rows with five classes the
    published numbers are void.
    """
    path = arguments.output / "journal" / "table2.csv"
    rows = {*arguments.rows}
    if arguments.five_classes:
        rows |= {row + len(TABLE2) for row in rows if row <= len(TABLE2)}
    found = run_table2(
        sorted(rows),
        arguments.methods,
        repetitions=arguments.repetitions,
        seed=arguments.seed,
        n_bootstraps=arguments.n_bootstraps,
        jobs=arguments.jobs,
        journal=Journal(path, COLUMNS, KEY, fresh=arguments.fresh),
        report=arguments.report,
    )
    # Without times and versions, so that it depends on nothing but the arguments.
    per_data_set = found.drop(columns=["seconds", "code"])
    record.replace(arguments.output / "table2_data_sets.csv", per_data_set.to_csv(index=False))
    table = references.compare(summarise(found), arguments.reference)
    record.write_table(
        table.assign(n_bootstraps=arguments.n_bootstraps),
        arguments.output / "table2.csv",
        seed=arguments.seed,
        seconds=found["seconds"].sum(),
        codes=found["code"],
    )
    references.show(table)
    text = report(table, arguments.reference)
    ranks, n_rows = rank_table(table, arguments.reference)
    if n_rows:
        record.write_table(
            ranks.assign(rows=n_rows), arguments.output / "table2_ranks.csv", seed=arguments.seed,
            seconds=found["seconds"].sum(),
        codes=found["code"],
        )  # fmt: skip
    record.write_report(text, arguments.output / "table2.md", found["code"])
    print(f"\n{text}")
    return table
