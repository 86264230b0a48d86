"""RankingResult: tables, groups of a diagram, words."""

import dataclasses
import pickle

import numpy as np
import pytest

from sklearn_bbc.results import RankingResult


def made(p_values, ranks, **fields):
    names = tuple("ABCDEFGHIJKL"[: len(ranks)])
    return RankingResult(
        names=names, mean_ranks=ranks, n_data_sets=10, statistic=3.0, p_value=0.01, method="m",
        pair_p_values=None if p_values is None else np.asarray(p_values, float), **fields,
    )  # fmt: skip


def by_distance(ranks, limit):
    distance = np.abs(np.subtract.outer(ranks, ranks))
    return np.where(distance >= limit, 0.01, 0.5)


@pytest.mark.parametrize(
    "ranks, limit, expected",
    [
        ([1.0, 2.0, 3.0], 0.5, []),
        ([1.0, 2.0, 3.0], 5.0, [("A", "B", "C")]),
        ([1.0, 2.0, 3.0], 1.5, [("A", "B"), ("B", "C")]),
        ([3.0, 1.0, 2.0, 4.0], 1.5, [("B", "C"), ("C", "A"), ("A", "D")]),
        ([1.0, 1.2, 1.4, 3.0], 1.0, [("A", "B", "C")]),
        ([1.0, 1.5, 2.2, 2.4, 4.0], 1.0, [("A", "B"), ("B", "C", "D")]),
    ],
)
def test_groups_are_maximal(ranks, limit, expected):
    assert made(by_distance(ranks, limit), ranks).groups() == expected


def test_tables():
    ranks = [2.0, 1.0, 3.0]
    result = made(by_distance(ranks, 1.5), ranks)
    assert result.frame()["learner"].tolist() == ["B", "A", "C"]
    pairs = result.pairs()
    assert pairs.loc[0, ["first", "second", "is_shown"]].tolist() == ["B", "C", True]
    assert pairs["rank_difference"][0] == -2.0 and pairs["is_shown"].sum() == 1
    with_control = made(by_distance(ranks, 1.5), ranks, control=2)
    assert with_control.pairs()["second"].tolist() == ["B", "A"]
    assert with_control.groups() == []


def test_words():
    ranks = [2.0, 1.0, 3.0]
    text = str(made(by_distance(ranks, 1.5), ranks, label="some test"))
    assert text == (
        "Mean ranks over 10 data sets: B 1.00, A 2.00, C 3.00. The learners differ (some test, "
        "p = 0.010). Pairs that differ (some test, 95% confidence): B and C (p = 0.010)."
    )
    alone = dataclasses.replace(made(None, ranks), p_value=0.2)
    assert "are not shown to differ (method 'm', p = 0.200)." in str(alone)
    assert len(alone.pairs()) == 0 and alone.groups() == []
    none = made(np.ones((3, 3)), ranks)
    assert "none." in str(none) and "RankingResult(n_learners=3" in repr(none)


def test_is_a_value():
    result = made(np.ones((3, 3)), [1.0, 2.0, 3.0], details={"x": 1})
    again = pickle.loads(pickle.dumps(result))
    assert again == result and hash(again) == hash(result) and result != 3
    assert dataclasses.replace(result, control=1) != result
    with pytest.raises(ValueError, match="read-only"):
        again.mean_ranks[0] = 0
    with pytest.raises(TypeError):
        again.details["x"] = 2
    assert set(result.to_dict()) == {f.name for f in dataclasses.fields(result)}


def test_card_for_notebooks():
    ranks = [2.0, 1.0, 3.0]
    card = made(by_distance(ranks, 1.5), ranks, label="<some> test")._repr_html_()
    assert ">1 of 3 pairs differs<" in card and ">3 learners on 10 data sets<" in card
    assert card.index(">mean rank 1.00<") < card.index(">mean rank 2.00<")
    assert ">B and C (p = 0.010)<" in card and "&lt;some&gt; test" in card and ">95%<" in card
    assert "critical difference" not in card
    with_limit = made(np.ones((3, 3)), ranks, critical_difference=1.234, details={"notes": ["&"]})
    card = with_limit._repr_html_()
    assert ">0 of 3 pairs differ<" in card and "pairs that differ" not in card
    assert ">1.23<" in card and ">&amp;<" in card
    alone = dataclasses.replace(made(None, ranks), p_value=0.2)._repr_html_()
    assert ">The learners are not shown to differ (p = 0.200)<" in alone


def test_card_of_many_learners_lists_the_best():
    ranks = np.arange(1.0, 13)
    card = made(by_distance(ranks, 1.5), ranks)._repr_html_()
    assert card.count("mean rank") == 8 and ">and 4 more learners<" in card
    assert "and 47 more<" in card, "of 66 pairs 55 differ, 8 are listed"
