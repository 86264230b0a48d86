"""OOFPredictions: every way in, what is refused and how it is said, saving and loading."""

import copy
import pickle
from dataclasses import FrozenInstanceError
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, make_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV

from sklearn_bbc import OOFPredictions

pytestmark = pytest.mark.filterwarnings("ignore:.* groups are split between folds")

Y = np.tile([0, 1], 6)
FOLD = np.arange(12) // 4
RNG = np.random.default_rng(0)
SCORES = RNG.random((12, 3))


def rectangle(**fields):
    return OOFPredictions(**{"y_true": Y, "y_pred": SCORES, "fold": FOLD, **fields})


def rows(**fields):
    """Three configurations, 12 rows, as a search records them."""
    responses = {"predict_proba": SCORES.T, "predict": (SCORES.T > 0.5).astype(int)}
    return OOFPredictions(**{"y_true": Y, "responses": responses, "fold": FOLD, **fields})


def assert_equal(one, other):
    for name in ("y_true", "sample", "fold", "repeat", "failed", "classes_", "groups",
                 "sample_weight", "train_size"):  # fmt: skip
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None) == (b is None), name
        if a is not None:
            np.testing.assert_array_equal(a, b, err_msg=name)
            assert a.dtype == b.dtype, name
    for name in ("responses", "fold_scores"):
        a, b = getattr(one, name), getattr(other, name)
        assert set(a) == set(b)
        for key in a:
            np.testing.assert_array_equal(a[key], b[key])
            assert a[key].dtype == b[key].dtype
    assert one.selected == other.selected


# --- ways in -----------------------------------------------------------------------------


def test_one_pass_of_k_fold():
    oof = rectangle()
    assert (oof.n_samples, oof.n_configs, oof.n_rows) == (12, 3, 12)
    assert (oof.n_splits, oof.n_repeats, oof.n_untested) == (3, 1, 0)
    assert oof.is_partition
    np.testing.assert_array_equal(oof.classes_, [0, 1])
    np.testing.assert_array_equal(oof.matrix("roc_auc"), SCORES)


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


def test_repeats_with_their_own_folds():
    stack = RNG.random((2, 12, 3))
    fold = np.stack([FOLD, RNG.permutation(FOLD)])
    oof = rectangle(y_pred=stack, fold=fold)
    assert (oof.n_repeats, oof.n_splits, oof.n_rows) == (2, 6, 24)
    assert oof.is_partition
    np.testing.assert_array_equal(oof.matrix("roc_auc"), stack.reshape(24, 3))
    np.testing.assert_array_equal(oof.fold.reshape(2, 12), fold + [[0], [3]])


def test_repeats_without_folds():
    oof = OOFPredictions(y_true=Y, y_pred=RNG.random((2, 12, 3)))
    assert (oof.n_repeats, oof.n_splits) == (2, 2)


def test_samples_that_were_never_held_out():
    fold = np.where(np.arange(12) < 3, -1, FOLD)
    oof = rectangle(fold=fold)
    assert (oof.n_rows, oof.n_untested, oof.is_partition) == (9, 3, False)
    np.testing.assert_array_equal(oof.tested, fold >= 0)
    np.testing.assert_array_equal(oof.matrix("roc_auc"), SCORES[3:])


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


def test_object_labels_may_mark_untested_samples_too():
    fold = np.where(np.arange(12) < 3, -1, FOLD).astype(object)
    assert rectangle(fold=fold).n_untested == 3


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


def test_a_column_is_a_vector():
    assert rectangle(y_true=Y[:, None]).y_true.shape == (12,)
    frame = pd.DataFrame({"y": Y})
    np.testing.assert_array_equal(rectangle(y_true=frame).classes_, [0, 1])


def test_rows_of_a_search():
    oof = rows()
    assert oof.n_configs == 3
    np.testing.assert_array_equal(oof.matrix("accuracy"), SCORES > 0.5)
    np.testing.assert_array_equal(oof.matrix("predict_proba"), SCORES)


