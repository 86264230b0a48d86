"""Groups are one value per sample wherever they are given."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.tree import DecisionTreeClassifier

import sklearn_bbc
from sklearn_bbc import BBCSearchCV, OOFPredictions, OOFRecorder, holdout_interval
from sklearn_bbc._utils import one_per_sample
from sklearn_bbc.intervals import BBC

N = 60
rng = np.random.default_rng(0)
X = rng.normal(size=(N, 2))
Y = (X[:, 0] + rng.normal(size=N) > 0).astype(int)
P = X[:, [0]] + rng.normal(size=(N, 3))
GROUPS = np.repeat(np.arange(12), 5)
FOLD = GROUPS % 3
TREE, GRID, CV = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2]}, GroupKFold(3)


def search(**options):
    return BBCSearchCV(TREE, GRID, cv=CV, ci=BBC(n_bootstraps=200), random_state=0, **options)


def numbers(result):
    return (result.difference if hasattr(result, "difference") else result.estimate, *result)


def predictions(groups):
    return OOFPredictions(y_true=Y, y_pred=P, fold=FOLD, groups=groups).groups.tolist()


def on_arrays(groups):
    return numbers(
        sklearn_bbc.bbc(
            Y, P, "roc_auc", fold=FOLD, groups=groups, n_bootstraps=200, random_state=0
        )
    )


def on_a_test_set(groups):
    return numbers(
        holdout_interval(Y, P[:, 0], "roc_auc", groups=groups, n_bootstraps=200, random_state=0)
    )


def of_a_search(groups):
    fitted = search().fit(X, Y, groups=groups)
    return fitted.oof_.groups.tolist(), numbers(fitted.ci_)


def of_a_store(groups, folder):
    """The second search takes the fits of the first: it is the same problem."""
    flat = pd.Series(GROUPS, name="site") if isinstance(groups, pd.DataFrame) else groups
    store = folder / type(groups).__name__
    first = search(store=store).fit(X, Y, groups=flat)
    again = search(store=store).fit(X, Y, groups=groups)
    return numbers(first.ci_), numbers(again.ci_)


def recorded(groups):
    recorder = OOFRecorder(Y, cv=CV, groups=groups)
    return recorder.cross_val_score(TREE, X, params=GRID | {"max_depth": 1}).tolist()


def compared(groups):
    given = {"y_true": Y, "fold": FOLD, "groups": groups, "n_bootstraps": 200, "random_state": 0}
    return numbers(sklearn_bbc.compare(P[:, 0], P[:, 1], "roc_auc", **given))


def with_a_baseline(groups):
    fitted = search().fit(X, Y, groups=GROUPS)
    return numbers(fitted.compare(DummyClassifier(), X, Y, groups=groups, n_bootstraps=200))


def predicted_again(groups):
    done = GridSearchCV(TREE, GRID, cv=CV).fit(X, Y, groups=GROUPS)
    return OOFPredictions.from_search(done, X, Y, groups=groups).groups.tolist()


ENTRANCES = [
    predictions, on_arrays, on_a_test_set, of_a_search,
    of_a_store, recorded, compared, with_a_baseline,
    predicted_again,
]  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize("entrance", ENTRANCES, ids=lambda entrance: entrance.__name__)
def test_a_column_is_taken_with_a_warning_and_two_columns_are_refused(entrance, tmp_path):
    more = {"folder": tmp_path} if entrance is of_a_store else {}
    column = pd.DataFrame({"site": GROUPS})
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataConversionWarning)
        expected = entrance(GROUPS, **more)
    with pytest.warns(
        DataConversionWarning, match=r"groups has shape \(60, 1\); its one"
    ) as caught:
        assert entrance(column, **more) == expected
    caught = [each for each in caught if each.category is DataConversionWarning]
    assert len(caught) == 1 and caught[0].filename == __file__
    with pytest.raises(ValueError, match=r"groups has shape \(60, 2\), expected \(60,\)"):
        entrance(column.assign(year=1), **more)


@pytest.mark.parametrize(
    "column",
    [
        GROUPS[:, None],
        GROUPS[:, None].tolist(),
        np.ma.masked_array(GROUPS[:, None]),
        pd.DataFrame({"site": GROUPS}, index=np.arange(N) + 100),
    ],
    ids=["array", "list", "masked", "frame"],
)
def test_the_values_of_a_column(column):
    with pytest.warns(DataConversionWarning, match=r'df\["site"\] rather than df\[\["site"\]\]'):
        found = one_per_sample(column)
    np.testing.assert_array_equal(np.asarray(found), GROUPS)
    assert isinstance(found, np.ma.MaskedArray) == isinstance(column, np.ma.MaskedArray)
    if isinstance(column, pd.DataFrame):
        assert found.index.equals(column.index)


@pytest.mark.parametrize(
    ("groups", "what"),
    [
        ("site", "groups must have one value per sample, got 'site'"),
        (GROUPS.reshape(6, 10), r"\(6, 10\), expected \(6,\): one per sample\. Make one of sever"),
        (GROUPS.reshape(60, 1, 1), r"\(60, 1, 1\), expected \(60,\): one per sample\.$"),
        (GROUPS.reshape(60, 1)[:, :0], r"\(60, 0\), expected \(60,\): one per sample\.$"),
        (csr_array(GROUPS[:, None]), r"\(60, 1\), expected \(60,\): one per sample\.$"),
        ([[1], [2, 3]], "groups must have one value per sample: "),
    ],
)
def test_other_shapes_are_refused(groups, what):
    with pytest.raises(ValueError, match=what):
        one_per_sample(groups)


MISSING = {
    "floats": np.where(GROUPS == 2, np.nan, GROUPS),
    "text in a list": [float("nan") if k == 2 else str(k) for k in GROUPS],
    "objects": np.array([None if k == 2 else str(k) for k in GROUPS], dtype=object),
    "nullable": pd.array([None if k == 2 else k for k in GROUPS], dtype="Int64"),
    "categories": pd.Series(GROUPS).where(GROUPS != 2).astype("category"),
    "a column": pd.DataFrame({"site": np.where(GROUPS == 2, np.nan, GROUPS)}),
}


@pytest.mark.parametrize("groups", MISSING.values(), ids=MISSING)
@pytest.mark.parametrize("used", [predictions, on_a_test_set, of_a_search])
@pytest.mark.filterwarnings("ignore:groups has shape")
def test_missing_groups_are_not_one_group(used, groups):
    with pytest.raises(ValueError, match=r"groups contains 5 missing values .* at position 10"):
        used(groups)
