"""The number and the plot of the start page."""

import pandas as pd

from benchmarks.studies.showcase import means

FIGURES = {"showcase": "Best score and corrected score, each minus the score on other applicants"}
"""Results file of a plot -> what it shows."""


def start(table: pd.DataFrame) -> str:
    """The number in a sentence, the plot, and that one data set can miss."""
    found = means(table)
    # Adding 0 makes -0.0 a plain 0.
    found = found.round(4) + 0
    best, bbc = found.loc["best_score"], found.loc["bbc_score"]
    inside = table["held_out"].between(table["low"], table["high"]).sum()
    below, above = bbc["lowest"], bbc["highest"]
    return (
        f"On {len(table)} random samples of 50 applicants from the German credit data, the best "
        f"of 102 configurations promised an AUC of {best['mean']:.2f}. The selected models were "
        f"worth {found.loc['held_out', 'mean']:.2f}. **The best score was {best['too_high']:.2f} "
        f"too high, the corrected score {bbc['too_high']:.2f}.**\n\n"
        f"![{FIGURES['showcase']}](generated/evidence_showcase.png)\n\n"
        "Each dot is one sample; what a model is worth is its ROC AUC on the 950 other "
        "applicants. The correction is about right on average. On one data set it can miss, here "
        f"by {below:+.2f} to {above:+.2f}. That is why there is an interval, and it contained the "
        f"truth on {inside} of the {len(table)} samples.\n"
    )


def summary(table: pd.DataFrame) -> str:
    """Mean, spread and range of each score's distance from the truth."""
    names = {"best_score": "best cross-validated score", "bbc_score": "BBC"}
    rows = [
        "| score | mean | too high by | standard deviation | range |",
        "|---|---:|---:|---:|---|",
    ]
    for name, row in (means(table).round(4) + 0).loc[list(names)].iterrows():
        rows.append(
            f"| {names[name]} | {row['mean']:.3f} | {row['too_high']:+.3f} | {row['sd']:.3f} | "
            f"{row['lowest']:+.2f} to {row['highest']:+.2f} |"
        )
    return "\n".join([*rows, ""])


PARTS = {("showcase", "start"): start, ("showcase", "summary"): summary}
"""Results file and part of it -> function that makes its text."""