def test_rows_are_sorted_by_repeat_and_sample():
    order = RNG.permutation(12)
    shuffled = rows(
        responses={"predict_proba": SCORES.T[:, order]}, sample=order, fold=FOLD[order]
    )
    np.testing.assert_array_equal(shuffled.matrix("roc_auc"), SCORES)
    np.testing.assert_array_equal(shuffled.fold, FOLD)


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


def test_untested_rows_are_dropped():
    fold = np.where(np.arange(12) < 3, -1, FOLD)
    oof = rows(fold=fold, repeat=np.zeros(12, dtype=int))
    assert oof.n_rows == 9
    np.testing.assert_array_equal(oof.matrix("predict_proba"), SCORES[3:])


def test_scores_per_fold_alone():
    scores = RNG.random((5, 4))
    oof = OOFPredictions(y_true=[], classes=None, fold_scores={"accuracy": scores})
    assert (oof.n_configs, oof.n_splits, oof.n_repeats, oof.n_samples) == (4, 5, 1, 0)
    with pytest.raises(ValueError, match="recorded predictions are none"):
        oof.response("predict")


def test_scores_per_fold_with_the_folds_know_the_repeats():
    oof = OOFPredictions(
        y_true=Y,
        fold_scores={"accuracy": RNG.random((6, 4))},
        sample=np.tile(np.arange(12), 2),
        fold=np.concatenate([FOLD, FOLD + 3]),
    )
    assert (oof.n_repeats, oof.n_splits) == (2, 6)


def test_structured_survival_target():
    y = np.array([(True, 2.0), (False, 3.5)] * 6, dtype=[("event", "?"), ("time", "<f8")])
    oof = rectangle(y_true=y)
    assert oof.classes_ is None
    assert oof.y_true.dtype.names == ("event", "time")


def test_several_outputs():
    y = RNG.normal(size=(12, 2))
    oof = OOFPredictions(y_true=y, responses={"predict": RNG.normal(size=(3, 12, 2))}, fold=FOLD)
    assert oof.classes_ is None
    assert oof.matrix("r2").shape == (12, 3, 2)


def test_a_regressors_predictions_do_not_make_classes_of_whole_numbers():
    y = np.arange(12) % 4
    oof = OOFPredictions(y_true=y, responses={"predict": RNG.normal(size=(3, 12))}, fold=FOLD)
    assert oof.classes_ is None


def test_whole_numbers_of_a_regressor_are_values_not_codes():
    values = np.full((3, 12), -1)
    oof = OOFPredictions(y_true=Y, responses={"predict": values}, classes=None, fold=FOLD)
    assert oof.responses["predict"].dtype == float
    np.testing.assert_array_equal(oof.matrix("r2"), -1.0)


@pytest.mark.filterwarnings("error")
def test_many_distinct_labels_are_no_reason_to_warn():
    OOFPredictions(y_true=np.arange(40), y_pred=np.arange(40.0))


# --- what a metric gets ------------------------------------------------------------------


def test_the_first_method_that_a_configuration_has():
    decision, proba = RNG.normal(size=(3, 12)), RNG.random((3, 12))
    decision[1], proba[0] = np.nan, np.nan
    oof = rows(responses={"decision_function": decision, "predict_proba": proba})
    array, used = oof.response(("decision_function", "predict_proba"))
    assert used == "decision_function+predict_proba"
    np.testing.assert_array_equal(array, [decision[0], proba[1], decision[2]])
    array, used = oof.response("predict_proba")
    assert used == "predict_proba"
    assert np.isnan(array[0]).all()


def test_labels_are_derived_from_scores():
    decision = np.where(SCORES.T > 0.5, 1.0, -1.0)
    decision[1] = np.nan
    oof = rows(responses={"decision_function": decision, "predict_proba": SCORES.T})
    array, used = oof.response("predict")
    assert used == "derived"
    np.testing.assert_array_equal(array, SCORES.T > 0.5)


def test_labels_are_derived_for_the_configurations_without():
    labels = (SCORES.T > 0.5).astype(int)
    recorded = labels.copy()
    recorded[1] = -1
    oof = rows(responses={"predict": recorded, "predict_proba": SCORES.T})
    array, used = oof.response(["predict"])
    assert used == "predict+derived"
    np.testing.assert_array_equal(array, labels)


