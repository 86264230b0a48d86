"""Precision, recall, F, Matthews, kappa: what is refused or replayed, single labels, pieces."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import (
    cohen_kappa_score,
    f1_score,
    make_scorer,
)

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import as_metric


def plain(y, pred):
    return OOFPredictions(y_true=y, y_pred=np.moveaxis(pred, 0, 1))


@pytest.mark.parametrize(
    ("kwargs", "pred"),
    [
        ({"average": "binary"}, [0, 1, 2, 1]),  # three labels
        ({"average": "macro", "zero_division": 7}, [0, 1, 0, 1]),
        ({"average": None}, [0, 1, 0, 1]),
    ],
)
def test_what_scikit_learn_refuses_is_left_to_it(kwargs, pred):
    oof = OOFPredictions(y_true=[0, 1, 1, 0], y_pred=np.array(pred)[:, None])
    with pytest.raises(ValueError, match="cannot be computed again"):
        as_metric(make_scorer(f1_score, **kwargs)).bind(oof)


def test_labels_of_another_type_and_means_over_samples_are_replayed():
    rng = np.random.default_rng(0)
    y, pred = rng.integers(2, size=(20, 3)), rng.integers(2, size=(2, 20, 3))
    oof = OOFPredictions.from_rows(y_true=y, responses={"plain": pred})
    two = OOFPredictions(y_true=[0, 1, 1, 0], y_pred=[[0], [1], [0], [1]])
    scorer = make_scorer(f1_score, average="macro", labels=["0", "1"], zero_division=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert as_metric("f1_samples").bind(oof).family == "replay"
        try:
            assert as_metric(scorer).bind(two).family == "replay"
        except ValueError as error:  # some releases refuse it
            assert "cannot be computed again" in str(error)


def test_scores_are_no_labels():
    oof = OOFPredictions(y_true=[0, 1, 1, 0], y_pred=[[0.2], [0.7], [0.6], [0.1]])
    for name in ("f1", "balanced_accuracy", "matthews_corrcoef"):
        with pytest.raises(ValueError, match="needs class labels"):
            as_metric(name).bind(oof)


def test_matthews_of_one_label_is_zero_whatever_the_weights():
    rng = np.random.default_rng(0)
    y = np.array([0, 1] + [0] * 30)
    pred = np.zeros((1, 32), dtype=int)
    weights = rng.random((50, 32)) * (y == 0)
    kernel = as_metric("matthews_corrcoef").bind(plain(y, rng.integers(2, size=(3, 32))))
    assert (kernel.scores(weights) == 0).all()
    kappa = as_metric(make_scorer(cohen_kappa_score)).bind(plain(y, pred))
    assert np.isnan(kappa.scores(weights)).all()


def test_kappa_of_repeated_labels_is_replayed():
    scorer = make_scorer(cohen_kappa_score, labels=[0, 1, 1])
    oof = plain(np.array([0, 1, 1, 0]), np.array([[0, 1, 0, 0]]))
    assert as_metric(scorer).bind(oof).family == "replay"


def test_many_labels_and_draws_are_cut_into_pieces(monkeypatch):
    rng = np.random.default_rng(0)
    y, pred = rng.integers(6, size=40), rng.integers(6, size=(5, 40))
    scorer = make_scorer(cohen_kappa_score, weights="linear")
    counts = rng.integers(3, size=(10, 40))
    whole = as_metric(scorer).bind(plain(y, pred)).scores(counts)
    monkeypatch.setattr("sklearn_bbc.metrics._confusion._MAX_CELLS", 800)
    np.testing.assert_array_equal(as_metric(scorer).bind(plain(y, pred)).scores(counts), whole)
