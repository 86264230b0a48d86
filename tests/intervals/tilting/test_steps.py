"""The hook of the tilting methods: a step that a subclass overrides is the one that is taken."""

import numpy as np
import pytest

from benchmarks.published.replication import BootstrapTilting
from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals._tilting import (
    NOTHING_TO_TILT,
    Strata,
    Tilt,
    TiltingSteps,
    lonely_class,
)
from sklearn_bbc.metrics import as_metric

SCORES_OF_DRAWS = np.array([0.4, 0.5, 0.6])


def tilt_of(direction):
    n = len(direction)
    return Tilt(np.array(direction), Strata(np.arange(n), np.zeros(n, int), np.array([n])))


def searched(tail, tilt, scores=SCORES_OF_DRAWS):
    return TiltingSteps().root(None, None, tilt, scores, 0.5, tail, 0.05)


def test_the_root_is_searched_to_ten_standard_errors_and_halved_to_a_millionth():
    tilt, asked = tilt_of([3.0, -4.0]), []  # one standard error is 1/5

    def tail(taus):
        asked.append(taus)
        return np.where(taus < -1.93, 0.01, 0.5)

    root = searched(tail, tilt)
    np.testing.assert_allclose(asked[0], -np.linspace(0, 2, 201), atol=1e-15)
    assert -1.93 - 0.2e-6 <= root.tau < -1.93
    assert len(asked) == 1 + 16, "a step of 0.01 is halved 16 times"


def test_draws_that_all_score_as_the_data_leave_nothing_to_tilt():
    def tail(taus):
        return np.where(taus < -0.01, 0.01, 0.5)

    tilt = tilt_of([1e-17, -1e-17])
    rounded = np.array([0.5, 0.5 + 1e-14, 0.5 - 1e-14])
    assert searched(tail, tilt, rounded).reason == NOTHING_TO_TILT
    assert not searched(tail, tilt).reason


def target_of(oof, scoring):
    kernel = as_metric(scoring).bind(oof)
    target = BootstrapTilting(config=0)._target(oof, kernel, 0)
    return target, Strata.of(oof, kernel)


def test_a_bound_is_the_score_of_the_weighted_samples():
    y = np.array([1, 0, 1, 0, 1])
    oof = OOFPredictions(y_true=y, y_pred=np.array([1, 0, 0, 0, 0]), fold=[0, 0, 1, -1, 1])
    target, strata = target_of(oof, "accuracy")
    tilt = Tilt(np.array([2.0, 1.0, -1.0, 0.5]), strata)
    weights = np.exp(0.3 * tilt.direction)
    bound = TiltingSteps().bound(None, target, tilt, 0.3, 0)
    assert bound == pytest.approx(weights[:2].sum() / weights.sum())


def lonely(scoring, y, **fields):
    y = np.asarray(y)
    pred = np.arange(len(y)) / 10 if scoring == "roc_auc" else y
    oof = OOFPredictions(y_true=y, y_pred=pred, **fields)
    return lonely_class(*target_of(oof, scoring))


@pytest.mark.parametrize("labels", [("no", "yes"), (0, 1)])
def test_the_class_with_a_single_sample_is_named(labels):
    few = np.array(labels)[[0] * 5 + [1]]
    many = np.array(labels)[[1] * 5 + [0]]
    assert lonely("roc_auc", few).startswith(f"class {labels[1]} has a single sample, which res")
    assert lonely("roc_auc", many).startswith(f"class {labels[0]} has a single sample")
    assert lonely("roc_auc", np.array(labels)[[0, 0, 1, 1]]) is None


def test_a_sample_that_every_resample_needs_is_named():
    """Drawn are samples of some weight: of two positive ones a single one is left."""
    y = [0, 0, 0, 0, 1, 1]
    assert lonely("f1", y) is None
    told = lonely("f1", y, sample_weight=[1, 1, 1, 1, 1, 0])
    assert told.startswith("class 1 has a single sample, which every resample needs")
    told = lonely("f1", y[::-1], sample_weight=[1, 1, 1, 0, 0, 0])
    assert told.startswith("class 0 has a single sample, which every resample needs")
    assert lonely("accuracy", y, sample_weight=[1, 1, 1, 1, 1, 0]) is None
    assert lonely("accuracy", y, fold=[0, -1, -1, -1, -1, -1]) is None