def test_ties_fall_to_the_first_class_as_in_argmax():
    oof = rows(responses={"predict_proba": np.full((1, 12), 0.5)})
    assert not oof.response("predict")[0].any()


def test_labels_of_several_classes_are_derived_from_the_largest_probability():
    y = np.arange(12) % 3
    proba = RNG.dirichlet(np.ones(3), size=(2, 12))
    proba[1, 3] = np.nan
    oof = OOFPredictions(y_true=y, responses={"predict_proba": proba}, fold=FOLD)
    expected = proba.argmax(axis=2)
    expected[1, 3] = -1
    np.testing.assert_array_equal(oof.response("predict")[0], expected)


def test_scores_that_are_not_one_per_class_give_no_labels():
    """One-vs-one decisions of four classes have six columns."""
    y = np.arange(12) % 4
    oof = OOFPredictions(y_true=y, responses={"decision_function": RNG.normal(size=(2, 12, 6))})
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


def test_a_regressor_answers_a_ranking_metric_with_predict():
    oof = OOFPredictions(
        y_true=RNG.normal(size=12), responses={"predict": SCORES.T}, classes=None, fold=FOLD
    )
    assert oof.response(("decision_function", "predict_proba"))[1] == "predict"


def test_what_is_missing_is_said():
    oof = rows(responses={"predict": (SCORES.T > 0.5).astype(int)})
    with pytest.raises(ValueError, match=r"needs predict_proba.*\['predict'\].*scoring"):
        oof.response("predict_proba")


def test_matrix_gives_labels_and_marks_missing_ones():
    labels = np.array(["no", "yes"])
    codes = (SCORES.T > 0.5).astype(int)
    oof = rows(y_true=labels[Y], responses={"predict": codes})
    np.testing.assert_array_equal(oof.matrix("accuracy"), labels[codes.T])
    codes[0, 0] = -1
    oof = rows(y_true=labels[Y], responses={"predict": codes})
    assert oof.matrix("accuracy")[0, 0] is None
    assert np.isnan(rows(responses={"predict": codes}).matrix("accuracy")[0, 0])


def test_matrix_takes_scorers_and_response_methods():
    oof = rows()
    np.testing.assert_array_equal(oof.matrix(get_scorer("roc_auc")), SCORES)
    scorer = make_scorer(roc_auc_score, response_method="predict_proba")
    np.testing.assert_array_equal(oof.matrix(scorer), SCORES)
    np.testing.assert_array_equal(oof.matrix(lambda e, X, y: 0), SCORES > 0.5)


