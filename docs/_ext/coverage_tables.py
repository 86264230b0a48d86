"""Writes the tables of the coverage page from the results of `benchmarks/coverage.py`."""

from pathlib import Path

import pandas as pd

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results"
MARKS = {"under": "**{}**", "over": "*{}*", "ok": "{}"}
"""Bold is below the promise by more than chance, italic above."""

ESTIMANDS = ("fold models", "learner", "final model")


def percent(row: pd.Series) -> str:
    """Coverage in percent, marked where it is not what was promised."""
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


def markdown(header: list[str], rows: list[list[str]]) -> str:
    """A table whose first column is text and whose others are numbers."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


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
    return markdown(header, rows)


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
    return markdown(header, rows)


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
    text = markdown(header, rows)
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
    return f"{text}\n{caption}\n\n{markdown(header, rows)}"


def made_by(table: pd.DataFrame) -> str:
    """What the results file says about itself."""
    made = table.iloc[0]
    return (
        f"Made by `{made['command']}` on {made['date']}: sklearn-bbc {made['code']}; "
        f"{made['versions']}; {made['machine']}.\n"
    )


def tables() -> dict[str, str]:
    """File name -> text."""
    single, training, thesis, groups, speed = (
        pd.read_csv(RESULTS / f"{name}.csv")
        for name in ("single", "training", "thesis", "groups", "speed_methods")
    )
    texts = {}
    for metric, part in single.groupby("part"):
        title = "true AUC {true_auc:g}, N = {N}"
        texts[f"coverage_single_{metric}.md"] = crossed(part, ["true_auc", "N"], title)
    for metric, part in training.groupby("part"):
        texts[f"coverage_training_{metric}.md"] = crossed(
            part, ["learner", "N"], "{learner}, N = {N}"
        )
    for metric, part in thesis.groupby("part"):
        texts[f"coverage_thesis_{metric}.md"] = beside_thesis(part)
    repeats = groups["design"] == "repeats"
    title = "ICC {icc:g}, {groups} groups"
    text = ""
    for name, part in groups[~repeats].groupby("part", sort=False):
        text += f"**{name}**\n\n{crossed(part, ['groups', 'icc'], title)}\n"
    texts["coverage_groups.md"] = text
    one_row = groups[repeats].assign(method=lambda t: t["part"] + ": " + t["method"])
    texts["coverage_repeats.md"] = crossed(one_row, ["N"], "N = {N}")
    texts["coverage_times.md"] = times(speed)
    for name, table in (
        ("single", single), ("training", training), ("thesis", thesis), ("groups", groups),
        ("times", speed),
    ):  # fmt: skip
        texts[f"coverage_{name}_made_by.md"] = made_by(table)
    return texts


def write(folder: Path) -> None:
    """Write what `user_guide/coverage.md` includes."""
    for name, text in tables().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    print(*tables().values(), sep="\n")
