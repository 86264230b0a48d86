"""Data that allow no interval, and what a result must say about what it rests on."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.utils import check_random_state

from ..intervals._base import BaseInterval
from ..intervals._recommend import as_interval
from ..intervals._refit_base import RefitInterval
from ..metrics._metric import as_metric
from ..predictions._predictions import OOFPredictions
from ..results._results import ConfidenceInterval
from ._common import (
    assert_parameters,
    assert_refused,
    assert_same,
    check_documentation,
    example_predictions,
    has_bounds,
    run,
    tools,
)
from ._refits import refit_checks


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


def check_interval(
    method: BaseInterval | RefitInterval | type[BaseInterval] | type[RefitInterval],
    scoring: Any = None,
    oof: OOFPredictions | None = None,
) -> None:
    """Run the contract of interval methods.

    It covers names and parameters, pickling, seeds, workers and batches, sides, levels,
    losses, failed and undefined configurations, data that no interval can be had from,
    units, what is said about the selection, refusals, and the docstring.

    Parameters
    ----------
    method : BaseInterval, RefitInterval, or a class of these
        Method to check; a class is made with its defaults, with fewer draws.
    scoring : str, scorer or Metric, default=None
        Metric to try it with; None takes the first of ``"roc_auc"``, ``"accuracy"`` and
        ``"f1"`` that the method does not refuse.
    oof : OOFPredictions, default=None
        Predictions to try it on; None makes those of `example_predictions`. Not for
        methods that train models, which are tried on a small problem.

    Raises
    ------
    AssertionError
        If a promise is broken; the message says which one.

    See Also
    --------
    interval_checks : The same as a list, one test each.

    Examples
    --------
    >>> from sklearn_bbc.intervals import BBC
    >>> from sklearn_bbc.testing import check_interval
    >>> check_interval(BBC)
    """
    cls = method if isinstance(method, type) else type(method)
    if issubclass(cls, RefitInterval):
        for refit_check in refit_checks():
            refit_check(method, scoring)
        return
    for check in interval_checks():
        check(method, scoring, oof)


def interval_checks() -> list[Callable[..., None]]:
    """List the checks of `check_interval` on predictions, for parametrised tests.

    Returns
    -------
    list of callable
        Each takes ``(method, scoring=None, oof=None)`` and raises AssertionError.

    Examples
    --------
    >>> from sklearn_bbc.intervals import BBCF
    >>> from sklearn_bbc.testing import interval_checks
    >>> for check in interval_checks():
    ...     check(BBCF)
    """
    return list(_CHECKS)


def check_registration(method: Any, scoring: Any = None, oof: Any = None) -> None:
    """The name leads to the class; parameters are stored as given, by keyword only."""
    method, _, _ = tools(method, scoring, oof)
    cls = type(method)
    assert type(as_interval(cls.name)) is cls, f"{cls.name!r} does not lead to {cls.__name__}"
    assert cls.name == cls.name.lower() and cls.name.isidentifier(), "names are like_this"
    assert_parameters(method)


def check_result(method: Any, scoring: Any = None, oof: Any = None) -> None:
    """The result is complete, ordered, and leaves method and predictions as they were."""
    method, scoring, oof = tools(method, scoring, oof)
    before = method.get_params()
    result = run(method, scoring, oof)
    assert isinstance(result, ConfidenceInterval)
    assert result.metric == as_metric(scoring).name
    assert result.confidence_level == method.confidence_level
    assert result.alternative == "two-sided"
    if has_bounds(result):
        assert result.low <= result.high, "bounds are out of order"
    else:
        assert result.details.get("reason"), "details['reason'] says why there is no bound"
    assert np.isfinite(result.estimate), "there is no estimate"
    if type(method).selection_aware:
        assert "winner" in result.details, "details do not name the winner"
    assert method.get_params() == before, "estimate changed the parameters"
    copied = pickle.loads(pickle.dumps(result))
    assert_same(copied, result, "after pickling")
    assert copied.to_dict().keys() == result.to_dict().keys()
    again = pickle.loads(pickle.dumps(method))
    assert_same(run(again, scoring, oof), result, "a pickled method")


def check_seed(method: Any, scoring: Any = None, oof: Any = None) -> None:
    """The same seed gives the same bits, whatever the global random state is."""
    method, scoring, oof = tools(method, scoring, oof)
    state = check_random_state(None).get_state(legacy=False)
    first = run(method, scoring, oof)
    after = check_random_state(None).get_state(legacy=False)
    untouched = state["state"]["pos"] == after["state"]["pos"]
    untouched &= np.array_equal(state["state"]["key"], after["state"]["key"])
    assert untouched, "numpy's global random state was used"
    assert_same(run(method, scoring, oof), first, "with the same seed")
    if "random_state" in method.get_params() and first.draws is not None:
        generator = np.random.RandomState(0)
        drawn = [run(method, scoring, oof, random_state=generator) for _ in range(2)]
        sampled = not first.details.get("exact", False)
        first_draws, second_draws = (np.asarray(result.draws) for result in drawn)
        assert sampled == (not np.array_equal(first_draws, second_draws)), (
            "a RandomState object must be consumed"
        )


def check_workers(method: Any, scoring: Any = None, oof: Any = None) -> None:
    """Number of workers and size of batches change no bit."""
    method, scoring, oof = tools(method, scoring, oof)
    expected = run(method, scoring, oof)
    with config_context(working_memory=0.001):  # MiB: one block of draws at a time
        assert_same(run(method, scoring, oof), expected, "in small batches")
    if "n_jobs" in method.get_params():
        assert_same(run(method, scoring, oof, n_jobs=2), expected, "with two workers")


def check_sides(method: Any, scoring: Any = None, oof: Any = None) -> None:
    """A one-sided interval is half of a two-sided one with twice the error rate."""
    method, scoring, oof = tools(method, scoring, oof)
    worst, best = as_metric(scoring).bounds
    both = run(method, scoring, oof, confidence_level=0.8)
    lower = run(method, scoring, oof, confidence_level=0.9, alternative="greater")
    upper = run(method, scoring, oof, confidence_level=0.9, alternative="less")
    if not has_bounds(both):
        return
    np.testing.assert_allclose(lower.low, both.low, rtol=1e-9, err_msg="'greater' keeps the low")
    np.testing.assert_allclose(upper.high, both.high, rtol=1e-9, err_msg="'less' keeps the high")
    assert lower.high == best, "'greater' leaves the largest possible score at the top"
    assert upper.low == worst, "'less' leaves the smallest possible score at the bottom"


def check_levels(method: Any, scoring: Any = None, oof: Any = None) -> None:
    """A higher confidence level never gives a narrower interval."""
    method, scoring, oof = tools(method, scoring, oof)
    inner = None
    for level in (0.1, 0.5, 0.8, 0.95, 0.99):
        outer = run(method, scoring, oof, confidence_level=level)
        if inner is not None:
            nested = outer.low <= inner.low and inner.high <= outer.high
            nested |= not (has_bounds(inner) and has_bounds(outer))
            assert nested, f"the interval at {level} does not hold the one below"
        inner = outer


def check_orientation(method: Any, scoring: Any = None, oof: Any = None) -> None:
    """A loss gives what its negative, taken as a score, gives."""
    method, scoring, oof = tools(method, scoring, oof)
    metric = as_metric(scoring)
    mirrored = replace(metric, score_func=_Negative(metric.score_func), sign=-metric.sign)
    few = {"n_bootstraps": 30} if "n_bootstraps" in method.get_params() else {}
    expected = run(method, metric, oof, **few)
    try:
        found = run(method, mirrored, oof, **few)
    except ValueError:
        return  # a method for certain metrics does not know this function
    # The range of the mirrored metric is unknown, so its bounds are not cut.
    uncut = [(r.estimate, *r.details.get("unclipped", tuple(r))) for r in (found, expected)]
    for name, one, other in zip(("estimate", "low", "high"), *uncut, strict=True):
        np.testing.assert_allclose(
            one,
            other,
            rtol=1e-9,
            atol=1e-12,
            err_msg=f"{name} changes when a score is written as a loss",
        )


class _Negative:
    """The negative of a score function, without a kernel."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, y_true: Any, y_pred: Any, **kwargs: Any) -> float:
        return -self.function(y_true, y_pred, **kwargs)


