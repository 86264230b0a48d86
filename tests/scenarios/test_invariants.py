"""What is true of every result of every scenario, whatever was searched and by what."""

import math
import pickle
import re

import numpy as np
import pytest

from sklearn_bbc import ConfidenceInterval
from sklearn_bbc.results._results import printed_with_words

# As those of `test_approved.py`, with which they share the scenarios that are fitted.
pytestmark = pytest.mark.one_in(2)
NUMBER = r"-?[\d,]+(?:\.\d+)?(?:e[+-]\d+)?"
BOUNDS = re.compile(rf"({NUMBER}) to ({NUMBER})|at least ({NUMBER})|at most ({NUMBER})")


def results_of(scenario):
    """Every interval: of the fit, and of what was asked later."""
    for results in getattr(scenario.search, "ci_results_", {}).values():
        yield from results.values()
    for result in scenario.asked.values():
        if hasattr(result, "ci"):
            yield result.ci
        elif isinstance(result, ConfidenceInterval):
            yield result


def rounded_to(printed, value):
    """Whether the number in print is the value, rounded to the digits in print."""
    text = printed.replace(",", "")
    decimals = len(text.partition(".")[2]) if "e" not in text else 12
    return abs(float(text) - value) <= 0.5 * 10.0**-decimals * (1 + 1e-9)


def test_an_estimate_lies_within_its_limits_and_these_within_the_metric(scenario):
    for result in results_of(scenario):
        if math.isnan(result.low):
            continue
        assert result.low <= result.estimate <= result.high
        assert np.isin(result.alternative, ["two-sided", "greater", "less"])
        if result.metric in ("roc_auc", "accuracy", "f1", "f1_macro", "balanced_accuracy"):
            assert 0 <= result.low and result.high <= 1


def test_the_frame_has_the_attributes_of_the_results(scenario):
    search = scenario.search
    kept = [
        each for named in getattr(search, "ci_results_", {}).values() for each in named.values()
    ]
    if not kept:
        pytest.skip("no interval was asked for")
    frame = search.intervals_frame()
    assert len(frame) == len(kept)
    for row, result in zip(frame.itertuples(), kept, strict=True):
        numbers = (row.estimate, row.low, row.high)
        np.testing.assert_array_equal(numbers, (result.estimate, result.low, result.high))
        assert (row.metric, row.confidence_level) == (result.metric, result.confidence_level)
    if hasattr(search, "ci_"):
        assert any(search.ci_ is each for each in kept)


def test_numbers_in_print_are_those_of_the_result(scenario):
    """With the sign that the metric has in print."""
    for result in results_of(scenario):
        _, printed = printed_with_words(result)
        sign = -1 if math.copysign(1, result.estimate) < 0 <= float(printed.estimate) else 1
        assert rounded_to(printed.estimate, sign * result.estimate)
        assert printed.estimate in result.summary()
        found = BOUNDS.search(printed.bounds())
        ends = sorted((sign * result.low, sign * result.high))
        if found and found[1]:
            assert rounded_to(found[1], ends[0]) and rounded_to(found[2], ends[1])
        elif found:
            assert rounded_to(found[3] or found[4], ends[0] if found[3] else ends[1])


def test_the_summary_has_the_numbers_of_the_search(scenario):
    search = scenario.search
    if not hasattr(search, "ci_"):
        pytest.skip("no interval leads")
    _, printed = printed_with_words(search.ci_)
    text = search.summary()
    assert f" {printed.estimate} (" in text or f" {printed.estimate}." in text
    cells = " ".join(row[1] for row in search.table().rows)
    assert printed.estimate in cells


def test_texts_are_whole(scenario):
    """No gap, no value that is missing, no sentence that ends twice."""
    texts = [each.summary() for each in [*results_of(scenario), *scenario.asked.values()]]
    texts += [note for each in results_of(scenario) for note in each.details.get("notes", ())]
    if hasattr(scenario.search, "ci_"):
        texts += [scenario.search.summary(), *scenario.search.tripod_ai()["text"]]
    for text in texts:
        assert not re.search(
            r"\bnan\b|\bNone\b|(?<!\.)\.\.(?!\.)|[a-z] {2,}[a-z]|[{}]| [,;]| \.(?!\.\.)", text
        ), text


def test_notes_are_said_once(scenario):
    for result in results_of(scenario):
        notes = result.details.get("notes", ())
        assert len(set(notes)) == len(notes)


def test_results_are_the_same_after_a_pickle(scenario):
    for result in results_of(scenario):
        again = pickle.loads(pickle.dumps(result))
        assert again == result and again.summary() == result.summary()
