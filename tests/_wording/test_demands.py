"""Sentences about what a threshold had to keep."""

import pytest

from sklearn_bbc._text import missed_demand, threshold_sentences

DEMAND = {
    "of": "specificity", "level": 0.9, "reached": 0.95, "is_reached": True,
    "share_reached": 1.0, "ask": "report='specificity'",
}  # fmt: skip


def sentences(**changed):
    return threshold_sentences({"demand": {**DEMAND, **changed}})


def test_what_is_said_of_each():
    assert sentences() == [
        "The specificity of 0.9 is demanded on the samples that choose the threshold. On samples "
        "left out it may be lower: report='specificity' reports it there."
    ]
    assert sentences(ask="") == [
        "The specificity itself is reported; 0.9 was demanded on the samples that choose the "
        "threshold."
    ]
    missed, in_draws, _ = sentences(reached=0.8, is_reached=False, share_reached=0.25)
    assert missed == (
        "No threshold reaches the demanded specificity of 0.9 on all samples: the best of those "
        "tried has 0.8, and was chosen. Demand less, or try models whose scores separate the "
        "classes better."
    )
    assert in_draws == (
        "In 75% of the draws no threshold reached the specificity of 0.9, and the one with the "
        "best specificity was taken."
    )


def test_nothing_demanded_and_nothing_missed():
    assert threshold_sentences({}) == [] and missed_demand({}) is None
    assert missed_demand({"demand": DEMAND}) is None
    unknown = {**DEMAND, "reached": None, "is_reached": None, "share_reached": None}
    assert missed_demand({"demand": unknown}) is None
    assert len(threshold_sentences({"demand": unknown})) == 1


@pytest.mark.parametrize(
    ("reached", "printed"),
    [(0.8541, "0.854"), (0.8971, "0.897"), (0.8996, "0.8996"), (0.89999, "0.89999")],
)
def test_what_is_below_the_level_is_so_in_print(reached, printed):
    told = missed_demand({"demand": {**DEMAND, "reached": reached, "is_reached": False}})
    assert f"tried has {printed}, and" in told


@pytest.mark.parametrize(
    ("share", "printed"),
    [
        (0.999, "less than 1%"),
        (0.98, "2%"),
        (0.126, "87%"),
        (0.01, "99%"),
        (0.001, "more than 99%"),
        (0.0, "100%"),
    ],
)
def test_shares_of_draws(share, printed):
    assert sentences(share_reached=share)[0].startswith(f"In {printed} of the draws")
