"""Predictions are a value: frozen, saved, copied and compared."""

import copy
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from sklearn_bbc import OOFPredictions
from tests.made import made
from tests.predictions.predicted import FOLD, RNG, SCORES, Y, rectangle, rows

pytestmark = pytest.mark.filterwarnings("ignore:.* groups are split between folds")


def assert_equal(one, other):
    assert one == other
    for name, array in (one.responses | one.fold_scores).items():
        assert array.dtype == (other.responses | other.fold_scores)[name].dtype


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
        made(fold_scores={"accuracy": RNG.random((4, 4))}, repeat=[0, 0, 1, 1], selected=0),
    )
    yield (
        "regression",
        OOFPredictions.from_rows(
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


def test_files_of_a_later_version_are_refused(tmp_path):
    header = np.array('{"format": 99}')
    np.savez(tmp_path / "future.npz", header=header)
    with pytest.raises(ValueError, match=r"format 99.*upgrade"):
        OOFPredictions.load(tmp_path / "future.npz")


def test_repr_counts():
    assert repr(rows()) == (
        "OOFPredictions(n_samples=12, n_configs=3, n_splits=3, n_repeats=1, "
        "responses=['predict', 'predict_proba'])"
    )


# --- equality ----------------------------------------------------------------------------


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
    scores = {"r2": np.zeros((6, 2))}
    oof = OOFPredictions.from_fold_scores(scores, repeat=["a", "a", "a", "b", "b", "b"])
    assert (oof.n_repeats, oof.n_splits, oof.n_rows) == (2, 6, 0)
    np.testing.assert_array_equal(oof.split_repeat, [0, 0, 0, 1, 1, 1])
    with pytest.raises(ValueError, match=r"repeat has shape \(2,\), expected \(6,\): one per spl"):
        OOFPredictions.from_fold_scores(scores, repeat=[0, 1])
