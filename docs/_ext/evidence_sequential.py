"""Tables of systems that are scored item by item, and dropped on the way."""

import pandas as pd

from benchmarks.harness.record import markdown
from benchmarks.studies.sequential import (
    ADASTOP,
    BETS,
    EVERYTHING,
    REPEATED,
    STOPPED,
    TO_THE_END,
)  # fmt: skip

SETTING = ["data", "N", "C", "kind"]


def lost(found: pd.DataFrame) -> str:
    """Settings down: how often the best one is lost, and the share of evaluations."""
    names = {BETS: "", REPEATED: " by t tests"}
    return _lost(found[found["part"] == STOPPED], names)


def beside(found: pd.DataFrame) -> str:
    """As `lost`, with AdaStop."""
    return _lost(found, {BETS: "", ADASTOP: f" by {ADASTOP}", REPEATED: " by t tests"})


def _lost(found: pd.DataFrame, names: dict[str, str]) -> str:
    rows = []
    for setting, group in found.groupby(SETTING, sort=False):
        by = group.set_index("method")
        cells = [_percent(by.loc[each, what]) for each in names for what in ("lost", "share")]
        rows.append([*map(str, setting), *cells])
    columns = [f"{what}{by}" for by in names.values() for what in ("best lost", "used")]
    return markdown(pd.DataFrame(rows, columns=[*SETTING, *columns]), text=4)


def score(found: pd.DataFrame) -> str:
    """What the dropping and the stopping do to the corrected score, means over settings."""
    rows = []
    for method, part, name in (
        (EVERYTHING, TO_THE_END, "nothing dropped, all items"),
        (BETS, TO_THE_END, "dropped by bets, all items"),
        (BETS, STOPPED, "dropped by bets, stopped with one left"),
        (REPEATED, TO_THE_END, "dropped by t tests, all items"),
        (REPEATED, STOPPED, "dropped by t tests, stopped with one left"),
    ):
        group = found[(found["method"] == method) & (found["part"] == part)]
        rows.append(
            [
                name, f"{group['bias'].mean():+.3f}", f"{group['bias'].max():+.3f}",
                f"{100 * group['coverage'].mean():.1f}%",
                str(int((group["verdict"] == "under").sum())), f"{group['price'].mean():.4f}",
            ]
        )  # fmt: skip
    header = ["", "bias", "largest bias", "coverage", "rejected", "price"]
    return markdown(pd.DataFrame(rows, columns=header), text=1)


def sentence(found: pd.DataFrame) -> str:
    """Say how often the best one was lost, over all settings."""
    texts = []
    for method in (BETS, REPEATED):
        rows = found[(found["part"] == STOPPED) & (found["method"] == method)]
        n_lost = int((rows["lost"] * rows["runs"]).round().sum())
        n_above = int(rows["too often"].sum())
        texts.append(
            f"{method} lost the best one in {n_lost:,} of {rows['runs'].sum():,} data sets (at "
            f"most {_percent(rows['lost'].max())} in a setting; above 5% by more than chance in "
            f"{n_above} of {len(rows)} settings) and used {_percent(rows['share'].mean())} of the "
            "evaluations"
        )
    return f"Together: {'; '.join(texts)}.\n"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


PARTS = {
    ("sequential", "lost"): lost,
    ("sequential", "score"): score,
    ("sequential", "sentence"): sentence,
    ("adastop", "beside"): beside,
}
