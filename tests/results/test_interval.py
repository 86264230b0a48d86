"""ConfidenceInterval: unpacking, membership, immutability, pickling."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest

from sklearn_bbc import ConfidenceInterval


@pytest.fixture
def result():
    return ConfidenceInterval(
        estimate=np.float64(0.9),
        low=0.84,
        high=0.95,
        confidence_level=0.95,
        alternative="two-sided",
        method="bbc",
        metric="roc_auc",
        estimand="performance of the winner",
        n_bootstraps=4,
        draws=[0.84, 0.9, 0.91, 0.95],
        details={"winner": 3, "notes": ["a note"]},
    )


def test_unpacks_as_bounds(result):
    low, high = result
    assert (low, high) == (0.84, 0.95)
    assert result.width == pytest.approx(0.11)


@pytest.mark.parametrize(
    "value, inside",
    [(0.84, True), (0.95, True), (0.9, True), (0.83999, False), (0.951, False), (np.nan, False)],
)
def test_membership_includes_both_bounds(result, value, inside):
    assert (value in result) is inside


def test_nothing_is_inside_undefined_bounds(result):
    undefined = dataclasses.replace(result, low=np.nan, high=np.nan)
    assert 0.9 not in undefined


def test_values_are_plain_floats(result):
    assert type(result.estimate) is float
    assert result.draws.dtype == float


def test_is_frozen(result):
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.low = 0
    with pytest.raises(ValueError, match="read-only"):
        result.draws[0] = 0
    with pytest.raises(TypeError):
        result.details["winner"] = 0


def test_fields_are_given_by_keyword():
    with pytest.raises(TypeError):
        ConfidenceInterval(0.9, 0.8, 1.0)


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))]
)
def test_copies_and_pickles_are_complete_and_frozen(result, duplicate):
    again = duplicate(result)
    assert again.to_dict() == result.to_dict()
    np.testing.assert_array_equal(again.draws, result.draws)
    with pytest.raises(ValueError, match="read-only"):
        again.draws[0] = 0
    with pytest.raises(TypeError):
        again.details["winner"] = 0


def test_to_dict_leaves_out_the_draws_only(result):
    plain = result.to_dict()
    fields = {field.name for field in dataclasses.fields(result)} - {"draws"}
    assert set(plain) == fields
    assert type(plain["details"]) is dict


def test_repr_can_be_read(result):
    assert repr(result) == (
        "ConfidenceInterval(low=0.84, high=0.95, estimate=0.9, 95% two-sided, method='bbc', "
        "metric='roc_auc')"
    )


def test_no_draws_and_no_details_by_default():
    result = ConfidenceInterval(
        estimate=0, low=-1, high=1, confidence_level=0.9, alternative="less", method="m",
        metric="r2", estimand="e",
    )  # fmt: skip
    assert result.draws is None and result.n_bootstraps is None and dict(result.details) == {}


# --- equality ----------------------------------------------------------------------------


def test_equal_in_content(result):
    again = pickle.loads(pickle.dumps(result))
    assert again == result and not again != result
    assert hash(again) == hash(result) and len({again, result}) == 1
    undefined = [
        dataclasses.replace(
            result, low=float("nan"), draws=None, details={"x": np.array([np.nan])}
        )
        for _ in range(2)
    ]
    assert undefined[0] == undefined[1] and hash(undefined[0]) == hash(undefined[1])


@pytest.mark.parametrize(
    "fields",
    [
        {"estimate": 0.91},
        {"low": np.nan},
        {"method": "bbcf"},
        {"n_bootstraps": None},
        {"draws": None},
        {"draws": [0.84, 0.9, 0.91, 0.96]},
        {"details": {"winner": 3, "notes": []}},
    ],
)
def test_different_in_one_field(result, fields):
    assert dataclasses.replace(result, **fields) != result


def test_other_things_are_not_equal(result):
    assert result != (0.84, 0.95) and result != None  # noqa: E711


def test_the_card(result):
    card = result._repr_html_()
    assert ">ROC AUC<" in card and "0.900 (0.840 to 0.950)" in card and ">BBC<" in card
    assert "smaller is better" not in card
    loss = dataclasses.replace(
        result, metric="neg_mean_absolute_error", estimate=-23.406, low=-30.0, high=-20.0,
        details={"unit": "group", "notes": ["<b>"]}, n_bootstraps=2000,
    )._repr_html_()  # fmt: skip
    assert "23.4 (20.0 to 30.0)" in loss and "smaller is better" in loss
    assert "2,000 draws of groups" in loss and "&lt;b&gt;" in loss
    failed = dataclasses.replace(result, estimate=np.nan, details={"error": "<why>"})._repr_html_()
    assert "no interval could be computed" in failed and "&lt;why&gt;" in failed
