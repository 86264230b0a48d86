"""Writes what the pages in `docs/evidence` include, from the results of `benchmarks/`.

As a command it shows all of it, or puts the list of runs into `benchmarks/README.md`::

    python docs/_ext/evidence.py --readme

or lists what an earlier version of the package made, to run it again before a release::

    python docs/_ext/evidence.py --older
"""

import argparse
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import evidence_bounds
import evidence_comparisons
import evidence_corrected
import evidence_curves
import evidence_dropping
import evidence_judged
import evidence_learning
import evidence_moments
import evidence_ordered
import evidence_planning
import evidence_sequential
import evidence_showcase
import evidence_speed
import evidence_studies
import evidence_survival
import evidence_systems
import evidence_tied
import pandas as pd
from evidence_files import RESULTS, duration, load, made_by, makings, not_run

from sklearn_bbc import __version__

README = RESULTS.parent / "README.md"

RUNS = {
    "table2": ("[Lower bounds on simulated data, as published](simulated.md)",
               "coverage.py table2"),
    "table3": ("[Lower bounds on real data, as published](real.md)", "real_data.py table3"),
    "showcase": ("[One search on many samples](real.md#one-search-on-many-samples)",
                 "real_data.py showcase"),
    "testbed": ("[Intervals after tuning real models](tuned.md)", "coverage.py testbed"),
    "generated": ("[The same on more kinds of data](tuned.md#more-settings)",
                  "coverage.py generated"),
    "bias": ("[Optimism that is left after the correction](bias.md)", "coverage.py bias"),
    "bias_real": ("[Nested cross-validation beside BBC](bias.md#on-real-data)",
                  "coverage.py bias --real"),
    "corrected": ("[How near is a corrected score?](corrected.md)", "coverage.py corrected"),
    "corrected_held_out": ("[The same on held-out kinds of data](corrected.md#held-out-data)",
                           "coverage.py corrected_held_out"),
    "systems": ("[The best of several fixed systems](systems.md)", "coverage.py systems"),
    "moments": ("[Draws from means and a covariance](moments.md)",
                "coverage.py moments"),
    "moments_coverage": ("[Coverage of these draws](moments.md#coverage)",
                         "coverage.py moments_coverage"),
    "speed_moments": ("[Time of these draws](moments.md#time)", "speed.py moments"),
    "sequential": ("[Systems dropped item by item](sequential.md)", "coverage.py sequential"),
    "adastop": ("[AdaStop beside it](sequential.md#beside-adastop)", "coverage.py adastop"),
    "judged": ("[The best of several under a judge](judged.md)", "coverage.py judged"),
    "ordered": ("[Samples in time](ordered.md)", "coverage.py ordered"),
    "pooling": ("[Pooled predictions and pairs within folds](pooling.md)", "coverage.py pooling"),
    "pooling_tuned": ("[The same for tuned models](pooling.md#tuned-models)",
                      "coverage.py pooling_tuned"),
    "comparisons": ("[Comparisons](comparisons.md)", "coverage.py comparisons"),
    "curves": ("[Corrected curves](curves.md)", "coverage.py curves"),
    "survival": ("[Censored times](survival.md)", "coverage.py survival"),
    "survival_curves": ("[Curves of survival times](curves.md#survival-times)",
                        "coverage.py survival_curves"),
    "rules": ("[Winners by another rule than the best score](rules.md)", "coverage.py rules"),
    "noise": ("[Tuned on pure noise](rules.md#on-pure-noise)", "coverage.py noise"),
    "ensembles": ("[Ensembles on real data](rules.md#ensembles-on-real-data)",
                  "coverage.py ensembles"),
    "ties": ("[Sets of configurations that may be the best](tied.md)", "coverage.py ties"),
    "learning": ("[Learning curves](learning.md)", "coverage.py learning"),
    "planning": ("[Widths at other numbers of samples](planning.md)", "coverage.py planning"),
    "dropping": ("[Configurations stopped early](dropping.md)", "coverage.py dropping"),
    "single": ("[One model on a test set](coverage.md)", "coverage.py single"),
    "rare": ("[Few positives](coverage.md#few-positives)", "coverage.py rare"),
    "training": ("[One configuration in cross-validation](coverage_training.md)",
                 "coverage.py training"),
    "thesis": ("[Rosenthal's thesis](../design/replication_tables.md#coverage-beside-a-thesis)",
               "coverage.py thesis"),
    "groups": ("[Groups and repeats](coverage_training.md#samples-in-groups)",
               "coverage.py groups"),
    "speed_figure3": ("[Time, as in the published Figure 3](speed.md)", "speed.py figure3"),
    "speed_scaling": ("[Time against size](speed.md#further-sizes)", "speed.py scaling"),
    "speed_kernels": ("[Time against a loop](speed.md#against-a-loop)", "speed.py kernels"),
    "speed_roof": ("[Time beside a product of matrices](speed.md#every-metric)", "speed.py roof"),
    "speed_memory": ("[Memory of an interval](speed.md#memory)", "speed.py memory"),
    "speed_survival": ("[Censored times against a loop](speed.md#censored-times)",
                       "speed.py survival"),
}  # fmt: skip
"""Results file -> where the documentation shows it, and the command that makes it."""

