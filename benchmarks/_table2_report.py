"""Table 2 in its own form: inclusion and tightness, verdicts, average ranks, differences."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from benchmarks import _record
from benchmarks._ranks import MISSING, average_ranks, grid
from benchmarks._references import SETTING
from benchmarks._table2_methods import METHODS, PUBLISHED, base_of

PRINTED, UNROUNDED = "paper_table2.csv", "reference_simulation.csv"
RANKED = (*PUBLISHED, "RescaledBBC")


def report(table: pd.DataFrame, folder: Path) -> tuple[str, pd.DataFrame]:
    """The tables in Markdown, and the average ranks.

    Parameters
    ----------
    table : DataFrame
        Summary with the published numbers beside it.
    folder : Path
        Folder of the published numbers.

    Returns
    -------
    text : str
        Markdown.
    ranks : DataFrame
        One line per method.
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
        parts.append(_record.markdown(ranks))
    return "\n".join(parts), ranks


def rank_table(table: pd.DataFrame, folder: Path) -> tuple[pd.DataFrame, int]:
    """Average ranks: ours, ours with the new method among them, and the published ones.

    Parameters
    ----------
    table : DataFrame
        Summary.
    folder : Path
        Folder of the published numbers.

    Returns
    -------
    ranks : DataFrame
        One line per method.
    n_rows : int
        Number of rows that count for ours.
    """
    binary = with_results(table[table["classes"] == 2])
    ours, n_rows = average_ranks(binary, SETTING, PUBLISHED)
    extended, _ = average_ranks(binary, SETTING, RANKED)
    ranks = pd.DataFrame({"method": RANKED})
    ranks["ours"] = ranks["method"].map(ours)
    ranks["ours with RescaledBBC"] = ranks["method"].map(extended)
    published = _published(folder)
    if published is not None:
        theirs, _ = average_ranks(published, SETTING, PUBLISHED)
        ranks["published"] = ranks["method"].map(theirs)
    return ranks, n_rows


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
    return [f"## {title}\n", _record.markdown(shown)]


def _differences(table: pd.DataFrame) -> list[str]:
    parts = []
    for source in ("published", "replication"):
        if f"{source}_verdict" not in table:
            continue
        verdict = table[f"{source}_verdict"]
        # A switched form is there to explain: of the published numbers, only misses of the
        # plain forms ask for one.
        plain = table["method"].map(lambda name: base_of(name) == name)
        missed = table[~verdict.isin(("", "ok")) & (plain | (source == "replication"))]
        shown = missed[[*SETTING, "method", f"{source}_verdict"]].rename(
            columns={f"{source}_verdict": "difference"}
        )
        if source == "published":
            closed = [_closed_by(table, row) for _, row in missed.iterrows()]
            shown = shown.assign(**{"within tolerance when": closed})
        compared = int((verdict[plain] != "").sum())
        parts.append(f"## Beyond tolerance of the {source} numbers\n")
        parts.append(f"{len(missed)} misses; {compared} plain forms were compared.\n")
        parts.append(_record.markdown(shown))
    return parts


def _closed_by(table: pd.DataFrame, row: pd.Series) -> str:
    """Switches of the same method in the same row that agree with the published numbers."""
    here = (table[SETTING] == row[SETTING]).all(axis=1)
    forms = table[here & (table["published_verdict"] == "ok")]["method"]
    same = [name for name in forms if base_of(name) == row["method"]]
    return "; ".join(name.partition(" (")[2].rstrip(")") for name in same)
