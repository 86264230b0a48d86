"""Tables of learning curves: what intervals hold at each size, and the fitted curve beyond."""

from collections.abc import Callable

import pandas as pd
from coverage_tables import percent

from benchmarks.harness.record import markdown
from benchmarks.studies.learning import CORRECTED, FITTED, PLAIN, WHOLE_FOLDS

METHODS = {CORRECTED: f"`{CORRECTED}`", WHOLE_FOLDS: WHOLE_FOLDS, PLAIN: PLAIN}
SETTING = ["learner", "N"]


def of_metric(metric: str) -> Callable[[pd.DataFrame], str]:
    """Settings and methods down, sizes across: coverage and mean width."""

    def make(table: pd.DataFrame) -> str:
        part = of_part(table, metric)
        part = part[part["method"] != FITTED]
        sizes = list(dict.fromkeys(part["size"]))
        rows = []
        for (learner, n), found in part.groupby(SETTING, sort=False):
            for method, name in METHODS.items():
                of_method = found[found["method"] == method].set_index("size")
                cells = [
                    f"{percent(of_method.loc[size])} ({of_method.loc[size, 'width']:.2f})"
                    for size in sizes
                ]
                rows.append([f"{learner}, N = {n}: {name}", *cells])
        return markdown(pd.DataFrame(rows, columns=["learner and interval", *sizes]), text=1)

    return make


def beyond(table: pd.DataFrame) -> str:
    """Settings down, metrics and sizes across: bias and error of the fitted curve."""
    found = table[table["method"] == FITTED]
    parts = list(dict.fromkeys(found["part"]))
    rows = []
    for (learner, n), of_setting in found.groupby(SETTING, sort=False):
        of_setting = of_setting.set_index("part")
        cells = [
            f"{of_setting.loc[part, 'bias']:+.3f} ({of_setting.loc[part, 'rmse']:.3f})"
            for part in parts
        ]
        rows.append([f"{learner}, N = {n}", *cells])
    header = [part.replace("roc_auc", "AUC") for part in parts]
    return markdown(pd.DataFrame(rows, columns=["learner", *header]), text=1)


def errors(table: pd.DataFrame) -> str:
    """In a sentence: how far the mean score at the largest size is off, for comparison."""
    last = table[table["part"].str.endswith(" 100%") & (table["method"] == CORRECTED)]
    return (
        "For comparison: at the largest size the root mean squared error of the mean score is "
        f"{last['rmse'].min():.3f} to {last['rmse'].max():.3f}.\n"
    )


def of_part(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Rows of a metric, with the size in a column of its own."""
    names = table["part"].str.split(", ", expand=True)
    return table.assign(size=names[1])[names[0] == metric]


PARTS = {
    ("learning", "roc_auc"): of_metric("roc_auc"),
    ("learning", "accuracy"): of_metric("accuracy"),
    ("learning", "beyond"): beyond,
    ("learning", "errors"): errors,
}
"""Results file and part of it -> function that makes its text."""
