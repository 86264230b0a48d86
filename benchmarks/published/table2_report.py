"""Table 2 in its own form: inclusion and tightness, verdicts, average ranks, differences."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from benchmarks.harness import record
from benchmarks.harness.ranks import MISSING, average_ranks, grid
from benchmarks.harness.references import SETTING
from benchmarks.published.table2_methods import METHODS, PUBLISHED, base_of

PRINTED, UNROUNDED = "paper_table2.csv", "reference_simulation.csv"
RANKED = (*PUBLISHED, "ShrunkenBBC")


def report(table: pd.DataFrame, folder: Path) -> str:
    """The tables in Markdown.

    Parameters
    ----------
    table : DataFrame
        Summary with the published numbers beside it.
    folder : Path
        Folder of the published numbers.
    """
    binary = table[table["classes"] == 2]
    parts = []
    if len(binary):
        parts += _section("Ours: inclusion (tightness), bold when not rejected", binary, PUBLISHED)
        published = _published(folder)
        if published is not None:
            rows = binary[SETTING].drop_duplicates().merge(published, on=SETTING)
            parts += _section("Published", rows, PUBLISHED)
        more = [name for name in METHODS if name not in PUBLISHED and base_of(name) == name]
        parts += _section("Ours: further methods", binary, more)
        switched = [name for name in METHODS if base_of(name) != name]
        parts += _section("Ours: switched to what the published code does", binary, switched)
        parts += _differences(binary)
    several = table[table["classes"] > 2]
    if len(several):
        parts += _section("Ours: five classes, mean AUC over pairs of classes", several, METHODS)
        parts.append(
            "Here a balance of 0.5 stands for equal classes. The published rows with five classes "
            "are void: labels were cast to bool before scoring, so that class 0 was told from all "
            "others. There is nothing to compare these numbers with.\n"
        )
    ranks, n_rows = rank_table(table, folder)
    if n_rows:
        parts.append(f"## Average rank over the {n_rows} rows where all methods have a result\n")
        parts.append(record.markdown(ranks))
    return "\n".join(parts)


def rank_table(table: pd.DataFrame, folder: Path) -> tuple[pd.DataFrame, int]:
    """Average ranks over the rows with two classes, see `ranks_beside`."""
    return ranks_beside(table[table["classes"] == 2], SETTING, _published(folder))


def ranks_beside(
    table: pd.DataFrame, row: list[str], published: pd.DataFrame | None
) -> tuple[pd.DataFrame, int]:
    """Average ranks: ours, ours with the new method among them, and the published ones.

    Parameters
    ----------
    table : DataFrame
        Summary.
    row : list of str
        Columns that name a row of the published table.
    published : DataFrame or None
        Published numbers and verdicts, if they are there.

    Returns
    -------
    ranks : DataFrame
        One line per method.
    n_rows : int
        Number of rows that count for ours.
    """
    ours, n_rows = average_ranks(with_results(table), row, PUBLISHED)
    extended, _ = average_ranks(with_results(table), row, RANKED)
    columns = {"ours": ours, "ours with ShrunkenBBC": extended}
    if published is not None:
        columns["published"] = average_ranks(published, row, PUBLISHED)[0]
    return pd.DataFrame(columns).reindex(RANKED).rename_axis("method").reset_index(), n_rows


def with_results(table: pd.DataFrame) -> pd.DataFrame:
    """The table without the numbers of methods that too often have no bound."""
    missing = table["undefined"] > MISSING
    return table.assign(
        inclusion=table["inclusion"].mask(missing), tightness=table["tightness"].mask(missing)
    )


def _published(folder: Path) -> pd.DataFrame | None:
    """Unrounded numbers and verdicts of the cells that are printed."""
    if not (folder / PRINTED).is_file() or not (folder / UNROUNDED).is_file():
        return None
    printed = pd.read_csv(folder / PRINTED)
    numbers = pd.read_csv(folder / UNROUNDED)
    printed = printed.loc[printed["inclusion"].notna(), [*SETTING, "method"]]
    found = printed.merge(numbers, on=[*SETTING, "method"], how="left", validate="1:1")
    return found.assign(rejected=found["binom_lower_p"] <= 0.05)


def _section(title: str, table: pd.DataFrame, methods: tuple[str, ...] | list[str]) -> list[str]:
    if "undefined" in table:
        table = with_results(table)
    shown = grid(table.assign(balance=table["balance"].map("{:g}".format)), SETTING, methods)
    if len(shown.columns) == len(SETTING):
        return []
    return [f"## {title}\n", record.markdown(shown)]


def misses(table: pd.DataFrame) -> pd.DataFrame:
    """Published numbers that the correct form misses, and the switched form that meets them.

    Parameters
    ----------
    table : DataFrame
        Summary with the published numbers beside it.

    Returns
    -------
    DataFrame
        One line per published number that is missed by more than chance: ours, theirs, what
        differs, and of the switched forms that agree those with the fewest switches. Where
        ``closed by`` is empty, none agrees, and ``nearest`` is the one with the nearest lower
        bound, or empty when the method has no switched form with a bound. Numbers are
        ``inclusion / mean lower bound / mean true AUC of what is reported``.
    """
    plain = table["method"].map(lambda name: base_of(name) == name)
    missed = table[plain & ~table["published_verdict"].isin(("", "ok"))]
    lines = []
    for _, row in missed.iterrows():
        here = (table[SETTING] == row[SETTING]).all(axis=1)
        forms = table[here & ~plain & (table["method"].map(base_of) == row["method"])]
        closing = forms[forms["published_verdict"] == "ok"]
        switches = closing["method"].str.count(",")
        closing = closing[switches == switches.min()]
        shown = closing
        if closing.empty and forms["lower_bound"].notna().any():
            gap = (forms["lower_bound"] - row["published_lower_bound"]).abs()
            shown = forms.loc[[gap.idxmin()]]
        lines.append(
            {
                **row[SETTING],
                "method": row["method"],
                "published": _numbers(row, "published_"),
                "ours": _numbers(row),
                "difference": row["published_verdict"],
                "closed by": "; ".join(closing["method"]),
                "with it": "; ".join(_numbers(form) for _, form in shown.iterrows()),
                "nearest": "" if len(closing) else "; ".join(shown["method"]),
            }
        )
    columns = [
        *SETTING, "method", "published", "ours", "difference", "closed by", "with it",
        "nearest",
    ]  # fmt: skip
    return pd.DataFrame(lines, columns=columns)


def _numbers(row: pd.Series, prefix: str = "") -> str:
    numbers = (row[f"{prefix}{name}"] for name in ("inclusion", "lower_bound", "true_auc"))
    return " / ".join(f"{number:.3f}" for number in numbers)


def count_of_misses(table: pd.DataFrame) -> dict[str, int]:
    """How many published numbers were compared, missed, and met by a switched form.

    Parameters
    ----------
    table : DataFrame
        Summary with the published numbers beside it.
    """
    plain = table["method"].map(lambda name: base_of(name) == name)
    missed = misses(table)
    return {
        "compared": int((table.loc[plain, "published_verdict"] != "").sum()),
        "missed": len(missed),
        "closed": int((missed["closed by"] != "").sum()),
    }


def _differences(table: pd.DataFrame) -> list[str]:
    parts = []
    if "published_verdict" in table:
        found, count = misses(table), count_of_misses(table)
        parts.append("## Misses of the published numbers, and what closes them\n")
        parts.append(
            f"{count['compared']} numbers of correct forms were compared, {count['missed']} "
            f"differ by more than chance, {count['closed']} of these are met by a switched form. "
            "Numbers are inclusion / mean lower bound / mean true AUC of what is reported.\n"
        )
        if len(found):
            shown = found.assign(
                **{"closed by": [closing_form(row) for _, row in found.iterrows()]}
            )
            parts.append(record.markdown(shown.drop(columns="nearest")))
    if "replication_verdict" in table:
        verdict = table["replication_verdict"]
        missed = table[~verdict.isin(("", "ok"))]
        parts.append("## Beyond tolerance of an independent repetition\n")
        parts.append(
            f"{int((verdict != '').sum())} numbers, switched forms included, were compared; "
            f"{len(missed)} differ by more than chance.\n"
        )
        if len(missed):
            shown = missed[[*SETTING, "method", "replication_verdict"]]
            renamed = shown.rename(columns={"replication_verdict": "difference"})
            parts.append(record.markdown(renamed))
    return parts


def closing_form(miss: pd.Series) -> str:
    """Name of the form that meets a published number, or why there is none.

    Parameters
    ----------
    miss : Series
        Line of `misses`.
    """
    if miss["closed by"]:
        return str(miss["closed by"])
    nearest = miss["nearest"]
    return f"none; nearest is {nearest}" if nearest else "none; has no switched form"
