"""The contract checks see what they are there to see: methods broken on purpose fail."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.utils import check_random_state

from sklearn_bbc.intervals import BBC, BBCF, Wald
from sklearn_bbc.intervals._base import _REGISTRY
from sklearn_bbc.testing import _intervals as testing
from sklearn_bbc.testing import example_predictions


class Renamed(BBC):
    pass


class SwappedBounds(BBC):
    def _estimate(self, oof, kernel):
        result = super()._estimate(oof, kernel)
        return replace(result, low=result.high, high=result.low)


class ForgetsWinner(BBC):
    def _estimate(self, oof, kernel):
        return replace(super()._estimate(oof, kernel), details={})


class ChangesItself(BBC):
    def _estimate(self, oof, kernel):
        self.confidence_level = 0.5
        return super()._estimate(oof, kernel)


class GlobalNoise(BBC):
    def _estimate(self, oof, kernel):
        result = super()._estimate(oof, kernel)
        return replace(result, low=result.low - check_random_state(None).random_sample())


class FreshNoise(BBC):
    def _estimate(self, oof, kernel):
        result = super()._estimate(oof, kernel)
        return replace(result, low=result.low - np.random.default_rng().random())


class IgnoresRandomState(BBC):
    def _entropy(self):
        return 3


class CountsBatches(BBC):
    def _estimate(self, oof, kernel):
        calls = []
        self._draws(oof, kernel).map(lambda counts: calls.append(1) or np.zeros(len(counts)))
        result = super()._estimate(oof, kernel)
        return replace(result, low=result.low - len(calls))


class TwoSidedAnyway(BBC):
    def _sided(self, low, high, bounds):
        return low, high


class WrongTail(BBC):
    def _tail(self, confidence_level=None):
        return 1 - self.confidence_level


class LevelUpsideDown(BBC):
    def _tail(self, confidence_level=None):
        return self.confidence_level / 2 - 0.04


class ForgetsSign(BBC):
    def _estimate(self, oof, kernel):
        result = super()._estimate(oof, kernel)
        sign = kernel.metric.sign
        return replace(result, low=sign * result.low, high=sign * result.high)


class CountsConfigurations(BBC):
    def _estimate(self, oof, kernel):
        result = super()._estimate(oof, kernel)
        return replace(result, low=result.low - oof.n_configs)


class AcceptsAnything(BBC):
    def _validate(self):
        pass


class Positional(BBC):
    name = "positional"

    def __init__(self, confidence_level=0.95, alternative="two-sided"):
        super().__init__(confidence_level=confidence_level, alternative=alternative)


class HidesSelection(Wald):
    def _estimate(self, oof, kernel):
        result = super()._estimate(oof, kernel)
        return replace(result, details={**result.details, "notes": []})


class IgnoresConfig(Wald):
    def _target(self, oof, kernel, seed=None):
        config, self.config = self.config, None
        target = super()._target(oof, kernel, seed)
        self.config = config
        target.details.update(
            config=target.config if config is None else config,
            selection_accounted_for=config is not None or oof.n_configs == 1,
            notes=[] if config is not None or oof.n_configs == 1 else target.details["notes"],
        )
        return target


class NamesNothing(BBC):
    def _draws(self, oof, kernel, *selecting):
        try:
            return super()._draws(oof, kernel, *selecting)
        except ValueError:
            raise ValueError("It cannot be done.") from None


class RefusesConstants(BBC):
    def _estimate(self, oof, kernel):
        if (oof.responses["predict_proba"] == 0.5).all():
            raise ValueError("The metric is undefined for constant predictions.")
        return super()._estimate(oof, kernel)


class ForgetsUntested(BBC):
    def _estimate(self, oof, kernel):
        result = super()._estimate(oof, kernel)
        return replace(result, details={**result.details, "n_untested": 0})


class ForgetsGroups(BBC):
    def _estimate(self, oof, kernel):
        result = super()._estimate(oof, kernel)
        return replace(result, details={**result.details, "unit": "sample"})


class Undocumented(BBC):
    """BBC without a word about its parameters."""


class NewParameter(BBC):
    __doc__ = BBC.__doc__

    def __init__(self, *, shift=0, confidence_level=0.95, alternative="two-sided"):
        super().__init__(confidence_level=confidence_level, alternative=alternative)
        self.shift = shift


class HidesItsLimits(BBC):
    __doc__ = BBC.__doc__
    limits = ""


class NewDetail(BBC):
    __doc__ = BBC.__doc__

    def _estimate(self, oof, kernel):
        result = super()._estimate(oof, kernel)
        return replace(result, details={**result.details, "n_moons": 1})


del _REGISTRY["positional"]  # tests of the registry want to see the package's methods only


BROKEN = [
    (Positional, "registration"),
    (Renamed, "registration"),
    (SwappedBounds, "result"),
    (ForgetsWinner, "result"),
    (ChangesItself, "result"),
    (GlobalNoise, "seed"),
    (FreshNoise, "seed"),
    (IgnoresRandomState, "seed"),
    (CountsBatches, "workers"),
    (TwoSidedAnyway, "sides"),
    (WrongTail, "sides"),
    (LevelUpsideDown, "levels"),
    (ForgetsSign, "orientation"),
    (CountsConfigurations, "configurations"),
    (AcceptsAnything, "refusals"),
    (HidesSelection, "selection"),
    (IgnoresConfig, "selection"),
    (NamesNothing, "failures"),
    (RefusesConstants, "failures"),
    (ForgetsUntested, "units"),
    (ForgetsGroups, "units"),
    (Undocumented, "documentation"),
    (NewParameter, "documentation"),
    (NewDetail, "documentation"),
    (HidesItsLimits, "documentation"),
]


@pytest.mark.parametrize("cls, check", BROKEN, ids=lambda each: getattr(each, "__name__", each))
def test_a_broken_method_is_found(cls, check, monkeypatch):
    if cls is Positional:
        monkeypatch.setitem(_REGISTRY, "positional", cls)
    assert getattr(testing, f"check_{check}")(cls.__mro__[1]) is None  # it is not the base
    with pytest.raises(AssertionError):
        getattr(testing, f"check_{check}")(cls)


def test_every_check_is_tried_on_a_broken_method():
    tried = {f"check_{check}" for _, check in BROKEN}
    assert tried == {check.__name__ for check in testing.interval_checks()}


def test_another_metric_and_other_data():
    oof = example_predictions(n_samples=45, n_classes=3, n_folds=5)
    testing.check_interval(BBCF(), "neg_log_loss", oof)
    testing.check_interval(BBC(n_jobs=1), "accuracy", oof)