# --- refusals ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields, message",
    [
        ({"y_pred": None}, "Give y_pred or responses"),
        ({"y_pred": None, "fold_scores": {}}, "Give y_pred or responses"),
        ({"responses": {"predict": Y[None]}}, "not both"),
        ({"responses": {"predict": Y[None]}, "fold_scores": {"a": [[1.0]]}}, "not both"),
        ({"y_pred": SCORES[:-1]}, r"y_pred has shape \(11, 3\), but y_true has 12 samples"),
        ({"y_pred": np.zeros((2, 12, 3))}, "y_pred has shape"),
        ({"y_pred": np.zeros((12, 0))}, "configurations"),
        ({"y_true": [], "y_pred": np.zeros((0, 3)), "fold": None}, "y_true has 0 samples"),
        ({"fold": FOLD[:-1]}, r"fold has shape \(11,\).*\(12,\)"),
        ({"fold": np.where(FOLD == 1, np.nan, FOLD)}, "fold contains missing labels"),
        ({"fold": np.full(12, -1)}, "marks every sample with -1"),
        ({"y_true": np.where(Y == 1, np.nan, Y)}, "y_true contains 6 missing values.*12"),
        ({"y_true": [None] + ["a", "b"] * 5 + ["b"]}, "y_true contains 1 missing value "),
        ({"y_true": np.where(Y == 1, np.inf, Y)}, "y_true contains infinite"),
        ({"y_true": 3}, "y_true must be an array"),
        ({"sample": np.arange(12)}, "sample and repeat describe rows of responses"),
        ({"groups": Y[:-1]}, r"groups has shape \(11,\), expected \(12,\): one per sample"),
        ({"sample_weight": np.ones(3)}, "sample_weight has shape"),
        ({"sample_weight": -np.ones(12)}, "sample_weight must not be negative"),
        ({"sample_weight": np.zeros(12)}, "zero everywhere"),
        ({"sample_weight": np.where(Y == 1, np.nan, 1)}, "sample_weight contains 6 missing"),
        ({"failed": [True]}, r"failed has shape \(1,\), expected \(3,\): one per configuration"),
        ({"params": [{}]}, "params has 1 entries for 3 configurations"),
        ({"selected": 3}, "selected=3 is not a configuration in 0..2"),
        ({"train_size": [8]}, r"train_size has shape \(1,\), expected \(3,\): one per split"),
        ({"fold_scores": {"r2": np.zeros((4, 3))}}, "4 splits, but the rows have 3"),
        ({"fold_scores": {"r2": np.zeros((3, 2))}}, r"not one number >= 1: \[3, 2\]"),
        ({"fold_scores": {"r2": np.zeros(3)}}, r"expected \(n_splits, n_configs\)"),
        ({"classes": [1, 0]}, "classes must be sorted"),
        ({"classes": [0, 2]}, r"not in classes: \[1\]"),
        ({"y_pred": [["a", None, "b"]] * 12}, "y_pred holds text with missing values"),
        ({"y_pred": np.zeros((12, 2, 2, 2, 2))}, "y_pred has shape"),
    ],
    ids=lambda value: value if isinstance(value, str) else ",".join(value),
)
def test_what_does_not_fit_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        rectangle(**fields)


@pytest.mark.parametrize(
    "fields, message",
    [
        ({"responses": {"score": SCORES.T}}, r"unknown keys \['score'\]; known are"),
        ({"responses": {"predict_proba": SCORES.T, "decision_function": SCORES}}, "one shape"),
        ({"responses": {"predict_proba": SCORES[:, 0]}}, "one shape"),
        ({"responses": {"predict_proba": SCORES.T[:, :0]}, "fold": None}, "one shape"),
        ({"sample": np.arange(11)}, r"sample has shape \(11,\), expected \(12,\)"),
        ({"sample": np.arange(12) + 1}, r"outside 0\.\.11"),
        ({"fold": FOLD[:3]}, "fold has shape"),
        ({"repeat": [0]}, r"repeat has shape \(1,\), expected \(12,\)"),
        ({"responses": {"predict": SCORES.T}, "classes": [0, 1]}, "integer codes"),
        ({"responses": {"predict": 1 + (SCORES.T > 0).astype(int)}}, "integer codes"),
        ({"responses": {"predict": np.full((3, 12), "a")}}, "integer codes"),
        ({"responses": {"decision_function": np.full((3, 12), "a")}}, "must hold numbers"),
        ({"responses": {"predict_proba": np.zeros((3, 12, 4))}}, "4 columns for 2 classes"),
    ],
    ids=lambda value: value if isinstance(value, str) else ",".join(value),
)
def test_rows_that_do_not_fit_are_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        rows(**fields)


# --- a value -----------------------------------------------------------------------------


def test_nothing_can_be_changed():
    oof = rows()
    with pytest.raises(FrozenInstanceError):
        oof.selected = 1
    with pytest.raises(ValueError, match="read-only"):
        oof.y_true[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        oof.responses["predict_proba"][0, 0] = 1
    with pytest.raises(TypeError):
        oof.responses["predict_proba"] = SCORES
    with pytest.raises(TypeError):
        OOFPredictions(Y, SCORES)


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))]
)
def test_copies_are_equal_and_frozen(duplicate):
    oof = rows(groups=list("abcd") * 3, fold_scores={"f1": RNG.random((3, 3))}, selected=1)
    again = duplicate(oof)
    assert_equal(again, oof)
    assert not again.responses["predict"].flags.writeable
    with pytest.raises(TypeError):
        again.fold_scores["f1"] = 0


