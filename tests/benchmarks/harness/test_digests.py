"""Values of results: equal for equal results, and what differs is named with old and new."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from benchmarks.harness import digest_cases, digests
from sklearn_bbc import ConfidenceInterval
from sklearn_bbc.intervals import Wald

RESULT = ConfidenceInterval(
    estimate=0.5,
    low=0.4,
    high=0.6,
    confidence_level=0.95,
    alternative="two-sided",
    method="bbc",
    metric="accuracy",
    estimand="the winner",
    draws=np.linspace(0.4, 0.6, 1000),
    details={"winner": 1, "notes": ["any words"], "nested": {"n": 2, "share": 0.0}},
)
DRAWN = np.array(RESULT.draws)
DRAWN[501] += 0.001  # not one of those that are kept
WALD = r"^interval \| wald \| accuracy \| (two classes|numbers)|Wald\(form=.wilson.\) \| acc"


def result(**details):
    return dataclasses.replace(RESULT, details={**RESULT.details, **details})


def kinds(one, other):
    """Kinds of the differences of two results."""
    before, after = ({"a": digests.outcome(lambda r=r: r)} for r in (one, other))
    return set(digests.compared(before, after))


@pytest.mark.parametrize(
    "change, kind",
    [
        ({}, set()),
        ({"low": np.nextafter(0.4, 1)}, {"rounding"}),
        ({"low": 0.4 * (1 + 2e-12)}, {"value"}),
        ({"low": np.nan}, {"value"}),
        ({"high": np.inf}, {"value"}),
        ({"draws": DRAWN}, {"value"}),
        ({"draws": RESULT.draws[:-1]}, {"value"}),
        ({"draws": None}, {"value"}),
        ({"details": result(winner=2).details}, {"value"}),
        ({"details": result(nested={"n": 3, "share": 0.0}).details}, {"value"}),
        ({"details": result(nested={"n": 2, "share": 1e-16}).details}, {"rounding"}),
        ({"details": result(nested={"n": 2, "share": 1e-14}).details}, {"value"}),
        ({"details": result(notes=["other words"]).details}, {"text"}),
        ({"details": result(notes=[]).details}, {"text"}),
        ({"details": result(mean_fit_time=3.0).details}, set()),
        ({"estimand": "the selected one"}, {"text"}),
    ],
)
def test_numbers_and_texts_that_differ(change, kind):
    assert kinds(RESULT, dataclasses.replace(RESULT, **change)) == kind


def test_frames_arrays_of_objects_and_errors():
    frame = pd.DataFrame({"a": [1.0, np.nan], "b": ["x", "y"]}, index=["p", "q"])
    assert kinds(frame, frame.copy()) == set()
    assert kinds(frame, frame.fillna(0.0)) == {"value"}
    assert kinds(frame, frame.replace("x", "z")) == {"text"}
    assert kinds(frame, frame[["a"]]) == {"text"}
    event = np.array([(True, 2.0)], dtype=[("event", bool), ("time", float)])
    assert dict(digests.values(event)) == {".event[1]": [True], ".time[1]": [2.0]}
    assert dict(digests.values([1, None, {"a": (2.5, 3)}])) == {
        "[0]": 1, "[1]": None, "[2].a[2]": [2.5, 3.0],
    }  # fmt: skip


def test_what_changes_from_run_to_run_is_left_out():
    text = "took 1.2 s at 0x7f16bc, scikit-learn 1.9.1, <svg a='1'>\n</svg>/tmp/x/digests-ab3/f"
    assert digests.steady(text) == "took time at 0x, scikit-learn version, folder/f"
    assert digests.steady("0.95 of 30 samples") == "0.95 of 30 samples"


def test_what_was_written_compares_equal_until_a_result_changes(tmp_path, monkeypatch, capsys):
    def run(*arguments, **calls):
        monkeypatch.setattr(digest_cases, "cases", lambda: iter(calls.items()))
        code = digests.main([*arguments[:1], str(tmp_path / "before.json"), *arguments[1:]])
        return code, capsys.readouterr().out

    def refuses():
        raise ValueError("no draws")

    before = {"a": lambda: RESULT, "b": refuses, "c": lambda: RESULT, "d": lambda: "One. Two."}
    assert run("write", **before)[0] == 0
    code, said = run("compare", **before)
    assert code == 0
    assert said.startswith("4 cases, 0 came, went")

    def other():
        return dataclasses.replace(RESULT, high=0.7, estimate=np.nextafter(0.5, 1))

    code, said = run(
        "compare", a=other, b=lambda: RESULT, c=refuses, d=lambda: "One. Too.", e=other
    )
    assert code == 1
    assert "3 came, went" in said
    assert "1 equal within 1e-12 (at most 2.2e-16)" in said
    assert "a: high 0.6 -> 0.7 (relative 1.4e-01)" in said
    assert "such as b: fails no more: ValueError: no draws" in said
    assert "such as c: fails now: ValueError: no draws" in said
    assert "such as d: \n    -Two.\n    +Too." in said
    assert "such as e: new" in said
    words = {**before, "d": lambda: "One. Too."}
    assert run("compare", **words)[0] == 1
    code, said = run("compare", "--numbers", **words)
    assert code == 0
    assert "1 with other texts" in said and "Too" not in said
    code, said = run("compare", "--only", "[ab]", a=before["a"])
    assert code == 1 and "such as b: no longer there" in said


def test_a_number_that_is_broken_on_purpose_is_reported(monkeypatch):
    before = digests.run(WALD)
    assert digests.compared(before, digests.run(WALD, n_jobs=2)) == {}
    right = Wald.estimate

    def wrong(self, oof, scoring=None):
        found = right(self, oof, scoring)
        return dataclasses.replace(found, low=found.low - 1e-9)

    monkeypatch.setattr(Wald, "estimate", wrong)
    found = digests.compared(before, digests.run(WALD))
    assert set(found) == {"value"}
    assert {path for _, path, *_ in found["value"]} == {".low"}
    assert len(found["value"]) == len([each for each in before.values() if "error" not in each])
    _, _, old, new, _ = found["value"][0]
    assert old - new == pytest.approx(1e-9)


def test_a_missing_name_fails_the_cases_that_use_it_and_is_named(monkeypatch):
    before = digests.run(WALD)
    places = {"Wald": ("sklearn_bbc.intervals", "Gone"), "all_tied": ("sklearn_bbc.gone", "any")}
    monkeypatch.setattr(digest_cases, "PLACES", {**digest_cases.PLACES, **places})
    found = digests.compared(before, digests.run(f"{WALD}|tied_cases"))
    names = [name for _, name in found["result"]]
    assert set(found) == {"result"} and "tied_cases" in names
    assert all("Wald(form" in name for name in names if name != "tied_cases")
    assert any("sklearn_bbc.intervals.Gone is missing" in what for what, _ in found["result"])


def test_every_name_is_there_and_every_case_is_named_once():
    for name in digest_cases.PLACES:
        assert digest_cases.pkg[name] is getattr(digest_cases.pkg, name)
    names = [name for name, _ in digest_cases.cases()]
    assert len(names) == len(set(names)) > 5000


def test_an_expression_keeps_its_name_when_it_is_written_otherwise():
    (case,) = digest_cases.each("a", digest_cases.value, ["1 + 1 := 2 + SEED"])
    assert case[0] == "a | 1 + 1" and case[1]() == 2
