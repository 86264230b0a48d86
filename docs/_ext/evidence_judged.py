"""Tables of the best of several systems that a judge scored."""

import pandas as pd

from benchmarks.harness.record import markdown
from benchmarks.harness.study import relative_to

PLACES = ["data", "judge", "C", "labels"]
ALONE = "labels alone"


def beside(found: pd.DataFrame) -> pd.DataFrame:
    """Rows with width and error relative to the labels of people alone."""
    return relative_to(found, (ALONE,), PLACES)


def by_judge(found: pd.DataFrame) -> str:
    """Judges and methods down: coverage, rejections, how much too high, width and error."""
    rows = []
    for (judge, method), group in beside(found).groupby(["judge", "method"], sort=False):
        share = 100 * group["coverage"]
        high = group.loc[group["data"] != "ratings", "bias"]
        rows.append(
            [
                judge, method, str(len(group)), f"{share.mean():.1f}%&nbsp;({share.min():.0f})",
                str(int(group["rejected"].sum())),
                f"{high.mean():+.3f}" if len(high) else "-",
                f"{group['width'].mean():.2f}&nbsp;({group['width'].max():.2f})",
                f"{group['rmse'].mean():.2f}&nbsp;({group['rmse'].max():.2f})",
            ]
        )  # fmt: skip
    header = ["judge", "method", "settings", "coverage (lowest)", "rejected", "too high by",
              "width (largest)", "error (largest)"]  # fmt: skip
    return markdown(pd.DataFrame(rows, columns=header), text=2)


def sentence(found: pd.DataFrame) -> str:
    """Say how many settings were rejected, and how wide the intervals are."""
    both = beside(found)
    ours = both[both["method"] == "best_of"]
    rejected = both.groupby("method")["rejected"].sum()
    counts = ", ".join(f"{method} in {n}" for method, n in rejected.items())
    return (
        f"Of {len(ours)} settings the level is rejected for {counts}. The interval of `best_of` "
        f"with a judge is {ours['width'].mean():.2f} times as wide as that of the labels alone, "
        f"at most {ours['width'].max():.2f} times; wider by more than 5% in "
        f"{int((ours['width'] > 1.05).sum())} settings. Its error is larger than theirs by more "
        f"than 5% in {int((ours['rmse'] > 1.05).sum())} settings.\n"
    )


PARTS = {
    ("judged", "score"): by_judge,
    ("judged", "sentence"): sentence,
}
