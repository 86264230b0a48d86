"""What a recorder is given: samples, splits, parameters, predictions and scores."""

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold

from sklearn_bbc import OOFRecorder
from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.intervals import BBC
from sklearn_bbc.predictions._sources import ADAPTIVE
from sklearn_bbc.search._recorder import (
    _codes_with_missing,
    fitted_cell,
)
from sklearn_bbc.store._folder import FitFolder
from tests.search.recorder.recorder_cases import (
    CV,
    GRID,
    GROUPS,
    N_TEST,
    Counted,
    X,
    Y,
    n_fits,
    tried,
)


def test_what_is_given_is_kept_with_every_sample():
    weights = np.arange(1.0, 61.0)
    recorder = OOFRecorder(
        Y.tolist(), 3, groups=GROUPS.tolist(), sample_weight=weights.tolist(), adaptive=False
    )
    assert recorder.y.tolist() == Y.tolist() and recorder.adaptive is False
    for fold, (_, test) in enumerate(recorder.splits):
        recorder.record({}, fold, test * 1.0)
    oof = recorder.oof_
    assert oof.groups.tolist() == GROUPS.tolist()
    assert oof.sample_weight.tolist() == weights.tolist()
    assert oof.responses["plain"].tolist() == [list(range(60))]
    plain = OOFRecorder(Y)
    assert plain.groups is None and plain.sample_weight is None and plain.adaptive is True
    assert len(plain.splits) == 5  # of both classes alike, as for a search
    assert {int(Y[test].sum()) for _, test in plain.splits} <= {5, 6, 7}


@pytest.mark.parametrize(
    ("y", "stratified"),
    [(np.sort(Y), True), (np.sort(Y) * 1.5, False), (np.c_[np.sort(Y), np.sort(Y)], False)],
    ids=["classes", "numbers", "outputs"],
)
def test_only_classes_are_stratified(y, stratified):
    shares = {float(np.mean(np.ravel(y[test])) > 0) for _, test in OOFRecorder(y, 3).splits}
    assert (shares == {1.0}) == stratified


def test_a_splitter_sees_the_data_where_it_is_given():
    class ByFirstColumn:
        def get_n_splits(self, X=None, y=None, groups=None):
            return 2

        def split(self, X, y=None, groups=None):
            low = np.asarray(X)[:, 0] < 0
            yield np.flatnonzero(low), np.flatnonzero(~low)
            yield np.flatnonzero(~low), np.flatnonzero(low)

    recorder = OOFRecorder(Y, ByFirstColumn(), X=X)
    assert recorder.splits[0][0].tolist() == np.flatnonzero(X[:, 0] < 0).tolist()
    with pytest.raises(ValueError, match="Split 1 of cv holds out no sample"):
        OOFRecorder(Y, ByFirstColumn())  # sees a column of zeros


@pytest.mark.parametrize("given", [list, tuple])
def test_splits_in_a_list_or_tuple_are_given(tmp_path, given):
    splits = list(CV.split(X, Y))
    OOFRecorder(Y, given(splits), folder=tmp_path)
    with pytest.raises(ValueError, match="is of other splits"):
        OOFRecorder(Y, given(splits[::-1]), folder=tmp_path)


def test_scores_are_kept_by_the_metric_and_own_ones_as_score():
    for scoring, name in (("f1", "f1"), (None, "score"), (lambda model, X, y: 0.25, "score")):
        recorder = OOFRecorder(Y, CV)
        found = tried(recorder, GRID[:1], scoring=scoring)[0]
        assert list(recorder.oof_.fold_scores) == [name]
        assert recorder.oof_.fold_scores[name][:, 0].tolist() == found.tolist()
        assert found.shape == (4,)


def test_parameters_are_set_on_a_copy_and_are_themselves_copied():
    inner, outer = LogisticRegression(C=5), BaggingClassifier(random_state=0, n_estimators=2)
    recorder = OOFRecorder(Y, CV)
    recorder.cross_val_score(outer, X, params={"estimator": inner}, scoring="roc_auc")
    assert not hasattr(inner, "coef_") and outer.estimator is None
    assert recorder.oof_.params[0]["estimator"] is inner


def test_a_fit_in_memory_is_made_once_and_again_for_another_recipe(tmp_path):
    count = tmp_path / "count"
    recorder, model = OOFRecorder(Y, CV), Counted(path=str(count))
    once = tried(recorder, GRID[:1], model)
    assert n_fits(count) == 4
    np.testing.assert_array_equal(tried(recorder, GRID[:1], model), once)
    assert n_fits(count) == 4
    with pytest.warns(RecordingWarning, match="since scoring changed; it is made again"):
        tried(recorder, GRID[:1], model, scoring="f1")
    assert n_fits(count) == 8 and list(recorder.oof_.fold_scores) == ["f1"]


