"""What the constructor is given becomes what is kept."""

import pickle
from copy import copy

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_bbc import OOFPredictions
from sklearn_bbc.predictions._predictions import with_fields
from sklearn_bbc.testing import example_predictions
from tests.made import made

Y = np.tile([0, 1], 4)
SCORES = np.arange(16.0).reshape(8, 2) / 16


def fields(**others):
    return made(**{"y_true": Y, "y_pred": SCORES, **others})


def test_columns_name_the_configurations_unless_params_do():
    table = pd.DataFrame(SCORES, columns=["svm", "tree"])
    named = fields(y_pred=table).params
    assert named == ({"configuration": "svm"}, {"configuration": "tree"})
    assert fields(y_pred=table, params=[{"C": 1}, {"C": 2}]).params == ({"C": 1}, {"C": 2})


def test_columns_of_polars_name_the_configurations():
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({"svm": SCORES[:, 0], "tree": SCORES[:, 1]})
    given = {
        "groups": polars.Series(range(len(Y))),
        "sample_weight": polars.Series([1.0] * len(Y)),
    }
    oof = OOFPredictions(y_true=polars.Series(Y), y_pred=table, **given)
    assert oof.params == ({"configuration": "svm"}, {"configuration": "tree"})
    np.testing.assert_array_equal(oof.matrix("roc_auc"), SCORES)
    np.testing.assert_array_equal(oof.groups, range(len(Y)))
    with pytest.raises(ValueError, match=r"no values yet: y_pred\.collect\(\)"):
        OOFPredictions(y_true=Y, y_pred=table.lazy())


def test_the_winner_may_be_a_numpy_integer_or_nobody():
    oof = example_predictions(n_configs=3)
    assert oof.with_selected(np.int64(2)).selected == 2
    assert oof.with_selected(None).selected is None


SIX = np.tile([0, 1], 3)
ZEROS = np.zeros((6, 2))
SPLITS = {
    "one pass": ({"y_pred": ZEROS, "fold": [0, 0, 1, 1, 2, 2]}, (6, 2, 6, 3, 1, 0, True)),
    "twice": (
        {"y_pred": [ZEROS, ZEROS], "fold": [[0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]]},
        (6, 2, 12, 4, 2, 0, True),
    ),
    "untested": ({"y_pred": ZEROS, "fold": [-1, 0, 0, 1, 1, 1]}, (6, 2, 5, 2, 1, 1, False)),
    "shuffled": (
        {"responses": {"predict_proba": ZEROS[:3].T}, "sample": [0, 1, 1], "fold": [0, 0, 1]},
        (6, 2, 3, 2, 1, 4, False),
    ),
}


@pytest.mark.parametrize(("arguments", "expected"), SPLITS.values(), ids=SPLITS)
def test_sizes(arguments, expected):
    oof = made(y_true=SIX, **arguments)
    sizes = oof.n_samples, oof.n_configs, oof.n_rows, oof.n_splits, oof.n_repeats
    assert (*sizes, oof.n_untested, oof.is_partition) == expected
    assert oof.tested.tolist() == np.isin(np.arange(6), oof.sample).tolist()


def test_sizes_are_those_of_the_fields_whatever_replaces_them():
    oof = made(
        y_true=SIX, responses={"predict": np.zeros((2, 12))}, sample=[*range(6)] * 2,
        fold=[0] * 6 + [1] * 6,
    )  # fmt: skip
    assert oof.is_partition and oof.n_rows == 12
    first = with_fields(
        oof, sample=oof.sample[:3], fold=oof.fold[:3], repeat=oof.repeat[:3],
        split_repeat=oof.split_repeat[:1], failed=oof.failed[:1],
    )  # fmt: skip
    for other in (first, copy(first), pickle.loads(pickle.dumps(first))):
        assert (other.n_samples, other.n_rows, other.n_untested) == (6, 3, 3)
        assert (other.n_configs, other.n_splits, other.n_repeats) == (1, 1, 1)
        assert other.tested.tolist() == [True] * 3 + [False] * 3 and not other.is_partition
    assert oof.is_partition and oof.n_configs == 2
    with pytest.raises(ValueError, match="read-only"):
        oof.tested[0] = False


def test_folds_may_be_named_by_dates():
    dates = np.repeat(np.array(["2024-01-01", "2024-02-01", "2024-03-01"], "datetime64[D]"), 2)
    oof = OOFPredictions(y_true=SIX, y_pred=np.arange(6.0), fold=dates)
    assert oof.fold.tolist() == [0, 0, 1, 1, 2, 2]


