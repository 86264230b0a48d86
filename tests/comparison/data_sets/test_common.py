"""What every comparison over data sets refuses and keeps; registry and docstrings."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from sklearn_bbc.comparison import registered_on_data_sets
from sklearn_bbc.results import RankingResult
from sklearn_bbc.testing._common import assert_documented

NAMES = sorted(registered_on_data_sets())


def made(name, **params):
    method = registered_on_data_sets()[name](**params)
    if name == "bayesian_signed_rank":
        method.set_params(random_state=0, n_draws=2000)
    return method


def table(name, n=8, seed=0):
    k = 2 if name == "bayesian_signed_rank" else 4
    return np.random.default_rng(seed).normal(size=(n, k)) + np.arange(k)


@pytest.mark.parametrize("name", NAMES)
def test_results_are_complete(name):
    method = made(name)
    result = method.compare(table(name))
    assert isinstance(result, RankingResult) and result.method == name
    k = len(result.names)
    assert result.mean_ranks.sum() == pytest.approx(k * (k + 1) / 2)
    assert result.n_data_sets == 8 and result.confidence_level == 0.95
    assert pickle.loads(pickle.dumps(result)) == result
    assert clone(method).compare(table(name)) == result
    assert all(text.endswith(".") for text in result.assumptions) and result.assumptions
    assert_documented(type(method), result.details)
    assert str(result).startswith("Mean ranks over 8 data sets: ")
    with pytest.raises(TypeError):
        type(method)(0.9)


@pytest.mark.parametrize("name", NAMES)
def test_order_scale_and_sign_of_scores(name):
    """Data sets in another order, losses in place of scores: the same ranks."""
    scores = table(name)
    result = made(name).compare(scores)
    losses = made(name).compare(-scores, greater_is_better=False)
    np.testing.assert_array_equal(losses.mean_ranks, result.mean_ranks)
    mixed = made(name).compare(scores[::-1])
    np.testing.assert_allclose(mixed.mean_ranks, result.mean_ranks)
    if result.pair_p_values is not None:
        np.testing.assert_allclose(mixed.pair_p_values, result.pair_p_values)
        np.testing.assert_allclose(losses.pair_p_values, result.pair_p_values)
        np.testing.assert_array_equal(result.pair_p_values, result.pair_p_values.T)
        assert np.nanmax(result.pair_p_values) <= 1 and np.nanmin(result.pair_p_values) >= 0


@pytest.mark.parametrize("name", NAMES)
def test_ties_everywhere_are_no_difference(name):
    result = made(name).compare(np.full((6, table(name).shape[1]), 0.5))
    assert np.ptp(result.mean_ranks) == 0
    assert np.isnan(result.p_value) or result.p_value == 1
    if result.pair_p_values is not None:
        assert np.nanmin(result.pair_p_values) == 1 and result.pairs()["is_shown"].sum() == 0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "change, message",
    [
        (lambda s: s[:4], r"needs at least 5 data sets \(rows\), got 4"),
        (lambda s: np.where(s == s[2, 1], np.nan, s), "first in row 2, column 1"),
        (lambda s: s[:, :1], "learners, got 1"),
        (lambda s: s[0], r"scores has shape \(.,\), expected"),
        (lambda s: [["a"] * 3] * 6, "scores must hold numbers"),
    ],
)
def test_bad_tables(name, change, message):
    with pytest.raises(ValueError, match=message):
        made(name).compare(change(table(name)))


@pytest.mark.parametrize("name", NAMES)
def test_bad_parameters(name):
    for level in (0, 1, 95, "a", None, True):
        with pytest.raises(ValueError, match="confidence_level"):
            made(name, confidence_level=level).compare(table(name))
    with pytest.raises(ValueError, match="names must be"):
        made(name).compare(table(name), names=["a", "a", "b", "c"])
    if "control" in made(name).get_params():
        for control in (9, "nobody", -1):
            with pytest.raises(ValueError, match="control must be the name or the position"):
                made(name, control=control).compare(table(name))


def test_a_transposed_table_is_noticed():
    with pytest.raises(ValueError, match="looks transposed"):
        made("friedman").compare(table("friedman")[:7].T[:3])


def test_columns_of_a_table_are_names():
    frame = pd.DataFrame(table("nemenyi"), columns=["a", "b", "c", "d"])
    result = made("nemenyi").compare(frame)
    assert result.names == ("a", "b", "c", "d")
    assert result.frame()["learner"].tolist()[0] == "d"
    by_name = made("holm", control="d").compare(frame)
    assert by_name == made("holm", control=3).compare(frame)
    assert set(by_name.pairs()["first"]) == {"d"} and len(by_name.pairs()) == 3
    assert by_name.frame()["p_value"].iloc[0] == 1
