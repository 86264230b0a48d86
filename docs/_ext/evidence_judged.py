"""Tables of the best of several systems that a judge scored."""

import pandas as pd

from benchmarks.harness.record import markdown

PLACES = ["data", "judge", "C", "labels"]
ALONE = "labels alone"


def beside(found: pd.DataFrame) -> pd.DataFrame:
    """Rows with width and error relative to the labels of people alone."""
    alone = found[found["method"] == ALONE].set_index(PLACES)[["width", "rmse"]]
    both = found.merge(alone, "left", left_on=PLACES, right_index=True, suffixes=("", "_alone"))
    return both.assign(
        narrow=both["width"] / both["width_alone"], error=both["rmse"] / both["rmse_alone"]
    )


def by_judge(found: pd.DataFrame) -> str:
    """Judges and methods down: coverage, rejections, how much too high, width and error."""
    rows = []
    for (judge, method), group in beside(found).groupby(["judge", "method"], sort=False):
        share = 100 * group["coverage"]
        high = group.loc[group["data"] != "ratings", "bias"]
        rows.append(
            [
                judge, method, str(len(group)), f"{share.mean():.1f}%&nbsp;({share.min():.0f})",
                str(int((group["verdict"] == "under").sum())),
                f"{high.mean():+.3f}" if len(high) else "-",
                f"{group['narrow'].mean():.2f}&nbsp;({group['narrow'].max():.2f})",
                f"{group['error'].mean():.2f}&nbsp;({group['error'].max():.2f})",
            ]
        )  # fmt: skip
    header = ["judge", "method", "settings", "coverage (lowest)", "rejected", "too high by",
              "width (largest)", "error (largest)"]  # fmt: skip
    return markdown(pd.DataFrame(rows, columns=header), text=2)


def sentence(found: pd.DataFrame) -> str:
    """Say how many settings were rejected, and how wide the intervals are."""
    both = beside(found)
    ours = both[both["method"] == "best_of"]
    rejected = {m: int((g["verdict"] == "under").sum()) for m, g in both.groupby("method")}
    counts = ", ".join(f"{method} in {n}" for method, n in rejected.items())
    return (
        f"Of {len(ours)} settings the level is rejected for {counts}. The interval of `best_of` "
        f"with a judge is {ours['narrow'].mean():.2f} times as wide as that of the labels alone, "
        f"at most {ours['narrow'].max():.2f} times; wider by more than 5% in "
        f"{int((ours['narrow'] > 1.05).sum())} settings. Its error is larger than theirs by more "
        f"than 10% in {int((ours['error'] > 1.1).sum())} settings.\n"
    )


PARTS = {
    ("judged", "score"): by_judge,
    ("judged", "sentence"): sentence,
}
