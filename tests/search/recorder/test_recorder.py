"""Configurations of any tuner give the predictions of a search over them, crash or no crash."""

import threading

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_regression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV, OOFRecorder
from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.intervals import BBC
from sklearn_bbc.predictions._predictions import with_fields
from sklearn_bbc.store import _fingerprint as fingerprint_module
from tests.search.recorder.recorder_cases import (
    CV,
    GRID,
    GROUPS,
    N_TEST,
    RECORDED,
    Counted,
    X,
    Y,
    n_fits,
    tried,
)


def search(scoring="roc_auc", cv=CV, y=Y, model=None, **fit):
    model = LogisticRegression() if model is None else model
    return BBCSearchCV(model, {"C": GRID}, scoring=scoring, cv=cv, ci=[]).fit(X, y, **fit)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("scoring", "n_jobs"),
    [("roc_auc", None), ("neg_log_loss", 2), ("accuracy", None), (None, None)],
)
def test_it_records_what_a_search_records(scoring, n_jobs):
    recorder = OOFRecorder(Y, CV, adaptive=False)
    scores = tried(recorder, scoring=scoring, n_jobs=n_jobs)
    kept = search(scoring)
    (expected,) = kept.oof_.fold_scores.values()
    np.testing.assert_array_equal(np.transpose(scores), expected)
    oof = recorder.oof_
    for response in kept.oof_.responses:
        np.testing.assert_array_equal(oof.responses[response], kept.oof_.responses[response])
    by = scoring or "accuracy"
    method = BBC(n_bootstraps=100, random_state=0)
    one, other = (method.estimate(each, by) for each in (oof, kept.oof_))
    assert (one.estimate, *one) == (other.estimate, *other)
    assert oof.params == tuple({"C": C} for C in GRID) and not oof.notes


def test_groups_and_regression():
    X, y = make_regression(n_samples=60, n_features=4, noise=30, random_state=0)
    cv = GroupKFold(5)
    recorder = OOFRecorder(y, cv, groups=GROUPS)
    for alpha in (0.1, 10):
        recorder.cross_val_score(Ridge(alpha=alpha), X, y, scoring="r2")
    model = BBCSearchCV(Ridge(), {"alpha": [0.1, 10]}, scoring="r2", cv=cv, ci=[])
    kept = model.fit(X, y, groups=GROUPS).oof_
    np.testing.assert_array_equal(recorder.oof_.matrix("r2"), kept.matrix("r2"))
    assert recorder.oof_.n_straddling_groups == 0
    assert BBC(random_state=0).estimate(recorder.oof_, "r2").details["unit"] == "group"


def test_several_kinds_of_models():
    recorder = OOFRecorder(Y, CV)
    recorder.cross_val_score(GaussianNB(), X, scoring="roc_auc")
    recorder.cross_val_score(LogisticRegression(), X, params={"C": 1}, scoring="roc_auc")
    assert recorder.oof_.n_configs == 2
    assert recorder.oof_.params[0]["var_smoothing"] == 1e-9


def test_an_unseeded_splitter_is_asked_once(tmp_path):
    cv = StratifiedKFold(4, shuffle=True)
    first = OOFRecorder(Y, cv, folder=tmp_path)
    tried(first)
    again = OOFRecorder(Y, cv, folder=tmp_path)
    for one, other in zip(first.splits, again.splits):
        np.testing.assert_array_equal(one[1], other[1])
    assert again.oof_ == first.oof_


@pytest.mark.long
def test_finished_fits_are_not_made_again(tmp_path):
    count = tmp_path / "count"
    folder = tmp_path / "folder"
    model = Counted(path=str(count))
    first = tried(OOFRecorder(Y, CV, folder=folder), GRID[:2], model)
    assert n_fits(count) == 8
    wider = OOFRecorder(Y, CV, folder=folder)
    np.testing.assert_array_equal(tried(wider, GRID, model)[:2], first)
    assert n_fits(count) == 12
    alone = OOFRecorder(Y, CV)
    tried(alone, GRID, model)
    assert with_fields(wider.oof_, params=()) == with_fields(alone.oof_, params=())


