"""Tables of the lower bounds: the published simulation and the real data."""

import html

import numpy as np
import pandas as pd

from benchmarks.harness.ranks import DOUBT, MISSING, cell, lower_tail
from benchmarks.harness.record import markdown
from benchmarks.published.table2_methods import METHODS, PUBLISHED, base_of
from benchmarks.published.table2_report import closing_form, count_of_misses, misses

MISS = "&ne;"
FURTHER = [name for name in METHODS if name not in PUBLISHED and base_of(name) == name]
SWITCHED = [name for name in METHODS if base_of(name) != name]


def setting(row: pd.Series) -> str:
    """Row of the published table in a few words."""
    return (
        f"Beta({row['alpha']}, {row['beta']}), N = {row['N']}, C = {row['C']}, "
        f"{100 * row['balance']:.0f}%"
    )


def ours(row: pd.Series) -> str:
    """Inclusion and tightness, bold when not rejected."""
    if row["undefined"] > MISSING:
        return "-"
    return cell(row["inclusion"], row["tightness"], bool(row["rejected"]))


def theirs(row: pd.Series) -> str:
    """The published numbers for the second line of a cell."""
    if pd.isna(row["published_inclusion"]) or row.get("published_runs", 200) < 200 * (1 - MISSING):
        return '<span class="theirs">-</span>'
    text = cell(row["published_inclusion"], row["published_tightness"], row["published_rejected"])
    verdict = row.get("published_verdict", "ok")
    mark = ""
    if verdict not in ("ok", "") and row["undefined"] <= MISSING:
        mark = f'<span class="miss" title="{html.escape(verdict)}">{MISS}</span> '
    return f'{mark}<span class="theirs">{text}</span>'


def both(row: pd.Series) -> str:
    """Ours above theirs."""
    return f"{ours(row)}<br>{theirs(row)}"


def across(table: pd.DataFrame, name: str, methods: list[str] | tuple[str, ...], show) -> str:
    """Settings down, methods across."""
    methods = [method for method in methods if (table["method"] == method).any()]
    rows = []
    for label, of_setting in table.groupby(name, sort=False):
        cells = {row["method"]: show(row) for _, row in of_setting.iterrows()}
        rows.append([str(label), *(cells.get(method, "-") for method in methods)])
    return markdown(pd.DataFrame(rows, columns=[name, *methods]), text=1)


def binary(table: pd.DataFrame) -> pd.DataFrame:
    """Rows with two classes; what a reader of the CSV finds missing is empty text again."""
    table = table[table["classes"] == 2]
    verdicts = [name for name in table if name.endswith("_verdict")]
    table = table.fillna(dict.fromkeys(verdicts, ""))
    names = [setting(row) for _, row in table.iterrows()]
    return with_booleans(table).assign(setting=names)


def with_booleans(table: pd.DataFrame) -> pd.DataFrame:
    """A column of booleans with gaps comes back from a CSV as text."""
    return table.assign(published_rejected=table["published_rejected"].astype(str) == "True")


def of_size(n_samples: int):
    """The table in its published form, ours above the published numbers."""

    def make(table: pd.DataFrame) -> str:
        table = binary(table)
        table = table[table["N"] == n_samples]
        short = table["setting"].str.replace(f"N = {n_samples}, C = ", "").str.removeprefix("Beta")
        name = "Beta, C, minority"
        return across(table.assign(**{name: short}), name, PUBLISHED, both)

    return make


def further(table: pd.DataFrame) -> str:
    """Methods that were not in the published table, after BBC."""
    return across(binary(table), "setting", ["BBC", *FURTHER], ours)


def forms_down(table: pd.DataFrame, name: str) -> str:
    """Every switched form, settings across; settings without any result are left out."""
    table = table[table["method"].isin(SWITCHED)]
    some = table[table["undefined"] <= MISSING]
    names = list(some[name].drop_duplicates())
    rows = []
    for method in (method for method in SWITCHED if (some["method"] == method).any()):
        of_method = table[table["method"] == method].set_index(name)
        cells = [ours(of_method.loc[one]) if one in of_method.index else "-" for one in names]
        rows.append([method, *cells])
    return markdown(pd.DataFrame(rows, columns=["form", *names]), text=1)


