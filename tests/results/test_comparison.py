"""ComparisonResult: words, sides, unpacking, immutability, pickling."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest

from sklearn_bbc import ComparisonResult


@pytest.fixture
def result():
    return ComparisonResult(
        difference=0.031, low=0.01, high=0.052, statistic=2.9, p_value=0.004,
        confidence_level=0.95, alternative="two-sided", method="paired_bootstrap",
        metric="roc_auc", estimand="difference of two models", names=("forest", "tree"),
        assumptions=["Samples are independent."], label="paired bootstrap", n_bootstraps=4,
        draws=[0.01, 0.03, 0.04, 0.05], details={"unit": "group", "notes": []},
    )  # fmt: skip


def test_the_sentence(result):
    assert (
        str(result)
        == result.summary()
        == (
            "forest is better than tree by 0.031 in ROC AUC (95% confidence interval 0.010 to "
            "0.052, p = 0.004, paired bootstrap, 4 draws of groups)."
        )
    )


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"difference": -0.2, "low": -0.3, "high": -0.1}, "forest is worse than tree by 0.200"),
        ({"p_value": 0.0004}, "p < 0.001"),
        (
            {"p_value": 0.06},
            "No difference between forest and tree is shown: forest minus tree is +0.031 in ROC "
            "AUC (95%",
        ),
        ({"p_value": 0.06, "difference": -0.5}, "shown: forest minus tree is -0.500 in ROC AUC"),
        ({"p_value": 0.06, "difference": 0.0}, "shown: forest minus tree is 0.000 in ROC AUC"),
        (
            {"p_value": 0.06, "alternative": "greater"},
            "forest is not shown to be better than tree: forest minus tree is +0.031 in ROC AUC "
            "(one-sided 95% confidence interval: at least 0.010, p",
        ),
        (
            {"p_value": 0.06, "alternative": "less"},
            "forest is not shown to be worse than tree: forest minus tree is +0.031 in ROC AUC "
            "(one-sided 95% confidence interval: at most 0.052",
        ),
        # What is worse is worse by a positive amount, with the bounds of that amount.
        (
            {"difference": -0.2, "low": -0.3, "high": -0.1},
            "by 0.200 in ROC AUC (95% confidence interval 0.100 to 0.300, p",
        ),
        (
            {"difference": -0.2, "low": -1, "high": -0.1, "alternative": "less"},
            "forest is worse than tree by 0.200 in ROC AUC (one-sided 95% confidence interval: at "
            "least 0.100, p",
        ),
        # A loss: better is lower, and a difference that is not shown has the printed sign.
        (
            {"metric": "neg_mean_absolute_error", "difference": 2.31, "low": 1.2, "high": 3.4},
            "forest is better than tree by 2.31 in mean absolute error (95% confidence interval "
            "1.20 to 3.40, p",
        ),
        (
            {"metric": "neg_mean_absolute_error", "difference": 2.31, "low": -1.2, "high": 5.8,
             "p_value": 0.2},
            "forest minus tree is -2.31 in mean absolute error (95% confidence interval -5.80 to "
            "1.20, p",
        ),
        (
            {"metric": "neg_log_loss", "difference": 0.2, "low": -0.1, "high": np.inf,
             "p_value": 0.2, "alternative": "greater"},
            "forest minus tree is -0.200 in log loss (one-sided 95% confidence interval: at most "
            "0.100, p",
        ),
        ({"low": np.nan}, "(no interval, p = 0.004"),
        ({"difference": np.nan}, "forest and tree cannot be compared by ROC AUC"),
        ({"label": ""}, "method 'paired_bootstrap'"),
        ({"difference": 0.00004}, "by 4e-05 in ROC AUC"),
        ({"p_value": np.nan, "details": {"interval": "credible interval"}},
         "by 0.031 in ROC AUC (95% credible interval 0.010 to 0.052, paired"),
    ],
)  # fmt: skip
def test_other_sentences(result, fields, words):
    assert words in dataclasses.replace(result, **fields).summary()


def test_shown_is_by_the_p_value_else_by_the_interval(result):
    assert result.is_shown
    assert not dataclasses.replace(result, p_value=0.051).is_shown
    assert dataclasses.replace(result, p_value=0.09, confidence_level=0.9).is_shown
    assert dataclasses.replace(result, p_value=np.nan).is_shown
    assert not dataclasses.replace(result, p_value=np.nan, low=-0.01).is_shown
    assert dataclasses.replace(result, p_value=np.nan, low=-0.2, high=-0.1).is_shown


def test_unpacks_as_bounds(result):
    low, high = result
    assert (low, high) == (0.01, 0.052) and result.width == pytest.approx(0.042)
    assert 0.01 in result and 0.053 not in result and 0.0 not in result


def test_is_frozen(result):
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.low = 0
    with pytest.raises(ValueError, match="read-only"):
        result.draws[0] = 0
    with pytest.raises(TypeError):
        result.details["unit"] = 0
    with pytest.raises(TypeError):
        ComparisonResult(0.9, 0.8, 1.0)
    assert type(result.difference) is float and result.assumptions == ("Samples are independent.",)


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))]
)
def test_copies_and_pickles_are_complete_and_frozen(result, duplicate):
    again = duplicate(result)
    assert again == result and hash(again) == hash(result)
    with pytest.raises(ValueError, match="read-only"):
        again.draws[0] = 0
    with pytest.raises(TypeError):
        again.details["unit"] = 0


def test_to_dict_leaves_out_the_draws_only(result):
    plain = result.to_dict()
    assert set(plain) == {field.name for field in dataclasses.fields(result)} - {"draws"}
    assert type(plain["details"]) is dict


def test_repr_can_be_read(result):
    assert repr(result) == (
        "ComparisonResult('forest' - 'tree', difference=0.031, low=0.01, high=0.052, "
        "p_value=0.004, 95% two-sided, method='paired_bootstrap', metric='roc_auc')"
    )


@pytest.mark.parametrize(
    "fields",
    [{"difference": 0.03}, {"p_value": np.nan}, {"names": ("a", "tree")}, {"draws": None},
     {"assumptions": ()}, {"details": {}}],
)  # fmt: skip
def test_different_in_one_field(result, fields):
    assert dataclasses.replace(result, **fields) != result
    assert result != (0.01, 0.052)


def test_undefined_results_are_equal(result):
    undefined = [dataclasses.replace(result, p_value=float("nan")) for _ in range(2)]
    assert undefined[0] == undefined[1] and hash(undefined[0]) == hash(undefined[1])


def test_the_card_says_the_same_and_escapes_names(result):
    card = result._repr_html_()
    assert "forest is better than tree by 0.031 in ROC AUC" in card
    assert "95% confidence interval 0.010 to 0.052" in card and ">0.004<" in card
    evil = dataclasses.replace(
        result, names=("<script>", "b"), metric="neg_log_loss", p_value=np.nan,
        details={"scores": (-0.4, -0.5), "notes": ["<b>"]},
    )._repr_html_()  # fmt: skip
    assert "<script" not in evil and "&lt;script&gt; is better than b by 0.031 in log loss" in evil
    assert ">log loss, b<" in evil and ">0.500<" in evil and "&lt;b&gt;" in evil
    assert "p-value" not in evil
