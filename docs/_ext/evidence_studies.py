"""Tables of two-sided intervals for tuned models, of rules of selection, and of biases."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from coverage_tables import crossed, percent

from benchmarks.harness.record import markdown
from benchmarks.studies.pooling import BEST_SCORE
from benchmarks.studies.rules import ONCE, REPEATED
from benchmarks.studies.testbed import METRICS, summary

TITLES = {
    "roc_auc": "AUC", "accuracy": "accuracy", "balanced_accuracy": "balanced accuracy",
    "neg_log_loss": "log loss",
}  # fmt: skip
SETTING = ["data", "N", "folds"]
AWARE = ("BBC", "BBC-F", "ShrunkenBBC")
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
    """Methods down, metrics across: mean coverage, relative width, settings below the level."""
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
    return markdown(
        pd.DataFrame(rows, columns=["method", *(TITLES[metric] for metric in metrics)]), text=1
    )


def of_metric(metric: str):
    """Methods down, settings across."""

    def make(table: pd.DataFrame) -> str:
        # In the order of the runs, not of the alphabet.
        part = table[table["part"] == metric]
        return crossed(part, SETTING, "{data}, N = {N}, {folds} folds")

    return make


def too_little(table: pd.DataFrame) -> str:
    """Settings where a method that takes the choice into account under-covers."""
    found = table[table["method"].isin(AWARE)]
    text = []
    for method in AWARE:
        of_method = found[(found["method"] == method) & found["coverage"].notna()]
        under = of_method[of_method["verdict"] == "under"]
        text.append(f"- {method} under-covers in {len(under)} of {len(of_method)}")
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
    return markdown(pd.DataFrame(rows, columns=["C", "N", *methods]), text=1)


def bias_range(table: pd.DataFrame) -> str:
    """Most extreme biases of each method, and the standard error behind them."""
    rows = []
    for method, found in table.groupby("method", sort=False):
        low, high = found.loc[found["bias"].idxmin()], found.loc[found["bias"].idxmax()]
        rows.append(
            [method, *(f"{signed(row['bias'])} ({row['C']}, {row['N']})" for row in (low, high)),
             f"{found['bias'].abs().mean():.3f}"]
        )  # fmt: skip
    text = markdown(
        pd.DataFrame(
            rows, columns=["method", "lowest (at C, N)", "highest (at C, N)", "mean size"]
        ),
        text=1,
    )
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
    return markdown(pd.DataFrame(rows, columns=["data", *methods]), text=1)


TRUTHS = ("fold models", "final model")
POOLED = ["N", "folds"]
POOLED_TITLE = "N = {N}, {folds} folds"


def pooling_bias(table: pd.DataFrame) -> str:
    """Estimate minus truth, of the models of the folds and of the final model."""
    settings = table[POOLED].drop_duplicates().sort_values(POOLED)
    rows = []
    for (part, method), found in table.groupby(["part", "method"], sort=False):
        biases = found.set_index([*POOLED, "estimand"])["bias"]
        cells = [
            " / ".join(signed(biases.get((*size, truth), np.nan)) for truth in TRUTHS)
            for size in settings.itertuples(index=False, name=None)
        ]
        rows.append([f"{part}: {method}", *cells])
    titles = [POOLED_TITLE.format(**size) for size in settings.to_dict("records")]
    return markdown(pd.DataFrame(rows, columns=["configurations and method", *titles]), text=1)


def pooling_coverage(table: pd.DataFrame) -> str:
    """Coverage of the same two truths and mean width, without what has no interval."""
    table = table[table["method"] != BEST_SCORE]
    names = table["part"] + ": " + table["method"]
    return crossed(table.assign(method=names), POOLED, POOLED_TITLE)


def pooling_tuned(table: pd.DataFrame) -> str:
    """Settings down, methods across: bias, then coverage and width where there is an interval."""
    methods = list(dict.fromkeys(table["method"]))
    rows = []
    for setting, found in table.groupby(SETTING, sort=False):
        cells = []
        for _, row in found.set_index("method").loc[methods].iterrows():
            text = signed(row["bias"])
            if row["width"] > 0:
                text += f", {percent(row)} ({row['width']:.2f})"
            cells.append(text.replace(" ", "&nbsp;"))
        kind, n_samples, n_folds = setting
        each = f"{n_samples / n_folds:g}"
        rows.append([f"{kind}, N = {n_samples}, {n_folds} folds of {each}", *cells])
    return markdown(pd.DataFrame(rows, columns=["data", *methods]), text=1)


def noise(table: pd.DataFrame) -> str:
    """What was tuned and what is said of it down; truth, bias, coverage and width across."""
    rows = []
    for _, row in table.iterrows():
        interval = ["", ""]
        if row["width"] > 0:
            interval = [percent(row), f"{row['width']:.3f}"]
        said = f"{row['truth'] + row['bias']:.3f}"
        texts = [row["part"], row["method"], f"{row['truth']:.3f}", said, signed(row["bias"])]
        rows.append([*texts, *interval])
    header = ["tuned", "what is said", "truth", "mean", "mean minus truth", "coverage", "width"]
    return markdown(pd.DataFrame(rows, columns=header), text=2)


def ensembles(table: pd.DataFrame) -> str:
    """Data down; for the ensemble and the best configuration the hold-out and both biases."""
    parts, methods = (list(dict.fromkeys(table[name])) for name in ("part", "method"))
    header = ["data"]
    for part in parts:
        header += [f"{part}: hold-out", *(f"{method} minus it" for method in methods)]
    found = table.set_index(["data", "part", "method"])
    rows, numbers = [], []
    for data in table["data"].unique():
        values = []
        for part in parts:
            values.append(found.loc[(data, part, methods[0]), "truth"])
            values += [found.loc[(data, part, method), "bias"] for method in methods]
        numbers.append(values)
        rows.append([data, *_truth_and_biases(values, len(methods))])
    rows.append(["mean", *_truth_and_biases(np.mean(numbers, axis=0), len(methods))])
    return markdown(pd.DataFrame(rows, columns=_unique(header)), text=1)


def _truth_and_biases(values, n_biases: int) -> list[str]:
    return [
        signed(value) if k % (n_biases + 1) else f"{value:.3f}" for k, value in enumerate(values)
    ]


def _unique(names: list[str]) -> list[str]:
    """Equal headers told apart by spaces, which Markdown does not show."""
    return [name + " " * names[:k].count(name) for k, name in enumerate(names)]


def rules_over_settings(table: pd.DataFrame) -> str:
    """Rules down; coverage, settings below the level, bias and width of both forms across."""
    header = ["rule", "settings"]
    for form in (REPEATED, ONCE):
        short = form.removeprefix("BBC, rule ")
        header += [f"{short}: coverage", "bias", "width"]
    rows = []
    for rule, of_rule in table.groupby("part", sort=False):
        row = [rule, str(len(of_rule[SETTING].drop_duplicates()))]
        for form in (REPEATED, ONCE):
            found = of_rule[(of_rule["method"] == form) & of_rule["coverage"].notna()]
            if found.empty:
                row += ["none", "", ""]
                continue
            under = (found["verdict"] == "under").sum()
            text = f"{100 * found['coverage'].mean():.1f}"
            if under:
                text = f"**{text}** {under}/{len(found)}"
            row += [text, signed(found["bias"].mean()), f"{found['width'].mean():.3f}"]
        rows.append(row)
    return markdown(pd.DataFrame(rows, columns=header), text=1)


def rules_by_setting(form: str) -> Callable[[pd.DataFrame], str]:
    """Rules down, settings across, of one form."""

    def make(table: pd.DataFrame) -> str:
        found = table[table["method"] == form]
        title = "{data}, N = {N}, {folds} folds"
        return crossed(found.assign(method=found["part"]), SETTING, title)

    return make


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
    ("pooling", "bias"): pooling_bias, ("pooling", "coverage"): pooling_coverage,
    ("pooling_tuned", "table"): pooling_tuned,
    ("noise", "table"): noise, ("ensembles", "table"): ensembles,
    ("rules", "summary"): rules_over_settings,
    ("rules", "repeated"): rules_by_setting(REPEATED), ("rules", "once"): rules_by_setting(ONCE),
}  # fmt: skip
"""Results file and part of it -> function that makes its text."""
