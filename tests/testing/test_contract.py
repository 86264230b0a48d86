"""The contract sees what it is there to see: methods broken on purpose fail."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sklearn.utils import check_random_state

from sklearn_bbc._parameters import By
from sklearn_bbc.comparison import CorrectedResampledT
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import (
    BBC,
    BBCF,
    BatesNestedCV,
    BayleCV,
    DeLong,
    DirectBootstrap,
    NestedCV,
    Wald,
)
from sklearn_bbc.intervals._base import _INTERVALS
from sklearn_bbc.testing import check_contract, checks, example_predictions
from sklearn_bbc.testing._common import assert_documented
from sklearn_bbc.testing._contract import case_of

CHECKS = {
    check.__name__.removeprefix("check_"): check
    for cls in (BBC, NestedCV, CorrectedResampledT)
    for check in checks(cls)
}


class Renamed(BBC):
    pass


class ChangesItself(BBC):
    def _estimate(self, contest):
        self.confidence_level = 0.5
        return super()._estimate(contest)


class GlobalNoise(BBC):
    def _estimate(self, contest):
        result = super()._estimate(contest)
        return replace(result, low=result.low - check_random_state(None).random_sample())


class IgnoresRandomState(BBC):
    def draws_for(self, contest, *also):
        return BBC(**{**self.get_params(), "random_state": 3}).draws_for(contest, *also)


class CountsBatches(BBC):
    def _estimate(self, contest):
        calls = []
        self.draws_for(contest).map(lambda counts: calls.append(1) or np.zeros(len(counts)))
        result = super()._estimate(contest)
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
    def _estimate(self, contest):
        result = super()._estimate(contest)
        sign = contest.scored.metric.sign
        return replace(result, low=sign * result.low, high=sign * result.high)


ANYTHING = dict.fromkeys(("confidence_level", "alternative"), By(lambda value: None))


class AcceptsAnything(BBC):
    _constraints = ANYTHING


class Positional(BBC):
    name = "positional"

    def __init__(self, confidence_level=0.95, alternative="two-sided"):
        super().__init__(confidence_level=confidence_level, alternative=alternative)


class IgnoresConfig(Wald):
    def _target(self, contest, seed=None):
        oof, config, self.config = contest.oof, self.config, None
        target = super()._target(contest, seed)
        self.config = config
        target.details.update(
            config=target.config if config is None else config,
            selection_accounted_for=config is not None or oof.n_configs == 1,
            notes=[] if config is not None or oof.n_configs == 1 else target.details["notes"],
        )
        return target


class NamesNothing(BBC):
    def draws_for(self, contest, *also):
        try:
            return super().draws_for(contest, *also)
        except ValueError:
            raise ValueError("It cannot be done.") from None


class RefusesConstants(BBC):
    def _estimate(self, contest):
        if (contest.oof.responses["predict_proba"] == 0.5).all():
            raise ValueError("The metric is undefined for constant predictions.")
        return super()._estimate(contest)


class ForgetsUntested(BBC):
    def _estimate(self, contest):
        result = super()._estimate(contest)
        return replace(result, details={**result.details, "n_untested": 0})


class ForgetsGroups(BBC):
    def _estimate(self, contest):
        result = super()._estimate(contest)
        return replace(result, details={**result.details, "unit": "sample"})


class Undocumented(BBC):
    """BBC without a word about its parameters."""


del _INTERVALS["positional"]  # tests of the registry want to see the package's methods only


class KeepsReasonToItself(NestedCV):
    def _estimate(self, problem):
        result = super()._estimate(problem)
        return replace(result, details={**result.details, "reason": ""})


class NotesNoCost(NestedCV):
    def _note_cost(self, problem):
        super()._note_cost(replace(problem))
        problem.details.update(n_fits=7, unit="sample", notes=[])


class CountsWorkers(DirectBootstrap):
    def _estimate(self, problem):
        result = super()._estimate(problem)
        return replace(result, low=result.low - (self.n_jobs or 1))


class ForgetsSignRefit(DirectBootstrap):
    def _estimate(self, problem):
        result = super()._estimate(problem)
        return replace(result, estimate=abs(result.estimate))


class CountsNoClasses(BatesNestedCV):
    def _check_classes(self, problem):
        pass


class ScoresOneSample(NestedCV):
    def _least_per_class(self, problem):
        return 1, "anything goes"

    def _estimate(self, problem):
        return self._from_se(0.9, 0.1, problem.metric, details=problem.details)


class CallsAPointAnInterval(DirectBootstrap):
    def _note_degenerate(self, problem, spread, estimate):
        pass


class KeepsThePointToItself(BatesNestedCV):
    def _note_degenerate(self, problem, spread, estimate):
        problem.details["degenerate"] = True


class BrokenComparison(CorrectedResampledT):
    """Base of comparisons that break one promise; not registered, for they have no name."""


def changed(**fields):
    class Changed(BrokenComparison):
        __doc__ = CorrectedResampledT.__doc__

        def _compare(self, pair):
            result = super()._compare(pair)
            return replace(
                result, **{name: change(self, result) for name, change in fields.items()}
            )

    return Changed


def altered(base, change):
    """A method whose result is changed."""

    class Altered(base):
        __doc__ = base.__doc__

        def _estimate(self, contest):
            return change(super()._estimate(contest), contest.oof)

    return Altered


def with_details(**changed):
    return lambda result, oof: replace(result, details={**result.details, **changed})


class Vague(DeLong):
    def _estimate(self, contest):
        if contest.oof.y_true.sum() == 1:
            raise UndefinedIntervalError("This does not work.")
        return super()._estimate(contest)


class LenientComparison(BrokenComparison):
    _constraints = ANYTHING


class LooseComparison(BrokenComparison):
    __doc__ = CorrectedResampledT.__doc__
    assumptions = ("normal",)


BROKEN = [
    (Positional, "registration"),
    (Renamed, "registration"),
    (altered(BBC, lambda r, oof: replace(r, low=r.high, high=r.low)), "result"),
    (altered(BBC, lambda r, oof: replace(r, details={})), "result"),
    (ChangesItself, "result"),
    (GlobalNoise, "seed"),
    (altered(BBC, lambda r, oof: replace(r, low=r.low - np.random.random())), "seed"),  # noqa: NPY002
    (IgnoresRandomState, "seed"),
    (CountsBatches, "workers"),
    (TwoSidedAnyway, "sides"),
    (WrongTail, "sides"),
    (LevelUpsideDown, "levels"),
    (ForgetsSign, "orientation"),
    (altered(BBC, lambda r, oof: replace(r, low=r.low - oof.n_configs)), "configurations"),
    (AcceptsAnything, "refusals"),
    (altered(Wald, with_details(notes=[])), "selection"),
    (IgnoresConfig, "selection"),
    (NamesNothing, "failures"),
    (RefusesConstants, "failures"),
    (ForgetsUntested, "units"),
    (ForgetsGroups, "units"),
    (Undocumented, "documentation"),
    (altered(BBC, with_details(n_moons=1)), "documentation"),
    (KeepsReasonToItself, "result"),
    (NotesNoCost, "cost"),
    (CountsWorkers, "workers"),
    (ForgetsSignRefit, "orientation"),
    (CountsNoClasses, "failures_of_refits"),
    (ScoresOneSample, "failures_of_refits"),
    (CallsAPointAnInterval, "failures_of_refits"),
    (KeepsThePointToItself, "failures_of_refits"),
    (changed(p_value=lambda self, r: 1.5), "result"),
    (changed(low=lambda self, r: r.high + 1), "result"),
    (changed(label=lambda self, r: ""), "result"),
    (changed(difference=lambda self, r: np.nan), "result"),
    (changed(p_value=lambda self, r: np.random.random()), "seed"),  # noqa: NPY002
    (changed(difference=lambda self, r: np.random.random()), "workers"),  # noqa: NPY002
    (changed(difference=lambda self, r: abs(r.difference)), "exchange"),
    (changed(p_value=lambda self, r: 0.5 + r.difference), "exchange"),
    (changed(low=lambda self, r: r.low - (self.alternative == "greater")), "sides"),
    (changed(high=lambda self, r: r.high * 2), "sides"),
    (changed(p_value=lambda self, r: 0.01), "sides"),
    (changed(low=lambda self, r: self.confidence_level), "levels"),
    (changed(p_value=lambda self, r: self.confidence_level), "levels"),
    (changed(p_value=lambda self, r: 0.5), "identical"),
    (changed(difference=lambda self, r: 0.1), "identical"),
    (changed(details=lambda self, r: {**r.details, "novel": 1}), "documentation"),
    (altered(BBC, with_details(notes=[])), "selection"),
    (altered(DeLong, with_details(selection_accounted_for=True)), "selection"),
    (altered(DeLong, with_details(config=3)), "selection"),
    (altered(BBC, with_details(unit="row")), "units"),
    (Vague, "failures"),
    (BrokenComparison, "registration"),
    (LenientComparison, "refusals"),
    (LooseComparison, "documentation"),
]


@cache
def passes(check, cls):
    CHECKS[check](cls)
    return True


@pytest.mark.one_in(4)
@pytest.mark.parametrize("cls, check", BROKEN, ids=lambda each: getattr(each, "__name__", each))
def test_a_broken_method_is_found(cls, check, monkeypatch):
    if cls is Positional:
        monkeypatch.setitem(_INTERVALS, "positional", cls)
    ours = next(base for base in cls.__mro__ if base.__module__.startswith("sklearn_bbc."))
    assert passes(check, ours)
    with pytest.raises(AssertionError):
        CHECKS[check](cls)


def test_every_check_is_tried_on_a_broken_method():
    assert {check for _, check in BROKEN} == set(CHECKS)


@pytest.mark.long
def test_a_whole_contract():
    check_contract(BBCF(), "roc_auc")
    check_contract(CorrectedResampledT)
    with pytest.raises(AssertionError, match="does not lead to"):
        check_contract(type("RenamedRefit", (NestedCV,), {}))
    with pytest.raises(TypeError, match="not for dict"):
        checks({})


@pytest.mark.long
def test_another_metric_and_other_data():
    oof = example_predictions(n_samples=45, n_classes=3, n_folds=5)
    check_contract(BBCF(), "neg_log_loss", oof)
    check_contract(BBC(n_jobs=1), "accuracy", oof)


def test_a_case_has_few_draws_a_seed_and_a_metric_that_is_taken():
    case = case_of(BBC)
    assert (case.method.n_bootstraps, case.method.random_state) == (100, 0)
    assert case.scoring == "roc_auc"
    given = BBC(confidence_level=0.8, n_bootstraps=5000)
    assert case_of(given, "f1").method.confidence_level == 0.8
    assert (case_of(given, "f1").scoring, given.n_bootstraps) == ("f1", 5000)
    assert case_of(BayleCV).scoring == "accuracy"


WHOLE = """One line.

Parameters
----------
level, size : float, default=0.9
    What it is.

Notes
-----
`details` of the result: ``winner``.

Examples
--------
>>> 1
1
"""


def documented(text):
    def __init__(self, *, level=0.9, size=0.9):
        pass

    facts = dict.fromkeys(("estimand", "meant_for", "cost", "limits"), "something")
    return type("Own", (), {"__doc__": text, "__init__": __init__, **facts})


def test_a_whole_docstring_passes():
    assert_documented(documented(WHOLE), ["winner", "unclipped"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (WHOLE, None, "has no docstring"),
        ("level, size", "level", r"does not describe the parameters \['size'\]"),
        (">>> 1", "1", "no example"),
        ("``winner``", "winner", r"does not mention details \['winner'\]"),
    ],
)
def test_what_is_missing_is_named(old, new, message):
    text = None if new is None else WHOLE.replace(old, new)
    with pytest.raises(AssertionError, match=message):
        assert_documented(documented(text), ["winner"])
