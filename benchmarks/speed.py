"""How long the bootstrap takes, against a plain loop over scikit-learn's own functions.

::

    python benchmarks/speed.py kernels     # BBC with AUC, six sizes; a few minutes
    python benchmarks/speed.py metrics     # other metrics
    python benchmarks/speed.py methods     # every interval method at one size
    python benchmarks/speed.py curves      # corrected curves and numbers of calibration
    python benchmarks/speed.py survival    # metrics of censored times, against scikit-survival
    python benchmarks/speed.py tied        # sets of configurations that may be the best
    python benchmarks/speed.py moments     # normal draws beside draws of samples
    python benchmarks/speed.py roof        # as ratios to one product of matrices
    python benchmarks/speed.py memory      # with a working memory of 64 MB
    python benchmarks/speed.py scaling     # N, C, F and B, beside the published timings
    python benchmarks/speed.py figure3     # N, C and F at the published sizes only
    python benchmarks/speed.py search_memory      # a search beside GridSearchCV; 10 minutes
    python benchmarks/speed.py search_on_disk     # with a store, 800 MB of predictions; 15 minutes

Each state of the compiled kernels (in use, and switched off with SKLEARN_BBC_NATIVE=0) has a
Python process of its own. The runs of all states alternate, times are processor times of one
thread, reported are medians; a ratio to the loop is taken between numbers of one process. The
loop is extrapolated from slices of it. Tables go to ``results/speed_*.csv`` and ``.md``.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from queue import Queue
from statistics import median

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.harness import record
from benchmarks.harness.journal import Journal, complete
from benchmarks.timing import (
    curve_times,
    method_times,
    moments_times,
    roof_times,
    survival_times,
    tied_times,
)
from benchmarks.timing import scaling as _scaling
from benchmarks.timing import search_memory as _search_memory
from benchmarks.timing import search_on_disk as _search_on_disk
from benchmarks.timing.cases import CASES
from benchmarks.timing.interpreter import (
    Interpreter,
    has_metric,
    native_in_use,
    time_interval,
    time_loop,
)

KERNELS = [
    (500, 5, 200), (500, 100, 1000), (500, 766, 1000),
    (50, 500, 1000), (5000, 500, 1000), (50000, 200, 1000),
]  # fmt: skip
"""N, C, B; (500, 766, 1000) is the largest search of the published comparison."""

RUN = ["repetitions", "seed", "code"]
"""What a run must have in common with an unfinished one to go on with it."""

FAST = 0.1
"""Runs below this many seconds are repeated five times as often."""


def open_states() -> dict[str, Interpreter]:
    """A process for each state of the kernels that this installation has."""
    states = {"NumPy": Interpreter(native=False)}
    native = Interpreter(native=True)
    if native(native_in_use):
        states["native"] = native
    else:
        native.close()
        print("The compiled kernels are not built here: NumPy only.", file=sys.stderr)
    return states


def measure(
    states: dict[str, Interpreter], tasks: dict[str, tuple[Callable, tuple]], runs: int
) -> dict[tuple[str, str], list[float]]:
    """Times of tasks in all states, turn by turn.

    Parameters
    ----------
    states : dict of str to Interpreter
        Where to run.
    tasks : dict of str to (function, arguments)
        The function returns seconds. It is run once before anything counts.
    runs : int
        Number of counted runs.

    Returns
    -------
    dict of (state, task) to list of float
        Seconds.
    """
    times: dict[tuple[str, str], list[float]] = {}
    for state, interpreter in states.items():
        for task, (function, arguments) in tasks.items():
            times[state, task] = []
            interpreter(function, *arguments)
    for _ in range(runs):
        for (state, task), seconds in times.items():
            function, arguments = tasks[task]
            seconds.append(states[state](function, *arguments))
            if seconds[-1] < FAST:
                seconds += [states[state](function, *arguments) for _ in range(4)]
    return times


def against_the_loop(
    states: dict[str, Interpreter], name: str, size: tuple[int, int, int], runs: int
) -> dict[str, float]:
    """One row of a table: loop, NumPy and native times of BBC, and their ratios."""
    tasks = {
        "loop": (time_loop, (name, *size, 0.2)),
        "bbc": (time_interval, (name, *size)),
    }
    times = measure(states, tasks, runs)
    row: dict[str, float] = dict(zip(("N", "C", "B"), size, strict=True))
    row["loop, s"] = median([t for state in states for t in times[state, "loop"]])
    for state in states:
        bbc = times[state, "bbc"]
        low, high = np.quantile(bbc, [0.25, 0.75])
        row[f"{state}, s"] = median(bbc)
        row[f"{state}, quartiles"] = f"{low:.3g} to {high:.3g}"
        row[f"loop / {state}"] = median(times[state, "loop"]) / median(bbc)
    if len(states) == 2:
        row["NumPy / native"] = row["NumPy, s"] / row["native, s"]
    return row


def kernels(arguments: argparse.Namespace) -> pd.DataFrame:
    """BBC with AUC at the sizes of `KERNELS`."""
    states = open_states()
    sizes = [size for size in KERNELS if size[0] <= arguments.largest]
    rows = [
        against_the_loop(states, "roc_auc", size, arguments.runs)
        for size in record.progress(sizes, len(sizes), "sizes")
    ]
    return pd.DataFrame(rows)


def metrics(arguments: argparse.Namespace) -> pd.DataFrame:
    """BBC with other metrics at one size."""
    states = open_states()
    size = tuple(arguments.size)
    known = [name for name, (scoring, _) in CASES.items() if has_metric(scoring)]
    rows = []
    for name in record.progress(known, len(known), "metrics"):
        rows.append({"metric": name, **against_the_loop(states, name, size, arguments.runs)})
    return pd.DataFrame(rows)


def methods(arguments: argparse.Namespace) -> pd.DataFrame:
    """Every interval method on predictions at one size; those that train, on small data."""
    states = open_states()
    rows = []
    pairs = method_times.timed_pairs()
    for method, scoring in record.progress(pairs, len(pairs), "methods"):
        task = {method: (method_times.time_method, (method, scoring, *arguments.size))}
        times = measure(states, task, arguments.runs)
        of_states = {state: times[state, method] for state in states}
        rows.append(method_times.row(method, scoring, of_states))
    for method in method_times.REFITTING:
        times = measure(states, {method: (method_times.time_refitting, (method,))}, 1)
        of_states = {state: times[state, method] for state in states}
        n_fits = method_times.refit(method).details["n_fits"]
        rows.append(method_times.row(method, method_times.TRAINED, of_states, n_fits))
    return method_times.table(rows)


def curves(arguments: argparse.Namespace) -> pd.DataFrame:
    """Corrected curves and numbers of calibration at one size, against their limits."""
    states, size = open_states(), tuple(arguments.size)
    tasks = {what: (curve_times.time_curve, (what, *size)) for what in curve_times.LIMITS}
    times = measure(states, tasks, arguments.runs)
    return pd.DataFrame(
        curve_times.row(what, size, {state: times[state, what] for state in states})
        for what in tasks
    )


def survival(arguments: argparse.Namespace) -> pd.DataFrame:
    """Metrics of censored times at one size, beside a loop over scikit-survival's functions."""
    states, size = open_states(), tuple(arguments.size)
    metrics = list(survival_times.LIMITS)
    rows = []
    for what in record.progress(metrics, len(metrics), "metrics"):
        tasks = {
            weights: (survival_times.time_metric, (what, weights, *size))
            for weights in survival_times.WEIGHTS
        }
        times = measure(states, tasks, arguments.runs)
        loop = measure(states, {"loop": (survival_times.time_loop, (what, *size))}, 1)
        loops = [seconds for each in loop.values() for seconds in each]
        rows += [
            survival_times.row(
                what, weights, size, loops, {state: times[state, weights] for state in states}
            )
            for weights in tasks
        ]
    return pd.DataFrame(rows)