def check_configurations(method: Any, scoring: Any = None, oof: Any = None) -> None:
    """Failed, undefined and repeated configurations do not matter; one is enough."""
    method, scoring, oof = tools(method, scoring, oof)
    name, array = next(iter(oof.responses.items()))
    expected = run(method, scoring, oof)

    def with_responses(array: np.ndarray, **fields: Any) -> OOFPredictions:
        return OOFPredictions(
            y_true=oof.y_true,
            responses={name: array},
            sample=oof.sample,
            fold=oof.fold,
            repeat=oof.repeat,
            groups=oof.groups,
            sample_weight=oof.sample_weight,
            classes=oof.classes_,
            **fields,
        )

    if array.ndim == 2 and array.dtype.kind == "f" and oof.y_true.dtype.kind in "iufb":
        perfect = oof.y_true[oof.sample][None].astype(float)
        failed = np.arange(len(array) + 1) == len(array)
        result = run(
            method, scoring, with_responses(np.concatenate([array, perfect]), failed=failed)
        )
        assert_same(result, expected, "with a failed configuration, however good it looks")
    undefined = array[:1].copy()
    undefined[:, 0] = -1 if array.dtype.kind in "iu" else np.nan
    result = run(method, scoring, with_responses(np.concatenate([array, undefined])))
    assert_same(result, expected, "with a configuration that predicts NaN")
    if type(method).selection_aware:
        result = run(method, scoring, with_responses(np.concatenate([array, array[-1:]])))
        assert_same(result, expected, "with a configuration twice")
    alone = run(method, scoring, with_responses(array[:1]))
    ordered = alone.low <= alone.high or not has_bounds(alone)
    assert ordered, "a single configuration gives an interval"


