"""Writes the tables of the coverage pages from the results of `benchmarks/coverage.py`."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
from evidence_files import RESULTS, load, made_by, not_run

from benchmarks.harness.record import markdown

MARKS = {"under": "**{}**", "over": "*{}*", "ok": "{}"}
"""Bold is below the level by more than chance, italic above."""

ESTIMANDS = ("fold models", "learner", "final model")


def percent(row: pd.Series) -> str:
    """Coverage in percent, marked where it is not at the level."""
    if pd.isna(row["coverage"]):
        return "none"
    return MARKS[row["verdict"]].format(f"{100 * row['coverage']:.1f}")


def cell(rows: pd.DataFrame, usual: int) -> str:
    """Coverages for each estimand, mean width, share of undefined results, few data sets."""
    if rows.empty:
        return ""
    first = rows.iloc[0]
    text = " / ".join(percent(row) for _, row in rows.iterrows())
    if pd.notna(first["width"]):
        text += f" ({first['width']:.3f})"
    if first["undefined"] >= 0.0005:
        text += f", {100 * first['undefined']:.1f}% undefined"
    if first["runs"] < usual:
        text += f", n = {first['runs']}"
    return text


def crossed(table: pd.DataFrame, columns: list[str], title: str) -> str:
    """Methods down, settings across.

    Parameters
    ----------
    table : DataFrame
        Results of one part.
    columns : list of str
        Columns that make a setting.
    title : str
        How a setting is called, a format string with these columns.
    """
    if "estimand" in table:
        rank = table["estimand"].map(ESTIMANDS.index)
        table = table.assign(rank=rank).sort_values("rank", kind="stable")
    settings = table[columns].drop_duplicates().sort_values(columns)
    header = ["method", *(title.format(**row) for row in settings.to_dict("records"))]
    usual = table["runs"].max()
    rows = []
    for method in dict.fromkeys(table["method"]):
        of_method = table[table["method"] == method]
        cells = [
            cell(of_method[(of_method[columns] == setting).all(axis=1)], usual)
            for _, setting in settings.iterrows()
        ]
        rows.append([method, *cells])
    return markdown(pd.DataFrame(rows, columns=header), text=1)


def beside_thesis(table: pd.DataFrame) -> str:
    """Coverage and width in the thesis's design, with the published numbers.

    Methods that only the thesis has, with no data sets of ours, come last of their size.
    """
    rows = []
    by_size = table.sort_values("N", kind="stable")
    for (n_samples, method), of_method in by_size.groupby(["N", "method"], sort=False):
        of_method = of_method.set_index("estimand")
        first = of_method.iloc[0]
        published = ["", ""]
        if pd.notna(first.get("thesis_coverage")):
            published = [
                f"{100 * first['thesis_coverage']:.1f} ({first['thesis']})",
                f"{first['thesis_width']:.3f}",
            ]
        ours = ["", "", ""]
        if first["runs"]:
            coverages = [percent(of_method.loc[name]) for name in ("fold models", "learner")]
            ours = [*coverages, f"{first['width']:.3f}"]
        rows.append([str(n_samples), method, *ours, *published])
    header = ["N", "method", "fold models", "learner", "width", "thesis", "width there"]
    return markdown(pd.DataFrame(rows, columns=header), text=1)


def times(table: pd.DataFrame) -> str:
    """Milliseconds of each method, with and without compiled kernels."""
    states = [name for name in table if name.endswith(", s") and name != "limit, s"]
    crossed_metrics = ("roc_auc", "accuracy")
    others = table[~table["metric"].isin(crossed_metrics)]
    table = table.drop(others.index)
    header = ["method"]
    for metric in crossed_metrics:
        header += [f"{metric}, {name.removesuffix(', s')}" for name in states]
    rows = []
    for method, of_method in table.groupby("method", sort=False):
        of_method = of_method.set_index("metric")
        values = []
        for metric in crossed_metrics:
            for state in states:
                known = metric in of_method.index
                values.append(f"{1000 * of_method.loc[metric, state]:.1f}" if known else "")
        rows.append([method, *values])
    text = markdown(pd.DataFrame(rows, columns=header), text=1)
    if others.empty:
        return text
    header = ["method and what it ran on", "fits"]
    header += [state.removesuffix(", s") for state in states]
    rows = []
    for row in others.to_dict("records"):
        fits = f"{row['fits']:.0f}" if pd.notna(row["fits"]) else ""
        values = [f"{1000 * row[state]:.1f}" for state in states]
        rows.append([f"{row['method']}: {row['metric']}", fits, *values])
    caption = "One other metric, and methods that train (on what is named, fits and all):"
    return f"{text}\n{caption}\n\n{markdown(pd.DataFrame(rows, columns=header), text=1)}"


SINGLE = "true AUC {true_auc:g}, N = {N}"
RARE = "{positives:.0%} positive, N = {N}"


def groups(table: pd.DataFrame) -> str:
    """Samples in groups, one table for each kind of predictions."""
    table = table[table["design"] != "repeats"]
    return "\n".join(
        f"**{name}**\n\n{crossed(part, ['groups', 'icc'], 'ICC {icc:g}, {groups} groups')}"
        for name, part in table.groupby("part", sort=False)
    )


def repeats(table: pd.DataFrame) -> str:
    """Repeated cross-validation, numbers of partitions down."""
    table = table[table["design"] == "repeats"]
    return crossed(table.assign(method=table["part"] + ": " + table["method"]), ["N"], "N = {N}")


def of_metric(metric: str, show: Callable[[pd.DataFrame], str]) -> Callable[[pd.DataFrame], str]:
    """The table of one metric, empty when the results file does not have it."""

    def make(table: pd.DataFrame) -> str:
        part = table[table["part"] == metric]
        return "" if part.empty else show(part)

    return make


PARTS: dict[str, dict[str, Callable[[pd.DataFrame], str]]] = {
    "single": {
        f"_{metric}": of_metric(metric, lambda part: crossed(part, ["true_auc", "N"], SINGLE))
        for metric in ("roc_auc", "accuracy", "f1", "neg_log_loss")
    },
    "rare": {
        f"_{metric}": of_metric(metric, lambda part: crossed(part, ["positives", "N"], RARE))
        for metric in ("f1", "balanced_accuracy")
    },
    "training": {
        f"_{metric}": of_metric(
            metric, lambda part: crossed(part, ["learner", "N"], "{learner}, N = {N}")
        )
        for metric in ("roc_auc", "accuracy")
    },
    "thesis": {
        f"_{metric}": of_metric(metric, beside_thesis) for metric in ("roc_auc", "accuracy")
    },
    "groups": {"": groups},
    "repeats": {"": repeats},
    "times": {"": times},
}
"""Name of a table and the end of its file's name -> function that makes its text."""
SOURCES = {"repeats": "groups", "times": "speed_methods"}
"""Results file of a table, where it has another name than the table."""
COMMANDS = {"speed_methods": "speed.py methods"}
"""Command of a results file that is not `coverage.py` and its name."""


def tables(results: Path = RESULTS) -> dict[str, str]:
    """File name -> text."""
    texts = {}
    for name, parts in PARTS.items():
        source = SOURCES.get(name, name)
        table = load(results, source)
        missing = not_run(COMMANDS.get(source, f"coverage.py {source}"))
        for end, make in parts.items():
            text = "" if table is None else make(table)
            texts[f"coverage_{name}{end}.md"] = text or missing
        if name != "repeats":  # stands on the page of the groups
            made = "\n" if table is None else made_by(table)
            texts[f"coverage_{name}_made_by.md"] = made
    return texts


def write(folder: Path, results: Path = RESULTS) -> None:
    """Write what the coverage pages in `docs/evidence` include."""
    for name, text in tables(results).items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    print(*tables().values(), sep="\n")
