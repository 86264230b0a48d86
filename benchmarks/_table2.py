"""``coverage.py table2``: the published comparison of lower bounds, repeated."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import _record, _references
from benchmarks._journal import Journal, run
from benchmarks.simulate import TABLE2, Setting, simulate
from sklearn_bbc.intervals import BBC, BBCF, NaiveBootstrap

LEVEL = 0.95
COLUMNS = [
    "row", "repetition", "method", "seed", "n_bootstraps", "code",
    "estimate", "low", "truth", "winner", "seconds",
]  # fmt: skip
KEY = ["row", "repetition", "method", "seed", "n_bootstraps"]


def methods(n_bootstraps: int, seed: int) -> dict:
    """Methods of the comparison under their published names, as lower bounds.

    Parameters
    ----------
    n_bootstraps : int
        Number of draws where draws are sampled.
    seed : int
        Seed of the draws.
    """
    common = {"confidence_level": LEVEL, "alternative": "greater"}
    draws = {"n_bootstraps": n_bootstraps, "random_state": seed}
    return {
        "BBC": BBC(**common, **draws),
        "BBC-F": BBCF(**common, **draws),
        "NB": NaiveBootstrap(**common, **draws),
        "NB-normal": NaiveBootstrap(form="normal", **common, **draws),
    }


METHODS = tuple(methods(20, 0))


def one_data_set(
    row: int, repetition: int, names: tuple[str, ...], seed: int, n_bootstraps: int, code: str
) -> list[dict]:
    """Run methods on one simulated data set.

    Parameters
    ----------
    row : int
        Row of Table 2, from 1.
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
        One row per method, with the true AUC of the configuration that it selects: the best
        mean over the folds.
    """
    # A seed for each data set, whoever draws it and in whatever order.
    data_seed, draw_seed = np.random.SeedSequence(seed, spawn_key=(row, repetition)).spawn(2)
    oof, truth = simulate(TABLE2[row - 1], data_seed)
    available = methods(n_bootstraps, int(draw_seed.generate_state(1)[0]))
    rows = []
    for name in names:
        started = time.process_time()
        result = available[name].estimate(oof, "roc_auc")
        seconds = time.process_time() - started
        winner = result.details["winner"]
        rows.append(
            {
                "row": row,
                "repetition": repetition,
                "method": name,
                "seed": seed,
                "n_bootstraps": n_bootstraps,
                "code": code,
                "estimate": result.estimate,
                "low": result.low,
                "truth": float(truth[winner]),
                "winner": winner,
                "seconds": round(seconds, 4),
            }
        )
    return rows


def run_table2(
    rows: list[int],
    names: list[str],
    *,
    repetitions: int,
    seed: int,
    n_bootstraps: int,
    jobs: int,
    journal_path: Path,
) -> pd.DataFrame:
    """Compute what is not in the journal yet.

    Returns
    -------
    DataFrame
        The wanted rows of the journal, sorted, those of this and of earlier runs.
    """
    journal = Journal(journal_path, COLUMNS, KEY)
    done, code, tasks = journal.done(), _record.code(), []
    for row in rows:
        for repetition in range(repetitions):
            missing = tuple(
                name for name in names if (row, repetition, name, seed, n_bootstraps) not in done
            )
            if missing:
                tasks.append((row, repetition, missing, seed, n_bootstraps, code))
    n_done = len(rows) * repetitions - len(tasks)
    run(journal, tasks, one_data_set, jobs=jobs, label="table2: data sets", n_done=n_done)

    found = journal.rows()
    wanted = (
        found["row"].isin(rows)
        & found["method"].isin(names)
        & (found["repetition"] < repetitions)
        & (found["seed"] == seed)
        & (found["n_bootstraps"] == n_bootstraps)
    )
    found = found[wanted]
    older = sorted(set(found["code"]) - {code})
    if older:
        print(
            f"Note: {found['code'].isin(older).sum()} of {len(found)} rows were computed by other "
            f"versions of the package ({', '.join(older)}; now {code}). --fresh starts again.",
            file=sys.stderr,
        )
    order = found["method"].map({name: k for k, name in enumerate(names)}).rename("order")
    return (
        found.assign(order=order)
        .sort_values(["row", "repetition", "order"], ignore_index=True)
        .drop(columns="order")
    )


def summarise(found: pd.DataFrame) -> pd.DataFrame:
    """Mean lower bound, inclusion and tightness of each method in each row.

    Parameters
    ----------
    found : DataFrame
        One row per data set and method.

    Returns
    -------
    DataFrame
        Tightness is the mean true AUC of the selected configuration minus the mean lower
        bound; a data set is included when its true AUC is not below the bound.
    """
    found = found.assign(included=found["low"] <= found["truth"])
    groups = found.groupby(["row", "method"], sort=False)
    table = groups.agg(
        runs=("low", "size"),
        true_auc=("truth", "mean"),
        lower_bound=("low", "mean"),
        lower_bound_se=("low", "sem"),
        inclusion=("included", "mean"),
        bias=("estimate", "mean"),
    ).reset_index()
    table["bias"] -= table["true_auc"]
    table.insert(6, "tightness", table["true_auc"] - table["lower_bound"])
    settings = [describe(TABLE2[row - 1]) for row in table["row"]]
    return pd.concat([table[["row"]], pd.DataFrame(settings), table.drop(columns="row")], axis=1)


def describe(setting: Setting) -> dict:
    """A setting in the words of the published tables."""
    return {
        "alpha": setting.alpha,
        "beta": setting.beta,
        "N": setting.n_samples,
        "C": setting.n_configs,
        "balance": setting.balance,
    }


def row_number(text: str) -> int:
    """Row of Table 2 from its number or name."""
    names = {setting.name: k for k, setting in enumerate(TABLE2, start=1)}
    if text in names:
        return names[text]
    if text.isdigit() and 1 <= int(text) <= len(TABLE2):
        return int(text)
    raise argparse.ArgumentTypeError(
        f"{text!r} is neither a number from 1 to {len(TABLE2)} nor one of {', '.join(names)}"
    )


def add_arguments(table2: argparse.ArgumentParser) -> None:
    """Arguments of the subcommand."""
    table2.add_argument(
        "--rows", nargs="+", type=row_number, default=[*range(1, len(TABLE2) + 1)],
        help="rows of the table, by number (1 to 16) or name (24-6_N500_C100_b0.1)",
    )  # fmt: skip
    table2.add_argument(
        "--methods", nargs="+", choices=METHODS, default=list(METHODS), help="as published"
    )
    table2.add_argument("--repetitions", type=int, default=200, help="data sets per row")
    table2.add_argument("--n-bootstraps", type=int, default=500, help="draws per data set")
    table2.add_argument("--seed", type=int, default=4321, help="seed of the run")
    table2.add_argument("--jobs", type=int, default=1, help="processes")
    table2.add_argument("--output", type=Path, default=_record.RESULTS, help="folder for results")
    table2.add_argument("--fresh", action="store_true", help="forget what earlier runs computed")
    table2.add_argument(
        "--reference", type=Path, default=_references.FOLDER, help="folder of published numbers"
    )


def table2(arguments: argparse.Namespace) -> pd.DataFrame:
    """The simulation behind Table 2: inclusion and tightness of lower bounds on AUCs.

    Published numbers and an independent repetition of them stand beside ours.
    """
    journal_path = arguments.output / "journal" / "table2.csv"
    if arguments.fresh:
        journal_path.unlink(missing_ok=True)
    found = run_table2(
        sorted(set(arguments.rows)),
        arguments.methods,
        repetitions=arguments.repetitions,
        seed=arguments.seed,
        n_bootstraps=arguments.n_bootstraps,
        jobs=arguments.jobs,
        journal_path=journal_path,
    )
    # Without times and versions, so that it depends on nothing but the arguments.
    per_data_set = found.drop(columns=["seconds", "code"])
    _record.replace(arguments.output / "table2_data_sets.csv", per_data_set.to_csv(index=False))
    table = _references.compare(summarise(found), arguments.reference)
    _record.write_table(
        table.assign(n_bootstraps=arguments.n_bootstraps),
        arguments.output / "table2.csv",
        seed=arguments.seed,
        seconds=found["seconds"].sum(),
    )
    _references.show(table)
    return table
