"""What differs between two problems is said by the names that people use."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import KFold, RepeatedKFold, StratifiedKFold, check_cv
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.recording._resume import _estimator_parts, _packages_of, search_problem
from sklearn_bbc.store._folder import Fact, differences

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 1, 0, 1, 0, 1])
FOLDS = KFold(3)
PIPE = make_pipeline(StandardScaler(), LogisticRegression(C=2))


def problem(estimator=PIPE, X=X, y=Y, cv=FOLDS, scoring="roc_auc", **params):
    search = BBCSearchCV(estimator, {}, scoring=scoring)
    return search_problem(search, X, y, params, check_cv(cv, y, classifier=True))


def lasting(facts):
    """As after a run of another day."""
    text = json.dumps({name: fact.to_json() for name, fact in facts.items()})
    return {name: Fact.from_json(values) for name, values in json.loads(text).items()}


def edited(number):
    space = {"__name__": "mine", "LogisticRegression": LogisticRegression, "KFold": KFold}
    exec(
        "class Mine(LogisticRegression):\n"
        f"    def fit(self, X, y):\n        {number}\n        return super().fit(X, {number})\n"
        f"class Folds(KFold):\n    def split(self, *data):\n        return [{number}]\n"
        f"def score(model, X, y):\n    return {number}",
        space,
    )
    return space


class NoSplitter:
    """Made of slots: it has no attributes to name."""

    __slots__ = ()

    def split(self, X, y=None, groups=None):
        return []

    def get_n_splits(self, X=None, y=None, groups=None):
        return 3


class OfSplits(KFold):
    """Holds a list, as the wrapper of scikit-learn does, and more."""

    def __init__(self, n_splits=3):
        super().__init__(n_splits)
        self.cv = [1, 2]


CHANGES = {
    # name: (before, now, what is said)
    "nothing": ({}, {}, []),
    "copies": ({}, {"X": np.asfortranarray(X), "y": Y.copy()}, []),
    "y": ({}, {"y": 1 - Y}, ["y changed"]),
    "X": ({}, {"X": X + 1}, ["X changed"]),
    "type of X": ({}, {"X": pd.DataFrame(X)}, ["X changed"]),
    "two at once": ({}, {"X": X + 1, "y": 1 - Y}, ["X changed", "y changed"]),
    "no target": ({}, {"y": None, "cv": KFold(3)}, ["y changed"]),
    "weights": (
        {"sample_weight": Y + 1},
        {"sample_weight": Y + 2},
        ["fit parameter sample_weight changed"],
    ),
    "weights are new": ({}, {"sample_weight": Y}, ["fit parameter sample_weight is new"]),
    "groups": ({"groups": Y}, {"groups": Y + 1}, ["groups changed"]),
    "no groups": ({"groups": Y}, {"groups": None}, ["groups is missing"]),
    "metric": ({}, {"scoring": "f1"}, ["scoring 'roc_auc' to 'f1'"]),
    "metrics": ({}, {"scoring": ["f1"]}, ["scoring 'roc_auc' to ['f1']"]),
    "scorer": (
        {"scoring": make_scorer(roc_auc_score)},
        {"scoring": make_scorer(roc_auc_score, max_fpr=0.5)},
        ["scoring changed"],
    ),
    "edited scorer": (
        {"scoring": edited(1)["score"]},
        {"scoring": edited(2)["score"]},
        ["scoring changed"],
    ),
    "folds": ({}, {"cv": KFold(2)}, ["cv's n_splits 3 to 2"]),
    "splitter": (
        {},
        {"cv": StratifiedKFold(3)},
        ["cv class KFold to class StratifiedKFold"],
    ),
    "seed of the splitter": (
        {"cv": KFold(3, shuffle=True, random_state=0)},
        {"cv": KFold(3, shuffle=True, random_state=1)},
        ["cv's random_state 0 to 1"],
    ),
    "used generator": (
        {"cv": KFold(3, shuffle=True, random_state=np.random.RandomState(0))},
        {"cv": KFold(3, shuffle=True, random_state=np.random.RandomState(1))},
        ["cv's random_state changed"],
    ),
    "repeats": (
        {"cv": RepeatedKFold(n_splits=2, n_repeats=2)},
        {"cv": RepeatedKFold(n_splits=2, n_repeats=3)},
        ["cv's n_repeats 2 to 3"],
    ),
    "edited splitter": (
        {"cv": edited(1)["Folds"](3)},
        {"cv": edited(2)["Folds"](3)},
        ["the code of cv (class Folds), or what it uses, changed"],
    ),
    "list of splits": (
        {"cv": [(np.arange(3), np.arange(3, 6))]},
        {"cv": [(np.arange(3, 6), np.arange(3))]},
        ["cv changed"],
    ),
    "from a splitter to a list": ({}, {"cv": [(Y, Y)]}, ["cv changed"]),
    "from a list to a splitter": ({"cv": [(Y, Y)]}, {}, ["cv changed"]),
    "splitter that holds a list": (
        {"cv": OfSplits(2)},
        {"cv": OfSplits(3)},
        ["cv's n_splits 2 to 3"],
    ),
    "splitter without attributes": (
        {},
        {"cv": NoSplitter()},
        ["cv class KFold to class NoSplitter"],
    ),
    "estimator": (
        {},
        {"estimator": DummyClassifier()},
        ["estimator class Pipeline to class DummyClassifier"],
    ),
    "parameter of a part": (
        {},
        {"estimator": make_pipeline(StandardScaler(), LogisticRegression(C=3))},
        ["estimator's logisticregression__C 2 to 3"],
    ),
    "part": (
        {},
        {"estimator": make_pipeline(MinMaxScaler(), LogisticRegression(C=2))},
        [
            "estimator's steps changed",
            "estimator's minmaxscaler is new",
            "estimator's standardscaler is missing",
        ],
    ),
    "part of the same name": (
        {"estimator": Pipeline([("scale", StandardScaler()), ("model", LogisticRegression())])},
        {"estimator": Pipeline([("scale", MinMaxScaler()), ("model", LogisticRegression())])},
        [
            "estimator's steps changed",
            "estimator's scale class StandardScaler to class MinMaxScaler",
            "estimator's scale__clip is new",
            "estimator's scale__feature_range is new",
            "estimator's scale__with_mean is missing",
            "estimator's scale__with_std is missing",
        ],
    ),
    "long value": (
        {"estimator": LogisticRegression(class_weight={0: 1, 1: 2})},
        {"estimator": LogisticRegression(class_weight={0: 1, 1: 3})},
        ["estimator's class_weight changed"],
    ),
    "edited class": (
        {"estimator": edited(1)["Mine"]()},
        {"estimator": edited(2)["Mine"]()},
        ["the code of estimator (class Mine), or what it uses, changed"],
    ),
    "edited part": (
        {"estimator": make_pipeline(edited(1)["Mine"]())},
        {"estimator": make_pipeline(edited(2)["Mine"]())},
        ["the code of estimator's mine (class Mine), or what it uses, changed"],
    ),
}


@pytest.mark.parametrize(("before", "now", "said"), CHANGES.values(), ids=CHANGES)
def test_what_changed_is_named(before, now, said):
    assert differences(lasting(problem(**before)), problem(**now)) == said


def test_versions_are_named(monkeypatch):
    before = problem()
    assert {"Python", "NumPy", "SciPy", "scikit-learn"} <= before.keys()
    from sklearn_bbc.recording import _resume as _problem

    monkeypatch.setattr(_problem.sklearn, "__version__", "9.9")
    now = before["scikit-learn"].print
    assert differences(lasting(before), problem()) == [f"scikit-learn {now} to 9.9"]
    # The code of a class counts as changed with its version, which is enough to say.
    of_class = {**before, "estimator": Fact("other", parts=before["estimator"].parts)}
    assert differences(lasting(of_class), problem()) == [f"scikit-learn {now} to 9.9"]
    assert differences(lasting(of_class), problem(y=1 - Y)) == [
        "y changed",
        f"scikit-learn {now} to 9.9",
    ]


def test_a_package_that_users_have_edited_counts_by_content():
    assert "mine" not in problem(edited(1)["Mine"]())


def test_what_cannot_be_determined_is_named():
    generator = (number for number in range(3))
    for changes, what in (
        ({"sample_weight": generator}, "fit parameter sample_weight"),
        ({"estimator": LogisticRegression(C=generator)}, "estimator"),
        ({"scoring": [generator]}, "scoring"),
    ):
        with pytest.raises(TypeError, match=f"store= cannot check whether {what} is the same"):
            problem(**changes)


def test_other_versions_hide_no_change_that_a_value_shows(monkeypatch):
    before = problem(estimator=LogisticRegression(C=2))
    from sklearn_bbc.recording import _resume as _problem

    version = before["scikit-learn"].print
    monkeypatch.setattr(_problem.sklearn, "__version__", "9.9")
    now = problem(estimator=LogisticRegression(C=3), scoring="f1")
    assert differences(lasting(before), now) == [
        "estimator's C 2 to 3",
        "scoring 'roc_auc' to 'f1'",
        f"scikit-learn {version} to 9.9",
    ]
    # The class of the estimator is of other code, too, as it is in another version.
    parts = {**before["estimator"].parts, "": Fact("other", "class LogisticRegression")}
    other = {**before, "estimator": Fact("other", parts=parts)}
    now = problem(estimator=LogisticRegression(C=2))
    assert differences(lasting(other), now) == [f"scikit-learn {version} to 9.9"]


def test_packages_of_parts_and_of_functions_count():
    module = {"__module__": "pandas.somewhere"}
    other = type("Other", (LogisticRegression,), module)()
    assert problem(make_pipeline(StandardScaler(), other))["pandas"].text == pd.__version__
    assert _packages_of([pd.isna]) == {"pandas": pd.__version__}
    # Neither data nor what is nobody's.
    assert _packages_of([pd.Series([1.0]), [].append, "pandas", StandardScaler]) == {}


def test_estimators_in_lists_and_dicts_count_by_their_class():
    def parts(**values):
        return _estimator_parts(LogisticRegression(**values))["class_weight"].print

    one, same = {"a": [LogisticRegression(C=1)]}, {"a": [LogisticRegression(C=2)]}
    assert parts(class_weight=one) == parts(class_weight=same)
    assert parts(class_weight=one) != parts(class_weight={"a": [DummyClassifier()]})
    assert parts(class_weight=one) != parts(class_weight={"b": [LogisticRegression(C=1)]})
    # A class is a value like others.
    found = _estimator_parts(LogisticRegression(C=StandardScaler))["C"]
    assert found.text is None


def test_whether_metadata_is_routed_belongs_to_the_problem():
    before = lasting(problem())
    with config_context(enable_metadata_routing=True):
        assert differences(before, problem()) == ["metadata routing False to True"]


HOLDERS = {
    "array": np.asarray,
    "list": list,
    "Series": pd.Series,
    "Series with an index": lambda values: pd.Series(values, index=[7, 5, 3, 1, 2, 4], name="a"),
}


@pytest.mark.parametrize("name", ["y", "groups", "sample_weight", "mine__sample_weight"])
@pytest.mark.parametrize("values", [Y, np.array(list("ababab"))], ids=["numbers", "text"])
def test_what_holds_the_values_of_samples_is_no_other_problem(name, values):
    held = {kind: problem(**{name: hold(values)}) for kind, hold in HOLDERS.items()}
    for before in held.values():
        for now in held.values():
            assert differences(lasting(before), now) == []
    called = name if name in ("y", "groups") else f"fit parameter {name}"
    changed = problem(**{name: pd.Series(values[::-1])})
    assert differences(lasting(held["list"]), changed) == [f"{called} changed"]
    assert differences(lasting(held["Series"]), changed)


def test_an_index_that_changes_is_another_problem():
    """A scorer may look something up by it."""
    one, other = pd.Series(Y, index=list("abcdef")), pd.Series(Y, index=list("fedcba"))
    before = lasting(problem(y=one))
    assert differences(before, problem(y=one.copy())) == differences(before, problem(y=Y)) == []
    assert differences(before, problem(y=other)) == ["the index of y changed"]
