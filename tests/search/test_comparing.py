"""search.compare: every kind of baseline, its splits, and what is refused."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV, compare
from sklearn_bbc.comparison import BBCDifference, Side
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search._comparison import baseline_side, recorded_splits
from sklearn_bbc.selection import OneStandardError
from tests.made import made

rng = np.random.default_rng(0)
y = np.arange(90) % 2
X = rng.normal(size=(90, 3)) + 0.8 * y[:, None]
CV = StratifiedKFold(3, shuffle=True, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)


def fitted(estimator=TREE, grid=None, fit_params=None, **params):
    params = {"cv": CV, "scoring": "roc_auc", "random_state": 0, "ci": [], **params}
    grid = {"max_depth": [1, 2, 3]} if grid is None else grid
    return BBCSearchCV(estimator, grid, **params).fit(X, y, **(fit_params or {}))


def alone(n_splits=3, **fields):
    """A search of which only the record and the splitter are known."""
    tests = np.array_split(np.arange(90), n_splits)
    oof = made(
        y_true=y, responses={"predict": y[None]}, sample=np.concatenate(tests),
        fold=np.repeat(np.arange(n_splits), [len(test) for test in tests]), **fields,
    )  # fmt: skip
    return SimpleNamespace(oof_=oof, cv=KFold(n_splits))


QUICK = {"n_bootstraps": 100}


@pytest.fixture(scope="module")
def search():
    return fitted()


def side_of(search, baseline, *data):
    own, metric = Side(oof=search.oof_, name="own"), as_metric("roc_auc")
    finished = search._as_finished() if isinstance(search, BBCSearchCV) else None
    X, y = data or (None, None)
    return baseline_side(search, finished, baseline, own, metric, X, y, {})


def test_a_configuration_by_position_and_by_parameters(search):
    other = (search.best_index_ + 1) % 3
    by_position = search.compare(other, **QUICK)
    by_params = search.compare(search.cv_results_["params"][other], **QUICK)
    assert by_position == by_params
    expected = BBCDifference(random_state=0, **QUICK).compare(
        search.oof_, Side(oof=search.oof_, config=other), "roc_auc"
    )
    np.testing.assert_array_equal(by_position.draws, expected.draws)
    assert by_position.names[0] == "the search"
    assert f"configuration {other} (max_depth={other + 1})" == by_position.names[1]


def test_the_draws_of_the_search_are_those_of_bbc(search):
    result = search.compare(DummyClassifier(), X, y, **QUICK)
    bbc = search.interval(BBC(n_bootstraps=100))
    assert result.details["scores"] == pytest.approx([bbc.estimate, 0.5])


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "cv",
    [
        CV,
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
        KFold(4),
        ShuffleSplit(4, test_size=0.3, random_state=0),
        ShuffleSplit(4, test_size=0.3, train_size=0.4, random_state=0),
        TimeSeriesSplit(3),
    ],
    ids=lambda cv: type(cv).__name__,
)
def test_an_estimator_is_trained_on_the_recorded_splits(cv):
    search = fitted(cv=cv)
    used = []

    class Watching(LogisticRegression):
        def fit(self, X, y):
            used.append(X.copy())
            return super().fit(X, y)

    model = Watching()
    model.__class__.__module__ = "builtins"
    result = search.compare(model, X, y, **QUICK)
    expected = [X[train] for train, _ in cv.split(X, y)]
    assert len(used) == len(expected)
    for mine, theirs in zip(used, expected, strict=True):
        np.testing.assert_array_equal(np.sort(mine, axis=0), np.sort(theirs, axis=0))
    assert result.names[1] == "Watching" and result.method == "bbc_difference"


def test_the_predictions_of_the_baseline_are_cross_validated(search):
    result = search.compare(LogisticRegression(), X, y, scoring="accuracy", **QUICK)
    predicted = cross_val_predict(LogisticRegression(), X, y, cv=CV)
    alone = compare(search, predicted, "accuracy", random_state=0, **QUICK)
    np.testing.assert_array_equal(result.draws, alone.draws)


def test_the_default_is_the_estimator_as_it_is(search):
    result = search.compare("default", X, y, **QUICK)
    assert result.names == ("the search", "the default")
    by_hand = search.compare(DecisionTreeClassifier(random_state=0), X, y, **QUICK)
    np.testing.assert_array_equal(result.draws, by_hand.draws)


def test_a_default_that_was_tried_needs_no_training():
    search = fitted(grid={"max_depth": [None, 1, 2]})
    result = search.compare("default", **QUICK)
    assert result.details["winners"][1] == 0 and result.names[1] == "the default"
    not_quite = fitted(LogisticRegression(), {"C": [1, 2]})  # 1 is not 1.0
    with pytest.raises(ValueError, match="default has to be trained"):
        not_quite.compare()


def test_another_search():
    one, other = fitted(), fitted(LogisticRegression(), {"C": [0.1, 10.0]})
    result = one.compare(other, **QUICK)
    assert result.names == ("the search", "the other search")
    expected = BBCDifference(random_state=0, **QUICK).compare(one.oof_, other.oof_, "roc_auc")
    np.testing.assert_array_equal(result.draws, expected.draws)


class NeverCompared:
    """Value of a parameter that cannot be compared with anything else."""

    def __eq__(self, other):
        raise TypeError("not comparable")

    __hash__ = object.__hash__


@pytest.mark.parametrize(
    ("default", "tried", "position"),
    [
        (np.array([0.5, 0.5]), [np.array([0.5, 0.4]), np.array([0.5, 0.5])], 1),
        (np.array([0.5, 0.5]), [np.array([0.5, 0.4]), [0.5, 0.5]], None),
        (np.array([0.5, 0.5]), [np.array([0.1, 0.2, 0.3])], None),
        (NeverCompared(), [NeverCompared()], None),
    ],
)
def test_the_default_is_found_among_values_of_any_kind(search, default, tried, position):
    class Other:
        estimator = GaussianNB(priors=default)
        cv_results_ = {"params": [{"priors": priors} for priors in tried]}
        oof_ = search.oof_

    def side():
        return side_of(Other, "default")[0]

    if position is None:
        with pytest.raises(ValueError, match="The default has to be trained"):
            side()
    else:
        assert side().config == position


def test_a_search_that_kept_no_predictions_is_another_search(search):
    plain = GridSearchCV(LogisticRegression(), {"C": [0.1, 10.0]}, scoring="roc_auc", cv=CV)
    side, notes = side_of(search, plain.fit(X, y))
    assert side.name == "the other search"
    assert len(notes) == 1 and "from_search(search, X, y) fits it again" in notes[0]
    np.testing.assert_allclose(side.oof.fold_scores["roc_auc"].mean(axis=0),
                               plain.cv_results_["mean_test_score"])  # fmt: skip


def test_the_repeats_of_the_search_are_those_of_the_model_that_it_trains():
    repeated = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    search = fitted(cv=repeated)
    # Given as a list, the splits do not say which of them are a repeat.
    side, _ = side_of(search, DummyClassifier(), X, y)
    assert search.oof_.n_repeats == side.oof.n_repeats == 2
    np.testing.assert_array_equal(side.oof.repeat, search.oof_.repeat)
    np.testing.assert_array_equal(side.oof.split_repeat, search.oof_.split_repeat)


def test_a_rule_of_refit_is_repeated():
    rule = OneStandardError("max_depth")
    search = fitted(refit=rule)
    result = search.compare(DummyClassifier(), X, y, **QUICK)
    expected = search.interval(BBC(n_bootstraps=100))
    assert result.details["scores"][0] == pytest.approx(expected.estimate)
    assert result.details["winners"][0] == search.best_index_


def test_groups_are_drawn():
    groups = np.arange(90) // 6
    search = fitted(cv=GroupKFold(3), fit_params={"groups": groups})
    result = search.compare(DummyClassifier(), X, y, groups=groups, **QUICK)
    assert result.details["unit"] == "group"


def test_parameters_reach_the_method(search):
    result = search.compare(
        DummyClassifier(), X, y, confidence_level=0.9, alternative="greater", names=("a", "b"),
        random_state=5, **QUICK
    )  # fmt: skip
    assert (result.confidence_level, result.alternative) == (0.9, "greater")
    assert result.names == ("a", "b") and result.details["seed"] == 5
    assert search.compare(DummyClassifier(), X, y, **QUICK).details["seed"] == 0


def test_without_recorded_predictions_folds_are_compared():
    search = fitted(record=False)
    result = search.compare(search.best_index_ - 1)
    assert result.method == "corrected_resampled_t"
    with pytest.raises(ValueError, match="record=True"):
        search.compare(DummyClassifier(), X, y)


def mixed_search():
    """A search behind preprocessing, on a column of text and one with missing values."""
    data = pd.DataFrame({"site": np.where(y + (X[:, 0] > 1) > 0, "a", "b"), "x": X[:, 1]})
    data.loc[::9, "x"] = np.nan
    prepare = make_column_transformer((OneHotEncoder(), ["site"]), (SimpleImputer(), ["x"]))
    model = Pipeline([("prepare", prepare), ("model", TREE)])
    search = BBCSearchCV(model, {"model__max_depth": [1, 2]}, cv=CV, scoring="roc_auc", ci=[])
    return search.fit(data, y), data


def test_a_pipeline_goes_by_its_last_step():
    search, data = mixed_search()
    names = [
        search.compare(clone(search.estimator).set_params(model=model), data, y, **QUICK).names[1]
        for model in (LogisticRegression(C=10), GaussianNB(), make_pipeline(GaussianNB()))
    ]
    assert names == ["LogisticRegression", "GaussianNB", "GaussianNB"]


def test_a_bare_model_on_columns_that_the_search_prepares():
    """The call that the message gives works."""
    search, data = mixed_search()
    message = "LogisticRegression cannot be trained on .* could not convert string to float"
    with pytest.raises(ValueError, match=message) as caught:
        search.compare(LogisticRegression(C=10), data, y)
    call = re.search(r"(compare\(.*\)), with clone", str(caught.value))[1]
    result = eval(f"search.{call}", {**globals(), "search": search, "X": data})
    assert result.names == ("the search", "LogisticRegression")
    with pytest.raises(ValueError, match="C") as plain:  # nothing prepares: nothing to put before
        fitted().compare(LogisticRegression(C=-1), X, y)
    assert "baseline" not in str(plain.value)


@pytest.mark.parametrize(
    "baseline, data, message",
    [
        ("best", (), r"'default', an estimator object .* got 'best'"),
        ("default", (), r"The default has to be trained .* X=X, y=y"),
        (DummyClassifier(), (), "DummyClassifier has to be trained"),
        (DummyClassifier(), (X, 1 - y), "data that the search was fitted on"),
        (DummyClassifier(), (X[:80], y[:80]), "data that the search was fitted on"),
        (17, (), r"baseline=17 is not a configuration of this search; known are 0 to 2"),
        ({"max_depth": 9}, (), "baseline must be the parameters of one configuration"),
        (lambda search: search.best_index_, (), "the baseline is the winner itself"),
        (lambda search: search, (), "nothing to compare"),
        (lambda _: fitted(cv=StratifiedKFold(3, shuffle=True, random_state=1)), (),
         "different folds"),
    ],
)  # fmt: skip
def test_bad_baselines(search, baseline, data, message):
    baseline = baseline(search) if callable(baseline) else baseline
    with pytest.raises(ValueError, match=message):
        search.compare(baseline, *data)


class FirstSplitOnly:
    """Draws all of its splits anew but the first."""

    def __init__(self):
        self.rng = np.random.default_rng(0)

    def get_n_splits(self, X=None, y=None, groups=None):
        return 3

    def split(self, X, y=None, groups=None):
        yield np.arange(0, 40), np.arange(60, 90)
        for _ in range(2):
            order = self.rng.permutation(90)
            yield order[:40], order[60:]


def test_splits_that_the_splitter_does_not_give_again_are_known():
    search = fitted(cv=FirstSplitOnly())
    splits = list(recorded_splits(search, search._as_finished(), X, y, "a test").split())
    for k, (train, test) in enumerate(splits):
        np.testing.assert_array_equal(test, np.sort(search.oof_.sample[search.oof_.fold == k]))
        assert len(train) == search.oof_.train_size[k]
        assert not np.intersect1d(train, test).size


def test_splits_without_predictions_are_not_known():
    search = fitted(record=False)
    with pytest.raises(ValueError, match="kept no predictions, so its splits are not known"):
        recorded_splits(search, search._as_finished(), X, y, "a test")


def test_weights_of_the_scorer_are_those_of_both_sides():
    weight = rng.random(90) + 0.5
    search = fitted(LogisticRegression(), {"C": [0.01, 1.0]}, fit_params={"sample_weight": weight})
    result = search.compare(DummyClassifier(), X, y, sample_weight=weight, **QUICK)
    bbc = search.interval(BBC(n_bootstraps=100))
    assert result.details["scores"][0] == pytest.approx(bbc.estimate)


def test_a_metric_among_several():
    search = fitted(scoring=["roc_auc", "accuracy"], refit="roc_auc")
    assert search.compare(DummyClassifier(), X, y, **QUICK).metric == "roc_auc"
    by_accuracy = search.compare(DummyClassifier(), X, y, scoring="accuracy", **QUICK)
    assert by_accuracy.metric == "accuracy"
    expected = search.interval(BBC(n_bootstraps=100), scoring="accuracy")
    assert by_accuracy.details["scores"][0] == pytest.approx(expected.estimate)
    none = fitted(scoring=["roc_auc", "accuracy"], refit=False)
    with pytest.raises(ValueError, match="scoring must be given"):
        none.compare(0)