def by_hand(response, make, y=Y):
    recorder = OOFRecorder(y, list(CV.split(X, Y)))
    for fold, (_, test) in enumerate(recorder.splits):
        recorder.record({"a": 1}, np.int64(fold), make(test), response=response)
    return recorder.oof_.responses[response][0]


def test_what_one_records_stays_as_it_is_unless_it_is_of_two_classes():
    np.testing.assert_array_equal(by_hand("plain", lambda test: test / 7), np.arange(60) / 7)
    y = np.arange(60) / 7
    outputs = by_hand("plain", lambda test: np.c_[test, -test], y)
    np.testing.assert_array_equal(outputs, np.c_[:60, 0:-60:-1])
    three = by_hand("predict_proba", lambda test: np.full((len(test), 3), 1 / 3), Y + GROUPS % 2)
    assert three.shape == (60, 3)
    regression = by_hand("predict", lambda test: test + 0.5, y)
    np.testing.assert_array_equal(regression, np.arange(60) + 0.5)


def test_a_configuration_without_labels_is_no_candidate_by_labels():
    y = np.where(Y == 1, 1, -1)
    recorder = OOFRecorder(y, CV, adaptive=False)
    for fold, (_, test) in enumerate(recorder.splits):
        recorder.record({"a": 1}, fold, -y[test])  # wrong everywhere
        recorder.record({"a": 2}, fold, 0.5 + 0.4 * y[test], response="predict_proba")
    result = BBC(n_bootstraps=20, random_state=0).estimate(recorder.oof_, "accuracy")
    assert result.estimate == 0 and result.details["winner"] == 0
    assert any("Configuration 1 (a=2) is left out" in note for note in result.details["notes"])


@pytest.mark.parametrize(
    ("classes", "shape"), [(3, (2,)), (3, ()), (3, (4,)), (2, (1,)), (2, (3,))]
)
def test_probabilities_have_a_column_for_each_class(classes, shape):
    recorder = OOFRecorder(np.arange(60) % classes, CV)
    with pytest.raises(ValueError, match=rf"for the {classes} classes \[0, 1.*does not train on"):
        recorder.record({}, 0, np.full((N_TEST, *shape), 0.5), response="predict_proba")


@pytest.mark.parametrize("missing", [None, np.nan], ids=str)
def test_a_label_that_is_missing_has_no_code(missing):
    def labels(test):
        found = np.array(["no", "yes"], dtype=object)[Y[test]]
        found[0] = missing
        return found

    names = np.array(["no", "yes"], dtype=object)[Y]
    codes = by_hand("predict", labels, names)
    assert (codes == -1).sum() == 4
    assert (codes[codes >= 0] == Y[codes >= 0]).all()


def test_labels_beyond_the_last_class_and_between_classes_are_strange():
    for strange in ([9, 0, 1], [0.5, 0, 1], [-1, 1, 0]):
        with pytest.raises(ValueError, match=rf"predictions holds labels \[{strange[0]}.* that y"):
            _codes_with_missing(np.array(strange), np.array([0, 1]))
    assert _codes_with_missing(np.array([3, 1]), np.array([1, 3, 5])).tolist() == [1, 0]


def test_scores_that_one_records_are_kept_where_every_fold_has_one():
    recorder = OOFRecorder(Y, CV)
    for fold, (_, test) in enumerate(recorder.splits):
        recorder.record({"a": 1}, fold, test * 1.0, score=fold / 4)
    assert recorder.oof_.fold_scores["score"].tolist() == [[0.0], [0.25], [0.5], [0.75]]
    for fold, (_, test) in enumerate(recorder.splits):
        recorder.record({"a": 2}, fold, test * 1.0)
    assert not recorder.oof_.fold_scores


def test_notes_of_the_folder_come_after_that_of_the_tuner(tmp_path, monkeypatch):
    monkeypatch.setattr(FitFolder, "notes", ["torn"])
    for adaptive in (True, False):
        recorder = OOFRecorder(Y, CV, folder=tmp_path / str(adaptive), adaptive=adaptive)
        tried(recorder, GRID[:1])
        assert recorder.oof_.notes == (
            (ADAPTIVE.format("The tuner chose"), "torn") if adaptive else ("torn",)
        )


