"""OOFPredictions: every way in, what is refused and how it is said, saving and loading."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import get_scorer, make_scorer, roc_auc_score

from sklearn_bbc import OOFPredictions
from tests.predictions.predicted import FOLD, RNG, SCORES, Y, rectangle, rows

pytestmark = pytest.mark.filterwarnings("ignore:.* groups are split between folds")


# --- ways in -----------------------------------------------------------------------------


def test_one_configuration_as_a_vector():
    oof = rectangle(y_pred=SCORES[:, 0])
    np.testing.assert_array_equal(oof.matrix("roc_auc"), SCORES[:, :1])


def test_probabilities_of_several_classes():
    y = np.arange(12) % 3
    proba = RNG.dirichlet(np.ones(3), size=(12, 2))
    oof = OOFPredictions(y_true=y, y_pred=proba, fold=FOLD)
    assert oof.n_configs == 2
    np.testing.assert_array_equal(oof.matrix("neg_log_loss"), proba)


def test_of_two_classes_only_the_second_column_is_kept():
    proba = np.stack([1 - SCORES, SCORES], axis=2)
    np.testing.assert_array_equal(rectangle(y_pred=proba).matrix("roc_auc"), SCORES)
    oof = rows(responses={"predict_proba": np.moveaxis(proba, 1, 0)})
    np.testing.assert_array_equal(oof.responses["predict_proba"], SCORES.T)


@pytest.mark.parametrize(
    "labels",
    [
        list("aaaabbbbcccc"),
        pd.Series(list("aaaabbbbcccc"), index=np.arange(12)[::-1]),
        pd.Series([1.5] * 4 + [2.5] * 4 + [9.0] * 4),
        pd.Series(FOLD, dtype="Int64"),
        pd.Series(list("aaaabbbbcccc"), dtype="category"),
        FOLD.astype(object),
        FOLD.astype(np.uint8),
    ],
)
def test_any_fold_labels(labels):
    np.testing.assert_array_equal(rectangle(fold=labels).fold, FOLD)


def test_pandas_names_the_configurations():
    frame = pd.DataFrame(SCORES, columns=["svm", "forest", "knn"], index=np.arange(12) + 100)
    y = pd.Series(Y, index=np.arange(12) + 100)
    oof = OOFPredictions(y_true=y, y_pred=frame, fold=pd.Series(FOLD), groups=pd.Series(Y))
    assert oof.params[1] == {"configuration": "forest"}
    np.testing.assert_array_equal(oof.matrix("roc_auc"), SCORES)


def test_pandas_missing_numbers_are_nan():
    frame = pd.DataFrame(SCORES).astype("Float64")
    frame.iloc[2, 1] = pd.NA
    oof = rectangle(y_pred=frame)
    assert np.isnan(oof.matrix("roc_auc")[2, 1])
    assert oof.matrix("roc_auc").dtype == float


def test_objects_become_numbers_or_text():
    decimals = np.array([[Decimal(value) for value in row] for row in SCORES.tolist()])
    days = np.array([pd.Timestamp("2026-01-01") + pd.Timedelta(days=d) for d in Y], dtype=object)
    flags = Y.astype(bool).astype(object)
    oof = rectangle(y_true=flags, y_pred=decimals, groups=days)
    np.testing.assert_array_equal(oof.matrix("roc_auc"), SCORES)
    assert oof.y_true.dtype == bool
    assert oof.groups.dtype.kind == "U" and len(np.unique(oof.groups)) == 2


def test_rows_in_order_are_not_copied():
    given = RNG.random((3, 24))
    two = {"sample": np.tile(np.arange(12), 2), "fold": np.concatenate([FOLD, FOLD + 3])}
    kept = rows(responses={"predict_proba": given}, **two).responses["predict_proba"]
    assert np.shares_memory(kept, given) and given.flags.writeable and not kept.flags.writeable
    two["sample"] = two["sample"][::-1]
    kept = rows(responses={"predict_proba": given}, **two).responses["predict_proba"]
    assert not np.shares_memory(kept, given)


def test_consecutive_partitions_are_repeats():
    sample = np.concatenate([np.arange(12), RNG.permutation(12)])
    oof = rows(
        responses={"decision_function": RNG.normal(size=(3, 24))},
        sample=sample,
        fold=np.concatenate([FOLD, FOLD + 3]),
    )
    assert (oof.n_repeats, oof.is_partition) == (2, True)


@pytest.mark.parametrize(
    "sample, fold",
    [
        ([0, 1, 2, 3, 2, 3, 4, 5], [0, 0, 0, 0, 1, 1, 1, 1]),  # shuffle split
        ([0, 1, 2, 3], [0, 0, 1, 1]),  # samples 4 to 11 untested
        ([0, 0, 1, 2], [0, 0, 1, 1]),  # a sample twice in a split
    ],
)
def test_anything_else_is_one_repeat_of_pooled_rows(sample, fold):
    oof = rows(responses={"predict_proba": RNG.random((2, len(sample)))}, sample=sample, fold=fold)
    assert oof.n_repeats == 1
    assert not oof.is_partition
    assert not oof.repeat.any()


def test_fold_labels_of_a_repeat_are_its_own():
    """Fold 0 of the second repeat is another split than fold 0 of the first."""
    oof = rows(
        responses={"predict_proba": RNG.random((2, 24))},
        sample=np.tile(np.arange(12), 2),
        fold=np.tile(FOLD, 2),
        repeat=np.repeat([0, 5], 12),
    )
    assert (oof.n_splits, oof.n_repeats) == (6, 2)
    np.testing.assert_array_equal(np.unique(oof.fold[oof.repeat == 1]), [3, 4, 5])


def test_scores_per_fold_alone():
    scores = RNG.random((5, 4))
    oof = OOFPredictions.from_fold_scores({"accuracy": scores})
    assert (oof.n_configs, oof.n_splits, oof.n_repeats, oof.n_samples) == (4, 5, 1, 0)
    with pytest.raises(ValueError, match="predict, but nothing was recorded"):
        oof.response("predict")


def test_structured_survival_target():
    y = np.array([(True, 2.0), (False, 3.5)] * 6, dtype=[("event", "?"), ("time", "<f8")])
    oof = rectangle(y_true=y)
    assert oof.classes_ is None
    assert oof.y_true.dtype.names == ("event", "time")


def test_several_outputs():
    y = RNG.normal(size=(12, 2))
    oof = OOFPredictions.from_rows(
        y_true=y, responses={"predict": RNG.normal(size=(3, 12, 2))}, fold=FOLD
    )
    assert oof.classes_ is None
    assert oof.matrix("r2").shape == (12, 3, 2)


def test_a_regressors_predictions_do_not_make_classes_of_whole_numbers():
    y = np.arange(12) % 4
    oof = OOFPredictions.from_rows(
        y_true=y, responses={"predict": RNG.normal(size=(3, 12))}, fold=FOLD
    )
    assert oof.classes_ is None


def test_whole_numbers_of_a_regressor_are_values_not_codes():
    values = np.full((3, 12), -1)
    oof = OOFPredictions.from_rows(
        y_true=Y, responses={"predict": values}, classes=None, fold=FOLD
    )
    assert oof.responses["predict"].dtype == float
    np.testing.assert_array_equal(oof.matrix("r2"), -1.0)


@pytest.mark.filterwarnings("error")
def test_many_distinct_labels_are_no_reason_to_warn():
    OOFPredictions(y_true=np.arange(40), y_pred=np.arange(40.0))


# --- what a metric gets ------------------------------------------------------------------


def test_scores_that_are_not_one_per_class_give_no_labels():
    """One-vs-one decisions of four classes have six columns."""
    y = np.arange(12) % 4
    oof = OOFPredictions.from_rows(
        y_true=y, responses={"decision_function": RNG.normal(size=(2, 12, 6))}
    )
    with pytest.raises(ValueError, match="needs predict"):
        oof.response("predict")


def test_scores_never_fill_labels():
    labels = (SCORES.T > 0.5).astype(int)
    labels[0] = -1
    oof = rows(responses={"predict": labels, "predict_proba": np.full((3, 12), 0.7)})
    array, used = oof.response(("predict", "predict_proba"))
    assert array.dtype.kind == "i"
    np.testing.assert_array_equal(array[0], 1)
    assert used == "predict+derived"


def test_matrix_takes_scorers_and_response_methods():
    oof = rows()
    np.testing.assert_array_equal(oof.matrix(get_scorer("roc_auc")), SCORES)
    scorer = make_scorer(roc_auc_score, response_method="predict_proba")
    np.testing.assert_array_equal(oof.matrix(scorer), SCORES)
    np.testing.assert_array_equal(oof.matrix(lambda e, X, y: 0), SCORES > 0.5)