class Scaled(ClassifierMixin, BaseEstimator):
    """Same name and parameters, other code."""

    def __init__(self, factor=1):
        self.factor = factor

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return self.factor * X[:, 0]

    def predict(self, X):
        return self.classes_[(X[:, 0] > 0).astype(int)]


@pytest.mark.parametrize("what", ["scoring", "scikit-learn", "version of the estimator"])
def test_what_makes_a_stored_fit_useless_is_named(tmp_path, what, monkeypatch):
    recorder = OOFRecorder(Y, CV, folder=tmp_path)

    def run(scoring="roc_auc"):
        model = LogisticRegression()
        return recorder.cross_val_score(model, X, params={"C": 2}, scoring=scoring)

    run()
    if what == "scoring":
        with pytest.warns(RecordingWarning, match="same attempt is not used, since scoring ch"):
            run(scoring="f1")
    elif what == "scikit-learn":
        monkeypatch.setattr("sklearn.__version__", "99.0")
        with pytest.warns(RecordingWarning, match=r"scikit-learn \S+ to 99.0"):
            run()
    else:  # of any package
        real = fingerprint_module._version_of
        monkeypatch.setattr(
            fingerprint_module, "_version_of", lambda name: "newer" if real(name) else None
        )
        with pytest.warns(RecordingWarning, match="since version of the estimator changed"):
            run()
    oof = recorder.oof_
    assert oof.params == ({"C": 2},)
    replaced = [note for note in oof.notes if "replaced" in note]
    # The same predictions again replace nothing that a choice could have taken.
    assert replaced == (
        ["4 recorded fits were replaced by a later one of the same parameters. If these were "
         "attempts to choose from, that choice is not corrected for."] if what == "scoring" else []
    )  # fmt: skip


def test_another_estimator_is_another_configuration(tmp_path):
    """Of the same name and parameters, after an edit."""
    recorder = OOFRecorder(Y, CV, folder=tmp_path)
    edited = type("Scaled", (Scaled,), {"decision_function": lambda self, X: -X[:, 0]})
    edited.__module__, edited.__qualname__ = Scaled.__module__, Scaled.__qualname__
    for model in (Scaled(), edited(), Scaled(factor=3), Scaled(), edited()):
        recorder.cross_val_score(model, X, params={"factor": 2}, scoring="roc_auc")
    again = OOFRecorder(Y, CV, folder=tmp_path)
    again.cross_val_score(edited(), X, params={"factor": 2}, scoring="roc_auc")
    assert again.oof_ == recorder.oof_
    assert again.oof_.params == ({"factor": 2, "attempt": 1}, {"factor": 2, "attempt": 2})
    scores = again.oof_.matrix("roc_auc")
    np.testing.assert_array_equal(scores, np.c_[2 * X[:, 0], -X[:, 0]])


@pytest.mark.long
def test_noise_features_tried_one_after_the_other_are_configurations(tmp_path):
    """Seen before: 0.7 with the note that there was no selection, for a true 0.5."""
    rng = np.random.default_rng(3)
    y, noise = np.arange(80) % 2, rng.normal(size=(80, 24))
    recorder = OOFRecorder(y, 4, folder=tmp_path, adaptive=False)
    for feature in noise.T:
        recorder.cross_val_score(GaussianNB(), feature[:, None], params={}, scoring="roc_auc")
    oof = recorder.oof_
    assert oof.params == tuple({"attempt": k} for k in range(1, 25))
    assert oof.notes == (
        "24 configurations share their parameters with others and differ in X or in the "
        "estimator. A number in their params, 'attempt', distinguishes them.",
    )
    result = BBC(random_state=0, n_bootstraps=300).estimate(oof, "roc_auc")
    best = oof.fold_scores["roc_auc"].mean(axis=0).max()
    assert best > 0.65 and abs(result.estimate - 0.5) < 0.06 and 0.5 in result
    assert not any("no selection" in note for note in result.details["notes"])
    # Another process goes on, and fits nothing that is there.
    more = OOFRecorder(y, 4, folder=tmp_path, adaptive=False)
    for feature in noise.T[:3:-1]:
        more.cross_val_score(GaussianNB(), feature[:, None], params={}, scoring="roc_auc")
    assert more.oof_ == oof