def tied(arguments: argparse.Namespace) -> pd.DataFrame:
    """Time and memory of tied sets, every method and four metrics."""
    states = open_states()
    cases = [(metric, method) for metric in tied_times.METRICS for method in tied_times.METHODS]
    sizes = dict(zip(("N", "C", "B"), arguments.size, strict=True))
    rows = []
    for metric, method in record.progress(cases, len(cases), "metrics and methods"):
        for state, interpreter in states.items():
            found = interpreter(tied_times.time_tied, metric, method, *arguments.size)
            rows.append({"method": method, "metric": metric, **sizes, "kernels": state, **found})
    return pd.DataFrame(rows)


def moments(arguments: argparse.Namespace) -> pd.DataFrame:
    """Normal draws as a ratio to draws of samples, sums to one product, and many systems."""
    n_samples, n_configs, n_draws = arguments.size
    rows = [
        {"what": metric, "N": n_samples, "C": n_configs, "B": n_draws,
         **moments_times.time_draws(metric, *arguments.size)}
        for metric in moments_times.METRICS
    ]  # fmt: skip
    sums = moments_times.time_sums(n_samples, 10 * n_configs)
    rows.append({"what": "sums", "N": n_samples, "C": 10 * n_configs, **sums})
    n_items, n_systems = max(n_samples // 1000, 100), 1000 * n_configs
    for kind in moments_times.SYSTEMS:
        systems = moments_times.time_systems(kind, n_items, n_systems)
        rows.append({"what": f"best_of, {kind}", "N": n_items, "C": n_systems, **systems})
    return pd.DataFrame(rows)


def roof(arguments: argparse.Namespace) -> pd.DataFrame:
    """Intervals by every kind of metric, as ratios to one product of matrices in the same run."""
    parts = [part for part in arguments.parts if part != "import"]
    rows = roof_times.measured(parts, arguments.runs, os.cpu_count() or 1)
    if "import" in arguments.parts:
        rows += roof_times.import_rows(arguments.runs)
    return pd.DataFrame(rows)


def memory(arguments: argparse.Namespace) -> pd.DataFrame:
    """Growth of the process beyond its predictions, with a working memory of 64 MB."""
    return pd.DataFrame(roof_times.peaks(tuple(arguments.size)))


def scaling(arguments: argparse.Namespace) -> pd.DataFrame:
    """Time against one size at a time, and the figure of it."""
    return sweep(arguments, _scaling.SWEEPS)


def figure3(arguments: argparse.Namespace) -> pd.DataFrame:
    """The three sweeps of the published Figure 3 beside the published timings."""
    return _scaling.beside_published(sweep(arguments, _scaling.FIGURE_3), arguments.reference)


def sweep(arguments: argparse.Namespace, sizes: dict[str, list[int]]) -> pd.DataFrame:
    """Times of BBC and BBC-F at some sizes, and the figure of them.

    Each point is in a journal as soon as it is measured, so a killed run goes on where it was.
    A finished run takes the journal away: the next one measures everything again.
    """
    path = arguments.output / "journal" / f"speed_{arguments.command}.csv"
    columns, key = [*_scaling.COLUMNS, *RUN], [*_scaling.KEY, *RUN]
    here = {"repetitions": arguments.runs, "seed": arguments.seed, "code": record.code()}
    free: Queue[dict[str, Interpreter]] = Queue()
    for _ in range(arguments.jobs):
        free.put(open_states())

    def one_point(point: _scaling.Point) -> list[dict]:
        states = free.get()
        try:
            task = {"bbc": (time_interval, (*point.arguments, arguments.seed))}
            times = measure(states, task, arguments.runs).items()
            return [{**point.row(state, seconds), **here} for (state, _), seconds in times]
        finally:
            free.put(states)

    points = {point.key: point for point in _scaling.points(sizes, arguments.largest)}
    found = complete(
        Journal(path, columns, key, fresh=arguments.fresh),
        {point: [(*point, state, *here.values()) for state in free.queue[0]] for point in points},
        one_point,
        lambda point, missing: (points[point],),
        jobs=arguments.jobs,
        label="points",
        prefer="threads",
    )
    table = found[_scaling.COLUMNS]
    _scaling.draw(table, arguments.figure, arguments.reference)
    path.unlink()
    return table


def search_memory(arguments: argparse.Namespace) -> pd.DataFrame:
    """Growth of the process during a search, beside GridSearchCV's and the predictions."""
    return _search_memory.search_peaks(
        *arguments.size, arguments.runs, answers=arguments.answers, searches=arguments.searches
    )


def search_on_disk(arguments: argparse.Namespace) -> pd.DataFrame:
    """Peak memory of a large search with and without a store."""
    return _search_on_disk.peaks(*arguments.size, arguments.cases)


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """Arguments of the command."""
    summary, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(
        description=summary, epilog=details, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for function, runs in COMMANDS.items():
        command = commands.add_parser(function.__name__, help=function.__doc__)
        command.set_defaults(function=function)
        command.add_argument(
            "--output", type=Path, default=record.RESULTS, help="folder for results"
        )
        if function not in (search_on_disk, tied, memory, moments):
            command.add_argument(
                "--repetitions", "--runs", dest="runs", type=int, default=runs,
                help="runs per number (default: %(default)s)",
            )  # fmt: skip
        if function in (kernels, *SWEEPS):
            command.add_argument("--largest", type=int, default=10**9, help="largest N")
        if function in SIZES:
            command.add_argument(
                "--size", type=int, nargs=3, metavar=("N", "C", "B"), default=SIZES[function]
            )
        if function is search_memory:
            for name, known in (
                ("answers", _search_memory.RESPONSES), ("searches", _search_memory.SEARCHES)
            ):  # fmt: skip
                command.add_argument(
                    f"--{name}", nargs="+", choices=list(known), default=list(known),
                    help=f"measure some {name} only; the other rows of the table stay",
                )  # fmt: skip
        if function is roof:
            known = [*roof_times.PARTS, "import"]
            command.add_argument(
                "--parts", nargs="+", choices=known, default=known, help="some parts only"
            )
        if function is search_on_disk:
            command.add_argument("--cases", nargs="+", type=int, help="some rows only, from 0")
        if function in SWEEPS:
            command.add_argument("--seed", type=int, default=0, help="seed of the data")
            command.add_argument(
                "--jobs", type=int, default=1,
                help="points measured side by side; more than one disturb each other (default: 1)",
            )  # fmt: skip
            command.add_argument(
                "--fresh", action="store_true", help="forget what a killed run measured"
            )
            command.add_argument("--figure", type=Path, help="file of the picture")
            command.add_argument("--reference", type=Path, default=_scaling.PUBLISHED)
    arguments = parser.parse_args(argv)
    if arguments.function in SWEEPS and arguments.figure is None:
        arguments.figure = arguments.output / f"speed_{arguments.command}.png"
    return arguments


SWEEPS = (scaling, figure3)
COMMANDS = {
    kernels: 5, metrics: 5, methods: 3, curves: 3, scaling: 5, figure3: 5, search_memory: 1,
    search_on_disk: 1, tied: 1, survival: 3, roof: 5, memory: 1,
    moments: 1,
}  # fmt: skip
GROWING = {search_memory: _search_memory.KEY, search_on_disk: _search_on_disk.KEY}
"""Tables whose rows may be measured one by one, and what tells rows apart."""
SIZES = {
    metrics: [500, 100, 1000], methods: [*method_times.SIZE], curves: [*curve_times.SIZE],
    survival: [*survival_times.SIZE], memory: [*roof_times.LARGE],
    search_memory: [20000, 500, 2000],
    search_on_disk: [50000, 2000, 500], tied: [*tied_times.SIZE],
    moments: [*moments_times.SIZE],
}  # fmt: skip


def main(argv: list[str] | None = None) -> pd.DataFrame:
    """Run one measurement and write its table.

    Returns
    -------
    DataFrame
        The table.
    """
    arguments = parse(argv)
    started = time.perf_counter()
    table = arguments.function(arguments)
    seconds = time.perf_counter() - started
    path = arguments.output / f"speed_{arguments.command}.csv"
    if arguments.function in GROWING:
        made, key = record.provenance(seed=0, seconds=seconds), GROWING[arguments.function]
        rows = _search_memory.with_older(table.assign(**made), path, key)
        record.replace(path, rows.to_csv(index=False))
        report = rows[[*table.columns, "date", "code"]]
    else:
        record.write_table(table, path, seed=getattr(arguments, "seed", 0), seconds=seconds)
        report = table
    record.write_report(record.markdown(report), path.with_suffix(".md"))
    print(path.with_suffix(".md").read_text(encoding="utf-8"))
    return table


if __name__ == "__main__":
    main()
