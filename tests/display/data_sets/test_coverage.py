"""The swarm of coverages: what is beyond chance, and what is missing."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from sklearn_bbc.display import CoverageDisplay

pytest.importorskip("matplotlib", reason="pictures need the extra 'plot'")

STUDY = pd.DataFrame(
    {"method": ["A", "A", "B", "B"], "coverage": [0.95, 0.90, 1.0, np.nan], "runs": 200}
)


def dots(display):
    found = {}
    for line in display.ax_.lines:
        if line.get_linestyle() == "None":
            found[line.get_label()] = sorted(line.get_xdata().tolist())
    return found


def test_dots_beyond_chance_have_marks_of_their_own():
    display = CoverageDisplay.from_results(STUDY).plot()
    assert dots(display) == {
        "as promised": [0.95], "too low": [0.9], "higher than promised": [1.0],
    }  # fmt: skip
    assert display.frame()["verdict"].tolist()[:3] == [
        "as promised", "too low", "higher than promised",
    ]  # fmt: skip
    assert pd.isna(display.frame()["verdict"][3])
    means = [line.get_xdata()[0] for line in display.ax_.lines if line.get_linewidth() == 2]
    assert means == pytest.approx([0.925, 1.0])


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_verdict_is_that_of_the_binomial_tests(level):
    n = 60
    study = pd.DataFrame({"method": "A", "coverage": np.arange(n + 1) / n, "runs": n})
    verdicts = CoverageDisplay.from_results(study, level=level).frame()["verdict"]
    for k, found in enumerate(verdicts):
        below = binomtest(k, n, level, alternative="less").pvalue < 0.025
        above = binomtest(k, n, level, alternative="greater").pvalue < 0.025
        expected = "too low" if below else "higher than promised" if above else "as promised"
        assert found == expected


def test_settings_without_a_coverage_are_counted():
    display = CoverageDisplay.from_results(STUDY).plot()
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == ["A", "B (1 undefined)"]


def test_without_numbers_of_runs_all_dots_look_the_same():
    display = CoverageDisplay.from_results(STUDY.drop(columns="runs"), level=0.9).plot()
    assert len(dots(display)) == 1 and display.ax_.get_legend() is None
    assert display.frame()["verdict"].isna().all()
    assert display.ax_.get_xlabel() == "coverage (90% is promised)"


def test_other_names_of_columns():
    study = STUDY.rename(columns={"coverage": "inclusion", "method": "how", "runs": "n"})
    display = CoverageDisplay.from_results(study, coverage="inclusion", method="how", runs="n")
    assert display.frame()["verdict"][1] == "too low"


def test_a_method_without_any_coverage_keeps_its_row():
    study = pd.concat([STUDY, pd.DataFrame({"method": ["C"], "coverage": [np.nan]})])
    display = CoverageDisplay.from_results(study).plot()
    assert len(display.ax_.get_yticks()) == 3


@pytest.mark.parametrize(
    ("study", "options", "message"),
    [
        ([1], {}, "study must be a DataFrame, got list"),
        (STUDY, {"level": 95}, "level must be a number between 0 and 1, got 95"),
        (STUDY, {"coverage": "held"}, "study has no column 'held'; its columns are"),
        (STUDY, {"runs": "n"}, "study has no column 'n'"),
        (STUDY.assign(coverage=95.0), {}, "coverages must be between 0 and 1, got 95"),
        (STUDY.assign(coverage=np.nan), {}, "'coverage' has no coverage to show"),
    ],
)
def test_what_is_refused(study, options, message):
    with pytest.raises(ValueError, match=message):
        CoverageDisplay.from_results(study, **options)


def test_dots_without_a_number_of_runs_are_drawn_beside_others():
    study = STUDY.assign(runs=[np.nan, 200, 200, 200])
    display = CoverageDisplay.from_results(study, level=np.float32(0.95)).plot()
    assert sorted(x for xs in dots(display).values() for x in xs) == [0.9, 0.95, 1.0]
    assert display.frame()["verdict"].tolist()[:2] == [None, "too low"]