def switched(table: pd.DataFrame) -> str:
    """The switched forms in rows of either size."""
    table = binary(table)
    parts = []
    for n_samples in (500, 50):
        rows = table[table["N"] == n_samples]
        if rows.empty:
            continue
        rows = rows.assign(setting=rows["setting"].str.replace(f"N = {n_samples}, ", ""))
        parts.append(f"N = {n_samples}:\n\n{forms_down(rows, 'setting')}")
    return "\n".join(parts)


def five_classes(table: pd.DataFrame) -> str:
    """Rows with five classes."""
    table = table[table["classes"] == 5]
    if table.empty:
        return "*Not run yet: `python benchmarks/coverage.py table2 --five-classes`.*\n"
    names = [
        setting(row).replace("50%", "equal classes").replace("10%", "one class 10%")
        for _, row in table.iterrows()
    ]
    return across(table.assign(setting=names), "setting", METHODS, ours)


def closed(table: pd.DataFrame) -> str:
    """Published numbers that the correct forms miss, and the switch that closes each."""
    table = binary(table)
    rows = [
        [setting(miss), miss["method"], miss["ours"], miss["published"],
         f"**{closing_form(miss)}**" if miss["closed by"] else closing_form(miss),
         miss["with it"]]
        for _, miss in misses(table).iterrows()
    ]  # fmt: skip
    count = count_of_misses(table)
    text = (
        f"{count['compared']} published numbers were compared with correct forms. "
        f"{count['missed']} of them differ by more than chance allows; for {count['closed']} of "
        "these a switched form is within tolerance.\n\n"
    )
    if not rows:
        return text
    header = ["setting", "method", "ours", "published", "closed by", "with it"]
    return text + markdown(pd.DataFrame(rows, columns=header), text=len(header))


def summary(table: pd.DataFrame) -> str:
    """How often numbers agree and bounds are rejected."""
    table = binary(table)
    here = table["published_verdict"] != ""
    lines = []
    for methods, kind, part in (
        (("BBC", "BBC-F", "NB"), "all rows", table),
        (("DL", "BT"), "the rows with N = 500", table[table["N"] == 500]),
    ):
        words = []
        for method in methods:
            verdicts = part.loc[(part["method"] == method) & here, "published_verdict"]
            words.append(f"{method} in {(verdicts == 'ok').sum()} of {len(verdicts)}")
        lines.append(
            f"- Within tolerance of the published numbers, in {kind}: {', '.join(words)}."
        )
    for method in ("BBC", "BBC-F", "ShrunkenBBC", "NB"):
        rows = table[table["method"] == method]
        if rows.empty:
            continue
        mine = rows.loc[rows["rejected"], "setting"]
        line = f"- {method} is rejected in {len(mine)} of {len(rows)} rows"
        if method in PUBLISHED:
            line += f", published in {int(rows['published_rejected'].sum())}"
        if 0 < len(mine) <= 4:
            line += f": {'; '.join(mine)}"
        lines.append(f"{line}; lowest inclusion {rows['inclusion'].min():.2f}.")
    if "replication_verdict" in table:
        verdicts = table.loc[table["replication_verdict"] != "", "replication_verdict"]
        lines.append(
            f"- Of {len(verdicts)} numbers of an independent repetition of the simulation, "
            f"switched forms included, {(verdicts == 'ok').sum()} are within tolerance of ours."
        )
    return "\n".join([*lines, ""])


COUNTED = {"inclusion_strict": "counted strictly", "inclusion_paper": "counted as published"}


