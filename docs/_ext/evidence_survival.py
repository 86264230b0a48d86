"""Tables of censored times: weights of censoring from each draw, or from all samples."""

import pandas as pd
from coverage_tables import percent

from benchmarks.harness.record import markdown
from benchmarks.studies.survival import METHODS, METRICS

SHORT = dict(zip(METHODS, ("each draw", "all samples")))
"""Method -> samples that give the weights."""
SETTING = ["data", "censored", "N", "C"]


def coverage(table: pd.DataFrame) -> str:
    """Setting down; coverage in percent and mean width, by metric and weights."""
    return _crossed(table, lambda row: f"{percent(row)} ({row['width']:.3f})")


def bias(table: pd.DataFrame) -> str:
    """Setting down; estimate minus truth, with its standard error."""
    return _crossed(table, lambda row: f"{row['bias']:+.3f} ± {row['bias_se']:.3f}")


def _crossed(table: pd.DataFrame, show) -> str:
    rows = []
    for (data, censored, n_samples, n_configs), found in table.groupby(SETTING, sort=False):
        found = found.set_index(["part", "method"])
        name = f"{data}, {100 * censored:.0f}% censored, N = {n_samples}, C = {n_configs}"
        rows.append(
            {"data": name}
            | {
                f"{metric}: {SHORT[method]}": show(found.loc[(metric, method)])
                for metric in METRICS
                for method in METHODS
            }
        )
    return markdown(pd.DataFrame(rows), text=1)


def by_weights(table: pd.DataFrame) -> str:
    """Metric down; mean coverage on generated and real data, settings below the level, widths."""
    rows = []
    for metric in METRICS:
        of_metric = table[table["part"] == metric]
        widths = of_metric.pivot_table(index=SETTING, columns="method", values="width")
        ratio = widths[METHODS[1]] / widths[METHODS[0]]
        for method in METHODS:
            found = of_metric[of_metric["method"] == method]
            made = found["data"] == "generated"
            rows.append(
                {
                    "metric": metric,
                    "weights from": SHORT[method],
                    "generated": f"{100 * found.loc[made, 'coverage'].mean():.1f}",
                    "real": f"{100 * found.loc[~made, 'coverage'].mean():.1f}",
                    "lowest": f"{100 * found['coverage'].min():.1f}",
                    "below 95%": f"{(found['verdict'] == 'under').sum()} of {len(found)}",
                    "width, relative": "1"
                    if method == METHODS[0]
                    else f"{ratio.mean():.2f} ({ratio.min():.2f} to {ratio.max():.2f})",
                }
            )
    return markdown(pd.DataFrame(rows), text=2)


PARTS = {
    ("survival", "weights"): by_weights,
    ("survival", "coverage"): coverage,
    ("survival", "bias"): bias,
}
"""Results file and part of it -> function that makes its text."""