@pytest.mark.parametrize("groups", [None, GROUPS])
def test_a_fit_gives_its_answers_in_the_order_of_the_split(groups):
    train, test = np.arange(30), np.arange(59, 29, -2)
    cv_score, responses = fitted_cell(
        LogisticRegression(), X, Y, groups, (train, test), "roc_auc", "auc"
    )
    model = LogisticRegression().fit(X[train], Y[train])
    (method,) = responses
    np.testing.assert_allclose(responses[method], getattr(model, method)(X[test]))
    assert cv_score == {"auc": roc_auc_score(Y[test], model.decision_function(X[test]))}


DICT = {"C": 1}
MODEL = LogisticRegression()
score = OOFRecorder(Y, CV).cross_val_score
record = OOFRecorder(Y, CV).record
ZEROS = np.zeros(N_TEST)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: OOFRecorder(X, Y), ValueError, r"OOFRecorder\(y, cv=5\); X goes to cross_val"),
        (lambda: OOFRecorder(Y, 5, "folder"), TypeError, "only y, cv by position; 'folder' is"),
        (lambda: OOFRecorder(Y, groups=[1, 2]), ValueError, "groups has 2 values, but y has 60"),
        (lambda: OOFRecorder(Y, sample_weight=[1]), ValueError, "sample_weight has 1 values, but"),
        (lambda: OOFRecorder(Y.astype("datetime64[D]")), ValueError, "y holds dates"),
        (lambda: OOFRecorder(["a", 1, None] * 20), ValueError, "y contains 20 missing values"),
        (lambda: OOFRecorder(Y, sampleweight=Y), TypeError, r"OOFRecorder\(sample_weight="),
        (lambda: score(MODEL, X, params="C"), ValueError, "params must be a dict .* got 'C'"),
        (lambda: score(MODEL, X, DICT), ValueError, r"got a dict. Write params=\{'C': 1\}"),
        (lambda: score(MODEL, X, scoring=roc_auc_score), ValueError, "scoring='roc_auc'"),
        (lambda: score(MODEL, X, scorings="f1"), TypeError, r"mean cross_val_score\(scoring="),
        (lambda: record(None, 0, ZEROS), ValueError, "params must be a dict .* got None"),
        (lambda: record(DICT, 0, ZEROS, score="x"), ValueError, "score must be a number or None"),
        (lambda: record(DICT, 0, ZEROS, response="proba"), ValueError, "mean 'predict_proba'"),
    ],
)  # fmt: skip
def test_what_was_probably_meant(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


FOLDS = [(np.arange(30, 60), np.arange(30)), (np.arange(30), np.arange(30, 60))]


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"y": 1 - Y}, "another problem: y changed"),
        ({"groups": GROUPS}, "another problem: groups changed"),
        ({"sample_weight": Y + 1}, "another problem: sample_weight changed"),
        ({"y": 1 - Y, "groups": GROUPS}, "y changed, groups changed"),
        ({"cv": KFold(3)}, r"another problem: cv KFold\(.*n_splits=2.* to KFold\(n_splits=3"),
        ({"cv": FOLDS[::-1]}, "of other splits: cv changed"),
        ({"cv": FOLDS[:1]}, "of other splits: cv changed"),
        ({"cv": [(train, test[::-1]) for train, test in FOLDS]}, "of other splits: cv changed"),
    ],
)
def test_a_folder_is_of_one_target_and_one_set_of_splits(tmp_path, changed, what):
    OOFRecorder(
        Y, (changed.get("cv") and (KFold(2) if "KF" in what else FOLDS)) or 2, folder=tmp_path
    )
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ValueError, match=what):
        OOFRecorder(**{"y": Y, "cv": 2, **changed}, folder=tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("first", [KFold(2), FOLDS], ids=["splitter", "splits"])
def test_a_splitter_and_the_splits_that_it_gives_are_the_same(tmp_path, first):
    for cv in (first, KFold(2), FOLDS):
        recorder = OOFRecorder(Y, cv, folder=tmp_path)
        np.testing.assert_array_equal(recorder.splits, FOLDS)


def test_text_is_the_same_as_objects_and_with_room(tmp_path):
    text = np.array(list("ab" * 5))
    for kind in ("<U1", "<U5", object):
        OOFRecorder(text.astype(kind), 2, folder=tmp_path)
    with pytest.raises(ValueError, match="another problem: y changed"):
        OOFRecorder(text[::-1], 2, folder=tmp_path)
