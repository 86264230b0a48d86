"""Rankings and tied sets: tables, groups, sentences, cards."""

import dataclasses

import numpy as np
import pytest

from sklearn_bbc.results import RankingResult, TiedSet

# --- rankings ---


def ranking(p_values, ranks, **fields):
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
    assert ranking(by_distance(ranks, limit), ranks).groups() == expected


def test_tables_of_a_ranking():
    ranks = [2.0, 1.0, 3.0]
    result = ranking(by_distance(ranks, 1.5), ranks)
    assert result.frame()["learner"].tolist() == ["B", "A", "C"]
    pairs = result.pairs()
    assert pairs.loc[0, ["first", "second", "is_shown"]].tolist() == ["B", "C", True]
    assert pairs["rank_difference"][0] == -2.0 and pairs["is_shown"].sum() == 1
    with_control = ranking(by_distance(ranks, 1.5), ranks, control=2)
    assert with_control.pairs()["second"].tolist() == ["B", "A"]
    assert with_control.groups() == []


def test_words_of_a_ranking():
    ranks = [2.0, 1.0, 3.0]
    text = str(ranking(by_distance(ranks, 1.5), ranks, label="some test"))
    assert text == (
        "Mean ranks over 10 data sets: B 1.00, A 2.00, C 3.00. The learners differ (some test, "
        "p = 0.010). Pairs that differ (some test, 95% confidence): B and C (p = 0.010)."
    )
    alone = dataclasses.replace(ranking(None, ranks), p_value=0.2)
    assert "are not shown to differ (method 'm', p = 0.200)." in str(alone)
    assert len(alone.pairs()) == 0 and alone.groups() == []
    none = ranking(np.ones((3, 3)), ranks)
    assert "none." in str(none) and "RankingResult(n_learners=3" in repr(none)


def test_card_of_a_ranking_for_notebooks():
    ranks = [2.0, 1.0, 3.0]
    card = ranking(by_distance(ranks, 1.5), ranks, label="<some> test")._repr_html_()
    assert ">1 of 3 pairs differs<" in card and ">3 learners on 10 data sets<" in card
    assert card.index(">mean rank 1.00<") < card.index(">mean rank 2.00<")
    assert ">B and C (p = 0.010)<" in card and "&lt;some&gt; test" in card and ">95%<" in card
    assert "critical difference" not in card
    with_limit = ranking(
        np.ones((3, 3)), ranks, critical_difference=1.234, details={"notes": ["&"]}
    )
    card = with_limit._repr_html_()
    assert ">0 of 3 pairs differ<" in card and "pairs that differ" not in card
    assert ">1.23<" in card and ">&amp;<" in card
    alone = dataclasses.replace(ranking(None, ranks), p_value=0.2)._repr_html_()
    assert ">The learners are not shown to differ (p = 0.200)<" in alone


def test_card_of_many_learners_lists_the_best():
    ranks = np.arange(1.0, 13)
    card = ranking(by_distance(ranks, 1.5), ranks)._repr_html_()
    assert card.count("mean rank") == 8 and ">and 4 more learners<" in card
    assert "and 47 more<" in card, "of 66 pairs 55 differ, 8 are listed"


# --- tied sets ---

PARAMS = [{"kernel": "rbf", "C": 0.1}, {"kernel": "rbf", "C": 1.0}, {"kernel": "rbf", "C": 10.0},
          {"kernel": "linear", "C": 1.0}]  # fmt: skip


def tied_set(**fields):
    given = {
        "members": [0, 1], "best": 1, "scores": [0.8, 0.9, 0.7, np.nan],
        "p_values": [0.3, 0.9, 0.01, np.nan], "difference": [-0.05, 0.01, -0.2, np.nan],
        "low": [-0.1, -0.02, -0.3, np.nan], "high": [0.02, 0.03, -0.1, np.nan],
        "won": [0.2, 0.8, 0.0, 0.0], "confidence_level": 0.95, "method": "softmin",
        "metric": "roc_auc", "params": PARAMS,
        "families": ["kernel=rbf"] * 3 + ["kernel=linear"], "simplest": 0,
        "details": {"notes": []},
    }  # fmt: skip
    return TiedSet(**{**given, **fields})


def test_a_tied_set_is_a_set():
    tied = tied_set()
    assert len(tied) == 2 and list(tied) == [0, 1]
    assert 0 in tied and 2 not in tied and "0" not in tied
    assert tied.n_configs == 4


