"""Lower bounds on real data (Table 3 of the published comparison), and the start page's picture.

Eleven data sets, split many times into a few training rows and a hold-out; 102 configurations are
cross-validated on the training rows, and what a method reports is refitted and scored on the
hold-out::

    python benchmarks/real_data.py table3 --data credit-g spambase --jobs 2
    python benchmarks/real_data.py showcase

Out-of-fold predictions and hold-out scores are kept in ``results/journal/oof``: more methods later
need no more training, except of configurations that no method reported before. A run may be
killed and started again with the same arguments.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.data.real import DATA_SETS
from benchmarks.data.real_splits import split_of
from benchmarks.harness import record, references
from benchmarks.harness.journal import Journal, complete
from benchmarks.harness.ranks import DOUBT, grid
from benchmarks.published.table2 import performance
from benchmarks.published.table2_methods import METHODS, PUBLISHED, base_of, lower_bound, methods
from benchmarks.published.table2_report import ranks_beside, with_results
from benchmarks.studies import showcase as _showcase

SPLITS = {50: 100, 500: 30}
"""Training rows -> number of splits unless given."""
KEY = ["data", "repetition", "method", "seed", "n_bootstraps"]
COLUMNS = [*KEY, "code", "estimate", "low", "truth", "config", "reason", "seconds"]
ROW = ["dataset"]
NUMBERS = {
    "holdout_auc_of_selected": "true_auc", "lower_bound": "lower_bound",
    "inclusion": "inclusion", "tightness": "tightness",
}  # fmt: skip
"""Columns of the published numbers, and ours."""


def one_split(
    data: str, repetition: int, names: tuple[str, ...], seed: int, n_bootstraps: int,
    cache: Path, code: str,
) -> list[dict]:  # fmt: skip
    """Run methods on one split of a data set.

    Parameters
    ----------
    data : str
        Name of the data set.
    repetition : int
        Number of the split, from 0.
    names : tuple of str
        Methods.
    seed, n_bootstraps : int
        Seed of the whole run; number of draws.
    cache : Path
        Folder of predictions.
    code : str
        Version that runs, to be written down.

    Returns
    -------
    list of dict
        One row of the journal per method.
    """
    split, seed_of_draws = split_of(data, repetition, seed, cache)
    available = methods(n_bootstraps, seed_of_draws)
    rows = []
    for name in names:
        started = time.process_time()
        outcome = lower_bound(available[name], split.oof, "roc_auc")
        del outcome["counted"]  # of the simulation only
        seconds = time.process_time() - started
        config = outcome["config"]
        truth = np.nan if config == "" else split.truth(config)
        key = (data, repetition, name, seed, n_bootstraps)
        rows.append(
            {**dict(zip(KEY, key, strict=True)), "code": code, **outcome, "truth": truth,
             "seconds": round(seconds, 4)}
        )  # fmt: skip
    return rows


def compute(arguments: argparse.Namespace) -> pd.DataFrame:
    """Compute what is not in the journal yet, nothing when only a report is wanted.

    Returns
    -------
    DataFrame
        The wanted rows of the journal, sorted.
    """
    path = arguments.output / "journal" / "table3.csv"
    seed, n_bootstraps, code = arguments.seed, arguments.n_bootstraps, record.code()
    cache = arguments.cache or arguments.output / "journal" / "oof"

    def arguments_of(split: tuple[str, int], missing: list[tuple]) -> tuple:
        names = tuple(name for _, _, name, *_ in missing)
        return (*split, names, seed, n_bootstraps, cache, code)

    return complete(
        Journal(path, COLUMNS, KEY, fresh=arguments.fresh),
        {
            (data, repetition): [
                (data, repetition, name, seed, n_bootstraps) for name in arguments.methods
            ]
            for data in DATA_SETS
            if data in arguments.data
            for repetition in range(arguments.repetitions or SPLITS[DATA_SETS[data].n_train])
        },
        one_split,
        arguments_of,
        jobs=arguments.jobs,
        label="table3: splits",
        report=arguments.report,
    )


def summarise(found: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """Inclusion and tightness of each method on each data set, published numbers beside them.

    Parameters
    ----------
    found : DataFrame
        One row per split and method.
    folder : Path
        Folder of the published numbers.
    """
    rows = []
    for (data, method), group in found.groupby(["data", "method"], sort=False):
        about = DATA_SETS[data]
        rows.append(
            {
                "dataset": about.published,
                "n_train": about.n_train,
                "dependent_rows": about.dependent,
                "method": method,
                **performance(group),
            }
        )
    table = pd.DataFrame(rows)
    file = folder / "reference_real.csv"
    if not file.is_file():
        return table
    published = pd.read_csv(file)
    published["published_rejected"] = published["binom_lower_p"] <= DOUBT
    published = published[["dataset", "method", *NUMBERS, "published_rejected"]].rename(
        columns={"method": "base", **{k: f"published_{v}" for k, v in NUMBERS.items()}}
    )
    table["base"] = table["method"].map(base_of)
    return table.merge(published, on=["dataset", "base"], how="left").drop(columns="base")


def report(table: pd.DataFrame, folder: Path) -> str:
    """The tables in Markdown.

    Parameters
    ----------
    table : DataFrame
        Summary.
    folder : Path
        Folder of the published numbers.
    """
    shown = with_results(table)
    mark = table["dependent_rows"].map(bool)
    shown["dataset"] = table["dataset"].where(~mark, table["dataset"] + "*")
    plain = [name for name in METHODS if base_of(name) == name]
    switched = [name for name in METHODS if base_of(name) != name]
    parts = ["## Ours: inclusion (tightness), bold when not rejected\n"]
    parts.append(record.markdown(grid(shown, ROW, plain)))
    parts.append("\\* rows depend on each other, so that a random hold-out is not independent.\n")
    if set(switched) & set(table["method"]):
        parts.append("## Ours: switched to what the published code does\n")
        parts.append(record.markdown(grid(shown, ROW, switched)))
    published = _published(folder)
    if published is not None:
        here = published[published["dataset"].isin(table["dataset"])]
        parts.append("## Published, with other learners\n")
        parts.append(record.markdown(grid(here, ROW, PUBLISHED)))
    ranks, n_rows = rank_table(table, folder)
    parts.append(f"## Average rank; ours over {n_rows} data sets where all have a result\n")
    parts.append(record.markdown(ranks))
    return "\n".join(parts)


def rank_table(table: pd.DataFrame, folder: Path) -> tuple[pd.DataFrame, int]:
    """Average ranks over the data sets, see `ranks_beside`."""
    return ranks_beside(table, ROW, _published(folder))


def _published(folder: Path) -> pd.DataFrame | None:
    """Unrounded numbers of the cells that are printed."""
    if not (folder / "reference_real.csv").is_file():
        return None
    printed = pd.read_csv(folder / "paper_table3.csv").dropna(subset="inclusion")
    numbers = pd.read_csv(folder / "reference_real.csv")
    keys = ["dataset", "method"]
    found = printed[keys].merge(numbers, on=keys, how="left", validate="1:1")
    return found.assign(rejected=found["binom_lower_p"] <= 0.05)


def table3(arguments: argparse.Namespace) -> pd.DataFrame:
    """Inclusion and tightness of lower bounds on the AUC of models tuned on real data."""
    found = compute(arguments)
    table = summarise(found, arguments.reference)
    record.write_table(
        table.assign(n_bootstraps=arguments.n_bootstraps),
        arguments.output / "table3.csv",
        seed=arguments.seed,
        seconds=found["seconds"].sum(),
        codes=found["code"],
    )
    ranks, n_rows = rank_table(table, arguments.reference)
    if n_rows:
        record.write_table(
            ranks.assign(data_sets=n_rows), arguments.output / "table3_ranks.csv",
            seed=arguments.seed, seconds=found["seconds"].sum(), codes=found["code"],
        )  # fmt: skip
    text = report(table, arguments.reference)
    record.write_report(text, arguments.output / "table3.md", found["code"])
    print(text)
    return table


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """Arguments of the command."""
    summary, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(
        description=summary, epilog=details, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    table = commands.add_parser(
        "table3", help="eleven binary data sets", description=table3.__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )  # fmt: skip
    add = table.add_argument
    add("--data", nargs="+", choices=DATA_SETS, default=list(DATA_SETS), metavar="NAME",
        help=f"some of: {', '.join(DATA_SETS)}")  # fmt: skip
    add("--methods", nargs="+", choices=METHODS, default=list(METHODS), metavar="NAME",
        help=f"some of: {', '.join(METHODS)}")  # fmt: skip
    add("--n-bootstraps", type=int, default=500, help="draws per split")
    add("--reference", type=Path, default=references.FOLDER, help="published numbers")
    showcase = commands.add_parser(
        "showcase", help=_showcase.__doc__.splitlines()[0],
        description=_showcase.showcase.__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )  # fmt: skip
    for add_to, function in ((table, table3), (showcase, _showcase.showcase)):
        add = add_to.add_argument
        add("--repetitions", type=int, help="splits per data set; 100 with 50 rows, 30 with 500")
        add("--seed", type=int, default=4321, help="seed of the run")
        add("--jobs", type=int, default=1, help="processes")
        add("--report", action="store_true", help="compute nothing, show earlier results")
        add("--output", type=Path, default=record.RESULTS, help="folder for results")
        add("--cache", type=Path, help="folder of predictions, in that of results unless given")
        add(
            "--fresh", action="store_true", help="forget results, not the predictions in the cache"
        )
        add_to.set_defaults(function=function)
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> pd.DataFrame:
    """Run one command.

    Returns
    -------
    DataFrame
        Its table.
    """
    arguments = parse(argv)
    return arguments.function(arguments)


if __name__ == "__main__":
    main()
