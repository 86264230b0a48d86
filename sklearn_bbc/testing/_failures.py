"""Data that allow no interval, and what a result must say about what it rests on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..metrics import as_metric
from ..predictions import OOFPredictions
from ..results import ConfidenceInterval
from ._common import assert_refused, has_bounds, run, tools
from ._data import example_predictions


def check_selection(method: Any, scoring: Any = None, oof: Any = None) -> None:
    """The result says whether the choice among configurations is accounted for."""
    method, scoring, oof = tools(method, scoring, oof)
    result = run(method, scoring, oof)
    alone = run(method, scoring, _like(oof, configs=[0]))
    notes, notes_alone = (" ".join(each.details.get("notes", [])) for each in (result, alone))
    if type(method).selection_aware:
        assert "configuration" in notes_alone or "reason" in alone.details, (
            "notes say that a single configuration needs no correction"
        )
        return
    assert method.get_params()["config"] is None, "config=None is the winner, and the default"
    winner = result.details["winner"]
    assert result.details["config"] == winner, "without config the winner is meant"
    assert result.details["selection_accounted_for"] is False, "nobody accounts for the selection"
    assert "does not account" in notes, "notes say that the selection is not accounted for"
    other = 0 if winner else 1
    named = run(method, scoring, oof, config=other)
    for fixed in (named, alone):
        assert fixed.details["selection_accounted_for"] is True, "nothing was selected"
        assert "does not account" not in " ".join(fixed.details.get("notes", []))
    assert named.details["config"] == other, "config is not the configuration that was asked for"
    expected = run(method, scoring, _like(oof, configs=[other]))
    np.testing.assert_allclose(
        named.estimate, expected.estimate, rtol=1e-9, err_msg="config changes nothing"
    )
    for wrong in (-1, oof.n_configs, 0.5, True, "best"):
        assert_refused(partial(run, method, scoring, oof, config=wrong), "config", f"{wrong!r}")


def check_failures(method: Any, scoring: Any = None, oof: Any = None) -> None:
    """Classes and folds too small for an interval are named; constant predictions are scored."""
    method, scoring, oof = tools(method, scoring, oof)
    if oof.classes_ is None or len(oof.classes_) != 2:
        scoring, oof = None, example_predictions()
        try:
            method, scoring, oof = tools(method, scoring, oof)
            run(method, scoring, oof)
        except ValueError:
            return  # not a method for classes
    first, second = np.asarray(oof.classes_)
    one = np.where(np.arange(oof.n_samples) == 3, second, first)
    _defined_or_named(partial(run, method, scoring, _like(oof, y_true=one)), "one of a class")
    in_first = np.isin(np.arange(oof.n_samples), oof.sample[oof.fold == 0])
    lacking = np.where(in_first, first, oof.y_true)
    if len(np.unique(lacking)) == 2:
        lacks = _like(oof, y_true=lacking)
        _defined_or_named(partial(run, method, scoring, lacks), "a fold without a class")
    constant = _like(oof, constant=True)
    expected = as_metric(scoring).bind(constant).on_data()[0]
    try:
        result = run(method, scoring, constant)
    except ValueError as error:
        # Precision of a class that is never predicted does not exist.
        assert not expected == 0.5 and "undefined" in str(error), (
            f"constant predictions are not scored: {error}"
        )
    else:
        np.testing.assert_allclose(
            result.estimate, expected, atol=1e-9, err_msg="constant predictions have a score"
        )
        _assert_told(result, "constant predictions")
    nothing = _like(oof, undefined=True)
    assert_refused(partial(run, method, scoring, nothing), "NaN", "no configuration with a score")
    for n_folds in (2, 3):
        few = _like(oof, fold=np.arange(oof.n_rows) // 2 % n_folds)
        _defined_or_named(partial(run, method, scoring, few), f"{n_folds} folds")


def check_units(method: Any, scoring: Any = None, oof: Any = None) -> None:
    """The result says what was resampled or counted, and how many samples nobody predicted."""
    method, scoring, oof = tools(method, scoring, oof)
    unit = run(method, scoring, oof).details.get("unit")
    assert unit in ("sample", "group", "fold"), f"details['unit'] is {unit!r}"
    n_untested = max(2, oof.n_samples // 6)
    kept = oof.sample >= n_untested
    partly = _like(oof, rows=kept)
    try:
        result = run(method, scoring, partly)
    except ValueError as error:
        assert _names_a_place(error), f"splits that are not a partition: {error}"
    else:
        found = result.details.get("n_untested")
        assert found == n_untested, f"{n_untested} samples are untested, not {found}"
    if oof.groups is None:
        groups = np.arange(oof.n_samples) // 2
        grouped = _like(oof, groups=groups, fold=(groups % oof.n_splits)[oof.sample])
        try:
            result = run(method, scoring, grouped)
        except ValueError as error:
            assert "groups" in str(error), f"groups are refused without a word of them: {error}"
        else:
            found = result.details.get("unit")
            assert found in ("group", "fold"), f"groups are not the unit, but {found!r} is"


def _defined_or_named(function: Callable[[], ConfidenceInterval], what: str) -> None:
    try:
        result = function()
    except ValueError as error:
        assert _names_a_place(error), f"{what}: the message names neither class nor fold: {error}"
    else:
        _assert_told(result, what)


def _names_a_place(error: ValueError) -> bool:
    return any(word in str(error) for word in ("class ", "fold ", "folds"))


def _assert_told(result: ConfidenceInterval, what: str) -> None:
    if has_bounds(result):
        assert result.low <= result.estimate <= result.high, f"{what}: bounds miss the estimate"
    else:
        assert result.details.get("reason"), f"{what}: details['reason'] says nothing"


def _like(
    oof: OOFPredictions,
    *,
    configs: Any = None,
    rows: Any = None,
    constant: bool = False,
    undefined: bool = False,
    **fields: Any,
) -> OOFPredictions:
    """Predictions with some things changed; fold scores and failures are left out."""
    rows = np.ones(oof.n_rows, dtype=bool) if rows is None else rows
    responses = {}
    for name, array in oof.responses.items():
        array = array[slice(None) if configs is None else configs][:, rows]
        if constant:
            array = np.full_like(array, 0 if array.dtype.kind in "iu" else 1 / 2)
        if undefined:
            array = np.full_like(array, -1 if array.dtype.kind in "iu" else np.nan)
        responses[name] = array
    given: dict[str, Any] = {
        "y_true": oof.y_true,
        "responses": responses,
        "sample": oof.sample[rows],
        "fold": oof.fold[rows],
        "repeat": oof.repeat[rows],
        "groups": oof.groups,
        "sample_weight": oof.sample_weight,
        "classes": oof.classes_,
    }
    given.update(fields)
    return OOFPredictions(**given)