def test_the_table_has_the_best_first():
    frame = tied_set().frame()
    assert list(frame.index) == [1, 0, 2, 3] and frame.index.name == "config"
    assert list(frame.columns) == [
        "param_kernel", "param_C", "score", "difference", "low", "high", "p_value", "won",
        "family", "member",
    ]  # fmt: skip
    assert list(frame["member"]) == [True, True, False, False]
    assert frame["param_C"].dtype == float and frame.loc[3, "family"] == "kernel=linear"
    plain = tied_set(params=(), families=()).frame()
    assert next(iter(plain.columns)) == "score" and "family" not in plain


def test_parameters_that_some_do_not_have_are_empty():
    frame = tied_set(params=[{"a": 1}, {"b": None}, {"a": [1, 2]}, {}]).frame()
    assert frame.loc[2, "param_a"] == [1, 2] and frame.loc[1, "param_a"] is None


def test_by_family():
    frame = tied_set().by_family()
    assert list(frame.index) == ["kernel=rbf", "kernel=linear"]
    row = frame.loc["kernel=rbf"]
    assert (row["n_configs"], row["n_members"], row["best_config"]) == (3, 2, 1)
    assert row["best_score"] == 0.9 and row["members"] == "C 0.1 to 1"
    other = frame.loc["kernel=linear"]
    assert (other["n_members"], other["members"]) == (0, "")
    with pytest.raises(ValueError, match=r"no families.*params=\[\.\.\.\]"):
        tied_set(params=(), families=()).by_family()


@pytest.mark.parametrize(
    ("values", "text"),
    [([1, 2, 3], "x 1 to 3"), (["a", "b", "a"], "x a, b"), ([True, False, True], "x True, False"),
     ([None, 3, 5], "x None, 3, 5"), ([0.5, 0.5, 7], "x 0.5 to 7"), ([2, 2, 2], ""),
     (list("abcd"), "x 4 values")],
)  # fmt: skip
def test_values_of_the_members(values, text):
    params = [{"x": value} for value in values]
    tied = tied_set(
        members=range(len(values)), params=params, families=["all"] * len(values),
        **{name: np.zeros(len(values)) for name in
           ("scores", "p_values", "difference", "low", "high", "won")},
    )  # fmt: skip
    assert tied.by_family().loc["all", "members"] == text


def test_sentences():
    assert str(tied_set()) == (
        "2 of 3 configurations cannot be distinguished from the best by ROC AUC (95% confidence, "
        "softmin with leave-one-out means). The simplest of them is configuration 0 "
        "(kernel='rbf', C=0.1). These data do not show which of them is best: take the one "
        "that is simplest or cheapest to run, or collect more samples."
    )
    assert "simplest of them" not in tied_set(simplest=None).summary()
    assert tied_set(members=[1]).summary() == (
        "Configuration 1 (kernel='rbf', C=1.0) is the only one of 3 configurations that "
        "may be the best by ROC AUC (95% confidence, softmin with leave-one-out means)."
    )
    assert tied_set(members=[1], params=()).summary().startswith("Configuration 1 is the only one")
    given = tied_set(members=[1], params=[{"configuration": name} for name in "abcd"]).summary()
    assert given.startswith("b is the only one")  # a name of a user stays as it is
    one = tied_set(members=[1], scores=[np.nan, 0.9, np.nan, np.nan])
    assert one.summary().endswith("is the only configuration with a score.")
    long = tied_set(params=[{"x": "y" * 90}] * 4).summary()
    assert "..." in long and "y" * 61 not in long
    assert repr(tied_set()) == (
        "TiedSet(2 of 4 configurations, best=1, simplest=0, 95%, method='softmin', "
        "metric='roc_auc')"
    )


def test_the_card_names_the_best_the_simplest_and_families_with_members():
    card = tied_set()._repr_html_()
    assert "2 of 3 configurations (ROC AUC, 95% confidence)" in card
    assert "ROC AUC 0.900" in card and ">simplest<" in card
    assert ">kernel=rbf<" in card and "2 of 3 configurations: C 0.1 to 1" in card
    assert ">kernel=linear<" not in card
    plain = tied_set(
        params=(), families=(), simplest=None, details={"notes": ["<b>"]}
    )._repr_html_()
    assert "configuration 1: ROC AUC" in plain and ">simplest<" not in plain
    assert "&lt;b&gt;" in plain
