"""Flags of a learning curve."""

from types import SimpleNamespace

import pytest

from sklearn_bbc.comparison._learning_curve import flags_of


def flags(test, train, half=0.01, tolerance=0.02, acceptable=None):
    one, other = ([SimpleNamespace(estimate=v) for v in values] for values in (test, train))
    gap = [
        SimpleNamespace(difference=b - a, low=b - a - half) for a, b in zip(test, train)
    ]  # fmt: skip
    return flags_of(one, other, gap, tolerance, acceptable)


@pytest.mark.parametrize(
    "test, train, acceptable, names",
    [
        ([0.6, 0.69, 0.70], [0.8, 0.72, 0.71], 0.9, {"plateau", "high_bias"}),
        ([0.6, 0.69, 0.70], [0.8, 0.72, 0.71], 0.65, {"plateau"}),
        ([0.6, 0.69, 0.70], [0.8, 0.72, 0.71], None, {"plateau"}),
        ([0.6, 0.69, 0.70], [1, 1, 1], 0.9, {"plateau", "high_variance"}),
        ([0.6, 0.7, 0.8], [1, 1, 1], 0.9, {"rising", "high_variance"}),
        ([0.6, 0.7, 0.8], [0.9, 0.81, 0.81], 0.9, {"rising"}),
        ([0.6, 0.7, 0.7], [0.9, 0.8, 0.71], None, set()),
    ],
)
def test_flags_follow_the_curve(test, train, acceptable, names):
    assert set(flags(test, train, acceptable=acceptable)) == names


def test_a_gap_that_may_be_small_is_not_flagged():
    assert "high_variance" in flags([0.8, 0.8], [0.9, 0.9], half=0.07)
    assert "high_variance" not in flags([0.8, 0.8], [0.9, 0.9], half=0.09)


def test_flags_are_sentences_with_their_numbers():
    found = flags([0.6, 0.7, 0.8], [1, 1, 1])
    assert found["rising"].startswith("The test score still rises: by 0.1 over the last step")
    assert "by 0.2 at the largest size (high variance)" in found["high_variance"]
