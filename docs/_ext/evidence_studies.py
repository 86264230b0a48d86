"""Tables of two-sided intervals for tuned models, and of biases."""

import pandas as pd
from coverage_tables import crossed, markdown

from benchmarks.studies.testbed import METRICS, summary

TITLES = {
    "roc_auc": "AUC", "accuracy": "accuracy", "balanced_accuracy": "balanced accuracy",
    "neg_log_loss": "log loss",
}  # fmt: skip
SETTING = ["data", "N", "folds"]
AWARE = ("BBC", "BBC-F", "BBC rescaled")
"""Methods that take the whole choice into account."""
OFTEN = (
    *AWARE, "BT", "DL", "HM", "MABT", "DeLong", "Wald", "Bayle, all pairs",
    "pooled bootstrap, percentile", "naive bootstrap of folds", "hierarchical, percentile",
    "corrected t", "Param-CA, t",
)  # fmt: skip
"""Methods of the first table; all others stand in a second one."""


def often_used(table: pd.DataFrame) -> str:
    """The methods that people ask about."""
    there = set(table["method"])
    return over_settings(table, [method for method in OFTEN if method in there])


def other_methods(table: pd.DataFrame) -> str:
    """All other methods and forms."""
    return over_settings(table, [name for name in table["method"].unique() if name not in OFTEN])


def over_settings(table: pd.DataFrame, methods: list[str]) -> str:
    """Methods down, metrics across: mean coverage, relative width, settings below the promise."""
    found = summary(table).set_index(["method", "part"])
    metrics = [metric for metric in METRICS if (table["part"] == metric).any()]
    rows = []
    for method in methods:
        cells = []
        for metric in metrics:
            if (method, metric) not in found.index:
                cells.append("")
                continue
            row = found.loc[(method, metric)]
            if row["settings"] == 0:
                cells.append("none")
                continue
            text = f"{100 * row['coverage']:.0f} ({row['width_to_bbc']:.2f})"
            if row["under"]:
                text = f"**{text}** {row['under']:.0f}/{row['settings']:.0f}"
            cells.append(text.replace(" ", "&nbsp;"))
        rows.append([method, *cells])
    return markdown(["method", *(TITLES[metric] for metric in metrics)], rows)


def of_metric(metric: str):
    """Methods down, settings across."""

    def make(table: pd.DataFrame) -> str:
        # In the order of the runs, not of the alphabet.
        part = table[table["part"] == metric]
        return crossed(part, SETTING, "{data}, N = {N}, {folds} folds")

    return make


def too_little(table: pd.DataFrame) -> str:
    """Settings where a method that takes the choice into account holds too little."""
    found = table[table["method"].isin(AWARE)]
    text = []
    for method in AWARE:
        of_method = found[(found["method"] == method) & found["coverage"].notna()]
        under = of_method[of_method["verdict"] == "under"]
        text.append(f"- {method} holds too little in {len(under)} of {len(of_method)}")
        where = [
            f"{TITLES[row['part']]} of {row['data']} {100 * row['coverage']:.0f}%"
            for _, row in under.iterrows()
        ]
        text[-1] += f": {', '.join(where)}." if where else "."
    return "\n".join([*text, ""])


def signed(value: float) -> str:
    """Three decimals with a sign."""
    return "" if pd.isna(value) else f"{value:+.3f}"


def bias(table: pd.DataFrame) -> str:
    """Samples down, configurations in blocks, methods across."""
    methods = list(dict.fromkeys(table["method"]))
    rows = []
    for (n_configs, n_samples), of_size in table.groupby(["C", "N"]):
        found = of_size.set_index("method")["bias"]
        rows.append([str(n_configs), str(n_samples), *(signed(found.get(m)) for m in methods)])
    return markdown(["C", "N", *methods], rows)


def bias_range(table: pd.DataFrame) -> str:
    """Most extreme biases of each method, and the standard error behind them."""
    rows = []
    for method, found in table.groupby("method", sort=False):
        low, high = found.loc[found["bias"].idxmin()], found.loc[found["bias"].idxmax()]
        rows.append(
            [method, *(f"{signed(row['bias'])} ({row['C']}, {row['N']})" for row in (low, high)),
             f"{found['bias'].abs().mean():.3f}"]
        )  # fmt: skip
    text = markdown(["method", "lowest (at C, N)", "highest (at C, N)", "mean size"], rows)
    return f"{text}\nThe standard error of a bias is at most {table['bias_se'].max():.3f}.\n"


def bias_real(table: pd.DataFrame) -> str:
    """Bias and spread of the estimates on real data, methods across."""
    return _by_data(table, lambda row: f"{signed(row['bias'])} ({row['spread']:.3f})")


def times_real(table: pd.DataFrame) -> str:
    """Seconds for the final model with its estimate."""
    return _by_data(table, lambda row: f"{row['seconds_each']:.2f}")


def _by_data(table: pd.DataFrame, show) -> str:
    methods = list(dict.fromkeys(table["method"]))
    rows = []
    for (data, pipeline), of_data in table.groupby(["data", "pipeline"], sort=False):
        found = {row["method"]: show(row) for _, row in of_data.iterrows()}
        rows.append([f"{data}: {pipeline}", *(found.get(method, "") for method in methods)])
    return markdown(["data", *methods], rows)


PARTS = {
    (study, part): make
    for study in ("testbed", "generated")
    for part, make in {
        "often": often_used, "others": other_methods, "too_little": too_little,
        **{metric: of_metric(metric) for metric in METRICS},
    }.items()
} | {
    ("bias", "table"): bias, ("bias", "range"): bias_range,
    ("bias_real", "table"): bias_real, ("bias_real", "times"): times_real,
}  # fmt: skip
"""Results file and part of it -> function that makes its text."""
