"""Digests of results: equal for equal bits, different for one."""

import dataclasses
import json
from itertools import islice

import numpy as np
import pytest

from benchmarks.harness import digests
from sklearn_bbc import ConfidenceInterval

RESULT = ConfidenceInterval(
    estimate=0.5,
    low=0.4,
    high=0.6,
    confidence_level=0.95,
    alternative="two-sided",
    method="bbc",
    metric="accuracy",
    estimand="the winner",
    draws=np.array([0.4, 0.5, 0.6]),
    details={"winner": 1, "notes": ["any words"], "nested": {"n": 2}},
)


@pytest.mark.parametrize(
    "change",
    [
        {"low": np.nextafter(0.4, 1)},
        {"estimate": np.nextafter(0.5, 1)},
        {"draws": np.array([0.4, 0.6, 0.5])},
        {"draws": None},
        {"details": {**RESULT.details, "winner": 2}},
        {"details": {**RESULT.details, "nested": {"n": 3}}},
    ],
)
def test_one_bit_of_a_number_changes_the_digest(change):
    assert digests.digest(dataclasses.replace(RESULT, **change)) != digests.digest(RESULT)


def test_words_do_not_change_the_digest():
    other = dataclasses.replace(
        RESULT, estimand="the selected one", details={**RESULT.details, "notes": ["others"]}
    )
    assert digests.digest(other) == digests.digest(RESULT)


def test_what_was_written_compares_equal_until_a_result_changes(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(digests, "outcomes", lambda: iter([("a", RESULT), ("b", "ValueError")]))
    file = tmp_path / "before.json"
    assert digests.main(["write", str(file)]) == 0
    assert digests.main(["compare", str(file)]) == 0
    assert json.loads(file.read_text())["cases"]["b"] == "ValueError"
    other = dataclasses.replace(RESULT, high=0.7)
    monkeypatch.setattr(digests, "outcomes", lambda: iter([("a", other), ("c", RESULT)]))
    assert digests.main(["compare", str(file)]) == 1
    said = capsys.readouterr().out
    assert "differs: a" in said and "gone: b" in said and "new: c" in said


def test_there_are_200_cases_with_a_result_and_each_is_the_same_again():
    first = {name: digests.digest(outcome) for name, outcome in digests.outcomes()}
    for name, outcome in islice(digests.outcomes(), 20):
        assert digests.digest(outcome) == first[name], name
    assert sum(not value.endswith("Error") for value in first.values()) >= 200
