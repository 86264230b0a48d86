"""The published comparison: it can be resumed, and its numbers come out again."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import coverage
from benchmarks.harness import record, references
from benchmarks.harness.references import compare, inclusion_tolerance, lower_bound_tolerance
from benchmarks.published import table2 as _table2

SMALL = ["--rows", "14", "--n-bootstraps", "40"]
ONE_WINNER = ["BBC", "BBC-F", "NB", "NB-normal"]
"""Methods that report the winner over all samples."""


def table2(output, *arguments):
    return coverage.main(["table2", "--output", str(output), *map(str, arguments)])


def data_sets(output):
    return (output / "table2_data_sets.csv").read_bytes()


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    output = tmp_path_factory.mktemp("unbroken")
    table2(output, *SMALL, "--repetitions", 2)
    return output


def test_neither_processes_nor_order_nor_other_rows_matter(unbroken, tmp_path):
    table2(tmp_path, *SMALL, "--repetitions", 1, "--methods", "NB")
    table2(tmp_path, *SMALL, "--repetitions", 2, "--jobs", 2, "--methods", "BBC", "NB")
    table2(tmp_path, "--rows", 13, "--n-bootstraps", 40, "--repetitions", 1, "--methods", "NB")
    table2(tmp_path, *SMALL, "--repetitions", 2)
    assert data_sets(tmp_path) == data_sets(unbroken)


def test_another_seed_or_number_of_draws_is_another_run(unbroken, tmp_path):
    arguments = ["--rows", "14", "--repetitions", 1, "--methods", "BBC"]
    first = table2(tmp_path, *arguments, "--n-bootstraps", 40, "--seed", 1)
    other = table2(tmp_path, *arguments, "--n-bootstraps", 60, "--seed", 2)
    again = table2(tmp_path, *arguments, "--n-bootstraps", 40, "--seed", 1)
    assert list(first["runs"]) == list(other["runs"]) == [1]
    assert first["lower_bound"][0] != other["lower_bound"][0]
    pd.testing.assert_frame_equal(first, again)


def test_the_table_is_made_of_the_data_sets(unbroken):
    rows = pd.read_csv(unbroken / "table2_data_sets.csv")
    table = pd.read_csv(unbroken / "table2.csv").set_index("method")
    assert list(table.index) == list(_table2.METHODS)
    assert set(rows["repetition"]) == set(range(2))
    alike = rows[rows["method"].isin(ONE_WINNER)]
    assert alike.groupby("repetition")["truth"].nunique().eq(1).all(), "one winner for all"
    assert alike["truth"].nunique() == 2, "every data set is another one"
    split = rows[rows["method"].isin(["DL", "HM", "BT"])]
    assert split.groupby("repetition")["config"].nunique().eq(1).all(), "one split for all"
    undefined = rows["low"].isna()
    assert undefined.any()
    assert (rows["reason"].notna() == undefined).all()
    assert rows.loc[rows["method"] == "BT", "low"].isna().mean() == table.loc["BT", "undefined"]
    bbc = rows[rows["method"] == "BBC"]
    assert table.loc["BBC", "runs"] == 2
    assert table.loc["BBC", "lower_bound"] == pytest.approx(bbc["low"].mean())
    assert table.loc["BBC", "inclusion"] == (bbc["low"] <= bbc["truth"]).mean()
    assert table.loc["BBC", "tightness"] == pytest.approx((bbc["truth"] - bbc["low"]).mean())
    assert table.loc["BBC", "bias"] == pytest.approx((bbc["estimate"] - bbc["truth"]).mean())
    assert table.loc["BBC", "n_bootstraps"] == 40
    assert table.loc["BBC", "code"].split()[0] == record.code().split()[0]


def test_tolerances_are_those_of_two_simulations_of_200_data_sets():
    assert inclusion_tolerance(0.98, 200, 0.98, 200) == pytest.approx(0.04, abs=0.005)
    assert inclusion_tolerance(0.88, 200, 0.88, 200) == pytest.approx(0.10, abs=0.005)
    assert inclusion_tolerance(0.5, 200, 0.5, 200) == pytest.approx(0.15, abs=0.005)
    assert 0 < inclusion_tolerance(1, 200, 1, 200) < 0.03
    assert lower_bound_tolerance(500, 0.1) == pytest.approx(0.018)
    assert lower_bound_tolerance(50, 0.1) == pytest.approx(0.102)
    assert lower_bound_tolerance(50, 0.5) == pytest.approx(0.03)
    assert lower_bound_tolerance(50, 0.5, runs=50) == pytest.approx(0.06)


@pytest.fixture
def numbers():
    """Ours and, in a folder, theirs: the first row agrees, the second does not."""
    ours = pd.DataFrame(
        {
            "alpha": 24, "beta": 6, "N": 500, "C": 100, "balance": 0.1, "row": 1,
            "method": ["BBC", "NB", "new"], "runs": 200, "lower_bound": [0.86, 0.95, 0.8],
            "inclusion": [0.98, 0.9, 1.0], "tightness": [0.07, 0.0, 0.1], "true_auc": 0.9,
        }
    )  # fmt: skip
    theirs = ours.iloc[:2].assign(lower_bound=[0.865, 0.93], inclusion=[0.96, 0.5])
    return ours, theirs.drop(columns=["row", "true_auc"])


def test_differences_beyond_tolerance_are_marked(numbers, tmp_path, capsys):
    ours, theirs = numbers
    theirs = theirs.assign(note="", true_auc_of_selected=0.9)
    theirs.to_csv(tmp_path / "replication_simulation.csv", index=False)
    table = compare(ours, tmp_path)
    verdicts = list(table["replication_verdict"])
    assert verdicts[0] == "ok"
    assert verdicts[1].startswith("lower bound +0.020 (allowed 0.018); inclusion +0.400")
    assert verdicts[2] == ""
    references.show(table)
    printed = capsys.readouterr().out
    assert "! replication: lower bound +0.020" in printed
    assert "replication: 1 of 2 rows within tolerance" in printed


def test_without_published_numbers_the_table_stands_alone(numbers, tmp_path, capsys):
    table = compare(numbers[0], tmp_path)
    pd.testing.assert_frame_equal(table, numbers[0])
    references.show(table)
    assert "No published numbers" in capsys.readouterr().out


def test_a_small_part_of_the_table(tmp_path, shared):
    """Forty data sets of the smallest row: the bounds must be where they were published."""
    table = table2(
        tmp_path, "--rows", "14", "--repetitions", 40, "--n-bootstraps", 200,
        "--reference", shared / "reference", "--methods", *ONE_WINNER,
    ).set_index("method")  # fmt: skip
    assert set(table["replication_verdict"]) == {"ok"}
    assert set(table["published_verdict"]) <= {"ok", ""}
    # Beyond tolerances that are wide for forty data sets: the order of the methods.
    assert table.loc["BBC", "inclusion"] >= 0.9
    assert table.loc["NB", "inclusion"] <= 0.6
    assert abs(table.loc["BBC", "bias"]) < 0.04 < table.loc["NB", "bias"]
    assert np.isfinite(table["lower_bound_se"]).all()


@pytest.mark.slow
def test_two_rows_of_the_table_in_full(tmp_path, shared):
    """200 data sets of (24, 6) N=500 C=100 b=0.1 and of (9, 6) N=50 C=500 b=0.5."""
    table = table2(
        tmp_path, "--rows", 1, 16, "--reference", shared / "reference", "--methods", *ONE_WINNER
    )
    for source in ("replication", "published"):
        verdicts = table[["row", "method", f"{source}_verdict"]]
        assert set(verdicts[f"{source}_verdict"]) <= {"ok", ""}, verdicts.to_string()


@pytest.mark.slow
def test_switches_close_the_gap_to_the_published_numbers(tmp_path, shared):
    """Row 14, N=50 with balanced classes: the direction of scores decides who is reported."""
    table = table2(
        tmp_path, "--rows", 14, "--reference", shared / "reference",
        "--methods", "DL10p", "DL10p (auto direction)",
    ).set_index("method")  # fmt: skip
    gap = (table["true_auc"] - table["published_true_auc"]).abs()
    assert gap["DL10p"] > 0.04 > 0.02 > gap["DL10p (auto direction)"]