FURTHER = (
    "speed_metrics", "speed_methods", "speed_curves", "speed_search_memory",
    "speed_search_on_disk", "speed_tied",
)  # fmt: skip
"""Results files without a table on the pages of evidence."""
MARKS = ("<!-- runs, by `python docs/_ext/evidence.py --readme` -->", "<!-- end of runs -->")
"""What stands before and after the list of runs in the README."""


def size(table: pd.DataFrame) -> str:
    """Number of settings and of data sets in each."""
    if "split" in table:  # a row for each data set
        return f"{len(table)} data sets"
    if "runs" not in table or "method" not in table:
        return f"{len(table)} sizes"
    columns = table.columns[: table.columns.get_loc("method")]
    keys = [name for name in columns if name not in ("part", "row", "dependent_rows")]
    if "q25, s" in table:  # repeated measurements, not data sets
        keys = [name for name in ("sweep", "N", "C", "F", "B") if name in table]
        runs = table["runs"]
        return f"{len(table[keys].drop_duplicates())} sizes, {runs.min()} runs each"
    counts = table.groupby(keys)["runs"].max()
    few, many = counts.min(), counts.max()
    each = f"{many}" if few == many else f"{few} to {many}"
    return f"{len(counts)} settings, {each} data sets each"


def overview(results: Path) -> str:
    """What was run, how much of it, for how long, and when."""
    lines = ["| what | command | size | time and date |", "|---|---|---|---|"]
    for name, (link, command) in RUNS.items():
        table = load(results, name)
        cells = ["not run yet", ""]
        if table is not None:
            made = [rows.iloc[0] for rows in makings(table)]
            unbroken = max(str(run["date"]) for run in made).replace("-", "&#8209;")
            took = duration(sum(run["seconds"] for run in made)).replace(" ", "&nbsp;")
            cells = [size(table), f"{took}, {unbroken}"]
        lines.append(f"| {link} | `{command}` | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


CHECKED = {
    "table2": "the published simulation, lower bounds", "table3": "real data, lower bounds",
    "testbed": "tuned models, six kinds of data", "generated": "tuned models, more kinds of data",
    "corrected": "corrected scores", "corrected_held_out": "corrected scores, other data",
    "rules": "other rules of selection", "survival": "scores of censored times",
}  # fmt: skip
"""Results file of intervals of `BBC` in which the truth is known -> what it is about."""


def checked(results: Path) -> str:
    """How often the intervals of `BBC` contain the truth, a row for each study."""
    lines = [
        "| study | settings | data sets each | mean coverage, % | below 95% by more than chance |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, about in CHECKED.items():
        link = RUNS[name][0].partition("](")[2].rstrip(")")
        table = load(results, name)
        found = "not run yet | | |" if table is None else _checked(name, table)
        lines.append(f"| [{about}](evidence/{link}) | {found} |")
    return "\n".join([*lines, ""])


def _checked(name: str, table: pd.DataFrame) -> str:
    default = ["BBC", "BBC, rule repeated", "BBC, censoring of each draw"]
    rows = table[table["method"].isin(default)]
    if "inclusion" in rows:
        share = rows["inclusion"]
    else:
        share = rows["coverage"] if "coverage" in rows else 1 - rows["below"] - rows["above"]
    under = rows["verdict"] == "under" if "verdict" in rows else rows["rejected"]
    runs = " to ".join(f"{n:g}" for n in sorted({rows["runs"].min(), rows["runs"].max()}))
    return f"{len(rows)} | {runs} | {100 * share.mean():.1f} | {int(under.sum())}"


def tables(results: Path = RESULTS) -> dict[str, str]:
    """File name -> text."""
    texts = {
        "evidence_overview.md": overview(results),
        "evidence_checked.md": checked(results),
    }
    modules = (
        evidence_bounds, evidence_studies, evidence_corrected, evidence_comparisons,
        evidence_curves, evidence_tied, evidence_learning, evidence_planning, evidence_dropping,
        evidence_showcase, evidence_speed, evidence_survival, evidence_systems,
        evidence_ordered, evidence_moments, evidence_sequential, evidence_judged,
    )  # fmt: skip
    for module in modules:
        for (source, part), make in module.PARTS.items():
            frame = load(results, source)
            _, command = RUNS[source.removesuffix("_ranks")]
            text = not_run(command) if frame is None else make(frame)
            texts[f"evidence_{source}_{part}.md"] = text
            if frame is not None:
                texts[f"evidence_{source}_made_by.md"] = made_by(frame)
            else:
                texts[f"evidence_{source}_made_by.md"] = "\n"
    return texts


def write(folder: Path, results: Path = RESULTS) -> None:
    """Write what the pages include, and put the figures beside it."""
    for name, text in tables(results).items():
        (folder / name).write_text(text, encoding="utf-8")
    for source in (*evidence_speed.FIGURES, *evidence_showcase.FIGURES):
        figure = results / f"{source}.png"
        if figure.is_file():
            shutil.copy(figure, folder / f"evidence_{source}.png")


def runs(results: Path = RESULTS) -> str:
    """Every command that made results: on what, in which time, when; versions and machine."""
    lines = ["| command | size | time | date |", "|---|---|---:|---|"]
    where: dict[str, list[str]] = {}
    for name in (*RUNS, *FURTHER):
        table = load(results, name)
        if table is None:
            continue
        for rows in makings(table):
            made = rows.iloc[0]
            on = f"{len(rows)} rows" if name in FURTHER else size(rows)
            command = made["command"].removeprefix("python benchmarks/")
            lines.append(f"| `{command}` | {on} | {duration(made['seconds'])} | {made['date']} |")
            names = where.setdefault(f"{made['machine']}; {made['versions']}", [])
            if name not in names:
                names.append(name)
    usual = max(where, key=lambda place: len(where[place]), default="")
    places = [
        place if place == usual else f"{place} ({', '.join(names)})"
        for place, names in sorted(where.items(), key=lambda item: -len(item[1]))
    ]
    return "\n".join([*lines, "", *places, ""])


def older(results: Path = RESULTS, version: str = __version__) -> str:
    """Command and time of every run of another version of the package."""
    lines = [
        f"{run['command']}  # {run['code']}, {duration(run['seconds'])}"
        for name in (*RUNS, *FURTHER)
        if (table := load(results, name)) is not None
        for run in (rows.iloc[0] for rows in makings(table))
        if {made.split()[0] for made in run["code"].split(", ")} != {version}
    ]
    return "\n".join(lines)


def with_runs(text: str, results: Path = RESULTS) -> str:
    """The text of the README with the list of runs between its marks."""
    start, end = MARKS
    before, _, rest = text.partition(start)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"The README has no place for the runs: {start} and {end}")
    return f"{before}{start}\n\n{runs(results)}\n{end}{after}"


def main(argv: list[str] | None = None) -> None:
    """Show all tables, or write the list of runs."""
    summary, _, _ = __doc__.partition("\n")
    parser = argparse.ArgumentParser(description=summary)
    parser.add_argument(
        "--readme", action="store_true", help="put the list of runs into benchmarks/README.md"
    )
    parser.add_argument(
        "--older", action="store_true", help="list what an earlier version of the package made"
    )
    arguments = parser.parse_args(argv)
    if arguments.older:
        print(older())
    elif arguments.readme:
        text = with_runs(README.read_text(encoding="utf-8"))
        README.write_text(text, encoding="utf-8", newline="\n")
    else:
        try:
            print(*tables().values(), sep="\n", flush=True)
        except BrokenPipeError:  # the reader, for example `head`, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
