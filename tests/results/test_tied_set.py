"""TiedSet: a frozen value that reads well."""

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from sklearn_bbc.results import TiedSet

PARAMS = [{"kernel": "rbf", "C": 0.1}, {"kernel": "rbf", "C": 1.0}, {"kernel": "rbf", "C": 10.0},
          {"kernel": "linear", "C": 1.0}]  # fmt: skip


def made(**fields):
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


def test_it_is_a_set():
    tied = made()
    assert len(tied) == 2 and list(tied) == [0, 1]
    assert 0 in tied and 2 not in tied and "0" not in tied
    assert tied.n_configs == 4


def test_it_is_frozen():
    tied = made()
    with pytest.raises(FrozenInstanceError):
        tied.best = 0
    with pytest.raises(ValueError, match="read-only"):
        tied.scores[0] = 1
    with pytest.raises(TypeError):
        tied.details["notes"] = 1


def test_equal_after_pickling_and_not_otherwise():
    tied = made()
    copy = pickle.loads(pickle.dumps(tied))
    assert copy == tied and hash(copy) == hash(tied)
    with pytest.raises(ValueError, match="read-only"):
        copy.scores[0] = 1
    assert made(members=[1]) != tied and made(details={}) != tied
    assert tied != "tied"


def test_the_table_has_the_best_first():
    frame = made().frame()
    assert list(frame.index) == [1, 0, 2, 3] and frame.index.name == "config"
    assert list(frame.columns) == [
        "param_kernel", "param_C", "score", "difference", "low", "high", "p_value", "won",
        "family", "member",
    ]  # fmt: skip
    assert list(frame["member"]) == [True, True, False, False]
    assert frame["param_C"].dtype == float and frame.loc[3, "family"] == "kernel=linear"
    plain = made(params=(), families=()).frame()
    assert next(iter(plain.columns)) == "score" and "family" not in plain


def test_parameters_that_some_do_not_have_are_empty():
    frame = made(params=[{"a": 1}, {"b": None}, {"a": [1, 2]}, {}]).frame()
    assert frame.loc[2, "param_a"] == [1, 2] and frame.loc[1, "param_a"] is None


def test_by_family():
    frame = made().by_family()
    assert list(frame.index) == ["kernel=rbf", "kernel=linear"]
    row = frame.loc["kernel=rbf"]
    assert (row["n_configs"], row["n_members"], row["best_config"]) == (3, 2, 1)
    assert row["best_score"] == 0.9 and row["members"] == "C 0.1 to 1"
    other = frame.loc["kernel=linear"]
    assert (other["n_members"], other["members"]) == (0, "")
    with pytest.raises(ValueError, match=r"no families.*params=\[\.\.\.\]"):
        made(params=(), families=()).by_family()


@pytest.mark.parametrize(
    ("values", "text"),
    [([1, 2, 3], "x 1 to 3"), (["a", "b", "a"], "x a, b"), ([True, False, True], "x True, False"),
     ([None, 3, 5], "x None, 3, 5"), ([0.5, 0.5, 7], "x 0.5 to 7"), ([2, 2, 2], "")],
)  # fmt: skip
def test_values_of_the_members(values, text):
    params = [{"x": value} for value in values]
    tied = made(
        members=[0, 1, 2], params=params, families=["all"] * 3,
        **{name: np.zeros(3) for name in
           ("scores", "p_values", "difference", "low", "high", "won")},
    )  # fmt: skip
    assert tied.by_family().loc["all", "members"] == text


def test_many_words_are_counted():
    params = [{"x": word} for word in "abcde"]
    arrays = ("scores", "p_values", "difference", "low", "high", "won")
    tied = made(
        members=range(5), params=params, families=["all"] * 5,
        **{name: np.zeros(5) for name in arrays},
    )  # fmt: skip
    assert tied.by_family().loc["all", "members"] == "x 5 values"


def test_sentences():
    assert str(made()) == (
        "2 of 3 configurations cannot be told from the best by ROC AUC (95% confidence, softmin "
        "with leave-one-out means). The simplest of them is configuration 0 "
        "(kernel='rbf', C=0.1)."
    )
    assert made(simplest=None).summary().endswith("softmin with leave-one-out means).")
    assert made(members=[1]).summary() == (
        "Configuration 1 (kernel='rbf', C=1.0) is the only one of 3 configurations that "
        "may be the best by ROC AUC (95% confidence, softmin with leave-one-out means)."
    )
    assert made(members=[1], params=()).summary().startswith("Configuration 1 is the only one")
    assert repr(made()) == (
        "TiedSet(2 of 4 configurations, best=1, simplest=0, 95%, method='softmin', "
        "metric='roc_auc')"
    )


def test_long_parameters_are_cut():
    text = made(params=[{"x": "y" * 90}] * 4).summary()
    assert "..." in text and "y" * 61 not in text


def test_as_a_dictionary():
    result = made().to_dict()
    assert result["best"] == 1 and result["details"] == {"notes": []}
    assert set(result) >= {"members", "p_values", "won", "families", "simplest"}


def test_the_card_names_the_best_the_simplest_and_families_with_members():
    card = made()._repr_html_()
    assert "2 of 3 configurations (ROC AUC, 95% confidence)" in card
    assert "ROC AUC 0.900" in card and ">simplest<" in card
    assert ">kernel=rbf<" in card and "2 of 3 configurations: C 0.1 to 1" in card
    assert ">kernel=linear<" not in card
    plain = made(params=(), families=(), simplest=None, details={"notes": ["<b>"]})._repr_html_()
    assert "configuration 1: ROC AUC" in plain and ">simplest<" not in plain
    assert "&lt;b&gt;" in plain


def test_one_configuration_with_a_score():
    one = made(members=[1], scores=[np.nan, 0.9, np.nan, np.nan])
    assert one.summary().endswith("is the only configuration with a score.")