def test_replaced_predictions_of_ones_own_are_counted(tmp_path):
    """`record` is told the parameters only; who repeats them gets a note in every result."""
    said = "replaced by a later one of the same parameters"
    for folder in (None, tmp_path):
        recorder = OOFRecorder(Y, CV, folder=folder, adaptive=False)
        for seed in (0, 0, 1, 2, 0):
            values = np.random.default_rng(seed).random(60)
            for fold, (_, test) in enumerate(recorder.splits):
                recorder.record({"a": 1}, fold, values[test])
                recorder.record({"a": 2, "attempt": 7}, fold, values[test] if fold else test)
        oof = recorder.oof_
        assert oof.params == ({"a": 1}, {"a": 2, "attempt": 7})
        np.testing.assert_array_equal(oof.matrix("roc_auc")[:, 0], values)
        (note,) = oof.notes
        assert note.startswith(f"14 recorded fits were {said}")  # 4 folds and 3, twice each
        assert (
            note in BBC(n_bootstraps=40, random_state=0).estimate(oof, "roc_auc").details["notes"]
        )
        if folder is not None:
            again = OOFRecorder(Y, CV, folder=folder, adaptive=False).oof_
            assert again == oof and again.notes == oof.notes
    one = OOFRecorder(Y, CV, adaptive=False)
    for shift in (0.0, 1.0):
        one.record({}, 0, np.arange(N_TEST) + shift)
    for fold, (_, test) in enumerate(one.splits):
        if fold:
            one.record({}, fold, test)
    assert one.oof_.notes[0].startswith(f"1 recorded fit was {said}")


@pytest.mark.parametrize("kind", ["array", "read-only view", "frame", "sparse"])
def test_data_edited_in_place_are_other_data(kind):
    """So `X` is hashed with every configuration, even where it is the same object."""
    data = X.copy()
    if kind == "array":
        given, edited = data, data
    elif kind == "read-only view":
        given, edited = data.view(), data
        given.flags.writeable = False
    elif kind == "frame":
        given = pd.DataFrame(data)
    else:
        given = csr_matrix(data)
        edited = given.data.reshape(data.shape)
    recorder, tree = OOFRecorder(Y, CV), DecisionTreeClassifier(max_depth=2, random_state=0)
    before = recorder.cross_val_score(tree, given, params={"max_depth": 2})
    if kind == "frame":
        given.iloc[:, :] = X[::-1]
    else:
        edited[:] = X[::-1].copy()
    after = recorder.cross_val_score(tree, given, params={"max_depth": 2})
    other = OOFRecorder(Y, CV).cross_val_score(tree, X[::-1], params={"max_depth": 2})
    np.testing.assert_array_equal(after, other)
    assert not np.array_equal(after, before)
    assert recorder.oof_.n_configs == 2


def test_predictions_of_models_that_one_trains_oneself():
    recorder, kept = OOFRecorder(Y, CV, adaptive=False), search()
    for C in reversed(GRID):
        for fold, (train, test) in enumerate(recorder.splits):
            model = LogisticRegression(C=C).fit(X[train], Y[train])
            shuffled = np.random.default_rng(fold).permutation(test)
            recorder.record(
                {"C": C},
                fold,
                model.decision_function(X[shuffled]),
                rows=shuffled,
                response="decision_function",
                score=roc_auc_score(Y[test], model.decision_function(X[test])),
            )
    np.testing.assert_allclose(
        recorder.oof_.matrix("roc_auc"), kept.oof_.matrix("roc_auc")[:, ::-1]
    )
    np.testing.assert_allclose(
        recorder.oof_.fold_scores["score"], kept.oof_.fold_scores["roc_auc"][:, ::-1]
    )


