"""What users mix up when they hand over arrays: found, and said in words that help."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    PredefinedSplit,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
)

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BBC
from sklearn_bbc.predictions._predictions import with_fields
from sklearn_bbc.predictions._validation import as_pairs
from tests.made import made

Y = np.tile([0, 1], 6)
FOLD = np.arange(12) // 4
RNG = np.random.default_rng(0)
SCORES = RNG.random((12, 3))
NAMES = np.array([f"patient {k}" for k in range(12)])


def rectangle(**fields):
    return made(**{"y_true": Y, "y_pred": SCORES, "fold": FOLD, **fields})


def of_rows(**fields):
    return made(**{"y_true": Y, "responses": {"predict_proba": SCORES.T}, "fold": FOLD, **fields})


# --- pandas objects ----------------------------------------------------------------------


def test_the_labels_of_a_single_plain_index_in_another_order_are_refused():
    """A plain index may be that of an array, so rows may belong together by position."""
    order = RNG.permutation(12)
    y = pd.Series(Y)
    by_fold = pd.DataFrame(SCORES).iloc[order]
    with pytest.raises(ValueError, match=r"same index in another order.*y_pred\.loc\[y_true\.in"):
        rectangle(y_true=y, y_pred=by_fold)
    again = rectangle(y_true=y, y_pred=by_fold.loc[y.index])
    np.testing.assert_array_equal(again.matrix("roc_auc"), SCORES)
    rectangle(y_true=y, y_pred=by_fold.to_numpy())
    # Two of the same plain index are about the same samples.
    with pytest.warns(IntervalWarning, match=r"taken by label\. If .*y_pred\.to_numpy\(\)"):
        oof = rectangle(y_true=y, y_pred=by_fold, groups=pd.Series(FOLD))
    np.testing.assert_array_equal(oof.matrix("roc_auc"), SCORES)


@pytest.mark.parametrize(
    "index",
    [
        NAMES,
        np.arange(12) + 100,
        pd.date_range("2026-01-01", periods=12),
        pd.MultiIndex.from_product([["a", "b", "c"], range(4)]),
        pd.CategoricalIndex(NAMES),
        pd.Index(NAMES, dtype="string"),
        np.arange(12)[::-1] / 2,
    ],
)
@pytest.mark.parametrize("name", ["y_pred", "fold", "groups", "sample_weight", "metadata"])
def test_every_argument_per_sample_is_brought_into_the_order_of_the_target(name, index):
    values = pd.Series(np.arange(12) // 4 + RNG.integers(1, 3, 12), index=index)
    values = pd.Series(RNG.random(12), index=index) if name == "y_pred" else values
    y = pd.Series(Y, index=index)

    def given(each):
        return rectangle(y_true=y, **{name: {"amount": each} if name == "metadata" else each})

    order = RNG.permutation(12)
    found = given(values.iloc[order])
    assert with_fields(found, notes=()) == with_fields(given(values), notes=())
    assert "in another order; rows were taken by label" in found.notes[0]


def test_labels_that_are_there_twice_cannot_be_matched():
    y = pd.Series(Y, index=NAMES[[0, 0, *range(2, 12)]])
    rectangle(y_true=y, groups=y)
    with pytest.raises(ValueError, match="some labels several times"):
        rectangle(y_true=y, groups=y[::-1])


def test_different_labels_are_refused_unless_one_index_is_no_index():
    y = pd.Series(Y, index=NAMES)
    other = pd.DataFrame(SCORES, index=[f"case {k}" for k in range(12)])
    with pytest.raises(ValueError, match=r"different indexes \(patient 0, .* and case 0, "):
        rectangle(y_true=y, y_pred=other)
    rectangle(y_true=y, y_pred=other.reset_index(drop=True))
    rectangle(y_true=y.reset_index(drop=True), y_pred=other)


# --- dates, masks, weights ---------------------------------------------------------------

DAYS = np.arange(12).astype("datetime64[D]")


@pytest.mark.parametrize(
    "values, what",
    [
        (DAYS, "dates"),
        (DAYS - DAYS[0], "durations"),
        (pd.Series(DAYS).dt.tz_localize("Europe/Athens"), "dates"),
        (list(pd.Series(DAYS).dt.date), "dates"),
        (list(pd.Series(DAYS - DAYS[0])), "durations"),
    ],
)
def test_dates_are_neither_targets_nor_predictions(values, what):
    for name in ("y_true", "y_pred", "sample_weight"):
        with pytest.raises(ValueError, match=rf"{name} holds {what}.*timedelta64\(1, 'D'\)"):
            rectangle(**{name: values})
    with pytest.raises(ValueError, match=rf"responses\['predict'\] holds {what}"):
        OOFPredictions.from_rows(y_true=Y, responses={"predict": np.array([values], dtype=object)})
    assert rectangle(groups=values, fold=None).groups.shape == (12,)


def test_times_of_survival_are_no_durations():
    y = np.zeros(12, dtype=[("event", "?"), ("time", "m8[D]")])
    with pytest.raises(ValueError, match="y_true holds durations"):
        rectangle(y_true=y)


def test_masked_predictions_are_missing():
    mask = SCORES > 0.8
    oof = rectangle(y_pred=np.ma.masked_array(SCORES, mask))
    np.testing.assert_array_equal(oof.matrix("roc_auc"), np.where(mask, np.nan, SCORES))
    whole = np.ma.masked_array(np.tile([0, 1], (2, 6)).T, np.eye(12, 2))
    assert np.isnan(rectangle(y_pred=whole).matrix("accuracy")).sum() == 2
    assert rectangle(y_pred=np.ma.masked_array(SCORES)).matrix("roc_auc").base is not None
    oof = OOFPredictions.from_rows(
        y_true=Y, responses={"predict_proba": np.ma.masked_array(SCORES, mask).T}
    )
    assert np.isnan(oof.responses["predict_proba"]).sum() == mask.sum()
    single = np.ma.masked_array(SCORES.astype(np.float32), mask)
    assert rectangle(y_pred=single).matrix("roc_auc").dtype == np.float32


def test_a_configuration_with_a_masked_prediction_cannot_win():
    perfect = np.ma.masked_array(np.stack([Y, 1 - Y], axis=1).astype(float))
    perfect[3, 0] = np.ma.masked
    result = BBC(n_bootstraps=20, random_state=0).estimate(rectangle(y_pred=perfect), "roc_auc")
    assert result.details["winner"] == 1 and result.estimate == 0


@pytest.mark.parametrize("name", ["y_true", "fold", "groups", "sample_weight"])
def test_masked_samples_are_refused(name):
    values = np.ma.masked_array(Y + 1, np.arange(12) < 2)
    with pytest.raises(ValueError, match=f"{name} is a masked array with 2 masked values"):
        rectangle(**{name: values})
    rectangle(**{name: np.ma.masked_array(FOLD + 1)})


def test_masked_survival_targets_are_refused():
    y = np.ma.zeros(12, dtype=[("event", "?"), ("time", "<f8")])
    y[3] = np.ma.masked
    with pytest.raises(ValueError, match="y_true is a masked array"):
        rectangle(y_true=y)


@pytest.mark.parametrize("values", [np.full((12, 3), "a"), Y])
def test_masks_over_what_has_no_value_for_missing_are_refused(values):
    masked = np.ma.masked_array(values, np.zeros(values.shape, bool))
    masked.mask.flat[0] = True
    field = {"y_pred": masked} if values.ndim == 2 else {"responses": {"predict": masked[None]}}
    with pytest.raises(ValueError, match=r"masked array of .* no value for missing"):
        made(y_true=Y, **field)


@pytest.mark.parametrize("weights", [["1"] * 12, list("abcdefghijkl")])
def test_weights_are_numbers(weights):
    with pytest.raises(ValueError, match="sample_weight must hold numbers, got '"):
        rectangle(sample_weight=weights)


def test_a_target_has_two_dimensions_at_most():
    with pytest.raises(ValueError, match=r"y_true has shape \(12, 2, 2\), expected"):
        rectangle(y_true=np.zeros((12, 2, 2)))


# --- scores per fold ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "scores, message",
    [
        ([[1.0, 2.0], [3.0, 4.0]], r"fold_scores must map .*\{'roc_auc': scores\}, got "),
        (np.ones((5, 3)), r"got an array of shape \(5, 3\)"),
        ({"r2": "high"}, r"fold_scores\['r2'\] must hold numbers"),
        ({"r2": [[1.0], [2.0, 3.0]]}, r"fold_scores\['r2'\] must hold numbers"),
        ({"r2": [1.0, 2.0]}, r"has shape \(2,\), expected \(n_splits, n_configs\)"),
    ],
)
def test_scores_per_fold_are_a_mapping_to_tables(scores, message):
    with pytest.raises(ValueError, match=message):
        OOFPredictions.from_fold_scores(scores)


def test_scores_per_fold_as_a_data_frame_and_masked():
    frame = pd.DataFrame(SCORES[:3], columns=["svm", "forest", "knn"])
    np.testing.assert_array_equal(of_rows(fold_scores={"r2": frame}).fold_scores["r2"], frame)
    masked = np.ma.masked_array(SCORES[:3], np.eye(3))
    assert np.isnan(of_rows(fold_scores={"r2": masked}).fold_scores["r2"]).sum() == 3


def test_transposed_scores_are_refused_where_it_can_be_determined():
    fields = {}
    wrong = {"r2": np.zeros((2, 5))}
    message = r"shape \(2, 5\), expected \(n_splits, n_configs\) = \(5, 2\): it looks transposed"
    for noted in ({"params": [{}, {}]}, {"failed": [False] * 2}, {"train_size": [8] * 5}):
        with pytest.raises(ValueError, match=message):
            made(fold_scores=wrong, **fields, **noted)
        made(fold_scores={"r2": wrong["r2"].T}, **fields, **noted)
    with pytest.raises(ValueError, match="looks transposed"):
        of_rows(responses={"predict_proba": SCORES[:, :2].T}, fold_scores={"r2": np.zeros((2, 3))})
    with pytest.raises(ValueError, match="looks transposed"):
        OOFPredictions.from_fold_scores(y_true=Y, fold=FOLD, fold_scores={"r2": np.zeros((5, 3))})
    made(fold_scores=wrong, **fields)  # nothing tells


# --- probabilities -----------------------------------------------------------------------


def test_two_columns_that_sum_to_one_are_probabilities_of_one_model():
    both = np.column_stack([1 - SCORES[:, 0], SCORES[:, 0]])
    with pytest.warns(IntervalWarning, match=r"2 columns that sum to 1.*y_pred\[:, 1\]"):
        assert rectangle(y_pred=both).n_configs == 2
    with pytest.warns(IntervalWarning, match=r"3 columns that sum to 1.*pass y_pred\[:, None"):
        rectangle(y_true=FOLD, y_pred=RNG.dirichlet(np.ones(3), size=12))


@pytest.mark.filterwarnings("error")
def test_other_columns_are_configurations():
    both = np.column_stack([1 - SCORES[:, 0], SCORES[:, 0]])
    one = rectangle(y_pred=both[:, None, :])
    np.testing.assert_array_equal(one.matrix("roc_auc"), both[:, 1:])
    rectangle(y_pred=SCORES[:, :2])
    rectangle(y_pred=both * [1, 1.5])
    rectangle(y_pred=np.column_stack([1 - Y, Y]))  # labels of two models that never agree
    rectangle(y_true=RNG.random(12), y_pred=both)
    rectangle(y_pred=np.column_stack([both, both]))
    rectangle(y_pred=2 * both - 0.5)  # sums to 1, but no probabilities


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_metrics_of_labels_derive_them_from_probabilities(n_classes, dtype):
    y = np.array(["a", "b", "c"])[np.arange(12) % n_classes]
    proba = RNG.dirichlet(np.ones(n_classes), size=(12, 2)).astype(dtype)
    oof = OOFPredictions(y_true=y, y_pred=proba, fold=FOLD)
    labels = np.array(["a", "b", "c"])[proba.argmax(axis=2)]
    np.testing.assert_array_equal(oof.matrix("accuracy"), labels)
    for metric in ("accuracy", "balanced_accuracy", "f1_macro"):
        method = BBC(n_bootstraps=30, random_state=0)
        derived = method.estimate(oof, metric)
        given = method.estimate(OOFPredictions(y_true=y, y_pred=labels, fold=FOLD), metric)
        np.testing.assert_array_equal(derived.draws, given.draws)
        assert "Labels were derived from the recorded scores." in derived.details["notes"]
    assert oof.responses["predict_proba"].dtype == dtype


def test_probabilities_are_turned_to_the_class_that_a_metric_asks_for():
    """The column that counts is that of `pos_label`, as scikit-learn's scorers pick it."""
    from sklearn.metrics import average_precision_score, make_scorer

    proba = np.stack([1 - SCORES, SCORES], axis=2)
    scorer = make_scorer(average_precision_score, response_method="predict_proba", pos_label=0)
    kernel_scores = BBC(n_bootstraps=20, random_state=0).estimate(
        rectangle(y_pred=proba[:, :1]), scorer
    )
    expected = BBC(n_bootstraps=20, random_state=0).estimate(
        rectangle(y_true=1 - Y, y_pred=1 - SCORES[:, :1]), "average_precision"
    )
    np.testing.assert_allclose(kernel_scores.draws, expected.draws)


