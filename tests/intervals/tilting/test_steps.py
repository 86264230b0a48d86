"""The hook of the tilting methods: a step that a subclass overrides is the one that is taken."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import MABT, BootstrapTilting
from sklearn_bbc.intervals.tilting._steps import TiltingSteps
from sklearn_bbc.intervals.tilting._tilt import Root

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