def test_probabilities_and_labels_that_one_records():
    names = np.array(["no", "yes"])[Y]
    recorder = OOFRecorder(names, CV)
    for fold, (train, test) in enumerate(recorder.splits):
        model = LogisticRegression().fit(X[train], names[train])
        recorder.record({}, fold, model.predict_proba(X[test]), response="predict_proba")
        recorder.record({"a": 1}, fold, model.predict(X[test]), response="predict")
    accuracy = recorder.oof_.matrix("accuracy")
    np.testing.assert_array_equal(accuracy[:, 0], accuracy[:, 1])
    assert set(accuracy[:, 0]) == {"no", "yes"}


def test_probabilities_of_the_positive_class_need_no_second_column():
    recorder = OOFRecorder(Y, CV)
    for fold, (_, test) in enumerate(recorder.splits):
        positive = np.linspace(0.1, 0.9, len(test))
        both = np.column_stack([1 - positive, positive])
        recorder.record({"a": 1}, fold, positive, response="predict_proba")
        recorder.record({"a": 2}, fold, both, response="predict_proba")
    kept = recorder.oof_.responses["predict_proba"]
    assert kept.shape == (2, 60)
    np.testing.assert_array_equal(kept[0], kept[1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.record({}, 0, np.zeros(3)), r"predictions has shape \(3,\), but split 0"),
        (lambda r: r.record({}, 0, np.zeros(N_TEST), rows=range(N_TEST)), "rows are not the 15"),
        (
            lambda r: r.record({}, 0, np.full(N_TEST, 7), response="predict"),
            r"labels \[7\] that y",
        ),
        (lambda r: r.record({}, 0, np.zeros((N_TEST, 2, 2))), "expected one prediction"),
        (lambda r: r.record({}, 0, np.zeros((1, N_TEST))), "expected one prediction"),
        (
            lambda r: r.record({}, 0, np.zeros(N_TEST), rows=np.zeros(N_TEST + 1)),
            "rows are not the 15 samples",
        ),
        (
            lambda r: r.record({}, 0, np.zeros(N_TEST), rows=[r.splits[0][1][0]] * N_TEST),
            "rows are not the 15 samples",
        ),
        (lambda r: r.cross_val_score(GaussianNB(), X, 1 - Y), "y is not the y of the recorder"),
        (lambda r: r.cross_val_score(GaussianNB(), X, scoring=["f1"]), "names several metrics"),
        (lambda r: OOFRecorder(Y, CV).oof_, "No configuration has predictions for all 4 splits"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call(RECORDED)


FITS = []


class Third(LogisticRegression):
    """The third fit fails."""

    def fit(self, X, y):
        FITS.append(1)
        if len(FITS) == 3:
            raise RuntimeError("out of luck")
        return super().fit(X, y)


def test_an_error_of_the_model_keeps_what_was_finished(tmp_path):
    FITS.clear()
    recorder = OOFRecorder(Y, CV, folder=tmp_path)
    with pytest.raises(RuntimeError, match="out of luck"):
        recorder.cross_val_score(Third(), X, params={"C": 1.0}, scoring="roc_auc")
    recorder.cross_val_score(Third(), X, params={"C": 1.0}, scoring="roc_auc")
    assert len(FITS) == 5


@pytest.mark.long
def test_threads_record_at_the_same_time(tmp_path):
    recorder, grid = OOFRecorder(Y, CV, folder=tmp_path), np.logspace(-3, 3, 6)
    threads = [threading.Thread(target=tried, args=(recorder, grid[k::3])) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert recorder.oof_.n_configs == 6
    alone = OOFRecorder(Y, CV)
    tried(alone, [params["C"] for params in recorder.oof_.params])
    np.testing.assert_array_equal(recorder.oof_.matrix("roc_auc"), alone.oof_.matrix("roc_auc"))