def rules(table: pd.DataFrame) -> str:
    """What the rules of other code change in the bounds of BBC, BBC-F and NB."""
    table = binary(table).set_index("setting")
    rows = []
    for method in ("BBC", "BBC-F", "NB"):
        plain = table[table["method"] == method]
        for name in (name for name in SWITCHED if base_of(name) == method):
            form = table[table["method"] == name].reindex(plain.index)
            if form["runs"].notna().any():
                verdicts = (form["rejected"] != plain["rejected"]).sum()
                rows.append([name, *_changes(form, plain), str(verdicts)])
        for column, name in COUNTED.items():
            if column in plain and plain[column].notna().any():
                runs = plain["runs"]
                held = (plain[column] * runs).round().astype(int)
                p = [lower_tail(*pair) for pair in zip(held, runs, strict=True)]
                verdicts = ((np.array(p) <= DOUBT) != plain["rejected"]).sum()
                other = plain.assign(inclusion=plain[column])
                rows.append([f"{method} ({name})", *_changes(other, plain), str(verdicts)])
    if not rows:
        return "*Not run yet: `python benchmarks/coverage.py table2`.*\n"
    header = [
        "rule", "mean lower bound: mean change", "largest", "true AUC of the reported: largest",
        "inclusion: mean change", "largest", "other verdicts",
    ]  # fmt: skip
    return markdown(pd.DataFrame(rows, columns=header), text=1)


def _changes(form: pd.DataFrame, plain: pd.DataFrame) -> list[str]:
    """Changes of bound, true AUC and inclusion over the rows of the table."""
    cells = []
    for column, digits in (("lower_bound", 4), ("true_auc", 4), ("inclusion", 3)):
        change = (form[column] - plain[column]).dropna()
        largest = change.loc[change.abs().idxmax()]
        if column != "true_auc":
            cells.append(_signed(change.mean(), digits))
        cells.append(_signed(largest, digits))
    return cells


def _signed(value: float, digits: int) -> str:
    text = f"{value:+.{digits}f}"
    return text if text.strip("+-0.") else "0"


def ranks(table: pd.DataFrame) -> str:
    """Average ranks."""
    columns = [name for name in ("ours", "ours with ShrunkenBBC", "published") if name in table]
    rows = [
        [row["method"], *("" if pd.isna(row[name]) else f"{row[name]:.2f}" for name in columns)]
        for _, row in table.iterrows()
    ]
    count = table.get("rows", table.get("data_sets"))
    text = f"Ours over the {count.iloc[0]} rows where every method has a result.\n\n"
    return text + markdown(pd.DataFrame(rows, columns=["method", *columns]), text=1)


def real(table: pd.DataFrame) -> pd.DataFrame:
    """Real data with names that say which rows depend on each other."""
    dependent = table["dependent_rows"].notna()
    counts = table.groupby("dataset")["runs"].transform("max").astype(str)
    name = table["dataset"] + dependent.map({True: "\\*", False: ""})
    return with_booleans(table).assign(data=name + " (" + counts + ")")


def table3(table: pd.DataFrame) -> str:
    """The table in its published form, ours above the published numbers."""
    return across(real(table), "data", PUBLISHED, both)


def table3_further(table: pd.DataFrame) -> str:
    """Methods that were not in the published table, after BBC."""
    return across(real(table), "data", ["BBC", *FURTHER], ours)


def table3_switched(table: pd.DataFrame) -> str:
    """The switched forms."""
    return forms_down(real(table), "data")


def curse(table: pd.DataFrame) -> str:
    """Estimate minus hold-out score of the refitted winner."""
    table = real(table)
    methods = ["NB", "BBC", "BBC-F", "ShrunkenBBC"]
    of_nb = table[table["method"] == "NB"]
    text = (
        f"The naive estimate is above the hold-out score on {(of_nb['bias'] > 0).sum()} of "
        f"{len(of_nb)} data sets, and its bound is rejected on {int(of_nb['rejected'].sum())}.\n\n"
    )
    return text + across(table, "data", methods, lambda row: f"{row['bias']:+.3f}")


PARTS = {
    ("table2", "500"): of_size(500), ("table2", "50"): of_size(50), ("table2", "closed"): closed,
    ("table2", "summary"): summary, ("table2", "further"): further,
    ("table2", "rules"): rules, ("table2", "switched"): switched,
    ("table2", "five_classes"): five_classes,
    ("table2_ranks", "table"): ranks, ("table3", "table"): table3,
    ("table3", "further"): table3_further, ("table3", "switched"): table3_switched,
    ("table3", "curse"): curse, ("table3_ranks", "table"): ranks,
}  # fmt: skip
"""Results file and part of it -> function that makes its text."""
