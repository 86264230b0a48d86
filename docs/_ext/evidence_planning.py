"""Tables of planning: predicted by real widths of intervals at other numbers of samples."""

import pandas as pd

from benchmarks.harness.record import markdown
from benchmarks.studies.planning import LIMIT


def ratios(table: pd.DataFrame) -> str:
    """Settings and metrics down, sizes across: predicted by real width, and the law beside it."""
    rows = []
    for (models, positives, metric), found in table.groupby(
        ["models", "positives", "metric"], sort=False
    ):
        cells = {}
        for _, row in found.iterrows():
            ratio = f"{row['ratio']:.2f}"
            ratio = ratio if row["is near"] else f"**{ratio}**"
            spread = f"{row['ratio_low']:.2f} to {row['ratio_high']:.2f}"
            cells[f"{row['size']} samples"] = f"{ratio} ({spread}); {row['ratio, law']:.2f}"
        rows.append({"models": models, "positives": f"{positives:.0%}", "metric": metric, **cells})
    return markdown(pd.DataFrame(rows), text=3)


def summary(table: pd.DataFrame) -> str:
    """In sentences: how many are near, between which ratios, for each share of positives."""
    lines = []
    for positives, found in table.groupby("positives", sort=False):
        low, high = found["ratio"].min(), found["ratio"].max()
        law, single = found["ratio, law"], found["ratio_low"].min()
        n_near = int(found["is near"].sum())
        lines.append(
            f"- With {positives:.0%} positive samples: {low:.2f} to {high:.2f}, at most "
            f"{LIMIT:.0%} off in {n_near} of {len(found)} cases; in the worst one a tenth of "
            f"the single predictions is below {single:.2f}. The square root law: "
            f"{law.min():.2f} to {law.max():.2f}."
        )
    return "\n".join([*lines, ""])


PARTS = {("planning", "ratios"): ratios, ("planning", "summary"): summary}
"""Results file and part of it -> function that makes its text."""
