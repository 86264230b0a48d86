"""The contract of comparisons notices broken promises."""

import numpy as np
import pytest

from sklearn_bbc.comparison import CorrectedResampledT
from sklearn_bbc.testing import check_comparison, comparison_checks
from sklearn_bbc.testing._comparisons import tools

CHECKS = {check.__name__: check for check in comparison_checks()}


class Broken(CorrectedResampledT):
    """Base of comparisons that break one promise; not registered, for they have no name."""


def changed(**fields):
    from dataclasses import replace

    class Changed(Broken):
        __doc__ = CorrectedResampledT.__doc__

        def _compare(self, pair):
            result = super()._compare(pair)
            return replace(
                result, **{name: change(self, result) for name, change in fields.items()}
            )

    return Changed


def test_ours_pass():
    check_comparison(CorrectedResampledT)


@pytest.mark.parametrize(
    "check, broken",
    [
        ("check_result", changed(p_value=lambda self, r: 1.5)),
        ("check_result", changed(low=lambda self, r: r.high + 1)),
        ("check_result", changed(names=lambda self, r: ("a", "b"), label=lambda self, r: "x")),
        ("check_result", changed(difference=lambda self, r: np.nan)),
        ("check_seed", changed(p_value=lambda self, r: np.random.random())),  # noqa: NPY002
        ("check_workers", changed(difference=lambda self, r: np.random.random())),  # noqa: NPY002
        ("check_exchange", changed(difference=lambda self, r: abs(r.difference))),
        ("check_exchange", changed(p_value=lambda self, r: 0.5 + r.difference)),
        ("check_sides", changed(low=lambda self, r: r.low - (self.alternative == "greater"))),
        ("check_sides", changed(high=lambda self, r: r.high * 2)),
        ("check_sides", changed(p_value=lambda self, r: 0.01)),
        ("check_levels", changed(low=lambda self, r: self.confidence_level)),
        ("check_levels", changed(p_value=lambda self, r: self.confidence_level)),
        ("check_identical", changed(p_value=lambda self, r: 0.5)),
        ("check_identical", changed(difference=lambda self, r: 0.1)),
        ("check_documentation", changed(details=lambda self, r: {**r.details, "novel": 1})),
    ],
)
def test_broken_promises_are_noticed(check, broken):
    with pytest.raises(AssertionError):
        CHECKS[check](broken)


def test_a_name_must_lead_to_the_class():
    with pytest.raises(AssertionError, match="does not lead to Broken"):
        CHECKS["check_registration"](Broken)


def test_what_is_not_refused_is_noticed():
    class Lenient(Broken):
        def _validate(self):
            pass

    with pytest.raises(AssertionError):
        CHECKS["check_refusals"](Lenient)


def test_assumptions_are_sentences():
    class Loose(Broken):
        __doc__ = CorrectedResampledT.__doc__
        assumptions = ("normal",)

    with pytest.raises(AssertionError, match="sentences"):
        CHECKS["check_documentation"](Loose)


def test_a_given_metric_and_sides_are_used():
    method, scoring, sides = tools(CorrectedResampledT(), "f1", None)
    assert scoring == "f1" and sides[0].config == 3
    assert tools(method, None, sides)[1] == "roc_auc"
