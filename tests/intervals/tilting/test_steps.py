"""The hook of the tilting methods: a step that a subclass overrides is the one that is taken."""

import numpy as np
import pytest

from benchmarks.published.replication import MABT, BootstrapTilting
from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals._tilting import (
    NOTHING_TO_TILT,
    Root,
    Strata,
    Tilt,
    TiltingSteps,
    lonely_class,
)
from sklearn_bbc.metrics import as_metric

METHODS = (BootstrapTilting, MABT)


def predictions():
    rng = np.random.default_rng(3)
    y = np.arange(160) % 2
    pred = rng.normal(size=(160, 20)) + y[:, None]
    return OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(160) // 2 % 5)


def run(method, replicate, oof=None):
    method = method(n_bootstraps=200, replicate=replicate, random_state=0, alternative="greater")
    return method.estimate(predictions() if oof is None else oof, "roc_auc")


@pytest.mark.parametrize("method", METHODS)
def test_the_base_is_what_is_done_without_it(method):
    assert tuple(run(method, TiltingSteps())) == tuple(run(method, None))


class FromDraws(TiltingSteps):
    def influence(self, target, strata, n_bootstraps):
        return None

    def influence_from_draws(self, scores, counts, strata):
        assert len(scores) == len(counts) == 200
        return super().influence_from_draws(scores, counts, strata)


class NoRoot(TiltingSteps):
    def root(self, method, target, tilt, scores, observed, tail, alpha):
        assert tail(np.array([0.0]))[0] > alpha > 0
        assert len(scores) == 200 and 0 < observed < 1
        return Root(reason=f"{type(method).__name__} looked for none")


class Halved(TiltingSteps):
    def scores(self, kernel, columns, counts):
        return super().scores(kernel, columns, counts) / 2


class AtHalf(TiltingSteps):
    def bound(self, method, target, tilt, tau, entropy):
        assert tau < 0
        return 0.5


class NoBound(TiltingSteps):
    def why_no_bound(self, target, strata):
        return "none is wanted"


class Never(TiltingSteps):
    def probability(self, method, above, log_ratios):
        return np.zeros(len(log_ratios))

    def complement(self, method, above, log_ratios):
        return np.ones(len(log_ratios))


class Refused(TiltingSteps):
    def check_samples(self, target, columns):
        raise ValueError(f"{len(columns)} columns are not for this")


class Wrong(TiltingSteps):
    def validate(self):
        raise ValueError("no such thing")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
def test_each_step_can_be_another_one(method):
    with pytest.raises(NotImplementedError):
        run(method, FromDraws())
    with pytest.raises(ValueError, match="columns are not for this"):
        run(method, Refused())
    with pytest.raises(ValueError, match="no such thing"):
        run(method, Wrong())
    assert run(method, NoRoot()).details["reason"].endswith("looked for none")
    assert run(method, NoBound()).details["reason"].endswith("none is wanted")
    assert run(method, AtHalf()).low == 0.5
    assert run(method, Halved()).draws.max() <= 0.5
    assert "without tilt" in run(method, Never()).details["reason"]


@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
def test_a_class_with_one_sample_has_no_bound():
    y = (np.arange(40) == 3).astype(int)
    oof = OOFPredictions(y_true=y, y_pred=np.random.default_rng(0).normal(size=40) + y)
    assert "class 1 has a single sample" in run(BootstrapTilting, None, oof).details["reason"]


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


def test_scores_of_one_column_and_of_several():
    oof = predictions()
    kernel = as_metric("roc_auc").bind(oof)
    counts = np.random.default_rng(0).integers(1, 4, size=(6, 160))
    everything = kernel.scores(counts)
    for columns in ([7], [2, 5, 11]):
        found = TiltingSteps().scores(kernel, np.array(columns), counts)
        np.testing.assert_array_equal(found, everything[:, columns])


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
