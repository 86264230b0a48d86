"""The measurements measure what they say; what anything costs, no test can know."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

from benchmarks import overhead


@pytest.fixture
def tiny(monkeypatch):
    case = (GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, {"n_samples": 60, "n_features": 4})
    monkeypatch.setitem(overhead.CASES, "naive_bayes", lambda: case)


def test_every_case_and_number_of_processes_gives_a_row(tiny, tmp_path, capsys):
    arguments = ["--cases", "naive_bayes", "--n-jobs", "1", "--pairs", "3"]
    table = overhead.main([*arguments, "--output", str(tmp_path)])
    written = pd.read_csv(tmp_path / "overhead.csv")
    assert written.case.tolist() == ["naive_bayes"]
    assert (written.n_fits[0], written.pairs[0], written.seed[0]) == (20, 3, 0)
    row = table.iloc[0]
    assert row.ratio_quartile_1 <= row.ratio_median <= row.ratio_quartile_3
    assert row.interval_seconds > 0 and row.clock == "processor"
    # Every result carries its predictions home.
    assert row.result_bytes_bbc > row.result_bytes_grid > 0
    assert "naive_bayes" in capsys.readouterr().out


def test_a_store_is_measured_beside_none(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(overhead.store_costs, "N_CONFIGS", 2)
    monkeypatch.setattr(overhead.store_costs, "SIZES", (60,))
    monkeypatch.setattr(overhead.store_costs, "FIT_SECONDS", 0.001)
    overhead.main(["store", "--n-jobs", "1", "--pairs", "2", "--output", str(tmp_path)])
    overhead.main(["store", "--n-jobs", "1", "--pairs", "3", "--output", str(tmp_path)])
    (row,) = pd.read_csv(tmp_path / "overhead_store.csv").to_dict("records")
    assert (row["n_fits"], row["pairs"], row["clock"]) == (20, 3, "processor")
    assert row["ratio_quartile_1"] <= row["ratio_median"] <= row["ratio_quartile_3"]
    # What is taken is not fitted, and predictions of six samples are on the disk.
    assert row["taken_us_per_fit"] * 20 / 1e6 < row["plain_seconds"]
    assert row["bytes_per_fit"] > 6 * 8
    assert abs(row["extra_us_per_fit"]) * 20 / 1e6 < row["plain_seconds"]
    assert row["extra_us_error"] > 0
    assert "bytes_per_fit" in capsys.readouterr().out


def test_each_row_is_written_at_once_and_replaces_its_kind(tmp_path, monkeypatch):
    """Kept when the run stops in the middle; measured again, it is there once."""
    measured = []

    def measure(case, n_jobs, arguments):
        if len(measured) == 3:
            raise KeyboardInterrupt
        measured.append((case, n_jobs))
        return {"case": case, "n_jobs": n_jobs, "pairs": len(measured)}

    monkeypatch.setattr(overhead, "measure", measure)
    order = ["--cases", "forest", "naive_bayes", "--n-jobs", "2", "1", "--output", str(tmp_path)]
    with pytest.raises(KeyboardInterrupt):
        overhead.main(order)
    assert measured == [("forest", 2), ("forest", 1), ("naive_bayes", 2)]
    written = pd.read_csv(tmp_path / "overhead.csv")
    assert list(zip(written.case, written.n_jobs, written.pairs)) == [
        ("naive_bayes", 2, 3), ("forest", 1, 2), ("forest", 2, 1),
    ]  # fmt: skip
    assert written.command.notna().all() and list(written)[:3] == ["case", "n_jobs", "pairs"]
    measured.clear()
    table = overhead.main(["--cases", "forest", "--n-jobs", "2", "--output", str(tmp_path)])
    assert table.to_dict("records") == [{"case": "forest", "n_jobs": 2, "pairs": 1}]
    assert len(pd.read_csv(tmp_path / "overhead.csv")) == 3


def test_the_estimators_and_grids_can_be_fitted():
    for make in overhead.CASES.values():
        estimator, grid, _ = make()
        assert set(grid) <= set(estimator.get_params())


def test_peaks_are_of_the_call_alone():
    assert not tracemalloc.is_tracing()
    assert overhead.peak_megabytes(lambda: np.ones(10**6)) == pytest.approx(8, abs=0.5)
    assert not tracemalloc.is_tracing()
