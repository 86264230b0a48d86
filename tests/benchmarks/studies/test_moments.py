"""The study of normal draws: its data have their truths, and its table the differences."""

import argparse

import numpy as np
import pandas as pd
import pytest

from benchmarks.harness import study as _study
from benchmarks.studies.moments import MOMENTS, NORMAL, SAMPLES, SIZES, Setting, summarise
from sklearn_bbc.contest._question import metric_for

LIGHT = [data for data in SIZES if "t(3)" not in data and "1.5" not in data]


@pytest.mark.parametrize("data", LIGHT)
def test_mean_scores_are_the_truth(data):
    oof, scoring, truth = Setting(data, 40_000, 4).draw(np.random.default_rng(0))
    scores = metric_for(oof, scoring).bind(oof).on_data()
    np.testing.assert_allclose(scores, truth, atol=0.04)
    assert (oof.groups is not None) == ("groups" in data)


def test_differences_are_in_units_of_the_width_of_draws_of_samples():
    name = next(iter(MOMENTS.settings))
    rows = [
        (0, SAMPLES, 0.5, 0.4, 0.6), (0, NORMAL, 0.51, 0.4, 0.62),
        (1, SAMPLES, 0.5, 0.4, 0.8), (1, NORMAL, 0.5, 0.42, 0.8),
        (2, SAMPLES, 0.5, 0.4, 0.6), (2, NORMAL, np.nan, np.nan, np.nan),
    ]  # fmt: skip
    found = pd.DataFrame(rows, columns=["repetition", "method", "estimate", "low", "high"])
    found = found.assign(
        setting=name, truth=[0.45] * 2 + [0.41] * 2 + [0.9] * 2, seconds=[4, 1] * 3
    )
    (row,) = summarise(MOMENTS, found).to_dict("records")
    assert row["refused"] == pytest.approx(1 / 3)
    assert (row["estimate"], row["estimate_most"]) == pytest.approx((0.025, 0.05))
    assert (row["low"], row["low_most"]) == pytest.approx((0.025, 0.05))
    assert (row["high"], row["high_most"]) == pytest.approx((0.05, 0.1))
    assert (row["coverage_samples"], row["coverage_normal"]) == pytest.approx((2 / 3, 0.5))
    assert row["times_faster"] == 4


def test_a_small_part_runs(tmp_path):
    arguments = argparse.ArgumentParser()
    _study.add_arguments(MOMENTS, arguments)
    given = ["--settings", "right-or-wrong-1000-5", "--repetitions", "1", "--n-bootstraps", "200",
             "--output", str(tmp_path)]  # fmt: skip
    table = _study.conduct(MOMENTS, arguments.parse_args(given))
    assert (table["refused"] == 0).all()
    assert (table["estimate_most"] < 0.2).all()
    assert (tmp_path / "moments.csv").exists()