LABELS = {
    "floats": [-1.0, 0.0, 0.0, 1.0, 1.0, 1.0],
    "numbers as text": ["-1", "0", "0", "1", "1", "1"],
    "floats as text": np.array(["-1.0", "0.0", "0.0", "1.0", "1.0", "1.0"]),
    "a number among text": [-1, "a", "a", "b", "b", "b"],
    "objects": np.array([-1, "a", "a", "b", "b", "b"], dtype=object),
    "nullable": pd.array([-1, 0, 0, 1, 1, 1], dtype="Int64"),
    "nullable floats": pd.Series([-1, 0, 0, 1, 1, 1], dtype="Float64"),
    "nullable text": pd.Series(["-1", "a", "a", "b", "b", "b"], dtype="string"),
    "categories": pd.Categorical([-1, 0, 0, 1, 1, 1], categories=[1, 0, -1]),
    "categories of text": pd.Series(["-1", "a", "a", "b", "b", "b"], dtype="category"),
    "index": pd.Index([-1, 7, 7, 9, 9, 9]),
}


@pytest.mark.parametrize("fold", LABELS.values(), ids=LABELS)
def test_a_fold_of_minus_one_was_never_held_out(fold):
    oof = OOFPredictions(y_true=SIX, y_pred=ZEROS, fold=fold)
    assert oof.sample.tolist() == [1, 2, 3, 4, 5]
    assert oof.fold.tolist() == [0, 0, 1, 1, 1]
    rows = OOFPredictions.from_rows(
        y_true=SIX, responses={"decision_function": ZEROS.T}, fold=fold
    )
    assert rows.sample.tolist() == [1, 2, 3, 4, 5] and rows.fold.tolist() == [0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sample": [0, 1.5, 2, 3, 4, 5]}, "sample must hold the position"),
        ({"sample": [0, None, 2, 3, 4, 5]}, "sample contains 1 missing value"),
        ({"sample": list("abcdef")}, "sample must hold the position"),
        ({"repeat": [0, np.nan, 0, 1, 1, 1]}, "repeat contains 1 missing value"),
    ],
)
def test_rows_without_a_place_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        made(y_true=SIX, responses={"decision_function": ZEROS.T}, **wrong)


N = 12
TWELVE = np.arange(N) % 2


@given(st.integers(0, 10_000), st.integers(1, 3))
def test_the_order_of_rows_does_not_matter(seed, n_repeats):
    rng = np.random.default_rng(seed)
    n_rows = N * n_repeats
    values = {
        "responses": {"decision_function": rng.normal(size=(2, n_rows))},
        "sample": np.tile(np.arange(N), n_repeats),
        "fold": np.concatenate([rng.permutation(N) % 3 + 3 * r for r in range(n_repeats)]),
        "repeat": np.repeat(np.arange(n_repeats), N),
    }
    order = rng.permutation(n_rows)
    shuffled = {name: array[order] for name, array in values.items() if name != "responses"}
    responses = {name: array[:, order] for name, array in values["responses"].items()}
    oof = made(y_true=TWELVE, responses=responses, **shuffled)
    assert oof == made(y_true=TWELVE, **values)
    np.testing.assert_array_equal(oof.fold, values["fold"])
    np.testing.assert_array_equal(oof.sample, values["sample"])


@given(st.integers(0, 10_000))
def test_rows_of_a_rectangle_keep_sample_fold_and_prediction_together(seed):
    """The value of each prediction tells its repeat, sample and configuration."""
    rng = np.random.default_rng(seed)
    fold = rng.integers(-1, 3, size=(2, N))
    fold[:, :3] = [0, 1, 2]
    at = np.arange(2 * N * 3, dtype=float).reshape(2, N, 3)
    oof = OOFPredictions(y_true=TWELVE, y_pred=at, fold=fold)
    for row in range(oof.n_rows):
        repeat, sample = oof.repeat[row], oof.sample[row]
        np.testing.assert_array_equal(oof.responses["plain"][:, row], at[repeat, sample])
        assert oof.fold[row] == fold[repeat, sample] + 3 * repeat
        assert oof.split_repeat[oof.fold[row]] == repeat
    assert oof.n_rows == np.count_nonzero(fold >= 0)


def test_values_beyond_the_integers_are_no_classes(recwarn):
    oof = OOFPredictions(y_true=np.array([1e200, -1e200, 0.0]), y_pred=np.zeros(3))
    assert oof.classes_ is None or oof.classes_.dtype.kind == "f"
    assert not recwarn.list


class Mine(OOFPredictions):
    """A subclass that somebody made."""


def test_each_source_gives_the_class_that_was_asked(tmp_path):
    oof = example_predictions(n_configs=3)
    oof.save(tmp_path / "oof.npz")
    assert type(Mine.load(tmp_path / "oof.npz")) is Mine
    other = OOFPredictions(
        y_true=oof.y_true, y_pred=np.zeros((oof.n_samples, 2)), fold=oof.fold, groups=oof.groups
    )
    first = OOFPredictions(
        y_true=oof.y_true, y_pred=np.ones((oof.n_samples, 1)), fold=oof.fold, groups=oof.groups
    )
    assert type(Mine.concat([first, other])) is Mine