def full_examples():
    labels = np.array(["no", "yes"], dtype=object)
    yield "rectangle", rectangle(sample_weight=np.arange(12) + 1.0, groups=labels[Y])
    yield "rows", rows(
        y_true=labels[Y], classes=labels, selected=2, failed=[True, False, False],
        train_size=[8, 8, 8], fold_scores={"accuracy": RNG.random((3, 3)), "a:b": np.ones((3, 3))},
    )  # fmt: skip
    yield "repeats", rectangle(y_pred=RNG.random((2, 12, 3)), fold=np.stack([FOLD, FOLD[::-1]]))
    yield "untested", rectangle(fold=np.where(np.arange(12) < 3, -1, FOLD))
    yield (
        "fold scores",
        OOFPredictions(
            y_true=[], classes=None, fold_scores={"accuracy": RNG.random((5, 4))}, selected=0
        ),
    )
    yield (
        "regression",
        OOFPredictions(
            y_true=RNG.normal(size=12), responses={"predict": RNG.normal(size=(3, 12))}, fold=FOLD
        ),
    )
    y = np.array([(True, 2.0), (False, 3.5)] * 6, dtype=[("event", "?"), ("time", "<f8")])
    yield "survival", rectangle(y_true=y)
    yield (
        "text predictions",
        rectangle(y_true=labels[Y], y_pred=labels[(SCORES > 0.5).astype(int)]),
    )


EXAMPLES = dict(full_examples())


@pytest.mark.parametrize("name", EXAMPLES)
def test_save_and_load(tmp_path, name):
    oof = EXAMPLES[name]
    oof.save(tmp_path / "oof.npz")
    assert_equal(OOFPredictions.load(tmp_path / "oof.npz"), oof)
    with np.load(tmp_path / "oof.npz", allow_pickle=False) as file:
        assert all(file[key].dtype.kind != "O" for key in file.files)


def test_load_finds_the_ending_that_numpy_appends(tmp_path):
    rectangle().save(tmp_path / "oof")
    assert_equal(OOFPredictions.load(tmp_path / "oof"), rectangle())


def test_parameters_are_saved_as_far_as_json_goes(tmp_path):
    params = [
        {"C": np.float64(0.1), "model": LogisticRegression(), "steps": ("a", None)},
        {"C": np.inf, "weights": {"a": np.int64(1)}},
        {"flag": np.True_},
    ]
    rectangle(params=params).save(tmp_path / "oof.npz")
    assert OOFPredictions.load(tmp_path / "oof.npz").params == (
        {"C": 0.1, "model": "LogisticRegression()", "steps": ["a", None]},
        {"C": np.inf, "weights": {"a": 1}},
        {"flag": True},
    )


def test_load_refuses_strangers(tmp_path):
    np.savez(tmp_path / "other.npz", x=1)
    with pytest.raises(ValueError, match="not written by OOFPredictions"):
        OOFPredictions.load(tmp_path / "other.npz")
    header = np.array('{"format": 99}')
    np.savez(tmp_path / "future.npz", header=header)
    with pytest.raises(ValueError, match=r"format 99.*upgrade"):
        OOFPredictions.load(tmp_path / "future.npz")


def test_repr_counts():
    assert repr(rows()) == (
        "OOFPredictions(n_samples=12, n_configs=3, n_splits=3, n_repeats=1, "
        "responses=['predict', 'predict_proba'])"
    )


# --- from any search ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def data():
    return make_classification(n_samples=60, n_features=4, random_state=0)


def test_from_a_search_with_one_metric(data):
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=4, scoring="roc_auc")
    search.fit(*data)
    oof = OOFPredictions.from_search(search)
    expected = [search.cv_results_[f"split{k}_test_score"] for k in range(4)]
    np.testing.assert_array_equal(oof.fold_scores["roc_auc"], expected)
    assert oof.selected == search.best_index_
    assert oof.params[1] == {"C": 1}


