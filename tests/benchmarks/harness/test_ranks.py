"""Average ranks by the published rules: the printed ones come out again."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.harness.ranks import average_ranks, grid, lower_tail, ranks_in_row
from benchmarks.published.table2_methods import PUBLISHED

SETTING = ["alpha", "beta", "N", "C", "balance"]


def of_printed_cells(numbers, printed, row):
    """Unrounded numbers where the published table prints any."""
    shown = printed[printed["inclusion"].notna()][[*row, "method"]]
    numbers = shown.merge(numbers, on=[*row, "method"], how="left", validate="1:1")
    return numbers.assign(rejected=numbers["binom_lower_p"] <= 0.05)


def test_the_printed_average_ranks_of_table_2(shared):
    folder = shared / "reference"
    table = of_printed_cells(
        pd.read_csv(folder / "reference_simulation.csv"),
        pd.read_csv(folder / "paper_table2.csv"),
        SETTING,
    )
    ranks, n_rows = average_ranks(table, SETTING, PUBLISHED)
    assert n_rows == 8
    assert list(ranks) == [1, 2.125, 5.125, 6.625, 3.375, 8, 10, 5, 5, 8.5]


def test_the_printed_average_ranks_of_table_3(shared):
    folder = shared / "reference"
    table = of_printed_cells(
        pd.read_csv(folder / "reference_real.csv"),
        pd.read_csv(folder / "paper_table3.csv"),
        ["dataset"],
    )
    ranks, n_rows = average_ranks(table, ["dataset"], PUBLISHED)
    assert n_rows == 10
    assert list(ranks.round(10)) == [1.6, 1.8, 5.9, 5.3, 5.6, 6.9, 8.0, 5.8, 4.9, 9.0]


def test_the_verdicts_are_those_of_the_published_table(shared):
    published = pd.read_csv(shared / "reference" / "reference_simulation.csv")
    published = published[published["inclusion"].notna()]
    runs = 200 - published["missing_runs_of_200"].fillna(0)
    covered = (published["inclusion"] * runs).round().astype(int)
    ours = [lower_tail(k, n) for k, n in zip(covered, runs, strict=True)]
    np.testing.assert_allclose(ours, published["binom_lower_p"], rtol=1e-4)


def test_rejected_methods_stand_behind_and_ties_share_the_better_rank():
    ranks = ranks_in_row(
        np.array([0.9, 0.1, 0.1, -0.5, -0.2]),
        np.array([0.95, 1.0, 0.99, 0.5, 0.9]),
        np.array([False, False, False, True, True]),
    )
    assert list(ranks) == [3, 1, 1, 5, 4]


@pytest.fixture
def small():
    return pd.DataFrame(
        {
            "row": [1, 1, 2, 2],
            "method": ["a", "b", "a", "b"],
            "tightness": [0.1, 0.2, 0.3, np.nan],
            "inclusion": [0.95, 0.5, 0.95, np.nan],
            "rejected": [False, True, False, True],
        }
    )


def test_rows_without_a_result_of_some_method_do_not_count(small):
    ranks, n_rows = average_ranks(small, ["row"], ["b", "a"])
    assert (n_rows, ranks.to_dict()) == (1, {"b": 2.0, "a": 1.0})
    ranks, n_rows = average_ranks(small[small["row"] == 2], ["row"], ["b", "a"])
    assert n_rows == 0
    assert ranks.isna().all()


def test_the_grid_marks_what_is_not_rejected(small):
    shown = grid(small, ["row"], ["a", "b", "none"])
    assert list(shown.columns) == ["row", "a", "b"]
    assert shown.iloc[0].tolist() == [1, "**0.95 (0.10)**", "0.50 (0.20)"]
    assert shown.iloc[1].tolist() == [2, "**0.95 (0.30)**", "-"]