def check_refusals(method: Any, scoring: Any = None, oof: Any = None) -> None:
    """Bad input is one ValueError that names what is wrong."""
    method, scoring, oof = tools(method, scoring, oof)
    known, requires = method.get_params(), type(method).requires
    bad: list[tuple[dict[str, Any], str]] = [
        ({"confidence_level": level}, "confidence_level") for level in (0, 1, 95, -0.1, "a", None)
    ]
    bad += [({"alternative": "both"}, "alternative")]
    if "n_bootstraps" in known:
        bad += [({"n_bootstraps": n}, "n_bootstraps") for n in (0, 19, 20.5, None, True)]
    for params, word in bad:
        assert_refused(partial(run, method, scoring, oof, **params), word, f"{params}")
    assert_refused(lambda: run(method, scoring, oof.y_true), "OOFPredictions", "a plain array")
    assert_refused(lambda: run(method, "no_such_metric", oof), "no_such_metric", "its name")
    assert_refused(lambda: run(method, [scoring], oof), "scoring", "a list of metrics")
    if "predictions" in requires:
        scores = {"roc_auc": np.full((oof.n_splits, 1), 0.5)}
        only_folds = OOFPredictions(y_true=oof.y_true, fold_scores=scores)
        assert_refused(lambda: run(method, "roc_auc", only_folds), "predictions", "fold scores")
    if "binary" in requires:
        three = example_predictions(n_classes=3)
        assert_refused(lambda: run(method, "roc_auc_ovr", three), "2 classes", "three classes")
    if "folds" in requires:
        one = example_predictions(n_folds=1)
        assert_refused(lambda: run(method, scoring, one), "fold", "a single fold")


_CHECKS: tuple[Callable[..., None], ...] = (
    check_registration,
    check_result,
    check_seed,
    check_workers,
    check_sides,
    check_levels,
    check_orientation,
    check_configurations,
    check_selection,
    check_failures,
    check_units,
    check_refusals,
    check_documentation,
)
