"""Tables of searches that drop configurations, beside full ones and halving."""

import pandas as pd
from evidence_studies import SETTING, TITLES, signed

from benchmarks.harness.record import markdown
from benchmarks.studies.dropping import DROPPED, EVERYTHING, HALVED, METRICS


def table(found: pd.DataFrame) -> str:
    """Settings and metrics down; for each way of searching its fits, optimism, bias, coverage."""
    header = ["data", "metric", "search", "fits", "optimism", "bias of BBC", "coverage", "width"]
    header += ["same", "price"]
    rows = []
    for setting, of_setting in found.groupby(SETTING, sort=False):
        name = "{}, N&nbsp;=&nbsp;{}, {}&nbsp;folds".format(*setting)
        for metric in METRICS:
            for method in (EVERYTHING, DROPPED, HALVED):
                chosen = (of_setting["part"] == metric) & (of_setting["method"] == method)
                for _, row in of_setting[chosen].iterrows():
                    rows.append([name, TITLES[metric], method, *_cells(row)])
    return markdown(pd.DataFrame(rows, columns=header), text=3)


def _cells(row: pd.Series) -> list[str]:
    coverage = f"{100 * row['coverage']:.0f}"
    if row["verdict"] == "under":
        coverage = f"**{coverage}**"
    price = (
        ""
        if row["method"] == EVERYTHING
        else f"{row['price']:+.3f}&nbsp;±&nbsp;{row['price_se']:.3f}"
    )
    same = "" if row["method"] == EVERYTHING else f"{100 * row['same']:.0f}"
    return [
        f"{100 * row['fits']:.0f}%", signed(row["optimism"]), signed(row["bias"]), coverage,
        f"{row['width']:.3f}", same, price,
    ]  # fmt: skip


def summary(found: pd.DataFrame) -> str:
    """Over all settings: one sentence for each way of searching."""
    lines = []
    both = found[found["part"] == "roc_auc"]
    with_halving = both[both["method"] == HALVED][SETTING].drop_duplicates()
    for method in (EVERYTHING, DROPPED, HALVED):
        rows = found[found["method"] == method]
        if rows.empty:
            continue
        under = int((rows["verdict"] == "under").sum())
        fits = "all fits"
        if method != EVERYTHING:
            low, mean, high = (100 * rows["fits"].agg(how) for how in ("min", "mean", "max"))
            fits = f"{mean:.0f}% of the fits ({low:.0f} to {high:.0f}%)"
        lines.append(
            f"- **{method[0].upper()}{method[1:]}**, {len(rows)} settings and metrics: "
            f"{fits}, optimism {signed(rows['optimism'].mean())}, bias "
            f"of BBC {signed(rows['bias'].mean())}, coverage {100 * rows['coverage'].mean():.1f}% "
            f"(lowest {100 * rows['coverage'].min():.0f}%), rejected below 95% in {under}"
            + (
                "."
                if method == EVERYTHING
                else f"; selects what the full search selects in {100 * rows['same'].mean():.1f}% "
                f"of the data sets, at a mean price of {_price(rows['price'].mean())}."
            )
        )
    settings = both.merge(with_halving, on=SETTING)
    means = settings.groupby("method", sort=False)[["fits", "price", "same"]].mean()
    said = "; ".join(
        f"{name} {100 * row['fits']:.0f}% of the fits, price {_price(row['price'])}, the same "
        f"choice in {100 * row['same']:.0f}%"
        for name, row in means.iterrows()
        if name != EVERYTHING
    )
    if said:
        lines.append(f"- In the settings with halving, AUC: {said}.")
    return "\n".join([*lines, ""])


def _price(value: float) -> str:
    """Four decimals with a sign; zero has none."""
    text = f"{value:+.4f}"
    return text[1:] if float(text) == 0 else text


PARTS = {("dropping", "table"): table, ("dropping", "summary"): summary}
"""Results file and part of it -> function that makes its text."""
