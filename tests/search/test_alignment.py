"""Values per sample: by label where both have labels, refused where the labels are others."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.neighbors import KNeighborsClassifier

from sklearn_bbc import BBCSearchCV, OOFPredictions, OOFRecorder, compare
from sklearn_bbc.comparison import FiveByTwo, learning_curve_intervals
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BBC, NestedCV
from sklearn_bbc.predictions._predictions import with_fields

N = 90
RNG = np.random.default_rng(0)
NAMES = np.array([f"patient {k}" for k in RNG.permutation(N)])
X = pd.DataFrame(RNG.normal(size=(N, 3)), NAMES, ["a", "b", "c"])
Y = (X["a"] + RNG.normal(size=N) > 0).astype(int).rename("ill")
CLUSTER = pd.Series(np.arange(N) // 3, NAMES)
WEIGHT = pd.Series(RNG.random(N), NAMES)
SITE = pd.Series(np.array(["east", "north", "west"])[np.arange(N) % 3], NAMES, name="site")
ORDER = RNG.permutation(N)
FEW = {"n_bootstraps": 50}
LOGISTIC, GRID = LogisticRegression(), {"C": [0.01, 1.0]}


def unnamed(each):
    return each.reset_index(drop=True)


def searched(**options):
    given = {"scoring": "accuracy", "cv": 3, "random_state": 0, "ci": [], **options}
    return BBCSearchCV(LOGISTIC, GRID, **given)


@pytest.fixture(scope="module")
def fitted():
    return searched().fit(X, Y)


def expected_of(search, by=SITE, **options):
    return search.subgroups(by.to_numpy(), method=BBC(**FEW), **options)


@pytest.mark.parametrize("by", [SITE, SITE.to_frame()])
def test_groups_of_samples_are_taken_by_label(fitted, by):
    expected = expected_of(fitted)
    result = fitted.subgroups(by.iloc[ORDER], method=BBC(**FEW))
    for name in ("sizes", "undefined"):
        np.testing.assert_array_equal(getattr(result, name), getattr(expected, name))
    np.testing.assert_array_equal(result.scores["estimate"], expected.scores["estimate"])
    assert "by had the index of X in another order" in " ".join(result.details["notes"])
    for other in (by.add_prefix("former ", axis=0), by.rename(index={NAMES[0]: "nobody"})):
        with pytest.raises(ValueError, match=r"X and by have different indexes .*\.to_numpy\(\)"):
            fitted.subgroups(other, method=BBC(**FEW))
    same = fitted.subgroups(unnamed(by), method=BBC(**FEW))  # a plain index is that of an array
    np.testing.assert_array_equal(same.scores["estimate"], expected.scores["estimate"])


def test_the_plain_index_that_data_and_target_share_counts_as_labels():
    search = searched().fit(unnamed(X), unnamed(Y))
    by = unnamed(SITE)
    with pytest.warns(IntervalWarning, match=r"taken by label.*by\.to_numpy\(\)"):
        result = search.subgroups(by.iloc[ORDER], method=BBC(**FEW))
    assert result.scores["estimate"].tolist() == expected_of(search).scores["estimate"].tolist()
    with pytest.raises(ValueError, match="different indexes"):
        search.subgroups(by.set_axis(by.index + 1), method=BBC(**FEW))
    # Of the data alone it may be that of an array, made by a scaler.
    alone = searched().fit(unnamed(X), Y.to_numpy())
    with pytest.raises(ValueError, match=r"X may be the plain one of an array.*by\.loc\[X\.index"):
        alone.subgroups(by.iloc[ORDER], method=BBC(**FEW))


def test_weights_groups_and_target_of_fit_are_taken_by_label():
    search = searched(cv=GroupKFold(3), scoring="roc_auc")
    given = {"groups": CLUSTER, "sample_weight": WEIGHT}
    expected = clone(search).fit(X, Y, **given)
    permuted = {name: each.iloc[ORDER] for name, each in given.items()}
    for y, others in ((Y, permuted), (Y.iloc[ORDER], given), (Y.iloc[ORDER], permuted)):
        found = clone(search).fit(X, y, **others)
        assert with_fields(found.oof_, notes=()) == with_fields(expected.oof_, notes=())
        np.testing.assert_array_equal(found.best_estimator_.coef_, expected.best_estimator_.coef_)
        notes = " ".join(found.interval(BBC(**FEW)).details["notes"])
        assert "had the index of X in another order" in notes
    for name, each in given.items():
        with pytest.raises(ValueError, match=f"X and {name} have different indexes"):
            clone(search).fit(X, Y, **{**given, name: each.add_prefix("former ")})
    # Fitting takes by position what has a plain index, as scikit-learn does.
    found = clone(search).fit(X, unnamed(Y), **{name: unnamed(v) for name, v in given.items()})
    assert found.oof_ == expected.oof_


@pytest.mark.parametrize(
    ("data", "target", "noted"),
    [
        (X, unnamed(Y), ""),
        (unnamed(X), Y, ""),
        (X.iloc[1:], Y.iloc[:-1], "different indexes; rows were taken by position"),  # in time
        (unnamed(X).iloc[ORDER], unnamed(Y), "y has a plain index and X the same labels"),
    ],
)
def test_target_of_other_labels_is_that_of_the_same_row_as_in_grid_search(data, target, noted):
    kept = GridSearchCV(LOGISTIC, GRID, cv=3).fit(data, target)
    search = searched().fit(data, target)
    for name, values in kept.cv_results_.items():
        if name.startswith(("split", "mean_test")):
            np.testing.assert_array_equal(search.cv_results_[name], values)
    assert noted in " ".join(search.oof_.notes) and bool(noted) == bool(search.oof_.notes)
    # Both orders are known from now on.
    n = len(data)
    by = pd.Series(np.arange(n) % 2, data.index)
    for each in (by, by.set_axis(target.index)):
        assert search.subgroups(each, method=BBC(**FEW)).sizes.tolist() == [n - n // 2, n // 2]


def test_target_with_the_labels_of_data_made_of_an_array_is_refused():
    """As after `pd.DataFrame(scaler.fit_transform(X))` of a shuffled frame."""
    with pytest.raises(ValueError, match=r"y\.loc\[X\.index\], if by position arrays"):
        searched().fit(unnamed(X), unnamed(Y).iloc[ORDER])


def by_amount(y, p, amount):
    return float(np.average(y == p, weights=amount))


def test_metadata_of_scorers_is_taken_by_label(routed):
    scorer = make_scorer(by_amount).set_score_request(amount=True)
    search = searched(scoring=scorer)
    expected = clone(search).fit(X, Y, amount=WEIGHT)
    found = clone(search).fit(X, Y, amount=WEIGHT.iloc[ORDER])
    few = BBC(**FEW)
    np.testing.assert_array_equal(found.interval(few).draws, expected.interval(few).draws)
    oof = OOFPredictions(y_true=Y, y_pred=expected.oof_.matrix("predict"),
                         metadata={"amount": WEIGHT.iloc[ORDER]})  # fmt: skip
    np.testing.assert_array_equal(oof.metadata["amount"], WEIGHT)


@pytest.fixture
def routed():
    with config_context(enable_metadata_routing=True):
        yield


def test_predictions_beside_a_search_are_taken_by_label(fitted):
    other = pd.Series(RNG.permutation(Y), NAMES)
    expected = compare(fitted, other.to_numpy(), **FEW, random_state=0)
    found = compare(fitted, other.iloc[ORDER], **FEW, random_state=0)
    assert (found.difference, found.low, found.high) == (
        expected.difference, expected.low, expected.high,
    )  # fmt: skip
    assert "second had the index of X in another order" in " ".join(found.details["notes"])
    with pytest.raises(ValueError, match="X and second have different indexes"):
        compare(fitted, other.add_prefix("former "))


def test_two_sides_of_other_orders_are_refused_where_their_targets_do_not_tell():
    """Sorted targets are the same however the samples of a class are ordered."""
    by_class = np.argsort(Y.to_numpy(), kind="stable")
    n_well = int((Y == 0).sum())
    other = np.concatenate([by_class[:n_well][::-1], by_class[n_well:]])
    first, second, same = (
        searched(scoring="roc_auc").fit(X.iloc[rows], Y.iloc[rows])
        for rows in (by_class, other, by_class)
    )
    np.testing.assert_array_equal(first.oof_.y_true, second.oof_.y_true)
    assert compare(first, same, **FEW, random_state=0).difference == 0
    for one, two in ((first, second), (first.oof_, second.oof_)):
        with pytest.raises(ValueError, match="the same index in another order"):
            compare(one, two, "roc_auc", **FEW)
    with pytest.raises(ValueError, match="Part 1 has the index of part 0 in another order"):
        OOFPredictions.concat([first.oof_, second.oof_])
    arrays = searched(scoring="roc_auc").fit(X.to_numpy()[other], Y.to_numpy()[other])
    compare(first, arrays, **FEW)  # arrays go by position


def test_data_for_a_baseline_are_taken_by_label(fitted):
    baseline = KNeighborsClassifier()
    expected = fitted.compare(baseline, X, Y, **FEW)
    for data, target in ((X.iloc[ORDER], Y.iloc[ORDER]), (X, Y.iloc[ORDER]), (X.iloc[ORDER], Y)):
        found = fitted.compare(baseline, data, target, **FEW)
        assert (found.difference, found.low) == (expected.difference, expected.low)
    with pytest.raises(ValueError, match="different indexes"):
        fitted.compare(baseline, X.add_prefix("former ", axis=0), Y)


def test_a_search_of_another_class_is_predicted_again_by_label():
    search = GridSearchCV(LOGISTIC, GRID, cv=3).fit(X, Y, sample_weight=WEIGHT)
    expected = OOFPredictions.from_search(search, X, Y, sample_weight=WEIGHT)
    found = OOFPredictions.from_search(
        search, X, Y.iloc[ORDER], sample_weight=WEIGHT.iloc[ORDER], groups=CLUSTER.iloc[ORDER]
    )
    np.testing.assert_array_equal(found.responses["predict"], expected.responses["predict"])
    np.testing.assert_array_equal(found.groups, CLUSTER)


def test_a_recorder_takes_everything_by_label():
    expected, found = OOFRecorder(Y, cv=3), OOFRecorder(Y, cv=3, sample_weight=WEIGHT.iloc[ORDER])
    np.testing.assert_array_equal(found.sample_weight, WEIGHT)
    scores = expected.cross_val_score(LOGISTIC, X, scoring="accuracy")
    for data, y in ((X.iloc[ORDER], None), (X.iloc[ORDER], Y), (X, Y.iloc[ORDER])):
        again = found.cross_val_score(LOGISTIC, data, y, scoring="accuracy")
        np.testing.assert_array_equal(again, scores)
    assert found.oof_.n_configs == 1
    by_hand = OOFRecorder(Y, cv=3)
    for fold, (_, test) in enumerate(by_hand.splits):
        predicted = X["a"].iloc[test]
        by_hand.record({"name": "a"}, fold, predicted.iloc[::-1])
        with pytest.raises(ValueError, match="y and predictions have different indexes"):
            by_hand.record({"name": "b"}, fold, predicted.add_prefix("former "))
    np.testing.assert_array_equal(by_hand.oof_.matrix("roc_auc")[:, 0], X["a"])
    assert "predictions had the index of y" in " ".join(by_hand.oof_.notes)


@pytest.mark.long
def test_methods_that_train_take_everything_by_label():
    value = X["b"] + X["c"]
    given = {"scoring": "neg_mean_squared_error", "sample_weight": WEIGHT}
    permuted = {**given, "sample_weight": WEIGHT.iloc[ORDER]}
    nested = NestedCV(cv=3, verbose=0)
    two = FiveByTwo(random_state=0, verbose=0)

    def curve(y, **options):
        return learning_curve_intervals(
            Ridge(), X, y, train_sizes=[20, 40], n_folds=3, random_state=0, verbose=0, **options
        )

    one, other = (
        nested.estimate(Ridge(), X, value, **given),
        nested.estimate(Ridge(), X, value.iloc[ORDER], **permuted),
    )
    assert one.estimate == other.estimate
    assert "y had the index of X in another order" in " ".join(other.details["notes"])
    models = Ridge(), Ridge(50)
    one, other = (
        two.compare(*models, X, value, **given),
        two.compare(*models, X, value.iloc[ORDER], **permuted),
    )
    assert one.difference == other.difference and one.p_value == other.p_value
    one, other = curve(value, **given), curve(value.iloc[ORDER], **permuted)
    np.testing.assert_array_equal(one.test_scores, other.test_scores)


def test_two_columns_of_one_name_are_refused(fitted):
    twice = pd.concat([SITE, pd.Series(np.arange(N) % 2, NAMES, name="site")], axis=1)
    with pytest.raises(ValueError, match="by has 2 columns of the name 'site'"):
        fitted.subgroups(twice, method=BBC(**FEW))
    with pytest.raises(ValueError, match="by has 2 columns of the name '1'"):
        fitted.subgroups(twice.set_axis([1, "1"], axis=1), method=BBC(**FEW))


@pytest.mark.parametrize("dtype", ["category", object])
@pytest.mark.parametrize("record", [True, False])
def test_a_target_of_text_with_missing_values_is_refused(dtype, record):
    y = Y.map({0: "well", 1: "ill"}).mask(np.arange(N) < 2).astype(dtype)
    with pytest.raises(ValueError, match=r"y contains 2 missing values .* fit\(X\[keep\]"):
        searched(record=record).fit(X, y)
