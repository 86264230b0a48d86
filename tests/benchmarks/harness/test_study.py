"""The coverage simulations: what they count, what they draw, and that they can be resumed."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import sem

from benchmarks import coverage
from benchmarks.harness import study as _study
from benchmarks.harness.study import Part, Study
from sklearn_bbc import ConfidenceInterval
from sklearn_bbc.exceptions import UndefinedIntervalError


@dataclass(frozen=True)
class Coins:
    """Truth 0.5; bounds are drawn so that a known share of them misses."""

    name: str

    def describe(self):
        return {"coin": self.name[0]}


def interval(low, high):
    return ConfidenceInterval(
        estimate=0.5, low=low, high=high, confidence_level=0.95, alternative="two-sided",
        method="m", metric="x", estimand="e", details={"reason": "no reason"},
    )  # fmt: skip


def never(n_bootstraps, seed):
    raise UndefinedIntervalError("Not with these data.\nSecond line.")


def draw(setting, seed, run_seed):
    u = np.random.default_rng(seed).random()
    bounds = (0.4, 0.6) if u < 0.8 else (0.6, 0.7) if u < 0.9 else (0.1, 0.2)
    methods = {
        "four of five": lambda n, s: interval(*bounds),
        "always": lambda n, s: interval(0.5, 0.5),
        "half": lambda n, s: interval(np.nan if u < 0.5 else 0.4, 0.6),
        "never": never,
        "seed": lambda n, s: interval(0.4 + 1e-9 * s / 2**32, 0.5 + n / 1000),
    }
    yield Part("x", {"truth": 0.5}, methods)


METHODS = ("four of five", "always", "half", "never", "seed")
STUDY = Study(
    name="coins",
    help="coins",
    settings={name: Coins(name) for name in ("a1", "a2", "b")},
    truths=("truth",),
    parts=lambda setting: [("x", method) for method in METHODS],
    draw=draw,
    repetitions=100,
)


@pytest.fixture
def conduct(monkeypatch, tmp_path):
    """Runs the study as the command would."""
    monkeypatch.setattr(coverage, "STUDIES", (STUDY,))

    def run(*arguments, output="all"):
        return coverage.main(["coins", "--output", str(tmp_path / output), *map(str, arguments)])

    return run


def test_what_is_counted(conduct, tmp_path):
    table = conduct()
    assert list(table["coin"]) == ["a"] * 5 + ["b"] * 5, "settings of one description share rows"
    assert list(table["method"][:5]) == list(METHODS)
    rows = table[table["coin"] == "a"].set_index("method")
    assert (rows["runs"] == 200).all()
    counted = rows.loc["four of five"]
    assert 0.72 < counted["coverage"] < 0.88
    assert counted["coverage"] + counted["below"] + counted["above"] == pytest.approx(1)
    assert counted["coverage_se"] == pytest.approx(
        np.sqrt(counted["coverage"] * (1 - counted["coverage"]) / 200)
    )
    assert counted["verdict"] == "under"
    assert rows.loc["always", "coverage"] == 1
    assert rows.loc["always", "verdict"] == "over"
    assert 0.35 < rows.loc["half", "undefined"] < 0.65
    assert rows.loc["half", "coverage"] == 1, "undefined intervals are counted apart"
    assert rows.loc["half", "width"] == pytest.approx(0.2)
    assert rows.loc["never", "undefined"] == 1
    assert pd.isna(rows.loc["never", "coverage"])
    stored = pd.read_csv(tmp_path / "all" / "coins.csv")
    assert stored["coverage"][0] == counted["coverage"]
    assert (stored["n_bootstraps"] == STUDY.n_bootstraps).all()
    journal = pd.read_csv(tmp_path / "all" / "journal" / "coins.csv")
    reasons = journal.groupby("method")["reason"].unique()
    assert list(reasons["never"]) == ["Not with these data."]
    assert "no reason" in list(reasons["half"])


def test_a_killed_run_ends_with_the_same_table(conduct, monkeypatch, tmp_path):
    whole = conduct("--repetitions", 5)
    one_data_set, seen = _study.one_data_set, []

    def killed(*arguments):
        seen.append(arguments[2][:2])
        if len(seen) == 8:
            raise KeyboardInterrupt
        return one_data_set(*arguments)

    monkeypatch.setattr(_study, "one_data_set", killed)
    with pytest.raises(KeyboardInterrupt):
        conduct("--repetitions", 5, output="killed")
    journal = tmp_path / "killed" / "journal" / "coins.csv"
    journal.write_bytes(journal.read_bytes()[:-5])  # the last row was being written
    resumed = conduct("--repetitions", 5, output="killed")
    assert len(seen) == 8 + 15 - 6, "finished data sets are not drawn again"
    pd.testing.assert_frame_equal(resumed, whole)


def test_the_choice_of_settings_and_processes_changes_no_data_set(conduct, monkeypatch):
    whole = conduct("--repetitions", 4)
    part = conduct("--repetitions", 4, "--settings", "b", output="part")
    pd.testing.assert_frame_equal(part, whole[whole["coin"] == "b"].reset_index(drop=True))
    other = conduct("--repetitions", 4, "--seed", 1, "--n-bootstraps", 30)
    seeds = [
        frame.set_index(["coin", "method"])["width"].unstack()["seed"] for frame in (whole, other)
    ]
    assert (seeds[1] < seeds[0]).all(), "seed and number of draws reach the methods"


def test_some_methods_can_go_ahead_and_the_report_shows_what_is_there(conduct):
    first = conduct("--repetitions", 3, "--methods", "always")
    assert list(first["method"]) == ["always"] * 2
    conduct("--repetitions", 2)
    report = conduct("--repetitions", 3, "--report").set_index(["coin", "method"])["runs"]
    assert report["b", "always"] == 3
    assert report["b", "half"] == 2
    whole = conduct("--repetitions", 3)
    pd.testing.assert_frame_equal(conduct("--repetitions", 3, output="fresh"), whole)


def test_every_study_is_a_command():
    parsed = [coverage.parse([study.name]) for study in coverage.STUDIES]
    assert [one.repetitions for one in parsed] == [study.repetitions for study in coverage.STUDIES]
    assert all(Path(one.output).name == "results" for one in parsed)
    with pytest.raises(SystemExit):
        coverage.parse(["single", "--settings", "unknown"])


def test_the_readme_names_every_command_and_no_other(repository, capsys):
    readme = (repository / "benchmarks" / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `coverage\.py (\w+)", readme, re.M))
    with pytest.raises(SystemExit):
        coverage.parse(["--help"])
    known = re.search(r"\{([\w,]+)\}", capsys.readouterr().out)[1]
    assert named == set(known.split(","))


def test_a_study_can_have_a_table_of_its_own(conduct, monkeypatch, tmp_path, capsys):
    own = Study(
        **{
            **vars(STUDY),
            "n_bootstraps": 0,
            "summarise": lambda study, found: pd.DataFrame({"coin": ["a"], "n": [len(found)]}),
            "overview": lambda table: table[["n"]].rename(columns={"n": "rows of the journal"}),
        }
    )
    monkeypatch.setattr(coverage, "STUDIES", (own,))
    conduct("--repetitions", 1)
    assert "rows of the journal" in capsys.readouterr().out
    stored = pd.read_csv(tmp_path / "all" / "coins.csv")
    assert list(stored.columns[:2]) == ["coin", "n"] and "n_bootstraps" not in stored


def test_standard_error_of_the_bias():
    found = pd.DataFrame({"low": 0.0, "high": 1.0, "estimate": [0.4, 0.7, 0.5, 0.9]})
    truth = pd.Series([0.5, 0.5, 0.4, 0.6])
    counted = _study._coverage(found, truth)
    error = [-0.1, 0.2, 0.1, 0.3]
    assert counted["bias"] == pytest.approx(0.125)
    assert counted["bias_se"] == pytest.approx(sem(error))


def test_rows_are_compared_with_a_method_of_the_same_place():
    table = pd.DataFrame(
        {
            "N": [10, 10, 20, 20], "method": ["a", "b"] * 2, "width": [2.0, 1.0, 9.0, 3.0],
            "rmse": [1.0, 4.0, 2.0, 1.0], "verdict": ["ok", "under", "ok", "over"],
        }
    )  # fmt: skip
    found = _study.relative_to(table, ["b"], ["N"])
    assert found["width"].tolist() == [2, 1, 3, 1]
    assert found["rmse"].tolist() == [0.25, 1, 2, 1]
    assert found["rejected"].tolist() == [False, True, False, False]
