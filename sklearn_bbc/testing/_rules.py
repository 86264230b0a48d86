"""The contracts of bootstrap kernels, of rules of selection and of methods for tied sets."""

from __future__ import annotations

import math
import pickle
import warnings
from functools import partial
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import clone

from .._utils import same
from ..comparison._tied import tied_with_best
from ..comparison._tied_methods import registered_tied
from ..intervals._bbc import BBC
from ..metrics._metric import Metric, as_metric
from ..predictions._predictions import OOFPredictions
from ..selection._base import BoundSelection, Outcome, Selection, registered_selections
from ._common import (
    assert_documented,
    assert_facts,
    assert_kept_by_keyword,
    assert_refused,
    assert_registered,
    assert_same,
    example_predictions,
    no_global_seed,
    quickly,
)


def check_metric(scoring: Any, oof: OOFPredictions, *, n_draws: int = 12, seed: int = 0) -> None:
    """Compare a bootstrap kernel with the function that it stands for.

    Parameters
    ----------
    scoring : str, scorer or Metric
        Metric with a score function.
    oof : OOFPredictions
        Predictions of one cross-validation.
    n_draws : int, default=12
        Number of random resamples.
    seed : int, default=0
        Seed of the resamples.

    Raises
    ------
    AssertionError
        If a score differs by more than 1e-12 from that of the repeated rows, depends on
        other draws, or if winners are not the first best.

    Examples
    --------
    >>> from sklearn_bbc.testing import check_metric, example_predictions
    >>> check_metric("balanced_accuracy", example_predictions())
    """
    metric = as_metric(scoring)
    assert metric.score_func is not None, "a scorer whose function is hidden has no kernel"
    kernel = metric.bind(oof)
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(oof.n_samples, np.full(oof.n_samples, 1 / oof.n_samples), n_draws)
    counts = counts.astype(np.uint8)
    scores = kernel.scores(counts)
    assert scores.shape == (n_draws, oof.n_configs), "scores have one row per draw"
    close = partial(np.testing.assert_allclose, rtol=1e-12, atol=1e-12)
    equal = np.testing.assert_array_equal
    repeated = [np.repeat(np.arange(oof.n_samples), count) for count in counts]
    expected: Any = [
        [_score_of_rows(metric, oof, config, rows) for config in range(oof.n_configs)]
        for rows in repeated
    ]
    close(scores, expected, err_msg=f"{metric.name}: not the score of the repeated rows")
    for dtype in (np.int64, float):
        found = kernel.scores(counts.astype(dtype))
        close(found, scores, err_msg=f"{metric.name}: depends on the dtype of the weights")
    found, expected = kernel.scores(counts > 0), kernel.scores((counts > 0).astype(np.uint8))
    equal(found, expected, err_msg=f"{metric.name}: a mask is not the same as zeros and ones")
    found = np.concatenate([kernel.scores(count[None]) for count in counts])
    close(found, scores, err_msg=f"{metric.name}: a score depends on the other draws")
    winners = kernel.winners(counts)
    defined = ~np.isnan(scores).all(axis=1)
    expected = np.where(defined, np.where(np.isnan(scores), -np.inf, scores).argmax(axis=1), -1)
    equal(winners, expected, err_msg=f"{metric.name}: the winner is not the first of the best")
    found = kernel.score_of(counts, winners)
    expected = np.where(defined, scores[np.arange(n_draws), winners], np.nan)
    close(found, expected, err_msg=f"{metric.name}: score_of and scores differ")


def _score_of_rows(metric: Metric, oof: OOFPredictions, config: int, rows: np.ndarray) -> float:
    pred = oof.matrix(metric.scorer)[rows, config]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            assert metric.score_func is not None
            return metric.sign * metric.score_func(oof.y_true[rows], pred, **metric.kwargs)
        except ValueError:  # undefined, as for a single class
            return math.nan


def _example(failed: Any = None, **changed: Any) -> OOFPredictions:
    oof = example_predictions()
    params = [{"depth": depth} for depth in range(oof.n_configs)]
    given = {"fold": oof.fold, "params": params, "failed": failed, **changed}
    return OOFPredictions(y_true=oof.y_true, responses=oof.responses, **given)


def _bound(
    selection: Selection, scoring: Any, oof: OOFPredictions | None
) -> tuple[BoundSelection, OOFPredictions]:
    oof = _example() if oof is None else oof
    kernel = as_metric("roc_auc" if scoring is None else scoring).bind(oof)
    return clone(selection).bind(oof, kernel), oof


