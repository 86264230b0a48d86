"""The study of corrected curves: every announced method is there, and a run makes a table."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import coverage
from benchmarks.studies.curves import (
    CURVE_STUDY,
    CURVES,
    METHODS,
    SETTINGS,
    SLOPE,
    Band,
    draw,
    summarise,
)  # fmt: skip

SEED = np.random.SeedSequence(1)


def test_parts_are_those_that_are_announced():
    setting = SETTINGS["mixed_100"]
    found = [(part.name, method) for part in draw(setting, SEED, 0) for method in part.intervals]
    assert found == CURVE_STUDY.parts(setting)


def test_a_band_that_misses_at_one_point_does_not_contain_the_curve():
    rows = []
    for repetition, low in enumerate((-0.1, 0.05, -0.2, -0.3)):
        for method in METHODS:
            row = {"setting": "mixed_100", "part": "ROC", "method": method, "seconds": 0.1}
            rows.append(
                {**row, "estimate": 0.5, "low": low, "high": 0.1, "repetition": repetition}
            )
    table = summarise(CURVE_STUDY, pd.DataFrame(rows))
    assert table.loc[0, "joint"] == 0.75 and not table.loc[0, "rejected"]


@pytest.mark.parametrize("found", [Band(0.5), Band(0.5, -0.1, 0.2)])
def test_a_band_unpacks_into_its_limits(found):
    low, high = found
    assert (low, high) == (found.low, found.high) or np.isnan([low, high]).all()


def test_a_small_run(tmp_path):
    table = coverage.main(
        ["curves", "--settings", "mixed_100", "--repetitions", "2", "--n-bootstraps", "50",
         "--output", str(tmp_path)]
    )  # fmt: skip
    assert table["curve"].tolist() == [*CURVES, SLOPE]
    assert table.loc[table["curve"] == SLOPE, "all points"].isna().all()
    assert table["joint"].between(0, 1).all() and (table["runs"] == 2).all()
    assert (table["width"] > 0).all()
