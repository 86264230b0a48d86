"""Families: which values the configurations share."""

import numpy as np
import pytest
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc.comparison._tied import families, shared

SVMS = [{"kernel": kernel, "C": c} for kernel in ("rbf", "linear") for c in (0.1, 1.0, 10.0)]


def test_words_make_families():
    assert families(SVMS) == ("kernel=rbf",) * 3 + ("kernel=linear",) * 3


def test_without_words_the_parameter_with_the_fewest_values():
    params = [{"depth": d, "leaf": leaf} for d in (1, 2, 3) for leaf in (1, 5)]
    assert families(params)[:3] == ("leaf=1", "leaf=5", "leaf=1")
    assert families([{"depth": 2}, {"depth": 2}]) == ("all", "all")
    assert families([{"C": k / 7} for k in range(30)]) == ("all",) * 30


def test_estimators_functions_none_and_missing_values():
    params = [
        {"clf": SVC(), "clf__C": 1.0},
        {"clf": SVC(), "clf__C": 2.0},
        {"clf": DecisionTreeClassifier(), "depth": None},
        {"clf": DecisionTreeClassifier(), "depth": 3},
        {"clf": np.median},
    ]
    assert families(params, "clf") == ("clf=SVC",) * 2 + ("clf=DecisionTreeClassifier",) * 2 + (
        "clf=median",
    )
    assert families(params)[2:] == (
        "clf=DecisionTreeClassifier, depth=None", "clf=DecisionTreeClassifier, depth=3",
        "clf=median",
    )  # fmt: skip


def test_families_can_be_asked_for():
    assert families(SVMS, ["C", "kernel"])[0] == "C=0.1, kernel=rbf"
    assert families(SVMS, lambda params: "weak" if params["C"] > 1 else "strong")[:3] == (
        "strong", "strong", "weak",
    )  # fmt: skip
    assert families((), "kernel") == ()


@pytest.mark.parametrize(
    ("by", "message"),
    [("gamma", r"names \['gamma'\], which no configuration has; there are \['C', 'kernel'\]"),
     (3, "family must be the name of a parameter"), ([3], "family must be the name")],
)  # fmt: skip
def test_unknown_families_are_refused(by, message):
    with pytest.raises(ValueError, match=message):
        families(SVMS, by)


def test_what_members_share():
    assert shared(SVMS, [0, 1]) == {"kernel": "rbf"}
    assert shared(SVMS, [2, 5]) == {"C": 10.0}
    assert shared(SVMS, [0, 5]) == {}
    assert shared([{"a": 1, "b": 2}, {"a": 1, "b": 3}], [0]) == {"b": 2}
    # A parameter that the others do not have at all tells the members apart from them.
    assert shared([{"a": 1}, {"b": 2}], [0]) == {"a": 1}
    assert shared([{"a": 1}, {"b": 2}], [0, 1]) == {}