def test_from_a_search_with_several_metrics(data):
    def both(estimator, X, y):
        return {"a": estimator.score(X, y), "b": 1.0}

    search = GridSearchCV(
        LogisticRegression(), {"C": [0.1, 1]}, cv=4, scoring=both, refit=False
    ).fit(*data)
    oof = OOFPredictions.from_search(search)
    assert set(oof.fold_scores) == {"a", "b"}
    assert oof.selected is None


def test_from_a_search_by_the_estimators_own_score(data):
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=4).fit(*data)
    assert set(OOFPredictions.from_search(search).fold_scores) == {"score"}


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning", "ignore:.*non-finite:UserWarning")
def test_from_a_search_in_which_a_configuration_failed(data):
    grid = {"C": [1.0, -1.0, 0.1]}
    search = GridSearchCV(LogisticRegression(), grid, cv=4, error_score=np.nan)
    search.fit(*data)
    np.testing.assert_array_equal(OOFPredictions.from_search(search).failed, [False, True, False])


def test_from_a_search_that_keeps_predictions():
    oof = rectangle()
    recording = type("Search", (), {"oof_": oof})()
    assert OOFPredictions.from_search(recording) is oof


def test_from_an_unfitted_search():
    with pytest.raises(ValueError, match="not fitted: call fit first"):
        OOFPredictions.from_search(GridSearchCV(LogisticRegression(), {"C": [1]}))


# --- equality ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_equal_after_pickling(name):
    oof = EXAMPLES[name]
    again = pickle.loads(pickle.dumps(oof))
    assert again == oof and hash(again) == hash(oof) and oof != "something"


@pytest.mark.parametrize(
    "fields",
    [
        {"y_true": 1 - Y},
        {"y_pred": SCORES[:, ::-1]},
        {"fold": np.arange(12) % 3},
        {"groups": FOLD},
        {"sample_weight": np.ones(12)},
        {"classes": None},
        {"params": [{"C": 1}] * 3},
        {"failed": [True, False, False]},
        {"selected": 1},
        {"selected_by": "me"},
        {"train_size": [8, 8, 8]},
        {"fold_scores": {"r2": np.zeros((3, 3))}},
        {"notes": ["one"]},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_different_in_one_field(fields):
    assert rectangle(**fields) != rectangle() == rectangle()


def test_equal_with_missing_predictions_and_estimators_as_parameters():
    def made():
        return rectangle(
            y_pred=np.where(SCORES > 0.8, np.nan, SCORES),
            params=[{"model": LogisticRegression(C=c)} for c in (1, 2, 3)],
        )

    assert made() == made()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("codes", [np.int8, np.int16, np.int32, np.int64])
def test_small_types_stay_small(tmp_path, dtype, codes):
    responses = {
        "predict_proba": SCORES.T.astype(dtype),
        "decision_function": SCORES.T.astype(dtype),
        "predict": (SCORES.T > 0.5).astype(codes),
    }
    oof = rows(responses=responses)
    oof.save(tmp_path / "oof")
    for each in (oof, OOFPredictions.load(tmp_path / "oof")):
        assert {k: v.dtype for k, v in each.responses.items()} == {
            k: v.dtype for k, v in responses.items()
        }
    assert rectangle(y_pred=SCORES.astype(dtype)).responses["plain"].dtype == dtype
    assert oof.response("predict")[0].dtype == codes


def test_repeats_of_splits_without_rows():
    fields = {"y_true": [], "classes": None, "fold_scores": {"r2": np.zeros((6, 2))}}
    oof = OOFPredictions(repeat=["a", "a", "a", "b", "b", "b"], **fields)
    assert (oof.n_repeats, oof.n_splits, oof.n_rows) == (2, 6, 0)
    np.testing.assert_array_equal(oof.split_repeat, [0, 0, 0, 1, 1, 1])
    with pytest.raises(ValueError, match=r"repeat has shape \(2,\), expected \(6,\): one per spl"):
        OOFPredictions(repeat=[0, 1], **fields)