def _counts(oof: OOFPredictions, n_draws: int = 8) -> np.ndarray:
    rng = np.random.default_rng(0)
    n = oof.n_samples
    return rng.multinomial(n, np.full(n, 1 / n), n_draws).astype(np.uint8)


def _assert_equal(one: Outcome, other: Outcome, what: str) -> None:
    assert same(one.columns, other.columns), f"{what}: the outcome differs"


def check_rule_registration(selection: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that the name leads to the class, and a second class cannot take it."""
    cls = type(selection)
    assert_registered(cls, registered_selections())
    assert_refused(lambda: type("Other", (cls,), {"name": cls.name}), "taken", "a taken name")
    assert clone(selection).get_params().keys() == selection.get_params().keys()


def check_rule_outcome(selection: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that every draw has a choice and a score; nothing that was given is changed."""
    rule, oof = _bound(selection, scoring, data)
    counts = _counts(oof)
    kept = counts.copy()
    outcome = rule.choose(counts)
    assert isinstance(outcome, Outcome) and len(outcome) == len(counts), "one entry per draw"
    assert "config" in outcome.columns, "the outcome has no column 'config'"
    config = outcome["config"]
    assert config.dtype.kind == "i" and (config >= -1).all() and (config < oof.n_configs).all()
    scores = rule.score(outcome, counts == 0)
    assert scores.shape == (len(counts),) and np.isfinite(scores).any(), "one score per draw"
    np.testing.assert_array_equal(counts, kept, err_msg="the counts were changed")
    assert len(rule.on_all()) == 1, "on_all is one draw of all samples"
    assert rule.same(outcome, rule.on_all()).shape == (len(counts),)
    low, high = rule.metric.bounds
    assert (scores >= low - 1e-12).all() and (scores <= high + 1e-12).all(), "out of range"


def check_rule_draws(selection: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that each draw is chosen for and scored on its own, twice the same."""
    rule, oof = _bound(selection, scoring, data)
    counts = _counts(oof)
    with no_global_seed():
        outcome = rule.choose(counts)
    _assert_equal(rule.choose(counts), outcome, "a second time")
    alone = [rule.choose(count[None]) for count in counts]
    _assert_equal(Outcome.concatenated(alone), outcome, "draw by draw")
    scores = rule.score(outcome, counts == 0)
    one_by_one = [rule.score(one, count[None] == 0)[0] for one, count in zip(alone, counts)]
    np.testing.assert_allclose(one_by_one, scores, 1e-12, 1e-12, err_msg="depends on other draws")
    backwards = rule.score(outcome.take(np.arange(len(counts))[::-1]), counts[::-1] == 0)
    np.testing.assert_allclose(backwards[::-1], scores, 1e-12, 1e-12, err_msg="the order matters")


def check_rule_failures(selection: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that a configuration that failed is never chosen."""
    if data is not None:
        return  # predictions of your own may be of any kind
    for failed in (0, 3):
        example = _example(failed=np.arange(4) == failed)
        rule, _ = _bound(selection, scoring, example)
        outcome = rule.choose(_counts(example))
        assert not (outcome["config"] == failed).any(), "a failed configuration was chosen"


def check_rule_in_bbc(selection: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that BBC repeats it: batches and workers change no bit, pickling neither."""
    _, oof = _bound(selection, scoring, data)
    scoring = "roc_auc" if scoring is None else scoring
    method = BBC(selection=clone(selection), n_bootstraps=130, random_state=0)

    def run(method: BBC) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return method.estimate(oof, scoring)

    expected = run(method)
    with config_context(working_memory=0.001):  # MiB: one block of draws at a time
        assert_same(run(method), expected, "in small batches")
    assert_same(run(clone(method).set_params(n_jobs=2)), expected, "with two workers")
    copied = pickle.loads(pickle.dumps(method))
    assert_same(run(copied), expected, "after pickling")
    rule, _ = _bound(selection, scoring, oof)
    assert expected.metric == rule.metric.name, "the result is not about the rule's metric"
    details = expected.details
    if rule.by:
        assert details["winner_by"] == rule.by, "details do not say by what was selected"
        assert details["winner"] == rule.on_all()["config"][0], "not the winner on all samples"
    described = rule.describe(rule.choose(_counts(oof)))
    assert described.keys() <= details.keys(), "what the rule describes is not in details"
    assert 0 <= details["winner_share"] <= 1


def check_rule_refusals(selection: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that what a rule needs and does not get is one ValueError that names it."""
    needs, scoring = selection.needs, "roc_auc" if scoring is None else scoring

    def bind(**changed: Any) -> Any:
        example = _example(**changed)
        return lambda: clone(selection).bind(example, as_metric(scoring).bind(example))

    if data is not None:
        return
    if "folds" in needs:
        assert_refused(bind(fold=np.zeros(60, dtype=int)), "fold", "a single fold")
    if "params" in needs:
        assert_refused(bind(params=None), "params", "configurations without parameters")
    if "two classes" in needs:
        three = example_predictions(n_classes=3)
        kernel = as_metric("roc_auc_ovr").bind(three)
        assert_refused(lambda: clone(selection).bind(three, kernel), "2 classes", "3 classes")


def check_rule_documentation(selection: Any, scoring: Any = None, data: Any = None) -> None:
    """Check that the docstring has notes, an example, all parameters and all details."""
    rule, oof = _bound(selection, scoring, data)
    assert_documented(type(selection), rule.describe(rule.choose(_counts(oof))), facts=())


SELECTION_CHECKS = (
    check_rule_registration,
    check_rule_outcome,
    check_rule_draws,
    check_rule_failures,
    check_rule_in_bbc,
    check_rule_refusals,
    check_rule_documentation,
)


FOLD = np.arange(40) % 5


def _values(seed: int = 0, step: float = 0.15) -> np.ndarray:
    """Draw values of 40 units for 5 configurations, later ones better."""
    return np.random.default_rng(seed).normal(size=(40, 5)) + step * np.arange(5)


def check_tied_registration(method: Any) -> None:
    """Check that the name leads to the class, with its facts and parameters by keyword."""
    made = quickly(method)
    cls = type(made)
    assert_registered(cls, registered_tied())
    assert_facts(cls, ("meant_for", "cost", "limits"))
    assert cls.__dict__.get("__doc__"), f"{cls.__name__} has no docstring"
    assert_kept_by_keyword(made)


def check_p_values(method: Any) -> None:
    """Check that p values are between 0 and 1, one a configuration, the same with a seed."""
    for seed in range(3):
        values = _values(seed)
        p_values = quickly(method).p_values(values, FOLD)
        assert p_values.shape == (5,), "there must be one p value for each configuration"
        assert ((p_values >= 0) & (p_values <= 1)).all(), f"p values outside 0 and 1: {p_values}"
        again = quickly(method).p_values(values, FOLD)
        np.testing.assert_array_equal(again, p_values, err_msg="a seed must give the same again")


def check_order(method: Any) -> None:
    """Check that neither the order of the configurations nor copies of them matter."""
    for seed in range(5):
        values = _values(seed)
        p_values = quickly(method).p_values(values, FOLD)
        order = np.random.default_rng(seed).permutation(5)
        turned = quickly(method).p_values(values[:, order], FOLD)
        np.testing.assert_array_equal(turned, p_values[order], err_msg="the order matters")
        copies = [0, 0, 1, 2, 3, 4, 4, 2]
        copied = quickly(method).p_values(values[:, copies], FOLD)
        np.testing.assert_array_equal(copied, p_values[copies], err_msg="copies matter")


def check_extremes(method: Any) -> None:
    """Check that equal configurations are all members; one that is clearly better stays alone."""
    values = _values()
    four = np.repeat(values[:, :1], 4, axis=1)
    assert (quickly(method).p_values(four) > 0.5).all(), "equal configurations must all be members"
    values[:, 2] += 5
    members = quickly(method).p_values(values, FOLD) > 0.05
    assert members[2], "the one that is clearly the best is left out"
    assert members.sum() == 1, "others are members beside one that is clearly the best"


def check_tied_refusals(method: Any) -> None:
    """Check that levels out of range and values that are missing are refused."""
    values = _values()
    for level in (0, 1, "high"):
        refusing = partial(quickly(method, confidence_level=level).p_values, values)
        assert_refused(refusing, "confidence_level", f"confidence_level={level!r}")
    values[0, 0] = np.nan
    assert_refused(lambda: quickly(method).p_values(values), "values", "a missing value")


def check_function(method: Any) -> None:
    """Check that `tied_with_best` takes it, and the set holds what the p values say."""
    made = quickly(method)
    tied = tied_with_best(
        example_predictions(), "roc_auc", method=made, n_bootstraps=200, random_state=0
    )
    assert tied.method == type(made).name
    expected = set(np.flatnonzero(tied.p_values > 1 - made.confidence_level)) | {tied.best}
    assert set(tied) == expected, "the set is not that of the p values"


TIED_CHECKS = (
    check_tied_registration,
    check_p_values,
    check_order,
    check_extremes,
    check_tied_refusals,
    check_function,
)
