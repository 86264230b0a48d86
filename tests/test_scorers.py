"""Names of scorers: scikit-learn's, and ours beside them."""

import pytest
from sklearn.metrics import get_scorer, get_scorer_names, make_scorer, r2_score

from sklearn_bbc._scorers import (
    OUR_SCORERS,
    SCORER_ALIASES,
    scorer_named,
    scorer_names,
    with_our_scorers,
)
from sklearn_bbc.metrics import concordance_index_scorer


def test_our_names_stand_beside_those_of_scikit_learn():
    assert set(scorer_names()) == {*get_scorer_names(), *OUR_SCORERS}
    assert {"concordance_index", "calibration_slope"} < OUR_SCORERS.keys()
    assert "concordance_index" not in get_scorer_names(), "its own list is not touched"
    assert scorer_named("concordance_index") is concordance_index_scorer
    assert scorer_named("r2")._score_func is r2_score
    assert scorer_named("r2") is scorer_named("r2"), "looked up once"
    with pytest.raises(
        ValueError, match=r"'concordance' is unknown\. Did you mean 'concordance_index'\?"
    ):
        scorer_named("concordance")


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("rocauc", "roc_auc"),
        ("ROC-AUC", "roc_auc"),
        ("auc", "roc_auc"),
        ("Accuracy", "accuracy"),
        ("balanced accuracy", "balanced_accuracy"),
        ("log_loss", "neg_log_loss"),
        ("rmse", "neg_root_mean_squared_error"),
        ("c-index", "concordance_index"),
        ("f1_makro", "f1_macro"),
    ],
)
def test_a_name_that_is_nearly_right_gets_the_right_one(wrong, meant):
    with pytest.raises(ValueError, match=f"unknown. Did you mean '{meant}'\\?"):
        scorer_named(wrong)


def test_other_words_for_scorers_lead_to_scorers():
    assert set(SCORER_ALIASES.values()) <= set(scorer_names())
    assert all(name.isalnum() and name == name.casefold() for name in SCORER_ALIASES)


def test_a_name_that_is_near_to_nothing_gets_only_the_list():
    with pytest.raises(
        ValueError,
        match=r"unknown\. Common ones .* ours are on the page 'Metrics'",
    ):
        scorer_named("profit in the third quarter")


@pytest.mark.parametrize(
    "scoring",
    [
        None,
        "r2",
        "unknown",
        ["r2", "neg_mean_squared_error"],
        {"r2": "r2", "mine": make_scorer(r2_score)},
        ["concordance_index", "concordance_index"],
        ["concordance_index", make_scorer(r2_score)],
        [],
        get_scorer("r2"),
        7,
    ],
    ids=repr,
)
def test_what_is_not_ours_is_left_to_scikit_learn(scoring):
    assert with_our_scorers(scoring) is scoring


def test_our_names_become_scorers():
    ours = OUR_SCORERS["concordance_index"]
    assert with_our_scorers("concordance_index") is ours
    expected = {"r2": "r2", "concordance_index": ours}
    for several in (["r2", "concordance_index"], ("r2", "concordance_index")):
        assert with_our_scorers(several) == expected
        assert list(with_our_scorers(several)) == list(several)
    given = {"c": "concordance_index", "r": "r2"}
    assert with_our_scorers(given) == {"c": ours, "r": "r2"}
    assert given == {"c": "concordance_index", "r": "r2"}