def test_class_scores_that_are_no_probabilities_stay_what_the_metric_consumes():
    scores = RNG.normal(size=(12, 2, 3))
    oof = OOFPredictions(y_true=np.arange(12) % 3, y_pred=scores, fold=FOLD)
    assert set(oof.responses) == {"plain"}


# --- folds as (train, test) pairs --------------------------------------------------------


@pytest.mark.parametrize(
    "splitter",
    [KFold(4), KFold(4, shuffle=True, random_state=0), GroupKFold(3), PredefinedSplit(FOLD - 1)],
)
def test_splits_of_one_pass(splitter):
    splits = list(splitter.split(SCORES, Y, groups=np.arange(12) // 2))
    oof = rectangle(fold=splits)
    for k, (train, test) in enumerate(splits):
        np.testing.assert_array_equal(oof.sample[oof.fold == k], np.sort(test))
        assert oof.train_size[k] == len(train)
    assert oof == rectangle(fold=[(train.tolist(), test.tolist()) for train, test in splits])
    assert oof == rectangle(fold=(split for split in splits))
    assert not oof.notes


def test_splits_as_masks_and_from_the_end():
    splits = list(KFold(3).split(SCORES))
    masks = [(~np.isin(np.arange(12), test), np.isin(np.arange(12), test)) for _, test in splits]
    from_the_end = [(train - 12, test - 12) for train, test in splits]
    assert rectangle(fold=masks) == rectangle(fold=splits) == rectangle(fold=from_the_end)
    scores = {"y_true": Y, "fold_scores": {"roc_auc": SCORES[:3]}}
    assert made(fold=from_the_end, **scores) == made(fold=splits, **scores)


def test_splits_of_repeated_cross_validation():
    splits = list(RepeatedKFold(n_splits=3, n_repeats=2, random_state=0).split(SCORES))
    stack = RNG.random((2, 12, 3))
    oof = rectangle(y_pred=stack, fold=splits)
    assert (oof.n_repeats, oof.n_splits) == (2, 6)
    for k, (_, test) in enumerate(splits):
        np.testing.assert_array_equal(np.sort(oof.sample[oof.fold == k]), np.sort(test))
    np.testing.assert_array_equal(oof.split_repeat, [0, 0, 0, 1, 1, 1])


def test_splits_in_time_are_noted():
    splits = list(TimeSeriesSplit(3).split(SCORES))
    in_time, independent = rectangle(fold=splits).notes
    assert "before those it predicts" in in_time
    assert "samples as independent" in independent
    assert not rectangle(fold=[(test, train) for train, test in splits[:1]]).notes


@pytest.mark.parametrize(
    "splits, message",
    [
        (list(ShuffleSplit(4, random_state=0).split(SCORES)), "hold samples out several times"),
        ([([0, 1], [2, 30])], "position 30, but there are 12 samples"),
        ([([0, 1], []), ([0], [1])], "without any test sample"),
    ],
)
def test_splits_that_do_not_fit_are_refused(splits, message):
    with pytest.raises(ValueError, match=message):
        rectangle(fold=splits)


def test_splits_for_responses_have_one_row_per_sample():
    responses = {"predict_proba": SCORES.T}
    splits = list(KFold(3).split(SCORES))
    by_splits = OOFPredictions.from_rows(y_true=Y, responses=responses, fold=splits)
    assert by_splits == OOFPredictions.from_rows(
        y_true=Y, responses=responses, fold=FOLD, train_size=[8, 8, 8]
    )
    with pytest.raises(ValueError, match="Give the `sample` and the `fold` of each row to"):
        OOFPredictions.from_rows(y_true=Y, responses=responses, fold=splits, sample=np.arange(12))


@given(st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=4))
def test_labels_are_never_taken_for_splits(labels):
    assert as_pairs(labels) is None
    assert as_pairs(np.array([[0, 1], [1, 0]])) is None


def test_folds_of_two_samples_are_labels():
    assert as_pairs([[0, 1], [0, 1]]) is None
    assert as_pairs(list(pairwise("abc"))) is None
