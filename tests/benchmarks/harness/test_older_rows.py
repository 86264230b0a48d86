"""Rows of earlier runs stay in a table, in the order of the study."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks.harness.older_rows import with_older


@dataclass(frozen=True)
class Setting:
    data: str
    n: float | None

    def describe(self):
        return {"data": self.data, "N": self.n}


SETTINGS = [Setting("a", 5), Setting("b", 0.5), Setting("c", None), Setting("c", None)]


def rows(*settings, score=1.0):
    described = [setting.describe() for setting in settings]
    return pd.DataFrame(described).assign(score=score)


def test_this_run_takes_the_place_of_its_settings_only():
    older = rows(SETTINGS[0], SETTINGS[1], SETTINGS[2], score=0.0)
    table = with_older(SETTINGS, rows(SETTINGS[1]), older)
    assert list(table["data"]) == ["a", "b", "c"]
    assert list(table["score"]) == [0.0, 1.0, 0.0]


def test_several_rows_of_a_setting_keep_their_order():
    run = rows(SETTINGS[2], SETTINGS[0], SETTINGS[2], SETTINGS[0]).assign(score=[1, 2, 3, 4])
    assert list(with_older(SETTINGS, run, rows(SETTINGS[0]))["score"]) == [2, 4, 1, 3]


def test_settings_are_found_again_however_numbers_are_written(tmp_path):
    path = tmp_path / "table.csv"
    rows(*SETTINGS[:3]).to_csv(path, index=False)  # 5 becomes 5.0, None becomes empty
    assert "5.0" in path.read_text()
    new = rows(*SETTINGS[:3], score=2.0).astype({"N": object})
    assert list(with_older(SETTINGS, new, pd.read_csv(path))["score"]) == [2.0] * 3


def test_settings_that_are_no_more_are_left_out():
    older = rows(Setting("gone", 5), Setting("a", 6), SETTINGS[1], score=0.0)
    assert list(with_older(SETTINGS, rows(SETTINGS[0]), older)["data"]) == ["a", "b"]


def test_a_table_that_described_settings_otherwise_is_left_out():
    older = rows(SETTINGS[1]).rename(columns={"N": "n_samples"})
    assert list(with_older(SETTINGS, rows(SETTINGS[0]), older)["data"]) == ["a"]
    assert np.isfinite(with_older(SETTINGS, rows(SETTINGS[0]), older)["N"]).all()
