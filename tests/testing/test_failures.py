"""Checks on data that allow no interval: methods that hide it are found."""

from dataclasses import replace

import numpy as np
import pytest

from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC, DeLong
from sklearn_bbc.testing import example_predictions
from sklearn_bbc.testing._intervals import (
    _like,
    check_failures,
    check_selection,
    check_units,
)


def broken(base, change):
    class Broken(base):
        def _estimate(self, oof, kernel):
            return change(super()._estimate(oof, kernel), oof)

    return Broken


def with_details(**changed):
    return lambda result, oof: replace(result, details={**result.details, **changed})


@pytest.mark.parametrize("check", [check_failures, check_selection, check_units])
@pytest.mark.parametrize("method", [BBC, DeLong])
def test_ours_pass(check, method):
    check(method)


@pytest.mark.parametrize(
    ("base", "change", "check", "message"),
    [
        (BBC, with_details(unit="row"), check_units, "'unit'. is 'row'"),
        (BBC, with_details(n_untested=0), check_units, "samples are untested, not 0"),
        (BBC, with_details(unit="sample"), check_units, "groups are not the unit"),
        (BBC, with_details(notes=[]), check_selection, "needs no correction"),
        (DeLong, with_details(selection_accounted_for=True), check_selection, "nobody accounts"),
        (DeLong, with_details(config=3), check_selection, ""),
    ],
)
def test_results_that_keep_something_back_are_found(base, change, check, message):
    with pytest.raises(AssertionError, match=message):
        check(broken(base, change))


def test_messages_must_name_class_or_fold():
    class Vague(DeLong):
        def _estimate(self, oof, kernel):
            if oof.y_true.sum() == 1:
                raise UndefinedIntervalError("This does not work.")
            return super()._estimate(oof, kernel)

    with pytest.raises(AssertionError, match="names neither class nor fold"):
        check_failures(Vague)


def test_predictions_with_something_changed():
    oof = example_predictions()
    alone = _like(oof, configs=[2])
    np.testing.assert_array_equal(
        alone.responses["predict_proba"][0], oof.responses["predict_proba"][2]
    )
    assert (_like(oof, constant=True).responses["predict_proba"] == 0.5).all()
    assert np.isnan(_like(oof, undefined=True).responses["predict_proba"]).all()
    assert _like(oof, rows=oof.sample >= 10).n_untested == 10
