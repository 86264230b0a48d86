"""The contract checks of methods that train models see what they are there to see."""

from dataclasses import replace

import numpy as np
import pytest

from sklearn_bbc.intervals import BatesNestedCV, DirectBootstrap, NestedCV
from sklearn_bbc.testing import _refits as testing
from sklearn_bbc.testing import check_interval, refit_checks


class Renamed(NestedCV):
    pass


class SwappedBounds(DirectBootstrap):
    def _estimate(self, problem):
        result = super()._estimate(problem)
        return replace(result, low=result.high, high=result.low)


class KeepsReasonToItself(NestedCV):
    def _estimate(self, problem):
        result = super()._estimate(problem)
        return replace(result, details={**result.details, "reason": ""})


class FreshNoise(DirectBootstrap):
    def _estimate(self, problem):
        result = super()._estimate(problem)
        return replace(result, low=result.low - np.random.default_rng().random())


class TellsNoCost(NestedCV):
    def _tell_cost(self, problem):
        super()._tell_cost(replace(problem))
        problem.details.update(n_fits=7, unit="sample", notes=[])


class CountsWorkers(DirectBootstrap):
    def _estimate(self, problem):
        result = super()._estimate(problem)
        return replace(result, low=result.low - (self.n_jobs or 1))


class TwoSidedAnyway(DirectBootstrap):
    def _sided(self, low, high, bounds):
        return low, high


class LevelUpsideDown(DirectBootstrap):
    def _tail(self, confidence_level=None):
        return self.confidence_level / 2 - 0.04


class ForgetsSign(DirectBootstrap):
    def _estimate(self, problem):
        result = super()._estimate(problem)
        return replace(result, estimate=abs(result.estimate))


class AcceptsAnything(NestedCV):
    def _validate(self):
        pass


class CountsNoClasses(BatesNestedCV):
    def _check_classes(self, problem):
        pass


class ScoresOneSample(NestedCV):
    def _least_per_class(self, problem):
        return 1, "anything goes"

    def _estimate(self, problem):
        return self._from_se(0.9, 0.1, problem.metric, details=problem.details)


class CallsAPointAnInterval(DirectBootstrap):
    def _tell_degenerate(self, problem, spread, estimate):
        pass


class KeepsThePointToItself(BatesNestedCV):
    def _tell_degenerate(self, problem, spread, estimate):
        problem.details["degenerate"] = True


class Undocumented(NestedCV):
    """Nested cross-validation, undocumented."""


BROKEN = [
    (Renamed, "registration"),
    (SwappedBounds, "result"),
    (KeepsReasonToItself, "result"),
    (FreshNoise, "result"),
    (TellsNoCost, "cost"),
    (CountsWorkers, "workers"),
    (TwoSidedAnyway, "sides"),
    (LevelUpsideDown, "levels"),
    (ForgetsSign, "orientation"),
    (AcceptsAnything, "refusals"),
    (CountsNoClasses, "failures"),
    (ScoresOneSample, "failures"),
    (CallsAPointAnInterval, "failures"),
    (KeepsThePointToItself, "failures"),
    (Undocumented, "documentation"),
]


@pytest.mark.parametrize(
    ("cls", "check"), BROKEN, ids=lambda each: getattr(each, "__name__", each)
)
def test_a_broken_method_is_found(cls, check):
    assert getattr(testing, f"check_refit_{check}")(cls.__mro__[1]) is None
    with pytest.raises(AssertionError):
        getattr(testing, f"check_refit_{check}")(cls)


def test_every_check_is_tried_on_a_broken_method():
    tried = {f"check_refit_{check}" for _, check in BROKEN}
    assert tried == {check.__name__ for check in refit_checks()}


def test_check_interval_takes_methods_that_train():
    check_interval(DirectBootstrap(), "roc_auc")
    with pytest.raises(AssertionError, match="does not lead to"):
        check_interval(Renamed)
